/* dfi_gpu_sim.h - devices that are threads: for tests, and for programs without a device at hand
 *
 *   DF_GPU_SIM=4:64M:8G          four devices of 64 MiB each, which move 8 GiB a second in each direction; without the rate, or 0: as
 *                                fast as it goes
 *   DF_GPU_SIM_SEED=n            operations are held up at random, so that queues overtake each other (DF_DEBUG=3: always)
 *   DF_GPU_SIM_BROKEN=f,g        the kernels f and g do not compile
 *   DF_GPU_SIM_FAIL=launch:5     the 5th launch fails; alloc:n, copy_in:n, copy_out:n alike; fault:n: the n-th operation (copy or launch)
 *                                fails while it is executed, and with it what comes behind or waits for it; lost:n: with the n-th operation its device is gone. Several with commas;
 *                                counted over all devices, or with @d behind it on device d (1, 2, ..)
 *
 * A device has memory of its own, of which no more than its share can be had: what was never copied there is not there, and
 * neither is what was freed. Each queue is a thread, begun when it is first used: it executes its operations in order, and
 * nothing orders it with other queues but `wait`. So ThreadSanitizer sees what an engine forgets to order, and AddressSanitizer
 * what it frees too early. Kernels run as on the host, one group after the other. */
#ifndef DFI_GPU_SIM_H
#define DFI_GPU_SIM_H

enum {
    DFI_SIM_DEVICES = 64,
    DFI_SIM_SHARED = 48 << 10,        /* as much as every CUDA device has */
    DFI_SIM_FAULTS = 8,
    DFI_SIM_UNIT = 256,               /* memory is given out in multiples of it, as by CUDA */
    DFI_SIM_NEW = 0xd5, DFI_SIM_FREED = 0xdd /* bytes of memory that nobody wrote, and that was freed */
};

enum dfi_sim_event { DFI_SIM_ALLOC, DFI_SIM_IN, DFI_SIM_OUT, DFI_SIM_LAUNCH, DFI_SIM_FAULT, DFI_SIM_LOST, DFI_SIM_EVENTS };
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
    int started, here;                 /* its thread; there is none: who puts something into it executes it */
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
    DFI_ATOMIC(int) changes;           /* somebody may be waiting for it to change */
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

