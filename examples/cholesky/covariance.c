#include "covariance.h"

#include <math.h>
#include <stdint.h>

/* Uniform in [0, 1): number i of the sequence that splitmix64 makes from 0 (Steele, Lea and Flood,
 * "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). */
static double uniform(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

typedef struct { double x, y; } place;

static place place_number(size_t i)
{
    return (place){ uniform(2 * (uint64_t)i), uniform(2 * (uint64_t)i + 1) };
}

void covariance_fill(size_t n, double *a, size_t ld)
{
    for (size_t i = 0; i < n; i++) {
        place p = place_number(i);
        for (size_t j = 0; j < i; j++) {
            place q = place_number(j);
            a[i * ld + j] = a[j * ld + i] = exp(-hypot(p.x - q.x, p.y - q.y) / 0.2);
        }
        a[i * ld + i] = 1 + 0.01;
    }
}
