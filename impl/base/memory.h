/* memory.h - memory allocation */
#ifndef DFI_BASE_MEMORY_H
#define DFI_BASE_MEMORY_H

#include "compiler.h"

#include <stdlib.h>

/* A program may replace these in the implementation file. */
#ifndef DF_MALLOC
#define DF_MALLOC(bytes) malloc(bytes)
#define DF_FREE(p) free(p)
#define DFI_ZEROED(bytes) calloc(1, bytes) /* pages that are never written stay unmapped */
#endif

DFI_UNUSED static void *dfi_malloc(size_t bytes) { return DF_MALLOC(bytes); }
DFI_UNUSED static void dfi_mfree(void *p) { DF_FREE(p); }
DFI_UNUSED static void *dfi_zeroed(size_t bytes)
{
#if defined(DFI_ZEROED)
    return DFI_ZEROED(bytes);
#else
    void *p = dfi_malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
#endif
}

/* Rounds p up to a multiple of 64, which suits any type, vectors included. */
DFI_UNUSED static char *dfi_align(void *p) { return (char *)p + (0 - (uintptr_t)p) % 64; }

#endif
