/* table.h - region table of a scope: the last writer and readers of each region
 *
 * Each scope has one table, accessed only by the owner of the scope, without locks or atomics. A known region (same
 * address and shape) is found by a hash look-up. A new region is compared once, exactly, with those whose address
 * intervals overlap its own; these are found in a treap ordered by address that stores the largest end in each
 * subtree. The intervals of all blocks in a row of blocks of one matrix overlap. So each subtree also stores which
 * columns of the matrix its regions touch at most: an address modulo the length of a row is a column.
 * An entry keeps a list of the overlapping entries, which later accesses use. Entries whose tasks are all done are
 * dropped when the table has doubled, so a scope that touches ever new memory keeps only as many entries as it has
 * unfinished tasks. */
#ifndef DFI_FLOW_TABLE_H
#define DFI_FLOW_TABLE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/task.h"
#include "../work/blocks.h"
#include "../work/types.h"
#include "moments.h"
#include "types.h"
#include "../work/probe.h"
#include "region.h"

#include <limits.h>

enum {
    DFI_TABLE_SMALL = 8,       /* entries compared one by one; a recursive task rarely has more */
    DFI_TABLE_SWEEP = 8192,    /* first sweep: 2 MB of entries, .. */
    DFI_TABLE_PAIRS = 1 << 18  /* .. or so many pairs that overlap, 4 to 8 MB. Below, entries are never dropped */
};

/* Is the remembered task done? acquire on success: the data it wrote are visible to a task that need not wait for
 * it. */
static int dfi_ref_done(const struct dfi_ref *r)
{
    return !r->task || r->task->seq != r->seq || dfi_load_acquire(&r->task->succ) == DFI_DONE_EDGE;
}

/* Can the remembered task be dropped, because it is done and cancels no successors? */
static int dfi_ref_gone(const struct dfi_ref *r)
{
    return dfi_ref_done(r) && !(r->task && r->task->seq == r->seq && dfi_load_relaxed(&r->task->skip) == DFI_POISONS);
}

/* --- treap ------------------------------------------------------------------------------------- */

static void dfi_bounds_widen(struct dfi_bounds *b, const struct dfi_bounds *by)
{
    if (by->reach > b->reach) b->reach = by->reach;
    if (by->low < b->low) b->low = by->low;
    if (by->high > b->high) b->high = by->high;
}

/* The subtree of n is n itself, and those of its children. */
static DFI_NOINLINE void dfi_treap_update(struct dfi_entry *n)
{
    n->below = n->own;
    if (n->left) dfi_bounds_widen(&n->below, &n->left->below);
    if (n->right) dfi_bounds_widen(&n->below, &n->right->below);
}

/* Splits a treap: the regions that begin at p or before, and the others. */
static void dfi_treap_split(struct dfi_entry *root, uintptr_t p, struct dfi_entry **before, struct dfi_entry **after)
{
    if (!root) {
        *before = *after = NULL;
        return;
    }
    if (root->region.p > p) *after = root, dfi_treap_split(root->left, p, before, &root->left);
    else *before = root, dfi_treap_split(root->right, p, &root->right, after);
    dfi_treap_update(root);
}

/* Random priorities keep the depth logarithmic, and the number of nodes that are split constant. */
static void dfi_treap_insert(struct dfi_entry **at, struct dfi_entry *n)
{
    struct dfi_entry *root;
    for (; (root = *at) != NULL && root->priority >= n->priority;
         at = root->region.p > n->region.p ? &root->left : &root->right) dfi_bounds_widen(&root->below, &n->own);
    dfi_treap_split(root, n->region.p, &n->left, &n->right);
    dfi_treap_update(n);
    *at = n;
}

/* Sets the bounds of n. Its columns are all, if its region is no block in a matrix of that ld, nor lies in one row. */
static DFI_NOINLINE void dfi_entry_bounds(struct dfi_entry *n, size_t ld)
{
    const struct dfi_region *r = &n->region;
    n->own.reach = dfi_region_end(r);
    n->own.low = 0, n->own.high = UINT_MAX;
    if (!ld || (r->ld && r->ld != ld) || r->row > ld || r->p % ld > ld - r->row) return;
    n->own.low = (unsigned)(r->p % ld), n->own.high = n->own.low + (unsigned)r->row;
}

