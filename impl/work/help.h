/* help.h - waiting for a goal: running other work meanwhile, or sleeping */
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
    DFI_SPIN_SWEEPS = 200, /* looks at all workers before going to sleep, about 20 us on the development
                              machine: longer burned CPU without finding more in mergesort and Cholesky */
    DFI_SPIN_NS = 200000,  /* and no longer than this: on a busy machine a yield can take milliseconds */
    DFI_SPIN_PAUSES = 20,  /* pauses between two looks */
    DFI_TINY_NS = 500,     /* a stolen piece shorter than this cost more to move than to run: its thief */
    DFI_TINY_PAUSE = 8,    /* pauses 8 times as long, so that it does not slow down the one it stole from
                              (empty tasks, 2 workers: 95 ns per task without, see bench/README.md) */
    DFI_LOOK_MS = 50,      /* a sleeper with a goal looks that often whether the tasks that wait for tokens
                              can still be released (more/deadlock.h); only while there are such tasks */
    DFI_LOOP_WATCH_MS = 1, /* a watcher of loops looks that often (more/loop/alone.h): less than 1 % of a CPU while short
                              loops are run; one that is long after all loses 1 to 2 ms */
    DFI_SPIN_YIELD = 16    /* from this look on, yield instead when there are more workers than CPUs */
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

/* Before w sleeps in a wait, or blocks: ready tasks that lie below it, which w may not run, go where anybody who may finds them,
 * and not only the oldest. Without that the tasks could be run when this wait ends; but where only some workers may run
 * some tasks, or some block, this wait may be the one that needs them run. Nonzero: no memory, there are more. */
static DFI_NOINLINE int dfi_stack_to_queue(struct dfi_worker *w)
{
    struct dfi_filter f;
    struct dfi_loot loot;
    f.id = f.depth = 0, f.on_top_of = w; /* no futures */
    while (dfi_deque_steal_thief(w, &f, &loot)) {
        struct dfi_flow *t = (struct dfi_flow *)((uintptr_t)loot.entry & ~DFI_FLOW);
        if (!dfi_leave_to_others(w, t)) {
            dfi_push(w, t); /* as before */
            return 1;
        }
    }
    return 0;
}

/* Is anything ready, where any worker finds it? */
static int dfi_work_public(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), ready = dfi_load_seq_cst(&dfi_pool.queue.count);
    for (i = 0; i < n && !ready; i++) ready = !dfi_deque_empty_any(dfi_load_acquire(&dfi_pool.slot[i]));
    return ready;
}

/* w sleeps in a wait on top of which it may not run what is ready. While somebody blocks, that may be what he waits for, and
 * w for him: then w counts as blocked, too, and a spare takes it. Zero: it does not. */
static DFI_COLD int dfi_park_blocks(struct dfi_worker *w)
{
    if (!dfi_work_public() || dfi_block_count()) return 0;
    dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    return 1;
}

/* Sleeps until woken, unless after announcing it there is something to do after all: then that is
 * done (loot) or the goal is met. */
