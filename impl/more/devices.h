/* devices.h - coherence of host tasks with devices found by df_gpu.h
 *
 * A host task that runs after a kernel finds the kernel's results in host memory, and later kernels read the data
 * that it writes. So the data engine is given the accesses of a task before its body, and of a wait when it ends.
 * Without devices, dfi_more.devices is 0, and tasks pay only for this check. */
#ifndef DFI_MORE_DEVICES_H
#define DFI_MORE_DEVICES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/module.h"
#include "../work/types.h"
#include "../flow/extra.h"
#include "../flow/moments.h"
#include "../flow/region.h"
#include "../flow/scope.h"
#include "../flow/types.h"
#include "state.h"
#include "types.h"
#include "../api/counters.h"

DFI_SMALL_CODE_BEGIN

struct dfi_gpu_hook {
    /* Waits until host code may make these accesses. Threads: any, without locks. */
    void (*host)(const struct dfi_access *x, unsigned n);
    /* Waits until the results of the kernels launched in s are in host memory; the children of s are done. since: the
     * number of device errors before its first launch. s == NULL: all kernels, because the accesses are unknown. */
    void (*write_back)(struct dfi_scope *s, int since);
    /* Called by df_stop, or at the end of the process, when no task runs. */
    void (*stop)(void);
    /* Sets launches, bytes_in and bytes_out. Threads: any. */
    void (*count)(df_counters *c);
    /* Called in a forked child, which has no devices. */
    void (*forked)(void);
};
DFI_EXTERN_C_BEGIN
DFI_API const struct dfi_gpu_hook *dfi_gpu_hook = NULL;
DFI_EXTERN_C_END

/* From now on, that many devices are in use: tasks bring data to the host before they begin, so their accesses must be
 * known. pre: the lock of the devices' start, or no other thread runs. */
static void dfi_devices_are(int n)
{
    int by = (n != 0) - (dfi_load_relaxed(&dfi_more.devices) != 0);
    dfi_store_seq_cst(&dfi_more.devices, n);
    dfi_fetch_add_relaxed(&dfi_flow_pool.asks, by);
    dfi_cancels(by); /* every task looks before it begins */
}

/* Stores the accesses of t until it runs. 0, or -1 if out of memory. pre: w owns t's scope. */
static DFI_COLD int dfi_gpu_note(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    struct dfi_extra *e;
    /* Before the first launch, only unordered groups (commuting, reducing ..): one of their tasks may run after the
     * launch. */
    if (!dfi_load_relaxed(&dfi_more.devices) && !(t->type->modes & DFI_ONE_REGION & ~(unsigned)DFI_INOUT)) return 0;
    /* a launch handles its accesses itself, except the accumulators that it may be given */
    if (!n || t->type->modes & DFI_INTERNAL ||
        (t->type->modes & DFI_LAUNCH && !(t->type->modes & DFI_REDUCE & ~(unsigned)DFI_INOUT)))
        return 0;
    if (!(e = dfi_extra_of(w, t))) return -1;
    if (!(dfi_noted_of(e)->access = (struct dfi_access *)dfi_malloc(n * sizeof *x))) return -1;
    memcpy((void *)dfi_noted_of(e)->access, (const void *)x, n * sizeof *x);
    dfi_noted_of(e)->n = n;
    return 0;
}

/* Called before the body of t. A region may have been renamed before devices were in use (more/rename.h). */
static DFI_COLD void dfi_gpu_before_body(struct dfi_flow *t)
{
    const struct dfi_noted *e = dfi_noted_of(t->extra);
    unsigned i;
    for (i = 0; i < e->n; i++) {
        struct dfi_access x = e->access[i];
        if (t->type->modes & DFI_LAUNCH && !(x.mode & DFI_REDUCE & ~(unsigned)DFI_INOUT)) continue;
        dfi_gpu_hook->host(&x, 1);
        if (DFI_LIKELY(!dfi_rename_most()) || x.arg == DFI_NO_ARG) continue;
        memcpy((void *)&x.p, (const char *)t->task.args + x.arg, sizeof x.p);
        if (x.p != e->access[i].p) dfi_gpu_hook->host(&x, 1);
    }
}

/* Called before internal code of df makes these accesses. */
static DFI_COLD void dfi_gpu_before_access(const struct dfi_access *x, unsigned n)
{
    if (dfi_load_relaxed(&dfi_more.devices)) dfi_gpu_hook->host(x, n);
}

