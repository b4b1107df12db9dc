/* deque.h - work-stealing deque of a worker
 *
 * Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with sequentially consistent accesses instead of
 * the fences of Le, Pop, Cohen and Zappa Nardelli (PPoPP 2013). The argument is in docs/internals/work.md, "The public
 * deque". The owner uses the deque only after a steal request; otherwise it uses its private stack. */
#ifndef DFI_WORK_DEQUE_H
#define DFI_WORK_DEQUE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "task.h"
#include "types.h"

/* An empty array for at least n entries. NULL: out of memory. */
static struct dfi_ring *dfi_ring_new(size_t n, struct dfi_ring *before)
{
    struct dfi_ring *ring;
    size_t size = 2;
    while (size < n) size *= 2;
    if (!(ring = (struct dfi_ring *)dfi_malloc(sizeof *ring + (size - 1) * sizeof *ring->item))) return NULL;
    ring->mask = size - 1, ring->before = before;
    return ring;
}

/* Owner: replaces the array by one with room for at least n more entries. Without memory, the old array stays. */
static DFI_NOINLINE void dfi_deque_grow_owner(struct dfi_worker *w, size_t n)
{
    struct dfi_ring *old = dfi_load_relaxed(&w->ring), *ring;
    size_t b = dfi_load_relaxed(&w->bottom), least = 2 * (old->mask + 1), used = b - w->seen_top, i;
    if (!(ring = dfi_ring_new(n + used > least ? n + used : least, old))) {
        dfi_warn_once("out of memory: other workers can take fewer tasks from a worker at a time");
        return;
    }
    /* a thief that read `top` before a steal by another looks at a slot that is not copied: it has no scope */
    for (i = w->seen_top; i != w->seen_top + ring->mask + 1; i++) {
        const struct dfi_item *from = &old->item[i & old->mask];
        int copied = i - w->seen_top < used;
        dfi_store_relaxed(&ring->item[i & ring->mask].entry, copied ? dfi_load_relaxed(&from->entry) : NULL);
        dfi_store_relaxed(&ring->item[i & ring->mask].scope, copied ? dfi_load_relaxed(&from->scope) : NULL);
    }
    dfi_store_release(&w->ring, ring); /* release: the copied entries; pairs with the acquire in dfi_deque_item_any */
}

/* pre: no thief accesses the deque any more. */
static void dfi_deque_free(struct dfi_worker *w)
{
    struct dfi_ring *ring = dfi_load_relaxed(&w->ring), *before;
    for (; ring; ring = before) {
        before = ring->before;
        dfi_mfree(ring);
    }
}

/* Owner: the number of entries that fit. It may be an underestimate if that is at least `enough`, because reading top
 * after a steal transfers its cache line. It is less than `enough` only if memory is lacking, or if all entries are
 * futures, which can wait on the stack: only tasks let the array grow. */
