/* lock_held.c - a lock held across a wait: a waiting worker runs only tasks inside the scope that it waits for, so
 * unrelated tasks that need the same lock cannot be nested in the wait
 *
 * With work stealing that helps with anything this deadlocks (rayon #592, oneTBB #1316, ...): then the lock, which
 * finds a second lock by its thread, or the alarm ends the test. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROUNDS = 200, NEEDY = 4 };
enum { IN_WAIT, IN_BLOCK, IN_WAIT_ON, IN_SYNC, FORMS };
static pthread_mutex_t lock; /* a second lock is an error */
static int holder, running, holder_may_wait, child_may_end;

static void until(const int *flag, int value)
{
    while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) < value) usleep(20); /* others may have the CPUs */
}
static void set(int *flag) { __atomic_fetch_add(flag, 1, __ATOMIC_SEQ_CST); }

/* One of the two children runs on the worker that holds the lock, the other elsewhere and for longer. */
DF_TASK(int, child, df_out(int, x, 1));
int child(int *x)
{
    set(&running);
    if (df_worker() == holder) until(&holder_may_wait, 1);
    else until(&child_may_end, 1);
    return *x = 1;
}
DF_TASK(void, holds, df_out(int, x, 2), (int, form));
void holds(int *x, int form)
{
    CHECK(!pthread_mutex_lock(&lock));
    holder = df_worker();
    if (form == IN_SYNC) {
        df_future(child) a, b;
        df_spawn(child, &a, &x[0]);
        df_spawn(child, &b, &x[1]);
        df_sync(child, &b);
        df_sync(child, &a);
    } else if (form == IN_BLOCK) {
        DF_PARALLEL {
            df_submit(child, &x[0]);
            df_submit(child, &x[1]);
        }
    } else {
        df_submit(child, &x[0]);
        df_submit(child, &x[1]);
        if (form == IN_WAIT) df_wait();
        else df_wait_on(x, 2 * sizeof *x);
    }
    CHECK(x[0] == 1 && x[1] == 1);
    CHECK(!pthread_mutex_unlock(&lock));
}
DF_TASK(void, needs_lock, df_inout(int, x, 1));
void needs_lock(int *x)
{
    CHECK(!pthread_mutex_lock(&lock));
    ++*x;
    CHECK(!pthread_mutex_unlock(&lock));
}

/* Three workers: the holder, its child, and the caller, which offers tasks that need the lock just when the holder
 * has nothing else to do. */
static void offer(int form)
{
    int x[2] = { 0 }, y[NEEDY] = { 0 };
    running = holder_may_wait = child_may_end = 0;
    while (dfi_load_seq_cst(&dfi_pool.parked_idle) < 2) usleep(20); /* both helpers are free */
    DF_PARALLEL {
        df_submit(holds, x, form);
        until(&running, 2);
        for (int i = 0; i < NEEDY; i++) df_submit(needs_lock, &y[i]);
        set(&holder_may_wait);
        usleep(50);
        test_spin(20000);
        set(&child_may_end);
    }
    for (int i = 0; i < NEEDY; i++) CHECK(y[i] == 1);
}

/* --- a wait in a call that df_sync makes: it waits for no other function that the caller has spawned -------------- */

static int locked;

