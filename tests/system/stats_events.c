/* stats_events.c - DF_STATS_EVENTS: page faults are those of the task that touches the pages; lists that are wrong,
 * counters that the machine does not have, a system that forbids them, too few descriptors: one message, and statistics
 * without; descriptors are given back
 *
 * Where the system forbids counters, or has none, only the messages are tested. */
#define _DEFAULT_SOURCE /* mmap, fork, setenv */
#define DF_IMPLEMENTATION
#include "df.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "child.h"
#include "contents.h"
#include "../gpu/scratch.h"
#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>)
#define CAN_FORBID 1
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#endif

enum { PAGES = 500 }; /* more than df, the library and a sanitizer touch meanwhile */
static char name[SCRATCH];
static int forbidden; /* the system refuses to count page faults, too */

/* The row of that task below `from` in the second table of the report: the number of tasks, and the columns after
 * it. */
static long row(const char *from, const char *task, double *mean, double *total)
{
    char word[101];
    long n;
    const char *p = strstr(from, "\ncounted: mean and total ");
    CHECK(p);
    for (p++; (p = strchr(p, '\n')) != NULL && strncmp(p, "\nworker ", 8); p++)
        if (sscanf(p, "\n%100s %ld %lf %lf", word, &n, mean, total) == 4 && !strcmp(word, task)) return n;
    fprintf(stderr, "%s", text);
    CHECK(!"the task is in the table");
    return 0;
}

/* --- what faults -------------------------------------------------------------------------------------------------- */

static long page;

/* Each of so many pages is touched for the first time. */
static void fresh(int pages)
{
    char *p = (char *)mmap(NULL, (size_t)(pages * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != (char *)MAP_FAILED);
#if defined(MADV_NOHUGEPAGE)
    madvise(p, (size_t)(pages * page), MADV_NOHUGEPAGE); /* refused: the system has no larger pages */
#endif
    for (long i = 0; i < pages; i++) *(volatile char *)(p + i * page) = 1;
    CHECK(munmap(p, (size_t)(pages * page)) == 0);
}

DF_TASK(void, inner, (int, pages));
void inner(int pages) { fresh(pages); }
DF_TASK(void, outer, (int, pages));
void outer(int pages)
{
    DF_PARALLEL df_wait(); /* for nothing */
    fresh(pages);
    df_submit(inner, 3 * pages);
    df_submit(inner, 3 * pages);
    df_wait();
    fresh(pages);
}
DF_TASK(void, quiet, df_inout(int, x, 1));
void quiet(int *x) { ++*x; }
DF_LOOP(touch, (int, pages));
void touch(long lo, long hi, int pages)
{
    for (long i = lo; i < hi; i++) fresh(pages);
}
DF_STATIC_TASK(long, called, (long, n));
static long called(long n)
{
    if (!n) {
        fresh(PAGES);
        return 1;
    }
    df_future(called) a;
    df_spawn(called, &a, n - 1);
    long b = called(n - 1);
    return df_sync(called, &a) + b;
}
DF_TASK(void, calls, (int, n));
void calls(int n) { CHECK(called(n) == 1 << n); }

static int work(void *unused)
{
    int x = 0;
    (void)unused;
    DF_PARALLEL {
        for (int i = 0; i < 3; i++) df_submit(outer, PAGES);
        for (int i = 0; i < 20; i++) df_submit(quiet, &x);
    }
    fresh(4 * PAGES); /* outside of tasks */
    df_for(touch, 0, 4, PAGES);
    df_submit(calls, 2);
    df_wait();
    CHECK(x == 20);
    return 0;
}

/* Faults of so many times PAGES pages. Pages read meanwhile add a few, AddressSanitizer an eighth, ThreadSanitizer
 * some for each page. */
static int about(double faults, int times_pages)
{
    double n = (double)times_pages * PAGES;
    return faults >= n && (TEST_TSAN || faults < n + n / 8 + PAGES);
}

static void right(const char *report)
{
    double mean, total, all, others;
    long n;
    CHECK(row(report, "outer", &mean, &total) == 3 && about(total, 6) && mean >= 2 * PAGES && mean <= total / 2);
    CHECK(row(report, "inner", &mean, &total) == 6 && about(total, 18) && mean >= 3 * PAGES && mean <= total / 5);
    CHECK(row(report, "quiet", &mean, &total) == 20 && total < PAGES && mean < PAGES);
    n = row(report, "touch", &mean, &total);
    CHECK(n >= 1 && n <= 4 && about(total, 4));
    CHECK(row(report, "calls", &mean, &all) == 1);
    n = strstr(report, "\ncalled ") ? row(report, "called", &mean, &others) : 0; /* those that another worker took */
    if (n) all += others;
    CHECK(about(all, 4));
    CHECK(!strstr(report, "INCOMPLETE") && !strstr(report, "NOT ALL"));
}

/* --- with which settings ------------------------------------------------------------------------------------------ */

static struct child with(const char *events, const char *workers, int (*fn)(void *))
{
    const char *env[] = { "DF_STATS", name, "DF_STATS_EVENTS", events, "DF_WORKERS", workers, NULL };
    struct child c = child_run(fn, NULL, env, 100);
    contents(name);
    CHECK_CHILD(c, times("statistics: ") >= 1);
    return c;
}

static void wrong_list(const char *events)
{
    struct child c = with(events, "2", work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "DF_STATS_EVENTS='") &&
                strstr(c.err, "branch-misses, page-faults"));
    CHECK(times("\nouter ") == 1 && times("counted: ") == 0);
}

