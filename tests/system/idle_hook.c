/* idle_hook.c - df_config.idle: no event is missed, whoever asks, sleeps or takes the role of the watcher meanwhile
 *
 * The events are those of a made-up device with a few slots: when a slot is due, its token is signalled. An event that is
 * missed leaves the program waiting, until the alarm. IDLE_EVENTS=n: n events in each part. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

enum { SLOTS = 4 };
static struct slot { int armed; long long due; df_token *t; } slot[SLOTS];
static int inside, slow; /* us that the hook takes after it has looked */
static int always;       /* it wants to be called so often, in us, or 0: when it has something to look for */
static long calls;

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}
static long look(void *arg)
{
    long next = -1, left;
    int some = 0;
    CHECK(arg == slot && !__atomic_exchange_n(&inside, 1, __ATOMIC_SEQ_CST)); /* one thread at a time */
    calls++;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &slot[i];
        if (!__atomic_load_n(&s->armed, __ATOMIC_SEQ_CST)) continue;
        if ((left = (long)(s->due - now())) <= 0) {
            df_token *t = s->t;
            __atomic_store_n(&s->armed, 0, __ATOMIC_SEQ_CST);
            if (t) df_signal(t);
            some = 1;
        } else if (next < 0 || left < next) next = left;
    }
    for (long long end = now() + slow; slow && now() < end;) continue;
    __atomic_store_n(&inside, 0, __ATOMIC_SEQ_CST);
    return some ? 0 : always && (next < 0 || next > always) ? always : next;
}

/* t, which may be NULL, is to be signalled in that many microseconds. */
static void arm(int i, df_token *t, long us)
{
    slot[i].t = t, slot[i].due = now() + us;
    __atomic_store_n(&slot[i].armed, 1, __ATOMIC_SEQ_CST);
    df_idle_soon();
}
DF_TASK(void, arms, (int, i), (df_token *, t), (long, us));
void arms(int i, df_token *t, long us) { arm(i, t, us); }
DF_TASK(void, count, df_inout(long, x, 1));
void count(long *x) { ++*x; }
DF_TASK(void, busy, (long, us));
void busy(long us) { for (long long end = now() + us; now() < end;) continue; }
/* waits inside of a body, whose worker a spare replaces */
DF_TASK(void, waits, (int, i), (df_token *, t), (long, us), df_inout(long, x, 1));
void waits(int i, df_token *t, long us, long *x)
{
    arm(i, t, us);
    CHECK(df_wait_token(t) == DF_OK);
    ++*x;
}

static uint64_t random_state;
static long random_us(void) { return test_below(&random_state, 3) ? test_below(&random_state, 60) : 0; }

/* Events that are armed by the program, by tasks, by bodies that wait, with others busy: n of them. */
static void events(int n)
{
    df_token t[SLOTS];
    long x = 0, y[SLOTS] = { 0 };
    for (int k = 0; k < n; k += SLOTS) {
        int how = test_below(&random_state, 4);
        for (int i = 0; i < SLOTS; i++) df_token_init_external(&t[i], 1);
        for (int i = 0; i < SLOTS; i++) {
            long us = random_us();
            if (how == 3) {
                df_submit(waits, i, &t[i], us, &y[i]);
                x++;
                continue;
            }
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t[i])), count, &x);
            if (how == 2 && !test_below(&random_state, 4)) df_submit(busy, 300); /* the watcher may have to run it */
            if (test_below(&random_state, 2)) arm(i, &t[i], us);
            else df_submit(arms, i, &t[i], us);
        }
        if (how == 1) while (df_wait_for(1) == DF_ERROR_TIMEOUT) continue;
        else CHECK(df_wait_result() == DF_OK);
    }
    CHECK(x == (n + SLOTS - 1) / SLOTS * SLOTS);
}

/* A thread that has nothing of df arms an event when the hook may be about to say that there is nothing. */
static df_token *wanted;
static void *foreign(void *left)
{
    uint64_t state = 7;
    for (int n = *(int *)left; n > 0; n--) {
        df_token *t;
        while (!(t = __atomic_exchange_n(&wanted, NULL, __ATOMIC_SEQ_CST))) sched_yield();
        for (int i = test_below(&state, 200); i > 0; i--) __asm__ volatile("");
        arm(0, t, 0);
    }
    return NULL;
}
static void from_a_thread(int n)
{
    pthread_t p;
    CHECK(!pthread_create(&p, NULL, foreign, &n));
    for (int k = 0; k < n; k++) {
        df_token t = DF_TOKEN_EXTERNAL(1);
        __atomic_store_n(&wanted, &t, __ATOMIC_SEQ_CST);
        CHECK(df_wait_token(&t) == DF_OK);
    }
    CHECK(!pthread_join(p, NULL));
}

