/* stream_graphs.c - graphs that grow while they run: streams made, passed on and freed by tasks; far more tasks waiting
 * than df_config.window; bodies with children; skipped tasks */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, put, (long, x), df_push(long, p, 1));
void put(long x, long *p) { *p = x; }
DF_TASK(void, add_to, df_pop(long, p, 1), df_inout(long, sum, 1));
void add_to(const long *p, long *sum) { *sum = (*sum * 3 + *p) % 1000003; }

/* A chain of tasks, each of which makes the stream for the next one, and frees the one it was given. */
DF_TASK(void, relay, (int, left), df_pop(long, p, 1), (df_stream *, last));
void relay(int left, const long *p, df_stream *last)
{
    df_stream *s;
    if (left == 0) {
        df_submit(put, *p, last);
        df_stream_free(last);
        return;
    }
    s = df_stream_new(sizeof(long), 1);
    CHECK(s != NULL);
    df_submit(relay, left - 1, s, last);
    df_submit(put, (*p * 3 + left) % 1000003, s);
    df_stream_free(s);
}
static void chain(void)
{
    long sum = 0;
    DF_PARALLEL {
        df_stream *first = df_stream_new(sizeof(long), 1), *last = df_stream_new(sizeof(long), 1),
            *end = df_stream_reader(last);
        df_submit(relay, 200, first, last);
        df_submit(add_to, end, &sum);
        df_submit(put, 1, first);
        df_stream_free(first);
        df_stream_free(end);
    }
    printf("chain %ld\n", sum);
}

/* Recursive: a tree of tasks that merge what their children push, each into a stream made by its parent. */
DF_TASK(void, leaf, (int, n), (uint64_t, seed), df_push(uint64_t, to, 2));
DF_TASK(void, join, df_pop(uint64_t, a, 2), df_pop(uint64_t, b, 2), df_push(uint64_t, to, 2));
void leaf(int n, uint64_t seed, uint64_t *to) { to[0] = test_random(&seed), to[1] = (uint64_t)n; }
void join(const uint64_t *a, const uint64_t *b, uint64_t *to) { to[0] = test_mix(a[0], b[0]), to[1] = a[1] + b[1]; }
DF_TASK(void, tree, (int, n), (uint64_t, seed), (df_stream *, to));
void tree(int n, uint64_t seed, df_stream *to)
{
    df_stream *a, *b;
    if (n <= 1) {
        df_submit(leaf, n, seed, to);
        df_stream_free(to);
        return;
    }
    a = df_stream_new(sizeof(uint64_t), 2), b = df_stream_new(sizeof(uint64_t), 3);
    CHECK(a && b);
    df_submit(join, a, b, to);
    df_submit(tree, n / 2, seed * 2, df_stream_reader(a));
    df_submit(tree, n - n / 2, seed * 2 + 1, df_stream_reader(b));
    df_stream_free(a), df_stream_free(b), df_stream_free(to);
}
DF_TASK(void, show, df_pop(uint64_t, x, 2));
void show(const uint64_t *x) { printf("tree %d %016llx\n", (int)x[1], (unsigned long long)x[0]); }
static void trees(void)
{
    for (int n = 1; n < 300; n = n * 3 + 1)
        DF_PARALLEL {
            df_stream *s = df_stream_new(sizeof(uint64_t), 2);
            df_submit(show, s);
            df_submit(tree, n, (uint64_t)n, df_stream_reader(s));
            df_stream_free(s);
        }
}

