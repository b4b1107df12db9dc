/* df_gpu.h - the same tasks on accelerators: kernels for OpenCL, CUDA and the host from one text
 *
 * WHAT  A kernel is a task. It is written once, in the common subset of C, and its access modes are those of df.h.
 *       They order it with all other tasks, and tell df which data to move: to a device before the kernel, back before
 *       a task of the host or the code after df_wait reads it. You write no copies, streams or events.
 *
 * DO THIS
 *       #define DF_USE_CUDA            and/or DF_USE_OPENCL; neither: the host runs the kernels
 *       #define DF_IMPLEMENTATION      in ONE C file, before
 *       #include "df_gpu.h"            which includes df.h
 *       and link with -pthread -ldl (neither on glibc 2.34 and later). Drivers are loaded when the program runs: it
 *       builds and starts without any.
 *
 * A COMPLETE PROGRAM
 *       #define DF_USE_OPENCL
 *       #define DF_USE_CUDA
 *       #define DF_IMPLEMENTATION
 *       #include "df_gpu.h"
 *       #include <stdio.h>
 *
 *       DF_KERNEL(saxpy, (float, a), df_in(float, x, n), df_inout(float, y, n), (int, n),
 *       {
 *           int i = df_global_id(0);
 *           if (i < n) y[i] += a * x[i];
 *       })
 *       static float x[1 << 20], y[1 << 20];
 *       int main(void)
 *       {
 *           int n = 1 << 20;
 *           for (int i = 0; i < n; i++) x[i] = 1, y[i] = 2;
 *           df_launch(saxpy, df_grid(n), 3, x, y, n);
 *           df_wait();
 *           printf("%g\n", y[n - 1]);
 *       }
 *
 * OPTIONS
 *     Implementation file only:
 *       DF_USE_OPENCL, DF_USE_CUDA   look for devices of OpenCL 1.2, of the CUDA driver
 *       DF_GPU_EXACT                 1: devices compute floating-point numbers as the host does, without fused
 *                                    multiply-add and with rounded division; slower. Default 0: as their compilers do
 *     Environment:
 *       DF_GPU=cuda|opencl|sim|none   uses only such devices; none: the host runs the kernels
 *       DF_GPU_SIM=4:64M             four simulated devices of 64 MiB each: threads of the host with memory of their
 *                                    own, to test programs. 4:64M:8G: devices that move 8 GiB a second in each
 *                                    direction. A kernel's text is then also compiled for a device, by OpenCL and
 *                                    NVRTC where they are installed and DF_USE_OPENCL, DF_USE_CUDA are defined, and
 *                                    scanned for common mistakes where not; the same under DF_CHECK. So a test
 *                                    without a device finds kernels that only the host would accept.
 *       DF_GPU_SIM_SEED=n            simulated devices delay operations at random, so that queues overtake each other
 *       DF_GPU_SIM_BROKEN=f,g        the kernels f and g do not compile for simulated devices
 *       DF_GPU_SIM_FAIL=launch:5     the 5th launch on simulated devices fails; alloc:n, copy_in:n, copy_out:n
 *                                    likewise; fault:n: the n-th copy or launch fails while it runs; lost:n: its
 *                                    device is gone. Several with commas; @2 at the end: counted on device 2 only
 *       DF_GPU_MEMORY=64M            upper limit of the memory used on each device; default 90 % of the free memory
 *       DF_CUDA_LIBRARY, DF_NVRTC_LIBRARY    files to load instead of libcuda.so.1 and libnvrtc.so
 *       DF_KERNEL_CACHE=folder       keeps compiled kernels from one run to the next. It and the folders of DF_TUNE
 *                                    and DF_HISTORY must belong to the user, and no other user may write to them
 *                                    (docs/security.md)
 *       DF_TUNE=file                 keeps the measurements of df_tune from one run to the next
 *       DF_HISTORY=file              keeps the times that kernels took, for the choice of a device
 *
 *     With DF_SERIAL (df.h) a launch is a call, and the host runs the kernel.
 *
 * ERRORS  Without a driver or a device the host runs the kernels; df_gpu_devices and df_gpu_info tell. A kernel that
 *       does not compile, a grid or a group that is too large, data that cannot fit into the device, and a device
 *       that fails are errors of the launch: df_wait_result returns DF_ERROR_KERNEL, DF_ERROR_GRID,
 *       DF_ERROR_DEVICE_MEMORY or DF_ERROR_DEVICE, the log says more, and the launch leaves the memory of the host
 *       as it was.
 *
 * SECTIONS  search for >>kernels  >>language  >>launching  >>devices  >>choice  >>data
 *       >>distribution  >>implementation  >>licence (last)
 *       How it works: docs/internals/gpu.md.
 */
