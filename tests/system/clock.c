/* clock.c - setting the clock neither shortens nor prolongs a wait, and df's times do not jump: here the calendar's
 * clock is set forward by an hour whenever it is read */
#include <time.h>
int timespec_get(struct timespec *t, int base)
{
    static int hours;
    t->tv_sec = 1000000000 + 3600 * ++hours, t->tv_nsec = 0;
    return base;
}
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static double since(const struct timespec *begin)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - begin->tv_sec) + 1e-9 * (double)(t.tv_nsec - begin->tv_nsec);
}

DF_TASK(void, naps, df_inout(int, x, 1));
void naps(int *x)
{
    dfi_os_sleep_ms();
    ++*x;
}

int main(void)
{
    static int x[8];
    struct dfi_os_event e;
    struct timespec begin;
    uint64_t ns;
    int word = 0, i, round;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK(!dfi_os_event_init(&e));
    CHECK(dfi_os_event_wait(&e, &word, 0, 30)); /* the word does not change */
    CHECK(since(&begin) > 0.029);
    CHECK(dfi_os_event_wait(&e, &word, 0, 1030)); /* more than a second */
    CHECK(since(&begin) > 1.059);
    CHECK(!dfi_os_event_wait(&e, &word, 1, 30));
    dfi_os_event_free(&e);
    for (round = 0; round < 20; round++) { /* helpers fall asleep, and are woken */
        for (i = 0; i < 8; i++) df_submit(naps, &x[i]);
        df_wait();
        dfi_os_sleep_ms();
    }
    for (i = 0; i < 8; i++) CHECK(x[i] == 20);
    ns = dfi_os_ns();
    dfi_os_sleep_ms();
    ns = dfi_os_ns() - ns;
    CHECK(ns > 900000 && ns < 600u * 1000000000u);
    df_stop();
    CHECK(since(&begin) < 60);
    return 0;
}
