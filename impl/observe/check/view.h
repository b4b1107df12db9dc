/* view.h - DF_CHECK with AddressSanitizer: the memory that the running code may access
 *
 * Of live bytes, the body of a task may access those that the task declares, and those that its own
 * children declare, unless an unfinished child writes them. The code of a thread outside all tasks
 * may access everything except memory that its unfinished children write. All else is poisoned while
 * that code runs. Declarations of tasks of an open scope stay live after the tasks are done, so that
 * a later task without a dependence on them is found, too. */
#ifndef DFI_OBSERVE_CHECK_VIEW_H
#define DFI_OBSERVE_CHECK_VIEW_H

#include "../../base/atomic.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/region.h"
#include "../../flow/table.h"
#include "check.h"
#include "declared.h"
#include "live.h"
#include "turn.h"

#if DFI_CHECK_ASAN

/* The list of regions that the code of v submitted. */
static struct dfi_check_entry **dfi_view_list(const struct dfi_check_view *v)
{
    return v->task ? &v->task->declared : v->bottom ? &v->bottom->declared : NULL;
}

static void dfi_check_close(const struct dfi_check_entry *n)
{
    if (!n->gone) dfi_live_region_close(&n->region);
}
static void dfi_check_open(const struct dfi_check_entry *n)
{
    if (!n->gone) dfi_live_region_open(&n->region);
}

/* Poisons the memory that the task released. */
static void dfi_view_close_released(const struct dfi_flow *t)
{
    const struct dfi_weak *k = t->task.mem.special ? t->extra->weak : NULL;
    unsigned i;
    for (i = 0; k && i < k->n_released; i++) dfi_live_region_close(&k->released[i].region);
}

/* Opens the memory of v. pre: the lock; all live bytes are poisoned */
static void dfi_view_open(const struct dfi_check_view *v)
{
    struct dfi_check_entry *n, **list = dfi_view_list(v);
    unsigned i;
    if (v->all || v->bottom) dfi_live_all(1);
    for (i = 0; i < v->n; i++) dfi_live_region_open(&v->region[i]);
    if (v->done)
        for (n = dfi_check.entries; n; n = n->next)
            if (!n->unfinished) dfi_check_open(n);
    if (!list) return;
    for (n = *list; n; n = n->sibling)
        if (!n->writers || n->waited) dfi_check_open(n);
    for (i = 0; v->task && i < v->task->n_checked; i++)
        if (v->task->checked[i].entry && !(v->task->checked[i].mode & DFI_WEAK))
            dfi_check_open(v->task->checked[i].entry);
    if (v->task) dfi_view_close_released(v->task);
    for (n = *list; n; n = n->sibling)
        if (n->writers && !n->waited) dfi_check_close(n);
}

/* Poisons all live bytes again. pre: the lock */
static void dfi_view_close(const struct dfi_check_view *v)
{
    struct dfi_check_entry *n, **list = dfi_view_list(v);
    unsigned i;
    if (v->all || v->bottom) {
        dfi_live_all(0);
        return;
    }
    for (i = 0; i < v->n; i++) dfi_live_region_close(&v->region[i]);
    for (n = v->done ? dfi_check.entries : NULL; n; n = n->next) dfi_check_close(n);
    if (!list) return;
    for (i = 0; v->task && i < v->task->n_checked; i++)
        if (v->task->checked[i].entry) dfi_check_close(v->task->checked[i].entry);
    for (n = *list; n; n = n->sibling) dfi_check_close(n);
}

/* --- the code that runs ----------------------------------------------------------------------- */

/* Tasks that df itself makes of a loop (more/loop/wavefront.h) have no declarations; they count as
 * code of the caller. */
static int dfi_check_is_task(const struct dfi_flow *t) { return t->type->labels || t->n_checked; }

