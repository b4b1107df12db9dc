/* submit.h - df_submit: creation and registration of tasks, and their immediate execution */
#ifndef DFI_FLOW_SUBMIT_H
#define DFI_FLOW_SUBMIT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/access.h"
#include "../api/hooks.h"
#include "../api/core.h"
#include "../api/stream.h"
#include "../api/task.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/goal.h"
#include "nest.h"
#include "../work/probe.h"
#include "../work/scope.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "at_once.h"
#include "body.h"
#include "careful.h"
#include "edge.h"
#include "fine.h"
#include "lazy.h"
#include "moments.h"
#include "options.h"
#include "order.h"
#include "scope.h"
#include "supervise.h"
#include "task.h"
#include "throttle.h"
#include "types.h"
#include "../api/submit_options.h"
#include "../api/value.h"

/* Creates a child of the running code. NULL: out of memory. */
static struct dfi_flow *dfi_flow_for(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = dfi_scope_here(w);
    if (!s) return NULL;
    if (DFI_UNLIKELY(s->submitted - s->done >= dfi_flow_pool.window)) {
        const struct df_opts *o = dfi_tasks_of(w)->opts; /* must not apply to tasks that run meanwhile */
        const char *site = dfi_tasks_of(w)->opts_site;
        dfi_tasks_of(w)->opts = NULL;
        dfi_throttle(w, s);
        dfi_tasks_of(w)->fine_began = 0; /* not the cost of a submission */
        dfi_tasks_of(w)->opts = o, dfi_tasks_of(w)->opts_site = site;
    }
    return dfi_flow_new(w, s, type);
}

/* Shall a task of that type run in its submission? at_once is its record, if it or an observer needs one. */
static DFI_NOINLINE int dfi_runs_at_once(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_flow_worker *f = dfi_tasks_of(w);
    int runs = dfi_may_run_now_slow(w, type);
    if (runs == DFI_RUNS_IF_READY ? !dfi_alone() : runs == DFI_RUNS_LATER) return 0;
    f->at_once = runs == DFI_RUNS_NOW && !dfi_observed() ? NULL : dfi_flow_for(w, type);
    return f->at_once || runs == DFI_RUNS_NOW;
}

/* NULL: the caller runs the task immediately (dfi_run_now). With one worker, all earlier tasks have run immediately
 * and in order, so no dependence analysis is needed; with several, if all earlier ones are done (fine.h). DFI_BARE:
 * memory for a record is lacking (dfi_run_after). If such a task has no accesses, the result is NULL as well, so
 * that the caller need not list them; dfi_run_now then checks `bare`, only if there are options. */
static struct df_opts dfi_opts_none;
DFI_API struct dfi_task *dfi_task_new(const struct dfi_type *type)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_flow *t;
    struct dfi_task *lazy;
    int asked;
    if (!w) return NULL;
    if (!dfi_alone()) {
        if ((lazy = dfi_lazy_slow(w, type)) != NULL) return lazy;
        dfi_create(w);
    }
    if ((asked = dfi_asked(w, DFI_DOES_CREATE, type)) != 0) return asked == DFI_WANTS_ACCESSES ? DFI_BARE : NULL;
    if ((dfi_alone() || dfi_fine_here(w, type)) && !dfi_nested_deeply(w)) {
        if (dfi_may_run_now(w)) return NULL;
        if (dfi_careful_some() && dfi_runs_at_once(w, type))
            return (struct dfi_task *)(void *)dfi_tasks_of(w)->at_once;
    }
    if (!DFI_ALONE) dfi_tasks_of(w)->fine_began = dfi_fine_submits(w);
    if ((t = dfi_flow_for(w, type)) != NULL) return &t->task;
    dfi_at_lost(w);
    dfi_asked(w, DFI_DOES_LACK, NULL);
    if (type->modes) return DFI_BARE;
    dfi_tasks_of(w)->bare = 1;
    if (!dfi_tasks_of(w)->opts) dfi_tasks_of(w)->opts = &dfi_opts_none;
    return NULL;
}

