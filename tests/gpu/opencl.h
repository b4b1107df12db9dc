/* opencl.h - what the tests of the driver for OpenCL have in common: devices, and a launch without the engine */
#ifndef TEST_OPENCL_H
#define TEST_OPENCL_H

#include <stdlib.h>
#include <string.h>
#include "../test.h"

int setenv(const char *name, const char *value, int overwrite); /* of POSIX, which -std=c11 hides */
int unsetenv(const char *name);

#if TEST_ASAN
/* PoCL 3.1 never frees the pass manager of LLVM that it makes for its first kernel: C++, as nothing of df. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libstdc++\nleak:libLLVM\nleak:libpocl\n"; }
#endif

enum { SKIPPED = 77, MOST_DEVICES = 8 };
static struct dfi_gpu gpu[MOST_DEVICES];
static int n_gpus;

/* Three devices of PoCL, unless the environment says otherwise; those of other platforms come as they are. */
static void open_all(void)
{
    int i, n;
    setenv("POCL_DEVICES", "pthread pthread pthread", 0);
    n = dfi_opencl_driver.count();
    if (n == 0) {
        fprintf(stderr, "no device of OpenCL\n");
        exit(SKIPPED);
    }
    for (i = 0; i < n && n_gpus < MOST_DEVICES; i++) {
        gpu[n_gpus].driver = &dfi_opencl_driver;
        gpu[n_gpus].index = n_gpus;
        CHECK(dfi_opencl_driver.open(&gpu[n_gpus], i) == DF_OK);
        n_gpus++;
    }
}

static void close_all(void)
{
    while (n_gpus) dfi_opencl_driver.close(&gpu[--n_gpus]);
}

static struct dfi_box line_of(size_t bytes)
{
    struct dfi_box b = { bytes, 1, bytes, bytes };
    return b;
}

/* Waits for all that is in queue q. */
static df_result finish(struct dfi_gpu *d, int q) { return d->driver->sync(d, q, dfi_load_relaxed(&d->issued[q])); }

/* The kernel for groups of this size; it must compile. */
static struct dfi_built *built_for(struct dfi_gpu *d, struct dfi_kernel *k, const int *group)
{
    static char log[8192];
    struct dfi_built *b = (struct dfi_built *)calloc(1, sizeof *b);
    CHECK(b != NULL);
    b->device = d->index;
    b->max_group = d->info.max_group;
    if (dfi_kernel_wants_block(k)) memcpy(b->block, group, sizeof b->block);
    b->result = d->driver->build(d, k, b, log, sizeof log);
    if (b->result) fprintf(stderr, "%s\n", log);
    CHECK(b->result == DF_OK);
    return b;
}

#endif
