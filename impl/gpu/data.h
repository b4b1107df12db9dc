/* data.h - data that stays on the devices: df_gpu_hold, DF_DATA_REGION */
#ifndef DFI_GPU_DATA_H
#define DFI_GPU_DATA_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/kernel.h"
#include "../api/submit_options.h"
#include "../api/wait.h"
#include "../api/token.h"
#include "../api/result.h"
#include "../api/task.h"
#include "../api/throw.h"
#include "../../df_gpu.h"
#include "../work/worker.h"
#include "../work/types.h"
#include "../flow/types.h"
#include "../flow/region.h"
#include "../observe/graph/graph.h"
#include "engine.h"
#include "graph.h"
#include "record.h"

static struct dfi_held *dfi_held_find(const char *p, const char *end)
{
    int i;
    for (i = 0; i < dfi_engine.n_held; i++)
        if (dfi_engine.held[i].p == p && dfi_engine.held[i].end == end) return &dfi_engine.held[i];
    return NULL;
}

DFI_EXTERN_C_BEGIN
DFI_API df_result df_gpu_hold(const void *memory, size_t bytes)
{
    const char *p = (const char *)memory;
    struct dfi_held *h;
    df_result result = DF_OK;
    if (!bytes || !dfi_gpu_ready()) return DF_OK;
    dfi_os_lock(&dfi_engine_lock);
    if ((h = dfi_held_find(p, p + bytes)) != NULL) h->count++;
    else if (dfi_engine.n_held < DFI_MAX_HELD) {
        h = &dfi_engine.held[dfi_engine.n_held++];
        h->p = p, h->end = p + bytes, h->count = 1;
    } else result = DF_ERROR_MEMORY;
    dfi_os_unlock(&dfi_engine_lock);
    return result;
}
DFI_EXTERN_C_END

/* Ends one hold. With the last one the host gets the data of the devices, if `wanted`, and they drop it. */
static void dfi_held_end(const void *memory, size_t bytes, int wanted)
{
    const char *p = (const char *)memory;
    struct dfi_record *r;
    struct dfi_held *h;
    int wait;
    if (!bytes || !dfi_load_relaxed(&dfi_more.devices)) return;
    dfi_os_lock(&dfi_engine_lock);
    if ((h = dfi_held_find(p, p + bytes)) != NULL && !--h->count) {
        *h = dfi_engine.held[--dfi_engine.n_held];
        do {
            for (wait = 0, r = dfi_engine.records.first; r; r = r->next) {
                if ((const char *)r->region.p < p || (const char *)dfi_region_end(&r->region) > p + bytes ||
                    dfi_region_held(&r->region))
                    continue;
                if (!wanted && !r->job.under_way) dfi_record_host_valid(&dfi_engine.records, r, 1);
                if (dfi_record_write_back(r)) wait = 1;
                else if (!r->pins) dfi_record_invalidate(r, -1);
            }
            if (wait) dfi_engine_wait();
        } while (wait);
    }
    dfi_os_unlock(&dfi_engine_lock);
}

DFI_EXTERN_C_BEGIN
DFI_API void df_gpu_release(const void *p, size_t bytes) { dfi_held_end(p, bytes, 1); }

DFI_API struct dfi_region_block dfi_region_enter(const char *site, const struct df_data *data)
{
    struct dfi_region_block b;
    const struct df_data *d;
    b.data = data;
    for (d = data; d->how; d++) df_gpu_hold(d->p, d->bytes);
    b.scope = dfi_scope_enter(site);
    b.open = 1;
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_region(DFI_GRAPH(), data);
    return b;
}

DFI_API void dfi_region_leave_catching(struct dfi_region_block *b, struct dfi_exception *x)
{
    const struct df_data *d;
    if (!b->open) return;
    b->open = 0;
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_data(DFI_GRAPH(), b->data, DFI_DATA_OUT, "exit", NULL);
    if (x) dfi_scope_leave_catching(&b->scope, x);
    else dfi_scope_leave(&b->scope);
    for (d = b->data; d->how; d++) dfi_held_end(d->p, d->bytes, d->how & DFI_DATA_OUT);
}

DFI_API void dfi_region_leave(struct dfi_region_block *b) { dfi_region_leave_catching(b, NULL); }
DFI_EXTERN_C_END

/* --- asynchronous data regions ----------------------------------------------------------------------- */

