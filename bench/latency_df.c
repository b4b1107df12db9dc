/* Costs of the pool without tasks: an idle pool, the first task after idle, memory, start-up. Prints lines
 *
 *     name df workers value unit target
 *
 * Takes the names of the measurements to run as arguments (idle wake memory start; none: all of them). */
#define _DEFAULT_SOURCE /* getrusage */
#include "bench.h"
#include <stdatomic.h>
#include <sys/resource.h>
#define DF_IMPLEMENTATION
#include "../df.h"

enum { ROUNDS = 101 };

typedef _Atomic(int64_t) stamp;

DF_TASK(void, mark, (stamp *, started));
DF_TASK(void, step, df_inout(long, x, 1));
DF_TASK(long, fib, (int, n));

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

/* acquire in delay_us() */
void mark(stamp *started) { atomic_store_explicit(started, now_ns(), memory_order_release); }
void step(long *x) { ++*x; }
long fib(int n)
{
    if (n < 2) return n;
    df_future(fib) a;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return df_sync(fib, &a) + b;
}

static void line(const char *name, double value, const char *unit, const char *target)
{
    printf("%s df %d %.3f %s %s\n", name, df_workers(), value, unit, target);
    fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* CPU time of this process in seconds. */
static double cpu_time(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void measure_idle(void)
{
    fib(25);
    long ms = bench_size(2000, 2000, 200);
    double cpu = cpu_time(), t = bench_now();
    pause_ms(ms);
    line("idle_cpu", 100 * (cpu_time() - cpu) / (bench_now() - t), "percent", "<1");
}

/* Spins until the task has started on another worker; the microseconds this took, a second when it never does. */
static double delay_us(stamp *started, int64_t begin)
{
    int64_t s;
    while ((s = atomic_load_explicit(started, memory_order_acquire)) == 0)                       /* release in mark() */
        if (now_ns() - begin > 1000000000) return 1e6;
    return (double)(s - begin) / 1000;
}

static void report_delays(const char *name, double *us, int n)
{
    char full[64];
    qsort(us, (size_t)n, sizeof *us, ascending);
    snprintf(full, sizeof full, "%s_median", name);
    line(full, us[n / 2], "us", "<50");
    snprintf(full, sizeof full, "%s_90", name);
    line(full, us[n * 9 / 10], "us", "-");
}

static void measure_wake(void)
{
    if (df_workers() < 2) { fprintf(stderr, "bench: wake needs two workers\n"); return; }
    static double us[ROUNDS];
    int n = (int)bench_size(ROUNDS, ROUNDS, 11);
    for (int i = 0; i < n; i++) {
        stamp started = 0;
        pause_ms(10);
        int64_t begin = now_ns();
        df_future(mark) f;
        df_spawn(mark, &f, &started);
        us[i] = delay_us(&started, begin);
        df_sync(mark, &f);
        if (us[i] >= 1e6 && i >= 2) { n = i + 1; break; }         /* it never starts: no need to wait for all of them */
    }
    report_delays("wake_spawn", us, n);
    n = (int)bench_size(ROUNDS, ROUNDS, 11);
    for (int i = 0; i < n; i++) {
        stamp started = 0;
        pause_ms(10);
        DF_PARALLEL {
            int64_t begin = now_ns();
            df_submit(mark, &started);
            us[i] = delay_us(&started, begin);
        }
        if (us[i] >= 1e6 && i >= 2) { n = i + 1; break; }
    }
    report_delays("wake_submit", us, n);
}

static void measure_memory(void)
{
    long n = bench_size(10000000, 10000000, 1000000), x = 0;
    double t = bench_now();
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(step, &x);
    }
    t = bench_now() - t;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    char name[48];
    snprintf(name, sizeof name, "memory_%ldM_tasks%s", n / 1000000, x == n ? "" : "_WRONG");
    line(name, (double)u.ru_maxrss / 1024, "MiB", "<64");
    line("memory_per_task", t / (double)n * 1e9, "ns", "-");
}

static void measure_start(void)
{
    static double start[ROUNDS], stop[ROUNDS];
    df_stop();
    for (int i = 0; i < ROUNDS; i++) {
        double t = bench_now();
        df_start(&(df_config){0});
        double u = bench_now();
        df_stop();
        start[i] = (u - t) * 1e6;
        stop[i] = (bench_now() - u) * 1e6;
    }
    df_start(&(df_config){0});
    qsort(start, ROUNDS, sizeof *start, ascending);
    qsort(stop, ROUNDS, sizeof *stop, ascending);
    line("start_median", start[ROUNDS / 2], "us", "-");
    line("stop_median", stop[ROUNDS / 2], "us", "-");
}

int main(int argc, char **argv)
{
    double t = bench_now();
    df_start(&(df_config){0});
    t = (bench_now() - t) * 1e6;
    bench_start(argc, argv, df_workers());
    if (bench_wants("start")) line("start_first", t, "us", "-");
    if (bench_wants("idle")) measure_idle();
    if (bench_wants("wake")) measure_wake();
    if (bench_wants("memory")) measure_memory();
    if (bench_wants("start")) measure_start();
    df_stop();
    return 0;
}
