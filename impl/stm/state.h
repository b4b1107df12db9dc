/* state.h - records of threads, state shared by all transactions, counters, reports to observers
 *
 * A record describes the transactions of one thread, and is used again after the thread's end. Memory is guarded by
 * a table of ownership records, which is allocated for the first atomic block; each record has a copy of its
 * address. Argument: docs/internals/stm.md, docs/internals/memory-order.md. */
#ifndef DFI_STM_STATE_H
#define DFI_STM_STATE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/system.h"
#include "../api/stm_checkpoint.h"
#include "../api/stm_core.h"
#include "../api/hooks.h"

enum { DFI_TM_TICK = 4 };          /* of the clock: one commit */
#define DFI_TM_ALONE DFI_TM_LOCKED /* bit of the clock: a transaction runs alone; the clock is then past its end */

/* The time that a clock shows. */
DFI_INLINE uintptr_t dfi_tm_time_of(uintptr_t clock) { return clock & ~DFI_TM_ALONE; }

/* The clock wraps around here: all versions begin anew. */
#define DFI_TM_CLOCK_END (DFI_TM_LOCKED - ((uintptr_t)DFI_TM_TICK << 20)) /* only earlier transactions see later ones */
#ifndef DF_STM_CLOCK
#define DF_STM_CLOCK DFI_TM_TICK
#endif
enum { DFI_TM_CLOCK_ENDS = sizeof(uintptr_t) < 8 || DF_STM_CLOCK != DFI_TM_TICK }; /* else after 2^61 commits */
DFI_STATIC_ASSERT(DF_STM_CLOCK % DFI_TM_TICK == 0, "df_stm.h: DF_STM_CLOCK must be a multiple of 4");

/* 2^12 to 2^22 ownership records made no difference in structures below 1 MB. 2^18 keep apart the stripes of 8 MB,
 * in 2 MB. */
#ifndef DF_STM_ORECS
#define DF_STM_ORECS 262144
#endif
DFI_STATIC_ASSERT(DF_STM_ORECS > 0 && (DF_STM_ORECS & (DF_STM_ORECS - 1)) == 0 && DF_STM_ORECS <= 1 << 28,
                  "df_stm.h: DF_STM_ORECS must be a power of 2, of at most 28");
enum { DFI_TM_FEW_ORECS = 64 }; /* in static memory, for programs without memory for a table */

/* DF_STM_ENGINE, implementation file only: docs/internals/stm.md, stm-values.md. */
#ifndef DF_STM_ENGINE
#define DF_STM_ENGINE DF_STM_RECORDS
#endif
DFI_STATIC_ASSERT(DF_STM_ENGINE == DF_STM_RECORDS || DF_STM_ENGINE == DF_STM_VALUES,
                  "df_stm.h: DF_STM_ENGINE must be DF_STM_RECORDS or DF_STM_VALUES");
/* WAITS: a block that wrote waits for those that may still load what it made private. With values these do not use what
 * they load, but sanitizers would report it. */
enum { DFI_TM_VALUES = DF_STM_ENGINE == DF_STM_VALUES, DFI_TM_WAITS = !DFI_TM_VALUES || DFI_SANITIZED };
/* FENCES: a block begins without a barrier of its own (dfi_os_fence_all). Not where the clock ends: a block that begins
 * could announce a time of before. */
enum { DFI_TM_FENCES = !DFI_TM_WAITS && !DFI_TM_CLOCK_ENDS };

/* DF_STM_SITES, implementation file only: counters for each block. */
#ifndef DF_STM_SITES
#define DF_STM_SITES 0
#endif

/* Memory freed by a block that did not wait for quiescence: kept until no transaction has an older time. */
struct dfi_tm_freed { void *p; uintptr_t time; };
struct dfi_tm_site { const char *site; struct dfi_tm_counts counts; };

