/* commit.h - the end of a transaction: commit, memory that it frees
 *
 * Argument: docs/internals/stm.md, "Commit". */
#ifndef DFI_STM_COMMIT_H
#define DFI_STM_COMMIT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "access.h"
#include "block.h"
#include "events.h"
#include "../api/hooks.h"
#include "frames.h"
#include "log.h"
#include "sleep.h"
#include "state.h"
#include "../../df_stm.h"

DFI_SMALL_CODE_BEGIN
/* --- commit --------------------------------------------------------------------------------------- */

/* o, of a write, is locked or has a version later than t->time: waits for the lock, or advances the time. Returns
 * the version. */
static DFI_NOINLINE uintptr_t dfi_tm_await_lock(struct dfi_tm *t, dfi_orec *o, size_t n_locks)
{
    uintptr_t version;
    unsigned round = 0;
    t->met = o;
    while ((version = dfi_load_relaxed(o)) & DFI_TM_LOCKED) {
        if (round == DFI_TM_SPINS) {
            dfi_tm_unlock(t, n_locks);
            dfi_tm_conflict(t, DFI_TM_LOCK_FAILED, SIZE_MAX);
        }
        dfi_tm_pause(round++);
    }
    /* it may be in the read set, which must be valid after that version */
    if (version > t->time) t->time = dfi_tm_check(t, DFI_TM_TOO_NEW, n_locks);
    return version;
}

/* Locks the stripes of all writes, and returns the end of t->locks. Waits for a lock are bounded while others are held,
 * so there is no deadlock. */
DFI_INLINE struct dfi_tm_lock *dfi_tm_lock_writes(struct dfi_tm *t)
{
    const uintptr_t mine = DFI_TM_LOCKED | (uintptr_t)t >> 1;
    const struct dfi_tm_write *w = t->writes, *end = w + t->n_writes;
    struct dfi_tm_lock *lock = t->locks;
    uintptr_t time = t->time;
    for (; w < end; w++) {
        dfi_orec *o = dfi_tm_orec(t, w->at);
        uintptr_t version = dfi_load_relaxed(o);
        if (version == mine) continue;
        do {
            if (DFI_UNLIKELY(version > time)) { /* or locked */
                version = dfi_tm_await_lock(t, o, (size_t)(lock - t->locks));
                time = t->time;
            }
            /* acq_rel; acquire: pairs with the release of the version, so that our values are stored after those of
             * earlier commits */
        } while (DFI_UNLIKELY(!dfi_cas_acq_rel(o, &version, mine)));
        lock->orec = o, lock->version = version;
        lock++;
    }
    return lock;
}

/* The clock has advanced since the transaction's time: validates the read set. pre: the writes are locked */
static DFI_NOINLINE void dfi_tm_check_reads(struct dfi_tm *t, uintptr_t was, size_t n_locks)
{
    if (t->alone) return; /* nothing else commits */
    if (was & DFI_TM_ALONE) { /* another transaction is about to run alone */
        dfi_tm_unlock(t, n_locks);
        dfi_tm_restart(t, DFI_TM_GIVES_WAY);
    }
    (void)dfi_tm_check(t, DFI_TM_CHANGED, n_locks);
}

/* With values: locks the clock at a time at which the read set is valid. Nonzero: a log of reads was needed. */
DFI_INLINE uintptr_t dfi_tm_lock_clock(struct dfi_tm *t)
{
    uintptr_t time;
    unsigned round = 0;
    for (; !DFI_UNLIKELY(t->alone); dfi_tm_extend(t, DFI_TM_CHANGED)) { /* alone: it is locked */
        time = t->time;
        /* relaxed: a look, before the line is taken from others; seq_cst: before the look at sleepers; acquire: our
         * stores come after those of earlier commits */
        if (DFI_LIKELY(dfi_load_relaxed(&dfi_stm.clock) == time) &&
            DFI_LIKELY(dfi_cas_seq_cst(&dfi_stm.clock, &time, time | DFI_TM_LOCKED))) break;
        if (++round > DFI_TM_SPINS) dfi_tm_isolate(t);
    }
    return round != 0;
}

/* Makes the writes of t visible. end_of_frames: of df. Returns the time of the commit, plus 1 if a log of reads was
 * needed. */
