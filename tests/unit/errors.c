/* errors.c - the tasks that a failure skips, the scopes that see it, and correct operation afterwards
 *
 * Seen are only those tasks whose fate does not depend on time: the ones that follow a failed one by their
 * memory, and the ones submitted after a cancellation. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, put, df_out(long, x, 1), (long, k));
void put(long *x, long k) { *x = k; }
DF_TASK(void, step, df_inout(long, x, 1), (long, k));
void step(long *x, long k) { *x = *x * 10 + k; }
DF_TASK(void, copy, df_in(long, x, 1), df_out(long, y, 1));
void copy(const long *x, long *y) { *y = *x; }
DF_TASK(void, fails, df_inout(long, x, 1), (int, code), (unsigned, slow));
void fails(long *x, int code, unsigned slow)
{
    char text[40];
    test_spin(slow);
    *x = -1;
    snprintf(text, sizeof text, "bad luck %d", code);
    df_fail(code, text);
    memset(text, 'x', sizeof text - 1); /* it was copied */
    df_fail(code + 1, "a second time");
    CHECK(df_cancelled());
}
DF_TASK(void, cancels, df_inout(long, x, 1));
void cancels(long *x)
{
    CHECK(!df_cancelled());
    *x = -2;
    df_cancel();
    CHECK(df_cancelled());
}

/* How many tasks were skipped since the last time. */
static int skipped(void)
{
    static uint64_t before;
    df_counters c;
    int n;
    df_counters_get(&c);
    n = (int)(c.skipped - before);
    before = c.skipped;
    return n;
}
/* Waits, and prints the result and the number of skipped tasks. */
static void report(const char *what)
{
    df_result r = df_wait_result();
    printf("%s: %d \"%s\", %d skipped\n", what, (int)r, df_error_text(r), skipped());
    CHECK(df_wait_result() == DF_OK && !df_cancelled()); /* the end of the wait was the end of it */
}

static void dependents(void)
{
    long x = 1, y = 2, z = 3;
    df_submit(fails, &x, 7, 2000);
    df_submit(copy, &x, &y);
    df_submit(copy, &y, &z);
    for (int i = 0; i < 100; i++) df_submit(step, &z, i);
    report("dependents");
    printf("%ld %ld %ld\n", x, y, z);
    df_submit(copy, &x, &y); /* the scope is as good as new */
    df_submit(step, &y, 4);
    report("afterwards");
    printf("%ld %ld %ld\n", x, y, z);
}
static void cancelled(void)
{
    long x = 1, y = 2;
    df_submit(cancels, &x);
    df_submit(copy, &x, &y);
    report("cancelled");
    df_cancel(); /* by the scope itself: nothing starts any more */
    CHECK(df_cancelled());
    for (int i = 0; i < 10; i++) df_submit(step, &y, i);
    report("by oneself");
    df_fail(9, "oneself");
    df_submit(step, &y, 1);
    report("failed by oneself");
    df_cancel();
    df_submit(step, &y, 1);
    df_wait(); /* ends it as well */
    df_submit(step, &y, 5);
    report("after df_wait");
    printf("%ld %ld\n", x, y);
}

/* A body in a cancelled scope learns that its own tasks do not run. */
DF_TASK(void, cancels_around, (long *, x));
void cancels_around(long *x)
{
    df_cancel();
    CHECK(df_wait_result() == DF_ERROR_CANCELLED);
    df_submit(step, x, 1);
    CHECK(df_wait_result() == DF_ERROR_CANCELLED);
    DF_PARALLEL {
        df_submit(step, x, 1);
        CHECK(df_wait_result() == DF_ERROR_CANCELLED);
    }
}
/* Its own failure, and that of its block, are for the scope around it, however it is run; those of its tasks are not. */
enum { BY_ITSELF, BY_ITS_BLOCK, BY_ITS_TASK };
DF_TASK(void, fails_around, (long *, x), (int, how));
void fails_around(long *x, int how)
{
    df_result first;
    if (how == BY_ITSELF) df_fail(21, "itself");
    if (how == BY_ITS_BLOCK) DF_PARALLEL df_submit(fails, x + 1, 22, 1);
    if (how == BY_ITS_TASK) df_submit(fails, x + 1, 23, 1);
    first = df_wait_result();
    df_submit(step, x, 1);
    printf("%d: %d %d", how, first, (int)df_wait_result());
    printf(" %d\n", df_cancelled());
}
DF_TASK(void, waits_around, (long *, x), (int, how));
void waits_around(long *x, int how)
{
    df_submit(fails_around, x, how);
    printf("its submitter: %d\n", (int)df_wait_result());
    df_submit(step, x, 2);
}
static void around(void)
{
    long x[2] = { 5, 0 };
    df_submit(cancels_around, x);
    report("around");
    for (int how = BY_ITSELF; how <= BY_ITS_TASK; how++) {
        df_submit(fails_around, x, how);
        report("fails around");
        df_submit(waits_around, x, how);
        report("waits around");
    }
    printf("%ld\n", x[0]);
}