/* A commit while df keeps statistics, kept until DFI_TM_LATEST later ones: dfi_tm_other. */
struct dfi_tm_committed { DFI_ATOMIC(uintptr_t) time; DFI_ATOMIC(const char *) site; DFI_ATOMIC(uint64_t) filter; };
enum { DFI_TM_LATEST = DFI_WITH_OBSERVERS ? 256 : 1 };

enum { DFI_TM_READS = 256, DFI_TM_WRITES = 64 }; /* capacity of the first logs; 2^7 buckets */
enum { DFI_TM_FEW = 8 }; /* writes searched linearly: costs about as much as a look into the hash table */

/* A thread's record with its first logs, in one piece. */
struct dfi_tm_room {
    struct dfi_tm tm; /* first */
    struct dfi_tm_read reads[DFI_TM_READS];
    struct dfi_tm_write writes[DFI_TM_WRITES]; /* the next two follow, see dfi_tm_lay_out */
    struct dfi_tm_lock locks[DFI_TM_WRITES];
    struct dfi_tm_bucket buckets[2 * DFI_TM_WRITES];
    struct dfi_tm_freed *freed; /* in the order of time */
    size_t n_freed, max_freed;
#if DF_STM_SITES
    struct dfi_tm_site *sites; /* a hash table; growing it, and reading another thread's: life_lock */
    size_t n_sites, max_sites;
#endif
};

struct dfi_stm {
    /* the time: DFI_TM_TICK for each commit; and DFI_TM_ALONE; with values also DFI_TM_LOCKED, while a commit stores */
    DFI_ATOMIC(uintptr_t) clock;
    char line[64 - sizeof(uintptr_t)];
    DFI_ATOMIC(struct dfi_tm *) all; /* all records in use, or used once, the last one first; insertion: life_lock */
    DFI_ATOMIC(int) n_sleepers;    /* threads in df_retry */
    struct dfi_tm_sleep *sleepers; /* sleep_lock */
    struct dfi_tm *free;           /* records of threads that ended; life_lock */
    dfi_orec *orecs;               /* the table, NULL before the first block; life_lock */
    uintptr_t orec_mask;           /* see struct dfi_tm */
    void *orec_room;               /* its memory; NULL: static */
    size_t n_attached;             /* records with a thread, and the spare one if it is in the list; life_lock */
    int spare_listed;              /* life_lock */
    DFI_ATOMIC(const void *) loader; /* an address in the module whose handlers of fork are registered */
    DFI_ATOMIC(int) fenced;        /* see struct dfi_tm; set before the first block */
    struct dfi_os_mutex life_lock, sleep_lock;
    struct dfi_os_mutex alone_lock; /* held by the thread that runs alone */
    struct dfi_os_mutex spare_lock; /* held by the thread that uses the spare record */
    void *rooms;                   /* the memory of records, each beginning with the previous one: for leak checkers */
};

/* Around a variable whose other members are 0. */
#if defined(__clang__) || DFI_GNU
#define DFI_TM_PARTLY_BEGIN _Pragma("GCC diagnostic push") \
    _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define DFI_TM_PARTLY_END   _Pragma("GCC diagnostic pop")
#else
#define DFI_TM_PARTLY_BEGIN
#define DFI_TM_PARTLY_END
#endif

DFI_EXTERN_C_BEGIN
DFI_API dfi_orec dfi_tm_few_orecs[DFI_TM_FEW_ORECS];
/* The record of a thread without one: `newest` is 0, so each access takes the slow path. Its orecs is never written. */
DFI_TM_PARTLY_BEGIN
DFI_API struct dfi_tm dfi_tm_nobody = { 0, 0, NULL, 0, 0, 0, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, dfi_tm_few_orecs, 0 };
DFI_TM_PARTLY_END
DFI_API DFI_TLS struct dfi_tm *dfi_tm_self = &dfi_tm_nobody;
/* The record of threads without memory for one, used for one block at a time. */
DFI_API DFI_ALIGNED(64) struct dfi_tm_room dfi_tm_spare;
DFI_API struct dfi_tm_committed dfi_tm_latest[DFI_TM_LATEST];
DFI_API DFI_ALIGNED(64) struct dfi_stm dfi_stm = {
    DF_STM_CLOCK, { 0 }, NULL, 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL, 0,
    DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, NULL
};
DFI_EXTERN_C_END

