/* limit_order.c - units and commuting regions are granted in the order in which tasks become ready, and a semaphore may
 * get more or fewer units while tasks use it */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sched.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { WORKERS = 4, N = 500, MOST = 8, ROUNDS = 20 };
static long get(long *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static long add(long *p, long k) { return __atomic_add_fetch(p, k, __ATOMIC_SEQ_CST); }

/* --- order ------------------------------------------------------------------------------------------------------- */

static df_semaphore one = DF_SEMAPHORE(1), two = DF_SEMAPHORE(2);
static long next, taken;

DF_TASK(void, in_turn, df_limit(s, 1), (long, k));
void in_turn(df_semaphore *s, long k)
{
    (void)s;
    CHECK(next++ == k);
}
DF_TASK(void, commutes, df_commute(long, x, 1), (long, k));
void commutes(long *x, long k) { CHECK((*x)++ == k); }
DF_TASK(void, both, df_commute(long, x, 1), df_limit(s, 1), (long, k));
void both(long *x, df_semaphore *s, long k)
{
    (void)s;
    CHECK((*x)++ == k);
}
DF_TASK(void, takes, df_limit(s, n), (long, n), (int, last));
void takes(df_semaphore *s, long n, int last)
{
    (void)s;
    if (n == 2) CHECK(get(&taken) <= 2); /* those that came before it */
    add(&taken, 1);
    if (last) add(&taken, N);
}
static void order(void)
{
    long x = 0, y = 0;
    next = 0;
    for (long k = 0; k < N; k++) {
        df_submit(in_turn, &one, k);
        df_submit(commutes, &x, k);
    }
    df_wait();
    for (long k = 0; k < N; k++) df_submit(both, &y, &one, k);
    df_wait();
    CHECK(next == N && x == N && y == N);
    /* a task that needs all units, behind two, with tasks that need one behind it, each of which submits the next */
    taken = 0;
    df_submit(takes, &two, 1, 0);
    df_submit(takes, &two, 1, 0);
    df_submit(takes, &two, 2, 0);
    for (int k = 0; k < N; k++) df_submit(takes, &two, 1, k == N - 1);
    df_wait();
    CHECK(taken == 2 * N + 3);
}

/* --- other numbers of units -------------------------------------------------------------------------------------- */

static df_semaphore some = DF_SEMAPHORE(MOST);
static long in_use, limit, done;

DF_TASK(void, uses, df_limit(s, n), (long, n));
void uses(df_semaphore *s, long n)
{
    (void)s, (void)n;
    CHECK(add(&in_use, 1) <= get(&limit));
    if (n == 3) sched_yield();
    add(&in_use, -1);
    add(&done, 1);
}
DF_TASK(void, holds, df_limit(s, n), (long, n), (df_token *, begun), (df_token *, end));
void holds(df_semaphore *s, long n, df_token *begun, df_token *end)
{
    (void)s, (void)n;
    df_signal(begun);
    df_wait_token(end);
    add(&done, 1);
}
static void *resizes(void *p)
{
    uint64_t seed = 1;
    for (; !get((long *)p); sched_yield()) df_semaphore_resize(&some, 1 + test_below(&seed, MOST));
    return p;
}
static void sizes(void)
{
    df_token begun = DF_TOKEN(1), end = DF_TOKEN(1), both_begun = DF_TOKEN(2), both_end = DF_TOKEN(1);
    uint64_t seed = 5;
    pthread_t t;
    long stop = 0;
    /* fewer: a task that holds more keeps them, and one that waits for more gets all */
    limit = MOST, done = 0;
    df_semaphore_resize(&some, 4);
    df_submit(holds, &some, 4, &begun, &end);
    df_wait_token(&begun);
    df_submit(uses, &some, 4);
    df_submit(uses, &some, 1);
    df_semaphore_resize(&some, 2);
    sched_yield();
    CHECK(get(&done) == 0 && !df_semaphore_destroy(&some));
    df_signal(&end);
    df_wait();
    CHECK(done == 3);
    /* more: tasks that wait begin */
    df_semaphore_resize(&some, 1);
    df_submit(holds, &some, 1, &both_begun, &both_end);
    df_submit(holds, &some, 1, &both_begun, &both_end);
    df_semaphore_resize(&some, 2);
    CHECK(df_wait_token(&both_begun) == DF_OK);
    df_signal(&both_end);
    df_wait();
    /* at random, beside tasks of several scopes */
    limit = MOST, done = 0;
    CHECK(!pthread_create(&t, NULL, resizes, &stop));
    for (int r = 0; r < ROUNDS; r++) {
        for (int k = 0; k < N; k++) df_submit(uses, &some, 1 + test_below(&seed, MOST));
        if (r % 2) df_wait();
    }
    df_wait();
    CHECK(done == (long)ROUNDS * N);
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    pthread_join(t, NULL);
    /* all units are back */
    df_semaphore_resize(&some, MOST);
    CHECK(df_semaphore_destroy(&some));
    df_semaphore_init(&some, MOST);
}

static int said;
static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    said += strstr(text, "semaphore_resize to 0 units") || strstr(text, "df_semaphore_destroy");
}

int main(void)
{
    for (int workers = 1; workers <= WORKERS; workers++) {
        df_config c = { .workers = workers, .log = hear };
        CHECK(df_start(&c) == DF_OK);
        for (int r = 0; r < ROUNDS; r++) order();
        sizes();
        said = 0;
        df_semaphore_resize(&some, 0);
        CHECK(said == 1 && df_semaphore_destroy(&some));
        df_semaphore_init(&some, MOST);
        df_stop();
    }
    return 0;
}
