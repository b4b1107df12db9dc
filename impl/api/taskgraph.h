/* taskgraph.h - record once, run many: the tasks of a block as a graph that is run again
 *
 *   df_graph *g = df_graph_new();      an empty graph; NULL without memory
 *   DF_RECORD(g) { submits }           DF_PARALLEL, and g remembers its tasks, their arguments and their order
 *   df_result df_replay(g);            runs them again, and waits; the error of the first task that failed, or DF_OK
 *   df_graph_set(g, name, k, param, value);   the next runs of task `name` number k of the graph get another argument;
 *                                      k: 0, 1, .. in the order of submission, tasks of that name only
 *   long df_graph_count(g, name);      how many tasks of that name it has
 *   df_graph_free(g);
 *
 *   df_graph *g = df_graph_new();
 *   DF_RECORD(g) {                     the first sweep
 *       for (i = 1; i < n; i++) df_submit(relax, &x[i - 1], &x[i], omega);
 *   }
 *   while (error(x) > 1e-6) df_replay(g);       no region is looked at any more
 *   df_graph_free(g);
 *
 *     The block runs as ever. A replay does what executing the same submits again would do, in a scope of its own: tasks are
 *     ordered by what the recorded ones declared, bodies run as ever and may submit tasks, spawn, fail, cancel. It does not execute
 *     the code between the submits. Options of df_submit_with count again, tokens too (df_token_init before a replay makes them new);
 *     a df_wait in the block separates what comes before it from what comes after it. Memory of df_local in the block
 *     belongs to the graph, and is zero again at the beginning of each replay.
 *     Arguments are those of the recording: memory they point to must exist and is used again. df_graph_set takes any parameter, typed
 *     as in a call; if a parameter changes what the task declares to access, order is computed anew at the next replay.
 *     A graph can be replayed by any thread, in tasks and blocks too, but by one at a time.
 *     DF_SERIAL: a replay runs the tasks in the order of submission.
 *     Cost: about 15 ns a task that waits for three others; the first replay finds the order, for about as
 *     much as submitting the tasks once.
 *   Errors: DF_ERROR_CAPTURE, and nothing is run: g was never recorded, is being recorded or is running (so also from inside of
 *     one of its tasks), or its block contained what cannot be captured: df_for, df_wavefront, df_pipe, DF_PARALLEL and
 *     df_speculate of its own, nodes, tasks on streams, df_wait_token, another df_replay, data regions of devices. The log says which, and where it was
 *     recorded. DF_ERROR_MEMORY: there was no memory to capture it. A second DF_RECORD of a graph is an ordinary block; df_graph_free
 *     of a graph that is recorded or running has no effect: both are reported.
 *     df_spawn and calls in the block are not seen, and not repeated.
 *   Source: taskgraph of OpenMP 6.0; CUDA graphs. How it works: docs/capture.md. */
#ifndef DFI_API_TASKGRAPH_H
#define DFI_API_TASKGRAPH_H

#include "../base/compiler.h"
#include "access.h"
#include "result.h"
#include "task.h"
#include "core.h"
#include "serial.h"

typedef struct df_graph df_graph;

/* What DF_RECORD keeps on the stack of the block. */
struct dfi_recording { struct dfi_block around; struct df_graph *graph; };

DFI_EXTERN_C_BEGIN
DFI_API struct df_graph *dfi_capture_new(const char *site);
DFI_API void dfi_capture_free(struct df_graph *g, const char *site);
DFI_API struct dfi_recording dfi_record_enter(struct df_graph *g, const char *site);
DFI_API void dfi_record_leave(struct dfi_recording *r);
DFI_API df_result dfi_replay(struct df_graph *g, const char *site);
DFI_API long dfi_capture_count(struct df_graph *g, const struct dfi_type *type, const char *site);
/* A stand-in for the k-th task of that type, to be given to a setter of nodes; then dfi_capture_close. */
DFI_API struct dfi_task *dfi_capture_open(struct df_graph *g, const struct dfi_type *type, long k, const char *site);
DFI_API void dfi_capture_close(unsigned (*accesses)(const void *args, struct dfi_access *x));
DFI_EXTERN_C_END

#define df_graph_new()           dfi_capture_new(DFI_SITE)
#define df_graph_free(g)         dfi_capture_free((g), DFI_SITE)
#define df_replay(g)             dfi_replay((g), DFI_SITE)
#define df_graph_count(g, name)  dfi_capture_count((g), &DFI_CAT(name, _dfi_type), DFI_SITE)
#define df_graph_set(g, name, k, param, value)                                                                             \
    (DFI_OF(DFI_CAT(name, _dfi_set_), param)(                                                                             \
         (df_node(name) *)(void *)dfi_capture_open((g), &DFI_CAT(name, _dfi_type), (k), DFI_SITE), (value), DFI_SITE),     \
     dfi_capture_close(DFI_CAT(name, _dfi_accesses)))

#if DFI_GNU
#define DFI_AT_END_OF_RECORD __attribute__((cleanup(dfi_record_leave)))
#else
#define DFI_AT_END_OF_RECORD
#endif
#define DF_RECORD(g)                                                                                           \
    for (DFI_AT_END_OF_RECORD struct dfi_recording DFI_CAT(dfi_r_, __LINE__) = dfi_record_enter((g), DFI_SITE); \
         DFI_CAT(dfi_r_, __LINE__).around.open; dfi_record_leave(&DFI_CAT(dfi_r_, __LINE__)))

#endif
