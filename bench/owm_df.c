/* The cost of ownership: nothing in a release build, and with DF_CHECK (system df-check) page protection and a
 * comparison.
 *
 *   owm_tiles           product of matrices: 64 x 64 tiles, 512 tasks of some 30 us that acquire three tiles (48 KiB)
 *                       each
 *   owm_stencil_128k    4 MiB swept 200 times by a filter of five points; a task acquires 128 KiB twice, and does four
 *                       operations for what it loads
 *   owm_stencil_32k     the same with 32 KiB
 *
 * The unit is a task. Bytes of parameter `order` order the tasks: ownership does not. */
#include "bench.h"
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_owm.h"

enum { TILE = 64, CELLS = 1 << 20, SWEEPS = 200, REACH = 2 };

DF_TASK(void, tile, df_inout(char, order, 1), df_owm_in(float, a, TILE * TILE), df_owm_in(float, b, TILE * TILE),
        df_owm_inout(float, c, TILE * TILE));
void tile(char *order, const float *a, const float *b, float *c)
{
    (void)order;
    for (int i = 0; i < TILE; i++)
        for (int k = 0; k < TILE; k++)
            for (int j = 0; j < TILE; j++) c[i * TILE + j] += a[i * TILE + k] * b[k * TILE + j];
}

/* order: three bytes of the sweep before, for this block and its neighbours; done: of this sweep. */
DF_TASK(void, sweep, df_in(char, order, 3), df_inout(char, done, 1), (long, n), df_owm_in(float, from, n + 2 * REACH),
        df_owm_out(float, to, n));
void sweep(const char *order, char *done, long n, const float *from, float *to)
{
    (void)order, (void)done;
    for (long i = 0; i < n; i++) to[i] = 0.2f * (from[i] + from[i + 1] + from[i + 2] + from[i + 3] + from[i + 4]);
}

static uint64_t sum_of(const float *x, long n)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum += bench_mix((uint64_t)i << 32 ^ bits);
    }
    return sum;
}

static float *owned(long n)
{
    float *x = (float *)df_owm_alloc((size_t)n * sizeof *x);
    if (!x) exit(1);
    return x;
}

static void tiles(long n) /* tiles in a row */
{
    long size = TILE * TILE;
    float *m = owned(3 * n * n * size), *a = m, *b = a + n * n * size, *c = b + n * n * size;
    char *order = (char *)bench_alloc((size_t)(n * n), 1);
    df_owm_acquire(m, (size_t)(3 * n * n * size) * sizeof *m, DF_OWM_W);
    for (long i = 0; i < n * n * size; i++) a[i] = (float)(i % 7), b[i] = (float)(i % 5), c[i] = 0;
    df_owm_release(m, (size_t)(3 * n * n * size) * sizeof *m);
    double start = bench_now();
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                df_submit(tile, &order[i * n + j], a + (i * n + k) * size, b + (k * n + j) * size,
                          c + (i * n + j) * size);
    df_wait();
    double seconds = bench_now() - start;
    df_owm_acquire(c, (size_t)(n * n * size) * sizeof *c, DF_OWM_R);
    bench_line("owm_tiles", BENCH_SYSTEM, seconds, n * n * n, sum_of(c, n * n * size));
    df_owm_release(c, (size_t)(n * n * size) * sizeof *c);
    df_owm_free(m);
    free(order);
}

static void stencil(const char *workload, long cells, long block)
{
    long blocks = cells / block, all = cells + 2 * REACH;
    float *x[2] = { owned(all), owned(all) };
    char *order = (char *)bench_alloc((size_t)(SWEEPS + 1) * (size_t)(blocks + 2), 1);
    for (int m = 0; m < 2; m++) {
        df_owm_acquire(x[m], (size_t)all * sizeof(float), DF_OWM_W);
        for (long i = 0; i < all; i++) x[m][i] = i < REACH || i >= all - REACH ? 0 : (float)(i % 11);
        df_owm_release(x[m], (size_t)all * sizeof(float));
    }
    double start = bench_now();
    for (int s = 0; s < SWEEPS; s++)
        for (long b = 0; b < blocks; b++) {
            char *before = order + s * (blocks + 2) + b;
            df_submit(sweep, before, before + blocks + 3, block, x[s % 2] + b * block,
                      x[(s + 1) % 2] + REACH + b * block);
        }
    df_wait();
    double seconds = bench_now() - start;
    df_owm_acquire(x[SWEEPS % 2], (size_t)all * sizeof(float), DF_OWM_R);
    bench_line(workload, BENCH_SYSTEM, seconds, SWEEPS * blocks, sum_of(x[SWEEPS % 2], all));
    df_owm_release(x[SWEEPS % 2], (size_t)all * sizeof(float));
    for (int m = 0; m < 2; m++) df_owm_free(x[m]);
    free(order);
}

int main(int argc, char **argv)
{
    long cells = bench_size(CELLS, CELLS, CELLS / 8);
    df_start(NULL);
    bench_start(argc, argv, df_workers());
    if (bench_wants("owm_tiles")) tiles(bench_size(8, 8, 2));
    if (bench_wants("owm_stencil_128k")) stencil("owm_stencil_128k", cells, 128 * 1024 / (long)sizeof(float));
    if (bench_wants("owm_stencil_32k")) stencil("owm_stencil_32k", cells, 32 * 1024 / (long)sizeof(float));
    df_stop();
    return 0;
}
