/* pick.h - which variant of a kernel fits a device
 *
 * A list of variants is gone through in its order, each with its sizes of groups in their order, and the first that fits is
 * taken; if none does, the last variant, and df decides its groups. So there always is one (MetaFork's case distinctions
 * have holes: thesis, 7.4). What was chosen is remembered per kind of device and class of sizes: the number of binary digits
 * of the grid in each dimension. */
#ifndef DFI_GPU_PICK_H
#define DFI_GPU_PICK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/kernel.h"
#include "../api/pick.h"
#include "../api/result.h"
#include "host/host.h"
#include "../api/public.h"
#include "../../df_gpu.h"
#if defined(DF_SERIAL)
#include "../serial/gpu.h"
#else
#include "../os/os.h"
#include "../os/wait.h"
#include "driver.h"
#include "engine.h"
#include "going.h"
#include "kernel/text.h"
#include "launch.h"
#endif

enum { DFI_PICK_DEVICES = 17 };

#if defined(DF_SERIAL)
static void dfi_pick_lock(void) {}
static void dfi_pick_unlock(void) {}
static int dfi_pick_generation(void) { return 0; }
static int dfi_pick_lost(int device) { return (void)device, 0; }
#else
static struct dfi_os_mutex dfi_pick_mutex = DFI_OS_MUTEX_INIT;
static void dfi_pick_lock(void) { dfi_os_lock(&dfi_pick_mutex); }
static void dfi_pick_unlock(void) { dfi_os_unlock(&dfi_pick_mutex); }
/* Changes with what devices there are. */
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

static uint64_t dfi_pick_hash(uint64_t h, const void *p, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < bytes; i++) h = (h ^ b[i]) * 0x100000001B3u; /* FNV-1a */
    return h;
}
static uint64_t dfi_pick_hash_text(uint64_t h, const char *s) { return dfi_pick_hash(h, s, strlen(s) + 1); }
static uint64_t dfi_pick_device_key(const char *kind, const char *name)
{
    return dfi_pick_hash_text(dfi_pick_hash_text(0xCBF29CE484222325u, kind), name);
}

static void dfi_pick_add(struct dfi_pick_devices *d, const df_gpu_device *info, int number)
{
    int i;
    for (i = 0; i < d->n; i++)
        if (!strcmp(d->info[i].kind, info->kind) && !strcmp(d->info[i].name, info->name)) return;
    if (d->n == DFI_PICK_DEVICES) return;
    d->info[d->n] = *info, d->number[d->n++] = number;
}

/* The key of a device described by hand: of all that is said of it. */
static uint64_t dfi_pick_limits_key(const df_pick_opts *o)
{
    const df_gpu_device *l = o->limits;
    uint64_t h = dfi_pick_device_key(l->kind, l->name);
    h = dfi_pick_hash(h, &l->memory, sizeof l->memory);
    h = dfi_pick_hash(h, &l->units, sizeof l->units);
    h = dfi_pick_hash(h, &l->max_group, sizeof l->max_group);
    h = dfi_pick_hash(h, l->max_group_dim, sizeof l->max_group_dim);
    h = dfi_pick_hash(h, l->max_groups, sizeof l->max_groups);
    h = dfi_pick_hash(h, &l->max_shared, sizeof l->max_shared);
    h = dfi_pick_hash(h, &l->registers, sizeof l->registers);
    h = dfi_pick_hash(h, &l->warp, sizeof l->warp);
    h = dfi_pick_hash(h, &l->has_double, sizeof l->has_double);
    return dfi_pick_hash(h, &o->needs, sizeof o->needs);
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
    for (d->key = 0, i = 0; i < d->n; i++) d->key += dfi_pick_device_key(d->info[i].kind, d->info[i].name); /* in any order */
}

/* --- what a compiled kernel needs --------------------------------------------------------------------- */

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
static void dfi_candidate_of(df_candidate *c, const struct dfi_variants *v, int variant, int group, const df_ndrange *n, const df_gpu_device *device)
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
    snprintf(c->why, sizeof c->why, "%d registers x %ld items = %.10g > %d registers of the device", registers, dfi_candidate_items(c), all,
             c->device->registers);
    return 0;
}

