/* launch.h - a launch, when the tasks before it are done or, if they are launches, in the queues
 *
 * The body of a launch's task puts its transfers and its kernel into the queues of a device and returns: so its
 * successors among the launches follow at once, ordered by the queues. Argument: docs/gpu.md, "Order". */
#ifndef DFI_GPU_LAUNCH_H
#define DFI_GPU_LAUNCH_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/threads.h"
#include "../os/wait.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/kernel.h"
#include "../api/result.h"
#include "../api/task.h"
#include "../work/sched.h"
#include "../work/scope.h"
#include "../work/tables.h"
#include "../work/types.h"
#include "../flow/devices.h"
#include "../flow/region.h"
#include "../flow/submit.h"
#include "../more/error.h"
#include "../more/group.h"
#include "../observe/graph/graph.h"
#include "choose.h"
#include "driver.h"
#include "engine.h"
#include "going.h"
#include "history.h"
#include "host/host.h"
#include "kernel/text.h"
#include "kernel/try.h"
#include "memory.h"
#include "record.h"
#include "../api/public.h"
#include "../../df_gpu.h"

/* --- the steps: each is done again from the beginning after every wait ----------------------------------- */

enum { DFI_STEP_DONE, DFI_STEP_AGAIN, DFI_STEP_FAILED };

/* The records of what it accesses; what overlaps them in part has no owner but the host. */
static int dfi_going_records(struct dfi_going *g)
{
    int i, d = g->device->gpu.index, wait = 0;
    unsigned k;
    for (i = 0; i < g->n; i++)
        if (!(g->use[i].record = dfi_record_of(&dfi_engine.records, &g->use[i].region))) return DFI_STEP_FAILED; /* no memory */
    for (i = 0; i < g->n; i++) {
        struct dfi_record *r = g->use[i].record;
        int holder;
        for (k = 0; k < r->n_over; k++) wait |= dfi_record_write_back(r->over[k]);
        if (r->job.under_way && g->use[i].writes) wait = 1;
        if (r->host_valid || !g->use[i].reads || dfi_copy_is_valid(r, d)) continue;
        holder = dfi_record_holder(r);
        if (r->job.under_way || !g->device->gpu.driver->copy_peer ||
            dfi_engine.device[holder]->gpu.driver != g->device->gpu.driver)
            wait |= dfi_record_write_back(r);
    }
    if (!wait) return DFI_STEP_DONE;
    dfi_engine_wait();
    return DFI_STEP_AGAIN;
}

/* A buffer of so many bytes. NULL: the caller is to look at *step. */
static struct dfi_buffer *dfi_going_collect(struct dfi_going *g, size_t bytes, int *step)
{
    struct dfi_device *d = g->device;
    struct dfi_buffer *b, *next;
    size_t coming = 0;
    int q;
    *step = DFI_STEP_AGAIN;
    if ((b = dfi_buffer_take(dfi_engine.device, d, bytes)) != NULL) return b;
    for (b = d->oldest; b; b = next) {
        struct dfi_buffer *got;
        next = b->next;
        if (b->pinned == dfi_engine.stamp) continue;
        if (dfi_record_only_on(b->record, d->gpu.index) || b->record->job.under_way) {
            dfi_record_write_back(b->record);
            if ((coming += b->bytes) >= bytes) break;
            continue;
        }
        dfi_buffer_give_up(d, b);
        dfi_fetch_add_relaxed(&d->n_evicted, (size_t)1);
        if ((got = dfi_buffer_take(dfi_engine.device, d, bytes)) != NULL) return got;
    }
    if (coming) {
        dfi_engine_wait();
        return NULL;
    }
    for (b = d->pool; b; b = b->next) /* of other sizes, and still in use: the driver gets them back when they are not */
        for (q = 0; q < DFI_QUEUES; q++)
            if (b->uses.queue[q] && dfi_engine_sync(d, q, b->uses.queue[q])) return NULL;
    for (b = d->pool; b; b = b->next)
        for (q = 0; q < dfi_engine.n; q++)
            if (b->uses.peer[q] && dfi_engine_sync(dfi_engine.device[q], DFI_Q_IN, b->uses.peer[q])) return NULL;
    *step = DFI_STEP_FAILED;
    return NULL;
}

