/* df_owm.h - owner-writable memory: large data that tasks hand on in place, with ownership checked instead of assumed
 *
 * WHAT  Memory whose parts each have at most one owner that writes, or any number of readers. A task acquires the
 * part
 *       that it works on and releases it at its end. Ownership does not order tasks: tokens, streams, regions or
 *       futures do. It declares which task may write where, so that
 *           - a build with DF_CHECK reports every task that violates it, with both places in the source;
 *           - the same program runs where memory is not shared (DF_OWM_COPIES): acquire fetches the data, release
 *             publishes it;
 *           - a release build pays nothing: acquire and release compile to no code.
 *
 * DO THIS
 *       #define DF_IMPLEMENTATION      in ONE C file, before
 *       #include "df_owm.h"            which includes df.h
 *       and link with -pthread. The other files just include it; before the DF_TASK lines of tasks that acquire
 *       something.
 *
 * A COMPLETE PROGRAM
 *       #define DF_IMPLEMENTATION
 *       #include "df_owm.h"
 *       #include <stdio.h>
 *
 *       DF_TASK(void, fill, df_owm_out(int, a, n), (int, n), df_push(char, done, 1));
 *       void fill(int *a, int n, char *done)
 *       {
 *           for (int i = 0; i < n; i++) a[i] = i;
 *           *done = 1;
 *       }
 *       DF_TASK(void, print, df_owm_in(int, a, n), (int, n), df_pop(char, done, 1));
 *       void print(const int *a, int n, const char *done)
 *       {
 *           (void)done;
 *           printf("%d\n", a[n - 1]);                         prints 999
 *       }
 *       int main(void)
 *       {
 *           int *a = (int *)df_owm_alloc(1000 * sizeof *a);
 *           df_stream *done = df_stream_new(1, 1);
 *           df_submit(fill, a, 1000, done);
 *           df_submit(print, a, 1000, done);                  after fill: the stream orders them
 *           df_wait();
 *           df_stream_free(done);
 *           df_owm_free(a);
 *       }
 *
 * OPTIONS
 *     Same in all files:
 *       DF_CHECK         1: violations of ownership are reported, too. Ownership is then recorded, under a lock: less
 *                        than three times slower if a task does some work on the memory it acquires
 *       DF_OWM_COPIES    1: the program may run as several processes (df_owm_join), each with a copy of its own of
 *                        owner-writable memory. Needs POSIX. The rules for acquire and release are then always
 *                        checked
 *       DF_SERIAL        one process, one thread, no checks
 *     Environment:
 *       DF_OWM_PROCESSES=4   the number of processes that df_owm_join makes if it is called with 0
 *       DF_OWM_BYTES=256M    room for owner-writable memory of several processes; default 1G (64M with pointers of 32
 *                            bits). Only the pages in use take memory.
 *
 * ERRORS  A violation is one message (df_config.log; default: stderr), and DF_ERROR_OWNER from the call that
 *       finds it. The program continues as if it had followed the rules.
 *
 * NOT   No synchronisation: acquire does not wait. docs/guide/memory.md is the guide to the kinds of memory of a
 *       program, to the checks, and to the mistakes they cannot find.
 *
 * SECTIONS  search for >>memory  >>parameters  >>processes  >>implementation  >>licence (last)
 * Source: TERAFLUX D3.5, 2.5 and 3.3 (owner-writable memory, OpenStream's cache clause). */
#include "df.h"

#ifndef DF_OWM_H
#define DF_OWM_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif
DFI_BEGIN

#include "impl/api/owm_settings.h"

#if defined(DF_SERIAL)
#define DFI_OWM_NEED DFI_OF_VERSION( \
    df_owm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_owm_h__and_DF_SERIAL_in_all)
#elif DF_OWM_COPIES && DF_CHECK
#define DFI_OWM_NEED DFI_OF_VERSION( \
    df_owm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_owm_h__and_DF_OWM_COPIES_and_DF_CHECK_in_all)
#elif DF_OWM_COPIES
#define DFI_OWM_NEED DFI_OF_VERSION( \
    df_owm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_owm_h__and_DF_OWM_COPIES_in_all)
