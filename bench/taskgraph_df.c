/* Repetitions of one graph: submitted each time, and recorded once and run as a task graph.
 *
 *   cholesky        a Cholesky factorisation of 64 x 64 tiles, 45,760 tasks, one element standing for a tile
 *   stencil         10 steps over 1000 cells, double buffered, 10,000 tasks
 *   independent     10,000 tasks without regions
 *
 * Systems: df, which submits; df-taskgraph, which runs the graph; df-record, the recording and the first run. One
 * worker runs a submitted task immediately unless DF_DEFER=1 makes it queue tasks as several workers do: then the
 * time is that of a task that is ordered. The bodies do nothing, or with BENCH_CHECK=1 the work of those of the
 * dataflow group; both ways of running the graph have the same checksum. */
#include "bench.h"
#define DF_IMPLEMENTATION
#include "../df.h"

enum { WIDTH = 1000, STEPS = 10, TILES_MAX = 64 };
static uint64_t row[2][WIDTH + 2], tile[TILES_MAX][TILES_MAX];
static int tiles;

DF_TASK(void, plain, (long, i));
DF_TASK(void, relax, df_in(uint64_t, l, 1), df_in(uint64_t, m, 1), df_in(uint64_t, r, 1), df_out(uint64_t, out, 1));
DF_TASK(void, potrf, df_inout(uint64_t, a, 1));
DF_TASK(void, trsm, df_in(uint64_t, l, 1), df_inout(uint64_t, b, 1));
DF_TASK(void, syrk, df_in(uint64_t, l, 1), df_inout(uint64_t, a, 1));
DF_TASK(void, gemm, df_in(uint64_t, x, 1), df_in(uint64_t, y, 1), df_inout(uint64_t, c, 1));

void plain(long i) { if (bench_check) row[0][i % WIDTH + 1] |= (uint64_t)1 << (i & 63); }
void relax(const uint64_t *l, const uint64_t *m, const uint64_t *r, uint64_t *out)
{
    if (bench_check) *out = bench_mix(*l + 3 * *m + 5 * *r);
}
void potrf(uint64_t *a) { if (bench_check) *a = bench_mix(*a); }
void trsm(const uint64_t *l, uint64_t *b) { if (bench_check) *b = bench_mix(*b + 3 * *l); }
void syrk(const uint64_t *l, uint64_t *a) { if (bench_check) *a = bench_mix(*a + 5 * *l); }
void gemm(const uint64_t *x, const uint64_t *y, uint64_t *c) { if (bench_check) *c = bench_mix(*c + 7 * *x + 11 * *y); }

static void independent(void)
{
    for (long i = 0; i < WIDTH * STEPS; i++) df_submit(plain, i);
}

static void stencil(void)
{
    for (long t = 0; t < STEPS; t++)
        for (long x = 1; x <= WIDTH; x++) {
            const uint64_t *in = &row[t % 2][x];
            df_submit(relax, in - 1, in, in + 1, &row[1 - t % 2][x]);
        }
}

static void cholesky(void)
{
    for (int k = 0; k < tiles; k++) {
        df_submit(potrf, &tile[k][k]);
        for (int i = k + 1; i < tiles; i++) df_submit(trsm, &tile[k][k], &tile[i][k]);
        for (int i = k + 1; i < tiles; i++) {
            for (int j = k + 1; j < i; j++) df_submit(gemm, &tile[i][k], &tile[j][k], &tile[i][j]);
            df_submit(syrk, &tile[i][k], &tile[i][i]);
        }
    }
}

static uint64_t result(void)
{
    uint64_t s = 0;
    for (int i = 0; bench_check && i < WIDTH + 2; i++) s = bench_mix(s + row[0][i] + 3 * row[1][i]);
    for (int i = 0; bench_check && i < TILES_MAX * TILES_MAX; i++)
        s = bench_mix(s + tile[i / TILES_MAX][i % TILES_MAX]);
    return s;
}

static void start(void)
{
    for (uint64_t i = 0; i < WIDTH + 2; i++) row[0][i] = row[1][i] = i;
    for (uint64_t i = 0; i < TILES_MAX * TILES_MAX; i++) tile[i / TILES_MAX][i % TILES_MAX] = i;
}

/* The graph is run rounds + 1 times both ways, the first two untimed. */
static void both(const char *name, void (*submit)(void), long tasks, long rounds)
{
    if (!bench_wants(name)) return;
    start();
    for (int i = 0; i < 2; i++)
        DF_PARALLEL { submit(); }
    double t = bench_now();
    for (long i = 1; i < rounds; i++)
        DF_PARALLEL { submit(); }
    bench_line(name, BENCH_SYSTEM, bench_now() - t, (rounds - 1) * tasks, result());
    start();
    df_taskgraph *g = df_taskgraph_new();
    t = bench_now();
    DF_TASKGRAPH(g) { submit(); }
    double recorded = bench_now() - t;
    for (long i = 0; i < rounds; i++) {
        df_taskgraph_run(g);
        if (i) continue;
        /* and what the first run of the graph does */
        bench_line(name, BENCH_SYSTEM "-record", recorded + bench_now() - t, tasks, 0);
        t = bench_now();
    }
    bench_line(name, BENCH_SYSTEM "-taskgraph", bench_now() - t, (rounds - 1) * tasks, result());
    df_taskgraph_free(g);
}

int main(int argc, char **argv)
{
    long rounds = bench_size(100, 20, 3);
    tiles = (int)bench_size(64, 64, 16);
    df_start(&(df_config){0});
    bench_start(argc, argv, df_workers());
    both("cholesky", cholesky, (long)tiles * (tiles + 1) * (tiles + 2) / 6, rounds / 2 + 2);
    both("stencil", stencil, WIDTH * STEPS, rounds);
    both("independent", independent, WIDTH * STEPS, rounds);
    df_stop();
    return 0;
}
