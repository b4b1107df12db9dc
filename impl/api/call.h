/* call.h - tasks whose function and accesses are known only at run time, >>call
 *
 *   df_call(opts, fn, arg, bytes, list, n);   submits a task: fn(a, p) runs in the order that its accesses to
 *             list[0] .. list[n-1] need, like a task of DF_TASK that declares them. a is a copy of the `bytes`
 *             bytes at arg, aligned for any scalar type. p[i] is list[i].p, or a private copy of that region
 *             (DF_REDUCE, renaming), with the same distance between its rows: fn takes all addresses from p.
 *             opts: as in df_submit_with, but for .result; NULL: none. list: any number of regions, read during the
 *             call.
 *             Returns DF_OK; DF_ERROR_MEMORY, which is possible if n is above 16 or `bytes` above 300;
 *             DF_ERROR_ARGUMENT if fn is NULL, n is negative, or memory of a size above 0 is NULL. Then nothing was
 *             submitted. A mode that does not exist and DF_REDUCE without an operator are reported, and stand for
 *             DF_INOUT.
 *             Cost: that of df_submit, and with three regions 160 instructions, or 240 if it is queued.
 *   df_body                        the type of fn: void fn(void *arg, void *const *p)
 *   DF_IN, DF_OUT, DF_INOUT        df_region.mode: the task reads, writes, or does both; 0 is DF_IN
 *   DF_COMMUTE, DF_CONCURRENT, DF_REDUCE   df_region.mode: as df_commute, df_concurrent, and df_reduce with the
 *             operator df_region.op
 *   DF_WEAK                        with one of the first three, as in DF_INOUT | DF_WEAK: for the tasks that fn
 *             submits, as df_weak_inout
 *   DF_OPERATOR(name, op, T);      declares `name`, a df_operator: op as in df_reduce, df_sum or the name of a
 *             DF_REDUCTION, and T the type of its elements. Tasks of both kinds that reduce a region with op do that
 *             together
 *   int df_accesses(name, list, n, args...);   what df_submit(name, args...) would access: fills list[0] .. list[n-1]
 *             in the order of the parameters, with modes and without operators. Returns the number of accesses, of
 *             which only n are stored. Not for tasks with streams.
 *   df_units_of(s, k)              a df_region that stands for k units of the df_semaphore at s, as df_limit(s, k).
 *             Not in a task with DF_WEAK
 *
 *         static void axpy(void *arg, void *const *p) { ... y[i] += *(double *)arg * x[i] ... }
 *         df_region r[2] = { df_region_of(x, n), df_region_of(y, n) };
 *         r[1].mode = DF_INOUT;
 *         df_call(DF_OPTS(.name = "axpy"), axpy, &a, sizeof a, r, 2);
 *
 *     For lists of blocks, for compilers, and for other languages. A task of df_call and one of DF_TASK are ordered by
 *     the same rules, and have the same options. Calls with the same function and name are one kind of task in
 *     statistics and traces. A box of three dimensions is a block for each of its planes.
 *     df keeps about 100 bytes for each function, name (by its address; of the first 1000) and set of modes.
 *     Threads: any; the task is a child of the scope of the caller.
 *   Source: X-Kaapi RT-0418, 4.3 (tasks with run-time access lists); StarPU, OmpSs-2. */
#ifndef DFI_API_CALL_H
#define DFI_API_CALL_H

#include "limits.h"
#include "need.h"
#include "param.h"
#include "result.h"
#include "submit_options.h"
#include "task.h"
#include "wait.h"
#include "../base/compiler.h"

enum { /* bits as in dfi_access.mode */
    DF_IN = DFI_IN, DF_OUT = DFI_OUT, DF_INOUT = DFI_INOUT, DF_COMMUTE = DFI_COMMUTE, DF_CONCURRENT = DFI_CONCURRENT,
    DF_REDUCE = DFI_REDUCE, DF_WEAK = DFI_CHILDREN
};

/* The operator of a region with DF_REDUCE. */
typedef struct df_operator {
    /* combines n elements of `from` into those of `into`; if from is NULL, sets them to the identity */
    void (*combine)(void *into, const void *from, size_t n);
    size_t size;     /* bytes of an element */
    int ordered;     /* 1: in the order of submission, as DF_ORDERED_REDUCTION */
    size_t align;    /* of an element, if more than 16 bytes */
    const void *dfi_key; /* of DF_OPERATOR; NULL: operators with the same function are the same */
} df_operator;
#define DF_OPERATOR(name, op, T)                                              \
    DFI_CAT(DFI_REDUCER_, DFI_IS_BUILTIN(op))(name, op, T, call)              \
    DFI_UNUSED static const df_operator name = {                              \
        name##_dfi_op_call, sizeof(T), DFI_CAT(DFI_ORDERED_, DFI_IS_BUILTIN(op))(op), DFI_ALIGN_OF(T), \
        DFI_CAT(DFI_KEY_, DFI_IS_BUILTIN(op))(op, T) }
DFI_INLINE df_region dfi_units_region(const struct df_semaphore *s, long long k)
{
    df_region r;
    r.p = s, r.bytes = dfi_count_bytes(k, 1), r.rows = r.distance = 0, r.mode = DFI_LIMIT, r.op = NULL;
    return r;
}
#define df_accesses(name, ...) DFI_NEEDING(more, DFI_OF(name, _dfi_regions)(__VA_ARGS__))
#define df_units_of(s, k) dfi_units_region((s), (k))

typedef void df_body(void *arg, void *const *p);

DFI_EXTERN_C_BEGIN
DFI_API df_result df_call(const df_opts *opts, df_body *fn, const void *arg, size_t bytes, const df_region *list,
                          int n);
DFI_API df_result dfi_call(const df_opts *opts, df_body *fn, const void *arg, size_t bytes,
                           const df_region *list, int n, const char *site);
DFI_EXTERN_C_END
#if !defined(DF_SERIAL)
#define df_call(...) DFI_NEEDING(more, dfi_call(__VA_ARGS__, DFI_SITE))
#endif

#endif
