/* ends_after_task.c - a program that waits for its last task alone, by its handle or by its memory, ends without a
 * word: what the worker of that task has left to do is no unfinished task. One that waits for nothing is told */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"

static long x;
DF_TASK(void, work, (int, how), df_inout(long, p, 1));
void work(int how, long *p) { (void)how, ++*p; }

enum { N = 300 };
static int ends(void *how)
{
    static df_handle h[N];
    static long y[N];
    for (int i = 0; i < N; i++) {
        h[i] = (df_handle)DF_HANDLE;
        df_submit_with(DF_OPTS(.handle = &h[i]), work, i, how ? &x : &y[i]);
    }
    if (how) df_wait_on(&x, 1);
    else for (int i = 0; i < N; i++) df_wait_task(&h[i]);
    return x == (how ? N : 0) ? 0 : 1;
}
static int waits_for_nothing(void *unused)
{
    static df_token never = DF_TOKEN(1);
    (void)unused;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&never)), work, 0, &x);
    return 0;
}

int main(void)
{
    static const char *const workers[][3] = {
        { "DF_WORKERS", "1", NULL }, { "DF_WORKERS", "2", NULL }, { "DF_WORKERS", "4", NULL }
    };
    const int turns = TEST_SLOW ? 10 : 200;
    for (int i = 0; i < turns; i++) {
        struct child c = child_run(ends, i % 2 ? &x : NULL, workers[i / 2 % 3], 30);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    }
    struct child c = child_run(waits_for_nothing, NULL, workers[1], 30);
    CHECK_CHILD(c, c.status == 0 && strstr(c.err, "unfinished task"));
}
