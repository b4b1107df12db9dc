/* Connected components: a vertex that learns of a smaller vertex tells its neighbours. */
#define PREGEL_VALUE         int32_t
#define PREGEL_MESSAGE       int32_t
#define PREGEL_COMBINE(a, b) ((a) < (b) ? (a) : (b))
#define PREGEL_NONE          INT32_MAX
#define PREGEL_SUMS          1
#include "pregel.h"
#include "programs.h"

static void pregel_compute(pregel_vertex *v, int32_t m)
{
    const graph *g = v->graph;
    if (v->step == 0) {
        *v->value = INT32_MAX;
        m = (int32_t)v->id;
    }
    if (m < *v->value) {
        *v->value = m;
        for (long e = g->first[v->id]; e < g->first[v->id + 1]; e++)
            pregel_send(v, g->edge[e].to, m);
    }
    v->halted = 1;
}

df_result components(const graph *g, int32_t *label, pregel_way way, pregel_effort *effort)
{
    return pregel_run(g, label, NULL, way, effort);
}

/* --- union and find: the smaller root becomes the root of both ----------------------------------------- */

static int32_t find(int32_t *parent, int32_t v)
{
    for (; parent[v] != v; v = parent[v])
        parent[v] = parent[parent[v]];
    return v;
}

void components_union_find(const graph *g, int32_t *label)
{
    for (long v = 0; v < g->vertices; v++)
        label[v] = (int32_t)v;
    for (long v = 0; v < g->vertices; v++)
        for (long e = g->first[v]; e < g->first[v + 1]; e++) {
            int32_t a = find(label, (int32_t)v), b = find(label, g->edge[e].to);
            label[a > b ? a : b] = a < b ? a : b;
        }
    for (long v = 0; v < g->vertices; v++)
        label[v] = find(label, (int32_t)v);
}
