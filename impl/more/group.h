/* group.h - tasks that share a region: one at a time in any order, or accumulating into copies
 *
 * The commuting (or reducing) tasks between two other accesses of a region form a group. The entry of the
 * region holds it while it is open; the owner of the scope closes it when another kind of access, or the
 * scope's wait, needs the region. The last member to finish after that, or the owner if all have, ends the
 * group: copies are combined into the region before any edge to what follows is released.
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

/* A member is done with g and does not touch it again. */
static void dfi_group_leave(struct dfi_worker *w, struct dfi_group *g)
{
    if (g->owner == w && g->open) g->done++;
    /* acq_rel: what the members accumulated, to whoever ends the group */
    else if (dfi_fetch_sub_acq_rel(&g->left, (intptr_t)1) == 1) dfi_group_end(w, g);
}

/* Owner: there will be no more members. pre: who must come after the group has its edges. */
static void dfi_group_close(struct dfi_worker *w, struct dfi_group *g)
{
    intptr_t out = g->joined - g->done;
    g->open = 0;
    if (dfi_fetch_add_acq_rel(&g->left, out) + out == 0) dfi_group_end(w, g);
}

/* --- commuting: a lock for each group, taken in order of address --------------------------------- */

/* Zero: x is in the queue, and may be running already. */
static int dfi_lock_take(struct dfi_group *g, struct dfi_extra *x)
{
    struct dfi_extra *old = dfi_load_relaxed(&g->lock);
    for (;;) { /* acquire: what the last holder wrote; release: x, to whoever hands the lock over */
        if (!old) {
            if (dfi_cas_acq_rel(&g->lock, &old, DFI_LOCK_HELD)) return 1;
        } else {
            x->lock_wait = old == DFI_LOCK_HELD ? NULL : old;
            if (dfi_cas_acq_rel(&g->lock, &old, x)) return 0;
        }
    }
}

/* The next holder, or NULL: the lock is free. */
static struct dfi_extra *dfi_lock_pass(struct dfi_group *g)
{
    struct dfi_extra *x = g->waiting, *held = DFI_LOCK_HELD;
    if (!x) {
        if (dfi_cas_acq_rel(&g->lock, &held, NULL)) return NULL;
        held = dfi_exchange_acq_rel(&g->lock, DFI_LOCK_HELD); /* newest first: turn them around */
        while (held) {
            struct dfi_extra *next = held->lock_wait;
            held->lock_wait = x, x = held;
            held = next;
        }
    }
    g->waiting = x->lock_wait;
    return x;
}

/* Goes on taking the locks of x. Nonzero: it has all. Otherwise whoever passes it the missing one goes on. */
static int dfi_lock_all(struct dfi_extra *x)
{
    while (x->to_lock) {
        struct dfi_use *u = x->to_lock;
        x->to_lock = u->next; /* before: afterwards x may be in other hands */
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

/* from NULL: makes `into` the identity. */
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

/* A copy that nobody uses, best the one this worker used before; a new one while others use all there are. */
static struct dfi_copy *dfi_copy_take(struct dfi_worker *w, struct dfi_group *g)
{
    struct dfi_copy *c, *all = dfi_load_acquire(&g->copies); /* pairs with the CAS below */
    size_t bytes = dfi_region_bytes(&g->region);
    /* DF_CHECK: there is something to combine also if tasks run one after the other */
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

/* Tasks that found no copy and no memory for one try again. */
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
    /* seq_cst: releases what was accumulated, and comes before the look at who waits (dfi_reduce_begin) */
    dfi_store_seq_cst(&c->busy, 0);
    if (DFI_UNLIKELY(dfi_load_seq_cst(&g->starved) != NULL)) dfi_reduce_retry(w, g);
}

/* --- deterministic reductions: every task has a copy, combined in the order of submission ---------- */

static struct dfi_use *dfi_use_of(struct dfi_copy *own)
{
    return (struct dfi_use *)(void *)((char *)own - offsetof(struct dfi_use, own));
}

static void dfi_extra_merged(struct dfi_worker *w, struct dfi_flow *t);

/* Combines what came in and is next in order. Whoever finds another one doing it leaves it to that one, who
 * looks again: both the hand-over and the end of merging are seq_cst. */
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
            dfi_store_seq_cst(&g->merged, c->turn + 1); /* before the look at `starved` in dfi_reduce_hand_in */
            dfi_group_leave(w, g);
            dfi_extra_merged(w, t); /* c, a part of t, may be gone */
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
    /* without memory it waits until it is its turn, and then accumulates into the region itself */
    if (!u->own.p && dfi_load_acquire(&g->merged) == u->own.turn) u->own.p = g->first.p;
    else if (u->own.p) dfi_combine(g, u->own.p, NULL);
    return u->own.p != NULL;
}

/* --- a task begins and ends -------------------------------------------------------------------- */

/* Gives t what it accumulates into. Zero: there is no memory, it has to wait. */
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
        /* from here on x may be in other hands; a copy given back since it was looked for is seen now, or its
         * giver sees x */
        if (g->deterministic ? dfi_load_seq_cst(&g->merged) == turn : !dfi_load_seq_cst(&g->first.busy)) dfi_reduce_retry(w, g);
        return 0;
    }
    return 1;
}

static void dfi_reduce_leave(struct dfi_worker *w, struct dfi_use *u)
{
    if (u->copy) dfi_copy_give_back(w, u->group, u->copy); /* none if the task was skipped */
    dfi_group_leave(w, u->group);
}

#endif
