/* hooks.h - hooks between df.h and df_stm.h
 *
 * A program may contain either header without the other, so the called side sets a hook, and the caller tests it. */
#ifndef DFI_API_HOOKS_H
#define DFI_API_HOOKS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "may_block.h"

#define DFI_MESSAGE_RETRY_STUCK "%s: df_retry waits for a change, but nothing is left that could write what the " \
                                "atomic block has read: the block is rolled back and left, as by df_abort; submit " \
                                "the task that writes it"
struct dfi_os_event;
/* What df.h calls in df_stm.h, once a thread has begun an atomic block. */
struct dfi_block_hooks {
    /* Before and after a wait in a block: tasks that run nested in the wait are not part of the block. */
    void *(*suspend)(void);
    void (*resume)(void *suspended);
    /* Fills df_counters.transactions and aborts. */
    void (*count)(uint64_t *transactions, uint64_t *aborts);
};
/* Functions of df.h that are called while df runs. */
struct dfi_df_hooks {
    /* Sleeps in df_retry until *awake, while another thread runs tasks in the caller's place. Nonzero: no thread is
     * left that could write to the block's read set. */
    int (*retry)(const char *site, struct dfi_os_event *e, DFI_ATOMIC(int) *awake);
    /* The `awake` of that call if the thread is a worker, else NULL. Other threads read it, so it outlives the call. */
    DFI_ATOMIC(int) *(*retry_flag)(void);
};
typedef void dfi_attempt_fn(const char *site, int how, const char *other);
typedef void dfi_may_block_fn(void);
DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(const struct dfi_block_hooks *) dfi_block_hooks;
DFI_API DFI_ATOMIC(const struct dfi_df_hooks *) dfi_df_hooks;
/* While df traces, or keeps statistics: this thread begins an attempt of the atomic block at `site`, or ends one; `how`
 * is DFI_ATOMIC_..; other: the block that was in the way, or NULL: none, or it is not known. */
DFI_API DFI_ATOMIC(dfi_attempt_fn *) dfi_attempt_hook;
/* A df_retry of this thread was given up while df did not run: its first scope will have that error. */
DFI_API DFI_TLS int dfi_retry_stuck;
/* The address of this thread's pointer to its current atomic block (NULL outside of blocks). A task that waits inside a
 * block is an error of the program. */
DFI_API void *dfi_no_block = NULL;
DFI_API DFI_TLS void **dfi_block_here = &dfi_no_block;

/* May tasks of this program block, or only in df_mutex_lock (api/may_block.h)? Only rises, normally before main. */
enum { DFI_MAY_ONLY_LOCK = 1, DFI_MAY_WAIT };
DFI_API DFI_ATOMIC(int) dfi_may_block = DFI_BLOCKING_TABLE ? 0 : DFI_MAY_WAIT;
/* While df runs: from now on no task runs inside df_submit. */
DFI_API DFI_ATOMIC(dfi_may_block_fn *) dfi_may_block_hook;
DFI_API DFI_IN_TABLE void dfi_may_block_linked(void)
{
    dfi_may_block_fn *hook = dfi_load_acquire(&dfi_may_block_hook);
    dfi_store_relaxed(&dfi_may_block, (int)DFI_MAY_WAIT);
    if (hook) hook();
}
DFI_API DFI_IN_TABLE void dfi_may_lock_linked(void)
{
    int none = 0;
    dfi_cas_acq_rel(&dfi_may_block, &none, (int)DFI_MAY_ONLY_LOCK); /* relaxed would do */
}
DFI_EXTERN_C_END
/* From LOCKED to RETRIED: as the counters of these names in df_stm_counters */
enum { DFI_ATOMIC_COMMITTED, DFI_ATOMIC_LOCKED, DFI_ATOMIC_TOO_NEW, DFI_ATOMIC_CHANGED, DFI_ATOMIC_TO_LOG,
       DFI_ATOMIC_GAVE_WAY, DFI_ATOMIC_BY_USER, DFI_ATOMIC_RETRIED, DFI_ATOMIC_BEGINS };

DFI_INLINE int dfi_attempted(void) { return DFI_WITH_OBSERVERS && dfi_load_relaxed(&dfi_attempt_hook) != NULL; }

DFI_INLINE void dfi_attempt(const char *site, int how, const char *other)
{
    dfi_attempt_fn *hook; /* relaxed would do: its data is protected by locks */
    hook = DFI_WITH_OBSERVERS ? dfi_load_acquire(&dfi_attempt_hook) : NULL;
    if (DFI_UNLIKELY(hook != NULL)) hook(site, how, other);
}

#endif
