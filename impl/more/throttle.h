/* throttle.h - throttling (flow/throttle.h) where tasks may wait for the code that submits them */
#ifndef DFI_MORE_THROTTLE_H
#define DFI_MORE_THROTTLE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/goal.h"
#include "../work/help.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "../work/wait.h"
#include "../flow/throttle.h"
#include "../flow/moments.h"
#include "spare.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

enum {
    /* a submitting thread that tasks may wait for yields so long before it sleeps between two checks (other processes
     * may have the CPUs: then one yield takes longer), */
    DFI_YIELD_NS = 50000,
    /* and waits so long, or in a recorded run checks so often, before it continues without room */
    DFI_PASS_NS = 3000000, DFI_PASS_LOOKS = 23
};

/* Submissions beyond the window before w checks again. */
struct dfi_throttled { size_t let_pass; };
DFI_ROOM(dfi_throttled, dfi_throttled_of, dfi_worker);

/* Does a helper run a task, rather than search for work? If so, it does not wait for this thread. */
static int dfi_helpers_work(void)
{
    int i, n = DFI_ALONE ? 0 : dfi_load_acquire(&dfi_pool.n_slots), awake = 0;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        awake += dfi_load_relaxed(&v->helper) && dfi_load_relaxed(&v->park) == DFI_AWAKE &&
                 dfi_load_relaxed(&dfi_blocks_of(v)->asleep) == DFI_NOT_ASLEEP;
    }
    return !DFI_ALONE && awake > dfi_load_relaxed(&dfi_pool.spinning);
}

/* dfi_throttle with streams: makes room while there is progress, and never waits for children that may themselves
 * wait for the submitting code's next push. If that leaves no room, it checks again after as many submissions as it
 * otherwise makes room for. */
static DFI_NOINLINE void dfi_throttle_streams(struct dfi_worker *w, struct dfi_scope *s)
{
    size_t step = dfi_flow_pool.window / DFI_WINDOW_STEP;
    struct dfi_goal g;
    struct dfi_stolen stolen;
    int looks = 0, i;
    g.kind = DFI_GOAL_SCOPE, g.scope = s;
    dfi_flush(w);
    dfi_level(w, 1);
    for (;;) {
        dfi_take_over(s);
        if (s->submitted - s->done < dfi_flow_pool.window - step) break;
        if (dfi_run_own(w, s->mark, NULL)) looks = 0;
        else if (dfi_find(w, &g, &stolen)) {
            dfi_run_stolen(w, &stolen, NULL);
            looks = 0;
        } else {
            if (!dfi_helpers_work()) {
                dfi_throttled_of(w)->let_pass = step;
                break;
            }
            if (++looks > DFI_SPIN_SWEEPS) dfi_os_yield();
            else for (i = 0; i < DFI_SPIN_PAUSES; i++) dfi_os_pause();
        }
        if (dfi_steal_requested(w)) dfi_poll(w);
    }
    dfi_offer(w);
    dfi_level(w, -1);
}

/* Is a task ready in the queue or a deque, or running on a helper? */
static int dfi_others_busy(void)
{
    return dfi_work_public() || dfi_helpers_work();
}

/* dfi_throttle with tasks that may block: they do not run nested in the submitting code, which they may wait for, but
 * on a spare in its place. If none of them ends for a while, it admits a few more. -1: there is no spare. */
static DFI_NOINLINE int dfi_throttle_blocking(struct dfi_worker *w, struct dfi_scope *s)
{
    size_t left = 0, before = 0;
    uint64_t since = dfi_os_ns(), waited;
    int looks = 0;
    dfi_block_share(w, 0);
    if (!dfi_others_busy()) { /* all tasks wait for other events */
        dfi_throttled_of(w)->let_pass = dfi_flow_pool.window / DFI_WINDOW_STEP;
        return 0;
    }
    if (dfi_block_count()) return -1;
    dfi_level(w, 1);
    for (;;) {
        dfi_take_over(s);
        left = s->submitted - s->done;
        /* large steps keep the cost of switching threads low */
        if (left < dfi_flow_pool.window - dfi_flow_pool.window / 2) break;
        waited = dfi_os_ns() - since;
        looks++;
        if (left != before) before = left, looks = 0, since += waited, waited = 0;
        /* a recorded run depends on no clock */
        else if ((dfi_turns() ? looks > DFI_PASS_LOOKS : waited > DFI_PASS_NS) || !dfi_others_busy()) {
            dfi_throttled_of(w)->let_pass = dfi_flow_pool.window / DFI_WINDOW_STEP;
            break;
        }
        dfi_turn_drop(w);
        if (waited < DFI_YIELD_NS) dfi_os_yield();
        else dfi_os_sleep_ms();
        dfi_turn_take(w);
    }
    dfi_level(w, -1);
    dfi_block_end();
    return 0;
}

static int dfi_throttle_waiting(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_throttled_of(w)->let_pass) {
        dfi_throttled_of(w)->let_pass--;
        return 1;
    }
    if (dfi_load_relaxed(&dfi_may_block) && !dfi_throttle_blocking(w, s)) return 1;
    if (!dfi_load_relaxed(&dfi_more.streams)) return 0;
    dfi_throttle_streams(w, s);
    return 1;
}
#define dfi_up_throttle_by , dfi_throttle_waiting

/* The children may be waiting for a signal or an input from the submitting code. */
static int dfi_owes(void)
{
    int i, n = dfi_load_relaxed(&dfi_more.holds) ? dfi_load_acquire(&dfi_pool.n_slots) : 0;
    for (i = 0; i < n; i++)
        if (dfi_load_relaxed(&dfi_holds_of(dfi_load_acquire(&dfi_pool.slot[i]))->first)) return 1;
    return 0;
}
#define dfi_up_owes_by , dfi_owes

DFI_SMALL_CODE_END

#endif
