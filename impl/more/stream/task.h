/* task.h - streams and tasks of df_submit, in the parallel build
 *
 * All windows of a task that may not be entered yet count as one predecessor; its extras hold their
 * number. When the end of another task makes a window enterable, the thread that ends it subtracts
 * 1; the last one releases the task. */
#ifndef DFI_MORE_STREAM_TASK_H
#define DFI_MORE_STREAM_TASK_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../api/result.h"
#include "../../api/stream.h"
#include "../../api/task.h"
#include "../../api/value.h"
#include "../../work/deque.h"
#include "../../work/nest.h"
#include "../../work/queue.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/find.h"
#include "../../work/scope.h"
#include "../../work/tables.h"
#include "../../work/types.h"
#include "../../work/unsynced.h"
#include "../../flow/at_once.h"
#include "../../flow/devices.h"
#include "../../flow/edge.h"
#include "../../flow/extra.h"
#include "../../flow/submit.h"
#include "../../flow/task.h"
#include "../deadlock.h"
#include "../error.h"
#include "../speculate/block.h"
#include "api.h"
#include "ring.h"
#include "window.h"
#include "../token.h"
#include "../../observe/graph/graph.h"
#include "../../observe/probes.h"
#include "../../observe/schedule/baton.h"
#include "../../observe/schedule/chaos.h"
#include "../../api/public.h"

enum { DFI_STREAM_SPINS = 100 }; /* attempts to take a lock before yielding, about 2 us: longer than it is held */

static void dfi_stream_lock(struct dfi_stream *c)
{
    int spins = 0;
    /* acquire; pairs with dfi_stream_unlock */
    while (DFI_UNLIKELY(dfi_exchange_acq_rel(&c->lock, 1)))
        while (dfi_load_relaxed(&c->lock))
            if (++spins < DFI_STREAM_SPINS) dfi_os_pause();
            else dfi_os_yield(); /* the holder may have been preempted */
}
static void dfi_stream_unlock(struct dfi_stream *c) { dfi_store_release(&c->lock, 0); }

static void dfi_stream_task_waits(void *task, long windows)
{
    /* relaxed: a thread that subtracts from it has since held the lock of a stream, which is still
     * held here */
    dfi_store_relaxed(&((struct dfi_flow *)task)->extra->windows_missing, (intptr_t)windows);
}

static void dfi_stream_task_skip(void *task)
{
    dfi_store_relaxed(&((struct dfi_flow *)task)->skip, (unsigned)DFI_SKIPPED);
}

/* While streams exist, a task that writes memory must not run immediately: see dfi_may_run_now_slow. */
static void dfi_stream_created(int by)
{
    int before = dfi_fetch_add_acq_rel(&dfi_pool.streams, by);
    if (by > 0) dfi_store_relaxed(&dfi_pool.run_now, 0);
    else if (before == 1) dfi_store_relaxed(&dfi_pool.run_now, dfi_run_now_allowed());
}

static void dfi_windows_release(struct dfi_worker *w, struct dfi_window *v)
{
    while (v) {
        struct dfi_flow *t = (struct dfi_flow *)v->task;
        struct dfi_window *next = v->wait_next; /* v may be gone after the subtraction */
        if (DFI_UNLIKELY(dfi_watched())) dfi_watch_release(w, t);
        /* acq_rel: passes what was seen under the locks of several streams to the thread that
         * releases the task */
        if (dfi_fetch_sub_acq_rel(&t->extra->windows_missing, (intptr_t)1) == 1 && dfi_flow_unblock(t))
            dfi_ready_any(w, t);
        v = next;
    }
}

static void dfi_windows_ready(struct dfi_window *v, int outside)
{
    struct dfi_worker *w = v ? dfi_me_attached() : dfi_me();
    if (DFI_UNLIKELY(dfi_baton_on()) && w) dfi_baton_take(w);
    if (outside) dfi_happened(w);
    dfi_windows_release(w, v);
}

/* --- begin and end of a task: called by flow/enter.h, flow/submit.h --------------------------------- */