#elif DF_CHECK
#define DFI_OWM_NEED DFI_OF_VERSION( \
    df_owm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_owm_h__and_DF_CHECK_in_all)
#else
#define DFI_OWM_NEED DFI_OF_VERSION(df_owm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_owm_h)
#endif
DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_OWM_NEED[1];
DFI_EXTERN_C_END
#if DFI_GNU
static char *const dfi_owm_need __attribute__((used, unused)) = DFI_OWM_NEED;
#endif

/* ------------------------------------------------------------------------------------ >>memory
 * Memory and ownership
 *
 *   void *df_owm_alloc(bytes)          zeroed memory for any type; NULL without memory
 *   df_owm_free(p)                     frees memory of df_owm_alloc; NULL does nothing.
 *             Errors: memory that is freed twice, was never allocated, or of which a part is owned is reported.
 *   df_result df_owm_acquire(p, bytes, mode)   the caller owns the bytes at p from here on. mode is DF_OWM_R,
 *             DF_OWM_W or DF_OWM_RW.
 *             Errors: DF_ERROR_OWNER: others own them for writing or, to write, own them at all; the caller has
 *             acquired them already; or, to write, they are frozen.
 *   df_result df_owm_release(p, bytes)   ends ownership of these bytes: of all that was acquired, a part of it, or
 *             several parts at once. The next owner sees the writes.
 *             Errors: DF_ERROR_OWNER: the caller has not acquired them.
 *   df_result df_owm_freeze(p, bytes)   single assignment: from now on, and until they are freed, the bytes are only
 *             read. No other task may own them for writing; a caller that does stops writing and releases them as
 *             usual.
 *   df_result df_owm_owner(p, &ownership)   fills a df_owm_ownership: the owner of the byte at p. Known where
 *             ownership is recorded (DF_CHECK, DF_OWM_COPIES); else it is none.
 *
 *     p and bytes: any part of one allocation; 0 bytes: nothing. The owner is the innermost running task, loop part
 *     or stage of a pipe, else the thread. A task that owns memory and submits tasks to work on parts of it releases
 *     it first.
 *     DF_CHECK reports each violation once, and the call returns DF_ERROR_OWNER, also for bytes outside of the
 *     allocation and an unknown mode. It also reports a task that ends without releasing memory acquired by
 *     df_owm_acquire (it is released then), and writes without ownership: docs/guide/memory.md says when.
 *     Threads: any.
 *     Cost: nothing; with DF_CHECK 0.3 to 4 us, and up to 0.4 us for each page. */

/* Modes of df_owm_acquire. */
typedef enum df_owm_mode {
    DF_OWM_R = 1,   /* to read the bytes: they have the values released last. Others may read them, too */
    DF_OWM_W = 2,   /* to write them, exclusively. Bytes that are not written keep their values */
    DF_OWM_RW = 3   /* to read and write them, exclusively */
} df_owm_mode;
/* The owner of a byte, as df_owm_owner tells it. */
typedef struct df_owm_ownership {
    int mode;       /* DF_OWM_R, DF_OWM_W, DF_OWM_RW; 0: none, or not known */
    int process;    /* see df_owm_join */
    char who[56];   /* "task f", or "a thread" */
    char site[88];  /* "file.c:12", where it was acquired; the end of it if it is long */
} df_owm_ownership;

#define df_owm_alloc(bytes) dfi_owm_alloc((bytes), DFI_SITE)
#define df_owm_free(p)      dfi_owm_free((p), DFI_SITE)
#if DFI_OWM_CALLS
#define df_owm_acquire(p, bytes, mode) dfi_owm_acquire((p), (bytes), (mode), DFI_SITE)
#define df_owm_release(p, bytes)       dfi_owm_release((p), (bytes), DFI_SITE)
#define df_owm_freeze(p, bytes)        dfi_owm_freeze((p), (bytes), DFI_SITE)
#else
/* The order of the tasks makes writes visible, too, so nothing is left to do. No functions of the arguments: gcc 12
 * lays loops out in another way around a call, even if nothing is left of it. */
