/* atomic.h - atomic accesses with the memory order in the name
 *
 * With the GNU builtins the objects are plain and the accesses atomic, so C and C++ translation units share one
 * layout (g++ has no _Atomic before C++23). Other compilers use <stdatomic.h>. There is no fence, because
 * ThreadSanitizer does not follow standalone fences: every ordering in df is carried by an access and has a partner
 * (docs/internals/memory-order.md). Only for pointers and integers up to the size of a pointer, which are lock-free on
 * every target. */
#ifndef DFI_BASE_ATOMIC_H
#define DFI_BASE_ATOMIC_H

#include "compiler.h"

/* DF_SERIAL: there is one thread. Its accesses are plain, and code for several threads folds away behind DFI_ALONE. */
#if defined(DF_SERIAL)
enum { DFI_ALONE = 1 };
/* Orders accesses of the thread and of an interrupt. */
#if DFI_GNU
#define DFI_COMPILER_BARRIER() __asm__ __volatile__("" ::: "memory")
#else
#define DFI_COMPILER_BARRIER() ((void)0)
#endif
#else
enum { DFI_ALONE = 0 };
#define DFI_COMPILER_BARRIER() ((void)0)
#endif

#if defined(DF_SERIAL)
#define DFI_ATOMIC(T) T
#define dfi_load_relaxed(p)          (*(p))
#define dfi_load_acquire(p)          (*(p))
#define dfi_load_seq_cst(p)          (*(p))
#define dfi_store_relaxed(p, v)      ((void)(*(p) = (v)))
#define dfi_store_release(p, v)      ((void)(*(p) = (v)))
#define dfi_store_seq_cst(p, v)      ((void)(*(p) = (v)))
#if defined(__cplusplus)
DFI_CXX_BEGIN
template <typename dfi_t> struct dfi_plain_of { typedef dfi_t type; };
template <typename dfi_t> DFI_UNUSED inline dfi_t dfi_plain_exchange(dfi_t *p, typename dfi_plain_of<dfi_t>::type v)
{
    dfi_t old = *p;
    *p = v;
    return old;
}
DFI_CXX_END
#define dfi_plain_swap(p, v)         dfi_plain_exchange((p), (v))
#define dfi_plain_add(p, v)          dfi_plain_exchange((p), *(p) + (v))
#elif DFI_GNU
#define dfi_plain_exchange(p, v) \
    (__extension__({ __typeof__(p) dfi_p = (p); __typeof__(*(p)) dfi_old = *dfi_p; *dfi_p = (v); dfi_old; }))
#define dfi_plain_swap(p, v)         dfi_plain_exchange(p, v)
#define dfi_plain_add(p, v)          dfi_plain_exchange(p, dfi_old + (v))
#else /* an expression has no type: an exchange of pointers (dfi_swap) is another function than that of integers */
static DFI_TLS intptr_t dfi_plain_old;
#define dfi_plain_exchange(p, v)     (dfi_plain_old = (intptr_t)*(p), *(p) = (v), dfi_plain_old)
DFI_UNUSED static void *dfi_plain_pointer(void *p, void *v)
{
    void *old;
    memcpy(&old, p, sizeof old);
    memcpy(p, &v, sizeof v);
    return old;
}
#define dfi_plain_swap(p, v)         dfi_plain_pointer((void *)(p), (v))
#define dfi_plain_add(p, v)          ((*(p) += (v)) - (v))
#endif
#define dfi_plain_cas(p, expect, v) \
    (*(p) == *(expect) ? ((void)(*(p) = (v)), 1) : ((void)(*(expect) = *(p)), 0))
