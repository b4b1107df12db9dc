/* loop_words.h - parallel loops and wavefronts, >>loops
 *
 *   DF_LOOP(name, param, ...);     declares  void name(long lo, long hi, ...), which executes the iterations lo ..
 *             hi-1; 0 to 16 parameters, as of DF_TASK, but no stream windows. At file scope.
 *   DF_LOOP2(name, param, ...);    as DF_LOOP, with (long lo0, long hi0, long lo1, long hi1, ...), for a rectangle
 *   DF_LOOP3(name, param, ...);  DF_LOOP4
 *             as DF_LOOP2, for a box of three or four dimensions
 *   DF_LOOP_OVER(T, name, param, ...);   declares  void name(T *lo, T *hi, ...), which executes the iterations for the
 *             elements *lo .. hi[-1] of an array: the control variable is a pointer. T: any object type, with const
 *             if the function only reads. The range is no access: if tasks of this scope use the elements, add a
 *             parameter such as df_inout_range(T, b, e). At file scope.
 *   DF_STATIC_LOOP(name, param, ...);  DF_STATIC_LOOP2;  DF_STATIC_LOOP3;  DF_STATIC_LOOP4
 *             as DF_LOOP and the like, with internal linkage
 *   DF_STATIC_LOOP_OVER(T, name, param, ...);   as DF_LOOP_OVER, with internal linkage
 *   df_for(name, lo, hi, args...); runs the loop over [lo, hi) on all workers and waits; no effect if hi <= lo. lo
 *             and hi are long; for a loop of DF_LOOP_OVER they are pointers to T, at most LONG_MAX elements apart, and
 *             .step counts elements:
 *
 *                 DF_LOOP_OVER(double, scale, (double, factor));
 *                 void scale(double *lo, double *hi, double factor)
 *                 {
 *                     for (double *p = lo; p < hi; p++) *p *= factor;
 *                 }
 *                 ... df_for(scale, x, x + n, 0.5);
 *
 *   df_for2(name, lo0, hi0, lo1, hi1, args...);  df_for3;  df_for4
 *             runs a loop of DF_LOOP2, of DF_LOOP3, of DF_LOOP4
 *   df_for_with(opts, name, lo, hi, args...);  df_for2_with;  df_for3_with;  df_for4_with
 *             df_for with options: df_for_with(DF_LOOP_OPTS(.grain = 64, .schedule = DF_DYNAMIC), f, 0, n);
 *             opts: a const df_loop *, read during the call; NULL: none.
 *   DF_LOOP_OPTS(.field = value, ...)   options for these calls, as DF_OPTS for df_submit_with
 *
 *     df calls the function for chunks of the range, on several workers concurrently; iterations must not depend on
 *     each other. Chunk sizes adapt while the loop runs, to the time per iteration and to the number of idle workers,
 *     so cheap, expensive and irregular iterations need no tuning. The range is offered to all workers before the first
 *     iteration begins, unless the last loops at this place of call were short: short loops run on the calling thread,
 *     also those of 3 to 250 us that gain nothing by sharing, which df measures. If such a loop turns out to be long,
 *     the rest is offered after 1 to 2 milliseconds, or after its first iterations. Parameters are those of tasks.
 *     Their access modes order the loop after the tasks that the same scope has submitted so far; the loop is done when
 *     df_for returns. df_reduce: chunks accumulate concurrently into private copies. df combines the copies at the end,
 *     in any order, or in the order of the iterations if .deterministic (or df_config.deterministic) is set or the
 *     operator is a DF_ORDERED_REDUCTION. Tasks that the function submits are done when df_for returns; tasks of
 *     different iterations are not ordered among each other.
 *     After df_cancel in the function, chunks that have not begun are left out; after df_fail likewise, and the error
 *     goes to the enclosing scope. Loops nest, in tasks and in each other.
 *     Serial build, or one worker: one call for the whole range.
 *     Threads: any, also in tasks and loops.
 *     Cost: about 30 ns to enter and leave, with several workers 180 ns.
 *
 *   df_first_touch(p, bytes);      writes to each page of the memory [p, p + bytes) once, without changing what is in
 *             it: worker k to the k-th of as many equal parts as there are workers. On a machine with several NUMA
 *             nodes the system places a page in the node of the thread that writes to it first. Call it for memory
 *             that is new from the system, before anything is stored there, and then use that memory in loops with
 *             .schedule = DF_STATIC over all of it, in which worker k prefers the k-th part as well. Pages that were
 *             written before are not moved. No other thread may access the memory meanwhile:
 *
 *                 double *x = (double *)malloc(n * sizeof *x);
 *                 df_first_touch(x, n * sizeof *x);
 *                 df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), scale, x, x + n, 0.5);
 *
 *             p may be NULL and bytes 0: no effect. Workers that no CPU is assigned to (df_config.cpuset) may move to
 *             another node later.
 *             Cost: that of a loop, and 0.1 us or more for each page of 4096 bytes that the system has to provide.
 *
 *   df_wavefront(name, vectors, lo0, hi0, lo1, hi1, args...);   runs a loop nest of 1 to 3 dimensions whose
 *             iterations depend on earlier ones, and waits; the bounds are those of df_for, df_for2 or df_for3
 *   df_wavefront_with(opts, name, vectors, bounds..., args...);   df_wavefront with options: .grain, .grain1, .grain2
 *             are the sizes of the tiles, in iterations
 *   DF_VECTORS({1, 0}, {0, 1})     the dependences of df_wavefront: a list of vectors, which lives as long as the
 *             call
 *
 *     An iteration x starts when x - v is done, for each of the vectors v: {1, 0} and {0, 1} are the neighbours above
 *     and to the left. The iteration space is split into tiles, and each tile starts when its predecessors are done;
 *     a short one is one tile if that is faster.
 *     The function must traverse its tile in the order of the serial loops, outermost dimension first. The first
 *     component of a vector that is not 0 must be positive, so that x - v comes earlier in that order.
 *     Reductions are combined in any order; with a DF_ORDERED_REDUCTION the loop runs in serial order. If a vector
 *     has a negative component, as in {1, -1}, tiles are as thin in the vector's first dimension as the magnitude of
 *     that component: make the other dimensions of the tiles long.
 *   Errors: a negative .grain, or a vector that points forward, is reported with its line; the loop then runs with
 *     grain 0, the wavefront in serial order, and so does a wavefront of four dimensions. A loop with .exact whose
 *     steps do not reach hi is reported with its line, and does not run.
 *   Source: MetaFork's meta_for and the dependencies of its meta_pipe (thesis, 3 and 5); OpenMP's schedules. */
