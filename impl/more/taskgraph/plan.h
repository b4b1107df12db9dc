/* plan.h - plans: the order of a sequence of submissions, computed once and executed many times
 *
 * To compute a plan, placeholders for all submissions are registered in a scope of their own; none
 * of them ever runs. So the plan has exactly the edges that df_submit finds, and the tasks that
 * share a region join the same groups. Then the edges are copied to compact arrays, and the
 * placeholders are freed. */
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
#include "../../flow/edge.h"
#include "../../flow/order.h"
#include "../../flow/region.h"
#include "../../flow/table.h"
#include "../../flow/task.h"
#include "../group.h"
#include "list.h"

/* A task, a df_wait, a df_wait_on, or a join (flow/order.h) of a plan. In the order of registration;
 * after dfi_plan_sort, in the order in which one worker executes them. */
struct dfi_plan_step {
    uint32_t preds;                  /* the number of its predecessors */
    /* its first successor in dfi_plan.succ; the last one precedes the first of the next step */
    uint32_t first;
    uint32_t task;                   /* its index in the sequence, or DFI_JOIN_STEP */
    uint32_t birth;                  /* its index among all steps in the order of registration */
};
#define DFI_JOIN_STEP 0xFFFFFFFFu

/* Tasks that share a region. */
struct dfi_plan_group {
    struct dfi_region region;        /* of a reduction: */
    void (*combine)(void *into, const void *from, size_t n);
    size_t size;
    const void *key;
    int deterministic;
    uint32_t members;
    struct dfi_group *now;           /* while the plan is executed */
};
/* The membership of a step in a group. Sorted by step; within a step, in the order in which locks
 * are taken. */
struct dfi_plan_use { uint32_t step, group; unsigned arg; };

struct dfi_plan {
    uint32_t n, n_succ, n_roots, n_groups, n_uses;
    struct dfi_plan_step *step;      /* n, and one more that ends the successors */
    DFI_ATOMIC(uint32_t) *left;      /* the unfinished predecessors of each step; all of them while nothing runs */
    uint32_t *succ, *root;
    struct dfi_plan_group *group;
    struct dfi_plan_use *use;
    uint32_t *pred, *first_pred;     /* the same edges, from the successors' side; only where requested */
    char *flows;                     /* the tasks (more/taskgraph/run.h), aligned; of step i at i * DFI_FLOW_STEP */
    void *flow_memory;
    struct dfi_worker *owner;        /* the worker that executes it */
    /* bottom of the owner's deque at the beginning: while it is the same, no other worker has seen
     * any of its tasks */
    size_t bottom;
    int seen;                        /* other workers may have seen some of its tasks nevertheless */
    int special;                     /* some tasks have extras */
};

static void dfi_plan_free(struct dfi_plan *p)
{
    if (!p) return;
    dfi_mfree((void *)p->step);
    dfi_mfree((void *)p->left);
    dfi_mfree(p->succ);
    dfi_mfree(p->root);
    dfi_mfree((void *)p->group);
    dfi_mfree(p->use);
    dfi_mfree(p->pred);
    dfi_mfree(p->first_pred);
    dfi_mfree(p->flow_memory);
    dfi_mfree((void *)p);
}

/* --- registering --------------------------------------------------------------------------------------------- */

struct dfi_planning {
    struct dfi_worker *w;
    struct dfi_scope *scope;         /* scope of the placeholders */
    const struct dfi_sequence *q;
    struct dfi_flow **flow;          /* of submission i */
    struct dfi_flow **all;           /* all placeholders, including joins, by their birth - 1 */
    struct dfi_ref wait, wait_on;    /* the last ones, which tasks come after */
};

static void dfi_stand_in_run(void *args, void *result) { (void)args, (void)result; }
static const struct dfi_type dfi_stand_in_type = { dfi_stand_in_run, "planned", 0, 0, 1, DFI_INTERNAL, NULL };

/* Makes t come after the placeholder in `before`, if there is one. Placeholders are never ready,
 * because their guards stay. */
static int dfi_plan_after(struct dfi_planning *g, struct dfi_flow *t, const struct dfi_ref *before)
{
    return before->task ? dfi_edge_add(g->w, t, before) : 0;
}

/* A df_wait: comes after all submissions without a successor, and forgets all regions. */
static int dfi_plan_wait(struct dfi_planning *g, struct dfi_flow *t, size_t i)
{
    struct dfi_ref r;
    while (i-- > 0 && g->q->task[i].kind != DFI_C_WAIT) {
        r.task = g->flow[i], r.seq = r.task->seq;
        if (!dfi_load_relaxed(&r.task->succ) && dfi_edge_add(g->w, t, &r)) return -1;
    }
    if (!t->n_edges && dfi_plan_after(g, t, &g->wait)) return -1;
    if (g->scope->table) dfi_table_free(g->w, g->scope);
    g->scope->table = NULL;
    g->wait.task = t, g->wait.seq = t->seq;
    g->wait_on.task = NULL;
    return 0;
}

