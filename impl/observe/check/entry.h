/* entry.h - DF_CHECK with AddressSanitizer: the declared regions of unfinished tasks and of open scopes */
#ifndef DFI_OBSERVE_CHECK_ENTRY_H
#define DFI_OBSERVE_CHECK_ENTRY_H

#include "../../base/atomic.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../flow/region.h"
#include "check.h"
#include "declared.h"
#include "live.h"
#include "turn.h"
#include "view.h"

#if DFI_CHECK_ASAN

static size_t dfi_check_hash(const struct dfi_scope *s, const struct dfi_region *r)
{
    return (size_t)dfi_region_hash(r) ^ (size_t)((uintptr_t)s >> 6);
}

/* Doubles the number of buckets. 0, or -1 without memory. */
static int dfi_check_grow(void)
{
    struct dfi_check *c = &dfi_check;
    size_t n = c->buckets ? 2 * c->buckets : 256, i;
    struct dfi_check_entry **bucket = (struct dfi_check_entry **)dfi_malloc(n * sizeof *bucket), *e;
    if (!bucket) return -1;
    for (i = 0; i < n; i++) bucket[i] = NULL;
    for (e = c->entries; e; e = e->next) {
        i = dfi_check_hash(e->scope, &e->region) & (n - 1);
        e->chain = bucket[i], bucket[i] = e;
    }
    dfi_mfree((void *)c->bucket);
    c->bucket = bucket, c->buckets = n;
    return 0;
}

/* The entry of the region of a task in s, from `list`. NULL without memory. pre: the lock */
static struct dfi_check_entry *dfi_check_node_of(struct dfi_scope *s, struct dfi_check_entry **list,
                                                 const struct dfi_region *r)
{
    struct dfi_check *c = &dfi_check;
    struct dfi_check_entry *n, **bucket;
    if (c->n_nodes >= c->buckets && dfi_check_grow()) return NULL;
    bucket = &c->bucket[dfi_check_hash(s, r) & (c->buckets - 1)];
    for (n = *bucket; n; n = n->chain)
        if (n->scope == s && !n->gone && dfi_region_same(&n->region, r)) return n;
    if (!(n = (struct dfi_check_entry *)dfi_malloc(sizeof *n))) return NULL;
    memset((void *)n, 0, sizeof *n);
    n->region = *r, n->scope = s, n->list = list;
    n->chain = *bucket, *bucket = n;
    n->next = c->entries, c->entries = n;
    if (n->next) n->next->before = n;
    n->sibling = *list, n->at = list, *list = n;
    if (n->sibling) n->sibling->at = &n->sibling;
    c->n_nodes++;
    return n;
}

/* pre: the lock; no task declares it */
static void dfi_check_forget(struct dfi_check_entry *n)
{
    struct dfi_check *c = &dfi_check;
    struct dfi_check_entry **at = &c->bucket[dfi_check_hash(n->scope, &n->region) & (c->buckets - 1)];
    if (!n->gone) dfi_live_region_take(&n->region, 1);
    while (*at != n) at = &(*at)->chain;
    *at = n->chain;
    if (n->before) n->before->next = n->next;
    else c->entries = n->next;
    if (n->next) n->next->before = n->before;
    *n->at = n->sibling;
    if (n->sibling) n->sibling->at = n->at;
    c->n_nodes--;
    dfi_mfree(n);
}

/* p is about to be freed: declarations there end. */
static void dfi_check_freed(const volatile void *p)
{
    uintptr_t lo = (uintptr_t)p, hi;
    struct dfi_check_entry *n;
    if (dfi_check_locked || !p || !dfi_check.n_nodes) return;
    hi = lo + dfi_asan_size(p);
    dfi_check_lock();
    if (dfi_live_any(lo, hi))
        for (n = dfi_check.entries; n; n = n->next)
            if (!n->gone && dfi_region_meets_range(&n->region, lo, hi)) {
                n->gone = 1;
                dfi_live_region_take(&n->region, 0);
            }
    dfi_check_unlock();
}
static void dfi_check_allocated(const volatile void *p, size_t n) { (void)p, (void)n; }

/* The functions below `frame` on the stack of this thread have returned: declarations of finished
 * tasks there end. */
