/* needed.h - the symbols of the parts that an implementation has, to which constructs refer (api/need.h) */
#ifndef DFI_CHOICE_NEEDED_H
#define DFI_CHOICE_NEEDED_H

#include "../base/compiler.h"
#include "../api/need.h"
#include "../base/parts.h"

DFI_EXTERN_C_BEGIN
#if DFI_WITH_DATAFLOW
DFI_API char DFI_NEED_DATAFLOW[1] = { 0 };
#endif
#if DFI_WITH_MORE
DFI_API char DFI_NEED_MORE[1] = { 0 };
#endif
#if DFI_WITH_OBSERVERS
DFI_API char DFI_NEED_OBSERVERS[1] = { 0 };
#endif
#if DF_CHECK
DFI_API char DFI_NEED_CHECK[1] = { 0 };
#endif
DFI_EXTERN_C_END

#endif
