/* workers_set.c - df_workers_set: the number of workers changes while tasks of all kinds are pending, by other threads
 * and in tasks. Everything runs exactly once, a worker that is one too many begins nothing further, pinned tasks run on
 * their worker, no task is left with a worker that rests, and stop, fork, callbacks and schedules keep working. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "hear.h"
#include "work.h"

enum { MOST_WORKERS = 8, LIMIT = 256, N = 3000 };
static long get(long *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static void add(long *p, long k) { __atomic_fetch_add(p, k, __ATOMIC_SEQ_CST); }
static int heard(const char *text)
{
    int n = 0;
    for (int i = 0; i < n_said; i++) n += strstr(said[i], text) != NULL;
    return n;
}
static void start(int workers, const char *schedule)
{
    df_config c = { .workers = workers, .log = hear, .schedule = schedule };
    n_said = 0;
    CHECK(df_start(&c) == DF_OK && df_workers() == workers);
}

/* --- the number -------------------------------------------------------------------------------------------------- */

static long starts, stops;
static void worker_starts(void *arg, int worker)
{
    CHECK(arg == &starts && worker >= 0 && worker < MOST_WORKERS);
    add(&starts, 1);
}
static void worker_stops(void *arg, int worker)
{
    CHECK(arg == &starts && worker >= 0 && worker < MOST_WORKERS);
    add(&stops, 1);
}

static pthread_barrier_t meet;
static long where; /* a bit for each worker */
DF_TASK(void, meets, (int, k));
void meets(int k)
{
    (void)k;
    pthread_barrier_wait(&meet);
    usleep(20); /* longer than any task that runs where it is submitted */
    __atomic_fetch_or(&where, 1l << df_worker(), __ATOMIC_SEQ_CST);
}
/* n workers, with indices 0 .. n-1, run tasks at the same time; not only at first, because a worker that is one too
 * many may just be looking for a task. */
static void all_work(int n)
{
    pthread_barrier_init(&meet, NULL, (unsigned)n);
    do {
        where = 0;
        for (int i = 0; i < n; i++) df_submit(meets, i);
        df_wait();
    } while (where != (1l << n) - 1);
    pthread_barrier_destroy(&meet);
}

static void numbers(void)
{
    static const int n[] = { 5, 1, 8, 3, 3, 8, 1, 2, 8 };
    df_config c = { .workers = 2, .log = hear, .worker_start = worker_starts, .worker_stop = worker_stops,
                    .worker_arg = &starts };
    n_said = 0;
    CHECK(df_start(&c) == DF_OK);
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        CHECK(df_workers_set(n[i]) == n[i] && df_workers() == n[i]);
        all_work(n[i]);
        CHECK(work_right());
    }
    CHECK(df_workers_set(0) == 8 && df_workers_set(-3) == 8 && df_workers() == 8);
    CHECK(n_said == 2 && heard("df_workers_set(0)") == 1 && heard("df_workers_set(-3)") == 1);
    df_workers_set(3); /* some rest at the stop */
    df_stop();
    CHECK(starts == 8 && stops == 8); /* a thread each */
    start(2, NULL);
    CHECK(df_workers_set(LIMIT + 44) == LIMIT && heard("at most") == 1);
    CHECK(df_workers_set(2) == 2 && work_right());
    df_stop();
    CHECK(df_workers_set(4) == 4); /* starts df */
    all_work(4);
    df_stop();
}

/* --- a worker that is one too many ------------------------------------------------------------------------------- */

