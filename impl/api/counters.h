/* counters.h - counters, >>counters
 *
 *   df_result df_counters_get(&counters)   fills a df_counters with the current values. Always DF_OK.
 *             Cost: reads the counters of all workers.
 *
 *     Statistics by name of task, with times, are those of DF_STATS (docs/stats.md).
 *     Threads: any, at any time. */
#ifndef DFI_API_COUNTERS_H
#define DFI_API_COUNTERS_H

#include "result.h"
#include "../base/compiler.h"

/* Counters since the program started; exact when no task runs. Counters of absent parts stay 0 (docs/size.md). */
typedef struct df_counters {
    uint64_t tasks;   /* tasks of df_submit that ran */
    uint64_t edges;   /* dependences of a submitted task on an unfinished predecessor */
    uint64_t steals;  /* tasks and futures stolen from another worker */
    uint64_t parks;   /* times a worker parked (went to sleep) */
    uint64_t skipped; /* tasks not run because they were cancelled */
    uint64_t renamings; /* outputs that got their own buffer */
    uint64_t copies;  /* private copies made for reductions */
    uint64_t speculated; /* tasks of df_speculate that ran before their condition was known */
    uint64_t undone;  /* tasks of df_speculate that did not run, because a misprediction was known before */
    uint64_t transactions; /* outermost atomic blocks of df_stm.h that ended with effect */
    uint64_t aborts;  /* times such a block was rolled back and run again, for any reason except df_retry */
    uint64_t launches; /* kernels of df_gpu.h given to devices */
    uint64_t bytes_in, bytes_out; /* bytes moved to devices, from the host and between devices; bytes moved to the
                                     host */
} df_counters;

DFI_EXTERN_C_BEGIN
DFI_API df_result df_counters_get(df_counters *counters);
DFI_EXTERN_C_END

#endif
