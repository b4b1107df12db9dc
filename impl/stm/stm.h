/* stm.h - list of the files that implement df_stm.h
 *
 * events.h, left.h and api.h are used by the serial implementation too, each with its own struct dfi_tm. */
#ifndef DFI_STM_STM_H
#define DFI_STM_STM_H

#include "../base/hash.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/hooks.h"       /* shared with df.h */
#include "../os/system.h"
#if defined(DF_SERIAL)
#include "serial_state.h"
#else
#include "state.h"              /* records of threads, shared state, counters */
#endif
#include "frames.h"             /* stack frames that have ended */
#include "events.h"             /* log of allocations and handlers */
#if defined(DF_SERIAL)
#include "serial_undo.h"        /* roll back */
#else
#include "stats.h"              /* totals of the counters */
#include "log.h"                /* read set and write set */
#include "sleep.h"              /* threads in df_retry */
#include "block.h"              /* clock, quiescence, isolation; roll back, restart, extension */
#include "access.h"             /* slow paths of reads and writes */
#include "commit.h"             /* the end of a transaction */
#endif
#include "left.h"               /* blocks left by longjmp, exceptions, the end of the thread */
#if defined(DF_SERIAL)
#include "serial.h"             /* blocks and accesses */
#else
#include "thread.h"             /* threads, the table of ownership records, fork */
#include "retry.h"              /* df_retry */
#endif
#include "api.h"                /* functions of df_stm.h */

#endif
