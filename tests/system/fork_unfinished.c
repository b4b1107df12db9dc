/* fork_unfinished.c - fork while tasks and spawned calls are unfinished: the parent goes on, and the child is told once
 * that nobody there does what had begun; none of its waits hangs. Calls that had not begun run at their df_sync. */
#define _GNU_SOURCE
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "before_fork.h"
#include "child.h"
#include "work.h"

#define LEFT "the child of a fork does not do what its parent had begun"
#define GONE "df_sync(slow): another thread ran the call at the fork"
#define STUCK "no task can signal any more"
enum { N = 20, SPAWNS = 4, WAIT = 0, WAIT_ON, RESULT, WAIT_FOR, TASK, TASK_FOR, DONE, TOKEN, START, WORK, SYNC, SYNC_LATER, CASES };
static const char *const said[CASES] = { LEFT, LEFT, LEFT, LEFT, LEFT, LEFT, "", STUCK, LEFT, LEFT, GONE, GONE };

static int begun;
DF_TASK(long, slow, (long, n));
long slow(long n)
{
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    usleep(100000);
    return n * n;
}
DF_TASK(void, put, df_out(long, x, 1));
void put(long *x)
{
    usleep(20000);
    *x = 1;
}
static void in_child(int what, long *x, df_handle *h, df_token *t, df_future(slow) *f)
{
    long wrong = 0;
    switch (what) {
    case WAIT: df_wait(); df_wait(); break;
    case WAIT_ON: df_wait_on(&x[3], sizeof *x); break;
    case RESULT: CHECK(df_wait_result() == DF_ERROR_CANCELLED && df_wait_result() == DF_OK); break;
    case WAIT_FOR: CHECK(df_wait_for(100000) == DF_ERROR_CANCELLED); break;
    case TASK: CHECK(df_wait_task(h) == DF_ERROR_CANCELLED); break;
    case TASK_FOR: CHECK(df_wait_task_for(h, 100000) == DF_ERROR_CANCELLED); break;
    case DONE: CHECK(df_done(h)); break;
    case TOKEN: CHECK(df_wait_token(t) == DF_ERROR_STUCK); break;
    case START: CHECK(df_start(DF_CONFIG(.workers = 2)) == DF_OK && df_workers() == 2); break;
    case WORK:
        CHECK(work_right());
        df_submit(put, x);
        CHECK(df_wait_result() == DF_OK && *x == 1);
        break;
    case SYNC_LATER: CHECK(work_right()); /* fall through */
    case SYNC: /* one has begun elsewhere */
        for (int i = SPAWNS; i-- > 0;) wrong += df_sync(slow, &f[i]) != i * i;
        CHECK(wrong <= 1);
        break;
    }
}

static int run(void *arg)
{
    const int what = *(int *)arg, spawns = what >= SYNC;
    static long x[N], y;
    df_token t = DF_TOKEN(1);
    df_handle h = DF_HANDLE;
    df_future(slow) f[SPAWNS];
    int status;
    pid_t pid;
    CHECK(df_start(DF_CONFIG(.workers = spawns ? 2 : 3)) == DF_OK);
    if (spawns) {
        for (int i = 0; i < SPAWNS; i++) df_spawn(slow, &f[i], i);
        while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST)) { /* the helper steals one, when it is asked for */
            df_submit(put, &y);
            df_wait();
        }
    } else {
        for (int i = 0; i < N; i++) df_submit(put, &x[i]);
        df_submit_with(DF_OPTS(.handle = &h, .signals = DF_TOKENS(&t), .worker = 1), put, &x[N - 1]);
    }
    pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        alarm(60);
        in_child(what, x, &h, &t, f);
        exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    if (spawns)
        for (int i = SPAWNS; i-- > 0;) CHECK(df_sync(slow, &f[i]) == i * i);
    df_wait();
    for (int i = 0; i < N && !spawns; i++) CHECK(x[i] == 1);
    return 0;
}

int main(void)
{
    /* the sanitizers cannot fork while other threads run (before_fork.h) */
    for (int what = 0; what < CASES && !TEST_TSAN && !TEST_ASAN; what++) {
        struct child c = child_run(run, &what, NULL, 100);
        const char *first = strstr(c.err, said[what]);
        if (c.status || !first || (*said[what] && strstr(first + 1, said[what])))
            fprintf(stderr, "case %d: status %d, says\n%s", what, c.status, c.err);
        CHECK(c.status == 0 && first && !(*said[what] && strstr(first + 1, said[what])));
    }
    return 0;
}
