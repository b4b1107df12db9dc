/* static_loops.c - DF_STATIC loops of all lengths: each iteration runs once, with reductions, errors, two dimensions and
 * loops in loops; df_first_touch leaves the contents of memory as they are */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

#include <string.h>

enum { N = 3000 };

DF_LOOP(mark, df_inout(int, x, n), (long, n), df_reduce(df_sum, long, sum, 1));
void mark(long lo, long hi, int *x, long n, long *sum)
{
    CHECK(lo < hi && hi <= n);
    for (long i = lo; i < hi; i++) x[i]++, *sum += i;
}
DF_LOOP2(tile, (int *, x), (long, width));
void tile(long lo, long hi, long lo1, long hi1, int *x, long width)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) x[i * width + j]++;
}
DF_LOOP(outer, (int *, x));
void outer(long lo, long hi, int *x)
{
    for (long i = lo; i < hi; i++) {
        long sum = 0;
        df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), mark, 0, 30, x + 30 * i, 30, &sum);
        CHECK(sum == 29 * 30 / 2);
    }
}
DF_LOOP(fails, (int *, x));
void fails(long lo, long hi, int *x)
{
    for (long i = lo; i < hi; i++) x[i]++;
    df_fail(7, "as asked");
}

static int x[N];
static void check(long n, int times)
{
    for (long i = 0; i < N; i++) CHECK(x[i] == (i < n ? times : 0));
    memset(x, 0, sizeof x);
}

static void touch(void)
{
    static char y[100000];
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof y; i++) y[i] = (char)(i % 251);
    for (int k = 0; k < 100; k++) {
        size_t at = (size_t)test_below(&random, 9000), most = k < 50 ? sizeof y - at : 20;
        df_first_touch(y + at, (size_t)test_below(&random, (int)most));
    }
    df_first_touch(NULL, 100);
    df_first_touch(y, sizeof y);
    for (size_t i = 0; i < sizeof y; i++) CHECK(y[i] == (char)(i % 251));
    char *fresh = (char *)malloc(1 << 20); /* all of it can be used */
    CHECK(fresh);
    df_first_touch(fresh, 1 << 20);
    df_first_touch(fresh + (1 << 20) - 1, 1);
    memset(fresh, 1, 1 << 20);
    free(fresh);
}

int main(void)
{
    long total = 0;
    for (long n = 1; n <= N; n += n < 70 ? 1 : n / 3) {
        long sum = 0;
        for (int k = 0; k < 4; k++) df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC, .workers = k), mark, 0, n, x, n, &sum);
        df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC, .grain = 7), mark, 0, n, x, n, &sum);
        df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC, .deterministic = 1), mark, 0, n, x, n, &sum);
        check(n, 6);
        CHECK(sum == 6 * (n * (n - 1) / 2));
        total += sum;
    }
    for (int k = 1; k < 50; k += 3) {
        df_for2_with(DF_LOOP_OPTS(.schedule = DF_STATIC), tile, 0, k, 0, N / k, x, N / k);
        df_for2_with(DF_LOOP_OPTS(.schedule = DF_STATIC), tile, 0, N / k, 0, k, x, k);
        check(N / k * k, 2);
    }
    df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), outer, 0, N / 30, x);
    check(N / 30 * 30, 1);
    for (int k = 0; k < 20; k++) {
        df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), fails, 0, N, x);
        CHECK(df_wait_result() == 7); /* parts that had not begun are left out */
        for (long i = 0; i < N; i++) CHECK(x[i] == 0 || x[i] == 1);
        memset(x, 0, sizeof x);
    }
    touch();
    printf("static loops: sum %ld\n", total);
    return 0;
}