/* Is the task for which dfi_bare_begin has waited to be skipped, but runs nevertheless (df_opts.always)? */
static int dfi_bare_insists(const struct dfi_worker *w)
{
    return dfi_up_bare_waited && dfi_tasks_of(w)->ran_now == DFI_PASSED_OVER;
}

/* Called if memory for the record of a task with these accesses is lacking: waits until its predecessors, and what else
 * its options name, allow it to run. Zero: it is cancelled. */
static DFI_COLD int dfi_bare_begin(struct dfi_worker *w, const struct dfi_access *x, unsigned n)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts;
    const char *site = dfi_tasks_of(w)->opts_site;
    struct dfi_scope *s = dfi_scope_here(w);
    int skip;
    dfi_tasks_of(w)->opts = NULL; /* must not apply to tasks that run meanwhile */
    if (dfi_up_bare_waits && s) dfi_up_bare_waits(w, s);
    skip = dfi_wait_before(w, s, NULL, x, n);
    if (dfi_up_bare_waited && dfi_up_bare_waited(w, o, site)) skip = 1;
    dfi_tasks_of(w)->opts = o, dfi_tasks_of(w)->opts_site = site;
    if (!skip) return 1;
    if (dfi_up_bare_waited && o && o->always) {
        dfi_tasks_of(w)->ran_now = DFI_PASSED_OVER;
        return 1;
    }
    dfi_count(&dfi_tasks_of(w)->n_skipped);
    dfi_pass_over(dfi_tasks_of(w));
    return 0;
}

/* Called after a task of that type ran in the scope of its parent. Waits for the children that it left queued,
 * because of their options or a deep stack: successors of the task must also follow its children, but the task has no
 * record that could represent them. */
static DFI_COLD void dfi_finish_left(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_scope *s = w->scope;
    if (!type->modes || !s->open || s->submitted == s->done) return;
    dfi_nest_begin(w); /* tasks that a child submits are queued rather than nested with further waits */
    if (!dfi_up_owes || !dfi_up_owes()) dfi_wait_until(w, s, 0);
    else {
        dfi_run_some(w, s, 0);
        dfi_offer(w);
    }
    dfi_nest_end(w);
}
static DFI_NOINLINE DFI_COLD void dfi_run_now_left(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_flow_worker *f = dfi_tasks_of(w);
    if (f->now && f->now == w->scope->task) f->now = w->scope; /* the running body has a scope now */
    /* with windows: called when they are released */
    if (!w->task && !(type->modes & DFI_WINDOWED)) dfi_finish_left(w, type);
}

/* dfi_run_now for a task whose result is wanted: its memory for a record is lacking. */
struct dfi_resulting { const struct dfi_type *type; void *args, *result; };
static void dfi_resulting_run(void *args, void *unused)
{
    const struct dfi_resulting *a = (const struct dfi_resulting *)args;
    (void)unused;
    a->type->run(a->args, a->result);
}
static DFI_NOINLINE DFI_COLD void dfi_run_now_result(const struct dfi_type *type, void *args, void *result)
{
    struct dfi_type as = *type;
    struct dfi_resulting a;
    as.run = dfi_resulting_run;
    a.type = type, a.args = args, a.result = result;
    dfi_run_now(&as, &a);
}

static DFI_COLD void dfi_run_bare(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                  const struct dfi_access *x, unsigned n, int ends);

/* Runs a task immediately, in the scope of its parent, as requested by dfi_task_new. Its df_local memory is freed at
 * its end, unless unfinished tasks may use it. */
