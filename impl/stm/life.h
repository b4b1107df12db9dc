/* life.h - records of threads, from their first block to their end; fork */
#ifndef DFI_STM_LIFE_H
#define DFI_STM_LIFE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../os/wait.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "commit.h"
#include "hook.h"
#include "left.h"
#include "retry.h"
#include "state.h"

static struct dfi_os_key dfi_tm_key; /* life_lock */
static void dfi_tm_totals(uint64_t *transactions, uint64_t *aborts);

/* The calling thread has this record. */
static void dfi_tm_be(struct dfi_tm *t)
{
    dfi_tm_self = t;
    dfi_block_here = (void **)(void *)&t->inner;
}

/* The first logs of a record. */
static void dfi_tm_furnish(struct dfi_tm *t)
{
    struct dfi_tm_room *r = dfi_tm_room_of(t);
    t->reads = t->read_end = r->reads, t->read_max = r->reads + DFI_TM_READS;
    t->writes = r->writes, t->locks = r->locks, t->max_writes = DFI_TM_WRITES;
    t->buckets = r->buckets, t->n_buckets = 2 * DFI_TM_WRITES, t->bucket_shift = 35 - 7;
    memset(r->buckets, 0, sizeof r->buckets);
    t->stamp = 1;
    t->undo = NULL, t->events = NULL, t->max_undo = t->max_events = 0;
    t->n_writes = t->n_undo = t->n_events = t->n_locks = 0;
}

/* Others will see t. pre: life_lock. 0, or -1 without memory. */
static int dfi_tm_attach_record(struct dfi_tm *t)
{
    struct dfi_tm_threads *all = dfi_load_relaxed(&dfi_stm.threads);
    size_t n = dfi_load_relaxed(&all->n);
    if (n == all->max) {
        struct dfi_tm_threads *more = (struct dfi_tm_threads *)dfi_malloc(sizeof *more + 2 * n * sizeof *more->tm);
        if (!more) return -1;
        more->tm = (struct dfi_tm **)(void *)(more + 1);
        memcpy(more->tm, all->tm, n * sizeof *more->tm);
        more->max = 2 * n, more->older = all;
        dfi_store_relaxed(&more->n, n);
        dfi_store_seq_cst(&dfi_stm.threads, more);
        all = more;
    }
    all->tm[n] = t;
    dfi_store_seq_cst(&all->n, n + 1); /* seq_cst: before t is active for the first time; pairs with the load in dfi_tm_quiesce */
    return 0;
}

static void dfi_tm_spare_back(struct dfi_tm *t)
{
    if (DFI_LIKELY(!t->spare) || dfi_tm_self != t) return;
    dfi_tm_be(&dfi_tm_nobody);
    dfi_os_unlock(&dfi_stm.spare_lock);
}

static void dfi_tm_detach(void *p) /* at the end of its thread */
{
    struct dfi_tm *t = (struct dfi_tm *)p;
    if (dfi_tm_self != t) return; /* forked since */
    if (t->inner) {
        dfi_error(DFI_MESSAGE_TM_THREAD_END, t->site); /* the block is in a frame that is gone */
        dfi_tm_give_up(t);
        if (dfi_tm_self != t) return; /* the spare one */
    }
    if (t->spare) {
        dfi_tm_spare_back(t);
        return;
    }
    dfi_tm_free_old(t, 1);
    dfi_tm_be(&dfi_tm_nobody);
    dfi_mfree(dfi_tm_room_of(t)->freed);
    dfi_tm_room_of(t)->freed = NULL, dfi_tm_room_of(t)->max_freed = 0;
    dfi_tm_drop(t, t->reads), dfi_tm_drop(t, t->writes), dfi_tm_drop(t, t->locks);
    dfi_tm_drop(t, t->buckets), dfi_tm_drop(t, t->undo), dfi_tm_drop(t, t->events);
    dfi_tm_furnish(t);
    dfi_os_lock(&dfi_stm.life_lock);
    t->next_free = dfi_stm.free, dfi_stm.free = t;
    dfi_os_unlock(&dfi_stm.life_lock);
}

/* --- fork: only the forking thread goes on in the child --------------------------------------------- */

#if DFI_POSIX
static void dfi_tm_fork_prepare(void)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!t->alone) {
        dfi_os_lock(&dfi_stm.alone_lock);
        dfi_tm_keep_out(t);
    }
    dfi_os_lock(&dfi_stm.life_lock);
    dfi_os_lock(&dfi_stm.sleep_lock);
}

static void dfi_tm_fork_parent(void)
{
    dfi_os_unlock(&dfi_stm.sleep_lock);
    dfi_os_unlock(&dfi_stm.life_lock);
    if (!dfi_tm_self->alone) dfi_tm_let_in();
}

