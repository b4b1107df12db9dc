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

#endif
#endif
