/* engine.h - the data engine: coherence between host and devices, write-back, and waiting for devices
 *
 * One lock guards all of it. It is held for some microseconds at a time and never during a wait. A thread that has to
 * wait sleeps until something has changed and then looks at everything again (dfi_engine_wait). Each device has a
 * thread that writes results back to the host, because a driver may block there, and the arrival of the results has
 * to be announced. After PaRSEC's engine (ICL-UT-18-03, 2.1 and 6). */
#ifndef DFI_GPU_ENGINE_H
#define DFI_GPU_ENGINE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/blocking.h"
#include "../api/counters.h"
#include "../api/result.h"
#include "../api/task.h"
#include "../work/worker.h"
#include "../work/types.h"
#include "../flow/region.h"
#include "../more/spare.h"
#include "../more/types.h"
#include "driver.h"
#include "memory.h"
#include "record.h"

enum { DFI_JOBS_AT_ONCE = 16, DFI_MAX_HELD = 256 };

/* Memory whose copies outlive a wait (df_gpu_hold). */
struct dfi_held { const char *p, *end; int count; };

struct dfi_engine {
    DFI_ATOMIC(int) started;              /* the drivers were asked: 1 */
    /* under dfi_engine_lock, like the state of devices and records */
    int n;
    df_counters closed;                      /* launches and bytes of devices that there were before; the rest is 0 */
    struct dfi_device *device[DFI_MAX_DEVICES];
    struct dfi_records records;
    size_t jobs;                          /* under way */
    struct dfi_built *built;              /* all kernels compiled */
    unsigned opened;                      /* how often devices were looked for */
    DFI_ATOMIC(int) generation;           /* changes when devices are closed or lost */
    unsigned stamp;                       /* of the launch that pinned last */
    struct dfi_held held[DFI_MAX_HELD];
    int n_held;
    size_t jobs_so_far;
    int sleepers;                         /* threads that wait for a change */
    DFI_ATOMIC(int) changes;              /* counts the changes that threads wait for */
    struct dfi_os_event event;
};
DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_engine dfi_engine;
extern DFI_API struct dfi_os_mutex dfi_engine_lock, dfi_engine_start_lock;
DFI_API struct dfi_engine dfi_engine;
DFI_API struct dfi_os_mutex dfi_engine_lock = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_os_mutex dfi_engine_start_lock = DFI_OS_MUTEX_INIT; /* while the drivers are asked */
DFI_EXTERN_C_END

/* --- waiting ----------------------------------------------------------------------------------- */

static void dfi_engine_changed(void)
{
    if (!dfi_engine.sleepers) return;
    dfi_fetch_add_acq_rel(&dfi_engine.changes, 1);
    dfi_os_event_wake_all(&dfi_engine.event);
}

/* A spare thread replaces the blocked worker, at most one per worker; the device itself needs no worker to make
 * progress. */
static void dfi_engine_block(void (*fn)(void *), void *arg)
{
    if (dfi_load_relaxed(&dfi_spares.blocked) < dfi_workers()) dfi_yield("a device", NULL, fn, arg);
    else fn(arg);
}

static void dfi_engine_sleep(void *seen) { dfi_os_event_wait(&dfi_engine.event, &dfi_engine.changes, *(int *)seen, 0); }

static struct dfi_job *dfi_jobs_take(struct dfi_device *d)
{
    struct dfi_job *first = d->jobs, **end = &first;
    int n;
    for (n = 0; n < DFI_JOBS_AT_ONCE && *end; n++) end = &(*end)->next;
    d->jobs = *end, *end = NULL;
    if (!d->jobs) d->jobs_end = &d->jobs;
    return first;
}

static void dfi_jobs_run(struct dfi_device *d, struct dfi_job *first);

/* Until something has changed. The lock is free meanwhile: nothing that was looked up before holds afterwards. */
static void dfi_engine_wait(void)
{
    int d, seen = dfi_load_relaxed(&dfi_engine.changes);
    for (d = 0; d < dfi_engine.n; d++)
        if (dfi_engine.device[d]->jobs && !dfi_engine.device[d]->thread_started) {
            dfi_jobs_run(dfi_engine.device[d], dfi_jobs_take(dfi_engine.device[d]));
            return;
        }
    dfi_engine.sleepers++;
    dfi_os_unlock(&dfi_engine_lock);
    dfi_engine_block(dfi_engine_sleep, &seen);
    dfi_os_lock(&dfi_engine_lock);
    dfi_engine.sleepers--;
}