static void dfi_buffer_attach(struct dfi_device *d, struct dfi_record *r, struct dfi_buffer *b)
{
    r->copy[d->gpu.index] = b;
    b->record = r;
    b->state = DFI_INVALID;
    dfi_lru_append(d, b);
}

/* Another layout, in another buffer: without gaps first, if both have some. */
static int dfi_going_relay(struct dfi_going *g, struct dfi_use_of *u)
{
    struct dfi_device *d = g->device;
    struct dfi_record *r = u->record;
    struct dfi_buffer *from = r->copy[d->gpu.index], *to;
    struct dfi_box b = u->box, lies = u->box;
    int step, state;
    if (dfi_is_flat(&from->box)) b.ld = b.row;
    else {
        b = from->box;
        b.ld = from->box.pitch, b.pitch = from->box.row;
        lies.row = from->box.row * from->box.rows, lies.rows = 1, lies.ld = lies.pitch = 0;
    }
    if (!(to = dfi_going_collect(g, dfi_box_bytes(&lies), &step))) {
        if (step != DFI_STEP_FAILED) return step;
        if (dfi_record_write_back(r)) dfi_engine_wait(); /* no room for both: through the host */
        else dfi_buffer_give_up(d, from);
        return DFI_STEP_AGAIN;
    }
    if (dfi_buffer_after(dfi_engine.device, d, DFI_Q_IN, to) ||
        (from->write_point && d->gpu.driver->wait(&d->gpu, DFI_Q_IN, &d->gpu, from->write_queue, from->write_point)) ||
        d->gpu.driver->copy_on(&d->gpu, DFI_Q_IN, to->memory, from->memory, &b)) {
        dfi_device_lose(d, "copying within the device");
        dfi_buffer_give_up(d, to);
        return DFI_STEP_FAILED;
    }
    dfi_buffer_written(d, DFI_Q_IN, to);
    from->uses.queue[DFI_Q_IN] = to->write_point;
    to->box = lies;
    state = from->state;
    dfi_buffer_give_up(d, from);
    dfi_buffer_attach(d, r, to);
    to->state = state;
    return DFI_STEP_AGAIN;
}

/* Copies that it uses itself, and that may be in its way: of another size than it needs now. Those that are nowhere else are
 * written back. They come back by themselves. */
static int dfi_going_shed(struct dfi_going *g)
{
    int i, wait = 0;
    if (g->shed) return DFI_STEP_FAILED;
    for (i = 0; i < g->n; i++) {
        struct dfi_record *r = g->use[i].record;
        struct dfi_buffer *b = r->copy[g->device->gpu.index];
        if (!b) continue;
        if (r->job.under_way || dfi_record_only_on(r, g->device->gpu.index)) wait |= dfi_record_write_back(r);
        else dfi_buffer_give_up(g->device, b);
    }
    if (wait) dfi_engine_wait();
    else g->shed = 1;
    return DFI_STEP_AGAIN;
}

static size_t dfi_partial_bytes(const struct dfi_going *g, int i)
{
    return (size_t)g->groups[0] * (size_t)g->groups[1] * (size_t)g->groups[2] * g->use[i].x.row;
}

/* Is all of it together within the limit? Says so if not. */
static int dfi_going_fits(struct dfi_going *g)
{
    struct dfi_device *d = g->device;
    size_t total = 0, largest = 0;
    const char *name = "";
    int i, j;
    for (i = 0; i < g->n; i++) {
        size_t bytes = g->use[i].param->kind == DFI_P_REDUCE ? dfi_partial_bytes(g, i) : dfi_box_bytes(&g->use[i].box);
        for (j = 0; j < i && g->use[j].record != g->use[i].record; j++) {}
        if (j < i) continue;
        total += dfi_buffer_size(bytes);
        if (bytes > largest) largest = bytes, name = g->use[i].param->name;
    }
    if (total <= d->limit && !g->shed) return 1;
    dfi_error("%s: launch of %s on device %d (%s): it accesses %lu bytes, the largest part %lu as %s, and the "
              "device has %lu for df: not run; use smaller parts",
              g->site, g->name, d->gpu.index + 1, d->gpu.info.name, (unsigned long)total, (unsigned long)largest, name, (unsigned long)d->limit);
    g->error = DF_ERROR_DEVICE_MEMORY;
    return 0;
}

