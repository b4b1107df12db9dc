/* handle.h - handles: polling and waiting for one task, and its result, >>handles
 *
 *         df_handle h = DF_HANDLE;
 *         long r;
 *         df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(square, &r)), square, 7);
 *         ...
 *         if (df_wait_task(&h) == DF_OK) printf("%ld\n", r);
 *
 *   df_handle h = DF_HANDLE;   a handle that no task has yet: done, with DF_OK. It can be used again when it is done
 *   int df_done(&h);           1 if the task and its descendants are done, else 0
 *   df_result df_wait_task(&h);           waits until they are: DF_OK; the code with which the task failed (df_fail,
 *             DF_ERROR_EXCEPTION, ..); DF_ERROR_STUCK if it was given up; DF_ERROR_CANCELLED if it did not run
 *             for another reason
 *   df_result df_wait_task_for(&h, ms);   the same for at most ms milliseconds, 0 or more: DF_ERROR_TIMEOUT if the
 *             task is unfinished then. The call is late by at most the rest of the task that the thread runs then
 *   DF_RESULT(name, p)         p as a void *, if it points to the result type of task name; else it does not compile
 *
 *     The handle and the result must live until the task is done: until one of these calls says so, or a wait for the
 *     scope of the task has ended. After that the handle is a plain value. Reads of the result are ordered by these
 *     calls and by waits for the scope, and not by accesses of tasks. The error of a task goes to its scope in any
 *     case. A task without a handle costs nothing more.
 *     While a thread waits for a child of its own scope, it runs other children of that scope; for another task it
 *     sleeps, and another thread takes its place. With one worker, df_done runs a task, and with several it does so now
 *     and then, so that a loop of calls ends.
 *     A task that is skipped (its scope or group is cancelled, a predecessor that should have written its input was
 *     skipped, or it was given up) stores no result. Runs of a task graph have no handles, and store results.
 *     Threads: any may poll and wait. A task must not wait for itself or for its parent: that wait never ends.
 *     Errors: a handle that is overwritten before its task is done is reported, and not written.
 *     Cost: about 50 ns. */
#ifndef DFI_API_HANDLE_H
#define DFI_API_HANDLE_H

#include "token.h"

typedef struct df_handle {
    df_token dfi_done;
    DFI_ATOMIC(int) dfi_code;
    unsigned dfi_era;
    uintptr_t dfi_scope;
    const void *dfi_task;
    struct df_handle *dfi_outer;
} df_handle;
#define DF_HANDLE { DF_TOKEN(0), 0, 0, 0, NULL, NULL }
#if defined(DFI_GENERIC) && (DFI_GNU || defined(__TINYC__)) /* in a macro of this file gcc shows no warning */
#define DF_RESULT(name, p) \
    DFI_GENERIC((p), __typeof__(((DFI_CAT(name, _future) *)NULL)->dfi_result) *: (void *)(p))
#else
#define DF_RESULT(name, p) \
    ((void)sizeof(1 ? (p) : &((DFI_CAT(name, _future) *)NULL)->dfi_result), (void *)(p))
#endif
#define df_done(h)              DFI_NEEDING(more, dfi_done_here((h), DFI_SITE))
#define df_wait_task(h)         DFI_MAY_BLOCK(DFI_NEEDING(more, dfi_wait_task_here((h), DFI_SITE)))
#define df_wait_task_for(h, ms) DFI_MAY_BLOCK(DFI_NEEDING(more, dfi_wait_task_timed_here((h), (ms), DFI_SITE)))

DFI_EXTERN_C_BEGIN
DFI_API int dfi_done_here(df_handle *h, const char *site);
DFI_API df_result dfi_wait_task_here(df_handle *h, const char *site);
DFI_API df_result dfi_wait_task_timed_here(df_handle *h, int ms, const char *site);
DFI_EXTERN_C_END

#endif
