/* join.h - memory edges, and joins that replace many of them
 *
 * If many tasks come after the same many others, the number of edges would be the product of the
 * two. They go through a join instead, as through a gate in the runtime: it comes after the one
 * side, and the other side after it. Joins are made for two reasons: a list of a cell that many
 * tasks come after; and a view, an access made by many tasks that comes after many lists of other
 * cells. Both may grow: then the next join comes after the one before. A first pass over the tasks,
 * without making edges, counts the uses of each list and view. */
#ifndef DFI_OBSERVE_GRAPH_JOIN_H
#define DFI_OBSERVE_GRAPH_JOIN_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "../../flow/region.h"
#include "graph.h"
#include "order.h"

DFI_SMALL_CODE_BEGIN

/* The mode of access a of i, as the runtime computes it (dfi_accesses_apart): exclusive if it shares
 * memory that i accesses otherwise, too. */
static unsigned dfi_g_mode_of(const struct dfi_g_item *i, unsigned a)
{
    unsigned mode = i->access[a].mode & ~(unsigned)DFI_WEAK, k;
    for (k = 0; k < i->n && mode & DFI_SHARED; k++)
        if (k != a && dfi_region_overlap(&i->access[k].region, &i->access[a].region)) mode = DFI_INOUT;
    return mode;
}

static unsigned dfi_g_kind(unsigned mode) /* of sharing; 0: exclusive */
{
    return mode & DFI_SHARED ? mode & (DFI_SHARED | DFI_INOUT) : mode & DFI_WRITES ? 0 : DFI_IN;
}

/* True if two accesses of this kind may be made concurrently, or in any order. same: to the same
 * region. Commuting tasks have the lock, and reducing tasks the copies, of one region only. */
static int dfi_g_may_share(unsigned kind, const void *key, unsigned other, const void *its_key, int same)
{
    return kind && kind == other && (!(kind & DFI_GROUPED) || (same && key == its_key));
}

/* True if a contains all of b. pre: they overlap */
static int dfi_g_covers(const struct dfi_region *a, const struct dfi_region *b)
{
    struct dfi_region row = *b;
    if (dfi_region_covers(a, b)) return 1;
    if (a->rows == 1 || b->rows == 1 || a->ld == b->ld) return 0;
    /* the cases that dfi_region_covers leaves open */
    for (row.rows = 1, row.ld = 0; row.p < dfi_region_end(b); row.p += b->ld)
        if (!dfi_region_covers(a, &row)) return 0;
    return 1;
}

static int dfi_g_reads_only(const struct dfi_g_seen *s) { return !(s->item->access[s->access].mode & DFI_WRITES); }

static void dfi_g_edge_of_memory(struct dfi_g_order *o, const struct dfi_g_seen *s, struct dfi_g_item *i, unsigned a)
{
    enum dfi_g_cause cause = dfi_g_reads_only(s) ? DFI_G_ANTI : i->access[a].mode & DFI_IN ? DFI_G_FLOW : DFI_G_OUTPUT;
    dfi_g_edge_add(o, s->item, i, cause, s->access, a, NULL, NULL, s->join);
}

/* --- lists and views ----------------------------------------------------------------------------------------- */

static void dfi_g_list_put(struct dfi_g_order *o, struct dfi_g_list *l, struct dfi_g_item *i, unsigned a)
{
    struct dfi_g_seen *s = o->free;
    o->free = s->next;
    s->item = i, s->access = a, s->time = o->at + a + 1, s->join = 0;
    if (!l->n++) l->number = ++o->n_lists;
    s->next = l->first, l->first = s;
}

/* Forgets all but the first `kept`. */
static void dfi_g_list_forget(struct dfi_g_order *o, struct dfi_g_list *l, size_t kept)
{
    struct dfi_g_seen **at = kept ? &l->first->next : &l->first;
    while (*at) {
        struct dfi_g_seen *s = *at;
        *at = s->next;
        s->next = o->free, o->free = s;
    }
    if (l->n > kept) l->n = kept;
}

