/* fib.h - a task that spawns, for each file of these tests that embeds or uses df */
DF_STATIC_TASK(long, fib, (long, n));
static long fib(long n)
{
    long b;
    df_future(fib) a;
    if (n < 2) return n;
    df_spawn(fib, &a, n - 1);
    b = fib(n - 2);
    return df_sync(fib, &a) + b;
}
