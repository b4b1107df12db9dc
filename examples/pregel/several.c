/* Four programs in one file, which use what most programs of pregel.h do without: totals of any type, each message
 * for itself, and changes to the graph. */
#include <stdlib.h>
#include "pregel.h"
#include "programs.h"

/* --- shortest paths from the vertex with most edges: a total that is a structure --------------------------- */

typedef struct { int64_t edges; int32_t id; } most_edges;

static void larger(most_edges *into, const most_edges *from)
{
    if (from->edges > into->edges || (from->edges == into->edges && from->id < into->id))
        *into = *from;
}

#define PREGEL_NAME          hub
#define PREGEL_VALUE         int32_t
#define PREGEL_MESSAGE       int32_t
#define PREGEL_COMBINE(a, b) ((a) < (b) ? (a) : (b))
#define PREGEL_NONE          INT32_MAX
#define PREGEL_TOTAL         most_edges
#define PREGEL_TOTAL_ADD     larger
#define PREGEL_TOTAL_NONE    { -1, INT32_MAX }
#include "pregel.h"

static void hub_compute(hub_vertex *v, int32_t m)
{
    long n;
    const graph_edge *e = hub_edges(v, &n);
    if (v->step == 0) {
        most_edges mine = { n, (int32_t)v->id };
        larger(v->add_total, &mine);
        *v->value = INT32_MAX;
        return;
    }
    if (v->step == 1)
        m = v->id == v->total->id ? 0 : INT32_MAX;
    if (m < *v->value) {
        *v->value = m;
        for (long i = 0; i < n; i++)
            hub_send(v, e[i].to, m + e[i].weight);
    }
    v->halted = 1;
}

df_result hub_paths(const graph *g, int32_t *distance, pregel_way way, pregel_effort *effort)
{
    return hub_run(g, distance, NULL, way, effort);
}

long hub_of(const graph *g)
{
    long hub = 0;
    for (long v = 1; v < g->vertices; v++)
        if (g->first[v + 1] - g->first[v] > g->first[hub + 1] - g->first[hub])
            hub = v;
    return hub;
}

/* --- cores: vertices with fewer than CORE edges leave, until there are none: removals ----------------------- */

enum { CORE = 7 };

#define PREGEL_NAME    core
#define PREGEL_VALUE   int32_t
#define PREGEL_MESSAGE int32_t   /* a neighbour that leaves */
#define PREGEL_LIST
#define PREGEL_CHANGES
#include "pregel.h"

static void core_compute(core_vertex *v, int32_t *m, long n)
{
    long edges, left = 0;
    const graph_edge *e = core_edges(v, &edges);
    if (v->step == 0)
        *v->value = (int32_t)edges;
    v->halted = 1;
    for (long i = 0; i < n; i++)
        core_remove_edge(v, (int32_t)v->id, m[i]);
    /* what these messages remove is still here, and what those before removed is not */
    for (long i = 0; i < edges; i++) {
        long k = 0;
        while (k < n && m[k] != e[i].to)
            k++;
        left += k == n;
    }
    *v->value = (int32_t)left;
    if (left >= CORE)
        return;
    *v->value = 0;
    core_remove_vertex(v, (int32_t)v->id);
    for (long i = 0; i < edges; i++)
        core_send(v, e[i].to, (int32_t)v->id);
}

df_result cores(const graph *g, int32_t *degree, pregel_way way, pregel_effort *effort)
{
    unsigned char *exists = malloc((size_t)g->vertices);
    graph left = { .vertices = 0 };
    df_result r = exists ? core_run(g, g->vertices, &left, exists, degree, NULL, way, effort) : DF_ERROR_MEMORY;
    for (long v = 0; r == DF_OK && v < g->vertices; v++)
        if (exists[v] != (degree[v] > 0) || left.first[v + 1] - left.first[v] != degree[v])
            degree[v] = -1;   /* the value does not agree with the graph */
    free(exists);
    graph_free(&left);
    return r;
}

int cores_by_queue(const graph *g, int32_t *degree)
{
    int32_t *queue = malloc((size_t)g->vertices * sizeof *queue);
    long n = 0;
    for (long v = 0; queue && v < g->vertices; v++) {
        degree[v] = (int32_t)(g->first[v + 1] - g->first[v]);
        if (degree[v] < CORE)
            queue[n++] = (int32_t)v;
    }
    for (long i = 0; i < n; i++)
        for (long e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++)
            if (degree[g->edge[e].to]-- == CORE)
                queue[n++] = g->edge[e].to;
    for (long v = 0; queue && v < g->vertices; v++)
        degree[v] = degree[v] < CORE ? 0 : degree[v];
    free(queue);
    return queue != NULL;
}

/* --- two steps: an edge for every way of two edges, from some vertices: lists, and edges that several ask for --- */

enum { SOME = 16 };   /* from every 16th vertex */
typedef struct { int32_t from, weight; } predecessor;

static int by_vertex(const void *a, const void *b)
{
    const predecessor *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->weight > y->weight) - (x->weight < y->weight);
}

#define PREGEL_NAME    two
#define PREGEL_VALUE   int32_t
#define PREGEL_MESSAGE predecessor
#define PREGEL_LIST
#define PREGEL_CHANGES
#include "pregel.h"

