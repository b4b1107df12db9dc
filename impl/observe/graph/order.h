/* order.h - edges between recorded tasks: overlapping regions, and edges that do not come from
 * memory
 *
 * The children of one scope between two waits are processed in the order of submission, as in the
 * runtime (flow/order.h), but with all of them remembered, finished or not. Each region has a cell
 * with the tasks that wrote it last, and those that share it since, in one mode. A new access comes
 * after those of its own cell, and of all cells that overlap it. An exclusive write replaces
 * everything remembered of its elements. All regions are known in advance, so sorting finds the
 * cells and their overlaps. */
#ifndef DFI_OBSERVE_GRAPH_ORDER_H
#define DFI_OBSERVE_GRAPH_ORDER_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../flow/region.h"
#include "graph.h"

DFI_SMALL_CODE_BEGIN

enum dfi_g_cause { DFI_G_FLOW, DFI_G_ANTI, DFI_G_OUTPUT, DFI_G_TOKEN, DFI_G_GIVEN, DFI_G_STREAM, DFI_G_ROOM,
                  DFI_G_CAUSES };

/* `to` comes after `from`. */
struct dfi_g_edge {
    struct dfi_g_item *from, *to;
    enum dfi_g_cause cause;
    unsigned before, after;       /* accesses of the two; after: of a node, which input */
    const struct dfi_g_token *token;
    const struct dfi_g_stream *stream;
    /* not 0: `to` comes after this join, and `from` is one of its predecessors */
    size_t join;
};

#ifndef DFI_G_FEW   /* tests/fuzz/graph_joins.c */
/* a join is made if both sides have more than this: up to it, single edges are readable */
#define DFI_G_FEW 8
#endif

/* An access that a cell remembers. join: 0, or it stands for all predecessors of that join. */
struct dfi_g_seen { struct dfi_g_seen *next; struct dfi_g_item *item; unsigned access; size_t time, join; };

/* Accesses of one kind, the latest first. */
struct dfi_g_list { struct dfi_g_seen *first; size_t n, number; };

/* The predecessors of an access to a cell that is made in one mode repeatedly: those that only read,
 * and those that write. */
struct dfi_g_view {
    size_t number, begin;         /* 0: none; valid as long as nothing was forgotten since */
    unsigned kind;
    const void *key;
    struct dfi_g_seen join[2];    /* accesses seen up to join.time; join.join is 0: none */
    size_t rest[2];               /* and the number seen later, at the last look */
};

struct dfi_g_cell {
    struct dfi_region region;
    struct dfi_g_list before, since;   /* the accesses that wrote it; those that share it since, */
    unsigned kind;                     /* in this mode, */
    const void *key;                   /* and with this operator */
    struct dfi_g_view view;
    size_t turned;                     /* the time when something was last forgotten here */
    size_t over, n_over;               /* overlapping cells: index in dfi_g_order.over */
    size_t group;                      /* the same for cells with interleaved bytes; 0: no bytes */
};
struct dfi_g_group {
    uintptr_t base;
    unsigned memory;              /* its name; 0: none yet */
    /* the cell whose view was examined, if unchanged since; or NULL */
    const struct dfi_g_cell *looked;
};
struct dfi_g_slot { const struct dfi_region *region; size_t cell; };

struct dfi_g_out;
/* The computation for one scope, from one wait to the next; and the edges of one task. */
struct dfi_g_order {
    struct dfi_g_slot *slot;      /* of each access, in the order of the tasks */
    struct dfi_g_cell *cell;
    struct dfi_g_group *group;
    size_t *over;
    size_t n_slots, n_cells, n_groups, at; /* at: the first slot of the next task */
    struct dfi_g_seen *seen, *free;        /* one for each slot */
    struct dfi_g_edge *edge;               /* of the current task */
    size_t n_edges, max_edges;
    int failed;                            /* no memory */
    int counting;
    size_t n_lists, n_views;
    size_t *list_asked, *view_asked;       /* number of uses, by number */
    size_t n_joins, n_joined, max_joined, all_joined;
    struct dfi_g_seen *joined;             /* the predecessors of the join being made */
    /* reports a join in that scope */
    void (*join)(struct dfi_g_out *out, const struct dfi_g_order *o, struct dfi_g_item *scope);
    struct dfi_g_out *out;
};

/* Zeroed. NULL without memory. */
static void *dfi_g_array(size_t n, size_t bytes)
{
    void *p = n < SIZE_MAX / bytes ? dfi_malloc(n ? n * bytes : bytes) : NULL;
    return p ? memset(p, 0, n ? n * bytes : bytes) : NULL;
}

/* Makes room for one more in an array. NULL: no memory; the array is unchanged. */
static void *dfi_g_more(void *array, size_t n, size_t *max, size_t bytes)
{
    size_t more = *max ? 2 * *max : 64;
    void *p;
    if (n < *max) return array;
    if (!(p = dfi_g_array(more, bytes))) return NULL;
    if (n) memcpy(p, array, n * bytes);
    dfi_mfree(array);
    *max = more;
    return p;
}

/* --- cells ------------------------------------------------------------------------------------------------- */

