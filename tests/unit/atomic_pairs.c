/* atomic_pairs.c - df_tm_begin and df_tm_end: blocks that are no statements, alone, inside of each other and of
 * DF_ATOMIC, rolled back by df_restart, df_abort, df_retry and conflicts */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "../test.h"

/* As programs that were written for other systems have it. */
#define TM_BEGIN() { df_tm_block block; if (df_tm_begin(&block)) {
#define TM_END()   df_tm_end(&block); } }

static long a, b, c, ready;

static long restarted(int times)
{
    volatile int attempts = 0;
    TM_BEGIN()
        df_tm_write(&a, df_tm_read(&a) + 1);
        if (attempts++ < times) df_restart();
        df_tm_write(&b, df_tm_read(&b) + df_tm_read(&a));
    TM_END()
    return attempts;
}

static int aborted(int how)
{
    df_tm_block outer;
    volatile int behind = 0;
    if (df_tm_begin(&outer)) {
        df_tm_write(&a, -100L);
        if (how) df_abort();
        df_tm_end(&outer);
        behind = 1;
    }
    return behind;
}

static void called(long n)
{
    df_tm_block block;
    if (df_tm_begin(&block)) {
        df_tm_write(&a, df_tm_read(&a) + n);
        df_tm_end(&block);
    }
}

/* Blocks inside of a block of the same function, and of a called one. */
static void nested(void)
{
    df_tm_block one, two;
    volatile int attempts = 0, closed = 0;
    if (df_tm_begin(&one)) {
        df_tm_write(&a, 1L);
        if (df_tm_begin(&two)) {
            called(10);
            df_tm_end(&two);
        }
        DF_ATOMIC {
            df_tm_write(&a, df_tm_read(&a) + 100);
            if (df_tm_begin(&two)) {
                DF_ATOMIC_CLOSED {
                    df_tm_write(&a, 0L);
                    df_abort();
                }
                closed = df_tm_read(&a) == 111;
                called(1000);
                if (attempts++ < 2) df_restart();
                df_tm_end(&two);
            }
            df_tm_write(&a, df_tm_read(&a) + 10000);
        }
        df_tm_end(&one);
    }
    CHECK(closed && attempts == 3);
    DF_ATOMIC {
        for (int i = 0; i < 3; i++) {
            if (!df_tm_begin(&two)) continue;
            called(1);
            df_tm_end(&two);
        }
    }
}

/* One waits until the other has run. */
DF_TASK(void, waits, df_commute(long, sum, 1));
void waits(long *sum)
{
    df_tm_block block;
    if (df_tm_begin(&block)) {
        if (!df_tm_read(&ready)) df_retry();
        df_tm_write(&c, df_tm_read(&ready) + 1);
        df_tm_end(&block);
    }
    *sum += 1;
}
DF_TASK(void, sets, (long, x));
void sets(long x)
{
    TM_BEGIN()
        df_tm_write(&ready, x);
    TM_END()
}

static long counter;
DF_TASK(void, adds, (int, times));
void adds(int times)
{
    for (int i = 0; i < times; i++) {
        TM_BEGIN()
            long n = df_tm_read(&counter);
            test_spin(50);
            df_tm_write(&counter, n + 1);
        TM_END()
    }
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 3; i++) {
        long attempts = restarted(i);
        printf("%ld %ld %ld\n", attempts, a, b);
    }
    CHECK(aborted(1) == 0 && a == 3 && aborted(0) == 1 && a == -100);
    nested();
    printf("%ld\n", a);
    DF_PARALLEL {
        df_submit(waits, &sum);
        df_submit(sets, 7L);
    }
    printf("%ld %ld\n", sum, c);
    DF_PARALLEL {
        for (int i = 0; i < 8; i++) df_submit(adds, 300);
    }
    printf("%ld\n", counter);
}
