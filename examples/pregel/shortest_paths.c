/* Shortest paths from one vertex: a vertex that learns of a shorter way tells its neighbours. */
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
        m = v->id == *(const long *)v->context ? 0 : INT32_MAX;
    }
    if (m < *v->value) {
        *v->value = m;
        for (long e = g->first[v->id]; e < g->first[v->id + 1]; e++)
            pregel_send(v, g->edge[e].to, m + g->edge[e].weight);
    }
    v->halted = 1;
}

df_result shortest_paths(const graph *g, long from, int32_t *distance, pregel_way way, pregel_effort *effort)
{
    return pregel_run(g, distance, &from, way, effort);
}

/* --- Dijkstra's algorithm, with a binary heap that holds a vertex once for each shorter way ------------- */

typedef struct { int32_t distance, vertex; } entry;

static void push(entry *heap, long n, entry x)   /* n: how many there are */
{
    for (; n > 0 && heap[(n - 1) / 2].distance > x.distance; n = (n - 1) / 2)
        heap[n] = heap[(n - 1) / 2];
    heap[n] = x;
}

static entry pop(entry *heap, long n)
{
    entry top = heap[0], x = heap[--n];
    long i = 0;
    for (long child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1].distance < heap[child].distance;
        if (heap[child].distance >= x.distance)
            break;
        heap[i] = heap[child];
    }
    heap[i] = x;
    return top;
}

int shortest_paths_dijkstra(const graph *g, long from, int32_t *distance)
{
    entry *heap = malloc(((size_t)g->edges + 1) * sizeof *heap);
    if (!heap)
        return 0;
    for (long v = 0; v < g->vertices; v++)
        distance[v] = INT32_MAX;
    distance[from] = 0;
    heap[0] = (entry){ 0, (int32_t)from };
    for (long n = 1; n > 0;) {
        entry x = pop(heap, n--);
        if (x.distance > distance[x.vertex])
            continue;
        for (long e = g->first[x.vertex]; e < g->first[x.vertex + 1]; e++) {
            int32_t to = g->edge[e].to, d = x.distance + g->edge[e].weight;
            if (d < distance[to]) {
                distance[to] = d;
                push(heap, n++, (entry){ d, to });
            }
        }
    }
    free(heap);
    return 1;
}