/* The task, or else the bottom of a thread, whose code runs in s. */
static void dfi_view_of_scope(struct dfi_check_view *v, const struct dfi_scope *s)
{
    for (;;) {
        struct dfi_flow *t = s->kind == DFI_BODY ? s->task : s->kind == DFI_BLOCK ? s->saved_task : NULL;
        if (t && dfi_check_is_task(t)) {
            v->task = t;
            return;
        }
        if (s->kind == DFI_BOTTOM) {
            v->bottom = (struct dfi_scope *)(uintptr_t)s;
            return;
        }
        s = t ? t->scope : s->kind == DFI_STOLEN ? dfi_load_relaxed(&s->parent) : s->outer;
    }
}

/* The running code, unless it is a body nested in a wait. */
static void dfi_view_here(struct dfi_worker *w, struct dfi_check_view *v)
{
    memset((void *)v, 0, sizeof *v);
    if (w->task && dfi_check_is_task(w->task)) v->task = w->task;
    else dfi_view_of_scope(v, w->task ? w->task->scope : w->scope);
}

/* True if t is ordered by more than declarations: finished tasks may then precede it. */
static int dfi_view_done(const struct dfi_flow *t)
{
    struct dfi_check_view v;
    for (;;) {
        const struct dfi_extra *x = t->task.mem.special ? t->extra : NULL;
        if (x && (x->after || x->windows || x->titles)) return 1;
        memset((void *)&v, 0, sizeof v);
        dfi_view_of_scope(&v, t->scope);
        if (!(t = v.task)) return 0;
    }
}

static void dfi_view_of_task(struct dfi_check_view *v, struct dfi_flow *t)
{
    memset((void *)v, 0, sizeof *v);
    if (!t) v->all = 1; /* it runs immediately, because memory is short */
    else if (dfi_check_is_task(t)) v->task = t;
    else dfi_view_of_scope(v, t->scope);
    if (v->task) v->done = dfi_view_done(v->task);
    if (t && t->task.mem.special && t->extra->titles) v->all = 1; /* a node: its inputs order it, also within tasks */
}

/* --- turns and views --------------------------------------------------------------------------- */

/* Begins the code of v, nested in the code that w runs. */
static void dfi_view_begin(struct dfi_worker *w, struct dfi_check_view *v)
{
    int nested = w->in_turn;
    v->outer = w->view;
    v->pauses = w->pauses, w->pauses = 0;
    if (!nested) dfi_turn_take(w);
    else {
        dfi_check_lock();
        if (dfi_check.holder == w) dfi_view_close(w->view);
    }
    w->view = v;
    if (dfi_check.holder == w) dfi_view_open(v);
    dfi_check_unlock();
}

/* nested: as before dfi_view_begin, w has a turn for the code below. */
static void dfi_view_end(struct dfi_worker *w, struct dfi_check_view *v, int nested)
{
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_view_close(v);
    w->view = v->outer, w->pauses = v->pauses;
    if (!nested) dfi_turn_give(w);
    else if (dfi_check.holder == w) dfi_view_open(w->view);
    dfi_check_unlock();
}

static void dfi_check_pause(struct dfi_worker *w)
{
    if (w->pauses++ || !w->in_turn) return;
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_view_close(w->view);
    dfi_turn_give(w);
    dfi_check_unlock();
}

static void dfi_check_resume(struct dfi_worker *w)
{
    struct dfi_check_view *v = w->view;
    if (--w->pauses || !v) return;
    if (v == &w->bottom_view && !v->bottom->declared) { /* all its submitted tasks are done */
        w->view = NULL;
        return;
    }
    dfi_turn_take(w);
    if (dfi_check.holder == w) dfi_view_open(v);
    dfi_check_unlock();
}

/* A part of a loop or pipe, or a future, run by a waiting thread, or by another thread than its
 * code. Nonzero: for dfi_check_part_end. */
static int dfi_check_part_begin(struct dfi_worker *w, struct dfi_check_view *v, const struct dfi_scope *s)
{
    int nested = w && w->in_turn;
    if (!w) return 0;
    memset((void *)v, 0, sizeof *v);
    if (s) dfi_view_of_scope(v, s);
    else dfi_view_here(w, v);
    if (v->task) v->done = dfi_view_done(v->task);
    if (nested && w->view->task == v->task && w->view->bottom == v->bottom) return 0;
    dfi_view_begin(w, v);
    return 1 + nested;
}

