/* cancel_hooks.c - df_cancel_hook_set: functions called when the running task is cancelled, by its scope, an outer one or
 * its group; once, at once if it is cancelled already, and not after df_cancel_hook_clear */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static void count(void *n) { ++*(int *)n; }

static int set(df_cancel_hook *h, int *n)
{
    *n = 0;
    CHECK(df_cancel_hook_set(h, count, n) == DF_OK);
    return *n;
}

/* The hooks of one task, which is cancelled in several ways. Returns how often they were called. */
DF_TASK(void, by_scope, (int, fails), df_inout(int, calls, 1));
void by_scope(int fails, int *calls)
{
    df_cancel_hook before, cleared, after;
    int n_before, n_cleared, n_after, at_once;
    CHECK(set(&before, &n_before) == 0 && set(&cleared, &n_cleared) == 0);
    CHECK(df_cancel_hook_clear(&cleared) == 0);
    if (fails) df_fail(3, "a failure");
    else df_cancel();
    at_once = set(&after, &n_after);
    CHECK(df_cancelled() && n_before == 1 && n_cleared == 0 && at_once == 1);
    df_cancel(); /* again: nothing more */
    CHECK(df_cancel_hook_clear(&after) == 1 && df_cancel_hook_clear(&before) == 1);
    *calls += n_before + 10 * n_after;
}

/* Cancels g, to which it belongs, or not. */
DF_TASK(void, cancels, (df_group *, g), (int, belongs), df_inout(int, calls, 1));
void cancels(df_group *g, int belongs, int *calls)
{
    df_cancel_hook h;
    int n;
    CHECK(set(&h, &n) == 0);
    df_group_cancel(g);
    CHECK(n == belongs && df_cancel_hook_clear(&h) == belongs);
    *calls += belongs ? 1 : 100;
}
/* The group is its own: that of the child, too. */
DF_TASK(void, parent, (df_group *, g), df_inout(int, calls, 1));
void parent(df_group *g, int *calls)
{
    df_cancel_hook h;
    int n;
    CHECK(set(&h, &n) == 0);
    DF_PARALLEL { df_submit(cancels, g, 1, calls); }
    CHECK(n == 1 && df_cancel_hook_clear(&h) == 1);
    *calls += 10;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        df_group g = DF_GROUP, unused = DF_GROUP;
        int calls = 0;
        df_result r;
        df_submit(by_scope, i % 2, &calls);
        r = df_wait_result();
        printf("%d %d\n", (int)r, calls);
        calls = 0;
        df_submit_with(DF_OPTS(.group = &g), parent, &g, &calls);
        df_submit(cancels, &unused, 0, &calls);
        r = df_wait_result();
        printf("%d %d\n", (int)r, calls);
    }
}
