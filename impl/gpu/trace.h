/* trace.h - operations of devices in DF_TRACE, for every kind of driver
 *
 * While df traces, a device has another table of functions, which call the driver's and record what is put into the
 * queues. Each queue has a thread that waits for its operations one after the other. An operation ends when the driver
 * reports it, and begins when it was put into the queue or its predecessor ended, whichever is later. Without a trace
 * none of this exists. */
#ifndef DFI_GPU_TRACE_H
#define DFI_GPU_TRACE_H

#include "../base/atomic.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/kernel.h"
#include "../api/result.h"
#include "../observe/event.h"
#include "../observe/events.h"
#include "../observe/trace/trace.h"
#include "driver.h"
#include "record.h"

/* operations of a queue that are not over; a power of two. Those beyond it are not shown */
enum { DFI_GT_ROOM = 1024 };

/* An operation of the queue itself, or (name NULL) a wait for operation `point` of queue `queue` of `on`. */
struct dfi_gt_op {
    const char *name;
    uint64_t issued;              /* ticks */
    size_t bytes;                 /* 0: a kernel */
    struct dfi_gpu *on;
    int queue;
    uintptr_t point;
};
struct dfi_gt_queue {
    struct dfi_gt_op op[DFI_GT_ROOM];
    struct dfi_gpu *gpu;
    struct dfi_os_mutex lock;
    unsigned written, read;       /* under the lock */
    int ending;
    DFI_ATOMIC(int) news;
    struct dfi_os_event event;
    struct dfi_os_thread thread;
};
struct dfi_gt {
    struct dfi_gpu *gpu;          /* NULL: there is none */
    const struct dfi_gpu_driver *real;
    struct dfi_gt_queue *queue[DFI_QUEUES]; /* NULL: not used so far; made with the first operation */
};
static struct dfi_gt dfi_gt[DFI_MAX_DEVICES]; /* as long as the device is open */

/* --- the thread of a queue --------------------------------------------------------------------------- */

static void *dfi_gt_thread(void *p)
{
    struct dfi_gt_queue *k = (struct dfi_gt_queue *)p;
    const struct dfi_gpu_driver *v = dfi_gt[k->gpu->index].real;
    unsigned track = DFI_TRACK_DEVICE + DFI_TRACK_QUEUES * (unsigned)k->gpu->index;
    uint64_t before = 0, now, begin;
    for (;;) {
        struct dfi_gt_op op;
        int seen = dfi_load_acquire(&k->news), some;
        dfi_os_lock(&k->lock);
        if ((some = k->read != k->written) != 0) op = k->op[k->read++ % DFI_GT_ROOM];
        else if (k->ending) break;
        dfi_os_unlock(&k->lock);
        if (!some) {
            dfi_os_event_wait(&k->event, &k->news, seen, 0);
            continue;
        }
        v->sync(op.on, op.queue, op.point); /* also if it failed it is over */
        now = dfi_ticks();
        begin = op.issued > before ? op.issued : before;
        before = now;
        if (op.name) dfi_device_put(DFI_E_DEVICE, begin < now ? begin : now, op.bytes,
                                    begin < now ? now - begin : 0, op.name, track + (unsigned)op.queue);
    }
    dfi_os_unlock(&k->lock);
    return NULL;
}

static struct dfi_gt_queue *dfi_gt_queue_new(struct dfi_gpu *d, int q)
{
    struct dfi_gt_queue *k = (struct dfi_gt_queue *)dfi_malloc(sizeof *k);
    char name[128];
    if (!k) return NULL;
    memset((void *)k, 0, sizeof *k);
    k->gpu = d, k->lock = dfi_mutex_free;
    if (dfi_os_event_init(&k->event) || dfi_os_thread_start(&k->thread, dfi_gt_thread, k, 0)) {
        dfi_mfree(k);
        return NULL;
    }
    if (q >= DFI_Q_RUN) snprintf(name, sizeof name, "device %d, %s: kernels %d", d->index + 1, d->driver->kind,
                                 q - DFI_Q_RUN + 1);
    else snprintf(name, sizeof name, "device %d, %s: %s", d->index + 1, d->driver->kind,
                  q == DFI_Q_IN ? "to the device" : "to the host");
    dfi_device_put(DFI_E_TRACK, 0, 0, 0, name, DFI_TRACK_DEVICE + DFI_TRACK_QUEUES * (unsigned)d->index + (unsigned)q);
    return k;
}

