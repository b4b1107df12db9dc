/* program.c - a program that uses libdf.so: program all|new|refused|sizes
 *
 * LATER: it is of a version whose df_opts and df_config have fields more (run). */
#include "df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(c) ((c) ? (void)0 : (printf("line %d: %s\n", __LINE__, #c), exit(1)))
#if !defined(LATER) /* no padding at the end (impl/base/sized.h) */
#define NO_PADDING(T, size) typedef char T##_ends_with_padding[sizeof(T) == (size_t)(size) ? 1 : -1]; \
                            extern T##_ends_with_padding T##_checked
NO_PADDING(df_opts, DFI_OPTS_0_9);
NO_PADDING(df_config, DFI_CONFIG_0_9);
#define LATER_OPTS   DF_OPTS(.priority = 1)
#define LATER_CONFIG DF_CONFIG(.window = 64)
#else
#define LATER_OPTS   DF_OPTS(.priority = 1, .later = 7, .later_too = 8)
#define LATER_CONFIG DF_CONFIG(.window = 64, .later = 5, .later_too = 6)
#endif

static void add(void *arg, void *const *p) { *(long *)p[1] += *(long *)p[0] + *(long *)arg; }
static void fails(void *arg, void *const *p) { (void)arg, (void)p, df_fail(77, "on purpose"); }

static df_result call(const df_opts *o, long *from, long *to, long k)
{
    df_region r[2];
    r[0] = df_region_of(from, 1), r[1] = df_region_of(to, 1), r[1].mode = DF_INOUT;
    return df_call(o, add, &k, sizeof k, r, 2);
}

static void tasks(const df_opts *o)
{
    long x[3] = { 1, 0, 0 };
    int i;
    for (i = 0; i < 100; i++) {
        CHECK(call(o, &x[0], &x[1], i) == DF_OK);
        CHECK(call(NULL, &x[1], &x[2], 0) == DF_OK);
    }
    df_wait_on(&x[1], sizeof x[1]);
    CHECK(x[1] == 100 + 99 * 50);
    df_wait();
    for (i = 0; i < 100; i++) x[2] -= (i + 1) + i * (i + 1) / 2;
    CHECK(x[2] == 0);
}

static void words(void)
{
    static df_token t = DF_TOKEN_EXTERNAL(1), u = DF_TOKEN(1);
    static df_mutex m = DF_MUTEX;
    df_handle h = DF_HANDLE;
    df_opts old;
    long x = 0, y = 1;
    CHECK(call(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u), .handle = &h, .name = "late"), &y, &x, 1) == DF_OK);
    CHECK(!df_done(&h));
    df_signal(&t);
    CHECK(df_wait_task(&h) == DF_OK && x == 2);
    CHECK(df_wait_token(&u) == DF_OK);
    CHECK(df_mutex_lock(&m) == DF_OK);
    df_mutex_unlock(&m);
    memset((void *)&old, 0, sizeof old); /* as a program in another language */
    old.priority = 3;
    CHECK(call(&old, &y, &x, 0) == DF_OK);
    df_wait();
    CHECK(x == 3);
    CHECK(df_call(NULL, fails, NULL, 0, NULL, 0) == DF_OK);
    CHECK((int)df_wait_result() == 77 && !strcmp(df_error_text((df_result)77), "on purpose"));
    CHECK(df_call(NULL, NULL, NULL, 0, NULL, 0) == DF_ERROR_ARGUMENT);
    CHECK(df_workers() >= 1 && df_worker() == 0 && df_abi() == DF_ABI);
    df_idle_soon();
}

static void sizes(void)
{
    df_opts o = *DF_OPTS(.priority = 1);
    df_config c = *DF_CONFIG(.window = 64);
    long x = 0;
    o.size = 5, c.size = (size_t)-8;
    CHECK(call(&o, &x, &x, 1) == DF_ERROR_ARGUMENT);
    CHECK(df_start(&c) == DF_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "refused")) {
        long x = 0;
        CHECK(df_start(LATER_CONFIG) == DF_ERROR_ARGUMENT);
        CHECK(call(LATER_OPTS, &x, &x, 1) == DF_ERROR_ARGUMENT);
    } else if (!strcmp(what, "sizes")) sizes();
    else if (!strcmp(what, "new")) {
        CHECK(df_start(LATER_CONFIG) == DF_OK);
        tasks(LATER_OPTS);
    } else {
        CHECK(df_start(DF_CONFIG(.window = 64)) == DF_OK);
        tasks(DF_OPTS(.priority = 1)), words();
    }
    df_stop();
    return 0;
}
