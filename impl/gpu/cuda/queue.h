/* queue.h - queues of CUDA devices: streams, and the events that tell when their operations are done
 *
 * A device is its primary context, which the CUDA runtime and its libraries also use. A queue is a stream. Operations
 * are counted in dfi_gpu.issued; an event is recorded only when a thread asks for a point that no recorded event
 * covers.
 *
 * Why events can be reused. (1) An event belongs to one queue, and is recorded only in its stream. (2) It covers the
 * operations counted before it was recorded, because an operation is counted after it was put into the stream
 * (release and acquire of `issued`). `covers` is set under the queue's lock after cuEventRecord succeeded, so an event
 * that was never recorded, for which cuStreamWaitEvent would not wait, is never found. (3) An event that is recorded
 * later in a stream completes later. So a thread that waits for an event which is recorded once more sees it done when
 * its point is done, or later; it takes as done the operations that the event covered when the wait began. `users`
 * avoids that while other events are free. (4) cuStreamWaitEvent uses the latest record of the event at
 * the time of the call, which is under the lock of the event's queue. (5) Every wait is for operations put into a
 * stream earlier, so there is no cycle. */
#ifndef DFI_GPU_CUDA_QUEUE_H
#define DFI_GPU_CUDA_QUEUE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../os/os.h"
#include "../../api/result.h"
#include "api.h"
#include "../driver.h"

#if defined(DF_USE_CUDA)

enum {
    DFI_CUDA_EVENTS = 16,   /* per queue: more than the pieces of a copy that are under way, and threads that wait */
    /* A thread asks for so long before it sleeps, as the driver's own functions do by default: 100 MB travel in it.
     * To be woken by the device takes 0.05 to 0.2 ms, and makes each event 1 us slower. */
    DFI_CUDA_SPIN_US = 2000,
    DFI_CUDA_KNOWN = 16,    /* devices for which a queue remembers what it waited for */
    DFI_CUDA_PIECES = 8     /* of pinned memory per queue, see gpu/cuda/copy.h */
};

struct dfi_cuda_event { void *event; uintptr_t covers; int users; };

/* Pinned memory through which copies of pageable memory go. Used by the one thread that uses the queue. */
struct dfi_cuda_stage {
    char *memory;                     /* NULL: not yet, or refused */
    int refused, now;                 /* piece in use */
    size_t used;                      /* bytes of it */
    uintptr_t last[DFI_CUDA_PIECES];  /* the operation that uses each piece last */
};

struct dfi_cuda_queue {
    DFI_ATOMIC(void *) stream;        /* made with the first operation */
    DFI_ATOMIC(uintptr_t) done;       /* as far as is known */
    struct dfi_os_mutex lock;         /* of the events; writers of `done` hold it */
    struct dfi_cuda_event event[DFI_CUDA_EVENTS];
    int n_events;
    uintptr_t waited[DFI_CUDA_KNOWN][DFI_QUEUES]; /* for points of other queues: used by the queue's thread */
    struct dfi_cuda_stage stage;
};

struct dfi_cuda_module { struct dfi_cuda_module *next; void *module; };

struct dfi_cuda_device {
    int device, arch;                 /* CUdevice; 90 for 9.0 */
    size_t max_pitch;
    void *context;
    struct dfi_cuda_module *modules;  /* of kernels that were built */
    DFI_ATOMIC(int) peer[DFI_CUDA_KNOWN]; /* 1: access was asked for */
    DFI_ATOMIC(int) lost;             /* it failed, as lost_text says: no call will succeed again */
    struct dfi_os_mutex lock;         /* of the text, until `lost` is set */
    char lost_text[sizeof dfi_gpu_error];
    struct dfi_cuda_queue queue[DFI_QUEUES];
};

static struct dfi_cuda_device *dfi_cuda_of(const struct dfi_gpu *d) { return (struct dfi_cuda_device *)d->own; }

/* --- errors, contexts ----------------------------------------------------------------------------- */