struct dfi_point { struct dfi_device *device; int queue; uintptr_t number; df_result result; };

static void dfi_point_sync(void *p)
{
    struct dfi_point *a = (struct dfi_point *)p;
    a->result = a->device->gpu.driver->sync(&a->device->gpu, a->queue, a->number);
}

static int dfi_point_reached(struct dfi_device *d, int q, uintptr_t number)
{
    if (number <= d->reached[q] || d->lost) return 1;
    if (!d->gpu.driver->reached(&d->gpu, q, number)) return 0;
    d->reached[q] = number;
    return 1;
}

static void dfi_device_lose(struct dfi_device *d, const char *doing);
static int dfi_record_write_back(struct dfi_record *r);

/* Until the operation is done; without the lock meanwhile. Nonzero: it had to wait, so look again. */
static int dfi_engine_sync(struct dfi_device *d, int q, uintptr_t number)
{
    struct dfi_point a;
    if (dfi_point_reached(d, q, number)) return 0;
    a.device = d, a.queue = q, a.number = number, a.result = DF_OK;
    d->gpu.driver->flush(&d->gpu, q);
    dfi_os_unlock(&dfi_engine_lock);
    dfi_engine_block(dfi_point_sync, &a);
    dfi_os_lock(&dfi_engine_lock);
    if (a.result) dfi_device_lose(d, "finishing what was launched");
    return 1;
}

/* --- failures ----------------------------------------------------------------------------------- */

/* Waits for the operations in the queues of d, in case the driver does not know that d failed: until they end they
 * read and write host memory. */
static void dfi_device_drain(struct dfi_device *d)
{
    int q;
    for (q = 0; q < DFI_QUEUES; q++) d->gpu.driver->sync(&d->gpu, q, dfi_load_relaxed(&d->gpu.issued[q]));
}

/* d failed and is not used any more. Data that only d had is lost, which is an error for all scopes that have
 * launched something; host memory is as the last task of the host left it. This one wait holds the lock: it waits
 * for no task. */
static void dfi_device_lose(struct dfi_device *d, const char *doing)
{
    size_t bytes = 0;
    struct dfi_record *r;
    if (d->lost) return;
    d->lost = 1;
    dfi_fetch_add_acq_rel(&dfi_engine.generation, 1);
    for (r = dfi_engine.records.first; r; r = r->next) {
        struct dfi_buffer *b = r->copy[d->gpu.index];
        if (!b) continue;
        if (dfi_record_only_on(r, d->gpu.index)) {
            bytes += r->region.row * r->region.rows;
            dfi_record_host_valid(&dfi_engine.records, r, 1);
        }
        b->state = DFI_INVALID;
    }
    if (bytes) {
        dfi_error("device %d (%s) failed while %s: %s; df uses it no more, and loses %lu bytes that only it had: host "
                  "memory keeps their old values",
                  d->gpu.index + 1, d->gpu.info.name, doing, dfi_gpu_error, (unsigned long)bytes);
        dfi_fetch_add_relaxed(&dfi_more.device_errors, 1);
    } else dfi_error("device %d (%s) failed while %s: %s; df uses it no more, and nothing is lost",
                     d->gpu.index + 1, d->gpu.info.name, doing, dfi_gpu_error);
    dfi_device_drain(d);
    dfi_engine_changed();
}

/* --- results come to the host -------------------------------------------------------------------- */

/* Devices may still be reading the host memory of r and of overlapping records: waits for one of them. Nonzero: it
 * waited; call it again. pre: r stays. */
static int dfi_record_readers_wait(const struct dfi_record *r)
{
    unsigned i;
    int d;
    for (i = 0; i <= r->n_over; i++)
        for (d = 0; d < dfi_engine.n; d++)
            if (dfi_engine_sync(dfi_engine.device[d], DFI_Q_IN, (i < r->n_over ? r->over[i] : r)->in[d])) return 1;
    return 0;
}

