/* stm_naps.h - before df_stm.h: between its atomic accesses the processor is given away at random, so that other
 * threads get into every gap, however few instructions it has, also on a machine with two processors. gcc, clang. */
#ifndef STM_NAPS_H
#define STM_NAPS_H

#include <sched.h>
#include "impl/base/compiler.h"
#include "impl/base/atomic.h"

static inline void stm_nap(void)
{
    static DFI_TLS uint32_t random;
    if (!random) random = (uint32_t)((uintptr_t)&random >> 4) | 1;
    random = random * 1664525u + 1013904223u;
    if (random >> 25 == 0) sched_yield(); /* one of 128: about once in a block */
}

#undef dfi_load_relaxed
#undef dfi_load_acquire
#undef dfi_load_seq_cst
#undef dfi_store_release
#undef dfi_store_seq_cst
#undef dfi_exchange_seq_cst
#undef dfi_fetch_add_seq_cst
#undef dfi_fetch_sub_seq_cst
#undef dfi_cas_acq_rel
#define STM_NAP_AFTER(x) __extension__({ __typeof__(x) stm_x = (x); stm_nap(); stm_x; })
#define dfi_load_relaxed(p)         STM_NAP_AFTER(__atomic_load_n((p), __ATOMIC_RELAXED))
#define dfi_load_acquire(p)         STM_NAP_AFTER(__atomic_load_n((p), __ATOMIC_ACQUIRE))
#define dfi_load_seq_cst(p)         STM_NAP_AFTER(__atomic_load_n((p), __ATOMIC_SEQ_CST))
#define dfi_store_release(p, v)     (stm_nap(), __atomic_store_n((p), (v), __ATOMIC_RELEASE), stm_nap())
#define dfi_store_seq_cst(p, v)     (stm_nap(), __atomic_store_n((p), (v), __ATOMIC_SEQ_CST), stm_nap())
#define dfi_exchange_seq_cst(p, v)  STM_NAP_AFTER(__atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST))
#define dfi_fetch_add_seq_cst(p, v) STM_NAP_AFTER(__atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST))
#define dfi_fetch_sub_seq_cst(p, v) STM_NAP_AFTER(__atomic_fetch_sub((p), (v), __ATOMIC_SEQ_CST))
#define dfi_cas_acq_rel(p, e, v)    STM_NAP_AFTER(__atomic_compare_exchange_n((p), (e), (v), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))

#endif
