/* df_blocks.h - what the parallel algorithms share: the division of n elements into blocks, and moves of elements
 *
 * The blocks depend on n alone, not on the number of workers, so that neither the result of an algorithm nor the order
 * of its operations does. */
#ifndef DF_BLOCKS_H
#define DF_BLOCKS_H

#include "../../df.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DF_BLOCK_LEAST = 4096, /* elements of a block, unless n is less: some microseconds */
    DF_BLOCKS_MOST = 1024  /* several for each worker of a large machine */
};

/* n is at least 1. */
static inline long df_block_length(long n)
{
    long length = (n - 1) / DF_BLOCKS_MOST + 1;
    return length > DF_BLOCK_LEAST ? length : (long)DF_BLOCK_LEAST;
}
static inline long df_block_count(long n) { return (n - 1) / df_block_length(n) + 1; }

/* The end of the block that begins at element i. */
static inline long df_block_end(long i, long length, long n) { return n - i < length ? n : i + length; }

/* The usual sizes get a move of constant size, because a call of memcpy costs more than the move. */
static inline void df_element_move(char *to, const char *from, size_t size)
{
    switch (size) {
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, size); break;
    }
}

/* Memory for n elements; NULL also if their size is too large. */
static inline char *df_elements_new(size_t n, size_t size)
{
    return n > (size_t)PTRDIFF_MAX / size ? NULL : (char *)malloc(n * size);
}

#endif
