/* memory.h - memory of a device, a cache of host regions: buffers, their pool, eviction
 *
 * A buffer that is given up may still be in use by operations in the device's queues. It can be reused immediately: its
 * next writer makes the device wait (dfi_buffer_after), and the host never waits. Only data that is up to date nowhere
 * else has to be written back first, by the device's own thread; the launch that needs the room waits for that. One
 * launch at a time collects memory on a device (gpu/launch/room.h), all or nothing, and the operations in the queues
 * end by themselves: so no launch that has a part of its memory ever waits for a launch that has another part. */
#ifndef DFI_GPU_MEMORY_H
#define DFI_GPU_MEMORY_H

#include "../base/atomic.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/result.h"
#include "driver.h"
#include "record.h"

enum { DFI_BUFFER_STEP = 256, DFI_POOL_SLACK = 4 }; /* bytes; a free buffer serves for 3/4 of its size and more */

struct dfi_device {
    struct dfi_gpu gpu;                      /* first: what the driver sees */
    int lost;                                /* it failed: not used any more */
    size_t limit, allocated;                 /* bytes: at most; now, the pool included */
    struct dfi_buffer *oldest, *newest;      /* LRU: buffers of records */
    struct dfi_buffer *pool;
    struct dfi_job *jobs, **jobs_end;        /* for the device's thread, oldest first */
    DFI_ATOMIC(int) job_wake;                /* changes with each job */
    int thread_started, ending;
    struct dfi_os_thread thread;
    struct dfi_os_event event;
    uintptr_t launches[DFI_QUEUES];          /* the operation that was the latest launch in each queue */
    uintptr_t reached[DFI_QUEUES];           /* the latest one known to be done */
    int busy;                                /* a launch is collecting memory */
    struct dfi_os_mutex building;            /* one kernel is compiled at a time; taken before the engine's lock */
    DFI_ATOMIC(size_t) n_launches, bytes_in, bytes_out, n_evicted;
};

static size_t dfi_buffer_size(size_t bytes)
{
    return (bytes + DFI_BUFFER_STEP - 1) / DFI_BUFFER_STEP * DFI_BUFFER_STEP;
}

static void dfi_lru_remove(struct dfi_device *d, struct dfi_buffer *b)
{
    *(b->before ? &b->before->next : &d->oldest) = b->next;
    *(b->next ? &b->next->before : &d->newest) = b->before;
}

static void dfi_lru_append(struct dfi_device *d, struct dfi_buffer *b)
{
    b->next = NULL, b->before = d->newest;
    *(d->newest ? &d->newest->next : &d->oldest) = b;
    d->newest = b;
}

/* b, which belongs to no record or leaves its own, can be used for something else. */
static void dfi_buffer_give_up(struct dfi_device *d, struct dfi_buffer *b)
{
    if (b->record) {
        dfi_lru_remove(d, b);
        b->record->copy[d->gpu.index] = NULL;
        b->record = NULL;
    }
    b->next = d->pool, d->pool = b;
}

/* Whatever uses b is done: the buffers of the pool can be given back to the driver. */
static int dfi_buffer_idle(struct dfi_device *const *all, struct dfi_device *d, const struct dfi_buffer *b)
{
    const struct dfi_gpu_driver *v = d->gpu.driver;
    int i;
    if (d->lost) return 1;
    for (i = 0; i < DFI_QUEUES; i++)
        if (b->uses.queue[i] && !v->reached(&d->gpu, i, b->uses.queue[i])) return 0;
    for (i = 0; i < DFI_MAX_DEVICES; i++)
        if (b->uses.peer[i] && !all[i]->lost && !v->reached(&all[i]->gpu, DFI_Q_IN, b->uses.peer[i])) return 0;
    return 1;
}

static void dfi_buffer_destroy(struct dfi_device *d, struct dfi_buffer *b)
{
    d->gpu.driver->free(&d->gpu, b->memory);
    d->allocated -= b->bytes;
    dfi_mfree(b);
}