/* The jobs, at most DFI_JOBS_AT_ONCE of them, in the order given. pre: the lock, which is free meanwhile. */
static void dfi_jobs_run(struct dfi_device *d, struct dfi_job *first)
{
    const struct dfi_gpu_driver *v = d->gpu.driver;
    struct dfi_job *j, *next;
    df_result r = DF_OK, end;
    for (j = first; j; j = j->next)
        while (j->record && dfi_record_readers_wait(j->record)) {}
    if (d->lost) r = DF_ERROR_DEVICE;
    for (j = first; j && !r; j = j->next)
        if (j->buffer->write_point)
            r = v->wait(&d->gpu, DFI_Q_OUT, &d->gpu, j->buffer->write_queue, j->buffer->write_point);
    dfi_os_unlock(&dfi_engine_lock);
    for (j = first; j; j = j->next) {
        if (!r) r = v->copy_out(&d->gpu, DFI_Q_OUT, j->to, j->buffer->memory, &j->buffer->box);
        j->result = r;
    }
    if (!r) v->flush(&d->gpu, DFI_Q_OUT);
    /* also after a failure, because operations in the queue write host memory */
    end = v->sync(&d->gpu, DFI_Q_OUT, dfi_load_relaxed(&d->gpu.issued[DFI_Q_OUT]));
    dfi_os_lock(&dfi_engine_lock);
    for (j = first; j; j = j->next) {
        if (end) j->result = end;
        if (j->result) continue;
        dfi_fetch_add_relaxed(&d->bytes_out, j->buffer->box.row * j->buffer->box.rows);
        if (!j->record) continue;
        dfi_record_host_valid(&dfi_engine.records, j->record, 1);
        if (!d->lost) j->buffer->state = DFI_SHARED_COPY;
    }
    if (r || end) dfi_device_lose(d, "bringing results to the host");
    for (j = first; j; j = next) {
        struct dfi_record *from = j->record;
        size_t number = j->number;
        next = j->next; /* j may be on the stack of the thread that waits for it */
        dfi_engine.jobs--;
        j->under_way = 0;
        /* another device has it: a wait for this job waits for the next one */
        if (from && dfi_record_write_back(from)) from->job.number = number;
    }
    dfi_engine_changed();
}

static void *dfi_device_thread(void *p)
{
    struct dfi_device *d = (struct dfi_device *)p;
    dfi_os_lock(&dfi_engine_lock);
    while (d->jobs || !d->ending) {
        int seen = dfi_load_relaxed(&d->job_wake);
        if (!d->jobs) {
            dfi_os_unlock(&dfi_engine_lock);
            dfi_os_event_wait(&d->event, &d->job_wake, seen, 0);
            dfi_os_lock(&dfi_engine_lock);
            continue;
        }
        dfi_jobs_run(d, dfi_jobs_take(d));
    }
    dfi_os_unlock(&dfi_engine_lock);
    return NULL;
}

/* j->buffer of d is to be brought to j->to. */
static void dfi_job_add(struct dfi_device *d, struct dfi_job *j)
{
    j->next = NULL;
    j->under_way = 1;
    j->number = ++dfi_engine.jobs_so_far;
    dfi_engine.jobs++;
    /* without a thread the job is done by the thread that waits for it (dfi_engine_wait) */
    if (!d->thread_started && !dfi_os_thread_start(&d->thread, dfi_device_thread, d, 0)) d->thread_started = 1;
    *d->jobs_end = j, d->jobs_end = &j->next;
    dfi_fetch_add_acq_rel(&d->job_wake, 1);
    dfi_os_event_wake_all(&d->event);
}

/* r, which the host does not have, begins to be written back, unless it is on its way already. Nonzero: it is. */
static int dfi_record_write_back(struct dfi_record *r)
{
    int d;
    if (r->job.under_way) return 1;
    if (r->host_valid) return 0;
    d = dfi_record_holder(r);
    r->job.record = r, r->job.buffer = r->copy[d], r->job.to = (void *)r->region.p;
    dfi_job_add(dfi_engine.device[d], &r->job);
    return r->job.under_way;
}

