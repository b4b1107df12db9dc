/* take_part.c - all workers take part: tasks that are long enough to be shared (flow/fine.h) meet, one on each worker.
 * (Without parallelism this would hang: alarm.) */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { WORKERS = 4 };
static int arrived;

/* Returns when `all` of its kind have been called. */
DF_TASK(int, meet, (int, all));
int meet(int all)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < all) sched_yield();
    usleep(20); /* longer than any task that runs where it is submitted */
    return df_worker();
}

/* Until the helpers are asleep: a spawn is offered to others only when a worker asks for work. */
static void until_idle(int helpers)
{
    while (dfi_load_seq_cst(&dfi_pool.parked_idle) < helpers) usleep(50);
}

int main(void)
{
    alarm(120);
    for (int workers = 2; workers <= WORKERS; workers++) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int round = 0; round < 300; round++) {
            arrived = 0;
            DF_PARALLEL {
                for (int i = 0; i < workers; i++) df_submit(meet, workers);
            }
            CHECK(arrived == workers);

            df_future(meet) f[WORKERS];
            unsigned seen = 0;
            arrived = 0;
            until_idle(workers - 1);
            for (int i = 0; i < workers; i++) df_spawn(meet, &f[i], workers);
            for (int i = workers - 1; i >= 0; i--) seen |= 1u << df_sync(meet, &f[i]);
            CHECK(seen == (1u << workers) - 1); /* one each */
        }
        df_stop();
    }
}
