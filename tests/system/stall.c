/* stall.c - when a program makes no progress, a report names the waiting threads and tasks, and their conditions, once,
 * with the lines of the calls; without df_config.stall there is no report
 *
 * Each part makes a stall and ends it as soon as the report has the expected lines; the same without a report.
 * Stalls that cannot be ended, and those of whole processes, run in a process of their own. (If one hangs: the
 * alarm, and the last report.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "../test.h"

/* With AddressSanitizer held at a fork: the thread that watches allocates for each report, and before_fork.h does
 * not know when. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int has_memory; /* this thread has it: df's handlers of fork allocate, too */
static void memory_taken(void)
{
    if (TEST_ASAN && !has_memory) pthread_mutex_lock(&memory_lock);
}
static void memory_given_back(void)
{
    if (TEST_ASAN && !has_memory) pthread_mutex_unlock(&memory_lock);
}
void *test_malloc(size_t n)
{
    void *p;
    memory_taken();
    p = malloc(n);
    memory_given_back();
    return p;
}
void test_free(void *p)
{
    memory_taken();
    free(p);
    memory_given_back();
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) test_free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "child.h"
#include "before_fork.h"

#define HERE __FILE__ ":" DFI_STR(__LINE__)
enum { TEXTS = 8, QUIET_US = 10000 };
static const double SECONDS = 0.02;

/* --- what is said ---------------------------------------------------------------------------------- */

static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;
static char said[20000]; /* the last report, and the messages after it */
static int reports, lines, enough; /* enough: it has all that is expected, and is kept */

static void hear(void *arg, int level, const char *text)
{
    size_t used;
    (void)arg;
    pthread_mutex_lock(&said_lock);
    CHECK(level == 1 || level == 2);
    if (strstr(text, "stall: nothing has begun")) reports++, *said = enough ? *said : 0;
    lines++;
    used = strlen(said);
    if (!enough) snprintf(said + used, sizeof said - used, "%s\n", text);
    pthread_mutex_unlock(&said_lock);
}
static void late(int number)
{
    (void)number;
    fprintf(stderr, "said last:\n%s", said); /* the process ends anyway */
    _Exit(1);
}

/* What the report is to have; there is none if `expects` is 0. */
static int expects, n_texts;
static char texts[TEXTS][400];
static void text(const char *a, const char *b, const char *c, const char *d)
{
    CHECK(n_texts < TEXTS);
    snprintf(texts[n_texts++], sizeof texts[0], "%s%s%s%s", a, b, c, d);
}
static int has_all(void)
{
    int n = 0;
    pthread_mutex_lock(&said_lock);
    while (n < n_texts && strstr(said, texts[n])) n++;
    enough = n == n_texts;
    pthread_mutex_unlock(&said_lock);
    return n == n_texts;
}
static void await(void)
{
    if (!expects) usleep(QUIET_US);
    while (expects && !has_all()) usleep(1000);
}

/* Ends a stall from outside, when it was reported. */
static pthread_t thread;
static void *ended_by(void *fn)
{
    await();
    (*(void (**)(void))fn)();
    return NULL;
}
static void end_by(void (**fn)(void)) { CHECK(pthread_create(&thread, NULL, ended_by, (void *)fn) == 0); }
static void ended(void) { pthread_join(thread, NULL); }

/* --- the parts ------------------------------------------------------------------------------------- */

static df_token token;
static df_mutex lock = DF_MUTEX;
static int opened, begun; /* atomic */
static long word;
static void open_it(void) { __atomic_store_n(&opened, 1, __ATOMIC_SEQ_CST); }
static void until_open(void *unused)
{
    (void)unused;
    __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&opened, __ATOMIC_SEQ_CST)) usleep(500);
}

DF_TASK(void, put, df_out(int, x, 1), (int, k));
void put(int *x, int k) { *x = k; }
DF_TASK(void, use, df_in(int, x, 1));
void use(const int *x) { CHECK(*x == 5); }

