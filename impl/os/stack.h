/* stack.h - bounds of a thread's stack */
#ifndef DFI_OS_STACK_H
#define DFI_OS_STACK_H

#include "../base/compiler.h"

/* Is [p, q) on the calling thread's system stack? 0: no, as on stacks of coroutines; -1: unknown on this system. */
#if DFI_GNU && defined(__linux__) && !defined(DF_SERIAL)
#include <pthread.h>
DFI_EXTERN_C_BEGIN
extern int dfi_sys_thread_attributes(pthread_t thread, pthread_attr_t *attributes) __asm__("pthread_getattr_np");
extern int dfi_sys_thread_stack(const pthread_attr_t *attributes, void **low,
                                size_t *bytes) __asm__("pthread_attr_getstack");
DFI_EXTERN_C_END

#if defined(__GLIBC__)
enum { DFI_OS_STACK_GROWS = 0 }; /* the bounds are those of RLIMIT_STACK */
#else
enum { DFI_OS_STACK_GROWS = 1 }; /* of the main thread's stack, musl tells the part in use */
#endif

DFI_UNUSED static int dfi_os_on_stack(const void *p, const void *q)
{
    static DFI_TLS uintptr_t begin, end;
    if (!end || (DFI_OS_STACK_GROWS && (uintptr_t)p < begin)) {
        pthread_attr_t a;
        void *low = NULL;
        size_t bytes = 0;
        if (dfi_sys_thread_attributes(pthread_self(), &a)) return 0;
        dfi_sys_thread_stack(&a, &low, &bytes);
        pthread_attr_destroy(&a);
        begin = (uintptr_t)low, end = begin + bytes;
    }
    return begin <= (uintptr_t)p && (uintptr_t)p < end && begin <= (uintptr_t)q && (uintptr_t)q <= end;
}
#else
DFI_UNUSED static int dfi_os_on_stack(const void *p, const void *q) { return p && q ? -1 : 0; }
#endif

#endif
