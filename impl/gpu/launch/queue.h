/* queue.h - the operations of a launch: transfers to the device, the kernel, and the results of reductions
 *
 * They are put into queues of the device, each behind the operations that it depends on. */
#ifndef DFI_GPU_LAUNCH_QUEUE_H
#define DFI_GPU_LAUNCH_QUEUE_H

#include "../../base/atomic.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../../../df_gpu.h"
#include "../driver.h"
#include "../engine.h"
#include "layout.h"
#include "room.h"
#include "state.h"
#include "../memory.h"
#include "../record.h"

/* Puts the transfers of missing inputs into the queue. The lock is free while the driver reads host memory. */
static int dfi_flight_transfers(struct dfi_flight *g)
{
    struct dfi_device *d = g->device;
    const struct dfi_gpu_driver *v = d->gpu.driver;
    struct dfi_operand *in[DFI_PARAMETERS];
    df_result r = DF_OK;
    int i, k, n = 0, moves = 0;
    for (i = 0; i < g->n && !r; i++) {
        struct dfi_operand *u = &g->use[i];
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
            if (!r && (!dfi_same_layout(&from->box, &u->box) ||
                       v->copy_peer(&d->gpu, DFI_Q_IN, u->buffer->memory, &e->gpu, from->memory,
                                    dfi_box_bytes(&from->box)))) {
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
    for (i = 0; i < g->n; i++) /* a waiting thread has begun to write back data that is about to change */
        if (g->use[i].writes && g->use[i].record->job.under_way) return DFI_STEP_AGAIN;
    return d->lost ? DFI_STEP_FAILED : DFI_STEP_DONE;
}

/* The queue that its predecessor is in; else the queue that has been idle longest. */
static int dfi_flight_queue(const struct dfi_flight *g)
{
    struct dfi_device *d = g->device;
    int i, q, best = DFI_Q_RUN;
    for (i = 0; i < g->n; i++) { /* nothing but what it needs is in the way, done or not: no need to ask */
        const struct dfi_buffer *b = g->use[i].buffer;
        if (b && b->write_queue >= DFI_Q_RUN && b->write_point && b->write_point == d->launches[b->write_queue])
            return b->write_queue;
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

static df_result dfi_flight_call(struct dfi_flight *g)
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
static int dfi_flight_run(struct dfi_flight *g)
{
    struct dfi_device *d = g->device;
    const struct dfi_gpu_driver *v = d->gpu.driver;
    struct dfi_arg arg[DFI_PARAMETERS];
    dfi_memory none = 0;
    df_result r = DF_OK;
    uintptr_t point;
    int i, k, q = g->queue = dfi_flight_queue(g);
    for (i = 0; i < g->n && !r; i++) {
        struct dfi_buffer *b = g->use[i].partial ? g->use[i].partial : g->use[i].buffer;
        if (g->use[i].partial || g->use[i].writes) r = dfi_buffer_after(dfi_engine.device, d, q, b);
        else if (b->write_queue != q && b->write_point)
            r = v->wait(&d->gpu, q, &d->gpu, b->write_queue, b->write_point);
    }
    for (i = 0; i < g->kernel->n_params; i++) {
        const struct dfi_param *p = &g->kernel->param[i];
        arg[i].p = (char *)g->args + p->at, arg[i].bytes = p->bytes, arg[i].is_memory = p->kind != DFI_P_VALUE;
        if (!arg[i].is_memory) continue;
        for (k = 0; k < g->n && g->use[k].param != p; k++) {}
        arg[i].p = k == g->n ? &none : g->use[k].partial ? &g->use[k].partial->memory : &g->use[k].buffer->memory;
        arg[i].bytes = sizeof(dfi_memory);
    }
    if (!r) r = g->kernel->call ? dfi_flight_call(g) : v->launch(&d->gpu, q, g->kernel, g->built, g->groups,
                                                                 g->grid.group, arg, g->kernel->n_params);
    if (r) {
        dfi_device_lose(d, "launching a kernel");
        return DFI_STEP_FAILED;
    }
    v->flush(&d->gpu, q);
    point = d->launches[q] = dfi_load_relaxed(&d->gpu.issued[q]);
    dfi_fetch_add_relaxed(&d->n_launches, (size_t)1);
    for (i = 0; i < g->n; i++) {
        struct dfi_operand *u = &g->use[i];
        if (g->use[i].partial) dfi_buffer_written(d, q, g->use[i].partial);
        if (!u->buffer) continue;
        u->buffer->uses.queue[q] = point;
        dfi_lru_remove(d, u->buffer);
        dfi_lru_append(d, u->buffer);
    }
    for (i = 0; i < g->n; i++) {
        struct dfi_operand *u = &g->use[i];
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

/* Combines the results of the groups with host memory: all of them or, if the device fails, none. pre: the lock. */
static void dfi_flight_combine(struct dfi_flight *g)
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
        const struct dfi_operand *u = &g->use[i];
        for (k = 0; k < groups && g->use[i].partial; k++)
            u->param->combine((void *)u->region.p, g->use[i].room + k * u->x.row, u->x.row / u->param->bytes);
    }
    dfi_os_lock(&dfi_engine_lock);
}

#endif
