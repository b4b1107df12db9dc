/* The programs of this example. Each has a second function that computes the same without Pregel. */
#ifndef PREGEL_PROGRAMS_H
#define PREGEL_PROGRAMS_H

#include "pregel.h"

/* The length of the shortest way from a vertex to each; INT32_MAX: there is none. */
df_result shortest_paths(const graph *g, long from, int32_t *distance, pregel_way way, pregel_effort *effort);
int shortest_paths_dijkstra(const graph *g, long from, int32_t *distance);   /* 0: no memory */

/* The probability that a walk is at a vertex: it follows random edges, and continues at a random vertex with a
 * probability of 0.15, or where there is no edge. In units of RANK_ONE; the differences from the exact values add up
 * to at most `*bound`. */
#define RANK_ONE (INT64_C(1) << 54)
df_result page_rank(const graph *g, int64_t *rank, pregel_way way, pregel_effort *effort);
int page_rank_iteration(const graph *g, double *rank, long iterations);   /* 0: no memory */
double page_rank_bound(const graph *g);

/* The smallest vertex that can be reached from each; g must have each edge in both directions. */
df_result components(const graph *g, int32_t *label, pregel_way way, pregel_effort *effort);
void components_union_find(const graph *g, int32_t *label);

/* As shortest_paths, from the vertex with most edges: of several, the smallest one. */
df_result hub_paths(const graph *g, int32_t *distance, pregel_way way, pregel_effort *effort);
long hub_of(const graph *g);

/* The degree of each vertex in the 7-core of g, the largest part in which all degrees are at least 7; 0: not in it.
 * g must have each edge in both directions. */
df_result cores(const graph *g, int32_t *degree, pregel_way way, pregel_effort *effort);
int cores_by_queue(const graph *g, int32_t *degree);   /* 0: no memory */

/* Adds an edge from v to w for each way of two edges, for every 16th v, unless there is one. Of several ways, the one
 * by the smallest vertex decides on the weight. hash[v]: of the edges of v. */
df_result two_steps(const graph *g, uint64_t *hash, pregel_way way, pregel_effort *effort);
int two_steps_serial(const graph *g, uint64_t *hash);   /* 0: no memory */

/* A graph that grows from one vertex: a vertex of one row makes two of the next, which its neighbour makes, too. The
 * value of a vertex: four times the smallest one that made it, plus the number of those. */
enum { PYRAMID_ROWS = 60, PYRAMID = PYRAMID_ROWS * (PYRAMID_ROWS + 1) / 2 };
df_result pyramid(int32_t *value, pregel_way way, pregel_effort *effort);
void pyramid_serial(int32_t *value);

#endif
