/* wait_for.c - df_wait_for and time: it sleeps as long as it says, is woken by the last task, gives no task up that the
 * code after it can release, and reports a negative time */
#define _DEFAULT_SOURCE
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"

enum { LONG = 100000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static long cpu_ms(void)
{
    struct rusage r;
    CHECK(!getrusage(RUSAGE_SELF, &r));
    return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}

DF_TASK(void, put, df_out(int, x, 1), (int, v));
void put(int *x, int v) { *x = v; }
DF_TASK(void, naps, df_inout(int, x, 1), (unsigned, ms));
void naps(int *x, unsigned ms)
{
    usleep(ms * 1000);
    ++*x;
}

static df_token external = DF_TOKEN_EXTERNAL(1);
static void *signals_late(void *p)
{
    usleep(50000);
    df_signal(&external);
    return p;
}

static void times(int workers)
{
    df_config c = { .workers = workers, .log = hear, .patience = 1 };
    df_token t = DF_TOKEN(1), a = DF_TOKEN(1), b = DF_TOKEN(1);
    pthread_t thread;
    double begin;
    long before;
    const char *here;
    char text[300];
    df_result result;
    int x = 0, y = 0, rounds = 0;
    CHECK(df_start(&c) == DF_OK);

    /* not before its time is over, and asleep until then */
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 1);
    usleep(50000);
    begin = now(), before = cpu_ms();
    CHECK(df_wait_for(400) == DF_ERROR_TIMEOUT);
    CHECK(now() - begin > 0.399);
    if (!TEST_SLOW) CHECK(cpu_ms() - before < 200);
    /* longer than df_config.patience */
    CHECK(df_wait_for(1700) == DF_ERROR_TIMEOUT && n_said == 0);
    df_signal(&t);
    CHECK(df_wait_for(LONG) == DF_OK && x == 1);

    /* a running task, and then its end wakes the thread: the test would take too long otherwise */
    df_submit(naps, &y, 100);
    while (df_wait_for(5) == DF_ERROR_TIMEOUT) rounds++;
    CHECK(y == 1);
    df_submit(naps, &y, 50);
    usleep(10000);
    begin = now();
    CHECK(df_wait_for(LONG) == DF_OK && y == 2 && now() - begin < LONG / 2000.);

    /* an event from outside */
    df_token_init(&external, 1);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&external)), put, &x, 2);
    CHECK(!pthread_create(&thread, NULL, signals_late, NULL));
    CHECK(df_wait_for(LONG) == DF_OK && x == 2);
    CHECK(!pthread_join(thread, NULL));

    /* a cycle is given up nevertheless */
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&a), .signals = DF_TOKENS(&b)), put, &x, 3);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&b), .signals = DF_TOKENS(&a)), put, &y, 3);
    begin = now();
    CHECK(df_wait_for(LONG) == DF_ERROR_STUCK && x == 2 && n_said > 0 && now() - begin < LONG / 2000.);
    n_said = 0;

    here = HERE, result = df_wait_for(-7);
    snprintf(text, sizeof text, "1 df: %s: df_wait_for(-7): the time is negative, and counts as 0; pass milliseconds, "
                                "0 or more", here);
    CHECK(result == DF_OK && n_said == 1 && !strcmp(said[0], text));
    n_said = 0;
    df_stop();
}

/* The thread ends in a task that it runs in the wait; the next thread's tasks are given up as before. */
DF_TASK(void, ends, (int, unused));
void ends(int unused)
{
    (void)unused;
    pthread_exit(NULL);
}
static void *waits(void *p)
{
    df_submit(ends, 0);
    df_wait_for(LONG);
    return p;
}
static void thread_ends(void)
{
    df_config c = { .workers = 1, .log = hear, .patience = 1 };
    df_token t = DF_TOKEN(1);
    pthread_t thread;
    int x = 0;
    CHECK(df_start(&c) == DF_OK);
    CHECK(!pthread_create(&thread, NULL, waits, NULL));
    CHECK(!pthread_join(thread, NULL));
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x, 1);
    CHECK(df_wait_result() == DF_ERROR_STUCK && x == 0);
    n_said = 0;
    df_stop();
}

int main(void)
{
    int workers;
    for (workers = 1; workers <= 4; workers += 3) times(workers);
    thread_ends();
    return 0;
}
