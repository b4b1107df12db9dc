/* messages.c - wrong use of tokens, nodes, options, errors and locks is reported with the lines of the calls, within
 * bounded time, and the program continues; correct use, even if it takes long, is not reported
 *
 * Each part runs with 1 and 3 workers and df_config.patience = 1. (If one hangs: the alarm.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"
#include "work.h"

/* How many messages of this level begin with `site` and contain both texts. "" fits all. */
static int heard(int level, const char *site, const char *a, const char *b)
{
    char begin[300];
    int n = 0;
    snprintf(begin, sizeof begin, "%d df: %s", level, site);
    for (int i = 0; i < n_said; i++)
        n += !strncmp(said[i], begin, strlen(begin)) && strstr(said[i], a) && strstr(said[i], b);
    return n;
}
#define HEARD(n, level, site, a, b) CHECK_SAID(heard(level, site, a, b) == (n) && n_said == (n))
#define CHECK_SAID(c)                                                             \
    do {                                                                          \
        if (!(c)) for (int i_ = 0; i_ < n_said; i_++) fprintf(stderr, "%s\n", said[i_]); \
        CHECK(c);                                                                 \
    } while (0)

DF_TASK(void, put, df_out(int, x, 1), (int, k));
void put(int *x, int k) { *x = k; }
DF_TASK(void, copy, df_in(int, x, 1), df_out(int, y, 1));
void copy(const int *x, int *y) { *y = *x; }

/* --- tokens --------------------------------------------------------------------------------------- */

static void too_many_signals(void)
{
    int x = 0;
    const char *made = HERE; df_token t = DF_TOKEN(1);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 1);
    df_signal(&t);
    df_wait();
    const char *here = HERE; df_signal(&t);
    HEARD(1, 1, here, made, "");
    CHECK(x == 1 && df_wait_token(&t) == DF_OK);
    n_said = 0;
    const char *task = HERE; df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), put, &x, 2);
    df_wait();
    HEARD(1, 1, task, made, "");
    CHECK(x == 2);
}
DF_TASK(void, note, (int *, cancelled));
void note(int *cancelled) { *cancelled = 1 + df_cancelled(); }
static void *fails_it(void *t)
{
    usleep(2000);
    df_signal_failed((df_token *)t, 9, "no answer");
    return NULL;
}
static void failing_signals(void)
{
    pthread_t p;
    int x = 0, y = 0;
    df_token t = DF_TOKEN(1), u = DF_TOKEN_EXTERNAL(1);
    df_token_name(&t, "the answer");
    const char *here = HERE; df_signal_failed(&t, 0, "none");
    HEARD(1, 1, here, "df_signal_failed(&t, 0, \"none\")", "-1");
    CHECK((int)df_wait_token(&t) == -1);
    df_token_init(&t, 1);
    df_token_name(&t, "the answer");
    df_signal(&t);
    n_said = 0;
    here = HERE; df_signal_failed(&t, 5, "too late");
    HEARD(1, 1, here, "the token of the answer", "too many");
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 1);
    CHECK(df_wait_result() == DF_OK && df_wait_token(&t) == DF_OK && x == 1); /* it had no effect */
    CHECK(!pthread_create(&p, NULL, fails_it, &u)); /* a thread that has nothing of df */
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&u)), put, &x, 2);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&u), .always = 1), note, &y);
    CHECK((int)df_wait_result() == 9 && !strcmp(df_error_text((df_result)9), "no answer") && x == 1 && y == 2);
    CHECK((int)df_wait_token(&u) == 9 && !pthread_join(p, NULL));
    n_said = 0;
    df_token_init(&t, 1), y = 0;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .always = 1), note, &y);
    CHECK(df_wait_result() == DF_ERROR_STUCK && y == 2); /* given up */
}
static void nobody_signals(void)
{
    int x = 0, y = 0, z = 0;
    const char *made = HERE; df_token t = DF_TOKEN(2);
    df_signal(&t); /* one is missing */
    const char *here = HERE; CHECK(df_wait_token(&t) == DF_ERROR_STUCK);
    HEARD(1, 1, here, "df_wait_token", made);
    n_said = 0;
    df_token_init(&t, 1); made = HERE;
    here = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .name = "waiter"), put, &x, 1);
    df_submit(copy, &x, &y); /* would use it */
    df_submit(put, &z, 3);   /* and this one has nothing to do with it */
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    HEARD(1, 1, here, "waiter", made);
    CHECK(x == 0 && y == 0 && z == 3);
    df_submit(put, &x, 4); /* the scope is as good as new */
    CHECK(df_wait_result() == DF_OK && x == 4);
}
static void a_cycle(void)
{
    int x = 0, y = 0;
    df_token t = DF_TOKEN(1), u = DF_TOKEN(1);
    const char *first = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), put, &x, 1);
    const char *second = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&u), .signals = DF_TOKENS(&t)), put, &y, 1);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    CHECK_SAID(n_said >= 1 && n_said == heard(1, first, "put", "") + heard(1, second, "put", ""));
    CHECK(x == 0 && y == 0);
}
/* By memory one way, by a token the other way. */
static void another_cycle(void)
{
    int x = 0, y = 0;
    df_token t = DF_TOKEN(1);
    const char *here = HERE; df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 1);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), copy, &x, &y);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    HEARD(1, 1, here, "put", "");
    CHECK(x == 0 && y == 0);
}
DF_TASK(void, deep, df_inout(int, x, 1), (df_token *, t), (int, depth));
void deep(int *x, df_token *t, int depth)
{
    if (depth) df_submit(deep, x, t, depth - 1);
    else df_submit_with(DF_OPTS(.after = DF_TOKENS(t)), put, x, 1);
}
static void below(void)
{
    int x = 0;
    df_token t = DF_TOKEN(1);
    df_submit(deep, &x, &t, 5);
    CHECK(df_wait_result() == DF_ERROR_STUCK); /* went all the way up */
    CHECK_SAID(n_said == 1 && strstr(said[0], "put") && strstr(said[0], HERE) == NULL);
    CHECK(x == 0);
}
static void signalled_later(void)
{
    static df_token t, u;
    int x = 0;
    df_token_init(&t, 2), df_token_init(&u, 1);
    DF_PARALLEL df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), put, &x, 1);
    df_signal(&t); /* the scope is over, the token is not */
    CHECK(df_wait_token(&t) == DF_OK && n_said == 0);
    DF_PARALLEL df_submit_with(DF_OPTS(.after = DF_TOKENS(&u)), put, &x, 2);
    CHECK(df_wait_result() == DF_ERROR_STUCK && n_said == 1 && x == 1);
    df_signal(&u); /* no thread waits any more */
    CHECK(df_wait_result() == DF_OK && x == 1);
}

