/* idle.h - a function that looks for events from outside, >>idle
 *
 *   df_config.idle, .idle_arg      a function long idle(void *idle_arg) of the program that looks for events (messages
 *             of MPI, a device, completed reads) and signals tokens. df calls it in one thread at a time: when a worker
 *             finds nothing to do, repeatedly before it sleeps and then each time it is due, and between queued
 *             tasks if the last call is 20 microseconds ago.
 *             Returns 0: something happened, df looks for tasks and calls again; or in how many microseconds, at least
 *             1, the next call is due; or a negative number: there is nothing to look for until df_idle_soon().
 *   df_idle_soon()                 there is something to look for: a call of the function begins after this one.
 *             Threads: any, at any time. Cost: an atomic addition, and a wake-up if all workers sleep.
 *
 *     The function may call df_signal_external (rather than df_signal, with which each task is queued) and
 *     df_idle_soon, and nothing else of df. It should take less than a microsecond when nothing happened, must not
 *     wait, and no exception may leave it. Memory that it reads must exist until df_stop, because it may still run when
 *     df_wait returns. While its last result was not negative, tasks and threads that wait for tokens are not given up.
 *     No thread of df calls it while all of them run long bodies, or while the only worker runs code of the program
 *     outside of df.
 *     DF_SERIAL: it is called when the program waits and nothing is ready, and DF_IDLE() is executed between two calls.
 *     DF_SCHEDULE: a replay fits by chance, as with every event from outside (docs/schedule.md).
 *     Source: PaRSEC's communication engine and HPX's background work, which idle workers advance. */
#ifndef DFI_API_IDLE_H
#define DFI_API_IDLE_H

#include "need.h"
#include "../base/compiler.h"

DFI_EXTERN_C_BEGIN
DFI_API void df_idle_soon(void);
DFI_EXTERN_C_END
#define df_idle_soon() DFI_NEEDING(more, (df_idle_soon)())

#endif
