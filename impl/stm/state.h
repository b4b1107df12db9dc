/* state.h - what all transactions share; time; waiting for other transactions
 *
 * Argument: docs/stm.md, "Time" and "Quiescence". */
#ifndef DFI_STM_STATE_H
#define DFI_STM_STATE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../os/wait.h"
#include "../api/stm_core.h"
#include "counts.h"

enum { DFI_TM_ALONE = 1, DFI_TM_TICK = 4 }; /* low bits of the clock: a transaction runs alone; one commit */

/* The clock wraps around here: all versions begin anew. */
#define DFI_TM_CLOCK_END (DFI_TM_LOCKED - ((uintptr_t)DFI_TM_TICK << 20)) /* later only by who began before */
#ifndef DF_STM_CLOCK /* where it begins: for tests, implementation file only */
#define DF_STM_CLOCK DFI_TM_TICK
#endif

struct dfi_tm_threads { struct dfi_tm **tm; DFI_ATOMIC(size_t) n; size_t max; struct dfi_tm_threads *older; };

enum { DFI_TM_FEW = 8 };                       /* writes searched one by one: about what a look into the hash table costs */
enum { DFI_TM_READS = 512, DFI_TM_WRITES = 64 }; /* room in the first logs; 2^7 buckets */
/* Memory freed by a block that did not wait: waits until no transaction is of an older time. */
struct dfi_tm_freed { void *p; uintptr_t time; };

/* A thread's record with its first logs, in one piece. */
struct dfi_tm_room {
    struct dfi_tm tm; /* first */
    dfi_orec *reads[DFI_TM_READS];
    struct dfi_tm_write writes[DFI_TM_WRITES];
    struct dfi_tm_lock locks[DFI_TM_WRITES];
    struct dfi_tm_bucket buckets[2 * DFI_TM_WRITES];
    struct dfi_tm_freed *freed; /* in the order of time */
    size_t n_freed, max_freed;
#if DF_STATS
    struct dfi_tm_site *sites; /* by hash; growing it, and reading another thread's: life_lock */
    size_t n_sites, max_sites;
#endif
};
static struct dfi_tm_room *dfi_tm_room_of(struct dfi_tm *t) { return (struct dfi_tm_room *)(void *)t; }

static struct dfi_tm *dfi_tm_here(void) { return dfi_tm_self; }

/* Frees an array of t, unless it is in its room. */
static void dfi_tm_drop(struct dfi_tm *t, void *array)
{
    if ((uintptr_t)array - (uintptr_t)t >= sizeof(struct dfi_tm_room)) dfi_mfree(array);
}

struct dfi_stm {
    DFI_ATOMIC(uintptr_t) clock;   /* the time: DFI_TM_TICK for each commit; and DFI_TM_ALONE */
    char line[64 - sizeof(uintptr_t)];
    DFI_ATOMIC(struct dfi_tm_threads *) threads; /* all records; one that is outgrown stays, as others may be reading it */
    DFI_ATOMIC(size_t) spare_unused; /* 1 until the first of them, the spare one, is needed */
    DFI_ATOMIC(int) n_sleepers;    /* threads in df_retry */
    struct dfi_tm_sleep *sleepers; /* sleep_lock */
    struct dfi_tm *free;           /* records of threads that ended; life_lock */
    int fork_handlers;
    struct dfi_os_mutex life_lock, sleep_lock;
    struct dfi_os_mutex alone_lock; /* held by who runs alone */
    struct dfi_os_mutex spare_lock; /* held by who uses the spare record */
    void *rooms;                   /* the memory of records, each beginning with the one before: what leak checkers follow */
};

DFI_EXTERN_C_BEGIN
/* What a thread without a record sees: its first access takes the long way. */
DFI_API struct dfi_tm dfi_tm_nobody;
DFI_API DFI_TLS struct dfi_tm *dfi_tm_self = &dfi_tm_nobody;
DFI_API dfi_orec dfi_tm_orecs[DFI_TM_ORECS];
/* For threads without memory for a record, one block at a time. */
DFI_API DFI_ALIGNED(64) struct dfi_tm_room dfi_tm_spare;
DFI_API struct dfi_tm *dfi_tm_first_records[32] = { &dfi_tm_spare.tm };
DFI_API struct dfi_tm_threads dfi_tm_first_threads = { dfi_tm_first_records, 1, 32, NULL };
DFI_API DFI_ALIGNED(64) struct dfi_stm dfi_stm = {
    DF_STM_CLOCK, { 0 }, &dfi_tm_first_threads, 1, 0, NULL, NULL, 0,
    DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, NULL
};
DFI_EXTERN_C_END

/* The time that a clock shows. */
DFI_INLINE uintptr_t dfi_tm_time_of(uintptr_t clock) { return clock & ~(uintptr_t)(DFI_TM_TICK - 1); }

/* A time of its own. seq_cst: before a look at who is active. */
static uintptr_t dfi_tm_tick(void)
{
    return dfi_tm_time_of(dfi_fetch_add_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_TICK)) + DFI_TM_TICK;
}

