/* Shortest paths from one vertex of a graph, superstep by superstep: sizes, graphs, and main().
 *
 *   paths_random      random graph, 10 edges from each vertex, weights from 1 to 100: few supersteps with much to do
 *   paths_road        streets, a grid 40 vertices wide, weights 1: many supersteps with little to do
 *   paths_parts_N     random graph, 5 edges from each vertex, in N parts, which are tasks: the cost of messages
 *                     between more and more of them; systems without parts leave it out
 *
 * The clock runs from the graph to the distances, allocation included. The unit is an edge of the graph; most are
 * followed several times. A wrong distance shows in the checksum. */
#ifndef PREGEL_BENCH_H
#define PREGEL_BENCH_H
#include "bench.h"
#include "../examples/pregel/graph.h"

/* Functions of a system. It may have several ways: WAYS then holds a suffix of its name for each. */
static int way;
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static int has_parts(void);
static void run_paths(const graph *g, int parts, int32_t *distance);   /* from vertex 0; INT32_MAX: cannot be reached */
#ifndef WAYS
#define WAYS ""
#endif

enum { PARTS = 16, WIDTH = 40 };                                /* parts: as in the example, unless it says otherwise */

static graph random_graph(long vertices, long degree)
{
    graph g;
    if (!graph_random(&g, vertices, degree)) exit(1);
    return g;
}

static graph road(long n)
{
    graph g = { "road", n, 0, NULL, NULL };
    g.first = (long *)bench_alloc((size_t)n + 1, sizeof *g.first);
    g.edge = (graph_edge *)bench_alloc((size_t)(4 * n), sizeof *g.edge);
    for (long v = 0; v < n; v++) {
        const long to[] = { v % WIDTH ? v - 1 : n, v % WIDTH < WIDTH - 1 ? v + 1 : n, v >= WIDTH ? v - WIDTH : n,
                            v + WIDTH };
        for (int i = 0; i < 4; i++)
            if (to[i] < n) g.edge[g.edges++] = (graph_edge){ (int32_t)to[i], 1 };
        g.first[v + 1] = g.edges;
    }
    return g;
}

static void paths(const char *workload, graph g, int parts, int times)
{
    static const char *const name[] = { WAYS };
    int32_t *distance = (int32_t *)bench_alloc((size_t)g.vertices, sizeof *distance);
    for (way = 0; way < (int)(sizeof name / sizeof *name); way++) {
        char system[64];
        uint64_t sum = 0;
        snprintf(system, sizeof system, "%s%s", BENCH_SYSTEM, name[way]);
        double start = bench_now();
        for (int i = 0; i < times; i++) run_paths(&g, parts, distance);
        double seconds = bench_now() - start;
        for (long v = 0; v < g.vertices; v++) sum += bench_mix((uint64_t)v << 32 ^ (uint32_t)distance[v]);
        bench_line(workload, system, seconds, g.edges * times, sum);
    }
    free(distance);
    graph_free(&g);
}

int main(int argc, char **argv)
{
    long n = bench_size(100000, 100000, 4000);
    int times = (int)bench_size(3, 3, 1);
    bench_start(argc, argv, run_start());
    if (bench_wants("paths_random")) paths("paths_random", random_graph(n, 10), PARTS, times);
    if (bench_wants("paths_road")) paths("paths_road", road(n), PARTS, times);
    for (int parts = 4; has_parts() && parts <= bench_size(1024, 1024, 64); parts *= 4) {
        char workload[64];
        snprintf(workload, sizeof workload, "paths_parts_%d", parts);
        if (bench_wants(workload)) paths(workload, random_graph(n, 5), parts, 1);
    }
    run_stop();
    return 0;
}
#endif
