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
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/result.h"
#include "../../api/stream.h"
#include "../../api/task.h"
#include "../../work/module.h"
#include "../../flow/nest.h"
#include "../../flow/queue.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/find.h"
#include "../../work/scope.h"
#include "../../flow/scope.h"
#include "../../work/tables.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../work/director.h"
#include "../../work/probe.h"
#include "../../work/unsynced.h"
#include "../../flow/edge.h"
#include "../../flow/submit.h"
#include "../../flow/task.h"
#include "../deadlock.h"
#include "../error.h"
#include "../lock.h"
#include "api.h"
#include "ring.h"
#include "window.h"
#include "../token.h"
#include "../../api/error.h"
#include "../../api/stream_public.h"
#include "../../api/submit_options.h"

static void dfi_stream_task_waits(void *task, long windows)
{
    /* relaxed: a thread that subtracts from it has since held the lock of a stream, which is still
     * held here */
    dfi_store_relaxed(&dfi_windows_of(((struct dfi_flow *)task)->extra)->missing, (intptr_t)windows);
}
#define dfi_up_windows_wait_by , dfi_stream_task_waits

static void dfi_stream_task_skip(void *task)
{
    dfi_store_relaxed(&((struct dfi_flow *)task)->skip, (unsigned)DFI_SKIPPED);
}
#define dfi_up_window_skips_by , dfi_stream_task_skip

/* While streams exist, a task may wait for the next push of the submitting code, and so must not run inside its
 * submission (dfi_parts_may_run_now). */
static void dfi_stream_created(int by)
{
    dfi_fetch_add_acq_rel(&dfi_more.streams, by);
    dfi_careful_add(by);
}
#define dfi_up_streams_change_by , dfi_stream_created

static void dfi_windows_release(struct dfi_worker *w, struct dfi_window *v)
{
    while (v) {
        struct dfi_flow *t = (struct dfi_flow *)v->task;
        struct dfi_window *next = v->wait_next; /* v may be gone after the subtraction */
        dfi_at_release(w, t);
        /* acq_rel: passes what was seen under the locks of several streams to the thread that
         * releases the task */
        if (dfi_fetch_sub_acq_rel(&dfi_windows_of(t->extra)->missing, (intptr_t)1) == 1 &&
            dfi_flow_unblock(t))
            dfi_ready_any(w, t);
        v = next;
    }
}

static void dfi_windows_ready(struct dfi_window *v, int outside)
{
    struct dfi_worker *w = v ? dfi_me_attached() : dfi_me();
    if (w) dfi_turn_take(w);
    if (outside) dfi_happened(w);
    dfi_windows_release(w, v);
}
#define dfi_up_windows_ready_by , dfi_windows_ready

/* --- begin and end of a task: called by more/parts.h ----------------------------------------------- */

/* t lacks memory for a window; later: another task uses the fallback memory. w may be NULL: then the caller retries by
 * itself on DFI_LATER. */
static DFI_NOINLINE DFI_COLD int dfi_stream_lacks(struct dfi_worker *w, struct dfi_flow *t, int later)
{
    if (later) {
        dfi_warn_once("out of memory: tasks with streams wait for memory that another task uses");
        if (!w) return DFI_LATER;
        dfi_os_yield();
        dfi_queue_put(&dfi_flow_pool.queue, t);
        dfi_wake_for_work();
        return DFI_LATER;
    }
    dfi_warn_once(DFI_MESSAGE_STREAM_MEMORY);
    dfi_flow_fails(t, DF_ERROR_MEMORY);
    if (w) dfi_count(&dfi_tasks_of(w)->n_skipped);
    return DFI_SKIP;
}

/* w may be NULL, as above. */
static int dfi_stream_begin(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_windows *x = dfi_windows_of(t->extra);
    int r = dfi_windows_begin(x->first, (char *)t->task.args, x->array);
    if (DFI_UNLIKELY(r != 0)) return dfi_stream_lacks(w, t, r > 0);
    if (DFI_UNLIKELY(x->began != 0)) x->began = dfi_work_ns(w);
    return DFI_GO;
}

