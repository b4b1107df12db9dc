/* hook.h - what df.h and df_stm.h know of each other under DF_SERIAL */
#ifndef DFI_SERIAL_HOOK_H
#define DFI_SERIAL_HOOK_H

#include "../base/compiler.h"
#include "../api/may_block.h"

typedef int dfi_serial_retry_fn(const char *site);

DFI_EXTERN_C_BEGIN
/* df_retry, outside of the block that is to run again: returns when something has happened since. Zero: nothing will. */
DFI_API dfi_serial_retry_fn *dfi_serial_retry_hook = NULL;
/* Counts what may end a wait: tasks that end or become ready, tokens that open, transactions that commit. */
DFI_API size_t dfi_serial_events = 0;
/* Not 0: tasks of this program may block (api/may_block.h), and each runs on a stack of its own. */
DFI_API int dfi_may_block = 0;
DFI_API DFI_IN_TABLE void dfi_may_block_linked(void) { dfi_may_block = 1; }
DFI_EXTERN_C_END

#endif
