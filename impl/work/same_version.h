/* same_version.h - df_version, and a message if implementations of two versions come together in a process
 *
 * A file that includes df.h and the implementation have one version, because the linker sees to it (DFI_OF_VERSION).
 * Two implementations may have two: all their functions are weak, so the copies of one replace those of the other. */
#ifndef DFI_WORK_SAME_VERSION_H
#define DFI_WORK_SAME_VERSION_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/parts.h"
#include "../api/public.h"

DFI_EXTERN_C_BEGIN
DFI_API int df_version(void) { return DF_VERSION; }
DFI_EXTERN_C_END

#if DFI_GNU && !DFI_OWN_POOL /* a build with a pool of its own calls no function of another library */
DFI_SMALL_CODE_BEGIN
static DFI_COLD __attribute__((constructor)) void dfi_compare_versions(void)
{
    int v = df_version(); /* that of the copy which this program uses */
    if (v != DF_VERSION)
        dfi_error("this process contains df %s and uses the functions of df %d.%d.%d: results may be wrong; compile "
                  "the program and all its libraries with the same version",
                  DF_VERSION_STRING, v / 10000, v / 100 % 100, v % 100);
}
DFI_SMALL_CODE_END
#endif

#endif
