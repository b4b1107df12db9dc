/* yields.c - a submitter whose tasks wait for it goes on after a few milliseconds also where other processes have the
 * CPUs: there a yield lasts a time slice, as it does here, so the number of yields counts and not that of looks */
#define _DEFAULT_SOURCE /* usleep */
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { TASKS = 48, WINDOW = 8, AT_MOST = TEST_SLOW ? 1000000 : 4 * TASKS }; /* DF_DEBUG=3 yields anywhere */
static int yields;
int sched_yield(void) /* for the C library's */
{
    __atomic_fetch_add(&yields, 1, __ATOMIC_RELAXED);
    return usleep(4000);
}

static df_token go = DF_TOKEN_EXTERNAL(1);
static int over;
DF_TASK(void, runs, df_out(int, x, 1)); /* so that there may be room later */
void runs(int *x)
{
    while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) usleep(100);
    *x = 0;
}
DF_TASK(void, blocks, df_out(int, x, 1));
void blocks(int *x)
{
    df_wait_token(&go);
    *x = 1;
}

int main(void)
{
    static int x[TASKS];
    df_config c = { .workers = 2, .window = WINDOW };
    int sum = 0, y;
    CHECK(df_start(&c) == DF_OK);
    DF_PARALLEL {
        df_submit(runs, &y);
        for (int i = 0; i < TASKS; i++) df_submit(blocks, &x[i]);
        __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
        df_signal(&go);
    }
    df_stop();
    for (int i = 0; i < TASKS; i++) sum += x[i];
    if (yields > AT_MOST) fprintf(stderr, "%d yields for %d submissions\n", yields, TASKS);
    CHECK(sum == TASKS && yields <= AT_MOST);
    return 0;
}
