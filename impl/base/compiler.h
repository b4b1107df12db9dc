/* compiler.h - compiler features: attributes, linkage, thread-local storage, assertion levels, warnings */
#ifndef DFI_BASE_COMPILER_H
#define DFI_BASE_COMPILER_H

#include "parts.h"
#include "version.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The compiler has GNU attributes, builtins and assembler names. This includes clang-cl, which does not define
 * __GNUC__. */
#if defined(__GNUC__) || defined(__clang__)
#define DFI_GNU 1
#else
#define DFI_GNU 0
#endif

/* A system with the files and processes of POSIX; Linux, whose functions GNU compilers reach by assembler names. */
#if defined(__unix__) || defined(__APPLE__)
#define DFI_UNIX 1
#else
#define DFI_UNIX 0
#endif
#if defined(__linux__) && DFI_GNU
#define DFI_LINUX 1
#else
#define DFI_LINUX 0
#endif

/* gnu89 has all features of C99 that df uses. MSVC reports its C++ version in _MSVC_LANG. */
#if defined(__cplusplus) ? __cplusplus < 201103L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201103L) \
                         : defined(__STDC_VERSION__) ? __STDC_VERSION__ < 199901L : !DFI_GNU || defined(__STRICT_ANSI__)
#error "df needs C99 or later (-std=gnu89 will do), or C++11 or later: \
compile this file with -std=c99, -std=c11 or -std=c++11"
#elif !defined(DF_SERIAL) && !DFI_GNU && \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L || defined(__STDC_NO_ATOMICS__))
#error "df needs <stdatomic.h> of C11, or a compiler with the builtins of gcc: \
compile this file with -std=c11, or all with DF_SERIAL"
#endif

#if defined(__cplusplus)
#define DFI_EXTERN_C_BEGIN extern "C" {
#define DFI_EXTERN_C_END   }
#define DFI_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define DFI_EXTERN_C_BEGIN
#define DFI_EXTERN_C_END
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DFI_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#elif DFI_GNU && !defined(__TINYC__)
#undef _Static_assert /* with -std=c99, glibc has a macro of this name, which drops the text */
#define DFI_STATIC_ASSERT(cond, text) __extension__ _Static_assert(cond, text)
#else /* C99 without GNU extensions: a negative array size, without the text */
#define DFI_STATIC_ASSERT(cond, text) extern int dfi_static_assert[(cond) ? 1 : -1]
#endif
#endif

/* Zero: x is a struct, union, array or void (0 only in C of gcc and clang). */
#if DFI_GNU && !defined(__cplusplus) && !defined(__TINYC__)
#define DFI_IS_SCALAR(x) ((unsigned)__builtin_classify_type(x) - 1 < 11)
#else
#define DFI_IS_SCALAR(x) 1
#endif

/* A program may leave parts of df unused. For gcc the declarations are marked unused. clang would then warn about
 * each use (-Wused-but-marked-unused), so for clang DFI_QUIET and DFI_LOUD surround the headers and everything that a
 * macro declares. Between them, clang does not warn about house style: commas join related assignments, struct
 * layouts are deliberate, a result may be cast to another arithmetic type, variables of the implementation are
 * declared only by their definition, and C++ programs include C code. */
#if defined(__clang__)
#define DFI_IF_GCC(x)
#define DFI_QUIET                                                                                                     \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-function\"") \
    _Pragma("clang diagnostic ignored \"-Wunused-variable\"") \
    _Pragma("clang diagnostic ignored \"-Wunused-const-variable\"") \
    _Pragma("clang diagnostic ignored \"-Wcomma\"") _Pragma("clang diagnostic ignored \"-Wpadded\"") \
    _Pragma("clang diagnostic ignored \"-Wbad-function-cast\"") \
    _Pragma("clang diagnostic ignored \"-Wmissing-variable-declarations\"") DFI_QUIET_CXX
#define DFI_LOUD _Pragma("clang diagnostic pop")
#define DFI_LOUD_END ; DFI_LOUD DFI_STATIC_ASSERT(1, "df.h") /* reports a missing semicolon at the line that lacks it */
#define DFI_QUIET_FORMAT /* for formats from a table */ \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wformat-nonliteral\"")
#if defined(__cplusplus)
#define DFI_QUIET_CXX                                                                                                 \
    _Pragma("clang diagnostic ignored \"-Wold-style-cast\"") \
    _Pragma("clang diagnostic ignored \"-Wzero-as-null-pointer-constant\"") \
    _Pragma("clang diagnostic ignored \"-Wc++98-compat-pedantic\"") \
    _Pragma("clang diagnostic ignored \"-Wc++98-compat\"")
