/* parts.h - what features do at the moments in the life of a task (flow/moments.h)
 *
 * A moment with one feature is in the file of that feature. Here, in alone.h and in scopes.h are those with several, in
 * an order that matters:
 *
 *   - A predicate decides first, then cancellation: a task that should not run at all is not counted as skipped.
 *   - A task enters its windows, takes its locks, and gets its copies to accumulate into, in this order. Memory for a
 *     window may be lacking: then it holds no lock. Memory for a copy may be lacking: then it waits for tasks that have
 *     copies, and these wait for no lock any more.
 *   - Devices come behind that, because they bring to the host what the arguments point to, copies included.
 *   - Undo data come last: they are copies of memory that is on the host by now.
 *   - At the end, windows come first, because others wait for their elements only, and signals last, that of
 *     the handle behind those of tokens, because the program may then free both. */
#ifndef DFI_MORE_PARTS_H
#define DFI_MORE_PARTS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/task.h"
#include "../work/types.h"
#include "../flow/moments.h"
#include "../flow/submit.h"
#include "../flow/supervise.h"
#include "../flow/types.h"
#include "deadlock.h"
#include "devices.h"
#include "error.h"
#include "group.h"
#include "handle.h"
#include "lock.h"
#include "poison.h"
#include "ranks.h"
#include "rename.h"
#include "speculate/block.h"
#include "speculate/task.h"
#include "state.h"
#include "stream/task.h"
#include "taskgraph/list.h"
#include "taskgraph/record.h"
#include "taskgraph/run.h"
#include "throttle.h"
#include "node.h"
#include "token.h"
#include "types.h"
#include "until.h"
#include "use.h"
#include "weak.h"

/* --- submission --------------------------------------------------------------------------------------- */

static int dfi_parts_may_run_now(struct dfi_worker *w, const struct dfi_type *type)
{
    const struct dfi_scope *s = w->scope;
    const struct dfi_flow *gated = w->task ? w->task->parts ? w->task : NULL : dfi_gated_body(s);
    /* the task, or a task that it waits for, may wait for the next push of the submitting code */
    if (dfi_load_relaxed(&dfi_more.streams)) return DFI_RUNS_LATER;
    if (type->modes && dfi_load_relaxed(&dfi_more.devices)) return DFI_RUNS_LATER;
    if (!w->task && dfi_taskgraph_in(s)) return DFI_RUNS_LATER; /* the recording must see the task */
    if (dfi_cancels_any() || type->modes & DFI_LIMIT || (dfi_more.deterministic && type->modes & DFI_ONE_REGION) ||
        (gated && !gated->parts->at_once)) /* the gates may be closed */
        return DFI_RUNS_IF_READY;
    /* successors of cancelled tasks must be cancelled too */
    return !w->task && dfi_load_relaxed(&dfi_errors_in(s)->poisoned) ? DFI_RUNS_IF_READY : DFI_RUNS_NOW;
}
#define dfi_up_may_run_now_by , dfi_parts_may_run_now

static int dfi_parts_run_now(struct dfi_worker *w, const struct dfi_type *type)
{
    if (dfi_dropped(w)) {
        dfi_drop_next(w);
        return 1;
    }
    if (dfi_ranks_left(w)) return 1;
    if (dfi_load_relaxed(&dfi_more.devices)) dfi_gpu_before_any(type);
    return 0;
}
#define dfi_up_runs_now_by , dfi_parts_run_now

static int dfi_parts_bare_waited(struct dfi_worker *w, const struct df_opts *o, const char *site)
{
    int skip = o && dfi_token_wait_all(dfi_scope_here(w), NULL, o, site);
    return skip || dfi_cancelled_with(w->task ? w->task->scope : w->scope, o ? o->group : NULL);
}
#define dfi_up_bare_waited_by , dfi_parts_bare_waited

static void dfi_parts_arrive(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    unsigned i;
    for (i = 0; dfi_tasks_of(w)->opts && dfi_tasks_of(w)->opts->deterministic && i < n; i++)
        if (dfi_kind(x[i].mode) == DFI_REDUCE) x[i].mode |= DFI_ORDERED;
    if (dfi_taskgraph_in(t->scope)) dfi_taskgraph_submit(w, t, x, n);
}
#define dfi_up_arrives_by , dfi_parts_arrive

static int dfi_parts_register(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    int failed = 0;
    if (t->type->modes & DFI_SHARED) dfi_accesses_apart(x, n);
    if (t->scope->asks & DFI_ASKS_TENTATIVE && !(t->type->modes & DFI_INTERNAL) && dfi_predicate_take(w, t, x, n))
        return -1;
    failed |= t->type->modes & DFI_LIMIT && dfi_units_join(w, t, x, n);
    failed |= t->type->modes & DFI_CHILDREN && !dfi_tentative(t) && dfi_weak_releasable(w, t);
    failed |= dfi_rename_most() && dfi_rename_before(w, t, x, n);
    failed |= dfi_gpu_hook && dfi_gpu_note(w, t, x, n);
    if (failed) return -1;
    return 0;
}
#define dfi_up_registers_by , dfi_parts_register

/* --- readiness --------------------------------------------------------------------------------------------- */

/* Does a ready task take its locks, and not when it begins? Not if it may have to wait for something else then, nor if
 * a task with a priority could wait for it in a queue where others are preferred. */
