/* handles.c - handles of launches: poll, wait and wait with a limit; their codes; on devices and on the host
 *
 * A launch is done when its kernel is, and tasks of the host that follow get its results. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 2000, K = 12 };
typedef int32_t cell;
static cell x[N], y[K][N];

DF_KERNEL(plus, df_inout(int32_t, x, n), (int, n), (int, v),
{
    int i = df_global_id(0);
    if (i < n) x[i] += v;
})
DF_STATIC_TASK(long, total, df_in(cell, x, n), (int, n));
static long total(const cell *p, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    return sum;
}
DF_STATIC_TASK(void, clear, df_out(cell, x, n), (int, n));
static void clear(cell *p, int n) { memset(p, 0, sizeof *p * (size_t)n); }

static long sum_of(const cell *p)
{
    df_handle h;
    long sum = -1;
    df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(total, &sum)), total, p, N);
    CHECK(df_wait_task(&h) == DF_OK && df_done(&h));
    return sum;
}

/* A chain: when its last launch is done, all are. */
static void chain(void)
{
    df_handle h[K];
    df_submit(clear, x, N);
    for (int k = 0; k < K; k++) df_launch_with(DF_OPTS(.handle = &h[k]), plus, df_grid(N), x, N, k + 1);
    CHECK(df_wait_task(&h[K - 1]) == DF_OK);
    for (int k = 0; k < K; k++) CHECK(df_done(&h[k]) && df_wait_task(&h[k]) == DF_OK);
    CHECK(sum_of(x) == (long)N * (K * (K + 1) / 2));
    CHECK(df_wait_result() == DF_OK);
}

/* Independent launches, newest first; every third polls, every third waits with a limit. */
static void many(void)
{
    df_handle h[K];
    for (int k = 0; k < K; k++) df_submit(clear, y[k], N);
    for (int k = 0; k < K; k++) df_launch_with(DF_OPTS(.handle = &h[k]), plus, df_grid(N), y[k], N, k);
    for (int k = K; k-- > 0;) {
        if (k % 3 == 0) while (!df_done(&h[k])) continue;
        if (k % 3 == 1) while (df_wait_task_for(&h[k], 1) == DF_ERROR_TIMEOUT) continue;
        CHECK(df_wait_task(&h[k]) == DF_OK);
        CHECK(sum_of(y[k]) == (long)N * k);
    }
    CHECK(df_wait_result() == DF_OK);
}

/* In a task, which also waits for the handle of a launch of another scope. */
DF_STATIC_TASK(void, waits, (df_handle *, outer), df_inout(cell, z, n), (int, n));
static void waits(df_handle *outer, cell *z, int n)
{
    df_handle h;
    df_launch_with(DF_OPTS(.handle = &h), plus, df_grid(n), z, n, 5);
    CHECK(df_wait_task(&h) == DF_OK && df_wait_task(outer) == DF_OK);
}
static void nested(void)
{
    df_handle h, of_task;
    df_submit(clear, x, N);
    df_submit(clear, y[0], N);
    df_launch_with(DF_OPTS(.handle = &h), plus, df_grid(N), x, N, 3);
    df_submit_with(DF_OPTS(.handle = &of_task), waits, &h, y[0], N);
    CHECK(df_wait_task(&of_task) == DF_OK && df_done(&h));
    CHECK(sum_of(x) == 3l * N && sum_of(y[0]) == 5l * N);
    CHECK(df_wait_result() == DF_OK);
}

/* If a launch fails, its handle alone has the code, and later launches are skipped. */
static void fails(void)
{
    df_handle wrong, after, other;
    memset(x, 0, sizeof x), memset(y, 0, sizeof y);
    df_launch_with(DF_OPTS(.handle = &other), plus, df_grid(N), y[0], N, 1);
    CHECK(df_wait_task(&other) == DF_OK);
    df_launch_with(DF_OPTS(.handle = &wrong), plus, df_grid(-1), x, N, 1);
    df_launch_with(DF_OPTS(.handle = &after), plus, df_grid(N), x, N, 1);
    CHECK(df_wait_task(&wrong) == DF_ERROR_GRID);
    CHECK(df_wait_task(&after) == DF_ERROR_CANCELLED);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "negative"));
    CHECK(df_wait_task(&other) == DF_OK && sum_of(x) == 0 && sum_of(y[0]) == N);
}

static void all(void)
{
    for (int again = 0; again < 3; again++) chain(), many(), nested(), fails();
}

int main(void)
{
    EVERYWHERE(all);
    return 0;
}