/* The time that the body took, if measured, else 0. */
static unsigned dfi_stream_took(struct dfi_worker *w, uint64_t began)
{
    uint64_t took;
    if (DFI_ALONE || DFI_LIKELY(began <= 1)) return 0;
    took = dfi_work_ns(w) - began;
    return took < 1 ? 1 : took < 1000000 ? (unsigned)took : 1000000;
}

static void dfi_stream_end(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_windows *x = dfi_windows_of(t->extra);
    int skipped = dfi_load_relaxed(&t->skip) != 0;
    unsigned ns = skipped ? 0 : dfi_stream_took(w, x->began);
    dfi_windows_end(x->first, skipped, ns, &a);
    x->first = NULL;
    if (!a.ready) return;
    dfi_at_releases(w, t);
    dfi_windows_release(w, a.ready);
    dfi_at_releases(w, NULL);
}

/* --- submission ------------------------------------------------------------------------------------ */

/* Gives the new task t its windows. 0, or -1 without memory. pre: w owns the scope of t */
static int dfi_stream_take(struct dfi_worker *w, struct dfi_flow *t, struct dfi_take *q)
{
    struct dfi_extra *x = dfi_extra_of(w, t);
    if (!x) return -1;
    x->name = q->name;
    q->task = t;
    if (q->arrays && q->count) {
        if (!(dfi_windows_of(x)->array = (void **)dfi_malloc(q->count * sizeof(void *)))) return -1;
        q->locks = (struct dfi_stream **)(void *)dfi_windows_of(x)->array;
    }
    if (q->count && !dfi_take_windows(q, DFI_TAKE_ALL)) return -1;
    dfi_windows_of(x)->first = q->windows;
    dfi_windows_of(x)->began = (uint64_t)(q->measure != 0);
    if (q->waits) {
        t->n_edges++; /* the first edge: its cell is in the task */
        dfi_happened(w);
    }
    if (q->wrong) dfi_flow_fails(t, DF_ERROR_STREAM);
    return 0;
}

/* Waits briefly, where no ordinary wait is possible. Zero: no progress for df_config.patience. */
static DFI_COLD int dfi_stream_help(struct dfi_worker *w, size_t *stamp, int *looks)
{
    struct dfi_scope *s = w ? dfi_scope_here(w) : NULL;
    struct dfi_goal g;
    struct dfi_stolen stolen;
    size_t now;
    if (s) {
        g.kind = DFI_GOAL_SCOPE, g.scope = s;
        dfi_flush(w);
        if (dfi_run_own(w, w->task ? w->task_mark : s->mark, NULL)) return 1;
        if (dfi_find(w, &g, &stolen)) {
            dfi_run_stolen(w, &stolen, NULL);
            dfi_offer(w);
            return 1;
        }
        if (dfi_steal_requested(w)) dfi_poll(w);
    }
    now = dfi_deadlock_stamp(w);
    if (!now || now != *stamp) *stamp = now, *looks = 0;
    dfi_os_sleep_ms();
    return ++*looks < dfi_more.patience * 1000 || !dfi_load_relaxed(&dfi_pool.running);
}

/* t cannot be started later: waits for its windows here. */
static DFI_COLD void dfi_stream_wait(struct dfi_worker *w, struct dfi_flow *t)
{
    size_t stamp = 0;
    int looks = 0;
    /* acquire; pairs with dfi_windows_release */
    while (dfi_load_acquire(&dfi_windows_of(t->extra)->missing) > 0)
        if (!dfi_stream_help(w, &stamp, &looks)) {
            struct dfi_missing m;
            dfi_windows_give_up(dfi_windows_of(t->extra)->first, &m);
            if (m.windows) dfi_deadlock_stream(w, t->extra, &m);
        }
}

/* A task that its submitter runs because memory is short: df_stream_count finds its windows here. */
struct dfi_stream_now { struct dfi_window *windows; struct dfi_stream_now *outer; };
static DFI_TLS struct dfi_stream_now *dfi_streams_now;

/* Runs the body of a task that has its windows v, and cannot be started later, in the scope of its submitter, and waits
 * for its children. t: its record; NULL: it has none, and stores its result, if it is wanted, at `result`. */
