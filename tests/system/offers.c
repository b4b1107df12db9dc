/* offers.c - with more workers than CPUs, a spawner stops publishing functions while no worker takes them (dfi_poll).
 * It publishes again when another worker has taken one, or when it has taken the last itself. Otherwise this hangs:
 * alarm. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <limits.h>
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { BATCH = 3 };
static struct dfi_worker *spawner;
static int hold; /* workers that took a function stay in it */

/* Marks in *by who called it. */
enum { NOBODY, SPAWNER, OTHER };
DF_TASK(void, take, (int *, by));
void take(int *by)
{
    int other = dfi_me() != spawner;
    __atomic_store_n(by, other ? OTHER : SPAWNER, __ATOMIC_SEQ_CST);
    while (other && __atomic_load_n(&hold, __ATOMIC_SEQ_CST)) sched_yield();
}

DF_TASK(int, nothing);
int nothing(void) { return 0; }

/* Spawns and syncs until *by is set, or `most` times; the number of times that it had stopped publishing. */
static int until(int *by, long most)
{
    int stopped = 0;
    while (!__atomic_load_n(by, __ATOMIC_SEQ_CST) && most-- > 0) {
        df_future(nothing) f;
        df_spawn(nothing, &f);
        df_sync(nothing, &f);
        stopped += dfi_load_relaxed(&spawner->withdrawn);
    }
    return stopped;
}

/* Workers that have a CPU each take all at once, and the spawner has no reason to stop: at most two CPUs, if the system
 * allows it. How many there are. */
static long few_cpus(void)
{
#ifdef __linux__
    cpu_set_t all, two;
    CPU_ZERO(&two);
    if (!sched_getaffinity(0, sizeof all, &all))
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; i++)
            if (CPU_ISSET(i, &all)) CPU_SET(i, &two);
    if (!sched_setaffinity(0, sizeof two, &two)) return CPU_COUNT(&two);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

int main(void)
{
    int stopped = 0;
    long cpus = few_cpus();
    df_config c = { .workers = (int)cpus + 2 * BATCH + 1 };
    alarm(120);
    CHECK(df_start(&c) == DF_OK);
    spawner = dfi_me_attached();
    for (int round = 0; round < 300; round++) {
        df_future(take) first[BATCH], second[BATCH];
        int by[2 * BATCH] = { NOBODY }, all = round % 2; /* others take all functions, each another one */
        __atomic_store_n(&hold, all, __ATOMIC_SEQ_CST);
        for (int i = 0; i < BATCH; i++) df_spawn(take, &first[i], &by[i]);
        stopped += until(&by[0], 1000);
        for (int i = 0; i < BATCH; i++) df_spawn(take, &second[i], &by[BATCH + i]);
        for (int i = 0; all && i < 2 * BATCH; i++) stopped += until(&by[i], LONG_MAX);
        for (int i = 0; all && i < 2 * BATCH; i++) CHECK(by[i] == OTHER);
        __atomic_store_n(&hold, 0, __ATOMIC_SEQ_CST);
        for (int i = BATCH; i-- > 0;) df_sync(take, &second[i]); /* takes back what is left */
        for (int i = BATCH; i-- > 0;) df_sync(take, &first[i]);
    }
    CHECK(stopped > 0);
    df_stop();
}
