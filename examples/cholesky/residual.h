/* The residual of a Cholesky factor, by plain loops that share nothing with the kernels that they check. */
#ifndef CHOLESKY_RESIDUAL_H
#define CHOLESKY_RESIDUAL_H

#include <stddef.h>

enum { RESIDUAL_ROWS = 64 };

/* For rows [first, first + rows) up to the diagonal: norms[0] is the sum of the squares of the
 * elements of A - L L^T and norms[1] that of the elements of A, both over the square of `unit`.
 * Elements off the diagonal stand for two and count twice. l and a point to the first elements of
 * the whole matrices, of which nothing above the diagonal is read. pre: rows <= RESIDUAL_ROWS */
void residual_rows(size_t first, size_t rows, const double *l, const double *a, size_t ld,
                   double unit, double *norms);

#endif
