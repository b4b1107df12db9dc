/* A call that blocks, in a task of one worker, and nothing else that may block: its submitter ends the call. */
#include "../../df.h"
#include "check.h"
#include <sched.h>
#include <unistd.h>

static int go;
static void until_go(void *)
{
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) sched_yield();
}
DF_TASK(void, blocks);
void blocks() { df_yield_blocking(until_go, NULL); }

int main()
{
    alarm(60);
    df_submit(blocks);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    df_wait();
    CHECK(go);
    return 0;
}
