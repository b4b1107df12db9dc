/* stuck_unstarted.c - a df_retry that nothing can end, in a thread that has not used df yet: the block is left, and the
 * first wait of the thread returns the error, also if df was started by another thread or by df_start */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "../test.h"
#include <pthread.h>

static long a;
static int left;
static void wait_in_vain(void)
{
    DF_ATOMIC {
        if (df_tm_read(&a) != 77) df_retry();
    }
    left++;
}

static void *other(void *unused)
{
    CHECK(df_wait_result() == DF_OK); /* the error was not its own */
    return unused;
}

int main(void)
{
    pthread_t t;
    if (test_foreign_thread()) return 0; /* it might write */
    wait_in_vain();
    CHECK(left == 1);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    CHECK(df_wait_result() == DF_OK);
    CHECK(!pthread_create(&t, NULL, other, NULL) && !pthread_join(t, NULL));
    df_stop();

    wait_in_vain();
    df_start(DF_CONFIG(.workers = 2));
    CHECK(left == 2 && df_wait_result() == DF_ERROR_STUCK);
    CHECK(df_wait_result() == DF_OK);
    wait_in_vain(); /* now df runs */
    CHECK(left == 3 && df_wait_result() == DF_ERROR_STUCK);
    df_stop();

    wait_in_vain();
    int x = 0;
    DF_PARALLEL { /* the error is that of the thread's scope, and not of a block in it */
        x = df_wait_result() == DF_OK;
    }
    CHECK(x && df_wait_result() == DF_ERROR_STUCK);
    return 0;
}