/* The k-th list of accesses that an access to the cell c may come after. */
static struct dfi_g_list *dfi_g_list_at(struct dfi_g_order *o, struct dfi_g_cell *c, size_t k)
{
    struct dfi_g_cell *d = k / 2 ? &o->cell[o->over[c->over + k / 2 - 1]] : c;
    return k % 2 ? &d->before : &d->since;
}

/* True if a view of the cell comes after the list. same: it is a list of that cell. */
static int dfi_g_view_has(const struct dfi_g_view *v, const struct dfi_g_list *l, int same)
{
    const struct dfi_g_seen *s = l->first;
    return s && !dfi_g_may_share(v->kind, v->key, dfi_g_kind(dfi_g_mode_of(s->item, s->access)),
                                 s->item->access[s->access].key, same);
}

/* --- joins: dfi_g_join_put for each, then dfi_g_join_end ----------------------------------------------------- */

static void dfi_g_join_put(struct dfi_g_order *o, const struct dfi_g_seen *s)
{
    struct dfi_g_seen *more = (struct dfi_g_seen *)dfi_g_more(o->joined, o->n_joined, &o->max_joined, sizeof *more);
    if (!more) {
        o->failed = 1;
        return;
    }
    o->joined = more;
    o->joined[o->n_joined++] = *s;
    s->item->leads = 1;
}