/* Producers far ahead of their consumers, and the other way around: they wait as tasks. */
static void pressure(int consumers_first)
{
    enum { N = 10000 };
    df_stream *s = df_stream_new(sizeof(long), 3);
    long sum = 0;
    DF_PARALLEL {
        for (int k = 0; k < 2; k++)
            for (long i = 0; i < N; i++)
                if (k == consumers_first) df_submit(put, i, s);
                else df_submit(add_to, s, &sum);
    }
    df_stream_free(s);
    printf("pressure %ld\n", sum);
}
/* The same from tasks: each submits a consumer for elements that the block pushes afterwards. */
DF_TASK(void, expects, (df_stream *, s), (long *, to));
void expects(df_stream *s, long *to) { df_submit(add_to, s, to); }
static void outside(void)
{
    enum { N = 5000 };
    static df_stream *s[N];
    static long x[N];
    long sum = 0;
    DF_PARALLEL {
        for (int i = 0; i < N; i++) {
            CHECK((s[i] = df_stream_new(sizeof(long), 1)) != NULL);
            df_submit(expects, s[i], &x[i]);
        }
        for (int i = 0; i < N; i++) df_submit(put, i, s[i]);
    }
    for (int i = 0; i < N; i++) {
        df_stream_free(s[i]);
        sum = (sum * 3 + x[i]) % 1000003;
    }
    printf("outside %ld\n", sum);
}

/* The body's children use its window; it is done when they are. */
DF_TASK(void, set, (long *, p), (long, x));
void set(long *p, long x)
{
    test_spin(2000);
    *p = x;
}
DF_TASK(void, let_set, (long, k), df_push(long, p, 3));
void let_set(long k, long *p)
{
    for (int i = 0; i < 3; i++) df_submit(set, p + i, k * 10 + i);
}
DF_TASK(void, read_one, (const long *, p), df_inout(long, sum, 1));
void read_one(const long *p, long *sum)
{
    CHECK(df_stream_count(p) <= 2);
    *sum = (*sum * 3 + *p) % 1000003;
}
DF_TASK(void, let_read, df_pop(long, p, 2), df_inout(long, sum, 1));
void let_read(const long *p, long *sum)
{
    DF_PARALLEL {
        CHECK(df_stream_count(p) == 2);
        df_submit(read_one, p, sum);
    }
    df_submit(read_one, p + 1, sum);
}
static void children(void)
{
    df_stream *s = df_stream_new(sizeof(long), 4);
    long sum = 0;
    DF_PARALLEL {
        for (int i = 0; i < 200; i++) df_submit(let_set, i, s);
        for (int i = 0; i < 300; i++) df_submit(let_read, s, &sum);
    }
    df_stream_free(s);
    printf("children %ld\n", sum);
}

/* A wait in a body for earlier tasks outside of it. */
DF_TASK(void, drain, (df_stream *, s), df_inout(long, sum, 1), (int, n));
void drain(df_stream *s, long *sum, int n)
{
    for (int i = 0; i < n; i++) df_submit(add_to, s, sum);
    df_wait();
}
static void waits(void)
{
    df_stream *s = df_stream_new(sizeof(long), 2);
    long sum = 0;
    DF_PARALLEL {
        for (int i = 0; i < 9; i++) df_submit(put, i, s);
        df_submit(drain, s, &sum, 9);
    }
    df_stream_free(s);
    printf("waits %ld\n", sum);
}

/* Skipped: elements that should have been written are not read, elements that should have been read are removed. */
static df_group never = DF_GROUP;
static void skipped(void)
{
    df_stream *s = df_stream_new(sizeof(long), 2), *t = df_stream_new(sizeof(long), 2);
    df_counters before, after;
    long sum = 0, copy = 0;
    df_counters_get(&before);
    df_group_cancel(&never);
    DF_PARALLEL {
        for (int i = 0; i < 8; i++) {
            df_submit(add_to, s, i % 4 == 1 ? &copy : &sum);
            if (i % 4 == 1) df_submit_with(DF_OPTS(.group = &never), put, i, s);
            else df_submit(put, i, s);
        }
        for (int i = 0; i < 6; i++) df_submit(put, i, t);
        for (int i = 0; i < 6; i++)
            if (i % 2) df_submit_with(DF_OPTS(.group = &never), add_to, t, &copy);
            else df_submit(add_to, t, &sum);
    }
    df_counters_get(&after);
    df_stream_free(s), df_stream_free(t);
    printf("skipped %ld %ld %d\n", sum, copy, (int)(after.skipped - before.skipped));
}

int main(void)
{
    chain();
    trees();
    pressure(0), pressure(1);
    outside();
    children();
    waits();
    skipped();
}