/* After one of these every call in the context fails, says cuda.h. */
static int dfi_cuda_is_fatal(int code)
{
    switch (code) {
    case DFI_CUDA_NOT_INITIALIZED: /* in the child of a fork */
    case DFI_CUDA_DEINITIALIZED:
    case DFI_CUDA_INVALID_CONTEXT:
    case DFI_CUDA_ECC:
    case DFI_CUDA_NVLINK:
    case DFI_CUDA_CONTAINED:
    case DFI_CUDA_ILLEGAL_ADDRESS:
    case DFI_CUDA_LAUNCH_TIMEOUT:
    case DFI_CUDA_CONTEXT_DESTROYED:
    case DFI_CUDA_ASSERT:
    case DFI_CUDA_TENSOR_MEMORY:
    case DFI_CUDA_MPS_NOT_READY:
    case DFI_CUDA_MPS_TERMINATED:
    case DFI_CUDA_UNKNOWN: return 1;
    default: return code >= DFI_CUDA_STACK_ERROR && code <= DFI_CUDA_LAUNCH_FAILED;
    }
}

static void dfi_cuda_set_lost(struct dfi_gpu *d)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    dfi_os_lock(&u->lock);
    if (!dfi_load_relaxed(&u->lost)) {
        memcpy(u->lost_text, dfi_gpu_error, sizeof u->lost_text);
        dfi_store_release(&u->lost, 1); /* pairs with the acquire in dfi_cuda_enter, dfi_cuda_reached: the text */
    }
    dfi_os_unlock(&u->lock);
}

/* The result for the caller of a call that failed; dfi_gpu_error has the text. pre: code is not 0. */
static df_result dfi_cuda_fail(struct dfi_gpu *d, const char *call, int code)
{
    dfi_cuda_say(dfi_gpu_error, sizeof dfi_gpu_error, call, code);
    if (dfi_cuda_is_fatal(code)) dfi_cuda_set_lost(d);
    return code == DFI_CUDA_OUT_OF_MEMORY ? DF_ERROR_DEVICE_MEMORY : code == DFI_CUDA_OUT_OF_RESOURCES
        ? DF_ERROR_GRID : DF_ERROR_DEVICE;
}

static df_result dfi_cuda_check(struct dfi_gpu *d, const char *call, int code)
{
    return code ? dfi_cuda_fail(d, call, code) : DF_OK;
}

/* Makes d's context that of the calling thread, which may have another one for its own use. Each success has its
 * leave. */
static df_result dfi_cuda_enter(struct dfi_gpu *d)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    if (dfi_load_acquire(&u->lost)) { /* pairs with the release in dfi_cuda_set_lost */
        memcpy(dfi_gpu_error, u->lost_text, sizeof u->lost_text);
        return DF_ERROR_DEVICE;
    }
    return dfi_cuda_check(d, "cuCtxPushCurrent", dfi_cuda.cu.context_push(u->context));
}
static void dfi_cuda_leave(void)
{
    void *context;
    dfi_cuda.cu.context_pop(&context);
}

/* --- queues -------------------------------------------------------------------------------------- */

/* The stream of queue q, made if there is none. pre: entered; the caller uses the queue. */
static df_result dfi_cuda_stream(struct dfi_gpu *d, int q, void **stream)
{
    DFI_ATOMIC(void *) *at = &dfi_cuda_of(d)->queue[q].stream;
    df_result r;
    if ((*stream = dfi_load_relaxed(at)) != NULL) return DF_OK;
    if ((r = dfi_cuda_check(d, "cuStreamCreate",
                            dfi_cuda.cu.stream_create(stream, DFI_CUDA_STREAM_NON_BLOCKING))) != DF_OK) return r;
    dfi_store_relaxed(at, *stream); /* others read it after they have seen that something was counted */
    return DF_OK;
}

/* Makes d's context that of the calling thread, and finds the stream of queue q. pre: the caller uses the queue. */
static df_result dfi_cuda_enter_queue(struct dfi_gpu *d, int q, void **stream)
{
    df_result r = dfi_cuda_enter(d);
    if (!r && (r = dfi_cuda_stream(d, q, stream)) != DF_OK) dfi_cuda_leave();
    return r;
}

