/* block.h - clock, quiescence, isolation; roll back, restart and extension of a block
 *
 * Argument: docs/internals/stm.md, "Time", "Quiescence" and "Alone". */
#ifndef DFI_STM_BLOCK_H
#define DFI_STM_BLOCK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/log.h"
#include "../os/system.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "../api/hooks.h"
#include "log.h"
#include "sleep.h"
#include "state.h"

/* After this many aborts a block runs alone, which only one thread at a time can do. 8 to 128 made no difference
 * to two threads that write one word; a nested block is restarted by itself a few times first. */
enum { DFI_TM_ATTEMPTS = 32, DFI_TM_PARTIAL_ATTEMPTS = 8 };
enum { DFI_TM_SPINS = 10 }; /* rounds of dfi_tm_pause for a lock: longer than a commit, shorter than a time slice */
/* A block that aborted for lack of a log of reads keeps one until the log was not needed by this many commits. */
enum { DFI_TM_PREDICT = 32 };

DFI_SMALL_CODE_BEGIN
/* --- clock ---------------------------------------------------------------------------------------- */

/* Waits, longer in each round. */
static void dfi_tm_pause(unsigned round)
{
    unsigned i;
    if (round >= 12) dfi_os_yield(); /* the other thread may not have a processor */
    else
        for (i = 0; i < 1u << (round < 6 ? round : 6); i++) dfi_os_pause();
}

/* With values: adds n to the clock when no commit holds it, which will store the next time. Returns the sum. seq_cst:
 * before the look at active transactions */
static uintptr_t dfi_tm_add_unlocked(uintptr_t n)
{
    unsigned round = 0;
    uintptr_t now;
    while ((now = dfi_load_relaxed(&dfi_stm.clock)) & DFI_TM_LOCKED ||
           !dfi_cas_seq_cst(&dfi_stm.clock, &now, now + n)) dfi_tm_pause(round++);
    return now + n;
}

/* Advances the clock, and returns the new time. acq_rel: a look at active transactions that follows is ordered by the
 * commit that unlinked the memory, one at sleepers by dfi_tm_let_in. alone: this thread's block runs alone */
static uintptr_t dfi_tm_tick(int alone)
{
    if (DFI_TM_VALUES && !alone) return dfi_tm_add_unlocked(DFI_TM_TICK);
    return dfi_tm_time_of(dfi_fetch_add_acq_rel(&dfi_stm.clock, (uintptr_t)DFI_TM_TICK)) + DFI_TM_TICK;
}

/* --- active transactions and quiescence ----------------------------------------------------------- */

/* Before a look at `active`: the reads of blocks whose begin is not seen come later. */
static void dfi_tm_fence(void)
{
    /* seq_cst: a thread that is not fenced yet begins its first block after our change of the clock */
    if (!DFI_TM_WAITS && dfi_load_seq_cst(&dfi_stm.fenced) && dfi_os_fence_all())
        dfi_os_sleep_ms(); /* refused since the beginning: no store takes that long */
}

/* Looks before the first pause, which is longer than a short block: with pauses from the beginning two threads that
 * increment took 65 ns instead of 45 (bench/README.md). */
enum { DFI_TM_LOOKS = 200 };

static DFI_NOINLINE void dfi_tm_wait_for(struct dfi_tm *u, uintptr_t time)
{
    unsigned round = 0;
    uintptr_t active;
    while ((active = dfi_load_acquire(&u->active)) != 0 && active - 1 < time) { /* acquire: as in the caller */
        if (++round > DFI_TM_LOOKS) dfi_tm_pause(round - DFI_TM_LOOKS + 5);
        if (round % 16 == 0 && dfi_load_relaxed(&u->newest)) {
            dfi_store_relaxed(&u->asked, 1);
            dfi_store_relaxed(&u->newest, (uintptr_t)0);
        }
    }
}

