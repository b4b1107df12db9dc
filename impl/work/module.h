/* module.h - modules: parts of df that take part in the start, the stop and the fork of the pool, and in the life of its threads
 *
 * The pool calls them all and knows none by name; impl/modules.h has the table. Calls are made in the order of the table,
 * with the lock of the pool held unless a line says otherwise. A module leaves out what it does not need. */
#ifndef DFI_WORK_MODULE_H
#define DFI_WORK_MODULE_H

#include "../base/compiler.h"
#include "types.h"
#include "../api/public.h"

struct dfi_settings;

enum { DFI_THREAD_HELPS, DFI_THREAD_JOINS, DFI_THREAD_ENDS }; /* of the pool; of the program; either */
enum { DFI_STOP_CALLED, DFI_STOP_AT_EXIT, DFI_STOP_ABANDONED }; /* ABANDONED: at exit, while tasks still run */
enum { DFI_FORK_PREPARE, DFI_FORK_PARENT, DFI_FORK_CHILD };

struct dfi_module {
    void (*begin)(struct dfi_settings *s, const df_config *c);       /* before there is a worker; c may be NULL */
    void (*ready)(struct dfi_worker *w, struct dfi_settings *s);     /* w is worker 0, and there is no helper yet */
    void (*started)(int workers);                                    /* the helpers have been started */
    void (*leaving)(struct dfi_worker *w);                           /* without the lock: a thread of the program, or the process, ends */
    void (*waited)(struct dfi_worker *w);                            /* the same: the last wait of such a thread has ended */
    void (*ending)(void);                                            /* the pool ends: nothing steers it from here */
    void (*exits)(void);                                             /* without the lock: the process ends, and helpers may still run */
    void (*stop)(struct dfi_worker *w, int how);                     /* no helper is left, unless ABANDONED; w: the caller's, or NULL */
    void (*forget)(void);                                            /* frees all it has */
    void (*worker)(struct dfi_worker *w);                            /* w was taken for a thread */
    void (*worker_free)(struct dfi_worker *w);                       /* w is about to be freed */
    void (*thread)(struct dfi_worker *w, int how);                   /* a thread began to be w, or ends to */
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
