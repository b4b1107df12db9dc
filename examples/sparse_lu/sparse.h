/* Square matrices of square blocks, of which those that are zero are not stored. */
#ifndef SPARSE_LU_SPARSE_H
#define SPARSE_LU_SPARSE_H

enum { MOST_BLOCKS = 1000, LARGEST_BLOCK = 500 };

typedef struct {
    long blocks, size;   /* blocks x blocks of them, each size x size */
    double **block;      /* row by row, as the elements of each; NULL: zero */
} sparse;

/* Makes sure that the block is stored; NULL without memory. */
double *sparse_store(const sparse *m, long i, long j);

/* Each returns NULL, or a message. sparse_free may be called in both cases. */

/* The pattern of BOTS' SparseLU, with a diagonal large enough to do without pivoting. */
const char *sparse_generate(sparse *m, long blocks, long size);
/* Matrix Market coordinate format; the last blocks are filled up with ones on the diagonal. */
const char *sparse_read(sparse *m, const char *file, long size);
const char *sparse_copy(sparse *m, const sparse *from);

void sparse_free(sparse *m);

long sparse_stored(const sparse *m);      /* blocks */
double sparse_largest(const sparse *m);   /* of the absolute values */

static inline double *sparse_block(const sparse *m, long i, long j)
{
    return m->block[i * m->blocks + j];
}

#endif