static void dfi_check_stack_ends(uintptr_t frame)
{
    enum { NEAR = 1 << 18 }; /* bytes: deeper memory is reused as rarely as an error in it is found */
    uintptr_t lo = frame > (uintptr_t)NEAR ? frame - NEAR : 0;
    struct dfi_check_entry *n;
    dfi_check_lock();
    if (dfi_live_any(lo, frame))
        for (n = dfi_check.entries; n; n = n->next)
            if (!n->gone && !n->unfinished && n->region.p >= lo && dfi_region_end(&n->region) <= frame) {
                n->gone = 1;
                dfi_live_region_take(&n->region, 1);
            }
    dfi_check_unlock();
}

/* The variable at p, which t was given, is gone: other functions, including those of df, now use its
 * memory. */
static void dfi_check_lose(struct dfi_flow *t, uintptr_t p)
{
    unsigned i;
    dfi_check_lock();
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        struct dfi_check_entry *n = dfi_task_checks(t)->checked[i].entry;
        if (!n || n->gone || n->region.p != p) continue;
        n->gone = 1;
        dfi_live_region_take(&n->region, 1);
    }
    dfi_check_unlock();
}

/* The regions of a task cannot be kept: when it is submitted, all memory becomes open. */
static void dfi_check_give_up(void)
{
    dfi_check_lock();
    dfi_check_live.failed = 1;
    dfi_check_unlock();
}

/* The running code submits t, with its accesses in dfi_task_checks(t)->checked. */
static void dfi_check_declare(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_check_view v;
    struct dfi_check_entry **list;
    unsigned i;
    memset((void *)&v, 0, sizeof v);
    dfi_view_of_scope(&v, t->scope);
    if (!dfi_check.hooked) { /* two threads in a race install it twice, which is harmless */
        dfi_check.hooked = 1;
        dfi_asan_hooks(dfi_check_allocated, dfi_check_freed);
    }
    if (!dfi_checked_of(w)->in_turn && !dfi_checked_of(w)->pauses) { /* the first task that it submits after a wait */
        DFI_ASSERT(!dfi_checked_of(w)->view && v.bottom);
        dfi_checked_of(w)->bottom_view = v;
        dfi_checked_of(w)->view = &dfi_checked_of(w)->bottom_view;
        dfi_check_turn_take(w);
        if (dfi_check.holder == w) dfi_view_open(dfi_checked_of(w)->view);
    } else dfi_check_lock();
    if (dfi_load_relaxed(&dfi_more.devices)) dfi_check.off = 1, dfi_check_clear();
    dfi_task_checks(t)->number = ++dfi_check.submitted;
    list = dfi_view_list(&v);
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        struct dfi_checked *x = &dfi_task_checks(t)->checked[i];
        struct dfi_check_entry *n = dfi_check.off || x->elsewhere ? NULL
            : dfi_check_node_of(t->scope, list, &x->region);
        x->wrong = 0;
        x->entry = n;
        if (!n && !dfi_check.off && !x->elsewhere) dfi_check_live.failed = 1;
        if (!n) continue;
        if (!n->type) { /* new */
            if ((x->wrong = dfi_check_unmapped(&x->region)) != 0 ||
                (x->wrong = dfi_live_region_wrong(&x->region)) != 0) n->gone = 1;
            else dfi_live_region_add(&x->region);
        }
        n->unfinished++;
        if (x->mode & DFI_WRITES) n->writers++, n->waited = 0, n->last = dfi_task_checks(t)->number;
        if (!n->type || x->mode & DFI_WRITES || !(n->mode & DFI_WRITES))
            n->type = t->type, n->site = dfi_task_checks(t)->site, n->mode = x->mode, n->parameter = x->parameter;
        if (n->writers && !n->waited && dfi_check.holder == w && dfi_view_list(dfi_checked_of(w)->view) == list)
            dfi_check_close(n);
    }
    if (dfi_check_live.failed) dfi_check.off = 1, dfi_check_clear();
    dfi_check_unlock();
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++)
        if (dfi_task_checks(t)->checked[i].wrong)
            dfi_check_say_memory(t, &dfi_task_checks(t)->checked[i], dfi_task_checks(t)->checked[i].wrong);
}