static void send(void) { df_signal(&token); }
static void a_token(void)
{
    static void (*fn)(void) = send;
    int x = 5;
    df_token_init(&token, 2); const char *made = HERE;
    df_signal(&token);
    const char *task = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&token), .name = "writer"), put, &x, 5);
    df_submit(use, &x);
    text("task writer (", task, ") waits for the token of ", made);
    text(made, ": 1 signal missing, 0 promised by tasks", "", "");
    text("waits in df_wait_on at ", __FILE__, "", "");
    text("which comes after task writer (", task, ")", "");
    text("which nobody promised to signal", "", "", "");
    end_by(&fn);
    const char *waits = HERE; df_wait_on(&x, sizeof x);
    ended();
    CHECK(!expects || strstr(said, waits));
    CHECK(x == 5);
    df_wait();
}
static void wait_token(void)
{
    static void (*fn)(void) = send;
    df_token_init(&token, 1); const char *made = HERE;
    text("waits in df_wait_token at ", __FILE__, "", "");
    text("for the token of ", made, ": 1 signal missing", "");
    end_by(&fn);
    CHECK(df_wait_token(&token) == DF_OK);
    ended();
}
static void nothing(void) { }
static void a_cycle(void)
{
    static void (*fn)(void) = nothing;
    int x = 0, y = 0;
    const char *made = HERE; df_token t = DF_TOKEN(1), u = DF_TOKEN(1);
    const char *first = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 5);
    const char *second = HERE; df_submit_with(DF_OPTS(.signals = DF_TOKENS(&u)), use, &x); /* comes after the first through x */
    const char *third = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&u), .signals = DF_TOKENS(&t)), put, &y, 1);
    text("a cycle, in which each waits for the next", "", "", "");
    text("which waits for the token of ", made, "", "");
    text("which is to be signalled by task use (", second, ")", "");
    text("which comes after task put (", first, ")", "");
    text("which is to be signalled by task put (", third, ")", "");
    end_by(&fn);
    CHECK(df_wait_result() == DF_ERROR_STUCK); /* given up by itself */
    ended();
}

DF_TASK(void, lock_it, (const char **, site));
void lock_it(const char **site)
{
    *site = HERE; CHECK(df_mutex_lock(&lock) == DF_OK);
    df_mutex_unlock(&lock);
}
static void a_lock(void)
{
    static const char *site;
    const char *taken = HERE; CHECK(df_mutex_lock(&lock) == DF_OK);
    df_submit(lock_it, &site);
    text("waits in df_mutex_lock at ", __FILE__, "", "");
    text("for the lock that was taken at ", taken, "", "");
    text("nested in task lock_it", "", "", "");
    await(); /* outside of df: another worker runs it */
    df_mutex_unlock(&lock);
    df_wait();
    CHECK(!expects || strstr(said, site));
}

DF_TASK(int, sum, (int, a), (int, b));
int sum(int a, int b) { return a + b; }
static df_node(sum) *node;
static void give_b(void) { df_node_set(sum, node, b, 2); }
static void a_node(void)
{
    static void (*fn)(void) = give_b;
    const char *made = HERE; node = df_node_new(sum);
    df_node_set(sum, node, a, 1);
    text("node sum (", made, ") was not given: b", "");
    text("among them node sum (", made, ")", "");
    text("which was not given all of its inputs", "", "", "");
    end_by(&fn);
    const char *waits = HERE; df_wait();
    ended();
    CHECK(!expects || strstr(said, waits));
}

DF_TASK(void, take, df_pop(int, p, 4), (int *, total));
void take(const int *p, int *total) { *total = p[0] + p[1] + p[2] + p[3]; }
DF_TASK(void, fill, df_push(int, p, 4));
void fill(int *p) { p[0] = p[1] = p[2] = p[3] = 3; }
static df_stream *stream;
static void feed(void)
{
    df_submit(fill, stream);
    df_wait();
}
static void a_stream(void)
{
    static void (*fn)(void) = feed;
    int total = 0;
    const char *made = HERE; stream = df_stream_new(sizeof(int), 16);
    df_submit(take, stream, &total);
    text(" waits for 4 more elements in the stream of ", made, "", "");
    text("which no task was submitted to push", "", "", "");
    end_by(&fn);
    df_wait();
    ended();
    df_stream_free(stream);
    CHECK(total == 12);
}
static void a_stream_fed_late(void)
{
    static void (*fn)(void) = send;
    int total = 0;
    df_token_init(&token, 1);
    stream = df_stream_new(sizeof(int), 16);
    const char *task = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&token)), fill, stream);
    df_submit(take, stream, &total);
    text("to be pushed by task fill (", task, ")", "");
    text("which nobody promised to signal", "", "", "");
    end_by(&fn);
    df_wait();
    ended();
    df_stream_free(stream);
    CHECK(total == 12);
}

