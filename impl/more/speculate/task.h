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
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/speculate.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../flow/devices.h"
#include "../../flow/edge.h"
#include "../../flow/extra.h"
#include "../../flow/order.h"
#include "../../flow/region.h"
#include "../../flow/table.h"
#include "../rename.h"
#include "predicate.h"
#include "undo.h"

static void dfi_wait_all(struct dfi_worker *w, struct dfi_scope *s);

/* Registers t, an internal task, with one access. 0, or -1 without memory. */
static int dfi_register_alone(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_region *r, unsigned mode)
{
    struct dfi_access x;
    int failed;
    dfi_access_block(&x, mode, DFI_NO_ARG, (const void *)r->p, r->rows, r->row, r->ld);
    failed = (dfi_pool.rename_bytes && dfi_rename_before(w, t, &x, 1)) || dfi_register(w, t, t, &x) < 0;
    w->reg_task = NULL, w->reg_access = NULL;
    return failed ? -1 : 0;
}

static struct dfi_entry *dfi_entry_of(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_region *r)
{
    if (!s->table && !(s->table = dfi_table_new(w))) return NULL;
    return dfi_table_find(w, s->table, r);
}

static const struct dfi_type dfi_nothing_type = { dfi_join_run, "nothing", 0, 0, 1, DFI_INTERNAL, NULL };

/* t could not be registered, but has edges already: it runs as an empty task. */
static void dfi_flow_give_up(struct dfi_worker *w, struct dfi_flow *t)
{
    t->type = &dfi_nothing_type;
    dfi_ready_if(w, t);
}

/* --- resolution ------------------------------------------------------------------------------- */

static void dfi_decide(void *args, void *result)
{
    struct dfi_guess *g = *(struct dfi_guess **)args;
    struct dfi_worker *owner = g->scope->owner; /* worker records are never freed */
    int right;
    (void)result;
    dfi_internal_counted();
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices))) {
        struct dfi_access x;
        dfi_access_array(&x, DFI_IN, DFI_NO_ARG, g->p, g->bytes);
        dfi_gpu_hook->host(&x, 1);
    }
    right = dfi_condition(g->p, g->bytes) == g->guess;
    /* before the store, as in dfi_scope_cancel: its tasks may end soon */
    if (!right) dfi_fetch_add_acq_rel(&dfi_pool.cancels, 1);
    /* seq_cst: releases the data that the condition was computed from; precedes the look at errors
     * and at the sleeper */
    dfi_store_seq_cst(&g->state, (intptr_t)(right ? DFI_GUESS_RIGHT : DFI_GUESS_WRONG));
    if (right) dfi_guess_give_error(g, dfi_guess_take_error(g));
    dfi_wake_waiting(owner);
    dfi_guess_leave(g);
}

/* A new predicate that the integer at p is, or is not, 0; the submitter and the decision task hold
 * it. before: the last iteration of the same loop. An iteration whose predecessor is wrong is wrong
 * itself, because nothing has changed the condition. NULL: no memory. */
static struct dfi_guess *dfi_guess_new(struct dfi_worker *w, struct dfi_scope *s, const void *p, size_t bytes,
                                       int guess, struct dfi_guess *before)
{
    static const struct dfi_type type = { dfi_decide, "df_speculate", 0, 0, sizeof(struct dfi_guess *),
                                          DFI_INTERNAL, NULL };
    struct dfi_guess *g = (struct dfi_guess *)dfi_malloc(sizeof *g);
    struct dfi_flow *t = g ? dfi_flow_new(w, s, &type) : NULL;
    struct dfi_access x;
    struct dfi_region r;
    if (!t) {
        if (!g) dfi_warn_no_memory();
        dfi_mfree(g);
        return NULL;
    }
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, p, bytes);
    r = dfi_region_of(&x);
    if (dfi_register_alone(w, t, &r, DFI_IN)) {
        dfi_flow_give_up(w, t);
        dfi_mfree(g);
        return NULL;
    }
    memset((void *)g, 0, sizeof *g);
    g->outer = s->guess, g->scope = s;
    g->older = before;
    g->p = p, g->bytes = bytes, g->guess = guess;
    g->id = ++s->guesses;
    g->decision.task = t, g->decision.seq = t->seq;
    dfi_store_relaxed(&g->refs, (intptr_t)2);
    if (g->outer) dfi_guess_hold(g->outer);
    if (before) before->next = g;
    memcpy(t->task.args, (void *)&g, sizeof g);
    dfi_ready_if(w, t);
    dfi_offer(w);
    return g;
}

/* --- regions written -------------------------------------------------------------------------- */

/* Lists r, the region of n, as written by tasks of g. */
static void dfi_guess_list(struct dfi_guess *g, struct dfi_entry *n, const struct dfi_region *r)
{
    void *array = (void *)g->region;
    if (n && n->listed == g->id) return;
    if (!n || (g->n_regions == g->max_regions &&
               dfi_array_grow(&array, NULL, g->n_regions, &g->max_regions, sizeof *r))) {
        g->incomplete = 1;
        return;
    }
    g->region = (struct dfi_region *)array;
    g->region[g->n_regions++] = *r;
    n->listed = g->id;
}

/* The iteration g of a block ended: the enclosing block takes over its list of written regions. */
static void dfi_guess_list_all(struct dfi_worker *w, struct dfi_guess *outer, const struct dfi_guess *g)
{
    unsigned i;
    if (g->incomplete) outer->incomplete = 1;
    for (i = 0; i < g->n_regions; i++) dfi_guess_list(outer, dfi_entry_of(w, g->scope, &g->region[i]), &g->region[i]);
}

