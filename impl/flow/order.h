/* order.h - which tasks come before a new one
 *
 * The thread that owns a scope registers its children in the order of submission. An entry (flow/table.h)
 * remembers the last task that wrote its region alone, and those that shared it since, in one mode:
 * reading, commuting, concurrent, or reducing. A new access comes after the writer, and after the sharers
 * unless it shares in the same mode; and likewise with every entry that overlaps.
 * Many sharers followed by many others of another mode would be a product of edges: such lists are
 * replaced by one internal task that follows them all. */
#ifndef DFI_FLOW_ORDER_H
#define DFI_FLOW_ORDER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/future.h"
#include "../work/worker.h"
#include "../work/types.h"
#include "edge.h"
#include "extra.h"
#include "region.h"
#include "table.h"
#include "../more/group.h"
#include "../more/rename.h"
#include "../observe/probes.h"

enum { DFI_JOIN_AT = 8 }; /* sharers that are replaced by one: below, the edges are cheaper than the task */

/* Replaces the tasks of a list, but for the one being registered, by at most one that follows them all. 0, or -1
 * without memory. */
static int dfi_refs_join(struct dfi_worker *w, struct dfi_scope *s, struct dfi_ref *r, unsigned *n)
{
    unsigned i, kept = 0, others = 0;
    struct dfi_flow *j, *self = w->reg_task;
    const struct dfi_access *access = w->reg_access;
    for (i = 0; i < *n; i++) {
        if (dfi_ref_gone(&r[i]) && (r[i].task == self || !dfi_watch_keeps(*n))) continue; /* also when self uses the memory of a task of before */
        if (r[i].task != self) others++;
        r[kept++] = r[i];
    }
    *n = kept;
    if (others < 2) return 0;
    if (!(j = dfi_flow_new(w, s, &dfi_join_type))) return -1;
    w->reg_access = NULL; /* after all of them, not after a part */
    for (i = kept = 0; i < *n; i++)
        if (r[i].task == self) r[kept++] = r[i];
        else if (dfi_edge_add(w, j, &r[i])) break;
    w->reg_access = access;
    dfi_ready_if(w, j);
    if (i < *n) return -1; /* an internal task that nobody follows */
    *n = kept;
    r[(*n)++].task = j, r[kept].seq = j->seq;
    return 0;
}

/* --- accesses ---------------------------------------------------------------------------------- */

static unsigned dfi_kind(unsigned mode) /* of sharing; 0: alone */
{
    return mode & DFI_SHARED ? mode & (DFI_SHARED | DFI_INOUT) : mode & DFI_WRITES ? 0 : DFI_IN;
}

/* The sharers of n become its writer: at most one task is left. 0, or -1 without memory. */
static int dfi_entry_collapse(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    if (dfi_refs_join(w, s, n->readers, &n->n_readers)) return -1;
    if (n->n_readers) n->writer = n->readers[0];
    n->n_readers = 0;
    return 0;
}

/* No more members: the next access is of another kind. pre: who comes next has its edges to them. */
static void dfi_entry_close_group(struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n)
{
    struct dfi_group *g = n->group;
    if (!g) return;
    n->group = NULL;
    if (g->combine) table->unsettled--;
    dfi_group_close(w, g);
}

/* Orders t after what conflicts with an access of that kind to n. `all`: it writes all of n, alone; `joins`: it
 * may join the sharers of n if their kind is the same. */
static int dfi_entry_order(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n, unsigned kind, int all, int joins)
{
    const struct dfi_access *access = w->reg_access;
    unsigned i;
    int failed = 0;
    if ((n->n_readers || n->group) && !(kind && kind == n->kind && joins)) {
        if (!all && n->n_readers > DFI_JOIN_AT && dfi_refs_join(w, t->scope, n->readers, &n->n_readers)) return -1;
        if (n->kind == DFI_REDUCE) w->reg_access = NULL; /* after the whole task: copies are combined at its end */
        for (i = 0; i < n->n_readers && !failed; i++) failed = dfi_edge_add(w, t, &n->readers[i]);
        w->reg_access = access;
        if (failed) return -1;
        if (DFI_UNLIKELY(n->group != NULL)) dfi_entry_close_group(w, t->scope->table, n);
    }
    /* sharers since the last write come after it themselves, but they may have been forgotten when done */
    return dfi_edge_add(w, t, &n->writer);
}

/* Are the contributions combined in the order of submission? */
static int dfi_reduces_in_order(const struct dfi_access *x) { return dfi_pool.deterministic || x->mode & DFI_ORDERED ? 1 : 0; }

