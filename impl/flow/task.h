/* task.h - life of a submitted task: ready, running, done
 *
 * The owner of the scope pushes edges onto the predecessor's list (flow/order.h). The thread that completes the
 * predecessor takes them, without locks. Argument: docs/memory-order.md, "Edges". */
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
#include "../work/queue.h"
#include "../work/worker.h"
#include "../work/wake.h"
#include "../work/stack.h"
#include "../work/find.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../work/unsynced.h"
#include "devices.h"
#include "extra.h"
#include "../more/error.h"
#include "../observe/check/check.h"
#include "../observe/probes.h"
#include "../observe/schedule/chaos.h"

/* Hooks of tasks with optional state (flow/enter.h). */
enum { DFI_GO, DFI_SKIP, DFI_LATER };
static int dfi_flow_prepare(struct dfi_worker *w, struct dfi_flow *t);
static int dfi_extra_done(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_unhold(struct dfi_extra *x);
static void dfi_weak_body_end(struct dfi_worker *w, struct dfi_flow *t, int skip);
static struct dfi_flow *dfi_plan_release(struct dfi_worker *w, struct dfi_flow *t, unsigned skip,
                                         struct dfi_flow *ready);

/* Counts one predecessor of t as done. Nonzero: it was the last. */
static int dfi_flow_unblock(struct dfi_flow *t)
{
    /* 1 means that only the caller's predecessor is left, so no other thread changes it. acquire: pairs with the
     * release of the other predecessors' subtractions. */
    if (dfi_load_acquire(&t->wait) == 1) return 1;
    return dfi_fetch_sub_acq_rel(&t->wait, (intptr_t)1) == 1;
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
    if (t->task.mem.cls == DFI_CLS_COUNT) { /* separately allocated arguments */
        dfi_mfree(t->task.args);
        t->task.mem.cls = DFI_CLS_TASK;
    }
    dfi_block_free(w, home, &t->task.mem);
}

/* Releases a gate at its own end or at the end of its task, whichever is later: children of the task read it until
 * then. */
static void dfi_gate_leave(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_fetch_sub_acq_rel(&t->extra->gate, 1) == 1) dfi_flow_free(w, t);
}

/* Moves t, which only w knows, to the queue, because it may not run nested in the running code of w. Zero: out of
 * memory. */
static int dfi_leave_to_others(struct dfi_worker *w, struct dfi_flow *t)
{
    if (!dfi_extra_of(w, t)) return 0;
    dfi_queue_put(&dfi_pool.queue, t);
    dfi_wake_for_work();
    return 1;
}

/* Handles a task that became ready and has optional state, or any task while w runs a task from outside its wait.
 * Nonzero: it was queued; zero: the caller pushes it. */
static DFI_NOINLINE int dfi_ready_special(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->task.mem.special ? t->extra : NULL;
    struct dfi_worker *v;
    if (!x) return (dfi_chaotic() || !dfi_may_run_on_top(w, t)) && dfi_leave_to_others(w, t);
    if (x->held_by) dfi_unhold(x);
    if (x->pin >= 0 && (v = dfi_worker_of(x->pin)) != NULL) {
        dfi_queue_put(&v->pinned, t);
        if (!dfi_wake(v, DFI_PARKED_IDLE)) dfi_wake_waiting(v);
        return 1;
    }
    if (DFI_UNLIKELY(dfi_chaotic())) x->priority = 0; /* a seed overrides priorities, which are hints */
    else if (!x->priority && !(w && (x->weak || w->outside) && !dfi_may_run_on_top(w, t))) return 0;
    dfi_queue_put(&dfi_pool.queue, t);
    dfi_wake_for_work();
    return 1;
}

/* Handles t, which became ready when this worker completed a sibling: t may go onto this worker's stack. */
DFI_INLINE void dfi_ready_sibling(struct dfi_worker *w, struct dfi_flow *t)
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
                     dfi_scope_inside(t->scope, dfi_load_relaxed(&s->id), dfi_load_relaxed(&s->depth));
        if (inside && !w->hot.top && (!w->task || w->head == w->task_mark) && w->head < w->limit && w->head < w->room) {
            dfi_push(w, t);
            if (w->task) w->task_mark = w->head;
            if (dfi_load_relaxed(&dfi_pool.n_slots) > 1) dfi_share(w);
            return;
        }
    }
    dfi_queue_put(&dfi_pool.queue, t);
    dfi_wake_for_work();
}

/* --- completion -------------------------------------------------------------------------------- */

/* Marks t, a writing task that was cancelled, so that its present and later successors are cancelled too. (Not if the
 * scope is cancelled, because then all tasks until its next wait are.) Nonzero: the scope keeps t. */
static DFI_COLD int dfi_flow_spoils(struct dfi_flow *t)
{
    struct dfi_scope *s = t->scope;
    struct dfi_block_head *head = dfi_load_relaxed(&s->spoilt);
    if (dfi_scope_cancelled(s) || (uintptr_t)dfi_load_relaxed(&t->succ) & DFI_OF_PLAN)
        return 0; /* tasks of a plan get no later successors */
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SPOILS);
    if (t->task.mem.special && dfi_load_relaxed(&t->extra->gate)) return 1; /* kept by its task */
    /* acq_rel: relaxed would do, because the owner reads the list after it has seen all subtractions from s->pending */
    do t->task.mem.next = head;
    while (!dfi_cas_acq_rel(&s->spoilt, &head, &t->task.mem));
    return 1;
}

