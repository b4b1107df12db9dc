/* arrange.h - the arrangement of devices or ranks along the dimensions of an array */
#ifndef DFI_BASE_ARRANGE_H
#define DFI_BASE_ARRANGE_H

#include "compiler.h"

#include <limits.h>
#include <stdint.h>

DFI_UNUSED static int64_t dfi_largest_prime(int64_t n)
{
    int64_t p;
    for (p = 2; p <= n / p; p++)
        while (n % p == 0 && n > p) n /= p;
    return n;
}

/* Chooses those of parts[0 .. dims-1] that are 0, as equal as can be, so that their product is n, or less. Returns the
 * product. */
DFI_UNUSED static int dfi_arrange(int n, int dims, int *parts)
{
    int open[3], n_open = 0, i, j;
    int64_t all = 1, rest;
    for (i = 0; i < dims && i < 3; i++) {
        if (parts[i] <= 0) open[n_open++] = i, parts[i] = 1;
        if (all <= INT_MAX) all *= parts[i];
    }
    rest = n / all;
    while (n_open && rest > 1) { /* the larger the factor, the earlier, and to the smallest */
        int64_t prime = dfi_largest_prime(rest);
        for (i = 1, j = 0; i < n_open; i++)
            if (parts[open[i]] < parts[open[j]]) j = i;
        parts[open[j]] *= (int)prime, all *= prime, rest /= prime;
    }
    for (i = 0; i < n_open; i++) /* larger ones first */
        for (j = i + 1; j < n_open; j++)
            if (parts[open[j]] > parts[open[i]]) {
                int larger = parts[open[j]];
                parts[open[j]] = parts[open[i]], parts[open[i]] = larger;
            }
    return all < INT_MAX ? (int)all : INT_MAX;
}

#endif