#else
#define DFI_QUIET_CXX
#endif
#else
#define DFI_IF_GCC(x) x
#define DFI_QUIET
#define DFI_QUIET_FORMAT
#define DFI_LOUD
#define DFI_LOUD_END
#endif

/* These surround the headers and the implementation. The program may have set another alignment for its structures, or
 * include the headers in extern "C". 0 is the natural alignment; an empty one would be that of -fpack-struct=n. */
#if DFI_GNU && !defined(__TINYC__)
#define DFI_NATURAL     _Pragma("pack(push, 0)")
#define DFI_NATURAL_END _Pragma("pack(pop)")
#else
#define DFI_NATURAL
#define DFI_NATURAL_END
#endif
#if defined(__cplusplus)
#define DFI_BEGIN DFI_IMPL_BEGIN extern "C++" {
#define DFI_END   } DFI_IMPL_END
#else
#define DFI_BEGIN DFI_IMPL_BEGIN
#define DFI_END   DFI_IMPL_END
#endif
/* Definitions have the linkage of their declarations. */
#define DFI_IMPL_BEGIN DFI_QUIET DFI_NATURAL
#define DFI_IMPL_END   DFI_NATURAL_END DFI_LOUD

DFI_QUIET /* its macros have empty arguments */
#include "names.h"
DFI_LOUD

/* Is it a build for size? Then fast paths have no copies of their own. */
#if defined(__OPTIMIZE_SIZE__)
#define DFI_FOR_SIZE 1
#else
#define DFI_FOR_SIZE 0
#endif

#if DFI_GNU
#define DFI_LIKELY(c)   __builtin_expect(!!(c), 1)
#define DFI_UNLIKELY(c) __builtin_expect(!!(c), 0)
#define DFI_UNUSED      DFI_IF_GCC(__attribute__((unused)))
#define DFI_OWN_FRAME   __attribute__((noinline)) /* functions that change or look at stacks */
#define DFI_NORETURN    __attribute__((noreturn))
#define DFI_EXTENSION   __extension__ /* what follows is of a later C, or not in C++ */
#define DFI_PREFETCH_WRITE(p) __builtin_prefetch((p), 1)
#define DFI_ALIGNED(n)  __attribute__((aligned(n)))
#define DFI_CALLER      ((uintptr_t)__builtin_return_address(0))
#define DFI_INLINE      static inline DFI_UNUSED __attribute__((always_inline))
/* FAST: inlined wherever it is called. NOINLINE: not inlined, which keeps fast paths short. COLD: called seldom; with
 * NOINLINE, if a fast path calls it. In a build for size the compiler decides. */
#if defined(__OPTIMIZE_SIZE__)
#define DFI_FAST        static inline DFI_UNUSED
#define DFI_NOINLINE
#else
#define DFI_FAST        DFI_INLINE
#define DFI_NOINLINE    __attribute__((noinline))
#endif
#define DFI_COLD        __attribute__((cold))
#define DFI_FORMAT(f,a) __attribute__((format(printf, f, a)))
/* Definitions are weak and visible. An executable and its shared libraries that all embed the implementation
 * therefore share one copy, and one pool (ELF symbol interposition). Those of a build that has a pool of its own
 * (parts.h) are visible in its executable or library only. */
#if DFI_LIBRARY /* one file has them */
#define DFI_API         DFI_STRONG
#else
#define DFI_API         __attribute__((weak, DFI_VISIBLE))
#endif
#define DFI_STRONG      __attribute__((DFI_VISIBLE))
#if DFI_OWN_POOL
#define DFI_VISIBLE     visibility("hidden")
#else
#define DFI_VISIBLE     visibility("default")
#endif
#else
#define DFI_LIKELY(c)   (c)
#define DFI_UNLIKELY(c) (c)
#define DFI_UNUSED
#define DFI_NOINLINE
#define DFI_OWN_FRAME
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DFI_NORETURN    _Noreturn
#else
#define DFI_NORETURN
#endif
#define DFI_EXTENSION
#define DFI_PREFETCH_WRITE(p) ((void)(p))
#define DFI_ALIGNED(n)
#define DFI_CALLER ((uintptr_t)0)
#define DFI_COLD
#define DFI_INLINE      static inline
#define DFI_FAST        static inline
#define DFI_FORMAT(f,a)
#define DFI_API
#define DFI_STRONG
#endif

