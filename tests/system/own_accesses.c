/* own_accesses.c - accesses of one task that overlap keep their modes: other tasks come after the accesses with which
 * they conflict, and after no others
 *
 * In each pair the second task either has to wait, or must be able to run while the first one still does. */
#define _DEFAULT_SOURCE
#include <time.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { LONG_MS = 2000, SHORT_MS = 3 };
static char x[100];
static int go, ran_before, wait_ms;
static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
/* Until the second task has run, or it has had time to. */
static void hold(void)
{
    long end = now_ms() + wait_ms;
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE) && now_ms() < end) usleep(50);
    ran_before = __atomic_load_n(&go, __ATOMIC_ACQUIRE);
}
static void set(void) { __atomic_store_n(&go, 1, __ATOMIC_RELEASE); }

#define PAIR(name, one, two) \
    DF_TASK(void, name, one(char, p, 100), two(char, q, n), (int, n));
PAIR(con_inout, df_concurrent, df_inout)
PAIR(con_con, df_concurrent, df_concurrent)
PAIR(con_in, df_concurrent, df_in)
PAIR(in_con, df_in, df_concurrent)
PAIR(inout_con, df_inout, df_concurrent)
PAIR(con_commute, df_concurrent, df_commute)
void con_inout(char *p, char *q, int n) { (void)p, (void)q, (void)n, hold(); }
void con_con(char *p, char *q, int n) { (void)p, (void)q, (void)n, hold(); }
void con_in(char *p, const char *q, int n) { (void)p, (void)q, (void)n, hold(); }
void in_con(const char *p, char *q, int n) { (void)p, (void)q, (void)n, hold(); }
void inout_con(char *p, char *q, int n) { (void)p, (void)q, (void)n, hold(); }
void con_commute(char *p, char *q, int n) { (void)p, (void)q, (void)n, hold(); }
DF_TASK(void, reads, df_in(char, p, 10));
DF_TASK(void, shares, df_concurrent(char, p, 10));
DF_TASK(void, writes, df_inout(char, p, 10));
DF_TASK(void, commutes, df_commute(char, p, 10));
DF_TASK(void, all, df_concurrent(char, p, 100));
void reads(const char *p) { (void)p, set(); }
void shares(char *p) { (void)p, set(); }
void writes(char *p) { (void)p, set(); }
void commutes(char *p) { (void)p, set(); }
void all(char *p) { (void)p, set(); }

#define RUN(a, n, b, at)                     \
    do {                                     \
        go = 0;                              \
        DF_PARALLEL {                        \
            df_submit(a, x, x, n);           \
            df_submit(b, x + (at));          \
        }                                    \
    } while (0)
#define FREE(a, n, b, at)                    \
    do {                                     \
        wait_ms = LONG_MS;                   \
        RUN(a, n, b, at);                    \
        CHECK(ran_before);                   \
    } while (0)
#define ORDERED(a, n, b, at)                 \
    do {                                     \
        wait_ms = SHORT_MS;                  \
        RUN(a, n, b, at);                    \
        CHECK(!ran_before && go);            \
    } while (0)

int main(void)
{
    for (int workers = 2; workers <= 8; workers += workers < 4 ? 1 : 4) {
        df_config c = { .workers = workers, .defer = 1 }; /* tasks meet */
        CHECK(df_start(&c) == DF_OK);
        FREE(con_inout, 10, shares, 50);
        FREE(con_con, 10, shares, 50);
        FREE(con_con, 10, shares, 5);
        FREE(con_con, 100, all, 0);
        FREE(con_in, 10, shares, 50);
        FREE(in_con, 10, reads, 50);
        FREE(con_commute, 10, shares, 50);
        ORDERED(con_inout, 10, shares, 5);
        ORDERED(con_inout, 10, reads, 50);
        ORDERED(con_inout, 100, all, 0);
        ORDERED(inout_con, 10, shares, 50);
        ORDERED(inout_con, 10, shares, 0);
        ORDERED(inout_con, 100, all, 0);
        ORDERED(con_in, 10, shares, 5);
        ORDERED(con_in, 100, all, 0);
        ORDERED(con_in, 10, reads, 0);
        ORDERED(in_con, 10, shares, 0);
        ORDERED(in_con, 10, reads, 0);
        ORDERED(in_con, 10, shares, 50);
        ORDERED(in_con, 100, all, 0);
        ORDERED(con_con, 10, writes, 95 - 5);
        ORDERED(con_con, 10, reads, 5);
        ORDERED(con_commute, 10, commutes, 0);
        ORDERED(con_commute, 10, shares, 9);
        df_stop();
    }
    return 0;
}
