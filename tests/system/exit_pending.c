/* exit_pending.c - the program may end at any moment: its exit status is its own, and it does end */
#define _DEFAULT_SOURCE /* fork, setenv, usleep */
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

static int out[100], going;

DF_TASK(void, slow, df_out(int, x, 1));
void slow(int *x)
{
    __atomic_store_n(&going, 1, __ATOMIC_SEQ_CST);
    test_spin(TEST_SLOW ? 20000 : 200000);
    *x = 1;
}
DF_TASK(void, sleeps, df_inout(int, x, 1));
void sleeps(int *x)
{
    __atomic_store_n(&going, 1, __ATOMIC_SEQ_CST);
    usleep(2000);
    ++*x;
}
DF_TASK(void, fib_forever, df_out(int, x, 1)); /* spawns all the time */
void fib_forever(int *x)
{
    __atomic_store_n(&going, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 30; i++) *x += (int)work_fib(TEST_SLOW ? 16 : 22);
}
DF_TASK(void, submits_forever, df_out(int, x, 1));
void submits_forever(int *x)
{
    __atomic_store_n(&going, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 300; i++) df_submit(slow, x);
}
DF_TASK(void, waits_forever, df_out(int, x, 8));
void waits_forever(int *x)
{
    __atomic_store_n(&going, 1, __ATOMIC_SEQ_CST);
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < 8; i++) df_submit(slow, &x[i]);
        df_wait();
    }
}
DF_TASK(void, exits, (int, status));
void exits(int status) { exit(status); }
DF_TASK(int, spawned_exits, (int, status));
int spawned_exits(int status) { exit(status); }

static void until_going(void)
{
    while (df_workers() > 1 && !__atomic_load_n(&going, __ATOMIC_SEQ_CST)) usleep(100);
}

static int submitted(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) df_submit(slow, &out[i]);
    until_going();
    return 3;
}
static int chain(void *unused) /* most of it cannot even start */
{
    (void)unused;
    for (int i = 0; i < 100; i++) df_submit(sleeps, &out[0]);
    until_going();
    return 3;
}
static int spawning(void *unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++) df_submit(fib_forever, &out[i]);
    until_going();
    return 3;
}
static int submitting(void *unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++) df_submit(submits_forever, &out[i]);
    until_going();
    return 3;
}
static int waiting(void *unused)
{
    (void)unused;
    for (int i = 0; i < 12; i++) df_submit(waits_forever, &out[8 * i]);
    until_going();
    return 3;
}
static int inside_block(void *unused)
{
    (void)unused;
    DF_PARALLEL {
        for (int i = 0; i < 100; i++) df_submit(slow, &out[i]);
        exit(3);
    }
    return 0;
}
static int in_task(void *unused)
{
    (void)unused;
    DF_PARALLEL {
        for (int i = 0; i < 100; i++) df_submit(slow, &out[i]);
        df_submit(exits, 3);
        for (int i = 0; i < 100; i++) df_submit(slow, &out[i]);
    }
    return 0;
}
static int in_task_on_helper(void *unused)
{
    (void)unused;
    if (df_workers() == 1) return 3;
    DF_PARALLEL {
        df_submit(exits, 3);
        for (;;) usleep(1000); /* the helpers have to do it */
    }
    return 0;
}
static int in_spawned(void *unused)
{
    df_future(spawned_exits) f;
    (void)unused;
    df_spawn(spawned_exits, &f, 3);
    usleep(1000); /* time to be stolen */
    return df_sync(spawned_exits, &f);
}
static void *thread(void *unused)
{
    for (;;) work_right();
    return unused;
}
static int with_thread(void *unused)
{
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, thread, NULL));
    CHECK(work_right());
    return unused ? 0 : 3;
}
static void at_exit(void) { CHECK(work_right()); }
static int used_at_exit(void *unused) /* df is still there for exit handlers */
{
    CHECK(work_right());
    atexit(at_exit);
    return unused ? 0 : 3;
}
static int unsynced(void *unused)
{
    static df_future(work_fib) f[10];
    for (int i = 0; i < 10; i++) df_spawn(work_fib, &f[i], 15);
    return unused ? 0 : 3;
}

int main(void)
{
    static int (*const part[])(void *) = { submitted, chain, spawning, submitting, waiting, inside_block, in_task,
                                           in_task_on_helper, in_spawned, with_thread, used_at_exit, unsynced };
    static const char *const workers[] = { "1", "2", "4" };
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        for (int w = 0; w < 3; w++)
            for (int round = 0; round < 2; round++) {
                const char *env[] = { "DF_WORKERS", workers[w], NULL };
                struct child c = child_run(part[i], NULL, env, 100);
                if (c.status != 3) fprintf(stderr, "part %u with %s workers\n", i, workers[w]);
                CHECK_CHILD(c, c.status == 3);
                /* a message names the tasks that were dropped, and the remedy */
                if (part[i] == chain && w > 0) CHECK_CHILD(c, c.lines == 1 && strstr(c.err, "df_wait"));
            }
}
