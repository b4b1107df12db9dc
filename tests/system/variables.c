/* variables.c - variables DF_.. that df does not have are named once, with the nearest that it has, or as macros; those
 * of the reference are all known */
#define _DEFAULT_SOURCE /* fork, setenv */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

static int twice(void *unused)
{
    (void)unused;
    CHECK(work_right());
    df_stop();
    CHECK(work_right());
    return 0;
}
static void says(const char *name, const char *what)
{
    const char *env[] = { name, "1", NULL };
    struct child c = child_run(twice, NULL, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == (what != NULL) && (!what || (strstr(c.err, name) && strstr(c.err, what))));
}

int main(void)
{
    says("DF_WORKER", "DF_WORKERS?");
    says("DF_STAT", "DF_STATS?");
    says("DF_SCHEDUEL", "DF_SCHEDULE?");
    says("DF_GPU_SIMS", "DF_GPU_SIM?");
    says("DF_NOTHING_LIKE_IT", "environment.md");
    says("DF_X", "environment.md");
    says("DF_CHECK", "macro");
    says("DF_DEBUG", "-DDF_DEBUG=1");
    says("DF_WITHOUT_TRACE", "macro");
    says("DF_", NULL);
    says("DFI_WORKERS", NULL);
    says("MY_DF_WORKER", NULL);
    static char longer[300] = "DF_";
    memset(longer + 3, 'A', sizeof longer - 4);
    says(longer, NULL);
    says("DF_BELL\a", NULL); /* no name that a shell could set: it is not printed */

    FILE *f = fopen("docs/reference/environment.md", "r");
    static char name[60][40]; /* all of them before a child ends, which would move the place in the file */
    char line[300];
    int n = 0;
    for (; f && fgets(line, sizeof line, f);)
        for (char *p = strncmp(line, "### ", 4) ? NULL : strstr(line, "</a>DF_"); p && n < 60; p = strstr(p + 4, ", DF_"))
            sscanf(p + (*p == ',' ? 2 : 4), "%39[A-Z_]", name[n++]);
    CHECK(!f || n > 25); /* of an installation without the reference, nothing is known */
    if (f) fclose(f);
    for (int i = 0; i < n; i++) {
        const char *env[] = { name[i], "", NULL };
        struct child c = child_run(twice, NULL, env, 60);
        CHECK_CHILD(c, c.status == 0 && !strstr(c.err, "no such variable"));
    }
}
