/* Sorting twice: merge sort, which is stable, and quicksort, which is in place.
 *
 * Both divide the array and spawn one part. Merge sort would not scale if the last merge were one
 * task: to merge in parallel, the middle of the longer input divides it, a binary search finds where
 * the shorter one is to be divided, and the two pairs are merged independently.
 * Source: Cilk's cilksort; MetaFork's and BOTS' sort; Cormen et al., Introduction to Algorithms, 27.3.
 *
 *     cc -std=c11 -O2 -o sort examples/sort.c examples/sort/[a-z]*.c -pthread
 *     ./sort [COUNT]         numbers made here
 *     ./sort FILE.txt        the words of a text, in small letters
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sort/items.h"

enum { SMALL = 32, SERIAL = 2048 };   /* SERIAL: 2048 items take 100 us to sort, 8 us to merge */

static void insertion_sort(item *a, long n)
{
    for (long i = 1; i < n; i++) {
        item x = a[i];
        long j = i;
        for (; j > 0 && item_less(&x, &a[j - 1]); j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

/* --- merge sort ------------------------------------------------------------------------------ */

/* How many of the n sorted items come before x: the smaller ones and, if asked for, the equal ones. */
static long before(const item *a, long n, const item *x, int and_equal)
{
    long lo = 0;
    while (lo < n) {
        long m = lo + (n - lo) / 2;
        if (and_equal ? !item_less(x, &a[m]) : item_less(&a[m], x))
            lo = m + 1;
        else
            n = m;
    }
    return lo;
}

/* Of equal items those of a come first. */
DF_TASK(void, merge, (const item *, a), (long, na), (const item *, b), (long, nb), (item *, out));
void merge(const item *a, long na, const item *b, long nb, item *out)
{
    if (na + nb <= SERIAL) {
        while (na > 0 && nb > 0)
            if (item_less(b, a)) {
                *out++ = *b++;
                nb--;
            } else {
                *out++ = *a++;
                na--;
            }
        memcpy(out, na ? a : b, (size_t)(na + nb) * sizeof *out);
        return;
    }
    long ma = na >= nb ? na / 2 : before(a, na, &b[nb / 2], 1);
    long mb = na >= nb ? before(b, nb, &a[na / 2], 0) : nb / 2;
    df_future(merge) first;
    df_spawn(merge, &first, a, ma, b, mb, out);
    merge(a + ma, na - ma, b + mb, nb - mb, out + ma + mb);
    df_sync(merge, &first);
}

/* Sorts a into itself or, if asked for, into the other array, both of length n: the halves go to the other of the
 * two, from which they are merged. */
DF_TASK(void, merge_sort, (item *, a), (item *, other), (long, n), (int, into_other));
void merge_sort(item *a, item *other, long n, int into_other)
{
    if (n <= SMALL) {
        insertion_sort(a, n);
        if (into_other)
            memcpy(other, a, (size_t)n * sizeof *a);
        return;
    }
    long m = n / 2;
    if (n <= SERIAL) {
        merge_sort(a, other, m, !into_other);
        merge_sort(a + m, other + m, n - m, !into_other);
    } else {
        df_future(merge_sort) half;
        df_spawn(merge_sort, &half, a, other, m, !into_other);
        merge_sort(a + m, other + m, n - m, !into_other);
        df_sync(merge_sort, &half);
    }
    if (into_other)
        merge(a, m, a + m, n - m, other);
    else
        merge(other, m, other + m, n - m, a);
}

/* --- quicksort ------------------------------------------------------------------------------- */

static const item *median(const item *a, const item *b, const item *c)
{
    if (item_less(a, b))
        return item_less(b, c) ? b : item_less(a, c) ? c : a;
    return item_less(a, c) ? a : item_less(b, c) ? c : b;
}

DF_TASK(void, quick_sort, (item *, a), (long, n));
void quick_sort(item *a, long n)
{
    if (n <= SMALL) {
        insertion_sort(a, n);
        return;
    }
    item pivot = *median(&a[0], &a[n / 2], &a[n - 1]);
    long i = 0, j = n - 1;
    while (i <= j) {   /* Hoare's: stops at equal items, so that many of them do no harm */
        while (item_less(&a[i], &pivot))
            i++;
        while (item_less(&pivot, &a[j]))
            j--;
        if (i <= j) {
            item x = a[i];
            a[i++] = a[j];
            a[j--] = x;
        }
    }
    if (n <= SERIAL) {
        quick_sort(a, j + 1);
        quick_sort(a + i, n - i);
        return;
    }
    df_future(quick_sort) low;
    df_spawn(quick_sort, &low, a, j + 1);
    quick_sort(a + i, n - i);
    df_sync(quick_sort, &low);
}

/* --- the program ----------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 200000;
    if (argc > 2 || (!*end && (n < 1 || n > MOST_ITEMS))) {
        fprintf(stderr, "usage: %s [COUNT | FILE.txt]    with COUNT from 1 to %d\n", argv[0], MOST_ITEMS);
        return 2;
    }
    items in;
    const char *wrong = *end ? items_read(&in, argv[1]) : items_generate(&in, n);
    if (wrong) {
        fprintf(stderr, "%s: %s\n", *end ? argv[1] : argv[0], wrong);
        return 2;
    }
    n = in.count;
    size_t bytes = (size_t)n * sizeof(item);
    item *a = malloc(bytes), *b = malloc(bytes), *other = malloc(bytes);
    if (!a || !b || !other) {
        fprintf(stderr, "not enough memory for %ld items\n", n);
        return 2;
    }
    memcpy(a, in.at, bytes);
    memcpy(b, in.at, bytes);
    merge_sort(a, other, n, 0);
    quick_sort(b, n);

    int merged = items_are_sorted(&in, a, 1), quick = items_are_sorted(&in, b, 0);
    long distinct = 0, most = 0, frequent = 0;   /* the most frequent item is a[frequent] */
    for (long i = 0, j; merged && i < n; i = j) {
        for (j = i + 1; j < n && !item_less(&a[i], &a[j]);)
            j++;
        distinct++;
        if (j - i > most) {
            most = j - i;
            frequent = i;
        }
    }
    printf("%ld %s, %ld of them distinct; ", n, in.text ? "words" : "numbers", distinct);
    if (in.text)
        printf("first '%s', last '%s', %ld times '%s'\n", a[0].word, a[n - 1].word, most, a[frequent].word);
    else
        printf("first %ld, last %ld, %ld times %ld\n", a[0].number, a[n - 1].number, most, a[frequent].number);
    printf("merge sort: %s\n", merged ? "correct, and equal ones are in their order" : "WRONG");
    printf("quicksort: %s\n", quick ? "correct" : "WRONG");
    free(a);
    free(b);
    free(other);
    items_free(&in);
    return merged && quick ? 0 : 1;
}