/* w may be NULL: then the caller retries by itself on DFI_LATER. */
static int dfi_stream_begin(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    int r = dfi_windows_begin(x->windows, (char *)t->task.args, x->window_array);
    if (DFI_LIKELY(r == 0)) {
        if (DFI_UNLIKELY(x->began != 0)) x->began = dfi_work_ns(w);
        return DFI_GO;
    }
    dfi_warn_no_memory();
    if (r > 0) { /* another task uses the fallback memory */
        if (!w) return DFI_LATER;
        dfi_os_yield();
        dfi_queue_put(&dfi_pool.queue, t);
        dfi_wake_for_work();
        return DFI_LATER;
    }
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    dfi_scope_set_error(t->scope, DF_ERROR_MEMORY, df_error_text(DF_ERROR_MEMORY));
    if (w) dfi_store_relaxed(&w->n_skipped, dfi_load_relaxed(&w->n_skipped) + 1);
    return DFI_SKIP;
}

/* The time that the body took, if measured, else 0. */
static unsigned dfi_stream_took(struct dfi_worker *w, const struct dfi_extra *x)
{
    uint64_t took;
    if (DFI_LIKELY(x->began <= 1)) return 0;
    took = dfi_work_ns(w) - x->began;
    return took < 1 ? 1 : took < 1000000 ? (unsigned)took : 1000000;
}

static void dfi_stream_end(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_extra *x = t->extra;
    int skipped = dfi_load_relaxed(&t->skip) != 0;
    unsigned ns = skipped ? 0 : dfi_stream_took(w, x);
    dfi_windows_end(x->windows, skipped, ns, &a);
    x->windows = NULL;
    if (!a.ready) return;
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_ends(w, t);
    dfi_windows_release(w, a.ready);
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_ends(w, NULL);
}

/* --- submission ------------------------------------------------------------------------------------ */

/* Gives the new task t its windows. 0, or -1 without memory. pre: w owns the scope of t */
static int dfi_stream_take(struct dfi_worker *w, struct dfi_flow *t, struct dfi_take *q)
{
    struct dfi_extra *x = dfi_extra_of(w, t);
    if (!x) return -1;
    x->name = q->name;
    q->task = t, q->locks = q->few;
    if (q->arrays && q->count) {
        if (!(x->window_array = (void **)dfi_malloc(q->count * sizeof(void *)))) return -1;
        q->locks = (struct dfi_stream **)(void *)x->window_array;
    }
    if (!dfi_edge_new(w, t) || (q->count && dfi_take_windows(q))) return -1; /* reserves the first cell of edges */
    x->windows = q->windows;
    x->began = (uint64_t)(q->measure != 0);
    if (q->waits) {
        t->n_edges++;
        dfi_happened(w);
    }
    if (q->wrong) {
        dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
        dfi_scope_set_error(t->scope, DF_ERROR_STREAM, df_error_text(DF_ERROR_STREAM));
    }
    return 0;
}

/* Waits briefly, where no ordinary wait is possible. Zero: no progress for df_config.patience. */
static DFI_COLD int dfi_stream_help(struct dfi_worker *w, struct dfi_scope *s, size_t *stamp, int *looks)
{
    struct dfi_goal g;
    struct dfi_loot loot;
    size_t now;
    if (w && s) {
        g.kind = DFI_GOAL_SCOPE, g.scope = s, g.future = NULL, g.flag = NULL;
        dfi_flush(w);
        if (dfi_run_own(w, w->task ? w->task_mark : s->mark, NULL)) return 1;
        if (dfi_find(w, &g, &loot)) {
            dfi_run_loot(w, &loot, NULL);
            dfi_offer(w);
            return 1;
        }
        if (dfi_asked(w)) dfi_poll(w);
    }
    now = dfi_stuck_stamp(w);
    if (!now || now != *stamp) *stamp = now, *looks = 0;
    dfi_os_sleep_ms();
    return ++*looks < dfi_pool.patience * 1000 || !dfi_load_relaxed(&dfi_pool.running);
}

/* t cannot be started later: waits for its windows here. */
static DFI_COLD void dfi_stream_wait(struct dfi_worker *w, struct dfi_flow *t)
{
    size_t stamp = 0;
    int looks = 0;
    /* acquire; pairs with dfi_windows_release */
    while (dfi_load_acquire(&t->extra->windows_missing) > 0)
        if (!dfi_stream_help(w, t->scope, &stamp, &looks)) {
            struct dfi_missing m;
            dfi_windows_give_up(t->extra->windows, &m);
            if (m.windows) dfi_stuck_stream(w, t->extra, &m);
        }
}

