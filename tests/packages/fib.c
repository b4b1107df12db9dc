/* fib.c - prints 39088169: fork-join alone, for each size of the single headers */
#define DF_IMPLEMENTATION
#include <df.h>
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

int main(void)
{
    if (df_version() != DF_VERSION) return 1;
    printf("%ld\n", fib(38));
    return 0;
}
