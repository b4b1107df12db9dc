/* host.h - kernels on the host
 *
 * The groups of a launch are divided among the workers like the iterations of df_for; each worker runs its groups
 * one after the other (host/group.h). Each part of a reduction accumulates into a copy of its own.
 * A kernel that cannot continue (no memory for df_shared, a barrier that some items do not reach) is given up: the
 * log says why, and the task fails as by df_fail; what it has written until then stays. */
#ifndef DFI_GPU_HOST_HOST_H
#define DFI_GPU_HOST_HOST_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/device.h"
#include "../../api/kernel.h"
#include "../../api/loop.h"
#include "../../api/error.h"
#include "../../api/submit_options.h"
#include "../../api/result.h"
#include "grid.h"
#include "group.h"

#include <limits.h>

enum {
    DFI_HOST_CHUNKS = 256,      /* parts of a reduction, whatever the workers are */
    DFI_HOST_PARAMETERS = 15,
    DFI_HOST_COPY_BYTES = 1 << 26 /* of all parts of a reduction; fewer parts if they would need more */
};

/* --- reductions ------------------------------------------------------------------------------------------ */

/* A df_reduce parameter. */
struct dfi_host_reduce {
    size_t at, n, bytes;            /* offset in the argument record; elements, and what they are long together */
    size_t copy;                    /* offset of a part's copy from the beginning of the part */
    void (*combine)(void *into, const void *from, size_t n);
};

