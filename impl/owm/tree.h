/* tree.h - sets of ranges with a search for overlaps
 *
 * Treaps ordered by the beginning of the ranges; each node has the largest end in its subtree. Seidel and Aragon,
 * Randomized Search Trees, 1996; interval trees: Cormen and others, Introduction to Algorithms, 14.3. Everything
 * here is under the lock of the home. */
#ifndef DFI_OWM_TREE_H
#define DFI_OWM_TREE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../../df_owm.h"
#include "state.h"

#if DFI_OWM_CALLS

#define DFI_OWM_AT(i) (&dfi_owm.s->record[i])

/* A record of [b, e); 0: no room, which is logged (dfi_owm_tell). */
static unsigned dfi_owm_record_new(uintptr_t b, uintptr_t e)
{
    struct dfi_owm_segment *s = dfi_owm.s;
    struct dfi_owm_record *r;
    unsigned i = s->unused;
    if (i) s->unused = DFI_OWM_AT(i)->next;
    else if (s->used + 1 < DFI_OWM_RECORDS) i = ++s->used;
    else {
        dfi_store_relaxed(&dfi_owm.full, 1);
        return 0;
    }
    r = DFI_OWM_AT(i);
    memset((void *)r, 0, sizeof *r);
    dfi_random(&s->random);
    r->begin = b, r->end = r->most = e, r->rank = s->random ^ s->random >> 15;
    return i;
}

static void dfi_owm_record_free(unsigned i)
{
    DFI_OWM_AT(i)->next = dfi_owm.s->unused;
    dfi_owm.s->unused = i;
}

static int dfi_owm_before(uintptr_t begin, unsigned i, unsigned j)
{
    return begin != DFI_OWM_AT(j)->begin ? begin < DFI_OWM_AT(j)->begin : i < j;
}

static void dfi_owm_measure(unsigned i)
{
    struct dfi_owm_record *r = DFI_OWM_AT(i);
    r->most = r->end;
    if (r->left && DFI_OWM_AT(r->left)->most > r->most) r->most = DFI_OWM_AT(r->left)->most;
    if (r->right && DFI_OWM_AT(r->right)->most > r->most) r->most = DFI_OWM_AT(r->right)->most;
}

/* Both as one; all of a comes before all of b. */
static unsigned dfi_owm_join_sets(unsigned a, unsigned b)
{
    if (!a || !b) return a ? a : b;
    if (DFI_OWM_AT(a)->rank > DFI_OWM_AT(b)->rank) {
        DFI_OWM_AT(a)->right = dfi_owm_join_sets(DFI_OWM_AT(a)->right, b);
        dfi_owm_measure(a);
        return a;
    }
    DFI_OWM_AT(b)->left = dfi_owm_join_sets(a, DFI_OWM_AT(b)->left);
    dfi_owm_measure(b);
    return b;
}

/* Divides t into the records before record i, and the rest. */
static void dfi_owm_divide(unsigned t, unsigned i, unsigned *less, unsigned *more)
{
    if (!t) {
        *less = *more = 0;
        return;
    }
    if (dfi_owm_before(DFI_OWM_AT(i)->begin, i, t)) {
        dfi_owm_divide(DFI_OWM_AT(t)->left, i, less, &DFI_OWM_AT(t)->left);
        *more = t;
    } else {
        dfi_owm_divide(DFI_OWM_AT(t)->right, i, &DFI_OWM_AT(t)->right, more);
        *less = t;
    }
    dfi_owm_measure(t);
}

/* The set t with record i in it. */
static unsigned dfi_owm_insert(unsigned t, unsigned i)
{
    struct dfi_owm_record *r = DFI_OWM_AT(i), *at = DFI_OWM_AT(t);
    if (t && at->rank >= r->rank) {
        if (dfi_owm_before(r->begin, i, t)) at->left = dfi_owm_insert(at->left, i);
        else at->right = dfi_owm_insert(at->right, i);
        dfi_owm_measure(t);
        return t;
    }
    dfi_owm_divide(t, i, &r->left, &r->right);
    dfi_owm_measure(i);
    return i;
}

/* The set t without record i, which is in it. */
static unsigned dfi_owm_remove(unsigned t, unsigned i)
{
    struct dfi_owm_record *at = DFI_OWM_AT(t);
    if (t == i) return dfi_owm_join_sets(at->left, at->right);
    if (dfi_owm_before(DFI_OWM_AT(i)->begin, i, t)) at->left = dfi_owm_remove(at->left, i);
    else at->right = dfi_owm_remove(at->right, i);
    dfi_owm_measure(t);
    return t;
}

