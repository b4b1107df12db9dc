/* tables.h - definitions shared by the serial and the parallel implementation */
#ifndef DFI_WORK_TABLES_H
#define DFI_WORK_TABLES_H

#include "../base/compiler.h"
#include "../api/result.h"
#include "../api/task.h"
#include "../api/core.h"
#include "../api/serial.h"

#include <float.h>

/* the last result of df_wait_result in this thread */
static DFI_TLS struct { int code; char text[DFI_ERROR_TEXT]; } dfi_last_error;

DFI_EXTERN_C_BEGIN
DFI_API char DFI_NEED[1] = { 0 };
DFI_API char dfi_keys[dfi_key_end] = { 0 };

DFI_API void dfi_limit(void *x, size_t bytes, int kind, int largest)
{
    if (kind == 2) { /* infinity, without <math.h> */
        long double big = LDBL_MAX, inf = (largest ? big : -big) * 2;
        double d = largest ? DBL_MAX : -DBL_MAX;
        float f = largest ? FLT_MAX : -FLT_MAX;
        d *= 2, f *= 2;
        if (bytes == sizeof f) memcpy(x, &f, bytes);
        else if (bytes == sizeof d) memcpy(x, &d, bytes);
        else memcpy(x, &inf, bytes);
    } else if (kind == 3) *(unsigned char *)x = (unsigned char)largest;
    else { /* all bits equal: the largest or smallest unsigned value; with the sign bit inverted, the signed one */
        const unsigned one = 1;
        size_t top = *(const unsigned char *)&one ? bytes - 1 : 0; /* the byte with the sign bit */
        memset(x, largest ? 0xff : 0, bytes);
        if (kind == 1) ((unsigned char *)x)[top] ^= 0x80;
    }
}

DFI_API const char *df_error_text(df_result r)
{
    switch (r) {
    case DF_OK: return "no error";
    case DF_ERROR_MEMORY: return "out of memory: nothing was started";
    case DF_ERROR_CANCELLED: return "cancelled by df_cancel";
    case DF_ERROR_STUCK: return "tasks could never start and were given up: the log names them";
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
    case DF_ERROR_THREAD:
        return "the thread that ran a task ended in its body, by pthread_exit or cancellation: the log names the task";
    case DF_ERROR_DEVICE: return "there is no such device, or it failed: the log says more";
    case DF_ERROR_ABORTED: return "the atomic block was left by df_abort, without effect";
    case DF_ERROR_STARTED: return "df is running already: call df_start before any other construct, or after df_stop";
    }
    return r == (df_result)dfi_last_error.code ? dfi_last_error.text : "not an error code of df";
}
DFI_EXTERN_C_END

#endif
