/* one_blocks.c - tasks that block until their submitter, which continues meanwhile, signals them
 *
 * Each case runs in a process of its own, so that the first call that blocks is also the first of the process. (If a
 * task prevents its submitter from continuing: the alarm.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "df.h"
#include "child.h"

enum { N = 20, TURNS = 1000 };
static long value;
static int done;
static df_token token = DF_TOKEN(1);
static df_mutex mutex = DF_MUTEX;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int flag;

static void count(void) { __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST); }
static int finished(int n)
{
    df_result r = df_wait_result();
    if (r == DF_OK && done == n) return 0;
    fprintf(stderr, "result %d, %d done\n", (int)r, done);
    return 1;
}

DF_TASK(void, retries, (long, least));
void retries(long least)
{
    DF_ATOMIC {
        if (df_tm_read(&value) < least) df_retry();
    }
    count();
}
DF_TASK(void, raises, (int, k));
void raises(int k)
{
    DF_ATOMIC df_tm_write(&value, df_tm_read(&value) + 1);
    (void)k;
    count();
}
static int retry_submitter(void *p) /* commits when all are submitted */
{
    (void)p;
    for (int i = 0; i < N; i++) df_submit(retries, 1L);
    DF_ATOMIC df_tm_write(&value, 1L);
    return finished(N);
}
static int retry_tasks(void *p) /* in every order: each waits for the tasks of both ends */
{
    (void)p;
    for (int i = 0; i < N; i++) {
        df_submit(retries, (long)(N - i));
        df_submit(raises, i);
    }
    return finished(2 * N);
}

static void waits_for_flag(void *p)
{
    (void)p;
    pthread_mutex_lock(&lock);
    while (!flag) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
static void raise_flag(void)
{
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
DF_TASK(void, yields, (int, k));
void yields(int k)
{
    (void)k;
    df_yield_blocking(waits_for_flag, NULL);
    count();
}
DF_TASK(void, flags, (int, k));
void flags(int k)
{
    (void)k;
    raise_flag();
    count();
}
static int yield_submitter(void *p)
{
    (void)p;
    for (int i = 0; i < N; i++) df_submit(yields, i);
    raise_flag();
    return finished(N);
}
static int yield_first(void *p) /* the task that ends it is the oldest, and so the last that one worker would take */
{
    (void)p;
    df_submit(flags, 0);
    for (int i = 0; i < N; i++) df_submit(yields, i);
    return finished(N + 1);
}

DF_TASK(void, waits, (int, k));
void waits(int k)
{
    (void)k;
    if (df_wait_token(&token) == DF_OK) count();
}
DF_TASK(void, signals, (int, k));
void signals(int k)
{
    (void)k;
    df_signal(&token);
    count();
}
static int token_submitter(void *p)
{
    (void)p;
    for (int i = 0; i < N; i++) df_submit(waits, i);
    df_signal(&token);
    return finished(N);
}
static int token_first(void *p)
{
    (void)p;
    df_submit(signals, 0);
    for (int i = 0; i < N; i++) df_submit(waits, i);
    return finished(N + 1);
}

DF_TASK(void, leaf, (int, k));
void leaf(int k)
{
    (void)k;
    count();
}
DF_TASK(void, has_child, (int, k));
void has_child(int k)
{
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&token)), leaf, k);
    df_wait();
    count();
}
static int child_waits(void *p) /* it is a child of the task that waits for the submitter */
{
    (void)p;
    for (int i = 0; i < N; i++) df_submit(has_child, i);
    df_signal(&token);
    return finished(2 * N);
}

DF_TASK(void, fires, (int, k));
void fires(int k)
{
    (void)k;
    count();
}
static df_node(fires) *node;
DF_TASK(void, has_node, (int, k));
void has_node(int k)
{
    (void)k;
    node = df_node_new(fires);
    df_signal(&token);
    df_wait();
    count();
}
static int node_waits(void *p)
{
    (void)p;
    df_submit(has_node, 0);
    if (df_wait_token(&token) != DF_OK) return 1;
    df_node_set(fires, node, k, 1);
    return finished(2);
}

