/* module.h - modules: parts of df that act at start, stop and fork of the pool, and in the life of its threads
 *
 * A module is a function that is told of the moments below. The pool tells the modules of the table in impl/modules.h,
 * in that order, and names none of them. It holds its lock, unless a comment says otherwise. */
#ifndef DFI_WORK_MODULE_H
#define DFI_WORK_MODULE_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "types.h"
#include "../api/config.h"
#include "../api/counters.h"

enum {
    DFI_POOL_BEGINS,    /* before there are workers; config: that of df_start, or NULL */
    DFI_POOL_READY,     /* w is worker 0, and there are no helpers yet */
    DFI_POOL_STARTED,   /* the helpers have been started */
    DFI_POOL_ENDS,      /* from here on, no observer steers it */
    DFI_POOL_EXITS,     /* without the lock: the process ends, helpers may still run */
    /* no helpers are left, unless ABANDONED: at exit, while tasks still run; w: the worker of the caller, or NULL */
    DFI_STOP_CALLED, DFI_STOP_AT_EXIT, DFI_STOP_ABANDONED,
    DFI_POOL_FORGETS,   /* the module frees all its memory */
    DFI_POOL_COUNTS,    /* without the lock: counters is the sum; then, for each worker w, the next */
    DFI_WORKER_COUNTS,
    DFI_WORKER_IS_NEW,  /* it is new, or a fork has lost what it had */
    DFI_WORKER_TAKEN,   /* it was assigned to a thread */
    DFI_WORKER_FREED,   /* it is about to be freed */
    DFI_THREAD_HELPS,   /* a thread of the pool begins to be w */
    DFI_THREAD_JOINS,   /* so does a thread of the program */
    DFI_THREAD_ENDS,    /* it ceases to be w */
    /* without the lock: the thread of w ends in a body, and all bodies on its stack are about to be ended; they have
     * been ended; its last wait has ended; it no longer submits tasks, or the process ends */
    DFI_THREAD_UNWINDS, DFI_THREAD_UNWOUND, DFI_THREAD_WAITED, DFI_THREAD_LEAVES,
    DFI_THREAD_READY,   /* without the lock: it is w, and runs tasks from here on; may be told several times */
    DFI_THREAD_STOPS,   /* without the lock: a thread of the pool that ends, or the caller of df_stop; the same */
    DFI_FORK_PREPARE, DFI_FORK_PARENT,
    DFI_FORK_CHILD      /* only the forking thread exists */
};
struct dfi_moment {
    int is;                  /* one of these */
    struct dfi_worker *w;    /* the rest: NULL, unless it says something else */
    const df_config *config;
    df_counters *counters;
};
typedef void dfi_module(const struct dfi_moment *m);

DFI_LATER(dfi_module *const *, dfi_modules); /* ends with NULL; no modules: NULL */

DFI_SMALL_CODE_BEGIN
static DFI_NOINLINE void dfi_tell_of(int moment, struct dfi_worker *w, const df_config *config, df_counters *counters)
{
    dfi_module *const *module = dfi_modules;
    struct dfi_moment m;
    m.is = moment, m.w = w, m.config = config, m.counters = counters;
    for (; module && *module; module++) (*module)(&m);
}
static void dfi_tell(int moment, struct dfi_worker *w) { dfi_tell_of(moment, w, NULL, NULL); }
DFI_SMALL_CODE_END

#endif
