/* The heat equation on a plate, over the ranks of MPI.
 *
 * Two arrays of rows are divided among the ranks. A sweep is a task for each block of rows; it reads a row of both
 * neighbours, which may be in another rank: then that row is sent. The tasks are those for one machine. Each 20 sweeps
 * the program asks how much has changed: a value that each rank gets, so all of them stop after the same sweep.
 *
 *     mpicc -std=c11 -O2 examples/mpi/stencil.c -o stencil -pthread
 *     mpirun -n 4 ./stencil [ROWS [COLUMNS [SWEEPS]]]
 */
#define DF_IMPLEMENTATION
#include "../../df_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURN = 20 }; /* sweeps until the next look at the change */

/* Rows up and down of the block x; y: the next values; change: the largest difference in a row of it. */
DF_TASK(void, sweep, (long, rows), (long, cols), (int, first), (int, last), df_in(double, up, cols),
        df_in(double, x, rows * cols), df_in(double, down, cols), df_out(double, y, rows * cols),
        df_out(double, change, 1));
void sweep(long rows, long cols, int first, int last, const double *up, const double *x, const double *down, double *y,
           double *change)
{
    *change = 0;
    for (long i = 0; i < rows; i++) {
        const double *c = x + i * cols, *u = i ? c - cols : up, *d = i < rows - 1 ? c + cols : down;
        double *to = y + i * cols;
        const int border = (first && i == 0) || (last && i == rows - 1);
        to[0] = c[0], to[cols - 1] = c[cols - 1];
        for (long j = 1; j < cols - 1; j++) {
            to[j] = border ? c[j] : 0.25 * (u[j] + c[j - 1] + c[j + 1] + d[j]);
            *change = fmax(*change, fabs(to[j] - c[j]));
        }
    }
}

DF_TASK(void, largest, (long, n), df_in(double, x, n), df_out(double, most, 1));
void largest(long n, const double *x, double *most)
{
    *most = 0;
    for (long i = 0; i < n; i++) *most = fmax(*most, x[i]);
}

DF_TASK(void, report, (long, n), (long, sweeps), df_in(double, x, n), df_in(double, most, 1));
void report(long n, long sweeps, const double *x, const double *most)
{
    double sum = 0;
    for (long i = 0; i < n; i++) sum += x[i];
    printf("%ld sweeps, the last changed a value by %.6f; mean %.9f\n", sweeps, *most, sum / (double)n);
}

int main(int argc, char **argv)
{
    const long rows = argc > 1 ? atol(argv[1]) : 500, cols = argc > 2 ? atol(argv[2]) : 400;
    const long sweeps = argc > 3 ? atol(argv[3]) : 200;
    if (rows < 1 || cols < 3 || sweeps < 1) {
        fprintf(stderr, "usage: stencil [ROWS [COLUMNS [SWEEPS]]], at least 1, 3 and 1\n");
        return 2;
    }
    if (df_mpi_start(MPI_COMM_WORLD, NULL) != DF_OK) return 1;
    const long block = rows / (8 * df_ranks()) + 1, blocks = (rows + block - 1) / block; /* rows of a task; tasks */
    double *x = df_shared_alloc(double, .dim = {{ .size = rows, .tile = block, .split = DF_BLOCK(0) }, { cols }});
    double *y = df_shared_alloc(double, .dim = {{ .size = rows, .tile = block, .split = DF_BLOCK(0) }, { cols }});
    double *change = df_shared_alloc(double, .dim = {{ .size = blocks, .tile = 1, .split = DF_BLOCK(0) }});
    double *most = df_shared_alloc(double, .dim = {{ .size = 1, .split = DF_BLOCK(0) }});
    if (!x || !y || !change || !most) return 1;

    for (long i = 0; i < rows; i++) /* each rank its own rows: hot at the upper border, and in a stripe */
        if (df_home(x + i * cols) == df_rank())
            for (long j = 0; j < cols; j++) x[i * cols + j] = i == 0 ? 100 : j % 50 == 0 ? 20 : 0;
    long done = 0;
    for (double how_much = 1; done < sweeps && how_much > 1e-3;) {
        for (long k = 0; k < TURN && done < sweeps; k++, done++) {
            for (long b = 0; b < blocks; b++) {
                const long i = b * block, n = i + block < rows ? block : rows - i;
                df_submit(sweep, n, cols, i == 0, i + n == rows, i ? x + (i - 1) * cols : x, x + i * cols,
                          i + n < rows ? x + (i + n) * cols : x + i * cols, y + i * cols, change + b);
            }
            double *swap = x;
            x = y, y = swap;
        }
        df_submit(largest, blocks, change, most);
        df_fetch(most, sizeof *most);
        how_much = *most;
    }
    df_submit_with(DF_OPTS(.rank = DF_RANK(0)), report, rows * cols, done, x, most);
    return df_mpi_wait() != DF_OK;
}
