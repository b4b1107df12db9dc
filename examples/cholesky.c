/* Cholesky factorization A = L L^T of a dense symmetric positive definite matrix, on all cores.
 *
 * The matrix stays where it is, row by row, unpacked: a task works on tiles of it and declares them
 * as two-dimensional regions with a leading dimension. `factorize` submits the tasks in the order
 * of a sequential program, and their declarations are all that makes them run in parallel. The tile
 * kernels in cholesky/kernels.c are ordinary functions; with -DUSE_CBLAS, three of the four are
 * those of the BLAS installed on the machine instead. Source: X-Kaapi report RT-0418, section 5.2.
 *
 *     cc -std=c11 -O3 -march=native -o cholesky examples/cholesky.c examples/cholesky/[a-z]*.c \
 *        -lm -pthread                                          (-DUSE_CBLAS: and -lopenblas)
 *     ./cholesky -n 4096
 *     ./cholesky FILE.mtx
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cholesky/covariance.h"
#include "cholesky/kernels.h"
#include "cholesky/mtx.h"
#include "cholesky/residual.h"

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

/* --- tasks: the declarations ------------------------------------------------------------------ */

DF_TASK(void, potrf, (size_t, n), df_inout2(double, a, n, n, lda), (size_t, lda),
        (size_t, first), df_inout(size_t, bad_column, 1));

DF_TASK(void, residual_rows, (size_t, first), (size_t, rows),
        df_in2(double, l, first + rows, first + rows, ld),
        df_in2(double, a, first + rows, first + rows, ld), (size_t, ld),
        (double, unit), df_out(double, norms, 2));

#ifndef USE_CBLAS

DF_TASK(void, trsm, (size_t, m), (size_t, n), df_in2(double, l, n, n, ldl), (size_t, ldl),
        df_inout2(double, b, m, n, ldb), (size_t, ldb));

DF_TASK(void, syrk, (size_t, n), (size_t, k), df_in2(double, a, n, k, lda), (size_t, lda),
        df_inout2(double, c, n, n, ldc), (size_t, ldc));

DF_TASK(void, gemm, (size_t, m), (size_t, n), (size_t, k), df_in2(double, a, m, k, lda),
        (size_t, lda), df_in2(double, b, n, k, ldb), (size_t, ldb),
        df_inout2(double, c, m, n, ldc), (size_t, ldc));

static void submit_trsm(size_t m, size_t n, const double *l, double *b, size_t ld)
{
    df_submit(trsm, m, n, l, ld, b, ld);
}

static void submit_syrk(size_t n, size_t k, const double *a, double *c, size_t ld)
{
    df_submit(syrk, n, k, a, ld, c, ld);
}

static void submit_gemm(size_t m, size_t n, size_t k, const double *a, const double *b, double *c,
                        size_t ld)
{
    df_submit(gemm, m, n, k, a, ld, b, ld, c, ld);
}

static void use_one_thread_per_task(void) {}

#else

#include <cblas.h>

DF_TASK(void, cblas_dtrsm, (CBLAS_LAYOUT, layout), (CBLAS_SIDE, side), (CBLAS_UPLO, uplo),
        (CBLAS_TRANSPOSE, trans), (CBLAS_DIAG, diag), (int, m), (int, n), (double, alpha),
        df_in2(double, a, n, n, lda), (int, lda), df_inout2(double, b, m, n, ldb), (int, ldb));

DF_TASK(void, cblas_dsyrk, (CBLAS_LAYOUT, layout), (CBLAS_UPLO, uplo), (CBLAS_TRANSPOSE, trans),
        (int, n), (int, k), (double, alpha), df_in2(double, a, n, k, lda), (int, lda),
        (double, beta), df_inout2(double, c, n, n, ldc), (int, ldc));

DF_TASK(void, cblas_dgemm, (CBLAS_LAYOUT, layout), (CBLAS_TRANSPOSE, trans_a),
        (CBLAS_TRANSPOSE, trans_b), (int, m), (int, n), (int, k), (double, alpha),
        df_in2(double, a, m, k, lda), (int, lda), df_in2(double, b, n, k, ldb), (int, ldb),
        (double, beta), df_inout2(double, c, m, n, ldc), (int, ldc));

static void submit_trsm(size_t m, size_t n, const double *l, double *b, size_t ld)
{
    df_submit(cblas_dtrsm, CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
              (int)m, (int)n, 1.0, l, (int)ld, b, (int)ld);
}

static void submit_syrk(size_t n, size_t k, const double *a, double *c, size_t ld)
{
    df_submit(cblas_dsyrk, CblasRowMajor, CblasLower, CblasNoTrans,
              (int)n, (int)k, -1.0, a, (int)ld, 1.0, c, (int)ld);
}

static void submit_gemm(size_t m, size_t n, size_t k, const double *a, const double *b, double *c,
                        size_t ld)
{
    df_submit(cblas_dgemm, CblasRowMajor, CblasNoTrans, CblasTrans,
              (int)m, (int)n, (int)k, -1.0, a, (int)ld, b, (int)ld, 1.0, c, (int)ld);
}

