/* timed.h - waits with a time limit: df_wait_for
 *
 * The worker helps as in df_wait, until its scope has no unfinished children or the time is over. The scope is closed
 * meanwhile, so the thread that completes the last child wakes the worker. When the time is over, the owner takes the
 * count of unfinished children back and opens the scope again. Argument: docs/internals/work.md, "Scopes". */
#ifndef DFI_MORE_TIMED_H
#define DFI_MORE_TIMED_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/result.h"
#include "../work/director.h"
#include "../work/goal.h"
#include "../work/help.h"
#include "../work/scope.h"
#include "../work/stack.h"
#include "../work/supervise.h"
#include "../work/types.h"
#include "../work/wait.h"
#include "../work/worker.h"
#include "error.h"
#include "spare.h"
#include "../api/error.h"

DFI_SMALL_CODE_BEGIN

struct dfi_timed {
    struct dfi_goal goal;
    struct dfi_os_limit limit;
    int looks;                 /* calls so far: the first never ends the wait, so that each wait runs a ready task */
};

static int dfi_timed_over(void *p)
{
    struct dfi_timed *t = (struct dfi_timed *)p;
    /* seq_cst: the last check before parking */
    return dfi_load_seq_cst(&t->goal.scope->pending) <= 0 || (t->looks++ && !dfi_os_limit_left(&t->limit));
}

/* Waits until all children of s are done, at most ms milliseconds. Nonzero: some are unfinished. pre: w owns s. */
static DFI_NOINLINE int dfi_timed_until(struct dfi_worker *w, struct dfi_scope *s, int ms)
{
    struct dfi_timed t;
    struct dfi_wait wait;
    int closed = !s->open, left;
    t.goal.kind = DFI_GOAL_POLL, t.goal.scope = s, t.goal.until = dfi_timed_over, t.goal.arg = &t;
    t.goal.limit = &t.limit, t.goal.wakes = 1;
    t.looks = 0;
    dfi_flush(w);
    dfi_turn_take(w);
    dfi_wait_enter(w, &wait, DFI_WAIT_SCOPE, s, NULL);
    dfi_fetch_add_relaxed(&dfi_blocks_of(w)->timed, 1);
    dfi_os_limit_begin(&t.limit, ms);
    if (!closed) { /* otherwise this code is nested in a wait for s */
        s->open = 0;
        /* as in dfi_wait_until */
        dfi_fetch_add_seq_cst(&s->pending, (intptr_t)(s->submitted - s->done));
    }
    dfi_help_until(w, s->mark, &t.goal);
    left = dfi_load_acquire(&s->pending) > 0; /* pairs with the release in dfi_flow_release */
    if (!closed) {
        s->open = 1;
        s->submitted = (size_t)dfi_exchange_acq_rel(&s->pending, (intptr_t)0);
        s->done = 0;
        left = s->submitted != 0;
    }
    dfi_fetch_add_relaxed(&dfi_blocks_of(w)->timed, -1);
    dfi_wait_leave(w, &wait);
    return left;
}

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_wait_timed_here(int ms, const char *site)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_scope *s;
    int left;
    if (ms < 0) {
        dfi_error("%s%sdf_wait_for(%d): the time is negative, and counts as 0; pass milliseconds, 0 or more",
                  site ? site : "", site ? ": " : "", ms);
        ms = 0;
    }
    DFI_UNSYNCED(w);
    if (w) dfi_create(w);
    else if (dfi_fork_left()) return DF_ERROR_CANCELLED;
    if (!w || w->task) return DF_OK; /* it has no children */
    s = w->scope;
    DFI_CALLED(w);
    dfi_at_site(w, site);
    dfi_code_waits(w, s);
    dfi_code_pause(w, 0);
    if (dfi_up_scope_waits) dfi_up_scope_waits(w, s);
    left = dfi_timed_until(w, s, ms);
    if (!left && dfi_up_scope_waited) dfi_up_scope_waited(w, s);
    if (!left) dfi_children_done(s);
    dfi_code_resume(w, 0);
    return left ? DF_ERROR_TIMEOUT : dfi_scope_result(w, s);
}

DFI_API df_result (df_wait_for)(int ms) { return dfi_wait_timed_here(ms, NULL); }
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