#include "df.h"

#ifndef DF_GPU_H
#define DF_GPU_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif
DFI_BEGIN

#include "impl/api/device.h"

/* The place where a function of DF_DEVICE_TASK puts its work: the queue of a device. */
typedef struct df_queue {
    int device;        /* 1, 2, ..; DF_HOST */
    const char *kind;  /* "CUDA": native is a CUstream, and the device's context is current; "OpenCL": a
                          cl_command_queue; "host": there is no device, or DF_HOST was asked for: memory is the
                          host's, and the function does all of the work */
    void *native;      /* the device's queue */
} df_queue;

struct dfi_host_group;
struct dfi_built;

#include "impl/api/kernel.h"
#include "impl/api/kernel_words.h"

/* As in df.h: the linker's message is the help text. */
#if defined(DF_SERIAL)
#define DFI_GPU_NEED \
    DFI_OF_VERSION(df_gpu_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_gpu_h__and_DF_SERIAL_in_all)
#else
#define DFI_GPU_NEED DFI_OF_VERSION(df_gpu_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_gpu_h)
#endif
DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_GPU_NEED[1];
DFI_EXTERN_C_END
#if DFI_GNU
static char *const dfi_gpu_need __attribute__((used, unused)) = DFI_GPU_NEED;
#endif

/* ----------------------------------------------------------------------------------- >>kernels
 * Declaring kernels
 *
 *   DF_KERNEL(name, param, ..., { body })     a kernel of this file, which is a task: 0 to 15 parameters, then the
 *             body. At file scope, without a semicolon.
 *   DF_KERNEL_USING(code, name, param, ..., { body })   its body may use the text of DF_KERNEL_CODE(code, ...)
 *   DF_KERNEL_CODE(code, text)                functions, types and constants for kernels, and for the file itself:
 *             static inline float sq(float x) { return x * x; } or enum { WIDTH = 16 };
 *   DF_KERNEL_OR(function, name, param, ..., { body })   a task with two bodies: where the host runs it, it calls
 *             void function(df_ndrange grid, params), which does the work of all items.
 *             df_launch_with(DF_OPTS(.device = DF_ANY_DEVICE), name, grid, args...) sends it where it is expected to
 *             be done first, after the times that it took so far, per place and size (DF_HISTORY=file keeps them).
 *   df_queue                                  the first parameter of a function of DF_DEVICE_TASK
 *   DF_DEVICE_TASK(name, param, ...);         declares a task whose function  void name(df_queue *q, params)  is
 *             defined elsewhere, and puts work into the queue of a device by other means, as the functions of a
 *             library. 1 to 15 parameters, without df_reduce. df_launch(name, args...), without a grid, calls it when
 *             its predecessors are in the queues: pointers are addresses on the device (OpenCL: cl_mem), and the
 *             distance between rows is that on the device. It does not wait for that work.
 *
 *     param   as in DF_TASK: (T, x), df_in, df_out, df_inout, df_commute, df_concurrent (T, p, n), df_in2 ... (T, p,
 *             rows, cols, ld), df_reduce(op, T, p, n) with an operator of df.
 *             T: char short int long float double, signed and unsigned, and those of <stdint.h>; size_t; a struct of
 *             DF_KERNEL_CODE.
 *             The ld of a block should be the name of a by-value parameter, as in df_in2(float, A, m, k, ld), (int,
 *             ld): on a device the rows of a block lie close together, and the kernel finds the distance that they
 *             have there in that parameter. Any other expression keeps the distance, and the memory in between.
 *             df_reduce: p points to n elements that begin as the identity, in each work-item; the body accumulates
 *             into them (*p += x), and df combines those of all items with the elements at p. At most 16 elements;
 *             floating-point sums may differ from device to device in the last bits.
 *     body    runs once for each work-item. No preprocessor directive and no macro of the file can be in it.
 *             `return` ends the item.
 *     Kernels also are tasks of the host: name(grid, args...) calls it, df_submit(name, grid, args...) submits it.
 *     Threads: df runs bodies on devices, and on any worker of the host.
 *   Source: design after OpenCL C 1.2 and CUDA C++; MetaFork's meta_schedule for launch parameters. */
