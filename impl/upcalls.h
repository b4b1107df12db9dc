/* upcalls.h - the list of all upcalls, by the file that declares and calls them (base/upcall.h)
 *
 * An upcall is NULL in a build in which no file says `#define dfi_up_x_by , function`. */
#ifndef DFI_UPCALLS_H
#define DFI_UPCALLS_H

#include "base/parts.h"
#include "base/upcall.h"

/* work/blocks.h */ DFI_UP(dfi_up_block_bytes)
/* work/deque.h */ DFI_UP(dfi_up_thief_enters) DFI_UP(dfi_up_thief_leaves) DFI_UP(dfi_up_thief_may_enter)
    DFI_UP(dfi_up_door)
/* work/director.h */ DFI_UP(dfi_up_turn_take) DFI_UP(dfi_up_turn_drop) DFI_UP(dfi_up_turn_outside)
    DFI_UP(dfi_up_turn_point) DFI_UP(dfi_up_turn_look) DFI_UP(dfi_up_stranger) DFI_UP(dfi_up_stranger_is)
    DFI_UP(dfi_up_now_and_then) DFI_UP(dfi_up_rank) DFI_UP(dfi_up_backwards) DFI_UP(dfi_up_clock)
/* work/find.h */ DFI_UP(dfi_up_future_stolen) DFI_UP(dfi_up_team_find) DFI_UP(dfi_up_team_run)
    DFI_UP(dfi_up_between)
/* work/future.h */ DFI_UP(dfi_up_future_waits) DFI_UP(dfi_up_future_over) DFI_UP(dfi_up_syncs)
/* work/help.h */ DFI_UP(dfi_up_nap_us) DFI_UP(dfi_up_nap_over) DFI_UP(dfi_up_nap_end) DFI_UP(dfi_up_sleeps)
    DFI_UP(dfi_up_slept) DFI_UP(dfi_up_polls) DFI_UP(dfi_up_busy)
/* work/probe.h */ DFI_UP(dfi_up_see)
/* work/scope.h */ DFI_UP(dfi_up_scope_begins) DFI_UP(dfi_up_stolen_begins) DFI_UP(dfi_up_asked)
    DFI_UP(dfi_up_scope_waits) DFI_UP(dfi_up_scope_waited) DFI_UP(dfi_up_waited_many) DFI_UP(dfi_up_scope_ends)
    DFI_UP(dfi_up_scope_left) DFI_UP(dfi_up_scope_free) DFI_UP(dfi_up_bottom_free)
/* work/slot.h */ DFI_UP(dfi_up_exits) DFI_UP(dfi_up_bodies_end) DFI_UP(dfi_up_end_watch) DFI_UP(dfi_up_end_unwatch)
/* work/stack.h */ DFI_UP(dfi_up_unsynced) DFI_UP(dfi_up_unsynced_look)
/* work/supervise.h */ DFI_UP(dfi_up_called) DFI_UP(dfi_up_pause) DFI_UP(dfi_up_resume) DFI_UP(dfi_up_unwound)
    DFI_UP(dfi_up_code_begin) DFI_UP(dfi_up_code_end) DFI_UP(dfi_up_own_begin) DFI_UP(dfi_up_own_end)
    DFI_UP(dfi_up_waits) DFI_UP(dfi_up_children_done) DFI_UP(dfi_up_scope_end)
/* work/tables.h */ DFI_UP(dfi_up_error_text)
/* work/task.h */ DFI_UP(dfi_up_task_run) DFI_UP(dfi_up_task_scope) DFI_UP(dfi_up_task_leave) DFI_UP(dfi_up_task_take)
    DFI_UP(dfi_up_task_urgent) DFI_UP(dfi_up_task_ready) DFI_UP(dfi_up_find_outside) DFI_UP(dfi_up_tasks_publish)
    DFI_UP(dfi_up_body_scope) DFI_UP(dfi_up_lazy_create)
/* work/wake.h */ DFI_UP(dfi_up_team_wanted) DFI_UP(dfi_up_idle_wanted)
/* work/worker.h */ DFI_UP(dfi_up_attach)

#if !defined(DF_SERIAL)
/* work/pool.h */ DFI_UP(dfi_up_helper_begins) DFI_UP(dfi_up_rest)
/* work/settings.h */ DFI_UP(dfi_up_cpus_chosen) DFI_UP(dfi_up_cpus_most) DFI_UP(dfi_up_variables)
#elif DFI_WITH_MORE
/* os/green.h */ DFI_UP(dfi_up_outside)
#endif

