// Dataflow workloads with oneTBB's flow graph: continue_nodes and hand-written edges, from the last writer of each
// region that a task accesses. In these workloads, these edges imply those from a reader to the next writer.
#include "dataflow.h"
#include <memory>
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

struct static_graph {
    tbb::flow::graph g;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<node *> sources;

    explicit static_graph(long n) { nodes.reserve(static_cast<size_t>(n)); }

    // Adds a task that runs after the given ones (null: none).
    template <class Body> node *add(Body body, std::initializer_list<node *> after)
    {
        nodes.push_back(std::make_unique<node>(g, [body](const continue_msg &) { body(); }));
        node *me = nodes.back().get();
        bool source = true;
        for (node *before : after)
            if (before) { make_edge(*before, *me); source = false; }
        if (source) sources.push_back(me);
        return me;
    }

    // Runs all of it; the seconds this took.
    double run()
    {
        double t = bench_now();
        for (node *s : sources) s->try_put(continue_msg());
        g.wait_for_all();
        return bench_now() - t;
    }
};

static double run_independent(long n)
{
    static_graph s(n);
    for (long i = 0; i < n; i++) s.add([i] { plain_body(i); }, {});
    return s.run();
}

static double run_chains(long n, long chains)
{
    static_graph s(n);
    std::vector<node *> last(static_cast<size_t>(chains));
    for (long i = 0; i < n; i++) {
        uint64_t *x = &cell[i % chains];
        node *&l = last[static_cast<size_t>(i % chains)];
        l = s.add([x, i] { update_body(x, i); }, {l});
    }
    return s.run();
}

static double run_stencil(long steps)
{
    static_graph s(steps * WIDTH);
    std::vector<node *> last[2];
    last[0].resize(WIDTH + 2);
    last[1].resize(WIDTH + 2);
    for (long t = 0; t < steps; t++)
        for (size_t x = 1; x <= WIDTH; x++) {
            const uint64_t *in = &row[t % 2][x];
            uint64_t *out = &row[1 - t % 2][x];
            auto &old = last[t % 2];
            last[1 - t % 2][x] = s.add([=] { relax_body(in - 1, in, in + 1, out); }, {old[x - 1], old[x], old[x + 1]});
        }
    return s.run();
}

static double run_stencil_range(long) { return -1; }

static double run_cholesky(int tiles)
{
    const long n = tiles;
    static_graph s(n * (n + 1) * (n + 2) / 6);
    static node *last[TILES_MAX][TILES_MAX];
    memset(last, 0, sizeof last);
    for (int k = 0; k < tiles; k++) {
        uint64_t *kk = &tile[k][k];
        last[k][k] = s.add([=] { potrf_body(kk); }, {last[k][k]});
        for (int i = k + 1; i < tiles; i++) {
            uint64_t *ik = &tile[i][k];
            last[i][k] = s.add([=] { trsm_body(kk, ik); }, {last[k][k], last[i][k]});
        }
        for (int i = k + 1; i < tiles; i++) {
            uint64_t *ik = &tile[i][k], *ii = &tile[i][i];
            for (int j = k + 1; j < i; j++) {
                uint64_t *jk = &tile[j][k], *ij = &tile[i][j];
                last[i][j] = s.add([=] { gemm_body(ik, jk, ij); }, {last[i][k], last[j][k], last[i][j]});
            }
            last[i][i] = s.add([=] { syrk_body(ik, ii); }, {last[i][k], last[i][i]});
        }
    }
    return s.run();
}

static double run_cholesky_2d(int) { return -1; }
