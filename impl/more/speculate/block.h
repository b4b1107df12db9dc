/* block.h - df_speculate and df_speculate_while: the submitter's side
 *
 * A block whose condition is known when it begins is an ordinary `if` or `while` and has no
 * predicate. The predicates of the iterations of a loop are not nested: each comes after the one
 * before, so that predicates known to be right can be freed. */
#ifndef DFI_MORE_SPECULATE_BLOCK_H
#define DFI_MORE_SPECULATE_BLOCK_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../api/speculate.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/stack.h"
#include "../../work/help.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../flow/at_once.h"
#include "../../flow/devices.h"
#include "../../flow/order.h"
#include "../../flow/region.h"
#include "../../flow/submit.h"
#include "../../flow/table.h"
#include "../error.h"
#include "predicate.h"
#include "task.h"
#include "../taskgraph/steady.h"
#include "../../observe/schedule/baton.h"
#include "../../observe/stall/waits.h"
#include "../../api/public.h"

/* --- waiting for a decision ---------------------------------------------------------------------- */

/* Waits until g is decided. pre: w owns its scope, whose code runs */
static DFI_NOINLINE void dfi_guess_wait(struct dfi_worker *w, struct dfi_guess *g)
{
    const struct df_opts *o = w->opts; /* not for tasks that run meanwhile */
    struct dfi_goal goal;
    if (dfi_load_acquire(&g->state) != DFI_GUESS_OPEN) return;
    w->opts = NULL;
    goal.kind = DFI_GOAL_FLAG, goal.scope = w->scope, goal.future = NULL, goal.flag = &g->state;
    dfi_flush(w);
    dfi_wait_helping(w, w->scope->mark, &goal, DFI_WAIT_GUESS, NULL, NULL);
    w->opts = o;
}

/* True if the running code belongs to a block that should not have been executed. Waits if that is
 * not known. */
static DFI_NOINLINE int dfi_guess_drops(struct dfi_worker *w)
{
    struct dfi_guess *g, *in = w->task ? NULL : w->scope->guess;
    if (!in) return 0;
    for (g = in; g && dfi_guess_standing(in) == DFI_GUESS_OPEN; g = g->outer) dfi_guess_wait(w, g);
    return dfi_guess_standing(in) == DFI_GUESS_WRONG;
}

/* True if a task with the options w->opts must not be created. A task whose effects cannot be rolled
 * back waits here for the decision: others may rely on its tokens, a device works without df, and
 * tasks that do not come after the block use released memory. */
static DFI_NOINLINE int dfi_guess_refuses(struct dfi_worker *w, const struct dfi_type *type)
{
    const struct df_opts *o = w->opts;
    if (w->task || type->modes & DFI_INTERNAL) return 0;
    if (type->modes & DFI_LAUNCH || (o && ((o->after && *o->after) || (o->signals && *o->signals) || o->release)))
        return dfi_guess_drops(w);
    return dfi_guess_standing(w->scope->guess) == DFI_GUESS_WRONG;
}

/* Drops the task that was about to be created, or run immediately. */
static DFI_COLD void dfi_guess_dropped(struct dfi_worker *w)
{
    w->ran_now = w->opts ? DFI_DROPPED : 0; /* for dfi_with_end */
    w->opts = NULL;
    dfi_store_relaxed(&w->n_undone, dfi_load_relaxed(&w->n_undone) + 1);
}

/* --- iterations ------------------------------------------------------------------------------- */

static int dfi_entry_quiet(const struct dfi_entry *n)
{
    unsigned i;
    if (n->place || n->group || !dfi_ref_done(&n->writer)) return 0;
    for (i = 0; i < n->n_readers && n->kind != DFI_IN; i++)
        if (!dfi_ref_done(&n->readers[i])) return 0;
    return 1;
}

/* True if no unfinished child of s writes to the condition. */
static int dfi_condition_known(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_speculation *b)
{
    struct dfi_access x;
    struct dfi_region r;
    struct dfi_entry *n;
    unsigned i;
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, b->p, b->bytes);
    r = dfi_region_of(&x);
    if (s->table) {
        if (!(n = dfi_table_find(w, s->table, &r)) || !dfi_entry_quiet(n)) return 0;
        for (i = 0; i < n->n_over; i++)
            if (!dfi_entry_quiet(dfi_entry_over(n, i))) return 0;
    }
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices))) dfi_gpu_hook->host(&x, 1);
    return 1;
}

/* Frees the predicates that were right and have nothing left to do. */
static void dfi_speculation_forget(struct dfi_speculation *b)
{
    if (b->outer && dfi_guess_standing(b->outer) != DFI_GUESS_RIGHT) return; /* the undo data is still needed */
    while (b->first && b->first != b->unknown) {
        struct dfi_guess *g = b->first;
        b->first = g->next;
        if (!b->first) b->last = NULL;
        else b->first->older = NULL;
        dfi_guess_leave(g);
    }
}

/* Finds the predicates that turned out right. Zero: one was wrong. A predicate counts as known when
 * its decision task is done. */