static int dfi_g_join_order(const void *a, const void *b)
{
    const struct dfi_g_seen *x = (const struct dfi_g_seen *)a, *y = (const struct dfi_g_seen *)b;
    if (x->join != y->join) return x->join < y->join ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

static size_t dfi_g_join_end(struct dfi_g_order *o, struct dfi_g_item *scope)
{
    o->n_joins++, o->all_joined += o->n_joined;
    if (o->failed) return o->n_joins;
    qsort((void *)o->joined, o->n_joined, sizeof *o->joined, dfi_g_join_order);
    o->join(o->out, o, scope);
    o->n_joined = 0;
    return o->n_joins;
}

/* Replaces the whole list by one join. */
static void dfi_g_list_join(struct dfi_g_order *o, struct dfi_g_list *l)
{
    const struct dfi_g_seen *s;
    for (s = l->first; s; s = s->next) dfi_g_join_put(o, s);
    dfi_g_list_forget(o, l, 1);
    l->first->join = dfi_g_join_end(o, l->first->item->parent);
}

/* The view of c for an access of that kind; the previous one if it is still valid. */
static struct dfi_g_view *dfi_g_view_of(struct dfi_g_order *o, struct dfi_g_cell *c, unsigned kind, const void *key)
{
    struct dfi_g_view *v = &c->view;
    int right = v->number && v->kind == kind && v->key == key;
    size_t k;
    if (right && o->group[c->group].looked == c) return v;
    right = right && c->turned <= v->begin;
    for (k = 0; k < c->n_over && right; k++) right = o->cell[o->over[c->over + k]].turned <= v->begin;
    if (!right) {
        memset((void *)v, 0, sizeof *v);
        v->number = ++o->n_views, v->begin = o->at;
        v->kind = kind, v->key = key;
        o->group[c->group].looked = NULL;
    }
    return v;
}

static void dfi_g_count(struct dfi_g_order *o, struct dfi_g_cell *c, const struct dfi_g_view *v)
{
    size_t k;
    if (o->view_asked[v->number]++ > DFI_G_FEW && o->group[c->group].looked == c) return;
    for (k = 0; k < 2 * (c->n_over + 1); k++) {
        const struct dfi_g_list *l = dfi_g_list_at(o, c, k);
        if (l->n > DFI_G_FEW && dfi_g_view_has(v, l, k < 2)) o->list_asked[l->number]++;
    }
}

/* The number of predecessors since the last join of the view; if there are many, they are joined
 * first. reads: only read accesses. */
static size_t dfi_g_view_rest(struct dfi_g_order *o, struct dfi_g_cell *c, const struct dfi_g_view *v, int reads)
{
    size_t n = 0, k;
    for (k = 0; k < 2 * (c->n_over + 1); k++) {
        struct dfi_g_list *l = dfi_g_list_at(o, c, k);
        const struct dfi_g_seen *s;
        if (!dfi_g_view_has(v, l, k < 2) || dfi_g_reads_only(l->first) != reads) continue;
        if (l->n > DFI_G_FEW && o->list_asked[l->number] > DFI_G_FEW) dfi_g_list_join(o, l);
        for (s = l->first; s && s->time > v->join[reads].time; s = s->next) n++;
    }
    return n;
}

/* Adds the edges of access a of i, which views the cell c: after the read accesses, or after the others. */
static void dfi_g_view_edges(struct dfi_g_order *o, struct dfi_g_cell *c, struct dfi_g_view *v, struct dfi_g_item *i,
                             unsigned a, int reads)
{
    struct dfi_g_seen *joined = &v->join[reads], one = *joined;
    int join;
    size_t k;
    if (o->group[c->group].looked != c) v->rest[reads] = dfi_g_view_rest(o, c, v, reads);
    join = v->rest[reads] > DFI_G_FEW && o->view_asked[v->number] > DFI_G_FEW;
    if (join && joined->join) dfi_g_join_put(o, joined);
    for (k = 0; k < 2 * (c->n_over + 1) && v->rest[reads]; k++) {
        const struct dfi_g_list *l = dfi_g_list_at(o, c, k);
        const struct dfi_g_seen *s;
        if (!dfi_g_view_has(v, l, k < 2) || dfi_g_reads_only(l->first) != reads) continue;
        for (s = l->first; s && s->time > joined->time; s = s->next)
            if (join) dfi_g_join_put(o, s), one = *s;
            else dfi_g_edge_of_memory(o, s, i, a);
    }
    if (join) {
        *joined = one;
        joined->time = o->at, joined->join = dfi_g_join_end(o, i->parent);
        v->rest[reads] = 0;
    }
    if (joined->join) dfi_g_edge_of_memory(o, joined, i, a);
}

/* --- tasks ----------------------------------------------------------------------------------------------------- */

/* Remembers access a of i. */
static void dfi_g_remember(struct dfi_g_order *o, struct dfi_g_cell *c, struct dfi_g_item *i, unsigned a, unsigned kind)
{
    const void *key = i->access[a].key;
    /* the accesses that shared it count as writers for this one */
    int turns = c->since.n && !dfi_g_may_share(kind, key, c->kind, c->key, 1);
    size_t now = o->at + a + 1, k;
    for (k = 0; k < 2 * (c->n_over + 1) && !kind; k++) {
        struct dfi_g_list *l = dfi_g_list_at(o, c, k);
        struct dfi_g_cell *d = k / 2 ? &o->cell[o->over[c->over + k / 2 - 1]] : c;
        if (!l->n || (d != c && !dfi_g_covers(&c->region, &d->region))) continue;
        dfi_g_list_forget(o, l, 0);
        d->turned = now;
    }
    /* else i viewed c in this mode, or c does not overlap with that */
    if (!kind || turns) o->group[c->group].looked = NULL;
    if (kind && turns) {
        dfi_g_list_forget(o, &c->before, 0);
        c->before = c->since, c->since.first = NULL, c->since.n = 0;
        c->turned = now;
    }
    if (kind) c->kind = kind, c->key = key;
    dfi_g_list_put(o, kind ? &c->since : &c->before, i, a);
}

/* Adds the edges of the next task, i, from others of its scope. */
static void dfi_g_order_next(struct dfi_g_order *o, struct dfi_g_item *i)
{
    unsigned a;
    int reads;
    for (a = 0; a < i->n && !o->failed; a++) {
        struct dfi_g_cell *c = &o->cell[o->slot[o->at + a].cell];
        struct dfi_g_view *v;
        if (!c->region.rows) continue;
        v = dfi_g_view_of(o, c, dfi_g_kind(dfi_g_mode_of(i, a)), i->access[a].key);
        if (o->counting) dfi_g_count(o, c, v);
        else
            for (reads = 0; reads < 2; reads++) dfi_g_view_edges(o, c, v, i, a, reads);
        o->group[c->group].looked = c;
    }
    for (a = 0; a < i->n && !o->failed; a++) {
        struct dfi_g_cell *c = &o->cell[o->slot[o->at + a].cell];
        if (c->region.rows) dfi_g_remember(o, c, i, a, dfi_g_kind(dfi_g_mode_of(i, a)));
    }
    o->at += i->n;
}

/* Restores the state before the first task. */
static void dfi_g_order_reset(struct dfi_g_order *o)
{
    size_t k;
    for (k = 0; k < o->n_cells; k++) {
        struct dfi_g_cell *c = &o->cell[k];
        dfi_g_list_forget(o, &c->before, 0);
        dfi_g_list_forget(o, &c->since, 0);
        memset((void *)&c->view, 0, sizeof c->view);
        c->turned = 0;
        o->group[c->group].looked = NULL;
    }
    o->at = o->n_lists = o->n_views = 0;
}

/* Counts the uses of lists and views. */
static void dfi_g_order_count(struct dfi_g_order *o, struct dfi_g_item *first)
{
    struct dfi_g_item *i;
    dfi_g_order_reset(o);
    o->counting = 1;
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) dfi_g_order_next(o, i);
    o->counting = 0;
    dfi_g_order_reset(o);
}

