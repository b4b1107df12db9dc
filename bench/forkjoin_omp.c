/* Fork-join workloads with OpenMP tasks. */
#include "forkjoin.h"
#include <omp.h>

static long fib(int n)
{
    if (n < 2) return n;
    long a, b;
    #pragma omp task shared(a) firstprivate(n)
    a = fib(n - 1);
    b = fib(n - 2);
    #pragma omp taskwait
    return a + b;
}

static long nqueens(int n, unsigned columns, unsigned left, unsigned right)
{
    if (columns == (1u << n) - 1) return 1;
    long placed[NQUEENS_MAX];
    int k = 0;
    for (unsigned f = nqueens_free(n, columns, left, right); f; f &= f - 1) {
        unsigned bit = f & -f;
        #pragma omp task shared(placed) firstprivate(n, columns, left, right, bit, k)
        placed[k] = nqueens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
        k++;
    }
    #pragma omp taskwait
    long solutions = 0;
    while (k-- > 0) solutions += placed[k];
    return solutions;
}

static long uts(uint64_t state, int depth)
{
    int n = uts_children(state, depth);
    if (n == 0) return 1;
    long child[n];
    for (int i = 0; i < n; i++) {
        #pragma omp task shared(child) firstprivate(state, depth, i)
        child[i] = uts(uts_child(state, i), depth + 1);
    }
    #pragma omp taskwait
    long nodes = 1;
    while (n-- > 0) nodes += child[n];
    return nodes;
}

static long sum(const int *a, long n)
{
    if (n <= SUM_LEAF) return sum_leaf(a, n);
    long left, right;
    #pragma omp task shared(right) firstprivate(a, n)
    right = sum(a + n / 2, n - n / 2);
    left = sum(a, n / 2);
    #pragma omp taskwait
    return left + right;
}

static void merge(const int *a, long na, const int *b, long nb, int *out)
{
    if (na + nb <= MERGE_LEAF) { merge_leaf(a, na, b, nb, out); return; }
    long k = (na + nb) / 2, i = merge_split(a, na, b, nb, k), j = k - i;
    #pragma omp task firstprivate(a, na, i, b, nb, j, out, k)
    merge(a + i, na - i, b + j, nb - j, out + k);
    merge(a, i, b, j, out);
    #pragma omp taskwait
}

static void msort(int *a, int *buffer, long n, int to_buffer)
{
    if (n <= MSORT_LEAF) { msort_leaf(a, to_buffer ? buffer : a, n); return; }
    long h = n / 2;
    #pragma omp task firstprivate(a, buffer, n, h, to_buffer)
    msort(a + h, buffer + h, n - h, !to_buffer);
    msort(a, buffer, h, !to_buffer);
    #pragma omp taskwait
    if (to_buffer) merge(a, h, a + h, n - h, buffer);
    else merge(buffer, h, buffer + h, n - h, a);
}

static int run_start(void) { return omp_get_max_threads(); }
static void run_stop(void) {}

static long run_fib(int n)
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    r = fib(n);
    return r;
}
static long run_nqueens(int n)
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    r = nqueens(n, 0, 0, 0);
    return r;
}
static long run_uts(uint64_t root)
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    r = uts(root, 0);
    return r;
}
static long run_sum(const int *a, long n)
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    r = sum(a, n);
    return r;
}
static void run_msort(int *a, int *buffer, long n)
{
    #pragma omp parallel
    #pragma omp single
    msort(a, buffer, n, 0);
}
