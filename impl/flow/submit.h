/* submit.h - df_submit: creation and registration of tasks, throttling, immediate execution; df_wait and df_wait_on */
#ifndef DFI_FLOW_SUBMIT_H
#define DFI_FLOW_SUBMIT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/wait.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/result.h"
#include "../api/stream.h"
#include "../api/task.h"
#include "../api/value.h"
#include "../work/deque.h"
#include "../work/future.h"
#include "../work/nest.h"
#include "../work/worker.h"
#include "../work/goal.h"
#include "../work/wake.h"
#include "../work/stack.h"
#include "../work/find.h"
#include "../work/help.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../work/unsynced.h"
#include "at_once.h"
#include "devices.h"
#include "edge.h"
#include "enter.h"
#include "extra.h"
#include "order.h"
#include "region.h"
#include "task.h"
#include "../more/error.h"
#include "../more/rename.h"
#include "../more/speculate/predicate.h"
#include "../more/speculate/task.h"
#include "../more/taskgraph/list.h"
#include "../more/token.h"
#include "../more/weak.h"
#include "../observe/check/check.h"
#include "../observe/check/declared.h"
#include "../observe/check/view.h"
#include "../observe/events.h"
#include "../observe/graph/graph.h"
#include "../observe/graph/hook.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/schedule/chaos.h"
#include "../observe/schedule/direct.h"
#include "../observe/stall/waits.h"
#include "../api/public.h"

enum {
    /* a submitting thread that tasks may wait for yields this often before it sleeps between two checks, */
    DFI_PASS_YIELDS = 20,
    DFI_PASS_LOOKS = 23,  /* and checks this often, about 3 ms, before it continues without room */
    DFI_WINDOW_STEP = 32 /* a throttled worker makes room for 1/32 of the window at a time, because the records that it
                          * frees and reuses are then still in its first-level cache (with half the window: +12 ns) */
};

/* Moves the count of children completed by others to the owner's counter. pre: s is open. */
static void dfi_take_over(struct dfi_scope *s)
{
    /* acquire: pairs with dfi_flow_release */
    if (dfi_load_relaxed(&s->pending)) s->submitted += (size_t)dfi_exchange_acq_rel(&s->pending, (intptr_t)0);
}

/* Does a helper run a task, rather than search for work? If so, it does not wait for this thread. */
static int dfi_helpers_work(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), awake = 0;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        awake += dfi_load_relaxed(&v->helper) && dfi_load_relaxed(&v->park) == DFI_AWAKE &&
                 dfi_load_relaxed(&v->asleep) == DFI_NOT_ASLEEP;
    }
    return awake > dfi_load_relaxed(&dfi_pool.spinning);
}

/* dfi_throttle with streams: makes room while there is progress, and never waits for children that may themselves
 * wait for the submitting code's next push. If that leaves no room, it checks again after as many submissions as it
 * otherwise makes room for. */
static DFI_NOINLINE void dfi_throttle_streams(struct dfi_worker *w, struct dfi_scope *s)
{
    size_t step = dfi_pool.window / DFI_WINDOW_STEP;
    struct dfi_goal g;
    struct dfi_loot loot;
    int looks = 0, i;
    if (w->let_pass) {
        w->let_pass--;
        return;
    }
    g.kind = DFI_GOAL_SCOPE, g.scope = s, g.future = NULL, g.flag = NULL;
    dfi_flush(w);
    dfi_level(w, 1);
    for (;;) {
        dfi_take_over(s);
        if (s->submitted - s->done < dfi_pool.window - step) break;
        if (dfi_run_own(w, s->mark, NULL)) looks = 0;
        else if (dfi_find(w, &g, &loot)) {
            dfi_run_loot(w, &loot, NULL);
            looks = 0;
        } else {
            if (!dfi_helpers_work()) {
                w->let_pass = step;
                break;
            }
            if (++looks > DFI_SPIN_SWEEPS) dfi_os_yield();
            else for (i = 0; i < DFI_SPIN_PAUSES; i++) dfi_os_pause();
        }
        if (dfi_asked(w)) dfi_poll(w);
    }
    dfi_offer(w);
    dfi_level(w, -1);
}

