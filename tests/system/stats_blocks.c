/* stats_blocks.c - DF_STATS: attempts of atomic blocks by their end, and which block was in the way of which */
#define _DEFAULT_SOURCE /* setenv, mkstemp */
#define DF_IMPLEMENTATION
#define DF_STM_PRIVATE 0 /* a block that commits does not wait for the one whose reads it changes */
#include "df.h"
#include "df_stm.h"
#include <pthread.h>
#include <sched.h>
#include "../test.h"
#include "child.h"
#include "contents.h"
#include "../gpu/scratch.h"

static long x[64], set; /* x[0], x[8] and x[32] have different stripes and bits in filters */
static int wanted, done;

static void pause_until(int *at, int least)
{
    while (__atomic_load_n(at, __ATOMIC_ACQUIRE) < least) sched_yield();
}

enum { READS = __LINE__ + 3 }; /* twice its reads are changed: first without a log of them, then with it */
static void reads(void)
{
    DF_ATOMIC {
        long a = df_tm_read(&x[0]);
        if (a < 2) {
            __atomic_store_n(&wanted, (int)a + 1, __ATOMIC_RELEASE);
            pause_until(&done, (int)a + 1);
        }
        CHECK(df_tm_read(&x[32]) == a);
    }
}
enum { WRITES = __LINE__ + 3 };
static void writes(long value)
{
    DF_ATOMIC { df_tm_write(&x[0], value); df_tm_write(&x[32], value); }
}
static void writes_other(long value)
{
    DF_ATOMIC df_tm_write(&x[8], value);
}
static void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pause_until(&wanted, i);
        writes(i);
        writes_other(i);
        __atomic_store_n(&done, i, __ATOMIC_RELEASE);
    }
    return arg;
}

enum { ABORTS = __LINE__ + 3 };
static void aborts(void)
{
    DF_ATOMIC { df_tm_write(&x[0], 7); df_abort(); }
}

enum { WAITS = __LINE__ + 3 };
static void waits(void)
{
    DF_ATOMIC { if (!df_tm_read(&set)) df_retry(); }
}
static void *sets(void *arg)
{
    df_stm_counters c;
    do df_stm_stats(&c); while (!c.retries);
    DF_ATOMIC df_tm_write(&set, 1);
    return arg;
}

enum { INCREMENTS = __LINE__ + 5 };
DF_TASK(void, increment, (int, n));
void increment(int n)
{
    for (int i = 0; i < n; i++)
        DF_ATOMIC df_tm_write(&x[16], df_tm_read(&x[16]) + 1);
}

static int blocks(void *unused)
{
    pthread_t t;
    (void)unused;
    df_workers(); /* starts */
    CHECK(pthread_create(&t, NULL, writer, NULL) == 0);
    reads();
    CHECK(pthread_join(t, NULL) == 0);
    for (int i = 0; i < 3; i++) aborts();
    CHECK(pthread_create(&t, NULL, sets, NULL) == 0);
    waits();
    CHECK(pthread_join(t, NULL) == 0);
    DF_PARALLEL {
        for (int i = 0; i < 4; i++) df_submit(increment, 500);
    }
    CHECK(x[0] == 2 && x[16] == 2000);
    return 0;
}

struct counts { int commits, locked, too_new, changed, to_log, gave_way, by_user, retries; };
static struct counts of(int line)
{
    struct counts c = { -1, -1, -1, -1, -1, -1, -1, -1 };
    char row[40], *p;
    snprintf(row, sizeof row, "stats_blocks.c:%d ", line);
    CHECK((p = strstr(text, row)) != NULL);
    CHECK(sscanf(p, "%*s %d %*s %*s %*s %*s %*s %*s %d %d %d %d %d %d %d", &c.commits, &c.locked, &c.too_new, &c.changed,
                 &c.to_log, &c.gave_way, &c.by_user, &c.retries) == 8);
    return c;
}

int main(void)
{
    static char name[SCRATCH + 8], other[SCRATCH];
    const char *env[] = { "DF_STATS", name, NULL };
    int fd = mkstemp(scratch(other, "df_blocks"));
    struct child c;
    struct counts n;
    double kept, lost;
    char pair[60];
    const char *p;
    CHECK(fd >= 0 && close(fd) == 0 && remove(other) == 0);
    snprintf(name, sizeof name, "%s.txt", other);
    c = child_run(blocks, NULL, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK(*contents(name) && remove(name) == 0);
    n = of(READS);
    CHECK(n.commits == 1 && n.to_log == 1 && n.too_new == 1 && !n.locked && !n.changed && !n.by_user && !n.retries);
    n = of(WRITES);
    CHECK(n.commits == 2 && !n.to_log && !n.too_new);
    n = of(ABORTS);
    CHECK(n.commits == 0 && n.by_user == 3 && !n.changed);
    n = of(WAITS);
    CHECK(n.commits == 1 && n.retries >= 1 && n.to_log >= 1); /* a lock of the writer may wake it once more */
    n = of(INCREMENTS);
    CHECK(n.commits == 2000);
    CHECK((p = strstr(text, "\natomic blocks took ")) != NULL);
    CHECK(sscanf(p, "\natomic blocks took %lf %% of the time of %*d workers, and %lf %%", &kept, &lost) == 2);
    CHECK(kept > 0 && lost > 0 && kept + lost < 100);
    snprintf(pair, sizeof pair, "stats_blocks.c:%d was in the way of ", WRITES);
    CHECK(times(pair) == 1 && (p = strstr(text, pair)) != NULL);
    snprintf(pair, sizeof pair, "stats_blocks.c:%d 2 times\n", READS);
    CHECK(strstr(p, pair) && times(pair) == 1); /* and not that of writes_other */
    return 0;
}
