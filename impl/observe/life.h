/* life.h - the observers and the control of schedules as modules of the pool (work/module.h) */
#ifndef DFI_OBSERVE_LIFE_H
#define DFI_OBSERVE_LIFE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../work/module.h"
#include "../work/types.h"
#include "events.h"
#include "record.h"
#include "schedule/baton.h"
#include "schedule/direct.h"
#include "stall/life.h"
#include "stats/life.h"
#include "trace/life.h"

DFI_SMALL_CODE_BEGIN

static void dfi_module_chains(const struct dfi_moment *m)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    struct dfi_chains *c;
    if (m->is != DFI_WORKER_IS_NEW && m->is != DFI_THREAD_UNWINDS) return;
    c = dfi_chains_of(m->w);
    if (m->is == DFI_WORKER_IS_NEW) c->lock = fresh;
    dfi_store_relaxed(&c->running, (struct dfi_body *)NULL);
    dfi_os_lock(&c->lock);
    c->waits = NULL;
    dfi_os_unlock(&c->lock);
}

static void dfi_module_stall(const struct dfi_moment *m)
{
    double seconds, asked;
    switch (m->is) {
    case DFI_POOL_BEGINS:
        seconds = dfi_env_stall(), asked = m->config ? m->config->stall : 0;
        dfi_stall_begin(asked > 0 ? asked : asked < 0 ? 0 : seconds); /* negative: none, whatever the variable says */
        break;
    case DFI_POOL_STARTED: dfi_stall_start(); break;
    case DFI_STOP_CALLED:
    case DFI_STOP_AT_EXIT:
    case DFI_STOP_ABANDONED:
        if (dfi_stall_on()) dfi_stall_end();
        break;
    case DFI_FORK_CHILD: dfi_stall_forked(); break;
    default: break;
    }
}

/* From now on attempts of atomic blocks are reported, if there are events. */
static void dfi_attempts_watch(void)
{
    if (dfi_recorded()) dfi_store_release(&dfi_attempt_hook, &dfi_watch_attempt);
}

static void dfi_module_trace(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_POOL_BEGINS:
        dfi_trace_begin(m->config ? m->config->trace : NULL, dfi_pool.n_planned);
        dfi_attempts_watch();
        break;
    case DFI_STOP_CALLED:
    case DFI_STOP_AT_EXIT:
    case DFI_STOP_ABANDONED: /* then workers may still run */
        if (!dfi_recorded()) break;
        dfi_store_release(&dfi_attempt_hook, (dfi_attempt_fn *)NULL);
        dfi_events_end();
        dfi_trace_end();
        break;
    case DFI_POOL_FORGETS:
        dfi_trace_forget();
        dfi_events_forget();
        dfi_reporter_forget(0);
        break;
    case DFI_WORKER_TAKEN: dfi_events_of(m->w)->slot = (int)dfi_slot_of(m->w); break;
    case DFI_WORKER_FREED: dfi_mfree(dfi_load_relaxed(&dfi_events_of(m->w)->chunk)); break;
    case DFI_THREAD_HELPS:
    case DFI_THREAD_JOINS:
    case DFI_THREAD_ENDS: dfi_watch_thread(m->w, m->is - DFI_THREAD_HELPS); break;
    case DFI_FORK_PREPARE: dfi_events_fork(1); break;
    case DFI_FORK_PARENT: dfi_events_fork(0); break;
    case DFI_FORK_CHILD:
        dfi_events_forked();
        dfi_reporter_forget(1);
        break;
    default: break;
    }
}

static void dfi_module_stats(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_POOL_BEGINS:
        dfi_stats_begin(m->config ? m->config->stats : NULL);
        dfi_attempts_watch();
        break;
    case DFI_STOP_CALLED:
    case DFI_STOP_AT_EXIT:
    case DFI_STOP_ABANDONED: dfi_stats_end(); break;
    case DFI_POOL_FORGETS: dfi_report_close(&dfi_stats.out); break;
    default: break;
    }
}

static void dfi_module_schedule(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_POOL_BEGINS: dfi_direct_read(m->config); break;
    case DFI_POOL_READY: dfi_direct_begin(m->w); break;
    case DFI_POOL_STARTED: dfi_direct_settle(dfi_workers()); break;
    case DFI_POOL_ENDS: dfi_baton_end(); break;
    case DFI_POOL_FORGETS: dfi_baton_forget(); break;
    case DFI_WORKER_TAKEN: dfi_worker_directed(m->w); break;
    case DFI_FORK_CHILD:
        dfi_watch(dfi_observer_direct, 0);
        dfi_baton_forked();
        break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