/* Is a task ready in the queue or a deque, or running on a helper? */
static int dfi_others_busy(void)
{
    return dfi_work_public() || dfi_helpers_work();
}

/* dfi_throttle with tasks that may block: they do not run nested in the submitting code, which they may wait for, but
 * on a spare in its place. If none of them ends for a while, it admits a few more. -1: there is no spare. */
static DFI_NOINLINE int dfi_throttle_blocking(struct dfi_worker *w, struct dfi_scope *s)
{
    size_t left = 0, before = 0;
    int looks = 0;
    if (w->let_pass) {
        w->let_pass--;
        return 0;
    }
    if (dfi_baton_on()) return -1;
    dfi_block_share(w, 0);
    if (!dfi_others_busy()) { /* all tasks wait for other events */
        w->let_pass = dfi_pool.window / DFI_WINDOW_STEP;
        return 0;
    }
    if (dfi_block_count()) return -1;
    dfi_level(w, 1);
    for (;;) {
        dfi_take_over(s);
        left = s->submitted - s->done;
        /* large steps keep the cost of switching threads low */
        if (left < dfi_pool.window - dfi_pool.window / 2) break;
        if (left != before) before = left, looks = 0;
        else if (++looks > DFI_PASS_LOOKS || !dfi_others_busy()) {
            w->let_pass = dfi_pool.window / DFI_WINDOW_STEP;
            break;
        }
        if (looks < DFI_PASS_YIELDS) dfi_os_yield();
        else dfi_os_sleep_ms();
    }
    dfi_level(w, -1);
    dfi_block_end();
    return 0;
}

/* Throttles the submitting code. The scope has `window` unfinished children, as far as its owner has counted. */
static DFI_NOINLINE void dfi_throttle(struct dfi_worker *w, struct dfi_scope *s)
{
    if (!s->open) return; /* nested in a wait for s, which counts in `pending` */
    dfi_take_over(s);
    if (s->submitted - s->done < dfi_pool.window || dfi_nested_deeply(w)) return;
    dfi_nest_begin(w);
    dfi_check_pause(w);
    if (dfi_load_relaxed(&dfi_may_block) && !dfi_throttle_blocking(w, s)) {
        dfi_check_resume(w);
        dfi_nest_end(w);
        return;
    }
    if (dfi_load_relaxed(&dfi_pool.streams)) dfi_throttle_streams(w, s);
    else if (!dfi_load_relaxed(&dfi_pool.held))
        dfi_wait_until(w, s, dfi_pool.window - 1 - dfi_pool.window / DFI_WINDOW_STEP);
    else /* the children may be waiting for an action of the submitting code */
        while (s->submitted - s->done >= dfi_pool.window && dfi_run_own(w, s->mark, NULL))
            if (dfi_asked(w)) dfi_poll(w);
    dfi_offer(w);
    dfi_check_resume(w);
    dfi_nest_end(w);
}

/* --- options ----------------------------------------------------------------------------------- */

/* dfi_worker.ran_now: the task will not run, and counts as not submitted; as cancelled */
enum { DFI_DROPPED = 2, DFI_PASSED_OVER = 3 };
static int dfi_guess_refuses(struct dfi_worker *w, const struct dfi_type *type);
static void dfi_guess_dropped(struct dfi_worker *w);

/* Sets the options of the next df_submit in this thread. */
DFI_API void dfi_with(const struct df_opts *o, const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    df_token *const *t;
    if (!o) return;
    for (t = o->signals; t && *t; t++) dfi_fetch_add_relaxed(&(*t)->dfi_promised, (intptr_t)1);
    if (w) w->opts = o, w->opts_site = site, w->ran_now = 0;
    else /* without a worker, each task runs immediately, in order */
        for (t = o->after; t && *t; t++) dfi_wait_token(*t, site);
}

DFI_API void dfi_with_end(const struct df_opts *o)
{
    struct dfi_worker *w = dfi_me();
    df_token *const *k;
    for (k = o && (!w || w->ran_now) ? o->signals : NULL; k && *k; k++)
        if (w && w->ran_now == DFI_DROPPED) dfi_fetch_add_relaxed(&(*k)->dfi_promised, (intptr_t)-1);
        else dfi_token_keep_promise(w, *k, w ? w->opts_site : "df_submit_with", w && w->ran_now == DFI_PASSED_OVER);
    if (w) w->opts = NULL, w->ran_now = 0;
}

