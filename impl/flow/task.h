/* task.h - life of a submitted task: ready, running, done
 *
 * The owner of the scope pushes edges onto the predecessor's list (flow/order.h). The thread that completes the
 * predecessor takes them, without locks. Argument: docs/internals/flow.md, "Edges". */
#ifndef DFI_FLOW_TASK_H
#define DFI_FLOW_TASK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "../api/task.h"
#include "../api/value.h"
#include "../work/blocks.h"
#include "../work/deque.h"
#include "../work/worker.h"
#include "../work/wake.h"
#include "../work/stack.h"
#include "../work/find.h"
#include "../work/scope.h"
#include "../work/thread_end.h"
#include "scope.h"
#include "../work/types.h"
#include "supervise.h"
#include "queue.h"
#include "types.h"
#include "../work/director.h"
#include "body.h"
#include "../work/unsynced.h"
#include "extra.h"
#include "fine.h"
#include "moments.h"

/* Counts one predecessor of t as done. Nonzero: it was the last. */
static int dfi_flow_unblock(struct dfi_flow *t)
{
    /* 1 means that only the caller's predecessor is left, so no other thread changes it. acquire: pairs with the
     * release of the other predecessors' subtractions. */
    if ((DFI_ALONE || dfi_load_acquire(&t->wait) != 1) && dfi_fetch_sub_acq_rel(&t->wait, (intptr_t)1) != 1) return 0;
    if (dfi_up_is_ready) dfi_up_is_ready(t);
    return 1;
}

static void dfi_flow_free_args(struct dfi_flow *t)
{
    if (t->task.mem.cls != DFI_CLS_COUNT) return;
    dfi_mfree(t->task.args); /* allocated separately */
    t->task.mem.cls = DFI_CLS_TASK;
}

static void dfi_flow_free(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_worker *home = t->scope->owner;
    while (t->more) {
        struct dfi_edges *e = t->more;
        t->more = e->next;
        dfi_block_free(w, home, &e->head);
    }
    if (DFI_UNLIKELY(t->task.mem.special)) dfi_extra_free(w, t);
    dfi_flow_free_args(t);
    dfi_block_free(w, home, &t->task.mem);
}

/* Moves t, which only w knows, to the queue, because it may not run nested in the running code of w. Zero: out of
 * memory. */
static int dfi_leave_to_others(struct dfi_worker *w, struct dfi_flow *t)
{
    if (!dfi_extra_of(w, t)) return 0;
    dfi_queue_put(&dfi_flow_pool.queue, t);
    dfi_wake_for_work();
    return 1;
}
#define dfi_up_task_leave_by , dfi_leave_to_others

/* Handles a task that became ready and has optional state, or any task while w runs a task from outside its wait.
 * Nonzero: it was queued; zero: the caller pushes it. */
static DFI_NOINLINE int dfi_ready_special(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->task.mem.special ? t->extra : NULL;
    struct dfi_worker *v;
    if (!x) return (dfi_seeded() || !dfi_may_run_on_top(w, t)) && dfi_leave_to_others(w, t);
    if (dfi_up_ready && dfi_up_ready(t)) return 1;
    if (x->pin >= 0 && (v = dfi_worker_of(x->pin)) != NULL) {
        dfi_queue_put(&dfi_tasks_of(v)->pinned, t);
        if (!dfi_wake(v, DFI_PARKED_IDLE) && !dfi_wake(v, DFI_PARKED_REST)) dfi_wake_waiting(v);
        return 1;
    }
    if (dfi_seeded()) x->priority = 0; /* a seed overrides priorities, which are hints */
    else if (!x->priority && !(w && (x->apart || w->outside) && !dfi_may_run_on_top(w, t))) return 0;
    dfi_queue_put(&dfi_flow_pool.queue, t);
    dfi_wake_for_work();
    return 1;
}

/* Handles t, which became ready when this worker completed a sibling: t may go onto this worker's stack. */
DFI_FAST void dfi_ready_sibling(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(t->task.mem.special | w->outside) && dfi_ready_special(w, t)) return;
    dfi_push(w, t);
}

