/* help.h - waiting for a goal: running other work, then parking */
#ifndef DFI_WORK_HELP_H
#define DFI_WORK_HELP_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/threads.h"
#include "../os/wait.h"
#include "blocks.h"
#include "deque.h"
#include "find.h"
#include "goal.h"
#include "stack.h"
#include "types.h"
#include "wait.h"
#include "wake.h"
#include "worker.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/schedule/chaos.h"

enum {
    DFI_SPIN_SWEEPS = 200, /* searches of all workers before parking, about 20 us on the development machine: more
                            * searches used CPU time without finding more work in mergesort and Cholesky */
    DFI_SPIN_NS = 200000,  /* and at most this long, because a yield can take milliseconds on a busy machine */
    DFI_SPIN_PAUSES = 20,  /* pauses between two searches */
    DFI_TINY_NS = 500,     /* a stolen piece shorter than this costs more to move than to run */
    DFI_TINY_PAUSE = 8,    /* after such a piece, the thief pauses 8 times as long, to avoid slowing down the
                            * victim (empty tasks, 2 workers: 95 ns per task without the pause, see bench/README.md) */
    DFI_LOOK_MS = 50,      /* interval at which a parked worker with a goal checks for deadlock (more/deadlock.h), only
                            * while tasks wait for tokens */
    DFI_LOOP_WATCH_MS = 1, /* interval at which the watcher of loops checks them (more/loop/alone.h): less than 1 % of
                            * a CPU while loops are short; a loop that turns out to be long loses 1 to 2 ms */
    DFI_SPIN_YIELD = 16    /* from this search on, yield instead of pausing if there are more workers than CPUs */
};

static struct dfi_scope *dfi_scope_here(struct dfi_worker *w);
static int dfi_loops_watch(struct dfi_worker *w, int watches);
static int dfi_loops_look(void);
static void dfi_loops_leave(void);
static int dfi_stuck_look(struct dfi_worker *w);
static void dfi_block_share(struct dfi_worker *w, int all);
static int dfi_block_count(void);
static int dfi_block_begin(struct dfi_worker *w);
static void dfi_block_end(void);

/* Called before w parks in a wait, or blocks. Moves the ready tasks below the wait, which w may not run, to the
 * queue, where any worker finds each of them, not only the oldest. They could run when this wait ends. But with
 * pinned tasks or blocked workers, this wait may itself depend on them. Nonzero: out of memory, tasks are left. */
static DFI_NOINLINE int dfi_stack_to_queue(struct dfi_worker *w)
{
    struct dfi_filter f;
    struct dfi_loot loot;
    f.id = f.depth = 0, f.on_top_of = w; /* on_top_of excludes futures */
    while (dfi_deque_steal_thief(w, &f, &loot)) {
        struct dfi_flow *t = (struct dfi_flow *)((uintptr_t)loot.entry & ~DFI_FLOW);
        if (!dfi_leave_to_others(w, t)) {
            dfi_push(w, t); /* restores the order */
            return 1;
        }
    }
    return 0;
}

/* Is a ready task in the queue or in a deque? */
static int dfi_work_public(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), ready = dfi_load_seq_cst(&dfi_pool.queue.count);
    for (i = 0; i < n && !ready; i++) ready = !dfi_deque_empty_any(dfi_load_acquire(&dfi_pool.slot[i]));
    return ready;
}

/* Called when w parks in a wait in which it may not run the ready tasks. If another worker blocks, it may be waiting
 * for these tasks, and w for it. So w counts as blocked too, and a spare runs them. Zero: w is not counted. */
static DFI_COLD int dfi_park_blocks(struct dfi_worker *w)
{
    if (!dfi_work_public() || dfi_block_count()) return 0;
    dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    return 1;
}

/* Parks until woken. After the announcement it searches once more: nonzero if it found work (loot), else the goal may
 * be met. */