enum { CHAIN = 2000, PARTS = 200 };
static long lowered, late[MOST_WORKERS], ran; /* late: tasks that worker k began after the change */
static void begins(void)
{
    int k = df_worker();
    if (get(&lowered) && k > 0 && k < MOST_WORKERS) add(&late[k], 1); /* others stand in for the one that submits */
    add(&ran, 1);
    while (get(&ran) >= 20 && !get(&lowered)) usleep(50); /* each worker is in a task during the change */
    test_spin(500);
}
static void *lowers(void *p)
{
    while (get(&ran) < 20) usleep(100);
    CHECK(df_workers_set(1) == 1);
    __atomic_store_n(&lowered, 1, __ATOMIC_SEQ_CST);
    return p;
}
DF_TASK(void, link_of, df_inout(long, x, 1));
void link_of(long *x) { begins(), ++*x; }
DF_LOOP(part, (int, any));
void part(long lo, long hi, int any)
{
    (void)any;
    for (long i = lo; i < hi; i++) begins();
}
DF_PIPE(items, long);
int items(int stage, long *x, long i, void *ctx)
{
    (void)x, (void)ctx;
    if (!stage && i == PARTS) return DF_PIPE_END;
    begins();
    for (int k = 0; k < 40; k++) test_spin(200); /* items that are worth a second worker */
    return stage < 3 ? df_continue(stage + 1) : DF_PIPE_DONE;
}
/* The chains are begun by all workers, and each of them would keep its worker until its end. */
static void surplus(int kind)
{
    static long x[MOST_WORKERS];
    pthread_t t;
    memset(late, 0, sizeof late), memset(x, 0, sizeof x);
    lowered = ran = 0;
    CHECK(df_workers_set(MOST_WORKERS) == MOST_WORKERS);
    CHECK(!pthread_create(&t, NULL, lowers, NULL));
    if (kind == 0)
        for (int i = 0; i < CHAIN; i++)
            for (int k = 0; k < MOST_WORKERS; k++) df_submit(link_of, &x[k]);
    else if (kind == 1) df_for_with(DF_LOOP_OPTS(.grain = 1, .schedule = DF_DYNAMIC), part, 0, CHAIN, 0);
    else CHECK(df_pipe(items, NULL, NULL) == PARTS);
    df_wait();
    pthread_join(t, NULL);
    CHECK(ran == (kind == 0 ? (long)CHAIN * MOST_WORKERS : kind == 1 ? CHAIN : 4 * PARTS));
    for (int k = 0; k < MOST_WORKERS; k++) CHECK(kind || x[k] == CHAIN);
    /* the one that it had found, or claimed, before the change; of items, the rest of one or two */
    for (int k = 1; k < MOST_WORKERS; k++) CHECK(late[k] <= (kind == 2 ? 8 : 1));
}

/* --- pinned tasks ------------------------------------------------------------------------------------------------- */

static df_token go;
static long pinned;
DF_TASK(void, child, df_inout(long, x, 1));
void child(long *x) { ++*x; }
DF_TASK(void, pins, (int, k), df_inout(long, x, 1));
void pins(int k, long *x)
{
    CHECK(df_worker() == k);
    for (int i = 0; i < 10; i++) df_submit(child, x); /* it waits for its children, and helps */
    df_wait();
    add(&pinned, 1);
}
static void pinned_tasks(void)
{
    static long x[MOST_WORKERS];
    int n = TEST_SLOW ? 30 : 300;
    memset(x, 0, sizeof x);
    pinned = 0;
    for (int i = 0; i < n; i++) {
        CHECK(df_workers_set(MOST_WORKERS) == MOST_WORKERS);
        df_token_init(&go, 1);
        for (int k = 1; k < MOST_WORKERS; k++) {
            df_submit_with(DF_OPTS(.worker = k, .after = DF_TOKENS(&go)), pins, k, &x[k]);
            df_submit(child, &x[k]); /* a successor, which the rest of the workers runs */
        }
        df_submit_with(DF_OPTS(.worker = DF_MAIN_THREAD, .after = DF_TOKENS(&go)), pins, 0, &x[0]);
        CHECK(df_workers_set(1 + i % 3) == 1 + i % 3);
        df_signal(&go);
        df_wait();
    }
    CHECK(pinned == (long)MOST_WORKERS * n && !n_said);
    for (int k = 0; k < MOST_WORKERS; k++) CHECK(x[k] == n * (k ? 11l : 10l));
    df_submit_with(DF_OPTS(.worker = 7), child, &x[0]); /* it is none of the workers now */
    df_wait();
    CHECK(x[0] == n * 10l + 1 && n_said == 1 && heard("df_opts.worker = 7"));
}

/* --- ready tasks -------------------------------------------------------------------------------------------------- */

static long over, changes;

/* A task of the outer scope and one of the inner scope become ready on a worker that is one too many. Worker 0 waits
 * for the inner one, and may not run the other. */
static long begun, proceed;
DF_TASK(void, two, (df_token *, a), (df_token *, b));
void two(df_token *a, df_token *b)
{
    add(&begun, 1);
    while (!get(&proceed)) sched_yield();
    df_signal(a);
    df_signal(b);
}
static void left_behind(void)
{
    df_token outer, inner;
    long x = 0, y = 0;
    df_workers_set(1); /* from here on one other worker begins tasks */
    all_work(1);
    CHECK(df_workers_set(2) == 2);
    all_work(2);
    begun = proceed = 0;
    df_token_init(&outer, 1), df_token_init(&inner, 1);
    df_submit(two, &outer, &inner);
    while (!get(&begun)) sched_yield();
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&outer)), child, &x);
    CHECK(df_workers_set(1) == 1);
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&inner)), child, &y);
        add(&proceed, 1);
    }
    CHECK(y == 1);
    df_wait();
    CHECK(x == 1);
}

