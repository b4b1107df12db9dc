/* exit_body.c - threads that end inside a body, by pthread_exit and by cancellation: the tasks that they ran have
 * failed, waiting threads continue, and another helper takes the place of one that ended */
#include <pthread.h>
#include <stdatomic.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) /* a process under it does not end with its last thread */
enum { MAIN_ENDS = 0 };
#else
enum { MAIN_ENDS = 1 };
#endif
/* Under AddressSanitizer: the items of a pipe whose owner ends in it are lost (docs/internals/work.md, "Threads that
 * end inside a body"). */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

enum { ROUNDS = 8, N = 40 };
static atomic_int said, lost, survived;
static int cancels, began;
static long x[N];

static void log_it(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    if (strstr(text, "its thread ended in its body")) said++;
    else if (!strstr(text, "and no df_wait_result returned it")) fprintf(stderr, "%s\n", text), lost++;
}

static void leave(void)
{
    if (!cancels) pthread_exit(NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

DF_TASK(void, inc, df_inout(long, p, 1));
void inc(long *p) { ++*p; }
DF_TASK(void, exits, df_inout(long, p, 1));
void exits(long *p) { ++*p; leave(); }
DF_TASK(void, after, df_inout(long, p, 1));
void after(long *p) { *p = -1000; }
DF_TASK(void, waits, (long *, p)); /* a task below the one that ends the thread, or beside it */
void waits(long *p)
{
    DF_PARALLEL {
        df_submit(exits, p);
        for (int i = 1; i < 4; i++) df_submit(inc, &p[i]);
    }
    df_submit(inc, &p[5]);
    df_wait();
}
DF_TASK(void, half, (long *, p)); /* ends in a block, with tasks on the way */
void half(long *p)
{
    DF_PARALLEL {
        for (int i = 0; i < 4; i++) df_submit(inc, &p[i]);
        leave();
    }
}
DF_TASK(long, tree, (int, depth));
long tree(int depth)
{
    df_future(tree) a, b;
    long left, right;
    if (!depth) {
        leave();
        return 0; /* a thread that ends already, and runs what it waits for, cannot be cancelled */
    }
    df_spawn(tree, &a, depth - 1);
    df_spawn(tree, &b, depth > 1 ? depth - 2 : 0);
    right = df_sync(tree, &b);
    left = df_sync(tree, &a);
    return left + right;
}
DF_TASK(void, turn, df_commute(long, p, 1), (int, i));
void turn(long *p, int i) { ++*p; if (i == 5) leave(); }
DF_TASK(void, signals, (int, i));
void signals(int i) { (void)i; leave(); }
DF_LOOP(loop, (long *, p));
void loop(long lo, long hi, long *p)
{
    for (long i = lo; i < hi; i++) {
        p[i]++;
        if (i == 17) leave();
    }
}
DF_LOOP(sum, df_reduce(df_sum, long, p, 1));
void sum(long lo, long hi, long *p)
{
    for (long i = lo; i < hi; i++) {
        *p += i;
        if (i == 17) leave();
    }
}
DF_PIPE(items, long);
int items(int stage, long *item, long i, void *ctx)
{
    (void)item, (void)ctx;
    if (i == N) return DF_PIPE_END;
    if (i == 17 && stage == 1) leave();
    return stage < 3 ? df_in_order(stage + 1) : DF_PIPE_DONE;
}
static void on_yield(void *p) { (void)p; leave(); }
DF_TASK(void, yields, (int, i));
void yields(int i) { (void)i; df_yield_blocking(on_yield, NULL); }

static void submitted(void)
{
    for (int i = 0; i < N; i++) df_submit(inc, &x[i % 10]);
    df_submit(exits, &x[20]);
    df_submit(after, &x[20]);
    for (int i = 0; i < N; i++) df_submit(inc, &x[i % 10]);
}
static void nested(void) { df_submit(waits, x); df_submit(waits, x + 10); }
static void block(void) { df_submit(half, x); df_submit(half, x + 10); }
static void spawned(void)
{
    df_future(tree) f;
    df_spawn(tree, &f, 6);
    for (volatile int i = 0; i < 100000; i++) continue;
    df_sync(tree, &f);
}
static void commuting(void) { for (int i = 0; i < 10; i++) df_submit(turn, &x[30], i); }
static void token(void)
{
    df_token t = DF_TOKEN(1);
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.signals = (df_token *[]){ &t, NULL }), signals, 1);
        df_submit_with(DF_OPTS(.after = (df_token *[]){ &t, NULL }), inc, &x[31]);
    }
}
static void loops(void) { df_for(loop, 0, N, x); }
static void reduces(void) { df_for(sum, 0, N, &x[0]); }
static void pipes(void) { df_pipe(items, NULL, NULL); }
static void blocking(void) { df_submit(yields, 1); }

