/* df_sort.h - a stable parallel merge sort with the arguments of qsort
 *
 *   df_result df_sort(void *base, size_t n, size_t size, compare);
 *       base       n elements of `size` bytes each, which end up in ascending order
 *       compare    int compare(const void *x, const void *y): less than, equal to or greater than 0, as for qsort. It
 *                  is called on several threads at a time and must not change the elements
 *
 *   Equal elements keep their order, so the result is the same for every number of workers.
 *   Complexity: n log2 n comparisons and moves; the span is O(log^3 n), because merges divide their input, too.
 *   Memory:     n * size bytes from malloc, freed before the return.
 *   Threads:    any; inside tasks, too. It waits for no task of df_submit: wait for those that access base first.
 *   Errors:     DF_ERROR_MEMORY if that memory is missing, and then base is as before. Else DF_OK.
 *   Source:     Cilk's cilksort; Cormen et al., Introduction to Algorithms, 27.3. */
#ifndef DF_SORT_H
#define DF_SORT_H

#include "df_blocks.h"

enum {
    DF_SORT_INSERTION = 16,  /* elements for which insertion beats merging */
    DF_SORT_SERIAL = 2048    /* elements of a task: about 100 us to sort, 8 us to merge */
};

typedef int (*df_sort_compare)(const void *x, const void *y);
typedef struct {
    size_t size;
    df_sort_compare compare;
} df_sort_order;

/* The number of the n sorted elements at a that precede x: the smaller ones and, if asked for, the equal ones. */
static inline size_t df_sort_before(const df_sort_order *o, const char *a, size_t n, const char *x, int and_equal)
{
    size_t lo = 0;
    while (lo < n) {
        size_t m = lo + (n - lo) / 2;
        int order = o->compare(a + m * o->size, x);
        if (order < 0 || (and_equal && order == 0)) lo = m + 1;
        else n = m;
    }
    return lo;
}

/* Of equal elements those of a come first. */
static inline void df_sort_merge_serial(const df_sort_order *o, const char *a, size_t na, const char *b, size_t nb,
                                        char *out)
{
    size_t size = o->size;
    while (na > 0 && nb > 0) {
        if (o->compare(b, a) < 0) {
            df_element_move(out, b, size);
            b += size, nb--;
        } else {
            df_element_move(out, a, size);
            a += size, na--;
        }
        out += size;
    }
    memcpy(out, na > 0 ? a : b, (na + nb) * size);
}

/* The middle of the longer input divides it, and a binary search divides the other one at the same value. */
DF_STATIC_TASK(void, df_sort_merge, (const df_sort_order *, o), (const char *, a), (size_t, na), (const char *, b),
               (size_t, nb), (char *, out));
static void df_sort_merge(const df_sort_order *o, const char *a, size_t na, const char *b, size_t nb, char *out)
{
    if (na + nb <= DF_SORT_SERIAL) {
        df_sort_merge_serial(o, a, na, b, nb, out);
        return;
    }
    size_t size = o->size;
    size_t ma = na >= nb ? na / 2 : df_sort_before(o, a, na, b + nb / 2 * size, 1);
    size_t mb = na >= nb ? df_sort_before(o, b, nb, a + na / 2 * size, 0) : nb / 2;
    df_future(df_sort_merge) first;
    df_spawn(df_sort_merge, &first, o, a, ma, b, mb, out);
    df_sort_merge(o, a + ma * size, na - ma, b + mb * size, nb - mb, out + (ma + mb) * size);
    df_sync(df_sort_merge, &first);
}

/* Inserts each element between those before it; spare: room for one element. */
static inline void df_sort_insert(const df_sort_order *o, char *a, size_t n, char *spare)
{
    size_t size = o->size;
    for (char *x = a + size; n > 1; x += size, n--) {
        char *to = x;
        while (to > a && o->compare(to - size, x) > 0) to -= size;
        if (to == x) continue;
        df_element_move(spare, x, size);
        memmove(to + size, to, (size_t)(x - to));
        df_element_move(to, spare, size);
    }
}

/* Sorts the n elements of a, at least 1, in place or, if asked for, into `other`, where there is room for n. The halves
 * go to the other of the two, and the merge brings them to their place. */
DF_STATIC_TASK(void, df_sort_part, (const df_sort_order *, o), (char *, a), (char *, other), (size_t, n),
               (int, into_other));
static void df_sort_part(const df_sort_order *o, char *a, char *other, size_t n, int into_other)
{
    size_t size = o->size, half = n / 2;
    char *from = into_other ? a : other, *to = into_other ? other : a;
    if (n <= DF_SORT_INSERTION) {
        df_sort_insert(o, a, n, other);
        if (into_other) memcpy(other, a, n * size);
    } else if (n <= DF_SORT_SERIAL) {
        df_sort_part(o, a, other, half, !into_other);
        df_sort_part(o, a + half * size, other + half * size, n - half, !into_other);
        df_sort_merge_serial(o, from, half, from + half * size, n - half, to);
    } else {
        df_future(df_sort_part) first;
        df_spawn(df_sort_part, &first, o, a, other, half, !into_other);
        df_sort_part(o, a + half * size, other + half * size, n - half, !into_other);
        df_sync(df_sort_part, &first);
        df_sort_merge(o, from, half, from + half * size, n - half, to);
    }
}

static inline df_result df_sort(void *base, size_t n, size_t size, df_sort_compare compare)
{
    df_sort_order o = { size, compare };
    if (n < 2 || size == 0) return DF_OK;
    char *other = df_elements_new(n, size);
    if (!other) return DF_ERROR_MEMORY;
    df_sort_part(&o, (char *)base, other, n, 0);
    free(other);
    return DF_OK;
}

#endif
