/* The length of the shortest tour by dynamic programming, without bounds and orders, to check
 * the search. Held and Karp, "A dynamic programming approach to sequencing problems", SIAM
 * 10(1), 1962. */
#ifndef TSP_EXACT_H
#define TSP_EXACT_H

#include "tsplib.h"

enum { EXACT_CITIES = 16 };   /* at most: time and memory double with each */

/* 0: too many cities, or not enough memory. */
int tsp_exact(const tsp *t);

#endif
