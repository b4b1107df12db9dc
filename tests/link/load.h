/* load.h - the shared library that a program of these tests loads, and the functions that it finds there */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int failed;
#define CHECK(c) do { if (!(c)) failed = 1, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #c); } while (0)

#ifdef LINKED
#define FIND(function, name) (function = name, 0)
static int load(const char *file) { return file == NULL; }
static void close_library(void) { }
#else
static void *library;
/* Nonzero: the function is not found. pointer: the address of a pointer to a function. */
static int find(void *pointer, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) printf("%s\n", dlerror());
    memcpy(pointer, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function pointer */
    return !symbol;
}
#define FIND(function, name) find(&function, #name)
static int load(const char *file)
{
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("%s\n", dlerror());
    return !library;
}
static void close_library(void) { CHECK(dlclose(library) == 0); }
#endif