DF_TASK(void, block, (const char **, site));
void block(const char **site) { *site = HERE; df_yield_blocking(until_open, NULL); }
static void a_blocking_call(void)
{
    static void (*fn)(void) = open_it;
    static const char *site;
    df_submit(block, &site);
    text("waits in df_yield_blocking at ", __FILE__, "", "");
    text("nested in task block", "", "", "");
    end_by(&fn);
    df_wait();
    ended();
    CHECK(!expects || strstr(said, site));
}

DF_TASK(void, long_body, (int, k));
void long_body(int k) { until_open(NULL), (void)k; }
static void a_long_body(void)
{
    static void (*fn)(void) = open_it;
    df_submit_with(DF_OPTS(.worker = 1), long_body, 1);
    text("waits in df_wait at ", __FILE__, "", "");
    text("runs task long_body", "", "", "");
    text("which runs on worker 1, which is busy", "", "", "");
    end_by(&fn);
    df_wait();
    ended();
}

DF_TASK(int, held, (int, k));
int held(int k) { return until_open(NULL), k; }
static void a_future(void)
{
    static void (*fn)(void) = open_it;
    df_future(held) f;
    df_future(sum) g;
    df_spawn(held, &f, 7);
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST)) { /* until another worker has it */
        df_spawn(sum, &g, 1, 2);
        CHECK(df_sync(sum, &g) == 3);
    }
    text("waits in df_sync", "", "", "");
    text("for the spawned held", "", "", "");
    text("which runs on worker 1, which is busy", "", "", "");
    end_by(&fn);
    CHECK(df_sync(held, &f) == 7);
    ended();
}

DF_TASK(void, retry, (const char **, site));
void retry(const char **site)
{
    *site = HERE; DF_ATOMIC { if (!df_tm_read(&word)) df_retry(); }
}
static void set_word(void) { DF_ATOMIC df_tm_write(&word, 1); }
static void a_transaction(void)
{
    static void (*fn)(void) = set_word;
    static const char *site;
    word = 0;
    df_submit(retry, &site);
    text("waits in df_retry at ", __FILE__, "", "");
    end_by(&fn);
    df_wait();
    ended();
    CHECK(!expects || strstr(said, site));
}

DF_TASK(void, parent, (int, k));
void parent(int k)
{
    static int x;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&token)), put, &x, k);
}
static void children(void) /* of a body that has ended, and its successors */
{
    static void (*fn)(void) = send;
    static df_token done;
    df_token_init(&token, 1);
    df_token_init(&done, 1);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&done)), parent, 5);
    text("waits in df_wait_token at ", __FILE__, "", "");
    text("which is to be signalled by task parent (", __FILE__, "", "");
    text("which is not done before its child, task put (", __FILE__, "", "");
    end_by(&fn);
    CHECK(df_wait_token(&done) == DF_OK);
    ended();
    df_wait();
}

enum { GATED, PARTED, OPEN, RELEASED };
static int weakly, followed; /* atomic: its successors were submitted */
static const char *child_site;
DF_TASK(void, weak_task, df_weak_inout(int, x, 1), (df_token *, go));
void weak_task(int *x, df_token *go)
{
    child_site = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(go), .name = "weak_child"), put, x, 5);
    __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&followed, __ATOMIC_SEQ_CST)) usleep(100); /* else it is no part that is waited for */
    if (weakly == OPEN) df_wait_token(&token);
}
DF_TASK(void, releasing, df_inout(int, x, 1));
void releasing(int *x)
{
    child_site = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&token), .name = "weak_child"), put, x, 5);
    df_release(x, 1);
    until_open(NULL);
}
static void send_and_open(void) { df_signal(&token), open_it(); }

