/* alone.h - what features do with a task that its submitter runs, because memory is lacking (flow/moments.h) */
#ifndef DFI_MORE_ALONE_H
#define DFI_MORE_ALONE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/task.h"
#include "../work/types.h"
#include "../flow/moments.h"
#include "../flow/submit.h"
#include "../flow/types.h"
#include "devices.h"
#include "group.h"
#include "handle.h"
#include "lock.h"
#include "options.h"
#include "poison.h"
#include "rename.h"
#include "speculate/block.h"
#include "state.h"
#include "stream/task.h"
#include "token.h"
#include "types.h"
#include "weak.h"

static DFI_COLD void dfi_parts_alone_wait(struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o)
{
    if (o) {
        dfi_token_opts_failed(w, t, o);
        /* it may have no optional state to keep its group */
        if (dfi_cancelled_with(t->scope, o->group)) dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
        if (t->task.mem.special && dfi_cancel_of(t->extra)->handle) { /* dfi_more_with_end ends it */
            dfi_handle_here(w, dfi_cancel_of(t->extra)->handle);
            dfi_cancel_of(t->extra)->handle = NULL;
        }
    }
    if (t->task.mem.special) dfi_groups_leave(w, t->extra);
    if (t->parts) t->parts->closed = 1; /* its parts would not be ordered */
    if (t->task.mem.special) {
        dfi_token_wait_here(t);
        if (dfi_windows_of(t->extra)->first) dfi_stream_wait(w, t);
    }
    if (dfi_rename_most()) dfi_up_scope_waits(w, t->scope);
}
#define dfi_up_alone_waits_by , dfi_parts_alone_wait

static int dfi_parts_alone_ready(const struct dfi_flow *t)
{
    if (t->parts && !dfi_gates_done(t, NULL)) return 0;
    return dfi_load_acquire(&dfi_member_of(t->extra)->unmerged) <= 1; /* pairs with dfi_member_merged */
}
#define dfi_up_alone_ready_by , dfi_parts_alone_ready

static int dfi_parts_alone_cancelled(const struct dfi_flow *t)
{
    return !(t->type->modes & DFI_INTERNAL) &&
           dfi_cancelled_with(t->scope, t->task.mem.special ? dfi_cancel_of(t->extra)->group : NULL);
}
#define dfi_up_alone_cancelled_by , dfi_parts_alone_cancelled

static DFI_COLD int dfi_parts_alone_run(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x,
                                        unsigned n, const struct df_opts *o)
{
    struct dfi_extra *e = t->task.mem.special ? t->extra : NULL;
    int skip = dfi_load_relaxed(&t->skip) != 0, windows = e && dfi_windows_of(e)->first;
    if (skip && e) dfi_token_failures(t);
    if (skip && !windows && (o ? o->always : e && dfi_cancel_of(e)->always)) skip = 0;
    if (!(t->type->modes & DFI_LAUNCH)) dfi_gpu_before_access(x, n);
    if (dfi_dropped(w)) {
        dfi_count(&dfi_tally_of(w)->n_undone);
        return DFI_SKIP;
    }
    if (!skip) dfi_units_enter(w, x, n);
    if (e && dfi_cancel_of(e)->handle) dfi_handle_here(w, dfi_cancel_of(e)->handle);
    if (!windows) return skip ? DFI_SKIP : DFI_GO;
    dfi_stream_run_now(w, t);
    if (!skip) dfi_units_leave(w, x, n);
    return DFI_LATER;
}
#define dfi_up_alone_runs_by , dfi_parts_alone_run

static DFI_COLD void dfi_parts_alone_done(struct dfi_worker *w, struct dfi_flow *t)
{
    if (t->parts) dfi_weak_done(w, t);
    if (!t->task.mem.special) return;
    dfi_token_done(w, t);
    if (dfi_cancel_of(t->extra)->handle) {
        df_handle *h = dfi_cancel_of(t->extra)->handle;
        dfi_handle_not_here(w, h);
        h->dfi_task = t;
        if (dfi_load_relaxed(&h->dfi_code)) dfi_task_failed(t, dfi_load_relaxed(&h->dfi_code));
        dfi_handle_done(w, t);
    }
    if (dfi_tentative(t)) dfi_predicate_leaves(t);
}
#define dfi_up_alone_done_by , dfi_parts_alone_done

#endif
