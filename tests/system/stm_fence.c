/* stm_fence.c - the barrier in all threads (impl/os/linux.h) is registered when a program with DF_STM_VALUES is loaded,
 * before it has threads; others do not register it */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "../test.h"

#ifndef VALUES
#define VALUES 0
#endif

static int registered(void)
{
    enum { QUERY = 0, EXPEDITED = 8 };
    if (!(syscall(SYS_membarrier, QUERY, 0, 0) & EXPEDITED)) return -1; /* the system has none */
    return !syscall(SYS_membarrier, EXPEDITED, 0, 0);
}
static int x;
static void *block(void *unused)
{
    DF_ATOMIC { df_tm_write(&x, df_tm_read(&x) + 1); }
    return unused;
}

int main(void)
{
    const int at_load = registered();
    pthread_t t;
    if (at_load >= 0 && !test_foreign_thread() && !TEST_ASAN) CHECK(at_load == (VALUES && sizeof(void *) == 8));
    CHECK(!pthread_create(&t, NULL, block, NULL));
    block(NULL);
    pthread_join(t, NULL);
    CHECK(x == 2);
    return 0;
}
