/* need.h - parts that constructs need: a construct whose part the implementation lacks is a message of the linker
 *
 * An implementation defines a symbol for each part that it has (DF_MINIMAL and the like, base/parts.h). A construct
 * refers to that of its part, by a pointer that costs 8 bytes of a file and no instruction; all functions of df are
 * weak, so that without this a missing one would be called at address 0. */
#ifndef DFI_API_NEED_H
#define DFI_API_NEED_H

#include "../base/compiler.h"

#define DFI_NEED_DATAFLOW  df_h__df_submit_and_df_wait_need_DF_WITH_DATAFLOW_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_MORE      df_h__this_construct_needs_DF_SMALL_in_place_of_DF_MINIMAL_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_OBSERVERS df_h__df_observe_needs_neither_DF_SMALL_nor_DF_MINIMAL_where_DF_IMPLEMENTATION_is_defined
#define DFI_NEED_CHECK     df_h__DF_CHECK_in_a_file_needs_it_where_DF_IMPLEMENTATION_is_defined

DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_NEED_DATAFLOW[1], DFI_NEED_MORE[1], DFI_NEED_OBSERVERS[1], DFI_NEED_CHECK[1];
DFI_EXTERN_C_END

/* Refers to the symbol of a part if the function that this is in is called, inlined or referred to. */
#if DFI_GNU && !DFI_LIBRARY
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
DFI_INLINE void dfi_needs_more(void) { DFI_NEEDS(MORE); }
DFI_INLINE void dfi_needs_observers(void) { DFI_NEEDS(OBSERVERS); }

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