static struct dfi_tm_room *dfi_tm_room_of(struct dfi_tm *t) { return (struct dfi_tm_room *)(void *)t; }

static struct dfi_tm *dfi_tm_here(void) { return dfi_tm_self; }

/* The source line of the outermost block. relaxed: other threads, too, read it only to show it */
DFI_INLINE const char *dfi_tm_place(const struct dfi_tm *t) { return dfi_load_relaxed(&t->site); }
DFI_INLINE void dfi_tm_set_place(struct dfi_tm *t, const char *site) { dfi_store_relaxed(&t->site, site); }

/* Frees an array of t, unless it is one of the first logs. */
static DFI_NOINLINE void dfi_tm_drop(struct dfi_tm *t, void *array)
{
    if ((uintptr_t)array - (uintptr_t)t >= sizeof(struct dfi_tm_room)) dfi_mfree(array);
}

DFI_SMALL_CODE_BEGIN
/* Makes t the record of the calling thread. */
static DFI_NOINLINE void dfi_tm_be(struct dfi_tm *t)
{
    dfi_tm_self = t;
    dfi_block_here = (void **)(void *)&t->inner;
}
DFI_SMALL_CODE_END

/* Releases the spare record after a block, if that is the one of the calling thread. */
static void dfi_tm_spare_back(struct dfi_tm *t)
{
    if (DFI_LIKELY(t->spare != 1) || dfi_tm_self != t) return;
    dfi_tm_be(&dfi_tm_nobody);
    dfi_os_let_go(&dfi_stm.spare_lock);
}

/* --- counters ------------------------------------------------------------------------------------- */

/* In the order of df_stm_counters, but WROTE for read_only: see stats.h. */
enum {
    DFI_TM_COMMITS, DFI_TM_WROTE, DFI_TM_LOCK_FAILED, DFI_TM_TOO_NEW, DFI_TM_CHANGED, DFI_TM_TO_LOG, DFI_TM_GIVES_WAY,
    DFI_TM_BY_USER, DFI_TM_SLEPT, DFI_TM_EXTENSIONS, DFI_TM_RAN_ALONE, DFI_TM_MOST_READS, DFI_TM_MOST_WRITES
};
DFI_STATIC_ASSERT(DFI_TM_MOST_WRITES + 1 == DFI_TM_COUNTS, "api/stm_core.h: DFI_TM_COUNTS");
enum { DFI_TM_TO_HOW = (int)DFI_ATOMIC_LOCKED - (int)DFI_TM_LOCK_FAILED }; /* from a counter to DFI_ATOMIC_.. */
DFI_STATIC_ASSERT((int)DFI_TM_SLEPT + (int)DFI_TM_TO_HOW == (int)DFI_ATOMIC_RETRIED, "api/hooks.h: the order");

#if DF_STM_SITES
static struct dfi_tm_site *dfi_tm_site_of(struct dfi_tm_site *sites, size_t max, const char *site)
{
    size_t i = ((uintptr_t)site ^ (uintptr_t)site >> 7) & (max - 1);
    while (sites[i].site && sites[i].site != site) i = (i + 1) & (max - 1);
    return &sites[i];
}

/* The counters of the block that t runs. */
static struct dfi_tm_counts *dfi_tm_site_counts(struct dfi_tm *t)
{
    static struct dfi_tm_counts without_memory;
    const char *site = dfi_tm_place(t);
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    struct dfi_tm_site *s = r->max_sites ? dfi_tm_site_of(r->sites, r->max_sites, site) : NULL, *more;
    size_t max = r->max_sites ? 2 * r->max_sites : 32, i;
    if (s && s->site) return &s->counts;
    if (2 * (r->n_sites + 1) > r->max_sites) {
        if (!(more = (struct dfi_tm_site *)dfi_malloc(max * sizeof *more))) return &without_memory;
        memset((void *)more, 0, max * sizeof *more);
        for (i = 0; i < r->max_sites; i++)
            if (r->sites[i].site) *dfi_tm_site_of(more, max, r->sites[i].site) = r->sites[i];
        dfi_os_lock(&dfi_stm.life_lock);
        dfi_mfree(r->sites);
        r->sites = more, r->max_sites = max;
        dfi_os_unlock(&dfi_stm.life_lock);
        s = dfi_tm_site_of(r->sites, r->max_sites, site);
    }
    dfi_os_lock(&dfi_stm.life_lock);
    s->site = site;
    r->n_sites++;
    dfi_os_unlock(&dfi_stm.life_lock);
    return &s->counts;
}
#endif

