/* life.h - the look for stalls, and its begin and end
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
#include "../events.h"
#include "../reporter.h"
#include "../watching.h"
#include "report.h"

DFI_SMALL_CODE_BEGIN

/* the longest time between two looks; their number within the time of a stall */
enum { DFI_STALL_STEP_MS = 200, DFI_STALL_LOOKS = 8 };

static int dfi_stall_step(void)
{
    double step = dfi_stall.seconds * 1000 / (double)DFI_STALL_LOOKS;
    return step < (double)DFI_STALL_STEP_MS ? (int)step + 1 : (int)DFI_STALL_STEP_MS;
}

static void dfi_stall_look(int asked)
{
    size_t now = dfi_stall_stamp();
    (void)asked;
    if (now != dfi_stall.stamp) dfi_stall.stamp = now, dfi_stall.quiet = 0;
    else if (dfi_stall.quiet >= dfi_stall.seconds) dfi_stall_once(now, dfi_stall.quiet);
    dfi_stall.quiet += dfi_stall_step() / 1000.0; /* clocks may jump */
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
    dfi_stall.stamp = 0, dfi_stall.quiet = 0;
    if (dfi_reporter_begin(dfi_observer_stall, dfi_stall_step(), dfi_stall_look))
        dfi_warn("DF_STALL: the system refused a thread: stalls are not reported; raise the limit on threads");
}

/* Not only under the pool lock: also at the end of a process in which workers still run. */
static void dfi_stall_end(void)
{
    dfi_watch(dfi_observer_stall, 0);
    dfi_reporter_end(dfi_observer_stall);
}

/* The child of a fork has no such thread; it gets one when df starts there. */
static void dfi_stall_forked(void)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_watch(dfi_observer_stall, 0);
    dfi_stall_lock = fresh;
}

DFI_SMALL_CODE_END

#endif
