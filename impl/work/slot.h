/* slot.h - worker structs: creation, assignment to threads, reset, destruction
 *
 * A worker occupies a slot of the pool. It is reused by later threads, and freed with the pool. */
#ifndef DFI_WORK_SLOT_H
#define DFI_WORK_SLOT_H

#include "../base/atomic.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../os/wait.h"
#include "../api/public.h"
#include "blocks.h"
#include "deque.h"
#include "module.h"
#include "scope.h"
#include "types.h"
#include "worker.h"
#include "../flow/table.h"
#include "../more/error.h"

DFI_SMALL_CODE_BEGIN

static const struct dfi_queue dfi_queue_empty = { DFI_OS_MUTEX_INIT, NULL, 0, 0, 0 };

/* Resets all of w except its memory, its event and its slot. -1: out of memory. */
static int dfi_worker_reset(struct dfi_worker *w)
{
    w->hot.top = NULL;
    w->head = w->split = w->kept = w->task_mark = w->fixed = w->seen_top = 0;
    w->task = NULL;
    w->opts = NULL;
    w->reg_task = NULL, w->reg_access = NULL;
    w->steady = NULL;
    w->now = NULL;
    w->nest = 0;
    w->blocking = 0;
    dfi_store_relaxed(&w->stolen, (struct dfi_scope *)NULL);
    w->outside = 0;
    w->pinned = dfi_queue_empty;
    for (w->n_alone = DFI_LOOPS_ALONE; w->n_alone;) dfi_store_relaxed(&w->alone[--w->n_alone], (uintptr_t)0);
    w->held_lock = dfi_queue_empty.lock;
    w->held = NULL;
#if DFI_CHECK_ASAN
    w->in_turn = w->blocks = w->pauses = 0;
    w->view = NULL;
#endif
    dfi_store_relaxed(&w->level, 0);
    dfi_store_relaxed(&w->running, (struct dfi_running *)NULL);
    w->watch_lock = dfi_queue_empty.lock;
    w->waits = NULL;
    w->outbox = w->outbox_last = NULL;
    w->outbox_n = 0;
    dfi_store_relaxed(&w->bottom, (size_t)0);
    dfi_store_relaxed(&w->top, (size_t)0);
    dfi_store_relaxed(&w->park, DFI_AWAKE);
    dfi_store_seq_cst(&w->hot.asked, (uintptr_t)1); /* a steal request may have been missed: check immediately */
    w->scope = NULL;
    w->scope = dfi_scope_new(w, NULL, DFI_BOTTOM);
    return w->scope ? 0 : -1;
}

static int dfi_worker_stack(struct dfi_worker *w, size_t entries)
{
    void **stack = (void **)dfi_malloc(entries * sizeof *stack);
    if (!stack) return -1;
    dfi_mfree(w->stack);
    dfi_mfree(w->sites);
    w->stack = stack, w->room = w->limit = entries;
    w->sites = NULL;
    return 0;
}

static void dfi_worker_free(struct dfi_worker *w)
{
    struct dfi_scope *s = w->scope;
    if (s) {
        dfi_check_scope_end(s);
        if (s->table) dfi_table_free(w, s);
        dfi_scope_free_locals(s, NULL);
        dfi_error_free(dfi_load_relaxed(&s->error));
    }
    DFI_MODULES(worker_free, (w));
    dfi_blocks_free_all(w);
    dfi_deque_free(w);
    dfi_mfree(w->stack);
    dfi_mfree(w->sites);
    dfi_os_event_free(&w->event);
    dfi_mfree(w->allocated);
}

/* Takes a free worker from a slot, or creates one. NULL: out of memory or slots. */
static struct dfi_worker *dfi_worker_take(size_t entries)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    struct dfi_worker *w = NULL;
    char *p;
    for (i = 0; i < n && !w; i++) {
        w = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (dfi_load_relaxed(&w->attached)) w = NULL;
    }
    if (w) {
        if (w->limit != entries && dfi_worker_stack(w, entries)) return NULL;
        dfi_store_relaxed(&w->attached, DFI_ATTACHED);
        DFI_MODULES(worker, (w));
        dfi_store_seq_cst(&w->hot.asked, (uintptr_t)1);
        return w;
    }
    if (n == DFI_MAX_WORKERS) {
        dfi_warn_once("more than %d threads use df: in the others tasks run at once", DFI_MAX_WORKERS);
        return NULL;
    }
    if (!(p = (char *)dfi_malloc(sizeof *w + DFI_LINE))) {
        dfi_warn_no_memory();
        return NULL;
    }
    memset(p, 0, sizeof *w + DFI_LINE);
    w = (struct dfi_worker *)(void *)(p + (DFI_LINE - (uintptr_t)p % DFI_LINE));
    w->allocated = p;
    w->next_id = (uintptr_t)(n + 1);
    w->first_ring.mask = DFI_DEQUE_SIZE - 1, w->first_ring.item = w->item;
    dfi_store_relaxed(&w->ring, &w->first_ring);
    w->pen.slot = n;
    w->random = (uint32_t)n * 2654435761u + 1;
    if (dfi_os_event_init(&w->event)) {
        dfi_mfree(p);
        return NULL;
    }
    if (dfi_worker_stack(w, entries) || dfi_worker_reset(w)) {
        dfi_warn_no_memory();
        dfi_worker_free(w);
        return NULL;
    }
    dfi_store_relaxed(&w->attached, DFI_ATTACHED);
    DFI_MODULES(worker, (w));
    memcpy(p, (void *)&dfi_pool.rooms, sizeof dfi_pool.rooms);
    dfi_pool.rooms = p;
    dfi_store_release(&dfi_pool.slot[n], w); /* release: publishes the worker; pairs with the acquire of thieves */
    dfi_store_release(&dfi_pool.n_slots, n + 1);
    return w;
}

DFI_SMALL_CODE_END

#endif
