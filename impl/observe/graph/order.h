/* order.h - edges between recorded tasks: overlapping regions, tokens, inputs of nodes, streams
 *
 * The children of one scope between two waits are processed in the order of submission, as in the runtime
 * (flow/order.h), but with all of them remembered, finished or not. A cell stands for a region. It remembers the
 * accesses that wrote it last, and those that share it since, in one mode. A new access follows those of its own cell,
 * and of all cells that overlap it, unless it shares memory with them. An exclusive write replaces everything
 * remembered of its elements.
 *
 * What a cell remembers is a chain: a list that shares its beginning with other lists. What an access follows is a
 * chain of such chains. Equal chains are one, so many tasks that follow the same many others take memory for their sum,
 * not for their product. Where a chain is long and has many uses, a join stands for its accesses in the graph. */
#ifndef DFI_OBSERVE_GRAPH_ORDER_H
#define DFI_OBSERVE_GRAPH_ORDER_H

#include "../../base/compiler.h"
#include "../../api/task.h"
#include "../../flow/region.h"
#include "graph.h"

DFI_SMALL_CODE_BEGIN

enum dfi_g_cause { DFI_G_FLOW, DFI_G_ANTI, DFI_G_OUTPUT, DFI_G_TOKEN, DFI_G_GIVEN, DFI_G_STREAM, DFI_G_ROOM,
                   DFI_G_CAUSES };

#ifndef DFI_G_FEW   /* tests/fuzz/graph_joins.c */
/* a join is made if both sides have more than this: up to it, single edges are readable */
#define DFI_G_FEW 8
#endif

struct dfi_g_chain {
    struct dfi_g_chain *up;             /* this chain without its end, which is */
    struct dfi_g_item *item;            /* an access of that item, */
    struct dfi_g_chain *part;           /* or that chain, which ends with this access; then `up` may be such a part */
    struct dfi_g_chain *same_hash;      /* list of chains of parts */
    struct dfi_g_chain *before, *next;  /* list of all chains of accesses, or of parts */
    struct dfi_g_chain *join;           /* the longest part of it from the beginning that is a join, or NULL */
    unsigned access;
    unsigned n;                         /* number of accesses */
    unsigned uses;                      /* as the predecessors of an access, or as a part of them that is drawn */
    unsigned through;                   /* the same, of all chains that begin with it; */
    unsigned most;                      /* and the largest number of one of them with one end more */
    unsigned drawn;                     /* of parts: number of longer ones for which its end is drawn */
    size_t number;                      /* of the join; 0: not written yet */
};
struct dfi_g_chains { struct dfi_g_chain *first, *last; };

struct dfi_g_near { struct dfi_g_near *next; struct dfi_g_cell *cell; };
struct dfi_g_memory { uintptr_t base; unsigned name; }; /* regions whose bytes are interleaved; name 0: none yet */
struct dfi_g_cell {
    const struct dfi_region *region;
    struct dfi_g_cell *reaches;         /* the next earlier cell that may reach as far as the current one */
    struct dfi_g_near *overlaps;        /* the cells that overlap it, and itself: the latest changed last */
    /* numbers of the last access that it remembers; of the last that it began a list with; of the last that followed */
    size_t changed, turned, looked;
    struct dfi_g_access *asked;         /* the last that followed */
    struct dfi_g_memory *memory;
    struct dfi_g_chain *before, *since; /* the accesses that wrote it; those that share it since, in one mode */
};

/* An item comes after `from`. */
struct dfi_g_edge {
    struct dfi_g_item *from;
    struct dfi_g_chain *join;           /* not NULL: after that join, and `from` is one of its predecessors */
    enum dfi_g_cause cause;
    unsigned before, after;             /* accesses of the two; after: of a node, which input */
    const struct dfi_g_channel *channel;
};

