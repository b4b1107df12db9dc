/* queue.h - priority queue of ready tasks
 *
 * Most ready tasks are on the stack of a worker. This queue holds the others: tasks with a priority, tasks pinned to
 * a worker, and tasks that became ready by a signal from outside their scope, which must not run nested in an
 * unrelated wait. It is a pairing heap under a mutex, with its links inside the tasks, so insertion never fails.
 * Source: Fredman, Sedgewick, Sleator, Tarjan, "The pairing heap", Algorithmica 1986. */
#ifndef DFI_FLOW_QUEUE_H
#define DFI_FLOW_QUEUE_H

#include <limits.h>
#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "../work/deque.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/goal.h"
#include "../work/task.h"
#include "../work/types.h"
#include "moments.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

/* Melds two heaps; a and b are roots or NULL. The task that runs first becomes the root. */
static struct dfi_extra *dfi_heap_meld(struct dfi_extra *a, struct dfi_extra *b)
{
    if (!a || !b) return a ? a : b;
    if (b->priority > a->priority || (b->priority == a->priority && b->order < a->order)) {
        struct dfi_extra *t = a;
        a = b, b = t;
    }
    b->sibling = a->child;
    b->before = a;
    if (a->child) a->child->before = b;
    a->child = b;
    a->sibling = a->before = NULL;
    return a;
}

/* Melds a list of siblings into one heap: neighbours in pairs, then the pairs from last to first. */
static struct dfi_extra *dfi_heap_meld_all(struct dfi_extra *x)
{
    struct dfi_extra *pairs = NULL, *all = NULL;
    while (x) {
        struct dfi_extra *a = x, *b = x->sibling;
        x = b ? b->sibling : NULL;
        a->sibling = a->before = NULL;
        if (b) b->sibling = b->before = NULL;
        a = dfi_heap_meld(a, b);
        a->sibling = pairs, pairs = a;
    }
    while (pairs) {
        struct dfi_extra *a = pairs;
        pairs = a->sibling;
        a->sibling = NULL;
        all = dfi_heap_meld(all, a);
    }
    return all;
}

static void dfi_heap_remove(struct dfi_queue *q, struct dfi_extra *x)
{
    if (x == q->best) q->best = dfi_heap_meld_all(x->child);
    else {
        if (x->before->child == x) x->before->child = x->sibling;
        else x->before->sibling = x->sibling;
        if (x->sibling) x->sibling->before = x->before;
        q->best = dfi_heap_meld(q->best, dfi_heap_meld_all(x->child));
    }
    x->child = x->sibling = x->before = NULL;
}

DFI_SMALL_CODE_END

static int dfi_sooner(const struct dfi_extra *a, const struct dfi_extra *b)
{
    return a->priority > b->priority || (a->priority == b->priority && a->order < b->order);
}

/* Does t precede the child of r at place j in a serial execution, or is it inside it? Then it cannot depend on the rest
 * of that child, and may run nested in a wait of it. SIZE_MAX: code that another worker may run, a spawned function or
 * a part of a loop or pipe. 0 if the order is unknown: among such codes of one scope and the children of that scope,
 * and between threads of the program. pre: t and the child are unfinished. */
static int dfi_flow_before(const struct dfi_flow *t, struct dfi_scope *r, size_t j)
{
    struct dfi_scope *s = t->scope;
    size_t i = dfi_flow_place(t);
    while (s != r) {
        uintptr_t d = dfi_load_relaxed(&s->depth), e = dfi_load_relaxed(&r->depth);
        if (d >= e) i = dfi_load_relaxed(&dfi_flow_of(s)->place), s = dfi_load_relaxed(&s->parent);
        if (e >= d) j = dfi_load_relaxed(&dfi_flow_of(r)->place), r = dfi_load_relaxed(&r->parent);
        if (!s || !r) return 0;
    }
    return i <= j && j != SIZE_MAX;
}

