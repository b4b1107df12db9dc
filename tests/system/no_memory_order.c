/* no_memory_order.c - memory runs out at the n-th allocation, for every n: each kind of dependence is still kept
 *
 * As no_memory.c. Weak accesses, tasks with many regions, commuting and reducing tasks, tokens, speculation, streams, a
 * recorded graph. The tasks that others have to follow are slow, so that a lost order is seen. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"
#include <string.h>
#include <unistd.h>

enum { N = 8, SLOW_US = 200 };
typedef struct { char s[40]; } text;
static void append(text *a, const text *b) { strncat(a->s, b->s, sizeof a->s - 1 - strlen(a->s)); }
static void empty(text *a) { a->s[0] = 0; }
DF_REDUCTION(concatenation, text, append, empty);

DF_TASK(void, slow, df_inout(long, p, n), (long, n));
void slow(long *p, long n)
{
    usleep(SLOW_US);
    for (long i = 0; i < n; i++) p[i] = p[i] * 3 + 10;
}
DF_TASK(void, step, df_inout(long, p, 1), (long, k));
void step(long *p, long k) { *p = *p * 5 + k; }
DF_TASK(void, copy, df_in(long, p, 1), df_out(long, q, 1));
void copy(const long *p, long *q) { *q = *p; }
DF_TASK(void, halves, df_weak_inout(long, p, n), (long, n)); /* weak tasks in weak tasks */
void halves(long *p, long n)
{
    if (n <= 2) {
        for (long i = 0; i < n; i++) df_submit(step, p + i, i);
        return;
    }
    df_submit(halves, p, n / 2);
    df_submit(halves, p + n / 2, n - n / 2);
}
DF_TASK(void, blocks, df_weak_inout(long, p, n), (long, n)); /* a block in a weak task */
void blocks(long *p, long n)
{
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(step, p + i, 7);
        df_submit(slow, p, n);
    }
    df_submit(halves, p, n);
}
DF_TASK(void, both, df_commute(long, p, 1), df_commute(long, q, 1));
void both(long *p, long *q)
{
    long a = *p, b = *q;
    test_spin(1000);
    *p = a + 1, *q = b + 2;
}
DF_TASK(void, add, df_reduce(df_sum, long, p, n), (long, n), (long, k));
void add(long *p, long n, long k)
{
    test_spin(500);
    for (long i = 0; i < n; i++) p[i] += k;
}
DF_TASK(void, letter, df_reduce(concatenation, text, t, 1), (int, c));
void letter(text *t, int c)
{
    char s[2] = { (char)c, 0 };
    test_spin((unsigned)(c * 7 % 5) * 2000);
    strcat(t->s, s);
}
DF_TASK(void, test, df_in(long, p, 1), df_out(int, go_on, 1));
void test(const long *p, int *go_on) { *go_on = *p < 1000; }
DF_TASK(void, push, df_in(long, p, 1), df_push(long, to, 1));
void push(const long *p, long *to)
{
    usleep(SLOW_US);
    *to = *p;
}
DF_TASK(void, pop, df_pop(long, from, 1), df_inout(long, p, 1));
void pop(const long *from, long *p) { *p = *p * 3 + *from; }

static long z[N], w[4], y[3];
static text t;

