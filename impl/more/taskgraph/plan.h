/* plan.h - plans: the order of a sequence of submissions, computed once and executed many times
 *
 * To compute a plan, placeholders for all submissions are registered in a scope of their own; none
 * of them ever runs. So the plan has exactly the edges that df_submit finds, and the tasks that
 * share a region join the same groups. Then the placeholders are copied to compact arrays, in the
 * order in which one worker executes them, and freed: memory is accessed sequentially. (64 x 64
 * Cholesky, one worker: 13 ns per task; in the order of submission 160 ns.) */
#ifndef DFI_MORE_TASKGRAPH_PLAN_H
#define DFI_MORE_TASKGRAPH_PLAN_H

#include "../../base/atomic.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/blocks.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../types.h"
#include "../../flow/edge.h"
#include "../../flow/order.h"
#include "../../flow/table.h"
#include "../../flow/task.h"
#include "../group.h"
#include "list.h"

#if !defined(DF_SERIAL)

DFI_SMALL_CODE_BEGIN

/* A task, a df_wait, a df_wait_on, or a join (flow/order.h) of a plan. */
struct dfi_plan_step {
    uint32_t preds;                  /* the number of its predecessors */
    /* its first successor in dfi_plan.succ; the last one precedes the first of the next step */
    uint32_t first;
    uint32_t task;                   /* its index in the sequence, or DFI_JOIN_STEP */
    uint32_t index;                  /* its index among all steps in the order of registration, from 1 */
};
#define DFI_JOIN_STEP 0xFFFFFFFFu

/* no two tasks share a cache line */
enum { DFI_FLOW_STEP = (sizeof(struct dfi_flow) + DFI_LINE - 1) / DFI_LINE * DFI_LINE };

/* The membership of a step in a group, by the access with that index in the sequence; in the order of registration. */
struct dfi_plan_use { uint32_t step, group, x; };

/* The arrays, and the tasks, are in the same memory behind it. */
struct dfi_plan {
    uint32_t n, n_roots, n_groups, n_uses, n_succ;
    uint32_t fenv;                   /* the modes in which it was run last (base/fenv.h) */
    struct dfi_plan_step *step;      /* n, and one more that ends the successors */
    DFI_ATOMIC(uint32_t) *left;      /* the unfinished predecessors of each step; all of them while nothing runs */
    uint32_t *succ, *root;
    struct dfi_group **group;        /* while the plan is executed */
    struct dfi_plan_use *use;
    char *flows;                     /* the tasks (more/taskgraph/run.h), aligned; of step i at i * DFI_FLOW_STEP */
    struct dfi_worker *owner;        /* the worker that executes it */
    /* bottom of the owner's deque at the beginning: while it is the same, no other worker has seen
     * any of its tasks */
    size_t bottom;
    int seen;                        /* other workers may have seen some of its tasks nevertheless */
    int special;                     /* some tasks have extras */
};

/* The most ready tasks with which a run begins: more would push the stack out of the first-level cache. */
enum { DFI_ROOTS = 256 };

/* --- registering --------------------------------------------------------------------------------------------- */

struct dfi_planning {
    struct dfi_worker *w;
    struct dfi_scope *scope;         /* scope of the placeholders */
    const struct dfi_sequence *q;
    struct dfi_flow **all;           /* the placeholders, by their index - 1; joins are added by dfi_plan_collect */
    struct dfi_flow **order;         /* the same, in the order of execution */
    struct dfi_ref wait, wait_on;    /* the last ones, which tasks come after */
    size_t n, n_succ, n_roots, n_uses;
};

/* The argument of a placeholder is the index of its submission. */
static void dfi_stand_in_run(void *args, void *result) { (void)args, (void)result; }
static const struct dfi_type dfi_stand_in_type = { dfi_stand_in_run, "planned", 0, 0, sizeof(uint32_t), DFI_INTERNAL,
                                                   NULL };

/* A df_wait: comes after all submissions without a successor, and forgets all regions. */
static int dfi_plan_wait(struct dfi_planning *g, struct dfi_flow *t)
{
    struct dfi_ref r;
    size_t i;
    for (i = g->wait.task ? g->wait.task->index : 0; i < t->index - 1; i++) {
        if (!(r.task = g->all[i]) || dfi_load_relaxed(&r.task->succ)) continue; /* a join, or followed */
        r.seq = r.task->seq;
        if (dfi_edge_add(g->w, t, &r)) return -1;
    }
    if (!t->n_edges && dfi_edge_add(g->w, t, &g->wait)) return -1;
    if (dfi_flow_of(g->scope)->table) dfi_table_free(g->w, g->scope);
    dfi_flow_of(g->scope)->table = NULL;
    g->wait.task = t, g->wait.seq = t->seq;
    g->wait_on.task = NULL;
    return 0;
}

