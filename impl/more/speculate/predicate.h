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
#include "../../os/wait.h"
#include "../../base/log.h"
#include "../../work/future.h"
#include "../../flow/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../types.h"
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

/* A task of g fails, or with code 0 cancels its scope. */
static void dfi_predicate_fail(struct dfi_predicate *g, int code, const char *text)
{
    struct dfi_error *e;
    if (dfi_predicate_standing(g) == DFI_PREDICATE_WRONG) return;
    while (!(e = dfi_error_new(code, text, NULL))) { /* the error must not be lost */
        if (dfi_predicate_standing(g) != DFI_PREDICATE_OPEN) break;
        dfi_os_sleep_ms();
    }
    if (e) dfi_predicate_give_error(g, e);
    else if (dfi_predicate_standing(g) == DFI_PREDICATE_RIGHT) {
        if (code) dfi_scope_set_error(g->scope, code, text);
        dfi_scope_cancel(g->scope);
    }
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
    intptr_t known = dfi_predicate_standing(dfi_predicate_over(t->extra));
    if (known == DFI_PREDICATE_RIGHT) return 1;
    if (known == DFI_PREDICATE_OPEN) return !dfi_predicate_failed(dfi_predicate_over(t->extra));
    dfi_store_relaxed(&t->skip, 0u); /* its predecessors may have been skipped; its successors must not be */
    dfi_count(&dfi_tally_of(w)->n_undone);
    return 0;
}

/* The task is about to run: copies the memory that it overwrites if its predicate may be wrong. */
static void dfi_predicate_keep(struct dfi_worker *w, struct dfi_extra *x)
{
    struct dfi_undo *k = dfi_predicated_of(x)->undo;
    if (dfi_predicate_standing(dfi_predicate_over(x)) == DFI_PREDICATE_RIGHT) return;
    dfi_count(&dfi_tally_of(w)->n_speculated);
    if (!k) return; /* earlier tasks have copied everything */
    dfi_predicated_of(x)->undo = NULL;
    dfi_undo_fill(k);
    dfi_undo_push(&dfi_predicate_over(x)->undo, k);
}

#define dfi_up_fails_under_by , dfi_predicate_fail
#define dfi_up_failed_under_by , dfi_predicate_give_error

static int dfi_predicate_void(const struct dfi_predicate *g)
{
    return dfi_predicate_standing(g) == DFI_PREDICATE_WRONG;
}
#define dfi_up_void_under_by , dfi_predicate_void

/* The predicate of the task whose body is running in the caller, or NULL. */
static struct dfi_predicate *dfi_controlling_predicate(struct dfi_worker *w)
{
    const struct dfi_flow *t = w->task;
    struct dfi_scope *s = w->scope;
    if (dfi_runs_now(w)) return NULL;
    if (!t && (s = dfi_scope_of_team(s))->kind == DFI_BODY) t = s->task;
    return t && dfi_extra_if(t) ? dfi_predicate_over(t->extra) : NULL;
}

#define dfi_up_controlled_by_by , dfi_controlling_predicate

static DFI_COLD void dfi_predicate_spawns(struct dfi_worker *w, const char *site)
{
    const struct dfi_predicate *g = w->task ? NULL : dfi_predicate_now(w->scope);
    if (g && dfi_predicate_standing(g) != DFI_PREDICATE_RIGHT)
        dfi_error("%s: df_spawn in a df_speculate block whose condition is not known: the call is made even if the "
                  "prediction is wrong; submit a task that spawns", site);
}
#define dfi_up_spawns_by , dfi_predicate_spawns

DFI_SMALL_CODE_END

#endif

#endif