/* The writer. It works on one scope, from one wait to the next. */
struct dfi_g_draw {
    struct dfi_graph *g;
    int dot, failed;                    /* dot: the form; no memory */
    struct dfi_g_arena arena;           /* of the current scope and wait */
    struct dfi_g_chains chains[2];      /* of accesses; of parts, */
    struct dfi_g_chain **hash;
    size_t n_hash, n_parts;             /* a power of two; number of chains of parts */
    size_t now;                         /* number of accesses so far */
    struct dfi_g_edge *edge;            /* of the current item or join */
    size_t n_edges, max_edges;
    struct dfi_g_use **use;             /* all of channels, sorted */
    size_t n_uses;
    size_t tasks, edges, joins, joined, causes[DFI_G_CAUSES]; /* counts; joined: edges to joins */
    size_t n, total;                    /* bytes in the buffer; written */
    char room[4096];
};

/* Zeroed memory until the next wait; n is not 0. NULL: there is none, and the draw has failed. */
static void *dfi_g_room(struct dfi_g_draw *d, size_t n, size_t bytes)
{
    void *p = n <= SIZE_MAX / 2 / bytes ? dfi_g_alloc(&d->arena, n * bytes) : NULL;
    if (!p) d->failed = 1;
    return p;
}

static int dfi_g_in_phase(const struct dfi_g_item *i, size_t phase) { return i && i->phase == phase; }

/* --- chains ------------------------------------------------------------------------------------------------------ */

/* c and one more access, or one more part that ends with that. Without memory the access or part alone is lost. */
static struct dfi_g_chain *dfi_g_longer(struct dfi_g_draw *d, struct dfi_g_chain *c, struct dfi_g_chain *part,
                                        struct dfi_g_item *i, unsigned access)
{
    struct dfi_g_chain *new_c = (struct dfi_g_chain *)dfi_g_room(d, 1, sizeof *new_c);
    struct dfi_g_chains *list = &d->chains[part != NULL];
    if (!new_c) return c;
    new_c->up = c, new_c->part = part, new_c->item = i, new_c->access = access;
    new_c->n = (c ? c->n : 0) + (part ? part->n : 1);
    new_c->before = list->last;
    *(list->last ? &list->last->next : &list->first) = new_c;
    return list->last = new_c;
}

static struct dfi_g_chain **dfi_g_hashed(struct dfi_g_draw *d, const struct dfi_g_chain *up,
                                         const struct dfi_g_chain *part)
{
    uintptr_t h = (uintptr_t)up / 16 * 31 + (uintptr_t)part / 16;
    return &d->hash[(h ^ h >> 15) & (d->n_hash - 1)];
}

static void dfi_g_hash_grow(struct dfi_g_draw *d)
{
    struct dfi_g_chain *c = d->chains[1].first, **list;
    size_t n = d->n_hash ? 4 * d->n_hash : 256;
    struct dfi_g_chain **hash = (struct dfi_g_chain **)dfi_g_room(d, n, sizeof *hash);
    if (!hash) return;
    d->hash = hash, d->n_hash = n;
    for (; c; c = c->next) {
        list = dfi_g_hashed(d, c->up, c->part);
        c->same_hash = *list, *list = c;
    }
}

/* c and then part; the same chain whenever it is asked for. Without memory any. */
static struct dfi_g_chain *dfi_g_both(struct dfi_g_draw *d, struct dfi_g_chain *c, struct dfi_g_chain *part)
{
    struct dfi_g_chain *both, **list;
    if (d->n_parts >= d->n_hash) dfi_g_hash_grow(d);
    if (d->failed) return c;
    list = dfi_g_hashed(d, c, part);
    for (both = *list; both; both = both->same_hash)
        if (both->up == c && both->part == part) return both;
    both = dfi_g_longer(d, c, part, part->item, part->access);
    if (both == c) return c;
    d->n_parts++;
    both->same_hash = *list;
    return *list = both;
}

/* c without its end; NULL: it has one part, or one access. */
static struct dfi_g_chain *dfi_g_above(const struct dfi_g_chain *c)
{
    return c->up && (!c->part || c->up->part) ? c->up : NULL;
}

