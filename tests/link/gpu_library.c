/* gpu_library.c - a program that loads a library with a kernel (gpu_part.c), launches it and unloads it, again and
 * again, on simulated devices that outlive it. Argument: the library. Returns 0 or prints the mistake. Built with
 * -rdynamic. */
#define _POSIX_C_SOURCE 200809L
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"
#include "gpu_part.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int x[100];

int main(int argc, char **argv)
{
    int i;
    (void)argc;
    setenv("DF_GPU", "sim", 1);
    setenv("DF_GPU_SIM", "2:64K", 1);
    for (i = 0; i < 100; i++) x[i] = 1;
    for (i = 0; i < 4; i++) {
        void (*launch)(int *, int);
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL),
            *symbol = library ? dlsym(library, "part_double") : NULL;
        if (!symbol) return printf("%s\n", dlerror()), 1;
        memcpy(&launch, &symbol, sizeof launch); /* ISO C has no cast from an object to a function pointer */
        launch(x, 100);
        df_wait();
        if (dlclose(library)) return printf("dlclose\n"), 1;
        if (i % 2) df_stop(); /* what was compiled belongs to a library that is gone */
    }
    df_stop();
    return x[7] == 16 ? 0 : (printf("%d\n", x[7]), 1);
}