/* Waits until no other transaction has a time before `time`. Their reads are then finished, or were validated again. */
DFI_INLINE void dfi_tm_quiesce_inline(struct dfi_tm *t, uintptr_t time)
{
    /* seq_cst: after our change of the clock; pairs with the store in dfi_tm_list */
    struct dfi_tm *u;
    for (u = dfi_load_seq_cst(&dfi_stm.all); u; u = u->next) {
        /* seq_cst: after our change of the clock, see dfi_tm_begin_reading; acquire: pairs with the release of
         * `active`: the accesses of that transaction come before ours that follow */
        uintptr_t active = dfi_load_seq_cst(&u->active);
        if (DFI_UNLIKELY(active - 1 < time) && active && u != t) dfi_tm_wait_for(u, time);
    }
}
static DFI_NOINLINE void dfi_tm_quiesce(struct dfi_tm *t, uintptr_t time)
{
    dfi_tm_fence();
    dfi_tm_quiesce_inline(t, time);
}

DFI_INLINE void dfi_tm_set_newest(struct dfi_tm *t)
{
    dfi_store_relaxed(&t->newest, t->direct ? (uintptr_t)0 : t->time | 1);
}

/* release: our reads and writes, to threads that wait for quiescence */
DFI_INLINE void dfi_tm_end_reading(struct dfi_tm *t)
{
    dfi_store_relaxed(&t->newest, (uintptr_t)0);
    dfi_store_release(&t->active, (uintptr_t)0);
}

/* --- running alone -------------------------------------------------------------------------------- */

/* Waits until all other transactions have ended; new ones wait at their begin. With values no other one commits, and
 * they wait where they read. pre: alone_lock is held */
static void dfi_tm_keep_out(struct dfi_tm *t)
{
    if (DFI_TM_VALUES) (void)dfi_tm_add_unlocked(DFI_TM_ALONE);
    else {
        dfi_fetch_add_seq_cst(&dfi_stm.clock, DFI_TM_ALONE);
        dfi_tm_quiesce(t, UINTPTR_MAX);
    }
}

static void dfi_tm_let_in(void)
{
    /* seq_cst: before the look at sleepers: one that has not seen the versions has not seen this either */
    dfi_fetch_sub_seq_cst(&dfi_stm.clock, DFI_TM_ALONE);
    dfi_os_let_go(&dfi_stm.alone_lock);
}

/* From now on t runs alone. pre: alone_lock is held */
static DFI_NOINLINE void dfi_tm_run_alone(struct dfi_tm *t)
{
    dfi_tm_keep_out(t);
    t->alone = t->odd = 1;
    dfi_tm_count(t, DFI_TM_RAN_ALONE);
}

/* pre: t is not active */
static void dfi_tm_alone_begin(struct dfi_tm *t)
{
    dfi_os_hold(&dfi_stm.alone_lock);
    dfi_tm_run_alone(t);
}

static void dfi_tm_alone_end(struct dfi_tm *t)
{
    if (!t->alone) return;
    t->alone = t->direct = 0;
    dfi_tm_let_in();
}

/* The clock is at its end: all versions begin anew. pre: t is not active */
static void dfi_tm_reset_clock(struct dfi_tm *t)
{
    size_t i;
    dfi_tm_alone_begin(t);
    if (dfi_tm_time_of(dfi_load_relaxed(&dfi_stm.clock)) >= DFI_TM_CLOCK_END) { /* else another thread was faster */
        if (DFI_TM_VALUES) dfi_tm_quiesce(t, UINTPTR_MAX); /* for an open block a smaller clock is an earlier one */
        else
            for (i = 0; i <= t->orec_mask / sizeof(dfi_orec); i++) dfi_store_relaxed(&t->orecs[i], (uintptr_t)0);
        dfi_store_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_TICK | DFI_TM_ALONE);
        dfi_tm_wake(NULL, 0); /* the versions in their logs cannot be compared with new ones */
    }
    dfi_tm_alone_end(t);
}

/* --- begin of a transaction ----------------------------------------------------------------------- */

/* Begins at a time. */
DFI_INLINE void dfi_tm_begin_at(struct dfi_tm *t, uintptr_t time)
{
    t->time = time;
    dfi_store_release(&t->active, time | 1);
    dfi_store_relaxed(&t->newest, time | 1);
}

/* Makes the transaction visible to other threads, after a wait if another transaction runs alone or the clock is at its
 * end. Returns b. */