/* Begins with `first`, the first child of its scope or after a wait there. */
static void dfi_g_order_begin(struct dfi_g_order *o, struct dfi_g_item *first)
{
    struct dfi_g_item *i;
    struct dfi_g_slot **sorted;
    size_t n = 0, k;
    unsigned a;
    for (i = first; dfi_g_in_phase(i, first->phase); i = i->next) n += i->n;
    o->n_slots = o->n_cells = o->n_groups = 0;
    o->free = NULL;
    o->slot = (struct dfi_g_slot *)dfi_g_array(n, sizeof *o->slot);
    o->cell = (struct dfi_g_cell *)dfi_g_array(n, sizeof *o->cell);
    o->group = (struct dfi_g_group *)dfi_g_array(n + 1, sizeof *o->group);
    o->seen = (struct dfi_g_seen *)dfi_g_array(n, sizeof *o->seen);
    o->over = NULL;
    o->list_asked = (size_t *)dfi_g_array(n + 1, sizeof *o->list_asked);
    o->view_asked = (size_t *)dfi_g_array(n + 1, sizeof *o->view_asked);
    sorted = (struct dfi_g_slot **)dfi_g_array(n, sizeof *sorted);
    if (!o->slot || !o->cell || !o->group || !o->seen || !o->list_asked || !o->view_asked || !sorted) o->failed = 1;
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
            if (!k || dfi_g_region_order(sorted[k]->region, sorted[k - 1]->region))
                o->cell[o->n_cells++].region = *sorted[k]->region;
            sorted[k]->cell = o->n_cells - 1;
        }
        dfi_g_cells_overlap(o);
    }
    dfi_mfree((void *)sorted);
    if (!o->failed) dfi_g_order_count(o, first);
}

static void dfi_g_order_end(struct dfi_g_order *o)
{
    dfi_mfree(o->slot), dfi_mfree(o->cell), dfi_mfree(o->group), dfi_mfree(o->over), dfi_mfree(o->seen);
    dfi_mfree(o->list_asked), dfi_mfree(o->view_asked);
}

DFI_SMALL_CODE_END

#endif