static DFI_COLD void dfi_stream_body_now(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                         struct dfi_flow *t, struct dfi_window *v, void *result)
{
    struct dfi_scope *s = w ? w->scope : NULL;
    size_t n_children = s ? dfi_flow_of(s)->n_children : 0;
    struct dfi_stream_now me;
    me.windows = v, me.outer = dfi_streams_now;
    dfi_streams_now = &me;
    if (t) dfi_body_run(w, type, args, t);
    else if (result) dfi_run_now_result(type, args, result);
    else dfi_run_now(type, args);
    if (s && s == w->scope && n_children != dfi_flow_of(s)->n_children) dfi_wait_all(w, s);
    dfi_streams_now = me.outer;
}

/* Runs t, which cannot be started later, and has its windows. */
static DFI_COLD void dfi_stream_run_now(struct dfi_worker *w, struct dfi_flow *t)
{
    while (!dfi_load_relaxed(&t->skip) && dfi_stream_begin(NULL, t) == DFI_LATER) dfi_os_sleep_ms();
    if (dfi_load_relaxed(&t->skip)) dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
    else dfi_stream_body_now(w, t->type, t->task.args, t, dfi_windows_of(t->extra)->first, NULL);
    dfi_stream_end(w, t);
}

/* Waits until the windows of q may be entered. DF_ERROR_STUCK: one of them cannot come. */
static DFI_COLD df_result dfi_take_wait(struct dfi_worker *w, struct dfi_take *q)
{
    struct dfi_window *v;
    struct dfi_missing m;
    size_t stamp = 0;
    int looks = 0;
    for (v = q->windows; v; v = v->of_task)
        while (!dfi_window_try(v))
            if (!dfi_stream_help(w, &stamp, &looks)) {
                dfi_stream_lock(v->stream);
                dfi_window_misses(v, &m);
                dfi_stream_unlock(v->stream);
                dfi_missing_report(q->name, q->site, &m);
                return DF_ERROR_STUCK;
            }
    return DF_OK;
}

/* Runs a task without memory for its record: takes windows, and runs it here when it may enter them.
 * w may be NULL. */
static DFI_COLD void dfi_stream_submit_now(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                           const struct dfi_access *x, unsigned n, struct dfi_take *q)
{
    struct dfi_window few[DFI_WINDOWS_NOW], *v;
    struct dfi_stream *few_locks[DFI_WINDOWS_NOW];
    void *few_pointers[DFI_WINDOWS_NOW], **pointers = few_pointers;
    const struct df_opts *o = w ? dfi_tasks_of(w)->opts : NULL;
    struct dfi_scope *s;
    struct dfi_after a = { NULL, NULL, NULL };
    df_result error = q->wrong ? DF_ERROR_STREAM : DF_OK;
    size_t stamp = 0;
    int looks = 0, skip = q->wrong, r = 0;
    char *more = NULL;
    dfi_warn_no_memory();
    dfi_at_lost(w);
    q->windows = few, q->locks = few_locks, q->task = q;
    if (q->count > DFI_WINDOWS_NOW) { /* the records do not fit on the stack */
        if (w) dfi_tasks_of(w)->opts = NULL; /* not for tasks that run meanwhile */
        while (!(more = (char *)dfi_malloc(q->count * (sizeof *v + 2 * sizeof(void *)))))
            dfi_stream_help(w, &stamp, &looks);
        if (w) dfi_tasks_of(w)->opts = o;
        q->windows = (struct dfi_window *)(void *)more;
        q->locks = (struct dfi_stream **)(void *)(q->windows + q->count);
        pointers = (void **)(q->locks + q->count);
    }
    dfi_take_windows(q, DFI_TAKE_ON_STACK);
    if (w && (!dfi_bare_begin(w, x, n) || dfi_bare_insists(w))) skip = 1;
    if (w) dfi_tasks_of(w)->opts = NULL;
    if (dfi_take_wait(w, q)) skip = 1, error = DF_ERROR_STUCK;
    for (v = q->windows; v; v = v->of_task)
        if (v->reader && v->poisoned) skip = 1;
    while (!skip && (r = dfi_windows_begin(q->windows, (char *)args, pointers)) > 0)
        dfi_stream_help(w, &stamp, &looks);
    if (r < 0) skip = 1, error = DF_ERROR_MEMORY;
    if (error && w && (s = dfi_scope_here(w)) != NULL) dfi_scope_set_error(s, error, df_error_text(error));
    if (skip) dfi_args_order(type, args, DFI_ORDER_DROP);
    else {
        if (w) dfi_units_enter(w, x, n);
        dfi_stream_body_now(w, type, args, NULL, q->windows, o ? o->result : NULL);
        if (w) dfi_units_leave(w, x, n);
    }
    dfi_windows_end(q->windows, skip, 0, &a);
    dfi_mfree(more);
    if (a.ready) dfi_windows_ready(a.ready, 0);
    if (!w) return;
    if (!w->task) dfi_finish_left(w, type);
    if (o) dfi_tasks_of(w)->ran_now = skip ? DFI_PASSED_OVER : DFI_RAN_NOW; /* for dfi_with_end */
}

