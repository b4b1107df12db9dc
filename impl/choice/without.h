/* without.h - single parts that this build lacks: their upcalls (modules.h) */
#ifndef DFI_CHOICE_WITHOUT_H
#define DFI_CHOICE_WITHOUT_H

#include "../base/parts.h"
#include "../base/upcall.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/pool.h"
#include "../work/settings.h"
#include "../work/slot.h"
#include "../work/stack.h"
#include "../work/supervise.h"
#include "../work/tables.h"

#if defined(DF_SERIAL)
DFI_UPCALL_NONE(dfi_up_future_stolen);
#endif
#if !DFI_WITH_MORE && !defined(DF_SERIAL)
DFI_UPCALL_NONE(dfi_up_cpus_chosen);
DFI_UPCALL_NONE(dfi_up_cpus_most);
DFI_UPCALL_NONE(dfi_up_helper_begins);
#endif
#if !DFI_WITH_SITES || defined(DF_SERIAL)
DFI_UPCALL_NONE(dfi_up_unsynced);
DFI_UPCALL_NONE(dfi_up_unsynced_look);
#endif
#if !DFI_WITH_MORE
DFI_UPCALL_NONE(dfi_up_error_text);
#if !defined(DF_SERIAL)
DFI_UPCALL_NONE(dfi_up_rest);
#endif
#endif
#if !DFI_WITH_DATAFLOW || defined(DF_SERIAL)
DFI_UPCALL_NONE(dfi_up_bodies_end);
DFI_UPCALL_NONE(dfi_up_end_watch);
DFI_UPCALL_NONE(dfi_up_end_unwatch);
#endif
#if !DFI_WITH_WATCHES
DFI_UPCALL_NONE(dfi_up_turn_take);
DFI_UPCALL_NONE(dfi_up_turn_drop);
DFI_UPCALL_NONE(dfi_up_turn_outside);
DFI_UPCALL_NONE(dfi_up_turn_point);
DFI_UPCALL_NONE(dfi_up_turn_look);
DFI_UPCALL_NONE(dfi_up_stranger);
DFI_UPCALL_NONE(dfi_up_stranger_is);
DFI_UPCALL_NONE(dfi_up_now_and_then);
DFI_UPCALL_NONE(dfi_up_rank);
DFI_UPCALL_NONE(dfi_up_backwards);
DFI_UPCALL_NONE(dfi_up_clock);
#endif
#if !DF_CHECK
DFI_UPCALL_NONE(dfi_up_called);
DFI_UPCALL_NONE(dfi_up_unwound);
DFI_UPCALL_NONE(dfi_up_waits);
DFI_UPCALL_NONE(dfi_up_children_done);
DFI_UPCALL_NONE(dfi_up_scope_end);
#endif
#if !DFI_CHECK_ASAN
DFI_UPCALL_NONE(dfi_up_pause);
DFI_UPCALL_NONE(dfi_up_resume);
DFI_UPCALL_NONE(dfi_up_code_begin);
DFI_UPCALL_NONE(dfi_up_code_end);
DFI_UPCALL_NONE(dfi_up_own_begin);
DFI_UPCALL_NONE(dfi_up_own_end);
#endif

#endif