/* A chain of tasks that ends at the token: through a weak access, or parts of the task that has it. */
static void weak(int how)
{
    static void (*fn)(void) = send_and_open;
    static df_token done, none;
    static int x;
    const char *task;
    weakly = how, followed = 0, x = 0;
    df_token_init(&token, 1), df_token_init(&done, 1), df_token_init(&none, 0);
    if (how == GATED) df_submit_with(DF_OPTS(.after = DF_TOKENS(&token), .name = "writer"), put, &x, 5);
    if (how == RELEASED) task = HERE, df_submit_with(DF_OPTS(.worker = 1, .release = 1), releasing, &x);
    else task = HERE, df_submit_with(DF_OPTS(.worker = 1), weak_task, &x, how == PARTED ? &token : &none);
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST)) usleep(100);
    if (how != GATED) df_submit_with(DF_OPTS(.signals = DF_TOKENS(&done)), use, &x);
    __atomic_store_n(&followed, 1, __ATOMIC_SEQ_CST);
    if (how == GATED) {
        text("which is not done before its child, task weak_child (", child_site, ")", "");
        text("which comes after what task weak_task (", task, ") accesses weakly", "");
        text("which comes after task writer (", __FILE__, "", "");
    } else if (how == OPEN) {
        text("which comes after a part of task weak_task (", task, ")", "");
        text("which runs on worker 1, which waits in df_wait_token", "", "", "");
    } else {
        text("task use (", __FILE__, "", "");
        if (how == PARTED) text("which comes after a part of task weak_task (", task, ")", "");
        else text("which comes after what task releasing (", task, ") released", "");
        text("which comes after task weak_child (", child_site, ")", "");
    }
    text("which nobody promised to signal", "", "", "");
    end_by(&fn);
    if (how != GATED) CHECK(df_wait_token(&done) == DF_OK);
    df_wait();
    ended();
    CHECK(x == 5);
}
static void weak_gate(void) { weak(GATED); }
static void weak_part(void) { weak(PARTED); }
static void weak_part_of_body(void) { weak(OPEN); }
static void released(void) { weak(RELEASED); }

/* --- whole processes ------------------------------------------------------------------------------- */

static void start(double seconds, int workers)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.workers = workers;
    c.patience = 1000000;
    c.stall = seconds;
    c.log = hear;
    CHECK(df_start(&c) == DF_OK);
}

static int use_df(void *unused)
{
    int x = 0;
    (void)unused;
    DF_PARALLEL df_submit(put, &x, 5);
    return x != 5;
}

/* Two tasks take two locks in different orders: for ever. */
static df_mutex fork_left = DF_MUTEX, fork_right = DF_MUTEX;
static int sitting; /* atomic */
DF_TASK(void, dine, (df_mutex *, a), (df_mutex *, b));
void dine(df_mutex *a, df_mutex *b)
{
    df_mutex_lock(a);
    __atomic_fetch_add(&sitting, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&sitting, __ATOMIC_SEQ_CST) < 2) usleep(100);
    df_mutex_lock(b);
}
static void leave(void) { _Exit(7); }
static int deadlock(void *unused)
{
    static void (*fn)(void) = leave;
    (void)unused;
    expects = 1;
    start(SECONDS, 2);
    df_submit(dine, &fork_left, &fork_right);
    df_submit(dine, &fork_right, &fork_left);
    text("a cycle, in which each waits for the next", "", "", "");
    text("which is held by worker 0, which waits in df_mutex_lock at ", __FILE__, "", "");
    text("which is held by worker 1, which waits in df_mutex_lock at ", __FILE__, "", "");
    end_by(&fn);
    df_wait();
    return 1;
}

/* Long before the time of a stall: a wait that is given up immediately is reported earlier. */
static int before_giving_up(void *unused)
{
    df_token t = DF_TOKEN(1);
    int x;
    (void)unused;
    expects = 1;
    start(1000, 2);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&t)), put, &x, 1);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    text("a cycle, in which each waits for the next", "", "", "");
    CHECK(reports == 1 && has_all());
    return 0;
}

/* The only worker has queued a task, because tasks of this program may block, and waits for it outside of df. */
static int outside(void *unused)
{
    int x = 0;
    (void)unused;
    expects = 1;
    start(SECONDS, 1);
    df_submit(put, &x, 5);
    text("0 threads wait, 0 run something, 0 have nothing to do", "", "", "");
    text("tasks are ready, and no thread runs them: the only worker", "", "", "");
    await();
    df_wait();
    return x != 5;
}

