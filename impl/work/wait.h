/* wait.h - entry and exit of each wait of a worker
 *
 * Each wait, however implemented, is between dfi_wait_enter and dfi_wait_leave. They suspend the enclosing atomic
 * block, because code that runs meanwhile is not part of it; inform observers; let other code have its turn
 * (DF_CHECK); and count the wait as a level of nesting. */
#ifndef DFI_WORK_WAIT_H
#define DFI_WORK_WAIT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "types.h"
#include "../observe/check/check.h"
#include "../observe/events.h"
#include "../observe/probes.h"
#include "../observe/schedule/chaos.h"
#include "../observe/stall/waits.h"
#include "../api/hooks.h"

/* Changes the nesting depth of w in blocks, bodies and waits: 0 is outside df (more/deadlock.h). */
static void dfi_level(struct dfi_worker *w, int by) { dfi_store_relaxed(&w->level, dfi_load_relaxed(&w->level) + by); }

/* Sets the source line of the next wait of w for a scope or future. */
static void dfi_wait_site(struct dfi_worker *w, const char *site)
{
    if (dfi_stall_on()) w->wait_site = site;
}

/* Is x a wait for a scope without unfinished children? */
static DFI_COLD int dfi_wait_for_none(const struct dfi_wait *x)
{
    const struct dfi_scope *s = (const struct dfi_scope *)x->on;
    return (x->kind == DFI_WAIT_SCOPE || x->kind == DFI_WAIT_ROOM) && s->open && s->submitted == s->done;
}

/* pre: dfi_watched(). */
static DFI_COLD void dfi_wait_observe(struct dfi_worker *w, struct dfi_wait *x)
{
    if (dfi_stall_on() && x->kind != DFI_WAIT_QUIET) {
        if (x->kind == DFI_WAIT_SCOPE || x->kind == DFI_WAIT_ROOM || x->kind == DFI_WAIT_FUTURE)
            x->site = w->wait_site, w->wait_site = NULL;
        dfi_stall_wait_begin(w, x);
    }
    if (x->kind > DFI_WAIT_IDLE && x->kind < DFI_WAIT_LOCK) x->began = dfi_watch_waits(w);
}

DFI_INLINE void dfi_wait_enter(struct dfi_worker *w, struct dfi_wait *x, enum dfi_wait_kind kind, const void *on,
                               const char *site)
{
    x->kind = kind, x->on = on, x->site = site;
    x->began = x->since = 0;
    x->block = NULL;
    if (kind < DFI_WAIT_LOCK && DFI_UNLIKELY(*dfi_block_here != NULL) && !dfi_wait_for_none(x))
        x->block = dfi_suspend_hook();
    if (DFI_UNLIKELY(dfi_watched())) dfi_wait_observe(w, x);
    if (kind == DFI_WAIT_OUTSIDE) dfi_check_block_begin(w);
    else if (kind != DFI_WAIT_MEMBER) dfi_check_pause(w);
    if (kind < DFI_WAIT_LOCK) dfi_level(w, 1);
}

DFI_INLINE void dfi_wait_leave(struct dfi_worker *w, struct dfi_wait *x)
{
    if (x->kind < DFI_WAIT_LOCK) dfi_level(w, -1);
    if (DFI_UNLIKELY(x->since != 0)) dfi_stall_wait_end(w, x); /* observers may end the process here */
    if (DFI_UNLIKELY(x->began != 0)) dfi_watch_waited(w, x);
    if (x->kind == DFI_WAIT_OUTSIDE) dfi_check_block_end(w);
    else if (x->kind != DFI_WAIT_MEMBER) dfi_check_resume(w);
    if (DFI_UNLIKELY(x->block != NULL)) dfi_resume_hook(x->block);
}

#endif
