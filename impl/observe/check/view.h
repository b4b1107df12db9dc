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
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/supervise.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../more/types.h"
#include "../../flow/region.h"
#include "../../more/types.h"
#include "check.h"
#include "live.h"
#include "turn.h"

#if DFI_CHECK_ASAN

/* The list of regions that the code of v submitted. */
static struct dfi_check_entry **dfi_view_list(const struct dfi_check_view *v)
{
    return v->task ? &dfi_task_checks(v->task)->declared : v->bottom ? &dfi_scope_checks(v->bottom)->declared : NULL;
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
    const struct dfi_parts *k = t->parts;
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
    for (i = 0; v->task && i < dfi_task_checks(v->task)->n_checked; i++)
        if (dfi_task_checks(v->task)->checked[i].entry && !(dfi_task_checks(v->task)->checked[i].mode & DFI_CHILDREN))
            dfi_check_open(dfi_task_checks(v->task)->checked[i].entry);
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
    for (i = 0; v->task && i < dfi_task_checks(v->task)->n_checked; i++)
        if (dfi_task_checks(v->task)->checked[i].entry) dfi_check_close(dfi_task_checks(v->task)->checked[i].entry);
    for (n = *list; n; n = n->sibling) dfi_check_close(n);
}

/* --- the code that runs ----------------------------------------------------------------------- */

/* Tasks that df itself makes of a loop (more/loop/wavefront.h) have no declarations; they count as
 * code of the caller. */
static int dfi_check_is_task(const struct dfi_flow *t)
{
    return t->type->access_names || dfi_task_checks(t)->n_checked;
}

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
        const struct dfi_extra *x = dfi_extra_if(t);
        if (x && (dfi_tokens_of(x)->held.after || dfi_windows_of(x)->first || dfi_tokens_of(x)->inputs)) return 1;
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
    /* a node: its inputs order it, also within tasks */
    if (t && dfi_extra_if(t) && dfi_tokens_of(t->extra)->inputs) v->all = 1;
}

/* --- turns and views --------------------------------------------------------------------------- */

/* Begins the code of v, nested in the code that w runs. */
static void dfi_view_begin(struct dfi_worker *w, struct dfi_check_view *v)
{
    int nested = dfi_checked_of(w)->in_turn;
    v->outer = dfi_checked_of(w)->view;
    v->pauses = dfi_checked_of(w)->pauses, dfi_checked_of(w)->pauses = 0;
    if (!nested) dfi_check_turn_take(w);
    else {
        dfi_check_lock();
        if (dfi_check.holder == w) dfi_view_close(dfi_checked_of(w)->view);
    }
    dfi_checked_of(w)->view = v;
    if (dfi_check.holder == w) dfi_view_open(v);
    dfi_check_unlock();
}

/* nested: as before dfi_view_begin, w has a turn for the code below. */
static void dfi_view_end(struct dfi_worker *w, struct dfi_check_view *v, int nested)
{
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_view_close(v);
    dfi_checked_of(w)->view = v->outer, dfi_checked_of(w)->pauses = v->pauses;
    if (!nested) dfi_check_turn_give(w);
    else if (dfi_check.holder == w) dfi_view_open(dfi_checked_of(w)->view);
    dfi_check_unlock();
}

static void dfi_check_wait(struct dfi_worker *w)
{
    if (dfi_checked_of(w)->pauses++ || !dfi_checked_of(w)->in_turn) return;
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_view_close(dfi_checked_of(w)->view);
    dfi_check_turn_give(w);
    dfi_check_unlock();
}

static void dfi_check_wait_ended(struct dfi_worker *w)
{
    struct dfi_check_view *v = dfi_checked_of(w)->view;
    if (--dfi_checked_of(w)->pauses || !v) return;
    /* all its submitted tasks are done */
    if (v == &dfi_checked_of(w)->bottom_view && !dfi_scope_checks(v->bottom)->declared) {
        dfi_checked_of(w)->view = NULL;
        return;
    }
    dfi_check_turn_take(w);
    if (dfi_check.holder == w) dfi_view_open(v);
    dfi_check_unlock();
}

