/* file_names.c - %p, %r and %% in the names of files that df writes: each process of a program that starts several, and
 * each child of a fork, writes a file of its own */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "contents.h"
#include "work.h"
#include "../gpu/scratch.h"

static char folder[SCRATCH];
struct kind { const char *variable, *before, *ending; };
static const struct kind kind[] = { { "DF_TRACE", "", "json" }, { "DF_TRACE", "", "html" }, { "DF_GRAPH", "", "txt" },
                                    { "DF_STATS", "", "txt" }, { "DF_SCHEDULE", "record:", "rec" },
                                    { "DF_PROGRESS", "", "txt" } };

static const char *name_of(const struct kind *k, long process, const char *rank)
{
    static char name[SCRATCH + 60];
    snprintf(name, sizeof name, "%s/a%ld.%s%%x.%s", folder, process, rank, k->ending);
    return name;
}
static size_t bytes(const char *name) { return access(name, R_OK) ? 0 : strlen(contents(name)); }

static void work(const struct kind *k, const char *rank)
{
    CHECK(work_right());
    df_stop();
    CHECK(bytes(name_of(k, (long)getpid(), rank)) > 0);
}
static int works(void *of)
{
    const struct kind *k = (const struct kind *)of;
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : "0";
    size_t before;
    pid_t child;
    int status;
    work(k, rank);
    work(k, rank); /* a second start: the same file */
    before = bytes(name_of(k, (long)getpid(), rank));
    if ((child = fork()) == 0) {
        work(k, rank);
        _exit(9);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
    CHECK(bytes(name_of(k, (long)getpid(), rank)) == before);
    return 7;
}

int main(void)
{
    CHECK(mkdtemp(scratch(folder, "df_names")));
    for (unsigned i = 0; i < sizeof kind / sizeof *kind; i++)
        for (int alone = 0; alone < 2; alone++) {
            char value[2 * SCRATCH];
            const char *env[] = { "DF_WORKERS", "2", kind[i].variable, value, alone ? NULL : "PMI_RANK", "12", NULL };
            struct child c;
            snprintf(value, sizeof value, "%s%s/a%%p.%%r%%%%x.%s", kind[i].before, folder, kind[i].ending);
            c = child_run(works, (void *)(uintptr_t)&kind[i], env, 60);
            CHECK_CHILD(c, c.status == 7 && c.lines == 0);
        }
    snprintf(text, sizeof text, "rm -r %s", folder);
    CHECK(!system(text));
    return 0;
}
