/* task.h - speculative tasks: submission, resolution of their predicates, commit and roll-back
 *
 * A speculative task needs no buffer and no log of its reads and writes, because it has declared
 * them. The first task under a predicate that writes a region exclusively copies the old contents;
 * the tasks after it there need not. Tasks that write concurrently, or in any order, cannot copy
 * anything. An internal task, the fence, precedes the first of them and does it; so the fence
 * separates them from tasks that do not depend on the predicate.
 * All conflicts between these tasks are edges already, so nothing is validated. When a block ends,
 * one internal task commits or rolls back. It comes after all tasks that wrote, and before all that
 * use what was written. */
#ifndef DFI_MORE_SPECULATE_TASK_H
#define DFI_MORE_SPECULATE_TASK_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/speculate.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../types.h"
#include "types.h"
#include "../devices.h"
#include "../../flow/edge.h"
#include "../../flow/extra.h"
#include "../../flow/order.h"
#include "../../flow/region.h"
#include "../../flow/table.h"
#include "../rename.h"
#include "condition.h"
#include "predicate.h"
#include "undo.h"

#if !defined(DF_SERIAL)

DFI_SMALL_CODE_BEGIN

/* Registers t, an internal task, with one access. 0, or -1 without memory. */
static int dfi_register_alone(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_region *r, unsigned mode)
{
    struct dfi_access x;
    int failed;
    dfi_access_region(&x, mode, r);
    failed = (dfi_rename_most() && dfi_rename_before(w, t, &x, 1)) || dfi_register(w, t, t, &x) < 0;
    dfi_tasks_of(w)->reg_task = NULL, dfi_tasks_of(w)->reg_access = NULL;
    return failed ? -1 : 0;
}

static struct dfi_entry *dfi_entry_of(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_region *r)
{
    if (!dfi_flow_of(s)->table && !(dfi_flow_of(s)->table = dfi_table_new(w))) return NULL;
    return dfi_table_find(w, dfi_flow_of(s)->table, r);
}

/* Submits a task of df with args and one access. NULL without memory. */
static struct dfi_flow *dfi_submit_internal(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_type *type,
                                            const void *args, const struct dfi_region *r, unsigned mode)
{
    struct dfi_flow *t = dfi_flow_new(w, s, type);
    int failed;
    if (!t) return NULL;
    failed = dfi_register_alone(w, t, r, mode);
    if (failed) t->type = &dfi_join_type; /* it has edges already, so it runs as an empty task */
    else memcpy(t->task.args, args, type->args_bytes);
    dfi_ready_if(w, t);
    return failed ? NULL : t;
}

/* --- resolution ------------------------------------------------------------------------------- */

static void dfi_decide(void *args, void *result)
{
    struct dfi_predicate *g = *(struct dfi_predicate **)args;
    struct dfi_worker *owner = g->scope->owner; /* worker records are never freed */
    struct dfi_access x;
    int right;
    (void)result;
    dfi_internal_counted();
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, g->when.p, g->when.bytes);
    dfi_gpu_before_access(&x, 1);
    right = dfi_condition_now(&g->when) == g->guess;
    /* before the store, as in dfi_scope_cancel: its tasks may end soon */
    if (!right) dfi_cancels(1);
    /* seq_cst: releases the data that the condition was computed from; precedes the look at errors
     * and at the sleeper */
    dfi_store_seq_cst(&g->state, (intptr_t)(right ? DFI_PREDICATE_RIGHT : DFI_PREDICATE_WRONG));
    if (right) dfi_predicate_give_error(g, dfi_predicate_take_error(g));
    dfi_wake_waiting(owner);
    dfi_predicate_leave(g);
}

/* A new predicate that the condition is as guessed; the submitter and the decision task hold it.
 * before: the last iteration of the same loop. An iteration whose predecessor is wrong is wrong
 * itself, because nothing has changed the condition. NULL: no memory. */
