/* always.c - tasks that run even if they are to be skipped, and tokens that fail */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

#include <string.h>

enum { N = 200 };
static int runs[8]; /* each is written by tasks of one name, in their order */

/* 10 * df_cancelled() + 1 is added, so that a second run would be seen */
DF_TASK(void, note, (int *, to), df_inout(long, x, 1));
void note(int *to, long *x) { *to += 10 * df_cancelled() + 1, ++*x; }
DF_TASK(void, fails, df_inout(long, x, 1), (int, code));
void fails(long *x, int code) { df_fail(code, "bad luck"), ++*x; }
DF_TASK(void, look, (int *, to), df_in(long, x, 1));
void look(int *to, const long *x) { *to += *x >= 0; }
/* in code that is cancelled from its beginning, and its children with it */
DF_TASK(void, parent, (int *, to), df_inout(long, x, 1));
void parent(int *to, long *x)
{
    long y = 0, z = 0;
    to[0] += 10 * df_cancelled() + 1, ++*x;
    df_submit(note, &to[1], &y);
    df_submit_with(DF_OPTS(.always = 1), note, &to[2], &z);
    to[3] += df_wait_result() == DF_ERROR_CANCELLED;
    to[4] += df_cancelled();
}
DF_TASK(void, free_it, df_concurrent(long, freed, 1), (void *, p));
void free_it(long *freed, void *p)
{
    (void)freed;
    free(p);
}
static void free_called(void *arg, void *const *p)
{
    (void)p;
    free(*(void **)arg);
}
static void say(const char *what, int n)
{
    printf("%s:", what);
    for (int i = 0; i < n; i++) printf(" %d", runs[i]);
    puts("");
    memset(runs, 0, sizeof runs);
}
static void say_result(df_result r) { printf("%d %s\n", (int)r, df_error_text(r)); }

/* A task of a cancelled group, and its successors */
static void groups(void)
{
    df_group g = DF_GROUP;
    long x = 0;
    df_group_cancel(&g);
    df_submit_with(DF_OPTS(.group = &g, .always = 1), note, &runs[0], &x);
    df_submit(look, &runs[1], &x);
    df_submit_with(DF_OPTS(.always = 1, .name = "second"), note, &runs[2], &x);
    df_submit(look, &runs[3], &x);
    df_submit_with(DF_OPTS(.always = 1), parent, &runs[3], &x);
    say_result(df_wait_result());
    df_submit_with(DF_OPTS(.always = 1), note, &runs[1], &x); /* nothing is wrong any more */
    say_result(df_wait_result());
    printf("%ld: ", x);
    say("group", 8);
}

/* Successors of the children of a skipped task */
DF_TASK(void, weak_parent, (int *, to), df_weak_inout(long, x, 2));
void weak_parent(int *to, long *x)
{
    to[0] += 10 * df_cancelled() + 1;
    df_submit(note, &to[1], &x[0]);
    df_submit_with(DF_OPTS(.always = 1), note, &to[2], &x[1]);
}
static void weak(int deferred)
{
    df_group g = DF_GROUP;
    df_token t = DF_TOKEN(1);
    long x[2] = { 0, 0 };
    df_group_cancel(&g);
    if (!deferred) df_signal(&t);
    df_submit_with(DF_OPTS(.group = &g, .always = 1, .after = DF_TOKENS(&t)), weak_parent, &runs[0], x);
    df_submit(look, &runs[3], &x[0]);
    df_submit(look, &runs[4], &x[1]);
    df_submit_with(DF_OPTS(.always = 1), note, &runs[5], &x[1]);
    if (deferred) df_signal(&t);
    say_result(df_wait_result());
    say("weak", 6);
}

/* Successors of a failed task */
static void scopes(void)
{
    df_token t = DF_TOKEN(1);
    long x = 0;
    df_submit(fails, &x, 5);
    df_submit(look, &runs[0], &x);
    df_submit_with(DF_OPTS(.always = 1, .signals = DF_TOKENS(&t)), note, &runs[1], &x);
    df_submit_with(DF_OPTS(.always = 1), parent, &runs[2], &x);
    say_result(df_wait_result());
    say_result(df_wait_token(&t)); /* as by a task that was skipped */
    printf("%ld: ", x);
    say("scope", 7);
}

/* A token that fails before or after tasks wait for it, by its last signal or its first one */
static void tokens(int before, int last)
{
    df_token t = DF_TOKEN(2), u = DF_TOKEN(1);
    long x = 0, y = 0;
    df_token_name(&t, "the message of process 1");
    for (int i = 0; i < 2 && before; i++)
        if (i == last) df_signal_failed(&t, 71 + i, "no answer");
        else df_signal(&t);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), note, &runs[0], &x);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .always = 1), note, &runs[1], &y);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&u), .always = 1), parent, &runs[2], &y);
    for (int i = 0; i < 2 && !before; i++)
        if (i == last) df_signal_failed(&t, 71 + i, "no answer");
        else df_signal(&t);
    say_result(df_wait_token(&t));
    say_result(df_wait_token(&u));
    say_result(df_wait_result());
    say_result(df_wait_token(&t)); /* it stays so */
    df_submit(note, &runs[7], &x);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), note, &runs[6], &x);
    say_result(df_wait_result());
    printf("%ld %ld: ", x, y);
    say("token", 8);
    df_token_init(&t, 1);
    df_signal(&t);
    say_result(df_wait_token(&t)); /* another use of it */
}
static void two_failures(void)
{
    df_token t = DF_TOKEN(3);
    df_signal_failed(&t, 1, "the first");
    df_signal_failed(&t, 2, "the second");
    df_signal(&t);
    say_result(df_wait_token(&t));
}

/* Each block that a task has to free is freed, also if tasks fail: LeakSanitizer reports the other blocks */
static void freeing(void)
{
    long freed = 0, x = 0;
    for (int i = 0; i < N; i++) {
        void *p = malloc(16), *q = malloc(16);
        df_submit_with(DF_OPTS(.always = 1), free_it, &freed, p);
        if (i == N / 4) df_submit(fails, &x, 3);
        if (i == N / 2) {
            printf("%d\n", (int)df_wait_result());
            df_cancel();
        }
        CHECK(df_call(DF_OPTS(.always = 1), free_called, &q, sizeof q, NULL, 0) == DF_OK);
        if (i == N * 3 / 4) printf("%d\n", (int)df_wait_result());
    }
    df_wait();
}

/* the second and the third run of a graph find its group cancelled */
static void graphs(void)
{
    static df_group g = DF_GROUP;
    static long x;
    df_taskgraph *graph = df_taskgraph_new();
    DF_TASKGRAPH(graph) {
        df_submit_with(DF_OPTS(.group = &g, .always = 1), note, &runs[0], &x);
        df_submit_with(DF_OPTS(.group = &g), look, &runs[1], &x);
        df_submit_with(DF_OPTS(.always = 1), note, &runs[2], &x);
    }
    for (int run = 0; run < 3; run++) {
        say("graph", 3);
        if (run == 0) df_group_cancel(&g);
        if (run < 2) say_result(df_taskgraph_run(graph));
    }
    df_taskgraph_free(graph);
}

int main(void)
{
    groups();
    weak(0);
    weak(1);
    scopes();
    for (int i = 0; i < 4; i++) tokens(i & 1, i >> 1);
    two_failures();
    freeing();
    graphs();
    puts("done");
    return 0;
}