/* An asynchronous region, from its end until its creator waits for its index. */
struct dfi_async {
    struct dfi_async *next;
    const struct dfi_flow *owner; /* the task that began it; NULL: code outside of tasks */
    int index;
    df_token done;
    int ended, n;           /* ended: by its task; a scope that is cancelled skips that */
    struct df_data data[1]; /* n of them */
};
static DFI_TLS struct dfi_async *dfi_asyncs; /* of this thread, and of the tasks on its stack */

static const struct dfi_flow *dfi_async_owner(void)
{
    const struct dfi_worker *w = dfi_me();
    return w ? w->task : NULL;
}

/* Takes one with this index, of the code that runs, off the list. NULL: there is none. */
static struct dfi_async *dfi_async_take(int index)
{
    struct dfi_async **at = &dfi_asyncs, *a;
    const struct dfi_flow *owner = dfi_async_owner();
    while ((a = *at) != NULL && (a->index != index || a->owner != owner)) at = &a->next;
    if (a) *at = a->next;
    return a;
}

static void dfi_async_data_end(const struct df_data *data, int n)
{
    int i;
    for (i = 0; i < n; i++) dfi_held_end(data[i].p, data[i].bytes, data[i].how & DFI_DATA_OUT);
}

static void dfi_async_run(void *args, void *result)
{
    struct dfi_async *a;
    (void)result;
    memcpy((void *)&a, args, sizeof a);
    dfi_async_data_end(a->data, a->n);
    a->ended = 1;
}

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_async_block dfi_async_enter(const char *site, int index, const struct df_data *data)
{
    struct dfi_async_block b;
    b.data = data, b.site = site, b.index = index, b.open = 1;
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_async(DFI_GRAPH(), data, DFI_DATA_IN, index, site);
    for (; data->how; data++) df_gpu_hold(data->p, data->bytes);
    return b;
}

/* A task that comes after all that uses the data ends the region. */
DFI_API void dfi_async_leave(struct dfi_async_block *b)
{
    static const struct dfi_type type = { dfi_async_run, "DF_DATA_REGION_ASYNC", 0, 0, sizeof(struct dfi_async *),
        DFI_LAUNCH | DFI_UNLISTED | DFI_INOUT, NULL };
    struct dfi_access x[DFI_PARAMETERS];
    struct dfi_async *a = NULL;
    df_token *signals[2] = { NULL, NULL };
    struct df_opts o;
    struct dfi_task *t;
    int n = 0, i;
    if (!b->open) return;
    b->open = 0;
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_async(DFI_GRAPH(), b->data, DFI_DATA_OUT, b->index, NULL);
    while (b->data[n].how) n++;
    if (n <= DFI_PARAMETERS) a = (struct dfi_async *)dfi_malloc(sizeof *a + (size_t)n * sizeof *b->data);
    if (!a) { /* too many, or no memory: it ends here */
        (df_wait)();
        dfi_async_data_end(b->data, n);
        return;
    }
    a->index = b->index, a->owner = dfi_async_owner();
    a->ended = 0, a->n = n;
    memcpy((void *)a->data, (const void *)b->data, (size_t)n * sizeof *b->data);
    dfi_token_init(&a->done, 1, b->site);
    a->next = dfi_asyncs, dfi_asyncs = a;
    memset((void *)&o, 0, sizeof o);
    signals[0] = &a->done;
    o.signals = signals;
    dfi_with(&o, b->site);
    for (i = 0; i < n; i++) dfi_access_array(&x[i], DFI_INOUT, DFI_NO_ARG, a->data[i].p, a->data[i].bytes);
    if (!(t = dfi_task_new(&type))) dfi_run_now(&type, (void *)&a);
    else if (t == DFI_BARE) dfi_run_after(&type, (void *)&a, x, (unsigned)n);
    else {
        memcpy(t->args, (void *)&a, sizeof a);
        dfi_submit_here(t, x, (unsigned)n);
    }
    dfi_with_end(&o);
}

DFI_API void dfi_data_wait(int index)
{
    struct dfi_async *a;
    /* other tasks may run here meanwhile, and have regions with that index */
    while ((a = dfi_async_take(index)) != NULL) {
        /* a wait that cancellation has ended is not ended a second time */
        if (dfi_wait_token(&a->done, DFI_SITE) == DF_ERROR_CANCELLED) dfi_wait_token(&a->done, DFI_SITE);
        if (!a->ended) dfi_async_data_end(a->data, a->n);
        dfi_mfree(a);
    }
}
DFI_EXTERN_C_END

#endif
