/* thread.h - attaching and detaching of threads, the table of ownership records, fork, waits in a block */
#ifndef DFI_STM_THREAD_H
#define DFI_STM_THREAD_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/system.h"
#include "../api/stm_core.h"
#include "block.h"
#include "commit.h"
#include "../api/hooks.h"
#include "left.h"
#include "state.h"
#include "stats.h"

DFI_SMALL_CODE_BEGIN
static struct dfi_os_key dfi_tm_key; /* life_lock */

/* Gives a record its first logs. */
static void dfi_tm_furnish(struct dfi_tm *t)
{
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    t->reads = t->read_end = r->reads, t->read_max = r->reads + DFI_TM_READS;
    dfi_tm_lay_out(t, r->writes, DFI_TM_WRITES);
    t->undo = NULL, t->events = NULL, t->max_undo = t->max_events = 0;
    t->n_writes = t->n_undo = t->n_events = 0;
    t->few = DFI_TM_FEW;
}

/* Adds t to the list of all records. pre: life_lock is held */
static void dfi_tm_list(struct dfi_tm *t)
{
    t->next = dfi_load_relaxed(&dfi_stm.all);
    /* seq_cst: before t is active for the first time; pairs with the load in dfi_tm_quiesce_inline */
    dfi_store_seq_cst(&dfi_stm.all, t);
}

/* At the end of a thread. */
static void dfi_tm_detach(void *p)
{
    struct dfi_tm *t = (struct dfi_tm *)p;
    if (dfi_tm_self != t) return; /* forked since */
    if (t->inner) {
        dfi_error(DFI_MESSAGE_TM_THREAD_END, dfi_tm_place(t)); /* the stack frame of the block is gone */
        dfi_tm_give_up(t);
        if (dfi_tm_self != t) return; /* it was the spare one */
    }
    if (t->spare) {
        t->spare = 1; /* it may have ended in a handler */
        dfi_tm_spare_back(t);
        return;
    }
    dfi_tm_free_old(t, 1);
    dfi_tm_be(&dfi_tm_nobody);
    dfi_mfree(dfi_tm_room_of(t)->freed);
    dfi_tm_room_of(t)->freed = NULL, dfi_tm_room_of(t)->max_freed = 0;
    dfi_tm_drop(t, t->reads);
    dfi_tm_drop(t, t->writes);
    dfi_tm_drop(t, t->undo);
    dfi_tm_drop(t, t->events);
    dfi_tm_furnish(t);
    dfi_os_lock(&dfi_stm.life_lock);
    t->next_free = dfi_stm.free, dfi_stm.free = t;
    dfi_stm.n_attached--;
    dfi_os_unlock(&dfi_stm.life_lock);
}

/* --- fork: only the forking thread continues in the child ------------------------------------------- */

static void dfi_tm_fork_prepare(void)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!dfi_fork_begins()) return;
    if (!t->alone) {
        dfi_os_hold(&dfi_stm.alone_lock);
        dfi_tm_keep_out(t);
    }
    dfi_os_lock(&dfi_stm.life_lock);
    dfi_os_lock(&dfi_stm.sleep_lock);
}

static void dfi_tm_fork_parent(void)
{
    if (!dfi_fork_ends()) return;
    dfi_os_unlock(&dfi_stm.sleep_lock);
    dfi_os_unlock(&dfi_stm.life_lock);
    if (!dfi_tm_self->alone) dfi_tm_let_in();
}

static void dfi_tm_fork_child(void)
{
    struct dfi_tm *t = dfi_tm_self, *u;
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_tm_fork_parent();
    dfi_log_forked();
    dfi_stm.sleep_lock = dfi_stm.life_lock = fresh;
    if (!t->spare) dfi_stm.spare_lock = fresh;
    /* the records of the other threads stay, out of use; one may have been about to begin a block */
    for (u = dfi_load_relaxed(&dfi_stm.all); u; u = u->next)
        if (u != t) dfi_store_relaxed(&u->active, (uintptr_t)0);
    if (!t->spare) {
        dfi_tm_spare.tm.spare = 0;
        dfi_tm_spare.tm.inner = NULL;
    }
    dfi_stm.sleepers = NULL;
    dfi_store_relaxed(&dfi_stm.n_sleepers, 0);
}

/* --- a wait in a block: the thread has another record meanwhile -------------------------------------- */

