/* arenas.c - arenas: at most so many workers run their tasks; others do other work meanwhile, enter when one leaves, and
 * take the place of one that blocks; threads share an arena; ends of threads, forks */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { WORKERS = 4, ROUNDS = TEST_SLOW ? 5 : 40 };
static df_arena two = DF_ARENA(2);
static int inside, most, ran;
static void enters(void)
{
    int n = __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) + 1, m = __atomic_load_n(&most, __ATOMIC_RELAXED);
    while (n > m && !__atomic_compare_exchange_n(&most, &m, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
    __atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST);
}
static void leaves(void) { __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST); }
static void begin(void) { __atomic_store_n(&most, 0, __ATOMIC_SEQ_CST), __atomic_store_n(&ran, 0, __ATOMIC_SEQ_CST); }

/* --- never more, with all kinds of work; and as many, if there is enough --------------------------------------- */

DF_TASK(void, works, (int, below));
DF_TASK(int, calls, (int, below));
DF_LOOP(items, (int, unused));
int calls(int below)
{
    df_future(calls) f;
    int n;
    if (!below) {
        enters(), usleep(100), leaves();
        return 1;
    }
    df_spawn(calls, &f, below - 1);
    n = calls(below - 1);
    return n + df_sync(calls, &f);
}
void works(int below)
{
    int i;
    if (!below) enters(), usleep(100), leaves();
    for (i = 0; i < below; i++) df_submit(works, 0);
}
void items(long lo, long hi, int unused)
{
    (void)unused;
    enters(), usleep((unsigned)(10 * (hi - lo))), leaves();
}

static void kinds(int limit, int expected_most)
{
    int i, seen = 0;
    for (i = 0; i < ROUNDS || (seen < expected_most && i < 1000); i++) {
        begin();
        if (limit == 2)
            DF_IN_ARENA(&two) {
                for (int k = 0; k < 6; k++) df_submit(works, 4);
                df_submit_with(DF_OPTS(.priority = 1), works, 3); /* ready tasks in the queue */
                CHECK(calls(3) == 8);
                df_wait();
                df_for(items, 0, 40, 0);
            }
        else
            DF_PARALLEL_AT_MOST(limit) {
                for (int k = 0; k < 6; k++) df_submit(works, 4);
                CHECK(calls(3) == 8);
                df_wait();
                df_for(items, 0, 40, 0);
            }
        if (most > limit) fprintf(stderr, "%d workers in an arena for %d\n", most, limit);
        CHECK(most <= limit && inside == 0);
        if (most > seen) seen = most;
    }
    CHECK(seen == expected_most);
}

/* --- other work goes on, and a worker that sleeps comes when there is room ------------------------------------- */

static int stage;
DF_TASK(void, sets, (int, s));
void sets(int s) { __atomic_store_n(&stage, s, __ATOMIC_SEQ_CST); }
DF_TASK(void, spins_until, (int, s));
void spins_until(int s)
{
    while (__atomic_load_n(&stage, __ATOMIC_SEQ_CST) < s) usleep(10);
}

static void others(void)
{
    int i;
    for (i = 0; i < ROUNDS; i++) {
        __atomic_store_n(&stage, 0, __ATOMIC_SEQ_CST);
        df_submit(sets, 1);           /* outside: another worker runs it, while this one is in the arena for one */
        DF_PARALLEL_AT_MOST(1) {
            df_submit(spins_until, 1);
            df_wait();
        }
        __atomic_store_n(&stage, 0, __ATOMIC_SEQ_CST);
        DF_PARALLEL_AT_MOST(2) {      /* the second task needs a second worker */
            df_submit(sets, 1);
            df_submit(spins_until, 1);
        }
        df_wait();
    }
}

/* --- one that blocks gives up its place ----------------------------------------------------------------------- */

static df_token opened;
DF_TASK(void, opens, (int, n));
void opens(int n) { (void)n, df_signal(&opened); }
DF_TASK(void, blocks, (int, n));
void blocks(int n)
{
    df_token t = DF_TOKEN(1);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), opens, n);
    df_wait_token(&t);
}
static void blocked(void)
{
    int i;
    for (i = 0; i < ROUNDS; i++) {
        df_token_init(&opened, 6);
        DF_PARALLEL_AT_MOST(1) {
            for (int k = 0; k < 6; k++) df_submit(blocks, k);
            df_wait_token(&opened);
        }
        df_token_init(&opened, 1);
        DF_PARALLEL_AT_MOST(1) DF_PARALLEL_AT_MOST(1) DF_IN_ARENA(&two) { /* in all of them */
            df_submit(opens, 1);
            df_wait_token(&opened);
        }
    }
}

/* --- threads of the program share one -------------------------------------------------------------------------- */

static void *thread(void *unused)
{
    int i;
    for (i = 0; i < ROUNDS; i++)
        DF_IN_ARENA(&two) for (int k = 0; k < 10; k++) df_submit(works, 2);
    return unused;
}
static void threads(void)
{
    pthread_t t[3];
    int i;
    begin();
    for (i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, thread, NULL));
    for (i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(ran == 3 * ROUNDS * 20 && most <= 3 + 1); /* the threads themselves, and those that enter before they do */
    CHECK(df_arena_destroy(&two));
}

/* --- threads that end, and processes --------------------------------------------------------------------------- */

static pthread_t first; /* the thread of main, which must not end */
static int may_end;
DF_TASK(void, ends, (int, n));
void ends(int n)
{
    usleep(50 + (unsigned)n);
    if (!pthread_equal(pthread_self(), first) && __atomic_fetch_sub(&may_end, 1, __ATOMIC_SEQ_CST) > 0) pthread_exit(NULL);
}
static void hear(void *arg, int level, const char *text) { (void)arg, (void)level, (void)text; }
static void *ended(void *unused)
{
    DF_PARALLEL_AT_MOST(2) {
        for (int k = 0; k < 8; k++) df_submit(works, 1);
        pthread_exit(unused);
    }
    return unused;
}
static void unwound(void)
{
    df_config config = { .workers = WORKERS, .log = hear };
    pthread_t t;
    pid_t pid;
    int i, status;
    df_stop();
    CHECK(df_start(&config) == DF_OK);
    first = pthread_self();
    __atomic_store_n(&may_end, 2, __ATOMIC_SEQ_CST); /* of three helpers */
    for (i = 0; i < 5; i++) {
        DF_PARALLEL {
            DF_IN_ARENA(&two) {
                CHECK(!df_arena_destroy(&two)); /* which is reported */
                for (int k = 0; k < 8; k++) df_submit(ends, k);
                while (df_wait_for(1) == DF_ERROR_TIMEOUT) continue;
            }
        }
        CHECK(!pthread_create(&t, NULL, ended, NULL) && !pthread_join(t, NULL));
    }
    kinds(2, 2); /* no place was lost */
    if (TEST_TSAN) return; /* it ends a child that starts threads */
    DF_IN_ARENA(&two) {
        CHECK((pid = fork()) >= 0);
        if (!pid) {
            CHECK(df_start(&config) == DF_OK);
            begin();
            DF_PARALLEL_AT_MOST(2) for (int k = 0; k < 20; k++) df_submit(works, 2);
            DF_IN_ARENA(&two) for (int k = 0; k < 20; k++) df_submit(works, 2);
            CHECK(ran == 80);
            _exit(0);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

int main(void)
{
    CHECK(df_start(DF_CONFIG(.workers = WORKERS)) == DF_OK);
    kinds(2, 2);
    kinds(3, 3);
    kinds(1, 1);
    others();
    blocked();
    threads();
    unwound();
    return 0;
}
