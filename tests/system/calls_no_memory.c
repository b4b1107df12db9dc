/* calls_no_memory.c - memory runs out at the n-th allocation, for every n, while tasks of df_call with more regions than
 * a parameter list has are ordered, accumulated and checked (calls_no_memory_check.c): each runs in its order, or
 * df_call says that it submitted nothing
 *
 * As no_memory.c. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"

enum { CELLS = 60, CALLS = 30 };
static uint64_t mine[CELLS], cells[CELLS];

/* Each odd cell of a list becomes a mix of itself and the even one before it; even cells are read. */
static void mix(void *arg, void *const *p)
{
    const int n = *(int *)arg;
    for (int i = 0; i + 1 < n; i += 2)
        *(uint64_t *)p[i + 1] = test_mix(*(uint64_t *)p[i + 1], *(const uint64_t *)p[i] + (uint64_t)n);
}
static void add(void *into, const void *from, size_t n)
{
    uint64_t *a = (uint64_t *)into;
    for (size_t i = 0; i < n; i++) a[i] = from ? a[i] + ((const uint64_t *)from)[i] : 0;
}
static void add_to_each(void *arg, void *const *p)
{
    const int n = *(int *)arg;
    for (int i = 0; i < n; i++) *(uint64_t *)p[i] += (uint64_t)(n + i);
}

static int run(void *unused)
{
    static const int sizes[] = { 17, 40, CELLS, 16, 2 };
    df_operator sum = { add, sizeof(uint64_t), 0, 0, NULL };
    uint64_t state = 5;
    (void)unused;
    if (df_start(NULL) == DF_ERROR_MEMORY) return 0;
    for (int i = 0; i < CELLS; i++) mine[i] = cells[i] = (uint64_t)i;
    for (int k = 0; k < CALLS; k++) {
        df_region r[CELLS];
        void *p[CELLS];
        int n = sizes[k % 5], first = (int)(test_mix(state++, 1) % CELLS), adds = k / 5 % 3 == 1;
        for (int i = 0; i < n; i++) {
            const int at = (first + i) % CELLS;
            p[i] = &mine[at];
            r[i] = df_region_of(&cells[at], 1);
            r[i].mode = adds ? DF_REDUCE : i % 2 ? DF_INOUT : DF_IN, r[i].op = adds ? &sum : NULL;
        }
        if (df_call(NULL, adds ? add_to_each : mix, &n, sizeof n, r, n) != DF_OK) continue;
        (adds ? add_to_each : mix)(&n, p);
    }
    df_wait();
    CHECK(!memcmp(mine, cells, sizeof mine));
    df_stop();
    return failed ? 0 : 77;
}

int main(void)
{
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "0"), test_step(2), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(1), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "3", "DF_DETERMINISTIC", "1"), test_step(3), about_memory) > 5);
    }
}
