/* Laplace's equation by successive over-relaxation, one sweep recorded as a task graph, which the others run again.
 *
 * A tile of the grid is a task. It updates its cells in place, and reads the row above, the row below, the column to
 * the left and the column to the right of it: the first and the third are new, the others still old, as in the loop
 * over all cells. So tiles form a wavefront, and the next sweep begins while the last one still runs at the other end.
 *
 * Every sweep has the same tasks, so their order is found once: DF_TASKGRAPH runs the first sweep and remembers
 * it, df_taskgraph_run runs it again. Only the factor omega differs, which grows from sweep to sweep
 * (Chebyshev's acceleration): df_taskgraph_set gives it to each task. A graph pays off for small tiles, whose
 * submission would take longer than the computation.
 *
 *     ./taskgraph                    a grid of 258 x 258 in tiles of 16 x 16, until no cell changes by more than 1e-6
 *     ./taskgraph CELLS TILE         another size
 *     ./taskgraph --time             the same; prints the time of a sweep to stderr, submitted and run as a graph
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

DF_TASK(void, relax, df_inout2(double, cell, rows, cols, ld),
        df_in(double, above, cols), df_in(double, below, cols), df_in2(double, left, rows, 1, ld),
        df_in2(double, right, rows, 1, ld), df_reduce(df_max, double, change, 1), (long, rows), (long, cols),
        (long, ld), (double, omega));
DF_TASK(void, clear, df_out(double, change, 1));

void relax(double *cell, const double *above, const double *below, const double *left, const double *right,
           double *change, long rows, long cols, long ld, double omega)
{
    double most = *change;
    (void)above, (void)below, (void)left, (void)right;   /* beside the cells: reached from there */
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < cols; j++) {
            double *c = cell + i * ld + j, by = omega * (0.25 * (c[-ld] + c[ld] + c[-1] + c[1]) - *c);
            *c += by;
            if (fabs(by) > most) most = fabs(by);
        }
    *change = most;
}

void clear(double *change) { *change = 0; }

static long cells = 256, tile = 16;   /* without the border */

static long least(long a, long b) { return a < b ? a : b; }

static void sweep(double *grid, double *change, double omega)
{
    long ld = cells + 2;
    df_submit(clear, change);
    for (long i = 0; i < cells; i += tile)
        for (long j = 0; j < cells; j += tile) {
            double *c = grid + (i + 1) * ld + j + 1;
            long rows = least(tile, cells - i), cols = least(tile, cells - j);
            df_submit(relax, c, c - ld, c + rows * ld, c - 1, c + cols, change, rows, cols, ld, omega);
        }
}

static double *new_grid(void)
{
    long ld = cells + 2;
    double *grid = (double *)calloc((size_t)(ld * ld), sizeof *grid);
    for (long i = 0; grid && i < ld; i++) grid[i] = 1 + (double)i / (double)ld;   /* one side is hot */
    return grid;
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int timed = argc > 1 && !strcmp(argv[1], "--time");
    if (argc == 3) cells = atol(argv[1]), tile = atol(argv[2]);
    if ((argc != 1 && argc != 3 && !(timed && argc == 2)) || cells < 1 || cells > 10000 || tile < 1) {
        fprintf(stderr, "use: %s [CELLS TILE | --time], CELLS from 1 to 10000, TILE from 1\n", argv[0]);
        return 2;
    }
    double *grid = new_grid(), change = 0, omega = 1, rho = cos(3.14159265358979 / (double)(cells + 1));
    df_taskgraph *g = df_taskgraph_new();
    int sweeps = 1;
    if (!grid || !g) {
        fprintf(stderr, "no memory for a grid of %ld x %ld\n", cells + 2, cells + 2);
        return 1;
    }

    DF_TASKGRAPH(g) sweep(grid, &change, omega);
    double start = seconds();
    for (; change > 1e-6 && sweeps < 5000; sweeps++) {
        omega = sweeps == 1 ? 1 / (1 - 0.5 * rho * rho) : 1 / (1 - 0.25 * rho * rho * omega);
        for (long k = 0, n = df_taskgraph_count(g, relax); k < n; k++) df_taskgraph_set(g, relax, k, omega, omega);
        if (df_taskgraph_run(g) != DF_OK) DF_PARALLEL sweep(grid, &change, omega);   /* no memory for the graph */
    }
    double graph = (seconds() - start) / (sweeps > 1 ? sweeps - 1 : 1);

    double sum = 0;
    for (long i = 0; i < (cells + 2) * (cells + 2); i++) sum += grid[i];
    printf("%ld x %ld cells, %ld tasks per sweep\n", cells, cells,
           df_taskgraph_count(g, relax) + df_taskgraph_count(g, clear));
    printf("%d sweeps, largest change %.1e\n", sweeps, change);
    printf("mean %.12f\n", sum / (double)((cells + 2) * (cells + 2)));

    if (timed) {
        start = seconds();
        for (int i = 0; i < 100; i++) DF_PARALLEL sweep(grid, &change, omega);
        fprintf(stderr, "a sweep: submitted %.1f us, as a graph %.1f us\n", (seconds() - start) * 1e4, graph * 1e6);
    }
    df_taskgraph_free(g);
    free(grid);
    return 0;
}
