/* queue.h - queues of OpenCL devices: command queues, and the events of their operations
 *
 * All devices of a platform share a context, so that queues can wait for each other. A queue is an in-order command
 * queue, made with the first operation. Operations are counted in dfi_gpu.issued, and each has its event.
 *
 * Argument. (1) A queue keeps the events of its operations done + 1 .. issued, in a ring that grows: an event is given
 * up only when it is complete, so that no failure is overlooked; then all earlier ones are complete, because the queue
 * is in order. Hence operation n is done if n <= done, and else its own event tells. (2) `done`, the ring and `flushed`
 * are under the queue's lock; a thread that waits for an event retains it (clRetainEvent) and waits without the lock.
 * (3) `issued` is written by the one thread that uses the queue, after the event is in the ring, so that every
 * operation that is counted has one. (4) An event that another queue waits for was flushed, as OpenCL 1.2 demands
 * (5.13): in dfi_cl_wait, before the waiting operation is put into its queue. So everything that a flushed operation
 * depends on is flushed, and waiting for it on the host ends. (5) An operation waits only for operations counted
 * before it, so there is no cycle. */
#ifndef DFI_GPU_OPENCL_QUEUE_H
#define DFI_GPU_OPENCL_QUEUE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/result.h"
#include "../driver.h"
#include "api.h"

#if defined(DF_USE_OPENCL)

enum {
    DFI_CL_EVENTS = 64,  /* in a ring to begin with; a power of two */
    DFI_CL_SOURCES = 16  /* queues that one operation waits for; more are waited for by a barrier before it */
};

struct dfi_cl_queue {
    void *queue;
    struct dfi_os_mutex lock;
    void **ring;                     /* operation n has ring[n & (room - 1)] */
    uintptr_t room, done, flushed;
    int failed;                      /* the first error; 0: none */
    /* used by the queue's thread: what the next operation waits for, one event for each queue */
    void *wait_event[DFI_CL_SOURCES];
    const struct dfi_cl_queue *wait_queue[DFI_CL_SOURCES];
    uintptr_t wait_point[DFI_CL_SOURCES];
    unsigned n_waits;
};

struct dfi_cl_kernel { struct dfi_cl_kernel *next; void *program, *kernel; struct dfi_os_mutex lock; };

struct dfi_cl_device {
    void *id, *platform, *context;
    int unified;                     /* its memory is that of the host */
    int touch;                       /* a buffer may turn out to have no memory when it is used */
    size_t max_alloc;
    void *spare;                     /* a command queue in which nothing ever waits: for dfi_cl_alloc */
    struct dfi_cl_kernel *kernels;
    struct dfi_cl_queue queue[DFI_QUEUES];
};

static struct dfi_cl_device *dfi_cl_of(const struct dfi_gpu *d) { return (struct dfi_cl_device *)d->own; }

/* Is point a not behind point b? They may wrap around. */
static int dfi_cl_not_after(uintptr_t a, uintptr_t b) { return (intptr_t)(a - b) <= 0; }

/* Is the event complete, or did it fail? Notes the failure. */
static int dfi_cl_is_done(struct dfi_cl_queue *u, void *event)
{
    int status = DFI_CL_COMPLETE, code = dfi_cl.GetEventInfo(event, DFI_CL_EVENT_STATUS, sizeof status, &status, NULL);
    if (code) status = code;
    if (status < 0 && !u->failed) u->failed = status;
    return status <= DFI_CL_COMPLETE;
}

/* Gives up the events of operations that are done, up to `point`. pre: the lock. */
static void dfi_cl_retire(struct dfi_cl_queue *u, uintptr_t point)
{
    while (u->done != point && dfi_cl_is_done(u, u->ring[(u->done + 1) & (u->room - 1)]))
        dfi_cl.ReleaseEvent(u->ring[++u->done & (u->room - 1)]);
}

