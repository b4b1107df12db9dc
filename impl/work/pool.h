/* pool.h - life of the pool: start, stop, threads, unloading of libraries
 *
 * Worker 0 is the thread that started the pool, workers 1 .. n-1 are helper threads, and each further thread of the
 * program that uses a construct gets a worker of its own. The pool's lock protects all of this; none of it is on a
 * fast path. No thread holds it while it waits for another one: df_stop and the end of the process mark the pool as
 * stopping, and join without it (docs/internals/locks.md). */
#ifndef DFI_WORK_POOL_H
#define DFI_WORK_POOL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/sized.h"
#include "../os/os.h"
#include "../api/result.h"
#include "blocks.h"
#include "fork.h"
#include "module.h"
#include "worker.h"
#include "goal.h"
#include "wake.h"
#include "stack.h"
#include "help.h"
#include "scope.h"
#include "settings.h"
#include "slot.h"
#include "types.h"
#include "director.h"
#include "../api/config.h"
#include "../api/workers.h"

#if defined(DF_SERIAL)
#include "single.h"
#else
DFI_SMALL_CODE_BEGIN

/* --- threads of the program -------------------------------------------------------------------- */

static void dfi_helper_left(struct dfi_worker *w);
static void dfi_helper_ends(void);

/* Has the main thread ended by pthread_exit, and is w the worker of the last thread of the program? Then the helpers
 * must stop, because they would keep the process alive. */
static int dfi_main_ends(struct dfi_worker *w)
{
    static int ended; /* protected by the pool lock */
    int i, last;
    dfi_os_lock(&dfi_pool_lock);
    dfi_store_relaxed(&w->attached, DFI_LEAVES); /* if two threads end, the second one here finds the first gone */
    last = ended |= dfi_os_main_thread();
    for (i = 0; last && i < dfi_load_relaxed(&dfi_pool.n_slots); i++) {
        const struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        last = dfi_load_relaxed(&v->attached) != DFI_ATTACHED || dfi_load_relaxed(&v->helper);
    }
    dfi_os_unlock(&dfi_pool_lock);
    return last;
}

static void dfi_detach(void *p) /* called at the end of a thread that used df */
{
    struct dfi_worker *w = (struct dfi_worker *)p;
    if (dfi_me_at_end() != w) return; /* the pool was destroyed or forked since, or a helper ended normally */
    /* again, for a thread that ends in a body nested in its waits */
    dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
    if (dfi_up_end_watch) dfi_up_end_watch();
    if (dfi_up_bodies_end) dfi_up_bodies_end(w); /* the watch did not see the end */
    if (w->helper) {
        if (dfi_up_bodies_end) dfi_helper_left(w);
        else dfi_helper_ends();
        return;
    }
    dfi_report_unsynced(w, 0, "its thread ended");
    if (w->scope->outer == NULL && !w->task) {
        dfi_wait_all(w, w->scope);
        dfi_tell(DFI_THREAD_WAITED, w);
        if (dfi_up_scope_ends) dfi_up_scope_ends(w->scope);
    }
    dfi_tell(DFI_THREAD_LEAVES, w);
    dfi_outbox_flush(w);
    if (dfi_main_ends(w)) df_stop();
    w->hot.top = NULL;
    w->head = w->split = 0;
    if (dfi_up_end_unwatch) dfi_up_end_unwatch();
    dfi_be(NULL);
    dfi_os_lock(&dfi_pool_lock);
    dfi_tell(DFI_THREAD_ENDS, w);
    dfi_store_relaxed(&w->attached, 0);
    dfi_os_unlock(&dfi_pool_lock);
    dfi_turn_drop(w); /* its slot is free before another thread chooses a slot */
}

/* --- helper threads ---------------------------------------------------------------------------- */

/* The last access of a helper to the pool. pre: it no longer uses a worker. Destructors of the thread follow, which
 * are foreign code: the thread that stops the pool waits for their end. */