DF_TASK(int, nothing);
int nothing(void) { return 0; }
DF_TASK(void, waits);
void waits(void)
{
    CHECK(!pthread_mutex_lock(&lock));
    set(&locked);
    df_wait();
    CHECK(!pthread_mutex_unlock(&lock));
}
/* The child for which it waits. */
DF_TASK(void, ends_late, df_out(int, x, 1), (int, workers));
void ends_late(int *x, int workers)
{
    set(&running);
    if (workers > 1) until(&child_may_end, 1);
    *x = 1;
}
/* Another function, whose own child is on offer. */
DF_TASK(int, offers, df_out(int, x, 1), (int, workers));
int offers(int *x, int workers)
{
    set(&running);
    *x = 0;
    if (workers > 1) until(&locked, 1);
    df_submit(needs_lock, x);
    if (workers > 1) {
        usleep(50);
        test_spin(20000);
        set(&child_may_end);
    }
    df_wait();
    return *x;
}
DF_TASK(void, spawns, df_out(int, x, 3), (int, workers));
void spawns(int *x, int workers)
{
    df_future(needs_lock) a;
    df_future(offers) b;
    df_future(waits) c;
    df_future(nothing) n;
    df_submit(ends_late, &x[0], workers);
    x[2] = 0;
    if (workers == 1) df_spawn(needs_lock, &a, &x[2]);
    df_spawn(offers, &b, &x[1], workers);
    while (workers > 1 && __atomic_load_n(&running, __ATOMIC_SEQ_CST) < 2) {
        df_spawn(nothing, &n);
        df_sync(nothing, &n);
    }
    df_spawn(waits, &c);
    df_sync(waits, &c);
    CHECK(x[0] == 1);
    CHECK(df_sync(offers, &b) == 1);
    if (workers == 1) {
        df_sync(needs_lock, &a);
        CHECK(x[2] == 1);
    }
}
static void spawned(int workers)
{
    df_config c = { .workers = workers, .defer = 1 };
    CHECK(df_start(&c) == DF_OK);
    for (int round = 0; round < ROUNDS; round++) {
        int x[3];
        running = locked = child_may_end = 0;
        DF_PARALLEL df_submit(spawns, x, workers);
        CHECK(x[0] == 1 && x[1] == 1);
    }
    df_stop();
}

/* --- the same at random ------------------------------------------------------------------------ */

enum { TASKS = 8, CHILDREN = 6 };

DF_TASK(int, brief, df_inout(int, x, 1));
int brief(int *x)
{
    test_spin(300);
    return ++*x;
}
DF_TASK(void, holds_briefly, df_out(int, x, CHILDREN), (int, form));
void holds_briefly(int *x, int form)
{
    CHECK(!pthread_mutex_lock(&lock));
    if (form == IN_SYNC) {
        df_future(brief) f[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) df_spawn(brief, &f[i], &x[i]);
        for (int i = 0; i < CHILDREN; i++) df_sync(brief, &f[i]);
    } else if (form == IN_BLOCK) {
        DF_PARALLEL {
            for (int i = 0; i < CHILDREN; i++) df_submit(brief, &x[i]);
        }
    } else {
        for (int i = 0; i < CHILDREN; i++) df_submit(brief, &x[i]);
        if (form == IN_WAIT) df_wait();
        else df_wait_on(&x[2], sizeof x[2]);
    }
    CHECK(!pthread_mutex_unlock(&lock));
}

static void at_random(void)
{
    int x[TASKS][CHILDREN] = { { 0 } }, y[TASKS] = { 0 }, own[CHILDREN] = { 0 };
    df_future(holds_briefly) f[TASKS];
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) {
            df_submit(holds_briefly, x[i], i % FORMS);
            df_submit(needs_lock, &y[i]);
        }
        holds_briefly(own, IN_BLOCK); /* the submitter itself, while the others run */
    }
    for (int i = 0; i < TASKS; i++) CHECK(y[i] == 1 && x[i][0] == 1 && x[i][CHILDREN - 1] == 1);
    for (int i = 0; i < TASKS; i++) df_spawn(holds_briefly, &f[i], x[i], i % 2 ? IN_SYNC : IN_BLOCK);
    holds_briefly(own, IN_BLOCK);
    for (int i = TASKS - 1; i >= 0; i--) df_sync(holds_briefly, &f[i]);
    for (int i = 0; i < TASKS; i++) CHECK(x[i][0] == 2 && x[i][CHILDREN - 1] == 2);
    CHECK(own[0] == 2);
}

int main(void)
{
    df_config c = { .workers = 3, .defer = 1 }; /* the submitter does not run tasks that need the lock */
    pthread_mutexattr_t kind;
    alarm(100);
    CHECK(!pthread_mutexattr_init(&kind) && !pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK));
    CHECK(!pthread_mutex_init(&lock, &kind));
    CHECK(df_start(&c) == DF_OK);
    for (int round = 0; round < FORMS * ROUNDS; round++) offer(round % FORMS);
    df_stop();
    spawned(1);
    spawned(3);
    for (c.workers = 2; c.workers <= 4; c.workers += 2) {
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < ROUNDS; round++) at_random();
        df_stop();
    }
}
