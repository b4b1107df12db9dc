/* taskgraph.h - task graphs: record once, run many times, >>taskgraph
 *
 *   df_taskgraph *g = df_taskgraph_new();      an empty graph; NULL without memory
 *   DF_TASKGRAPH(g) { submits }                runs as DF_PARALLEL does, and g records the tasks, their arguments and
 *             their order.
 *             Errors: a second block of the same graph is an ordinary block, and is reported.
 *   df_result df_taskgraph_run(g);             runs the tasks again, and waits.
 *             Returns DF_OK, or the error of the first task that failed; DF_ERROR_TASKGRAPH: no task is run, see
 *             below; DF_ERROR_MEMORY: there was no memory to capture the block.
 *             Cost: about 15 ns for a task that waits for three others. The first run computes the order, which costs
 *             about as much as submitting the tasks once.
 *   df_taskgraph_set(g, name, k, param, value);   gives task `name` number k another argument, from the next run on;
 *             k: 0, 1, .. in the order of submission, among the tasks of that name. Any parameter, typed as in a
 *             call; if it changes the accesses of the task, the next run computes the order anew.
 *             Errors: a task that does not exist is reported, and nothing is set.
 *   long df_taskgraph_count(g, name);          the number of tasks of that name in the graph; k is smaller
 *   df_taskgraph_free(g);                      frees the graph and the memory of df_local in its block. NULL: no
 *             effect.
 *             Errors: a graph that is being recorded or run is reported, and not freed.
 *
 *     An iteration whose tasks are the same each time:
 *
 *         df_taskgraph *g = df_taskgraph_new();
 *         DF_TASKGRAPH(g) {
 *             for (i = 1; i < n; i++) df_submit(relax, &x[i - 1], &x[i], omega);
 *         }
 *         while (error(x) > 1e-6) df_taskgraph_run(g);
 *         df_taskgraph_free(g);
 *
 *     A run has the same effect as executing the submits again, in a scope of its own: tasks are ordered by the
 *     accesses that the recorded tasks declared, and bodies may submit tasks, spawn, fail and cancel. It does not
 *     execute the code between the submits. Options of df_submit_with apply again, including tokens (call
 *     df_token_init before a run to reset them). A df_wait in the block separates the tasks before it from the tasks
 *     after it. Memory of df_local in the block belongs to the graph, and is zeroed at the beginning of each run.
 *     Arguments are those of the block: the memory they point to must exist and is used again.
 *     DF_SERIAL: a run executes the tasks in the order of submission.
 *     Threads: any, also in tasks and blocks; a graph runs on behalf of one thread at a time.
 *   Errors: DF_ERROR_TASKGRAPH: the block of g was never executed or is being executed, g is running (also when a
 *             task
 *     of g runs it), or the block contained a construct that cannot be captured: df_for, df_wavefront, df_pipe,
 *     DF_PARALLEL or df_speculate of its own, nodes, tasks on streams, df_wait_token, another df_taskgraph_run, data
 *     regions of devices. The log names the construct with its line. df_spawn and calls in the block are not
 *     captured.
 *   Source: taskgraph of OpenMP 6.0; CUDA graphs. How it works: docs/internals/taskgraph.md. */
#ifndef DFI_API_TASKGRAPH_H
#define DFI_API_TASKGRAPH_H

#include "../base/compiler.h"
#include "need.h"
#include "access.h"
#include "result.h"
#include "task.h"
#include "core.h"

typedef struct df_taskgraph df_taskgraph;

/* The record of a DF_TASKGRAPH block, on the stack of its function. */
struct dfi_taskgraph_block { struct dfi_parallel_block around; struct df_taskgraph *graph; };

DFI_EXTERN_C_BEGIN
DFI_API struct df_taskgraph *dfi_taskgraph_new(const char *site);
DFI_API void dfi_taskgraph_free(struct df_taskgraph *g, const char *site);
DFI_API struct dfi_taskgraph_block dfi_taskgraph_enter(struct df_taskgraph *g, const char *site);
DFI_API void dfi_taskgraph_leave(struct dfi_taskgraph_block *r);
DFI_API df_result dfi_taskgraph_run(struct df_taskgraph *g, const char *site);
DFI_API long dfi_taskgraph_count(struct df_taskgraph *g, const struct dfi_type *type, const char *site);
/* A stand-in for the k-th task of that type, as the argument of a setter of nodes; then call dfi_taskgraph_close. */
DFI_API struct dfi_task *dfi_taskgraph_open(struct df_taskgraph *g, const struct dfi_type *type, long k,
                                            const char *site);
DFI_API void dfi_taskgraph_close(unsigned (*accesses)(const void *args, struct dfi_access *x));
DFI_EXTERN_C_END

#define df_taskgraph_new()          DFI_NEEDING(more, dfi_taskgraph_new(DFI_SITE))
#define df_taskgraph_free(g)        dfi_taskgraph_free((g), DFI_SITE)
#define df_taskgraph_run(g)         dfi_taskgraph_run((g), DFI_SITE)
#define df_taskgraph_count(g, name) dfi_taskgraph_count((g), &DFI_CAT(name, _dfi_type), DFI_SITE)
#define df_taskgraph_set(g, name, k, param, value)                                                                    \
    (DFI_OF(DFI_CAT(name, _dfi_set_), param)(                                                                        \
         (df_node(name) *)(void *)dfi_taskgraph_open((g), &DFI_CAT(name, _dfi_type), (k), DFI_SITE), (value),         \
         DFI_SITE),                                                                                                   \
     dfi_taskgraph_close(DFI_CAT(name, _dfi_accesses)))

#if DFI_GNU
#define DFI_AT_END_OF_TASKGRAPH __attribute__((cleanup(dfi_taskgraph_leave)))
#else
#define DFI_AT_END_OF_TASKGRAPH
#endif
#define DF_TASKGRAPH(g)                                                                                 \
    for (DFI_AT_END_OF_TASKGRAPH struct dfi_taskgraph_block DFI_CAT(dfi_r_, __LINE__) =                  \
             dfi_taskgraph_enter((g), DFI_SITE);                                                         \
         DFI_CAT(dfi_r_, __LINE__).around.open; dfi_taskgraph_leave(&DFI_CAT(dfi_r_, __LINE__)))

#endif