/* --- immediate execution ---------------------------------------------------------------------- */

/* A task that can have its windows immediately, and runs in its submitter, needs no record of its
 * own until it has children. When its body first needs a scope, the task moves to one; no other code
 * knows it before. */
struct dfi_stream_here {
    struct dfi_flow flow; /* first */
    struct dfi_window *windows;
    uint64_t began;
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
    t->index = h->flow.index;
    x->name = t->type->name;
    dfi_windows_of(x)->first = h->windows, dfi_windows_of(x)->began = h->began;
    /* complete, so in no list, and not mirrored: no other thread reads it */
    for (v = h->windows; v; v = v->of_task) v->task = t;
    dfi_flow_count(w, t);
    return w->task = h->moved = t;
}
#define dfi_up_leaves_stack_by , dfi_stream_move

static void dfi_stream_end_here(struct dfi_worker *w, struct dfi_flow *t)
{
    const struct dfi_stream_here *h = (const struct dfi_stream_here *)(const void *)t;
    struct dfi_after a = { NULL, NULL, NULL };
    dfi_windows_end(h->windows, 0, 0, &a);
    if (a.ready) dfi_windows_release(w, a.ready);
}
#define dfi_up_ends_on_stack_by , dfi_stream_end_here

/* Runs a task immediately on the calling thread. Zero: not possible. */
static int dfi_stream_run_here(struct dfi_worker *w, const struct dfi_type *type, void *args,
                               struct dfi_take *q, int always)
{
    struct dfi_stream_here h;
    struct dfi_scope *s = dfi_scope_here(w);
    size_t mark = w->task_mark;
    if (!s || dfi_gated_body(s) || dfi_nested_deeply(w)) return 0;
    q->task = &h.flow;
    if (!dfi_take_windows(q, always ? DFI_TAKE_AT_ONCE : DFI_TAKE_IF_TINY)) return 0;
    h.flow.task.mem.special = DFI_ON_STACK;
    h.flow.task.args = args;
    h.flow.type = type, h.flow.scope = s, h.flow.index = ++dfi_flow_of(s)->n_children;
    dfi_store_relaxed(&h.flow.skip, 0u);
    h.flow.parts = NULL, h.flow.extra = NULL;
    h.windows = q->windows;
    h.began = q->measure ? dfi_work_ns(w) : 0;
    h.moved = NULL;
    dfi_windows_begin(q->windows, (char *)args, NULL);
    dfi_flush(w);
    dfi_code_is(w, &h.flow, w->head);
    dfi_level(w, 1);
    dfi_nest_begin(w);
    dfi_count(&dfi_tasks_of(w)->n_tasks);
    dfi_body_run(w, type, args, NULL);
    if (DFI_LIKELY(!h.moved)) {
        struct dfi_after a = { NULL, NULL, NULL };
        while (DFI_UNLIKELY(w->scope != s)) dfi_block_left(w); /* a block inside */
        dfi_report_unsynced(w, w->task_mark, DFI_END_OF_TASK);
        dfi_code_is(w, NULL, mark);
        dfi_windows_end(q->windows, 0, dfi_stream_took(w, h.began), &a);
        if (a.ready) {
            dfi_windows_release(w, a.ready);
            dfi_offer(w);
        }
    } else { /* as in dfi_flow_run */
        struct dfi_flow *t = h.moved;
        if (w->scope == s) {
            dfi_code_is(w, NULL, mark);
            t = dfi_flow_done(w, t);
        } else t = dfi_flow_end_scope(w, t, NULL, mark);
        if (t) dfi_run_chain(w, t, NULL);
        dfi_offer(w);
    }
    dfi_level(w, -1);
    dfi_nest_end(w);
    if (dfi_steal_requested(w)) dfi_poll(w);
    return 1;
}

