/* Blocks and threads of the benchmarks of transactional memory.
 *
 * Include bench.h, define df_tm_read and so on (or include df_stm.h), and the following, before this file. */
#ifndef STM_THREADS_H
#define STM_THREADS_H
/* BLOCK ... BLOCK_END       the code between them runs atomically
 * READ_BLOCK ... BLOCK_END  the same, for systems that need to know that it only reads
 * NO_EMPTY_BLOCK            if the compiler drops blocks that do nothing
 * PRIVATE_CALL              attributes of a function that blocks call and that only accesses memory of its thread, for
 *                           systems that need to know that; or empty
 * SYSTEM_START  SYSTEM_STOP  THREAD_START  THREAD_STOP  statements, or empty */
#ifndef READ_BLOCK
#define READ_BLOCK BLOCK
#endif
#ifndef PRIVATE_CALL
#define PRIVATE_CALL
#endif
#ifndef SYSTEM_START
#define SYSTEM_START
#define SYSTEM_STOP
#define THREAD_START
#define THREAD_STOP
#endif
#ifndef SYSTEM_NAME
#define SYSTEM_NAME BENCH_SYSTEM
#endif

#include <pthread.h>
#include <sched.h>

/* A function to which a block can return is not inlined, so those of the other systems are not, either. */
#define STM_CALL __attribute__((noinline))

enum { WORDS = 4096 };            /* of a thread */

typedef struct {
    void (*run)(void *worker);
    uint64_t random;
    long first, end;                 /* the operations that are its own */
    long words, range, updates;      /* of the workload */
    long added, sum;                 /* elements; sum of the values read */
    long *word;
    double began, ended;
    int *ready, threads;             /* the number of threads that have come; that must come */
    pthread_t thread;
    char line[192];                  /* on a cache line of its own */
} worker;

static inline uint64_t random_next(worker *w)                       /* xorshift64 */
{
    uint64_t x = w->random;
    x ^= x << 13;
    x ^= x >> 7;
    return w->random = x ^ x << 17;
}

/* Until all threads are here, and the system has had time to give each a processor: a thread that has just started
 * or woken up often runs on one that another thread uses. */
static void wait_for_all(worker *w)
{
    double end = bench_now() + 2e-3;
    while (bench_now() < end) {}
    __atomic_fetch_add(w->ready, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(w->ready, __ATOMIC_SEQ_CST) < w->threads) sched_yield();
}

static void *work(void *p)
{
    worker *w = (worker *)p;
    THREAD_START;
    wait_for_all(w);
    w->began = bench_now();
    w->run(w);
    w->ended = bench_now();
    THREAD_STOP;
    return NULL;
}

/* Runs n operations by all threads. Returns seconds; adds up the results of the threads. */
static double work_all(void (*run)(void *), long n, long words, long range, long updates, worker *all)
{
    int threads = bench_used_workers;
    worker *w = (worker *)bench_alloc((size_t)threads, sizeof *w);
    int ready = 0;
    double began = 1e300, ended = 0;
    memset(all, 0, sizeof *all);
    for (int i = 0; i < threads; i++) {
        w[i].run = run, w[i].ready = &ready, w[i].threads = threads;
        w[i].random = bench_mix((uint64_t)i);
        w[i].first = n * i / threads, w[i].end = n * (i + 1) / threads;
        w[i].words = words, w[i].range = range, w[i].updates = updates;
        w[i].word = (long *)bench_alloc(WORDS, sizeof *w->word);
        if (pthread_create(&w[i].thread, NULL, work, &w[i])) exit(1);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(w[i].thread, NULL);
        if (w[i].began < began) began = w[i].began;
        if (w[i].ended > ended) ended = w[i].ended;
        all->added += w[i].added;
        all->sum += w[i].sum;
    }
    for (int i = 0; i < threads; i++) {
        for (long k = 0; k < WORDS; k++) all->sum += w[i].word[k];
        free(w[i].word);
    }
    free(w);
    return ended - began;
}

/* Ends the program if a workload has a wrong result. */
static inline void must(int right, const char *wrong)
{
    if (right) return;
    fprintf(stderr, "wrong: %s with %d threads\n", wrong, bench_used_workers);
    exit(1);
}
#endif
