/* tune.h - choice of the variant of a kernel that is fastest, by measurement
 *
 * Each candidate that fits is launched once, so that it is compiled and its data is on the device, and then several
 * times in as many measurements as asked for. A candidate whose first measurement is far behind the best is measured
 * no more. */
#ifndef DFI_GPU_PICK_TUNE_H
#define DFI_GPU_PICK_TUNE_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/kernel.h"
#include "../../api/pick.h"
#include "../../api/error.h"
#include "../../api/submit_options.h"
#include "../../api/wait.h"
#include "../../api/result.h"
#include "../../api/task.h"
#include "../../../df_gpu.h"
#include "../../flow/region.h"
#include "choice.h"
#include "devices.h"
#include "pick.h"
#include "../store.h"
#include "../../os/os.h"

#include <stdlib.h>
#include <time.h>

enum {
    DFI_TUNE_REPEAT = 5, DFI_TUNE_MOST = 31, /* measurements of a candidate */
    DFI_TUNE_BATCH = 64,           /* launches in one, at most */
    DFI_TUNE_ACCESSES = 16         /* of a kernel, at most */
};
/* A measurement takes so long, or as many launches as may be in one: what begins and ends it, some 50 us, is then
 * little. */
static const double dfi_tune_seconds = 1e-3;
static const double dfi_tune_hopeless = 2; /* times the best: no more measurements */

/* Memory that is put back as it was. */
struct dfi_tune_saved { struct dfi_access x; char *copy; struct dfi_tune_saved *next; };

struct dfi_tuning {
    struct dfi_variants *list;
    df_pick_opts opts;
    df_ndrange n;
    struct dfi_pick_devices devices;
    int device, variant, group;    /* the candidate: numbers in `devices`, the list, its groups */
    int launching;                 /* it is being measured */
    int left, batch, sample;       /* launches of this measurement, now and all; which one it is, 0: the first launch */
    double began, time[DFI_TUNE_MOST];
    struct dfi_choice best;
    struct dfi_tune_saved *saved;
    int measured;                  /* candidates */
    struct dfi_parallel_block block;
};

static double dfi_tune_now(void) { return (double)dfi_os_ns() * 1e-9; }

/* --- memory is saved and restored ---------------------------------------------------------------------------- */

static void dfi_tune_copy(const struct dfi_tune_saved *s, int back)
{
    size_t i;
    for (i = 0; i < s->x.rows; i++) {
        char *p = (char *)(uintptr_t)s->x.p + i * s->x.ld, *q = s->copy + i * s->x.row;
        if (back) memcpy(p, q, s->x.row);
        else memcpy(q, p, s->x.row);
    }
}

/* Saves the memory that the launches will write; all memory they access stays on the devices meanwhile. */
static df_result dfi_tune_save(struct dfi_tuning *t, const struct dfi_kernel *k, const void *args)
{
    struct dfi_access x[DFI_TUNE_ACCESSES];
    unsigned i, n = k->accesses(args, x);
    for (i = 0; i < n; i++) {
        struct dfi_region r = dfi_region_of(&x[i]);
        struct dfi_tune_saved *s;
        if (!r.rows) continue;
        if (dfi_region_is_all(&r)) return DF_ERROR_DEVICE_MEMORY;
        if (!(s = (struct dfi_tune_saved *)dfi_malloc(sizeof *s))) return DF_ERROR_MEMORY;
        s->x = x[i];
        s->x.row = r.row, s->x.rows = r.rows, s->x.ld = r.ld;
        s->copy = NULL;
        s->next = t->saved, t->saved = s;
        df_gpu_hold(x[i].p, dfi_region_bytes(&r)); /* if it cannot be held, moving it is measured, too */
        if (!(x[i].mode & DFI_WRITES)) continue;
        if (r.row > SIZE_MAX / r.rows || !(s->copy = (char *)dfi_malloc(r.row * r.rows))) return DF_ERROR_MEMORY;
        dfi_tune_copy(s, 0);
    }
    return DF_OK;
}

