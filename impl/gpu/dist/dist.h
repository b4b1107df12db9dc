/* dist.h - distributed arrays: their parts, and the copies between the array and its parts
 *
 * A part is ordinary host memory, its own or a piece of the array itself. The data engine decides which device holds it
 * at any time, so the distribution only divides and copies. Numbers of elements are int64_t, indices in the interface
 * are long. */
#ifndef DFI_GPU_DIST_DIST_H
#define DFI_GPU_DIST_DIST_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../api/access.h"
#include "../../api/dist.h"
#include "../../api/result.h"
#include "../../api/task.h"
#include "box.h"
#define DFI_MESSAGE_DIST_ARRAY \
    "%s: %s: the distribution of %s does not exist, or has no array (df_dist_desc.memory): the call does nothing"

enum { DFI_DIST_PARTS = 1 << 16, DFI_DIST_ALIGN = 64 };

/* One dimension of the array. */
struct dfi_axis {
    int64_t size, offset, extent;
    int64_t stride;              /* in the array, in elements */
    int64_t n;                   /* elements per block; 0: extent / parts */
    int kind, along, parts;      /* along: a dimension of the arrangement, -1: none */
    int64_t halo[2];
    int edge[2];
};

/* Elements that are copied from one part into a halo of another, in one dimension; the update determines the others. */
struct dfi_halo_run {
    int to, from;                /* parts */
    int dim, side;
    int64_t to_at, from_at, n;   /* local indices; how many */
    int64_t from_step;           /* 1; -1, 0: at a reflecting edge */
    char *message;               /* where it is packed if the parts are on different devices */
    size_t message_bytes;
};

struct df_dist {
    const char *site;
    char *whole;                 /* the array, index 0 in all dimensions; NULL: there is none */
    size_t element;
    int unit;                    /* bytes that kernels copy at a time */
    int dims, arrangement[3], n_parts;
    int read_only, blocks;
    int copies;                  /* parts with the same elements */
    int halos;                   /* there are some */
    struct dfi_axis axis[3];
    char *memory, *raw;          /* of parts and messages; as allocated */
    size_t bytes;
    int held;
    df_part *part;
    struct dfi_halo_run *run;    /* sorted by dimension */
    size_t n_runs;
};

/* --- one dimension ----------------------------------------------------------------------------------------- */

/* The first index of block c of DF_BLOCK, counted from the offset. */
static int64_t dfi_axis_begin(const struct dfi_axis *a, int64_t c)
{
    int64_t rest = a->extent % a->parts;
    return a->n ? dfi_least(c * a->n, a->extent) : a->extent / a->parts * c + dfi_least(c, rest);
}

/* Which block of DF_BLOCK has index g. pre: 0 <= g < extent. */
static int dfi_axis_owner(const struct dfi_axis *a, int64_t g)
{
    int64_t each = a->extent / a->parts, rest = a->extent % a->parts, longer = rest * (each + 1);
    if (a->n) return (int)(g / a->n);
    return (int)(g < longer ? g / (each + 1) : rest + (g - longer) / each);
}

/* The index whose element belongs at index g, which may lie outside of the range; -1: none. pre: extent > 0 */
static int64_t dfi_axis_source(const struct dfi_axis *a, int64_t g)
{
    int64_t period;
    if (g >= 0 && g < a->extent) return g;
    switch (a->edge[g >= 0]) {
    case DF_EDGE_PERIODIC: period = a->extent; break;
    case DF_EDGE_REFLECTING: period = a->extent == 1 ? 1 : 2 * (a->extent - 1); break;
    default: return -1;
    }
    g %= period;
    if (g < 0) g += period;
    return g < a->extent ? g : period - g;
}

/* --- parts ------------------------------------------------------------------------------------------------ */

/* The elements of part p, from its place in the arrangement. */
static void dfi_part_divide(const df_dist *d, df_part *p)
{
    int rest = p->index, j;
    for (j = 2; j >= 0; j--) p->coord[j] = rest % d->arrangement[j], rest /= d->arrangement[j];
    for (j = 0; j < 3; j++) {
        const struct dfi_axis *a = &d->axis[j];
        int64_t c = a->along < 0 ? 0 : p->coord[a->along], lo = 0, count = a->extent, chunk, step;
        if (a->kind == DFI_SPLIT_BLOCK) lo = dfi_axis_begin(a, c), count = dfi_axis_begin(a, c + 1) - lo;
        chunk = step = count ? count : 1;
        if (a->kind == DFI_SPLIT_CYCLIC) {
            int64_t left;
            chunk = a->n, step = a->n * a->parts, lo = dfi_least(c * a->n, a->extent);
            left = a->extent % step - c * chunk;
            count = a->extent / step * chunk + (left < 0 ? 0 : dfi_least(left, chunk));
        }
        p->lo[j] = (long)(a->offset + lo), p->count[j] = (long)count;
        p->chunk[j] = (long)chunk, p->step[j] = (long)step;
        p->first[j] = (long)a->halo[0];
        p->extent[j] = (long)(a->halo[0] + count + a->halo[1]);
    }
    p->stride[2] = 1;
    p->stride[1] = p->extent[2];
    p->stride[0] = p->extent[1] * p->extent[2];
    p->elements = (size_t)p->stride[0] * (size_t)p->extent[0];
    if (!p->count[0] || !p->count[1] || !p->count[2]) p->elements = 0;
}