DF_TASK(void, pushes, df_push(int, x, 1));
void pushes(int *x)
{
    *x = 1;
    count();
}
DF_TASK(void, pops, df_pop(int, x, 1));
void pops(const int *x)
{
    if (*x == 1) count();
}
DF_TASK(void, has_pushes, (df_stream *, s));
void has_pushes(df_stream *s)
{
    for (int i = 0; i < N; i++) df_submit(pushes, s);
    df_wait();
    count();
}
static int stream_full(void *p)
{
    df_stream *s = df_stream_new(sizeof(int), 2);
    int failed;
    (void)p;
    df_submit(has_pushes, s);
    for (int i = 0; i < N; i++) df_submit(pops, s);
    failed = finished(2 * N + 1);
    df_stream_free(s);
    return failed;
}

DF_TASK(void, pops_each, (df_stream *, s));
void pops_each(df_stream *s)
{
    for (int i = 0; i < TURNS; i++) {
        df_submit(pops, s);
        df_wait();
    }
}
static int stream_turns(void *p) /* waits for a push that is outside of its scope, each time */
{
    df_stream *s = df_stream_new(sizeof(int), 4);
    int failed;
    (void)p;
    df_submit(pops_each, s);
    for (int i = 0; i < TURNS; i++) df_submit(pushes, s);
    failed = finished(2 * TURNS);
    df_stream_free(s);
    return failed;
}

DF_TASK(void, locks, (int, k));
void locks(int k)
{
    (void)k;
    if (df_mutex_lock(&mutex) != DF_OK) return;
    df_mutex_unlock(&mutex);
    count();
}
static int lock_held(void *p)
{
    (void)p;
    if (df_mutex_lock(&mutex) != DF_OK) return 1;
    for (int i = 0; i < N; i++) df_submit(locks, i);
    df_mutex_unlock(&mutex);
    return finished(N);
}

DF_TASK(void, writes, df_inout(long, x, 1));
void writes(long *x)
{
    *x = 1;
    count();
}
static int wait_token(void *p)
{
    (void)p;
    df_submit(signals, 0);
    for (int i = 0; i < N; i++) df_submit(retries, 1L);
    if (df_wait_token(&token) != DF_OK) return 1;
    DF_ATOMIC df_tm_write(&value, 1L);
    return finished(N + 1);
}

static int no_room(void *p) /* more tasks than the window and a deque have room for */
{
    df_config c = { .window = 8, .deque = 4 };
    (void)p;
    CHECK(df_start(&c) == DF_OK);
    for (int i = 0; i < 3 * N; i++) df_submit(retries, 1L);
    DF_ATOMIC df_tm_write(&value, 1L);
    return finished(3 * N);
}

/* A task is ready on the stack of a worker that blocks, below older tasks: a thread that waits for it may not run
 * those. */
static long part[2];
DF_TASK(void, on_main, df_inout(long, x, 1));
void on_main(long *x)
{
    *x = 1;
    count();
}
DF_TASK(void, after_it, df_in(long, x, 1));
void after_it(const long *x)
{
    if (*x == 1) count();
}
DF_TASK(void, has_pinned, df_inout(long, y, 1));
void has_pinned(long *y)
{
    df_submit_with(DF_OPTS(.worker = DF_MAIN_THREAD), on_main, &part[0]);
    for (int i = 0; i < N; i++) df_submit(after_it, &part[0]);
    df_wait();
    *y = 1;
    count();
}
DF_TASK(void, signals_after, df_in(long, y, 1));
void signals_after(const long *y)
{
    if (*y == 1) df_signal(&token);
    count();
}
static int pinned_releases(void *p) /* a task that main runs nested in its wait releases those that another waits for */
{
    (void)p;
    df_submit(has_pinned, &part[1]);
    df_submit(signals_after, &part[1]);
    for (int i = 0; i < N; i++) df_submit(leaf, i);
    if (df_wait_token(&token) != DF_OK) return 1;
    return finished(2 * N + 3);
}

