/* cuda.h - the driver for CUDA: devices, their memory, launches
 *
 * It uses the driver interface and NVRTC; both libraries are loaded at first use. gpu/cuda/api.h finds their functions,
 * gpu/cuda/queue.h has the queues, gpu/cuda/copy.h the copies, gpu/cuda/build.h the compilation. */
#ifndef DFI_GPU_CUDA_CUDA_H
#define DFI_GPU_CUDA_CUDA_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/device.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "api.h"
#include "build.h"
#include "copy.h"
#include "queue.h"
#include "../driver.h"
#include "../kernel/reduce.h"

#if defined(DF_USE_CUDA)

enum { DFI_CUDA_ARGUMENTS = 32 }; /* of a launch: a kernel has at most 15 parameters */

static int dfi_cuda_count(void)
{
    char why[300];
    int n = dfi_cuda_load(why, sizeof why);
    if (!n && *why) dfi_warn_once("CUDA: %s: its devices are not used", why);
    return n;
}

/* --- devices ---------------------------------------------------------------------------------------- */

/* The properties of a device: d->info. */
static df_result dfi_cuda_ask(struct dfi_gpu *d)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    df_gpu_device *info = &d->info;
    int groups[3] = { 0, 0, 0 }, shared = 0, pitch = 0, major = 0, minor = 0;
    const struct { int attribute, *value; } row[] = {
        { DFI_CUDA_MAX_THREADS, &info->max_group }, { DFI_CUDA_MAX_BLOCK_X, &info->max_group_dim[0] },
        { DFI_CUDA_MAX_BLOCK_X + 1, &info->max_group_dim[1] }, { DFI_CUDA_MAX_BLOCK_X + 2, &info->max_group_dim[2] },
        { DFI_CUDA_MAX_GRID_X, &groups[0] }, { DFI_CUDA_MAX_GRID_X + 1, &groups[1] },
        { DFI_CUDA_MAX_GRID_X + 2, &groups[2] },
        { DFI_CUDA_SHARED, &shared }, { DFI_CUDA_REGISTERS, &info->registers }, { DFI_CUDA_WARP, &info->warp },
        { DFI_CUDA_MULTIPROCESSORS, &info->units }, { DFI_CUDA_MAX_PITCH, &pitch }, { DFI_CUDA_MAJOR, &major },
        { DFI_CUDA_MINOR, &minor }
    };
    size_t i;
    df_result r;
    if ((r = dfi_cuda_check(d, "cuDeviceGetName",
                            dfi_cuda.cu.device_name(info->name, (int)sizeof info->name, u->device))) != DF_OK) return r;
    info->name[sizeof info->name - 1] = 0;
    for (i = 0; i < sizeof row / sizeof *row; i++)
        if ((r = dfi_cuda_check(d, "cuDeviceGetAttribute",
                                dfi_cuda.cu.device_attribute(row[i].value, row[i].attribute, u->device))) != DF_OK)
            return r;
    for (i = 0; i < 3; i++) info->max_groups[i] = groups[i];
    info->max_shared = (size_t)shared;
    info->has_double = 1; /* every device that CUDA 11 knows */
    u->max_pitch = (size_t)pitch;
    u->arch = 10 * major + minor;
    return DF_OK;
}

/* Bytes of free memory. */
static df_result dfi_cuda_ask_memory(struct dfi_gpu *d)
{
    size_t total = 0;
    df_result r = dfi_cuda_enter(d);
    if (r) return r;
    r = dfi_cuda_check(d, "cuMemGetInfo", dfi_cuda.cu.memory_info(&d->info.memory, &total));
    dfi_cuda_leave();
    return r;
}

/* Makes d's context that of the thread, to give something back. Of a device that failed, too: it may be but one call
 * that did, and what was put into the queues goes on. Nonzero: it is that of the thread. */
static int dfi_cuda_enter_to_free(struct dfi_gpu *d)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    if (!u->context || dfi_cuda.cu.context_push(u->context)) return 0;
    if (dfi_load_acquire(&u->lost)) dfi_cuda.cu.context_sync(); /* pairs with the release in dfi_cuda_set_lost */
    return 1;
}

/* Resources of a device that failed may stay with the driver. */
static void dfi_cuda_close(struct dfi_gpu *d)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    struct dfi_cuda_module *m;
    int q, i, entered = dfi_cuda_enter_to_free(d);
    for (q = 0; q < DFI_QUEUES; q++) {
        struct dfi_cuda_queue *k = &u->queue[q];
        void *stream = dfi_load_relaxed(&k->stream);
        for (i = 0; i < k->n_events; i++) dfi_cuda.cu.event_destroy(k->event[i].event);
        if (k->stage.memory) dfi_cuda.cu.host_free((void *)k->stage.memory);
        if (stream) dfi_cuda.cu.stream_destroy(stream);
    }
    while ((m = u->modules) != NULL) {
        u->modules = m->next;
        dfi_cuda.cu.module_unload(m->module);
        dfi_mfree(m);
    }
    if (entered) dfi_cuda_leave();
    if (u->context) dfi_cuda.cu.context_release(u->device);
    dfi_mfree(u);
    d->own = NULL;
}

