/* Tiled Cholesky with OpenMP's `task depend`; the first element of a tile stands for the tile. */
#include "cholesky.h"
#include <omp.h>

static int run_start(void) { return omp_get_max_threads(); }
static void run_stop(void) {}

static void run_cholesky(double *a, size_t n, size_t size)
{
    #pragma omp parallel
    #pragma omp single
    for (size_t k = 0; k < n; k += size) {
        double *kk = &a[k * n + k];
        #pragma omp task depend(inout: kk[0]) firstprivate(kk, k, n, size)
        potrf(size, kk, n, k, &bad_column);
        for (size_t i = k + size; i < n; i += size) {
            double *ik = &a[i * n + k];
            #pragma omp task depend(in: kk[0]) depend(inout: ik[0]) firstprivate(kk, ik, n, size)
            trsm(size, size, kk, n, ik, n);
        }
        for (size_t i = k + size; i < n; i += size) {
            double *ik = &a[i * n + k], *ii = &a[i * n + i];
            for (size_t j = k + size; j < i; j += size) {
                double *jk = &a[j * n + k], *ij = &a[i * n + j];
                #pragma omp task depend(in: ik[0], jk[0]) depend(inout: ij[0]) firstprivate(ik, jk, ij, n, size)
                gemm(size, size, size, ik, n, jk, n, ij, n);
            }
            #pragma omp task depend(in: ik[0]) depend(inout: ii[0]) firstprivate(ik, ii, n, size)
            syrk(size, size, ik, n, ii, n);
        }
    }
}
