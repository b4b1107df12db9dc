/* many_regions.c - ever new regions, far more than there are unfinished tasks: old ones are forgotten, those of
 * running tasks are not */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 20000, TASKS = 60000 };
static uint32_t x[CELLS];

DF_TASK(void, mix, df_inout(uint32_t, p, n), (int, n), (int, k));
void mix(uint32_t *p, int n, int k)
{
    uint64_t h = (uint64_t)k;
    for (int i = 0; i < n; i++) h = test_mix(h, p[i]), p[i] = (uint32_t)h;
}
DF_TASK(void, move, df_in(uint32_t, from, n), df_out2(uint32_t, to, 2, n, 50), (int, n));
void move(const uint32_t *from, uint32_t *to, int n)
{
    for (int i = 0; i < n; i++) to[i] = from[i] + 1, to[50 + i] = from[i] + 2;
}
DF_TASK(void, slow, df_inout(uint32_t, p, n), (int, n));
void slow(uint32_t *p, int n)
{
    test_spin(20000);
    mix(p, n, 7);
}

int main(void)
{
    uint64_t seed = 5, h = 0;
    DF_PARALLEL {
        for (int k = 0; k < TASKS; k++) {
            int n = 1 + test_below(&seed, 20), at = test_below(&seed, CELLS - 100), to = test_below(&seed, CELLS - 100);
            if (k % 500 == 0) df_submit(slow, x + at, n);
            else if (k % 10 == 0) {
                if (to < at + n && at < to + 100) to = at + n < CELLS - 100 ? at + n : 0;
                df_submit(move, x + at, x + to, n);
            } else df_submit(mix, x + at, n, k);
        }
    }
    for (int i = 0; i < CELLS; i++) h = test_mix(h, x[i]);
    printf("%016llx\n", (unsigned long long)h);
}
