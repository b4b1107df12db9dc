/* loop_fork.c - a program that used loops, wavefronts and pipes forks: parent and child continue to use them, the
 * child with a pool of its own; also from a further thread */
#define _DEFAULT_SOURCE /* fork, setenv, usleep */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include "before_fork.h"

enum { N = 400, SIDE = 10 };

DF_LOOP(sums, df_reduce(df_sum, long, x, 1));
void sums(long lo, long hi, long *x)
{
    for (long i = lo; i < hi; i++) *x += i, test_spin(100);
}
DF_LOOP2(binomial, df_inout(int, t, SIDE *SIDE));
void binomial(long lo, long hi, long lo1, long hi1, int *t)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) t[i * SIDE + j] = i && j ? t[(i - 1) * SIDE + j] + t[i * SIDE + j - 1] : 1;
}
DF_PIPE(stages, long);
int stages(int stage, long *x, long i, void *ctx)
{
    if (stage == 0) {
        *x = i;
        return i == 50 ? (int)DF_PIPE_END : df_continue(1);
    }
    if (stage == 1) {
        test_spin(1000);
        return df_in_order(2);
    }
    *(long *)ctx = (*(long *)ctx * 3 + *x) % 1000003;
    return DF_PIPE_DONE;
}
static void work(void)
{
    long sum = 0, got = 0, want = 0;
    int t[SIDE * SIDE];
    for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++)
        df_for_with(DF_LOOP_OPTS(.schedule = schedule, .deterministic = schedule % 2), sums, 0, N, &sum);
    CHECK(sum == 4 * (N / 2 * (N - 1)));
    df_wavefront_with(DF_LOOP_OPTS(.grain = 2, .grain1 = 3), binomial, DF_VECTORS({ 1, 0 }, { 0, 1 }), 0, SIDE, 0,
                      SIDE, t);
    CHECK(t[SIDE * SIDE - 1] == 48620);
    for (long i = 0; i < 50; i++) want = (want * 3 + i) % 1000003;
    CHECK(df_pipe(stages, NULL, &got) == 50 && got == want);
}
static void fork_once(int i)
{
    int status;
    pid_t pid;
    work();
    before_fork();
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(60);
        if (TEST_TSAN) setenv("DF_WORKERS", "1", 1); /* it cannot follow threads in a forked child */
        CHECK(df_worker() == 0);
        work();
        if (i % 2) df_stop();
        exit(0);
    }
    work();
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
static void *in_thread(void *unused)
{
    for (int i = 0; i < 5; i++) fork_once(i);
    return unused;
}

int main(void)
{
    pthread_t t;
    alarm(120);
    CHECK(df_start(&(df_config){ .workers = 3 }) == DF_OK);
    for (int i = 0; i < 20; i++) fork_once(i);
    CHECK(!pthread_create(&t, NULL, in_thread, NULL) && !pthread_join(t, NULL));
    df_stop();
    fork_once(0);
}
