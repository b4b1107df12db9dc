/* opencl.h - the driver for OpenCL 1.2: devices, their memory, copies, launches
 *
 * Devices of a platform that use host memory (processors, integrated graphics) copy from each other in the queue of the
 * destination. Between devices with their own memory OpenCL has no such copy: the context would keep the whole source
 * on both, beyond the memory that the engine gave them. They copy through the host. */
#ifndef DFI_GPU_OPENCL_OPENCL_H
#define DFI_GPU_OPENCL_OPENCL_H

#include "../../base/atomic.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/device.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../driver.h"
#include "../kernel/reduce.h"
#include "api.h"
#include "build.h"
#include "queue.h"

#include <limits.h>

#if defined(DF_USE_OPENCL)

enum { DFI_CL_DEVICES = 64, DFI_CL_PLATFORMS = 16 };

/* Found by `count`. A context is that of its platform, with all devices in it, made with the first that is opened. */
static struct {
    struct { void *id; int platform; } device[DFI_CL_DEVICES];
    struct { void *id, *context; int opened; } platform[DFI_CL_PLATFORMS];
    int n;
} dfi_cl_found;

/* OpenCL 1.2 or later, with a compiler, and numbers as the host has them. */
static int dfi_cl_is_usable(void *device)
{
    char version[64];
    unsigned one = 1, major = 0, minor = 0;
    dfi_cl_ask_text(device, DFI_CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %u.%u", &major, &minor) != 2 || major < 1 || (major == 1 && minor < 2)) return 0;
    return DFI_CL_ASK(unsigned, device, DFI_CL_DEVICE_AVAILABLE) &&
        DFI_CL_ASK(unsigned, device, DFI_CL_DEVICE_COMPILER) &&
           !(DFI_CL_ASK(uint64_t, device, DFI_CL_DEVICE_TYPE) & DFI_CL_DEVICE_TYPE_CUSTOM) &&
           DFI_CL_ASK(unsigned, device, DFI_CL_DEVICE_LITTLE) == *(unsigned char *)&one;
}

static int dfi_cl_count(void)
{
    void *platforms[DFI_CL_PLATFORMS], *devices[DFI_CL_DEVICES];
    unsigned p, i, n_platforms = 0, n_devices;
    dfi_cl_found.n = 0;
    if (dfi_cl_load() || dfi_cl.GetPlatformIDs(DFI_CL_PLATFORMS, platforms, &n_platforms)) return 0;
    for (p = 0; p < n_platforms && p < DFI_CL_PLATFORMS; p++) {
        dfi_cl_found.platform[p].id = platforms[p];
        n_devices = 0;
        if (dfi_cl.GetDeviceIDs(platforms[p], dfi_cl_all_devices, DFI_CL_DEVICES, devices, &n_devices)) continue;
        for (i = 0; i < n_devices && i < DFI_CL_DEVICES && dfi_cl_found.n < DFI_CL_DEVICES; i++) {
            if (!dfi_cl_is_usable(devices[i])) continue;
            dfi_cl_found.device[dfi_cl_found.n].id = devices[i];
            dfi_cl_found.device[dfi_cl_found.n++].platform = (int)p;
        }
    }
    return dfi_cl_found.n;
}

/* The context for device i. Where one for the whole platform cannot be had, it is for this device alone. */
static void *dfi_cl_context(int i, int *code)
{
    int p = dfi_cl_found.device[i].platform, k;
    intptr_t properties[3];
    void *devices[DFI_CL_DEVICES], *context = dfi_cl_found.platform[p].context;
    unsigned n = 0;
    properties[0] = DFI_CL_CONTEXT_PLATFORM, properties[1] = (intptr_t)dfi_cl_found.platform[p].id, properties[2] = 0;
    for (k = 0; k < dfi_cl_found.n; k++)
        if (dfi_cl_found.device[k].platform == p) devices[n++] = dfi_cl_found.device[k].id;
    if (!context) context = dfi_cl_found.platform[p].context = dfi_cl.CreateContext(properties, n, devices, NULL,
        NULL, code);
    if (context) dfi_cl_found.platform[p].opened++;
    else context = dfi_cl.CreateContext(properties, 1, &dfi_cl_found.device[i].id, NULL, NULL, code);
    return context;
}
static void dfi_cl_context_free(void *context)
{
    int p;
    for (p = 0; p < DFI_CL_PLATFORMS && dfi_cl_found.platform[p].context != context; p++) { }
    if (p < DFI_CL_PLATFORMS) {
        if (--dfi_cl_found.platform[p].opened) return;
        dfi_cl_found.platform[p].context = NULL;
    }
    dfi_cl.ReleaseContext(context);
}

static size_t dfi_cl_bytes(uint64_t bytes) { return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes; }
static int dfi_cl_int(uint64_t n) { return n > INT_MAX ? INT_MAX : (int)n; }

static void dfi_cl_info(void *id, df_gpu_device *info)
{
    size_t items[16];
    uint64_t dimensions = DFI_CL_ASK(unsigned, id, DFI_CL_DEVICE_DIMENSIONS), warp;
    int i;
    dfi_cl_ask_text(id, DFI_CL_DEVICE_NAME, info->name, sizeof info->name);
    snprintf(info->kind, sizeof info->kind, "OpenCL");
    info->memory = dfi_cl_bytes(DFI_CL_ASK(uint64_t, id, DFI_CL_DEVICE_MEMORY));
    info->units = dfi_cl_int(DFI_CL_ASK(unsigned, id, DFI_CL_DEVICE_UNITS));
    info->max_group = dfi_cl_int(DFI_CL_ASK(size_t, id, DFI_CL_DEVICE_GROUP));
    if (dimensions < 3 || dimensions > 16 ||
        dfi_cl.GetDeviceInfo(id, DFI_CL_DEVICE_ITEMS, (size_t)dimensions * sizeof *items, items, NULL))
        items[0] = items[1] = items[2] = 1;
    for (i = 0; i < 3; i++) {
        info->max_group_dim[i] = dfi_cl_int(items[i]);
        info->max_groups[i] = INT_MAX; /* no limit in OpenCL; the words of kernels are int */
    }
    info->max_shared = dfi_cl_bytes(DFI_CL_ASK(uint64_t, id, DFI_CL_DEVICE_LOCAL));
    info->registers = dfi_cl_int(DFI_CL_ASK(unsigned, id, DFI_CL_DEVICE_REGISTERS_NV));
    warp = DFI_CL_ASK(unsigned, id, DFI_CL_DEVICE_WARP_NV);
    if (!warp) warp = DFI_CL_ASK(unsigned, id, DFI_CL_DEVICE_WAVEFRONT_AMD);
    info->warp = warp ? dfi_cl_int(warp) : 1;
    info->has_double = DFI_CL_ASK(uint64_t, id, DFI_CL_DEVICE_DOUBLE) != 0;
}

static void dfi_cl_close(struct dfi_gpu *d)
{
    struct dfi_cl_device *v = dfi_cl_of(d);
    int q;
    for (q = 0; q < DFI_QUEUES; q++) {
        struct dfi_cl_queue *u = &v->queue[q];
        dfi_cl_waits_done(u);
        if (!u->queue) continue;
        dfi_cl.Finish(u->queue);
        while (u->done != dfi_load_relaxed(&d->issued[q])) dfi_cl.ReleaseEvent(u->ring[++u->done & (u->room - 1)]);
        dfi_mfree((void *)u->ring);
        dfi_cl.ReleaseCommandQueue(u->queue);
    }
    if (v->spare) dfi_cl.ReleaseCommandQueue(v->spare);
    while (v->kernels) {
        struct dfi_cl_kernel *k = v->kernels;
        v->kernels = k->next;
        dfi_cl.ReleaseKernel(k->kernel);
        dfi_cl.ReleaseProgram(k->program);
        dfi_mfree(k);
    }
    if (v->context) dfi_cl_context_free(v->context);
    dfi_mfree(v);
    d->own = NULL;
}

static df_result dfi_cl_open(struct dfi_gpu *d, int i)
{
    static const struct dfi_os_mutex open = DFI_OS_MUTEX_INIT;
    struct dfi_cl_device *v = (struct dfi_cl_device *)dfi_malloc(sizeof *v);
    int code = DFI_CL_OK, q;
    df_result r;
    if (!v) return DF_ERROR_MEMORY;
    memset((void *)v, 0, sizeof *v);
    for (q = 0; q < DFI_QUEUES; q++) v->queue[q].lock = open;
    d->own = (void *)v;
    v->id = dfi_cl_found.device[i].id;
    dfi_cl_info(v->id, &d->info);
    v->max_alloc = dfi_cl_bytes(DFI_CL_ASK(uint64_t, v->id, DFI_CL_DEVICE_MAX_ALLOC));
    v->touch = !(DFI_CL_ASK(uint64_t, v->id, DFI_CL_DEVICE_TYPE) & DFI_CL_DEVICE_TYPE_CPU);
    v->unified = DFI_CL_ASK(unsigned, v->id, DFI_CL_DEVICE_UNIFIED) != 0;
    if (!(v->context = dfi_cl_context(i, &code))) r = dfi_cl_fail("clCreateContext", code);
    else if (!(v->spare = dfi_cl.CreateCommandQueue(v->context, v->id, 0, &code)))
        r = dfi_cl_fail("clCreateCommandQueue", code);
    else return DF_OK;
    dfi_cl_close(d);
    return r;
}

/* A buffer often gets its memory with its first use: it is used here, so that what fails fails here. Not on a
 * processor: its memory comes from malloc, and the use would wait for a thread that may be busy with a kernel (PoCL
 * 3.1: for as long as the kernel runs). */
static dfi_memory dfi_cl_alloc(struct dfi_gpu *d, size_t bytes)
{
    struct dfi_cl_device *v = dfi_cl_of(d);
    static const char first = 0;
    void *m;
    int code;
    if (!bytes) bytes = 1;
    if (bytes > v->max_alloc) {
        snprintf(dfi_gpu_error, sizeof dfi_gpu_error,
                 "%lu bytes are more than a buffer of OpenCL has on this device, which is %lu",
                 (unsigned long)bytes, (unsigned long)v->max_alloc);
        return 0;
    }
    if (!(m = dfi_cl.CreateBuffer(v->context, DFI_CL_MEM_READ_WRITE, bytes, NULL, &code)))
        dfi_cl_fail("clCreateBuffer", code);
    else if (v->touch && (code = dfi_cl.EnqueueWriteBuffer(v->spare, m, 1, 0, 1, &first, 0, NULL, NULL)) != 0) {
        dfi_cl_fail("clEnqueueWriteBuffer", code);
        dfi_cl.ReleaseMemObject(m);
        m = NULL;
    }
    return (dfi_memory)m;
}
static void dfi_cl_free(struct dfi_gpu *d, dfi_memory m)
{
    (void)d;
    if (m) dfi_cl.ReleaseMemObject((void *)m);
}

/* --- copies --------------------------------------------------------------------------------------- */

static int dfi_cl_is_line(const struct dfi_box *b) { return b->rows == 1 || (b->ld == b->row && b->pitch == b->row); }

enum dfi_cl_way { DFI_CL_IN, DFI_CL_OUT, DFI_CL_ON };

/* m: memory of the device; other: memory of the host, or for DFI_CL_ON the memory of the device that is copied from. */
static df_result dfi_cl_copy(struct dfi_gpu *d, int q, enum dfi_cl_way way, void *m, void *other,
                             const struct dfi_box *b)
{
    static const size_t zero[3] = { 0, 0, 0 };
    static const char *const call[] = { "clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clEnqueueCopyBuffer" };
    static const char *const rect[] = { "clEnqueueWriteBufferRect", "clEnqueueReadBufferRect",
        "clEnqueueCopyBufferRect" };
    struct dfi_cl_queue *u;
    size_t box[3], bytes = b->row * b->rows;
    void *event = NULL;
    df_result r;
    int code, line = dfi_cl_is_line(b);
    if (!bytes) return DF_OK;
    if ((r = dfi_cl_ready(d, q, &u)) != DF_OK) return r;
    box[0] = b->row, box[1] = b->rows, box[2] = 1;
    if (way == DFI_CL_IN)
        code = line ? dfi_cl.EnqueueWriteBuffer(u->queue, m, 0, 0, bytes, other, DFI_CL_AFTER(u, &event))
            : dfi_cl.EnqueueWriteBufferRect(u->queue, m, 0, zero, zero, box, b->pitch, 0, b->ld, 0, other,
                                            DFI_CL_AFTER(u, &event));
    else if (way == DFI_CL_OUT)
        code = line ? dfi_cl.EnqueueReadBuffer(u->queue, m, 0, 0, bytes, other, DFI_CL_AFTER(u, &event))
            : dfi_cl.EnqueueReadBufferRect(u->queue, m, 0, zero, zero, box, b->pitch, 0, b->ld, 0, other,
                                           DFI_CL_AFTER(u, &event));
    else
        code = line ? dfi_cl.EnqueueCopyBuffer(u->queue, other, m, 0, 0, bytes, DFI_CL_AFTER(u, &event))
            : dfi_cl.EnqueueCopyBufferRect(u->queue, other, m, zero, zero, box, b->ld, 0, b->pitch, 0,
                                           DFI_CL_AFTER(u, &event));
    return dfi_cl_issued(d, q, line ? call[way] : rect[way], code, &event);
}

static df_result dfi_cl_copy_in(struct dfi_gpu *d, int q, dfi_memory to, const void *from, const struct dfi_box *b)
{
    return dfi_cl_copy(d, q, DFI_CL_IN, (void *)to, (void *)(uintptr_t)from, b);
}

static df_result dfi_cl_copy_out(struct dfi_gpu *d, int q, void *to, dfi_memory from, const struct dfi_box *b)
{
    return dfi_cl_copy(d, q, DFI_CL_OUT, (void *)from, to, b);
}

static df_result dfi_cl_copy_on(struct dfi_gpu *d, int q, dfi_memory to, dfi_memory from, const struct dfi_box *b)
{
    return dfi_cl_copy(d, q, DFI_CL_ON, (void *)to, (void *)from, b);
}

static df_result dfi_cl_copy_peer(struct dfi_gpu *d, int q, dfi_memory to, struct dfi_gpu *e, dfi_memory from,
                                  size_t bytes)
{
    struct dfi_cl_device *v = dfi_cl_of(d), *w = dfi_cl_of(e);
    struct dfi_box b;
    if (v->context != w->context || !v->unified || !w->unified) {
        snprintf(dfi_gpu_error, sizeof dfi_gpu_error, "no copy from device to device between these");
        return DF_ERROR_DEVICE;
    }
    b.row = b.ld = b.pitch = bytes, b.rows = 1;
    return dfi_cl_copy_on(d, q, to, from, &b);
}

/* --- launches ------------------------------------------------------------------------------------- */

/* The arguments of a kernel are its own, whatever queue it goes to: they and the launch are under its lock. */
static df_result dfi_cl_launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b,
                               const int *groups, const int *group, const struct dfi_arg *args, int n_args)
{
    struct dfi_cl_kernel *built = (struct dfi_cl_kernel *)b->handle;
    struct dfi_cl_queue *u;
    const char *call = "clSetKernelArg";
    size_t items[3], of_group[3], shared = dfi_kernel_shared(k, group);
    void *event = NULL;
    df_result r = dfi_cl_ready(d, q, &u);
    int i, code = DFI_CL_OK;
    if (r) return r;
    for (i = 0; i < 3; i++) of_group[i] = (size_t)group[i], items[i] = (size_t)groups[i] * of_group[i];
    dfi_os_lock(&built->lock);
    for (i = 0; i < n_args && !code; i++) {
        if (args[i].is_memory) {
            dfi_memory m;
            memcpy(&m, args[i].p, sizeof m);
            code = dfi_cl.SetKernelArg(built->kernel, (unsigned)i, sizeof(void *), &m);
        } else code = dfi_cl.SetKernelArg(built->kernel, (unsigned)i, args[i].bytes, args[i].p);
    }
    if (!code && shared) code = dfi_cl.SetKernelArg(built->kernel, (unsigned)n_args, shared, NULL);
    if (!code) {
        call = "clEnqueueNDRangeKernel";
        code = dfi_cl.EnqueueNDRangeKernel(u->queue, built->kernel, 3, NULL, items, of_group, DFI_CL_AFTER(u, &event));
    }
    dfi_os_unlock(&built->lock);
    return dfi_cl_issued(d, q, call, code, &event);
}

static const struct dfi_gpu_driver dfi_opencl_driver = {
    "OpenCL", dfi_cl_count, dfi_cl_open, dfi_cl_close, dfi_cl_alloc, dfi_cl_free, dfi_cl_copy_in, dfi_cl_copy_out,
    dfi_cl_copy_on, dfi_cl_copy_peer, dfi_cl_wait, dfi_cl_reached, dfi_cl_sync, dfi_cl_flush, dfi_cl_build,
    dfi_cl_launch, dfi_cl_native, dfi_cl_native_end, NULL
};

#endif

#endif