static size_t dfi_host_round(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Fills r. How many there are; *part: bytes of a part, its argument record and its copies. */
static int dfi_host_reductions(const struct dfi_kernel *k, const void *args, struct dfi_host_reduce *r, size_t *part)
{
    struct dfi_access x[DFI_HOST_PARAMETERS + 1];
    int i, n = 0;
    unsigned j = 0;
    for (i = 0; i < k->n_params && k->param[i].kind != DFI_P_REDUCE;) i++;
    if (i == k->n_params) return 0;
    *part = dfi_host_round(k->args_bytes);
    k->accesses(args, x);
    for (i = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        if (p->kind == DFI_P_VALUE) continue;
        /* it cannot be: the only one */
        if (p->kind == DFI_P_REDUCE && x[j].row > (size_t)PTRDIFF_MAX / DFI_HOST_PARAMETERS) {
            *part = DFI_NO_BYTES;
            return 1;
        }
        if (p->kind == DFI_P_REDUCE && x[j].row) {
            r[n].at = p->at, r[n].n = x[j].row / p->bytes, r[n].bytes = x[j].row;
            r[n].copy = *part, r[n].combine = p->combine;
            *part += dfi_host_round(x[j].row);
            n++;
        }
        j++;
    }
    return n;
}

/* --- a launch -------------------------------------------------------------------------------------------- */

struct dfi_host_launch {
    struct dfi_host_plan plan;
    const void *args;
    struct dfi_host_reduce reduce[DFI_HOST_PARAMETERS];
    int n_reduce;
    char *parts;                    /* of a reduction: parts of part_bytes each; NULL: there are none */
    size_t part_bytes;
    long n_parts;
    DFI_ATOMIC(int) end;            /* enum dfi_host_end */
    DFI_ATOMIC(long) done;          /* parts */
};

/* The plan of a kernel and a grid; p->total is 0 if there is nothing to run. Returns NULL, or the reason why the
 * grid is invalid. */
static const char *dfi_host_plan_make(struct dfi_host_plan *p, const struct dfi_kernel *k, const df_ndrange *grid)
{
    int d;
    p->kernel = k;
    p->items = 1, p->total = 1;
    for (d = 0; d < 3; d++) {
        if (!grid->n[d]) p->total = 0;
        p->size[d] = grid->group[d];
        p->groups[d] = (int)((grid->n[d] - 1) / grid->group[d] + 1);
        p->items *= p->size[d];
        if (p->total && p->groups[d] > LONG_MAX / p->total) return "there are more groups than a long counts";
        p->total *= p->groups[d];
    }
    p->fibres = dfi_kernel_says(k, "df_barrier") || dfi_kernel_says(k, "df_shared");
    p->ordered = DFI_ALONE; /* whose atomics are plain */
    for (d = 0; d < k->n_params; d++) p->ordered |= k->param[d].kind == DFI_P_REDUCE;
    return NULL;
}

static int dfi_host_ended(const struct dfi_host_launch *l)
{
    return dfi_load_relaxed(&l->end); /* relaxed: it is only to stop early */
}

static void dfi_host_count(struct dfi_host_launch *l)
{
    dfi_fetch_add_relaxed(&l->done, 1); /* relaxed: read after the end of the loop, which orders it */
}

static void dfi_host_set_end(struct dfi_host_launch *l, enum dfi_host_end end)
{
    if (end) (void)dfi_exchange_acq_rel(&l->end, (int)end); /* relaxed would do: the end of the loop orders it */
}

static char *dfi_host_part(const struct dfi_host_launch *l, long i)
{
    return dfi_align(l->parts) + (size_t)i * l->part_bytes;
}

/* Part i of a reduction: begins with the identity. */
static void dfi_host_part_run(struct dfi_host_group *g, const struct dfi_host_launch *l, long i)
{
    long size = l->plan.total / l->n_parts, more = l->plan.total % l->n_parts, lo = i * size + (i < more ? i : more);
    char *part = dfi_host_part(l, i);
    int j;
    memcpy(part, l->args, l->plan.kernel->args_bytes);
    for (j = 0; j < l->n_reduce; j++) {
        void *copy = part + l->reduce[j].copy;
        l->reduce[j].combine(copy, NULL, l->reduce[j].n);
        memcpy(part + l->reduce[j].at, (void *)&copy, sizeof copy);
    }
    dfi_host_groups(g, &l->plan, part, lo, lo + size + (i < more));
}

/* Iterations of the loop that a launch is: groups, or parts of a reduction. */
static void dfi_host_loop(const long *bounds, void *p)
{
    struct dfi_host_launch *l = (struct dfi_host_launch *)p;
    struct dfi_host_group here, *g = &here;
    long i;
    if (dfi_host_ended(l)) return;
    if (!l->plan.fibres) dfi_host_group_init(g);
    else if (!(g = dfi_host_group_take())) {
        dfi_host_set_end(l, DFI_HOST_STACKS);
        return;
    }
    dfi_host_group_prepare(g, &l->plan);
    if (!l->parts) {
        if (!g->end) dfi_host_groups(g, &l->plan, l->args, bounds[0], bounds[1]);
    } else
        for (i = bounds[0]; i < bounds[1] && !g->end; i++) {
            dfi_host_part_run(g, l, i);
            dfi_host_count(l);
        }
    dfi_host_set_end(l, g->end);
    if (l->plan.fibres) dfi_host_group_give(g);
    else dfi_host_arrays_free(g);
}

DFI_EXTERN_C_BEGIN
DFI_API char DFI_GPU_NEED[1] = { 0 };

DFI_API void dfi_kernel_here(const struct dfi_kernel *k, const void *args)
{
    static const struct dfi_loop_type type = { dfi_host_loop, "kernel", sizeof(struct dfi_host_launch), 1, 0 };
    struct dfi_host_launch l;
    df_ndrange grid;
    const char *wrong;
    long bounds[2] = { 0, 0 }, i;
    df_result r;
    int j;
#if DF_CHECK /* do two groups write the same memory? */
    struct dfi_access writes[DFI_PARAMETERS];
    unsigned n_writes = dfi_check_writes(dfi_me(), writes);
#else
    struct dfi_access *writes = NULL;
    const unsigned n_writes = 0;
#endif
    memcpy((void *)&grid, args, sizeof grid); /* every argument record begins with it */
    dfi_group_default(&grid, DFI_HOST_GROUP);
    if ((wrong = dfi_ndrange_wrong(&grid, &dfi_host_device)) != NULL ||
        (wrong = dfi_host_plan_make(&l.plan, k, &grid)) != NULL) {
        char site[200];
        snprintf(site, sizeof site, "%s:%d", k->file, k->line);
        dfi_grid_error(site, k->name, DF_HOST, &dfi_host_device, &grid, wrong);
        df_fail(DF_ERROR_GRID, wrong);
        return;
    }
    if (!l.plan.total) return;
    l.args = args;
    l.end = DFI_HOST_DONE;
    l.done = 0;
    l.parts = NULL;
    l.n_reduce = dfi_host_reductions(k, args, l.reduce, &l.part_bytes);
    bounds[1] = l.plan.total;
    if (l.n_reduce && l.part_bytes != DFI_NO_BYTES) {
        size_t most = DFI_HOST_COPY_BYTES / l.part_bytes;
        l.n_parts = l.plan.total < DFI_HOST_CHUNKS ? l.plan.total : (long)DFI_HOST_CHUNKS;
        if ((size_t)l.n_parts > most) l.n_parts = most > 8 ? (long)most : l.n_parts < 8 ? l.n_parts : 8;
        l.parts = (char *)dfi_malloc((size_t)l.n_parts * l.part_bytes + 64);
        if (l.parts) bounds[1] = l.n_parts;
    }
    /* without memory for parts everything is added to the region itself, by this thread alone */
    if (l.n_reduce && !l.parts) dfi_host_loop(bounds, &l);
    else dfi_for(&type, NULL, NULL, k->name, bounds, &l, writes, n_writes, NULL);
    /* fewer are done if it was given up, or cancelled */
    for (i = 0; l.parts && l.done == l.n_parts && i < l.n_parts; i++)
        for (j = 0; j < l.n_reduce; j++) {
            void *into;
            memcpy((void *)&into, (const char *)args + l.reduce[j].at, sizeof into);
            l.reduce[j].combine(into, dfi_host_part(&l, i) + l.reduce[j].copy, l.reduce[j].n);
        }
    dfi_mfree(l.parts);
    if ((r = dfi_host_report(k, (enum dfi_host_end)dfi_host_ended(&l))) != DF_OK) df_fail(r, df_error_text(r));
}
DFI_EXTERN_C_END

#endif
