/* at_once.c - a single worker runs each task inside df_submit: of every kind, with every option, and although the
 * program locks a df_mutex. While a thread holds one, its tasks are queued, because they may lock it, too. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 1000 };
static int ran;
static long sum, expected;
static df_mutex lock = DF_MUTEX;
static df_semaphore units = DF_SEMAPHORE(2);

DF_TASK(void, plain, (int, k));
void plain(int k) { ran += k; }
DF_TASK(void, writes, df_inout(long, x, 1));
void writes(long *x) { ++*x, ran++; }
DF_TASK(void, commutes, df_commute(long, x, 1));
void commutes(long *x) { ++*x, ran++; }
DF_TASK(void, shares, df_concurrent(long, x, 1));
void shares(long *x) { ++*x, ran++; }
DF_TASK(void, reduces, df_reduce(df_sum, long, x, 1));
void reduces(long *x) { ++*x, ran++; }
DF_TASK(void, takes, df_limit(s, 2));
void takes(df_semaphore *s) { (void)s, ran++; }
DF_TASK(void, has_child, df_weak_inout(long, x, 1));
void has_child(long *x) { df_submit(writes, x); }
DF_TASK(void, locks, (int, k));
void locks(int k)
{
    CHECK(df_mutex_lock(&lock) == DF_OK);
    ran += k, sum += k;
    df_mutex_unlock(&lock);
}
DF_TASK(void, nests, (int, depth));
void nests(int depth)
{
    if (depth) df_submit(nests, depth - 1);
    locks(1);
}
DF_TASK(long, answers, (int, k));
long answers(int k) { return ran++, k; }

/* The call is a submission that runs n tasks inside. */
#define RUNS(n, ...) (ran = 0, __VA_ARGS__, CHECK(ran == (n)))
#define WITH(...)    RUNS(1, df_submit_with(DF_OPTS(__VA_ARGS__), plain, 1))

static void each_kind(void)
{
    long x = 0, result = 0;
    df_token open = DF_TOKEN(0), closed = DF_TOKEN(1), out = DF_TOKEN(2);
    df_group group = DF_GROUP;
    df_handle handle;
    RUNS(1, df_submit(plain, 1));
    RUNS(1, df_submit(writes, &x));
    RUNS(1, df_submit(commutes, &x));
    RUNS(1, df_submit(shares, &x));
    RUNS(1, df_submit(reduces, &x));
    RUNS(1, df_submit(takes, &units));
    RUNS(1, df_submit(has_child, &x));
    RUNS(1, df_submit(locks, 1));
    RUNS(6, df_submit(nests, 5));
    WITH(.name = "name");
    WITH(.priority = 1);
    WITH(.worker = DF_MAIN_THREAD);
    WITH(.group = &group);
    WITH(.after = DF_TOKENS(&open));
    WITH(.signals = DF_TOKENS(&out));
    RUNS(1, df_submit_with(DF_OPTS(.result = &result), answers, 7));
    CHECK(result == 7);
    RUNS(1, df_submit_with(DF_OPTS(.handle = &handle), answers, 8));
    CHECK(df_done(&handle));
    /* tasks that come after one that has to wait do so, too; others run */
    RUNS(0, df_submit_with(DF_OPTS(.after = DF_TOKENS(&closed)), writes, &x));
    RUNS(0, df_submit(writes, &x));
    RUNS(1, df_submit(plain, 1));
    RUNS(1, df_submit(locks, 1));
    RUNS(4, df_submit_with(DF_OPTS(.signals = DF_TOKENS(&closed), .priority = 3), plain, 2), df_wait());
    CHECK(x == 7);
}

/* Threads of the program lock, submit and wait, with a lock held at each submission or not. */
static void *thread(void *seed)
{
    uint64_t s = (uint64_t)(uintptr_t)seed;
    for (int i = 0; i < N; i++) {
        int held = test_below(&s, 2), n = 1 + test_below(&s, 4);
        if (held) CHECK(df_mutex_lock(&lock) == DF_OK);
        for (int k = 0; k < n; k++) df_submit(nests, 3);
        if (held) df_mutex_unlock(&lock);
        if (test_below(&s, 2)) df_wait();
        __atomic_add_fetch(&expected, 4 * n, __ATOMIC_RELAXED);
    }
    df_wait();
    return NULL;
}

int main(void)
{
    df_config one = { .workers = 1 };
    pthread_t t[3];
    CHECK(df_mutex_trylock(&lock) == DF_OK); /* before the thread is a worker */
    CHECK(df_start(&one) == DF_OK);
    RUNS(0, df_submit(locks, 1));
    df_mutex_unlock(&lock);
    RUNS(2, df_submit(locks, 1), df_wait());
    if (!DF_CHECK) each_kind(); /* checks queue tasks */
    df_stop();
    sum = 0;
    for (int workers = 1; workers <= 4; workers++) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)(100 * workers + i)));
        thread((void *)(uintptr_t)workers);
        for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
        df_stop();
        CHECK(sum == expected);
    }
    return 0;
}
