/* Pipelines: the cost of a stage, and stages that take time. Sizes, bodies, and main().
 *
 *   pipe_memory       pipe_3 with ten times as many items
 *   pipe_3            serial, parallel, serial; per stage of an item, as below
 *   pipe_serial_8     8 serial stages
 *   pipe_parallel_8   8 parallel stages between two serial ones
 *   pipe_1us          serial, parallel, serial; the parallel one takes about 1 us
 *   pipe_10us         the same with 10 us
 *   pipe_uneven       the same with 0 to 20 us, not known in advance
 *
 * An item is a number. A parallel stage changes it; a serial one also mixes it into a number of its own, so that the
 * checksum shows items that came in another order, and whether the program took MOST_KIB more memory meanwhile. All
 * serial stages are in order. At most WINDOW items per worker are in flight. */
#ifndef PIPES_H
#define PIPES_H
#include "bench.h"
#include <sys/resource.h>

enum { WINDOW = 4, STAGES = 8, LINE = 8, MOST_KIB = 4096 };         /* WINDOW is df's default */
enum { STEPS_1US = 740, STEPS_10US = 7400 };                        /* of step(), on the CPU of README.md */

/* Functions of a system. n items, of which item i begins as begin_body(i). */
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static void run_three(long n);                                      /* begin_body, middle_body, serial_body(1, x) */
static void run_serial(long n);                                     /* begin_body, serial_body(1 .. STAGES - 1, x) */
static void run_parallel(long n);                             /* begin_body, STAGES of middle_body, serial_body(1, x) */

static uint64_t state[STAGES][LINE];                                /* of the serial stages, a cache line each */
static long least_steps, more_steps;                                /* of the middle stage: the latter, up to so many */
static long window;

/* The bodies. ------------------------------------------------------------------------------------------------------ */

static inline uint64_t serial_body(int stage, uint64_t x)
{
    state[stage][0] = state[stage][0] * 31 + x;
    return x + 1;
}
static inline uint64_t begin_body(long i) { return serial_body(0, (uint64_t)i); }

static inline uint64_t middle_body(uint64_t x)
{
    long steps = least_steps;
    if (more_steps) steps += (long)(bench_mix(x) % (uint64_t)more_steps);
    for (long k = 0; k < steps; k++) x = (x ^ (x >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    return x + 2;
}

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

static long most_memory(void)                                       /* KiB in use at the same time until now */
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_maxrss;
}

static void pipes(const char *workload, void (*run)(long), long n, int stages, long least, long more)
{
    if (!bench_wants(workload)) return;
    memset(state, 0, sizeof state);
    least_steps = least;
    more_steps = more;
    long kib = most_memory();
    double start = bench_now();
    run(n);
    double seconds = bench_now() - start;
    uint64_t check = most_memory() - kib > MOST_KIB;
    for (int s = 0; s < STAGES; s++) check = bench_mix(check + state[s][0]);
    bench_line(workload, BENCH_SYSTEM, seconds, n * stages, check);
}

int main(int argc, char **argv)
{
    long empty = bench_size(1000000, 1000000, 10000), us1 = bench_size(200000, 200000, 5000);
    long us10 = bench_size(20000, 20000, 1000);
    bench_start(argc, argv, run_start());
    window = (long)WINDOW * bench_used_workers;
    least_steps = STEPS_1US;
    run_three(1000);                                                /* wakes the workers */
    pipes("pipe_memory", run_three, empty * 10, 3, 0, 0);           /* first: later, memory of others could be used */
    pipes("pipe_3", run_three, empty, 3, 0, 0);
    pipes("pipe_serial_8", run_serial, empty, STAGES, 0, 0);
    pipes("pipe_parallel_8", run_parallel, empty, STAGES + 2, 0, 0);
    pipes("pipe_1us", run_three, us1, 3, STEPS_1US, 0);
    pipes("pipe_10us", run_three, us10, 3, STEPS_10US, 0);
    pipes("pipe_uneven", run_three, us10, 3, 0, 2 * STEPS_10US);
    run_stop();
    return 0;
}
#endif
