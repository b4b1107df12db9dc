/* lock_patterns.c - programs that hang where a waiting worker runs any task: a lock held across a wait while others
 * want it (rayon #592), tasks that hold a semaphore and wait for tasks that need another one, nested (Taskflow #647,
 * #732). With df_mutex, a mutex of the system, df_commute. (If one hangs: the alarm.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROUNDS = TEST_SLOW ? 30 : 150, TASKS = 12, CHILDREN = 4, DEPTH = 3 };
enum { DF_LOCK, SYSTEM_LOCK, LOCKS };
enum { IN_WAIT, IN_BLOCK, IN_SYNC, IN_WAIT_ON, FORMS };

/* One lock per level: a task that holds the lock of a level takes only deeper ones, so that there is an order. */
static df_mutex df_lock[DEPTH + 1];
static pthread_mutex_t system_lock[DEPTH + 1];
static int inside[DEPTH + 1];
static long taken[DEPTH + 1];

static void lock(int kind, int level)
{
    if (kind == DF_LOCK) CHECK(df_mutex_lock(&df_lock[level]) == DF_OK);
    else CHECK(!pthread_mutex_lock(&system_lock[level]));
    CHECK(inside[level]++ == 0);
    taken[level]++;
}
static void unlock(int kind, int level)
{
    CHECK(--inside[level] == 0);
    if (kind == DF_LOCK) df_mutex_unlock(&df_lock[level]);
    else CHECK(!pthread_mutex_unlock(&system_lock[level]));
}

DF_TASK(int, needs, (int, kind), (int, level), df_inout(int, x, 1)); /* the lock for a moment */
int needs(int kind, int level, int *x)
{
    lock(kind, level);
    test_spin(200);
    unlock(kind, level);
    return ++*x;
}
/* it while its children are waited for */
DF_TASK(int, holds, (int, kind), (int, level), (int, form), df_inout(int, x, 1));
int holds(int kind, int level, int form, int *x)
{
    int y[CHILDREN] = { 0 };
    if (level == DEPTH) return needs(kind, level, x);
    lock(kind, level);
    if (form == IN_SYNC) {
        df_future(holds) f[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) df_spawn(holds, &f[i], kind, level + 1, (form + i) % FORMS, &y[i]);
        for (int i = CHILDREN - 1; i >= 0; i--) CHECK(df_sync(holds, &f[i]) == 1);
    } else if (form == IN_BLOCK) {
        DF_PARALLEL {
            for (int i = 0; i < CHILDREN; i++) df_submit(holds, kind, level + 1, (form + i) % FORMS, &y[i]);
        }
    } else {
        for (int i = 0; i < CHILDREN; i++) df_submit(holds, kind, level + 1, (form + i) % FORMS, &y[i]);
        if (form == IN_WAIT) df_wait();
        else df_wait_on(y, sizeof y);
    }
    for (int i = 0; i < CHILDREN; i++) CHECK(y[i] == 1);
    unlock(kind, level);
    return ++*x;
}
static void locks(int kind)
{
    int x[TASKS] = { 0 }, y[TASKS] = { 0 };
    for (int i = 0; i <= DEPTH; i++) taken[i] = 0;
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) {
            df_submit(holds, kind, i % 2, i % FORMS, &x[i]);
            df_submit(needs, kind, i % (DEPTH + 1), &y[i]); /* a lock that a task below holds or wants */
        }
    }
    for (int i = 0; i < TASKS; i++) CHECK(x[i] == 1 && y[i] == 1);
    CHECK(taken[0] == TASKS / 2 + TASKS / (DEPTH + 1));
}

/* The same with data instead of locks: a task has its own and those of the levels below. */
typedef struct { int inside; long taken; } datum;
static datum data[DEPTH + 1];
DF_TASK(void, commutes, df_commute(datum, d, DEPTH + 1 - level), (int, level), (int, form));
void commutes(datum *d, int level, int form)
{
    CHECK(d->inside++ == 0);
    d->taken++;
    for (int i = 0; i < CHILDREN && level < DEPTH; i++) df_submit(commutes, d + 1, level + 1, (form + i) % FORMS);
    if (form == IN_WAIT) df_wait();
    if (form == IN_WAIT_ON && level < DEPTH) df_wait_on(d + 1, sizeof *d);
    CHECK(--d->inside == 0);
}
static void commuting(void)
{
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) df_submit(commutes, &data[i % 2], i % 2, i % FORMS);
    }
}

int main(void)
{
    alarm(100);
    for (int i = 0; i <= DEPTH; i++) {
        df_mutex m = DF_MUTEX;
        df_lock[i] = m;
        CHECK(!pthread_mutex_init(&system_lock[i], NULL));
    }
    for (int workers = 1; workers <= 4; workers++) {
        df_config c = { .workers = workers, .defer = workers == 1 };
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < ROUNDS; round++) {
            for (int kind = 0; kind < LOCKS; kind++) locks(kind);
            if (round % 10 == 0) commuting();
        }
        df_stop();
    }
    CHECK(data[0].taken == 4 * ROUNDS / 10 * TASKS / 2);
}