static DFI_COLD struct dfi_tm_block *dfi_tm_begin_later(struct dfi_tm *t, struct dfi_tm_block *b)
{
    unsigned round = 0;
    for (;;) {
        uintptr_t now;
        dfi_exchange_seq_cst(&t->active, (uintptr_t)1); /* as below */
        now = dfi_load_seq_cst(&dfi_stm.clock);
        if (t->alone || now < DFI_TM_CLOCK_END) {
            dfi_tm_begin_at(t, dfi_tm_time_of(now));
            return b;
        }
        dfi_store_release(&t->active, (uintptr_t)0);
        if (DFI_TM_CLOCK_ENDS && !(now & DFI_TM_ALONE)) dfi_tm_reset_clock(t);
        else if (round < 40) dfi_tm_pause(round++);
        else { /* until the other one has ended */
            dfi_os_hold(&dfi_stm.alone_lock);
            dfi_os_let_go(&dfi_stm.alone_lock);
            if (DFI_TM_VALUES) dfi_os_yield(); /* it may be a commit, without that lock */
        }
    }
}

/* Makes the transaction visible to other threads. Returns b. */
DFI_INLINE struct dfi_tm_block *dfi_tm_begin_reading(struct dfi_tm *t, struct dfi_tm_block *b)
{
    uintptr_t now;
    /* seq_cst, both: either a thread that waits for quiescence sees that we are active, or we see its change of the
     * clock, and with it (acquire) its locks. fenced: or our first read does */
    if (DFI_TM_WAITS || DFI_UNLIKELY(!t->fenced)) dfi_exchange_seq_cst(&t->active, (uintptr_t)1);
    now = dfi_load_seq_cst(&dfi_stm.clock);
    if (DFI_UNLIKELY(now >= DFI_TM_CLOCK_END)) return dfi_tm_begin_later(t, b); /* or alone */
    dfi_tm_begin_at(t, now);
    if (!DFI_TM_WAITS) dfi_os_fence_compiler();
    return b;
}

/* The same after it was reported. */
static DFI_COLD struct dfi_tm_block *dfi_tm_begin_told(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_tell(t, DFI_ATOMIC_BEGINS, NULL);
    return dfi_tm_begin_later(t, b);
}

/* --- roll back ------------------------------------------------------------------------------------ */

/* Rolls back the effects since the last block nested in b began, but keeps the log of reads. */
static void dfi_tm_roll_back_inner(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_undo_writes(t, b);
    dfi_tm_set_newest(t);
    dfi_tm_undo_events(t, b->events);
}

/* Notes the lengths of the logs, for a block that begins in b. */
DFI_INLINE void dfi_tm_note_lengths(struct dfi_tm *t, struct dfi_tm_block *b)
{
    b->reads = dfi_tm_n_reads(t), b->writes = t->n_writes, b->undo = t->n_undo, b->events = t->n_events;
}

/* Rolls back the writes since b began. */
static void dfi_tm_roll_back_writes(struct dfi_tm *t, struct dfi_tm_block *b)
{
    if (b->outer) dfi_tm_undo_writes(t, b->outer);
    else if (t->n_writes) dfi_tm_clear_writes(t);
    dfi_tm_set_newest(t);
}

/* Rolls back b, but keeps the log of reads: the transaction continues, and handlers are part of it. */
static void dfi_tm_roll_back(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_roll_back_writes(t, b);
    t->inner = b->outer ? b->outer : b;
    dfi_tm_undo_events(t, b->outer ? b->outer->events : 0);
}

/* Rolls back all events of t, which remains the record of this thread, whatever the handlers do. */
static void dfi_tm_undo_kept(struct dfi_tm *t)
{
    const unsigned char spare = t->spare;
    if (spare) t->spare = 2;
    dfi_tm_undo_all_events(t);
    t->spare = spare;
}

/* Rolls back the whole transaction, and empties all logs. reason: the counter of the abort */
static void dfi_tm_take_back(struct dfi_tm *t, int reason)
{
    const char *other = dfi_attempted() && reason <= DFI_TM_TO_LOG ? dfi_tm_other(t) : NULL;
    t->met = NULL;
    if (t->n_writes) dfi_tm_clear_writes(t);
    t->read_end = t->reads;
    t->forgot = t->resumed = t->logs = 0;
    DFI_TM_FORGET_COPIES();
    dfi_tm_end_reading(t);
    t->inner = NULL;
    if (t->n_events) {
        const char *site = dfi_tm_place(t);
        unsigned char *prediction = t->prediction;
        dfi_tm_undo_kept(t);
        dfi_tm_set_place(t, site);
        t->prediction = prediction;
    }
    dfi_tm_tell(t, reason + DFI_TM_TO_HOW, other);
}

