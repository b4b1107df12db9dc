/* run.h - df_taskgraph_run: repeated execution of task graphs
 *
 * A run executes a plan (more/taskgraph/plan.h). Its tasks have records like those of df_submit,
 * made once, and the worker that makes a task ready pushes it onto its own stack. Only the
 * successors are numbers instead of edges. If an observer has to see every submission, or a task
 * needs something that a plan lacks (tokens, weak accesses, devices, DF_GRAPH, a trace), the tasks
 * are submitted instead. Argument: docs/memory-order.md, "Runs of a task graph". */
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
#include "../../work/worker.h"
#include "../../work/stack.h"
#include "../../work/find.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../flow/devices.h"
#include "../../flow/edge.h"
#include "../../flow/extra.h"
#include "../../flow/submit.h"
#include "../../flow/table.h"
#include "../../flow/task.h"
#include "../error.h"
#include "../group.h"
#include "list.h"
#include "plan.h"
#include "../../observe/graph/graph.h"
#include "../../observe/probes.h"
#include "../../api/public.h"

enum {
    /* no two tasks share a cache line */
    DFI_FLOW_STEP = (sizeof(struct dfi_flow) + DFI_LINE - 1) / DFI_LINE * DFI_LINE,
    /* the most ready tasks with which a run begins: more would push the stack out of the first-level cache */
    DFI_ROOTS = 256
};

/* Decodes dfi_flow.succ of a task of a plan. */
static struct dfi_plan *dfi_plan_of(const struct dfi_edge *e)
{
    return (struct dfi_plan *)((uintptr_t)e & ~DFI_OF_PLAN);
}

DFI_INLINE struct dfi_flow *dfi_plan_flow(struct dfi_plan *p, uint32_t i)
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

/* --- beginning ------------------------------------------------------------------------------------------- */

/* The end of a df_wait of the block, which also ends a cancellation. */
static void dfi_plan_wait_run(void *args, void *result)
{
    struct dfi_worker *w = (struct dfi_worker *)(void *)dfi_self;
    (void)args, (void)result;
    dfi_store_relaxed(&w->n_tasks, dfi_load_relaxed(&w->n_tasks) - 1); /* not counted as a task */
    dfi_scope_uncancel(w->task->scope);
}
static const struct dfi_type dfi_plan_wait_type = { dfi_plan_wait_run, "df_wait", 0, 0, 1, DFI_INTERNAL, NULL };
static const struct dfi_type dfi_plan_wait_on_type = { dfi_join_run, "df_wait_on", 0, 0, 1, DFI_INTERNAL, NULL };

/* True if a plan can contain the submission: a plan lacks the options of tokens and df_release. */
static int dfi_plan_takes(const struct dfi_captured *c)
{
    const struct df_opts *o = c->opts ? &c->opts->opts : NULL;
    return c->kind != DFI_C_TASK ||
        (!(c->type->modes & (DFI_WEAK | DFI_LAUNCH)) && !(o && (*o->after || *o->signals || o->release)));
}

static int dfi_opts_are_special(const struct df_opts *o) { return o->priority || o->worker || o->group; }

/* Computes the order in which one worker executes p. order, stack: room for p->n. */
static void dfi_plan_try(const struct dfi_plan *p, uint32_t *order, uint32_t *stack)
{
    uint32_t at = 0, r, top = 0;
    for (r = 0; r < p->n_roots; r++) {
        stack[top++] = p->root[r];
        while (top && (r % DFI_ROOTS == DFI_ROOTS - 1 || r == p->n_roots - 1)) {
            uint32_t i = stack[--top], ready = i, k;
            while (ready != DFI_JOIN_STEP) {
                order[at++] = i = ready, ready = DFI_JOIN_STEP;
                for (k = p->step[i].first; k < p->step[i + 1].first; k++) {
                    uint32_t u = p->succ[k], left = dfi_load_relaxed(&p->left[u]) - 1;
                    dfi_store_relaxed(&p->left[u], left);
                    if (left) continue;
                    if (ready != DFI_JOIN_STEP) stack[top++] = ready;
                    ready = u;
                }
            }
        }
    }
}

/* Sorts the steps, and the arguments of their tasks, into the order in which one worker executes
 * them, so that memory is accessed sequentially. 0, or -1 without memory. (64 x 64 Cholesky, one
 * worker: 13 ns per task; in the order of submission 160 ns.) */
