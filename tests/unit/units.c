/* units.c - semaphores: tasks hold units while they run, and return them however they end. Misuse is reported */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include <string.h>

/* --- one task at a time, which is exclusive use --------------------------------------------------------------- */

static df_semaphore one = DF_SEMAPHORE(1);
static long shared;                     /* not atomic */
DF_TASK(void, count, df_limit(s, 1), (unsigned, slow));
void count(df_semaphore *s, unsigned slow)
{
    long was = shared;
    (void)s;
    test_spin(slow);
    shared = was + 1;
}
/* Its children are in scopes of their own, and use the same semaphore. */
DF_TASK(void, counts, (int, n));
void counts(int n)
{
    int i;
    for (i = 0; i < n; i++) df_submit(count, &one, i % 5 ? 0 : 2000);
}

static void exclusive(void)
{
    int i;
    shared = 0;
    DF_PARALLEL {
        for (i = 0; i < 40; i++) df_submit(counts, i), df_submit(count, &one, 100);
    }
    printf("exclusive: %ld\n", shared);
    df_submit(counts, 100);
    DF_PARALLEL counts(50);
    df_wait();
    printf("exclusive: %ld\n", shared);
}

/* --- several units -------------------------------------------------------------------------------------------- */

enum { UNITS = 5 };
static df_semaphore some;
static DFI_ATOMIC(long) used;
static void enter(long k) { CHECK(__atomic_fetch_add(&used, k, __ATOMIC_ACQ_REL) + k <= UNITS); }
static void leave(long k) { CHECK(__atomic_fetch_sub(&used, k, __ATOMIC_ACQ_REL) >= k); }

DF_TASK(long, use, df_limit(s, k), (long, k), df_reduce(df_sum, long, sum, 1));
long use(df_semaphore *s, long k, long *sum)
{
    (void)s;
    enter(k);
    test_spin(300);
    *sum += k;
    leave(k);
    return k;
}
/* The same semaphore twice: the sum. */
DF_TASK(void, use_twice, df_limit(s, k), df_limit(t, UNITS - k), (long, k), df_reduce(df_sum, long, sum, 1));
void use_twice(df_semaphore *s, df_semaphore *t, long k, long *sum)
{
    (void)s, (void)t, (void)k;
    enter(UNITS);
    *sum += UNITS;
    leave(UNITS);
}

static void several(void)
{
    long sum = 0, r = 0, i;
    df_semaphore_init(&some, UNITS);
    for (i = 0; i < 600; i++) {
        if (i % 50 == 7) df_submit(use_twice, &some, &some, i % (UNITS + 1), &sum);
        else df_submit(use, &some, i % (UNITS + 1), &sum); /* none to all */
    }
    df_wait();
    df_semaphore_resize(&some, 1);
    for (i = 0; i < 40; i++) df_submit(use, &some, 1, &sum);
    df_semaphore_resize(&some, UNITS);
    df_wait();
    printf("several: %ld", sum);
    df_submit_with(DF_OPTS(.result = DF_RESULT(use, &r), .priority = 1), use, &some, 3, &sum);
    df_wait();
    printf(" %ld %ld, %d\n", r, sum, df_semaphore_destroy(&some));
}

/* --- no circle ------------------------------------------------------------------------------------------------ */

enum { FORKS = 5 };
static df_semaphore fork_of[FORKS];
static long plate[FORKS];
DF_TASK(void, eats, df_limit(left, 1), df_commute(long, p, 1), df_limit(right, 1), df_commute(long, q, 1));
void eats(df_semaphore *left, long *p, df_semaphore *right, long *q)
{
    (void)left, (void)right;
    *p += 1, *q += 1;
}
static void philosophers(void)
{
    int i;
    for (i = 0; i < FORKS; i++) df_semaphore_init(&fork_of[i], 1);
    for (i = 0; i < 2000; i++)
        df_submit(eats, &fork_of[i % FORKS], &plate[i % FORKS], &fork_of[(i + 1) % FORKS], &plate[(i + 1) % FORKS]);
    df_wait();
    printf("philosophers: %ld %ld %ld %ld %ld\n", plate[0], plate[1], plate[2], plate[3], plate[4]);
}

/* --- failed, cancelled, in graphs, on streams, speculative ------------------------------------------------------ */

DF_TASK(void, fails, df_limit(s, 2), (int, i));
void fails(df_semaphore *s, int i)
{
    (void)s;
    if (i % 3 == 0) df_fail(i + 1, "third");
}
DF_TASK(void, pushes, df_push(int, out, 1), df_limit(s, 1), (int, i));
void pushes(int *out, df_semaphore *s, int i) { (void)s, *out = i; }
DF_TASK(void, pops, df_pop(int, in, 1), df_limit(s, 2), df_inout(long, sum, 1));
void pops(const int *in, df_semaphore *s, long *sum) { (void)s, *sum = (*sum * 3 + *in) % 1000003; }
DF_TASK(void, adds, df_limit(s, k), (int, k), df_inout(long, x, 1));
void adds(df_semaphore *s, int k, long *x) { (void)s, *x += k; }
DF_TASK(void, decides, df_inout(int, c, 1), (int, to));
void decides(int *c, int to) { *c = to; }

