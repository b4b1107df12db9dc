/* many_workers.c - more workers than CPUs, and absurd numbers of them: as many as there may be, results
 * right, one message */
#define _DEFAULT_SOURCE /* fork, setenv */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

static int use_df(void *workers)
{
    CHECK(df_workers() == *(int *)workers);
    for (int i = 0; i < 5; i++) CHECK(work_right());
    return 0;
}

int main(void)
{
    static const struct { const char *set; int used, lines; } row[] = {
        { "1", 1, 0 }, { "3", 3, 0 }, { "16", 16, 0 }, { "64", 64, 0 }, { "256", 256, 0 }, { "257", 256, 1 },
            { "100000", 256, 1 },
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        const char *env[] = { "DF_WORKERS", row[i].set, NULL };
        int used = row[i].used;
        struct child c = child_run(use_df, &used, env, 120);
        CHECK_CHILD(c, c.status == 0 && c.lines == row[i].lines);
        if (row[i].lines) CHECK_CHILD(c, strstr(c.err, row[i].set) && strstr(c.err, "256"));
    }
}