/* Room for one more event behind operation `issued`. pre: the lock. */
static int dfi_cl_make_room(struct dfi_cl_queue *u, uintptr_t issued)
{
    uintptr_t room = u->room ? u->room * 2 : (uintptr_t)DFI_CL_EVENTS, n;
    void **ring;
    if (u->room && issued - u->done < u->room) return 0;
    if (u->room) dfi_cl_retire(u, issued);
    if (u->room && issued - u->done <= u->room / 2) return 0; /* else this is done again soon, for few */
    if ((ring = (void **)dfi_malloc(room * sizeof *ring)) != NULL) {
        for (n = u->done + 1; n != issued + 1; n++) ring[n & (room - 1)] = u->ring[n & (u->room - 1)];
        dfi_mfree((void *)u->ring);
        u->ring = ring, u->room = room;
        return 0;
    }
    return u->room && issued - u->done < u->room ? 0 : -1;
}

/* The command queue of queue q, made if there is none, with room for the event of one more operation. pre: the
 * caller uses the queue. */
static df_result dfi_cl_ready(struct dfi_gpu *d, int q, struct dfi_cl_queue **of)
{
    struct dfi_cl_device *v = dfi_cl_of(d);
    struct dfi_cl_queue *u = *of = &v->queue[q];
    int code = DFI_CL_OK;
    void *oldest = NULL;
    if (!u->queue) {
        void *queue = dfi_cl.CreateCommandQueue(v->context, v->id, 0, &code);
        if (!queue) return dfi_cl_fail("clCreateCommandQueue", code);
        dfi_os_lock(&u->lock);
        u->queue = queue;
        dfi_os_unlock(&u->lock);
    }
    dfi_os_lock(&u->lock);
    if (dfi_cl_make_room(u, dfi_load_relaxed(&d->issued[q]))) {
        if (u->room) dfi_cl.RetainEvent(oldest = u->ring[(u->done + 1) & (u->room - 1)]);
        else code = DFI_CL_OUT_OF_HOST_MEMORY;
    }
    dfi_os_unlock(&u->lock);
    if (code) return dfi_cl_fail("no memory for events", code);
    if (oldest) { /* no memory for a larger ring: its place, when it is done */
        dfi_cl.Flush(u->queue);
        dfi_cl.WaitForEvents(1, &oldest);
        dfi_os_lock(&u->lock);
        dfi_cl_retire(u, dfi_load_relaxed(&d->issued[q]));
        dfi_os_unlock(&u->lock);
        dfi_cl.ReleaseEvent(oldest);
    }
    return DF_OK;
}

/* The waits of the next operation are in the queue: drops them. */
static void dfi_cl_waits_done(struct dfi_cl_queue *u)
{
    while (u->n_waits) dfi_cl.ReleaseEvent(u->wait_event[--u->n_waits]);
}

/* The waits of an operation, as arguments of an Enqueue function. */
#define DFI_CL_AFTER(u, event) (u)->n_waits, (u)->n_waits ? (u)->wait_event : NULL, (event)

/* An Enqueue function returned `code`: counts the operation. */
static df_result dfi_cl_issued(struct dfi_gpu *d, int q, const char *call, int code, void *const *event)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    uintptr_t n = dfi_load_relaxed(&d->issued[q]) + 1;
    if (code) return dfi_cl_fail(call, code);
    dfi_cl_waits_done(u);
    dfi_os_lock(&u->lock);
    u->ring[n & (u->room - 1)] = *event;
    dfi_os_unlock(&u->lock);
    dfi_store_release(&d->issued[q], n); /* pairs with the acquire in dfi_cl_event: the operation has an event */
    return DF_OK;
}

/* The event of an operation, flushed; NULL: it is done. pre: the lock. */
static void *dfi_cl_event(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    uintptr_t issued = dfi_load_acquire(&d->issued[q]); /* pairs with the release in dfi_cl_issued */
    DFI_ASSERT(dfi_cl_not_after(point, issued));
    if (dfi_cl_not_after(point, u->done)) return NULL;
    if (!dfi_cl_not_after(point, u->flushed)) {
        dfi_cl.Flush(u->queue);
        u->flushed = issued;
    }
    return u->ring[point & (u->room - 1)];
}

/* The same, without the lock; it is the caller's to release. */
static void *dfi_cl_event_kept(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    void *event;
    dfi_os_lock(&u->lock);
    if ((event = dfi_cl_event(d, q, point)) != NULL) dfi_cl.RetainEvent(event);
    dfi_os_unlock(&u->lock);
    return event;
}

/* --- the driver's functions ------------------------------------------------------------------------ */

