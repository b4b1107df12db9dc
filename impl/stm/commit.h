/* commit.h - slow paths of reads and writes; commit
 *
 * Argument: docs/stm.md, "Commit". */
#ifndef DFI_STM_COMMIT_H
#define DFI_STM_COMMIT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/wait.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "block.h"
#include "events.h"
#include "../api/hooks.h"
#include "log.h"
#include "state.h"

enum { DFI_TM_SPINS = 10 }; /* rounds of dfi_tm_pause for a lock: longer than a commit, shorter than a time slice */

/* --- reads ---------------------------------------------------------------------------------------- */

/* Reads one aligned piece of memory, as it was at the transaction's time. */
static DFI_NOINLINE void dfi_tm_read_memory(struct dfi_tm *t, void *to, const volatile void *p, size_t n)
{
    dfi_orec *o = dfi_tm_orec(t, p);
    unsigned round = 0;
    for (;;) {
        uintptr_t version = dfi_load_acquire(o); /* acquire, both: see api/stm_access.h */
        dfi_tm_load_piece(to, p, n);
        if (version <= t->time && dfi_load_relaxed(o) == version) break;
        if (!(version & DFI_TM_LOCKED)) {
            if (version > t->time) dfi_tm_extend(t, DFI_TM_TOO_NEW);
        } else if (round < DFI_TM_SPINS) dfi_tm_pause(round++); /* the commit that holds it will end soon */
        else dfi_tm_conflict(t, DFI_TM_LOCK_FAILED, SIZE_MAX);
    }
    dfi_tm_log(t, o);
}

/* The same, with the transaction's own writes. */
static DFI_NOINLINE void dfi_tm_read_piece(struct dfi_tm *t, void *to, const volatile void *p, size_t n)
{
    size_t at = (uintptr_t)p % DFI_TM_WORD, i;
    struct dfi_tm_write *w = dfi_tm_find(t, (uintptr_t *)((uintptr_t)p - at));
    const unsigned char *value, *mask;
    if (!w) {
        dfi_tm_read_memory(t, to, p, n);
        return;
    }
    value = (const unsigned char *)&w->bits + at, mask = (const unsigned char *)&w->mask + at;
    for (i = 0; i < n && mask[i]; i++) continue;
    if (i < n) dfi_tm_read_memory(t, to, p, n);
    for (i = 0; i < n; i++)
        if (mask[i]) ((unsigned char *)to)[i] = value[i];
}

static DFI_NOINLINE void dfi_tm_read_range(struct dfi_tm *t, void *to, const volatile void *p, size_t bytes)
{
    if (!t->inner || t->direct) {
        dfi_tm_load(to, p, bytes);
        return;
    }
    if (dfi_load_relaxed(&t->asked)) dfi_tm_asked(t);
    while (bytes) {
        size_t n = dfi_tm_piece(p, bytes);
        dfi_tm_read_piece(t, to, p, n);
        to = (char *)to + n, p = (const volatile char *)p + n, bytes -= n;
    }
}

/* --- writes --------------------------------------------------------------------------------------- */

/* Writes to memory without buffering. pre: t runs alone */
static DFI_COLD void dfi_tm_write_direct(struct dfi_tm *t, volatile void *p, const void *from, size_t bytes)
{
    while (bytes) {
        size_t n = dfi_tm_piece(p, bytes);
        dfi_tm_store_piece(p, from, n);
        dfi_store_release(dfi_tm_orec(t, p), t->time); /* for threads in df_retry */
        p = (volatile char *)p + n, from = (const char *)from + n, bytes -= n;
    }
}

/* Stores all buffered writes; later ones are not buffered. pre: t runs alone, and its read set is unchanged */
static DFI_COLD void dfi_tm_go_direct(struct dfi_tm *t)
{
    size_t i;
    t->time = dfi_tm_tick();
    t->direct = 1, t->logs = t->buffers = 0;
    dfi_store_relaxed(&t->newest, (uintptr_t)0);
    for (i = 0; i < t->n_writes; i++) {
        dfi_tm_apply(&t->writes[i]);
        dfi_store_release(dfi_tm_orec(t, t->writes[i].at), t->time);
    }
    dfi_tm_clear_writes(t);
}

static DFI_COLD void dfi_tm_write_without_memory(struct dfi_tm *t, uintptr_t *at, uintptr_t value, uintptr_t mask)
{
    struct dfi_tm_write w;
    if (!t->alone) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY);
    w.at = at, w.bits = value, w.mask = mask;
    dfi_tm_go_direct(t);
    dfi_tm_apply(&w);
    dfi_store_release(dfi_tm_orec(t, at), t->time);
}

