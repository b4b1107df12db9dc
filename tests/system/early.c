/* early.c - a weak task starts before its memory is free, and its children wait for it; a successor starts when the
 * task has released the memory, not at its end, but if the task reduces, at its end. (If not: the alarm.) */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <string.h>
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

/* --- a task that reduces, and is done later than its body --- */

typedef struct { char text[8]; } letters;
static void join(letters *into, const letters *from) { strcat(into->text, from->text); }
DF_ORDERED_REDUCTION(joined, letters, join);
DF_TASK(void, add_one, df_inout(int, x, 1));
void add_one(int *x) { ++*x; }
DF_TASK(void, write_b, df_weak_inout(int, x, 1), df_weak_inout(int, y, 1), df_reduce(joined, letters, l, 1),
        (df_token *, opens));
void write_b(int *x, int *y, letters *l, df_token *opens)
{
    (void)y; /* no child has it, so who follows here starts when the body is over */
    join(l, &(letters){ "b" });
    df_submit_with(DF_OPTS(.after = DF_TOKENS(opens)), add_one, x);
}
DF_TASK(void, look_at, df_in(letters, l, 1), df_out(letters, to, 1));
void look_at(const letters *l, letters *to) { *to = *l; }
static void reduces(void)
{
    letters l = { "a" }, read[2];
    int x = 1, y = 1;
    df_token body = DF_TOKEN(1), over = DF_TOKEN(1);
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&body)), write_b, &x, &y, &l, &over);
        for (int i = 0; i < 2; i++) df_submit(look_at, &l, &read[i]);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&over)), add_one, &y); /* then the child of write_b may start */
        df_signal(&body);
    }
    CHECK(!strcmp(read[0].text, "ab") && !strcmp(read[1].text, "ab") && x == 2 && y == 2);
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
            reduces();
        }
        df_stop();
    }
    CHECK(df_start(DF_CONFIG(.workers = 1)) == DF_OK);
    reduces();
}
