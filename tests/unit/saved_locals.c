/* saved_locals.c - df_tm_save: variables of a thread that a block changes by plain accesses have their old values again
 * when the block is rolled back, by df_restart, df_abort, an alternative and a conflict; and the new ones when it commits */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "../test.h"

struct pair { int x; char text[40]; };

static uint64_t restarted(int times)
{
    volatile int attempts = 0;
    int n = 5;
    struct pair p = { 7, "before" };
    uint64_t h;
    DF_ATOMIC {
        CHECK(df_tm_save(&n) == DF_OK && df_tm_save_bytes(&p, sizeof p) == DF_OK);
        n += 3, p.x *= 2;
        snprintf(p.text, sizeof p.text, "attempt %d", attempts);
        if (attempts++ < times) df_restart();
    }
    CHECK(n == 8 && p.x == 14);
    h = test_mix((uint64_t)n, (uint64_t)p.x);
    for (const char *c = p.text; *c; c++) h = test_mix(h, (uint64_t)*c);
    return h;
}

/* An inner block that is left restores what it has changed; what the outer one has changed stays. */
static int nested(void)
{
    int outer = 1, inner = 10;
    DF_ATOMIC {
        df_tm_save(&outer);
        outer++;
        DF_ATOMIC_CLOSED {
            df_tm_save(&inner), df_tm_save(&outer);
            inner++, outer += 100;
            df_tm_save(&inner); /* again: the first value counts */
            inner++;
            df_abort();
        }
        CHECK(outer == 2 && inner == 10);
    }
    return outer + inner;
}

static int word;
static int alternative(void)
{
    int n = 1;
    DF_ATOMIC {
        df_tm_save(&n);
        n = 50;
        if (!df_tm_read(&word)) df_retry();
    } DF_OR_ELSE {
        CHECK(n == 1);
        n += 2;
    }
    return n;
}

static int left(void)
{
    int n = 4;
    DF_ATOMIC {
        df_tm_save(&n);
        n = 9;
        df_abort();
    }
    return n;
}

/* Blocks in conflict: each adds 1 to its local counter for each time that it commits. */
static long counter;
DF_TASK(void, adds, (int, times), df_commute(long, sum, 1));
void adds(int times, long *sum)
{
    long mine = 0;
    for (int i = 0; i < times; i++) {
        DF_ATOMIC {
            long c = df_tm_read(&counter);
            df_tm_save(&mine);
            mine++;
            test_spin(50);
            df_tm_write(&counter, c + 1);
        }
    }
    CHECK(mine == times);
    *sum += mine;
}

int main(void)
{
    int n = 3;
    long sum[8] = { 0 }, all = 0;
    CHECK(df_tm_save(&n) == DF_OK); /* outside: nothing */
    for (int i = 0; i < 4; i++) printf("%016llx\n", (unsigned long long)restarted(i));
    printf("%d %d %d\n", nested(), alternative(), left());
    DF_PARALLEL {
        for (int i = 0; i < 8; i++) df_submit(adds, 300, &sum[i]);
    }
    for (int i = 0; i < 8; i++) all += sum[i];
    printf("%ld %ld\n", counter, all);
}
