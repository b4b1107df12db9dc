/* Tiled Cholesky with df: the kernels of an ordinary library, declared as tasks. */
#include "cholesky.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_TASK(void, gemm, (size_t, m), (size_t, n), (size_t, k), df_in2(double, a, m, k, lda), (size_t, lda),
        df_in2(double, b, n, k, ldb), (size_t, ldb), df_inout2(double, c, m, n, ldc), (size_t, ldc));
DF_TASK(void, syrk, (size_t, n), (size_t, k), df_in2(double, a, n, k, lda), (size_t, lda),
        df_inout2(double, c, n, n, ldc), (size_t, ldc));
DF_TASK(void, trsm, (size_t, m), (size_t, n), df_in2(double, l, n, n, ldl), (size_t, ldl),
        df_inout2(double, b, m, n, ldb), (size_t, ldb));
DF_TASK(void, potrf, (size_t, n), df_inout2(double, a, n, n, lda), (size_t, lda), (size_t, first),
        df_inout(size_t, bad, 1));

static int run_start(void)
{
    df_start(&(df_config){0});
    return df_workers();
}
static void run_stop(void) { df_stop(); }

static void run_cholesky(double *a, size_t n, size_t size)
{
    DF_PARALLEL {
        for (size_t k = 0; k < n; k += size) {
            double *kk = &a[k * n + k];
            df_submit(potrf, size, kk, n, k, &bad_column);
            for (size_t i = k + size; i < n; i += size) df_submit(trsm, size, size, kk, n, &a[i * n + k], n);
            for (size_t i = k + size; i < n; i += size) {
                double *ik = &a[i * n + k];
                for (size_t j = k + size; j < i; j += size)
                    df_submit(gemm, size, size, size, ik, n, &a[j * n + k], n, &a[i * n + j], n);
                df_submit(syrk, size, size, ik, n, &a[i * n + i], n);
            }
        }
    }
}