/* Decides which chains are joins: long ones with many uses, which do not all continue in the same way. One that
 * continues another join needs no other uses. First of parts: in a join, each of its parts is drawn once. */
static void dfi_g_joins(struct dfi_g_draw *d)
{
    struct dfi_g_chain *c, *up, *join;
    int k;
    for (k = 1; k >= 0; k--) {
        for (c = d->chains[k].last; c; c = c->before) { /* those that continue c are newer */
            c->through += c->uses;
            if (!(up = dfi_g_above(c))) continue;
            up->through += c->through;
            if (c->through > up->most) up->most = c->through;
        }
        for (c = d->chains[k].first; c; c = c->next) {
            join = (up = dfi_g_above(c)) != NULL ? up->join : NULL;
            c->join = c->n - (join ? join->n : 0) > DFI_G_FEW && c->through > (unsigned)(join ? k : DFI_G_FEW) &&
                      c->most < c->through ? c : join;
        }
        for (c = d->chains[1].last; c && k; c = c->before) {
            c->drawn = c->join == c ? 1 : c->drawn + c->uses;
            c->part->uses += c->drawn;
            *(c->up->part ? &c->up->drawn : &c->up->uses) += c->drawn;
        }
    }
}

/* --- cells --------------------------------------------------------------------------------------------------- */

static int dfi_g_region_order(const struct dfi_region *a, const struct dfi_region *b)
{
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    if (a->rows != b->rows) return a->rows < b->rows ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->ld < b->ld ? -1 : a->ld > b->ld;
}
static int dfi_g_access_order(const void *a, const void *b)
{
    return dfi_g_region_order(&(*(const struct dfi_g_access *const *)a)->region,
                              &(*(const struct dfi_g_access *const *)b)->region);
}

static void dfi_g_are_near(struct dfi_g_draw *d, struct dfi_g_cell *a, struct dfi_g_cell *b)
{
    struct dfi_g_near *n = (struct dfi_g_near *)dfi_g_room(d, 1, sizeof *n);
    if (n) n->cell = b, n->next = a->overlaps, a->overlaps = n;
}

/* Gives the accesses of the items from `first` to the next wait their cells. */
static void dfi_g_cells(struct dfi_g_draw *d, const struct dfi_g_item *first)
{
    const struct dfi_g_item *i;
    struct dfi_g_access **access;
    struct dfi_g_cell *c, *reach = NULL, **at;
    struct dfi_g_memory *memory = NULL;
    uintptr_t end = 0;
    size_t n = 0, k;
    unsigned a;
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) n += i->n;
    access = (struct dfi_g_access **)dfi_g_room(d, n + 1, sizeof *access);
    c = (struct dfi_g_cell *)dfi_g_room(d, n + 1, sizeof *c);
    memset((void *)d->chains, 0, sizeof d->chains);
    d->n_hash = d->n_parts = 0;
    if (d->failed) return;
    for (i = first, n = 0; dfi_g_in_phase(i, first->phase); i = i->next)
        for (a = 0; a < i->n; a++)
            if (i->access[a].region.rows) access[n++] = &i->access[a];
    qsort((void *)access, n, sizeof *access, dfi_g_access_order);
    for (k = 0; k < n && !d->failed; k++) { /* by address: only earlier regions can reach into the current one */
        const struct dfi_region *r = &access[k]->region;
        if (!k || dfi_g_region_order(r, &access[k - 1]->region)) {
            (++c)->region = r;
            if (!memory || r->p >= end) {
                if (!(memory = (struct dfi_g_memory *)dfi_g_room(d, 1, sizeof *memory))) return;
                memory->base = r->p;
            }
            c->memory = memory;
            if (dfi_region_end(r) > end) end = dfi_region_end(r);
            dfi_g_are_near(d, c, c);
            for (at = &reach; *at;)
                if (dfi_region_end((*at)->region) <= r->p) *at = (*at)->reaches;
                else {
                    if (dfi_region_overlap((*at)->region, r)) dfi_g_are_near(d, c, *at), dfi_g_are_near(d, *at, c);
                    at = &(*at)->reaches;
                }
            c->reaches = reach, reach = c;
        }
        access[k]->cell = c;
    }
}

