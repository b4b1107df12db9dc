/* stats.h - counters: totals over all threads, and of each block */
#ifndef DFI_STM_STATS_H
#define DFI_STM_STATS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/system.h"
#include "../api/result.h"
#include "../api/stm_core.h"
#include "events.h"
#include "state.h"
#include "../../df_stm.h"

DFI_SMALL_CODE_BEGIN
DFI_STATIC_ASSERT(sizeof(df_stm_counters) == DFI_TM_COUNTS * sizeof(uint64_t), "stm/state.h: the order of counters");

static void dfi_tm_add_counts(uint64_t *sum, const struct dfi_tm_counts *counts)
{
    int i;
    for (i = 0; i < DFI_TM_COUNTS; i++) {
        uint64_t n = dfi_load_relaxed(&counts->n[i]);
        if (i < DFI_TM_MOST_READS) sum[i] += n;
        else if (n > sum[i]) sum[i] = n;
    }
}

static void dfi_tm_give_counts(df_stm_counters *c, uint64_t *sum)
{
    sum[DFI_TM_WROTE] = sum[DFI_TM_COMMITS] - sum[DFI_TM_WROTE]; /* read_only */
    memcpy(c, sum, sizeof *c);
}

DFI_EXTERN_C_BEGIN
DFI_API DFI_COLD df_result df_stm_stats(df_stm_counters *c)
{
    uint64_t sum[DFI_TM_COUNTS] = { 0 };
    const struct dfi_tm *t;
    /* without a lock, because df_counters_get may hold that of the pool (docs/internals/locks.md, "Fork" 3); acquire:
     * pairs with dfi_tm_list */
    for (t = dfi_load_acquire(&dfi_stm.all); t; t = t->next) dfi_tm_add_counts(sum, &t->counts);
    dfi_tm_give_counts(c, sum);
    return DF_OK;
}

DFI_API DFI_COLD df_result df_stm_sites(void (*fn)(void *arg, const char *site, const df_stm_counters *counters),
                                        void *arg)
{
#if DF_STM_SITES
    struct site { const char *site; uint64_t sum[DFI_TM_COUNTS]; } *found = NULL;
    df_stm_counters counters;
    size_t n = 0, max = 0, i, k, j;
    struct dfi_tm *t;
    dfi_os_lock(&dfi_stm.life_lock);
    for (t = dfi_load_relaxed(&dfi_stm.all); t; t = t->next) max += dfi_tm_room_of(t)->n_sites;
    if (max && !(found = (struct site *)dfi_malloc(max * sizeof *found))) {
        dfi_os_unlock(&dfi_stm.life_lock);
        dfi_warn_once(DFI_MESSAGE_TM_MEMORY, "df_stm_sites");
        return DF_ERROR_MEMORY;
    }
    for (t = dfi_load_relaxed(&dfi_stm.all); t; t = t->next) {
        struct dfi_tm_room *r = dfi_tm_room_of(t);
        for (k = 0; k < r->max_sites; k++) {
            if (!r->sites[k].site) continue;
            for (j = 0; j < n && strcmp(found[j].site, r->sites[k].site); j++) continue;
            if (j == n) memset(&found[n], 0, sizeof *found), found[n++].site = r->sites[k].site;
            dfi_tm_add_counts(found[j].sum, &r->sites[k].counts);
        }
    }
    dfi_os_unlock(&dfi_stm.life_lock);
    for (i = 0; i < n; i++) {
        dfi_tm_give_counts(&counters, found[i].sum);
        fn(arg, found[i].site, &counters);
    }
    dfi_mfree(found);
#else
    (void)fn, (void)arg;
#endif
    return DF_OK;
}
DFI_EXTERN_C_END

/* df_counters.transactions and aborts. */
static void dfi_tm_totals(uint64_t *transactions, uint64_t *aborts)
{
    df_stm_counters c;
    df_stm_stats(&c);
    *transactions = c.commits;
    *aborts = c.locked + c.too_new + c.changed + c.to_log + c.gave_way + c.by_user;
}

DFI_SMALL_CODE_END

#endif
