/* blocking.c - two workers, both taken by tasks that block: in df_yield_blocking, or for a df_mutex. The task that
 * would release them is run all the same. (If not: the alarm.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

enum { ROUNDS = 100 };
static int go[2], opened, done;
static df_token blocked, wanted;
static df_mutex lock = DF_MUTEX;

static void read_one(void *fd)
{
    char c;
    df_signal(&blocked);
    CHECK(read(*(int *)fd, &c, 1) == 1 && c == 'x');
}
static void write_one(void *fd) { CHECK(write(*(int *)fd, "x", 1) == 1); }

/* --- two readers of pipes, one writer ---------------------------------------------------------------- */

DF_TASK(void, blocks, df_inout(int, x, 1), (int, waits));
void blocks(int *x, int waits)
{
    if (waits) df_submit(work_tree, df_local(uint64_t, 1), 3); /* has other things to do as well */
    df_yield_blocking(read_one, &go[0]);
    if (waits) df_wait();
    ++*x;
}
DF_TASK(void, releases, (int, n));
void releases(int n)
{
    for (int i = 0; i < n; i++) df_yield_blocking(write_one, &go[1]);
}
static void pipes(int workers, int waits)
{
    int x[8] = { 0 };
    df_token_init(&blocked, workers);
    DF_PARALLEL {
        for (int i = 0; i < workers; i++) df_submit(blocks, &x[i], waits);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&blocked)), releases, workers); /* when all of them block */
    }
    for (int i = 0; i < workers; i++) CHECK(x[i] == 1);
}

/* --- nested: a task that runs in between blocks as well ---------------------------------------------- */

static void sleeps(void *p)
{
    (void)p;
    usleep(100);
}
DF_TASK(void, nested, (int, depth), df_inout(int, x, 1));
void nested(int depth, int *x)
{
    df_yield_blocking(sleeps, NULL);
    if (depth) {
        df_submit(nested, depth - 1, x);
        df_wait();
    }
    df_yield_blocking(sleeps, NULL);
    ++*x;
}

/* --- a task that waits for a lock does not occupy its worker -------------------------------------------- */

DF_TASK(void, keeps, df_inout(int, x, 1)); /* the lock, until `opens` has run */
void keeps(int *x)
{
    CHECK(df_mutex_lock(&lock) == DF_OK);
    df_signal(&blocked);
    while (!__atomic_load_n(&opened, __ATOMIC_SEQ_CST)) sched_yield();
    df_mutex_unlock(&lock);
    ++*x;
}
DF_TASK(void, wants, df_inout(int, x, 1));
void wants(int *x)
{
    CHECK(df_mutex_trylock(&lock) == DF_ERROR_DEADLOCK);
    df_signal(&wanted);
    CHECK(df_mutex_lock(&lock) == DF_OK);
    df_mutex_unlock(&lock);
    ++*x;
}
DF_TASK(void, opens, (unsigned, us));
void opens(unsigned us)
{
    usleep(us); /* so that it waits by then */
    __atomic_store_n(&opened, 1, __ATOMIC_SEQ_CST);
}
static void locked(int round)
{
    int x[2] = { 0, 0 };
    opened = 0;
    df_token_init(&blocked, 1), df_token_init(&wanted, 1);
    DF_PARALLEL {
        df_submit(keeps, &x[0]);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&blocked)), wants, &x[1]);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&wanted)), opens, (unsigned)round % 3 * 100);
    }
    CHECK(x[0] == 1 && x[1] == 1);
}

/* --- all workers but one block at the same moment, while there are no spares: each needs one ------------- */

enum { TOGETHER = 4 };
static pthread_barrier_t stand_ins;
static int arrived;
static void until_opened(void *unused)
{
    (void)unused;
    df_signal(&blocked);
    while (!__atomic_load_n(&opened, __ATOMIC_SEQ_CST)) usleep(100);
}
DF_TASK(void, blocks_together, (int, unused));
void blocks_together(int unused)
{
    (void)unused;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < TOGETHER - 1) sched_yield();
    df_yield_blocking(until_opened, NULL);
}
DF_TASK(void, stands_in, (int, unused));
void stands_in(int unused)
{
    (void)unused;
    pthread_barrier_wait(&stand_ins); /* each on a thread of its own */
    __atomic_store_n(&opened, 1, __ATOMIC_SEQ_CST);
}
static void together(void)
{
    CHECK(df_start(DF_CONFIG(.workers = TOGETHER)) == DF_OK);
    arrived = opened = 0;
    df_token_init(&blocked, TOGETHER - 1);
    for (int i = 1; i < TOGETHER; i++) df_submit(blocks_together, i);
    for (int i = 0; i < TOGETHER; i++) df_submit_with(DF_OPTS(.after = DF_TOKENS(&blocked)), stands_in, i);
    df_wait();
    df_stop();
}

/* A thread of the program's own, which df does not know. */
static void *foreign(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        CHECK(df_mutex_lock(&lock) == DF_OK);
        CHECK(__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED) == 0);
        CHECK(__atomic_fetch_sub(&done, 1, __ATOMIC_RELAXED) == 1);
        df_mutex_unlock(&lock);
    }
    return unused;
}
DF_TASK(void, locks, (int, unused));
void locks(int unused)
{
    (void)unused;
    foreign(NULL);
}

int main(void)
{
    alarm(100);
    CHECK(!pipe(go));
    pthread_barrier_init(&stand_ins, NULL, TOGETHER);
    for (int round = 0; round < ROUNDS; round++) together();
    for (int workers = 1; workers <= 4; workers++) {
        df_config c = { .workers = workers, .defer = 1 };
        pthread_t t[2];
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < ROUNDS; round++) pipes(workers, round % 2);
        for (int round = 0; round < ROUNDS / 10; round++) {
            int x[4] = { 0 };
            DF_PARALLEL {
                for (int i = 0; i < 4; i++) df_submit(nested, 5, &x[i]);
            }
            for (int i = 0; i < 4; i++) CHECK(x[i] == 6);
        }
        if (workers > 1)
            for (int round = 0; round < ROUNDS; round++) locked(round);
        for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, foreign, NULL));
        DF_PARALLEL {
            for (int i = 0; i < 4; i++) df_submit(locks, i);
        }
        for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
        CHECK(work_right());
        df_stop();
    }
}