/* --- what the environment says -------------------------------------------------------------------------- */

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
    const char *text = getenv("DF_GPU_SIM"), *fail = getenv("DF_GPU_SIM_FAIL");
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_sim.count = dfi_sim.faults = 0;
    dfi_sim.lock = fresh; /* in the child of a fork those who had it are not there */
    memset((void *)dfi_sim.device, 0, sizeof dfi_sim.device);
    if (!text || !*text) return 0;
    if (dfi_sim_parse(text)) {
        dfi_log(DFI_LOG_BAD_ENV, "DF_GPU_SIM", text, "count:bytes or count:bytes:rate, such as 4:64M:8G");
        return 0;
    }
    dfi_sim.seed = (uint64_t)dfi_env_number("DF_GPU_SIM_SEED", 0, 100000000, DF_DEBUG >= 3, "a number");
    if (fail && *fail && dfi_sim_parse_faults(fail)) {
        dfi_log(DFI_LOG_BAD_ENV, "DF_GPU_SIM_FAIL", fail, "such as launch:5,lost:7@2 (alloc, copy_in, copy_out, launch, fault, lost)");
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

/* pre: the lock. Remembers what somebody will ask `sync` for. */
static void dfi_sim_set_failed(struct dfi_sim_device *s, df_result r, const char *why)
{
    if (s->failed || s->lost) return;
    s->failed = r;
    snprintf(s->why, sizeof s->why, "%s", why);
}

/* The device is gone: what is in its queues has no effect any more. */
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
    for (now = begin; now >= begin && now < end; now = dfi_os_ns()) { /* before `begin`: the clock was set */
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
        has = (uintptr_t)p >= (uintptr_t)b->p && bytes <= b->bytes && (uintptr_t)p - (uintptr_t)b->p <= b->bytes - bytes;
    dfi_os_unlock(&s->lock);
    return has;
}

static const char *dfi_sim_copy_now(struct dfi_sim_op *o)
{
    size_t i;
    if (!o->row || !o->rows) return NULL;
    if (!dfi_sim_has(o->to_device, o->to, (o->rows - 1) * o->to_ld + o->row)) return "a copy to what is no memory of the simulated device";
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
    else if (dfi_sim_wait_now(s, o->other, o->queue, o->point)) why = "what an operation of the simulated device waits for has failed";
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

/* --- what the engine calls ------------------------------------------------------------------------------ */

static df_result dfi_sim_open(struct dfi_gpu *d, int i)
{
    struct dfi_sim_device *s = (struct dfi_sim_device *)dfi_malloc(sizeof *s);
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    int q;
    if (!s) return dfi_sim_say(DF_ERROR_MEMORY, "no memory");
    memset((void *)s, 0, sizeof *s);
    if (dfi_os_event_init(&s->event)) {
        dfi_mfree((void *)s);
        return dfi_sim_say(DF_ERROR_MEMORY, "no event");
    }
    s->number = i + 1;
    s->gpu = d;
    s->lock = fresh;
    s->limit = dfi_sim.bytes;
    for (q = 0; q < DFI_QUEUES; q++) {
        s->queue[q].device = s;
        s->queue[q].end = &s->queue[q].first;
        dfi_host_group_init(&s->queue[q].group);
        s->queue[q].random = dfi_sim.seed ? dfi_sim.seed * 977 + (uint64_t)(i * DFI_QUEUES + q + 1) : 0;
    }
    d->own = s;
    snprintf(d->info.name, sizeof d->info.name, "simulated device %d", i + 1);
    d->info.memory = s->limit;
    d->info.units = 1;
    d->info.max_group = d->info.max_group_dim[0] = d->info.max_group_dim[1] = 1024;
    d->info.max_group_dim[2] = 64;
    d->info.max_groups[0] = INT_MAX;
    d->info.max_groups[1] = d->info.max_groups[2] = 65535;
    d->info.max_shared = DFI_SIM_SHARED;
    d->info.warp = 1;
    d->info.has_double = 1;
    dfi_os_lock(&dfi_sim.lock);
    dfi_sim.device[i] = s;
    dfi_os_unlock(&dfi_sim.lock);
    return DF_OK;
}

static void dfi_sim_block_free(struct dfi_sim_block *b)
{
    memset(b->p, DFI_SIM_FREED, b->bytes);
    dfi_mfree(b->p);
    dfi_mfree((void *)b);
}

static void dfi_sim_close(struct dfi_gpu *d)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_sim_block *b;
    int q;
    dfi_os_lock(&dfi_sim.lock);
    dfi_sim.device[s->number - 1] = NULL;
    dfi_os_unlock(&dfi_sim.lock);
    dfi_os_lock(&s->lock);
    s->stop = 1;
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
    for (q = 0; q < DFI_QUEUES; q++) {
        if (s->queue[q].started) dfi_os_thread_join(&s->queue[q].thread);
        if (s->queue[q].group.fibres) dfi_fibres_free(s->queue[q].group.fibres);
    }
    while ((b = s->blocks) != NULL) {
        s->blocks = b->next;
        dfi_sim_block_free(b);
    }
    dfi_os_event_free(&s->event);
    dfi_mfree((void *)s);
    d->own = NULL;
}

static size_t dfi_sim_round(size_t bytes) { return (bytes + DFI_SIM_UNIT - 1) / DFI_SIM_UNIT * DFI_SIM_UNIT; }

static dfi_memory dfi_sim_alloc(struct dfi_gpu *d, size_t bytes)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_sim_block *b;
    int fits;
    dfi_os_lock(&s->lock);
    fits = !s->lost && bytes && bytes <= s->limit && dfi_sim_round(bytes) <= s->limit - s->used;
    dfi_os_unlock(&s->lock);
    if (dfi_sim_fails(s, DFI_SIM_ALLOC) || !fits) return 0;
    b = (struct dfi_sim_block *)dfi_malloc(sizeof *b);
    if (!b || !(b->p = (char *)dfi_malloc(bytes))) {
        dfi_mfree((void *)b);
        return 0;
    }
    b->bytes = bytes;
    memset(b->p, DFI_SIM_NEW, bytes);
    dfi_os_lock(&s->lock);
    b->next = s->blocks, s->blocks = b;
    s->used += dfi_sim_round(bytes);
    dfi_os_unlock(&s->lock);
    return (dfi_memory)b->p;
}

static void dfi_sim_free(struct dfi_gpu *d, dfi_memory m)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_sim_block **at, *b;
    dfi_os_lock(&s->lock);
    for (at = &s->blocks; *at && (dfi_memory)(*at)->p != m;) at = &(*at)->next;
    if ((b = *at) != NULL) {
        *at = b->next;
        s->used -= dfi_sim_round(b->bytes);
    } else if (m) dfi_sim_set_failed(s, DF_ERROR_DEVICE, "what is freed is no memory of the simulated device");
    dfi_os_unlock(&s->lock);
    if (b) dfi_sim_block_free(b);
}

