/* METG, the minimum effective task granularity (Task Bench): how short may tasks be? Patterns, bodies, and main().
 *
 * Step t of a pattern is a row of `width` tasks; each writes its own cell, from cells of the step before:
 *
 *   trivial    from none
 *   stencil    from 3 neighbours, itself among them
 *   nearest    from 5
 *   fft        from itself and the two at a distance of 1, 2, 4, .. in turn
 *   spread     from 4, spread over the row, others in each step
 *
 * There are two rows of cells, so that a task also waits for the readers of its cell. One thread submits all tasks; the
 * time is that of submitting, running and waiting. Bodies spin: dependent multiplications for 0 to 12,800 ns. The same
 * bodies in plain calls, measured in the same process in between, are printed as system NAME-body: that is the work, so
 * the efficiency is its time / (workers * the time of the tasks), and METG the body at which it reaches one half. */
#ifndef METG_H
#define METG_H
#include "bench.h"

enum { TRIVIAL, STENCIL, NEAREST, FFT, SPREAD, PATTERNS, WIDTH_MAX = 32, INPUTS_MAX = 5, BLOCKS = 3 };

struct cell { uint32_t value; char rest[60]; };                     /* a cache line each */
static struct cell row[2][WIDTH_MAX] __attribute__((aligned(64)));
static int width;
static long spins;                                                  /* of each body */

/* Functions of a system. metg_block: `steps` steps of a pattern, until all tasks are done. */
static int metg_start(void);                                        /* starts the workers; says how many */
static void metg_stop(void);
static void metg_pattern(int pattern, int steps);                   /* other blocks follow */
static void metg_block(int pattern, int steps);

static inline uint32_t metg_spin(uint32_t x)
{
    for (long i = 0; i < spins; i++) {
        x = x * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

/* The body: with n inputs. */
static inline void metg_body(uint32_t *out, int n, const uint32_t *const *in)
{
    uint32_t x = n ? 0 : 1;
    for (int i = 0; i < n; i++) x = 31 * x + *in[i];
    *out = metg_spin(x);
}

static inline uint32_t *metg_out(int t, int i) { return &row[t % 2][i].value; }

/* The inputs of task i of step t: how many. */
static inline int metg_inputs(int pattern, int t, int i, uint32_t **in)
{
    int n = 0, reach, levels = 0;
    if (t == 0) return 0;
    switch (pattern) {
    case STENCIL:
    case NEAREST:
        reach = pattern == STENCIL ? 1 : 2;
        for (int k = i - reach; k <= i + reach; k++)
            if (k >= 0 && k < width) in[n++] = metg_out(t - 1, k);
        break;
    case FFT:
        while (2 << levels < width) levels++;
        reach = 1 << (t - 1) % (levels + 1);
        for (int k = i - reach; k <= i + reach; k += reach)
            if (k >= 0 && k < width) in[n++] = metg_out(t - 1, k);
        break;
    case SPREAD:
        for (int k = 0; k < 4; k++) in[n++] = metg_out(t - 1, (i + k * width / 4 + (k ? t - 1 : 0)) % width);
        break;
    default: break;
    }
    return n;
}

/* The same in plain calls. */
static void metg_plain(int pattern, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < width; i++) {
            uint32_t *in[INPUTS_MAX];
            int n = metg_inputs(pattern, t, i, in);
            metg_body(metg_out(t, i), n, (const uint32_t *const *)in);
        }
}

static double metg_time(void (*run)(int, int), int pattern, int steps)
{
    double t = bench_now();
    run(pattern, steps);
    return bench_now() - t;
}

static int metg_less(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Spins a nanosecond, the best of some tries. */
static double metg_calibrate(void)
{
    double best = 1;
    spins = 200000;
    for (int i = 0; i < 20; i++) {
        double t = bench_now();
        row[0][0].value = metg_spin(1);
        t = bench_now() - t;
        if (t < best) best = t;
    }
    return (double)spins / best * 1e-9;
}

int main(int argc, char **argv)
{
    static const char *const names[PATTERNS] = { "trivial", "stencil", "nearest", "fft", "spread" };
    static const int bodies[] = { 0, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800 };
    const double rate = metg_calibrate();
    const int quick = bench_size(0, 0, 1) != 0, tasks = (int)bench_size(4000, 1000, 1000);
    bench_start(argc, argv, metg_start());
    for (int p = 0; p < PATTERNS; p++)
        for (width = 8; width <= WIDTH_MAX; width *= 4)
            for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
                char name[64], system[64];
                double time[BLOCKS], plain[BLOCKS];
                const int steps = (bodies[b] > 1600 ? 1000 : tasks) / width;
                uint64_t checksum = 0;
                if (bodies[b] > 200 && (quick || bench_check)) break;
                snprintf(name, sizeof name, "%s_%d", names[p], width);
                if (!bench_wants(name)) break;
                snprintf(name, sizeof name, "%s_%d_%d", names[p], width, bodies[b]);
                snprintf(system, sizeof system, "%s-body", BENCH_SYSTEM);
                spins = bench_check ? bodies[b] / 50 : (long)(bodies[b] * rate + 0.5);
                memset(row, 0, sizeof row);
                metg_pattern(p, steps);
                for (int k = 0; k < BLOCKS; k++) {
                    plain[k] = metg_time(metg_plain, p, steps);
                    time[k] = metg_time(metg_block, p, steps);
                }
                for (int i = 0; bench_check && i < width; i++)
                    checksum = bench_mix(checksum + row[0][i].value + 3 * (uint64_t)row[1][i].value);
                qsort(time, BLOCKS, sizeof *time, metg_less);
                qsort(plain, BLOCKS, sizeof *plain, metg_less);
                bench_line(name, BENCH_SYSTEM, time[BLOCKS / 2], (long)steps * width, checksum);
                bench_line(name, system, plain[BLOCKS / 2], (long)steps * width, 0);
            }
    metg_stop();
    return 0;
}
#endif
