/* dfi_graph_order.h - which recorded tasks come after which, and why
 *
 * The children of one scope between two waits are gone through in the order of submission, as the runtime does
 * (dfi_order.h), but with all of them remembered, done or not. For each region there is a cell with the tasks that wrote it
 * last, and those that share it since, in one mode; a new access comes after those of its own cell and of all cells that
 * share an element with it. What a task writes alone stands for all that was remembered of the elements before.
 * All regions are known before, so that cells and what they overlap are found by sorting. */
#ifndef DFI_GRAPH_ORDER_H
#define DFI_GRAPH_ORDER_H

enum dfi_g_cause { DFI_G_FLOW, DFI_G_ANTI, DFI_G_OUTPUT, DFI_G_TOKEN, DFI_G_GIVEN, DFI_G_STREAM, DFI_G_ROOM, DFI_G_CAUSES };

/* `to` comes after `from`. */
struct dfi_g_edge {
    struct dfi_g_item *from, *to;
    enum dfi_g_cause cause;
    unsigned before, after;       /* accesses of the two; after: of a node, which input */
    const struct dfi_g_token *token;
    const struct dfi_g_stream *stream;
};

/* An access that a cell remembers. */
struct dfi_g_seen { struct dfi_g_seen *next; struct dfi_g_item *item; unsigned access; };

struct dfi_g_cell {
    struct dfi_region region;
    struct dfi_g_seen *before, *since; /* who wrote it; who shares it since, */
    unsigned kind;                     /* in this mode, */
    const void *key;                   /* and with this operator */
    size_t over, n_over;               /* cells that share an element with it: where in dfi_g_order.over */
    size_t group;                      /* the same for cells whose bytes lie among each other; 0: no bytes */
};
struct dfi_g_group { uintptr_t base; unsigned memory; }; /* where it begins; its name, 0: none so far */
struct dfi_g_slot { const struct dfi_region *region; size_t cell; };

/* The work on one scope, from one wait to the next; and the edges of one task. */
struct dfi_g_order {
    struct dfi_g_slot *slot;      /* of each access, in the order of the tasks */
    struct dfi_g_cell *cell;
    struct dfi_g_group *group;
    size_t *over;
    size_t n_slots, n_cells, n_groups, at; /* at: the first slot of the next task */
    struct dfi_g_seen *seen, *free;        /* one for each slot */
    struct dfi_g_edge *edge;               /* of the present task */
    size_t n_edges, max_edges;
    int failed;                            /* no memory */
};

/* Zeroed. NULL without memory. */
static void *dfi_g_array(size_t n, size_t bytes)
{
    void *p = n < SIZE_MAX / bytes ? dfi_malloc(n ? n * bytes : bytes) : NULL;
    return p ? memset(p, 0, n ? n * bytes : bytes) : NULL;
}

/* Room for one more in an array. NULL: no memory; the array is as it was. */
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
    return dfi_g_region_order((*(const struct dfi_g_slot *const *)a)->region, (*(const struct dfi_g_slot *const *)b)->region);
}

/* A pair of cells that overlap. */
struct dfi_g_pair { size_t a, b; };

/* Finds out which cells overlap: of those before it, by address, only some reach as far as a cell. They are in `open`, with
 * room for all. */
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

/* Each cell gets a list of those it overlaps. */
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

/* Begins with `first`, the first child of its scope or after a wait there. */
static void dfi_g_order_begin(struct dfi_g_order *o, struct dfi_g_item *first)
{
    struct dfi_g_item *i;
    struct dfi_g_slot **sorted;
    size_t n = 0, k;
    unsigned a;
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) n += i->n;
    o->n_slots = o->n_cells = o->n_groups = o->at = 0;
    o->free = NULL;
    o->slot = (struct dfi_g_slot *)dfi_g_array(n, sizeof *o->slot);
    o->cell = (struct dfi_g_cell *)dfi_g_array(n, sizeof *o->cell);
    o->group = (struct dfi_g_group *)dfi_g_array(n + 1, sizeof *o->group);
    o->seen = (struct dfi_g_seen *)dfi_g_array(n, sizeof *o->seen);
    o->over = NULL;
    sorted = (struct dfi_g_slot **)dfi_g_array(n, sizeof *sorted);
    if (!o->slot || !o->cell || !o->group || !o->seen || !sorted) o->failed = 1;
    for (i = first; !o->failed && dfi_g_in_phase(i, first->phase); i = i->next)
        for (a = 0; a < i->n; a++) {
            size_t at = o->n_slots++;
            o->seen[at].next = o->free, o->free = &o->seen[at];
            o->slot[at].region = &i->access[a].region;
            sorted[at] = &o->slot[at];
        }
    if (!o->failed) {
        qsort((void *)sorted, n, sizeof *sorted, dfi_g_slot_order);
        for (k = 0; k < n; k++) {
            if (!k || dfi_g_region_order(sorted[k]->region, sorted[k - 1]->region)) o->cell[o->n_cells++].region = *sorted[k]->region;
            sorted[k]->cell = o->n_cells - 1;
        }
        dfi_g_cells_overlap(o);
    }
    dfi_mfree((void *)sorted);
}