/* Waits a little longer each time. */
static void dfi_tm_pause(unsigned round)
{
    unsigned i;
    if (round >= 12) dfi_os_yield(); /* whoever is waited for may not have a processor */
    else
        for (i = 0; i < 1u << (round < 6 ? round : 6); i++) dfi_os_pause();
}

/* --- who is active -------------------------------------------------------------------------------- */

/* Looks before the first pause, which is longer than a short block: with pauses from the beginning two threads that
 * increment took 65 ns instead of 45 (bench/README.md). */
enum { DFI_TM_LOOKS = 200 };

static DFI_NOINLINE void dfi_tm_wait_for(struct dfi_tm *u, uintptr_t time)
{
    unsigned round = 0;
    uintptr_t active;
    while ((active = dfi_load_seq_cst(&u->active)) != 0 && active - 1 < time) {
        if (++round > DFI_TM_LOOKS) dfi_tm_pause(round - DFI_TM_LOOKS + 5);
        if (round % 16 == 0 && dfi_load_relaxed(&u->newest)) {
            dfi_store_relaxed(&u->asked, 1);
            dfi_store_relaxed(&u->newest, (uintptr_t)0);
        }
    }
}

/* Waits until no other transaction has a time before `time`. What they read is then finished, or was
 * looked at again and found unchanged. */
DFI_INLINE void dfi_tm_quiesce(struct dfi_tm *t, uintptr_t time)
{
    /* seq_cst: after our change of the clock; pairs with the store in dfi_tm_attach_record */
    struct dfi_tm_threads *all = dfi_load_seq_cst(&dfi_stm.threads);
    size_t i, n = dfi_load_seq_cst(&all->n);
    for (i = dfi_load_seq_cst(&dfi_stm.spare_unused); i < n; i++) {
        struct dfi_tm *u = all->tm[i];
        /* seq_cst: after our change of the clock, see dfi_tm_begin_reading; acquire: pairs with the release of
         * `active`: what that transaction read or wrote comes before what we do next */
        uintptr_t active = dfi_load_seq_cst(&u->active);
        if (DFI_UNLIKELY(active - 1 < time) && active && u != t) dfi_tm_wait_for(u, time);
    }
}

static void dfi_tm_set_newest(struct dfi_tm *t) { dfi_store_relaxed(&t->newest, t->direct ? (uintptr_t)0 : t->time | 1); }

static void dfi_tm_reset_clock(struct dfi_tm *t);

/* Somebody is alone, or the clock is at its end. */
static DFI_COLD uintptr_t dfi_tm_begin_later(struct dfi_tm *t, uintptr_t now)
{
    unsigned round = 0;
    for (;;) {
        if (t->alone || (!(now & DFI_TM_ALONE) && now < DFI_TM_CLOCK_END)) return dfi_tm_time_of(now);
        dfi_store_release(&t->active, (uintptr_t)0);
        if (!(now & DFI_TM_ALONE)) dfi_tm_reset_clock(t);
        else if (round < 40) dfi_tm_pause(round++);
        else { /* until it is over */
            dfi_os_lock(&dfi_stm.alone_lock);
            dfi_os_unlock(&dfi_stm.alone_lock);
        }
        dfi_exchange_seq_cst(&t->active, (uintptr_t)1); /* as below */
        now = dfi_load_seq_cst(&dfi_stm.clock);
    }
}

/* From here on others see the transaction. */
DFI_INLINE void dfi_tm_begin_reading(struct dfi_tm *t)
{
    uintptr_t now;
    /* seq_cst, both: either who quiesces sees that we are active, or we see its change of the clock, and with it
     * (acquire) its locks */
    dfi_exchange_seq_cst(&t->active, (uintptr_t)1);
    now = dfi_load_seq_cst(&dfi_stm.clock);
    if (DFI_UNLIKELY(now & DFI_TM_ALONE || now >= DFI_TM_CLOCK_END)) now = dfi_tm_begin_later(t, now);
    t->time = now;
    dfi_store_release(&t->active, now | 1);
    dfi_store_relaxed(&t->newest, now | 1);
}

/* release: what was read and written, to who quiesces */
DFI_INLINE void dfi_tm_end_reading(struct dfi_tm *t)
{
    dfi_store_relaxed(&t->newest, (uintptr_t)0);
    dfi_store_release(&t->active, (uintptr_t)0);
}

/* --- alone ---------------------------------------------------------------------------------------- */

/* All others are out, and wait at their begin. pre: the lock. */
static void dfi_tm_keep_out(struct dfi_tm *t)
{
    dfi_fetch_add_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_ALONE);
    dfi_tm_quiesce(t, UINTPTR_MAX);
}

static void dfi_tm_let_in(void)
{
    dfi_fetch_sub_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_ALONE);
    dfi_os_unlock(&dfi_stm.alone_lock);
}

/* pre: t is not active */
static void dfi_tm_alone_begin(struct dfi_tm *t)
{
    dfi_os_lock(&dfi_stm.alone_lock);
    dfi_tm_keep_out(t);
    t->alone = t->odd = 1;
    dfi_tm_count(t, DFI_TM_RAN_ALONE);
}

static void dfi_tm_alone_end(struct dfi_tm *t)
{
    if (!t->alone) return;
    t->alone = t->direct = 0;
    dfi_tm_let_in();
}

#endif