static int dfi_park(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_loot *loot)
{
    int found = 0, looks = g->kind != DFI_GOAL_BEFORE, watches = 0, blocks = 0;
    int idle = g->kind <= DFI_GOAL_SPARE, state = idle ? DFI_PARKED_IDLE : DFI_PARKED_WAITING;
    DFI_ATOMIC(int) *count = idle ? &dfi_pool.parked_idle : &dfi_pool.parked_waiting;
    dfi_outbox_flush(w);
    dfi_share(w); /* a sleeper cannot be asked */
    if (!idle && DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.particular))) dfi_stack_to_queue(w);
    dfi_store_seq_cst(&w->park, state);
    dfi_fetch_add_seq_cst(count, 1);
    if (idle) dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    dfi_ask_all(w);
    if (!dfi_goal_met(g) && !(found = dfi_find(w, g, loot))) {
        uint64_t since = DFI_UNLIKELY(dfi_watched()) ? dfi_watch_sleeps(w) : 0;
        dfi_store_relaxed(&w->n_parks, dfi_load_relaxed(&w->n_parks) + 1);
        if (!idle && DFI_UNLIKELY(dfi_load_seq_cst(&dfi_pool.blocked) > 0)) blocks = dfi_park_blocks(w);
        /* seq_cst, after announcing it: whoever makes a task wait for a token later wakes the sleepers (dfi_hold) */
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
            if (!found || dfi_stuck_look(w)) break; /* what it released may lie on our own stack */
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

/* After a stolen piece that took `ns`: leaves the victim alone for a while if it was tiny. */
static void dfi_back_off(const struct dfi_goal *g, uint64_t since, uint64_t now)
{
    uint64_t ns = now - since;
    if (ns >= DFI_TINY_NS || dfi_baton_on()) return;
    while (dfi_os_ns() - now < DFI_TINY_PAUSE * ns && !dfi_goal_met(g)) dfi_os_pause();
}

/* Waits for g and meanwhile runs what is allowed: entries of w above `mark` of its stack, then work inside the goal of any
 * worker. pre: what is pushed above mark meanwhile is inside the goal; inside of dfi_wait_enter and dfi_wait_leave. */
static DFI_NOINLINE void dfi_help_until(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    int idle = g->kind <= DFI_GOAL_SPARE, sweep = 0, crowded = dfi_load_relaxed(&dfi_pool.n_slots) > dfi_pool.n_cpus, i;
    uint64_t since = 0;
    struct dfi_loot loot;
    if (DFI_UNLIKELY(w->task != NULL)) dfi_scope_here(w); /* so that the scopes tell what runs on top of what (work/thread_end.h) */
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
            /* the last one looking: others rely on it to have seen what they published (dfi_wake_for_work) */
            if (idle && dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1) == 1) dfi_wake_if_work();
            since = dfi_os_ns();
            dfi_run_loot(w, &loot, idle ? NULL : g);
            if (!idle) dfi_back_off(g, since, dfi_os_ns());
            else {
                while (dfi_load_relaxed(&dfi_pool.stopping) != DFI_STOP_NOW && (dfi_run_urgent(w, g) || dfi_run_own(w, mark, NULL))) continue;
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
        dfi_offer(w); /* what the last chain left */
    }
    if (dfi_load_relaxed(&w->level) == 1) w->outside = (unsigned)dfi_chaotic(); /* this wait is all it is in */
}

/* The same as one wait of w. */
static void dfi_wait_helping(struct dfi_worker *w, size_t mark, const struct dfi_goal *g, enum dfi_wait_kind kind, const void *on, const char *site)
{
    struct dfi_wait x;
    dfi_wait_enter(w, &x, kind, on, site);
    dfi_help_until(w, mark, g);
    dfi_wait_leave(w, &x);
}

/* Waits for g, and runs nothing meanwhile but what only w may run: a spare works in its place. For waits that are not for
 * all that may run on top of them: that could wait for what w does after this wait. */
static DFI_NOINLINE void dfi_sleep_until(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_loot loot;
    int found;
    if (dfi_goal_met(g)) return;
    if (dfi_block_begin(w)) { /* without a spare it runs what it may */
        dfi_help_until(w, g->scope->mark, g);
        return;
    }
    if (w->task) dfi_scope_here(w); /* as in dfi_help_until */
    dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    while (!dfi_goal_met(g)) {
        /* seq_cst, then look: as in dfi_park. It is not among those who are woken for work. */
        dfi_store_seq_cst(&w->park, (int)DFI_PARKED_WAITING);
        found = !dfi_goal_met(g) && dfi_find_pinned(w, &loot);
        if (!found && !dfi_goal_met(g)) {
            dfi_store_relaxed(&w->n_parks, dfi_load_relaxed(&w->n_parks) + 1);
            dfi_baton_drop(w);
            while (dfi_os_event_wait(&w->event, &w->park, (int)DFI_PARKED_WAITING, dfi_load_seq_cst(&dfi_pool.held) ? DFI_LOOK_MS : 0)) {
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
        dfi_block_share(w, 1); /* what that made ready */
        dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    }
    dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
    dfi_block_end();
}

#endif
