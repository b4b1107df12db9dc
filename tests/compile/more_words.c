/* The words of df.h that words.c lacks: handles, waits for regions, tokens, locks, errors, task graphs, outputs,
 * ordered reductions; valid C11 and C++11.
 *
 * Compiled by tests/compile/run in every language and at every level of optimisation; run once per compiler: prints
 * nothing and returns 0 when each did what it says. */
#define DF_IMPLEMENTATION
#include "../../df.h"

#include <string.h>

typedef struct { double re, im; } pair;
typedef struct { char text[24]; } words;

static int wrong; /* line of the first check that failed */
#define CHECK(c) do { if (!(c) && !wrong) wrong = __LINE__; } while (0)

static void join(words *into, const words *from) { strcat(into->text, from->text); }
DF_ORDERED_REDUCTION(joined, words, join);

DF_TASK(long, square, (long, n));
DF_TASK(pair, half, df_in(pair, p, 1));
DF_TASK(const char *, name_of, (int, n));
DF_TASK(void, set, df_out(int, p, 1), (int, value));
DF_TASK(void, add, df_inout(int, p, 1), (int, by));
DF_TASK(void, fill, df_out2(int, p, rows, cols, 4), (int, rows), (int, cols), (int, value));
DF_TASK(void, say, (char, c), df_reduce(joined, words, w, 1));
DF_TASK(void, early, df_weak_inout(int, p, 2));
DF_TASK(int, fails, (int, code));

long square(long n) { return n * n; }
pair half(const pair *p)
{
    pair h;
    h.re = p->re / 2, h.im = p->im / 2;
    return h;
}
const char *name_of(int n) { return n ? "some" : "none"; }
void set(int *p, int value) { *p = value; }
void add(int *p, int by) { *p += by; }
void fill(int *p, int rows, int cols, int value)
{
    int i, j;
    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++) p[4 * i + j] = value;
}
void say(char c, words *w)
{
    words one;
    memset(&one, 0, sizeof one);
    one.text[0] = c;
    join(w, &one);
}
void early(int *p)
{
    df_submit(set, p, 1);
    df_release(p, 1);
    df_submit(set, p + 1, 2);
}
int fails(int code)
{
    if (code) df_fail(code, "as told");
    else df_cancel();
    return df_cancelled();
}

static void handles(void)
{
    df_handle h = DF_HANDLE, g = DF_HANDLE;
    static df_handle still = DF_HANDLE;
    long r = 0;
    pair p, q;
    const char *name = NULL;
    p.re = 6, p.im = 4, q.re = q.im = 0;
    CHECK(df_done(&h) && df_wait_task(&still) == DF_OK);
    df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(square, &r)), square, 7);
    CHECK(df_wait_task(&h) == DF_OK && r == 49);
    df_submit_with(DF_OPTS(.result = DF_RESULT(half, &q), .handle = &h), half, &p);
    while (!df_done(&h)) continue;
    CHECK(q.re > 2.5 && q.re < 3.5);
    df_submit_with(DF_OPTS(.handle = &g, .result = DF_RESULT(name_of, &name)), name_of, 1);
    while (df_wait_task_for(&g, 10) == DF_ERROR_TIMEOUT) continue;
    CHECK(!strcmp(name, "some"));
}

static void waits(void)
{
    int m[16] = { 0 }, x = 0;
    df_region list[3];
    df_submit(fill, m, 3, 2, 5);
    df_submit(set, &x, 3);
    df_wait_on2(m, 3, 2, 4);
    CHECK(m[9] == 5 && m[2] == 0);
    df_submit(fill, m + 2, 4, 2, 6);
    df_submit(add, &x, 1);
    list[0] = df_region_of(&x, 1), list[1] = df_region2_of(m + 2, 4, 2, 4), list[2] = df_region_of(m, 0);
    df_wait_on_list(list, 3);
    CHECK(x == 4 && m[15] == 6);
    df_submit(add, &x, 1);
    df_wait_on(&x, sizeof x);
    CHECK(x == 5 && df_wait_for(1000) == DF_OK);
}

static void called(void *arg, void *const *p)
{
    *(int *)p[1] += *(const int *)arg + *(const int *)p[0];
    ++*(int *)p[2];
}
DF_OPERATOR(sums, df_sum, int);
DF_OPERATOR(joins, joined, words);
static void calls(void)
{
    static df_semaphore s = DF_SEMAPHORE(2);
    int x[3] = { 1, 2, 3 }, arg = 4;
    df_region r[4];
    r[3] = df_units_of(&s, 2);
    r[0] = df_region_of(x, 1), r[1] = df_region_of(x + 1, 1), r[2] = df_region_of(x + 2, 1);
    r[0].mode = DF_IN, r[1].mode = DF_INOUT, r[2].mode = DF_REDUCE, r[2].op = &sums;
    CHECK(df_call(NULL, called, &arg, sizeof arg, r, 3) == DF_OK);
    r[0].mode = DF_IN | DF_WEAK, r[1].mode = DF_COMMUTE, r[2].mode = DF_CONCURRENT;
    CHECK(df_call(DF_OPTS(.name = "called"), called, &arg, sizeof arg, r, 3) == DF_OK);
    df_wait();
    r[0].mode = DF_OUT, r[1].mode = DF_INOUT;
    CHECK(df_call(NULL, called, &arg, sizeof arg, r, 4) == DF_OK);
    df_wait();
    CHECK(x[1] == 17 && x[2] == 6 && joins.size == sizeof(words));
}

