/* threads.c - threads of the program come, use df, and go, some with work pending: `threads SECONDS` */
#define _DEFAULT_SOURCE
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

enum { THREADS = 12, CELLS = 32 };

struct job { uint64_t seed; int x[CELLS], want; };

DF_TASK(int, tree, (uint64_t, seed), (int, depth));
int tree(uint64_t seed, int depth)
{
    df_future(tree) a;
    if (seed % 101 == 0) sched_yield();
    if (depth == 0) return 1;
    df_spawn(tree, &a, test_random(&seed), depth - 1);
    int n = tree(test_random(&seed), depth - 1);
    return n + df_sync(tree, &a);
}
DF_TASK(void, add, df_inout(int, x, 1), (uint64_t, seed));
void add(int *x, uint64_t seed)
{
    if (seed % 101 == 0) sched_yield();
    test_spin((unsigned)(seed % 300));
    ++*x;
}
DF_TASK(void, spread, df_inout(int, x, CELLS), (uint64_t, seed));
void spread(int *x, uint64_t seed)
{
    for (int i = 0; i < CELLS; i++) df_submit(add, &x[i], test_random(&seed));
}

static void *run(void *p)
{
    struct job *j = p;
    uint64_t seed = j->seed;
    for (int n = test_below(&seed, 20); n > 0; n--) {
        switch (test_below(&seed, 5)) {
        case 0: CHECK(tree(test_random(&seed), 6) == 64); break;
        case 1:
            DF_PARALLEL df_submit(spread, j->x, test_random(&seed));
            j->want++;
            CHECK(j->x[CELLS - 1] == j->want);
            break;
        case 2:
            df_submit(spread, j->x, test_random(&seed));
            j->want++;
            df_wait_on(j->x, sizeof j->x);
            CHECK(j->x[7] == j->want);
            break;
        case 3: df_wait(); break;
        default: CHECK(df_worker() >= df_workers()); break;
        }
    }
    df_wait(); /* blocks are scopes of their own: nothing outside of them is pending before one */
    for (int n = test_below(&seed, 4); n > 0; n--) {
        df_submit(spread, j->x, test_random(&seed)); /* left to the end of the thread */
        j->want++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct job job[THREADS];
    pthread_t t[THREADS];
    int there[THREADS] = { 0 };
    uint64_t seed = 1;
    stress_begin(argc, argv);
    CHECK(df_worker() == 0);
    while (stress_goes_on()) {
        int i = test_below(&seed, THREADS);
        if (there[i]) {
            CHECK(!pthread_join(t[i], NULL));
            for (int k = 0; k < CELLS; k++) CHECK(job[i].x[k] == job[i].want);
        } else {
            job[i] = (struct job){ .seed = test_random(&seed) };
            CHECK(!pthread_create(&t[i], NULL, run, &job[i]));
        }
        there[i] = !there[i];
        if (test_below(&seed, 4) == 0) CHECK(tree(test_random(&seed), 5) == 32);
    }
    for (int i = 0; i < THREADS; i++)
        if (there[i]) CHECK(!pthread_join(t[i], NULL));
}