static void dfi_g_order_end(struct dfi_g_order *o)
{
    dfi_mfree(o->slot), dfi_mfree(o->cell), dfi_mfree(o->group), dfi_mfree(o->over), dfi_mfree(o->seen);
}

/* --- names of memory ----------------------------------------------------------------------------------------- */

/* The task that a scope is in, at any depth; or NULL. */
static struct dfi_g_item *dfi_g_task_around(struct dfi_g_item *scope)
{
    while (scope && scope->kind != DFI_G_TASK && scope->kind != DFI_G_NODE) scope = scope->parent;
    return scope;
}

/* Names are given in the order in which tasks mention memory. In the body of a task, what that declared keeps its name; what
 * it did not has another. After a wait, and in another block, names begin anew: memory may have been freed and be used
 * again. pre: dfi_g_order_begin with the same; that of the scopes around has names. */
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
                if (!y->memory || x->region.p < y->region.p || dfi_region_end(&x->region) > dfi_region_end(&y->region)) continue;
                x->memory = y->memory, x->base = y->base;
            }
            if (x->memory) continue;
            if (!m->memory) m->memory = ++names;
            x->memory = m->memory, x->base = m->base;
        }
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) i->names = names;
}

/* --- edges -------------------------------------------------------------------------------------------------- */

static void dfi_g_edge_add(struct dfi_g_order *o, struct dfi_g_item *from, struct dfi_g_item *to, enum dfi_g_cause cause,
                           unsigned before, unsigned after, const struct dfi_g_token *token, const struct dfi_g_stream *stream)
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
    e->token = token, e->stream = stream;
}

/* How access a of i is made: as the runtime does it (dfi_accesses_apart), alone if it shares what i accesses otherwise, too. */
static unsigned dfi_g_mode_of(const struct dfi_g_item *i, unsigned a)
{
    unsigned mode = i->access[a].mode & ~(unsigned)DFI_WEAK, k;
    for (k = 0; k < i->n && mode & DFI_SHARED; k++)
        if (k != a && dfi_region_overlap(&i->access[k].region, &i->access[a].region)) mode = DFI_INOUT;
    return mode;
}

static unsigned dfi_g_kind(unsigned mode) /* of sharing; 0: alone */
{
    return mode & DFI_SHARED ? mode & (DFI_SHARED | DFI_INOUT) : mode & DFI_WRITES ? 0 : DFI_IN;
}

/* May two accesses of this kind be made at the same time, or in any order? same: to the same region. Commuting tasks have the
 * lock, and reducing ones the copies, of one region only. */
static int dfi_g_joins(unsigned kind, const void *key, unsigned other, const void *its_key, int same)
{
    return kind && kind == other && (!(kind & DFI_GROUPED) || (same && key == its_key));
}

/* Access a of i comes after those in a list, of the same region or of one that overlaps it. */
static void dfi_g_after_all(struct dfi_g_order *o, const struct dfi_g_seen *s, struct dfi_g_item *i, unsigned a, unsigned kind, int same)
{
    unsigned mode = i->access[a].mode;
    for (; s; s = s->next) {
        unsigned was = s->item->access[s->access].mode;
        if (dfi_g_joins(kind, i->access[a].key, dfi_g_kind(dfi_g_mode_of(s->item, s->access)), s->item->access[s->access].key, same)) continue;
        dfi_g_edge_add(o, s->item, i, !(was & DFI_WRITES) ? DFI_G_ANTI : mode & DFI_IN ? DFI_G_FLOW : DFI_G_OUTPUT, s->access, a, NULL, NULL);
    }
}

/* Does a contain all of b? pre: they overlap. */
static int dfi_g_covers(const struct dfi_region *a, const struct dfi_region *b)
{
    struct dfi_region row = *b;
    if (dfi_region_covers(a, b)) return 1;
    if (a->rows == 1 || b->rows == 1 || a->ld == b->ld) return 0;
    for (row.rows = 1, row.ld = 0; row.p < dfi_region_end(b); row.p += b->ld) /* what dfi_region_covers leaves open */
        if (!dfi_region_covers(a, &row)) return 0;
    return 1;
}

static void dfi_g_forget(struct dfi_g_order *o, struct dfi_g_seen **list)
{
    while (*list) {
        struct dfi_g_seen *s = *list;
        *list = s->next;
        s->next = o->free, o->free = s;
    }
}