/* A body that gives its worker to nobody until an event has come */
static int over;
DF_TASK(void, spins, (int, i), df_inout(int, place, 1));
void spins(int i, int *place)
{
    (void)place;
    while (__atomic_load_n(&slot[i].armed, __ATOMIC_SEQ_CST)) sched_yield();
    __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
}
DF_TASK(void, nothing);
void nothing(void) {}
DF_TASK(void, before_it, df_inout(int, place, 1));
void before_it(int *place)
{
    (void)place;
    busy(40);
}

/* The watcher is called to work, and its work needs an event: another sleeper has to watch. asks: df_idle_soon is
 * called; otherwise the function says, between two tasks, that it wants to be called sooner than the watcher wakes. It
 * does not if another thread was in it while it was to be called, on a loaded machine: not each time. */
static void watcher_leaves(int n, int asks)
{
    int late = 0;
    for (int k = 0; k < n; k++) {
        long long end;
        int place = 0;
        over = 0;
        usleep(300); /* all helpers sleep */
        if (asks) arm(0, NULL, 600);
        else slot[0].t = NULL, slot[0].due = now() + 900, __atomic_store_n(&slot[0].armed, 1, __ATOMIC_SEQ_CST);
        if (asks) usleep(300);
        else df_submit(before_it, &place); /* one worker runs both, and looks in between */
        df_submit(spins, 0, &place);
        for (end = now() + 3000000; !__atomic_load_n(&over, __ATOMIC_SEQ_CST); sched_yield()) /* and looks for nothing */
            if (!asks && now() > end) late++, end += 1000000000, df_idle_soon();
        df_wait();
    }
    CHECK(!n || late < n);
}

/* One worker, its spare, and a thread of the program that waits. When the spare has work, that thread has to watch, and
 * not the worker, whose place the spare has. */
static pthread_barrier_t meet;
static df_token done; /* the thread waits until the spare has had its event */
static void *waits_too(void *rounds)
{
    for (int k = *(int *)rounds; k > 0; k--) {
        df_token_init_external(&done, 1);
        pthread_barrier_wait(&meet);
        usleep(150); /* the spare sleeps first, and watches */
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&done)), nothing);
        df_wait();
        pthread_barrier_wait(&meet);
    }
    return NULL;
}
static void beside_spares(int n)
{
    pthread_t p;
    CHECK(!pthread_barrier_init(&meet, NULL, 2) && !pthread_create(&p, NULL, waits_too, &n));
    for (int k = 0; k < n; k++) {
        df_token t = DF_TOKEN_EXTERNAL(1), ended = DF_TOKEN(1);
        int place = 0;
        pthread_barrier_wait(&meet);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&ended)), spins, 1, &place);
        arm(0, &t, 300), arm(1, NULL, 800);
        CHECK(df_wait_token(&ended) == DF_OK);
        arm(2, &done, 0);
        pthread_barrier_wait(&meet);
        df_wait();
    }
    CHECK(!pthread_join(p, NULL) && !pthread_barrier_destroy(&meet));
}

/* Without DF_TOKEN_EXTERNAL: what the hook looks for is not given up. */
static void patient(void)
{
    df_token t = DF_TOKEN(1);
    arm(0, &t, 1300000); /* longer than df_config.patience */
    CHECK(df_wait_token(&t) == DF_OK);
}

int main(void)
{
    const char *s = getenv("IDLE_EVENTS");
    int n = s ? atoi(s) : TEST_SLOW ? 200 : 1500;
    static const int workers[] = { 1, 2, 4, 8 };
    for (int w = 0; w < 4; w++)
        for (int mode = 0; mode < 4; mode++) {
            always = mode == 1 ? 100 : 0, slow = mode == 2 ? 20 : 0;
            alarm(s ? 3600 : 120);
            CHECK(df_start(DF_CONFIG(.workers = workers[w], .idle = look, .idle_arg = slot, .patience = 1,
                                     .defer = mode == 3)) == DF_OK);
            events(n);
            from_a_thread(n / 4);
            if (mode == 0 && w < 2) patient();
            if (mode == 0 && w > 1) watcher_leaves(n / 50, 1);
            if (mode == 0 && !w) beside_spares(n / 20);
            CHECK(work_right());
            df_stop();
            CHECK(!inside);
        }
    always = 1000000000;
    CHECK(df_start(DF_CONFIG(.workers = 3, .idle = look, .idle_arg = slot)) == DF_OK);
    watcher_leaves(n / 50, 0);
    df_stop();
    calls = 0;
    CHECK(work_right() && !calls); /* df has started anew, without it */
}
