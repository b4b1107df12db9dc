/* df.h - dataflow and task parallelism for plain C, in a header
 *
 * WHAT  Write one declaration line above a function and it can run as a task: forked and joined at a few
 *       nanoseconds (df_spawn, df_sync), or submitted and ordered with all others by the memory it
 *       declares to read and write (df_submit). Tasks run on all CPUs the process may use.
 *
 * DO THIS
 *       #define DF_IMPLEMENTATION      in ONE C file, before
 *       #include "df.h"
 *       and link with -pthread (nothing on glibc 2.34 and later). The other files just include it.
 *
 * A COMPLETE PROGRAM
 *       #define DF_IMPLEMENTATION
 *       #include "df.h"
 *       #include <stdio.h>
 *
 *       DF_TASK(long, fib, (long, n));
 *       long fib(long n)
 *       {
 *           if (n < 2) return n;
 *           df_future(fib) a;
 *           df_spawn(fib, &a, n - 1);
 *           long b = fib(n - 2);
 *           return df_sync(fib, &a) + b;
 *       }
 *       int main(void) { printf("%ld\n", fib(38)); }
 *
 * OPTIONS  Same in all files:
 *       DF_SERIAL       every construct is the plain call it stands for: no thread, no atomic, any C99
 *                       compiler. The output of a correct program is the same byte for byte.
 *       DF_DEBUG        0 (default) nothing; 1 misuse is reported with file and line of the call; 2 also
 *                       invariants of df itself; 3 the same with yields injected.
 *     Implementation file only:
 *       DF_MALLOC(n), DF_FREE(p)   replace malloc and free.
 *       DF_DEVELOP      warnings inside df.h are shown (for work on df itself).
 *     Environment: DF_WORKERS, DF_CPUSET, DF_DEQUE, DF_WINDOW, DF_DEFER, see df_config below.
 *
 * ERRORS  df never exits and never hangs: without memory or threads the work is done here and now,
 *       slower, and that is said once through the logger (df_config.log; default: stderr).
 *
 * NOT   df does not preempt tasks, and a task that blocks in the operating system blocks its worker.
 *
 * SECTIONS  search for >>tasks  >>dataflow  >>life  >>implementation  >>licence (last)
 *       Examples are in examples/; the arguments behind the lock-free parts in docs/memory-order.md.
 */
#ifndef DF_H
#define DF_H

#define DF_VERSION_MAJOR 0
#define DF_VERSION_MINOR 1
#define DF_VERSION_PATCH 0

/* Errors in a call are then shown at the user's line only. Not for clang: it would hide them. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif

#include "impl/dfi_base.h"
#include "impl/dfi_pp.h"
#if defined(DF_SERIAL)
#include "impl/dfi_serial.h"
#else
#include "impl/dfi_atomic.h"
#include "impl/dfi_core.h"
#endif
#include "impl/dfi_declare.h"

/* ------------------------------------------------------------------------------------- >>tasks
 * Declaring tasks; fork and join
 *
 *   DF_TASK(R, name, param, ...);         declares  R name(...)  and makes it a task; 0 to 16 parameters
 *   DF_STATIC_TASK(R, name, param, ...);  the same with internal linkage
 *
 *     R       any result type, void, or a pointer. A task of df_submit has its result dropped.
 *     param   (T, x)                   by value, copied when the task is created
 *             df_in(T, p, n)           reads n elements at p                      const T *p
 *             df_out(T, p, n)          writes n elements, reads none              T *p
 *             df_inout(T, p, n)        reads and writes them                      T *p
 *             df_commute(T, p, n)      as inout, in any order among such tasks    T *p
 *             df_concurrent(T, p, n)   as inout; the tasks synchronise themselves T *p
 *             df_reduce(op, T, p, n)   accumulates with op (df_sum, df_min, ...)  T *p
 *             df_in2(T, p, rows, cols, ld)      a block of a row-major matrix whose rows are ld elements
 *                      apart (column-major: swap rows and cols); df_out2, df_inout2, df_commute2,
 *                      df_reduce2(op, ...) alike
 *             df_in_range(T, b, e)     elements from b up to, not including, e    const T *b, const T *e
 *                      df_out_range, df_inout_range alike
 *     n, rows, cols, ld: elements of T; any expression over the other parameters. Zero or negative:
 *             nothing is accessed.
 *     In this version commute, concurrent and reduce order tasks like inout: correct, one at a time.
 *
 *   The declaration is an ordinary prototype: the function is defined, called and debugged as ever, and
 *   a function of another library becomes a task by declaring it again this way.
 *   T must be one a pointer can be formed to by writing T *: use a typedef for arrays and functions.
 *
 *   df_future(name) f;             a variable, in the function that spawns and syncs it
 *   df_spawn(name, &f, args...);   the call may run on another worker from now on; args are evaluated here
 *   R df_sync(name, &f);           its result; runs it here if nobody took it
 *
 *     Every spawn needs one sync, by the same thread, in the same function. Latest spawned first is
 *     fastest; any order is correct. A spawned function that submits tasks waits for them before it
 *     returns (df_wait or DF_PARALLEL). Spawns ignore access modes: sync is their only order.
 *     Threads: any. The first construct used starts the pool.
 *     Cost: about 2 ns more than a call for spawn and sync together; no atomic read-modify-write.
 *   Source: Cilk's spawn/sync; X-Kaapi's task declarations (RT-0418, 4.2 to 4.4). */
