/* callbacks.c - df_config.worker_start and worker_stop: each thread that runs tasks calls the one before its first task,
 * and the other, with the same arguments, after its last one: helpers, threads of the program, stand-ins of threads that
 * block, and the successor of a helper that ended in a task; at df_stop and at the end of the process. Helper threads
 * have the names of df_config.thread_name. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

enum { WORKERS = 4, OTHERS = 3 };
static int starts, stops, tasks;
static __thread int started, index_of;
static char tag[] = "x";
static df_per_worker(int) calls = DF_PER_WORKER;

static void start(void *arg, int worker)
{
    CHECK(arg == tag && !started);
    started = 1, index_of = worker;
    ++*df_mine(&calls);
    __atomic_fetch_add(&starts, 1, __ATOMIC_SEQ_CST);
}
static void stop(void *arg, int worker)
{
    CHECK(arg == tag && started && index_of == worker);
    started = 0;
    __atomic_fetch_add(&stops, 1, __ATOMIC_SEQ_CST);
}
static void ran(void)
{
    CHECK(started && index_of == df_worker());
    __atomic_fetch_add(&tasks, 1, __ATOMIC_SEQ_CST);
}

static df_token all_block;
static pthread_barrier_t stand_ins;
static int released;
static void block(void *p)
{
    (void)p;
    df_signal(&all_block);
    while (!__atomic_load_n(&released, __ATOMIC_SEQ_CST)) usleep(200);
}
DF_TASK(void, blocks, (int, k));
void blocks(int k)
{
    (void)k;
    ran();
    df_yield_blocking(block, NULL);
    ran();
}
DF_TASK(void, stands_in, (int, k));
void stands_in(int k)
{
    (void)k;
    ran();
    pthread_barrier_wait(&stand_ins); /* each on a thread of its own, one of them in df_wait */
    __atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
}
static void *other(void *p)
{
    CHECK(!started);
    CHECK(work_right());
    ran();
    return p;
}

/* How many threads of the process have names with that prefix and a number? */
static int named(const char *prefix)
{
    DIR *d = opendir("/proc/self/task");
    int n = 0;
    CHECK(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[300], name[40] = "";
        FILE *f;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        if (*e->d_name == '.' || !(f = fopen(path, "r"))) continue;
        if (!fgets(name, sizeof name, f)) *name = 0; /* it has ended meanwhile */
        fclose(f);
        n += !strncmp(name, prefix, strlen(prefix)) && atoi(name + strlen(prefix)) > 0;
    }
    closedir(d);
    return n;
}

DF_TASK(void, ends_thread, (int, k));
void ends_thread(int k)
{
    (void)k;
    ran();
    pthread_exit(NULL);
}
DF_TASK(void, comes_after, (int, k));
void comes_after(int k)
{
    CHECK(df_worker() == k);
    ran();
}

static df_config config(void)
{
    df_config c = { .workers = WORKERS, .worker_start = start, .worker_stop = stop, .worker_arg = tag };
    return c;
}

static void run(void)
{
    pthread_t t[OTHERS];
    df_config c = config();
    CHECK(df_start(&c) == DF_OK);
    CHECK(started);
    df_token_init(&all_block, WORKERS - 1);
    released = 0;
    for (int i = 1; i < WORKERS; i++) df_submit_with(DF_OPTS(.worker = i), blocks, i);
    for (int i = 0; i < WORKERS; i++) df_submit_with(DF_OPTS(.after = DF_TOKENS(&all_block)), stands_in, i);
    df_wait();
    for (int i = 0; i < OTHERS; i++) {
        CHECK(!pthread_create(&t[i], NULL, other, NULL));
        CHECK(!pthread_join(t[i], NULL));
    }
    df_stop();
    CHECK(!started);
}

/* At the end of the process: prints how many have stopped, after df's destructor, which has the default priority. */
static __attribute__((destructor(101))) void last(void)
{
    if (getenv("PRINT_STOPS")) fprintf(stderr, "%d of %d stopped\n", stops, starts);
}
static int ends(void *none)
{
    df_config c = config();
    (void)none;
    starts = stops = 0;
    setenv("PRINT_STOPS", "1", 1);
    CHECK(df_start(&c) == DF_OK);
    CHECK(work_right());
    exit(0);
}

int main(void)
{
    df_config c = config();
    struct child child;
    long sum = 0;
    pthread_barrier_init(&stand_ins, NULL, WORKERS);
    for (int round = 1; round <= 3; round++) {
        run();
        /* main may count as one that blocks, too, while it sleeps in df_wait */
        CHECK(starts == stops && starts >= round * (2 * WORKERS - 1 + OTHERS) && starts <= round * (2 * WORKERS + OTHERS));
        CHECK(tasks == round * (3 * WORKERS - 2 + OTHERS));
    }
    for (int *p = NULL; (p = df_per_worker_next(&calls, p)) != NULL;) sum += *p;
    CHECK(sum == starts);

    c.thread_name = "a long name for threads"; /* 15 bytes with the number */
    c.workers = 2;
    CHECK(df_start(&c) == DF_OK);
    df_submit_with(DF_OPTS(.worker = 1), comes_after, 1);
    df_wait();
    CHECK(named("a long name f ") == 1);
    starts = stops = 0;
    df_submit_with(DF_OPTS(.worker = 1), ends_thread, 1);
    CHECK(df_wait_result() == DF_ERROR_THREAD);
    df_submit_with(DF_OPTS(.worker = 1), comes_after, 1);
    df_wait();
    CHECK(starts == 1 && stops == 1);
    while (named("a long name f ") > 1) continue; /* the thread that ended is listed until the system has removed it */
    CHECK(named("a long name f ") == 1);
    df_stop();
    CHECK(stops == 3);

    CHECK(df_start(DF_CONFIG(.workers = 3)) == DF_OK); /* the default name, and no callbacks */
    for (int i = 1; i < 3; i++) df_submit_with(DF_OPTS(.worker = i), work_tree, (uint64_t *)df_local(uint64_t, 1), 0);
    df_wait();
    CHECK(named("df ") == 2 && !started);
    df_stop();
    CHECK(stops == 3);

    child = child_run(ends, NULL, (const char *const[]){ NULL }, 30);
    CHECK_CHILD(child, 1);
    CHECK(strstr(child.err, "4 of 4 stopped"));
}
