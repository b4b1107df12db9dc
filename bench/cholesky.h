/* Tiled Cholesky factorisation with real kernels: the matrix, the check and main(). The matrix is row-major and not
 * packed into tiles; the kernels are those of examples/cholesky. A system defines run_cholesky().
 *
 * Updates of a tile are ordered, so the result has the same bits with every system and number of workers: the checksum
 * is a hash of the factor, and 0 if L L^T x is not A x. BENCH_N and BENCH_TILE change the order (4096) and tile size
 * (128).
 *
 * CHOLESKY_ON_DEVICE: the matrix is brought to a device before the clock starts and back when it has stopped. Libraries
 * of a device round as they like: the checksum is 1 for a factor. The order is 16384, the tile size 1024. */
#ifndef CHOLESKY_H
#define CHOLESKY_H
#include "bench.h"
#include "../examples/cholesky/kernels.h"

static int run_start(void);                                         /* starts the workers, or devices; says how many */
static void run_stop(void);
static void run_cholesky(double *a, size_t n, size_t size);         /* in tiles of size x size; size divides n */
#if defined(CHOLESKY_ON_DEVICE)
static void run_bring(double *a, size_t n, size_t size);
static void run_back(double *a, size_t n);
enum { ORDER = 16384, TILE = 1024, QUICK_ORDER = 1024, QUICK_TILE = 256 };
#else
enum { ORDER = 4096, TILE = 128, QUICK_ORDER = 512, QUICK_TILE = 64 };
#endif

static size_t bad_column;                                           /* of potrf; stays 0 */

/* Element (i, j) of the test matrix: random in [-1, 1], n added on the diagonal. */
static inline double element(size_t i, size_t j, size_t n)
{
    uint64_t low = i < j ? i : j, high = i < j ? j : i;
    double x = (double)(bench_mix(high << 32 | low) >> 11) * 0x1p-52 - 1;
    return i == j ? x + (double)n : x;
}

/* Is L L^T x = A x for some x, L being the lower triangle of a? */
static int is_factor(const double *a, size_t n)
{
    double *x = (double *)bench_alloc(3 * n, sizeof *x), *y = x + n, *z = y + n, worst = 0;
    for (size_t i = 0; i < n; i++) x[i] = 1 + (double)(i % 7);
    for (size_t i = 0; i < n; i++)                                  /* y = L^T x */
        for (size_t j = 0; j <= i; j++) y[j] += a[i * n + j] * x[i];
    for (size_t i = 0; i < n; i++)                                  /* z = L y */
        for (size_t j = 0; j <= i; j++) z[i] += a[i * n + j] * y[j];
    for (size_t i = 0; i < n; i += 1 + n / 64) {                    /* some rows of A x */
        double s = 0;
        for (size_t j = 0; j < n; j++) s += element(i, j, n) * x[j];
        double error = (s - z[i]) / (double)n;
        worst = error > worst ? error : -error > worst ? -error : worst;
    }
    free(x);
    return worst < 1e-10;
}

int main(int argc, char **argv)
{
    size_t size = (size_t)bench_env("BENCH_TILE", bench_size(TILE, TILE, QUICK_TILE));
    size_t n = (size_t)bench_env("BENCH_N", bench_size(ORDER, ORDER, QUICK_ORDER)) / size * size;
    long tiles = (long)(n / size);
    char name[32];
    snprintf(name, sizeof name, "cholesky%zu", n);
    int workers = run_start();
    if (!workers) return 1;                                         /* a line has named the missing part */
    double *a = (double *)bench_alloc(n * n, sizeof *a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) a[i * n + j] = element(i, j, n);
    bench_start(argc, argv, workers);
#if defined(CHOLESKY_ON_DEVICE)
    if (!bench_wants(name)) return run_stop(), 0;
    double *small = (double *)bench_alloc(4 * size * size, sizeof *small);
    for (size_t i = 0; i < 2 * size; i++) small[i * 2 * size + i] = 1;
    run_bring(small, 2 * size, size);                               /* the libraries load their kernels */
    run_cholesky(small, 2 * size, size);
    run_back(small, 2 * size);
    free(small);
    run_bring(a, n, size);
#endif
    double t = bench_now();
    run_cholesky(a, n, size);
    t = bench_now() - t;
#if defined(CHOLESKY_ON_DEVICE)
    run_back(a, n);
#endif
    run_stop();
    uint64_t sum = 0, bits;
#if defined(CHOLESKY_ON_DEVICE)
    (void)bits, sum = 1;
#else
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) memcpy(&bits, &a[i * n + j], sizeof bits), sum = bench_mix(sum + bits);
#endif
    bench_line(name, BENCH_SYSTEM, t, tiles * (tiles + 1) * (tiles + 2) / 6, bad_column || !is_factor(a, n) ? 0 : sum);
    free(a);
    return 0;
}
#endif