/* Do the options affect more than the name and site of the task? */
static int dfi_opts_matter(const struct df_opts *o)
{
    return o->priority || o->worker || (o->after && *o->after) || (o->signals && *o->signals) || o->group ||
           o->release || o->deterministic;
}

/* Gives t the options o, except tokens and df_release. pre: t has optional state. */
static void dfi_opts_give(struct dfi_flow *t, const struct df_opts *o, const char *site)
{
    struct dfi_extra *x = t->extra;
    x->site = site;
    x->name = o->name ? o->name : t->type->name;
    x->priority = o->priority;
    x->device = o->device;
    x->group = o->group;
    if (o->worker == DF_MAIN_THREAD) x->pin = 0;
    else if (o->worker > 0 && o->worker < dfi_pool.n_workers) x->pin = o->worker;
    else if (o->worker) dfi_warn("%s: df_opts.worker = %d, but workers are 1 to %d or DF_MAIN_THREAD: any worker "
                                 "runs it", x->site, o->worker, dfi_pool.n_workers - 1);
    if (x->pin >= 0) dfi_store_relaxed(&dfi_pool.particular, 1);
}

/* Gives t the options of the call. 0, or -1 if out of memory; then call dfi_opts_failed. */
static DFI_NOINLINE int dfi_opts_take(struct dfi_worker *w, struct dfi_flow *t)
{
    const struct df_opts *o = w->opts;
    struct dfi_extra *x = dfi_extra_of(w, t);
    df_token *const *k;
    w->opts = NULL;
    if (!x) return -1;
    dfi_opts_give(t, o, w->opts_site);
    for (k = o->signals; k && *k; k++) {
        struct dfi_use *u = dfi_use_new(w, &x->signals);
        if (!u) return -1;
        u->token = *k;
    }
    for (k = o->after; k && *k; k++)
        if (dfi_token_after(w, t, *k)) return -1;
    if (t->n_edges && !x->held_by) dfi_hold(w, x);
    return o->release ? dfi_weak_releasable(w, t) : 0;
}

/* Called if memory to give t the options o is lacking: waits for its tokens. dfi_with_end signals. */
static DFI_COLD void dfi_opts_failed(struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o)
{
    df_token *const *k;
    for (k = o->after; k && *k; k++) dfi_wait_token(*k, w->opts_site);
    if (!t->task.mem.special) return;
    dfi_os_lock(&w->held_lock); /* a stall report may be reading it (observe/stall/report.h) */
    dfi_uses_free(w, w, t->extra->signals);
    t->extra->signals = NULL;
    dfi_os_unlock(&w->held_lock);
}

static void dfi_taskgraph_submit(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_access *x,
                                 unsigned n);
static void dfi_capture_missing(struct dfi_worker *w);
static int dfi_steady_submit(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n);

/* --- submission -------------------------------------------------------------------------------- */

/* With one worker: are all earlier tasks done, and does the task need nothing but to run? */
static DFI_NOINLINE int dfi_may_run_now_slow(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = w->scope;
    if (DF_CHECK || dfi_pool.defer || dfi_watched() & DFI_WATCH_DIRECT || (w->opts && dfi_opts_matter(w->opts)) ||
        dfi_load_relaxed(&dfi_pool.cancels))
        return 0;
    /* The task, or a task that it waits for, may wait for the next action of the submitting code: a signal, a push, a
     * commit. So it must not run nested in that code: docs/memory-order.md, "Blocking". */
    if (dfi_load_relaxed(&dfi_may_block) || dfi_load_relaxed(&dfi_pool.streams)) return 0;
    if (dfi_pool.deterministic && type->modes & DFI_GROUPED) return 0;
    if (type->modes && dfi_load_relaxed(&dfi_pool.devices)) return 0;
    if (w->task) return !(w->task->task.mem.special && w->task->extra->weak && !w->task->extra->weak->at_once);
    if (s->capture && s->capture->kind == DFI_CAPTURE_TASKGRAPH) return 0; /* the recording must see the task */
    if (s->gated && !s->gated->extra->weak->at_once) return 0; /* the gates may be closed */
    if (dfi_load_relaxed(&s->spoilt)) return 0; /* successors of the cancelled tasks must be cancelled too */
    if (s->submitted == s->done) dfi_settle(w, s); /* earlier tasks may have left private copies */
    return s->submitted == s->done;
}

