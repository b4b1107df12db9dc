/* cancel.h - functions that are called when the running task is cancelled, >>errors
 *
 *   df_cancel_hook h;  df_cancel_hook_set(&h, fn, arg);   from now on, fn(arg) is called when the running task is
 *             cancelled: once, by the thread that cancels it; by the caller, if it is cancelled already. It ends what
 *             df cannot end: it writes to a pipe, shuts down a socket, cancels an operation whose end signals a token.
 *
 *                 df_cancel_hook h;
 *                 df_cancel_hook_set(&h, shut_down, &socket);
 *                 df_yield_blocking(receive, &request);
 *                 df_cancel_hook_clear(&h);
 *
 *             void fn(void *arg) must not wait for the cancelled code. h must exist until it is cleared, by the same
 *             code, before the body or block ends in which it was set.
 *             Returns DF_OK, or DF_ERROR_MEMORY: then the hook is not set, and clearing it has no effect.
 *   int df_cancel_hook_clear(&h);   from now on fn is not called; a call that runs has ended. Returns 1 if it was
 *             called, else 0.
 *     Threads: any. Cost: about 50 ns; a cancellation looks at all hooks that are set.
 *   Source: std::stop_callback of C++20. */
#ifndef DFI_API_CANCEL_H
#define DFI_API_CANCEL_H

#include "../base/compiler.h"
#include "core.h"
#include "need.h"
#include "result.h"

typedef struct df_cancel_hook {
    struct df_cancel_hook *dfi_next;
    void *dfi_scope;
    void (*dfi_fn)(void *arg);
    void *dfi_arg;
    void *dfi_caller; /* the thread that is in its call */
    int dfi_called;
} df_cancel_hook;

DFI_EXTERN_C_BEGIN
DFI_API df_result df_cancel_hook_set(df_cancel_hook *h, void (*fn)(void *arg), void *arg);
DFI_API int df_cancel_hook_clear(df_cancel_hook *h);
DFI_EXTERN_C_END
#define df_cancel_hook_set(h, fn, arg) DFI_NEEDING(more, (df_cancel_hook_set)((h), (fn), (arg)))
#define df_cancel_hook_clear(h)        DFI_NEEDING(more, (df_cancel_hook_clear)(h))

#endif
