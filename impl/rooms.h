/* rooms.h - the list of all rooms: what upper floors have behind the records of lower ones (base/upcall.h)
 *
 * A row has the condition of the build, the type of the room, and the function that DFI_ROOM declares, which also is
 * the name of the member. */
#ifndef DFI_ROOMS_H
#define DFI_ROOMS_H

#include "base/compiler.h"
#include "base/parts.h"
#include "base/upcall.h"
#include "flow/types.h"
#include "work/blocks.h"
#include "work/probe.h"
#include "work/types.h"

#define DFI_WORKER_ROOMS(ROOM)                                                                                         \
    ROOM(DFI_WITH_DATAFLOW, dfi_flow_worker, dfi_tasks_of)                                                             \
    ROOM(DFI_WITH_MORE, dfi_blocks, dfi_blocks_of)                                                                     \
    ROOM(DFI_WITH_MORE, dfi_looks, dfi_looks_of)                                                                       \
    ROOM(DFI_WITH_MORE, dfi_throttled, dfi_throttled_of)                                                               \
    ROOM(DFI_WITH_MORE, dfi_holds, dfi_holds_of)                                                                       \
    ROOM(DFI_WITH_MORE, dfi_handles_here, dfi_handles_of)                                                              \
    ROOM(DFI_WITH_MORE, dfi_tally, dfi_tally_of)                                                                       \
    ROOM(DFI_WITH_MORE, dfi_started, dfi_started_of)                                                                   \
    ROOM(DFI_WITH_MORE, dfi_alone, dfi_alone_of)                                                                       \
    ROOM(DFI_WITH_CREWS, dfi_entered, dfi_entered_of)                                                                 \
    ROOM(DFI_WITH_MORE, dfi_device_worker, dfi_kernels_of)                                                             \
    ROOM(DFI_WITH_OBSERVERS, dfi_numbers, dfi_numbers_of)                                                              \
    ROOM(DFI_WITH_OBSERVERS, dfi_observing, dfi_observing_of)                                                          \
    ROOM(DFI_WITH_WATCHES, dfi_events_worker, dfi_events)                                                              \
    ROOM(DFI_WITH_WATCHES, dfi_chains, dfi_chains_of)                                                                  \
    ROOM(DFI_WITH_WATCHES, dfi_directed_worker, dfi_directed_of)                                                       \
    ROOM(DFI_WITH_CHECKS, dfi_check_worker, dfi_check)

#define DFI_TASK_ROOMS(ROOM) ROOM(DFI_WITH_CHECKS, dfi_check_task, dfi_task_checks)

#define DFI_EXTRA_ROOMS(ROOM)                                                                                          \
    ROOM(DFI_WITH_MORE, dfi_member, dfi_member_of)                                                                     \
    ROOM(DFI_WITH_MORE, dfi_tokens, dfi_tokens_of)                                                                     \
    ROOM(DFI_WITH_MORE, dfi_cancel, dfi_cancel_of)                                                                     \
    ROOM(DFI_WITH_MORE, dfi_gate, dfi_gate_of)                                                                         \
    ROOM(DFI_WITH_MORE, dfi_windows, dfi_windows_of)                                                                   \
    ROOM(DFI_WITH_MORE, dfi_noted, dfi_noted_of)                                                                       \
    ROOM(DFI_WITH_CREWS, dfi_tentative_task, dfi_tentative_of)                                                         \
    ROOM(DFI_WITH_OBSERVERS, dfi_drawn, dfi_drawn_of)

#define DFI_SCOPE_ROOMS(ROOM)                                                                                          \
    ROOM(DFI_WITH_MORE, dfi_scope_errors, dfi_errors_in)                                                               \
    ROOM(DFI_WITH_MORE, dfi_scope_gated, dfi_gated_in)                                                                 \
    ROOM(DFI_WITH_CREWS, dfi_tentative_scope, dfi_tentative_in)                                                        \
    ROOM(DFI_WITH_MORE, dfi_scope_recorded, dfi_recorded_in)                                                           \
    ROOM(DFI_WITH_MORE, dfi_scope_launched, dfi_launches_in)                                                           \
    ROOM(DFI_WITH_CREWS, dfi_scope_arena, dfi_arena_in)                                                               \
    ROOM(DFI_WITH_CHECKS, dfi_check_scope, dfi_scope_checks)

#define DFI_ENTRY_ROOMS(ROOM)                                                                                          \
    ROOM(DFI_WITH_MORE, dfi_entry_group, dfi_group_of)                                                                 \
    ROOM(DFI_WITH_MORE, dfi_entry_versions, dfi_versions_of)                                                           \
    ROOM(DFI_WITH_CREWS, dfi_tentative_entry, dfi_listed_of)

