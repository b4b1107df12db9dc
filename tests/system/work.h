/* work.h - a little of everything df does, with a known answer: the work of tests whose subject is not
 * the work. Needs df.h before it. */
#ifndef WORK_H
#define WORK_H

#include "../test.h"

DF_STATIC_TASK(long, work_fib, (long, n));
static long work_fib(long n)
{
    if (n < 2) return n;
    df_future(work_fib) a;
    df_spawn(work_fib, &a, n - 1);
    long b = work_fib(n - 2);
    return df_sync(work_fib, &a) + b;
}
DF_STATIC_TASK(void, work_add, df_in(uint64_t, a, n), df_inout(uint64_t, to, 1), (int, n));
static void work_add(const uint64_t *a, uint64_t *to, int n)
{
    for (int i = 0; i < n; i++) *to = *to * 3 + a[i];
}
DF_STATIC_TASK(void, work_tree, df_out(uint64_t, to, 1), (int, n));
static void work_tree(uint64_t *to, int n)
{
    uint64_t y[3], *x = n ? df_local(uint64_t, 3) : NULL;
    *to = 1;
    if (n && !x) { /* no memory for temporaries: wait for the children instead */
        for (int i = 0; i < 3; i++) df_submit(work_tree, &y[i], n - 1);
        df_wait();
        work_add(y, to, 3);
    } else if (n) {
        for (int i = 0; i < 3; i++) df_submit(work_tree, &x[i], n - 1);
        df_submit(work_add, x, to, 3);
    }
}
static uint64_t work_tree_answer(int n)
{
    uint64_t y[3] = { 0 }, sum = 1;
    if (n) y[0] = y[1] = y[2] = work_tree_answer(n - 1), work_add(y, &sum, 3);
    return sum;
}

/* Fork-join, a dataflow chain, a wide graph, a recursive graph. Nonzero: all of it was right. */
static int work_right(void)
{
    enum { N = 60 };
    uint64_t one = 1, thirteen = 13, chain = 0, x[N] = { 0 }, all = 0, tree = 0, want = 0;
    df_future(work_fib) f[8];
    for (int i = 0; i < 8; i++) df_spawn(work_fib, &f[i], 10 + i % 3);
    DF_PARALLEL {
        for (int i = 0; i < N; i++) df_submit(work_add, &one, &chain, 1);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < N; i++) df_submit(work_add, &one, &x[i], 1); /* 1 + 3 + 9 */
        df_submit(work_add, x, &all, N);
        for (int i = 0; i < N; i++) df_submit(work_add, &all, &x[i], 1);
        df_submit(work_tree, &tree, 3);
        df_submit(work_add, &tree, &tree, 1);
    }
    for (int i = 7; i >= 0; i--)
        if (df_sync(work_fib, &f[i]) != (i % 3 == 0 ? 55 : i % 3 == 1 ? 89 : 144)) return 0;
    for (int i = 0; i < N; i++) work_add(&one, &want, 1);
    if (chain != want || tree != 4 * work_tree_answer(3)) return 0;
    want = 0;
    for (int i = 0; i < N; i++) work_add(&thirteen, &want, 1);
    if (all != want) return 0;
    for (int i = 0; i < N; i++)
        if (x[i] != 39 + all) return 0;
    return 1;
}

#endif
