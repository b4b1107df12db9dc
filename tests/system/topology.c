/* topology.c - DF_CPUSET=close and spread, with and without ":cores": the order of the CPUs, read from made-up /sys
 * trees, and workers that are pinned in that order on this machine */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "made_up.h"

/* Writes root/sys/devices/system/path. */
static void file(const char *path, const char *text) { made_up("/sys/devices/system/", path, text); }

static void siblings(int cpu, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "cpu/cpu%d/topology/thread_siblings_list", cpu);
    file(path, text);
}

/* The order of the CPUs that the process may use; "no": unknown, and then the list is as it was. */
static void expect(const char *usable, const char *how, const char *cpus)
{
    static struct dfi_cpuset s, before;
    char got[200] = "";
    int spread, cores;
    CHECK(!dfi_parse_cpus(usable, &s) && dfi_places_named(how, &spread, &cores));
    before = s;
    if (dfi_topology_order(root, &s, spread, cores)) {
        strcpy(got, "no");
        CHECK(s.n == before.n && !memcmp(s.cpu, before.cpu, sizeof s.cpu));
    } else
        for (int i = 0; i < s.n; i++) sprintf(got + strlen(got), "%s%d", i ? " " : "", s.cpu[i]);
    if (strcmp(got, cpus)) fprintf(stderr, "%s %s: '%s', not '%s'\n", usable, how, got, cpus);
    CHECK(!strcmp(got, cpus));
}

static void trees(void)
{
    char text[20];
    clear();
    expect("0-3", "close", "no"); /* no /sys */

    /* two nodes with two cores of two hyper-threads; the second hyper-threads have the last numbers */
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof text, "%d,%d\n", i % 4, i % 4 + 4);
        siblings(i, text);
    }
    expect("0-7", "spread", "0 1 2 3 4 5 6 7"); /* no nodes known: one */
    file("node/node0/cpulist", "0-1,4-5\n");
    file("node/node2/cpulist", "2-3,6-7\n");
    file("node/node3/cpulist", "\n"); /* memory only */
    expect("0-7", "close", "0 1 2 3 4 5 6 7");
    expect("0-7", "spread", "0 2 1 3 4 6 5 7");
    expect("0-7", "close:cores", "0 1 2 3");
    expect("0-7", "spread:cores", "0 2 1 3");
    expect("1,3,5-7", "close", "1 6 3 5 7"); /* some of them; 6 is the only usable one of its core */
    expect("1,3,5-7", "spread", "1 6 3 5 7");
    expect("1,3,5-7", "close:cores", "1 6 3");
    expect("5", "spread:cores", "5");

    /* neighbouring numbers; the second node has more cores */
    clear();
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "%d-%d\n", i / 2 * 2, i / 2 * 2 + 1);
        siblings(i, text);
    }
    file("node/node0/cpulist", "0-3\n");
    file("node/node1/cpulist", "4-9\n");
    expect("0-9", "close", "0 2 4 6 8 1 3 5 7 9");
    expect("0-9", "spread", "0 4 2 6 8 1 5 3 7 9");
    expect("0-9", "spread:cores", "0 4 2 6 8");
    expect("2-7", "close:cores", "2 4 6");
    siblings(3, "nonsense\n");
    expect("0-9", "close", "no");
    expect("0-2", "close", "0 2 1"); /* it is not asked for */
    siblings(3, "");
    expect("0-9", "spread", "no");

    /* no hyper-threads, one node whose numbers are backwards */
    clear();
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%d", i);
        siblings(i, text);
        snprintf(text, sizeof text, "node/node%d/cpulist", 3 - i);
        file(text, i == 0 ? "0" : i == 1 ? "1" : i == 2 ? "2" : "3");
    }
    expect("0-3", "close", "3 2 1 0");
    expect("0-3", "spread:cores", "3 2 1 0");
    clear();
    CHECK(!rmdir(root));
}

static void words(void)
{
    static const char *const wrong[] = { "", "clos", "closer", "spread:", "close:core", "close:coresx", ":cores" };
    int spread, cores;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!dfi_places_named(wrong[i], &spread, &cores));
    CHECK(dfi_places_named("spread", &spread, &cores) && spread && !cores);
    CHECK(dfi_places_named("close:cores", &spread, &cores) && !spread && cores);
}

/* --- this machine ------------------------------------------------------------------------------------------------- */

static struct dfi_cpuset here;
DF_TASK(void, look, (int, k));
void look(int k)
{
    cpu_set_t set;
    CHECK(df_worker() == k && !sched_getaffinity(0, sizeof set, &set));
    CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)here.cpu[k % here.n], &set));
}
static int pinned(void *how)
{
    int spread, cores;
    CHECK(dfi_places_named((const char *)how, &spread, &cores));
    int known = !dfi_topology("", &here, spread, cores), n = here.n;
    CHECK(n > 0 && df_workers() == (n < DFI_WORKERS_MOST ? n : (int)DFI_WORKERS_MOST));
    CHECK(df_workers_set(5) == 5); /* further workers are pinned, too */
    for (int k = 0; k < 5; k++) df_submit_with(DF_OPTS(.worker = k ? k : DF_MAIN_THREAD), look, k);
    df_wait();
    return known ? 0 : 3;
}
static void machine(const char *how)
{
    const char *env[] = { "DF_CPUSET", how, NULL };
    struct child c = child_run(pinned, (void *)(intptr_t)how, env, 60);
    CHECK_CHILD(c, (!c.status && !c.lines) || (c.status == 3 && c.lines == 1 && strstr(c.err, "cannot read in /sys")));
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/df_topology_%ld", tmp ? tmp : "/tmp", (long)getpid());
    trees();
    words();
    machine("close");
    machine("spread");
    machine("close:cores");
    machine("spread:cores");
    return 0;
}