/* The parent of a fork continues to watch; the child begins anew. */
static int forks(void *unused)
{
    static void (*fn)(void) = send;
    int status = 0;
    pid_t pid;
    expects = 1;
    start(SECONDS, 2);
    CHECK(use_df(unused) == 0);
    before_fork();
    pthread_mutex_lock(&said_lock);
    *said = 0;
    memory_taken();
    has_memory = 1;
    pid = fork();
    has_memory = 0;
    memory_given_back();
    CHECK(pid >= 0);
    pthread_mutex_unlock(&said_lock);
    if (!pid) {
        if (TEST_TSAN) _exit(0); /* it allows no threads there */
        alarm(60);
        start(SECONDS, 2);
    }
    df_token_init(&token, 1);
    text("waits in df_wait_token", "", "", "");
    end_by(&fn);
    CHECK(df_wait_token(&token) == DF_OK);
    ended();
    if (pid) CHECK(waitpid(pid, &status, 0) == pid);
    return status != 0;
}

static void *waits_for_ever(void *unused)
{
    df_wait_token(&token);
    return unused;
}
static int ends_stalled(void *unused) /* exit while a task waits, and a thread of the program */
{
    static int x;
    df_token_init(&token, 1);
    expects = 1;
    start(SECONDS, 2);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&token)), put, &x, 1);
    CHECK(pthread_create(&thread, NULL, waits_for_ever, unused) == 0);
    text("waits in df_wait_token", "", "", "");
    await();
    return 5;
}
static void hear_and_leave(void *arg, int level, const char *line)
{
    (void)arg, (void)level;
    if (strstr(line, "stall: nothing")) exit(9);
}
static int left_by_logger(void *unused)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.stall = SECONDS, c.workers = 1, c.patience = 1000000, c.log = hear_and_leave;
    (void)unused;
    CHECK(df_start(&c) == DF_OK);
    df_token_init(&token, 1);
    df_wait_token(&token);
    return 1;
}

static void processes(void)
{
    static const char *const garbage[] = { "abc", "-1", "1x", " 2", "2 ", "1e3", "1.2.3", ".", "1,5", "99999999999999",
                                           "\xff" };
    static const char *const seconds[] = { "0", "2", "0.5", ".5", "3.", "1000000", "" };
    struct child c;
    size_t i;
    for (i = 0; i < sizeof garbage / sizeof *garbage + sizeof seconds / sizeof *seconds; i++) {
        int bad = i < sizeof garbage / sizeof *garbage;
        const char *env[] = { "DF_STALL", bad ? garbage[i] : seconds[i - sizeof garbage / sizeof *garbage], NULL };
        c = child_run(use_df, NULL, env, 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == bad && (!bad || strstr(c.err, "DF_STALL")));
    }
    c = child_run(deadlock, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 7);
    c = child_run(before_giving_up, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
    c = child_run(outside, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
    c = child_run(forks, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
    c = child_run(ends_stalled, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 5);
    c = child_run(left_by_logger, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 9);
}

int main(void)
{
    static void (*const parts[])(void) = { a_token, wait_token, a_cycle, a_lock, a_node, a_stream, a_stream_fed_late,
                                           a_blocking_call, a_long_body, a_future, a_transaction, children, weak_gate,
                                           weak_part, weak_part_of_body, released };
    int i, n = sizeof parts / sizeof *parts;
    signal(SIGALRM, late);
    processes();
    alarm(100);
    for (expects = 1; expects >= 0; expects--) {
        for (i = 0; i < n; i++) {
            *said = 0, reports = lines = enough = n_texts = opened = begun = 0;
            start(expects ? SECONDS : -1, 2);
            parts[i]();
            df_stop();
            CHECK(expects ? reports > 0 : !reports && (lines == 0 || parts[i] == a_cycle));
        }
    }
    for (i = 0; i < 20; i++) { /* begun and ended again and again */
        start(SECONDS, 2);
        CHECK(use_df(NULL) == 0);
        df_stop();
    }
}
