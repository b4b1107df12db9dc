/* launch.h - the task of a launch: choice of the device, its operations in the queues, or the kernel on the host
 *
 * The task starts when its predecessors are done or, if they are launches, in the queues. Its body puts transfers
 * and the kernel into the queues of a device and returns, so that its successors among the launches follow at once,
 * ordered by the queues.
 * Argument: docs/internals/gpu.md, "Order". */
#ifndef DFI_GPU_LAUNCH_LAUNCH_H
#define DFI_GPU_LAUNCH_LAUNCH_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/kernel.h"
#include "../../api/error.h"
#include "../../api/submit_options.h"
#include "../../api/result.h"
#include "../../api/task.h"
#include "../../../df_gpu.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../more/devices.h"
#include "../../flow/region.h"
#include "../../more/error.h"
#include "../../observe/graph/graph.h"
#include "../driver.h"
#include "../engine.h"
#include "../history.h"
#include "../host/grid.h"
#include "../kernel/reduce.h"
#include "../kernel/try.h"
#include "choose.h"
#include "layout.h"
#include "queue.h"
#include "room.h"
#include "state.h"
#include "../memory.h"

/* pre: the lock. */
static void dfi_flight_go(struct dfi_flight *g)
{
    struct dfi_device *d = g->device;
    int i, step, mine = 0;
    do {
        if (d->lost) {
            g->here = 1;
            break;
        }
        if (d->busy && !mine) { /* one launch at a time collects memory */
            dfi_engine_wait();
            step = DFI_STEP_AGAIN;
            continue;
        }
        d->busy = mine = 1;
        if (!g->built) dfi_flight_build(g);
        if (g->error || g->here) break;
        step = DFI_STEP_AGAIN;
        if (g->time.timed && dfi_measure_idle(d)) continue;
        step = dfi_flight_records(g);
        if (step == DFI_STEP_DONE) dfi_flight_layout(g);
        if (step == DFI_STEP_DONE) step = dfi_flight_memory(g);
        if (g->time.timed) dfi_measure_begin(g);
        if (step == DFI_STEP_DONE) step = dfi_flight_transfers(g);
        if (step == DFI_STEP_DONE && g->time.timed && dfi_measure_copied(g)) step = DFI_STEP_AGAIN;
        if (step == DFI_STEP_DONE) step = dfi_flight_run(g);
        if (step == DFI_STEP_DONE && g->time.timed) dfi_measure_end(g);
        if (step == DFI_STEP_FAILED && !g->error) g->here = 1;
    } while (step == DFI_STEP_AGAIN);
    dfi_measure_leave(g);
    if (mine) {
        d->busy = 0;
        dfi_engine_changed();
    }
    for (i = 0; i < g->n && !g->use[i].partial; i++) {}
    if (i < g->n && !g->error && !g->here) dfi_flight_combine(g);
    for (i = 0; i < g->n; i++) {
        if (g->use[i].partial) dfi_buffer_give_up(d, g->use[i].partial);
        dfi_mfree(g->use[i].room);
        g->use[i].partial = NULL, g->use[i].room = NULL;
    }
}

static void dfi_launch_fail(df_result code) { df_fail(code, df_error_text(code)); }

static void dfi_launch_here(struct dfi_kernel *k, const void *args, const struct dfi_access *x, unsigned n,
                            struct dfi_measure *time)
{
    dfi_engine_host(x, n);
    time->began = dfi_os_ns();
    if (k->here) k->here(args);
    else if (k->call) {
        struct df_queue none = { DF_HOST, "host", NULL };
        k->call(&none, args);
    } else dfi_kernel_here(k, args);
    dfi_measure_host(time);
}

/* The body of a launch's task. */
DFI_API void dfi_launch_run(struct dfi_kernel *k, void *args)
{
    union { char bytes[512]; long double align; void *pointer; } few;
    struct dfi_worker *w = dfi_me();
    /* without memory for a task it runs in that of its submitter */
    const struct dfi_extra *e = w && w->task && w->task->task.args == args &&
        dfi_extra_if(w->task) ? w->task->extra : NULL;
    const df_ndrange *grid = (const df_ndrange *)args;
    struct dfi_access x[DFI_PARAMETERS];
    unsigned n = k->accesses(args, x), i;
    struct dfi_flight g;
    struct dfi_size size;
    int matters, d, p, none = 0, want = e ? dfi_noted_of(e)->device : 0, results = e && dfi_tokens_of(e)->signals;
    memset((void *)&g, 0, offsetof(struct dfi_flight, use));
    g.kernel = k;
    g.name = e && e->name ? e->name : k->name;
    g.site = e && e->site ? e->site : k->file;
    g.grid = *grid;
    for (d = 0; d < 3; d++) {
        none |= grid->n[d] == 0;
        if (grid->n[d] < 0 || grid->group[d] < 0) {
            dfi_grid_error(g.site, g.name, want, NULL, grid, "a negative number");
            dfi_launch_fail(DF_ERROR_GRID);
            return;
        }
    }
    if (none) return;
    if (want > dfi_engine.n || want < DF_ANY_DEVICE) {
        dfi_error("%s: launch of %s on device %d, which does not exist: it does not run; use DF_HOST or a number up "
                  "to %d", g.site, g.name, want, dfi_engine.n);
        dfi_launch_fail(DF_ERROR_DEVICE);
        return;
    }
    for (i = 0, p = 0; i < n; i++, p++) {
        struct dfi_operand *u = &g.use[g.n];
        while (k->param[p].kind == DFI_P_VALUE) p++;
        memset((void *)u, 0, sizeof *u);
        u->x = x[i];
        u->region = dfi_region_of(&x[i]);
        if (!u->region.rows) continue;
        if (dfi_region_is_all(&u->region)) g.here = 1; /* no device can have it */
        u->param = &k->param[p];
        u->reads = k->param[p].kind != DFI_P_REDUCE && (x[i].mode & (DFI_IN | DFI_SHARED)) != 0;
        u->writes = k->param[p].kind != DFI_P_REDUCE && (x[i].mode & DFI_WRITES) != 0;
        g.n++;
        if (k->param[p].kind == DFI_P_REDUCE)
            results = 1, g.here |= k->call != NULL || x[i].row / k->param[p].bytes > DFI_REDUCE_MOST;
    }
    for (i = 0; i < n; i++) /* what is accumulated into is host memory; a copy of it is nowhere else */
        if (!w || !w->task || w->task->task.args != args)
            if (x[i].mode & DFI_REDUCE & ~(unsigned)DFI_INOUT) dfi_engine_host(&x[i], 1);
    if (!(g.args = k->args_bytes <= sizeof few ? (void *)&few : dfi_malloc(k->args_bytes)) || dfi_flight_aliased(&g))
        g.here = 1;
    matters = dfi_times_matter(want);
    if (matters) size = dfi_size_of(k, x, n, grid);
    dfi_os_lock(&dfi_engine_lock);
    while (!g.here) {
        dfi_flight_where(&g, want, matters ? &size : NULL, x, n);
        if (g.here) break;
        memcpy(g.args, args, k->args_bytes);
        g.grid = *grid;
        g.built = NULL;
        dfi_flight_go(&g);
        if (!g.here || want > 0) break;
        if (!g.device->lost) break;
        g.here = 0; /* the device failed: another one, if what it needs is not lost */
    }
    dfi_os_unlock(&dfi_engine_lock);
    if (g.here) dfi_launch_here(k, args, x, n, &g.time);
    else if (g.error) dfi_launch_fail(g.error);
    else if (results) { /* the tasks that are signalled may read them */
        for (i = 0; i < n; i++) x[i].mode = DFI_IN;
        dfi_engine_host(x, n);
    }
    if (g.args && g.args != (void *)&few) dfi_mfree(g.args);
}