static void dfi_tm_fork_child(void)
{
    struct dfi_tm *t = dfi_tm_self;
    struct dfi_tm_threads *all = dfi_load_relaxed(&dfi_stm.threads);
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    size_t i;
    dfi_stm.sleep_lock = dfi_stm.life_lock = fresh;
    if (!t->spare) dfi_stm.spare_lock = fresh;
    if (!t->alone) {
        dfi_fetch_sub_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_ALONE);
        dfi_stm.alone_lock = fresh;
    }
    /* the records of the other threads stay, out of use; one may just have been about to begin */
    for (i = 0; i < dfi_load_relaxed(&all->n); i++)
        if (all->tm[i] != t) dfi_store_relaxed(&all->tm[i]->active, (uintptr_t)0);
    if (!t->spare) {
        dfi_tm_spare.tm.spare = 0;
        dfi_tm_spare.tm.inner = NULL;
    }
    dfi_stm.sleepers = NULL;
    dfi_store_relaxed(&dfi_stm.n_sleepers, 0);
}
#endif

/* --- a wait in a block: the thread has another record meanwhile -------------------------------------- */

static void *dfi_tm_suspend(void)
{
    struct dfi_tm *t = dfi_tm_self;
    dfi_error("%s: the atomic block that begins here waits for tasks: they may wait for it; wait before or after "
              "the block", t->site);
    if (t->alone || t->spare) return NULL; /* what runs on top has to be part of it: there is no other record */
    dfi_tm_end_reading(t); /* who waits for its end may be who it waits for */
    t->resumed = t->odd = 1;
    dfi_store_relaxed(&t->asked, 1);
    dfi_tm_be(&dfi_tm_nobody);
    return t;
}

/* The calling thread, which had no record or another one meanwhile, has this one again. */
static void dfi_tm_be_again(struct dfi_tm *t)
{
    if (dfi_tm_self != &dfi_tm_nobody) dfi_tm_detach(dfi_tm_self);
    dfi_tm_be(t);
    dfi_os_lock(&dfi_stm.life_lock);
    dfi_os_at_thread_end(&dfi_tm_key, dfi_tm_detach, t);
    dfi_os_unlock(&dfi_stm.life_lock);
}

static void dfi_tm_resume(void *p) { dfi_tm_be_again((struct dfi_tm *)p); }

/* --- attach --------------------------------------------------------------------------------------- */

/* NULL: in a signal handler that interrupts it. */
static DFI_COLD struct dfi_tm *dfi_tm_attach(void)
{
    static DFI_TLS volatile int attaches;
    struct dfi_tm *t;
    if (attaches) return NULL;
    attaches = 1;
    dfi_os_lock(&dfi_stm.life_lock);
    if ((t = dfi_stm.free) != NULL) dfi_stm.free = t->next_free;
    else {
        char *room = (char *)dfi_malloc(sizeof(struct dfi_tm_room) + 64);
        if (room) {
            struct dfi_tm_room *r = (struct dfi_tm_room *)(void *)(room + (64 - (uintptr_t)room % 64)); /* a line of its own */
            memset(r, 0, sizeof *r);
            t = &r->tm;
            dfi_tm_furnish(t);
            if (dfi_tm_attach_record(t)) {
                dfi_mfree(room);
                t = NULL;
            } else {
                memcpy(room, (void *)&dfi_stm.rooms, sizeof dfi_stm.rooms);
                dfi_stm.rooms = room;
            }
        }
    }
    if (t) {
        if (!t->random) t->random = (uint32_t)((uintptr_t)t >> 6) | 1;
        dfi_os_at_thread_end(&dfi_tm_key, dfi_tm_detach, t);
    }
    dfi_store_release(&dfi_suspend_hook, &dfi_tm_suspend);
    dfi_store_release(&dfi_resume_hook, &dfi_tm_resume);
    dfi_store_release(&dfi_tm_count_hook, &dfi_tm_totals);
#if DFI_POSIX
    if (!dfi_stm.fork_handlers && !pthread_atfork(dfi_tm_fork_prepare, dfi_tm_fork_parent, dfi_tm_fork_child))
        dfi_stm.fork_handlers = 1;
#endif
    dfi_os_unlock(&dfi_stm.life_lock);
    if (!t) { /* one thread at a time uses the spare record */
        dfi_warn_once("out of memory: some threads run their atomic blocks one after another");
        dfi_os_lock(&dfi_stm.spare_lock);
        t = &dfi_tm_spare.tm;
        if (!t->spare) dfi_tm_furnish(t);
        t->spare = t->odd = 1;
        dfi_store_seq_cst(&dfi_stm.spare_unused, (size_t)0); /* seq_cst: before it is active, as in dfi_tm_attach_record */
        dfi_os_lock(&dfi_stm.life_lock);
        dfi_os_at_thread_end(&dfi_tm_key, dfi_tm_detach, t);
        dfi_os_unlock(&dfi_stm.life_lock);
    }
    t->thrown = dfi_tm_uncaught();
    dfi_tm_be(t);
    attaches = 0;
    return t;
}

#if DFI_GNU && DFI_POSIX
/* The code that would run at the end of threads goes away with its module. */
static __attribute__((destructor)) void dfi_tm_unload(void)
{
    dfi_os_lock(&dfi_stm.life_lock);
    if (dfi_tm_key.made) pthread_key_delete(dfi_tm_key.key);
    dfi_tm_key.made = 0;
    dfi_os_unlock(&dfi_stm.life_lock);
}
#endif

