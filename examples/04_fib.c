/* Fork and join: 30 million tasks of a few nanoseconds each.
 *
 * df_spawn offers a call to the other workers; df_sync fetches its result, or makes the call here
 * if no worker took it. The future lives on the caller's stack, so a spawn allocates nothing.
 * Source: X-Kaapi report RT-0418, sections 3.3 and 5.1.1.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>

DF_TASK(long, fib, (long, n));
long fib(long n)
{
    if (n < 2)
        return n;
    df_future(fib) a;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return df_sync(fib, &a) + b;
}

static long fib_by_iteration(long n)
{
    long a = 0, b = 1;
    for (; n > 0; n--) {
        long next = a + b;
        a = b;
        b = next;
    }
    return a;
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 35;
    if (*end || n < 0 || n > 45) {
        fprintf(stderr, "usage: %s [N]    with N from 0 to 45\n", argv[0]);
        return 1;
    }
    long result = fib(n);
    printf("fib(%ld) = %ld\n", n, result);
    return result == fib_by_iteration(n) ? 0 : 1;
}
