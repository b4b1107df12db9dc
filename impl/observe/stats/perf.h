/* perf.h - performance counters of DF_STATS_EVENTS, read for each body
 *
 * Linux counts for one thread at a time. The counters of a group run together and are read in one
 * call, in about a microsecond. A thread opens its group when it first runs a body, and reads it
 * where a body begins, waits, continues and ends: the counts since the last reading belong to the
 * body that was innermost until then (observe/probes.h). The sums of a body are events at its end,
 * and the report adds them up, so workers that still run when the process ends do no harm.
 *
 * Neither standard C nor the C library declares perf_event_open: it is called by its number, and its
 * record is declared here. */
#ifndef DFI_OBSERVE_STATS_PERF_H
#define DFI_OBSERVE_STATS_PERF_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/log.h"
#include "../../os/threads.h" /* dfi_sys_call, and SYS_perf_event_open where it exists */
#include "../../os/wait.h"
#include "../../work/types.h"
#include "../event.h"
#include "../events.h"

#include <errno.h>

DFI_SMALL_CODE_BEGIN

#if defined(SYS_perf_event_open)
#define DFI_PERF 1
#else
#define DFI_PERF 0
#endif

enum { DFI_PERF_HARDWARE = 0, DFI_PERF_SOFTWARE = 1 }; /* numbers of Linux, as those below */
struct dfi_perf_kind { const char *name; unsigned type, config; };
static const struct dfi_perf_kind dfi_perf_kind[] = {
    { "cycles", DFI_PERF_HARDWARE, 0 },           { "instructions", DFI_PERF_HARDWARE, 1 },
    { "cache-references", DFI_PERF_HARDWARE, 2 }, { "cache-misses", DFI_PERF_HARDWARE, 3 },
    { "branches", DFI_PERF_HARDWARE, 4 },         { "branch-misses", DFI_PERF_HARDWARE, 5 },
    { "page-faults", DFI_PERF_SOFTWARE, 2 },      { "context-switches", DFI_PERF_SOFTWARE, 3 },
    { "task-clock", DFI_PERF_SOFTWARE, 1 }
};
enum {
    /* indices in that list */
    DFI_PERF_CYCLES = 0, DFI_PERF_INSTRUCTIONS = 1, DFI_PERF_SWITCHES = 7, DFI_PERF_CLOCK = 8,
    DFI_PERF_KINDS = sizeof dfi_perf_kind / sizeof *dfi_perf_kind
};

