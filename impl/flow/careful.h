/* careful.h - may a submitted task run inside its submission?
 *
 * With one worker, all earlier tasks have usually run in that way, in their order. Then a task needs no record and no
 * dependence analysis. But df_config.defer, observers, supervision, and upper floors can need the record, or that the
 * task runs later. Each adds DFI_CAREFUL_NEVER or DFI_CAREFUL_ASK to dfi_flow_pool.careful while that is so. */
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

/* NEVER: no task may; ASK: some may, which dfi_may_run_now_slow decides. If there are too many that ask, none may. */
enum { DFI_CAREFUL_ASK = 1, DFI_CAREFUL_NEVER = 1 << 16 };

/* Threads: any. */
static void dfi_careful(int by)
{
    struct dfi_worker *w = dfi_me();
    dfi_fetch_add_relaxed(&dfi_flow_pool.careful, by);
    if (w) dfi_lazy_ask(w); /* other workers see it at their next wait */
}

/* With one worker: are all earlier tasks done, and does the task need nothing but to run? */
static DFI_NOINLINE int dfi_may_run_now_slow(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = w->scope;
    if (dfi_load_relaxed(&dfi_flow_pool.careful) >= DFI_CAREFUL_NEVER) return 0;
    if (dfi_tasks_of(w)->opts && dfi_opts_matter(dfi_tasks_of(w)->opts)) return 0;
    if (dfi_up_may_run_now && !dfi_up_may_run_now(w, type)) return 0;
    if (w->task) return 1;
    if (s->submitted == s->done && dfi_up_scope_waits) dfi_up_scope_waits(w, s); /* values may still be elsewhere */
    return s->submitted == s->done;
}

/* A fast check, which also implies that there are no observers. */
DFI_FAST int dfi_may_run_now(struct dfi_worker *w)
{
    /* without a table, no task was registered in this scope, and none that its code must wait for */
    return DFI_LIKELY(!dfi_load_relaxed(&dfi_flow_pool.careful) && !dfi_tasks_of(w)->opts &&
                      (w->task ? !w->task->task.mem.special
                               : !dfi_flow_of(w->scope)->table && w->scope->submitted == w->scope->done)) != 0;
}

/* Tasks may block from now on: one that blocked inside its submission would wait for code below it on the same stack:
 * docs/internals/waiting.md, "Blocking". Threads: any. */
static void dfi_run_now_ends(void)
{
    if (!dfi_exchange_acq_rel(&dfi_flow_pool.careful_blocks, 1)) dfi_careful(DFI_CAREFUL_NEVER);
}

/* The pool starts, or its observers have changed. pre: pool lock */
static void dfi_careful_observers(void)
{
    int by = dfi_flow_pool.defer || dfi_up_submits || dfi_wanted(DFI_AT_TURN) ? (int)DFI_CAREFUL_NEVER
             : dfi_observed() ? (int)DFI_CAREFUL_ASK : 0;
    dfi_careful(by - dfi_flow_pool.careful_start);
    dfi_flow_pool.careful_start = by;
}

/* The pool starts. defer: df_config.defer; observers are known. */
static void dfi_careful_begin(int defer)
{
    dfi_flow_pool.defer = defer;
    dfi_careful_observers();
    if (dfi_load_relaxed(&dfi_may_block)) dfi_run_now_ends();
}

DFI_SMALL_CODE_END

#endif