static void dfi_helper_ends(void)
{
    if (dfi_modules && dfi_me()) dfi_tell(DFI_THREAD_STOPS, dfi_me());
    if (dfi_up_end_unwatch) dfi_up_end_unwatch();
    dfi_be(NULL);
    dfi_guest_is(1);
    dfi_fetch_sub_seq_cst(&dfi_pool.alive, 1);
    dfi_os_event_wake_all(&dfi_pool.ended);
}

/* The calling thread begins to be w. */
static void dfi_thread_is(struct dfi_worker *w)
{
    dfi_be(w);
    dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
    if (dfi_up_end_watch) dfi_up_end_watch();
}
static void dfi_helper_is(struct dfi_worker *w)
{
    dfi_thread_is(w);
    if (!dfi_pool.cpus_chosen) dfi_os_use_all_cpus();
    dfi_tell(DFI_THREAD_HELPS, w);
}

/* The thread of helper w begins; not of a spare. */
DFI_UPCALL(void, dfi_up_helper_begins, (struct dfi_worker *w));
/* Sleeps while helper w is one too many. Zero: the pool stops. */
DFI_UPCALL(int, dfi_up_rest, (struct dfi_worker *w));

/* seq_cst: the last look of a worker about to park; pairs with the store of the thread that changes their number */
static int dfi_helper_retires(void *w) { return dfi_load_seq_cst(&((struct dfi_worker *)w)->retires); }

static void *dfi_helper(void *p)
{
    struct dfi_worker *w = (struct dfi_worker *)p;
    struct dfi_goal g;
    dfi_helper_is(w);
    if (dfi_up_helper_begins) dfi_up_helper_begins(w);
    dfi_tell(DFI_THREAD_READY, w);
    g.kind = DFI_GOAL_WORK, g.scope = NULL, g.until = dfi_up_rest ? dfi_helper_retires : NULL, g.arg = w;
    do {
        dfi_turn_take(w);
        dfi_wait_helping(w, 0, &g, DFI_WAIT_IDLE, NULL, NULL);
    } while (dfi_up_rest && dfi_up_rest(w));
    dfi_outbox_flush(w);
    dfi_helper_ends();
    return NULL;
}

/* Replaces the thread of helper w, which ends in a failed body, unless the pool is about to stop. */
static void dfi_helper_left(struct dfi_worker *w)
{
    int go_on = 0;
    dfi_tell(DFI_THREAD_STOPS, w);
    dfi_outbox_flush(w);
    dfi_share(w);
    dfi_turn_drop(w);
    dfi_os_lock(&dfi_pool_lock);
    if (dfi_load_seq_cst(&dfi_pool.running)) { /* otherwise the thread that stops the pool joins this one */
        struct dfi_os_thread old = w->thread;
        dfi_be(NULL);
        go_on = !dfi_os_thread_start(&w->thread, w->body, w, dfi_pool.stack_bytes);
        if (go_on) dfi_os_thread_forget(&old);
        else {
            w->thread = old;
            dfi_warn("the thread of worker %d ended in the body of a task, and the system refused another: df runs "
                     "with one worker fewer; do not end threads in tasks", dfi_load_relaxed(&w->index));
        }
    }
    dfi_os_unlock(&dfi_pool_lock);
    if (!go_on) dfi_helper_ends();
}

/* Starts the thread of h. Zero: it runs. pre: pool lock; h was taken for it. */
static int dfi_helper_start(struct dfi_worker *h, void *(*fn)(void *))
{
    h->body = fn;
    dfi_store_relaxed(&h->helper, 1);
    dfi_fetch_add_seq_cst(&dfi_pool.alive, 1);
    if (!dfi_os_thread_start(&h->thread, fn, h, dfi_pool.stack_bytes)) return 0;
    dfi_fetch_sub_seq_cst(&dfi_pool.alive, 1);
    dfi_store_relaxed(&h->attached, 0);
    dfi_store_relaxed(&h->helper, 0);
    return -1;
}

