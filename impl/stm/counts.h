/* counts.h - what is counted, for each thread and, with DF_STATS, for each block */
#ifndef DFI_STM_COUNTS_H
#define DFI_STM_COUNTS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/stm_core.h"

/* Reasons to run again first. */
enum { DFI_TM_LOCK_FAILED, DFI_TM_TOO_NEW, DFI_TM_CHANGED, DFI_TM_TO_LOG, DFI_TM_BY_USER, DFI_TM_GIVES_WAY,
       DFI_TM_COMMITS, DFI_TM_WROTE, DFI_TM_EXTENSIONS, DFI_TM_SLEPT, DFI_TM_RAN_ALONE, DFI_TM_MOST_READS, DFI_TM_MOST_WRITES };
DFI_STATIC_ASSERT(DFI_TM_MOST_WRITES + 1 == DFI_TM_COUNTS, "api/stm_core.h: DFI_TM_COUNTS");

#ifndef DF_STATS
#define DF_STATS 0
#endif

#if DF_STATS
struct dfi_tm_site { const char *site; struct dfi_tm_counts counts; };
static struct dfi_tm_counts *dfi_tm_site_counts(struct dfi_tm *t);
#endif

/* Only the owner adds. */
DFI_INLINE void dfi_tm_add(DFI_ATOMIC(uint64_t) *c, uint64_t n) { dfi_store_relaxed(c, dfi_load_relaxed(c) + n); }

DFI_INLINE void dfi_tm_count(struct dfi_tm *t, int what)
{
    dfi_tm_add(&t->counts.n[what], 1);
#if DF_STATS
    dfi_tm_add(&dfi_tm_site_counts(t)->n[what], 1);
#endif
}

DFI_INLINE void dfi_tm_count_most(struct dfi_tm *t, int what, size_t n)
{
    if (n > dfi_load_relaxed(&t->counts.n[what])) dfi_store_relaxed(&t->counts.n[what], (uint64_t)n);
#if DF_STATS
    {
        struct dfi_tm_counts *c = dfi_tm_site_counts(t);
        if (n > dfi_load_relaxed(&c->n[what])) dfi_store_relaxed(&c->n[what], (uint64_t)n);
    }
#endif
}

#endif