static size_t dfi_deque_room_owner(struct dfi_worker *w, size_t enough)
{
    size_t b = dfi_load_relaxed(&w->bottom), size = dfi_load_relaxed(&w->ring)->mask + 1;
    if (DFI_LIKELY(size - (b - w->seen_top) >= enough)) return size - (b - w->seen_top);
    /* acquire; pairs with the CAS of thieves: slots of stolen entries may be overwritten */
    w->seen_top = dfi_load_acquire(&w->top);
    if (dfi_up_task_run && DFI_UNLIKELY(size - (b - w->seen_top) < enough)) dfi_deque_grow_owner(w, enough);
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

/* Owner: writes the i-th entry behind the bottom, invisible until dfi_deque_publish_owner. door: from dfi_up_door, in
 * the low bits of the scope's address. pre: there is room for it. */
enum { DFI_DOORS = 7 };
static void dfi_deque_put_owner(struct dfi_worker *w, size_t i, void *entry, struct dfi_scope *scope, unsigned door)
{
    struct dfi_item *it = dfi_deque_item_any(w, dfi_load_relaxed(&w->bottom) + i);
    dfi_store_relaxed(&it->entry, entry);
    dfi_store_relaxed(&it->scope, (struct dfi_scope *)(void *)((char *)scope + door));
}

static void dfi_deque_publish_owner(struct dfi_worker *w, size_t n)
{
    /* seq_cst: as a release it publishes the entries and their targets to dfi_deque_steal_thief; in the total order
     * it precedes the check for sleepers in dfi_wake_for_work */
    dfi_store_seq_cst(&w->bottom, dfi_load_relaxed(&w->bottom) + n);
}

/* Takes entry t of v, its oldest. Zero: another thread took it. An owner that stopped offering entries because none was
 * taken (dfi_poll) starts again. */
static int dfi_deque_take_any(struct dfi_worker *v, size_t t)
{
    if (!dfi_cas_seq_cst(&v->top, &t, t + 1)) return 0;
    if (DFI_UNLIKELY(dfi_load_seq_cst(&v->withdrawn))) dfi_store_seq_cst(&v->hot.steal_request, (uintptr_t)1);
    return 1;
}

/* Owner: pops the newest entry. Zero: it was stolen. */
static int dfi_deque_pop_owner(struct dfi_worker *w)
{
    size_t b = dfi_load_relaxed(&w->bottom) - 1, t;
    int got;
    dfi_store_seq_cst(&w->bottom, b); /* before the load of top; thieves access them in the opposite order */
    t = dfi_load_seq_cst(&w->top);
    if ((intptr_t)(b - t) > 0) return 1;
    got = b == t && dfi_deque_take_any(w, t); /* the last entry: compete with thieves */
    dfi_store_relaxed(&w->bottom, b + 1);
    return got;
}

/* Owner: steals the oldest entry of its own deque if it is `entry`. */
DFI_UNUSED static int dfi_deque_take_oldest_owner(struct dfi_worker *w, void *entry)
{
    size_t t = dfi_load_seq_cst(&w->top);
    return (intptr_t)(dfi_load_relaxed(&w->bottom) - t) > 0 &&
           dfi_load_relaxed(&dfi_deque_item_any(w, t)->entry) == entry && dfi_deque_take_any(w, t);
}

/* Is `scope` the scope with that id, or inside it? children: by tasks alone, because the scope does not wait for its
 * futures. The structs read here may end at any time, so the result is meaningful only if a CAS then succeeds in taking
 * the entry with that scope. */
static int dfi_scope_inside(struct dfi_scope *scope, uintptr_t id, uintptr_t depth, int children)
{
    struct dfi_scope *below = NULL;
    while (scope) {
        uintptr_t d = dfi_load_relaxed(&scope->depth);
        struct dfi_scope *up;
        if (d == depth)
            return dfi_load_relaxed(&scope->id) == id &&
                   !(children && below && dfi_load_relaxed(&below->id) & DFI_ID_FUTURE);
        if (d < depth) return 0;
        up = dfi_load_relaxed(&scope->parent);
        if (!up || dfi_load_relaxed(&up->depth) >= d) return 0; /* this scope has ended meanwhile */
        below = scope, scope = up;
    }
    return 0;
}

/* The entries that may be taken: all (id 0), or only those inside one scope (children: as above). If `on_top_of` is not
 * NULL, only tasks that cannot depend on the tasks on the stack of that worker (dfi_may_run_on_top). If `thief` is not
 * NULL, only entries that this worker may run where some scopes admit few workers (dfi_up_thief_enters). */
struct dfi_filter { uintptr_t id, depth; int children; const struct dfi_worker *on_top_of; struct dfi_worker *thief; };
DFI_INLINE int dfi_filter_inside(const struct dfi_filter *f, struct dfi_scope *s)
{
    return !f->id || dfi_scope_inside(s, f->id, f->depth, f->children);
}

/* While dfi_pool.doors: may the thief w run an entry of that scope? ENTERED: it counts in the scope from now on, until
 * dfi_up_thief_leaves. victim, door: of a future, else NULL. wakes: it does not search for work next. */
enum { DFI_THIEF_MAY = 1, DFI_THIEF_ENTERED };
DFI_UPCALL(int, dfi_up_thief_enters, (struct dfi_worker *w, struct dfi_scope *s, const struct dfi_worker *victim,
                                      unsigned door));
DFI_UPCALL(void, dfi_up_thief_leaves, (struct dfi_worker *w, int wakes));
/* The same question for a task, without entering. */
DFI_UPCALL(int, dfi_up_thief_may_enter, (const struct dfi_worker *w, struct dfi_scope *s));
/* Owner: a number up to DFI_DOORS for the future at that height of the stack, which w knows when a thief names it. The
 * scope of a future is that of its function, so it does not tell in which block the future was spawned. */
DFI_UPCALL(unsigned, dfi_up_door, (const struct dfi_worker *w, size_t at));

/* Zero: w may not run an entry of that scope. pre: w has read the entry, which its owner published after the scope got
 * its door. */
DFI_INLINE int dfi_thief_enters(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_worker *victim,
                                unsigned door)
{
    if (!dfi_up_thief_enters || !w || DFI_LIKELY(!dfi_load_relaxed(&dfi_pool.doors))) return DFI_THIEF_MAY;
    return dfi_up_thief_enters(w, s, victim, door);
}

/* A stolen entry, from the deque of a victim or from a queue, or else a team to join. outside: it is outside the
 * scope that the thief waits for. entered: the thief has entered a scope for it. */
struct dfi_stolen {
    void *entry;
    struct dfi_scope *scope;
    struct dfi_worker *victim;
    struct dfi_team *team;
    int outside, entered;
};

/* Thief: steals the oldest entry of v if the filter admits it. If another thief is faster, tries the next entry, so
 * that a worker that parks afterwards has seen an empty deque or an entry that it may not run. */
static int dfi_deque_steal_thief(struct dfi_worker *v, const struct dfi_filter *f, struct dfi_stolen *stolen)
{
    while (!DFI_ALONE) {
        size_t t = dfi_load_seq_cst(&v->top);
        size_t b = dfi_load_seq_cst(&v->bottom); /* after top; the owner accesses them in the opposite order */
        struct dfi_item *it;
        int admitted, enters = DFI_THIEF_MAY;
        uintptr_t scope;
        if ((intptr_t)(b - t) <= 0) return 0;
        it = dfi_deque_item_any(v, t);
        stolen->entry = dfi_load_relaxed(&it->entry);
        scope = (uintptr_t)dfi_load_relaxed(&it->scope);
        stolen->scope = (struct dfi_scope *)(scope & ~(uintptr_t)DFI_DOORS);
        stolen->victim = v;
        admitted = dfi_filter_inside(f, stolen->scope) && (!f->on_top_of || (uintptr_t)stolen->entry & DFI_FLOW) &&
                   (enters = dfi_thief_enters(f->thief, stolen->scope, (uintptr_t)stolen->entry & DFI_FLOW ? NULL : v,
                                              (unsigned)(scope & DFI_DOORS))) != 0;
        if (!admitted && dfi_load_seq_cst(&v->top) == t) return 0;
        /* success implies that entry t was present all the time */
        stolen->entered = enters == DFI_THIEF_ENTERED;
        if (admitted && dfi_deque_take_any(v, t)) return 1;
        if (dfi_up_thief_leaves && stolen->entered) dfi_up_thief_leaves(f->thief, 0), stolen->entered = 0;
    }
    return 0;
}

static int dfi_deque_empty_any(struct dfi_worker *v)
{
    size_t t = dfi_load_seq_cst(&v->top);
    return DFI_ALONE || (intptr_t)(dfi_load_seq_cst(&v->bottom) - t) <= 0;
}

#endif
