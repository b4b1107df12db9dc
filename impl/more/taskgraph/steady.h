/* steady.h - df_config.capture: recognition of steady loops
 *
 * An epoch is the submissions of a scope between two waits. An epoch that equals an earlier one,
 * submission by submission (type, regions, modes), gets its edges from a plan
 * (more/taskgraph/plan.h) instead of the region table, which is neither read nor written. The table
 * is brought up to date at the first submission that differs, and before any other code reads it.
 * Argument: docs/internals/taskgraph.md, "Steady loops".
 *
 * The recorded epochs of a scope belong to the worker. Their key is the line of a block or the type
 * of a task, so that a block in a loop finds its epochs again. */
#ifndef DFI_MORE_TASKGRAPH_STEADY_H
#define DFI_MORE_TASKGRAPH_STEADY_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/module.h"
#include "../../work/scope.h"
#include "../../flow/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../work/probe.h"
#include "../../flow/edge.h"
#include "../../flow/moments.h"
#include "../../flow/order.h"
#include "../../flow/table.h"
#include "list.h"
#include "plan.h"

#if DFI_WITH_PLANS

DFI_SMALL_CODE_BEGIN

enum {
    DFI_EPOCHS = 4,            /* distinct epochs per scope: loops with a few phases, each followed by a wait */
    /* an epoch unused for this many turns is replaced when another one needs its slot */
    DFI_EPOCH_OLD = 4 * DFI_EPOCHS,
    DFI_STEADIES = 32,         /* slots per worker */
    DFI_EPOCH_MOST = 1 << 17,  /* submissions in an epoch: 20 MB to remember them */
    /* an epoch that changes rests for twice as many turns each time, up to 2 to this power */
    DFI_REST_MOST = 10
};
enum { DFI_EPOCH_LIST, DFI_EPOCH_COMPARE, DFI_EPOCH_FOLLOW, DFI_EPOCH_REST };

/* Owner of the scope only. */
struct dfi_epoch {
    int state;
    unsigned fails, rest;      /* changes less repetitions; DFI_EPOCH_REST: remaining turns */
    size_t used;               /* the dfi_steady.turns of its last use */
    struct dfi_sequence list;  /* the submissions, without arguments; DFI_EPOCH_REST: only the first */
    /* DFI_EPOCH_COMPARE, DFI_EPOCH_FOLLOW: submissions of this turn so far, all as in the list */
    size_t at;
    /* DFI_EPOCH_FOLLOW, all in the memory of the first: the tasks of this turn, by step (a join has no task until it is
     * needed); the predecessors of step i, from first_pred[i] to first_pred[i + 1]; the step of each submission */
    struct dfi_ref *ref;
    uint32_t *first_pred, *pred, *step;
    uint32_t n_steps;
};
struct dfi_steady {
    struct dfi_capture capture; /* first */
    struct dfi_steady *next;
    const void *key;
    struct dfi_scope *scope;    /* the scope that uses it at the moment, or NULL */
    struct dfi_epoch *now;      /* the current epoch; NULL: nothing submitted since the last wait, or not recognised */
    int begun;                  /* something was submitted since the last wait */
    size_t turns;               /* epochs begun so far */
    struct dfi_epoch epoch[DFI_EPOCHS];
};

struct dfi_learnt { struct dfi_steady *first; }; /* learnt task sequences of the scopes of a worker */
DFI_ROOM(dfi_learnt, dfi_learnt_of, dfi_worker);

/* --- one epoch ------------------------------------------------------------------------------------------- */

static void dfi_epoch_clear(struct dfi_epoch *e)
{
    dfi_mfree((void *)e->ref);
    dfi_sequence_free(&e->list);
    memset((void *)e, 0, sizeof *e);
}

/* Forgets all but the first n submissions. */
static void dfi_epoch_cut(struct dfi_epoch *e, size_t n)
{
    if (n < e->list.n) e->list.n_x = e->list.task[n].x, e->list.n = n;
}

/* The epoch changed, or cannot be recognised: it rests. */
static void dfi_epoch_rest(struct dfi_epoch *e)
{
    if (!e->list.n) { /* no first submission to recognise it by */
        dfi_epoch_clear(e);
        return;
    }
    e->state = DFI_EPOCH_REST;
    if (e->fails < DFI_REST_MOST) e->fails++;
    e->rest = 1u << e->fails;
    dfi_mfree((void *)e->ref);
    e->ref = NULL;
    dfi_epoch_cut(e, 1);
}

