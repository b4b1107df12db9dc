/* The product of two square matrices, three times: a loop over its elements, blocks that are divided
 * into quarters, and Strassen's seven products instead of eight.
 *
 * The matrices stay where they are, row by row; a task works on a block of each and declares it as a region of two
 * dimensions. In `multiply` the second product for a quarter of C waits for the first, as both declare that quarter,
 * and the four quarters run at the same time. `strassen` submits sums, products and sums of those, in the order of a
 * textbook, and their declarations are all that orders them; its temporaries come from df_local and live until these
 * tasks are done.
 * Source: MetaFork's and BOTS' matrix multiplication; Strassen, Numer. Math. 13, 1969.
 *
 *     ./matmul [ORDER]
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 64, LARGEST = 1 << 14 };   /* 64 x 64: 100 us */

/* --- a loop over the elements ---------------------------------------------------------------- */

DF_LOOP2(naive, (long, n), (const double *, a), (const double *, b), (double *, c));
void naive(long i0, long i1, long j0, long j1, long n, const double *a, const double *b, double *c)
{
    for (long i = i0; i < i1; i++) {
        for (long j = j0; j < j1; j++)
            c[i * n + j] = 0;
        for (long k = 0; k < n; k++)
            for (long j = j0; j < j1; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* --- quarters -------------------------------------------------------------------------------- */

/* c += a * b; the result is rows x cols, the sum over `inner` products; rows of a, b and c are lda, ldb
 * and ldc elements apart. */
DF_TASK(void, multiply, (long, rows), (long, cols), (long, inner),
        df_in2(double, a, rows, inner, lda), (long, lda),
        df_in2(double, b, inner, cols, ldb), (long, ldb),
        df_inout2(double, c, rows, cols, ldc), (long, ldc));
void multiply(long rows, long cols, long inner, const double *a, long lda, const double *b, long ldb,
              double *c, long ldc)
{
    if (rows <= LEAF && cols <= LEAF && inner <= LEAF) {
        for (long i = 0; i < rows; i++)
            for (long k = 0; k < inner; k++)
                for (long j = 0; j < cols; j++)
                    c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
        return;
    }
    long size[3] = { rows, cols, inner }, first[3];
    for (int d = 0; d < 3; d++)
        first[d] = size[d] > LEAF ? (size[d] + 1) / 2 : size[d];
    for (long k = 0; k < inner; k += first[2])
        for (long i = 0; i < rows; i += first[0])
            for (long j = 0; j < cols; j += first[1])
                df_submit(multiply, i ? rows - i : first[0], j ? cols - j : first[1],
                          k ? inner - k : first[2], a + i * lda + k, lda, b + k * ldb + j, ldb,
                          c + i * ldc + j, ldc);
}

/* --- Strassen -------------------------------------------------------------------------------- */

/* z = x + sign * y, all n x n; the rows of z are n elements apart. */
DF_TASK(void, add, (long, n), df_in2(double, x, n, n, ld), (double, sign), df_in2(double, y, n, n, ld),
        (long, ld), df_out(double, z, n * n));
void add(long n, const double *x, double sign, const double *y, long ld, double *z)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            z[i * n + j] = x[i * ld + j] + sign * y[i * ld + j];
}

/* c = p + q + sign * r + s, where a NULL is left out */
DF_TASK(void, combine, (long, n), df_in(double, p, n * n), df_in(double, q, n * n), (double, sign),
        df_in(double, r, r ? n * n : 0), df_in(double, s, s ? n * n : 0), df_out2(double, c, n, n, ld),
        (long, ld));
void combine(long n, const double *p, const double *q, double sign, const double *r, const double *s,
             double *c, long ld)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            long k = i * n + j;
            c[i * ld + j] = p[k] + q[k] + (r ? sign * r[k] : 0) + (s ? s[k] : 0);
        }
}

/* c += a * b, all n x n, into c that holds zeros */
DF_TASK(void, strassen, (long, n), df_in2(double, a, n, n, lda), (long, lda), df_in2(double, b, n, n, ldb),
        (long, ldb), df_inout2(double, c, n, n, ldc), (long, ldc));
