/* progress.c - DF_PROGRESS: in a file, in the log, and on a terminal, where the line is cleared at the end; nothing if
 * stderr is no terminal; and the messages about wrong values. No line depends on a time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"

static char file[100];

DF_TASK(void, add, df_inout(long, x, 1));
void add(long *x) { ++*x; }
DF_LOOP(loop, (char *, x));
void loop(long lo, long hi, char *x) { memset(x + lo, 1, (size_t)(hi - lo)); }

enum { TASKS = 100, LOOP = 5000 };
static void work(int tasks, int loops)
{
    static long x[4];
    static char y[LOOP];
    for (int i = 0; i < tasks; i++) df_submit(add, &x[i % 4]);
    df_wait();
    while (loops-- > 0) df_for(loop, 0, LOOP, y);
}

/* Is that a line? *last: is it the last one? */
static int is_line(const char *line, int *last)
{
    double rate, time;
    long done, all, iterations;
    int percent, at = 0, busy, workers;
    char unit[8];
    if (sscanf(line, "%ld of %ld tasks (%d%%), %n", &done, &all, &percent, &at) == 3 && at)
        CHECK(done >= 0 && done <= all && percent >= 100 * done / all && percent <= 100 * done / all + 1), line += at;
    else all = 0;
    at = 0;
    if (sscanf(line, "%ld iterations, %n", &iterations, &at) == 1 && at) line += at;
    else if (!all) return 0;
    at = 0;
    if (sscanf(line, "%lf/s, %n", &rate, &at) != 1 || !at || rate < 0) return 0;
    line += at;
    at = 0;
    *last = sscanf(line, "%lf %7[a-z] in all%n", &time, unit, &at) == 2 && at && !line[at];
    if (*last) return 1;
    if (sscanf(line, "%d of %d workers busy, %lf %7[a-z] %n", &busy, &workers, &time, unit, &at) != 4 || !at) return 0;
    return !strcmp(line + at, "left") || !strcmp(line + at, "so far");
}

/* Lines, of which the last one begins with `begin`, and no other one is a last one. */
static void check_lines(char *text, const char *prefix, const char *begin, int runs)
{
    int last = 0, lasts = 0;
    char *line = NULL;
    for (char *p = strtok(text, "\n"); p; p = strtok(NULL, "\n")) {
        CHECK(!strncmp(p, prefix, strlen(prefix)));
        line = p + strlen(prefix);
        if (!is_line(line, &last)) fprintf(stderr, "%s\n", line);
        CHECK(is_line(line, &last));
        lasts += last;
    }
    CHECK(line && last && lasts == runs && !strncmp(line, begin, strlen(begin)));
}

static int runs(void *arg)
{
    const int *n = (const int *)arg;
    for (int i = 0; i < n[0]; i++) {
        if (df_start(DF_CONFIG(.workers = 3)) != DF_OK) return 1;
        work(n[1], n[2]);
        df_stop();
    }
    return 0;
}
static int configured(void *unused)
{
    (void)unused;
    if (df_start(DF_CONFIG(.workers = 2, .progress = "always")) != DF_OK) return 1;
    work(TASKS, 0);
    df_stop();
    return df_start(DF_CONFIG(.workers = 2, .progress = "0")) != DF_OK; /* not the variable */
}

static void in_file(int n_runs, int tasks, int loops, const char *last)
{
    const char *const env[] = { "DF_PROGRESS", file, NULL };
    int n[3] = { n_runs, tasks, loops };
    static char text[100000];
    FILE *f;
    size_t got;
    struct child c = child_run(runs, n, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    CHECK((f = fopen(file, "r")) != NULL);
    got = fread(text, 1, sizeof text - 1, f);
    text[got] = 0;
    fclose(f);
    check_lines(text, "", last, n_runs);
    unlink(file);
}

/* A program on a terminal, which continues until the line was seen. */
static int on_terminal(void)
{
    char seen[20000] = "", *name;
    size_t n = 0;
    ssize_t got;
    int stop[2], status, asked = 0, fd = posix_openpt(O_RDWR | O_NOCTTY);
    pid_t pid;
    if (fd < 0 || grantpt(fd) || unlockpt(fd) || !(name = ptsname(fd))) return 0;
    CHECK(pipe(stop) == 0 && (pid = fork()) >= 0);
    if (pid == 0) {
        char c;
        int tty = open(name, O_RDWR | O_NOCTTY);
        struct pollfd p = { stop[0], POLLIN, 0 };
        alarm(120);
        if (tty < 0 || dup2(tty, 2) < 0) _exit(2);
        close(fd);
        setenv("TERM", "xterm", 1);
        setenv("DF_PROGRESS", "1", 1);
        while (poll(&p, 1, 1) == 0) work(TASKS, 0);
        if (read(stop[0], &c, 1) != 1) _exit(3);
        df_stop();
        if (write(2, "end\n", 4) != 4) _exit(4);
        exit(0);
    }
    close(stop[0]);
    while (n < sizeof seen - 1 && (got = read(fd, seen + n, sizeof seen - 1 - n)) > 0) {
        n += (size_t)got;
        seen[n] = 0;
        if (!asked && strstr(seen, "workers busy")) CHECK(write(stop[1], "x", 1) == 1), asked = 1;
        if (strstr(seen, "end\r\n")) break;
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(!strncmp(seen, "\rdf: ", 5) && strstr(seen, "workers busy") && !strstr(seen, "in all"));
    CHECK(strstr(seen, "\033[K\r\033[Kend\r\n") && !strstr(seen, "\n\r"));
    close(fd);
    return 1;
}

int main(void)
{
    static int plain[3] = { 1, TASKS, 1 };
    const char *const off[] = { "DF_PROGRESS", "1", "TERM", "xterm", NULL };
    const char *const log[] = { "DF_PROGRESS", "always", NULL };
    const char *const wrong[] = { "DF_PROGRESS", "progress", NULL };
    struct child c;
    snprintf(file, sizeof file, "build/progress-%ld.txt", (long)getpid());
    in_file(1, TASKS, 0, "100 of 100 tasks (100%), ");
    in_file(2, TASKS, 3, "100 of 100 tasks (100%), 15000 iterations, ");
    in_file(1, 0, 2, "10000 iterations, ");
    c = child_run(runs, plain, off, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(runs, plain, log, 60);
    CHECK_CHILD(c, c.status == 0);
    check_lines(c.err, "df: ", "100 of 100 tasks (100%), 5000 iterations, ", 1);
    c = child_run(configured, NULL, off, 60);
    CHECK_CHILD(c, c.status == 0);
    check_lines(c.err, "df: ", "100 of 100 tasks (100%), ", 1);
    c = child_run(runs, plain, wrong, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 &&
                !strcmp(c.err, "df: DF_PROGRESS='progress' is not 1, always, or the name of a file that ends in .txt: "
                               "progress is not shown\n"));
    if (!on_terminal()) printf("skip: there are no pseudo terminals\n");
    return 0;
}