DFI_API void dfi_run_now(const struct dfi_type *type, void *args)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_scope *s;
    struct dfi_flow_scope *own;
    struct dfi_local *locals;
    const struct df_opts *with;
    const void *now;
    size_t room_used, mark;
    if (!w) {
        void *result = dfi_result_alone;
        dfi_result_alone = NULL; /* not of tasks that the body submits */
        dfi_at_lost(w);
        type->run(args, result);
        return;
    }
    s = w->scope, own = dfi_flow_of(s);
    if (dfi_up_runs_now && DFI_UNLIKELY((unsigned)dfi_load_relaxed(&dfi_flow_pool.asks) | s->asks) &&
        dfi_up_runs_now(w, type)) {
        dfi_tasks_of(w)->bare = 0;
        dfi_args_order(type, args, DFI_ORDER_DROP);
        return;
    }
    if (DFI_UNLIKELY((with = dfi_tasks_of(w)->opts) != NULL)) {
        if (dfi_tasks_of(w)->bare) {
            dfi_tasks_of(w)->bare = 0;
            if (!dfi_bare_begin(w, NULL, 0)) {
                dfi_args_order(type, args, DFI_ORDER_DROP);
                return;
            }
            if (dfi_bare_insists(w)) {
                dfi_run_bare(w, type, args, NULL, 0, 0);
                return;
            }
        }
        dfi_tasks_of(w)->opts = NULL;
        if (with->result) {
            dfi_run_now_result(type, args, with->result);
            dfi_tasks_of(w)->ran_now = DFI_RAN_NOW;
            return;
        }
    }
    locals = own->locals, room_used = own->room_used, mark = w->head;
    now = dfi_tasks_of(w)->now;
    dfi_tasks_of(w)->now = w->task ? (const void *)w->task : (const void *)s;
    dfi_nest_begin(w);
    dfi_count(&dfi_tasks_of(w)->n_tasks);
    if (dfi_alone()) dfi_body_run(w, type, args, NULL);
    else {
        dfi_fine_body(w, type, args);
        if (DFI_UNLIKELY(w->hot.lazy != NULL)) dfi_lazy_run(w); /* its children */
    }
    dfi_nest_end(w);
    dfi_tasks_of(w)->now = now;
    if (DFI_UNLIKELY(with != NULL)) dfi_tasks_of(w)->ran_now = DFI_RAN_NOW; /* for dfi_with_end */
    dfi_report_unsynced(w, mark, DFI_END_OF_TASK);
    if (DFI_UNLIKELY(s != w->scope || s->submitted != s->done)) {
        dfi_run_now_left(w, type);
        if (s != w->scope || s->submitted != s->done) return;
    }
    if (DFI_UNLIKELY(own->locals != locals)) dfi_scope_free_locals(s, locals);
    own->room_used = room_used;
}

/* The same for a task of which an upper floor is told when its body ends (`ends`), or that is to be skipped, but runs
 * nevertheless (dfi_bare_insists). */
struct dfi_bare {
    const struct dfi_type *type;
    void *args;
    const struct dfi_access *x;
    unsigned n;
    int ends, passed, ran;
};
static void dfi_bare_run(void *args, void *result)
{
    struct dfi_bare *a = (struct dfi_bare *)args;
    struct dfi_flow_worker *f = dfi_tasks_of(dfi_me());
    unsigned before = f->insists;
    a->ran = 1;
    if (a->passed) f->insists = f->nest + 1;
    a->type->run(a->args, result);
    f->insists = before;
    if (a->ends) dfi_up_bare_ends(dfi_me(), a->x, a->n);
}
static DFI_COLD void dfi_run_bare(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                  const struct dfi_access *x, unsigned n, int ends)
{
    struct dfi_type as = *type;
    struct dfi_bare a;
    as.run = dfi_bare_run, as.modes &= ~DFI_HELD; /* a is not the record */
    a.type = type, a.args = args, a.x = x, a.n = n, a.ends = ends && dfi_up_bare_ends, a.ran = 0;
    a.passed = dfi_bare_insists(w);
    dfi_run_now(&as, &a);
    if (a.passed && a.ran) dfi_tasks_of(w)->ran_now = DFI_PASSED_OVER;
    if (a.ran) return;
    if (a.ends) dfi_up_bare_ends(dfi_me(), x, n);
    dfi_args_order(type, args, DFI_ORDER_DROP);
}

