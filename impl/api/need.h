/* need.h - parts that constructs need: a construct whose part the implementation lacks is a message of the linker
 *
 * An implementation defines a symbol for each part that it has (DF_MINIMAL and the like, base/parts.h). A construct
 * refers to that of its part, by a pointer that costs 8 bytes of a file and no instruction; all functions of df are
 * weak, so that without this a missing one would be called at address 0. */
#ifndef DFI_API_NEED_H
#define DFI_API_NEED_H

#include "../base/compiler.h"

#define DFI_NEED_DATAFLOW    df_h__df_submit_and_df_wait_need_DF_WITH_DATAFLOW_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_LOOPS       df_h__loops_need_DF_WITH_LOOPS_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_PIPES       df_h__pipes_need_DF_WITH_PIPES_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_BLOCKING    df_h__df_mutex_lock_and_the_like_need_DF_WITH_BLOCKING_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_TASKGRAPH   df_h__task_graphs_need_DF_WITH_TASKGRAPH_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_SPECULATION df_h__df_speculate_needs_DF_WITH_SPECULATION_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_STREAMS     df_h__streams_need_DF_WITH_STREAMS_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_WEAK        df_h__weak_accesses_and_df_release_need_DF_WITH_WEAK_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_REDUCTION   df_h__df_reduce_and_df_commute_need_DF_WITH_REDUCTION_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_LIMITS      df_h__df_limit_and_semaphores_need_DF_WITH_LIMITS_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_TOKENS      df_h__tokens_and_nodes_need_DF_WITH_TOKENS_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_STORAGE     df_h__df_mine_and_the_like_need_DF_WITH_STORAGE_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_OBSERVE     df_h__df_observe_needs_DF_WITH_OBSERVE_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_ERRORS      df_h__df_fail_and_df_cancel_need_DF_WITH_ERRORS_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_CHECK       df_h__DF_CHECK_in_a_file_needs_it_where_DF_IMPLEMENTATION_is_defined

DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_NEED_DATAFLOW[1], DFI_NEED_LOOPS[1], DFI_NEED_PIPES[1], DFI_NEED_BLOCKING[1],
    DFI_NEED_TASKGRAPH[1], DFI_NEED_SPECULATION[1], DFI_NEED_STREAMS[1], DFI_NEED_WEAK[1], DFI_NEED_REDUCTION[1],
    DFI_NEED_TOKENS[1], DFI_NEED_ERRORS[1], DFI_NEED_STORAGE[1], DFI_NEED_OBSERVE[1],
    DFI_NEED_LIMITS[1], DFI_NEED_CHECK[1];
DFI_EXTERN_C_END

/* Refers to the symbol of a part if the function that this is in is called, inlined or referred to. */
#if DFI_GNU
#define DFI_NEEDS(part) \
    static char *const dfi_needed[1 + (DF_CHECK > 0)] __attribute__((used)) = { DFI_NEED_##part DFI_AND_CHECK }
#if DF_CHECK
#define DFI_AND_CHECK , DFI_NEED_CHECK
#else
#define DFI_AND_CHECK
#endif
#else
#define DFI_NEEDS(part) (void)0
#endif
DFI_INLINE void dfi_needs_dataflow(void) { DFI_NEEDS(DATAFLOW); }
DFI_INLINE void dfi_needs_loops(void) { DFI_NEEDS(LOOPS); }
DFI_INLINE void dfi_needs_pipes(void) { DFI_NEEDS(PIPES); }
DFI_INLINE void dfi_needs_blocking(void) { DFI_NEEDS(BLOCKING); }
DFI_INLINE void dfi_needs_taskgraph(void) { DFI_NEEDS(TASKGRAPH); }
DFI_INLINE void dfi_needs_speculation(void) { DFI_NEEDS(SPECULATION); }
DFI_INLINE void dfi_needs_streams(void) { DFI_NEEDS(STREAMS); }
DFI_INLINE void dfi_needs_weak(void) { DFI_NEEDS(WEAK); }
DFI_INLINE void dfi_needs_reduction(void) { DFI_NEEDS(REDUCTION); }
DFI_INLINE void dfi_needs_limits(void) { DFI_NEEDS(LIMITS); }
DFI_INLINE void dfi_needs_tokens(void) { DFI_NEEDS(TOKENS); }
DFI_INLINE void dfi_needs_errors(void) { DFI_NEEDS(ERRORS); }
DFI_INLINE void dfi_needs_storage(void) { DFI_NEEDS(STORAGE); }
DFI_INLINE void dfi_needs_observe(void) { DFI_NEEDS(OBSERVE); }

/* A call that needs a part. */
#define DFI_NEEDING(part, ...) ((void)dfi_needs_##part(), __VA_ARGS__)

/* A static function that a declaration generates. Without optimisation, gcc keeps unused ones, which would need parts
 * that nothing uses; not if they are inline. */
#if defined(__OPTIMIZE__)
#define DFI_GENERATED DFI_UNUSED static
#else
#define DFI_GENERATED DFI_UNUSED static inline
#endif

#endif