/* --- restart -------------------------------------------------------------------------------------- */

/* Runs b again from its beginning. Does not return. */
static DFI_NORETURN void dfi_tm_again(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->inner = b;
    if (!b->outer) t->outermost = b;
    for (;;) b->to_jump(b->jump);
}

/* Runs the outermost block b again after the whole transaction was rolled back. Does not return. */
static DFI_NORETURN void dfi_tm_begin_again(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->logs = 1;
    b->alternative = 0, b->ran = 1;
    dfi_tm_again(t, dfi_tm_begin_told(t, b));
}

/* Aborts the whole transaction, and runs it again. Does not return. */
static DFI_COLD DFI_NORETURN void dfi_tm_restart(struct dfi_tm *t, int reason)
{
    struct dfi_tm_block *b = t->outermost;
    unsigned attempts = t->attempts + (reason != DFI_TM_TO_LOG);
    dfi_tm_count(t, reason);
    dfi_tm_take_back(t, reason);
    t->inner = b; /* for a block in a signal handler */
    *t->prediction = DFI_TM_PREDICT;
    t->attempts = attempts;
    t->odd = 1;
    if (!t->alone) {
        if (t->attempts >= DFI_TM_ATTEMPTS) dfi_tm_alone_begin(t);
        else if (t->attempts) { /* a random part of a time that doubles; the first is about that of a commit */
            unsigned n, most = 32u << (t->attempts < 8 ? t->attempts : 8);
            for (n = (dfi_random(&t->random) >> 8) % most; n; n--) dfi_os_pause();
            if (t->attempts > 3) dfi_os_yield();
        }
    }
    dfi_tm_begin_again(t, b);
}

/* Without memory for a log: running alone the transaction needs none. Does not return. */
static DFI_NORETURN void dfi_tm_restart_alone(struct dfi_tm *t, int reason)
{
    t->attempts = DFI_TM_ATTEMPTS;
    dfi_tm_restart(t, reason);
}

/* After many rounds, as others commit meanwhile: keeps them out from now on, if no other thread does. */
static DFI_COLD void dfi_tm_isolate(struct dfi_tm *t)
{
    if (!t->alone && dfi_os_try_hold(&dfi_stm.alone_lock)) dfi_tm_run_alone(t);
}

/* The time at which a validation has to hold. With values no commit is storing; after a long wait t->active is an
 * earlier time, or that time. */
static uintptr_t dfi_tm_present(struct dfi_tm *t)
{
    unsigned round = 0;
    /* acquire: later loads see the locks of the commits up to now, or newer versions and values */
    uintptr_t now = dfi_load_acquire(&dfi_stm.clock);
    while (DFI_TM_VALUES && now & DFI_TM_LOCKED && !t->alone) {
        if (round < DFI_TM_SPINS) dfi_tm_pause(round++);
        else { /* a block runs alone, or its thread has no processor: other threads do not wait for us meanwhile */
            const uintptr_t before = t->time;
            dfi_tm_end_reading(t);
            dfi_tm_begin_later(t, NULL);
            t->time = before;
        }
        now = dfi_load_acquire(&dfi_stm.clock);
    }
    return dfi_tm_time_of(now);
}

/* The index of the first read that has changed until *now, or the number of reads. */
static size_t dfi_tm_first_changed_now(struct dfi_tm *t, uintptr_t *now)
{
    unsigned round = 0;
    size_t changed;
    do {
        if (++round > DFI_TM_SPINS) dfi_tm_isolate(t);
        *now = dfi_tm_present(t);
        changed = dfi_tm_first_changed(t, t->alone ? *now | DFI_TM_ALONE : *now);
    } while (changed == SIZE_MAX);
    return changed;
}

/* The stripe of read number `changed` has changed. Runs the outermost closed block that began before that read
 * again, or the whole transaction. Does not return. */
