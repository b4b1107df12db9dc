/* dfi_future.h - fork-join: what spawn and sync do when somebody interfered
 *
 * The fast paths are in dfi_core.h. A future is in its spawner's private list, or (flushed) on its
 * stack, or marked there and in the public deque, or in neither. Outside of the list `link` is its
 * state: NULL while on the stack or in the deque, DFI_F_RUNNING or a scope while a thief runs it,
 * DFI_F_DONE. Argument: docs/memory-order.md, "Futures". */
#ifndef DFI_FUTURE_H
#define DFI_FUTURE_H

DFI_API void dfi_spawn_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!w) {
        dfi_future_run_here(f);
        dfi_store_relaxed(&f->link, DFI_F_DONE);
        return;
    }
    dfi_store_relaxed(&f->link, w->hot.top);
    w->hot.top = f;
    dfi_poll(w);
}

/* Takes f out of the private list. Zero: it is not there. */
static int dfi_list_take(struct dfi_worker *w, struct dfi_future *f)
{
    struct dfi_future *g = (struct dfi_future *)w->hot.top;
    if (g == f) {
        w->hot.top = dfi_load_relaxed(&f->link);
        return 1;
    }
    for (; g; g = (struct dfi_future *)dfi_load_relaxed(&g->link))
        if (dfi_load_relaxed(&g->link) == (void *)f) {
            dfi_store_relaxed(&g->link, dfi_load_relaxed(&f->link));
            return 1;
        }
    return 0;
}

/* Where f is on the stack of w, plus 1; 0: nowhere. */
static size_t dfi_stack_find(struct dfi_worker *w, struct dfi_future *f)
{
    size_t at = w->head;
    while (at > 0 && ((uintptr_t)w->stack[at - 1] & ~DFI_PUBLIC) != (uintptr_t)f) at--;
    return at;
}

DFI_API int dfi_sync_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    size_t at;
    int mine;
    struct dfi_goal g;
    if (!w) return 0; /* was run at once */
    if (dfi_list_take(w, f)) {
        if (dfi_asked(w)) dfi_poll(w);
        return 1;
    }
    if ((at = dfi_stack_find(w, f)) != 0) {
        at--;
        /* entries come back from the public deque newest first: down to f */
        while (w->split > at && dfi_deque_pop_owner(w)) {
            w->split--;
            w->stack[w->split] = (void *)((uintptr_t)w->stack[w->split] & ~DFI_PUBLIC);
        }
        mine = w->split <= at;
        dfi_stack_cut(w, at, at + 1);
        if (mine) {
            if (dfi_asked(w)) dfi_poll(w);
            return 1;
        }
    }
    if (dfi_load_acquire(&f->link) == DFI_F_DONE) return 0;
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
    dfi_store_release(&f->link, s ? (void *)s : DFI_F_RUNNING);
    dfi_future_run_here(f);
    if (s) dfi_scope_finish(w, s);
    else w->task = saved_task;
    /* seq_cst: releases the result to the acquire in dfi_goal_met, and comes before the look whether
     * the victim sleeps. From here on f may be gone. */
    dfi_store_seq_cst(&f->link, DFI_F_DONE);
    dfi_wake_waiting(victim);
}

/* --- DF_DEBUG: the same with checks ------------------------------------------------------------ */

static DFI_TLS const char *dfi_site = "?";
DFI_API void dfi_here(const char *site) { dfi_site = site; }

/* Straight to the stack, where the line of the spawn can be kept. */
DFI_API void dfi_spawn_checked(struct dfi_future *f)
{
    const char *site = dfi_site;
    struct dfi_worker *w = dfi_me_attached();
    if (w && w->head == w->room) dfi_stack_grow(w, 1);
    if (!w || w->head == w->room) {
        dfi_spawn_slow(f);
        return;
    }
    if (!w->sites && (w->sites = (const char **)dfi_malloc(w->room * sizeof *w->sites)) != NULL)
        memset((void *)w->sites, 0, w->room * sizeof *w->sites);
    dfi_flush(w);
    if (w->sites) w->sites[w->head] = site;
    dfi_store_relaxed(&f->link, NULL);
    w->stack[w->head++] = f;
    dfi_poll(w);
}

DFI_API int dfi_sync_checked(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void *state = dfi_load_acquire(&f->link);
    int mine;
    if (state == (void *)f || (!state && (!w || !dfi_stack_find(w, f)))) { /* synced before, or not ours */
        dfi_log(DFI_LOG_SYNC_TWICE, dfi_site, f->type->name);
        return 0;
    }
    mine = dfi_sync_slow(f);
    dfi_store_relaxed(&f->link, (void *)f);
    return mine;
}

/* Futures above `mark` whose function has returned: they can only be reported and forgotten. */
static void dfi_report_unsynced(struct dfi_worker *w, size_t mark)
{
    size_t at = mark;
    while (at < w->head) {
        const char *site = w->sites[at];
        if ((uintptr_t)w->stack[at] & (DFI_FLOW | DFI_PUBLIC) || !site) at++;
        else {
            dfi_log(DFI_LOG_NOT_SYNCED, site);
            dfi_stack_cut(w, at, at + 1);
        }
    }
}

#endif