static int dfi_candidate_shared(df_candidate *c, size_t bytes)
{
    if (bytes <= c->device->max_shared) return 1;
    snprintf(c->why, sizeof c->why, "%lu bytes of df_shared > %lu that a group can have", (unsigned long)bytes, (unsigned long)c->device->max_shared);
    return 0;
}

/* What can be said before it is compiled. */
static int dfi_candidate_limits(df_candidate *c)
{
    static const char dimension[3] = { 'x', 'y', 'z' };
    int d;
    for (d = 0; d < 3; d++) {
        long items = c->n[d] > 0 ? (c->n[d] - 1) / c->per_item[d] + 1 : 1, groups = (items - 1) / c->group[d] + 1;
        if (c->group[d] > c->device->max_group_dim[d]) {
            snprintf(c->why, sizeof c->why, "%d items > %d that a group can have in %c", c->group[d], c->device->max_group_dim[d], dimension[d]);
            return 0;
        }
        if (groups > c->device->max_groups[d]) {
            snprintf(c->why, sizeof c->why, "%ld groups > %ld that the device can have in %c", groups, c->device->max_groups[d], dimension[d]);
            return 0;
        }
    }
    if (dfi_candidate_items(c) > c->device->max_group) {
        snprintf(c->why, sizeof c->why, "%ld items > %d that a group can have", dfi_candidate_items(c), c->device->max_group);
        return 0;
    }
    return dfi_candidate_shared(c, c->shared) && dfi_candidate_registers(c, c->variant->registers);
}

static int dfi_candidate_predicate(df_candidate *c)
{
    if (!c->variant->fits || c->variant->fits(c)) return 1;
    if (!*c->why) snprintf(c->why, sizeof c->why, "its own condition is not met");
    return 0;
}

/* What its compiler says. 1; 0: it does not compile; -1: nobody knows. */
static int dfi_candidate_compile(df_candidate *c, const struct dfi_pick_devices *d, int device, struct dfi_kernel *k, const df_pick_opts *o)
{
    df_result r;
    if (o->needs) return o->needs(c, &c->needs) ? 1 : 0;
    if (!d->real || d->number[device] == DF_HOST) return -1;
    r = dfi_kernel_needs(k, d->number[device], c->group[0], c->group[1], c->group[2], &c->needs);
    return r == DF_OK ? 1 : r == DF_ERROR_KERNEL ? 0 : -1;
}

/* 1, or 0 and the reason is in c->why. */
static int dfi_candidate_fits(df_candidate *c, const struct dfi_pick_devices *d, int device, struct dfi_kernel *k, const df_pick_opts *o)
{
    int known;
    if (!dfi_candidate_limits(c) || !dfi_candidate_predicate(c)) return 0;
    if (!(known = dfi_candidate_compile(c, d, device, k, o))) {
        snprintf(c->why, sizeof c->why, "it does not compile for the device");
        return 0;
    }
    if (known < 0) return 1;
    if (dfi_candidate_items(c) > c->needs.max_group) {
        snprintf(c->why, sizeof c->why, "%ld items > %d that the compiled kernel leaves room for in a group, with %d registers each",
                 dfi_candidate_items(c), c->needs.max_group, c->needs.registers);
        return 0;
    }
    return dfi_candidate_shared(c, c->needs.shared) && dfi_candidate_registers(c, c->needs.registers) && dfi_candidate_predicate(c);
}

/* --- explaining ------------------------------------------------------------------------------------------ */

/* Text that goes as far as there is room, and is counted to its end. */
struct dfi_pick_text { char *p; size_t room, n; };

static DFI_FORMAT(2, 3) void dfi_pick_say(struct dfi_pick_text *t, const char *format, ...)
{
    size_t at;
    va_list ap;
    int n;
    if (!t) return;
    at = t->n < t->room ? t->n : t->room;
    va_start(ap, format);
    n = vsnprintf(t->room ? t->p + at : NULL, t->room - at, format, ap);
    va_end(ap);
    if (n > 0) t->n += (size_t)n;
}

/* How many of three sizes are worth to be said. */
static int dfi_pick_dims(const int *a) { return a[2] != 1 ? 3 : a[1] != 1 ? 2 : 1; }

