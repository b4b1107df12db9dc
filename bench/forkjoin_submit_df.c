/* Fork-join workloads with df_submit and df_wait, as one ports them from `omp task` and `taskwait`: system df-submit. The
 * algorithms are those of forkjoin_df.c; results go where a pointer says. */
#include "forkjoin.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_TASK(void, fib, (int, n), (long *, result));
DF_TASK(void, nqueens, (int, n), (unsigned, columns), (unsigned, left), (unsigned, right), (long *, result));
DF_TASK(void, uts, (uint64_t, state), (int, depth), (long *, result));
DF_TASK(void, sum, (const int *, a), (long, n), (long *, result));
DF_TASK(void, merge, (const int *, a), (long, na), (const int *, b), (long, nb), (int *, out));
DF_TASK(void, msort, (int *, a), (int *, buffer), (long, n), (int, to_buffer));

void fib(int n, long *result)
{
    if (n < 2) { *result = n; return; }
    long a, b;
    df_submit(fib, n - 1, &a);
    fib(n - 2, &b);
    df_wait();
    *result = a + b;
}

void nqueens(int n, unsigned columns, unsigned left, unsigned right, long *result)
{
    if (columns == (1u << n) - 1) { *result = 1; return; }
    long placed[NQUEENS_MAX];
    int k = 0;
    for (unsigned f = nqueens_free(n, columns, left, right); f; f &= f - 1) {
        unsigned bit = f & -f;
        df_submit(nqueens, n, columns | bit, (left | bit) << 1, (right | bit) >> 1, &placed[k]);
        k++;
    }
    df_wait();
    *result = 0;
    while (k-- > 0) *result += placed[k];
}

void uts(uint64_t state, int depth, long *result)
{
    int n = uts_children(state, depth);
    *result = 1;
    if (n == 0) return;
    long child[n];
    for (int i = 0; i < n; i++) df_submit(uts, uts_child(state, i), depth + 1, &child[i]);
    df_wait();
    while (n-- > 0) *result += child[n];
}

void sum(const int *a, long n, long *result)
{
    if (n <= SUM_LEAF) { *result = sum_leaf(a, n); return; }
    long left, right;
    df_submit(sum, a + n / 2, n - n / 2, &right);
    sum(a, n / 2, &left);
    df_wait();
    *result = left + right;
}

void merge(const int *a, long na, const int *b, long nb, int *out)
{
    if (na + nb <= MERGE_LEAF) { merge_leaf(a, na, b, nb, out); return; }
    long k = (na + nb) / 2, i = merge_split(a, na, b, nb, k), j = k - i;
    df_submit(merge, a + i, na - i, b + j, nb - j, out + k);
    merge(a, i, b, j, out);
    df_wait();
}

void msort(int *a, int *buffer, long n, int to_buffer)
{
    if (n <= MSORT_LEAF) { msort_leaf(a, to_buffer ? buffer : a, n); return; }
    long h = n / 2;
    df_submit(msort, a + h, buffer + h, n - h, !to_buffer);
    msort(a, buffer, h, !to_buffer);
    df_wait();
    if (to_buffer) merge(a, h, a + h, n - h, buffer);
    else merge(buffer, h, buffer + h, n - h, a);
}

static int run_start(void)
{
    df_start(&(df_config){0});
    return df_workers();
}
static void run_stop(void) { df_stop(); }

/* The root is a task, too. */
static long run_fib(int n)
{
    long result;
    df_submit(fib, n, &result);
    df_wait();
    return result;
}
static long run_nqueens(int n)
{
    long result;
    df_submit(nqueens, n, 0, 0, 0, &result);
    df_wait();
    return result;
}
static long run_uts(uint64_t root)
{
    long result;
    df_submit(uts, root, 0, &result);
    df_wait();
    return result;
}
static long run_sum(const int *a, long n)
{
    long result;
    df_submit(sum, a, n, &result);
    df_wait();
    return result;
}
static void run_msort(int *a, int *buffer, long n)
{
    df_submit(msort, a, buffer, n, 0);
    df_wait();
}