/* --- from threads that never used df ---------------------------------------------------------------- */

struct late { df_token *t; unsigned ms; };
static void *signal_late(void *p)
{
    struct late *l = p;
    usleep(l->ms * 1000);
    df_signal(l->t);
    return NULL;
}
static void from_outside(void)
{
    int x = 0;
    df_token t = DF_TOKEN(1), u = DF_TOKEN_EXTERNAL(1);
    struct late l = { &t, 300 };
    pthread_t p;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 1);
    CHECK(!pthread_create(&p, NULL, signal_late, &l));
    df_wait();
    CHECK(x == 1 && !pthread_join(p, NULL));
    df_token_init(&t, 1);
    CHECK(!pthread_create(&p, NULL, signal_late, &l));
    CHECK(df_wait_token(&t) == DF_OK);
    CHECK(!pthread_join(p, NULL));
    l.t = &u, l.ms = 2200; /* beyond all patience */
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&u)), put, &x, 2);
    CHECK(!pthread_create(&p, NULL, signal_late, &l));
    CHECK(df_wait_result() == DF_OK);
    CHECK_SAID(x == 2 && n_said == 0);
    CHECK(!pthread_join(p, NULL));
}
enum { THREADS = 6, SIGNALS = 2000 };
static void *signal_often(void *t)
{
    for (int i = 0; i < SIGNALS; i++) df_signal(t);
    return NULL;
}
static void from_many(void)
{
    int x[THREADS] = { 0 };
    df_token t = DF_TOKEN(THREADS * SIGNALS);
    pthread_t p[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&p[i], NULL, signal_often, &t));
    for (int i = 0; i < THREADS; i++) df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x[i], 1);
    df_wait();
    for (int i = 0; i < THREADS; i++) CHECK(x[i] == 1);
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(p[i], NULL));
    CHECK_SAID(n_said == 0);
}
/* A task that works for longer than the patience is not stuck, and neither is a thread that waits for it. */
DF_TASK(void, sleeps, df_out(int, x, 1));
void sleeps(int *x)
{
    usleep(1500000);
    *x = 1;
}
static void slow(void)
{
    int x = 0, y = 0;
    df_token t = DF_TOKEN(1);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), sleeps, &x);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &y, 1);
    CHECK(df_wait_result() == DF_OK);
    CHECK_SAID(x == 1 && y == 1 && n_said == 0);
}

