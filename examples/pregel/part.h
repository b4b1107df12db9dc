/* A part of the vertices in a superstep: its letters, and the visits of its vertices. Part of pregel.h. */

typedef struct { int32_t to; PREGEL_MESSAGE message; } pregel_letter;
#ifdef PREGEL_CHANGES
typedef struct {   /* a request to change the graph, in the order in which requests are satisfied */
    int32_t kind, vertex, to, asker;
    size_t order;   /* among those of the same asker */
    int32_t weight;
    PREGEL_VALUE value;
} pregel_change;
#endif
typedef struct pregel_box {
    pregel_letter *at;
    size_t count, room;
    size_t limit;              /* 0 until the first letter, then room */
    struct pregel_box *sent;   /* the next one of the same row that was written */
    struct pregel_box *next;   /* sharing: the next one for the same part */
#ifdef PREGEL_CHANGES
    pregel_change *change;
    size_t changes, change_room;
#endif
} pregel_box;
/* a box for each part, and the list of those that were written */
typedef struct { pregel_box *box, *sent; } pregel_row;

#ifdef PREGEL_CHANGES
typedef struct { const graph_edge *edge; long edges, room; } pregel_own;   /* of a vertex; room 0: of the first graph */
#endif

typedef struct {
    long id, step;
    const graph *graph;     /* as given to pregel_run */
    PREGEL_VALUE *value;
    const void *context;    /* as given to pregel_run */
    const int64_t *sums;    /* PREGEL_SUMS: of the last superstep; 0 in the first one */
    int64_t *add;           /* PREGEL_SUMS: to be added to, never read */
#ifdef PREGEL_TOTAL
    const PREGEL_TOTAL *total;   /* of the last superstep; the identity in the first one */
    PREGEL_TOTAL *add_total;     /* to be combined with, never read */
#endif
    int halted;             /* to be set; 0 at first */
    pregel_row *row;
#ifdef PREGEL_CHANGES
    const pregel_own *own;
    long ids;
#endif
    int shift;
} pregel_vertex;

#ifdef PREGEL_LIST
static void pregel_compute(pregel_vertex *v, PREGEL_MESSAGE *m, long n);
#else
static void pregel_compute(pregel_vertex *v, PREGEL_MESSAGE m);
#endif
#ifdef PREGEL_TOTAL
DF_REDUCTION(pregel_total, PREGEL_TOTAL, PREGEL_TOTAL_ADD, (PREGEL_TOTAL_NONE));
#endif

/* Puts a box that was empty into the list of its row. */
static inline void pregel_link(pregel_vertex *v, pregel_box *b)
{
#ifdef PREGEL_CHANGES
    if (b->changes > 0)
        return;
#endif
    if (b->limit == 0) {
        b->sent = v->row->sent;
        v->row->sent = b;
    }
}

/* The first letter of a box, or more than there is room for. 0: no memory; the computation ends. */
static int pregel_make_room(pregel_vertex *v, pregel_box *b)
{
    if (b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        pregel_letter *more = (pregel_letter *)realloc(b->at, room * sizeof *more);
        if (!more) {
            df_fail(DF_ERROR_MEMORY, "no memory for messages");
            return 0;
        }
        b->at = more;
        b->room = room;
    }
    pregel_link(v, b);
    b->limit = b->room;
    return 1;
}

/* Sends a message to any vertex, for the next superstep. */
static inline void pregel_send(pregel_vertex *v, int32_t to, PREGEL_MESSAGE message)
{
    pregel_box *b = &v->row->box[to >> v->shift];
    if (b->count == b->limit && !pregel_make_room(v, b))
        return;
    b->at[b->count].to = to;
    b->at[b->count++].message = message;
}

/* The edges from this vertex, *n of them. */
static inline const graph_edge *pregel_edges(const pregel_vertex *v, long *n)
{
#ifdef PREGEL_CHANGES
    *n = v->own[v->id].edges;
    return v->own[v->id].edge;
#else
    *n = v->graph->first[v->id + 1] - v->graph->first[v->id];
    return v->graph->edge + v->graph->first[v->id];
#endif
}

/* --- a part in a superstep ------------------------------------------------------------------------ */

typedef struct {
    int32_t *list;   /* vertices to visit; room for all and one more */
    long visits;
#ifdef PREGEL_LIST
    PREGEL_MESSAGE *inbox;   /* those to the same vertex are neighbours */
    size_t inbox_room;
#endif
#ifdef PREGEL_CHANGES
    pregel_change *change;
    size_t changes, change_room;
#endif
} pregel_part;

typedef struct { pregel_box *boxes; int ready; } pregel_mail;   /* sharing: the work of a part */

