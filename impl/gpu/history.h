/* history.h - execution times of kernels, by size and place, for the choice of a device
 *
 * Sizes are classes: the binary digits of the bytes accessed and of the number of work-items. A place is a kind of
 * device, identified by its name, or the host with its number of workers. DF_HISTORY=file keeps the times from one run
 * to the next: the file is read when the devices are opened and written when they are closed. Everything here is under
 * the engine's lock. */
#ifndef DFI_GPU_HISTORY_H
#define DFI_GPU_HISTORY_H

#include "../base/hash.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/device.h"
#include "../api/kernel.h"
#include "memory.h"
#include "record.h"
#include "store.h"

enum {
    DFI_HISTORY_BUCKETS = 256, DFI_HISTORY_MOST = 4096, /* entries; what comes later is not measured */
    DFI_HISTORY_WEIGHT = 32,       /* a new time changes a mean by at least 1/32: machines and programs change */
    DFI_HISTORY_FEW = 8,           /* times, of which the least says more than the mean: something came in between */
    DFI_TRIES = 2,                 /* launches that every place gets before places are compared */
    DFI_TIMED_FIRST = 4, DFI_TIMED_EACH = 32, /* launches of a class that are measured: the first, and then one in 32 */
    DFI_HOST_SPOT = DFI_MAX_DEVICES
};

/* Times of a kernel, for one class of sizes, at one place. */
struct dfi_times {
    struct dfi_times *chain;
    uint64_t hash;
    char *key;                     /* as in the file */
    unsigned launches;             /* of this run, measured or not */
    unsigned long count;
    double mean, least;            /* seconds */
};

/* A place, by the number of its device; the host is DFI_HOST_SPOT. */
struct dfi_spot {
    char kind[16], name[128];
    uint64_t hash;
    struct dfi_times *copy;        /* how long it takes to bring it a GiB: the kernel "copy" of class 0; or NULL */
    uint64_t busy_until;           /* dfi_os_ns: when it will have done what it was given */
    int pending;                   /* launches that it was given and that are not in a queue yet; the host: not done */
};

/* A launch whose place was chosen, or counts for those of others. */
struct dfi_measure {
    int spot;
    struct dfi_times *times;       /* NULL: it does not count */
    int timed;                     /* it is measured */
    uint64_t began;                /* what is measured: transfers, then the kernel */
    size_t bytes;                  /* that had gone to the device before */
    int waits;                     /* for transfers */
};

static struct {
    struct dfi_times *bucket[DFI_HISTORY_BUCKETS];
    size_t count;
    int kept;                      /* DF_HISTORY is set: all launches count, also those with nothing to choose */
    struct dfi_spot spot[DFI_MAX_DEVICES + 1];
} dfi_history;

/* The size class of a launch, for its time. */
struct dfi_size { const struct dfi_kernel *kernel; unsigned bytes, items; uint64_t hash; };

/* Of n more characters, and their end. */
static uint64_t dfi_history_hash(uint64_t h, const char *s, size_t n) { return dfi_hash(dfi_hash(h, s, n), "\xff", 1); }

static unsigned dfi_binary_digits(double n)
{
    unsigned digits = 0;
    for (; n > 1 && digits < 99; n /= 2) digits++;
    return digits;
}

/* "saxpy@program.c" */
static void dfi_history_kernel(char *text, size_t bytes, const struct dfi_kernel *k)
{
    *text = 0;
    dfi_file_key(text, bytes, k->name);
    dfi_file_key(text, bytes, "@");
    dfi_file_key_of_file(text, bytes, k->file);
}

static uint64_t dfi_size_hash(const char *kernel, size_t length, unsigned bytes, unsigned items)
{
    return dfi_history_hash(DFI_HASH_BEGIN, kernel, length) * 0x9e3779b97f4a7c15u + ((uint64_t)bytes << 8 | items);
}

