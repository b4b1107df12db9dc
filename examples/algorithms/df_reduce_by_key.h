/* df_reduce_by_key.h - one value for each run of equal keys, in parallel
 *
 *   DF_REDUCE_BY_KEY(name, K, V, same, combine);    defines a function with internal linkage:
 *       long name(const K *keys, const V *values, long n, K *out_keys, V *out_values);
 *
 *       same        int same(const K *a, const K *b): not 0 if the keys are equal
 *       combine     void combine(V *into, const V *from): *into = *into op *from, as in DF_REDUCTION. The operator must
 *                   be associative, but need not be commutative
 *       keys        n keys. Neighbours that are equal form a run: sort by key first if each key may have only one
 *       values      n values, one for each key
 *       out_keys, out_values    the key of each run, and the values of the run combined in their order; room for n
 *                   elements if nothing is known of the keys. They must not overlap keys or values
 *       result      the number of runs
 *
 *   same and combine are inlined. The blocks depend on n alone, so floating-point results have the same bits for every
 *   number of workers. (For runs across the end of a block they may differ in the last bits from a serial loop.)
 *   Complexity: 2 n calls of same, n of combine; the span is that of two blocks, each n / 1024 or 4096 elements.
 *   Memory:     one V for each block, at most 1024, from malloc, freed before the return; 8 KiB of stack.
 *   Threads:    any; inside tasks, too. It waits for no task of df_submit: wait for those that access the arrays first.
 *   Errors:     negative. DF_ERROR_MEMORY: that memory is missing; nothing is written. DF_ERROR_CANCELLED: the calling
 *               task was cancelled, or same or combine called df_fail or df_cancel; parts are not written. */
#ifndef DF_REDUCE_BY_KEY_H
#define DF_REDUCE_BY_KEY_H

#include "df_blocks.h"

#define DF_REDUCE_BY_KEY(name, K, V, same, combine)                                                             \
    /* the number of runs that begin in each block */                                                           \
    DF_STATIC_LOOP(name##_df_count, (const K *, keys), (long, n), (long, length), (long *, runs),               \
                   df_reduce(df_sum, long, done, 1));                                                           \
    static void name##_df_count(long lo, long hi, const K *keys, long n, long length, long *runs, long *done)   \
    {                                                                                                           \
        *done += hi - lo;                                                                                       \
        for (long b = lo; b < hi; b++) {                                                                        \
            long end = df_block_end(b * length, length, n), count = 0;                                          \
            for (long i = b * length; i < end; i++) count += i == 0 || !same(&keys[i - 1], &keys[i]);           \
            runs[b] = count;                                                                                    \
        }                                                                                                       \
    }                                                                                                           \
    /* at: the number of runs that begin before each block; carry: what a block adds to the last of these */    \
    DF_STATIC_LOOP(name##_df_reduce, (const K *, keys), (const V *, values), (long, n), (long, length),         \
                   (const long *, at), (V *, carry), (K *, out_keys), (V *, out_values),                        \
                   df_reduce(df_sum, long, done, 1));                                                           \
    static void name##_df_reduce(long lo, long hi, const K *keys, const V *values, long n, long length,         \
                                 const long *at, V *carry, K *out_keys, V *out_values, long *done)              \
    {                                                                                                           \
        *done += hi - lo;                                                                                       \
        for (long b = lo; b < hi; b++) {                                                                        \
            long i = b * length, end = df_block_end(i, length, n), run = at[b];                                 \
            if (i > 0 && same(&keys[i - 1], &keys[i])) {                                                        \
                V v = values[i];                                                                                \
                while (++i < end && same(&keys[i - 1], &keys[i])) combine(&v, &values[i]);                      \
                carry[b] = v;                                                                                   \
            }                                                                                                   \
            while (i < end) {                                                                                   \
                V v = values[i];                                                                                \
                out_keys[run] = keys[i];                                                                        \
                while (++i < end && same(&keys[i - 1], &keys[i])) combine(&v, &values[i]);                      \
                out_values[run++] = v;                                                                          \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    static inline long name(const K *keys, const V *values, long n, K *out_keys, V *out_values)                 \
    {                                                                                                           \
        if (n <= 0) return 0;                                                                                   \
        long length = df_block_length(n), blocks = df_block_count(n), at[DF_BLOCKS_MOST], runs = 0, done = 0;   \
        V *carry = (V *)malloc((size_t)blocks * sizeof(V));                                                     \
        if (!carry) return DF_ERROR_MEMORY;                                                                     \
        df_for(name##_df_count, 0, blocks, keys, n, length, at, &done);                                         \
        for (long b = 0; done == blocks && b < blocks; b++) {                                                   \
            long here = at[b];                                                                                  \
            at[b] = runs;                                                                                       \
            runs += here;                                                                                       \
        }                                                                                                       \
        if (done == blocks)                                                                                     \
            df_for(name##_df_reduce, 0, blocks, keys, values, n, length, at, carry, out_keys, out_values, &done);\
        for (long b = 1; done == 2 * blocks && b < blocks; b++)                                                 \
            if (same(&keys[b * length - 1], &keys[b * length])) combine(&out_values[at[b] - 1], &carry[b]);     \
        free(carry);                                                                                            \
        return done == 2 * blocks ? runs : (long)DF_ERROR_CANCELLED;                                            \
    }                                                                                                           \
    struct name##_df_reduce_by_key_needs_a_semicolon

#endif
