/* modules.h - the implementation of df.h: the one file that may name every part of it */
#ifndef DFI_MODULES_H
#define DFI_MODULES_H

#include "base/memory.h"
#include "work/tables.h"
#include "base/log.h"
#include "flow/region.h"
#include "more/stream/ring.h"
#include "more/stream/type.h"
#include "more/stream/window.h"
#include "more/stream/api.h"
#include "more/loop/range.h"
#include "more/loop/stage.h"
#include "base/env.h"
#include "base/path.h"
#include "base/file.h"
#include "observe/graph/graph.h"
#include "observe/graph/order.h"
#include "observe/graph/join.h"
#include "observe/graph/write.h"
#include "observe/graph/dot.h"
#include "observe/graph/file.h"
#include "more/taskgraph/list.h"
#if defined(DF_SERIAL)
#include "serial/hook.h"
#include "serial/impl.h"
#include "serial/token.h"
#include "serial/graph.h"
#include "serial/order.h"
#include "serial/loop.h"
#include "serial/stream.h"
#include "serial/speculate.h"
#include "serial/taskgraph.h"
#else
#include "stm/hook.h"
#include "os/os.h"
#include "observe/event.h"
#include "observe/check/check.h"
#include "work/types.h"
#include "work/module.h"
#include "os/wait.h"
#include "os/stack.h"
#include "os/threads.h"
#include "work/blocks.h"
#include "flow/table.h"
#include "work/deque.h"
#include "work/nest.h"
#include "observe/schedule/chaos.h"
#include "work/queue.h"
#include "observe/events.h"
#include "observe/stall/waits.h"
#include "observe/trace/trace.h"
#include "observe/trace/json.h"
#include "observe/trace/page.h"
#include "observe/trace/html.h"
#include "observe/trace/life.h"
#include "observe/schedule/tape.h"
#include "observe/schedule/baton.h"
#include "observe/stats/perf.h"
#include "observe/probes.h"
#include "work/wait.h"
#include "work/sched.h"
#include "observe/stats/stats.h"
#include "observe/stats/read.h"
#include "observe/stats/simulate.h"
#include "observe/stats/life.h"
#include "work/scope.h"
#include "more/error.h"
#include "work/future.h"
#include "work/unsynced.h"
#include "flow/extra.h"
#include "flow/devices.h"
#include "observe/graph/hook.h"
#include "more/speculate/undo.h"
#include "more/speculate/predicate.h"
#include "flow/task.h"
#include "flow/edge.h"
#include "more/token.h"
#include "more/rename.h"
#include "observe/check/reduce.h"
#include "more/group.h"
#include "flow/order.h"
#include "flow/enter.h"
#include "flow/at_once.h"
#include "more/weak.h"
#include "observe/check/declared.h"
#include "observe/check/live.h"
#include "observe/check/turn.h"
#include "observe/check/view.h"
#include "observe/check/report.h"
#include "observe/check/run.h"
#include "more/speculate/task.h"
#include "work/settings.h"
#include "observe/schedule/direct.h"
#include "flow/submit.h"
#include "more/taskgraph/plan.h"
#include "more/taskgraph/run.h"
#include "more/taskgraph/steady.h"
#include "more/speculate/block.h"
#include "more/deadlock.h"
#include "more/stream/task.h"
#include "observe/stall/graph.h"
#include "observe/stall/report.h"
#include "work/team.h"
#include "more/loop/alone.h"
#include "more/loop/for.h"
#include "more/loop/wavefront.h"
#include "more/loop/pipe.h"
#include "work/thread_end.h"
#include "work/pool.h"
#include "work/blocking.h"
#include "observe/life.h"

static void dfi_stm_count(df_counters *c)
{
    if (dfi_load_acquire(&dfi_tm_count_hook)) dfi_tm_count_hook(&c->transactions, &c->aborts);
}
static const struct dfi_module dfi_module_stm = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, dfi_stm_count };

DFI_EXTERN_C_BEGIN
DFI_API const struct dfi_module *dfi_modules[] = {
    &dfi_module_devices, /* before the trace, which has what devices did */
#if DF_CHECK
    &dfi_module_check,
#endif
    &dfi_module_graph,    &dfi_module_stall,  &dfi_module_trace,  &dfi_module_stats, /* what remains of events is read by now */
    &dfi_module_schedule, &dfi_module_steady, &dfi_module_blocking, &dfi_module_stm, NULL };
DFI_EXTERN_C_END
#endif
#include "more/taskgraph/api.h"
#include "os/fibre_swap.h"
#include "os/fibre.h"
#if defined(DF_SERIAL)
#include "serial/pause.h"
#endif

#endif
