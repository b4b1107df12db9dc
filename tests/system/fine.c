/* fine.c - a type whose tasks were short is shared again when they get long, or when one in ten is; and its tasks are
 * ordered all the time. Long tasks sleep, so they need no second CPU. A recursion of short tasks is shared, too. */
#define _DEFAULT_SOURCE
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
        df_stop();
    }
    return 0;
}