static int dfi_plan_sort(struct dfi_plan *p, struct dfi_sequence *q)
{
    uint32_t i, k, n = p->n, *order = (uint32_t *)dfi_malloc(2 * ((size_t)n + 1) * sizeof *order),
        *place = order + n + 1;
    struct dfi_plan_step *step = (struct dfi_plan_step *)dfi_malloc(((size_t)n + 1) * sizeof *step);
    uint32_t *succ = (uint32_t *)dfi_malloc(((size_t)p->n_succ + 1) * sizeof *succ);
    char *args = (char *)dfi_malloc(q->n_args + 1);
    size_t n_args = 0;
    p->left = (DFI_ATOMIC(uint32_t) *)dfi_malloc(((size_t)n + 1) * sizeof *p->left);
    if (!order || !step || !succ || !args || !p->left) {
        dfi_mfree(order);
        dfi_mfree((void *)step);
        dfi_mfree(succ);
        dfi_mfree(args);
        return -1;
    }
    for (i = 0; i < n; i++) dfi_store_relaxed(&p->left[i], p->step[i].preds);
    dfi_plan_try(p, order, place);
    for (i = 0; i < n; i++) place[order[i]] = i;
    step[n].first = p->n_succ;
    p->n_succ = 0;
    for (i = 0; i < n; i++) {
        const struct dfi_plan_step *from = &p->step[order[i]];
        struct dfi_captured *c = from->task == DFI_JOIN_STEP ? NULL : &q->task[from->task];
        step[i] = *from;
        step[i].first = p->n_succ;
        for (k = from->first; k < from[1].first; k++) succ[p->n_succ++] = place[p->succ[k]];
        dfi_store_relaxed(&p->left[i], from->preds);
        if (c && c->kind == DFI_C_TASK) {
            size_t bytes = (c->type->args_bytes + 15) / 16 * 16;
            memcpy(args + n_args, q->args + c->args, c->type->args_bytes);
            c->args = n_args;
            n_args += bytes;
        }
    }
    for (i = 0; i < p->n_roots; i++) p->root[i] = place[p->root[i]];
    for (i = 0; i < p->n_uses; i++) p->use[i].step = place[p->use[i].step];
    dfi_mfree(order);
    dfi_mfree((void *)p->step);
    dfi_mfree(p->succ);
    dfi_mfree(q->args);
    p->step = step, p->succ = succ;
    q->args = args, q->max_args = q->n_args;
    return 0;
}

/* Makes the records of the tasks of p. 0, or -1 without memory. */
static int dfi_plan_make(struct dfi_plan *p, const struct dfi_sequence *q)
{
    uint32_t i;
    char *m = (char *)dfi_malloc((size_t)p->n * DFI_FLOW_STEP + DFI_LINE);
    if (!m) return -1;
    memset(m, 0, (size_t)p->n * DFI_FLOW_STEP + DFI_LINE);
    p->flow_memory = m;
    p->flows = m + (DFI_LINE - (uintptr_t)m % DFI_LINE) % DFI_LINE;
    for (i = 0; i < p->n; i++) {
        struct dfi_flow *t = dfi_plan_flow(p, i);
        const struct dfi_captured *c = p->step[i].task == DFI_JOIN_STEP ? NULL : &q->task[p->step[i].task];
        t->type = !c ? &dfi_join_type : c->kind == DFI_C_TASK ? c->type
                     : c->kind == DFI_C_WAIT ? &dfi_plan_wait_type : &dfi_plan_wait_on_type;
        if (c) t->task.args = q->args + c->args;
        t->birth = p->step[i].birth;
        dfi_store_relaxed(&t->succ, (struct dfi_edge *)((uintptr_t)p | DFI_OF_PLAN));
        if (c && c->opts && dfi_opts_are_special(&c->opts->opts)) p->special = 1;
    }
    return 0;
}

/* The plan of g, computed if necessary. NULL: there is none. */
static struct dfi_plan *dfi_taskgraph_plan(struct dfi_worker *w, struct df_taskgraph *g)
{
    size_t i;
    if (g->plan || g->planless) return g->plan;
    for (i = 0; i < g->list.n && dfi_plan_takes(&g->list.task[i]);) i++;
    if (i == g->list.n && (g->plan = dfi_plan_new(w, &g->list)) != NULL && !dfi_plan_sort(g->plan, &g->list) &&
        !dfi_plan_make(g->plan, &g->list)) return g->plan;
    g->planless = 1;
    dfi_plan_free(g->plan);
    return g->plan = NULL;
}

/* Opens a group that has all its members. */
static int dfi_plan_group_begin(struct dfi_worker *w, struct dfi_plan_group *q)
{
    struct dfi_group *g = q->now = dfi_group_new(w);
    if (!g) return -1;
    g->open = 0;
    g->region = q->region, g->combine = q->combine, g->size = q->size, g->key = q->key;
    g->first.p = (char *)q->region.p;
    g->deterministic = q->combine && q->deterministic;
    dfi_store_relaxed(&g->copies, &g->first);
    dfi_store_relaxed(&g->left, (intptr_t)q->members * (g->deterministic ? 2 : 1));
    return 0;
}

