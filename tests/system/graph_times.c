/* graph_times.c - with DF_TRACE or DF_STATS the graph says how long each task took itself, without what ran
 * meanwhile; else it says nothing */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include <time.h>

enum { NAP_MS = 300 };

static void nap(void)
{
    struct timespec t = { 0, NAP_MS * 1000000 };
    nanosleep(&t, NULL);
}
DF_TASK(void, inner, df_inout(int, x, 1));
void inner(int *x)
{
    nap();
    ++*x;
}
DF_TASK(void, outer, df_inout(int, x, 1));
void outer(int *x)
{
    df_submit(inner, x);
    df_wait();
    df_wait();
    ++*x;
}
DF_TASK(void, late, df_inout(int, x, 1)); /* a child that it does not wait for */
void late(int *x) { df_submit(inner, x); }

static char text[1 << 14], name[1000];
static int files;

/* What the file says that the n-th task of that name took, in ms; -1: nothing. */
static double took(const char *name, int n)
{
    char *line = text, unit[4], task[32];
    double t = -1;
    snprintf(task, sizeof task, " %s: ", name); /* not where it is a scope */
    do {
        line = strstr(line, task);
        CHECK(line);
        line += strlen(task);
    } while (--n);
    line[strcspn(line, "\n")] = 0;
    if (!strstr(line, "took ")) t = -1;
    else {
        CHECK(sscanf(strstr(line, "took "), "took %lf %3s", &t, unit) == 2);
        t *= unit[0] == 'n' ? 1e-6 : unit[0] == 'u' ? 1e-3 : unit[0] == 'm' ? 1 : 1e3;
    }
    line[strlen(line)] = '\n';
    return t;
}

static void run(const char *program, int workers, const char *trace, const char *stats)
{
    df_config c;
    FILE *f;
    int x = 0;
    memset(&c, 0, sizeof c);
    snprintf(name, sizeof name, "%s.%d.txt", program, ++files); /* in the same file the graph continues */
    c.workers = workers, c.graph = name, c.trace = trace, c.stats = stats;
    CHECK(df_start(&c) == DF_OK);
    DF_PARALLEL {
        df_submit(outer, &x);
        df_submit(late, &x);
    }
    CHECK(x == 3);
    df_stop();
    CHECK((f = fopen(name, "r")) != NULL);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    remove(name);
}

int main(int argc, char **argv)
{
    static char trace[1000], stats[1000];
    CHECK(argc == 1);
    snprintf(trace, sizeof trace, "%s.json", argv[0]);
    snprintf(stats, sizeof stats, "%s.stats.txt", argv[0]);
    unsetenv("DF_TRACE"), unsetenv("DF_STATS"), unsetenv("DF_GRAPH");
    for (int workers = 1; workers <= 4; workers *= 4)
        for (int k = 0; k < 3; k++) {
            run(argv[0], workers, k == 1 ? trace : "", k == 2 ? stats : "");
            for (int n = 1; n <= 2; n++) CHECK(k ? took("inner", n) > NAP_MS * .9 : took("inner", n) < 0);
            CHECK(k ? took("outer", 1) >= 0 && took("outer", 1) < NAP_MS * .9 : took("outer", 1) < 0);
            CHECK(k ? took("late", 1) >= 0 && took("late", 1) < NAP_MS * .9 : took("late", 1) < 0);
        }
    remove(trace), remove(stats);
}
