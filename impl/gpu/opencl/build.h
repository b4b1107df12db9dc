/* build.h - compilation of kernels for OpenCL, by the device's compiler or from the cache */
#ifndef DFI_GPU_OPENCL_BUILD_H
#define DFI_GPU_OPENCL_BUILD_H

#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../driver.h"
#include "../kernel/cache.h"
#include "../kernel/prelude.h"
#include "../kernel/text.h"
#include "api.h"
#include "queue.h"

#include <limits.h>

#if defined(DF_USE_OPENCL)

static const char *dfi_cl_options(const struct dfi_cl_device *v)
{
    if (DF_GPU_EXACT && DFI_CL_ASK(uint64_t, v->id, DFI_CL_DEVICE_SINGLE) & DFI_CL_CORRECTLY_ROUNDED)
        return "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
    return "-w -cl-std=CL1.2";
}

static void dfi_cl_key(const struct dfi_cl_device *v, const char *text, struct dfi_cache_key *k)
{
    static const unsigned about[] = { DFI_CL_DEVICE_NAME, DFI_CL_DEVICE_VERSION, DFI_CL_DRIVER_VERSION };
    char words[256];
    size_t i;
    dfi_cache_begin(k);
    dfi_cache_add(k, "OpenCL");
    dfi_cache_add(k, text);
    dfi_cache_add(k, dfi_cl_options(v));
    for (i = 0; i < sizeof about / sizeof *about; i++) {
        dfi_cl_ask_text(v->id, about[i], words, sizeof words);
        dfi_cache_add(k, words);
    }
}

/* A program that is compiled already; NULL: there is none that the device takes. */
static void *dfi_cl_program_kept(const struct dfi_cl_device *v, const struct dfi_cache_key *k)
{
    size_t bytes;
    unsigned char *binary = (unsigned char *)dfi_cache_get(k, &bytes);
    const unsigned char *binaries[1];
    int status = DFI_CL_OK, code;
    void *program;
    if (!binary) return NULL;
    binaries[0] = binary;
    program = dfi_cl.CreateProgramWithBinary(v->context, 1, &v->id, &bytes, binaries, &status, &code);
    dfi_mfree(binary);
    if (program && (code || status || dfi_cl.BuildProgram(program, 1, &v->id, dfi_cl_options(v), NULL, NULL))) {
        dfi_cl.ReleaseProgram(program);
        program = NULL;
    }
    return program;
}

/* pre: the program was made for this device alone: it has one binary. */
static void dfi_cl_program_keep(void *program, const struct dfi_cache_key *k)
{
    size_t bytes = 0;
    unsigned char *binary;
    if (!dfi_cache_folder() ||
        dfi_cl.GetProgramInfo(program, DFI_CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes ||
        !(binary = (unsigned char *)dfi_malloc(bytes))) return;
    if (!dfi_cl.GetProgramInfo(program, DFI_CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL))
        dfi_cache_put(k, binary, bytes);
    dfi_mfree(binary);
}

/* The log of the compiler; if there is none, the error of the call. */
static void dfi_cl_build_log(const struct dfi_cl_device *v, void *program, char *log, size_t room)
{
    size_t bytes = 0;
    char *all;
    snprintf(log, room, "%s", dfi_gpu_error);
    if (dfi_cl.GetProgramBuildInfo(program, v->id, DFI_CL_BUILD_LOG, 0, NULL, &bytes) || bytes < 2 ||
        !(all = (char *)dfi_malloc(bytes))) return;
    if (!dfi_cl.GetProgramBuildInfo(program, v->id, DFI_CL_BUILD_LOG, bytes, all, NULL) && *all)
        dfi_compiler_log(log, room, all, bytes);
    dfi_mfree(all);
}

/* The program of a text; NULL: the log says why. */
static void *dfi_cl_program(const struct dfi_cl_device *v, const char *text, char *log, size_t room)
{
    struct dfi_cache_key key;
    void *program;
    int code;
    dfi_cl_key(v, text, &key);
    if ((program = dfi_cl_program_kept(v, &key)) != NULL) return program;
    program = dfi_cl.CreateProgramWithSource(v->context, 1, &text, NULL, &code);
    if (!program) {
        dfi_cl_fail("clCreateProgramWithSource", code);
        snprintf(log, room, "%s", dfi_gpu_error);
        return NULL;
    }
    if ((code = dfi_cl.BuildProgram(program, 1, &v->id, dfi_cl_options(v), NULL, NULL)) != 0) {
        dfi_cl_fail("clBuildProgram", code);
        dfi_cl_build_log(v, program, log, room);
        dfi_cl.ReleaseProgram(program);
        return NULL;
    }
    dfi_cl_program_keep(program, &key);
    return program;
}

static void dfi_cl_limits(const struct dfi_cl_device *v, void *kernel, struct dfi_built *b)
{
    size_t group = 0;
    uint64_t local = 0, own = 0;
    if (!dfi_cl.GetKernelWorkGroupInfo(kernel, v->id, DFI_CL_KERNEL_GROUP, sizeof group, &group, NULL) && group)
        b->max_group = group > INT_MAX ? INT_MAX : (int)group;
    if (!dfi_cl.GetKernelWorkGroupInfo(kernel, v->id, DFI_CL_KERNEL_LOCAL, sizeof local, &local, NULL))
        b->shared = (size_t)local;
    if (!dfi_cl.GetKernelWorkGroupInfo(kernel, v->id, DFI_CL_KERNEL_PRIVATE, sizeof own, &own, NULL))
        b->spilled = (size_t)own;
}

static df_result dfi_cl_build(struct dfi_gpu *d, struct dfi_kernel *k, struct dfi_built *b, char *log, size_t room)
{
    static const struct dfi_os_mutex open = DFI_OS_MUTEX_INIT;
    struct dfi_cl_device *v = dfi_cl_of(d);
    struct dfi_cl_kernel *built = (struct dfi_cl_kernel *)dfi_malloc(sizeof *built);
    char symbol[256], *text = NULL;
    int code = DFI_CL_OK;
    if (!built || !(text = dfi_kernel_text(k, DFI_OPENCL_C, b->block[0] ? b->block : NULL, log, room))) {
        dfi_mfree(built);
        if (built && *log) return DF_ERROR_KERNEL;
        snprintf(log, room, "no memory for the text of the kernel");
        return DF_ERROR_MEMORY;
    }
    built->lock = open;
    built->kernel = NULL;
    built->program = dfi_cl_program(v, text, log, room);
    if (built->program) {
        dfi_kernel_symbol(k, symbol, sizeof symbol);
        if (!(built->kernel = dfi_cl.CreateKernel(built->program, symbol, &code))) {
            dfi_cl_fail("clCreateKernel", code);
            snprintf(log, room, "%s", dfi_gpu_error);
            dfi_cl.ReleaseProgram(built->program);
        }
    }
    dfi_mfree(text);
    if (!built->kernel) {
        dfi_mfree(built);
        return DF_ERROR_KERNEL;
    }
    dfi_cl_limits(v, built->kernel, b);
    built->next = v->kernels, v->kernels = built;
    b->handle = (void *)built;
    return DF_OK;
}

#endif

#endif
