/* handles.c - handles in several threads, and in time: any thread may poll and wait, a wait sleeps, a task that is given
 * up says so, an overwritten handle is reported, a negative time, too */
#define _DEFAULT_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"

enum { LONG = 100000, THREADS = 3, ROUNDS = 200 };

DF_TASK(long, naps, (long, n), (unsigned, us));
long naps(long n, unsigned us)
{
    if (us) usleep(us);
    return n * 3;
}
DF_TASK(void, put, df_out(int, x, 1), (int, v));
void put(int *x, int v) { *x = v; }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A thread that submits, and others that wait for its tasks, each in another way. */
static df_handle handle[ROUNDS];
static long result[ROUNDS];
static int submitted;
static void *waits(void *how)
{
    for (int i = 0; i < ROUNDS; i++) {
        df_handle *h = &handle[i];
        while (__atomic_load_n(&submitted, __ATOMIC_ACQUIRE) <= i) usleep(10);
        if (*(int *)how == 0) CHECK(df_wait_task(h) == DF_OK);
        else if (*(int *)how == 1) CHECK(df_wait_task_for(h, LONG) == DF_OK);
        else while (!df_done(h)) usleep(10);
        CHECK(result[i] == 3 * i);
    }
    return how;
}
static void threads(void)
{
    pthread_t thread[THREADS];
    int how[THREADS];
    submitted = 0;
    for (int k = 0; k < THREADS; k++) {
        how[k] = k;
        CHECK(!pthread_create(&thread[k], NULL, waits, &how[k]));
    }
    for (int i = 0; i < ROUNDS; i++) {
        df_submit_with(DF_OPTS(.handle = &handle[i], .result = DF_RESULT(naps, &result[i])), naps, i,
                       i % 8 ? 0u : 300u);
        __atomic_store_n(&submitted, i + 1, __ATOMIC_RELEASE);
        if (i % 5 == 0) CHECK(df_wait_task(&handle[i]) == DF_OK);
    }
    df_wait();
    for (int k = 0; k < THREADS; k++) CHECK(!pthread_join(thread[k], NULL));
}

static void times(void)
{
    df_handle h, held, never;
    df_token t = DF_TOKEN(1), u = DF_TOKEN(1);
    double begin;
    int x = 0;
    df_submit_with(DF_OPTS(.handle = &held, .after = DF_TOKENS(&t)), put, &x, 1);
    df_submit_with(DF_OPTS(.handle = &h), naps, 1, 30000);
    begin = now();
    CHECK(df_wait_task(&h) == DF_OK && df_done(&h) && now() - begin < LONG / 2000.);
    begin = now();
    CHECK(df_wait_task_for(&held, 60) == DF_ERROR_TIMEOUT && now() - begin > 0.059);
    /* longer than df_config.patience, after which a wait without a limit gives the task up */
    CHECK(df_wait_task_for(&held, 1500) == DF_ERROR_TIMEOUT && n_said == 0);
    df_signal(&t);
    CHECK(df_wait_task(&held) == DF_OK && x == 1);
    df_submit_with(DF_OPTS(.handle = &never, .after = DF_TOKENS(&u)), put, &x, 2);
    CHECK(df_wait_task(&never) == DF_ERROR_STUCK && x == 1 && n_said == 1);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    n_said = 0;
}

static void mistakes(void)
{
    df_token t = DF_TOKEN(1);
    df_handle h;
    const char *here;
    char text[300];
    int x = 0;
    here = HERE, df_submit_with(DF_OPTS(.handle = &h, .after = DF_TOKENS(&t)), put, &x, 1);
    memset(&h, 0x5a, sizeof h); /* as if it had gone out of scope */
    df_signal(&t);
    df_wait();
    snprintf(text, sizeof text, "1 df: %s: task put: its handle was overwritten before the task was done: it is not "
                                "written; keep it until df_done, df_wait_task or a wait for the scope", here);
    CHECK(x == 1 && n_said == 1 && !strcmp(said[0], text));
    for (size_t i = 0; i < sizeof h; i++) CHECK(((unsigned char *)&h)[i] == 0x5a);
    n_said = 0;
    df_submit_with(DF_OPTS(.handle = &h), put, &x, 2);
    df_wait();
    here = HERE, CHECK(df_wait_task_for(&h, -4) == DF_OK);
    snprintf(text, sizeof text, "1 df: %s: df_wait_task_for(-4): the time is negative, and counts as 0; pass "
                                "milliseconds, 0 or more", here);
    CHECK(n_said == 1 && !strcmp(said[0], text));
    n_said = 0;
}

int main(void)
{
    for (int workers = 1; workers <= 4; workers += 3) {
        df_config c = { .workers = workers, .log = hear, .patience = 1 };
        CHECK(df_start(&c) == DF_OK);
        threads();
        times();
        mistakes();
        df_stop();
    }
    return 0;
}
