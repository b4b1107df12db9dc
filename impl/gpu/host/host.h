/* host.h - the host runs a kernel
 *
 * Groups run one after the other in each worker, and are divided among workers like the iterations of df_for. The items of a
 * group of a kernel without df_barrier and df_shared are a loop in the code of the kernel, which the compiler knows all
 * about; else they are fibres (gpu/host/fibre.h).
 * A kernel that cannot go on (no memory for df_shared, a barrier that some items do not come to) is given up: the log says
 * why, and the task fails as by df_fail; what it has written until then stays. */
#ifndef DFI_GPU_HOST_HOST_H
#define DFI_GPU_HOST_HOST_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/kernel.h"
#include "../../api/loop.h"
#include "../../api/result.h"
#include "../../work/tables.h"
#include "../../more/loop/stage.h"
#include "fibre.h"
#include "fibre_swap.h"
#include "../../api/public.h"
#include "../../../df_gpu.h"
#if defined(DF_SERIAL)
#include "../../serial/impl.h"
#include "../../serial/loop.h"
#else
#include "../../work/sched.h"
#include "../../work/types.h"
#include "../../more/error.h"
#include "../../more/loop/for.h"
#endif

#include <limits.h>

#define DFI_MESSAGE_GRID \
    "%s: launch of %s on device %d (%s): %ld x %ld x %ld work-items in groups of %d x %d x %d: %s: not run"

enum {
    DFI_HOST_GROUP = 1024,      /* work-items of a group at most: what most devices can have */
    DFI_HOST_ITEMS = 256,       /* of a group if df decides: a multiple of all warps, and small enough for all devices */
    DFI_HOST_DEEP = 64,         /* in the third dimension: no CUDA device can have more */
    DFI_HOST_CHUNKS = 256,      /* parts of a reduction, whatever the workers are */
    DFI_HOST_PARAMETERS = 15,
    DFI_HOST_COPY_BYTES = 1 << 26 /* of all parts of a reduction; fewer parts if they would need more */
};

/* Why a kernel was given up. */
enum dfi_host_end { DFI_HOST_DONE, DFI_HOST_SPLIT, DFI_HOST_OVERFLOW, DFI_HOST_SHARED, DFI_HOST_LIMIT, DFI_HOST_STACKS, DFI_HOST_HIDDEN,
                    DFI_HOST_IMPOSSIBLE };

/* --- grids ------------------------------------------------------------------------------------------ */

/* Decides the sizes of the group that are 0: 256 in one dimension, 16 x 16 in two, 8 x 8 x 4 in three, fewer if max_group
 * is less, or other dimensions have many. A dimension with one item gets 1. */
static void dfi_group_default(df_ndrange *g, int max_group)
{
    int room = max_group < DFI_HOST_ITEMS ? max_group : (int)DFI_HOST_ITEMS, bits = 0, open[3], n = 0, wide = 0, d;
    for (d = 0; d < 3; d++) {
        open[d] = g->group[d] == 0;
        wide += open[d] && g->n[d] > 1;
        if (g->group[d] > 0) room /= g->group[d];
    }
    for (d = 0; d < 3; d++) {
        if (open[d] && wide && g->n[d] <= 1) open[d] = 0, g->group[d] = 1;
        n += open[d];
    }
    while (bits < 30 && 2 << bits <= room) bits++;
    for (d = 0; d < 3; d++) {
        int share;
        if (!open[d]) continue;
        share = wide ? (bits + n - 1) / n : 0;
        if (d == 2 && 1 << share > DFI_HOST_DEEP) share = 6;
        g->group[d] = 1 << share;
        bits -= share, n--;
    }
}

/* What the host is as a device. */
static const df_gpu_device dfi_host_device = {
    "host", "host", 0, 1, DFI_HOST_GROUP, { DFI_HOST_GROUP, DFI_HOST_GROUP, DFI_HOST_GROUP }, { INT_MAX, INT_MAX, INT_MAX }, SIZE_MAX, 0, 1, 1
};

