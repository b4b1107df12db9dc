/* deque.h - work-stealing deque of a worker
 *
 * Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with sequentially consistent accesses instead of
 * the fences of Le, Pop, Cohen and Zappa Nardelli (PPoPP 2013). The argument is in docs/memory-order.md, "The public
 * deque". The owner uses the deque only after a steal request; otherwise it uses its private stack. */
#ifndef DFI_WORK_DEQUE_H
#define DFI_WORK_DEQUE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "types.h"

/* Owner: replaces the array by one with room for at least n more entries. Without memory, the old array stays. */
static DFI_NOINLINE void dfi_deque_grow_owner(struct dfi_worker *w, size_t n)
{
    struct dfi_ring *old = dfi_load_relaxed(&w->ring), *ring;
    size_t b = dfi_load_relaxed(&w->bottom), size = 2 * (old->mask + 1), i;
    while (size - (b - w->seen_top) < n) size *= 2;
    if (!(ring = (struct dfi_ring *)dfi_malloc(sizeof *ring + size * sizeof *ring->item))) {
        dfi_warn_no_memory();
        return;
    }
    ring->mask = size - 1, ring->before = old;
    ring->item = (struct dfi_item *)(void *)(ring + 1);
    for (i = w->seen_top; i != b; i++) {
        const struct dfi_item *from = &old->item[i & old->mask];
        dfi_store_relaxed(&ring->item[i & ring->mask].entry, dfi_load_relaxed(&from->entry));
        dfi_store_relaxed(&ring->item[i & ring->mask].scope, dfi_load_relaxed(&from->scope));
    }
    dfi_store_release(&w->ring, ring); /* release: the copied entries; pairs with the acquire in dfi_deque_item_any */
}

/* pre: no thief accesses the deque any more. */
static void dfi_deque_free(struct dfi_worker *w)
{
    struct dfi_ring *ring = dfi_load_relaxed(&w->ring), *before;
    for (; ring && ring->before; ring = before) {
        before = ring->before;
        dfi_mfree(ring);
    }
}

/* Owner: the number of entries that fit. It may be an underestimate if that is at least `enough`, because reading top
 * after a steal transfers its cache line. It is less than `enough` only if memory is lacking. */
static size_t dfi_deque_room_owner(struct dfi_worker *w, size_t enough)
{
    size_t b = dfi_load_relaxed(&w->bottom), size = dfi_load_relaxed(&w->ring)->mask + 1;
    if (DFI_LIKELY(size - (b - w->seen_top) >= enough)) return size - (b - w->seen_top);
    /* acquire; pairs with the CAS of thieves: slots of stolen entries may be overwritten */
    w->seen_top = dfi_load_acquire(&w->top);
    if (DFI_UNLIKELY(size - (b - w->seen_top) < enough)) dfi_deque_grow_owner(w, enough);
    return dfi_load_relaxed(&w->ring)->mask + 1 - (b - w->seen_top);
}

/* Owner: the number of entries. */
static size_t dfi_deque_used_owner(struct dfi_worker *w)
{
    w->seen_top = dfi_load_acquire(&w->top); /* as in dfi_deque_room_owner */
    return dfi_load_relaxed(&w->bottom) - w->seen_top;
}

/* The slot of the i-th entry since the start, if still present. acquire; pairs with the release in
 * dfi_deque_grow_owner. */
static struct dfi_item *dfi_deque_item_any(struct dfi_worker *v, size_t i)
{
    struct dfi_ring *ring = dfi_load_acquire(&v->ring);
    return &ring->item[i & ring->mask];
}

/* Owner: is the deque empty? seen_top <= top <= bottom, so seen_top == bottom implies that it is. */
static int dfi_deque_empty_owner(struct dfi_worker *w)
{
    size_t b = dfi_load_relaxed(&w->bottom);
    if (b != w->seen_top) w->seen_top = dfi_load_acquire(&w->top); /* acquire; as in dfi_deque_room_owner */
    return b == w->seen_top;
}

/* Owner: writes the i-th entry behind the bottom, invisible until dfi_deque_publish_owner. pre: there is room for
 * it. */
static void dfi_deque_put_owner(struct dfi_worker *w, size_t i, void *entry, struct dfi_scope *scope)
{
    struct dfi_item *it = dfi_deque_item_any(w, dfi_load_relaxed(&w->bottom) + i);
    dfi_store_relaxed(&it->entry, entry);
    dfi_store_relaxed(&it->scope, scope);
}