/* Handles t, which has optional state and became ready by a signal from any thread; w may be NULL. Entries of the
 * stack above a wait must be inside the awaited scope. In a body without a scope of its own, t goes below the mark of
 * the body, among the tasks that the outer wait, or the idle helper, may run. */
static void dfi_ready_any(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_ready_special(w, t)) return;
    if (w) {
        struct dfi_scope *s = w->scope;
        int inside = (w->helper && !s->outer) ||
                     dfi_scope_inside(t->scope, dfi_load_relaxed(&s->id), dfi_load_relaxed(&s->depth), 1);
        if (inside && !w->hot.top && (!w->task || w->head == w->task_mark) && w->head < w->limit && w->head < w->room) {
            dfi_push(w, t);
            if (w->task) w->task_mark = w->head;
            if (!dfi_alone()) dfi_share(w);
            return;
        }
    }
    dfi_queue_put(&dfi_flow_pool.queue, t);
    dfi_wake_for_work();
}

/* --- completion -------------------------------------------------------------------------------- */

/* The body whose scope is s, and all its children, are done. */
static void dfi_body_done(struct dfi_scope *s)
{
    if (dfi_up_body_done) dfi_up_body_done(s);
    dfi_children_done(s);
}

/* Releases the successors of t. pre: t and its descendants are done, and dfi_up_done was told. Returns one task
 * that became ready, which this worker runs next, because a chain stays where its data are cached; pushes the
 * others. */
static struct dfi_flow *dfi_flow_release(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *ready)
{
    for (;;) {
        struct dfi_scope *s = t->scope;
        struct dfi_worker *owner = s->owner;
        struct dfi_edge *e, *next;
        unsigned skip = dfi_load_relaxed(&t->skip) && (t->type->modes & DFI_WRITES);
        intptr_t left;
        int done, kept;
        if (dfi_up_task_done) dfi_up_task_done(t);
        kept = DFI_UNLIKELY(skip) && dfi_up_skipped && dfi_up_skipped(t);
        if (dfi_up_releases && DFI_UNLIKELY((uintptr_t)dfi_load_relaxed(&t->succ) & DFI_OWN_SUCC)) {
            ready = dfi_up_releases(w, t, skip, ready);
            e = NULL, kept = 1;
        } else if (DFI_ALONE || (owner == w && !t->task.mem.special)) {
            /* no race: edges are added by this thread only (but see dfi_common_type, which has optional state) */
            e = dfi_load_relaxed(&t->succ);
            dfi_store_relaxed(&t->succ, DFI_DONE_EDGE);
        } else {
            /* acquire: the edges pushed by the owner; release: the data t wrote, to the acquire of an owner that
             * finds the list closed (dfi_ref_done, dfi_edge_add) */
            e = dfi_swap_acq_rel(&t->succ, DFI_DONE_EDGE);
        }
        for (; e; e = next) {
            struct dfi_flow *u = e->task;
            next = e->next; /* u owns e: do not read e after the subtraction */
            if (next) DFI_PREFETCH_WRITE(next); /* another worker's cache has it */
            if (DFI_UNLIKELY(skip)) dfi_store_relaxed(&u->skip, (unsigned)DFI_SKIPPED);
            if (!dfi_flow_unblock(u)) continue;
            if (DFI_UNLIKELY(u->scope != s) && dfi_load_relaxed(&u->scope->depth) < dfi_load_relaxed(&s->depth)) {
                /* u is a successor of a part of the task whose body is s, in an outer scope */
                dfi_ready_any(w, u);
                continue;
            }
            if (DFI_UNLIKELY(u->task.mem.special | w->outside) && dfi_ready_special(w, u)) continue;
            if (ready) dfi_push(w, ready);
            ready = u;
        }
        if (DFI_UNLIKELY(t->task.mem.special) && dfi_up_stays && dfi_up_stays(w, t)) kept = 1;
        if (DFI_LIKELY(!kept)) dfi_flow_free(w, t);
        if ((DFI_ALONE || owner == w) && s->open) {
            s->done++;
            return ready;
        }
        /* release: all effects of the task, to a thread that reads the count; seq_cst: before the check for sleepers */
        left = dfi_fetch_sub_seq_cst(&s->pending, (intptr_t)1) - 1;
        if (left == 0) dfi_wake_waiting(owner); /* s may have been freed */
        if (left != DFI_ENDED) return ready;
        t = s->task; /* the body of s is over and this was its last child, so this thread completes the task of s */
        dfi_body_done(s);
        done = !t->task.mem.special || !dfi_up_done || dfi_up_done(w, t);
        dfi_scope_free(w, s);
        if (DFI_UNLIKELY(!done)) return ready;
    }
}

