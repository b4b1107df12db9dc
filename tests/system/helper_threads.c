/* helper_threads.c - what helper threads do not inherit: the CPU to which the thread is bound that starts df; and their
 * stacks: 8 MiB where the main thread's has no limit, DF_STACK, df_config.stack_bytes */
#define _GNU_SOURCE /* sched_setaffinity */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* --- CPUs ---------------------------------------------------------------------------------------- */

static cpu_set_t all;

DF_TASK(void, may_use_all, (int, worker));
void may_use_all(int worker)
{
    cpu_set_t mine;
    CHECK(df_worker() == worker);
    CHECK(!sched_getaffinity(0, sizeof mine, &mine) && CPU_EQUAL(&mine, &all));
}
static void *bound(void *unused) /* as audio and network threads are */
{
    cpu_set_t one;
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all)) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one));
    CHECK(df_workers() == CPU_COUNT(&all));
    df_stop();
    {
        df_config c = { .workers = 3 };
        CHECK(df_start(&c) == DF_OK);
    }
    DF_PARALLEL {
        for (int w = 1; w < 3; w++) df_submit_with(DF_OPTS(.worker = w), may_use_all, w);
    }
    df_stop();
    CHECK(!sched_getaffinity(0, sizeof one, &one) && CPU_COUNT(&one) == 1); /* df leaves the thread alone */
    return unused;
}

/* --- stacks -------------------------------------------------------------------------------------- */

static int deep(size_t bytes) /* uses so much stack */
{
    volatile char room[4096];
    room[0] = 1, room[sizeof room - 1] = 1;
    return bytes < sizeof room ? 0 : deep(bytes - sizeof room) + room[0];
}
DF_TASK(void, uses, (size_t, bytes), (int, worker));
void uses(size_t bytes, int worker)
{
    CHECK(df_worker() == worker);
    CHECK(deep(bytes) == (int)(bytes / 4096));
}
static int use(size_t mib)
{
    DF_PARALLEL { df_submit_with(DF_OPTS(.worker = 1), uses, mib << 20, 1); }
    return 0;
}
static void again(const char *what, rlim_t stack, const char *variable)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        struct rlimit most;
        getrlimit(RLIMIT_STACK, &most);
        most.rlim_cur = stack;
        if (setrlimit(RLIMIT_STACK, &most)) _exit(77); /* a hard limit */
        if (variable) setenv("DF_STACK", variable, 1);
        setenv("DF_WORKERS", "2", 1);
        execl("/proc/self/exe", "helper_threads", what, (char *)NULL);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != 77))
        fprintf(stderr, "%s with a limit of %ld, DF_STACK=%s: status %#x\n", what, (long)stack, variable ? variable : "", status);
    CHECK(WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == 77));
}

int main(int argc, char **argv)
{
    pthread_t t;
    unsetenv("DF_WORKERS");
    if (argc > 1) {
        df_config c = { .workers = 2, .stack_bytes = !strcmp(argv[1], "field") ? (size_t)12 << 20 : 0 };
        CHECK(df_start(&c) == DF_OK);
        return use(!strcmp(argv[1], "field") ? 10 : (size_t)atoi(argv[1]));
    }
    CHECK(!sched_getaffinity(0, sizeof all, &all));
    CHECK(!pthread_create(&t, NULL, bound, NULL) && !pthread_join(t, NULL));
    again("6", RLIM_INFINITY, NULL);
    again("6", (rlim_t)8192 * 1024, NULL);
    again("20", (rlim_t)8192 * 1024, "24M");
    again("1", (rlim_t)8192 * 1024, "2048K");
    again("field", (rlim_t)8192 * 1024, "1M");
    return 0;
}