static void signals(void *token) { df_signal((df_token *)token); }

static void tokens_and_locks(void)
{
    df_token t = DF_TOKEN_EXTERNAL(1), u;
    df_mutex m = DF_MUTEX;
    static df_mutex still = DF_MUTEX;
    int x = 0, y[2] = { 0, 0 };
    df_token_init(&u, 2);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t, &u)), set, &x, 4);
    df_signal(&u);
    df_yield_blocking(signals, &t);
    df_signal(&u);
    CHECK(df_wait_token(&u) == DF_OK);
    df_wait();
    CHECK(df_mutex_lock(&m) == DF_OK && df_mutex_trylock(&still) == DF_OK);
    df_mutex_unlock(&still);
    df_mutex_unlock(&m);
    df_submit_with(DF_OPTS(.release = 1), early, y);
    df_submit(add, y, 10);
    df_wait();
    CHECK(x == 4 && y[0] == 11 && y[1] == 2);
}

static void errors(void)
{
    df_group g = DF_GROUP;
    df_handle h = DF_HANDLE;
    int stopped = 0;
    df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(fails, &stopped)), fails, 12);
    CHECK(df_wait_task(&h) == (df_result)12 && stopped && df_wait_result() == (df_result)12);
    CHECK(!strcmp(df_error_text((df_result)12), "as told"));
    df_submit(fails, 0);
    CHECK(df_wait_result() == DF_ERROR_CANCELLED);
    df_group_cancel(&g);
    df_submit_with(DF_OPTS(.group = &g, .handle = &h), set, &stopped, 5);
    CHECK(df_wait_task(&h) == DF_ERROR_CANCELLED && stopped == 1);
    CHECK(df_wait_result() == DF_OK);
}

static void ordered(void)
{
    words w;
    int i;
    memset(&w, 0, sizeof w);
    for (i = 0; i < 6; i++) df_submit(say, (char)('a' + i), &w);
    df_wait();
    CHECK(!strcmp(w.text, "abcdef"));
}

static void graphs(void)
{
    int x = 0, y = 0, i;
    df_taskgraph *g = df_taskgraph_new();
    CHECK(g != NULL);
    DF_TASKGRAPH(g) {
        df_submit(set, &x, 3);
        for (i = 0; i < 3; i++) {
            if (i == 1) continue;
            df_submit(add, &x, 2);
        }
#if DFI_GNU
        if (g) break;
        CHECK(0);
#endif
    }
    CHECK(x == 7 && df_taskgraph_count(g, add) == 2);
    df_taskgraph_set(g, add, 0, by, 20);
    df_taskgraph_set(g, set, 0, p, &x);
    CHECK(df_taskgraph_run(g) == DF_OK && x == 25);
    df_taskgraph_free(g);
    g = df_taskgraph_new();
    DF_TASKGRAPH(g) df_submit(set, &y, 8); /* without braces */
    y = 0;
    CHECK(df_taskgraph_run(g) == DF_OK && y == 8);
    df_taskgraph_free(g);
}

DF_TASK(void, weigh, (int, n), (pair, z), df_in(int, p, n), (double *, to));
void weigh(int n, pair z, const int *p, double *to) { *to = n + z.re + z.im + p[0]; }
DF_TASK(void, give_pair, (df_output(pair) *, to), (df_output(int) *, n));
void give_pair(df_output(pair) *to, df_output(int) *n)
{
    pair z = { 1, 2 };
    int three = 3;
    df_give(to, z);
    df_give(n, three);
}
static void outputs(void)
{
    int x = 4, *p = &x;
    const int *q = p;
    double sum = 0, *to = &sum;
    DF_PARALLEL {
        df_node(weigh) *node = df_node_new(weigh);
        df_output(const int *) *o = df_node_output(weigh, node, p);
        df_output(double *) *t[1];
        t[0] = df_node_output(weigh, node, to);
        df_submit(give_pair, df_node_output(weigh, node, z), df_node_output(weigh, node, n));
        df_give(o, q);
        df_give(t[0], to);
    }
    CHECK(sum > 9.5 && sum < 10.5);
}

int main(void)
{
    handles();
    waits();
    calls();
    tokens_and_locks();
    errors();
    ordered();
    graphs();
    outputs();
    df_stop();
    return wrong ? (wrong > 255 ? 255 : wrong) : 0;
}