static void dfi_host_info(df_gpu_device *info, int workers)
{
    *info = dfi_host_device;
    info->units = workers;
}

/* Can a device run the grid? NULL, or why not. pre: dfi_group_default. A grid of no items can be run. */
static const char *dfi_ndrange_wrong(const df_ndrange *g, const df_gpu_device *device)
{
    long items = 1;
    int d;
    for (d = 0; d < 3; d++) {
        if (g->n[d] < 0 || g->group[d] < 0) return "a number is negative";
        if (g->group[d] > device->max_group_dim[d]) return "it cannot have so many items in that dimension of a group";
        items *= g->group[d];
        if (items > device->max_group) return "it cannot have so many items in a group";
    }
    for (d = 0; d < 3; d++) {
        if (g->n[d] > INT_MAX - g->group[d]) return "df_global_id counts up to 2147483647 in each dimension";
        if (g->group[d] && (g->n[d] - 1) / g->group[d] >= device->max_groups[d]) return "it cannot have so many groups";
    }
    return NULL;
}

/* --- one group ---------------------------------------------------------------------------------------- */

/* An array of df_shared; where its memory begins is also where earlier memory of it, too small, is remembered. */
struct dfi_host_array { void *memory, *p; size_t bytes; };
struct dfi_host_older { void *memory; };

struct dfi_host_group {
    struct dfi_work work;
    const struct dfi_kernel *kernel;
    const void *args;
    int next[3];                    /* the item that begins next */
    struct dfi_fibres *fibres;      /* NULL: the items are a loop */
    struct dfi_host_array *array;
    unsigned n_arrays;              /* of which there may be some without memory yet */
    size_t most_shared, shared;     /* bytes of df_shared it may have, and has */
    enum dfi_host_end end;
};

static void dfi_host_group_init(struct dfi_host_group *g)
{
    memset((void *)g, 0, sizeof *g);
    g->most_shared = SIZE_MAX;
}

static void dfi_host_arrays_free(struct dfi_host_group *g)
{
    unsigned i;
    for (i = 0; i < g->n_arrays; i++) {
        void *memory = g->array[i].memory;
        while (memory) {
            void *older = ((struct dfi_host_older *)memory)->memory;
            dfi_mfree(memory);
            memory = older;
        }
    }
    dfi_mfree((void *)g->array);
    g->array = NULL;
    g->n_arrays = 0;
    g->shared = 0;
}

/* An item cannot go on. Returns only from a kernel that does not say df_barrier or df_shared in its own text. */
static DFI_COLD DFI_FIBRE_QUIET void dfi_host_give_up(struct dfi_host_group *g, enum dfi_host_end why)
{
    g->end = why;
    if (g->fibres) dfi_fibres_leave(g->fibres);
}

/* Memory for array `which`. NULL without. */
static DFI_COLD DFI_FIBRE_QUIET void *dfi_host_array_new(struct dfi_host_group *g, unsigned which, size_t bytes)
{
    struct dfi_host_older *memory;
    struct dfi_host_array *a;
    dfi_fibre_acquire(g);
    if (bytes > g->most_shared || g->shared > g->most_shared - bytes) {
        dfi_host_give_up(g, DFI_HOST_LIMIT);
        return NULL;
    }
    if (which >= g->n_arrays) {
        unsigned n = which < 4 ? 8 : 2 * which;
        struct dfi_host_array *more = (struct dfi_host_array *)dfi_malloc(n * sizeof *more);
        if (more) {
            memset((void *)more, 0, n * sizeof *more);
            if (g->n_arrays) memcpy((void *)more, (void *)g->array, g->n_arrays * sizeof *more);
            dfi_mfree((void *)g->array);
            g->array = more, g->n_arrays = n;
        }
    }
    memory = which < g->n_arrays && bytes < SIZE_MAX - 64 - sizeof *memory
                 ? (struct dfi_host_older *)dfi_malloc(bytes + 64 + sizeof *memory) : NULL;
    if (!memory) {
        dfi_host_give_up(g, DFI_HOST_SHARED);
        return NULL;
    }
    a = &g->array[which];
    memory->memory = a->memory;
    g->shared += bytes - a->bytes;
    a->memory = memory, a->p = dfi_align((char *)memory + sizeof *memory), a->bytes = bytes;
    dfi_fibre_release(a->p);
    dfi_fibre_release(g);
    return a->p;
}