/* Members of the types that a declaration generates in C++. They are always inlined, because two files may have
 * static tasks of the same name, and the linker would merge their members into one. */
#if defined(__GNUC__)
#define DFI_MEMBER inline __attribute__((always_inline))
#else
#define DFI_MEMBER inline
#endif

/* Functions between these two are compiled for size in every build: they run when df starts and stops, or in a thread
 * of their own. Builds without optimisation are unaffected, because gcc's pragma would enable optimisation in them. */
#if defined(__clang__) && defined(__OPTIMIZE__)
#define DFI_SMALL_CODE_BEGIN _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
#define DFI_SMALL_CODE_END   _Pragma("clang attribute pop")
#elif defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#if __GNUC__ >= 12 /* as clang's minsize */
#define DFI_SMALL_CODE_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"Oz\")")
#else
#define DFI_SMALL_CODE_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"Os\")")
#endif
#define DFI_SMALL_CODE_END   _Pragma("GCC pop_options")
#else
#define DFI_SMALL_CODE_BEGIN
#define DFI_SMALL_CODE_END
#endif

/* Thread-local storage. `__thread` rather than `_Thread_local`, because the C++ keyword puts an initialisation
 * wrapper around every access. The initial-exec model makes an access one instruction also where the variable is weak.
 * Code for a shared library uses the general model, which calls a function: room for the other one is what the process
 * has left from its start, so that dlopen would refuse the library with musl, and the seventh one with glibc. */
#if DFI_GNU && defined(__ELF__) && (!defined(__PIC__) || defined(__PIE__))
#define DFI_TLS __thread __attribute__((tls_model("initial-exec")))
#elif defined(_MSC_VER)
#define DFI_TLS __declspec(thread)
#elif DFI_GNU
#define DFI_TLS __thread
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define DFI_TLS _Thread_local
#else
#define DFI_TLS /* single-threaded: enough for serial elision */
#endif

/* A function that is called when the module is loaded. The order of those of df in a module; the program's come later,
 * unless they have a smaller number, or the system knows no order. */
enum { DFI_LOADS_FIRST = 101, DFI_LOADS_SECOND = 102 };
#if DFI_GNU && (defined(__APPLE__) || defined(__TINYC__))
#define DFI_AT_LOAD(order) __attribute__((constructor))
#elif DFI_GNU
#define DFI_AT_LOAD(order) __attribute__((constructor(order)))
#endif

/* The alignment of a type. df stores records of parameters at multiples of 16 bytes, and elements that it gives to a
 * body, such as copies and items, at multiples of 64. */
#if defined(__cplusplus)
#define DFI_ALIGN_OF(T) alignof(T)
#elif DFI_GNU
#define DFI_ALIGN_OF(T) __alignof__(T)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DFI_ALIGN_OF(T) _Alignof(T)
#else
#define DFI_ALIGN_OF(T) 1
#endif
enum { DFI_RECORD_ALIGN = 16, DFI_ELEMENT_ALIGN = 64 };
#define DFI_ALIGN_CHECK(T, what) \
    DFI_STATIC_ASSERT(DFI_ALIGN_OF(T) <= (size_t)DFI_ELEMENT_ALIGN, \
                      "df.h: " what ": the type " #T " is aligned to more than 64 bytes, and df aligns to 64 at " \
                      "most: use a pointer to memory of the program")
#if defined(__cplusplus)
#define DFI_ALIGN_ZERO(T, what)   ((size_t)dfi_align_check<T>::zero) /* api/value.h */
#define DFI_ALIGN_MEMBER(T, what) DFI_ALIGN_CHECK(T, what);
#elif (DFI_GNU && !defined(__TINYC__) && !defined(__clang__)) || \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L) /* clang before C11 takes no __extension__ there */
#define DFI_ALIGN_ZERO(T, what)   (0 * sizeof(struct { DFI_ALIGN_CHECK(T, what); char dfi_c; }))
#define DFI_ALIGN_MEMBER(T, what) DFI_ALIGN_CHECK(T, what);
#else
#define DFI_ALIGN_ZERO(T, what)   (0 * sizeof(char[DFI_ALIGN_OF(T) <= DFI_ELEMENT_ALIGN ? 1 : -1]))
#define DFI_ALIGN_MEMBER(T, what)
#endif
/* Around a structure: its members are aligned to at most 16 bytes, and the compiler knows it. (In C++ the fields are of
 * types that need no more: api/value.h.) */
