/* The fork-join workloads: problem sizes, the serial parts that are the same in every system, and main().
 *
 * A system includes this file and defines the functions declared under "Functions of a system". The algorithm of each
 * is that of forkjoin_df.c, spawn for spawn:
 *
 *   fib        spawn fib(n-1), call fib(n-2)
 *   nqueens    bit masks; spawn one task per valid placement, add the results up
 *   uts_bin    unbalanced tree search, binomial: 2000 children at the root, then 8 with probability 0.124875, else none
 *   uts_geo    the same, geometric: 4 children on average down to a fixed depth
 *              (a child's random state is a 64-bit hash of its parent's; UTS itself takes SHA-1)
 *   sum        recursive halves of 4 Mi int, leaf 64: spawn the right half, call the left one
 *   msort      merge sort of 4 Mi int between two buffers, leaf 64 by insertion; merges split at the middle of their
 *              output down to 1024 elements */
#ifndef FORKJOIN_H
#define FORKJOIN_H
#include "bench.h"

enum { NQUEENS_MAX = 16, SUM_LEAF = 64, MSORT_LEAF = 64, MERGE_LEAF = 1024, ARRAY = 1 << 22 };

/* Functions of a system. ------------------------------------------------------------------------------------------- */

static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static long run_fib(int n);
static long run_nqueens(int n);                                     /* solutions */
static long run_uts(uint64_t root);                                 /* nodes */
static long run_sum(const int *a, long n);
static void run_msort(int *a, int *buffer, long n);                 /* sorts a */

/* n queens. -------------------------------------------------------------------------------------------------------- */

/* The free columns of a row as bits, given the columns and diagonals under attack. */
static inline unsigned nqueens_free(int n, unsigned columns, unsigned left, unsigned right)
{
    return ~(columns | left | right) & ((1u << n) - 1);
}

