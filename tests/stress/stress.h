/* stress.h - what the stress tests share: time, and the number of CPUs */
#ifndef STRESS_H
#define STRESS_H

#include <sched.h>
#include <time.h>
#include <unistd.h>
#include "../test.h"

static inline double stress_now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double stress_end;

/* `prog SECONDS`. A run that hangs is killed by SIGALRM. */
static inline void stress_begin(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 5;
    stress_end = stress_now() + seconds;
    alarm((unsigned)seconds + 60);
}
static inline int stress_goes_on(void) { return stress_now() < stress_end; }

static inline int stress_cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 16 ? 16 : (int)n;
}

#endif
