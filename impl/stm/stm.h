/* stm.h - the implementation of df_stm.h, in order */
#ifndef DFI_STM_STM_H
#define DFI_STM_STM_H

#include "../base/memory.h"
#include "../base/log.h"
#if defined(DF_SERIAL)
#include "../serial/hook.h"
#include "../serial/stm.h"
#else
#include "hook.h"
#include "../os/os.h"
#include "../os/wait.h"
#include "counts.h"
#include "state.h"
#endif
#include "../os/stack.h"
#include "events.h"
#if defined(DF_SERIAL)
#include "../serial/stm_undo.h"
#else
#include "log.h"
#include "copied.h"
#include "block.h"
#include "commit.h"
#include "retry.h"
#endif
#include "left.h"
#if defined(DF_SERIAL)
#include "../serial/stm_impl.h"
#else
#include "life.h"
#include "stats.h"
#include "api.h"
#endif
#include "common.h"

#endif