DFI_INLINE uintptr_t dfi_tm_publish(struct dfi_tm *t, const void *end_of_frames)
{
    struct dfi_tm_frames f;
    const struct dfi_tm_lock *lock = NULL, *end = NULL;
    size_t i, n = t->n_writes;
    uintptr_t was, time, needed;
    if (DFI_TM_VALUES) {
        needed = dfi_tm_lock_clock(t);
        time = t->time + DFI_TM_TICK;
    } else {
        lock = t->locks, end = dfi_tm_lock_writes(t);
        /* acq_rel: orders the locks of all commits before the validation of later ones; seq_cst: before the look at
         * active transactions, and at sleepers */
        was = dfi_fetch_add_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_TICK);
        time = dfi_tm_time_of(was) + DFI_TM_TICK, needed = was != t->time;
        if (DFI_UNLIKELY(needed)) dfi_tm_check_reads(t, was, (size_t)(end - t->locks));
        /* the reads are valid at this time: threads that wait for reads of older times need not wait for the stores
         * (but later commits do); release: the reads */
        dfi_store_release(&t->active, time | 1);
    }
    if (DFI_UNLIKELY(dfi_attempted())) dfi_tm_note_commit(t, time); /* before the values and versions */
    dfi_tm_count_most(t, DFI_TM_MOST_WRITES, n);
    dfi_tm_count(t, DFI_TM_WROTE);
    DFI_TM_FEW_FRAMES(&f, end_of_frames);
    for (i = 0; i < n; i++)
        if (DFI_LIKELY(!dfi_tm_in_frames(&f, t->writes[i].at))) dfi_tm_apply(&t->writes[i]);
    if (DFI_TM_VALUES) dfi_store_release(&dfi_stm.clock, time | (t->alone ? DFI_TM_ALONE : 0)); /* the values */
    else
        for (; lock < end; lock++) dfi_store_release(lock->orec, time); /* release: the values */
    dfi_tm_clear_writes(t);
    return time | needed;
}

/* After a commit: wakes threads in df_retry whose read set may have been changed by the first n writes of t; SIZE_MAX:
 * by others. */
DFI_INLINE void dfi_tm_wake_changed(struct dfi_tm *t, size_t n)
{
    /* seq_cst: after the change of the clock; pairs with the sleeper's, see dfi_tm_sleep_until. With values it also
     * keeps private stores that follow behind that change */
    if (DFI_UNLIKELY(dfi_load_seq_cst(&dfi_stm.n_sleepers) != 0)) dfi_tm_wake(t->writes, n);
}

/* Empties the log of reads, if the block kept one, and reports the commit. needed: the commit needed the log */
static DFI_NOINLINE void dfi_tm_end_log(struct dfi_tm *t, int needed)
{
    if (t->logs) {
        if (!needed && *t->prediction) --*t->prediction;
        dfi_tm_count_most(t, DFI_TM_MOST_READS, dfi_tm_n_reads(t));
        dfi_tm_forget_reads(t, 0);
        t->logs = 0;
    }
    dfi_tm_tell(t, DFI_ATOMIC_COMMITTED, NULL);
}

/* Ends the block: counts it, and empties the log of reads. If it wrote it stays t->inner until the very end, for a
 * block in a signal handler. */
DFI_INLINE void dfi_tm_done(struct dfi_tm *t, struct dfi_tm_block *b, int needed)
{
    dfi_tm_end_reading(t);
    b->open = 0;
    dfi_tm_count(t, DFI_TM_COMMITS);
    if (DFI_UNLIKELY(t->logs || dfi_attempted())) dfi_tm_end_log(t, needed);
}

/* --- memory freed by blocks that do not wait for quiescence ----------------------------------------- */

/* Allocations kept before the first look at active transactions; before a wait for them. */
enum { DFI_TM_FREED_LOOK = 64, DFI_TM_FREED_MOST = 4096 };

/* Frees the memory that no transaction can read any more. all: waits until that is all of it. */
static void dfi_tm_free_old(struct dfi_tm *t, int all)
{
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    struct dfi_tm *u;
    uintptr_t oldest = UINTPTR_MAX;
    size_t i, kept = 0;
    if (!r->n_freed) return;
    if (all) dfi_tm_quiesce(t, r->freed[r->n_freed - 1].time); /* the latest */
    else {
        dfi_tm_fence(); /* and the rest as in dfi_tm_quiesce */
        for (u = dfi_load_seq_cst(&dfi_stm.all); u; u = u->next) {
            uintptr_t active = dfi_load_seq_cst(&u->active);
            if (active && active - 1 < oldest && u != t) oldest = active - 1;
        }
    }
    for (i = 0; i < r->n_freed; i++)
        if (r->freed[i].time <= oldest) dfi_mfree(r->freed[i].p);
        else r->freed[kept++] = r->freed[i];
    r->n_freed = kept;
}

