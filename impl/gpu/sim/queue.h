/* queue.h - simulated devices: their settings in the environment, and the execution of their queues
 *
 * The functions that the engine calls are in gpu/sim/sim.h. */
#ifndef DFI_GPU_SIM_QUEUE_H
#define DFI_GPU_SIM_QUEUE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../driver.h"
#include "../host/group.h"
#include "../host/host.h"

#include <stdlib.h>

enum {
    DFI_SIM_DEVICES = 64,
    DFI_SIM_SHARED = 48 << 10,        /* as much as every CUDA device has */
    DFI_SIM_FAULTS = 8,
    DFI_SIM_UNIT = 256,               /* memory is given out in multiples of it, as by CUDA */
    DFI_SIM_NEW = 0xd5, DFI_SIM_FREED = 0xdd /* bytes of memory that was not written, and of memory that was freed */
};

enum dfi_sim_event { DFI_SIM_ALLOC, DFI_SIM_IN, DFI_SIM_OUT, DFI_SIM_LAUNCH, DFI_SIM_FAULT, DFI_SIM_LOST,
    DFI_SIM_EVENTS };
struct dfi_sim_fault { int event, device; long at; long seen; };

enum dfi_sim_what { DFI_SIM_COPY, DFI_SIM_RUN, DFI_SIM_WAIT };
struct dfi_sim_device;
struct dfi_sim_op {
    struct dfi_sim_op *next;
    enum dfi_sim_what what;
    int faulty;
    /* a copy: a device, or NULL for the host, at either end */
    struct dfi_sim_device *to_device, *from_device;
    char *to;
    const char *from;
    size_t row, rows, to_ld, from_ld;
    /* a wait: for this */
    struct dfi_sim_device *other;
    int queue;
    uintptr_t point;
    /* a launch */
    struct dfi_host_plan plan;
    char *args;                        /* behind this record, aligned for any type */
};

struct dfi_sim_queue {
    struct dfi_sim_device *device;
    struct dfi_sim_op *first, **end;   /* the first is being executed */
    uintptr_t issued, done;
    uintptr_t failed;                  /* the operation that failed: what is behind it has no effect. 0: none */
    /* its thread; without one operations run in the thread that puts them into the queue */
    int started, here;
    struct dfi_os_thread thread;
    uint64_t random;
    struct dfi_host_group group;       /* of the kernel it runs */
};

struct dfi_sim_block { struct dfi_sim_block *next; char *p; size_t bytes; };

struct dfi_sim_device {
    int number;                        /* 1, 2, .. */
    struct dfi_gpu *gpu;
    struct dfi_os_mutex lock;          /* of all of it but the atomics */
    struct dfi_os_event event;
    DFI_ATOMIC(int) changes;           /* threads may wait for it to change */
    struct dfi_sim_block *blocks;
    size_t used, limit;
    uint64_t free_at[2];               /* when the link will be free: to the device, and from it */
    struct dfi_sim_queue queue[DFI_QUEUES];
    int lost, stop;
    df_result failed;                  /* the first failure of a queue, or that it is gone */
    char why[160];
};

static struct {
    struct dfi_os_mutex lock;          /* of what follows */
    int count;
    size_t bytes;
    double rate;                       /* bytes per second; 0: no limit */
    uint64_t seed;                     /* 0: nothing is held up */
    struct dfi_sim_fault fault[DFI_SIM_FAULTS];
    int faults;
    struct dfi_sim_device *device[DFI_SIM_DEVICES];
} dfi_sim = { DFI_OS_MUTEX_INIT, 0, 0, 0, 0, { { 0, 0, 0, 0 } }, 0, { NULL } };

static struct dfi_sim_device *dfi_sim_of(struct dfi_gpu *d) { return (struct dfi_sim_device *)d->own; }

/* --- settings in the environment ------------------------------------------------------------------------- */

/* "4:64M:8G". Nonzero: it is not like that. */
static int dfi_sim_parse(const char *text)
{
    const char *p = text;
    long count = 0;
    while (*p >= '0' && *p <= '9' && count <= DFI_SIM_DEVICES) count = 10 * count + (*p++ - '0');
    if (p == text || count < 1 || count > DFI_SIM_DEVICES || *p++ != ':') return -1;
    dfi_sim.bytes = dfi_bytes_of(p, &p);
    dfi_sim.rate = 0;
    if (!dfi_sim.bytes) return -1;
    if (*p == ':' && strcmp(p, ":0")) {
        dfi_sim.rate = dfi_number_of(p + 1, &p);
        if (dfi_sim.rate <= 0 || *p) return -1;
    } else if (*p && *p != ':') return -1;
    dfi_sim.count = (int)count;
    return 0;
}

