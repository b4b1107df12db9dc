/* cpuset.c - DF_CPUSET and df_config.cpuset: which lists are lists, how many workers, and where they run */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

static void expect(const char *text, const char *cpus)
{
    static struct dfi_cpuset s;
    char got[64] = "";
    if (dfi_parse_cpus(text, &s)) strcpy(got, "no");
    else
        for (int i = 0; i < s.n; i++) sprintf(got + strlen(got), "%d ", s.cpu[i]);
    if (strcmp(got, cpus)) fprintf(stderr, "'%s' gives '%s'\n", text, got);
    CHECK(!strcmp(got, cpus));
}

/* Every worker says once where it may run. */
enum { MOST = 8 };
static cpu_set_t where[MOST];
static int seen;

DF_TASK(void, look, (int, i));
void look(int i)
{
    int w = df_worker(), bit = 1 << w;
    cpu_set_t set;
    CHECK(w < MOST && i >= 0);
    CHECK(!sched_getaffinity(0, sizeof set, &set));
    if (!(__atomic_load_n(&seen, __ATOMIC_SEQ_CST) & bit)) where[w] = set;
    CHECK(CPU_EQUAL(&where[w], &set));
    __atomic_fetch_or(&seen, bit, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&seen, __ATOMIC_SEQ_CST) != (1 << df_workers()) - 1) usleep(100); /* until all came */
}

static int has(const cpu_set_t *set, int c) { return CPU_ISSET((size_t)c, set) != 0; }
static int cpu[2], n_cpus; /* two that this process may use, or one */

struct want { int workers, pinned; };

static int check_workers(void *p)
{
    const struct want *want = p;
    cpu_set_t before, after;
    CHECK(!sched_getaffinity(0, sizeof before, &before));
    CHECK(df_workers() == want->workers);
    DF_PARALLEL {
        for (int i = 0; i < want->workers; i++) df_submit(look, i);
    }
    for (int w = 0; w < want->workers; w++) {
        if (want->pinned) CHECK(CPU_COUNT(&where[w]) == 1 && has(&where[w], cpu[w % want->pinned]));
        else CHECK(CPU_EQUAL(&where[w], &before));
    }
    CHECK(work_right());
    df_stop(); /* gives the caller its CPUs back */
    CHECK(!sched_getaffinity(0, sizeof after, &after));
    CHECK(CPU_EQUAL(&before, &after));
    return 0;
}

static void with(const char *list, const char *workers, int expect_workers, int pinned, int lines)
{
    const char *env[] = { "DF_CPUSET", list, "DF_WORKERS", workers, NULL };
    struct want want = { expect_workers, pinned };
    struct child c = child_run(check_workers, &want, env, 60);
    if (c.lines != lines) fprintf(stderr, "DF_CPUSET='%s' DF_WORKERS='%s'\n", list, workers);
    CHECK_CHILD(c, c.status == 0 && c.lines == lines);
    if (lines) CHECK_CHILD(c, strstr(c.err, "DF_CPUSET"));
}

/* Messages name the field, if it is the field that is wrong. */
static int start_with(void *list)
{
    df_config c = { .cpuset = (const char *)list };
    CHECK(df_start(&c) == DF_OK && df_workers() > 0);
    df_stop();
    return 0;
}
static void field(const char *list, const char *message)
{
    const char *env[] = { "DF_CPUSET", "0", NULL };
    char copy[20];
    struct child c = child_run(start_with, strcpy(copy, list), env, 60);
    CHECK_CHILD(c, c.status == 0 && strstr(c.err, message) && !strstr(c.err, "DF_CPUSET"));
}

int main(void)
{
    field("x", "df_config.cpuset='x' is not close, spread, or a list of CPUs");
    field("4095", "df_config.cpuset names CPU 4095, which this process may not use: no worker runs on it");
    field("4095", "df_config.cpuset names no CPU that this process may use");
    cpu_set_t set;
    char list[100];

    expect("0", "0 ");
    expect("1,2,6,8", "1 2 6 8 ");
    expect("0-3", "0 1 2 3 ");
    expect("0-1,20-22", "0 1 20 21 22 ");
    expect("5-5", "5 ");
    expect("3,1", "3 1 ");
    expect("007", "7 ");
    expect("4095", "4095 ");
    expect("4096", "no");
    expect("", "no");
    expect(",", "no");
    expect("1,", "no");
    expect("1-", "no");
    expect("-1", "no");
    expect("2-1", "no");
    expect("1--2", "no");
    expect("1-2-3", "no");
    expect("1 2", "no");
    expect("1,a", "no");
    expect("123456789012345678901234567890", "no");
    expect("1-99999999999999999999", "no");

    CHECK(!sched_getaffinity(0, sizeof set, &set));
    for (int i = 0; i < CPU_SETSIZE && n_cpus < 2; i++)
        if (has(&set, i)) cpu[n_cpus++] = i;
    if (n_cpus < 2) {
        fprintf(stdout, "skipped: one CPU only\n");
        return 0;
    }
    sprintf(list, "%d", cpu[0]);
    with(list, "", 1, 1, 0);
    with(list, "3", 3, 1, 0);
    sprintf(list, "%d,%d", cpu[0], cpu[1]);
    with(list, "", 2, 2, 0);
    with(list, "5", 5, 2, 0);
    with(list, "1", 1, 2, 0);
    sprintf(list, "%d-%d,%d", cpu[0], cpu[0], cpu[1]);
    with(list, "", 2, 2, 0);
    sprintf(list, "%d,4000", cpu[0]); /* a CPU that is not there: said, left out */
    with(list, "", 1, 1, 1);
    with("4000", "2", 2, 0, 2);
    with("", "2", 2, 0, 0);
    with("x", "2", 2, 0, 1);
}
