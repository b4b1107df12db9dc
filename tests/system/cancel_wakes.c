/* cancel_wakes.c - a cancelled task that sleeps in df_wait_token or df_retry is woken, also while others have work; a
 * second wait of it waits; what df cannot end is ended by a hook; tasks of other scopes sleep on
 *
 * With 1 and 3 workers, of a fault the alarm tells. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "hear.h"

static int asleep;
static int busy;
static void sleeps(void) { __atomic_add_fetch(&asleep, 1, __ATOMIC_RELAXED); }

/* Fails when n tasks sleep, or are about to. */
static void until_asleep(void *n)
{
    while (__atomic_load_n(&asleep, __ATOMIC_RELAXED) < *(int *)n) usleep(100);
    usleep(10000);
}
DF_TASK(void, fails, (int, n));
void fails(int n)
{
    df_yield_blocking(until_asleep, &n);
    df_fail(9, "stop");
}
DF_TASK(void, cancels, (int, n), (df_group *, g));
void cancels(int n, df_group *g)
{
    df_yield_blocking(until_asleep, &n);
    df_group_cancel(g);
}

/* --- sleepers -------------------------------------------------------------------------------------- */

static df_token never, later;
DF_TASK(void, token, df_commute(int, woken, 1));
void token(int *woken)
{
    sleeps();
    CHECK(df_wait_token(&never) == DF_ERROR_CANCELLED && df_cancelled());
    /* it has been told: the next one waits */
    CHECK(df_wait_token(&later) == DF_OK && df_cancelled());
    ++*woken;
}

static int word;
DF_TASK(void, transaction, df_commute(int, woken, 1));
void transaction(int *woken)
{
    int done = 0;
    sleeps();
    DF_ATOMIC {
        if (!df_tm_read(&word)) df_retry();
        done = 1;
    }
    CHECK(!done && df_cancelled());
    ++*woken;
}

static int ends[2];
static void reads(void *p) { CHECK(read(ends[0], p, 1) == 1); }
static void writes(void *p) { CHECK(write(ends[1], p, 1) == 1); }
DF_TASK(void, pipe_reader, df_commute(int, woken, 1));
void pipe_reader(int *woken)
{
    static char stop = 's';
    df_cancel_hook h;
    char c = 0;
    CHECK(df_cancel_hook_set(&h, writes, &stop) == DF_OK);
    sleeps();
    df_yield_blocking(reads, &c);
    CHECK(df_cancel_hook_clear(&h) == 1 && c == 's' && df_cancelled());
    ++*woken;
}

static df_token operation;
static void ends_operation(void *t) { df_signal((df_token *)t); }
DF_TASK(void, hooked, df_commute(int, woken, 1));
void hooked(int *woken)
{
    df_cancel_hook h;
    CHECK(df_cancel_hook_set(&h, ends_operation, &operation) == DF_OK);
    sleeps();
    if (df_wait_token(&operation) == DF_ERROR_CANCELLED) CHECK(df_wait_token(&operation) == DF_OK);
    CHECK(df_cancel_hook_clear(&h) == 1 && df_cancelled());
    ++*woken;
}

/* Of no cancelled scope: only the signal ends its wait. */
static df_token mine;
static void *sleeps_on(void *result)
{
    sleeps();
    *(df_result *)result = df_wait_token(&mine);
    return NULL;
}

/* Work for df until *busy is 0. */
DF_TASK(void, work, (int, us));
void work(int us) { test_spin((unsigned)us); }
static void *works(void *unused)
{
    while (__atomic_load_n(&busy, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 4; i++) df_submit(work, 100);
        df_wait();
    }
    return unused;
}

static void *signals(void *unused)
{
    usleep(50000);
    df_signal(&later);
    return unused;
}

static void round_of(int others)
{
    pthread_t thread, worker, signaller;
    df_result r = DF_ERROR_STUCK;
    df_group g = DF_GROUP;
    int woken = 0, woken_one[4] = { 0 };
    asleep = 0, busy = 1;
    df_token_init_external(&never, 1);
    df_token_init_external(&later, 1);
    df_token_init_external(&operation, 1);
    df_token_init_external(&mine, 1);
    CHECK(pthread_create(&thread, NULL, sleeps_on, &r) == 0);
    if (others) CHECK(pthread_create(&worker, NULL, works, NULL) == 0);
    DF_PARALLEL {
        df_submit(token, &woken_one[0]);
        df_submit(transaction, &woken_one[1]);
        df_submit(pipe_reader, &woken_one[2]);
        df_submit(hooked, &woken_one[3]);
        df_submit(fails, 5);
        CHECK(pthread_create(&signaller, NULL, signals, NULL) == 0);
        CHECK(df_wait_result() == 9);
    }
    for (int i = 0; i < 4; i++) woken += woken_one[i];
    CHECK(woken == 4 && pthread_join(signaller, NULL) == 0);

    /* the same by a group */
    df_token_init_external(&later, 0);
    df_token_init_external(&operation, 1);
    asleep = 1;
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.group = &g), token, &woken_one[0]);
        df_submit_with(DF_OPTS(.group = &g), transaction, &woken_one[1]);
        df_submit_with(DF_OPTS(.group = &g), pipe_reader, &woken_one[2]);
        df_submit_with(DF_OPTS(.group = &g), hooked, &woken_one[3]);
        df_submit(cancels, 5, &g);
        CHECK(df_wait_result() == DF_OK);
    }
    for (int i = 0; i < 4; i++) CHECK(woken_one[i] == 2);

    /* the thread sleeps on; the records of waits that have ended are still in the list of `never` */
    df_signal(&mine);
    CHECK(pthread_join(thread, NULL) == 0 && r == DF_OK);
    df_signal(&never);
    __atomic_store_n(&busy, 0, __ATOMIC_RELAXED);
    if (others) CHECK(pthread_join(worker, NULL) == 0);
    CHECK(n_said == 0);
}

int main(void)
{
    static const int workers[] = { 1, 3 };
    CHECK(pipe(ends) == 0);
    alarm(100);
    for (int i = 0; i < 2; i++) {
        df_config c = { .workers = workers[i], .log = hear, .patience = 1 };
        CHECK(df_start(&c) == DF_OK);
        for (int k = 0; k < 4; k++) round_of(k % 2);
        df_stop();
    }
}
