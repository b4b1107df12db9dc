/* Very many tasks, for a page with very many events:  many TASKS [kill]
 * kill: the program ends by SIGKILL half a second after its last task began, as one that crashes. */
#define DF_IMPLEMENTATION
#include "df.h"
#include <signal.h>
#include <stdlib.h>
#include <time.h>

DF_TASK(void, add, df_inout(long, x, 1), (long, n));
DF_TASK(void, join_two, df_inout(long, x, 1), df_in(long, y, 1));
void add(long *x, long n)
{
    *x += n;
}
void join_two(long *x, const long *y)
{
    *x ^= *y;
}

int main(int argc, char **argv)
{
    static long x[64];
    long i, n = argc > 1 ? atol(argv[1]) : 1000;
    struct timespec half = { 0, 500000000 };
    DF_PARALLEL {
        for (i = 0; i < n; i++)
            if (i % 3) df_submit(add, &x[i * 7 % 64], i);
            else df_submit(join_two, &x[i % 64], &x[i / 64 % 64]);
        df_wait();
        nanosleep(&half, NULL);
        if (argc > 2) raise(SIGKILL);
    }
    return 0;
}
