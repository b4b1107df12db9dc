/* Kernels on devices: launches, resident data, transfers, data that do not fit. Sizes, checks, and main().
 *
 *   launch              small kernels in a chain on one buffer, per launch
 *   launch_wait         the same, with a wait after each
 *   axpy                y += a * x, data on the device, per element
 *   jacobi              sweeps over a square, back and forth between two buffers on the device, per cell
 *   matmul              the product of two matrices on the device, in tiles of shared memory, per multiplication
 *   to_device           the host changes memory and a kernel reads it: all of it goes there, per byte
 *   to_host             a kernel changes memory and the host reads it, per byte
 *   pinned_to_device    both in memory that the program pinned, where the system has that
 *   pinned_to_host
 *   outofcore           the product of matrices 4 times as large as the memory that the device may use, in tiles; the
 *                       systems
 *                       written by hand also do its transfers and its kernels alone: outofcore_transfers,
 *                           outofcore_kernels
 *   axpy_2              axpy on two devices, half of the elements each
 *
 * All numbers are such that no system rounds them differently. BENCH_SLOW=1: sizes for a device that is a processor.
 * BENCH_DEVICES=2: the workloads for two devices, and nothing else. The workers of a line are devices. */
#ifndef GPU_H
#define GPU_H
#include "bench.h"

enum { GROUP = 256, WIDE = 32, HIGH = 8, TILE = 16 };        /* items per group: of a line, of a square, of a product */
enum { CHAIN = 64, POKES = 64 };                                    /* items of a small kernel */
/* outofcore: rows of tiles; the number that fits on the device */
enum { TILES = 8, TILES_AT_ONCE = 3 * TILES * TILES / 4 };
enum { TRANSFERS = 1, KERNELS = 2 };                                /* of outofcore; one alone: where IN_PARTS */
#ifndef IN_PARTS
#define IN_PARTS 0
#endif

/* A square of n x n in a matrix whose rows are ld apart. */
struct square { float *p; long n, ld; };

/* Functions of a system. Each run waits for its results at the end. */
static int run_start(void);                                         /* the number of devices                       */
static void run_stop(void);
static void run_keep(void *p, size_t bytes, int devices);           /* the devices keep it, equal parts if several .. */
static void run_back(void *p, size_t bytes);                        /* .. until here; the host has it */
static int run_pin(void *p, size_t bytes);                          /* 0: the system has no such memory */
static void run_unpin(void *p);
static void run_limit(size_t bytes);                                /* of the device's memory; 0: none */
static void run_chain(uint32_t *x, long times, int wait);           /* x[i] = 3 * x[i] + k, i < CHAIN, k < times */
static void run_axpy(float a, float *x, float *y, long n, int devices, long times);
static void run_jacobi(float *from, float *to, long side, long sweeps);      /* an even number: the last is in `from` */
static void run_multiply(struct square a, struct square b, struct square c, long times);      /* c += a * b */
static void run_to_device(float *x, float *sum, long n, long times);             /* touch on the host, peek */
static void run_to_host(float *x, float *sum, long n, long times);               /* poke, look on the host */
static void run_outofcore(struct square a, struct square b, struct square c, long tile, int what);

/* The work of the host in to_device and to_host. */
static inline void touch_body(float *x, long n, long k)
{
    for (long i = 0; i < POKES; i++) x[i * (n / POKES)] += (float)(k + i);
}
static inline void look_body(const float *x, float *sum, long n)
{
    for (long i = 0; i < POKES; i++) *sum += x[i * (n / POKES)];
}

/* --- numbers, checksums ------------------------------------------------------------------------------------------- */

/* n small integers, so that sums of products are exact. */
static void fill(float *x, long n, uint64_t seed)
{
    for (long i = 0; i < n; i++) x[i] = (float)(bench_mix((uint64_t)i + (seed << 40)) % 8);
}
static float *numbers(long n, uint64_t seed)
{
    float *x = (float *)bench_alloc((size_t)n, sizeof *x);
    fill(x, n, seed);
    return x;
}
static uint64_t sum_of(const float *x, long n)
{
    uint64_t h = 0;
    for (long i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        h = h * 31 + bits;
    }
    return bench_mix(h);
}

/* --- each workload, timed once, after a short run that compiles the kernel and brings the data there -------------- */

static double seconds;
#define TIMED(run) (seconds = bench_now(), run, seconds = bench_now() - seconds)

static void line(const char *workload, long tasks, uint64_t checksum)
{
    bench_line(workload, BENCH_SYSTEM, seconds, tasks, checksum);
}

static void launches(const char *workload, long times, int wait)
{
    uint32_t x[CHAIN];
    uint64_t h = 0;
    if (!bench_wants(workload)) return;
    for (uint32_t i = 0; i < CHAIN; i++) x[i] = i;
    run_keep(x, sizeof x, 1);
    run_chain(x, 10, wait);
    TIMED(run_chain(x, times, wait));
    run_back(x, sizeof x);
    for (int i = 0; i < CHAIN; i++) h = h * 31 + x[i];
    line(workload, times, bench_mix(h));
}

static void axpy(const char *workload, long n, int devices, long times)
{
    if (!bench_wants(workload)) return;
    float *x = numbers(n, 1), *y = numbers(n, 2);
    size_t bytes = (size_t)n * sizeof *x;
    run_keep(x, bytes, devices);
    run_keep(y, bytes, devices);
    run_axpy(1, x, y, n, devices, 2);
    TIMED(run_axpy(2, x, y, n, devices, times));
    run_back(x, bytes);
    run_back(y, bytes);
    line(workload, n * times, sum_of(y, n));
    free(x);
    free(y);
}

