/* df_scan.h - parallel prefix sums by any associative operator
 *
 *   DF_SCAN(name, T, combine, identity);    defines a function with internal linkage:
 *       df_result name(kind, const T *x, T *y, long n);
 *
 *       kind        DF_INCLUSIVE: y[i] = x[0] op ... op x[i]
 *                   DF_EXCLUSIVE: y[i] = x[0] op ... op x[i-1], and y[0] is the identity
 *       combine     void combine(T *into, const T *from): *into = *into op *from, as in DF_REDUCTION. The operator must
 *                   be associative, but need not be commutative
 *       identity    void identity(T *x): sets *x to the identity of the operator
 *       x, y        n elements each; y may be x, but must not overlap it in another way
 *
 *   combine is inlined. The array is cut into blocks, whose lengths depend on n alone: floating-point results have the
 *   same bits for every number of workers. (They may differ in the last bits from those of one serial loop.)
 *   Complexity: 2 n operations in two passes; the span is that of two blocks, each at most n / 1024 or 4096 elements.
 *   Memory:     one T for each block, at most 1024, from malloc, freed before the return.
 *   Threads:    any; inside tasks, too. It waits for no task of df_submit: wait for those that access x and y first.
 *   Errors:     DF_ERROR_MEMORY: that memory is missing; nothing is written. DF_ERROR_CANCELLED: the calling task was
 *               cancelled, or combine called df_fail or df_cancel; parts of y are not written. Else DF_OK.
 *   Source:     Blelloch, Prefix sums and their applications, CMU-CS-90-190. */
#ifndef DF_SCAN_H
#define DF_SCAN_H

#include "df_blocks.h"

typedef enum { DF_INCLUSIVE, DF_EXCLUSIVE } df_scan_kind;

#define DF_SCAN(name, T, combine, identity)                                                                     \
    /* the sum of each block but the last, which nothing follows */                                             \
    DF_STATIC_LOOP(name##_df_scan_sum, (const T *, x), (long, length), (T *, sum),                              \
                   df_reduce(df_sum, long, done, 1));                                                           \
    static void name##_df_scan_sum(long lo, long hi, const T *x, long length, T *sum, long *done)               \
    {                                                                                                           \
        *done += hi - lo;                                                                                       \
        for (long b = lo; b < hi; b++) {                                                                        \
            const T *part = x + b * length;                                                                     \
            T s;                                                                                                \
            identity(&s);                                                                                       \
            for (long i = 0; i < length; i++) combine(&s, &part[i]);                                            \
            sum[b] = s;                                                                                         \
        }                                                                                                       \
    }                                                                                                           \
    DF_STATIC_LOOP(name##_df_scan_write, (const T *, x), (T *, y), (long, n), (long, length), (const T *, sum), \
                   (int, exclusive), df_reduce(df_sum, long, done, 1));                                         \
    static void name##_df_scan_write(long lo, long hi, const T *x, T *y, long n, long length, const T *sum,     \
                                     int exclusive, long *done)                                                 \
    {                                                                                                           \
        *done += hi - lo;                                                                                       \
        for (long b = lo; b < hi; b++) {                                                                        \
            long end = df_block_end(b * length, length, n);                                                     \
            T s = sum[b];                                                                                       \
            if (exclusive) {                                                                                    \
                for (long i = b * length; i < end; i++) {                                                       \
                    T old = x[i]; /* y may be x */                                                              \
                    y[i] = s;                                                                                   \
                    combine(&s, &old);                                                                          \
                }                                                                                               \
            } else {                                                                                            \
                for (long i = b * length; i < end; i++) {                                                       \
                    combine(&s, &x[i]);                                                                         \
                    y[i] = s;                                                                                   \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    static inline df_result name(df_scan_kind kind, const T *x, T *y, long n)                                   \
    {                                                                                                           \
        if (n <= 0) return DF_OK;                                                                               \
        long length = df_block_length(n), blocks = df_block_count(n), done = 1;                                 \
        T *sum = (T *)malloc((size_t)blocks * sizeof(T)), before;                                               \
        if (!sum) return DF_ERROR_MEMORY;                                                                       \
        df_for(name##_df_scan_sum, 0, blocks - 1, x, length, sum, &done);                                       \
        identity(&before);                                                                                      \
        /* the sum of a block becomes that of all blocks before it */                                           \
        for (long b = 0; done == blocks && b < blocks; b++) {                                                   \
            T next = before;                                                                                    \
            if (b + 1 < blocks) combine(&next, &sum[b]);                                                        \
            sum[b] = before;                                                                                    \
            before = next;                                                                                      \
        }                                                                                                       \
        if (done == blocks)                                                                                     \
            df_for(name##_df_scan_write, 0, blocks, x, y, n, length, sum, kind == DF_EXCLUSIVE, &done);         \
        free(sum);                                                                                              \
        return done == 2 * blocks ? DF_OK : DF_ERROR_CANCELLED;                                                 \
    }                                                                                                           \
    struct name##_df_scan_needs_a_semicolon

#endif
