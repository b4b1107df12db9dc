/* sim.h - devices that are threads: for tests, and for programs without a device at hand
 *
 *   DF_GPU_SIM=4:64M:8G          four devices of 64 MiB each, which move 8 GiB a second in each direction; without
 *                                the rate, or 0: as fast as it goes
 *   DF_GPU_SIM_SEED=n            operations are held up at random, so that queues overtake each other (DF_DEBUG=3:
 *                                always)
 *   DF_GPU_SIM_BROKEN=f,g        the kernels f and g do not compile
 *   DF_GPU_SIM_FAIL=launch:5     the 5th launch fails; alloc:n, copy_in:n, copy_out:n alike; fault:n: the n-th
 *                                operation (copy or launch) fails while it is executed, and with it what comes
 *                                behind or waits for it; lost:n: with the n-th operation its device is gone. Several
 *                                with commas; counted over all devices, or with @d behind it on device d (1, 2, ..)
 *
 * A device has memory of its own, of which no more than its share can be had: what was never copied there is not
 * there, and neither is what was freed. Each queue is a thread, begun when it is first used: it executes its
 * operations in order, and nothing orders it with other queues but `wait`. So ThreadSanitizer sees what an engine
 * forgets to order, and AddressSanitizer what it frees too early. Kernels run as on the host, one group after the
 * other.
 *
 * This file has what the engine calls; gpu/sim/queue.h the devices and how their queues execute. */
#ifndef DFI_GPU_SIM_SIM_H
#define DFI_GPU_SIM_SIM_H

#include "../../base/atomic.h"
#include "../../base/env.h"
#include "../../base/memory.h"
#include "../../os/fibre.h"
#include "../../os/os.h"
#include "../../api/device.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../driver.h"
#include "../host/group.h"
#include "../host/host.h"
#include "../kernel/try.h"
#include "queue.h"

#include <limits.h>

static df_result dfi_sim_open(struct dfi_gpu *d, int i)
{
    struct dfi_sim_device *s = (struct dfi_sim_device *)dfi_malloc(sizeof *s);
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    int q;
    if (!s) return dfi_sim_say(DF_ERROR_MEMORY, "no memory");
    memset((void *)s, 0, sizeof *s);
    if (dfi_os_event_init(&s->event)) {
        dfi_mfree((void *)s);
        return dfi_sim_say(DF_ERROR_MEMORY, "no event");
    }
    s->number = i + 1;
    s->gpu = d;
    s->lock = fresh;
    s->limit = dfi_sim.bytes;
    for (q = 0; q < DFI_QUEUES; q++) {
        s->queue[q].device = s;
        s->queue[q].end = &s->queue[q].first;
        dfi_host_group_init(&s->queue[q].group);
        s->queue[q].random = dfi_sim.seed ? dfi_sim.seed * 977 + (uint64_t)(i * DFI_QUEUES + q + 1) : 0;
    }
    d->own = s;
    snprintf(d->info.name, sizeof d->info.name, "simulated device %d", i + 1);
    d->info.memory = s->limit;
    d->info.units = 1;
    d->info.max_group = d->info.max_group_dim[0] = d->info.max_group_dim[1] = 1024;
    d->info.max_group_dim[2] = 64;
    d->info.max_groups[0] = INT_MAX;
    d->info.max_groups[1] = d->info.max_groups[2] = 65535;
    d->info.max_shared = DFI_SIM_SHARED;
    d->info.warp = 1;
    d->info.has_double = 1;
    dfi_os_lock(&dfi_sim.lock);
    dfi_sim.device[i] = s;
    dfi_os_unlock(&dfi_sim.lock);
    return DF_OK;
}

static void dfi_sim_block_free(struct dfi_sim_block *b)
{
    memset(b->p, DFI_SIM_FREED, b->bytes);
    dfi_mfree(b->p);
    dfi_mfree((void *)b);
}

