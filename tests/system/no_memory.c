/* no_memory.c - memory runs out at the n-th allocation, for every n: everything is still right
 *
 * Each n is a process of its own, once with only the n-th allocation failing and once with all
 * from the n-th on. Mistakes would be a wrong result, a hang, more than the one message, a leak
 * (AddressSanitizer). */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"
#include "work.h"

typedef struct { char bytes[5000]; } big;
enum { N = 50 };

DF_TASK(void, put_big, (big, b), df_out(int, to, 1)); /* its arguments are allocated one by one */
void put_big(big b, int *to) { *to = b.bytes[4999]; }
DF_TASK(void, put, df_inout(int, p, n), (int, n), (int, k));
void put(int *p, int n, int k)
{
    for (int i = 0; i < n; i++) p[i] = p[i] * 3 + k;
}
DF_TASK(void, twice, df_inout(int, p, n), (int, n)); /* blocks and spawns in tasks */
void twice(int *p, int n)
{
    df_future(work_fib) f;
    df_spawn(work_fib, &f, 5);
    DF_PARALLEL {
        for (int i = 0; i < n; i++) df_submit(put, &p[i], 1, 1);
        df_submit(put, p, n, 2);
    }
    for (int i = 0; i < n; i++) CHECK(p[i] == 5);
    DF_PARALLEL df_submit(put, p, n, (int)df_sync(work_fib, &f));
}
DF_TASK(int, spawned, (int, n));
int spawned(int n)
{
    int x = 0, y = 0;
    DF_PARALLEL {
        df_submit(put, &x, 1, n);
        df_submit(put, &y, 1, n);
        df_submit(put, &x, 1, n);
    }
    return x + y;
}

static int run(void *unused)
{
    static int p[4 * N];
    static big b = { { 0 } };
    df_future(spawned) f[20];
    (void)unused;
    CHECK(work_right());
    b.bytes[4999] = 7;
    for (int i = 0; i < 20; i++) df_spawn(spawned, &f[i], i);
    DF_PARALLEL { /* many regions, of many shapes, with many readers */
        for (int i = 0; i < N; i++) df_submit(put, &p[i], 1 + i % 7, i);
        for (int i = 0; i < 10; i++) df_submit(put_big, b, &p[N + i]);
        for (int i = 0; i < 10; i++) df_submit(put, &p[N + i], 1, i);
        for (int i = 0; i < 5; i++) df_submit(twice, &p[2 * N + 10 * i], 10);
        df_submit(put, p, 3 * N, 1);
    }
    for (int i = 19; i >= 0; i--) CHECK(df_sync(spawned, &f[i]) == 5 * i);
    int q[3 * N] = { 0 };
    for (int i = 0; i < N; i++) put(&q[i], 1 + i % 7, i);
    for (int i = 0; i < 10; i++) q[N + i] = 21 + i;
    for (int i = 0; i < 50; i++) q[2 * N + i] = 20;
    put(q, 3 * N, 1);
    for (int i = 0; i < 3 * N; i++) CHECK(p[i] == q[i]);
    if (failed && only_one) CHECK(work_right()); /* and it has recovered */
    df_stop();
    return failed ? 0 : 77;
}

int main(void)
{
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "0"), test_step(1), each_once) > 1);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(1), each_once) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_DEFER", "0"), test_step(3), each_once) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "4", "DF_DEFER", "0"), test_step(7), each_once) > 10);
    }
}
