// Graphs of nodes with oneTBB's flow graph: continue_nodes, and edges made by hand.
#include "nodes.h"
#include <algorithm>
#include <deque>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <vector>

using tbb::flow::continue_msg;
using node = tbb::flow::continue_node<continue_msg>;

static tbb::global_control *limit;

static int run_start()
{
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(bench_workers()));
    return bench_workers();
}
static void run_stop() { delete limit; }

struct node_graph {
    tbb::flow::graph g;
    std::deque<node> nodes;

    template <class Body> node *add(Body body)
    {
        nodes.emplace_back(g, [body](const continue_msg &) { body(); });
        return &nodes.back();
    }

    // Runs all of it, beginning with the only node that follows none; the seconds this took.
    double run(node *source)
    {
        double t = bench_now();
        source->try_put(continue_msg());
        g.wait_for_all();
        return bench_now() - t;
    }
};

static double run_chain(long n)
{
    node_graph s;
    result = 0;
    auto body = [] { result = step_body(result); };
    node *first = s.add(body), *at = first;
    for (long i = 1; i < n; i++) {
        node *next = s.add(body);
        make_edge(*at, *next);
        at = next;
    }
    return s.run(first);
}

static double run_grid(long rounds)
{
    double seconds = 0;
    std::vector<uint64_t> value(SIDE * SIDE);
    for (long r = 0; r < rounds; r++) {
        node_graph s;
        std::vector<node *> row(SIDE);
        node *first = nullptr;
        for (uint64_t j = 0; j < SIDE; j++)
            for (uint64_t i = 0; i < SIDE; i++) {
                uint64_t *x = &value[j * SIDE + i];
                node *me = s.add([=] { *x = cell_body(i ? x[-1] : j, j ? x[-SIDE] : i); });
                if (!first) first = me;
                if (i) make_edge(*row[i - 1], *me);
                if (j) make_edge(*row[i], *me);
                row[i] = me;
            }
        seconds += s.run(first);
    }
    std::copy_n(&value[(SIDE - 1) * SIDE], size_t(SIDE), last_row);
    return seconds;
}

static double run_tree(int levels)
{
    node_graph s;
    const size_t leaves = size_t(1) << levels;
    std::vector<uint64_t> value(2 * leaves);
    std::vector<node *> done(2 * leaves), open(2 * leaves);
    for (size_t i = 1; i < 2 * leaves; i++) {
        uint64_t *x = &value[i];
        open[i] = i < leaves ? s.add([] {}) : s.add([x, i] { *x = leaf_body(i); });
        if (i > 1) make_edge(*open[i / 2], *open[i]);
    }
    for (size_t i = 2 * leaves - 1; i > 0; i--) {
        uint64_t *x = &value[i], *below = &value[2 * i % (2 * leaves)];
        done[i] = i >= leaves ? open[i] : s.add([x, below] { *x = join_body(below[0], below[1]); });
        if (i < leaves) {
            make_edge(*done[2 * i], *done[i]);
            make_edge(*done[2 * i + 1], *done[i]);
        }
    }
    double seconds = s.run(open[1]);
    result = value[1];
    return seconds;
}
