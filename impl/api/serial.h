/* serial.h - serial elision: under DF_SERIAL df_spawn is the call, and df_sync returns its result */
#ifndef DFI_API_SERIAL_H
#define DFI_API_SERIAL_H

#include "../base/compiler.h"
#include "throw.h"

#if defined(DF_SERIAL)
#define DFI_TASK_FORK(R, v, name, body, n, ...)                                                    \
    DFI_UNUSED static void name##_spawn(name##_future *dfi_f DFI_EACH_##n(DFI_MORE, __VA_ARGS__))  \
    {                                                                                              \
        DFI_FUTURE_SPAWNED(name, dfi_f)                                                            \
        (void)dfi_f;                                                                               \
        DFI_TRY                                                                                    \
        DFI_IF_R(v)(dfi_f->dfi_result =) body(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                \
        DFI_CATCH_SPAWN                                                                            \
    }                                                                                              \
    DFI_UNUSED static R name##_sync(name##_future *dfi_f)                                          \
    {                                                                                              \
        DFI_FUTURE_SYNCED(dfi_f)                                                                   \
        (void)dfi_f;                                                                               \
        DFI_FUTURE_RETHROW(dfi_f)                                                                  \
        DFI_IF_R(v)(return DFI_MOVED(dfi_f->dfi_result);)                                          \
    }
#endif

#endif