static void weak(void)
{
    for (int i = 0; i < N; i++) z[i] = i;
    DF_PARALLEL {
        df_submit(slow, z, (long)N);
        df_submit(halves, z, (long)N);
        df_submit(slow, z + 2, 3L);
        df_submit(blocks, z, (long)N);
        df_submit(slow, z, (long)N);
    }
    for (long i = 0; i < N; i++) {
        long x = i * 3 + 10;
        x = x * 5 + i % 2;
        if (i >= 2 && i < 5) x = x * 3 + 10;
        x = ((x * 5 + 7) * 3 + 10) * 5 + i % 2;
        CHECK(z[i] == x * 3 + 10);
    }
}
static void groups(int in_order)
{
    w[0] = w[1] = w[2] = w[3] = 1;
    empty(&t);
    DF_PARALLEL {
        df_submit(slow, w, 2L);
        for (int i = 0; i < 12; i++) df_submit(both, &w[i % 2], &w[2]);
        df_submit(slow, w, 4L);
        for (long i = 0; i < 12; i++) df_submit(add, w, 4L, i);
        df_submit(slow, w + 3, 1L);
        for (long i = 0; i < 12; i++) df_submit(add, w + i % 2, 2L, 1L);
        if (in_order) for (int i = 0; i < 20; i++) df_submit(letter, &t, 'a' + i);
    }
    CHECK(w[0] == (13 + 6) * 3 + 10 + 66 + 6 && w[1] == (13 + 6) * 3 + 10 + 66 + 12);
    CHECK(w[2] == (1 + 24) * 3 + 10 + 66 + 6 && w[3] == (13 + 66) * 3 + 10);
    CHECK(!in_order || !strcmp(t.s, "abcdefghijklmnopqrst"));
}
static void tokens(void)
{
    df_token k = DF_TOKEN(2), l = DF_TOKEN(1);
    long a = 1, b = 2, c = 0;
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&k), .priority = 1), slow, &a, 1L);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&k, &l)), slow, &b, 1L);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&k, &l)), copy, &a, &c);
        df_submit(step, &c, 1);
    }
    CHECK(c == 13 * 5 + 1);
}
static void guesses(void)
{
    int go_on = 0;
    w[0] = 1, w[1] = 0;
    DF_PARALLEL {
        df_submit(slow, w, 1L);
        df_submit(test, w, &go_on);
        df_speculate_while(&go_on, 1) {
            df_submit(step, w, 1L);
            df_submit(both, &w[2], &w[1]);
            df_submit(test, w, &go_on);
        }
        df_submit(copy, &w[0], &w[3]);
        df_speculate(&go_on, 1) df_submit(step, &w[3], 5);
    }
    CHECK(w[0] == ((13 * 5 + 1) * 5 + 1) * 5 + 1 && w[3] == w[0] && w[1] == 6);
}
static void streams(void)
{
    df_stream *s = df_stream_new(sizeof(long), 4);
    long a = 1, b = 0, x = 0;
    if (!s) return;
    DF_PARALLEL {
        for (int i = 0; i < 12; i++) {
            df_submit(step, &a, 1);
            df_submit(push, &a, s);
            df_submit(pop, s, &b);
        }
    }
    for (long i = 0, k = 1; i < 12; i++) k = k * 5 + 1, x = x * 3 + k;
    CHECK(b == x);
    df_stream_free(s);
}
/* What a block of a graph does to y. */
static void graph_tasks(void)
{
    df_submit(slow, y, 2L);
    df_submit(halves, y, 2L);
    df_submit(copy, &y[1], &y[2]);
    for (long i = 0; i < 6; i++) df_submit(add, y, 3L, i);
    df_submit(both, &y[0], &y[2]);
    df_submit(step, &y[2], 1);
}
static void graph_model(long *m)
{
    m[0] = (m[0] * 3 + 10) * 5, m[1] = (m[1] * 3 + 10) * 5 + 1, m[2] = m[1];
    for (int i = 0; i < 3; i++) m[i] += 15;
    m[0] += 1, m[2] += 2;
    m[2] = m[2] * 5 + 1;
}
static void graphs(void)
{
    df_taskgraph *g = df_taskgraph_new();
    long m[3] = { 0, 0, 0 };
    memset(y, 0, sizeof y);
    if (!g) return;
    DF_TASKGRAPH(g) graph_tasks();
    graph_model(m);
    CHECK(!memcmp(m, y, sizeof m));
    for (int i = 0; i < 2; i++)
        if (df_taskgraph_run(g) == DF_OK) graph_model(m);
    CHECK(!memcmp(m, y, sizeof m));
    for (int i = 0; i < 4; i++) {
        DF_PARALLEL graph_tasks();
        graph_model(m);
    }
    CHECK(!memcmp(m, y, sizeof m));
    df_taskgraph_free(g);
}
/* Tasks of df_call with more regions than a task of DF_TASK can have. */
enum { MANY = 20 };
static long q[MANY];
static void steps(void *k, void *const *p)
{
    for (int i = 0; i < MANY; i++) step((long *)p[i], *(const long *)k);
}
static void step_tasks(void *k, void *const *p)
{
    for (int i = 0; i < MANY; i++) df_submit(step, (long *)p[i], *(const long *)k);
}
static void calls(void)
{
    memset(q, 0, sizeof q);
    DF_PARALLEL {
        for (long k = 0; k < 6; k++) {
            df_body *fn = k % 2 ? step_tasks : steps;
            df_region r[MANY];
            for (int i = 0; i < MANY; i++)
                r[i] = df_region_of(&q[i], 1), r[i].mode = k % 2 ? DF_INOUT | DF_WEAK : DF_INOUT;
            df_submit(slow, q + 3 * k, 2L);
            if (df_call(k == 2 ? DF_OPTS(.priority = 1) : NULL, fn, &k, sizeof k, r, MANY) != DF_OK) {
                void *p[MANY]; /* nothing was submitted */
                for (int i = 0; i < MANY; i++) p[i] = &q[i];
                df_wait();
                fn(&k, p);
            }
        }
    }
    for (long i = 0; i < MANY; i++) {
        long x = 0;
        for (long k = 0; k < 6; k++) x = (i == 3 * k || i == 3 * k + 1 ? x * 3 + 10 : x) * 5 + k;
        CHECK(q[i] == x);
    }
}
static void all(int in_order)
{
    weak();
    calls();
    groups(in_order);
    tokens();
    guesses();
    streams();
    graphs();
}

static int run(void *in_order)
{
    all(in_order != NULL);
    if (failed && only_one) all(in_order != NULL); /* and it has recovered */
    df_stop();
    return failed ? 0 : 77;
}
static int run_in_order(void *unused)
{
    (void)unused;
    return run("");
}
/* Each loss once: of tasks, copies for reductions, speculation, the stream, the graph. */
static int few_lines(const struct child *c) { return c->lines <= 5; }

int main(void)
{
    left = ENOUGH;
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(5), few_lines) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_DEFER", "0"), test_step(2), few_lines) > 10);
        CHECK(every_n(run_in_order, SETTINGS("DF_WORKERS", "3", "DF_DETERMINISTIC", "1"), test_step(5),
                      few_lines) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "4", "DF_RENAME_BYTES", "10000"), test_step(5),
                      few_lines) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "8", "DF_DEFER", "0"), test_step(9), few_lines) > 10);
    }
    return 0;
}
