/* state.h - records of threads, state shared by all transactions, counters
 *
 * A record describes the transactions of one thread, and is used again after the thread's end. Memory is guarded by
 * a table of ownership records, which is allocated for the first atomic block; each record has a copy of its
 * address. Argument: docs/stm.md, docs/memory-order.md. */
#ifndef DFI_STM_STATE_H
#define DFI_STM_STATE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../os/wait.h"
#include "../api/result.h"
#include "../api/stm_core.h"
#include "../api/hooks.h"
#include "../../df_stm.h"

enum { DFI_TM_ALONE = 1, DFI_TM_TICK = 4 }; /* lowest bit of the clock: a transaction runs alone; step of one commit */

/* The clock wraps around here: all versions begin anew. */
#define DFI_TM_CLOCK_END (DFI_TM_LOCKED - ((uintptr_t)DFI_TM_TICK << 20)) /* only earlier transactions see later ones */
#ifndef DF_STM_CLOCK
#define DF_STM_CLOCK DFI_TM_TICK
#endif

/* 2^12 to 2^22 ownership records made no difference in structures below 1 MB. 2^18 keep apart the stripes of 8 MB,
 * in 2 MB. */
#ifndef DF_STM_ORECS
#define DF_STM_ORECS 262144
#endif
DFI_STATIC_ASSERT(DF_STM_ORECS > 0 && (DF_STM_ORECS & (DF_STM_ORECS - 1)) == 0 && DF_STM_ORECS <= 1 << 28,
                  "df_stm.h: DF_STM_ORECS must be a power of 2, of at most 28");
enum { DFI_TM_FEW_ORECS = 64 }; /* in static memory, for programs without memory for a table */

/* DF_STM_SITES, implementation file only: counters for each block. */
#ifndef DF_STM_SITES
#define DF_STM_SITES 0
#endif

struct dfi_tm_threads { struct dfi_tm **tm; DFI_ATOMIC(size_t) n; size_t max; struct dfi_tm_threads *older; };

/* Memory freed by a block that did not wait for quiescence: kept until no transaction has an older time. */
struct dfi_tm_freed { void *p; uintptr_t time; };
struct dfi_tm_site { const char *site; struct dfi_tm_counts counts; };

enum { DFI_TM_READS = 512, DFI_TM_WRITES = 64 }; /* capacity of the first logs; 2^7 buckets */

/* A thread's record with its first logs, in one piece. */
struct dfi_tm_room {
    struct dfi_tm tm; /* first */
    dfi_orec *reads[DFI_TM_READS];
    struct dfi_tm_write writes[DFI_TM_WRITES];
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
    DFI_ATOMIC(uintptr_t) clock;   /* the time: DFI_TM_TICK for each commit; and DFI_TM_ALONE */
    char line[64 - sizeof(uintptr_t)];
    DFI_ATOMIC(struct dfi_tm_threads *) threads; /* all records; outgrown arrays are kept, threads may read them */
    DFI_ATOMIC(size_t) spare_unused; /* 1 until the first record, the spare one, is needed */
    DFI_ATOMIC(int) n_sleepers;    /* threads in df_retry */
    struct dfi_tm_sleep *sleepers; /* sleep_lock */
    struct dfi_tm *free;           /* records of threads that ended; life_lock */
    dfi_orec *orecs;               /* the table, NULL before the first block; life_lock */
    uintptr_t orec_mask;           /* see struct dfi_tm */
    void *orec_room;               /* its memory; NULL: static */
    int fork_handlers;
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
DFI_API struct dfi_tm dfi_tm_nobody = { 0, 0, 0, { 0 }, 0, dfi_tm_few_orecs, 0 };
DFI_TM_PARTLY_END
DFI_API DFI_TLS struct dfi_tm *dfi_tm_self = &dfi_tm_nobody;
/* The record of threads without memory for one, used for one block at a time. */
DFI_API DFI_ALIGNED(64) struct dfi_tm_room dfi_tm_spare;
DFI_API struct dfi_tm *dfi_tm_first_records[32] = { &dfi_tm_spare.tm };
DFI_API struct dfi_tm_threads dfi_tm_first_threads = { dfi_tm_first_records, 1, 32, NULL };
DFI_API DFI_ALIGNED(64) struct dfi_stm dfi_stm = {
    DF_STM_CLOCK, { 0 }, &dfi_tm_first_threads, 1, 0, NULL, NULL, NULL, 0, NULL, 0,
    DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, DFI_OS_MUTEX_INIT, NULL
};
DFI_EXTERN_C_END

static struct dfi_tm_room *dfi_tm_room_of(struct dfi_tm *t) { return (struct dfi_tm_room *)(void *)t; }

static struct dfi_tm *dfi_tm_here(void) { return dfi_tm_self; }

/* Frees an array of t, unless it is one of the first logs. */
static void dfi_tm_drop(struct dfi_tm *t, void *array)
{
    if ((uintptr_t)array - (uintptr_t)t >= sizeof(struct dfi_tm_room)) dfi_mfree(array);
}

/* Makes t the record of the calling thread. */
static void dfi_tm_be(struct dfi_tm *t)
{
    dfi_tm_self = t;
    dfi_block_here = (void **)(void *)&t->inner;
}

/* Releases the spare record after a block, if that is the one of the calling thread. */
static void dfi_tm_spare_back(struct dfi_tm *t)
{
    if (DFI_LIKELY(!t->spare) || dfi_tm_self != t) return;
    dfi_tm_be(&dfi_tm_nobody);
    dfi_os_unlock(&dfi_stm.spare_lock);
}

/* --- counters ------------------------------------------------------------------------------------- */

/* Reasons to abort first. */
enum { DFI_TM_LOCK_FAILED, DFI_TM_TOO_NEW, DFI_TM_CHANGED, DFI_TM_TO_LOG, DFI_TM_BY_USER, DFI_TM_GIVES_WAY,
       DFI_TM_COMMITS, DFI_TM_WROTE, DFI_TM_EXTENSIONS, DFI_TM_SLEPT, DFI_TM_RAN_ALONE,
       DFI_TM_MOST_READS, DFI_TM_MOST_WRITES };
DFI_STATIC_ASSERT(DFI_TM_MOST_WRITES + 1 == DFI_TM_COUNTS, "api/stm_core.h: DFI_TM_COUNTS");

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
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    struct dfi_tm_site *s = r->max_sites ? dfi_tm_site_of(r->sites, r->max_sites, t->site) : NULL, *more;
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
        s = dfi_tm_site_of(r->sites, r->max_sites, t->site);
    }
    dfi_os_lock(&dfi_stm.life_lock);
    s->site = t->site;
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