/* All versions begin anew. pre: t is not active */
static DFI_COLD void dfi_tm_reset_clock(struct dfi_tm *t)
{
    size_t i;
    dfi_tm_alone_begin(t);
    if (dfi_load_relaxed(&dfi_stm.clock) >= DFI_TM_CLOCK_END) { /* nobody did it meanwhile */
        for (i = 0; i < DFI_TM_ORECS; i++) dfi_store_relaxed(&dfi_tm_orecs[i], (uintptr_t)0);
        dfi_store_seq_cst(&dfi_stm.clock, (uintptr_t)DFI_TM_TICK | DFI_TM_ALONE);
        dfi_tm_wake(1); /* what they read cannot be told from what is written now */
    }
    dfi_tm_alone_end(t);
}

DFI_INLINE void dfi_tm_fill(struct dfi_tm_block *b, int kind, void (*to_jump)(void *))
{
    b->to_jump = to_jump;
    b->alternative = 0;
    b->open = b->ran = 1, b->left = 0;
    b->kind = (unsigned char)kind;
}

/* pre: no block is open. caller: where in the code. */
DFI_INLINE struct dfi_tm_block *dfi_tm_begin_outermost(struct dfi_tm *t, struct dfi_tm_block *b, const char *site, uintptr_t caller, int kind,
                                                       void (*to_jump)(void *), const void *where)
{
    /* by the call, as several blocks may be in one line */
    uintptr_t key = kind & DFI_TM_CALLED || !DFI_CALLER ? (uintptr_t)site : caller;
    t->inner = t->outermost = b;
    b->outer = NULL, b->from = dfi_tm_return_of(where);
    dfi_tm_fill(b, kind, to_jump);
    t->site = site;
    t->prediction = &t->log_for[(key ^ key >> 6) % DFI_TM_PREDICTIONS];
    t->logs = *t->prediction;
    t->buffers = 1;
    dfi_attempt(site, DFI_ATOMIC_BEGINS);
    dfi_tm_begin_reading(t);
    return b;
}

/* The first block of a thread, or one in another block that may have been left. */
static DFI_COLD struct dfi_tm_block *dfi_tm_begin_first(struct dfi_tm_block *b, const char *site, uintptr_t caller, int kind,
                                                        void (*to_jump)(void *), const void *where)
{
    struct dfi_tm *t = dfi_tm_self;
    if (t->inner && dfi_tm_settle(t, site, caller, kind, where)) return dfi_tm_not_now(b, NULL);
    t = dfi_tm_self; /* a block that was left may have had the spare record */
    if (t == &dfi_tm_nobody && !(t = dfi_tm_attach())) return dfi_tm_not_now(b, site);
    if (!t->inner) return dfi_tm_begin_outermost(t, b, site, caller, kind, to_jump, where);
    dfi_tm_fill(b, kind, to_jump);
    return dfi_tm_nest(t, b, where);
}

static DFI_TM_ANY_FRAME struct dfi_tm_block *dfi_tm_begin_nested(struct dfi_tm_block *b, const char *site, uintptr_t caller, int kind,
                                                                 void (*to_jump)(void *), const void *where)
{
    struct dfi_tm *t = dfi_tm_self;
    if (DFI_UNLIKELY(!t->inner || !dfi_tm_nests(t, caller, kind, where))) return dfi_tm_begin_first(b, site, caller, kind, to_jump, where);
    dfi_tm_fill(b, kind, to_jump);
    return dfi_tm_nest(t, b, where);
}

DFI_INLINE struct dfi_tm_block *dfi_tm_begin(struct dfi_tm_block *b, const char *site, uintptr_t caller, int kind, void (*to_jump)(void *),
                                             const void *where)
{
    struct dfi_tm *t = dfi_tm_self;
    if (DFI_UNLIKELY(t == &dfi_tm_nobody || t->inner)) return dfi_tm_begin_nested(b, site, caller, kind, to_jump, where);
    return dfi_tm_begin_outermost(t, b, site, caller, kind, to_jump, where);
}

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_tm_block *dfi_tm_enter(struct dfi_tm_block *b, const char *site, int kind, void (*to_jump)(void *), const void *where)
{
    return dfi_tm_begin(b, site, DFI_CALLER, kind, to_jump, where);
}
/* In code that is compiled with exceptions. */
DFI_API struct dfi_tm_block *dfi_tm_enter_unwound(struct dfi_tm_block *b, const char *site, int kind, void (*to_jump)(void *), const void *where)
{
    if (DFI_LIKELY(dfi_tm_begin(b, site, DFI_CALLER, kind, to_jump, where)->open)) b->thrown = *dfi_tm_self->thrown;
    return b;
}

DFI_API int dfi_tm_was_left(struct dfi_tm_block *b)
{
    struct dfi_tm *t = dfi_tm_self;
    b->open = 0;
    t->inner = b->outer;
    if (!b->outer) dfi_tm_spare_back(t);
    return 0;
}
DFI_EXTERN_C_END

#endif
