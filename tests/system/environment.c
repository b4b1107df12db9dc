/* environment.c - garbage in a variable: one message that names it, the default is used, results are right */
#define _DEFAULT_SOURCE /* fork, setenv, usleep */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

static int use_df(void *unused)
{
    (void)unused;
    CHECK(df_workers() >= 1);
    return work_right() ? 0 : 1;
}

static const char *const number[] = { "abc", "-1", "0", "1x", " 4", "4 ", "0x10", "4.5", "+3", "1,2",
                                      "K", "3k", "1KM", "99999999999G", "99999999999999999999", "\xff\xfe", "%s%n" };
static const char *const list[] = { "a", "-", "1-", "-1", "3-1", "1,,2", "0,", ",0", "99999", "0-99999", "1;2", "0 1",
                                    "0-1-2", "99999999999999999999", "\xff" };
static const char *const name[] = { "DF_WORKERS", "DF_DEQUE", "DF_WINDOW", "DF_STACK", "DF_CPUSET" };
enum { NAMES = sizeof name / sizeof *name };

int main(void)
{
    struct child c;
    for (int v = 0; v < NAMES; v++) {
        const char *const *text = v < NAMES - 1 ? number : list;
        int n = v < NAMES - 1 ? sizeof number / sizeof *number : sizeof list / sizeof *list;
        for (int i = 0; i < n; i++) {
            const char *env[] = { name[v], text[i], NULL };
            c = child_run(use_df, NULL, env, 60);
            if (c.lines != 1 || !strstr(c.err, name[v])) fprintf(stderr, "%s='%s'\n", name[v], text[i]);
            CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, name[v]));
        }
        const char *empty[] = { name[v], "", NULL };
        c = child_run(use_df, NULL, empty, 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    }
    static const char *const all[] = { "DF_WORKERS", "?", "DF_DEQUE", "?", "DF_WINDOW", "?", "DF_CPUSET", "?", NULL };
    c = child_run(use_df, NULL, all, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 4);
    static const char *const good[] = { "DF_WORKERS", "3", "DF_DEQUE", "2", "DF_WINDOW", "1K", "DF_STACK", "1M", "DF_CPUSET", "0", NULL };
    c = child_run(use_df, NULL, good, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    char longer[5000]; /* longer than any buffer of a message */
    memset(longer, '9', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    const char *env[] = { "DF_CPUSET", longer, NULL };
    c = child_run(use_df, NULL, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1);
}
