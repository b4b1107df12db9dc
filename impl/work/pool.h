/* pool.h - life of the pool: start, stop, threads, fork, unloading of libraries
 *
 * Worker 0 is the thread that started the pool, workers 1 .. n-1 are helper threads, and each further thread of the
 * program that uses a construct gets a worker of its own. The pool's lock protects all of this; none of it is on a
 * fast path. */
#ifndef DFI_WORK_POOL_H
#define DFI_WORK_POOL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../os/threads.h"
#include "../os/wait.h"
#include "../api/result.h"
#include "blocks.h"
#include "module.h"
#include "worker.h"
#include "goal.h"
#include "wake.h"
#include "stack.h"
#include "find.h"
#include "help.h"
#include "scope.h"
#include "settings.h"
#include "slot.h"
#include "team.h"
#include "thread_end.h"
#include "types.h"
#include "unsynced.h"
#include "../flow/devices.h"
#include "../more/error.h"
#include "../observe/schedule/baton.h"
#include "../api/public.h"

DFI_SMALL_CODE_BEGIN

static void dfi_be(struct dfi_worker *w) { dfi_self = w ? &w->hot : &dfi_nobody; }

static struct dfi_os_key dfi_thread_key; /* written under the pool lock */

/* --- threads of the program -------------------------------------------------------------------- */

static void dfi_helper_left(struct dfi_worker *w);

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
    if (dfi_me() != w) return; /* the pool was destroyed or forked since, or a helper ended normally */
    /* again, for a thread that ends in a body nested in its waits */
    dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
    dfi_exit_watch();
    if (w->task || w->scope->outer || w->now || w->helper) dfi_exit_bodies(w); /* dfi_exit_watch did not see the end */
    if (w->helper) {
        dfi_helper_left(w);
        return;
    }
    if (w->sites) dfi_report_unsynced(w, 0, "its thread ended");
    if (w->scope->outer == NULL && !w->task) {
        dfi_wait_all(w, w->scope);
        DFI_MODULES(waited, (w));
        dfi_scope_end_errors(w->scope);
    }
    DFI_MODULES(leaving, (w));
    dfi_outbox_flush(w);
    if (dfi_main_ends(w)) df_stop();
    w->hot.top = NULL;
    w->head = w->split = 0;
    dfi_exit_unwatch();
    dfi_be(NULL);
    dfi_os_lock(&dfi_pool_lock);
    DFI_MODULES(thread, (w, DFI_THREAD_ENDS));
    dfi_store_relaxed(&w->attached, 0);
    dfi_os_unlock(&dfi_pool_lock);
    dfi_baton_drop(w); /* its slot is free before another thread chooses a slot */
}

/* --- helper threads ---------------------------------------------------------------------------- */

/* The last access of a helper to the pool. pre: it no longer uses a worker. */
static void dfi_helper_ends(void)
{
    dfi_exit_unwatch();
    dfi_be(NULL);
    dfi_fetch_sub_seq_cst(&dfi_pool.alive, 1);
    dfi_os_event_wake_all(&dfi_pool.ended);
}

static void *dfi_helper(void *p)
{
    struct dfi_worker *w = (struct dfi_worker *)p;
    struct dfi_goal g;
    dfi_be(w);
    dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
    dfi_exit_watch();
    DFI_MODULES(thread, (w, DFI_THREAD_HELPS));
    if (w->pin >= 0) {
        struct dfi_os_affinity a;
        memset(&a, 0, sizeof a);
        dfi_affinity_add(&a, w->pin);
        dfi_os_set_affinity(&a);
    }
    g.kind = DFI_GOAL_WORK, g.scope = NULL, g.future = NULL, g.flag = NULL;
    dfi_baton_take(w);
    dfi_wait_helping(w, 0, &g, DFI_WAIT_IDLE, NULL, NULL);
    dfi_outbox_flush(w);
    dfi_helper_ends();
    return NULL;
}

static void *dfi_spare(void *p); /* work/blocking.h */

/* Replaces the thread of helper w, which ends in a failed body, unless the pool is about to stop. */
static void dfi_helper_left(struct dfi_worker *w)
{
    int go_on = 0;
    dfi_outbox_flush(w);
    dfi_share(w);
    dfi_baton_drop(w);
    while (!dfi_os_trylock(&dfi_pool_lock)) { /* df_stop holds the lock while it joins this thread */
        if (!dfi_load_seq_cst(&dfi_pool.running)) {
            dfi_helper_ends();
            return;
        }
        dfi_os_yield();
    }
    if (dfi_load_seq_cst(&dfi_pool.running)) {
        struct dfi_os_thread old = w->thread;
        dfi_be(NULL);
        go_on = !dfi_os_thread_start(&w->thread, w->index < dfi_pool.n_workers ? dfi_helper : dfi_spare, w,
                                     dfi_pool.stack_bytes);
        if (go_on) dfi_os_thread_forget(&old);
        else {
            w->thread = old;
            dfi_warn("the thread of worker %d ended in a body, and the system refused another: going on with fewer",
                     w->index);
        }
    }
    dfi_os_unlock(&dfi_pool_lock);
    if (!go_on) dfi_helper_ends();
}