#if DFI_WITH_DATAFLOW
/* work/block.h */ DFI_UP(dfi_up_block_begins)
/* work/thread_end.h */ DFI_UP(dfi_up_fails) DFI_UP(dfi_up_task_unwinds) DFI_UP(dfi_up_code_unwinds)
    DFI_UP(dfi_up_plain_unwinds) DFI_UP(dfi_up_runs_plain)
/* flow/body.h */ DFI_UP(dfi_up_body)
/* flow/edge.h */ DFI_UP(dfi_up_task_number)
/* flow/moments.h */ DFI_UP(dfi_up_with) DFI_UP(dfi_up_with_end) DFI_UP(dfi_up_options_matter)
    DFI_UP(dfi_up_may_run_now) DFI_UP(dfi_up_runs_now) DFI_UP(dfi_up_placed) DFI_UP(dfi_up_bare_waits)
    DFI_UP(dfi_up_bare_waited) DFI_UP(dfi_up_bare_begins) DFI_UP(dfi_up_bare_ends) DFI_UP(dfi_up_owes)
    DFI_UP(dfi_up_arrives) DFI_UP(dfi_up_options) DFI_UP(dfi_up_registers) DFI_UP(dfi_up_registered)
    DFI_UP(dfi_up_runs_here) DFI_UP(dfi_up_alone_waits) DFI_UP(dfi_up_alone_ready) DFI_UP(dfi_up_alone_cancelled)
    DFI_UP(dfi_up_alone_runs) DFI_UP(dfi_up_alone_done) DFI_UP(dfi_up_before_begins) DFI_UP(dfi_up_before_done)
    DFI_UP(dfi_up_access) DFI_UP(dfi_up_joins) DFI_UP(dfi_up_joined) DFI_UP(dfi_up_follows_sharers)
    DFI_UP(dfi_up_sharers_end) DFI_UP(dfi_up_follows_parts) DFI_UP(dfi_up_entry_new) DFI_UP(dfi_up_entry_free)
    DFI_UP(dfi_up_table_new) DFI_UP(dfi_up_ready) DFI_UP(dfi_up_find_around) DFI_UP(dfi_up_begins)
    DFI_UP(dfi_up_lazy_end) DFI_UP(dfi_up_body_ends) DFI_UP(dfi_up_done) DFI_UP(dfi_up_skipped) DFI_UP(dfi_up_opened)
    DFI_UP(dfi_up_releases) DFI_UP(dfi_up_stays) DFI_UP(dfi_up_extra_free) DFI_UP(dfi_up_leaves_stack)
    DFI_UP(dfi_up_ends_on_stack) DFI_UP(dfi_up_flow_scope_new) DFI_UP(dfi_up_body_begins) DFI_UP(dfi_up_block_opens)
    DFI_UP(dfi_up_waited_for) DFI_UP(dfi_up_waited) DFI_UP(dfi_up_body_done) DFI_UP(dfi_up_code_left)
    DFI_UP(dfi_up_flow_scope_free)
/* flow/supervise.h */ DFI_UP(dfi_up_created) DFI_UP(dfi_up_scope_created) DFI_UP(dfi_up_submits) DFI_UP(dfi_up_site)
    DFI_UP(dfi_up_is_ready) DFI_UP(dfi_up_task_done) DFI_UP(dfi_up_waited_on) DFI_UP(dfi_up_released)
    DFI_UP(dfi_up_items) DFI_UP(dfi_up_combines) DFI_UP(dfi_up_combines_more)
/* flow/throttle.h */ DFI_UP(dfi_up_throttle)
#endif

#if DFI_WITH_MORE
/* more/blocking.h */ DFI_UP(dfi_up_looks_begin) DFI_UP(dfi_up_interrupts) DFI_UP(dfi_up_remembers)
/* more/error.h */ DFI_UP(dfi_up_cancels) DFI_UP(dfi_up_tentative_fails) DFI_UP(dfi_up_is_void)
/* more/group.h */ DFI_UP(dfi_up_merged)
/* more/loop/alone.h */ DFI_UP(dfi_up_loop_offer)
/* more/loop/for.h */ DFI_UP(dfi_up_loop_checked)
/* more/spare.h */ DFI_UP(dfi_up_look) DFI_UP(dfi_up_holds) DFI_UP(dfi_up_find_pinned)
/* more/stream/api.h */ DFI_UP(dfi_up_windows_ready)
/* more/stream/ring.h */ DFI_UP(dfi_up_windows_wait) DFI_UP(dfi_up_window_skips) DFI_UP(dfi_up_streams_change)
/* more/types.h */ DFI_UP(dfi_up_cannot)
#endif

#endif
