/* state.h - state of optional features besides that of the pool: settings, counts, and what is behind a new worker */
#ifndef DFI_MORE_STATE_H
#define DFI_MORE_STATE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/env.h"
#include "../os/os.h"
#include "../work/module.h"
#include "../work/settings.h"
#include "../work/types.h"
#include "../flow/careful.h"
#include "../flow/types.h"
#include "types.h"

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_more_pool dfi_more;
DFI_EXTERN_C_END

/* Counts causes of cancellation: while there are any, each task checks before it begins, and none runs at once.
 * Threads: any. acq_rel: see dfi_scope_cancel. */
static void dfi_cancels(int by)
{
    dfi_fetch_add_acq_rel(&dfi_flow_pool.asks_begin, by);
    dfi_careful_add(by);
}
DFI_FAST int dfi_cancels_any(void) { return DFI_UNLIKELY(dfi_load_relaxed(&dfi_flow_pool.asks_begin)) != 0; }

/* Drops the task that was about to be created, or run immediately, because its block should not have been executed. */
static DFI_COLD void dfi_drop_next(struct dfi_worker *w)
{
    dfi_tasks_of(w)->ran_now = dfi_tasks_of(w)->opts ? DFI_DROPPED : 0; /* for dfi_with_end */
    dfi_tasks_of(w)->opts = NULL;
    dfi_count(&dfi_tally_of(w)->n_undone);
}

#if defined(DF_SERIAL) /* all have their defaults */
static void dfi_more_ready(void) {}
#else
enum {
    DFI_RENAME_MOST = 1 << 30, /* limit of the environment variable */
    DFI_PATIENCE_DEFAULT = 2,  /* seconds */
    /* iterations: the second hides the latency of the first decision, further ones cost more to roll back */
    DFI_SPECULATE_DEFAULT = 2,
    DFI_SPECULATE_MOST = 1000
};
/* The settings of the start that is in progress; pool lock. */
static struct dfi_more_set { size_t rename_bytes; int deterministic, ahead; } dfi_more_set;
static const struct dfi_setting dfi_more_settings[] = {
    { "rename_bytes", "DF_RENAME_BYTES", offsetof(df_config, rename_bytes), DFI_SETTING_BYTES, 0, DFI_RENAME_MOST, 0,
      "a number of bytes up to 1073741824", &dfi_more_set.rename_bytes },
    { "deterministic", "DF_DETERMINISTIC", offsetof(df_config, deterministic), DFI_SETTING_FLAG, 0, 1, 0, "0 or 1",
      &dfi_more_set.deterministic },
    { "patience", "DF_PATIENCE", offsetof(df_config, patience), DFI_SETTING_INT, 1, DFI_PATIENCE_MOST,
      DFI_PATIENCE_DEFAULT, "a number of seconds from 1 to 1000000", &dfi_more.patience },
    { "speculate", "DF_SPECULATE", offsetof(df_config, speculate), DFI_SETTING_OFF, 0, DFI_SPECULATE_MOST,
      DFI_SPECULATE_DEFAULT, "a number of turns from 0 to 1000", &dfi_more_set.ahead },
    { NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL }
};

static void dfi_more_ready(void)
{
    const struct dfi_more_set *s = &dfi_more_set;
    int renames = s->rename_bytes != 0, renamed = dfi_more.rename_bytes != 0;
    dfi_careful_add((s->deterministic != 0) - (dfi_more.deterministic != 0));
    dfi_more.deterministic = s->deterministic;
    dfi_more.rename_bytes = s->rename_bytes;
    dfi_fetch_add_relaxed(&dfi_flow_pool.asks, renames - renamed);
    dfi_flow_pool.asks_accesses = renames;
    dfi_more.ahead = s->ahead;
}
#endif

static void dfi_module_more(const struct dfi_moment *m)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    struct dfi_tally *t;
    switch (m->is) {
    case DFI_POOL_READY: dfi_more_ready(); break;
    case DFI_WORKER_COUNTS:
        t = dfi_tally_of(m->w);
        m->counters->renamings += dfi_load_relaxed(&t->n_renamings);
        m->counters->copies += dfi_load_relaxed(&t->n_copies);
        m->counters->speculated += dfi_load_relaxed(&t->n_early);
        m->counters->undone += dfi_load_relaxed(&t->n_undone);
        break;
    case DFI_WORKER_IS_NEW:
        dfi_holds_of(m->w)->lock = fresh;
        dfi_store_relaxed(&dfi_holds_of(m->w)->first, (struct dfi_on_hold *)NULL);
        break;
    case DFI_FORK_CHILD: /* the tasks that wait for something, and the code that could end a cancellation, are gone */
        dfi_store_relaxed(&dfi_more.holds, 0);
        dfi_store_relaxed(&dfi_flow_pool.opened, (struct dfi_edge *)NULL);
        dfi_cancels(-dfi_load_relaxed(&dfi_flow_pool.asks_begin));
        break;
    default: break;
    }
}

#endif
