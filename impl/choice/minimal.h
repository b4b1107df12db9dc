/* minimal.h - a build of fork-join alone: what other builds have above the core (modules.h)
 *
 * The core asks these questions and nothing answers, so the compiler removes them, with the code for the answers. */
#ifndef DFI_CHOICE_MINIMAL_H
#define DFI_CHOICE_MINIMAL_H

#include "../base/upcall.h"
#include "../work/types.h"
#include "../work/blocks.h"
#include "../work/find.h"
#include "../work/future.h"
#include "../work/pool.h"
#include "../work/probe.h"
#include "../work/scope.h"
#include "../work/task.h"
#include "../work/wake.h"

DFI_LATER_IS(size_t, dfi_worker_bytes, sizeof(struct dfi_worker));
DFI_LATER_IS(size_t, dfi_scope_bytes, sizeof(struct dfi_scope));
DFI_UPCALL_NONE(dfi_up_block_bytes);
DFI_UPCALL_NONE(dfi_up_body_scope);
DFI_UPCALL_NONE(dfi_up_bottom_free);
DFI_UPCALL_NONE(dfi_up_exits);
DFI_UPCALL_NONE(dfi_up_find_outside);
DFI_UPCALL_NONE(dfi_up_future_over);
DFI_UPCALL_NONE(dfi_up_future_waits);
DFI_UPCALL_NONE(dfi_up_lazy_create);
DFI_UPCALL_NONE(dfi_up_scope_begins);
DFI_UPCALL_NONE(dfi_up_scope_free);
DFI_UPCALL_NONE(dfi_up_scope_left);
DFI_UPCALL_NONE(dfi_up_see);
DFI_UPCALL_NONE(dfi_up_syncs);
DFI_UPCALL_NONE(dfi_up_task_leave);
DFI_UPCALL_NONE(dfi_up_task_ready);
DFI_UPCALL_NONE(dfi_up_task_run);
DFI_UPCALL_NONE(dfi_up_task_scope);
DFI_UPCALL_NONE(dfi_up_task_take);
DFI_UPCALL_NONE(dfi_up_task_urgent);
DFI_UPCALL_NONE(dfi_up_tasks_publish);
DFI_UPCALL_NONE(dfi_up_team_find);
DFI_UPCALL_NONE(dfi_up_team_run);
DFI_UPCALL_NONE(dfi_up_team_wanted);
DFI_UPCALL_NONE(dfi_up_waited_many);

#endif
