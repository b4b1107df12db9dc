/* new.h - df_dist_new and df_dist_free: a description is checked, divided into parts, and memory allocated */
#ifndef DFI_GPU_DIST_NEW_H
#define DFI_GPU_DIST_NEW_H

#include "../../base/arrange.h"
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/dist.h"
#include "../../api/submit_options.h"
#include "../../api/wait.h"
#include "../../api/result.h"
#include "../../api/task.h"
#include "../../../df_gpu.h"
#include "box.h"
#include "dist.h"
#include "halo.h"
#include "../../more/devices.h"
#if !defined(DF_SERIAL)
#include "../data.h"
#endif

#include <limits.h>

/* --- the arrangement ------------------------------------------------------------------------------------ */

DFI_EXTERN_C_BEGIN
DFI_API int df_dist_arrange(int n, int dims, int *parts)
{
    return dfi_arrange(n > 0 ? n : df_gpu_devices(), dims, parts);
}
DFI_EXTERN_C_END

/* --- the checks of a description ----------------------------------------------------------------------- */

/* Reports that field `name`, with %d for i in it, has the invalid `value`. Returns -1. */
static DFI_COLD int dfi_dist_wrong(const df_dist *d, const char *name, int i, long long value, const char *why)
{
    char field[40];
    DFI_QUIET_FORMAT
    snprintf(field, sizeof field, name, i);
    DFI_LOUD
    dfi_error("%s: df_dist_new: %s = %lld %s: the call returns NULL", d->site, field, value, why);
    return -1;
}

static int dfi_axis_take(df_dist *d, struct dfi_axis *a, const df_dist_dim *ask, int j)
{
    static const char *const halo[2] = { "dim[%d].halo[0]", "dim[%d].halo[1]" },
        *const edge[2] = { "dim[%d].edge[0]", "dim[%d].edge[1]" };
    long long rest = ask->split % DFI_SPLITS;
    int side;
    if (rest < 0) rest += DFI_SPLITS;
    a->size = ask->size, a->offset = ask->offset;
    a->extent = ask->extent ? ask->extent : ask->size - ask->offset;
    a->kind = (int)rest, a->n = (ask->split - rest) / DFI_SPLITS;
    a->along = -1, a->parts = 1;
    if (ask->size < 0) return dfi_dist_wrong(d, "dim[%d].size", j, ask->size, "is negative");
    if (ask->offset < 0 || ask->offset > ask->size)
        return dfi_dist_wrong(d, "dim[%d].offset", j, ask->offset, "is outside of the array");
    if (ask->extent < 0 || ask->extent > ask->size - ask->offset)
        return dfi_dist_wrong(d, "dim[%d].extent", j, ask->extent, "is negative, or goes beyond the end of the array");
    if (a->kind > DFI_SPLIT_CYCLIC || a->n < 0 || (a->kind == DFI_SPLIT_DUPLICATE && a->n))
        return dfi_dist_wrong(d, "dim[%d].split", j, ask->split,
                              "is none of DF_DUPLICATE, DF_BLOCK(n), DF_CYCLIC(n) with n >= 0");
    if (a->kind == DFI_SPLIT_CYCLIC && !a->n) a->n = 1;
    if (a->n > a->extent) a->n = a->extent ? a->extent : 1;
    for (side = 0; side < 2; side++) {
        a->halo[side] = ask->halo[side], a->edge[side] = ask->edge[side];
        if (ask->halo[side] < 0) return dfi_dist_wrong(d, halo[side], j, ask->halo[side], "is negative");
        if (ask->halo[side] && a->kind != DFI_SPLIT_BLOCK)
            return dfi_dist_wrong(d, halo[side], j, ask->halo[side], "needs DF_BLOCK in that dimension");
        if (ask->edge[side] < DF_EDGE_NONE || ask->edge[side] > DF_EDGE_REFLECTING)
            return dfi_dist_wrong(d, edge[side], j, ask->edge[side], "is none of enum df_edge");
        d->halos |= ask->halo[side] != 0;
    }
    return 0;
}

