/* chains.c - long sequences of tasks on few elements: every reader sees exactly its writer */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 8, TASKS = 5000 };

DF_TASK(void, set, df_out(uint64_t, x, 1), (uint64_t, v));
void set(uint64_t *x, uint64_t v) { *x = v; }
DF_TASK(void, step, df_inout(uint64_t, x, 1), df_in(uint64_t, y, 1), (int, i));
void step(uint64_t *x, const uint64_t *y, int i) { *x = test_mix(*x, *y + (uint64_t)i); }
DF_TASK(void, join, df_in(uint64_t, all, CELLS), df_inout(uint64_t, sum, 1));
void join(const uint64_t *all, uint64_t *sum)
{
    for (int i = 0; i < CELLS; i++) *sum = test_mix(*sum, all[i]);
}
DF_TASK(void, both, df_inout(uint64_t, x, 2), df_in(uint64_t, y, 1)); /* y may be part of x */
void both(uint64_t *x, const uint64_t *y)
{
    x[0] = test_mix(x[0], *y);
    x[1] = test_mix(x[1], x[0]);
}

int main(void)
{
    uint64_t cell[CELLS] = { 0 }, sum = 0, seed = 1;
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) {
            int a = test_below(&seed, CELLS), b = test_below(&seed, CELLS);
            switch (test_below(&seed, 12)) {
            case 0: df_submit(set, &cell[a], (uint64_t)i); break;
            case 1: df_submit(join, cell, &sum); break;
            case 2: df_submit(both, &cell[a ? a - 1 : 0], &cell[b]); break;
            default: df_submit(step, &cell[a], &cell[b], i); break;
            }
        }
    }
    for (int i = 0; i < CELLS; i++) printf("%016llx\n", (unsigned long long)cell[i]);
    printf("sum %016llx\n", (unsigned long long)sum);
}