/* Makes the extras of the tasks that have any. 0, or -1 without memory: then none has. */
static DFI_NOINLINE int dfi_plan_extras(struct dfi_worker *w, struct dfi_scope *s, struct dfi_plan *p,
                                        const struct dfi_sequence *q)
{
    uint32_t i;
    int failed = 0;
    for (i = 0; i < p->n_groups && !failed; i++) failed = dfi_plan_group_begin(w, &p->group[i]);
    for (i = 0; i < p->n && !failed; i++) {
        const struct dfi_captured *c = p->step[i].task == DFI_JOIN_STEP ? NULL : &q->task[p->step[i].task];
        const struct df_opts *o = c && c->opts ? &c->opts->opts : NULL;
        struct dfi_flow *t = dfi_plan_flow(p, i);
        t->scope = s;
        if (!o || !dfi_opts_are_special(o)) continue;
        if (dfi_extra_of(w, t)) dfi_opts_give(t, o, c->opts->site);
        else failed = -1;
    }
    for (i = 0; i < p->n_uses && !failed; i++) {
        const struct dfi_plan_use *v = &p->use[i];
        struct dfi_flow *t = dfi_plan_flow(p, v->step);
        struct dfi_extra *x = dfi_extra_of(w, t);
        struct dfi_group *g = p->group[v->group].now;
        struct dfi_use *u, **at;
        if (x && !x->name) x->name = t->type->name;
        at = !x ? NULL : g->combine ? &x->reductions : &x->locks;
        while (at && !g->combine && *at && (uintptr_t)(*at)->group < (uintptr_t)g) at = &(*at)->next;
        if (!at || !(u = dfi_use_new(w, at))) {
            failed = -1;
            break;
        }
        u->group = g, u->arg = v->arg;
        u->own.task = t, u->own.turn = g->turns;
        if (g->combine) g->turns++;
        x->to_lock = x->locks;
    }
    if (!failed) return 0;
    for (i = 0; i < p->n; i++)
        if (dfi_plan_flow(p, i)->task.mem.special) dfi_extra_free(w, dfi_plan_flow(p, i));
    for (i = 0; i < p->n_groups && p->group[i].now; i++) {
        dfi_block_free(w, w, &p->group[i].now->head);
        p->group[i].now = NULL;
    }
    return -1;
}

/* Runs the tasks of p as children of s. pre: s belongs to w and has no other children */
static void dfi_plan_run(struct dfi_worker *w, struct dfi_scope *s, struct dfi_plan *p)
{
    uint32_t i;
    s->births = p->n;
    s->submitted += p->n;
    p->owner = w, p->bottom = dfi_load_relaxed(&w->bottom), p->seen = p->special;
    dfi_store_relaxed(&w->n_edges, dfi_load_relaxed(&w->n_edges) + p->n_succ);
    for (i = 0; i < p->n_roots; i++) {
        struct dfi_flow *t = dfi_plan_flow(p, p->root[i]);
        t->scope = s;
        if (DFI_UNLIKELY(t->task.mem.special | w->outside) && dfi_ready_special(w, t)) {
            p->seen = 1;
            continue;
        }
        dfi_push(w, t);
        if (i % DFI_ROOTS != DFI_ROOTS - 1) continue;
        if (dfi_asked(w)) dfi_poll(w);
        dfi_level(w, 1);
        while (dfi_run_own(w, s->mark, NULL))
            if (dfi_asked(w)) dfi_poll(w);
        dfi_level(w, -1);
    }
}

/* Restores the regions themselves as the arguments of the tasks that reduced. pre: all tasks of p are done */
static void dfi_plan_settle(struct dfi_plan *p)
{
    uint32_t i;
    for (i = 0; i < p->n_uses; i++) {
        const struct dfi_plan_group *g = &p->group[p->use[i].group];
        void *region = (void *)g->region.p;
        if (g->combine)
            memcpy((char *)dfi_plan_flow(p, p->use[i].step)->task.args + p->use[i].arg, (void *)&region, sizeof region);
    }
}

/* --- submitting ------------------------------------------------------------------------------------------ */

