/* Parallel loops: cheap, expensive and uneven iterations, short loops, reductions, two dimensions. Sizes, bodies, and
 * main().
 *
 *   loop_empty          iterations without a body, per iteration
 *   loop_10ns           iterations of about 10 ns
 *   loop_10us           iterations of about 10 us
 *   loop_triangle       iteration i takes i steps
 *   loop_falling        iteration i takes n - i steps
 *   loop_enter          loops of 2 to 16 empty iterations, one after the other, per loop
 *   loop_enter_spread   loops of 100 iterations of 0.2 us, one after the other, per loop
 *   loop_mesh           the loops of a time step of a small mesh, one after the other: 300 to 30000 iterations of 1 to
 *                       60 ns, 0.2 ms together; per step
 *   loop_reduce         the sum of an array of doubles, in the order of the loop within each part, per element
 *   loop_enter_reduce   sums of 2 to 16 doubles, one after the other, per sum
 *   loop_2d             a stencil on 1000 x 1000 cells, per cell
 *   loop_2d_flat        3 x 1,000,000 iterations of about 10 ns: the first dimension is too short for all workers
 *
 * The steps of an iteration are a chain of multiplications in a function that is not inlined, so that no compiler does
 * several iterations at a time. Every iteration adds to a place of its own: one that was lost or done twice shows in
 * the checksum. Empty ones count themselves under BENCH_CHECK. */
#ifndef LOOPS_H
#define LOOPS_H
#include "bench.h"

enum { ENTER_LEAST = 2, ENTER_MOST = 16, SPREAD = 100, SIDE = 1000, FLAT_ROWS = 3 };
enum { STEPS_10NS = 17, STEPS_200NS = 168, STEPS_10US = 7400 };     /* of step(), on the CPU of README.md */

/* Functions of a system: one loop each. It may have several ways to run them: WAYS then holds a suffix of the
 * system's name for each. */
static int way;
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static void run_empty(long n);                                      /* empty_body(i), i < n */
static void run_equal(long n, int steps);                           /* step_body(i, steps) */
static void run_rising(long n);                                     /* step_body(i, i) */
static void run_falling(long n);                                    /* step_body(i, n - i) */
static double run_sum(long n, const double *x);                     /* of x[i] */
static void run_stencil(const uint64_t *from, uint64_t *to);       /* cell_body(from, to, i, j), 1 <= i, j < SIDE - 1 */
static void run_flat(long n);                               /* step_body(i * n + j, STEPS_10NS), i < FLAT_ROWS, j < n */

static uint64_t *place;                                             /* of each iteration */
static uint64_t counted;
static double *number, summed;
static uint64_t *cells, *cells_too;

/* The bodies. ------------------------------------------------------------------------------------------------------ */

__attribute__((noinline, cold)) static void count(long i)
{
    __atomic_fetch_add(&counted, bench_mix((uint64_t)i), __ATOMIC_RELAXED);
}
static inline void empty_body(long i)
{
    if (__builtin_expect(bench_check, 0)) count(i);
    __asm__ volatile("" : : "r"(i));                                /* keeps the iteration */
}

