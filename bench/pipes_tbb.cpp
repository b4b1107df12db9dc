// Pipelines with oneTBB's parallel_pipeline. An item is no larger than a pointer: oneTBB passes it on without
// an allocation.
#include "pipes.h"
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

using tbb::filter_mode;
using stages = tbb::filter<void, uint64_t>;                         // the first stages of a pipeline

static tbb::global_control *limit;

static int run_start()
{
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(bench_workers()));
    return bench_workers();
}
static void run_stop() { delete limit; }

static long next_item;

static stages begin(long n)
{
    next_item = 0;
    return tbb::make_filter<void, uint64_t>(filter_mode::serial_in_order, [n](tbb::flow_control &end) -> uint64_t {
        if (next_item < n) return begin_body(next_item++);
        end.stop();
        return 0;
    });
}
static tbb::filter<uint64_t, uint64_t> middle()
{
    return tbb::make_filter<uint64_t, uint64_t>(filter_mode::parallel, [](uint64_t x) { return middle_body(x); });
}
static tbb::filter<uint64_t, uint64_t> serial(int stage)
{
    return tbb::make_filter<uint64_t,
        uint64_t>(filter_mode::serial_in_order, [stage](uint64_t x) { return serial_body(stage, x); });
}
static void run(const stages &all, int stage)
{
    tbb::parallel_pipeline(static_cast<size_t>(window), all & tbb::make_filter<uint64_t,
                           void>(filter_mode::serial_in_order, [stage](uint64_t x) { serial_body(stage, x); }));
}

static void run_three(long n) { run(begin(n) & middle(), 1); }
static void run_serial(long n)
{
    stages all = begin(n);
    for (int s = 1; s < STAGES - 1; s++) all &= serial(s);
    run(all, STAGES - 1);
}
static void run_parallel(long n)
{
    stages all = begin(n);
    for (int s = 0; s < STAGES; s++) all &= middle();
    run(all, 1);
}
