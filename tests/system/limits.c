/* limits.c - semaphores: threads of the program share them; a task that waits for units occupies no thread; one that
 * needs all units has its turn; units return when a thread ends or blocks in a body */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { THREADS = 4, UNITS = 3, ROUNDS = TEST_SLOW ? 20 : 200 };
static df_semaphore shared = DF_SEMAPHORE(UNITS), one = DF_SEMAPHORE(1);
static int used, ran, seen_all;
static long plain;

DF_TASK(void, use, df_limit(s, k), (int, k), (unsigned, slow));
void use(df_semaphore *s, int k, unsigned slow)
{
    int now = __atomic_fetch_add(&used, k, __ATOMIC_ACQ_REL) + k;
    (void)s;
    CHECK(now <= UNITS);
    if (now == UNITS) __atomic_store_n(&seen_all, 1, __ATOMIC_RELAXED);
    test_spin(slow);
    __atomic_fetch_sub(&used, k, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL);
}
DF_TASK(void, alone, df_limit(s, 1));
void alone(df_semaphore *s) { (void)s, plain++; }

static void *thread(void *seed)
{
    uint64_t r = (uint64_t)(uintptr_t)seed;
    int i, k;
    for (i = 0; i < ROUNDS; i++) {
        for (k = 0; k < 20; k++) {
            if (k % 3) df_submit(use, &shared, test_below(&r, UNITS + 1), test_below(&r, 3) ? 0 : 3000);
            else df_submit(alone, &one);
        }
        if (i % 4 == 3) df_wait();
    }
    df_wait();
    return NULL;
}
static void threads(void)
{
    pthread_t t[THREADS];
    int i;
    for (i = 0; i < THREADS; i++) CHECK(!pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)(i + 1)));
    for (i = 0; i < THREADS; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(ran == THREADS * ROUNDS * 13 && plain == THREADS * ROUNDS * 7 && seen_all);
}

/* --- a queued task occupies no thread ------------------------------------------------------------------------- */

static df_token opened = DF_TOKEN(1);
DF_TASK(void, holds, df_limit(s, 1));
void holds(df_semaphore *s) { (void)s, df_wait_token(&opened); }
DF_TASK(void, other, (int, last));
void other(int last)
{
    if (__atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL) + 1 == last) df_signal(&opened);
}
static void queued(void)
{
    int i;
    ran = 0, plain = 0;
    df_submit(holds, &one);
    for (i = 0; i < 100; i++) df_submit(alone, &one);
    for (i = 0; i < 100; i++) df_submit(other, 100);
    df_wait();
    CHECK(plain == 100);
}

/* --- the task that needs all units ------------------------------------------------------------------------------ */

static int had_all;
DF_TASK(void, all, df_limit(s, UNITS));
void all(df_semaphore *s) { (void)s, __atomic_store_n(&had_all, 1, __ATOMIC_RELAXED); }
static void turn(void)
{
    int i;
    for (i = 0; i < 50; i++) {
        __atomic_store_n(&had_all, 0, __ATOMIC_RELAXED);
        df_submit(use, &shared, 1, 1000), df_submit(use, &shared, 1, 1000);
        df_submit(all, &shared);
        while (!__atomic_load_n(&had_all, __ATOMIC_RELAXED)) df_submit(use, &shared, 1, 500); /* until its turn has come */
        df_wait();
    }
}

/* --- bodies that block, and bodies that end their thread -------------------------------------------------------- */

static void nap(void *unused) { (void)unused, usleep(200); }
DF_TASK(void, blocks, df_limit(s, 2));
void blocks(df_semaphore *s) { (void)s, df_yield_blocking(nap, NULL); }
static void blocking(void)
{
    int i;
    for (i = 0; i < 30; i++) df_submit(blocks, &shared), df_submit(use, &shared, 1, 0);
    df_wait();
}

static int main_thread(void) { return df_worker() == 0; }
DF_TASK(void, exits, df_limit(s, UNITS), df_limit(t, 1));
void exits(df_semaphore *s, df_semaphore *t)
{
    (void)s, (void)t;
    if (!main_thread()) pthread_exit(NULL);
}
static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    CHECK(strstr(text, "its thread ended in its body") || strstr(text, "and no df_wait_result returned it"));
}
static void ending(void)
{
    df_config config = { .log = hear };
    int i;
    df_stop();
    CHECK(df_start(&config) == DF_OK);
    for (i = 0; i < 10; i++) {
        DF_PARALLEL {
            df_submit(exits, &shared, &one);
            df_wait_result();
        }
        df_submit(use, &shared, UNITS, 0), df_submit(alone, &one);
        df_wait();
    }
}

int main(void)
{
    threads();
    queued();
    turn();
    blocking();
    ending();
    CHECK(df_semaphore_destroy(&shared) && df_semaphore_destroy(&one));
    return 0;
}
