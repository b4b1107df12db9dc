/* lock_held.c - a lock held across a wait: who waits runs only work of what it waits for, so unrelated tasks
 * that need the same lock cannot get buried on its stack
 *
 * With work stealing that helps with anything this deadlocks (rayon #592, oneTBB #1316, ...). */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROUNDS = 2000, TASKS = 8, CHILDREN = 6 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long protected_by_lock;

static void enter(void)
{
    CHECK(!pthread_mutex_lock(&lock));
    protected_by_lock++;
}
static void leave(void) { CHECK(!pthread_mutex_unlock(&lock)); }

DF_TASK(void, child, df_inout(int, x, 1));
void child(int *x)
{
    test_spin(100);
    ++*x;
}
DF_TASK(int, child_of_future, (int, x));
int child_of_future(int x)
{
    test_spin(100);
    return x;
}

/* the lock is held during df_wait, during a block, during df_wait_on, during df_sync */
DF_TASK(void, holds_in_wait, df_out(int, x, CHILDREN));
void holds_in_wait(int *x)
{
    enter();
    for (int i = 0; i < CHILDREN; i++) df_submit(child, &x[i]);
    df_wait();
    leave();
}
DF_TASK(void, holds_in_block, df_out(int, x, CHILDREN));
void holds_in_block(int *x)
{
    enter();
    DF_PARALLEL {
        for (int i = 0; i < CHILDREN; i++) df_submit(child, &x[i]);
    }
    leave();
}
DF_TASK(void, holds_in_wait_on, df_out(int, x, CHILDREN));
void holds_in_wait_on(int *x)
{
    enter();
    for (int i = 0; i < CHILDREN; i++) df_submit(child, &x[i]);
    df_wait_on(&x[2], sizeof x[2]);
    leave();
}
DF_TASK(int, holds_in_sync, (int, depth));
int holds_in_sync(int depth)
{
    df_future(child_of_future) f[CHILDREN];
    int sum = 0;
    (void)depth;
    enter();
    for (int i = 0; i < CHILDREN; i++) df_spawn(child_of_future, &f[i], i);
    for (int i = 0; i < CHILDREN; i++) sum += df_sync(child_of_future, &f[i]);
    leave();
    return sum;
}
DF_TASK(int, block_in_spawned, (int, depth));
int block_in_spawned(int depth)
{
    int x[CHILDREN] = { 0 };
    (void)depth;
    holds_in_block(x);
    return x[0] + x[CHILDREN - 1];
}
DF_TASK(void, needs_lock, df_inout(int, x, 1)); /* unrelated */
void needs_lock(int *x)
{
    enter();
    ++*x;
    leave();
}

int main(void)
{
    alarm(240);
    for (int workers = 2; workers <= 4; workers += 2) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < ROUNDS / 2; round++) {
            int x[TASKS][CHILDREN] = { { 0 } }, y[TASKS] = { 0 }, own[CHILDREN] = { 0 };
            df_future(holds_in_sync) f[TASKS];
            df_future(block_in_spawned) g[TASKS];
            DF_PARALLEL {
                for (int i = 0; i < TASKS; i++) {
                    if (i % 3 == 0) df_submit(holds_in_wait, x[i]);
                    else if (i % 3 == 1) df_submit(holds_in_block, x[i]);
                    else df_submit(holds_in_wait_on, x[i]);
                    df_submit(needs_lock, &y[i]);
                }
                holds_in_block(own); /* the submitter itself, while the others run */
            }
            for (int i = 0; i < TASKS; i++) CHECK(y[i] == 1 && x[i][0] == 1 && x[i][CHILDREN - 1] == 1);
            for (int i = 0; i < TASKS; i++) df_spawn(holds_in_sync, &f[i], 0);
            for (int i = 0; i < TASKS; i++) df_spawn(block_in_spawned, &g[i], 0);
            holds_in_block(own);
            CHECK(own[0] == 2 && own[CHILDREN - 1] == 2);
            for (int i = TASKS - 1; i >= 0; i--) CHECK(df_sync(block_in_spawned, &g[i]) == 2);
            for (int i = 0; i < TASKS; i++) CHECK(df_sync(holds_in_sync, &f[i]) == 15);
        }
        CHECK(protected_by_lock == (long)ROUNDS / 2 * (4 * TASKS + 2) * (workers / 2));
        df_stop();
    }
}
