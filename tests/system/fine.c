/* fine.c - a type whose tasks were short is shared again when they get long, or when one in ten is; and its tasks are
 * ordered all the time. Long tasks sleep, so they need no second CPU. A recursion of short tasks is shared, too. Tasks that
 * reduce and commute, and those of a task graph, likewise. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SHORT = 20000, LONG = 100, CHAINS = 8, DEPTH = 14, TREE = (2 << DEPTH) - 1 };
static int by[64]; /* tasks that slept, or of a tree, per worker */
static long next[CHAINS], at[CHAINS]; /* tasks submitted, tasks done */

DF_TASK(void, step, df_inout(long, x, 1), (long, n), (unsigned, us));
void step(long *x, long n, unsigned us)
{
    CHECK(*x == n);
    if (us) {
        usleep(us);
        __atomic_fetch_add(&by[df_worker()], 1, __ATOMIC_RELAXED);
    }
    *x = n + 1;
}

static void submit(int i, unsigned us)
{
    int c = i % CHAINS;
    df_submit(step, &at[c], next[c]++, us);
}

/* Tasks counted in `by`, less those of the worker that ran most; it is cleared. */
static int elsewhere(void)
{
    int all = 0, most = 0;
    for (int i = 0; i < 64; i++) {
        all += by[i];
        if (by[i] > most) most = by[i];
        by[i] = 0;
    }
    return all - most;
}

/* Most of its tasks are short: those without children. */
DF_TASK(void, tree, (int, depth), df_inout(long, x, 1));
void tree(int depth, long *x)
{
    long left = 0, right = 0;
    __atomic_fetch_add(&by[df_worker()], 1, __ATOMIC_RELAXED);
    if (depth) {
        df_submit(tree, depth - 1, &left);
        df_submit(tree, depth - 1, &right);
        df_wait();
    }
    *x += left + right + 1;
}
static void recursion(void)
{
    int rounds = 0;
    long x;
    do { /* another program may have the other CPUs */
        x = 0;
        df_submit(tree, DEPTH, &x);
        df_wait();
        CHECK(x == TREE);
        CHECK(++rounds < 1000);
    } while (elsewhere() < TREE / 64);
}

static long sum, mixed;
DF_TASK(void, add, df_reduce(df_sum, long, s, 1), (long, n), (unsigned, us));
void add(long *s, long n, unsigned us)
{
    *s += n;
    if (!us) return;
    usleep(us);
    __atomic_fetch_add(&by[df_worker()], 1, __ATOMIC_RELAXED);
}
DF_TASK(void, mix, df_commute(long, m, 1), (long, n));
void mix(long *m, long n) { *m ^= n; }
DF_TASK(void, look, df_in(long, s, 1), df_in(long, m, 1), (long, n));
void look(const long *s, const long *m, long n) { CHECK(*s == n * (n + 1) / 2 && *m == n); } /* n is a multiple of 4 */
static void sharing(unsigned us, int n)
{
    sum = mixed = 0;
    for (int i = 1; i <= n; i++) {
        df_submit(add, &sum, i, us);
        df_submit(mix, &mixed, i);
        if (i % 1000 == 0) df_submit(look, &sum, &mixed, i);
    }
    df_wait();
    CHECK(sum == (long)n * (n + 1) / 2);
}

/* A task graph, run often: short, then long. */
static unsigned pause_us;
static long cell[CHAINS];
DF_TASK(void, one, df_inout(long, x, 1), df_in(long, y, 1));
void one(long *x, const long *y)
{
    *x += *y + 1;
    if (!pause_us) return;
    usleep(pause_us);
    __atomic_fetch_add(&by[df_worker()], 1, __ATOMIC_RELAXED);
}
static void graph(void)
{
    long want[CHAINS] = { 0 };
    int runs = 0;
    df_taskgraph *g = df_taskgraph_new();
    memset(cell, 0, sizeof cell);
    DF_TASKGRAPH(g) {
        for (int i = 0; i < CHAINS; i++) df_submit(one, &cell[i], &cell[i ^ 1]);
    }
    do {
        for (int i = 0; i < CHAINS; i++) want[i] += want[i ^ 1] + 1;
        for (int i = 0; i < CHAINS; i++) CHECK(cell[i] == want[i]);
        if (runs == 2000) pause_us = 1000;
        for (int i = 0; i < CHAINS; i++) cell[i] = want[i] &= 0xFFFF;
        CHECK(df_taskgraph_run(g) == DF_OK);
        CHECK(++runs < 4000);
    } while (!elsewhere());
    pause_us = 0;
    df_taskgraph_free(g);
}

int main(void)
{
    for (int workers = 2; workers <= 4; workers++) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < SHORT; i++) submit(i, 0);
            for (int i = 0; i < LONG; i++) submit(i, 1000);
            df_wait();
            CHECK(elsewhere() > 0);
            for (int i = 0; i < SHORT; i++) submit(i, 0);
            for (int i = 0; i < 10 * LONG; i++) submit(i, i % 10 ? 0 : 200);
            df_wait();
            CHECK(elsewhere() > 0 || DF_DEBUG > 2); /* then half of all run where they are submitted */
        }
        for (int i = 0; i < CHAINS; i++) CHECK(at[i] == next[i]);
        recursion();
        sharing(0, SHORT);
        CHECK(!elsewhere());
        sharing(1000, LONG);
        CHECK(elsewhere() > 0);
        graph();
        df_stop();
    }
    return 0;
}
