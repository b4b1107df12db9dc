/* blocking.h - tasks that block: spare threads take the places of blocked workers
 *
 * A spare is a helper beyond the number of workers. Spare k works while more than k workers block, and sleeps
 * otherwise, so the number of threads that run tasks is always the number of workers. */
#ifndef DFI_WORK_BLOCKING_H
#define DFI_WORK_BLOCKING_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../os/wait.h"
#include "../api/result.h"
#include "blocks.h"
#include "module.h"
#include "pool.h"
#include "worker.h"
#include "goal.h"
#include "wake.h"
#include "stack.h"
#include "help.h"
#include "tables.h"
#include "thread_end.h"
#include "types.h"
#include "../more/deadlock.h"
#include "../more/error.h"
#include "../observe/check/check.h"
#include "../observe/check/view.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/stall/waits.h"
#include "../api/public.h"

enum {
    DFI_LOCK_SPINS = 100, /* attempts on a df_mutex before blocking, 2 us: longer than most critical sections */
    DFI_LOCK_EVENTS = 16  /* events for the sleepers on all mutexes, hashed by address */
};

static struct dfi_os_event dfi_lock_event[DFI_LOCK_EVENTS];
static DFI_ATOMIC(int) dfi_lock_events_ready; /* written under the pool lock */

static void *dfi_spare(void *p);

/* Starts a spare if one is missing. -1: one is missing, and the system or the pool cannot provide it. */
static int dfi_spare_start(void)
{
    struct dfi_worker *h;
    int missing = 0;
    while (!dfi_os_trylock(&dfi_pool_lock)) { /* df_stop holds the lock while it waits for this task */
        if (!dfi_load_seq_cst(&dfi_pool.running)) return 0;
        dfi_os_yield();
    }
    if (dfi_load_seq_cst(&dfi_pool.running) &&
        dfi_load_seq_cst(&dfi_pool.spares) < dfi_load_seq_cst(&dfi_pool.blocked)) {
        missing = -1;
        if ((h = dfi_worker_take(dfi_pool.deque)) != NULL) {
            h->spare = dfi_fetch_add_seq_cst(&dfi_pool.spares, 1);
            h->index = dfi_pool.n_workers + h->spare;
            h->pin = -1;
            if (!dfi_helper_start(h, dfi_spare)) missing = 0;
            else {
                dfi_fetch_sub_seq_cst(&dfi_pool.spares, 1);
                dfi_warn_once("no thread can be started in the place of one that blocks (%d block now): its worker "
                              "is missing meanwhile; raise the limit on threads, or let fewer tasks block at a time",
                              dfi_load_seq_cst(&dfi_pool.blocked));
            }
        }
    }
    dfi_os_unlock(&dfi_pool_lock);
    return missing;
}

static void *dfi_spare(void *p)
{
    struct dfi_worker *w = (struct dfi_worker *)p;
    struct dfi_goal g;
    int sleeps;
    dfi_be(w);
    dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
    dfi_exit_watch();
    DFI_MODULES(thread, (w, DFI_THREAD_HELPS));
    g.kind = DFI_GOAL_SPARE, g.scope = NULL, g.future = NULL, g.flag = NULL, g.spare = w->spare;
    for (;;) {
        dfi_baton_take(w);
        dfi_wait_helping(w, 0, &g, DFI_WAIT_IDLE, NULL, NULL);
        dfi_outbox_flush(w);
        dfi_share(w);
        dfi_wake_if_work(); /* another thread may have relied on this one to look for work */
        if (dfi_load_seq_cst(&dfi_pool.stopping)) break;
        /* seq_cst, then check; pairs with dfi_block_begin, which counts and then wakes */
        dfi_store_seq_cst(&w->park, DFI_PARKED_SPARE);
        sleeps = dfi_goal_met(&g) && !dfi_load_seq_cst(&dfi_pool.stopping);
        if (sleeps) {
            dfi_baton_drop(w);
            dfi_os_event_wait(&w->event, &w->park, DFI_PARKED_SPARE, 0);
        }
        dfi_store_seq_cst(&w->park, DFI_AWAKE);
    }
    dfi_helper_ends();
    return NULL;
}

static void dfi_block_end(void)
{
    struct dfi_worker *w = dfi_me();
    if (w) w->blocking--;
    dfi_fetch_sub_seq_cst(&dfi_pool.blocked, 1);
}