static void ends(void)
{
    df_semaphore s = DF_SEMAPHORE(3);
    df_group g = DF_GROUP;
    df_taskgraph *graph = df_taskgraph_new();
    df_stream *d = df_stream_new(sizeof(int), 2);
    long sum = 0, x[3] = { 0, 0, 0 };
    int i, c = 0;
    DF_PARALLEL {
        for (i = 0; i < 60; i++) df_submit(fails, &s, i);
        CHECK(df_wait_result() > 0);
    }
    df_group_cancel(&g);
    for (i = 0; i < 20; i++) df_submit_with(DF_OPTS(.group = &g), adds, &s, 1, &x[0]);
    df_wait();
    CHECK(x[0] == 0 && df_semaphore_destroy(&s));
    df_semaphore_init(&s, 3);
    DF_TASKGRAPH(graph) {
        for (i = 0; i < 9; i++) df_submit(adds, &s, 1 + i % 3, &x[i % 3]);
    }
    for (i = 0; i < 10; i++) CHECK(df_taskgraph_run(graph) == DF_OK);
    df_taskgraph_free(graph);
    CHECK(x[0] == 33 && x[1] == 66 && x[2] == 99);
    for (i = 0; i < 40; i++) df_submit(pushes, d, &s, i), df_submit(pops, d, &s, &sum);
    df_wait();
    df_stream_free(d);
    for (i = 0; i < 8; i++) {
        df_submit(decides, &c, i % 2);
        df_speculate(&c, 1) {
            df_submit(adds, &s, 2, &x[0]);
        }
    }
    df_wait();
    printf("ends: %ld %ld %ld %ld, %d\n", x[0], x[1], x[2], sum, df_semaphore_destroy(&s));
}

/* --- a wait for units of a task whose descendants are ready, but may not run nested in that wait ---------------- */

static df_token begun, go;
static df_semaphore line = DF_SEMAPHORE(1);
DF_TASK(void, held, df_out(long, x, 1));
void held(long *x) { *x = 1; }
DF_TASK(void, holds, df_limit(s, 1), (long *, x));
void holds(df_semaphore *s, long *x)
{
    (void)s;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&go)), held, x);
    df_signal(&begun);
}
DF_TASK(void, waits, (int, n), (long *, y));
void waits(int n, long *y)
{
    int i;
    df_signal(&go);
    for (i = 0; i < n; i++) df_submit(adds, &line, 1, y);
    df_wait();
    printf("nested: %ld\n", *y);
}
static void nested(void)
{
    int i;
    for (i = 0; i < 20; i++) {
        long x = 0, y = 0;
        df_token_init(&begun, 1), df_token_init(&go, 1);
        df_submit(holds, &line, &x);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&begun)), waits, 3, &y);
        df_wait();
        CHECK(x == 1);
    }
}

/* --- misuse --------------------------------------------------------------------------------------------------- */

static void hear(void *arg, int level, const char *text)
{
    const char *what = strstr(text, "df_limit of"); /* the line before it is known in some builds only */
    (void)arg;
    if (!what) what = strstr(text, "df_semaphore");
    printf("%d %s\n", level, what ? what : text);
}
DF_TASK(void, parent, df_limit(s, 1), (int, how));
void parent(df_semaphore *s, int how)
{
    long x = 0;
    if (how) printf("in use: %d\n", df_semaphore_destroy(s));
    else DF_PARALLEL df_submit(adds, s, 1, &x);
    df_submit(adds, s, 2, &x);
    df_wait();
    printf("child: %ld\n", x);
}
static void misuse(void)
{
    static df_semaphore s = DF_SEMAPHORE(2);
    df_config config = { .log = hear };
    long x = 0;
    df_stop();
    CHECK(df_start(&config) == DF_OK);
    df_submit(adds, &s, 3, &x), df_wait();
    df_submit(adds, &s, -1, &x), df_wait();
    df_submit(adds, &s, 0, &x), df_wait();
    df_submit(parent, &s, 0), df_wait();
    df_submit(parent, &s, 1), df_wait();
    printf("misuse: %ld, %d\n", x, df_semaphore_destroy(&s));
    df_submit(adds, &s, 1, &x), df_wait(); /* it has no units any more */
    df_semaphore_init(&s, 0);
    printf("one: %d\n", df_semaphore_destroy(&s));
}

int main(void)
{
    exclusive();
    several();
    philosophers();
    ends();
    nested();
    misuse();
    return 0;
}