/* The code propagates through scopes without df_wait_result, and stops at one with it. */
DF_TASK(void, deep, df_inout(long, x, 2), (int, depth), (int, asks_at));
void deep(long *x, int depth, int asks_at)
{
    if (depth == 0) df_submit(fails, &x[0], 40, 500);
    else df_submit(deep, x, depth - 1, asks_at);
    df_submit(step, &x[0], 1); /* follows the one that fails, or has failed children */
    df_submit(copy, &x[0], &x[1]);
    if (depth == asks_at) {
        df_result r = df_wait_result();
        printf("asked at %d: %d \"%s\"\n", depth, (int)r, df_error_text(r));
        df_submit(step, &x[0], depth); /* goes on */
    }
}
static void descendants(void)
{
    for (int asks_at = -1; asks_at <= 4; asks_at++) {
        long x[2] = { 5, 5 }, y = 0;
        df_submit(deep, x, 4, asks_at);
        df_submit(copy, x, &y);
        report("descendants");
        printf("%ld %ld %ld\n", x[0], x[1], y);
    }
}

/* A block is a scope: an error in it stops its tasks, and propagates at its end without df_wait_result. */
DF_TASK(void, with_block, df_inout(long, x, 1), df_out(long, y, 1), (int, asks));
void with_block(long *x, long *y, int asks)
{
    DF_PARALLEL {
        df_submit(fails, x, 50, 500);
        df_submit(step, x, 1);
        if (asks) CHECK(df_wait_result() == (df_result)50);
    }
    *y = 1; /* the body continues to its end */
    CHECK(df_cancelled() == !asks);
}
static void blocks(void)
{
    long x = 1, y = 2, z = 3;
    DF_PARALLEL {
        df_submit(fails, &x, 60, 500);
        df_submit(copy, &x, &y);
    }
    df_submit(copy, &x, &z); /* the block is over: this runs */
    report("block");
    printf("%ld %ld %ld\n", x, y, z);
    DF_PARALLEL {
        DF_PARALLEL df_submit(fails, &x, 61, 500);
        df_submit(put, &z, 8);
        report("inner block");
    }
    report("outer block");
    DF_PARALLEL {
        df_fail(62, "in the block itself");
        df_submit(put, &z, 9);
        report("block itself");
        df_submit(put, &y, 10);
    }
    printf("%ld %ld %ld\n", x, y, z);
    for (int asks = 0; asks < 2; asks++) {
        x = y = z = 0;
        df_submit(with_block, &x, &y, asks);
        df_submit(copy, &y, &z); /* follows it */
        report("block in a task");
        printf("%ld %ld %ld\n", x, y, z);
    }
}

/* Only the tasks of a group, their children, and, in the parallel build, the readers of memory that those should
 * have written. */
