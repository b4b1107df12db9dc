/* os.h - operating system layer: the system (system.h), and under DF_SERIAL the stacks that take turns (green.h) */
#ifndef DFI_OS_OS_H
#define DFI_OS_OS_H

#include "system.h"
#if defined(DF_SERIAL)
#include "green.h"
#endif

/* dfi_os_event_wait_us in milliseconds, or less: a long may have 32 bits. */
DFI_UNUSED static int dfi_os_event_wait(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, int ms)
{
    return dfi_os_event_wait_us(e, word, value, ms < 2000000 ? ms * 1000L : 2000000000L);
}

#endif