#define dfi_exchange_acq_rel(p, v)   dfi_plain_exchange(p, v)
#define dfi_exchange_seq_cst(p, v)   dfi_plain_exchange(p, v)
#define dfi_swap_acq_rel(p, v)       dfi_plain_swap(p, v)
#define dfi_swap_seq_cst(p, v)       dfi_plain_swap(p, v)
#define dfi_fetch_add_relaxed(p, v)  dfi_plain_add(p, v)
#define dfi_fetch_add_acq_rel(p, v)  dfi_plain_add(p, v)
#define dfi_fetch_add_seq_cst(p, v)  dfi_plain_add(p, v)
#define dfi_fetch_sub_acq_rel(p, v)  dfi_plain_add(p, 0 - (v))
#define dfi_fetch_sub_seq_cst(p, v)  dfi_plain_add(p, 0 - (v))
#define dfi_cas_release(p, expect, v) dfi_plain_cas(p, expect, v)
#define dfi_cas_acq_rel(p, expect, v) dfi_plain_cas(p, expect, v)
#define dfi_cas_seq_cst(p, expect, v) dfi_plain_cas(p, expect, v)
#elif DFI_GNU
/* With DF_DEBUG 3, a thread may be delayed before each ordered access, which provokes rare interleavings. */
#if DF_DEBUG >= 3
DFI_EXTERN_C_BEGIN
DFI_API void dfi_jitter(void);
DFI_EXTERN_C_END
#define DFI_JITTER() dfi_jitter()
#else
#define DFI_JITTER() ((void)0)
#endif
#define DFI_ATOMIC(T)                T
#if defined(__CUDACC__)
/* cudafe++ of nvcc 13.0 crashes on the address of one builtin in the argument of another, as in
 * __atomic_load_n(&__atomic_load_n(p, 2)->member, 0). Function calls avoid the crash. */
template <typename dfi_t> struct dfi_of { typedef dfi_t type; };
#define DFI_ATOMIC_PART static inline __attribute__((unused, always_inline))
template <typename dfi_t> DFI_ATOMIC_PART dfi_t dfi_builtin_load(const dfi_t *p, int order)
{
    return __atomic_load_n(p, order);
}
template <typename dfi_t> DFI_ATOMIC_PART void dfi_builtin_store(dfi_t *p, typename dfi_of<dfi_t>::type v, int order)
{
    __atomic_store_n(p, v, order);
}
template <typename dfi_t>
DFI_ATOMIC_PART dfi_t dfi_builtin_exchange(dfi_t *p, typename dfi_of<dfi_t>::type v, int order)
{
    return __atomic_exchange_n(p, v, order);
}
template <typename dfi_t, typename dfi_u> DFI_ATOMIC_PART dfi_t dfi_builtin_add(dfi_t *p, dfi_u v, int order)
{
    return __atomic_fetch_add(p, v, order);
}
template <typename dfi_t, typename dfi_u> DFI_ATOMIC_PART dfi_t dfi_builtin_sub(dfi_t *p, dfi_u v, int order)
{
    return __atomic_fetch_sub(p, v, order);
}
template <typename dfi_t>
DFI_ATOMIC_PART bool dfi_builtin_cas(dfi_t *p, dfi_t *expect, typename dfi_of<dfi_t>::type v, int won, int lost)
{
    return __atomic_compare_exchange_n(p, expect, v, 0, won, lost);
}
#else
#define dfi_builtin_load(p, order)        __atomic_load_n((p), order)
#define dfi_builtin_store(p, v, order)    __atomic_store_n((p), (v), order)
#define dfi_builtin_exchange(p, v, order) __atomic_exchange_n((p), (v), order)
#define dfi_builtin_add(p, v, order)      __atomic_fetch_add((p), (v), order)
#define dfi_builtin_sub(p, v, order)      __atomic_fetch_sub((p), (v), order)
#define dfi_builtin_cas(p, expect, v, won, lost) __atomic_compare_exchange_n((p), (expect), (v), 0, won, lost)
#endif
#define dfi_load_relaxed(p)          dfi_builtin_load((p), __ATOMIC_RELAXED)
#define dfi_load_acquire(p)          dfi_builtin_load((p), __ATOMIC_ACQUIRE)
#define dfi_load_seq_cst(p)          (DFI_JITTER(), dfi_builtin_load((p), __ATOMIC_SEQ_CST))
#define dfi_store_relaxed(p, v)      dfi_builtin_store((p), (v), __ATOMIC_RELAXED)
#define dfi_store_release(p, v)      (DFI_JITTER(), dfi_builtin_store((p), (v), __ATOMIC_RELEASE))
#define dfi_store_seq_cst(p, v)      (DFI_JITTER(), dfi_builtin_store((p), (v), __ATOMIC_SEQ_CST))
#define dfi_exchange_acq_rel(p, v)   (DFI_JITTER(), dfi_builtin_exchange((p), (v), __ATOMIC_ACQ_REL))
#define dfi_exchange_seq_cst(p, v)   (DFI_JITTER(), dfi_builtin_exchange((p), (v), __ATOMIC_SEQ_CST))
#define dfi_fetch_add_relaxed(p, v)  dfi_builtin_add((p), (v), __ATOMIC_RELAXED)
#define dfi_fetch_add_acq_rel(p, v)  (DFI_JITTER(), dfi_builtin_add((p), (v), __ATOMIC_ACQ_REL))
#define dfi_fetch_sub_acq_rel(p, v)  (DFI_JITTER(), dfi_builtin_sub((p), (v), __ATOMIC_ACQ_REL))
#define dfi_fetch_add_seq_cst(p, v)  (DFI_JITTER(), dfi_builtin_add((p), (v), __ATOMIC_SEQ_CST))
#define dfi_fetch_sub_seq_cst(p, v)  (DFI_JITTER(), dfi_builtin_sub((p), (v), __ATOMIC_SEQ_CST))
#define dfi_cas_release(p, expect, v) \
    (DFI_JITTER(), dfi_builtin_cas((p), (expect), (v), __ATOMIC_RELEASE, __ATOMIC_RELAXED))
