/* stream_no_memory.c - memory runs out at the n-th allocation, for every n, while streams are used: everything is still
 * right
 *
 * As no_memory.c. Every task could run when it is submitted, if all before it are done: then nothing may get lost. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"

enum { STREAMS = 20, N = 30 };

DF_TASK(void, put, (int, k), df_push(int, p, 3));
DF_TASK(void, set, (int *, p), (int, k));
void set(int *p, int k) { *p = k; }
void put(int k, int *p)
{
    p[0] = k, p[1] = k + 1;
    if (k % 4) p[2] = k + 2;
    else df_submit(set, p + 2, k + 2); /* a child writes into the window */
}
DF_TASK(void, map, df_peek(int, p, 2, 1), df_push(int, q, 1));
void map(const int *p, int *q) { *q = p[0] + p[1]; }
DF_TASK(void, add, df_pop(int, p, n), (int, n), df_inout(long, sum, 1));
void add(const int *p, int n, long *sum)
{
    for (int i = 0; p && i < n; i++) *sum = *sum * 3 % 1000003 + p[i];
    *sum += (long)df_stream_count(p);
}
DF_TASK(void, deal, (int, k), df_pushv(int, p, 2, n), (int, n));
void deal(int k, int *const *p, int n)
{
    for (int i = 0; i < n; i++) p[i][0] = k + i, p[i][1] = k - i;
}
DF_TASK(void, merge, df_popv(int, p, 2, n), (int, n), df_push(int, q, 1));
void merge(const int *const *p, int n, int *q)
{
    *q = 0;
    for (int i = 0; i < n; i++) *q = *q * 3 % 10007 + p[i][0] * p[i][1];
}

static long sums[3];

static int pass(void)
{
    df_stream *s = df_stream_new(sizeof(int), 5), *t = df_stream_new(sizeof(int), 4),
        *r = s ? df_stream_reader(s) : NULL, *u[STREAMS];
    long x = 0, y = 0, z = 0;
    int n = 0, token_right = 1;
    df_token token = DF_TOKEN(1);
    while (n < STREAMS && (u[n] = df_stream_new(sizeof(int), 3)) != NULL) n++;
    if (s && t && r && n == STREAMS) {
        DF_PARALLEL {
            for (int i = 0; i < N; i++) {
                df_submit(put, i, s);
                for (int k = 0; k < 3 - (i == 0); k++) df_submit(map, s, t);
                df_submit(add, r, 3, &x);
                df_submit(add, t, 3 - (i == 0), &y);
            }
            for (int i = 0; i < 5; i++) {
                df_submit(deal, i, u, STREAMS);
                df_submit(merge, u, STREAMS, t);
                df_submit(add, t, 1, &z);
            }
            df_submit_with(DF_OPTS(.signals = DF_TOKENS(&token), .name = "last"), put, 3, s);
            token_right = df_wait_token(&token) == DF_OK;
            df_stream_close(s);
            df_submit(add, r, 4, &x); /* 3 of them are there */
            df_submit(add, s, 5, &y);
            df_submit(add, s, 5, &y);
        }
        CHECK(token_right);
        CHECK(x == sums[0] && y == sums[1] && z == sums[2]);
    }
    df_stream_free(s), df_stream_free(t), df_stream_free(r);
    while (n-- > 0) df_stream_free(u[n]);
    return 0;
}

static int run(void *unused)
{
    (void)unused;
    pass();
    if (failed && only_one) pass(); /* and it has recovered */
    df_stop();
    return failed ? 0 : 77;
}

int main(void)
{
    left = ENOUGH;
    { /* what is right: without the library */
        long x = 0, y = 0, z = 0;
        int e[3 * N + 3], m[3 * N], n = 0, q[2];
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 3; k++) e[n++] = i + k;
        for (int k = 0; k < 3; k++) e[n++] = 3 + k;
        for (int i = 0; i < 3 * N - 1; i++) m[i] = e[i] + e[i + 1];
#define ADD(sum, p, k, count)                                                  \
    do {                                                                      \
        for (int j_ = 0; j_ < (k); j_++) sum = sum * 3 % 1000003 + (p)[j_];   \
        sum += (count);                                                       \
    } while (0)
        for (int i = 0; i < N; i++) ADD(x, &e[3 * i], 3, 3);
        for (int i = 0, at = 0; i < N; i++) {
            int k = 3 - (i == 0);
            ADD(y, &m[at], k, k);
            at += k;
        }
        for (int i = 0; i < 5; i++) {
            q[0] = 0;
            for (int k = 0; k < STREAMS; k++) q[0] = q[0] * 3 % 10007 + (i + k) * (i - k);
            ADD(z, q, 1, 1);
        }
        int end[5] = { 3, 4, 5, 0, 0 }, last[5] = { e[3 * N - 1], 3, 4, 5, 0 };
        ADD(x, end, 4, 3);
        ADD(y, last, 5, 4);
        sums[0] = x, sums[1] = y, sums[2] = z;
    }
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "0"), test_step(1), each_once) > 3);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(1), each_once) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_DEFER", "0"), test_step(1), each_once) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "4", "DF_DEFER", "0"), test_step(3), each_once) > 10);
    }
}
