/* retry.h - df_retry: alternatives of a block, sleep until the read set changes
 *
 * No wake-up is lost: docs/internals/stm.md, "Retry". */
#ifndef DFI_STM_RETRY_H
#define DFI_STM_RETRY_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/system.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "block.h"
#include "events.h"
#include "../api/hooks.h"
#include "log.h"
#include "sleep.h"
#include "state.h"
#include "thread.h"

DFI_SMALL_CODE_BEGIN
enum { DFI_TM_LOOK_MS = 50 }; /* interval at which a sleeper looks whether the process has another thread */

/* Sleeps until *awake where no pool runs. Nonzero: this is the only thread. */
static int dfi_tm_sleep_alone(const char *site, struct dfi_os_event *e, DFI_ATOMIC(int) *awake)
{
    while (dfi_os_event_wait_us(e, awake, 0, DFI_TM_LOOK_MS * 1000L))
        if (dfi_os_threads() == 1) {
            dfi_error(DFI_MESSAGE_RETRY_STUCK, site);
            return dfi_retry_stuck = 1;
        }
    return 0;
}

/* Sleeps until a stripe in the log of reads changes. Nonzero: no task is left that could change one. pre: t is not
 * active */
static int dfi_tm_sleep_until(struct dfi_tm *t, const char *site)
{
    const struct dfi_df_hooks *df = dfi_load_acquire(&dfi_df_hooks);
    struct dfi_tm_sleep s, **at;
    uintptr_t now;
    int stuck = 0, same;
    if (dfi_os_event_init(&s.event)) {
        dfi_os_sleep_ms();
        return 0;
    }
    s.tm = t;
    if (DFI_TM_VALUES) dfi_tm_note_words(t, &s);
    s.awake = df ? df->retry_flag() : NULL;
    if (!s.awake) s.awake = &s.own;
    dfi_store_relaxed(s.awake, 0);
    dfi_os_lock(&dfi_stm.sleep_lock);
    s.next = dfi_stm.sleepers;
    dfi_stm.sleepers = &s;
    dfi_os_unlock(&dfi_stm.sleep_lock);
    /* seq_cst, both: either the commit sees the sleeper, or the sleeper sees the new clock, and with it (acquire)
     * the locks, which count as changes */
    dfi_fetch_add_seq_cst(&dfi_stm.n_sleepers, 1);
    /* memory that is unlinked from now on is not freed meanwhile; seq_cst: before the load of the clock */
    if (DFI_TM_VALUES) dfi_exchange_seq_cst(&t->active, (uintptr_t)1);
    now = dfi_load_seq_cst(&dfi_stm.clock);
    if (!DFI_TM_VALUES) now = dfi_tm_time_of(now);
    /* now < time: the clock began anew, and versions cannot be compared; with values a lock, or any other commit
     * meanwhile, counts as a change */
    same = now >= t->time && !(now & DFI_TM_LOCKED) && dfi_tm_first_changed(t, now) == dfi_tm_n_reads(t);
    if (DFI_TM_VALUES) dfi_tm_end_reading(t);
    if (same)
        stuck = df ? df->retry(site, &s.event, s.awake) : dfi_tm_sleep_alone(site, &s.event, s.awake);
    dfi_fetch_sub_acq_rel(&dfi_stm.n_sleepers, 1);
    dfi_os_lock(&dfi_stm.sleep_lock);
    for (at = &dfi_stm.sleepers; *at != &s; at = &(*at)->next) continue;
    *at = s.next;
    dfi_os_unlock(&dfi_stm.sleep_lock);
    dfi_os_event_free(&s.event);
    return stuck;
}

/* Rolls back the writes of b, and tries its next alternative; other effects are rolled back when it is known that
 * there is one. Does not return. */
static DFI_NORETURN void dfi_tm_next_alternative(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_roll_back_writes(t, b);
    b->alternative++;
    b->looked = 0, b->ran = 0;
    dfi_tm_again(t, b);
}

/* The alternatives of b are exhausted: tries those of the block around it, or sleeps. Does not return. */
static DFI_COLD DFI_NORETURN void dfi_tm_no_alternative(struct dfi_tm *t, struct dfi_tm_block *b)
{
    const char *site = dfi_tm_place(t);
    int polls, cancel;
    b->alternative = 0, b->ran = 1;
    if (b->outer) dfi_tm_next_alternative(t, b->outer); /* its roll back ends b */
    cancel = dfi_os_uncancel(); /* cancelled in its sleep the thread would stay in the list of sleepers */
    dfi_tm_count(t, DFI_TM_SLEPT);
    dfi_tm_roll_back_writes(t, b);
    t->logs = 0;
    dfi_tm_end_reading(t);
    dfi_tm_alone_end(t);
    t->inner = NULL;
    dfi_tm_tell(t, DFI_ATOMIC_RETRIED, NULL);
    polls = t->spare || t->forgot || !dfi_tm_n_reads(t); /* nothing can wake it, or other threads need the record */
    if (!dfi_tm_n_reads(t) && !t->forgot) dfi_error("%s: df_retry in an atomic block that read nothing by df_tm_read: "
                                                    "the block runs again every millisecond; read what it waits for "
                                                    "by df_tm_read", site);
    if (t->n_events) { /* handlers may have transactions of their own, which must not change the log of reads */
        if (!polls) dfi_tm_be(&dfi_tm_nobody);
        dfi_tm_undo_kept(t);
        if (!polls) dfi_tm_be_again(t);
    }
    if (polls) {
        dfi_tm_forget_reads(t, 0);
        dfi_tm_spare_back(t);
        dfi_os_sleep_ms();
        if (dfi_tm_self == &dfi_tm_nobody) t = dfi_tm_attach();
        dfi_tm_set_place(t, site);
        t->prediction = &t->log_for[0];
    } else {
        t->inner = b; /* for a block in a signal handler: the log of reads stays as it is */
        if (dfi_tm_sleep_until(t, site)) b->left = 1; /* as by df_abort */
    }
    dfi_os_recancel(cancel);
    dfi_tm_forget_reads(t, 0);
    t->forgot = 0;
    t->attempts = 0;
    if (b->left) dfi_tm_again(t, b);
    dfi_tm_begin_again(t, b);
}

DFI_EXTERN_C_BEGIN
DFI_API DFI_COLD int dfi_tm_or_else(void)
{
    struct dfi_tm *t = dfi_tm_self;
    struct dfi_tm_block *b = t->inner;
    if (++b->looked != b->alternative) return 0;
    dfi_tm_undo_events(t, b->outer ? b->outer->events : 0);
    return b->ran = 1;
}

DFI_API DFI_COLD void dfi_tm_retry(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!dfi_tm_can_undo(t, site, "df_retry")) return;
    if (!t->logs) dfi_tm_restart(t, DFI_TM_TO_LOG);
    dfi_tm_next_alternative(t, t->inner);
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