/* "launch:5,lost:7@2". Nonzero: it is not like that. */
static int dfi_sim_parse_faults(const char *p)
{
    static const char *const name[DFI_SIM_EVENTS] = { "alloc", "copy_in", "copy_out", "launch", "fault", "lost" };
    for (;;) {
        struct dfi_sim_fault f = { 0, 0, 0, 0 };
        size_t n = strcspn(p, ":");
        char *end;
        while (f.event < DFI_SIM_EVENTS && (strlen(name[f.event]) != n || memcmp(name[f.event], p, n))) f.event++;
        if (f.event == DFI_SIM_EVENTS || p[n] != ':' || dfi_sim.faults == DFI_SIM_FAULTS) return -1;
        f.at = strtol(p + n + 1, &end, 10);
        if (f.at < 1) return -1;
        if (*end == '@' && (f.device = (int)strtol(end + 1, &end, 10)) < 1) return -1;
        dfi_sim.fault[dfi_sim.faults++] = f;
        if (!*end) return 0;
        if (*end != ',') return -1;
        p = end + 1;
    }
}

static int dfi_sim_count(void)
{
    const char *text = dfi_env("DF_GPU_SIM"), *fail = dfi_env("DF_GPU_SIM_FAIL");
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_sim.count = dfi_sim.faults = 0;
    dfi_sim.lock = fresh; /* in the child of a fork its holders do not exist */
    memset((void *)dfi_sim.device, 0, sizeof dfi_sim.device);
    if (!text || !*text) return 0;
    if (dfi_sim_parse(text)) {
        dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_GPU_SIM", text, "count:bytes or count:bytes:rate, such as 4:64M:8G",
                 "no device is simulated");
        return 0;
    }
    dfi_sim.seed = (uint64_t)dfi_env_number("DF_GPU_SIM_SEED", 0, 100000000, DF_DEBUG >= 3, "a number");
    if (fail && *fail && dfi_sim_parse_faults(fail)) {
        dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_GPU_SIM_FAIL", fail,
                 "a list of faults such as launch:5,lost:7@2 (alloc, copy_in, copy_out, launch, fault, lost)",
                 "no fault is simulated");
        dfi_sim.faults = 0;
    }
    return dfi_sim.count;
}

/* Does `event`, which happens now, fail? */
static int dfi_sim_fails(struct dfi_sim_device *s, int event)
{
    int i, fails = 0;
    dfi_os_lock(&dfi_sim.lock);
    for (i = 0; i < dfi_sim.faults; i++) {
        struct dfi_sim_fault *f = &dfi_sim.fault[i];
        if (f->event == event && (!f->device || f->device == s->number) && ++f->seen == f->at) fails = 1;
    }
    dfi_os_unlock(&dfi_sim.lock);
    return fails;
}

/* --- waiting, and failing --------------------------------------------------------------------------------- */

static void dfi_sim_changed(struct dfi_sim_device *s)
{
    dfi_fetch_add_acq_rel(&s->changes, 1);
    dfi_os_event_wake_all(&s->event);
}

static df_result dfi_sim_say(df_result r, const char *text)
{
    snprintf(dfi_gpu_error, sizeof dfi_gpu_error, "%s", text);
    return r;
}

/* pre: the lock. Remembers the result of later calls of `sync`. */
static void dfi_sim_set_failed(struct dfi_sim_device *s, df_result r, const char *why)
{
    if (s->failed || s->lost) return;
    s->failed = r;
    snprintf(s->why, sizeof s->why, "%s", why);
}

/* The device is gone: operations in its queues have no effect any more. */
static void dfi_sim_lose(struct dfi_sim_device *s)
{
    int i;
    dfi_os_lock(&s->lock);
    dfi_sim_set_failed(s, DF_ERROR_DEVICE, "the simulated device is gone (DF_GPU_SIM_FAIL)");
    s->lost = 1;
    dfi_os_unlock(&s->lock);
    dfi_os_lock(&dfi_sim.lock); /* those that wait for it, or whose operations wait for others */
    for (i = 0; i < DFI_SIM_DEVICES; i++)
        if (dfi_sim.device[i]) dfi_sim_changed(dfi_sim.device[i]);
    dfi_os_unlock(&dfi_sim.lock);
}

