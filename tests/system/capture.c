/* capture.c - graphs used in ways they cannot be: a message that says what to change, an error, and nothing is lost */
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"
#include <setjmp.h>
#include <string.h>

DF_TASK(void, add, df_inout(long, x, n), (long, n), (long, a));
DF_TASK(void, again, (df_graph *, g), df_inout(long, x, 1));
DF_TASK(void, slow, df_inout(long, x, 1));
DF_LOOP(loop, df_inout(long, x, 10));
DF_TASK(void, put, df_push(long, p, 1));
void add(long *x, long n, long a) { for (long i = 0; i < n; i++) x[i] += a; }
void loop(long lo, long hi, long *x) { for (; lo < hi; lo++) x[lo]++; }
void put(long *p) { *p = 1; }
static df_result inside;
/* a task of g that replays, changes and frees g */
void again(df_graph *g, long *x)
{
    ++*x;
    inside = df_replay(g);
    df_graph_set(g, add, 0, a, 100);
    df_graph_free(g);
}
static DFI_ATOMIC(int) gate;
void slow(long *x)
{
    ++*x;
    if (dfi_load_seq_cst(&gate) == 2) return;
    dfi_store_seq_cst(&gate, 1);
    while (dfi_load_seq_cst(&gate) != 2) test_spin(100);
}

/* The messages since the last call are these, up to NULL. */
static void heard(const char *const *expected)
{
    int i;
    for (i = 0; expected[i]; i++) {
        if (i >= n_said || !strstr(said[i], expected[i])) fprintf(stderr, "expected: %s\nheard: %s\n", expected[i], i < n_said ? said[i] : "nothing");
        CHECK(i < n_said && strstr(said[i], expected[i]));
    }
    if (i != n_said) fprintf(stderr, "heard: %s\n", said[i]);
    CHECK(i == n_said);
    n_said = 0;
}
#define HEARD(...) heard((const char *const[]){ __VA_ARGS__, NULL })
#define QUIET() CHECK(n_said == 0)

static void states(void)
{
    long x[2] = { 0, 0 };
    df_graph *g = df_graph_new();
    CHECK(df_replay(g) == DF_ERROR_CAPTURE);
    HEARD("cannot be used now: it was never recorded: use DF_RECORD first");
    DF_RECORD(g) {
        df_submit(add, x, 2, 1);
        CHECK(df_replay(g) == DF_ERROR_CAPTURE);
        df_graph_set(g, add, 0, a, 2);
        df_graph_free(g);
        HEARD("df_replay: the graph of " __FILE__, "df_graph_set: the graph", "df_graph_free: the graph");
    }
    /* which counts as a replay in the block */
    CHECK(df_replay(g) == DF_ERROR_CAPTURE && x[0] == 1);
    HEARD("contains df_replay (" __FILE__);
    df_graph_free(g);

    g = df_graph_new();
    DF_RECORD(g) df_submit(add, x, 2, 1);
    DF_RECORD(g) df_submit(add, x, 2, 10);
    HEARD("already: its tasks run, and the graph stays as it is");
    CHECK(x[0] == 12 && df_replay(g) == DF_OK && x[0] == 13 && df_graph_count(g, add) == 1);
    df_graph_set(g, add, 1, a, 5);
    df_graph_set(g, add, -1, a, 5);
    df_graph_set(g, slow, 0, x, x);
    HEARD("has 1 tasks add, numbered from 0; there is no number 1: no effect", "no number -1", "has 0 tasks slow");
    CHECK(df_replay(g) == DF_OK && x[0] == 14);
    df_graph_free(g);

    DF_RECORD(NULL) df_submit(add, x, 2, 1);
    CHECK(x[0] == 15 && df_replay(NULL) == DF_ERROR_MEMORY && df_graph_count(NULL, add) == 0);
    df_graph_set(NULL, add, 0, a, 1);
    df_graph_free(NULL);
    HEARD("DF_RECORD: the graph is NULL", "df_replay: the graph is NULL", "df_graph_count: the graph is NULL", "df_graph_set: the graph is NULL");
}

static void from_inside(void)
{
    long x = 0;
    df_graph *g = df_graph_new();
    DF_RECORD(g) df_submit(again, NULL, &x);
    n_said = 0;
    df_graph_set(g, again, 0, g, g);
    CHECK(df_replay(g) == DF_OK && x == 2 && inside == DF_ERROR_CAPTURE);
    HEARD("cannot be used now: it is running: call it when its df_replay has returned", "df_graph_set", "df_graph_free");
    df_graph_free(g);
    QUIET();
}

