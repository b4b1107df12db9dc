/* slot.h - worker structs: creation, assignment to threads, reset, destruction, counters
 *
 * A worker occupies a slot of the pool. It is reused by later threads, and freed with the pool. */
#ifndef DFI_WORK_SLOT_H
#define DFI_WORK_SLOT_H

#include "../base/atomic.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/hooks.h"
#include "../api/config.h"
#include "../api/core.h"
#include "../api/counters.h"
#include "../api/result.h"
#include "../api/workers.h"
#include "blocks.h"
#include "deque.h"
#include "module.h"
#include "scope.h"
#include "stack.h"
#include "types.h"
#include "worker.h"

DFI_SMALL_CODE_BEGIN

/* Resets all of w except its memory, its event and its slot. Its bottom scope is s, or if that is NULL, in a block.
 * -1: out of memory. */
static int dfi_worker_reset(struct dfi_worker *w, struct dfi_scope *s)
{
    w->hot.top = NULL;
    w->head = w->split = w->kept = w->task_mark = w->fixed = w->seen_top = w->offered_top = 0;
    w->task = NULL;
    dfi_store_relaxed(&w->stolen, (struct dfi_scope *)NULL);
    w->outside = 0;
    dfi_store_relaxed(&w->level, 0);
    dfi_store_relaxed(&w->retires, 0);
    w->outbox = w->outbox_last = NULL;
    w->outbox_n = 0;
    dfi_store_relaxed(&w->bottom, (size_t)0);
    dfi_store_relaxed(&w->top, (size_t)0);
    dfi_store_relaxed(&w->withdrawn, 0);
    w->offers = 0;
    dfi_store_relaxed(&w->park, DFI_AWAKE);
    /* a steal request may have been missed: check immediately */
    dfi_store_seq_cst(&w->hot.steal_request, (uintptr_t)1);
    dfi_tell(DFI_WORKER_IS_NEW, w);
    w->scope = NULL;
    if (!s && !(s = (struct dfi_scope *)dfi_block_get(w, DFI_CLS_SCOPE))) return -1;
    dfi_scope_begin(w, s, NULL, DFI_BOTTOM);
    w->scope = s;
    return 0;
}

static int dfi_worker_stack(struct dfi_worker *w, size_t entries)
{
    void **stack = (void **)dfi_malloc(entries * sizeof *stack);
    if (!stack) {
        dfi_warn_no_memory();
        return -1;
    }
    dfi_mfree(w->stack);
    if (dfi_sites(w)) dfi_mfree(w->sites);
    w->stack = stack, w->room = w->limit = entries;
    w->sites = NULL;
    return 0;
}

static int dfi_worker_ring(struct dfi_worker *w)
{
    struct dfi_ring *ring;
    if (DFI_ALONE) return 0; /* it has no thieves */
    if (!(ring = dfi_ring_new(w->limit < DFI_DEQUE_SIZE ? w->limit : (size_t)DFI_DEQUE_SIZE, NULL))) {
        dfi_warn_no_memory();
        return -1;
    }
    dfi_store_relaxed(&w->ring, ring);
    return 0;
}

static void dfi_worker_free(struct dfi_worker *w)
{
    if (w->scope) dfi_scope_free_bottom(w, w->scope);
    dfi_tell(DFI_WORKER_FREED, w);
    dfi_blocks_free_all(w);
    dfi_deque_free(w);
    dfi_mfree(w->stack);
    if (dfi_sites(w)) dfi_mfree(w->sites);
    dfi_os_event_free(&w->event);
    dfi_mfree(w->allocated);
}

