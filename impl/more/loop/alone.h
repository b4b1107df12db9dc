/* alone.h - loops that are run alone, as they were expected to be short, and are not
 *
 * The owner of such a loop cannot tell while its first iteration runs. So it shows the loop in `alone`, and one of the
 * sleepers, the watcher, sleeps for a millisecond at a time while such loops come. A loop that it finds twice it puts on
 * the board in the owner's place (work/team.h). If there is no watcher, and nobody is awake to become it, the owner wakes a
 * sleeper: that is so for the first of many loops only.
 * Argument: docs/memory-order.md, "Loops". */
#ifndef DFI_MORE_LOOP_ALONE_H
#define DFI_MORE_LOOP_ALONE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/types.h"

static int dfi_loop_offer(struct dfi_worker *owner, unsigned d, uintptr_t loop);

/* Is there a loop that is run alone? seq_cst: pairs with dfi_loop_show. */
static int dfi_loops_alone(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    unsigned d;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        for (d = 0; d < DFI_LOOPS_ALONE; d++) {
            uintptr_t loop = dfi_load_seq_cst(&v->alone[d]);
            if (!loop) break;
            if (!(loop & 1)) return 1;
        }
    }
    return 0;
}

static size_t dfi_loops_begun(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    size_t sum = 0;
    for (i = 0; i < n; i++) sum += dfi_load_relaxed(&dfi_load_acquire(&dfi_pool.slot[i])->n_loops);
    return sum;
}

/* Somebody who sleeps is to watch, unless somebody does or is awake and will. */
static DFI_NOINLINE void dfi_loops_wake(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    if (dfi_load_seq_cst(&dfi_pool.watcher) || dfi_load_seq_cst(&dfi_pool.spinning) > 0) return;
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) > 0) dfi_wake_one_idle();
    else if (dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0)
        for (i = 0; i < n; i++)
            if (dfi_wake(dfi_load_acquire(&dfi_pool.slot[i]), DFI_PARKED_WAITING)) return;
}

/* w, which has announced that it sleeps, and was the watcher or not. Nonzero: it is to be the watcher. */
static int dfi_loops_watch(struct dfi_worker *w, int watches)
{
    size_t begun = dfi_loops_begun();
    int come = begun != w->watched_loops, expect = 0;
    w->watched_loops = begun;
    if (watches) {
        if (come || dfi_loops_alone()) return 1;
        dfi_store_seq_cst(&dfi_pool.watcher, 0); /* then look again: pairs with dfi_loop_show */
        come = 0;
    }
    return (come || dfi_loops_alone()) && dfi_cas_seq_cst(&dfi_pool.watcher, &expect, 1);
}

/* The watcher looks: what it saw at its last look is offered. Nonzero: there is something. */
static int dfi_loops_look(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), offered = 0;
    unsigned d;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        for (d = 0; d < DFI_LOOPS_ALONE; d++) {
            uintptr_t loop = dfi_load_seq_cst(&v->alone[d]);
            size_t began = dfi_load_relaxed(&v->alone_began[d]);
            if (!loop) break;
            if (dfi_load_relaxed(&v->alone_seen[d]) != began) dfi_store_relaxed(&v->alone_seen[d], began);
            else if (!(loop & 1)) offered |= dfi_loop_offer(v, d, loop);
        }
    }
    return offered;
}

/* The watcher does something else. */
static void dfi_loops_leave(void)
{
    dfi_store_seq_cst(&dfi_pool.watcher, 0); /* then look: pairs with dfi_loop_show */
    if (dfi_loops_alone()) dfi_loops_wake();
}

/* --- the owner ------------------------------------------------------------------------------------- */

/* loop, which w begins to run alone, is shown. pre: w->n_alone < DFI_LOOPS_ALONE. Returns where. */
DFI_INLINE unsigned dfi_loop_show(struct dfi_worker *w, void *loop)
{
    unsigned d = w->n_alone++;
    size_t number = dfi_load_relaxed(&w->n_loops) + 1;
    dfi_store_relaxed(&w->n_loops, number);
    dfi_store_relaxed(&w->alone_began[d], number);
    /* seq_cst: releases the record of the loop to dfi_loop_offer, and comes before the look who watches */
    dfi_store_seq_cst(&w->alone[d], (uintptr_t)loop);
    if (DFI_UNLIKELY(!dfi_load_seq_cst(&dfi_pool.watcher)) && !dfi_load_seq_cst(&dfi_pool.spinning)) dfi_loops_wake();
    return d;
}

/* What is shown from the d-th on is not shown any more. Nonzero: somebody offers the d-th, or has. */
DFI_INLINE int dfi_loop_hide(struct dfi_worker *w, unsigned d)
{
    if (DFI_UNLIKELY(w->n_alone <= d)) return 0; /* the process was forked in its body */
    while (DFI_UNLIKELY(w->n_alone > d + 1)) /* left by jumps */
        dfi_store_relaxed(&w->alone[--w->n_alone], (uintptr_t)0);
    w->n_alone = d;
    /* acq_rel; pairs with the CAS in dfi_loop_offer: one of the two comes first */
    return (int)(dfi_exchange_acq_rel(&w->alone[d], (uintptr_t)0) & 1);
}

#endif
