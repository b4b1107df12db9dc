/* os.h - operating system layer: the system (system.h), and under DF_SERIAL the stacks that take turns (green.h) */
#ifndef DFI_OS_OS_H
#define DFI_OS_OS_H

#include "system.h"
#if defined(DF_SERIAL)
#include "green.h"
#endif

#endif
