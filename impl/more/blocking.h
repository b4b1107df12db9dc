/* blocking.h - calls that block a task: df_yield_blocking, df_mutex, and the sleep of df_retry
 *
 * A spare thread takes the place of the worker meanwhile (more/spare.h). */
#ifndef DFI_MORE_BLOCKING_H
#define DFI_MORE_BLOCKING_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/hooks.h"
#include "../api/result.h"
#include "../work/director.h"
#include "../work/module.h"
#include "../work/tables.h"
#include "../work/types.h"
#include "../work/wait.h"
#include "../work/worker.h"
#include "../api/blocking.h"
#include "../api/error.h"
#include "spare.h"

DFI_SMALL_CODE_BEGIN

/* w is about to sleep, and to look from time to time. */
DFI_UPCALL(void, dfi_up_looks_begin, (struct dfi_worker *w));
/* Is the code that w runs cancelled, so that its wait ends? Once in each body or block. */
DFI_UPCALL(int, dfi_up_interrupts, (struct dfi_worker *w));
/* The code that w runs has failed with that error, which cancels nothing. */
DFI_UPCALL(void, dfi_up_remembers, (struct dfi_worker *w, int code, const char *text));

enum {
    DFI_LOCK_SPINS = 100, /* attempts on a df_mutex before blocking, 2 us: longer than most critical sections */
    DFI_LOCK_EVENTS = 16  /* events for the sleepers on all mutexes, hashed by address */
};

static struct dfi_os_event dfi_lock_event[DFI_LOCK_EVENTS];
static struct dfi_os_mutex dfi_lock_events_lock = DFI_OS_MUTEX_INIT;
static DFI_ATOMIC(int) dfi_lock_events_ready; /* written under the lock */

static DFI_ATOMIC(int) *dfi_retry_flag(void)
{
    struct dfi_worker *w = dfi_me();
    return w ? &dfi_blocks_of(w)->retry_awake : NULL;
}

/* Sleeps in df_retry until *awake, while a spare takes the caller's place. Nonzero: the block ends, because the caller
 * is cancelled, or no task is left that could change the memory that the block has read. */
static int dfi_retry_sleep(const char *site, struct dfi_os_event *e, DFI_ATOMIC(int) *awake)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_wait wait;
    int stuck = 0, ends = 0, begun;
    if (!w) {
        dfi_os_event_wait(e, awake, 0, 0);
        return 0;
    }
    if (w->task) dfi_scope_here(w); /* as in dfi_help_until */
    dfi_wait_enter(w, &wait, DFI_WAIT_OUTSIDE, "df_retry", site);
    begun = !dfi_block_begin(w);
    dfi_turn_drop(w);
    if (!begun) dfi_os_event_wait(e, awake, 0, 0);
    else {
        dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_ASLEEP_RETRY);
        if (dfi_up_looks_begin) dfi_up_looks_begin(w);
        while (!stuck && !ends && dfi_os_event_wait(e, awake, 0, DFI_LOOK_MS)) {
            if (!dfi_turn_look(w)) continue;
            if (dfi_up_look) dfi_up_look(w);
            ends = dfi_up_interrupts && dfi_up_interrupts(w);
            stuck = dfi_load_seq_cst(&dfi_blocks_of(w)->asleep) == DFI_ASLEEP_DEADLOCK;
            dfi_turn_drop(w);
        }
        dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_NOT_ASLEEP);
    }
    dfi_turn_take(w);
    if (begun) dfi_block_end();
    dfi_wait_leave(w, &wait);
    if (!stuck) return ends;
    dfi_error(DFI_MESSAGE_RETRY_STUCK, site);
    if (dfi_up_remembers) dfi_up_remembers(w, DF_ERROR_STUCK, df_error_text(DF_ERROR_STUCK));
    return 1;
}

static size_t dfi_lock_bucket(const df_mutex *m) { return (uintptr_t)m / sizeof *m % DFI_LOCK_EVENTS; }

/* The event for sleepers on m. It exists before any thread sleeps on m, so unlocking needs no check. */
static struct dfi_os_event *dfi_lock_event_of(df_mutex *m)
{
    int i;
    if (!dfi_load_acquire(&dfi_lock_events_ready)) {
        dfi_os_lock(&dfi_lock_events_lock);
        for (i = 0; i < DFI_LOCK_EVENTS && !dfi_load_relaxed(&dfi_lock_events_ready); i++)
            dfi_os_event_init(&dfi_lock_event[i]);
        dfi_store_release(&dfi_lock_events_ready, 1);
        dfi_os_unlock(&dfi_lock_events_lock);
    }
    return &dfi_lock_event[dfi_lock_bucket(m)];
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_yield(const char *what, const char *site, void (*fn)(void *arg), void *arg)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_wait wait;
    int begun;
    if (!w) {
        fn(arg);
        return;
    }
    dfi_wait_enter(w, &wait, DFI_WAIT_OUTSIDE, what, site);
    begun = !dfi_block_begin(w);
    dfi_turn_drop(w);
    fn(arg);
    dfi_turn_take(w);
    if (begun) dfi_block_end();
    dfi_wait_leave(w, &wait);
}
DFI_API void dfi_yield_here(void (*fn)(void *arg), void *arg, const char *site)
{
    dfi_yield("df_yield_blocking", site, fn, arg);
}
DFI_API void (df_yield_blocking)(void (*fn)(void *arg), void *arg) { dfi_yield_here(fn, arg, NULL); }