/* The next operation of queue q of d may change b: it waits for all operations that use b. */
static df_result dfi_buffer_after(struct dfi_device *const *all, struct dfi_device *d, int q, struct dfi_buffer *b)
{
    const struct dfi_gpu_driver *v = d->gpu.driver;
    df_result r = DF_OK;
    int i;
    for (i = 0; i < DFI_QUEUES && !r; i++)
        if (i != q && b->uses.queue[i]) r = v->wait(&d->gpu, q, &d->gpu, i, b->uses.queue[i]);
    for (i = 0; i < DFI_MAX_DEVICES && !r; i++)
        if (b->uses.peer[i] && !all[i]->lost) r = v->wait(&d->gpu, q, &all[i]->gpu, DFI_Q_IN, b->uses.peer[i]);
    return r;
}

/* The operation just put into queue q of d changes b: all that used it is before. */
static void dfi_buffer_written(struct dfi_device *d, int q, struct dfi_buffer *b)
{
    memset((void *)&b->uses, 0, sizeof b->uses);
    b->write_queue = q, b->write_point = b->uses.queue[q] = dfi_load_relaxed(&d->gpu.issued[q]);
}

/* Idle buffers of the pool are returned to the driver, until `bytes` more are within the limit. */
static void dfi_pool_trim(struct dfi_device *const *all, struct dfi_device *d, size_t bytes)
{
    struct dfi_buffer **at = &d->pool, *b;
    while ((b = *at) != NULL && (bytes > d->limit || d->allocated > d->limit - bytes))
        if (dfi_buffer_idle(all, d, b)) {
            *at = b->next;
            dfi_buffer_destroy(d, b);
        } else at = &b->next;
}

/* The smallest buffer of the pool that has room. */
static struct dfi_buffer **dfi_pool_fit(struct dfi_device *d, size_t bytes)
{
    struct dfi_buffer **at, **best = NULL;
    for (at = &d->pool; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (!best || (*at)->bytes < (*best)->bytes)) best = at;
    return best;
}

static struct dfi_buffer *dfi_pool_remove(struct dfi_buffer **at)
{
    struct dfi_buffer *b = *at;
    *at = b->next;
    return b;
}

static struct dfi_buffer *dfi_buffer_new(struct dfi_device *const *all, struct dfi_device *d, size_t bytes)
{
    struct dfi_buffer *b;
    if (d->allocated + bytes > d->limit || !(b = (struct dfi_buffer *)dfi_malloc(sizeof *b))) return NULL;
    memset((void *)b, 0, sizeof *b);
    b->bytes = bytes;
    /* other programs use the device, too: the driver gets all idle buffers back */
    if (!(b->memory = d->gpu.driver->alloc(&d->gpu, bytes))) {
        dfi_pool_trim(all, d, d->limit);
        b->memory = d->gpu.driver->alloc(&d->gpu, bytes);
    }
    if (b->memory) {
        d->allocated += bytes;
        return b;
    }
    dfi_mfree(b);
    return NULL;
}

/* A buffer from the pool, or from the driver within the limit. NULL: there is no room as it is. */
static struct dfi_buffer *dfi_buffer_take(struct dfi_device *const *all, struct dfi_device *d, size_t bytes)
{
    struct dfi_buffer **fit, *b;
    bytes = dfi_buffer_size(bytes);
    fit = dfi_pool_fit(d, bytes);
    if (fit && (*fit)->bytes - bytes <= (*fit)->bytes / DFI_POOL_SLACK) return dfi_pool_remove(fit);
    dfi_pool_trim(all, d, bytes);
    if ((b = dfi_buffer_new(all, d, bytes)) != NULL) return b;
    fit = dfi_pool_fit(d, bytes); /* too large is better than to wait */
    return fit ? dfi_pool_remove(fit) : NULL;
}

#endif