static void *replays(void *g)
{
    CHECK(df_replay((df_graph *)g) == DF_OK);
    return NULL;
}
/* while another thread runs it */
static void two_threads(void)
{
    long x = 0;
    pthread_t t;
    df_graph *g = df_graph_new();
    dfi_store_seq_cst(&gate, 2);
    DF_RECORD(g) df_submit(slow, &x);
    dfi_store_seq_cst(&gate, 0);
    CHECK(pthread_create(&t, NULL, replays, (void *)g) == 0);
    while (dfi_load_seq_cst(&gate) != 1) test_spin(100);
    CHECK(df_replay(g) == DF_ERROR_CAPTURE);
    df_graph_free(g);
    dfi_store_seq_cst(&gate, 2);
    CHECK(pthread_join(t, NULL) == 0);
    HEARD("it is running", "df_graph_free");
    CHECK(x == 2);
    df_graph_free(g);
}

/* Records a block that contains `what`, and replays it in vain. */
#define CANNOT(what, ...)                                              \
    do {                                                               \
        df_graph *g = df_graph_new();                                  \
        DF_RECORD(g) {                                                 \
            df_submit(add, &x, 1, 1);                                  \
            __VA_ARGS__;                                               \
        }                                                              \
        QUIET();                                                       \
        before = x;                                                    \
        CHECK(df_replay(g) == DF_ERROR_CAPTURE && x == before);        \
        HEARD("contains " what);                                       \
        df_graph_free(g);                                              \
    } while (0)

static void cannot(void)
{
    long x = 0, y[10] = { 0 }, before; /* y: of what nothing orders against the tasks of the block */
    int c = 0;
    df_stream *s = df_stream_new(sizeof(long), 8);
    df_token t = DF_TOKEN(0);
    df_graph *h = df_graph_new(), *other = df_graph_new();
    DF_RECORD(h) {}
    CANNOT("a block or loop of its own (" __FILE__, DF_PARALLEL df_submit(add, y, 1, 1));
    CANNOT("a block or loop of its own", df_for(loop, 0, 10, y));
    CANNOT("a task on streams (put)", df_submit(put, s));
    CANNOT("df_wait_token", df_wait_token(&t));
    CANNOT("df_node_new", df_node(add) *n = df_node_new(add); df_node_set(add, n, x, y); df_node_set(add, n, n, 1); df_node_set(add, n, a, 1));
    CANNOT("df_speculate", df_speculate(&c, 0) df_submit(add, y, 1, 1));
    CANNOT("DF_RECORD", DF_RECORD(other) df_submit(add, y, 1, 1));
    CANNOT("df_replay", CHECK(df_replay(h) == DF_OK));
    CHECK(x == 8 && y[0] == 5 && y[9] == 1); /* the block ran each time, and no replay did */
    df_graph_free(h);
    df_graph_free(other);
    df_stream_free(s);
    n_said = 0;
}

static void jump(df_graph *g, long *x)
{
    static jmp_buf out;
    if (setjmp(out) == 0)
        DF_RECORD(g) {
            df_submit(add, x, 1, 1);
            longjmp(out, 1);
        }
}
DF_TASK(void, jumps, (df_graph *, g), (long *, x));
void jumps(df_graph *g, long *x) { jump(g, x); }

static void left_by_jump(void)
{
    long x = 0;
    df_graph *g = df_graph_new();
    df_submit(jumps, g, &x);
    df_wait();
    CHECK(x == 1);
    n_said = 0;
    CHECK(df_replay(g) == DF_ERROR_CAPTURE && x == 1);
    HEARD("a jump out of it by longjmp");
    df_graph_free(g);
}

int main(void)
{
    for (int workers = 1; workers <= 4; workers += 3) {
        df_config c = { .workers = workers, .log = hear, .defer = workers == 1 };
        CHECK(df_start(&c) == DF_OK);
        states();
        from_inside();
        two_threads();
        cannot();
        left_by_jump();
        CHECK(!strcmp(df_error_text(DF_ERROR_CAPTURE), "the graph cannot be run now, or not at all: the log says why"));
        df_stop();
    }
    return 0;
}
