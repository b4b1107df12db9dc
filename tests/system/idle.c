/* idle.c - an idle pool sleeps: its workers park and use no CPU; a worker that waits for a long task, too */
#define _DEFAULT_SOURCE
#include <sys/resource.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

static long cpu_ms(void)
{
    struct rusage r;
    CHECK(!getrusage(RUSAGE_SELF, &r));
    return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}
static uint64_t parks(void)
{
    df_counters n;
    df_counters_get(&n);
    return n.parks;
}

DF_TASK(void, sleeps, (int, ms));
void sleeps(int ms) { usleep((unsigned)ms * 1000); }

int main(void)
{
    df_config c = { .workers = 4 };
    CHECK(df_start(&c) == DF_OK);
    for (int round = 0; round < 2; round++) {
        CHECK(work_right());
        for (int i = 0; i < 50; i++) { /* to find out that there is nothing left takes longer on a busy machine */
            uint64_t before_look = parks();
            usleep(100000);
            if (parks() > 0 && parks() == before_look) break;
        }
        CHECK(parks() > 0);
        uint64_t parked = parks();
        long before = cpu_ms();
        usleep(300000);
        CHECK(cpu_ms() - before < 100);
        CHECK(parks() == parked); /* no worker woke up */

        before = cpu_ms();
        DF_PARALLEL {
            for (int i = 0; i < 4; i++) df_submit(sleeps, 300);
            usleep(50000); /* three of them started elsewhere; the caller takes the fourth and then waits */
        }
        CHECK(cpu_ms() - before < 100);
    }
}