static int one_of_two;
DF_TASK(void, opens, df_inout(long, x, 1));
void opens(long *x)
{
    *x = 1;
    raise_flag();
    count();
}
DF_TASK(void, either, df_in(long, x, 1));
void either(const long *x)
{
    (void)x;
    if (__atomic_add_fetch(&one_of_two, 1, __ATOMIC_SEQ_CST) == 2) df_signal(&token);
    else if (df_wait_token(&token) != DF_OK) return;
    count();
}
static df_token begun = DF_TOKEN(1);
DF_TASK(void, has_either, (int, k));
void has_either(int k)
{
    (void)k;
    df_submit(opens, &part[0]);
    for (int i = 0; i < 2; i++) df_submit(either, &part[0]);
    df_signal(&begun);
    waits_for_flag(NULL); /* so that main runs it */
    df_wait();
    count();
}
static int sibling_hidden(void *p) /* one of two that became ready on the same worker waits for the other */
{
    (void)p;
    DF_PARALLEL {
        df_submit(leaf, 0);
        DF_PARALLEL {
            df_submit_with(DF_OPTS(.priority = 1), has_either, 0);
            if (df_wait_token(&begun) != DF_OK) return 1;
        }
    }
    return finished(5);
}

/* More tasks wait at a time than there can be threads of df. */
enum { MANY = 1000 };
static df_token outside = DF_TOKEN_EXTERNAL(1);
DF_TASK(void, waits_outside, df_concurrent(long, x, 1));
void waits_outside(long *x)
{
    if (df_wait_token(&outside) == DF_OK) __atomic_add_fetch(x, 1, __ATOMIC_SEQ_CST);
}
DF_TASK(void, last, df_in(long, x, 1));
void last(const long *x)
{
    if (*x == MANY) count();
}
static void *signals_outside(void *p)
{
    usleep(300000);
    df_signal(&outside);
    return p;
}
static int many_wait(void *p)
{
    pthread_t t;
    int failed;
    CHECK(pthread_create(&t, NULL, signals_outside, p) == 0);
    for (int i = 0; i < MANY; i++) df_submit(waits_outside, &value);
    df_submit(last, &value);
    failed = finished(1);
    pthread_join(t, NULL);
    return failed;
}

static int never(void *p) /* no task will write it */
{
    (void)p;
    for (int i = 0; i < 3; i++) {
        df_submit(retries, 1L);
        df_submit(leaf, 0);
    }
    return df_wait_result() == DF_ERROR_STUCK && done == 6 ? 0 : 1;
}

static const struct { const char *name; int (*fn)(void *); } a_case[] = {
    { "retry_submitter", retry_submitter }, { "retry_tasks", retry_tasks }, { "yield_submitter", yield_submitter },
    { "yield_first", yield_first }, { "token_submitter", token_submitter }, { "token_first", token_first },
    { "child_waits", child_waits }, { "node_waits", node_waits }, { "stream_full", stream_full },
    { "stream_turns", stream_turns }, { "lock_held", lock_held },
    { "wait_token", wait_token }, { "no_room", no_room },
    { "pinned_releases", pinned_releases }, { "sibling_hidden", sibling_hidden }
};

int main(void)
{
    static const char *const workers[] = { "1", "2", "3", "4", "8" };
    struct child c;
    for (unsigned w = 0; w < 5; w++) {
        const char *env[] = { "DF_WORKERS", workers[w], NULL, "1000", NULL };
        for (unsigned i = 0; i < sizeof a_case / sizeof *a_case; i++) {
            c = child_run(a_case[i].fn, NULL, env, TEST_SLOW ? 60 : 20);
            if (c.status || c.lines) fprintf(stderr, "%s, %s workers\n", a_case[i].name, workers[w]);
            CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        }
        if (w == 0 || w == 3) {
            c = child_run(many_wait, NULL, env, 60);
            CHECK_CHILD(c, c.status == 0); /* it may say that there are no more threads */
        }
        if (test_foreign_thread()) continue; /* has a thread of its own, and so a signal might come */
        c = child_run(never, NULL, env, 20);
        CHECK_CHILD(c, c.status == 0 && c.lines == 3 && strstr(c.err, "df_retry waits for a change"));
        env[2] = "DF_STALL"; /* with a thread of df that only reports */
        c = child_run(never, NULL, env, 20);
        CHECK_CHILD(c, c.status == 0 && strstr(c.err, "df_retry waits for a change"));
    }
    return 0;
}