/* Frees p, which was unlinked at t->time, some time later. */
static void dfi_tm_release_later(struct dfi_tm *t, void *p)
{
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    if (r->n_freed >= DFI_TM_FREED_LOOK && r->n_freed % DFI_TM_FREED_LOOK == 0)
        dfi_tm_free_old(t, r->n_freed >= DFI_TM_FREED_MOST);
    if (r->n_freed == r->max_freed && dfi_tm_grow(t, (void *)&r->freed, &r->max_freed, sizeof *r->freed)) {
        dfi_tm_free_old(t, 1);
        dfi_tm_quiesce(t, t->time);
        dfi_mfree(p);
        return;
    }
    r->freed[r->n_freed].p = p, r->freed[r->n_freed++].time = t->time;
}

/* --- end of a transaction ------------------------------------------------------------------------- */

/* Ends a block that is odd, frees memory or has handlers. time: of its commit; 0: it wrote nothing. n: number of its
 * writes in the log; SIZE_MAX: not known. pre: dfi_tm_done() */
static DFI_NOINLINE void dfi_tm_end_odd(struct dfi_tm *t, uintptr_t time, unsigned kind, size_t n)
{
    struct dfi_tm_handlers h;
    const int later = !DFI_TM_WAITS || !time || kind & DFI_TM_UNWAITED;
    size_t i;
    if (t->odd) {
        dfi_tm_alone_end(t);
        t->attempts = 0, t->forgot = t->resumed = 0;
        t->odd = t->spare;
        if (t->spare) kind = 0;
    }
    if (time) {
        dfi_tm_wake_changed(t, n);
        if (DFI_TM_WAITS && !(kind & DFI_TM_UNWAITED)) dfi_tm_quiesce(t, time);
    }
    if (!(t->n_events | (size_t)t->spare)) {
        t->inner = NULL;
        return;
    }
    /* with values: a block that has validated by now cannot reach memory that may be freed */
    t->time = time || !DFI_TM_VALUES ? time : dfi_tm_time_of(dfi_load_acquire(&dfi_stm.clock));
    for (i = 0; i < t->n_events && !t->time; i++)
        if (t->events[i].kind == DFI_TM_FREED) t->time = dfi_tm_tick(0); /* active transactions may still read it */
    h = dfi_tm_take_events(t, later ? dfi_tm_release_later : dfi_tm_release_now);
    if (t->spare) dfi_tm_free_old(t, 1);
    t->inner = NULL;
    dfi_tm_spare_back(t);
    dfi_tm_call_handlers(h);
}

DFI_SMALL_CODE_END

/* Ends a block with writes in its log. */
static DFI_NOINLINE void dfi_tm_commit(struct dfi_tm *t, struct dfi_tm_block *b, const void *end_of_frames)
{
    const size_t n = t->n_writes;
    uintptr_t time;
    unsigned kind;
    if (DFI_UNLIKELY(t->odd) && t->resumed) dfi_tm_go_on(t);
    time = dfi_tm_publish(t, end_of_frames);
    kind = b->kind;
    dfi_tm_done(t, b, (int)(time & 1));
    time = dfi_tm_time_of(time);
    if (DFI_UNLIKELY(t->n_events | (size_t)t->odd)) {
        dfi_tm_end_odd(t, time, kind, n);
        return;
    }
    dfi_tm_wake_changed(t, n);
    if (DFI_TM_WAITS && DFI_LIKELY(!(kind & DFI_TM_UNWAITED))) dfi_tm_quiesce_inline(t, time);
    t->inner = NULL;
}

DFI_SMALL_CODE_BEGIN
/* Ends a block without writes in its log, but odd, or with events. */
static DFI_COLD void dfi_tm_commit_odd(struct dfi_tm *t, struct dfi_tm_block *b)
{
    const uintptr_t time = t->direct ? t->time : 0;
    const unsigned kind = b->kind;
    if (time) dfi_tm_count(t, DFI_TM_WROTE);
    dfi_tm_done(t, b, 0);
    dfi_tm_end_odd(t, time, kind, SIZE_MAX);
}

/* Ends a transaction whose blocks were all left, and their stack frames are gone. */
static void dfi_tm_give_up(struct dfi_tm *t)
{
    struct dfi_tm_block b;
    if (t->direct) { /* its effects cannot be rolled back: it commits */
        memset(&b, 0, sizeof b);
        dfi_tm_commit_odd(t, &b);
        return;
    }
    dfi_tm_take_back(t, DFI_TM_BY_USER);
    dfi_tm_alone_end(t);
    t->attempts = 0;
    t->odd = t->spare;
}

DFI_SMALL_CODE_END

#endif
