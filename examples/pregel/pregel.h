/* Computations on graphs, written as what one vertex does: a small Pregel.
 *
 * They go on in supersteps. In each of them a vertex is given what was sent to it in the last one, changes its own
 * value, and sends messages. It may halt; a message wakes it. The computation ends when all have halted and no message is
 * under way. In the first superstep all are awake.
 *
 * A file that includes this holds one such program. It defines before
 *
 *     PREGEL_VALUE            type of what a vertex keeps
 *     PREGEL_MESSAGE          type of what it sends
 *     PREGEL_COMBINE(a, b)    one message for two to the same vertex. In any order and grouping: it must give exactly the
 *                             same, so for sums use integers
 *     PREGEL_NONE             a message that changes nothing when it is combined: what a vertex gets if none came
 *     PREGEL_SUMS             how many numbers are added up over all vertices; at least 1
 * and after
 *
 *     static void pregel_compute(pregel_vertex *v, PREGEL_MESSAGE m) { ... }
 *
 * Vertices are divided into parts; one task does what all vertices of a part have to do in a superstep, and what it sends to another
 * part goes into a box. What remains is to get the boxes to the tasks that read them, and there are two ways.
 *
 * By dataflow: the boxes are a matrix. The task of a part reads a column, from all parts, and writes a row, to all, of another
 * matrix. That is all df has to know to order tasks of different supersteps: those of the next one are submitted before it is known
 * whether there has to be one. But every task has a box from every other, most of them empty if there are many parts.
 *
 * By sharing: each part has a list of boxes with something in it. Who has written one adds it in an atomic block, and by
 * that the part to the list of those that have something to do. Nobody looks at an empty box, and parts that one worker
 * visits one after the other write to the same ones.
 *
 * Source: Malewicz et al., Pregel: a system for large-scale graph processing, SIGMOD 2010; TERAFLUX D3.5, 2.3. */
#ifndef PREGEL_H
#define PREGEL_H

#include "../../df.h"
#include "../../df_stm.h"
#include "graph.h"

#include <stdlib.h>

typedef struct { int parts, by_sharing; } pregel_way;   /* parts: at least 1, at most PREGEL_PARTS; else by dataflow */
typedef struct { long supersteps; int64_t messages; } pregel_effort;
enum { PREGEL_PARTS = 1024 };

#ifdef PREGEL_VALUE   /* else a file that uses the programs of others */

/* --- for the programs --------------------------------------------------------------------------- */

enum { PREGEL_AWAKE = PREGEL_SUMS, PREGEL_SENT, PREGEL_COUNTS };
enum { PREGEL_SMALL = 2048 };   /* letters and vertices in a superstep, some 10 us: less is not worth to be divided */

typedef struct { int32_t to; PREGEL_MESSAGE message; } pregel_letter;
typedef struct pregel_box {
    pregel_letter *at;
    size_t count, room;
    size_t limit;              /* 0 until the first letter, then room */
    struct pregel_box *sent;   /* the next one of the same row that was written */
    struct pregel_box *next;   /* sharing: the next one for the same part */
} pregel_box;
typedef struct { pregel_box *box, *sent; } pregel_row;   /* a box for each part, and the list of those that were written */

typedef struct {
    long id, step;
    const graph *graph;
    PREGEL_VALUE *value;
    const void *context;    /* as given to pregel_run */
    const int64_t *sums;    /* PREGEL_SUMS: of the last superstep; 0 in the first one */
    int64_t *add;           /* PREGEL_SUMS: to be added to, never read */
    int halted;             /* to be set; 0 at first */
    pregel_row *row;
    int shift;
} pregel_vertex;

static void pregel_compute(pregel_vertex *v, PREGEL_MESSAGE m);

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
    if (b->limit == 0) {
        b->sent = v->row->sent;
        v->row->sent = b;
    }
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

/* --- a part in a superstep ------------------------------------------------------------------------ */

typedef struct {
    int32_t *list;   /* vertices to visit; room for all and one more */
    long visits;
} pregel_part;

typedef struct { pregel_box *boxes; int ready; } pregel_mail;   /* sharing: what a part has to do */