static int dfi_epoch_same(const struct dfi_epoch *e, size_t i, const struct dfi_type *type,
                          const struct dfi_access *x, unsigned n)
{
    const struct dfi_captured *c = &e->list.task[i];
    const struct dfi_access *y = n ? e->list.x + c->x : NULL; /* no accesses at all: list.x is NULL */
    unsigned k;
    if (c->type != type || c->n != n) return 0;
    for (k = 0; k < n; k++, x++, y++)
        if (x->p != y->p || x->row != y->row || x->rows != y->rows || x->ld != y->ld || x->mode != y->mode) return 0;
    return 1;
}

/* The epoch came twice: it is followed from now on. 0, or -1 without memory. */
static int dfi_epoch_plan(struct dfi_worker *w, struct dfi_epoch *e)
{
    struct dfi_plan *p = dfi_plan_new(w, &e->list, 0);
    uint32_t i, k;
    if (!p) return -1;
    e->ref = (struct dfi_ref *)dfi_malloc(p->n * sizeof *e->ref +
                                          ((size_t)p->n + 1 + p->n_succ + e->list.n) * sizeof *e->pred);
    if (e->ref) {
        e->n_steps = p->n;
        e->first_pred = (uint32_t *)(void *)(e->ref + p->n);
        e->pred = e->first_pred + p->n + 1;
        e->step = e->pred + p->n_succ;
        for (i = 0, k = 0, e->first_pred[0] = 0; i < p->n; k += p->step[i++].preds) {
            e->first_pred[i + 1] = k; /* moves on to the end of its predecessors below */
            if (p->step[i].task != DFI_JOIN_STEP) e->step[p->step[i].task] = i;
        }
        for (i = 0; i < p->n; i++)
            for (k = p->step[i].first; k < p->step[i + 1].first; k++) e->pred[e->first_pred[p->succ[k] + 1]++] = i;
        e->state = DFI_EPOCH_FOLLOW;
    }
    dfi_mfree((void *)p);
    return e->ref ? 0 : -1;
}

/* Gives t, the task of that step, its edges. A join is made when it is first needed; its
 * predecessors are tasks and joins only. 0, or -1 without memory. */
static int dfi_epoch_edges(struct dfi_worker *w, struct dfi_scope *s, struct dfi_epoch *e, struct dfi_flow *t,
                           uint32_t step)
{
    uint32_t k;
    for (k = e->first_pred[step]; k < e->first_pred[step + 1]; k++) {
        struct dfi_ref *r = &e->ref[e->pred[k]];
        if (!r->task) {
            struct dfi_flow *j = dfi_flow_new(w, s, &dfi_join_type);
            if (!j) return -1;
            r->task = j, r->seq = j->seq;
            if (dfi_epoch_edges(w, s, e, j, e->pred[k])) return -1; /* j: an internal task without successors */
            dfi_ready_if(w, j);
        }
        if (dfi_edge_add(w, t, r)) return -1;
    }
    return 0;
}

/* --- the epochs of a scope ------------------------------------------------------------------------------- */

/* Remembers a child of s that was not remembered when it was submitted, and neither were later children. It has its
 * edges, and is in no group. pre: existing groups have no unfinished members. 0, or -1 if out of memory. */
static int dfi_remember_late(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_ref *r,
                             const struct dfi_access *x)
{
    struct dfi_table *table = dfi_flow_of(s)->table;
    struct dfi_region q = dfi_region_of(x);
    struct dfi_entry *n;
    unsigned i;
    if (!q.rows) return 0;
    if (!(n = dfi_table_find(w, table, &q))) return -1;
    dfi_tasks_of(w)->reg_task = NULL, dfi_tasks_of(w)->reg_access = NULL;
    dfi_sharers_end(w, table, n);
    for (i = 0; i < n->n_over; i++) dfi_sharers_end(w, table, dfi_entry_over(n, i));
    return dfi_remember(w, s, n, *r, dfi_kind(x->mode), 1);
}

/* Enters the submissions of the epoch so far, which have all their edges, into the table. */
static DFI_NOINLINE void dfi_steady_catch_up(struct dfi_worker *w, struct dfi_steady *y)
{
    struct dfi_scope *s = y->scope;
    struct dfi_epoch *e = y->now;
    size_t i;
    unsigned k;
    for (i = 0; e && e->state == DFI_EPOCH_FOLLOW && i < e->at; i++) {
        const struct dfi_captured *c = &e->list.task[i];
        for (k = 0; k < c->n; k++)
            if (dfi_remember_late(w, s, &e->ref[e->step[i]], &e->list.x[c->x + k])) {
                /* no memory: after a wait there is nothing to remember */
                dfi_wait_all(w, s);
                return;
            }
    }
}

