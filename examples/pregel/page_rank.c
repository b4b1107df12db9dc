/* Page rank: every vertex divides its rank among its successors, until ranks hardly change.
 *
 * Ranks are integers: floating-point sums would depend on the order in which messages come. The two sums over all
 * vertices are the ranks of those without edges, and the changes of all ranks. */
#define PREGEL_VALUE         int64_t
#define PREGEL_MESSAGE       int64_t
#define PREGEL_COMBINE(a, b) ((a) + (b))
#define PREGEL_NONE          0
#define PREGEL_SUMS          2
#include "pregel.h"
#include "programs.h"

enum { FROM_ENDS, CHANGE };
static const int64_t small_change = RANK_ONE / 1000000;

static void pregel_compute(pregel_vertex *v, int64_t m)
{
    const graph *g = v->graph;
    long e = g->first[v->id], end = g->first[v->id + 1];
    int64_t n = g->vertices, old = v->step == 0 ? 0 : *v->value;
    *v->value = v->step == 0 ? RANK_ONE / n : RANK_ONE * 15 / 100 / n + (m + v->sums[FROM_ENDS] / n) * 85 / 100;
    v->add[CHANGE] += *v->value > old ? *v->value - old : old - *v->value;
    v->halted = v->step > 0 && v->sums[CHANGE] < small_change;
    if (v->halted)
        return;
    if (e == end)
        v->add[FROM_ENDS] += *v->value;
    for (int64_t share = *v->value / (end - e + (e == end)); e < end; e++)
        pregel_send(v, g->edge[e].to, share);
}

df_result page_rank(const graph *g, int64_t *rank, pregel_way way, pregel_effort *effort)
{
    return pregel_run(g, rank, NULL, way, effort);
}

/* In a superstep, rounding loses less than one unit three times for a vertex and once for an edge; of each loss,
 * 0.85 remain in the next superstep. */
double page_rank_bound(const graph *g)
{
    return (3.0 * (double)g->vertices + (double)g->edges) / 0.15 / (double)RANK_ONE;
}

int page_rank_iteration(const graph *g, double *rank, long iterations)
{
    double n = (double)g->vertices, *next = malloc((size_t)g->vertices * sizeof *next);
    for (long v = 0; v < g->vertices; v++)
        rank[v] = 1 / n;
    for (long i = 0; next && i < iterations; i++) {
        double from_ends = 0;
        for (long v = 0; v < g->vertices; v++)
            next[v] = 0;
        for (long v = 0; v < g->vertices; v++) {
            long e = g->first[v], end = g->first[v + 1];
            from_ends += e == end ? rank[v] : 0;
            for (double share = rank[v] / (double)(end - e); e < end; e++)
                next[g->edge[e].to] += share;
        }
        for (long v = 0; v < g->vertices; v++)
            rank[v] = 0.15 / n + 0.85 * (next[v] + from_ends / n);
    }
    free(next);
    return next != NULL;
}
