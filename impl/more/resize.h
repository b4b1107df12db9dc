/* resize.h - df_workers_set: a number of workers that changes while the pool runs
 *
 * A helper that is one too many finishes its present task, leaves its ready tasks to the others and rests. It keeps
 * its thread, its index and the tasks that are pinned to it. Argument: docs/internals/work.md, "A number of workers
 * that changes". */
#ifndef DFI_MORE_RESIZE_H
#define DFI_MORE_RESIZE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/pool.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "../work/wait.h"
#include "../work/wake.h"
#include "../work/worker.h"
#include "spare.h"
#include "../api/workers.h"

#if !defined(DF_SERIAL)
DFI_SMALL_CODE_BEGIN

/* --- a helper that rests ------------------------------------------------------------------------ */

/* Moves all ready tasks of w to the queue, where each worker finds each of them. Runs those for which there is no
 * memory. pre: w is idle */
static void dfi_rest_leave(struct dfi_worker *w)
{
    do dfi_block_share(w, 1);
    while (dfi_run_own(w, 0, NULL));
}

/* Sleeps while w is one too many, except for tasks that only w may run. Zero: the pool stops. pre: w is idle */
static int dfi_rest(struct dfi_worker *w)
{
    struct dfi_stolen stolen;
    struct dfi_wait x;
    int found;
    if (dfi_stopping()) return 0;
    dfi_wait_enter(w, &x, DFI_WAIT_IDLE, NULL, NULL);
    dfi_rest_leave(w);
    /* a thread that published work may have woken w, or relied on w to search */
    dfi_wake_for_missed_work();
    while (dfi_load_seq_cst(&w->retires) && !dfi_stopping()) {
        /* seq_cst, then check; pairs with dfi_workers_resize, dfi_ready_special and dfi_stop_signal */
        dfi_store_seq_cst(&w->park, (int)DFI_PARKED_REST);
        found = dfi_up_find_pinned(w, &stolen);
        if (!found && dfi_load_seq_cst(&w->retires) && !dfi_stopping()) {
            dfi_at_sleep(w);
            dfi_os_event_wait(&w->event, &w->park, DFI_PARKED_REST, 0);
            dfi_at_woke(w);
        }
        dfi_store_seq_cst(&w->park, (int)DFI_AWAKE);
        if (!found) continue;
        dfi_run_stolen(w, &stolen, NULL);
        if (dfi_stopping() != DFI_STOP_NOW) dfi_rest_leave(w);
        w->outside = (unsigned)dfi_seeded();
    }
    dfi_wait_leave(w, &x);
    return !dfi_stopping();
}
#define dfi_up_rest_by , dfi_rest

/* --- the change --------------------------------------------------------------------------------- */

/* Changes the number of workers to n, or to as many as memory and the system allow. pre: pool lock; the pool runs */
static void dfi_workers_resize(int n)
{
    int i, now = dfi_load_relaxed(&dfi_pool.n_workers);
    struct dfi_worker *h;
    /* release: in dfi_helpers_start. seq_cst: `retires` before `park`; pairs with dfi_park and dfi_rest */
    if (n < now) dfi_store_release(&dfi_pool.n_workers, n);
    for (i = n; i < now; i++) {
        h = dfi_worker_of(i);
        dfi_store_seq_cst(&h->retires, 1);
        dfi_wake(h, DFI_PARKED_IDLE);
    }
    for (i = now; i < n && (h = dfi_worker_of(i)) != NULL; i++) { /* it rests, or has not noticed that it should */
        dfi_store_seq_cst(&h->retires, 0);
        dfi_store_release(&dfi_pool.n_workers, i + 1);
        dfi_wake(h, DFI_PARKED_REST);
    }
    dfi_helpers_start(n);
}

DFI_SMALL_CODE_END
#endif

DFI_EXTERN_C_BEGIN
DFI_API int (df_workers_set)(int n)
{
#if !defined(DF_SERIAL)
    struct dfi_worker *w;
    int now;
#endif
    if (n < 1) {
        dfi_error("df_workers_set(%d): the number of workers stays %d; use a number from 1", n, df_workers());
        return df_workers();
    }
#if defined(DF_SERIAL)
    return df_workers();
#else
    if (n > DFI_WORKERS_MOST) {
        dfi_warn_once("df_workers_set(%d): at most %d workers are used", n, DFI_WORKERS_MOST);
        n = DFI_WORKERS_MOST;
    }
    if (!(w = dfi_me_attached())) return 1;
    if (dfi_turns()) {
        dfi_warn_once("df_workers_set: the number of workers stays %d while DF_SCHEDULE records or replays this run",
                      dfi_workers());
        return dfi_workers();
    }
    dfi_os_lock(&dfi_pool_lock);
    if (dfi_load_relaxed(&dfi_pool.running)) dfi_workers_resize(n);
    now = dfi_workers();
    dfi_os_unlock(&dfi_pool_lock);
    /* a single worker publishes nothing */
    if (w && now > 1) dfi_share(w);
    return now;
#endif
}
DFI_EXTERN_C_END

#endif