#define dfi_cas_acq_rel(p, expect, v) \
    (DFI_JITTER(), dfi_builtin_cas((p), (expect), (v), __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
#define dfi_cas_seq_cst(p, expect, v) \
    (DFI_JITTER(), dfi_builtin_cas((p), (expect), (v), __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#else
#include <stdatomic.h>
#define DFI_ATOMIC(T)                _Atomic(T)
#define dfi_load_relaxed(p)          atomic_load_explicit((p), memory_order_relaxed)
#define dfi_load_acquire(p)          atomic_load_explicit((p), memory_order_acquire)
#define dfi_load_seq_cst(p)          atomic_load_explicit((p), memory_order_seq_cst)
#define dfi_store_relaxed(p, v)      atomic_store_explicit((p), (v), memory_order_relaxed)
#define dfi_store_release(p, v)      atomic_store_explicit((p), (v), memory_order_release)
#define dfi_store_seq_cst(p, v)      atomic_store_explicit((p), (v), memory_order_seq_cst)
#define dfi_exchange_acq_rel(p, v)   atomic_exchange_explicit((p), (v), memory_order_acq_rel)
#define dfi_exchange_seq_cst(p, v)   atomic_exchange_explicit((p), (v), memory_order_seq_cst)
#define dfi_fetch_add_relaxed(p, v)  atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define dfi_fetch_add_acq_rel(p, v)  atomic_fetch_add_explicit((p), (v), memory_order_acq_rel)
#define dfi_fetch_sub_acq_rel(p, v)  atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel)
#define dfi_fetch_add_seq_cst(p, v)  atomic_fetch_add_explicit((p), (v), memory_order_seq_cst)
#define dfi_fetch_sub_seq_cst(p, v)  atomic_fetch_sub_explicit((p), (v), memory_order_seq_cst)
#define dfi_cas_release(p, expect, v) \
    atomic_compare_exchange_strong_explicit((p), (expect), (v), memory_order_release, memory_order_relaxed)
#define dfi_cas_acq_rel(p, expect, v) \
    atomic_compare_exchange_strong_explicit((p), (expect), (v), memory_order_acq_rel, memory_order_acquire)
#define dfi_cas_seq_cst(p, expect, v) \
    atomic_compare_exchange_strong_explicit((p), (expect), (v), memory_order_seq_cst, memory_order_seq_cst)
#endif
#if !defined(DF_SERIAL) /* an exchange of pointers */
#define dfi_swap_acq_rel(p, v)       dfi_exchange_acq_rel(p, v)
#define dfi_swap_seq_cst(p, v)       dfi_exchange_seq_cst(p, v)
#endif

#endif