typedef struct {
    const graph *graph;
    const void *context;
    int parts, shift;             /* vertex v is in part v >> shift */
    pregel_part *part;
    PREGEL_VALUE *value;
    PREGEL_MESSAGE *message;      /* combined, to each vertex */
    unsigned char *listed;        /* is a vertex in its part's list? */
    int32_t *list;
    pregel_row *row[2];           /* written in even and in odd supersteps: dataflow, by part k; sharing, whoever comes k-th */
    pregel_box *matrix[2];        /* dataflow: the boxes of all rows */
    long rows[2];                 /* sharing: that are in use */
    pregel_mail *mail[2];         /* sharing: read in even and in odd supersteps */
    int *ready[2];                /* parts with something to do, in any order */
    long readies[2];
} pregel;

static inline void pregel_receive(pregel *g, pregel_part *p, const pregel_box *b)
{
    long visits = p->visits;
    for (size_t i = 0; i < b->count; i++) {
        const pregel_letter *l = &b->at[i];
        int32_t to = l->to;
        g->message[to] = PREGEL_COMBINE(g->message[to], l->message);
        p->list[visits] = to;
        visits += !g->listed[to];
        g->listed[to] = 1;
    }
    p->visits = visits;
}

/* Many vertices are visited in their order, which is that of their edges in memory. */
static inline void pregel_sort(const pregel *g, pregel_part *p)
{
    long first = (long)(p - g->part) << g->shift, end = first + (1L << g->shift), visits = 0;
    if (end > g->graph->vertices)
        end = g->graph->vertices;
    if (p->visits < (end - first) / 16)
        return;
    for (long v = first; v < end; v++) {
        p->list[visits] = (int32_t)v;
        visits += g->listed[v];
    }
}

static inline void pregel_visit(pregel *g, pregel_part *p, pregel_row *row, long step, const int64_t *sums, int64_t *add)
{
    pregel_vertex v = { 0, step, g->graph, NULL, g->context, sums, add, 0, row, g->shift };
    long visits = p->visits;
    pregel_sort(g, p);
    p->visits = 0;
    for (long i = 0; i < visits; i++) {
        v.id = p->list[i];
        v.value = &g->value[v.id];
        v.halted = 0;
        PREGEL_MESSAGE m = g->message[v.id];
        g->message[v.id] = PREGEL_NONE;
        pregel_compute(&v, m);
        g->listed[v.id] = !v.halted;
        p->list[p->visits] = (int32_t)v.id;
        p->visits += !v.halted;
    }
    add[PREGEL_AWAKE] += p->visits;
}

/* The boxes of a row, to be written again: nobody reads them any more. */
static inline void pregel_empty(pregel_row *row)
{
    for (pregel_box *b = row->sent; b; b = b->sent)
        b->count = b->limit = 0;
    row->sent = NULL;
}

static inline int64_t pregel_letters(const pregel_row *row)
{
    int64_t n = 0;
    for (const pregel_box *b = row->sent; b; b = b->sent)
        n += (int64_t)b->count;
    return n;
}

/* --- by dataflow ------------------------------------------------------------------------------------ */

DF_STATIC_TASK(void, pregel_flow, (pregel *, g), (long, step), (int, parts), df_inout(pregel_part, p, 1),
               df_in2(pregel_box, from, parts, 1, parts), df_inout(pregel_box, to, parts),
               df_in(int64_t, sums, PREGEL_COUNTS), df_reduce(df_sum, int64_t, add, PREGEL_COUNTS));
static void pregel_flow(pregel *g, long step, int parts, pregel_part *p, const pregel_box *from, pregel_box *to,
                        const int64_t *sums, int64_t *add)
{
    for (int i = 0; i < parts; i++)
        pregel_receive(g, p, &from[(long)i * parts]);
    pregel_row *row = &g->row[step % 2][p - g->part];
    row->box = to;
    pregel_empty(row);
    pregel_visit(g, p, row, step, sums, add);
    add[PREGEL_SENT] += pregel_letters(row);
}

