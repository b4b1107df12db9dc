/* Data shared by tasks: many tasks that add to the same memory, and many that use it in turn. Sizes, data, bodies, and
 * main().
 *
 *   reduce      tasks that add a number to one variable
 *   histogram   tasks that count 4096 items each in the same 8192 bins
 *   commute     tasks that update one of 64 counters, in any order, one at a time
 *   fan         1 task writes a cell, 1000 read it, 1 writes it again, and so on
 *   pingpong    1 task writes a buffer of 64 KB, 4 read it, 1 writes it again, and so on; every task takes 20 us
 *
 * All tasks are submitted by one thread; the time covers submission, execution and the wait. All bodies do their
 * work, so that the checksum shows a lost update or a lost order. */
#ifndef SHARING_H
#define SHARING_H
#include "bench.h"

enum { BINS = 8192, ITEMS = 4096, COUNTERS = 64, LINE = 8, READERS = 1000, BUFFER = 8192, BUFFER_READERS = 4 };

/* Functions of a system. It may have another way to run some of the workloads: then OTHER_WAY is the suffix of its
 * name for that way, and each function is called twice, with way 0 and 1. A workload that is no different the other
 * way returns 0, else 1. */
static int way;
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static int run_reduce(long n);
static int run_histogram(long n);
static int run_commute(long n);
static int run_fan(long rounds);
static int run_pingpong(long rounds);

static uint64_t total;                                              /* of reduce */
static unsigned bin[BINS];
static unsigned short item[16 * ITEMS];                             /* task i: ITEMS of them from items(i) on */
static uint64_t counter[COUNTERS][LINE];                            /* a cache line each */
static uint64_t cell;                                               /* of fan */
static uint64_t seen[READERS];                               /* the sum of the values that reader i found in the cell */
static uint64_t buffer[BUFFER];
static uint64_t *sum;                                               /* by each reader of the buffer */

/* The bodies. ------------------------------------------------------------------------------------------------------ */

static inline const unsigned short *items(long i) { return item + i % 16 * ITEMS; }
static inline uint64_t *counter_of(long i) { return counter[bench_mix((uint64_t)i) % COUNTERS]; }

static inline void count_body(const unsigned short *p, unsigned *bins)
{
    for (int i = 0; i < ITEMS; i++) bins[p[i]]++;
}
static inline void write_cell_body(uint64_t *x) { *x = bench_mix(*x); }
static inline void read_cell_body(const uint64_t *x, uint64_t *s) { *s += *x; }

/* A body of pingpong waits for the clock: 20 us on any machine and beside any other workers. So the concurrency,
 * body time by wall-clock time, is 20 us by the time per task. */
static inline double body_end(void) { return bench_now() + 20e-6; }
static inline void wait_for(double end) { while (bench_now() < end) {} }
static inline void write_buffer_body(uint64_t *b, long round)
{
    double end = body_end();
    for (uint64_t i = 0; i < BUFFER; i++) b[i] = i * (uint64_t)round;
    wait_for(end);
}
static inline void read_buffer_body(const uint64_t *b, uint64_t *s)
{
    double end = body_end();
    for (int i = 0; i < BUFFER; i++) *s += b[i];
    wait_for(end);
}

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

#ifndef OTHER_WAY
#define OTHER_WAY ""
#endif

static void sharing(const char *workload, int (*run)(long), long n, long tasks, const void *result, size_t bytes)
{
    if (!bench_wants(workload)) return;
    total = cell = 0;
    memset(bin, 0, sizeof bin);
    memset(counter, 0, sizeof counter);
    memset(seen, 0, sizeof seen);
    double start = bench_now();
    if (!run(n)) return;
    double seconds = bench_now() - start;
    uint64_t check = 0;
    for (size_t i = 0; i < bytes; i++) check = bench_mix(check + ((const unsigned char *)result)[i]);
    bench_line(workload, way ? BENCH_SYSTEM OTHER_WAY : BENCH_SYSTEM, seconds, tasks, check);
}

int main(int argc, char **argv)
{
    /* gcc's OpenMP needs a time that grows with the square of the rounds: half an hour for 1000 of fan with one
     * thread */
    long n = bench_size(1000000, 200000, 20000), counts = bench_size(2000, 2000, 200);
    long fans = bench_size(1000, 20, 20), rounds = bench_size(2000, 200, 200);
    sum = (uint64_t *)bench_alloc((size_t)rounds * BUFFER_READERS, sizeof *sum);
    for (uint64_t i = 0; i < 16 * ITEMS; i++) item[i] = (unsigned short)(bench_mix(i) % BINS);
    for (way = 0; way < (*OTHER_WAY ? 2 : 1); way++) {
        bench_start(argc, argv, run_start());
        run_reduce(n / 10);                                         /* wakes the workers */
        sharing("reduce", run_reduce, n, n, &total, sizeof total);
        sharing("histogram", run_histogram, counts, counts, bin, sizeof bin);
        sharing("commute", run_commute, n, n, counter, sizeof counter);
        sharing("fan", run_fan, fans, fans * (READERS + 1), seen, sizeof seen);
        memset(sum, 0, (size_t)rounds * BUFFER_READERS * sizeof *sum);
        sharing("pingpong", run_pingpong, rounds, rounds * (BUFFER_READERS + 1), sum,
                (size_t)rounds * BUFFER_READERS * sizeof *sum);
        run_stop();
    }
    free(sum);
    return 0;
}
#endif