/* --- nodes ---------------------------------------------------------------------------------------- */

DF_TASK(void, node, (int, a), (int, b), (int *, c), df_inout(int, d, 1));
void node(int a, int b, int *c, int *d) { *c = a + b, *d = 1; }

static void never_fires(void)
{
    int x = 0;
    const char *here = HERE; df_node(node) *n = df_node_new(node);
    df_node_set(node, n, b, 1);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    HEARD(1, 1, here, "node", "a, c, d");
    n_said = 0;
    here = HERE; n = df_node_new(node);
    df_node_set(node, n, a, 1);
    df_node_set(node, n, b, 2);
    df_node_set(node, n, d, &x);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    HEARD(1, 1, here, "node", "c");
    CHECK(x == 0);
    n_said = 0; /* an output that nobody gives */
    here = HERE; n = df_node_new(node);
    df_give(df_node_output(node, n, a), 1);
    df_output(int) *b = df_node_output(node, n, b);
    df_give(df_node_output(node, n, c), &x);
    df_node_set(node, n, d, &x);
    CHECK(df_wait_result() == DF_ERROR_STUCK && b);
    HEARD(1, 1, here, "node", ": b;");
    CHECK(x == 0);
}
static void given_twice(void)
{
    int x = 0, y = 0;
    const char *made = HERE; df_node(node) *n = df_node_new(node);
    df_node_set(node, n, b, 1);
    const char *here = HERE; df_node_set(node, n, b, 20);
    HEARD(1, 1, here, made, " b ");
    df_node_set(node, n, a, 2);
    df_node_set(node, n, c, &x);
    df_node_set(node, n, d, &y);
    CHECK(df_wait_result() == DF_OK && x == 3 && y == 1 && n_said == 1);
    n_said = 0, x = 0;
    made = HERE; n = df_node_new(node);
    df_output(int) *b = df_node_output(node, n, b);
    df_node_set(node, n, a, 1);
    df_give(b, 3);
    here = HERE; df_give(b, 30);
    HEARD(1, 1, here, made, " b ");
    here = HERE; df_give(df_node_output(node, n, a), 30);
    CHECK_SAID(heard(1, here, made, " a ") == 1);
    here = HERE; df_node_set(node, n, b, 40);
    CHECK_SAID(heard(1, here, made, " b ") == 1);
    df_give(df_node_output(node, n, c), &x);
    df_give(df_node_output(node, n, d), &y);
    CHECK(df_wait_result() == DF_OK && x == 4 && n_said == 3);
}

/* --- options, errors, locks --------------------------------------------------------------------------- */