DFI_API void dfi_stream_submit(const struct dfi_type *type, void *args, struct dfi_access *x, unsigned n,
                               struct dfi_ask *y, unsigned m)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_take q;
    struct dfi_flow *t;
    int here, always = 0, blocks = dfi_load_relaxed(&dfi_may_block);
    /* windows cannot be rolled back */
    if (w && dfi_dropped(w)) {
        dfi_drop_next(w);
        dfi_args_order(type, args, DFI_ORDER_DROP);
        return;
    }
    dfi_no_graph(w, "a task on streams", type->name);
    memset((void *)&q, 0, offsetof(struct dfi_take, few));
    q.y = y, q.m = m, q.name = type->name;
    if (w && DFI_UNLIKELY(dfi_tasks_of(w)->opts != NULL)) {
        q.site = dfi_tasks_of(w)->opts_site;
        if (dfi_tasks_of(w)->opts->name) q.name = dfi_tasks_of(w)->opts->name;
        if (dfi_tasks_of(w)->opts->always)
            dfi_error("%s: task %s has streams, whose elements may be missing when it is to be skipped: it is skipped "
                      "then, despite .always; do what must be done in a task without streams", q.site, q.name);
    }
    dfi_take_check(&q);
    if (w) {
        if (!dfi_load_relaxed(&dfi_pool.particular)) dfi_store_relaxed(&dfi_pool.particular, 1);
        /* A task that takes less time than a hand-over runs here. A single worker has no other to
         * hand it to, unless an observer has to see it. Neither applies if the task may block,
         * because its submitter may have what it waits for. */
        always = !blocks && dfi_alone() && !dfi_turns() && !dfi_observed();
        /* no option, observer or cancellation to consider, and one window for each parameter */
        here = dfi_careful_some() && !dfi_wanted(DFI_AT_NEW) &&
            !dfi_tasks_of(w)->opts && !dfi_cancels_any() && !n && q.arrays == 0 && m && q.count == m && !q.wrong;
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
    /* with options, it is held when it has its tokens (dfi_token_opts) */
    if (dfi_load_relaxed(&dfi_windows_of(t->extra)->missing) > 0 && !dfi_tasks_of(w)->opts) dfi_hold_task(w, t->extra);
    if (!dfi_flow_pool.defer && (always || (q.tiny && !blocks)) && !dfi_nested_deeply(w))
        dfi_submit_here(&t->task, x, n);
    else dfi_submit(&t->task, x, n);
}

/* --- in a body -------------------------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

static long long dfi_flow_find_window(const struct dfi_flow *t, const void *p)
{
    if (!t || !t->task.mem.special) return -1;
    if (t->task.mem.special != DFI_ON_STACK) return dfi_windows_find(dfi_windows_of(t->extra)->first, p);
    return dfi_windows_find(((const struct dfi_stream_here *)(const void *)t)->windows, p);
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

/* --- module ---------------------------------------------------------------------------------------------- */

static void dfi_module_streams(const struct dfi_moment *m)
{
    if (m->is == DFI_THREAD_UNWINDS) dfi_streams_now = NULL;
#if defined(DF_SERIAL)
    else if (m->is == DFI_POOL_READY) dfi_os_own((void *)&dfi_streams_now);
#endif
}

DFI_SMALL_CODE_END

#endif
