/* find.h - search for work: own stack, deques of other workers, tasks of upper floors, teams
 *
 * A waiting worker runs only tasks inside the scope it waits for (leapfrogging). docs/internals/work.md, "Waiting",
 * shows that this cannot deadlock. */
#ifndef DFI_WORK_FIND_H
#define DFI_WORK_FIND_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../api/core.h"
#include "deque.h"
#include "goal.h"
#include "stack.h"
#include "task.h"
#include "types.h"
#include "director.h"
#include "probe.h"
#include "worker.h"

/* A future that w has stolen; a team that takes w as a member, and the part of w in it. */
DFI_UPCALL(void, dfi_up_future_stolen, (struct dfi_worker *w, const struct dfi_stolen *stolen));
DFI_UPCALL(int, dfi_up_team_find, (struct dfi_worker *w, const struct dfi_filter *f, struct dfi_stolen *stolen));
DFI_UPCALL(void, dfi_up_team_run, (struct dfi_worker *w, struct dfi_team *team));
/* A worker is between two tasks; dfi_pool.polled. */
DFI_UPCALL(void, dfi_up_between, (void));

static void dfi_run_chain(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_goal *g);

static DFI_COLD void dfi_push_full(struct dfi_worker *w, struct dfi_flow *t);

/* Pushes a ready task onto the stack. If memory is lacking, runs it. */
DFI_FAST void dfi_push(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(w->head == w->room)) dfi_push_full(w, t);
    else w->stack[w->head++] = (void *)((uintptr_t)t | DFI_FLOW);
}
static DFI_COLD void dfi_push_full(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_stack_grow(w, 1)) dfi_run_chain(w, t, NULL);
    else dfi_push(w, t);
}

/* Runs t, and then one successor after another that became ready, until the goal is met, or w leaves its tasks to
 * others. */
static void dfi_run_chain(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_goal *g)
{
    while (t) {
        t = dfi_up_task_run(w, t);
        dfi_answer(w);
        if (dfi_up_between && DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.polled))) dfi_up_between();
        if (t && ((g && dfi_goal_met(g)) || dfi_retires(w) || dfi_up_task_urgent(NULL))) {
            dfi_push(w, t);
            return;
        }
    }
}

DFI_SMALL_CODE_BEGIN
/* The newest entries of w above `mark` are futures: they change places with the tasks below. Zero: there are none. All
 * of these entries are of the code that waits, or of code nested in it. */
static DFI_NOINLINE int dfi_stack_sort(struct dfi_worker *w, size_t mark)
{
    size_t at, low = dfi_stack_live(w, mark);
    for (at = low; at < w->head && !dfi_is_task(w->stack[at]);) at++;
    if (at == w->head) return 0;
    for (at = low = dfi_stack_unshare(w, low); at < w->head; at++) {
        void *e = w->stack[at];
        if (!e || dfi_is_task(e)) continue;
        dfi_store_relaxed(&((struct dfi_future *)e)->link, DFI_F_AT(low));
        if (dfi_sites(w)) w->sites[low] = w->sites[at];
        w->stack[at] = w->stack[low];
        w->stack[low++] = e;
    }
    return 1;
}
DFI_SMALL_CODE_END

/* Is the newest entry of w above `mark` a task, or a hole? Futures stay below: a wait waits for no future, and code
 * nested in a sync may hold a lock that another future takes. */
DFI_FAST int dfi_task_on_top(struct dfi_worker *w, size_t mark)
{
    while (w->head > mark) {
        const void *e = w->stack[w->head - 1];
        if (!e || DFI_LIKELY(dfi_is_task(e))) return 1;
        if (!dfi_stack_sort(w, mark)) return 0;
    }
    return 0;
}

/* Pops the newest task above `mark` of the stack, public or not. NULL: there is none. */
static struct dfi_flow *dfi_pop(struct dfi_worker *w, size_t mark)
{
    while (dfi_task_on_top(w, mark)) {
        const void *e = w->stack[w->head - 1];
        int mine = e != NULL; /* a hole is not in the deque */
        if (!DFI_ALONE && (uintptr_t)e & DFI_PUBLIC) mine = dfi_deque_pop_owner(w);
        w->head--;
        if (w->split > w->head) w->split = w->head;
        if (mine) return dfi_task_of(e);
    }
    return NULL;
}

/* Runs one task of this worker's stack above `mark`. Zero: there is none. */
static int dfi_run_own(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    struct dfi_flow *t = NULL;
    if (dfi_up_task_run && (t = dfi_pop(w, mark)) != NULL) dfi_run_chain(w, t, g);
    return t != NULL;
}

