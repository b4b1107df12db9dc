/* graph_joins.c - graph.c where two before two others are enough for a join (impl/observe/graph/order.h) */
#define DFI_G_FEW 1
#include "graph.c"
