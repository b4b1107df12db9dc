/* result.h - df_result: result codes of calls that can fail, >>errors */
#ifndef DFI_API_RESULT_H
#define DFI_API_RESULT_H

#if defined(__cplusplus) /* any code of df_fail is a value of the type */
#define DFI_OF_INT : int
#else
#define DFI_OF_INT
#endif

/* Results of calls that can fail. df_error_text describes them. */
typedef enum df_result DFI_OF_INT {
    DF_OK = 0,             /* success; the only code that is not negative */
    DF_ERROR_MEMORY = -1,  /* out of memory; nothing was started */
    DF_ERROR_STARTED = -2, /* df_start while the pool runs: call df_stop before it, or df_start before any construct */
    DF_ERROR_CANCELLED = -3, /* df_cancel */
    DF_ERROR_STUCK = -4,   /* tasks or waits that could not go on were given up; the log names them */
    DF_ERROR_DEADLOCK = -5, /* df_mutex_lock by the thread that holds the lock */
    DF_ERROR_ABORTED = -6, /* df_atomically: left by df_abort, without effect */
    DF_ERROR_STAGE = -7,   /* df_pipe: a stage out of range; the log names it */
    DF_ERROR_STREAM = -8,  /* a stream cannot satisfy the request of a task, so the task was skipped; see the log */
    DF_ERROR_KERNEL = -9,  /* a kernel did not compile for a device, or cannot run on the host; the log gives details */
    DF_ERROR_GRID = -10,   /* the items or groups of a launch are negative, or more than the device supports */
    DF_ERROR_DEVICE_MEMORY = -11, /* the regions of a kernel do not fit into the device; the log names sizes */
    DF_ERROR_DEVICE = -12, /* no such device, or it failed; the log gives details */
    DF_ERROR_DIST = -13,   /* df_dist_scatter, df_dist_gather of a distribution without an array; any of NULL */
    DF_ERROR_OWNER = -14,  /* df_owm_acquire, ...: a violation of the ownership rules; the log names it */
    DF_ERROR_TASKGRAPH = -15, /* df_taskgraph_run: the graph cannot run now, or not at all; the log gives the reason */
    DF_ERROR_EXCEPTION = -16, /* a C++ exception left the body of a task; df_error_text is its what() */
    /* the thread that ran a task ended in the task's body, by pthread_exit or cancellation; the log names the task */
    DF_ERROR_THREAD = -17,
    DF_ERROR_TIMEOUT = -18, /* df_wait_for: the time is over, and tasks are unfinished */
    DF_ERROR_ARGUMENT = -19, /* df_call, df_mpi_start: an argument that cannot be; the log names it */
    DF_ERROR_MPI = -20     /* df_mpi_start: MPI cannot be used; the log gives the reason */
} df_result;

#endif
