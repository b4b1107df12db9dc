/* waits.h - df_wait and df_wait_on */
#ifndef DFI_FLOW_WAITS_H
#define DFI_FLOW_WAITS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/worker.h"
#include "../work/goal.h"
#include "../work/wake.h"
#include "../work/help.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "supervise.h"
#include "types.h"
#include "../work/director.h"
#include "../work/probe.h"
#include "at_once.h"
#include "edge.h"
#include "moments.h"
#include "region.h"
#include "submit.h"
#include "../api/core.h"
#include "../api/wait.h"

DFI_SMALL_CODE_BEGIN

struct dfi_wait_on { DFI_ATOMIC(intptr_t) *flag; struct dfi_worker *waiter; };

static void dfi_wait_on_run(void *args, void *result)
{
    struct dfi_wait_on a = *(struct dfi_wait_on *)args;
    (void)result;
    dfi_internal_counted();
    dfi_store_seq_cst(a.flag, (intptr_t)1); /* the flag is on the waiting thread's stack, and gone from here on */
    dfi_wake_waiting(a.waiter);
}

static const struct dfi_type dfi_wait_on_type = {
    dfi_wait_on_run, "df_wait_on", 0, 0, sizeof(struct dfi_wait_on), DFI_INTERNAL, NULL };

/* May the running code come after tasks that its scope knows? A body with weak accesses does, before it has children.
 * w may be NULL. */
static int dfi_comes_after_any(struct dfi_worker *w)
{
    if (!w) return 0;
    dfi_create(w);
    if (DFI_UNLIKELY(w->task && w->task->parts)) dfi_scope_here(w);
    return !w->task && dfi_flow_of(w->scope)->table;
}

/* Waits until the existing children that conflict with the accesses x are done. */
static void dfi_wait_for(struct dfi_worker *w, struct dfi_access *x, unsigned n, const char *site)
{
    DFI_ATOMIC(intptr_t) flag;
    struct dfi_wait_on a;
    struct dfi_task *t;
    struct dfi_goal g;
    if (!w) dfi_fork_left();
    if (!dfi_comes_after_any(w)) return;
    dfi_asked(w, DFI_DOES_AWAIT, NULL);
    if (!(t = dfi_task_new(&dfi_wait_on_type)) || t == DFI_BARE) {
        if (t && dfi_up_bare_waits) dfi_up_bare_waits(w, w->scope);
        if (t) dfi_wait_before(w, w->scope, NULL, x, n);
        if (dfi_up_waited_for && dfi_load_relaxed(&dfi_flow_pool.asks)) dfi_up_waited_for(w, x, n);
        return;
    }
    dfi_store_relaxed(&flag, (intptr_t)0);
    a.flag = &flag, a.waiter = w;
    memcpy(t->args, (void *)&a, sizeof a);
    dfi_at_until(w, (struct dfi_flow *)(void *)t);
    dfi_submit(t, x, n);
    g.kind = DFI_GOAL_FLAG, g.scope = w->scope, g.flag = &flag;
    dfi_wait_helping(w, w->scope->mark, &g, DFI_WAIT_TASK, t, site);
    if (dfi_up_waited_for && DFI_UNLIKELY(dfi_load_relaxed(&dfi_flow_pool.asks))) dfi_up_waited_for(w, x, n);
}

/* Is there nothing to wait for, nobody to tell, and nothing that a wait ends? As for tasks that ran immediately.
 * relaxed: if pending is 0 and as many are done as were submitted, this worker has counted each child itself, and has
 * acquired those that others ran when it took over their count (dfi_take_over, dfi_wait_until). */
DFI_FAST int dfi_wait_is_over(struct dfi_worker *w)
{
    const struct dfi_scope *s = w->scope;
    return !DFI_SUPERVISED && !DFI_FOR_SIZE && dfi_may_run_now(w) && s->open && w->head <= s->mark &&
           !dfi_load_relaxed(&s->pending) &&
           !(dfi_scope_asks(s) | dfi_load_relaxed(&dfi_flow_pool.asks));
}

DFI_EXTERN_C_BEGIN
DFI_API DFI_OWN_FRAME void dfi_wait_here(const char *site)
{
    struct dfi_worker *w = dfi_me();
    DFI_UNSYNCED(w);
    if (DFI_UNLIKELY(!w)) dfi_fork_left();
    if (!w || (!DFI_ALONE && dfi_lazy_waits(w)) || w->task || dfi_wait_is_over(w)) return;
    DFI_CALLED(w);
    dfi_at_site(w, site);
    dfi_wait_all(w, w->scope);
    if (!DFI_ALONE) dfi_lazy_waited(w);
    dfi_at_children(w);
    if (dfi_up_waited) dfi_up_waited(w, w->scope);
    dfi_turn_outside(w);
}

DFI_API DFI_OWN_FRAME void dfi_wait_on_list_here(const df_region *list, int n, const char *site)
{
    struct dfi_access x[DFI_PARAMETERS];
    struct dfi_worker *w = dfi_me();
    DFI_CALLED(w);
    DFI_UNSYNCED(w);
    while (n > 0) {
        const int most = n < DFI_PARAMETERS ? n : DFI_PARAMETERS;
        int i;
        for (i = 0; i < most; i++, list++) {
            struct dfi_region r;
            dfi_access_block(&x[i], list->mode & DFI_WRITES ? DFI_INOUT : DFI_IN, DFI_NO_ARG, list->p, list->rows,
                             list->bytes, list->distance);
            r = dfi_region_of(&x[i]);
            if (DFI_UNLIKELY(dfi_region_is_all(&r)))
                dfi_error("%s%sdf_wait_on: the size is larger than the memory behind the address: it waits for all "
                          "tasks that write; correct the size", site ? site : "", site ? ": " : "");
        }
        n -= most;
        dfi_wait_for(w, x, (unsigned)most, site);
        if (w && dfi_up_waited_on)
            for (i = 0; i < most; i++) dfi_up_waited_on(w, &x[i]);
    }
}

DFI_API void (df_wait)(void) { dfi_wait_here(NULL); }
DFI_API void (df_wait_on)(const void *p, size_t bytes) { dfi_wait_on_here(dfi_region_bytes_at(p, bytes), NULL); }
DFI_API void (df_wait_on_list)(const df_region *list, int n) { dfi_wait_on_list_here(list, n, NULL); }
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
