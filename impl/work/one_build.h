/* one_build.h - df_version, and a message if implementations with different parts come together in a program
 *
 * All functions are weak: of two implementations with the same names (base/names.h) in one executable or library, the
 * linker takes the first. With different parts (base/parts.h) they have different records, and functions that only one
 * of them defines would be mixed with those of the other. */
#ifndef DFI_WORK_ONE_BUILD_H
#define DFI_WORK_ONE_BUILD_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/parts.h"
#include "../api/version.h"

DFI_EXTERN_C_BEGIN
DFI_API int df_version(void) { return DF_VERSION; }
DFI_API int df_abi(void) { return DF_ABI; }
DFI_API int dfi_build_parts(void);
DFI_API int dfi_build_parts(void) { return DFI_PARTS; }
DFI_EXTERN_C_END

#if DFI_GNU
DFI_SMALL_CODE_BEGIN
static DFI_COLD __attribute__((constructor)) void dfi_compare_parts(void)
{
    if (dfi_build_parts() != DFI_PARTS) /* that of the implementation which this one calls */
        dfi_error("files of this program have DF_IMPLEMENTATION with different parts, and the linker mixed them: "
                  "results may be wrong; choose the same parts, or define DF_COPY in all files that use one of them");
}
DFI_SMALL_CODE_END
#endif

#endif
