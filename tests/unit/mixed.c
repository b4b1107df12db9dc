/* mixed.c - spawn and submit in one program: submit between spawns, blocks in spawned functions, spawns in
 * submitted tasks, on all levels of a recursion */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(long, fib, (long, n));
long fib(long n)
{
    if (n < 2) return n;
    df_future(fib) a;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return df_sync(fib, &a) + b;
}
DF_TASK(void, fib_to, (long, n), df_out(long, to, 1));
void fib_to(long n, long *to) { *to = fib(n); }
DF_TASK(void, add, df_in(long, a, 1), df_inout(long, to, 1));
void add(const long *a, long *to) { *to = *to * 3 + *a; }

/* dataflow inside a spawned function, in a block */
DF_TASK(long, series, (int, n));
long series(int n)
{
    long x[8] = { 0 }, sum = n;
    DF_PARALLEL {
        for (int i = 0; i < 8; i++) df_submit(fib_to, i + n % 3, &x[i]);
        for (int i = 0; i < 8; i++) df_submit(add, &x[i], &sum);
    }
    return sum;
}
/* the same waiting with df_wait */
DF_TASK(long, series_wait, (int, n));
long series_wait(int n)
{
    long x[8] = { 0 }, sum = n;
    for (int i = 0; i < 8; i++) df_submit(fib_to, i + n % 3, &x[i]);
    for (int i = 0; i < 8; i++) df_submit(add, &x[i], &sum);
    df_wait();
    return sum;
}
/* spawn, submit, wait and sync mixed on every level */
DF_TASK(long, tangle, (int, depth));
long tangle(int depth)
{
    long x = 1, y = 2, s = 0;
    df_future(tangle) a, b;
    df_future(series) c;
    if (depth == 0) return series(1);
    df_spawn(tangle, &a, depth - 1);
    DF_PARALLEL {
        df_submit(fib_to, 5, &x);
        df_spawn(tangle, &b, depth - 1);
        df_submit(add, &x, &y);
        s = df_sync(tangle, &b); /* in the block it was spawned in */
    }
    df_spawn(series, &c, depth);
    s = s * 5 + df_sync(tangle, &a); /* not the latest */
    return (s + df_sync(series, &c) * 7 + y) % 1000003;
}
DF_TASK(void, tangle_to, (int, depth), df_out(long, to, 1));
void tangle_to(int depth, long *to) { *to = tangle(depth); }

/* futures spawned outside of a block and synced inside, in several orders, while tasks are pending */
static long outside_in(int order)
{
    df_future(fib) f[6];
    long x[6] = { 0 }, sum = order;
    for (int i = 0; i < 6; i++) df_spawn(fib, &f[i], i + 5);
    for (int k = 0; k < 6; k += 3)
        DF_PARALLEL {
            for (int i = 0; i < 6; i++) df_submit(fib_to, i + 3, &x[i]);
            for (int i = 0; i < 3; i++) {
                sum = sum * 3 + df_sync(fib, &f[(order == 0 ? k + i : order == 1 ? 5 - k - i : (k + i) * 5 + 2) % 6]);
                df_submit(add, &x[5 - i], &x[i]);
            }
            df_submit(fib_to, k, &x[5]);
        }
    for (int i = 0; i < 6; i++) sum = sum * 3 + x[i];
    return sum;
}

int main(void)
{
    long x[40], sum = 0;
    df_future(series) f[20];
    df_future(series_wait) g[20];
    for (int i = 0; i < 20; i++) df_spawn(series, &f[i], i);
    DF_PARALLEL {
        for (int i = 0; i < 40; i++) df_submit(fib_to, i % 15, &x[i]);
        for (int i = 0; i < 40; i++) df_submit(add, &x[i], &sum);
    }
    for (int i = 0; i < 20; i++) printf("%ld ", df_sync(series, &f[i]));
    printf("\n%ld\n", sum);
    for (int i = 0; i < 20; i++) df_spawn(series_wait, &g[i], i);
    for (int i = 19; i >= 0; i--) printf("%ld ", df_sync(series_wait, &g[i]));
    printf("\n%ld\n", tangle(6));
    for (int i = 0; i < 60; i++)
        if (i < 3) printf("%ld ", outside_in(i));
        else CHECK(outside_in(i % 3) == outside_in(i % 3));
    printf("\n");
    DF_PARALLEL {
        for (int i = 0; i < 7; i++) df_submit(tangle_to, i, &x[i]);
        df_submit(fib_to, 20, &x[7]);
    }
    for (int i = 0; i < 8; i++) printf("%ld ", x[i]);
    printf("\n");
}
