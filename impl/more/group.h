/* group.h - commuting and reducing tasks
 *
 * Commuting tasks run one at a time in any order; reducing tasks accumulate into copies. The
 * commuting (or reducing) tasks between two other accesses of a region form a group. The entry of
 * the region holds the group while it is open. The owner of the scope closes it when an access of
 * another mode, or the wait of the scope, needs the region. The last member to finish after that, or
 * the owner if all have finished, ends the group: the copies are combined into the region before any
 * edge to a successor is released.
 * Argument: docs/internals/flow.md, "Groups".
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
#include "../flow/extra.h"
#include "../flow/moments.h"
#include "../flow/order.h"
#include "../flow/region.h"
#include "../flow/scope.h"
#include "../flow/supervise.h"
#include "../flow/task.h"
#include "../flow/types.h"
#include "rename.h"
#include "state.h"
#include "types.h"
#include "use.h"

DFI_SMALL_CODE_BEGIN

/* --- members ----------------------------------------------------------------------------------- */

/* Are contributions combined in the order of submission? */
static int dfi_reduces_in_order(const struct dfi_access *x)
{
    return dfi_more.deterministic || x->mode & DFI_ORDERED ? 1 : 0;
}

/* A new group for accesses like x. p: where the value of the region is. NULL: out of memory. */
static struct dfi_group *dfi_group_new(struct dfi_worker *w, const struct dfi_access *x, char *p)
{
    struct dfi_group *g = (struct dfi_group *)dfi_block_get(w, DFI_CLS_GROUP);
    struct dfi_block_head head;
    if (!g) return NULL;
    head = g->head;
    memset((void *)g, 0, sizeof *g);
    g->head = head;
    g->owner = w, g->open = 1;
    if (dfi_kind(x->mode) != DFI_REDUCE) return g;
    g->region = dfi_region_of(x);
    g->combine = x->combine, g->size = x->size, g->key = x->key;
    g->deterministic = dfi_reduces_in_order(x), g->wide = (x->mode & DFI_WIDE) != 0;
    g->first.p = p;
    dfi_store_relaxed(&g->copies, &g->first);
    return g;
}

