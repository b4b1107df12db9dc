/* The heat equation on a grid: a parallel loop, and two wavefronts.
 *
 * Jacobi's method makes each cell the mean of its four neighbours' old values: the cells of a sweep do
 * not depend on each other, and df_for2 divides them as it likes. The largest change is a reduction.
 *
 * The method of Gauss and Seidel uses the new values of the cells above and to the left, which it has
 * already, and needs half as many sweeps. In df_wavefront a cell waits for these two, {1, 0} and
 * {0, 1}: many cells are ready along a diagonal that moves through the grid. The neighbours below and
 * to the right wait for this cell, so that it still finds their old values.
 *
 * Near a corner that diagonal is short. So the third way takes all sweeps as one wavefront in three
 * dimensions, sweep, row and column: a sweep begins while those before are under way. A cell reads
 * new values from above and from the left, {0, 1, 0} and {0, 0, 1}, and the last sweep's from below
 * and from the right, {1, -1, 0} and {1, 0, -1}. Is what it overwrites still needed? Its old value was
 * read in the last sweep by the cells below and to the right, and in this one by those above and to
 * the left: the same four.
 *
 * All results are those of the plain loops, bit by bit.
 *
 *     ./stencil                          1 000 x 500, 20 sweeps
 *     ./stencil ROWS COLS SWEEPS
 *     ./stencil FILE.asc SWEEPS          an ESRI ASCII grid, such as an elevation model
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGEST = 1 << 20 };   /* rows, columns, sweeps */

typedef struct {
    long rows, cols;   /* with a border, which keeps its values */
    double *cell;
} grid;

static double mean_of_neighbours(const double *cell, long i, long cols)
{
    return 0.25 * (cell[i - cols] + cell[i - 1] + cell[i + 1] + cell[i + cols]);
}

static double larger(double x, double y) { return x > y ? x : y; }

/* --- in parallel ------------------------------------------------------------------------------ */

DF_LOOP2(jacobi, (const double *, from), (double *, to), (long, cols),
         df_reduce(df_max, double, change, 1));
void jacobi(long row, long last_row, long col, long last_col, const double *from, double *to, long cols,
            double *change)
{
    double largest = *change;
    for (long r = row; r < last_row; r++) {
        for (long i = r * cols + col; i < r * cols + last_col; i++) {
            to[i] = mean_of_neighbours(from, i, cols);
            largest = larger(largest, fabs(to[i] - from[i]));
        }
    }
    *change = largest;
}

DF_LOOP2(gauss_seidel, (double *, cell), (long, cols));
void gauss_seidel(long row, long last_row, long col, long last_col, double *cell, long cols)
{
    for (long r = row; r < last_row; r++)
        for (long i = r * cols + col; i < r * cols + last_col; i++)
            cell[i] = mean_of_neighbours(cell, i, cols);
}

DF_LOOP3(sweeps_at_once, (double *, cell), (long, cols));
void sweeps_at_once(long sweep, long last_sweep, long row, long last_row, long col, long last_col,
                    double *cell, long cols)
{
    for (; sweep < last_sweep; sweep++)
        gauss_seidel(row, last_row, col, last_col, cell, cols);
}

enum { JACOBI, GAUSS_SEIDEL, SWEEPS_AT_ONCE, METHODS };
static const char *const method_name[METHODS] = { "Jacobi", "Gauss-Seidel", "sweeps at once" };

static void swap(double **p, double **q)
{
    double *t = *p;
    *p = *q;
    *q = t;
}

/* Sweeps over x, all but its border. `other` has the same border. *change: the largest of Jacobi's
 * last sweep. */
static void solve(int method, long sweeps, grid *x, grid *other, double *change)
{
    long rows = x->rows - 1, cols = x->cols - 1;
    for (long s = 0; s < sweeps && method == JACOBI; s++) {
        swap(&x->cell, &other->cell);
        *change = 0;
        df_for2(jacobi, 1, rows, 1, cols, other->cell, x->cell, x->cols, change);
    }
    for (long s = 0; s < sweeps && method == GAUSS_SEIDEL; s++)
        df_wavefront(gauss_seidel, DF_VECTORS({ 1, 0 }, { 0, 1 }), 1, rows, 1, cols, x->cell, x->cols);
    if (method == SWEEPS_AT_ONCE)
        df_wavefront(sweeps_at_once,
                     DF_VECTORS({ 0, 1, 0 }, { 0, 0, 1 }, { 1, -1, 0 }, { 1, 0, -1 }),
                     0, sweeps, 1, rows, 1, cols, x->cell, x->cols);
}

/* --- the same by plain loops ------------------------------------------------------------------ */