void openblas_set_num_threads(int) __attribute__((weak));   /* other libraries lack it */

static void use_one_thread_per_task(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}

#endif

/* --- tasks: the algorithms -------------------------------------------------------------------- */

typedef struct {
    size_t n, ld;   /* n x n elements, rows ld elements apart */
    double *a;
} matrix;

static double *at(const matrix *m, size_t i, size_t j)
{
    return m->a + i * m->ld + j;
}

/* Puts L in place of the lower triangle. Returns 0, or else the column, counted from 1, of the
 * first pivot that is not positive. */
static size_t factorize(const matrix *m, size_t tile)
{
    size_t n = m->n, ld = m->ld, bad_column = 0;
    DF_PARALLEL {
        for (size_t k = 0; k < n; k += tile) {
            size_t width = min_size(tile, n - k);
            df_submit(potrf, width, at(m, k, k), ld, k, &bad_column);
            for (size_t i = k + tile; i < n; i += tile)
                submit_trsm(min_size(tile, n - i), width, at(m, k, k), at(m, i, k), ld);
            for (size_t i = k + tile; i < n; i += tile) {
                size_t height = min_size(tile, n - i);
                for (size_t j = k + tile; j < i; j += tile)
                    submit_gemm(height, tile, width, at(m, i, k), at(m, j, k), at(m, i, j), ld);
                submit_syrk(height, width, at(m, i, k), at(m, i, i), ld);
            }
        }
    }
    return bad_column;
}

/* ||A - L L^T|| / (n ||A||) in the Frobenius norm; the unit `largest`, the largest element of A,
 * keeps the squares from overflowing. */
static double residual(const matrix *l, const matrix *a, double largest)
{
    size_t n = a->n, parts = (n + RESIDUAL_ROWS - 1) / RESIDUAL_ROWS;
    double (*norms)[2] = malloc(parts * sizeof *norms);
    double difference = 0, whole = 0;
    if (!norms)
        return NAN;
    DF_PARALLEL {
        for (size_t p = 0; p < parts; p++) {
            size_t first = p * RESIDUAL_ROWS, rows = min_size(RESIDUAL_ROWS, n - first);
            df_submit(residual_rows, first, rows, l->a, a->a, a->ld, largest, norms[p]);
        }
    }
    for (size_t p = 0; p < parts; p++) {
        difference += norms[p][0];
        whole += norms[p][1];
    }
    free(norms);
    return sqrt(difference) / ((double)n * sqrt(whole));
}

/* --- the program ------------------------------------------------------------------------------ */

static const char usage[] =
    "usage: cholesky [-n ORDER | FILE.mtx] [TILE] [--runs R] [--time-only]\n"
    "                [--baseline SECONDS] [--time SECONDS]\n"
    "Factorizes the symmetric positive definite matrix in FILE.mtx (Matrix Market format), or a\n"
    "covariance matrix of order ORDER (2048), in tiles of order TILE (48 to 192, by the order).\n"
    "  --runs R              factorize R times (3); the time is the least\n"
    "  --time-only           print this time and the CPU time of all threads, in seconds, nothing else\n"
    "  --baseline SECONDS    report the speed-up against this time\n"
    "  --time SECONDS        report this time, of earlier runs, instead of that of this run\n";

