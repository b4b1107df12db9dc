/* fork.c - a program that uses df forks: both use df, both get the right answers, 50 times; also with
 * tasks pending, from another thread, and grandchildren */
#define _DEFAULT_SOURCE /* fork, setenv, usleep */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"
#include "before_fork.h"

DF_TASK(void, count, df_inout(int, x, 1));
void count(int *x)
{
    test_spin(2000);
    ++*x;
}

static void in_child(int i)
{
    alarm(60);
    if (TEST_TSAN) setenv("DF_WORKERS", "1", 1); /* it cannot follow threads in a forked child */
    CHECK(df_worker() == 0 && work_right());
    if (i % 3 == 0) { /* a grandchild */
        int status;
        pid_t pid;
        before_fork();
        pid = fork();
        CHECK(pid >= 0);
        CHECK(work_right());
        if (pid == 0) exit(0);
        CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    }
    if (i % 2) df_stop();
    exit(0);
}

static void fork_once(int i)
{
    int status, x = 0, y = 0;
    pid_t pid;
    for (int k = 0; k < 20; k++) { /* some of them run while the process forks */
        df_submit(count, &x);
        df_submit(count, &y);
    }
    if (i % 3) df_wait();
    before_fork();
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) in_child(i);
    CHECK(work_right());
    df_wait();
    CHECK(x == 20 && y == 20);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *in_thread(void *unused)
{
    for (int i = 0; i < (TEST_TSAN ? 3 : 10); i++) fork_once(i);
    return unused;
}

int main(void)
{
    pthread_t t;
    alarm(120);
    for (int i = 0; i < (TEST_TSAN ? 10 : 50); i++) fork_once(i);
    CHECK(!pthread_create(&t, NULL, in_thread, NULL));
    CHECK(!pthread_join(t, NULL));
    df_stop();
    fork_once(0); /* stopped, then forked */
}