/* An operation was put into queue q. Only the thread that uses the queue writes there. */
static void dfi_cuda_counted(struct dfi_gpu *d, int q)
{
    /* release; pairs with the acquire in dfi_cuda_event_of: an event that is recorded then comes behind it */
    dfi_store_release(&d->issued[q], dfi_load_relaxed(&d->issued[q]) + 1);
}

/* pre: the queue's lock is held. */
static void dfi_cuda_done(struct dfi_cuda_queue *u, uintptr_t point)
{
    /* pairs with the acquire in dfi_cuda_is_done */
    if (point > dfi_load_relaxed(&u->done)) dfi_store_release(&u->done, point);
}
static int dfi_cuda_is_done(struct dfi_cuda_queue *u, uintptr_t point)
{
    return point <= dfi_load_acquire(&u->done); /* pairs with the release in dfi_cuda_done */
}

/* An event to be recorded: one that has nothing to tell any more, a new one, or the oldest. pre: the queue's lock
 * is held. */
static df_result dfi_cuda_event_free(struct dfi_gpu *d, struct dfi_cuda_queue *u, struct dfi_cuda_event **event)
{
    struct dfi_cuda_event *best = NULL, *e;
    uintptr_t done = dfi_load_relaxed(&u->done);
    int code = 0;
    for (e = u->event; e < u->event + u->n_events; e++) {
        if (e->users) continue;
        if (e->covers <= done) return *event = e, DF_OK;
        if (!best || e->covers < best->covers) best = e;
    }
    if (u->n_events < DFI_CUDA_EVENTS) {
        void *made = NULL;
        code = dfi_cuda.cu.event_create(&made, DFI_CUDA_EVENT_NO_TIMING);
        if (!code) best = &u->event[u->n_events++], best->event = made, best->covers = 0, best->users = 0;
    }
    if (!best) /* threads sleep on all of them: the oldest */
        for (e = u->event; e < u->event + u->n_events; e++)
            if (!best || e->covers < best->covers) best = e;
    *event = best;
    return best ? DF_OK : dfi_cuda_fail(d, "cuEventCreate", code);
}

/* The event that covers `point` and least besides; recorded now if there is none.
 * pre: entered; the queue's lock is held; the point is counted. */
static df_result dfi_cuda_event_of(struct dfi_gpu *d, int q, uintptr_t point, struct dfi_cuda_event **event)
{
    struct dfi_cuda_queue *u = &dfi_cuda_of(d)->queue[q];
    struct dfi_cuda_event *e, *best = NULL;
    uintptr_t covers;
    df_result r;
    for (e = u->event; e < u->event + u->n_events; e++)
        if (e->covers >= point && (!best || e->covers < best->covers)) best = e;
    if (best) return *event = best, DF_OK;
    covers = dfi_load_acquire(&d->issued[q]); /* pairs with the release in dfi_cuda_counted */
    DFI_ASSERT(point <= covers);
    if ((r = dfi_cuda_event_free(d, u, &best)) != DF_OK) return r;
    if ((r = dfi_cuda_check(d, "cuEventRecord",
                            dfi_cuda.cu.event_record(best->event, dfi_load_relaxed(&u->stream)))) != DF_OK) return r;
    best->covers = covers;
    *event = best;
    return DF_OK;
}

/* Marks the present end of queue q: a later wait for a point up to it does not wait for operations behind it. pre:
 * entered. */
static df_result dfi_cuda_mark(struct dfi_gpu *d, int q)
{
    struct dfi_cuda_queue *u = &dfi_cuda_of(d)->queue[q];
    struct dfi_cuda_event *e;
    uintptr_t point = dfi_load_relaxed(&d->issued[q]);
    df_result r;
    if (dfi_cuda_is_done(u, point)) return DF_OK;
    dfi_os_lock(&u->lock);
    r = dfi_cuda_event_of(d, q, point, &e);
    dfi_os_unlock(&u->lock);
    return r;
}

