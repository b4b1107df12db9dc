/* grid.h - the grid of a launch: default sizes of groups, and the limits of devices and of the host */
#ifndef DFI_GPU_HOST_GRID_H
#define DFI_GPU_HOST_GRID_H

#include "../../base/log.h"
#include "../../api/device.h"
#include "../../api/submit_options.h"

#include <limits.h>

enum {
    DFI_HOST_GROUP = 1024,      /* work-items in a group at most: most devices allow as many */
    /* in a group of default size: a multiple of all warps, and small enough for all devices */
    DFI_HOST_ITEMS = 256,
    DFI_HOST_DEEP = 64          /* in the third dimension: CUDA devices allow no more */
};

/* Decides the sizes of the group that are 0: 256 in one dimension, 16 x 16 in two, 8 x 8 x 4 in three, fewer if
 * max_group is less, or other dimensions have many. A dimension with one item gets 1. */
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

/* The host as a device. */
static const df_gpu_device dfi_host_device = {
    "host", "host", 0, 1, DFI_HOST_GROUP, { DFI_HOST_GROUP, DFI_HOST_GROUP, DFI_HOST_GROUP },
    { INT_MAX, INT_MAX, INT_MAX }, SIZE_MAX, 0, 1, 1
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

/* Reports a launch that cannot run. device: its number, and its description if it is known */
static DFI_COLD void dfi_grid_error(const char *site, const char *kernel, int device, const df_gpu_device *info,
                                    const df_ndrange *g, const char *why)
{
    char on[sizeof info->name + 32];
    if (device == DF_HOST) strcpy(on, "the host");
    else if (device <= 0) strcpy(on, "any device");
    else snprintf(on, sizeof on, info ? "device %d (%s)" : "device %d", device, info ? info->name : "");
    dfi_error("%s: launch of %s on %s: %ld x %ld x %ld work-items in groups of %d x %d x %d: %s: it does not run",
              site, kernel, on, g->n[0], g->n[1], g->n[2], g->group[0], g->group[1], g->group[2], why);
}

#endif