DFI_EXTERN_C_BEGIN
DFI_API DFI_FIBRE_QUIET void *dfi_shared(struct dfi_host_group *g, unsigned which, size_t bytes)
{
    if (DFI_LIKELY(which < g->n_arrays && g->array[which].p && g->array[which].bytes >= bytes)) {
        dfi_fibre_acquire(g->array[which].p);
        return g->array[which].p;
    }
    return dfi_host_array_new(g, which, bytes);
}

DFI_API void dfi_barrier(struct dfi_host_group *g)
{
    if (DFI_LIKELY(g->fibres != NULL)) dfi_fibres_wait(g->fibres);
    else dfi_host_give_up(g, DFI_HOST_HIDDEN);
}
DFI_EXTERN_C_END

static DFI_FIBRE_QUIET void dfi_host_item(void *p, int i)
{
    struct dfi_host_group *g = (struct dfi_host_group *)p;
    int lo[3], hi[3], d;
    (void)i; /* they begin in order */
    for (d = 0; d < 3; d++) lo[d] = g->next[d], hi[d] = lo[d] + 1;
    for (d = 0; d < 3 && ++g->next[d] == g->work.size[d]; d++) g->next[d] = 0;
    g->kernel->items(&g->work, lo, hi, g->args);
}

/* A launch as far as its grid and its kernel say. */
struct dfi_host_plan {
    const struct dfi_kernel *kernel;
    int size[3], groups[3];
    int items;                      /* of a group */
    long total;                     /* groups */
    int fibres;                     /* its items are fibres */
    int ordered;                    /* for TSan: items of a group use the same memory, which is in order as they run in one thread */
};

/* Runs groups lo .. hi-1, numbered with the first dimension fastest. */
static void dfi_host_groups(struct dfi_host_group *g, const struct dfi_host_plan *p, const void *args, long lo, long hi)
{
    static const int first[3] = { 0, 0, 0 };
    long at = lo;
    int d;
    for (d = 0; d < 3; d++) {
        g->work.size[d] = p->size[d], g->work.groups[d] = p->groups[d];
        g->work.group[d] = (int)(at % p->groups[d]);
        at /= p->groups[d];
    }
    g->work.now = g;
    g->work.shared = 0;
    g->kernel = p->kernel, g->args = args;
    g->next[0] = g->next[1] = g->next[2] = 0;
    for (; lo < hi && !g->end; lo++) {
        if (!p->fibres) p->kernel->items(&g->work, first, p->size, args);
        else {
#if DF_DEBUG >= 2 /* on a device nothing is known of it either */
            unsigned i;
            for (i = 0; i < g->n_arrays; i++)
                if (g->array[i].p) memset(g->array[i].p, 0xd5, g->array[i].bytes);
#endif
            g->fibres->ordered = p->ordered;
            switch (dfi_fibres_run(g->fibres, p->items, dfi_host_item, g)) {
            case DFI_FIBRES_DONE: break;
            case DFI_FIBRES_SPLIT: g->end = DFI_HOST_SPLIT; break;
            case DFI_FIBRES_OVERFLOW: g->end = DFI_HOST_OVERFLOW; break;
            case DFI_FIBRES_LEFT: break; /* and said why */
            }
        }
        for (d = 0; d < 3 && ++g->work.group[d] == p->groups[d]; d++) g->work.group[d] = 0;
    }
}

