/* options.h - options of a submission: df_opts
 *
 * Dataflow itself knows names, priorities and workers; the other options are those of upper floors (flow/moments.h). */
#ifndef DFI_FLOW_OPTIONS_H
#define DFI_FLOW_OPTIONS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/core.h"
#include "../work/worker.h"
#include "../work/types.h"
#include "extra.h"
#include "moments.h"
#include "types.h"
#include "../api/submit_options.h"

DFI_SMALL_CODE_BEGIN

/* dfi_worker.ran_now: the task ran immediately; it will not run, and counts as not submitted; as cancelled */
enum { DFI_RAN_NOW = 1, DFI_DROPPED, DFI_PASSED_OVER };

/* The submission with f->opts is over: its task will not run. */
DFI_FAST void dfi_pass_over(struct dfi_flow_worker *f)
{
    f->ran_now = f->opts ? DFI_PASSED_OVER : 0; /* for dfi_with_end */
    f->opts = NULL;
}

/* The result of the next df_submit in this thread, if the thread has no memory to be a worker. */
static DFI_TLS void *dfi_result_alone;

/* Sets the options of the next df_submit in this thread. */
DFI_API void dfi_with(const struct df_opts *o, const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!o) return;
    if (w) dfi_create(w), dfi_lazy_ask(w);
    if (dfi_up_with) dfi_up_with(w, o, site);
    if (!w) dfi_result_alone = o->result, dfi_stays_alone++; /* the task runs now */
    if (w) dfi_tasks_of(w)->opts = o, dfi_tasks_of(w)->opts_site = site, dfi_tasks_of(w)->ran_now = 0;
}

DFI_API void dfi_with_end(const struct df_opts *o)
{
    struct dfi_worker *w = dfi_me();
    if (o && dfi_stays_alone) dfi_stays_alone--, w = NULL;
    if (o && dfi_up_with_end) dfi_up_with_end(w, o);
    if (w) dfi_tasks_of(w)->opts = NULL, dfi_tasks_of(w)->ran_now = 0;
}

/* Do the options affect more than the name and site of the task? */
static int dfi_opts_matter(const struct df_opts *o)
{
    return o->priority || o->worker || o->result || (dfi_up_options_matter && dfi_up_options_matter(o));
}

/* Gives t the options o, except those of upper floors. pre: t has optional state. */
static void dfi_opts_give(struct dfi_flow *t, const struct df_opts *o, const char *site)
{
    struct dfi_extra *x = t->extra;
    x->site = site;
    x->name = o->name ? o->name : t->type->name;
    x->priority = o->priority;
    if (o->priority) dfi_store_relaxed(&dfi_flow_pool.priorities, 1);
    x->result = o->result;
    if (o->worker == DF_MAIN_THREAD) x->pin = 0;
    else if (o->worker > 0 && o->worker < dfi_workers()) x->pin = o->worker;
    else if (o->worker) dfi_warn("%s: df_opts.worker = %d is neither DF_MAIN_THREAD nor the number of a worker, which "
                                 "is at most %d: any worker runs the task", x->site, o->worker, dfi_workers() - 1);
    if (x->pin >= 0) dfi_store_relaxed(&dfi_pool.particular, 1);
}

/* Gives t the options of the call. 0, or -1 if out of memory. */
static DFI_NOINLINE int dfi_opts_take(struct dfi_worker *w, struct dfi_flow *t)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts;
    dfi_tasks_of(w)->opts = NULL;
    if (!dfi_extra_of(w, t)) return -1;
    dfi_opts_give(t, o, dfi_tasks_of(w)->opts_site);
    return dfi_up_options ? dfi_up_options(w, t, o) : 0;
}

DFI_SMALL_CODE_END

#endif