/* t is done, and its handle or a token is about to say so. Earlier tasks may be unfinished, but have finished with the
 * memory for which t waited (weak accesses, df_release): the submitter may access it, unless a task later than t writes
 * it. pre: the lock */
static void dfi_check_tells(const struct dfi_flow *t)
{
    const struct dfi_extra *x = dfi_extra_if(t);
    struct dfi_worker *h = dfi_check.holder;
    struct dfi_check_entry *n;
    unsigned i;
    if (!x || (!dfi_tokens_of(x)->signals && !dfi_cancel_of(x)->handle)) return;
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        const struct dfi_checked *c = &dfi_task_checks(t)->checked[i];
        /* not those that are in no order, and no memory that was renamed */
        if (!c->entry || c->mode & DFI_SHARED || (uintptr_t)dfi_check_pointer(t, i) != c->region.p) continue;
        for (n = *c->entry->list; n; n = n->sibling) {
            if (!n->writers || n->waited || n->scope != t->scope || n->last > dfi_task_checks(t)->number ||
                !dfi_region_overlap(&n->region, &c->region)) continue;
            n->waited = 1;
            if (h && dfi_view_list(dfi_checked_of(h)->view) == n->list) dfi_check_open(n);
        }
    }
}

static void dfi_check_done(struct dfi_flow *t)
{
    struct dfi_worker *h;
    unsigned i;
    if (!dfi_task_checks(t)->n_checked) return;
    dfi_check_lock();
    h = dfi_check.holder;
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        struct dfi_check_entry *n = dfi_task_checks(t)->checked[i].entry;
        if (!n) continue;
        n->unfinished--;
        if (!(dfi_task_checks(t)->checked[i].mode & DFI_WRITES) || --n->writers) continue;
        if (h && dfi_view_list(dfi_checked_of(h)->view) == n->list) dfi_check_open(n);
    }
    dfi_check_tells(t);
    dfi_check_unlock();
}

/* The body of t has waited for the tasks that access r: it may access its weak declarations there.
 * pre: the lock */
static void dfi_check_strengthen(struct dfi_flow *t, const struct dfi_region *r)
{
    unsigned i;
    for (i = 0; t && i < dfi_task_checks(t)->n_checked; i++)
        if (dfi_task_checks(t)->checked[i].mode & DFI_CHILDREN &&
            dfi_region_overlap(&dfi_task_checks(t)->checked[i].region, r))
            dfi_task_checks(t)->checked[i].mode &= ~(unsigned)DFI_CHILDREN;
}

static void dfi_check_waited(struct dfi_worker *w, const struct dfi_access *x)
{
    struct dfi_region r = dfi_region_of(x);
    struct dfi_check_view v;
    struct dfi_check_entry *n;
    if (!r.rows) return;
    dfi_view_here(w, &v);
    dfi_check_lock();
    dfi_check_strengthen(v.task, &r);
    /* an unfinished task that writes only to other bytes, or has released these */
    for (n = *dfi_view_list(&v); n; n = n->sibling)
        if (n->writers && dfi_region_overlap(&n->region, &r)) n->waited = 1;
    if (dfi_check.holder == w) dfi_view_open(dfi_checked_of(w)->view);
    dfi_check_unlock();
}

static void dfi_check_children_done(struct dfi_scope *s)
{
    struct dfi_check_view v;
    struct dfi_check_entry *n, *next, **list;
    dfi_scope_checks(s)->n_variables = 0;
    memset((void *)&v, 0, sizeof v);
    dfi_view_of_scope(&v, s);
    list = dfi_view_list(&v);
    if (!*list) return; /* only the code of s, and the worker that completes it, adds to it */
    dfi_check_lock();
    for (n = *list; n; n = next) {
        next = n->sibling;
        if (n->scope != s || n->unfinished) continue;
        dfi_check_strengthen(v.task, &n->region);
        dfi_check_forget(n);
    }
    dfi_live_compact();
    dfi_check_unlock();
}

/* The running task releases a part of its declarations to others. */
static void dfi_check_release(struct dfi_worker *w, const struct dfi_region *r)
{
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_live_region_close(r);
    dfi_check_unlock();
}

#endif

#endif
