/* ended_frames.c - a block writes to local variables of functions that have returned: the writes are left out when it
 * commits, when it is rolled back, and when it goes on alone, where df's own frames lie by then
 *
 * Each depth of the stack down to some thousand bytes below the block is written. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "../test.h"

enum { WORDS = 64, DEPTHS = 12 };
static long shared[4], source[WORDS];

/* Knows nothing of whose memory it is. */
static __attribute__((noinline)) void fill(long *to, int n)
{
    for (int i = 0; i < n; i++) df_tm_write(&to[i], df_tm_read(&source[i]) + 0x1000 + i);
}
static __attribute__((noinline)) long local(int depth)
{
    long x[WORDS], sum = 0;
    char part[5];
    if (depth) sum = local(depth - 1);
    fill(x, WORDS);
    for (int i = 0; i < 5; i++) df_tm_write(&part[i], (char)(depth + i)); /* parts of words */
    for (int i = 0; i < WORDS; i++) sum += df_tm_read(&x[i]) - 0x1000;
    for (int i = 0; i < 5; i++) sum += df_tm_read(&part[i]);
    return sum;
}

/* A variable of the block's own function is written, wherever it is. */
static void commits(void)
{
    long own[3] = { 0, 0, 0 }, sum = 0;
    DF_ATOMIC {
        sum = local(DEPTHS);
        df_tm_write(&own[1], sum);
        df_tm_write(&shared[0], sum);
    }
    printf("commit %ld %ld %ld %ld\n", own[0], own[1], own[2], shared[0]);
}
static __attribute__((noinline)) void writes_in_callers(long *own, long sum) { df_tm_write(own, sum); }
static __attribute__((noinline)) void called(long *result)
{
    long own = 1;
    DF_ATOMIC {
        long sum = local(DEPTHS);
        writes_in_callers(&own, sum);
        df_tm_write(result, sum); /* of a function that goes on */
    }
    CHECK(own == *result);
}
static void rolled_back(void)
{
    static long tries;
    long own = 7;
    tries = 0;
    DF_ATOMIC {
        df_tm_write(&own, 8L);
        local(DEPTHS);
        df_abort();
    }
    printf("abort %ld\n", own);
    df_tm_write(&shared[1], 0L);
    DF_ATOMIC {
        df_tm_write(&own, 9L);
        df_tm_write(&shared[2], local(DEPTHS));
        DF_ATOMIC_CLOSED {
            df_tm_write(&own, 10L);
            local(DEPTHS / 2);
            df_abort();
        }
    }
    printf("closed %ld %ld\n", own, shared[2]);
    DF_ATOMIC {
        df_tm_write(&own, 11L);
        local(DEPTHS);
        if (tries++ == 0) df_restart();
    }
    printf("restart %ld\n", own);
}
static void alone(void)
{
    long own = 0;
    DF_ATOMIC {
        df_tm_write(&own, local(DEPTHS));
        df_irrevocable();
        df_tm_write(&shared[3], own);
    }
    printf("alone %ld %ld\n", own, shared[3]);
}
static void leaves(long *result)
{
    DF_ATOMIC {
        df_tm_write(result, local(DEPTHS));
        return;
    }
}

int main(void)
{
    long result = 0;
    for (int i = 0; i < WORDS; i++) source[i] = i;
    for (int round = 0; round < 3; round++) {
        commits();
        called(&result);
        printf("called %ld\n", result);
        rolled_back();
        alone();
        leaves(&result);
        printf("left %ld\n", result);
    }
    return 0;
}
