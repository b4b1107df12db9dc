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
#if DFI_WITH_LOOPS
DFI_API char DFI_NEED_LOOPS[1] = { 0 };
#endif
#if DFI_WITH_PIPES
DFI_API char DFI_NEED_PIPES[1] = { 0 };
#endif
#if DFI_WITH_BLOCKING
DFI_API char DFI_NEED_BLOCKING[1] = { 0 };
#endif
#if DFI_WITH_TASKGRAPH
DFI_API char DFI_NEED_TASKGRAPH[1] = { 0 };
#endif
#if DFI_WITH_SPECULATION
DFI_API char DFI_NEED_SPECULATION[1] = { 0 };
#endif
#if DFI_WITH_STREAMS
DFI_API char DFI_NEED_STREAMS[1] = { 0 };
#endif
#if DFI_WITH_WEAK
DFI_API char DFI_NEED_WEAK[1] = { 0 };
#endif
#if DFI_WITH_REDUCTION
DFI_API char DFI_NEED_REDUCTION[1] = { 0 };
#endif
#if DFI_WITH_LIMITS
DFI_API char DFI_NEED_LIMITS[1] = { 0 };
#endif
#if DFI_WITH_TOKENS
DFI_API char DFI_NEED_TOKENS[1] = { 0 };
#endif
#if DFI_WITH_ERRORS
DFI_API char DFI_NEED_ERRORS[1] = { 0 };
#endif
#if DFI_WITH_STORAGE
DFI_API char DFI_NEED_STORAGE[1] = { 0 };
#endif
#if DF_CHECK
DFI_API char DFI_NEED_CHECK[1] = { 0 };
#endif
#if DFI_WITH_OBSERVE
DFI_API char DFI_NEED_OBSERVE[1] = { 0 };
#endif
DFI_EXTERN_C_END

#endif
