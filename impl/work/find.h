/* find.h - search for work: own stack, queues, deques of other workers, loops and pipes
 *
 * A waiting worker runs only tasks inside the scope it waits for (leapfrogging). docs/memory-order.md, "Waiting",
 * shows that this cannot deadlock. */
#ifndef DFI_WORK_FIND_H
#define DFI_WORK_FIND_H

#include <limits.h>
#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/core.h"
#include "deque.h"
#include "goal.h"
#include "queue.h"
#include "stack.h"
#include "types.h"
#include "worker.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"

/* Detection of futures whose functions have returned (work/unsynced.h). Builds with checks call it at the end of a
 * frame. */
static void dfi_unsynced_look(struct dfi_worker *w, const void *end);
static void dfi_report_unsynced(struct dfi_worker *w, size_t mark, const char *when);
#define DFI_END_OF_TASK "the task it is in ended"
#if (DF_DEBUG || DF_CHECK) && DFI_GNU
#define DFI_FRAME_BELOW    ((const void *)__builtin_dwarf_cfa()) /* end of the frame of the calling function */
#define DFI_UNSYNCED(w) ((w) && (w)->sites ? dfi_unsynced_look(w, DFI_FRAME_BELOW) : (void)0)
#else
#define DFI_UNSYNCED(w) ((void)0)
#endif

static struct dfi_flow *dfi_flow_run(struct dfi_worker *w, struct dfi_flow *t);
static int dfi_leave_to_others(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_future_run_stolen(struct dfi_worker *w, const struct dfi_loot *loot);

static void dfi_run_chain(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_goal *g);

/* Pushes a ready task onto the stack. If memory is lacking, runs it. */
DFI_INLINE void dfi_push(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(w->head == w->room) && dfi_stack_grow(w, 1)) dfi_run_chain(w, t, NULL);
    else w->stack[w->head++] = (void *)((uintptr_t)t | DFI_FLOW);
}

/* Runs t, and then one successor after another that became ready, until the goal is met. */
static void dfi_run_chain(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_goal *g)
{
    while (t) {
        t = dfi_flow_run(w, t);
        if (dfi_asked(w)) dfi_poll(w);
        if (t && ((g && dfi_goal_met(g)) || dfi_load_relaxed(&dfi_pool.stopping) == DFI_STOP_NOW ||
                  dfi_load_relaxed(&dfi_pool.queue.urgent))) {
            dfi_push(w, t);
            return;
        }
    }
}

/* Pops the newest entry above `mark` of the stack, public or not. 1: a task in *t, 2: a future in *f, 0: empty. */
static int dfi_pop(struct dfi_worker *w, size_t mark, struct dfi_flow **t, struct dfi_future **f)
{
    while (w->head > mark) {
        void *e = w->stack[w->head - 1];
        int mine = e != NULL; /* a hole is not in the deque */
        if ((uintptr_t)e & DFI_PUBLIC) mine = dfi_deque_pop_owner(w);
        w->head--;
        if (w->split > w->head) w->split = w->head;
        if (!mine) continue; /* stolen */
        e = (void *)((uintptr_t)e & ~DFI_PUBLIC);
        if ((uintptr_t)e & DFI_FLOW) {
            *t = (struct dfi_flow *)((uintptr_t)e & ~DFI_FLOW);
            return 1;
        }
        *f = (struct dfi_future *)e;
        return 2;
    }
    return 0;
}

/* Runs one entry of this worker's stack above `mark`. Zero: there is none. */
static int dfi_run_own(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    struct dfi_flow *t = NULL;
    struct dfi_future *f = NULL;
    switch (dfi_pop(w, mark, &t, &f)) {
    case 0: return 0;
    case 1: dfi_run_chain(w, t, g); return 1;
    default: /* a future of the block that waits here: its sync will find it done */
        dfi_offer(w);
        dfi_future_run_here(f);
        dfi_store_relaxed(&f->link, DFI_F_DONE);
        return 1;
    }
}

/* Called when a wait of w for scope s ends. Tasks above `mark` that are not children of s belong to code that another
 * worker runs, in a future stolen from s. That worker may wait for them; it finds them in the queue, but perhaps not
 * behind older entries of the deque of w. So they move to the queue: docs/memory-order.md, "Waiting". */
static DFI_NOINLINE void dfi_stack_hand_over(struct dfi_worker *w, size_t mark, const struct dfi_scope *s)
{
    struct dfi_flow *t = NULL;
    struct dfi_future *f = NULL;
    for (;;) {
        dfi_stack_trim(w, mark);
        if (w->head <= mark || !((uintptr_t)w->stack[w->head - 1] & DFI_FLOW)) return;
        if (!dfi_pop(w, w->head - 1, &t, &f)) continue; /* stolen meanwhile */
        if (t->scope == s) {
            dfi_push(w, t);
            return;
        }
        if (!dfi_leave_to_others(w, t)) dfi_run_chain(w, t, NULL); /* out of memory */
    }
}

/* --- stealing ---------------------------------------------------------------------------------- */