/* Room on the device for all of it, in one go. */
static int dfi_going_memory(struct dfi_going *g)
{
    struct dfi_device *d = g->device;
    int i, step = DFI_STEP_DONE;
    dfi_engine.stamp++;
    if (!g->shed && !dfi_going_fits(g)) return DFI_STEP_FAILED;
    for (i = 0; i < g->n; i++) {
        struct dfi_buffer *b = g->use[i].record->copy[d->gpu.index];
        if (b) b->pinned = dfi_engine.stamp;
    }
    for (i = 0; i < g->n && step == DFI_STEP_DONE; i++) {
        struct dfi_use_of *u = &g->use[i];
        struct dfi_buffer *b = u->record->copy[d->gpu.index];
        size_t bytes = dfi_box_bytes(&u->box);
        u->buffer = NULL;
        if (u->param->kind == DFI_P_REDUCE) { /* the device has the sums of the groups only */
            bytes = dfi_partial_bytes(g, i);
            if (!g->use[i].room && !(g->use[i].room = (char *)dfi_malloc(bytes))) return DFI_STEP_FAILED;
            if (!g->use[i].partial) g->use[i].partial = dfi_going_collect(g, bytes, &step);
            if (g->use[i].partial) step = DFI_STEP_DONE;
            continue;
        }
        if (b && b->state != DFI_INVALID && !dfi_same_layout(&b->box, &u->box)) {
            if (!u->record->job.under_way) return dfi_going_relay(g, u);
            dfi_engine_wait();
            return DFI_STEP_AGAIN;
        }
        if (b && b->bytes < bytes) {
            dfi_buffer_give_up(d, b);
            b = NULL;
        }
        if (!b) {
            if (!(b = dfi_going_collect(g, bytes, &step))) break;
            step = DFI_STEP_DONE;
            dfi_buffer_attach(d, u->record, b);
        }
        u->buffer = b, b->pinned = dfi_engine.stamp;
        if (b->state == DFI_INVALID) b->box = u->box;
    }
    if (step != DFI_STEP_FAILED || d->lost) return step;
    if ((step = dfi_going_shed(g)) == DFI_STEP_FAILED) dfi_going_fits(g);
    return step;
}

