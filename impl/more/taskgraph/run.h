/* run.h - df_taskgraph_run: repeated execution of task graphs
 *
 * A run executes a plan (more/taskgraph/plan.h). Its tasks have records like those of df_submit,
 * made once, and the worker that makes a task ready pushes it onto its own stack. Only the
 * successors are numbers instead of edges. If an observer has to see every submission, or a task
 * needs something that a plan lacks (tokens, weak accesses, devices, DF_GRAPH, a trace), the tasks
 * are submitted instead. Argument: docs/internals/taskgraph.md, "Runs of a task graph". */
#ifndef DFI_MORE_TASKGRAPH_RUN_H
#define DFI_MORE_TASKGRAPH_RUN_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/stream.h"
#include "../../api/task.h"
#include "../../api/taskgraph.h"
#include "../../work/blocks.h"
#include "../../work/find.h"
#include "../../work/probe.h"
#include "../../work/scope.h"
#include "../../work/stack.h"
#include "../../work/types.h"
#include "../../work/worker.h"
#include "../../flow/edge.h"
#include "../../flow/extra.h"
#include "../../flow/moments.h"
#include "../../flow/scope.h"
#include "../../flow/task.h"
#include "../../flow/types.h"
#include "../devices.h"
#include "../error.h"
#include "../group.h"
#include "../options.h"
#include "../types.h"
#include "list.h"
#include "plan.h"
#include "../../api/submit_options.h"

#if !defined(DF_SERIAL)

/* Decodes dfi_flow.succ of a task of a plan. */
static struct dfi_plan *dfi_plan_of(const struct dfi_edge *e)
{
    return (struct dfi_plan *)((uintptr_t)e & ~DFI_OWN_SUCC);
}

DFI_FAST struct dfi_flow *dfi_plan_flow(struct dfi_plan *p, uint32_t i)
{
    return (struct dfi_flow *)(void *)(p->flows + (size_t)i * DFI_FLOW_STEP);
}

/* t, a task of a plan, is done. Replaces the second half of dfi_flow_release. */
static struct dfi_flow *dfi_plan_release(struct dfi_worker *w, struct dfi_flow *t, unsigned skip,
                                         struct dfi_flow *ready)
{
    struct dfi_plan *p = dfi_plan_of(dfi_load_relaxed(&t->succ));
    struct dfi_scope *s = t->scope;
    size_t i = (size_t)((char *)t - p->flows) / DFI_FLOW_STEP;
    const uint32_t *k = p->succ + p->step[i].first, *end = p->succ + p->step[i + 1].first;
    int alone = p->owner == w && dfi_load_relaxed(&w->bottom) == p->bottom && !p->seen;
    if (DFI_UNLIKELY(t->task.mem.special)) dfi_extra_free(w, t);
    if (DFI_UNLIKELY(dfi_load_relaxed(&t->skip))) dfi_store_relaxed(&t->skip, 0u); /* for the next run */
    for (; k < end; k++) {
        DFI_ATOMIC(uint32_t) *count = &p->left[*k];
        struct dfi_flow *u = dfi_plan_flow(p, *k);
        if (DFI_UNLIKELY(skip)) dfi_store_relaxed(&u->skip, (unsigned)DFI_SKIPPED);
        if (alone) {
            uint32_t left = dfi_load_relaxed(count) - 1;
            if (left) {
                dfi_store_relaxed(count, left);
                continue;
            }
        } /* acquire, acq_rel: as in dfi_flow_unblock */
        else if (dfi_load_acquire(count) != 1 && dfi_fetch_sub_acq_rel(count, (uint32_t)1) != 1) continue;
        dfi_store_relaxed(count, p->step[*k].preds); /* for the next run */
        u->scope = s;
        if (DFI_UNLIKELY(u->task.mem.special | w->outside) && dfi_ready_special(w, u)) {
            if (p->owner == w) p->seen = 1;
            continue;
        }
        if (ready) dfi_push(w, ready);
        ready = u;
    }
    return ready;
}

#define dfi_up_releases_by , dfi_plan_release

/* From now on the tasks of p run in the modes of the calling code. */
static DFI_NOINLINE DFI_COLD void dfi_plan_computes(struct dfi_plan *p)
{
    uint32_t i;
    dfi_fenv_get(&p->fenv);
    for (i = 0; i < p->n; i++) dfi_fenv_keep(&dfi_plan_flow(p, i)->task.mem, p->fenv);
}