static int dfi_park(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_loot *loot)
{
    int found = 0, looks = g->kind != DFI_GOAL_BEFORE, watches = 0, blocks = 0;
    int idle = g->kind <= DFI_GOAL_SPARE, state = idle ? DFI_PARKED_IDLE : DFI_PARKED_WAITING;
    DFI_ATOMIC(int) *count = idle ? &dfi_pool.parked_idle : &dfi_pool.parked_waiting;
    dfi_outbox_flush(w);
    dfi_share(w); /* a parked worker cannot answer steal requests */
    if (!idle && DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.particular))) dfi_stack_to_queue(w);
    dfi_store_seq_cst(&w->park, state);
    dfi_fetch_add_seq_cst(count, 1);
    if (idle) dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    dfi_ask_all(w);
    if (!dfi_goal_met(g) && !(found = dfi_find(w, g, loot))) {
        uint64_t since = DFI_UNLIKELY(dfi_watched()) ? dfi_watch_sleeps(w) : 0;
        dfi_store_relaxed(&w->n_parks, dfi_load_relaxed(&w->n_parks) + 1);
        if (!idle && DFI_UNLIKELY(dfi_load_seq_cst(&dfi_pool.blocked) > 0)) blocks = dfi_park_blocks(w);
        /* seq_cst, after the announcement; a thread that adds a task waiting for a token wakes the sleepers
         * (dfi_hold) */
        for (;;) {
            int before = g->kind == DFI_GOAL_BEFORE, held = !idle && dfi_load_seq_cst(&dfi_pool.held);
            int ms = before ? 1 : held ? DFI_LOOK_MS : 0;
            if ((watches = dfi_loops_watch(w, watches)) != 0) ms = DFI_LOOP_WATCH_MS;
            dfi_baton_drop(w);
            while ((found = dfi_os_event_wait(&w->event, &w->park, state, ms)) && !dfi_baton_look(w)) continue;
            if (watches && found && dfi_loops_look()) break;
            if ((before || watches) && found) {
                if (before && dfi_goal_met(g)) break;
                if (looks++ % DFI_LOOK_MS || !(before ? dfi_load_seq_cst(&dfi_pool.held) : held)) continue;
            }
            if (!found || dfi_stuck_look(w)) break; /* the released tasks may be on the own stack */
        }
        found = 0;
        dfi_baton_take(w);
        if (DFI_UNLIKELY(blocks)) {
            dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
            dfi_block_end();
        }
        if (since) dfi_watch_slept(w, since);
    }
    dfi_store_seq_cst(&w->park, DFI_AWAKE);
    if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
    dfi_fetch_sub_seq_cst(count, 1);
    if (watches) dfi_loops_leave();
    return found;
}

/* Called after a stolen piece. If it was tiny, leaves the victim alone for a while. */
static void dfi_back_off(const struct dfi_goal *g, uint64_t since, uint64_t now)
{
    uint64_t ns = now - since;
    if (ns >= DFI_TINY_NS || dfi_baton_on()) return;
    while (dfi_os_ns() - now < DFI_TINY_PAUSE * ns && !dfi_goal_met(g)) dfi_os_pause();
}

/* Runs permitted work until g is met: entries of w above `mark` of its stack, then work inside the goal from any
 * worker. pre: entries pushed above mark are inside the goal; called between dfi_wait_enter and dfi_wait_leave. */