static void dfi_sim_close(struct dfi_gpu *d)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_sim_block *b;
    int q;
    dfi_os_lock(&dfi_sim.lock);
    dfi_sim.device[s->number - 1] = NULL;
    dfi_os_unlock(&dfi_sim.lock);
    dfi_os_lock(&s->lock);
    s->stop = 1;
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
    for (q = 0; q < DFI_QUEUES; q++) {
        if (s->queue[q].started) dfi_os_thread_join(&s->queue[q].thread);
        if (s->queue[q].group.fibres) dfi_fibres_free(s->queue[q].group.fibres);
    }
    while ((b = s->blocks) != NULL) {
        s->blocks = b->next;
        dfi_sim_block_free(b);
    }
    dfi_os_event_free(&s->event);
    dfi_mfree((void *)s);
    d->own = NULL;
}

static size_t dfi_sim_round(size_t bytes) { return (bytes + DFI_SIM_UNIT - 1) / DFI_SIM_UNIT * DFI_SIM_UNIT; }

static dfi_memory dfi_sim_alloc(struct dfi_gpu *d, size_t bytes)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_sim_block *b;
    int fits;
    dfi_os_lock(&s->lock);
    fits = !s->lost && bytes && bytes <= s->limit && dfi_sim_round(bytes) <= s->limit - s->used;
    dfi_os_unlock(&s->lock);
    if (dfi_sim_fails(s, DFI_SIM_ALLOC) || !fits) return 0;
    b = (struct dfi_sim_block *)dfi_malloc(sizeof *b);
    if (!b || !(b->p = (char *)dfi_malloc(bytes))) {
        dfi_mfree((void *)b);
        return 0;
    }
    b->bytes = bytes;
    memset(b->p, DFI_SIM_NEW, bytes);
    dfi_os_lock(&s->lock);
    b->next = s->blocks, s->blocks = b;
    s->used += dfi_sim_round(bytes);
    dfi_os_unlock(&s->lock);
    return (dfi_memory)b->p;
}

static void dfi_sim_free(struct dfi_gpu *d, dfi_memory m)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_sim_block **at, *b;
    dfi_os_lock(&s->lock);
    for (at = &s->blocks; *at && (dfi_memory)(*at)->p != m;) at = &(*at)->next;
    if ((b = *at) != NULL) {
        *at = b->next;
        s->used -= dfi_sim_round(b->bytes);
    } else if (m) dfi_sim_set_failed(s, DF_ERROR_DEVICE, "what is freed is no memory of the simulated device");
    dfi_os_unlock(&s->lock);
    if (b) dfi_sim_block_free(b);
}

/* A record for an operation that may fail before it begins. NULL: it does, *r says how. */
static struct dfi_sim_op *dfi_sim_op_new(struct dfi_sim_device *s, enum dfi_sim_what what, int event, size_t more,
                                         df_result *r)
{
    struct dfi_sim_op *o;
    int lost, faulty = 0, fails = 0;
    if (what != DFI_SIM_WAIT) {
        if (dfi_sim_fails(s, DFI_SIM_LOST)) dfi_sim_lose(s);
        faulty = dfi_sim_fails(s, DFI_SIM_FAULT);
        fails = event >= 0 && dfi_sim_fails(s, event);
    }
    dfi_os_lock(&s->lock);
    lost = s->lost;
    dfi_os_unlock(&s->lock);
    if (lost || fails) {
        *r = dfi_sim_say(DF_ERROR_DEVICE,
                         lost ? "the simulated device is gone" : "the simulated device fails (DF_GPU_SIM_FAIL)");
        return NULL;
    }
    if (!(o = (struct dfi_sim_op *)dfi_malloc(sizeof *o + more))) {
        *r = dfi_sim_say(DF_ERROR_MEMORY, "no memory for an operation of the simulated device");
        return NULL;
    }
    memset((void *)o, 0, sizeof *o);
    o->what = what;
    o->faulty = faulty;
    return o;
}

