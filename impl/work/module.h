/* module.h - module interface: hooks at start, stop and fork of the pool, and in the life of its threads
 *
 * The pool calls all modules in the order of the table in impl/modules.h, and names none of them. It holds its lock,
 * unless a comment says otherwise. A module leaves unused hooks NULL. */
#ifndef DFI_WORK_MODULE_H
#define DFI_WORK_MODULE_H

#include "../base/compiler.h"
#include "types.h"
#include "../api/public.h"

struct dfi_settings;

/* a thread of the pool; a thread of the program; either */
enum { DFI_THREAD_HELPS, DFI_THREAD_JOINS, DFI_THREAD_ENDS };
enum { DFI_STOP_CALLED, DFI_STOP_AT_EXIT, DFI_STOP_ABANDONED }; /* ABANDONED: at exit, while tasks still run */
enum { DFI_FORK_PREPARE, DFI_FORK_PARENT, DFI_FORK_CHILD };

struct dfi_module {
    void (*begin)(struct dfi_settings *s, const df_config *c);       /* before there are workers; c may be NULL */
    void (*ready)(struct dfi_worker *w, struct dfi_settings *s);     /* w is worker 0, and there are no helpers yet */
    void (*started)(int workers);                                    /* the helpers have been started */
    /* waited, leaving: without the lock, when a thread of the program or the process ends */
    void (*leaving)(struct dfi_worker *w);                           /* it no longer submits tasks */
    void (*waited)(struct dfi_worker *w);                            /* its last wait has ended */
    /* the pool ends: from here on, no observer steers it */
    void (*ending)(void);
    void (*exits)(void);                                             /* without the lock: the process ends, helpers may
                                                                      * still run */
    void (*stop)(struct dfi_worker *w, int how);                     /* no helpers are left, unless ABANDONED; w: the
                                                                      * caller's worker, or NULL */
    void (*forget)(void);                                            /* frees all memory of the module */
    void (*worker)(struct dfi_worker *w);                            /* w was assigned to a thread */
    void (*worker_free)(struct dfi_worker *w);                       /* w is about to be freed */
    void (*thread)(struct dfi_worker *w, int how);                   /* a thread begins or ceases to be w */
    void (*fork)(int when);                                          /* CHILD: only the forking thread exists */
    void (*count)(df_counters *c);                                   /* without the lock */
};

DFI_EXTERN_C_BEGIN
extern DFI_API const struct dfi_module *dfi_modules[]; /* ends with NULL */
DFI_EXTERN_C_END

#define DFI_MODULES(call, arguments)                                                             \
    do {                                                                                    \
        const struct dfi_module **dfi_module;                                               \
        for (dfi_module = dfi_modules; *dfi_module; dfi_module++)                           \
            if ((*dfi_module)->call) (*dfi_module)->call arguments;                            \
    } while (0)

#endif
