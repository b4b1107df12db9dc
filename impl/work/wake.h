/* wake.h - waking parked workers, without lost wake-ups (docs/memory-order.md, "Sleeping") */
#ifndef DFI_WORK_WAKE_H
#define DFI_WORK_WAKE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/wait.h"
#include "deque.h"
#include "types.h"
#include "worker.h"

static int dfi_wake(struct dfi_worker *w, int parked)
{
    int expect = parked;
    if (dfi_load_seq_cst(&w->park) != parked || !dfi_cas_seq_cst(&w->park, &expect, DFI_AWAKE)) return 0;
    dfi_os_event_wake(&w->event);
    return 1;
}

/* Call after the event that w may be waiting for (a seq_cst store or read-modify-write). */
static void dfi_wake_waiting(struct dfi_worker *w) { dfi_wake(w, DFI_PARKED_WAITING); }

static DFI_NOINLINE void dfi_wake_one_idle(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v && dfi_wake(v, DFI_PARKED_IDLE)) return;
    }
}

/* Call after entries were published. An idle worker that is already searching will find them; otherwise one sleeper
 * is woken, and wakes the next if there is more work. Sleepers with a goal are all woken, because only they can tell
 * which of them may take the entry. */
static void dfi_wake_for_work(void)
{
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) > 0 && dfi_load_seq_cst(&dfi_pool.spinning) == 0) dfi_wake_one_idle();
    if (dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0) {
        int i, n = dfi_load_acquire(&dfi_pool.n_slots);
        for (i = 0; i < n; i++) {
            struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
            if (v) dfi_wake_waiting(v);
        }
    }
}

static int dfi_team_wanted(void);
static int dfi_loops_alone(void);

static void dfi_wake_if_work(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) == 0) return;
    if (dfi_load_seq_cst(&dfi_pool.queue.count) || dfi_team_wanted() ||
        (!dfi_load_seq_cst(&dfi_pool.watcher) && dfi_loops_alone())) {
        dfi_wake_one_idle();
        return;
    }
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v && !dfi_deque_empty_any(v)) {
            dfi_wake_one_idle();
            return;
        }
    }
}

#endif