/* A record for an operation that may fail before it begins. NULL: it does, *r says how. */
static struct dfi_sim_op *dfi_sim_op_new(struct dfi_sim_device *s, enum dfi_sim_what what, int event, size_t more, df_result *r)
{
    struct dfi_sim_op *o;
    int lost, faulty = 0, fails = 0;
    if (what != DFI_SIM_WAIT) {
        if (dfi_sim_fails(s, DFI_SIM_LOST)) dfi_sim_lose(s);
        faulty = dfi_sim_fails(s, DFI_SIM_FAULT);
        fails = event >= 0 && dfi_sim_fails(s, event);
    }
    dfi_os_lock(&s->lock);
    lost = s->lost;
    dfi_os_unlock(&s->lock);
    if (lost || fails) {
        *r = dfi_sim_say(DF_ERROR_DEVICE, lost ? "the simulated device is gone" : "the simulated device fails (DF_GPU_SIM_FAIL)");
        return NULL;
    }
    if (!(o = (struct dfi_sim_op *)dfi_malloc(sizeof *o + more))) {
        *r = dfi_sim_say(DF_ERROR_MEMORY, "no memory for an operation of the simulated device");
        return NULL;
    }
    memset((void *)o, 0, sizeof *o);
    o->what = what;
    o->faulty = faulty;
    return o;
}

static df_result dfi_sim_put(struct dfi_sim_device *s, int queue, struct dfi_sim_op *o)
{
    struct dfi_sim_queue *q = &s->queue[queue];
    if (!q->started && !q->here) {
        if (dfi_os_thread_start(&q->thread, dfi_sim_thread, q, 0)) q->here = 1;
        else q->started = 1;
    }
    dfi_os_lock(&s->lock);
    *q->end = o, q->end = &o->next;
    q->issued += o->what != DFI_SIM_WAIT;
    dfi_store_relaxed(&s->gpu->issued[queue], q->issued); /* relaxed: a number; what it stands for is under the lock */
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
    while (q->here && dfi_sim_step(q)) {}
    return DF_OK;
}

static df_result dfi_sim_copy(struct dfi_sim_device *s, int q, int event, struct dfi_sim_device *to_device, char *to, size_t to_ld,
                              struct dfi_sim_device *from_device, const char *from, size_t from_ld, const struct dfi_box *b)
{
    df_result r;
    struct dfi_sim_op *o = dfi_sim_op_new(s, DFI_SIM_COPY, event, 0, &r);
    if (!o) return r;
    o->to_device = to_device, o->to = to, o->to_ld = to_ld;
    o->from_device = from_device, o->from = from, o->from_ld = from_ld;
    o->row = b->row, o->rows = b->rows;
    return dfi_sim_put(s, q, o);
}

static df_result dfi_sim_copy_in(struct dfi_gpu *d, int q, dfi_memory to, const void *from, const struct dfi_box *b)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    return dfi_sim_copy(s, q, DFI_SIM_IN, s, (char *)to, b->pitch, NULL, (const char *)from, b->ld, b);
}

static df_result dfi_sim_copy_out(struct dfi_gpu *d, int q, void *to, dfi_memory from, const struct dfi_box *b)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    return dfi_sim_copy(s, q, DFI_SIM_OUT, NULL, (char *)to, b->ld, s, (const char *)from, b->pitch, b);
}

static df_result dfi_sim_copy_on(struct dfi_gpu *d, int q, dfi_memory to, dfi_memory from, const struct dfi_box *b)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    return dfi_sim_copy(s, q, -1, s, (char *)to, b->pitch, s, (const char *)from, b->ld, b);
}

static df_result dfi_sim_copy_peer(struct dfi_gpu *d, int q, dfi_memory to, struct dfi_gpu *from_device, dfi_memory from, size_t bytes)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    struct dfi_box b;
    b.row = bytes, b.rows = 1, b.ld = b.pitch = bytes;
    return dfi_sim_copy(s, q, -1, s, (char *)to, bytes, dfi_sim_of(from_device), (const char *)from, bytes, &b);
}

static df_result dfi_sim_wait(struct dfi_gpu *d, int q, struct dfi_gpu *e, int p, uintptr_t point)
{
    df_result r;
    struct dfi_sim_op *o = dfi_sim_op_new(dfi_sim_of(d), DFI_SIM_WAIT, -1, 0, &r);
    if (!o) return r;
    o->other = dfi_sim_of(e), o->queue = p, o->point = point;
    return dfi_sim_put(dfi_sim_of(d), q, o);
}

