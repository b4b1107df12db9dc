// Parallel loops with oneTBB's parallel_for and parallel_reduce, by the auto_partitioner, which is the default.
#include "loops.h"
#include <functional>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

using range = tbb::blocked_range<long>;
using range2 = tbb::blocked_range2d<long>;

static tbb::global_control *limit;

static int run_start()
{
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(bench_workers()));
    return bench_workers();
}
static void run_stop() { delete limit; }

template <class Body> static void loop(long n, Body body)
{
    tbb::parallel_for(range(0, n), [=](const range &r) {
        for (long i = r.begin(), end = r.end(); i < end; i++) body(i);
    }, tbb::auto_partitioner());
}

template <class Body> static void loop2(const range2 &all, Body body)
{
    tbb::parallel_for(all, [=](const range2 &r) {
        const long j0 = r.cols().begin(), j1 = r.cols().end();
        for (long i = r.rows().begin(), end = r.rows().end(); i < end; i++)
            for (long j = j0; j < j1; j++) body(i, j);
    }, tbb::auto_partitioner());
}

static void run_empty(long n) { loop(n, [](long i) { empty_body(i); }); }
static void run_equal(long n, int steps) { loop(n, [=](long i) { step_body(i, steps); }); }
static void run_rising(long n) { loop(n, [](long i) { step_body(i, i); }); }
static void run_falling(long n) { loop(n, [=](long i) { step_body(i, n - i); }); }

static double run_sum(long n, const double *x)
{
    return tbb::parallel_reduce(range(0, n), 0.0, [=](const range &r, double part) {
        for (long i = r.begin(), end = r.end(); i < end; i++) part += x[i];
        return part;
    }, std::plus<double>(), tbb::auto_partitioner());
}

static void run_stencil(const uint64_t *from, uint64_t *to)
{
    loop2(range2(1, SIDE - 1, 1, SIDE - 1), [=](long i, long j) { cell_body(from, to, i, j); });
}
static void run_flat(long n)
{
    loop2(range2(0, FLAT_ROWS, 0, n), [=](long i, long j) { step_body(i * n + j, STEPS_10NS); });
}
