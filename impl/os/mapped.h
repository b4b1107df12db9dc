/* mapped.h - memory of the process that is mapped, and that of static variables: for DF_CHECK */
#ifndef DFI_OS_MAPPED_H
#define DFI_OS_MAPPED_H

#include "../base/compiler.h"

/* The first byte of [b, e) that is not mapped; 0: all of it is, or that is unknown. */
#if DFI_UNIX && !defined(DF_SERIAL)
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

DFI_UNUSED static uintptr_t dfi_os_unmapped(uintptr_t b, uintptr_t e)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), p = b / page * page;
    if (!msync((void *)p, e - p, MS_ASYNC) || errno != ENOMEM) return 0;
    while (p < e && !msync((void *)p, page, MS_ASYNC)) p += page;
    return p >= e ? 0 : p > b ? p : b;
}
#else
DFI_UNUSED static uintptr_t dfi_os_unmapped(uintptr_t b, uintptr_t e) { return (void)b, (void)e, 0; }
#endif

/* Is p in a static variable of the program? 0: no, or unknown. */
#if DFI_LINUX
DFI_EXTERN_C_BEGIN
extern char dfi_sys_data[1] __asm__("__data_start") __attribute__((weak));
extern char dfi_sys_end[1] __asm__("_end") __attribute__((weak));
DFI_EXTERN_C_END
DFI_UNUSED static int dfi_os_is_static(uintptr_t p)
{
    return p >= (uintptr_t)dfi_sys_data && p < (uintptr_t)dfi_sys_end;
}
#else
DFI_UNUSED static int dfi_os_is_static(uintptr_t p) { return (void)p, 0; }
#endif

#endif
