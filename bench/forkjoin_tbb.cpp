// Fork-join workloads with oneTBB's task_group.
#include "forkjoin.h"
#include <alloca.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

using tbb::task_group;

static long fib(int n)
{
    if (n < 2) return n;
    long a, b;
    task_group g;
    g.run([&a, n] { a = fib(n - 1); });
    b = fib(n - 2);
    g.wait();
    return a + b;
}

static long nqueens(int n, unsigned columns, unsigned left, unsigned right)
{
    if (columns == (1u << n) - 1) return 1;
    long placed[NQUEENS_MAX];
    int k = 0;
    task_group g;
    for (unsigned f = nqueens_free(n, columns, left, right); f; f &= f - 1) {
        unsigned bit = f & -f;
        long *r = &placed[k++];
        g.run([=] { *r = nqueens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1); });
    }
    g.wait();
    long solutions = 0;
    while (k-- > 0) solutions += placed[k];
    return solutions;
}

static long uts(uint64_t state, int depth)
{
    int n = uts_children(state, depth);
    if (n == 0) return 1;
    long *child = static_cast<long *>(alloca(sizeof(long) * static_cast<size_t>(n)));
    task_group g;
    for (int i = 0; i < n; i++) g.run([=] { child[i] = uts(uts_child(state, i), depth + 1); });
    g.wait();
    long nodes = 1;
    while (n-- > 0) nodes += child[n];
    return nodes;
}

static long sum(const int *a, long n)
{
    if (n <= SUM_LEAF) return sum_leaf(a, n);
    long left, right;
    task_group g;
    g.run([&right, a, n] { right = sum(a + n / 2, n - n / 2); });
    left = sum(a, n / 2);
    g.wait();
    return left + right;
}

static void merge(const int *a, long na, const int *b, long nb, int *out)
{
    if (na + nb <= MERGE_LEAF) { merge_leaf(a, na, b, nb, out); return; }
    long k = (na + nb) / 2, i = merge_split(a, na, b, nb, k), j = k - i;
    task_group g;
    g.run([=] { merge(a + i, na - i, b + j, nb - j, out + k); });
    merge(a, i, b, j, out);
    g.wait();
}

static void msort(int *a, int *buffer, long n, int to_buffer)
{
    if (n <= MSORT_LEAF) { msort_leaf(a, to_buffer ? buffer : a, n); return; }
    long h = n / 2;
    task_group g;
    g.run([=] { msort(a + h, buffer + h, n - h, !to_buffer); });
    msort(a, buffer, h, !to_buffer);
    g.wait();
    if (to_buffer) merge(a, h, a + h, n - h, buffer);
    else merge(buffer, h, buffer + h, n - h, a);
}

static tbb::global_control *limit;

static int run_start()
{
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(bench_workers()));
    return bench_workers();
}
static void run_stop() { delete limit; }
static long run_fib(int n) { return fib(n); }
static long run_nqueens(int n) { return nqueens(n, 0, 0, 0); }
static long run_uts(uint64_t root) { return uts(root, 0); }
static long run_sum(const int *a, long n) { return sum(a, n); }
static void run_msort(int *a, int *buffer, long n) { msort(a, buffer, n, 0); }
