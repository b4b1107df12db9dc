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
#include "os/os.h"
#include "work/types.h"
#include "work/module.h"
#include "os/threads.h"
#include "os/fibre_swap.h"
#include "os/fibre.h"
#include "os/wait.h"
#include "os/stack.h"
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
#include "observe/single.h"
#if !defined(DF_SERIAL)
#include "observe/event.h"
#include "observe/chains.h"
#include "observe/events.h"
#include "observe/probes.h"
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
#endif
#endif
#endif
#include "choice/absent.h"
#include "choice/needed.h"

/* --- what lower floors leave to upper ones (base/upcall.h) ---------------------------------------- */

#if DFI_WITH_DATAFLOW
struct dfi_whole_worker {
    struct dfi_worker worker;
    struct dfi_flow_worker tasks;
#if DFI_WITH_MORE
    struct dfi_blocks blocks;
    struct dfi_looks looks;
    struct dfi_throttled throttled;
    struct dfi_holds holds;
    struct dfi_handles_here handles;
    struct dfi_tally tally;
    struct dfi_started started;
    struct dfi_alone alone;
#if !defined(DF_SERIAL)
    struct dfi_entered entered;
#endif
    struct dfi_device_worker kernels;
#endif
#if DFI_WITH_OBSERVERS
    struct dfi_numbers numbers;
    struct dfi_observing observing;
#endif
#if DFI_WITH_WATCHES
    struct dfi_events_worker events;
    struct dfi_chains chains;
    struct dfi_directed_worker directed;
#endif
#if DF_CHECK
    struct dfi_check_worker checks;
#endif
};
DFI_LATER_IS(size_t, dfi_worker_bytes, sizeof(struct dfi_whole_worker));
DFI_ROOM_IS(dfi_tasks_of, dfi_whole_worker, tasks);
#if DFI_WITH_MORE
DFI_ROOM_IS(dfi_blocks_of, dfi_whole_worker, blocks);
DFI_ROOM_IS(dfi_looks_of, dfi_whole_worker, looks);
DFI_ROOM_IS(dfi_throttled_of, dfi_whole_worker, throttled);
DFI_ROOM_IS(dfi_holds_of, dfi_whole_worker, holds);
DFI_ROOM_IS(dfi_handles_of, dfi_whole_worker, handles);
DFI_ROOM_IS(dfi_tally_of, dfi_whole_worker, tally);
DFI_ROOM_IS(dfi_started_of, dfi_whole_worker, started);
DFI_ROOM_IS(dfi_alone_of, dfi_whole_worker, alone);
DFI_ROOM_IS(dfi_kernels_of, dfi_whole_worker, kernels);
#endif
#if DF_CHECK
DFI_LATER_IS(size_t, dfi_check_room, offsetof(struct dfi_whole_worker, checks));
#endif
#if DFI_WITH_OBSERVERS
DFI_ROOM_IS(dfi_numbers_of, dfi_whole_worker, numbers);
DFI_ROOM_IS(dfi_observing_of, dfi_whole_worker, observing);
#else
#if DFI_WITH_MORE
DFI_ROOM_NONE(dfi_numbers_of);
DFI_ROOM_NONE(dfi_observing_of);
DFI_ROOM_NONE(dfi_chains_of);
#endif
#endif
#if DFI_WITH_WATCHES
DFI_ROOM_IS(dfi_chains_of, dfi_whole_worker, chains);
DFI_ROOM_IS(dfi_directed_of, dfi_whole_worker, directed);
DFI_LATER_IS(size_t, dfi_events_room, offsetof(struct dfi_whole_worker, events));
#endif

static size_t dfi_whole_block(unsigned cls)
{
    switch (cls) {
    case DFI_CLS_EDGES: return sizeof(struct dfi_edges);
    case DFI_CLS_ENTRY: return dfi_entry_bytes;
    case DFI_CLS_TABLE: return dfi_table_bytes;
    case DFI_CLS_EXTRA: return dfi_extra_bytes;
#if DFI_WITH_MORE
    case DFI_CLS_USE: return sizeof(struct dfi_use);
    case DFI_CLS_GROUP: return sizeof(struct dfi_group);
    case DFI_CLS_WEAK: return sizeof(struct dfi_parts);
    case DFI_CLS_PART: return sizeof(struct dfi_part);
    case DFI_CLS_SLEEPER: return sizeof(struct dfi_token_wait);
#endif
    default: return dfi_args_at + ((size_t)16 << (cls - DFI_CLS_TASK)); /* arguments of 16, 32 .. 2048 bytes */
    }
}
#define dfi_up_block_bytes_by , dfi_whole_block

/* a task, its first edges, and the rooms behind them; its arguments follow */
struct dfi_whole_task {
    struct dfi_flow task;
    struct dfi_edge edge[DFI_EDGES_INLINE];
#if DF_CHECK
    struct dfi_check_task checks;
#endif
};
DFI_LATER_IS(size_t, dfi_args_at, (sizeof(struct dfi_whole_task) + 15) / 16 * 16);

struct dfi_whole_extra {
    struct dfi_extra extra;
#if DFI_WITH_MORE
    struct dfi_member member;
    struct dfi_tokens tokens;
    struct dfi_cancel cancel;
    struct dfi_gate gate;
    struct dfi_windows windows;
    struct dfi_noted noted;
    struct dfi_predicated predicated;
#endif
#if DFI_WITH_OBSERVERS
    struct dfi_drawn drawn;
#endif
};
DFI_LATER_IS(size_t, dfi_extra_bytes, sizeof(struct dfi_whole_extra));

