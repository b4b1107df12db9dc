/* careful.h - may a submitted task run inside its submission?
 *
 * With one worker, all earlier tasks have usually run in that way, in their order. Then a task needs no record and no
 * dependence analysis. But df_config.defer, observers, supervision, and upper floors can need the record, or that the
 * task runs later. Each adds a reason to dfi_flow_pool.careful while that is so: 1 if some tasks must not
 * (dfi_may_run_now_slow decides), or DFI_CAREFUL_NEVER if none may. */
#ifndef DFI_FLOW_CAREFUL_H
#define DFI_FLOW_CAREFUL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../work/probe.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "moments.h"
#include "options.h"
#include "supervise.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_flow_pool dfi_flow_pool;
DFI_EXTERN_C_END

enum { DFI_CAREFUL_NEVER = 1 << 16 }; /* the reasons to ask are counted below it; so many of them are one for `never` */

/* Several workers: does nothing keep short tasks from running where they are submitted? */
DFI_FAST int dfi_careless(void)
{
    return !(dfi_load_relaxed(&dfi_flow_pool.careful) | dfi_load_relaxed(&dfi_may_block));
}

/* May some tasks? */
DFI_FAST int dfi_careful_some(void) { return dfi_load_relaxed(&dfi_flow_pool.careful) < DFI_CAREFUL_NEVER; }

/* Adds reasons, or takes them away. Threads: any. */
static void dfi_careful_add(int by)
{
    struct dfi_worker *w = dfi_me();
    dfi_fetch_add_relaxed(&dfi_flow_pool.careful, by);
    if (w) dfi_lazy_ask(w); /* other workers see it at their next wait */
}

/* A task that is submitted is queued; a single worker runs it in its submission, if it is ready; or any worker does,
 * and it needs no record, because all earlier tasks are done, and it needs nothing but to run. */
enum { DFI_RUNS_LATER, DFI_RUNS_IF_READY, DFI_RUNS_NOW };
static int dfi_may_run_now_slow(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = w->scope;
    int runs = DFI_RUNS_NOW;
    if (dfi_tasks_of(w)->mutexes) return DFI_RUNS_LATER;
    if (dfi_up_may_run_now) runs = dfi_up_may_run_now(w, type);
    if (runs == DFI_RUNS_NOW && dfi_tasks_of(w)->opts && dfi_opts_matter(dfi_tasks_of(w)->opts))
        runs = DFI_RUNS_IF_READY;
    if (runs != DFI_RUNS_NOW || w->task) return runs;
    if (s->submitted == s->done && dfi_up_scope_waits) dfi_up_scope_waits(w, s); /* values may still be elsewhere */
    return s->submitted == s->done ? DFI_RUNS_NOW : DFI_RUNS_IF_READY;
}

/* A fast check, which also implies that there are no observers. */
DFI_FAST int dfi_may_run_now(struct dfi_worker *w)
{
    /* without a table, no task was registered in this scope, and none that its code must wait for */
    return DFI_LIKELY(!(dfi_load_relaxed(&dfi_flow_pool.careful) | dfi_tasks_of(w)->mutexes) &&
                      !dfi_tasks_of(w)->opts &&
                      (w->task ? !w->task->task.mem.special
                               : !dfi_flow_of(w->scope)->table && w->scope->submitted == w->scope->done)) != 0;
}

/* Tasks may block from now on: one that blocked inside its submission would wait for code below it on the same stack:
 * docs/internals/waiting.md, "Blocking". Threads: any. */
static void dfi_run_now_ends(void)
{
    if (!dfi_exchange_acq_rel(&dfi_flow_pool.careful_blocks, 1)) dfi_careful_add(DFI_CAREFUL_NEVER);
}

/* The pool starts, or its observers have changed. pre: pool lock */
static void dfi_careful_observers(void)
{
    int by = dfi_flow_pool.defer || dfi_up_submits || dfi_wanted(DFI_AT_TURN) ? (int)DFI_CAREFUL_NEVER : dfi_observed();
    dfi_careful_add(by - dfi_flow_pool.careful_start);
    dfi_flow_pool.careful_start = by;
}

/* The pool starts. defer: df_config.defer; observers are known. */
static void dfi_careful_begin(int defer)
{
    dfi_flow_pool.defer = defer;
    dfi_careful_observers();
    if (dfi_load_relaxed(&dfi_may_block) == DFI_MAY_WAIT) dfi_run_now_ends();
}

DFI_SMALL_CODE_END

#endif
