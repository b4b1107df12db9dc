/* tables.h - addresses that files of a program share, and the texts of errors */
#ifndef DFI_WORK_TABLES_H
#define DFI_WORK_TABLES_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../api/result.h"
#include "../api/task.h"

/* The text of an error of an upper floor; NULL: it has none of that number. */
DFI_UPCALL(const char *, dfi_up_error_text, (df_result r));

DFI_EXTERN_C_BEGIN
DFI_API char DFI_NEED[1] = { 0 };
DFI_API char dfi_keys[dfi_key_end] = { 0 };

DFI_API const char *df_error_text(df_result r)
{
    const char *text = NULL;
    if (r == DF_OK) return "no error";
    if (r == DF_ERROR_MEMORY) return "out of memory: nothing was started";
    if (r == DF_ERROR_STARTED)
        return "df is running already: call df_start before any other construct, or after df_stop";
    if (r == DF_ERROR_ABORTED) return "the atomic block was left by df_abort, without effect";
    if (dfi_up_error_text) text = dfi_up_error_text(r);
    return text ? text : "not an error code of df";
}
DFI_EXTERN_C_END

#endif