/* The same for all of r. */
static DFI_COLD void dfi_gpu_before_region(const struct dfi_region *r, unsigned mode)
{
    struct dfi_access x;
    dfi_access_region(&x, mode, r);
    dfi_gpu_before_access(&x, 1);
}

/* Called when t and its descendants are done: brings the data that kernels accumulated to the host, before they are
 * combined with other contributions or freed. */
static DFI_COLD void dfi_gpu_before_merge(struct dfi_flow *t)
{
    const struct dfi_noted *e = dfi_noted_of(t->extra);
    unsigned i;
    for (i = 0; i < e->n; i++) {
        struct dfi_access x = e->access[i];
        if (!(x.mode & DFI_REDUCE & ~(unsigned)DFI_INOUT) || t->type->modes & DFI_LAUNCH) continue;
        memcpy((void *)&x.p, (const char *)t->task.args + x.arg, sizeof x.p);
        dfi_gpu_hook->host(&x, 1);
    }
}

/* Called before a task runs whose accesses were not stored: it runs immediately, it was submitted before there were
 * devices, or it is a df_node. pre: devices */
static DFI_COLD void dfi_gpu_before_any(const struct dfi_type *type)
{
    if (type->modes & DFI_INOUT && !(type->modes & (DFI_LAUNCH | DFI_INTERNAL))) dfi_gpu_hook->write_back(NULL, 0);
}

/* Called when the running code launches a kernel as a child of s: marks s and its ancestors, whose waits must
 * write_back. */
DFI_UNUSED static DFI_COLD void dfi_scope_launches(struct dfi_scope *s)
{
    int errors = dfi_load_relaxed(&dfi_more.device_errors) + 1;
    for (; s && !dfi_load_relaxed(&dfi_launches_in(s)->since); s = dfi_load_relaxed(&s->parent))
        dfi_store_relaxed(&dfi_launches_in(s)->since, errors);
}

static DFI_COLD void dfi_scope_write_back(struct dfi_scope *s)
{
    int since = dfi_load_relaxed(&dfi_launches_in(s)->since) - 1;
    dfi_store_relaxed(&dfi_launches_in(s)->since, 0);
    if (dfi_load_relaxed(&dfi_more.devices)) dfi_gpu_hook->write_back(s, since);
}

static void dfi_devices_scope_waited(struct dfi_worker *w, struct dfi_scope *s)
{
    (void)w;
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_launches_in(s)->since))) dfi_scope_write_back(s);
}
#define dfi_up_scope_waited_by , dfi_devices_scope_waited

/* The body of s and its children are done. Its locals are about to be freed, and a device may still access them. */
static void dfi_devices_body_done(struct dfi_scope *s)
{
    const struct dfi_flow_scope *own = dfi_flow_of(s);
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_launches_in(s)->since)) && (own->locals || own->room_used))
        dfi_scope_write_back(s);
}

static void dfi_devices_waited_for(struct dfi_worker *w, const struct dfi_access *x, unsigned n)
{
    (void)w;
    dfi_gpu_before_access(x, n);
}
#define dfi_up_waited_for_by , dfi_devices_waited_for

/* State of a worker that is cached between kernels with barriers (gpu/host/host.h), or NULL. */
struct dfi_device_worker { void *kernel; void (*kernel_free)(void *); };
DFI_ROOM(dfi_device_worker, dfi_kernels_of, dfi_worker);

/* --- module ------------------------------------------------------------------------------------- */

static void dfi_module_devices(const struct dfi_moment *m)
{
    if (m->is == DFI_WORKER_FREED) {
        if (dfi_kernels_of(m->w)->kernel) dfi_kernels_of(m->w)->kernel_free(dfi_kernels_of(m->w)->kernel);
    } else if (!dfi_gpu_hook) return;
    else if (m->is == DFI_STOP_CALLED || m->is == DFI_STOP_AT_EXIT) dfi_gpu_hook->stop();
    else if (m->is == DFI_POOL_COUNTS) dfi_gpu_hook->count(m->counters);
    else if (m->is == DFI_FORK_CHILD) {
        dfi_devices_are(0);
        dfi_gpu_hook->forked();
    }
}

DFI_SMALL_CODE_END

#endif
