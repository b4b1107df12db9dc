/* cancelled_spawns.c - spawned functions of a scope that is cancelled: one that has not begun runs at its df_sync, with the
 * right result; of one that was cut short, df_sync tells, unless the next wait does; their waits do not end the
 * cancellation of the code that spawned them */
#define _DEFAULT_SOURCE /* usleep */
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 100, SUM = N * (N - 1) / 2, ROUNDS = TEST_SLOW ? 150 : 600 };

DF_LOOP(add, df_reduce(df_sum, long, s, 1));
void add(long lo, long hi, long *s)
{
    for (; lo < hi; lo++) *s += lo;
}
DF_TASK(void, add_one, df_inout(long, s, 1), (long, k));
void add_one(long *s, long k) { *s += k; }
DF_PIPE(add_items, int);
int add_items(int stage, int *item, long i, void *s)
{
    (void)item;
    if (stage == 0) return i == N ? DF_PIPE_END : df_in_order(1);
    *(long *)s += i;
    return DF_PIPE_DONE;
}

enum { LOOP, TASKS, PIPE, SPAWN, LONG, WAYS };
DF_TASK(long, sum, (int, way));
long sum(int way)
{
    df_future(sum) f;
    long s = 0;
    if (way == LONG) { /* it has begun when the scope is cancelled */
        usleep(300);
        way = LOOP;
    }
    switch (way) {
    case LOOP: df_for_with(DF_LOOP_OPTS(.grain = 7), add, 0, N, &s); break;
    case TASKS:
        for (int i = 0; i < N; i++) df_submit(add_one, &s, i);
        df_wait();
        break;
    case PIPE: df_pipe(add_items, NULL, &s); break;
    default:
        df_spawn(sum, &f, LOOP);
        s = sum(TASKS);
        s += df_sync(sum, &f) - SUM;
    }
    return s;
}

static int told, cut;
DF_TASK(void, fails, (int, how));
void fails(int how)
{
    if (how % 3 == 1) usleep(200);
    if (how % 2) df_fail(7, "an error");
    else df_cancel();
}
DF_TASK(void, slow, (int, us));
void slow(int us) { usleep((useconds_t)us); }

/* In a scope without unfinished tasks. Zero: a sync has told. */
static int one_round(uint64_t *seed)
{
    enum { SPAWNS = 4 };
    df_future(sum) f[SPAWNS];
    int n = 1 + test_below(seed, SPAWNS), at = test_below(seed, n + 1), how = test_below(seed, 6), wrong = 0;
    df_result r;
    for (int i = 0; i < n; i++) {
        if (i == at) df_submit(fails, how);
        df_spawn(sum, &f[i], test_below(seed, WAYS));
        if (test_below(seed, 3) == 0) df_submit(slow, test_below(seed, 400));
    }
    if (at == n) df_submit(fails, how);
    r = df_wait_result();
    CHECK(r == (how % 2 ? 7 : (int)DF_ERROR_CANCELLED)); /* none of the waits in the spawned functions took it */
    for (int i = n; i-- > 0;) wrong += df_sync(sum, &f[i]) != SUM;
    r = df_wait_result();
    CHECK(r == DF_OK || r == DF_ERROR_CANCELLED);
    CHECK(!wrong || r == DF_ERROR_CANCELLED);
    told += r != DF_OK, cut += wrong;
    return r == DF_OK;
}
DF_TASK(void, rounds, (uint64_t, seed));
void rounds(uint64_t seed)
{
    for (int i = 0; i < 5 && one_round(&seed); i++) continue; /* told: the task has failed */
}

int main(void)
{
    uint64_t seed = 5;
    alarm(100);
    if (!getenv("DF_WORKERS")) df_start(DF_CONFIG(.workers = 4));
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3 == 0) DF_PARALLEL { one_round(&seed); }
        else if (i % 3 == 1) one_round(&seed);
        else {
            int before = told;
            df_submit(rounds, test_random(&seed));
            CHECK(df_wait_result() == (told == before ? DF_OK : DF_ERROR_CANCELLED));
        }
    }
    printf("%d told, %d cut\n", told, cut);
    return 0;
}
