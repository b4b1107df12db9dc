/* ready.c - an idle worker can take every ready task
 *
 * All workers are busy, so none asks for work, when one of them makes several tasks ready in one of the possible
 * ways. The first of these begins, lets the other workers continue, and waits for all the rest: by then the worker
 * that released them runs code of the program, and the others have to find them. If one task stays with its releaser
 * the test hangs. */
#define _DEFAULT_SOURCE
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { FEW = 5, MANY = 1500, /* more than the first ring of a deque has room for */ PATIENCE = 60 };
static int workers, begun, held, freed, entered, done, all;
static int x[MANY];

#define GET(v) __atomic_load_n(&(v), __ATOMIC_SEQ_CST)
#define ADD(v) __atomic_fetch_add(&(v), 1, __ATOMIC_SEQ_CST)

static void until(int *v, int value)
{
    for (long us = 0; GET(*v) < value; us += 50) {
        CHECK(us < PATIENCE * 1000000L);
        usleep(50);
    }
}

DF_TASK(int, nothing);
int nothing(void) { return 0; }

/* Nobody asks for work any more, and this worker has noticed. */
static void all_busy(int others)
{
    df_future(nothing) f;
    until(&begun, others);
    df_spawn(nothing, &f);
    df_sync(nothing, &f);
}

DF_TASK(void, busy);
void busy(void)
{
    ADD(begun);
    until(&freed, 1);
}

/* The releaser continues. */
static void wait_for_all(void)
{
    ADD(freed);
    until(&done, all);
}

static void run_last(void)
{
    if (ADD(entered) == 0) {
        ADD(freed);
        until(&done, all - 1);
    }
    ADD(done);
}
DF_TASK(void, last, df_in(int, p, 1));
void last(const int *p) { (void)p, run_last(); }
DF_TASK(void, follow);
void follow(void) { run_last(); }
DF_TASK(int, called);
int called(void)
{
    run_last();
    return 0;
}
DF_TASK(void, fire, (int, a), (int, b));
void fire(int a, int b) { (void)a, (void)b, run_last(); }
DF_TASK(void, get, df_pop(int, p, 1));
void get(const int *p) { (void)p, run_last(); }
DF_TASK(void, take, df_commute(int, p, 1));
void take(int *p) { (void)p, run_last(); }

static void begin(int n)
{
    begun = held = freed = entered = done = 0;
    all = n;
}
static void helpers_busy(int n)
{
    for (int i = 0; i < n; i++) df_submit(busy);
}

/* --- tasks that end ------------------------------------------------------------------------------------- */

DF_TASK(void, first, df_out(int, p, 1));
void first(int *p) { all_busy(workers - 1), *p = 1; }
static void edges(int n)
{
    begin(n);
    DF_PARALLEL {
        helpers_busy(workers - 1);
        df_submit(first, x);
        for (int i = 0; i < n; i++) df_submit(last, x);
    }
    CHECK(done == n);
}

static void tokens(void)
{
    df_token t;
    df_token_init(&t, 1);
    begin(FEW);
    DF_PARALLEL {
        helpers_busy(workers - 1);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), first, x);
        for (int i = 0; i < FEW; i++) df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), follow);
    }
    CHECK(done == FEW);
}

/* Those that want the lock have asked for it before the last worker is busy. */
DF_TASK(void, hold, df_commute(int, a, 1), df_commute(int, b, 1), df_commute(int, c, 1));
void hold(int *a, int *b, int *c)
{
    (void)a, (void)b, (void)c;
    ADD(held);
    all_busy(workers - 1);
}
static void locks(void)
{
    begin(3);
    DF_PARALLEL {
        helpers_busy(workers - 2);
        df_submit(hold, &x[0], &x[1], &x[2]);
        until(&held, 1);
        until(&begun, workers - 2);
        helpers_busy(1);
        for (int i = 0; i < 3; i++) df_submit(take, &x[i]);
    }
    CHECK(done == 3);
}

