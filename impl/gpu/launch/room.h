/* room.h - room on the device for the regions of a launch: buffers, eviction, changes of layout
 *
 * Each step begins again after every wait, as everything may have changed meanwhile. */
#ifndef DFI_GPU_LAUNCH_ROOM_H
#define DFI_GPU_LAUNCH_ROOM_H

#include "../../base/atomic.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../driver.h"
#include "../engine.h"
#include "layout.h"
#include "state.h"
#include "../memory.h"
#include "../record.h"

enum { DFI_STEP_DONE, DFI_STEP_AGAIN, DFI_STEP_FAILED };

/* The records of its regions; records that overlap them in part are written back to the host. */
static int dfi_flight_records(struct dfi_flight *g)
{
    int i, d = g->device->gpu.index, wait = 0;
    unsigned k;
    for (i = 0; i < g->n; i++)
        /* no memory */
        if (!(g->use[i].record = dfi_record_of(&dfi_engine.records, &g->use[i].region))) return DFI_STEP_FAILED;
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
static struct dfi_buffer *dfi_flight_collect(struct dfi_flight *g, size_t bytes, int *step)
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
    /* of other sizes, and still in use: the driver gets them back when they are not */
    for (b = d->pool; b; b = b->next)
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
static int dfi_flight_relay(struct dfi_flight *g, struct dfi_operand *u)
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
    if (!(to = dfi_flight_collect(g, dfi_box_bytes(&lies), &step))) {
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

/* Copies that it uses itself, and that may be in its way: of another size than it needs now. Those that are nowhere
 * else are written back. They come back by themselves. */
static int dfi_flight_shed(struct dfi_flight *g)
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

static size_t dfi_partial_bytes(const struct dfi_flight *g, int i)
{
    return (size_t)g->groups[0] * (size_t)g->groups[1] * (size_t)g->groups[2] * g->use[i].x.row;
}

/* Is all of it together within the limit? Says so if not. */
static int dfi_flight_fits(struct dfi_flight *g)
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
    dfi_error("%s: launch of %s on device %d (%s): it accesses %lu bytes, the largest part %lu as %s, and the device "
              "has %lu for df: it does not run; use smaller parts",
              g->site, g->name, d->gpu.index + 1, d->gpu.info.name, (unsigned long)total, (unsigned long)largest,
              name, (unsigned long)d->limit);
    g->error = DF_ERROR_DEVICE_MEMORY;
    return 0;
}

/* Room on the device for all of it, in one go. */
static int dfi_flight_memory(struct dfi_flight *g)
{
    struct dfi_device *d = g->device;
    int i, step = DFI_STEP_DONE;
    dfi_engine.stamp++;
    if (!g->shed && !dfi_flight_fits(g)) return DFI_STEP_FAILED;
    for (i = 0; i < g->n; i++) {
        struct dfi_buffer *b = g->use[i].record->copy[d->gpu.index];
        if (b) b->pinned = dfi_engine.stamp;
    }
    for (i = 0; i < g->n && step == DFI_STEP_DONE; i++) {
        struct dfi_operand *u = &g->use[i];
        struct dfi_buffer *b = u->record->copy[d->gpu.index];
        size_t bytes = dfi_box_bytes(&u->box);
        u->buffer = NULL;
        if (u->param->kind == DFI_P_REDUCE) { /* the device has the sums of the groups only */
            bytes = dfi_partial_bytes(g, i);
            if (!g->use[i].room && !(g->use[i].room = (char *)dfi_malloc(bytes))) return DFI_STEP_FAILED;
            if (!g->use[i].partial) g->use[i].partial = dfi_flight_collect(g, bytes, &step);
            if (g->use[i].partial) step = DFI_STEP_DONE;
            continue;
        }
        if (b && b->state != DFI_INVALID && !dfi_same_layout(&b->box, &u->box)) {
            if (!u->record->job.under_way) return dfi_flight_relay(g, u);
            dfi_engine_wait();
            return DFI_STEP_AGAIN;
        }
        if (b && b->bytes < bytes) {
            dfi_buffer_give_up(d, b);
            b = NULL;
        }
        if (!b) {
            if (!(b = dfi_flight_collect(g, bytes, &step))) break;
            step = DFI_STEP_DONE;
            dfi_buffer_attach(d, u->record, b);
        }
        u->buffer = b, b->pinned = dfi_engine.stamp;
        if (b->state == DFI_INVALID) b->box = u->box;
    }
    if (step != DFI_STEP_FAILED || d->lost) return step;
    if ((step = dfi_flight_shed(g)) == DFI_STEP_FAILED) dfi_flight_fits(g);
    return step;
}

#endif
