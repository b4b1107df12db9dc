/* dfi_base.h - what the compiler offers, named once
 *
 * Attributes, linkage of the implementation, thread-local storage and the
 * assertion levels. Nothing here is specific to tasks. */
#ifndef DFI_BASE_H
#define DFI_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__cplusplus)
#define DFI_EXTERN_C_BEGIN extern "C" {
#define DFI_EXTERN_C_END   }
#define DFI_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define DFI_EXTERN_C_BEGIN
#define DFI_EXTERN_C_END
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DFI_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#else /* C99, serial elision only: a negative array size, without the sentence */
#define DFI_STATIC_ASSERT(cond, text) extern int dfi_static_assert[(cond) ? 1 : -1]
#endif
#endif

#if defined(__GNUC__)
#define DFI_LIKELY(c)   __builtin_expect(!!(c), 1)
#define DFI_UNLIKELY(c) __builtin_expect(!!(c), 0)
#define DFI_UNUSED      __attribute__((unused))
#define DFI_NOINLINE    __attribute__((noinline))
#define DFI_PREFETCH_WRITE(p) __builtin_prefetch((p), 1)
#define DFI_ALIGNED(n)  __attribute__((aligned(n)))
#define DFI_CALLER      ((uintptr_t)__builtin_return_address(0))
#define DFI_COLD        __attribute__((noinline, cold))
#define DFI_INLINE      static inline __attribute__((unused, always_inline))
#define DFI_FORMAT(f,a) __attribute__((format(printf, f, a)))
/* Definitions are weak and visible: an executable and its shared libraries that all embed the
 * implementation share one copy, and so one pool (ELF symbol interposition). */
#define DFI_API         __attribute__((weak, visibility("default")))
#define DFI_STRONG      __attribute__((visibility("default")))
#else
#define DFI_LIKELY(c)   (c)
#define DFI_UNLIKELY(c) (c)
#define DFI_UNUSED
#define DFI_NOINLINE
#define DFI_PREFETCH_WRITE(p) ((void)(p))
#define DFI_ALIGNED(n)
#define DFI_CALLER ((uintptr_t)0)
#define DFI_COLD
#define DFI_INLINE      static inline
#define DFI_FORMAT(f,a)
#define DFI_API
#define DFI_STRONG
#endif

/* Thread-local storage. `__thread` rather than `_Thread_local`: the C++ keyword would put an
 * initialisation wrapper around every access. The initial-exec model keeps the access at one
 * instruction also inside a shared library, where the general model calls a function. */
#if defined(__GNUC__) && defined(__ELF__)
#define DFI_TLS __thread __attribute__((tls_model("initial-exec")))
#elif defined(__GNUC__)
#define DFI_TLS __thread
#elif defined(_MSC_VER)
#define DFI_TLS __declspec(thread)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define DFI_TLS _Thread_local
#else
#define DFI_TLS /* one thread only: enough for serial elision */
#endif

/* DF_DEBUG: 0 nothing, 1 misuse of the API with the line of the call, 2 invariants of the runtime,
 * 3 as 2 with yields injected at every synchronisation. */
#ifndef DF_DEBUG
#define DF_DEBUG 0
#endif

/* DF_CHECK, implementation file only, with df_owm.h in all: 1 looks for wrong declarations, and for writes without ownership. */
#ifndef DF_CHECK
#define DF_CHECK 0
#endif
#if DF_CHECK && defined(__GNUC__)
#define DFI_UNCHECKED __attribute__((no_sanitize_address)) /* a function that may touch what tasks declare */
#else
#define DFI_UNCHECKED
#endif

#if DF_DEBUG >= 2
#include <assert.h>
#define DFI_ASSERT(c) assert(c)
#else
#define DFI_ASSERT(c) ((void)0)
#endif

#define DFI_STR(x)    DFI_STR_(x)
#define DFI_STR_(x)   #x
#define DFI_CAT(a, b) DFI_CAT_(a, b)
#define DFI_CAT_(a, b) a##b
#define DFI_SITE      __FILE__ ":" DFI_STR(__LINE__)

#endif
