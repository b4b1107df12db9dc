/* fence.h - a barrier in all threads of the process, by one of them */
#ifndef DFI_OS_FENCE_H
#define DFI_OS_FENCE_H

#include "../base/compiler.h"
#include "os.h"

/* dfi_os_fence_all() is a barrier in every thread of the process (1 to 10 us): what a thread has stored before code that
 * loads is seen after it, or the loads come after it. The threads need dfi_os_fence_compiler() only. -1: there is none;
 * then they have to order store and loads themselves. */
#if defined(__linux__) && DFI_GNU && defined(SYS_membarrier)
DFI_UNUSED static int dfi_os_fence_all(void)
{
    enum { DFI_EXPEDITED = 8, DFI_REGISTER = 16 }; /* MEMBARRIER_CMD_PRIVATE_EXPEDITED, .._REGISTER_.. */
    if (!dfi_sys_call((long)SYS_membarrier, (int)DFI_EXPEDITED, 0, 0)) return 0;
    if (dfi_sys_call((long)SYS_membarrier, (int)DFI_REGISTER, 0, 0)) return -1; /* once for a process */
    return dfi_sys_call((long)SYS_membarrier, (int)DFI_EXPEDITED, 0, 0) ? -1 : 0;
}
#define dfi_os_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
DFI_UNUSED static int dfi_os_fence_all(void) { return -1; }
#define dfi_os_fence_compiler() ((void)0)
#endif


#endif