static int dfi_g_region_order(const struct dfi_region *a, const struct dfi_region *b)
{
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    if (a->rows != b->rows) return a->rows < b->rows ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->ld < b->ld ? -1 : a->ld > b->ld;
}
static int dfi_g_slot_order(const void *a, const void *b)
{
    return dfi_g_region_order((*(const struct dfi_g_slot *const *)a)->region,
                              (*(const struct dfi_g_slot *const *)b)->region);
}

/* A pair of cells that overlap. */
struct dfi_g_pair { size_t a, b; };

/* Finds overlapping cells. Cells are sorted by address, so only some earlier ones reach as far as a
 * cell; these are in `open`, with room for all. */
static struct dfi_g_pair *dfi_g_cells_meet(struct dfi_g_order *o, size_t *open, size_t *n)
{
    struct dfi_g_pair *pair = NULL, *more;
    size_t n_open = 0, max = 0, i, k, kept;
    uintptr_t reach = 0;
    for (i = 0; i < o->n_cells; i++) {
        const struct dfi_region *r = &o->cell[i].region;
        if (!r->rows) continue;
        if (!o->n_groups || r->p >= reach) o->group[++o->n_groups].base = r->p;
        if (dfi_region_end(r) > reach) reach = dfi_region_end(r);
        o->cell[i].group = o->n_groups;
        for (k = kept = 0; k < n_open; k++) {
            const struct dfi_region *q = &o->cell[open[k]].region;
            if (dfi_region_end(q) <= r->p) continue;
            open[kept++] = open[k];
            if (!dfi_region_overlap(q, r)) continue;
            if (!(more = (struct dfi_g_pair *)dfi_g_more(pair, *n, &max, sizeof *pair))) {
                o->failed = 1;
                return pair;
            }
            pair = more;
            pair[*n].a = open[k], pair[*n].b = i, ++*n;
        }
        n_open = kept;
        open[n_open++] = i;
    }
    return pair;
}

/* Gives each cell a list of those it overlaps. */
static void dfi_g_cells_overlap(struct dfi_g_order *o)
{
    size_t *open = (size_t *)dfi_g_array(o->n_cells, sizeof *open), n = 0, i, k;
    struct dfi_g_pair *pair = open ? dfi_g_cells_meet(o, open, &n) : NULL;
    dfi_mfree(open);
    o->over = (size_t *)dfi_g_array(2 * n, sizeof *o->over);
    if (!open || !o->over) o->failed = 1;
    if (!o->failed) {
        for (i = 0; i < n; i++) o->cell[pair[i].a].n_over++, o->cell[pair[i].b].n_over++;
        for (i = k = 0; i < o->n_cells; i++) {
            o->cell[i].over = k, k += o->cell[i].n_over;
            o->cell[i].n_over = 0;
        }
        for (i = 0; i < n; i++) {
            struct dfi_g_cell *a = &o->cell[pair[i].a], *b = &o->cell[pair[i].b];
            o->over[a->over + a->n_over++] = pair[i].b;
            o->over[b->over + b->n_over++] = pair[i].a;
        }
    }
    dfi_mfree(pair);
}

static int dfi_g_in_phase(const struct dfi_g_item *i, size_t phase) { return i && i->phase == phase; }

/* --- names of memory ----------------------------------------------------------------------------------------- */

/* The task that a scope is in, at any depth; or NULL. */
static struct dfi_g_item *dfi_g_task_around(struct dfi_g_item *scope)
{
    while (scope && scope->kind != DFI_G_TASK && scope->kind != DFI_G_NODE) scope = scope->parent;
    return scope;
}

/* Names memories in the order in which tasks mention them. In the body of a task, memory that the
 * task declared keeps its name; other memory gets another. After a wait, and in another block, names
 * begin again, because memory may have been freed and reused. pre: dfi_g_order_begin with the same;
 * the enclosing scopes have names */
static void dfi_g_name_memory(struct dfi_g_order *o, struct dfi_g_item *first)
{
    const struct dfi_g_item *around = dfi_g_task_around(first->parent);
    unsigned names = around ? around->names : 0, a, k;
    struct dfi_g_item *i;
    size_t at = 0;
    for (i = first; dfi_g_in_phase(i, first->phase) && !o->failed; i = i->next)
        for (a = 0; a < i->n; a++, at++) {
            struct dfi_g_access *x = &i->access[a];
            struct dfi_g_group *m = &o->group[o->cell[o->slot[at].cell].group];
            x->memory = 0;
            if (!x->region.rows) continue;
            for (k = 0; around && k < around->n && !x->memory; k++) {
                const struct dfi_g_access *y = &around->access[k];
                if (!y->memory || x->region.p < y->region.p ||
                    dfi_region_end(&x->region) > dfi_region_end(&y->region)) continue;
                x->memory = y->memory, x->base = y->base;
            }
            if (x->memory) continue;
            if (!m->memory) m->memory = ++names;
            x->memory = m->memory, x->base = m->base;
        }
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) i->names = names;
}

/* --- edges -------------------------------------------------------------------------------------------------- */