static struct dfi_flow *dfi_flow_done(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(t->task.mem.special) && dfi_up_done && !dfi_up_done(w, t)) return NULL; /* completed later */
    return dfi_flow_release(w, t, NULL);
}

/* --- running ----------------------------------------------------------------------------------- */

/* Completes t after its body has ended and left a scope. */
static DFI_NOINLINE struct dfi_flow *dfi_flow_end_scope(struct dfi_worker *w, struct dfi_flow *t,
                                                        struct dfi_flow *outer, size_t mark)
{
    struct dfi_flow *ready;
    struct dfi_scope *s;
    intptr_t out;
    while ((s = w->scope)->task != t) { /* a jump left a nested block */
        dfi_block_left(w);
        if (w->task == t) {
            dfi_code_is(w, outer, mark);
            return dfi_flow_done(w, t);
        }
    }
    dfi_report_unsynced(w, s->mark, DFI_END_OF_TASK);
    dfi_asked(w, DFI_DOES_END, NULL);
    if (dfi_up_scope_waits) dfi_up_scope_waits(w, s);
    dfi_scope_pop(w, s);
    dfi_code_is(w, outer, mark); /* before dfi_flow_done, as in dfi_flow_ended */
    dfi_stack_back(w, dfi_stack_floor(w));
    out = (intptr_t)(s->submitted - s->done);
    if (out || dfi_load_acquire(&s->pending)) {
        s->open = 0;
        /* acq_rel: pairs with the subtractions of the children */
        if (dfi_fetch_add_seq_cst(&s->pending, out + DFI_ENDED) + out != 0) return NULL;
    }
    dfi_body_done(s);
    ready = dfi_flow_done(w, t); /* reads internal tasks of s */
    dfi_scope_free(w, s);
    return ready;
}

/* The body of t has ended, in w->task or, if it has a scope, w->scope; then w goes on with `outer`. Returns a task that
 * became ready, or NULL. */
static struct dfi_flow *dfi_flow_ended(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *outer, size_t mark)
{
    if (DFI_UNLIKELY(w->task != t)) return dfi_flow_end_scope(w, t, outer, mark);
    dfi_report_unsynced(w, w->task_mark, DFI_END_OF_TASK);
    dfi_code_is(w, outer, mark); /* before dfi_flow_done, because the tasks that it wakes must not see t as running */
    return dfi_flow_done(w, t);
}

/* The first edge of t, which another worker has written, comes while the body runs. */
DFI_FAST void dfi_flow_prefetch(const struct dfi_flow *t)
{
    uintptr_t e = (uintptr_t)dfi_load_relaxed(&t->succ) & ~(uintptr_t)3;
    if (e) DFI_PREFETCH_WRITE((void *)e);
}

static struct dfi_flow *dfi_flow_run(struct dfi_worker *w, struct dfi_flow *t);

/* The same for code that computes in other modes. */
static DFI_NOINLINE DFI_COLD struct dfi_flow *dfi_flow_run_in(struct dfi_worker *w, struct dfi_flow *t)
{
    const uint32_t before = dfi_fenv_change(dfi_fenv_of(&t->task.mem));
    t = dfi_flow_run(w, t);
    dfi_fenv_change(before);
    return t;
}