/* The first part with the same elements. */
static int dfi_part_original(const df_dist *d, const df_part *p)
{
    int index = 0, j, k;
    for (j = 0; j < 3; j++) {
        int divides = 0;
        for (k = 0; k < 3; k++) divides |= d->axis[k].along == j;
        index = index * d->arrangement[j] + (divides ? p->coord[j] : 0);
    }
    return index;
}

/* A part without its halos, from the array to the part, as boxes of bytes: each dimension of DF_CYCLIC has whole
 * blocks, and what is left over. How many. */
static int dfi_part_boxes(const df_dist *d, const df_part *p, struct dfi_nest *box)
{
    int n = 0, rests, j;
    for (rests = 0; rests < 8 && p->elements; rests++) {
        struct dfi_nest b;
        b.from = b.to = b.levels = 0;
        for (j = 0; j < 3; j++) {
            int64_t blocks = p->count[j] / p->chunk[j], rest = p->count[j] % p->chunk[j], length = p->chunk[j], at = 0;
            if (rests >> j & 1) at = blocks, length = rest, blocks = rest != 0;
            if (!blocks) break;
            b.from += (p->lo[j] + at * p->step[j]) * d->axis[j].stride;
            b.to += (p->first[j] + at * p->chunk[j]) * p->stride[j];
            dfi_nest_level(&b, blocks, p->step[j] * d->axis[j].stride, p->chunk[j] * p->stride[j]);
            dfi_nest_level(&b, length, d->axis[j].stride, p->stride[j]);
        }
        if (j < 3) continue;
        dfi_nest_units(&b, (int64_t)d->element);
        box[n++] = b;
    }
    return n;
}

/* Can the part lie in the array itself? Then it does. */
static int dfi_part_in_array(const df_dist *d, df_part *p)
{
    struct dfi_nest box[8], *b = box;
    int j;
    if (!d->whole || d->halos || (d->copies > 1 && !d->read_only) || dfi_part_boxes(d, p, box) != 1) return 0;
    if (b->from_step[b->levels - 1] != 1) return 0;
    if (b->levels > 1 && !(d->blocks && b->levels == 2 && b->from_step[0] == d->axis[0].stride * (int64_t)d->element))
        return 0;
    p->data = d->whole + b->from;
    if (b->levels > 1)
        for (j = 0; j < 3; j++) p->stride[j] = (long)d->axis[j].stride;
    return 1;
}

static int dfi_part_is_in_array(const df_dist *d, const df_part *p)
{
    return (uintptr_t)p->data - (uintptr_t)d->memory >= d->bytes;
}

static size_t dfi_part_bytes(const df_dist *d, const df_part *p) { return p->elements * d->element; }

DFI_EXTERN_C_BEGIN
DFI_API int df_dist_parts(const df_dist *d) { return d ? d->n_parts : 0; }

DFI_API const df_part *df_dist_part(const df_dist *d, int index)
{
    return d && index >= 0 && index < d->n_parts ? &d->part[index] : NULL;
}

DFI_API const df_part *df_dist_next(const df_dist *d, const df_part *p)
{
    int i = p ? p->index + 1 : 0;
    while (d && i < d->n_parts && !d->part[i].elements) i++;
    return df_dist_part(d, i);
}

DFI_API long df_dist_global(const df_part *p, int dim, long local)
{
    long i = local - p->first[dim];
    return p->step[dim] == p->chunk[dim] ? p->lo[dim] + i
        : p->lo[dim] + i / p->chunk[dim] * p->step[dim] + i % p->chunk[dim];
}

/* How many of the part's elements have an array index below `global`. */
static long dfi_part_below(const df_part *p, int dim, long global)
{
    long i = global - p->lo[dim], n;
    if (i <= 0) return 0;
    n = i / p->step[dim] * p->chunk[dim] + (long)dfi_least(i % p->step[dim], p->chunk[dim]);
    return (long)dfi_least(n, p->count[dim]);
}

DFI_API long df_dist_local(const df_part *p, int dim, long global)
{
    long n = dfi_part_below(p, dim, global);
    return n < p->count[dim] && df_dist_global(p, dim, p->first[dim] + n) == global ? p->first[dim] + n : -1;
}

