/* one_file.h - after df.h, with the implementation: two processes and one file of df; each does `one_work` */
#ifndef ONE_FILE_H
#define ONE_FILE_H

#include <sys/wait.h>
#include "before_fork.h"

static int (*one_work)(void *unused);

/* Another program with the same file, while this one has it. */
static int two_programs(void *unused)
{
    pid_t pid;
    int status, go[2];
    char c;
    CHECK(pipe(go) == 0);
    if ((pid = fork()) == 0) {
        CHECK(read(go[0], &c, 1) == 1);
        exit(one_work(unused));
    }
    df_workers(); /* starts */
    CHECK(write(go[1], "x", 1) == 1);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return one_work(unused);
}

/* The child of a fork has the file of its parent, which continues. */
static inline int forks(void *unused)
{
    pid_t pid;
    int status;
    one_work(unused);
    before_fork();
    if ((pid = fork()) == 0) {
        if (TEST_TSAN) setenv("DF_WORKERS", "1", 1); /* it cannot follow threads in a forked child */
        /* at exit it looks for threads that the child does not have, and says so */
        if (TEST_ASAN) _exit(one_work(unused));
        exit(one_work(unused));
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return one_work(unused);
}

#endif