/* The edges of the next task, i, from others of its scope. */
static void dfi_g_order_next(struct dfi_g_order *o, struct dfi_g_item *i)
{
    unsigned a;
    size_t k;
    for (a = 0; a < i->n && !o->failed; a++) {
        struct dfi_g_cell *c = &o->cell[o->slot[o->at + a].cell];
        unsigned kind = dfi_g_kind(dfi_g_mode_of(i, a));
        if (!c->region.rows) continue;
        for (k = 0; k <= c->n_over; k++) {
            const struct dfi_g_cell *d = k ? &o->cell[o->over[c->over + k - 1]] : c;
            dfi_g_after_all(o, d->since, i, a, kind, d == c);
            dfi_g_after_all(o, d->before, i, a, kind, d == c);
        }
    }
    for (a = 0; a < i->n && !o->failed; a++) {
        struct dfi_g_cell *c = &o->cell[o->slot[o->at + a].cell];
        struct dfi_g_seen *s = o->free;
        unsigned kind = dfi_g_kind(dfi_g_mode_of(i, a));
        const void *key = i->access[a].key;
        if (!c->region.rows) continue;
        o->free = s->next;
        s->item = i, s->access = a;
        for (k = 0; k <= c->n_over && !kind; k++) {
            struct dfi_g_cell *d = k ? &o->cell[o->over[c->over + k - 1]] : c;
            if (d != c && !dfi_g_covers(&c->region, &d->region)) continue;
            dfi_g_forget(o, &d->before);
            dfi_g_forget(o, &d->since);
        }
        if (!kind) {
            s->next = NULL, c->before = s;
            continue;
        }
        if (c->since && !dfi_g_joins(kind, key, c->kind, c->key, 1)) { /* those who shared it wrote it, for those who come now */
            dfi_g_forget(o, &c->before);
            c->before = c->since, c->since = NULL;
        }
        c->kind = kind, c->key = key;
        s->next = c->since, c->since = s;
    }
    o->at += i->n;
}

/* Two lines of a stream in dfi_g_stream.sorted: those to write, then those of each reader; each by position. */
static int dfi_g_use_order(const void *a, const void *b)
{
    const struct dfi_g_use *x = *(const struct dfi_g_use *const *)a, *y = *(const struct dfi_g_use *const *)b;
    if (x->reader != y->reader) return (uintptr_t)x->reader < (uintptr_t)y->reader ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->pass < y->pass ? -1 : x->pass > y->pass;
}

/* The first window of that side, or of those after it, that passes `position`. */
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

/* The windows of a side on elements [from, to) come before the task `to_item`. */
static void dfi_g_after_windows(struct dfi_g_order *o, const struct dfi_g_stream *s, const void *reader, uint64_t from, uint64_t to,
                                struct dfi_g_item *i, enum dfi_g_cause cause)
{
    size_t k;
    for (k = dfi_g_window_at(s, reader, from); k < s->n_uses; k++) {
        const struct dfi_g_use *u = s->sorted[k];
        if (u->reader != reader || u->begin >= to) return;
        if (u->begin < u->pass) dfi_g_edge_add(o, u->item, i, cause, 0, 0, NULL, s);
    }
}

/* The edges of `to` that come from tokens, inputs and streams of i, which is the same or inside of it. */
static void dfi_g_order_uses(struct dfi_g_order *o, struct dfi_g_item *i)
{
    const struct dfi_g_use *u, *v;
    for (u = i->uses; u; u = u->next) {
        const struct dfi_g_stream *s = u->stream;
        if (u->kind == DFI_G_AFTER) {
            for (v = u->token->uses; v; v = v->other)
                if (v->kind == DFI_G_SIGNALS) dfi_g_edge_add(o, v->item, i, DFI_G_TOKEN, 0, 0, u->token, NULL);
        } else if (u->kind == DFI_G_INPUT && u->giver) dfi_g_edge_add(o, u->giver, i, DFI_G_GIVEN, 0, u->number, NULL, NULL);
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
    size_t m = x->token ? x->token->number : x->stream ? x->stream->number : 0, n = y->token ? y->token->number : y->stream ? y->stream->number : 0;
    if (x->from != y->from) return x->from->index < y->from->index ? -1 : 1;
    if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
    if (x->after != y->after) return x->after < y->after ? -1 : 1;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    return m < n ? -1 : m > n;
}

/* The edges of the present task in the order of the program, each once. */
static void dfi_g_edges_sort(struct dfi_g_order *o)
{
    size_t i, kept = 0;
    if (o->n_edges > 1) qsort((void *)o->edge, o->n_edges, sizeof *o->edge, dfi_g_edge_order);
    for (i = 0; i < o->n_edges; i++)
        if (!kept || dfi_g_edge_order(&o->edge[kept - 1], &o->edge[i])) o->edge[kept++] = o->edge[i];
    o->n_edges = kept;
}

#endif
