/* dfi_common_impl.h - what the serial and the parallel implementation share */
#ifndef DFI_COMMON_IMPL_H
#define DFI_COMMON_IMPL_H

#include <stdlib.h>

/* Replaceable, implementation file only. */
#ifndef DF_MALLOC
#define DF_MALLOC(bytes) malloc(bytes)
#define DF_FREE(p) free(p)
#endif

DFI_EXTERN_C_BEGIN
DFI_API char DFI_NEED[1] = { 0 };

DFI_API const char *df_error_text(df_result r)
{
    switch (r) {
    case DF_OK: return "no error";
    case DF_ERROR_MEMORY: return "out of memory: nothing was started";
    case DF_ERROR_STARTED: return "df is running already: call df_start before any other construct, or after df_stop";
    }
    return "not an error code of df";
}
DFI_EXTERN_C_END

#endif