/* Addresses that the driver has called the host's: to ask takes 0.6 us, more than half of what df adds to a launch. If
 * such memory was freed, and device memory has its address since, the mistake is not found. Relaxed: only hints. */
enum { DFI_HOST_ADDRESS_BITS = 6 };
static DFI_ATOMIC(uintptr_t) dfi_host_address[1 << DFI_HOST_ADDRESS_BITS];
static int dfi_is_device_memory(struct dfi_gpu *d, const void *p)
{
    uint64_t hash = (uintptr_t)p * (uint64_t)0x9e3779b97f4a7c15u;
    DFI_ATOMIC(uintptr_t) *at = &dfi_host_address[hash >> (64 - DFI_HOST_ADDRESS_BITS)];
    if (dfi_load_relaxed(at) == (uintptr_t)p) return 0;
    if (d->driver->is_device_memory(d, p)) return 1;
    dfi_store_relaxed(at, (uintptr_t)p);
    return 0;
}

/* Does kernel k access memory that is on a device already? df would copy it from an address that the host cannot
 * read. */
static int dfi_launch_of_device_memory(const struct dfi_kernel *k, const void *args, const char *site, const char *name)
{
    struct dfi_access x[DFI_PARAMETERS];
    unsigned n = k->accesses(args, x), i;
    int p = 0;
    for (i = 0; i < n; i++, p++) {
        struct dfi_gpu *d = &dfi_engine.device[0]->gpu; /* one driver has opened all devices */
        while (k->param[p].kind == DFI_P_VALUE) p++;
        if (!dfi_is_device_memory(d, x[i].p)) continue;
        dfi_error("%s: launch of %s: parameter %s is an address of device memory (%s): it does not run; pass memory "
                  "of the host, which df copies to devices itself", site, name, k->param[p].name, d->driver->kind);
        return 1;
    }
    return 0;
}

/* df_launch: submits a task for a device, or for the host if there is none. */
DFI_API void dfi_launch(const struct df_opts *o, const char *site, const struct dfi_type *type,
                        const struct dfi_type *host, struct dfi_kernel *k, void *args)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_access x[DFI_PARAMETERS];
    struct df_opts none;
    struct dfi_task *t;
    unsigned n, i;
    if (DF_CHECK) dfi_kernel_check(k);
    if (w && dfi_gpu_ready() && dfi_engine.device[0]->gpu.driver->is_device_memory &&
        dfi_launch_of_device_memory(k, args, site, o && o->name ? o->name : k->name)) {
        struct dfi_scope *s = dfi_scope_of_caller(w);
        if (s) dfi_scope_set_error(s, DF_ERROR_DEVICE, df_error_text(DF_ERROR_DEVICE));
        return;
    }
    if (!w || !dfi_gpu_ready() || (o && o->device == DF_HOST)) type = host;
    else {
        struct dfi_scope *s = dfi_scope_here(w);
        dfi_scope_launches(s ? s : w->scope);
    }
    /* so that it knows the site */
    if (DFI_UNLIKELY(!o && DFI_GRAPH())) o = (const struct df_opts *)memset((void *)&none, 0, sizeof none);
    dfi_with(o, site);
    if (!(t = dfi_task_new(type))) dfi_run_now(type, args);
    else if (t == DFI_BARE) dfi_run_after(type, args, x, k->accesses(args, x));
    else {
        memcpy(t->args, args, k->args_bytes);
        n = k->accesses(args, x);
        /* a device has a copy: tasks that work on the memory itself come before or after */
        for (i = 0; i < n && type != host; i++)
            if (x[i].mode == DFI_CONCURRENT) x[i].mode = DFI_INOUT;
        dfi_submit_here(t, x, n);
    }
    dfi_with_end(o);
}

#endif
