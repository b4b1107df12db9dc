/* double.h - common declarations of the files of the double of libcuda
 *
 *   state.c    the functions' names, counts and faults; errors
 *   device.c   devices, contexts, memory
 *   stream.c   streams, events, and their operations
 *   module.c   modules, kernels
 *   nvrtc.c    the compiler
 *   blas.c     the functions of cuBLAS and cuSOLVER that are used
 *   kernel.h   words of CUDA C++ that C++ lacks, for the kernels
 *
 * All state is under one lock. Codes are those of cuda.h. */
#ifndef DOUBLE_H
#define DOUBLE_H

#include "../cuda_double.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS(X)                                                                                                       \
    X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString) X(cuDeviceGetCount) X(cuDeviceGet)           \
    X(cuDeviceGetName) X(cuDeviceGetAttribute) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)                \
    X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuCtxSynchronize) X(cuDeviceCanAccessPeer) X(cuCtxEnablePeerAccess) X(cuMemGetInfo)           \
    X(cuMemAlloc) X(cuMemFree) X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemHostRegister) X(cuMemHostUnregister)          \
    X(cuPointerGetAttribute) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamWaitEvent) X(cuEventCreate)                \
    X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery) X(cuMemcpyHtoDAsync)                                              \
    X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemcpy2DAsync) X(cuMemcpyPeerAsync) X(cuModuleLoadData)              \
    X(cuModuleUnload) X(cuModuleGetFunction) X(cuFuncGetAttribute) X(cuLaunchKernel) X(nvrtcVersion)                   \
    X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram) X(nvrtcGetProgramLogSize)                      \
    X(nvrtcGetProgramLog) X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN)                      \
    X(nvrtcGetNumSupportedArchs) X(nvrtcGetSupportedArchs) X(kernel) X(copy)
#define CALL_NUMBER(name) N_##name,
enum call { CALLS(CALL_NUMBER) N_CALLS };

enum { MAX_DEVICES = 16, MAX_STACK = 32, MAX_PARAMETERS = 32, SHARED_BYTES = 48 << 10,
       MAX_PITCH = 1 << 20 /* less than real ones, so that it comes up in tests */ };
enum {
    E_VALUE = 1, E_MEMORY = 2, E_NOT_INITIALIZED = 3, E_NO_DEVICE = 100, E_DEVICE = 101, E_IMAGE = 200, E_CONTEXT = 201,
    E_NO_BINARY = 209, E_PEER_UNSUPPORTED = 217, E_HANDLE = 400, E_NOT_FOUND = 500, E_NOT_READY = 600,
    E_ILLEGAL_ADDRESS = 700, E_PEER_ENABLED = 704, E_REGISTERED = 712, E_NOT_REGISTERED = 713, E_LAUNCH_FAILED = 719
};

struct context {
    int device, retained, lost;                 /* lost: the code of everything from now on */
    int peer[MAX_DEVICES];
    size_t used;                                /* bytes of device memory */
    long streams, events, modules, pending;     /* pending: operations in streams */
    uintptr_t first, end;                       /* addresses of device memory: none of them is mapped */
};
/* Device memory, or pinned memory of the host (device -1; real is at). */
struct block { uintptr_t at; size_t bytes; char *real; int device; long pins; };
/* One record of an event: done when the stream has come to it. */
struct mark { int done, refs; };
struct event { unsigned magic; struct context *context; struct mark *last; };
struct function { unsigned magic; struct module *module; const struct cuda_double_kernel *kernel; char name[256];
                  struct function *next; };
struct module { unsigned magic; struct context *context; void *library; const char *real; size_t real_bytes;
                struct function *functions; long pins; };

/* What stands for a kernel in the library that g++ makes (kernel.h). */
struct cuda_double_kernel {
    int n, max_threads;                         /* parameters; of __launch_bounds__, or 0 */
    const unsigned *bytes;                      /* of each */
    const unsigned char *is_pointer;
    /* 0, or -1: a barrier that not all reach */
    int (*run)(void **values, const unsigned *groups, const unsigned *group, unsigned shared);
};

extern pthread_mutex_t double_lock;
extern struct context double_context[MAX_DEVICES];
extern int double_devices, double_arch;

/* 0, or the code that the call is to return. Not under the lock. */
int double_enter(enum call n);
/* The same for a call that needs a context; *c: the current one. */
int double_enter_context(enum call n, struct context **c);
/* The same for one that gives something back, or waits: it does so whatever it returns, unless *c is NULL. */
int double_enter_destroy(enum call n, struct context **c);
/* Under the lock: a fault that was asked for n's next call, or 0. */
int double_fault(enum call n);
int double_is_fatal(int code);
void double_wrong(const char *what);            /* under the lock or not */
long double_number(const char *name, long otherwise); /* of the environment */

/* Under the lock. Device memory: the block that has all of [p, p + bytes), or NULL. */
struct block *double_block(uintptr_t p, size_t bytes);
/* 1: pinned; 0: pageable; -1: in part, or not memory of the host at all. *b: the block of pinned memory. */
int double_host(uintptr_t p, size_t bytes, struct block **b);
struct block *double_block_of(uintptr_t p);     /* with p in it, or at its end */

/* Puts a kernel into a stream. values: copies, to be freed together with their targets by free. Under the lock. */
struct stream;
int double_launch(struct stream *s, struct function *f, const unsigned *groups, const unsigned *group, unsigned shared,
                  void **values);
struct context *double_stream_context(struct stream *s); /* NULL: it is none */

#endif
