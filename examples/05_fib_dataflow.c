/* Recursion without waiting.
 *
 * A task may submit tasks, and is done when they are. So fib submits two smaller ones and a task
 * that adds their results, and returns: no task waits, because the regions determine the order. The
 * two results live in memory from df_local, which lasts until the tasks submitted here are done; a
 * variable of the function would be gone by then.
 * Source: X-Kaapi report RT-0418, sections 3.3.1 and 5.1.2.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>

DF_TASK(void, sum, df_out(long, result, 1), df_in(long, a, 1), df_in(long, b, 1));
void sum(long *result, const long *a, const long *b)
{
    *result = *a + *b;
}

DF_TASK(void, fib, df_out(long, result, 1), (long, n));
void fib(long *result, long n)
{
    if (n < 2) {
        *result = n;
        return;
    }
    long *part = df_local(long, 2);
    if (!part) {
        df_fail(DF_ERROR_MEMORY, "no memory for two results");
        return;
    }
    df_submit(fib, &part[0], n - 1);
    df_submit(fib, &part[1], n - 2);
    df_submit(sum, result, &part[0], &part[1]);
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
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 22, result = -1;
    if (*end || n < 0 || n > 35) {
        fprintf(stderr, "usage: %s [N]    with N from 0 to 35\n", argv[0]);
        return 1;
    }
    DF_PARALLEL {
        df_submit(fib, &result, n);
    }
    printf("fib(%ld) = %ld\n", n, result);
    return result == fib_by_iteration(n) ? 0 : 1;
}
