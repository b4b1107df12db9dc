/* fork_loops.c - the child of a fork begins its loops anew: after loops of the parent, in a part of a loop that runs
 * alone, in a part of one that is shared. It ends normally, also with LeakSanitizer. */
#define _DEFAULT_SOURCE /* fork, setenv */
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"
#include <sys/wait.h>
#include <unistd.h>
#include <stdlib.h>

enum { N = 3000, NEVER = -1, END = 7 };
static double x[N];
static pid_t child;
static int forks_at = NEVER;

/* Forks in the first part behind that iteration that the main thread runs: the child of a helper has no main. */
static void forks(long hi)
{
    if (df_worker() != 0 || forks_at == NEVER || hi <= forks_at) return;
    forks_at = NEVER;
    CHECK((child = fork()) >= 0);
}
DF_LOOP(halve, (int, k));
void halve(long lo, long hi, int k)
{
    for (long i = lo; i < hi; i++) x[i] = x[i] * 0.5 + k;
    forks(hi);
}
DF_LOOP2(cells, (int, k));
void cells(long lo0, long hi0, long lo1, long hi1, int k)
{
    for (long i = lo0; i < hi0; i++)
        for (long j = lo1; j < hi1; j++) x[50 * i + j] += x[50 * i + j - 1] + k;
}
static void loops(int n)
{
    for (int i = 0; i < n; i++) {
        df_for(halve, 0, N, i);
        df_wavefront(cells, DF_VECTORS({1, 0}, {0, 1}), 1, 50, 1, 50, i);
    }
}
static void ends(void)
{
    int status;
    if (forks_at != NEVER) { /* a helper ran all of these */
        forks_at = NEVER;
        return;
    }
    if (!child) { /* it has one thread and continues where its parent was */
        loops(60);
        CHECK(work_right());
        exit(END);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == END);
}

int main(void)
{
    /* TSan cannot follow threads in a forked child, and ASan's allocator may be locked there */
    if (TEST_TSAN || TEST_ASAN) setenv("DF_WORKERS", "1", 1);
    for (int round = 0; round < 3; round++) {
        loops(100);
        CHECK((child = fork()) >= 0);
        ends();
        forks_at = 0;
        df_for(halve, 0, N, 1);
        ends();
        forks_at = N / 2;
        df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 10), halve, 0, N, 1);
        ends();
    }
    return 0;
}
