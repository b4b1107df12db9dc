/* waits.h - what threads wait for, kept for who asks why nothing goes on (observe/stall/report.h)
 *
 * Only while DFI_WATCH_STALL is among those who look on. A wait is a record on the stack of its thread, in a list whose newest is on
 * top; so are the bodies that run (observe/probes.h). Both lists of a worker are changed and read under its `watch_lock`, so what is read
 * there, and what the thread cannot leave before it takes its record away, stays. Argument: docs/memory-order.md, "Stalls". */
#ifndef DFI_OBSERVE_STALL_WAITS_H
#define DFI_OBSERVE_STALL_WAITS_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../os/wait.h"
#include "../../work/types.h"
#include "../events.h"

enum dfi_waits_kind {
    DFI_WAITS_IDLE,      /* for anything to do */
    DFI_WAITS_MEMBER,    /* takes part in a loop or pipe: does not wait */
    DFI_WAITS_SCOPE,     /* on: a scope of its own */
    DFI_WAITS_ROOM,      /* the same: until fewer of its tasks are unfinished */
    DFI_WAITS_TASK,      /* df_wait_on; on: df's own task that comes after those waited for */
    DFI_WAITS_FUTURE,
    DFI_WAITS_TOKEN,
    DFI_WAITS_TEAM,      /* until the others that take part in a loop or pipe have left it */
    DFI_WAITS_GUESS,
    DFI_WAITS_LOCK,      /* on: a df_mutex */
    DFI_WAITS_OUTSIDE    /* on: text, for what outside of df */
};
struct dfi_waits {
    struct dfi_waits *outer;
    const struct dfi_running *in; /* the body that waits, or NULL */
    enum dfi_waits_kind kind;
    const void *on;
    const char *site;             /* or NULL */
    uint64_t since;               /* dfi_ticks */
};

static void dfi_stall_end(void);

/* Who holds a lock: something only this thread has. */
static void *dfi_thread_id(void) { return (void *)&dfi_self; }

static int dfi_stall_on(void) { return DFI_UNLIKELY(dfi_load_relaxed(&dfi_watching) & DFI_WATCH_STALL) != 0; }

/* Around each change of a list. pre: dfi_stall_on(); the caller is the owner of w. */
static void dfi_stall_change(struct dfi_worker *w)
{
    dfi_os_lock(&w->watch_lock);
    w->thread_id = dfi_thread_id();
    dfi_store_relaxed(&w->n_changes, dfi_load_relaxed(&w->n_changes) + 1);
}

static DFI_COLD void dfi_waits_push(struct dfi_worker *w, struct dfi_waits *r, enum dfi_waits_kind kind, const void *on, const char *site)
{
    r->in = dfi_load_relaxed(&w->running);
    r->kind = kind, r->on = on, r->site = site;
    r->since = dfi_ticks();
    dfi_stall_change(w);
    r->outer = w->waits, w->waits = r;
    dfi_os_unlock(&w->watch_lock);
}
static DFI_COLD void dfi_waits_pop(struct dfi_worker *w, struct dfi_waits *r)
{
    dfi_stall_change(w);
    w->waits = r->outer;
    dfi_os_unlock(&w->watch_lock);
}

/* Around a wait of w. r->since tells the end whether there was a beginning: watching may end with the process. */
DFI_INLINE void dfi_waits_begin(struct dfi_worker *w, struct dfi_waits *r, enum dfi_waits_kind kind, const void *on, const char *site)
{
    r->since = 0;
    if (dfi_stall_on()) dfi_waits_push(w, r, kind, on, site);
}
DFI_INLINE void dfi_waits_end(struct dfi_worker *w, struct dfi_waits *r)
{
    if (DFI_UNLIKELY(r->since != 0)) dfi_waits_pop(w, r);
}

/* The next wait of w for a scope was asked for there. */
static void dfi_waits_site(struct dfi_worker *w, const char *site)
{
    if (dfi_stall_on()) w->wait_site = site;
}
static const char *dfi_waits_take_site(struct dfi_worker *w)
{
    const char *site = w->wait_site;
    w->wait_site = NULL;
    return site;
}

#endif