/* What it reads and the device has not is on its way there. The lock is free while the driver takes it from the host. */
static int dfi_going_transfers(struct dfi_going *g)
{
    struct dfi_device *d = g->device;
    const struct dfi_gpu_driver *v = d->gpu.driver;
    struct dfi_use_of *in[DFI_PARAMETERS];
    df_result r = DF_OK;
    int i, k, n = 0, moves = 0;
    for (i = 0; i < g->n && !r; i++) {
        struct dfi_use_of *u = &g->use[i];
        struct dfi_record *s = u->record;
        int holder;
        if (!u->buffer || !u->reads || u->buffer->state != DFI_INVALID) continue;
        for (k = 0; k < n && in[k]->record != s; k++) {}
        if (k < n) continue;
        moves = 1;
        r = dfi_buffer_after(dfi_engine.device, d, DFI_Q_IN, u->buffer);
        holder = dfi_record_holder(s);
        if (!r && !s->host_valid && holder >= 0) { /* from the device that has it */
            struct dfi_device *e = dfi_engine.device[holder];
            struct dfi_buffer *from = s->copy[holder];
            if (from->write_point) r = v->wait(&d->gpu, DFI_Q_IN, &e->gpu, from->write_queue, from->write_point);
            if (!r && (!dfi_same_layout(&from->box, &u->box) || v->copy_peer(&d->gpu, DFI_Q_IN, u->buffer->memory, &e->gpu, from->memory, dfi_box_bytes(&from->box)))) {
                dfi_record_write_back(s); /* not between these two: through the host */
                dfi_engine_wait();
                return DFI_STEP_AGAIN;
            }
            if (r) break;
            dfi_buffer_written(d, DFI_Q_IN, u->buffer);
            from->uses.peer[d->gpu.index] = u->buffer->write_point;
            from->state = u->buffer->state = DFI_SHARED_COPY;
            dfi_fetch_add_relaxed(&d->bytes_in, dfi_box_bytes(&from->box));
            continue;
        }
        in[n++] = u;
    }
    if (!moves) return DFI_STEP_DONE;
    for (i = 0; i < g->n; i++) g->use[i].record->pins++;
    dfi_os_unlock(&dfi_engine_lock);
    for (k = 0; k < n && !r; k++)
        r = v->copy_in(&d->gpu, DFI_Q_IN, in[k]->buffer->memory, (const void *)in[k]->region.p, &in[k]->buffer->box);
    if (!r) v->flush(&d->gpu, DFI_Q_IN);
    dfi_os_lock(&dfi_engine_lock);
    for (i = 0; i < g->n; i++) g->use[i].record->pins--;
    if (d->lost) dfi_device_drain(d); /* since: what was just put into the queue reads the host's memory */
    for (k = 0; k < n && !r && !d->lost; k++) {
        struct dfi_record *s = in[k]->record;
        dfi_buffer_written(d, DFI_Q_IN, in[k]->buffer);
        s->in[d->gpu.index] = in[k]->buffer->write_point;
        in[k]->buffer->state = DFI_SHARED_COPY;
        dfi_fetch_add_relaxed(&d->bytes_in, in[k]->region.row * in[k]->region.rows);
    }
    if (r) dfi_device_lose(d, "taking data from the host");
    for (i = 0; i < g->n; i++) /* somebody who waits has begun to write back what is about to change */
        if (g->use[i].writes && g->use[i].record->job.under_way) return DFI_STEP_AGAIN;
    return d->lost ? DFI_STEP_FAILED : DFI_STEP_DONE;
}

/* The queue where what it depends on is; else the one that has been idle longest. */
static int dfi_going_queue(const struct dfi_going *g)
{
    struct dfi_device *d = g->device;
    int i, q, best = DFI_Q_RUN;
    for (i = 0; i < g->n; i++) { /* nothing but what it needs is in the way, done or not: no need to ask */
        const struct dfi_buffer *b = g->use[i].buffer;
        if (b && b->write_queue >= DFI_Q_RUN && b->write_point && b->write_point == d->launches[b->write_queue]) return b->write_queue;
    }
    for (i = 0; i < g->n; i++) {
        const struct dfi_buffer *b = g->use[i].buffer;
        if (b && g->use[i].writes && b->write_queue >= DFI_Q_RUN && b->write_point &&
            !dfi_point_reached(d, b->write_queue, b->write_point))
            return b->write_queue;
    }
    for (q = DFI_Q_RUN; q < DFI_QUEUES; q++)
        if (dfi_point_reached(d, q, d->launches[q])) return q;
    for (q = DFI_Q_RUN; q < DFI_QUEUES; q++)
        if (d->gpu.issued[q] < d->gpu.issued[best]) best = q;
    return best;
}

static df_result dfi_going_call(struct dfi_going *g)
{
    struct dfi_device *d = g->device;
    struct df_queue queue;
    int i, k;
    for (i = 0; i < g->kernel->n_params; i++) {
        const struct dfi_param *p = &g->kernel->param[i];
        if (p->kind == DFI_P_VALUE) continue;
        for (k = 0; k < g->n && g->use[k].param != p; k++) {}
        if (k < g->n) memcpy((char *)g->args + p->at, &g->use[k].buffer->memory, sizeof(dfi_memory));
    }
    queue.device = d->gpu.index + 1;
    queue.kind = d->gpu.info.kind;
    queue.native = d->gpu.driver->native(&d->gpu, g->queue);
    if (!queue.native) return DF_ERROR_DEVICE;
    g->kernel->call(&queue, g->args);
    d->gpu.driver->native_end(&d->gpu, g->queue);
    return DF_OK;
}

