/* wait.h - waiting for tasks, >>waiting
 *
 *   df_wait();                     waits until all children of this scope, and all their descendants, are done.
 *             Errors: none; an error of the tasks stays with the scope until df_wait_result returns it.
 *   df_wait_on(p, bytes);          waits until the tasks submitted so far that write to those bytes are done.
 *             (Meanwhile tasks of the scope run nested in the wait. If one of them waits for progress of the code
 *             after the wait, as in df_retry, it is reported as stuck; df_wait_token sleeps instead.)
 *   df_wait_on2(p, rows, cols, ld);   as df_wait_on, for a block: rows of cols elements of *p, ld elements apart
 *   df_wait_on_list(list, n);      as df_wait_on, for n regions, df_region list[n]. For a region with a mode that
 *             writes, such as DF_INOUT, it also waits for the tasks that read it.
 *   df_region_of(p, n);  df_region2_of(p, rows, cols, ld)
 *             n elements of *p, and a block, as a df_region. A negative count stands for all memory from p on.
 *   DF_PARALLEL { ... }            a scope: waits for its tasks at the closing brace. `break` and, with gcc and
 *             clang, `return` and `goto` leave it like the closing brace. It nests, and is one statement. So do the
 *             blocks of coroutines that share a thread: the one that was opened last ends first.
 *             Errors: an error that no df_wait_result of the block has returned goes to the scope around it.
 *   df_parallel(fn, arg);          DF_PARALLEL as a function: void fn(void *arg) is the block
 *
 *     A waiting thread runs only tasks inside the scope it waits for. So it is safe to hold a lock across a wait,
 *     provided that those tasks do not acquire it. There are two exceptions: in the body of a task with weak
 *     accesses, a wait may run any task that precedes it; and a waiting worker runs preceding tasks that are pinned
 *     to it. Without such a task, a thread that waits sleeps.
 *     Threads: any; each waits for the tasks of its own scope. Not inside an atomic block of df_stm.h.
 */
#ifndef DFI_API_WAIT_H
#define DFI_API_WAIT_H

#include "core.h"
#include "need.h"
#include "value.h"
#include "../base/compiler.h"

/* A region of memory, made by df_region_of and df_region2_of. */
typedef struct df_region {
    const void *p;   /* the first byte */
    size_t bytes;    /* bytes of a row */
    size_t rows;     /* number of rows; 1: an array */
    size_t distance; /* bytes from the beginning of a row to that of the next one; any with one row */
    unsigned mode;   /* df_call: DF_IN, .. */
    const struct df_operator *op; /* df_call: of DF_REDUCE */
} df_region;
#define df_region_of(p, n)               dfi_region_from((p), sizeof *(p), 1, (n), 0)
#define df_region2_of(p, rows, cols, ld) dfi_region_from((p), sizeof *(p), (rows), (cols), (ld))
DFI_INLINE df_region dfi_region_bytes_at(const void *p, size_t bytes)
{
    df_region r;
    r.p = p, r.bytes = bytes, r.rows = 1, r.distance = 0, r.mode = 0, r.op = NULL;
    return r;
}
DFI_INLINE df_region dfi_region_from(const void *p, size_t size, long long rows, long long cols, long long ld)
{
    df_region r;
    r.p = p, r.mode = 0, r.op = NULL;
    r.bytes = dfi_count_bytes(cols, size), r.rows = dfi_count_bytes(rows, 1), r.distance = dfi_count_bytes(ld, size);
    return r;
}

DFI_EXTERN_C_BEGIN
DFI_API void df_wait(void);
DFI_API void df_wait_on(const void *p, size_t bytes);
DFI_API void df_wait_on_list(const df_region *list, int n);
DFI_API void df_parallel(void (*fn)(void *arg), void *arg);
DFI_API void dfi_wait_here(const char *site);
DFI_API void dfi_wait_on_list_here(const df_region *list, int n, const char *site);
DFI_EXTERN_C_END
DFI_INLINE void dfi_wait_on_here(df_region r, const char *site) { dfi_wait_on_list_here(&r, 1, site); }
#define df_wait_on2(p, rows, cols, ld) \
    DFI_NEEDING(dataflow, dfi_wait_on_here(df_region2_of((p), (rows), (cols), (ld)), DFI_SITE))
/* In a parallel build these calls also pass their file and line, for the stall report. */
#if !defined(DF_SERIAL)
#define df_wait()             DFI_NEEDING(dataflow, dfi_wait_here(DFI_SITE))
#define df_wait_on(...)       DFI_NEEDING(dataflow, dfi_wait_on_here(dfi_region_bytes_at(__VA_ARGS__), DFI_SITE))
#define df_wait_on_list(...)  DFI_NEEDING(dataflow, dfi_wait_on_list_here(__VA_ARGS__, DFI_SITE))
#endif

#if DFI_GNU
#define DFI_AT_END_OF_BLOCK __attribute__((cleanup(dfi_scope_leave)))
#else
#define DFI_AT_END_OF_BLOCK
#endif
#include "throw_wait.h"
#if !DFI_EXCEPTIONS
#define DF_PARALLEL                                                                         \
    for (DFI_AT_END_OF_BLOCK struct dfi_parallel_block DFI_CAT(dfi_b_, __LINE__) =          \
             DFI_NEEDING(dataflow, dfi_scope_enter(DFI_SITE));                              \
         DFI_CAT(dfi_b_, __LINE__).open; dfi_scope_leave(&DFI_CAT(dfi_b_, __LINE__)))
#endif

#endif