#if !defined(__cplusplus) && DFI_GNU && !defined(__TINYC__)
#define DFI_PACK_BEGIN _Pragma("pack(push, 16)")
#define DFI_PACK_END   _Pragma("pack(pop)")
#else
#define DFI_PACK_BEGIN
#define DFI_PACK_END
#endif

#if defined(__cplusplus)
extern "C++" {
template <typename dfi_a, typename dfi_b> struct dfi_same_type { enum { yes = 0 }; };
template <typename dfi_a> struct dfi_same_type<dfi_a, dfi_a> { enum { yes = 1 }; };
}
#endif

DFI_BEGIN
struct dfi_layout { char first; void *second; };
DFI_STATIC_ASSERT(offsetof(struct dfi_layout, second) == sizeof(void *),
    "df: structures must have the natural alignment: compile this file without -fpack-struct, or put the structures "
    "that need it between #pragma pack(push, 1) and #pragma pack(pop)");
DFI_END

/* DF_DEBUG: 0 no checks, 1 misuse of the API with the line of the call, 2 also invariants of the runtime, 3 also
 * yields injected at every synchronisation. */
#ifndef DF_DEBUG
#define DF_DEBUG 0
#endif

/* DF_CHECK: 1 detects missing or wrong declarations, and writes without ownership. Define it in the implementation
 * file only, and with df_owm.h in all files. A DF_SERIAL build checks nothing. */
#if !defined(DF_CHECK) || defined(DF_SERIAL)
#undef DF_CHECK
#define DF_CHECK 0
#endif
/* The sanitizers: gcc has macros, clang features. */
#if defined(__has_feature)
#define DFI_HAS_FEATURE(x) __has_feature(x)
#else
#define DFI_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || DFI_HAS_FEATURE(address_sanitizer)
#define DFI_ASAN 1
#else
#define DFI_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || DFI_HAS_FEATURE(thread_sanitizer)
#define DFI_TSAN 1
#else
#define DFI_TSAN 0
#endif
#define DFI_SANITIZED (DFI_ASAN || DFI_TSAN || DFI_HAS_FEATURE(memory_sanitizer))

/* With AddressSanitizer, DF_CHECK also stops accesses that tasks did not declare. */
#if DF_CHECK && DFI_ASAN && DFI_GNU && DFI_UNIX
#define DFI_CHECK_ASAN 1
#else
#define DFI_CHECK_ASAN 0
#endif
#if DF_CHECK && DFI_GNU
#define DFI_UNCHECKED __attribute__((no_sanitize_address)) /* a function that may access memory declared by tasks */
#else
#define DFI_UNCHECKED
#endif

#if DF_DEBUG >= 2
#include <assert.h>
#define DFI_ASSERT(c) assert(c)
#else
#define DFI_ASSERT(c) ((void)0)
#endif

/* Are spawns and syncs of files with DF_DEBUG checked? With DF_MINIMAL, only if the implementation has DF_DEBUG. */
#if !defined(DF_MINIMAL) || DF_DEBUG || DF_CHECK
#define DFI_WITH_SITES 1
#else
#define DFI_WITH_SITES 0
#endif

#define DFI_STR(x)    DFI_STR_(x)
#define DFI_STR_(x)   #x
#define DFI_CAT(a, b) DFI_CAT_(a, b)
#define DFI_CAT_(a, b) a##b
/* A function generated by the declaration of f, as a callee. The parentheses matter in C: calling an undeclared
 * function is then an error at its line, rather than a warning and a linker message about an implicit declaration. */
#if defined(__cplusplus)
#define DFI_OF(f, what) DFI_CAT(f, what)
#else
#define DFI_OF(f, what) (DFI_CAT(f, what))
#endif
#define DFI_SITE      __FILE__ ":" DFI_STR(__LINE__)

#endif