/* Writes the bytes of the word that are in mask. */
DFI_INLINE void dfi_tm_write_word(struct dfi_tm *t, uintptr_t *at, uintptr_t value, uintptr_t mask)
{
    if (DFI_UNLIKELY(dfi_tm_add_write(t, at, value, mask) != 0)) dfi_tm_write_without_memory(t, at, value, mask);
}

/* The same out of line. */
static DFI_NOINLINE void dfi_tm_write_part(struct dfi_tm *t, uintptr_t *at, uintptr_t value, uintptr_t mask)
{
    dfi_tm_write_word(t, at, value, mask);
}

static DFI_NOINLINE void dfi_tm_write_range(struct dfi_tm *t, volatile void *p, const void *from, size_t bytes)
{
    if (!t->inner) {
        dfi_tm_store(p, from, bytes);
        return;
    }
    while (bytes && !t->direct) {
        size_t at = (uintptr_t)p % DFI_TM_WORD, n = DFI_TM_WORD - at < bytes ? DFI_TM_WORD - at : bytes;
        uintptr_t value = 0, mask = 0;
        memcpy((char *)&value + at, from, n);
        memset((char *)&mask + at, 0xff, n);
        dfi_tm_write_part(t, (uintptr_t *)((uintptr_t)p - at), value, mask);
        p = (volatile char *)p + n, from = (const char *)from + n, bytes -= n;
    }
    if (bytes) dfi_tm_write_direct(t, p, from, bytes);
}

/* Writes a scalar. */
static DFI_NOINLINE void dfi_tm_write_value(struct dfi_tm *t, volatile void *p, uint64_t value, size_t bytes)
{
    union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } x;
    size_t at = (uintptr_t)p % DFI_TM_WORD;
    if (at + bytes <= DFI_TM_WORD && t->buffers) {
        const uintptr_t one = 1;
        const int little_endian = *(const unsigned char *)&one;
        size_t shift = 8 * (little_endian ? at : DFI_TM_WORD - at - bytes);
        uintptr_t mask = UINTPTR_MAX >> 8 * (DFI_TM_WORD - bytes);
        dfi_tm_write_part(t, (uintptr_t *)((uintptr_t)p - at), ((uintptr_t)value & mask) << shift, mask << shift);
        return;
    }
    if (bytes == 8) x.u64 = value;
    else if (bytes == 4) x.u32 = (uint32_t)value;
    else if (bytes == 2) x.u16 = (uint16_t)value;
    else x.u8 = (uint8_t)value;
    dfi_tm_write_range(t, p, &x, bytes);
}

/* --- commit --------------------------------------------------------------------------------------- */

static DFI_COLD void dfi_tm_unlock(struct dfi_tm *t)
{
    size_t i;
    for (i = 0; i < t->n_locks; i++) dfi_store_release(t->locks[i].orec, t->locks[i].version);
    t->n_locks = 0;
}

static DFI_COLD void dfi_tm_commit_failed(struct dfi_tm *t, int reason, size_t changed)
{
    dfi_tm_unlock(t);
    if (reason == DFI_TM_TO_LOG) dfi_tm_restart(t, reason);
    dfi_tm_conflict(t, reason, changed);
}

/* o, of a write, is locked or has a version later than t->time: waits for the lock, or advances the time. Returns
 * the version. */
static DFI_NOINLINE uintptr_t dfi_tm_await_lock(struct dfi_tm *t, dfi_orec *o, size_t n_locks)
{
    uintptr_t version, now;
    unsigned round = 0;
    size_t changed;
    t->n_locks = n_locks;
    while ((version = dfi_load_relaxed(o)) & DFI_TM_LOCKED) {
        if (round == DFI_TM_SPINS) dfi_tm_commit_failed(t, DFI_TM_LOCK_FAILED, SIZE_MAX);
        dfi_tm_pause(round++);
    }
    if (version > t->time) { /* it may be in the read set, which must be valid after that version */
        if (!t->logs) dfi_tm_commit_failed(t, DFI_TM_TO_LOG, SIZE_MAX);
        now = dfi_tm_time_of(dfi_load_acquire(&dfi_stm.clock));
        changed = dfi_tm_first_changed(t);
        if (changed != dfi_tm_n_reads(t)) dfi_tm_commit_failed(t, DFI_TM_TOO_NEW, changed);
        t->time = now;
    }
    return version;
}

