/* wait.c - after df_wait all tasks of the scope are done; after df_wait_on the writers of the region */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 40 };

DF_TASK(void, put, df_out(int, x, 1), (int, v), (unsigned, slow));
void put(int *x, int v, unsigned slow)
{
    test_spin(slow);
    *x = v;
}
DF_TASK(void, deep, df_out(int, x, n), (int, n), (int, v)); /* children's work counts too */
void deep(int *x, int n, int v)
{
    if (n == 1) df_submit(put, x, v, 1000);
    else {
        df_submit(deep, x, n / 2, v);
        df_submit(deep, x + n / 2, n - n / 2, v);
    }
}
/* waits in the middle of a task */
DF_TASK(void, inner, df_out(int, x, n), (int, n), df_out(int, total, 1));
void inner(int *x, int n, int *total)
{
    *total = 0;
    for (int i = 0; i < n; i++) df_submit(put, &x[i], i, 300);
    df_wait_on(x, (size_t)n / 2 * sizeof *x);
    for (int i = 0; i < n / 2; i++) *total += x[i];
    df_wait();
    for (int i = 0; i < n; i++) *total += x[i];
    df_submit(put, x, 1000, 0);
    df_wait();
    *total += x[0];
}

int main(void)
{
    int x[N] = { 0 }, total[6];
    df_wait();                    /* nothing to wait for */
    df_wait_on(x, sizeof x);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i++) df_submit(put, &x[i], i + round, i % 5 ? 0 : 3000);
        df_wait_on(&x[5], sizeof x[5]);
        CHECK(x[5] == 5 + round);
        df_wait_on(&x[10], 6 * sizeof x[10]);
        for (int i = 10; i < 16; i++) CHECK(x[i] == i + round);
        df_wait_on((char *)&x[20] + 1, 1); /* a single byte */
        CHECK(x[20] == 20 + round);
        df_wait_on(x, 0);
        df_wait();
        for (int i = 0; i < N; i++) CHECK(x[i] == i + round);
        df_submit(deep, x, N, round);
        df_wait_on(&x[N - 1], sizeof x[0]); /* a part of the region that the task declares */
        CHECK(x[N - 1] == round && x[0] == round);
        df_wait();
        df_wait();
    }
    DF_PARALLEL {
        for (int i = 0; i < 6; i++) df_submit(inner, &x[5 * i], 5, &total[i]);
        df_wait_on(&total[3], sizeof total[3]);
        CHECK(total[3] == 0 + 1 + 0 + 1 + 2 + 3 + 4 + 1000);
        df_submit(inner, x, 30, &total[0]);
    }
    printf("%d %d\n", total[0], total[5]);
}
