/* nesting.c - a task is done when all tasks that it submitted are: siblings see the writes of the children */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 64 };

DF_TASK(void, put, df_out(int, x, 1), (int, v));
void put(int *x, int v)
{
    test_spin(2000);
    *x = v;
}
/* writes x[0 .. n) by halves, by children of children */
DF_TASK(void, spread, df_out(int, x, n), (int, n), (int, v));
void spread(int *x, int n, int v)
{
    if (n == 1) {
        df_submit(put, x, v);
        return;
    }
    df_submit(spread, x, n / 2, v);
    df_submit(spread, x + n / 2, n - n / 2, v + n / 2);
}
DF_TASK(void, total, df_in(int, x, n), (int, n), df_out(int, to, 1));
void total(const int *x, int n, int *to)
{
    *to = 0;
    for (int i = 0; i < n; i++) *to = (*to * 31 + x[i]) % 1000003;
}
/* a child that is the only one of its parent, and so on: `depth` scopes inside each other */
DF_TASK(void, down, df_inout(uint64_t, x, 1), (int, depth));
void down(uint64_t *x, int depth)
{
    *x = test_mix(*x, (uint64_t)depth);
    if (depth) df_submit(down, x, depth - 1);
}
/* the same, and after the child one more that must see all below */
DF_TASK(void, note, df_inout(uint64_t, x, 1), (int, v));
void note(uint64_t *x, int v) { *x = test_mix(*x, (uint64_t)v); }
DF_TASK(void, down_up, df_inout(uint64_t, x, 1), (int, depth));
void down_up(uint64_t *x, int depth)
{
    if (depth) df_submit(down_up, x, depth - 1);
    df_submit(note, x, depth);
}

int main(void)
{
    int x[N] = { 0 }, sum[8];
    uint64_t y = 1, z = 1;
    DF_PARALLEL {
        for (int k = 0; k < 8; k++) {
            df_submit(spread, x, N, k * 100);
            df_submit(total, x, N, &sum[k]);
            df_submit(put, &x[k], -k);
            df_submit(spread, x + 10, 20, k);
            df_submit(total, x, N, &sum[k]);
        }
    }
    for (int k = 0; k < 8; k++) printf("%d ", sum[k]);
    printf("\n");
    DF_PARALLEL {
        df_submit(down, &y, 3000);
        df_submit(note, &y, 7);
        df_submit(down_up, &z, 1000);
        df_submit(note, &z, 7);
        df_submit(down, &z, 100);
    }
    printf("%016llx %016llx\n", (unsigned long long)y, (unsigned long long)z);
}
