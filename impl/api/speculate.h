/* speculate.h - conditions and records of df_speculate, on the stack, in both builds */
#ifndef DFI_API_SPECULATE_H
#define DFI_API_SPECULATE_H

#include "../base/compiler.h"
#include "element.h"
#include "need.h"
#include "param.h"
#include "value.h"

struct dfi_predicate;
struct dfi_scope;

/* Memory, and how it is read: true or false. */
typedef int dfi_condition_test(const void *p);
struct dfi_condition {
    const void *p;
    size_t bytes;
    dfi_condition_test *holds;     /* NULL: true if a bit of it is set, as for integers and pointers */
};

struct dfi_speculation {
    struct dfi_condition when;
    int guess, loop;               /* 0 or 1 */
    int begun, open;
    const char *site;
    /* parallel build: */
    struct dfi_scope *scope;       /* NULL: no memory for a scope, so tasks run immediately on the calling thread */
    struct dfi_predicate *outer;   /* the predicate that was open when the block began, or NULL */
    struct dfi_predicate *first, *last; /* the predicates of this block, oldest first; the earlier ones are resolved */
    struct dfi_predicate *unknown; /* the oldest predicate that may be unresolved */
    int count;                     /* number of predicates from `unknown` on */
};

DFI_INLINE struct dfi_speculation dfi_speculation_of(const void *p, size_t bytes, dfi_condition_test *holds,
                                                     int guess, int loop, const char *site)
{
    struct dfi_speculation b;
    memset((void *)&b, 0, sizeof b);
    dfi_needs_more();
    b.when.p = p, b.when.bytes = bytes, b.when.holds = holds;
    b.guess = guess, b.loop = loop, b.open = 1;
    b.site = site;
    return b;
}

DFI_EXTERN_C_BEGIN
/* Nonzero: execute the block, or its next turn. Zero: the block has ended. */
DFI_API int dfi_speculate_next(struct dfi_speculation *b);
/* Ends the block, however it was left. */
DFI_API void dfi_speculate_end(struct dfi_speculation *b);
DFI_EXTERN_C_END

/* 1 if a bit of the n bytes at p is set, else 0. */
DFI_UNUSED DFI_UNCHECKED static int dfi_condition_bits(const void *p, size_t n)
{
    const unsigned char *byte = (const unsigned char *)p;
    int usual;
    if (n == sizeof usual) return memcpy((void *)&usual, p, sizeof usual), usual != 0;
    while (n--)
        if (*byte++) return 1;
    return 0;
}

#if DFI_GNU
#define DFI_AT_END_OF_SPECULATION __attribute__((cleanup(dfi_speculate_end)))
#else
#define DFI_AT_END_OF_SPECULATION
#endif
#define DFI_SPECULATION(block)                                                                        \
    for (DFI_AT_END_OF_SPECULATION struct dfi_speculation DFI_CAT(dfi_b_, __LINE__) = block;          \
         dfi_speculate_next(&DFI_CAT(dfi_b_, __LINE__));)

/* --- scalars ---------------------------------------------------------------------------------------
 * A negative zero is false although bits of it are set, and a long double has bytes without meaning. So numbers of
 * floating point are read as such. `cond` is evaluated once. */

#define DFI_NO_CONDITION                                                                                       \
    "df.h: the condition of df_speculate is the address of an integer, a floating-point number or a pointer; " \
    "for other types declare DF_PREDICATE and use df_speculate_on"

#if defined(__cplusplus)

DFI_CXX_BEGIN
/* No ::value, which may be a macro of the program. read: as a number of floating point, or a pointer to a member, whose
 * null has bits set */
template <class dfi_t, bool read = bool(std::is_floating_point<dfi_t>()) || bool(std::is_member_pointer<dfi_t>())>
struct dfi_condition_reader {
    static dfi_condition_test *dfi_get() { return NULL; }
};
template <class dfi_t> struct dfi_condition_reader<dfi_t, true> {
    static int dfi_read(const void *dfi_p) { return *(const dfi_t *)dfi_p == 0 ? 0 : 1; }
    static dfi_condition_test *dfi_get() { return dfi_read; }
};
template <class dfi_t>
DFI_INLINE struct dfi_speculation dfi_speculation_at(const dfi_t *p, int guess, int loop, const char *site)
{
    return dfi_speculation_of((const void *)p, sizeof *p, dfi_condition_reader<dfi_t>::dfi_get(), guess, loop, site);
}
DFI_CXX_END

