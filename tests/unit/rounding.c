/* rounding.c - bodies compute with the rounding mode of the code that submitted them, or called the loop, pipe or task
 * graph, whoever runs them; and the code that waits has its own again */
#include <fenv.h>
#include <stdio.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* other processors have the mode of the worker (impl/base/fenv.h) */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__riscv_flen)
static const int mode[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD };
#else
static const int mode[] = { FE_TONEAREST, FE_TONEAREST, FE_TONEAREST };
#endif
enum { MODES = 3, N = 60 };
static void to(int k) { fesetround(mode[k % MODES]); }

/* Tells the modes apart, in double and in long double arithmetic. */
static int rounds(void)
{
    static const double third = 1.0 / 3, tenth = 1.0 / 10; /* to the nearest, which is below it, and above it */
    static const long double seventh = 1.0L / 7, tenths = 1.0L / 10;
    volatile double one = 1, three = 3, ten = 10;
    volatile long double ones = 1, seven = 7, tens = 10;
    return (one / three > third) + 2 * (one / ten < tenth) + 4 * (ones / seven > seventh) + 8 * (ones / tens < tenths);
}
static void wait_a_little(int i)
{
    if (i % 4 == 0) usleep(200);
}

DF_TASK(void, look, df_out(int, seen, 1), (int, i));
void look(int *seen, int i)
{
    wait_a_little(i);
    *seen = rounds();
}
DF_TASK(void, look_again, df_in(int, x, 1), df_inout(int, seen, 1), (int, i));
void look_again(const int *x, int *seen, int i)
{
    wait_a_little(i);
    *seen = (*seen * 31 + 7 * *x + rounds()) % 1000003;
}
static int total[MODES]; /* of lazy tasks */
DF_TASK(void, tree, (int, n), (int, k));
void tree(int n, int k)
{
    __atomic_fetch_add(&total[k], 1 + rounds(), __ATOMIC_RELAXED);
    if (!n) return;
    df_submit(tree, n - 1, k); /* waits in the list of its worker while this code changes the mode */
    to(k + 1);
    df_submit(tree, n - 1, (k + 1) % MODES);
    to(k);
    df_wait();
}
DF_TASK(void, weakly, df_weak_inout(int, seen, N), (int, k));
void weakly(int *seen, int k)
{
    for (int i = 0; i < N; i++) {
        to(k + i);
        df_submit(look, &seen[i], i);
    }
    to(k);
}
DF_LOOP(loop, (int *, seen));
void loop(long lo, long hi, int *seen)
{
    for (; lo < hi; lo++) wait_a_little((int)lo), seen[lo] = rounds();
}
static int items[N + 1][2];
DF_PIPE(pipe3, int);
int pipe3(int stage, int *x, long i, void *arg)
{
    (void)x, (void)arg;
    if (stage == 0) return i == N ? DF_PIPE_END : df_continue(1);
    wait_a_little((int)i);
    items[i][stage - 1] = rounds();
    return stage == 2 ? DF_PIPE_DONE : df_in_order(2);
}

static void print(const char *what, const int *seen, int n)
{
    printf("%s:", what);
    for (int i = 0; i < n; i++) printf(" %d", seen[i]);
    printf("; here %d\n", rounds());
}

int main(void)
{
    static int seen[N], more[N];
    df_taskgraph *graph = df_taskgraph_new();
    for (int i = 0; i < 20; i++) df_submit(look, &seen[i], i); /* the pool starts */
    df_wait();
    for (int i = 0; i < N; i++) {
        to(i);
        df_submit(look, &seen[i], i);
        to(i + 1);
        df_submit(look_again, &seen[i], &more[i % 7], i);
    }
    to(1); /* this thread runs some of them while it waits */
    df_wait();
    print("submitted", seen, N);
    print("in chains", more, 7);
    for (int k = 0; k < MODES; k++) {
        to(k);
        df_submit(tree, 9, k);
    }
    df_wait();
    print("trees", total, MODES);
    to(2);
    df_submit(weakly, seen, 2);
    to(1);
    df_submit(look_again, &seen[5], &more[0], 1);
    df_wait();
    print("in a weak task", seen, N);
    for (int k = 0; k < MODES; k++) {
        to(k);
        df_for(loop, 0, N, seen);
        print("loop", seen, N);
        df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 1), loop, 0, N, seen);
        print("loop", seen, N);
        df_pipe(pipe3, NULL, NULL);
        print("pipe", items[0], 2 * N);
    }
    to(0);
    DF_TASKGRAPH(graph) {
        for (int i = 0; i < N; i++) {
            df_submit(look, &seen[i], i);
            df_submit(look_again, &seen[i], &more[i % 7], i);
        }
    }
    for (int k = 0; k < 2 * MODES; k++) { /* in the mode of this code */
        to(k / 2);
        df_taskgraph_run(graph);
        print("task graph", seen, N);
    }
    df_taskgraph_free(graph);
    for (int i = 0; i < N; i++) {
        df_node(look) *n;
        to(i);
        n = df_node_new(look);
        df_node_set(look, n, seen, &seen[i]);
        df_node_set(look, n, i, i);
    }
    to(0);
    df_wait();
    print("nodes", seen, N);
    for (int i = 0; i < N; i++) df_submit(look, &seen[i], i);
    df_wait();
    print("as before", seen, N);
    return 0;
}
