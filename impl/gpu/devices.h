/* devices.h - the devices of a program: found at the first launch, counted, and closed with df_stop or a fork
 *
 * Everything here is under the lock of the engine (gpu/engine.h). */
#ifndef DFI_GPU_DEVICES_H
#define DFI_GPU_DEVICES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/parts.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/kernel.h"
#include "../api/counters.h"
#include "../api/submit_options.h"
#include "../api/workers.h"
#include "../api/result.h"
#include "../../df_gpu.h"
#include "../work/worker.h"
#include "../work/types.h"
#include "../more/devices.h"
#include "../more/error.h"
#include "../observe/watching.h"
#include "cuda/cuda.h"
#include "driver.h"
#include "engine.h"
#include "history.h"
#include "host/grid.h"
#include "memory.h"
#include "opencl/opencl.h"
#include "record.h"
#include "sim/sim.h"
#if DFI_WITH_OBSERVERS
#include "trace.h"
#endif

/* The memory that an environment variable asks for; 0: no limit. */
static size_t dfi_env_bytes(const char *name)
{
    const char *text = dfi_env(name), *end;
    size_t bytes;
    if (!text || !*text) return 0;
    bytes = dfi_bytes_of(text, &end);
    if (bytes && !*end) return bytes;
    dfi_warn(DFI_MESSAGE_BAD_ENV, name, text, "a number of bytes such as 64M", "there is no limit");
    return 0;
}

static void dfi_engine_write_back(struct dfi_scope *s, int since)
{
    dfi_os_lock(&dfi_engine_lock);
    dfi_engine_write_back_records(!s);
    dfi_os_unlock(&dfi_engine_lock);
    if (s && dfi_load_relaxed(&dfi_more.device_errors) != since)
        dfi_scope_set_error(s, DF_ERROR_DEVICE, "a device failed, and with it what only it had: the log says more");
}

static void dfi_engine_forked(void)
{
    dfi_engine_lock = dfi_engine_start_lock = dfi_mutex_free;
    dfi_engine.n = 0; /* what there was stays allocated: the other threads may have been changing it */
#if DFI_WITH_OBSERVERS
    dfi_gt_forked();
#endif
    memset((void *)&dfi_engine.records, 0, sizeof dfi_engine.records);
    dfi_engine.jobs = 0, dfi_engine.n_held = 0, dfi_engine.sleepers = 0;
    /* others were waiting for it, and it counted them */
    if (dfi_load_relaxed(&dfi_engine.started)) dfi_os_event_init(&dfi_engine.event);
}

/* Adds d's counters. */
static void dfi_device_count(struct dfi_device *d, df_counters *c)
{
    c->launches += dfi_load_relaxed(&d->n_launches);
    c->bytes_in += dfi_load_relaxed(&d->bytes_in);
    c->bytes_out += dfi_load_relaxed(&d->bytes_out);
}

static void dfi_engine_count(df_counters *c)
{
    int d;
    dfi_os_lock(&dfi_engine_lock);
    c->launches = dfi_engine.closed.launches;
    c->bytes_in = dfi_engine.closed.bytes_in;
    c->bytes_out = dfi_engine.closed.bytes_out;
    for (d = 0; d < dfi_engine.n; d++) dfi_device_count(dfi_engine.device[d], c);
    dfi_os_unlock(&dfi_engine_lock);
}

/* --- devices --------------------------------------------------------------------------------------- */

/* pre: no task runs, nothing is in the queues. */
static void dfi_engine_stop(void)
{
    struct dfi_record *r;
    struct dfi_buffer *b;
    struct dfi_built *k;
    int d;
    if (!dfi_load_seq_cst(&dfi_engine.started)) return;
    dfi_os_lock(&dfi_engine_lock);
    dfi_engine.n_held = 0;
    dfi_engine_write_back_records(1);
    for (d = 0; d < dfi_engine.n; d++) {
        struct dfi_device *v = dfi_engine.device[d];
        v->ending = 1;
        dfi_fetch_add_acq_rel(&v->job_wake, 1);
        dfi_os_event_wake_all(&v->event);
        dfi_os_unlock(&dfi_engine_lock);
        if (v->thread_started) dfi_os_thread_join(&v->thread);
        dfi_os_lock(&dfi_engine_lock);
        while (v->oldest) dfi_buffer_give_up(v, v->oldest);
        while ((b = v->pool) != NULL) {
            v->pool = b->next;
            dfi_buffer_destroy(v, b);
        }
    }
    while ((r = dfi_engine.records.first) != NULL) dfi_record_free(&dfi_engine.records, r);
    while ((k = dfi_engine.built) != NULL) { /* of kernels that may be gone with the library they were in */
        dfi_engine.built = k->all;
        dfi_mfree(k);
    }
    dfi_history_stop();
#if DFI_WITH_OBSERVERS
    dfi_gt_end();
#endif
    for (d = 0; d < dfi_engine.n; d++) {
        dfi_device_count(dfi_engine.device[d], &dfi_engine.closed);
        dfi_engine.device[d]->gpu.driver->close(&dfi_engine.device[d]->gpu);
        dfi_os_event_free(&dfi_engine.device[d]->event);
        dfi_mfree((void *)dfi_engine.device[d]);
    }
    dfi_fetch_add_acq_rel(&dfi_engine.generation, 1);
    dfi_engine.n = 0;
    dfi_os_event_free(&dfi_engine.event);
    dfi_os_unlock(&dfi_engine_lock);
    dfi_devices_are(0);
    dfi_store_seq_cst(&dfi_engine.started, 0);
}

