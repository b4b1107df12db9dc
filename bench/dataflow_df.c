/* Dataflow workloads with df: every task declares the regions that it reads and writes. */
#include "dataflow.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_TASK(void, plain, (long, i));
DF_TASK(void, update, df_inout(uint64_t, x, 1), (long, i));
DF_TASK(void, relax, df_in(uint64_t, l, 1), df_in(uint64_t, m, 1), df_in(uint64_t, r, 1), df_out(uint64_t, out, 1));
DF_TASK(void, relax3, df_in(uint64_t, in, 3), df_out(uint64_t, out, 1));
DF_TASK(void, potrf, df_inout(uint64_t, a, 1));
DF_TASK(void, trsm, df_in(uint64_t, l, 1), df_inout(uint64_t, b, 1));
DF_TASK(void, syrk, df_in(uint64_t, l, 1), df_inout(uint64_t, a, 1));
DF_TASK(void, gemm, df_in(uint64_t, x, 1), df_in(uint64_t, y, 1), df_inout(uint64_t, c, 1));
DF_TASK(void, potrf2, df_inout2(uint64_t, a, TILE, TILE, ld), (long, ld));
DF_TASK(void, trsm2, df_in2(uint64_t, l, TILE, TILE, ld), df_inout2(uint64_t, b, TILE, TILE, ld), (long, ld));
DF_TASK(void, syrk2, df_in2(uint64_t, l, TILE, TILE, ld), df_inout2(uint64_t, a, TILE, TILE, ld), (long, ld));
DF_TASK(void, gemm2, df_in2(uint64_t, x, TILE, TILE, ld), df_in2(uint64_t, y, TILE, TILE, ld),
        df_inout2(uint64_t, c, TILE, TILE, ld), (long, ld));

void plain(long i) { plain_body(i); }
void update(uint64_t *x, long i) { update_body(x, i); }
void relax(const uint64_t *l, const uint64_t *m, const uint64_t *r, uint64_t *out) { relax_body(l, m, r, out); }
void relax3(const uint64_t *in, uint64_t *out) { relax_body(in, in + 1, in + 2, out); }
void potrf(uint64_t *a) { potrf_body(a); }
void trsm(const uint64_t *l, uint64_t *b) { trsm_body(l, b); }
void syrk(const uint64_t *l, uint64_t *a) { syrk_body(l, a); }
void gemm(const uint64_t *x, const uint64_t *y, uint64_t *c) { gemm_body(x, y, c); }
void potrf2(uint64_t *a, long ld) { (void)ld; potrf_body(a); }
void trsm2(const uint64_t *l, uint64_t *b, long ld) { (void)ld; trsm_body(l, b); }
void syrk2(const uint64_t *l, uint64_t *a, long ld) { (void)ld; syrk_body(l, a); }
void gemm2(const uint64_t *x, const uint64_t *y, uint64_t *c, long ld) { (void)ld; gemm_body(x, y, c); }

static int run_start(void)
{
    df_start(&(df_config){0});
    return df_workers();
}
static void run_stop(void) { df_stop(); }

static double run_independent(long n)
{
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(plain, i);
    }
    return 0;
}

static double run_chains(long n, long chains)
{
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(update, &cell[i % chains], i);
    }
    return 0;
}

static double run_stencil(long steps)
{
    DF_PARALLEL {
        for (long t = 0; t < steps; t++)
            for (long x = 1; x <= WIDTH; x++) {
                const uint64_t *in = &row[t % 2][x];
                df_submit(relax, in - 1, in, in + 1, &row[1 - t % 2][x]);
            }
    }
    return 0;
}

static double run_stencil_range(long steps)
{
    DF_PARALLEL {
        for (long t = 0; t < steps; t++)
            for (long x = 1; x <= WIDTH; x++) df_submit(relax3, &row[t % 2][x - 1], &row[1 - t % 2][x]);
    }
    return 0;
}

static double run_cholesky(int tiles)
{
    DF_PARALLEL {
        for (int k = 0; k < tiles; k++) {
            df_submit(potrf, &tile[k][k]);
            for (int i = k + 1; i < tiles; i++) df_submit(trsm, &tile[k][k], &tile[i][k]);
            for (int i = k + 1; i < tiles; i++) {
                for (int j = k + 1; j < i; j++) df_submit(gemm, &tile[i][k], &tile[j][k], &tile[i][j]);
                df_submit(syrk, &tile[i][k], &tile[i][i]);
            }
        }
    }
    return 0;
}

static uint64_t *block(int i, int j) { return &matrix[i * TILE][j * TILE]; }

static double run_cholesky_2d(int tiles)
{
    const long ld = TILES_MAX * TILE;
    DF_PARALLEL {
        for (int k = 0; k < tiles; k++) {
            df_submit(potrf2, block(k, k), ld);
            for (int i = k + 1; i < tiles; i++) df_submit(trsm2, block(k, k), block(i, k), ld);
            for (int i = k + 1; i < tiles; i++) {
                for (int j = k + 1; j < i; j++) df_submit(gemm2, block(i, k), block(j, k), block(i, j), ld);
                df_submit(syrk2, block(i, k), block(i, i), ld);
            }
        }
    }
    return 0;
}