/* NULL: it keeps its record. */
static void *dfi_tm_suspend(void)
{
    struct dfi_tm *t = dfi_tm_self;
    dfi_error("%s: the atomic block that begins here waits for tasks, which may wait for the block: df suspends the "
              "block meanwhile if it can; wait before or after the block", dfi_tm_place(t));
    if (DFI_TM_VALUES && !t->direct && !t->forgot && !t->spare) dfi_tm_alone_end(t); /* its log is complete */
    if (t->alone || t->spare) return NULL; /* no other record: tasks that run meanwhile are in the block */
    dfi_tm_end_reading(t); /* the task it waits for may wait for its end */
    t->resumed = t->odd = 1;
    dfi_store_relaxed(&t->asked, 1);
    dfi_tm_be(&dfi_tm_nobody);
    return t;
}

/* Makes t the record of the calling thread again, which had no record or another one meanwhile. */
static void dfi_tm_be_again(struct dfi_tm *t)
{
    if (dfi_tm_self != &dfi_tm_nobody) dfi_tm_detach(dfi_tm_self);
    dfi_tm_be(t);
    dfi_os_lock(&dfi_stm.life_lock);
    dfi_os_at_thread_end(&dfi_tm_key, dfi_tm_detach, t);
    dfi_os_unlock(&dfi_stm.life_lock);
}

static void dfi_tm_resume(void *p) { dfi_tm_be_again((struct dfi_tm *)p); }

static const struct dfi_block_hooks dfi_tm_hooks = { dfi_tm_suspend, dfi_tm_resume, dfi_tm_totals };

/* --- attach --------------------------------------------------------------------------------------- */

/* Allocates the table of ownership records, for the first block of the process. Any size is correct, because stripes
 * may share a record: without memory the table is smaller, and at last the static one, and there are more conflicts.
 * pre: life_lock is held */
static void dfi_tm_make_orecs(void)
{
    const size_t most = DF_STM_ORECS, least = most < DFI_TM_FEW_ORECS ? most : (size_t)DFI_TM_FEW_ORECS;
    size_t n = most;
    char *room = NULL;
    if (DFI_TM_VALUES) { /* the clock is the only one */
        dfi_stm.orecs = &dfi_stm.clock, dfi_stm.orec_mask = 0;
        if (DFI_TM_FENCES && !dfi_os_fence_all()) dfi_store_seq_cst(&dfi_stm.fenced, 1);
        return;
    }
    while (n > least && !(room = (char *)dfi_zeroed(n * sizeof(dfi_orec) + 64))) n /= 8;
    if (!room) n = least;
    dfi_stm.orec_room = room;
    dfi_stm.orecs = room ? (dfi_orec *)(void *)(room + (64 - (uintptr_t)room % 64)) : dfi_tm_few_orecs;
    dfi_stm.orec_mask = (uintptr_t)(n - 1) * sizeof(dfi_orec);
}

/* A record of the calling thread's own, or NULL without memory. pre: life_lock is held */
static struct dfi_tm *dfi_tm_new_record(void)
{
    struct dfi_tm *t = dfi_stm.free;
    char *room;
    if (t) {
        dfi_stm.free = t->next_free;
        return t;
    }
    if (!(room = (char *)dfi_zeroed(sizeof(struct dfi_tm_room) + 64))) return NULL;
    memcpy(room, (void *)&dfi_stm.rooms, sizeof dfi_stm.rooms);
    dfi_stm.rooms = room;
    t = (struct dfi_tm *)(void *)(room + (64 - (uintptr_t)room % 64)); /* begins with a cache line */
    dfi_tm_furnish(t);
    dfi_tm_list(t);
    return t;
}

/* The record of threads without memory for one. One thread at a time uses it. pre: spare_lock and life_lock are
 * held */
static struct dfi_tm *dfi_tm_take_spare(void)
{
    struct dfi_tm *t = &dfi_tm_spare.tm;
    if (!t->spare) dfi_tm_furnish(t);
    t->spare = t->odd = 1;
    if (!dfi_stm.spare_listed) dfi_tm_list(t);
    dfi_stm.n_attached += (size_t)!dfi_stm.spare_listed;
    dfi_stm.spare_listed = 1;
    return t;
}

/* Once per process, before the first block takes a lock: the handlers of fork are registered, after those of the pool,
 * because the blocks of other threads may need its lock before they end (docs/internals/locks.md). */