static DFI_COLD DFI_NORETURN void dfi_tm_conflict(struct dfi_tm *t, int reason, size_t changed)
{
    struct dfi_tm_block *b = t->inner;
    uintptr_t now;
    if (changed < dfi_tm_n_reads(t)) {
        const void *word = (const void *)(t->reads[changed].at & ~(uintptr_t)1);
        t->met = DFI_TM_VALUES ? word : (const void *)dfi_tm_orec(t, word);
    }
    while (b->outer && (!(b->kind & DFI_TM_CLOSED) || b->outer->reads > changed)) b = b->outer;
    /* without a log of reads it is not known whether those of the blocks around b have changed */
    if (!b->outer || !t->logs || t->attempts >= DFI_TM_PARTIAL_ATTEMPTS) dfi_tm_restart(t, reason);
    dfi_tm_forget_reads(t, b->outer->reads);
    if (dfi_tm_first_changed_now(t, &now) != b->outer->reads) dfi_tm_restart(t, reason);
    dfi_tm_count(t, reason);
    t->attempts++;
    t->odd = 1;
    if (dfi_attempted()) {
        dfi_tm_tell(t, reason + DFI_TM_TO_HOW, dfi_tm_other(t));
        dfi_tm_tell(t, DFI_ATOMIC_BEGINS, NULL);
    }
    t->met = NULL;
    t->time = now;
    dfi_store_release(&t->active, now | 1); /* release: the reads so far, to threads that wait for quiescence */
    dfi_tm_roll_back(t, b);
    b->alternative = 0, b->ran = 1;
    dfi_tm_again(t, b);
}

/* --- validation and extension --------------------------------------------------------------------- */

/* Releases the first n of t->locks: the transaction does not commit. */
static void dfi_tm_unlock(struct dfi_tm *t, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) dfi_store_release(t->locks[i].orec, t->locks[i].version);
}

/* Validates the read set, and returns the time at which it is valid. If it has changed, or is not known, there is a
 * conflict. n_locks: locked by the commit */
static DFI_NOINLINE uintptr_t dfi_tm_check(struct dfi_tm *t, int reason, size_t n_locks)
{
    uintptr_t now;
    size_t changed = 0;
    if (t->logs && (changed = dfi_tm_first_changed_now(t, &now)) == dfi_tm_n_reads(t)) return now;
    dfi_tm_unlock(t, n_locks);
    if (!t->logs) dfi_tm_restart(t, DFI_TM_TO_LOG);
    dfi_tm_conflict(t, reason, changed);
}

/* Advances the transaction's time to the present if its read set is unchanged; else there is a conflict. */
static DFI_NOINLINE void dfi_tm_extend(struct dfi_tm *t, int reason)
{
    const uintptr_t now = dfi_tm_check(t, reason, 0);
    t->met = NULL;
    dfi_tm_count(t, DFI_TM_EXTENSIONS);
    *t->prediction = DFI_TM_PREDICT;
    t->time = now;
    dfi_store_release(&t->active, now | 1);
    dfi_tm_set_newest(t);
}

/* Continues after a wait in the block. */
static DFI_COLD void dfi_tm_go_on(struct dfi_tm *t)
{
    uintptr_t before = t->time, now;
    size_t changed;
    t->resumed = 0;
    if (!t->logs) dfi_tm_restart(t, DFI_TM_TO_LOG);
    dfi_tm_begin_later(t, NULL);
    t->time = before;
    changed = dfi_tm_first_changed_now(t, &now);
    t->time = now;
    if (now < before || changed != dfi_tm_n_reads(t)) /* now < before: the clock began anew */
        dfi_tm_restart(t, DFI_TM_CHANGED);
    dfi_tm_set_newest(t);
}

/* A thread waits until reads of older times are finished, or validated again. */
static DFI_COLD void dfi_tm_asked(struct dfi_tm *t)
{
    dfi_store_relaxed(&t->asked, 0);
    if (t->resumed) dfi_tm_go_on(t);
    else if (t->logs) dfi_tm_extend(t, DFI_TM_CHANGED);
    else dfi_tm_set_newest(t); /* without a log of reads it cannot be validated: the other thread waits for its end */
}

/* Nonzero: a block is open that can be rolled back. */
static int dfi_tm_can_undo(struct dfi_tm *t, const char *site, const char *name)
{
    if (t->inner && !t->direct) {
        if (DFI_UNLIKELY(t->resumed)) dfi_tm_go_on(t);
        return 1;
    }
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, name);
    else dfi_error("%s: %s after df_irrevocable, or without memory to roll the block back: no effect; call it before "
                   "df_irrevocable", site, name);
    return 0;
}

DFI_SMALL_CODE_END

#endif