#define DF_TASK(R, ...)        DFI_TASK(extern, R, __VA_ARGS__)
#define DF_STATIC_TASK(R, ...) DFI_TASK(static, R, __VA_ARGS__)

#define df_future(name)     DFI_CAT(name, _future)
#if DF_DEBUG && !defined(DF_SERIAL)
#define df_spawn(name, ...) (dfi_here(DFI_SITE), DFI_CAT(name, _spawn)(__VA_ARGS__))
#define df_sync(name, ...)  (dfi_here(DFI_SITE), DFI_CAT(name, _sync)(__VA_ARGS__))
#else
#define df_spawn(name, ...) DFI_CAT(name, _spawn)(__VA_ARGS__)
#define df_sync(name, ...)  DFI_CAT(name, _sync)(__VA_ARGS__)
#endif

/* ---------------------------------------------------------------------------------- >>dataflow
 * Tasks ordered by the memory they touch
 *
 *   df_submit(name, args...);      a child of the current scope; starts when its accesses allow
 *   df_wait();                     until all children of this scope, and all they submitted, are done
 *   df_wait_on(p, bytes);          until the tasks so far that write to those bytes are done
 *   DF_PARALLEL { ... }            a scope: waits for its tasks at the closing brace
 *   df_parallel(fn, arg);          the same as a function: fn(arg) is the block
 *   T *df_local(T, n)              n zeroed T that live until the tasks of this scope are done; NULL
 *                                  without memory
 *
 *     A scope is a DF_PARALLEL block, the body of a running task, or else the thread itself. Children of
 *     one scope behave as if executed in the order of submission: two of them are ordered if and only
 *     if regions they declared share an element and one of the two writes it, whatever the shapes.
 *     A task is done when its body and all tasks it submitted are; it need not wait for them.
 *     Submitting more than df_config.window unfinished tasks runs tasks in the submitter.
 *     `break` and, with gcc and clang, `return` and `goto` leave DF_PARALLEL like the closing brace.
 *     Who waits runs only tasks of the scope it waits for (or below it): a lock held across a wait is
 *     safe as long as those tasks do not take it.
 *     Threads: any; a scope belongs to the thread that entered it.
 *   Source: X-Kaapi RT-0418, 4.3 to 4.6; StarSs. */
#define df_submit(...) DFI_CAT(DFI_SUBMIT_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(__VA_ARGS__)
#define DFI_SUBMIT_1(name)      DFI_CAT(name, _submit)()
#define DFI_SUBMIT_0(name, ...) DFI_CAT(name, _submit)(__VA_ARGS__)

#define df_local(T, n) ((T *)dfi_local_alloc((size_t)(n), sizeof(T)))

/* -------------------------------------------------------------------------------------- >>life
 * Starting, stopping, settings, errors, counters. None of this is needed: the first construct starts
 * the pool with the defaults, and it ends with the process. */