static void dfi_pick_say_sizes(struct dfi_pick_text *t, const int *a)
{
    int d, n = dfi_pick_dims(a);
    for (d = 0; d < n; d++) dfi_pick_say(t, d ? " x %d" : "%d", a[d]);
}

static void dfi_pick_say_candidate(struct dfi_pick_text *t, const df_candidate *c)
{
    if (!t) return;
    dfi_pick_say(t, "  %s, groups of ", c->name);
    dfi_pick_say_sizes(t, c->group);
    if (c->per_item[0] > 1 || c->per_item[1] > 1 || c->per_item[2] > 1) {
        dfi_pick_say(t, ", ");
        dfi_pick_say_sizes(t, c->per_item);
        dfi_pick_say(t, " results per item");
    }
    dfi_pick_say(t, ": ");
}

static int dfi_variant_grain(const df_variant *v)
{
    int d, n = 1;
    for (d = 0; d < 3; d++) n *= v->per_item[d] > 1 ? v->per_item[d] : 1;
    return n;
}

/* The way to a variant in the codes of MetaFork's Table 7.1: (1) its registers fit, (3a) with its granularity, (3b) the granularity
 * was given up, (4a) with df_shared, (4b) without. */
static void dfi_pick_say_path(struct dfi_pick_text *t, const struct dfi_variants *v, int variant)
{
    const df_variant *taken = &v->variant[variant];
    int i, grain = dfi_variant_grain(taken), coarser = 0, shared = 0;
    for (i = 0; i < variant; i++) coarser |= dfi_variant_grain(&v->variant[i]) > grain, shared |= v->variant[i].shared != NULL;
    dfi_pick_say(t, " [(1)%s%s]", grain > 1 ? "(3a)" : coarser ? "(3b)" : "", taken->shared ? "(4a)" : shared ? "(4b)" : "");
}

/* --- choosing ---------------------------------------------------------------------------------------- */

/* Does the candidate fit all devices? */
static int dfi_pick_fits(const struct dfi_variants *v, int variant, int group, const df_ndrange *n, const struct dfi_pick_devices *d,
                         const df_pick_opts *o, struct dfi_pick_text *t)
{
    df_candidate c;
    int i;
    for (i = 0; i < d->n; i++) {
        dfi_candidate_of(&c, v, variant, group, n, &d->info[i]);
        if (dfi_candidate_fits(&c, d, i, v->of[variant].kernel, o)) continue;
        dfi_pick_say_candidate(t, &c);
        if (d->n > 1) dfi_pick_say(t, "refused by %s: %s\n", c.device->name, c.why);
        else dfi_pick_say(t, "refused: %s\n", c.why);
        return 0;
    }
    return 1;
}

/* Sizes of groups that a variant comes with; 0: df decides. */
static int dfi_variant_groups(const df_variant *v)
{
    int n = 0;
    while (n < DF_VARIANT_GROUPS && v->groups[n][0] > 0) n++;
    return n;
}

/* The first that fits, or the last one. */
static struct dfi_choice dfi_pick_search(const struct dfi_variants *v, const df_ndrange *n, const struct dfi_pick_devices *d, const df_pick_opts *o,
                                         struct dfi_pick_text *t)
{
    struct dfi_choice found;
    df_candidate c;
    int i, g;
    memset((void *)&found, 0, sizeof found);
    found.how = DFI_CHOICE_PICKED;
    for (i = 0; i < v->n; i++) {
        int groups = dfi_variant_groups(&v->variant[i]);
        for (g = groups ? 0 : -1; g < groups; g++) {
            if (!dfi_pick_fits(v, i, g, n, d, o, t)) continue;
            dfi_candidate_of(&c, v, i, g, n, &d->info[0]);
            dfi_pick_say_candidate(t, &c);
            dfi_pick_say(t, "taken");
            dfi_pick_say_path(t, v, i);
            dfi_pick_say(t, "\n");
            found.variant = (signed char)i, found.group = (signed char)g;
            return found;
        }
    }
    found.variant = (signed char)(v->n - 1), found.group = -1;
    dfi_candidate_of(&c, v, v->n - 1, -1, n, &d->info[0]);
    dfi_pick_say_candidate(t, &c);
    dfi_pick_say(t, "taken, as none fits and it is the last\n");
    return found;
}