/* Adds t to the open group g, by its access x. 0, or -1 if out of memory. */
static int dfi_group_add(struct dfi_worker *w, struct dfi_flow *t, struct dfi_group *g, const struct dfi_access *x)
{
    struct dfi_extra *e = dfi_extra_of(w, t);
    struct dfi_member *m;
    struct dfi_use *u, **at;
    if (!e) return -1;
    m = dfi_member_of(e);
    at = g->combine ? &m->reductions : &m->locks;
    if (!g->combine) {
        at = dfi_use_place(at, g);
        if (*at && (*at)->group == g) return 0; /* t declares the same region twice */
    }
    if (!(u = dfi_use_new(w, at))) return -1;
    u->group = g;
    u->arg = x->arg;
    u->own.task = t;
    u->own.turn = g->turns++;
    g->joined += g->deterministic ? 2 : 1; /* the contribution, and the task */
    m->to_lock = m->locks;
    return 0;
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

/* --- accesses: called by flow/order.h ------------------------------------------------------------ */

/* Resolves overlapping accesses of one task. Each access keeps its mode, and its entry remembers it, so that
 * successors depend on exactly the conflicting tasks. But a task cannot join a group twice, so overlapping commuting
 * and reducing accesses become exclusive writes. And an entry remembers a task in one mode only: if two accesses
 * declare the same region in different modes, the sharing one becomes an exclusive write, which is the union of
 * both. And the children of a task with weak accesses may follow earlier tasks, which could wait for a lock that the
 * task holds until its children are done: it commutes with none. Returns the mode of access i. */
static unsigned dfi_access_apart(const struct dfi_access *x, unsigned n, unsigned i)
{
    struct dfi_region a = dfi_region_of(&x[i]);
    int alone = dfi_region_is_all(&a);
    unsigned j;
    if (!(x[i].mode & DFI_SHARED)) return x[i].mode;
    for (j = 0; j < n && !alone; j++) {
        struct dfi_region b = dfi_region_of(&x[j]);
        if (i == j) continue;
        alone = dfi_kind(x[i].mode) == DFI_COMMUTE && x[j].mode & DFI_CHILDREN ? 1
                : x[i].mode & DFI_ONE_REGION
                    ? dfi_region_overlap(&a, &b)
                    : a.rows && dfi_region_same(&a, &b) && dfi_kind(x[i].mode) != dfi_kind(x[j].mode);
    }
    return alone ? (x[i].mode & DFI_RANGE) | DFI_INOUT : x[i].mode;
}
/* Whether one of them has its new mode already makes no difference to the others. */
static void dfi_accesses_apart(struct dfi_access *x, unsigned n)
{
    unsigned i;
    for (i = 0; i < n; i++) x[i].mode = dfi_access_apart(x, n, i);
}

/* Commuting tasks exclude each other by the lock of one region, reducing tasks share its accumulators. A reduction also
 * needs the same operator and way to combine. */
static int dfi_group_admits(const struct dfi_entry *n, const struct dfi_access *x)
{
    const struct dfi_group *g = dfi_group_of(n)->open;
    return g && (dfi_kind(x->mode) != DFI_REDUCE || (g->key == x->key && g->deterministic == dfi_reduces_in_order(x)));
}
#define dfi_up_joins_by , dfi_group_admits

/* Adds t to the group of n, or creates one. 0, or -1 if out of memory. */
static int dfi_group_join(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n, const struct dfi_access *x)
{
    struct dfi_group *g = dfi_group_of(n)->open;
    if (!g) {
        if (!(g = dfi_group_new(w, x, dfi_version_now(n)))) return -1;
        n->asks |= DFI_ENTRY_JOINT;
        if (g->combine) {
            n->asks |= DFI_ENTRY_KEEP;
            dfi_flow_of(t->scope)->table->unsettled++;
        }
        dfi_group_of(n)->open = g;
    }
    return dfi_group_add(w, t, g, x);
}
#define dfi_up_joined_by , dfi_group_join

/* Successors of reducing tasks follow whole tasks, because contributions are combined at their end. */
static void dfi_group_followed(struct dfi_worker *w, const struct dfi_entry *n)
{
    if (n->kind == DFI_REDUCE) dfi_tasks_of(w)->reg_access = NULL;
}
#define dfi_up_follows_sharers_by , dfi_group_followed

static void dfi_entry_close_group(struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n)
{
    struct dfi_group *g = dfi_group_of(n)->open;
    dfi_group_of(n)->open = NULL;
    n->asks &= ~(unsigned)(DFI_ENTRY_JOINT | DFI_ENTRY_KEEP);
    if (g->combine) table->unsettled--;
    dfi_group_close(w, g);
}
#define dfi_up_sharers_end_by , dfi_entry_close_group

/* --- commuting: a lock for each group (more/lock.h) ------------------------------------------------ */

/* Zero: x is queued, and may be running already. */
static int dfi_lock_take(struct dfi_group *g, struct dfi_extra *x)
{
    struct dfi_extra *old = dfi_load_relaxed(&g->lock);
    for (;;) { /* acquire: what the last holder wrote; release: x, to the thread that hands the lock over */
        if (!old) {
            if (dfi_cas_acq_rel(&g->lock, &old, DFI_LOCK_HELD)) return 1;
        } else {
            dfi_member_of(x)->lock_wait = old == DFI_LOCK_HELD ? NULL : old;
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
        held = dfi_swap_acq_rel(&g->lock, DFI_LOCK_HELD); /* newest first: reversed below */
        while (held) {
            struct dfi_extra *next = dfi_member_of(held)->lock_wait;
            dfi_member_of(held)->lock_wait = x, x = held;
            held = next;
        }
    }
    g->waiting = dfi_member_of(x)->lock_wait;
    return x;
}

/* --- reductions: copies ------------------------------------------------------------------------ */

/* Combines `from` into `into`. from NULL: makes `into` the identity. */
static void dfi_combine(const struct dfi_group *g, char *into, const char *from)
{
    struct dfi_extent c;
    size_t i;
    dfi_own_begin(&c, &g->region, 1);
    if (dfi_up_combines && from && !g->deterministic)
        dfi_up_combines(g->combine, g->key, g->size, into, from, g->region.row / g->size);
    for (i = 0; i < g->region.rows; i++)
        g->combine(into + i * g->region.ld, from ? from + i * g->region.ld : NULL, g->region.row / g->size);
    dfi_own_end(&c);
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
    int pass, was, another = dfi_up_combines_more && dfi_up_combines_more(g->key) && all == &g->first &&
                             dfi_load_relaxed(&g->first.worker);
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
    dfi_count(&dfi_tally_of(w)->n_copies);
    return c;
}

/* Retries the tasks that found neither a free copy nor memory for one. */
static void dfi_reduce_retry(struct dfi_worker *w, struct dfi_group *g)
{
    struct dfi_extra *x = dfi_swap_seq_cst(&g->starved, NULL), *next;
    for (; x; x = next) {
        next = dfi_member_of(x)->lock_wait;
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

/* The contributions of t have been combined, and t, its descendants included, is done. */
DFI_UPCALL(void, dfi_up_merged, (struct dfi_worker *w, struct dfi_flow *t));

/* One contribution of t has been combined. */
static void dfi_member_merged(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_fetch_sub_acq_rel(&dfi_member_of(t->extra)->unmerged, (intptr_t)1) == 1) dfi_up_merged(w, t);
}

/* Combines the copies handed in that are next in order. A thread that finds another one combining
 * leaves its copy to that thread, which looks again: the hand-over and the end of combining are both
 * seq_cst. */
static void dfi_merge_in_order(struct dfi_worker *w, struct dfi_group *g)
{
    do {
        struct dfi_copy *c, **at;
        if (dfi_exchange_seq_cst(&g->merging, 1)) return;
        for (c = dfi_swap_acq_rel(&g->handed, NULL); c;) {
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
                if (g->wide) dfi_wide_free(c->p);
                else if (c->p != dfi_use_of(c)->room.bytes) dfi_mfree(c->p);
            }
            dfi_store_seq_cst(&g->merged, c->turn + 1); /* precedes the load of `starved` in dfi_reduce_hand_in */
            dfi_group_leave(w, g);
            dfi_member_merged(w, t); /* c is part of t and may be gone */
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
    u->own.p = g->wide ? dfi_wide_malloc(bytes) : bytes <= sizeof u->room ? u->room.bytes : (char *)dfi_malloc(bytes);
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
    for (u = dfi_member_of(x)->reductions; u; u = u->next) {
        struct dfi_group *g = u->group;
        if (g->deterministic ? u->own.p != NULL || dfi_own_copy(g, u) : (u->copy = dfi_copy_take(w, g)) != NULL) {
            memcpy((char *)x->task->task.args + u->arg, g->deterministic ? &u->own.p : &u->copy->p, sizeof(void *));
            continue;
        }
        turn = u->own.turn;
        dfi_warn_once("out of memory: tasks with a reduction wait until another one is done and leaves its copy");
        for (v = dfi_member_of(x)->reductions; v != u; v = v->next)
            if (!v->group->deterministic) dfi_copy_give_back(w, v->group, v->copy), v->copy = NULL;
        dfi_member_of(x)->lock_wait = dfi_load_relaxed(&g->starved);
        while (!dfi_cas_seq_cst(&g->starved, &dfi_member_of(x)->lock_wait, x)) continue;
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

/* t and its descendants are done: it leaves its reductions. Zero: some contributions are not combined yet, and the
 * thread that combines the last one completes t (dfi_up_merged). */
static int dfi_reduce_done(struct dfi_worker *w, struct dfi_member *m)
{
    struct dfi_use *u, *next;
    intptr_t n = 1;
    for (u = m->reductions; u; u = u->next)
        if (u->group->deterministic) n++;
        else {
            dfi_reduce_leave(w, u);
            u->group = NULL; /* it may end, and its memory be another group, before the loop below */
        }
    if (n == 1) return 1;
    dfi_store_relaxed(&m->unmerged, n);
    for (u = m->reductions; u; u = next) {
        next = u->next;
        if (u->group) dfi_reduce_hand_in(w, u);
    }
    /* acq_rel; pairs with dfi_member_merged */
    return dfi_fetch_sub_acq_rel(&m->unmerged, (intptr_t)1) == 1;
}

/* t leaves the groups that it has joined, because memory to register it was lacking. */
static DFI_COLD void dfi_groups_leave(struct dfi_worker *w, struct dfi_extra *x)
{
    struct dfi_member *m = dfi_member_of(x);
    struct dfi_use *u;
    intptr_t n = 1;
    for (u = m->locks; u; u = u->next)
        if (u->group) dfi_group_leave(w, u->group);
    dfi_uses_free(w, w, m->locks);
    for (u = m->reductions; u; u = u->next) n += u->group && u->group->deterministic;
    /* t is not completed here, but by dfi_submit_now, which waits until 1 is left */
    dfi_store_relaxed(&m->unmerged, n);
    while ((u = m->reductions) != NULL) {
        m->reductions = u->next;
        if (!u->group) dfi_block_free(w, w, &u->head);
        else if (u->group->deterministic) dfi_reduce_hand_in(w, u); /* u stays in the group until its turn */
        else {
            dfi_group_leave(w, u->group);
            dfi_block_free(w, w, &u->head);
        }
    }
    m->locks = m->to_lock = NULL;
}

DFI_SMALL_CODE_END

#endif