/* Everything is there, or in a queue: the kernel comes behind it. */
static int dfi_going_run(struct dfi_going *g)
{
    struct dfi_device *d = g->device;
    const struct dfi_gpu_driver *v = d->gpu.driver;
    struct dfi_arg arg[DFI_PARAMETERS];
    dfi_memory none = 0;
    df_result r = DF_OK;
    uintptr_t point;
    int i, k, q = g->queue = dfi_going_queue(g);
    for (i = 0; i < g->n && !r; i++) {
        struct dfi_buffer *b = g->use[i].partial ? g->use[i].partial : g->use[i].buffer;
        if (g->use[i].partial || g->use[i].writes) r = dfi_buffer_after(dfi_engine.device, d, q, b);
        else if (b->write_queue != q && b->write_point) r = v->wait(&d->gpu, q, &d->gpu, b->write_queue, b->write_point);
    }
    for (i = 0; i < g->kernel->n_params; i++) {
        const struct dfi_param *p = &g->kernel->param[i];
        arg[i].p = (char *)g->args + p->at, arg[i].bytes = p->bytes, arg[i].is_memory = p->kind != DFI_P_VALUE;
        if (!arg[i].is_memory) continue;
        for (k = 0; k < g->n && g->use[k].param != p; k++) {}
        arg[i].p = k == g->n ? &none : g->use[k].partial ? &g->use[k].partial->memory : &g->use[k].buffer->memory;
        arg[i].bytes = sizeof(dfi_memory);
    }
    if (!r) r = g->kernel->call ? dfi_going_call(g) : v->launch(&d->gpu, q, g->kernel, g->built, g->groups, g->grid.group, arg, g->kernel->n_params);
    if (r) {
        dfi_device_lose(d, "launching a kernel");
        return DFI_STEP_FAILED;
    }
    v->flush(&d->gpu, q);
    point = d->launches[q] = dfi_load_relaxed(&d->gpu.issued[q]);
    dfi_fetch_add_relaxed(&d->n_launches, (size_t)1);
    for (i = 0; i < g->n; i++) {
        struct dfi_use_of *u = &g->use[i];
        if (g->use[i].partial) dfi_buffer_written(d, q, g->use[i].partial);
        if (!u->buffer) continue;
        u->buffer->uses.queue[q] = point;
        dfi_lru_remove(d, u->buffer);
        dfi_lru_append(d, u->buffer);
    }
    for (i = 0; i < g->n; i++) {
        struct dfi_use_of *u = &g->use[i];
        unsigned o;
        if (!u->buffer || !u->writes) continue;
        dfi_buffer_written(d, q, u->buffer);
        for (o = 0; o < u->record->n_over; o++) dfi_record_invalidate(u->record->over[o], -1);
        dfi_record_invalidate(u->record, d->gpu.index);
        dfi_record_host_valid(&dfi_engine.records, u->record, 0);
        u->buffer->state = DFI_OWNED;
    }
    return DFI_STEP_DONE;
}

/* --- reductions: groups and items on the device, the rest here ---------------------------------------- */

/* What the groups accumulated is combined with what is in host memory: all of it or, if the device fails, nothing. pre: the
 * lock. */
static void dfi_going_combine(struct dfi_going *g)
{
    size_t groups = (size_t)g->groups[0] * (size_t)g->groups[1] * (size_t)g->groups[2], k;
    int i, left;
    for (i = 0; i < g->n; i++) {
        struct dfi_job *j = &g->use[i].job;
        if (!g->use[i].partial) continue;
        g->use[i].partial->box.row = groups * g->use[i].x.row, g->use[i].partial->box.rows = 1;
        j->record = NULL, j->buffer = g->use[i].partial, j->to = g->use[i].room, j->result = DF_OK;
        dfi_job_add(g->device, j);
    }
    for (;;) {
        for (left = 0, i = 0; i < g->n; i++) left |= g->use[i].job.under_way;
        if (!left) break;
        dfi_engine_wait();
    }
    for (i = 0; i < g->n; i++)
        if (g->use[i].partial && g->use[i].job.result) g->error = DF_ERROR_DEVICE;
    dfi_os_unlock(&dfi_engine_lock);
    for (i = 0; i < g->n && !g->error; i++) {
        const struct dfi_use_of *u = &g->use[i];
        for (k = 0; k < groups && g->use[i].partial; k++)
            u->param->combine((void *)u->region.p, g->use[i].room + k * u->x.row, u->x.row / u->param->bytes);
    }
    dfi_os_lock(&dfi_engine_lock);
}