static int dfi_steal(struct dfi_worker *w, const struct dfi_filter *f, struct dfi_loot *loot)
{
    unsigned i, n = (unsigned)dfi_load_acquire(&dfi_pool.n_slots), at = w->victim;
    for (i = 0; i < n; i++, at++) {
        struct dfi_worker *v;
        if (at >= n) at = 0;
        v = dfi_load_acquire(&dfi_pool.slot[at]);
        if (v && v != w && dfi_deque_steal_thief(v, f, loot)) {
            w->victim = at;
            dfi_store_relaxed(&w->n_steals, dfi_load_relaxed(&w->n_steals) + 1);
            if (DFI_UNLIKELY(dfi_watched())) dfi_watch_steal(w, loot);
            return 1;
        }
    }
    w->random = w->random * 1664525u + 1013904223u;
    /* with the baton, the victim does not depend on when threads of the program joined */
    w->victim = (w->random >> 8) % (dfi_baton_on() ? (unsigned)DFI_MAX_WORKERS : n);
    return 0;
}

/* Takes a queued task that has a priority or is pinned to w, if f admits it. first: only tasks that precede all other
 * work. */
static int dfi_take_queued(struct dfi_worker *w, const struct dfi_filter *f, int first, struct dfi_loot *loot)
{
    struct dfi_flow *t = NULL;
    /* seq_cst, also in dfi_queue_take: the last check before parking; pairs with dfi_queue_put */
    if (DFI_UNLIKELY(dfi_load_seq_cst(&w->pinned.count))) t = dfi_queue_take(&w->pinned, f, first ? 0 : INT_MIN);
    if (!t) t = dfi_queue_take(&dfi_pool.queue, f, first ? 0 : INT_MIN);
    loot->entry = (void *)((uintptr_t)t | DFI_FLOW);
    return t != NULL;
}

static int dfi_team_find(struct dfi_worker *w, const struct dfi_filter *f, struct dfi_loot *loot);
static void dfi_team_run(struct dfi_worker *w, struct dfi_team *team);
static int dfi_gates_closed(const struct dfi_flow *t);

/* w waits in the body of a task with weak accesses. Its children may depend on earlier siblings of that task, which
 * are outside the awaited scope. w may run earlier tasks nested in this wait, because they cannot depend on tasks
 * below on the stack; it moves other tasks to the queue. */
static int dfi_find_outside(struct dfi_worker *w, const struct dfi_flow *gated, struct dfi_loot *loot)
{
    struct dfi_filter f;
    f.id = f.depth = 0;
    f.on_top_of = w;
    if (!dfi_gates_closed(gated)) return 0;
    if (dfi_take_queued(w, &f, 0, loot)) return 1;
    while (dfi_steal(w, &f, loot) || dfi_deque_steal_thief(w, &f, loot)) {
        struct dfi_flow *t = (struct dfi_flow *)((uintptr_t)loot->entry & ~DFI_FLOW);
        if (dfi_filter_admits(&f, t) || !dfi_leave_to_others(w, t)) return 1;
    }
    return 0;
}

/* Others may be waiting for a task pinned to this worker while it waits for them. Running that task nested in an
 * unrelated wait is better than a deadlock. */
static int dfi_find_pinned(struct dfi_worker *w, struct dfi_loot *loot)
{
    struct dfi_filter f;
    struct dfi_flow *t;
    if (DFI_LIKELY(!dfi_load_seq_cst(&w->pinned.count))) return 0;
    f.id = f.depth = 0, f.on_top_of = w;
    if (!(t = dfi_queue_take(&w->pinned, &f, INT_MIN))) return 0;
    loot->entry = (void *)((uintptr_t)t | DFI_FLOW), loot->outside = 1, loot->team = NULL;
    return 1;
}

/* Finds work that w may run while it waits for g. */
static int dfi_find(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_loot *loot)
{
    const struct dfi_flow *gated =
        g->kind == DFI_GOAL_BEFORE ? dfi_before_gated(g->before) : g->scope ? g->scope->gated : NULL;
    struct dfi_filter f;
    loot->outside = 0;
    loot->team = NULL;
    if (dfi_goal_filter(g, &f) && (dfi_take_queued(w, &f, 1, loot) || dfi_steal(w, &f, loot) ||
                                   dfi_team_find(w, &f, loot) || dfi_take_queued(w, &f, 0, loot)))
        return 1;
    loot->outside = 1;
    if (DFI_UNLIKELY(gated != NULL) && dfi_find_outside(w, gated, loot)) return 1;
    return dfi_find_pinned(w, loot);
}

static void dfi_run_loot(struct dfi_worker *w, const struct dfi_loot *loot, const struct dfi_goal *g)
{
    /* until w is in no wait, because the task may leave children behind */
    if (DFI_UNLIKELY(loot->outside)) w->outside = 1;
    if (loot->team) dfi_team_run(w, loot->team);
    else if ((uintptr_t)loot->entry & DFI_FLOW)
        dfi_run_chain(w, (struct dfi_flow *)((uintptr_t)loot->entry & ~DFI_FLOW), g);
    else dfi_future_run_stolen(w, loot);
}

/* Runs a queued task inside g that precedes the entries of the stack. */
static int dfi_run_urgent(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_filter f;
    struct dfi_loot loot;
    if (DFI_LIKELY(!dfi_load_relaxed(&dfi_pool.queue.urgent) && !dfi_load_relaxed(&w->pinned.urgent))) return 0;
    if (!dfi_goal_filter(g, &f) || !dfi_take_queued(w, &f, 1, &loot)) return 0;
    loot.outside = 0;
    loot.team = NULL;
    dfi_run_loot(w, &loot, g->kind <= DFI_GOAL_SPARE ? NULL : g);
    return 1;
}

#endif