DFI_SMALL_CODE_BEGIN
/* Called when a wait of w in scope s ends, perhaps before all children of s are done. Tasks above `mark` that are not
 * children of s belong to code inside s that another worker may run. That worker may wait for them; it finds them in
 * the queue, but perhaps not behind older entries of the deque of w. So they move to the queue:
 * docs/internals/work.md, "Waiting". */
static DFI_NOINLINE void dfi_stack_hand_over(struct dfi_worker *w, size_t mark, const struct dfi_scope *s)
{
    struct dfi_flow *t;
    while ((t = dfi_pop(w, mark)) != NULL) {
        if (dfi_up_task_scope(t) == s) {
            dfi_push(w, t);
            return;
        }
        if (!dfi_up_task_leave(w, t)) dfi_run_chain(w, t, NULL); /* out of memory */
    }
}
DFI_SMALL_CODE_END

/* --- stealing ---------------------------------------------------------------------------------- */

static int dfi_steal(struct dfi_worker *w, const struct dfi_filter *f, struct dfi_stolen *stolen)
{
    unsigned i, n = (unsigned)dfi_load_acquire(&dfi_pool.n_slots), at = w->victim;
    if (DFI_ALONE) return 0;
    for (i = 0; i < n; i++, at++) {
        struct dfi_worker *v;
        if (at >= n) at = 0;
        v = dfi_load_acquire(&dfi_pool.slot[at]);
        if (v && v != w && dfi_deque_steal_thief(v, f, stolen)) {
            w->victim = at;
            dfi_count(&w->n_steals);
            dfi_at_steal(w, stolen->entry, stolen->victim);
            return 1;
        }
    }
    /* with the baton, the victim does not depend on when threads of the program joined */
    w->victim = (dfi_random(&w->random) >> 8) % (dfi_turns() ? (unsigned)dfi_pool.n_planned : n);
    return 0;
}

/* Takes a task that is neither on a stack nor in a deque. first: only one that precedes all other work. */
static int dfi_take_queued(struct dfi_worker *w, const struct dfi_filter *f, int first, struct dfi_stolen *stolen)
{
    struct dfi_flow *t;
    stolen->entered = 0;
    t = dfi_up_task_take ? dfi_up_task_take(w, f, first, &stolen->entered) : NULL;
    stolen->entry = (void *)((uintptr_t)t | DFI_FLOW);
    return t != NULL;
}

/* Finds work that w may run while it waits for g. */
static int dfi_find(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_stolen *stolen)
{
    struct dfi_filter f;
    stolen->outside = stolen->entered = 0;
    stolen->team = NULL;
    if (dfi_goal_filter(g, &f) && (f.thief = w) != NULL &&
        (dfi_take_queued(w, &f, 1, stolen) || dfi_steal(w, &f, stolen) ||
         (dfi_up_team_find && dfi_up_team_find(w, &f, stolen)) || dfi_take_queued(w, &f, 0, stolen)))
        return 1;
    stolen->outside = 1;
    return dfi_up_find_outside && dfi_up_find_outside(w, g, stolen);
}

/* w has run an entry for which it has entered a scope. What the entry left on the stack above `floor` is of that scope,
 * too. */
static DFI_NOINLINE void dfi_stolen_leave(struct dfi_worker *w, size_t floor, const struct dfi_goal *g)
{
    while (!dfi_retires(w) && !(g && dfi_goal_met(g)) && dfi_run_own(w, floor, g))
        if (dfi_steal_requested(w)) dfi_poll(w);
    dfi_up_thief_leaves(w, g != NULL);
}

static void dfi_run_stolen(struct dfi_worker *w, const struct dfi_stolen *stolen, const struct dfi_goal *g)
{
    size_t floor = w->head;
    /* until w is in no wait, because the task may leave children behind */
    if (DFI_UNLIKELY(stolen->outside)) w->outside = 1;
    if (!DFI_ALONE && dfi_up_team_run && stolen->team) dfi_up_team_run(w, stolen->team);
    else if (dfi_is_task(stolen->entry)) dfi_run_chain(w, dfi_task_of(stolen->entry), g);
    else dfi_up_future_stolen(w, stolen);
    if (dfi_up_thief_leaves && DFI_UNLIKELY(stolen->entered)) dfi_stolen_leave(w, floor, g);
}

/* Runs a task inside g that precedes the entries of the stack. */
static int dfi_run_urgent(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_filter f;
    struct dfi_stolen stolen;
    if (DFI_LIKELY(!dfi_up_task_urgent || !dfi_up_task_urgent(w))) return 0;
    if (!dfi_goal_filter(g, &f)) return 0;
    f.thief = w;
    if (!dfi_take_queued(w, &f, 1, &stolen)) return 0;
    stolen.outside = 0;
    stolen.team = NULL;
    dfi_run_stolen(w, &stolen, g->kind == DFI_GOAL_WORK ? NULL : g);
    return 1;
}

#endif
