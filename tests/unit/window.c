/* window.c - many more tasks than the window and the deque hold, at the top and inside tasks */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 500, TASKS = 30000, INNER = 5000 };

DF_TASK(void, add, df_inout(uint64_t, x, 1), (uint64_t, v));
void add(uint64_t *x, uint64_t v) { *x = test_mix(*x, v); }
DF_TASK(void, all, df_inout(uint64_t, x, n), (int, n), (int, tasks));
void all(uint64_t *x, int n, int tasks)
{
    for (int i = 0; i < tasks; i++) df_submit(add, &x[i % n], (uint64_t)i);
}
DF_TASK(void, gather, df_in(uint64_t, x, n), (int, n), df_inout(uint64_t, to, 1));
void gather(const uint64_t *x, int n, uint64_t *to)
{
    for (int i = 0; i < n; i++) *to = test_mix(*to, x[i]);
}

int main(void)
{
    static uint64_t x[CELLS];
    uint64_t h = 0;
    DF_PARALLEL { /* one chain: nothing can run before the first */
        for (int i = 0; i < TASKS; i++) df_submit(add, &x[0], (uint64_t)i);
    }
    printf("chain %016llx\n", (unsigned long long)x[0]);
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) df_submit(add, &x[i % CELLS], (uint64_t)i);
        df_submit(gather, x, CELLS, &h); /* one task with hundreds of predecessors */
        for (int i = 0; i < TASKS; i++) df_submit(add, &x[i * 7 % CELLS], (uint64_t)i); /* and successors */
    }
    df_submit(gather, x, CELLS, &h);
    df_wait();
    printf("wide %016llx\n", (unsigned long long)h);
    DF_PARALLEL {
        for (int i = 0; i < 4; i++) df_submit(all, x + 100 * i, 100, INNER);
        df_submit(gather, x, CELLS, &h);
        df_submit(all, x, CELLS, INNER);
    }
    df_submit(gather, x, CELLS, &h);
    df_wait();
    printf("nested %016llx\n", (unsigned long long)h);
}
