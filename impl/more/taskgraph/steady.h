/* steady.h - df_config.capture: recognition of steady loops
 *
 * An epoch is the submissions of a scope between two waits. An epoch that equals an earlier one,
 * submission by submission (type, regions, modes), gets its edges from a plan
 * (more/taskgraph/plan.h) instead of the region table, which is neither read nor written. The table
 * is brought up to date at the first submission that differs, and before any other code reads it.
 * Argument: docs/memory-order.md, "Steady loops".
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
#include "../../api/taskgraph.h"
#include "../../work/module.h"
#include "../../work/worker.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../flow/edge.h"
#include "../../flow/order.h"
#include "../../flow/table.h"
#include "list.h"
#include "plan.h"
#include "../../observe/graph/graph.h"
#include "../../observe/probes.h"

enum {
    DFI_EPOCHS = 4,            /* distinct epochs per scope: loops with a few phases, each followed by a wait */
    /* an epoch unused for this many turns is replaced when another one needs its slot */
    DFI_EPOCH_OLD = 4 * DFI_EPOCHS,
    DFI_STEADIES = 32,         /* slots per worker */
    DFI_EPOCH_MOST = 1 << 17,  /* submissions in an epoch: 20 MB to remember them */
    /* an epoch that changes rests for twice as many turns each time, up to 2 to this power */
    DFI_REST_MOST = 10
};
enum { DFI_EPOCH_FREE, DFI_EPOCH_LIST, DFI_EPOCH_COMPARE, DFI_EPOCH_FOLLOW, DFI_EPOCH_REST };

/* Owner of the scope only. */
struct dfi_epoch {
    int state;
    unsigned fails, rest;      /* changes less repetitions; DFI_EPOCH_REST: remaining turns */
    size_t used;               /* the dfi_steady.turns of its last use */
    struct dfi_sequence list;  /* the submissions, without arguments; DFI_EPOCH_REST: only the first */
    /* DFI_EPOCH_COMPARE, DFI_EPOCH_FOLLOW: submissions of this turn so far, all as in the list */
    size_t at;
    struct dfi_plan *plan;     /* DFI_EPOCH_FOLLOW */
    struct dfi_ref *ref;       /* the tasks of this turn, by step; a join has no task until it is needed */
    uint32_t *step, *join;     /* the step of each submission; the steps of all joins */
    uint32_t n_joins;
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

/* --- one epoch ------------------------------------------------------------------------------------------- */

static void dfi_epoch_unplan(struct dfi_epoch *e)
{
    dfi_plan_free(e->plan);
    dfi_mfree((void *)e->ref);
    dfi_mfree(e->step);
    dfi_mfree(e->join);
    e->plan = NULL, e->ref = NULL, e->step = e->join = NULL;
}

static void dfi_epoch_clear(struct dfi_epoch *e)
{
    dfi_epoch_unplan(e);
    dfi_sequence_free(&e->list);
    memset((void *)e, 0, sizeof *e);
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
    dfi_epoch_unplan(e);
    if (e->list.n > 1) e->list.n = 1;
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
    struct dfi_plan *p;
    uint32_t i;
    if (!(p = e->plan = dfi_plan_new(w, &e->list)) || dfi_plan_turn(p)) return -1;
    e->ref = (struct dfi_ref *)dfi_malloc(((size_t)p->n + 1) * sizeof *e->ref);
    e->step = (uint32_t *)dfi_malloc((e->list.n + 1) * sizeof *e->step);
    e->join = (uint32_t *)dfi_malloc(((size_t)p->n - e->list.n + 1) * sizeof *e->join);
    if (!e->ref || !e->step || !e->join) return -1;
    for (i = 0, e->n_joins = 0; i < p->n; i++)
        if (p->step[i].task == DFI_JOIN_STEP) e->join[e->n_joins++] = i;
        else e->step[p->step[i].task] = i;
    e->state = DFI_EPOCH_FOLLOW;
    return 0;
}

/* Gives t, the task of that step, its edges. A join is made when it is first needed; its
 * predecessors are tasks and joins only. 0, or -1 without memory. */
static int dfi_epoch_edges(struct dfi_worker *w, struct dfi_scope *s, struct dfi_epoch *e, struct dfi_flow *t,
                           uint32_t step)
{
    const struct dfi_plan *p = e->plan;
    uint32_t k;
    for (k = p->first_pred[step]; k < p->first_pred[step + 1]; k++) {
        struct dfi_ref *r = &e->ref[p->pred[k]];
        if (!r->task) {
            struct dfi_flow *j = dfi_flow_new(w, s, &dfi_join_type);
            if (!j) return -1;
            r->task = j, r->seq = j->seq;
            if (dfi_epoch_edges(w, s, e, j, p->pred[k])) return -1; /* j: an internal task without successors */
            dfi_ready_if(w, j);
        }
        if (dfi_edge_add(w, t, r)) return -1;
    }
    return 0;
}

/* --- the epochs of a scope ------------------------------------------------------------------------------- */

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
    struct dfi_epoch *e = NULL;
    unsigned i;
    for (i = 0; i < DFI_EPOCHS && !e; i++)
        if (y->epoch[i].list.n && dfi_epoch_same(&y->epoch[i], 0, type, x, n)) e = &y->epoch[i];
    for (i = 0; i < DFI_EPOCHS && !e; i++)
        if (y->epoch[i].state == DFI_EPOCH_FREE) e = &y->epoch[i];
    y->turns++;
    if (!e) {
        for (e = y->epoch, i = 1; i < DFI_EPOCHS; i++)
            if (y->epoch[i].used < e->used) e = &y->epoch[i];
        if (e->state == DFI_EPOCH_FOLLOW && y->turns - e->used < DFI_EPOCH_OLD) return NULL;
        dfi_epoch_clear(e);
    }
    e->used = y->turns;
    if (e->state == DFI_EPOCH_REST) {
        if (--e->rest) return NULL;
        e->list.n = e->list.n_x = 0;
        e->state = DFI_EPOCH_LIST;
    }
    if (e->state == DFI_EPOCH_FREE) e->state = DFI_EPOCH_LIST;
    e->at = 0;
    for (i = 0; e->state == DFI_EPOCH_FOLLOW && i < e->n_joins; i++) e->ref[e->join[i]].task = NULL;
    return e;
}