/* A fast check, which also implies that there are no observers. */
DFI_INLINE int dfi_may_run_now(struct dfi_worker *w)
{
    /* without a table, no task was registered in this scope, and none of its gates was closed */
    return DFI_LIKELY(dfi_load_relaxed(&dfi_pool.run_now) && !w->opts && !dfi_load_relaxed(&dfi_pool.cancels) &&
                      (w->task ? !w->task->task.mem.special
                               : !w->scope->table && w->scope->submitted == w->scope->done)) != 0;
}

/* Creates a child of the running code. NULL: out of memory. */
static struct dfi_flow *dfi_flow_for(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = dfi_scope_here(w);
    if (!s) return NULL;
    if (DFI_UNLIKELY(s->submitted - s->done >= dfi_pool.window)) {
        const struct df_opts *o = w->opts; /* must not apply to tasks that run meanwhile */
        const char *site = w->opts_site;
        w->opts = NULL;
        dfi_throttle(w, s);
        w->opts = o, w->opts_site = site;
    }
    return dfi_flow_new(w, s, type);
}

/* NULL: the caller runs the task immediately (dfi_run_now). With one worker, all earlier tasks have run immediately
 * and in order, so no dependence analysis is needed. DFI_BARE: memory for a record is lacking (dfi_run_after). If
 * such a task has no accesses, the result is NULL as well, so that the caller need not list them; dfi_run_now then
 * checks `bare`, only if there are options. */
static struct df_opts dfi_opts_none;
DFI_API struct dfi_task *dfi_task_new(const struct dfi_type *type)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_flow *t;
    if (!w) return NULL;
    if (DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_refuses(w, type)) return NULL;
    if (dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_nested_deeply(w)) {
        if (dfi_may_run_now(w)) return NULL;
        if (dfi_may_run_now_slow(w, type)) {
            if (!dfi_observed() || !(t = dfi_flow_for(w, type))) return NULL;
            w->at_once = t;
            return &t->task;
        }
    }
    if ((t = dfi_flow_for(w, type)) != NULL) return &t->task;
    dfi_graph_missing();
    if (w->scope->capture) dfi_capture_missing(w);
    if (type->modes) return DFI_BARE;
    w->bare = 1;
    if (!w->opts) w->opts = &dfi_opts_none;
    return NULL;
}

static int dfi_cancelled_with(struct dfi_scope *s, const struct df_group *group)
{
    return dfi_load_relaxed(&dfi_pool.cancels) &&
           ((group && dfi_load_relaxed(&group->dfi_cancelled)) || dfi_scope_cancelled(s));
}

/* Called if memory for the record of a task with these accesses is lacking: waits until its predecessors and tokens
 * allow it to run. Zero: it is cancelled. */
static DFI_COLD int dfi_bare_begin(struct dfi_worker *w, const struct dfi_access *x, unsigned n)
{
    const struct df_opts *o = w->opts;
    const char *site = w->opts_site;
    struct dfi_scope *s = dfi_scope_here(w);
    df_token *const *k;
    int skip;
    w->opts = NULL; /* must not apply to tasks that run meanwhile */
    if (s && dfi_pool.rename_bytes) dfi_settle(w, s); /* moves renamed values to the memory that the task uses */
    skip = dfi_wait_before(w, s, NULL, x, n);
    for (k = o ? o->after : NULL; k && *k; k++) skip |= dfi_wait_token(*k, site) != DF_OK;
    w->opts = o, w->opts_site = site;
    if (!skip && !dfi_cancelled_with(w->task ? w->task->scope : w->scope, o ? o->group : NULL)) return 1;
    dfi_store_relaxed(&w->n_skipped, dfi_load_relaxed(&w->n_skipped) + 1);
    w->opts = NULL, w->ran_now = o ? DFI_PASSED_OVER : 0; /* for dfi_with_end */
    return 0;
}