/* dfi_run_now for a result of DFI_BARE. */
DFI_API void dfi_run_after(const struct dfi_type *type, void *args, const struct dfi_access *x, unsigned n)
{
    struct dfi_worker *w = dfi_me();
    int ends;
    if (dfi_up_placed && w->scope->asks & DFI_ASKS_CREATE && dfi_up_placed(w, type, args, x, n)) return;
    if (!dfi_bare_begin(w, x, n)) {
        dfi_args_order(type, args, DFI_ORDER_DROP);
        return;
    }
    ends = dfi_up_bare_begins && dfi_up_bare_begins(w, x, n);
    if (!ends && !dfi_bare_insists(w)) dfi_run_now(type, args);
    else dfi_run_bare(w, type, args, x, n, ends);
}

/* Called if memory to order t is lacking: waits for its predecessors, then runs it here, on the original memory. */
static DFI_COLD void dfi_submit_now(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n,
                                    const struct df_opts *o)
{
    struct dfi_edge *e, *next;
    const void *now;
    unsigned i;
    struct dfi_scope *s = w->scope;
    const struct dfi_scope *failed;
    size_t before;
    unsigned insists = dfi_tasks_of(w)->insists;
    int go, ran;
    dfi_tasks_of(w)->opts = NULL;
    if (dfi_up_alone_waits) dfi_up_alone_waits(w, t, o);
    if (dfi_wait_before(w, t->scope, t, x, n) || (dfi_up_alone_cancelled && dfi_up_alone_cancelled(t)))
        dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    /* Entries that remember t count as done, because children that its body submits are children of the same scope.
     * The only successors of t were submitted by code that ran during the wait. */
    for (e = dfi_swap_acq_rel(&t->succ, DFI_DONE_EDGE); e; e = next) {
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
    go = dfi_up_alone_runs ? dfi_up_alone_runs(w, t, x, n, o) : dfi_load_relaxed(&t->skip) ? DFI_SKIP : DFI_GO;
    now = dfi_tasks_of(w)->now, before = s->submitted;
    failed = dfi_tasks_of(w)->failed;
    dfi_tasks_of(w)->now = w->task ? (const void *)w->task : (const void *)w->scope;
    if (dfi_up_alone_runs && dfi_load_relaxed(&t->skip)) dfi_tasks_of(w)->insists = dfi_tasks_of(w)->nest + 1;
    if (go == DFI_GO) { /* in its parent's scope */
        if (o && o->result) t->type->run(t->task.args, o->result);
        else dfi_body_run(w, t->type, t->task.args, t);
        if (dfi_up_bare_ends) dfi_up_bare_ends(w, x, n);
    }
    else if (go != DFI_LATER) dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
    dfi_tasks_of(w)->now = now, dfi_tasks_of(w)->insists = insists;
    dfi_tasks_of(w)->failed = failed; /* what failed below is a child of the code that continues */
    /* its children are those of the scope, and it is done when they are */
    if ((o || t->task.mem.special) && w->scope == s && s->submitted != before) dfi_finish_left(w, t->type);
    ran = dfi_load_relaxed(&t->skip) ? (int)DFI_PASSED_OVER : (int)DFI_RAN_NOW;
    if (dfi_up_alone_done) dfi_up_alone_done(w, t);
    if (dfi_up_task_done) dfi_up_task_done(t);
    dfi_flow_free(w, t);
    if (o) dfi_tasks_of(w)->ran_now = ran; /* for dfi_with_end */
}

/* The uncommon parts of a submission, before its accesses are registered. 0; 1: it has its edges; if memory is lacking
 * -1, or -2 for options. */
static DFI_NOINLINE int dfi_submit_before(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    if (dfi_up_arrives) dfi_up_arrives(w, t, x, n);
    dfi_at_new(w, t, x, n);
    if (dfi_tasks_of(w)->opts && dfi_opts_take(w, t)) return -2;
    dfi_at_submit(w, t, x, n);
    if (dfi_up_submits) dfi_up_submits(w, t, x, n);
    return dfi_up_registers ? dfi_up_registers(w, t, x, n) : 0;
}

/* With a seed: t was submitted; ready: it may run. It joins the other ready tasks, one of which may run before the
 * submitter continues. */
static DFI_COLD void dfi_submitted_seeded(struct dfi_worker *w, struct dfi_flow *t, int ready)
{
    struct dfi_goal g;
    struct dfi_filter f;
    struct dfi_stolen stolen;
    if (ready && !dfi_ready_special(w, t)) dfi_push(w, t); /* no memory for the queue */
    if (dfi_steal_requested(w)) dfi_poll(w);
    if (*dfi_block_here || !dfi_up_now_and_then(w, DFI_HABIT_SUBMIT) || dfi_nested_deeply(w)) return;
    /* a task may wait for the submitter, and so must not run nested in it */
    if (dfi_load_relaxed(&dfi_may_block)) return;
    g.kind = DFI_GOAL_SCOPE, g.scope = w->scope;
    if (!dfi_goal_filter(&g, &f)) return;
    f.thief = w;
    if (!dfi_take_queued(w, &f, 0, &stolen)) return;
    stolen.outside = 0, stolen.team = NULL;
    dfi_flush(w);
    dfi_nest_begin(w);
    dfi_level(w, 1);
    dfi_run_stolen(w, &stolen, NULL);
    dfi_level(w, -1);
    dfi_nest_end(w);
}

/* Does somebody ask about t, beyond its order and its end, for other reasons than its type? */
DFI_FAST int dfi_submit_told(const struct dfi_worker *w, const struct dfi_flow *t)
{
    return dfi_up_submits || dfi_tasks_of(w)->opts || dfi_observed() ||
           ((unsigned)dfi_load_relaxed(&dfi_flow_pool.asks) | (t->scope->asks & ~(unsigned)DFI_ASKS_CREATE)) != 0;
}
DFI_FAST int dfi_submit_asks(const struct dfi_worker *w, const struct dfi_flow *t)
{
    return dfi_submit_told(w, t) || t->type->modes & DFI_ASKING;
}

/* Registers t with its accesses. Zero: memory was lacking, and t has run already. */
DFI_FAST int dfi_submit_order(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n, int asks)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts;
    int failed = DFI_UNLIKELY(asks) ? dfi_submit_before(w, t, x, n) : 0;
    unsigned i;
    for (i = 0; i < n && !failed; i++)
        if (!(x[i].mode & DFI_CHILDREN) && DFI_UNLIKELY((failed = dfi_register(w, t, t, &x[i])) > 0)) {
            dfi_region_report(t, i);
            failed = 0;
        }
    if (dfi_up_registered && DFI_UNLIKELY(asks) && t->parts && !failed) failed = dfi_up_registered(w, t, x, n);
    dfi_tasks_of(w)->reg_task = NULL, dfi_tasks_of(w)->reg_access = NULL;
    if (DFI_LIKELY(failed >= 0)) return 1;
    dfi_submit_now(w, t, x, n, failed == -2 ? o : NULL);
    return 0;
}

