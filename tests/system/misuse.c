/* misuse.c - DF_DEBUG=1: wrong use of futures and blocks is reported with the file and line of the call */
#define _DEFAULT_SOURCE
#if !defined(DF_DEBUG) || DF_DEBUG == 0
#undef DF_DEBUG
#define DF_DEBUG 1
#endif
#include <pthread.h>
#include <setjmp.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

#define HERE __FILE__ ":" DFI_STR(__LINE__)
static const char *expected; /* what the message must begin with after "df: " */
static int heard;

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    fprintf(stderr, "%s\n", text); /* for CHECK_CHILD */
    CHECK(level == 1);
    CHECK(!strncmp(text, "df: ", 4) && !strncmp(text + 4, expected, strlen(expected)));
    heard++;
}

DF_TASK(int, one, (int, x));
int one(int x) { return x; }
DF_TASK(void, put, df_out(int, x, 1));
void put(int *x) { *x = 1; }

static void listen(void)
{
    df_config c = { .log = hear };
    CHECK(df_start(&c) == DF_OK);
}

static int synced_twice(void *unused)
{
    df_future(one) f;
    (void)unused;
    listen();
    df_spawn(one, &f, 1);
    CHECK(df_sync(one, &f) == 1);
    expected = HERE, df_sync(one, &f);
    return heard != 1;
}
static df_future(one) shared;
static void *syncs(void *unused)
{
    expected = HERE, df_sync(one, &shared);
    return unused;
}
static int synced_elsewhere(void *unused)
{
    pthread_t t;
    (void)unused;
    listen();
    df_spawn(one, &shared, 1);
    CHECK(!pthread_create(&t, NULL, syncs, NULL) && !pthread_join(t, NULL));
    CHECK(df_sync(one, &shared) == 1);
    return heard != 1;
}
static df_future(one) forgotten;
DF_TASK(void, forgets, df_out(int, x, 1));
void forgets(int *x)
{
    *x = 1;
    expected = HERE, df_spawn(one, &forgotten, 1);
}
static int never_synced(void *unused)
{
    int x = 0;
    (void)unused;
    listen();
    DF_PARALLEL df_submit(forgets, &x);
    return heard != 1;
}
static jmp_buf out;
static void jumps(int *x)
{
    expected = HERE; DF_PARALLEL {
        df_submit(put, x);
        longjmp(out, 1);
    }
}
static int left_by_longjmp(void *unused)
{
    static int x, y;
    (void)unused;
    listen();
    DF_PARALLEL {
        if (!setjmp(out)) jumps(&x);
        df_submit(put, &y);
    }
    CHECK(x == 1 && y == 1);
    return heard != 1;
}
static int nothing_wrong(void *unused)
{
    (void)unused;
    listen();
    return !work_right() || heard;
}

int main(void)
{
    static int (*const part[])(void *) = { synced_twice, synced_elsewhere, never_synced, left_by_longjmp,
                                           nothing_wrong };
    static const char *const workers[] = { "1", "2", "4" };
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        for (int w = 0; w < 3; w++) {
            if (part[i] == synced_elsewhere && w) continue; /* once stolen, a future could be that of any call */
            const char *env[] = { "DF_WORKERS", workers[w], "DF_DEFER", "1", NULL };
            struct child c = child_run(part[i], NULL, env, 60);
            if (c.status) fprintf(stderr, "part %u with %s workers\n", i, workers[w]);
            CHECK_CHILD(c, c.status == 0 && c.lines == (part[i] != nothing_wrong));
        }
}
