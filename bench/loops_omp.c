/* Parallel loops with OpenMP's `parallel for`. The ways are the schedules, each known when compiling:
 * `schedule(runtime)` costs a loop that is entered often up to a microsecond more. */
#define WAYS "-static", "-dynamic", "-guided"
#include "loops.h"
#include <omp.h>

#define PRAGMA(x) _Pragma(#x)
/* The loop that follows, in the way asked for, with further clauses. */
#define PARALLEL_FOR(clauses, ...)                                                  \
    do {                                                                            \
        if (way == 0) {                                                             \
            PRAGMA(omp parallel for schedule(static) clauses) __VA_ARGS__           \
        } else if (way == 1) {                                                      \
            PRAGMA(omp parallel for schedule(dynamic) clauses) __VA_ARGS__          \
        } else {                                                                    \
            PRAGMA(omp parallel for schedule(guided) clauses) __VA_ARGS__           \
        }                                                                           \
    } while (0)

static int run_start(void) { return omp_get_max_threads(); }
static void run_stop(void) {}

static void run_empty(long n)
{
    PARALLEL_FOR(default(shared), for (long i = 0; i < n; i++) empty_body(i););
}

static void run_equal(long n, int steps)
{
    PARALLEL_FOR(default(shared), for (long i = 0; i < n; i++) step_body(i, steps););
}

static void run_rising(long n)
{
    PARALLEL_FOR(default(shared), for (long i = 0; i < n; i++) step_body(i, i););
}

static void run_falling(long n)
{
    PARALLEL_FOR(default(shared), for (long i = 0; i < n; i++) step_body(i, n - i););
}

static double run_sum(long n, const double *x)
{
    double total = 0;
    PARALLEL_FOR(reduction(+: total), for (long i = 0; i < n; i++) total += x[i];);
    return total;
}

/* There are enough rows for all workers: collapse(2) would only make the loop over columns slower. */
static void run_stencil(const uint64_t *from, uint64_t *to)
{
    PARALLEL_FOR(default(shared),
        for (long i = 1; i < SIDE - 1; i++)
            for (long j = 1; j < SIDE - 1; j++) cell_body(from, to, i, j););
}

static void run_flat(long n)
{
    PARALLEL_FOR(collapse(2),
        for (long i = 0; i < FLAT_ROWS; i++)
            for (long j = 0; j < n; j++) step_body(i * n + j, STEPS_10NS););
}
