/* serial.h - df_mpi.h with DF_SERIAL: rank 0 of 1 */
#ifndef DFI_MPI_SERIAL_H
#define DFI_MPI_SERIAL_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/config.h"
#include "../api/error.h"
#include "../api/shared.h"
#include "../api/wait.h"
#include "shape.h"

DFI_SMALL_CODE_BEGIN

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_mpi_start(const df_config *config) { return df_start(config); }
DFI_API int df_rank(void) { return 0; }
DFI_API int df_ranks(void) { return 1; }
DFI_API int df_home(const void *p) { return (void)p, 0; }
DFI_API void *dfi_shared_alloc(size_t element, const char *site, const df_shared_desc *d)
{
    struct dfi_shared a;
    void *p = NULL;
    const char *wrong;
    memset((void *)&a, 0, sizeof a);
    wrong = dfi_shared_make(&a, element, d, 1);
    if (!wrong && !(p = dfi_zeroed(dfi_shared_size(&a)))) wrong = "memory is lacking";
    if (wrong) dfi_error(DFI_MESSAGE_SHARED, site, wrong);
    dfi_mfree((void *)a.tile);
    return p;
}
DFI_API void dfi_fetch(const void *p, size_t bytes, const char *site) { (void)site, df_wait_on(p, bytes); }
DFI_API df_result dfi_mpi_wait(const char *site) { return (void)site, df_wait_result(); }
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