/* Called after a task of that type ran in the scope of its parent. Waits for the children that it left queued,
 * because of their options or a deep stack: successors of the task must also follow its children, but the task has no
 * record that could represent them. (Does not wait if tasks wait for tokens or inputs, which the running code may
 * have to supply.) */
static DFI_COLD void dfi_finish_left(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = w->scope;
    if (!type->modes || !s->open || s->submitted == s->done) return;
    dfi_nest_begin(w); /* tasks that a child submits are queued rather than nested with further waits */
    if (!dfi_load_relaxed(&dfi_pool.held)) dfi_wait_until(w, s, 0);
    else {
        while (dfi_run_own(w, s->mark, NULL))
            if (dfi_asked(w)) dfi_poll(w);
        dfi_offer(w);
    }
    dfi_nest_end(w);
}
static DFI_COLD void dfi_run_now_left(struct dfi_worker *w, const struct dfi_type *type)
{
    if (w->now && w->now == w->scope->task) w->now = w->scope; /* the running body has a scope now */
    /* with windows: called when they are released */
    if (!w->task && !(type->modes & DFI_STREAM)) dfi_finish_left(w, type);
}

/* Runs a task immediately, in the scope of its parent, as requested by dfi_task_new. Its df_local memory is freed at
 * its end, unless unfinished tasks may use it. */
DFI_API void dfi_run_now(const struct dfi_type *type, void *args)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_scope *s;
    struct dfi_local *locals;
    const struct df_opts *with;
    const void *now;
    size_t room_used, mark;
    if (!w) {
        dfi_graph_missing();
        type->run(args, NULL);
        return;
    }
    s = w->scope;
    if (DFI_UNLIKELY(s->guess != NULL) && dfi_guess_drops(w)) {
        w->bare = 0;
        dfi_guess_dropped(w);
        dfi_args_order(type, args, DFI_ORDER_DROP);
        return;
    }
    if (DFI_UNLIKELY((with = w->opts) != NULL)) {
        if (w->bare) {
            w->bare = 0;
            if (!dfi_bare_begin(w, NULL, 0)) {
                dfi_args_order(type, args, DFI_ORDER_DROP);
                return;
            }
        }
        w->opts = NULL;
    }
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices))) dfi_gpu_before_any(type);
    locals = s->locals, room_used = s->room_used, mark = w->head;
    now = w->now;
    w->now = w->task ? (const void *)w->task : (const void *)s;
    dfi_nest_begin(w);
    dfi_store_relaxed(&w->n_tasks, dfi_load_relaxed(&w->n_tasks) + 1);
    dfi_body_run(w, type, args, NULL);
    dfi_nest_end(w);
    w->now = now;
    if (DFI_UNLIKELY(with != NULL)) w->ran_now = 1; /* for dfi_with_end */
    if (DFI_UNLIKELY(w->sites != NULL)) dfi_report_unsynced(w, mark, DFI_END_OF_TASK);
    if (DFI_UNLIKELY(s != w->scope || s->submitted != s->done)) {
        dfi_run_now_left(w, type);
        if (s != w->scope || s->submitted != s->done) return;
    }
    if (DFI_UNLIKELY(s->locals != locals)) dfi_scope_free_locals(s, locals);
    s->room_used = room_used;
}

/* dfi_run_now for a result of DFI_BARE. */
DFI_API void dfi_run_after(const struct dfi_type *type, void *args, const struct dfi_access *x, unsigned n)
{
    if (dfi_bare_begin(dfi_me(), x, n)) dfi_run_now(type, args);
    else dfi_args_order(type, args, DFI_ORDER_DROP);
}

