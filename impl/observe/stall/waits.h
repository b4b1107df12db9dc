/* waits.h - records of the waits of threads, for stall reports (observe/stall/report.h)
 *
 * Only while DFI_WATCH_STALL is among the active observers. A wait is a record on the stack of its
 * thread, in a list with the newest first; so are the running bodies (observe/probes.h). Both lists
 * of a worker are changed and read under its `watch_lock`. So the records read there stay, and so
 * does everything that the thread cannot leave before it removes its record. Argument:
 * docs/memory-order.md, "Stalls". */
#ifndef DFI_OBSERVE_STALL_WAITS_H
#define DFI_OBSERVE_STALL_WAITS_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../os/wait.h"
#include "../../work/types.h"
#include "../events.h"

static void dfi_stall_end(void);

/* The identity of a lock's holder: an address that only this thread has. */
static void *dfi_thread_id(void) { return (void *)&dfi_self; }

static int dfi_stall_on(void) { return DFI_UNLIKELY(dfi_load_relaxed(&dfi_watching) & DFI_WATCH_STALL) != 0; }

/* Locks around each change of a list. pre: dfi_stall_on(); the caller is the owner of w */
static void dfi_stall_change(struct dfi_worker *w)
{
    dfi_os_lock(&w->watch_lock);
    w->thread_id = dfi_thread_id();
    dfi_store_relaxed(&w->n_changes, dfi_load_relaxed(&w->n_changes) + 1);
}

static DFI_COLD void dfi_stall_wait_begin(struct dfi_worker *w, struct dfi_wait *x)
{
    x->in = dfi_load_relaxed(&w->running);
    x->since = dfi_ticks();
    dfi_stall_change(w);
    x->outer = w->waits, w->waits = x;
    dfi_os_unlock(&w->watch_lock);
}
static DFI_COLD void dfi_stall_wait_end(struct dfi_worker *w, struct dfi_wait *x)
{
    dfi_stall_change(w);
    w->waits = x->outer;
    dfi_os_unlock(&w->watch_lock);
}

#endif
