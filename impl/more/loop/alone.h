/* alone.h - loops expected to be short, which their owner runs alone although they turn out to be
 * long
 *
 * The owner of such a loop cannot notice this while its first iteration runs. So it publishes the
 * loop in `alone`. One of the parked workers, the watcher, looks at these loops every millisecond
 * while new ones begin. The watcher puts a loop that it sees twice on the board, in the place of the
 * owner (work/team.h). If there is no watcher, and no worker is awake to become it, the owner wakes
 * a parked worker; this happens only for the first of many loops.
 * Argument: docs/internals/loops.md, "Loops". */
#ifndef DFI_MORE_LOOP_ALONE_H
#define DFI_MORE_LOOP_ALONE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/upcall.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/types.h"

enum { DFI_LOOPS_ALONE = 4 }; /* nested loops; deeper ones are offered to other workers when they begin */

struct dfi_alone {
    /* loops that the owner runs alone, outermost first: the address of each, or 0. The watcher sets the lowest bit when
     * it offers the loop to other workers. */
    DFI_ATOMIC(uintptr_t) loop[DFI_LOOPS_ALONE];
    DFI_ATOMIC(size_t) began[DFI_LOOPS_ALONE]; /* ID of the loop; written by the owner */
    DFI_ATOMIC(size_t) seen[DFI_LOOPS_ALONE];  /* the ID seen last; written by the watcher */
    DFI_ATOMIC(size_t) n_loops;      /* loops begun alone so far; written by the owner */
    unsigned n_alone;                /* owner */
    size_t watched;                  /* owner: dfi_loops_begun when last read */
    struct dfi_gain *gain;           /* owner: more/loop/gain.h, or NULL */
    uint32_t random;                 /* owner, for these; not that of the worker, which schedules repeat */
};
DFI_ROOM(dfi_alone, dfi_alone_of, dfi_worker);

DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(int) dfi_loops_watcher; /* a sleeping helper is the watcher */
DFI_EXTERN_C_END

DFI_UPCALL(int, dfi_up_loop_offer, (struct dfi_worker *owner, unsigned d, uintptr_t loop));

DFI_SMALL_CODE_BEGIN

/* True if a loop is run alone. seq_cst: pairs with dfi_loop_show. */
static int dfi_loops_alone(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    unsigned d;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        for (d = 0; d < DFI_LOOPS_ALONE; d++) {
            uintptr_t loop = dfi_load_seq_cst(&dfi_alone_of(v)->loop[d]);
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
    for (i = 0; i < n; i++) sum += dfi_load_relaxed(&dfi_alone_of(dfi_load_acquire(&dfi_pool.slot[i]))->n_loops);
    return sum;
}

/* Wakes a parked worker to become the watcher, unless there is a watcher, or an awake worker that
 * will become it. */
static DFI_NOINLINE void dfi_loops_wake(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    if (dfi_load_seq_cst(&dfi_loops_watcher) || dfi_load_seq_cst(&dfi_pool.spinning) > 0) return;
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) > 0) dfi_wake_one_idle();
    else if (dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0)
        for (i = 0; i < n; i++)
            if (dfi_wake(dfi_load_acquire(&dfi_pool.slot[i]), DFI_PARKED_WAITING)) return;
}

/* w has announced that it parks; watches: it was the watcher. Nonzero: it must be the watcher. */
static int dfi_loops_watch(struct dfi_worker *w, int watches)
{
    size_t begun = dfi_loops_begun();
    int come = begun != dfi_alone_of(w)->watched, expect = 0;
    dfi_alone_of(w)->watched = begun;
    if (watches) {
        if (come || dfi_loops_alone()) return 1;
        dfi_store_seq_cst(&dfi_loops_watcher, 0); /* then look again: pairs with dfi_loop_show */
        come = 0;
    }
    return (come || dfi_loops_alone()) && dfi_cas_seq_cst(&dfi_loops_watcher, &expect, 1);
}

/* The watcher offers the loops that it saw at its last look. Nonzero: there was one. */
static int dfi_loops_look(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), offered = 0;
    unsigned d;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        for (d = 0; d < DFI_LOOPS_ALONE; d++) {
            uintptr_t loop = dfi_load_seq_cst(&dfi_alone_of(v)->loop[d]);
            size_t began = dfi_load_relaxed(&dfi_alone_of(v)->began[d]);
            if (!loop) break;
            if (dfi_load_relaxed(&dfi_alone_of(v)->seen[d]) != began)
                dfi_store_relaxed(&dfi_alone_of(v)->seen[d], began);
            else if (!(loop & 1)) offered |= dfi_up_loop_offer(v, d, loop);
        }
    }
    return offered;
}

/* The watcher leaves to run other work. */
static void dfi_loops_leave(void)
{
    dfi_store_seq_cst(&dfi_loops_watcher, 0); /* then look: pairs with dfi_loop_show */
    if (dfi_loops_alone()) dfi_loops_wake();
}

DFI_SMALL_CODE_END

/* --- the owner ------------------------------------------------------------------------------------- */

/* Publishes loop, which w begins to run alone. Returns its index in `alone`. pre: w->n_alone <
 * DFI_LOOPS_ALONE */
DFI_FAST unsigned dfi_loop_show(struct dfi_worker *w, void *loop)
{
    unsigned d = dfi_alone_of(w)->n_alone++;
    size_t number = dfi_load_relaxed(&dfi_alone_of(w)->n_loops) + 1;
    dfi_store_relaxed(&dfi_alone_of(w)->n_loops, number);
    dfi_store_relaxed(&dfi_alone_of(w)->began[d], number);
    /* seq_cst: releases the record of the loop to dfi_loop_offer, and precedes the load of `watcher` */
    dfi_store_seq_cst(&dfi_alone_of(w)->loop[d], (uintptr_t)loop);
    if (DFI_UNLIKELY(!dfi_load_seq_cst(&dfi_loops_watcher)) && !dfi_load_seq_cst(&dfi_pool.spinning)) dfi_loops_wake();
    return d;
}

/* Withdraws the entries of `alone` from d on. Nonzero: a watcher offers the d-th, or has offered it. */
DFI_FAST int dfi_loop_hide(struct dfi_worker *w, unsigned d)
{
    if (DFI_UNLIKELY(dfi_alone_of(w)->n_alone <= d)) return 0; /* the process was forked in its body */
    while (DFI_UNLIKELY(dfi_alone_of(w)->n_alone > d + 1)) /* left by jumps */
        dfi_store_relaxed(&dfi_alone_of(w)->loop[--dfi_alone_of(w)->n_alone], (uintptr_t)0);
    dfi_alone_of(w)->n_alone = d;
    /* acq_rel; pairs with the CAS in dfi_loop_offer: one of the two comes first */
    return (int)(dfi_exchange_acq_rel(&dfi_alone_of(w)->loop[d], (uintptr_t)0) & 1);
}

static int dfi_loops_wait(void) { return !DFI_ALONE && !dfi_load_seq_cst(&dfi_loops_watcher) && dfi_loops_alone(); }
#define dfi_up_idle_wanted_by , dfi_loops_wait

#endif
