/* names.h - the names of df's functions and variables for the linker
 *
 * The executable and each library of a process can contain df. For the linker every name of df ends with the version,
 * then with _serial if DF_SERIAL is defined, then with DF_COPY: dfi_submit__0_9_0_serial. So copies of df with other
 * records never call each other's functions. Of copies with the same names, the linker or loader takes the first.
 *
 * Below are all names with external linkage; tools/names reports one that is missing. For gcc each must be declared
 * before it is defined. For gdb, too, they have the ending (tools/df-gdb.py). A compiler without the pragma has plain
 * names: then only DFI_NEED keeps versions apart. */
#ifndef DFI_BASE_NAMES_H
#define DFI_BASE_NAMES_H

#include "version.h"

#if defined(__PRAGMA_REDEFINE_EXTNAME)
#define DFI_OWN(name)       DFI_OWN_(name, DFI_OF_COPY(name))
#define DFI_OWN_(name, own) DFI_OWN_PRAGMA(redefine_extname name own)
#define DFI_OWN_PRAGMA(x)   _Pragma(#x)
/* The interface of libdf.so (docs/libdf.md): there, and in programs that use it, the names are these. */
#if DFI_LIBRARY
#define DFI_ABI(name)
#define DFI_ABI_AS(name, public) DFI_OWN_PRAGMA(redefine_extname name public)
#else
#define DFI_ABI(name)            DFI_OWN(name)
#define DFI_ABI_AS(name, public) DFI_OWN(name)
#endif
#define DFI_LINK_NAME(name) DFI_LINK_NAME_(DFI_OF_COPY(name)) /* as a string, for assembler */
DFI_ABI(df_abi) DFI_ABI(df_call) DFI_ABI(df_cancel) DFI_ABI(df_cancel_hook_clear) DFI_ABI(df_cancel_hook_set)
DFI_ABI(df_cancelled) DFI_ABI(df_error_text) DFI_ABI(df_fail) DFI_ABI(df_group_cancel) DFI_ABI(df_idle_soon)
DFI_ABI(df_mutex_lock) DFI_ABI(df_mutex_trylock) DFI_ABI(df_mutex_unlock) DFI_ABI(df_parallel) DFI_ABI(df_start)
DFI_ABI(df_stop) DFI_ABI(df_version) DFI_ABI(df_wait) DFI_ABI(df_wait_for) DFI_ABI(df_wait_on) DFI_ABI(df_wait_on_list)
DFI_ABI(df_wait_result) DFI_ABI(df_worker) DFI_ABI(df_worker_bound) DFI_ABI(df_workers) DFI_ABI(df_workers_set)
DFI_ABI(df_yield_blocking)
DFI_ABI_AS(dfi_call, df_call_at) DFI_ABI_AS(dfi_done_here, df_done_at) DFI_ABI_AS(dfi_mutex_lock_here, df_mutex_lock_at)
DFI_ABI_AS(dfi_mutex_trylock_here, df_mutex_trylock_at) DFI_ABI_AS(dfi_release, df_release)
DFI_ABI_AS(dfi_semaphore_destroy, df_semaphore_destroy_at) DFI_ABI_AS(dfi_semaphore_init, df_semaphore_init_at)
DFI_ABI_AS(dfi_semaphore_resize, df_semaphore_resize_at) DFI_ABI_AS(dfi_signal, df_signal_at)
DFI_ABI_AS(dfi_signal_external, df_signal_external_at) DFI_ABI_AS(dfi_signal_failed, df_signal_failed_at)
DFI_ABI_AS(dfi_token_init, df_token_init_at) DFI_ABI_AS(dfi_token_init_external, df_token_init_external_at)
DFI_ABI_AS(dfi_token_name, df_token_name)
DFI_ABI_AS(dfi_wait_here, df_wait_at) DFI_ABI_AS(dfi_wait_on_list_here, df_wait_on_list_at)
DFI_ABI_AS(dfi_wait_result_here, df_wait_result_at) DFI_ABI_AS(dfi_wait_task_here, df_wait_task_at)
DFI_ABI_AS(dfi_wait_task_timed_here, df_wait_task_for_at) DFI_ABI_AS(dfi_wait_timed_here, df_wait_for_at)
DFI_ABI_AS(dfi_wait_token, df_wait_token_at) DFI_ABI_AS(dfi_yield_here, df_yield_blocking_at)
DFI_OWN(df_counters_get) DFI_OWN(df_dist_arrange) DFI_OWN(df_dist_free) DFI_OWN(df_dist_global) DFI_OWN(df_dist_local)
DFI_OWN(df_home) DFI_OWN(df_mpi_start) DFI_OWN(df_rank) DFI_OWN(df_ranks) DFI_OWN(dfi_fetch) DFI_OWN(dfi_mpi_start)
DFI_OWN(dfi_mpi_wait) DFI_OWN(dfi_shared_alloc)
DFI_OWN(df_dist_next) DFI_OWN(df_dist_part) DFI_OWN(df_dist_parts) DFI_OWN(df_dist_range) DFI_OWN(df_gpu_devices)
DFI_OWN(df_gpu_hold) DFI_OWN(df_gpu_info) DFI_OWN(df_gpu_release) DFI_OWN(df_owm_join) DFI_OWN(df_owm_owner)
DFI_OWN(df_owm_processes) DFI_OWN(df_stm_sites) DFI_OWN(df_stm_stats) DFI_OWN(df_stream_count)
DFI_OWN(df_stream_external) DFI_OWN(df_stream_free) DFI_OWN(df_stream_reader) DFI_OWN(df_stream_room)
DFI_OWN(df_tm_calloc) DFI_OWN(df_tm_copy) DFI_OWN(df_tm_free) DFI_OWN(df_tm_malloc) DFI_OWN(df_tm_on_abort)
DFI_OWN(df_tm_on_commit) DFI_OWN(df_tm_quiesce) DFI_OWN(df_tm_read_bytes) DFI_OWN(df_tm_save_bytes)
DFI_OWN(df_tm_write_bytes) DFI_OWN(dfi_arena_at_most) DFI_OWN(dfi_arena_destroy) DFI_OWN(dfi_arena_enter)
DFI_OWN(dfi_arena_init) DFI_OWN(dfi_async_enter) DFI_OWN(dfi_async_leave) DFI_OWN(dfi_at_most) DFI_OWN(dfi_attempt_hook)
DFI_OWN(dfi_barrier) DFI_OWN(dfi_baton) DFI_OWN(dfi_block_here) DFI_OWN(dfi_block_hooks) DFI_OWN(dfi_board)
DFI_OWN(dfi_build_parts) DFI_OWN(dfi_choose_begin) DFI_OWN(dfi_choose_next) DFI_OWN(dfi_data_wait) DFI_OWN(dfi_df_hooks)
DFI_OWN(dfi_directed) DFI_OWN(dfi_dist_gather) DFI_OWN(dfi_dist_new) DFI_OWN(dfi_dist_scatter)
DFI_OWN(dfi_done_later) DFI_OWN(dfi_engine) DFI_OWN(dfi_engine_lock)
DFI_OWN(dfi_engine_start_lock) DFI_OWN(dfi_error_unkept) DFI_OWN(dfi_error_unsaid)
DFI_OWN(dfi_events) DFI_OWN(dfi_error_cancels) DFI_OWN(dfi_events_devices) DFI_OWN(dfi_events_lock)
DFI_OWN(dfi_events_reading) DFI_OWN(dfi_fifo_clear) DFI_OWN(dfi_fifo_count) DFI_OWN(dfi_fifo_empty)
DFI_OWN(dfi_fifo_pop) DFI_OWN(dfi_fifo_push) DFI_OWN(dfi_first_touch) DFI_OWN(dfi_heap_pop) DFI_OWN(dfi_heap_push)
DFI_OWN(dfi_sorted_clear) DFI_OWN(dfi_sorted_count) DFI_OWN(dfi_sorted_end) DFI_OWN(dfi_sorted_get)
DFI_OWN(dfi_sorted_next) DFI_OWN(dfi_sorted_put) DFI_OWN(dfi_sorted_put_all) DFI_OWN(dfi_sorted_remove)
DFI_OWN(dfi_sorted_seek) DFI_OWN(dfi_flow_pool) DFI_OWN(dfi_for) DFI_OWN(dfi_give_begin) DFI_OWN(dfi_give_end)
DFI_OWN(dfi_gpu_hook) DFI_OWN(dfi_gpu_ready) DFI_OWN(dfi_graph_mutex) DFI_OWN(dfi_graph_now) DFI_OWN(dfi_guest_hook)
DFI_OWN(dfi_halo_update) DFI_OWN(dfi_here) DFI_OWN(dfi_jitter) DFI_OWN(dfi_kernel_explain) DFI_OWN(dfi_kernel_here)
DFI_OWN(dfi_kernel_needs) DFI_OWN(dfi_kernel_pick) DFI_OWN(dfi_keys) DFI_OWN(dfi_launch) DFI_OWN(dfi_launch_run)
DFI_OWN(dfi_limit) DFI_OWN(dfi_findings) DFI_OWN(dfi_limits_begin) DFI_OWN(dfi_local_alloc) DFI_OWN(dfi_locks)
DFI_OWN(dfi_logger) DFI_OWN(dfi_loops_watcher) DFI_OWN(dfi_map_clear) DFI_OWN(dfi_map_count) DFI_OWN(dfi_map_get)
DFI_OWN(dfi_map_next) DFI_OWN(dfi_map_put) DFI_OWN(dfi_map_put_all) DFI_OWN(dfi_map_remove) DFI_OWN(dfi_map_reserve)
DFI_OWN(dfi_may_block) DFI_OWN(dfi_may_block_hook) DFI_OWN(dfi_may_block_linked) DFI_OWN(dfi_may_lock_linked)
DFI_OWN(dfi_mine) DFI_OWN(dfi_more) DFI_OWN(dfi_no_block) DFI_OWN(dfi_nobody) DFI_OWN(dfi_node_external)
DFI_OWN(dfi_node_given) DFI_OWN(dfi_node_input) DFI_OWN(dfi_node_new) DFI_OWN(dfi_node_output) DFI_OWN(dfi_observe)
DFI_OWN(dfi_observers) DFI_OWN(dfi_owm) DFI_OWN(dfi_owm_acquire) DFI_OWN(dfi_owm_advance) DFI_OWN(dfi_owm_alloc)
DFI_OWN(dfi_owm_await) DFI_OWN(dfi_owm_enter) DFI_OWN(dfi_owm_free) DFI_OWN(dfi_owm_freeze) DFI_OWN(dfi_owm_here)
DFI_OWN(dfi_owm_leave) DFI_OWN(dfi_owm_release) DFI_OWN(dfi_owm_segment) DFI_OWN(dfi_owm_subscribe) DFI_OWN(dfi_pipe)
DFI_OWN(dfi_points) DFI_OWN(dfi_pool) DFI_OWN(dfi_pool_load) DFI_OWN(dfi_pool_lock) DFI_OWN(dfi_progress)
DFI_OWN(dfi_ranks_begin) DFI_OWN(dfi_recording) DFI_OWN(dfi_regions) DFI_OWN(dfi_reporter) DFI_OWN(dfi_reporter_lock)
DFI_OWN(dfi_region_enter) DFI_OWN(dfi_region_leave) DFI_OWN(dfi_retry_stuck) DFI_OWN(dfi_region_leave_catching)
DFI_OWN(dfi_run_after) DFI_OWN(dfi_run_now) DFI_OWN(dfi_scope_enter) DFI_OWN(dfi_scope_leave)
DFI_OWN(dfi_scope_leave_catching) DFI_OWN(dfi_seed) DFI_OWN(dfi_seers) DFI_OWN(dfi_self) DFI_OWN(dfi_shared)
DFI_OWN(dfi_spares) DFI_OWN(dfi_spawn_checked) DFI_OWN(dfi_spawn_slow) DFI_OWN(dfi_speculate_end)
DFI_OWN(dfi_speculate_next) DFI_OWN(dfi_stall) DFI_OWN(dfi_stall_lock) DFI_OWN(dfi_stats) DFI_OWN(dfi_stm)
DFI_OWN(dfi_storage_combine) DFI_OWN(dfi_storage_free) DFI_OWN(dfi_storage_init) DFI_OWN(dfi_storage_next)
DFI_OWN(dfi_stream_close) DFI_OWN(dfi_stream_new) DFI_OWN(dfi_stream_submit) DFI_OWN(dfi_submit)
DFI_OWN(dfi_submit_here) DFI_OWN(dfi_sync_checked) DFI_OWN(dfi_sync_left) DFI_OWN(dfi_sync_slow) DFI_OWN(dfi_task_new)
DFI_OWN(dfi_taskgraph_close) DFI_OWN(dfi_taskgraph_count) DFI_OWN(dfi_taskgraph_enter) DFI_OWN(dfi_taskgraph_free)
DFI_OWN(dfi_taskgraph_leave) DFI_OWN(dfi_taskgraph_new) DFI_OWN(dfi_taskgraph_open) DFI_OWN(dfi_taskgraph_run)
DFI_OWN(dfi_texts) DFI_OWN(dfi_texts_lock) DFI_OWN(dfi_threw) DFI_OWN(dfi_threw_take) DFI_OWN(dfi_tm_abort)
DFI_OWN(dfi_tm_atomically) DFI_OWN(dfi_tm_broke) DFI_OWN(dfi_tm_do_restart) DFI_OWN(dfi_tm_end) DFI_OWN(dfi_tm_enter)
DFI_OWN(dfi_tm_few_orecs) DFI_OWN(dfi_tm_get) DFI_OWN(dfi_tm_inner) DFI_OWN(dfi_tm_irrevocable) DFI_OWN(dfi_tm_latest)
DFI_OWN(dfi_tm_leave) DFI_OWN(dfi_tm_load) DFI_OWN(dfi_tm_no_room) DFI_OWN(dfi_tm_nobody) DFI_OWN(dfi_tm_or_else)
DFI_OWN(dfi_tm_put) DFI_OWN(dfi_tm_retry) DFI_OWN(dfi_tm_save_registers) DFI_OWN(dfi_tm_runs) DFI_OWN(dfi_tm_self)
DFI_OWN(dfi_tm_spare) DFI_OWN(dfi_tm_to_registers) DFI_OWN(dfi_tm_validate) DFI_OWN(dfi_tm_was_left)
DFI_OWN(dfi_trace_now) DFI_OWN(dfi_tune_by) DFI_OWN(dfi_unobserve) DFI_OWN(dfi_watching)
DFI_OWN(dfi_with) DFI_OWN(dfi_with_end) DFI_OWN(dfi_yield)
DFI_OWN(df_h__DF_CHECK_in_a_file_needs_it_where_DF_IMPLEMENTATION_is_defined)
DFI_OWN(df_h__df_observe_needs_neither_DF_SMALL_nor_DF_MINIMAL_where_DF_IMPLEMENTATION_is_defined)
DFI_OWN(df_h__df_submit_and_df_wait_need_DF_WITH_DATAFLOW_where_DF_IMPLEMENTATION_is_defined)
DFI_OWN(df_h__this_construct_needs_DF_SMALL_in_place_of_DF_MINIMAL_where_DF_IMPLEMENTATION_is_defined)
#if defined(DF_SERIAL) /* otherwise it is inline */
DFI_OWN(dfi_tm_enter_unwound)
#endif
#undef DFI_OWN
#undef DFI_ABI
#undef DFI_ABI_AS
#else
#define DFI_LINK_NAME(name) DFI_LINK_NAME_(name)
#endif
#define DFI_LINK_NAME_(name)     DFI_LINK_NAME_STRING(name)
#define DFI_LINK_NAME_STRING(name) #name

/* The same for functions and templates of C++: an inline namespace. Types that C code uses as well stay outside. */
#if defined(__cplusplus)
#define DFI_CXX_BEGIN      DFI_CXX_IN(DFI_OF_COPY(dfi))
#define DFI_CXX_IN(name)   DFI_CXX_IN_(name)
#define DFI_CXX_IN_(name)  inline namespace name {
#define DFI_CXX_END        }
#endif

#endif