/* Binary digits of each size. */
static uint32_t dfi_pick_size(const df_ndrange *n)
{
    uint32_t size = 0;
    int d;
    for (d = 0; d < 3; d++) {
        unsigned long m = n->n[d] > 1 ? (unsigned long)n->n[d] - 1 : 0;
        unsigned bits = 0;
        for (; m; m >>= 1) bits++;
        size = size << 8 | bits;
    }
    return size;
}

/* What is remembered for this device and class. pre: the lock. */
static struct dfi_choice *dfi_choice_find(struct dfi_choices *all, uint64_t device, uint32_t size)
{
    int i;
    for (i = 0; i < DFI_CHOICES; i++)
        if (all->choice[i].how && all->choice[i].device == device && all->choice[i].size == size) return &all->choice[i];
    return NULL;
}

/* Remembers it, if need be in the place of another one: what was measured stays longest. pre: the lock. */
static void dfi_choice_keep(struct dfi_choices *all, const struct dfi_choice *choice)
{
    struct dfi_choice *at = dfi_choice_find(all, choice->device, choice->size);
    int i;
    for (i = 0; i < DFI_CHOICES && !at; i++)
        if (!all->choice[i].how) at = &all->choice[i];
    for (i = 0; i <= DFI_CHOICES && !at; i++) {
        struct dfi_choice *c = &all->choice[all->next];
        all->next = (all->next + 1) % DFI_CHOICES;
        if (c->how == DFI_CHOICE_PICKED || i == DFI_CHOICES) at = c;
    }
    *at = *choice;
    for (i = 0; i < DFI_QUICK; i++) all->quick[i].valid = 0;
}

static void dfi_tune_read(struct dfi_variants *v); /* gpu/tune.h */

/* What was measured, or is remembered, for these devices or, if there are several, the first of them that has something. */
static struct dfi_choice dfi_choice_known(struct dfi_variants *v, const struct dfi_pick_devices *d, uint32_t size)
{
    struct dfi_choice c, *known;
    int i;
    memset((void *)&c, 0, sizeof c);
    dfi_pick_lock();
    if (!v->choices->read) {
        v->choices->read = 1;
        dfi_tune_read(v);
    }
    if ((known = dfi_choice_find(v->choices, d->key, size)) != NULL) c = *known;
    for (i = 0; i < d->n && d->n > 1 && c.how <= DFI_CHOICE_PICKED; i++) {
        known = dfi_choice_find(v->choices, dfi_pick_device_key(d->info[i].kind, d->info[i].name), size);
        if (!known || known->how == DFI_CHOICE_PICKED) continue;
        c = *known;
        c.how = DFI_CHOICE_READ; /* do the others have room for it? */
    }
    dfi_pick_unlock();
    return c;
}

/* What to take: remembered, or found now. t: NULL, or what is to be said about it. */
static struct dfi_choice dfi_pick_choose(struct dfi_variants *v, const df_ndrange *n, const df_pick_opts *o, const struct dfi_pick_devices *d,
                                         struct dfi_pick_text *t)
{
    struct dfi_choice c;
    uint32_t size = dfi_pick_size(n);
    c.how = DFI_CHOICE_NONE;
    if (!o->again) c = dfi_choice_known(v, d, size);
    if (c.how == DFI_CHOICE_MEASURED || (c.how == DFI_CHOICE_PICKED && !t)) return c;
    if (c.how == DFI_CHOICE_READ && dfi_pick_fits(v, c.variant, c.group, n, d, o, t)) c.how = DFI_CHOICE_MEASURED;
    else c = dfi_pick_search(v, n, d, o, t);
    c.device = d->key, c.size = size;
    dfi_pick_lock();
    dfi_choice_keep(v->choices, &c);
    dfi_pick_unlock();
    return c;
}