/* Locks the stripes of all writes. Waits for a lock are bounded while others are held, so there is no deadlock. */
DFI_INLINE void dfi_tm_lock_writes(struct dfi_tm *t)
{
    const uintptr_t mine = DFI_TM_LOCKED | (uintptr_t)t >> 1;
    const struct dfi_tm_write *w = t->writes, *end = w + t->n_writes;
    struct dfi_tm_lock *lock = t->locks;
    uintptr_t time = t->time;
    dfi_orec *last = NULL;
    for (; w < end; w++) {
        dfi_orec *o = dfi_tm_orec(t, w->at);
        uintptr_t version;
        if (o == last) continue;
        last = o;
        version = dfi_load_relaxed(o);
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
    t->n_locks = (size_t)(lock - t->locks);
}

/* Stores the writes of t, with the version `time`. pre: they are locked and the read set is valid, or t runs alone */
DFI_INLINE void dfi_tm_write_back(struct dfi_tm *t, uintptr_t time)
{
    const struct dfi_tm_write *w = t->writes, *end = w + t->n_writes;
    const struct dfi_tm_lock *lock = t->locks, *last = lock + t->n_locks;
    for (; w < end; w++) dfi_tm_apply(w);
    if (DFI_UNLIKELY(t->alone))
        for (w = t->writes; w < end; w++) dfi_store_release(dfi_tm_orec(t, w->at), time);
    for (; lock < last; lock++) dfi_store_release(lock->orec, time); /* release: the values */
    t->n_locks = 0;
}

/* Empties the log of reads of a block that kept one. needed: the commit needed it */
static DFI_NOINLINE void dfi_tm_end_log(struct dfi_tm *t, int needed)
{
    if (!needed && *t->prediction) --*t->prediction;
    dfi_tm_count_most(t, DFI_TM_MOST_READS, dfi_tm_n_reads(t));
    dfi_tm_forget_reads(t, 0);
    t->logs = 0;
}

/* Ends the block: counts it, and empties the log of reads. If it wrote it stays t->inner until the very end, for a
 * block in a signal handler. */
DFI_INLINE void dfi_tm_done(struct dfi_tm *t, struct dfi_tm_block *b, int needed)
{
    dfi_tm_end_reading(t);
    t->buffers = 0;
    b->open = 0;
    dfi_tm_count(t, DFI_TM_COMMITS);
    if (DFI_UNLIKELY(t->logs)) dfi_tm_end_log(t, needed);
    dfi_attempt(t->site, DFI_ATOMIC_COMMITTED);
}

/* The clock has advanced since the transaction's time: validates the read set. pre: the writes are locked */
static DFI_NOINLINE void dfi_tm_check_reads(struct dfi_tm *t, uintptr_t was)
{
    size_t changed;
    if (was & DFI_TM_ALONE) { /* another transaction is about to run alone */
        dfi_tm_unlock(t);
        dfi_tm_restart(t, DFI_TM_GIVES_WAY);
    }
    if (!t->logs) dfi_tm_commit_failed(t, DFI_TM_TO_LOG, SIZE_MAX);
    if ((changed = dfi_tm_first_changed(t)) != dfi_tm_n_reads(t)) dfi_tm_commit_failed(t, DFI_TM_CHANGED, changed);
}

/* Makes the writes of t visible. Returns the time of the commit, plus 1 if a log of reads was needed. */
DFI_INLINE uintptr_t dfi_tm_publish(struct dfi_tm *t)
{
    int alone = t->alone;
    uintptr_t was, time, needed;
    if (DFI_LIKELY(!alone)) dfi_tm_lock_writes(t);
    /* acq_rel: orders the locks of all commits before the validation of later ones; seq_cst: before the look at active
     * transactions, and at sleepers */
    was = dfi_fetch_add_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_TICK);
    needed = was != t->time && !alone;
    if (DFI_UNLIKELY(needed)) dfi_tm_check_reads(t, was);
    time = dfi_tm_time_of(was) + DFI_TM_TICK;
    /* the reads are valid at this time: threads that wait for reads of older times need not wait for the stores (but
     * later commits do); release: the reads */
    dfi_store_release(&t->active, time | 1);
    dfi_tm_count_most(t, DFI_TM_MOST_WRITES, t->n_writes);
    dfi_tm_count(t, DFI_TM_WROTE);
    dfi_tm_write_back(t, time);
    dfi_tm_clear_writes(t);
    return time | needed;
}

/* After a commit: wakes threads in df_retry whose read set has changed. */
DFI_INLINE void dfi_tm_wake_changed(void)
{
    /* seq_cst: after the change of the clock; pairs with the sleeper's, see dfi_tm_sleep_until */
    if (DFI_UNLIKELY(dfi_load_seq_cst(&dfi_stm.n_sleepers) != 0)) dfi_tm_wake(0);
}

/* --- memory freed by blocks that do not wait for quiescence ----------------------------------------- */

/* Allocations kept before the first look at active transactions; before a wait for them. */
enum { DFI_TM_FREED_LOOK = 64, DFI_TM_FREED_MOST = 4096 };

