/* scope.h - scopes: counting children and waiting for them
 *
 * The owner counts the children of its scope without atomics. A child that another worker completes costs one
 * subtraction from `pending`. Argument: docs/internals/work.md, "Scopes". */
#ifndef DFI_WORK_SCOPE_H
#define DFI_WORK_SCOPE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "blocks.h"
#include "goal.h"
#include "stack.h"
#include "find.h"
#include "help.h"
#include "types.h"
#include "supervise.h"
#include "director.h"
#include "wait.h"

/* Moments in the life of a scope */
DFI_UPCALL(void, dfi_up_scope_begins, (struct dfi_worker *w, struct dfi_scope *s));  /* it is new */
DFI_UPCALL(void, dfi_up_stolen_begins, (struct dfi_worker *w, struct dfi_scope *s)); /* of stolen code, or of a part of
                                                                                     * a team; w runs it next */
DFI_UPCALL(void, dfi_up_scope_waits, (struct dfi_worker *w, struct dfi_scope *s));   /* for all children */
DFI_UPCALL(void, dfi_up_scope_waited, (struct dfi_worker *w, struct dfi_scope *s));  /* for all children */
DFI_UPCALL(void, dfi_up_waited_many, (struct dfi_worker *w, uint64_t ns));           /* for many children, so long */
DFI_UPCALL(void, dfi_up_scope_ends, (struct dfi_scope *s));                          /* all children are done */
DFI_UPCALL(void, dfi_up_scope_left, (struct dfi_worker *w, struct dfi_scope *s));    /* no code runs in it any more */
DFI_UPCALL(void, dfi_up_scope_free, (struct dfi_worker *w, struct dfi_scope *s));    /* nothing refers to it any more */
DFI_UPCALL(void, dfi_up_bottom_free, (struct dfi_worker *w, struct dfi_scope *s));

/* What the code of w does, if its scope asks (dfi_scope.asks). Nonzero: the caller leaves it out. */
enum {
    DFI_DOES_SPAWN,  /* it is about to spawn; only if spawns are checked. on: the source line */
    DFI_DOES_CREATE, /* it is about to create a task. on: the type. DFI_LEAVES_OUT: the caller comes to dfi_up_runs_now;
                      * DFI_WANTS_ACCESSES: to dfi_up_placed */
    DFI_DOES_LACK,   /* memory for the record of the task was lacking */
    DFI_DOES_AWAIT,  /* it is about to wait for some of its tasks */
    DFI_DOES_OPEN,   /* it is about to open a block. on: the source line */
    DFI_DOES_MORE,   /* something else that may be left out */
    DFI_DOES_END     /* it has ended; its wait for children is next */
};
enum { DFI_LEAVES_OUT = 1, DFI_WANTS_ACCESSES };
DFI_UPCALL(int, dfi_up_asked, (struct dfi_worker *w, int does, const void *on));
DFI_FAST int dfi_scope_asks(const struct dfi_scope *s)
{
    return dfi_up_asked && DFI_UNLIKELY(s->asks & ~(unsigned)DFI_ASKS_CREATE);
}
DFI_FAST int dfi_asked(struct dfi_worker *w, int does, const void *on)
{
    return dfi_up_asked && DFI_UNLIKELY(w->scope->asks & ~(does == DFI_DOES_CREATE ? 0u : (unsigned)DFI_ASKS_CREATE))
               ? dfi_up_asked(w, does, on) : 0;
}

enum { DFI_WAITED_MANY = 64 }; /* children for which dfi_up_waited_many is worth two looks at the clock */

/* Makes s, whose memory is w's, a scope of the running code. */
static void dfi_scope_begin(struct dfi_worker *w, struct dfi_scope *s, struct dfi_scope *parent, int kind)
{
    dfi_store_relaxed(&s->parent, parent);
    dfi_store_relaxed(&s->depth, parent ? dfi_load_relaxed(&parent->depth) + 1 : 0);
    dfi_store_relaxed(&s->id, w->next_id += (uintptr_t)2 * DFI_ID_FUTURE);
    dfi_store_relaxed(&s->pending, (intptr_t)0);
    s->owner = w;
    s->submitted = s->done = 0;
    s->open = 1;
    s->kind = kind;
    s->site = NULL;
    s->task = NULL;
    s->outer = w->scope;
    s->mark = w->head;
    s->saved_task = w->task;
    s->saved_mark = w->task_mark;
    if (dfi_up_scope_begins) dfi_up_scope_begins(w, s);
}

static struct dfi_scope *dfi_scope_new(struct dfi_worker *w, struct dfi_scope *parent, int kind)
{
    struct dfi_scope *s = (struct dfi_scope *)dfi_block_new(w, DFI_CLS_SCOPE);
    if (s) dfi_scope_begin(w, s, parent, kind);
    return s;
}

/* Creates a scope inside `parent` and makes it the innermost scope of w. NULL: out of memory. */
static struct dfi_scope *dfi_scope_push(struct dfi_worker *w, struct dfi_scope *parent, int kind)
{
    struct dfi_scope *s;
    dfi_flush(w);
    s = dfi_scope_new(w, parent, kind);
    if (!s) return NULL;
    w->scope = s;
    dfi_code_is(w, NULL, w->task_mark);
    dfi_level(w, 1);
    return s;
}

