/* dfi_stm_hook.h - what df.h and df_stm.h know of each other: whichever is there sets it */
#ifndef DFI_STM_HOOK_H
#define DFI_STM_HOOK_H

DFI_EXTERN_C_BEGIN
/* Where the outermost atomic block that this thread is in begins, or NULL. A task that waits there is a mistake. */
DFI_API DFI_TLS const char *dfi_in_atomic = NULL;
#if !defined(DF_SERIAL)
/* df_yield_blocking once df runs: another thread takes the place of one that sleeps in df_retry. */
DFI_API void (*dfi_yield_hook)(void (*fn)(void *arg), void *arg) = NULL;
/* Before a wait in a block, and after it: what runs on top is not part of the block. */
DFI_API void *(*dfi_suspend_hook)(void) = NULL;
DFI_API void (*dfi_resume_hook)(void *suspended) = NULL;
#endif
DFI_EXTERN_C_END

#if !defined(DF_SERIAL)
DFI_UNUSED static void dfi_block_thread(void (*fn)(void *arg), void *arg)
{
    void (*yield)(void (*fn)(void *), void *) = dfi_load_acquire(&dfi_yield_hook);
    if (yield) yield(fn, arg);
    else fn(arg);
}
#endif

#endif