/* Returns the number of supersteps. */
static long pregel_by_dataflow(pregel *g, int64_t *sent)
{
    int64_t sums[3][PREGEL_COUNTS] = { { 0 } };   /* of a superstep, the last one, the next one */
    int n = g->parts;
    long step = 0, submitted = 0;
    for (int m = 0; m < 2; m++)
        if (!(g->matrix[m] = (pregel_box *)calloc((size_t)n * (size_t)n, sizeof *g->matrix[m]))) {
            df_fail(DF_ERROR_MEMORY, "no memory for boxes");
            return 0;
        }
    for (;; step++) {
        for (; submitted <= step + 1; submitted++) {
            int64_t *add = sums[submitted % 3];
            for (int i = 0; i < PREGEL_COUNTS; i++)
                add[i] = 0;
            for (int p = 0; p < n; p++)
                df_submit(pregel_flow, g, submitted, n, &g->part[p], g->matrix[(submitted + 1) % 2] + p,
                          g->matrix[submitted % 2] + (long)p * n, sums[(submitted + 2) % 3], add);
        }
        const int64_t *done = sums[step % 3];
        df_wait_on(done, sizeof sums[0]);
        *sent += done[PREGEL_SENT];
        if (done[PREGEL_AWAKE] == 0 && done[PREGEL_SENT] == 0)
            break;   /* those of the next superstep find nothing to do */
    }
    df_wait();
    return step + 1;
}

/* --- by sharing --------------------------------------------------------------------------------------- */

/* In an atomic block: part p has something to do in the next superstep. */
static inline void pregel_wake(pregel *g, int next, int p)
{
    pregel_mail *mail = &g->mail[next][p];
    if (!df_tm_read(&mail->ready)) {
        long n = df_tm_read(&g->readies[next]);
        df_tm_write(&mail->ready, 1);
        df_tm_write(&g->ready[next][n], p);
        df_tm_write(&g->readies[next], n + 1);
    }
}

static void pregel_deliver(pregel *g, int next, pregel_box *b, int to)
{
    pregel_mail *mail = &g->mail[next][to];
    DF_ATOMIC {
        b->next = df_tm_read(&mail->boxes);   /* the box is still ours: if not this time, then the next */
        df_tm_write(&mail->boxes, b);
        pregel_wake(g, next, to);
    }
}

/* A row of boxes that nobody else writes in this superstep, nor reads. NULL: no memory. */
static pregel_row *pregel_take_row(pregel *g, int now)
{
    long k = 0;
    DF_ATOMIC {
        k = df_tm_read(&g->rows[now]);
        df_tm_write(&g->rows[now], k + 1);
    }
    pregel_row *row = &g->row[now][k];
    if (!row->box && !(row->box = (pregel_box *)calloc((size_t)g->parts, sizeof *row->box))) {
        df_fail(DF_ERROR_MEMORY, "no memory for boxes");
        return NULL;
    }
    pregel_empty(row);
    return row;
}

DF_STATIC_LOOP(pregel_share, (pregel *, g), (long, step), df_in(int64_t, sums, PREGEL_COUNTS),
               df_reduce(df_sum, int64_t, add, PREGEL_COUNTS));
static void pregel_share(long begin, long end, pregel *g, long step, const int64_t *sums, int64_t *add)
{
    int now = (int)(step % 2), next = !now;
    pregel_row *row = pregel_take_row(g, now);
    for (long i = begin; row && i < end; i++) {
        int id = g->ready[now][i];
        pregel_part *p = &g->part[id];
        pregel_mail *mail = &g->mail[now][id];
        for (const pregel_box *b = mail->boxes; b; b = b->next)
            pregel_receive(g, p, b);
        mail->boxes = NULL;
        mail->ready = 0;
        pregel_visit(g, p, row, step, sums, add);
        if (p->visits > 0)
            DF_ATOMIC { pregel_wake(g, next, id); }
    }
    for (pregel_box *b = row ? row->sent : NULL; b; b = b->sent)
        pregel_deliver(g, next, b, (int)(b - row->box));
    add[PREGEL_SENT] += row ? pregel_letters(row) : 0;
}

