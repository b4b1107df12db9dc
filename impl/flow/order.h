/* order.h - dependence analysis: the predecessors of a new task
 *
 * The owner of a scope registers its children in the order of submission. An entry (flow/table.h) remembers the last
 * task with exclusive write access to its region (the writer), and later tasks that share the region, in one access
 * mode: reading, or one of DFI_SHARED (the sharers). A new access depends on the writer, and on the sharers unless it
 * shares in the same mode; likewise for each overlapping entry. Many sharers followed by many tasks
 * in another mode would need a quadratic number of edges, so such lists are replaced by one internal task that
 * follows them all. */
#ifndef DFI_FLOW_ORDER_H
#define DFI_FLOW_ORDER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/future.h"
#include "../work/types.h"
#include "types.h"
#include "../work/probe.h"
#include "edge.h"
#include "moments.h"
#include "region.h"
#include "table.h"

enum { DFI_JOIN_AT = 8 }; /* sharers that one task replaces: with fewer, the edges are cheaper than the task */

/* Replaces the tasks of a list, except the one being registered, by at most one task that follows them all. 0, or -1
 * if out of memory. */
static int dfi_refs_join(struct dfi_worker *w, struct dfi_scope *s, struct dfi_ref *r, unsigned *n)
{
    unsigned i, kept = 0, others = 0;
    struct dfi_flow *j, *self = dfi_tasks_of(w)->reg_task;
    const struct dfi_access *access = dfi_tasks_of(w)->reg_access;
    for (i = 0; i < *n; i++) {
        if (dfi_ref_gone(&r[i]) && (r[i].task == self || !dfi_keeps_past(*n)))
            continue; /* self may also reuse the memory of an earlier task */
        if (r[i].task != self) others++;
        r[kept++] = r[i];
    }
    *n = kept;
    if (others < 2) return 0;
    if (!(j = dfi_flow_new(w, s, &dfi_join_type))) return -1;
    dfi_tasks_of(w)->reg_access = NULL; /* the join follows whole tasks, not parts */
    for (i = kept = 0; i < *n; i++)
        if (r[i].task == self) r[kept++] = r[i];
        else if (dfi_edge_add(w, j, &r[i])) break;
    dfi_tasks_of(w)->reg_access = access;
    dfi_ready_if(w, j);
    if (i < *n) return -1; /* the join stays without successors */
    *n = kept;
    r[(*n)++].task = j, r[kept].seq = j->seq;
    return 0;
}

/* --- accesses ---------------------------------------------------------------------------------- */

static unsigned dfi_kind(unsigned mode) /* mode of sharing; 0: exclusive write */
{
    return mode & DFI_SHARED ? mode & (DFI_SHARED | DFI_INOUT) : mode & DFI_WRITES ? 0 : DFI_IN;
}

/* Turns the sharers of n into its writer, so that at most one task is left. 0, or -1 if out of memory. */
static int dfi_entry_collapse(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    if (dfi_refs_join(w, s, n->readers, &n->n_readers)) return -1;
    if (n->n_readers) n->writer = n->readers[0];
    n->n_readers = 0;
    return 0;
}

/* No task joins the sharers of n any more, because the next access is of another kind. pre: the next task has its edges
 * to them. */
DFI_FAST void dfi_sharers_end(struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n)
{
    if (DFI_UNLIKELY(n->asks & DFI_ENTRY_JOINT) && dfi_up_sharers_end) dfi_up_sharers_end(w, table, n);
}

/* Orders t after the tasks that conflict with an access of that kind to n. all: the access writes all of n
 * exclusively. joins: it may join the sharers of n if their kind is the same. */
static int dfi_entry_order(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n, unsigned kind, int all,
                           int joins)
{
    const struct dfi_access *access = dfi_tasks_of(w)->reg_access;
    unsigned i;
    int failed = 0;
    if ((n->n_readers || n->asks & DFI_ENTRY_JOINT) && !(kind && kind == n->kind && joins)) {
        if (!all && n->n_readers > DFI_JOIN_AT && dfi_refs_join(w, t->scope, n->readers, &n->n_readers)) return -1;
        if (n->kind > DFI_IN && dfi_up_follows_sharers) dfi_up_follows_sharers(w, n);
        for (i = 0; i < n->n_readers && !failed; i++) failed = dfi_edge_add(w, t, &n->readers[i]);
        dfi_tasks_of(w)->reg_access = access;
        if (failed) return -1;
        dfi_sharers_end(w, dfi_flow_of(t->scope)->table, n);
    }
    /* sharers since the last write follow the writer themselves, but finished ones may have been dropped */
    return dfi_edge_add(w, t, &n->writer);
}

/* Orders g after the tasks that conflict with an access to n, or to entries that overlap n. 0, or -1 if out of
 * memory. */
static int dfi_order(struct dfi_worker *w, struct dfi_flow *g, struct dfi_entry *n, unsigned kind, int joins)
{
    unsigned i;
    if (dfi_entry_order(w, g, n, kind, !kind, joins)) return -1;
    for (i = 0; i < n->n_over; i++)
        if (dfi_entry_order(w, g, dfi_entry_over(n, i), kind, !kind && (uintptr_t)n->over[i] & 1,
                            !(kind & DFI_ONE_REGION)))
            return -1;
    return 0;
}

