/* foreign_code.c - functions of the program that df calls, or that run while df starts or stops and in a fork, use df,
 * fork and end the process: the log function, worker_start and worker_stop, hooks of cancellation and of transactions,
 * combine functions, observers, destructors of threads, handlers of pthread_atfork and atexit, and DF_MALLOC. Nothing
 * hangs, because df holds no lock meanwhile, and a child of a fork can use df. (docs/internals/locks.md) */
#define _DEFAULT_SOURCE /* fork, usleep */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void *test_malloc(size_t bytes);
void test_free(void *p);
#define DF_MALLOC(bytes) test_malloc(bytes)
#define DF_FREE(p) test_free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "df_observe.h"
#include "child.h"
#include "work.h"

enum { LEFT_WITH = 7 };

/* --- what foreign code does ------------------------------------------------------------------------------------- */

DF_TASK(void, add, df_inout(long, x, 1));
void add(long *x) { ++*x; }
DF_LOOP(sum_of, df_reduce(df_sum, long, s, 1));
void sum_of(long lo, long hi, long *s) { for (; lo < hi; lo++) *s += lo; }
static long shared;

static int in_malloc; /* which may use no atomic blocks */
static int cancelled; /* the calling code: tasks that it submits do not run */
static void use(void)
{
    long s = 0;
    CHECK(df_worker() >= 0 && df_workers() >= 1);
    CHECK(work_right() || cancelled);
    df_for(sum_of, 0, 1000, &s);
    CHECK(s == 499500 || cancelled);
    if (!in_malloc) DF_ATOMIC { df_tm_write(&shared, df_tm_read(&shared) + 1); }
}

enum action { USE, FORK, EXIT, N_ACTIONS };
static const char *const action_names[] = { "use df", "fork", "exit" };
static enum action action;
static int wanted = 1; /* how many calls act */
static int acted;
static int until_acted; /* work is repeated until a call has acted, because what it waits for depends on timing */
static __thread int acting;