/* The class of a launch. */
static struct dfi_size dfi_size_of(const struct dfi_kernel *k, const struct dfi_access *x, unsigned n,
                                   const df_ndrange *grid)
{
    char kernel[256];
    struct dfi_size s;
    double bytes = 0, items = 1;
    unsigned i;
    for (i = 0; i < n; i++) bytes += (double)x[i].row * (double)x[i].rows;
    for (i = 0; i < 3; i++) items *= (double)grid->n[i];
    dfi_history_kernel(kernel, sizeof kernel, k);
    s.kernel = k, s.bytes = dfi_binary_digits(bytes), s.items = dfi_binary_digits(items);
    s.hash = dfi_size_hash(kernel, strlen(kernel), s.bytes, s.items);
    return s;
}

static struct dfi_times *dfi_times_find(uint64_t hash)
{
    struct dfi_times *t = dfi_history.bucket[hash % DFI_HISTORY_BUCKETS];
    while (t && t->hash != hash) t = t->chain; /* 64 bits of it: the keys are the same, then */
    return t;
}

/* NULL without memory, or if there are too many. */
static struct dfi_times *dfi_times_new(uint64_t hash, const char *key)
{
    struct dfi_times *t, **at = &dfi_history.bucket[hash % DFI_HISTORY_BUCKETS];
    size_t n = strlen(key) + 1;
    if (dfi_history.count == DFI_HISTORY_MOST || !(t = (struct dfi_times *)dfi_malloc(sizeof *t + n))) return NULL;
    memset((void *)t, 0, sizeof *t);
    t->key = (char *)(t + 1);
    memcpy(t->key, key, n);
    t->hash = hash;
    t->chain = *at, *at = t;
    dfi_history.count++;
    return t;
}

static uint64_t dfi_times_hash(uint64_t size, uint64_t place)
{
    return (size ^ place) * 0xbf58476d1ce4e5b9u ^ size >> 31;
}

/* The times of a class of launches at a place: none yet, if they are new. NULL: there is no room for them. */
static struct dfi_times *dfi_times_of(const struct dfi_size *s, const struct dfi_spot *p)
{
    uint64_t hash = dfi_times_hash(s->hash, p->hash);
    struct dfi_times *t = dfi_times_find(hash);
    char key[DFI_FILE_LINE - 100];
    if (t) return t;
    dfi_history_kernel(key, 256, s->kernel);
    snprintf(key + strlen(key), sizeof key - strlen(key), "\t%u %u\t%s\t%s", s->bytes, s->items, p->kind, p->name);
    return dfi_times_new(hash, key);
}

static void dfi_times_add(struct dfi_times *t, double seconds)
{
    double n;
    if (!(seconds > 0)) return; /* the clock was set */
    if (!t->count || seconds < t->least) t->least = seconds;
    t->count++;
    n = t->count < (unsigned long)DFI_HISTORY_WEIGHT ? (double)t->count : (double)DFI_HISTORY_WEIGHT;
    t->mean += (seconds - t->mean) / n;
}

/* Seconds to be expected; negative: not known. */
static double dfi_times_expect(const struct dfi_times *t)
{
    return !t || !t->count ? -1 : t->count < (unsigned long)DFI_HISTORY_FEW ? t->least : t->mean;
}

/* --- the file -------------------------------------------------------------------------------------------
 * Value: how many times, their mean and the least in nanoseconds. Key: kernel, size class, kind and name of the
 * place. */

/* The hash of a line's key. Nonzero: it is none. */
static int dfi_history_key(const char *key, uint64_t *hash)
{
    const char *size = strchr(key, '\t'), *name;
    unsigned bytes, items;
    int at = 0;
    if (!size || sscanf(size, "\t%u %u\t%n", &bytes, &items, &at) != 2 || !at || bytes > 99 || items > 99) return -1;
    if (!(name = strchr(size + at, '\t'))) return -1;
    *hash = dfi_history_hash(DFI_HASH_BEGIN, size + at, (size_t)(name - (size + at)));
    *hash = dfi_times_hash(dfi_size_hash(key, (size_t)(size - key), bytes, items),
                           dfi_history_hash(*hash, name + 1, strlen(name + 1)));
    return 0;
}