/* Starts the thread of h. Zero: it runs. pre: pool lock; h was taken for it. */
static int dfi_helper_start(struct dfi_worker *h, void *(*fn)(void *))
{
    dfi_store_relaxed(&h->helper, 1);
    dfi_fetch_add_seq_cst(&dfi_pool.alive, 1);
    if (!dfi_os_thread_start(&h->thread, fn, h, dfi_pool.stack_bytes)) return 0;
    dfi_fetch_sub_seq_cst(&dfi_pool.alive, 1);
    dfi_store_relaxed(&h->attached, 0);
    dfi_store_relaxed(&h->helper, 0);
    return -1;
}

static void dfi_fork_prepare(void);
static void dfi_fork_parent(void);
static void dfi_fork_child(void);

/* Starts the pool. Zero: the caller is worker 0 of a running pool. pre: pool lock; not running. */
static int dfi_start_locked(const df_config *c)
{
    struct dfi_settings *s;
    struct dfi_worker *w;
    int i;
    dfi_logger.log = c ? c->log : NULL;
    dfi_logger.arg = c ? c->log_arg : NULL;
    if (!dfi_pool.ended_made) dfi_pool.ended_made = !dfi_os_event_init(&dfi_pool.ended);
    if (!dfi_pool.ended_made || !(s = (struct dfi_settings *)dfi_malloc(sizeof *s))) {
        dfi_warn_no_memory();
        return DF_ERROR_MEMORY;
    }
    dfi_settings_read(s, c);
    DFI_MODULES(begin, (s, c));
    dfi_pool.module = &dfi_thread_key;
    dfi_pool.deque = s->deque;
    dfi_pool.window = s->window;
    dfi_pool.defer = s->defer;
    dfi_pool.deterministic = s->deterministic;
    dfi_pool.rename_bytes = s->rename_bytes;
    dfi_pool.patience = s->patience;
    dfi_pool.capture = s->capture;
    dfi_pool.speculate = s->speculate;
    dfi_pool.stack_bytes = s->stack_bytes;
    dfi_pool.n_cpus = dfi_os_cpus();
    w = dfi_me();
    if (w ? w->limit != s->deque && !w->head && dfi_worker_stack(w, s->deque) : !(w = dfi_worker_take(s->deque))) {
        dfi_mfree(s);
        return DF_ERROR_MEMORY;
    }
#if DFI_POSIX
    if (!dfi_pool.fork_handlers && !pthread_atfork(dfi_fork_prepare, dfi_fork_parent, dfi_fork_child))
        dfi_pool.fork_handlers = 1;
#endif
    if (!dfi_me()) dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
    dfi_be(w);
    dfi_exit_watch();
    DFI_MODULES(ready, (w, s));
    dfi_store_relaxed(&dfi_pool.run_now, dfi_run_now_allowed());
    w->index = 0;
    DFI_MODULES(thread, (w, DFI_THREAD_JOINS));
    dfi_pool.affinity_set = 0;
    if (s->n_cpus && dfi_os_get_affinity(&dfi_pool.affinity) == 0) {
        struct dfi_os_affinity a;
        memset(&a, 0, sizeof a);
        dfi_affinity_add(&a, s->cpu[0]);
        dfi_pool.affinity_set = dfi_os_set_affinity(&a) == 0;
    }
    dfi_store_seq_cst(&dfi_pool.stopping, 0);
    dfi_pool.n_workers = 1;
    for (i = 1; i < s->workers; i++) {
        struct dfi_worker *h = dfi_worker_take(s->deque);
        if (!h) break;
        h->index = i;
        h->pin = s->n_cpus ? s->cpu[i % s->n_cpus] : -1;
        if (dfi_helper_start(h, dfi_helper)) {
            dfi_warn_once("cannot start worker thread %d (%s): going on with %d workers; raise the limit on "
                          "threads or lower DF_WORKERS", i, "the system refused", i);
            break;
        }
        dfi_pool.n_workers++;
    }
    dfi_mfree(s);
    DFI_MODULES(started, (dfi_pool.n_workers));
    dfi_store_seq_cst(&dfi_pool.running, 1);
    return 0;
}

