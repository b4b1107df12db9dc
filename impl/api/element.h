/* element.h - element types of streams: typed handles checked by the compiler, and type codes compared at submission
 *
 * A handle of type `df_stream_of(T) *` converts to the stream parameter of a task only if that parameter has elements
 * of type T. A `df_stream *` converts to any stream parameter, and df compares the types when the task is submitted. To
 * that end, a type is described by its name in the source and by a code, which distinguishes all scalar types
 * regardless of their names. */
#ifndef DFI_API_ELEMENT_H
#define DFI_API_ELEMENT_H

#include "../base/compiler.h"

struct df_stream;

/* --- type codes ------------------------------------------------------------------------------------
 * > 0: a scalar type; DFI_NO_SCALAR: a structure, union or pointer; DFI_ANY_TYPE: unknown to the compiler.
 * The three character types share one code, because streams of bytes are written with any of them. */
enum { DFI_NO_SCALAR = -1, DFI_ANY_TYPE = 0 };

#if defined(__cplusplus)
template <class dfi_t> struct dfi_type_code { enum { dfi_code = __is_enum(dfi_t) ? DFI_ANY_TYPE : DFI_NO_SCALAR }; };
template <class dfi_t> struct dfi_type_code<const dfi_t> : dfi_type_code<dfi_t> {};
template <class dfi_t> struct dfi_type_code<volatile dfi_t> : dfi_type_code<dfi_t> {};
template <> struct dfi_type_code<bool> { enum { dfi_code = 1 }; };
template <> struct dfi_type_code<char> { enum { dfi_code = 2 }; };
template <> struct dfi_type_code<signed char> { enum { dfi_code = 2 }; };
template <> struct dfi_type_code<unsigned char> { enum { dfi_code = 2 }; };
template <> struct dfi_type_code<short> { enum { dfi_code = 3 }; };
template <> struct dfi_type_code<unsigned short> { enum { dfi_code = 4 }; };
template <> struct dfi_type_code<int> { enum { dfi_code = 5 }; };
template <> struct dfi_type_code<unsigned> { enum { dfi_code = 6 }; };
template <> struct dfi_type_code<long> { enum { dfi_code = 7 }; };
template <> struct dfi_type_code<unsigned long> { enum { dfi_code = 8 }; };
template <> struct dfi_type_code<long long> { enum { dfi_code = 9 }; };
template <> struct dfi_type_code<unsigned long long> { enum { dfi_code = 10 }; };
template <> struct dfi_type_code<float> { enum { dfi_code = 11 }; };
template <> struct dfi_type_code<double> { enum { dfi_code = 12 }; };
template <> struct dfi_type_code<long double> { enum { dfi_code = 13 }; };
#define DFI_TYPE_CODE(T) ((int)dfi_type_code<T>::dfi_code)
#elif DFI_GNU || defined(__TINYC__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
#if DFI_GNU
#define DFI_GENERIC __extension__ _Generic /* not in C99, but these compilers accept it */
#else
#define DFI_GENERIC _Generic
#endif
#define DFI_TYPE_CODE(T)                                                                                              \
    DFI_GENERIC(*(T *)0, _Bool: 1, char: 2, signed char: 2, unsigned char: 2, short: 3, unsigned short: 4, int: 5,     \
                unsigned: 6, long: 7, unsigned long: 8, long long: 9, unsigned long long: 10, float: 11, double: 12,   \
                long double: 13, default: DFI_NO_SCALAR)
#else
#define DFI_TYPE_CODE(T) DFI_ANY_TYPE
#endif

/* The constant properties of a stream parameter of a task. */
struct dfi_element {
    const char *type;         /* name of the element type in the source */
    const char *title, *name; /* names of the parameter and of the task */
    const char *site;         /* file and line of the task's declaration */
    size_t size;              /* bytes of an element */
    int code;                 /* type code of an element */
    int writes;               /* 1: the task pushes */
    unsigned arg;             /* offset of the body's pointer in the argument record */
};

/* --- typed handles --------------------------------------------------------------------------------- */

