/* observers.c - DF_TRACE, DF_GRAPH, DF_STATS and DF_STALL record the execution, and do not change it
 *
 * One worker, whose order is fixed: a program writes down which body runs when, and whether inside the df_submit of
 * its task. Each run is in a process of its own; its record is the same with every observer as without. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"

enum { MOST = 4000 };
static struct seen { int n, inside; int what[MOST]; } *seen;
static int submitting;

static void note(int k)
{
    CHECK(seen->n < MOST);
    seen->what[seen->n++] = 2 * k + (submitting > 0);
    seen->inside += submitting > 0;
}
#define SUBMIT(...)                             \
    do {                                        \
        submitting++;                           \
        df_submit(__VA_ARGS__);                 \
        submitting--;                           \
    } while (0)
#define BODY(...)                               \
    do {                                        \
        int around = submitting;                \
        note(k);                                \
        submitting = 0;                         \
        __VA_ARGS__;                            \
        submitting = around;                    \
        note(-k);                               \
    } while (0)

DF_TASK(void, plain, (int, k));
void plain(int k) { BODY((void)0); }
DF_TASK(void, writes, (int, k), df_inout(int, x, 1));
void writes(int k, int *x) { BODY(++*x); }
DF_TASK(void, reads, (int, k), df_in(int, x, 1));
void reads(int k, const int *x) { BODY((void)x); }
DF_TASK(void, sums, (int, k), df_reduce(df_sum, int, x, 1));
void sums(int k, int *x) { BODY(++*x); }
DF_TASK(void, any_order, (int, k), df_commute(int, x, 1));
void any_order(int k, int *x) { BODY(++*x); }
DF_TASK(void, parts, (int, k), df_weak_inout(int, x, 2));
void parts(int k, int *x)
{
    BODY(SUBMIT(writes, 10 * k + 1, &x[0]); SUBMIT(writes, 10 * k + 2, &x[1]); SUBMIT(reads, 10 * k + 3, &x[0]));
}
DF_TASK(void, tree, (int, k), (int, deep), (int, waits));
void tree(int k, int deep, int waits)
{
    BODY(if (deep) {
        SUBMIT(tree, 2 * k, deep - 1, waits);
        SUBMIT(plain, 1000 + k);
        if (waits) df_wait();
        SUBMIT(tree, 2 * k + 1, deep - 1, !waits);
    });
}
DF_TASK(void, with_options, (int, k), df_inout(int, x, 1));
void with_options(int k, int *x)
{
    BODY(df_submit_with(DF_OPTS(.priority = 1), writes, 10 * k, x); SUBMIT(writes, 10 * k + 1, x);
         SUBMIT(plain, 10 * k + 2));
}
DF_TASK(long, forks, (int, k), (int, deep));
long forks(int k, int deep)
{
    long r = 1;
    BODY(if (deep) {
        df_future(forks) f;
        df_spawn(forks, &f, 2 * k, deep - 1);
        r += forks(2 * k + 1, deep - 1);
        r += df_sync(forks, &f);
    });
    return r;
}

static int program(void *p)
{
    int x[4] = { 0 };
    df_taskgraph *g = df_taskgraph_new();
    (void)p;
    submitting = 0;
    for (int i = 0; i < 3; i++) SUBMIT(writes, i, &x[i]);
    SUBMIT(reads, 5, &x[0]);
    df_wait();
    SUBMIT(tree, 1, 3, 0);
    df_submit_with(DF_OPTS(.priority = 2, .name = "first"), writes, 7, &x[0]);
    SUBMIT(plain, 8);
    df_wait();
    DF_PARALLEL {
        for (int i = 0; i < 4; i++) SUBMIT(sums, 20 + i, &x[1]);
        for (int i = 0; i < 4; i++) SUBMIT(any_order, 30 + i, &x[1]);
        SUBMIT(parts, 4, x);
        SUBMIT(with_options, 6, &x[3]);
        SUBMIT(writes, 90, &x[2]);
    }
    note((int)forks(1, 3));
    DF_TASKGRAPH(g) {
        for (int i = 0; i < 3; i++) df_submit(writes, 40 + i, &x[i % 2]);
        df_submit(plain, 45);
    }
    for (int i = 0; i < 2; i++) df_taskgraph_run(g);
    df_taskgraph_free(g);
    SUBMIT(plain, 50);
    df_wait_on(&x[0], sizeof x[0]);
    df_wait();
    df_stop();
    return 0;
}

int main(int n, char **v)
{
    static const char *const observer[][2] = { { "DF_STATS", "1" }, { "DF_STALL", "100" }, { "DF_TRACE", NULL },
                                               { "DF_GRAPH", NULL } };
    static struct seen alone;
    char file[500];
    (void)n;
    seen = (struct seen *)mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED);
    for (unsigned i = 0; i < 5; i++) {
        const char *env[] = { "DF_WORKERS", "1", NULL, NULL, NULL };
        struct child c;
        snprintf(file, sizeof file, "%s.observed.%s", v[0], i == 4 ? "dot" : "json");
        if (i) env[2] = observer[i - 1][0], env[3] = observer[i - 1][1] ? observer[i - 1][1] : file;
        memset(seen, 0, sizeof *seen);
        c = child_run(program, NULL, env, 30);
        CHECK_CHILD(c, c.status == 0);
        if (!i) alone = *seen;
        if (memcmp(&alone, seen, sizeof alone))
            fprintf(stderr, "with %s: %d of %d bodies inside, without %d of %d\n", env[2], seen->inside, seen->n,
                    alone.inside, alone.n);
        for (int j = 0; j < alone.n; j++)
            if (alone.what[j] != seen->what[j])
                fprintf(stderr, "entry %d: %d, and not %d\n", j, seen->what[j], alone.what[j]);
        CHECK(!memcmp(&alone, seen, sizeof alone));
        if (i > 2) remove(file);
    }
    CHECK(alone.inside > 20); /* else there was nothing to change */
    return 0;
}
