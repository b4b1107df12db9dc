/* Parallel loops with df_for and df_for2, without options. */
#include "loops.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_LOOP(empty);
DF_LOOP(equal, (int, steps));
DF_LOOP(rising);
DF_LOOP(falling, (long, n));
DF_LOOP(sum, (const double *, x), df_reduce(df_sum, double, total, 1));
DF_LOOP2(sweep, (const uint64_t *, from), (uint64_t *, to));
DF_LOOP2(flat, (long, n));

void empty(long lo, long hi)
{
    for (long i = lo; i < hi; i++) empty_body(i);
}
void equal(long lo, long hi, int steps)
{
    for (long i = lo; i < hi; i++) step_body(i, steps);
}
void rising(long lo, long hi)
{
    for (long i = lo; i < hi; i++) step_body(i, i);
}
void falling(long lo, long hi, long n)
{
    for (long i = lo; i < hi; i++) step_body(i, n - i);
}
void sum(long lo, long hi, const double *x, double *total)
{
    double part = 0;
    for (long i = lo; i < hi; i++) part += x[i];
    *total += part;
}
void sweep(long i0, long i1, long j0, long j1, const uint64_t *from, uint64_t *to)
{
    for (long i = i0; i < i1; i++)
        for (long j = j0; j < j1; j++) cell_body(from, to, i, j);
}
void flat(long i0, long i1, long j0, long j1, long n)
{
    for (long i = i0; i < i1; i++)
        for (long j = j0; j < j1; j++) step_body(i * n + j, STEPS_10NS);
}

static int run_start(void) { df_start(NULL); return df_workers(); }
static void run_stop(void) { df_stop(); }
static void run_empty(long n) { df_for(empty, 0, n); }
static void run_equal(long n, int steps) { df_for(equal, 0, n, steps); }
static void run_rising(long n) { df_for(rising, 0, n); }
static void run_falling(long n) { df_for(falling, 0, n, n); }
static double run_sum(long n, const double *x)
{
    double total = 0;
    df_for(sum, 0, n, x, &total);
    return total;
}
static void run_stencil(const uint64_t *from, uint64_t *to) { df_for2(sweep, 1, SIDE - 1, 1, SIDE - 1, from, to); }
static void run_flat(long n) { df_for2(flat, 0, FLAT_ROWS, 0, n, n); }