/* Runs the tasks of p as children of s. pre: s belongs to w and has no other children */
static void dfi_plan_run(struct dfi_worker *w, struct dfi_scope *s, struct dfi_plan *p)
{
    uint32_t i;
    dfi_flow_of(s)->n_children = p->n;
    s->submitted += p->n;
    if (DFI_UNLIKELY(!dfi_fenv_is(p->fenv))) dfi_plan_computes(p);
    p->owner = w, p->bottom = dfi_load_relaxed(&w->bottom), p->seen = p->special;
    dfi_store_relaxed(&dfi_tasks_of(w)->n_edges, dfi_load_relaxed(&dfi_tasks_of(w)->n_edges) + p->n_succ);
    for (i = 0; i < p->n_roots; i++) {
        struct dfi_flow *t = dfi_plan_flow(p, p->root[i]);
        t->scope = s;
        if (DFI_UNLIKELY(t->task.mem.special | w->outside) && dfi_ready_special(w, t)) {
            p->seen = 1;
            continue;
        }
        dfi_push(w, t);
        if (i % DFI_ROOTS != DFI_ROOTS - 1) continue;
        if (dfi_steal_requested(w)) dfi_poll(w);
        dfi_level(w, 1);
        while (dfi_run_own(w, s->mark, NULL))
            if (dfi_steal_requested(w)) dfi_poll(w);
        dfi_level(w, -1);
    }
}

DFI_SMALL_CODE_BEGIN

/* --- beginning ------------------------------------------------------------------------------------------- */

/* The end of a df_wait of the block, which also ends a cancellation. */
static void dfi_plan_wait_run(void *args, void *result)
{
    struct dfi_worker *w = (struct dfi_worker *)(void *)dfi_self;
    (void)args, (void)result;
    dfi_store_relaxed(&dfi_tasks_of(w)->n_tasks,
                      dfi_load_relaxed(&dfi_tasks_of(w)->n_tasks) - 1); /* not counted as a task */
    dfi_scope_uncancel(w, w->task->scope);
}
static const struct dfi_type dfi_plan_wait_type = { dfi_plan_wait_run, "df_wait", 0, 0, 1, DFI_INTERNAL, NULL };
static const struct dfi_type dfi_plan_wait_on_type = { dfi_join_run, "df_wait_on", 0, 0, 1, DFI_INTERNAL, NULL };

/* True if a plan can contain the submission: a plan lacks semaphores and the options of tokens and df_release. */
static int dfi_plan_takes(const struct dfi_captured *c)
{
    const struct df_opts *o = c->opts ? &c->opts->opts : NULL;
    return c->kind != DFI_C_TASK ||
        (!(c->type->modes & (DFI_CHILDREN | DFI_LAUNCH | DFI_LIMIT)) &&
         !(o && (*o->after || *o->signals || o->release)));
}

static int dfi_opts_are_special(const struct df_opts *o)
{
    return o->priority || o->worker || o->group || o->result || o->always;
}

/* Makes the tasks of p, and puts their arguments into the order of its steps. 0, or -1 without memory. */
static int dfi_plan_make(struct dfi_plan *p, struct dfi_sequence *q)
{
    char *args = (char *)dfi_malloc(q->n_args + 1);
    size_t n_args = 0;
    uint32_t i;
    if (!args) return -1;
    for (i = 0; i < p->n; i++) {
        struct dfi_flow *t = dfi_plan_flow(p, i);
        struct dfi_captured *c = p->step[i].task == DFI_JOIN_STEP ? NULL : &q->task[p->step[i].task];
        t->type = !c ? &dfi_join_type : c->kind == DFI_C_TASK ? c->type
                     : c->kind == DFI_C_WAIT ? &dfi_plan_wait_type : &dfi_plan_wait_on_type;
        t->index = p->step[i].index;
        dfi_store_relaxed(&t->succ, (struct dfi_edge *)((uintptr_t)p | DFI_OWN_SUCC));
        if (!c || c->kind != DFI_C_TASK) continue;
        t->task.args = memcpy(args + n_args, q->args + c->args, c->type->args_bytes);
        c->args = n_args;
        n_args += dfi_args_room(c->type);
        if (c->opts && dfi_opts_are_special(&c->opts->opts)) p->special = 1;
    }
    dfi_mfree(q->args);
    q->args = args;
    return 0;
}