static void act(void)
{
    int status;
    pid_t pid;
    if (acting || __atomic_fetch_add(&acted, 1, __ATOMIC_SEQ_CST) >= wanted) return;
    acting = 1;
    switch (action) {
    case USE: use(); break;
    case FORK:
        pid = fork();
        CHECK(pid >= 0);
        if (!pid) {
            alarm(30);
            wanted = 0;
            use();
            exit(0);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        if (status) fprintf(stderr, "child of fork: %x\n", status), _Exit(2);
        break;
    default: exit(LEFT_WITH);
    }
    acting = 0;
}

/* --- where ------------------------------------------------------------------------------------------------------ */

void *test_malloc(size_t bytes)
{
    if (in_malloc) act();
    return malloc(bytes);
}
void test_free(void *p)
{
    if (in_malloc) act();
    free(p);
}
static void log_line(void *arg, int level, const char *text) { (void)arg, (void)level, (void)text; act(); }
static void on_worker(void *arg, int worker) { (void)arg, (void)worker; act(); }
static void on_helper(void *arg, int worker) { (void)arg; if (worker) act(); }
static void on_call(void *arg) { (void)arg; act(); }
static void nap(void) { usleep(1000); }

DF_TASK(void, busy, (int, i));
void busy(int i) { (void)i; nap(); }
static void work(void)
{
    do {
        for (int i = 0; i < 20; i++) df_submit(busy, i);
        df_wait();
    } while (until_acted && !__atomic_load_n(&acted, __ATOMIC_SEQ_CST));
    until_acted = 0;
}
static df_config config; /* with the number of workers */

static void log_at_start(void) { setenv("DF_DEQUE", "many", 1); config.log = log_line; df_start(&config); work(); }
static void log_no_file(void) { config.log = log_line, config.trace = "/nowhere/x.json"; df_start(&config); work(); }
static void log_in_task(void)
{
    config.log = log_line;
    df_start(&config);
    DF_PARALLEL df_stop();
    work();
}
DF_TASK(void, pending, (int, i));
void pending(int i) { (void)i; nap(); }
static void log_at_end(void)
{
    config.log = log_line, config.defer = 1;
    df_start(&config);
    for (int i = 0; i < 30; i++) df_submit(pending, i);
}
static void log_stats(void) { config.log = log_line, config.stats = "1"; df_start(&config); work(); df_stop(); work(); }
static void log_stats_at_end(void) { config.log = log_line, config.stats = "1"; df_start(&config); work(); }
static void log_in_block(void)
{
    config.log = log_line;
    df_start(&config);
    do {
        df_submit_with(DF_OPTS(.worker = config.workers - 1), pending, 1);
        DF_ATOMIC { df_tm_write(&shared, 1L); df_wait(); }
    } while (!acted);
    work();
}
static void start(void) { config.worker_start = on_worker; df_start(&config); work(); }
static void start_helper(void) { until_acted = 1, config.worker_start = on_helper; df_start(&config); work(); }
static void stop(void) { config.worker_stop = on_worker; df_start(&config); work(); df_stop(); work(); }
static void stop_helper(void) { config.worker_stop = on_helper; df_start(&config); work(); df_stop(); work(); }
static void stop_at_end(void) { config.worker_stop = on_worker; df_start(&config); work(); }

static df_cancel_hook hook;
DF_TASK(void, hooked, (int, i));
void hooked(int i)
{
    (void)i;
    df_cancel_hook_set(&hook, on_call, NULL);
    df_cancel();
    df_cancel_hook_clear(&hook);
}
static void cancel(void) { cancelled = 1; df_start(&config); df_submit(hooked, 1); df_wait(); work(); }
DF_TASK(void, hooked_late, (int, i));
void hooked_late(int i)
{
    (void)i;
    df_cancel();
    df_cancel_hook_set(&hook, on_call, NULL);
    df_cancel_hook_clear(&hook);
}
static void cancel_before(void) { cancelled = 1; df_start(&config); df_submit(hooked_late, 1); df_wait(); work(); }

static void combine_longs(long *into, const long *from) { *into += *from; act(); }
DF_REDUCTION(my_sum, long, combine_longs);
DF_TASK(void, reduces, df_reduce(my_sum, long, s, 1));
void reduces(long *s) { nap(); ++*s; }
DF_LOOP(reduces_loop, df_reduce(my_sum, long, s, 1));
void reduces_loop(long lo, long hi, long *s) { for (; lo < hi; lo++) ++*s; nap(); }
static void combine(void)
{
    df_start(&config);
    do {
        long s = 0;
        for (int i = 0; i < 40; i++) df_submit(reduces, &s);
        df_wait();
        CHECK(s == 40);
    } while (!acted);
}
static void combine_loop(void)
{
    df_start(&config);
    do {
        long s = 0;
        df_for_with(DF_LOOP_OPTS(.grain = 1), reduces_loop, 0, 40, &s);
        CHECK(s == 40);
    } while (!acted);
}

static void init_mine(void *element, void *arg) { (void)element, (void)arg; act(); }
static df_per_worker(long) mine = DF_PER_WORKER_INIT(init_mine, NULL);
static void storage(void)
{
    df_start(&config);
    CHECK(df_mine(&mine));
    work();
    for (long *p = NULL; (p = df_per_worker_next(&mine, p)) != NULL;) *p = 0;
}

static df_observer observer;
static void observe(void)
{
    df_observe(&observer);
    df_start(&config);
    work();
    work_fib(5);
    nap();
    df_stop();
    df_unobserve(&observer);
    work();
}
static void at_task(void *arg, int worker, const df_observed *t) { (void)arg, (void)worker, (void)t; act(); }
static void at_edge(void *arg, int worker, uint64_t a, uint64_t b) { (void)arg, (void)worker, (void)a, (void)b; act(); }
static void at_wait(void *arg, int worker, df_observed_wait wait, const char *site)
{
    (void)arg, (void)worker, (void)wait, (void)site;
    act();
}
static void observe_submit(void) { observer.task_submit = at_task; observe(); }
static void observe_begin(void) { observer.task_begin = at_task; observe(); }
static void observe_end(void) { observer.task_end = at_task; observe(); }
static void observe_wait(void) { until_acted = 1, observer.wait_begin = at_wait; observe(); }
static void observe_waited(void) { until_acted = 1, observer.wait_end = at_wait; observe(); }
static void observe_start(void) { observer.worker_start = on_worker; observe(); }
static void observe_stop(void) { observer.worker_stop = on_worker; observe(); }
static void observe_sleep(void) { until_acted = 1, observer.worker_sleep = on_worker; observe(); }
static void observe_edge(void)
{
    long x = 0;
    observer.task_edge = at_edge;
    df_observe(&observer);
    df_start(&config);
    for (int i = 0; i < 20; i++) df_submit(add, &x);
    df_wait();
    CHECK(x >= 20);
}

static void on_commit(void) { DF_ATOMIC { df_tm_on_commit(on_call, NULL); df_tm_write(&shared, 1L); } work(); }
static void on_abort(void)
{
    DF_ATOMIC { df_tm_on_abort(on_call, NULL); df_tm_write(&shared, 1L); df_abort(); }
    work();
}
static void blocking(void) { df_start(&config); df_yield_blocking(on_call, NULL); work(); }

/* --- ends of threads, of the process, and forks ----------------------------------------------------------------- */

static pthread_key_t key;
static void at_end(void *p) { (void)p; nap(); act(); }
DF_TASK(void, keeps, (int, i));
void keeps(int i) { (void)i; pthread_setspecific(key, &key); nap(); }
static void keep(void)
{
    CHECK(!pthread_key_create(&key, at_end));
    wanted = 1000;
    df_start(&config);
    for (int i = 0; i < 30; i++) df_submit_with(DF_OPTS(.worker = i % config.workers), keeps, i);
    df_wait();
}
static void destructor_at_end(void) { keep(); }
static void destructor_at_stop(void) { keep(); df_stop(); work(); }
static void *other_thread(void *p) { work(); keeps(0); return p; }
static void destructor_of_thread(void)
{
    pthread_t t;
    CHECK(!pthread_key_create(&key, at_end));
    df_start(&config);
    CHECK(!pthread_create(&t, NULL, other_thread, NULL) && !pthread_join(t, NULL));
    work();
}
static void destructor_first(void) /* it is called after df's own */
{
    pthread_t t;
    df_start(&config);
    work();
    CHECK(!pthread_key_create(&key, at_end));
    CHECK(!pthread_create(&t, NULL, other_thread, NULL) && !pthread_join(t, NULL));
}

static int at_fork; /* 1, 2, 3: before, in the parent, in the child; 4: df_stop before */
static void before(void) { if (at_fork == 1) act(); if (at_fork == 4) df_stop(); }
static void in_parent(void) { if (at_fork == 2) act(); }
static void in_child(void) { alarm(30); if (at_fork == 3) act(); }
static void forks(int where)
{
    int status;
    pid_t pid;
    if (action == FORK) return; /* in a handler of another */
    at_fork = where;
    work();
    DF_ATOMIC { df_tm_write(&shared, 1L); }
    pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        alarm(30);
        act();
        use();
        exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(!WIFSIGNALED(status));
    at_fork = 0;
    work();
}
static void fork_early(int where)
{
    pthread_atfork(before, in_parent, in_child);
    forks(where);
}
static void fork_late(int where)
{
    df_start(&config);
    work();
    fork_early(where);
}
static void fork_prepare(void) { fork_early(1); }
static void fork_parent(void) { fork_early(2); }
static void fork_child(void) { fork_early(3); }
static void fork_stop(void) { fork_early(4); }
static void fork_prepare_late(void) { fork_late(1); }
static void fork_parent_late(void) { fork_late(2); }
static void fork_child_late(void) { fork_late(3); }
static void fork_stop_late(void) { fork_late(4); }

static int child_uses(pid_t pid)
{
    int status;
    CHECK(pid >= 0);
    if (!pid) {
        alarm(30);
        use();
        exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}
static void *first_use(void *p) { if (p) use(); else DF_ATOMIC { df_tm_write(&shared, 2L); } return p; }
static void fork_beside(void *construct)
{
    pthread_t t;
    if (action != FORK) return;
    CHECK(!pthread_create(&t, NULL, first_use, construct));
    for (int i = 0; i < 4; i++) CHECK(child_uses(fork()) == 0);
    CHECK(!pthread_join(t, NULL));
}
static void fork_beside_start(void) { fork_beside(&key); }
static void fork_beside_block(void) { fork_beside(NULL); }

static void at_exit(void) { act(); }
static void exit_before(void) { atexit(at_exit); df_start(&config); work(); }
static void exit_after(void) { df_start(&config); work(); atexit(at_exit); }

static void malloc_at_start(void) { in_malloc = 1; df_start(&config); work(); in_malloc = 0; }
static void malloc_at_stop(void) { df_start(&config); work(); in_malloc = 1; df_stop(); work(); in_malloc = 0; }
static void malloc_later(void)
{
    long x[50] = { 0 };
    df_start(&config);
    work();
    in_malloc = 1, wanted = action == USE ? 200 : 1;
    for (int i = 0; i < 2000; i++) df_submit(add, &x[i % 50]);
    df_wait();
    in_malloc = 0;
    for (int i = 0; i < 50; i++) CHECK(x[i] == 40);
}
static void malloc_block(void)
{
    static long words[1000];
    in_malloc = 1, wanted = action == USE ? 200 : 1;
    DF_ATOMIC { for (int i = 0; i < 1000; i++) df_tm_write(&words[i], df_tm_read(&words[i]) + 1); }
    in_malloc = 0;
    for (int i = 0; i < 1000; i++) CHECK(words[i] == 1);
}

static const struct place { const char *name; void (*fn)(void); int workers; } places[] = {
#define PLACE(fn, least) { #fn, fn, least }
    PLACE(log_at_start, 1), PLACE(log_no_file, 1), PLACE(log_in_task, 1), PLACE(log_at_end, 1), PLACE(log_stats, 1),
    PLACE(log_stats_at_end, 1), PLACE(log_in_block, 2), PLACE(start, 1), PLACE(start_helper, 2), PLACE(stop, 1),
    PLACE(stop_helper, 2), PLACE(stop_at_end, 1), PLACE(cancel, 1), PLACE(cancel_before, 1), PLACE(combine, 2),
    PLACE(combine_loop, 2), PLACE(storage, 1), PLACE(observe_submit, 1), PLACE(observe_begin, 1),
    PLACE(observe_end, 1), PLACE(observe_wait, 1), PLACE(observe_waited, 1), PLACE(observe_start, 1),
    PLACE(observe_stop, 1), PLACE(observe_sleep, 2), PLACE(observe_edge, 1), PLACE(on_commit, 1), PLACE(on_abort, 1),
    PLACE(blocking, 1), PLACE(destructor_at_end, 2), PLACE(destructor_at_stop, 2), PLACE(destructor_of_thread, 1),
    PLACE(destructor_first, 1), PLACE(fork_prepare, 1), PLACE(fork_parent, 1), PLACE(fork_child, 1),
    PLACE(fork_stop, 1), PLACE(fork_prepare_late, 1), PLACE(fork_parent_late, 1), PLACE(fork_child_late, 1),
    PLACE(fork_stop_late, 1), PLACE(fork_beside_start, 1), PLACE(fork_beside_block, 1), PLACE(exit_before, 1),
    PLACE(exit_after, 1), PLACE(malloc_at_start, 1), PLACE(malloc_at_stop, 1), PLACE(malloc_later, 1),
    PLACE(malloc_block, 1),
#undef PLACE
};

static int run(void *place)
{
    config.workers = atoi(getenv("DF_WORKERS"));
    ((const struct place *)place)->fn();
    return 0;
}

int main(int argc, char **argv)
{
    const char *workers[] = { "1", "2", "4" }, *env[] = { "DF_WORKERS", NULL, NULL };
    int bad = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int k = 0; k < 3 * N_ACTIONS; k++) {
            struct child c;
            struct place place = places[i];
            if ((argc > 1 && strcmp(argv[1], place.name)) || (argc > 2 && strcmp(argv[2], workers[k % 3])) ||
                (argc > 3 && atoi(argv[3]) != k / 3)) continue;
            env[1] = workers[k % 3];
            if (atoi(env[1]) < place.workers) continue;
            action = (enum action)(k / 3);
            /* the sanitizers cannot fork while other threads run (before_fork.h), nor exit while they run or twice */
            if (action != USE && (TEST_TSAN || TEST_ASAN)) continue;
            c = child_run(run, &place, env, 30);
            if (!c.status ? action != EXIT || strstr(place.name, "fork") : action == EXIT && c.status == LEFT_WITH)
                continue;
            bad++;
            printf("%s, %s, %s worker%s: status %d, %d lines:\n%s\n", place.name, action_names[action], env[1],
                   k % 3 ? "s" : "", c.status, c.lines, c.err);
        }
    return bad;
}
