/* fork.h - fork: the pool of the child, and the registration of the handlers
 *
 * The child begins without workers. Argument: docs/internals/locks.md, "Fork". */
#ifndef DFI_WORK_FORK_H
#define DFI_WORK_FORK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/held.h"
#include "../os/os.h"
#include "blocks.h"
#include "module.h"
#include "slot.h"
#include "types.h"
#include "worker.h"

#if !defined(DF_SERIAL)
DFI_SMALL_CODE_BEGIN

static struct dfi_os_key dfi_thread_key; /* written under the pool lock */

static void dfi_fork_prepare(void)
{
    if (dfi_me()) dfi_flush(dfi_me()); /* all futures of this thread that have not begun are on its stack */
    if (!dfi_fork_begins()) return;
    dfi_os_lock(&dfi_pool_lock);
    dfi_tell(DFI_FORK_PREPARE, NULL);
    dfi_guest_is(1); /* for handlers of the program that run while df's locks are held */
}
static void dfi_fork_parent(void)
{
    if (!dfi_fork_ends()) return;
    dfi_guest_is(0);
    dfi_tell(DFI_FORK_PARENT, NULL);
    dfi_os_unlock(&dfi_pool_lock);
}

enum { DFI_FORK_STEPS = 10000 }; /* a longer list of scopes was changed while it was read */

/* In the child: are there unfinished tasks and futures of the code that forked, whose worker was w? Futures that
 * another thread runs get a state that says so. Those that have not begun can run here. */
static int dfi_fork_leaves(const struct dfi_worker *w)
{
    intptr_t left = 0;
    struct dfi_scope *s;
    int i, k;
    for (s = !dfi_up_task_run || w->task ? NULL : w->scope; s; s = s->kind == DFI_BLOCK ? s->outer : NULL)
        left += (intptr_t)(s->submitted - s->done) + dfi_load_relaxed(&s->pending);
    for (i = 0; i < dfi_load_relaxed(&dfi_pool.n_slots); i++) {
        s = dfi_load_relaxed(&dfi_load_relaxed(&dfi_pool.slot[i])->stolen);
        for (k = 0; s && k < DFI_FORK_STEPS; k++, s = dfi_load_relaxed(&s->under)) {
            struct dfi_future *f = dfi_load_relaxed(&s->future);
            if (s->owner == w || dfi_load_relaxed(&s->victim) != w || dfi_load_relaxed(&f->link) != (void *)s) continue;
            dfi_store_relaxed(&f->link, DFI_F_RUNNING);
            left++;
        }
    }
    return left != 0;
}

/* Only the forking thread exists here. Other workers may have been forked in the middle of a change, so they drop
 * their memory, which stays allocated. */
static void dfi_fork_child(void)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    const struct dfi_worker *w;
    dfi_fork_parent();
    w = dfi_me_or_host();
    if (w) dfi_pool.left = dfi_fork_leaves(w);
    dfi_pool.era++;
    if (w && dfi_load_relaxed(&w->helper)) dfi_signals_set(&dfi_pool.signals); /* it is the main thread here */
    dfi_log_forked(); /* locks that this thread held, because DF_MALLOC forked, are new ones */
    dfi_pool_lock = fresh;
    dfi_store_relaxed(&dfi_pool.running, 0);
    dfi_store_relaxed(&dfi_pool.stopping, 0);
    dfi_store_relaxed(&dfi_pool.parked_idle, 0);
    dfi_store_relaxed(&dfi_pool.parked_waiting, 0);
    dfi_store_relaxed(&dfi_pool.spinning, 0);
    dfi_store_relaxed(&dfi_pool.alive, 0);
    dfi_store_relaxed(&dfi_pool.reporters, 0);
    dfi_pool.ended_made = 0;
    dfi_tell(DFI_FORK_CHILD, NULL);
    dfi_be(NULL);
    dfi_guests = 0;
    if (!dfi_modules) { /* nothing refers to the workers of the parent: the child has workers of its own */
        dfi_pool.before_fork = dfi_pool.rooms;
        dfi_store_relaxed(&dfi_pool.n_slots, n = 0);
    }
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        while (v->chunks) { /* they hold the only pointers to memory that their blocks own */
            struct dfi_chunk *c = v->chunks;
            v->chunks = c->next;
            c->next = (struct dfi_chunk *)dfi_pool.before_fork, dfi_pool.before_fork = c;
        }
        memset(v->free, 0, sizeof v->free);
        memset(v->fresh, 0, sizeof v->fresh);
        memset(v->fresh_end, 0, sizeof v->fresh_end);
        memset(v->carved, 0, sizeof v->carved);
        dfi_store_relaxed(&v->returned, NULL);
        dfi_store_relaxed(&v->attached, 0);
        dfi_store_relaxed(&v->helper, 0);
        /* a worker that cannot be reset stays attached, and so unused */
        if (dfi_os_event_init(&v->event) || dfi_worker_reset(v, NULL)) dfi_store_relaxed(&v->attached, DFI_ATTACHED);
    }
    if (dfi_thread_key.made) dfi_os_at_thread_end(&dfi_thread_key, NULL, NULL);
}

/* Once per process, before the first construct takes the lock: the handlers of fork are registered, and foreign code is
 * recognised. With gcc and clang when the program is loaded, so that df's handlers enclose those of the program: these
 * may use df before a fork and in the child. */
DFI_EXTERN_C_BEGIN
DFI_API void dfi_pool_load(void);
DFI_API void dfi_pool_load(void)
{
    static DFI_ATOMIC(int) registered; /* this module's handlers are */
    const void *none = NULL;
    if (DFI_LIKELY(dfi_load_relaxed(&dfi_pool.loader) != NULL)) return;
    if (!dfi_cas_acq_rel(&dfi_pool.loader, &none, (const void *)&dfi_thread_key)) return; /* relaxed would do */
    dfi_store_release(&dfi_guest_hook, &dfi_guest_is);
    if (!dfi_exchange_acq_rel(&registered, 1)) dfi_os_at_fork(dfi_fork_prepare, dfi_fork_parent, dfi_fork_child);
}
DFI_EXTERN_C_END
#if DFI_GNU
static DFI_AT_LOAD(DFI_LOADS_FIRST) void dfi_pool_loaded(void) { dfi_pool_load(); }
#endif

/* The code of this module goes. */
static void dfi_pool_unload(void)
{
    if (dfi_load_relaxed(&dfi_pool.loader) != (const void *)&dfi_thread_key) return;
    dfi_store_relaxed(&dfi_pool.loader, NULL);
    dfi_store_relaxed(&dfi_guest_hook, (dfi_guest_fn *)NULL);
}

DFI_SMALL_CODE_END
#endif

#endif