/* Leaves the current epoch, because it differs from the recorded one, or must be in the table. */
static DFI_NOINLINE void dfi_steady_leave(struct dfi_worker *w, struct dfi_steady *y)
{
    dfi_steady_catch_up(w, y);
    if (y->now) dfi_epoch_rest(y->now);
    y->now = NULL;
    y->begun = 1;
}

/* Begins an epoch with this submission: returns the one that it may be. */
static struct dfi_epoch *dfi_steady_begin(struct dfi_steady *y, const struct dfi_type *type,
                                          const struct dfi_access *x, unsigned n)
{
    struct dfi_epoch *e = NULL, *oldest = y->epoch;
    unsigned i;
    for (i = 0; i < DFI_EPOCHS && !e; i++) {
        if (y->epoch[i].list.n && dfi_epoch_same(&y->epoch[i], 0, type, x, n)) e = &y->epoch[i];
        if (y->epoch[i].used < oldest->used) oldest = &y->epoch[i];
    }
    y->turns++;
    if (!e) {
        e = oldest;
        if (e->state == DFI_EPOCH_FOLLOW && y->turns - e->used < DFI_EPOCH_OLD) return NULL;
        dfi_epoch_clear(e);
    }
    e->used = y->turns;
    e->at = 0;
    if (e->state == DFI_EPOCH_REST) {
        if (--e->rest) return NULL;
        dfi_epoch_cut(e, 0);
        e->state = DFI_EPOCH_LIST;
    } else if (e->state == DFI_EPOCH_FOLLOW) memset((void *)e->ref, 0, e->n_steps * sizeof *e->ref);
    return e;
}

/* Is the next submission of e, which is not followed, recorded? It is not if memory is lacking, if there are too many,
 * or if the epoch differs each time. */
static int dfi_epoch_takes(struct dfi_epoch *e, int same, const struct dfi_type *type, const struct dfi_access *x,
                           unsigned n)
{
    if (same) return 1;
    if (e->state == DFI_EPOCH_COMPARE) {
        dfi_epoch_cut(e, e->at);
        e->state = DFI_EPOCH_LIST;
        if (e->fails++ >= DFI_REST_MOST) return 0;
    }
    return e->list.n < DFI_EPOCH_MOST && dfi_sequence_add(&e->list, DFI_C_TASK, type, NULL, x, n);
}

/* Submits t with accesses x. 1: t has its edges; 0: the caller finds them as usual; -1: no memory
 * for them. */
static DFI_NOINLINE int dfi_steady_submit(struct dfi_worker *w, struct dfi_steady *y, struct dfi_flow *t,
                                          const struct dfi_access *x, unsigned n)
{
    struct dfi_epoch *e = y->now;
    uint32_t step;
    int same;
    if (DFI_UNLIKELY(!e)) {
        if (y->begun) return 0;
        y->begun = 1;
        if (!(e = dfi_steady_begin(y, t->type, x, n))) return 0;
        if (e->state == DFI_EPOCH_FOLLOW && !dfi_table_of(w, t->scope)) return 0; /* it marks that there are tasks */
        y->now = e;
    }
    same = e->state != DFI_EPOCH_LIST && e->at < e->list.n && dfi_epoch_same(e, e->at, t->type, x, n);
    if (DFI_UNLIKELY(t->type->modes & (DFI_ONE_REGION | DFI_CHILDREN | DFI_LAUNCH) || t->parts ||
                     dfi_predicate_now(t->scope) || dfi_rename_most() ||
                     dfi_load_relaxed(&dfi_more.devices) || dfi_wanted(DFI_AT_NEW) || /* these need the table */
                     !(e->state == DFI_EPOCH_FOLLOW ? same : dfi_epoch_takes(e, same, t->type, x, n)))) {
        dfi_steady_leave(w, y);
        return 0;
    }
    if (same) e->at++;
    if (e->state != DFI_EPOCH_FOLLOW) return 0;
    step = e->step[e->at - 1];
    e->ref[step].task = t, e->ref[step].seq = t->seq;
    return dfi_epoch_edges(w, t->scope, e, t, step) ? -1 : 1;
}