static df_result dfi_cuda_open(struct dfi_gpu *d, int i)
{
    const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    struct dfi_cuda_device *u = (struct dfi_cuda_device *)dfi_malloc(sizeof *u);
    df_result r;
    int q;
    if (!u) return snprintf(dfi_gpu_error, sizeof dfi_gpu_error, "out of memory"), DF_ERROR_MEMORY;
    memset((void *)u, 0, sizeof *u);
    u->lock = fresh;
    for (q = 0; q < DFI_QUEUES; q++) u->queue[q].lock = fresh;
    d->own = (void *)u;
    memset((void *)&d->info, 0, sizeof d->info);
    snprintf(d->info.kind, sizeof d->info.kind, "CUDA");
    r = dfi_cuda_check(d, "cuDeviceGet", dfi_cuda.cu.device(&u->device, i));
    if (!r) r = dfi_cuda_ask(d);
    if (!r) r = dfi_cuda_check(d, "cuDevicePrimaryCtxRetain", dfi_cuda.cu.context_retain(&u->context, u->device));
    if (!r) r = dfi_cuda_ask_memory(d);
    if (r) dfi_cuda_close(d);
    return r;
}

/* --- memory ----------------------------------------------------------------------------------------- */

static dfi_memory dfi_cuda_alloc(struct dfi_gpu *d, size_t bytes)
{
    uintptr_t p = 0;
    if (dfi_cuda_enter(d)) return 0;
    if (dfi_cuda_check(d, "cuMemAlloc", dfi_cuda.cu.memory_alloc(&p, bytes))) p = 0;
    dfi_cuda_leave();
    return p;
}

static void dfi_cuda_free(struct dfi_gpu *d, dfi_memory m)
{
    if (!dfi_cuda_enter_to_free(d)) return;
    dfi_cuda_check(d, "cuMemFree", dfi_cuda.cu.memory_free(m));
    dfi_cuda_leave();
}

/* --- kernels ---------------------------------------------------------------------------------------- */

static df_result dfi_cuda_launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b,
                                 const int *groups, const int *group, const struct dfi_arg *args, int n_args)
{
    void *value[DFI_CUDA_ARGUMENTS], *stream;
    df_result r;
    int i;
    DFI_ASSERT(n_args <= DFI_CUDA_ARGUMENTS);
    /* const in the argument */
    for (i = 0; i < n_args; i++) memcpy((void *)&value[i], (const void *)&args[i].p, sizeof value[i]);
    if ((r = dfi_cuda_enter_queue(d, q, &stream)) != DF_OK) return r;
    r = dfi_cuda_check(d, "cuLaunchKernel",
                       dfi_cuda.cu.launch(b->handle, (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2],
                                          (unsigned)group[0], (unsigned)group[1], (unsigned)group[2],
                                          (unsigned)dfi_kernel_shared(k, group), stream, value, NULL));
    if (!r) dfi_cuda_counted(d, q);
    dfi_cuda_leave();
    return r;
}

/* The context is current in the calling thread until native_end, so that its calls go to the device, those of the
 * CUDA runtime and its libraries too. */
static void *dfi_cuda_native(struct dfi_gpu *d, int q)
{
    void *stream;
    return dfi_cuda_enter_queue(d, q, &stream) ? NULL : stream;
}
static void dfi_cuda_native_end(struct dfi_gpu *d, int q)
{
    dfi_cuda_counted(d, q);
    dfi_cuda_leave();
}

/* Managed memory is the host's, too. */
static int dfi_cuda_is_device_memory(struct dfi_gpu *d, const void *p)
{
    int type = 0, managed = 0, yes;
    if (dfi_cuda_enter(d)) return 0;
    yes = !dfi_cuda.cu.pointer_attribute((void *)&type, DFI_CUDA_POINTER_MEMORY_TYPE, (uintptr_t)p) &&
        type == DFI_CUDA_MEMORY_DEVICE &&
          (dfi_cuda.cu.pointer_attribute((void *)&managed, DFI_CUDA_POINTER_IS_MANAGED, (uintptr_t)p) || !managed);
    dfi_cuda_leave();
    return yes;
}

static const struct dfi_gpu_driver dfi_cuda_driver = {
    "CUDA", dfi_cuda_count, dfi_cuda_open, dfi_cuda_close, dfi_cuda_alloc, dfi_cuda_free, dfi_cuda_copy_in,
    dfi_cuda_copy_out, dfi_cuda_copy_on, dfi_cuda_copy_peer, dfi_cuda_wait, dfi_cuda_reached, dfi_cuda_sync,
    dfi_cuda_flush, dfi_cuda_build, dfi_cuda_launch, dfi_cuda_native, dfi_cuda_native_end,
    dfi_cuda_is_device_memory
};

#endif

#endif
