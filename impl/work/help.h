/* help.h - waiting for a goal: running other work, then parking
 *
 * dfi_park decides and announces, dfi_sleep sleeps, work/wake.h wakes. Argument that no wake-up is lost:
 * docs/internals/work.md, "Sleeping". */
#ifndef DFI_WORK_HELP_H
#define DFI_WORK_HELP_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "blocks.h"
#include "deque.h"
#include "find.h"
#include "goal.h"
#include "stack.h"
#include "task.h"
#include "types.h"
#include "director.h"
#include "probe.h"
#include "wait.h"
#include "wake.h"
#include "worker.h"

enum {
    DFI_SPIN_SWEEPS = 200, /* searches of all workers before parking, about 20 us on the development machine: more
                            * searches used CPU time without finding more work in mergesort and Cholesky */
    DFI_SPIN_NS = 200000,  /* and at most this long, because a yield can take milliseconds on a busy machine */
    DFI_SPIN_PAUSES = 20,  /* pauses between two searches */
    DFI_TINY_NS = 500,     /* a stolen piece shorter than this costs more to move than to run */
    DFI_TINY_PAUSE = 8,    /* after such a piece, the thief pauses 8 times as long, to avoid slowing down the
                            * victim (empty tasks, 2 workers: 95 ns per task without the pause, see bench/README.md) */
    DFI_SPIN_YIELD = 16    /* from this search on, yield instead of pausing if there are more workers than CPUs */
};

DFI_SMALL_CODE_BEGIN

/* A worker has found no work. Nonzero: there may be some now. */
DFI_UPCALL(int, dfi_up_polls, (void));
/* w has slept and searched, and has work to do now; dfi_pool.polled. */
DFI_UPCALL(void, dfi_up_busy, (struct dfi_worker *w));

/* A sleeping worker may have to look around from time to time. Before each sleep: the microseconds until the next look;
 * 0: there is none; negative: it looks instead of sleeping. After the sleep of `us`: shall w stop sleeping? When it has
 * stopped. `nap` is the upper floor's, and 0 at first. */
struct dfi_nap { int watches, held, polls; long us, slept; };
DFI_UPCALL(long, dfi_up_nap_us, (struct dfi_worker *w, const struct dfi_goal *g, struct dfi_nap *nap));
DFI_UPCALL(int, dfi_up_nap_over, (struct dfi_worker *w, const struct dfi_goal *g, struct dfi_nap *nap));
DFI_UPCALL(void, dfi_up_nap_end, (struct dfi_worker *w, struct dfi_nap *nap));
/* w sleeps from now on, in a wait. Nonzero: dfi_up_slept follows. */
DFI_UPCALL(int, dfi_up_sleeps, (struct dfi_worker *w));
DFI_UPCALL(void, dfi_up_slept, (struct dfi_worker *w));

/* w, which has announced it, sleeps until it is woken, or until it finds on waking by itself that the goal is met, if
 * no thread reports that (DFI_GOAL_POLL), or that it shall stop sleeping. */
static void dfi_sleep(struct dfi_worker *w, const struct dfi_goal *g, int state, struct dfi_nap *nap)
{
    int polls = g->kind == DFI_GOAL_POLL, timed = polls && g->limit, late;
    long us;
    do {
        us = dfi_up_nap_us ? dfi_up_nap_us(w, g, nap) : 0;
        dfi_turn_drop(w);
        if (polls) {
            int most = us || !g->limit || !g->wakes ? 1 : dfi_os_limit_left(g->limit);
            if (!most) break;
            if (us <= 0 || us / 1000 >= most) us = most < 2000000 ? most * 1000L : 2000000000L;
            dfi_os_limit_next(g->limit);
        }
        nap->us = us;
        /* the end of a time limit needs no turn: other workers that poll without rest would never leave one */
        while ((late = us < 0 || dfi_os_event_wait_us(&w->event, &w->park, state, us)) &&
               !(timed && dfi_goal_met(g)) && !dfi_turn_look(w))
            continue;
    } while (late && !(polls && dfi_goal_met(g)) && !(dfi_up_nap_over && dfi_up_nap_over(w, g, nap)));
    dfi_turn_take(w);
}

/* Parks until woken. After the announcement it searches once more: nonzero if it found work (`stolen`), else the goal
 * may be met. */
static int dfi_park(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_stolen *stolen)
{
    int found = 0, slept = 0, idle = g->kind == DFI_GOAL_WORK, state = idle ? DFI_PARKED_IDLE : DFI_PARKED_WAITING;
    DFI_ATOMIC(int) *count = idle ? &dfi_pool.parked_idle : &dfi_pool.parked_waiting;
    struct dfi_nap nap;
    memset((void *)&nap, 0, sizeof nap);
    dfi_outbox_flush(w);
    /* a parked worker cannot run tasks below the wait, .. */
    if (dfi_up_tasks_publish && !idle && (DFI_ALONE || DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.particular))))
        dfi_up_tasks_publish(w);
    dfi_share(w); /* .. nor answer steal requests */
    dfi_store_seq_cst(&w->park, state);
    dfi_fetch_add_seq_cst(count, 1);
    if (idle) dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    dfi_request_steals(w);
    if (!dfi_goal_met(g) && !(found = dfi_find(w, g, stolen))) {
        dfi_at_sleep(w);
        dfi_count(&w->n_parks);
        if (dfi_up_sleeps && !idle) slept = dfi_up_sleeps(w);
        dfi_sleep(w, g, state, &nap);
        if (dfi_up_slept && DFI_UNLIKELY(slept)) dfi_up_slept(w);
        dfi_at_woke(w);
    }
    dfi_store_seq_cst(&w->park, DFI_AWAKE);
    if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
    dfi_fetch_sub_seq_cst(count, 1);
    if (dfi_up_nap_end) dfi_up_nap_end(w, &nap);
    return found;
}