struct dfi_whole_scope {
    struct dfi_flow_scope scope;
#if DFI_WITH_MORE
    struct dfi_scope_errors errors;
    struct dfi_scope_gated gated;
    struct dfi_scope_predicate predicate;
    struct dfi_scope_recorded recorded;
    struct dfi_scope_launched launches;
#if !defined(DF_SERIAL)
    struct dfi_scope_arena arena;
#endif
#endif
#if DF_CHECK
    struct dfi_check_scope checks;
#endif
};
DFI_LATER_IS(size_t, dfi_scope_bytes, sizeof(struct dfi_whole_scope));

struct dfi_whole_entry {
    struct dfi_entry entry;
#if DFI_WITH_MORE
    struct dfi_entry_group group;
    struct dfi_entry_versions versions;
    struct dfi_entry_listed listed;
#endif
};
DFI_LATER_IS(size_t, dfi_entry_bytes, sizeof(struct dfi_whole_entry));

struct dfi_whole_table {
    struct dfi_table table;
#if DFI_WITH_OBSERVERS
    struct dfi_scope_drawn drawn;
#endif
};
DFI_LATER_IS(size_t, dfi_table_bytes, sizeof(struct dfi_whole_table));

#if DFI_WITH_MORE
DFI_ROOM_IS(dfi_member_of, dfi_whole_extra, member);
DFI_ROOM_IS(dfi_tokens_of, dfi_whole_extra, tokens);
DFI_ROOM_IS(dfi_cancel_of, dfi_whole_extra, cancel);
DFI_ROOM_IS(dfi_gate_of, dfi_whole_extra, gate);
DFI_ROOM_IS(dfi_windows_of, dfi_whole_extra, windows);
DFI_ROOM_IS(dfi_noted_of, dfi_whole_extra, noted);
DFI_ROOM_IS(dfi_predicated_of, dfi_whole_extra, predicated);
DFI_ROOM_IS(dfi_errors_in, dfi_whole_scope, errors);
DFI_ROOM_IS(dfi_gated_in, dfi_whole_scope, gated);
DFI_ROOM_IS(dfi_predicate_in, dfi_whole_scope, predicate);
DFI_ROOM_IS(dfi_recorded_in, dfi_whole_scope, recorded);
DFI_ROOM_IS(dfi_launches_in, dfi_whole_scope, launches);
#if !defined(DF_SERIAL)
DFI_ROOM_IS(dfi_arena_in, dfi_whole_scope, arena);
DFI_ROOM_IS(dfi_entered_of, dfi_whole_worker, entered);
#else
DFI_ROOM_NONE(dfi_arena_in);
DFI_ROOM_NONE(dfi_entered_of);
#endif
DFI_ROOM_IS(dfi_group_of, dfi_whole_entry, group);
DFI_ROOM_IS(dfi_versions_of, dfi_whole_entry, versions);
DFI_ROOM_IS(dfi_listed_of, dfi_whole_entry, listed);
#endif
#if DFI_WITH_OBSERVERS
DFI_ROOM_IS(dfi_drawn_of, dfi_whole_extra, drawn);
DFI_ROOM_IS(dfi_drawn_in, dfi_whole_table, drawn);
#endif
#if DF_CHECK
DFI_ROOM_IS(dfi_task_checks, dfi_whole_task, checks);
DFI_ROOM_IS(dfi_scope_checks, dfi_whole_scope, checks);
#endif
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
#if DFI_ABSENT_PARTS
    dfi_module_absent,
#endif
#if DFI_WITH_MORE && !defined(DF_SERIAL)
    dfi_module_cpuset,
#endif
#if DFI_WITH_MORE
    dfi_module_devices, /* before the trace, which has what devices did */
#if DF_CHECK
    dfi_module_check,
#endif
#if DFI_WITH_WATCHES
    dfi_module_chains,
#endif
#if DFI_WITH_OBSERVERS
    dfi_module_observe,
    dfi_module_progress,
    dfi_module_graph,
#endif
#if DFI_WITH_WATCHES
    dfi_module_stall,
    dfi_module_trace,
    dfi_module_stats, /* what remains of events is read by now */
    dfi_module_schedule,
#endif
    dfi_module_teams,
    dfi_module_loops,
    dfi_module_streams,
    dfi_module_more, dfi_module_errors,
    dfi_module_spares,
#if !defined(DF_SERIAL)
    dfi_module_arenas,
#endif
    dfi_module_callbacks,
    dfi_module_blocking,
    dfi_module_cancel,
#endif
    dfi_module_flow, /* the last: it sees whether there are observers */
    NULL };
DFI_LATER_IS(dfi_module *const *, dfi_modules, dfi_module_table);
#else
DFI_LATER_NONE(dfi_module *const *, dfi_modules);
#endif

#if !defined(DF_SERIAL) && DFI_WITH_DATAFLOW
static const struct dfi_setting *const dfi_setting_table[] = {
    dfi_flow_settings,
#if DFI_WITH_MORE
    dfi_more_settings,
#endif
    NULL };
DFI_LATER_IS(const struct dfi_setting *const *, dfi_settings, dfi_setting_table);
#elif !defined(DF_SERIAL)
DFI_LATER_NONE(const struct dfi_setting *const *, dfi_settings);
#endif

#endif