static _Noreturn void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("cholesky: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

typedef struct {
    const char *file;   /* NULL: make a matrix of order n */
    size_t n, tile;     /* tile 0: choose one */
    size_t runs;
    bool time_only;
    double baseline, time;    /* 0: none */
} options;

/* Both take the argument of an option, NULL if there is none. */
static size_t positive_size(const char *what, const char *text)
{
    unsigned long long value = text ? strtoull(text, NULL, 10) : 0;
    if (!text || text[strspn(text, "0123456789")] || value == 0 || value > SIZE_MAX)
        die("%s must be a positive whole number, not '%s'", what, text ? text : "");
    return (size_t)value;
}

static double positive_number(const char *what, const char *text)
{
    char *end = NULL;
    double value = text ? strtod(text, &end) : 0;
    if (!text || *end || !(value > 0) || !isfinite(value))
        die("%s must be a positive number, not '%s'", what, text ? text : "");
    return value;
}

static options parse(int argc, char **argv)
{
    options o = { .n = 2048, .runs = 3 };
    bool have_matrix = false;
    for (int i = 1; i < argc; i++) {   /* argv[argc] is NULL */
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (strcmp(argv[i], "--time-only") == 0) {
            o.time_only = true;
        } else if (strcmp(argv[i], "--baseline") == 0) {
            o.baseline = positive_number("SECONDS", argv[++i]);
        } else if (strcmp(argv[i], "--time") == 0) {
            o.time = positive_number("SECONDS", argv[++i]);
        } else if (strcmp(argv[i], "--runs") == 0) {
            o.runs = positive_size("R", argv[++i]);
        } else if (strcmp(argv[i], "-n") == 0 && !have_matrix) {
            o.n = positive_size("ORDER", argv[++i]);
            have_matrix = true;
        } else if (argv[i][0] == '-') {
            die("'%s' is not understood here, see --help", argv[i]);
        } else if (!have_matrix) {
            o.file = argv[i];
            have_matrix = true;
        } else if (o.tile == 0) {
            o.tile = positive_size("TILE", argv[i]);
        } else {
            die("'%s' is one argument too many, see --help", argv[i]);
        }
    }
    return o;
}

/* Makes two matrices of order n; free(m->a) frees both. Rows start an odd number of 64-byte lines
 * apart: with a power of two, the rows of a tile would meet in the same few places of the cache,
 * which costs gemm 5 % and potrf 10 % where n is 2048. */
static void allocate(size_t n, matrix *m, matrix *copy)
{
    size_t ld = ((n + 7) / 8 | 1) * 8, half = SIZE_MAX / sizeof(double) / 2;
    /* in one piece, as many systems grant any block that is not larger than all of the memory */
    double *a = n < half && ld <= half / n ? calloc(2 * n * ld, sizeof *a) : NULL;
    if (!a)
        die("not enough memory: a matrix of order %zu and a copy of it take %.1f GiB", n,
            (double)n * (double)ld * 0x1p-26);
    *m = (matrix){ n, ld, a };
    *copy = (matrix){ n, ld, a + n * ld };
}

static void load(const options *o, matrix *m, matrix *copy)
{
    if (!o->file) {
        allocate(o->n, m, copy);
        covariance_fill(o->n, copy->a, copy->ld);
        return;
    }
    mtx_file f;
    if (!mtx_open(&f, o->file))
        die("%s", f.error);
    allocate(f.n, m, copy);
    if (!mtx_read(&f, copy->a, copy->ld)) {
        free(m->a);
        die("%s", f.error);
    }
}

/* A multiple of 48, which the register blocks of all kernels divide: 192, where the kernels run
 * best, for large matrices, and less for small ones, so that they have 8 tiles a side. */
static size_t choose_tile(size_t n)
{
    size_t tile = n / 8 / 48 * 48;
    return tile < 48 ? min_size(48, n) : min_size(192, tile);
}

/* Seconds since the first call: a double has no room for nanoseconds since 1970. */
static double now(void)
{
    static time_t first;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (first == 0)
        first = t.tv_sec;
    return difftime(t.tv_sec, first) + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    matrix l, a;
    load(&o, &l, &a);
    size_t n = a.n, tile = o.tile ? min_size(o.tile, n) : choose_tile(n);
    use_one_thread_per_task();
    /* the kernels take 320 KB of stack, and musl gives a thread 128 */
    df_start(DF_CONFIG(.stack_bytes = 1 << 20));

    double time = INFINITY, cpu_time = INFINITY;
    df_counters before, after;
    for (size_t run = 0; run < o.runs; run++) {
        memcpy(l.a, a.a, n * a.ld * sizeof *a.a);
        df_counters_get(&before);
        clock_t cpu_start = clock();
        double start = now();
        size_t bad_column = factorize(&l, tile);
        time = fmin(time, now() - start);
        cpu_time = fmin(cpu_time, (double)(clock() - cpu_start) / (double)CLOCKS_PER_SEC);
        df_counters_get(&after);
        if (bad_column) {
            free(l.a);
            die("%s is not positive definite: the pivot in column %zu is not positive",
                o.file ? o.file : "the matrix", bad_column);
        }
    }
    if (o.time_only) {
        printf("%.6f %.6f\n", time, cpu_time);
        free(l.a);
        return 0;
    }

    size_t nonzeros = 0, tiles = (n + tile - 1) / tile;
    double largest = 0, log_det = 0, order = (double)n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            nonzeros += *at(&a, i, j) != 0;
            largest = fmax(largest, fabs(*at(&a, i, j)));
        }
        log_det += 2 * log(*at(&l, i, i));
    }
    double error = residual(&l, &a, largest);
    bool good = error <= 1e-13;   /* rounding: about 1e-16 sqrt(n). Higham, Accuracy and Stability
                                     of Numerical Algorithms, theorem 10.3 */

    printf("matrix      %s\n", o.file ? o.file : "covariance of values at random places");
    printf("order       %zu, %zu non-zeros, log det %.10g\n", n, nonzeros, log_det);
    printf("tiles       %zu x %zu of order %zu\n", tiles, tiles, tile);
    printf("tasks       %llu, %llu edges\n", (unsigned long long)(after.tasks - before.tasks),
           (unsigned long long)(after.edges - before.edges));
    printf("workers     %d\n", df_workers());
    if (o.time > 0)
        printf("time        %.4g s\n", time = o.time);
    else
        printf("time        %.4g s, least of %zu\n", time, o.runs);
    printf("speed       %.1f GFLOP/s\n", order * order * order / 3 / time * 1e-9);
    if (o.baseline > 0)
        printf("speed-up    %.2f against DF_SERIAL (%.4g s)\n", o.baseline / time, o.baseline);
    printf("residual    %.2g, which is ||A - L L^T|| / (n ||A||): %s\n", error,
           good ? "correct" : "WRONG, it should be below 1e-13");
    free(l.a);
    return good ? 0 : 1;
}
