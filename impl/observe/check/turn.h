/* turn.h - DF_CHECK with AddressSanitizer: turns of program code
 *
 * All threads share one shadow, so code with a view (observe/check/view.h) runs in one thread at a
 * time, and gives up its turn when it waits. A thread that has waited for a turn for DFI_CHECK_MS
 * continues nevertheless, because the holder may wait for an event outside df, perhaps for this very
 * thread. Then nothing is poisoned until both have come to the end of their turns. So no wait for a
 * turn is longer, and no program hangs that would not hang without checks. Argument: docs/check.md,
 * "Implementation". */
#ifndef DFI_OBSERVE_CHECK_TURN_H
#define DFI_OBSERVE_CHECK_TURN_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../os/os.h"
#include "../../work/types.h"
#include "check.h"
#include "live.h"

#if DFI_CHECK_ASAN

/* longer bodies are rare, even under the sanitizer; other bodies are not checked meanwhile */
enum { DFI_CHECK_MS = 1000 };

struct dfi_check {
    struct dfi_os_mutex lock;          /* of this record, dfi_check_live and the entries */
    struct dfi_os_event event;
    DFI_ATOMIC(int) changes;           /* of the turns, so far */
    uint64_t since;                    /* the time of the last change */
    int waiting;
    int running, overdue;              /* threads that have a turn; those of them that are not waited for */
    uint64_t turns, late;              /* so far; turns up to `late` are overdue */
    struct dfi_worker *holder;         /* the worker that is checked, or NULL */
    int cleared;                       /* nothing is poisoned */
    int off;                           /* checks have ended, because devices access memory, too */
    struct dfi_check_entry *entries, **bucket; /* all regions; the same by hash */
    size_t n_nodes, buckets;
    int hooked, made;                  /* made: the event */
    uint64_t submitted;                /* tasks with declarations so far */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_check dfi_check = { DFI_OS_MUTEX_INIT, DFI_OS_EVENT_INIT,
                                       0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, 0, 0, 0, 0, 0 };
DFI_EXTERN_C_END
static DFI_TLS int dfi_check_locked; /* by this thread: memory freed meanwhile belongs to the checks */

static void dfi_check_lock(void)
{
    dfi_os_lock(&dfi_check.lock);
    dfi_check_locked = 1;
}
static void dfi_check_unlock(void)
{
    dfi_check_locked = 0;
    dfi_os_unlock(&dfi_check.lock);
}

/* pre: the lock */
static void dfi_check_turn_changed(void)
{
    dfi_check.since = dfi_os_ns();
    dfi_fetch_add_acq_rel(&dfi_check.changes, 1);
    if (dfi_check.waiting) dfi_os_event_wake_all(&dfi_check.event);
}

/* Opens all poisoned memory. pre: the lock */
static void dfi_check_clear(void)
{
    if (!dfi_check.cleared) dfi_live_all(1);
    dfi_check.cleared = 1;
    dfi_check.holder = NULL;
}

/* Waits for a turn. post: the lock is held */
static void dfi_check_turn_take(struct dfi_worker *w)
{
    struct dfi_check *c = &dfi_check;
    dfi_check_lock();
    while (c->running != c->overdue) {
        int now = dfi_load_relaxed(&c->changes);
        if (dfi_os_ns() - c->since >= (uint64_t)DFI_CHECK_MS * 1000000) {
            c->overdue = c->running, c->late = c->turns;
            dfi_check_unlock();
            dfi_warn_once("DF_CHECK: a task ran for more than %d seconds while others waited for their turn: the "
                          "others now run concurrently with it, and df misses undeclared accesses meanwhile; split "
                          "the task, or let it wait by functions of df", DFI_CHECK_MS / 1000);
            dfi_check_lock();
            continue;
        }
        c->waiting++;
        dfi_check_unlock();
        dfi_os_event_wait(&c->event, &c->changes, now, DFI_CHECK_MS / 10);
        dfi_check_lock();
        c->waiting--;
    }
    dfi_checked_of(w)->turn = ++c->turns, dfi_checked_of(w)->in_turn = 1;
    if (c->running++ || c->off) dfi_check_clear();
    else {
        c->holder = w;
        if (c->cleared) dfi_live_all(0);
        c->cleared = 0;
    }
    dfi_check_turn_changed();
}

/* pre: the lock, a turn */
static void dfi_check_turn_give(struct dfi_worker *w)
{
    struct dfi_check *c = &dfi_check;
    c->running--;
    if (dfi_checked_of(w)->turn <= c->late || dfi_checked_of(w)->blocks) c->overdue--;
    if (c->holder == w) c->holder = NULL;
    dfi_checked_of(w)->in_turn = dfi_checked_of(w)->blocks = 0;
    dfi_check_turn_changed();
}

#endif

#endif
