/* pipe.h - pipelines whose stages are chosen while they run, >>pipelines
 *
 *   DF_PIPE(name, T);              declares  int name(int stage, T *item, long i, void *ctx), the stages of a
 *             pipeline over items of type T. df calls it for stage `stage` of item number i; ctx is that of df_pipe.
 *             At file scope.
 *   DF_STATIC_PIPE(name, T);       as DF_PIPE, with internal linkage
 *   long df_pipe(name, opts, ctx);   runs the pipeline for items i = 0, 1, ... until stage 0 returns DF_PIPE_END, and
 *             waits. opts: DF_PIPE_OPTS(.window = 16), or NULL.
 *             Returns the number of items; DF_ERROR_MEMORY: no item ran, because memory ran out.
 *   DF_PIPE_OPTS(.window = n)      options of df_pipe, as DF_OPTS for df_submit_with
 *
 *     A stage returns the next stage of its item:
 *
 *   df_continue(s)   result of a stage: the item goes to stage s, immediately and concurrently with other items
 *   df_in_order(s)   result of a stage: the item goes to stage s after all earlier items have finished or skipped
 *             their own stage s: items pass through it one at a time, in their order
 *   DF_PIPE_DONE     result of a stage: the item is finished
 *   DF_PIPE_END      result of a stage. In stage 0: there is no such item, and no further one. In a later stage: the
 *             item is finished, and items that have not begun will not begin.
 *   DF_PIPE_STAGES   the number of stages that a pipe may have: s is 0 .. DF_PIPE_STAGES - 1
 *
 *     Stage numbers only increase along an item, up to DF_PIPE_STAGES - 1 (except that df_continue of the same stage,
 *     if it is not stage 0, repeats it); each item may skip different stages.
 *     Stage 0 creates items one at a time. An item is in flight from its begin until it and all older items are
 *     finished; at most `window` items are in flight. Their memory is reused: *item is zero at first, and later holds
 *     the contents that an earlier item left. No thread runs a later item while it waits: a waiting item is parked as
 *     data and never blocks a thread, and the thread that finishes the stage it waits for continues it. After
 *     df_cancel or df_fail in a stage, items stop after their current stage, and tasks of the scope around the pipe
 *     that have not begun are skipped; the number of items that is returned then depends on time. In a scope that is
 *     cancelled already a pipe has no items.
 *     Tasks that a stage submits are done when the pipe ends; a stage that needs their results waits (df_wait).
 *     Errors: a stage out of range is reported and ends the pipe like df_fail(DF_ERROR_STAGE, ...).
 *     Serial build, or one worker: each item from begin to end, one after the other.
 *     Threads: any; the stages run on any worker.
 *     Cost: about 5 ns a stage, 30 ns where several workers take part.
 *   Source: MetaFork's meta_pipe (thesis, 5); Cilk-P (Lee et al., SPAA 2013). */
#ifndef DFI_API_PIPE_H
#define DFI_API_PIPE_H

#include "../base/compiler.h"
#include "loop.h"
#include "options.h"

#define DF_PIPE(name, T)        DFI_QUIET DFI_PIPE(extern, name, T) DFI_LOUD_END
#define DF_STATIC_PIPE(name, T) DFI_QUIET DFI_PIPE(static, name, T) DFI_LOUD_END
enum { DF_PIPE_DONE = -1, DF_PIPE_END = -2, DF_PIPE_STAGES = 1 << 28 };
/* Options of df_pipe; zero in a field means its default. */
typedef struct df_pipe_opts {
    long window;                   /* largest number of items in flight; 0: 4 per worker; at most 65536 */
    int workers;                   /* at most this number of workers, the caller included, run stages of the pipe at a
                                      time; 0: all */
} df_pipe_opts;
#define DF_PIPE_OPTS(...) DFI_OPTIONS(df_pipe_opts, df_pipe_opts, __VA_ARGS__)
#define df_pipe(name, ...) DFI_OF(name, _dfi_pipe)(DFI_SITE, __VA_ARGS__)
DFI_INLINE int df_continue(int s) { return s >= 0 && s < DF_PIPE_STAGES ? s : DFI_STAGE_WRONG; }
DFI_INLINE int df_in_order(int s) { return s >= 0 && s < DF_PIPE_STAGES ? s | DFI_STAGE_IN_ORDER : DFI_STAGE_WRONG; }

#endif