static struct dfi_predicate *dfi_predicate_new(struct dfi_worker *w, struct dfi_scope *s,
                                               const struct dfi_condition *when, int guess,
                                               struct dfi_predicate *before)
{
    static const struct dfi_type type = { dfi_decide, "df_speculate", 0, 0, sizeof(struct dfi_predicate *),
                                          DFI_INTERNAL, NULL };
    struct dfi_predicate *g = (struct dfi_predicate *)dfi_zeroed(sizeof *g);
    struct dfi_flow *t;
    struct dfi_access x;
    struct dfi_region r;
    if (!g) {
        dfi_warn_not_ahead();
        return NULL;
    }
    g->outer = dfi_predicate_now(s), g->scope = s;
    g->older = before;
    g->when = *when, g->guess = guess;
    dfi_store_relaxed(&g->refs, (intptr_t)2);
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, when->p, when->bytes);
    r = dfi_region_of(&x);
    if (!(t = dfi_submit_internal(w, s, &type, (void *)&g, &r, DFI_IN))) {
        dfi_mfree((void *)g);
        return NULL;
    }
    g->id = dfi_fetch_add_relaxed(&dfi_more.stamps, (size_t)1) + 1;
    g->decision.task = t, g->decision.seq = t->seq;
    if (g->outer) dfi_predicate_hold(g->outer);
    if (before) before->next = g;
    dfi_offer(w);
    return g;
}

/* --- regions written -------------------------------------------------------------------------- */

/* Lists r, the region of n, as written by tasks of g. */
static void dfi_predicate_list(struct dfi_predicate *g, struct dfi_entry *n, const struct dfi_region *r)
{
    if (n && dfi_listed_of(n)->listed == g->id) return;
    if (!n || (g->n_regions == g->max_regions &&
               dfi_array_grow((void *)&g->region, NULL, &g->max_regions, sizeof *r))) {
        dfi_warn_not_ahead();
        g->incomplete = 1;
        return;
    }
    g->region[g->n_regions++] = *r;
    dfi_listed_of(n)->listed = g->id;
}

/* The iteration g of a block ended: the enclosing block takes over its list of written regions. */
static void dfi_predicate_list_all(struct dfi_worker *w, struct dfi_predicate *outer, const struct dfi_predicate *g)
{
    unsigned i;
    if (g->incomplete) outer->incomplete = 1;
    for (i = 0; i < g->n_regions; i++)
        dfi_predicate_list(outer, dfi_entry_of(w, g->scope, &g->region[i]), &g->region[i]);
}

struct dfi_fence { struct dfi_predicate *predicate; struct dfi_undo *undo; };

static void dfi_fence_run(void *args, void *result)
{
    struct dfi_fence a = *(struct dfi_fence *)args;
    (void)result;
    dfi_internal_counted();
    if (dfi_predicate_standing(a.predicate) == DFI_PREDICATE_OPEN) {
        dfi_undo_fill(a.undo);
        dfi_undo_push(&a.predicate->undo, a.undo);
    } else dfi_mfree((void *)a.undo);
    dfi_predicate_leave(a.predicate);
}

/* Copies r before the first of several tasks of g that share it. 0, or -1 without memory. */
static int dfi_predicate_fence(struct dfi_worker *w, struct dfi_predicate *g, const struct dfi_region *r)
{
    static const struct dfi_type type = { dfi_fence_run, "fence", 0, 0, sizeof(struct dfi_fence),
                                          DFI_INTERNAL | DFI_WRITES | DFI_ALWAYS, NULL };
    struct dfi_fence a;
    a.predicate = g;
    if (!(a.undo = dfi_undo_new(r, 1))) return -1;
    dfi_predicate_hold(g);
    if (dfi_submit_internal(w, g->scope, &type, (void *)&a, r, DFI_INOUT)) return 0;
    dfi_mfree((void *)a.undo);
    dfi_predicate_leave(g);
    return -1;
}

/* Makes t speculative under the open predicates of its scope, before its accesses are registered. 0,
 * or -1 without memory: t must then run after they are known. */