/* A task that its submitter runs because memory is short: df_stream_count finds its windows here. */
struct dfi_stream_now { struct dfi_window *windows; struct dfi_stream_now *outer; };
static DFI_TLS struct dfi_stream_now *dfi_streams_now;

/* Runs t, which cannot be started later, and has its windows. */
static DFI_COLD void dfi_stream_run_now(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_stream_now me;
    size_t births = t->scope->births;
    if (!dfi_load_relaxed(&t->skip))
        while (dfi_stream_begin(NULL, t) == DFI_LATER) dfi_os_sleep_ms();
    if (!dfi_load_relaxed(&t->skip)) {
        me.windows = t->extra->windows, me.outer = dfi_streams_now;
        dfi_streams_now = &me;
        dfi_body_run(w, t->type, t->task.args, t); /* in the submitter's scope */
        dfi_streams_now = me.outer;
        if (births != t->scope->births) dfi_wait_all(w, t->scope);
    } else dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
    dfi_stream_end(w, t);
}

/* Runs a task without memory for its record: takes windows, and runs it here when it may enter them.
 * w may be NULL. */
static DFI_COLD void dfi_stream_submit_now(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                           const struct dfi_access *x, unsigned n, struct dfi_take *q)
{
    struct dfi_window few[DFI_WINDOWS_NOW], *v;
    struct dfi_stream *few_locks[DFI_WINDOWS_NOW];
    void *few_pointers[DFI_WINDOWS_NOW], **pointers = few_pointers;
    const struct df_opts *o = w ? w->opts : NULL;
    struct dfi_scope *s = w ? w->scope : NULL;
    struct dfi_stream_now me;
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_missing m;
    df_token *const *k;
    size_t stamp = 0, births;
    int looks = 0, skip = q->wrong, r, given_up = 0;
    char *more = NULL;
    dfi_warn_no_memory();
    dfi_graph_missing();
    if (w) w->opts = NULL; /* not for tasks that run meanwhile */
    q->windows = few, q->locks = few_locks, q->task = &me;
    if (q->count > DFI_WINDOWS_NOW) { /* the records do not fit on the stack */
        while (!(more = (char *)dfi_malloc(q->count * (sizeof *v + 2 * sizeof(void *)))))
            dfi_stream_help(w, s, &stamp, &looks);
        q->windows = (struct dfi_window *)(void *)more;
        q->locks = (struct dfi_stream **)(void *)(q->windows + q->count);
        pointers = (void **)(q->locks + q->count);
    }
    dfi_take_windows_now(q);
    if (w && w->task) s = dfi_scope_here(w);
    if (w && n && dfi_wait_before(w, s, NULL, x, n)) skip = 1;
    for (k = o ? o->after : NULL; k && *k; k++) dfi_wait_token(*k, q->site);
    stamp = 0, looks = 0;
    for (v = q->windows; v; v = v->of_task)
        while (!given_up && !dfi_window_try(v))
            if (!dfi_stream_help(w, s, &stamp, &looks)) {
                v->waits = 1;
                given_up = skip = 1;
            }
    if (given_up) {
        for (v = q->windows; !v->waits;) v = v->of_task;
        dfi_stream_lock(v->stream);
        m.elements = v->need - (v->reader ? v->stream->push.done : dfi_stream_room(v->stream) + v->stream->capacity);
        dfi_stream_unlock(v->stream);
        dfi_error(DFI_MESSAGE_STREAM_STUCK, q->site ? q->site : "", q->site ? ": " : "", q->name,
                  (unsigned long)m.elements, v->reader ? "elements in" : "free places in", v->stream->site);
        v->waits = 0;
    }
    for (v = q->windows; v; v = v->of_task)
        if (v->reader && v->spoilt) skip = 1;
    r = skip ? -1 : 0;
    while (!skip && (r = dfi_windows_begin(q->windows, (char *)args, pointers)) > 0)
        dfi_stream_help(w, s, &stamp, &looks);
    if (r < 0 && w && (s = dfi_scope_here(w)) != NULL && (given_up || q->wrong || !skip)) {
        int code = given_up ? DF_ERROR_STUCK : q->wrong ? DF_ERROR_STREAM : DF_ERROR_MEMORY;
        dfi_scope_set_error(s, code, df_error_text((df_result)code));
    }
    if (r == 0) {
        me.windows = q->windows, me.outer = dfi_streams_now;
        dfi_streams_now = &me;
        s = w ? w->scope : NULL, births = s ? s->births : 0;
        dfi_run_now(type, args);
        if (w && s == w->scope && births != s->births) dfi_wait_all(w, s);
        dfi_streams_now = me.outer;
    } else dfi_args_order(type, args, DFI_ORDER_DROP);
    dfi_windows_end(q->windows, r != 0, 0, &a);
    dfi_mfree(more);
    if (a.ready) dfi_windows_ready(a.ready, 0);
    if (w && !w->task) dfi_finish_left(w, type);
    if (w) w->opts = o, w->ran_now = o != NULL; /* for dfi_with_end */
}