static void solve_plainly(int method, long sweeps, grid *x, grid *other, double *change)
{
    for (long s = 0; s < sweeps; s++) {
        if (method == JACOBI)
            swap(&x->cell, &other->cell);
        double *cell = x->cell, *from = other->cell, largest = 0;
        for (long r = 1; r < x->rows - 1; r++) {
            long begin = r * x->cols + 1, end = (r + 1) * x->cols - 1;
            for (long i = begin; i < end && method == JACOBI; i++) {
                cell[i] = mean_of_neighbours(from, i, x->cols);
                largest = larger(largest, fabs(cell[i] - from[i]));
            }
            for (long i = begin; i < end && method != JACOBI; i++)
                cell[i] = mean_of_neighbours(cell, i, x->cols);
        }
        *change = largest;
    }
}

/* --- the program ------------------------------------------------------------------------------ */

static grid make_grid(long rows, long cols)   /* .cell is NULL without memory */
{
    return (grid){ rows, cols, calloc((size_t)rows * (size_t)cols, sizeof(double)) };
}

static grid read_grid(FILE *f)   /* .cell is NULL if that is not possible */
{
    grid x = { 0, 0, NULL };
    if (!f || fscanf(f, "ncols %ld nrows %ld %*s %*s %*s %*s %*s %*s %*s %*s", &x.cols, &x.rows) != 2
        || x.rows < 4 || x.cols < 4 || x.rows > LARGEST || x.cols > LARGEST)
        return x;
    x = make_grid(x.rows, x.cols);
    for (long i = 0; x.cell && i < x.rows * x.cols; i++) {
        if (fscanf(f, "%lf", x.cell + i) != 1) {
            free(x.cell);
            x.cell = NULL;
        }
    }
    return x;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long number(const char *text, long least)   /* -1 if it is not one */
{
    char *end;
    long n = strtol(text, &end, 10);
    return *end || n < least || n > LARGEST ? -1 : n;
}

int main(int argc, char **argv)
{
    long rows = argc == 4 ? number(argv[1], 4) : 1000, cols = argc == 4 ? number(argv[2], 4) : 500;
    long sweeps = argc > 2 ? number(argv[argc - 1], 1) : 20;
    if (argc == 2 || argc > 4 || rows < 0 || cols < 0 || sweeps < 0) {
        fprintf(stderr, "usage: stencil [ROWS COLS SWEEPS | FILE.asc SWEEPS]    at least 4 4 1, at most %d\n",
                LARGEST);
        return 2;
    }
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    grid start = argc == 3 ? read_grid(f) : make_grid(rows, cols);
    if (f)
        fclose(f);
    if (argc == 3 && !start.cell) {
        fprintf(stderr, "stencil: %s is not an ESRI ASCII grid of at least 4 x 4 cells\n", argv[1]);
        return 2;
    }
    rows = start.rows, cols = start.cols;
    grid x = make_grid(rows, cols), y = make_grid(rows, cols), other = make_grid(rows, cols);
    if (!start.cell || !x.cell || !y.cell || !other.cell) {
        fprintf(stderr, "stencil: not enough memory for %ld x %ld cells\n", rows, cols);
        return 2;
    }
    for (long c = 0; c < cols && argc != 3; c++)
        start.cell[c] = 100;   /* one side is hot */

    int right = 1;
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(double);
    printf("%ld x %ld cells, sweeps: %ld\n", rows, cols, sweeps);
    df_start(NULL);   /* would start by itself; the times are for the sweeps only */
    for (int m = 0; m < METHODS; m++) {
        double change = 0, plain_change = 0, sum = 0, time[3];
        memcpy(x.cell, start.cell, bytes);
        memcpy(y.cell, start.cell, bytes);
        memcpy(other.cell, start.cell, bytes);
        time[0] = now();
        solve(m, sweeps, &x, &other, &change);
        time[1] = now();
        solve_plainly(m, sweeps, &y, &other, &plain_change);
        time[2] = now();
        int same = memcmp(x.cell, y.cell, bytes) == 0 && change == plain_change;
        right &= same;
        for (long i = 0; i < rows * cols; i++)
            sum += x.cell[i];
        printf("%-15s the cells add up to %.10g", method_name[m], sum);
        if (m == JACOBI)
            printf(", largest last change %.6g", change);
        printf("%s\n", same ? ": as by plain loops" : ": WRONG");
        printf("time            %.4f s, plain loops %.4f s\n", time[1] - time[0], time[2] - time[1]);
    }
    printf("workers         %d\n", df_workers());
    free(start.cell);
    free(x.cell);
    free(y.cell);
    free(other.cell);
    return right ? 0 : 1;
}
