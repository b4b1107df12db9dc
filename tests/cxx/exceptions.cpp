/* Exceptions out of bodies: at every number of workers they reach the code that waits, once, and df continues
 * unaffected; see run for the ways it is built and run. */
#if defined(WITH_IMPLEMENTATION)
#define DF_IMPLEMENTATION
#endif
#include "../../df.h"
#include "check.h"
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

struct mistake : std::runtime_error {
    int code;
    static std::atomic<int> alive;
    mistake(int c, const char *text) : std::runtime_error(text), code(c) { alive++; }
    mistake(const mistake &m) : std::runtime_error(m), code(m.code) { alive++; }
    ~mistake() throw() { alive--; }
};
std::atomic<int> mistake::alive;

static std::atomic<int> counted;
static void pause_a_little() { for (int i = 0; i < 20000; i++) counted.store(i, std::memory_order_relaxed); }

DF_TASK(void, maybe, (int, k), df_inout(int, x, 1));
void maybe(int k, int *x)
{
    if (k == 30) throw mistake(k, "thirty");
    ++*x;
}
DF_TASK(void, add, df_inout(int, x, 1));
void add(int *x) { ++*x; }
DF_TASK(void, number, (int, k));
void number(int k) { if (k == 7) throw k; }
DF_TASK(long, fib, (long, n), (long, bad));
long fib(long n, long bad)
{
    if (n == bad) throw mistake((int)n, "fib");
    if (n < 2) return n;
    df_future(fib) a, b;
    df_spawn(fib, &a, n - 1, bad);
    df_spawn(fib, &b, n - 2, bad);
    long y = df_sync(fib, &b); /* when it throws, a is neither run nor lost */
    return df_sync(fib, &a) + y;
}
DF_TASK(void, nothing, (int, k));
void nothing(int k) { pause_a_little(); if (k) throw mistake(k, "nothing"); }
DF_TASK(void, parent, df_inout(int, x, 1), (int, how));
void parent(int *x, int how)
{
    if (how == 0) DF_PARALLEL df_submit(maybe, 30, x);             /* through the body */
    if (how == 1) df_submit(maybe, 30, x);                         /* left to the scope of the body */
    if (how == 2) {
        try {
            DF_PARALLEL df_submit(maybe, 30, x);
        } catch (const mistake &) {
            ++*x;                                                  /* no other task sees it */
        }
    }
}
DF_LOOP(part, (long, bad), df_inout(long, v, 1000));
void part(long lo, long hi, long bad, long *v)
{
    for (long i = lo; i < hi; i++) {
        if (i == bad) throw mistake((int)i, "loop");
        v[i]++;
    }
}
DF_PIPE(stages, long);
int stages(int stage, long *x, long i, void *ctx)
{
    if (stage == 0) {
        *x = i;
        return i == 50 ? (int)DF_PIPE_END : df_continue(1);
    }
    if (i == *(long *)ctx) throw mistake((int)*x, "stage");
    return DF_PIPE_DONE;
}
DF_TASK(void, push, (int, k), df_push(int, out, 1));
void push(int k, int *out) { if (k == 5) throw mistake(5, "push"); *out = k; }
DF_TASK(void, pop, df_pop(int, in, 1), df_inout(int, n, 1));
void pop(const int *in, int *n) { *n += *in; }
DF_TASK(void, decide, df_out(int, c, 1));
void decide(int *c) { pause_a_little(); *c = 1; }

static void usable(int line) /* nothing is left of the failed task */
{
    int x = 0;
    try {
        DF_PARALLEL for (int i = 0; i < 20; i++) df_submit(add, &x);
        for (int i = 0; i < 20; i++) df_submit(add, &x);
        df_wait();
    } catch (...) {
        x = -1;
    }
    if (x != 40 || df_wait_result() != DF_OK || mistake::alive || fib(10, -1) != 55)
        std::fprintf(stderr, "%s:%d: x is %d, %d exceptions are left\n", __FILE__, line, x, mistake::alive.load()),
            std::exit(1);
}
#define USABLE() usable(__LINE__)
#define THROWS(code_, ...)                            \
    do {                                              \
        int caught = -1;                              \
        try {                                         \
            __VA_ARGS__;                              \
        } catch (const mistake &m) {                  \
            caught = m.code;                          \
        }                                             \
        CHECK(caught == (code_));                     \
    } while (0)