/* --- executing -------------------------------------------------------------------------------------- */

static void dfi_sim_hold_up(struct dfi_sim_queue *q)
{
    uint64_t r;
    int i;
    if (!q->random) return;
    q->random = q->random * 6364136223846793005u + 1442695040888963407u;
    r = q->random >> 33;
    if (r % 61 == 0) dfi_os_sleep_ms();
    for (i = 0; r % 3 == 0 && i < (int)(r / 3 % 8); i++) dfi_os_yield();
}

/* Waits until `bytes` are through the links; NULL: there is none at that end. */
static void dfi_sim_transfer(struct dfi_sim_device *to, struct dfi_sim_device *from, size_t bytes)
{
    uint64_t begin = dfi_os_ns(), end = begin, now;
    if (dfi_sim.rate <= 0) return;
    if (to) {
        dfi_os_lock(&to->lock);
        if (to->free_at[0] > end) end = to->free_at[0];
        end += (uint64_t)((double)bytes / dfi_sim.rate * 1e9);
        to->free_at[0] = end;
        dfi_os_unlock(&to->lock);
    }
    if (from) {
        dfi_os_lock(&from->lock);
        if (!to) {
            if (from->free_at[1] > end) end = from->free_at[1];
            end += (uint64_t)((double)bytes / dfi_sim.rate * 1e9);
        }
        if (from->free_at[1] < end) from->free_at[1] = end;
        dfi_os_unlock(&from->lock);
    }
    for (now = begin; now >= begin && now < end; now = dfi_os_ns()) { /* before `begin`: C11's clock was set */
        if (end - now > 2000000) dfi_os_sleep_ms();
        else dfi_os_yield();
    }
}

/* Is it memory of the device? NULL: it is the host's business. */
static int dfi_sim_has(struct dfi_sim_device *s, const char *p, size_t bytes)
{
    const struct dfi_sim_block *b;
    int has = 0;
    if (!s) return 1;
    dfi_os_lock(&s->lock);
    for (b = s->blocks; b && !has; b = b->next)
        has = (uintptr_t)p >= (uintptr_t)b->p && bytes <= b->bytes &&
            (uintptr_t)p - (uintptr_t)b->p <= b->bytes - bytes;
    dfi_os_unlock(&s->lock);
    return has;
}

static const char *dfi_sim_copy_now(struct dfi_sim_op *o)
{
    size_t i;
    if (!o->row || !o->rows) return NULL;
    if (!dfi_sim_has(o->to_device, o->to, (o->rows - 1) * o->to_ld + o->row))
        return "a copy to what is no memory of the simulated device";
    if (!dfi_sim_has(o->from_device, o->from, (o->rows - 1) * o->from_ld + o->row))
        return "a copy from what is no memory of the simulated device";
    for (i = 0; i < o->rows; i++) memcpy(o->to + i * o->to_ld, o->from + i * o->from_ld, o->row);
    if (o->to_device != o->from_device) dfi_sim_transfer(o->to_device, o->from_device, o->row * o->rows);
    return NULL;
}

