/* dfi_future.h - fork-join: what spawn and sync do when somebody interfered
 *
 * The fast paths are in dfi_core.h. A future is on the private stack of its spawner (the entry is the
 * future), or marked there and in the public deque, or gone from the stack. Only in the last two cases
 * `state` means anything: NULL in the deque, DFI_F_RUNNING or a scope while a thief runs it,
 * DFI_F_DONE. Argument: docs/memory-order.md, "Futures". */
#ifndef DFI_FUTURE_H
#define DFI_FUTURE_H

DFI_API void dfi_spawn_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!w || w->hot.head >= w->end) {
        dfi_future_run_here(f);
        dfi_store_relaxed(&f->state, DFI_F_DONE);
        return;
    }
    *w->hot.head++ = f;
    dfi_poll(w);
}

/* Where f is on the private stack of w, or NULL. */
static void **dfi_stack_find(struct dfi_worker *w, struct dfi_future *f)
{
    void **at = w->hot.head;
    while (at-- > w->base)
        if (((uintptr_t)*at & ~DFI_PUBLIC) == (uintptr_t)f) return at;
    return NULL;
}

DFI_API int dfi_sync_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void **at;
    struct dfi_goal g;
    if (w && (at = dfi_stack_find(w, f)) != NULL) {
        /* entries come back from the public deque newest first: down to f */
        while (w->split > at && dfi_deque_pop_owner(w)) {
            w->split--;
            *w->split = (void *)((uintptr_t)*w->split & ~DFI_PUBLIC);
        }
        if (w->split <= at) {
            dfi_stack_cut(w, at, at + 1);
            if (dfi_asked(w)) dfi_poll(w);
            return 1;
        }
        dfi_stack_cut(w, at, at + 1); /* stolen */
    }
    if (dfi_load_acquire(&f->state) == DFI_F_DONE || !w) return 0;
    dfi_scope_here(w);
    g.kind = DFI_GOAL_FUTURE, g.scope = NULL, g.future = f, g.flag = NULL;
    dfi_help_until(w, NULL, &g);
    return 0;
}

/* The stolen future is a scope of its own while it runs: its spawner, waiting for it, can tell what
 * belongs to it and help with just that. */
static void dfi_future_run_stolen(struct dfi_worker *w, const struct dfi_loot *loot)
{
    struct dfi_future *f = (struct dfi_future *)loot->entry;
    struct dfi_worker *victim = loot->victim;
    struct dfi_scope *s = dfi_scope_push(w, loot->scope);
    struct dfi_flow *saved_task = w->task;
    if (!s) w->task = NULL;
    /* release; pairs with the acquire in dfi_goal_filter: the scope is complete */
    dfi_store_release(&f->state, s ? (void *)s : DFI_F_RUNNING);
    dfi_future_run_here(f);
    if (s) dfi_scope_finish(w, s);
    else w->task = saved_task;
    /* seq_cst: releases the result to the acquire in dfi_goal_met, and comes before the look whether
     * the victim sleeps. From here on f may be gone. */
    dfi_store_seq_cst(&f->state, DFI_F_DONE);
    dfi_wake_waiting(victim);
}

/* --- DF_DEBUG: the same with checks ------------------------------------------------------------ */

static DFI_TLS const char *dfi_site = "?";
DFI_API void dfi_here(const char *site) { dfi_site = site; }

DFI_API void dfi_spawn_checked(struct dfi_future *f)
{
    const char *site = dfi_site;
    struct dfi_worker *w = dfi_me_attached();
    dfi_store_relaxed(&f->state, NULL);
    if (w && !w->sites && (w->sites = (const char **)dfi_malloc((size_t)(w->end - w->base) * sizeof *w->sites)) != NULL)
        memset((void *)w->sites, 0, (size_t)(w->end - w->base) * sizeof *w->sites);
    if (w && w->sites && w->hot.head < w->end) w->sites[w->hot.head - w->base] = site;
    dfi_spawn_slow(f);
}

DFI_API int dfi_sync_checked(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void *state = dfi_load_acquire(&f->state);
    int mine;
    if (state == (void *)f || (!state && (!w || !dfi_stack_find(w, f)))) { /* synced before, or not ours */
        dfi_log(DFI_LOG_SYNC_TWICE, dfi_site, f->type->name);
        return 0;
    }
    mine = dfi_sync_slow(f);
    dfi_store_relaxed(&f->state, (void *)f);
    return mine;
}

/* Futures above `mark` whose function has returned: they can only be reported and forgotten. */
static void dfi_report_unsynced(struct dfi_worker *w, void **mark)
{
    void **at;
    for (at = mark; at < w->hot.head; at++) {
        const char *site = w->sites[at - w->base];
        if ((uintptr_t)*at & (DFI_FLOW | DFI_PUBLIC) || !site) continue;
        dfi_log(DFI_LOG_NOT_SYNCED, site);
        dfi_stack_cut(w, at, at + 1);
        at--;
    }
}

#endif
