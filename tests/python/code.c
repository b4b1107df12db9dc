/* code.c - bodies of tasks in C, for tests/python/code.py */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* The elements of a view of two dimensions become 3 a + k; values: rows, columns, their distances in elements, k. */
void multiply(void *values, void *const *arrays)
{
    const int64_t *v = values;
    int64_t *a = arrays[0], i, j;
    for (i = 0; i < v[0]; i++)
        for (j = 0; j < v[1]; j++) a[i * v[2] + j * v[3]] = 3 * a[i * v[2] + j * v[3]] + v[4];
}

/* y += f x; values: n, f */
void axpy(void *values, void *const *arrays)
{
    const union { int64_t i; double f; } *v = values;
    const double *x = arrays[0];
    double *y = arrays[1];
    int64_t i;
    for (i = 0; i < v[0].i; i++) y[i] += v[1].f * x[i];
}

/* Writes the first byte after some time. */
void late(void *values, void *const *arrays)
{
    struct timespec t = { 0, 20000000 };
    (void)values;
    nanosleep(&t, NULL);
    *(char *)arrays[0] = 7;
}
