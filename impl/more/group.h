/* group.h - commuting and reducing tasks
 *
 * Commuting tasks run one at a time in any order; reducing tasks accumulate into copies. The
 * commuting (or reducing) tasks between two other accesses of a region form a group. The entry of
 * the region holds the group while it is open. The owner of the scope closes it when an access of
 * another mode, or the wait of the scope, needs the region. The last member to finish after that, or
 * the owner if all have finished, ends the group: the copies are combined into the region before any
 * edge to a successor is released.
 * Argument: docs/memory-order.md, "Groups".
 * Source: X-Kaapi's cumulative write (RT-0418, 4.4.4); OmpSs' commutative. */
#ifndef DFI_MORE_GROUP_H
#define DFI_MORE_GROUP_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "../work/blocks.h"
#include "../work/types.h"
#include "../flow/region.h"
#include "../flow/task.h"
#include "../observe/check/check.h"
#include "../observe/check/reduce.h"

/* --- members ----------------------------------------------------------------------------------- */

static struct dfi_group *dfi_group_new(struct dfi_worker *w)
{
    struct dfi_group *g = (struct dfi_group *)dfi_block_new(w, DFI_CLS_GROUP);
    struct dfi_block_head head;
    if (!g) return NULL;
    head = g->head;
    memset((void *)g, 0, sizeof *g);
    g->head = head;
    g->owner = w, g->open = 1;
    return g;
}

static void dfi_reduce_end(struct dfi_worker *w, struct dfi_group *g);

static void dfi_group_end(struct dfi_worker *w, struct dfi_group *g)
{
    if (g->combine) dfi_reduce_end(w, g);
    dfi_block_free(w, g->owner, &g->head);
}

/* A member leaves g. post: it does not touch g again */
static void dfi_group_leave(struct dfi_worker *w, struct dfi_group *g)
{
    if (g->owner == w && g->open) g->done++;
    /* acq_rel: makes what the members accumulated visible to the thread that ends the group */
    else if (dfi_fetch_sub_acq_rel(&g->left, (intptr_t)1) == 1) dfi_group_end(w, g);
}

/* Owner: no member joins from here on. pre: the successors of the group have their edges */
static void dfi_group_close(struct dfi_worker *w, struct dfi_group *g)
{
    intptr_t out = g->joined - g->done;
    g->open = 0;
    if (dfi_fetch_add_acq_rel(&g->left, out) + out == 0) dfi_group_end(w, g);
}

/* --- commuting: a lock for each group, taken in order of address --------------------------------- */

/* Zero: x is queued, and may be running already. */
static int dfi_lock_take(struct dfi_group *g, struct dfi_extra *x)
{
    struct dfi_extra *old = dfi_load_relaxed(&g->lock);
    for (;;) { /* acquire: what the last holder wrote; release: x, to the thread that hands the lock over */
        if (!old) {
            if (dfi_cas_acq_rel(&g->lock, &old, DFI_LOCK_HELD)) return 1;
        } else {
            x->lock_wait = old == DFI_LOCK_HELD ? NULL : old;
            if (dfi_cas_acq_rel(&g->lock, &old, x)) return 0;
        }
    }
}

/* Passes the lock on. Returns its next holder, or NULL if the lock is free. */
static struct dfi_extra *dfi_lock_pass(struct dfi_group *g)
{
    struct dfi_extra *x = g->waiting, *held = DFI_LOCK_HELD;
    if (!x) {
        if (dfi_cas_acq_rel(&g->lock, &held, NULL)) return NULL;
        held = dfi_exchange_acq_rel(&g->lock, DFI_LOCK_HELD); /* newest first: reversed below */
        while (held) {
            struct dfi_extra *next = held->lock_wait;
            held->lock_wait = x, x = held;
            held = next;
        }
    }
    g->waiting = x->lock_wait;
    return x;
}

/* Takes the locks of x in order. Nonzero: it has all. Otherwise the thread that passes on the
 * missing lock continues. */
static int dfi_lock_all(struct dfi_extra *x)
{
    while (x->to_lock) {
        struct dfi_use *u = x->to_lock;
        x->to_lock = u->next; /* before the attempt: x may belong to another thread after it */
        if (!dfi_lock_take(u->group, x)) return 0;
    }
    x->locked = 1;
    return 1;
}

