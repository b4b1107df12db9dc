/* dfi_result.h - df_result */
#ifndef DFI_RESULT_H
#define DFI_RESULT_H

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
    DF_ERROR_STREAM = -8   /* a task asked a stream for what it cannot give, and was skipped; the log says what */
} df_result;

#endif