#ifndef DFI_API_LOOP_WORDS_H
#define DFI_API_LOOP_WORDS_H

#include "loop.h"
#include "need.h"
#include "options.h"

#define DF_LOOP(...)         DFI_QUIET DFI_LOOP(extern, 1, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP2(...)        DFI_QUIET DFI_LOOP(extern, 2, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP3(...)        DFI_QUIET DFI_LOOP(extern, 3, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP4(...)        DFI_QUIET DFI_LOOP(extern, 4, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP(...)  DFI_QUIET DFI_LOOP(static, 1, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP2(...) DFI_QUIET DFI_LOOP(static, 2, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP3(...) DFI_QUIET DFI_LOOP(static, 3, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP4(...) DFI_QUIET DFI_LOOP(static, 4, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP_OVER(T, ...)        DFI_QUIET DFI_LOOP(extern, dfi_pointer, T, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP_OVER(T, ...) DFI_QUIET DFI_LOOP(static, dfi_pointer, T, __VA_ARGS__) DFI_LOUD_END

/* The division of a loop into chunks: df_loop.schedule. The last chunk has the remaining iterations. */
enum df_schedule {
    DF_AUTO,    /* chunks of 5 us to 250 us, and of at least .grain iterations */
    DF_STATIC,  /* equal chunks, one per worker: a worker runs the chunk of its own number first, if that is left, and
                   then any other; with .grain: chunks of .grain iterations, for any worker */
    DF_DYNAMIC, /* chunks of .grain iterations, 1 by default */
    DF_GUIDED   /* a chunk is the rest of the range divided by twice the workers, at least .grain iterations, 1 by
                   default */
};
/* Options of df_for_with and df_wavefront_with; zero in a field means its default. The numbered fields are for the
 * second to fourth dimension. */
typedef struct df_loop {
    int schedule;             /* enum df_schedule */
    long grain;               /* iterations of the first dimension per chunk; 0: the schedule decides */
    long grain1, grain2;      /* the same for the others; 0: not divided, unless the first alone is too short */
    long step, step1, step2;  /* 0 means 1. The lo of each call is the lo of the loop + k * step, and the function
                                 advances in steps; negative: from lo down to above hi, and the function is called
                                 with lo > hi */
    int unsigned_range;       /* 1: the bounds are unsigned long, passed as long of the same bits */
    int deterministic;        /* 1: reductions give the same bits for any number of workers */
    int workers;              /* at most this number of workers, the caller included, run chunks of the loop at a time;
                                 0: all. For a wavefront: 1 is serial order, other numbers are reported */
    long grain3, step3;       /* of the fourth dimension */
    int exact;                /* 1: the condition is i != hi, instead of i < hi or i > hi, and may be so in the
                                 function: in each dimension the steps reach hi exactly. If they do not, so that the
                                 serial loop would not end, this is reported, and the loop does not run */
} df_loop;
#define DF_LOOP_OPTS(...) DFI_OPTIONS(df_loop, df_loop, __VA_ARGS__)
/* A row of DF_VECTORS: the distance to an iteration that comes earlier, in each dimension; unused dimensions are 0. */
typedef long df_vector[3];
#define DF_VECTORS(...) DFI_VECTORS(__VA_ARGS__)

#define df_for(name, ...)             DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for2(name, ...)            DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for3(name, ...)            DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for4(name, ...)            DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for_with(opts, name, ...)  DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_for2_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_for3_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_for4_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_first_touch(p, bytes)      DFI_NEEDING(more, dfi_first_touch((p), (bytes), DFI_SITE))
#define df_wavefront(name, vectors, ...) DFI_OF(name, _dfi_for)(NULL, vectors, DFI_SITE, __VA_ARGS__)
#define df_wavefront_with(opts, name, vectors, ...) DFI_OF(name, _dfi_for)(opts, vectors, DFI_SITE, __VA_ARGS__)


#endif
