/* Changes to the graph by its vertices. Part of pregel.h.
 *
 * With PREGEL_CHANGES any vertex may ask in NAME_compute for
 *
 *     NAME_remove_edge(v, from, to)         all edges between them in this direction
 *     NAME_remove_vertex(v, id)             a vertex and the edges from it
 *     NAME_add_vertex(v, id, value)         a vertex without edges, awake, with this value
 *     NAME_add_edge(v, from, to, weight)    one edge
 *
 * Changes take effect in the next superstep, before its vertices are computed, in this order: edges are removed, then
 * vertices, then vertices are added, then edges. A request to remove a vertex or edge that does not exist, or to add
 * one that exists, has no effect. If several vertices add the same vertex or edge, the value or weight is that of the
 * vertex with the smallest ID, and of its requests the first. So the result does not depend on the order in which
 * tasks run.
 * Edges from a vertex that does not exist are not added. Edges to one may exist, and messages to it are lost.
 * A change to its edges does not wake a vertex.
 *
 * NAME_edges has the edges of a vertex as they are; v->graph is the first graph.
 *
 * A change costs a search among the edges of its vertex, and a sort of all changes to a part. */

/* A request to the part of c.vertex. */
static void pregel_ask(pregel_vertex *v, pregel_change c)
{
    if (c.vertex < 0 || c.vertex >= v->ids || c.to < 0 || c.to >= v->ids) {
        df_fail(PREGEL_NO_VERTEX, "a change to the graph names a vertex that cannot exist");
        return;
    }
    pregel_box *b = &v->row->box[c.vertex >> v->shift];
    if (b->changes == b->change_room) {
        size_t room = b->change_room ? 2 * b->change_room : 16;
        pregel_change *more = (pregel_change *)realloc(b->change, room * sizeof *more);
        if (!more) {
            df_fail(DF_ERROR_MEMORY, "no memory for changes to the graph");
            return;
        }
        b->change = more;
        b->change_room = room;
    }
    pregel_link(v, b);
    c.asker = (int32_t)v->id;
    c.order = b->changes;
    b->change[b->changes++] = c;
}

static inline void pregel_remove_edge(pregel_vertex *v, int32_t from, int32_t to)
{
    pregel_ask(v, (pregel_change){ .kind = PREGEL_REMOVE_EDGES, .vertex = from, .to = to });
}
static inline void pregel_remove_vertex(pregel_vertex *v, int32_t id)
{
    pregel_ask(v, (pregel_change){ .kind = PREGEL_REMOVE_VERTICES, .vertex = id });
}
static inline void pregel_add_vertex(pregel_vertex *v, int32_t id, PREGEL_VALUE value)
{
    pregel_ask(v, (pregel_change){ .kind = PREGEL_ADD_VERTICES, .vertex = id, .value = value });
}
static inline void pregel_add_edge(pregel_vertex *v, int32_t from, int32_t to, int32_t weight)
{
    pregel_ask(v, (pregel_change){ .kind = PREGEL_ADD_EDGES, .vertex = from, .to = to, .weight = weight });
}

/* --- their effect, in the task of the part --------------------------------------------------------- */

static inline void pregel_gather(pregel_part *p, const pregel_box *b)
{
    size_t n = p->changes + b->changes;
    if (b->changes == 0)
        return;
    if (n > p->change_room) {
        size_t room = 2 * n;
        pregel_change *more = (pregel_change *)realloc(p->change, room * sizeof *more);
        if (!more) {
            df_fail(DF_ERROR_MEMORY, "no memory for changes to the graph");
            return;
        }
        p->change = more;
        p->change_room = room;
    }
    memcpy(p->change + p->changes, b->change, b->changes * sizeof *b->change);
    p->changes = n;
}

static int pregel_by_rule(const void *a, const void *b)
{
    const pregel_change *x = (const pregel_change *)a, *y = (const pregel_change *)b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->asker != y->asker)
        return x->asker < y->asker ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Room for n edges of a vertex that are its own, not those of the first graph. NULL: no memory. */
static graph_edge *pregel_own_edges(pregel_own *own, long n)
{
    if (own->room < n) {
        long room = 2 * n;
        graph_edge *edge = (graph_edge *)malloc((size_t)room * sizeof *edge);
        if (!edge) {
            df_fail(DF_ERROR_MEMORY, "no memory for edges");
            return NULL;
        }
        if (own->edges > 0)
            memcpy(edge, own->edge, (size_t)own->edges * sizeof *edge);
        if (own->room > 0)
            free((void *)(uintptr_t)own->edge);
        own->edge = edge;
        own->room = room;
    }
    return (graph_edge *)(uintptr_t)own->edge;
}

static void pregel_apply(pregel_job *g, pregel_part *p, const pregel_change *c)
{
    pregel_own *own = &g->own[c->vertex];
    graph_edge *edge;
    long n = 0;
    switch (c->kind) {
    case PREGEL_REMOVE_EDGES:
        for (long i = 0; i < own->edges; i++)
            n += own->edge[i].to == c->to;
        if (n == 0 || !(edge = pregel_own_edges(own, own->edges)))
            return;
        n = 0;
        for (long i = 0; i < own->edges; i++)
            if (edge[i].to != c->to)
                edge[n++] = edge[i];
        own->edges = n;
        return;
    case PREGEL_REMOVE_VERTICES:
        g->exists[c->vertex] = 0;
        own->edges = 0;
        return;
    case PREGEL_ADD_VERTICES:
        if (g->exists[c->vertex])
            return;
        g->exists[c->vertex] = 1;
        g->value[c->vertex] = c->value;
        if (!g->listed[c->vertex])
            p->list[p->visits++] = c->vertex;
        g->listed[c->vertex] = 1;
        return;
    default:
        for (long i = 0; i < own->edges; i++)
            if (own->edge[i].to == c->to)
                return;
        if (!g->exists[c->vertex] || !(edge = pregel_own_edges(own, own->edges + 1)))
            return;
        edge[own->edges++] = (graph_edge){ c->to, c->weight };
    }
}

/* All changes to the vertices of a part. */
static void pregel_enter(pregel_job *g, pregel_part *p)
{
    if (p->changes == 0)
        return;
    qsort(p->change, p->changes, sizeof *p->change, pregel_by_rule);
    for (size_t i = 0; i < p->changes; i++)
        pregel_apply(g, p, &p->change[i]);
    p->changes = 0;
}

/* The graph as it is. 0: no memory. */
static int pregel_leave(const pregel_job *g, graph *left)
{
    *left = (graph){ .vertices = g->ids };
    memcpy(left->name, g->graph->name, sizeof left->name);
    for (long v = 0; v < g->ids; v++)
        left->edges += g->own[v].edges;
    left->first = (long *)malloc(((size_t)g->ids + 1) * sizeof *left->first);
    left->edge = (graph_edge *)malloc(((size_t)left->edges + 1) * sizeof *left->edge);
    if (!left->first || !left->edge) {
        graph_free(left);
        return 0;
    }
    left->first[0] = 0;
    for (long v = 0; v < g->ids; v++) {
        const pregel_own *own = &g->own[v];
        left->first[v + 1] = left->first[v] + own->edges;
        if (own->edges > 0)
            memcpy(left->edge + left->first[v], own->edge, (size_t)own->edges * sizeof *own->edge);
    }
    return 1;
}