static int dfi_history_take(void *arg, const char *value, const char *key)
{
    unsigned long long mean, least;
    unsigned long count;
    struct dfi_times *t;
    uint64_t hash;
    (void)arg;
    if (sscanf(value, "%lu %llu %llu", &count, &mean, &least) != 3 || !count || !least || least > mean) return -1;
    if (dfi_history_key(key, &hash)) return -1;
    if (!(t = dfi_times_find(hash)) && !(t = dfi_times_new(hash, key))) return 0; /* no room */
    t->count = count, t->mean = (double)mean * 1e-9, t->least = (double)least * 1e-9;
    return 0;
}

static int dfi_history_mine(void *arg, const char *key)
{
    const struct dfi_times *t;
    uint64_t hash;
    (void)arg;
    return !dfi_history_key(key, &hash) && (t = dfi_times_find(hash)) != NULL && t->count;
}

static unsigned long long dfi_history_ns(double seconds)
{
    return seconds < 1e-9 ? 1 : seconds > 1e9 ? 1000000000000000000u : (unsigned long long)(seconds * 1e9);
}

static void dfi_history_put(void *arg, FILE *out)
{
    const struct dfi_times *t;
    size_t i;
    (void)arg;
    for (i = 0; i < DFI_HISTORY_BUCKETS; i++)
        for (t = dfi_history.bucket[i]; t; t = t->chain)
            if (t->count)
                fprintf(out, "%lu %llu %llu\t%s\n", t->count, dfi_history_ns(t->mean),
                        dfi_history_ns(t->least < t->mean ? t->least : t->mean), t->key);
}

static struct dfi_file dfi_history_file = { "DF_HISTORY",
    "df history 1: count, mean, least (ns); kernel, bytes and items (log2), place", 0,
                                            dfi_history_take, dfi_history_mine, dfi_history_put };

/* --- from the first use of the devices to their end ---------------------------------------------------------- */

static void dfi_spot_set(struct dfi_spot *p, const char *kind, const char *name)
{
    memset((void *)p, 0, sizeof *p);
    dfi_file_key(p->kind, sizeof p->kind, kind);
    dfi_file_key(p->name, sizeof p->name, name);
    p->hash = dfi_history_hash(DFI_HASH_BEGIN, p->kind, strlen(p->kind));
    p->hash = dfi_history_hash(p->hash, p->name, strlen(p->name));
}

static void dfi_history_start(struct dfi_device *const *device, int n, int workers)
{
    static const char copy[] = "copy";
    char name[32], key[DFI_FILE_LINE - 100];
    int i;
    for (i = 0; i < n; i++) dfi_spot_set(&dfi_history.spot[i], device[i]->gpu.info.kind, device[i]->gpu.info.name);
    snprintf(name, sizeof name, "%d workers", workers);
    dfi_spot_set(&dfi_history.spot[DFI_HOST_SPOT], "host", name);
    dfi_history.kept = dfi_file_name(&dfi_history_file) != NULL;
    dfi_file_read(&dfi_history_file, NULL);
    for (i = 0; i < n; i++) {
        struct dfi_spot *p = &dfi_history.spot[i];
        uint64_t hash = dfi_times_hash(dfi_size_hash(copy, sizeof copy - 1, 0, 0), p->hash);
        snprintf(key, sizeof key, "%s\t0 0\t%s\t%s", copy, p->kind, p->name);
        if (!(p->copy = dfi_times_find(hash))) p->copy = dfi_times_new(hash, key);
    }
}

static void dfi_history_stop(void)
{
    struct dfi_times *t;
    size_t i;
    if (dfi_history.count) dfi_file_write(&dfi_history_file, NULL);
    for (i = 0; i < DFI_HISTORY_BUCKETS; i++)
        while ((t = dfi_history.bucket[i]) != NULL) {
            dfi_history.bucket[i] = t->chain;
            dfi_mfree((void *)t);
        }
    memset((void *)&dfi_history, 0, sizeof dfi_history);
}

#endif