static int dfi_speculation_advance(struct dfi_speculation *b)
{
    while (b->unknown && dfi_ref_done(&b->unknown->decision)) {
        if (dfi_load_acquire(&b->unknown->state) == DFI_GUESS_WRONG) return 0;
        b->unknown = b->unknown->next;
        b->count--;
    }
    dfi_speculation_forget(b);
    return 1;
}

/* An iteration of b ended: the code that follows belongs to the enclosing block. */
static void dfi_speculation_turn_over(struct dfi_worker *w, struct dfi_speculation *b)
{
    struct dfi_guess *g = b->scope->guess;
    /* blocks inside were left by jumps */
    while (g && g->scope == b->scope && g != b->last && g != b->outer) g = g->outer;
    b->scope->guess = b->outer;
    if (b->outer && g && g != b->outer) dfi_guess_list_all(w, b->outer, g);
}

/* True if there is another iteration. */
static int dfi_speculation_go_on(struct dfi_worker *w, struct dfi_speculation *b)
{
    struct dfi_scope *s = b->scope;
    int waited = 0; /* for all tasks that write to the condition */
    struct dfi_access x;
    if (!s) { /* every task ran immediately */
        dfi_access_array(&x, DFI_IN, DFI_NO_ARG, b->p, b->bytes);
        if (w) dfi_wait_before(w, NULL, NULL, &x, 1);
        return dfi_condition(b->p, b->bytes) == b->guess;
    }
    for (;;) {
        struct dfi_guess *g;
        if (b->outer && dfi_guess_standing(b->outer) == DFI_GUESS_WRONG) return 0;
        if (!dfi_speculation_advance(b)) return 0;
        /* a task that would end a loop is skipped */
        if (dfi_load_relaxed(&dfi_pool.cancels) && dfi_scope_cancelled(s)) return 0;
        if (!b->unknown && (waited || dfi_condition_known(w, s, b))) return dfi_condition(b->p, b->bytes) == b->guess;
        if (b->count < (b->loop ? dfi_pool.speculate : dfi_pool.speculate > 0)) {
            g = dfi_guess_new(w, s, b->p, b->bytes, b->guess, b->last);
            if (g) {
                if (!b->first) b->first = g;
                if (!b->unknown) b->unknown = g;
                b->last = s->guess = g;
                b->count++;
                return 1;
            }
            dfi_access_array(&x, DFI_IN, DFI_NO_ARG, b->p, b->bytes); /* no memory for a predicate */
            if (dfi_pool.rename_bytes) dfi_settle(w, s);
            dfi_wait_before(w, s, NULL, &x, 1);
            waited = 1;
        } else if (b->unknown) {
            dfi_guess_wait(w, b->unknown);
            if (!dfi_ref_done(&b->unknown->decision)) {
                /* the decision task has a few instructions left on another thread */
                if (dfi_baton_on()) dfi_baton_point(w);
                else dfi_os_yield();
            }
        } else {
            df_wait_on(b->p, b->bytes);
            waited = 1;
        }
    }
}

/* --- entry points of the macros --------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API void dfi_speculate_end(struct dfi_speculation *b)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_guess *g, *next;
    if (!b->open) return;
    b->open = 0;
    if (!w || !b->scope) return;
    while (w->scope != b->scope && w->scope->outer) { /* a block inside was left by a jump */
        if (w->scope->site) dfi_error(DFI_MESSAGE_LEFT_BLOCK, w->scope->site);
        dfi_scope_finish(w, w->scope);
    }
    if (w->scope != b->scope) return; /* forked in the block */
    dfi_speculation_turn_over(w, b);
    dfi_speculation_advance(b);
    for (g = b->first; g && !g->n_regions && !g->incomplete; g = next) { /* nothing was written */
        next = g->next;
        dfi_guess_leave(g);
    }
    if (g) dfi_commit_submit(w, b->scope, g);
}

DFI_API int dfi_speculate_next(struct dfi_speculation *b)
{
    struct dfi_worker *w = b->begun ? dfi_me() : dfi_me_attached();
    if (!b->open) return 0;
    if (!b->begun) {
        b->begun = 1;
        dfi_taskgraph_cannot("df_speculate", b->site);
        b->scope = w ? dfi_scope_here(w) : NULL;
        if (b->scope) dfi_capture_table(w, b->scope);
        b->outer = b->scope ? b->scope->guess : NULL;
        if (dfi_speculation_go_on(w, b)) return 1;
    } else if (b->loop) {
        if (b->scope) dfi_speculation_turn_over(w, b);
        if (dfi_speculation_go_on(w, b)) return 1;
    }
    dfi_speculate_end(b);
    return 0;
}
DFI_EXTERN_C_END

/* The code of s ended, and longjmp left blocks in it unnoticed. */
static DFI_COLD void dfi_guesses_left(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_guess *g = s->guess, *outer, *older;
    s->guess = NULL;
    if (g->scope != s) return; /* inside a block that should not have been executed */
    dfi_error("a df_speculate block was left by longjmp: it is ended at the end of the code around it; leave it by "
              "break, return or goto");
    dfi_wait_all(w, s);
    for (; g && g->scope == s; g = outer) {
        outer = g->outer;
        for (; g; g = older) {
            older = g->older;
            g->next = NULL;
            dfi_commit(g);
        }
    }
}

#endif
