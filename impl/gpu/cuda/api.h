/* api.h - the functions of libcuda and libnvrtc, loaded at run time
 *
 * They are declared here, so that no header of CUDA is needed: the driver interface of CUDA 11 or later, whose symbols
 * with a version in their name stay the same in later releases, and NVRTC 11 or later. Handles are void *; addresses
 * of device memory are uintptr_t, as wide as CUdeviceptr in a process of 32 and of 64 bits. */
#ifndef DFI_GPU_CUDA_API_H
#define DFI_GPU_CUDA_API_H

#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../library.h"

#if defined(DF_USE_CUDA)

#if defined(_WIN32) && !defined(_WIN64)
#define DFI_CUDA_CALL __stdcall
#else
#define DFI_CUDA_CALL
#endif

/* Codes, flags and numbers of attributes, from cuda.h and nvrtc.h. */
enum {
    DFI_CUDA_OK = 0, DFI_CUDA_INVALID_VALUE = 1, DFI_CUDA_OUT_OF_MEMORY = 2, DFI_CUDA_NOT_INITIALIZED = 3,
    DFI_CUDA_DEINITIALIZED = 4, DFI_CUDA_NO_DEVICE = 100, DFI_CUDA_INVALID_CONTEXT = 201, DFI_CUDA_ECC = 214,
    DFI_CUDA_NVLINK = 220, DFI_CUDA_CONTAINED = 226, DFI_CUDA_NOT_READY = 600, DFI_CUDA_ILLEGAL_ADDRESS = 700,
    DFI_CUDA_OUT_OF_RESOURCES = 701, DFI_CUDA_LAUNCH_TIMEOUT = 702, DFI_CUDA_CONTEXT_DESTROYED = 709,
    DFI_CUDA_ASSERT = 710, DFI_CUDA_STACK_ERROR = 714, DFI_CUDA_LAUNCH_FAILED = 719, DFI_CUDA_TENSOR_MEMORY = 721,
    DFI_CUDA_MPS_NOT_READY = 807, DFI_CUDA_MPS_TERMINATED = 810, DFI_CUDA_UNKNOWN = 999
};
enum {
    DFI_CUDA_STREAM_NON_BLOCKING = 1, DFI_CUDA_EVENT_NO_TIMING = 2,
    DFI_CUDA_HOST_PORTABLE = 1, DFI_CUDA_POINTER_MEMORY_TYPE = 2, DFI_CUDA_POINTER_IS_MANAGED = 8,
    DFI_CUDA_MEMORY_HOST = 1, DFI_CUDA_MEMORY_DEVICE = 2
};
enum {
    DFI_CUDA_MAX_THREADS = 1, DFI_CUDA_MAX_BLOCK_X = 2, DFI_CUDA_MAX_GRID_X = 5, DFI_CUDA_SHARED = 8,
    DFI_CUDA_WARP = 10, DFI_CUDA_MAX_PITCH = 11, DFI_CUDA_REGISTERS = 12, DFI_CUDA_MULTIPROCESSORS = 16,
    DFI_CUDA_MAJOR = 75, DFI_CUDA_MINOR = 76, DFI_CUDA_FUNCTION_THREADS = 0, DFI_CUDA_FUNCTION_SHARED = 1,
    DFI_CUDA_FUNCTION_LOCAL = 3, DFI_CUDA_FUNCTION_REGISTERS = 4
};

/* CUDA_MEMCPY2D_v2 */
struct dfi_cuda_end { size_t x, y; int type; void *host; uintptr_t device; void *array; size_t pitch; };
struct dfi_cuda_box { struct dfi_cuda_end from, to; size_t width, height; };

