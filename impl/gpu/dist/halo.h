/* halo.h - the update of halos
 *
 * The sources of a halo in its own dimension are computed once: runs of elements that belong to one part. An update
 * processes the dimensions one after the other. In earlier dimensions its runs include the halos that were just
 * filled, in later ones they do not: so corners are right after the last dimension, however many parts they come from.
 * Within a dimension the runs are independent, because they read only elements that are not in a halo there. */
#ifndef DFI_GPU_DIST_HALO_H
#define DFI_GPU_DIST_HALO_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../api/dist.h"
#include "../../api/submit_options.h"
#include "../../api/result.h"
#include "../../api/task.h"
#include "box.h"
#include "dist.h"

/* The runs of one halo of part p, written to `run` unless it is NULL. How many. */
static size_t dfi_halo_runs_of(const df_dist *d, const df_part *p, int dim, int side, struct dfi_halo_run *run)
{
    const struct dfi_axis *a = &d->axis[dim];
    int64_t lo = p->lo[dim] - a->offset, g = side ? lo + p->count[dim] : lo - a->halo[0], end = g + a->halo[side];
    int64_t stride = 1, step = 0, last = -1;
    struct dfi_halo_run r;
    size_t n = 0;
    int j;
    for (j = a->along + 1; j < 3; j++) stride *= d->arrangement[j];
    memset((void *)&r, 0, sizeof r);
    r.to = p->index, r.dim = dim, r.side = side, r.from = -1;
    for (; g < end; g++) {
        int64_t source = dfi_axis_source(a, g);
        int owner = source < 0 ? -1 : dfi_axis_owner(a, source);
        int from = p->index + (int)((owner - (a->along < 0 ? 0 : p->coord[a->along])) * stride);
        if (owner >= 0 && from == r.from && r.n && source - last >= -1 && source - last <= 1 &&
            (r.n == 1 || source - last == step)) {
            r.n++, r.from_step = step = source - last, last = source;
            if (run) run[n - 1] = r;
            continue;
        }
        r.n = 0;
        if (owner < 0) continue;
        r.from = from, r.n = 1, r.from_step = 1, last = source;
        r.to_at = p->first[dim] + g - lo;
        r.from_at = p->first[dim] + source - dfi_axis_begin(a, owner);
        if (run) run[n] = r;
        n++;
    }
    return n;
}

/* All runs, sorted by dimension. How many. */
static size_t dfi_halo_runs(const df_dist *d, struct dfi_halo_run *run)
{
    const df_part *p;
    size_t n = 0;
    int dim, side;
    for (dim = 0; dim < d->dims; dim++)
        for (p = df_dist_next(d, NULL); p; p = df_dist_next(d, p))
            for (side = 0; side < 2; side++) n += dfi_halo_runs_of(d, p, dim, side, run ? run + n : NULL);
    return n;
}

/* The elements of a run as wide as the halos of `which` in the dimensions before allow; from part to part, or packed.
 * Halos that df never writes are not in it. */
static struct dfi_nest dfi_halo_box(const df_dist *d, const struct dfi_halo_run *r, int which, int from_message,
                                    int to_message)
{
    const df_part *to = &d->part[r->to], *from = &d->part[r->from];
    int64_t at[3], n[3], packed[3];
    struct dfi_nest b;
    int j;
    b.from = b.to = b.levels = 0;
    for (j = 0; j < 3; j++) {
        const struct dfi_axis *a = &d->axis[j];
        int64_t left = 0, right = 0, lo = to->lo[j] - a->offset;
        if (j < r->dim && which & DF_LEFT & DF_DIM(j))
            left = a->edge[0] == DF_EDGE_NONE ? dfi_least(a->halo[0], lo) : a->halo[0];
        if (j < r->dim && which & DF_RIGHT & DF_DIM(j))
            right = a->edge[1] == DF_EDGE_NONE ? dfi_least(a->halo[1], a->extent - lo - to->count[j]) : a->halo[1];
        at[j] = to->first[j] - left, n[j] = left + to->count[j] + right;
        if (j == r->dim) at[j] = 0, n[j] = r->n;
    }
    packed[2] = 1, packed[1] = n[2], packed[0] = n[1] * n[2];
    for (j = 0; j < 3; j++) {
        int64_t f = j == r->dim ? r->from_at : at[j], f_step = from->stride[j] * (j == r->dim ? r->from_step : 1);
        int64_t t = j == r->dim ? r->to_at : at[j];
        if (!from_message) b.from += f * from->stride[j];
        if (!to_message) b.to += t * to->stride[j];
        dfi_nest_level(&b, n[j], from_message ? packed[j] : f_step, to_message ? packed[j] : to->stride[j]);
    }
    return b;
}