DFI_EXTERN_C_BEGIN
DFI_API void dfi_tm_load(void);
DFI_API void dfi_tm_load(void)
{
    static DFI_ATOMIC(int) registered; /* this module's handlers are */
    const void *none = NULL;
    if (DFI_LIKELY(dfi_load_relaxed(&dfi_stm.loader) != NULL)) return;
    if (!dfi_cas_acq_rel(&dfi_stm.loader, &none, (const void *)&dfi_tm_key)) return; /* relaxed would do */
    if (!dfi_exchange_acq_rel(&registered, 1))
        dfi_os_at_fork(dfi_tm_fork_prepare, dfi_tm_fork_parent, dfi_tm_fork_child);
}
DFI_EXTERN_C_END
#if DFI_GNU
static DFI_AT_LOAD(DFI_LOADS_SECOND) void dfi_tm_loaded(void)
{
    dfi_tm_load();
    if (DFI_TM_FENCES) dfi_os_fence_load();
}
#endif

/* Gives the calling thread a record. NULL: in a signal handler that interrupts this function. */
static struct dfi_tm *dfi_tm_attach(void)
{
    static DFI_TLS volatile int attaches;
    struct dfi_tm *t;
    if (attaches) return NULL;
    attaches = 1;
    dfi_tm_load();
    dfi_os_lock(&dfi_stm.life_lock);
    if ((t = dfi_tm_new_record()) != NULL) dfi_stm.n_attached++;
    else {
        dfi_os_unlock(&dfi_stm.life_lock);
        dfi_warn_once("out of memory: some threads execute their atomic blocks one after another; run fewer threads");
        dfi_os_hold(&dfi_stm.spare_lock);
        dfi_os_lock(&dfi_stm.life_lock);
        t = dfi_tm_take_spare();
    }
    if (!dfi_stm.orecs) dfi_tm_make_orecs();
    t->orecs = dfi_stm.orecs, t->orec_mask = dfi_stm.orec_mask; /* they do not change while t is attached */
    t->fenced = (unsigned char)dfi_load_relaxed(&dfi_stm.fenced);
    if (!t->random) t->random = (uint32_t)((uintptr_t)t >> 6) | 1;
    t->thrown = dfi_tm_uncaught();
    dfi_os_at_thread_end(&dfi_tm_key, dfi_tm_detach, t);
    dfi_store_release(&dfi_block_hooks, &dfi_tm_hooks);
    dfi_os_unlock(&dfi_stm.life_lock);
    dfi_tm_be(t);
    attaches = 0;
    if (!DFI_TM_VALUES && t->orec_mask != (DF_STM_ORECS - 1) * sizeof(dfi_orec))
        dfi_warn_once("out of memory: df_stm.h guards memory by %u ownership records instead of %u, so atomic blocks "
                      "abort more often; lower DF_STM_ORECS",
                      (unsigned)(t->orec_mask / sizeof(dfi_orec) + 1), (unsigned)DF_STM_ORECS);
    return t;
}

#if DFI_GNU
/* The destructor of threads is unloaded with its module. The table is freed unless other threads may still be in a
 * block. */
static DFI_COLD __attribute__((destructor)) void dfi_tm_unload(void)
{
    struct dfi_tm *t = dfi_tm_self;
    int mine = t != &dfi_tm_nobody && !t->inner && !t->spare, last;
    if (dfi_locks.held) return; /* DF_MALLOC, or a handler of fork, ends the process */
    if (dfi_load_relaxed(&dfi_stm.loader) == (const void *)&dfi_tm_key) dfi_store_relaxed(&dfi_stm.loader, NULL);
    dfi_os_lock(&dfi_stm.life_lock);
    if (!dfi_tm_key.made) { /* another module's copy of the implementation was in use */
        dfi_os_unlock(&dfi_stm.life_lock);
        return;
    }
    dfi_os_key_free(&dfi_tm_key);
    last = dfi_stm.n_attached == (size_t)mine;
    dfi_os_unlock(&dfi_stm.life_lock);
    if (!last) return;
    if (mine) dfi_tm_detach(t);
    dfi_os_lock(&dfi_stm.life_lock);
    if (!dfi_stm.n_attached) { /* else a thread has begun its first block meanwhile */
        dfi_mfree(dfi_stm.orec_room);
        dfi_stm.orecs = NULL, dfi_stm.orec_room = NULL;
    }
    dfi_os_unlock(&dfi_stm.life_lock);
}
#endif

DFI_SMALL_CODE_END

#endif
