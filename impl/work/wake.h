/* wake.h - waking parked workers, without lost wake-ups (docs/internals/work.md, "Sleeping") */
#ifndef DFI_WORK_WAKE_H
#define DFI_WORK_WAKE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "deque.h"
#include "task.h"
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

/* Wakes one or all of the workers that parked in that way. */
static DFI_NOINLINE void dfi_wake_parked(int parked, int all)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++)
        if (dfi_wake(dfi_load_acquire(&dfi_pool.slot[i]), parked) && !all) return;
}
static void dfi_wake_one_idle(void) { dfi_wake_parked(DFI_PARKED_IDLE, 0); }

/* Call after entries were published. An idle worker that is already searching will find them; otherwise one sleeper
 * is woken, and wakes the next if there is more work. Sleepers with a goal are all woken, because only they can tell
 * which of them may take the entry. */
static void dfi_wake_for_work(void)
{
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) > 0 && dfi_load_seq_cst(&dfi_pool.spinning) == 0) dfi_wake_one_idle();
    if (dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0) dfi_wake_parked(DFI_PARKED_WAITING, 1);
}

/* Is there a team that takes another member? */
DFI_UPCALL(int, dfi_up_team_wanted, (void));
/* Should an idle worker come to watch over others? */
DFI_UPCALL(int, dfi_up_idle_wanted, (void));

/* Is a ready task in the queue or in a deque? */
static int dfi_work_public(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), ready = dfi_up_task_ready && dfi_up_task_ready();
    for (i = 0; i < n && !ready; i++) ready = !dfi_deque_empty_any(dfi_load_acquire(&dfi_pool.slot[i]));
    return ready;
}

/* Call when a worker ceases to search on which others may have relied (dfi_wake_for_work), or would have searched. */
static void dfi_wake_for_missed_work(void)
{
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) &&
        (dfi_work_public() || (dfi_up_team_wanted && dfi_up_team_wanted()) ||
         (dfi_up_idle_wanted && dfi_up_idle_wanted())))
        dfi_wake_one_idle();
}

#endif