static void dfi_deque_publish_owner(struct dfi_worker *w, size_t n)
{
    /* seq_cst: as a release it publishes the entries and their targets to dfi_deque_steal_thief; in the total order
     * it precedes the check for sleepers in dfi_wake_for_work */
    dfi_store_seq_cst(&w->bottom, dfi_load_relaxed(&w->bottom) + n);
}

/* Owner: pops the newest entry. Zero: it was stolen. */
static int dfi_deque_pop_owner(struct dfi_worker *w)
{
    size_t b = dfi_load_relaxed(&w->bottom) - 1, t;
    int got = 1;
    dfi_store_seq_cst(&w->bottom, b); /* before the load of top; thieves access them in the opposite order */
    t = dfi_load_seq_cst(&w->top);
    if ((intptr_t)(b - t) > 0) return 1;
    if (b == t) { /* the last entry: compete with thieves */
        size_t expect = t;
        got = dfi_cas_seq_cst(&w->top, &expect, t + 1);
    } else got = 0;
    dfi_store_relaxed(&w->bottom, b + 1);
    return got;
}

/* Owner: steals the oldest entry of its own deque if it is `entry`. */
static int dfi_deque_take_oldest_owner(struct dfi_worker *w, void *entry)
{
    size_t t = dfi_load_seq_cst(&w->top);
    return (intptr_t)(dfi_load_relaxed(&w->bottom) - t) > 0 &&
           dfi_load_relaxed(&dfi_deque_item_any(w, t)->entry) == entry && dfi_cas_seq_cst(&w->top, &t, t + 1);
}

/* Is `scope` the scope with that id, or inside it? The structs read here may end at any time, so the result is
 * meaningful only if a CAS then succeeds in taking the entry with that scope. */
static int dfi_scope_inside(struct dfi_scope *scope, uintptr_t id, uintptr_t depth)
{
    while (scope) {
        uintptr_t d = dfi_load_relaxed(&scope->depth);
        struct dfi_scope *up;
        if (d == depth) return dfi_load_relaxed(&scope->id) == id;
        if (d < depth) return 0;
        up = dfi_load_relaxed(&scope->parent);
        if (!up || dfi_load_relaxed(&up->depth) >= d) return 0; /* this scope has ended meanwhile */
        scope = up;
    }
    return 0;
}

/* The entries that may be taken: all (id 0), or only entries inside one scope. If `on_top_of` is not NULL, only tasks
 * that cannot depend on the tasks on the stack of that worker (dfi_may_run_on_top). */
struct dfi_filter { uintptr_t id, depth; const struct dfi_worker *on_top_of; };

/* Stolen work: an entry from the deque of a victim or from a queue, or else a team to join. outside: it is outside the
 * scope that the thief waits for. */
struct dfi_loot {
    void *entry;
    struct dfi_scope *scope;
    struct dfi_worker *victim;
    struct dfi_team *team;
    int outside;
};

/* Thief: steals the oldest entry of v if the filter admits it. If another thief is faster, tries the next entry, so
 * that a worker that parks afterwards has seen an empty deque or an entry that it may not run. */
static int dfi_deque_steal_thief(struct dfi_worker *v, const struct dfi_filter *f, struct dfi_loot *loot)
{
    for (;;) {
        size_t t = dfi_load_seq_cst(&v->top);
        size_t b = dfi_load_seq_cst(&v->bottom); /* after top; the owner accesses them in the opposite order */
        struct dfi_item *it;
        int admitted;
        if ((intptr_t)(b - t) <= 0) return 0;
        it = dfi_deque_item_any(v, t);
        loot->entry = dfi_load_relaxed(&it->entry);
        loot->scope = dfi_load_relaxed(&it->scope);
        loot->victim = v;
        admitted = (!f->id || dfi_scope_inside(loot->scope, f->id, f->depth)) &&
                   (!f->on_top_of || (uintptr_t)loot->entry & DFI_FLOW);
        if (!admitted && dfi_load_seq_cst(&v->top) == t) return 0;
        /* success implies that entry t was present all the time */
        if (admitted && dfi_cas_seq_cst(&v->top, &t, t + 1)) return 1;
    }
}

static int dfi_deque_empty_any(struct dfi_worker *v)
{
    size_t t = dfi_load_seq_cst(&v->top);
    return (intptr_t)(dfi_load_seq_cst(&v->bottom) - t) <= 0;
}

#endif