static int dfi_entry_link(struct dfi_entry *a, struct dfi_entry *b);

/* May a region within these bounds share a byte with that of n? */
static int dfi_bounds_meet(const struct dfi_bounds *b, const struct dfi_entry *n)
{
    return b->reach > n->region.p && b->low < n->own.high && b->high > n->own.low;
}

/* Links n with each entry in the subtree of root that shares a byte with it. 0, or -1 if out of memory. */
static int dfi_treap_link(struct dfi_entry *root, struct dfi_entry *n)
{
    for (; root && dfi_bounds_meet(&root->below, n); root = root->right) {
        if (root->left && dfi_treap_link(root->left, n)) return -1;
        if (root->region.p >= n->own.reach) return 0;
        if (dfi_bounds_meet(&root->own, n) && dfi_region_overlap(&root->region, &n->region) &&
            dfi_entry_link(root, n)) return -1;
    }
    return 0;
}

/* --- entries ------------------------------------------------------------------------------------- */

/* Doubles the room of a malloced array, even if there is some left. few: the initial array, or NULL. -1: out of
 * memory, which the caller reports. */
static int dfi_array_grow(void *array, const void *few, unsigned *max, size_t bytes)
{
    size_t room = *max;
    if (dfi_array_room(array, few, room + 1, &room, bytes)) return -1;
    *max = (unsigned)room;
    return 0;
}

/* The same for an array without which the task that is being registered runs immediately. */
static int dfi_entry_grow(void *array, const void *few, unsigned *max, size_t bytes)
{
    if (!dfi_array_grow(array, few, max, bytes)) return 0;
    dfi_warn_no_memory();
    return -1;
}

static int dfi_entry_over_push(struct dfi_entry *a, struct dfi_entry *b)
{
    if (a->n_over == a->max_over &&
        dfi_entry_grow((void *)&a->over, NULL, &a->max_over, sizeof *a->over)) return -1;
    a->over[a->n_over++] = (struct dfi_entry *)((uintptr_t)b | (uintptr_t)dfi_region_covers(&a->region, &b->region));
    return 0;
}

static struct dfi_entry *dfi_entry_over(const struct dfi_entry *n, unsigned i)
{
    return (struct dfi_entry *)((uintptr_t)n->over[i] & ~(uintptr_t)1);
}

static int dfi_entry_link(struct dfi_entry *a, struct dfi_entry *b)
{
    if (dfi_entry_over_push(a, b)) return -1;
    if (dfi_entry_over_push(b, a)) {
        a->n_over--;
        return -1;
    }
    return 0;
}

/* s: its table is being freed, and tasks of s may still be running; or NULL. */
static void dfi_entry_free(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    if (DFI_UNLIKELY(n->asks) && dfi_up_entry_free) dfi_up_entry_free(w, s, n);
    if (n->readers != n->few_readers) dfi_mfree(n->readers);
    dfi_mfree(n->over);
    dfi_block_free(w, w, &n->head);
}

static void dfi_entry_unlink(struct dfi_entry *n) /* from the lists of overlapping entries */
{
    unsigned i, j;
    for (i = 0; i < n->n_over; i++) {
        struct dfi_entry *m = dfi_entry_over(n, i);
        for (j = 0; j < m->n_over; j++)
            if (dfi_entry_over(m, j) == n) {
                m->over[j] = m->over[--m->n_over];
                break;
            }
    }
}

static void dfi_entry_drop_done_readers(struct dfi_entry *n)
{
    unsigned i, kept = 0;
    if (DFI_UNLIKELY(dfi_keeps_past(n->n_readers))) return;
    for (i = 0; i < n->n_readers; i++)
        if (!dfi_ref_gone(&n->readers[i])) n->readers[kept++] = n->readers[i];
    n->n_readers = kept;
}