/* Called if memory to order t is lacking: waits for its predecessors, then runs it here, on the original memory. */
static DFI_COLD void dfi_submit_now(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n,
                                    const struct df_opts *o)
{
    struct dfi_edge *e, *next;
    unsigned i;
    w->opts = NULL;
    if (o) dfi_opts_failed(w, t, o);
    if (t->task.mem.special) dfi_extra_leave(w, t);
    if (t->parts) t->parts->closed = 1; /* its parts would not be ordered */
    if (t->task.mem.special) dfi_extra_wait_tokens(w, t);
    if (dfi_pool.rename_bytes) dfi_settle(w, t->scope);
    if (dfi_wait_before(w, t->scope, t, x, n) ||
        (!(t->type->modes & DFI_INTERNAL) &&
         dfi_cancelled_with(t->scope, t->task.mem.special ? t->extra->group : NULL)))
        dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    /* Entries that remember t count as done, because children that its body submits are children of the same scope.
     * The only successors of t were submitted by code that ran during the wait. */
    for (e = dfi_exchange_acq_rel(&t->succ, DFI_DONE_EDGE); e; e = next) {
        struct dfi_flow *u = e->task;
        next = e->next;
        if (dfi_flow_unblock(u)) dfi_ready_sibling(w, u);
    }
    for (i = 0; i < n; i++)
        if (x[i].arg != DFI_NO_ARG) {
            const char *end = (const char *)x[i].p + x[i].row;
            memcpy((char *)t->task.args + x[i].arg, &x[i].p, sizeof x[i].p);
            if (x[i].mode & DFI_RANGE) memcpy((char *)t->task.args + x[i].arg + sizeof x[i].p, &end, sizeof end);
        }
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices)) && !(t->type->modes & DFI_LAUNCH)) dfi_gpu_hook->host(x, n);
    if (t->scope->guess && dfi_guess_drops(w)) {
        dfi_store_relaxed(&w->n_undone, dfi_load_relaxed(&w->n_undone) + 1);
        dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
    } else if (t->task.mem.special && t->extra->windows) dfi_stream_run_now(w, t);
    else if (!dfi_load_relaxed(&t->skip)) dfi_body_run(w, t->type, t->task.args, t); /* in the scope of its parent */
    else dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
    if (t->parts) dfi_weak_done(w, t);
    dfi_check_done(t);
    if (t->task.mem.special) {
        dfi_extra_signal(w, t);
        if (t->extra->guess) dfi_guess_leave(t->extra->guess);
    }
    dfi_flow_free(w, t);
    if (o) w->ran_now = 1; /* for dfi_with_end */
}

/* Stores the source line of df_submit in t (DF_DEBUG), for stall reports. */
static DFI_COLD void dfi_submit_remember(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x;
    if (dfi_call_site == dfi_no_site || t->type->modes & DFI_INTERNAL) return;
    if ((x = dfi_extra_of(w, t)) != NULL && !x->site) {
        x->site = dfi_call_site;
        if (!x->name) x->name = t->type->name;
    }
    dfi_call_site = dfi_no_site;
}

/* The uncommon parts of a submission, before and after its accesses are registered. 0; 1: it has its edges; if memory
 * is lacking -1, or -2 for options. */
static DFI_NOINLINE int dfi_submit_before(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    struct dfi_graph *g = DFI_GRAPH();
    int failed = 0;
    unsigned i;
    for (i = 0; w->opts && w->opts->deterministic && i < n; i++)
        if (dfi_kind(x[i].mode) == DFI_REDUCE) x[i].mode |= DFI_ORDERED;
    if (t->scope->capture && t->scope->capture->kind == DFI_CAPTURE_TASKGRAPH) dfi_taskgraph_submit(w, t, x, n);
    if (g) dfi_graph_submit(g, w, t, x, n);
    if (w->opts && dfi_opts_take(w, t)) return -2;
    if (dfi_stall_on()) dfi_submit_remember(w, t);
    if (dfi_watched()) dfi_watch_submit(w, t, x, n);
#if DF_CHECK
    dfi_check_submit(w, t, x, n);
#endif
    if (t->type->modes & DFI_SHARED) dfi_accesses_apart(x, n);
    if (t->scope->guess && !(t->type->modes & DFI_INTERNAL) && dfi_guess_take(w, t, x, n)) return -1;
    failed |= t->type->modes & DFI_WEAK && !(t->task.mem.special && t->extra->guess) && dfi_weak_releasable(w, t);
    failed |= dfi_pool.rename_bytes && dfi_rename_before(w, t, x, n);
    failed |= dfi_gpu_hook && dfi_gpu_note(w, t, x, n);
    if (!failed && t->scope->capture && t->scope->capture->kind == DFI_CAPTURE_STEADY)
        return dfi_steady_submit(w, t, x, n);
    return failed ? -1 : 0;
}