/* Valid placements on all rows, each a task of the parallel program. */
static long nqueens_placements(int n, unsigned columns, unsigned left, unsigned right)
{
    long count = 0;
    for (unsigned f = nqueens_free(n, columns, left, right); f; f &= f - 1) {
        unsigned bit = f & -f;
        count += 1 + nqueens_placements(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

/* Unbalanced trees. ------------------------------------------------------------------------------------------------ */

static struct { int binomial, depth; } uts_shape;                  /* depth: of a binomial tree, children of the root */

static inline uint64_t uts_child(uint64_t state, int i)
{
    return bench_mix(state + (uint64_t)i * UINT64_C(0xd1342543de82ef95));
}

/* The number of children of a node. */
static inline int uts_children(uint64_t state, int depth)
{
    double u = (double)(state >> 11) * 0x1p-53;
    if (uts_shape.binomial) return depth == 0 ? uts_shape.depth : u < 0.124875 ? 8 : 0;
    if (depth >= uts_shape.depth) return 0;
    int n = 0;
    for (double p = 0.8; u < p && n < 100; p *= 0.8) n++;
    return n;
}

/* Sums and sorting. ------------------------------------------------------------------------------------------------ */

static inline long sum_leaf(const int *a, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) s += a[i];
    return s;
}

/* Sorts n elements of a; the result lies in out, which may be a itself. */
static inline void msort_leaf(const int *a, int *out, long n)
{
    for (long i = 0; i < n; i++) {
        int x = a[i];
        long j = i;
        for (; j > 0 && out[j - 1] > x; j--) out[j] = out[j - 1];
        out[j] = x;
    }
}

static inline void merge_leaf(const int *a, long na, const int *b, long nb, int *out)
{
    long i = 0, j = 0;
    while (i < na && j < nb) {
        int take_a = a[i] <= b[j];
        *out++ = take_a ? a[i] : b[j];
        i += take_a;
        j += !take_a;
    }
    memcpy(out, a + i, (size_t)(na - i) * sizeof *out);
    memcpy(out + (na - i), b + j, (size_t)(nb - j) * sizeof *out);
}

/* The number of elements of a among the first k of the merged sequence. */
static inline long merge_split(const int *a, long na, const int *b, long nb, long k)
{
    long low = k > nb ? k - nb : 0, high = k < na ? k : na;
    while (low < high) {
        long i = (low + high) / 2;
        if (a[i] < b[k - i - 1]) low = i + 1;
        else high = i;
    }
    return low;
}

static long sum_tasks(long n) { return n <= SUM_LEAF ? 0 : 1 + sum_tasks(n / 2) + sum_tasks(n - n / 2); }
static long merge_tasks(long n) { return n <= MERGE_LEAF ? 0 : 1 + merge_tasks(n / 2) + merge_tasks(n - n / 2); }
static long msort_tasks(long n)
{
    return n <= MSORT_LEAF ? 0 : 1 + msort_tasks(n / 2) + msort_tasks(n - n / 2) + merge_tasks(n);
}

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

/* The seeds give trees of about the expected size: 4.3 M and 3.5 M nodes, 400 k and 220 k for the slow systems. */
static void forkjoin_uts(const char *name, int binomial, int depth, uint64_t seed)
{
    if (!bench_wants(name)) return;
    uts_shape.binomial = binomial;
    uts_shape.depth = depth;
    long rounds = bench_size(5, 3, 1), nodes = 0;
    double t = bench_now();
    for (long i = 0; i < rounds; i++) nodes = run_uts(bench_mix((uint64_t)bench_opaque((long)seed)));
    bench_line(name, BENCH_SYSTEM, bench_now() - t, rounds * (nodes - 1), (uint64_t)nodes);
}

static void forkjoin_arrays(long n)
{
    int *a = (int *)bench_alloc((size_t)n, sizeof *a), *buffer = (int *)bench_alloc((size_t)n, sizeof *a);
    for (long i = 0; i < n; i++) a[i] = (int)(bench_mix((uint64_t)i) >> 34);
    long total = sum_leaf(a, n);

    if (bench_wants("sum")) {
        long rounds = bench_size(50, 20, 2), s = 0;
        double t = bench_now();
        for (long i = 0; i < rounds; i++) s += run_sum(a, bench_opaque(n));
        bench_line("sum", BENCH_SYSTEM, bench_now() - t, rounds * sum_tasks(n), (uint64_t)(s / rounds));
    }
    if (bench_wants("msort")) {
        double t = bench_now();
        run_msort(a, buffer, n);
        t = bench_now() - t;
        int sorted = sum_leaf(a, n) == total;
        for (long i = 1; i < n; i++) sorted &= a[i - 1] <= a[i];
        bench_line("msort", BENCH_SYSTEM, t, msort_tasks(n), sorted ? (uint64_t)total : 0);
    }
    free(a);
    free(buffer);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, run_start());
    run_fib(25);                                                    /* wakes the workers */
    if (bench_wants("fib")) {
        int n = (int)bench_size(40, 29, 24);
        long spawned = 0;
        for (long i = 0, next = 1, k = 0; k <= n; k++) { spawned = next - 1; long f = i + next; i = next; next = f; }
        double t = bench_now();
        long r = bench_opaque(run_fib((int)bench_opaque(n)));
        bench_line("fib", BENCH_SYSTEM, bench_now() - t, spawned, (uint64_t)r);
    }
    if (bench_wants("nqueens")) {
        int n = (int)bench_size(14, 12, 9);
        long placements = nqueens_placements(n, 0, 0, 0);
        double t = bench_now();
        long r = bench_opaque(run_nqueens((int)bench_opaque(n)));
        bench_line("nqueens", BENCH_SYSTEM, bench_now() - t, placements, (uint64_t)r);
    }
    forkjoin_uts("uts_bin", 1, (int)bench_size(2000, 200, 20), (uint64_t)bench_size(80, 103, 2));
    forkjoin_uts("uts_geo", 0, (int)bench_size(10, 8, 6), 3);
    if (bench_wants("sum") || bench_wants("msort")) forkjoin_arrays(bench_size(ARRAY, ARRAY, ARRAY / 16));
    run_stop();
    return 0;
}
#endif