/* All submitted tasks are done, or the scope ends. */
static void dfi_steady_waited(struct dfi_worker *w, struct dfi_steady *y)
{
    struct dfi_epoch *e = y->now;
    y->now = NULL;
    y->begun = 0;
    if (!e) return;
    if (e->state == DFI_EPOCH_LIST) e->state = DFI_EPOCH_COMPARE;
    else if (e->state == DFI_EPOCH_FOLLOW) e->fails -= e->fails != 0;
    else if (e->at == e->list.n) {
        if (!dfi_observed() && dfi_epoch_plan(w, e)) dfi_epoch_rest(e);
    } else dfi_epoch_cut(e, e->at); /* shorter this time; a followed epoch may end anywhere */
}

/* --- ownership -------------------------------------------------------------------------------- */

/* Attaches the record of that key to s, a new scope of w, or one that waits for the first time. */
static DFI_NOINLINE void dfi_steady_attach(struct dfi_worker *w, struct dfi_scope *s, const void *key)
{
    struct dfi_steady *y;
    int n = 0;
    if (!key || dfi_gated_body(s) || dfi_predicate_now(s) || dfi_capture_in(s)->by) return;
    for (y = dfi_learnt_of(w)->first; y && y->key != key; y = y->next) n++;
    if (!y) {
        if (n >= DFI_STEADIES || !(y = (struct dfi_steady *)dfi_malloc(sizeof *y))) return;
        memset((void *)y, 0, sizeof *y);
        y->capture.kind = DFI_CAPTURE_STEADY;
        y->key = key;
        y->next = dfi_learnt_of(w)->first, dfi_learnt_of(w)->first = y;
    }
    if (y->scope) return; /* a recursive block */
    y->scope = s;
    y->now = NULL, y->begun = 0;
    dfi_capture_set(s, &y->capture);
}

static void dfi_steady_free(struct dfi_worker *w)
{
    struct dfi_steady *y, *next;
    unsigned i;
    for (y = dfi_learnt_of(w)->first; y; y = next) {
        next = y->next;
        for (i = 0; i < DFI_EPOCHS; i++) dfi_epoch_clear(&y->epoch[i]);
        dfi_mfree((void *)y);
    }
    dfi_learnt_of(w)->first = NULL;
}

/* What recognises the submissions to s, or NULL. */
static struct dfi_steady *dfi_steady_in(const struct dfi_scope *s)
{
    struct dfi_capture *c = dfi_capture_in(s)->by;
    return c && c->kind == DFI_CAPTURE_STEADY ? (struct dfi_steady *)(void *)c : NULL;
}

/* The code of s has ended. */
static void dfi_steady_left(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_steady *y = dfi_steady_in(s);
    if (!y) return;
    dfi_steady_waited(w, y);
    y->scope = NULL;
}

/* The table of s, a scope of w, is about to be read. */
static void dfi_steady_table(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_steady *y = dfi_steady_in(s);
    if (DFI_UNLIKELY(y != NULL)) dfi_steady_leave(w, y);
}
DFI_UPCALL_IS(dfi_up_table_read, dfi_steady_table);

/* The accesses of t are about to be registered. 1: t has its edges; 0: the caller adds them. */
DFI_FAST int dfi_steady_registers(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    struct dfi_steady *y = dfi_steady_in(t->scope);
    return y ? dfi_steady_submit(w, y, t, x, n) : 0;
}

/* The owner of s has waited for all its children. */
static void dfi_steady_scope_waited(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_steady *y = dfi_steady_in(s);
    if (y) dfi_steady_waited(w, y);
    else
        dfi_steady_attach(w, s, s->kind == DFI_BOTTOM ? (const void *)w
                                : s->kind == DFI_BODY ? (const void *)s->task->type : NULL);
}

static void dfi_module_steady(const struct dfi_moment *m)
{
    if (m->is == DFI_WORKER_FREED) dfi_steady_free(m->w);
    else if (m->is == DFI_WORKER_IS_NEW) dfi_learnt_of(m->w)->first = NULL;
}

DFI_SMALL_CODE_END

#else

DFI_FAST int dfi_steady_registers(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    return (void)w, (void)t, (void)x, (void)n, 0;
}
DFI_FAST void dfi_steady_attach(struct dfi_worker *w, struct dfi_scope *s, const void *key)
{
    (void)w, (void)s, (void)key;
}
DFI_FAST void dfi_steady_left(struct dfi_worker *w, struct dfi_scope *s) { (void)w, (void)s; }
DFI_FAST void dfi_steady_scope_waited(struct dfi_worker *w, struct dfi_scope *s) { (void)w, (void)s; }
DFI_UPCALL_NONE(dfi_up_table_read);

#endif

#endif
