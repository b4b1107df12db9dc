/* loop_workers.c - df_loop.workers: never more than that number of workers are in the function of the loop, and each
 * iteration runs once, for all schedules, with reductions, nested, and while chunks submit tasks and wait for them */
#define _DEFAULT_SOURCE
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 400, MOST = 3 };

#if defined(DF_SERIAL) || !defined(__GNUC__)
static int change(int *n, int by) { return *n += by; }
#else
static int change(int *n, int by) { return __atomic_add_fetch(n, by, __ATOMIC_SEQ_CST); }
#endif

static int inside, too_many; /* the workers in the function */
static void enter(int limit) /* a worker that naps lets others come, on few CPUs, too */
{
    if (change(&inside, 1) > limit) change(&too_many, 1);
#if !defined(DF_SERIAL)
    if (limit <= MOST) usleep(100);
#endif
}
static void leave(void) { change(&inside, -1); }

DF_TASK(void, add, df_inout(int, x, 1), (int, k));
void add(int *x, int k)
{
    test_spin(200);
    *x += k;
}
DF_LOOP(mark, df_inout(int, x, n), (int, n), df_reduce(df_sum, long, sum, 1), (int, limit), (unsigned, slow));
void mark(long lo, long hi, int *x, int n, long *sum, int limit, unsigned slow)
{
    (void)n;
    enter(limit);
    for (long i = lo; i < hi; i++) {
        test_spin(i % 7 ? slow : 10 * slow);
        x[i]++;
        *sum += i;
    }
    leave();
}
/* a chunk leaves its tasks to others, and waits for them */
DF_LOOP(submits, df_inout(int, x, n), (int, n), (int, limit));
void submits(long lo, long hi, int *x, int n, int limit)
{
    (void)n;
    enter(limit);
    for (long i = lo; i < hi; i++) df_submit(add, &x[i], 2);
    df_wait();
    leave();
}
DF_LOOP2(tile, df_inout(int, x, N), (int, limit));
void tile(long lo, long hi, long lo1, long hi1, int *x, int limit)
{
    enter(limit);
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            test_spin(300);
            x[i * 20 + j]++;
        }
    leave();
}
DF_LOOP(outer, df_inout(int, x, N), (int, limit));
DF_LOOP(inner, df_inout(int, x, N), (long, i));
void inner(long lo, long hi, int *x, long i)
{
    for (long j = lo; j < hi; j++) x[i * 20 + j]++;
}
void outer(long lo, long hi, int *x, int limit)
{
    enter(limit);
    for (long i = lo; i < hi; i++) df_for_with(DF_LOOP_OPTS(.grain = 5, .schedule = DF_DYNAMIC), inner, 0, 20, x, i);
    leave();
}

static int x[N];
static void check(const char *what, int times, long sum)
{
    for (int i = 0; i < N; i++) {
        CHECK(x[i] == times);
        x[i] = 0;
    }
    CHECK(inside == 0);
    printf("%s: sum %ld, %d times too many\n", what, sum, too_many);
}

int main(void)
{
    const int schedules[] = { DF_AUTO, DF_STATIC, DF_DYNAMIC, DF_GUIDED };
    for (int limit = 1; limit <= MOST; limit++) {
        long sum = 0;
        for (int k = 0; k < 4; k++)
            for (int grain = 0; grain < 10; grain += 7) {
                df_for_with(DF_LOOP_OPTS(.schedule = schedules[k], .grain = grain, .workers = limit), mark, 0, N, x, N,
                            &sum, limit, 300);
                df_for_with(DF_LOOP_OPTS(.schedule = schedules[k], .deterministic = 1, .workers = limit), mark, 0, N, x,
                            N, &sum, limit, 300);
            }
        check("schedules", 16, sum);
        for (int k = 0; k < 5; k++)
            df_for_with(DF_LOOP_OPTS(.grain = 10, .workers = limit), submits, 0, N, x, N, limit);
        check("tasks", 10, 0);
        for (int k = 0; k < 5; k++) df_for2_with(DF_LOOP_OPTS(.workers = limit), tile, 0, 20, 0, 20, x, limit);
        check("tiles", 5, 0);
        df_for_with(DF_LOOP_OPTS(.grain = 1, .workers = limit), outer, 0, 20, x, limit);
        check("nested", 1, 0);
    }
    /* more than there are, and all */
    long sum = 0;
    df_for_with(DF_LOOP_OPTS(.workers = 1000), mark, 0, N, x, N, &sum, 1000, 10);
    df_for_with(DF_LOOP_OPTS(.workers = 0), mark, 0, N, x, N, &sum, 1000, 10);
    check("all", 2, sum);
    return 0;
}
