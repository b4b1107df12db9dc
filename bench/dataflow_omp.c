/* Dataflow workloads with OpenMP's `task depend`. A depend clause is an address: in cholesky_2d the first element of a
 * tile stands for all of it, and a range of cells cannot be declared at all. */
#include "dataflow.h"
#include <omp.h>

static int run_start(void) { return omp_get_max_threads(); }
static void run_stop(void) {}

static double run_independent(long n)
{
    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < n; i++) {
        #pragma omp task firstprivate(i)
        plain_body(i);
    }
    return 0;
}

static double run_chains(long n, long chains)
{
    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < n; i++) {
        uint64_t *x = &cell[i % chains];
        #pragma omp task depend(inout: x[0]) firstprivate(x, i)
        update_body(x, i);
    }
    return 0;
}

static double run_stencil(long steps)
{
    #pragma omp parallel
    #pragma omp single
    for (long t = 0; t < steps; t++)
        for (long x = 1; x <= WIDTH; x++) {
            const uint64_t *in = &row[t % 2][x];
            uint64_t *out = &row[1 - t % 2][x];
            #pragma omp task depend(in: in[-1], in[0], in[1]) depend(out: out[0]) firstprivate(in, out)
            relax_body(in - 1, in, in + 1, out);
        }
    return 0;
}

static double run_stencil_range(long steps) { return steps < 0 ? 0 : -1; }

/* Tile (i, j) begins at first[i * ld + j * step]. */
static void cholesky(uint64_t *first, int tiles, long ld, long step)
{
    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < tiles; k++) {
        uint64_t *kk = first + k * ld + k * step;
        #pragma omp task depend(inout: kk[0]) firstprivate(kk)
        potrf_body(kk);
        for (int i = k + 1; i < tiles; i++) {
            uint64_t *ik = first + i * ld + k * step;
            #pragma omp task depend(in: kk[0]) depend(inout: ik[0]) firstprivate(kk, ik)
            trsm_body(kk, ik);
        }
        for (int i = k + 1; i < tiles; i++) {
            uint64_t *ik = first + i * ld + k * step, *ii = first + i * ld + i * step;
            for (int j = k + 1; j < i; j++) {
                uint64_t *jk = first + j * ld + k * step, *ij = first + i * ld + j * step;
                #pragma omp task depend(in: ik[0], jk[0]) depend(inout: ij[0]) firstprivate(ik, jk, ij)
                gemm_body(ik, jk, ij);
            }
            #pragma omp task depend(in: ik[0]) depend(inout: ii[0]) firstprivate(ik, ii)
            syrk_body(ik, ii);
        }
    }
}

static double run_cholesky(int tiles)
{
    cholesky(tile[0], tiles, TILES_MAX, 1);
    return 0;
}

static double run_cholesky_2d(int tiles)
{
    cholesky(matrix[0], tiles, TILE * TILES_MAX * TILE, TILE);
    return 0;
}
