/* modules.h - the implementation of df.h: the one file that may name every part of it */
#ifndef DFI_MODULES_H
#define DFI_MODULES_H

#include "base/parts.h"
#if defined(DF_IMPLEMENTATION) && !DFI_OWN_POOL && \
    (!DFI_WITH_OBSERVERS || DFI_WITH_CHECK || defined(DF_MINIMAL) || defined(DF_SMALL))
#error "df: define DF_IMPLEMENTATION, DF_MINIMAL, DF_SMALL and the like before the first #include of df in this file"
#endif
#include "base/hash.h"
#include "base/memory.h"
#include "base/log.h"
#include "base/env.h"
#include "base/path.h"
#include "base/file.h"
#include "work/tables.h"
#include "api/hooks.h"
#include "api/ranks.h"
#include "os/system.h"
#include "os/fibre_swap.h"
#include "os/fibre.h"
#include "os/os.h"
#include "work/types.h"
#include "work/module.h"
#include "work/blocks.h"
#include "work/deque.h"
#include "work/worker.h"
#include "work/wait.h"
#include "work/goal.h"
#include "work/wake.h"
#include "work/stack.h"
#include "work/find.h"
#include "work/help.h"
#include "work/scope.h"
#include "work/future.h"
#include "work/unsynced.h"
#include "work/checked.h"
#include "work/slot.h"
#include "work/one_build.h"
#include "work/block.h"
#include "work/team.h"
#include "work/thread_end.h"
#include "more/texts.h"
#include "more/limit.h"
#include "work/settings.h"
#include "work/fork.h"
#include "work/pool.h"
#if DFI_WITH_MORE && !defined(DF_SERIAL)
#include "more/topology.h"
#include "more/cpuset.h"
#endif
#if DFI_WITH_MORE
#include "more/storage.h"
#endif
#include "observe/check/check.h"
#if DFI_WITH_DATAFLOW
#include "flow/nest.h"
#include "flow/region.h"
#include "flow/types.h"
#include "flow/supervise.h"
#include "flow/table.h"
#include "flow/moments.h"
#include "flow/scope.h"
#include "flow/queue.h"
#include "flow/extra.h"
#include "flow/body.h"
#include "flow/task.h"
#include "flow/edge.h"
#include "flow/order.h"
#include "flow/at_once.h"
#include "flow/throttle.h"
#include "flow/options.h"
#include "flow/careful.h"
#include "flow/submit.h"
#include "flow/waits.h"
#include "flow/life.h"
#if DFI_WITH_MORE
#include "more/stream/ring.h"
#include "more/stream/type.h"
#include "more/stream/window.h"
#include "more/stream/api.h"
#include "more/loop/range.h"
#include "more/loop/stage.h"
#include "more/taskgraph/list.h"
#include "more/types.h"
#include "more/state.h"
#include "more/use.h"
#include "more/arena.h"
#include "more/spare.h"
#include "more/idle.h"
#include "more/resize.h"
#include "more/blocking.h"
#include "more/error.h"
#include "more/poison.h"
#include "more/cancel.h"
#include "more/timed.h"
#include "more/devices.h"
#include "more/speculate/condition.h"
#include "more/speculate/undo.h"
#include "more/speculate/predicate.h"
#include "more/token.h"
#include "more/node.h"
#include "more/handle.h"
#include "more/rename.h"
#include "more/semaphore.h"
#include "more/group.h"
#include "more/lock.h"
#include "more/weak.h"
#include "more/options.h"
#include "more/speculate/task.h"
#include "more/speculate/block.h"
#include "more/call.h"
#include "more/ranks.h"
#include "more/taskgraph/plan.h"
#include "more/taskgraph/record.h"
#include "more/taskgraph/run.h"
#include "more/taskgraph/here.h"
#include "more/taskgraph/api.h"
#include "more/throttle.h"
#include "more/deadlock.h"
#include "more/outside.h"
#include "more/stream/task.h"
#include "more/parts.h"
#include "more/alone.h"
#include "more/scopes.h"
#include "more/loop/alone.h"
#include "more/nap.h"
#include "more/variables.h"
#include "more/callbacks.h"
#include "more/loop/iterate.h"
#include "more/loop/share.h"
#include "more/loop/wavefront.h"
#include "more/loop/for.h"
#include "more/loop/item.h"
#include "more/loop/pipe.h"
#if DF_CHECK
#include "observe/check/reduce.h"
#include "observe/check/declared.h"
#include "observe/check/family.h"
#include "observe/check/live.h"
#include "observe/check/turn.h"
#include "observe/check/view.h"
#include "observe/check/entry.h"
#include "observe/check/report.h"
#include "observe/check/run.h"
#include "observe/check/loop.h"
#include "observe/check/life.h"
#endif
#include "observe/graph/graph.h"
#if DFI_WITH_OBSERVERS
#include "observe/graph/order.h"
#include "observe/graph/write.h"
#include "observe/graph/hook.h"
#if !defined(DF_SERIAL)
#include "observe/event.h"
#include "observe/chains.h"
#include "observe/reporter.h"
#include "observe/events.h"
#include "observe/record.h"
#include "observe/schedule/chaos.h"
#include "observe/schedule/log.h"
#include "observe/schedule/baton.h"
#include "observe/schedule/direct.h"
#include "observe/stall/waits.h"
#include "observe/stall/graph.h"
#include "observe/stall/report.h"
#include "observe/stall/life.h"
#include "observe/trace/trace.h"
#include "observe/trace/json.h"
#include "observe/trace/page.h"
#include "observe/trace/html.h"
#include "observe/trace/read.h"
#include "observe/trace/life.h"
#include "observe/stats/record.h"
#include "observe/stats/stats.h"
#include "observe/stats/life.h"
#include "observe/life.h"
#endif
#include "observe/see.h"
#endif
#endif
#endif
#include "choice/absent.h"
#include "choice/needed.h"

