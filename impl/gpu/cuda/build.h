/* build.h - compilation of kernels for CUDA, from their text to a function of the device
 *
 * NVRTC compiles the text to machine code of the device. If NVRTC is older than the device it compiles to PTX, which
 * the driver compiles. */
#ifndef DFI_GPU_CUDA_BUILD_H
#define DFI_GPU_CUDA_BUILD_H

#include "../../base/atomic.h"
#include "../../base/memory.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "api.h"
#include "queue.h"
#include "../driver.h"
#include "../kernel/cache.h"
#include "../kernel/prelude.h"
#include "../kernel/text.h"

#if defined(DF_USE_CUDA)

/* The target of a compilation by NVRTC. */
struct dfi_cuda_target { int arch, is_ptx; };

/* Machine code if NVRTC knows the device, otherwise PTX for the latest before it. Nonzero: NVRTC knows none of them. */
static int dfi_cuda_target_of(const struct dfi_cuda_device *u, struct dfi_cuda_target *t)
{
    int i;
    t->arch = 0, t->is_ptx = 1;
    for (i = 0; i < dfi_cuda.n_archs; i++)
        if (dfi_cuda.archs[i] <= u->arch && dfi_cuda.archs[i] > t->arch) t->arch = dfi_cuda.archs[i];
    t->is_ptx = t->arch != u->arch;
    return !t->arch;
}

/* The log of the compiler. */
static void dfi_cuda_words(void *program, char *log, size_t log_bytes)
{
    size_t bytes = 0;
    char *words;
    if (dfi_cuda.rtc.words_size(program, &bytes) || bytes < 2 || !(words = (char *)dfi_malloc(bytes))) return;
    if (!dfi_cuda.rtc.words(program, words)) dfi_compiler_log(log, log_bytes, words, bytes);
    dfi_mfree(words);
}

/* NVRTC failed; the log says how. */
static df_result dfi_nvrtc_fail(const char *call, int code, char *log, size_t log_bytes)
{
    snprintf(dfi_gpu_error, sizeof dfi_gpu_error, "%s: error %d", call, code);
    if (!*log) snprintf(log, log_bytes, "%s", dfi_gpu_error);
    return DF_ERROR_KERNEL;
}

struct dfi_cuda_options { const char *option[4]; int n; char arch[40]; };
static void dfi_cuda_options_of(const struct dfi_cuda_target *t, struct dfi_cuda_options *o)
{
    snprintf(o->arch, sizeof o->arch, "--gpu-architecture=%s_%d", t->is_ptx ? "compute" : "sm", t->arch);
    o->n = 0;
    o->option[o->n++] = o->arch;
    o->option[o->n++] = "--std=c++14";
    o->option[o->n++] = "--device-as-default-execution-space"; /* for the functions of DF_KERNEL_CODE */
    if (DF_GPU_EXACT) o->option[o->n++] = "--fmad=false";
}

/* From the text to an image for cuModuleLoadData, to be freed by dfi_mfree. name: of the file, where the text says
 * none. */
static df_result dfi_cuda_compile(const char *text, const char *name, const struct dfi_cuda_options *o, int is_ptx,
                                  char **image, size_t *bytes, char *log, size_t log_bytes)
{
    void *program = NULL;
    const char *call;
    int code;
    *image = NULL;
    if ((code = dfi_cuda.rtc.create(&program, text, name, 0, NULL, NULL)) != 0)
        return dfi_nvrtc_fail("nvrtcCreateProgram", code, log, log_bytes);
    call = "nvrtcCompileProgram";
    if ((code = dfi_cuda.rtc.compile(program, o->n, o->option)) != 0) dfi_cuda_words(program, log, log_bytes);
    else {
        call = is_ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize";
        code = is_ptx ? dfi_cuda.rtc.ptx_size(program, bytes) : dfi_cuda.rtc.cubin_size(program, bytes);
    }
    if (!code && (*image = (char *)dfi_malloc(*bytes ? *bytes : 1)) != NULL) {
        call = is_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
        code = is_ptx ? dfi_cuda.rtc.ptx(program, *image) : dfi_cuda.rtc.cubin(program, *image);
    }
    dfi_cuda.rtc.destroy(&program);
    if (code) {
        dfi_mfree(*image);
        *image = NULL;
        return dfi_nvrtc_fail(call, code, log, log_bytes);
    }
    return *image ? DF_OK : DF_ERROR_MEMORY;
}

