/* signal_handler.c - df_signal of a DF_TOKEN_EXTERNAL in handlers of signals, which interrupt all code of df */
#define _GNU_SOURCE /* sigaction, setitimer, pthread_kill */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* token[i] is ready for its signal when made > i; a handler that runs takes the next one. */
enum { MOST = 4000 };
static df_token token[MOST];
static int made, sent;
static long x[4];

static void on(int number)
{
    int saved = errno, i = __atomic_load_n(&sent, __ATOMIC_RELAXED);
    (void)number;
    errno = 4711;
    while (i < __atomic_load_n(&made, __ATOMIC_ACQUIRE))
        if (__atomic_compare_exchange_n(&sent, &i, i + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            df_signal(&token[i]);
            break;
        }
    if (errno != 4711) _exit(3);
    errno = saved;
}

DF_TASK(void, count, df_inout(long, x, 1));
void count(long *x) { ++*x; }
DF_LOOP(loop, (long *, sum));
void loop(long lo, long hi, long *sum) { for (; lo < hi; lo++) __atomic_fetch_add(sum, lo, __ATOMIC_RELAXED); }
DF_TASK(void, waits, (int, i));
void waits(int i) { CHECK(df_wait_token(&token[i]) == DF_OK); }

static void make(int i)
{
    df_token_init_external(&token[i], 1);
}
/* Until a handler has taken token i: signals are not queued, and ThreadSanitizer delays the call of the handler. */
static void send(pthread_t t, int i)
{
    while (__atomic_load_n(&sent, __ATOMIC_RELAXED) <= i) {
        CHECK(!pthread_kill(t, SIGALRM));
        usleep(20);
    }
}
static void may_come(int i) { __atomic_store_n(&made, i + 1, __ATOMIC_RELEASE); }

/* Short tasks, spawns, loops and waits, with a signal every 100 us. */
static int busy(void *unused)
{
    struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
    long sum = 0;
    const int n = 1000;
    (void)unused;
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < n; i++) {
        make(i);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&token[i])), count, &x[i & 3]);
        may_come(i);
        for (int k = 0; k < 20; k++) df_submit(count, &x[k & 3]);
        if (i % 16 == 0) CHECK(work_fib(10) == 55);
        if (i % 16 == 8) df_for(loop, 0, 100, &sum);
        if (i % 100 == 99) df_wait();
    }
    df_wait();
    CHECK(sum == (n + 7) / 16 * 4950);
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(x[0] + x[1] + x[2] + x[3] == n * 21);
    return 0;
}

/* Nothing but a signal can end the waits: all threads sleep when it comes. */
static int asleep(void *unused)
{
    struct itimerval soon = { { 0, 3000 }, { 0, 3000 } }, never = { { 0, 0 }, { 0, 0 } };
    (void)unused;
    setitimer(ITIMER_REAL, &soon, NULL);
    for (int i = 0; i < 60; i++) {
        make(i);
        if (i % 3 == 0) df_submit_with(DF_OPTS(.after = DF_TOKENS(&token[i])), count, &x[0]);
        else if (i % 3 == 1) df_submit(waits, i);
        may_come(i);
        if (i % 3 == 2) CHECK(df_wait_token(&token[i]) == DF_OK);
        else df_wait();
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(x[0] == 20);
    return 0;
}

/* Handlers in all threads of the program at once, one of which never uses df. */
static pthread_t thread[3];
static int stop, ready[3];
static void *user(void *p)
{
    long own[2] = { 0, 0 }, n = 0;
    int idle = *(int *)p == 2;
    __atomic_store_n(&ready[*(int *)p], 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        if (idle) {
            usleep(100);
            continue;
        }
        DF_PARALLEL for (int k = 0; k < 50; k++, n++) df_submit(count, &own[k & 1]);
        CHECK(work_fib(8) == 21);
    }
    CHECK(own[0] + own[1] == n);
    return NULL;
}
static int threads(void *unused)
{
    int number[3] = { 0, 1, 2 };
    (void)unused;
    for (int t = 0; t < 3; t++) CHECK(!pthread_create(&thread[t], NULL, user, &number[t]));
    for (int t = 0; t < 3; t++)
        while (!__atomic_load_n(&ready[t], __ATOMIC_ACQUIRE)) usleep(100);
    for (int i = 0; i < 600; i++) {
        make(i);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&token[i])), count, &x[i & 3]);
        may_come(i);
        send(thread[i % 3], i);
        if (i % 8 == 7) df_wait();
    }
    df_wait();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int t = 0; t < 3; t++) pthread_join(thread[t], NULL);
    CHECK(x[0] + x[1] + x[2] + x[3] == 600);
    return 0;
}

/* A thread that leaves a wait by cancellation leaves its record in the token; a handler opens it afterwards. */
DF_TASK(void, leaves, (int, i));
void leaves(int i) { CHECK(df_wait_token(&token[i]) == DF_ERROR_CANCELLED); }
static int left(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        make(i);
        DF_PARALLEL {
            df_submit(leaves, i);
            df_cancel();
        }
        may_come(i);
        send(pthread_self(), i);
        df_submit(count, &x[0]);
        df_wait();
    }
    return 0;
}

int main(void)
{
    static const char *const workers[] = { "1", "2", "4" };
    int (*const kind[])(void *) = { busy, asleep, threads, left };
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on;
    a.sa_flags = SA_RESTART;
    CHECK(!sigaction(SIGALRM, &a, NULL));
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 4; k++) {
            const char *env[] = { "DF_WORKERS", workers[n], NULL };
            struct child c = child_run(kind[k], NULL, env, 60);
            CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        }
}
