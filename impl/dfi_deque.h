/* dfi_deque.h - the public deque of a worker
 *
 * Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with a fixed size: what does not
 * fit simply stays private. Sequentially consistent accesses where Le, Pop, Cohen and Zappa Nardelli
 * (PPoPP 2013) use fences. The argument is in docs/memory-order.md, "The public deque". The owner
 * comes here only after a thief has asked for work; its usual path is the private stack. */
#ifndef DFI_DEQUE_H
#define DFI_DEQUE_H

/* Owner: how many more entries fit, at least if that is `enough`: reading top when a thief has just
 * moved it costs a transfer of its cache line. */
static size_t dfi_deque_room_owner(struct dfi_worker *w, size_t enough)
{
    size_t b = dfi_load_relaxed(&w->bottom);
    /* acquire; pairs with the CAS of thieves: the slots they left are free to be written */
    if (DFI_DEQUE_SIZE - (b - w->seen_top) < enough) w->seen_top = dfi_load_acquire(&w->top);
    return DFI_DEQUE_SIZE - (b - w->seen_top);
}

/* Owner. pre: there is room for the i-th entry behind the bottom. Not visible before dfi_deque_publish. */
static void dfi_deque_put_owner(struct dfi_worker *w, size_t i, void *entry, struct dfi_scope *scope)
{
    struct dfi_item *it = &w->item[(dfi_load_relaxed(&w->bottom) + i) & (DFI_DEQUE_SIZE - 1)];
    dfi_store_relaxed(&it->entry, entry);
    dfi_store_relaxed(&it->scope, scope);
}

static void dfi_deque_publish_owner(struct dfi_worker *w, size_t n)
{
    /* seq_cst: as release it publishes the entries and all they point to to dfi_deque_steal_thief; as
     * part of the total order it comes before the look at the sleepers in dfi_wake_for_work */
    dfi_store_seq_cst(&w->bottom, dfi_load_relaxed(&w->bottom) + n);
}

/* Owner: takes the newest entry back. Nonzero: it was still there. */
static int dfi_deque_pop_owner(struct dfi_worker *w)
{
    size_t b = dfi_load_relaxed(&w->bottom) - 1, t;
    int got = 1;
    dfi_store_seq_cst(&w->bottom, b); /* before the load of top; thieves do it the other way around */
    t = dfi_load_seq_cst(&w->top);
    if ((intptr_t)(b - t) > 0) return 1;
    if (b == t) { /* the last one: race thieves for it */
        size_t expect = t;
        got = dfi_cas_seq_cst(&w->top, &expect, t + 1);
    } else got = 0;
    dfi_store_relaxed(&w->bottom, b + 1);
    return got;
}

/* Owner: takes the oldest entry, as a thief would, if that is `entry`. */
static int dfi_deque_take_oldest_owner(struct dfi_worker *w, void *entry)
{
    size_t t = dfi_load_seq_cst(&w->top);
    return (intptr_t)(dfi_load_relaxed(&w->bottom) - t) > 0 &&
           dfi_load_relaxed(&w->item[t & (DFI_DEQUE_SIZE - 1)].entry) == entry && dfi_cas_seq_cst(&w->top, &t, t + 1);
}

/* Is `scope` the scope with that id, or inside it? Walks records that may end at any time: only
 * meaningful if the entry the scope came from is taken by a successful CAS afterwards. */
static int dfi_scope_inside(struct dfi_scope *scope, uintptr_t id, uintptr_t depth)
{
    while (scope) {
        uintptr_t d = dfi_load_relaxed(&scope->depth);
        struct dfi_scope *up;
        if (d == depth) return dfi_load_relaxed(&scope->id) == id;
        if (d < depth) return 0;
        up = dfi_load_relaxed(&scope->parent);
        if (!up || dfi_load_relaxed(&up->depth) >= d) return 0; /* the record ended meanwhile */
        scope = up;
    }
    return 0;
}

/* What may be taken: anything (id 0), or only work inside one scope. If `on_top_of` is not NULL, only tasks that cannot
 * depend on what is on the stack of that worker (dfi_may_run_on_top). */
struct dfi_filter { uintptr_t id, depth; const struct dfi_worker *on_top_of; };

/* entry, from the deque of a victim or a queue, or else a team to join. outside: of what the taker waits for. */
struct dfi_loot { void *entry; struct dfi_scope *scope; struct dfi_worker *victim; struct dfi_team *team; int outside; };

/* Thief: takes the oldest entry of v if the filter admits it. */
static int dfi_deque_steal_thief(struct dfi_worker *v, const struct dfi_filter *f, struct dfi_loot *loot)
{
    size_t t = dfi_load_seq_cst(&v->top);
    size_t b = dfi_load_seq_cst(&v->bottom); /* after top; the owner does it the other way around */
    struct dfi_item *it = &v->item[t & (DFI_DEQUE_SIZE - 1)];
    if ((intptr_t)(b - t) <= 0) return 0;
    loot->entry = dfi_load_relaxed(&it->entry);
    loot->scope = dfi_load_relaxed(&it->scope);
    loot->victim = v;
    if (f->id && !dfi_scope_inside(loot->scope, f->id, f->depth)) return 0;
    if (f->on_top_of && !((uintptr_t)loot->entry & DFI_FLOW)) return 0;
    return dfi_cas_seq_cst(&v->top, &t, t + 1); /* success: entry t was there all the time */
}

static int dfi_deque_empty_any(struct dfi_worker *v)
{
    size_t t = dfi_load_seq_cst(&v->top);
    return (intptr_t)(dfi_load_seq_cst(&v->bottom) - t) <= 0;
}

#endif