static void dfi_g_edge_add(struct dfi_g_order *o, struct dfi_g_item *from, struct dfi_g_item *to,
                           enum dfi_g_cause cause, unsigned before, unsigned after,
                           const struct dfi_g_token *token, const struct dfi_g_stream *stream, size_t join)
{
    struct dfi_g_edge *e;
    if (from == to || o->failed) return;
    if (!(e = (struct dfi_g_edge *)dfi_g_more(o->edge, o->n_edges, &o->max_edges, sizeof *e))) {
        o->failed = 1;
        return;
    }
    o->edge = e;
    e += o->n_edges++;
    e->from = from, e->to = to, e->cause = cause;
    e->before = before, e->after = after;
    e->token = token, e->stream = stream, e->join = join;
}

/* Compares two windows of a stream in dfi_g_stream.sorted: write windows first, then those of each
 * reader; each by position. */
static int dfi_g_use_order(const void *a, const void *b)
{
    const struct dfi_g_use *x = *(const struct dfi_g_use *const *)a, *y = *(const struct dfi_g_use *const *)b;
    if (x->reader != y->reader) return (uintptr_t)x->reader < (uintptr_t)y->reader ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->pass < y->pass ? -1 : x->pass > y->pass;
}

/* The first window of that side, or of a later side, that passes `position`. */
static size_t dfi_g_window_at(const struct dfi_g_stream *s, const void *reader, uint64_t position)
{
    size_t from = 0, to = s->n_uses;
    while (from < to) {
        size_t at = from + (to - from) / 2;
        const struct dfi_g_use *u = s->sorted[at];
        if (u->reader == reader ? u->pass <= position : (uintptr_t)u->reader < (uintptr_t)reader) from = at + 1;
        else to = at;
    }
    return from;
}

/* Adds edges from the windows of a side on elements [from, to) to the task i. */
static void dfi_g_after_windows(struct dfi_g_order *o, const struct dfi_g_stream *s, const void *reader,
                                uint64_t from, uint64_t to,
                                struct dfi_g_item *i, enum dfi_g_cause cause)
{
    size_t k;
    for (k = dfi_g_window_at(s, reader, from); k < s->n_uses; k++) {
        const struct dfi_g_use *u = s->sorted[k];
        if (u->reader != reader || u->begin >= to) return;
        if (u->begin < u->pass) dfi_g_edge_add(o, u->item, i, cause, 0, 0, NULL, s, 0);
    }
}

/* Adds the edges of the current task from tokens, inputs and streams of i, which is that task or
 * nested in it. */
static void dfi_g_order_uses(struct dfi_g_order *o, struct dfi_g_item *i)
{
    const struct dfi_g_use *u, *v;
    for (u = i->uses; u; u = u->next) {
        const struct dfi_g_stream *s = u->stream;
        if (u->kind == DFI_G_AFTER) {
            for (v = u->token->uses; v; v = v->other)
                if (v->kind == DFI_G_SIGNALS) dfi_g_edge_add(o, v->item, i, DFI_G_TOKEN, 0, 0, u->token, NULL, 0);
        } else if (u->kind == DFI_G_INPUT && u->giver)
            dfi_g_edge_add(o, u->giver, i, DFI_G_GIVEN, 0, u->number, NULL, NULL, 0);
        else if (u->kind == DFI_G_POP && s->sorted) dfi_g_after_windows(o, s, NULL, u->begin, u->need, i, DFI_G_STREAM);
        else if (u->kind == DFI_G_PUSH && s->sorted && u->need > s->capacity) {
            uint64_t from = u->begin > s->capacity ? u->begin - s->capacity : 0;
            size_t k = dfi_g_window_at(s, NULL, UINT64_MAX);
            while (k < s->n_uses) { /* each reader */
                const void *reader = s->sorted[k]->reader;
                dfi_g_after_windows(o, s, reader, from, u->need - s->capacity, i, DFI_G_ROOM);
                k = dfi_g_window_at(s, reader, UINT64_MAX);
            }
        }
    }
}

static int dfi_g_edge_order(const void *a, const void *b)
{
    const struct dfi_g_edge *x = (const struct dfi_g_edge *)a, *y = (const struct dfi_g_edge *)b;
    size_t m = x->token ? x->token->number : x->stream ? x->stream->number : 0,
        n = y->token ? y->token->number : y->stream ? y->stream->number : 0;
    if (x->join != y->join) return x->join < y->join ? -1 : 1;
    if (x->from != y->from) return x->from->index < y->from->index ? -1 : 1;
    if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
    if (x->after != y->after) return x->after < y->after ? -1 : 1;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    return m < n ? -1 : m > n;
}

/* Sorts the edges of the current task into program order, and removes duplicates. */
static void dfi_g_edges_sort(struct dfi_g_order *o)
{
    size_t i, kept = 0;
    if (o->n_edges > 1) qsort((void *)o->edge, o->n_edges, sizeof *o->edge, dfi_g_edge_order);
    for (i = 0; i < o->n_edges; i++)
        if (!kept || dfi_g_edge_order(&o->edge[kept - 1], &o->edge[i])) o->edge[kept++] = o->edge[i];
    o->n_edges = kept;
}

DFI_SMALL_CODE_END

#endif
