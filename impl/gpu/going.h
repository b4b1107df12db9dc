/* going.h - a launch on its way: which device, which compiled kernel, how its regions lie there
 *
 * All under the engine's lock. */
#ifndef DFI_GPU_GOING_H
#define DFI_GPU_GOING_H

#include "../base/log.h"
#include "../base/memory.h"
#include "../os/wait.h"
#include "../api/access.h"
#include "../api/kernel.h"
#include "../api/result.h"
#include "../flow/region.h"
#include "driver.h"
#include "engine.h"
#include "history.h"
#include "host/host.h"
#include "kernel/text.h"
#include "memory.h"
#include "record.h"
#include "../../df_gpu.h"

#include <ctype.h>

struct dfi_use_of { /* one region of a launch */
    struct dfi_access x;
    const struct dfi_param *param;
    struct dfi_region region;
    struct dfi_record *record;
    struct dfi_buffer *buffer;
    struct dfi_box box;              /* how the kernel wants it to lie on the device */
    int reads, writes;
    struct dfi_buffer *partial;      /* what its groups accumulated, on the device, and where that comes to */
    char *room;
    struct dfi_job job;              /* .. and how */
};

struct dfi_going {                   /* a launch on its way */
    struct dfi_kernel *kernel;
    struct dfi_device *device;
    const char *site, *name;
    void *args;                      /* a copy, in which distances between rows are those of the device */
    df_ndrange grid;
    int groups[3];
    struct dfi_built *built;
    int queue;
    df_result error;                 /* what is wrong with it: said, and not to be run */
    int here;                        /* the host is to run it */
    struct dfi_measure time;
    int shed;                        /* its own copies on the device were given up once, for more room */
    int n;
    struct dfi_use_of use[DFI_PARAMETERS]; /* n of them; the others are not set: they are large */
};

static int dfi_copy_is_valid(const struct dfi_record *r, int d) { return r->copy[d] && r->copy[d]->state != DFI_INVALID; }

/* --- the compiled kernel, the grid ------------------------------------------------------------------ */

static struct dfi_built *dfi_built_find(const struct dfi_kernel *k, const struct dfi_device *d, const int *block)
{
    struct dfi_built *b;
    for (b = k->built; b; b = b->next)
        if (b->device == d->gpu.index && !memcmp(b->block, block, sizeof b->block)) return b;
    return NULL;
}

/* The kernel for this device and this size of group. NULL without memory. The lock is free while it is compiled. */
static struct dfi_built *dfi_built_of(struct dfi_kernel *k, struct dfi_device *d, const int *group)
{
    enum { DFI_LOG_ROOM = 8192 };
    static const int any[3] = { 0, 0, 0 };
    const int *block;
    struct dfi_built *b;
    char *log;
    if (k->opened != dfi_engine.opened) k->built = NULL, k->opened = dfi_engine.opened;
    if (!k->blocks) k->blocks = dfi_kernel_wants_block(k) ? 2 : 1;
    block = k->blocks == 2 ? group : any;
    if ((b = dfi_built_find(k, d, block)) != NULL) return b;
    dfi_os_unlock(&dfi_engine_lock);
    dfi_os_lock(&d->building);
    dfi_os_lock(&dfi_engine_lock);
    if (!(b = dfi_built_find(k, d, block)) && (b = (struct dfi_built *)dfi_malloc(sizeof *b + DFI_LOG_ROOM)) != NULL) {
        memset((void *)b, 0, sizeof *b);
        log = (char *)(b + 1);
        *log = 0;
        memcpy(b->block, block, sizeof b->block);
        b->device = d->gpu.index;
        b->max_group = d->gpu.info.max_group;
        dfi_os_unlock(&dfi_engine_lock);
        if (!k->call) b->result = d->gpu.driver->build(&d->gpu, k, b, log, DFI_LOG_ROOM);
        if (b->result == DF_ERROR_KERNEL) dfi_error("%s:%d: kernel %s does not compile for device %d (%s): not "
                                                    "run\n%s",
                                                    k->file, k->line, k->name, d->gpu.index + 1, d->gpu.info.name, log);
        dfi_os_lock(&dfi_engine_lock);
        b->next = k->built, k->built = b;
        b->all = dfi_engine.built, dfi_engine.built = b;
    }
    dfi_os_unlock(&d->building);
    return b;
}

/* Why the device cannot have this grid, or this kernel in it; NULL: it can. */
static const char *dfi_going_wrong(struct dfi_going *g)
{
    const df_gpu_device *info = &g->device->gpu.info;
    const char *wrong = dfi_ndrange_wrong(&g->grid, info);
    int d, items = 1;
    for (d = 0; d < 3 && !wrong; d++) {
        g->groups[d] = (int)((g->grid.n[d] - 1) / g->grid.group[d] + 1);
        items *= g->grid.group[d];
    }
    if (wrong) return wrong;
    if (items > g->built->max_group) return "a group has more work-items than this kernel leaves registers for";
    if (g->built->shared + dfi_kernel_shared(g->kernel, g->grid.group) > info->max_shared)
        return "a group has more df_shared memory than the device";
    return NULL;
}

