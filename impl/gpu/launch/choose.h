/* choose.h - choice of a device for a launch: the one where it is expected to be done first
 *
 * The expected end is when the device has finished its earlier work, the missing data has been copied, and the
 * kernel has run, after the times measured so far (gpu/history.h). Some launches are measured for that: the device
 * is idle when they begin, and they are waited for. Devices of an unknown kind get two launches of the class each; a
 * kind that was measured only a few times is taken for as fast as it ever was. Without times, or if a device would
 * have to write back something to make room, bytes decide: dfi_device_nearest. Everything here is under the lock of
 * the engine. */
#ifndef DFI_GPU_LAUNCH_CHOOSE_H
#define DFI_GPU_LAUNCH_CHOOSE_H

#include "../../base/atomic.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/submit_options.h"
#include "../../api/task.h"
#include "../../flow/region.h"
#include "../driver.h"
#include "../engine.h"
#include "../history.h"
#include "state.h"
#include "../memory.h"
#include "../record.h"

/* Bytes to copy that a queue in use is worth: a kernel of 20 us at 12 GB/s; and that rate, for devices whose own is
 * not known yet. */
static const double dfi_busy_queue = 1 << 18, dfi_copy_rate = 12e9;
enum { DFI_COPY_LEAST = 1 << 18 }; /* bytes of a copy that say something about the rate */

static struct dfi_record *dfi_record_of_access(const struct dfi_access *x)
{
    struct dfi_region r = dfi_region_of(x);
    return r.rows ? dfi_record_of(&dfi_engine.records, &r) : NULL;
}

static size_t dfi_record_bytes(const struct dfi_record *r) { return r->region.row * r->region.rows; }

/* The device that has most of what the launch reads; among equals the one with fewest busy queues, and fewest
 * launches. */
static struct dfi_device *dfi_device_nearest(const struct dfi_access *x, unsigned n)
{
    struct dfi_device *best = NULL;
    double best_cost = 0;
    int d, q;
    unsigned i;
    if (dfi_engine.n == 1) return dfi_engine.device[0];
    for (d = 0; d < dfi_engine.n; d++) {
        struct dfi_device *v = dfi_engine.device[d];
        double cost = 0;
        if (v->lost) continue;
        for (i = 0; i < n; i++) {
            struct dfi_record *k = dfi_record_of_access(&x[i]);
            if (k && !dfi_copy_is_valid(k, d)) cost += (double)dfi_record_bytes(k);
        }
        for (q = DFI_Q_RUN; q < DFI_QUEUES; q++)
            if (!dfi_point_reached(v, q, v->launches[q])) cost += dfi_busy_queue;
        if (!best || cost < best_cost ||
            (cost <= best_cost && dfi_load_relaxed(&v->n_launches) < dfi_load_relaxed(&best->n_launches)))
            best = v, best_cost = cost;
    }
    return best;
}

/* --- the properties of a place ------------------------------------------------------------------------ */

/* A place where a launch can go. */
struct dfi_option {
    int spot;
    struct dfi_times *times;
    double ready, copy;              /* seconds until it is free; to bring it what it lacks */
};

static double dfi_spot_copy(const struct dfi_spot *p, size_t bytes)
{
    double gib = dfi_times_expect(p->copy);
    return (double)bytes * (gib > 0 ? gib / (double)(1 << 30) : 1 / dfi_copy_rate);
}

static double dfi_spot_ready(const struct dfi_spot *p, uint64_t now)
{
    return p->busy_until > now ? (double)(p->busy_until - now) * 1e-9 : 0;
}

static int dfi_device_idle(struct dfi_device *d)
{
    int q;
    for (q = DFI_Q_RUN; q < DFI_QUEUES; q++)
        if (!dfi_point_reached(d, q, d->launches[q])) return 0;
    return 1;
}

/* Has d room for so many bytes more, without writing something back for it? */
static int dfi_device_has_room(const struct dfi_device *d, size_t bytes)
{
    size_t room = d->limit > d->allocated ? d->limit - d->allocated : 0;
    const struct dfi_buffer *b;
    for (b = d->pool; b && room < bytes; b = b->next) room += b->bytes;
    for (b = d->oldest; b && room < bytes; b = b->next)
        if (!dfi_record_only_on(b->record, d->gpu.index)) room += b->bytes;
    return room >= bytes;
}

