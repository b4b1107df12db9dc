/* early.c - a weak task starts before its memory is free, and its children wait for it; a successor starts when the
 * task has released the memory, not at its end. (If not: the alarm.) */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROUNDS = 200 };
static int began, seen;

static void until(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST)) sched_yield();
}
static void set(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST); }

DF_TASK(void, holds, df_inout(int, x, 2)); /* until the weak task has begun */
void holds(int *x)
{
    until(&began);
    x[0] = x[1] = 1;
}
DF_TASK(void, child, df_inout(int, x, 1));
void child(int *x)
{
    CHECK(*x == 1);
    *x = 2;
}
DF_TASK(void, weak, df_weak_inout(int, x, 2));
void weak(int *x)
{
    df_submit(child, &x[0]);
    set(&began);
    df_submit(child, &x[1]);
}
DF_TASK(void, weaker, df_weak_inout(int, x, 2)); /* and so on */
void weaker(int *x) { df_submit(weak, x); }
DF_TASK(void, weak_reader, df_weak_in(int, x, 2));
void weak_reader(const int *x)
{
    (void)x;
    set(&began);
}
DF_TASK(void, after, df_inout(int, x, 2));
void after(int *x)
{
    CHECK(x[0] == 2 && x[1] == 2);
    x[0] = x[1] = 3;
}

DF_TASK(void, releases, df_out(int, x, 4), (int, with_child)); /* runs until its successor has run */
DF_TASK(void, follows, df_inout(int, x, 2));
void releases(int *x, int with_child)
{
    for (int i = 0; i < 4; i++) x[i] = 1;
    if (with_child) {
        df_submit(child, &x[0]);
        df_submit(child, &x[1]);
    } else x[0] = x[1] = 2;
    df_release(x, 2);
    until(&seen);
    CHECK(x[2] == 1 && x[3] == 1); /* still ours */
    x[2] = x[3] = 4;
}
void follows(int *x)
{
    CHECK(x[0] == 2 && x[1] == 2);
    x[0] = 3;
    set(&seen);
}
DF_TASK(void, later, df_inout(int, x, 4));
void later(int *x)
{
    CHECK(x[0] == 3 && x[1] == 2 && x[2] == 4);
    x[0] = 5;
}

int main(void)
{
    alarm(100);
    for (int workers = 2; workers <= 4; workers++) {
        df_config c = { .workers = workers, .defer = 1 }; /* tasks meet */
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < ROUNDS; round++) {
            int x[4] = { 0 };
            began = seen = 0;
            DF_PARALLEL {
                df_submit(holds, x);
                if (round % 3 == 0) df_submit(weak, x);
                else if (round % 3 == 1) df_submit(weaker, x);
                else df_submit(weak_reader, x), df_submit(child, &x[0]), df_submit(child, &x[1]);
                df_submit(after, x);
            }
            CHECK(x[0] == 3 && x[1] == 3);
            DF_PARALLEL {
                df_submit_with(DF_OPTS(.release = 1), releases, x, round % 2);
                df_submit(follows, x);
                df_submit(later, x);
            }
            CHECK(x[0] == 5);
        }
        df_stop();
    }
}