static void dfi_unlock_all(struct dfi_worker *w, struct dfi_extra *x)
{
    struct dfi_use *u;
    for (u = x->locks; u; u = u->next) {
        struct dfi_extra *next = x->locked ? dfi_lock_pass(u->group) : NULL;
        if (next && dfi_lock_all(next)) dfi_ready_sibling(w, next->task);
        dfi_group_leave(w, u->group);
    }
}

/* --- reductions: copies ------------------------------------------------------------------------ */

/* Combines `from` into `into`. from NULL: makes `into` the identity. */
static void dfi_combine(const struct dfi_group *g, char *into, const char *from)
{
    struct dfi_check_view v;
    int begun = dfi_check_own_begin(&v, &g->region, 1);
    size_t i;
    if (from && !g->deterministic) dfi_check_commutes(g->combine, g->key, g->size, into, from, g->region.row / g->size);
    for (i = 0; i < g->region.rows; i++)
        g->combine(into + i * g->region.ld, from ? from + i * g->region.ld : NULL, g->region.row / g->size);
    dfi_check_own_end(&v, begun);
}

static void dfi_reduce_end(struct dfi_worker *w, struct dfi_group *g)
{
    struct dfi_copy *c = dfi_load_acquire(&g->copies), *next;
    (void)w;
    for (; c; c = next) {
        next = c->next;
        if (c == &g->first) continue;
        dfi_combine(g, g->first.p, c->p);
        dfi_mfree(c);
    }
}

/* Returns a free copy, preferably the one that this worker used last; a new one if all are in use. */
static struct dfi_copy *dfi_copy_take(struct dfi_worker *w, struct dfi_group *g)
{
    struct dfi_copy *c, *all = dfi_load_acquire(&g->copies); /* pairs with the CAS below */
    size_t bytes = dfi_region_bytes(&g->region);
    /* DF_CHECK: a second copy, so that there is something to combine even if tasks run one after the other */
    int pass, was, another = dfi_check_operator(g->key) && all == &g->first && dfi_load_relaxed(&g->first.worker);
    for (pass = another ? 2 : 0; pass < 2; pass++)
        for (c = all; c; c = c->next) {
            if (pass == 0 && dfi_load_relaxed(&c->worker) != w) continue;
            was = 0; /* acq_rel: what was accumulated so far, from the store in dfi_reduce_leave */
            if (dfi_load_relaxed(&c->busy) || !dfi_cas_acq_rel(&c->busy, &was, 1)) continue;
            dfi_store_relaxed(&c->worker, w);
            return c;
        }
    if (bytes > SIZE_MAX / 2 || !(c = (struct dfi_copy *)dfi_malloc(sizeof *c + 2 * DFI_LINE + bytes))) {
        was = 0;
        return another && dfi_cas_acq_rel(&g->first.busy, &was, 1) ? &g->first : NULL;
    }
    memset((void *)c, 0, sizeof *c);
    c->busy = 1;
    c->worker = w;
    c->p = (char *)(c + 1) + (DFI_LINE - (uintptr_t)(c + 1) % DFI_LINE) % DFI_LINE;
    dfi_combine(g, c->p, NULL);
    do c->next = all;
    while (!dfi_cas_acq_rel(&g->copies, &all, c));
    dfi_store_relaxed(&w->n_copies, dfi_load_relaxed(&w->n_copies) + 1);
    return c;
}

/* Retries the tasks that found neither a free copy nor memory for one. */
static void dfi_reduce_retry(struct dfi_worker *w, struct dfi_group *g)
{
    struct dfi_extra *x = dfi_exchange_seq_cst(&g->starved, NULL), *next;
    for (; x; x = next) {
        next = x->lock_wait;
        dfi_ready_sibling(w, x->task);
    }
}

static void dfi_copy_give_back(struct dfi_worker *w, struct dfi_group *g, struct dfi_copy *c)
{
    /* seq_cst: releases what was accumulated, and precedes the load of `starved`; pairs with
     * dfi_reduce_begin */
    dfi_store_seq_cst(&c->busy, 0);
    if (DFI_UNLIKELY(dfi_load_seq_cst(&g->starved) != NULL)) dfi_reduce_retry(w, g);
}

/* --- deterministic reductions: a copy for every task, combined in the order of submission ----------- */

static struct dfi_use *dfi_use_of(struct dfi_copy *own)
{
    return (struct dfi_use *)(void *)((char *)own - offsetof(struct dfi_use, own));
}

