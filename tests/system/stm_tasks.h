/* stm_tasks.h - the body of stm_tasks.c and stm_tasks_before.c: blocks in tasks. After df.h and df_stm.h, in either
 * order.
 *
 * The programs show: tasks may use blocks on any worker; a task that sleeps in df_retry until another task of the
 * same pool writes does not occupy its worker, not even the only one (if it did: the alarm); the order of tasks by
 * regions is also that of their blocks; a wait for tasks in a block is reported and continues. */
#ifndef STM_TASKS_H
#define STM_TASKS_H

#include "stm_test.h"
#include "work.h"

enum { WAITERS = 8, BUFFER = 4 };

static long counter, ticket, flag, done[3];
static int rounds;

/* --- many tasks, one counter ------------------------------------------------------------------------------------ */

DF_STATIC_TASK(void, counts, (int, n), df_inout(uint64_t, own, 1));
static void counts(int n, uint64_t *own)
{
    for (int i = 0; i < n; i++)
        DF_ATOMIC {
            long x = df_tm_read(&counter);
            if (i % 8 == 0) test_spin(500);
            df_tm_write(&counter, x + 1);
        }
    *own += (uint64_t)n; /* ordered by the declaration: no block needed */
}
static void counted(void)
{
    uint64_t own[4] = { 0 };
    counter = 0;
    DF_PARALLEL {
        for (int i = 0; i < rounds; i++) df_submit(counts, i % 10, &own[i % 4]);
    }
    CHECK(own[0] + own[1] + own[2] + own[3] == (uint64_t)counter && counter == 45 * (rounds / 10));
}

/* --- tasks that wait for each other by df_retry, the last one submitted goes first -------------------------------- */

DF_STATIC_TASK(void, waits, (int, mine), df_out(int, ran, 1));
static void waits(int mine, int *ran)
{
    DF_ATOMIC {
        if (df_tm_read(&ticket) != mine) df_retry();
        df_tm_write(&ticket, (long)mine + 1);
    }
    *ran = 1;
}
static void tickets(void)
{
    for (int round = 0; round < rounds / 10 + 1; round++) {
        int ran[WAITERS] = { 0 };
        ticket = 0;
        DF_PARALLEL {
            for (int i = WAITERS - 1; i >= 0; i--) df_submit(waits, i, &ran[i]);
        }
        CHECK(ticket == WAITERS);
        for (int i = 0; i < WAITERS; i++) CHECK(ran[i] == 1);
    }
}

/* --- producers and consumers over a small buffer: both sleep, both in tasks --------------------------------------- */

static long buffer[BUFFER], put_at, got_at, sum_in, sum_out;

DF_STATIC_TASK(void, produces, (int, n), (int, seed));
static void produces(int n, int seed)
{
    for (int i = 0; i < n; i++)
        DF_ATOMIC {
            long at = df_tm_read(&put_at);
            if (at - df_tm_read(&got_at) == BUFFER) df_retry();
            df_tm_write(&buffer[at % BUFFER], (long)seed * i);
            df_tm_write(&put_at, at + 1);
            df_tm_write(&sum_in, df_tm_read(&sum_in) + (long)seed * i);
        }
}
DF_STATIC_TASK(void, consumes, (int, n));
static void consumes(int n)
{
    for (int i = 0; i < n; i++)
        DF_ATOMIC {
            long at = df_tm_read(&got_at);
            if (at == df_tm_read(&put_at)) df_retry();
            df_tm_write(&sum_out, df_tm_read(&sum_out) + df_tm_read(&buffer[at % BUFFER]));
            df_tm_write(&got_at, at + 1);
        }
}
static void buffered(void)
{
    put_at = got_at = sum_in = sum_out = 0;
    DF_PARALLEL {
        df_submit(consumes, rounds);
        df_submit(produces, rounds / 2, 3);
        df_submit(consumes, rounds);
        df_submit(produces, rounds + (rounds - rounds / 2), 5);
    }
    CHECK(put_at == 2L * rounds && got_at == put_at && sum_in == sum_out);
}

/* --- one of both: a thread that is not df's, or the thread in the block itself ------------------------------------ */

static void *sets_flag(void *unused)
{
    usleep(1000);
    DF_ATOMIC df_tm_write(&flag, 1L);
    return unused;
}
DF_STATIC_TASK(void, wants_flag, df_inout(int, x, 1));
static void wants_flag(int *x)
{
    DF_ATOMIC {
        if (!df_tm_read(&flag)) df_retry();
    }
    ++*x;
}
DF_STATIC_TASK(void, sets_it, (int, us));
static void sets_it(int us)
{
    usleep((unsigned)us);
    DF_ATOMIC df_tm_write(&flag, 1L);
}
static void foreign(void)
{
    for (int round = 0; round < 10; round++) {
        pthread_t t;
        int x = 0;
        flag = 0;
        CHECK(!pthread_create(&t, NULL, sets_flag, NULL));
        DF_PARALLEL {
            df_submit(wants_flag, &x);
            df_submit(wants_flag, &x);
        }
        CHECK(x == 2 && !pthread_join(t, NULL));
        flag = x = 0;
        df_submit(sets_it, round * 10); /* the program's thread waits in a block, not in df */
        df_submit(wants_flag, &x);
        DF_ATOMIC {
            if (!df_tm_read(&flag)) df_retry();
        }
        df_wait();
        CHECK(x == 1);
    }
}

