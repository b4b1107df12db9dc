/* exit_wait.c - at the end of a process that leaves main without df_stop no thread sleeps for a fixed time: the
 * helpers wake the thread that ends */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/select.h>
#include "child.h"

/* What df may sleep with. */
static int sleeps(struct timeval *t)
{
    fprintf(stderr, "slept for %ld us\n", (long)t->tv_usec);
    return (select)(0, NULL, NULL, NULL, t);
}
static int sleeps_until(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
    int result = pthread_cond_timedwait(c, m, t);
    if (result == ETIMEDOUT) fprintf(stderr, "was not woken\n");
    return result;
}
#define select(n, to_read, to_write, failed, t) sleeps(t)
#define pthread_cond_timedwait(c, m, t) sleeps_until(c, m, t)
#define DF_IMPLEMENTATION
#include "df.h"

DF_TASK(void, task, (int *, x));
void task(int *x) { __atomic_fetch_add(x, 1, __ATOMIC_RELAXED); }

static int leaves(void *unused)
{
    int ran = 0;
    (void)unused;
    DF_PARALLEL for (int i = 0; i < 10; i++) df_submit(task, &ran);
    return ran == 10 ? 0 : 1;
}

int main(void)
{
    const char *const env[][3] = { { "DF_WORKERS", "1", NULL }, { "DF_WORKERS", "2", NULL },
                                   { "DF_WORKERS", "8", NULL } };
    for (int i = 0; i < 30; i++) {
        struct child c = child_run(leaves, NULL, env[i % 3], 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    }
}