__attribute__((noinline)) static uint64_t step(uint64_t x, long steps)
{
    for (long k = 0; k < steps; k++) x = (x ^ (x >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    return x;
}
static inline void step_body(long i, long steps) { place[i] += step((uint64_t)i, steps); }

static inline void cell_body(const uint64_t *from, uint64_t *to, long i, long j)
{
    const uint64_t *x = from + i * SIDE + j;
    to[i * SIDE + j] = step(x[0] + x[1] + x[-1] + x[SIDE] + x[-SIDE], 2);
}

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

static void enter(long loops)
{
    for (long k = 0; k < loops; k++) run_empty(ENTER_LEAST + k % (ENTER_MOST - ENTER_LEAST + 1));
}
static void enter_spread(long loops)
{
    for (long k = 0; k < loops; k++) run_equal(SPREAD, STEPS_200NS);
}
static void mesh(long steps)
{
    static const struct { long n; int steps; } of[] = {
        { 3375, 2 }, { 300, 4 }, { 2700, 8 }, { 600, 100 }, { 30000, 2 }, { 450, 4 }, { 3375, 8 }, { 900, 100 }, { 1200, 2 },
        { 3375, STEPS_10NS },
    };
    while (steps-- > 0)
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) run_equal(of[k].n, of[k].steps);
}
static void reduce(long n) { summed += run_sum(n, number); }
static void enter_reduce(long loops)
{
    for (long k = 0; k < loops; k++)
        summed += run_sum(ENTER_LEAST + k % (ENTER_MOST - ENTER_LEAST + 1), number + k % 100);
}
static void equal_10ns(long n) { run_equal(n, STEPS_10NS); }
static void equal_10us(long n) { run_equal(n, STEPS_10US); }
static void stencil(long sweeps)
{
    for (long k = 0; k < sweeps; k++) {
        uint64_t *from = cells;
        run_stencil(from, cells_too);
        cells = cells_too;
        cells_too = from;
    }
}

#ifndef WAYS
#define WAYS ""
#endif
static const char *const way_name[] = { WAYS };
static long places;

static void loops(const char *workload, void (*run)(long), long n, long tasks)
{
    if (!bench_wants(workload)) return;
    counted = 0;
    summed = 0;
    memset(place, 0, (size_t)places * sizeof *place);
    for (uint64_t i = 0; i < SIDE * SIDE; i++) cells[i] = cells_too[i] = i;
    double start = bench_now();
    run(n);
    double seconds = bench_now() - start;
    uint64_t check = bench_mix(counted + (uint64_t)summed);
    for (long i = 0; i < places; i++)                               /* the number of places is no part of it       */
        if (place[i]) check = check * 31 + place[i];
    for (long i = 0; i < SIDE * SIDE; i++) check = check * 31 + cells[i];
    char system[64];
    snprintf(system, sizeof system, "%s%s", BENCH_SYSTEM, way_name[way]);
    bench_line(workload, system, seconds, tasks, check);
}

int main(int argc, char **argv)
{
    long empty = bench_size(1000000000, 20000000, 500000), cheap = bench_size(10000000, 2000000, 50000);
    long costly = bench_size(10000, 10000, 200), rows = bench_size(20000, 20000, 2000),
        enters = bench_size(100000, 10000, 100);
    long spread = bench_size(10000, 5000, 100), sums = bench_size(20000000, 10000000, 100000);
    long mesh_steps = bench_size(2000, 500, 20);
    long sweeps = bench_size(40, 40, 2), columns = bench_size(1000000, 500000, 10000);
    places = cheap > FLAT_ROWS * columns ? cheap : FLAT_ROWS * columns;
    place = (uint64_t *)bench_alloc((size_t)places, sizeof *place);
    number = (double *)bench_alloc((size_t)sums, sizeof *number);
    /* sums are exact in any order */
    for (long i = 0; i < sums; i++) number[i] = (double)(bench_mix((uint64_t)i) % 1000);
    cells = (uint64_t *)bench_alloc(SIDE * SIDE, sizeof *cells);
    cells_too = (uint64_t *)bench_alloc(SIDE * SIDE, sizeof *cells_too);
    for (way = 0; way < (int)(sizeof way_name / sizeof *way_name); way++) {
        bench_start(argc, argv, run_start());
        run_equal(1000, STEPS_10US);                                /* wakes the workers */
        loops("loop_empty", run_empty, empty, empty);
        loops("loop_10ns", equal_10ns, cheap, cheap);
        loops("loop_10us", equal_10us, costly, costly);
        loops("loop_triangle", run_rising, rows, rows);
        loops("loop_falling", run_falling, rows, rows);
        loops("loop_enter", enter, enters, enters);
        loops("loop_enter_spread", enter_spread, spread, spread);
        loops("loop_mesh", mesh, mesh_steps, mesh_steps);
        loops("loop_reduce", reduce, sums, sums);
        loops("loop_enter_reduce", enter_reduce, enters, enters);
        loops("loop_2d", stencil, sweeps, sweeps * (SIDE - 2) * (SIDE - 2));
        loops("loop_2d_flat", run_flat, columns, columns * FLAT_ROWS);
        run_stop();
    }
    free(place);
    free(number);
    free(cells);
    free(cells_too);
    return 0;
}
#endif
