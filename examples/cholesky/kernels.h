/* Tile kernels of a dense Cholesky factorization, double precision, row-major.
 *
 * A tile is given by a pointer to its first element and by the distance between two rows of the
 * matrix it is a part of (lda, ldb, ...), in elements. Any size will do. There are no tasks here:
 * these are the functions of a small numerical library, and cholesky.c makes tasks of them by
 * declaring them again.
 *
 * Each takes up to 320 KB of stack for packed copies of its operands and allocates nothing.
 */
#ifndef CHOLESKY_KERNELS_H
#define CHOLESKY_KERNELS_H

#include <stddef.h>

/* c -= a b^T, where a is m x k, b is n x k and c is m x n. */
void gemm(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb,
          double *c, size_t ldc);

/* c -= a a^T on and below the diagonal of c, n x n; a is n x k. */
void syrk(size_t n, size_t k, const double *a, size_t lda, double *c, size_t ldc);

/* Puts the solution x of x l^T = b in place of b, m x n. Reads l, n x n, on and below its
 * diagonal. */
void trsm(size_t m, size_t n, const double *l, size_t ldl, double *b, size_t ldb);

/* Puts the Cholesky factor of a, n x n, in its place, on and below the diagonal.
 * Errors: at a pivot that is not positive it stops and puts first + 1 + the pivot's column into
 * *bad_column; first, the number of columns left of the tile, makes that a column of the whole
 * matrix. If *bad_column is not 0 on entry, an earlier tile has failed and nothing is done. */
void potrf(size_t n, double *a, size_t lda, size_t first, size_t *bad_column);

#endif
