/* stm_access.h - df_tm_read and df_tm_write for every scalar type
 *
 * The read in line: version, value, version again. acquire on the version: pairs with the release in
 * dfi_tm_publish, so that the value of that version is seen; acquire on the value: pairs with the release store
 * of a value, so that a reader that sees a value of a running commit sees its lock in the second check. */
#ifndef DFI_API_STM_ACCESS_H
#define DFI_API_STM_ACCESS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "stm_core.h"

#define DFI_TM_BITS_OF(x) \
    (sizeof x == 8 ? bits.u64 : sizeof x == 4 ? bits.u32 : sizeof x == 2 ? bits.u16 : bits.u8)
#if defined(DF_SERIAL)
#define DFI_TM_READ_BODY(T)                                                      \
    T x;                                                                         \
    memcpy(&x, (const void *)(uintptr_t)p, sizeof x);                            \
    return x;
#else
#if DFI_GNU
#define DFI_TM_LOAD(T, p, x) __atomic_load((p), &(x), __ATOMIC_ACQUIRE)
#else
#define DFI_TM_LOAD(T, p, x) ((x) = atomic_load_explicit((const volatile _Atomic(T) *)(p), memory_order_acquire))
#endif
#define DFI_TM_READ_BODY(T)                                                      \
    struct dfi_tm *t = dfi_tm_self;                                              \
    dfi_orec *o = dfi_tm_orec(t, p);                                             \
    union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } bits;        \
    uint64_t got;                                                                \
    T x;                                                                         \
    if (DFI_LIKELY(sizeof x <= DFI_TM_WORD && !((uintptr_t)p & (sizeof x - 1)))) { \
        uintptr_t version = dfi_load_acquire(o);                                 \
        DFI_TM_LOAD(T, p, x);                                                    \
        if (DFI_LIKELY(version < dfi_load_relaxed(&t->newest) && !(t->filter >> dfi_tm_bit(p) & 1) && \
                       dfi_load_relaxed(o) == version)) {                        \
            memcpy(&bits, &x, sizeof x);                                         \
            dfi_tm_log(t, p, (uintptr_t)DFI_TM_BITS_OF(x), sizeof x);            \
            return x;                                                            \
        }                                                                        \
    }                                                                            \
    got = dfi_tm_get(p, sizeof x);                                               \
    if (sizeof x == 8) bits.u64 = got;                                           \
    else if (sizeof x == 4) bits.u32 = (uint32_t)got;                            \
    else if (sizeof x == 2) bits.u16 = (uint16_t)got;                            \
    else bits.u8 = (uint8_t)got;                                                 \
    memcpy(&x, &bits, sizeof x);                                                 \
    return x;
#endif
#define DFI_TM_WRITE_BODY(T)                                                     \
    union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } bits;        \
    memcpy(&bits, &x, sizeof x);                                                 \
    dfi_tm_put(p, DFI_TM_BITS_OF(x), sizeof x);

#if defined(__cplusplus)

template <class dfi_t> static inline dfi_t dfi_tm_read_any(const volatile dfi_t *p)
{
    static_assert(sizeof(dfi_t) <= 8 && __is_trivially_copyable(dfi_t) && !__is_class(dfi_t) && !__is_union(dfi_t),
                  "df_stm.h: df_tm_read needs a pointer to a scalar of 1, 2, 4 or 8 bytes: "
                  "df_tm_read_bytes reads objects");
    DFI_TM_READ_BODY(dfi_t)
}
template <class dfi_t> struct dfi_tm_same { typedef dfi_t type; };
template <class dfi_t> static inline void dfi_tm_write_any(volatile dfi_t *p, typename dfi_tm_same<dfi_t>::type x)
{
    static_assert(sizeof(dfi_t) <= 8 && __is_trivially_copyable(dfi_t) && !__is_class(dfi_t) && !__is_union(dfi_t),
                  "df_stm.h: df_tm_write needs a pointer to a scalar of 1, 2, 4 or 8 bytes: "
                  "df_tm_write_bytes writes objects");
    DFI_TM_WRITE_BODY(dfi_t)
}
#define df_tm_read(p)     dfi_tm_read_any(p)
#define df_tm_write(p, v) dfi_tm_write_any((p), (v))

#else

#define DFI_TM_TYPES(X)                                                                                   \
    X(bool, _Bool) X(char, char) X(schar, signed char) X(uchar, unsigned char) X(short, short)            \
    X(ushort, unsigned short) X(int, int) X(uint, unsigned) X(long, long) X(ulong, unsigned long)         \
    X(llong, long long) X(ullong, unsigned long long) X(float, float) X(double, double)
#define DFI_TM_DEFINE(name, T)                                                                            \
    DFI_INLINE T dfi_tm_read_##name(const volatile T *p) { DFI_TM_READ_BODY(T) }                          \
    DFI_INLINE void dfi_tm_write_##name(volatile T *p, T x) { DFI_TM_WRITE_BODY(T) }
DFI_TM_TYPES(DFI_TM_DEFINE)
/* Any other type has to be a pointer to an object. What is not is shown by the operator ! in the macros. */
DFI_INLINE void *dfi_tm_read_pointer(const volatile void *at)
{
    void *const volatile *p = (void *const volatile *)at;
    DFI_TM_READ_BODY(void *)
}
DFI_INLINE void dfi_tm_write_pointer(volatile void *p, const volatile void *x) { DFI_TM_WRITE_BODY(x) }

#define DFI_TM_READER(name, T) T: dfi_tm_read_##name,
#define DFI_TM_WRITER(name, T) T: dfi_tm_write_##name,
/* clang before C11 takes no __extension__ in a structure. */
#if DFI_GNU && !defined(__TINYC__) && \
    (!defined(__clang__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L))
#define DFI_TM_SCALAR(p)                                                                                    \
    (0 * sizeof(struct {                                                                                    \
         DFI_STATIC_ASSERT(DFI_IS_SCALAR(*(p)) && sizeof *(p) <= 8,                                         \
                           "df_stm.h: df_tm_read and df_tm_write are for numbers and pointers of at most "  \
                           "8 bytes; use df_tm_read_bytes and df_tm_write_bytes for other types");          \
         char c;                                                                                            \
     }))
#else
#define DFI_TM_SCALAR(p) (0 * sizeof(!*(p)) * sizeof(char[sizeof *(p) <= 8 ? 1 : -1]))
#endif
#if DFI_GNU
#define DFI_TM_TYPED(p) (__typeof__(*(p)))
#else
#define DFI_TM_TYPED(p) /* a pointer is void * */
#endif
#define df_tm_read(p) \
    (DFI_TM_TYPED(p)((void)0, \
                     _Generic(*(p), DFI_TM_TYPES(DFI_TM_READER) default: dfi_tm_read_pointer)((p) + DFI_TM_SCALAR(p))))
/* sizeof of an assignment: the conversions, and the errors, are those of *(p) = (v) */
#define df_tm_write(p, v) \
    (_Generic(*(p), DFI_TM_TYPES(DFI_TM_WRITER) default: dfi_tm_write_pointer)( \
        (p) + 0 * sizeof(*(p) = (v)) + DFI_TM_SCALAR(p), (v)))

#endif

#endif
