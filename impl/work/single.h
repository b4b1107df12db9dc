/* single.h - life of the pool under DF_SERIAL: one thread, from its first construct to the end of the process
 *
 * Worker 0 is the thread. Further workers are spares (more/spare.h) on green threads (os/green.h): they run tasks
 * while the code that another worker runs waits. Parked, they cost a stack, and stay for the next wait. */
#ifndef DFI_WORK_SINGLE_H
#define DFI_WORK_SINGLE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/result.h"
#include "module.h"
#include "scope.h"
#include "slot.h"
#include "types.h"
#include "worker.h"
#include "../api/config.h"
#include "../api/core.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_SINGLE_DEQUE = 16384 /* ready tasks; further ones run at once */
};
static char dfi_single; /* its address is that of this copy of the implementation */

/* The green thread of h begins to be h. */
static void dfi_helper_is(struct dfi_worker *h)
{
    dfi_be(h);
    dfi_tell(DFI_THREAD_HELPS, h);
}
static void dfi_helper_ends(void) {}

/* Starts the green thread of h. Zero: it runs. */
static int dfi_helper_start(struct dfi_worker *h, void *(*fn)(void *))
{
    dfi_store_relaxed(&h->helper, 1);
    if (!dfi_os_thread_start(&h->thread, fn, h, 0)) return 0;
    dfi_store_relaxed(&h->attached, 0);
    dfi_store_relaxed(&h->helper, 0);
    return -1;
}

static void dfi_unload(void);

static int dfi_start_single(const df_config *c)
{
    struct dfi_worker *w = dfi_me();
    dfi_store_release(&dfi_guest_hook, &dfi_guest_is);
    dfi_logger.log = c ? c->log : NULL;
    dfi_logger.arg = c ? c->log_arg : NULL;
    dfi_tell_of(DFI_POOL_BEGINS, NULL, c, NULL);
    dfi_pool.deque = DFI_SINGLE_DEQUE;
    dfi_pool.n_cpus = 1;
    dfi_store_relaxed(&dfi_pool.n_workers, 1);
    if (!w && !(w = dfi_worker_take(dfi_pool.deque))) return DF_ERROR_MEMORY;
    dfi_os_own((void *)&dfi_self);
    dfi_be(w);
    dfi_tell(DFI_POOL_READY, w);
    dfi_store_relaxed(&w->index, 0);
    dfi_tell(DFI_THREAD_JOINS, w);
    dfi_tell(DFI_POOL_STARTED, NULL);
#if !DFI_GNU
    if (!dfi_pool.module) atexit(dfi_unload);
#endif
    dfi_pool.module = &dfi_single;
    dfi_pool.running = 1;
    dfi_tell(DFI_THREAD_READY, w);
    return 0;
}

static struct dfi_worker *dfi_attach(void)
{
    if (dfi_stays_alone || dfi_guests) return NULL;
    if (!dfi_pool.running) dfi_start_single(NULL);
    return dfi_me();
}
#define dfi_up_attach_by , dfi_attach

DFI_EXTERN_C_BEGIN
DFI_API df_result df_start(const df_config *c)
{
    return dfi_guests || dfi_pool.running ? dfi_start_again(c, 1) : (df_result)dfi_start_single(c);
}

DFI_API DFI_OWN_FRAME void df_stop(void)
{
    struct dfi_worker *w = dfi_me();
    if (!w && !dfi_guests) return;
    if (dfi_guests || w->task || w->scope->outer || dfi_scope_asks(w->scope)) {
        dfi_error(DFI_MESSAGE_STOP_INSIDE);
        return;
    }
    dfi_wait_all(w, w->scope);
    if (dfi_up_scope_ends) dfi_up_scope_ends(w->scope);
    if (!dfi_pool.running) return;
    dfi_tell(DFI_POOL_ENDS, NULL);
    dfi_pool.running = 0;
    dfi_tell(DFI_STOP_CALLED, w);
    dfi_tell(DFI_THREAD_STOPS, w);
}
DFI_EXTERN_C_END

/* At the end of the process, or of the library that embeds df. */
#if DFI_GNU
__attribute__((destructor))
#endif
static void dfi_unload(void)
{
    struct dfi_worker *w = dfi_me_or_host();
    int i;
    if (!w || dfi_pool.module != &dfi_single) return;
    if (!w->scope->outer) {
        if (dfi_up_exits) dfi_up_exits(w->scope);
        if (dfi_up_scope_ends) dfi_up_scope_ends(w->scope);
    }
    dfi_tell(DFI_POOL_ENDS, NULL);
    dfi_tell(DFI_THREAD_LEAVES, w);
    dfi_tell(DFI_POOL_EXITS, NULL);
    dfi_tell(DFI_STOP_AT_EXIT, NULL);
    for (i = 0; i < dfi_pool.n_slots; i++) /* bodies that have not returned use their workers */
        if (dfi_pool.slot[i]->task || dfi_pool.slot[i]->scope->outer) return;
    dfi_be(NULL);
    for (i = 0; i < dfi_pool.n_slots; i++) {
        dfi_worker_free(dfi_pool.slot[i]);
        dfi_pool.slot[i] = NULL;
    }
    dfi_pool.n_slots = dfi_pool.running = 0;
    dfi_pool.rooms = NULL;
    dfi_tell(DFI_POOL_FORGETS, NULL);
    dfi_store_relaxed(&dfi_guest_hook, (dfi_guest_fn *)NULL);
}

DFI_SMALL_CODE_END

#endif
