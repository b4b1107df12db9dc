/* life.h - settings of dataflow, and dataflow at start, end and fork of the pool, and at the end of threads */
#ifndef DFI_FLOW_LIFE_H
#define DFI_FLOW_LIFE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/hooks.h"
#include "../work/module.h"
#include "../work/pool.h"
#include "../work/settings.h"
#include "../work/types.h"
#include "careful.h"
#include "queue.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

/* The process ends, and s, the bottom scope of the thread that ends it, may have unfinished tasks. */
static void dfi_flow_exits(struct dfi_scope *s)
{
    long pending = (long)(s->submitted - s->done) + (long)dfi_load_acquire(&s->pending);
    if (pending > 0)
        dfi_warn("the program ends with %ld unfinished task%s of df_submit: tasks that have not started are dropped; "
                 "call df_wait() before main returns", pending, pending == 1 ? "" : "s");
}
#define dfi_up_exits_by , dfi_flow_exits

/* --- settings ----------------------------------------------------------------------------------- */

enum {
    DFI_WINDOW_DEFAULT = 2048, /* unfinished children: their records fit into a 1 MB second-level cache */
    DFI_WINDOW_MOST = 1 << 26
};
static int dfi_flow_defer; /* pool lock */

#if defined(DF_SERIAL)
static void dfi_flow_begin(const df_config *c)
{
    dfi_flow_pool.window = c && c->window ? c->window : (size_t)DFI_WINDOW_DEFAULT;
}
#else
static void dfi_flow_begin(const df_config *c) { (void)c; }
static const struct dfi_setting dfi_flow_settings[] = {
    { "window", "DF_WINDOW", offsetof(df_config, window), DFI_SETTING_SIZE, 1, DFI_WINDOW_MOST, DFI_WINDOW_DEFAULT,
      "a number of tasks from 1 to 67108864", &dfi_flow_pool.window },
    { "defer", "DF_DEFER", offsetof(df_config, defer), DFI_SETTING_FLAG, 0, 1, 0, "0 or 1", &dfi_flow_defer },
    { NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL }
};
#endif

/* --- module ------------------------------------------------------------------------------------- */

static const struct dfi_queue dfi_queue_empty = { DFI_OS_MUTEX_INIT, NULL, 0, 0, 0 };

static void dfi_module_flow(const struct dfi_moment *m)
{
    struct dfi_flow_worker *f = m->w ? dfi_tasks_of(m->w) : NULL;
    switch (m->is) {
    case DFI_POOL_BEGINS: dfi_flow_begin(m->config); break;
    case DFI_POOL_READY:
        dfi_careful_begin(dfi_flow_defer);
        dfi_store_release(&dfi_may_block_hook, &dfi_run_now_ends); /* release: relaxed would do */
        break;
    case DFI_POOL_FORGETS: dfi_store_release(&dfi_may_block_hook, (dfi_may_block_fn *)NULL); break;
    case DFI_WORKER_COUNTS:
        m->counters->tasks += dfi_load_relaxed(&f->n_tasks);
        m->counters->edges += dfi_load_relaxed(&f->n_edges);
        m->counters->skipped += dfi_load_relaxed(&f->n_skipped);
        break;
    case DFI_WORKER_IS_NEW:
        f->opts = NULL, f->reg_task = NULL, f->reg_access = NULL;
        f->now = NULL, f->nest = 0;
        f->pinned = dfi_queue_empty;
        break;
    case DFI_WORKER_FREED: dfi_mfree(f->lazy_room); break;
    case DFI_THREAD_UNWINDS: dfi_create(m->w), f->opts = NULL, f->reg_task = NULL, f->reg_access = NULL; break;
    case DFI_THREAD_UNWOUND: f->now = NULL, f->nest = 0, m->w->hot.lazy_at = f->lazy_room, dfi_lazy_ask(m->w); break;
    case DFI_FORK_CHILD: dfi_flow_pool.queue = dfi_queue_empty; break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
