/* copy.c - a part of a program, or a library of it, with an implementation of df. program.c runs several in one process.
 *
 * -DPART=a    its functions are a_works and a_pool
 * -DFORKS     it only forks and joins, as a build with DF_MINIMAL can. Otherwise it has dataflow and transactions too.
 * a_works returns 0 or prints the mistake. Run with DF_WORKERS=3. */
#define _POSIX_C_SOURCE 200809L
#define DF_IMPLEMENTATION
#ifndef FORKS
#include "../../df_stm.h"
#endif
#include "../../df.h"
#include "../link/fib.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define CHECK(c) do { if (!(c)) failed = 1, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #c); } while (0)

#ifndef FORKS
enum { N = 64 };
/* It writes late: a copy that does not wait for it sees the value from before. */
DF_STATIC_TASK(void, put, df_out(int, p, 1), (int, v));
static void put(int *p, int v)
{
    struct timespec t = { 0, 100000 };
    nanosleep(&t, NULL);
    *p = v;
}
DF_STATIC_TASK(void, add, df_in(int, p, 1), df_reduce(df_sum, long, sum, 1));
static void add(const int *p, long *sum) { *sum += *p; }
static long blocks;
#endif

int CAT(PART, _works)(void);
const void *CAT(PART, _pool)(void);
const void *CAT(PART, _pool)(void) { return (const void *)(uintptr_t)&df_version; }
int CAT(PART, _works)(void)
{
    int failed = 0;
#ifdef DF_SERIAL
    CHECK(df_workers() == 1);
#else
    CHECK(df_workers() == 3);
#endif
    CHECK(fib(20) == 6765);
#ifndef FORKS
    {
        int x[N], i;
        long sum = 0, before = blocks;
        for (i = 0; i < N; i++) x[i] = -1000;
        DF_PARALLEL {
            for (i = 0; i < N; i++) df_submit(put, &x[i], i);
            for (i = 0; i < N; i++) df_submit(add, &x[i], &sum);
        }
        CHECK(sum == N * (N - 1) / 2);
        DF_ATOMIC df_tm_write(&blocks, df_tm_read(&blocks) + 1);
        CHECK(blocks == before + 1);
    }
#endif
    return failed;
}