static void dfi_check_part_end(struct dfi_worker *w, struct dfi_check_view *v, int begun)
{
    if (begun) dfi_view_end(w, v, begun == 2);
}

static int dfi_check_own_begin(struct dfi_check_view *v, const struct dfi_region *r, unsigned n)
{
    struct dfi_worker *w = dfi_me();
    int nested = w && w->in_turn;
    if (!w) return 0;
    memset((void *)v, 0, sizeof *v);
    v->region = r, v->n = n;
    dfi_view_begin(w, v);
    return 1 + nested;
}
static void dfi_check_own_end(struct dfi_check_view *v, int begun) { dfi_check_part_end(dfi_me(), v, begun); }

/* --- declarations ----------------------------------------------------------------------------- */

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
    for (i = 0; i < t->n_checked; i++) {
        struct dfi_check_entry *n = t->checked[i].entry;
        if (!n || n->gone || n->region.p != p) continue;
        n->gone = 1;
        dfi_live_region_take(&n->region, 1);
    }
    dfi_check_unlock();
}

/* The running code submits t, with its accesses in t->checked. */
static void dfi_check_declare(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_check_view v;
    struct dfi_check_entry **list;
    uintptr_t wrong[DFI_PARAMETERS];
    int elsewhere[DFI_PARAMETERS];
    unsigned i;
    memset((void *)&v, 0, sizeof v);
    dfi_view_of_scope(&v, t->scope);
    for (i = 0; i < t->n_checked; i++) elsewhere[i] = dfi_check_elsewhere(t->checked[i].region.p);
    if (!dfi_check.hooked) { /* two threads in a race install it twice, which is harmless */
        dfi_check.hooked = 1;
        dfi_asan_hooks(dfi_check_allocated, dfi_check_freed);
    }
    if (!w->in_turn && !w->pauses) { /* the thread submits its first task since it waited */
        DFI_ASSERT(!w->view && v.bottom);
        w->bottom_view = v;
        w->view = &w->bottom_view;
        dfi_turn_take(w);
        if (dfi_check.holder == w) dfi_view_open(w->view);
    } else dfi_check_lock();
    if (dfi_load_relaxed(&dfi_pool.devices) || dfi_check_live.failed) dfi_check.off = 1, dfi_check_clear();
    list = dfi_view_list(&v);
    for (i = 0; i < t->n_checked; i++) {
        struct dfi_checked *x = &t->checked[i];
        struct dfi_check_entry *n = dfi_check.off || elsewhere[i] ? NULL
            : dfi_check_node_of(t->scope, list, &x->region);
        wrong[i] = 0;
        x->entry = n;
        if (!n) continue;
        if (!n->type) { /* new */
            if ((wrong[i] = dfi_check_unmapped(&x->region)) != 0 ||
                (wrong[i] = dfi_live_region_wrong(&x->region)) != 0) n->gone = 1;
            else dfi_live_region_add(&x->region);
        }
        n->unfinished++;
        if (x->mode & DFI_WRITES) n->writers++, n->waited = 0;
        if (!n->type || x->mode & DFI_WRITES || !(n->mode & DFI_WRITES))
            n->type = t->type, n->site = t->site, n->mode = x->mode, n->parameter = x->parameter;
        if (n->writers && !n->waited && dfi_check.holder == w && dfi_view_list(w->view) == list) dfi_check_close(n);
    }
    dfi_check_unlock();
    for (i = 0; i < t->n_checked; i++)
        if (wrong[i]) dfi_check_say_memory(t, &t->checked[i], wrong[i]);
}