static int dfi_plan_register(struct dfi_planning *g, size_t i)
{
    const struct dfi_captured *c = &g->q->task[i];
    struct dfi_access x[DFI_PARAMETERS];
    struct dfi_flow *t = dfi_flow_new(g->w, g->scope, &dfi_stand_in_type);
    struct dfi_region r;
    struct dfi_entry *n;
    unsigned k;
    int failed = 0;
    if (!(g->flow[i] = t)) return -1;
    if (c->kind == DFI_C_WAIT) return dfi_plan_wait(g, t, i);
    if (c->n) memcpy((void *)x, (const void *)(g->q->x + c->x), c->n * sizeof *x);
    if (c->type->modes & DFI_SHARED) dfi_accesses_apart(x, c->n);
    for (k = 0; k < c->n && !failed; k++) {
        r = dfi_region_of(&x[k]);
        if (!r.rows) continue;
        if (!g->scope->table && !(g->scope->table = dfi_table_new(g->w))) return -1;
        failed = !(n = dfi_table_find(g->w, g->scope->table, &r)) || dfi_register_at(g->w, t, t, n, &x[k]);
    }
    g->w->reg_task = NULL, g->w->reg_access = NULL;
    if (!failed) failed = dfi_plan_after(g, t, &g->wait_on) || (!t->n_edges && dfi_plan_after(g, t, &g->wait));
    if (c->kind == DFI_C_WAIT_ON) g->wait_on.task = t, g->wait_on.seq = t->seq;
    return failed ? -1 : 0;
}

/* --- copying ------------------------------------------------------------------------------------------------- */

/* Finds all placeholders: the edges from earlier ones lead to the joins. Returns the number of edges. */
static size_t dfi_plan_collect(struct dfi_planning *g, size_t registered)
{
    size_t i, births = g->scope->births, edges = 0;
    struct dfi_edge *e;
    for (i = 0; i < births; i++) g->all[i] = NULL;
    for (i = 0; i < registered; i++)
        if (g->flow[i]) g->all[g->flow[i]->birth - 1] = g->flow[i];
    for (i = 0; i < births; i++)
        for (e = g->all[i] ? dfi_load_relaxed(&g->all[i]->succ) : NULL; e; e = e->next, edges++)
            g->all[e->task->birth - 1] = e->task;
    return edges;
}

/* Collects the members of the groups. Meanwhile `merged` of a group holds its number, from 1, which
 * its members never reach. */
static int dfi_plan_groups(struct dfi_planning *g, struct dfi_plan *p)
{
    size_t i, births = g->scope->births, most = 0, k;
    struct dfi_use *u;
    for (i = 0; i < births; i++)
        for (k = 0; k < 2 && g->all[i] && g->all[i]->task.mem.special; k++)
            for (u = k ? g->all[i]->extra->reductions : g->all[i]->extra->locks; u; u = u->next) most++;
    if (!most) return 0;
    p->use = (struct dfi_plan_use *)dfi_malloc(most * sizeof *p->use);
    p->group = (struct dfi_plan_group *)dfi_malloc(most * sizeof *p->group);
    if (!p->use || !p->group) return -1;
    p->special = 1;
    for (i = 0; i < births; i++)
        for (k = 0; k < 2 && g->all[i] && g->all[i]->task.mem.special; k++)
            for (u = k ? g->all[i]->extra->reductions : g->all[i]->extra->locks; u; u = u->next) {
                struct dfi_plan_use *v = &p->use[p->n_uses++];
                size_t number = dfi_load_relaxed(&u->group->merged);
                if (!number) {
                    struct dfi_plan_group *q = &p->group[p->n_groups];
                    q->region = u->group->region, q->combine = u->group->combine;
                    q->size = u->group->size, q->key = u->group->key, q->deterministic = u->group->deterministic;
                    q->members = 0, q->now = NULL;
                    dfi_store_relaxed(&u->group->merged, number = ++p->n_groups);
                }
                v->step = (uint32_t)i, v->arg = u->arg, v->group = (uint32_t)(number - 1);
                p->group[v->group].members++;
            }
    return 0;
}

