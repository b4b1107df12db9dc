/* stm.h - list of the files that implement df_stm.h
 *
 * events.h, left.h and api.h are used by the serial implementation too, each with its own struct dfi_tm. */
#ifndef DFI_STM_STM_H
#define DFI_STM_STM_H

#include "../base/log.h"
#include "../base/memory.h"
#if defined(DF_SERIAL)
#include "../serial/hook.h"     /* shared with df.h */
#include "../serial/stm.h"      /* state */
#else
#include "../api/hooks.h"               /* shared with df.h */
#include "state.h"              /* records of threads, shared state, counters */
#endif
#include "../os/stack.h"
#include "events.h"             /* log of allocations and handlers */
#if defined(DF_SERIAL)
#include "../serial/stm_undo.h" /* roll back */
#else
#include "log.h"                /* read set and write set */
#include "block.h"              /* clock, quiescence, isolation; roll back, restart, extension */
#include "commit.h"             /* slow paths of reads and writes; commit */
#endif
#include "left.h"               /* blocks left by longjmp, exceptions, the end of the thread */
#if defined(DF_SERIAL)
#include "../serial/stm_impl.h" /* blocks and accesses */
#else
#include "thread.h"             /* threads, the table of ownership records, fork */
#include "retry.h"              /* df_retry */
#endif
#include "api.h"                /* functions of df_stm.h */

#endif