/* --- immediate execution ---------------------------------------------------------------------- */

/* A task that can have its windows immediately, and runs in its submitter, needs no record of its
 * own until it has children. When its body first needs a scope, the task moves to one; no other code
 * knows it before. */
struct dfi_stream_here {
    struct dfi_flow flow; /* first */
    struct dfi_extra extra;
    struct dfi_flow *moved;
};

/* Moves the task to a record of its own. NULL: no memory. pre: w->task is on the stack */
static DFI_NOINLINE struct dfi_flow *dfi_stream_move(struct dfi_worker *w)
{
    struct dfi_stream_here *h = (struct dfi_stream_here *)(void *)w->task;
    struct dfi_flow *t = dfi_flow_new(w, h->flow.scope, h->flow.type);
    struct dfi_extra *x = t ? dfi_extra_of(w, t) : NULL;
    struct dfi_window *v;
    if (!x) {
        if (t) dfi_flow_free(w, t);
        return NULL;
    }
    t->birth = h->flow.birth;
    x->name = t->type->name;
    x->windows = h->extra.windows, x->began = h->extra.began;
    /* complete, so in no list, and not mirrored: no other thread reads it */
    for (v = x->windows; v; v = v->of_task) v->task = t;
    dfi_flow_count(w, t);
    return w->task = h->moved = t;
}

/* Runs a task immediately on the calling thread. Zero: not possible. */
static int dfi_stream_run_here(struct dfi_worker *w, const struct dfi_type *type, void *args,
                               struct dfi_take *q, int always)
{
    struct dfi_stream_here h;
    struct dfi_scope *s = DFI_LIKELY(!w->task) ? w->scope : dfi_scope_here(w);
    size_t mark = w->task_mark;
    if (!s || s->gated || dfi_nested_deeply(w)) return 0;
    q->task = &h.flow;
    if (!dfi_take_at_once(q, always)) return 0;
    h.flow.task.mem.special = DFI_ON_STACK;
    h.flow.task.args = args;
    h.flow.type = type, h.flow.scope = s, h.flow.birth = ++s->births;
    dfi_store_relaxed(&h.flow.skip, 0u);
    h.flow.parts = NULL, h.flow.extra = &h.extra;
    h.extra.windows = q->windows, h.extra.group = NULL, h.extra.weak = NULL, h.extra.guess = NULL;
    h.extra.began = q->measure ? dfi_work_ns(w) : 0;
    h.moved = NULL;
    dfi_windows_begin(q->windows, (char *)args, NULL);
    dfi_flush(w);
    w->task = &h.flow, w->task_mark = w->head;
    dfi_level(w, 1);
    dfi_nest_begin(w);
    dfi_store_relaxed(&w->n_tasks, dfi_load_relaxed(&w->n_tasks) + 1);
    dfi_body_run(w, type, args, NULL);
    if (DFI_LIKELY(!h.moved)) {
        struct dfi_after a = { NULL, NULL, NULL };
        while (DFI_UNLIKELY(w->scope != s)) { /* a block inside was left by a jump */
            if (w->scope->site) dfi_error(DFI_MESSAGE_LEFT_BLOCK, w->scope->site);
            dfi_scope_finish(w, w->scope);
        }
        if (DFI_UNLIKELY(w->sites != NULL)) dfi_report_unsynced(w, w->task_mark, DFI_END_OF_TASK);
        w->task = NULL, w->task_mark = mark;
        dfi_windows_end(q->windows, 0, dfi_stream_took(w, &h.extra), &a);
        if (a.ready) {
            dfi_windows_release(w, a.ready);
            dfi_offer(w);
        }
    } else { /* as in dfi_flow_run */
        struct dfi_flow *t = h.moved;
        if (w->scope == s) {
            w->task = NULL, w->task_mark = mark;
            t = dfi_flow_done(w, t);
        } else t = dfi_flow_end_scope(w, t, NULL, mark);
        if (t) dfi_run_chain(w, t, NULL);
        dfi_offer(w);
    }
    dfi_level(w, -1);
    dfi_nest_end(w);
    if (dfi_asked(w)) dfi_poll(w);
    return 1;
}

