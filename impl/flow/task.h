/* task.h - the life of a submitted task: ready, run, done
 *
 * Edges are pushed on the predecessor's list by the thread that owns the scope (flow/order.h) and taken by
 * whoever completes it, without locks. Argument: docs/memory-order.md, "Edges". */
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

/* What tasks with extras do (flow/enter.h). */
enum { DFI_GO, DFI_SKIP, DFI_LATER };
static int dfi_flow_prepare(struct dfi_worker *w, struct dfi_flow *t);
static int dfi_extra_done(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_unhold(struct dfi_extra *x);
static void dfi_weak_body_end(struct dfi_worker *w, struct dfi_flow *t, int skip);
static struct dfi_flow *dfi_plan_release(struct dfi_worker *w, struct dfi_flow *t, unsigned skip, struct dfi_flow *ready);

/* One predecessor of t is done. Nonzero: it was the last. */
static int dfi_flow_unblock(struct dfi_flow *t)
{
    /* 1 means that only the caller's predecessor is left, so nobody else changes it any more. acquire:
     * pairs with the release of the other predecessors' subtractions. */
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
    if (t->task.mem.cls == DFI_CLS_COUNT) { /* arguments in memory of their own */
        dfi_mfree(t->task.args);
        t->task.mem.cls = DFI_CLS_TASK;
    }
    dfi_block_free(w, home, &t->task.mem);
}

/* A gate is looked at by children of the task it belongs to: whoever comes second, its own end or the task's, frees it. */
static void dfi_gate_leave(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_fetch_sub_acq_rel(&t->extra->gate, 1) == 1) dfi_flow_free(w, t);
}

/* t, which only w knows, goes to the queue, as it may not be run on top of what w runs. Zero: no memory for that. */
static int dfi_leave_to_others(struct dfi_worker *w, struct dfi_flow *t)
{
    if (!dfi_extra_of(w, t)) return 0;
    dfi_queue_put(&dfi_pool.queue, t);
    dfi_wake_for_work();
    return 1;
}

/* A task with extras, or while w runs something from outside of what it waits for any task, became ready. Nonzero: it
 * was put where it belongs; zero: it goes the usual way. */
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
    if (DFI_UNLIKELY(dfi_chaotic())) x->priority = 0; /* a wish, not an order */
    else if (!x->priority && !(w && (x->weak || w->outside) && !dfi_may_run_on_top(w, t))) return 0;
    dfi_queue_put(&dfi_pool.queue, t);
    dfi_wake_for_work();
    return 1;
}

/* t became ready through its sibling that this worker completes: it may go on this worker's stack. */
DFI_INLINE void dfi_ready_sibling(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(t->task.mem.special | w->outside) && dfi_ready_special(w, t)) return;
    dfi_push(w, t);
}

/* t, with extras, became ready by a signal that may come from anywhere; w may be NULL. What lies on the stack
 * above a wait must be inside what is waited for. In a body without a scope of its own the place is below its
 * mark, among the tasks that the outer wait, or the idle helper, may run. */
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

/* t, which should have written memory, was skipped: who comes after it is skipped as well, also if it comes later.
 * (Not if the scope is cancelled: all that comes until it waits is skipped then.) Nonzero: its scope keeps t. */
static DFI_COLD int dfi_flow_spoils(struct dfi_flow *t)
{
    struct dfi_scope *s = t->scope;
    struct dfi_block_head *head = dfi_load_relaxed(&s->spoilt);
    if (dfi_scope_cancelled(s) || (uintptr_t)dfi_load_relaxed(&t->succ) & DFI_OF_PLAN) return 0; /* of a plan nobody comes later */
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SPOILS);
    if (t->task.mem.special && dfi_load_relaxed(&t->extra->gate)) return 1; /* kept by the task it belongs to */
    /* acq_rel: relaxed would do, as the owner looks at the list when s->pending told it of all subtractions */
    do t->task.mem.next = head;
    while (!dfi_cas_acq_rel(&s->spoilt, &head, &t->task.mem));
    return 1;
}

/* t and all its descendants are done, and what it took part in knows. Returns one task that became ready,
 * to be run next by this worker (a chain stays where its data is); the others go on the stack. */
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
        } else if (owner == w && !t->task.mem.special) { /* edges are added by this very thread (a gate's are not): no race */
            e = dfi_load_relaxed(&t->succ);
            dfi_store_relaxed(&t->succ, DFI_DONE_EDGE);
        } else {
            /* acquire: the edges pushed by the owner; release: what the task wrote, to the acquire of
             * an owner that finds the list closed (dfi_ref_done, dfi_edge_add) */
            e = dfi_exchange_acq_rel(&t->succ, DFI_DONE_EDGE);
        }
        for (; e; e = next) {
            struct dfi_flow *u = e->task;
            next = e->next; /* u owns e: not after the subtraction */
            if (DFI_UNLIKELY(skip)) dfi_store_relaxed(&u->skip, (unsigned)DFI_SKIPPED);
            if (!dfi_flow_unblock(u)) continue;
            if (DFI_UNLIKELY(u->scope != s) && dfi_load_relaxed(&u->scope->depth) < dfi_load_relaxed(&s->depth)) {
                /* outwards: u comes after a part of the task whose body s belongs to */
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
        /* release: all the task did, to whoever sees the count; seq_cst: before the look at the sleeper */
        left = dfi_fetch_sub_seq_cst(&s->pending, (intptr_t)1) - 1;
        if (left == 0) dfi_wake_waiting(owner); /* s may be gone */
        if (left != DFI_ENDED) return ready;
        t = s->task; /* the body of s is over and this was the last child: s is ours, its task is done */
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

/* The body of t is over and has left a scope. */
static DFI_NOINLINE struct dfi_flow *dfi_flow_end_scope(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *outer, size_t mark)
{
    struct dfi_flow *ready;
    struct dfi_scope *s;
    intptr_t out;
    while ((s = w->scope)->task != t) { /* a block inside was left by a jump */
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
    ready = dfi_flow_done(w, t); /* looks at internal tasks of s */
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
        w->task = saved_task; /* before dfi_flow_done: what it wakes must not see t as running */
        w->task_mark = saved_mark;
        ready = dfi_flow_done(w, t);
    } else {
        ready = dfi_flow_end_scope(w, t, saved_task, saved_mark);
    }
    return ready;
}

#endif