/* The task that an item is, or is in, at any depth; or NULL. */
static struct dfi_g_item *dfi_g_task_around(struct dfi_g_item *i)
{
    while (i && i->kind != DFI_G_TASK && i->kind != DFI_G_NODE) i = i->parent;
    return i;
}

/* Names memories in the order in which tasks mention them. In the body of a task, memory that the task declared keeps
 * its name; other memory gets another. After a wait, and in another block, names begin again, because memory may have
 * been freed and reused. pre: the enclosing scopes have names */
static void dfi_g_name_memory(struct dfi_g_item *first)
{
    const struct dfi_g_item *around = dfi_g_task_around(first->parent);
    unsigned names = around ? around->names : 0, a, k;
    struct dfi_g_item *i;
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next)
        for (a = 0; a < i->n; a++) {
            struct dfi_g_access *x = &i->access[a];
            x->memory = 0;
            if (!x->region.rows) continue;
            for (k = 0; around && k < around->n && !x->memory; k++) {
                const struct dfi_g_access *y = &around->access[k];
                if (!y->memory || x->region.p < y->region.p ||
                    dfi_region_end(&x->region) > dfi_region_end(&y->region)) continue;
                x->memory = y->memory, x->base = y->base;
            }
            if (x->memory) continue;
            if (!x->cell->memory->name) x->cell->memory->name = ++names;
            x->memory = x->cell->memory->name, x->base = x->cell->memory->base;
        }
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) i->names = names;
}

/* --- edges of memory ----------------------------------------------------------------------------------------- */

/* May accesses in these modes be made concurrently, or in any order? same: to the same region. Commuting tasks have the
 * lock, and reducing tasks the copies, of one region only. */
static int dfi_g_share(const struct dfi_g_access *x, const struct dfi_g_access *y, int same)
{
    return x->kind && x->kind == y->kind && (!(x->kind & DFI_ONE_REGION) || (same && x->key == y->key));
}

static const struct dfi_g_access *dfi_g_last(const struct dfi_g_chain *c) { return &c->item->access[c->access]; }

/* x follows what the cells near its own remember: first what they remembered when the cell was last followed, because
 * then the beginning of the chain is the same. */
static void dfi_g_follow(struct dfi_g_draw *d, struct dfi_g_access *x)
{
    struct dfi_g_cell *cell = x->cell;
    struct dfi_g_near *n, *changed = NULL, **at, **last = &changed;
    int k;
    x->after[0] = x->after[1] = NULL;
    if (!cell) return;
    for (at = &cell->overlaps; (n = *at) != NULL;)
        if ((n->cell == cell && x->kind ? cell->turned : n->cell->changed) > cell->looked) {
            *at = n->next;
            *last = n, last = &n->next;
        } else at = &n->next;
    *last = NULL, *at = changed;
    if (!changed && cell->asked && cell->asked->kind == x->kind && cell->asked->key == x->key)
        memcpy((void *)x->after, (void *)cell->asked->after, sizeof x->after);
    else
        for (n = cell->overlaps; n; n = n->next)
            for (k = 0; k < 2; k++) {
                struct dfi_g_chain *c = k ? n->cell->since : n->cell->before, **after;
                if (!c || dfi_g_share(x, dfi_g_last(c), n->cell == cell)) continue;
                after = &x->after[dfi_g_last(c)->kind == DFI_IN];
                *after = *after ? dfi_g_both(d, *after, c) : c;
            }
    cell->looked = d->now, cell->asked = x;
    for (k = 0; k < 2; k++)
        if (x->after[k]) x->after[k]->uses++;
}

