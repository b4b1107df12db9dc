/* speculate.c - df_speculate where it really happens: the task that computes a condition waits until tasks of the block
 * have run. Memory that runs out at the n-th allocation, wrong use, transactions, several threads, fork. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include "failing_malloc.h"
#if !defined(DF_DEBUG) || DF_DEBUG == 0
#undef DF_DEBUG
#define DF_DEBUG 1
#endif
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "no_memory.h"
#include "hear.h"

enum { N = 100, MANY = 40 };
static int ran; /* tasks of blocks that have begun */

/* Waits until `tasks` of the block have begun, if others can run them: then the condition is known. */
DF_STATIC_TASK(void, decide, df_out(int, c, 1), (int, v), (int, tasks));
static void decide(int *c, int v, int tasks)
{
    for (int ms = 0; df_workers() > 1 && ms < 5000 && __atomic_load_n(&ran, __ATOMIC_ACQUIRE) < tasks; ms++)
        usleep(1000);
    *c = v;
}
static void begun(void) { __atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL); }
static void new_condition(void)
{
    df_wait();
    __atomic_store_n(&ran, 0, __ATOMIC_RELEASE);
}

DF_STATIC_TASK(void, fill, df_inout(int, p, n), (int, n), (int, v));
static void fill(int *p, int n, int v)
{
    for (int i = 0; i < n; i++) p[i] = (int)(10u * (unsigned)p[i] + (unsigned)v);
    begun();
}
DF_STATIC_TASK(void, add, df_commute(int, p, 1), (int, v));
static void add(int *p, int v)
{
    *p += v;
    begun();
}
DF_STATIC_TASK(void, sum, df_reduce(df_sum, int, p, 1), (int, v));
static void sum(int *p, int v)
{
    *p += v;
    begun();
}
DF_STATIC_TASK(void, until_cancelled, df_inout(int, p, 1));
static void until_cancelled(int *p)
{
    *p = 7;
    begun();
    while (!df_cancelled()) usleep(100);
}
DF_STATIC_TASK(void, fails, df_inout(int, p, 1), (int, code));
static void fails(int *p, int code)
{
    *p = 9;
    if (code) df_fail(code, "on purpose");
    else df_cancel();
    begun();
}
DF_STATIC_TASK(void, in_group, df_out(int, p, 1), df_in(int, q, 1));
static void in_group(int *p, const int *q) { *p = *q + 1; }
DF_STATIC_TASK(void, both, df_out(int, p, 1), df_in(int, q, 1), df_in(int, r, 1), df_in(int, s, 1));
static void both(int *p, const int *q, const int *r, const int *s) { *p = *q + *r + *s; }
DF_STATIC_TASK(void, late, df_inout(int, p, 1), (int, ms));
static void late(int *p, int ms)
{
    for (int k = 0; df_workers() > 1 && k < 5000 && __atomic_load_n(&ran, __ATOMIC_ACQUIRE) < 1; k++) usleep(1000);
    usleep(1000u * (unsigned)ms);
    *p += 1;
}
DF_STATIC_TASK(void, transaction, df_inout(long, p, 2));
static void transaction(long *p)
{
    DF_ATOMIC {
        df_tm_write(&p[0], df_tm_read(&p[0]) + 5);
        df_tm_write(&p[1], df_tm_read(&p[1]) - 5);
    }
    begun();
}

static df_counters counters(void)
{
    df_counters c;
    df_counters_get(&c);
    return c;
}

/* What begins before it is known: right, and wrong. */
static void before_it_is_known(void)
{
    for (int right = 0; right < 2; right++) {
        int c = 0, p[N] = { 0 }, q = 1, r = 1, s = 1, *expect = right ? (int[]){ 12, 301, 601 } : (int[]){ 0, 1, 1 };
        long y[2] = { 0, 0 };
        df_counters before = counters(), after;
        new_condition();
        df_submit(decide, &c, right, 2 + 2 * MANY + 1);
        df_speculate(&c, 1) {
            df_submit(fill, p, N, 1);
            df_submit(fill, p + 10, N - 10, 2); /* it overlaps, and is not kept in the same place */
            for (int i = 0; i < MANY; i++) {
                df_submit(add, &q, 1);
                df_submit(sum, &r, 15);
            }
            df_submit(transaction, y);
        }
        df_wait_on(&r, sizeof r);
        CHECK(c == right && r == expect[2]);
        df_submit(fill, &s, 1, 0);
        df_wait();
        CHECK(p[5] == (right ? 1 : 0) && p[50] == expect[0] && q == (right ? 41 : 1) && s == 10);
        CHECK(y[0] == 5 * right && y[1] == -5 * right);
        after = counters();
        if (df_workers() > 1) CHECK(after.speculated - before.speculated == 2 + 2 * MANY + 1);
    }
}

