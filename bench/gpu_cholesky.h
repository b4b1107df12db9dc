/* The tile kernels of a Cholesky factorisation in a CUDA stream: cuBLAS and cuSOLVER, found when the program runs.
 *
 * Matrices are row-major with the factor in the lower triangle; for the libraries, which count by columns, that is the
 * transpose: the upper one. BENCH_CUBLAS, BENCH_CUSOLVER and DF_CUDA_LIBRARY name other libraries. */
#ifndef GPU_CHOLESKY_H
#define GPU_CHOLESKY_H
#define CHOLESKY_ON_DEVICE
#include "cholesky.h"
#include <dlfcn.h>

enum { UPPER = 1, LEFT = 0, PLAIN = 0, TRANSPOSED = 1, NOT_UNIT = 0 };    /* cublasFillMode_t, .. of cublas_api.h */

static struct {
    int (*create)(void **), (*destroy)(void *), (*set_stream)(void *, void *);
    int (*gemm)(void *, int, int, int, int, int, const double *, const double *, int, const double *, int,
                const double *, double *, int);
    int (*syrk)(void *, int, int, int, int, const double *, const double *, int, const double *, double *, int);
    int (*trsm)(void *, int, int, int, int, int, int, const double *, const double *, int, double *, int);
} blas;
static struct {
    int (*create)(void **), (*destroy)(void *), (*set_stream)(void *, void *);
    int (*potrf_size)(void *, int, int, double *, int, int *);
    int (*potrf)(void *, int, int, double *, int, double *, int, int *);
} solver;
static struct {
    int (*init)(unsigned), (*count)(int *), (*retain)(void **, int), (*release)(int), (*push)(void *), (*pop)(void **);
    int (*stream_new)(void **, unsigned), (*stream_free)(void *), (*sync)(void), (*alloc)(uintptr_t *, size_t),
        (*free)(uintptr_t);
    int (*to_device)(uintptr_t, const void *, size_t, void *), (*to_host)(void *, uintptr_t, size_t, void *);
} driver;

static void *library(const char *variable, const char *const *names)
{
    const char *own = getenv(variable);
    void *l = own && *own ? dlopen(own, RTLD_NOW) : NULL;
    if (own && *own) return l;
    while (!l && *names) l = dlopen(*names++, RTLD_NOW);
    return l;
}
static int symbol(void *l, const char *name, void *to) /* to: a pointer to a function */
{
    void *p = l ? dlsym(l, name) : NULL;
    memcpy(to, &p, sizeof p);
    return p != NULL;
}

/* Nonzero: all functions were found. Else a line names the missing one. */
static int find_libraries(void)
{
    static const char *const cublas[] = { "libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                          NULL };
    static const char *const cusolver[] = { "libcusolver.so", "libcusolver.so.12", "libcusolver.so.11", NULL };
    static const char *const cuda[] = { "libcuda.so.1", NULL };
    void *b = library("BENCH_CUBLAS", cublas), *s = library("BENCH_CUSOLVER", cusolver),
        *d = library("DF_CUDA_LIBRARY", cuda);
    int devices = 0;
    const char *missing =
        !(symbol(b, "cublasCreate_v2", &blas.create) && symbol(b, "cublasDestroy_v2", &blas.destroy) &&
          symbol(b, "cublasSetStream_v2", &blas.set_stream) && symbol(b, "cublasDgemm_v2", &blas.gemm) &&
          symbol(b, "cublasDsyrk_v2", &blas.syrk) && symbol(b, "cublasDtrsm_v2", &blas.trsm)) ? "no cuBLAS" :
        !(symbol(s, "cusolverDnCreate", &solver.create) && symbol(s, "cusolverDnDestroy", &solver.destroy) &&
          symbol(s, "cusolverDnSetStream", &solver.set_stream) &&
          symbol(s, "cusolverDnDpotrf_bufferSize", &solver.potrf_size) &&
          symbol(s, "cusolverDnDpotrf", &solver.potrf)) ? "no cuSOLVER" :
        !(symbol(d, "cuInit", &driver.init) && symbol(d, "cuDeviceGetCount", &driver.count) &&
          symbol(d, "cuDevicePrimaryCtxRetain", &driver.retain) &&
          symbol(d, "cuDevicePrimaryCtxRelease_v2", &driver.release) &&
          symbol(d, "cuCtxPushCurrent_v2", &driver.push) && symbol(d, "cuCtxPopCurrent_v2", &driver.pop) &&
          symbol(d, "cuStreamCreate", &driver.stream_new) && symbol(d, "cuStreamDestroy_v2", &driver.stream_free) &&
          symbol(d, "cuMemAlloc_v2", &driver.alloc) && symbol(d, "cuMemFree_v2", &driver.free) &&
          symbol(d, "cuMemcpyHtoDAsync_v2", &driver.to_device) &&
          symbol(d, "cuMemcpyDtoHAsync_v2", &driver.to_host) && symbol(d, "cuCtxSynchronize", &driver.sync))
          ? "no driver of CUDA" :
        driver.init(0) || driver.count(&devices) || devices < 1 ? "there is no device" : NULL;
    if (missing) fprintf(stderr, "%s: %s\n", BENCH_SYSTEM, missing);
    return !missing;
}

static void good(int code, const char *call)
{
    if (!code) return;
    fprintf(stderr, "%s: %s: error %d\n", BENCH_SYSTEM, call, code);
    exit(1);
}
#define CALL(call, arguments) good(call arguments, #call)

static const double plus = 1, minus = -1;
#endif
