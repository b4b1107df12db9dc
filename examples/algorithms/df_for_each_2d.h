/* df_for_each_2d.h - a function for each element of a block of a matrix, in parallel
 *
 *   void df_for_each_2d(void *base, long rows, long cols, long ld, size_t size, each, void *ctx);
 *       base      a row-major matrix of elements of `size` bytes each; rows are ld elements apart
 *       rows, cols    the block: base[0][0] up to base[rows-1][cols-1]. Nothing happens if one of them is 0 or less
 *       each      void each(void *x, long i, long j, void *ctx): gets the address of element i, j. It is called once
 *                 for each element, on several threads at a time, in any order
 *       ctx       is passed to each
 *
 *   Rows and columns are divided, so that a block with few rows is parallel, too. Inside of a part the elements come
 *   row by row.
 *   Complexity: rows * cols calls; the span is that of one part, whose size adapts while the loop runs.
 *   Memory:     none.
 *   Threads:    any; inside tasks, too. It waits for no task of df_submit: wait for those that access the block first.
 *   Errors:     none. After df_fail or df_cancel in `each`, or if the calling task was cancelled, elements are left
 *               out, as in any loop. */
#ifndef DF_FOR_EACH_2D_H
#define DF_FOR_EACH_2D_H

#include "../../df.h"

typedef void (*df_for_each_2d_function)(void *x, long i, long j, void *ctx);

DF_STATIC_LOOP2(df_for_each_2d_part, (char *, base), (long, ld), (size_t, size), (df_for_each_2d_function, each),
                (void *, ctx));
static void df_for_each_2d_part(long lo0, long hi0, long lo1, long hi1, char *base, long ld, size_t size,
                                df_for_each_2d_function each, void *ctx)
{
    for (long i = lo0; i < hi0; i++) {
        char *x = base + (size_t)(i * ld + lo1) * size;
        for (long j = lo1; j < hi1; j++, x += size) each(x, i, j, ctx);
    }
}

static inline void df_for_each_2d(void *base, long rows, long cols, long ld, size_t size, df_for_each_2d_function each,
                                  void *ctx)
{
    df_for2(df_for_each_2d_part, 0, rows, 0, cols, (char *)base, ld, size, each, ctx);
}

#endif