static void jacobi(const char *workload, long side, long sweeps)
{
    if (!bench_wants(workload)) return;
    float *from = numbers(side * side, 3), *to = numbers(side * side, 4);
    size_t bytes = (size_t)(side * side) * sizeof *from;
    run_keep(from, bytes, 1);
    run_keep(to, bytes, 1);
    run_jacobi(from, to, side, 2);
    TIMED(run_jacobi(from, to, side, sweeps));
    run_back(from, bytes);
    run_back(to, bytes);
    line(workload, side * side * sweeps, sum_of(from, side * side) ^ sum_of(to, side * side));
    free(from);
    free(to);
}

static struct square square(long n, uint64_t seed)
{
    struct square s = { numbers(n * n, seed), n, n };
    return s;
}
static size_t bytes_of(struct square s) { return (size_t)(s.n * s.n) * sizeof *s.p; }

static void matmul(const char *workload, long n, long times)
{
    if (!bench_wants(workload)) return;
    struct square s[3] = { square(n, 5), square(n, 6), square(n, 7) };
    for (int i = 0; i < 3; i++) run_keep(s[i].p, bytes_of(s[i]), 1);
    run_multiply(s[0], s[1], s[2], 1);
    TIMED(run_multiply(s[0], s[1], s[2], times));
    for (int i = 0; i < 3; i++) run_back(s[i].p, bytes_of(s[i]));
    line(workload, n * n * n * times, sum_of(s[2].p, n * n));
    for (int i = 0; i < 3; i++) free(s[i].p);
}

static void transfers(const char *workload, void (*run)(float *, float *, long, long), long n, long times, int pinned)
{
    if (!bench_wants(workload)) return;
    float *x = numbers(n, 8), sum = 0;
    size_t bytes = (size_t)n * sizeof *x;
    if (!pinned || run_pin(x, bytes)) {
        run_keep(x, bytes, 1);
        if (run == run_to_device) run_keep(&sum, sizeof sum, 1);
        run(x, &sum, n, 2);
        TIMED(run(x, &sum, n, times));
        run_back(x, bytes);
        if (run == run_to_device) run_back(&sum, sizeof sum);
        if (pinned) run_unpin(x);
        line(workload, (long)bytes * times, sum_of(x, n) ^ sum_of(&sum, 1));
    }
    free(x);
}

static void outofcore(long tile)
{
    static const struct { const char *workload; int what; } way[] = {
        { "outofcore", TRANSFERS | KERNELS }, { "outofcore_transfers", TRANSFERS }, { "outofcore_kernels", KERNELS }
    };
    long n = TILES * tile;
    for (int w = 0; w < (IN_PARTS ? 3 : 1); w++) {
        if (!bench_wants("outofcore") && !bench_wants(way[w].workload)) continue;
        struct square s[3] = { square(n, 9), square(n, 10), square(n, 11) }, part[3];
        int pinned = 0;
        run_limit((size_t)(TILES_AT_ONCE * tile * tile) * sizeof *s[0].p);
        for (int i = 0; i < 3; i++) {
            pinned += run_pin(s[i].p, bytes_of(s[i]));
            part[i] = s[i];
            part[i].n = 2 * tile;
        }
        run_outofcore(part[0], part[1], part[2], tile, way[w].what);
        TIMED(run_outofcore(s[0], s[1], s[2], tile, way[w].what));
        line(way[w].workload, n * n * n, way[w].what == (TRANSFERS | KERNELS) ? sum_of(s[2].p, n * n) : 0);
        for (int i = 0; i < 3; i++) {
            if (i < pinned) run_unpin(s[i].p);
            free(s[i].p);
        }
        run_limit(0);
    }
}

int main(int argc, char **argv)
{
    int two = bench_env("BENCH_DEVICES", 1) == 2, devices;
    long cells = bench_size(1L << 26, 1L << 22, 1L << 14), times = bench_size(200, 40, 4),
        moved = bench_size(1L << 24, 1L << 24, 1L << 18);
    /* PoCL: so many devices, which share the processors */
    setenv("POCL_DEVICES", two ? "pthread pthread" : "pthread", 0);
    devices = run_start();
    if (!devices) {
        fprintf(stderr, "%s: there is no device\n", BENCH_SYSTEM);
        return 1;
    }
    bench_start(argc, argv, two ? 2 : 1);
    if (two) {
        if (devices >= 2) axpy("axpy_2", cells, 2, times);
        run_stop();
        return 0;
    }
    launches("launch", bench_size(10000, 10000, 200), 0);
    launches("launch_wait", bench_size(1000, 1000, 50), 1);
    axpy("axpy", cells, 1, times);
    jacobi("jacobi", bench_size(8192, 1024, 64), bench_size(100, 100, 6));
    matmul("matmul", bench_size(4096, 512, 64), bench_size(4, 4, 2));
    times = bench_size(50, 20, 3);
    transfers("to_device", run_to_device, moved, times, 0);
    transfers("to_host", run_to_host, moved, times, 0);
    transfers("pinned_to_device", run_to_device, moved, times, 1);
    transfers("pinned_to_host", run_to_host, moved, times, 1);
    outofcore(bench_size(1024, 128, 16));
    run_stop();
    return 0;
}
#endif
