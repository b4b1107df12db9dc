/* record.h - the directory of regions: their copies on devices, and which copies are up to date
 *
 * A record is a region as a task declared it; all tasks that declare the same region share it. Its state on each device
 * is invalid, shared (the same data as elsewhere) or owned (the only valid copy); on the host it is up to date or not
 * (PaRSEC's data copies). A region that is valid on several devices and not on the host is shared among those.
 * Regions may overlap without being equal: then at most one of the records involved is owned by a device, and a task
 * that uses another one first has that one written back (gpu/engine.h). Everything here is under the engine's lock. */
#ifndef DFI_GPU_RECORD_H
#define DFI_GPU_RECORD_H

#include "../base/memory.h"
#include "../api/result.h"
#include "../flow/region.h"
#include "driver.h"

enum { DFI_INVALID, DFI_SHARED_COPY, DFI_OWNED }; /* of a copy */
enum { DFI_MAX_DEVICES = 16, DFI_RECORD_BUCKETS = 1024, DFI_PRUNE_AT = 4096 };

/* The operations on devices that use a buffer: per queue of its device the latest, and the latest copy into each other
 * device. An operation that changes what is in the buffer comes after all of them. */
struct dfi_uses { uintptr_t queue[DFI_QUEUES], peer[DFI_MAX_DEVICES]; };

/* Memory of a device. In the pool of its device (gpu/memory.h) while it belongs to no record. */
struct dfi_buffer {
    struct dfi_buffer *next, *before;  /* LRU list of the device, or pool */
    struct dfi_record *record;         /* whose copy it is; NULL: free, or something temporary */
    dfi_memory memory;
    size_t bytes;
    struct dfi_uses uses;
    int write_queue;                   /* what the contents come from: an operation of this device */
    uintptr_t write_point;
    struct dfi_box box;                /* how the contents lie */
    int state;                         /* DFI_INVALID .. DFI_OWNED */
    unsigned pinned;                   /* the launch being prepared needs it */
};

/* Something to be brought from a device to the host by the device's own thread (gpu/engine.h). */
struct dfi_job {
    struct dfi_job *next;
    struct dfi_record *record;         /* or NULL: a buffer that belongs to none */
    struct dfi_buffer *buffer;
    void *to;
    int under_way;                     /* from when it is asked for until it is done, or failed: `result` */
    size_t number;                     /* of all jobs so far */
    df_result result;
};

struct dfi_record {
    struct dfi_record *next, *before;  /* of all records */
    struct dfi_record *chain;          /* of the hash table */
    struct dfi_region region;
    struct dfi_buffer *copy[DFI_MAX_DEVICES];
    /* the latest operation of each device's DFI_Q_IN that reads the host's memory */
    uintptr_t in[DFI_MAX_DEVICES];
    struct dfi_record **over;          /* records that share a byte with it */
    unsigned n_over;
    size_t max_over;
    int host_valid;
    int pins;                          /* launches on their way that use it */
    struct dfi_job job;                /* is being written back while job.under_way: its users wait */
};

struct dfi_records {
    struct dfi_record *bucket[DFI_RECORD_BUCKETS], *first;
    size_t count, host_invalid;        /* records; those that are up to date on a device only */
};

static int dfi_record_add_over(struct dfi_record *r, struct dfi_record *s)
{
    if (dfi_array_room((void *)&r->over, NULL, (size_t)r->n_over + 1, &r->max_over, sizeof *r->over)) return -1;
    r->over[r->n_over++] = s;
    return 0;
}

static void dfi_record_drop_over(struct dfi_record *r)
{
    unsigned i, j;
    for (i = 0; i < r->n_over; i++) {
        struct dfi_record *s = r->over[i];
        for (j = 0; j < s->n_over; j++)
            if (s->over[j] == r) s->over[j--] = s->over[--s->n_over];
    }
    r->n_over = 0;
}

/* The record of a region, made if there is none. NULL without memory. Cost: a look-up; a new one is compared with
 * all. */
static struct dfi_record *dfi_record_of(struct dfi_records *all, const struct dfi_region *region)
{
    struct dfi_record **at = &all->bucket[dfi_region_hash(region) % DFI_RECORD_BUCKETS], *r, *s;
    for (r = *at; r; r = r->chain)
        if (dfi_region_same(&r->region, region)) return r;
    if (!(r = (struct dfi_record *)dfi_malloc(sizeof *r))) return NULL;
    memset((void *)r, 0, sizeof *r);
    r->region = *region;
    r->host_valid = 1;
    for (s = all->first; s; s = s->next)
        if (dfi_region_overlap(&s->region, region) && (dfi_record_add_over(r, s) || dfi_record_add_over(s, r))) {
            dfi_record_drop_over(r);
            dfi_mfree((void *)r->over);
            dfi_mfree(r);
            return NULL;
        }
    r->chain = *at, *at = r;
    r->next = all->first, all->first = r;
    if (r->next) r->next->before = r;
    all->count++;
    return r;
}

/* pre: it has no copies, and is not being written back. */
static void dfi_record_free(struct dfi_records *all, struct dfi_record *r)
{
    struct dfi_record **at = &all->bucket[dfi_region_hash(&r->region) % DFI_RECORD_BUCKETS];
    while (*at != r) at = &(*at)->chain;
    *at = r->chain;
    *(r->before ? &r->before->next : &all->first) = r->next;
    if (r->next) r->next->before = r->before;
    dfi_record_drop_over(r);
    dfi_mfree((void *)r->over);
    dfi_mfree(r);
    all->count--;
}

static void dfi_record_host_valid(struct dfi_records *all, struct dfi_record *r, int valid)
{
    if (r->host_valid == valid) return;
    r->host_valid = valid;
    if (valid) all->host_invalid--;
    else all->host_invalid++;
}

/* No device has it any more. The buffers stay, for the next time. */
static void dfi_record_invalidate(struct dfi_record *r, int but)
{
    int d;
    for (d = 0; d < DFI_MAX_DEVICES; d++)
        if (r->copy[d] && d != but) r->copy[d]->state = DFI_INVALID;
}

/* A device that has it, an owner first; -1: none. */
static int dfi_record_holder(const struct dfi_record *r)
{
    int d, holder = -1;
    for (d = 0; d < DFI_MAX_DEVICES; d++)
        if (r->copy[d] && r->copy[d]->state == DFI_OWNED) return d;
        else if (r->copy[d] && r->copy[d]->state == DFI_SHARED_COPY && holder < 0) holder = d;
    return holder;
}

/* Is the copy of device d the only valid one? */
static int dfi_record_only_on(const struct dfi_record *r, int d)
{
    int e;
    if (r->host_valid || !r->copy[d] || r->copy[d]->state == DFI_INVALID) return 0;
    for (e = 0; e < DFI_MAX_DEVICES; e++)
        if (e != d && r->copy[e] && r->copy[e]->state != DFI_INVALID) return 0;
    return 1;
}

#endif