/* Starts helpers until there are n workers, as far as memory and the system allow. pre: pool lock */
static void dfi_helpers_start(int n)
{
    int i;
    for (i = dfi_load_relaxed(&dfi_pool.n_workers); i < n; i++) {
        struct dfi_worker *h = dfi_worker_take(dfi_pool.deque);
        if (!h) return;
        dfi_store_relaxed(&h->index, i);
        if (dfi_helper_start(h, dfi_helper)) {
            dfi_store_relaxed(&h->index, DFI_WORKERS_MOST + (int)dfi_slot_of(h));
            dfi_warn_once("the system refused the thread of worker %d: df runs with %d worker%s; raise the limit on "
                          "threads, or lower DF_WORKERS or df_config.workers", i, i, i == 1 ? "" : "s");
            return;
        }
        /* release: the index and the slot; pairs with the acquire in dfi_workers */
        dfi_store_release(&dfi_pool.n_workers, i + 1);
    }
}

/* --- start ------------------------------------------------------------------------------------- */

/* Starts the pool. Zero: the caller is worker 0 of a running pool. pre: pool lock; neither running nor stopping */
static int dfi_start_locked(const df_config *c)
{
    struct dfi_worker *w;
    int i;
    dfi_logger.log = c ? c->log : NULL;
    dfi_logger.arg = c ? c->log_arg : NULL;
    if (!dfi_pool.ended_made) dfi_pool.ended_made = !dfi_os_event_init(&dfi_pool.ended);
    if (!dfi_pool.ended_made) {
        dfi_warn_no_memory();
        return DF_ERROR_MEMORY;
    }
    dfi_settings_read(c);
    dfi_tell_of(DFI_POOL_BEGINS, NULL, c, NULL);
    dfi_pool.module = &dfi_thread_key;
    dfi_signals_get(&dfi_pool.signals);
    w = dfi_me();
    if (w ? w->limit != dfi_pool.deque && !w->head && dfi_worker_stack(w, dfi_pool.deque)
          : !(w = dfi_worker_take(dfi_pool.deque)))
        return DF_ERROR_MEMORY;
    dfi_thread_is(w);
    for (i = 0; i < dfi_load_relaxed(&dfi_pool.n_slots); i++) { /* of an earlier run */
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        dfi_store_relaxed(&v->index, DFI_WORKERS_MOST + i);
        dfi_store_relaxed(&v->retires, 0);
    }
    dfi_store_relaxed(&w->index, 0);
    dfi_tell(DFI_POOL_READY, w);
    dfi_tell(DFI_THREAD_JOINS, w);
    dfi_store_relaxed(&dfi_pool.n_workers, 1);
    dfi_helpers_start(dfi_pool.n_planned);
    dfi_tell(DFI_POOL_STARTED, NULL);
    dfi_store_seq_cst(&dfi_pool.running, 1);
    return 0;
}

static struct dfi_worker *dfi_attach(void)
{
    struct dfi_worker *w, *stranger;
    if (dfi_stays_alone || dfi_guests) return NULL;
    dfi_pool_load();
    dfi_fork_left();
    stranger = !dfi_me() && dfi_turns() ? dfi_up_stranger() : NULL;
    dfi_os_lock(&dfi_pool_lock);
    /* while it stops, a worker continues with the pool that ends, and another thread without a worker */
    if (!dfi_load_relaxed(&dfi_pool.running) && !dfi_load_relaxed(&dfi_pool.stopping)) dfi_start_locked(NULL);
    w = dfi_me();
    if (!w && dfi_load_relaxed(&dfi_pool.running) && (w = dfi_worker_take(dfi_pool.deque)) != NULL) {
        dfi_thread_is(w);
        dfi_tell(DFI_THREAD_JOINS, w);
    }
    dfi_os_unlock(&dfi_pool_lock);
    if (stranger) dfi_up_stranger_is(stranger, w);
    if (dfi_modules && w && dfi_load_relaxed(&dfi_pool.running)) dfi_tell(DFI_THREAD_READY, w);
    return w;
}
#define dfi_up_attach_by , dfi_attach