/* At least one worker beside this one is always there, and finds each task while this one is not in df. */
static void *changes_above(void *p)
{
    uint64_t mine = 7;
    while (!get(&over)) {
        df_workers_set(2 + test_below(&mine, 3));
        test_spin((unsigned)test_below(&mine, 3000));
    }
    return p;
}
DF_TASK(void, shows, (long *, x));
void shows(long *x) { add(x, 1); }
static void found(void)
{
    pthread_t t;
    long x = 0;
    over = 0;
    CHECK(df_workers_set(2) == 2);
    CHECK(!pthread_create(&t, NULL, changes_above, NULL));
    for (long i = 0; i < (TEST_SLOW ? 300 : 1500); i++) {
        usleep((unsigned)(i % 400)); /* until they sleep */
        df_submit(shows, &x);
        while (get(&x) == i) sched_yield();
    }
    df_wait();
    add(&over, 1);
    pthread_join(t, NULL);
}

/* --- everything at once ------------------------------------------------------------------------------------------ */

static uint64_t seed = 1;
static void *changes_it(void *p)
{
    uint64_t mine = seed + (uint64_t)(uintptr_t)p;
    while (!get(&over)) {
        int n = 1 + test_below(&mine, MOST_WORKERS);
        CHECK(df_workers_set(n) == n || get(&over) > 1 || p); /* with several threads, another one may be later */
        add(&changes, 1);
        switch (test_below(&mine, 4)) {
        case 0: break;
        case 1: usleep((unsigned)test_below(&mine, 200)); break;
        default: test_spin((unsigned)test_below(&mine, 3000)); break;
        }
    }
    return NULL;
}

typedef struct { long value, busy; } datum;
DF_TASK(void, commutes, df_commute(datum, x, 1));
void commutes(datum *x)
{
    CHECK(__atomic_exchange_n(&x->busy, 1, __ATOMIC_SEQ_CST) == 0);
    x->value++;
    test_spin(100);
    CHECK(__atomic_exchange_n(&x->busy, 0, __ATOMIC_SEQ_CST) == 1);
}
DF_TASK(void, sums, df_reduce(df_sum, long, x, 1), (long, k));
void sums(long *x, long k) { *x += k; }
DF_TASK(void, put, (int, from), df_push(int, p, 3));
void put(int from, int *p) { for (int i = 0; i < 3; i++) p[i] = from + i; }
DF_TASK(void, take, df_pop(int, p, 2), df_inout(long, x, 1));
void take(const int *p, long *x) { *x = (*x * 31 + p[0] * 7 + p[1]) % 1000003; }
DF_TASK(void, signals, (df_token *, t));
void signals(df_token *t) { df_signal(t); }
DF_TASK(void, tree, (int, depth), df_reduce(df_sum, long, x, 1));
void tree(int depth, long *x) /* nested waits */
{
    long below = 0;
    for (int i = 0; i < 3 && depth; i++) df_submit(tree, depth - 1, &below);
    df_wait();
    *x += below + 1;
}
DF_TASK(void, sets, (int, n));
void sets(int n) /* in a task */
{
    int now = df_workers_set(n);
    CHECK(now >= 1 && now <= MOST_WORKERS);
    add(&changes, 1);
}
DF_LOOP(adds, df_reduce(df_sum, long, sum, 1), df_inout(char, times, N));
void adds(long lo, long hi, long *sum, char *times)
{
    for (long i = lo; i < hi; i++) *sum += i, times[i]++;
}
DF_PIPE(stages, long);
int stages(int stage, long *x, long i, void *ctx)
{
    if (stage == 0) {
        *x = i;
        return i == 60 ? DF_PIPE_END : df_continue(1);
    }
    for (int k = 0; k < 10; k++) test_spin(300);
    if (stage == 1) return df_in_order(2);
    *(long *)ctx = (*(long *)ctx * 5 + *x) % 1000003;
    return DF_PIPE_DONE;
}

