/* signal_external.c - a program that signals only from outside of its tasks: with one worker they run inside df_submit
 *
 * (A program in which df_signal is called queues them: system/one_blocks.c.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"

enum { TASKS = 100 };
static df_token *due; /* the event that has happened */
static int code;
static long look(void *arg)
{
    df_token *t = __atomic_exchange_n(&due, NULL, __ATOMIC_SEQ_CST);
    (void)arg;
    if (!t) return -1;
    df_signal_external(t, code, "no answer");
    return 0;
}

DF_TASK(void, adds, df_inout(long, x, 1));
void adds(long *x) { ++*x; }
DF_TASK(void, waits_for_child, df_inout(long, x, 1), (df_token *, t));
void waits_for_child(long *x, df_token *t)
{
    df_submit_with(DF_OPTS(.after = DF_TOKENS(t)), adds, x);
    __atomic_store_n(&due, t, __ATOMIC_SEQ_CST);
    df_idle_soon();
    df_wait();
    *x *= 2;
}

/* Each task has run when df_submit returns, also one whose child waits for an event. */
static int inside(void *p)
{
    df_config c = { .workers = 1, .idle = look };
    df_token t = DF_TOKEN(1);
    long x = 0;
    (void)p;
    CHECK(df_start(&c) == DF_OK);
    for (int i = 1; i <= TASKS; i++) {
        df_submit(adds, &x);
        CHECK(x == i || !DFI_BLOCKING_TABLE);
    }
    df_submit(waits_for_child, &x, &t);
    if (DFI_BLOCKING_TABLE) CHECK(x == 2 * (TASKS + 1));
    df_wait();
    CHECK(x == 2 * (TASKS + 1));
    code = 7;
    df_token_init(&t, 1);
    df_submit(waits_for_child, &x, &t);
    CHECK(df_wait_result() == 7 && !strcmp(df_error_text(7), "no answer"));
    df_stop();
    return 0;
}

/* Several workers, and a thread that df does not know. */
static df_token answer = DF_TOKEN_EXTERNAL(1);
static void *answers(void *p)
{
    usleep(2000);
    df_signal_external(&answer, 0, NULL);
    return p;
}
static int foreign(void *p)
{
    pthread_t thread;
    long x = 0;
    CHECK(!pthread_create(&thread, NULL, answers, p));
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&answer)), adds, &x);
    df_wait();
    CHECK(x == 1 && !pthread_join(thread, NULL));
    return 0;
}

static int submitter(void *p)
{
    df_token t = DF_TOKEN(1);
    long x = 0;
    (void)p;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), adds, &x);
    df_signal_external(&t, 0, NULL);
    df_wait();
    return x != 1;
}

int main(void)
{
    static const char *const workers[] = { "1", "2", "4" };
    struct child c = child_run(inside, NULL, (const char *[]){ NULL }, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    for (int w = 0; w < 3; w++) {
        const char *env[] = { "DF_WORKERS", workers[w], NULL };
        c = child_run(foreign, NULL, env, 20);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        c = child_run(submitter, NULL, env, 20);
        CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "a thread that runs or submits tasks"));
    }
    return 0;
}
