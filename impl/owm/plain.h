/* plain.h - df_owm_alloc and df_owm_free where ownership is not recorded */
#ifndef DFI_OWM_PLAIN_H
#define DFI_OWM_PLAIN_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/result.h"
#include "../../df_owm.h"

#define DFI_MESSAGE_OWM_NO_MEMORY "%s: df_owm_alloc: no memory for %lu bytes%s: the call returns NULL"

#if !DFI_OWM_CALLS

enum { DFI_OWM_ALIGN = 64 }; /* a cache line: parts of tasks do not share one by accident; enough for any type */

DFI_EXTERN_C_BEGIN
DFI_API char DFI_OWM_NEED[1] = { 0 };

DFI_API void *dfi_owm_alloc(size_t bytes, const char *site)
{
    void *memory = bytes <= SIZE_MAX - 2 * DFI_OWM_ALIGN ? dfi_malloc(bytes + 2 * DFI_OWM_ALIGN) : NULL;
    char *p;
    if (!memory) {
        dfi_warn(DFI_MESSAGE_OWM_NO_MEMORY, site, (unsigned long)bytes, "");
        return NULL;
    }
    p = (char *)memory + (2 * DFI_OWM_ALIGN - (uintptr_t)memory % DFI_OWM_ALIGN);
    memcpy(p - sizeof memory, (void *)&memory, sizeof memory);
    return memset(p, 0, bytes);
}

DFI_API void dfi_owm_free(void *p, const char *site)
{
    void *memory;
    (void)site;
    if (!p) return;
    memcpy((void *)&memory, (char *)p - sizeof memory, sizeof memory);
    dfi_mfree(memory);
}

DFI_API df_result df_owm_owner(const void *p, df_owm_ownership *ownership)
{
    (void)p;
    memset((void *)ownership, 0, sizeof *ownership);
    return DF_OK;
}
DFI_EXTERN_C_END

#endif

#endif