static void dfi_tune_restore(struct dfi_tuning *t)
{
    struct dfi_tune_saved *s, *next;
    for (s = t->saved; s; s = s->next)
        df_gpu_release(s->x.p, s->x.rows > 1 ? (s->x.rows - 1) * s->x.ld + s->x.row : s->x.row);
    for (s = t->saved; s; s = next) {
        next = s->next;
        if (s->copy) dfi_tune_copy(s, 1);
        dfi_mfree(s->copy);
        dfi_mfree((void *)s);
    }
    t->saved = NULL;
}

/* --- measuring --------------------------------------------------------------------------------------------- */

static int dfi_double_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The candidate is done with: is it the best? */
static void dfi_tune_judge(struct dfi_tuning *t, int samples)
{
    double median;
    if (samples < 1) return;
    qsort(t->time, (size_t)samples, sizeof t->time[0], dfi_double_compare);
    median = samples % 2 ? t->time[samples / 2] : (t->time[samples / 2 - 1] + t->time[samples / 2]) / 2;
    t->measured++;
    if (t->best.how && median >= (double)t->best.seconds) return;
    t->best.how = DFI_CHOICE_MEASURED;
    t->best.variant = (signed char)t->variant, t->best.group = (signed char)t->group;
    t->best.seconds = (float)median;
}

/* A measurement begins. */
static void dfi_tune_sample(struct dfi_tuning *t)
{
    t->left = t->batch;
    t->began = dfi_tune_now();
}

/* A measurement ended. Nonzero: another one of this candidate begins. */
static int dfi_tune_sampled(struct dfi_tuning *t, df_result *failed)
{
    int repeat = t->opts.repeat > 0 && t->opts.repeat <= DFI_TUNE_MOST ? t->opts.repeat : t->opts.repeat > 0
        ? (int)DFI_TUNE_MOST : (int)DFI_TUNE_REPEAT;
    df_result r = df_wait_result();
    double time = (dfi_tune_now() - t->began) / t->batch;
    if (r) { /* it did not run */
        *failed = r;
        return 0;
    }
    if (t->sample == 0) { /* compiled it, moved data: one more, to learn how long it takes */
        t->sample = 1;
        dfi_tune_sample(t);
        return 1;
    }
    if (t->sample == 1) {
        const int most = DFI_TUNE_BATCH;
        double fit = time > 0 ? dfi_tune_seconds / time : most;
        t->batch = fit >= most ? most : fit > 1 ? (int)fit : 1;
    } else t->time[t->sample - 2] = time;
    if (t->sample == repeat + 1 ||
        (t->sample == 2 && t->best.how && time > dfi_tune_hopeless * (double)t->best.seconds)) {
        dfi_tune_judge(t, t->sample - 1);
        return 0;
    }
    t->sample++;
    dfi_tune_sample(t);
    return 1;
}

/* The best of this device is remembered. */
static void dfi_tune_device_done(struct dfi_tuning *t)
{
    const df_gpu_device *info = &t->devices.info[t->device];
    struct dfi_tune_file f;
    if (!t->best.how) return;
    t->best.device = dfi_pick_device_key(info->kind, info->name);
    t->best.size = dfi_pick_size(&t->n);
    dfi_pick_lock();
    dfi_choice_keep(t->list->choices, &t->best);
    f.list = t->list, f.info = info, f.choice = &t->best;
    dfi_file_write(&dfi_tune_times, &f);
    dfi_pick_unlock();
}

/* Goes to the next candidate that fits. Zero: there is none. */
static int dfi_tune_candidate(struct dfi_tuning *t)
{
    struct dfi_pick_devices one;
    for (;;) {
        const df_variant *v = &t->list->variant[t->variant];
        if (++t->group < dfi_variant_groups(v)) {
            one = t->devices;
            one.n = 1;
            one.info[0] = t->devices.info[t->device], one.number[0] = t->devices.number[t->device];
            if (dfi_pick_fits(t->list, t->variant, t->group, &t->n, &one, &t->opts, NULL)) return 1;
            continue;
        }
        if (++t->variant < t->list->n) t->group = dfi_variant_groups(&t->list->variant[t->variant]) ? -1 : -2;
        else {
            dfi_tune_device_done(t);
            if (++t->device == t->devices.n) return 0;
            memset((void *)&t->best, 0, sizeof t->best);
            t->variant = 0;
            t->group = dfi_variant_groups(&t->list->variant[0]) ? -1 : -2;
        }
    }
}

