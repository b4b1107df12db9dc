// Streams with oneTBB: its flow graph, and the other way its parallel_pipeline. The elements stay where they are, in
// rings of as many windows as may be on their way; nodes pass the number of the window. Windows leave in order:
// else more than a ring of them could lie between the first and the last that are on their way.
#define WAYS "", "-pipeline"
#include "streams.h"
#include <deque>
#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <vector>

using namespace tbb::flow;
using tbb::filter_mode;

static tbb::global_control *limit;

static int run_start()
{
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(bench_workers()));
    return bench_workers();
}
static void run_stop() { delete limit; }

// A source of 0 .. n-1, at most `most` of which are on their way: they leave by `done`. The limiter counts one less,
// because the source makes the next one before it asks.
struct numbers {
    long next = 0;
    input_node<long> source;
    limiter_node<long> out;

    template <class Body> numbers(graph &g, long n, size_t most, Body body)
        : source(g, [this, n, body](tbb::flow_control &end) {
              if (next == n) end.stop();
              else body(next);
              return next++;
          }), out(g, most - 1) { make_edge(source, out); }
    template <class Node> void done(Node &last) { make_edge(last, out.decrementer()); }
    void run(graph &g) { source.activate(); g.wait_for_all(); }
};

// The same for a pipeline.
template <class Body> static tbb::filter<void, long> number_filter(long n, Body body)
{
    auto next = std::make_shared<long>(0);
    return tbb::make_filter<void, long>(filter_mode::serial_in_order, [=](tbb::flow_control &end) {
        if (*next == n) end.stop();
        else body(*next);
        return (*next)++;
    });
}

static void run_windows(long n, int burst)
{
    std::vector<uint64_t> ring(size_t(CAPACITY) * size_t(burst));
    auto window = [&ring, burst](long i) { return &ring[size_t(i % CAPACITY) * size_t(burst)]; };
    auto put = [window](long i) { put_body(i, window(i)); };
    auto take = [window](long i) { take_body(i, window(i)); };
    if (way == 0) {
        graph g;
        numbers from(g, n, CAPACITY, put);
        function_node<long, continue_msg> consumer(g, serial, [take](long i) { take(i); return continue_msg(); });
        make_edge(from.out, consumer);
        from.done(consumer);
        from.run(g);
    } else {
        tbb::parallel_pipeline(CAPACITY, number_filter(n, put) & tbb::make_filter<long,
                               void>(filter_mode::serial_in_order, take));
    }
}

// The graph: a node per filter, serial, with the samples it needs again in a buffer of its own. A result of a serial node
// may be overtaken by a later one, hence the sequencers, and a join by numbers.
template <size_t... B> static void bank_graph(long blocks, std::index_sequence<B...>)
{
    std::vector<int> samples(BLOCKS * BLOCK), history(BANDS * (PAST + BLOCK));
    std::vector<int64_t> bands(BANDS * BLOCKS * BLOCK);
    auto band_of = [&bands](size_t b, long k) { return &bands[(b * BLOCKS + size_t(k % BLOCKS)) * BLOCK]; };

    graph g;
    numbers from(g, blocks, BLOCKS, [&](long k) {
        source_body(BLOCK, input + PAST + k * BLOCK, &samples[size_t(k % BLOCKS) * BLOCK]);
    });
    sequencer_node<long> in_order(g, [](long k) { return size_t(k); });
    broadcast_node<long> all(g);
    std::deque<function_node<long, long>> filters;
    for (size_t b = 0; b < BANDS; b++)
        filters.emplace_back(g, serial, [&samples, &history, band_of, b](long k) {
            int *h = &history[b * (PAST + BLOCK)];
            source_body(BLOCK, &samples[size_t(k % BLOCKS) * BLOCK], h + PAST);
            filter_body(int(b), h, band_of(b, k));
            memmove(h, h + BLOCK, PAST * sizeof *h);
            return k;
        });
    auto number = [](long k) { return k; };
    using numbered = std::tuple<decltype((void)B, long())...>;
    join_node<numbered, key_matching<long>> join(g, ((void)B, number)...);
    sequencer_node<numbered> joined(g, [](const numbered &n) { return size_t(std::get<0>(n)); });
    function_node<numbered, continue_msg> sum(g, serial, [band_of](const numbered &n) {
        const int64_t *band[BANDS] = { band_of(B, std::get<0>(n))... };
        sum_body(band, output + std::get<0>(n) * BLOCK);
        return continue_msg();
    });
    make_edge(from.out, in_order);
    make_edge(in_order, all);
    for (auto &f : filters) make_edge(all, f);
    (make_edge(filters[B], input_port<B>(join)), ...);
    make_edge(join, joined);
    make_edge(joined, sum);
    from.done(sum);
    from.run(g);
}

// The pipeline: a block with the samples before it goes through all filters in one stage, and is added up in the next.
static void bank_pipeline(long blocks)
{
    std::vector<int> samples(BLOCKS * (PAST + BLOCK));
    std::vector<int64_t> bands(BLOCKS * BANDS * BLOCK);
    auto block = [&samples](long k) { return &samples[size_t(k % BLOCKS) * (PAST + BLOCK)]; };
    auto band = [&bands](long k, int b) { return &bands[(size_t(k % BLOCKS) * BANDS + size_t(b)) * BLOCK]; };
    tbb::parallel_pipeline(BLOCKS,
        number_filter(blocks, [block](long k) { source_body(PAST + BLOCK, input + k * BLOCK, block(k)); })
        & tbb::make_filter<long, long>(filter_mode::parallel, [=](long k) {
            for (int b = 0; b < BANDS; b++) filter_body(b, block(k), band(k, b));
            return k;
        })
        & tbb::make_filter<long, void>(filter_mode::serial_in_order, [band](long k) {
            const int64_t *all[BANDS];
            for (int b = 0; b < BANDS; b++) all[b] = band(k, b);
            sum_body(all, output + k * BLOCK);
        }));
}

static void run_bank(long blocks)
{
    if (way == 0) bank_graph(blocks, std::make_index_sequence<BANDS>());
    else bank_pipeline(blocks);
}
