/* memory.h - where memory comes from */
#ifndef DFI_BASE_MEMORY_H
#define DFI_BASE_MEMORY_H

#include "compiler.h"

#include <stdlib.h>

/* Replaceable, implementation file only. */
#ifndef DF_MALLOC
#define DF_MALLOC(bytes) malloc(bytes)
#define DF_FREE(p) free(p)
#endif

DFI_UNUSED static void *dfi_malloc(size_t bytes) { return DF_MALLOC(bytes); }
DFI_UNUSED static void dfi_mfree(void *p) { DF_FREE(p); }

#endif