/* --- the host looks at memory, or changes it -------------------------------------------------------- */

static int dfi_region_held(const struct dfi_region *r)
{
    const char *p = (const char *)r->p;
    int i;
    for (i = 0; i < dfi_engine.n_held; i++)
        if (p >= dfi_engine.held[i].p && (const char *)dfi_region_end(r) <= dfi_engine.held[i].end) return 1;
    return 0;
}

/* Writes back all data that is only on devices now, and invalidates the copies; held memory only if `everything` is
 * set. Launches submitted meanwhile are not waited for. The lock is released during waits. */
static void dfi_engine_write_back_records(int everything)
{
    struct dfi_record *r, *next;
    size_t last = 0;
    int d, wait, first = 1;
    do {
        for (wait = 0, r = dfi_engine.records.first; r && (dfi_engine.records.host_invalid || dfi_engine.jobs);
             r = r->next) {
            if (first) wait |= (everything || !dfi_region_held(&r->region)) && dfi_record_write_back(r);
            else wait |= r->job.under_way && r->job.number <= last;
        }
        if (first) last = dfi_engine.jobs_so_far;
        first = 0;
        if (wait) dfi_engine_wait();
    } while (wait);
    for (d = 0; d < dfi_engine.n; d++) {
        struct dfi_device *v = dfi_engine.device[d];
        uintptr_t point[DFI_QUEUES];
        int q;
        for (q = 0; q < DFI_QUEUES; q++) point[q] = dfi_load_relaxed(&v->gpu.issued[q]);
        for (q = 0; q < DFI_QUEUES; q++) dfi_engine_sync(v, q, point[q]);
    }
    for (r = dfi_engine.records.first; r; r = next) {
        int busy = !r->host_valid || r->job.under_way || r->pins; /* by others, since */
        next = r->next;
        for (d = 0; d < dfi_engine.n && !busy; d++) busy = !dfi_point_reached(dfi_engine.device[d], DFI_Q_IN, r->in[d]);
        if (busy || (!everything && dfi_region_held(&r->region))) continue;
        dfi_record_invalidate(r, -1);
        if (dfi_engine.records.count <= DFI_PRUNE_AT) continue;
        for (d = 0; d < dfi_engine.n; d++)
            if (r->copy[d]) dfi_buffer_give_up(dfi_engine.device[d], r->copy[d]);
        dfi_record_free(&dfi_engine.records, r);
    }
}

/* One step towards host memory that may be accessed with this mode. Nonzero: it had to wait; call it again. */
static int dfi_host_step(const struct dfi_region *region, unsigned mode)
{
    struct dfi_record *r = dfi_record_of(&dfi_engine.records, region), *s;
    unsigned i;
    int wait = 0, replaced = (mode & (DFI_INOUT | DFI_SHARED)) == DFI_OUT;
    if (!r) { /* no memory: as if everything were asked for */
        dfi_engine_write_back_records(1);
        return 0;
    }
    for (i = 0; i <= r->n_over; i++) {
        s = i < r->n_over ? r->over[i] : r;
        if (!s->host_valid && !s->job.under_way && replaced && dfi_region_covers(region, &s->region))
            dfi_record_host_valid(&dfi_engine.records, s, 1); /* what the device has is not needed by anybody */
        wait |= dfi_record_write_back(s);
    }
    if (wait) {
        dfi_engine_wait();
        return 1;
    }
    if (!(mode & DFI_WRITES)) return 0;
    if (dfi_record_readers_wait(r)) return 1;
    for (i = 0; i <= r->n_over; i++) dfi_record_invalidate(i < r->n_over ? r->over[i] : r, -1);
    return 0;
}

static void dfi_engine_host(const struct dfi_access *x, unsigned n)
{
    unsigned i;
    if (!dfi_load_relaxed(&dfi_more.devices)) return;
    dfi_os_lock(&dfi_engine_lock);
    for (i = 0; i < n; i++) {
        struct dfi_region r = dfi_region_of(&x[i]);
        if (!r.rows || x[i].mode & DFI_CHILDREN) continue;
        while (dfi_host_step(&r, x[i].mode)) {}
    }
    dfi_os_unlock(&dfi_engine_lock);
}

#endif
