/* wait.h - operating system layer: locks, events, yielding, cancellation; of threads, or of the stacks of DF_SERIAL */
#ifndef DFI_OS_WAIT_H
#define DFI_OS_WAIT_H

#include "thread_wait.h"
#if defined(DF_SERIAL)
#include "green.h"
#endif

#endif
