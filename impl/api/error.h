/* error.h - errors and cancellation, >>errors
 *
 *   df_fail(code, text)   the scope of the running task fails: its tasks that have not started are skipped.
 *             code: not 0; those of a program are positive, because those of df_result are negative. text: up to 99
 *             bytes, copied. The first error of a scope counts. The body continues, and should return soon.
 *             Errors: code 0 is reported and becomes -1.
 *   df_cancel()           as df_fail, without an error: df_wait_result returns DF_ERROR_CANCELLED
 *   df_cancelled()        1 if the running task belongs to a scope or group that is cancelled: return soon; else 0
 *   df_cancel_hook_set, df_cancel_hook_clear   a function that is called when the running task is cancelled:
 *             impl/api/cancel.h
 *   df_wait_result()      df_wait, then the code of the first error, else DF_ERROR_CANCELLED if the scope or one around
 *             it is cancelled, else DF_OK. The scope can be used again afterwards.
 *   df_wait_for(ms)       df_wait_result for at most ms milliseconds, 0 or more: DF_ERROR_TIMEOUT if tasks are
 *             unfinished then. Everything is then as before the call: the tasks continue, more can be submitted, and
 *             another wait, or the end of the block, waits for the rest:
 *
 *                 while (df_wait_for(100) == DF_ERROR_TIMEOUT) draw_progress();
 *
 *             The thread runs tasks of its scope meanwhile: at least one if one is ready, and no further one when the
 *             time is over. So the call returns late by at most the rest of the task that the thread runs then, and
 *             the time to wake up. Tasks that wait for tokens are not given up during the call, except cycles,
 *             because the code after it may signal. A replay of a record fits by chance (docs/schedule.md). With
 *             DF_SERIAL the call ends when no task can continue; while it waits for a DF_TOKEN_EXTERNAL, ms counts
 *             the executions of DF_IDLE().
 *             Errors: a negative time is reported, and counts as 0.
 *   const char *df_error_text(r)   a description of the result r: one sentence, never NULL. For a code that
 *             df_wait_result has returned to this thread, the text of df_fail or what() of the exception, until its
 *             next wait.
 *   df_group g = DF_GROUP;  df_group_cancel(&g);   a group of tasks, submitted with .group = &g, and its
 *             cancellation: of the tasks, their children, and their successors if the cancelled tasks should have
 *             written memory or signalled a token. The group must exist until its tasks are done. Any thread may
 *             cancel it, at any time.
 *   df_opts.always = 1   the task runs even if it is to be skipped, when it otherwise would be: to free its arguments,
 *             say. In its body df_cancelled() returns 1 then, and its children and successors are skipped, unless they
 *             have the option, too. A task with streams is skipped nevertheless, because elements may be missing.
 *
 *     A cancelled task that sleeps in df_wait_token or df_retry is woken, once in each body or block: df_wait_token
 *     returns DF_ERROR_CANCELLED, and df_retry leaves its block as df_abort does. So what comes after may clean up and
 *     wait. df_mutex_lock, df_wait_task and df_yield_blocking are not ended: code behind them relies on the lock, the
 *     result or the call.
 *     If a thread ends inside a body, by pthread_exit or cancellation, the task fails with DF_ERROR_THREAD and
 *     waiting threads continue. A body must not be left by longjmp, because df would not notice its end, and the code
 *     that called setjmp may be on the stack of another thread. DF_CHECK reports it where it can.
 *     C++: an exception that leaves the body of a task fails the scope like df_fail. df_wait(), the end of
 *     DF_PARALLEL, df_sync, df_for, df_wavefront and df_pipe rethrow it; df_wait_result returns DF_ERROR_EXCEPTION.
 *     See docs/cxx.md.
 *     In a block, or outside of tasks, the scope is the caller's own: the one that df_wait waits for. In a function
 *     that df_spawn calls it is that of the df_sync, and the call acts there (with DF_SERIAL at the df_spawn). The
 *     cancellation ends with the wait. An error that no wait has returned by the end of its scope propagates to the
 *     enclosing task's scope, and finally to the thread, which reports it when it ends. Skipped tasks signal their
 *     tokens, and the tasks that wait for these tokens are skipped; df_counters.skipped counts them all.
 *     Threads: any. df_fail, df_cancel and df_cancelled act on the task that the calling thread runs. */
#ifndef DFI_API_ERROR_H
#define DFI_API_ERROR_H

#include "need.h"
#include "result.h"
#include "../base/atomic.h"
#include "../base/compiler.h"

typedef struct df_group { DFI_ATOMIC(int) dfi_cancelled; } df_group;
#define DF_GROUP { 0 }
#include "cancel.h"

DFI_EXTERN_C_BEGIN
DFI_API const char *df_error_text(df_result r);
DFI_API void df_fail(int code, const char *text);
DFI_API void df_cancel(void);
DFI_API int df_cancelled(void);
DFI_API df_result df_wait_result(void);
DFI_API df_result df_wait_for(int ms);
DFI_API void df_group_cancel(df_group *g);
DFI_API df_result dfi_wait_result_here(const char *site);
DFI_API df_result dfi_wait_timed_here(int ms, const char *site);
DFI_EXTERN_C_END
/* In a parallel build these calls also pass their file and line, for the stall report. */
#if !defined(DF_SERIAL)
#define df_wait_result()      DFI_NEEDING(more, dfi_wait_result_here(DFI_SITE))
#define df_wait_for(ms)       DFI_NEEDING(more, dfi_wait_timed_here((ms), DFI_SITE))
#endif
#define df_fail(code, text) DFI_NEEDING(more, (df_fail)((code), (text)))
#define df_cancel()         DFI_NEEDING(more, (df_cancel)())
#define df_cancelled()      DFI_NEEDING(more, (df_cancelled)())
#define df_group_cancel(g)  DFI_NEEDING(more, (df_group_cancel)(g))

#endif
