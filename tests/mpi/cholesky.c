/* cholesky.c - the factorisation of a matrix of tiles, distributed block-cyclically in two dimensions
 *
 * The result is that of the serial build bit for bit, because each tile is computed by the same operations. */
#define DF_IMPLEMENTATION
#include "../../df_mpi.h"
#include "../test.h"
#include <math.h>
#include <string.h>

enum { B = 24, T = 9, N = B * T };

DF_TASK(void, potrf, df_inout2(double, a, B, B, N));
void potrf(double *a)
{
    for (int j = 0; j < B; j++) {
        for (int k = 0; k < j; k++) a[j * N + j] -= a[j * N + k] * a[j * N + k];
        a[j * N + j] = sqrt(a[j * N + j]);
        for (int i = j + 1; i < B; i++) {
            for (int k = 0; k < j; k++) a[i * N + j] -= a[i * N + k] * a[j * N + k];
            a[i * N + j] /= a[j * N + j];
        }
    }
}
DF_TASK(void, trsm, df_in2(double, l, B, B, N), df_inout2(double, b, B, B, N));
void trsm(const double *l, double *b)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) {
            for (int k = 0; k < j; k++) b[i * N + j] -= b[i * N + k] * l[j * N + k];
            b[i * N + j] /= l[j * N + j];
        }
}
DF_TASK(void, gemm, df_in2(double, a, B, B, N), df_in2(double, b, B, B, N), df_inout2(double, c, B, B, N));
void gemm(const double *a, const double *b, double *c)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < B; k++) c[i * N + j] -= a[i * N + k] * b[j * N + k];
}

int main(void)
{
    uint64_t h = 0;
    CHECK(df_mpi_start(MPI_COMM_WORLD, NULL) == DF_OK);
    double *a = df_shared_alloc(double, .dim = {{ .size = N, .split = DF_CYCLIC(B) }, { .size = N, .split = DF_CYCLIC(B) }});
    CHECK(a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (df_home(&a[i * N + j]) == df_rank()) a[i * N + j] = i == j ? N : 1.0 / (1 + abs(i - j));
#define A(i, j) (a + (i) * B * N + (j) * B)
    for (int k = 0; k < T; k++) {
        df_submit(potrf, A(k, k));
        for (int i = k + 1; i < T; i++) df_submit(trsm, A(k, k), A(i, k));
        for (int i = k + 1; i < T; i++)
            for (int j = k + 1; j <= i; j++) df_submit(gemm, A(i, k), A(j, k), A(i, j));
    }
    df_fetch(a, (size_t)N * N * sizeof *a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            uint64_t bits;
            memcpy(&bits, &a[i * N + j], sizeof bits);
            h = test_mix(h, bits);
        }
    printf("%016llx\n", (unsigned long long)h);
    CHECK(df_mpi_wait() == DF_OK);
    return 0;
}
