/* Streams: the cost of a window, and a bank of filters. Sizes, bodies, and main().
 *
 *   stream_1      windows of 1 element from one producer to one consumer, per window
 *   stream_16     windows of 16 elements, of which the bodies touch one
 *   stream_256    windows of 256 elements, of which the bodies touch one
 *   stream_bank   samples in blocks of 256, all of them to each of 8 filters of 64 taps, whose results are added up
 *                 with a gain for each; per task: 1 source, 8 filters and 1 sum per block
 *
 * At most CAPACITY windows, or BLOCKS blocks, are on their way. */
#ifndef STREAMS_H
#define STREAMS_H
#include "bench.h"

enum { CAPACITY = 256, SEEN = 2 * CAPACITY };
enum { BANDS = 8, TAPS = 64, PAST = TAPS - 1, BLOCK = 256, BLOCKS = 16 };

/* Functions of a system. It may have several ways: WAYS then holds a suffix of the system's name for each. */
static int way;
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static void run_windows(long n, int burst);                      /* put_body(i, w), take_body(i, w) for windows i < n */
static void run_bank(long blocks);                                  /* see below */

static uint64_t seen[SEEN];                                         /* by the consumers */
static int *input;                                                  /* PAST zeros, then the samples */
static int64_t *output;                                             /* of the bank: as many */
static int tap[BANDS][TAPS], gain[BANDS];

/* The bodies. ------------------------------------------------------------------------------------------------------ */

static inline void put_body(long i, uint64_t *window) { window[0] = (uint64_t)i * 3; }

/* Window i has a place that it shares with those that cannot be on their way at the same time. */
static inline void take_body(long i, const uint64_t *window)
{
    uint64_t *s = &seen[i % SEEN];
    *s = *s * 31 + window[0];
}

/* n samples from one place to another. */
static inline void source_body(long n, const int *from, int *to) { memcpy(to, from, (size_t)n * sizeof *to); }

/* A block of band b, from PAST samples and the BLOCK that follow them. */
__attribute__((noinline)) static void filter_body(int b, const int *from, int64_t *to)
{
    for (int i = 0; i < BLOCK; i++) {
        int64_t sum = 0;
        for (int k = 0; k < TAPS; k++) sum += (int64_t)tap[b][k] * from[i + k];
        to[i] = sum;
    }
}

/* A block of the output, from one of each band. */
__attribute__((noinline)) static void sum_body(const int64_t *const *band, int64_t *to)
{
    for (int i = 0; i < BLOCK; i++) {
        to[i] = 0;
        for (int b = 0; b < BANDS; b++) to[i] += gain[b] * band[b][i];
    }
}

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

#ifndef WAYS
#define WAYS ""
#endif
static const char *const way_name[] = { WAYS };

static void line(const char *workload, double seconds, long tasks, uint64_t checksum)
{
    char system[64];
    snprintf(system, sizeof system, "%s%s", BENCH_SYSTEM, way_name[way]);
    bench_line(workload, system, seconds, tasks, checksum);
}

static void windows(const char *workload, long n, int burst)
{
    if (!bench_wants(workload)) return;
    memset(seen, 0, sizeof seen);
    double start = bench_now();
    run_windows(n, burst);
    double seconds = bench_now() - start;
    uint64_t check = 0;
    for (int i = 0; i < SEEN; i++) check = bench_mix(check + seen[i]);
    line(workload, seconds, n, check);
}

static void bank(const char *workload, long blocks)
{
    if (!bench_wants(workload)) return;
    memset(output, 0, (size_t)(blocks * BLOCK) * sizeof *output);
    double start = bench_now();
    run_bank(blocks);
    double seconds = bench_now() - start;
    uint64_t check = 0;
    for (long i = 0; i < blocks * BLOCK; i++) check = check * 31 + (uint64_t)output[i];
    line(workload, seconds, blocks * (BANDS + 2), check);
}

int main(int argc, char **argv)
{
    long n = bench_size(4000000, 4000000, 20000), blocks = bench_size(2000, 2000, 100);
    input = (int *)bench_alloc((size_t)(PAST + blocks * BLOCK), sizeof *input);
    output = (int64_t *)bench_alloc((size_t)(blocks * BLOCK), sizeof *output);
    for (long i = 0; i < blocks * BLOCK; i++) input[PAST + i] = (int)(bench_mix((uint64_t)i) % 256) - 128;
    for (int b = 0; b < BANDS; b++) {
        gain[b] = b + 1;
        for (int k = 0; k < TAPS; k++) tap[b][k] = (int)(bench_mix((uint64_t)(b * TAPS + k)) % 2000) - 1000;
    }
    for (way = 0; way < (int)(sizeof way_name / sizeof *way_name); way++) {
        bench_start(argc, argv, run_start());
        run_bank(20);                                               /* wakes the workers */
        windows("stream_1", n, 1);
        windows("stream_16", n, 16);
        windows("stream_256", n, 256);
        bank("stream_bank", blocks);
        run_stop();
    }
    free(input);
    free(output);
    return 0;
}
#endif
