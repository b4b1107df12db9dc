/* candidate.h - a candidate: a variant with one of its sizes of groups, and whether it fits a device */
#ifndef DFI_GPU_PICK_CANDIDATE_H
#define DFI_GPU_PICK_CANDIDATE_H

#include "../../base/compiler.h"
#include "../../api/kernel.h"
#include "../../api/pick.h"
#include "../../api/submit_options.h"
#include "../../api/result.h"
#include "../../../df_gpu.h"
#include "../host/grid.h"
#include "devices.h"
#if !defined(DF_SERIAL)
#include "../../os/os.h"
#include "../driver.h"
#include "../engine.h"
#include "../kernel/reduce.h"
#include "../launch/state.h"
#endif

/* --- the requirements of a compiled kernel --------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_kernel_needs(struct dfi_kernel *k, int device, int bx, int by, int bz, df_kernel_needs *needs)
{
    df_gpu_device info;
    df_ndrange g = df_grid3(1, 1, 1, bx, by, bz);
    df_result r = df_gpu_info(device, &info);
    int d;
    memset((void *)needs, 0, sizeof *needs);
    if (r) return r;
    needs->max_group = info.max_group;
    dfi_group_default(&g, info.max_group);
    for (d = 0; d < 3; d++)
        if (g.group[d] <= 0) g.group[d] = 1;
#if !defined(DF_SERIAL)
    if (device > 0 && dfi_gpu_ready()) {
        struct dfi_built *b = NULL;
        dfi_os_lock(&dfi_engine_lock);
        if (device > dfi_engine.n || dfi_engine.device[device - 1]->lost) r = DF_ERROR_DEVICE;
        else if (!(b = dfi_built_of(k, dfi_engine.device[device - 1], g.group))) r = DF_ERROR_MEMORY;
        else if (!(r = b->result)) {
            needs->registers = b->registers, needs->spilled = b->spilled, needs->max_group = b->max_group;
            needs->shared = b->shared + dfi_kernel_shared(k, g.group);
        }
        dfi_os_unlock(&dfi_engine_lock);
    }
#endif
    (void)k;
    return r;
}
DFI_EXTERN_C_END

/* --- does it fit? ---------------------------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API int dfi_at_most(df_candidate *c, const char *what, double a, const char *limit, double most)
{
    if (a <= most) return 1;
    snprintf(c->why, sizeof c->why, "%s = %.10g > %s = %.10g", what, a, limit, most);
    return 0;
}
DFI_EXTERN_C_END

/* The variant with its group number `group`; -1: with one that df decides. */
static void dfi_candidate_of(df_candidate *c, const struct dfi_variants *v, int variant, int group,
                             const df_ndrange *n, const df_gpu_device *device)
{
    df_ndrange g = *n;
    int d;
    memset((void *)c, 0, sizeof *c);
    c->variant = &v->variant[variant];
    c->name = v->of[variant].name;
    c->device = device;
    c->needs.max_group = device->max_group;
    for (d = 0; d < 3; d++) {
        int size = group < 0 ? 0 : c->variant->groups[group][d];
        c->n[d] = n->n[d];
        c->per_item[d] = c->variant->per_item[d] > 1 ? c->variant->per_item[d] : 1;
        g.n[d] = n->n[d] > 0 ? (n->n[d] - 1) / c->per_item[d] + 1 : n->n[d];
        g.group[d] = group < 0 ? 0 : size > 0 ? size : 1;
    }
    dfi_group_default(&g, device->max_group);
    for (d = 0; d < 3; d++) c->group[d] = g.group[d];
    if (c->variant->shared) c->shared = c->variant->shared(c);
}

static long dfi_candidate_items(const df_candidate *c) { return (long)c->group[0] * c->group[1] * c->group[2]; }

static int dfi_candidate_registers(df_candidate *c, int registers)
{
    double all = (double)registers * (double)dfi_candidate_items(c);
    if (!c->device->registers || all <= c->device->registers) return 1;
    snprintf(c->why, sizeof c->why, "%d registers x %ld items = %.10g > %d registers of the device", registers,
             dfi_candidate_items(c), all, c->device->registers);
    return 0;
}

static int dfi_candidate_shared(df_candidate *c, size_t bytes)
{
    if (bytes <= c->device->max_shared) return 1;
    snprintf(c->why, sizeof c->why, "%lu bytes of df_shared > %lu that a group can have", (unsigned long)bytes,
             (unsigned long)c->device->max_shared);
    return 0;
}

/* The checks before it is compiled. */
static int dfi_candidate_limits(df_candidate *c)
{
    static const char dimension[3] = { 'x', 'y', 'z' };
    int d;
    for (d = 0; d < 3; d++) {
        long items = c->n[d] > 0 ? (c->n[d] - 1) / c->per_item[d] + 1 : 1, groups = (items - 1) / c->group[d] + 1;
        if (c->group[d] > c->device->max_group_dim[d]) {
            snprintf(c->why, sizeof c->why, "%d items > %d that a group can have in %c", c->group[d],
                     c->device->max_group_dim[d], dimension[d]);
            return 0;
        }
        if (groups > c->device->max_groups[d]) {
            snprintf(c->why, sizeof c->why, "%ld groups > %ld that the device can have in %c", groups,
                     c->device->max_groups[d], dimension[d]);
            return 0;
        }
    }
    if (dfi_candidate_items(c) > c->device->max_group) {
        snprintf(c->why, sizeof c->why, "%ld items > %d that a group can have", dfi_candidate_items(c),
                 c->device->max_group);
        return 0;
    }
    return dfi_candidate_shared(c, c->shared) && dfi_candidate_registers(c, c->variant->registers);
}

static int dfi_candidate_matches(df_candidate *c)
{
    if (!c->variant->fits || c->variant->fits(c)) return 1;
    if (!*c->why) snprintf(c->why, sizeof c->why, "its own condition is not met");
    return 0;
}

/* The result of its compiler: 1; 0: it does not compile; -1: unknown. */
static int dfi_candidate_compile(df_candidate *c, const struct dfi_pick_devices *d, int device,
                                 struct dfi_kernel *k, const df_pick_opts *o)
{
    df_result r;
    if (o->needs) return o->needs(c, &c->needs) ? 1 : 0;
    if (!d->real || d->number[device] == DF_HOST) return -1;
    r = dfi_kernel_needs(k, d->number[device], c->group[0], c->group[1], c->group[2], &c->needs);
    return r == DF_OK ? 1 : r == DF_ERROR_KERNEL ? 0 : -1;
}

/* 1, or 0 and the reason is in c->why. */
static int dfi_candidate_fits(df_candidate *c, const struct dfi_pick_devices *d, int device, struct dfi_kernel *k,
                              const df_pick_opts *o)
{
    int known;
    if (!dfi_candidate_limits(c) || !dfi_candidate_matches(c)) return 0;
    if (!(known = dfi_candidate_compile(c, d, device, k, o))) {
        snprintf(c->why, sizeof c->why, "it does not compile for the device");
        return 0;
    }
    if (known < 0) return 1;
    if (dfi_candidate_items(c) > c->needs.max_group) {
        snprintf(c->why, sizeof c->why,
                 "%ld items > %d that the compiled kernel leaves room for in a group, with %d registers each",
                 dfi_candidate_items(c), c->needs.max_group, c->needs.registers);
        return 0;
    }
    return dfi_candidate_shared(c, c->needs.shared) && dfi_candidate_registers(c, c->needs.registers) &&
        dfi_candidate_matches(c);
}

#endif
