/* graph_files.c - DF_GRAPH with names and files that are wrong, taken, or full; in the child of a fork; without memory:
 * one message, the program's results are right, and no file says more than is so */
#define _DEFAULT_SOURCE /* fork, setenv, symlink */
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"
#include "contents.h"
#include "one_file.h"

DF_TASK(void, count, df_inout(int, x, 1), (int, deep));
void count(int *x, int deep)
{
    ++*x;
    if (deep) df_submit(count, x, deep - 1);
}
DF_TASK(void, sum, df_in(int, x, 1), df_reduce(df_sum, int, s, 1));
void sum(const int *x, int *s) { *s += *x; }

static int work(void *unused)
{
    int x[4] = { 0, 0, 0, 0 }, s = 0;
    (void)unused;
    DF_PARALLEL {
        for (int i = 0; i < 20; i++) df_submit(count, x + i % 4, i % 3);
        for (int i = 0; i < 4; i++) df_submit(sum, x + i, &s);
    }
    CHECK(x[0] + x[1] + x[2] + x[3] == 20 + 19 && s == 39);
    return 0;
}

static int complete(const char *file) { return strstr(contents(file), "43 tasks, ") && !strstr(text, "INCOMPLETE"); }

static char name[1000], other[1000];

static struct child with(const char *file, const char *depth, int (*fn)(void *))
{
    const char *env[] = { "DF_GRAPH", file, "DF_GRAPH_DEPTH", depth, NULL };
    return child_run(fn, NULL, env, 60);
}

static void says(const char *file, const char *depth, const char *message)
{
    struct child c = with(file, depth, work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, message));
}

/* Names that would end a line, a quoted text or UTF-8. */
static int names(void *unused)
{
    static const char *const bad[] = { "new\nline\r\ttab", "\x01\x7f\xc2\x85\xe2\x80\xa8 ends",
                                       "bad \xff\xc0\xaf\xed\xa0\x80 utf8", "cut \xe2\x82", "\"quoted\" \\",
                                       "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" };
    static const char *const good[] = { "new line  tab", "     ends", "bad ?????? utf8", "cut ??", "\"quoted\" \\",
                                        "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" };
    char want[80], dot[80], *to;
    const char *const *got = unused ? good : bad;
    int x = 0;
    if (got == bad) {
        for (int i = 0; i < 6; i++) df_submit_with(DF_OPTS(.name = bad[i]), count, &x, 0);
        df_wait();
        return x != 6;
    }
    for (int i = 0; i < 6; i++) {
        to = dot;
        for (const char *p = good[i]; *p; *to++ = *p++)
            if (*p == '"' || *p == '\\') *to++ = '\\';
        *to = 0;
        snprintf(want, sizeof want, "\n  task %d %s (", i + 1, good[i]);
        CHECK(strstr(contents(name), want));
        snprintf(want, sizeof want, "\nn%d [label=\"%d %s\"];\n", i + 1, i + 1, dot);
        CHECK(strstr(contents(other), want));
    }
    return 0;
}

static int fork_stopped(void *unused)
{
    pid_t pid;
    int status;
    work(unused);
    df_stop();
    if ((pid = fork()) == 0) {
        if (TEST_TSAN) setenv("DF_WORKERS", "1", 1); /* it cannot follow threads in a forked child */
        exit(work(unused));
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

static int moves(void *unused)
{
    df_workers();
    CHECK(chdir("/") == 0);
    return work(unused);
}

static int stops(void *unused)
{
    work(unused);
    df_stop();
    CHECK(complete(name));
    CHECK(remove(name) == 0); /* nothing new: it is not written again */
    df_stop();
    return 0;
}

static int incomplete; /* files so far that say so */

static void begin_anew(void)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.graph = other;
    if (*contents(name) && !complete(name)) {
        CHECK(!strncmp(strchr(text, '\n') + 1, "INCOMPLETE", 10));
        incomplete++;
    }
    CHECK(df_start(&c) == DF_OK);
    df_stop();
}
static int without_memory(void *unused)
{
    df_config c;
    (void)unused;
    memset(&c, 0, sizeof c);
    c.graph = name;
    memory_runs_out(&c, work, begin_anew, 20);
    CHECK(incomplete > 0 && complete(name));
    return 0;
}

int main(int argc, char **argv)
{
    struct child c;
    one_work = work;
    CHECK(argc == 1);
    left = ENOUGH;
    setenv("DF_WORKERS", "3", 1);
    snprintf(name, sizeof name, "%s.txt", argv[0]);
    snprintf(other, sizeof other, "%s.dot", argv[0]);
    c = with(name, "", work);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK(complete(name));
    for (int i = 0; i < 2; i++) {
        c = with(i ? other : name, "", names);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    }
    CHECK(names(name) == 0);
    says("x.png", "", "DF_GRAPH='x.png' is not the name of a file that ends in .dot or .txt");
    says("txt", "", "DF_GRAPH='txt'");
    says("/nowhere/x.txt", "", "DF_GRAPH=/nowhere/x.txt cannot be written: ");
    static const char *const wrong[] = { "0", "-1", "x", "1x", " 1", "99999999999999999999" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) says(name, wrong[i], "DF_GRAPH_DEPTH='");
    CHECK(complete(name));
    if (access("/dev/full", W_OK) == 0) {
        remove(other);
        CHECK(symlink("/dev/full", other) == 0);
        says(other, "", "cannot be written: ");
        CHECK(remove(other) == 0);
    }
    c = with(name, "", two_programs);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "is in use by another process"));
    CHECK(complete(name));
    remove(name);
    c = with(name, "", fork_stopped);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "was forked from"));
    CHECK(complete(name));
    if (*name != '/') {
        remove(name);
        c = with(name, "1", moves);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
        CHECK(complete(name) && strstr(text, "tasks inside: "));
    }
    c = with(name, "", stops);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(without_memory, NULL, NULL, 100);
    CHECK_CHILD(c, c.status == 0);
    remove(name), remove(other);
}
