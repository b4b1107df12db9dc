/* dfi_stm_hook.h - what df.h and df_stm.h know of each other */
#ifndef DFI_STM_HOOK_H
#define DFI_STM_HOOK_H

DFI_EXTERN_C_BEGIN
/* Where the outermost atomic block that this thread is in begins, or NULL. A task that waits there is a mistake. */
DFI_API DFI_TLS const char *dfi_in_atomic = NULL;
DFI_EXTERN_C_END

#endif
