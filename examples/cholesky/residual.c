#include "residual.h"

/* Columns of L L^T computed at a time, and columns of L that a pass over them takes. */
enum { COLUMNS = 64, DEPTH = 64 };

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

/* sum(i, j) += the contribution of columns [k, k + depth) of L to element (first + i, column +
 * j) of L L^T. */
static void add_products(size_t first, size_t rows, size_t column, size_t k, size_t depth,
                         const double *l, size_t ld, double sum[RESIDUAL_ROWS][COLUMNS])
{
    double transposed[DEPTH][COLUMNS] = {{0}};
    for (size_t j = 0; j < COLUMNS && column + j < first + rows; j++)
        for (size_t p = 0; p < depth && k + p <= column + j; p++)
            transposed[p][j] = l[(column + j) * ld + k + p];
    for (size_t i = 0; i < rows; i++) {
        const double *row = l + (first + i) * ld + k;
        for (size_t p = 0; p < depth && k + p <= first + i; p++)
            for (size_t j = 0; j < COLUMNS; j++)
                sum[i][j] += row[p] * transposed[p][j];
    }
}

void residual_rows(size_t first, size_t rows, const double *l, const double *a, size_t ld,
                   double unit, double *norms)
{
    size_t end = first + rows;
    double difference = 0, whole = 0;
    for (size_t column = 0; column < end; column += COLUMNS) {
        double sum[RESIDUAL_ROWS][COLUMNS] = {{0}};
        for (size_t k = 0; k < min_size(column + COLUMNS, end); k += DEPTH)
            add_products(first, rows, column, k, min_size(DEPTH, end - k), l, ld, sum);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < COLUMNS && column + j <= first + i; j++) {
                double element = a[(first + i) * ld + column + j];
                double d = (element - sum[i][j]) / unit, w = element / unit;
                double count = column + j < first + i ? 2 : 1;
                difference += count * d * d;
                whole += count * w * w;
            }
    }
    norms[0] = difference;
    norms[1] = whole;
}
