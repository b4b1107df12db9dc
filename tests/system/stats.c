/* stats.c - DF_STATS with values and files that are wrong, taken, or full; in the child of a fork; started twice;
 * without memory: one message, the program's results are right; and the numbers in the report */
#define _DEFAULT_SOURCE /* fork, setenv, symlink */
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include <sys/stat.h>
#include "no_memory.h"
#include "contents.h"
#include "one_file.h"
#include "work.h"
#include "../gpu/scratch.h"

static char name[SCRATCH], other[SCRATCH + 16];

DF_TASK(void, count, df_inout(int, x, 1), (int, deep));
void count(int *x, int deep)
{
    ++*x;
    if (deep) df_submit(count, x, deep - 1);
}
DF_TASK(void, sum, df_in(int, x, 1), df_reduce(df_sum, int, s, 1));
void sum(const int *x, int *s) { *s += *x; }
DF_LOOP(fill, df_out(int, x, n), (long, n));
void fill(long lo, long hi, int *x, long n)
{
    (void)n;
    for (long i = lo; i < hi; i++) x[i] = 0;
}

static int work(void *unused)
{
    int x[4], s = 0;
    (void)unused;
    df_for(fill, 0, 4, x, 4);
    DF_PARALLEL {
        for (int i = 0; i < 20; i++) df_submit(count, x + i % 4, i % 3);
        for (int i = 0; i < 4; i++) df_submit(sum, x + i, &s);
    }
    CHECK(x[0] + x[1] + x[2] + x[3] == 20 + 19 && s == 39);
    return 0;
}

static struct child with(const char *value, int (*fn)(void *))
{
    const char *env[] = { "DF_STATS", value, NULL };
    return child_run(fn, NULL, env, 60);
}

static int names(void *unused)
{
    int x = 0;
    (void)unused;
    df_submit_with(DF_OPTS(.name = "new\nline bad \xff utf8"), count, &x, 0);
    df_wait();
    return x != 1;
}

static void says(const char *value, const char *message)
{
    struct child c = with(value, work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, message));
}

/* A report is complete, and right about what can be counted. */
static int right(void)
{
    char row[200];
    int all, n;
    double share, shares = 0;
    const char *p;
    for (p = text; (p = strchr(p, '\n')) != NULL; p++)
        if (sscanf(p, "\n%100s %d %*s %*s %*s %*s %*s %*s %lf %%", row, &n, &share) == 3 &&
            (!strcmp(row, "count") || !strcmp(row, "sum") || !strcmp(row, "fill"))) {
            CHECK(!strcmp(row, "count") ? n == 39 : !strcmp(row, "sum") ? n == 4 : n >= 1);
            shares += share;
        }
    CHECK(shares > 99 && shares < 101);
    CHECK((p = strstr(text, "43 tasks, ")) != NULL);
    CHECK(sscanf(p, "%d tasks", &all) == 1 && all == 43);
    return times("statistics: ") && times("\nworker ") && times("\n0 ") && !times("INCOMPLETE");
}

static int starts_twice(void *unused)
{
    work(unused);
    df_stop();
    df_stop();
    CHECK(*contents(name) && right() && times("statistics: ") == 1);
    work(unused);
    return 0;
}

static int one_of_each(void *unused)
{
    static long x;
    df_counters c;
    (void)unused;
    CHECK(work_right());
    for (int i = 0; i < 5; i++) DF_ATOMIC { df_tm_write(&x, df_tm_read(&x) + 1); }
    CHECK(df_counters_get(&c) == DF_OK && c.transactions == 5 && c.aborts == 0 && c.launches == 0);
    return 0;
}

DF_TASK(void, spin, df_inout(int, x, 1), (unsigned, n));
void spin(int *x, unsigned n)
{
    test_spin(n);
    ++*x;
}
DF_TASK(void, all_of, df_in(int, x, 8), df_inout(int, y, 1));
void all_of(const int *x, int *y)
{
    *y += x[0] == x[7];
}

static int many(void *unused)
{
    static int x[8], y;
    (void)unused;
    for (int k = 0; k < 16; k++) {
        for (int i = 0; i < 400; i++) df_submit(spin, &x[i % 8], 100000);
        df_submit(all_of, x, &y);
        df_wait_on(&y, sizeof y);
    }
    df_wait();
    CHECK(y == 16);
    return 0;
}