static DFI_NOINLINE int dfi_submit_after(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    unsigned i;
    if (!t->parts) return 0;
    for (i = 0; i < n; i++)
        if (!(x[i].mode & DFI_WEAK)) t->parts->strong[t->parts->n_strong++] = dfi_region_of(&x[i]);
    /* weak accesses after the others: t itself waits for regions covered by the others, so its children need not */
    return t->type->modes & DFI_WEAK ? dfi_weak_submit(w, t, x, n) : 0;
}

/* Registers t with its accesses and counts it. Nonzero: it is ready, and the caller pushes or runs it. */
DFI_INLINE int dfi_submit_register(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n,
                                   int streams)
{
    const struct df_opts *o = w->opts;
    int more = DF_CHECK || o || DFI_GRAPH() || dfi_watched() || dfi_pool.rename_bytes ||
               dfi_load_relaxed(&dfi_pool.devices) || t->scope->guess || t->scope->capture ||
               t->type->modes & (DFI_SHARED | DFI_WEAK), failed;
    unsigned i;
    failed = DFI_UNLIKELY(more) ? dfi_submit_before(w, t, x, n) : 0;
    for (i = 0; i < n && !failed; i++)
        if (!(x[i].mode & DFI_WEAK) && DFI_UNLIKELY((failed = dfi_register(w, t, t, &x[i])) > 0)) {
            dfi_region_report(t, i);
            failed = 0;
        }
    if (DFI_UNLIKELY(more) && !failed) failed = dfi_submit_after(w, t, x, n);
    w->reg_task = NULL, w->reg_access = NULL;
    if (DFI_UNLIKELY(failed < 0)) {
        dfi_submit_now(w, t, x, n, failed == -2 ? o : NULL);
        return 0;
    }
    if (streams && dfi_load_relaxed(&t->extra->windows_missing) > 0 && !t->extra->held_by) dfi_hold(w, t->extra);
    failed = !dfi_flow_count(w, t);
    if (DFI_UNLIKELY(more) && dfi_chaotic()) {
        dfi_chaos_submitted(w, t, !failed);
        return 0;
    }
    return !failed && !(DFI_UNLIKELY(t->task.mem.special) && dfi_ready_special(w, t));
}

static void dfi_submit_run(struct dfi_worker *w, struct dfi_flow *t)
{
    dfi_nest_begin(w);
    dfi_level(w, 1);
    dfi_run_chain(w, t, NULL);
    dfi_level(w, -1);
    dfi_nest_end(w);
    dfi_offer(w);
}

DFI_INLINE void dfi_submit_push(struct dfi_worker *w, struct dfi_flow *t)
{
    dfi_push(w, t);
    if (dfi_asked(w)) dfi_poll(w);
    else dfi_offer(w);
}

/* Submits a task, and runs it here if it is ready. For launches: they enter the device queue immediately and in
 * program order, which caching and prefetching rely on. Also for tasks that run immediately, and have a record only
 * for observers (dfi_task_new). */
DFI_API void dfi_submit_here(struct dfi_task *task, struct dfi_access *x, unsigned n)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_flow *t = (struct dfi_flow *)(void *)task;
    const struct dfi_type *type = t->type;
    size_t mark = w->head;
    int at_once = w->at_once == t;
    DFI_CHECK_CALL(w);
    if (at_once) w->at_once = NULL;
    if (!dfi_submit_register(w, t, x, n, 0)) {
        dfi_offer(w);
        return;
    }
    if (at_once && t->task.mem.special && t->extra->weak) {
        t->extra->weak->at_once = 1;
        while (dfi_run_own(w, mark, NULL)) continue; /* its gates, which have no predecessors */
    }
    dfi_submit_run(w, t);
    if (at_once) dfi_finish_left(w, type); /* as for a task without a record */
}

DFI_API void dfi_submit(struct dfi_task *task, struct dfi_access *x, unsigned n)
{
    struct dfi_worker *w = (struct dfi_worker *)(void *)dfi_self;
    struct dfi_flow *t = (struct dfi_flow *)(void *)task;
    if (DFI_UNLIKELY(w->at_once == t)) {
        dfi_submit_here(task, x, n);
        return;
    }
    DFI_CHECK_CALL(w);
    if (!dfi_submit_register(w, t, x, n, 0)) dfi_offer(w); /* publishes the internal tasks that precede it */
    else if (dfi_stack_full(w) && !dfi_nested_deeply(w) && !DFI_CHECK_ASAN && !dfi_load_relaxed(&dfi_may_block))
        dfi_submit_run(w, t);
    else dfi_submit_push(w, t);
}