/* A device that is gone has reached everything when nothing is being executed any more. */
static int dfi_sim_reached(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    int i, reached, busy = 0;
    dfi_os_lock(&s->lock);
    for (i = 0; i < DFI_QUEUES; i++) busy |= s->queue[i].first != NULL;
    reached = s->queue[q].done >= point || (s->lost && !busy);
    dfi_os_unlock(&s->lock);
    return reached;
}

static df_result dfi_sim_sync(struct dfi_gpu *d, int q, uintptr_t point)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    df_result r;
    for (;;) {
        int seen = dfi_load_acquire(&s->changes);
        if (dfi_sim_reached(d, q, point)) break;
        dfi_os_event_wait(&s->event, &s->changes, seen, 0);
    }
    dfi_os_lock(&s->lock);
    r = s->failed;
    if (r) dfi_sim_say(r, s->why);
    dfi_os_unlock(&s->lock);
    return r;
}

static void dfi_sim_flush(struct dfi_gpu *d, int q) { (void)d, (void)q; } /* a queue begins at once */

static df_result dfi_sim_build(struct dfi_gpu *d, struct dfi_kernel *k, struct dfi_built *b, char *log, size_t log_bytes)
{
    const char *broken = getenv("DF_GPU_SIM_BROKEN");
    size_t n = strlen(k->name);
    (void)d;
    for (; broken && *broken; broken += strcspn(broken, ","), broken += *broken == ',') {
        if (strncmp(broken, k->name, n) || (broken[n] && broken[n] != ',')) continue;
        snprintf(log, log_bytes, "%s:%d: error: DF_GPU_SIM_BROKEN names %s", k->file, k->line, k->name);
        return b->result = dfi_sim_say(DF_ERROR_KERNEL, "the kernel does not compile");
    }
    if (log_bytes) *log = 0;
    b->handle = NULL;
    b->max_group = 1024;
    b->registers = 0;
    b->shared = b->spilled = 0;
    return b->result = DF_OK;
}

static df_result dfi_sim_launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b, const int *groups, const int *group,
                                const struct dfi_arg *args, int n_args)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    df_result r;
    df_ndrange grid;
    struct dfi_sim_op *o = dfi_sim_op_new(s, DFI_SIM_RUN, DFI_SIM_LAUNCH, k->args_bytes + 64, &r);
    const char *wrong;
    int i;
    (void)b;
    if (!o) return r;
    for (i = 0; i < 3; i++) grid.n[i] = (long)groups[i] * group[i], grid.group[i] = group[i];
    if ((wrong = dfi_host_plan_make(&o->plan, k, &grid)) != NULL || n_args < k->n_params) {
        dfi_mfree((void *)o);
        return dfi_sim_say(DF_ERROR_GRID, wrong ? wrong : "an argument is missing");
    }
    o->args = dfi_align(o + 1);
    memset(o->args, 0, k->args_bytes);
    memcpy(o->args, (void *)&grid, sizeof grid);
    for (i = 0; i < k->n_params; i++) memcpy(o->args + k->param[i].at, args[i].p, args[i].is_memory ? sizeof(void *) : k->param[i].bytes);
    return dfi_sim_put(s, q, o);
}

/* A function of the host may use the memory of the device as it is, when everything before it in the queue is done. */
static void *dfi_sim_native(struct dfi_gpu *d, int q)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    for (;;) {
        int seen = dfi_load_acquire(&s->changes), busy;
        dfi_os_lock(&s->lock);
        busy = s->queue[q].first != NULL;
        dfi_os_unlock(&s->lock);
        if (!busy) return &s->queue[q];
        dfi_os_event_wait(&s->event, &s->changes, seen, 0);
    }
}

static void dfi_sim_native_end(struct dfi_gpu *d, int q)
{
    struct dfi_sim_device *s = dfi_sim_of(d);
    dfi_os_lock(&s->lock);
    s->queue[q].issued++, s->queue[q].done++;
    dfi_store_relaxed(&d->issued[q], s->queue[q].issued);
    dfi_os_unlock(&s->lock);
    dfi_sim_changed(s);
}

static const struct dfi_gpu_driver dfi_sim_driver = {
    "simulated", dfi_sim_count, dfi_sim_open, dfi_sim_close, dfi_sim_alloc, dfi_sim_free, dfi_sim_copy_in, dfi_sim_copy_out, dfi_sim_copy_on,
    dfi_sim_copy_peer, dfi_sim_wait, dfi_sim_reached, dfi_sim_sync, dfi_sim_flush, dfi_sim_build, dfi_sim_launch, dfi_sim_native, dfi_sim_native_end
};

#endif
