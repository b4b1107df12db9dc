/* blocking.h - locks and blocking calls inside tasks, >>blocking
 *
 *   df_mutex m = DF_MUTEX;         a lock, unlocked; with static or automatic storage. It is not copied, and needs no
 *             end. Bytes of 0, as from calloc, are an unlocked lock, too.
 *   df_mutex_init(&m);             the same for existing memory.
 *   df_result df_mutex_lock(&m);   locks it. While a task waits for the lock, another thread runs tasks in its place.
 *             A lock may be held across a wait: the tasks that run meanwhile belong to the scope that the wait is
 *             for. Returns DF_OK, or DF_ERROR_DEADLOCK if the caller's thread holds the lock already (not locked
 *             then, and reported). Locks are not handed over in the order of the calls.
 *   df_result df_mutex_trylock(&m);   df_mutex_lock without waiting. Returns DF_OK if it is locked now,
 *             DF_ERROR_DEADLOCK if any thread holds it.
 *   df_mutex_unlock(&m);           unlocks it; by the thread that locked it.
 *             Errors: a lock that the calling thread does not hold is reported and stays as it is.
 *   df_yield_blocking(fn, arg);    calls fn(arg), which may block in the operating system: meanwhile another thread
 *             takes the worker's place. void fn(void *arg) runs on the calling thread.
 *
 *     In these calls, in df_retry (df_stm.h) and in df_wait_token, a task may wait for actions that any other task or
 *     its submitter performs later, even with one worker. For that reason, a single worker queues tasks, and does not
 *     run them inside df_submit, while the thread holds a df_mutex, and in a program that calls df_yield_blocking,
 *     df_retry, df_signal, df_wait_token, df_wait_task, df_node_set, df_give or a pop that waits
 *     (impl/api/may_block.h). With DF_SERIAL such tasks have stacks of their own, of 1 MiB, with gcc and clang on
 *     x86-64, i386, AArch64 and RISC-V, and with any compiler where glibc or a BSD has <ucontext.h>. Elsewhere the
 *     tasks that run during a wait are nested in it. A wait that only code below it on the stack could end is given
 *     up with a message and DF_ERROR_STUCK.
 *     Threads: any. */
#ifndef DFI_API_BLOCKING_H
#define DFI_API_BLOCKING_H

#include "may_block.h"
#include "need.h"
#include "result.h"
#include "throw.h"
#include "../base/atomic.h"
#include "../base/compiler.h"

typedef struct df_mutex {
    DFI_ATOMIC(int) dfi_state;
    DFI_ATOMIC(void *) dfi_owner;
    DFI_ATOMIC(const char *) dfi_site; /* file and line of the lock call */
} df_mutex;
#define DF_MUTEX { 0, NULL, NULL }
DFI_INLINE void df_mutex_init(df_mutex *m)
{
    dfi_store_relaxed(&m->dfi_state, 0);
    dfi_store_relaxed(&m->dfi_owner, (void *)NULL);
    dfi_store_relaxed(&m->dfi_site, (const char *)NULL);
}

DFI_EXTERN_C_BEGIN
DFI_API df_result df_mutex_lock(df_mutex *m);
DFI_API df_result df_mutex_trylock(df_mutex *m);
DFI_API void df_mutex_unlock(df_mutex *m);
DFI_API void df_yield_blocking(void (*fn)(void *arg), void *arg);
DFI_API df_result dfi_mutex_lock_here(df_mutex *m, const char *site);
DFI_API df_result dfi_mutex_trylock_here(df_mutex *m, const char *site);
DFI_API void dfi_yield_here(void (*fn)(void *arg), void *arg, const char *site);
DFI_API void dfi_yield(const char *what, const char *site, void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END
/* In a parallel build these calls also pass their file and line, for the stall report. */
#if !defined(DF_SERIAL)
#define df_mutex_lock(m)      DFI_MAY_LOCK(DFI_NEEDING(more, dfi_mutex_lock_here(m, DFI_SITE)))
#define df_mutex_trylock(m)   DFI_NEEDING(more, dfi_mutex_trylock_here(m, DFI_SITE))
#if DFI_EXCEPTIONS
struct dfi_yield_around {
    void (*fn)(void *arg);
    void *arg;
    dfi_exception threw;
};
inline void dfi_yield_body(void *p)
{
    dfi_yield_around *y = static_cast<dfi_yield_around *>(p);
    try {
        y->fn(y->arg);
    } catch (...) {
        y->threw = dfi_exception_here();
    }
}
inline void dfi_yield_throwing(const char *site, void (*fn)(void *arg), void *arg)
{
    dfi_needs_more();
    dfi_yield_around y = { fn, arg, { NULL, NULL } };
    dfi_yield_here(dfi_yield_body, &y, site);
    if (y.threw.drop) dfi_exception_throw(y.threw);
}
#define df_yield_blocking(...) DFI_MAY_BLOCK(dfi_yield_throwing(DFI_SITE, __VA_ARGS__))
#else
#define df_yield_blocking(...) DFI_MAY_BLOCK(DFI_NEEDING(more, dfi_yield_here(__VA_ARGS__, DFI_SITE)))
#endif
#endif

#endif