/* --- waiting ----------------------------------------------------------------------------------- */

struct dfi_wait_on { DFI_ATOMIC(intptr_t) *flag; struct dfi_worker *waiter; };

static void dfi_wait_on_run(void *args, void *result)
{
    struct dfi_wait_on a = *(struct dfi_wait_on *)args;
    (void)result;
    dfi_internal_counted();
    dfi_store_seq_cst(a.flag, (intptr_t)1); /* the flag is on the waiting thread's stack, and gone from here on */
    dfi_wake_waiting(a.waiter);
}

/* Waits until the existing children that conflict with the accesses x are done. */
static void dfi_wait_for(struct dfi_worker *w, struct dfi_access *x, unsigned n, const char *site)
{
    static const struct dfi_type type = {
        dfi_wait_on_run, "df_wait_on", 0, 0, sizeof(struct dfi_wait_on), DFI_INTERNAL, NULL };
    DFI_ATOMIC(intptr_t) flag;
    struct dfi_wait_on a;
    struct dfi_task *t;
    struct dfi_goal g;
    if (!w || w->task || !w->scope->table) return; /* no task has been submitted */
    /* resolves the predicate, so that the awaited tasks are either confirmed or dropped */
    if (DFI_UNLIKELY(w->scope->guess != NULL)) dfi_guess_drops(w);
    if (!(t = dfi_task_new(&type)) || t == DFI_BARE) {
        if (t) dfi_wait_before(w, w->scope, NULL, x, n);
        if (dfi_load_relaxed(&dfi_pool.devices)) dfi_gpu_hook->host(x, n);
        return;
    }
    dfi_store_relaxed(&flag, (intptr_t)0);
    a.flag = &flag, a.waiter = w;
    memcpy(t->args, (void *)&a, sizeof a);
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_until(w, (struct dfi_flow *)(void *)t);
    dfi_submit(t, x, n);
    g.kind = DFI_GOAL_FLAG, g.scope = w->scope, g.future = NULL, g.flag = &flag;
    dfi_wait_helping(w, w->scope->mark, &g, DFI_WAIT_TASK, t, site);
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices))) dfi_gpu_hook->host(x, n);
}

DFI_EXTERN_C_BEGIN
DFI_API DFI_NOINLINE void dfi_wait_here(const char *site)
{
    struct dfi_worker *w = dfi_me();
    DFI_UNSYNCED(w);
    if (!w || w->task) return;
    DFI_CHECK_CALL(w);
    dfi_wait_site(w, site);
    dfi_wait_all(w, w->scope);
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_wait(w);
    dfi_scope_unspoil(w, w->scope);
    dfi_scope_uncancel(w->scope);
    if (DFI_UNLIKELY(w->scope->capture != NULL || dfi_pool.capture)) dfi_capture_waited(w);
    if (DFI_UNLIKELY(dfi_baton_on())) dfi_baton_outside(w);
}

DFI_API DFI_NOINLINE void dfi_wait_on_here(const char *site, const void *p, size_t bytes)
{
    struct dfi_access x;
    struct dfi_worker *w = dfi_me();
    struct dfi_region r;
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, p, bytes);
    r = dfi_region_of(&x);
    if (DFI_UNLIKELY(dfi_region_is_all(&r))) dfi_error("%s%sdf_wait_on: there are fewer bytes behind the address: "
                                                       "it waits for all tasks that write",
                                                       site ? site : "", site ? ": " : "");
    DFI_CHECK_CALL(w);
    DFI_UNSYNCED(w);
    dfi_wait_for(w, &x, 1, site);
    if (w) dfi_check_waited(w, &x);
}

DFI_API void (df_wait)(void) { dfi_wait_here(NULL); }
DFI_API void (df_wait_on)(const void *p, size_t bytes) { dfi_wait_on_here(NULL, p, bytes); }
DFI_EXTERN_C_END

#endif
