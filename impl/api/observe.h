/* observe.h - observers of the program: callbacks for tasks, waits and workers, >>observers */
#ifndef DFI_API_OBSERVE_H
#define DFI_API_OBSERVE_H

#include "../base/compiler.h"
#include "need.h"
#include "result.h"

/* The kinds of what runs. */
typedef enum df_observed_kind {
    DF_OBSERVED_TASK,    /* a task of df_submit, a node, or the task of a launch */
    DF_OBSERVED_SPAWNED, /* a function of df_spawn that another worker has stolen. It has no task_submit */
    DF_OBSERVED_LOOP,    /* a part of a loop: some of its iterations. It has no task_submit */
    DF_OBSERVED_STAGE    /* a stage of a pipe, for one item. It has no task_submit */
} df_observed_kind;

/* A task, or another piece of work, as callbacks see it. Valid during the callback; its texts as long as the task. */
typedef struct df_observed {
    uint64_t id;         /* not 0; no other one that was submitted while there was an observer has the same */
    uint64_t parent;     /* in task_submit: id of the task in whose body this one is submitted; 0: none. Else 0 */
    const char *name;    /* of the function; or df_opts.name */
    const char *site;    /* in task_submit, for df_submit_with and in files with DF_DEBUG: "file.c:12". Else NULL */
    df_observed_kind kind; /* what runs */
    long first, last;    /* in task_end of a loop: iterations first .. last - 1; of a stage: the stage, and the item */
} df_observed;

/* What a worker waits for. */
typedef enum df_observed_wait {
    DF_OBSERVED_WAIT_TASKS,   /* the tasks of a scope: df_wait, the end of DF_PARALLEL, df_stop */
    DF_OBSERVED_WAIT_ROOM,    /* fewer unfinished tasks in its scope than df_config.window */
    DF_OBSERVED_WAIT_REGION,  /* df_wait_on */
    DF_OBSERVED_WAIT_FUTURE,  /* df_sync, while another worker runs the function */
    DF_OBSERVED_WAIT_OTHERS,  /* the parts of a loop or pipe that other workers run */
    DF_OBSERVED_WAIT_TOKEN,   /* df_wait_token, df_wait_task */
    DF_OBSERVED_WAIT_LOCK,    /* df_mutex_lock */
    DF_OBSERVED_WAIT_OUTSIDE, /* an event outside of df: df_yield_blocking, df_retry, a device */
    DF_OBSERVED_WAIT_CONDITION /* the condition of a df_speculate block */
} df_observed_wait;

/* The callbacks of an observer. Those that are NULL are not called. */
typedef struct df_observer {
    void *arg;           /* the first argument of all of them */
    void (*worker_start)(void *arg, int worker); /* before any other callback of this worker */
    void (*worker_stop)(void *arg, int worker);  /* the thread of the worker ends, or df_stop is over */
    void (*task_submit)(void *arg, int worker, const df_observed *t); /* before its edges and its task_begin */
    /* a task that is being submitted, `after`, comes after an earlier one, `before`, that may be unfinished */
    void (*task_edge)(void *arg, int worker, uint64_t before, uint64_t after);
    void (*task_begin)(void *arg, int worker, const df_observed *t); /* its body begins on this worker */
    void (*task_end)(void *arg, int worker, const df_observed *t);   /* its body ends, on the same worker */
    void (*task_steal)(void *arg, int worker, const df_observed *t, int victim); /* it was stolen from that worker */
    /* a wait begins at `site`, a source line or NULL */
    void (*wait_begin)(void *arg, int worker, df_observed_wait, const char *site);
    void (*wait_end)(void *arg, int worker, df_observed_wait, const char *site); /* with the same arguments */
    void (*worker_sleep)(void *arg, int worker); /* it has found no work, and gives up its CPU */
    void (*worker_wake)(void *arg, int worker);  /* it has been woken */
} df_observer;

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_observe(const df_observer *o);
DFI_API df_result dfi_unobserve(const df_observer *o);
DFI_EXTERN_C_END

#define df_observe(o)   DFI_NEEDING(observers, dfi_observe((o)))
#define df_unobserve(o) DFI_NEEDING(observers, dfi_unobserve((o)))

#endif