DF_TASK(void, give, df_push(int, p, FEW));
void give(int *p)
{
    for (int i = 0; i < FEW; i++) p[i] = i;
    all_busy(workers - 1);
}
static void streams(void)
{
    df_stream *s = df_stream_new(sizeof(int), 2 * FEW);
    begin(FEW);
    DF_PARALLEL {
        helpers_busy(workers - 1);
        df_submit(give, s);
        for (int i = 0; i < FEW; i++) df_submit(get, s);
    }
    df_stream_free(s);
    CHECK(done == FEW);
}

/* --- tasks that continue ---------------------------------------------------------------------------------- */

DF_TASK(void, signals, (df_token *, t));
void signals(df_token *t)
{
    all_busy(workers - 1);
    df_signal(t);
    wait_for_all();
}
static void signal_in_body(void)
{
    df_token t;
    df_token_init(&t, 1);
    begin(FEW);
    entered = 1;
    DF_PARALLEL {
        helpers_busy(workers - 1);
        df_submit(signals, &t);
        for (int i = 0; i < FEW; i++) df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), follow);
    }
    CHECK(done == FEW);
}

static df_node(fire) *node[FEW];
DF_TASK(void, sets);
void sets(void)
{
    all_busy(workers - 1);
    for (int i = 0; i < FEW; i++) df_node_set(fire, node[i], b, i);
    wait_for_all();
}
static void nodes(void)
{
    begin(FEW);
    entered = 1;
    DF_PARALLEL {
        helpers_busy(workers - 1);
        for (int i = 0; i < FEW; i++) {
            CHECK((node[i] = df_node_new(fire)) != NULL);
            df_node_set(fire, node[i], a, i);
        }
        df_submit(sets);
    }
    CHECK(done == FEW);
}

DF_TASK(void, releases, df_inout(int, p, 1));
void releases(int *p)
{
    all_busy(workers - 1);
    df_release(p, 1);
    wait_for_all();
}
static void released(void)
{
    begin(FEW);
    entered = 1;
    DF_PARALLEL {
        helpers_busy(workers - 1);
        df_submit_with(DF_OPTS(.release = 1), releases, x);
        for (int i = 0; i < FEW; i++) df_submit(last, x);
    }
    CHECK(done == FEW);
}

/* --- a submitter that continues, or waits ------------------------------------------------------------------- */

static void wait_on(void)
{
    begin(FEW);
    entered = 1;
    DF_PARALLEL {
        helpers_busy(workers - 1);
        until(&begun, workers - 1);
        df_submit(first, x);
        for (int i = 0; i < FEW; i++) df_submit(last, x);
        df_wait_on(x, 1);
        wait_for_all();
    }
    CHECK(done == FEW);
}

/* A wait runs no function that its code has spawned, but other workers do. */
DF_TASK(void, frees);
void frees(void) { wait_for_all(); }
static void spawned(void)
{
    df_future(called) f[FEW];
    begin(FEW);
    entered = 1;
    DF_PARALLEL {
        helpers_busy(workers - 1);
        all_busy(workers - 1);
        for (int i = 0; i < FEW; i++) df_spawn(called, &f[i]);
        df_submit(frees);
        df_wait();
        for (int i = FEW; i-- > 0;) df_sync(called, &f[i]);
    }
    CHECK(done == FEW);
}

static void replayed(void)
{
    df_taskgraph *g = df_taskgraph_new();
    workers = 1; /* to record is to run once */
    begin(FEW);
    entered = 1;
    DF_TASKGRAPH(g) {
        df_submit(first, x);
        for (int i = 0; i < FEW; i++) df_submit(last, x);
    }
    workers = df_workers();
    begin(FEW);
    DF_PARALLEL {
        helpers_busy(workers - 1);
        until(&begun, workers - 1);
        df_taskgraph_run(g);
    }
    df_taskgraph_free(g);
    CHECK(done == FEW);
}

int main(void)
{
    for (int n = 2; n <= 8; n += n == 2 ? 1 : n == 3 ? 1 : 4) {
        df_config c = { .workers = n, .defer = 1 };
        CHECK(df_start(&c) == DF_OK && (workers = df_workers()) == n);
        for (int round = 0; round < 3; round++) {
            edges(2);
            edges(FEW);
            tokens();
            locks();
            streams();
            signal_in_body();
            nodes();
            released();
            wait_on();
            spawned();
            replayed();
        }
        edges(MANY);
        df_stop();
    }
    return 0;
}