static const struct { void (*run)(void); const char *name; } kinds[] = {
    { submitted, "submitted" }, { nested, "nested" }, { block, "block" }, { spawned, "spawned" },
        { commuting, "commuting" },
    { token, "token" }, { loops, "loop" }, { reduces, "reduction" }, { pipes, "pipe" },
    { blocking, "blocking" },
};

static void *try_it(void *p)
{
    const int k = *(const int *)p;
    df_result r;
    kinds[k].run();
    r = df_wait_result();
    if (r != DF_ERROR_THREAD) fprintf(stderr, "%s: %d\n", kinds[k].name, (int)r);
    CHECK(r == DF_ERROR_THREAD);
    survived++;
    return p;
}

static int many(void *arg)
{
    df_config c = { .log = log_it };
    pthread_t t;
    (void)arg;
    CHECK(df_start(&c) == DF_OK);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
            cancels = (round + k) % 2;
            memset(x, 0, sizeof x);
            CHECK(!pthread_create(&t, NULL, try_it, &k));
            CHECK(!pthread_join(t, NULL));
            CHECK(said >= survived); /* what a thread calls itself is no task */
            CHECK(x[20] >= 0); /* what came after it was skipped */
            for (int i = 0; i < N; i++) x[i] = 0; /* the pool is as good as new */
            for (int i = 0; i < 10 * N; i++) df_submit(inc, &x[i % N]);
            CHECK(df_wait_result() == DF_OK);
            for (int i = 0; i < N; i++) CHECK(x[i] == 10);
        }
    df_stop();
    CHECK(lost == 0);
    return 0;
}

/* The main thread ends in a body: a foreign thread that waits continues, and the process ends with the last thread. */
static void *foreign(void *p)
{
    long y = 0;
    while (!__atomic_load_n(&began, __ATOMIC_ACQUIRE)) usleep(1000);
    for (int i = 0; i < N; i++) df_submit(inc, &y);
    CHECK(df_wait_result() == DF_OK && y == N);
    return p;
}
DF_TASK(void, last, (int, i));
void last(int i)
{
    (void)i;
    __atomic_store_n(&began, 1, __ATOMIC_RELEASE);
    leave();
}
static int main_ends(void *arg)
{
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, foreign, arg));
    df_submit_with(DF_OPTS(.worker = DF_MAIN_THREAD), last, 1);
    df_wait();
    return 1; /* not reached */
}

int main(void)
{
#if defined(__linux__) && !defined(__GLIBC__)
    return 0; /* musl ends a thread without unwinding, and tells keys only: not all of this holds there */
#endif
    /* an emulator has threads of its own, and does not end with the last one */
    if (!TEST_TSAN && test_foreign_thread()) return 0;
    static const char *const workers[] = { "1", "2", "3", "4", "8" };
    for (int i = 0; i < 5; i++) {
        const char *env[] = { "DF_WORKERS", workers[i], NULL };
        struct child c = child_run(many, NULL, env, 100);
        CHECK_CHILD(c, c.status == 0);
        if (!MAIN_ENDS) continue;
        c = child_run(main_ends, NULL, env, 60);
        CHECK_CHILD(c, c.status == 0 && strstr(c.err, "task last: its thread ended in its body"));
    }
}
