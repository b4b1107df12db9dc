/* predicate.h - speculation predicates: their resolution, and the tasks they control
 *
 * Every iteration of a df_speculate block that begins before its condition is known has a predicate
 * (struct dfi_predicate), and so have the tasks that it submits. An internal task that reads the
 * condition resolves it to right or wrong. `outer` links the predicates of nested blocks: a task
 * counts only if all of them are right.
 * Argument: docs/internals/speculation.md, "Predicates". */
#ifndef DFI_MORE_SPECULATE_PREDICATE_H
#define DFI_MORE_SPECULATE_PREDICATE_H

#include "../../base/atomic.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../base/log.h"
#include "../../work/future.h"
#include "../../flow/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../types.h"
#include "types.h"
#include "../error.h"
#include "undo.h"

#if !defined(DF_SERIAL)

DFI_SMALL_CODE_BEGIN

/* Value of dfi_predicate.error: there was an error, and it has been passed on. */
#define DFI_ERROR_PASSED ((struct dfi_error *)(uintptr_t)1)

/* The state of g together with its outer predicates. acquire; pairs with the store in dfi_decide. */
static intptr_t dfi_predicate_standing(const struct dfi_predicate *g)
{
    intptr_t all = DFI_PREDICATE_RIGHT;
    for (; g; g = g->outer) {
        intptr_t one = dfi_load_acquire(&g->state);
        if (one == DFI_PREDICATE_WRONG) return one;
        if (one == DFI_PREDICATE_OPEN) all = one;
    }
    return all;
}

/* The innermost predicate, from g outwards, that is not known to be right. NULL: all are right. */
static struct dfi_predicate *dfi_predicate_doubtful(struct dfi_predicate *g)
{
    while (g && dfi_load_acquire(&g->state) == DFI_PREDICATE_RIGHT) g = g->outer;
    return g;
}

static void dfi_predicate_hold(struct dfi_predicate *g) { dfi_fetch_add_relaxed(&g->refs, (intptr_t)1); }

/* Drops one reference to g. */
static void dfi_predicate_leave(struct dfi_predicate *g)
{
    /* acq_rel: passes everything done with g to the last holder */
    while (g && dfi_fetch_sub_acq_rel(&g->refs, (intptr_t)1) == 1) {
        struct dfi_predicate *outer = g->outer;
        if (dfi_load_relaxed(&g->state) == DFI_PREDICATE_WRONG) dfi_cancels(-1);
        dfi_undo_free(dfi_load_relaxed(&g->undo)); /* right, as are all outer ones, and never committed */
        if (dfi_load_relaxed(&g->error) != DFI_ERROR_PASSED) dfi_error_free(dfi_load_relaxed(&g->error));
        dfi_mfree((void *)g->region);
        dfi_mfree(g);
        g = outer;
    }
}

/* --- errors ------------------------------------------------------------------------------------ */

/* Takes the error of g, which was right; the fact that there was one remains. NULL: there is none to take. */
static struct dfi_error *dfi_predicate_take_error(struct dfi_predicate *g)
{
    struct dfi_error *e = dfi_load_seq_cst(&g->error);
    while (e && e != DFI_ERROR_PASSED && !dfi_cas_seq_cst(&g->error, &e, DFI_ERROR_PASSED)) continue;
    return e == DFI_ERROR_PASSED ? NULL : e;
}

/* Passes on the error e, which counts if g is right: it stays with the innermost predicate that is
 * not known to be right, which passes it on, or it reaches the scope. Takes ownership of e; code 0:
 * cancelled without an error. */
static void dfi_predicate_give_error(struct dfi_predicate *g, struct dfi_error *e)
{
    struct dfi_scope *s = g->scope;
    while (e && (g = dfi_predicate_doubtful(g)) != NULL) {
        struct dfi_error *none = NULL;
        /* seq_cst, then the load of the state: dfi_decide stores the state, then looks for errors */
        if (dfi_load_acquire(&g->state) == DFI_PREDICATE_WRONG || !dfi_cas_seq_cst(&g->error, &none, e))
            dfi_error_free(e);
        e = NULL;
        if (dfi_load_seq_cst(&g->state) == DFI_PREDICATE_RIGHT) e = dfi_predicate_take_error(g);
    }
    if (!e) return;
    if (e->code) dfi_scope_give_error(s, e);
    else dfi_error_free(e);
    dfi_scope_cancel(s);
}

/* True if a task of g has failed. */
static int dfi_predicate_failed(const struct dfi_predicate *g)
{
    for (; g; g = g->outer)
        if (dfi_load_acquire(&g->error)) return 1;
    return 0;
}

/* --- the beginning and the end of a task --------------------------------------------------------- */

/* A task with a predicate is about to run. Zero: it must not run, and no other task needs it. */
static int dfi_predicate_admits(struct dfi_worker *w, struct dfi_flow *t)
{
    intptr_t known = dfi_predicate_standing(dfi_predicate_over(t));
    if (known == DFI_PREDICATE_RIGHT) return 1;
    if (known == DFI_PREDICATE_OPEN) return !dfi_predicate_failed(dfi_predicate_over(t));
    dfi_store_relaxed(&t->skip, 0u); /* its predecessors may have been skipped; its successors must not be */
    dfi_count(&dfi_tally_of(w)->n_undone);
    return 0;
}

/* The task is about to run: copies the memory that it overwrites if its predicate may be wrong. */
static void dfi_predicate_keep(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_undo *k = dfi_tentative_of(t->extra)->undo;
    if (dfi_predicate_standing(dfi_predicate_over(t)) == DFI_PREDICATE_RIGHT) return;
    dfi_count(&dfi_tally_of(w)->n_early);
    if (!k) return; /* earlier tasks have copied everything */
    dfi_tentative_of(t->extra)->undo = NULL;
    dfi_undo_fill(k);
    dfi_undo_push(&dfi_predicate_over(t)->undo, k);
}

/* t has run, or will not; and its record is about to be freed. */
static void dfi_predicate_leaves(struct dfi_flow *t) { dfi_predicate_leave(dfi_predicate_over(t)); }
static void dfi_predicate_forget(struct dfi_flow *t) { dfi_mfree((void *)dfi_tentative_of(t->extra)->undo); }

static void dfi_predicate_fails(struct dfi_flow *t, struct dfi_error *e)
{
    dfi_predicate_give_error(dfi_predicate_over(t), e);
}
#define dfi_up_tentative_fails_by , dfi_predicate_fails

static int dfi_predicate_void(const struct dfi_flow *t)
{
    return dfi_predicate_standing(dfi_predicate_over(t)) == DFI_PREDICATE_WRONG;
}
#define dfi_up_is_void_by , dfi_predicate_void

DFI_SMALL_CODE_END

#endif

#endif
