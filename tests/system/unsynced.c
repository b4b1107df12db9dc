/* unsynced.c - DF_DEBUG=1, DF_CHECK=1: each df_spawn without a df_sync is reported once, with the line of the spawn
 * and the task, and none that is synced */
#define _DEFAULT_SOURCE
#if (!defined(DF_DEBUG) || DF_DEBUG == 0) && !defined(DF_CHECK)
#undef DF_DEBUG
#define DF_DEBUG 1
#endif
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

#define HERE __FILE__ ":" DFI_STR(__LINE__)
#define APART __attribute__((noinline))
enum { ROUNDS = 20, DEPTH = 6, PAD = 40000 };
static const char *where, *when[2]; /* what messages say: the line, and one of these */
static int spawned, heard;

static void hear(void *arg, int level, const char *text)
{
    char begin[200];
    size_t n = (size_t)snprintf(begin, sizeof begin, "df: %s: df_spawn(add) without df_sync before ", where);
    (void)arg;
    fprintf(stderr, "%s\n", text); /* for CHECK_CHILD */
    CHECK(level == 1 && !strncmp(text, begin, n));
    CHECK(strstr(text + n, when[0]) == text + n || (when[1] && strstr(text + n, when[1]) == text + n));
    __atomic_fetch_add(&heard, 1, __ATOMIC_SEQ_CST);
}
static void listen(const char *first, const char *second)
{
    df_config c = { .log = hear };
    CHECK(df_start(&c) == DF_OK);
    when[0] = first, when[1] = second;
}

DF_TASK(long, add, (long, a), (long, b));
long add(long a, long b) { return a + b; }

/* The future is at the far end of a frame that is not used again soon: a worker that takes the call finds it as it
 * was. */
struct far { df_future(add) f; char pad[PAD]; };
static APART void forgets(void)
{
    struct far x;
    memset(x.pad, 0, 1);
    __atomic_fetch_add(&spawned, 1, __ATOMIC_SEQ_CST);
    where = HERE, df_spawn(add, &x.f, 1, 2);
}
static APART long good(void)
{
    df_future(add) f;
    df_spawn(add, &f, 3, 4);
    return df_sync(add, &f);
}
static APART void forgets_deeply(int depth)
{
    volatile char pad[2000];
    pad[0] = (char)depth;
    if (depth > 0) forgets_deeply(depth - 1);
    else forgets();
    pad[1] = pad[0];
}

/* --- the function has returned ------------------------------------------------------------------- */

static int before_spawn(void *unused)
{
    (void)unused;
    listen("its function returned", NULL);
    for (int i = 0; i < ROUNDS; i++) {
        df_future(add) f;
        forgets_deeply(i % 5);
        df_spawn(add, &f, 3, 4);
        CHECK(heard == i + 1);
        CHECK(df_sync(add, &f) == 7);
    }
    return heard != spawned;
}
static int before_sync(void *unused)
{
    df_future(add) f;
    (void)unused;
    listen("its function returned", NULL);
    df_spawn(add, &f, 3, 4);
    forgets_deeply(3), forgets();
    CHECK(df_sync(add, &f) == 7);
    return heard != 2;
}
static int before_wait(void *unused)
{
    (void)unused;
    listen("its function returned", NULL);
    forgets();
    df_wait();
    CHECK(heard == 1);
    forgets();
    DF_PARALLEL {
        CHECK(heard == 2);
        forgets();
    }
    CHECK(heard == 3);
    forgets();
    df_stop();
    return heard != 4;
}
static int in_a_loop(void *unused) /* the same future again and again, while others are synced */
{
    (void)unused;
    listen("its function returned", "its future was spawned again");
    for (int i = 0; i < ROUNDS; i++) {
        forgets();
        CHECK(i % 2 || good() == 7);
    }
    CHECK(heard >= ROUNDS - 1);
    df_stop();
    return heard != ROUNDS;
}
static APART long recursive(int depth)
{
    struct far x;
    memset(x.pad, 0, 1);
    __atomic_fetch_add(&spawned, 1, __ATOMIC_SEQ_CST);
    where = HERE, df_spawn(add, &x.f, 1, 2);
    return depth > 0 ? recursive(depth - 1) + 1 : 0;
}
static int recursion(void *unused)
{
    (void)unused;
    listen("its function returned", NULL);
    CHECK(recursive(DEPTH) == DEPTH);
    CHECK(good() == 7); /* those that lie deeper than that */
    df_wait();
    return heard != DEPTH + 1 || heard != spawned;
}

/* --- the task, thread or program has ended ------------------------------------------------------- */

DF_TASK(void, body, df_out(long, x, 1));
void body(long *x)
{
    forgets();
    *x = 1;
}
static int in_tasks(void *unused)
{
    static long x[ROUNDS];
    (void)unused;
    listen("the task it is in ended", "its function returned");
    DF_PARALLEL
        for (int i = 0; i < ROUNDS; i++) df_submit(body, &x[i]);
    df_stop();
    for (int i = 0; i < ROUNDS; i++) CHECK(x[i] == 1);
    return heard != ROUNDS;
}
DF_TASK(long, call, (long, a));
long call(long a)
{
    forgets();
    return a;
}
static int in_spawned(void *unused)
{
    df_future(call) f[ROUNDS];
    (void)unused;
    listen("the task it is in ended", "its function returned");
    for (int i = 0; i < ROUNDS; i++) df_spawn(call, &f[i], i);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(df_sync(call, &f[i]) == i);
        df_wait();
    }
    df_stop();
    return heard != ROUNDS;
}
static struct far kept;
static APART void keeps(void) { where = HERE, df_spawn(add, &kept.f, 1, 2); }
static void *thread(void *unused)
{
    keeps();
    return unused;
}
static int at_thread_end(void *unused)
{
    pthread_t t;
    (void)unused;
    listen("its thread ended", NULL);
    CHECK(!pthread_create(&t, NULL, thread, NULL) && !pthread_join(t, NULL));
    return heard != 1;
}
static int at_exit(void *unused)
{
    (void)unused;
    listen("the program ended", NULL);
    keeps();
    return heard;
}