/* t joins the group of n, or begins one. 0, or -1 without memory. */
static int dfi_group_join(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n, const struct dfi_access *x, unsigned kind)
{
    struct dfi_extra *e = dfi_extra_of(w, t);
    struct dfi_group *g = n->group;
    struct dfi_use *u, **at;
    if (!e) return -1;
    if (!g) {
        if (!(g = dfi_group_new(w))) return -1;
        if (kind == DFI_REDUCE) {
            g->region = n->region;
            g->combine = x->combine, g->size = x->size, g->key = x->key;
            g->deterministic = dfi_reduces_in_order(x);
            g->first.p = dfi_place_now(n);
            dfi_store_relaxed(&g->copies, &g->first);
            t->scope->table->unsettled++;
        }
        n->group = g;
    }
    if (kind == DFI_REDUCE) {
        if (!(u = dfi_use_new(w, &e->reductions))) return -1;
        u->arg = x->arg;
        u->own.task = t;
        u->own.turn = g->turns++;
        g->joined += g->deterministic ? 2 : 1; /* its contribution, and itself */
    } else {
        for (at = &e->locks; *at && (uintptr_t)(*at)->group < (uintptr_t)g;) at = &(*at)->next;
        if (*at && (*at)->group == g) return 0; /* the same region twice */
        if (!(u = dfi_use_new(w, at))) return -1;
        e->to_lock = e->locks;
        g->joined++;
    }
    u->group = g;
    return 0;
}

/* Orders g after what conflicts with an access to n, and with what overlaps it. 0, or -1 without memory. */
static int dfi_order(struct dfi_worker *w, struct dfi_flow *g, struct dfi_entry *n, unsigned kind, int joins)
{
    unsigned i;
    if (dfi_entry_order(w, g, n, kind, !kind, joins)) return -1;
    for (i = 0; i < n->n_over; i++)
        if (dfi_entry_order(w, g, dfi_entry_over(n, i), kind, !kind && (uintptr_t)n->over[i] & 1, !(kind & DFI_GROUPED))) return -1;
    return 0;
}

/* The entry of a region is to remember the task `me`. joins: it may join the sharers if their kind is the same. 0, or -1 without memory. */
static int dfi_remember(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n, struct dfi_ref me, unsigned kind, int joins)
{
    unsigned i;
    if (!kind) {
        for (i = 0; i < n->n_over; i++) {
            struct dfi_entry *m = dfi_entry_over(n, i);
            if ((uintptr_t)n->over[i] & 1) { /* all of m is written: n's writer stands for what m remembers */
                m->n_readers = 0;
                m->writer.task = NULL;
            } else if (m->n_readers == m->max_readers) dfi_entry_drop_done_readers(m);
        }
        n->n_readers = 0;
        n->writer = me;
        return 0;
    }
    if (n->n_readers && !(kind == n->kind && joins) && dfi_entry_collapse(w, s, n)) return -1;
    n->kind = kind;
    return dfi_entry_add_reader(n, me);
}

/* A child of s, which has its edges, and is no member of a group, was not remembered when it was submitted; nor were those after it.
 * pre: the groups there are have no unfinished members. 0, or -1 without memory. */
static int dfi_remember_late(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_ref *r, const struct dfi_access *x)
{
    struct dfi_region q = dfi_region_of(x);
    struct dfi_entry *n;
    unsigned i;
    if (!q.rows) return 0;
    if (!(n = dfi_table_find(w, s->table, &q))) return -1;
    w->reg_task = NULL, w->reg_access = NULL;
    if (n->group) dfi_entry_close_group(w, s->table, n);
    for (i = 0; i < n->n_over; i++)
        if (dfi_entry_over(n, i)->group) dfi_entry_close_group(w, s->table, dfi_entry_over(n, i));
    return dfi_remember(w, s, n, *r, dfi_kind(x->mode), 1);
}

/* The access x of t to the region of n: as dfi_register. */
static int dfi_register_at(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *g, struct dfi_entry *n, const struct dfi_access *x)
{
    struct dfi_ref me;
    unsigned kind = dfi_kind(x->mode);
    int joins;
    w->reg_task = t, w->reg_access = x;
    /* commuting tasks exclude each other by the lock of one region, reducing ones share its copies: exactly
     * the same region; a reduction also needs the same operator and way to combine */
    joins = !(kind & DFI_GROUPED) ||
            (n->group && (kind != DFI_REDUCE || (n->group->key == x->key && n->group->deterministic == dfi_reduces_in_order(x))));
    if (dfi_order(w, g, n, kind, joins)) return -1;
    me.task = t, me.seq = t->seq;
    if (dfi_remember(w, t->scope, n, me, kind, joins)) return -1;
    return kind & DFI_GROUPED ? dfi_group_join(w, t, n, x, kind) : 0;
}

