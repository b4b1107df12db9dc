/* forked_files.c - the child of a fork has files of its own if its df_config names them: trace, statistics, graph */
#define _DEFAULT_SOURCE /* fork, setenv, mkdtemp */
#define DF_IMPLEMENTATION
#include "df.h"
#include <sys/wait.h>
#include "before_fork.h"
#include "child.h"
#include "contents.h"
#include "../gpu/scratch.h"

enum { FILES = 3, MOST = SCRATCH + 20 };
static char name[2][FILES][MOST]; /* of the parent and of the child */

DF_TASK(void, count, df_inout(int, x, 1));
void count(int *x) { ++*x; }

static void work(void)
{
    int x = 0;
    DF_PARALLEL {
        for (int i = 0; i < 20; i++) df_submit(count, &x);
    }
    CHECK(x == 20);
}

static int forks(void *unused)
{
    df_config c;
    pid_t pid;
    int status;
    (void)unused;
    memset(&c, 0, sizeof c);
    c.trace = name[1][0], c.stats = name[1][1], c.graph = name[1][2];
    work();
    before_fork();
    if ((pid = fork()) == 0) {
        if (TEST_TSAN) _exit(0); /* it cannot follow threads in a forked child, and files have one */
        CHECK(df_start(&c) == DF_OK);
        work();
        df_stop();
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    work();
    return 0;
}

int main(void)
{
    static const char *const variable[FILES] = { "DF_TRACE", "DF_STATS", "DF_GRAPH" };
    static const char *const ending[FILES] = { "json", "txt", "dot" };
    struct child c;
    char folder[SCRATCH];
    setenv("DF_WORKERS", "3", 1);
    CHECK(mkdtemp(scratch(folder, "df_forked")) != NULL);
    for (int i = 0; i < FILES; i++) {
        for (int k = 0; k < 2; k++) snprintf(name[k][i], MOST, "%s/%d.%s", folder, k, ending[i]);
        setenv(variable[i], name[0][i], 1);
    }
    c = child_run(forks, NULL, NULL, 100);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    for (int k = 0; k < (TEST_TSAN ? 1 : 2); k++) {
        CHECK(strstr(contents(name[k][0]), "\n]\n") && times("\"cat\":\"task\"") == 40 - 20 * k);
        CHECK(strstr(contents(name[k][1]), k ? "20 tasks, " : "40 tasks, "));
        CHECK(strstr(contents(name[k][2]), k ? "// 20 tasks, " : "// 40 tasks, "));
        for (int i = 0; i < FILES; i++) remove(name[k][i]);
    }
    remove(folder);
}
