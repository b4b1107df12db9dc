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
#include "supervise.h"
#include "task.h"
#include "probe.h"
#include "../api/hooks.h"

/* Changes the nesting depth of w in blocks, bodies and waits: 0 is outside df (more/deadlock.h). */
static void dfi_level(struct dfi_worker *w, int by) { dfi_store_relaxed(&w->level, dfi_load_relaxed(&w->level) + by); }

/* Is x a wait for a scope without unfinished children? */
static DFI_COLD int dfi_wait_for_none(const struct dfi_wait *x)
{
    const struct dfi_scope *s = (const struct dfi_scope *)x->on;
    return dfi_up_task_run && /* only tasks are children */
           (x->kind == DFI_WAIT_SCOPE || x->kind == DFI_WAIT_ROOM) && s->open && s->submitted == s->done;
}

DFI_FAST void dfi_wait_enter(struct dfi_worker *w, struct dfi_wait *x, unsigned kind, const void *on,
                             const char *site)
{
    x->kind = kind, x->on = on, x->site = site;
    x->began = x->since = 0;
    x->block = NULL;
    if (kind >= DFI_WAIT_IDLE && DFI_UNLIKELY(*dfi_block_here != NULL) && !dfi_wait_for_none(x))
        x->block = dfi_load_acquire(&dfi_block_hooks)->suspend();
    dfi_at_wait(w, x);
    if (kind != DFI_WAIT_MEMBER) dfi_code_pause(w, kind == DFI_WAIT_OUTSIDE);
    if (kind >= DFI_WAIT_IDLE) dfi_level(w, 1);
}

DFI_FAST void dfi_wait_leave(struct dfi_worker *w, struct dfi_wait *x)
{
    if (x->kind >= DFI_WAIT_IDLE) dfi_level(w, -1);
    if (DFI_UNLIKELY(x->since | x->began)) dfi_at_waited(w, x);
    if (x->kind != DFI_WAIT_MEMBER) dfi_code_resume(w, x->kind == DFI_WAIT_OUTSIDE);
    if (DFI_UNLIKELY(x->block != NULL)) dfi_load_acquire(&dfi_block_hooks)->resume(x->block);
}

#endif