static DFI_NOINLINE void dfi_help_until(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    int idle = g->kind <= DFI_GOAL_SPARE, sweep = 0, crowded = dfi_load_relaxed(&dfi_pool.n_slots) > dfi_pool.n_cpus, i;
    uint64_t since = 0;
    struct dfi_loot loot;
    /* the chain of scopes shows which code is nested in which wait (work/thread_end.h) */
    if (DFI_UNLIKELY(w->task != NULL)) dfi_scope_here(w);
    if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
    while (!dfi_goal_met(g)) {
        int found;
        if (dfi_asked(w)) dfi_poll(w);
        if ((!idle && dfi_run_urgent(w, g)) || dfi_run_own(w, mark, idle ? NULL : g)) {
            sweep = 0;
            continue;
        }
        DFI_UNSYNCED(w);
        found = dfi_find(w, g, &loot);
        if (!found) {
            if (sweep == 0) since = dfi_os_ns();
            if (!dfi_baton_on() && sweep++ < DFI_SPIN_SWEEPS && (sweep % 4 || dfi_os_ns() - since < DFI_SPIN_NS)) {
                if (sweep % 4 == 1) dfi_ask_all(w);
                if (crowded && sweep > DFI_SPIN_YIELD) dfi_os_yield();
                else
                    for (i = 0; i < DFI_SPIN_PAUSES; i++) dfi_os_pause();
                continue;
            }
            found = dfi_park(w, g, &loot);
        }
        if (found) {
            /* the last searching worker: others rely on it to find the work that they published (dfi_wake_for_work) */
            if (idle && dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1) == 1) dfi_wake_if_work();
            since = dfi_os_ns();
            dfi_run_loot(w, &loot, idle ? NULL : g);
            if (!idle) dfi_back_off(g, since, dfi_os_ns());
            else {
                while (dfi_load_relaxed(&dfi_pool.stopping) != DFI_STOP_NOW &&
                       (dfi_run_urgent(w, g) || dfi_run_own(w, mark, NULL)))
                    continue;
                w->outside = (unsigned)dfi_chaotic();
                dfi_back_off(g, since, dfi_os_ns());
                dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
            }
        }
        sweep = 0;
    }
    if (idle) {
        dfi_stack_back(w, mark);
        dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    } else {
        if (DFI_UNLIKELY(w->head > mark)) dfi_stack_hand_over(w, mark, g->scope);
        dfi_offer(w); /* tasks that the last chain left */
    }
    if (dfi_load_relaxed(&w->level) == 1) w->outside = (unsigned)dfi_chaotic(); /* w is in no other wait */
}

/* dfi_help_until with the records of a wait. */
static void dfi_wait_helping(struct dfi_worker *w, size_t mark, const struct dfi_goal *g, enum dfi_wait_kind kind,
                             const void *on, const char *site)
{
    struct dfi_wait x;
    dfi_wait_enter(w, &x, kind, on, site);
    dfi_help_until(w, mark, g);
    dfi_wait_leave(w, &x);
}

/* Waits for g while a spare works in the place of w. Runs pinned tasks only. For waits for some of the tasks that could
 * be nested in them: another nested task might depend on code that w runs after this wait. */
static DFI_NOINLINE void dfi_sleep_until(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_loot loot;
    int found;
    if (dfi_goal_met(g)) return;
    if (dfi_block_begin(w)) { /* without a spare, w runs permitted work */
        dfi_help_until(w, g->scope->mark, g);
        return;
    }
    if (w->task) dfi_scope_here(w); /* as in dfi_help_until */
    dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    while (!dfi_goal_met(g)) {
        /* seq_cst, then check, as in dfi_park; but w is not woken for work */
        dfi_store_seq_cst(&w->park, (int)DFI_PARKED_WAITING);
        found = !dfi_goal_met(g) && dfi_find_pinned(w, &loot);
        if (!found && !dfi_goal_met(g)) {
            dfi_store_relaxed(&w->n_parks, dfi_load_relaxed(&w->n_parks) + 1);
            dfi_baton_drop(w);
            while (dfi_os_event_wait(&w->event, &w->park, (int)DFI_PARKED_WAITING,
                                     dfi_load_seq_cst(&dfi_pool.held) ? DFI_LOOK_MS : 0)) {
                if (!dfi_baton_look(w)) continue;
                if (dfi_stuck_look(w)) break;
                dfi_baton_drop(w);
            }
            dfi_baton_take(w);
        }
        dfi_store_seq_cst(&w->park, (int)DFI_AWAKE);
        if (!found) continue;
        dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
        dfi_run_loot(w, &loot, NULL);
        dfi_block_share(w, 1); /* tasks that it made ready */
        dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    }
    dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
    dfi_block_end();
}

#endif