static df_result dfi_sim_put(struct dfi_sim_device *s, int queue, struct dfi_sim_op *o)
{
    struct dfi_sim_queue *q = &s->queue[queue];
    if (!q->started && !q->here) {
        if (dfi_os_thread_start(&q->thread, dfi_sim_thread, q, 0)) q->here = 1;
        else q->started = 1;
    }
    dfi_os_lock(&s->lock);
    *q->end = o, q->end = &o->next;
    q->issued += o->what != DFI_SIM_WAIT;
    dfi_store_relaxed(&s->gpu->issued[queue], q->issued); /* relaxed: a number; what it stands for is under the lock */
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
    while (q->here && dfi_sim_step(q)) {}
    return DF_OK;
}

static df_result dfi_sim_copy(struct dfi_sim_device *s, int q, int event, struct dfi_sim_device *to_device,
                              char *to, size_t to_ld, struct dfi_sim_device *from_device, const char *from,
                              size_t from_ld, const struct dfi_box *b)
{
    df_result r;
    struct dfi_sim_op *o = dfi_sim_op_new(s, DFI_SIM_COPY, event, 0, &r);
    if (!o) return r;
    o->to_device = to_device, o->to = to, o->to_ld = to_ld;
    o->from_device = from_device, o->from = from, o->from_ld = from_ld;
    o->row = b->row, o->rows = b->rows;
    return dfi_sim_put(s, q, o);
}

static df_result dfi_sim_copy_in(struct dfi_gpu *d, int q, dfi_memory to, const void *from, const struct dfi_box *b)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    return dfi_sim_copy(s, q, DFI_SIM_IN, s, (char *)to, b->pitch, NULL, (const char *)from, b->ld, b);
}

static df_result dfi_sim_copy_out(struct dfi_gpu *d, int q, void *to, dfi_memory from, const struct dfi_box *b)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    return dfi_sim_copy(s, q, DFI_SIM_OUT, NULL, (char *)to, b->ld, s, (const char *)from, b->pitch, b);
}

static df_result dfi_sim_copy_on(struct dfi_gpu *d, int q, dfi_memory to, dfi_memory from, const struct dfi_box *b)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    return dfi_sim_copy(s, q, -1, s, (char *)to, b->pitch, s, (const char *)from, b->ld, b);
}

static df_result dfi_sim_copy_peer(struct dfi_gpu *d, int q, dfi_memory to, struct dfi_gpu *from_device,
                                   dfi_memory from, size_t bytes)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_box b;
    b.row = bytes, b.rows = 1, b.ld = b.pitch = bytes;
    return dfi_sim_copy(s, q, -1, s, (char *)to, bytes, dfi_sim_of(from_device), (const char *)from, bytes, &b);
}

static df_result dfi_sim_wait(struct dfi_gpu *d, int q, struct dfi_gpu *e, int p, uintptr_t point)
{
    df_result r;
    struct dfi_sim_op *o = dfi_sim_op_new(dfi_sim_of(d), DFI_SIM_WAIT, -1, 0, &r);
    if (!o) return r;
    o->other = dfi_sim_of(e), o->queue = p, o->point = point;
    return dfi_sim_put(dfi_sim_of(d), q, o);
}

/* A device that is gone has reached everything when nothing is being executed any more. */
static int dfi_sim_reached(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    int i, reached, busy = 0;
    dfi_os_lock(&s->lock);
    for (i = 0; i < DFI_QUEUES; i++) busy |= s->queue[i].first != NULL;
    reached = s->queue[q].done >= point || (s->lost && !busy);
    dfi_os_unlock(&s->lock);
    return reached;
}

static df_result dfi_sim_sync(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    df_result r;
    for (;;) {
        int seen = dfi_load_acquire(&s->changes);
        if (dfi_sim_reached(d, q, point)) break;
        dfi_os_event_wait(&s->event, &s->changes, seen, 0);
    }
    dfi_os_lock(&s->lock);
    r = s->failed;
    if (r) dfi_sim_say(r, s->why);
    dfi_os_unlock(&s->lock);
    return r;
}

