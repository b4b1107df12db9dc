/* Jacobi's and Gauss-Seidel's method for a dense system of linear equations, with and without waiting for the test.
 *
 * Each sweep ends with a test whether the result is good enough, and a loop that asks `while (!converged)` waits for it
 * before it submits the next sweep: the workers have nothing to do until it has submitted new tasks. df_speculate_while
 * continues as if there were another sweep. Only once, at the end, is that wrong, and then the superfluous work is
 * rolled back.
 *
 * The matrix is divided into tiles; a task adds the product of one tile with its part of x to a sum per row. Jacobi's
 * method uses the old x everywhere: two vectors take turns. The method of Gauss and Seidel uses the new values as far
 * as they are known, in place: the order of submission determines the dependences, and rows at the top begin the next
 * sweep while those at the bottom are still in the last one. A task counts the sweeps, because the submitter's own
 * count includes those that are rolled back.
 *
 *     ./linear                        384 unknowns, tiles of 64 KB
 *     ./linear -n 4096 -b 512         4 096 unknowns, tiles of 512 KB
 *     ./linear -t -n 4096 -b 512      a table: time of the loops that wait and that do not, best of 5
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 64, TABLE_RUNS = 5, MOST_SWEEPS = 200 };

typedef struct {
    long n, cols;        /* unknowns; columns of a tile, which has ROWS rows */
    double *a, *b;       /* n x n, row by row; n */
} equations;

enum method { JACOBI, GAUSS_SEIDEL, METHODS };
static const char *const method_name[METHODS] = { "Jacobi", "Gauss-Seidel" };

/* --- the tasks -------------------------------------------------------------------------------- */

/* sum[r] += a row of the tile times x, but for the columns [skip, skip + ROWS) */
DF_TASK(void, multiply, (long, n), (long, cols), df_in2(double, a, ROWS, cols, n), df_in(double, x, cols), (long, skip),
        df_inout(double, sum, ROWS));
void multiply(long n, long cols, const double *a, const double *x, long skip, double *sum)
{
    long before = skip < 0 ? 0 : skip > cols ? cols : skip;
    long after = skip + ROWS < 0 ? 0 : skip + ROWS > cols ? cols : skip + ROWS;
    for (long r = 0; r < ROWS; r++) {
        double s = 0;
        for (long c = 0; c < before; c++)
            s += a[r * n + c] * x[c];
        for (long c = after; c < cols; c++)
            s += a[r * n + c] * x[c];
        sum[r] += s;
    }
}

/* One part of x from the sums and the square on the diagonal; to: where from is, or elsewhere. */
static void solve_rows(long n, const double *a, const double *b, const double *from, double *to, double *sum,
                       double *change)
{
    *change = 0;
    for (long r = 0; r < ROWS; r++) {
        double s = b[r] - sum[r];
        sum[r] = 0;
        for (long c = 0; c < ROWS; c++)
            if (c != r)
                s -= a[r * n + c] * from[c];
        s /= a[r * n + r];
        *change = fmax(*change, fabs(s - from[r]));
        to[r] = s;
    }
}
DF_TASK(void, replace, (long, n), df_in2(double, a, ROWS, ROWS, n), df_in(double, b, ROWS), df_in(double, from, ROWS),
        df_out(double, to, ROWS), df_inout(double, sum, ROWS), df_out(double, change, 1));
void replace(long n, const double *a, const double *b, const double *from, double *to, double *sum, double *change)
{
    solve_rows(n, a, b, from, to, sum, change);
}
DF_TASK(void, improve, (long, n), df_in2(double, a, ROWS, ROWS, n), df_in(double, b, ROWS), df_inout(double, x, ROWS),
        df_inout(double, sum, ROWS), df_out(double, change, 1));
void improve(long n, const double *a, const double *b, double *x, double *sum, double *change)
{
    solve_rows(n, a, b, x, x, sum, change);
}

DF_TASK(void, test, (long, parts), df_in(double, change, parts), (double, tolerance), df_inout(int, sweeps, 1),
        df_out(int, converged, 1));
void test(long parts, const double *change, double tolerance, int *sweeps, int *converged)
{
    double largest = 0;
    for (long i = 0; i < parts; i++)
        largest = fmax(largest, change[i]);
    *converged = ++*sweeps == MOST_SWEEPS || largest <= tolerance;
}

/* --- the methods ------------------------------------------------------------------------------ */

typedef struct {
    double *x[2], *sum, *change;
    int sweeps, converged;
} iteration;

static void submit_sweep(enum method m, const equations *e, iteration *it, double *from, double *to, double tolerance)
{
    long n = e->n, parts = n / ROWS;
    for (long i = 0; i < parts; i++) {
        long row = i * ROWS, at = row * n + row;
        for (long c = 0; c < n; c += e->cols) {
            long cols = c + e->cols < n ? e->cols : n - c;
            df_submit(multiply, n, cols, e->a + row * n + c, from + c, row - c, it->sum + row);
        }
        if (m == JACOBI)
            df_submit(replace, n, e->a + at, e->b + row, from + row, to + row, it->sum + row, it->change + i);
        else
            df_submit(improve, n, e->a + at, e->b + row, to + row, it->sum + row, it->change + i);
    }
    df_submit(test, parts, it->change, tolerance, &it->sweeps, &it->converged);
}