/* Runs the kernel: of each df_reduce parameter group g has its own part, which begins with the identity. */
static df_result dfi_sim_run_now(struct dfi_sim_queue *q, struct dfi_sim_op *o, const char **why)
{
    struct dfi_host_reduce reduce[DFI_HOST_PARAMETERS];
    char *base[DFI_HOST_PARAMETERS];
    const struct dfi_kernel *k = o->plan.kernel;
    struct dfi_host_group *g = &q->group;
    size_t unused = 0;
    df_result r;
    long i;
    int j, n;
    for (j = 0; j < k->n_params; j++) {
        char *p;
        if (k->param[j].kind == DFI_P_VALUE) continue;
        memcpy((void *)&p, o->args + k->param[j].at, sizeof p);
        if (p && !dfi_sim_has(q->device, p, 1)) {
            *why = "an argument of a kernel is no memory of the simulated device";
            return DF_ERROR_DEVICE;
        }
    }
    n = dfi_host_reductions(k, o->args, reduce, &unused);
    for (j = 0; j < n; j++) {
        memcpy((void *)&base[j], o->args + reduce[j].at, sizeof base[j]);
        if (!dfi_sim_has(q->device, base[j], (size_t)o->plan.total * reduce[j].bytes)) {
            *why = "there is no room for the sums of all groups";
            return DF_ERROR_DEVICE;
        }
    }
    g->most_shared = DFI_SIM_SHARED;
    dfi_host_group_prepare(g, &o->plan);
    if (!n && !g->end) dfi_host_groups(g, &o->plan, o->args, 0, o->plan.total);
    for (i = 0; n && i < o->plan.total && !g->end; i++) {
        for (j = 0; j < n; j++) {
            char *p = base[j] + (size_t)i * reduce[j].bytes;
            reduce[j].combine(p, NULL, reduce[j].n);
            memcpy(o->args + reduce[j].at, (void *)&p, sizeof p);
        }
        dfi_host_groups(g, &o->plan, o->args, i, i + 1);
    }
    r = dfi_host_report(k, g->end);
    dfi_host_group_clear(g);
    if (r) *why = "the kernel was given up: the log says why";
    return r;
}

/* Until point of queue p of e is reached, or never will be. Nonzero: it failed. */
static int dfi_sim_wait_now(struct dfi_sim_device *s, struct dfi_sim_device *e, int p, uintptr_t point)
{
    for (;;) {
        int seen = dfi_load_acquire(&e->changes), over, failed;
        dfi_os_lock(&s->lock);
        over = s->lost || s->stop;
        dfi_os_unlock(&s->lock);
        dfi_os_lock(&e->lock);
        failed = e->queue[p].done >= point ? e->queue[p].failed && e->queue[p].failed <= point : e->lost;
        over |= e->queue[p].done >= point || e->lost;
        dfi_os_unlock(&e->lock);
        if (over) return failed;
        dfi_os_event_wait(&e->event, &e->changes, seen, 0);
    }
}

static void dfi_sim_execute(struct dfi_sim_queue *q, struct dfi_sim_op *o)
{
    struct dfi_sim_device *s = q->device;
    const char *why = NULL;
    df_result r = DF_OK;
    int skipped;
    dfi_sim_hold_up(q);
    dfi_os_lock(&s->lock);
    if (s->lost && !q->failed) q->failed = q->done + 1;
    skipped = q->failed != 0;
    dfi_os_unlock(&s->lock);
    if (skipped) return;
    if (o->faulty) why = "the simulated device fails (DF_GPU_SIM_FAIL)";
    else if (o->what == DFI_SIM_RUN) r = dfi_sim_run_now(q, o, &why);
    else if (o->what == DFI_SIM_COPY) why = dfi_sim_copy_now(o);
    else if (dfi_sim_wait_now(s, o->other, o->queue, o->point))
        why = "what an operation of the simulated device waits for has failed";
    if (!why) return;
    dfi_os_lock(&s->lock);
    q->failed = q->done + 1;
    dfi_sim_set_failed(s, r ? r : DF_ERROR_DEVICE, why);
    dfi_os_unlock(&s->lock);
}

/* The next operation of the queue, if there is one, is executed. */
static int dfi_sim_step(struct dfi_sim_queue *q)
{
    struct dfi_sim_device *s = q->device;
    struct dfi_sim_op *o;
    dfi_os_lock(&s->lock);
    o = q->first;
    dfi_os_unlock(&s->lock);
    if (!o) return 0;
    dfi_sim_execute(q, o);
    dfi_os_lock(&s->lock);
    q->first = o->next;
    if (!q->first) q->end = &q->first;
    q->done += o->what != DFI_SIM_WAIT;
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
    dfi_mfree((void *)o);
    return 1;
}

static void *dfi_sim_thread(void *p)
{
    struct dfi_sim_queue *q = (struct dfi_sim_queue *)p;
    struct dfi_sim_device *s = q->device;
    for (;;) {
        int seen = dfi_load_acquire(&s->changes), stop;
        if (dfi_sim_step(q)) continue;
        dfi_os_lock(&s->lock);
        stop = s->stop;
        dfi_os_unlock(&s->lock);
        if (stop) return NULL;
        dfi_os_event_wait(&s->event, &s->changes, seen, 0);
    }
}

#endif
