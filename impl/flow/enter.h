/* enter.h - begin and end of tasks with optional state: streams, locks, reductions, tokens, cancellation */
#ifndef DFI_FLOW_ENTER_H
#define DFI_FLOW_ENTER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/task.h"
#include "../work/blocks.h"
#include "../work/worker.h"
#include "../work/find.h"
#include "../work/types.h"
#include "devices.h"
#include "extra.h"
#include "task.h"
#include "../more/error.h"
#include "../more/group.h"
#include "../more/speculate/predicate.h"
#include "../more/token.h"
#include "../observe/probes.h"

static void dfi_weak_done(struct dfi_worker *w, struct dfi_flow *t);
static int dfi_stream_begin(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_stream_end(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_stream_wait(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_stream_run_now(struct dfi_worker *w, struct dfi_flow *t);

/* Called before t runs. DFI_LATER: it waits for a lock or memory, and becomes ready again without further action. */
static DFI_NOINLINE int dfi_flow_prepare(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->task.mem.special ? t->extra : NULL;
    if (x && DFI_UNLIKELY(x->guess != NULL) && !dfi_guess_admits(w, t)) return DFI_SKIP;
    if (!(t->type->modes & DFI_INTERNAL)) {
        if (!dfi_load_relaxed(&t->skip) && dfi_load_relaxed(&dfi_pool.cancels) &&
            ((x && x->group && dfi_load_relaxed(&x->group->dfi_cancelled)) || dfi_scope_cancelled(t->scope)))
            dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
        if (dfi_load_relaxed(&t->skip)) dfi_store_relaxed(&w->n_skipped, dfi_load_relaxed(&w->n_skipped) + 1);
    } else if (!(t->type->modes & DFI_WRITES) || t->type->modes & DFI_ALWAYS)
        return DFI_GO; /* it notifies a waiting thread */
    if (dfi_load_relaxed(&t->skip)) return DFI_SKIP;
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices)) && !(x && x->noted)) dfi_gpu_before_any(t->type);
    if (!x) return DFI_GO;
    if (x->windows) {
        int go = dfi_stream_begin(w, t);
        if (DFI_UNLIKELY(go != DFI_GO)) return go;
    }
    if (x->locks && !x->locked && !dfi_lock_all(x)) return DFI_LATER;
    if (x->reductions && !dfi_reduce_begin(w, x)) return DFI_LATER;
    if (DFI_UNLIKELY(x->noted != NULL)) dfi_gpu_before_body(t);
    if (DFI_UNLIKELY(x->guess != NULL)) dfi_guess_keep(w, x);
    return DFI_GO;
}

static void dfi_extra_signal(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_use *u;
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_ends(w, t);
    for (u = t->extra->signals; u; u = u->next)
        dfi_token_keep_promise(w, u->token, t->extra->site, dfi_load_relaxed(&t->skip) != 0);
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_ends(w, NULL);
}

/* Removes t from the groups that it has joined, because memory to register it was lacking. */
static DFI_COLD void dfi_extra_leave(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    struct dfi_use *u;
    intptr_t n = 1;
    for (u = x->locks; u; u = u->next)
        if (u->group) dfi_group_leave(w, u->group);
    dfi_uses_free(w, w, x->locks);
    for (u = x->reductions; u; u = u->next) n += u->group && u->group->deterministic;
    /* t is not completed here, but by dfi_submit_now, which waits until 1 is left */
    dfi_store_relaxed(&x->unmerged, n);
    while ((u = x->reductions) != NULL) {
        x->reductions = u->next;
        if (!u->group) dfi_block_free(w, w, &u->head);
        else if (u->group->deterministic) dfi_reduce_hand_in(w, u); /* u stays in the group until its turn */
        else {
            dfi_group_leave(w, u->group);
            dfi_block_free(w, w, &u->head);
        }
    }
    x->locks = x->to_lock = NULL;
}

/* Waits for the tokens and windows of t, which cannot be deferred. */
static DFI_COLD void dfi_extra_wait_tokens(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_use *u;
    if (t->extra->held_by) dfi_unhold(t->extra);
    for (u = t->extra->after; u; u = u->next) dfi_wait_token(u->token, t->extra->site);
    if (t->extra->windows) dfi_stream_wait(w, t);
}

/* Called when t and its descendants are done. Zero: some of its contributions are not combined yet, and the thread
 * that combines the last one completes t. */
static DFI_NOINLINE int dfi_extra_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    struct dfi_use *u, *next;
    if (DFI_UNLIKELY(x->guess != NULL)) dfi_guess_leave(x->guess);
    if (x->windows) dfi_stream_end(w, t);
    if (x->weak) dfi_weak_done(w, t);
    if (x->locks) dfi_unlock_all(w, x);
    if (DFI_UNLIKELY(x->noted != NULL) && x->reductions) dfi_gpu_before_merge(t);
    if (x->reductions) {
        intptr_t n = 1;
        for (u = x->reductions; u; u = u->next)
            if (u->group->deterministic) n++;
            else {
                dfi_reduce_leave(w, u);
                u->group = NULL; /* it may end, and its memory be another group, before the loop below */
            }
        if (n > 1) {
            dfi_store_relaxed(&x->unmerged, n);
            for (u = x->reductions; u; u = next) {
                next = u->next;
                if (u->group) dfi_reduce_hand_in(w, u);
            }
            /* acq_rel; pairs with dfi_extra_merged */
            if (dfi_fetch_sub_acq_rel(&x->unmerged, (intptr_t)1) != 1) return 0;
        }
    }
    dfi_extra_signal(w, t);
    return 1;
}

static void dfi_extra_merged(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *ready;
    if (dfi_fetch_sub_acq_rel(&t->extra->unmerged, (intptr_t)1) != 1) return;
    dfi_extra_signal(w, t);
    if ((ready = dfi_flow_release(w, t, NULL)) != NULL) dfi_push(w, ready);
}

#endif