/* Sweeps until the test succeeds. Returns where x is. */
static const double *solve(enum method m, int speculate, const equations *e, iteration *it, double tolerance)
{
    int k = 0; /* sweeps submitted */
    memset(it->x[0], 0, (size_t)e->n * sizeof(double));
    memset(it->sum, 0, (size_t)e->n * sizeof(double));
    it->sweeps = it->converged = 0;
    if (speculate) {
        df_speculate_while(&it->converged, 0) {
            submit_sweep(m, e, it, it->x[m == JACOBI ? k % 2 : 0], it->x[m == JACOBI ? (k + 1) % 2 : 0], tolerance);
            k++;
        }
    } else {
        while (!it->converged) {
            submit_sweep(m, e, it, it->x[m == JACOBI ? k % 2 : 0], it->x[m == JACOBI ? (k + 1) % 2 : 0], tolerance);
            k++;
            df_wait_on(&it->converged, sizeof it->converged);
        }
    }
    df_wait();
    return it->x[m == JACOBI ? it->sweeps % 2 : 0];
}

/* --- the program ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Row by row from a small generator; the diagonal outweighs the rest of its row. */
static void fill(equations *e)
{
    unsigned long long z = 1;
    for (long r = 0; r < e->n; r++) {
        double rest = 0;
        for (long c = 0; c < e->n; c++) {
            z = z * 6364136223846793005u + 1442695040888963407u;
            e->a[r * e->n + c] = (double)(z >> 40) / (double)(1 << 24);
            rest += e->a[r * e->n + c];
        }
        e->a[r * e->n + r] = 1.25 * rest;
        e->b[r] = rest;
    }
}

static double residual(const equations *e, const double *x) /* the largest |b - A x|, relative to b */
{
    double largest = 0;
    for (long r = 0; r < e->n; r++) {
        double s = e->b[r];
        for (long c = 0; c < e->n; c++)
            s -= e->a[r * e->n + c] * x[c];
        largest = fmax(largest, fabs(s) / e->b[r]);
    }
    return largest;
}

/* The best times, in seconds, of the loops that wait and that do not, run in turn, so that other load on the machine
 * affects both. */
static void best_times(enum method m, const equations *e, iteration *it, double tolerance, double best[2])
{
    best[0] = best[1] = 1e30;
    for (int i = 0; i < 2 * TABLE_RUNS; i++) {
        double t = now();
        solve(m, i % 2, e, it, tolerance);
        best[i % 2] = fmin(best[i % 2], now() - t);
    }
}

int main(int argc, char **argv)
{
    long n = 384, kb = 64;
    int table = 0, right = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-t"))
            table = 1;
        else if (i + 1 < argc && !strcmp(argv[i], "-n"))
            n = atol(argv[++i]);
        else if (i + 1 < argc && !strcmp(argv[i], "-b"))
            kb = atol(argv[++i]);
        else
            n = 0;
    }
    if (n < ROWS || n > 32768 || n % ROWS || kb < ROWS * ROWS * 8 / 1024 || kb > 65536) {
        fprintf(stderr,
                "usage: linear [-t] [-n UNKNOWNS] [-b KB]    "
                "UNKNOWNS: a multiple of %d up to 32768; KB, of a tile: %d to 65536\n",
                ROWS, ROWS * ROWS * 8 / 1024);
        return 2;
    }
    equations e = { n, kb * 1024 / 8 / ROWS, malloc((size_t)n * (size_t)n * sizeof(double)),
                    malloc((size_t)n * sizeof(double)) };
    double *memory = malloc(4 * (size_t)n * sizeof(double)), *first = malloc((size_t)n * sizeof(double));
    if (!e.a || !e.b || !memory || !first) {
        fprintf(stderr, "linear: not enough memory for %ld x %ld numbers\n", n, n);
        return 2;
    }
    iteration it = { { memory, memory + n }, memory + 2 * n, memory + 3 * n, 0, 0 };
    fill(&e);
    printf("%ld unknowns\n", n);
    for (int m = 0; m < METHODS; m++) {
        const double *x = solve((enum method)m, 0, &e, &it, 1e-9);
        int sweeps = it.sweeps;
        memcpy(first, x, (size_t)n * sizeof(double));
        x = solve((enum method)m, 1, &e, &it, 1e-9);
        int same = sweeps == it.sweeps && !memcmp(first, x, (size_t)n * sizeof(double)),
            solved = residual(&e, x) < 1e-7;
        right &= same & solved;
        printf("%-13s %d sweeps: %s, %s\n", method_name[m], it.sweeps, solved ? "solved" : "NOT SOLVED",
               same ? "with speculation the same" : "with speculation OTHER RESULTS");
    }
    for (int m = 0; m < METHODS && table; m++) {
        double best[2];
        best_times((enum method)m, &e, &it, 1e-9, best);
        printf("time %-13s tiles of %5ld KB, %d workers: waiting %.4f s, speculating %.4f s (%+.1f %%)\n",
               method_name[m], kb, df_workers(), best[0], best[1], 100 * (best[1] / best[0] - 1));
    }
    free(e.a);
    free(e.b);
    free(memory);
    free(first);
    return right ? 0 : 1;
}
