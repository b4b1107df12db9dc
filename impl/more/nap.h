/* nap.h - what a sleeping worker looks at from time to time: loops of other workers, and whether anything can go on */
#ifndef DFI_MORE_NAP_H
#define DFI_MORE_NAP_H

#include "../base/upcall.h"
#include "../work/goal.h"
#include "../work/help.h"
#include "../work/types.h"
#include "../flow/types.h"
#include "idle.h"
#include "loop/alone.h"
#include "spare.h"

enum {
    DFI_LOOP_WATCH_US = 1000 /* interval at which the watcher of loops looks at them (more/loop/alone.h): less than 1 %
                              * of a CPU while loops are short; a loop that turns out to be long loses 1 to 2 ms */
};

/* A single worker waits for a task that needs another one, which it may not run nested in that wait unless nothing else
 * goes on (dfi_deadlock_help). If that was so before, it is likely to be so again. */
static int dfi_nap_helps(struct dfi_worker *w)
{
    if (dfi_load_relaxed(&dfi_pool.n_slots) > 1 || !dfi_load_relaxed(&dfi_flow_pool.queue.count))
        dfi_blocks_of(w)->helps = 0;
    return dfi_blocks_of(w)->helps;
}

/* seq_cst, after w has announced that it parks: a thread that adds a task which is held back wakes the sleepers
 * (dfi_holds_begin). */
static long dfi_nap_us(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_nap *nap)
{
    const long loops = DFI_LOOP_WATCH_US, look = DFI_LOOK_MS * 1000L;
    long us = dfi_idle_watch(w);
    nap->held = g->kind != DFI_GOAL_WORK && dfi_up_holds && dfi_up_holds();
    nap->watches = !DFI_ALONE && dfi_loops_watch(w, nap->watches);
    nap->polls = us > 0;
    if (nap->watches) return us && us < loops ? us : loops;
    if (!nap->held) return us;
    return dfi_nap_helps(w) ? -1 : us && us < look ? us : look;
}
#define dfi_up_nap_us_by , dfi_nap_us

static int dfi_nap_over(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_nap *nap)
{
    const long look = DFI_LOOK_MS * 1000L;
    if (nap->polls && dfi_idle_search()) return 1;
    if (!DFI_ALONE && nap->watches && dfi_loops_look()) return 1;
    /* a poll looks at once for the first time: it may have a limit */
    if (g->kind == DFI_GOAL_POLL && !nap->slept) nap->slept = look;
    else nap->slept += nap->us > 0 ? nap->us : look;
    if (nap->held && nap->slept < look) return 0;
    nap->slept = 1;
    return nap->held && dfi_up_look && dfi_up_look(w); /* the released tasks may be on its own stack */
}
#define dfi_up_nap_over_by , dfi_nap_over

static void dfi_nap_end(struct dfi_worker *w, struct dfi_nap *nap)
{
    (void)w;
    if (!DFI_ALONE && nap->watches) dfi_loops_leave();
}
#define dfi_up_nap_end_by , dfi_nap_end

#endif
