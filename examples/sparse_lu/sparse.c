#include "sparse.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "not enough memory";

static int new_sparse(sparse *m, long blocks, long size)
{
    *m = (sparse){ blocks, size, calloc((size_t)(blocks * blocks), sizeof *m->block) };
    return m->block != NULL;
}

void sparse_free(sparse *m)
{
    for (long b = 0; m->block && b < m->blocks * m->blocks; b++)
        free(m->block[b]);
    free(m->block);
}

double *sparse_store(const sparse *m, long i, long j)
{
    double **b = &m->block[i * m->blocks + j];
    if (!*b)
        *b = calloc((size_t)(m->size * m->size), sizeof **b);
    return *b;
}

long sparse_stored(const sparse *m)
{
    long stored = 0;
    for (long b = 0; b < m->blocks * m->blocks; b++)
        stored += m->block[b] != NULL;
    return stored;
}

double sparse_largest(const sparse *m)
{
    double largest = 0;
    for (long b = 0; b < m->blocks * m->blocks; b++)
        for (long e = 0; m->block[b] && e < m->size * m->size; e++)
            largest = fmax(largest, fabs(m->block[b][e]));
    return largest;
}

const char *sparse_copy(sparse *m, const sparse *from)
{
    size_t bytes = (size_t)(from->size * from->size) * sizeof(double);
    if (!new_sparse(m, from->blocks, from->size))
        return no_memory;
    for (long b = 0; b < m->blocks * m->blocks; b++)
        if (from->block[b]) {
            if (!(m->block[b] = malloc(bytes)))
                return no_memory;
            memcpy(m->block[b], from->block[b], bytes);
        }
    return NULL;
}

const char *sparse_generate(sparse *m, long blocks, long size)
{
    unsigned random = 1325;
    if (!new_sparse(m, blocks, size))
        return no_memory;
    for (long i = 0; i < blocks; i++)
        for (long j = 0; j < blocks; j++) {
            double *b;
            if (labs(i - j) > 1 && ((i < j ? i : j) % 3 || i % 2 || j % 2))
                continue;
            if (!(b = sparse_store(m, i, j)))
                return no_memory;
            for (long k = 0; k < size * size; k++) {
                random = random * 1664525u + 1013904223u;
                b[k] = (double)random / 2147483648.0 - 1;
            }
            for (long k = 0; i == j && k < size; k++)
                b[k * size + k] += (double)(blocks * size);
        }
    return NULL;
}

/* Adds to an element; 0 without memory. */
static int add_to(const sparse *m, long i, long j, double value)
{
    double *b = sparse_store(m, i / m->size, j / m->size);
    if (b)
        b[i % m->size * m->size + j % m->size] += value;
    return b != NULL;
}

static const char *read_stream(sparse *m, FILE *f, long size)
{
    char line[1100], field[20], symmetry[20];
    long n, columns, entries, i, j;
    double value = 1;
    if (!fgets(line, sizeof line, f)
        || sscanf(line, "%%%%MatrixMarket matrix coordinate %19s %19s", field, symmetry) != 2)
        return "it does not begin with %%MatrixMarket matrix coordinate";
    int numbers = tolower((unsigned char)field[0]) != 'p';   /* not only a pattern */
    int symmetric = tolower((unsigned char)symmetry[0]) == 's';
    if (tolower((unsigned char)field[0]) == 'c' || (!symmetric && tolower((unsigned char)symmetry[0]) != 'g'))
        return "the matrix is neither real nor integer, or neither general nor symmetric";
    do
        if (!fgets(line, sizeof line, f))
            return "the file ends too early";
    while (line[0] == '%' || line[strspn(line, " \t\r\n")] == '\0');
    if (sscanf(line, "%ld %ld %ld", &n, &columns, &entries) != 3 || n != columns || n < 1)
        return "the matrix is not square";
    if (n > MOST_BLOCKS * size)
        return "the matrix is too large for so small blocks";
    if (!new_sparse(m, (n + size - 1) / size, size))
        return no_memory;
    for (; entries > 0; entries--) {
        if (fscanf(f, "%ld %ld", &i, &j) != 2 || (numbers && fscanf(f, "%lf", &value) != 1)
            || i < 1 || j < 1 || i > n || j > n)
            return "the file ends too early, or has an entry that is wrong";
        if (!add_to(m, i - 1, j - 1, value) || (symmetric && i != j && !add_to(m, j - 1, i - 1, value)))
            return no_memory;
    }
    for (i = 0; i < m->blocks; i++)
        if (!sparse_store(m, i, i))
            return no_memory;
    for (i = n; i < m->blocks * size; i++)
        add_to(m, i, i, 1);
    return NULL;
}

const char *sparse_read(sparse *m, const char *file, long size)
{
    FILE *f = fopen(file, "r");
    const char *wrong = f ? read_stream(m, f, size) : "cannot be opened";
    if (f)
        fclose(f);
    return wrong;
}