static void dfi_tune_end(struct dfi_choosing *c)
{
    struct dfi_tuning *t = c->tuning;
    dfi_scope_leave(&t->block);
    dfi_tune_restore(t);
    if (t->measured) c->result = DF_OK;
    else if (!c->result) c->result = DF_ERROR_KERNEL;
    dfi_mfree((void *)t);
    c->tuning = NULL;
}

/* pick is the next launch. Zero: all is measured. */
static int dfi_tune_next(struct dfi_choosing *c)
{
    struct dfi_tuning *t = c->tuning;
    struct dfi_choice now;
    if (t->launching && t->left > 0) {
        t->left--;
        return 1;
    }
    if (t->launching && dfi_tune_sampled(t, &c->result)) {
        t->left--;
        return 1;
    }
    t->launching = 0;
    if (!dfi_tune_candidate(t)) {
        dfi_tune_end(c);
        return 0;
    }
    memset((void *)&now, 0, sizeof now);
    now.variant = (signed char)t->variant, now.group = (signed char)t->group;
    c->pick = dfi_pick_of(t->list, &now, &t->n, t->devices.number[t->device]);
    t->launching = 1, t->sample = 0, t->batch = 1;
    dfi_tune_sample(t);
    t->left--;
    return 1;
}

/* k: NULL, or the accesses of the launches are known. */
static void dfi_tune_begin(struct dfi_choosing *c, struct dfi_variants *v, const df_pick_opts *o, const char *site,
                           const df_ndrange *n, const struct dfi_kernel *k, const void *args)
{
    df_gpu_device info;
    struct dfi_tuning *t;
    c->tuning = NULL;
    if (o && (o->device > 0 || o->device == DF_HOST) && (c->result = df_gpu_info(o->device, &info)) != DF_OK) return;
    (df_wait)();
    if (!(t = (struct dfi_tuning *)dfi_malloc(sizeof *t))) {
        c->result = DF_ERROR_MEMORY;
        return;
    }
    memset((void *)t, 0, sizeof *t);
    t->list = v, t->n = *n;
    t->opts = o ? *o : dfi_pick_default;
    t->opts.limits = NULL, t->opts.needs = NULL;
    dfi_pick_devices_of(&t->devices, &t->opts);
    t->group = dfi_variant_groups(&v->variant[0]) ? -1 : -2;
    t->block = dfi_scope_enter(site);
    if (k && (c->result = dfi_tune_save(t, k, args)) != DF_OK) {
        t->measured = 0;
        dfi_scope_leave(&t->block);
        dfi_tune_restore(t);
        dfi_mfree((void *)t);
        return;
    }
    c->tuning = t;
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_choose_begin(struct dfi_choosing *c, enum dfi_choosing_how how, struct dfi_variants *v,
                              const df_pick *p, const df_opts *o, const df_pick_opts *t, const char *site,
                              df_ndrange n, const struct dfi_kernel *k, const void *args)
{
    df_pick_opts pick = dfi_pick_default;
    c->result = DF_OK;
    c->tuning = NULL;
    c->left = how != DFI_CHOOSE_TUNE;
    if (how == DFI_CHOOSE_TUNE) dfi_tune_begin(c, v, t, site, &n, k, args);
    else if (how == DFI_CHOOSE_PICKED) c->pick = *p;
    else {
        if (o) pick.device = o->device;
        c->pick = dfi_kernel_pick(v, n, &pick);
        if (o) c->pick.opts = *o;
    }
}

DFI_API int dfi_choose_next(struct dfi_choosing *c)
{
    return c->tuning ? dfi_tune_next(c) : c->left-- > 0;
}

DFI_API df_result dfi_tune_by(struct dfi_variants *v, const df_pick_opts *o, const char *site, df_ndrange n,
                              void (*fn)(const df_pick *p, void *arg), void *arg)
{
    struct dfi_choosing c;
    dfi_choose_begin(&c, DFI_CHOOSE_TUNE, v, NULL, NULL, o, site, n, NULL, NULL);
    while (dfi_choose_next(&c)) fn(&c.pick, arg);
    return c.result;
}
DFI_EXTERN_C_END

#endif
