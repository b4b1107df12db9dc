/* Fork-join workloads with df. Compiled with -DDF_SERIAL: the same with plain calls. */
#include "forkjoin.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_TASK(long, fib, (int, n));
DF_TASK(long, nqueens, (int, n), (unsigned, columns), (unsigned, left), (unsigned, right));
DF_TASK(long, uts, (uint64_t, state), (int, depth));
DF_TASK(long, sum, (const int *, a), (long, n));
DF_TASK(void, merge, (const int *, a), (long, na), (const int *, b), (long, nb), (int *, out));
DF_TASK(void, msort, (int *, a), (int *, buffer), (long, n), (int, to_buffer));

long fib(int n)
{
    if (n < 2) return n;
    df_future(fib) a;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return df_sync(fib, &a) + b;
}

long nqueens(int n, unsigned columns, unsigned left, unsigned right)
{
    if (columns == (1u << n) - 1) return 1;
    df_future(nqueens) placed[NQUEENS_MAX];
    int k = 0;
    for (unsigned f = nqueens_free(n, columns, left, right); f; f &= f - 1) {
        unsigned bit = f & -f;
        df_spawn(nqueens, &placed[k], n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
        k++;
    }
    long solutions = 0;
    while (k-- > 0) solutions += df_sync(nqueens, &placed[k]);
    return solutions;
}

long uts(uint64_t state, int depth)
{
    int n = uts_children(state, depth);
    if (n == 0) return 1;
    df_future(uts) child[n];
    for (int i = 0; i < n; i++) df_spawn(uts, &child[i], uts_child(state, i), depth + 1);
    long nodes = 1;
    while (n-- > 0) nodes += df_sync(uts, &child[n]);
    return nodes;
}

long sum(const int *a, long n)
{
    if (n <= SUM_LEAF) return sum_leaf(a, n);
    df_future(sum) right;
    df_spawn(sum, &right, a + n / 2, n - n / 2);
    long left = sum(a, n / 2);
    return left + df_sync(sum, &right);
}

void merge(const int *a, long na, const int *b, long nb, int *out)
{
    if (na + nb <= MERGE_LEAF) { merge_leaf(a, na, b, nb, out); return; }
    long k = (na + nb) / 2, i = merge_split(a, na, b, nb, k), j = k - i;
    df_future(merge) high;
    df_spawn(merge, &high, a + i, na - i, b + j, nb - j, out + k);
    merge(a, i, b, j, out);
    df_sync(merge, &high);
}

void msort(int *a, int *buffer, long n, int to_buffer)
{
    if (n <= MSORT_LEAF) { msort_leaf(a, to_buffer ? buffer : a, n); return; }
    long h = n / 2;
    df_future(msort) high;
    df_spawn(msort, &high, a + h, buffer + h, n - h, !to_buffer);
    msort(a, buffer, h, !to_buffer);
    df_sync(msort, &high);
    if (to_buffer) merge(a, h, a + h, n - h, buffer);
    else merge(buffer, h, buffer + h, n - h, a);
}

static int run_start(void)
{
    df_start(&(df_config){0});
    return df_workers();
}
static void run_stop(void) { df_stop(); }
static long run_fib(int n) { return fib(n); }
static long run_nqueens(int n) { return nqueens(n, 0, 0, 0); }
static long run_uts(uint64_t root) { return uts(root, 0); }
static long run_sum(const int *a, long n) { return sum(a, n); }
static void run_msort(int *a, int *buffer, long n) { msort(a, buffer, n, 0); }