/* The submitter continues: tasks that do not depend on the block run, others wait. */
static void after_the_block(void)
{
    int c = 0, p = 0, q = 0, other = 0;
    new_condition();
    df_submit(decide, &c, 0, 2);
    df_speculate(&c, 1) df_submit(fill, &p, 1, 5);
    df_submit(fill, &other, 1, 3); /* the second that the condition waits for */
    df_submit(in_group, &q, &p);
    df_wait();
    CHECK(p == 0 && q == 1 && other == 3);
    if (df_workers() == 1) return;
    new_condition(); /* a long task can ask whether it is cancelled */
    df_submit(decide, &c, 0, 1);
    df_speculate(&c, 1) df_submit(until_cancelled, &p);
    df_wait();
    CHECK(p == 0);
}

static void errors(void)
{
    for (int i = 0; i < 16; i++) {
        int c = 0, d = 0, p = 1, q = 1, code = i & 4 ? 0 : 77, result, both = (i & 3) == 3;
        new_condition();
        df_submit(decide, &c, i & 1, 1);
        df_submit(decide, &d, i >> 1 & 1, i & 8 ? 1 : 0); /* known before the error, or after it */
        df_speculate(&c, 1) df_speculate(&d, 1) df_submit(fails, &p, code);
        result = (int)df_wait_result();
        CHECK(result == (!both ? DF_OK : code ? code : DF_ERROR_CANCELLED) && p == (both ? 9 : 1));
        df_submit(fill, &q, 1, 2); /* and over */
        df_wait();
        CHECK(q == 12);
    }
}

/* A cancelled group: the task that should have written is missed only if the prediction is right. */
static void groups(void)
{
    for (int right = 0; right < 2; right++) {
        df_group g = DF_GROUP;
        int c = 0, p = 1, q = 1, r = 1;
        new_condition();
        df_group_cancel(&g);
        df_submit(decide, &c, right, 0);
        df_speculate(&c, 1) df_submit_with(DF_OPTS(.group = &g), in_group, &p, &r);
        df_submit(in_group, &q, &p);
        df_submit(fill, &r, 1, 4);
        df_wait();
        CHECK(p == 1 && q == (right ? 1 : 2) && r == (right ? 1 : 14));
    }
    /* what a task of the block depends on was skipped; it becomes ready before its prediction turns out wrong, or after
     * that */
    for (int ms = 0; ms < 30; ms += 15) {
        df_group g = DF_GROUP;
        int c = 0, p = 1, q = 1, r = 1, x = 1, y = 1, z = 1;
        new_condition();
        df_group_cancel(&g);
        df_submit_with(DF_OPTS(.group = &g), in_group, &p, &r);
        df_wait_on(&p, sizeof p);
        if (ms) df_submit(late, &q, ms);
        df_submit(decide, &c, 0, 1);
        df_speculate(&c, 1) {
            df_submit(both, &x, &p, &q, &z);
            df_submit(fill, &y, 1, 1);
        }
        df_submit(fill, &y, 1, 2);
        df_submit(fill, &x, 1, 3);
        if (ms) df_submit(fill, &z, 1, 4);
        df_wait();
        CHECK(p == 1 && q == 1 + (ms > 0) && x == 13 && y == 12 && z == (ms ? 14 : 1));
    }
}

DF_STATIC_TASK(void, step, df_inout(int, p, 1), (int, limit), df_out(short, more, 1));
static void step(int *p, int limit, short *more) { *more = ++*p < limit; }
DF_STATIC_TASK(void, slow_step, df_inout(int, p, 1), (int, limit), df_out(short, more, 1));
static void slow_step(int *p, int limit, short *more)
{
    usleep(300);
    step(p, limit, more);
}

/* No more turns ahead than asked for; a cancelled loop ends. */
static void turns(void)
{
    for (int limit = 1; limit < 20; limit++) {
        short more = 1;
        int p = 0, turn = 0;
        df_submit(slow_step, &p, limit, &more);
        df_speculate_while(&more, 1) {
            df_submit(slow_step, &p, limit, &more);
            turn++;
        }
        CHECK(turn <= limit - 1 + 2);
        df_wait();
        CHECK(p == limit && turn >= limit - 1);
    }
    short more = 1;
    int p = 0;
    df_submit(step, &p, 5, &more);
    df_cancel();
    df_speculate_while(&more, 1) df_submit(step, &p, 5, &more);
    CHECK(df_wait_result() == DF_ERROR_CANCELLED);
}

static void *thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        int c = 0, p = 1;
        df_submit(step, &p, 100, &(short){ 0 });
        df_submit(decide, &c, i % 2, 0);
        df_speculate(&c, 1) df_submit(fill, &p, 1, 3);
        df_wait_on(&p, sizeof p);
        CHECK(p == (i % 2 ? 23 : 2));
        df_wait();
    }
    return NULL;
}
static void threads(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, thread, NULL));
    thread(NULL);
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
}