/* The access at this place among all of t is to memory that cannot be. */
static DFI_COLD void dfi_region_report(const struct dfi_flow *t, unsigned place)
{
    const char *site = t->task.mem.special ? t->extra->site : NULL, *name = t->task.mem.special ? t->extra->name : NULL, *label = t->type->labels;
    if (t->type->modes & DFI_INTERNAL) return; /* its maker has said so */
    if (!site && dfi_call_site != dfi_no_site) site = dfi_call_site;
    while (label && place-- && *label) label = strchr(label, ' ') + 1;
    if (!label || !*label) label = "p";
    dfi_error("%s%stask %s: the size of parameter %.*s is negative, or larger than the memory behind its address: "
              "the task is ordered as if it accessed all memory; correct the count in its declaration",
              site ? site : "", site ? ": " : "", name ? name : t->type->name, (int)strcspn(label, " "), label);
}

/* As dfi_register, with all memory. 1, or -1 without memory. */
static DFI_COLD int dfi_register_all(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *g, const struct dfi_access *x)
{
    struct dfi_region r = dfi_region_all();
    struct dfi_scope *s = t->scope;
    struct dfi_entry *n;
    if (!s->table && !(s->table = dfi_table_new(w))) return -1;
    if (!(n = dfi_table_find(w, s->table, &r))) return -1;
    return dfi_register_at(w, t, g, n, x) ? -1 : 1;
}

/* The access x of t: g, which is t or its gate, gets the edges, and t is remembered. 0; 1: the same, but the region is one that cannot
 * be, and counts as all memory; or -1 without memory. */
static int dfi_register(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *g, const struct dfi_access *x)
{
    struct dfi_scope *s = t->scope;
    struct dfi_region r = dfi_region_of(x);
    struct dfi_entry *n;
    struct dfi_ref me;
    unsigned kind = dfi_kind(x->mode), i;
    if (DFI_UNLIKELY(dfi_region_is_all(&r))) return dfi_register_all(w, t, g, x);
    if (!r.rows) return 0;
    if (!s->table && !(s->table = dfi_table_new(w))) return -1;
    if (!(n = dfi_table_find(w, s->table, &r))) return -1;
    w->reg_task = t, w->reg_access = x;
    if (DFI_LIKELY(!n->n_over && n->kind == DFI_IN && kind <= DFI_IN && !n->group && !dfi_pool.rename_bytes)) {
        me.task = t, me.seq = t->seq; /* the same as below, for what is usual: reading and writing, nothing overlaps */
        if (!kind)
            for (i = 0; i < n->n_readers; i++)
                if (dfi_edge_add(w, g, &n->readers[i])) return -1;
        if (dfi_edge_add(w, g, &n->writer)) return -1;
        if (kind) return dfi_entry_add_reader(n, me);
        n->n_readers = 0;
        n->writer = me;
        return 0;
    }
    if (DFI_UNLIKELY(dfi_pool.rename_bytes)) dfi_rename(w, t, n, x);
    return dfi_register_at(w, t, g, n, x);
}

static void dfi_capture_table(struct dfi_worker *w, struct dfi_scope *s);

/* Orders j, a child of s, after the children that conflict with such an access, without remembering it. */
static int dfi_order_after(struct dfi_worker *w, struct dfi_flow *j, const struct dfi_region *r, unsigned mode)
{
    struct dfi_scope *s = j->scope;
    unsigned kind = dfi_kind(mode);
    struct dfi_entry *n;
    if (!s->table) return 0;
    dfi_capture_table(w, s);
    if (!(n = dfi_table_find(w, s->table, r))) return -1;
    w->reg_task = NULL, w->reg_access = NULL;
    return dfi_order(w, j, n, kind, !(kind & DFI_GROUPED));
}

/* Accesses of one task that overlap. Each keeps its mode, and its entry remembers it, so that others come after exactly what they conflict
 * with. But a task cannot meet itself in a group: commuting and reducing accesses then write alone. And an entry remembers a task in one
 * mode: of two that declare the same region, in different modes, the one that shares writes alone, which is what both together
 * amount to. */
static void dfi_accesses_apart(struct dfi_access *x, unsigned n)
{
    unsigned i, j;
    for (i = 0; i < n; i++) {
        struct dfi_region a = dfi_region_of(&x[i]);
        int alone = dfi_region_is_all(&a);
        for (j = 0; j < n && x[i].mode & DFI_SHARED && !alone; j++) {
            struct dfi_region b = dfi_region_of(&x[j]);
            if (i == j) continue;
            alone = x[i].mode & DFI_GROUPED ? dfi_region_overlap(&a, &b) : a.rows && dfi_region_same(&a, &b) && dfi_kind(x[i].mode) != dfi_kind(x[j].mode);
        }
        if (alone && x[i].mode & DFI_SHARED) x[i].mode = (x[i].mode & DFI_RANGE) | DFI_INOUT;
    }
}

/* The values of a scope come to rest where they belong: before its owner waits, or leaves it. */
static void dfi_settle(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_entry *n;
    if (DFI_LIKELY(!s->table || !s->table->unsettled)) return;
    for (n = s->table->all; n; n = n->all) {
        if (n->group && n->group->combine) dfi_entry_close_group(w, s->table, n);
        if (n->place) dfi_place_settle(w, s, n);
    }
}

#endif
