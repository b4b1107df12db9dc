/* Prefix sums: every element becomes the sum of itself and of all elements before it.
 *
 * Each sum needs the one before, and yet there are two ways to do it in parallel, both with two
 * passes. The recursive one goes up a tree of halves and keeps the sum of each left half, then down
 * again with the sum of all that lies to the left. The flat one divides the array into blocks. It
 * computes the sum of each block, then the prefix sums of these few sums, and from those the
 * elements of each block.
 * Source: MetaFork's parallel scan (thesis, 2); Blelloch, CMU-CS-90-190.
 *
 *     ./11_prefix_sum [LENGTH]
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, LONGEST = 500000000 };   /* BLOCK elements take about 2 us */

static long sum_of(const long *x, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* y[i] = before + x[0] + ... + x[i] */
static void scan(const long *x, long *y, long n, long before)
{
    for (long i = 0; i < n; i++)
        y[i] = before += x[i];
}

/* --- by halves: both passes divide the n elements alike, `left` has one element for each block -- */

static long middle_of(long n) { return (n / BLOCK + 1) / 2 * BLOCK; }   /* n > BLOCK: 0 < it < n */

DF_TASK(long, up, (const long *, x), (long, n), (long *, left));
long up(const long *x, long n, long *left)
{
    if (n <= BLOCK)
        return sum_of(x, n);
    long m = middle_of(n);
    df_future(up) first;
    df_spawn(up, &first, x, m, left);
    long second = up(x + m, n - m, left + m / BLOCK);
    left[m / BLOCK - 1] = df_sync(up, &first);   /* the place between the halves: no other task uses it */
    return left[m / BLOCK - 1] + second;
}

DF_TASK(void, down, (const long *, x), (long *, y), (long, n), (const long *, left), (long, before));
void down(const long *x, long *y, long n, const long *left, long before)
{
    if (n <= BLOCK) {
        scan(x, y, n, before);
        return;
    }
    long m = middle_of(n);
    df_future(down) first;
    df_spawn(down, &first, x, y, m, left, before);
    down(x + m, y + m, n - m, left + m / BLOCK, before + left[m / BLOCK - 1]);
    df_sync(down, &first);
}

/* --- by blocks ------------------------------------------------------------------------------- */

static long block_length(long b, long n) { return n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK; }

DF_LOOP(sum_blocks, (const long *, x), (long, n), (long *, sum));
void sum_blocks(long lo, long hi, const long *x, long n, long *sum)
{
    for (long b = lo; b < hi; b++)
        sum[b] = sum_of(x + b * BLOCK, block_length(b, n));
}

DF_LOOP(scan_blocks, (const long *, x), (long *, y), (long, n), (const long *, sum));
void scan_blocks(long lo, long hi, const long *x, long *y, long n, const long *sum)
{
    for (long b = lo; b < hi; b++)
        scan(x + b * BLOCK, y + b * BLOCK, block_length(b, n), b ? sum[b - 1] : 0);
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 3000000;
    if (argc > 2 || *end || n < 1 || n > LONGEST) {
        fprintf(stderr, "usage: %s [LENGTH]    with LENGTH from 1 to %d\n", argv[0], LONGEST);
        return 2;
    }
    long blocks = (n + BLOCK - 1) / BLOCK;
    size_t bytes = (size_t)n * sizeof(long);
    long *x = malloc(bytes), *y = malloc(bytes), *expected = malloc(bytes);
    long *left = malloc((size_t)blocks * sizeof *left);
    if (!x || !y || !expected || !left) {
        fprintf(stderr, "not enough memory for %ld elements\n", n);
        return 2;
    }
    for (long i = 0; i < n; i++)
        x[i] = i * 7919 % 2001 - 1000;
    scan(x, expected, n, 0);

    long total = up(x, n, left);
    down(x, y, n, left, 0);
    int by_halves = total == expected[n - 1] && memcmp(y, expected, bytes) == 0;

    memset(y, 0, bytes);
    df_for(sum_blocks, 0, blocks, x, n, left);
    scan(left, left, blocks, 0);
    df_for(scan_blocks, 0, blocks, x, y, n, left);
    int by_blocks = memcmp(y, expected, bytes) == 0;

    printf("prefix sums of %ld numbers, the last one is %ld\n", n, total);
    printf("by halves: %s\n", by_halves ? "correct" : "WRONG");
    printf("by blocks: %s\n", by_blocks ? "correct" : "WRONG");
    free(x);
    free(y);
    free(expected);
    free(left);
    return by_halves && by_blocks ? 0 : 1;
}
