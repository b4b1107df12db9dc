/* findings.c - equal errors are logged once and counted; with DF_CHECK they can be the exit status */
#define _DEFAULT_SOURCE /* fork, setenv */
#define DF_CHECK 1 /* lines of submissions are in the messages */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include <pthread.h>
#include <sys/wait.h>

DF_TASK(void, inc, df_inout(int, x, 1));
void inc(int *x) { __atomic_fetch_add(x, 1, __ATOMIC_RELAXED); } /* those of two parts run at the same time */
DF_TASK(void, part, (int *, x), df_out(int, y, 1));
void part(int *x, int *y)
{
    *y = 1;
    for (int i = 0; i < 10; i++) df_submit(inc, x + i % 2);
}
DF_TASK(void, casts, df_in(int, x, 1));
void casts(const int *x) { ++*(int *)(size_t)x; }

/* how: 1: the same mistake often; 2: another one as well, at two places; 4: in the child of a fork, too */
static int mistakes(void *how)
{
    static int x[2], y[4];
    int k = *(int *)how;
    if (k & 1) DF_PARALLEL for (int i = 0; i < 4; i++) df_submit(part, x, &y[i]);
    if (k & 2) {
        df_submit(casts, &y[0]);
        df_wait();
        df_submit(casts, &y[0]);
        df_wait();
    }
    if (k & 4) {
        int status;
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid) {
            DF_PARALLEL df_submit(casts, &y[1]);
            exit(0);
        }
        CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    }
    return 7;
}
static struct child run(int how, const char *status)
{
    const char *env[] = { "DF_CHECK_EXIT", status, NULL };
    return child_run(mistakes, &how, env, 60);
}
static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++) n++;
    return n;
}

/* Several threads find the same at the same time. */
enum { THREADS = 4, TURNS = 400 };
static pthread_barrier_t barrier;
static int said;
static void hears(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    if (strstr(text, "df: turn ")) __atomic_fetch_add(&said, 1, __ATOMIC_RELAXED);
}
static void *finds(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_barrier_wait(&barrier);
        dfi_finding("turn x%d", i);
    }
    return arg;
}
static int together(void *unused)
{
    df_config c = { .log = hears };
    pthread_t t[THREADS];
    (void)unused;
    CHECK(df_start(&c) == DF_OK && !pthread_barrier_init(&barrier, NULL, THREADS));
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&t[i], NULL, finds, NULL));
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(said == TURNS);
    return 0;
}

int main(void)
{
    struct child c = run(0, "9");
    CHECK_CHILD(c, c.status == 7 && c.lines == 0);
    c = run(1, "");
    CHECK_CHILD(c, c.status == 7 && c.lines == 2 && count(c.err, "df: task part submits task inc (") == 1 &&
                       count(c.err, "df: 40 times in all, numbers apart: task part submits task inc (") == 1);
    c = run(1, "9");
    CHECK_CHILD(c, c.status == 9 && c.lines == 2);
    c = run(2, "9");
    CHECK_CHILD(c, c.status == 9 && c.lines == 2 && count(c.err, "changed df_in x") == 2);
    c = run(3, "255");
    CHECK_CHILD(c, c.status == 255 && c.lines == 4);
    if (!TEST_TSAN) { /* it cannot follow threads in a forked child */
        c = run(5, "");
        CHECK_CHILD(c, c.status == 7 && count(c.err, "df: ") == 3 && count(c.err, "changed df_in x") == 1);
    }
    c = run(1, "256");
    CHECK_CHILD(c, c.status == 7 && strstr(c.err, "DF_CHECK_EXIT"));
    c = child_run(together, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0);
}
