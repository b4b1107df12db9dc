/* dfi_stm_hook.h - what df.h and df_stm.h know of each other: whichever is there sets it */
#ifndef DFI_STM_HOOK_H
#define DFI_STM_HOOK_H

DFI_EXTERN_C_BEGIN
/* Where this thread keeps the atomic block that it is in, or NULL. A task that waits there is a mistake. */
DFI_API void *dfi_no_block = NULL;
DFI_API DFI_TLS void **dfi_block_here = &dfi_no_block;
/* df_yield_blocking once df runs: another thread takes the place of one that sleeps in df_retry. */
DFI_API void (*dfi_yield_hook)(void (*fn)(void *arg), void *arg) = NULL;
/* Before a wait in a block, and after it: what runs on top is not part of the block. */
DFI_API void *(*dfi_suspend_hook)(void) = NULL;
DFI_API void (*dfi_resume_hook)(void *suspended) = NULL;
DFI_EXTERN_C_END

DFI_UNUSED static void dfi_block_thread(void (*fn)(void *arg), void *arg)
{
    void (*yield)(void (*fn)(void *), void *) = dfi_load_acquire(&dfi_yield_hook);
    if (yield) yield(fn, arg);
    else fn(arg);
}

#endif