/* The number of df_mutexes that this thread holds. Its worker has a copy (flow/careful.h). */
static DFI_TLS int dfi_mutexes;

static void dfi_mutex_count(int more)
{
    struct dfi_worker *w = dfi_me_or_host();
    dfi_mutexes += more;
    if (w) dfi_tasks_of(w)->mutexes = dfi_mutexes;
}

static void dfi_mutex_taken(df_mutex *m, const char *site)
{
    dfi_store_relaxed(&m->dfi_owner, dfi_thread_id());
    dfi_store_relaxed(&m->dfi_site, site);
    dfi_mutex_count(1);
}

DFI_API df_result dfi_mutex_trylock_here(df_mutex *m, const char *site)
{
    int free = 0; /* acquire: pairs with the exchange in df_mutex_unlock */
    if (!dfi_cas_acq_rel(&m->dfi_state, &free, 1)) return DF_ERROR_DEADLOCK;
    dfi_mutex_taken(m, site);
    return DF_OK;
}
DFI_API df_result (df_mutex_trylock)(df_mutex *m) { return dfi_mutex_trylock_here(m, NULL); }

static DFI_COLD df_result dfi_mutex_again(df_mutex *m, const char *site)
{
    const char *since = dfi_load_relaxed(&m->dfi_site);
    dfi_error("%s%sdf_mutex_lock of a lock that the calling thread has held since %s: it is not locked again, and the "
              "call returns DF_ERROR_DEADLOCK; unlock it first", site ? site : "", site ? ": " : "",
              since ? since : "an earlier call");
    return DF_ERROR_DEADLOCK;
}

/* States: 0 free, 1 held, 2 held with possible sleepers (Drepper, "Futexes are tricky", 2011). */
DFI_API df_result dfi_mutex_lock_here(df_mutex *m, const char *site)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_wait wait;
    struct dfi_os_event *e;
    int i, begun = 0;
    for (i = 0; i < DFI_LOCK_SPINS; i++) {
        if (!dfi_load_relaxed(&m->dfi_state) && dfi_mutex_trylock_here(m, site) == DF_OK) return DF_OK;
        if (dfi_load_relaxed(&m->dfi_owner) == dfi_thread_id()) return dfi_mutex_again(m, site);
        dfi_os_pause();
    }
    e = dfi_lock_event_of(m);
    if (w) {
        dfi_wait_enter(w, &wait, DFI_WAIT_LOCK, m, site);
        begun = !dfi_block_begin(w);
    }
    while (dfi_exchange_acq_rel(&m->dfi_state, 2)) {
        if (w) dfi_turn_drop(w);
        /* a replay knows when the thread woke */
        if (!w || !dfi_replays()) dfi_os_event_wait(e, &m->dfi_state, 2, 0);
        if (w) dfi_turn_take(w);
    }
    if (begun) dfi_block_end();
    if (w) dfi_wait_leave(w, &wait);
    dfi_mutex_taken(m, site);
    return DF_OK;
}
DFI_API df_result (df_mutex_lock)(df_mutex *m) { return dfi_mutex_lock_here(m, NULL); }

DFI_API void df_mutex_unlock(df_mutex *m)
{
    struct dfi_os_event *e;
    if (dfi_load_relaxed(&m->dfi_owner) != dfi_thread_id()) {
        dfi_error("df_mutex_unlock of a lock that the calling thread does not hold: no effect; unlock on the thread "
                  "that locked");
        return;
    }
    dfi_store_relaxed(&m->dfi_owner, NULL);
    dfi_mutex_count(-1);
    /* release: publishes the critical section. Afterwards m may be freed, so only its event is accessed. */
    e = &dfi_lock_event[dfi_lock_bucket(m)];
    if (dfi_exchange_acq_rel(&m->dfi_state, 0) == 2) dfi_os_event_wake_all(e);
}
DFI_EXTERN_C_END

/* --- module ------------------------------------------------------------------------------------- */

static const struct dfi_df_hooks dfi_blocking_hooks = { dfi_retry_sleep, dfi_retry_flag };

static void dfi_module_blocking(const struct dfi_moment *m)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    if (m->is == DFI_POOL_READY) dfi_store_release(&dfi_df_hooks, &dfi_blocking_hooks); /* release: relaxed would do */
    else if (m->is == DFI_POOL_FORGETS) dfi_store_release(&dfi_df_hooks, (const struct dfi_df_hooks *)NULL);
    else if (m->is == DFI_THREAD_JOINS) {
        dfi_tasks_of(m->w)->mutexes = dfi_mutexes;
        if (dfi_retry_stuck && dfi_up_remembers) dfi_up_remembers(m->w, DF_ERROR_STUCK, df_error_text(DF_ERROR_STUCK));
        dfi_retry_stuck = 0;
    } else if (m->is == DFI_FORK_CHILD) dfi_lock_events_lock = fresh, dfi_store_relaxed(&dfi_lock_events_ready, 0);
}

DFI_SMALL_CODE_END

#endif