static int dfi_entry_add_reader(struct dfi_entry *n, struct dfi_ref r)
{
    if (n->n_readers == n->max_readers) {
        dfi_entry_drop_done_readers(n);
        if (n->n_readers > n->max_readers / 2) {
            if (dfi_entry_grow((void *)&n->readers, n->few_readers, &n->max_readers, sizeof *n->readers))
                return -1;
        }
    }
    n->readers[n->n_readers++] = r;
    return 0;
}

/* --- the table --------------------------------------------------------------------------------- */

static struct dfi_table *dfi_table_new(struct dfi_worker *w)
{
    struct dfi_table *t = (struct dfi_table *)dfi_block_get(w, DFI_CLS_TABLE);
    if (!t) return NULL;
    t->all = t->root = NULL;
    t->bucket = NULL;
    t->mask = t->count = t->ld = 0;
    t->sweep_at = DFI_TABLE_SWEEP;
    t->pairs = 0, t->sweep_pairs = DFI_TABLE_PAIRS;
    t->unsettled = 0;
    if (dfi_up_table_new) dfi_up_table_new(t);
    return t;
}

/* The table of s, made if it has none. NULL: out of memory. */
static struct dfi_table *dfi_table_of(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_flow_scope *own = dfi_flow_of(s);
    if (!own->table) own->table = dfi_table_new(w);
    return own->table;
}

/* The table of a scope whose first entry found no memory. It stays empty and is only read. */
static struct dfi_table dfi_table_closed;

/* Frees the table of s. Tasks of s may still be running. */
static void dfi_table_free(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_table *t = dfi_flow_of(s)->table;
    struct dfi_entry *n, *next;
    if (t == &dfi_table_closed) return;
    for (n = t->all; n; n = next) {
        next = n->all;
        dfi_entry_free(w, s, n);
    }
    dfi_mfree(t->bucket);
    dfi_block_free(w, w, &t->head);
}

static void dfi_table_chain(struct dfi_table *t, struct dfi_entry *n)
{
    struct dfi_entry **b = &t->bucket[dfi_region_hash(&n->region) & t->mask];
    n->chain = *b, *b = n;
}

DFI_SMALL_CODE_BEGIN

static void dfi_table_refill(struct dfi_table *t)
{
    struct dfi_entry *n;
    memset(t->bucket, 0, (t->mask + 1) * sizeof *t->bucket);
    for (n = t->all; n; n = n->all) dfi_table_chain(t, n);
}

/* Builds the treap anew, with the columns of the matrix of the newest block. */
static void dfi_table_replant(struct dfi_table *t)
{
    struct dfi_entry *n;
    for (n = t->all; n && !n->region.ld;) n = n->all;
    t->ld = n && n->region.ld < UINT_MAX ? n->region.ld : 0;
    t->root = NULL;
    for (n = t->all; n; n = n->all) dfi_entry_bounds(n, t->ld), dfi_treap_insert(&t->root, n);
}

/* Makes a hash table with room for twice the entries. */
static DFI_NOINLINE int dfi_table_grow(struct dfi_table *t)
{
    size_t size = 32;
    struct dfi_entry **b;
    while (size < 2 * (t->count + 1)) size *= 2;
    if (!(b = (struct dfi_entry **)dfi_malloc(size * sizeof *b))) {
        dfi_warn_no_memory();
        return -1;
    }
    dfi_mfree(t->bucket);
    t->bucket = b, t->mask = size - 1;
    dfi_table_refill(t);
    if (!t->root) dfi_table_replant(t);
    return 0;
}

/* Are all tasks of n done, and is it not kept? */
static unsigned dfi_entry_dead(struct dfi_entry *n)
{
    dfi_entry_drop_done_readers(n);
    return !n->n_readers && dfi_ref_gone(&n->writer) && !(n->asks & ~(unsigned)DFI_ENTRY_JOINT);
}

/* Frees the table of s if it knows nothing of use: without one, tasks run immediately at the lowest cost (careful.h).
 * pre: s has no unfinished children */
