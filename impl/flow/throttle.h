/* throttle.h - throttling: a thread that submits faster than tasks are done makes room
 *
 * A scope has at most dfi_flow_pool.window unfinished children. Beyond that, its owner runs ready tasks or waits,
 * before it creates another one. */
#ifndef DFI_FLOW_THROTTLE_H
#define DFI_FLOW_THROTTLE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "nest.h"
#include "../work/stack.h"
#include "../work/find.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../work/supervise.h"
#include "moments.h"
#include "types.h"

enum {
    DFI_WINDOW_STEP = 32 /* a throttled worker makes room for 1/32 of the window at a time, because the records that it
                          * frees and reuses are then still in its first-level cache (with half the window: +12 ns) */
};

/* Tasks may wait for the code that w runs, which submits children of s: makes room in another way. Zero: there is no
 * need for that. */
DFI_UPCALL(int, dfi_up_throttle, (struct dfi_worker *w, struct dfi_scope *s));

/* Moves the count of children completed by others to the owner's counter. pre: s is open. */
static void dfi_take_over(struct dfi_scope *s)
{
    /* acquire: pairs with dfi_flow_release */
    if (dfi_load_relaxed(&s->pending)) s->submitted += (size_t)dfi_exchange_acq_rel(&s->pending, (intptr_t)0);
}

/* Runs entries of the own stack while s has at least that many unfinished children. Instead of a wait, which might not
 * end where the children wait for an action of the running code. */
static void dfi_run_some(struct dfi_worker *w, struct dfi_scope *s, size_t least)
{
    while (s->submitted - s->done >= least && dfi_run_own(w, s->mark, NULL))
        if (dfi_steal_requested(w)) dfi_poll(w);
}

DFI_SMALL_CODE_BEGIN
/* Throttles the submitting code. The scope has `window` unfinished children, as far as its owner has counted. */
static DFI_NOINLINE void dfi_throttle(struct dfi_worker *w, struct dfi_scope *s)
{
    if (!s->open) return; /* nested in a wait for s, which counts in `pending` */
    dfi_take_over(s);
    if (s->submitted - s->done < dfi_flow_pool.window || dfi_nested_deeply(w)) return;
    dfi_nest_begin(w);
    dfi_code_pause(w, 0);
    if (!dfi_up_throttle || !dfi_up_throttle(w, s)) {
        if (!dfi_up_owes || !dfi_up_owes())
            dfi_wait_until(w, s, dfi_flow_pool.window - 1 - dfi_flow_pool.window / DFI_WINDOW_STEP);
        else dfi_run_some(w, s, dfi_flow_pool.window);
    } /* else there is room, or no way to make room */
    dfi_offer(w);
    dfi_code_resume(w, 0);
    dfi_nest_end(w);
}
DFI_SMALL_CODE_END

#endif
