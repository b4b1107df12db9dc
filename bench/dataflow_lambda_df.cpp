/* Dataflow workloads with df from C++: tasks of lambdas (df.hpp), with the accesses of dataflow_df.c. */
#include "dataflow.h"
#define DF_IMPLEMENTATION
#include "../df.hpp"

static int run_start()
{
    df_start(DF_CONFIG(.workers = 0));
    return df_workers();
}
static void run_stop() { df_stop(); }

static double run_independent(long n)
{
    DF_PARALLEL
    {
        for (long i = 0; i < n; i++) df::submit([i] { plain_body(i); });
    }
    return 0;
}

static double run_chains(long n, long chains)
{
    DF_PARALLEL
    {
        for (long i = 0; i < n; i++) df::submit([i](uint64_t &x) { update_body(&x, i); }, df::inout(cell[i % chains]));
    }
    return 0;
}

static double run_stencil(long steps)
{
    DF_PARALLEL
    {
        for (long t = 0; t < steps; t++)
            for (long x = 1; x <= WIDTH; x++) {
                const uint64_t *in = &row[t % 2][x];
                df::submit([](const uint64_t &l, const uint64_t &m, const uint64_t &r, uint64_t &out) {
                    relax_body(&l, &m, &r, &out);
                }, df::in(in[-1]), df::in(in[0]), df::in(in[1]), df::out(row[1 - t % 2][x]));
            }
    }
    return 0;
}

static double run_stencil_range(long steps)
{
    DF_PARALLEL
    {
        for (long t = 0; t < steps; t++)
            for (long x = 1; x <= WIDTH; x++)
                df::submit([](const uint64_t *in, uint64_t &out) { relax_body(in, in + 1, in + 2, &out); },
                           df::in(&row[t % 2][x - 1], 3), df::out(row[1 - t % 2][x]));
    }
    return 0;
}

static double run_cholesky(int tiles)
{
    DF_PARALLEL
    {
        for (int k = 0; k < tiles; k++) {
            df::submit([](uint64_t &a) { potrf_body(&a); }, df::inout(tile[k][k]));
            for (int i = k + 1; i < tiles; i++)
                df::submit([](const uint64_t &l, uint64_t &b) { trsm_body(&l, &b); }, df::in(tile[k][k]),
                           df::inout(tile[i][k]));
            for (int i = k + 1; i < tiles; i++) {
                for (int j = k + 1; j < i; j++)
                    df::submit([](const uint64_t &x, const uint64_t &y, uint64_t &c) { gemm_body(&x, &y, &c); },
                               df::in(tile[i][k]), df::in(tile[j][k]), df::inout(tile[i][j]));
                df::submit([](const uint64_t &l, uint64_t &a) { syrk_body(&l, &a); }, df::in(tile[i][k]),
                           df::inout(tile[i][i]));
            }
        }
    }
    return 0;
}

static uint64_t *block(int i, int j) { return &matrix[i * TILE][j * TILE]; }
static const long ld = TILES_MAX * TILE;

static double run_cholesky_2d(int tiles)
{
    DF_PARALLEL
    {
        for (int k = 0; k < tiles; k++) {
            df::submit([](uint64_t *a) { potrf_body(a); }, df::inout2(block(k, k), TILE, TILE, ld));
            for (int i = k + 1; i < tiles; i++)
                df::submit([](const uint64_t *l, uint64_t *b) { trsm_body(l, b); },
                           df::in2(block(k, k), TILE, TILE, ld), df::inout2(block(i, k), TILE, TILE, ld));
            for (int i = k + 1; i < tiles; i++) {
                for (int j = k + 1; j < i; j++)
                    df::submit([](const uint64_t *x, const uint64_t *y, uint64_t *c) { gemm_body(x, y, c); },
                               df::in2(block(i, k), TILE, TILE, ld), df::in2(block(j, k), TILE, TILE, ld),
                               df::inout2(block(i, j), TILE, TILE, ld));
                df::submit([](const uint64_t *l, uint64_t *a) { syrk_body(l, a); },
                           df::in2(block(i, k), TILE, TILE, ld), df::inout2(block(i, i), TILE, TILE, ld));
            }
        }
    }
    return 0;
}
