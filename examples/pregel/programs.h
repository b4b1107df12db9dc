/* The programs of this example. Each has a second function that does the same as it is done without Pregel. */
#ifndef PREGEL_PROGRAMS_H
#define PREGEL_PROGRAMS_H

#include "pregel.h"

/* The length of the shortest way from a vertex to each; INT32_MAX: there is none. */
df_result shortest_paths(const graph *g, long from, int32_t *distance, pregel_way way, pregel_effort *effort);
int shortest_paths_dijkstra(const graph *g, long from, int32_t *distance);   /* 0: no memory */

/* How often somebody is at a vertex who follows edges at random, and with a probability of 0.15 starts again at a random
 * one, and who does so where there is no edge. In units of RANK_ONE, and within `*bound` of what real numbers give, all
 * differences added up. */
#define RANK_ONE (INT64_C(1) << 54)
df_result page_rank(const graph *g, int64_t *rank, pregel_way way, pregel_effort *effort);
int page_rank_iteration(const graph *g, double *rank, long iterations);   /* 0: no memory */
double page_rank_bound(const graph *g);

/* The smallest vertex that can be reached from each; g must have each edge in both directions. */
df_result components(const graph *g, int32_t *label, pregel_way way, pregel_effort *effort);
void components_union_find(const graph *g, int32_t *label);

#endif