/* Tells the helpers to end. */
static void dfi_stop_signal(int how)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    dfi_store_seq_cst(&dfi_pool.running, 0);
    dfi_store_seq_cst(&dfi_pool.stopping, how);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (how == DFI_STOP_NOW) dfi_store_relaxed(&v->retires, 1);
        if (!dfi_wake(v, DFI_PARKED_IDLE) && !dfi_wake(v, DFI_PARKED_REST)) dfi_wake(v, DFI_PARKED_SPARE);
        dfi_store_seq_cst(&v->hot.steal_request, (uintptr_t)1); /* makes the worker check that the pool is running */
    }
}

/* Waits until the threads of all helpers have ended, except for the calling one, and frees their workers. Without the
 * lock while it waits: their destructors are foreign code. pre: this thread has made the pool stop, so no helper
 * starts */
static void dfi_stop_join(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (!dfi_load_relaxed(&v->helper) || dfi_os_thread_is_self(&v->thread)) continue;
        dfi_os_thread_join(&v->thread);
        dfi_os_lock(&dfi_pool_lock);
        dfi_store_relaxed(&v->attached, 0);
        dfi_store_relaxed(&v->helper, 0);
        dfi_os_unlock(&dfi_pool_lock);
    }
}

/* Waits until no other thread stops the pool, at most `ms` milliseconds; 0 ms: without limit. Zero: it is so. */
static int dfi_stop_await(int ms)
{
    int how, late = 0;
    while (!late && (how = dfi_stopping()) != 0) late = dfi_os_event_wait(&dfi_pool.ended, &dfi_pool.stopping, how, ms);
    return late;
}

DFI_EXTERN_C_BEGIN

DFI_API df_result df_start(const df_config *c)
{
    int r, again;
    df_config own;
    if (DFI_LIBRARY && c && c->size != sizeof own) { /* of a program of another version */
        if (dfi_sized_copy((void *)&own, sizeof own, (const void *)c, DFI_CONFIG_0_9)) {
            dfi_error("df_start: config->size is wrong, or config has a field that libdf.so does not know: df did not "
                      "start");
            return DF_ERROR_ARGUMENT;
        }
        c = &own;
    }
    if (dfi_guests) return dfi_start_again(c, df_workers());
    dfi_pool_load();
    dfi_fork_left();
    do {
        dfi_stop_await(0);
        dfi_os_lock(&dfi_pool_lock);
        again = dfi_stopping();
        r = dfi_load_relaxed(&dfi_pool.running) || again ? DF_ERROR_STARTED : dfi_start_locked(c);
        dfi_os_unlock(&dfi_pool_lock);
    } while (again);
    if (r == DF_OK) dfi_tell(DFI_THREAD_READY, dfi_me());
    return r == DF_ERROR_STARTED ? dfi_start_again(c, df_workers()) : (df_result)r;
}

DFI_API DFI_OWN_FRAME void df_stop(void)
{
    struct dfi_worker *w = dfi_me();
    int stops;
    DFI_UNSYNCED(w);
    if (dfi_guests || (w && (w->task || w->scope->outer || dfi_scope_asks(w->scope)))) {
        dfi_error(DFI_MESSAGE_STOP_INSIDE);
        return;
    }
    if (w) {
        dfi_wait_all(w, w->scope);
        if (dfi_up_scope_ends) dfi_up_scope_ends(w->scope);
    }
    dfi_os_lock(&dfi_pool_lock);
    if ((stops = dfi_load_relaxed(&dfi_pool.running)) != 0) {
        dfi_tell(DFI_POOL_ENDS, NULL);
        dfi_stop_signal(DFI_STOP_WHEN_DONE);
    }
    dfi_os_unlock(&dfi_pool_lock);
    if (stops) {
        dfi_stop_join();
        dfi_os_lock(&dfi_pool_lock);
        dfi_tell(DFI_STOP_CALLED, w);
        dfi_store_seq_cst(&dfi_pool.stopping, 0);
        dfi_os_unlock(&dfi_pool_lock);
        dfi_os_event_wake_all(&dfi_pool.ended);
    } else dfi_stop_await(0);
    if (w) dfi_tell(DFI_THREAD_STOPS, w);
}

DFI_EXTERN_C_END

/* --- end of the process, or of the library that embeds df ------------------------------------- */