/* Later operations of queue q of d wait for operation number `point` of queue p of e. */
static df_result dfi_cuda_wait(struct dfi_gpu *d, int q, struct dfi_gpu *e, int p, uintptr_t point)
{
    struct dfi_cuda_queue *u = &dfi_cuda_of(d)->queue[q], *other = &dfi_cuda_of(e)->queue[p];
    uintptr_t *waited = e->index >= 0 && e->index < DFI_CUDA_KNOWN ? &u->waited[e->index][p] : NULL;
    struct dfi_cuda_event *event;
    void *stream;
    df_result r;
    if (u == other || (waited && point <= *waited) || dfi_cuda_is_done(other, point)) return DF_OK;
    if ((r = dfi_cuda_enter_queue(d, q, &stream)) != DF_OK) return r;
    if (d == e || (r = dfi_cuda_enter(e)) == DF_OK) {
        dfi_os_lock(&other->lock);
        r = dfi_cuda_event_of(e, p, point, &event);
        if (d != e) dfi_cuda_leave();
        if (!r) r = dfi_cuda_check(d, "cuStreamWaitEvent", dfi_cuda.cu.stream_wait(stream, event->event, 0));
        if (!r && waited) *waited = event->covers;
        dfi_os_unlock(&other->lock);
    }
    dfi_cuda_leave();
    return r;
}

/* The queue can no longer tell which operations are done. */
static df_result dfi_cuda_ended(struct dfi_gpu *d, const char *call, int code)
{
    dfi_cuda_fail(d, call, code);
    dfi_cuda_set_lost(d);
    return DF_ERROR_DEVICE;
}

static int dfi_cuda_reached(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_cuda_queue *u = &dfi_cuda_of(d)->queue[q];
    struct dfi_cuda_event *e;
    int code;
    if (dfi_cuda_is_done(u, point)) return 1;
    if (!dfi_cuda_enter(d)) {
        dfi_os_lock(&u->lock);
        if (!dfi_cuda_event_of(d, q, point, &e)) {
            code = dfi_cuda.cu.event_query(e->event);
            if (!code) dfi_cuda_done(u, e->covers);
            else if (code != DFI_CUDA_NOT_READY) dfi_cuda_ended(d, "cuEventQuery", code);
        }
        dfi_os_unlock(&u->lock);
        dfi_cuda_leave();
    }
    /* pairs with the release in dfi_cuda_set_lost */
    return dfi_cuda_is_done(u, point) || dfi_load_acquire(&dfi_cuda_of(d)->lost);
}

/* Waits for a point. pre: entered. */
static df_result dfi_cuda_reach(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_cuda_queue *u = &dfi_cuda_of(d)->queue[q];
    struct dfi_cuda_event *e;
    uintptr_t covers;
    uint64_t since;
    df_result r;
    int code;
    if (dfi_cuda_is_done(u, point)) return DF_OK;
    dfi_os_lock(&u->lock);
    r = dfi_cuda_event_of(d, q, point, &e);
    if (!r) covers = e->covers, e->users++;
    else covers = 0;
    dfi_os_unlock(&u->lock);
    if (r) return r;
    /* 3 % later than the event at most; without a break, the queries would hold up the threads that use the driver */
    for (since = dfi_os_ns(); (code = dfi_cuda.cu.event_query(e->event)) == DFI_CUDA_NOT_READY;) {
        uint64_t now = dfi_os_ns(), ns = (now - since) / 32;
        if (now - since > (uint64_t)DFI_CUDA_SPIN_US * 1000) dfi_os_sleep_us(ns < 1000000 ? (unsigned)ns / 1000 : 1000);
        else while (dfi_os_ns() - now < ns) dfi_os_pause();
    }
    dfi_os_lock(&u->lock);
    e->users--;
    if (!code) dfi_cuda_done(u, covers);
    dfi_os_unlock(&u->lock);
    return code ? dfi_cuda_ended(d, "cuEventQuery", code) : DF_OK;
}

static df_result dfi_cuda_sync(struct dfi_gpu *d, int q, uintptr_t point)
{
    df_result r;
    if (dfi_cuda_is_done(&dfi_cuda_of(d)->queue[q], point)) return DF_OK;
    if ((r = dfi_cuda_enter(d)) != DF_OK) return r;
    r = dfi_cuda_reach(d, q, point);
    dfi_cuda_leave();
    return r;
}

/* The driver starts operations immediately. */
static void dfi_cuda_flush(struct dfi_gpu *d, int q) { (void)d, (void)q; }

#endif

#endif
