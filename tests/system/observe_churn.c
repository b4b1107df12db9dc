/* observe_churn.c - df_observe and df_unobserve while tasks run
 *
 * Threads register observers and unregister them, again and again. What an observer points to is freed as soon as
 * df_unobserve has returned, so that a later call is an error that the sanitizers find. An observer sees the end of what
 * it saw the beginning of, and of nothing else; and two tasks that it saw being submitted differ in their ids. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "../../df_observe.h"
#include "../test.h"
#include "work.h"

enum { WORKERS = 4, THREADS = 2, BOUND = 600, DEEP = 64, IDS = 512, ROUNDS = TEST_SLOW ? 60 : 400 };

struct seen {
    df_observer o;
    struct {
        int runs, deep, waits, sleeps, n;
        uint64_t stack[DEEP], id[IDS];
    } w[BOUND];
};
static int done, left = THREADS; /* rounds of work; threads that register observers */

static void start(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    CHECK(!s->w[worker].runs);
    s->w[worker].runs = 1;
}
static void stop(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].runs);
    s->w[worker].runs = 0;
}
static void submit(void *arg, int worker, const df_observed *t)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].runs);
    if (s->w[worker].n < IDS) s->w[worker].id[s->w[worker].n++] = t->id;
}
static void begin(void *arg, int worker, const df_observed *t)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].runs && s->w[worker].deep < DEEP);
    s->w[worker].stack[s->w[worker].deep++] = t->id;
}
static void end(void *arg, int worker, const df_observed *t)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].deep && s->w[worker].stack[--s->w[worker].deep] == t->id);
}
static void edge(void *arg, int worker, uint64_t before, uint64_t after)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].runs && before != after);
}
static void wait_begin(void *arg, int worker, df_observed_wait kind, const char *site)
{
    struct seen *s = (struct seen *)arg;
    (void)kind, (void)site;
    s->w[worker].waits++;
}
static void wait_end(void *arg, int worker, df_observed_wait kind, const char *site)
{
    struct seen *s = (struct seen *)arg;
    (void)kind, (void)site;
    CHECK(s->w[worker].waits-- > 0);
}
static void asleep(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].runs && !s->w[worker].sleeps);
    s->w[worker].sleeps = 1;
}
static void awake(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    CHECK(s->w[worker].sleeps);
    s->w[worker].sleeps = 0;
}
static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void observe_once(void)
{
    static const df_observer callbacks = { NULL, start, stop, submit, edge, begin, end, NULL, wait_begin, wait_end, asleep,
                                           awake };
    struct seen *s = (struct seen *)calloc(1, sizeof *s);
    uint64_t *all = (uint64_t *)calloc((size_t)BOUND * IDS, sizeof *all);
    size_t n = 0;
    CHECK(s && all);
    s->o = callbacks, s->o.arg = s;
    CHECK(df_observe(&s->o) == DF_OK);
    for (int i = __atomic_load_n(&done, __ATOMIC_RELAXED); i == __atomic_load_n(&done, __ATOMIC_RELAXED);) sched_yield();
    CHECK(df_unobserve(&s->o) == DF_OK);
    for (int i = 0; i < BOUND; i++) {
        memcpy(all + n, s->w[i].id, (size_t)s->w[i].n * sizeof *all);
        n += (size_t)s->w[i].n;
    }
    qsort(all, n, sizeof *all, by_id);
    for (size_t i = 1; i < n; i++) CHECK(all[i - 1] != all[i]);
    memset(s, 0xff, sizeof *s);
    free(s);
    free(all);
}

static void *observes(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) observe_once();
    __atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
    return unused;
}

DF_TASK(void, tree, (int, deep), df_inout(long, x, 1));
void tree(int deep, long *x)
{
    ++*x;
    for (int i = 0; i < 2 && deep; i++) df_submit(tree, deep - 1, x);
    if (deep == 2) df_wait();
}
DF_LOOP(loop, (long *, x));
void loop(long lo, long hi, long *x) { __atomic_fetch_add(x, hi - lo, __ATOMIC_RELAXED); }

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&thread[i], NULL, observes, NULL) == 0);
    while (__atomic_load_n(&left, __ATOMIC_SEQ_CST)) {
        long x[8] = { 0 }, n = 0;
        int round = done;
        if (round % 20 == 0) CHECK(df_start(DF_CONFIG(.workers = round % 40 ? WORKERS : 1)) == DF_OK);
        for (int i = 0; i < 8; i++) df_submit(tree, 4, &x[i]);
        df_wait();
        for (int i = 0; i < 8; i++) CHECK(x[i] == 31);
        CHECK(work_fib(12) == 144);
        df_for(loop, 0, 1000, &n);
        CHECK(n == 1000);
        if (round % 20 == 19) df_stop();
        __atomic_store_n(&done, round + 1, __ATOMIC_RELAXED);
    }
    df_stop();
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(thread[i], NULL) == 0);
    return 0;
}
