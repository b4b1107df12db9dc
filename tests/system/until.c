/* until.c - tasks that are done when their body has ended and a token is open (impl/more/until.h): what follows them sees
 * what the signalling thread wrote, whether it signals before the body ends, at that moment, or later */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include <pthread.h>

enum { CELLS = 5, TASKS = TEST_SLOW ? 3000 : 20000, FAILS = 101 };
enum { BY_BODY, BY_THREAD, BY_IDLE, WAYS };

struct event {
    struct dfi_until until;
    struct event *next;
    int *value, k, way, fails;
};
/* What a thread, or the idle function, is to do. */
static struct { pthread_mutex_t lock; struct event *first; } todo[WAYS] = {
    { PTHREAD_MUTEX_INITIALIZER, NULL }, { PTHREAD_MUTEX_INITIALIZER, NULL }, { PTHREAD_MUTEX_INITIALIZER, NULL } };
static int stop;

static void happens(struct event *e)
{
    *e->value = e->k;
    df_signal_external(&e->until.token, e->fails ? FAILS : 0, "on purpose");
}
static int happen(int way)
{
    struct event *e;
    int n = 0;
    pthread_mutex_lock(&todo[way].lock);
    e = todo[way].first, todo[way].first = NULL;
    pthread_mutex_unlock(&todo[way].lock);
    for (struct event *next; e; e = next, n++) {
        next = e->next; /* e is gone when it has happened */
        happens(e);
    }
    return n;
}
static void *thread(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) happen(BY_THREAD);
    return unused;
}
static long idle(void *unused) { return (void)unused, happen(BY_IDLE) ? 0 : 20; }

static void begins(void *arg, void *const *p)
{
    struct event *e = (struct event *)arg;
    e->value = (int *)p[0];
    df_token_init_external(&e->until.token, 1);
    if (e->way != BY_BODY) {
        pthread_mutex_lock(&todo[e->way].lock);
        e->next = todo[e->way].first, todo[e->way].first = e;
        pthread_mutex_unlock(&todo[e->way].lock);
        if (e->way == BY_IDLE) df_idle_soon();
    } else happens(e);
    CHECK(dfi_done_later(&e->until));
}
static void submit(int *cell, int k, int way, int fails)
{
    struct event e = { .k = k, .way = way, .fails = fails };
    df_region r = df_region_of(cell, 1);
    r.mode = DF_INOUT;
    CHECK(df_call(DF_OPTS(.priority = 1, .always = 1, .name = "event"), begins, &e, sizeof e, &r, 1) == DF_OK);
}

DF_TASK(void, follows, df_inout(int, cell, 1), (int, k));
static int followed;
void follows(int *cell, int k)
{
    CHECK(*cell == k);
    *cell = -1;
    __atomic_fetch_add(&followed, 1, __ATOMIC_RELAXED);
}

int main(void)
{
    static const int workers[] = { 1, 2, 4 };
    int cell[CELLS];
    pthread_t other;
    for (int i = 0; i < 3; i++) {
        uint64_t state = (uint64_t)(i + 1);
        df_config c = { .workers = workers[i], .idle = idle };
        CHECK(df_start(&c) == DF_OK);
        stop = 0;
        CHECK(!pthread_create(&other, NULL, thread, NULL));
        followed = 0;
        for (int k = 0; k < TASKS; k++) {
            int *to = &cell[test_below(&state, CELLS)];
            submit(to, k, test_below(&state, WAYS), 0);
            df_submit(follows, to, k);
            if (!test_below(&state, 500)) df_wait();
        }
        CHECK(df_wait_result() == DF_OK && followed == TASKS);
        /* a token that fails: what follows is skipped, and the wait says why */
        for (int way = 0; way < WAYS; way++) {
            submit(&cell[0], 1, way, 1);
            df_submit(follows, &cell[0], 1);
            submit(&cell[1], 2, way, 0);
            CHECK(df_wait_result() == (df_result)FAILS);
            submit(&cell[0], 3, way, 0);
            df_submit(follows, &cell[0], 3);
            CHECK(df_wait_result() == DF_OK);
        }
        CHECK(followed == TASKS + WAYS);
        __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
        pthread_join(other, NULL);
        df_stop();
    }
    return 0;
}