static df_pick dfi_pick_of(const struct dfi_variants *v, const struct dfi_choice *c, const df_ndrange *n, int device)
{
    df_pick p;
    int d;
    memset((void *)&p, 0, sizeof p);
    p.variant = &v->variant[c->variant];
    p.name = v->of[c->variant].name;
    p.index = c->variant;
    p.dfi_launch = v->of[c->variant].launch;
    p.opts.device = device;
    for (d = 0; d < 3; d++) {
        int per_item = p.variant->per_item[d] > 1 ? p.variant->per_item[d] : 1;
        p.grid.n[d] = n->n[d] > 0 ? (n->n[d] - 1) / per_item + 1 : n->n[d];
        p.grid.group[d] = c->group < 0 ? 0 : p.variant->groups[c->group][d] > 0 ? p.variant->groups[c->group][d] : 1;
    }
    return p;
}

/* As dfi_kernel_pick for what was asked lately. Zero: it was not. */
static int dfi_pick_quick(struct dfi_variants *v, const df_ndrange *n, int device, df_pick *p)
{
    uint32_t size = dfi_pick_size(n);
    int i, generation = dfi_pick_generation(), found = 0;
    dfi_pick_lock();
    for (i = 0; i < DFI_QUICK && !found; i++) {
        const struct dfi_quick *q = &v->choices->quick[i];
        if (!q->valid || q->device != device || q->size != size || q->generation != generation) continue;
        *p = dfi_pick_of(v, &q->choice, n, device);
        found = 1;
    }
    dfi_pick_unlock();
    return found;
}

/* For the next time, unless somebody measured meanwhile. */
static void dfi_pick_keep_quick(struct dfi_variants *v, const struct dfi_choice *c, const struct dfi_pick_devices *d, int device, int generation)
{
    const struct dfi_choice *known;
    dfi_pick_lock();
    known = dfi_choice_find(v->choices, d->key, c->size);
    if (known && known->variant == c->variant && known->group == c->group) {
        struct dfi_quick *q = &v->choices->quick[v->choices->next_quick];
        v->choices->next_quick = (v->choices->next_quick + 1) % DFI_QUICK;
        q->valid = 1, q->device = device, q->generation = generation, q->size = c->size, q->choice = *c;
    }
    dfi_pick_unlock();
}

static const df_pick_opts dfi_pick_default = { 0, 0, 0, NULL, NULL };

DFI_EXTERN_C_BEGIN
DFI_API df_pick dfi_kernel_pick(struct dfi_variants *v, df_ndrange n, const df_pick_opts *o)
{
    struct dfi_pick_devices d;
    struct dfi_choice c;
    df_pick p;
    int generation = dfi_pick_generation();
    if (!o) o = &dfi_pick_default;
    if (!o->again && !o->limits && !o->needs && dfi_pick_quick(v, &n, o->device, &p)) return p;
    dfi_pick_devices_of(&d, o);
    c = dfi_pick_choose(v, &n, o, &d, NULL);
    if (!o->limits && !o->needs) dfi_pick_keep_quick(v, &c, &d, o->device, generation);
    return dfi_pick_of(v, &c, &n, o->device);
}

DFI_API size_t dfi_kernel_explain(struct dfi_variants *v, df_ndrange n, const df_pick_opts *o, char *text, size_t bytes)
{
    struct dfi_pick_devices d;
    struct dfi_pick_text t;
    struct dfi_choice c;
    df_pick_opts here = o ? *o : dfi_pick_default;
    df_candidate taken;
    int i;
    t.p = text, t.room = bytes, t.n = 0;
    if (bytes) *text = 0;
    dfi_pick_devices_of(&d, &here);
    dfi_pick_say(&t, "%s, %ld", v->name, n.n[0]);
    for (i = 1; i < 3 && (n.n[i] != 1 || (i == 1 && n.n[2] != 1)); i++) dfi_pick_say(&t, " x %ld", n.n[i]);
    for (i = 0; i < d.n; i++) dfi_pick_say(&t, "%s%s (%s)", i ? ", " : " results on ", d.info[i].name, d.info[i].kind);
    dfi_pick_say(&t, "\n");
    c = dfi_pick_choose(v, &n, &here, &d, &t);
    if (c.how != DFI_CHOICE_MEASURED) return t.n;
    dfi_candidate_of(&taken, v, c.variant, c.group, &n, &d.info[0]);
    dfi_pick_say_candidate(&t, &taken);
    dfi_pick_say(&t, "taken: the fastest that df_tune measured, %.3g us\n", (double)c.seconds * 1e6);
    return t.n;
}
DFI_EXTERN_C_END

#endif
