/* Symmetric travelling salesman problems, also from files in TSPLIB's format (Reinelt, "TSPLIB - A
 * Traveling Salesman Problem Library", ORSA Journal on Computing 3(4), 1991): EDGE_WEIGHT_TYPE
 * EUC_2D, ATT, GEO, and EXPLICIT as FULL_MATRIX or LOWER_DIAG_ROW. */
#ifndef TSP_TSPLIB_H
#define TSP_TSPLIB_H

#include <stdbool.h>

enum { TSP_CITIES = 64 };   /* at most */

typedef struct {
    char name[40];
    int n, distance[TSP_CITIES][TSP_CITIES];
} tsp;

/* Reads a problem. If it fails, error has a message. */
bool tsp_read(tsp *t, const char *path, char error[200]);

/* n places, random in a square of 1000 by 1000, the same in every run. */
void tsp_generate(tsp *t, int n);

/* The length of the shortest tour: as listed in optima.txt in the folder of the file, or 0. */
int tsp_known_optimum(const tsp *t, const char *path);

#endif