static void two_compute(two_vertex *v, predecessor *m, long n)
{
    long edges;
    const graph_edge *e = two_edges(v, &edges);
    *v->value = (int32_t)n;
    v->halted = 1;
    if (v->step == 0 && v->id % SOME == 0)
        for (long i = 0; i < edges; i++)
            two_send(v, e[i].to, (predecessor){ (int32_t)v->id, e[i].weight });
    if (n > 1)
        qsort(m, (size_t)n, sizeof *m, by_vertex);   /* the first request for an edge counts */
    for (long k = 0; k < n; k++)
        for (long i = 0; i < edges; i++)
            two_add_edge(v, m[k].from, e[i].to, m[k].weight + e[i].weight);
}

static uint64_t mix(uint64_t h, int32_t to, int32_t weight)
{
    h = (h ^ (uint64_t)(uint32_t)to << 32 ^ (uint32_t)weight) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

df_result two_steps(const graph *g, uint64_t *hash, pregel_way way, pregel_effort *effort)
{
    unsigned char *exists = malloc((size_t)g->vertices);
    int32_t *received = malloc((size_t)g->vertices * sizeof *received);
    graph left = { .vertices = 0 };
    df_result r = DF_ERROR_MEMORY;
    if (exists && received)
        r = two_run(g, g->vertices, &left, exists, received, NULL, way, effort);
    for (long v = 0; r == DF_OK && v < g->vertices; v++) {
        hash[v] = 0;
        for (long e = left.first[v]; e < left.first[v + 1]; e++)
            hash[v] = mix(hash[v], left.edge[e].to, left.edge[e].weight);
    }
    free(exists);
    free(received);
    graph_free(&left);
    return r;
}

typedef struct { int32_t to, by, first_weight, weight; long order; } two_edges_way;

static int by_end(const void *a, const void *b)
{
    const two_edges_way *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->by != y->by)
        return x->by < y->by ? -1 : 1;
    if (x->first_weight != y->first_weight)
        return x->first_weight < y->first_weight ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

int two_steps_serial(const graph *g, uint64_t *hash)
{
    for (long v = 0; v < g->vertices; v++) {
        long n = 0, begin = g->first[v], end = g->first[v + 1];
        hash[v] = 0;
        for (long e = begin; e < end; e++) {
            hash[v] = mix(hash[v], g->edge[e].to, g->edge[e].weight);
            n += g->first[g->edge[e].to + 1] - g->first[g->edge[e].to];
        }
        if (v % SOME != 0)
            continue;
        two_edges_way *all = malloc((size_t)(n + 1) * sizeof *all);
        if (!all)
            return 0;
        n = 0;
        for (long e = begin; e < end; e++)
            for (long by = g->edge[e].to, k = g->first[by]; k < g->first[by + 1]; k++, n++)
                all[n] = (two_edges_way){ g->edge[k].to, (int32_t)by, g->edge[e].weight, g->edge[k].weight, k };
        qsort(all, (size_t)n, sizeof *all, by_end);
        for (long i = 0; i < n; i++) {
            int there = i > 0 && all[i - 1].to == all[i].to;
            for (long e = begin; e < end; e++)
                there |= g->edge[e].to == all[i].to;
            if (!there)
                hash[v] = mix(hash[v], all[i].to, all[i].first_weight + all[i].weight);
        }
        free(all);
    }
    return 1;
}

/* --- a pyramid grows from its top: vertices that several ask for --------------------------------------------- */

#define PREGEL_NAME          pyramid
#define PREGEL_VALUE         int32_t
#define PREGEL_MESSAGE       int32_t
#define PREGEL_COMBINE(a, b) ((a) + (b))
#define PREGEL_NONE          0
#define PREGEL_CHANGES
#include "pregel.h"

/* Step s is that of row s, of s + 1 vertices. Each asks for those below it, with its ID as value, and sends them 1. */
static void pyramid_compute(pyramid_vertex *v, int32_t m)
{
    *v->value = 4 * *v->value + m;
    v->halted = 1;
    for (int side = 0; side < 2; side++) {
        int32_t below = (int32_t)(v->id + v->step + 1 + side);
        if (v->step + 1 == PYRAMID_ROWS)
            return;
        pyramid_add_vertex(v, below, (int32_t)v->id);
        pyramid_add_edge(v, (int32_t)v->id, below, 1);
        pyramid_send(v, below, 1);
    }
}

df_result pyramid(int32_t *value, pregel_way way, pregel_effort *effort)
{
    long first[] = { 0, 0 };
    graph_edge none;
    graph top = { "top", 1, 0, first, &none }, left = { .vertices = 0 };
    unsigned char exists[PYRAMID];
    value[0] = 0;
    df_result r = pyramid_run(&top, PYRAMID, &left, exists, value, NULL, way, effort);
    for (long v = 0; r == DF_OK && v < PYRAMID; v++)
        if (!exists[v] || left.first[v + 1] - left.first[v] != (v < PYRAMID - PYRAMID_ROWS ? 2 : 0))
            value[v] = -1;
    graph_free(&left);
    return r;
}

void pyramid_serial(int32_t *value)
{
    int32_t id = 1;
    value[0] = 0;
    for (int row = 1; row < PYRAMID_ROWS; row++)
        for (int i = 0; i <= row; i++, id++)   /* the left one above has the smaller ID */
            value[id] = i == 0 ? 4 * (id - row) + 1 : 4 * (id - row - 1) + (i < row ? 2 : 1);
}
