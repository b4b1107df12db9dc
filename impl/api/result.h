/* result.h - df_result */
#ifndef DFI_API_RESULT_H
#define DFI_API_RESULT_H

/* Results of calls that can fail. */
typedef enum df_result {
    DF_OK = 0,
    DF_ERROR_MEMORY = -1,  /* out of memory; nothing was started */
    DF_ERROR_STARTED = -2, /* df_start while the pool runs: call df_stop first, or earlier than any construct */
    DF_ERROR_CANCELLED = -3, /* df_cancel */
    DF_ERROR_STUCK = -4,   /* tasks could never start and were given up; the log names them */
    DF_ERROR_DEADLOCK = -5, /* df_mutex_lock by the thread that holds the lock */
    DF_ERROR_ABORTED = -6, /* df_atomically: left by df_abort, without effect */
    DF_ERROR_STAGE = -7,   /* df_pipe: a stage out of range; the log says which */
    DF_ERROR_STREAM = -8,  /* a task asked a stream for what it cannot give, and was skipped; the log says what */
    DF_ERROR_KERNEL = -9,  /* a kernel did not compile for a device, or did what the host cannot run; the log says more */
    DF_ERROR_GRID = -10,   /* the items or groups of a launch are more than the device can have, or negative */
    DF_ERROR_DEVICE_MEMORY = -11, /* what a kernel accesses does not fit into the device; the log names sizes */
    DF_ERROR_DEVICE = -12, /* no such device, or it failed; the log says more */
    DF_ERROR_DIST = -13,   /* df_dist_scatter, df_dist_gather of a distribution without an array; any of NULL */
    DF_ERROR_OWNER = -14,  /* df_owm_acquire, ...: against the rules of ownership; the log says what */
    DF_ERROR_TASKGRAPH = -15, /* df_taskgraph_run: the graph cannot be run now, or not at all; the log says why */
    DF_ERROR_EXCEPTION = -16, /* a C++ exception left the body of a task; df_error_text is its what() */
    DF_ERROR_THREAD = -17  /* the thread that ran a task ended in its body: pthread_exit or cancellation; the log names the task */
} df_result;

#endif
