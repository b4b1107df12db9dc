/* stop_busy.c - tasks that use df while df_stop waits for them: it joins the helper that runs them
 *
 * df_stop waits for the tasks of its own thread only before it takes the lock, so the task is one of another thread,
 * for worker 1. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sched.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { TIMES = 20, N = 100 };

static int begun, done;
static int read_flag(int *f) { return __atomic_load_n(f, __ATOMIC_SEQ_CST); }
static void set_flag(int *f, int to) { __atomic_store_n(f, to, __ATOMIC_SEQ_CST); }

DF_TASK(int, twice, (int, n));
int twice(int n) { return 2 * n; }
DF_TASK(void, add, df_inout(int, x, 1), (int, k));
void add(int *x, int k) { *x += k; }
DF_LOOP(mark, (int *, x));
void mark(long lo, long hi, int *x)
{
    for (long i = lo; i < hi; i++) x[i]++;
}

/* df_stop has begun, and waits for this task. */
static int stops(void) { return !dfi_load_seq_cst(&dfi_pool.running); }

static void use(int workers)
{
    int x[N] = { 0 }, sum = 0, me = df_worker();
    df_future(twice) t;
    CHECK(df_workers() == workers && df_worker_bound() > me);
    df_spawn(twice, &t, 4);
    CHECK(df_sync(twice, &t) == 8);
    df_for(mark, 0, N, x);
    for (int i = 0; i < N; i++) df_submit(add, &x[i], i), df_submit(add, &sum, 1);
    df_wait();
    CHECK(sum == N && df_worker() == me);
    for (int i = 0; i < N; i++) CHECK(x[i] == i + 1);
}

DF_TASK(void, late, (int, workers));
void late(int workers)
{
    set_flag(&begun, 2);
    while (!stops()) sched_yield();
    use(workers);
    set_flag(&done, 1);
}

/* Two tasks of which the helper, which waits for both, runs one, and the other thread one. */
DF_TASK(void, half, (int, workers));
void half(int workers)
{
    int x = 0;
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    while (read_flag(&begun) < 2 || !stops()) { /* gives its tasks to a thread that wants them */
        df_submit(add, &x, 1);
        df_wait();
    }
    use(workers);
}
DF_TASK(void, both, (int, workers));
void both(int workers)
{
    df_submit(half, workers);
    df_submit(half, workers);
    df_wait();
    set_flag(&done, 1);
}

static void *other(void *p)
{
    if (p) {
        df_submit_with(DF_OPTS(.worker = 1), both, df_workers());
    } else {
        df_submit_with(DF_OPTS(.worker = 1), late, df_workers());
        while (!read_flag(&done)) sched_yield();
    }
    df_wait();
    return NULL;
}

/* workers: 0 for the default */
static void stop(int workers, void *how)
{
    pthread_t thread;
    set_flag(&begun, 0), set_flag(&done, 0);
    df_start(DF_CONFIG(.workers = workers));
    if (df_workers() == 1) return; /* nobody but the other thread would run the task */
    CHECK(!pthread_create(&thread, NULL, other, how));
    while (read_flag(&begun) < 2) sched_yield();
    df_stop();
    CHECK(read_flag(&done));
    pthread_join(thread, NULL);
}

int main(void)
{
    for (int k = 0; k < TIMES; k++) {
        stop(0, NULL);
        df_stop();
        stop(2, &done);
        df_stop();
    }
    return 0;
}