#if defined(__cplusplus)

#define df_stream_of(T) dfi_stream_of<T>
DFI_CXX_BEGIN
template <class dfi_t> struct dfi_stream_of;
/* Arguments for a parameter of one stream, and for a parameter of an array of streams. */
template <class dfi_t> struct dfi_stream_given {
    struct df_stream *dfi_any;
    dfi_stream_given(struct df_stream *dfi_s) : dfi_any(dfi_s) {}
    template <class dfi_u> dfi_stream_given(dfi_stream_of<dfi_u> *dfi_s) : dfi_any((struct df_stream *)(void *)dfi_s)
    {
        DFI_STATIC_ASSERT((dfi_same_type<dfi_t, dfi_u>::yes),
                          "df.h: this stream has elements of another type than the task's parameter");
    }
};
template <class dfi_t> struct dfi_streams_given {
    const void *dfi_any;
    dfi_streams_given(struct df_stream *const *dfi_s) : dfi_any((const void *)dfi_s) {}
    template <class dfi_u> dfi_streams_given(dfi_stream_of<dfi_u> *const *dfi_s) : dfi_any((const void *)dfi_s)
    {
        DFI_STATIC_ASSERT((dfi_same_type<dfi_t, dfi_u>::yes),
                          "df.h: these streams have elements of another type than the task's parameter");
    }
};
DFI_CXX_END
#define DFI_STREAM_CHECKED(T, s)   (1 ? (s) : (df_stream_of(T) *)0)
#define DFI_STREAM_TYPES(f, T, p)
#define DFI_STREAM_GIVEN(f, T, p)  dfi_stream_given<T> p
#define DFI_STREAMS_GIVEN(f, T, p) dfi_streams_given<T> p
#define DFI_STREAM_ANY(p)          (p).dfi_any
#define DFI_STREAMS_ANY(p)         (p).dfi_any

#else

/* The type that a handle of a stream of T points to, for the compiler only: no object of this type exists. */
#if DFI_GNU || defined(__TINYC__)
#define df_stream_of(T) __typeof__(T *const volatile) /* so that one declaration may have several handles */
#else
#define df_stream_of(T) T *const volatile
#endif
#if defined(DFI_GENERIC)
#define DFI_STREAM_CHECKED(T, s) DFI_GENERIC((s), df_stream_of(T) *: (s))
#else
#define DFI_STREAM_CHECKED(T, s) (1 ? (s) : (df_stream_of(T) *)0)
#endif
#if DFI_GNU && !defined(__TINYC__)
#define DFI_STREAM_CALL __extension__ /* gcc with -Wpedantic warns of an argument that becomes a union */
#define DFI_STREAM_TYPES(f, T, p)                                                                                      \
    typedef union { struct df_stream *dfi_any; df_stream_of(T) *dfi_typed; }                                           \
        f##_dfi_stream_##p __attribute__((transparent_union));                                                         \
    typedef union { struct df_stream *const *dfi_any; df_stream_of(T) *const *dfi_typed; }                             \
        f##_dfi_streams_##p __attribute__((transparent_union));
#define DFI_STREAM_GIVEN(f, T, p)  f##_dfi_stream_##p p
#define DFI_STREAMS_GIVEN(f, T, p) f##_dfi_streams_##p p
#define DFI_STREAM_ANY(p)          (p).dfi_any
#define DFI_STREAMS_ANY(p)         (const void *)(p).dfi_any
#else /* the compiler has no transparent unions: df checks the arguments at submission */
#define DFI_STREAM_TYPES(f, T, p)
#define DFI_STREAM_GIVEN(f, T, p)  const volatile void *p
#define DFI_STREAMS_GIVEN(f, T, p) const void *p
#define DFI_STREAM_ANY(p)          (struct df_stream *)(uintptr_t)(p)
#define DFI_STREAMS_ANY(p)         (p)
#endif

#endif

#if !defined(DFI_STREAM_CALL)
#define DFI_STREAM_CALL
#endif

#endif
