/* helping.c - a task that a waiting worker makes ready is not forgotten when it goes to sleep, and its own spawned
 * calls may run inside its wait. (If not: the alarm.) */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { READERS = 600 }; /* more than fit into a public deque */
static int started, going, done;

static void until(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST)) sched_yield();
}
static void set(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST); }

DF_TASK(void, writer, df_out(int, x, 1));
void writer(int *x) { *x = 1; }
DF_TASK(void, reader, df_in(int, x, 1), df_out(int, y, 1));
void reader(const int *x, int *y) { *y = *x; }

/* Runs on a helper. The caller, in its sync, takes the writer and makes all readers ready; it must not
 * sleep on them. */
DF_TASK(int, stolen, (int, n));
int stolen(int n)
{
    static int x, y[READERS];
    set(&started);
    usleep(200);
    df_submit(writer, &x);
    for (int i = 0; i < n; i++) df_submit(reader, &x, &y[i]);
    usleep(2000);
    df_wait();
    for (int i = 0; i < n; i++) CHECK(y[i] == 1), y[i] = 0;
    return n;
}

DF_TASK(void, sleeps, (int, us));
void sleeps(int us)
{
    usleep((unsigned)us);
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}
DF_TASK(void, waits, (int, unused));
void waits(int unused)
{
    until(&going);
    __atomic_fetch_add(&done, 1 + unused, __ATOMIC_SEQ_CST);
}
DF_TASK(int, submits, (int, n)); /* tasks of its own and a wait for them */
int submits(int n)
{
    for (int i = 0; i < n; i++) df_submit(sleeps, 0);
    df_wait();
    return n;
}
DF_TASK(int, same, (int, n));
int same(int n) { return n; }

int main(void)
{
    alarm(100);
    for (int workers = 2; workers <= 3; workers++) {
        df_config c = { .workers = workers, .defer = 1 }; /* its tasks meet through plain flags */
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < 60; round++) {
            int n = round % 2 ? READERS : 8;
            df_future(stolen) f;
            started = 0;
            while (dfi_load_seq_cst(&dfi_pool.parked_idle) < workers - 1) sched_yield(); /* another worker takes it */
            df_spawn(stolen, &f, n);
            until(&started);
            CHECK(df_sync(stolen, &f) == n);
        }
        for (int round = 0; round < 100; round++) {
            df_future(submits) f;
            df_future(same) g;
            done = going = 0;
            DF_PARALLEL {
                df_submit(sleeps, 3000);
                df_submit(waits, 0);
                usleep(1000); /* both have been taken */
                for (int i = 0; i < 3; i++) { /* no worker asks for work any more */
                    df_spawn(same, &g, i);
                    CHECK(df_sync(same, &g) == i);
                }
                df_spawn(submits, &f, 2);
                set(&going);
                df_wait();
                CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) >= 2);
                CHECK(df_sync(submits, &f) == 2);
                CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) == 4);
            }
        }
        df_stop();
    }
}