/* Publishes the ready tasks on the caller's stack, because the caller is about to block. The deque offers a worker
 * that waits for a scope only its oldest entry, and possibly no other worker is left to steal that entry; the queue
 * offers each task. all == 0: the caller blocks for a short time, and tasks that fit into the deque may stay there. */
static void dfi_block_share(struct dfi_worker *w, int all)
{
    size_t split;
    dfi_outbox_flush(w);
    dfi_share(w);
    do {
        split = w->split;
        if ((!all && w->head == split) || dfi_stack_to_queue(w)) return;
        dfi_share(w);
    } while (w->split != split);
}

/* Counts the caller as blocked. pre: it has shared its tasks. -1: there is no spare, and the caller is not counted. */
static int dfi_block_count(void)
{
    int i, n, k = dfi_fetch_add_seq_cst(&dfi_pool.blocked, 1);
    if (dfi_me()) dfi_me()->blocking++;
    if (k >= dfi_load_seq_cst(&dfi_pool.spares)) {
        if (!dfi_spare_start()) return 0;
        dfi_block_end();
        return -1;
    }
    for (i = 0, n = dfi_load_acquire(&dfi_pool.n_slots); i < n; i++)
        dfi_wake(dfi_load_acquire(&dfi_pool.slot[i]), DFI_PARKED_SPARE); /* surplus spares park again */
    return 0;
}

static DFI_ATOMIC(int) *dfi_retry_flag(void)
{
    struct dfi_worker *w = dfi_me();
    return w ? &w->retry_awake : NULL;
}

static int dfi_block_begin(struct dfi_worker *w)
{
    dfi_block_share(w, 1);
    return dfi_block_count();
}

/* Sleeps in df_retry until *awake, while a spare takes the caller's place. Nonzero: no task is left that could change
 * the memory that the block has read. */
static int dfi_retry_sleep(const char *site, struct dfi_os_event *e, DFI_ATOMIC(int) *awake)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_wait wait;
    struct dfi_scope *s;
    int stuck = 0, begun;
    if (!w) {
        dfi_os_event_wait(e, awake, 0, 0);
        return 0;
    }
    dfi_wait_enter(w, &wait, DFI_WAIT_OUTSIDE, "df_retry", site);
    begun = !dfi_block_begin(w);
    dfi_baton_drop(w);
    if (!begun) dfi_os_event_wait(e, awake, 0, 0);
    else {
        dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP_RETRY);
        w->looks = 0;
        while (!stuck && dfi_os_event_wait(e, awake, 0, DFI_LOOK_MS)) {
            if (!dfi_baton_look(w)) continue;
            dfi_stuck_look(w);
            stuck = dfi_load_seq_cst(&w->asleep) == DFI_ASLEEP_STUCK;
            dfi_baton_drop(w);
        }
        dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
    }
    dfi_baton_take(w);
    if (begun) dfi_block_end();
    dfi_wait_leave(w, &wait);
    if (!stuck) return 0;
    dfi_error("%s: df_retry waits for a change, but nothing is left that could write what the atomic block has "
              "read: the block is rolled back and left, as by df_abort; submit the task that writes it", site);
    if ((s = dfi_scope_of_caller(w)) != NULL) dfi_scope_set_error(s, DF_ERROR_STUCK, df_error_text(DF_ERROR_STUCK));
    return 1;
}

static size_t dfi_lock_bucket(const df_mutex *m) { return (uintptr_t)m / sizeof *m % DFI_LOCK_EVENTS; }

