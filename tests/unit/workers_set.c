/* workers_set.c - df_workers_set in tasks and between them: nothing is lost and nothing runs twice, and the order of
 * tasks is the same, with one thread, too */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 20, STEPS = 300, MOST = 6 };

DF_TASK(void, step, df_inout(uint64_t, x, 1), df_in(uint64_t, y, 1), (int, i));
void step(uint64_t *x, const uint64_t *y, int i)
{
    *x = test_mix(*x, *y + (uint64_t)i);
    if (i % 13 == 0) CHECK(df_workers_set(1 + i % MOST) >= 1 && df_workers() >= 1);
}
DF_TASK(long, fib, (long, n));
long fib(long n)
{
    if (n < 2) return n;
    if (n == 9) df_workers_set(1 + (int)(n % MOST));
    df_future(fib) a;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return df_sync(fib, &a) + b;
}
DF_TASK(void, nest, (int, depth), df_reduce(df_sum, long, x, 1));
void nest(int depth, long *x)
{
    long below = 0;
    if (depth == 2) df_workers_set(MOST - depth);
    for (int i = 0; i < 4 && depth; i++) df_submit(nest, depth - 1, &below);
    df_wait();
    *x += below + 1;
}
DF_LOOP(visit, df_inout(int, x, n), (int, n), df_reduce(df_sum, long, sum, 1));
void visit(long lo, long hi, int *x, int n, long *sum)
{
    (void)n;
    for (long i = lo; i < hi; i++) {
        x[i]++;
        *sum += i;
        if (i % 97 == 0) df_workers_set(1 + (int)(i % MOST));
    }
}

int main(void)
{
    static uint64_t cell[CELLS];
    static int x[1000];
    uint64_t h = 0;
    long n = 0, sum = 0;
    int once = 1;
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < CELLS; k++) df_submit(step, &cell[k], &cell[(k + i) % CELLS], i * CELLS + k);
        if (i % 10 == 0) CHECK(df_workers_set(1 + i / 10 % MOST) >= 1);
    }
    df_wait();
    for (int k = 0; k < CELLS; k++) h = test_mix(h, cell[k]);
    printf("steps %016llx\n", (unsigned long long)h);
    printf("fib %ld\n", fib(20));
    df_submit(nest, 5, &n);
    df_wait();
    printf("nested %ld\n", n);
    for (int i = 0; i < 20; i++) df_for(visit, 0, 1000, x, 1000, &sum);
    for (int i = 0; i < 1000; i++) once &= x[i] == 20;
    printf("loops %ld %s\n", sum, once ? "each once" : "NOT once");
    df_stop();
    printf("again %d\n", df_workers_set(1));
    df_workers_set(3);
    printf("fib %ld\n", fib(15));
    return 0;
}
