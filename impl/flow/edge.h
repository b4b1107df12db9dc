/* edge.h - creation of tasks, and of edges from their predecessors */
#ifndef DFI_FLOW_EDGE_H
#define DFI_FLOW_EDGE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/task.h"
#include "../work/blocks.h"
#include "../work/worker.h"
#include "../work/find.h"
#include "../work/types.h"
#include "moments.h"
#include "supervise.h"
#include "types.h"
#include "../work/probe.h"

static void dfi_join_run(void *args, void *result);
static const struct dfi_type dfi_join_type = { dfi_join_run, "join", 0, 0, 1, DFI_INTERNAL | DFI_WRITES, NULL };
/* The type of internal tasks of an upper floor to which several threads may add successors. */
DFI_LATER(const struct dfi_type *, dfi_common_type);

/* --- edges ------------------------------------------------------------------------------------- */

static struct dfi_edge *dfi_edge_new(struct dfi_worker *w, struct dfi_flow *t)
{
    unsigned i = t->n_edges;
    if (DFI_LIKELY(i < DFI_EDGES_INLINE)) return (struct dfi_edge *)(void *)(t + 1) + i;
    i = (i - DFI_EDGES_INLINE) % DFI_EDGES_BLOCK;
    if (i == 0) {
        struct dfi_edges *more = (struct dfi_edges *)dfi_block_get(w, DFI_CLS_EDGES);
        if (!more) return NULL;
        more->next = t->more, t->more = more;
    }
    return &t->more->edge[i];
}

/* Frees the last result of dfi_edge_new. */
static void dfi_edge_drop(struct dfi_worker *w, struct dfi_flow *t)
{
    if (t->n_edges >= DFI_EDGES_INLINE && (t->n_edges - DFI_EDGES_INLINE) % DFI_EDGES_BLOCK == 0) {
        struct dfi_edges *more = t->more;
        t->more = more->next;
        dfi_block_free(w, w, &more->head);
    }
}

/* Propagates the cancellation of predecessor p to t. pre: p was seen to be done. (Its skip was stored before that.) */
DFI_FAST void dfi_edge_poisoned(struct dfi_flow *t, const struct dfi_flow *p)
{
    if (DFI_UNLIKELY(dfi_load_relaxed(&p->skip) == DFI_POISONS)) dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
}

/* Adds an edge from the remembered task to t. 0, or -1 if out of memory. */
static int dfi_edge_add(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_ref *before)
{
    struct dfi_flow *p = before->task;
    struct dfi_edge *e, *head;
    if (dfi_wanted(DFI_AT_EDGE) && p && (p != t || p->seq != before->seq)) dfi_at_edge(w, t, before);
    if (!p || p == t || p->seq != before->seq) return 0;
    if (p->last_succ == t) { /* a duplicate edge, or t reuses the memory of that task and p is done */
        dfi_edge_poisoned(t, p);
        return 0;
    }
    if (DFI_UNLIKELY(p->parts != NULL) && dfi_tasks_of(w)->reg_access) {
        int done = p == dfi_tasks_of(w)->reg_task ? 1 : dfi_up_follows_parts ? dfi_up_follows_parts(w, t, p) : 0;
        if (done) return done > 0 ? 0 : -1;
    }
    head = dfi_load_acquire(&p->succ); /* acquire; pairs with the exchange in dfi_flow_release */
    if (head == DFI_DONE_EDGE) {
        dfi_edge_poisoned(t, p);
        return 0;
    }
    if (!(e = dfi_edge_new(w, t))) return -1;
    e->task = t;
    do {
        if (head == DFI_DONE_EDGE) { /* done meanwhile: the next edge reuses the cell */
            dfi_edge_poisoned(t, p);
            dfi_edge_drop(w, t);
            return 0;
        }
        e->next = head; /* release: publishes the edge to the acquire in dfi_flow_release; acquire: as above */
    } while (!dfi_cas_acq_rel(&p->succ, &head, e));
    if (p->type != dfi_common_type) p->last_succ = t;
    t->n_edges++;
    return 0;
}

/* The next number of a task of w, in memory whose last task had the number `before`, for observers that tell tasks by
 * it. */
DFI_UPCALL(size_t, dfi_up_task_number, (struct dfi_worker *w, size_t before));

/* --- tasks ------------------------------------------------------------------------------------- */

static struct dfi_flow *dfi_flow_new(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_type *type)
{
    unsigned cls = DFI_CLS_TASK;
    struct dfi_flow *t;
    while (cls < DFI_CLS_COUNT && (size_t)16 << (cls - DFI_CLS_TASK) < type->args_bytes) cls++;
    t = (struct dfi_flow *)dfi_block_new(w, cls < DFI_CLS_COUNT ? cls : (unsigned)DFI_CLS_TASK);
    if (!t) return NULL;
    if (DFI_UNLIKELY(cls == DFI_CLS_COUNT)) {
        if (!(t->task.args = dfi_malloc(type->args_bytes))) {
            dfi_warn_no_memory();
            t->seq++;
            dfi_block_free(w, w, &t->task.mem);
            return NULL;
        }
        t->task.mem.cls = DFI_CLS_COUNT;
    } else t->task.args = (char *)t + dfi_args_at;
    dfi_fenv_save(&t->task.mem);
    t->type = type;
    t->scope = s;
    t->index = ++dfi_flow_of(s)->n_children;
    dfi_store_relaxed(&t->succ, NULL);
    dfi_store_relaxed(&t->wait, DFI_GUARD);
    t->seq = DFI_UNLIKELY(dfi_observed()) && dfi_up_task_number ? dfi_up_task_number(w, t->seq) : t->seq + 1;
    t->last_succ = NULL;
    t->more = NULL;
    t->n_edges = 0;
    dfi_store_relaxed(&t->skip, 0u);
    t->parts = NULL;
    if (dfi_up_created) dfi_up_created(t);
    return t;
}

/* Counts t as a child of its scope. pre: it has its edges. Nonzero: it is ready. */
DFI_FAST int dfi_flow_count(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_scope *s = t->scope;
    if (DFI_LIKELY(s->open)) s->submitted++;
    else dfi_fetch_add_seq_cst(&s->pending, (intptr_t)1); /* nested in a wait for s: relaxed would do */
    if (t->n_edges) {
        dfi_store_relaxed(&dfi_tasks_of(w)->n_edges, dfi_load_relaxed(&dfi_tasks_of(w)->n_edges) + t->n_edges);
        /* acq_rel, like the end of a predecessor: pairs with dfi_flow_unblock */
        if (dfi_fetch_sub_acq_rel(&t->wait, DFI_GUARD - (intptr_t)t->n_edges) != DFI_GUARD - (intptr_t)t->n_edges)
            return 0;
    }
    if (dfi_up_is_ready) dfi_up_is_ready(t);
    return 1;
}

/* Counts an internal task that has its edges, and pushes it if it is ready. */
static void dfi_ready_if(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_flow_count(w, t)) dfi_push(w, t);
}

static void dfi_internal_counted(void) /* df_counters.tasks counts tasks of the user only */
{
    struct dfi_worker *w = dfi_me();
    dfi_store_relaxed(&dfi_tasks_of(w)->n_tasks, dfi_load_relaxed(&dfi_tasks_of(w)->n_tasks) - 1);
}

static void dfi_join_run(void *args, void *result) /* empty: only its edges matter */
{
    (void)args, (void)result;
    dfi_internal_counted();
}

#endif
