/* cancel.h - what cancellation wakes: waits of cancelled code, and functions that the program has set
 *
 * A wait that may end by cancellation looks at the cancellation of its code after it has announced that it sleeps. The
 * thread that cancels wakes the sleepers. Its stores and the loads of the sleepers are not sequentially consistent: a
 * wake-up that is lost comes with the next look, after DFI_LOOK_MS. */
#ifndef DFI_MORE_CANCEL_H
#define DFI_MORE_CANCEL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/cancel.h"
#include "../api/result.h"
#include "../work/module.h"
#include "../work/types.h"
#include "../work/wake.h"
#include "../work/worker.h"
#include "blocking.h"
#include "error.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

/* --- waits ---------------------------------------------------------------------------------------- */

/* Is the running code, whose scope is s, cancelled, and has no wait of it ended for that? Owner of s. */
static int dfi_interrupted(struct dfi_scope *s)
{
    return dfi_cancels_any() && !dfi_errors_in(s)->told && dfi_scope_cancelled(s);
}

/* The same for w. Then the wait that it is in ends, and further waits of the code do not. */
static int dfi_interrupts(struct dfi_worker *w)
{
    struct dfi_scope *s = dfi_scope_here(w);
    if (!s || !dfi_interrupted(s)) return 0;
    dfi_errors_in(s)->told = 1;
    return 1;
}
#define dfi_up_interrupts_by , dfi_interrupts

/* --- hooks ---------------------------------------------------------------------------------------- */

static struct dfi_cancel_hooks {
    struct dfi_os_mutex lock; /* of the list, and of `dfi_called` and `dfi_caller` of the hooks in it */
    df_cancel_hook *first;
    DFI_ATOMIC(int) count;
} dfi_cancel_hooks = { DFI_OS_MUTEX_INIT, NULL, 0 };

/* The address of the pointer to h, or to NULL if h is not set. pre: the lock */
static df_cancel_hook **dfi_cancel_hook_at(const df_cancel_hook *h)
{
    df_cancel_hook **at = &dfi_cancel_hooks.first;
    while (*at && *at != h) at = &(*at)->dfi_next;
    return at;
}

/* Calls h if its code is cancelled, without the lock. A hook that is set exists, and so does its scope. Zero: nothing
 * was called. pre: the lock */
static int dfi_cancel_hook_look(df_cancel_hook *h)
{
    if (h->dfi_called || !dfi_scope_cancelled((struct dfi_scope *)h->dfi_scope)) return 0;
    h->dfi_called = 1, h->dfi_caller = dfi_thread_id();
    dfi_os_unlock(&dfi_cancel_hooks.lock);
    h->dfi_fn(h->dfi_arg);
    dfi_os_lock(&dfi_cancel_hooks.lock);
    if (*dfi_cancel_hook_at(h)) h->dfi_caller = NULL; /* otherwise fn has cleared it */
    return 1;
}

/* Something has been cancelled. */
static void dfi_cancel_wakes(void)
{
    df_cancel_hook *h;
    if (!DFI_ALONE) dfi_wake_parked(DFI_PARKED_WAITING, 1);
    if (!dfi_load_seq_cst(&dfi_cancel_hooks.count)) return;
    dfi_os_lock(&dfi_cancel_hooks.lock);
    do for (h = dfi_cancel_hooks.first; h && !dfi_cancel_hook_look(h);) h = h->dfi_next;
    while (h); /* the list may have changed meanwhile */
    dfi_os_unlock(&dfi_cancel_hooks.lock);
}
#define dfi_up_cancels_by , dfi_cancel_wakes

DFI_EXTERN_C_BEGIN
DFI_API df_result (df_cancel_hook_set)(df_cancel_hook *h, void (*fn)(void *arg), void *arg)
{
    struct dfi_worker *w = dfi_me_attached();
    h->dfi_scope = w ? dfi_scope_here(w) : NULL;
    if (!h->dfi_scope) return DF_ERROR_MEMORY;
    h->dfi_fn = fn, h->dfi_arg = arg, h->dfi_called = 0, h->dfi_caller = NULL;
    dfi_os_lock(&dfi_cancel_hooks.lock);
    h->dfi_next = dfi_cancel_hooks.first, dfi_cancel_hooks.first = h;
    /* seq_cst, then the look; the thread that cancels loads the count after its own read-modify-write */
    dfi_fetch_add_seq_cst(&dfi_cancel_hooks.count, 1);
    dfi_cancel_hook_look(h);
    dfi_os_unlock(&dfi_cancel_hooks.lock);
    return DF_OK;
}

DFI_API int (df_cancel_hook_clear)(df_cancel_hook *h)
{
    df_cancel_hook **at;
    if (!h->dfi_scope) return 0;
    dfi_os_lock(&dfi_cancel_hooks.lock);
    while (h->dfi_caller && h->dfi_caller != dfi_thread_id()) { /* another thread is in its call */
        dfi_os_unlock(&dfi_cancel_hooks.lock);
        dfi_os_sleep_ms();
        dfi_os_lock(&dfi_cancel_hooks.lock);
    }
    if (*(at = dfi_cancel_hook_at(h))) {
        *at = h->dfi_next;
        dfi_fetch_sub_seq_cst(&dfi_cancel_hooks.count, 1);
    }
    dfi_os_unlock(&dfi_cancel_hooks.lock);
    h->dfi_scope = NULL;
    return h->dfi_called;
}
DFI_EXTERN_C_END

static void dfi_module_cancel(const struct dfi_moment *m)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    if (m->is != DFI_FORK_CHILD) return;
    dfi_cancel_hooks.lock = fresh; /* another thread of the parent may have had it; */
    dfi_cancel_hooks.first = NULL; /* the tasks of the hooks are the parent's */
    dfi_store_relaxed(&dfi_cancel_hooks.count, 0);
}

DFI_SMALL_CODE_END

#endif
