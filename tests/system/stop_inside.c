/* stop_inside.c - df_stop where it is not allowed: one message each, and the program continues */
#define _DEFAULT_SOURCE /* fork, setenv, usleep */
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

static int messages;

static void count(void *arg, int level, const char *text)
{
    (void)arg;
    CHECK(level == 1 && strstr(text, "df_stop"));
    __atomic_fetch_add(&messages, 1, __ATOMIC_SEQ_CST);
}
static int said(void) { return __atomic_exchange_n(&messages, 0, __ATOMIC_SEQ_CST); }

DF_TASK(void, stops, df_inout(int, x, 1));
void stops(int *x)
{
    df_stop();
    ++*x;
}
DF_TASK(void, stops_after, df_inout(int, x, 1));
void stops_after(int *x)
{
    df_submit(stops, x);
    df_wait();
    df_stop();
    ++*x;
}

int main(void)
{
    int x = 0;
    df_config c = { .workers = 4, .log = count };
    alarm(60);
    CHECK(df_start(&c) == DF_OK);
    DF_PARALLEL {
        df_stop();
        CHECK(said() == 1);
        df_submit(stops, &x);
        df_wait();
        CHECK(x == 1 && said() == 1);
        for (int i = 0; i < 50; i++) df_submit(stops_after, &x);
        df_stop();
    }
    CHECK(x == 101 && said() == 101);
    CHECK(df_workers() == 4 && work_right());
    df_stop();
    CHECK(said() == 0);
}