/* --- all of it ----------------------------------------------------------------------------------- */

/* pre: the lock. */
static void dfi_going_go(struct dfi_going *g)
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
        if (!g->built) dfi_going_build(g);
        if (g->error || g->here) break;
        step = DFI_STEP_AGAIN;
        if (g->time.timed && dfi_measure_idle(d)) continue;
        step = dfi_going_records(g);
        if (step == DFI_STEP_DONE) dfi_going_layout(g);
        if (step == DFI_STEP_DONE) step = dfi_going_memory(g);
        if (g->time.timed) dfi_measure_begin(g);
        if (step == DFI_STEP_DONE) step = dfi_going_transfers(g);
        if (step == DFI_STEP_DONE && g->time.timed && dfi_measure_copied(g)) step = DFI_STEP_AGAIN;
        if (step == DFI_STEP_DONE) step = dfi_going_run(g);
        if (step == DFI_STEP_DONE && g->time.timed) dfi_measure_end(g);
        if (step == DFI_STEP_FAILED && !g->error) g->here = 1;
    } while (step == DFI_STEP_AGAIN);
    dfi_measure_leave(g);
    if (mine) {
        d->busy = 0;
        dfi_engine_changed();
    }
    for (i = 0; i < g->n && !g->use[i].partial; i++) {}
    if (i < g->n && !g->error && !g->here) dfi_going_combine(g);
    for (i = 0; i < g->n; i++) {
        if (g->use[i].partial) dfi_buffer_give_up(d, g->use[i].partial);
        dfi_mfree(g->use[i].room);
        g->use[i].partial = NULL, g->use[i].room = NULL;
    }
}

/* Does a launch write what another parameter of it accesses as another region, or access one in two layouts? No device
 * can do that. */
static int dfi_going_aliased(const struct dfi_going *g)
{
    int i, j;
    for (i = 0; i < g->n; i++)
        for (j = 0; j < g->n; j++) {
            const struct dfi_use_of *a = &g->use[i], *b = &g->use[j];
            int block = dfi_is_block(a);
            if (i == j || !dfi_region_overlap(&a->region, &b->region)) continue;
            if (!dfi_region_equal(&a->region, &b->region) ? a->writes
                : block != dfi_is_block(b) || (block && dfi_param_of_ld(g->kernel, a->param) != dfi_param_of_ld(g->kernel, b->param)))
                return 1;
        }
    return 0;
}

static void dfi_launch_fail(df_result code) { df_fail(code, df_error_text(code)); }

