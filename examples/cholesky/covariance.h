/* A realistic matrix of any order: the covariance of a quantity (a temperature, an ore grade) at n
 * places where it was measured. Kriging and Gaussian process regression factorize such matrices. */
#ifndef CHOLESKY_COVARIANCE_H
#define CHOLESKY_COVARIANCE_H

#include <stddef.h>

/* Fills a, n x n, rows ld elements apart. The places are random in a unit square, the same in every
 * run; the covariance of two falls off with their distance d as exp(-d / 0.2), and an error of
 * measurement adds 0.01 on the diagonal. That is positive definite for any n. */
void covariance_fill(size_t n, double *a, size_t ld);

#endif
