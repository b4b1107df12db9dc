/* Directed graphs with weights: from files, or random. */
#ifndef PREGEL_GRAPH_H
#define PREGEL_GRAPH_H

#include <stdint.h>

typedef struct { int32_t to, weight; } graph_edge;   /* weights are from 0 on */
typedef struct {
    char name[64];
    long vertices, edges;
    long *first;         /* the edges from vertex v are first[v] to first[v + 1] - 1 */
    graph_edge *edge;    /* vertices times the largest weight is at most INT32_MAX */
} graph;

enum { GRAPH_ERROR = 300, GRAPH_VERTICES = 1 << 28 };   /* bytes of a message; at most */

/* Reads a file of one of these formats. 0: error has a message, with the line; nothing is to be freed.
 *
 *   9th DIMACS challenge   `c` comment, `p sp VERTICES EDGES`, `a FROM TO WEIGHT`, from 1 on
 *   Matrix Market          coordinate, pattern or integer; symmetric: each edge in both directions
 *   SNAP                   `#` comment, `FROM TO`, from 0 on
 * Without weights: 1. */
int graph_read(graph *g, const char *path, char error[GRAPH_ERROR]);

/* degree edges from each vertex to random ones, with weights from 1 to 100; the same in every run. 0: no memory. */
int graph_random(graph *g, long vertices, long degree);

/* The same with each edge in both directions. 0: no memory. */
int graph_undirected(graph *both, const graph *g);

void graph_free(graph *g);

#endif