static void submits()
{
    int x = 0, y[64] = { 0 };
    THROWS(30, DF_PARALLEL for (int i = 0; i < 64; i++) df_submit(maybe, i, &x));
    CHECK(x == 30); /* what comes after it was skipped */
    USABLE();
    THROWS(30, { for (int i = 0; i < 64; i++) df_submit(maybe, i, &y[i]); df_wait(); });
    for (int i = 0; i < 30; i++) CHECK(y[i] <= 1);
    CHECK(y[30] == 0);
    USABLE();
    df_submit_with(DF_OPTS(.name = "thirty"), maybe, 30, &x);
    CHECK(df_wait_result() == DF_ERROR_EXCEPTION && !std::strcmp(df_error_text(DF_ERROR_EXCEPTION), "thirty"));
    USABLE();
    bool caught = false;
    try {
        DF_PARALLEL for (int i = 0; i < 20; i++) df_submit(number, i);
    } catch (int k) {
        caught = k == 7;
    }
    CHECK(caught);
    USABLE();
    df_submit(number, 7);
    CHECK(df_wait_result() == DF_ERROR_EXCEPTION);
}

static void spawns()
{
    for (int i = 0; i < 50; i++) {
        THROWS(i % 15, fib(15, i % 15));
        df_future(fib) f;
        df_spawn(fib, &f, 12L, 3L);
        pause_a_little();
        THROWS(3, df_sync(fib, &f));
        df_future(nothing) g, h;
        df_spawn(nothing, &g, 4);
        df_spawn(nothing, &h, 0);
        pause_a_little();
        df_sync(nothing, &h);
        THROWS(4, df_sync(nothing, &g));
    }
    USABLE();
}

static void block_in_block(int *x)
{
    DF_PARALLEL {
        DF_PARALLEL df_submit(maybe, 30, x);
        *x = 100;
    }
}

static void nested()
{
    int x = 0;
    THROWS(30, DF_PARALLEL df_submit(parent, &x, 0));
    THROWS(30, DF_PARALLEL df_submit(parent, &x, 1));
    CHECK(x == 0);
    DF_PARALLEL df_submit(parent, &x, 2);
    CHECK(x == 1);
    USABLE();
    THROWS(30, block_in_block(&x));
    CHECK(x == 1);
    /* left: it continues to the enclosing scope */
    THROWS(30, { DF_PARALLEL { df_submit(maybe, 30, &x); break; } df_wait(); });
    USABLE();
    THROWS(8, DF_PARALLEL { for (int i = 0; i < 20; i++) df_submit(add, &x); throw mistake(8, "the code of the block");
                            });
    CHECK(x == 21); /* waited for */
    USABLE();
}

static void loops()
{
    static long v[1000];
    for (int i = 0; i < 20; i++) {
        v[700] = 0;
        THROWS(700, df_for(part, 0, 1000, 700, v));
        CHECK(v[700] == 0);
        THROWS(500, df_wavefront(part, DF_VECTORS({ 1 }), 0, 1000, 500, v));
        THROWS(3, df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), part, 0, 1000, 3, v));
        long bad = i;
        THROWS(i, df_pipe(stages, DF_PIPE_OPTS(.window = 4), &bad));
        bad = -1;
        CHECK(df_pipe(stages, NULL, &bad) == 50);
    }
    df_for(part, 0, 1000, -1, v);
    USABLE();
}