/* Returns the number of supersteps. */
static long pregel_by_sharing(pregel *g, int64_t *sent)
{
    int64_t sums[2][PREGEL_COUNTS] = { { 0 } };
    long step = 0;
    sums[1][PREGEL_AWAKE] = g->graph->vertices;
    for (int p = 0; p < g->parts; p++)
        pregel_wake(g, 0, p);
    for (; g->readies[step % 2] > 0 && !df_cancelled(); step++) {
        int64_t *add = sums[step % 2];
        const int64_t *last = sums[(step + 1) % 2];
        long ready = g->readies[step % 2];
        long grain = last[PREGEL_AWAKE] + last[PREGEL_SENT] < PREGEL_SMALL ? ready : 1 + ready / (8 * df_workers());
        for (int i = 0; i < PREGEL_COUNTS; i++)
            add[i] = 0;
        df_for_with(DF_LOOP_OPTS(.grain = grain), pregel_share, 0, ready, g, step, last, add);
        g->readies[step % 2] = g->rows[(step + 1) % 2] = 0;
        *sent += add[PREGEL_SENT];
    }
    return step;
}

/* --- the whole computation ------------------------------------------------------------------------------ */

static void pregel_free_boxes(pregel_box *b, long n)
{
    for (long i = 0; b && i < n; i++)
        free(b[i].at);
    free(b);
}

static void pregel_free(pregel *g)
{
    for (int m = 0; m < 2; m++) {
        pregel_free_boxes(g->matrix[m], (long)g->parts * g->parts);
        for (int i = 0; g->row[m] && !g->matrix[m] && i < g->parts; i++)
            pregel_free_boxes(g->row[m][i].box, g->parts);
        free(g->row[m]);
        free(g->mail[m]);
        free(g->ready[m]);
    }
    free(g->part);
    free(g->message);
    free(g->listed);
    free(g->list);
}

/* 0: no memory. */
static int pregel_new(pregel *g, const graph *of, int parts, PREGEL_VALUE *value, const void *context)
{
    size_t n = (size_t)of->vertices, p;
    *g = (pregel){ .graph = of, .context = context, .value = value };
    while (((of->vertices - 1) >> g->shift) + 1 > parts)
        g->shift++;
    g->parts = (int)((of->vertices - 1) >> g->shift) + 1;
    p = (size_t)g->parts;
    g->part = (pregel_part *)calloc(p, sizeof *g->part);
    g->message = (PREGEL_MESSAGE *)malloc(n * sizeof *g->message);
    g->listed = (unsigned char *)malloc(n);
    g->list = (int32_t *)malloc((n + p) * sizeof *g->list);
    int done = g->part && g->message && g->listed && g->list;
    for (int m = 0; m < 2; m++) {
        g->row[m] = (pregel_row *)calloc(p, sizeof *g->row[m]);
        g->mail[m] = (pregel_mail *)calloc(p, sizeof *g->mail[m]);
        g->ready[m] = (int *)calloc(p, sizeof *g->ready[m]);
        done = done && g->row[m] && g->mail[m] && g->ready[m];
    }
    for (long v = 0; done && v < of->vertices; v++) {
        pregel_part *part = &g->part[v >> g->shift];
        if (!part->list)
            part->list = g->list + v + (v >> g->shift);
        part->list[part->visits++] = (int32_t)v;
        g->message[v] = PREGEL_NONE;
        g->listed[v] = 1;
    }
    return done;
}

/* Runs the program on a graph. value[v] is left in value. DF_ERROR_MEMORY: it came to nothing. */
static df_result pregel_run(const graph *of, PREGEL_VALUE *value, const void *context, pregel_way way, pregel_effort *effort)
{
    pregel g;
    df_result error = DF_ERROR_MEMORY;
    if (pregel_new(&g, of, way.parts, value, context)) {
        effort->messages = 0;
        effort->supersteps = (way.by_sharing ? pregel_by_sharing : pregel_by_dataflow)(&g, &effort->messages);
        error = df_wait_result();
    }
    pregel_free(&g);
    return error;
}

#endif
#endif
