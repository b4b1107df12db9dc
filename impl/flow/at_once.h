/* at_once.h - immediate execution without memory for a record or edges: waiting for the predecessors
 *
 * The submitting worker waits for exactly the predecessors of such a task, and runs other work meanwhile. It does not
 * wait for other tasks, because these may depend on a later signal or push of the submitting code. Argument:
 * docs/internals/flow.md, "Tasks that run at once". */
#ifndef DFI_FLOW_AT_ONCE_H
#define DFI_FLOW_AT_ONCE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/goal.h"
#include "../work/stack.h"
#include "../work/help.h"
#include "../work/types.h"
#include "moments.h"
#include "types.h"
#include "order.h"
#include "region.h"
#include "table.h"
#include "../api/submit_options.h"

DFI_SMALL_CODE_BEGIN

struct dfi_before {
    struct dfi_worker *w;
    struct dfi_scope *scope;        /* the parent scope of the task; NULL: the body that submits it has no children so
                                     * far */
    const struct dfi_flow *self;    /* the record of the task, with some edges; NULL: it has none */
    const struct dfi_flow *around;  /* of an upper floor: the task whose body submits it, and whose own predecessors it
                                     * may have, or NULL */
    const struct dfi_access *x;     /* accesses of the task */
    unsigned n;
    int skipped;                    /* result: a predecessor was cancelled, so the task is cancelled too */
};

/* Is the remembered task done or irrelevant? */
static int dfi_before_ref(struct dfi_before *b, const struct dfi_ref *r)
{
    if (!r->task || r->task->seq != r->seq || r->task == b->self) return 1;
    if (!dfi_ref_done(r)) return 0;
    if (dfi_load_relaxed(&r->task->skip) == DFI_POISONS) b->skipped = 1;
    return 1;
}

/* Are all tasks done that the entry remembers and that conflict with an access of that kind? Sharers that have
 * something in common conflict with this task, which cannot join them, and are ended. The rule is that of
 * dfi_entry_order (flow/order.h). */
static int dfi_before_entry(struct dfi_before *b, struct dfi_entry *n, unsigned kind)
{
    unsigned i;
    dfi_sharers_end(b->w, dfi_flow_of(b->scope)->table, n);
    if (!(kind == n->kind && (kind == DFI_IN || kind == DFI_CONCURRENT)))
        for (i = 0; i < n->n_readers; i++)
            if (!dfi_before_ref(b, &n->readers[i])) return 0;
    return dfi_before_ref(b, &n->writer);
}

/* Are all predecessors done? Called by the owner of the scope. */
static int dfi_before_done(void *before)
{
    struct dfi_before *b = (struct dfi_before *)before;
    const struct dfi_flow *t = b->self;
    struct dfi_entry *n;
    unsigned i;
    if (t) { /* accesses that have their edges; pairs with dfi_flow_unblock */
        if (dfi_load_acquire(&t->wait) != DFI_GUARD - (intptr_t)t->n_edges) return 0;
        if (dfi_up_alone_ready && t->task.mem.special && !dfi_up_alone_ready(t)) return 0;
    }
    for (i = 0; i < b->n; i++) {
        struct dfi_region r = dfi_region_of(&b->x[i]);
        /* skipped: a region for its children, which become children of this scope */
        if (!r.rows || b->x[i].mode & DFI_CHILDREN) continue;
        if (dfi_up_before_done && b->around && !dfi_up_before_done(b, &r)) return 0;
        for (n = b->scope && dfi_flow_of(b->scope)->table ? dfi_flow_of(b->scope)->table->all : NULL; n; n = n->all)
            if (dfi_region_overlap(&n->region, &r) && !dfi_before_entry(b, n, dfi_kind(b->x[i].mode))) return 0;
    }
    return 1;
}

/* Waits for the predecessors of a task with accesses x that will run immediately in the current code. Nonzero: one of
 * them was cancelled. s: the scope of that code; NULL: out of memory. self: the record of the task, or NULL. */
static DFI_NOINLINE int dfi_wait_before(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_flow *self,
                                    const struct dfi_access *x, unsigned n)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts; /* must not apply to tasks that run meanwhile */
    const char *site = dfi_tasks_of(w)->opts_site;
    struct dfi_before b;
    struct dfi_goal g;
    dfi_tasks_of(w)->opts = NULL;
    b.w = w, b.scope = s, b.self = self, b.x = x, b.n = n, b.skipped = 0;
    b.around = NULL;
    if (dfi_up_before_begins) dfi_up_before_begins(w, &b);
    g.kind = DFI_GOAL_POLL, g.scope = s, g.until = dfi_before_done, g.arg = &b, g.limit = NULL;
    if (!dfi_before_done(&b)) {
        dfi_flush(w);
        dfi_wait_helping(w, w->task ? w->task_mark : w->scope->mark, &g, DFI_WAIT_QUIET, NULL, NULL);
    }
    dfi_tasks_of(w)->opts = o, dfi_tasks_of(w)->opts_site = site;
    return b.skipped;
}

DFI_SMALL_CODE_END

#endif