static void dfi_launch_here(struct dfi_kernel *k, const void *args, const struct dfi_access *x, unsigned n, struct dfi_measure *time)
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
    const struct dfi_extra *e = w && w->task && w->task->task.args == args && w->task->task.mem.special ? w->task->extra : NULL;
    const df_ndrange *grid = (const df_ndrange *)args;
    struct dfi_access x[DFI_PARAMETERS];
    unsigned n = k->accesses(args, x), i;
    struct dfi_going g;
    struct dfi_size size;
    int matters, d, p, none = 0, want = e ? e->device : 0, results = e && e->signals;
    memset((void *)&g, 0, offsetof(struct dfi_going, use));
    g.kernel = k;
    g.name = e && e->name ? e->name : k->name;
    g.site = e && e->site ? e->site : k->file;
    g.grid = *grid;
    for (d = 0; d < 3; d++) {
        none |= grid->n[d] == 0;
        if (grid->n[d] < 0 || grid->group[d] < 0) {
            dfi_error(DFI_MESSAGE_GRID, g.site, g.name, want > 0 ? want : 0, "any", grid->n[0], grid->n[1], grid->n[2], grid->group[0], grid->group[1], grid->group[2], "a negative number");
            dfi_launch_fail(DF_ERROR_GRID);
            return;
        }
    }
    if (none) return;
    if (want > dfi_engine.n || want < DF_ANY_DEVICE) {
        dfi_error("%s: launch of %s on device %d: devices are 1 to %d, or DF_HOST: not run",
                  g.site, g.name, want, dfi_engine.n);
        dfi_launch_fail(DF_ERROR_DEVICE);
        return;
    }
    for (i = 0, p = 0; i < n; i++, p++) {
        struct dfi_use_of *u = &g.use[g.n];
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
        if (k->param[p].kind == DFI_P_REDUCE) results = 1, g.here |= k->call != NULL || x[i].row / k->param[p].bytes > DFI_REDUCE_MOST;
    }
    for (i = 0; i < n; i++) /* what is accumulated into is host memory; a copy of it is nowhere else */
        if (!w || !w->task || w->task->task.args != args)
            if (x[i].mode & DFI_REDUCE & ~(unsigned)DFI_INOUT) dfi_engine_host(&x[i], 1);
    if (!(g.args = k->args_bytes <= sizeof few ? (void *)&few : dfi_malloc(k->args_bytes)) || dfi_going_aliased(&g)) g.here = 1;
    matters = dfi_times_matter(want);
    if (matters) size = dfi_size_of(k, x, n, grid);
    dfi_os_lock(&dfi_engine_lock);
    while (!g.here) {
        dfi_going_where(&g, want, matters ? &size : NULL, x, n);
        if (g.here) break;
        memcpy(g.args, args, k->args_bytes);
        g.grid = *grid;
        g.built = NULL;
        dfi_going_go(&g);
        if (!g.here || want > 0) break;
        if (!g.device->lost) break;
        g.here = 0; /* the device failed: another one, if what it needs is not lost */
    }
    dfi_os_unlock(&dfi_engine_lock);
    if (g.here) dfi_launch_here(k, args, x, n, &g.time);
    else if (g.error) dfi_launch_fail(g.error);
    else if (results) { /* who is signalled may look at them */
        for (i = 0; i < n; i++) x[i].mode = DFI_IN;
        dfi_engine_host(x, n);
    }
    if (g.args && g.args != (void *)&few) dfi_mfree(g.args);
}

/* Does kernel k access memory that is on a device already? df would copy it from an address that the host cannot read. */
static int dfi_launch_of_device_memory(const struct dfi_kernel *k, const void *args, const char *site, const char *name)
{
    struct dfi_access x[DFI_PARAMETERS];
    unsigned n = k->accesses(args, x), i;
    int p = 0;
    for (i = 0; i < n; i++, p++) {
        struct dfi_gpu *d = &dfi_engine.device[0]->gpu; /* one driver has opened all devices */
        while (k->param[p].kind == DFI_P_VALUE) p++;
        if (!d->driver->is_device_memory(d, x[i].p)) continue;
        dfi_error("%s: launch of %s: parameter %s is an address of device memory (%s): not run; df moves memory to "
                  "devices itself: pass memory of the host", site, name, k->param[p].name, d->driver->kind);
        return 1;
    }
    return 0;
}

/* What df_launch does: a task for a device, or for the host if there is none. */
DFI_API void dfi_launch(const struct df_opts *o, const char *site, const struct dfi_type *type, const struct dfi_type *host, struct dfi_kernel *k,
                        void *args)
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
    if (DFI_UNLIKELY(!o && DFI_GRAPH())) o = (const struct df_opts *)memset((void *)&none, 0, sizeof none); /* so that it knows the site */
    dfi_with(o, site);
    if (!(t = dfi_task_new(type))) dfi_run_now(type, args);
    else if (t == DFI_BARE) dfi_run_after(type, args, x, k->accesses(args, x));
    else {
        memcpy(t->args, args, k->args_bytes);
        n = k->accesses(args, x);
        for (i = 0; i < n && type != host; i++) /* a device has a copy: who works on the memory itself comes before or after */
            if (x[i].mode == DFI_CONCURRENT) x[i].mode = DFI_INOUT;
        dfi_submit_here(t, x, n);
    }
    dfi_with_end(o);
}

#endif