static struct dfi_worker *dfi_attach(void)
{
    struct dfi_worker *w, *stranger = dfi_me() ? NULL : dfi_baton_stranger();
    dfi_os_lock(&dfi_pool_lock);
    if (!dfi_load_relaxed(&dfi_pool.running) && dfi_load_relaxed(&dfi_pool.stopping) != DFI_STOP_NOW)
        dfi_start_locked(NULL);
    w = dfi_me();
    if (!w && dfi_load_relaxed(&dfi_pool.running) && (w = dfi_worker_take(dfi_pool.deque)) != NULL) {
        int i = 0;
        while (dfi_load_relaxed(&dfi_pool.slot[i]) != w) i++;
        w->index = dfi_pool.n_workers + i;
        dfi_os_at_thread_end(&dfi_thread_key, dfi_detach, w);
        dfi_be(w);
        dfi_exit_watch();
        DFI_MODULES(thread, (w, DFI_THREAD_JOINS));
    }
    dfi_os_unlock(&dfi_pool_lock);
    dfi_baton_become(stranger, w);
    return w;
}

/* Tells the helpers to end. */
static void dfi_stop_signal(int how)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    dfi_store_seq_cst(&dfi_pool.running, 0);
    dfi_store_seq_cst(&dfi_pool.stopping, how);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (!dfi_wake(v, DFI_PARKED_IDLE)) dfi_wake(v, DFI_PARKED_SPARE);
        dfi_store_seq_cst(&v->hot.asked, (uintptr_t)1); /* makes the worker check that the pool is running */
    }
}

static void dfi_stop_join(void)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    struct dfi_worker *me = dfi_me();
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (!v->helper || v == me) continue;
        dfi_os_thread_join(&v->thread);
        dfi_store_relaxed(&v->attached, 0);
        dfi_store_relaxed(&v->helper, 0);
    }
    dfi_store_relaxed(&dfi_pool.spares, 0);
    if (dfi_pool.affinity_set) dfi_os_set_affinity(&dfi_pool.affinity);
    dfi_pool.affinity_set = 0;
}

DFI_EXTERN_C_BEGIN

DFI_API df_result df_start(const df_config *c)
{
    int r;
    dfi_os_lock(&dfi_pool_lock);
    r = dfi_load_relaxed(&dfi_pool.running) ? DF_ERROR_STARTED : dfi_start_locked(c);
    dfi_os_unlock(&dfi_pool_lock);
    return (df_result)r;
}

DFI_API DFI_NOINLINE void df_stop(void)
{
    struct dfi_worker *w = dfi_me();
    DFI_UNSYNCED(w);
    if (w && (w->task || w->scope->outer || w->scope->guess)) {
        dfi_error("df_stop called inside a task or DF_PARALLEL block: ignored; call it where the program is "
                  "outside of all df constructs");
        return;
    }
    if (w) {
        dfi_wait_all(w, w->scope);
        dfi_scope_end_errors(w->scope);
    }
    dfi_os_lock(&dfi_pool_lock);
    if (dfi_load_relaxed(&dfi_pool.running)) {
        DFI_MODULES(ending, ());
        dfi_stop_signal(DFI_STOP_WHEN_DONE);
        dfi_stop_join();
        DFI_MODULES(stop, (w, DFI_STOP_CALLED));
    }
    dfi_os_unlock(&dfi_pool_lock);
}

DFI_API int df_workers(void)
{
    struct dfi_worker *w = dfi_me_attached();
    return w ? dfi_pool.n_workers : 1;
}

DFI_API int df_worker(void)
{
    struct dfi_worker *w = dfi_me_attached();
    return w ? w->index : 0;
}

DFI_API df_result df_counters_get(df_counters *out)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    memset(out, 0, sizeof *out);
    DFI_MODULES(count, (out));
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        out->tasks += dfi_load_relaxed(&v->n_tasks);
        out->edges += dfi_load_relaxed(&v->n_edges);
        out->steals += dfi_load_relaxed(&v->n_steals);
        out->parks += dfi_load_relaxed(&v->n_parks);
        out->skipped += dfi_load_relaxed(&v->n_skipped);
        out->renamings += dfi_load_relaxed(&v->n_renamings);
        out->copies += dfi_load_relaxed(&v->n_copies);
        out->speculated += dfi_load_relaxed(&v->n_speculated);
        out->undone += dfi_load_relaxed(&v->n_undone);
    }
    return DF_OK;
}

DFI_EXTERN_C_END

/* --- end of the process, or of the library that embeds df ------------------------------------- */