struct dfi_fence { struct dfi_guess *guess; struct dfi_kept *kept; };

static void dfi_fence_run(void *args, void *result)
{
    struct dfi_fence a = *(struct dfi_fence *)args;
    (void)result;
    dfi_internal_counted();
    if (dfi_guess_standing(a.guess) == DFI_GUESS_OPEN) {
        dfi_kept_fill(a.kept);
        dfi_kept_push(&a.guess->kept, a.kept);
    } else dfi_mfree((void *)a.kept);
    dfi_guess_leave(a.guess);
}

/* Copies r before the first of several tasks of g that share it. 0, or -1 without memory. */
static int dfi_guess_fence(struct dfi_worker *w, struct dfi_guess *g, const struct dfi_region *r)
{
    static const struct dfi_type type = { dfi_fence_run, "fence", 0, 0, sizeof(struct dfi_fence),
                                          DFI_INTERNAL | DFI_WRITES | DFI_ALWAYS, NULL };
    struct dfi_fence a;
    struct dfi_flow *t;
    a.guess = g;
    if (!(a.kept = dfi_kept_new(r, 1))) return -1;
    if (!(t = dfi_flow_new(w, g->scope, &type))) {
        dfi_mfree((void *)a.kept);
        return -1;
    }
    if (dfi_register_alone(w, t, r, DFI_INOUT)) {
        dfi_mfree((void *)a.kept);
        dfi_flow_give_up(w, t);
        return -1;
    }
    memcpy(t->task.args, (void *)&a, sizeof a);
    dfi_guess_hold(g);
    dfi_ready_if(w, t);
    return 0;
}

/* Makes t speculative under the open predicates of its scope, before its accesses are registered. 0,
 * or -1 without memory: t must then run after they are known. */
static DFI_NOINLINE int dfi_guess_take(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    struct dfi_guess *g = t->scope->guess, *h;
    struct dfi_region r[DFI_PARAMETERS];
    struct dfi_extra *e;
    unsigned i, kept = 0, writes = 0;
    intptr_t known = dfi_guess_standing(g);
    if (known == DFI_GUESS_RIGHT) return 0;
    if (!(e = dfi_extra_of(w, t))) return -1;
    e->guess = g;
    dfi_guess_hold(g);
    if (known == DFI_GUESS_WRONG) return 0;
    for (i = 0; i < n; i++) {
        struct dfi_region q = dfi_region_of(&x[i]);
        struct dfi_entry *m;
        /* the task waits instead of its children, and can be rolled back as a whole */
        x[i].mode &= ~(unsigned)DFI_WEAK;
        if (!(x[i].mode & DFI_WRITES) || !q.rows) continue;
        if (!(m = dfi_entry_of(w, t->scope, &q))) return -1;
        writes = 1;
        dfi_guess_list(g, m, &q);
        if (m->kept == g->id) continue;
        if (!(x[i].mode & DFI_SHARED)) r[kept++] = q;
        else if (dfi_guess_fence(w, g, &q)) return -1;
        m->kept = g->id;
    }
    if (g->incomplete) return -1;
    if (kept && !(e->kept = dfi_kept_new(r, kept))) return -1;
    /* A task without effect on memory cannot be rolled back, and one skipped for a cancelled group
     * poisons what it reads. */
    if (!writes || e->group)
        for (h = g; h; h = h->outer)
            if (dfi_edge_add(w, t, &h->decision)) return -1;
    return 0;
}

/* --- the end of a block ----------------------------------------------------------------------- */

/* Commits or rolls back the list of predicates, linked by `next`, which are known, and whose writing
 * tasks are done. Nonzero: one was right. */
static int dfi_commit(struct dfi_guess *g)
{
    struct dfi_guess *next, *outer;
    DFI_ATOMIC(struct dfi_kept *) undo = NULL;
    int right = 0;
    for (; g; g = next) {
        /* acq_rel; pairs with dfi_kept_push */
        struct dfi_kept *k = dfi_exchange_acq_rel(&g->kept, NULL);
        next = g->next;
        if (dfi_load_acquire(&g->state) == DFI_GUESS_WRONG) dfi_kept_push(&undo, k);
        else {
            right = 1;
            if ((outer = dfi_guess_doubtful(g->outer)) != NULL) dfi_kept_push(&outer->kept, k);
            else dfi_kept_free(k);
        }
        dfi_guess_leave(g);
    }
    dfi_kept_undo(undo);
    return right;
}

static void dfi_commit_run(void *args, void *result)
{
    struct dfi_flow *t = dfi_me()->task;
    (void)result;
    dfi_internal_counted();
    /* if all were wrong, no task needs the skipped ones */
    if (!dfi_commit(*(struct dfi_guess **)args)) dfi_store_relaxed(&t->skip, 0u);
}

/* Orders t after all writes under the list of predicates, and after their decisions. 0, or -1
 * without memory. */
static int dfi_commit_order(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_guess *g)
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
static void dfi_commit_submit(struct dfi_worker *w, struct dfi_scope *s, struct dfi_guess *g)
{
    static const struct dfi_type type = { dfi_commit_run, "commit", 0, 0, sizeof g,
                                          DFI_INTERNAL | DFI_WRITES | DFI_ALWAYS, NULL };
    struct dfi_flow *t = dfi_flow_new(w, s, &type);
    if (t && dfi_commit_order(w, t, g) == 0) {
        memcpy(t->task.args, (void *)&g, sizeof g);
        dfi_ready_if(w, t);
        return;
    }
    if (t) dfi_flow_give_up(w, t);
    dfi_wait_all(w, s);
    dfi_commit(g);
}

#endif