/* The plan of g, computed if necessary. NULL: there is none. */
static struct dfi_plan *dfi_taskgraph_plan(struct dfi_worker *w, struct df_taskgraph *g)
{
    size_t i;
    if (g->plan || g->planless) return g->plan;
    for (i = 0; i < g->list.n && dfi_plan_takes(&g->list.task[i]);) i++;
    if (i == g->list.n && (g->plan = dfi_plan_new(w, &g->list)) != NULL &&
        !dfi_plan_make(g->plan, &g->list)) return g->plan;
    g->planless = 1;
    dfi_mfree((void *)g->plan);
    return g->plan = NULL;
}

/* Makes the extras of the tasks that have any. 0, or -1 without memory: then none has. */
static DFI_NOINLINE int dfi_plan_extras(struct dfi_worker *w, struct dfi_scope *s, struct dfi_plan *p,
                                        const struct dfi_sequence *q)
{
    uint32_t i;
    int failed = 0;
    for (i = 0; i < p->n_groups; i++) p->group[i] = NULL;
    for (i = 0; i < p->n && !failed; i++) {
        const struct dfi_captured *c = p->step[i].task == DFI_JOIN_STEP ? NULL : &q->task[p->step[i].task];
        struct dfi_flow *t = dfi_plan_flow(p, i);
        t->scope = s;
        if (!c || !c->opts || !dfi_opts_are_special(&c->opts->opts)) continue;
        if ((failed = !dfi_extra_of(w, t)) != 0) break;
        dfi_opts_give(t, &c->opts->opts, c->opts->site);
        dfi_more_options_give(t, &c->opts->opts);
    }
    for (i = 0; i < p->n_uses && !failed; i++) {
        const struct dfi_access *x = &q->x[p->use[i].x];
        struct dfi_group **g = &p->group[p->use[i].group];
        failed = (!*g && !(*g = dfi_group_new(w, x, (char *)dfi_region_of(x).p))) ||
            dfi_group_add(w, dfi_plan_flow(p, p->use[i].step), *g, x);
    }
    if (failed)
        for (i = 0; i < p->n; i++)
            if (dfi_plan_flow(p, i)->task.mem.special) dfi_extra_free(w, dfi_plan_flow(p, i));
    for (i = 0; i < p->n_groups && p->group[i]; i++)
        if (failed) dfi_block_free(w, w, &p->group[i]->head);
        else dfi_group_close(w, p->group[i]);
    return failed;
}

/* Restores the regions themselves as the arguments of the tasks that reduced. pre: all tasks of p are done */
static void dfi_plan_settle(struct dfi_plan *p, const struct dfi_sequence *q)
{
    uint32_t i;
    for (i = 0; i < p->n_uses; i++) {
        const struct dfi_access *x = &q->x[p->use[i].x];
        memcpy((char *)dfi_plan_flow(p, p->use[i].step)->task.args + x->arg, (const void *)&x->p, sizeof x->p);
    }
}

/* True if this worker may execute a plan in scope s. */
static int dfi_plan_allowed(struct dfi_worker *w, const struct dfi_scope *s)
{
    if (DF_CHECK || !w || w->task || s->kind != DFI_BLOCK || s->submitted != s->done) return 0;
    if (dfi_gated_body(s) || s->asks & DFI_ASKS_TENTATIVE) return 0;
    if (dfi_observed() || dfi_load_relaxed(&dfi_more.devices)) return 0;
    /* a single worker runs submitted tasks immediately, which is cheaper still */
    return !dfi_alone() || dfi_flow_pool.defer;
}

/* Executes p, the plan of g, in the scope of the calling code. Zero: memory is lacking. */
static int dfi_plan_execute(struct dfi_worker *w, struct df_taskgraph *g, struct dfi_plan *p)
{
    if (p->special && dfi_plan_extras(w, w->scope, p, &g->list)) return 0;
    dfi_plan_run(w, w->scope, p);
    dfi_wait_all(w, w->scope); /* before the plan may be used again */
    dfi_plan_settle(p, &g->list);
    return 1;
}

DFI_SMALL_CODE_END

#else

/* A serial build runs tasks in their order, without a plan. */

#endif

#endif
