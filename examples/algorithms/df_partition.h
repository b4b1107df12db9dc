/* df_partition.h - a stable parallel partition by a predicate
 *
 *   long df_partition(void *base, size_t n, size_t size, test, void *ctx);
 *       base      n elements of `size` bytes each. Those that pass the test end up before all others, and both kinds
 *                 keep their order
 *       test      int test(const void *x, void *ctx): not 0 if *x belongs to the first part. It is called once for each
 *                 element, on several threads at a time
 *       ctx       is passed to test
 *       result    the number of elements that pass the test
 *
 *   Complexity: n calls of test and 2 n moves; the span is that of two blocks, each n / 1024 or 4096 elements.
 *   Memory:     n * size bytes from malloc, freed before the return; 8 KiB of stack.
 *   Threads:    any; inside tasks, too. It waits for no task of df_submit: wait for those that access base first.
 *   Errors:     negative. DF_ERROR_MEMORY: that memory is missing; base is as before. DF_ERROR_CANCELLED: the calling
 *               task was cancelled, or test called df_fail or df_cancel; the order in base is unspecified, and elements
 *               may be lost. */
#ifndef DF_PARTITION_H
#define DF_PARTITION_H

#include "df_blocks.h"

typedef int (*df_partition_test)(const void *x, void *ctx);
typedef struct {
    char *base, *other;
    long n, length;         /* of a block */
    size_t size;
    df_partition_test test;
    void *ctx;
    size_t *passed;         /* by the elements of each block; later, by those of all blocks before it */
    size_t passed_in_all;
} df_partition_job;

/* Each block goes to the same place in `other`: elements that pass the test in order from its beginning, the others
 * from its end backwards. */
DF_STATIC_LOOP(df_partition_divide, (const df_partition_job *, p), df_reduce(df_sum, long, done, 1));
static void df_partition_divide(long lo, long hi, const df_partition_job *p, long *done)
{
    size_t size = p->size;
    *done += hi - lo;
    for (long b = lo; b < hi; b++) {
        size_t first = (size_t)(b * p->length) * size;
        size_t end = (size_t)df_block_end(b * p->length, p->length, p->n) * size;
        char *front = p->other + first, *back = p->other + end;
        for (const char *x = p->base + first; x < p->base + end; x += size) {
            if (p->test(x, p->ctx)) {
                df_element_move(front, x, size);
                front += size;
            } else {
                back -= size;
                df_element_move(back, x, size);
            }
        }
        p->passed[b] = (size_t)(front - (p->other + first)) / size;
    }
}

/* Copies both parts of each block to their places in base. */
DF_STATIC_LOOP(df_partition_place, (const df_partition_job *, p), df_reduce(df_sum, long, done, 1));
static void df_partition_place(long lo, long hi, const df_partition_job *p, long *done)
{
    size_t size = p->size;
    *done += hi - lo;
    for (long b = lo; b < hi; b++) {
        size_t first = (size_t)(b * p->length), end = (size_t)df_block_end(b * p->length, p->length, p->n);
        size_t before = p->passed[b], here = p->passed[b + 1] - before;
        const char *x = p->other + end * size, *stop = p->other + (first + here) * size;
        memcpy(p->base + before * size, p->other + first * size, here * size);
        for (char *to = p->base + (p->passed_in_all + first - before) * size; x > stop; to += size)
            df_element_move(to, x -= size, size);
    }
}

static inline long df_partition(void *base, size_t n, size_t size, df_partition_test test, void *ctx)
{
    if (n == 0 || size == 0) return 0;
    char *other = df_elements_new(n, size);
    if (!other) return DF_ERROR_MEMORY;
    size_t passed[DF_BLOCKS_MOST + 1], sum = 0;
    long blocks = df_block_count((long)n), done = 0;
    df_partition_job p = { (char *)base, other, (long)n, df_block_length((long)n), size, test, ctx, passed, 0 };
    df_for(df_partition_divide, 0, blocks, &p, &done);
    for (long b = 0; done == blocks && b < blocks; b++) {
        size_t here = passed[b];
        passed[b] = sum;
        sum += here;
    }
    passed[blocks] = p.passed_in_all = sum;
    if (done == blocks) df_for(df_partition_place, 0, blocks, &p, &done);
    free(other);
    return done == 2 * blocks ? (long)sum : (long)DF_ERROR_CANCELLED;
}

#endif
