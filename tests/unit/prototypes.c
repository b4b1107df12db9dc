/* prototypes.c - tasks of functions whose prototypes come from headers of other libraries: in the style of PLASMA (no
 * const, matrices with leading dimensions), CBLAS (const everywhere, enumerations) and zlib (types of its own, lengths by
 * pointer), unchanged; they are called directly too */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 8, BLOCKS = 4 };

/* --- the headers --------------------------------------------------------------------------------------- */

int core_gemm(int trans, int n, double alpha, double *A, int lda, double *B, int ldb, double *C, int ldc);
void core_swap(double *begin, double *end);
double core_norm(double *begin, double *end);

enum LAYOUT { ROW_MAJOR = 101, COLUMN_MAJOR };
void blas_axpy(const enum LAYOUT layout, const int n, const double alpha, const double *x, const int incx, double *y,
               const int incy);

typedef unsigned char Byte;
typedef unsigned long Length;
int pack(Byte *to, Length *length, const Byte *from, Length count);

/* --- the tasks ------------------------------------------------------------------------------------------ */

DF_TASK(int, core_gemm, (int, trans), (int, n), (double, alpha), df_read2(double, A, n, n, lda), (int, lda),
        df_read2(double, B, n, n, ldb), (int, ldb), df_inout2(double, C, n, n, ldc), (int, ldc));
DF_TASK(void, core_swap, df_inout_range(double, begin, end));
DF_TASK(double, core_norm, df_read_range(double, begin, end));
DF_TASK(void, blas_axpy, (enum LAYOUT, layout), (int, n), (double, alpha), df_in(double, x, n * incx), (int, incx),
        df_inout(double, y, n * incy), (int, incy));
DF_TASK(int, pack, df_out(Byte, to, 2 * count), df_inout(Length, length, 1), df_in(Byte, from, count), (Length, count));
static void first_of(int *from, int *to);
DF_STATIC_TASK(void, first_of, df_read(int, from, 1), df_out(int, to, 1));

/* --- the library ---------------------------------------------------------------------------------------- */

int core_gemm(int trans, int n, double alpha, double *A, int lda, double *B, int ldb, double *C, int ldc)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i * ldc + j] += alpha * (trans ? A[k * lda + i] : A[i * lda + k]) * B[k * ldb + j];
    return n;
}
void core_swap(double *begin, double *end)
{
    for (end--; begin < end; begin++, end--) {
        double x = *begin;
        *begin = *end, *end = x;
    }
}
double core_norm(double *begin, double *end)
{
    double most = 0;
    for (; begin < end; begin++) most = *begin > most ? *begin : most;
    return most;
}
void blas_axpy(const enum LAYOUT layout, const int n, const double alpha, const double *x, const int incx, double *y,
               const int incy)
{
    for (int i = 0; i < n && layout == ROW_MAJOR; i++) y[i * incy] += alpha * x[i * incx];
}
int pack(Byte *to, Length *length, const Byte *from, Length count)
{
    Length n = 0;
    for (Length i = 0, k; i < count; i = k, n += 2) {
        for (k = i; k < count && from[k] == from[i];) k++;
        to[n] = (Byte)(k - i), to[n + 1] = from[i];
    }
    if (n > *length) return -1;
    *length = n;
    return 0;
}
static void first_of(int *from, int *to)
{
    test_spin(1000);
    *to = *from;
}

/* --- readers together, writers in order ------------------------------------------------------------------- */

static void matrices(void)
{
    static double a[N * N], b[N * N], c[N * N], d[N * N], norm;
    df_future(core_norm) f;
    for (int i = 0; i < N * N; i++) a[i] = i % 5, b[i] = i % 3, c[i] = d[i] = 0;
    core_gemm(1, N, 2, a, N, b, N, d, N);
    blas_axpy(ROW_MAJOR, N, -1, a, N, d, 1);
    core_swap(d, d + N * N);
    DF_PARALLEL {
        df_submit(core_gemm, 1, N, 2, a, N, b, N, c, N);
        df_submit(blas_axpy, ROW_MAJOR, N, -1, a, N, c, 1);
        df_submit(core_swap, c, c + N * N);
        df_submit(core_swap, a, a + N * N); /* after those that read a */
    }
    for (int i = 0; i < N * N; i++) CHECK(c[i] == d[i] && a[i] == (N * N - 1 - i) % 5);
    df_spawn(core_norm, &f, c, c + N * N);
    norm = core_norm(d, d + N * N);
    CHECK(df_sync(core_norm, &f) == norm);
}
static void bytes(void)
{
    static Byte from[100], to[BLOCKS][200];
    static Length length[BLOCKS];
    for (int i = 0; i < 100; i++) from[i] = (Byte)(i / 10);
    DF_PARALLEL for (int i = 0; i < BLOCKS; i++) {
        length[i] = 200;
        df_submit(pack, to[i], &length[i], from, (Length)(25 * (i + 1)));
    }
    for (int i = 0; i < BLOCKS; i++)
        CHECK(length[i] == 2 * ((25 * (Length)(i + 1) + 9) / 10) && to[i][0] == 10 && to[i][3] == 1);
}
static void order(void) /* a reader without const is a reader */
{
    int x = 1, two = 2, y[4] = { 0 };
    DF_PARALLEL {
        df_submit(first_of, &x, &y[0]);
        df_submit(first_of, &x, &y[1]);
        df_submit(first_of, &two, &x);
        df_submit(first_of, &x, &y[2]);
        df_submit(first_of, &y[0], &y[3]);
    }
    CHECK(x == 2 && y[0] == 1 && y[1] == 1 && y[2] == 2 && y[3] == 1);
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        matrices();
        bytes();
        order();
    }
}