static void batch(int round)
{
    datum d = { 0, 0 };
    df_token t[5];
    df_stream *s = df_stream_new(sizeof(int), 8);
    static char times[N];
    long sum = 0, of_stream = 0, expect = 0, nodes = 0, loop = 0, of_pipe = 0, expect_pipe = 0, x = 0;
    memset(times, 0, sizeof times);
    for (int i = 0; i < 5; i++) df_token_init(&t[i], 1);
    DF_PARALLEL {
        for (int i = 0; i < 100; i++) df_submit(commutes, &d), df_submit(sums, &sum, i);
        for (int i = 0; i < 20; i++) df_submit(put, 3 * i, s);
        for (int i = 0; i < 30; i++) df_submit(take, s, &of_stream);
        for (int i = 0; i < 5; i++) {
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t[i])), child, &x);
            df_submit_with(DF_OPTS(.priority = i - 2), signals, &t[4 - i]);
        }
        df_submit(tree, 4, &nodes);
        for (int k = 1; k < 4; k++) df_submit_with(DF_OPTS(.worker = k), child, &x); /* a message if there is none */
        df_submit(sets, 1 + round % MOST_WORKERS);
        df_for(adds, 0, N, &loop, times);
        CHECK(df_pipe(stages, NULL, &of_pipe) == 60);
        CHECK(work_fib(12) == 144);
    }
    df_stream_free(s);
    for (int i = 0; i < 60; i += 2) expect = (expect * 31 + i * 7 + i + 1) % 1000003;
    for (int i = 0; i < 60; i++) expect_pipe = (expect_pipe * 5 + i) % 1000003;
    CHECK(d.value == 100 && sum == 4950 && of_stream == expect && nodes == 121 && x == 8);
    CHECK(loop == N * (N - 1) / 2 && of_pipe == expect_pipe);
    for (int i = 0; i < N; i++) CHECK(times[i] == 1);
    CHECK(work_right());
}

static void quiet(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    CHECK(strstr(text, "df_opts.worker"));
}
static void storm(int workers, int threads, const char *schedule, int rounds)
{
    pthread_t t[4];
    df_config c = { .workers = workers, .log = quiet, .schedule = schedule };
    over = changes = 0;
    CHECK(df_start(&c) == DF_OK);
    for (int i = 0; i < threads; i++) CHECK(!pthread_create(&t[i], NULL, changes_it, (void *)(intptr_t)(i + 1)));
    for (int i = 0; i < rounds || get(&changes) < 300; i++) batch(i);
    add(&over, 1);
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    batch(0);
    df_stop();
}

/* --- fork, the end of the process, a recorded run ----------------------------------------------------------------- */

static int forks(void *p)
{
    start(4, NULL);
    df_workers_set(2);
    CHECK(work_right());
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        alarm(60);
        /* ThreadSanitizer cannot follow threads in a forked child; a helper that was starting may have had the lock of
         * AddressSanitizer's allocator */
        if (TEST_TSAN || TEST_ASAN) _exit(0);
        CHECK(df_workers_set(3) == 3);
        all_work(3);
        CHECK(df_workers_set(1) == 1 && work_right());
        exit(0);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(df_workers_set(6) == 6);
    all_work(6);
    (void)p;
    df_workers_set(2);
    return 0; /* some rest at the end of the process */
}

static int records(void *p)
{
    int n = df_workers();
    CHECK(n == 3 && df_workers_set(5) == 3 && df_workers() == 3 && df_workers_set(1) == 3 && work_right());
    return (void)p, 0;
}

int main(void)
{
    static const char *const recorded[] = { "DF_WORKERS", "3", "DF_SCHEDULE", "record:/dev/null", NULL };
    struct child c = child_run(forks, NULL, NULL, 120);
    /* the leak checker may see threads that have just ended, and warn of them */
    CHECK_CHILD(c, !c.status && (TEST_ASAN || !c.lines));
    c = child_run(records, NULL, recorded, 120);
    CHECK_CHILD(c, !c.status && c.lines == 1 && strstr(c.err, "df_workers_set: the number of workers stays 3"));
    numbers();
    start(MOST_WORKERS, NULL);
    for (int i = 0; i < (TEST_SLOW ? 3 : 10); i++)
        for (int kind = 0; kind < 3; kind++) surplus(kind);
    for (int i = 0; i < (TEST_SLOW ? 10 : 100); i++) left_behind();
    found();
    pinned_tasks();
    df_stop();
    for (int i = 1; i <= MOST_WORKERS; i *= 2) storm(i, 1, NULL, TEST_SLOW ? 10 : 50);
    storm(4, 3, NULL, TEST_SLOW ? 10 : 50);
    storm(3, 1, "seed:5", TEST_SLOW ? 3 : 20);
    return 0;
}
