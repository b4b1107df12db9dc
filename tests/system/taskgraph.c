/* taskgraph.c - misuse of task graphs: a message that names the change to make, an error code, and nothing is lost */
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"
#include <setjmp.h>
#include <string.h>

DF_TASK(void, add, df_inout(long, x, n), (long, n), (long, a));
DF_TASK(void, again, (df_taskgraph *, g), df_inout(long, x, 1));
DF_TASK(void, slow, df_inout(long, x, 1));
DF_LOOP(loop, df_inout(long, x, 10));
DF_TASK(void, put, df_push(long, p, 1));
void add(long *x, long n, long a) { for (long i = 0; i < n; i++) x[i] += a; }
void loop(long lo, long hi, long *x) { for (; lo < hi; lo++) x[lo]++; }
void put(long *p) { *p = 1; }
static df_result inside;
/* a task of g that runs, changes and frees g */
void again(df_taskgraph *g, long *x)
{
    ++*x;
    inside = df_taskgraph_run(g);
    df_taskgraph_set(g, add, 0, a, 100);
    df_taskgraph_free(g);
}
static int gate;
void slow(long *x)
{
    ++*x;
    if (__atomic_load_n(&gate, __ATOMIC_SEQ_CST) == 2) return;
    __atomic_store_n(&gate, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&gate, __ATOMIC_SEQ_CST) != 2) test_spin(100);
}

/* The messages since the last call are these, up to NULL. */
static void heard(const char *const *expected)
{
    int i;
    for (i = 0; expected[i]; i++) {
        if (i >= n_said || !strstr(said[i], expected[i]))
            fprintf(stderr, "expected: %s\nheard: %s\n", expected[i], i < n_said ? said[i] : "nothing");
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
    df_taskgraph *g = df_taskgraph_new();
    CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH);
    HEARD("was never recorded: use DF_TASKGRAPH first");
    DF_TASKGRAPH(g) {
        df_submit(add, x, 2, 1);
        CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH);
        df_taskgraph_set(g, add, 0, a, 2);
        df_taskgraph_free(g);
        HEARD("df_taskgraph_run has no effect, because the graph of " __FILE__, "df_taskgraph_set has",
              "df_taskgraph_free has");
    }
    /* which counts as a run in the block */
    CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH && x[0] == 1);
    HEARD("contains df_taskgraph_run (" __FILE__);
    df_taskgraph_free(g);

    g = df_taskgraph_new();
    DF_TASKGRAPH(g) df_submit(add, x, 2, 1);
    DF_TASKGRAPH(g) df_submit(add, x, 2, 10);
    HEARD("already: its tasks run, and the graph stays as it is");
    CHECK(x[0] == 12 && df_taskgraph_run(g) == DF_OK && x[0] == 13 && df_taskgraph_count(g, add) == 1);
    df_taskgraph_set(g, add, 1, a, 5);
    df_taskgraph_set(g, add, -1, a, 5);
    df_taskgraph_set(g, slow, 0, x, x);
    HEARD("has no task add with number 1 (tasks of this name: 1, numbered from 0)", "no task add with number -1",
          "no task slow with number 0 (tasks of this name: 0,");
    CHECK(df_taskgraph_run(g) == DF_OK && x[0] == 14);
    df_taskgraph_free(g);

    DF_TASKGRAPH(NULL) df_submit(add, x, 2, 1);
    CHECK(x[0] == 15 && df_taskgraph_run(NULL) == DF_ERROR_MEMORY && df_taskgraph_count(NULL, add) == 0);
    df_taskgraph_set(NULL, add, 0, a, 1);
    df_taskgraph_free(NULL);
    HEARD("DF_TASKGRAPH: the graph is NULL", "df_taskgraph_run: the graph is NULL",
          "df_taskgraph_count: the graph is NULL", "df_taskgraph_set: the graph is NULL");
}

static void from_inside(void)
{
    long x = 0;
    df_taskgraph *g = df_taskgraph_new();
    DF_TASKGRAPH(g) df_submit(again, NULL, &x);
    n_said = 0;
    df_taskgraph_set(g, again, 0, g, g);
    CHECK(df_taskgraph_run(g) == DF_OK && x == 2 && inside == DF_ERROR_TASKGRAPH);
    HEARD("is running: call it after its df_taskgraph_run has returned", "df_taskgraph_set", "df_taskgraph_free");
    df_taskgraph_free(g);
    QUIET();
}

