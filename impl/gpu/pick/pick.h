/* pick.h - choice of the variant of a kernel that fits a device
 *
 * The variants of a list are tried in order, each with its sizes of groups in order, and the first that fits is
 * taken. If none fits, the last variant is taken, with groups of default size. So there always is one (MetaFork's
 * case distinctions have holes: thesis, 7.4). */
#ifndef DFI_GPU_PICK_PICK_H
#define DFI_GPU_PICK_PICK_H

#include "../../base/compiler.h"
#include "../../api/device.h"
#include "../../api/pick.h"
#include "candidate.h"
#include "choice.h"
#include "devices.h"

#include <stdarg.h>

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

/* The way to a variant in the codes of MetaFork's Table 7.1: (1) its registers fit, (3a) with its granularity, (3b)
 * the granularity was given up, (4a) with df_shared, (4b) without. */
static void dfi_pick_say_path(struct dfi_pick_text *t, const struct dfi_variants *v, int variant)
{
    const df_variant *taken = &v->variant[variant];
    int i, grain = dfi_variant_grain(taken), coarser = 0, shared = 0;
    for (i = 0; i < variant; i++)
        coarser |= dfi_variant_grain(&v->variant[i]) > grain, shared |= v->variant[i].shared != NULL;
    dfi_pick_say(t, " [(1)%s%s]", grain > 1 ? "(3a)" : coarser ? "(3b)" : "",
                 taken->shared ? "(4a)" : shared ? "(4b)" : "");
}

/* --- choosing ---------------------------------------------------------------------------------------- */

/* Does the candidate fit all devices? */
static int dfi_pick_fits(const struct dfi_variants *v, int variant, int group, const df_ndrange *n,
                         const struct dfi_pick_devices *d, const df_pick_opts *o, struct dfi_pick_text *t)
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

/* The first that fits, or the last one. */
static struct dfi_choice dfi_pick_search(const struct dfi_variants *v, const df_ndrange *n,
                                         const struct dfi_pick_devices *d, const df_pick_opts *o,
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

/* The choice: remembered, or made now. t: NULL, or the text that explains it. */
static struct dfi_choice dfi_pick_choose(struct dfi_variants *v, const df_ndrange *n, const df_pick_opts *o,
                                         const struct dfi_pick_devices *d, struct dfi_pick_text *t)
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

/* dfi_kernel_pick for recent queries. Zero: it is not one. */
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

/* For the next time, unless it was measured meanwhile. */
static void dfi_pick_keep_quick(struct dfi_variants *v, const struct dfi_choice *c,
                                const struct dfi_pick_devices *d, int device, int generation)
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