/* Makes n remember the task `me`. joins: it may join the sharers if their kind is the same. 0, or -1 if out of
 * memory. */
static int dfi_remember(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n, struct dfi_ref me,
                        unsigned kind, int joins)
{
    unsigned i;
    if (!kind) {
        for (i = 0; i < n->n_over; i++) {
            struct dfi_entry *m = dfi_entry_over(n, i);
            if ((uintptr_t)n->over[i] & 1) { /* all of m is written, so n's writer supersedes the tasks in m */
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

/* dfi_register for access x of t to the region of n. */
static int dfi_register_at(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *g, struct dfi_entry *n,
                           const struct dfi_access *x)
{
    struct dfi_ref me;
    unsigned kind = dfi_kind(x->mode);
    int joins;
    dfi_tasks_of(w)->reg_task = t, dfi_tasks_of(w)->reg_access = x;
    joins = !(kind & DFI_ONE_REGION) || !dfi_up_joins || dfi_up_joins(n, x);
    if (dfi_order(w, g, n, kind, joins)) return -1;
    me.task = t, me.seq = t->seq;
    if (dfi_remember(w, t->scope, n, me, kind, joins)) return -1;
    return kind & DFI_ONE_REGION && dfi_up_joined ? dfi_up_joined(w, t, n, x) : 0;
}

DFI_SMALL_CODE_BEGIN
/* The name of access i of a task of that type, for "%.*s"; number: room for one of df_call. Returns its length. */
static int dfi_access_label(const struct dfi_type *type, unsigned i, char number[24], const char **name)
{
    const char *p = type->access_names ? type->access_names : "";
    unsigned k;
    for (k = 0; k < i && *p; k++) p += strcspn(p, " ") + 1;
    if (!*p) snprintf(number, 24, "list[%u]", i);
    *name = *p ? p : number;
    return (int)strcspn(*name, " ");
}

/* Reports an access of t, at index `place`, to an impossible region. */
static DFI_COLD void dfi_region_report(const struct dfi_flow *t, unsigned place)
{
    const char *site = t->task.mem.special ? t->extra->site : NULL,
               *name = t->task.mem.special ? t->extra->name : NULL, *label;
    char number[24];
    int n;
    if (t->type->modes & DFI_INTERNAL) return; /* reported by its creator */
    if (!site && dfi_call_site != dfi_no_site) site = dfi_call_site;
    n = dfi_access_label(t->type, place, number, &label);
    dfi_error("%s%stask %s: the size of parameter %.*s is negative, or larger than the memory behind its address: "
              "the task is ordered as if it accessed all memory; correct the count in its declaration",
              site ? site : "", site ? ": " : "", name ? name : t->type->name, n, label);
}

/* dfi_register for an access to all memory. 1, or -1 if out of memory. */
static DFI_COLD int dfi_register_all(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *g,
                                     const struct dfi_access *x)
{
    struct dfi_region r = dfi_region_all();
    struct dfi_scope *s = t->scope;
    struct dfi_entry *n;
    if (!dfi_flow_of(s)->table && !(dfi_flow_of(s)->table = dfi_table_new(w))) return -1;
    if (!(n = dfi_table_find(w, dfi_flow_of(s)->table, &r))) return -1;
    return dfi_register_at(w, t, g, n, x) ? -1 : 1;
}
DFI_SMALL_CODE_END

/* Registers access x of t: adds the edges to g, which is t or its gate, and remembers t. 0; 1: the same, but the
 * region is impossible and counts as all memory; -1: out of memory. */
static int dfi_register(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *g, const struct dfi_access *x)
{
    struct dfi_scope *s = t->scope;
    struct dfi_region r = dfi_region_of(x);
    struct dfi_entry *n;
    struct dfi_ref me;
    unsigned kind = dfi_kind(x->mode), i;
    if (DFI_UNLIKELY(dfi_region_is_all(&r))) return dfi_register_all(w, t, g, x);
    if (!r.rows) return 0;
    if (!dfi_flow_of(s)->table && !(dfi_flow_of(s)->table = dfi_table_new(w))) return -1;
    if (!(n = dfi_table_find(w, dfi_flow_of(s)->table, &r))) return -1;
    dfi_tasks_of(w)->reg_task = t, dfi_tasks_of(w)->reg_access = x;
    if (DFI_LIKELY(!n->n_over && n->kind == DFI_IN && kind <= DFI_IN && !(n->asks & DFI_ENTRY_JOINT) &&
                   !dfi_flow_pool.asks_accesses)) {
        me.task = t, me.seq = t->seq; /* fast path of the code below, for reading and writing without overlaps */
        if (!kind)
            for (i = 0; i < n->n_readers; i++)
                if (dfi_edge_add(w, g, &n->readers[i])) return -1;
        if (dfi_edge_add(w, g, &n->writer)) return -1;
        if (kind) return dfi_entry_add_reader(n, me);
        n->n_readers = 0;
        n->writer = me;
        return 0;
    }
    if (DFI_UNLIKELY(dfi_flow_pool.asks_accesses) && dfi_up_access) dfi_up_access(w, t, n, x);
    return dfi_register_at(w, t, g, n, x);
}

#endif
