/* life.h - the observers, checks and schedule control as modules of the pool (work/module.h) */
#ifndef DFI_OBSERVE_LIFE_H
#define DFI_OBSERVE_LIFE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../work/module.h"
#include "../work/settings.h"
#include "../work/types.h"
#include "check/check.h"
#include "check/declared.h"
#include "check/view.h"
#include "events.h"
#include "graph/file.h"
#include "graph/graph.h"
#include "graph/hook.h"
#include "probes.h"
#include "schedule/baton.h"
#include "schedule/direct.h"
#include "stall/report.h"
#include "stats/life.h"
#include "stats/perf.h"
#include "trace/life.h"
#include "../api/public.h"

DFI_SMALL_CODE_BEGIN

/* --- checks ------------------------------------------------------------------------------------- */

#if DF_CHECK
static void dfi_check_begin(struct dfi_settings *s, const df_config *c)
{
    (void)s, (void)c;
    dfi_check_reset(0);
}
static void dfi_check_exits(void) { dfi_check_reset(1); }
static void dfi_check_stop(struct dfi_worker *w, int how)
{
    (void)w;
    if (how == DFI_STOP_CALLED) dfi_check_reset(0);
}
static void dfi_check_worker(struct dfi_worker *w) { w->body = w->call = w->deepest = 0; /* a new stack */ }
static void dfi_check_fork(int when)
{
    if (when == DFI_FORK_PREPARE) dfi_check_fork_prepare();
    else if (when == DFI_FORK_PARENT) dfi_check_fork_parent();
    else dfi_check_fork_child();
}
static const struct dfi_module dfi_module_check = {
    dfi_check_begin, NULL, NULL,
    /* leaving .. stop */ dfi_check_thread_end, NULL, NULL, dfi_check_exits, dfi_check_stop, NULL,
    /* worker .. thread */ dfi_check_worker, NULL, NULL, dfi_check_fork, NULL
};
#endif

/* --- the graph ---------------------------------------------------------------------------------- */

static void dfi_graph_module_begin(struct dfi_settings *s, const df_config *c)
{
    (void)s;
    dfi_graph_begin(c ? c->graph : NULL, c ? c->graph_depth : 0);
}
static void dfi_graph_module_waited(struct dfi_worker *w)
{
    if (DFI_GRAPH()) dfi_graph_wait(w);
}
static void dfi_graph_module_stop(struct dfi_worker *w, int how)
{
    if (how != DFI_STOP_CALLED) dfi_graph_end();
    else if (DFI_GRAPH()) dfi_graph_stop(w);
}
static void dfi_graph_module_fork(int when)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    if (when == DFI_FORK_CHILD) dfi_graph_mutex = fresh;
}
static const struct dfi_module dfi_module_graph = {
    dfi_graph_module_begin, NULL, NULL,
    /* leaving .. stop */ NULL, dfi_graph_module_waited, NULL, NULL, dfi_graph_module_stop, dfi_graph_forget,
    /* worker .. thread */ NULL, NULL, NULL, dfi_graph_module_fork, NULL
};

/* --- stalls ------------------------------------------------------------------------------------- */

static void dfi_stall_module_begin(struct dfi_settings *s, const df_config *c)
{
    (void)c;
    dfi_stall_begin(s->stall);
}
static void dfi_stall_module_started(int workers)
{
    (void)workers;
    dfi_stall_start();
}
static void dfi_stall_module_stop(struct dfi_worker *w, int how)
{
    (void)w, (void)how;
    if (dfi_watched() & DFI_WATCH_STALL) dfi_stall_end();
}
static void dfi_stall_module_fork(int when)
{
    if (when == DFI_FORK_CHILD) dfi_stall_forked();
}
static const struct dfi_module dfi_module_stall = {
    dfi_stall_module_begin, NULL, dfi_stall_module_started,
    /* leaving .. stop */ NULL, NULL, NULL, NULL, dfi_stall_module_stop, NULL,
    /* worker .. thread */ NULL, NULL, NULL, dfi_stall_module_fork, NULL
};

/* --- events and the trace ----------------------------------------------------------------------- */

static void dfi_trace_module_begin(struct dfi_settings *s, const df_config *c)
{
    dfi_trace_begin(c ? c->trace : NULL, s->workers);
    if (dfi_watched() & DFI_WATCH_TRACE) dfi_store_release(&dfi_attempt_hook, &dfi_watch_attempt);
}
static void dfi_trace_module_stop(struct dfi_worker *w, int how)
{
    int i;
    for (i = 0; how != DFI_STOP_ABANDONED && i < dfi_load_relaxed(&dfi_pool.n_slots); i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (v != w) dfi_perf_close(&v->perf);
    }
    if (!(dfi_watched() & DFI_WATCH_EVENTS)) return; /* ABANDONED: workers may still run */
    dfi_store_release(&dfi_attempt_hook, (dfi_attempt_fn *)NULL);
    dfi_events_end();
    dfi_trace_end();
}
static void dfi_trace_module_forget(void)
{
    dfi_trace_forget();
    dfi_events_forget();
}
static void dfi_trace_module_worker_free(struct dfi_worker *w)
{
    dfi_mfree(dfi_load_relaxed(&w->pen.chunk));
    dfi_perf_close(&w->perf);
}
static void dfi_trace_module_thread(struct dfi_worker *w, int how)
{
    dfi_watch_thread(w, how);
    if (how == DFI_THREAD_ENDS) dfi_perf_close(&w->perf);
}
static void dfi_trace_module_fork(int when)
{
    int i;
    if (when != DFI_FORK_CHILD) {
        dfi_events_fork(when == DFI_FORK_PREPARE);
        return;
    }
    dfi_events_forked();
    for (i = 0; i < dfi_load_relaxed(&dfi_pool.n_slots); i++)
        dfi_perf_close(&dfi_load_relaxed(&dfi_pool.slot[i])->perf);
}
static const struct dfi_module dfi_module_trace = {
    dfi_trace_module_begin, NULL, NULL,
    /* leaving .. stop */ NULL, NULL, NULL, NULL, dfi_trace_module_stop, dfi_trace_module_forget,
    /* worker .. thread */ NULL, dfi_trace_module_worker_free, dfi_trace_module_thread, dfi_trace_module_fork, NULL
};

/* --- statistics --------------------------------------------------------------------------------- */

static void dfi_stats_module_begin(struct dfi_settings *s, const df_config *c)
{
    (void)s;
    dfi_stats_begin(c ? c->stats : NULL);
}
static void dfi_stats_module_stop(struct dfi_worker *w, int how)
{
    (void)w, (void)how;
    dfi_stats_end();
}
static const struct dfi_module dfi_module_stats = {
    dfi_stats_module_begin, NULL, NULL,
    /* leaving .. stop */ NULL, NULL, NULL, NULL, dfi_stats_module_stop, dfi_stats_forget,
    /* worker .. thread */ NULL, NULL, NULL, NULL, NULL
};

/* --- schedule control --------------------------------------------------------------------------- */

static void dfi_schedule_fork(int when)
{
    if (when == DFI_FORK_CHILD) dfi_baton_forked();
}
static const struct dfi_module dfi_module_schedule = {
    NULL, dfi_direct_begin, dfi_direct_settle,
    /* leaving .. stop */ NULL, NULL, dfi_baton_end, NULL, NULL, dfi_baton_forget,
    /* worker .. thread */ dfi_worker_directed, NULL, NULL, dfi_schedule_fork, NULL
};

DFI_SMALL_CODE_END

#endif