/* A time of the report, in ns. */
static double time_of(const char *number, const char *unit)
{
    return atof(number) * (unit[0] == 'n' ? 1 : unit[0] == 'u' ? 1e3 : unit[0] == 'm' ? 1e6 : 1e9);
}

static int without_memory(void *unused)
{
    df_config c;
    (void)unused;
    memset(&c, 0, sizeof c);
    c.stats = name;
    memory_runs_out(&c, work, NULL, 16);
    return 0;
}

/* There is no memory for more events than the first 2000: those that are kept for the end are read, and none is
 * lost. */
static int no_room(void *unused)
{
    int x[4] = { 0 };
    df_config c;
    (void)unused;
    memset(&c, 0, sizeof c);
    c.stats = name, c.workers = 1;
    CHECK(df_start(&c) == DF_OK);
    for (int i = 0; i < 6000; i++) {
        df_submit(count, &x[i % 4], 0);
        if (i % 50 == 49) df_wait();
        if (i != 99) continue;
        dfi_events_read(); /* so that there is a table of names */
        left = 1, only_one = 0;
    }
    left = ENOUGH;
    CHECK(failed && x[0] + x[1] + x[2] + x[3] == 6000);
    df_stop();
    return 0;
}

static int levels;
static void counts(void *arg, int level, const char *line)
{
    (void)arg;
    CHECK(level == 3 && !strncmp(line, "df: ", 4));
    levels++;
}
static int to_the_logger(void *unused)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.stats = "1", c.log = counts;
    CHECK(df_start(&c) == DF_OK);
    work(unused);
    df_stop();
    CHECK(levels > 8);
    return 0;
}

int main(void)
{
    int fd = mkstemp(scratch(other, "df_stats")), n;
    struct child c;
    one_work = work;
    left = ENOUGH;
    CHECK(fd >= 0 && close(fd) == 0 && remove(other) == 0 && mkdir(other, 0700) == 0);
    CHECK(snprintf(name, sizeof name, "%s/a.txt", other) < (int)sizeof name);
    says("garbage", "DF_STATS='garbage' is not 1 or the name of a file that ends in .txt");
    says("2", "DF_STATS='2' is not");
    says("/nowhere/at/all.txt", "DF_STATS=/nowhere/at/all.txt cannot be written: ");
    c = with("", work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = with("0", work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = with("1", work);
    CHECK_CHILD(c, c.status == 0 && strstr(c.err, "df: 43 tasks, ") && strstr(c.err, "df: count ") &&
                strstr(c.err, "df: worker "));
    c = with(name, work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    contents(name);
    CHECK(right());
    c = with(name, names);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK(strstr(contents(name), "\nnew line bad ? utf8 "));
    c = with(name, two_programs);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "is in use by another process"));
    contents(name);
    CHECK(right());
    c = with(name, forks);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 &&
                strstr(c.err, "is the file of the process that this process was forked from"));
    CHECK(strstr(contents(name), "86 tasks, "));
    c = with(name, starts_twice);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    contents(name);
    CHECK(times("statistics: ") == 2 && times("43 tasks, ") == 2);
    c = with(name, one_of_each);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK(strstr(contents(name), "5 transactions, 0 times run again"));
    if (!TEST_SLOW) {
        static const char *const one[] = { "DF_STATS", name, "DF_WORKERS", "1", NULL };
        char all[16], busy[16], waiting[16], unit[3][4];
        c = child_run(many, NULL, one, 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        CHECK(sscanf(strstr(contents(name), "\n0 "), "\n0 %*d %15s %3s %15s %3s", busy, unit[0], waiting,
                     unit[1]) == 4);
        CHECK(sscanf(strstr(text, "statistics: "), "statistics: %*d workers, %15s %3s", all, unit[2]) == 2);
        /* three digits; a task that runs in a wait counts once */
        CHECK(time_of(busy, unit[0]) + time_of(waiting, unit[1]) < time_of(all, unit[2]) * 1.02);
    }
    c = child_run(to_the_logger, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
    c = child_run(no_room, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
    CHECK(sscanf(strstr(contents(name), "\ncount "), "\ncount %d", &n) == 1 && n == 6000);
    c = child_run(without_memory, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
    CHECK(remove(name) == 0);
    if (symlink("/dev/full", name) == 0) {
        c = with(name, work);
        CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "cannot be written: "));
        CHECK(remove(name) == 0);
    }
    CHECK(rmdir(other) == 0);
    return 0;
}
