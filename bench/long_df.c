/* Throughput after an hour's blocks against that of a fresh process: cc -O2 bench/long_df.c -o long -pthread;
 * DF_WORKERS=2 ./long [blocks]
 *
 * Prints ns per task and the share of stolen tasks of 20 blocks of 4000 tasks of about 1 us: at the beginning, and
 * after 3.6 million blocks of 4 short tasks, as many as an hour of blocks of 1 ms. Marks that a block left behind on
 * the stack of its worker would show here. */
#include <stdlib.h>
#include "bench.h"
#define DF_IMPLEMENTATION
#include "../df.h"

enum { TASKS = 4000, ROUNDS = 20 };
static double cell[TASKS][8];
static volatile int length;

DF_TASK(void, work, df_out(double, x, 8));
void work(double *x)
{
    double a = 1.0001;
    for (int i = length; i > 0; i--) a = a * a - 0.5;
    *x = a;
}

static void measure(const char *when)
{
    df_counters before, after;
    double best = 1e30, t;
    length = 400;
    df_counters_get(&before);
    for (int r = 0; r < ROUNDS; r++) {
        t = bench_now();
        DF_PARALLEL for (int i = 0; i < TASKS; i++) df_submit(work, cell[i]);
        t = bench_now() - t;
        if (t < best) best = t;
    }
    df_counters_get(&after);
    printf("%s: %.0f ns per task, %.0f %% stolen\n", when, best * 1e9 / TASKS,
           100.0 * (double)(after.steals - before.steals) / (TASKS * ROUNDS));
}

int main(int argc, char **argv)
{
    long blocks = argc > 1 ? atol(argv[1]) : 3600000;
    measure("fresh");
    length = 20;
    for (long b = 0; b < blocks; b++) DF_PARALLEL for (int i = 0; i < 4; i++) df_submit(work, cell[i]);
    measure("after the blocks");
}
