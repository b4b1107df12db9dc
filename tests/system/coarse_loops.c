/* coarse_loops.c - a loop can be stolen before its first iteration begins, or soon after: as many iterations as
 * there are workers meet, and each waits for all the others. If one of them runs before the rest can be stolen the
 * test hangs. Short loops of the same declaration before it do not change that; and a short loop cannot be stolen. */
#define _DEFAULT_SOURCE
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { PATIENCE = 60, SHORT = 4, LOOPS = 4000 };
static int workers, arrived;

/* One of `all` that meet. */
static void meet(int all)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    for (long us = 0; __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < all; us += 50) {
        CHECK(us < PATIENCE * 1000000L);
        usleep(50);
    }
}

DF_LOOP(line, (int, all));
void line(long lo, long hi, int all)
{
    CHECK(lo < hi && (!all || hi - lo == 1));
    if (all) meet(all);
}
DF_LOOP(downwards, (int, all));
void downwards(long from, long to, int all)
{
    CHECK(from - to <= 3);
    meet(all);
}
DF_LOOP(pairs, (int, all));
void pairs(long lo, long hi, int all)
{
    CHECK(hi - lo == 2);
    meet(all);
}
DF_LOOP2(plane, (int, all));
void plane(long i0, long i1, long j0, long j1, int all)
{
    CHECK(i1 - i0 == 1 && j1 - j0 == 1);
    meet(all);
}
DF_LOOP3(space, (int, all));
void space(long i0, long i1, long j0, long j1, long k0, long k1, int all)
{
    CHECK(i1 - i0 == 1 && j1 - j0 == 1 && k1 - k0 == 1);
    meet(all);
}
DF_LOOP(summed, (int, all), df_reduce(df_sum, long, sum, 1));
void summed(long lo, long hi, int all, long *sum)
{
    for (; lo < hi; lo++) {
        meet(all);
        *sum += lo + 1;
    }
}
DF_LOOP(inner, (int, all));
void inner(long lo, long hi, int all)
{
    for (; lo < hi; lo++) meet(all);
}
DF_LOOP(outer, (int, each), (int, all));
void outer(long lo, long hi, int each, int all)
{
    for (; lo < hi; lo++) df_for(inner, 0, each, all);
}
DF_TASK(void, in_task, (int, n));
void in_task(int n) { df_for(line, 0, n, n); }

static void all_kinds(int deterministic)
{
    long sum = 0;
    int n = workers;
    arrived = 0, df_for(line, 0, n, n);
    arrived = 0, df_for_with(DF_LOOP_OPTS(.grain = 2), pairs, 0, 2 * n, n);
    arrived = 0, df_for_with(DF_LOOP_OPTS(.step = -3), downwards, 3 * n, 0, n);
    arrived = 0, df_for2(plane, 0, n, 0, 1, n);
    arrived = 0, df_for2(plane, 0, 1, 0, n, n);
    arrived = 0, df_for3(space, 0, 1, 0, 1, 0, n, n);
    for (int schedule = DF_STATIC; schedule <= DF_GUIDED; schedule++)
        arrived = 0, df_for_with(DF_LOOP_OPTS(.schedule = schedule), line, 0, n, n);
    arrived = 0, df_for(summed, 0, n, n, &sum);
    CHECK(sum == (long)n * (n + 1) / 2);
    arrived = 0;
    DF_PARALLEL { df_submit(in_task, n); }
    arrived = 0;
    if (n % 2 == 0 && !deterministic) df_for(outer, 0, 2, n / 2, n);
    CHECK(deterministic || n % 2 || arrived == n);
}

static size_t joined(void)
{
    df_counters c;
    df_counters_get(&c);
    return c.steals;
}

int main(void)
{
    for (int n = 2; n <= 8; n += n < 4 ? 1 : 4)
        for (int deterministic = 0; deterministic < 2; deterministic++) {
            df_config c = { .workers = n, .deterministic = deterministic };
            size_t before;
            CHECK(df_start(&c) == DF_OK && (workers = df_workers()) == n);
            for (int round = 0; round < 3; round++) {
                all_kinds(deterministic);
                for (int i = 0; i < SHORT; i++) df_for(line, 0, n, 0); /* among short ones */
            }
            before = joined();
            for (int i = 0; i < LOOPS; i++) df_for(line, 0, SHORT, 0);
            CHECK(joined() - before < LOOPS / 2); /* less: some 50, in which others still look for work */
            df_stop();
        }
    return 0;
}