/* Copies the placeholders and their edges to arrays. 0, or -1 without memory. */
static int dfi_plan_copy(struct dfi_planning *g, struct dfi_plan *p, size_t edges)
{
    size_t i, n = g->scope->births;
    struct dfi_edge *e;
    p->n = (uint32_t)n;
    p->step = (struct dfi_plan_step *)dfi_malloc((n + 1) * sizeof *p->step);
    p->succ = (uint32_t *)dfi_malloc((edges + 1) * sizeof *p->succ);
    p->root = (uint32_t *)dfi_malloc((n + 1) * sizeof *p->root);
    if (!p->step || !p->succ || !p->root) return -1;
    for (i = 0; i <= n; i++) p->step[i].preds = 0, p->step[i].task = DFI_JOIN_STEP, p->step[i].birth = (uint32_t)i + 1;
    for (i = 0; i < g->q->n; i++) p->step[g->flow[i]->birth - 1].task = (uint32_t)i;
    for (i = 0; i < n; i++) {
        p->step[i].first = p->n_succ;
        for (e = dfi_load_relaxed(&g->all[i]->succ); e; e = e->next) {
            p->succ[p->n_succ++] = (uint32_t)(e->task->birth - 1);
            p->step[e->task->birth - 1].preds++;
        }
    }
    p->step[n].first = p->n_succ;
    for (i = 0; i < n; i++)
        if (!p->step[i].preds) p->root[p->n_roots++] = (uint32_t)i;
    return 0;
}

/* Frees the placeholders. They first leave their groups, which ends these. */
static void dfi_plan_clear(struct dfi_planning *g)
{
    struct dfi_use *u;
    size_t i;
    if (g->scope->table) dfi_table_free(g->w, g->scope);
    g->scope->table = NULL;
    for (i = 0; i < g->scope->births; i++) {
        struct dfi_flow *t = g->all[i];
        if (!t) continue;
        for (u = t->task.mem.special ? t->extra->locks : NULL; u; u = u->next)
            if (u->group) dfi_group_leave(g->w, u->group);
        for (u = t->task.mem.special ? t->extra->reductions : NULL; u; u = u->next) {
            int twice = u->group && u->group->deterministic;
            if (u->group) dfi_group_leave(g->w, u->group);
            if (twice) dfi_group_leave(g->w, u->group);
        }
        dfi_flow_free(g->w, t);
    }
    dfi_block_free(g->w, g->w, &g->scope->head);
}

/* Computes the plan of q. NULL without memory, or if q is too long. pre: not dfi_watched(), because
 * observers must not see the edges of placeholders */
static struct dfi_plan *dfi_plan_new(struct dfi_worker *w, const struct dfi_sequence *q)
{
    /* a join for each access at most */
    size_t i, edges, counted = dfi_load_relaxed(&w->n_edges), most = 2 * q->n + q->n_x + 1;
    struct dfi_plan *p = (struct dfi_plan *)dfi_malloc(sizeof *p);
    struct dfi_planning g;
    int failed = 0;
    memset((void *)&g, 0, sizeof g);
    g.w = w, g.q = q;
    g.scope = dfi_scope_new(w, NULL, DFI_BLOCK);
    g.flow = (struct dfi_flow **)dfi_malloc((q->n + 1) * sizeof *g.flow);
    if (!p || !g.scope || !g.flow || most > UINT32_MAX / 4) failed = -1;
    if (p) memset((void *)p, 0, sizeof *p);
    for (i = 0; i < q->n && !failed; i++) failed = dfi_plan_register(&g, i);
    if (g.scope) {
        g.all = (struct dfi_flow **)dfi_malloc((g.scope->births + 1) * sizeof *g.all);
        if (g.all) {
            edges = dfi_plan_collect(&g, i);
            if (!failed)
                failed = edges > UINT32_MAX / 2 || dfi_plan_copy(&g, p, edges) || dfi_plan_groups(&g, p) ? -1 : 0;
            dfi_plan_clear(&g);
        } else { /* without memory to find the joins, the placeholders stay until the pool ends */
            if (g.scope->table) dfi_table_free(w, g.scope);
            failed = -1;
        }
    }
    dfi_store_relaxed(&w->n_edges, counted);
    dfi_mfree((void *)g.flow);
    dfi_mfree((void *)g.all);
    if (!failed) return p;
    dfi_warn_no_memory();
    dfi_plan_free(p);
    return NULL;
}

/* Adds the edges from the successors' side. 0, or -1 without memory. */
static int dfi_plan_turn(struct dfi_plan *p)
{
    uint32_t i, k;
    p->first_pred = (uint32_t *)dfi_malloc(((size_t)p->n + 1) * sizeof *p->first_pred);
    p->pred = (uint32_t *)dfi_malloc(((size_t)p->n_succ + 1) * sizeof *p->pred);
    if (!p->first_pred || !p->pred) return -1;
    for (i = 0, k = 0; i <= p->n; k += i < p->n ? p->step[i].preds : 0, i++) p->first_pred[i] = k;
    for (i = 0; i < p->n; i++)
        for (k = p->step[i].first; k < p->step[i + 1].first; k++) p->pred[p->first_pred[p->succ[k]]++] = i;
    for (i = p->n; i > 0; i--) p->first_pred[i] = p->first_pred[i - 1];
    p->first_pred[0] = 0;
    return 0;
}

#endif