static const struct dfi_gpu_driver *const dfi_drivers[] = {
    &dfi_sim_driver,
#if defined(DF_USE_CUDA)
    &dfi_cuda_driver,
#endif
#if defined(DF_USE_OPENCL)
    &dfi_opencl_driver,
#endif
};

/* Opens the devices of one driver, as many as there is room for. */
static void dfi_engine_open(const struct dfi_gpu_driver *v, size_t most_bytes)
{
    int i, n = v->count();
    for (i = 0; i < n && dfi_engine.n < DFI_MAX_DEVICES; i++) {
        struct dfi_device *d = (struct dfi_device *)dfi_malloc(sizeof *d);
        if (!d) break;
        memset((void *)d, 0, sizeof *d);
        d->gpu.driver = v;
        d->gpu.index = dfi_engine.n;
        d->jobs_end = &d->jobs;
        d->building = dfi_mutex_free;
        if (dfi_os_event_init(&d->event)) {
            dfi_mfree((void *)d);
            break;
        }
        if (v->open(&d->gpu, i)) {
            dfi_warn("%s device %d is not used: %s", v->kind, i, dfi_gpu_error);
            dfi_os_event_free(&d->event);
            dfi_mfree((void *)d);
            continue;
        }
        snprintf(d->gpu.info.kind, sizeof d->gpu.info.kind, "%s", v->kind);
        if (most_bytes && d->gpu.info.memory > most_bytes) d->gpu.info.memory = most_bytes;
        d->limit = d->gpu.info.memory;
#if DFI_WITH_OBSERVERS
        if (dfi_recorded() & DFI_RECORD_TRACE) dfi_gt_begin(&d->gpu);
#endif
        dfi_engine.device[dfi_engine.n++] = d;
    }
}

static const struct dfi_gpu_hook dfi_engine_hook = { dfi_engine_host, dfi_engine_write_back, dfi_engine_stop,
    dfi_engine_count, dfi_engine_forked };
#if DFI_GNU
static __attribute__((constructor)) void dfi_engine_present(void)
{
    if (!dfi_gpu_hook) dfi_gpu_hook = &dfi_engine_hook; /* else another module has it, too */
}
#endif

/* Looks for devices the first time. How many there are. */
DFI_API int dfi_gpu_ready(void)
{
    const char *only;
    size_t most, i;
    if (DFI_LIKELY(dfi_load_acquire(&dfi_engine.started))) return dfi_engine.n;
    if (!dfi_me_attached()) return 0;
    dfi_os_lock(&dfi_engine_start_lock);
    if (!dfi_load_relaxed(&dfi_engine.started) && !dfi_os_event_init(&dfi_engine.event)) {
        dfi_os_lock(&dfi_engine_lock); /* others see devices first, and then take it */
        dfi_engine.opened++;
        only = dfi_env("DF_GPU");
        if (only && !*only) only = NULL;
        most = dfi_env_bytes("DF_GPU_MEMORY");
        for (i = 0; i < sizeof dfi_drivers / sizeof *dfi_drivers && !dfi_engine.n; i++) {
            const char *kind = dfi_drivers[i]->kind;
            if (only && strcmp(only, !strcmp(kind, "CUDA") ? "cuda" : !strcmp(kind, "OpenCL") ? "opencl" : "sim"))
                continue;
            dfi_engine_open(dfi_drivers[i], most);
        }
        if (only && !dfi_engine.n && strcmp(only, "none")) dfi_warn("DF_GPU=%s: there is no such device: the host "
                                                                    "runs the kernels", only);
        dfi_history_start(dfi_engine.device, dfi_engine.n, dfi_workers());
        /* the devices are those of this module */
        if (dfi_gpu_hook != &dfi_engine_hook) dfi_gpu_hook = &dfi_engine_hook;
        dfi_devices_are(dfi_engine.n);
        dfi_store_release(&dfi_engine.started, 1); /* with all of the above; pairs with the acquire above */
        dfi_os_unlock(&dfi_engine_lock);
    }
    dfi_os_unlock(&dfi_engine_start_lock);
    return dfi_engine.n;
}

DFI_EXTERN_C_BEGIN
DFI_API int df_gpu_devices(void)
{
    int n = dfi_gpu_ready();
    return n ? n : 1;
}

DFI_API df_result df_gpu_info(int device, df_gpu_device *info)
{
    int n = dfi_gpu_ready();
    if (device == DF_HOST || (!n && device == 1)) {
        dfi_host_info(info, df_workers());
        return DF_OK;
    }
    if (device < 1 || device > n) return DF_ERROR_DEVICE;
    *info = dfi_engine.device[device - 1]->gpu.info;
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
