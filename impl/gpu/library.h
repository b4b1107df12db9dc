/* library.h - the shared library of a driver: loading it, and a table of its functions */
#ifndef DFI_GPU_LIBRARY_H
#define DFI_GPU_LIBRARY_H

#include "../base/compiler.h"
#include "../base/env.h"
#include "../os/os.h"

#if defined(DF_USE_CUDA) || defined(DF_USE_OPENCL)

#if DFI_UNIX && !defined(DF_SERIAL)
#include <dlfcn.h>
static void *dfi_library_open(const char *name) { return dfi_may_load() ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL; }
static DFI_UNUSED void dfi_library_close(void *library) { dlclose(library); }
static void *dfi_library_symbol(void *library, const char *name) { return dlsym(library, name); }
#else /* not supported */
static void *dfi_library_open(const char *name) { (void)name; return NULL; }
static DFI_UNUSED void dfi_library_close(void *library) { (void)library; }
static void *dfi_library_symbol(void *library, const char *name) { (void)library, (void)name; return NULL; }
#endif

/* Fills a table of n functions, in the order of its members. NULL, or the symbol that the library lacks. */
static const char *dfi_library_find(void *library, const char *const *symbols, size_t n, void *table)
{
    size_t i;
    for (i = 0; i < n; i++) {
        void *f = dfi_library_symbol(library, symbols[i]);
        if (!f) return symbols[i];
        /* a copy: ISO C has no conversion from an object pointer to a function pointer */
        memcpy((char *)table + i * sizeof f, (const void *)&f, sizeof f);
    }
    return NULL;
}

#endif

#endif
