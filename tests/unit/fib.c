/* fib.c - the recursion of df.h: every result is right, at every size */
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

/* both halves spawned */
DF_STATIC_TASK(long, fib2, (long, n));
static long fib2(long n)
{
    if (n < 2) return n;
    df_future(fib2) a, b;
    df_spawn(fib2, &a, n - 1);
    df_spawn(fib2, &b, n - 2);
    long y = df_sync(fib2, &b);
    return df_sync(fib2, &a) + y;
}

int main(void)
{
    for (long n = 0; n <= 25; n++) printf("fib(%ld) = %ld\n", n, fib(n));
    for (long n = 0; n <= 20; n++) CHECK(fib2(n) == fib(n));
}
