/* Jacobi's method on several devices: halos, and a reduction over devices.
 *
 * Each cell becomes the mean of its four neighbours, until the cells hardly change. The grid is divided into blocks of
 * rows, and then into blocks in both dimensions; a part has, besides its own cells, copies of the adjacent cells of its
 * neighbours: its halo. df_halo_exchange brings them up to date, from device to device. df_dist_range returns the
 * part's share of the cells 1 .. n-2: the border keeps its values. The residual is a df_reduce of the kernel: the
 * values of its work-items are combined in their groups and on each device, those of all devices in host memory. The
 * program waits only for this number; the grid stays on the devices from the scatter to the gather.
 * Source: Yan et al., Supporting Multiple Accelerators in High-Level Programming Models, PMAM 2015, figure 2.
 *
 *     ./gpu_jacobi [ROWS COLUMNS [PARTS]]
 */
#define DF_USE_CUDA
#define DF_USE_OPENCL
#define DF_IMPLEMENTATION
#include "../df_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 20000, MOST_PARTS = 1000, MOST_SWEEPS = 1000 };
static const double small_enough = 200;  /* sum of squares */

DF_KERNEL(sweep, df_in(float, from, cells), df_inout(float, to, cells), (int, cells), (int, row), (int, i0), (int, i1),
          (int, j0), (int, j1), df_reduce(df_sum, double, residual, 1),
{
    int i = i0 + df_global_id(1), j = j0 + df_global_id(0), at = i * row + j;
    if (i >= i1 || j >= j1) return;
    float mean = 0.25f * (from[at - row] + from[at - 1] + from[at + 1] + from[at + row]);
    double change = mean - from[at];
    to[at] = mean;
    *residual += change * change;
})

static df_dist *divide(float *grid, long rows, long cols, const int *parts)
{
    df_dist_desc d = { .memory = grid, .element = sizeof *grid,
                       .dim = { { .size = rows, .split = DF_BLOCK(0), .halo = { 1, 1 } }, { .size = cols } } };
    memcpy(d.parts, parts, sizeof d.parts);
    if (parts[1]) {
        d.dim[1].split = DF_BLOCK(0);
        d.dim[1].halo[0] = d.dim[1].halo[1] = 1;
    }
    return df_dist_new(&d);
}

/* How many sweeps; 0 without memory, or if something failed. */
static int solve(float *grid, long rows, long cols, const int *parts, double *residual)
{
    df_dist *x = divide(grid, rows, cols, parts), *y = divide(grid, rows, cols, parts), *swap;
    int sweeps = 0;
    if (x && y) {
        df_dist_scatter(x);
        df_dist_scatter(y);   /* for the border */
    }
    for (*residual = HUGE_VAL; x && y && *residual > small_enough && sweeps < MOST_SWEEPS; sweeps++) {
        df_halo_exchange(x);
        *residual = 0;
        DF_FOR_PARTS(p, x) {
            long i0, i1, j0, j1, h = df_dist_range(p, 0, 1, rows - 1, &i0, &i1),
                w = df_dist_range(p, 1, 1, cols - 1, &j0, &j1);
            df_launch_with(DF_OPTS(.device = p->device), sweep, df_grid2(w, h, 0, 0), p->data,
                           df_dist_part(y, p->index)->data, (int)p->elements, (int)p->stride[0], (int)i0, (int)i1,
                           (int)j0, (int)j1, residual);
        }
        df_wait_on(residual, sizeof *residual);
        swap = x, x = y, y = swap;
    }
    if (sweeps)
        df_dist_gather(x);
    if (df_wait_result() != DF_OK)
        sweeps = 0;
    df_dist_free(x);
    df_dist_free(y);
    return sweeps;
}

static int solve_plainly(float *grid, float *other, long rows, long cols, double *residual)
{
    size_t bytes = (size_t)(rows * cols) * sizeof *grid;
    int sweeps = 0;
    for (*residual = HUGE_VAL; *residual > small_enough && sweeps < MOST_SWEEPS; sweeps++) {
        memcpy(other, grid, bytes);
        *residual = 0;
        for (long i = 1; i < rows - 1; i++)
            for (long at = i * cols + 1; at < (i + 1) * cols - 1; at++) {
                grid[at] = 0.25f * (other[at - cols] + other[at - 1] + other[at + 1] + other[at + cols]);
                double change = grid[at] - other[at];
                *residual += change * change;
            }
    }
    return sweeps;
}

static void heat(float *grid, long rows, long cols)   /* one side is hot */
{
    for (long at = 0; at < rows * cols; at++)
        grid[at] = at < cols ? 100 : 0;
}

int main(int argc, char **argv)
{
    char *end = "", *end1 = "", *end2 = "";
    long rows = argc > 2 ? strtol(argv[1], &end, 10) : 200, cols = argc > 2 ? strtol(argv[2], &end1, 10) : 150;
    long n = argc > 3 ? strtol(argv[3], &end2, 10) : 4;
    if (argc == 2 || argc > 4 || *end || *end1 || *end2 || rows < 3 || cols < 3 || rows > LARGEST || cols > LARGEST ||
        n < 1 || n > MOST_PARTS) {
        fprintf(stderr, "usage: %s [ROWS COLUMNS [PARTS]]    with ROWS and COLUMNS from 3 to %d, PARTS from 1 to %d\n",
                argv[0], LARGEST, MOST_PARTS);
        return 2;
    }
    size_t bytes = (size_t)(rows * cols) * sizeof(float);
    float *expected = malloc(bytes), *grid = malloc(bytes);
    if (!expected || !grid) {
        fprintf(stderr, "not enough memory for %ld x %ld cells\n", rows, cols);
        return 2;
    }
    double expected_residual, residual;
    heat(expected, rows, cols);
    int expected_sweeps = solve_plainly(expected, grid, rows, cols, &expected_residual), correct = 1;

    int by_rows[3] = { (int)n, 0, 0 }, by_blocks[3] = { 0, 0, 0 };
    df_dist_arrange((int)n, 2, by_blocks);
    for (int way = 0; way < 2; way++) {
        heat(grid, rows, cols);
        int sweeps = solve(grid, rows, cols, way ? by_blocks : by_rows, &residual);
        correct = correct && sweeps == expected_sweeps && memcmp(grid, expected, bytes) == 0
               && fabs(residual - expected_residual) <= 1e-9 * expected_residual;
    }
    printf("%ld x %ld cells in %ld blocks of rows, and in %d x %d blocks: residual %.6g after %d sweeps: %s\n", rows,
           cols, n, by_blocks[0], by_blocks[1], expected_residual, expected_sweeps, correct ? "correct" : "WRONG");
    free(expected);
    free(grid);
    return correct ? 0 : 1;
}
