/* cpuset.h - the CPUs of the workers: DF_CPUSET and df_config.cpuset, and the limits of control groups */
#ifndef DFI_MORE_CPUSET_H
#define DFI_MORE_CPUSET_H

#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../work/module.h"
#include "../work/pool.h"
#include "../work/settings.h"
#include "../work/types.h"
#include "topology.h"
#include "../api/config.h"

DFI_SMALL_CODE_BEGIN

/* pool lock, and helpers that start */
static struct {
    struct dfi_cpuset *list;         /* NULL: workers run on any CPU */
    struct dfi_os_affinity affinity; /* of the starting thread; df_stop restores it */
    int affinity_set;
} dfi_cpus;

/* Removes CPUs that this process may not use. origin: the variable or field that names them */
static void dfi_cpuset_allowed(struct dfi_cpuset *s, const char *origin)
{
    struct dfi_os_affinity a;
    int i, kept = 0, given = s->n;
    if (dfi_os_process_affinity(&a)) return;
    for (i = 0; i < s->n; i++)
        if (dfi_affinity_has(&a, s->cpu[i])) s->cpu[kept++] = s->cpu[i];
        else if (i - kept < 4) dfi_warn("%s names CPU %d, which this process may not use: no worker runs on it",
                                        origin, s->cpu[i]); /* up to four examples are logged */
    s->n = kept;
    if (given && !kept) dfi_warn("%s names no CPU that this process may use: it is ignored, and workers run on any CPU",
                                   origin);
}

static int dfi_cpuset_choose(const df_config *c)
{
    const char *list = c && c->cpuset ? c->cpuset : dfi_env("DF_CPUSET");
    const char *origin = c && c->cpuset ? "df_config.cpuset" : "DF_CPUSET";
    struct dfi_cpuset *s;
    int spread, cores;
    dfi_mfree(dfi_cpus.list);
    dfi_cpus.list = NULL;
    if (!list || !*list || !(s = (struct dfi_cpuset *)dfi_malloc(sizeof *s))) return 0;
    if (dfi_places_named(list, &spread, &cores)) {
        if (dfi_topology("", s, spread, cores))
            dfi_warn("%s=%s: df cannot read in /sys which CPUs share a core: workers use the CPUs in the order of "
                     "their numbers; name the CPUs", origin, list);
    } else if (dfi_parse_cpus(list, s) == 0) dfi_cpuset_allowed(s, origin);
    else {
        s->n = 0;
        dfi_warn(DFI_MESSAGE_BAD_ENV, origin, list,
                 "close, spread, or a list of CPUs such as 1,2,6,8 or 0-11,20-31",
                 "workers run on any CPU");
    }
    if (s->n) dfi_cpus.list = s;
    else dfi_mfree(s);
    return dfi_cpus.list ? s->n : 0;
}
#define dfi_up_cpus_chosen_by , dfi_cpuset_choose

static int dfi_cpus_most(void) { return dfi_cgroup_cpus(""); }
#define dfi_up_cpus_most_by , dfi_cpus_most

/* Binds the calling thread, which is worker w, to its CPU. */
static int dfi_cpuset_bind(const struct dfi_worker *w)
{
    const struct dfi_cpuset *s = dfi_cpus.list;
    struct dfi_os_affinity a;
    memset(&a, 0, sizeof a);
    dfi_affinity_add(&a, s->cpu[dfi_load_relaxed(&w->index) % s->n]);
    return dfi_os_set_affinity(&a);
}
static void dfi_cpuset_helper(struct dfi_worker *w)
{
    if (dfi_cpus.list) dfi_cpuset_bind(w);
}
#define dfi_up_helper_begins_by , dfi_cpuset_helper

static void dfi_module_cpuset(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_POOL_READY:
        dfi_cpus.affinity_set = dfi_cpus.list && !dfi_os_get_affinity(&dfi_cpus.affinity) && !dfi_cpuset_bind(m->w);
        break;
    case DFI_STOP_CALLED:
    case DFI_STOP_AT_EXIT:
        if (dfi_cpus.affinity_set) dfi_os_set_affinity(&dfi_cpus.affinity);
        dfi_cpus.affinity_set = 0;
        break;
    case DFI_POOL_FORGETS:
        dfi_mfree(dfi_cpus.list);
        dfi_cpus.list = NULL;
        break;
    case DFI_FORK_CHILD: dfi_cpus.affinity_set = 0; break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