/* Submits the tasks as the block did. */
static void dfi_taskgraph_resubmit(struct dfi_worker *w, const struct dfi_sequence *q)
{
    struct dfi_access x[DFI_PARAMETERS];
    size_t i;
    for (i = 0; i < q->n; i++) {
        const struct dfi_captured *c = &q->task[i];
        const struct df_opts *o = c->opts ? &c->opts->opts : NULL;
        struct dfi_task *t;
        if (c->n) memcpy((void *)x, (const void *)(q->x + c->x), c->n * sizeof *x);
        if (c->kind == DFI_C_WAIT) (df_wait)();
        else if (c->kind == DFI_C_WAIT_ON) dfi_wait_for(w, x, c->n, NULL);
        else {
            if (c->type->modes & DFI_LAUNCH && w) dfi_scope_launches(w->scope);
            if (o) dfi_with(o, c->opts->site);
            if (!(t = dfi_task_new(c->type))) dfi_run_now(c->type, q->args + c->args);
            else if (t == DFI_BARE) dfi_run_after(c->type, q->args + c->args, x, c->n);
            else {
                memcpy(t->args, q->args + c->args, c->type->args_bytes);
                if (c->type->modes & DFI_LAUNCH) dfi_submit_here(t, x, c->n);
                else dfi_submit(t, x, c->n);
            }
            if (o) dfi_with_end(o);
        }
    }
}

/* True if this worker may execute a plan in scope s. */
static int dfi_plan_allowed(struct dfi_worker *w, const struct dfi_scope *s)
{
    if (DF_CHECK || !w || w->task || s->kind != DFI_BLOCK || s->gated || s->guess || s->submitted != s->done) return 0;
    if (DFI_GRAPH() || dfi_watched() || dfi_load_relaxed(&dfi_pool.devices)) return 0;
    /* a single worker runs submitted tasks immediately, which is cheaper still */
    return dfi_load_relaxed(&dfi_pool.n_slots) != 1 || dfi_pool.defer;
}

/* Runs the tasks of g in the scope of the calling code. pre: dfi_taskgraph_run has opened it */
static void dfi_taskgraph_run_here(struct df_taskgraph *g)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_plan *p = dfi_plan_allowed(w, w ? w->scope : NULL) ? dfi_taskgraph_plan(w, g) : NULL;
    if (!p || (p->special && dfi_plan_extras(w, w->scope, p, &g->list))) {
        dfi_taskgraph_resubmit(w, &g->list);
        return;
    }
    dfi_plan_run(w, w->scope, p);
    dfi_wait_all(w, w->scope); /* before the plan may be used again */
    dfi_plan_settle(p);
}

/* --- recording ------------------------------------------------------------------------------------------- */

static int dfi_taskgraph_begin(struct dfi_taskgraph_block *r)
{
    struct dfi_scope *s = r->around.scope;
    struct dfi_worker *w = dfi_me();
    if (!w || !s || r->around.borrowed || s->table == &dfi_table_closed) return -1;
    if (!s->table && !(s->table = dfi_table_new(w))) return -1; /* a table, so that nothing runs immediately */
    if (s->capture) dfi_capture_detach(w, s);
    if (s->guess)
        dfi_taskgraph_refuses(r->graph, "a df_speculate around it whose condition was not as guessed", r->graph->site);
    s->capture = &r->graph->capture;
    s->room_used = DFI_SCOPE_ROOM; /* df_local uses memory that can be kept */
    return 0;
}

static void dfi_taskgraph_end(struct dfi_taskgraph_block *r)
{
    struct dfi_scope *s = r->around.scope;
    if (!s || !s->capture) return;
    r->graph->locals = s->locals;
    s->locals = NULL;
    s->capture = NULL;
}

static struct df_taskgraph *dfi_taskgraph_here(void)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_capture *c = w && !w->task ? w->scope->capture : NULL;
    return DFI_UNLIKELY(c != NULL) && c->kind == DFI_CAPTURE_TASKGRAPH ? (struct df_taskgraph *)(void *)c : NULL;
}

/* Records a child of a recorded scope, with arguments and accesses as submitted. */
static DFI_NOINLINE void dfi_taskgraph_submit(struct dfi_worker *w, const struct dfi_flow *t,
                                              const struct dfi_access *x, unsigned n)
{
    struct df_taskgraph *g = (struct df_taskgraph *)(void *)t->scope->capture;
    unsigned modes = t->type->modes;
    if (modes & DFI_STREAM) return; /* dfi_stream_submit has reported it */
    if (modes & DFI_UNLISTED) dfi_taskgraph_refuses(g, t->type->name, w->opts ? w->opts_site : "df_gpu.h");
    else if (!(modes & DFI_INTERNAL)) dfi_taskgraph_task(g, t->type, t->task.args, x, n, w->opts, w->opts_site);
    else if (!dfi_sequence_add(&g->list, DFI_C_WAIT_ON, t->type, NULL, x, n)) dfi_taskgraph_fails(g);
}

#endif
