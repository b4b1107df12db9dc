/* devices.h - what tasks have to do with devices, when df_gpu.h is there and found some
 *
 * A task of the host that runs after a kernel finds the kernel's results in host memory, and what it writes is what later
 * kernels read. So before its body its accesses are shown to the data engine; that is also done for what somebody waits
 * for. Without devices dfi_pool.devices is 0 and nobody looks further. */
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
    /* The accesses are about to be made by code of the host: waits until they can be. Threads: any, without locks. */
    void (*host)(const struct dfi_access *x, unsigned n);
    /* s launched kernels, and its children are done: waits until their results are in host memory. since: the errors of
     * devices before its first launch. NULL: the same for all there is, as accesses are not known. */
    void (*settle)(struct dfi_scope *s, int since);
    /* df_stop, or the end of the process: no task runs. */
    void (*stop)(void);
    /* Sets launches, bytes_in and bytes_out. Threads: any. */
    void (*count)(df_counters *c);
    /* The child of a fork has no devices. */
    void (*forked)(void);
};
/* May tasks be run at once while one worker is alone? Not if others have to know what they access. */
static int dfi_run_now_allowed(void)
{
    return !DF_CHECK && !dfi_pool.defer && !dfi_observed() && !dfi_pool.deterministic && !dfi_load_relaxed(&dfi_pool.devices) &&
           !dfi_load_relaxed(&dfi_may_block);
}

/* From now on tasks may block. Threads: any. */
static void dfi_run_now_ends(void) { dfi_store_relaxed(&dfi_pool.run_now, 0); }

/* t keeps its accesses until it runs. 0, or -1 without memory. pre: w owns t's scope. */
static DFI_COLD int dfi_gpu_note(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    struct dfi_extra *e;
    /* Before the first launch only those that are not ordered among themselves: one of them may run after it. */
    if (!dfi_load_relaxed(&dfi_pool.devices) && !(t->type->modes & DFI_GROUPED & ~(unsigned)DFI_INOUT)) return 0;
    /* of a launch, which asks by itself, only what it accumulates into: it may be given a copy of that */
    if (!n || t->type->modes & DFI_INTERNAL || (t->type->modes & DFI_LAUNCH && !(t->type->modes & DFI_REDUCE & ~(unsigned)DFI_INOUT))) return 0;
    if (!(e = dfi_extra_of(w, t)) || !(e->noted = (struct dfi_access *)dfi_malloc(n * sizeof *x))) return -1;
    memcpy((void *)e->noted, (const void *)x, n * sizeof *x);
    e->n_noted = n;
    return 0;
}

/* t is about to begin. A value may be in a buffer of its own, from before there were devices (more/rename.h). */
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

/* The value of r, which is at `from`, is about to be copied to where it belongs. */
static DFI_COLD void dfi_gpu_before_copy_back(const struct dfi_region *r, const char *from)
{
    struct dfi_access x[2];
    dfi_access_block(&x[0], DFI_IN, DFI_NO_ARG, from, r->rows, r->row, r->ld);
    dfi_access_block(&x[1], DFI_OUT, DFI_NO_ARG, (const void *)r->p, r->rows, r->row, r->ld);
    dfi_gpu_hook->host(x, 2);
}

/* t and its descendants are done: what kernels among them did to what it accumulated into comes to the host, before that is
 * combined with others' or freed. */
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

/* A task whose accesses nobody noted is about to be run: at once, or it was submitted before there were devices, or is a node. */
static DFI_COLD void dfi_gpu_before_any(const struct dfi_type *type)
{
    if (type->modes & DFI_INOUT && !(type->modes & (DFI_LAUNCH | DFI_INTERNAL))) dfi_gpu_hook->settle(NULL, 0);
}

/* The code that runs launches a kernel as a child of s: who waits for s, or what s is part of, has to settle. */
DFI_UNUSED static DFI_COLD void dfi_scope_launches(struct dfi_scope *s)
{
    int errors = dfi_load_relaxed(&dfi_pool.device_errors) + 1;
    for (; s && !dfi_load_relaxed(&s->launched); s = dfi_load_relaxed(&s->parent)) dfi_store_relaxed(&s->launched, errors);
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
static const struct dfi_module dfi_module_devices = { /* begin, ready, started */ NULL, NULL, NULL, /* leaving .. stop */ NULL, NULL, NULL,
    NULL, dfi_devices_stop, NULL, /* worker .. thread */ NULL, dfi_devices_worker_free, NULL, dfi_devices_fork, dfi_devices_count };

#endif