void strassen(long n, const double *a, long lda, const double *b, long ldb, double *c, long ldc)
{
    long h = n / 2, block = h * h;
    double *sum = n > LEAF && n % 2 == 0 ? df_local(double, 17 * block) : NULL;   /* zeroed */
    if (!sum) {   /* small, odd, or no memory */
        multiply(n, n, n, a, lda, b, ldb, c, ldc);
        return;
    }
    double *m = sum + 10 * block;
    const double *a11 = a, *a12 = a + h, *a21 = a + h * lda, *a22 = a21 + h;
    const double *b11 = b, *b12 = b + h, *b21 = b + h * ldb, *b22 = b21 + h;
#define S(k) (sum + (k) * block)
#define M(k) (m + ((k) - 1) * block)
    df_submit(add, h, a11, 1.0, a22, lda, S(0));
    df_submit(add, h, b11, 1.0, b22, ldb, S(1));
    df_submit(add, h, a21, 1.0, a22, lda, S(2));
    df_submit(add, h, b12, -1.0, b22, ldb, S(3));
    df_submit(add, h, b21, -1.0, b11, ldb, S(4));
    df_submit(add, h, a11, 1.0, a12, lda, S(5));
    df_submit(add, h, a21, -1.0, a11, lda, S(6));
    df_submit(add, h, b11, 1.0, b12, ldb, S(7));
    df_submit(add, h, a12, -1.0, a22, lda, S(8));
    df_submit(add, h, b21, 1.0, b22, ldb, S(9));
    df_submit(strassen, h, S(0), h, S(1), h, M(1), h);
    df_submit(strassen, h, S(2), h, b11, ldb, M(2), h);
    df_submit(strassen, h, a11, lda, S(3), h, M(3), h);
    df_submit(strassen, h, a22, lda, S(4), h, M(4), h);
    df_submit(strassen, h, S(5), h, b22, ldb, M(5), h);
    df_submit(strassen, h, S(6), h, S(7), h, M(6), h);
    df_submit(strassen, h, S(8), h, S(9), h, M(7), h);
    df_submit(combine, h, M(1), M(4), -1.0, M(5), M(7), c, ldc);
    df_submit(combine, h, M(3), M(5), 0.0, NULL, NULL, c + h, ldc);
    df_submit(combine, h, M(2), M(4), 0.0, NULL, NULL, c + h * ldc, ldc);
    df_submit(combine, h, M(1), M(3), -1.0, M(2), M(6), c + h * ldc + h, ldc);
#undef S
#undef M
}

/* --- the program ----------------------------------------------------------------------------- */

/* Freivalds' check: c r = a (b r) for some vectors r. If c is not a b, a vector of numbers from 0 to 63
 * shows it with a probability of at least 63/64. */
static int is_product(long n, const double *a, const double *b, const double *c, double *work)
{
    double *r = work, *br = work + n;
    unsigned random = 1;
    for (int times = 0; times < 4; times++) {
        for (long i = 0; i < n; i++) {
            random = random * 1664525u + 1013904223u;
            r[i] = random >> 26;
        }
        for (long i = 0; i < n; i++) {
            br[i] = 0;
            for (long j = 0; j < n; j++)
                br[i] += b[i * n + j] * r[j];
        }
        for (long i = 0; i < n; i++) {
            double abr = 0, cr = 0;
            for (long j = 0; j < n; j++) {
                abr += a[i * n + j] * br[j];
                cr += c[i * n + j] * r[j];
            }
            if (abr != cr)
                return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 256;
    if (argc > 2 || *end || n < 1 || n > LARGEST) {
        fprintf(stderr, "usage: %s [ORDER]    with ORDER from 1 to %d\n", argv[0], LARGEST);
        return 2;
    }
    size_t bytes = (size_t)(n * n) * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes), *work = malloc((size_t)n * 2 * sizeof *work);
    double *c[3] = { calloc(1, bytes), calloc(1, bytes), calloc(1, bytes) };
    if (!a || !b || !c[0] || !c[1] || !c[2] || !work) {
        fprintf(stderr, "not enough memory for five matrices of order %ld\n", n);
        return 2;
    }
    for (long k = 0; k < n * n; k++) {   /* small integers: all sums are exact, in any order */
        a[k] = (double)(k * 31 % 17 - 8);
        b[k] = (double)(k * 17 % 13 - 6);
    }
    df_for2(naive, 0, n, 0, n, n, a, b, c[0]);
    DF_PARALLEL {
        df_submit(multiply, n, n, n, a, n, b, n, c[1], n);
        df_submit(strassen, n, a, n, b, n, c[2], n);   /* at the same time: they write to different memory */
    }
    int correct = is_product(n, a, b, c[0], work);
    int quarters = memcmp(c[0], c[1], bytes) == 0, seven = memcmp(c[0], c[2], bytes) == 0;
    double trace = 0;
    for (long i = 0; i < n; i++)
        trace += c[0][i * n + i];
    printf("a product of order %ld, its trace is %.0f\n", n, trace);
    printf("by a loop: %s\n", correct ? "correct" : "WRONG");
    printf("by quarters: %s\n", quarters ? "the same" : "NOT THE SAME");
    printf("by Strassen's method: %s\n", seven ? "the same" : "NOT THE SAME");
    for (int k = 0; k < 3; k++)
        free(c[k]);
    free(a);
    free(b);
    free(work);
    return correct && quarters && seven ? 0 : 1;
}