/* Releases the successors of t. pre: t and its descendants are done, and have left their groups. Returns one task
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
        dfi_check_done(t);
        kept = DFI_UNLIKELY(skip) && dfi_flow_spoils(t);
        if (DFI_UNLIKELY((uintptr_t)dfi_load_relaxed(&t->succ) & DFI_OF_PLAN)) {
            ready = dfi_plan_release(w, t, skip, ready);
            e = NULL, kept = 1;
        } else if (owner == w && !t->task.mem.special) {
            /* no race: edges are added by this thread only (except to gates) */
            e = dfi_load_relaxed(&t->succ);
            dfi_store_relaxed(&t->succ, DFI_DONE_EDGE);
        } else {
            /* acquire: the edges pushed by the owner; release: the data t wrote, to the acquire of an owner that
             * finds the list closed (dfi_ref_done, dfi_edge_add) */
            e = dfi_exchange_acq_rel(&t->succ, DFI_DONE_EDGE);
        }
        for (; e; e = next) {
            struct dfi_flow *u = e->task;
            next = e->next; /* u owns e: do not read e after the subtraction */
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
        if (DFI_UNLIKELY(t->task.mem.special) && dfi_load_relaxed(&t->extra->gate)) dfi_gate_leave(w, t);
        else if (DFI_LIKELY(!kept)) dfi_flow_free(w, t);
        if (owner == w && s->open) {
            s->done++;
            return ready;
        }
        /* release: all effects of the task, to a thread that reads the count; seq_cst: before the check for sleepers */
        left = dfi_fetch_sub_seq_cst(&s->pending, (intptr_t)1) - 1;
        if (left == 0) dfi_wake_waiting(owner); /* s may have been freed */
        if (left != DFI_ENDED) return ready;
        t = s->task; /* the body of s is over and this was its last child, so this thread completes the task of s */
        if (DFI_UNLIKELY(dfi_load_relaxed(&s->launched)) && dfi_scope_has_locals(s)) dfi_scope_settle_devices(s);
        dfi_scope_end_errors(s);
        dfi_check_children_done(s);
        done = !t->task.mem.special || dfi_extra_done(w, t);
        dfi_scope_free(w, s);
        if (DFI_UNLIKELY(!done)) return ready;
    }
}

static struct dfi_flow *dfi_flow_done(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(t->task.mem.special) && !dfi_extra_done(w, t)) return NULL; /* completed later */
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
        if (s->site) dfi_error(DFI_MESSAGE_LEFT_BLOCK, s->site);
        dfi_scope_finish(w, s);
        if (w->task == t) {
            w->task = outer, w->task_mark = mark;
            return dfi_flow_done(w, t);
        }
    }
    if (w->sites) dfi_report_unsynced(w, s->mark, DFI_END_OF_TASK);
    if (DFI_UNLIKELY(s->guess != NULL)) dfi_guesses_left(w, s);
    dfi_settle(w, s);
    dfi_scope_pop(w, s);
    w->task = outer, w->task_mark = mark; /* before dfi_flow_done, as in dfi_flow_run */
    dfi_stack_back(w, dfi_stack_floor(w));
    out = (intptr_t)(s->submitted - s->done);
    if (out || dfi_load_acquire(&s->pending)) {
        s->open = 0;
        /* acq_rel: pairs with the subtractions of the children */
        if (dfi_fetch_add_seq_cst(&s->pending, out + DFI_ENDED) + out != 0) return NULL;
    }
    if (DFI_UNLIKELY(dfi_load_relaxed(&s->launched)) && dfi_scope_has_locals(s)) dfi_scope_settle_devices(s);
    dfi_scope_end_errors(s);
    dfi_check_children_done(s);
    ready = dfi_flow_done(w, t); /* reads internal tasks of s */
    dfi_scope_free(w, s);
    return ready;
}

/* Runs the body of t. Returns a task that became ready, or NULL. */
static struct dfi_flow *dfi_flow_run(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *saved_task, *ready;
    size_t saved_mark;
    struct dfi_scope *saved_scope;
    int go = DFI_GO;
    if (DFI_UNLIKELY(t->task.mem.special || dfi_load_relaxed(&dfi_pool.cancels) || dfi_load_relaxed(&t->skip))) {
        go = dfi_flow_prepare(w, t);
        if (go == DFI_LATER) return NULL;
        if (go == DFI_SKIP) dfi_args_order(t->type, t->task.args, DFI_ORDER_DROP);
        if (go == DFI_SKIP && !(t->task.mem.special && t->extra->weak)) return dfi_flow_done(w, t);
    }
    dfi_flush(w);
    dfi_offer(w);
    saved_task = w->task, saved_mark = w->task_mark, saved_scope = w->scope;
    w->task = t;
    w->task_mark = w->head;
    if (DFI_LIKELY(go == DFI_GO)) {
        dfi_store_relaxed(&w->n_tasks, dfi_load_relaxed(&w->n_tasks) + 1);
        dfi_body_run(w, t->type, t->task.args, t);
    }
    if (DFI_UNLIKELY(t->task.mem.special) && t->extra->weak) dfi_weak_body_end(w, t, go == DFI_SKIP);
    if (DFI_LIKELY(w->scope == saved_scope)) {
        if (DFI_UNLIKELY(w->sites != NULL)) dfi_report_unsynced(w, w->task_mark, DFI_END_OF_TASK);
        w->task = saved_task; /* before dfi_flow_done, because the tasks that it wakes must not see t as running */
        w->task_mark = saved_mark;
        ready = dfi_flow_done(w, t);
    } else {
        ready = dfi_flow_end_scope(w, t, saved_task, saved_mark);
    }
    return ready;
}

#endif