/* Placeholders are never ready, because their guards stay. */
static int dfi_plan_register(struct dfi_planning *g, uint32_t i)
{
    const struct dfi_captured *c = &g->q->task[i];
    struct dfi_access *x;
    struct dfi_flow *t = dfi_flow_new(g->w, g->scope, &dfi_stand_in_type);
    unsigned k;
    int failed = 0;
    if (!t) return -1;
    g->all[t->index - 1] = t;
    memcpy(t->task.args, &i, sizeof i);
    if (c->kind == DFI_C_WAIT) return dfi_plan_wait(g, t);
    x = dfi_sequence_spare(g->q, c);
    if (c->type->modes & DFI_SHARED) dfi_accesses_apart(x, c->n);
    for (k = 0; k < c->n && failed >= 0; k++) failed = dfi_register(g->w, t, t, &x[k]);
    dfi_tasks_of(g->w)->reg_task = NULL, dfi_tasks_of(g->w)->reg_access = NULL;
    if (failed >= 0) failed = dfi_edge_add(g->w, t, &g->wait_on);
    if (!failed && !t->n_edges) failed = dfi_edge_add(g->w, t, &g->wait);
    if (c->kind == DFI_C_WAIT_ON) g->wait_on.task = t, g->wait_on.seq = t->seq;
    return failed;
}

/* --- copying ------------------------------------------------------------------------------------------------- */

/* Finds the joins, and puts the memberships of each task into one list. */
static void dfi_plan_collect(struct dfi_planning *g)
{
    size_t i;
    struct dfi_edge *e;
    g->n = dfi_flow_of(g->scope)->n_children;
    for (i = 0; i < g->n; i++) {
        struct dfi_flow *t = g->all[i]; /* of a join: it has a predecessor that is a task or an older join */
        for (e = dfi_load_relaxed(&t->succ); e; e = e->next) g->all[e->task->index - 1] = e->task;
        dfi_store_relaxed(&t->wait, (intptr_t)t->n_edges);
        g->n_succ += t->n_edges, g->n_roots += !t->n_edges;
        if (t->task.mem.special) {
            struct dfi_member *m = dfi_member_of(t->extra);
            struct dfi_use **u = &m->locks;
            int both;
            for (both = 0; both < 2; both++) {
                for (; *u; u = &(*u)->next) g->n_uses++;
                *u = m->reductions, m->reductions = NULL;
            }
        }
    }
}

/* Memory for the plan; zero. */
static struct dfi_plan *dfi_plan_alloc(const struct dfi_planning *g)
{
    size_t n = g->n, uses = g->n_uses;
    struct dfi_plan *p = g->n_succ > UINT32_MAX / 2 ? NULL :
        (struct dfi_plan *)dfi_zeroed(sizeof *p + uses * (sizeof *p->group + sizeof *p->use) +
                                      (n + 1) * (sizeof *p->step + sizeof *p->left + DFI_FLOW_STEP) +
                                      (g->n_succ + g->n_roots) * sizeof *p->succ + DFI_LINE);
    if (!p) return NULL;
    p->n = (uint32_t)n, p->n_succ = (uint32_t)g->n_succ, p->n_roots = (uint32_t)g->n_roots;
    p->special = uses != 0;
    p->group = (struct dfi_group **)(void *)(p + 1);
    p->step = (struct dfi_plan_step *)(void *)(p->group + uses);
    p->use = (struct dfi_plan_use *)(void *)(p->step + n + 1);
    p->left = (DFI_ATOMIC(uint32_t) *)(void *)(p->use + uses);
    p->succ = (uint32_t *)(void *)(p->left + n);
    p->root = p->succ + p->n_succ;
    p->flows = dfi_align((void *)(p->root + p->n_roots));
    return p;
}

/* Fills the steps of p, in the order in which one worker executes them, but for their successors. The index of a
 * placeholder becomes that of its step. */
