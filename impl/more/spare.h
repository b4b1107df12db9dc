/* spare.h - spare threads: they take the places of workers that block
 *
 * A spare is a helper beyond the number of workers. Spare k works while more than k workers block, and sleeps
 * otherwise, so the number of threads that run tasks is always the number of workers. */
#ifndef DFI_MORE_SPARE_H
#define DFI_MORE_SPARE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../work/blocks.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/goal.h"
#include "../work/help.h"
#include "../work/module.h"
#include "../work/pool.h"
#include "../work/stack.h"
#include "../work/task.h"
#include "../work/thread_end.h"
#include "../work/types.h"
#include "../work/wake.h"
#include "../work/worker.h"
#include "arena.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_LOOK_MS = 50 }; /* interval at which a sleeper looks around while tasks are held back (more/deadlock.h) */

/* How a worker sleeps: it is awake; until an action outside df; in df_retry; in df_retry without any task left that
 * could wake it. */
enum { DFI_NOT_ASLEEP, DFI_ASLEEP, DFI_ASLEEP_RETRY, DFI_ASLEEP_DEADLOCK };

struct dfi_blocks {
    DFI_ATOMIC(int) asleep;          /* DFI_ASLEEP_..: the kind of call in which it sleeps, with a spare in its place */
    DFI_ATOMIC(int) retry_awake;     /* in df_retry: memory that it read has changed, so it is about to continue */
    DFI_ATOMIC(int) timed;           /* written by the owner: its waits with a time limit */
    unsigned polls;                  /* owner: calls of df_done without success */
    int helps;                       /* owner: tasks that it ran because nothing else went on (dfi_deadlock_help) */
    int blocking;                    /* owner: number of times it is counted in `blocked` */
    int spare;                       /* index of a spare */
    int in_idle;                     /* owner: it is in df_config.idle */
};
DFI_ROOM(dfi_blocks, dfi_blocks_of, dfi_worker);

