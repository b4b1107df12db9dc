/* dfi_stm_hook.h - what df.h and df_stm.h know of each other: whichever is there sets it */
#ifndef DFI_STM_HOOK_H
#define DFI_STM_HOOK_H

DFI_EXTERN_C_BEGIN
/* Where this thread keeps the atomic block that it is in, or NULL. A task that waits there is a mistake. */
DFI_API void *dfi_no_block = NULL;
DFI_API DFI_TLS void **dfi_block_here = &dfi_no_block;
/* dfi_yield once df runs: another thread takes the place of one that sleeps in df_retry. */
DFI_API void (*dfi_yield_hook)(const char *what, const char *site, void (*fn)(void *arg), void *arg) = NULL;
/* Before a wait in a block, and after it: what runs on top is not part of the block. */
DFI_API void *(*dfi_suspend_hook)(void) = NULL;
DFI_API void (*dfi_resume_hook)(void *suspended) = NULL;
/* While df traces: this thread tries the atomic block at `site` from now on, or ends to, as `how` says. */
DFI_API void (*dfi_attempt_hook)(const char *site, int how) = NULL;
/* df_counters.transactions and aborts. */
DFI_API void (*dfi_tm_count_hook)(uint64_t *transactions, uint64_t *aborts) = NULL;
DFI_EXTERN_C_END
enum { DFI_ATOMIC_COMMITTED, DFI_ATOMIC_ABORTED, DFI_ATOMIC_RETRIED, DFI_ATOMIC_BEGINS }; /* RETRIED: by df_retry */

DFI_INLINE void dfi_attempt(const char *site, int how)
{
    void (*hook)(const char *, int) = dfi_load_acquire(&dfi_attempt_hook); /* relaxed would do: what it leads to is under locks */
    if (DFI_UNLIKELY(hook != NULL)) hook(site, how);
}

DFI_UNUSED static void dfi_block_thread(const char *what, const char *site, void (*fn)(void *arg), void *arg)
{
    void (*yield)(const char *, const char *, void (*)(void *), void *) = dfi_load_acquire(&dfi_yield_hook);
    if (yield) yield(what, site, fn, arg);
    else fn(arg);
}

#endif