/* Which dimension of the array lies along which of the arrangement, and how many parts there are. n: devices. */
static int dfi_dist_arranged(df_dist *d, const df_dist_desc *ask, int n)
{
    int next = 0, used[3] = { 0, 0, 0 }, j;
    int64_t all = 1;
    for (j = 0; j < d->dims; j++) {
        struct dfi_axis *a = &d->axis[j];
        int along = ask->dim[j].along;
        if (along < 0 || along > 3)
            return dfi_dist_wrong(d, "dim[%d].along", j, along, "is none of the dimensions 1, 2, 3, nor 0");
        if (a->kind == DFI_SPLIT_DUPLICATE) continue;
        a->along = along ? along - 1 : next;
        if (a->along > 2 || used[a->along])
            return dfi_dist_wrong(d, "dim[%d].along", j, along,
                                  "is a dimension along which another one is divided, or there are none left");
        next = a->along + 1;
        used[a->along] = 1;
    }
    if (!used[0] && !used[1] && !used[2]) used[0] = 1;
    for (j = 0; j < 3; j++) {
        if (ask->parts[j] < 0) return dfi_dist_wrong(d, "parts[%d]", j, ask->parts[j], "is negative");
        d->arrangement[j] = ask->parts[j] || used[j] ? ask->parts[j] : 1;
    }
    df_dist_arrange(n, 3, d->arrangement);
    for (j = 0; j < 3; j++)
        if ((all *= d->arrangement[j]) > DFI_DIST_PARTS)
            return dfi_dist_wrong(d, "parts[%d]", j, d->arrangement[j], "makes more than 65536 parts");
    d->n_parts = d->copies = (int)all;
    for (j = 0; j < d->dims; j++) {
        struct dfi_axis *a = &d->axis[j];
        if (a->along < 0) continue;
        a->parts = d->arrangement[a->along];
        d->copies /= a->parts;
        if (a->kind == DFI_SPLIT_BLOCK && a->n && (a->extent - 1) / a->n >= a->parts && a->extent)
            return dfi_dist_wrong(d, "dim[%d].split", j, ask->dim[j].split / DFI_SPLITS,
                                  "elements per block leave some that belong to no part: use DF_BLOCK(0), "
                                  "DF_CYCLIC(n) or larger blocks");
    }
    return 0;
}

/* Are all the numbers of bytes that will be computed small enough? */
static int dfi_dist_fits(const df_dist *d)
{
    const int64_t most = PTRDIFF_MAX < LONG_MAX ? (int64_t)PTRDIFF_MAX : (int64_t)LONG_MAX;
    int64_t whole = most, parts = most / d->n_parts;
    int j;
    if (d->element > (size_t)most) return 0;
    if (d->element) whole /= (int64_t)d->element, parts /= (int64_t)d->element;
    for (j = 0; j < 3; j++) {
        const struct dfi_axis *a = &d->axis[j];
        int64_t longest = a->kind == DFI_SPLIT_DUPLICATE ? a->extent
            : dfi_least(a->extent, a->extent / a->parts + a->n + 1);
        if (a->halo[0] > most / 4 || a->halo[1] > most / 4 || a->size > most / 4) return 0;
        longest += a->halo[0] + a->halo[1];
        if (a->size) whole /= a->size;
        if (longest) parts /= longest;
    }
    return whole && parts;
}

/* Checks *ask, and finds out all that does not need memory. */
static int dfi_dist_take(df_dist *d, const df_dist_desc *ask)
{
    int devices = df_gpu_devices(), last = devices, n = ask->n_devices, j;
    int64_t stride = 1;
    if (DFI_ALONE) last = INT_MAX; /* the host stands for all of them */
    d->whole = (char *)ask->memory, d->element = ask->element;
    d->read_only = ask->read_only, d->blocks = ask->blocks;
    for (d->unit = 8; d->element % (size_t)d->unit; d->unit /= 2) {}
    if (d->whole && !d->element) return dfi_dist_wrong(d, "element", 0, 0, "is no size of an element");
    d->dims = ask->dims;
    if (ask->dims < 0 || ask->dims > 3) return dfi_dist_wrong(d, "dims", 0, ask->dims, "is none of 1, 2, 3");
    while (!ask->dims && d->dims < 3 && ask->dim[d->dims].size) d->dims++;
    if (!d->dims) return dfi_dist_wrong(d, "dim[%d].size", 0, 0,
                                        "needs .dims to be set as well, if the array has no elements");
    for (j = 0; j < 3; j++) {
        static const df_dist_dim none = { 1, 0, 0, DF_DUPLICATE, 0, { 0, 0 }, { DF_EDGE_NONE, DF_EDGE_NONE } };
        if (dfi_axis_take(d, &d->axis[j], j < d->dims ? &ask->dim[j] : &none, j)) return -1;
    }
    if (n < 0) return dfi_dist_wrong(d, "n_devices", 0, n, "is negative");
    if (ask->devices && !n) return dfi_dist_wrong(d, "n_devices", 0, 0, "is not set, but .devices is");
    for (j = 0; ask->devices && j < n; j++)
        if (ask->devices[j] != DF_HOST && (ask->devices[j] < 1 || ask->devices[j] > last))
            return dfi_dist_wrong(d, "devices[%d]", j, ask->devices[j], "is no device");
    if (!n || (!ask->devices && n > devices)) n = devices;
    if (dfi_dist_arranged(d, ask, n)) return -1;
    if (!dfi_dist_fits(d))
        return dfi_dist_wrong(d, "dim[%d].size", 0, ask->dim[0].size,
                              "and the others, halos and .element together make more bytes than memory can have");
    for (j = 2; j >= 0; j--) d->axis[j].stride = stride, stride *= d->axis[j].size;
    return 0;
}

/* --- memory ----------------------------------------------------------------------------------------------- */