/* relaxed: only the owner adds; readers want the number alone */
DFI_INLINE void dfi_tm_add(DFI_ATOMIC(uint64_t) *c, uint64_t n) { dfi_store_relaxed(c, dfi_load_relaxed(c) + n); }

DFI_INLINE void dfi_tm_count(struct dfi_tm *t, int what)
{
    dfi_tm_add(&t->counts.n[what], 1);
#if DF_STM_SITES
    dfi_tm_add(&dfi_tm_site_counts(t)->n[what], 1);
#endif
}

DFI_INLINE void dfi_tm_count_most(struct dfi_tm *t, int what, size_t n)
{
    if (n > dfi_load_relaxed(&t->counts.n[what])) dfi_store_relaxed(&t->counts.n[what], (uint64_t)n);
#if DF_STM_SITES
    {
        struct dfi_tm_counts *c = dfi_tm_site_counts(t);
        if (n > dfi_load_relaxed(&c->n[what])) dfi_store_relaxed(&c->n[what], (uint64_t)n);
    }
#endif
}

/* --- reports to observers: docs/internals/stm.md, "Details" ------------------------------------------ */

DFI_SMALL_CODE_BEGIN

/* Reports an attempt of the block that t runs to the observer. other: the block that was in the way, or NULL */
static DFI_COLD void dfi_tm_tell(struct dfi_tm *t, int how, const char *other)
{
    dfi_attempt(dfi_tm_place(t), how, other);
}

/* While there is an observer: t commits its writes at that time. */
static DFI_COLD void dfi_tm_note_commit(struct dfi_tm *t, uintptr_t time)
{
    struct dfi_tm_committed *c = &dfi_tm_latest[time / DFI_TM_TICK % DFI_TM_LATEST];
    dfi_store_relaxed(&c->site, dfi_tm_place(t));
    dfi_store_relaxed(&c->filter, t->direct ? UINT64_MAX : t->filter);
    dfi_store_release(&c->time, time); /* release: the other two, which a later commit may replace: then they are its */
}

/* While there is an observer: the block that is in the way of t, which is about to abort; or NULL: it is not known. */
static DFI_COLD const char *dfi_tm_other(struct dfi_tm *t)
{
    const int exact = !DFI_TM_VALUES && t->met; /* the last commit that wrote it is known */
    /* acquire: the commit noted itself before its release of the orec, or, with values, of the clock */
    uintptr_t time = dfi_load_acquire(exact ? (const dfi_orec *)(uintptr_t)t->met : &dfi_stm.clock), n;
    if (exact && time & DFI_TM_LOCKED) return dfi_tm_place((const struct dfi_tm *)(time << 1)); /* never freed */
    time = dfi_tm_time_of(time);
    for (n = 0; n < (exact ? 1 : DFI_TM_LATEST) && time > t->time; n++, time -= DFI_TM_TICK) {
        const struct dfi_tm_committed *c = &dfi_tm_latest[time / DFI_TM_TICK % DFI_TM_LATEST];
        if (dfi_load_acquire(&c->time) == time && /* acquire: the other two */
            (exact || !t->met || dfi_load_relaxed(&c->filter) >> dfi_tm_bit(t->met) & 1))
            return dfi_load_relaxed(&c->site);
    }
    return NULL;
}

DFI_SMALL_CODE_END

#endif
