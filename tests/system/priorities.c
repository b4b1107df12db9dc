/* priorities.c - one worker runs its ready tasks by priority, also those that get ready later; a pinned task runs on
 * the worker it is pinned to, in the order of its memory */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 300 };
static int order[N], ran;

DF_TASK(void, log_it, (int, priority));
void log_it(int priority) { order[ran++] = priority; }
DF_TASK(void, log_and_write, (int, priority), df_inout(int, x, 1));
void log_and_write(int priority, int *x)
{
    order[ran++] = priority;
    ++*x;
}
DF_TASK(void, nothing, df_inout(int, x, 1));
void nothing(int *x) { ++*x; }

static void by_priority(void)
{
    uint64_t seed = 5;
    int x = 0, twos = 0;
    ran = 0;
    DF_PARALLEL {
        for (int i = 0; i < N; i++) { /* all are ready; the default is 0 */
            int p = test_below(&seed, 7) - 3;
            if (p) df_submit_with(DF_OPTS(.priority = p), log_it, p);
            else df_submit(log_it, 0);
        }
    }
    CHECK(ran == N);
    for (int i = 1; i < N; i++) CHECK(order[i - 1] >= order[i]);
    ran = 0;
    DF_PARALLEL { /* gets ready while others are, and overtakes them */
        df_submit_with(DF_OPTS(.priority = 5), nothing, &x);
        df_submit_with(DF_OPTS(.priority = 3), log_and_write, 3, &x);
        for (int i = 0; i < 20; i++) df_submit_with(DF_OPTS(.priority = i % 3), log_it, i % 3);
        df_submit_with(DF_OPTS(.priority = 2), log_and_write, 2, &x);
        df_submit_with(DF_OPTS(.priority = 9), log_and_write, 1, &x); /* memory first: it comes after the 2 */
        df_submit_with(DF_OPTS(.priority = 1000000), log_it, 4);
        df_submit_with(DF_OPTS(.priority = -1000000), log_it, -1);
    }
    CHECK(ran == 25 && order[0] == 4 && order[1] == 3 && order[2] == 2 && order[24] == -1);
    for (int i = 2; i < 10; i++) twos += order[i] == 2;
    CHECK(twos == 7); /* and the 1 that one of them made ready */
    for (int i = 11; i < 25; i++) CHECK(order[i - 1] >= order[i]);
}

/* --- pinned -------------------------------------------------------------------------------------- */

DF_TASK(void, here, (int, worker), df_inout(int, x, 1), (int, value));
void here(int worker, int *x, int value)
{
    CHECK(df_worker() == worker);
    CHECK(*x == value);
    ++*x;
}
DF_TASK(void, shared, df_reduce(df_sum, int, x, 1));
void shared(int *x) { ++*x; }
DF_TASK(void, pins_children, df_inout(int, x, 8), (int, workers));
void pins_children(int *x, int workers)
{
    for (int i = 0; i < 40; i++) {
        int w = i % workers; /* worker 0 waits in df meanwhile */
        df_submit_with(DF_OPTS(.worker = w ? w : DF_MAIN_THREAD, .priority = i % 3), here, w, &x[i % 8], i / 8);
    }
}
static void pinned(int workers)
{
    for (int round = 0; round < 30; round++) {
        int x[8] = { 0 }, y[8] = { 0 }, sum = 0;
        DF_PARALLEL {
            for (int i = 0; i < 200; i++) {
                int w = i % 5 % workers;
                df_submit_with(DF_OPTS(.worker = w ? w : DF_MAIN_THREAD), here, w, &x[i % 8], i / 8);
                df_submit(shared, &sum);
            }
            df_submit(pins_children, y, workers);
        }
        CHECK(sum == 200);
        for (int i = 0; i < 8; i++) CHECK(x[i] == 25 && y[i] == 5);
    }
}
static void *from_a_thread(void *arg)
{
    const int workers = *(int *)arg;
    int x[8] = { 0 };
    DF_PARALLEL {
        for (int i = 0; i < 80 && workers > 1; i++)
            df_submit_with(DF_OPTS(.worker = 1 + i % (workers - 1)), here, 1 + i % (workers - 1), &x[i % 8], i / 8);
    }
    for (int i = 0; i < 8 && workers > 1; i++) CHECK(x[i] == 10);
    return NULL;
}

int main(void)
{
    df_config one = { .workers = 1, .defer = 1 };
    alarm(100);
    CHECK(df_start(&one) == DF_OK);
    by_priority();
    df_stop();
    for (int workers = 1; workers <= 4; workers++)
        for (int defer = 0; defer < 2; defer++) {
            df_config c = { .workers = workers, .defer = defer };
            pthread_t t;
            CHECK(df_start(&c) == DF_OK);
            pinned(workers);
            CHECK(!pthread_create(&t, NULL, from_a_thread, &workers) && !pthread_join(t, NULL));
            df_stop();
        }
}