/* Counts t, which is registered. Nonzero: it is ready, and the caller pushes or runs it. */
DFI_FAST int dfi_submit_count(struct dfi_worker *w, struct dfi_flow *t, int asks)
{
    int ready = dfi_flow_count(w, t);
    if (DFI_UNLIKELY(asks) && dfi_seeded()) {
        dfi_submitted_seeded(w, t, ready);
        return 0;
    }
    return ready && !(DFI_UNLIKELY(t->task.mem.special) && dfi_ready_special(w, t));
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

DFI_FAST void dfi_submit_push(struct dfi_worker *w, struct dfi_flow *t)
{
    dfi_push(w, t);
    dfi_answer(w);
    dfi_offer(w);
}

/* Runs or pushes t, which is ready. */
DFI_FAST void dfi_submit_ready(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_stack_full(w) && !dfi_nested_deeply(w) && !DFI_SUPERVISED && !dfi_load_relaxed(&dfi_may_block))
        dfi_submit_run(w, t);
    else dfi_submit_push(w, t);
}

/* Submits a task about which somebody asks, or that runs here if it is ready. here: so it does; it also does if it has
 * a record only for observers (dfi_task_new). */
static DFI_NOINLINE void dfi_submit_asked(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n,
                                          int here)
{
    const struct dfi_type *type = t->type;
    size_t mark = w->head;
    int at_once = dfi_tasks_of(w)->at_once == t, asks = dfi_submit_asks(w, t);
    int first = w->scope->submitted == w->scope->done, plain, ordered;
    if (at_once) dfi_tasks_of(w)->at_once = NULL;
    ordered = dfi_submit_order(w, t, x, n, asks);
    plain = ordered && !t->task.mem.special;
    if (ordered && at_once && !plain) {
        t->extra->priority = 0; /* no other task is ready */
        if (t->extra->pin >= 0 && dfi_worker_of(t->extra->pin) == w) t->extra->pin = -1;
    }
    if (!ordered || !dfi_submit_count(w, t, asks)) {
        dfi_offer(w); /* publishes the internal tasks that precede it */
        return;
    }
    if (at_once && t->parts && dfi_up_runs_here) dfi_up_runs_here(w, t, mark);
    if (here || at_once) dfi_submit_run(w, t);
    else dfi_submit_ready(w, t);
    if (at_once && first && plain) dfi_finish_left(w, type); /* as for a task without a record */
}