DFI_API long df_dist_range(const df_part *p, int dim, long lo, long hi, long *from, long *to)
{
    long a = dfi_part_below(p, dim, lo), b = dfi_part_below(p, dim, hi);
    if (b < a) b = a;
    *from = p->first[dim] + a, *to = p->first[dim] + b;
    return b - a;
}
DFI_EXTERN_C_END

/* --- between the array and the parts ------------------------------------------------------------------------ */

struct dfi_dist_args { const df_dist *d; int part; };

static void dfi_dist_move(const struct dfi_dist_args *a, int to_array)
{
    const df_part *p = &a->d->part[a->part];
    struct dfi_nest box[8];
    int i, n = dfi_part_boxes(a->d, p, box);
    int64_t k;
    for (i = 0; i < n; i++) {
        struct dfi_nest *b = &box[i];
        char *in_array = a->d->whole + b->from, *in_part = (char *)p->data + b->to;
        if (to_array)
            for (k = 0; k < b->levels; k++) {
                int64_t step = b->from_step[k];
                b->from_step[k] = b->to_step[k], b->to_step[k] = step;
            }
        dfi_nest_copy(b, 0, to_array ? in_array : in_part, to_array ? in_part : in_array);
    }
}

static void dfi_scatter_run(void *args, void *result)
{
    (void)result;
    dfi_dist_move((const struct dfi_dist_args *)args, 0);
}

static void dfi_gather_run(void *args, void *result)
{
    (void)result;
    dfi_dist_move((const struct dfi_dist_args *)args, 1);
}

/* All that is distributed lies between these. */
static char *dfi_dist_span(const df_dist *d, size_t *bytes)
{
    int64_t at = 0, last = 0;
    int j;
    for (j = 0; j < 3; j++) {
        at += d->axis[j].offset * d->axis[j].stride;
        last += (d->axis[j].extent - 1) * d->axis[j].stride;
    }
    *bytes = (size_t)(last + 1) * d->element;
    return d->whole + at * (int64_t)d->element;
}

/* The array's side of a part, as few regions with this mode; else all that is distributed. Then several parts may be
 * gathered at the same time: they share no element. */
static unsigned dfi_dist_declare(const df_dist *d, const df_part *p, unsigned mode, struct dfi_access *x)
{
    struct dfi_nest box[8];
    int i, n = dfi_part_boxes(d, p, box);
    int64_t k = 0;
    size_t bytes;
    char *span;
    for (i = 0; i < n && k <= 2 * DFI_NEST_REGIONS; i++) {
        int64_t room = 2 * DFI_NEST_REGIONS - k, more = dfi_nest_regions(&box[i], d->whole, 0, mode, x + k, room);
        k += more;
    }
    if (k <= 2 * DFI_NEST_REGIONS) return (unsigned)k;
    span = dfi_dist_span(d, &bytes);
    dfi_access_array(x, mode == DFI_IN ? (unsigned)DFI_IN : (unsigned)DFI_CONCURRENT, DFI_NO_ARG, span, bytes);
    return 1;
}

static df_result dfi_dist_copy(df_dist *d, int to_array, const char *site)
{
    static const struct dfi_type scatter = { dfi_scatter_run, "df_dist_scatter", 0, 0,
        sizeof(struct dfi_dist_args), DFI_INOUT, NULL };
    static const struct dfi_type gather = { dfi_gather_run, "df_dist_gather", 0, 0, sizeof(struct dfi_dist_args),
        DFI_CONCURRENT, NULL };
    const df_part *p;
    if (!d || !d->whole) {
        dfi_error(DFI_MESSAGE_DIST_ARRAY, site, to_array ? "df_dist_gather" : "df_dist_scatter", d ? d->site : "NULL");
        return DF_ERROR_DIST;
    }
    for (p = df_dist_next(d, NULL); p; p = df_dist_next(d, p)) {
        struct dfi_access x[2 * DFI_NEST_REGIONS + 1];
        struct dfi_dist_args a;
        unsigned n;
        if (dfi_part_is_in_array(d, p) || (to_array && d->read_only)) continue;
        if ((to_array || d->read_only) && dfi_part_original(d, p) != p->index) continue;
        a.d = d, a.part = p->index;
        n = dfi_dist_declare(d, p, to_array ? DFI_OUT : DFI_IN, x);
        dfi_access_array(&x[n++], to_array ? DFI_IN : d->halos ? DFI_INOUT : DFI_OUT, DFI_NO_ARG, p->data,
                         dfi_part_bytes(d, p));
        dfi_dist_submit(to_array ? &gather : &scatter, &a, x, n);
    }
    return DF_OK;
}

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_dist_scatter(df_dist *d, const char *site) { return dfi_dist_copy(d, 0, site); }
DFI_API df_result dfi_dist_gather(df_dist *d, const char *site) { return dfi_dist_copy(d, 1, site); }
DFI_EXTERN_C_END

#endif