#if DFI_WITH_DATAFLOW
#include "rooms.h"
#if !DFI_WITH_MORE
#include "choice/dataflow.h"
#endif
#else
DFI_LATER_IS(size_t, dfi_worker_bytes, sizeof(struct dfi_worker));
DFI_LATER_IS(size_t, dfi_scope_bytes, sizeof(struct dfi_scope));
#endif
#include "upcalls.h"

/* --- modules ------------------------------------------------------------------------------------- */

#if DFI_WITH_DATAFLOW
static dfi_module *const dfi_module_table[] = {
    DFI_IF(DFI_ABSENT_PARTS, dfi_module_absent,)
    DFI_IF(DFI_WITH_CREWS, dfi_module_cpuset,)
    DFI_IF(DFI_WITH_MORE, dfi_module_devices,) /* before the trace, which has what devices did */
    DFI_IF(DFI_WITH_CHECKS, dfi_module_check,)
    DFI_IF(DFI_WITH_WATCHES, dfi_module_chains,)
    DFI_IF(DFI_WITH_OBSERVERS, dfi_module_observe, dfi_module_progress, dfi_module_graph,)
    DFI_IF(DFI_WITH_WATCHES, dfi_module_stall, dfi_module_trace, dfi_module_stats, /* events are read by now */
           dfi_module_schedule,)
    DFI_IF(DFI_WITH_MORE, dfi_module_teams, dfi_module_loops, dfi_module_streams, dfi_module_more, dfi_module_errors,
           dfi_module_spares,)
    DFI_IF(DFI_WITH_CREWS, dfi_module_arenas, dfi_module_ranks,)
    DFI_IF(DFI_WITH_MORE, dfi_module_callbacks, dfi_module_idle, dfi_module_blocking, dfi_module_cancel,)
    dfi_module_flow, /* the last: it sees whether there are observers */
    NULL };
DFI_LATER_IS(dfi_module *const *, dfi_modules, dfi_module_table);
#if !defined(DF_SERIAL)
static const struct dfi_setting *const dfi_setting_table[] = {
    dfi_flow_settings, DFI_IF(DFI_WITH_MORE, dfi_more_settings,) NULL };
DFI_LATER_IS(const struct dfi_setting *const *, dfi_settings, dfi_setting_table);
#endif
#else
DFI_LATER_NONE(dfi_module *const *, dfi_modules);
#if !defined(DF_SERIAL)
DFI_LATER_NONE(const struct dfi_setting *const *, dfi_settings);
#endif
#endif

#endif