static void dfi_check_done(struct dfi_flow *t)
{
    struct dfi_worker *h;
    unsigned i;
    if (!t->n_checked) return;
    dfi_check_lock();
    h = dfi_check.holder;
    for (i = 0; i < t->n_checked; i++) {
        struct dfi_check_entry *n = t->checked[i].entry;
        if (!n) continue;
        n->unfinished--;
        if (t->checked[i].mode & DFI_WRITES && !--n->writers && h && dfi_view_list(h->view) == n->list)
            dfi_check_open(n);
    }
    t->n_checked = 0;
    dfi_check_unlock();
}

/* The body of t has waited for the tasks that access r: it may access its weak declarations there.
 * pre: the lock */
static void dfi_check_strengthen(struct dfi_flow *t, const struct dfi_region *r)
{
    unsigned i;
    for (i = 0; t && i < t->n_checked; i++)
        if (t->checked[i].mode & DFI_WEAK && dfi_region_overlap(&t->checked[i].region, r))
            t->checked[i].mode &= ~(unsigned)DFI_WEAK;
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
    if (dfi_check.holder == w) dfi_view_open(w->view);
    dfi_check_unlock();
}

static void dfi_check_children_done(struct dfi_scope *s)
{
    struct dfi_check_view v;
    struct dfi_check_entry *n, *next, **list;
    s->n_variables = 0;
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

/* --- blocking, ends --------------------------------------------------------------------------- */

/* Other threads need not wait for the turn of w. */
static void dfi_check_block_begin(struct dfi_worker *w)
{
    if (!w->in_turn) return;
    dfi_check_lock();
    if (w->turn > dfi_check.late && !w->blocks) {
        w->blocks = 1;
        dfi_check.overdue++;
        dfi_turn_changed();
    }
    dfi_check_unlock();
}

static void dfi_check_block_end(struct dfi_worker *w)
{
    if (!w->in_turn) return;
    dfi_check_lock();
    if (w->blocks) {
        w->blocks = 0;
        if (w->turn > dfi_check.late) dfi_check.overdue--;
        if (!dfi_check.holder && dfi_check.running == 1 && !dfi_check.off) { /* others came and went */
            dfi_check.holder = w;
            if (dfi_check.cleared) dfi_live_all(0);
            dfi_check.cleared = 0;
            dfi_view_open(w->view);
        }
    }
    dfi_check_unlock();
}

/* w, whose children are done, is no longer used. */
static void dfi_check_thread_end(struct dfi_worker *w)
{
    if (!w->in_turn) return;
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_view_close(w->view);
    w->view = NULL;
    dfi_turn_give(w);
    dfi_check_unlock();
}

/* The pool begins or ends. off: the process ends, and bodies may still run. */
static void dfi_check_reset(int off)
{
    dfi_check_lock();
    if (!dfi_check.made) dfi_check.made = !dfi_os_event_init(&dfi_check.event);
    dfi_check_clear();
    dfi_check.off = off;
    dfi_check_live.failed = 0;
    if (!dfi_check.entries) {
        dfi_mfree((void *)dfi_check.bucket);
        dfi_mfree(dfi_check_live.range);
        dfi_check.bucket = NULL, dfi_check.buckets = 0;
        memset((void *)&dfi_check_live, 0, sizeof dfi_check_live);
    }
    dfi_check_unlock();
}

static void dfi_check_fork_prepare(void) { dfi_check_lock(); }
static void dfi_check_fork_parent(void) { dfi_check_unlock(); }

/* The tasks belong to the parent. */
static void dfi_check_fork_child(void)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    struct dfi_check_entry *n;
    dfi_check_clear();
    while ((n = dfi_check.entries) != NULL) dfi_check_forget(n);
    dfi_mfree((void *)dfi_check.bucket);
    dfi_check.lock = fresh;
    dfi_check.made = !dfi_os_event_init(&dfi_check.event);
    dfi_check.running = dfi_check.overdue = dfi_check.waiting = 0;
    dfi_check.bucket = NULL, dfi_check.buckets = 0;
    dfi_check_locked = 0;
}

#endif

#endif