DFI_INLINE df_result dfi_owm_nothing(void) { return DF_OK; }
DFI_INLINE const void *dfi_owm_pointer(const void *p) { return p; } /* checks the type */
#define DFI_OWM_POINTER(p) (void)(p), (void)sizeof dfi_owm_pointer(p)
#define df_owm_acquire(p, bytes, mode) (DFI_OWM_POINTER(p), (void)(size_t)(bytes), (void)(mode), dfi_owm_nothing())
#define df_owm_release(p, bytes)       (DFI_OWM_POINTER(p), (void)(size_t)(bytes), dfi_owm_nothing())
#define df_owm_freeze(p, bytes)        (DFI_OWM_POINTER(p), (void)(size_t)(bytes), dfi_owm_nothing())
#endif
DFI_EXTERN_C_BEGIN
DFI_API void *dfi_owm_alloc(size_t bytes, const char *site);
DFI_API void dfi_owm_free(void *p, const char *site);
DFI_API df_result df_owm_owner(const void *p, df_owm_ownership *ownership);
DFI_EXTERN_C_END

/* -------------------------------------------------------------------------------- >>parameters
 * Parameters that are acquired
 *
 *   df_owm_in(T, p, n)   a parameter of DF_TASK: the body owns the n elements at p to read them;  const T *p
 *   df_owm_out(T, p, n)     a parameter of DF_TASK: to write them;  T *p
 *   df_owm_inout(T, p, n)   a parameter of DF_TASK: to read and write them;  T *p
 *
 *     They are acquired when the body begins, in whatever way it was started: df_submit, df_spawn, a node, a window
 *     of a stream; not when the function is called directly. They are released when it ends, or earlier by
 *     df_owm_release. n: any expression over the parameters. They do not order tasks, are not renamed, and the
 *     parameters of one task may overlap. Not for loops and kernels: acquire around df_for, or parts of it in the
 *     body. */
#include "impl/api/owm_words.h"

/* --------------------------------------------------------------------------------- >>processes
 * The same program as several processes that share no memory
 *
 *   int df_owm_join(name, processes)   becomes one of them: 0 .. df_owm_processes() - 1. name NULL: forks, and
 *             returns in each process; process 0 is the caller, and its end waits for the others. A name
 *             ("/simulation"): waits until so many have called it with that name, on this machine. processes 0:
 *             DF_OWM_PROCESSES, or 1. Once, before anything else of df, by one thread.
 *             Errors: 0 and a message: one process continues.
 *   int df_owm_processes()             how many there are; 1 before df_owm_join and in all other builds
 *   df_owm_advance(event)              counts event 0 .. DF_OWM_EVENTS - 1: the memory that this process released so
 *             far can be acquired by the processes that await it
 *   df_result df_owm_await(event, n)   waits until event was counted n times, by all processes together. It blocks
 *             the thread.
 *             Errors: DF_ERROR_STUCK: a process died, which is reported with the memory it owned; or all others have
 *             ended, after DF_PATIENCE seconds (30).
 *   DF_OWM_EVENTS                      the number of events, a constant
 *
 *     They are several with DF_OWM_COPIES; in other builds, one. df_owm_alloc and df_owm_free are then calls that all
 *     processes make, in the same order and with the same sizes; the memory has the same address in each. Everything
 *     else is private to a process: tasks, streams, variables.
 *     Threads: any.
 *   Source: events: Reed and Kanodia, Synchronization with Eventcounts and Sequencers, CACM 1979; allocation:
 *     OpenSHMEM's symmetric heap. */
enum { DF_OWM_EVENTS = 256 };
#define df_owm_await(event, n)  dfi_owm_await((event), (n), DFI_SITE)
#define df_owm_advance(event)   dfi_owm_advance((event), DFI_SITE)
DFI_EXTERN_C_BEGIN
DFI_API int df_owm_join(const char *name, int processes);
DFI_API int df_owm_processes(void);
DFI_API void dfi_owm_advance(int event, const char *site);
DFI_API df_result dfi_owm_await(int event, long n, const char *site);
DFI_EXTERN_C_END

DFI_END
#endif /* DF_OWM_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_OWM_IMPLEMENTED)
#define DFI_OWM_IMPLEMENTED
DFI_IMPL_BEGIN
#include "impl/owm/owm.h"
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
