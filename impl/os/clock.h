/* clock.h - operating system layer: time */
#ifndef DFI_OS_CLOCK_H
#define DFI_OS_CLOCK_H

#include "../base/compiler.h"
#include "os.h"

#if !defined(DF_SERIAL) /* os/none.h has the same */

/* A time stamp in nanoseconds. With C11 threads it may jump when the clock is set. */
DFI_UNUSED static uint64_t dfi_os_ns(void)
{
    struct timespec t;
#if DFI_POSIX
    dfi_sys_clock_gettime(DFI_OS_CLOCK, &t);
#else
    timespec_get(&t, TIME_UTC);
#endif
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A clock that takes a few nanoseconds to read, and is the same for all processors. */
DFI_FAST uint64_t dfi_ticks(void)
{
#if DFI_GNU && (defined(__x86_64__) || defined(__i386__))
    return __builtin_ia32_rdtsc();
#elif DFI_GNU && defined(__aarch64__)
    uint64_t t;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return dfi_os_ns();
#endif
}

#endif
#endif
