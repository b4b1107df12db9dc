/* topology.h - lists of CPUs, and orders of the CPUs by the cores and NUMA nodes that Linux names in /sys
 *
 * /sys/devices/system/cpu/cpuN/topology/thread_siblings_list are the CPUs of the core of N,
 * /sys/devices/system/node/nodeN/cpulist those of a NUMA node. hwloc reads the same files on Linux. */
#ifndef DFI_MORE_TOPOLOGY_H
#define DFI_MORE_TOPOLOGY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/os.h"

DFI_SMALL_CODE_BEGIN

/* A list of CPUs in the order of the workers. */
struct dfi_cpuset { int n; int cpu[DFI_MAX_CPUS]; };

/* Parses "1,2,6,8" or "0-11,20-31" into s. -1: malformed. */
static int dfi_parse_cpus(const char *text, struct dfi_cpuset *s)
{
    const char *p = text;
    s->n = 0;
    for (;;) {
        long from = 0, to, *at = &from;
        int digits = 0;
        for (to = -1;; p++) {
            if (*p >= '0' && *p <= '9' && *at < DFI_MAX_CPUS) *at = 10 * *at + (*p - '0'), digits++;
            else if (*p == '-' && at == &from && digits) to = 0, at = &to, digits = 0;
            else break;
        }
        if (!digits) return -1;
        if (to < 0) to = from;
        if (from >= DFI_MAX_CPUS || to >= DFI_MAX_CPUS || to < from) return -1;
        for (; from <= to; from++)
            if (s->n < DFI_MAX_CPUS) s->cpu[s->n++] = (int)from;
        if (!*p) return 0;
        if (*p++ != ',') return -1;
    }
}

/* A CPU that this process may use. */
struct dfi_cpu {
    int cpu;
    int node;     /* its NUMA node, or 0 */
    int core;     /* the smallest CPU of its core */
    int thread;   /* usable CPUs of that core before it: 0 is the first hyper-thread */
    int position; /* spread: cores of the node before its core */
};

/* Reads a list of CPUs from a file of a directory of /sys. root: precedes /sys. -1: there is none. */
static int dfi_topology_read(const char *root, const char *dir, int n, const char *file, struct dfi_cpuset *s)
{
    char path[300], line[4096];
    snprintf(path, sizeof path, "%s/sys/devices/system/%s%d/%s", root, dir, n, file);
    return dfi_os_first_line(path, line, sizeof line) || dfi_parse_cpus(line, s) ? -1 : 0;
}

static int dfi_cpu_before(const void *p, const void *q) /* for qsort */
{
    const struct dfi_cpu *a = (const struct dfi_cpu *)p, *b = (const struct dfi_cpu *)q;
    if (a->thread != b->thread) return a->thread - b->thread;
    if (a->position != b->position) return a->position - b->position;
    return a->node != b->node ? a->node - b->node : a->core != b->core ? a->core - b->core : a->cpu - b->cpu;
}

enum { DFI_NODES = 1024 }; /* the most NUMA nodes of Linux (CONFIG_NODES_SHIFT 10) */

/* Completes the n CPUs of c. -1: a core is not known. list: for lists that are read */
static int dfi_topology_fill(const char *root, struct dfi_cpu *c, int n, struct dfi_cpuset *list)
{
    int i, k, node, left = n;
    for (i = 0; i < n; i++) {
        if (dfi_topology_read(root, "cpu/cpu", c[i].cpu, "topology/thread_siblings_list", list) || !list->n) return -1;
        c[i].core = c[i].cpu;
        for (k = 0; k < list->n; k++)
            if (list->cpu[k] < c[i].core) c[i].core = list->cpu[k];
        for (k = 0; k < i; k++) c[i].thread += c[k].core == c[i].core;
    }
    for (node = 0; node < DFI_NODES && left; node++) /* numbers may be missing */
        if (!dfi_topology_read(root, "node/node", node, "cpulist", list))
            for (i = 0; i < n; i++)
                for (k = 0; k < list->n; k++)
                    if (list->cpu[k] == c[i].cpu) c[i].node = node, left--;
    return 0;
}

/* Stores the CPUs of s in the order in which workers use them: one hyper-thread of each core first; node after node, or
 * if they spread, from each node in turn. cores: no other hyper-threads. pre: the CPUs of s ascend. -1: s is unchanged,
 * because the cores are not known */
static int dfi_topology_order(const char *root, struct dfi_cpuset *s, int spread, int cores)
{
    size_t bytes = (size_t)s->n * sizeof(struct dfi_cpu);
    struct dfi_cpuset *list = (struct dfi_cpuset *)dfi_malloc(sizeof *list);
    struct dfi_cpu *c = (struct dfi_cpu *)dfi_malloc(bytes + 1);
    int i, k, n = s->n, r = -1;
    if (c && list) {
        memset(c, 0, bytes);
        for (i = 0; i < n; i++) c[i].cpu = s->cpu[i];
        r = dfi_topology_fill(root, c, n, list);
        for (i = 0; i < n && spread; i++)
            for (k = 0; k < n; k++)
                c[i].position += !c[k].thread && c[k].node == c[i].node && c[k].core < c[i].core;
        qsort(c, (size_t)n, sizeof *c, dfi_cpu_before);
        for (i = 0; i < n && !r; i++)
            if (!cores || !c[i].thread) s->cpu[i] = c[i].cpu;
            else s->n = i, n = i; /* the others are behind it */
    }
    dfi_mfree(c);
    dfi_mfree(list);
    return r;
}

/* The same for all CPUs that this process may use. */
static int dfi_topology(const char *root, struct dfi_cpuset *s, int spread, int cores)
{
    struct dfi_os_affinity a;
    int i;
    s->n = 0;
    if (dfi_os_process_affinity(&a)) return -1;
    for (i = 0; i < DFI_MAX_CPUS; i++)
        if (dfi_affinity_has(&a, i)) s->cpu[s->n++] = i;
    return dfi_topology_order(root, s, spread, cores);
}

/* Is the text close or spread, possibly with ":cores" behind it? */
static int dfi_places_named(const char *text, int *spread, int *cores)
{
    size_t word = strcspn(text, ":");
    *spread = word == 6 && !memcmp(text, "spread", 6);
    *cores = !strcmp(text + word, ":cores");
    return (*spread || (word == 5 && !memcmp(text, "close", 5))) && (*cores || !text[word]);
}

DFI_SMALL_CODE_END

#endif