/* Its cell remembers access a of i. */
static void dfi_g_remember(struct dfi_g_draw *d, struct dfi_g_item *i, unsigned a)
{
    struct dfi_g_access *x = &i->access[a];
    struct dfi_g_cell *c = x->cell;
    struct dfi_g_near *n;
    if (!c) return;
    c->changed = ++d->now;
    if (!x->kind || !c->since || !dfi_g_share(x, dfi_g_last(c->since), 1)) c->turned = d->now;
    if (!x->kind) {
        for (n = c->overlaps; n; n = n->next)
            if (dfi_region_covers(c->region, n->cell->region)) n->cell->before = n->cell->since = NULL;
        c->before = dfi_g_longer(d, NULL, NULL, i, a);
        return;
    }
    if (c->since && c->turned == d->now) c->before = c->since, c->since = NULL;
    c->since = dfi_g_longer(d, c->since, NULL, i, a);
}

/* Finds the predecessors of the items from `first` to the next wait. */
static void dfi_g_order(struct dfi_g_draw *d, struct dfi_g_item *first)
{
    struct dfi_g_item *i;
    unsigned a;
    dfi_g_cells(d, first);
    if (d->failed) return;
    dfi_g_name_memory(first);
    for (i = first; dfi_g_in_phase(i, first->phase) && !d->failed; i = i->next) {
        for (a = 0; a < i->n; a++) dfi_g_follow(d, &i->access[a]);
        for (a = 0; a < i->n; a++) dfi_g_remember(d, i, a);
    }
    dfi_g_joins(d);
}

/* --- edges -------------------------------------------------------------------------------------------------- */

static void dfi_g_edge_add(struct dfi_g_draw *d, struct dfi_g_item *from, const struct dfi_g_item *to,
                       enum dfi_g_cause cause, unsigned before, unsigned after, const struct dfi_g_channel *channel,
                       struct dfi_g_chain *join)
{
    struct dfi_g_edge *e;
    if (from == to || d->failed) return;
    if (d->n_edges == d->max_edges) {
        size_t max = d->max_edges ? 2 * d->max_edges : 64;
        if (!(e = (struct dfi_g_edge *)dfi_g_room(d, max, sizeof *e))) return;
        if (d->n_edges) memcpy((void *)e, (void *)d->edge, d->n_edges * sizeof *e);
        d->edge = e, d->max_edges = max;
    }
    e = &d->edge[d->n_edges++];
    e->from = from, e->cause = cause, e->before = before, e->after = after;
    e->channel = channel, e->join = join;
}

/* Edges from the accesses of a chain c, and from the joins that stand for some; `join` is one of these, or NULL. to:
 * access `after` of that item; NULL: the next join. */
static void dfi_g_edges_of_chain(struct dfi_g_draw *d, struct dfi_g_chain *c, struct dfi_g_chain *join,
                                 const struct dfi_g_item *to, unsigned after)
{
    enum dfi_g_cause cause = !to || dfi_g_last(c)->kind == DFI_IN ? DFI_G_ANTI
        : to->access[after].mode & DFI_IN ? DFI_G_FLOW : DFI_G_OUTPUT;
    while (c != join && c->part) {
        dfi_g_edges_of_chain(d, c->part, c->part->join, to, after);
        if (!(c = c->up)->part) join = c->join;
    }
    if (join) dfi_g_edge_add(d, join->item, to, cause, join->access, after, NULL, join);
    for (; c != join; c = c->up) dfi_g_edge_add(d, c->item, to, cause, c->access, after, NULL, NULL);
}

/* Uses of channels: by channel, then those that write, then those of each reader; each by position. */
static int dfi_g_use_order(const void *a, const void *b)
{
    const struct dfi_g_use *x = *(const struct dfi_g_use *const *)a, *y = *(const struct dfi_g_use *const *)b;
    if (x->channel != y->channel) return (uintptr_t)x->channel < (uintptr_t)y->channel ? -1 : 1;
    if (x->side != y->side) return (uintptr_t)x->side < (uintptr_t)y->side ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->pass < y->pass ? -1 : x->pass > y->pass;
}