/* Descriptors of counters that this process has. */
static int counters(void)
{
    char path[300], to[100];
    int n = 0;
    ssize_t length;
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;
    if (!d) return 0;
    while ((e = readdir(d)) != NULL) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
        if ((length = readlink(path, to, sizeof to - 1)) < 0) continue;
        to[length] = 0;
        n += strstr(to, "perf_event") != NULL;
    }
    closedir(d);
    return n;
}

static pthread_barrier_t stage;
static void *other_thread(void *unused)
{
    int x = 0;
    work(NULL);
    pthread_barrier_wait(&stage); /* main stops df, and starts it again */
    pthread_barrier_wait(&stage);
    df_submit(quiet, &x);
    df_wait();
    CHECK(x == 1);
    return unused;
}

/* A thread of the program that stays while df is stopped and started with other counters. */
static int starts_twice(void *unused)
{
    pthread_t t;
    CHECK(pthread_barrier_init(&stage, NULL, 2) == 0);
    df_workers();
    CHECK(pthread_create(&t, NULL, other_thread, NULL) == 0);
    pthread_barrier_wait(&stage);
    work(unused);
    df_stop();
    setenv("DF_STATS_EVENTS", "page-faults,task-clock", 1);
    work(unused);
    pthread_barrier_wait(&stage);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK(counters() >= 2);
    df_stop();
    CHECK(counters() == 0);
    return 0;
}

