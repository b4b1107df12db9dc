/* cuda_double.h - a library that stands for libcuda and libnvrtc, for tests on machines without a GPU
 *
 * tests/gpu/cuda_double/build FILE.so builds it; DF_CUDA_LIBRARY=FILE.so DF_NVRTC_LIBRARY=FILE.so makes df use it.
 * Streams are threads; kernels are compiled by g++ and run on the host. An address of device memory cannot be read or
 * written by the host, and an address of the host is refused as one of device memory. Copies of pageable memory really
 * happen later. A context must be current where CUDA needs one, and handles must be of that context.
 *
 * Environment, with defaults:
 *     CUDA_DOUBLE_DEVICES=1  CUDA_DOUBLE_MEMORY=268435456 (bytes of each)  CUDA_DOUBLE_ARCH=90 (compute capability 9.0)
 *     CUDA_DOUBLE_PEERS=1    0: devices cannot reach each other's memory
 *     CUDA_DOUBLE_NVRTC=75,80,90    what the compiler knows
 *     CUDA_DOUBLE_BROKEN=0   a code that every function returns
 *     CUDA_DOUBLE_FAIL=      call:n:code,...  as cuda_double_fail
 *     CUDA_DOUBLE_DELAY=0    each operation begins up to so many microseconds late
 *     CUDA_DOUBLE_CXX=g++    compiler of the kernels
 *
 * A test reaches the following by dlsym, after the library was loaded. */
#ifndef CUDA_DOUBLE_H
#define CUDA_DOUBLE_H

/* The n-th call of a function from now on (1: the next) fails with a code; n = 0: none. call: as "cuMemAlloc", without
 * the version of the symbol. "kernel", "copy": the n-th such operation when it is carried out: with a code after which
 * CUDA refuses everything, as 700, 719. 0, or -1: there is no such function. */
typedef int cuda_double_fail_fn(const char *call, long n, int code);
/* Calls of a function so far, or operations of "kernel", "copy". */
typedef long cuda_double_calls_fn(const char *call);
/* The name of function i, or NULL. */
typedef const char *cuda_double_name_fn(int i);
/* Streams do not begin kernels (1), copies (2), either (3) until it is called with 0. */
typedef void cuda_double_hold_fn(int what);
/* The device fails now: everything returns the code. */
typedef void cuda_double_lose_fn(int device, int code);
/* Objects that live: contexts in use, streams, events, modules, blocks of device and of pinned memory. */
typedef long cuda_double_live_fn(void);
/* What no real driver would forgive and this one has seen, as memory that is freed while a copy uses it: said on
 * standard error, and counted here. */
typedef long cuda_double_wrongs_fn(void);

#endif