/* --- what a kernel needs -------------------------------------------------------------------------------- */

/* Does the text have the word? */
static int dfi_text_has(const char *text, const char *word)
{
    size_t n = strlen(word);
    const char *p;
    for (p = text; (p = strstr(p, word)) != NULL; p += n) {
        const char before = p == text ? ' ' : p[-1], after = p[n];
        if (!(before == '_' || (before >= '0' && before <= '9') || (before >= 'A' && before <= 'Z') || (before >= 'a' && before <= 'z')) &&
            !(after == '_' || (after >= '0' && after <= '9') || (after >= 'A' && after <= 'Z') || (after >= 'a' && after <= 'z')))
            return 1;
    }
    return 0;
}

static int dfi_kernel_says(const struct dfi_kernel *k, const char *word)
{
    return dfi_text_has(k->text, word) || (k->code && dfi_text_has(k->code->text, word));
}

/* Fibres for the group of a plan that needs them. */
static void dfi_host_group_prepare(struct dfi_host_group *g, const struct dfi_host_plan *p)
{
    g->end = DFI_HOST_DONE;
    if (!p->fibres) return;
    if (g->fibres && g->fibres->most < p->items) {
        dfi_fibres_free(g->fibres);
        g->fibres = NULL;
    }
    if (g->fibres) return;
    if (!dfi_fibres_possible()) g->end = DFI_HOST_IMPOSSIBLE;
    else if (!(g->fibres = dfi_fibres_new(p->items))) g->end = DFI_HOST_STACKS;
}

/* After its last group of one launch. */
static void dfi_host_group_clear(struct dfi_host_group *g)
{
    if (g->fibres && (g->end || !dfi_fibres_worth_keeping(g->fibres))) {
        dfi_fibres_free(g->fibres);
        g->fibres = NULL;
    }
    dfi_host_arrays_free(g);
}

static void dfi_host_group_free(void *p)
{
    struct dfi_host_group *g = (struct dfi_host_group *)p;
    if (g->fibres) dfi_fibres_free(g->fibres);
    dfi_mfree(p);
}

/* The group whose stacks this worker keeps from one kernel to the next; NULL: it has none. A DF_SERIAL build keeps none, as
 * it does not know when a thread ends; unless TSan watches, which takes a millisecond for each fibre. */
static void **dfi_host_kept(void)
{
#if !defined(DF_SERIAL)
    struct dfi_worker *w = dfi_me();
    if (w) w->kernel_free = dfi_host_group_free;
    return w ? &w->kernel : NULL;
#elif DFI_FIBRE_TSAN
    static DFI_TLS void *kept;
    return &kept;
#else
    return NULL;
#endif
}

/* NULL without memory. */
static struct dfi_host_group *dfi_host_group_take(void)
{
    void **kept = dfi_host_kept();
    struct dfi_host_group *g;
    if (kept && *kept) {
        g = (struct dfi_host_group *)*kept;
        *kept = NULL;
    } else if ((g = (struct dfi_host_group *)dfi_malloc(sizeof *g)) != NULL) dfi_host_group_init(g);
    return g;
}

static void dfi_host_group_give(struct dfi_host_group *g)
{
    void **kept = dfi_host_kept();
    dfi_host_group_clear(g);
    if (g->fibres && kept && !*kept) *kept = g;
    else dfi_host_group_free(g);
}