/* The selected counters. Under the lock of the events; changes only while no worker runs. */
struct dfi_perf {
    DFI_ATOMIC(unsigned) run;    /* number of runs that counted; workers read it without the lock */
    int n;
    struct { int kind, user; } event[DFI_PERF_MOST]; /* user: only the program's own code, not the system */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_perf dfi_perf;
DFI_EXTERN_C_END

/* --- the system ------------------------------------------------------------------------------------ */

#if DFI_PERF
/* struct perf_event_attr in its first, shortest form. Two halves stand for its 64 flags: their order
 * in memory is that of the bits on either kind of machine. */
struct dfi_sys_perf {
    uint32_t type, size;
    uint64_t config, sample_period, sample_type, read_format;
    unsigned disabled : 1, inherit : 1, pinned : 1, exclusive : 1, not_user : 1, not_kernel : 1, not_hypervisor : 1,
        flags : 25;
    unsigned more_flags;
    uint32_t wakeup_events, bp_type;
    uint64_t bp_address;
};
/* a group: the number; time enabled, time counted; the counters */
enum { DFI_SYS_PERF_FORMAT = 1 | 2 | 8, DFI_SYS_PERF_CLOSE_ON_EXEC = 8 };

/* Opens a counter of the calling thread, in the group of that leader, or -1: as a leader. Returns
 * the descriptor, or less than 0: -errno. */
static int dfi_perf_counter(int kind, int user, int leader)
{
    struct dfi_sys_perf a;
    long fd;
    memset((void *)&a, 0, sizeof a);
    a.type = dfi_perf_kind[kind].type, a.config = dfi_perf_kind[kind].config;
    a.size = (uint32_t)sizeof a;
    a.read_format = DFI_SYS_PERF_FORMAT;
    a.not_kernel = a.not_hypervisor = user ? 1u : 0u;
    fd = dfi_sys_call(SYS_perf_event_open, &a, 0L, -1L, (long)leader, (long)DFI_SYS_PERF_CLOSE_ON_EXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int dfi_perf_read(const struct dfi_perf_group *g, uint64_t *now)
{
    uint64_t got[1 + DFI_PERF_NUMBERS];
    ssize_t bytes = (ssize_t)((3 + (size_t)g->n) * sizeof *got);
    if (read(g->fd[0], (void *)got, (size_t)bytes) != bytes) return -1;
    memcpy((void *)now, (void *)(got + 1), (2 + (size_t)g->n) * sizeof *now);
    return 0;
}

static const char *dfi_perf_why(int error, int others)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "not permitted: set /proc/sys/kernel/perf_event_paranoid to 2 or less (context-switches: 1 or less), "
               "and where a container forbids perf_event_open, allow it";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "this machine has no such counter, or does not show it to a virtual machine: leave it out";
    case ENOSYS: return "there is no perf_event_open here: leave DF_STATS_EVENTS out";
    case EINVAL:
        if (others) return "there are not counters enough for it beside the others: name fewer";
        break;
    default: break;
    }
    return strerror(error);
}
static void dfi_perf_shut(int fd) { close(fd); }
#else
static int dfi_perf_counter(int kind, int user, int leader) { (void)kind, (void)user, (void)leader; return -1; }
static int dfi_perf_read(const struct dfi_perf_group *g, uint64_t *now) { (void)g, (void)now; return -1; }
static const char *dfi_perf_why(int error, int others)
{
    (void)error, (void)others;
    return "only Linux has perf_event_open: leave DF_STATS_EVENTS out";
}
static void dfi_perf_shut(int fd) { (void)fd; }
#endif

/* --- the counters of a thread ---------------------------------------------------------------------- */

/* pre: the lock of the events */
static void dfi_perf_shut_all(struct dfi_perf_group *g)
{
    while (g->n) dfi_perf_shut(g->fd[--g->n]);
    g->run = 0;
}

/* Threads: the owner, or one that has joined its thread. */
static void dfi_perf_close(struct dfi_perf_group *g)
{
    if (!g->run) return;
    dfi_os_lock(&dfi_events_lock);
    dfi_perf_shut_all(g);
    dfi_os_unlock(&dfi_events_lock);
}

/* Opens a group for the calling thread: under the lock, so that the child of a fork knows which of
 * its counters are open. */
static DFI_COLD void dfi_perf_open(struct dfi_perf_group *g)
{
    int fd = 0;
    dfi_os_lock(&dfi_events_lock);
    dfi_perf_shut_all(g); /* those of an earlier run */
    g->run = dfi_load_relaxed(&dfi_perf.run);
    while (g->n < dfi_perf.n && (fd = dfi_perf_counter(dfi_perf.event[g->n].kind, dfi_perf.event[g->n].user,
                                                       g->n ? g->fd[0] : -1)) >= 0) g->fd[g->n++] = fd;
    if (fd < 0) {
        unsigned run = g->run;
        dfi_perf_shut_all(g);
        g->run = run; /* it does not try again */
    }
    dfi_os_unlock(&dfi_events_lock);
    if (fd < 0) dfi_warn_once("DF_STATS_EVENTS: the system refused the counters of a thread: %s: events in this "
                              "thread are not counted", dfi_perf_why(-fd, 0));
}

/* Adds the counts since the last reading to `to`; NULL: drops them. 0, or -1: this thread has no
 * counters. pre: DFI_WATCH_PERF */
static DFI_COLD int dfi_perf_turn(struct dfi_worker *w, uint64_t *to)
{
    struct dfi_perf_group *g = dfi_perf_of(w);
    uint64_t now[DFI_PERF_NUMBERS];
    int i, fresh = g->run != dfi_load_relaxed(&dfi_perf.run);
    if (DFI_UNLIKELY(fresh)) dfi_perf_open(g);
    if (!g->n || dfi_perf_read(g, now)) return -1;
    if (to && !fresh)
        for (i = 0; i < 2 + g->n; i++) to[i] += now[i] - g->last[i];
    memcpy((void *)g->last, (void *)now, (2 + (size_t)g->n) * sizeof *now);
    return 0;
}

/* --- the setting ----------------------------------------------------------------------------------- */

/* Parses a list of names. Returns the number of kinds, or -1: invalid, a duplicate name, or too many. */
static int dfi_perf_list(const char *list, int *kind)
{
    int n = 0, i, k;
    for (;;) {
        size_t length = strcspn(list, ",");
        for (k = 0; k < DFI_PERF_KINDS && (strncmp(dfi_perf_kind[k].name, list, length) ||
                                           dfi_perf_kind[k].name[length]);) k++;
        for (i = 0; i < n && kind[i] != k;) i++;
        if (k == DFI_PERF_KINDS || i < n || n == DFI_PERF_MOST) return -1;
        kind[n++] = k;
        if (!list[length]) return n;
        list += length + 1;
    }
}

/* Opens a counter of that kind for the calling thread. A hardware counter covers only the program's
 * own code, unless the processor cannot separate it; a system counter covers both, unless that is
 * not permitted. Context switches happen in the system. The error is that of the first attempt. */
static int dfi_perf_try(int kind, int leader, int *user)
{
    int hardware = dfi_perf_kind[kind].type == DFI_PERF_HARDWARE,
        fd = dfi_perf_counter(kind, *user = hardware, leader), again;
    if (fd >= 0 || kind == DFI_PERF_SWITCHES) return fd;
    again = dfi_perf_counter(kind, *user = !hardware, leader);
    return again >= 0 ? again : fd;
}

/* Reports kinds that failed with the same error in one message. */
static void dfi_perf_tell(const int *kind, int *error, int n, int others)
{
    char names[DFI_PERF_MOST * 20];
    int i, k;
    for (i = 0; i < n; i++) {
        int same = error[i];
        if (!same) continue;
        names[0] = 0;
        for (k = i; k < n; k++) {
            if (error[k] != same) continue;
            if (*names) strcat(names, ", ");
            strcat(names, dfi_perf_kind[kind[k]].name);
            error[k] = 0;
        }
        dfi_warn("DF_STATS_EVENTS: df does not count %s: %s", names, dfi_perf_why(-same, others));
    }
}

/* df starts, with statistics. pre: pool lock; no worker runs */
static void dfi_perf_begin(void)
{
    struct dfi_perf *p = &dfi_perf;
    const char *list = dfi_env("DF_STATS_EVENTS");
    struct dfi_perf_group g; /* to see which counters exist */
    int kind[DFI_PERF_MOST], error[DFI_PERF_MOST], n, i;
    memset((void *)&g, 0, sizeof g);
    dfi_os_lock(&dfi_events_lock);
    p->n = 0;
    dfi_os_unlock(&dfi_events_lock);
    if (!list || !*list) return;
    if ((n = dfi_perf_list(list, kind)) < 0) {
        dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_STATS_EVENTS", list,
                 "a list, with commas, of up to 4 of cycles, instructions, cache-references, cache-misses, branches, "
                 "branch-misses, page-faults, context-switches and task-clock", "no events are counted");
        return;
    }
    dfi_os_lock(&dfi_events_lock);
    for (i = 0; i < n; i++) {
        int user, fd = dfi_perf_try(kind[i], g.n ? g.fd[0] : -1, &user);
        error[i] = fd < 0 ? fd : 0;
        if (fd < 0) continue;
        p->event[p->n].kind = kind[i], p->event[p->n++].user = user;
        g.fd[g.n++] = fd;
    }
    dfi_perf_shut_all(&g);
    n = p->n;
    dfi_store_relaxed(&p->run, dfi_load_relaxed(&p->run) + 1 ? dfi_load_relaxed(&p->run) + 1 : 1u);
    dfi_os_unlock(&dfi_events_lock);
    dfi_perf_tell(kind, error, i, n > 0);
    if (n) dfi_watch(DFI_WATCH_PERF, 1);
}

DFI_SMALL_CODE_END

#endif