/* Creates the scope of stolen code, or of the part of a team that w runs. */
static struct dfi_scope *dfi_scope_push_stolen(struct dfi_worker *w, struct dfi_scope *parent, struct dfi_team *team)
{
    struct dfi_scope *s = dfi_scope_push(w, parent, DFI_STOLEN);
    if (!s) return NULL;
    s->team = team;
    if (dfi_up_stolen_begins) dfi_up_stolen_begins(w, s);
    return s;
}

static void dfi_scope_pop(struct dfi_worker *w, struct dfi_scope *s)
{
    w->scope = s->outer;
    dfi_code_is(w, s->saved_task, s->saved_mark);
    if (dfi_up_scope_left) dfi_up_scope_left(w, s);
    dfi_level(w, -1);
}

static void dfi_scope_free(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_up_scope_end) dfi_up_scope_end(s);
    if (dfi_up_scope_free) dfi_up_scope_free(w, s);
    dfi_block_free(w, s->owner, &s->head);
}

/* w is about to be freed, and its blocks with it. */
static void dfi_scope_free_bottom(struct dfi_worker *w, struct dfi_scope *s)
{
    (void)w;
    if (dfi_up_scope_end) dfi_up_scope_end(s);
    if (dfi_up_bottom_free) dfi_up_bottom_free(w, s);
}

/* Waits until at most `keep` children of s, which are tasks, are unfinished. pre: w owns s. */
static DFI_NOINLINE void dfi_wait_until(struct dfi_worker *w, struct dfi_scope *s, size_t keep)
{
    struct dfi_goal g;
    struct dfi_wait wait;
    intptr_t out;
    uint64_t began;
    g.kind = DFI_GOAL_SCOPE, g.scope = s;
    dfi_code_waits(w, s);
    dfi_flush(w);
    dfi_turn_take(w);
    /* nothing to wait for, run or hand over, and nobody to tell; acquire: as below */
    if (!dfi_up_pause && s->open && w->head <= s->mark && !*dfi_block_here && !dfi_wanted(DFI_AT_WAIT) &&
        (intptr_t)(s->submitted - s->done) + dfi_load_acquire(&s->pending) <= (intptr_t)keep) return;
    began = dfi_up_waited_many && s->open && s->submitted - s->done >= DFI_WAITED_MANY ? dfi_os_ns() : 0;
    dfi_wait_enter(w, &wait, keep ? DFI_WAIT_ROOM : DFI_WAIT_SCOPE, s, NULL);
    if (!s->open) { /* called by code nested in a wait for s, which has closed s */
        dfi_help_until(w, s->mark, &g);
        dfi_wait_leave(w, &wait);
        return;
    }
    for (;;) { /* first the entries of this worker's own stack, with plain counting */
        /* acquire; pairs with the release in dfi_flow_done */
        out = (intptr_t)(s->submitted - s->done) + dfi_load_acquire(&s->pending);
        if (out <= (intptr_t)keep) break;
        if (!dfi_run_urgent(w, &g) && !dfi_run_own(w, s->mark, NULL)) break;
        if (dfi_steal_requested(w)) dfi_poll(w);
    }
    if (out > (intptr_t)keep) {
        s->open = 0;
        /* from here on, pending counts the unfinished children beyond `keep`, and the thread that decrements it to 0
         * wakes this worker; acq_rel: pairs with the subtractions in dfi_flow_done */
        dfi_fetch_add_seq_cst(&s->pending, (intptr_t)(s->submitted - s->done - keep));
        dfi_help_until(w, s->mark, &g);
        s->open = 1;
        s->submitted = keep; /* pending is now minus the number of children completed beyond the goal */
        s->done = 0;
    } else if (DFI_UNLIKELY(w->head > s->mark)) {
        dfi_stack_hand_over(w, s->mark, s);
        dfi_offer(w); /* entries below the mark were on offer when the code of s began */
    }
    DFI_ASSERT(keep || w->scope != s || w->task || dfi_stack_is_back(w, s));
    dfi_wait_leave(w, &wait);
    if (began) dfi_up_waited_many(w, dfi_os_ns() - began);
}

/* Waits until all children of s are done, and all values are in their original memory. */
static void dfi_wait_all(struct dfi_worker *w, struct dfi_scope *s)
{
    dfi_code_waits(w, s);
    dfi_code_pause(w, 0);
    if (dfi_up_scope_waits) dfi_up_scope_waits(w, s);
    if (dfi_up_task_run) dfi_wait_until(w, s, 0);
    else {
        dfi_flush(w);
        dfi_stack_back(w, s->mark);
    }
    if (dfi_up_scope_waited) dfi_up_scope_waited(w, s);
    dfi_children_done(s);
    dfi_code_resume(w, 0);
}

/* Ends a block or the scope of a stolen future. */
static void dfi_scope_finish(struct dfi_worker *w, struct dfi_scope *s)
{
    dfi_asked(w, DFI_DOES_END, NULL);
    dfi_wait_all(w, s);
    if (dfi_up_scope_ends) dfi_up_scope_ends(s);
    dfi_scope_pop(w, s);
    /* entries below the mark of s may have been stolen meanwhile */
    if (DFI_UNLIKELY(w->head != 0)) dfi_stack_back(w, dfi_stack_floor(w));
    dfi_scope_free(w, s);
}

#endif