/* Says why k was given up; the code of that. */
static DFI_COLD df_result dfi_host_report(const struct dfi_kernel *k, enum dfi_host_end end)
{
    const char *why = "";
    char text[120];
    switch (end) {
    case DFI_HOST_DONE: return DF_OK;
    case DFI_HOST_SPLIT:
        dfi_error("%s:%d: kernel %s: some work-items of a group ended while others wait in df_barrier: all must "
                  "come there or none; the group is given up", k->file, k->line, k->name);
        return DF_ERROR_KERNEL;
    case DFI_HOST_OVERFLOW:
        snprintf(text, sizeof text, "a work-item needs more than the %d KiB of stack it has; put large arrays into a parameter", DFI_FIBRE_STACK >> 10);
        why = text;
        break;
    case DFI_HOST_SHARED: why = "no memory for df_shared"; break;
    case DFI_HOST_LIMIT: why = "df_shared asks for more than the device has for a group"; break;
    case DFI_HOST_STACKS: why = "no memory for the stacks of a group, or no threads"; break;
    case DFI_HOST_HIDDEN: why = "df_barrier must stand in the text of the kernel itself"; break;
    case DFI_HOST_IMPOSSIBLE: why = "there is no way to run kernels with df_barrier or df_shared in a DF_SERIAL build for this processor"; break;
    }
    dfi_error("%s:%d: kernel %s on the host: %s: given up", k->file, k->line, k->name, why);
    return end == DFI_HOST_SHARED || end == DFI_HOST_STACKS ? DF_ERROR_MEMORY : DF_ERROR_KERNEL;
}

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
        if (p->kind == DFI_P_REDUCE && x[j].row > (size_t)PTRDIFF_MAX / DFI_HOST_PARAMETERS) { /* it cannot be: the only one */
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

/* What kernel and grid say; p->total is 0 if there is nothing to run. NULL, or what is wrong with the grid. */
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
#if defined(DF_SERIAL)
    p->ordered = 1; /* atomics are plain */
#else
    for (d = 0, p->ordered = 0; d < k->n_params; d++) p->ordered |= k->param[d].kind == DFI_P_REDUCE;
#endif
    return NULL;
}

static int dfi_host_ended(const struct dfi_host_launch *l)
{
#if defined(DF_SERIAL)
    return l->end;
#else
    return dfi_load_relaxed(&l->end); /* relaxed: it is only to stop early */
#endif
}

static void dfi_host_count(struct dfi_host_launch *l)
{
#if defined(DF_SERIAL)
    l->done++;
#else
    dfi_fetch_add_relaxed(&l->done, 1); /* relaxed: read after the end of the loop, which orders it */
#endif
}

static void dfi_host_set_end(struct dfi_host_launch *l, enum dfi_host_end end)
{
    if (end) (void)dfi_exchange_acq_rel(&l->end, (int)end); /* relaxed would do: the end of the loop orders it */
}

static char *dfi_host_part(const struct dfi_host_launch *l, long i) { return dfi_align(l->parts) + (size_t)i * l->part_bytes; }

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
    static DFI_ATOMIC(uintptr_t) past; /* of all kernels together */
    static const struct dfi_loop_type type = { dfi_host_loop, "kernel", sizeof(struct dfi_host_launch), 1, 0, &past };
    struct dfi_host_launch l;
    df_ndrange grid;
    const char *wrong;
    long bounds[2] = { 0, 0 }, i;
    df_result r;
    int j;
    memcpy((void *)&grid, args, sizeof grid); /* every argument record begins with it */
    dfi_group_default(&grid, DFI_HOST_GROUP);
    if ((wrong = dfi_ndrange_wrong(&grid, &dfi_host_device)) != NULL || (wrong = dfi_host_plan_make(&l.plan, k, &grid)) != NULL) {
        char site[200];
        snprintf(site, sizeof site, "%s:%d", k->file, k->line);
        dfi_error(DFI_MESSAGE_GRID, site, k->name, DF_HOST, dfi_host_device.name, grid.n[0], grid.n[1], grid.n[2], grid.group[0], grid.group[1], grid.group[2], wrong);
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
    else dfi_for(&type, NULL, k->name, bounds, &l, NULL, 0);
    for (i = 0; l.parts && l.done == l.n_parts && i < l.n_parts; i++) /* fewer are done if it was given up, or cancelled */
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
