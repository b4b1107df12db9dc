/* Tours whose beginning is fixed, and lower bounds of their lengths: the 1-tree bound of Held
 * and Karp, "The travelling-salesman problem and minimum spanning trees: part II", Mathematical
 * Programming 1, 1971. */
#ifndef TSP_BOUND_H
#define TSP_BOUND_H

#include "tsplib.h"

#include <stdint.h>

/* A tour begins with the first `fixed` cities, in this order; the order of the others is open. */
typedef struct {
    int length;                    /* of the part that is fixed */
    int bound;                     /* no tour that begins like this is shorter */
    uint8_t fixed;
    uint8_t city[TSP_CITIES];
    int64_t price[TSP_CITIES];     /* of each city: the multipliers of the bound, see bound.c */
} partial_tour;

/* Nothing is fixed but the city that the tour starts from. */
partial_tour tour_start(const tsp *t);

/* Extends p by open city number i, city[fixed + i]. The open cities stay in the order of their
 * numbers; the last one closes the tour. */
partial_tour tour_go_on(const tsp *t, const partial_tour *p, int i);

/* Raises p->bound, and stops as soon as it is `enough`. Cost: up to `steps` spanning trees of the
 * open cities, about 1 us each for 25 of them.
 * pre: at least two cities are open */
void tour_raise_bound(const tsp *t, partial_tour *p, int steps, int enough);

#endif
