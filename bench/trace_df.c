/* What a trace costs: the same tasks with DF_TRACE and without, in turn. Prints lines
 *
 *     name df workers value unit target
 *
 *   tasks_5us     more time (clock), and more CPU time of all threads together, in percent: tasks of 5 us, each after one other, from
 *                 df_start to df_stop: with what is written at the end
 *   task          CPU time a task of all threads together: four events, a slice with its arguments, an arrow
 *   file          bytes per task
 *
 * Each is the best of all repetitions.
 *
 * Both ways register tasks (df_config.defer): a trace shows what orders tasks also where one worker would run each at once.
 * The file is in TMPDIR, or in /tmp, and removed. */
#define _DEFAULT_SOURCE                                             /* getrusage                                        */
#include "bench.h"
#include <sys/resource.h>
#include <sys/stat.h>
#define DF_IMPLEMENTATION
#include "../df.h"

enum { CHAINS = 64, REPS = 21 };

static long steps;                                                  /* of bench_mix, for 5 us                           */

DF_TASK(void, work, df_inout(uint64_t, x, 1));
void work(uint64_t *x)
{
    uint64_t v = *x;
    for (long i = 0; i < steps; i++) v = bench_mix(v);
    *x = v;
}
DF_TASK(void, nothing, df_inout(uint64_t, x, 1));
void nothing(uint64_t *x) { ++*x; }

static double cpu_time(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void line(const char *name, double value, const char *unit, const char *target)
{
    printf("%s df %d %.3f %s %s\n", name, df_workers(), value, unit, target);
    fflush(stdout);
}

static double least(const double *t, int n)
{
    double m = t[0];
    for (int i = 1; i < n; i++) m = t[i] < m ? t[i] : m;
    return m;
}

static uint64_t cell[CHAINS][8];

/* n tasks from start to stop. */
static void run(const char *trace, int empty, long n, double *clock, double *cpu)
{
    df_config c = { .trace = trace, .defer = 1 };
    double wall = bench_now(), used = cpu_time(RUSAGE_SELF);
    df_start(&c);
    DF_PARALLEL {
        for (long i = 0; i < n; i++)
            if (empty) df_submit(nothing, cell[i % CHAINS]);
            else df_submit(work, cell[i % CHAINS]);
    }
    df_stop();
    *clock = bench_now() - wall, *cpu = cpu_time(RUSAGE_SELF) - used;
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char file[512];
    struct stat s;
    long n = bench_size(20000, 20000, 2000);
    int reps = bench_env("BENCH_QUICK", 0) ? 3 : REPS, empty;
    double clock[2][REPS], cpu[2][REPS];
    bench_start(argc, argv, 0);
    snprintf(file, sizeof file, "%s/df-bench-trace-%ld.json", folder && *folder ? folder : "/tmp", (long)getpid());
    for (steps = 1000; ; steps *= 2) {                              /* until they take so long that the clock is exact    */
        double began = bench_now(), took;
        work(cell[0]);
        if ((took = bench_now() - began) < 0.01) continue;
        steps = (long)(5e-6 / took * (double)steps);
        break;
    }
    for (empty = 0; empty < 2; empty++) {
        if (!bench_wants(empty ? "task" : "tasks_5us")) continue;
        for (int r = 0; r < reps; r++)
            for (int traced = 0; traced < 2; traced++) run(traced ? file : NULL, empty, n, &clock[traced][r], &cpu[traced][r]);
        double c0 = least(clock[0], reps), c1 = least(clock[1], reps), u0 = least(cpu[0], reps), u1 = least(cpu[1], reps);
        if (empty) line("task", (u1 - u0) / (double)n * 1e9, "ns", "-");
        else {
            line("tasks_5us", (c1 / c0 - 1) * 100, "%", "3");
            line("tasks_5us-cpu", (u1 / u0 - 1) * 100, "%", "-");
        }
    }
    if (!stat(file, &s)) line("file", (double)s.st_size / (double)(n * reps * 2), "bytes", "-");
    remove(file);
    return 0;
}