static void no_such_worker(void)
{
    int x = 0;
    const char *here = HERE; df_submit_with(DF_OPTS(.worker = 99), put, &x, 1);
    df_wait();
    HEARD(1, 2, here, "99", "DF_MAIN_THREAD");
    n_said = 0;
    here = HERE; df_submit_with(DF_OPTS(.worker = -2), put, &x, 2);
    df_wait();
    HEARD(1, 2, here, "-2", "");
    CHECK(x == 2);
}
DF_TASK(void, fails, df_inout(int, x, 1), (int, code), (const char *, text));
void fails(int *x, int code, const char *text)
{
    ++*x;
    df_fail(code, text);
}
static void zero_is_no_error(void)
{
    int x = 0;
    df_submit(fails, &x, 0, "some text");
    df_result r = df_wait_result();
    HEARD(1, 1, "df_fail(0", "some text", "");
    CHECK((int)r == -1 && x == 1);
}
static void *fails_and_ends(void *unused)
{
    int x = 0;
    df_submit(fails, &x, 42, "lost");
    df_wait();
    return unused;
}
static void *fails_and_asks(void *unused)
{
    int x = 0;
    df_submit(fails, &x, 43, "found");
    CHECK(df_wait_result() == (df_result)43);
    return unused;
}
static void nobody_asks(void)
{
    pthread_t p;
    CHECK(!pthread_create(&p, NULL, fails_and_ends, NULL) && !pthread_join(p, NULL));
    HEARD(1, 2, "", "42", "lost");
    CHECK(!pthread_create(&p, NULL, fails_and_asks, NULL) && !pthread_join(p, NULL));
    CHECK_SAID(n_said == 1);
    CHECK(df_wait_result() == DF_OK); /* it was not ours */
}
DF_TASK(void, releases, df_inout(int, x, 2));
void releases(int *x)
{
    x[0] = 1;
    df_release(x, 1);
    x[1] = 1;
}
static void cannot_release(void)
{
    static int before; /* logged once per process */
    int x[2] = { 0, 0 }, y = 0;
    for (int i = 0; i < 3; i++) {
        df_submit(releases, x);
        df_submit(copy, x, &y);
    }
    df_wait();
    CHECK_SAID(heard(2, "df_release in task releases", ".release = 1", "") == !before && n_said == !before);
    before = 1;
    n_said = 0;
    df_submit_with(DF_OPTS(.release = 1), releases, x);
    df_wait();
    CHECK(x[1] == 1 && y == 1 && n_said == 0);
}
static df_mutex lock = DF_MUTEX;
static void *unlocks(void *unused)
{
    df_mutex_unlock(&lock);
    return unused;
}
static void not_locked(void)
{
    pthread_t p;
    df_mutex_unlock(&lock);
    HEARD(1, 1, "df_mutex_unlock", "", "");
    CHECK(df_mutex_lock(&lock) == DF_OK);
    CHECK(!pthread_create(&p, NULL, unlocks, NULL) && !pthread_join(p, NULL));
    HEARD(2, 1, "df_mutex_unlock", "", "");
    CHECK(df_mutex_trylock(&lock) == DF_ERROR_DEADLOCK); /* still ours */
    df_mutex_unlock(&lock);
    CHECK(df_mutex_trylock(&lock) == DF_OK);
    df_mutex_unlock(&lock);
    HEARD(2, 1, "df_mutex_unlock", "", "");
    n_said = 0;
    CHECK(df_mutex_lock(&lock) == DF_OK); const char *first = HERE;
    CHECK(df_mutex_lock(&lock) == DF_ERROR_DEADLOCK); HEARD(1, 1, HERE, "the calling thread has held since ", first);
    df_mutex_unlock(&lock);
    CHECK(df_mutex_lock(&lock) == DF_OK); /* it was locked once */
    df_mutex_unlock(&lock);
    CHECK(n_said == 1);
}

/* --- cancelling while others submit -------------------------------------------------------------------- */

enum { SUBMITS = 3000 };
static df_group group;
static int go;
DF_TASK(void, count, df_commute(long, x, 1));
void count(long *x) { ++*x; }
static void *submits(void *x)
{
    for (int i = 0; i < SUBMITS; i++) {
        df_submit_with(DF_OPTS(.group = &group), count, (long *)x);
        if (i == SUBMITS / 4) __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
    }
    CHECK(df_wait_result() == DF_OK); /* a group is no scope */
    return NULL;
}
static void cancelled_meanwhile(void)
{
    static const df_group none = DF_GROUP;
    long x[3] = { 0, 0, 0 };
    pthread_t p[3];
    df_counters before, after;
    group = none, go = 0;
    df_counters_get(&before);
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&p[i], NULL, submits, &x[i]));
    while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST)) usleep(100);
    df_group_cancel(&group);
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(p[i], NULL));
    df_counters_get(&after);
    CHECK(after.tasks - before.tasks == (uint64_t)(x[0] + x[1] + x[2]));
    CHECK(after.tasks - before.tasks + after.skipped - before.skipped == 3 * SUBMITS);
    CHECK_SAID(n_said == 0);
}

int main(void)
{
    static void (*const part[])(void) = { too_many_signals, failing_signals, nobody_signals, a_cycle, another_cycle, below,
                                          signalled_later, from_outside, from_many, slow, never_fires, given_twice,
                                          no_such_worker, zero_is_no_error,
                                          nobody_asks, cannot_release, not_locked, cancelled_meanwhile };
    static const int workers[] = { 1, 3 };
    for (int w = 0; w < 2; w++) {
        df_config c = { .workers = workers[w], .log = hear, .patience = 1, .defer = w };
        for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
            alarm(60);
            n_said = 0;
            CHECK(df_start(&c) == DF_OK);
            part[i]();
            CHECK_SAID(work_right()); /* all goes on */
            df_stop();
        }
    }
}