/* Chooses the sizes of groups that were left open and finds the compiled kernel. */
static void dfi_going_build(struct dfi_going *g)
{
    df_ndrange asked = g->grid;
    const char *wrong;
    int d, most = g->device->gpu.info.max_group;
    for (;;) {
        int items = 1;
        g->grid = asked;
        dfi_group_default(&g->grid, most);
        for (d = 0; d < 3; d++)
            if (g->grid.group[d] <= 0) g->grid.group[d] = 1;
        if (!(g->built = dfi_built_of(g->kernel, g->device, g->grid.group))) {
            g->here = 1;
            return;
        }
        if (g->built->result) {
            g->error = g->built->result;
            return;
        }
        for (d = 0; d < 3; d++) items *= g->grid.group[d];
        if (items <= g->built->max_group || most <= g->built->max_group) break;
        most = g->built->max_group; /* it needs more registers than most kernels */
    }
    memcpy(g->args, (void *)&g->grid, sizeof g->grid);
    if (!(wrong = dfi_going_wrong(g))) return;
    dfi_error(DFI_MESSAGE_GRID, g->site, g->name, g->device->gpu.index + 1, g->device->gpu.info.name, asked.n[0], asked.n[1], asked.n[2], g->grid.group[0], g->grid.group[1], g->grid.group[2], wrong);
    g->error = DF_ERROR_GRID;
}

/* --- how the regions lie on the device ------------------------------------------------------------- */

/* Does the expression contain this name? */
static int dfi_mentions(const char *expression, const char *name)
{
    size_t n = strlen(name);
    const char *p = expression;
    while (p && (p = strstr(p, name)) != NULL) {
        int before = p > expression && (p[-1] == '_' || isalnum((unsigned char)p[-1]));
        if (!before && p[n] != '_' && !isalnum((unsigned char)p[n])) return 1;
        p += n;
    }
    return 0;
}

/* The by-value parameter that is the distance between the rows of a block, and nothing else in the declaration. NULL: it
 * is another expression, and stays what it is. */
static const struct dfi_param *dfi_param_of_ld(const struct dfi_kernel *k, const struct dfi_param *block)
{
    const struct dfi_param *v = NULL, *p;
    int i;
    for (i = 0; i < k->n_params; i++)
        if (k->param[i].kind == DFI_P_VALUE && !strcmp(k->param[i].name, block->ld)) v = &k->param[i];
    if (!v || (v->bytes != 4 && v->bytes != 8)) return NULL;
    for (p = k->param; p < k->param + k->n_params; p++)
        if (p->kind != DFI_P_VALUE && (dfi_mentions(p->rows, v->name) || dfi_mentions(p->cols, v->name) ||
                                       (p->ld && strcmp(p->ld, v->name) && dfi_mentions(p->ld, v->name))))
            return NULL;
    return v;
}

/* Rows without gaps have no shape: they fit wherever as many bytes without gaps are wanted. */
static int dfi_is_flat(const struct dfi_box *b) { return b->rows <= 1 || b->pitch == b->row; }

static int dfi_same_layout(const struct dfi_box *a, const struct dfi_box *b)
{
    if (dfi_is_flat(a) || dfi_is_flat(b)) return dfi_is_flat(a) && dfi_is_flat(b);
    return a->row == b->row && a->rows == b->rows && a->pitch == b->pitch;
}

static int dfi_is_block(const struct dfi_use_of *u) { return u->param->kind == DFI_P_BLOCK && u->x.rows > 1 && u->x.ld >= u->x.row; }

/* Blocks lie with their rows close together, all that share a parameter for the distance with the same number of elements,
 * which the kernel finds in that parameter. A copy that is there already decides, if it can. */
static void dfi_going_layout(struct dfi_going *g)
{
    int i, j, d = g->device->gpu.index;
    for (i = 0; i < g->n; i++) {
        struct dfi_use_of *u = &g->use[i];
        u->box.row = dfi_region_bytes(&u->region), u->box.rows = 1, u->box.ld = u->box.pitch = 0;
    }
    for (i = 0; i < g->n; i++) {
        struct dfi_use_of *u = &g->use[i];
        const struct dfi_param *v;
        size_t elements = 0;
        if (!dfi_is_block(u) || u->box.pitch) continue;
        v = dfi_param_of_ld(g->kernel, u->param);
        for (j = i; j < g->n; j++) {
            struct dfi_use_of *w = &g->use[j];
            size_t row = w->x.row / w->param->bytes, there;
            if (!dfi_is_block(w) || (v ? dfi_param_of_ld(g->kernel, w->param) != v : w != u)) continue;
            if (row > elements) elements = row;
            if (!v) elements = w->x.ld / w->param->bytes;
            else if (dfi_copy_is_valid(w->record, d)) {
                const struct dfi_box *b = &w->record->copy[d]->box;
                there = !dfi_is_flat(b) && b->row == w->x.row && b->pitch % w->param->bytes == 0 ? b->pitch / w->param->bytes : 0;
                if (there > elements) elements = there;
            }
        }
        for (j = i; j < g->n; j++) {
            struct dfi_use_of *w = &g->use[j];
            if (!dfi_is_block(w) || (v ? dfi_param_of_ld(g->kernel, w->param) != v : w != u)) continue;
            w->box.row = w->x.row, w->box.rows = w->x.rows, w->box.ld = w->x.ld, w->box.pitch = elements * w->param->bytes;
        }
        if (v) {
            uint64_t all = elements;
            uint32_t half = (uint32_t)elements;
            memcpy((char *)g->args + v->at, v->bytes == sizeof all ? (void *)&all : (void *)&half, v->bytes);
        }
    }
}

static size_t dfi_box_bytes(const struct dfi_box *b) { return (b->rows - 1) * b->pitch + b->row; }

#endif
