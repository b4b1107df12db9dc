/* always_no_memory.c - memory runs out at the n-th allocation, for every n: tasks that run even if they are to be
 * skipped run once each, know that, and have the codes of the tokens that they wait for
 *
 * As no_memory.c. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"

enum { N = 40 };
static int ran[N], cancelled[N];

DF_TASK(int, note, (int, i), df_inout(long, x, 1));
int note(int i, long *x)
{
    ran[i]++, cancelled[i] = df_cancelled();
    ++*x;
    return i;
}
DF_TASK(int, bare, (int, i)); /* needs no record for its order */
int bare(int i)
{
    ran[i]++, cancelled[i] = df_cancelled();
    return i;
}
static void call(void *arg, void *const *p)
{
    (void)p;
    bare(*(int *)arg);
}

static int run(void *unused)
{
    df_group g = DF_GROUP;
    df_token t = DF_TOKEN(1);
    int result[N] = { 0 };
    static long x[N]; /* memory that no task had before needs memory for its order */
    (void)unused;
    if (df_start(NULL) == DF_ERROR_MEMORY) return 0;
    df_group_cancel(&g);
    df_signal_failed(&t, 5, "no answer");
    for (int i = 0; i < N; i++) {
        df_handle h = DF_HANDLE;
        df_group *group = i % 4 == 1 ? &g : NULL;
        df_token *after[] = { i % 4 == 2 ? &t : NULL, NULL };
        if (i % 4 == 3) df_cancel(); /* the scope */
        if (i % 3 == 0)
            df_submit_with(DF_OPTS(.always = 1, .group = group, .after = after, .handle = &h, .result = &result[i]),
                           note, i, &x[i]);
        else if (i % 3 == 1)
            df_submit_with(DF_OPTS(.always = 1, .group = group, .after = after, .handle = &h, .result = &result[i]),
                           bare, i);
        else if (df_call(DF_OPTS(.always = 1, .group = group, .after = after, .handle = &h), call, &i, sizeof i,
                         NULL, 0) == DF_ERROR_MEMORY) { /* it has submitted nothing */
            df_wait();
            continue;
        }
        int code = (int)df_wait_task(&h), all = (int)df_wait_result();
        CHECK(ran[i] == 1 && (i % 3 == 2 || result[i] == i));
        CHECK(cancelled[i] == (i % 4 != 0));
        CHECK(code == (i % 4 == 0 ? DF_OK : i % 4 == 2 ? 5 : DF_ERROR_CANCELLED));
        CHECK(all == (i % 4 < 2 ? DF_OK : i % 4 == 2 ? 5 : DF_ERROR_CANCELLED) || all == DF_ERROR_MEMORY);
    }
    df_stop();
    return failed ? 0 : 77;
}

int main(void)
{
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "0"), test_step(1), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(1), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_RENAME_BYTES", "9999"), test_step(3), about_memory) > 5);
    }
}
