/* child.h - runs a part of a test in a process of its own, with its own environment, and catches what it
 * says on stderr. The parent must not have used df: the child then starts as fresh as a new program. */
#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../test.h"

struct child {
    int status;      /* exit status; 1000 + signal if it was killed: SIGALRM means that it hung */
    int lines;       /* on stderr */
    char err[8192];  /* the first 8 KB of it */
};

/* Calls exit(fn(arg)) in a child with the variables of `env`: name, value, ..., NULL; or NULL. */
static struct child child_run(int (*fn)(void *arg), void *arg, const char *const *env, unsigned seconds)
{
    struct child c = { 0, 0, "" };
    size_t n = 0;
    ssize_t got;
    char more[512];
    int fd[2], status;
    pid_t pid;
    fflush(stdout);
    CHECK(pipe(fd) == 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(seconds);
        dup2(fd[1], 2);
        close(fd[0]);
        close(fd[1]);
        for (; env && *env; env += 2) setenv(env[0], env[1], 1);
        exit(fn(arg));
    }
    close(fd[1]);
    while ((got = read(fd[0], more, sizeof more)) > 0) {
        size_t take = sizeof c.err - 1 - n < (size_t)got ? sizeof c.err - 1 - n : (size_t)got;
        for (ssize_t i = 0; i < got; i++) c.lines += more[i] == '\n';
        memcpy(c.err + n, more, take);
        n += take;
    }
    c.err[n] = 0;
    close(fd[0]);
    CHECK(waitpid(pid, &status, 0) == pid);
    c.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return c;
}

/* Says what the child said when it did not end as expected. */
#define CHECK_CHILD(c, condition)                                                                        \
    do {                                                                                                 \
        if (!(condition)) fprintf(stderr, "child: status %d, %d lines:\n%s", (c).status, (c).lines, (c).err); \
        CHECK(condition);                                                                                \
    } while (0)

#endif
