/* stats.h - df_stm_stats and df_stm_sites */
#ifndef DFI_STM_STATS_H
#define DFI_STM_STATS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/wait.h"
#include "../api/result.h"
#include "../api/stm_core.h"
#include "counts.h"
#include "state.h"
#include "../../df_stm.h"

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

#if DF_STATS
static struct dfi_tm_site *dfi_tm_site_of(struct dfi_tm_site *sites, size_t max, const char *site)
{
    size_t i = ((uintptr_t)site ^ (uintptr_t)site >> 7) & (max - 1);
    while (sites[i].site && sites[i].site != site) i = (i + 1) & (max - 1);
    return &sites[i];
}

static struct dfi_tm_counts *dfi_tm_site_counts(struct dfi_tm *t)
{
    static struct dfi_tm_counts without_memory;
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    struct dfi_tm_site *s = r->max_sites ? dfi_tm_site_of(r->sites, r->max_sites, t->site) : NULL, *more;
    size_t max = r->max_sites ? 2 * r->max_sites : 32, i;
    if (s && s->site) return &s->counts;
    if (2 * (r->n_sites + 1) > r->max_sites) {
        if (!(more = (struct dfi_tm_site *)dfi_malloc(max * sizeof *more))) return &without_memory;
        memset(more, 0, max * sizeof *more);
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

DFI_EXTERN_C_BEGIN
DFI_API df_result df_stm_stats(df_stm_counters *c)
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

DFI_API df_result df_stm_sites(void (*fn)(void *arg, const char *site, const df_stm_counters *counters), void *arg)
{
#if DF_STATS
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

/* For df_stats. */
static void dfi_tm_totals(uint64_t *transactions, uint64_t *aborts)
{
    df_stm_counters c;
    df_stm_stats(&c);
    *transactions = c.commits;
    *aborts = c.locked + c.too_new + c.changed + c.to_log + c.gave_way + c.by_user;
}

#endif