DF_TASK(void, parent, df_inout(long, x, 1));
void parent(long *x)
{
    df_submit(step, x, 1);
    df_submit(step, x, 2);
}
DF_TASK(void, cancels_group, df_inout(long, x, 1), (df_group *, g));
void cancels_group(long *x, df_group *g)
{
    *x = 3;
    df_group_cancel(g);
    CHECK(df_cancelled());
    df_submit(step, x, 9); /* a child of the group: skipped */
}
static void groups(void)
{
    long x = 1, y = 2, z = 3, u = 4, v = 5;
    df_group g = DF_GROUP, other = DF_GROUP;
    df_submit_with(DF_OPTS(.group = &g), cancels_group, &x, &g);
    df_submit_with(DF_OPTS(.group = &g), parent, &x);
    df_submit_with(DF_OPTS(.group = &other), step, &u, 6);
    df_submit(step, &v, 7);
    report("group");
    printf("%ld %ld %ld\n", x, u, v);
    df_submit_with(DF_OPTS(.group = &g), put, &y, 20); /* cancelled for good */
    df_submit(step, &u, 1);
    report("group, later");
    df_submit(put, &y, 30); /* the wait ended the effect of the missing write */
    df_submit(copy, &y, &z);
    report("group, over");
    printf("%ld %ld %ld\n", y, z, u);
#if !defined(DF_SERIAL) /* which runs them */
    df_submit_with(DF_OPTS(.group = &g), put, &y, 21);
    df_submit(copy, &y, &z);
    df_submit(step, &z, 1);
    df_submit(step, &u, 1);
    CHECK(df_wait_result() == DF_OK && skipped() == 3);
    CHECK(y == 30 && z == 30 && u == 4611);
    df_submit_with(DF_OPTS(.group = &g), put, &y, 21);
    df_wait_on(&y, sizeof y); /* it has been skipped; later tasks do not matter */
    df_submit(copy, &y, &z);
    df_wait_on(&z, sizeof z);
    df_submit(put, &z, 22);
    df_submit(copy, &u, &v);
    CHECK(df_wait_result() == DF_OK && skipped() == 3);
    CHECK(y == 30 && z == 30 && v == 4611);
#endif
}

/* A skipped task signals its tokens; a task that waits for those is skipped. */
static void tokens(void)
{
    long x = 1, y = 2;
    df_group g = DF_GROUP;
    df_token t = DF_TOKEN(1), u = DF_TOKEN(1);
    df_group_cancel(&g);
    df_submit_with(DF_OPTS(.group = &g, .signals = DF_TOKENS(&t)), put, &x, 5);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), put, &y, 6);
    printf("token: %d\n", (int)df_wait_token(&u));
    report("tokens");
    printf("%ld %ld\n", x, y);
}

/* A stage that does not exist ends the pipe, as df_fail(DF_ERROR_STAGE, ...). */
DF_PIPE(parts, long);
int parts(int stage, long *item, long i, void *wrong)
{
    *item = i;
    if (stage == 0) return df_continue(i == *(long *)wrong ? DF_PIPE_STAGES : 1);
    return i == 50 ? DF_PIPE_END : DF_PIPE_DONE;
}
static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    if (level != 1 || !strstr(text, "stage 0 of item 30 ")) fprintf(stderr, "%s\n", text);
}
static void stages(void)
{
    long wrong = 30, none = -1, items = df_pipe(parts, NULL, &wrong);
    df_result r = df_wait_result();
    CHECK(items > 30 && r == DF_ERROR_STAGE && strlen(df_error_text(r)) > 10);
    items = df_pipe(parts, DF_PIPE_OPTS(.window = 1), &none);
    printf("stages: %d, then %ld items, %d\n", (int)r, items, (int)df_wait_result());
}

static void codes(void)
{
    static char text[3000];
    long x = 0;
    memset(text, 'y', sizeof text - 1);
    for (int k = 0; k < 3; k++) {
        df_fail(k == 0 ? 1 : k == 1 ? 2147483647 : -1000, k == 2 ? "" : "text");
        df_submit(put, &x, 1);
        report("code");
    }
    df_fail(5, text);
    CHECK(df_wait_result() == (df_result)5);
    const char *got = df_error_text((df_result)5); /* as much of it as is kept */
    CHECK(strlen(got) > 50 && strspn(got, "y") == strlen(got));
    CHECK(x == 0);
}

int main(void)
{
    CHECK(df_start(DF_CONFIG(.log = hear)) == DF_OK);
    dependents();
    cancelled();
    around();
    descendants();
    blocks();
    groups();
    tokens();
    stages();
    codes();
}