static void *runs(void *g)
{
    CHECK(df_taskgraph_run((df_taskgraph *)g) == DF_OK);
    return NULL;
}
/* while another thread runs it */
static void two_threads(void)
{
    long x = 0;
    pthread_t t;
    df_taskgraph *g = df_taskgraph_new();
    __atomic_store_n(&gate, 2, __ATOMIC_SEQ_CST);
    DF_TASKGRAPH(g) df_submit(slow, &x);
    __atomic_store_n(&gate, 0, __ATOMIC_SEQ_CST);
    CHECK(pthread_create(&t, NULL, runs, (void *)g) == 0);
    while (__atomic_load_n(&gate, __ATOMIC_SEQ_CST) != 1) test_spin(100);
    CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH);
    df_taskgraph_free(g);
    __atomic_store_n(&gate, 2, __ATOMIC_SEQ_CST);
    CHECK(pthread_join(t, NULL) == 0);
    HEARD("is running", "df_taskgraph_free");
    CHECK(x == 2);
    df_taskgraph_free(g);
}

/* Records a block that contains `what`, and runs it without success. */
#define CANNOT(what, ...)                                              \
    do {                                                               \
        df_taskgraph *g = df_taskgraph_new();                                  \
        DF_TASKGRAPH(g) {                                                 \
            df_submit(add, &x, 1, 1);                                  \
            __VA_ARGS__;                                               \
        }                                                              \
        QUIET();                                                       \
        before = x;                                                    \
        CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH && x == before);        \
        HEARD("contains " what);                                       \
        df_taskgraph_free(g);                                              \
    } while (0)

static void cannot(void)
{
    long x = 0, y[10] = { 0 }, before; /* y: of tasks without an order against those of the block */
    int c = 0;
    df_stream *s = df_stream_new(sizeof(long), 8);
    df_token t = DF_TOKEN(0);
    df_taskgraph *h = df_taskgraph_new(), *other = df_taskgraph_new();
    DF_TASKGRAPH(h) {}
    CANNOT("a block or loop of its own (" __FILE__, DF_PARALLEL df_submit(add, y, 1, 1));
    CANNOT("a block or loop of its own", df_for(loop, 0, 10, y));
    CANNOT("a task on streams (put)", df_submit(put, s));
    CANNOT("df_wait_token", df_wait_token(&t));
    CANNOT("df_node_new", df_node(add) *n = df_node_new(add); df_node_set(add, n, x, y); df_node_set(add, n, n, 1);
           df_node_set(add, n, a, 1));
    CANNOT("df_speculate", df_speculate(&c, 0) df_submit(add, y, 1, 1));
    CANNOT("DF_TASKGRAPH", DF_TASKGRAPH(other) df_submit(add, y, 1, 1));
    CANNOT("df_taskgraph_run", CHECK(df_taskgraph_run(h) == DF_OK));
    CHECK(x == 8 && y[0] == 5 && y[9] == 1); /* the block ran each time, and no run of the graph did */
    df_taskgraph_free(h);
    df_taskgraph_free(other);
    df_stream_free(s);
    n_said = 0;
}

static void jump(df_taskgraph *g, long *x)
{
    static jmp_buf out;
    if (setjmp(out) == 0)
        DF_TASKGRAPH(g) {
            df_submit(add, x, 1, 1);
            longjmp(out, 1);
        }
}
DF_TASK(void, jumps, (df_taskgraph *, g), (long *, x));
void jumps(df_taskgraph *g, long *x) { jump(g, x); }

static void left_by_jump(void)
{
    long x = 0;
    df_taskgraph *g = df_taskgraph_new();
    df_submit(jumps, g, &x);
    df_wait();
    CHECK(x == 1);
    n_said = 0;
    CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH && x == 1);
    HEARD("a jump out of it by longjmp");
    df_taskgraph_free(g);
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
        CHECK(!strcmp(df_error_text(DF_ERROR_TASKGRAPH),
                      "the graph cannot be run now, or not at all: the log says why"));
        df_stop();
    }
    return 0;
}
