/* deprecated.h - deprecated names of version 0.1: they work in 0.9 and are removed in 1.0 */
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

/* of kernels: gpu/kernel/prelude.h has them for devices */
#define df_global        df_on_global
#define df_group_id      df_workgroup_id
#define df_group_size    df_workgroup_size
#define df_groups        df_workgroups

#endif
