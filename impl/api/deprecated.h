/* deprecated.h - deprecated names of version 0.1: they work in 0.2 and are removed in 0.3 */
#ifndef DFI_API_DEPRECATED_H
#define DFI_API_DEPRECATED_H

#include "result.h"
#include "taskgraph.h"

typedef df_taskgraph df_graph;
#define df_graph_new     df_taskgraph_new
#define df_graph_free    df_taskgraph_free
#define df_graph_count   df_taskgraph_count
#define df_graph_set     df_taskgraph_set
#define DF_RECORD        DF_TASKGRAPH
#define df_replay        df_taskgraph_run
#define DF_ERROR_CAPTURE DF_ERROR_TASKGRAPH
#define df_stats         df_counters_get

#endif