/* Results of calls that can fail. */
typedef enum df_result {
    DF_OK = 0,
    DF_ERROR_MEMORY = -1,  /* out of memory; nothing was started */
    DF_ERROR_STARTED = -2  /* df_start while the pool runs: call df_stop first, or earlier than any construct */
} df_result;

/* Zero in a field means its default. A field wins over the environment variable. */
typedef struct df_config {
    int workers;          /* threads that run tasks, the caller included; DF_WORKERS; default: CPUs of the
                             affinity mask, at most what the cgroup quota allows */
    const char *cpuset;   /* "1,2,6,8" or "0-11,20-31": workers are pinned to these CPUs, and there is one
                             for each unless `workers` says otherwise; DF_CPUSET; default: not pinned */
    size_t deque;         /* spawned or ready tasks one worker can hold, at least 2; one more is run at once;
                             DF_DEQUE; default 16384 */
    size_t window;        /* unfinished tasks per scope; DF_WINDOW; default 2048 */
    size_t stack_bytes;   /* of helper threads; default: the system's, at least 1 MiB */
    int defer;            /* 1: a single worker also queues the tasks of df_submit, as several do, instead of
                             running each at once; to look at edges and order; DF_DEFER; default 0 */
    void (*log)(void *log_arg, int level, const char *text); /* level 1 error, 2 warning; any thread */
    void *log_arg;
} df_config;

/* Counted since the program started; exact when no task runs. */
typedef struct df_counters {
    uint64_t tasks;   /* of df_submit, run */
    uint64_t edges;   /* between a submitted task and an unfinished one it has to follow */
    uint64_t steals;  /* tasks and futures taken from another worker */
    uint64_t parks;   /* times a worker went to sleep */
} df_counters;

DFI_EXTERN_C_BEGIN
/* Starts the pool; the calling thread is worker 0. config may be NULL. Threads: any, while no other uses df. */
DFI_API df_result df_start(const df_config *config);
/* Ends the helper threads after the caller's tasks are done. The next construct starts them again.
 * Threads: any, outside of tasks and DF_PARALLEL, while no other uses df. */
DFI_API void df_stop(void);
/* Number of workers, and the index of the calling one: 0 .. df_workers() - 1; larger in further threads
 * of the program. Both start the pool. */
DFI_API int df_workers(void);
DFI_API int df_worker(void);
/* Fills *counters. */
DFI_API df_result df_stats(df_counters *counters);
/* One sentence, never NULL. */
DFI_API const char *df_error_text(df_result r);
DFI_EXTERN_C_END

#if defined(DF_SERIAL)
#define df_wait()            ((void)0)
#define df_wait_on(p, bytes) ((void)(p), (void)(bytes))
#define df_parallel(fn, arg) ((fn)(arg))
#else
DFI_EXTERN_C_BEGIN
DFI_API void df_wait(void);
DFI_API void df_wait_on(const void *p, size_t bytes);
DFI_API void df_parallel(void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END
#endif

#if defined(__GNUC__)
#define DFI_AT_END_OF_BLOCK __attribute__((cleanup(dfi_scope_leave)))
#else
#define DFI_AT_END_OF_BLOCK
#endif
#define DF_PARALLEL                                                                                  \
    for (DFI_AT_END_OF_BLOCK struct dfi_block DFI_CAT(dfi_b_, __LINE__) = dfi_scope_enter(DFI_SITE); \
         DFI_CAT(dfi_b_, __LINE__).open; dfi_scope_leave(&DFI_CAT(dfi_b_, __LINE__)))

#endif /* DF_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_IMPLEMENTED)
#define DFI_IMPLEMENTED
#include "impl/dfi_common_impl.h"
#if defined(DF_SERIAL)
#include "impl/dfi_serial_impl.h"
#else
#include <limits.h>
#include "impl/dfi_os.h"
#include "impl/dfi_region.h"
#include "impl/dfi_types.h"
#include "impl/dfi_log.h"
#include "impl/dfi_os_impl.h"
#include "impl/dfi_blocks.h"
#include "impl/dfi_table.h"
#include "impl/dfi_deque.h"
#include "impl/dfi_sched.h"
#include "impl/dfi_scope.h"
#include "impl/dfi_future.h"
#include "impl/dfi_flow.h"
#include "impl/dfi_config.h"
#include "impl/dfi_life.h"
#endif
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
