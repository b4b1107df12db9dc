#include "exact.h"

#include <limits.h>
#include <stdlib.h>

int tsp_exact(const tsp *t)
{
    int m = t->n - 1, shortest = INT_MAX;   /* city m is where tours start */
    if (t->n > EXACT_CITIES)
        return 0;
    /* length[s][i]: of the shortest path from city m through all of the set s to its member i */
    int (*length)[EXACT_CITIES] = malloc(sizeof *length << m);
    if (!length)
        return 0;
    for (int s = 1; s < 1 << m; s++)
        for (int i = 0; i < m; i++) {
            int before = s & ~(1 << i);
            length[s][i] = before ? INT_MAX : t->distance[m][i];
            if (before == s)
                continue;
            for (int j = 0; j < m; j++)
                if (before >> j & 1 && length[before][j] + t->distance[j][i] < length[s][i])
                    length[s][i] = length[before][j] + t->distance[j][i];
        }
    for (int i = 0; i < m; i++) {
        int tour = length[(1 << m) - 1][i] + t->distance[i][m];
        shortest = tour < shortest ? tour : shortest;
    }
    free(length);
    return shortest;
}