static size_t dfi_dist_room(size_t *bytes, size_t more)
{
    size_t at = *bytes;
    *bytes += (more + DFI_DIST_ALIGN - 1) / DFI_DIST_ALIGN * DFI_DIST_ALIGN;
    return at;
}

/* Where everything lies, from d->memory on; NULL: only how much that is, d->bytes. */
static void dfi_dist_place(df_dist *d)
{
    size_t bytes = 0, i;
    int k;
    for (k = 0; k < d->n_parts; k++) {
        df_part *p = &d->part[k];
        const df_part *original = &d->part[dfi_part_original(d, p)];
        if (!dfi_part_bytes(d, p)) continue;
        if (d->read_only && original != p) {
            p->data = original->data;
            memcpy((void *)p->stride, (const void *)original->stride, sizeof p->stride);
        } else if (!dfi_part_in_array(d, p)) {
            size_t at = dfi_dist_room(&bytes, dfi_part_bytes(d, p));
            p->data = d->memory ? d->memory + at : NULL;
        }
    }
    for (i = 0; i < d->n_runs; i++) {
        struct dfi_halo_run *r = &d->run[i];
        size_t at;
        if (d->part[r->from].device == d->part[r->to].device) continue;
        r->message_bytes = dfi_halo_message_bytes(d, r);
        at = dfi_dist_room(&bytes, r->message_bytes);
        r->message = d->memory ? d->memory + at : NULL;
    }
    d->bytes = bytes;
}

static void dfi_dist_drop(df_dist *d)
{
    dfi_mfree(d->raw);
    dfi_mfree((void *)d->run);
    dfi_mfree((void *)d->part);
    dfi_mfree((void *)d);
}

/* Parts, runs and memory. 0, or -1 without. */
static int dfi_dist_make(df_dist *d, const df_dist_desc *ask)
{
    int n = df_gpu_devices(), i;
    if (!(d->part = (df_part *)dfi_malloc((size_t)d->n_parts * sizeof *d->part))) return -1;
    memset((void *)d->part, 0, (size_t)d->n_parts * sizeof *d->part);
    if (ask->n_devices && (ask->devices || ask->n_devices < n)) n = ask->n_devices;
    for (i = 0; i < d->n_parts; i++) {
        d->part[i].index = i;
        d->part[i].device = ask->devices ? ask->devices[i % n] : i % n + 1;
        dfi_part_divide(d, &d->part[i]);
    }
    d->n_runs = d->element ? dfi_halo_runs(d, NULL) : 0;
    if (d->n_runs > PTRDIFF_MAX / sizeof *d->run) return -1;
    if (d->n_runs && !(d->run = (struct dfi_halo_run *)dfi_malloc(d->n_runs * sizeof *d->run))) return -1;
    if (d->n_runs) dfi_halo_runs(d, d->run);
    dfi_dist_place(d);
    if (!d->bytes) return 0;
    if (!(d->raw = (char *)dfi_malloc(d->bytes + DFI_DIST_ALIGN))) return -1;
    d->memory = d->raw + (DFI_DIST_ALIGN - (uintptr_t)d->raw % DFI_DIST_ALIGN);
    memset(d->memory, 0, d->bytes);
    dfi_dist_place(d);
    d->held = df_gpu_hold(d->memory, d->bytes) == DF_OK;
    return 0;
}

static void dfi_dist_nothing(void *args, void *result) { (void)args, (void)result; }

DFI_EXTERN_C_BEGIN
DFI_API df_dist *dfi_dist_new(const char *site, const df_dist_desc *desc)
{
    df_dist *d = (df_dist *)dfi_malloc(sizeof *d);
    if (d) {
        memset((void *)d, 0, sizeof *d);
        d->site = site;
        if (dfi_dist_take(d, desc)) {
            dfi_dist_drop(d);
            return NULL;
        }
        if (!dfi_dist_make(d, desc)) return d;
    }
    dfi_error("%s: df_dist_new: no memory for %lu bytes: the call returns NULL",
              site, (unsigned long)(d ? d->bytes : sizeof *d));
    if (d) dfi_dist_drop(d);
    return NULL;
}

DFI_API void df_dist_free(df_dist *d)
{
    static const struct dfi_type type = { dfi_dist_nothing, "df_dist_free", 0, 0, 1, DFI_OUT, NULL };
    struct dfi_access x;
    if (!d) return;
    if (d->bytes) { /* a task that comes after all that use the memory */
        dfi_access_array(&x, DFI_OUT, DFI_NO_ARG, d->memory, d->bytes);
        dfi_dist_submit(&type, "", &x, 1);
        df_wait_on(d->memory, d->bytes);
#if !defined(DF_SERIAL)
        /* the copies on devices are not needed any more */
        if (dfi_load_relaxed(&dfi_more.devices)) dfi_gpu_hook->host(&x, 1);
        if (d->held) dfi_held_end(d->memory, d->bytes, 0);
#endif
    }
    dfi_dist_drop(d);
}
DFI_EXTERN_C_END

#endif