/* Fills o for device d. 1; 0: it is too small for the launch; -1: it has no room as it is. */
static int dfi_option_device(struct dfi_option *o, const struct dfi_size *s, int d, const struct dfi_access *x,
                             unsigned n, uint64_t now)
{
    struct dfi_device *v = dfi_engine.device[d];
    struct dfi_spot *p = &dfi_history.spot[d];
    size_t lacks = 0, more = 0, all = 0;
    unsigned i;
    for (i = 0; i < n; i++) {
        const struct dfi_record *r = dfi_record_of_access(&x[i]);
        if (!r) continue;
        all += dfi_record_bytes(r);
        if (!r->copy[d]) more += dfi_record_bytes(r);
        if (!dfi_copy_is_valid(r, d) && x[i].mode & (DFI_IN | DFI_SHARED)) lacks += dfi_record_bytes(r);
    }
    if (!p->pending && dfi_device_idle(v)) p->busy_until = 0;
    o->spot = d;
    o->times = dfi_times_of(s, p);
    o->ready = dfi_spot_ready(p, now);
    o->copy = dfi_spot_copy(p, lacks);
    return all > v->limit ? 0 : dfi_device_has_room(v, more) ? 1 : -1;
}

static void dfi_option_host(struct dfi_option *o, const struct dfi_size *s, const struct dfi_access *x, unsigned n,
                            uint64_t now)
{
    struct dfi_spot *p = &dfi_history.spot[DFI_HOST_SPOT];
    unsigned i;
    o->spot = DFI_HOST_SPOT;
    o->times = dfi_times_of(s, p);
    o->copy = 0;
    for (i = 0; i < n; i++) {
        const struct dfi_record *r = dfi_record_of_access(&x[i]);
        int holder = r && !r->host_valid && x[i].mode & (DFI_IN | DFI_SHARED) ? dfi_record_holder(r) : -1;
        /* about as fast in both directions */
        if (holder >= 0) o->copy += dfi_spot_copy(&dfi_history.spot[holder], dfi_record_bytes(r));
    }
    o->ready = dfi_spot_ready(p, now);
}

/* --- the choice ------------------------------------------------------------------------------------------ */

static int dfi_options_differ(const struct dfi_option *o, int n)
{
    int i;
    for (i = 1; i < n; i++)
        if (o[i].times != o[0].times) return 1;
    return 0;
}

/* The option that is done first; only: of this kind, whose kernel may take any time. NULL: no time is known. */
static const struct dfi_option *dfi_options_first(const struct dfi_option *o, int n, const struct dfi_times *only)
{
    const struct dfi_option *best = NULL;
    double best_end = 0;
    int i;
    for (i = 0; i < n; i++) {
        double kernel = only ? 0 : dfi_times_expect(o[i].times), end = o[i].ready + o[i].copy + kernel;
        if (only ? o[i].times != only : kernel < 0) continue;
        if (!best || end < best_end) best = &o[i], best_end = end;
    }
    return best;
}

/* A kind of place that was not tried enough, the one with fewest tries. */
static const struct dfi_times *dfi_options_untried(const struct dfi_option *o, int n)
{
    const struct dfi_times *least = NULL;
    int i;
    for (i = 0; i < n; i++) {
        const struct dfi_times *t = o[i].times;
        if (t->count < (unsigned long)DFI_TRIES && t->launches < (unsigned)DFI_TRIES &&
            (!least || t->launches < least->launches)) least = t;
    }
    return least;
}

/* Where to. The place is DFI_HOST_SPOT if `host` allows that, or if no device is left. */
static struct dfi_option dfi_spot_choose(const struct dfi_size *s, const struct dfi_access *x, unsigned n, int host)
{
    struct dfi_option option[DFI_MAX_DEVICES + 1], none = { DFI_HOST_SPOT, NULL, 0, 0 };
    const struct dfi_option *o = NULL;
    const struct dfi_device *nearest;
    uint64_t now = dfi_os_ns();
    int d, k = 0, tight = 0, known;
    for (d = 0; d < dfi_engine.n; d++)
        if (!dfi_engine.device[d]->lost) {
            int room = dfi_option_device(&option[k], s, d, x, n, now);
            tight |= room < 0;
            k += room != 0;
        }
    if (host) dfi_option_host(&option[k++], s, x, n, now);
    for (known = 0; known < k && option[known].times; known++) {}
    if (k && known == k && !tight)
        o = dfi_options_first(option, k, dfi_options_differ(option, k) ? dfi_options_untried(option, k) : NULL);
    if (o) return *o;
    if (!(nearest = dfi_device_nearest(x, n))) return none;
    for (d = 0; d < k; d++)
        if (option[d].spot == nearest->gpu.index) return option[d];
    none.spot = nearest->gpu.index; /* too small for it, which is an error unless the host may take it */
    return k ? option[0] : none;
}

