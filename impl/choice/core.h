/* core.h - builds without more/: the upcalls of the core that stay without an answer, with dataflow and without it */
#ifndef DFI_CHOICE_CORE_H
#define DFI_CHOICE_CORE_H

#include "../base/parts.h"
#include "../base/upcall.h"
#include "../work/deque.h"
#include "../work/find.h"
#include "../work/future.h"
#include "../work/pool.h"
#include "../work/scope.h"
#include "../work/settings.h"
#include "../work/task.h"
#include "../work/wake.h"

#if !DFI_WITH_MORE
DFI_UPCALL_NONE(dfi_up_code_ends);
DFI_UPCALL_NONE(dfi_up_idle_wanted);
DFI_UPCALL_NONE(dfi_up_in_construct);
DFI_UPCALL_NONE(dfi_up_nap_end);
DFI_UPCALL_NONE(dfi_up_nap_ms);
DFI_UPCALL_NONE(dfi_up_nap_over);
DFI_UPCALL_NONE(dfi_up_scope_ends);
DFI_UPCALL_NONE(dfi_up_scope_waited);
DFI_UPCALL_NONE(dfi_up_scope_waits);
DFI_UPCALL_NONE(dfi_up_sleeps);
DFI_UPCALL_NONE(dfi_up_slept);
DFI_UPCALL_NONE(dfi_up_spawns);
DFI_UPCALL_NONE(dfi_up_stolen_begins);
DFI_UPCALL_NONE(dfi_up_door);
DFI_UPCALL_NONE(dfi_up_thief_enters);
DFI_UPCALL_NONE(dfi_up_thief_leaves);
DFI_UPCALL_NONE(dfi_up_thief_may_enter);
#if !defined(DF_SERIAL)
DFI_UPCALL_NONE(dfi_up_variables);
#endif
#endif

#endif
