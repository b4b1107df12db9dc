/* submit_options.h - options of a submitted task, >>options
 *
 *   df_submit_with(opts, name, args...);   df_submit with options, as in
 *             df_submit_with(DF_OPTS(.priority = 2, .name = "gemm 3,1"), gemm, ...);
 *             opts: a const df_opts *, read during the call; NULL: none.
 *   DF_OPTS(.field = value, ...)   options that live as long as the call that they are written in: &(df_opts){ ... }
 *             in C, and the same in C++11 and later. The fields may be in any order. Parenthesise a value that
 *             contains a comma, because the preprocessor splits arguments at commas.
 *   df_release(p, n);   releases the n elements at p early: the running task, submitted with .release = 1, and its
 *             children so far no longer access them, so successors that need only these elements may start. Called in
 *             the body of a task.
 *             Errors: in a task without .release = 1 the call is reported, and the memory is released when the task
 *             ends.
 *   DF_MAIN_THREAD                 df_opts.worker: worker 0, the thread that started the pool. It runs such tasks
 *             while it waits in df.
 *   DF_HOST                        df_opts.device: the host, which is never a number of a device
 *   DF_ANY_GPU                     df_opts.device: the best device for the launch, as 0
 *   DF_ANY_DEVICE                  df_opts.device: the best device or the host, by the times that the kernel took
 *             there; for kernels of DF_KERNEL_OR, and for df_pick_opts
 *
 *     The options of other calls are written alike: DF_LOOP_OPTS(...), DF_PIPE_OPTS(...), DF_CONFIG(...), and
 *     DF_PICK_OPTS(...) of df_gpu.h. Zero in a field means its default.
 *     Threads: any. */
#ifndef DFI_API_SUBMIT_OPTIONS_H
#define DFI_API_SUBMIT_OPTIONS_H

#include "need.h"
#include "options.h"
#include "stream.h"
#include "value.h"
#include "../base/compiler.h"

/* Options of df_submit_with and df_launch_with. */
typedef struct df_opts {
    size_t size;                   /* its sizeof, from DF_OPTS; 0: that of 0.9 (docs/libdf.md) */
    int priority;                  /* ready tasks with a larger value run first; default 0 */
    int worker;                    /* runs only on worker 1, 2, .. df_workers()-1, or DF_MAIN_THREAD; 0: any. A waiting
                                      worker without other work runs tasks pinned to it, from any scope */
    const char *name;              /* for messages and traces, kept by address; default: the function's */
    struct df_token *const *after; /* DF_TOKENS(&t, &u): the task starts when they are open */
    struct df_token *const *signals; /* DF_TOKENS(...): signalled when the task is done */
    struct df_group *group;        /* df_group_cancel of this group cancels the task */
    int release;                   /* 1: the task calls df_release */
    int device;                    /* of a launch (df_gpu.h): 1, 2, ..; DF_HOST; 0, DF_ANY_GPU: the best device */
    int deterministic;             /* 1: reductions of such tasks are combined in the order of submission */
    int always;                    /* 1: the task runs even if it is to be skipped (error.h) */
    struct df_handle *handle;      /* becomes the handle of the task: df_done, df_wait_task */
    void *result;                  /* DF_RESULT(name, &r): the result of the task is stored in r when its body ends; r
                                      must live until the task is done */
    ptrdiff_t rank;                /* over ranks (df_mpi.h): DF_RANK(r), DF_EACH_RANK; 0: by the data that it writes */
    /* new fields come last (base/sized.h) */
} df_opts;
enum { DFI_OPTS_0_9 = offsetof(df_opts, rank) + sizeof(ptrdiff_t) };
enum { DF_HOST = -1, DF_ANY_GPU = -2, DF_ANY_DEVICE = -3 };
enum { DF_MAIN_THREAD = -1 };
#define DF_OPTS(...) DFI_SIZED_OPTIONS(df_opts, dfi_opts_fields, __VA_ARGS__)
#if defined(__cplusplus)
/* The fields of df_opts, with storage for the result of DF_TOKENS. */
struct dfi_opts_fields {
    int priority, worker;
    const char *name;
    dfi_token_field after, signals;
    struct df_group *group;
    int release, device, deterministic, always;
    struct df_handle *handle;
    void *result;
    ptrdiff_t rank;
    df_opts made;
};
inline const df_opts *dfi_options_at(dfi_opts_fields &&o)
{
    o.made.size = sizeof o.made, o.made.priority = o.priority, o.made.worker = o.worker, o.made.name = o.name;
    o.made.after = o.after.get(), o.made.signals = o.signals.get();
    o.made.group = o.group, o.made.release = o.release, o.made.device = o.device;
    o.made.deterministic = o.deterministic, o.made.always = o.always;
    o.made.handle = o.handle, o.made.result = o.result, o.made.rank = o.rank;
    return &o.made;
}
#endif
#define df_submit_with(opts, ...) \
    DFI_CAT(DFI_SUBMIT_WITH_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(opts, __VA_ARGS__)
#define DFI_SUBMIT_WITH_1(opts, name)      DFI_OF(name, _dfi_with)(opts, DFI_SITE)
#define DFI_SUBMIT_WITH_0(opts, name, ...) DFI_STREAM_CALL DFI_OF(name, _dfi_with)(opts, DFI_SITE, __VA_ARGS__)

#define df_release(p, n) DFI_NEEDING(more, dfi_release((p), DFI_BYTES_OF(n, *(p))))

DFI_EXTERN_C_BEGIN
DFI_API void dfi_release(const void *p, size_t bytes);
DFI_EXTERN_C_END

#endif
