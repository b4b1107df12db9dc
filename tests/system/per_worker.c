/* per_worker.c - storage per worker and df_worker(), of workers, of threads of the program and of threads that take the
 * place of one that blocks: no two of them have the same element or index, also after df_start with more workers.
 * Threads without memory for a worker have elements of their own; without memory for an element, df_mine returns
 * NULL. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int most; /* nonzero: larger allocations fail */
void *test_malloc(size_t n)
{
    size_t m = (size_t)__atomic_load_n(&most, __ATOMIC_SEQ_CST);
    return m && n > m ? NULL : malloc(n);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"

enum { BOUND = 2000, WORKERS = 8, OTHERS = 5 };
struct element { void *thread; long n; };
static df_per_worker(struct element) mine = DF_PER_WORKER;
static void *thread_of[BOUND]; /* of an index; NULL: not seen yet */
static long used;

/* The calling thread, which lives as long as all others, has an index and an element that no other one has had. */
static void use(void)
{
    static __thread char me;
    int index = df_worker();
    struct element *e = df_mine(&mine);
    void *before = NULL;
    CHECK(index >= 0 && index < df_worker_bound() && index < BOUND);
    CHECK(__atomic_compare_exchange_n(&thread_of[index], &before, &me, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
          before == &me);
    CHECK(!e->thread || e->thread == &me);
    e->thread = &me;
    e->n++;
    __atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST);
}

static df_token all_block;
static pthread_barrier_t stand_ins, meet;
static int released;
static void block(void *p)
{
    (void)p;
    use();
    df_signal(&all_block);
    while (!__atomic_load_n(&released, __ATOMIC_SEQ_CST)) usleep(200);
}
DF_TASK(void, blocks, (int, k));
void blocks(int k)
{
    CHECK(df_worker() == k);
    use();
    df_yield_blocking(block, NULL);
    use();
}
DF_TASK(void, stands_in, (int, k));
void stands_in(int k)
{
    (void)k;
    CHECK(!df_worker() || df_worker() >= df_workers());
    use();
    pthread_barrier_wait(&stand_ins); /* each on a thread of its own, one of them in df_wait */
    __atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
}

static void *other(void *p)
{
    use();
    pthread_barrier_wait(&meet); /* these threads have joined */
    pthread_barrier_wait(&meet); /* df has been started again, with more workers */
    use();
    pthread_barrier_wait(&meet); /* everything is done */
    return p;
}

static void all_threads(void)
{
    pthread_t t[OTHERS];
    df_config c = { .workers = 2, .log = hear };
    long n = 0;
    pthread_barrier_init(&meet, NULL, OTHERS + 1);
    pthread_barrier_init(&stand_ins, NULL, WORKERS);
    CHECK(df_start(&c) == DF_OK);
    for (int i = 0; i < OTHERS; i++) CHECK(!pthread_create(&t[i], NULL, other, NULL));
    pthread_barrier_wait(&meet);
    df_stop();
    c.workers = WORKERS;
    CHECK(df_start(&c) == DF_OK);
    memset(thread_of, 0, sizeof thread_of);
    pthread_barrier_wait(&meet);
    df_token_init(&all_block, WORKERS - 1);
    for (int i = 1; i < WORKERS; i++) df_submit_with(DF_OPTS(.worker = i), blocks, i);
    for (int i = 0; i < WORKERS; i++) df_submit_with(DF_OPTS(.after = DF_TOKENS(&all_block)), stands_in, i);
    df_wait();
    pthread_barrier_wait(&meet);
    for (int i = 0; i < OTHERS; i++) CHECK(!pthread_join(t[i], NULL));
    df_stop();
    for (struct element *p = NULL; (p = df_per_worker_next(&mine, p)) != NULL;) n += p->n;
    CHECK(n == used && used == 2 * OTHERS + 4 * WORKERS - 3);
    df_per_worker_free(&mine);
}

/* --- without memory ------------------------------------------------------------------------------ */

struct large { char text[10000]; };
static df_per_worker(struct large) large = DF_PER_WORKER;
static df_per_worker(long) small = DF_PER_WORKER;
static pthread_barrier_t both;
static long *own[2];
static void *without_worker(void *p)
{
    int i = *(int *)p;
    CHECK(df_worker() == 0);
    CHECK(!df_mine(&large));
    own[i] = df_mine(&small);
    CHECK(own[i] && !*own[i]);
    *own[i] = i + 1;
    pthread_barrier_wait(&both);
    CHECK(df_mine(&small) == own[i] && *own[i] == i + 1);
    pthread_barrier_wait(&both);
    return NULL;
}

static void without_memory(void)
{
    pthread_t t[2];
    df_config c = { .workers = 1, .log = hear };
    int number[2] = { 0, 1 };
    long n = 0;
    CHECK(df_start(&c) == DF_OK);
    CHECK(df_mine(&large) && df_mine(&small));
    __atomic_store_n(&most, 8000, __ATOMIC_SEQ_CST); /* a worker has more, and large as well */
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, without_worker, &number[i]));
    for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
    for (long *p = NULL; (p = df_per_worker_next(&small, p)) != NULL;) n = 10 * n + *p;
    CHECK(own[0] != own[1] && (n == 12 || n == 21));
    df_per_worker_free(&small);
    __atomic_store_n(&most, 1, __ATOMIC_SEQ_CST);
    CHECK(!df_mine(&small)); /* not even memory for the places of its elements */
    __atomic_store_n(&most, 0, __ATOMIC_SEQ_CST);
    CHECK(df_mine(&small));
    df_per_worker_free(&small);
    df_per_worker_free(&large);
    df_stop();
    n = 0;
    for (int i = 0; i < n_said; i++) n += !strcmp(said[i], "2 df: out of memory: df_mine returns NULL");
    CHECK(n == 1);
}

int main(void)
{
    without_memory(); /* first: there is no worker yet that another thread has left */
    all_threads();
}
