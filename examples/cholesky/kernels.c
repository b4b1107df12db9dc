/* The tile kernels: a matrix product that runs near the speed of the machine, and three algorithms
 * that spend most of their time in its innermost part.
 *
 * The product follows Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication"
 * (ACM TOMS 34, 2008): b is copied into panels of NR rows and a into panels of MR rows, both stored
 * column by column, so that the micro-kernel reads memory in sequence while an MR x NR block of the
 * result stays in registers.
 */
#include "kernels.h"

#include <math.h>
#include <string.h>

/* vec is as many doubles as a register holds; the block of the result takes MR * NV registers. Of
 * the shapes tried on a Zen 4 core, these are the ones that gcc 12 and clang 14 both keep in
 * registers: 97 % of the peak with AVX2 and with AVX-512, where 8 x 16 spills in gcc (68 %). A
 * compiler without vector types gets plain doubles and the same code. */
#if defined(__AVX512F__)
enum { VEC = 8, MR = 12, NV = 1 };
#elif defined(__AVX__)
enum { VEC = 4, MR = 6, NV = 2 };
#elif defined(__GNUC__)
enum { VEC = 2, MR = 4, NV = 2 };
#else
enum { VEC = 1, MR = 4, NV = 4 };
#endif
enum { NR = VEC * NV };

#if defined(__GNUC__)
typedef double vec __attribute__((vector_size(VEC * sizeof(double))));
#else
typedef double vec;
#endif

/* KC: columns per pass. A panel of a and one of b, 30 KB, share a first-level cache of 32 KB.
 * NC: rows of b packed at a time, 295 KB, for the second-level cache. Half of it costs 4 %.
 * SMALL: potrf goes column by column up to here. 8 % faster than 32 on a tile of order 192. */
enum { KC = 192, NC = 192, SMALL = 16 };

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

/* Copies a rows x k block into a panel of `width` rows: element (i, j) of the block becomes
 * panel[j * width + i]. Rows that the block lacks are zero. pre: rows <= width */
static inline void pack(size_t rows, size_t k, const double *restrict block, size_t ld,
                        size_t width, double *restrict panel)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < k; j++)
            panel[j * width + i] = block[i * ld + j];
    for (size_t i = rows; i < width; i++)
        for (size_t j = 0; j < k; j++)
            panel[j * width + i] = 0;
}

/* product = a b^T for a panel of MR rows and a panel of NR rows, both with k columns. */
static inline void micro_kernel(size_t k, const double *restrict a, const double *restrict b,
                                vec product[MR][NV])
{
    const vec zero = {0};
    vec sum[MR][NV];
    for (size_t i = 0; i < MR; i++)
        for (size_t v = 0; v < NV; v++)
            sum[i][v] = zero;
    for (size_t p = 0; p < k; p++, a += MR, b += NR) {
        vec row[NV];
        memcpy(row, b, sizeof row);
        for (size_t i = 0; i < MR; i++)
            for (size_t v = 0; v < NV; v++)
                sum[i][v] += a[i] * row[v];
    }
    memcpy(product, sum, sizeof sum);
}

/* c -= product, for the m rows and n columns of it that c has room for. With lower, c starts at
 * element (row, column) of a matrix that may change on and below its diagonal only. */
static inline void subtract(size_t m, size_t n, const double *product, double *c, size_t ldc,
                            int lower, size_t row, size_t column)
{
    if (m == MR && n == NR && (!lower || row >= column + NR - 1)) {
        for (size_t i = 0; i < MR; i++)
            for (size_t j = 0; j < NR; j++)
                c[i * ldc + j] -= product[i * NR + j];
        return;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n && (!lower || column + j <= row + i); j++)
            c[i * ldc + j] -= product[i * NR + j];
}

/* c -= a b^T; with lower, on and below the diagonal of c only. */
static void multiply(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b,
                     size_t ldb, double *c, size_t ldc, int lower)
{
    _Alignas(64) double a_panel[MR * KC];
    _Alignas(64) double b_panels[NC * KC];
    for (size_t p = 0; p < k; p += KC) {
        size_t kc = min_size(KC, k - p);
        for (size_t q = 0; q < n; q += NC) {
            size_t nc = min_size(NC, n - q);
            for (size_t j = 0; j < nc; j += NR)
                pack(min_size(NR, nc - j), kc, b + (q + j) * ldb + p, ldb, NR, b_panels + j * kc);
            for (size_t i = lower ? q : 0; i < m; i += MR) {
                size_t rows = min_size(MR, m - i);
                size_t columns = lower ? min_size(nc, i + rows - q) : nc;
                pack(rows, kc, a + i * lda + p, lda, MR, a_panel);
                for (size_t j = 0; j < columns; j += NR) {
                    vec sum[MR][NV];
                    double product[MR * NR];
                    micro_kernel(kc, a_panel, b_panels + j * kc, sum);
                    memcpy(product, sum, sizeof product);
                    subtract(rows, min_size(NR, nc - j), product, c + i * ldc + q + j, ldc,
                             lower, i, q + j);
                }
            }
        }
    }
}

