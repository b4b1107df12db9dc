/* A profiler in sixty lines: which worker ran how many tasks, and which one took longest.
 *
 * The callbacks of df_observe.h are called by the workers. Each writes to its own element of an array, so there is no
 * lock; main reads them after df_unobserve. `observe` prints what is the same in each run; `observe --time` prints the
 * times, too.
 * Source: OMPT, the tools interface of OpenMP 5.0. */
#define DF_IMPLEMENTATION
#include "../df_observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 1100, DEEP = 64 }; /* at least df_worker_bound(); bodies that run nested in each other */

typedef struct profile {
    long submitted, tasks;
    double seconds, longest;
    const char *name;            /* of the longest */
    double began[DEEP];
    int deep;
} profile;

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void submitted(void *arg, int worker, const df_observed *task)
{
    profile *p = (profile *)arg + worker;
    (void)task;
    p->submitted++;
}
static void begins(void *arg, int worker, const df_observed *task)
{
    profile *p = (profile *)arg + worker;
    (void)task;
    if (p->deep < DEEP) p->began[p->deep] = now();
    p->deep++;
}
static void ends(void *arg, int worker, const df_observed *task)
{
    profile *p = (profile *)arg + worker;
    double took = --p->deep < DEEP ? now() - p->began[p->deep] : 0;
    if (task->kind != DF_OBSERVED_TASK) return;
    p->tasks++;
    if (p->deep == 0) p->seconds += took; /* others are in the time of the outermost one */
    if (took >= p->longest) p->longest = took, p->name = task->name;
}

/* --- the program that is observed */

DF_TASK(void, fill, df_out(double, x, n), (int, n), (double, first));
void fill(double *x, int n, double first)
{
    for (int i = 0; i < n; i++) x[i] = first + i;
}
DF_TASK(void, smooth, df_inout(double, x, n), (int, n), (int, times));
void smooth(double *x, int n, int times)
{
    for (int t = 0; t < times; t++)
        for (int i = 1; i < n; i++) x[i] = (x[i - 1] + x[i]) / 2;
}

int main(int argc, char **argv)
{
    enum { PARTS = 16, N = 2000, STEPS = 8 };
    int time = argc > 1 && !strcmp(argv[1], "--time");
    profile *of = (profile *)calloc(WORKERS, sizeof *of);
    double *x = (double *)malloc(sizeof *x * PARTS * N), longest = 0;
    const char *name = "";
    long sum = 0, all = 0;
    if (!of || !x) return 1;
    df_observer o = { 0 };
    o.arg = of, o.task_submit = submitted, o.task_begin = begins, o.task_end = ends;
    df_observe(&o);
    for (int i = 0; i < PARTS; i++) {
        df_submit(fill, x + i * N, N, (double)i);
        for (int s = 0; s < STEPS; s++) df_submit(smooth, x + i * N, N, 20);
    }
    df_wait();
    df_unobserve(&o);
    for (int i = 0; i < WORKERS; i++) {
        if (time && of[i].tasks) printf("worker %d: %ld tasks, %.2f ms\n", i, of[i].tasks, 1e3 * of[i].seconds);
        all += of[i].submitted, sum += of[i].tasks;
        if (of[i].tasks && of[i].longest >= longest) longest = of[i].longest, name = of[i].name;
    }
    if (time) printf("longest: %s, %.3f ms\n", name, 1e3 * longest);
    printf("%ld tasks submitted, %ld have run\n", all, sum);
    free(x);
    free(of);
    return all == PARTS * (1 + STEPS) && sum == all ? 0 : 1;
}