/* The event for sleepers on m. It exists before any thread sleeps on m, so unlocking needs no check. */
static struct dfi_os_event *dfi_lock_event_of(df_mutex *m)
{
    int i;
    if (!dfi_load_acquire(&dfi_lock_events_ready)) {
        dfi_os_lock(&dfi_pool_lock);
        for (i = 0; i < DFI_LOCK_EVENTS && !dfi_load_relaxed(&dfi_lock_events_ready); i++)
            dfi_os_event_init(&dfi_lock_event[i]);
        dfi_store_release(&dfi_lock_events_ready, 1);
        dfi_os_unlock(&dfi_pool_lock);
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
    dfi_baton_drop(w);
    fn(arg);
    dfi_baton_take(w);
    if (begun) dfi_block_end();
    dfi_wait_leave(w, &wait);
}
DFI_API void dfi_yield_here(const char *site, void (*fn)(void *arg), void *arg)
{
    dfi_yield("df_yield_blocking", site, fn, arg);
}
DFI_API void (df_yield_blocking)(void (*fn)(void *arg), void *arg) { dfi_yield_here(NULL, fn, arg); }

static void dfi_mutex_taken(df_mutex *m, const char *site)
{
    dfi_store_relaxed(&m->dfi_owner, dfi_thread_id());
    dfi_store_relaxed(&m->dfi_site, site);
}

DFI_API df_result dfi_mutex_trylock_here(const char *site, df_mutex *m)
{
    int free = 0; /* acquire: pairs with the exchange in df_mutex_unlock */
    if (!dfi_cas_acq_rel(&m->dfi_state, &free, 1)) return DF_ERROR_DEADLOCK;
    dfi_mutex_taken(m, site);
    return DF_OK;
}
DFI_API df_result (df_mutex_trylock)(df_mutex *m) { return dfi_mutex_trylock_here(NULL, m); }

/* States: 0 free, 1 held, 2 held with possible sleepers (Drepper, "Futexes are tricky", 2011). */
DFI_API df_result dfi_mutex_lock_here(const char *site, df_mutex *m)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_wait wait;
    struct dfi_os_event *e;
    int i, begun = 0;
    for (i = 0; i < DFI_LOCK_SPINS; i++) {
        if (!dfi_load_relaxed(&m->dfi_state) && dfi_mutex_trylock_here(site, m) == DF_OK) return DF_OK;
        if (dfi_load_relaxed(&m->dfi_owner) == dfi_thread_id()) return DF_ERROR_DEADLOCK;
        dfi_os_pause();
    }
    e = dfi_lock_event_of(m);
    if (w) {
        dfi_wait_enter(w, &wait, DFI_WAIT_LOCK, m, site);
        begun = !dfi_block_begin(w);
    }
    while (dfi_exchange_acq_rel(&m->dfi_state, 2)) {
        if (w) dfi_baton_drop(w);
        /* a replay knows when the thread woke */
        if (!w || !dfi_baton_replays()) dfi_os_event_wait(e, &m->dfi_state, 2, 0);
        if (w) dfi_baton_take(w);
    }
    if (begun) dfi_block_end();
    if (w) dfi_wait_leave(w, &wait);
    dfi_mutex_taken(m, site);
    return DF_OK;
}
DFI_API df_result (df_mutex_lock)(df_mutex *m) { return dfi_mutex_lock_here(NULL, m); }

DFI_API void df_mutex_unlock(df_mutex *m)
{
    struct dfi_os_event *e;
    if (dfi_load_relaxed(&m->dfi_owner) != dfi_thread_id()) {
        dfi_error("df_mutex_unlock of a lock that the calling thread does not hold: no effect");
        return;
    }
    dfi_store_relaxed(&m->dfi_owner, NULL);
    /* release: publishes the critical section. Afterwards m may be freed, so only its event is accessed. */
    e = &dfi_lock_event[dfi_lock_bucket(m)];
    if (dfi_exchange_acq_rel(&m->dfi_state, 0) == 2) dfi_os_event_wake_all(e);
}
DFI_EXTERN_C_END

/* --- module ------------------------------------------------------------------------------------- */

static void dfi_blocking_ready(struct dfi_worker *w, struct dfi_settings *s)
{
    (void)w, (void)s;
    dfi_store_release(&dfi_retry_flag_hook, &dfi_retry_flag); /* release: relaxed would do */
    dfi_store_release(&dfi_retry_hook, &dfi_retry_sleep);
    dfi_store_release(&dfi_may_block_hook, &dfi_run_now_ends);
}
static void dfi_blocking_forget(void)
{
    dfi_store_release(&dfi_retry_hook, (dfi_retry_fn *)NULL);
    dfi_store_release(&dfi_retry_flag_hook, (dfi_retry_flag_fn *)NULL);
    dfi_store_release(&dfi_may_block_hook, (dfi_may_block_fn *)NULL);
}
static void dfi_blocking_fork(int when)
{
    if (when == DFI_FORK_CHILD) dfi_store_relaxed(&dfi_lock_events_ready, 0);
}
static const struct dfi_module dfi_module_blocking = { /* begin, ready, started */ NULL, dfi_blocking_ready, NULL,
    /* leaving .. stop */ NULL, NULL, NULL, NULL, NULL, dfi_blocking_forget,
    /* worker .. thread */ NULL, NULL, NULL, dfi_blocking_fork, NULL };

#endif
