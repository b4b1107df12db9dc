/* The dataflow workloads: sizes, data, the (empty) bodies, and main().
 *
 * All tasks are submitted by one thread; the time covers submission, execution and the wait. Every system has to keep
 * the same order, which it expresses in its own way (regions, `depend`, the edges of a graph built by hand).
 *
 *   independent     tasks with a by-value parameter and no region
 *   regions         task i: inout of element i, all distinct
 *   chains4096      task i: inout of element i mod 4096
 *   chains256       task i: inout of element i mod 256
 *   chain           every task: inout of the same element
 *   stencil         T steps over 1000 cells, double buffered: in left, middle, right of the old row; out middle of the
 *                   new
 *   stencil_range   the same, the three inputs declared as one range of 3 elements: adjacent ranges overlap in part (df
 *                   only)
 *   cholesky        the graph of a Cholesky factorisation of 64 x 64 tiles, 45,760 tasks, one element standing for a
 *                   tile
 *   cholesky_2d     the same; tiles are 16 x 16 blocks inside an unpacked row-major matrix
 *   ..._1us         chains256 and cholesky with bodies of about 1 us
 *
 * The other bodies do nothing. With BENCH_CHECK=1 they mix their inputs into their outputs, as those of 1 us always
 * do, and the checksum is that of a serial execution only if every edge was kept. */
#ifndef DATAFLOW_H
#define DATAFLOW_H
#include "bench.h"

enum { WIDTH = 1000, TILES_MAX = 64, TILE = 16 };

/* Functions of a system: each runs its workload on the arrays below and waits for its end. A system that first
 * builds a graph and then runs it returns the seconds of the run alone, the others 0; one that cannot express a
 * workload returns -1. */
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static double run_independent(long n);
static double run_chains(long n, long chains);
static double run_stencil(long steps);
static double run_stencil_range(long steps);
static double run_cholesky(int tiles);
static double run_cholesky_2d(int tiles);

static uint64_t *cell;                                              /* of independent tasks and chains */
static uint64_t row[2][WIDTH + 2];                                  /* step t reads row[t % 2], writes row[1 - t % 2] */
static uint64_t tile[TILES_MAX][TILES_MAX];
static uint64_t (*matrix)[TILES_MAX * TILE];                      /* tile (i, j) starts at matrix[i * TILE][j * TILE] */

/* The bodies. ------------------------------------------------------------------------------------------------------ */

/* How often a body mixes its value: 0 does nothing, 1 shows a lost order, GRAIN takes about 1 us. */
enum { GRAIN = 200 };
static int work;

static inline uint64_t mixed(uint64_t x)
{
    for (int i = 0; i < work; i++) x = bench_mix(x);
    return x;
}

static inline void plain_body(long i) { if (work) cell[i] += mixed((uint64_t)i); }
static inline void update_body(uint64_t *x, long i) { if (work) *x = mixed(*x + (uint64_t)i); }
static inline void relax_body(const uint64_t *l, const uint64_t *m, const uint64_t *r, uint64_t *out)
{
    if (work) *out = mixed(*l + 3 * *m + 5 * *r);
}
static inline void potrf_body(uint64_t *a) { if (work) *a = mixed(*a); }
static inline void trsm_body(const uint64_t *l, uint64_t *b) { if (work) *b = mixed(*b + 3 * *l); }
static inline void syrk_body(const uint64_t *l, uint64_t *a) { if (work) *a = mixed(*a + 5 * *l); }
static inline void gemm_body(const uint64_t *x, const uint64_t *y, uint64_t *c)
{
    if (work) *c = mixed(*c + 7 * *x + 11 * *y);
}

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

static uint64_t fold(const uint64_t *x, size_t n, size_t stride)
{
    uint64_t s = 0;
    for (size_t i = 0; i < n; i++) s = bench_mix(s + x[i * stride]);
    return s;
}

/* Prints the result of a workload; run is what its function returned. */
static void report(const char *workload, double start, double run, long tasks, uint64_t checksum)
{
    double t = bench_now() - start;
    if (run < 0) return;
    bench_line(workload, BENCH_SYSTEM, t, tasks, checksum);
    if (run > 0) bench_line(workload, BENCH_SYSTEM "-run", run, tasks, checksum);
}

static void dataflow_chains(const char *name, long n, long chains)
{
    if (!bench_wants(name)) return;
    memset(cell, 0, (size_t)n * sizeof *cell);
    double t = bench_now(), r = chains ? run_chains(n, chains) : run_independent(n);
    report(name, t, r, n, work ? fold(cell, (size_t)n, 1) : 0);
}

static void dataflow_stencil(const char *name, long steps, double (*run)(long))
{
    if (!bench_wants(name)) return;
    for (uint64_t i = 0; i < WIDTH + 2; i++) row[0][i] = row[1][i] = i;
    double t = bench_now(), r = run(steps);
    report(name, t, r, steps * WIDTH, work ? fold(row[0], 2 * (WIDTH + 2), 1) : 0);
}

static void dataflow_cholesky(const char *name, int tiles, long rounds, double (*run)(int), uint64_t *first, size_t ld,
                              size_t step)
{
    if (!bench_wants(name)) return;
    for (size_t i = 0; i < TILES_MAX; i++)
        for (size_t j = 0; j < TILES_MAX; j++) first[i * ld + j * step] = i * TILES_MAX + j;
    long n = tiles;
    double t = bench_now(), r = 0;
    for (long i = 0; i < rounds; i++) r += run(tiles);
    uint64_t s = 0;
    for (size_t i = 0; work && i < TILES_MAX; i++) s = bench_mix(s + fold(first + i * ld, TILES_MAX, step));
    report(name, t, r, rounds * (n * (n + 1) * (n + 2) / 6), s);
}

int main(int argc, char **argv)
{
    long n = bench_size(1000000, 200000, 20000), steps = n / WIDTH, rounds = bench_size(20, 4, 1);
    int tiles = (int)bench_size(64, 64, 16);
    cell = (uint64_t *)bench_alloc((size_t)n, sizeof *cell);
    matrix = (uint64_t (*)[TILES_MAX * TILE])bench_alloc(TILES_MAX * TILE, sizeof *matrix);
    bench_start(argc, argv, run_start());
    work = bench_check;
    run_independent(n / 10);                                        /* wakes the workers */
    dataflow_chains("independent", n, 0);
    dataflow_chains("regions", n, n);
    dataflow_chains("chains4096", n, 4096);
    dataflow_chains("chains256", n, 256);
    dataflow_chains("chain", n, 1);
    dataflow_stencil("stencil", steps, run_stencil);
    dataflow_stencil("stencil_range", steps, run_stencil_range);
    dataflow_cholesky("cholesky", tiles, rounds, run_cholesky, tile[0], TILES_MAX, 1);
    dataflow_cholesky("cholesky_2d", tiles, rounds, run_cholesky_2d, matrix[0], TILE * TILES_MAX * TILE, TILE);
    work = GRAIN;
    dataflow_chains("chains256_1us", n / 10, 256);
    dataflow_cholesky("cholesky_1us", tiles, (rounds + 9) / 10, run_cholesky, tile[0], TILES_MAX, 1);
    run_stop();
    free(cell);
    free(matrix);
    return 0;
}
#endif
