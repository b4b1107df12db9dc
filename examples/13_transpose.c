/* Matrix transposition: tiles, and halves in place.
 *
 * Rows are read and columns written: elements that are neighbours in one matrix are far apart in the other, and a cache
 * line is of use only if its other elements are needed soon. .grain and .grain1 divide the loop into tiles so small
 * that all their lines stay in the first-level cache. Division into halves, repeated until they are small, has the same
 * effect without a number that depends on the machine, and needs no second matrix: the two halves on the diagonal are
 * transposed, the two others exchanged.
 * Source: MetaFork's transposition (thesis, 2 and 3); Frigo et al., Cache-oblivious algorithms, FOCS 1999.
 *
 *     ./13_transpose [ROWS COLUMNS]
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>

enum { TILE = 32, LARGEST = 1 << 15 };   /* of 8, 16, .. 256 the fastest for 4000 x 4000 */

/* out, cols x rows, becomes the transposed of in, rows x cols */
DF_LOOP2(transpose, (const double *, in), (double *, out), (long, rows), (long, cols));
void transpose(long i0, long i1, long j0, long j1, const double *in, double *out, long rows, long cols)
{
    for (long j = j0; j < j1; j++)
        for (long i = i0; i < i1; i++)
            out[j * rows + i] = in[i * cols + j];
}

/* Exchanges a, rows x cols, with the transposed of b, cols x rows: blocks of one matrix. */
DF_TASK(void, exchange, (double *, a), (double *, b), (long, rows), (long, cols), (long, ld));
void exchange(double *a, double *b, long rows, long cols, long ld)
{
    df_future(exchange) half;
    if (rows > TILE && rows >= cols) {
        long m = rows / 2;
        df_spawn(exchange, &half, a, b, m, cols, ld);
        exchange(a + m * ld, b + m, rows - m, cols, ld);
        df_sync(exchange, &half);
    } else if (cols > TILE) {
        long m = cols / 2;
        df_spawn(exchange, &half, a, b, rows, m, ld);
        exchange(a + m, b + m * ld, rows, cols - m, ld);
        df_sync(exchange, &half);
    } else {
        for (long i = 0; i < rows; i++)
            for (long j = 0; j < cols; j++) {
                double x = a[i * ld + j];
                a[i * ld + j] = b[j * ld + i];
                b[j * ld + i] = x;
            }
    }
}

DF_TASK(void, transpose_in_place, (double *, a), (long, n), (long, ld));
void transpose_in_place(double *a, long n, long ld)
{
    if (n <= 1)
        return;
    long m = n / 2;
    df_future(transpose_in_place) top;
    df_future(exchange) others;
    df_spawn(transpose_in_place, &top, a, m, ld);
    df_spawn(exchange, &others, a + m, a + m * ld, m, n - m, ld);
    transpose_in_place(a + m * ld + m, n - m, ld);
    df_sync(exchange, &others);
    df_sync(transpose_in_place, &top);
}

/* An element of the original says where it was: i * cols + j. */
static int is_transposed(const double *t, long rows, long cols)
{
    for (long j = 0; j < cols; j++)
        for (long i = 0; i < rows; i++)
            if (t[j * rows + i] != (double)(i * cols + j))
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    char *end = "", *end1 = "";
    long rows = argc == 3 ? strtol(argv[1], &end, 10) : 1000;
    long cols = argc == 3 ? strtol(argv[2], &end1, 10) : 1300;
    if (argc == 2 || argc > 3 || *end || *end1 || rows < 1 || cols < 1 || rows > LARGEST
        || cols > LARGEST) {
        fprintf(stderr, "usage: %s [ROWS COLUMNS]    with both from 1 to %d\n", argv[0], LARGEST);
        return 2;
    }
    long n = rows < cols ? rows : cols;   /* in place: the matrix must be square */
    double *a = malloc((size_t)(rows * cols) * sizeof *a), *t = malloc((size_t)(rows * cols) * sizeof *t);
    if (!a || !t) {
        fprintf(stderr, "not enough memory for two matrices of %ld x %ld\n", rows, cols);
        return 2;
    }
    for (long k = 0; k < rows * cols; k++)
        a[k] = (double)k;

    df_for2_with(DF_LOOP_OPTS(.grain = TILE, .grain1 = TILE), transpose, 0, rows, 0, cols, a, t, rows, cols);
    int by_tiles = is_transposed(t, rows, cols);

    transpose_in_place(a, n, n);          /* its first n * n elements, taken for a square matrix */
    int in_place = is_transposed(a, n, n);

    free(a);
    free(t);
    printf("%ld x %ld by tiles: %s\n", rows, cols, by_tiles ? "correct" : "WRONG");
    printf("%ld x %ld in place by halves: %s\n", n, n, in_place ? "correct" : "WRONG");
    return by_tiles && in_place ? 0 : 1;
}