static DFI_NOINLINE void dfi_table_forget(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_table *t = dfi_flow_of(s)->table;
    struct dfi_entry *n;
    if (!t || t == &dfi_table_closed || s->asks & ~(unsigned)DFI_ASKS_CREATE || dfi_keeps_past(0)) return;
    for (n = t->all; n; n = n->all)
        if (!dfi_entry_dead(n)) return;
    dfi_table_free(w, s);
    dfi_flow_of(s)->table = NULL;
}

/* Drops the entries whose tasks are all done. */
static DFI_NOINLINE void dfi_table_sweep(struct dfi_worker *w, struct dfi_table *t)
{
    struct dfi_entry *n, **at;
    unsigned i, kept;
    for (n = t->all; n; n = n->all) n->dead = dfi_entry_dead(n);
    t->pairs = 0;
    for (n = t->all; n; n = n->all) {
        if (n->dead) continue;
        for (i = kept = 0; i < n->n_over; i++)
            if (!dfi_entry_over(n, i)->dead) n->over[kept++] = n->over[i];
        n->n_over = kept;
        t->pairs += kept;
    }
    t->pairs /= 2;
    for (at = &t->all; (n = *at) != NULL;) {
        if (n->dead) {
            *at = n->all;
            t->count--;
            dfi_entry_free(w, NULL, n);
        } else at = &n->all;
    }
    t->sweep_at = 2 * t->count;
    if (t->sweep_at < DFI_TABLE_SWEEP) t->sweep_at = DFI_TABLE_SWEEP;
    t->sweep_pairs = t->pairs < DFI_TABLE_PAIRS / 2 ? (size_t)DFI_TABLE_PAIRS : 2 * t->pairs;
    dfi_table_refill(t);
    dfi_table_replant(t);
}

DFI_SMALL_CODE_END

static DFI_NOINLINE struct dfi_entry *dfi_table_add(struct dfi_worker *w, struct dfi_table *t,
                                                    const struct dfi_region *r)
{
    struct dfi_entry *n, *m;
    int failed = 0;
    if (t == &dfi_table_closed) return NULL;
    if ((t->count >= t->sweep_at || t->pairs >= t->sweep_pairs) && !dfi_keeps_past(t->count)) dfi_table_sweep(w, t);
    if ((t->bucket ? t->count > t->mask : t->count == DFI_TABLE_SMALL) && dfi_table_grow(t)) return NULL;
    if (!(n = (struct dfi_entry *)dfi_block_get(w, DFI_CLS_ENTRY))) return NULL;
    n->region = *r;
    n->writer.task = NULL;
    n->readers = n->few_readers, n->n_readers = 0, n->max_readers = 2;
    n->over = NULL, n->n_over = n->max_over = 0;
    n->kind = DFI_IN, n->asks = 0;
    if (dfi_up_entry_new) dfi_up_entry_new(n);
    n->priority = dfi_random(&w->random) >> 8;
    if (t->bucket) {
        if (DFI_UNLIKELY(r->ld && !t->ld) && r->ld < UINT_MAX) t->ld = r->ld;
        dfi_entry_bounds(n, t->ld);
        failed = dfi_treap_link(t->root, n);
    } else
        for (m = t->all; m && !failed; m = m->all)
            if (dfi_region_overlap(&m->region, r)) failed = dfi_entry_link(m, n);
    if (failed) {
        dfi_entry_unlink(n);
        dfi_entry_free(w, NULL, n);
        return NULL;
    }
    n->all = t->all, t->all = n;
    t->count++, t->pairs += n->n_over;
    if (t->bucket) dfi_table_chain(t, n), dfi_treap_insert(&t->root, n);
    return n;
}

static struct dfi_entry *dfi_table_find(struct dfi_worker *w, struct dfi_table *t, const struct dfi_region *r)
{
    struct dfi_entry *n;
    if (t->bucket) {
        for (n = t->bucket[dfi_region_hash(r) & t->mask]; n; n = n->chain)
            if (dfi_region_same(&n->region, r)) return n;
    } else {
        for (n = t->all; n; n = n->all)
            if (dfi_region_same(&n->region, r)) return n;
    }
    return dfi_table_add(w, t, r);
}

#endif