DFI_STATIC_ASSERT(sizeof(struct dfi_check_view) <= sizeof((struct dfi_extent *)0)->room, "dfi_extent.room");
static struct dfi_check_view *dfi_view_of_extent(struct dfi_extent *c)
{
    return (struct dfi_check_view *)(void *)c->room;
}

/* A part of a loop or pipe, or a future, run by a waiting thread, or by another thread than its
 * code. */
static void dfi_check_part_begin(struct dfi_worker *w, struct dfi_extent *c, const struct dfi_scope *s)
{
    struct dfi_check_view *v = dfi_view_of_extent(c);
    int nested = w && dfi_checked_of(w)->in_turn;
    c->begun = 0;
    if (!w) return;
    memset((void *)v, 0, sizeof *v);
    if (s) dfi_view_of_scope(v, s);
    else dfi_view_here(w, v);
    if (v->task) v->done = dfi_view_done(v->task);
    if (nested && dfi_checked_of(w)->view->task == v->task && dfi_checked_of(w)->view->bottom == v->bottom) return;
    dfi_view_begin(w, v);
    c->begun = 1 + nested;
}

static void dfi_check_part_end(struct dfi_worker *w, struct dfi_extent *c)
{
    if (c->begun) dfi_view_end(w, dfi_view_of_extent(c), c->begun == 2);
}

static void dfi_check_own_begin(struct dfi_extent *c, const struct dfi_region *r, unsigned n)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_check_view *v = dfi_view_of_extent(c);
    int nested = w && dfi_checked_of(w)->in_turn;
    c->begun = 0;
    if (!w) return;
    memset((void *)v, 0, sizeof *v);
    v->region = r, v->n = n;
    dfi_view_begin(w, v);
    c->begun = 1 + nested;
}
static void dfi_check_own_end(struct dfi_extent *c) { dfi_check_part_end(dfi_me(), c); }

/* --- blocking, ends --------------------------------------------------------------------------- */

/* Other threads need not wait for the turn of w. */
static void dfi_check_block_begin(struct dfi_worker *w)
{
    if (!dfi_checked_of(w)->in_turn) return;
    dfi_check_lock();
    if (dfi_checked_of(w)->turn > dfi_check.late && !dfi_checked_of(w)->blocks) {
        dfi_checked_of(w)->blocks = 1;
        dfi_check.overdue++;
        dfi_check_turn_changed();
    }
    dfi_check_unlock();
}

static void dfi_check_block_end(struct dfi_worker *w)
{
    if (!dfi_checked_of(w)->in_turn) return;
    dfi_check_lock();
    if (dfi_checked_of(w)->blocks) {
        dfi_checked_of(w)->blocks = 0;
        if (dfi_checked_of(w)->turn > dfi_check.late) dfi_check.overdue--;
        if (!dfi_check.holder && dfi_check.running == 1 && !dfi_check.off) { /* others came and went */
            dfi_check.holder = w;
            if (dfi_check.cleared) dfi_live_all(0);
            dfi_check.cleared = 0;
            dfi_view_open(dfi_checked_of(w)->view);
        }
    }
    dfi_check_unlock();
}

static void dfi_check_pause(struct dfi_worker *w, int outside)
{
    if (outside) dfi_check_block_begin(w);
    else dfi_check_wait(w);
}
static void dfi_check_resume(struct dfi_worker *w, int outside)
{
    if (outside) dfi_check_block_end(w);
    else dfi_check_wait_ended(w);
}

/* w, whose children are done, is no longer used. */
static void dfi_check_thread_end(struct dfi_worker *w)
{
    if (!dfi_checked_of(w)->in_turn) return;
    dfi_check_lock();
    if (dfi_check.holder == w) dfi_view_close(dfi_checked_of(w)->view);
    dfi_checked_of(w)->view = NULL;
    dfi_check_turn_give(w);
    dfi_check_unlock();
}

#endif

#endif