static void dfi_tm_add_counts(df_stm_counters *c, const struct dfi_tm_counts *counts)
{
    uint64_t n[DFI_TM_COUNTS];
    int i;
    for (i = 0; i < DFI_TM_COUNTS; i++) n[i] = dfi_load_relaxed(&counts->n[i]);
    c->commits += n[DFI_TM_COMMITS], c->read_only += n[DFI_TM_COMMITS] - n[DFI_TM_WROTE];
    c->locked += n[DFI_TM_LOCK_FAILED], c->too_new += n[DFI_TM_TOO_NEW], c->changed += n[DFI_TM_CHANGED];
    c->to_log += n[DFI_TM_TO_LOG], c->by_user += n[DFI_TM_BY_USER], c->gave_way += n[DFI_TM_GIVES_WAY];
    c->retries += n[DFI_TM_SLEPT], c->extensions += n[DFI_TM_EXTENSIONS], c->alone += n[DFI_TM_RAN_ALONE];
    if (n[DFI_TM_MOST_READS] > c->most_reads) c->most_reads = n[DFI_TM_MOST_READS];
    if (n[DFI_TM_MOST_WRITES] > c->most_writes) c->most_writes = n[DFI_TM_MOST_WRITES];
}

DFI_EXTERN_C_BEGIN
DFI_API DFI_COLD df_result df_stm_stats(df_stm_counters *c)
{
    struct dfi_tm_threads *all;
    size_t i;
    memset(c, 0, sizeof *c);
    dfi_os_lock(&dfi_stm.life_lock);
    all = dfi_load_relaxed(&dfi_stm.threads);
    for (i = 0; i < dfi_load_relaxed(&all->n); i++) dfi_tm_add_counts(c, &all->tm[i]->counts);
    dfi_os_unlock(&dfi_stm.life_lock);
    return DF_OK;
}

DFI_API DFI_COLD df_result df_stm_sites(void (*fn)(void *arg, const char *site, const df_stm_counters *counters),
                                        void *arg)
{
#if DF_STM_SITES
    struct site { const char *site; df_stm_counters counters; } *found = NULL;
    size_t n = 0, max = 0, i, k, j;
    struct dfi_tm_threads *all;
    dfi_os_lock(&dfi_stm.life_lock);
    all = dfi_load_relaxed(&dfi_stm.threads);
    for (i = 0; i < dfi_load_relaxed(&all->n); i++) max += dfi_tm_room_of(all->tm[i])->n_sites;
    if (max && !(found = (struct site *)dfi_malloc(max * sizeof *found))) {
        dfi_os_unlock(&dfi_stm.life_lock);
        return DF_ERROR_MEMORY;
    }
    for (i = 0; i < dfi_load_relaxed(&all->n); i++) {
        struct dfi_tm_room *r = dfi_tm_room_of(all->tm[i]);
        for (k = 0; k < r->max_sites; k++) {
            if (!r->sites[k].site) continue;
            for (j = 0; j < n && strcmp(found[j].site, r->sites[k].site); j++) continue;
            if (j == n) memset(&found[n], 0, sizeof *found), found[n++].site = r->sites[k].site;
            dfi_tm_add_counts(&found[j].counters, &r->sites[k].counts);
        }
    }
    dfi_os_unlock(&dfi_stm.life_lock);
    for (i = 0; i < n; i++) fn(arg, found[i].site, &found[i].counters);
    dfi_mfree(found);
#else
    (void)fn, (void)arg;
#endif
    return DF_OK;
}
DFI_EXTERN_C_END

/* df_counters.transactions and aborts. */
static DFI_COLD void dfi_tm_totals(uint64_t *transactions, uint64_t *aborts)
{
    df_stm_counters c;
    df_stm_stats(&c);
    *transactions = c.commits;
    *aborts = c.locked + c.too_new + c.changed + c.to_log + c.gave_way + c.by_user;
}

#endif