#define DFI_TABLE_ROOMS(ROOM) ROOM(DFI_WITH_OBSERVERS, dfi_scope_drawn, dfi_drawn_in)

#define DFI_BODY_ROOMS(ROOM)                                                                                           \
    ROOM(DFI_WITH_OBSERVERS, dfi_told_body, dfi_told_of)                                                               \
    ROOM(DFI_WITH_WATCHES, dfi_recorded_body, dfi_recorded_of)

/* --- the whole records --------------------------------------------------------------------------------------- */

#define DFI_ROOM_MEMBER(with, type, of) DFI_IF(with, struct type of;)

struct dfi_whole_worker { struct dfi_worker worker; DFI_WORKER_ROOMS(DFI_ROOM_MEMBER) };
/* a task, its first edges, and the rooms behind them; its arguments follow */
struct dfi_whole_task { struct dfi_flow task; struct dfi_edge edge[DFI_EDGES_INLINE]; DFI_TASK_ROOMS(DFI_ROOM_MEMBER) };
struct dfi_whole_extra { struct dfi_extra extra; DFI_EXTRA_ROOMS(DFI_ROOM_MEMBER) };
struct dfi_whole_scope { struct dfi_flow_scope scope; DFI_SCOPE_ROOMS(DFI_ROOM_MEMBER) };
struct dfi_whole_entry { struct dfi_entry entry; DFI_ENTRY_ROOMS(DFI_ROOM_MEMBER) };
struct dfi_whole_table { struct dfi_table table; DFI_TABLE_ROOMS(DFI_ROOM_MEMBER) };
struct dfi_whole_body { struct dfi_body body; DFI_BODY_ROOMS(DFI_ROOM_MEMBER) };
#define DFI_BODY_ROOM_BYTES sizeof(((struct dfi_body *)NULL)->room) /* the rooms of a body are in its last member */

#define DFI_ROOM_IN(whole, with, of) ; DFI_LATER_IS(size_t, of##_room, DFI_IF(with, offsetof(struct whole, of)) + 0)
#define DFI_ROOM_IN_WORKER(with, type, of) DFI_ROOM_IN(dfi_whole_worker, with, of)
#define DFI_ROOM_IN_TASK(with, type, of)   DFI_ROOM_IN(dfi_whole_task, with, of)
#define DFI_ROOM_IN_EXTRA(with, type, of)  DFI_ROOM_IN(dfi_whole_extra, with, of)
#define DFI_ROOM_IN_SCOPE(with, type, of)  DFI_ROOM_IN(dfi_whole_scope, with, of)
#define DFI_ROOM_IN_ENTRY(with, type, of)  DFI_ROOM_IN(dfi_whole_entry, with, of)
#define DFI_ROOM_IN_TABLE(with, type, of)  DFI_ROOM_IN(dfi_whole_table, with, of)

#define DFI_ROOM_IN_BODY(with, type, of)                                                                               \
    ; DFI_LATER_IS(size_t, of##_room, DFI_IF(with, offsetof(struct dfi_whole_body, of) - DFI_BODY_ROOM_BYTES) + 0)

DFI_LATER_IS(size_t, dfi_worker_bytes, sizeof(struct dfi_whole_worker)) DFI_WORKER_ROOMS(DFI_ROOM_IN_WORKER);
DFI_LATER_IS(size_t, dfi_args_at, (sizeof(struct dfi_whole_task) + 15) / 16 * 16) DFI_TASK_ROOMS(DFI_ROOM_IN_TASK);
DFI_LATER_IS(size_t, dfi_extra_bytes, sizeof(struct dfi_whole_extra)) DFI_EXTRA_ROOMS(DFI_ROOM_IN_EXTRA);
DFI_LATER_IS(size_t, dfi_scope_bytes, sizeof(struct dfi_whole_scope)) DFI_SCOPE_ROOMS(DFI_ROOM_IN_SCOPE);
DFI_LATER_IS(size_t, dfi_entry_bytes, sizeof(struct dfi_whole_entry)) DFI_ENTRY_ROOMS(DFI_ROOM_IN_ENTRY);
DFI_LATER_IS(size_t, dfi_table_bytes, sizeof(struct dfi_whole_table)) DFI_TABLE_ROOMS(DFI_ROOM_IN_TABLE);
DFI_STATIC_ASSERT(sizeof(struct dfi_whole_body) <= sizeof(struct dfi_body) + DFI_BODY_ROOM_BYTES,
                  "DFI_BODY_ROOM is too small") DFI_BODY_ROOMS(DFI_ROOM_IN_BODY);

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

#endif