/* Bytes of the largest message of a run. */
static size_t dfi_halo_message_bytes(const df_dist *d, const struct dfi_halo_run *r)
{
    struct dfi_nest b = dfi_halo_box(d, r, DF_LEFT | DF_RIGHT, 0, 1);
    return (size_t)dfi_nest_items(&b) * d->element;
}

static int dfi_part_on_host(const df_part *p)
{
    return p->device == DF_HOST || !dfi_load_relaxed(&dfi_more.devices);
}

/* Copies a box of elements, by the device if it is one, else by the host. whole: how all of `to` is declared; 0: the
 * host copies, and nobody but the host accesses the parts. */
static void dfi_halo_copy(const df_dist *d, struct dfi_nest b, int on_host, int device, const void *from,
                          size_t from_bytes, void *to, size_t to_bytes, unsigned whole, const char *site)
{
    if (on_host) {
        dfi_nest_units(&b, (int64_t)d->element);
        dfi_nest_move(&b, (const char *)from, from_bytes, (char *)to, to_bytes, whole);
        return;
    }
#if defined(DF_SERIAL)
    (void)device, (void)site;
#else
    dfi_nest_units(&b, (int64_t)d->element / d->unit);
    dfi_nest_launch(&b, whole == DFI_OUT, device, site, from, from_bytes, to, to_bytes, d->unit);
#endif
}

/* One run on its way: packed where it is, or (pack 0) copied, or unpacked where it has to go. */
static void dfi_halo_send(const df_dist *d, const struct dfi_halo_run *r, int which, int pack, const char *site)
{
    const df_part *from = &d->part[r->from], *to = &d->part[r->to];
    int direct = from->device == to->device || (dfi_part_on_host(from) && dfi_part_on_host(to));
    size_t from_bytes = dfi_part_bytes(d, from), to_bytes = dfi_part_bytes(d, to);
    if (direct && !pack)
        dfi_halo_copy(d, dfi_halo_box(d, r, which, 0, 0), dfi_part_on_host(to), to->device, from->data, from_bytes,
                      to->data, to_bytes, dfi_part_on_host(to) ? 0 : DFI_INOUT, site);
    else if (!direct && pack)
        dfi_halo_copy(d, dfi_halo_box(d, r, which, 0, 1), dfi_part_on_host(from), from->device, from->data,
                      from_bytes, r->message, r->message_bytes, DFI_OUT, site);
    else if (!direct)
        dfi_halo_copy(d, dfi_halo_box(d, r, which, 1, 0), dfi_part_on_host(to), to->device, r->message,
                      r->message_bytes, to->data, to_bytes, DFI_INOUT, site);
}

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_halo_update(df_dist *d, int which, const char *site)
{
    size_t i, end = 0;
    int pack;
    if (!d) {
        dfi_error(DFI_MESSAGE_DIST_ARRAY, site, "df_halo_update", "NULL");
        return DF_ERROR_DIST;
    }
    for (i = 0; d->element && i < d->n_runs; i = end)
        for (pack = 1; pack >= 0; pack--) /* everything is packed first, so that no pack waits for an unpack */
            for (end = i; end < d->n_runs && d->run[end].dim == d->run[i].dim; end++)
                if (which & (d->run[end].side ? DF_RIGHT : DF_LEFT) & DF_DIM(d->run[end].dim))
                    dfi_halo_send(d, &d->run[end], which, pack, site);
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