struct dfi_spares {
    DFI_ATOMIC(int) blocked;         /* workers that block */
    DFI_ATOMIC(int) spares;          /* existing helpers beyond the number of workers */
    DFI_ATOMIC(int) outside;         /* a wait may depend on ready tasks outside it; set once */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_spares dfi_spares;
DFI_EXTERN_C_END

/* w sleeps while tasks are held back. Nonzero: it has work now. */
DFI_UPCALL(int, dfi_up_look, (struct dfi_worker *w));
/* Are there tasks that wait for an action of other code? Then sleepers look from time to time. */
DFI_UPCALL(int, dfi_up_holds, (void));
/* Runs of a task that only w may run, found while it sleeps. Zero: none. */
DFI_UPCALL(int, dfi_up_find_pinned, (struct dfi_worker *w, struct dfi_stolen *stolen));

/* Do so few workers block that spare w is not needed? */
static int dfi_spare_rests(void *w)
{
    return dfi_load_seq_cst(&dfi_spares.blocked) <= dfi_blocks_of((const struct dfi_worker *)w)->spare;
}

static void *dfi_spare(void *p)
{
    struct dfi_worker *w = (struct dfi_worker *)p;
    struct dfi_goal g;
    int sleeps;
    dfi_helper_is(w);
    if (!DFI_ALONE) dfi_tell(DFI_THREAD_READY, w); /* otherwise it is not a thread of its own */
    g.kind = DFI_GOAL_WORK, g.scope = NULL, g.until = dfi_spare_rests, g.arg = w;
    for (;;) {
        dfi_turn_take(w);
        dfi_wait_helping(w, 0, &g, DFI_WAIT_IDLE, NULL, NULL);
        dfi_outbox_flush(w);
        dfi_share(w);
        dfi_wake_for_missed_work(); /* another thread may have relied on this one to look for work */
        if (dfi_stopping()) break;
        /* seq_cst, then check; pairs with dfi_block_begin, which counts and then wakes */
        dfi_store_seq_cst(&w->park, DFI_PARKED_SPARE);
        sleeps = dfi_goal_met(&g) && !dfi_stopping();
        if (sleeps) {
            dfi_turn_drop(w);
            dfi_os_event_wait(&w->event, &w->park, DFI_PARKED_SPARE, 0);
        }
        dfi_store_seq_cst(&w->park, DFI_AWAKE);
    }
    dfi_helper_ends();
    return NULL;
}

/* Starts a spare if one is missing. -1: one is missing, and the system or the pool cannot provide it. */
static int dfi_spare_start(void)
{
    struct dfi_worker *h;
    int missing = 0;
    dfi_os_lock(&dfi_pool_lock);
    if (dfi_load_seq_cst(&dfi_pool.running) &&
        dfi_load_seq_cst(&dfi_spares.spares) < dfi_load_seq_cst(&dfi_spares.blocked)) {
        missing = -1;
        if ((h = dfi_worker_take(dfi_pool.deque)) != NULL) {
            dfi_blocks_of(h)->spare = dfi_fetch_add_seq_cst(&dfi_spares.spares, 1);
            if (DFI_ALONE) dfi_store_relaxed(&h->index, 0);
            if (!dfi_helper_start(h, dfi_spare)) missing = 0;
            else {
                dfi_fetch_sub_seq_cst(&dfi_spares.spares, 1);
                dfi_warn_once("the system refused a thread to replace one that blocks (blocked now: %d): one worker "
                              "fewer runs until that one continues; raise the limit on threads, or let fewer tasks "
                              "block at a time", dfi_load_seq_cst(&dfi_spares.blocked));
            }
        }
    }
    dfi_os_unlock(&dfi_pool_lock);
    return missing;
}

static void dfi_block_end(void)
{
    struct dfi_worker *w = dfi_me();
    if (w) dfi_blocks_of(w)->blocking--, dfi_crew_blocks(w, 1);
    dfi_fetch_sub_seq_cst(&dfi_spares.blocked, 1);
}

/* Publishes the ready tasks on the caller's stack, because the caller is about to block. The deque offers a worker
 * that waits for a scope only its oldest entry, and possibly no other worker is left to steal that entry; the queue
 * offers each task. all == 0: the caller blocks for a short time, and tasks that fit into the deque may stay there. */
static void dfi_block_share(struct dfi_worker *w, int all)
{
    size_t split;
    dfi_outbox_flush(w);
    dfi_share(w);
    do {
        split = w->split;
        if ((!all && w->head == split) || (dfi_up_tasks_publish && dfi_up_tasks_publish(w))) return;
        dfi_share(w);
    } while (w->split != split);
}

/* Counts the caller as blocked. pre: it has shared its tasks. -1: there is no spare, and the caller is not counted. */
static int dfi_block_count(void)
{
    dfi_fetch_add_seq_cst(&dfi_spares.blocked, 1);
    if (dfi_me()) dfi_blocks_of(dfi_me())->blocking++, dfi_crew_blocks(dfi_me(), -1);
    /* both after the addition: the spare that another worker has just started may be that worker's */
    if (dfi_load_seq_cst(&dfi_spares.spares) < dfi_load_seq_cst(&dfi_spares.blocked)) {
        if (!dfi_spare_start()) return 0;
        dfi_block_end();
        return -1;
    }
    dfi_wake_parked(DFI_PARKED_SPARE, 1); /* surplus spares park again */
    return 0;
}

static int dfi_block_begin(struct dfi_worker *w)
{
    dfi_block_share(w, 1);
    return dfi_block_count();
}

/* From now on a ready task may have what a wait needs that may not run it. Workers that sleep in a wait look once
 * more. Threads: any. */
static DFI_COLD void dfi_waits_need_others(void)
{
    if (dfi_exchange_seq_cst(&dfi_spares.outside, 1)) return;
    dfi_store_seq_cst(&dfi_pool.particular, 1);
    dfi_wake_parked(DFI_PARKED_WAITING, 1);
}

/* Called when w parks in a wait in which it may not run the ready tasks. The wait may depend on them: they may hold
 * units, or another worker, for which w waits, may block until they have run. So w counts as blocked too, and a spare
 * runs them. Zero: w is not counted. */
static DFI_NOINLINE int dfi_park_blocks(struct dfi_worker *w)
{
    if (!DFI_ALONE && DFI_LIKELY(dfi_load_seq_cst(&dfi_spares.blocked) == 0) &&
        DFI_LIKELY(!dfi_load_seq_cst(&dfi_spares.outside))) return 0;
    if (!dfi_work_public() || dfi_block_count()) return 0;
    dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_ASLEEP);
    return 1;
}