#if DFI_GNU
static void dfi_free_all(int n)
{
    int i;
#if DFI_POSIX
    if (dfi_thread_key.made) pthread_key_delete(dfi_thread_key.key);
    dfi_thread_key.made = 0;
#endif
    dfi_exit_unwatch();
    dfi_be(NULL);
    dfi_store_relaxed(&dfi_pool.stopping, 0);
    dfi_store_relaxed(&dfi_pool.n_slots, 0);
    dfi_pool.rooms = NULL;
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
    struct dfi_worker *me = dfi_me();
    int i, n, others = 0, self;
    DFI_UNSYNCED(me);
    dfi_os_lock(&dfi_pool_lock);
    self = me && me->helper;
    if (!dfi_load_relaxed(&dfi_pool.n_slots) || dfi_pool.module != &dfi_thread_key) {
        dfi_os_unlock(&dfi_pool_lock);
        return;
    }
    if (me && me->scope->outer == NULL) {
        long pending = (long)(me->scope->submitted - me->scope->done) + (long)dfi_load_acquire(&me->scope->pending);
        if (me->sites && !me->task) dfi_report_unsynced(me, 0, "the program ended");
        if (pending > 0) dfi_warn("the program ends with %ld tasks of df_submit not done: call df_wait() before "
                                  "leaving main", pending);
        dfi_scope_end_errors(me->scope);
    }
    DFI_MODULES(ending, ());
    if (dfi_load_relaxed(&dfi_pool.running)) dfi_stop_signal(DFI_STOP_NOW);
    dfi_os_unlock(&dfi_pool_lock);
    if (me) DFI_MODULES(leaving, (me));
    DFI_MODULES(exits, ());
    dfi_exit_wait(self);
    if (dfi_load_seq_cst(&dfi_pool.alive) > self) {
        dfi_warn("the program ends while %d workers still run a task: they are not waited for",
                 dfi_load_seq_cst(&dfi_pool.alive) - self);
        DFI_MODULES(stop, (NULL, DFI_STOP_ABANDONED));
        return;
    }
    dfi_os_lock(&dfi_pool_lock);
    dfi_stop_join();
    DFI_MODULES(stop, (NULL, DFI_STOP_AT_EXIT));
    n = dfi_load_relaxed(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) others += dfi_load_relaxed(&dfi_load_relaxed(&dfi_pool.slot[i])->attached);
    if (others <= (me != NULL)) { /* otherwise a thread of the program may still use its worker */
        dfi_free_all(n);
        DFI_MODULES(forget, ());
    }
    dfi_os_unlock(&dfi_pool_lock);
}
#endif

/* --- fork: reset in the child ---------------------------------------------------------------------- */

#if DFI_POSIX
static void dfi_fork_prepare(void)
{
    dfi_os_lock(&dfi_pool_lock);
    DFI_MODULES(fork, (DFI_FORK_PREPARE));
}
static void dfi_fork_parent(void)
{
    DFI_MODULES(fork, (DFI_FORK_PARENT));
    dfi_os_unlock(&dfi_pool_lock);
}

/* Only the forking thread exists here. Other workers may have been forked in the middle of a change, so they drop
 * their memory, which stays allocated. */
static void dfi_fork_child(void)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_pool_lock = fresh;
    dfi_store_relaxed(&dfi_pool.running, 0);
    dfi_store_relaxed(&dfi_pool.stopping, 0);
    dfi_store_relaxed(&dfi_pool.parked_idle, 0);
    dfi_store_relaxed(&dfi_pool.parked_waiting, 0);
    dfi_store_relaxed(&dfi_pool.spinning, 0);
    dfi_store_relaxed(&dfi_pool.watcher, 0);
    dfi_store_relaxed(&dfi_pool.alive, 0);
    dfi_pool.ended_made = 0;
    dfi_pool.affinity_set = 0;
    dfi_pool.queue = dfi_queue_empty;
    dfi_pool.board = dfi_board_empty;
    dfi_store_relaxed(&dfi_pool.held, 0);
    dfi_store_relaxed(&dfi_pool.cancels, 0);
    dfi_store_relaxed(&dfi_pool.blocked, 0);
    dfi_store_relaxed(&dfi_pool.spares, 0);
    DFI_MODULES(fork, (DFI_FORK_CHILD));
    dfi_be(NULL);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        while (v->chunks) { /* they hold the only pointers to memory that their blocks own */
            struct dfi_chunk *c = v->chunks;
            v->chunks = c->next;
            c->next = dfi_pool.before_fork, dfi_pool.before_fork = c;
        }
        memset(v->free, 0, sizeof v->free);
        memset(v->fresh, 0, sizeof v->fresh);
        memset(v->fresh_end, 0, sizeof v->fresh_end);
        dfi_store_relaxed(&v->returned, NULL);
        dfi_store_relaxed(&v->attached, 0);
        dfi_store_relaxed(&v->helper, 0);
        /* a worker that cannot be reset stays attached, and so unused */
        if (dfi_os_event_init(&v->event) || dfi_worker_reset(v)) dfi_store_relaxed(&v->attached, DFI_ATTACHED);
    }
    if (dfi_thread_key.made) pthread_setspecific(dfi_thread_key.key, NULL);
}
#endif

DFI_SMALL_CODE_END

#endif
