/* kernel_words.h - the words of a kernel's body on the host
 *
 * Each word reads dfi_w, the place of the work-item, which is a parameter of the body (api/kernel.h). For devices the
 * same words are defined in the generated text (gpu/kernel/prelude.h). */
#ifndef DFI_API_KERNEL_WORDS_H
#define DFI_API_KERNEL_WORDS_H

#include "../base/atomic.h"
#include "../base/compiler.h"

#define df_global_id(d)      (dfi_w.at[d])
#define df_local_id(d)       (dfi_w.id[d])
#define df_workgroup_id(d)   (dfi_w.group[d])
#define df_workgroup_size(d) (dfi_w.size[d])
#define df_workgroups(d)     (dfi_w.groups[d])
#define df_global_size(d)    (dfi_w.groups[d] * dfi_w.size[d])
#define df_block(d)          (dfi_w.size[d])
#define df_barrier()         dfi_barrier(dfi_w.now)
#define df_shared(T, name, n) T *name = (T *)dfi_shared(dfi_w.now, dfi_w.shared++, (size_t)(n) * sizeof(T))
#define df_on_global
#define df_on_shared

/* --- atomics -----------------------------------------------------------------------------------------
 * Relaxed, as on a device: they order nothing but themselves. Plain under DF_SERIAL, where all items are in one
 * thread. */

#if defined(__cplusplus)
#define df_atomic_add(p, v)      dfi_atomic_add((p), (v))
#define df_atomic_min(p, v)      dfi_atomic_min((p), (v))
#define df_atomic_max(p, v)      dfi_atomic_max((p), (v))
#define df_atomic_exchange(p, v) dfi_atomic_exchange((p), (v))
#define df_atomic_cas(p, old, v) dfi_atomic_cas((p), (old), (v))
#define DFI_ATOMIC_WORD(word, T) dfi_atomic_##word
#else
#define DFI_ATOMIC_OF(p, word)                                                              \
    _Generic((p), int *: dfi_atomic_##word##_int, unsigned *: dfi_atomic_##word##_unsigned, \
             float *: dfi_atomic_##word##_float)
#define df_atomic_add(p, v)      DFI_ATOMIC_OF(p, add)((p), (v))
#define df_atomic_min(p, v)      DFI_ATOMIC_OF(p, min)((p), (v))
#define df_atomic_max(p, v)      DFI_ATOMIC_OF(p, max)((p), (v))
#define df_atomic_exchange(p, v) DFI_ATOMIC_OF(p, exchange)((p), (v))
#define df_atomic_cas(p, old, v) \
    _Generic((p), int *: dfi_atomic_cas_int, unsigned *: dfi_atomic_cas_unsigned)((p), (old), (v))
#define DFI_ATOMIC_WORD(word, T) dfi_atomic_##word##_##T
#endif

/* v = *p; if *p is still *old then *p = *v, else *old = *p and zero; for T of any kind */
#if defined(DF_SERIAL)
#define DFI_WORD_GET(T, p) (*(p))
#define DFI_WORD_PUT(T, p, old, v) (*(p) = *(v), 1)
#elif DFI_GNU
#define DFI_WORD_GET(T, p) dfi_word_get_##T(p)
#define DFI_WORD_PUT(T, p, old, v) __atomic_compare_exchange((p), (old), (v), 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
DFI_INLINE int dfi_word_get_int(int *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
DFI_INLINE unsigned dfi_word_get_unsigned(unsigned *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
DFI_INLINE float dfi_word_get_float(float *p)
{
    float v;
    __atomic_load(p, &v, __ATOMIC_RELAXED);
    return v;
}
#else
#define DFI_WORD_GET(T, p) atomic_load_explicit((DFI_ATOMIC(T) *)(p), memory_order_relaxed)
#define DFI_WORD_PUT(T, p, old, v) \
    atomic_compare_exchange_weak_explicit((DFI_ATOMIC(T) *)(p), (old), *(v), memory_order_relaxed, memory_order_relaxed)
#endif

/* One word for one type: stores `to`, an expression over the old value dfi_old and v, in *p. Returns the old value. */
#define DFI_ATOMIC_MAKE(word, T, to)                                   \
    DFI_INLINE T DFI_ATOMIC_WORD(word, T)(T *dfi_p, T dfi_v)           \
    {                                                                  \
        T dfi_old = DFI_WORD_GET(T, dfi_p), dfi_to;                    \
        do dfi_to = (to);                                              \
        while (!DFI_WORD_PUT(T, dfi_p, &dfi_old, &dfi_to));            \
        return dfi_old;                                                \
    }
#define DFI_ATOMIC_WORDS(T)                                            \
    DFI_ATOMIC_MAKE(min, T, dfi_v < dfi_old ? dfi_v : dfi_old)         \
    DFI_ATOMIC_MAKE(max, T, dfi_v > dfi_old ? dfi_v : dfi_old)         \
    DFI_ATOMIC_MAKE(exchange, T, dfi_v)
#define DFI_ATOMIC_CAS(T)                                                                  \
    DFI_INLINE T DFI_ATOMIC_WORD(cas, T)(T *dfi_p, T dfi_expect, T dfi_v)                  \
    {                                                                                      \
        T dfi_old = DFI_WORD_GET(T, dfi_p);                                                \
        while (dfi_old == dfi_expect && !DFI_WORD_PUT(T, dfi_p, &dfi_old, &dfi_v)) {}      \
        return dfi_old;                                                                    \
    }
DFI_ATOMIC_MAKE(add, int, (int)((unsigned)dfi_old + (unsigned)dfi_v)) /* wraps around */
DFI_ATOMIC_MAKE(add, unsigned, dfi_old + dfi_v)
DFI_ATOMIC_MAKE(add, float, dfi_old + dfi_v)
DFI_ATOMIC_WORDS(int)
DFI_ATOMIC_WORDS(unsigned)
DFI_ATOMIC_WORDS(float)
DFI_ATOMIC_CAS(int)
DFI_ATOMIC_CAS(unsigned)

#endif