/* Records the latest operation of queue q of d: one with that name or, without a name, a wait. */
static void dfi_gt_note(struct dfi_gpu *d, int q, const char *name, size_t bytes, struct dfi_gpu *on, int queue,
                        uintptr_t point)
{
    struct dfi_gt *g = &dfi_gt[d->index];
    struct dfi_gt_queue *k = g->queue[q];
    if (!k) k = g->queue[q] = dfi_gt_queue_new(d, q);
    if (k) {
        dfi_os_lock(&k->lock);
        if (k->written - k->read < DFI_GT_ROOM) {
            struct dfi_gt_op *op = &k->op[k->written++ % DFI_GT_ROOM];
            op->name = name, op->bytes = bytes, op->issued = dfi_ticks();
            op->on = on, op->queue = queue, op->point = point;
        } else k = NULL;
        dfi_os_unlock(&g->queue[q]->lock);
    }
    if (k) {
        dfi_fetch_add_acq_rel(&k->news, 1); /* release: relaxed would do, the lock orders what was written */
        dfi_os_event_wake(&k->event);
    } else dfi_device_missing();
}

static df_result dfi_gt_done(struct dfi_gpu *d, int q, const char *name, size_t bytes, df_result r)
{
    if (!r) dfi_gt_note(d, q, name, bytes, d, q, dfi_load_relaxed(&d->issued[q]));
    return r;
}

/* --- the table ------------------------------------------------------------------------------------------- */

static df_result dfi_gt_copy_in(struct dfi_gpu *d, int q, dfi_memory to, const void *from, const struct dfi_box *b)
{
    return dfi_gt_done(d, q, "to the device", b->row * b->rows, dfi_gt[d->index].real->copy_in(d, q, to, from, b));
}
static df_result dfi_gt_copy_out(struct dfi_gpu *d, int q, void *to, dfi_memory from, const struct dfi_box *b)
{
    return dfi_gt_done(d, q, "to the host", b->row * b->rows, dfi_gt[d->index].real->copy_out(d, q, to, from, b));
}
static df_result dfi_gt_copy_on(struct dfi_gpu *d, int q, dfi_memory to, dfi_memory from, const struct dfi_box *b)
{
    return dfi_gt_done(d, q, "within the device", b->row * b->rows, dfi_gt[d->index].real->copy_on(d, q, to, from, b));
}
static df_result dfi_gt_copy_peer(struct dfi_gpu *d, int q, dfi_memory to, struct dfi_gpu *from_device,
                                  dfi_memory from, size_t bytes)
{
    return dfi_gt_done(d, q, "from another device", bytes,
                       dfi_gt[d->index].real->copy_peer(d, q, to, from_device, from, bytes));
}
static df_result dfi_gt_wait(struct dfi_gpu *d, int q, struct dfi_gpu *e, int p, uintptr_t point)
{
    df_result r = dfi_gt[d->index].real->wait(d, q, e, p, point);
    if (!r) dfi_gt_note(d, q, NULL, 0, e, p, point);
    return r;
}
static df_result dfi_gt_launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b,
                               const int *groups, const int *group, const struct dfi_arg *args, int n_args)
{
    return dfi_gt_done(d, q, k->name, 0, dfi_gt[d->index].real->launch(d, q, k, b, groups, group, args, n_args));
}
static void dfi_gt_native_end(struct dfi_gpu *d, int q)
{
    dfi_gt[d->index].real->native_end(d, q);
    dfi_gt_done(d, q, "function of a library", 0, DF_OK);
}

/* d, which has been opened, is traced. */
static void dfi_gt_begin(struct dfi_gpu *d)
{
    static struct dfi_gpu_driver table; /* all devices that are open at a time have the same driver */
    dfi_gt[d->index].gpu = d, dfi_gt[d->index].real = d->driver;
    table = *d->driver;
    table.copy_in = dfi_gt_copy_in, table.copy_out = dfi_gt_copy_out, table.copy_on = dfi_gt_copy_on;
    if (table.copy_peer) table.copy_peer = dfi_gt_copy_peer;
    table.wait = dfi_gt_wait, table.launch = dfi_gt_launch, table.native_end = dfi_gt_native_end;
    d->driver = &table;
}

/* Before devices are closed: all that they did has been seen, and they have the tables of their drivers. */
static void dfi_gt_end(void)
{
    int i, q;
    for (i = 0; i < DFI_MAX_DEVICES; i++) {
        struct dfi_gt *g = &dfi_gt[i];
        for (q = 0; q < DFI_QUEUES; q++) {
            struct dfi_gt_queue *k = g->queue[q];
            if (!k) continue;
            dfi_os_lock(&k->lock);
            k->ending = 1;
            dfi_os_unlock(&k->lock);
            dfi_fetch_add_acq_rel(&k->news, 1);
            dfi_os_event_wake(&k->event);
            dfi_os_thread_join(&k->thread);
            dfi_os_event_free(&k->event);
            dfi_mfree(k);
        }
        if (g->gpu) g->gpu->driver = g->real;
        memset((void *)g, 0, sizeof *g);
    }
}

/* The child of a fork has none of the threads. */
static void dfi_gt_forked(void) { memset((void *)dfi_gt, 0, sizeof dfi_gt); }

#endif
