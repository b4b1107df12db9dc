/* life.h - the thread that looks for stalls, and its begin and end
 *
 * It adds up the number of events periodically. If the sum stays the same for df_config.stall seconds, and a thread
 * waits, it writes one report (stall/report.h). */
#ifndef DFI_OBSERVE_STALL_LIFE_H
#define DFI_OBSERVE_STALL_LIFE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/log.h"
#include "../../os/os.h"
#include "../../os/clock.h"
#include "../../os/threads.h"
#include "../../os/wait.h"
#include "../events.h"
#include "../watching.h"
#include "report.h"

DFI_SMALL_CODE_BEGIN

/* the longest time between two looks; their number within the time of a stall */
enum { DFI_STALL_STEP_MS = 200, DFI_STALL_LOOKS = 8 };
static DFI_TLS int dfi_stall_is_me; /* this thread looks for stalls */

static void *dfi_stall_watch(void *p)
{
    size_t stamp = 0;
    double quiet = 0;
    double step = dfi_stall.seconds * 1000 / (double)DFI_STALL_LOOKS;
    int ms = step < (double)DFI_STALL_STEP_MS ? (int)step + 1 : (int)DFI_STALL_STEP_MS;
    dfi_stall_is_me = 1;
    for (; dfi_os_event_wait(&dfi_stall.wake, &dfi_stall.stop, 0, ms); quiet += ms / 1000.0) { /* clocks may jump */
        size_t now = dfi_stall_stamp();
        if (now != stamp) stamp = now, quiet = 0;
        else if (quiet >= dfi_stall.seconds) dfi_stall_once(stamp, quiet);
    }
    return p;
}

/* --- points ------------------------------------------------------------------------------------- */

/* Stores the source line of df_submit in t (DF_DEBUG), for stall reports. */
static DFI_COLD void dfi_stall_submit(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x;
    if (dfi_call_site == dfi_no_site || t->type->modes & DFI_INTERNAL) return;
    if ((x = dfi_extra_of(w, t)) != NULL && !x->site) {
        x->site = dfi_call_site;
        if (!x->name) x->name = t->type->name;
    }
    dfi_call_site = dfi_no_site;
}

static DFI_COLD void dfi_stall_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    struct dfi_wait *x = (struct dfi_wait *)(uintptr_t)on;
    (void)other;
    switch (p) {
    case DFI_AT_SUBMIT: dfi_stall_submit(w, (struct dfi_flow *)(uintptr_t)on); break;
    case DFI_AT_SITE: dfi_chains_of(w)->site = (const char *)on; break;
    case DFI_AT_WAIT:
        if (x->kind == DFI_WAIT_QUIET) break;
        if (x->kind == DFI_WAIT_SCOPE || x->kind == DFI_WAIT_ROOM || x->kind == DFI_WAIT_FUTURE)
            x->site = dfi_chains_of(w)->site, dfi_chains_of(w)->site = NULL;
        dfi_stall_wait_begin(w, x);
        break;
    case DFI_AT_WAITED:
        if (x->since) dfi_stall_wait_end(w, x); /* may end the process */
        break;
    case DFI_AT_STUCK: dfi_stall_now((int)a); break;
    default: break; /* the chain has the bodies */
    }
}

/* --- begin and end; pre: pool lock ------------------------------------------------------------ */

enum {
    DFI_STALL_DEFAULT = DF_CHECK ? 2 : 0, /* seconds; 0: no stall reports */
    DFI_STALL_MOST = 1000000              /* limit of the environment variable */
};

/* Parses seconds, such as 2 or 0.25, independent of the locale, unlike strtod. -1: malformed or too large. */
static double dfi_parse_seconds(const char *text)
{
    double v = 0, unit = 1, most = (double)DFI_STALL_MOST;
    const char *p = text;
    int digits = 0;
    for (; *p >= '0' && *p <= '9' && v <= most; p++, digits++) v = 10 * v + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, digits++) v += (*p - '0') * (unit /= 10);
    return digits && !*p && v <= most ? v : -1;
}

static double dfi_env_stall(void)
{
    const char *text = dfi_env("DF_STALL");
    double v;
    if (!text || !*text) return (double)DFI_STALL_DEFAULT;
    if ((v = dfi_parse_seconds(text)) >= 0) return v;
    dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_STALL", text, "a number of seconds such as 2 or 0.5, or 0",
             "the default is used");
    return (double)DFI_STALL_DEFAULT;
}

/* Before anything runs: waits are recorded from now on. seconds 0: no. */
static void dfi_stall_begin(double seconds)
{
    if (seconds <= 0) return;
    dfi_stall.seconds = seconds;
    dfi_stall.ns = dfi_os_ns(), dfi_stall.ticks = dfi_ticks();
    dfi_watch(dfi_observer_stall,
              DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(WAIT) | DFI_BIT(SITE) | DFI_BIT(STUCK));
}

static void dfi_stall_start(void)
{
    if (!dfi_stall_on()) return;
    dfi_store_relaxed(&dfi_stall.stop, 0);
    dfi_stall.threaded = !dfi_os_event_init(&dfi_stall.wake) &&
        !dfi_os_thread_start(&dfi_stall.thread, dfi_stall_watch, NULL, 0);
    if (dfi_stall.threaded) dfi_fetch_add_seq_cst(&dfi_pool.reporters, 1);
    else
        dfi_warn("DF_STALL: the system refused a thread: stalls are not reported; raise the limit on threads");
}

/* Not only under the pool lock: also at the end of a process in which workers still run. */
static void dfi_stall_end(void)
{
    dfi_watch(dfi_observer_stall, 0);
    if (!dfi_stall.threaded || dfi_stall_is_me) return; /* the logger ends the process */
    dfi_fetch_sub_seq_cst(&dfi_pool.reporters, 1);
    dfi_store_seq_cst(&dfi_stall.stop, 1);
    dfi_os_event_wake(&dfi_stall.wake);
    dfi_os_thread_join(&dfi_stall.thread);
    dfi_os_event_free(&dfi_stall.wake);
    dfi_stall.threaded = 0;
}

/* The child of a fork has no such thread; it gets one when df starts there. */
static void dfi_stall_forked(void)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_watch(dfi_observer_stall, 0);
    dfi_stall_lock = fresh;
    dfi_stall.threaded = 0;
}

DFI_SMALL_CODE_END

#endif
