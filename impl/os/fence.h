/* fence.h - a barrier in all threads of the process, by one of them */
#ifndef DFI_OS_FENCE_H
#define DFI_OS_FENCE_H

#include "../base/compiler.h"
#include "os.h"

#include <errno.h>

/* dfi_os_fence_all() is a barrier in every thread of the process (1 to 10 us): of a store and a later load of another
 * thread, the store is seen after it, or the load comes after it. They need dfi_os_fence_compiler() in between. -1:
 * there is none; then they have to order them on their own. */
#if defined(__linux__) && DFI_GNU && defined(SYS_membarrier)
#include <sys/stat.h>
enum { DFI_EXPEDITED = 8, DFI_REGISTER = 16 }; /* MEMBARRIER_CMD_PRIVATE_EXPEDITED, .._REGISTER_.. */
DFI_UNUSED static int dfi_os_fence_all(void)
{
    int saved = errno, failed = dfi_sys_call((long)SYS_membarrier, (int)DFI_EXPEDITED, 0, 0) != 0;
    if (failed && !dfi_sys_call((long)SYS_membarrier, (int)DFI_REGISTER, 0, 0)) /* once for a process */
        failed = dfi_sys_call((long)SYS_membarrier, (int)DFI_EXPEDITED, 0, 0) != 0;
    errno = saved;
    return -failed;
}
/* Called when the program is loaded: registers the process, unless it has threads already, because that takes 8 to
 * 15 ms then, and the first barrier does it, too. */
DFI_UNUSED static void dfi_os_fence_load(void)
{
    int saved = errno;
    struct stat threads;
    if (!stat("/proc/self/task", &threads) && threads.st_nlink == 3) /* one folder */
        (void)dfi_sys_call((long)SYS_membarrier, (int)DFI_REGISTER, 0, 0);
    errno = saved;
}
#define dfi_os_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
DFI_UNUSED static int dfi_os_fence_all(void) { return -1; }
DFI_UNUSED static void dfi_os_fence_load(void) {}
#define dfi_os_fence_compiler() ((void)0)
#endif

#endif
