/* predicate.h - speculation predicates: their resolution, and the tasks they control
 *
 * Every iteration of a df_speculate block that begins before its condition is known has a predicate
 * (struct dfi_guess), and so have the tasks that it submits. An internal task that reads the
 * condition resolves it to right or wrong. `outer` links the predicates of nested blocks: a task
 * counts only if all of them are right.
 * Argument: docs/memory-order.md, "Guesses". */
#ifndef DFI_MORE_SPECULATE_PREDICATE_H
#define DFI_MORE_SPECULATE_PREDICATE_H

#include "../../base/atomic.h"
#include "../../base/memory.h"
#include "../../os/wait.h"
#include "../../work/worker.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../error.h"
#include "undo.h"

/* Value of dfi_guess.error: there was an error, and it has been passed on. */
#define DFI_ERROR_PASSED ((struct dfi_error *)(uintptr_t)1)

/* The state of g together with its outer predicates. acquire; pairs with the store in dfi_decide. */
static intptr_t dfi_guess_standing(const struct dfi_guess *g)
{
    intptr_t all = DFI_GUESS_RIGHT;
    for (; g; g = g->outer) {
        intptr_t one = dfi_load_acquire(&g->state);
        if (one == DFI_GUESS_WRONG) return one;
        if (one == DFI_GUESS_OPEN) all = one;
    }
    return all;
}

/* The innermost predicate, from g outwards, that is not known to be right. NULL: all are right. */
static struct dfi_guess *dfi_guess_doubtful(struct dfi_guess *g)
{
    while (g && dfi_load_acquire(&g->state) == DFI_GUESS_RIGHT) g = g->outer;
    return g;
}

static void dfi_guess_hold(struct dfi_guess *g) { dfi_fetch_add_relaxed(&g->refs, (intptr_t)1); }

/* Drops one reference to g. */
static void dfi_guess_leave(struct dfi_guess *g)
{
    /* acq_rel: passes everything done with g to the last holder */
    while (g && dfi_fetch_sub_acq_rel(&g->refs, (intptr_t)1) == 1) {
        struct dfi_guess *outer = g->outer;
        if (dfi_load_relaxed(&g->state) == DFI_GUESS_WRONG) dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
        dfi_kept_free(dfi_load_relaxed(&g->kept)); /* right, as are all outer ones, and never committed */
        if (dfi_load_relaxed(&g->error) != DFI_ERROR_PASSED) dfi_error_free(dfi_load_relaxed(&g->error));
        dfi_mfree((void *)g->region);
        dfi_mfree(g);
        g = outer;
    }
}

/* --- errors ------------------------------------------------------------------------------------ */

/* Takes the error of g, which was right; the fact that there was one remains. NULL: there is none to take. */
static struct dfi_error *dfi_guess_take_error(struct dfi_guess *g)
{
    struct dfi_error *e = dfi_load_seq_cst(&g->error);
    while (e && e != DFI_ERROR_PASSED && !dfi_cas_seq_cst(&g->error, &e, DFI_ERROR_PASSED)) continue;
    return e == DFI_ERROR_PASSED ? NULL : e;
}

/* Passes on the error e, which counts if g is right: it stays with the innermost predicate that is
 * not known to be right, which passes it on, or it reaches the scope. Takes ownership of e; code 0:
 * cancelled without an error. */
static void dfi_guess_give_error(struct dfi_guess *g, struct dfi_error *e)
{
    struct dfi_scope *s = g->scope;
    while (e && (g = dfi_guess_doubtful(g)) != NULL) {
        struct dfi_error *none = NULL;
        /* seq_cst, then the load of the state: dfi_decide stores the state, then looks for errors */
        if (dfi_load_acquire(&g->state) == DFI_GUESS_WRONG || !dfi_cas_seq_cst(&g->error, &none, e)) dfi_error_free(e);
        e = NULL;
        if (dfi_load_seq_cst(&g->state) == DFI_GUESS_RIGHT) e = dfi_guess_take_error(g);
    }
    if (!e) return;
    if (e->code) dfi_scope_give_error(s, e);
    else dfi_error_free(e);
    dfi_scope_cancel(s);
}

/* A task of g fails, or with code 0 cancels its scope. */
static void dfi_guess_fail(struct dfi_guess *g, int code, const char *text)
{
    struct dfi_error *e;
    if (dfi_guess_standing(g) == DFI_GUESS_WRONG) return;
    while (!(e = dfi_error_new(code, text, NULL))) { /* the error must not be lost */
        if (dfi_guess_standing(g) != DFI_GUESS_OPEN) break;
        dfi_os_sleep_ms();
    }
    if (e) dfi_guess_give_error(g, e);
    else if (dfi_guess_standing(g) == DFI_GUESS_RIGHT) {
        if (code) dfi_scope_set_error(g->scope, code, text);
        dfi_scope_cancel(g->scope);
    }
}

/* True if a task of g has failed. */
static int dfi_guess_failed(const struct dfi_guess *g)
{
    for (; g; g = g->outer)
        if (dfi_load_acquire(&g->error)) return 1;
    return 0;
}

/* --- the beginning and the end of a task --------------------------------------------------------- */

/* A task with a predicate is about to run. Zero: it must not run, and no other task needs it. */
static int dfi_guess_admits(struct dfi_worker *w, struct dfi_flow *t)
{
    intptr_t known = dfi_guess_standing(t->extra->guess);
    if (known == DFI_GUESS_RIGHT) return 1;
    if (known == DFI_GUESS_OPEN) return !dfi_guess_failed(t->extra->guess);
    dfi_store_relaxed(&t->skip, 0u); /* its predecessors may have been skipped; its successors must not be */
    dfi_store_relaxed(&w->n_undone, dfi_load_relaxed(&w->n_undone) + 1);
    return 0;
}

/* The task is about to run: copies the memory that it overwrites if its predicate may be wrong. */
static void dfi_guess_keep(struct dfi_worker *w, struct dfi_extra *x)
{
    struct dfi_kept *k = x->kept;
    if (dfi_guess_standing(x->guess) == DFI_GUESS_RIGHT) return;
    dfi_store_relaxed(&w->n_speculated, dfi_load_relaxed(&w->n_speculated) + 1);
    if (!k) return; /* earlier tasks have copied everything */
    x->kept = NULL;
    dfi_kept_fill(k);
    dfi_kept_push(&x->guess->kept, k);
}

/* The predicate of the task whose body is running in the caller, or NULL. */
static struct dfi_guess *dfi_guess_of_caller(struct dfi_worker *w)
{
    const struct dfi_flow *t = w->task;
    struct dfi_scope *s = w->scope;
    if (dfi_runs_now(w)) return NULL;
    while (!t && s->kind == DFI_STOLEN) s = dfi_load_relaxed(&s->parent);
    if (!t && s->kind == DFI_BODY) t = s->task;
    return t && t->task.mem.special ? t->extra->guess : NULL;
}

#endif