#define dfi_up_sleeps_by , dfi_park_blocks

static void dfi_park_unblocks(struct dfi_worker *w)
{
    dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_NOT_ASLEEP);
    dfi_block_end();
}
#define dfi_up_slept_by , dfi_park_unblocks

/* Waits for g while a spare works in the place of w. Runs pinned tasks only. For waits for some of the tasks that could
 * be nested in them: another nested task might depend on code that w runs after this wait. */
static DFI_NOINLINE void dfi_sleep_until(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_stolen stolen;
    int found;
    if (dfi_goal_met(g)) return;
    if (dfi_block_begin(w)) { /* without a spare, w runs permitted work */
        dfi_help_until(w, g->scope->mark, g);
        return;
    }
    if (w->task) dfi_scope_here(w); /* as in dfi_help_until */
    dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_ASLEEP);
    while (!dfi_goal_met(g)) {
        /* seq_cst, then check, as in dfi_park; but w is not woken for work */
        dfi_store_seq_cst(&w->park, (int)DFI_PARKED_WAITING);
        found = !dfi_goal_met(g) && dfi_up_find_pinned && dfi_up_find_pinned(w, &stolen);
        if (!found && !dfi_goal_met(g)) {
            dfi_count(&w->n_parks);
            dfi_turn_drop(w);
            while (dfi_os_event_wait(&w->event, &w->park, (int)DFI_PARKED_WAITING,
                                     dfi_up_holds && dfi_up_holds() ? DFI_LOOK_MS : 0)) {
                if (!dfi_turn_look(w)) continue;
                if (dfi_up_look && dfi_up_look(w)) break;
                dfi_turn_drop(w);
            }
            dfi_turn_take(w);
        }
        dfi_store_seq_cst(&w->park, (int)DFI_AWAKE);
        if (!found) continue;
        dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_NOT_ASLEEP);
        dfi_run_stolen(w, &stolen, NULL);
        dfi_block_share(w, 1); /* tasks that it made ready */
        dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_ASLEEP);
    }
    dfi_store_seq_cst(&dfi_blocks_of(w)->asleep, (int)DFI_NOT_ASLEEP);
    dfi_block_end();
}

/* --- module ------------------------------------------------------------------------------------- */

static void dfi_module_spares(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_STOP_CALLED:
    case DFI_STOP_AT_EXIT:
        if (!DFI_ALONE) dfi_store_relaxed(&dfi_spares.spares, 0);
        break;
    case DFI_THREAD_UNWINDS:
        while (dfi_blocks_of(m->w)->blocking) dfi_block_end();
        break;
    case DFI_THREAD_UNWOUND:
    case DFI_WORKER_IS_NEW:
        dfi_blocks_of(m->w)->blocking = 0; /* at UNWOUND, it is */
        dfi_store_relaxed(&dfi_blocks_of(m->w)->timed, 0);
        dfi_store_seq_cst(&dfi_blocks_of(m->w)->asleep, (int)DFI_NOT_ASLEEP);
        break;
    case DFI_FORK_CHILD:
        dfi_store_relaxed(&dfi_spares.blocked, 0);
        dfi_store_relaxed(&dfi_spares.spares, 0);
        break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