#define DF_KERNEL(name, ...)             DFI_QUIET DFI_KERNEL(NULL, name, #__VA_ARGS__, __VA_ARGS__) DFI_LOUD
#define DF_KERNEL_USING(code, name, ...) \
    DFI_QUIET DFI_KERNEL(&code##_dfi_code, name, #__VA_ARGS__, __VA_ARGS__) DFI_LOUD
#define DF_KERNEL_CODE(code, ...)                                                                    \
    DFI_QUIET __VA_ARGS__                                                                            \
    DFI_UNUSED static const struct dfi_code code##_dfi_code = { #__VA_ARGS__, __FILE__, __LINE__ }; DFI_LOUD

#define DF_KERNEL_OR(function, name, ...) DFI_QUIET DFI_KERNEL_OR(function, name, #__VA_ARGS__, __VA_ARGS__) DFI_LOUD

#define DF_DEVICE_TASK(name, ...) DFI_QUIET DFI_DEVICE_TASK(name, __VA_ARGS__, dfi_nothing) DFI_LOUD_END

/* ---------------------------------------------------------------------------------- >>language
 * The words of a kernel's body
 *
 *   df_global_id(d)             this item's number among all items of the launch, in dimension d = 0, 1, 2
 *   df_local_id(d)              its number in its group
 *   df_workgroup_id(d)          its group's number
 *   df_workgroup_size(d)        items per group
 *   df_workgroups(d)            groups of the launch
 *   df_global_size(d)           items of the launch: df_workgroups(d) * df_workgroup_size(d). It may be more than
 *             asked for, so a body compares df_global_id with its limit.
 *   df_shared(T, name, n);      an array that the items of a group share; at the top of the body; n: a constant or a
 *             product of constants and df_block(d). Its values are undefined at first.
 *   df_block(d)                 df_workgroup_size(d) as a constant of the compiled kernel: it is compiled for each
 *             size in use
 *   df_barrier();               all items of the group wait here for each other, and then see all earlier writes of
 *             the group. Either all items reach it or none.
 *   df_atomic_add(p, v);  df_atomic_min;  df_atomic_max;  df_atomic_exchange
 *             changes *p atomically: an int, unsigned or float in global or shared memory. The old value. They order
 *             nothing but themselves. A plain access to such a word is a data race while other items change it:
 *             df_atomic_add(p, 0) reads it.
 *   df_atomic_cas(p, old, v)    *p = v if *p is `old`, atomically: an int or unsigned. The value before.
 *   df_on_global                in front of a pointer that is set to a parameter:
 *             df_on_global const float *row = x + i * n;
 *   df_on_shared                in front of a pointer that is set into an array of df_shared
 *
 *     Of the C library: the functions of <math.h> as in C, sqrt(x) in double and sqrtf(x) in float (most devices are
 *     fast in float); abs; the constants of <limits.h>, <float.h>, <stdint.h>, and M_PI and the like. A static const
 *     table may be indexed, but no pointer may point into it. No pointers to functions, no recursion, no
 *     variable-length arrays.
 *     df_reduce: at most 16 elements on a device.
 *     Threads: only in the body of a kernel. */

/* --------------------------------------------------------------------------------- >>launching
 * Launching
 *
 *   df_launch(name, grid, args...);            a child of the current scope, as df_submit makes one, that runs on a
 *             device: the one that has its data, or the one with the least work. A grid of no items runs nothing. A
 *             task of DF_DEVICE_TASK has no grid.
 *             Errors: DF_ERROR_GRID: a group or a grid that the device cannot have; DF_ERROR_KERNEL,
 *             DF_ERROR_DEVICE_MEMORY, DF_ERROR_DEVICE. df_wait_result returns them.
 *   df_launch_with(opts, name, grid, args...);   df_launch with options, as of df_submit_with. .device = 2: that
 *             device; DF_HOST: all workers. .signals: signalled when the kernel is done and its results are in host
 *             memory.
 *   df_ndrange df_grid(n)                      a grid of n items; df decides their groups
 *   df_ndrange df_grid1(n, b)                  n items, in groups of b; 0: df decides
 *   df_ndrange df_grid2(w, h, bw, bh)          w * h items, in groups of bw * bh
 *   df_ndrange df_grid3(x, y, z, bx, by, bz)   x * y * z items, in groups of bx * by * bz
 *
 *     Inputs are moved to the device while other kernels run; dependent kernels follow each other on the device
 *     without the host.
 *     Threads: any. */
#define df_launch(name, ...)            DFI_OF(name, _dfi_launch)(NULL, DFI_SITE, __VA_ARGS__)
#define df_launch_with(opts, name, ...) DFI_OF(name, _dfi_launch)(opts, DFI_SITE, __VA_ARGS__)
DFI_INLINE df_ndrange df_grid3(long x, long y, long z, int bx, int by, int bz)
{
    df_ndrange g;
    g.n[0] = x, g.n[1] = y, g.n[2] = z;
    g.group[0] = bx, g.group[1] = by, g.group[2] = bz;
    return g;
}
DFI_INLINE df_ndrange df_grid2(long w, long h, int bw, int bh) { return df_grid3(w, h, 1, bw, bh, 1); }
DFI_INLINE df_ndrange df_grid1(long n, int b) { return df_grid3(n, 1, 1, b, 1, 1); }
DFI_INLINE df_ndrange df_grid(long n) { return df_grid3(n, 1, 1, 0, 1, 1); }

/* ----------------------------------------------------------------------------------- >>devices
 * Devices
 *
 *   int df_gpu_devices()               the number of devices: they are 1, 2, .. df_gpu_devices(). At least 1: without
 *             any accelerator device 1 is the host. Loads the drivers.
 *   df_result df_gpu_info(device, &info)   fills a df_gpu_device. device: 1 .. df_gpu_devices(), or DF_HOST.
 *             Errors: DF_ERROR_DEVICE: there is no such device.
 *
 *     Threads: any. */
DFI_EXTERN_C_BEGIN
DFI_API int df_gpu_devices(void);
DFI_API df_result df_gpu_info(int device, df_gpu_device *info);
DFI_EXTERN_C_END

#include "impl/api/pick.h"

/* ------------------------------------------------------------------------------------ >>choice
 * Variants of a kernel, and the size of its groups: chosen when the program runs
 *
 *     The best number of work-items in a group, the best number of results for each, and the benefit of df_shared
 *     depend on the device, by a factor of several. So a program lists the variants to choose from, best first:
 *
 *   DF_VARIANTS(list, variant, ...);    1 to 8 variants of a kernel, all with the same parameters. At file scope. A
 *             variant is (kernel, .field = value, ...), with fields of df_variant, or only the kernel.
 *   df_launch_best(list, grid, args...);   launches the first variant that fits the device; the grid is the number of
 *             results, such as df_grid2(w, h, 0, 0)
 *   df_launch_best_with(opts, list, grid, args...);   df_launch_best with options, as of df_launch_with
 *   df_pick df_kernel_pick(list, grid, opts);   only chooses. opts: DF_PICK_OPTS(.device = 2) or NULL.
 *   DF_PICK_OPTS(.field = value, ...)   options of a choice, as DF_OPTS for df_submit_with
 *   df_launch_picked(list, &pick, args...);   launches the chosen variant
 *   size_t df_kernel_explain(list, grid, opts, text, bytes);   writes the variants that fit, and why others do not,
 *             with numbers, to the `bytes` bytes at text; returns the length of the whole text, as snprintf does
 *   df_result df_kernel_ask(kernel, device, bx, by, bz, &needs);   fills a df_kernel_needs: the resources that the
 *             kernel needs, compiled for this device and groups of bx * by * bz items.
 *             Errors: DF_ERROR_DEVICE, DF_ERROR_KERNEL, DF_ERROR_MEMORY.
 *   df_result df_tune(list, opts, grid, args...);   measures all variants that fit, with these arguments, on each
 *             kind of device, and stores the fastest, which is chosen from then on for this size class. Waits for
 *             earlier tasks, and takes about a second. Leaves all memory unchanged: it copies the memory that the
 *             kernels write.
 *             Errors: DF_ERROR_MEMORY: nothing was measured; DF_ERROR_DEVICE; DF_ERROR_CANCELLED; the error of the
 *             launches, if all failed.
 *   df_result df_tune_by(list, opts, grid, fn, arg);   df_tune for work of more than one launch:
 *             void fn(const df_pick *p, void *arg) launches p (df_launch_picked). It is called repeatedly, so the
 *             memory that it reads and writes changes with each call. Its data should be held on the device
 *             (DF_DATA_REGION), because otherwise the transfers are measured, too.
 *   df_at_most(c, a, most)              in df_variant.fits: 1 if a <= most. Otherwise 0, and c->why contains the two
 *             expressions and their values, for df_kernel_explain.
 *
 *     A variant fits if .fits agrees and the device's limits allow the group, its df_shared and its registers, both
 *     before compilation and after it, with the numbers of the device's compiler. If no variant fits, df takes the
 *     last one and decides its groups, so the last variant should run anywhere. With .device = 0 and devices of
 *     several kinds, df takes the first variant that fits all of them. It stores one choice per kind of device and
 *     size class: sizes are in the same class if they have the same number of binary digits in each dimension (those
 *     of n-1; so 2049 to 4096 are a class).
 *     Threads: any.
 *   Source: MetaFork's case distinctions (thesis, 7); the codes of its Table 7.1 are at the end of the text of
 *     df_kernel_explain. */

/* -------------------------------------------------------------------------------------- >>data
 * Data that stays on the devices
 *
 *     Results are in host memory after df_wait, df_wait_on and the end of DF_PARALLEL, and the copies on devices
 *     become invalid, because the program may change any memory then. In between, memory that kernels access is
 *     accessed only by tasks that declare it with the right mode; a task that has it only df_concurrent passes it to
 *     no kernel. Where the program does not change memory, a data region saves the transfers.
 *
 *   DF_DATA_REGION(data, ...) { ... }     a DF_PARALLEL block during which the devices keep memory, through all waits
 *             inside: DF_DATA_REGION(df_copyin(a, n), df_create(b, n), df_copyout(c, n), df_copy(d, n)). At its end c
 *             and d are copied to the host; changes of a and b on the devices are dropped, except those copied to the
 *             host earlier: for a task of the host, or to make room. In the block only tasks that declare it access
 *             this memory.
 *   DF_DATA_REGION_ASYNC(index, data, ...) { ... }   as DF_DATA_REGION, but the program does not wait at its end: the
 *             tasks are children of the scope around it, and later tasks that declare the memory are their
 *             successors. index: any number, for df_data_wait.
 *   df_copyin(p, n)                       data of a region: the n elements at p are inputs
 *   df_create(p, n)                       data of a region: they exist on the devices only
 *   df_copyout(p, n)                      data of a region: they are outputs, written by the kernels
 *   df_copy(p, n)                         data of a region: they are inputs and outputs
 *   df_data_wait(index);                  waits until all asynchronous regions with that number, begun by this task
 *             (outside of tasks: by this thread), are done and their data is on the host
 *   df_result df_gpu_hold(p, bytes);      from here on the devices keep the bytes at p, as df_copy; calls count.
 *             Returns DF_OK, or DF_ERROR_MEMORY: too many are held (256).
 *   df_gpu_release(p, bytes);             ends df_gpu_hold: waits until the host has the data; no effect on memory
 *             that is not held
 *
 *     A wait does not copy held memory to the host: a body that holds it, launches, waits and then reads it finds the
 *     earlier data. Read it after the release, or in a task that declares it.
 *     Threads: any.
 *   Source: TF-OpenACC's dataflow regions (TERAFLUX D3.5, 3.2); OpenACC's data clauses. */

/* Memory of a data region; made by df_copyin, df_create, df_copyout, df_copy. */
typedef struct df_data {
    const void *p;    /* the memory */
    size_t bytes;     /* its size */
    int how;          /* copies at the beginning and at the end of the region */
    const char *name; /* the expression for p, for messages */
} df_data;
enum { DFI_DATA_IN = 1, DFI_DATA_OUT = 2, DFI_DATA_HERE = 4 };
#define df_copyin(p, n)  { (p), DFI_BYTES_OF(n, *(p)), DFI_DATA_IN, #p }
#define df_create(p, n)  { (p), DFI_BYTES_OF(n, *(p)), DFI_DATA_HERE, #p }
#define df_copyout(p, n) { (p), DFI_BYTES_OF(n, *(p)), DFI_DATA_OUT, #p }
#define df_copy(p, n)    { (p), DFI_BYTES_OF(n, *(p)), DFI_DATA_IN | DFI_DATA_OUT, #p }
#include "impl/api/data_region.h"
DFI_EXTERN_C_BEGIN
DFI_API df_result df_gpu_hold(const void *p, size_t bytes);
DFI_API void df_gpu_release(const void *p, size_t bytes);
DFI_API void dfi_data_wait(int index);
DFI_EXTERN_C_END
#define df_data_wait(index) DFI_MAY_BLOCK(dfi_data_wait(index))

/* ------------------------------------------------------------------------------ >>distribution
 * Arrays over several devices
 *
 *   df_dist *u = df_dist_new(desc);       divides an array of 1 to 3 dimensions, or a part of it, into parts, each
 *             with a device and memory of its own. desc: a const df_dist_desc *, read during the call. NULL without
 *             memory, or if a field is wrong; the log names it.
 *   DF_DIST(.field = value, ...)          a df_dist_desc that lives as long as the call (in C++ the fields are in the
 *             order of the structure; designators need C++20):
 *             DF_DIST(.memory = A, .element = sizeof(float), .dim = {{ .size = n, .split = DF_BLOCK(0),
 *             .halo = { 1, 1 } }, { .size = m }})
 *   df_dist_free(u);                      waits for the tasks of the calling scope that use it, and frees it
 *   df_dist_scatter(u);                   array -> parts, without halos.
 *             Errors: DF_ERROR_DIST: the distribution has no array.
 *   df_dist_gather(u);                    parts -> array.
 *             Errors: DF_ERROR_DIST: the distribution has no array.
 *   df_halo_exchange(u);                  fills all halos with the elements of the neighbours
 *   df_halo_update(u, which);             fills some: DF_LEFT, DF_RIGHT, DF_DIM(1), DF_LEFT & DF_DIM(0), ...
 *   DF_LEFT                               halos towards lower indices, in all dimensions; DF_LEFT & DF_DIM(1): in one
 *   DF_RIGHT                              halos towards higher indices
 *   DF_DIM(k)                             the halos of both sides in dimension k = 0, 1, 2
 *   DF_FOR_PARTS(p, u)                    a loop over the parts that have elements: p is a const df_part *, as in
 *             DF_FOR_PARTS(p, u) df_launch_with(DF_OPTS(.device = p->device), f, df_grid(p->count[0]), p->data);
 *   const df_part *df_dist_next(u, p)     the part with elements after p; NULL for p: the first one. NULL after the
 *             last
 *   int df_dist_parts(u)                  the number of parts, with empty ones
 *   const df_part *df_dist_part(u, i)     part i, or NULL. Of two arrays with the same arrangement part i is on the
 *             same device.
 *   long df_dist_range(p, dim, lo, hi, &from, &to)   the part's share of the array indices lo .. hi-1: local indices
 *             from .. to-1; returns their number: so loops are divided like data
 *   long df_dist_global(p, dim, local)    the array index of a local index
 *   long df_dist_local(p, dim, global)    the local index of an array index; -1: not in the part. In kernels: first,
 *             lo, chunk, step of df_part, given as numbers
 *   int df_dist_arrange(n, dims, parts)   chooses those of parts[0 .. dims-1] that are 0, as equal as can be, so that
 *             their product is n (0: df_gpu_devices()), or less; returns the product
 *   DF_DUPLICATE                          df_dist_dim.split: not divided, each part has all of the dimension
 *   DF_BLOCK(n)                           df_dist_dim.split: part i has the i-th n elements; 0: parts as equal as
 *             possible, longer ones first
 *   DF_CYCLIC(n)                          df_dist_dim.split: blocks of n elements in turn; 0: of 1
 *
 *     Parts may be more than devices. A dimension of the
 *     arrangement along which nothing is divided has parts with the same elements: each has its own (but
 *     .read_only), df_dist_gather takes the first one's.
 *     Scatter, gather, update and exchange are tasks of the current scope and return immediately. A kernel declares
 *     all elements of a part, however few it accesses: then they stay on the device, and only halos move, from device
 *     to device. An update goes through dimensions 0, 1, 2 in this order and takes the halos that it filled
 *     along: after an exchange corners and edges are right. A halo may be longer than the neighbour's part, or the
 *     array. The meaning of a halo at an end of the array is its .edge; DF_EDGE_NONE: df never writes there, it
 *     begins as 0. Parts that are contiguous in the array and have no halo lie in the array itself; scatter and gather
 *     do nothing for them: between the two only kernels access the elements of the array. Memory of other
 *     parts begins as 0; it is held (df_gpu_hold), so the host accesses p->data in tasks that declare it.
 *     Threads: any.
 *   Errors: with NULL for a distribution the calls that return a df_result return DF_ERROR_DIST.
 *   Source: Yan et al., Supporting Multiple Accelerators in High-Level Programming Models, PMAM 2015; HPF. */
#include "impl/api/dist.h"

DFI_END
#endif /* DF_GPU_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_GPU_IMPLEMENTED)
#define DFI_GPU_IMPLEMENTED
DFI_IMPL_BEGIN
#include "impl/gpu/gpu.h"
DFI_IMPL_END
#endif

/* ------------------------------------------------------------------------------------ >>licence
 * MIT licence
 *
 * Copyright (c) 2026 The df authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
 * and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
 * subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial
 * portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
 * NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
 * WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
 * SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