/* Does t precede all tasks on the stack of w, or is it inside them? */
static int dfi_may_run_on_top(const struct dfi_worker *w, const struct dfi_flow *t)
{
    struct dfi_scope *s;
    if (t->type->modes & DFI_INTERNAL) return 1; /* internal tasks never wait */
    if (w->task && !dfi_flow_before(t, w->task->scope, dfi_flow_place(w->task))) return 0;
    for (s = w->scope; s; s = s->outer) {
        const struct dfi_flow *u = s->task ? s->task : s->saved_task;
        if (s->kind == DFI_STOLEN && !dfi_flow_before(t, dfi_load_relaxed(&s->parent), SIZE_MAX) &&
            !dfi_scope_inside(t->scope, dfi_load_relaxed(&s->id), dfi_load_relaxed(&s->depth), 0))
            return 0;
        if (u && !dfi_flow_before(t, u->scope, dfi_flow_place(u))) return 0;
    }
    return 1;
}

static int dfi_filter_admits(const struct dfi_filter *f, const struct dfi_flow *t)
{
    return dfi_filter_inside(f, t->scope) &&
           (!f->on_top_of || dfi_may_run_on_top(f->on_top_of, t)) &&
           (!dfi_up_thief_may_enter || !f->thief || DFI_LIKELY(!dfi_load_relaxed(&dfi_pool.doors)) ||
            dfi_up_thief_may_enter(f->thief, t->scope));
}

/* The best task that f admits, with at least that priority. Iterative. NULL: none. */
static struct dfi_extra *dfi_heap_find(struct dfi_queue *q, const struct dfi_filter *f, int least)
{
    struct dfi_extra *x = q->best, *found = NULL;
    while (x) {
        int fits = x->priority >= least && !(found && dfi_sooner(found, x));
        /* a queued task is unfinished, so all its enclosing scopes exist */
        if (fits && dfi_filter_admits(f, x->task)) found = x, fits = 0;
        if (found == x && x == q->best) return x;
        if (fits && x->child) x = x->child; /* its descendants come later, so they matter only if x was not admitted */
        else {
            while (!x->sibling) { /* ascend: the `before` of the leftmost sibling is the parent */
                while (x->before && x->before->child != x) x = x->before;
                if (!(x = x->before)) return found;
            }
            x = x->sibling;
        }
    }
    return found;
}

static void dfi_queue_put(struct dfi_queue *q, struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    dfi_os_lock(&q->lock);
    x->order = dfi_seeded() ? dfi_up_rank(t) : q->order++;
    x->child = x->sibling = x->before = NULL;
    q->best = dfi_heap_meld(q->best, x);
    /* seq_cst: before the check for sleepers; pairs with the loads of a worker about to park */
    if (x->priority >= 0) dfi_store_seq_cst(&q->urgent, dfi_load_relaxed(&q->urgent) + 1);
    dfi_store_seq_cst(&q->count, dfi_load_relaxed(&q->count) + 1);
    dfi_os_unlock(&q->lock);
}

/* Takes the best task that f admits, if its priority is at least `least`. entered: as in struct dfi_stolen, or NULL if
 * f has no thief. */
static struct dfi_flow *dfi_queue_take(struct dfi_queue *q, const struct dfi_filter *f, int least, int *entered)
{
    struct dfi_extra *x;
    int enters = DFI_THIEF_MAY;
    if (dfi_load_seq_cst(least >= 0 ? &q->urgent : &q->count) == 0) return NULL;
    dfi_os_lock(&q->lock);
    /* another worker may have entered since f admitted x */
    do x = dfi_heap_find(q, f, least);
    while (x && !(enters = dfi_thief_enters(f->thief, x->task->scope, NULL, 0)));
    if (x) {
        if (entered) *entered = enters == DFI_THIEF_ENTERED;
        dfi_heap_remove(q, x);
        if (x->priority >= 0) dfi_store_relaxed(&q->urgent, dfi_load_relaxed(&q->urgent) - 1);
        dfi_store_relaxed(&q->count, dfi_load_relaxed(&q->count) - 1);
    }
    dfi_os_unlock(&q->lock);
    return x ? x->task : NULL;
}

