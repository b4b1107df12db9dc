/* version.h - version, >>version
 *
 *   DF_VERSION_MAJOR, DF_VERSION_MINOR, DF_VERSION_PATCH   the version of this header: integers, for #if
 *   DF_VERSION                     10000 * major + 100 * minor + patch, for #if: 900 for 0.9.0
 *   DF_VERSION_STRING              "0.9.0"
 *   int df_version()               DF_VERSION of the implementation that this program uses
 *   DF_ABI                         the number of the binary interface of libdf.so, for #if
 *   int df_abi()                   DF_ABI of the implementation that this program uses
 *   DF_LIBRARY                     defined before the first include of df: this program uses libdf.so (docs/libdf.md)
 *
 *     All files of a program need the same version; docs/versions.md says what a number promises.
 *     Threads: any. */
#ifndef DFI_API_VERSION_H
#define DFI_API_VERSION_H

#include "../base/compiler.h"

DFI_EXTERN_C_BEGIN
DFI_API int df_version(void);
DFI_API int df_abi(void);
DFI_EXTERN_C_END

#endif