static void dfi_epoch_append(struct dfi_steady *y, struct dfi_epoch *e, const struct dfi_type *type,
                             const struct dfi_access *x, unsigned n)
{
    if (e->list.n < DFI_EPOCH_MOST && dfi_sequence_add(&e->list, DFI_C_TASK, type, NULL, x, n)) return;
    dfi_epoch_rest(e);
    y->now = NULL;
}

/* Submits t with accesses x. 1: t has its edges; 0: the caller finds them as usual; -1: no memory
 * for them. */
static DFI_NOINLINE int dfi_steady_submit(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x,
                                          unsigned n)
{
    struct dfi_steady *y = (struct dfi_steady *)(void *)t->scope->capture;
    struct dfi_epoch *e = y->now;
    if (DFI_UNLIKELY(!e)) {
        if (y->begun) return 0;
        y->begun = 1;
        if (!(e = y->now = dfi_steady_begin(y, t->type, x, n))) return 0;
        if (e->state == DFI_EPOCH_FOLLOW && !t->scope->table && !(t->scope->table = dfi_table_new(w))) {
            /* a table marks that there are tasks */
            y->now = NULL;
            return 0;
        }
    }
    if (DFI_UNLIKELY(t->type->modes & (DFI_GROUPED | DFI_WEAK | DFI_LAUNCH) || t->parts || t->scope->guess ||
                     dfi_pool.rename_bytes ||
                     dfi_load_relaxed(&dfi_pool.devices) || DFI_GRAPH())) { /* these need the table */
        dfi_steady_leave(w, y);
        return 0;
    }
    if (DFI_LIKELY(e->state == DFI_EPOCH_FOLLOW)) {
        uint32_t step;
        if (e->at == e->list.n || !dfi_epoch_same(e, e->at, t->type, x, n)) {
            dfi_steady_leave(w, y);
            return 0;
        }
        step = e->step[e->at++];
        e->ref[step].task = t, e->ref[step].seq = t->seq;
        return dfi_epoch_edges(w, t->scope, e, t, step) ? -1 : 1;
    }
    if (e->state == DFI_EPOCH_COMPARE) {
        if (e->at < e->list.n && dfi_epoch_same(e, e->at, t->type, x, n)) {
            e->at++;
            return 0;
        }
        if (e->at < e->list.n) e->list.n_x = e->list.task[e->at].x;
        e->list.n = e->at;
        e->state = DFI_EPOCH_LIST;
        if (e->fails++ >= DFI_REST_MOST) { /* a different epoch each time */
            dfi_epoch_rest(e);
            y->now = NULL;
            return 0;
        }
    }
    dfi_epoch_append(y, e, t->type, x, n);
    return 0;
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
        if (!dfi_watched() && dfi_epoch_plan(w, e)) dfi_epoch_rest(e);
    } else {
        e->list.n_x = e->list.task[e->at].x;
        e->list.n = e->at; /* shorter this time; a followed epoch may end anywhere */
    }
}

