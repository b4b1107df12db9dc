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
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/speculate.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/stack.h"
#include "../../work/help.h"
#include "../../work/pool.h"
#include "../../work/scope.h"
#include "../../flow/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../types.h"
#include "types.h"
#include "../../work/director.h"
#include "../../flow/at_once.h"
#include "../devices.h"
#include "../../flow/region.h"
#include "../../flow/table.h"
#include "../error.h"
#include "condition.h"
#include "predicate.h"
#include "task.h"
#include "../points.h"
#include "../../api/submit_options.h"
#include "../../api/wait.h"

DFI_SMALL_CODE_BEGIN

#if !defined(DF_SERIAL)

/* --- waiting for a decision ---------------------------------------------------------------------- */

/* Waits until g is decided. pre: w owns its scope, whose code runs */
static DFI_NOINLINE void dfi_predicate_wait(struct dfi_worker *w, struct dfi_predicate *g)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts; /* not for tasks that run meanwhile */
    struct dfi_goal goal;
    if (dfi_load_acquire(&g->state) != DFI_PREDICATE_OPEN) return;
    dfi_tasks_of(w)->opts = NULL;
    dfi_flush(w);
    goal.kind = DFI_GOAL_FLAG, goal.scope = w->scope, goal.flag = &g->state;
    dfi_wait_helping(w, w->scope->mark, &goal, DFI_WAIT_CONDITION, NULL, NULL);
    dfi_tasks_of(w)->opts = o;
}

/* True if the running code belongs to a block that should not have been executed. Waits if that is
 * not known. */
static DFI_NOINLINE int dfi_predicate_drops(struct dfi_worker *w)
{
    struct dfi_predicate *g, *in = dfi_predicate_now(w->scope);
    for (g = in; g && dfi_predicate_standing(in) == DFI_PREDICATE_OPEN; g = g->outer) dfi_predicate_wait(w, g);
    return dfi_predicate_standing(in) == DFI_PREDICATE_WRONG;
}

/* True if a task with the options dfi_tasks_of(w)->opts must not be created. A task whose effects cannot be rolled
 * back waits here for the decision: others may rely on its tokens, a device works without df, and
 * tasks that do not come after the block use released memory. */
static DFI_NOINLINE int dfi_predicate_refuses(struct dfi_worker *w, const struct dfi_type *type)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts;
    if (type->modes & DFI_INTERNAL) return 0;
    if (type->modes & DFI_LAUNCH || (o && ((o->after && *o->after) || (o->signals && *o->signals) || o->release ||
                                           o->handle || o->result)))
        return dfi_predicate_drops(w);
    return dfi_predicate_standing(dfi_predicate_now(w->scope)) == DFI_PREDICATE_WRONG;
}

/* --- iterations ------------------------------------------------------------------------------- */

static int dfi_entry_quiet(const struct dfi_entry *n)
{
    unsigned i;
    if (n->asks & DFI_ENTRY_JOINT || dfi_renamed(n) || !dfi_ref_done(&n->writer)) return 0;
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
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, b->when.p, b->when.bytes);
    r = dfi_region_of(&x);
    if (r.rows && dfi_flow_of(s)->table) {
        if (!(n = dfi_table_find(w, dfi_flow_of(s)->table, &r)) || !dfi_entry_quiet(n)) return 0;
        for (i = 0; i < n->n_over; i++)
            if (!dfi_entry_quiet(dfi_entry_over(n, i))) return 0;
    }
    dfi_gpu_before_access(&x, 1);
    return 1;
}

/* Frees the predicates that were right and have nothing left to do. */
static void dfi_speculation_forget(struct dfi_speculation *b)
{
    if (b->outer && dfi_predicate_standing(b->outer) != DFI_PREDICATE_RIGHT) return; /* the undo data is still needed */
    while (b->first && b->first != b->unknown) {
        struct dfi_predicate *g = b->first;
        b->first = g->next;
        if (!b->first) b->last = NULL;
        else b->first->older = NULL;
        dfi_predicate_leave(g);
    }
}