static int dfi_cl_reached(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    void *event;
    int done;
    dfi_os_lock(&u->lock);
    event = dfi_cl_event(d, q, point);
    if ((done = !event || dfi_cl_is_done(u, event)) != 0 && event) dfi_cl_retire(u, point);
    dfi_os_unlock(&u->lock);
    return done;
}

static df_result dfi_cl_sync(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    void *event = dfi_cl_event_kept(d, q, point);
    int code = DFI_CL_OK, failed;
    if (event) code = dfi_cl.WaitForEvents(1, &event);
    dfi_os_lock(&u->lock);
    if (event && !dfi_cl_not_after(point, u->done)) dfi_cl_retire(u, point);
    failed = u->failed;
    dfi_os_unlock(&u->lock);
    if (event) dfi_cl.ReleaseEvent(event);
    return failed ? dfi_cl_fail("an operation on the device", failed) : dfi_cl_check("clWaitForEvents", code);
}

static void dfi_cl_flush(struct dfi_gpu *d, int q)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    uintptr_t issued = dfi_load_relaxed(&d->issued[q]);
    dfi_os_lock(&u->lock);
    if (u->queue && u->flushed != issued) {
        dfi_cl.Flush(u->queue);
        u->flushed = issued;
    }
    dfi_os_unlock(&u->lock);
}

/* Puts the waits into the queue by themselves. */
static df_result dfi_cl_put_waits(struct dfi_cl_queue *u)
{
    int code = u->n_waits ? dfi_cl.EnqueueBarrierWithWaitList(u->queue, u->n_waits, u->wait_event, NULL) : DFI_CL_OK;
    if (code) return dfi_cl_fail("clEnqueueBarrierWithWaitList", code);
    dfi_cl_waits_done(u);
    return DF_OK;
}

/* The wait goes with the next operation: it costs no operation of its own. An event of another platform is none that
 * the queue could wait for: the host waits. */
static df_result dfi_cl_wait(struct dfi_gpu *d, int q, struct dfi_gpu *e, int p, uintptr_t point)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q], *from = &dfi_cl_of(e)->queue[p];
    df_result r;
    void *event;
    unsigned i;
    if ((d == e && q == p) || (event = dfi_cl_event_kept(e, p, point)) == NULL) return DF_OK;
    if (dfi_cl_of(d)->context != dfi_cl_of(e)->context) {
        int code = dfi_cl.WaitForEvents(1, &event);
        dfi_cl.ReleaseEvent(event);
        return dfi_cl_check("clWaitForEvents", code);
    }
    for (i = 0; i < u->n_waits && u->wait_queue[i] != from; i++) { }
    if (i == DFI_CL_SOURCES) {
        if ((r = dfi_cl_ready(d, q, &u)) != DF_OK || (r = dfi_cl_put_waits(u)) != DF_OK) {
            dfi_cl.ReleaseEvent(event);
            return r;
        }
        i = 0;
    }
    if (i < u->n_waits) { /* two of one queue: the later one is the last to be done */
        if (dfi_cl_not_after(point, u->wait_point[i])) {
            dfi_cl.ReleaseEvent(event);
            return DF_OK;
        }
        dfi_cl.ReleaseEvent(u->wait_event[i]);
    } else u->n_waits++;
    u->wait_event[i] = event, u->wait_queue[i] = from, u->wait_point[i] = point;
    return DF_OK;
}

static void *dfi_cl_native(struct dfi_gpu *d, int q)
{
    struct dfi_cl_queue *u;
    return dfi_cl_ready(d, q, &u) || dfi_cl_put_waits(u) ? NULL : u->queue;
}
static void dfi_cl_native_end(struct dfi_gpu *d, int q)
{
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[q];
    void *event = NULL;
    int code = dfi_cl.EnqueueMarkerWithWaitList(u->queue, DFI_CL_AFTER(u, &event));
    if (dfi_cl_issued(d, q, "clEnqueueMarkerWithWaitList", code, &event)) {
        dfi_os_lock(&u->lock);
        if (!u->failed) u->failed = code;
        dfi_os_unlock(&u->lock);
        dfi_cl.Finish(u->queue); /* what the function did has no event: it is done before anybody asks */
    }
}

#endif

#endif