static void others()
{
    int n = 0, x = 0;
    df_node(maybe) *a = df_node_new(maybe);
    df_node_set(maybe, a, k, 30);
    df_node_set(maybe, a, x, &x);
    THROWS(30, df_wait());
    USABLE();
    df_stream *s = df_stream_new(sizeof(int), 4);
    THROWS(5, { for (int i = 0; i < 20; i++) { df_submit(push, i, s); df_submit(pop, s, &n); } df_wait(); });
    df_stream_free(s);
    USABLE();
    for (int i = 0; i < 20; i++) {
        int c = 0;
        x = 0;
        df_submit(decide, &c);
        df_speculate(&c, 1) df_submit(maybe, 30, &x); /* counts */
        THROWS(30, df_wait());
        c = 0;
        df_submit(decide, &c);
        df_speculate(&c, 0) df_submit(maybe, 30, &x); /* does not */
        df_wait();
    }
    USABLE();
    df_taskgraph *g = df_taskgraph_new();
    x = 0;
    DF_TASKGRAPH(g) for (int i = 28; i < 34; i++) df_submit(maybe, i, &x);
    THROWS(30, df_wait());
    for (int i = 0; i < 3; i++) CHECK(df_taskgraph_run(g) == DF_ERROR_EXCEPTION);
    df_taskgraph_free(g);
    USABLE();
}

static void throws_six(void *) { throw mistake(6, "six"); }
static void submits_thirty(void *x) { df_submit(maybe, 30, (int *)x); }
/* The handle of a task that throws is done; the exception reaches the waits of its scope, and not those for the handle. */
static void handles()
{
    for (int again = 0; again < 20; again++) {
        int x = 0, y = 0;
        df_handle thrown, skipped, fine, outer;
        bool through = false;
        df_submit_with(DF_OPTS(.handle = &fine), add, &y);
        CHECK(df_wait_task(&fine) == DF_OK);
        THROWS(30, {
            df_submit_with(DF_OPTS(.handle = &thrown), maybe, 30, &x);
            df_submit_with(DF_OPTS(.handle = &skipped), add, &x);
            CHECK(df_wait_task(&thrown) == DF_ERROR_EXCEPTION);
            while (!df_done(&skipped)) pause_a_little();
            CHECK(df_wait_task(&skipped) == DF_ERROR_CANCELLED);
            through = true; /* neither wait has thrown */
            df_wait();
        });
        CHECK(through && x == 0 && y == 1 && df_done(&thrown));
        CHECK(df_wait_task(&thrown) == DF_ERROR_EXCEPTION && df_wait_task(&fine) == DF_OK);
        USABLE();
        /* out of a child, and through a block */
        for (int how = 0; how < 3; how++) {
            x = 0;
            df_submit_with(DF_OPTS(.handle = &outer), parent, &x, how);
            while (df_wait_task_for(&outer, 1) == DF_ERROR_TIMEOUT) continue;
            CHECK(df_wait_task(&outer) == (how < 2 ? DF_ERROR_EXCEPTION : DF_OK));
            CHECK(df_wait_result() == (how < 2 ? DF_ERROR_EXCEPTION : DF_OK) && x == how / 2);
        }
        /* the result of a task that throws is not stored */
        long r = 77;
        df_submit_with(DF_OPTS(.handle = &thrown, .result = DF_RESULT(fib, &r)), fib, 5, 5);
        CHECK(df_wait_task(&thrown) == DF_ERROR_EXCEPTION && r == 77);
        CHECK(df_wait_result() == DF_ERROR_EXCEPTION);
        /* a handle of a block that an exception leaves: the task is done when the block is */
        THROWS(8, DF_PARALLEL {
            df_submit_with(DF_OPTS(.handle = &fine), nothing, 0);
            throw mistake(8, "the code of the block");
        });
        CHECK(df_done(&fine));
        df_result code = df_wait_task(&fine);
        CHECK(code == DF_OK || code == DF_ERROR_CANCELLED);
    }
    USABLE();
}

static void calls()
{
    int x = 0;
    THROWS(6, df_yield_blocking(throws_six, NULL));
    THROWS(6, df_parallel(throws_six, NULL));
    THROWS(30, df_parallel(submits_thirty, &x));
    USABLE();
}

int main()
{
    for (int again = 0; again < 2; again++) {
        submits(), spawns(), nested(), loops(), others(), handles(), calls();
        df_stop();
    }
    std::printf("ok\n");
}