/* Finds the predicates that turned out right. Zero: one was wrong. A predicate counts as known when
 * its decision task is done. */
static int dfi_speculation_advance(struct dfi_speculation *b)
{
    while (b->unknown && dfi_ref_done(&b->unknown->decision)) {
        if (dfi_load_acquire(&b->unknown->state) == DFI_PREDICATE_WRONG) return 0;
        b->unknown = b->unknown->next;
        b->count--;
    }
    dfi_speculation_forget(b);
    return 1;
}

/* An iteration of b ended: the code that follows belongs to the enclosing block. */
static void dfi_speculation_turn_over(struct dfi_worker *w, struct dfi_speculation *b)
{
    struct dfi_predicate *g = dfi_predicate_now(b->scope);
    /* blocks inside were left by jumps */
    while (g && g->scope == b->scope && g != b->last && g != b->outer) g = g->outer;
    dfi_predicate_set(b->scope, b->outer);
    if (b->outer && g && g != b->outer) dfi_predicate_list_all(w, b->outer, g);
}

/* True if there is another iteration, for which b->scope has a predicate or the condition is known. */
static int dfi_speculation_try(struct dfi_worker *w, struct dfi_speculation *b)
{
    struct dfi_scope *s = b->scope;
    int waited = 0; /* for all tasks that write to the condition */
    for (;;) {
        if (b->outer && dfi_predicate_standing(b->outer) == DFI_PREDICATE_WRONG) return 0;
        if (!dfi_speculation_advance(b)) return 0;
        /* a task that would end a loop is skipped */
        if (dfi_cancels_any() && dfi_scope_cancelled(s)) return 0;
        if (!b->unknown && (waited || dfi_condition_known(w, s, b)))
            return dfi_condition_now(&b->when) == b->guess;
        if (b->count < (b->loop ? dfi_more.ahead : dfi_more.ahead > 0)) {
            struct dfi_predicate *g = dfi_predicate_new(w, s, &b->when, b->guess, b->last);
            if (g) {
                if (!b->first) b->first = g;
                if (!b->unknown) b->unknown = g;
                b->last = g;
                dfi_predicate_set(s, g);
                b->count++;
                return 1;
            } /* no memory for a predicate */
        } else if (b->unknown) {
            dfi_predicate_wait(w, b->unknown);
            if (!dfi_ref_done(&b->unknown->decision)) {
                /* the decision task has a few instructions left on another thread */
                if (dfi_turns()) dfi_turn_point(w);
                else dfi_os_yield();
            }
            continue;
        }
        df_wait_on(b->when.p, b->when.bytes);
        waited = 1;
    }
}

/* The block has ended. */
static void dfi_speculation_commit(struct dfi_worker *w, struct dfi_speculation *b)
{
    struct dfi_predicate *g, *next;
    dfi_speculation_turn_over(w, b);
    dfi_speculation_advance(b);
    for (g = b->first; g && !g->n_regions && !g->incomplete; g = next) { /* nothing was written */
        next = g->next;
        dfi_predicate_leave(g);
    }
    if (g) dfi_commit_submit(w, b->scope, g);
}

