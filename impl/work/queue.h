/* queue.h - priority queue of ready tasks
 *
 * Most ready tasks are on the stack of a worker. This queue holds the others: tasks with a priority, tasks pinned to
 * a worker, and tasks that became ready by a signal from outside their scope, which must not run nested in an
 * unrelated wait. It is a pairing heap under a mutex, with its links inside the tasks, so insertion never fails.
 * Source: Fredman, Sedgewick, Sleator, Tarjan, "The pairing heap", Algorithmica 1986. */
#ifndef DFI_WORK_QUEUE_H
#define DFI_WORK_QUEUE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/wait.h"
#include "deque.h"
#include "types.h"
#include "../observe/schedule/chaos.h"

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

static int dfi_sooner(const struct dfi_extra *a, const struct dfi_extra *b)
{
    return a->priority > b->priority || (a->priority == b->priority && a->order < b->order);
}

/* Does a precede b in a serial execution, or is it inside b? Then it cannot depend on the rest of b, and may run
 * nested in a wait of b. 0 among the children of a stolen future and between threads of the program, because their
 * order is unknown. pre: a and b are unfinished. */
static int dfi_flow_before(const struct dfi_flow *a, const struct dfi_flow *b)
{
    struct dfi_scope *s = a->scope, *r = b->scope;
    size_t i = a->birth, j = b->birth;
    while (s != r) {
        uintptr_t d = dfi_load_relaxed(&s->depth), e = dfi_load_relaxed(&r->depth);
        if (d >= e) i = dfi_load_relaxed(&s->birth), s = dfi_load_relaxed(&s->parent);
        if (e >= d) j = dfi_load_relaxed(&r->birth), r = dfi_load_relaxed(&r->parent);
        if (!s || !r) return 0;
    }
    return i <= j && j != SIZE_MAX;
}

/* Does t precede all tasks on the stack of w? */
static int dfi_may_run_on_top(const struct dfi_worker *w, const struct dfi_flow *t)
{
    struct dfi_scope *s;
    if (t->type->modes & DFI_INTERNAL) return 1; /* internal tasks never wait */
    if (w->task && !dfi_flow_before(t, w->task)) return 0;
    for (s = w->scope; s; s = s->outer) {
        const struct dfi_flow *u = s->task ? s->task : s->saved_task;
        if (s->kind == DFI_STOLEN &&
            !dfi_scope_inside(t->scope, dfi_load_relaxed(&s->id), dfi_load_relaxed(&s->depth)))
            return 0;
        if (u && !dfi_flow_before(t, u)) return 0;
    }
    return 1;
}

static int dfi_filter_admits(const struct dfi_filter *f, const struct dfi_flow *t)
{
    return (!f->id || dfi_scope_inside(t->scope, f->id, f->depth)) &&
           (!f->on_top_of || dfi_may_run_on_top(f->on_top_of, t));
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
    x->order = DFI_UNLIKELY(dfi_chaotic()) ? dfi_chaos_place(t) : q->order++;
    x->child = x->sibling = x->before = NULL;
    q->best = dfi_heap_meld(q->best, x);
    /* seq_cst: before the check for sleepers; pairs with the loads of a worker about to park */
    if (x->priority >= 0) dfi_store_seq_cst(&q->urgent, dfi_load_relaxed(&q->urgent) + 1);
    dfi_store_seq_cst(&q->count, dfi_load_relaxed(&q->count) + 1);
    dfi_os_unlock(&q->lock);
}

/* Takes the best task that f admits, if its priority is at least `least`. */
static struct dfi_flow *dfi_queue_take(struct dfi_queue *q, const struct dfi_filter *f, int least)
{
    struct dfi_extra *x;
    if (dfi_load_seq_cst(least >= 0 ? &q->urgent : &q->count) == 0) return NULL;
    dfi_os_lock(&q->lock);
    if ((x = dfi_heap_find(q, f, least)) != NULL) {
        dfi_heap_remove(q, x);
        if (x->priority >= 0) dfi_store_relaxed(&q->urgent, dfi_load_relaxed(&q->urgent) - 1);
        dfi_store_relaxed(&q->count, dfi_load_relaxed(&q->count) - 1);
    }
    dfi_os_unlock(&q->lock);
    return x ? x->task : NULL;
}

#endif