typedef struct {
    const graph *graph;
    const void *context;
    long ids;                     /* vertices, and those that may be added */
    int parts, shift;             /* vertex v is in part v >> shift */
    pregel_part *part;
    PREGEL_VALUE *value;
#ifdef PREGEL_LIST
    int32_t *count;               /* messages to each vertex, */
    size_t *place;                /* and the end of those in the inbox of its part */
#else
    PREGEL_MESSAGE *message;      /* combined, to each vertex */
#endif
    unsigned char *listed;        /* is a vertex in its part's list? */
    int32_t *list;
#ifdef PREGEL_CHANGES
    pregel_own *own;
    unsigned char *exists;
#endif
    /* written in even and in odd supersteps: dataflow, by part k; sharing, by the k-th part to come */
    pregel_row *row[2];
    pregel_box *matrix[2];        /* dataflow: the boxes of all rows */
    long rows[2];                 /* sharing: that are in use */
    pregel_mail *mail[2];         /* sharing: read in even and in odd supersteps */
    int *ready[2];                /* parts with something to do, in any order */
    long readies[2];
} pregel_job;

static inline void pregel_receive(pregel_job *g, pregel_part *p, const pregel_box *b)
{
    long visits = p->visits;
    for (size_t i = 0; i < b->count; i++) {
        const pregel_letter *l = &b->at[i];
        int32_t to = l->to;
#ifdef PREGEL_CHANGES
        if (!g->exists[to])
            continue;
#endif
#ifdef PREGEL_LIST
        g->count[to]++;
#else
        g->message[to] = PREGEL_COMBINE(g->message[to], l->message);
#endif
        p->list[visits] = to;
        visits += !g->listed[to];
        g->listed[to] = 1;
    }
    p->visits = visits;
}

#ifdef PREGEL_LIST
/* After all boxes were received: makes a place in the inbox for the messages of each vertex. 0: no memory. */
static int pregel_arrange(pregel_job *g, pregel_part *p)
{
    size_t all = 0;
    for (long i = 0; i < p->visits; i++) {
        g->place[p->list[i]] = all;
        all += (size_t)g->count[p->list[i]];
    }
    if (all > p->inbox_room) {
        free(p->inbox);
        p->inbox_room = 2 * all;
        p->inbox = (PREGEL_MESSAGE *)malloc(p->inbox_room * sizeof *p->inbox);
        if (!p->inbox) {
            p->inbox_room = 0;
            p->visits = 0;
            df_fail(DF_ERROR_MEMORY, "no memory for messages");
            return 0;
        }
    }
    return 1;
}

static inline void pregel_place(const pregel_job *g, pregel_part *p, const pregel_box *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const pregel_letter *l = &b->at[i];
#ifdef PREGEL_CHANGES
        if (!g->exists[l->to])
            continue;
#endif
        p->inbox[g->place[l->to]++] = l->message;
    }
}
#endif

/* Many vertices are visited in their order, which is that of their edges in memory. */
static inline void pregel_sort(const pregel_job *g, pregel_part *p)
{
    long first = (long)(p - g->part) << g->shift, end = first + (1L << g->shift), visits = 0;
    if (end > g->ids)
        end = g->ids;
    if (p->visits < (end - first) / 16)
        return;
    for (long v = first; v < end; v++) {
        p->list[visits] = (int32_t)v;
        visits += g->listed[v];
    }
}

/* v: what all vertices of this superstep have in common */
static inline void pregel_visit(pregel_job *g, pregel_part *p, pregel_vertex v)
{
    long visits = p->visits;
    pregel_sort(g, p);
    p->visits = 0;
    for (long i = 0; i < visits; i++) {
        v.id = p->list[i];
#ifdef PREGEL_CHANGES
        if (!g->exists[v.id]) {   /* it was removed */
            g->listed[v.id] = 0;
            continue;
        }
#endif
        v.value = &g->value[v.id];
        v.halted = 0;
#ifdef PREGEL_LIST
        long n = g->count[v.id];
        g->count[v.id] = 0;
        pregel_compute(&v, n > 0 ? p->inbox + g->place[v.id] - n : NULL, n);
#else
        PREGEL_MESSAGE m = g->message[v.id];
        g->message[v.id] = PREGEL_NONE;
        pregel_compute(&v, m);
#endif
        g->listed[v.id] = !v.halted;
        p->list[p->visits] = (int32_t)v.id;
        p->visits += !v.halted;
    }
    v.add[PREGEL_AWAKE] += p->visits;
}

/* Empties the boxes of a row, which have been read, so that they can be written again. */
static inline void pregel_empty(pregel_row *row)
{
    for (pregel_box *b = row->sent; b; b = b->sent) {
        b->count = b->limit = 0;
#ifdef PREGEL_CHANGES
        b->changes = 0;
#endif
    }
    row->sent = NULL;
}

static inline int64_t pregel_letters(const pregel_row *row)
{
    int64_t n = 0;
    for (const pregel_box *b = row->sent; b; b = b->sent) {
        n += (int64_t)b->count;
#ifdef PREGEL_CHANGES
        n += (int64_t)b->changes;
#endif
    }
    return n;
}
