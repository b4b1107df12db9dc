/* trace.c - DF_TRACE with names and files that are wrong, taken, or full; in the child of a fork; stopped and started
 * again; without memory: one message, the program's results are right, and the file is complete or lacks its end */
#define _DEFAULT_SOURCE /* fork, setenv, symlink */
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"
#include "contents.h"
#include "one_file.h"
#include "../gpu/scratch.h"

enum { TASKS = 60 };
DF_TASK(void, count, df_inout(int, x, 1));
void count(int *x) { ++*x; }

static int work(void *unused)
{
    static const char *const name[] = { "a \"quoted\" \\ name\n", "\xc3\xa9\xff and no UTF-8", "plain" };
    int x[4] = { 0, 0, 0, 0 };
    (void)unused;
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) df_submit_with(DF_OPTS(.name = name[i % 3]), count, x + i % 4);
    }
    CHECK(x[0] + x[1] + x[2] + x[3] == TASKS);
    return 0;
}

/* It has both ends, and slices of that many tasks. */
static int complete(const char *file, int tasks)
{
    const char *p = contents(file);
    size_t n = strlen(p);
    if (*p != '[' || n < 3 || strcmp(p + n - 3, "\n]\n")) return 0;
    for (; (p = strstr(p, "\"cat\":\"task\"")) != NULL; p++) tasks--;
    return tasks == 0;
}

static char name[1000], other[1000];

static struct child with(const char *file, int (*fn)(void *))
{
    const char *env[] = { "DF_TRACE", file, NULL };
    return child_run(fn, NULL, env, 60);
}

static void says(const char *file, const char *message)
{
    struct child c = with(file, work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, message));
}

/* Events after a stop are appended to the same file; another name is another file. */
static int restarts(void *unused)
{
    df_config c;
    memset(&c, 0, sizeof c);
    for (int turn = 1; turn <= 3; turn++) {
        work(unused);
        df_stop();
        CHECK(complete(name, turn * TASKS));
    }
    c.trace = other;
    CHECK(df_start(&c) == DF_OK);
    work(unused);
    df_stop();
    CHECK(complete(other, TASKS) && complete(name, 3 * TASKS));
    return 0;
}

static void begin_anew(void)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.trace = other;
    CHECK(df_start(&c) == DF_OK);
    df_stop();
}
static int without_memory(void *unused)
{
    df_config c;
    (void)unused;
    memset(&c, 0, sizeof c);
    c.trace = name;
    memory_runs_out(&c, work, begin_anew, 8);
    CHECK(complete(name, TASKS));
    return 0;
}

int main(void)
{
    struct child c;
    char folder[SCRATCH];
    one_work = work;
    left = ENOUGH;
    setenv("DF_WORKERS", "3", 1);
    CHECK(mkdtemp(scratch(folder, "df_trace")) != NULL);
    snprintf(name, sizeof name, "%s/a.json", folder);
    snprintf(other, sizeof other, "%s/b.json", folder);
    c = with(name, work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK(complete(name, TASKS));
    CHECK(strstr(text, "\"a \\\"quoted\\\" \\\\ name\\u000a\"") && strstr(text, "\"\xc3\xa9? and no UTF-8\"") &&
          strstr(text, "trace.c:"));
    says("x.png", "DF_TRACE='x.png' is not the name of a file that ends in ");
    says("json", "DF_TRACE='json'");
    says("/nowhere/x.json", "DF_TRACE=/nowhere/x.json cannot be written: ");
    if (access("/dev/full", W_OK) == 0) {
        CHECK(symlink("/dev/full", other) == 0);
        says(other, "cannot be written: ");
        CHECK(remove(other) == 0);
    }
    c = with(name, two_programs);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "is in use by another process"));
    CHECK(complete(name, TASKS));
    c = with(name, forks);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "was forked from"));
    CHECK(complete(name, 2 * TASKS));
    c = with(name, restarts);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(without_memory, NULL, NULL, 100);
    CHECK_CHILD(c, c.status == 0);
    remove(name), remove(other), remove(folder);
}