static void dfi_extra_merged(struct dfi_worker *w, struct dfi_flow *t);

/* Combines the copies handed in that are next in order. A thread that finds another one combining
 * leaves its copy to that thread, which looks again: the hand-over and the end of combining are both
 * seq_cst. */
static void dfi_merge_in_order(struct dfi_worker *w, struct dfi_group *g)
{
    do {
        struct dfi_copy *c, **at;
        if (dfi_exchange_seq_cst(&g->merging, 1)) return;
        for (c = dfi_exchange_acq_rel(&g->handed, NULL); c;) {
            struct dfi_copy *next = c->next;
            for (at = &g->sorted; *at && (*at)->turn < c->turn;) at = &(*at)->next;
            c->next = *at, *at = c;
            c = next;
        }
        while ((c = g->sorted) != NULL && c->turn == dfi_load_relaxed(&g->merged)) {
            struct dfi_flow *t = c->task;
            g->sorted = c->next;
            if (c->p && c->p != g->first.p) {
                dfi_combine(g, g->first.p, c->p);
                if (c->p != dfi_use_of(c)->room.bytes) dfi_mfree(c->p);
            }
            dfi_store_seq_cst(&g->merged, c->turn + 1); /* precedes the load of `starved` in dfi_reduce_hand_in */
            dfi_group_leave(w, g);
            dfi_extra_merged(w, t); /* c is part of t and may be gone */
        }
        dfi_store_seq_cst(&g->merging, 0);
    } while (dfi_load_seq_cst(&g->handed));
}

static void dfi_reduce_hand_in(struct dfi_worker *w, struct dfi_use *u)
{
    struct dfi_group *g = u->group;
    struct dfi_copy *old = dfi_load_relaxed(&g->handed);
    do u->own.next = old;
    while (!dfi_cas_seq_cst(&g->handed, &old, &u->own));
    dfi_merge_in_order(w, g);
    if (DFI_UNLIKELY(dfi_load_seq_cst(&g->starved) != NULL)) dfi_reduce_retry(w, g);
    dfi_group_leave(w, g);
}

static int dfi_own_copy(struct dfi_group *g, struct dfi_use *u)
{
    size_t bytes = dfi_region_bytes(&g->region);
    u->own.p = bytes <= sizeof u->room ? u->room.bytes : (char *)dfi_malloc(bytes);
    /* Without memory the task waits for its turn, and then accumulates into the region itself. */
    if (!u->own.p && dfi_load_acquire(&g->merged) == u->own.turn) u->own.p = g->first.p;
    else if (u->own.p) dfi_combine(g, u->own.p, NULL);
    return u->own.p != NULL;
}

/* --- a task begins and ends -------------------------------------------------------------------- */

/* Gives t a copy to accumulate into. Zero: there is no memory, so the task has to wait. */
static int dfi_reduce_begin(struct dfi_worker *w, struct dfi_extra *x)
{
    struct dfi_use *u, *v;
    size_t turn;
    for (u = x->reductions; u; u = u->next) {
        struct dfi_group *g = u->group;
        if (g->deterministic ? u->own.p != NULL || dfi_own_copy(g, u) : (u->copy = dfi_copy_take(w, g)) != NULL) {
            memcpy((char *)x->task->task.args + u->arg, g->deterministic ? &u->own.p : &u->copy->p, sizeof(void *));
            continue;
        }
        turn = u->own.turn;
        dfi_warn_no_memory();
        for (v = x->reductions; v != u; v = v->next)
            if (!v->group->deterministic) dfi_copy_give_back(w, v->group, v->copy), v->copy = NULL;
        x->lock_wait = dfi_load_relaxed(&g->starved);
        while (!dfi_cas_seq_cst(&g->starved, &x->lock_wait, x)) continue;
        /* x may belong to another thread from here on. A copy given back since the search is seen
         * here, or the thread that gave it back sees x. */
        if (g->deterministic ? dfi_load_seq_cst(&g->merged) == turn : !dfi_load_seq_cst(&g->first.busy))
            dfi_reduce_retry(w, g);
        return 0;
    }
    return 1;
}

static void dfi_reduce_leave(struct dfi_worker *w, struct dfi_use *u)
{
    if (u->copy) dfi_copy_give_back(w, u->group, u->copy); /* no copy if the task was skipped */
    dfi_group_leave(w, u->group);
}

#endif
