/* group.h - one group of work-items on the host: df_shared, df_barrier, and the items as a loop or as fibres
 *
 * Without df_barrier and df_shared the items of a group are a loop in the code of the kernel, which the compiler
 * knows all about; else they are fibres (os/fibre.h). */
#ifndef DFI_GPU_HOST_GROUP_H
#define DFI_GPU_HOST_GROUP_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/fibre.h"
#include "../../os/fibre_swap.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../more/devices.h"

/* Why a kernel was given up. */
enum dfi_host_end { DFI_HOST_DONE, DFI_HOST_SPLIT, DFI_HOST_OVERFLOW, DFI_HOST_SHARED, DFI_HOST_LIMIT,
    DFI_HOST_STACKS, DFI_HOST_HIDDEN,
                    DFI_HOST_IMPOSSIBLE };

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
    size_t n_arrays;                /* of which there may be some without memory yet */
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

/* An item cannot continue. Returns only from a kernel that does not say df_barrier or df_shared in its own text. */
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
    memory = !dfi_array_room_zeroed((void *)&g->array, (size_t)which + 1, &g->n_arrays, sizeof *g->array) &&
             bytes < SIZE_MAX - 64 - sizeof *memory
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
    /* for TSan: items of a group use the same memory, which is in order as they run in one thread */
    int ordered;
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
            case DFI_FIBRES_LEFT: break; /* and logged why */
            }
        }
        for (d = 0; d < 3 && ++g->work.group[d] == p->groups[d]; d++) g->work.group[d] = 0;
    }
}

/* --- the requirements of a kernel -------------------------------------------------------------------------- */

/* Does the text have the word? text: may be NULL. */
static int dfi_text_has(const char *text, const char *word)
{
    size_t n = strlen(word);
    const char *p;
    for (p = text; p && (p = strstr(p, word)) != NULL; p += n) {
        const char before = p == text ? ' ' : p[-1], after = p[n];
        if (!(before == '_' || (before >= '0' && before <= '9') || (before >= 'A' && before <= 'Z') ||
              (before >= 'a' && before <= 'z')) &&
              !(after == '_' || (after >= '0' && after <= '9') || (after >= 'A' && after <= 'Z') ||
                (after >= 'a' && after <= 'z')))
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

/* The group whose stacks this worker keeps from one kernel to the next; NULL: it has none. */
static void **dfi_host_kept(void)
{
    struct dfi_worker *w = dfi_me();
    if (w) dfi_kernels_of(w)->kernel_free = dfi_host_group_free;
    return w ? &dfi_kernels_of(w)->kernel : NULL;
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
        dfi_error("%s:%d: kernel %s: some work-items of a group ended while others wait in df_barrier: the launch "
                  "fails; all of a group must reach a barrier, or none", k->file, k->line, k->name);
        return DF_ERROR_KERNEL;
    case DFI_HOST_OVERFLOW:
        snprintf(text, sizeof text,
                 "a work-item needs more than the %d KiB of stack it has; put large arrays into a parameter",
                 DFI_FIBRE_STACK >> 10);
        why = text;
        break;
    case DFI_HOST_SHARED: why = "no memory for df_shared"; break;
    case DFI_HOST_LIMIT: why = "df_shared asks for more than the device has for a group"; break;
    case DFI_HOST_STACKS: why = "no memory for the stacks of a group, or no threads"; break;
    case DFI_HOST_HIDDEN: why = "df_barrier must stand in the text of the kernel itself"; break;
    case DFI_HOST_IMPOSSIBLE: why =
        "there is no way to run kernels with df_barrier or df_shared in a DF_SERIAL build for this processor"; break;
    }
    dfi_error("%s:%d: kernel %s on the host: %s: the launch fails", k->file, k->line, k->name, why);
    return end == DFI_HOST_SHARED || end == DFI_HOST_STACKS ? DF_ERROR_MEMORY : DF_ERROR_KERNEL;
}

#endif