/* --- search (work/find.h) ----------------------------------------------------------------------- */

static int dfi_any_opened(void)
{
    return !DFI_ALONE && dfi_up_opened && dfi_load_seq_cst(&dfi_flow_pool.opened) != NULL;
}

static struct dfi_flow *dfi_task_take(struct dfi_worker *w, const struct dfi_filter *f, int first, int *entered)
{
    struct dfi_flow *t = NULL;
    /* seq_cst, also in dfi_queue_take: the last check before parking; pairs with dfi_queue_put and dfi_token_leave */
    if (DFI_UNLIKELY(dfi_any_opened())) dfi_up_opened(w);
    if (DFI_UNLIKELY(dfi_load_seq_cst(&dfi_tasks_of(w)->pinned.count))) { /* no other worker may run these */
        struct dfi_filter own = *f;
        own.thief = NULL;
        t = dfi_queue_take(&dfi_tasks_of(w)->pinned, &own, first ? 0 : INT_MIN, NULL);
    }
    return t ? t : dfi_queue_take(&dfi_flow_pool.queue, f, first ? 0 : INT_MIN, entered);
}
#define dfi_up_task_take_by , dfi_task_take

static int dfi_task_urgent(const struct dfi_worker *w)
{
    return dfi_load_relaxed(&dfi_flow_pool.queue.urgent) || (w && dfi_load_relaxed(&dfi_tasks_of(w)->pinned.urgent));
}
#define dfi_up_task_urgent_by , dfi_task_urgent

static int dfi_task_ready(void) { return dfi_load_seq_cst(&dfi_flow_pool.queue.count) || dfi_any_opened(); }
#define dfi_up_task_ready_by , dfi_task_ready

/* Others may be waiting for a task pinned to this worker while it waits for them. Running that task nested in an
 * unrelated wait is better than a deadlock. */
static int dfi_task_pinned(struct dfi_worker *w, struct dfi_stolen *stolen)
{
    struct dfi_filter f;
    struct dfi_flow *t;
    if (DFI_LIKELY(!dfi_load_seq_cst(&dfi_tasks_of(w)->pinned.count))) return 0;
    f.id = f.depth = 0, f.on_top_of = w, f.thief = NULL;
    if (!(t = dfi_queue_take(&dfi_tasks_of(w)->pinned, &f, INT_MIN, NULL))) return 0;
    stolen->entry = (void *)((uintptr_t)t | DFI_FLOW), stolen->outside = 1, stolen->team = NULL, stolen->entered = 0;
    return 1;
}

static int dfi_find_outside(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_stolen *stolen)
{
    if (dfi_up_find_around && dfi_up_find_around(w, g, stolen)) return 1;
    return dfi_task_pinned(w, stolen);
}
#define dfi_up_find_outside_by , dfi_find_outside

/* Called before w parks in a wait, or blocks. Moves the ready tasks below the wait, which w may not run, to the
 * queue, where any worker finds each of them, not only the oldest. They could run when this wait ends. But with
 * pinned tasks or blocked workers, this wait may itself depend on them. The futures among them leave the deque: then w
 * shares its stack again. Nonzero: out of memory, tasks are left. */
static DFI_NOINLINE int dfi_stack_to_queue(struct dfi_worker *w)
{
    size_t at = dfi_stack_unshare(w, 0);
    for (; at < w->head; at++) { /* the oldest first */
        void *e = w->stack[at];
        if (!e || !dfi_is_task(e)) continue;
        if (!dfi_up_task_leave(w, dfi_task_of(e))) return 1;
        w->stack[at] = NULL;
    }
    return 0;
}
#define dfi_up_tasks_publish_by , dfi_stack_to_queue

#endif