#if DFI_GNU
static void dfi_free_all(int n)
{
    int i;
    dfi_os_key_free(&dfi_thread_key);
    if (dfi_up_end_unwatch) dfi_up_end_unwatch();
    dfi_be(NULL);
    dfi_store_relaxed(&dfi_pool.stopping, 0);
    dfi_store_relaxed(&dfi_pool.n_slots, 0);
    dfi_pool.rooms = dfi_modules ? NULL : dfi_pool.before_fork;
    for (i = 0; i < n; i++) {
        dfi_worker_free(dfi_load_relaxed(&dfi_pool.slot[i]));
        dfi_store_relaxed(&dfi_pool.slot[i], NULL);
    }
}

enum { DFI_EXIT_MS = 1000 }; /* limit on the delay that an endless task causes */

/* Waits until at most `left` helpers are alive. */
static void dfi_exit_wait(int left)
{
    uint64_t end = dfi_os_ns() + (uint64_t)DFI_EXIT_MS * 1000000, now;
    int n;
    while ((n = dfi_load_seq_cst(&dfi_pool.alive)) > left && (now = dfi_os_ns()) < end)
        dfi_os_event_wait(&dfi_pool.ended, &dfi_pool.alive, n, (int)((end - now) / 1000000) + 1);
}

/* The pool belongs to the module whose copy of the implementation started it. */
static __attribute__((destructor)) void dfi_unload(void)
{
    struct dfi_worker *me = dfi_me_or_host();
    struct dfi_scope *bottom = NULL;
    int i, n, others = 0, self, busy;
    if (dfi_locks.held) return; /* DF_MALLOC, or a handler of fork, ends the process */
    DFI_UNSYNCED(me);
    dfi_os_lock(&dfi_pool_lock);
    self = me && me->helper;
    if (!dfi_load_relaxed(&dfi_pool.n_slots) || dfi_pool.module != &dfi_thread_key) {
        dfi_pool_unload();
        dfi_os_unlock(&dfi_pool_lock);
        return;
    }
    while (dfi_stopping()) { /* by another thread, which may wait for this one */
        dfi_os_unlock(&dfi_pool_lock);
        if (self || dfi_guests || dfi_stop_await(DFI_EXIT_MS)) return;
        dfi_os_lock(&dfi_pool_lock);
    }
    if (me && me->scope->outer == NULL) {
        bottom = me->scope;
        if (!me->task) dfi_report_unsynced(me, 0, "the program ended");
        if (dfi_up_scope_ends) dfi_up_scope_ends(bottom);
    }
    dfi_tell(DFI_POOL_ENDS, NULL);
    if (dfi_load_relaxed(&dfi_pool.running)) dfi_stop_signal(DFI_STOP_NOW);
    dfi_os_unlock(&dfi_pool_lock);
    if (me) dfi_tell(DFI_THREAD_LEAVES, me);
    dfi_tell(DFI_POOL_EXITS, NULL);
    dfi_exit_wait(self);
    (void)bottom;
    if (bottom && dfi_up_exits) dfi_up_exits(bottom); /* no worker is at the end of a task, after its handle is done */
    if ((busy = dfi_load_seq_cst(&dfi_pool.alive) - self) > 0) {
        dfi_warn("the program ends while tasks run on %d worker%s: df does not wait for them; let all tasks end "
                 "before main returns", busy, busy == 1 ? "" : "s");
        dfi_tell(DFI_STOP_ABANDONED, NULL);
        return;
    }
    dfi_stop_join();
    dfi_os_lock(&dfi_pool_lock);
    dfi_tell(DFI_STOP_AT_EXIT, NULL);
    n = dfi_load_relaxed(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) others += dfi_load_relaxed(&dfi_load_relaxed(&dfi_pool.slot[i])->attached);
    if (others <= (me != NULL)) { /* otherwise a thread of the program may still use its worker */
        dfi_free_all(n);
        dfi_tell(DFI_POOL_FORGETS, NULL);
    }
    dfi_pool_unload();
    dfi_os_unlock(&dfi_pool_lock);
}
#endif

DFI_SMALL_CODE_END
#endif

#endif