/* X(member, symbol, parameters); all return 0 or a code. */
#define DFI_CUDA_FUNCTIONS(X)                                                                                       \
    X(init, "cuInit", (unsigned flags))                                                                             \
    X(version, "cuDriverGetVersion", (int *version))                                                                \
    X(error_name, "cuGetErrorName", (int code, const char **name))                                                  \
    X(error_text, "cuGetErrorString", (int code, const char **text))                                                \
    X(device_count, "cuDeviceGetCount", (int *n))                                                                   \
    X(device, "cuDeviceGet", (int *device, int i))                                                                  \
    X(device_name, "cuDeviceGetName", (char *name, int bytes, int device))                                          \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                            \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                     \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                \
    X(context_push, "cuCtxPushCurrent_v2", (void *context))                                                         \
    X(context_pop, "cuCtxPopCurrent_v2", (void **context))                                                          \
    X(context_sync, "cuCtxSynchronize", (void))                                                                     \
    X(can_access_peer, "cuDeviceCanAccessPeer", (int *can, int device, int peer))                                   \
    X(enable_peer, "cuCtxEnablePeerAccess", (void *peer, unsigned flags))                                           \
    X(memory_info, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *total))                                          \
    X(memory_alloc, "cuMemAlloc_v2", (uintptr_t *p, size_t bytes))                                                  \
    X(memory_free, "cuMemFree_v2", (uintptr_t p))                                                                   \
    X(host_alloc, "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags))                                       \
    X(host_free, "cuMemFreeHost", (void *p))                                                                        \
    X(pointer_attribute, "cuPointerGetAttribute", (void *value, int attribute, uintptr_t p))                        \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                             \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream))                                                         \
    X(stream_wait, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))                                \
    X(event_create, "cuEventCreate", (void **event, unsigned flags))                                                \
    X(event_destroy, "cuEventDestroy_v2", (void *event))                                                            \
    X(event_record, "cuEventRecord", (void *event, void *stream))                                                   \
    X(event_query, "cuEventQuery", (void *event))                                                                   \
    X(copy_in, "cuMemcpyHtoDAsync_v2", (uintptr_t to, const void *from, size_t bytes, void *stream))                \
    X(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, uintptr_t from, size_t bytes, void *stream))                     \
    X(copy_on, "cuMemcpyDtoDAsync_v2", (uintptr_t to, uintptr_t from, size_t bytes, void *stream))                  \
    X(copy_box, "cuMemcpy2DAsync_v2", (const struct dfi_cuda_box *box, void *stream))                               \
    X(copy_peer, "cuMemcpyPeerAsync",                                                                               \
      (uintptr_t to, void *to_context, uintptr_t from, void *from_context, size_t bytes, void *stream))             \
    X(module_load, "cuModuleLoadData", (void **module, const void *image))                                          \
    X(module_unload, "cuModuleUnload", (void *module))                                                              \
    X(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))                    \
    X(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))                        \
    X(launch, "cuLaunchKernel",                                                                                     \
      (void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned group_x, unsigned group_y, \
       unsigned group_z, unsigned shared, void *stream, void **parameters, void **extra))
#define DFI_NVRTC_FUNCTIONS(X)                                                                \
    X(version, "nvrtcVersion", (int *major, int *minor))                                      \
    X(create, "nvrtcCreateProgram",                                                           \
      (void **program, const char *text, const char *name, int n, const char *const *headers, \
       const char *const *names))                                                             \
    X(destroy, "nvrtcDestroyProgram", (void **program))                                       \
    X(compile, "nvrtcCompileProgram", (void *program, int n, const char *const *options))     \
    X(words_size, "nvrtcGetProgramLogSize", (void *program, size_t *bytes))                   \
    X(words, "nvrtcGetProgramLog", (void *program, char *words))                              \
    X(ptx_size, "nvrtcGetPTXSize", (void *program, size_t *bytes))                            \
    X(ptx, "nvrtcGetPTX", (void *program, char *ptx))                                         \
    X(cubin_size, "nvrtcGetCUBINSize", (void *program, size_t *bytes))                        \
    X(cubin, "nvrtcGetCUBIN", (void *program, char *cubin))                                   \
    X(n_archs, "nvrtcGetNumSupportedArchs", (int *n))                                         \
    X(archs, "nvrtcGetSupportedArchs", (int *archs))

enum { DFI_CUDA_ARCHS = 64 }; /* NVRTC 13.0 has 12; as many as it may have */
#define DFI_CUDA_MEMBER(member, symbol, parameters) int (DFI_CUDA_CALL *member) parameters;
struct dfi_cuda_api { DFI_CUDA_FUNCTIONS(DFI_CUDA_MEMBER) };
struct dfi_nvrtc_api { DFI_NVRTC_FUNCTIONS(DFI_CUDA_MEMBER) };

/* Written by `count` alone, before anything else is called. */
static struct {
    void *library, *compiler;
    struct dfi_cuda_api cu;
    struct dfi_nvrtc_api rtc;
    int rtc_version[2];
    int n_archs, archs[DFI_CUDA_ARCHS];  /* compute capabilities that NVRTC compiles for, as 90 for 9.0 */
} dfi_cuda;

/* --- loading -------------------------------------------------------------------------------------- */

#define DFI_CUDA_SYMBOL(member, symbol, parameters) symbol,
static const char *dfi_cuda_find_driver(void *library)
{
    static const char *const symbol[] = { DFI_CUDA_FUNCTIONS(DFI_CUDA_SYMBOL) };
    DFI_STATIC_ASSERT(sizeof dfi_cuda.cu == sizeof symbol, "a function pointer is as large as an object pointer");
    return dfi_library_find(library, symbol, sizeof symbol / sizeof *symbol, (void *)&dfi_cuda.cu);
}
static const char *dfi_cuda_find_compiler(void *library)
{
    static const char *const symbol[] = { DFI_NVRTC_FUNCTIONS(DFI_CUDA_SYMBOL) };
    return dfi_library_find(library, symbol, sizeof symbol / sizeof *symbol, (void *)&dfi_cuda.rtc);
}

/* "cuXxx: NAME (number): description". call: without the version that is in the symbol. */
static void dfi_cuda_say(char *text, size_t bytes, const char *call, int code)
{
    const char *name = NULL, *words = NULL;
    if (dfi_cuda.cu.error_name(code, &name) || !name) name = "error";
    if (dfi_cuda.cu.error_text(code, &words) || !words) words = "no description";
    snprintf(text, bytes, "%s: %s (%d): %s", call, name, code, words);
}

/* The driver: dfi_cuda.library and .cu. 0, or -1: not used; `why` is empty when there is nothing to say about it. */
static int dfi_cuda_load_driver(int *n, int *version, char *why, size_t bytes)
{
    const char *named = dfi_env("DF_CUDA_LIBRARY"), *name = named && *named ? named : "libcuda.so.1", *missing, *call;
    int code;
    if (!dfi_may_load()) return -1;
    if (!(dfi_cuda.library = dfi_library_open(name))) {
        if (named && *named) snprintf(why, bytes, "DF_CUDA_LIBRARY='%s' cannot be loaded", name);
        return -1;
    }
    if ((missing = dfi_cuda_find_driver(dfi_cuda.library)) != NULL) {
        snprintf(why, bytes, "%s has no %s: CUDA 11 or later is needed", name, missing);
        return -1;
    }
    if ((code = dfi_cuda.cu.init(0)) != 0) call = "cuInit";
    else if ((code = dfi_cuda.cu.version(version)) != 0) call = "cuDriverGetVersion";
    else if ((code = dfi_cuda.cu.device_count(n)) != 0) call = "cuDeviceGetCount";
    else return 0;
    if (code != DFI_CUDA_NO_DEVICE) dfi_cuda_say(why, bytes, call, code);
    return -1;
}

/* NVRTC from a library with that name: dfi_cuda.compiler and the rest. 0, or -1: `why` says why not. */
static int dfi_cuda_load_compiler_named(const char *name, char *why, size_t bytes)
{
    const char *missing;
    int code = 0;
    if (!(dfi_cuda.compiler = dfi_library_open(name))) {
        snprintf(why, bytes, "%s cannot be loaded", name);
        return -1;
    }
    if ((missing = dfi_cuda_find_compiler(dfi_cuda.compiler)) != NULL)
        snprintf(why, bytes, "%s has no %s: NVRTC 11.2 or later is needed", name, missing);
    else if ((code = dfi_cuda.rtc.version(&dfi_cuda.rtc_version[0], &dfi_cuda.rtc_version[1])) != 0 ||
             (code = dfi_cuda.rtc.n_archs(&dfi_cuda.n_archs)) != 0 || dfi_cuda.n_archs < 1 ||
             dfi_cuda.n_archs > DFI_CUDA_ARCHS ||
             (code = dfi_cuda.rtc.archs(dfi_cuda.archs)) != 0)
        snprintf(why, bytes, "%s: nvrtcGetSupportedArchs: error %d, %d of them", name, code, dfi_cuda.n_archs);
    else return 0;
    dfi_library_close(dfi_cuda.compiler);
    dfi_cuda.compiler = NULL;
    return -1;
}

/* The one that came with the driver's version of CUDA, if it is there: its programs suit the driver. */
static int dfi_cuda_load_compiler(int driver_version, char *why, size_t bytes)
{
    static const char *const usual[] = { "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "/usr/local/cuda/lib64/libnvrtc.so" };
    const char *named = dfi_env("DF_NVRTC_LIBRARY");
    char name[32];
    size_t i;
    if (named && *named) return dfi_cuda_load_compiler_named(named, why, bytes);
    snprintf(name, sizeof name, "libnvrtc.so.%d", driver_version / 1000);
    if (!dfi_cuda_load_compiler_named(name, why, bytes)) return 0;
    for (i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!dfi_cuda_load_compiler_named(usual[i], why, bytes)) return 0;
    snprintf(why, bytes, "libnvrtc, which compiles kernels, is not found: install it or set DF_NVRTC_LIBRARY");
    return -1;
}

/* Loads both. The number of devices, 0 without; `why`, if not empty, is for the log. */
static int dfi_cuda_load(char *why, size_t bytes)
{
    int n = 0, version = 0;
    *why = 0;
    if (!dfi_cuda_load_driver(&n, &version, why, bytes) && n > 0 && !dfi_cuda_load_compiler(version, why, bytes))
        return n;
    /* libcuda stays loaded when it was initialised: it has threads of its own */
    return 0;
}

#endif

#endif