/* Runs the body of t. Returns a task that became ready, or NULL. */
static struct dfi_flow *dfi_flow_run(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *saved_task;
    size_t saved_mark;
    unsigned asks = dfi_load_relaxed(&t->skip);
    int go = DFI_GO;
    if (DFI_UNLIKELY(!dfi_fenv_is(dfi_fenv_of(&t->task.mem)))) return dfi_flow_run_in(w, t);
    if (dfi_up_begins) asks |= (unsigned)t->task.mem.special | (unsigned)dfi_load_relaxed(&dfi_flow_pool.asks_begin);
    if (DFI_UNLIKELY(asks)) {
        if (dfi_up_begins) go = dfi_up_begins(w, t);
        else if (!(t->type->modes & DFI_INTERNAL)) go = DFI_SKIP, dfi_count(&dfi_tasks_of(w)->n_skipped);
        if (go == DFI_LATER) return NULL;
        if (go == DFI_OVER) return dfi_flow_done(w, t);
        if (go == DFI_SKIP) dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
        if (go == DFI_SKIP && !t->parts) return dfi_flow_done(w, t);
    }
    dfi_flush(w);
    dfi_offer(w);
    saved_task = w->task, saved_mark = w->task_mark;
    if (!DFI_ALONE) dfi_flow_prefetch(t);
    dfi_code_is(w, t, w->head);
    if (DFI_LIKELY(go == DFI_GO)) {
        dfi_count(&dfi_tasks_of(w)->n_tasks);
        if (!DFI_ALONE && DFI_UNLIKELY(dfi_fine_runs(w)) && !(t->type->modes & DFI_INTERNAL)) dfi_fine_measured(w, t);
        else dfi_body_run(w, t->type, t->task.args, t);
        if (!DFI_ALONE && DFI_UNLIKELY(w->hot.lazy != NULL)) dfi_up_lazy_end(w);
    }
    if (dfi_up_body_ends && DFI_UNLIKELY(t->parts != NULL))
        dfi_up_body_ends(w, t, go == DFI_SKIP || dfi_load_relaxed(&t->skip));
    return dfi_flow_ended(w, t, saved_task, saved_mark);
}

#define dfi_up_task_run_by , dfi_flow_run

static struct dfi_scope *dfi_flow_parent(const struct dfi_flow *t) { return t->scope; }
#define dfi_up_task_scope_by , dfi_flow_parent

/* --- end of a thread in a body (work/thread_end.h) ------------------------------------------------------ */

DFI_SMALL_CODE_BEGIN
static void dfi_flow_unwinds(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *ready;
    const char *site = t->task.mem.special == 1 ? t->extra->site : NULL;
    if (!site && dfi_up_site) site = dfi_up_site(t);
    dfi_exit_fails(w, "task", dfi_flow_name(t), site);
    if (t->task.mem.special == DFI_ON_STACK && dfi_up_leaves_stack && !(t = dfi_up_leaves_stack(w))) {
        dfi_up_ends_on_stack(w, w->task);
        w->task = NULL;
        return;
    }
    dfi_exit_futures(w);
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    if (dfi_up_body_ends && t->parts) dfi_up_body_ends(w, t, 1);
    if (w->task == t) {
        w->task = NULL;
        ready = dfi_flow_done(w, t);
    } else ready = dfi_flow_end_scope(w, t, NULL, 0);
    if (ready) dfi_push(w, ready);
}

#define dfi_up_task_unwinds_by , dfi_flow_unwinds

static int dfi_runs_plain(const struct dfi_worker *w) { return dfi_tasks_of(w)->now != NULL; }
#define dfi_up_runs_plain_by , dfi_runs_plain

static void dfi_plain_unwinds(struct dfi_worker *w)
{
    if (!dfi_runs_now(w)) return;
    dfi_exit_fails(w, "a task that ran in its submitter", "", NULL);
    dfi_tasks_of(w)->now = NULL;
}
#define dfi_up_plain_unwinds_by , dfi_plain_unwinds
DFI_SMALL_CODE_END

#endif
