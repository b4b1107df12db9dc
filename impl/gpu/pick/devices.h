/* devices.h - the devices that a variant must fit, one of each kind */
#ifndef DFI_GPU_PICK_DEVICES_H
#define DFI_GPU_PICK_DEVICES_H

#include "../../base/atomic.h"
#include "../../api/pick.h"
#include "../../api/submit_options.h"
#include "../../../df_gpu.h"
#include "../../os/os.h"
#if !defined(DF_SERIAL)
#include "../engine.h"
#endif

enum { DFI_PICK_DEVICES = 17 };

static struct dfi_os_mutex dfi_pick_mutex = DFI_OS_MUTEX_INIT;
static void dfi_pick_lock(void) { dfi_os_lock(&dfi_pick_mutex); }
static void dfi_pick_unlock(void) { dfi_os_unlock(&dfi_pick_mutex); }
#if defined(DF_SERIAL)
static int dfi_pick_generation(void) { return 0; }
static int dfi_pick_lost(int device) { return (void)device, 0; }
#else
/* Changes with the set of devices. */
static int dfi_pick_generation(void) { return dfi_load_acquire(&dfi_engine.generation); }
static int dfi_pick_lost(int device)
{
    int lost;
    dfi_os_lock(&dfi_engine_lock);
    lost = device > 0 && device <= dfi_engine.n && dfi_engine.device[device - 1]->lost;
    dfi_os_unlock(&dfi_engine_lock);
    return lost;
}
#endif

/* --- the devices that it has to fit ------------------------------------------------------------------- */

/* One of each kind. */
struct dfi_pick_devices {
    int n, real;                     /* real: a compiler can be asked */
    int number[DFI_PICK_DEVICES];
    df_gpu_device info[DFI_PICK_DEVICES];
    uint64_t key;                    /* of all of them */
};

static uint64_t dfi_pick_hash_text(uint64_t h, const char *s) { return dfi_hash(h, s, strlen(s) + 1); }
static uint64_t dfi_pick_device_key(const char *kind, const char *name)
{
    return dfi_pick_hash_text(dfi_pick_hash_text(DFI_HASH_BEGIN, kind), name);
}

static void dfi_pick_add(struct dfi_pick_devices *d, const df_gpu_device *info, int number)
{
    int i;
    for (i = 0; i < d->n; i++)
        if (!strcmp(d->info[i].kind, info->kind) && !strcmp(d->info[i].name, info->name)) return;
    if (d->n == DFI_PICK_DEVICES) return;
    d->info[d->n] = *info, d->number[d->n++] = number;
}

/* The key of a device described by hand: of its whole description. */
static uint64_t dfi_pick_limits_key(const df_pick_opts *o)
{
    const df_gpu_device *l = o->limits;
    uint64_t h = dfi_pick_device_key(l->kind, l->name);
    h = dfi_hash(h, &l->memory, sizeof l->memory);
    h = dfi_hash(h, &l->units, sizeof l->units);
    h = dfi_hash(h, &l->max_group, sizeof l->max_group);
    h = dfi_hash(h, l->max_group_dim, sizeof l->max_group_dim);
    h = dfi_hash(h, l->max_groups, sizeof l->max_groups);
    h = dfi_hash(h, &l->max_shared, sizeof l->max_shared);
    h = dfi_hash(h, &l->registers, sizeof l->registers);
    h = dfi_hash(h, &l->warp, sizeof l->warp);
    h = dfi_hash(h, &l->has_double, sizeof l->has_double);
    return dfi_hash(h, &o->needs, sizeof o->needs);
}

static void dfi_pick_devices_of(struct dfi_pick_devices *d, const df_pick_opts *o)
{
    df_gpu_device info;
    int i, n;
    d->n = 0;
    d->real = !o->limits;
    if (o->limits) {
        dfi_pick_add(d, o->limits, 1);
        d->key = dfi_pick_limits_key(o);
        return;
    }
    n = df_gpu_devices();
    if (o->device > 0 || o->device == DF_HOST) {
        if (!dfi_pick_lost(o->device) && !df_gpu_info(o->device, &info)) dfi_pick_add(d, &info, o->device);
    } else
        for (i = 1; i <= n; i++)
            if (!dfi_pick_lost(i) && !df_gpu_info(i, &info)) dfi_pick_add(d, &info, i);
    if ((!d->n || o->device == DF_ANY_DEVICE) && !df_gpu_info(DF_HOST, &info)) dfi_pick_add(d, &info, DF_HOST);
    /* in any order */
    for (d->key = 0, i = 0; i < d->n; i++) d->key += dfi_pick_device_key(d->info[i].kind, d->info[i].name);
}

#endif
