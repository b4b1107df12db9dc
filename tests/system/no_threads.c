/* no_threads.c - worker threads that cannot be created: df continues with those it has, and logs it once */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static int allowed;
static int test_create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    return allowed-- > 0 ? pthread_create(t, attr, fn, arg) : EAGAIN;
}
#define pthread_create test_create
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

static int use_df(void *threads)
{
    allowed = *(int *)threads;
    CHECK(df_workers() == 1 + *(int *)threads);
    CHECK(work_right());
    df_stop();
    allowed = 3; /* the limit was lifted */
    CHECK(df_workers() == 4);
    CHECK(work_right());
    df_stop();
    allowed = 0; /* and came back */
    CHECK(df_workers() == 1);
    CHECK(work_right());
    return 0;
}

int main(void)
{
    static const char *const env[] = { "DF_WORKERS", "4", NULL };
    for (int threads = 0; threads < 3; threads++) {
        struct child c = child_run(use_df, &threads, env, 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "thread") && strstr(c.err, "DF_WORKERS"));
    }
}
