/* background.c - the submitter computes on its own for long: the others do all its tasks meanwhile */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static int done;

DF_TASK(void, count, df_inout(int, x, 1));
void count(int *x)
{
    test_spin(1000);
    ++*x;
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}
DF_TASK(void, submits, df_inout(int, x, 10)); /* work that only helpers know of */
void submits(int *x)
{
    for (int i = 0; i < 10; i++) df_submit(count, &x[i]);
}

/* The long computation: it does not call df until all is done. (If it never is: alarm.) */
static void compute(int n)
{
    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < n) sched_yield();
    done = 0;
}

int main(void)
{
    alarm(120);
    for (int workers = 2; workers <= 4; workers++) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < 200; round++) {
            int x[100] = { 0 };
            DF_PARALLEL {
                for (int i = 0; i < 100; i++) df_submit(count, &x[i]); /* independent */
                compute(100);
                for (int i = 0; i < 100; i++) df_submit(count, &x[0]); /* one after the other */
                compute(100);
                for (int i = 0; i < 100; i++) df_submit(count, &x[i % 7]); /* both */
                compute(100);
                for (int i = 0; i < 10; i++) df_submit(submits, &x[10 * i]);
                compute(100);
            }
            CHECK(x[0] == 1 + 100 + 15 + 1 && x[99] == 2);
        }
        df_stop();
    }
}