DFI_API void dfi_stream_submit(const struct dfi_type *type, void *args, struct dfi_access *x, unsigned n,
                               struct dfi_ask *y, unsigned m)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_take q;
    struct dfi_flow *t;
    int here, always = 0, blocks = dfi_load_relaxed(&dfi_may_block);
    if (w && DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_drops(w)) { /* windows cannot be rolled back */
        dfi_guess_dropped(w);
        dfi_args_order(type, args, DFI_ORDER_DROP);
        return;
    }
    if (w && DFI_UNLIKELY(w->scope->capture != NULL)) dfi_taskgraph_cannot("a task on streams", type->name);
    q.y = y, q.m = m;
    q.name = type->name, q.site = NULL;
    if (w && DFI_UNLIKELY(w->opts != NULL)) {
        q.site = w->opts_site;
        if (w->opts->name) q.name = w->opts->name;
    }
    dfi_take_check(&q);
    if (w) {
        if (dfi_load_relaxed(&dfi_pool.run_now)) dfi_store_relaxed(&dfi_pool.run_now, 0);
        if (!dfi_load_relaxed(&dfi_pool.particular)) dfi_store_relaxed(&dfi_pool.particular, 1);
        /* A task that takes less time than a hand-over runs here. A single worker has no other to
         * hand it to, unless an observer has to see it. Neither applies if the task may block,
         * because its submitter may have what it waits for. */
        always = !blocks && dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_baton_on() && !dfi_watched();
        /* no option, observer or cancellation to consider, and one window for each parameter */
        here = !DF_CHECK && !blocks && !dfi_pool.defer && !dfi_chaotic() && !DFI_GRAPH() && !w->opts &&
            !dfi_load_relaxed(&dfi_pool.cancels) && !n && q.arrays == 0 && m && q.count == m && !q.wrong;
        if (DFI_LIKELY(here) && dfi_stream_run_here(w, type, args, &q, always)) return;
    }
    t = w ? dfi_flow_for(w, type) : NULL;
    if (t && DFI_UNLIKELY(dfi_stream_take(w, t, &q))) {
        dfi_flow_free(w, t);
        t = NULL;
    }
    if (DFI_UNLIKELY(!t)) {
        dfi_stream_submit_now(w, type, args, x, n, &q);
        return;
    }
    memcpy(t->task.args, args, type->args_bytes);
    if (!dfi_submit_register(w, t, x, n, 1)) dfi_offer(w);
    else if ((dfi_stack_full(w) || (!dfi_pool.defer && (always || (q.tiny && !blocks)))) && !dfi_nested_deeply(w))
        dfi_submit_run(w, t);
    else dfi_submit_push(w, t);
}

/* --- in a body -------------------------------------------------------------------------------------- */

static long long dfi_flow_find_window(const struct dfi_flow *t, const void *p)
{
    return t && t->task.mem.special ? dfi_windows_find(t->extra->windows, p) : -1;
}

DFI_EXTERN_C_BEGIN
DFI_API size_t df_stream_count(const void *p)
{
    struct dfi_worker *w = dfi_me();
    const struct dfi_stream_now *k;
    struct dfi_scope *s;
    long long n = -1;
    if (!p) return 0;
    for (k = dfi_streams_now; k && n < 0; k = k->outer) n = dfi_windows_find(k->windows, p);
    if (w && n < 0) {
        n = dfi_flow_find_window(w->task, p);
        /* a task is not done before its children, so the windows of enclosing tasks exist */
        for (s = w->task ? w->task->scope : w->scope; s && n < 0; s = dfi_load_relaxed(&s->parent)) {
            n = dfi_flow_find_window(s->task, p);
            if (n < 0 && s->kind == DFI_BLOCK) n = dfi_flow_find_window(s->saved_task, p);
        }
    }
    return n < 0 ? 0 : (size_t)n;
}
DFI_EXTERN_C_END

#endif