/* Submits a task, and runs it here if it is ready. For launches: they enter the device queue immediately and in
 * program order, which caching and prefetching rely on. Also for short tasks with windows. */
DFI_API DFI_COLD void dfi_submit_here(struct dfi_task *task, struct dfi_access *x, unsigned n)
{
    struct dfi_worker *w;
    if (!DFI_ALONE && task->mem.special == DFI_IS_LAZY) return; /* of a kernel without accesses, on the host */
    w = dfi_me();
    DFI_CALLED(w);
    dfi_submit_asked(w, (struct dfi_flow *)(void *)task, x, n, 1);
}

DFI_API void dfi_submit(struct dfi_task *task, struct dfi_access *x, unsigned n)
{
    struct dfi_worker *w;
    struct dfi_flow *t = (struct dfi_flow *)(void *)task;
    const struct dfi_type *type;
    uint64_t began;
    if (!DFI_ALONE && task->mem.special == DFI_IS_LAZY) return; /* it is no dfi_flow */
    w = (struct dfi_worker *)(void *)dfi_self;
    DFI_CALLED(w);
    type = t->type, began = dfi_tasks_of(w)->fine_began;
    /* a second copy, without what some tasks ask for */
    if (DFI_ALONE || DFI_FOR_SIZE || DFI_UNLIKELY(dfi_tasks_of(w)->at_once == t || dfi_submit_asks(w, t))) {
        if (dfi_tasks_of(w)->at_once == t || type->modes & DFI_LIMIT || dfi_submit_told(w, t)) began = 0;
        dfi_submit_asked(w, t, x, n, 0);
    } else if (!dfi_submit_order(w, t, x, n, 0) || !dfi_submit_count(w, t, 0)) dfi_offer(w);
    else dfi_submit_ready(w, t);
    if (!DFI_ALONE && DFI_UNLIKELY(began)) {
        dfi_fine_submitted(w, type, began);
        if (!type->modes) dfi_lazy_measures(w, dfi_os_ns());
    }
}

#endif