static int everything(void *arg)
{
    df_config config = { .log = hear, .defer = arg != NULL };
    CHECK(df_start(&config) == DF_OK);
    before_it_is_known();
    after_the_block();
    errors();
    groups();
    turns();
    threads();
    df_stop();
    CHECK(n_said == 0);
    return 0;
}

/* --- wrong use ---------------------------------------------------------------------------------- */

DF_STATIC_TASK(int, one, (int, x));
static int one(int x) { return x; }
static jmp_buf out;
/* Its frame is gone when its tasks run: they use none of it. */
static void jumps(int *p)
{
    df_submit(late, p + 2, 1); /* of another scope, so in memory of its own */
    DF_PARALLEL {
        df_submit(decide, p + 1, 0, 0);
        df_speculate_while(p + 1, 0) {
            df_submit(fill, p, 1, 6);
            longjmp(out, 1);
        }
    }
}
static int misuse(void *unused)
{
    df_config config = { .log = hear };
    static int c, p[3];
    df_future(one) f;
    (void)unused;
    CHECK(df_start(&config) == DF_OK);
    df_submit(decide, &c, 0, 1);
    df_speculate(&c, 1) {
        df_submit(fill, p, 1, 1);
        if (df_workers() > 1) {
            df_spawn(one, &f, 4);
            CHECK(df_sync(one, &f) == 4);
            CHECK(n_said == 1 && strstr(said[0], "df_spawn in a df_speculate block"));
        }
    }
    df_wait();
    CHECK(p[0] == 0);
    n_said = 0;
    p[1] = 0;
    DF_PARALLEL {
        if (!setjmp(out)) jumps(p);
    }
    CHECK(n_said >= 1); /* the block, and in it the speculation if there was one */
    df_wait();
    df_stop();
    return 0;
}

/* fork between blocks, and with tasks of a block pending: the child starts afresh */
static int forks(void *unused)
{
    for (int i = 0; i < 5; i++) {
        int c = 0, p = 0, status;
        pid_t pid;
        df_submit(decide, &c, i % 2, 0);
        df_speculate(&c, 1) df_submit(fill, &p, 1, 4);
        if (TEST_ASAN || TEST_TSAN) df_wait();
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            int d = 0, q = 0;
            alarm(60);
            if (TEST_TSAN) setenv("DF_WORKERS", "1", 1);
            df_submit(decide, &d, i % 2, 0);
            df_speculate(&d, 1) df_submit(fill, &q, 1, 4);
            df_wait();
            _Exit(q != 4 * (i % 2));
        }
        df_wait();
        CHECK(p == 4 * (i % 2));
        CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    }
    return unused != NULL;
}

/* --- no memory ---------------------------------------------------------------------------------- */

static int run(void *unused)
{
    int p[N] = { 0 }, q = 0, r = 0, d[4] = { 0 }, turn = 0, more = 0;
    short go = 1;
    (void)unused;
    for (int k = 0; k < 4; k++) {
        df_submit(decide, &d[0], k & 1, 0);
        df_submit(decide, &d[1], k >> 1, 0);
        df_speculate(&d[0], 1) {
            for (int i = 0; i < N; i++) df_submit(fill, p + i, N - i < 3 ? N - i : 3, 1);
            df_submit(add, &q, 3);
            df_submit(sum, &r, 4);
            df_speculate(&d[1], 1) {
                df_submit(fill, p, N, 2);
                df_submit(sum, &r, 5);
            }
        }
        df_submit(fill, p + 2, 5, 3);
    }
    df_submit(step, &more, 9, &go);
    df_speculate_while(&go, 1) {
        df_submit(step, &more, 9, &go);
        df_submit(fill, p, 2, 0);
        turn++;
    }
    df_wait();
    CHECK(q == 6 && r == 13 && more == 9 && turn >= 8);
    int expect[N] = { 0 };
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < N && k & 1; i++) fill(expect + i, N - i < 3 ? N - i : 3, 1);
        if (k == 3) fill(expect, N, 2);
        fill(expect + 2, 5, 3);
    }
    for (int i = 0; i < 8; i++) fill(expect, 2, 0);
    for (int i = 0; i < N; i++) CHECK(p[i] == expect[i]);
    df_stop();
    return failed ? 0 : 77;
}

int main(void)
{
    static const char *const workers[][3] = { { "DF_WORKERS", "1", NULL }, { "DF_WORKERS", "2", NULL },
                                              { "DF_WORKERS", "4", NULL } };
    left = ENOUGH;
    for (int i = 0; i < 3; i++) {
        struct child c = child_run(everything, i ? NULL : &left, workers[i], 60);
        CHECK_CHILD(c, c.status == 0);
        c = child_run(misuse, NULL, workers[i], 60);
        CHECK_CHILD(c, c.status == 0);
        c = child_run(forks, NULL, workers[i], 60);
        CHECK_CHILD(c, c.status == 0);
    }
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(2), each_once) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_DEFER", "0"), test_step(11), each_once) > 10);
    }
}
