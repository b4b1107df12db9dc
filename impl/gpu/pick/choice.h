/* choice.h - variants chosen before, by device and size, and those that df_tune measured in earlier runs
 *
 * A size is a class: the number of binary digits of the grid in each dimension. */
#ifndef DFI_GPU_PICK_CHOICE_H
#define DFI_GPU_PICK_CHOICE_H

#include "../../api/device.h"
#include "../../api/pick.h"
#include "../../base/hash.h"
#include "devices.h"
#include "../store.h"

/* Sizes of groups that a variant comes with; 0: df decides. */
static int dfi_variant_groups(const df_variant *v)
{
    int n = 0;
    while (n < DF_VARIANT_GROUPS && v->groups[n][0] > 0) n++;
    return n;
}

/* Binary digits of each size. */
static uint32_t dfi_pick_size(const df_ndrange *n)
{
    uint32_t size = 0;
    int d;
    for (d = 0; d < 3; d++) {
        unsigned long m = n->n[d] > 1 ? (unsigned long)n->n[d] - 1 : 0;
        size = size << 8 | (m ? dfi_high_bit(m) + 1 : 0u);
    }
    return size;
}

/* The choice remembered for this device and class. pre: the lock. */
static struct dfi_choice *dfi_choice_find(struct dfi_choices *all, uint64_t device, uint32_t size)
{
    int i;
    for (i = 0; i < DFI_CHOICES; i++)
        if (all->choice[i].how && all->choice[i].device == device && all->choice[i].size == size)
            return &all->choice[i];
    return NULL;
}

/* Remembers it, if necessary in place of another choice; measured choices stay longest. pre: the lock. */
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

/* --- the file ---------------------------------------------------------------------------------------------
 * Value: size of the group, nanoseconds, variant. Key: list, its file, size class, what the device is. */

/* A list, and if measurements are written, those of one tuning. */
struct dfi_tune_file { struct dfi_variants *list; const df_gpu_device *info; const struct dfi_choice *choice; };

static void dfi_tune_key(char *key, size_t bytes, const struct dfi_variants *v, const df_gpu_device *info,
                         uint32_t size)
{
    *key = 0;
    dfi_file_key(key, bytes, v->name);
    dfi_file_key(key, bytes, "@");
    dfi_file_key_of_file(key, bytes, v->file);
    if (!info) return;
    snprintf(key + strlen(key), bytes - strlen(key), "\t%u %u %u\t", size >> 16 & 255, size >> 8 & 255, size & 255);
    dfi_file_key(key, bytes, info->kind);
    snprintf(key + strlen(key), bytes - strlen(key), "\t");
    dfi_file_key(key, bytes, info->name);
}

static int dfi_tune_take(void *arg, const char *value, const char *key)
{
    struct dfi_variants *v = ((struct dfi_tune_file *)arg)->list;
    char mine[DFI_FILE_LINE], variant[DFI_FILE_LINE], kind[DFI_FILE_LINE];
    unsigned s0, s1, s2;
    struct dfi_choice c;
    unsigned long long ns;
    int group[3], at = 0, i, g;
    const char *name, *end;
    memset((void *)&c, 0, sizeof c);
    if (sscanf(value, "%d %d %d %llu %1023s", &group[0], &group[1], &group[2], &ns, variant) != 5) return -1;
    if (!(name = strchr(key, '\t')) || sscanf(name, "\t%u %u %u\t%n", &s0, &s1, &s2, &at) != 3 || !at || s0 > 64 ||
        s1 > 64 || s2 > 64) return -1;
    dfi_tune_key(mine, sizeof mine, v, NULL, 0);
    if (strlen(mine) != (size_t)(name - key) || memcmp(mine, key, strlen(mine))) return 0; /* of another list */
    if (!(end = strchr(name + at, '\t'))) return -1;
    snprintf(kind, sizeof kind, "%.*s", (int)(end - (name + at)), name + at);
    for (i = 0; i < v->n; i++) {
        int groups = dfi_variant_groups(&v->variant[i]);
        if (strcmp(v->of[i].name, variant)) continue;
        for (g = groups ? 0 : -1; g < groups; g++) {
            const int *is = g < 0 ? NULL : v->variant[i].groups[g];
            if (is ? is[0] != group[0] || is[1] != group[1] || is[2] != group[2] : group[0] || group[1] || group[2])
                continue;
            c.device = dfi_pick_device_key(kind, end + 1);
            c.size = s0 << 16 | s1 << 8 | s2;
            c.how = DFI_CHOICE_READ, c.variant = (signed char)i, c.group = (signed char)g,
                c.seconds = (float)((double)ns * 1e-9);
            dfi_choice_keep(v->choices, &c);
            return 0;
        }
    }
    return 0; /* the list has changed since */
}

static int dfi_tune_mine(void *arg, const char *key)
{
    const struct dfi_tune_file *f = (const struct dfi_tune_file *)arg;
    char mine[DFI_FILE_LINE];
    dfi_tune_key(mine, sizeof mine, f->list, f->info, f->choice->size);
    return !strcmp(mine, key);
}

static void dfi_tune_put(void *arg, FILE *out)
{
    const struct dfi_tune_file *f = (const struct dfi_tune_file *)arg;
    static const int open[3] = { 0, 0, 0 };
    const int *group = f->choice->group < 0 ? open : f->list->variant[f->choice->variant].groups[f->choice->group];
    char key[DFI_FILE_LINE];
    dfi_tune_key(key, sizeof key, f->list, f->info, f->choice->size);
    fprintf(out, "%d %d %d %llu %s\t%s\n", group[0], group[1], group[2],
            (unsigned long long)((double)f->choice->seconds * 1e9), f->list->of[f->choice->variant].name, key);
}

static struct dfi_file dfi_tune_times = { "DF_TUNE",
    "df_tune 1: group, nanoseconds, variant; list, size class, device", 0, dfi_tune_take, dfi_tune_mine,
                                          dfi_tune_put };

/* Reads the measurements of earlier runs for this list. pre: the lock of gpu/pick/devices.h. */
static void dfi_tune_read(struct dfi_variants *v)
{
    struct dfi_tune_file f;
    f.list = v, f.info = NULL, f.choice = NULL;
    dfi_file_read(&dfi_tune_times, &f);
}

/* What was measured, or is remembered, for these devices or, if there are several, the first of them that has
 * something. */
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

#endif
