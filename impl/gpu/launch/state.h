/* state.h - a launch in progress: its device, its compiled kernel and its grid
 *
 * Everything here is under the lock of the engine. */
#ifndef DFI_GPU_LAUNCH_STATE_H
#define DFI_GPU_LAUNCH_STATE_H

#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/device.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../../flow/region.h"
#include "../driver.h"
#include "../engine.h"
#include "../history.h"
#include "../host/grid.h"
#include "../kernel/reduce.h"
#include "../kernel/text.h"
#include "../memory.h"
#include "../record.h"

struct dfi_operand { /* one region of a launch */
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

struct dfi_flight {                   /* a launch on its way */
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
    struct dfi_operand use[DFI_PARAMETERS]; /* n of them; the others are not set: they are large */
};

static int dfi_copy_is_valid(const struct dfi_record *r, int d)
{
    return r->copy[d] && r->copy[d]->state != DFI_INVALID;
}

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
    if (!(b = dfi_built_find(k, d, block)) &&
        (b = (struct dfi_built *)dfi_malloc(sizeof *b + DFI_COMPILER_LOG)) != NULL) {
        memset((void *)b, 0, sizeof *b);
        log = (char *)(b + 1);
        *log = 0;
        memcpy(b->block, block, sizeof b->block);
        b->device = d->gpu.index;
        b->max_group = d->gpu.info.max_group;
        dfi_os_unlock(&dfi_engine_lock);
        if (!k->call) b->result = d->gpu.driver->build(&d->gpu, k, b, log, DFI_COMPILER_LOG);
        if (b->result == DF_ERROR_KERNEL) dfi_error("%s:%d: kernel %s does not compile for device %d (%s): it does "
                                                    "not run\n%s",
                                                    k->file, k->line, k->name, d->gpu.index + 1, d->gpu.info.name, log);
        dfi_os_lock(&dfi_engine_lock);
        b->next = k->built, k->built = b;
        b->all = dfi_engine.built, dfi_engine.built = b;
    }
    dfi_os_unlock(&d->building);
    return b;
}

/* Why the device cannot have this grid, or this kernel in it; NULL: it can. */
static const char *dfi_flight_wrong(struct dfi_flight *g)
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
static void dfi_flight_build(struct dfi_flight *g)
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
    if (!(wrong = dfi_flight_wrong(g))) return;
    dfi_grid_error(g->site, g->name, g->device->gpu.index + 1, &g->device->gpu.info, &g->grid, wrong);
    g->error = DF_ERROR_GRID;
}

#endif