/* Sets where g goes. s: NULL, or its size if times matter; want: df_opts.device. */
static void dfi_flight_where(struct dfi_flight *g, int want, const struct dfi_size *s, const struct dfi_access *x,
                             unsigned n)
{
    struct dfi_option o = { want - 1, NULL, 0, 0 };
    struct dfi_spot *p;
    double kernel;
    memset((void *)&g->time, 0, sizeof g->time);
    if (!s) g->device = want > 0 ? dfi_engine.device[want - 1] : dfi_device_nearest(x, n);
    else {
        if (want <= 0) o = dfi_spot_choose(s, x, n, want == DF_ANY_DEVICE);
        else o.times = dfi_times_of(s, &dfi_history.spot[o.spot]), o.ready = 0;
        g->device = o.spot == DFI_HOST_SPOT ? NULL : dfi_engine.device[o.spot];
    }
    if (!g->device || g->device->lost) g->here = 1;
    if (!o.times || (g->here && o.spot != DFI_HOST_SPOT)) return;
    p = &dfi_history.spot[o.spot];
    kernel = dfi_times_expect(o.times);
    if (p->busy_until < dfi_os_ns()) p->busy_until = dfi_os_ns();
    if (kernel > 0) p->busy_until += (uint64_t)((kernel + o.copy) * 1e9);
    p->pending++;
    g->time.spot = o.spot, g->time.times = o.times;
    o.times->launches++;
    g->time.timed = (want <= 0 || dfi_history.kept) &&
                    (o.times->launches <= (unsigned)DFI_TIMED_FIRST ||
                     o.times->launches % (unsigned)DFI_TIMED_EACH == 0);
}

/* Do times matter for a launch that asks for this device? */
static int dfi_times_matter(int want) { return want == DF_ANY_DEVICE || dfi_engine.n > 1 || dfi_history.kept; }

/* --- measuring: the device does nothing else meanwhile ------------------------------------------------------- */

/* Nonzero: it had to wait until the device was idle, so look at everything again. pre: no other launch gets into
 * its queues. */
static int dfi_measure_idle(struct dfi_device *d)
{
    int q;
    for (q = 0; q < DFI_QUEUES; q++)
        if (q != DFI_Q_OUT && dfi_engine_sync(d, q, dfi_load_relaxed(&d->gpu.issued[q]))) return 1;
    return 0;
}

/* The transfers begin. */
static void dfi_measure_begin(struct dfi_flight *g)
{
    g->time.bytes = dfi_load_relaxed(&g->device->bytes_in);
    g->time.began = dfi_os_ns();
}

/* They are in the queue. Nonzero: it waited until they were over, so look at everything again. If that does not end,
 * as others make the device forget what came, the launch is not measured. */
static int dfi_measure_copied(struct dfi_flight *g)
{
    struct dfi_measure *m = &g->time;
    struct dfi_device *d = g->device;
    struct dfi_times *copy = dfi_history.spot[m->spot].copy;
    uint64_t now;
    size_t bytes;
    int waited;
    if (m->waits == DFI_TRIES) m->timed = 0;
    if (!m->timed) return 0;
    waited = dfi_engine_sync(d, DFI_Q_IN, dfi_load_relaxed(&d->gpu.issued[DFI_Q_IN]));
    now = dfi_os_ns();
    bytes = dfi_load_relaxed(&d->bytes_in) - m->bytes;
    if (bytes >= DFI_COPY_LEAST && now > m->began && copy && !d->lost)
        dfi_times_add(copy, (double)(now - m->began) * 1e-9 * ((double)(1 << 30) / (double)bytes));
    m->waits += waited;
    m->began = now;
    return waited;
}

/* The kernel is in its queue: waits until it is done. */
static void dfi_measure_end(struct dfi_flight *g)
{
    struct dfi_measure *m = &g->time;
    struct dfi_device *d = g->device;
    struct dfi_spot *p = &dfi_history.spot[m->spot];
    uint64_t now;
    dfi_engine_sync(d, g->queue, d->launches[g->queue]);
    if (d->lost) return;
    now = dfi_os_ns();
    if (now > m->began) dfi_times_add(m->times, (double)(now - m->began) * 1e-9);
    p->busy_until = now + (uint64_t)((p->pending - 1) * (m->times->count ? dfi_times_expect(m->times) : 0) * 1e9);
}

/* The launch is in a queue of its device, or never will be. */
static void dfi_measure_leave(struct dfi_flight *g)
{
    if (g->time.times && g->time.spot != DFI_HOST_SPOT) dfi_history.spot[g->time.spot].pending--;
}

/* The host has run it, from `began` on. Takes the lock. */
static void dfi_measure_host(struct dfi_measure *m)
{
    struct dfi_spot *p = &dfi_history.spot[DFI_HOST_SPOT];
    uint64_t now = dfi_os_ns();
    if (!m->times || m->spot != DFI_HOST_SPOT) return;
    dfi_os_lock(&dfi_engine_lock);
    if (m->timed && now > m->began) dfi_times_add(m->times, (double)(now - m->began) * 1e-9);
    if (!--p->pending) p->busy_until = 0;
    dfi_os_unlock(&dfi_engine_lock);
}

#endif