/* The lambda is never called. In it, the compiler reports an error at the line of the block. */
#define DFI_CONDITION(p)                                                                              \
    ((void)[] { DFI_STATIC_ASSERT(bool(std::is_scalar<typename std::remove_reference<decltype(*(p))>::type>()), \
                                  DFI_NO_CONDITION); }, (p))
#define DFI_SPECULATE(cond, guess, loop)                                                              \
    DFI_SPECULATION(dfi_speculation_at(DFI_CONDITION(cond), (guess) != 0, loop, DFI_SITE))

#else

#if defined(DFI_GENERIC)
DFI_UNUSED DFI_UNCHECKED static int dfi_condition_float(const void *p) { return *(const float *)p == 0.0f ? 0 : 1; }
DFI_UNUSED DFI_UNCHECKED static int dfi_condition_double(const void *p) { return *(const double *)p == 0.0 ? 0 : 1; }
DFI_UNUSED DFI_UNCHECKED static int dfi_condition_long(const void *p)
{
    return *(const long double *)p == 0.0L ? 0 : 1;
}
#define DFI_CONDITION_READER(p)                                                                       \
    DFI_GENERIC(*(p), float: dfi_condition_float, double: dfi_condition_double,                       \
                long double: dfi_condition_long, default: (dfi_condition_test *)0)
#else
#define DFI_CONDITION_READER(p) NULL
#endif

/* Compiles for the types above only; nothing is evaluated but p. */
#if DFI_GNU
/* the numbers of <typeclass.h> of gcc: integer, char, enum, bool, pointer; an array is converted to a pointer */
#define DFI_CONDITION_IN_BITS(p)                                                                      \
    ((__builtin_classify_type(*(p)) >= 1 && __builtin_classify_type(*(p)) <= 4) ||                    \
     (__builtin_classify_type(*(p)) == 5 &&                                                           \
      __builtin_types_compatible_p(__typeof__(*(p)), __typeof__(((void)0, *(p))))))
#define DFI_CONDITION_TYPE(p)                                                                         \
    (DFI_GENERIC(*(p), float: 1, double: 1, long double: 1, default: DFI_CONDITION_IN_BITS(p)))
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DFI_CONDITION(p)                                                                              \
    ((p) + 0 * sizeof *(p) * sizeof(struct { DFI_STATIC_ASSERT(DFI_CONDITION_TYPE(p), DFI_NO_CONDITION); char dfi_c; }))
#else
#define DFI_CONDITION(p) ((p) + 0 * sizeof(char[DFI_CONDITION_TYPE(p) ? 1 : -1]))
#endif
#elif defined(DFI_GENERIC)
#define DFI_CONDITION(p) ((p) + 0 * sizeof(!*(p)))
#else /* floating-point numbers cannot be told from integers */
#define DFI_CONDITION(p) ((p) + 0 * sizeof(*(p) % 2))
#endif
#define DFI_SPECULATE(cond, guess, loop)                                                              \
    DFI_SPECULATION(dfi_speculation_of(DFI_CONDITION(cond), sizeof *(cond), DFI_CONDITION_READER(cond), (guess) != 0, \
                                       loop, DFI_SITE))

#endif

/* --- predicates of the user ------------------------------------------------------------------------ */

/* The calls are typed, so that the compiler checks them, and no function is called with another type than its own. An
 * exception that leaves a predicate ends the program: no caller can catch it. */
#if defined(__cplusplus)
#define DFI_NO_THROW noexcept
#else
#define DFI_NO_THROW
#endif
#define DFI_PREDICATE(name, T, n)                                                                                    \
    DFI_UNUSED static int name##_dfi_holds(const void *dfi_p) DFI_NO_THROW { return name((const T *)dfi_p) ? 1 : 0; } \
    DFI_UNUSED static const void *name##_dfi_over(const T *dfi_p) { return (const void *)dfi_p; }                    \
    DFI_UNUSED static size_t name##_dfi_bytes(void) { return DFI_BYTES_OF(n, T); }                                   \
    DFI_STATIC_ASSERT(sizeof(T) > 0, "df.h")
#define DFI_SPECULATE_ON(name, x, guess, loop)                                                                       \
    DFI_SPECULATION(dfi_speculation_of(DFI_OF(name, _dfi_over)(x), DFI_OF(name, _dfi_bytes)(),                       \
                                       DFI_CAT(name, _dfi_holds), (guess) != 0, loop, DFI_SITE))

#endif