/* Loads an image: b's function and its limits. pre: entered. */
static df_result dfi_cuda_load_image(struct dfi_gpu *d, const struct dfi_kernel *k, struct dfi_built *b,
                                     const char *image)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    struct dfi_cuda_module *m = (struct dfi_cuda_module *)dfi_malloc(sizeof *m);
    char symbol[256];
    int shared = 0, spilled = 0;
    const struct { int attribute, *value; } row[] = {
        { DFI_CUDA_FUNCTION_THREADS, &b->max_group }, { DFI_CUDA_FUNCTION_REGISTERS, &b->registers },
        { DFI_CUDA_FUNCTION_SHARED, &shared }, { DFI_CUDA_FUNCTION_LOCAL, &spilled }
    };
    size_t i;
    df_result r;
    if (!m) return DF_ERROR_MEMORY;
    m->module = NULL;
    if ((r = dfi_cuda_check(d, "cuModuleLoadData",
                            dfi_cuda.cu.module_load(&m->module, (const void *)image))) != DF_OK) {
        dfi_mfree(m);
        return r;
    }
    m->next = u->modules, u->modules = m;
    dfi_kernel_symbol(k, symbol, sizeof symbol);
    if ((r = dfi_cuda_check(d, "cuModuleGetFunction",
                            dfi_cuda.cu.module_function(&b->handle, m->module, symbol))) != DF_OK) return r;
    for (i = 0; i < sizeof row / sizeof *row; i++)
        if ((r = dfi_cuda_check(d, "cuFuncGetAttribute",
                                dfi_cuda.cu.function_attribute(row[i].value, row[i].attribute, b->handle))) != DF_OK)
            return r;
    b->shared = (size_t)shared, b->spilled = (size_t)spilled;
    return DF_OK;
}

/* b's function from an image, which is freed. */
static df_result dfi_cuda_use_image(struct dfi_gpu *d, const struct dfi_kernel *k, struct dfi_built *b, char *image)
{
    df_result r = dfi_cuda_enter(d);
    if (!r) {
        r = dfi_cuda_load_image(d, k, b, image);
        dfi_cuda_leave();
    }
    dfi_mfree(image);
    return r;
}

/* b's function from a text: the image is on the disk, or is compiled and put there. */
static df_result dfi_cuda_build_text(struct dfi_gpu *d, const struct dfi_kernel *k, struct dfi_built *b,
                                     const char *text, const struct dfi_cuda_target *t, char *log, size_t log_bytes)
{
    struct dfi_cuda_options o;
    struct dfi_cache_key key;
    size_t bytes = 0;
    char version[32], *image;
    df_result r;
    int i;
    dfi_cuda_options_of(t, &o);
    snprintf(version, sizeof version, "NVRTC %d.%d", dfi_cuda.rtc_version[0], dfi_cuda.rtc_version[1]);
    dfi_cache_begin(&key);
    dfi_cache_add(&key, version);
    for (i = 0; i < o.n; i++) dfi_cache_add(&key, o.option[i]);
    dfi_cache_add(&key, text);
    if ((image = (char *)dfi_cache_get(&key, &bytes)) != NULL) {
        r = dfi_cuda_use_image(d, k, b, image);
        if (!r || dfi_load_acquire(&dfi_cuda_of(d)->lost)) return r;
        /* this driver does not want it: made again */
    }
    if ((r = dfi_cuda_compile(text, k->file, &o, t->is_ptx, &image, &bytes, log, log_bytes)) != DF_OK) return r;
    dfi_cache_put(&key, (const void *)image, bytes);
    return dfi_cuda_use_image(d, k, b, image);
}

static df_result dfi_cuda_build(struct dfi_gpu *d, struct dfi_kernel *k, struct dfi_built *b, char *log,
                                size_t log_bytes)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d);
    struct dfi_cuda_target t;
    char *text;
    df_result r;
    *log = 0;
    if (dfi_cuda_target_of(u, &t)) {
        snprintf(log, log_bytes, "NVRTC %d.%d does not compile for devices of compute capability %d.%d",
                 dfi_cuda.rtc_version[0], dfi_cuda.rtc_version[1], u->arch / 10, u->arch % 10);
        return DF_ERROR_KERNEL;
    }
    if (!(text = dfi_kernel_text(k, DFI_CUDA_C, b->block[0] ? b->block : NULL, log, log_bytes)))
        return *log ? DF_ERROR_KERNEL : DF_ERROR_MEMORY;
    r = dfi_cuda_build_text(d, k, b, text, &t, log, log_bytes);
    dfi_mfree(text);
    if (r != DF_ERROR_DEVICE || dfi_load_acquire(&u->lost)) return r;
    snprintf(log, log_bytes, "%s", dfi_gpu_error); /* the driver refuses what the compiler made of this kernel */
    return DF_ERROR_KERNEL;
}

#endif

#endif
