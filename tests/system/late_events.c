/* late_events.c - events from outside of df that come after df_config.patience: tasks that wait for what follows from them
 * are not given up, and neither are nodes and streams that are said to have inputs from outside; an input of a node that
 * was given up is refused, and reaches no other node
 *
 * With 1 and 3 workers, and patience = 1. The thread acts after the patience is over: on a fault, later makes no
 * difference. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"

enum { AFTER_PATIENCE = 1600000 };

DF_TASK(void, add, (int, k), df_commute(int, sum, 1));
void add(int k, int *sum) { *sum += k; }
DF_TASK(void, answer, (int, question), (int, reply), (int *, at));
void answer(int question, int reply, int *at) { *at = 100 * question + reply; }
DF_TASK(void, get, df_pop(int, from, 2), df_commute(int, sum, 1));
void get(const int *from, int *sum) { *sum += from[0] + from[1]; }
DF_TASK(void, put, df_push(int, to, 1), (int, k));
void put(int *to, int k) { *to = k; }
DF_TASK(void, signals, (df_token *, t));
void signals(df_token *t) { df_signal(t); }
DF_TASK(void, gives, (df_node(answer) *, n));
void gives(df_node(answer) *n) { df_node_set(answer, n, reply, 2); }

/* --- tasks that follow from an external token ------------------------------------------------------- */

static df_token from_outside;
static void *signals_late(void *unused)
{
    usleep(AFTER_PATIENCE);
    df_signal(&from_outside);
    return unused;
}

static void follows(void)
{
    df_token promised = DF_TOKEN(1), unpromised = DF_TOKEN(1);
    df_stream *s = df_stream_new(sizeof(int), 4);
    df_node(answer) *n;
    int sum = 0, at = 0;
    pthread_t thread;
    df_token_init_external(&from_outside, 1);
    CHECK(s && pthread_create(&thread, NULL, signals_late, NULL) == 0);
    n = df_node_new(answer);
    df_node_set(answer, n, question, 1);
    df_node_set(answer, n, at, &at);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&from_outside), .signals = DF_TOKENS(&promised)), add, 1, &sum);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&promised)), add, 10, &sum);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&from_outside)), signals, &unpromised);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&unpromised)), add, 100, &sum);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&from_outside)), gives, n);
    df_submit(get, s, &sum);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&from_outside)), put, s, 1000);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&from_outside)), put, s, 2000);
    CHECK(df_wait_result() == DF_OK && sum == 3111 && at == 102 && n_said == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    df_stream_free(s);
}

/* --- a node and a stream with inputs from outside ----------------------------------------------------- */

static df_node(answer) *asked;
static void *answers_late(void *unused)
{
    usleep(AFTER_PATIENCE);
    df_node_set(answer, asked, reply, 7);
    return unused;
}
static void node(void)
{
    int at = 0;
    pthread_t thread;
    asked = df_node_new_external(answer);
    df_node_set(answer, asked, question, 5);
    df_node_set(answer, asked, at, &at);
    CHECK(pthread_create(&thread, NULL, answers_late, NULL) == 0);
    CHECK(df_wait_result() == DF_OK && at == 507 && n_said == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static df_stream *pushed;
static void *pushes_late(void *unused)
{
    usleep(AFTER_PATIENCE);
    df_submit(put, pushed, 3);
    df_submit(put, pushed, 4);
    df_wait();
    return unused;
}
static void stream(void)
{
    int sum = 0;
    pthread_t thread;
    pushed = df_stream_new(sizeof(int), 4);
    CHECK(pushed);
    df_stream_external(pushed);
    df_submit(get, pushed, &sum);
    CHECK(pthread_create(&thread, NULL, pushes_late, NULL) == 0);
    CHECK(df_wait_result() == DF_OK && sum == 7 && n_said == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    /* closed: nothing comes any more, and the reader does not wait for it */
    df_submit(get, pushed, &sum);
    df_submit(put, pushed, 1);
    df_stream_close(pushed);
    CHECK(df_wait_result() == DF_OK && sum == 8 && n_said == 0);
    df_stream_free(pushed);
}

/* --- an input that comes too late --------------------------------------------------------------------- */

static int said_twice(const char *text)
{
    int n = 0;
    for (int i = 0; i < n_said; i++) n += strstr(said[i], text) != NULL;
    return n;
}

static void too_late(void)
{
    enum { NODES = 20 };
    df_node(answer) *old[NODES], *n[NODES];
    int at[NODES] = { 0 }, never = 0;
    for (int i = 0; i < NODES; i++) {
        old[i] = df_node_new(answer);
        df_node_set(answer, old[i], question, 9);
        df_node_set(answer, old[i], at, &never);
    }
    CHECK(df_wait_result() == DF_ERROR_STUCK && n_said == NODES && said_twice("is skipped, because these inputs") == NODES);
    n_said = 0;
    for (int i = 0; i < NODES; i++) {
        n[i] = df_node_new(answer);
        df_node_set(answer, n[i], question, i);
        df_node_set(answer, n[i], at, &at[i]);
    }
    for (int i = 0; i < NODES; i++) df_node_set(answer, old[i], reply, 77);
    CHECK(n_said == NODES && said_twice("input reply of node answer") == NODES &&
          said_twice("comes after the node was given up: no effect") == NODES);
    n_said = 0;
    for (int i = 0; i < NODES; i++) df_node_set(answer, n[i], reply, 5);
    CHECK(df_wait_result() == DF_OK && never == 0 && n_said == 0);
    for (int i = 0; i < NODES; i++) CHECK(at[i] == 100 * i + 5);
}

int main(void)
{
    static const int workers[] = { 1, 3 };
    for (int i = 0; i < 2; i++) {
        df_config c = { .workers = workers[i], .log = hear, .patience = 1 };
        CHECK(df_start(&c) == DF_OK);
        follows();
        i ? stream() : node();
        too_late();
        df_stop();
    }
}