/* --- nothing wrong -------------------------------------------------------------------------------- */

static APART void spawns_for_another(df_future(add) *f) { df_spawn(add, f, 3, 4); }
static APART long syncs_for_another(df_future(add) *f) { return df_sync(add, f); }
static APART long deep(int depth)
{
    volatile char pad[300];
    df_future(add) f;
    long below;
    pad[0] = (char)depth;
    df_spawn(add, &f, depth, 0);
    below = depth > 0 ? deep(depth - 1) : pad[0] - depth;
    return below + df_sync(add, &f);
}
static int nothing_wrong(void *unused)
{
    enum { MANY = 300 };
    df_future(add) f[MANY], *g = (df_future(add) *)malloc(MANY * sizeof *g);
    (void)unused;
    listen("nothing", NULL);
    CHECK(work_right() && g);
    for (int round = 0; round < 3; round++) { /* on the stack, then in allocated memory, then both */
        for (int i = 0; i < MANY; i++) {
            if (round != 1) df_spawn(add, &f[i], i, 1);
            if (round != 0) df_spawn(add, &g[i], i, 2);
        }
        CHECK(deep(1000) == 1000L * 1001 / 2 && good() == 7);
        for (int i = 0; i < MANY; i++) {
            int k = round == 2 ? MANY - 1 - i : i;
            if (round != 1) CHECK(df_sync(add, &f[k]) == k + 1);
            if (round != 0) CHECK(df_sync(add, &g[k]) == k + 2);
        }
    }
    DF_PARALLEL {
        df_spawn(add, &f[0], 3, 4);
        df_wait();
        DF_PARALLEL df_spawn(add, &f[1], 3, 4);
    }
    df_wait();
    CHECK(df_sync(add, &f[0]) == 7 && df_sync(add, &f[1]) == 7);
    spawns_for_another(&f[2]);
    CHECK(good() == 7 && syncs_for_another(&f[2]) == 7);
    df_spawn(add, &f[3], 3, 4);
    df_stop();
    CHECK(df_sync(add, &f[3]) == 7 && good() == 7);
    free(g);
    return heard;
}

/* A spawned function leaves a task behind, which needs a signal that comes after the sync; others wait for theirs. */
DF_TASK(void, put, df_out(long, x, 1));
void put(long *x) { *x = 7; }
enum { HAS_NONE, WAITS, WAITS_ON, LEAVES };
DF_TASK(void, submits, (long *, x), (df_token *, t), (int, how));
void submits(long *x, df_token *t, int how)
{
    if (how == LEAVES) df_submit_with(DF_OPTS(.after = DF_TOKENS(t)), put, x);
    if (how == WAITS || how == WAITS_ON) df_submit(put, x);
    if (how == WAITS) df_wait();
    if (how == WAITS_ON) df_wait_on(x, sizeof *x);
}
static int tasks_left(void *unused)
{
    df_token t = DF_TOKEN_EXTERNAL(1);
    long x[LEAVES + 1] = { 0 }, y = 0;
    (void)unused;
    for (int how = HAS_NONE; how <= LEAVES; how++) {
        df_future(submits) f;
        df_submit(put, &y);
        df_spawn(submits, &f, &x[how], &t, how);
        df_sync(submits, &f);
        if (how != LEAVES) CHECK(x[how] == (how == HAS_NONE ? 0 : 7)); /* it is not done: DF_CHECK reports reads */
    }
    df_signal(&t);
    df_wait();
    CHECK(x[LEAVES] == 7);
    return 0;
}

int main(void)
{
    static const struct { int (*run)(void *); int said; } part[] = {
        { nothing_wrong, 0 }, { before_spawn, ROUNDS }, { before_sync, 2 }, { before_wait, 4 }, { in_a_loop, ROUNDS },
            { recursion, DEPTH + 1 },
        { in_tasks, ROUNDS }, { in_spawned, ROUNDS }, { at_thread_end, 1 }, { at_exit, 1 } };
    static const char *const workers[] = { "1", "2", "3", "4", "8" };
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        for (int w = 0; w < 5; w++) {
            const char *env[] = { "DF_WORKERS", workers[w], NULL };
            struct child c;
            /* AddressSanitizer may keep variables elsewhere, and stops a later use; ThreadSanitizer sees that two
             * threads use them */
            if (i > 0 && (TEST_ASAN || (TEST_TSAN && w > 0))) continue;
            c = child_run(part[i].run, NULL, env, 60);
            if (c.status || c.lines != part[i].said) fprintf(stderr, "part %u with %s workers\n", i, workers[w]);
            CHECK_CHILD(c, c.status == 0 && c.lines == part[i].said);
        }
    const char *env[] = { "DF_WORKERS", "1", NULL }; /* none of its functions is taken by another worker */
    struct child c = child_run(tasks_left, NULL, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "df_sync(submits) returns before tasks that submits"));
}