/* Its child has no counters of its parent, and its own if it uses df. */
static int forks(void *unused)
{
    pid_t pid;
    int status;
    work(unused);
    CHECK(counters() >= 1);
    if ((pid = fork()) == 0) {
        CHECK(counters() == 0);
        unsetenv("DF_STATS");
        if (TEST_TSAN) setenv("DF_WORKERS", "1", 1); /* it cannot follow threads in a forked child */
        work(unused);
        df_stop();
        CHECK(counters() == 0);
        _Exit(0); /* a leak check at exit would look for the parent's threads */
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

static int never;
DF_TASK(void, busy, df_inout(int, x, 1));
void busy(int *x)
{
    fresh(PAGES);
    df_submit(inner, PAGES);
    df_wait();
    __atomic_store_n(&never, 1, __ATOMIC_SEQ_CST);
    for (;;) sleep(1);
    ++*x;
}
static int ends_early(void *unused)
{
    static int x;
    (void)unused;
    df_submit_with(DF_OPTS(.worker = 1), busy, &x);
    while (!__atomic_load_n(&never, __ATOMIC_SEQ_CST)) usleep(1000);
    return 0;
}

/* Counters for one thread, not for two. */
static int few_descriptors(void *unused)
{
    int x = 0, y = 0, fd;
    struct rlimit most;
    (void)unused;
    df_workers(); /* has all the descriptors it needs */
    fd = dup(0);
    CHECK(fd >= 0 && close(fd) == 0 && getrlimit(RLIMIT_NOFILE, &most) == 0);
    most.rlim_cur = (rlim_t)fd + 3; /* what is free below fd is none */
    CHECK(setrlimit(RLIMIT_NOFILE, &most) == 0);
    df_submit_with(DF_OPTS(.worker = DF_MAIN_THREAD), quiet, &x);
    df_wait();
    df_submit_with(DF_OPTS(.worker = 1), quiet, &y);
    df_wait();
    df_submit_with(DF_OPTS(.worker = 1), quiet, &y);
    df_wait();
    CHECK(x == 1 && y == 2);
    return 0;
}

static int not_permitted(void *unused)
{
#if defined(CAN_FORBID)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the number of the call */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return work(unused);
#endif
    work(unused);
    exit(77);
}

int main(void)
{
    int fd = mkstemp(scratch(name, "df_events"));
    double mean, total;
    const char *again;
    struct child c;
    page = sysconf(_SC_PAGESIZE);
    CHECK(fd >= 0 && close(fd) == 0 && rename(name, strcat(strcpy(text, name), ".txt")) == 0);
    CHECK(strlen(text) < sizeof name);
    strcpy(name, text);

    wrong_list("garbage");
    wrong_list("page-faults,");
    wrong_list("page-faults,page-faults");
    wrong_list("page");
    wrong_list("cycles,instructions,branches,page-faults,task-clock");
    c = with("", "2", work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK(times("counted: ") == 0);

    c = with("cycles,instructions", "2", work);
    CHECK_CHILD(c, c.status == 0 && c.lines <= 1);
    if (c.lines)
        CHECK_CHILD(c, strstr(c.err, "DF_STATS_EVENTS: df does not count cycles, instructions: ") != NULL &&
                    !times("counted: "));
    else CHECK(times("cycles:u ") == 1 && times("instructions:u ") == 1 && times("instructions/cycle") == 1);

    c = with("page-faults", "1", work);
    forbidden = c.lines > 0;
    CHECK_CHILD(c, c.status == 0 && c.lines <= 1 &&
                (!forbidden || strstr(c.err, "DF_STATS_EVENTS: df does not count page-faults: ")));
    if (forbidden) CHECK(times("\nouter ") == 1 && times("counted: ") == 0);
    else {
        right(text);
        for (const char *const *w = (const char *const[]){ "2", "4", NULL }; *w; w++) {
            c = with("page-faults", *w, work);
            CHECK_CHILD(c, c.status == 0 && c.lines == 0);
            right(text);
        }
        c = with("cycles,page-faults,branch-misses,cache-misses", "2", work); /* what there is of it is counted */
        CHECK_CHILD(c, c.status == 0 && c.lines <= 1);
        CHECK(times("page-faults") == 1);
        if (c.lines && strstr(c.err, "cycles, branch-misses, cache-misses: ")) right(text);

        c = with("page-faults", "2", starts_twice);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        again = strstr(strstr(text, "statistics: ") + 1, "statistics: ");
        CHECK(again && row(text, "outer", &mean, &total) == 6 && about(total, 12));
        CHECK(row(again, "outer", &mean, &total) == 3);
        CHECK(row(again, "quiet", &mean, &total) == 21);
        c = with("page-faults", "2", forks);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        right(text);
        c = with("page-faults", "2", ends_early);
        CHECK_CHILD(c, c.status == 0 && strstr(c.err, "ends while tasks run on "));
        CHECK(row(text, "inner", &mean, &total) == 1 && about(total, 1));
        CHECK(times("\nbusy ") == 0);
        c = with("page-faults,task-clock", "2", few_descriptors);
        CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "the system refused the counters of a thread: "));
        CHECK(row(text, "quiet", &mean, &total) == 1 &&
              times("NOT ALL: 2 of these tasks ran in threads without counters") == 1);
    }
    c = with("page-faults,task-clock", "2", not_permitted);
    CHECK_CHILD(c, c.status == 77 ||
                (c.status == 0 && c.lines == 1 && strstr(c.err, "df does not count page-faults, task-clock: ")));
    if (c.status == 0)
        CHECK(strstr(c.err, "/proc/sys/kernel/perf_event_paranoid") && times("\nouter ") == 1 &&
              times("counted: ") == 0);
    CHECK(remove(name) == 0);
    return 0;
}