static void dfi_sim_flush(struct dfi_gpu *d, int q) { (void)d, (void)q; } /* a queue begins at once */

static df_result dfi_sim_build(struct dfi_gpu *d, struct dfi_kernel *k, struct dfi_built *b, char *log,
                               size_t log_bytes)
{
    const char *broken = dfi_env("DF_GPU_SIM_BROKEN");
    size_t n = strlen(k->name);
    (void)d;
    for (; broken && *broken; broken += strcspn(broken, ","), broken += *broken == ',') {
        if (strncmp(broken, k->name, n) || (broken[n] && broken[n] != ',')) continue;
        snprintf(log, log_bytes, "%s:%d: error: DF_GPU_SIM_BROKEN names %s", k->file, k->line, k->name);
        return b->result = dfi_sim_say(DF_ERROR_KERNEL, "the kernel does not compile");
    }
    if (dfi_kernel_tried(k, 1, log, log_bytes))
        return b->result = dfi_sim_say(DF_ERROR_KERNEL, "the kernel does not compile");
    if (log_bytes) *log = 0;
    b->handle = NULL;
    b->max_group = 1024;
    b->registers = 0;
    b->shared = b->spilled = 0;
    return b->result = DF_OK;
}

static df_result dfi_sim_launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b,
                                const int *groups, const int *group, const struct dfi_arg *args, int n_args)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    df_result r;
    df_ndrange grid;
    struct dfi_sim_op *o = dfi_sim_op_new(s, DFI_SIM_RUN, DFI_SIM_LAUNCH, k->args_bytes + 64, &r);
    const char *wrong;
    int i;
    (void)b;
    if (!o) return r;
    for (i = 0; i < 3; i++) grid.n[i] = (long)groups[i] * group[i], grid.group[i] = group[i];
    if ((wrong = dfi_host_plan_make(&o->plan, k, &grid)) != NULL || n_args < k->n_params) {
        dfi_mfree((void *)o);
        return dfi_sim_say(DF_ERROR_GRID, wrong ? wrong : "an argument is missing");
    }
    o->args = dfi_align(o + 1);
    memset(o->args, 0, k->args_bytes);
    memcpy(o->args, (void *)&grid, sizeof grid);
    for (i = 0; i < k->n_params; i++)
        memcpy(o->args + k->param[i].at, args[i].p, args[i].is_memory ? sizeof(void *) : k->param[i].bytes);
    return dfi_sim_put(s, q, o);
}

/* A function of the host may use the memory of the device as it is, when everything before it in the queue is done. */
static void *dfi_sim_native(struct dfi_gpu *d, int q)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    for (;;) {
        int seen = dfi_load_acquire(&s->changes), busy;
        dfi_os_lock(&s->lock);
        busy = s->queue[q].first != NULL;
        dfi_os_unlock(&s->lock);
        if (!busy) return &s->queue[q];
        dfi_os_event_wait(&s->event, &s->changes, seen, 0);
    }
}

static void dfi_sim_native_end(struct dfi_gpu *d, int q)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    dfi_os_lock(&s->lock);
    s->queue[q].issued++, s->queue[q].done++;
    dfi_store_relaxed(&d->issued[q], s->queue[q].issued);
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
}

static const struct dfi_gpu_driver dfi_sim_driver = {
    "simulated", dfi_sim_count, dfi_sim_open, dfi_sim_close, dfi_sim_alloc, dfi_sim_free, dfi_sim_copy_in,
    dfi_sim_copy_out, dfi_sim_copy_on, dfi_sim_copy_peer, dfi_sim_wait, dfi_sim_reached, dfi_sim_sync,
    dfi_sim_flush, dfi_sim_build, dfi_sim_launch, dfi_sim_native, dfi_sim_native_end, NULL
};

#endif