/* An iteration over the records that overlap [begin, end), by beginning; the latest one may be removed meanwhile. */
struct dfi_owm_walk { uintptr_t begin, end, at; unsigned last; };

static unsigned dfi_owm_step(unsigned t, const struct dfi_owm_walk *w)
{
    struct dfi_owm_record *r = DFI_OWM_AT(t);
    unsigned found;
    if (!t || r->most <= w->begin) return 0;
    if (!w->last || dfi_owm_before(w->at, w->last, t)) {
        if ((found = dfi_owm_step(r->left, w)) != 0) return found;
        if (r->begin >= w->end) return 0;
        if (r->end > w->begin) return t;
    }
    return dfi_owm_step(r->right, w);
}
static unsigned dfi_owm_next(unsigned set, struct dfi_owm_walk *w)
{
    unsigned i = dfi_owm_step(set, w);
    if (i) w->at = DFI_OWM_AT(i)->begin, w->last = i;
    return i;
}
static unsigned dfi_owm_first(unsigned set, struct dfi_owm_walk *w, uintptr_t begin, uintptr_t end)
{
    w->begin = begin, w->end = end, w->at = 0, w->last = 0;
    return begin < end ? dfi_owm_next(set, w) : 0;
}

/* Is any of [b, e) owned for writing in this process? For reading: also for reading. */
DFI_UNUSED static int dfi_owm_has_owner(uintptr_t b, uintptr_t e, int reading)
{
    struct dfi_owm_walk w;
    unsigned i;
    for (i = dfi_owm_first(dfi_owm.s->owned, &w, b, e); i; i = dfi_owm_next(dfi_owm.s->owned, &w)) {
        const struct dfi_owm_record *r = DFI_OWM_AT(i);
        if (r->process == dfi_owm.process && r->mode != DFI_OWM_REJECTED && (reading || r->mode & DF_OWM_W)) return 1;
    }
    return 0;
}

/* fn(b, e) for each part of [b, e) that has no such owner. */
static void dfi_owm_unowned(uintptr_t b, uintptr_t e, int reading, void (*fn)(void *arg, uintptr_t b, uintptr_t e),
                            void *arg)
{
    struct dfi_owm_walk w;
    unsigned i;
    for (i = dfi_owm_first(dfi_owm.s->owned, &w, b, e); i; i = dfi_owm_next(dfi_owm.s->owned, &w)) {
        const struct dfi_owm_record *r = DFI_OWM_AT(i);
        if (r->process != dfi_owm.process || r->mode == DFI_OWM_REJECTED || !(reading || r->mode & DF_OWM_W)) continue;
        if (r->begin > b) fn(arg, b, r->begin);
        if (r->end > b) b = r->end;
        if (b >= e) return;
    }
    fn(arg, b, e);
}

/* The allocation that byte b is in, and that this process has not freed; 0: none. */
static unsigned dfi_owm_allocation(uintptr_t b)
{
    struct dfi_owm_walk w;
    unsigned i = dfi_owm_first(dfi_owm.s->allocated, &w, b, b + 1);
    return i && DFI_OWM_AT(i)->gone >> dfi_owm.process & 1 ? 0 : i;
}

/* --- allocations that end --------------------------------------------------------------------------- */

/* Ends what is frozen or owned in an allocation. */
static void dfi_owm_drop(const struct dfi_owm_record *a)
{
    struct dfi_owm_walk w;
    unsigned i;
    for (i = dfi_owm_first(dfi_owm.s->frozen, &w, a->begin, a->end); i; i = dfi_owm_next(dfi_owm.s->frozen, &w)) {
        dfi_owm.s->frozen = dfi_owm_remove(dfi_owm.s->frozen, i);
        dfi_owm_record_free(i);
    }
    for (i = dfi_owm_first(dfi_owm.s->owned, &w, a->begin, a->end); i; i = dfi_owm_next(dfi_owm.s->owned, &w))
        DFI_OWM_AT(i)->mode = DFI_OWM_REJECTED; /* its release is no second mistake */
}

/* Allocation a is freed; its record tells from now on that it was. */
static void dfi_owm_free_record(unsigned a, const struct dfi_owm_place *by)
{
    struct dfi_owm_segment *s = dfi_owm.s;
    struct dfi_owm_record *r = DFI_OWM_AT(a);
    dfi_owm_drop(r);
    s->allocated = dfi_owm_remove(s->allocated, a);
    r->then = *by;
    if (s->n_freed >= DFI_OWM_FREED && dfi_owm.processes == 1) { /* of those there must be an end */
        dfi_owm_record_free(a);
        return;
    }
    s->freed = dfi_owm_insert(s->freed, a);
    s->n_freed++;
}

#endif

#endif
