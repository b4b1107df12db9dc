/* The common part of all benchmark programs: a clock, the choice of sizes and workloads, one line of output per result.
 *
 * Every program prints lines of six words
 *
 *     workload system workers seconds tasks checksum
 *
 * and takes the names of the workloads to run as arguments (none: all of them). Environment:
 *
 *     BENCH_QUICK=1      sizes for a look or a test, not for a measurement
 *     BENCH_SLOW=1       the sizes of the systems that need 50 ns or more per task
 *     BENCH_CHECK=1      dataflow bodies compute something, so that a lost order shows in the checksum
 *     BENCH_WORKERS=n    workers of the systems without a variable of their own (df has DF_WORKERS, OpenMP
 *                        OMP_NUM_THREADS)
 *
 * Define BENCH_SYSTEM as a string, and include this file before any other. */
#ifndef BENCH_H
#define BENCH_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef BENCH_SYSTEM
#define BENCH_SYSTEM "unnamed"
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int bench_argc, bench_used_workers, bench_check;
static char **bench_argv;

/* Seconds since some fixed moment. */
static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline long bench_env(const char *name, long otherwise)
{
    const char *s = getenv(name);
    return s && *s ? strtol(s, NULL, 10) : otherwise;
}

/* The size to run: of a fast system, of a slow one, of a quick look. */
static inline long bench_size(long fast, long slow, long quick)
{
    return bench_env("BENCH_QUICK", 0) ? quick : bench_env("BENCH_SLOW", 0) ? slow : fast;
}

/* The number of workers asked for, for systems that do not read an environment variable themselves. */
static inline int bench_workers(void)
{
    long n = bench_env("BENCH_WORKERS", sysconf(_SC_NPROCESSORS_ONLN));
    return n < 1 ? 1 : (int)n;
}

/* x, of which the compiler knows nothing, so that it cannot move, merge or drop computations with it. Without tasks
 * a workload is a function without side effects, and compilers do that with calls of those. */
static inline long bench_opaque(long x)
{
    volatile long v = x;
    return v;
}

/* A 64-bit mixing function (the finaliser of splitmix64): every bit of the result depends on every bit of x. */
static inline uint64_t bench_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Memory for n elements of size bytes, zeroed and touched; ends the program when there is none. */
static inline void *bench_alloc(size_t n, size_t size)
{
    void *p = malloc(n * size);
    if (!p) { fprintf(stderr, "bench: no memory for %zu elements\n", n); exit(1); }
    return memset(p, 0, n * size);
}

static inline void bench_start(int argc, char **argv, int workers)
{
    bench_argc = argc;
    bench_argv = argv;
    bench_used_workers = workers;
    bench_check = bench_env("BENCH_CHECK", 0) != 0;
}

/* Was this workload asked for? */
static inline int bench_wants(const char *workload)
{
    for (int i = 1; i < bench_argc; i++)
        if (!strcmp(bench_argv[i], workload)) return 1;
    return bench_argc <= 1;
}

static inline void bench_line(const char *workload, const char *system, double seconds, long tasks, uint64_t checksum)
{
    printf("%s %s %d %.6f %ld %016llx\n", workload, system, bench_used_workers, seconds, tasks,
           (unsigned long long)checksum);
    fflush(stdout);
}

#endif
