/* worker.h - the pool and the calling thread's worker */
#ifndef DFI_WORK_WORKER_H
#define DFI_WORK_WORKER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/core.h"
#include "types.h"

DFI_EXTERN_C_BEGIN
/* The worker of threads without one: it directs their first construct to the slow path. */
DFI_API struct dfi_hot dfi_nobody = { NULL, { 0 }, 1, { 0 }, NULL, NULL, NULL };
DFI_API DFI_TLS struct dfi_hot *dfi_self = &dfi_nobody;
DFI_API struct dfi_os_mutex dfi_pool_lock = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_pool dfi_pool;
DFI_EXTERN_C_END

/* The worker that the calling thread gets now, because it has none or the pool does not run. NULL: out of memory. */
DFI_UPCALL(struct dfi_worker *, dfi_up_attach, (void));

/* Above 0: there was no memory to make the calling thread a worker, and it does not try again before the construct that
 * it is in ends. */
static DFI_TLS int dfi_stays_alone;

/* Above 0: the thread runs foreign code that df calls in the middle of its own work, such as the log function. Its
 * constructs are calls of functions, which neither see what df is about to change nor start df. */
static DFI_TLS int dfi_guests;
static DFI_TLS struct dfi_hot *dfi_host; /* the `dfi_self` of such a thread */

static struct dfi_worker *dfi_me(void) /* NULL: not attached yet */
{
    return dfi_self == &dfi_nobody ? NULL : (struct dfi_worker *)(void *)dfi_self;
}

/* The same, also for foreign code. */
static struct dfi_worker *dfi_me_or_host(void)
{
    return dfi_guests && dfi_host != &dfi_nobody ? (struct dfi_worker *)(void *)dfi_host : dfi_me();
}

/* dfi_guest_hook */
static DFI_NOINLINE void dfi_guest_is(int begins)
{
    if (begins) {
        if (!dfi_guests++) dfi_host = dfi_self, dfi_self = &dfi_nobody;
    } else if (dfi_guests && !--dfi_guests) dfi_self = dfi_host; /* it is 0 in the child of a fork by foreign code */
}

#if !defined(DF_SERIAL)
/* The worker of a thread that ends, perhaps in foreign code. */
static DFI_NOINLINE struct dfi_worker *dfi_me_at_end(void)
{
    if (dfi_guests && dfi_host != &dfi_nobody) dfi_guests = 1, dfi_guest_is(0);
    return dfi_me();
}
#endif

/* The identity of a thread, such as the holder of a lock: an address that only this thread has. */
static void *dfi_thread_id(void)
{
#if defined(DF_SERIAL)
    return dfi_os_self();
#else
    return (void *)&dfi_self;
#endif
}

/* The calling thread's worker. The first call starts the pool. NULL: out of memory, and all work runs immediately. */
static struct dfi_worker *dfi_me_attached(void)
{
    struct dfi_worker *w = dfi_me();
    /* acquire; pairs with the store in dfi_start_locked, which may have changed the index of w */
    return w && dfi_load_acquire(&dfi_pool.running) ? w : dfi_up_attach();
}

/* The same for functions that answer foreign code. */
static DFI_NOINLINE struct dfi_worker *dfi_me_asked(void) { return dfi_guests ? dfi_me_or_host() : dfi_me_attached(); }

/* Called in a wait of a thread without a worker, and at the start of a pool. 1: the process is the child of a fork that
 * left unfinished work to its parent; it is told once. */
static DFI_NOINLINE DFI_COLD int dfi_fork_left(void)
{
    if (DFI_ALONE || !dfi_pool.left || dfi_guests) return 0;
    dfi_pool.left = 0;
    dfi_warn("the child of a fork does not do what its parent had begun: call df_wait and df_sync before fork");
    return 1;
}

/* Is there no thread that could take work of the calling one? */
DFI_FAST int dfi_alone(void) { return DFI_ALONE || dfi_load_relaxed(&dfi_pool.n_slots) == 1; }

/* The number of workers: acquire, so that a thread that reads it finds each of them. Pairs with the release in
 * dfi_helpers_start. */
DFI_INLINE int dfi_workers(void) { return dfi_load_acquire(&dfi_pool.n_workers); }

/* Shall w begin no further task? */
DFI_INLINE int dfi_retires(const struct dfi_worker *w) { return !DFI_ALONE && dfi_load_relaxed(&w->retires); }

/* Does the pool end: DFI_STOP_..? Under DF_SERIAL there are no helpers to be told. */
DFI_INLINE int dfi_stopping(void) { return DFI_ALONE ? 0 : dfi_load_seq_cst(&dfi_pool.stopping); }

/* The attached worker with that index, or NULL. */
static struct dfi_worker *dfi_worker_of(int index)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (dfi_load_relaxed(&v->index) == index) return v;
    }
    return NULL;
}

#endif
