/* The cost of DF_TRACE and DF_STATS: the same tasks with neither, with one, with the other, in turn. Prints lines
 *
 *     name df workers value unit target
 *
 *   tasks_5us          with a trace: more time (clock) in percent, from df_start to df_stop, so with the writing at the
 *                      end; tasks
 *                      of 5 us, each after one other
 *   tasks_5us-cpu      the same in CPU time of all threads together
 *   task               CPU time a task of all threads together: four events, a slice with its arguments, an arrow
 *   file               bytes per task
 *   page               the same of a page, DF_TRACE=file.html
 *   stats_5us          with statistics: more time in percent until all tasks are done
 *   stats_5us-cpu      the same in CPU time
 *   stats_task         CPU time a task until then
 *   stats_report       time a task of df_stop, which reads the events and makes the report
 *
 * Each is the best of all repetitions.
 *
 * All ways register tasks (df_config.defer), because the observers show the order of tasks also where one worker
 * would run each immediately. Files are in TMPDIR, or in /tmp, and removed. */
#define _DEFAULT_SOURCE /* getrusage */
#include "bench.h"
#include <sys/resource.h>
#include <sys/stat.h>
#define DF_IMPLEMENTATION
#include "../df.h"

enum { CHAINS = 64, REPS = 9 };

static long steps;                                                  /* of bench_mix, for 5 us */

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

static uint64_t cell[CHAINS][8];

enum looks_on { NOTHING, TRACE, PAGE, STATS, WAYS };
static char file[WAYS][512];

/* Seconds of n tasks from start to stop, and until they are done. */
struct times { double clock, cpu, done_clock, done_cpu; };
static void run(enum looks_on way, int empty, long n, struct times *t)
{
    df_config c = { .defer = 1, .window = 4096 };
    double wall = bench_now(), used = cpu_time(RUSAGE_SELF);
    c.trace = way == TRACE || way == PAGE ? file[way] : ""; /* NULL: as before */
    c.stats = way == STATS ? file[STATS] : "";
    df_start(&c);
    DF_PARALLEL {
        for (long i = 0; i < n; i++)
            if (empty) df_submit(nothing, cell[i % CHAINS]);
            else df_submit(work, cell[i % CHAINS]);
    }
    t->done_clock = bench_now() - wall, t->done_cpu = cpu_time(RUSAGE_SELF) - used;
    df_stop();
    t->clock = bench_now() - wall, t->cpu = cpu_time(RUSAGE_SELF) - used;
}

static void best(struct times *a, const struct times *b)
{
    if (b->clock < a->clock) a->clock = b->clock;
    if (b->cpu < a->cpu) a->cpu = b->cpu;
    if (b->done_clock < a->done_clock) a->done_clock = b->done_clock;
    if (b->done_cpu < a->done_cpu) a->done_cpu = b->done_cpu;
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    struct stat s;
    long n = bench_size(100000, 100000, 2000);
    int reps = bench_env("BENCH_QUICK", 0) ? 3 : REPS, empty;
    bench_start(argc, argv, 0);
    for (int way = TRACE; way < WAYS; way++)
        snprintf(file[way], sizeof file[way], "%s/df-bench-trace-%ld.%s", folder && *folder ? folder : "/tmp",
                 (long)getpid(), way == TRACE ? "json" : way == PAGE ? "html" : "txt");
    for (steps = 1000; ; steps *= 2) {                             /* until they take so long that the clock is exact */
        double began = bench_now(), took;
        work(cell[0]);
        if ((took = bench_now() - began) < 0.01) continue;
        steps = (long)(5e-6 / took * (double)steps);
        break;
    }
    for (empty = 0; empty < 2; empty++) {
        struct times t[WAYS], once;
        if (!bench_wants(empty ? "task" : "tasks_5us")) continue;
        for (int r = 0; r < reps; r++)
            for (int way = 0; way < WAYS; way++) {
                run((enum looks_on)way, empty, n, &once);
                if (!r) t[way] = once;
                best(&t[way], &once);
            }
        if (empty) {
            line("task", (t[TRACE].cpu - t[NOTHING].cpu) / (double)n * 1e9, "ns", "240");
            line("page", (t[PAGE].cpu - t[NOTHING].cpu) / (double)n * 1e9, "ns", "240");
            line("stats_task", (t[STATS].done_cpu - t[NOTHING].done_cpu) / (double)n * 1e9, "ns", "50");
            continue;
        }
        line("tasks_5us", (t[TRACE].clock / t[NOTHING].clock - 1) * 100, "%", "3");
        line("tasks_5us-cpu", (t[TRACE].cpu / t[NOTHING].cpu - 1) * 100, "%", "-");
        line("stats_5us", (t[STATS].done_clock / t[NOTHING].done_clock - 1) * 100, "%", "1");
        line("stats_5us-cpu", (t[STATS].done_cpu / t[NOTHING].done_cpu - 1) * 100, "%", "-");
        line("stats_report", (t[STATS].clock - t[STATS].done_clock) / (double)n * 1e9, "ns", "-");
    }
    if (!stat(file[TRACE], &s)) line("file", (double)s.st_size / (double)n, "bytes", "-");
    for (int way = TRACE; way < WAYS; way++) remove(file[way]);
    return 0;
}
