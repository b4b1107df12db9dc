/* devices.h - coherence hooks of host tasks, for devices found by df_gpu.h
 *
 * A host task that runs after a kernel finds the kernel's results in host memory, and later kernels read the data
 * that it writes. So the data engine is given the accesses of a task before its body, and of a wait when it ends.
 * Without devices, dfi_pool.devices is 0, and tasks pay only for this check. */
#ifndef DFI_FLOW_DEVICES_H
#define DFI_FLOW_DEVICES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/module.h"
#include "../work/worker.h"
#include "../work/types.h"
#include "extra.h"
#include "region.h"
#include "../observe/probes.h"
#include "../api/public.h"

struct dfi_gpu_hook {
    /* Waits until host code may make these accesses. Threads: any, without locks. */
    void (*host)(const struct dfi_access *x, unsigned n);
    /* Waits until the results of the kernels launched in s are in host memory; the children of s are done. since: the
     * number of device errors before its first launch. s == NULL: all kernels, because the accesses are unknown. */
    void (*settle)(struct dfi_scope *s, int since);
    /* Called by df_stop, or at the end of the process, when no task runs. */
    void (*stop)(void);
    /* Sets launches, bytes_in and bytes_out. Threads: any. */
    void (*count)(df_counters *c);
    /* Called in a forked child, which has no devices. */
    void (*forked)(void);
};
/* May tasks run immediately while there is one worker? Not if their accesses must be known. */
static int dfi_run_now_allowed(void)
{
    return !DF_CHECK && !dfi_pool.defer && !dfi_observed() && !dfi_pool.deterministic &&
           !dfi_load_relaxed(&dfi_pool.devices) &&
           !dfi_load_relaxed(&dfi_may_block);
}

/* Called when tasks may block from now on. Threads: any. */
static void dfi_run_now_ends(void) { dfi_store_relaxed(&dfi_pool.run_now, 0); }

/* Stores the accesses of t until it runs. 0, or -1 if out of memory. pre: w owns t's scope. */
static DFI_COLD int dfi_gpu_note(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    struct dfi_extra *e;
    /* Before the first launch, only unordered groups (commuting, reducing ..): one of their tasks may run after the
     * launch. */
    if (!dfi_load_relaxed(&dfi_pool.devices) && !(t->type->modes & DFI_GROUPED & ~(unsigned)DFI_INOUT)) return 0;
    /* a launch handles its accesses itself, except the accumulators that it may be given */
    if (!n || t->type->modes & DFI_INTERNAL ||
        (t->type->modes & DFI_LAUNCH && !(t->type->modes & DFI_REDUCE & ~(unsigned)DFI_INOUT)))
        return 0;
    if (!(e = dfi_extra_of(w, t)) || !(e->noted = (struct dfi_access *)dfi_malloc(n * sizeof *x))) return -1;
    memcpy((void *)e->noted, (const void *)x, n * sizeof *x);
    e->n_noted = n;
    return 0;
}

/* Called before the body of t. A region may have been renamed before devices were in use (more/rename.h). */
static DFI_COLD void dfi_gpu_before_body(struct dfi_flow *t)
{
    const struct dfi_extra *e = t->extra;
    unsigned i;
    for (i = 0; i < e->n_noted; i++) {
        struct dfi_access x = e->noted[i];
        if (t->type->modes & DFI_LAUNCH && !(x.mode & DFI_REDUCE & ~(unsigned)DFI_INOUT)) continue;
        dfi_gpu_hook->host(&x, 1);
        if (DFI_LIKELY(!dfi_pool.rename_bytes) || x.arg == DFI_NO_ARG) continue;
        memcpy((void *)&x.p, (const char *)t->task.args + x.arg, sizeof x.p);
        if (x.p != e->noted[i].p) dfi_gpu_hook->host(&x, 1);
    }
}

/* Called before the version of r at `from` is copied back to the region. */
static DFI_COLD void dfi_gpu_before_copy_back(const struct dfi_region *r, const char *from)
{
    struct dfi_access x[2];
    dfi_access_block(&x[0], DFI_IN, DFI_NO_ARG, from, r->rows, r->row, r->ld);
    dfi_access_block(&x[1], DFI_OUT, DFI_NO_ARG, (const void *)r->p, r->rows, r->row, r->ld);
    dfi_gpu_hook->host(x, 2);
}

/* Called when t and its descendants are done: brings the data that kernels accumulated to the host, before they are
 * combined with other contributions or freed. */
static DFI_COLD void dfi_gpu_before_merge(struct dfi_flow *t)
{
    const struct dfi_extra *e = t->extra;
    unsigned i;
    for (i = 0; i < e->n_noted; i++) {
        struct dfi_access x = e->noted[i];
        if (!(x.mode & DFI_REDUCE & ~(unsigned)DFI_INOUT) || t->type->modes & DFI_LAUNCH) continue;
        memcpy((void *)&x.p, (const char *)t->task.args + x.arg, sizeof x.p);
        dfi_gpu_hook->host(&x, 1);
    }
}

/* Called before a task runs whose accesses were not stored: it runs immediately, it was submitted before there were
 * devices, or it is a df_node. */
static DFI_COLD void dfi_gpu_before_any(const struct dfi_type *type)
{
    if (type->modes & DFI_INOUT && !(type->modes & (DFI_LAUNCH | DFI_INTERNAL))) dfi_gpu_hook->settle(NULL, 0);
}

/* Called when the running code launches a kernel as a child of s: marks s and its ancestors, whose waits must
 * settle. */
DFI_UNUSED static DFI_COLD void dfi_scope_launches(struct dfi_scope *s)
{
    int errors = dfi_load_relaxed(&dfi_pool.device_errors) + 1;
    for (; s && !dfi_load_relaxed(&s->launched); s = dfi_load_relaxed(&s->parent))
        dfi_store_relaxed(&s->launched, errors);
}

static DFI_COLD void dfi_scope_settle_devices(struct dfi_scope *s)
{
    int since = dfi_load_relaxed(&s->launched) - 1;
    dfi_store_relaxed(&s->launched, 0);
    if (dfi_load_relaxed(&dfi_pool.devices)) dfi_gpu_hook->settle(s, since);
}

/* --- module ------------------------------------------------------------------------------------- */

static void dfi_devices_stop(struct dfi_worker *w, int how)
{
    (void)w;
    if (dfi_gpu_hook && how != DFI_STOP_ABANDONED) dfi_gpu_hook->stop();
}
static void dfi_devices_worker_free(struct dfi_worker *w)
{
    if (w->kernel) w->kernel_free(w->kernel);
}
static void dfi_devices_fork(int when)
{
    if (dfi_gpu_hook && when == DFI_FORK_CHILD) dfi_gpu_hook->forked();
}
static void dfi_devices_count(df_counters *c)
{
    if (dfi_gpu_hook) dfi_gpu_hook->count(c);
}
static const struct dfi_module dfi_module_devices = { /* begin, ready, started */ NULL, NULL, NULL,
    /* leaving .. stop */ NULL, NULL, NULL,
    NULL, dfi_devices_stop, NULL,
    /* worker .. thread */ NULL, dfi_devices_worker_free, NULL, dfi_devices_fork, dfi_devices_count };

#endif
