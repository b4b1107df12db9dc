/* mutex.c - df_mutex in tasks: mutual exclusion, a lock may be held across waits, spawns and blocks, and locking it
 * twice is reported */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* a task that blocks takes a thread: less than 512 tasks at a time */
enum { N = 3000, BATCH = 300, LOCKS = 4 };
static df_mutex lock[LOCKS] = { DF_MUTEX, DF_MUTEX, DF_MUTEX, DF_MUTEX };
static long value[LOCKS];

DF_TASK(void, add, (int, i), (long, k), (unsigned, slow));
void add(int i, long k, unsigned slow)
{
    CHECK(df_mutex_lock(&lock[i]) == DF_OK);
    long was = value[i];
    test_spin(slow);
    value[i] = was + k;
    df_mutex_unlock(&lock[i]);
}
DF_TASK(void, two, (int, i), (int, j)); /* always the smaller one first */
void two(int i, int j)
{
    CHECK(df_mutex_lock(&lock[i]) == DF_OK);
    CHECK(df_mutex_lock(&lock[j]) == DF_OK);
    CHECK(df_mutex_trylock(&lock[i]) == DF_ERROR_DEADLOCK);
    value[i]++, value[j]--;
    df_mutex_unlock(&lock[i]);
    df_mutex_unlock(&lock[j]);
}
DF_TASK(long, child, df_inout(long, x, 1));
long child(long *x)
{
    test_spin(300);
    return ++*x;
}
DF_TASK(void, holds, (int, i), (int, form)); /* across a wait */
void holds(int i, int form)
{
    long x[2] = { 0, 0 };
    CHECK(df_mutex_lock(&lock[i]) == DF_OK);
    long was = value[i];
    if (form == 0) {
        df_submit(child, &x[0]);
        df_submit(child, &x[1]);
        df_wait();
    } else if (form == 1) {
        DF_PARALLEL {
            df_submit(child, &x[0]);
            df_submit(child, &x[1]);
        }
    } else {
        df_future(child) f, g;
        df_spawn(child, &f, &x[0]);
        df_spawn(child, &g, &x[1]);
        CHECK(df_sync(child, &g) == 1 && df_sync(child, &f) == 1);
    }
    value[i] = was + x[0] + x[1];
    df_mutex_unlock(&lock[i]);
}

int main(void)
{
    df_mutex m = DF_MUTEX;
    for (int form = 0; form < 3; form++) {
        CHECK(df_mutex_trylock(&m) == DF_OK);
        CHECK(df_mutex_trylock(&m) == DF_ERROR_DEADLOCK);
        df_mutex_unlock(&m);
        CHECK(df_mutex_lock(&m) == DF_OK);
        df_mutex_unlock(&m);
        memset((void *)&m, form ? 0 : 0x5a, sizeof m); /* memory of other use, and zeros, which are a lock */
        if (!form) df_mutex_init(&m);
    }
    for (int first = 0; first < N; first += BATCH)
        DF_PARALLEL for (int i = first; i < first + BATCH; i++) {
            df_submit(add, i % LOCKS, i, i % 50 ? 0 : 5000);
            if (i % 3 == 0) df_submit(holds, i % LOCKS, i % 9 / 3);
            if (i % 5 == 0) df_submit(two, i % 2, 2 + i % 3 % 2);
        }
    for (int i = 0; i < LOCKS; i++) printf("%ld\n", value[i]);
}
