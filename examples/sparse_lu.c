/* LU factorization of a matrix of blocks, most of which are zero.
 *
 * Blocks that are zero are not stored: no task works on them, and the tasks and their dependences depend on the matrix.
 * `factorize` is the sequential program with a submit in front of each call. A block that becomes non-zero is allocated
 * when the first task that writes to it is submitted. There is no pivoting: a pivot of 0 makes the task fail, and with
 * it the scope.
 * Source: SparseLU of the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009).
 *
 *     cc -std=c11 -O2 -o sparse_lu examples/sparse_lu.c examples/sparse_lu/[a-z]*.c -lm -pthread
 *     ./sparse_lu [BLOCKS SIZE]          BLOCKS x BLOCKS blocks of order SIZE, as in that suite
 *     ./sparse_lu FILE.mtx [SIZE]        a real matrix, Matrix Market format
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sparse_lu/sparse.h"

enum { ZERO_PIVOT = 1, NO_MEMORY = 2 };

/* --- the tasks: n is the order of a block ---------------------------------------------------- */

DF_TASK(void, lu0, (long, n), df_inout2(double, a, n, n, n));
void lu0(long n, double *a)
{
    for (long k = 0; k < n; k++) {
        if (a[k * n + k] == 0) {
            df_fail(ZERO_PIVOT, "a pivot is 0");
            return;
        }
        for (long i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (long j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
}

/* a := L^-1 a, L the lower triangle of d with ones on its diagonal */
DF_TASK(void, fwd, (long, n), df_in2(double, d, n, n, n), df_inout2(double, a, n, n, n));
void fwd(long n, const double *d, double *a)
{
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++)
            for (long j = 0; j < n; j++)
                a[i * n + j] -= d[i * n + k] * a[k * n + j];
}

/* a := a U^-1, U the upper triangle of d */
DF_TASK(void, bdiv, (long, n), df_in2(double, d, n, n, n), df_inout2(double, a, n, n, n));
void bdiv(long n, const double *d, double *a)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++) {
            a[i * n + k] /= d[k * n + k];
            for (long j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * d[k * n + j];
        }
}

DF_TASK(void, bmod, (long, n), df_in2(double, l, n, n, n), df_in2(double, u, n, n, n),
        df_inout2(double, a, n, n, n));
void bmod(long n, const double *l, const double *u, double *a)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                a[i * n + j] -= l[i * n + k] * u[k * n + j];
}

/* Puts L and U in place of m. Returns 0, ZERO_PIVOT or NO_MEMORY. */
static int factorize(const sparse *m)
{
    long n = m->size;
    for (long k = 0; k < m->blocks; k++) {
        const double *d = sparse_block(m, k, k), *l, *u;
        df_submit(lu0, n, sparse_block(m, k, k));
        for (long j = k + 1; j < m->blocks; j++)
            if (sparse_block(m, k, j))
                df_submit(fwd, n, d, sparse_block(m, k, j));
        for (long i = k + 1; i < m->blocks; i++) {
            if (!(l = sparse_block(m, i, k)))
                continue;
            df_submit(bdiv, n, d, sparse_block(m, i, k));
            for (long j = k + 1; j < m->blocks; j++)
                if ((u = sparse_block(m, k, j))) {
                    if (!sparse_store(m, i, j)) {
                        df_wait();
                        return NO_MEMORY;
                    }
                    df_submit(bmod, n, l, u, sparse_block(m, i, j));
                }
        }
    }
    return (int)df_wait_result();
}

/* --- the check: L U = A, where both are stored in m ------------------------------------------ */

/* r -= L_ik U_kj: of blocks on the diagonal, L is the part below it, with ones on it, and U is the rest. */
static void subtract_product(const sparse *m, long i, long k, long j, double *r)
{
    const double *l = sparse_block(m, i, k), *u = sparse_block(m, k, j);
    long n = m->size;
    for (long x = 0; l && u && x < n; x++)
        for (long z = 0; z < (i > k ? n : x + 1); z++)
            for (long y = k < j ? 0 : z; y < n; y++)
                r[x * n + y] -= (i == k && z == x ? 1 : l[x * n + z]) * u[z * n + y];
}

DF_LOOP2(compare, (const sparse *, m), (const sparse *, a), df_reduce(df_max, double, error, 1));
void compare(long i0, long i1, long j0, long j1, const sparse *m, const sparse *a, double *error)
{
    size_t elements = (size_t)(m->size * m->size);
    double *r = malloc(elements * sizeof *r);
    for (long i = i0; i < i1; i++)
        for (long j = j0; r && j < j1; j++) {
            const double *original = sparse_block(a, i, j);
            memset(r, 0, elements * sizeof *r);
            if (original)
                memcpy(r, original, elements * sizeof *r);
            for (long k = 0; k <= i && k <= j; k++)
                subtract_product(m, i, k, j, r);
            for (size_t e = 0; e < elements; e++)
                *error = fabs(r[e]) <= *error ? *error : isnan(r[e]) ? INFINITY : fabs(r[e]);
        }
    if (!r)
        *error = INFINITY;
    free(r);
}

/* --- the program ----------------------------------------------------------------------------- */

/* The number from 1 to `most` that the text is, or else 0. */
static long number(const char *text, long most)
{
    char *end;
    long n = strtol(text, &end, 10);
    return *text && !*end && n >= 1 && n <= most ? n : 0;
}

int main(int argc, char **argv)
{
    sparse a = { 0 }, m = { 0 };
    int is_file = argc > 1 && argv[1][strspn(argv[1], "+-0123456789")];
    long blocks = argc > 1 && !is_file ? number(argv[1], MOST_BLOCKS) : 24;
    long size = argc > 2 ? number(argv[2], LARGEST_BLOCK) : is_file ? 32 : 24;
    if (argc > 3 || !blocks || !size || (argc == 2 && !is_file)) {
        fprintf(stderr, "usage: %s [BLOCKS SIZE | FILE.mtx [SIZE]]    with BLOCKS from 1 to %d, SIZE from 1 to %d\n",
                argv[0], MOST_BLOCKS, LARGEST_BLOCK);
        return 2;
    }
    const char *wrong = is_file ? sparse_read(&a, argv[1], size) : sparse_generate(&a, blocks, size);
    if (!wrong)
        wrong = sparse_copy(&m, &a);
    int result = wrong ? 0 : factorize(&m);
    if (result)
        wrong = result == ZERO_PIVOT ? "a pivot is 0, and this program does not exchange rows" : "not enough memory";
    double error = 0;
    if (wrong) {
        fprintf(stderr, "%s: %s\n", is_file ? argv[1] : argv[0], wrong);
    } else {
        df_for2(compare, 0, m.blocks, 0, m.blocks, &m, &a, &error);
        error /= sparse_largest(&a);
        printf("%ld x %ld blocks of order %ld: %ld stored at first, %ld when factorized\n",
               m.blocks, m.blocks, m.size, sparse_stored(&a), sparse_stored(&m));
        printf("the largest element of A - L U is %.0e times that of A: %s\n", error,
               error < 1e-12 ? "correct" : "WRONG");
    }
    sparse_free(&a);
    sparse_free(&m);
    return wrong ? 2 : error < 1e-12 ? 0 : 1;
}