/* Frees the memory that no transaction can read any more. all: waits until that is all of it. */
static DFI_COLD void dfi_tm_free_old(struct dfi_tm *t, int all)
{
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    struct dfi_tm_threads *threads = dfi_load_seq_cst(&dfi_stm.threads);
    uintptr_t oldest = UINTPTR_MAX;
    size_t i, kept = 0, n = dfi_load_seq_cst(&threads->n);
    if (all && r->n_freed) dfi_tm_quiesce(t, r->freed[r->n_freed - 1].time); /* the latest */
    else
        for (i = 0; i < n; i++) { /* as in dfi_tm_quiesce */
            uintptr_t active = dfi_load_seq_cst(&threads->tm[i]->active);
            if (active && active - 1 < oldest && threads->tm[i] != t) oldest = active - 1;
        }
    for (i = 0; i < r->n_freed; i++)
        if (r->freed[i].time <= oldest) dfi_mfree(r->freed[i].p);
        else r->freed[kept++] = r->freed[i];
    r->n_freed = kept;
}

/* Frees p, which was unlinked at t->time, some time later. */
static DFI_COLD void dfi_tm_release_later(struct dfi_tm *t, void *p)
{
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    void *array = r->freed;
    if (r->n_freed >= DFI_TM_FREED_LOOK && r->n_freed % DFI_TM_FREED_LOOK == 0)
        dfi_tm_free_old(t, r->n_freed >= DFI_TM_FREED_MOST);
    if (r->n_freed == r->max_freed && dfi_tm_grow(t, &array, r->n_freed, &r->max_freed, sizeof *r->freed)) {
        dfi_tm_free_old(t, 1);
        dfi_tm_quiesce(t, t->time);
        dfi_mfree(p);
        return;
    }
    r->freed = (struct dfi_tm_freed *)array;
    r->freed[r->n_freed].p = p, r->freed[r->n_freed++].time = t->time;
}

/* --- end of a transaction ------------------------------------------------------------------------- */

/* Ends a block that is odd, frees memory or has handlers. time: of its commit, or 0. pre: dfi_tm_done() */
static DFI_NOINLINE void dfi_tm_end_odd(struct dfi_tm *t, uintptr_t time, int kind)
{
    struct dfi_tm_handlers h;
    if (t->odd) {
        dfi_tm_alone_end(t);
        t->attempts = 0, t->forgot = t->resumed = 0;
        t->odd = t->spare;
        if (t->spare) kind = 0;
    }
    if (time) {
        dfi_tm_wake_changed();
        if (!(kind & DFI_TM_UNWAITED)) dfi_tm_quiesce(t, time);
    }
    if (!(t->n_events | (size_t)t->spare)) {
        t->inner = NULL;
        return;
    }
    t->time = time;
    h = dfi_tm_take_events(t, kind & DFI_TM_UNWAITED ? dfi_tm_release_later : dfi_tm_release_now);
    t->inner = NULL;
    dfi_tm_spare_back(t);
    dfi_tm_call_handlers(h);
}

/* Ends a block with writes in its log. */
static DFI_NOINLINE void dfi_tm_commit(struct dfi_tm *t, struct dfi_tm_block *b)
{
    uintptr_t time;
    int kind;
    if (DFI_UNLIKELY(t->resumed)) dfi_tm_go_on(t);
    time = dfi_tm_publish(t);
    kind = b->kind;
    dfi_tm_done(t, b, (int)(time & 1));
    time = dfi_tm_time_of(time);
    if (DFI_UNLIKELY(t->n_events | (size_t)t->odd)) {
        dfi_tm_end_odd(t, time, kind);
        return;
    }
    dfi_tm_wake_changed();
    if (DFI_LIKELY(!(kind & DFI_TM_UNWAITED))) dfi_tm_quiesce_inline(t, time);
    t->inner = NULL;
}

/* Ends a block without writes in its log, but odd, or with events. */
static DFI_COLD void dfi_tm_commit_odd(struct dfi_tm *t, struct dfi_tm_block *b)
{
    uintptr_t time = 0;
    int kind = b->kind;
    size_t i;
    if (t->direct) {
        time = t->time;
        dfi_tm_count(t, DFI_TM_WROTE);
    }
    for (i = 0; i < t->n_events && !time; i++)
        if (t->events[i].kind == DFI_TM_FREED) time = dfi_tm_tick(); /* active transactions may still read it */
    dfi_tm_done(t, b, 0);
    dfi_tm_end_odd(t, time, kind);
}

/* Ends a transaction whose blocks were all left, and their stack frames are gone. */
static DFI_COLD void dfi_tm_give_up(struct dfi_tm *t)
{
    struct dfi_tm_block b;
    if (t->direct) { /* its effects cannot be rolled back: it commits */
        memset(&b, 0, sizeof b);
        dfi_tm_commit_odd(t, &b);
        return;
    }
    dfi_tm_take_back(t);
    dfi_tm_alone_end(t);
    t->attempts = 0;
    t->odd = t->spare;
}

#endif
