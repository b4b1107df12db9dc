/* pinned_wait.c - two workers wait for tasks that are pinned to the other one: both are run. (If not: the alarm.) */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static int arrived;

static void both_arrive(void)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2) sched_yield();
}
DF_TASK(void, pinned, df_inout(int, x, 1), (int, worker));
void pinned(int *x, int worker)
{
    CHECK(df_worker() == worker);
    ++*x;
}
DF_TASK(void, waits, df_inout(int, x, 1), (int, worker));
void waits(int *x, int worker)
{
    CHECK(df_worker() == 1 - worker);
    both_arrive();
    df_submit_with(DF_OPTS(.worker = worker ? worker : DF_MAIN_THREAD), pinned, x, worker);
    df_wait();
    CHECK(*x == 1);
}

int main(void)
{
    df_config c = { .workers = 2 };
    alarm(20);
    CHECK(df_start(&c) == DF_OK);
    for (int round = 0; round < 200; round++) {
        int x[2] = { 0, 0 };
        arrived = 0;
        DF_PARALLEL {
            df_submit_with(DF_OPTS(.worker = DF_MAIN_THREAD), waits, &x[0], 1);
            df_submit_with(DF_OPTS(.worker = 1), waits, &x[1], 0);
        }
        CHECK(x[0] == 1 && x[1] == 1);
    }
}