/* --- ownership -------------------------------------------------------------------------------- */

/* Attaches the record of that key to s, a new scope of w, or one that waits for the first time. */
static DFI_NOINLINE void dfi_steady_attach(struct dfi_worker *w, struct dfi_scope *s, const void *key)
{
    struct dfi_steady *y;
    int n = 0;
    if (!key || s->gated || s->guess || s->capture) return;
    for (y = w->steady; y && y->key != key; y = y->next) n++;
    if (!y) {
        if (n >= DFI_STEADIES || !(y = (struct dfi_steady *)dfi_malloc(sizeof *y))) return;
        memset((void *)y, 0, sizeof *y);
        y->capture.kind = DFI_CAPTURE_STEADY;
        y->key = key;
        y->next = w->steady, w->steady = y;
    }
    if (y->scope) return; /* a recursive block */
    y->scope = s;
    y->now = NULL, y->begun = 0;
    s->capture = &y->capture;
}

/* The scope s of w ends. */
static DFI_NOINLINE void dfi_capture_detach(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_steady *y = (struct dfi_steady *)(void *)s->capture;
    if (s->capture->kind == DFI_CAPTURE_TASKGRAPH) { /* else DF_TASKGRAPH has ended it */
        struct df_taskgraph *g = (struct df_taskgraph *)(void *)s->capture;
        dfi_taskgraph_refuses(g, "a jump out of it by longjmp", g->site);
        s->capture = NULL;
        (void)dfi_taskgraph_move(g, DFI_TASKGRAPH_RECORDING, DFI_TASKGRAPH_READY);
        return;
    }
    dfi_steady_waited(w, y);
    y->scope = NULL;
    s->capture = NULL;
}

static void dfi_steady_free(struct dfi_worker *w)
{
    struct dfi_steady *y, *next;
    unsigned i;
    for (y = w->steady; y; y = next) {
        next = y->next;
        for (i = 0; i < DFI_EPOCHS; i++) dfi_epoch_clear(&y->epoch[i]);
        dfi_mfree((void *)y);
    }
    w->steady = NULL;
}

/* --- notifications from scopes ---------------------------------------------------------------- */

/* The table of s, a scope of w, is about to be read. */
static void dfi_capture_table(struct dfi_worker *w, struct dfi_scope *s)
{
    if (DFI_UNLIKELY(s->capture != NULL) && s->capture->kind == DFI_CAPTURE_STEADY)
        dfi_steady_leave(w, (struct dfi_steady *)(void *)s->capture);
}

/* A child of the scope of w's running code could not be created. */
static DFI_COLD void dfi_capture_missing(struct dfi_worker *w)
{
    if (!w->task && w->scope->capture->kind == DFI_CAPTURE_TASKGRAPH)
        dfi_taskgraph_fails((struct df_taskgraph *)(void *)w->scope->capture);
}

/* The owner of w's innermost scope has waited for all its children. */
static DFI_NOINLINE void dfi_capture_waited(struct dfi_worker *w)
{
    struct dfi_scope *s = w->scope;
    struct dfi_capture *c = s->capture;
    if (c && c->kind == DFI_CAPTURE_TASKGRAPH) dfi_taskgraph_wait((struct df_taskgraph *)(void *)c);
    else if (c) dfi_steady_waited(w, (struct dfi_steady *)(void *)c);
    else
        dfi_steady_attach(w, s, s->kind == DFI_BOTTOM ? (const void *)w
                                : s->kind == DFI_BODY ? (const void *)s->task->type : NULL);
}

static const struct dfi_module dfi_module_steady = {
    /* begin, ready, started */ NULL, NULL, NULL,
    /* leaving .. stop */ NULL, NULL, NULL, NULL, NULL, NULL,
    /* worker .. thread */ NULL, dfi_steady_free, NULL, NULL, NULL
};

#endif
