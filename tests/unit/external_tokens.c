/* external_tokens.c - tokens that are signalled from outside: by a signal handler in the serial build, by a thread in
 * the parallel one
 *
 * The tasks wait for the events, none of them is given up, and none runs inside the signaller. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#if !defined(DF_SERIAL)
#include <pthread.h>
#endif
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { EVENTS = 20 };
static df_token sample, once[4] = { DF_TOKEN_EXTERNAL(1), DF_TOKEN_EXTERNAL(1) };
static volatile int data[EVENTS], came, inside, ran_inside;

static void event(void)
{
    int k = came;
    if (k >= EVENTS) return;
    inside = 1;
    data[k] = k * k;
    came = k + 1;
    df_signal(&sample);
    if (k % 5 == 4) df_signal(&once[k / 5]);
    inside = 0;
}

#if defined(DF_SERIAL)
static void handler(int s)
{
    (void)s;
    event();
}
static void start(void)
{
    struct itimerval t;
    memset(&t, 0, sizeof t);
    t.it_interval.tv_usec = t.it_value.tv_usec = 2000;
    signal(SIGALRM, handler);
    CHECK(setitimer(ITIMER_REAL, &t, NULL) == 0);
}
static void finish(void)
{
    struct itimerval t;
    memset(&t, 0, sizeof t);
    CHECK(setitimer(ITIMER_REAL, &t, NULL) == 0);
}
static int runs_inside(void) { return inside; }
#else
static pthread_t thread;
static void *run(void *p)
{
    (void)p;
    while (came < EVENTS) {
        usleep(2000);
        event();
    }
    return NULL;
}
static void start(void) { CHECK(pthread_create(&thread, NULL, run, NULL) == 0); }
static void finish(void) { CHECK(pthread_join(thread, NULL) == 0); }
static int runs_inside(void) { return pthread_equal(pthread_self(), thread) != 0; }
#endif

DF_TASK(void, filter, df_inout(int, y, 1), (int, n));
void filter(int *y, int n)
{
    int i;
    if (runs_inside()) ran_inside = 1;
    for (i = 0; i < n; i++) *y += data[i];
}
DF_TASK(void, after, df_inout(int, y, 1));
void after(int *y)
{
    if (runs_inside()) ran_inside = 1;
    *y *= 2;
}
DF_TASK(void, nested, df_inout(int, y, 1));
void nested(int *y) /* waits in a task, for itself and for a child */
{
    CHECK(df_wait_token(&once[1]) == DF_OK);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&once[2])), filter, y, 15);
    df_wait();
}

int main(void)
{
    int y = 0, z = 0, q = 0;
    df_token opens = DF_TOKEN(1);
    df_token_init_external(&sample, EVENTS);
    CHECK(df_start(NULL) == DF_OK); /* before the thread signals: a record has what happens from here on */
    df_token_init_external(&once[2], 1), df_token_init(&once[3], 1), df_token_init_external(&once[3], 1);
    start();
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&sample)), filter, &y, EVENTS);
    df_submit(after, &y);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&once[0]), .signals = DF_TOKENS(&opens)), filter, &z, 5);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&opens, &once[3])), after, &z);
    df_submit(nested, &q);
    printf("token %d\n", (int)df_wait_token(&once[0]));
    printf("wait %d\n", (int)df_wait_result());
    finish();
    printf("%d %d %d, inside the signaller: %d\n", y, z, q, ran_inside);
    return 0;
}