/* Takes a free worker from a slot, or creates one. NULL: out of memory or slots. */
static struct dfi_worker *dfi_worker_take(size_t entries)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    size_t scope_at = (dfi_worker_bytes + DFI_LINE - 1) / DFI_LINE * DFI_LINE; /* its bottom scope is behind it */
    size_t bytes = scope_at + dfi_scope_bytes + DFI_LINE;
    struct dfi_worker *w = NULL;
    char *p;
    for (i = 0; i < n && !w; i++) {
        w = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (dfi_load_relaxed(&w->attached)) w = NULL;
    }
    if (w) {
        if (w->limit != entries && dfi_worker_stack(w, entries)) return NULL;
        dfi_store_relaxed(&w->attached, DFI_ATTACHED);
        dfi_tell(DFI_WORKER_TAKEN, w);
        dfi_store_seq_cst(&w->hot.steal_request, (uintptr_t)1);
        return w;
    }
    if (n == DFI_MAX_WORKERS) {
        dfi_warn_once("more than %d threads use df: the tasks of further threads run immediately; let fewer threads "
                      "use df, or fewer tasks wait in df_yield_blocking and the like at a time, by df_limit",
                      DFI_MAX_WORKERS);
        return NULL;
    }
    if (!(p = (char *)dfi_malloc(bytes))) {
        dfi_warn_no_memory();
        return NULL;
    }
    memset(p, 0, bytes);
    w = (struct dfi_worker *)(void *)(p + (DFI_LINE - (uintptr_t)p % DFI_LINE));
    w->allocated = p;
    w->next_id = (uintptr_t)(n + 1);
    dfi_store_relaxed(&w->index, DFI_WORKERS_MOST + n);
    w->random = (uint32_t)n * 2654435761u + 1;
    if (dfi_os_event_init(&w->event)) {
        dfi_mfree(p);
        return NULL;
    }
    if (dfi_worker_stack(w, entries) || dfi_worker_ring(w) ||
        dfi_worker_reset(w, (struct dfi_scope *)(void *)((char *)w + scope_at))) {
        dfi_worker_free(w);
        return NULL;
    }
    dfi_store_relaxed(&w->attached, DFI_ATTACHED);
    dfi_tell(DFI_WORKER_TAKEN, w);
    memcpy(p, (void *)&dfi_pool.rooms, sizeof dfi_pool.rooms);
    dfi_pool.rooms = p;
    dfi_store_release(&dfi_pool.slot[n], w); /* release: publishes the worker; pairs with the acquire of thieves */
    dfi_store_release(&dfi_pool.n_slots, n + 1);
    return w;
}

/* The process ends. s: the bottom scope of its last thread. */
DFI_UPCALL(void, dfi_up_exits, (struct dfi_scope *s));
/* The thread of w ends, and runs none of its bodies any more: ends those that it was in. */
DFI_UPCALL(void, dfi_up_bodies_end, (struct dfi_worker *w));
/* The calling thread begins, or ceases, to be a worker: its end is noticed early enough for that. */
DFI_UPCALL(void, dfi_up_end_watch, (void));
DFI_UPCALL(void, dfi_up_end_unwatch, (void));

#define DFI_MESSAGE_STOP_INSIDE "df_stop was called inside a task, a DF_PARALLEL block or a function that df calls: " \
                                "df keeps running; call it outside of all constructs of df"

/* df_start while df runs. Without settings, nothing is lost, and the result is enough. */
static DFI_COLD df_result dfi_start_again(const df_config *c, int workers)
{
    if (c)
        dfi_error("df_start: df runs already, with %d worker%s: these settings have no effect; call df_start before "
                  "any other construct, or after df_stop", workers, workers == 1 ? "" : "s");
    return DF_ERROR_STARTED;
}

static void dfi_be(struct dfi_worker *w) { dfi_self = w ? &w->hot : &dfi_nobody; }

DFI_EXTERN_C_BEGIN
DFI_API int df_workers(void)
{
    struct dfi_worker *w = dfi_me_asked();
    return w ? dfi_workers() : 1;
}

DFI_API int df_worker(void)
{
    struct dfi_worker *w = dfi_me_asked();
    return w ? dfi_load_relaxed(&w->index) : 0;
}

DFI_API int df_worker_bound(void)
{
    struct dfi_worker *w = dfi_me_asked();
    return !w || DFI_ALONE ? 1 : DFI_WORKERS_MOST + DFI_MAX_WORKERS;
}

DFI_API df_result df_counters_get(df_counters *out)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    const struct dfi_block_hooks *blocks = dfi_load_acquire(&dfi_block_hooks);
    memset(out, 0, sizeof *out);
    dfi_tell_of(DFI_POOL_COUNTS, NULL, NULL, out);
    if (blocks) blocks->count(&out->transactions, &out->aborts);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        dfi_tell_of(DFI_WORKER_COUNTS, v, NULL, out);
        out->steals += dfi_load_relaxed(&v->n_steals);
        out->parks += dfi_load_relaxed(&v->n_parks);
    }
    return DF_OK;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