static int dfi_locks_early(const struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    const struct dfi_use *u = dfi_member_of(x)->locks;
    if (!u || dfi_member_of(x)->locked || x->pin >= 0 || dfi_windows_of(x)->first || dfi_tentative(t) ||
        dfi_load_relaxed(&t->skip)) return 0;
    for (; u && dfi_load_relaxed(&dfi_flow_pool.priorities); u = u->next)
        if (u->group) return 0; /* units keep their order */
    return 1;
}

/* t, which has optional state, is ready, but for its locks. Nonzero: it waits for one; it may be running already. */
static int dfi_parts_ready(struct dfi_flow *t)
{
    if (dfi_tokens_of(t->extra)->held.by) dfi_unhold(&dfi_tokens_of(t->extra)->held);
    return dfi_locks_early(t) && !dfi_lock_all(t->extra);
}
#define dfi_up_ready_by , dfi_parts_ready

/* --- begin and end ---------------------------------------------------------------------------------------- */

static DFI_NOINLINE int dfi_parts_begin(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->task.mem.special ? t->extra : NULL;
    if (x && DFI_UNLIKELY(dfi_tokens_of(x)->held.until != NULL)) {
        dfi_until_over(t);
        return DFI_OVER;
    }
    if (dfi_tentative(t) && !dfi_predicate_admits(w, t)) return DFI_SKIP;
    if (!(t->type->modes & DFI_INTERNAL)) {
        if (!dfi_load_relaxed(&t->skip) && dfi_cancelled_with(t->scope, x ? dfi_cancel_of(x)->group : NULL))
            dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
        if (DFI_UNLIKELY(dfi_load_relaxed(&t->skip))) {
            if (x) dfi_token_failures(t);
            if (!x || !dfi_flow_insists(t)) {
                dfi_count(&dfi_tasks_of(w)->n_skipped);
                return DFI_SKIP;
            }
        }
    } else if (!(t->type->modes & DFI_WRITES) || t->type->modes & DFI_ALWAYS)
        return DFI_GO; /* it notifies a waiting thread */
    else if (dfi_load_relaxed(&t->skip)) return DFI_SKIP;
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_more.devices)) && !(x && dfi_noted_of(x)->access))
        dfi_gpu_before_any(t->type);
    if (!x) return DFI_GO;
    if (dfi_windows_of(x)->first) {
        int go = dfi_stream_begin(w, t);
        if (DFI_UNLIKELY(go != DFI_GO)) return go;
    }
    if (dfi_member_of(x)->locks && !dfi_member_of(x)->locked && !dfi_lock_all(x)) return DFI_LATER;
    if (dfi_member_of(x)->reductions && !dfi_reduce_begin(w, x)) return DFI_LATER;
    if (DFI_UNLIKELY(dfi_noted_of(x)->access != NULL)) dfi_gpu_before_body(t);
    if (dfi_tentative(t)) dfi_predicate_keep(w, t);
    return DFI_GO;
}
#define dfi_up_begins_by , dfi_parts_begin

static DFI_NOINLINE int dfi_parts_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    if (DFI_UNLIKELY(dfi_tokens_of(x)->held.until != NULL) && dfi_until_waits(w, t)) return 0;
    if (dfi_tentative(t)) dfi_predicate_leaves(t);
    if (dfi_up_task_done && !dfi_member_of(x)->reductions) dfi_up_task_done(t); /* before others get its elements */
    if (dfi_windows_of(x)->first) dfi_stream_end(w, t);
    if (t->parts) dfi_weak_done(w, t);
    if (dfi_member_of(x)->locks) dfi_unlock_all(w, x);
    if (DFI_UNLIKELY(dfi_noted_of(x)->access != NULL) && dfi_member_of(x)->reductions) dfi_gpu_before_merge(t);
    dfi_token_done(w, t);
    if (DFI_UNLIKELY(dfi_cancel_of(x)->handle != NULL)) dfi_handle_done(w, t);
    dfi_flow_insisted(x);
    return !dfi_member_of(x)->reductions || dfi_reduce_done(w, dfi_member_of(x));
}
#define dfi_up_done_by , dfi_parts_done

/* The last contribution of t has been combined: the rest of dfi_parts_done, and of dfi_flow_done. */
static void dfi_parts_merged(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *ready = dfi_flow_release(w, t, NULL);
    if (ready) dfi_push(w, ready);
}
#define dfi_up_merged_by , dfi_parts_merged

static void dfi_parts_free(struct dfi_worker *w, struct dfi_flow *t)
{
    const struct dfi_extra *x = t->extra;
    struct dfi_worker *home = t->scope->owner;
    dfi_uses_free(w, home, dfi_member_of(x)->locks);
    dfi_uses_free(w, home, dfi_member_of(x)->reductions);
    dfi_uses_free(w, home, dfi_tokens_of(x)->signals);
    dfi_uses_free(w, home, dfi_tokens_of(x)->held.after);
    if (DFI_UNLIKELY(dfi_windows_of(x)->array != NULL)) dfi_mfree((void *)dfi_windows_of(x)->array);
    if (DFI_UNLIKELY(dfi_noted_of(x)->access != NULL)) dfi_mfree((void *)dfi_noted_of(x)->access);
    if (dfi_tentative(t)) dfi_predicate_forget(t);
}
#define dfi_up_extra_free_by , dfi_parts_free

static int dfi_parts_stays(struct dfi_worker *w, struct dfi_flow *t)
{
    return dfi_node_stays(t) || dfi_gate_ends(w, t);
}
#define dfi_up_stays_by , dfi_parts_stays

#endif