static void dfi_plan_sort(struct dfi_planning *g, struct dfi_plan *p)
{
    struct dfi_flow **stack = g->order + p->n, *t, *ready;
    struct dfi_edge *e;
    uint32_t i, at = 0, roots = 0;
    size_t top = 0;
    for (i = 0; i < p->n; i++) {
        if (g->all[i]->n_edges) continue;
        stack[top++] = g->all[i];
        if (++roots % DFI_ROOTS && roots < p->n_roots) continue;
        while (top)
            for (t = stack[--top]; t; t = ready) {
                struct dfi_plan_step *step = &p->step[at];
                step->preds = t->n_edges;
                step->task = DFI_JOIN_STEP;
                if (t->type == &dfi_stand_in_type) memcpy(&step->task, t->task.args, sizeof step->task);
                step->index = (uint32_t)t->index;
                dfi_store_relaxed(&p->left[at], step->preds);
                g->order[at] = t;
                t->index = at++;
                for (ready = NULL, e = dfi_load_relaxed(&t->succ); e; e = e->next) {
                    intptr_t left = dfi_load_relaxed(&e->task->wait) - 1;
                    dfi_store_relaxed(&e->task->wait, left);
                    if (left) continue;
                    if (ready) stack[top++] = ready;
                    ready = e->task;
                }
            }
    }
}

/* Collects the memberships of t. Meanwhile `merged` of a group holds its number, from 1, which its members never
 * reach. */
static void dfi_plan_uses(struct dfi_planning *g, struct dfi_plan *p, const struct dfi_flow *t)
{
    struct dfi_use *u;
    for (u = dfi_member_of(t->extra)->locks; u; u = u->next) {
        struct dfi_plan_use *v = &p->use[p->n_uses++];
        if (!dfi_load_relaxed(&u->group->merged)) dfi_store_relaxed(&u->group->merged, (size_t)++p->n_groups);
        v->group = (uint32_t)dfi_load_relaxed(&u->group->merged) - 1;
        v->step = (uint32_t)t->index;
        v->x = (uint32_t)g->q->task[p->step[t->index].task].x;
        while (g->q->x[v->x].arg != u->arg) v->x++;
    }
}

/* Copies the placeholders to p. */
static void dfi_plan_copy(struct dfi_planning *g, struct dfi_plan *p)
{
    uint32_t i, at = 0, root = 0;
    struct dfi_edge *e;
    dfi_plan_sort(g, p);
    for (i = 0; i < p->n; i++) {
        if (!g->all[i]->n_edges) p->root[root++] = (uint32_t)g->all[i]->index;
        if (g->all[i]->task.mem.special) dfi_plan_uses(g, p, g->all[i]);
        p->step[i].first = at;
        for (e = dfi_load_relaxed(&g->order[i]->succ); e; e = e->next) p->succ[at++] = (uint32_t)e->task->index;
    }
    p->step[p->n].first = at;
}

/* Frees the placeholders. They first leave their groups, which ends these. */
static void dfi_plan_clear(struct dfi_planning *g)
{
    struct dfi_use *u, *next;
    size_t i;
    if (dfi_flow_of(g->scope)->table) dfi_table_free(g->w, g->scope);
    for (i = 0; i < g->n; i++) {
        struct dfi_flow *t = g->all[i];
        for (u = t->task.mem.special ? dfi_member_of(t->extra)->locks : NULL; u; u = next) {
            int twice = u->group->deterministic;
            next = u->next;
            dfi_group_leave(g->w, u->group);
            if (twice) dfi_group_leave(g->w, u->group);
        }
        dfi_flow_free(g->w, t);
    }
}

/* Computes the plan of q; dfi_mfree frees it. NULL without memory, or if q is too long. pre: not dfi_observed(),
 * because observers must not see the edges of placeholders */
static struct dfi_plan *dfi_plan_new(struct dfi_worker *w, const struct dfi_sequence *q)
{
    /* a join takes the place of two accesses at least, so there are fewer of them */
    size_t counted = dfi_load_relaxed(&dfi_tasks_of(w)->n_edges), most = q->n + q->n_x + 1;
    struct dfi_plan *p = NULL;
    struct dfi_planning g;
    uint32_t i;
    memset((void *)&g, 0, sizeof g);
    g.w = w, g.q = q;
    if (most < UINT32_MAX / 4 && (g.scope = dfi_scope_new(w, NULL, DFI_BLOCK)) != NULL &&
        (g.all = (struct dfi_flow **)dfi_zeroed(3 * most * sizeof *g.all)) != NULL) {
        g.order = g.all + most; /* and a stack behind them */
        for (i = 0; i < q->n && !dfi_plan_register(&g, i);) i++;
        dfi_plan_collect(&g);
        if (i == q->n && (p = dfi_plan_alloc(&g)) != NULL) dfi_plan_copy(&g, p);
        dfi_plan_clear(&g);
    }
    if (g.scope) dfi_block_free(w, w, &g.scope->head);
    dfi_store_relaxed(&dfi_tasks_of(w)->n_edges, counted);
    dfi_mfree((void *)g.all);
    if (!p) dfi_warn_once("out of memory: df_taskgraph_run submits the tasks of a graph one by one");
    return p;
}

DFI_SMALL_CODE_END

#endif

#endif