void gemm(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb,
          double *c, size_t ldc)
{
    multiply(m, n, k, a, lda, b, ldb, c, ldc, 0);
}

void syrk(size_t n, size_t k, const double *a, size_t lda, double *c, size_t ldc)
{
    multiply(n, n, k, a, lda, a, lda, c, ldc, 1);
}

/* trsm for n <= KC. NR rows of b are solved at a time, side by side in vectors: in a panel x,
 *     x(j) = (b(j) - sum over k < j of l(j, k) x(k)) / l(j, j),
 * and the micro-kernel computes the sum over the elements left of the MR x MR triangle on the
 * diagonal of l. Of l, a panel of MR rows is packed up to that triangle: the one from row j on
 * has j columns, and those above it have MR * (0 + MR + 2 MR + ... + (j - MR)) = j * (j - MR) /
 * 2 elements. */
static void solve(size_t m, size_t n, const double *l, size_t ldl, double *b, size_t ldb)
{
    _Alignas(64) double l_panels[KC * KC / 2];
    _Alignas(64) double x[KC * NR];
    double inverse[KC];
    for (size_t j = 0; j < n; j++)
        inverse[j] = 1 / l[j * ldl + j];
    for (size_t j = 0; j < n; j += MR)
        pack(min_size(MR, n - j), j, l + j * ldl, ldl, MR, l_panels + j * (j - MR) / 2);

    for (size_t i = 0; i < m; i += NR, b += NR * ldb) {
        size_t rows = min_size(NR, m - i);
        pack(rows, n, b, ldb, NR, x);
        for (size_t j = 0; j < n; j += MR) {
            const double *triangle = l + j * ldl + j;
            size_t height = min_size(MR, n - j);
            vec y[MR][NV];
            micro_kernel(j, l_panels + j * (j - MR) / 2, x, y);
            for (size_t r = 0; r < height; r++) {
                vec right[NV];
                memcpy(right, x + (j + r) * NR, sizeof right);
                for (size_t v = 0; v < NV; v++)
                    y[r][v] = right[v] - y[r][v];
                for (size_t k = 0; k < r; k++)
                    for (size_t v = 0; v < NV; v++)
                        y[r][v] -= triangle[r * ldl + k] * y[k][v];
                for (size_t v = 0; v < NV; v++)
                    y[r][v] *= inverse[j + r];
            }
            memcpy(x + j * NR, y, height * NR * sizeof *x);
        }
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < n; j++)
                b[r * ldb + j] = x[j * NR + r];
    }
}

void trsm(size_t m, size_t n, const double *l, size_t ldl, double *b, size_t ldb)
{
    for (size_t j = 0; j < n; j += KC) {
        size_t columns = min_size(KC, n - j);
        multiply(m, columns, j, b, ldb, l + j * ldl, ldl, b + j, ldb, 0);
        solve(m, columns, l + j * ldl + j, ldl, b + j, ldb);
    }
}

/* potrf for n <= SMALL. Returns the number of columns done: n if all pivots were positive. */
static size_t factor(size_t n, double *a, size_t lda)
{
    double column[SMALL];
    for (size_t j = 0; j < n; j++) {
        double pivot = a[j * lda + j];
        if (!(pivot > 0))   /* so is a NaN */
            return j;
        pivot = sqrt(pivot);
        a[j * lda + j] = pivot;
        for (size_t i = j + 1; i < n; i++)
            a[i * lda + j] = column[i] = a[i * lda + j] / pivot;
        for (size_t i = j + 1; i < n; i++)
            for (size_t k = j + 1; k <= i; k++)
                a[i * lda + k] -= column[i] * column[k];
    }
    return n;
}

/* By halves, so that nearly all of the work is trsm and syrk on blocks as large as can be. */
void potrf(size_t n, double *a, size_t lda, size_t first, size_t *bad_column)
{
    if (*bad_column)
        return;
    if (n <= SMALL) {
        size_t done = factor(n, a, lda);
        if (done < n)
            *bad_column = first + done + 1;
        return;
    }
    size_t half = n / 2;
    double *below = a + half * lda, *rest = below + half;
    potrf(half, a, lda, first, bad_column);
    if (*bad_column)
        return;
    trsm(n - half, half, a, lda, below, lda);
    syrk(n - half, half, below, lda, rest, lda);
    potrf(n - half, rest, lda, first + half, bad_column);
}
