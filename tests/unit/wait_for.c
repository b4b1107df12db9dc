/* wait_for.c - df_wait_for: either all tasks of the scope are done, or everything is as before the call
 *
 * Seen is only what does not depend on time: tasks that end before a long time is over, and tasks that cannot start. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 40, LONG = 100000, SHORT = 3 };

DF_TASK(void, put, df_out(int, x, 1), (int, v), (unsigned, slow));
void put(int *x, int v, unsigned slow)
{
    test_spin(slow);
    *x = v;
}
DF_TASK(void, step, df_inout(long, x, 1), (long, k));
void step(long *x, long k) { *x = *x * 10 + k; }
DF_TASK(void, add, df_reduce(df_sum, long, x, 1), (long, k));
void add(long *x, long k) { *x += k; }
DF_TASK(void, exchange, df_commute(long, x, 1), (long, k));
void exchange(long *x, long k) { *x += k; }
DF_TASK(void, fails, df_inout(long, x, 1), (int, code));
void fails(long *x, int code)
{
    ++*x;
    df_fail(code, "bad luck");
}
DF_TASK(void, cancels, df_inout(long, x, 1));
void cancels(long *x)
{
    ++*x;
    df_cancel();
}
/* in a body, and below another wait */
DF_TASK(void, deep, df_out(int, x, n), (int, n), (int, v));
void deep(int *x, int n, int v)
{
    if (n == 1) {
        df_submit(put, x, v, 500);
        CHECK(df_wait_for(LONG) == DF_OK && *x == v);
        return;
    }
    df_submit(deep, x, n / 2, v);
    df_submit(deep, x + n / 2, n - n / 2, v);
    while (df_wait_for(0) != DF_OK) continue;
    for (int i = 0; i < n; i++) CHECK(x[i] == v);
}

static int x[N];

/* Calls in a loop end at any number of workers, because each runs a ready task. */
static void loops(void)
{
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++) df_submit(put, &x[i], i + round, i % 5 ? 0 : 3000);
        while (df_wait_for(round % 2) == DF_ERROR_TIMEOUT) continue;
        for (int i = 0; i < N; i++) CHECK(x[i] == i + round);
        for (int i = 0; i < N; i++) df_submit(put, &x[i], i - round, i % 7 ? 0 : 2000);
        CHECK(df_wait_for(LONG) == DF_OK);
        for (int i = 0; i < N; i++) CHECK(x[i] == i - round);
        df_submit(deep, x, N, round);
        CHECK(df_wait_for(LONG) == DF_OK);
    }
    printf("loops %d %d\n", x[0], x[N - 1]);
}

/* A held task, its successors and its siblings: nothing is lost when the time is over. */
static void held(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        df_token t = DF_TOKEN(1);
        long a = 1, sum = 0, mine = 0, *local = df_local(long, 1);
        df_result r[4];
        *local = 5;
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), step, &a, 2);
        for (int i = 0; i < 10; i++) df_submit(add, &sum, i);
        df_submit(step, &a, 3);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), add, &sum, 1000);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), step, local, 6);
        for (int i = 0; i < N; i++) df_submit(put, &x[i], round, 0);
        r[0] = df_wait_for(round % 2 ? SHORT : 0);
        df_wait_on(x, sizeof x);
        for (int i = 0; i < N; i++) CHECK(x[i] == round);
        for (int i = 0; i < 10; i++) df_submit(add, &sum, i), df_submit(exchange, &mine, i);
        df_submit(step, &a, 4);
        DF_PARALLEL { /* the outer scope has unfinished tasks, this one not */
            long b = 0;
            df_submit(step, &b, 7);
            r[1] = df_wait_for(LONG);
            CHECK(b == 7);
        }
        r[2] = df_wait_for(SHORT);
        CHECK(DF_CHECK || (a == 1 && *local == 5)); /* reported there, because the tasks that write are not done */
        df_signal(&t);
        r[3] = df_wait_for(LONG);
        CHECK(a == 1234 && sum == 1090 && mine == 45 && *local == 56);
        if (!round) printf("held: %d %d %d %d\n", (int)r[0], (int)r[1], (int)r[2], (int)r[3]);
        CHECK(r[0] == DF_ERROR_TIMEOUT && !r[1] && r[2] == DF_ERROR_TIMEOUT && !r[3]);
    }
}
DF_TASK(void, held_in_task, (int, rounds));
void held_in_task(int rounds) { held(rounds); }

/* A spawned call, which the wait of its block runs, waits with a limit, too. */
DF_TASK(int, looks, (int, ms));
int looks(int ms) { return df_wait_for(ms) != DF_OK; }
static void spawned(void)
{
    for (int round = 0; round < 20; round++) {
        df_future(looks) f;
        for (int i = 0; i < N; i++) df_submit(put, &x[i], round - i, i % 9 ? 0 : 3000);
        df_spawn(looks, &f, 0);
        CHECK(df_wait_for(LONG) == DF_OK);
        for (int i = 0; i < N; i++) CHECK(x[i] == round - i);
        df_sync(looks, &f);
    }
}

static void errors(void)
{
    df_token t = DF_TOKEN(1);
    long a = 0, b = 0;
    df_submit(fails, &a, 5);
    df_submit(step, &a, 1);
    printf("fails: %d", (int)df_wait_for(LONG));
    printf(" \"%s\"", df_error_text((df_result)5));
    printf(", then %d", (int)df_wait_for(0));
    printf(", %ld\n", a);
    df_submit(cancels, &a);
    df_submit(step, &a, 1);
    printf("cancels: %d", (int)df_wait_for(LONG));
    printf(", then %d", (int)df_wait_for(0));
    printf(", %ld, %d\n", a, df_cancelled());
    /* the error is that of the scope, when it is done */
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), fails, &b, 6);
    printf("held: %d", (int)df_wait_for(SHORT));
    df_signal(&t);
    printf(", then %d", (int)df_wait_for(LONG));
    printf(" \"%s\"", df_error_text((df_result)6));
    printf(", then %d\n", (int)df_wait_result());
}

int main(void)
{
    CHECK(df_wait_for(0) == DF_OK && (df_wait_for)(LONG) == DF_OK); /* nothing to wait for */
    loops();
    held(10);
    df_submit(held_in_task, 10);
    df_wait();
    spawned();
    errors();
    printf("%s\n", df_error_text(DF_ERROR_TIMEOUT) != NULL ? "has a text" : "");
    return 0;
}