/* Called after a stolen piece, which began at `since`. If it was tiny, leaves the victim alone for a while. */
static void dfi_back_off(const struct dfi_goal *g, uint64_t since)
{
    uint64_t now = dfi_os_ns(), ns = now - since;
    if (ns >= DFI_TINY_NS || dfi_turns()) return;
    while (dfi_os_ns() - now < DFI_TINY_PAUSE * ns && !dfi_goal_met(g)) dfi_os_pause();
}

/* The search for work of a thread that has found none. */
struct dfi_search {
    uint64_t since; /* when it began, or when the last stolen piece began */
    int sweeps;     /* over all workers */
    int yielded;    /* after the last one the thread gave its CPU away */
};
/* Spins until it is time for the next sweep. Zero: it has spun for long enough. */
static int dfi_spin(struct dfi_worker *w, struct dfi_search *s)
{
    int i;
    if (s->sweeps == 0) s->since = dfi_os_ns();
    if (dfi_turns() || s->sweeps++ >= DFI_SPIN_SWEEPS) return 0;
    if ((s->sweeps % 4 == 0 || s->yielded) && dfi_os_ns() - s->since >= DFI_SPIN_NS) return 0;
    if (s->sweeps % 4 == 1) dfi_request_steals(w);
    s->yielded = s->sweeps > DFI_SPIN_YIELD && dfi_load_relaxed(&dfi_pool.n_slots) > dfi_pool.n_cpus;
    if (s->yielded) dfi_os_yield();
    else
        for (i = 0; i < DFI_SPIN_PAUSES; i++) dfi_os_pause();
    return 1;
}

/* Runs permitted work until g is met: entries of w above `mark` of its stack, then work inside the goal from any
 * worker. pre: entries pushed above mark are inside the goal; called between dfi_wait_enter and dfi_wait_leave. */
static DFI_NOINLINE void dfi_help_until(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    int idle = g->kind == DFI_GOAL_WORK;
    struct dfi_search s = { 0, 0, 0 };
    struct dfi_stolen stolen;
    int relied = 0; /* others may rely on w to look for events */
    /* the chain of scopes shows which code is nested in which wait (work/thread_end.h) */
    if (DFI_UNLIKELY(w->task != NULL)) dfi_scope_here(w);
    if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
    while (!dfi_goal_met(g)) {
        int found;
        if (dfi_steal_requested(w)) dfi_poll(w);
        if (DFI_UNLIKELY(relied) && (w->head > mark || (dfi_up_task_urgent && dfi_up_task_urgent(w))))
            relied = 0, dfi_up_busy(w);
        if ((!idle && dfi_run_urgent(w, g)) || dfi_run_own(w, mark, idle ? NULL : g)) {
            s.sweeps = 0;
            continue;
        }
        DFI_UNSYNCED(w);
        found = dfi_find(w, g, &stolen);
        if (!found) {
            if (dfi_up_polls && (relied = dfi_load_relaxed(&dfi_pool.polled)) != 0 && dfi_up_polls()) continue;
            if (!DFI_ALONE && dfi_spin(w, &s)) continue;
            found = dfi_park(w, g, &stolen);
        }
        if (found) {
            if (DFI_UNLIKELY(relied)) relied = 0, dfi_up_busy(w);
            /* the last searching worker: others rely on it to find the work that they published (dfi_wake_for_work) */
            if (idle && dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1) == 1) dfi_wake_for_missed_work();
            if (!DFI_ALONE) s.since = dfi_os_ns();
            dfi_run_stolen(w, &stolen, idle ? NULL : g);
            while (idle && !dfi_retires(w) && (dfi_run_urgent(w, g) || dfi_run_own(w, mark, NULL))) continue;
            if (idle) w->outside = (unsigned)dfi_seeded();
            if (!DFI_ALONE) dfi_back_off(g, s.since);
            if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
        }
        s.sweeps = s.yielded = 0;
    }
    if (DFI_UNLIKELY(relied)) dfi_up_busy(w);
    if (idle) {
        dfi_stack_back(w, mark);
        dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    } else {
        if (dfi_up_task_run && DFI_UNLIKELY(w->head > mark)) dfi_stack_hand_over(w, mark, g->scope);
        dfi_offer(w); /* tasks that the last chain left */
    }
    if (dfi_load_relaxed(&w->level) == 1) w->outside = (unsigned)dfi_seeded(); /* w is in no other wait */
}

/* dfi_help_until with the records of a wait. */
static void dfi_wait_helping(struct dfi_worker *w, size_t mark, const struct dfi_goal *g, unsigned kind,
                             const void *on, const char *site)
{
    struct dfi_wait x;
    dfi_wait_enter(w, &x, kind, on, site);
    dfi_help_until(w, mark, g);
    dfi_wait_leave(w, &x);
}

DFI_SMALL_CODE_END

#endif
