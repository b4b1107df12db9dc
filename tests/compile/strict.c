/* strict.c - the code of a project for a C compiler older than C11, without declarations in for */
#define DF_IMPLEMENTATION
#include "headers.h"
#include <stdio.h>

DF_TASK(long, fib, (long, n));
long fib(long n)
{
    df_future(fib) a;
    long b;
    if (n < 2) return n;
    df_spawn(fib, &a, n - 1);
    b = fib(n - 2);
    return df_sync(fib, &a) + b;
}
DF_TASK(void, scale, df_inout(double, x, n), (int, n), (double, by));
void scale(double *x, int n, double by)
{
    int i;
    for (i = 0; i < n; i++) x[i] *= by;
}
DF_LOOP(squares, df_out(long, to, 1000), (int, add));
void squares(long begin, long end, long *to, int add)
{
    long i;
    for (i = begin; i < end; i++) to[i] = i * i + add;
}

int main(void)
{
    static long to[1000];
    double x[10] = { 1, 2 };
    df_submit(scale, x, 10, 2.0);
    df_submit(scale, x + 1, 9, 2.0);
    df_wait();
    df_for(squares, 0, 1000, to, 1);
    printf("%ld %g %g %ld\n", fib(20), x[0], x[1], to[31]);
    return !(fib(20) == 6765 && x[0] == 2 && x[1] == 8 && to[31] == 962);
}
