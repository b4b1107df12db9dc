/* texts.h - texts of the errors of tasks, devices and memory */
#ifndef DFI_MORE_TEXTS_H
#define DFI_MORE_TEXTS_H

#include "../base/compiler.h"
#include "../api/core.h"
#include "../api/result.h"
#include "../work/tables.h"

#if DFI_WITH_MORE
DFI_SMALL_CODE_BEGIN

/* the last result of df_wait_result in this thread */
static DFI_TLS struct { int code; char text[DFI_ERROR_TEXT]; } dfi_last_error;

static const char *dfi_error_words(df_result r)
{
    switch (r) {
    case DF_ERROR_CANCELLED: return "cancelled by df_cancel";
    case DF_ERROR_STUCK: return "tasks or waits that could not go on were given up: the log names them";
    case DF_ERROR_DEADLOCK: return "the lock is held: by this thread already, or by another (df_mutex_trylock)";
    case DF_ERROR_STAGE: return "a stage of a pipe returned a stage that is out of range";
    case DF_ERROR_STREAM: return "a task asked a stream for what it cannot give, and was skipped: the log says what";
    case DF_ERROR_KERNEL:
        return "a kernel did not compile for a device, or did what the host cannot run: the log says more";
    case DF_ERROR_GRID: return "a launch has more work-items or groups than its device can have, or a negative number";
    case DF_ERROR_DEVICE_MEMORY:
        return "what a kernel accesses does not fit into the memory of a device: the log names sizes";
    case DF_ERROR_DIST: return "a distribution has no array to copy from or to, or is NULL";
    case DF_ERROR_OWNER: return "a call for owner-writable memory against its rules: the log says what";
    case DF_ERROR_TASKGRAPH: return "the graph cannot be run now, or not at all: the log says why";
    case DF_ERROR_EXCEPTION:
        if (dfi_last_error.code != DF_ERROR_EXCEPTION) return "an exception left the body of a task";
        break;
    case DF_OK:
    case DF_ERROR_MEMORY:
    case DF_ERROR_ABORTED:
    case DF_ERROR_STARTED: break;
    case DF_ERROR_THREAD:
        return "the thread that ran a task ended in its body, by pthread_exit or cancellation: the log names the task";
    case DF_ERROR_TIMEOUT: return "the time of a wait is over, and tasks are unfinished";
    case DF_ERROR_ARGUMENT: return "an argument of a call cannot be; see the log";
    case DF_ERROR_MPI: return "MPI cannot be used: the log says why";
    case DF_ERROR_DEVICE: return "there is no such device, or it failed: the log says more";
    }
    return r == (df_result)dfi_last_error.code ? dfi_last_error.text : NULL;
}
#define dfi_up_error_text_by , dfi_error_words

DFI_SMALL_CODE_END
#endif

#endif