/* The first use of that side, or of a later side, that passes `position`. */
static size_t dfi_g_use_at(const struct dfi_g_draw *d, const struct dfi_g_channel *c, const void *side,
                           uint64_t position)
{
    size_t from = 0, to = d->n_uses;
    while (from < to) {
        size_t at = from + (to - from) / 2;
        const struct dfi_g_use *u = d->use[at];
        int before = u->channel != c ? (uintptr_t)u->channel < (uintptr_t)c
            : u->side != side ? (uintptr_t)u->side < (uintptr_t)side : u->pass <= position;
        if (before) from = at + 1;
        else to = at;
    }
    return from;
}

/* The next item in program order; inside: including those in i. */
static struct dfi_g_item *dfi_g_next(struct dfi_g_item *i, int inside)
{
    if (inside && i->first) return i->first;
    while (i && !i->next) i = i->parent;
    return i ? i->next : NULL;
}

/* Are its children shown? */
static int dfi_g_is_open(const struct dfi_graph *g, const struct dfi_g_item *i)
{
    return i->first && (g->depth == 0 || i->level < (size_t)g->depth);
}

/* i, or the task that stands for it. */
static struct dfi_g_item *dfi_g_shown(const struct dfi_graph *g, struct dfi_g_item *i)
{
    struct dfi_g_item *up;
    for (up = i->parent; up; up = up->parent)
        if (!dfi_g_is_open(g, up)) i = up;
    return i;
}

/* `to` follows those who use elements [begin, end) of a side of c (begin == end: nothing). */
static void dfi_g_edges_of_side(struct dfi_g_draw *d, const struct dfi_g_channel *c, const void *side, uint64_t begin,
                                uint64_t end, const struct dfi_g_item *to, enum dfi_g_cause cause)
{
    size_t k = dfi_g_use_at(d, c, side, begin);
    for (; k < d->n_uses; k++) {
        const struct dfi_g_use *u = d->use[k];
        if (u->channel != c || u->side != side || u->begin >= end) return;
        if (u->begin < u->pass) dfi_g_edge_add(d, dfi_g_shown(d->g, u->item), to, cause, 0, 0, c, NULL);
    }
}

/* Edges from tokens, inputs and streams of i to the item that shows it. */
static void dfi_g_edges_of_uses(struct dfi_g_draw *d, const struct dfi_g_item *i, const struct dfi_g_item *to)
{
    const struct dfi_g_use *u;
    size_t k;
    for (u = i->uses; u; u = u->next) {
        const struct dfi_g_channel *c = u->channel;
        uint64_t room = c ? c->capacity : 0;
        if (!c) dfi_g_edge_add(d, dfi_g_shown(d->g, u->giver), to, DFI_G_GIVEN, 0, u->number, NULL, NULL);
        else if (u->side) dfi_g_edges_of_side(d, c, NULL, u->begin, u->need, to, room ? DFI_G_STREAM : DFI_G_TOKEN);
        else if (room && u->need > room)
            for (k = dfi_g_use_at(d, c, NULL, UINT64_MAX); k < d->n_uses && d->use[k]->channel == c;) {
                const void *side = d->use[k]->side;
                dfi_g_edges_of_side(d, c, side, u->begin > room ? u->begin - room : 0, u->need - room, to, DFI_G_ROOM);
                k = dfi_g_use_at(d, c, side, UINT64_MAX);
            }
    }
}

static int dfi_g_edge_order(const void *a, const void *b)
{
    const struct dfi_g_edge *x = (const struct dfi_g_edge *)a, *y = (const struct dfi_g_edge *)b;
    size_t m = x->join ? x->join->number : 0, n = y->join ? y->join->number : 0;
    if (m != n) return m < n ? -1 : 1;
    if (x->from != y->from) return x->from->index < y->from->index ? -1 : 1;
    if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
    if (x->after != y->after) return x->after < y->after ? -1 : 1;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    m = x->channel ? x->channel->number : 0, n = y->channel ? y->channel->number : 0;
    return m < n ? -1 : m > n;
}

DFI_SMALL_CODE_END

#endif
