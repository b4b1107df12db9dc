/* call_misuse.c - wrong arguments of df_call are reported with the line of the call; no task is lost or runs twice, and the
 * order of the others stays */
#define _DEFAULT_SOURCE
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"

static int n_ran;
static long x[4];

static void adds(void *arg, void *const *p)
{
    const long k = *(const long *)arg;
    __atomic_fetch_add(&n_ran, 1, __ATOMIC_RELAXED);
    *(long *)p[0] = *(long *)p[0] * 3 + k;
}
static void counts(void *arg, void *const *p)
{
    (void)arg, ++n_ran;
    ++*(long *)p[0];
}
static void none(void *arg, void *const *p) { (void)arg, (void)p, __atomic_fetch_add(&n_ran, 1, __ATOMIC_RELAXED); }
static void no_operator(void *into, const void *from, size_t n) { (void)into, (void)from, (void)n; }

static void heard(const char *site, const char *text)
{
    char begin[300];
    snprintf(begin, sizeof begin, "1 df: %s: df_call: %s", site, text);
    if (n_said != 1 || strncmp(said[0], begin, strlen(begin)))
        for (int i = 0; i < n_said; i++) fprintf(stderr, "%s\n", said[i]);
    CHECK(n_said == 1 && !strncmp(said[0], begin, strlen(begin)));
    n_said = 0;
}
static void refuses(df_result r, const char *site, const char *text)
{
    CHECK(r == DF_ERROR_ARGUMENT);
    heard(site, text);
}

static void wrong(void)
{
    const df_operator bad[2] = { { NULL, 8, 0, 0, NULL }, { no_operator, 0, 0, 0, NULL } };
    static const unsigned modes[] = { 4, 5, 8, 16, 12, 32, 33 + 8, 64, 128, DF_REDUCE | DF_WEAK, DF_COMMUTE | DF_WEAK,
                                      ~0u };
    df_region r = df_region_of(x, 1);
    long k = 7, expected = 0;
    int ran = 0;
    n_ran = 0, x[0] = 0;
    r.mode = DF_INOUT;
    refuses(df_call(NULL, NULL, &k, sizeof k, &r, 1), HERE, "fn is NULL: nothing was submitted");
    refuses(df_call(NULL, adds, &k, sizeof k, &r, -1), HERE, "n is negative: nothing was submitted");
    refuses(df_call(NULL, adds, &k, sizeof k, NULL, 1), HERE, "list is NULL, and n is not 0: nothing was submitted");
    refuses(df_call(NULL, adds, &k, sizeof k, NULL, 1000), HERE, "list is NULL, and n is not 0: ");
    refuses(df_call(NULL, adds, NULL, 8, &r, 1), HERE, "arg is NULL, and bytes is not 0: nothing was submitted");
    refuses(df_call(NULL, adds, NULL, 8000, &r, 1), HERE, "arg is NULL, and bytes is not 0: nothing was submitted");
    CHECK(df_call(NULL, adds, &k, SIZE_MAX - 3, &r, 1) == DF_ERROR_MEMORY && n_said == 0);
    CHECK(df_call(NULL, none, NULL, 0, NULL, 0) == DF_OK && df_call(NULL, none, &k, 0, &r, 0) == DF_OK);
    ran = 2;
    for (unsigned m = 0; m < sizeof modes / sizeof *modes + 3; m++) {
        const unsigned n_modes = sizeof modes / sizeof *modes;
        char text[100];
        r.mode = m < n_modes ? modes[m] : DF_REDUCE, r.op = m < n_modes || m == n_modes ? NULL : &bad[m - n_modes - 1];
        snprintf(text, sizeof text, "list[0].mode is %u, %s", r.mode,
                 m < n_modes ? "which is no mode" : "DF_REDUCE, and .op is no operator");
        k = (long)m;
        CHECK(df_call(NULL, adds, &k, sizeof k, &r, 1) == DF_OK), heard(HERE, text);
        expected = expected * 3 + k, ran++;
    }
    df_wait();
    CHECK(x[0] == expected && n_ran == ran);
    {
        static df_semaphore s = DF_SEMAPHORE(1);
        df_region both[2];
        both[0] = df_region_of(x, 1), both[1] = df_units_of(&s, 1);
        both[0].mode = DF_INOUT | DF_WEAK;
        CHECK(df_call(NULL, adds, &k, sizeof k, both, 2) == DF_OK), heard(HERE, "DF_WEAK in a task with units, ");
        df_wait();
        CHECK(x[0] == expected * 3 + k);
    }
    r = df_region_of(x, -1), r.mode = DF_INOUT; /* as in a task of DF_TASK: all memory */
    df_call(NULL, adds, &k, sizeof k, &r, 1);
    df_wait();
    CHECK(n_said == (df_workers() > 1) &&
          (!n_said || strstr(said[0], "the size of parameter list[0] is negative")));
    n_said = 0;
    CHECK(df_error_text(DF_ERROR_ARGUMENT) && strstr(df_error_text(DF_ERROR_ARGUMENT), "argument"));
}

/* More names than df keeps apart: all tasks run, and memory does not grow without bound. */
static void names(void)
{
    static char name[3000][8];
    df_region r = df_region_of(x, 1);
    r.mode = DF_INOUT;
    n_ran = 0;
    for (int i = 0; i < 3000; i++) {
        snprintf(name[i], sizeof name[i], "n%d", i);
        CHECK(df_call(DF_OPTS(.name = name[i]), counts, NULL, 0, &r, 1) == DF_OK);
    }
    df_wait();
    CHECK(n_ran == 3000 && n_said == 0);
}

int main(void)
{
    for (int w = 1; w <= 4; w += 3) {
        CHECK(df_start(DF_CONFIG(.workers = w, .log = hear, .defer = w > 1)) == DF_OK);
        wrong();
        names();
        df_stop();
    }
    return 0;
}
