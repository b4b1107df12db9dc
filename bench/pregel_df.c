/* Shortest paths by examples/pregel. The ways: messages go through shared state; by dataflow alone. */
#define WAYS "", "-flow"
#include "pregel.h"
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"
#include "../examples/pregel/programs.h"

static int run_start(void)
{
    df_start(NULL);
    return df_workers();
}
static void run_stop(void) { df_stop(); }
static int has_parts(void) { return 1; }

static void run_paths(const graph *g, int parts, int32_t *distance)
{
    pregel_effort effort;
    if (shortest_paths(g, 0, distance, (pregel_way){ parts, way == 0 }, &effort) != DF_OK) exit(1);
}