/* --- blocks between tasks that are ordered by their data ---------------------------------------------------------- */

enum { CELLS = 16 };
static uint64_t cell[CELLS];
DF_STATIC_TASK(void, mixes, df_inout(uint64_t, a, 1), df_in(uint64_t, b, 1), (int, k));
static void mixes(uint64_t *a, const uint64_t *b, int k)
{
    if (k % 3 == 0) { /* plainly */
        *a = *a * 3 + *b + (uint64_t)k;
        return;
    }
    DF_ATOMIC {
        void *p = df_tm_malloc(8);
        CHECK(p && df_tm_on_commit(df_tm_free, p) == DF_OK);
        df_tm_write(a, df_tm_read(a) * 3 + df_tm_read(b) + (uint64_t)k);
        df_tm_write(&done[k % 3], df_tm_read(&done[k % 3]) + 1);
        if (k % 7 == 0) df_irrevocable();
    }
}
static void flows(void)
{
    static uint64_t want[CELLS];
    uint64_t s = 1;
    long n[3] = { 0 };
    memset(done, 0, sizeof done);
    for (int i = 0; i < CELLS; i++) cell[i] = want[i] = (uint64_t)i;
    DF_PARALLEL {
        for (int k = 0; k < rounds; k++) {
            int a = test_below(&s, CELLS), b = (a + 1 + test_below(&s, CELLS - 1)) % CELLS;
            df_submit(mixes, &cell[a], &cell[b], k);
            want[a] = want[a] * 3 + want[b] + (uint64_t)k;
            n[k % 3]++;
        }
    }
    for (int i = 0; i < CELLS; i++) CHECK(cell[i] == want[i]);
    CHECK(done[0] == 0 && done[1] == n[1] && done[2] == n[2]);
}

/* --- a wait for tasks in a block: reported; the blocks of the tasks take effect, and the block continues or runs
 * again --------- */

static int heard;
static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    if (strstr(text, "waits for tasks")) heard++;
    else fprintf(stderr, "%d: %s\n", level, text), heard = -1000;
}
static struct { long task; char line[64]; long block; } by;
static int entered;
DF_STATIC_TASK(void, adds, (int, n));
static void adds(int n)
{
    while (!__atomic_load_n(&entered, __ATOMIC_ACQUIRE)) sched_yield();
    usleep(5000); /* it is waited for */
    DF_ATOMIC df_tm_write(&by.task, df_tm_read(&by.task) + n);
}
static void waits_inside(void)
{
    volatile int ran = 0;
    memset(&by, 0, sizeof by);
    entered = 0;
    df_submit(adds, 1);
    DF_ATOMIC {
        df_tm_write(&by.block, df_tm_read(&by.block) + 1);
        ran++;
        __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
        df_wait();
        CHECK(df_tm_read(&by.block) == 1);
    }
    CHECK(heard >= 1 && heard <= ran && by.task == 1 && by.block == 1);
    heard = entered = 0;
    df_submit(adds, 1);
    DF_ATOMIC { /* it has read what the task changes: runs again */
        long x = df_tm_read(&by.task);
        __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
        df_wait();
        df_tm_write(&by.block, x);
    }
    CHECK(heard >= 1 && by.task == 2 && by.block == 2);
    heard = 0;
}

static void run_all(void)
{
    static const struct { const char *name; void (*fn)(void); int rounds; } part[] = {
        { "counted", counted, 4000 }, { "tickets", tickets, 1000 },  { "buffered", buffered, 6000 },
        { "foreign", foreign, 1 },    { "flows", flows, 10000 }, { "waits_inside", waits_inside, 1 },
    };
    stm_watch(100);
    printf("seed 1\n");
    for (int workers = 1; workers <= 4; workers++) {
        df_config c = { .workers = workers, .defer = 1, .log = hear };
        CHECK(df_start(&c) == DF_OK);
        for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
            rounds = stm_rounds(part[i].rounds) / 20 * 20 + 20;
            part[i].fn();
            CHECK(heard == 0);
        }
        CHECK(work_right());
        df_stop();
        printf("%d workers\n", workers);
        fflush(stdout);
    }
}

#endif
