// METG with oneTBB's flow graph: built node by node and edge by edge, also from the readers of a cell to its next
// writer, then run; the time is that of both.
#include "metg.h"
#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <vector>

using tbb::flow::continue_msg;
using node = tbb::flow::continue_node<continue_msg>;

static tbb::global_control *limit;

static int metg_start()
{
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(bench_workers()));
    return bench_workers();
}
static void metg_stop() { delete limit; }
static void metg_pattern(int, int) {}

static void metg_block(int pattern, int steps)
{
    tbb::flow::graph g;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<node *> sources;
    struct uses { node *writer = nullptr; std::vector<node *> readers; };
    std::vector<uses> of[2];
    of[0].resize(WIDTH_MAX), of[1].resize(WIDTH_MAX);
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < width; i++) {
            uint32_t *in[INPUTS_MAX], *o = metg_out(t, i);
            int n = metg_inputs(pattern, t, i, in);
            struct inputs { const uint32_t *at[INPUTS_MAX]; } from{};
            for (int k = 0; k < n; k++) from.at[k] = in[k];
            auto body = [o, n, from](const continue_msg &) { metg_body(o, n, from.at); };
            nodes.push_back(std::make_unique<node>(g, body));
            node *me = nodes.back().get();
            bool source = true;
            auto after = [&](node *before) {
                if (before) make_edge(*before, *me), source = false;
            };
            for (int k = 0; k < n; k++) {
                uses &u = of[(t + 1) % 2][static_cast<size_t>(reinterpret_cast<cell *>(in[k]) - row[(t + 1) % 2])];
                after(u.writer);
                u.readers.push_back(me);
            }
            uses &mine = of[t % 2][static_cast<size_t>(i)];
            if (mine.readers.empty()) after(mine.writer);
            for (node *reader : mine.readers) after(reader);
            mine.writer = me, mine.readers.clear();
            if (source) sources.push_back(me);
        }
    for (node *s : sources) s->try_put(continue_msg());
    g.wait_for_all();
}