static DFI_NOINLINE int dfi_predicate_take(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    struct dfi_predicate *g = dfi_predicate_now(t->scope), *h;
    struct dfi_region r[DFI_PARAMETERS]; /* of more, each further one has a fence */
    struct dfi_extra *e;
    unsigned i, saved = 0, writes = 0;
    intptr_t known = dfi_predicate_standing(g);
    if (known == DFI_PREDICATE_RIGHT) return 0;
    if (!(e = dfi_extra_of(w, t))) return -1;
    e->tentative = 1;
    dfi_tentative_of(e)->predicate = g;
    dfi_predicate_hold(g);
    if (known == DFI_PREDICATE_WRONG) return 0;
    for (i = 0; i < n; i++) {
        struct dfi_region q = dfi_region_of(&x[i]);
        struct dfi_entry *m;
        /* the task waits instead of its children, and can be rolled back as a whole */
        x[i].mode &= ~(unsigned)DFI_CHILDREN;
        if (!(x[i].mode & DFI_WRITES) || !q.rows) continue;
        if (!(m = dfi_entry_of(w, t->scope, &q))) return -1;
        writes = 1;
        dfi_predicate_list(g, m, &q);
        if (dfi_listed_of(m)->saved == g->id) continue;
        if (!(x[i].mode & DFI_SHARED) && saved < DFI_PARAMETERS) r[saved++] = q;
        else if (dfi_predicate_fence(w, g, &q)) return -1;
        dfi_listed_of(m)->saved = g->id;
    }
    if (g->incomplete) return -1;
    if (saved && !(dfi_tentative_of(e)->undo = dfi_undo_new(r, saved))) return -1;
    /* A task without effect on memory cannot be rolled back, and one skipped for a cancelled group
     * poisons what it reads. */
    if (!writes || dfi_cancel_of(e)->group)
        for (h = g; h; h = h->outer)
            if (dfi_edge_add(w, t, &h->decision)) return -1;
    return 0;
}

/* --- the end of a block ----------------------------------------------------------------------- */

/* Commits or rolls back the list of predicates, linked by `next`, which are known, and whose writing
 * tasks are done. Nonzero: one was right. */
static int dfi_commit(struct dfi_predicate *g)
{
    struct dfi_predicate *next, *outer;
    DFI_ATOMIC(struct dfi_undo *) undo = NULL;
    int right = 0;
    for (; g; g = next) {
        /* acq_rel; pairs with dfi_undo_push */
        struct dfi_undo *k = dfi_swap_acq_rel(&g->undo, NULL);
        next = g->next;
        if (dfi_load_acquire(&g->state) == DFI_PREDICATE_WRONG) dfi_undo_push(&undo, k);
        else {
            right = 1;
            if ((outer = dfi_predicate_doubtful(g->outer)) != NULL) dfi_undo_push(&outer->undo, k);
            else dfi_undo_free(k);
        }
        dfi_predicate_leave(g);
    }
    dfi_undo_apply(undo);
    return right;
}

static void dfi_commit_run(void *args, void *result)
{
    struct dfi_flow *t = dfi_me()->task;
    (void)result;
    dfi_internal_counted();
    /* if all were wrong, no task needs the skipped ones */
    if (!dfi_commit(*(struct dfi_predicate **)args)) dfi_store_relaxed(&t->skip, 0u);
}

/* Orders t after all writes under the list of predicates, and after their decisions. 0, or -1
 * without memory. */
static int dfi_commit_order(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_predicate *g)
{
    unsigned i;
    for (; g; g = g->next) {
        if (g->incomplete || dfi_edge_add(w, t, &g->decision)) return -1;
        for (i = 0; i < g->n_regions; i++)
            if (dfi_register_alone(w, t, &g->region[i], DFI_INOUT)) return -1;
    }
    return 0;
}

/* Submits the commit task of a list of predicates, which the submitter no longer holds. */
static void dfi_commit_submit(struct dfi_worker *w, struct dfi_scope *s, struct dfi_predicate *g)
{
    static const struct dfi_type type = { dfi_commit_run, "commit", 0, 0, sizeof g,
                                          DFI_INTERNAL | DFI_WRITES | DFI_ALWAYS, NULL };
    struct dfi_flow *t = dfi_flow_new(w, s, &type);
    int failed = !t || dfi_commit_order(w, t, g);
    if (t) {
        if (failed) t->type = &dfi_join_type; /* as in dfi_submit_internal */
        else memcpy(t->task.args, (void *)&g, sizeof g);
        dfi_ready_if(w, t);
    }
    if (!failed) return;
    dfi_wait_all(w, s);
    dfi_commit(g);
}

DFI_SMALL_CODE_END

#endif

#endif