/* The code of s ended, and longjmp left blocks in it unnoticed. */
static DFI_NOINLINE DFI_COLD void dfi_predicates_left(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_predicate *g = dfi_predicate_now(s), *outer, *older;
    dfi_predicate_set(s, NULL);
    if (g->scope != s) return; /* inside a block that should not have been executed */
    dfi_error("a df_speculate block was left by longjmp: df waits for its tasks now, at the end of the code around "
              "it; leave it by break, return or goto");
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

static DFI_COLD void dfi_predicate_spawns(struct dfi_worker *w, const char *site)
{
    if (dfi_predicate_standing(dfi_predicate_now(w->scope)) != DFI_PREDICATE_RIGHT)
        dfi_error("%s: df_spawn in a df_speculate block whose condition is not known: the call is made even if the "
                  "prediction is wrong; submit a task that spawns", site);
}

/* The code of w, which has predicates, does that (dfi_up_asked). Waits of its tasks and blocks resolve them, so that
 * the tasks are either confirmed or dropped. */
static DFI_NOINLINE int dfi_speculation_asked(struct dfi_worker *w, int does, const void *on)
{
    switch (does) {
    case DFI_DOES_SPAWN: dfi_predicate_spawns(w, (const char *)on); return 0;
    case DFI_DOES_CREATE: return dfi_predicate_refuses(w, (const struct dfi_type *)on);
    case DFI_DOES_END: dfi_predicates_left(w, w->scope); return 0;
    case DFI_DOES_LACK: return 0;
    default: return dfi_predicate_drops(w);
    }
}

/* w has opened a block with the scope s. In a block that should not have been executed, neither should that. */
static void dfi_speculation_block(struct dfi_scope *s)
{
    struct dfi_predicate *g = s->saved_task ? NULL : dfi_predicate_now(s->outer);
    if (g && dfi_predicate_standing(g) == DFI_PREDICATE_WRONG) dfi_predicate_set(s, g);
}

#else

/* No task is tentative. */
DFI_FAST int dfi_predicate_take(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    return (void)w, (void)t, (void)x, (void)n, 0;
}
DFI_FAST int dfi_predicate_admits(struct dfi_worker *w, struct dfi_flow *t) { return (void)w, (void)t, 1; }
DFI_FAST void dfi_predicate_keep(struct dfi_worker *w, struct dfi_flow *t) { (void)w, (void)t; }
DFI_FAST void dfi_predicate_leaves(struct dfi_flow *t) { (void)t; }
DFI_FAST void dfi_predicate_forget(struct dfi_flow *t) { (void)t; }
DFI_FAST int dfi_speculation_asked(struct dfi_worker *w, int does, const void *on)
{
    return (void)w, (void)does, (void)on, 0;
}
DFI_FAST void dfi_speculation_block(struct dfi_scope *s) { (void)s; }

/* No predicate: each iteration waits for its condition. */
static int dfi_speculation_try(struct dfi_worker *w, struct dfi_speculation *b)
{
    (void)w;
    df_wait_on(b->when.p, b->when.bytes);
    return !(dfi_cancels_any() && dfi_scope_cancelled(b->scope)) && dfi_condition_now(&b->when) == b->guess;
}
DFI_FAST void dfi_speculation_turn_over(struct dfi_worker *w, struct dfi_speculation *b) { (void)w, (void)b; }
DFI_FAST void dfi_speculation_commit(struct dfi_worker *w, struct dfi_speculation *b) { (void)w, (void)b; }

#endif

/* True if there is another iteration. */
static int dfi_speculation_go_on(struct dfi_worker *w, struct dfi_speculation *b)
{
    struct dfi_access x;
    if (b->scope) return dfi_speculation_try(w, b);
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, b->when.p, b->when.bytes); /* every task ran immediately */
    if (w) dfi_wait_before(w, NULL, NULL, &x, 1);
    return dfi_condition_now(&b->when) == b->guess;
}

/* --- entry points of the macros --------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API void dfi_speculate_end(struct dfi_speculation *b)
{
    struct dfi_worker *w = dfi_me();
    if (!b->open) return;
    b->open = 0;
    if (!w || !b->scope) return;
    while (w->scope != b->scope && w->scope->outer) dfi_block_left(w); /* a block inside */
    if (w->scope == b->scope) dfi_speculation_commit(w, b); /* else forked in the block */
}

DFI_API int dfi_speculate_next(struct dfi_speculation *b)
{
    struct dfi_worker *w = b->begun ? dfi_me() : dfi_me_attached();
    if (!b->open) return 0;
    if (!b->begun) {
        b->begun = 1;
        dfi_no_graph(w, "df_speculate", b->site);
        b->scope = w ? dfi_scope_here(w) : NULL;
        b->outer = b->scope ? dfi_predicate_now(b->scope) : NULL;
        if (dfi_speculation_go_on(w, b)) return 1;
    } else if (b->loop) {
        if (b->scope) dfi_speculation_turn_over(w, b);
        if (dfi_speculation_go_on(w, b)) return 1;
    }
    dfi_speculate_end(b);
    return 0;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
