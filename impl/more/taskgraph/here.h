/* here.h - runs of task graphs: by the plan, or by the caller alone
 *
 * If the bodies are short, to share the tasks of a run takes longer than to run all of them one after the other, as for
 * fine types (flow/fine.h). A graph is run again and again, so both ways are measured. The one that was slower is tried
 * again after 4 runs, then after twice as many each time.
 *
 * A run by the caller is that of one worker: each task runs where it would be submitted. That needs what fine types
 * need (docs/internals/flow.md, "Fine tasks" 1 to 4): nothing before it is unfinished, nothing may block, and all
 * bodies have been seen to be short. */
#ifndef DFI_MORE_TASKGRAPH_HERE_H
#define DFI_MORE_TASKGRAPH_HERE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/submit_options.h"
#include "../../api/task.h"
#include "../../api/wait.h"
#include "../../os/os.h"
#include "../../work/types.h"
#include "../../work/worker.h"
#include "../../flow/careful.h"
#include "../../flow/fine.h"
#include "../../flow/nest.h"
#include "../../flow/options.h"
#include "../../flow/submit.h"
#include "../../flow/types.h"
#include "../../flow/waits.h"
#include "list.h"
#include "run.h"

/* Submits the tasks as the block did. here: each runs at once, while that is allowed. */
static void dfi_taskgraph_resubmit(struct dfi_worker *w, const struct dfi_sequence *q, int here)
{
    struct dfi_access *x;
    size_t i;
    for (i = 0; i < q->n; i++) {
        const struct dfi_captured *c = &q->task[i];
        const struct df_opts *o = c->opts ? &c->opts->opts : NULL;
        struct dfi_task *t;
        if (here && c->kind == DFI_C_TASK && dfi_may_run_now(w)) {
            dfi_run_now(c->type, q->args + c->args);
            continue;
        }
        x = dfi_sequence_spare(q, c);
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

DFI_SMALL_CODE_BEGIN

#if !defined(DF_SERIAL)

enum {
    DFI_WAY_PAUSE = 4, DFI_WAY_PAUSE_MOST = 1024, /* runs between two trials of the other way */
    DFI_WAY_TRIED = 2,                            /* runs of a trial: the last one counts */
    DFI_WAY_LOOK = 8,                             /* one of so many runs by the caller is measured */
    DFI_WAY_CLOCK = 20                            /* ns: a call of the clock, in each time of a body */
};

/* May the caller run g alone, and is that likely to be faster? */
static int dfi_way_here(struct dfi_worker *w, const struct df_taskgraph *g)
{
    const struct dfi_sequence *q = &g->list;
    const struct dfi_type *last = NULL;
    uint64_t bodies = 0;
    unsigned body = 0;
    size_t i;
    for (i = 0; i < q->n; i++) {
        const struct dfi_captured *c = &q->task[i];
        if (c->kind != DFI_C_TASK) continue;
        if (c->opts || (c->type != last && !dfi_fine_short(c->type))) return 0;
        if (c->type != last) {
            const struct dfi_fine *f = dfi_fine_of(w, c->type);
            if (!f || !f->body) return 0; /* unknown */
            last = c->type, body = f->body > DFI_WAY_CLOCK ? f->body - (unsigned)DFI_WAY_CLOCK : 0;
        }
        bodies += body;
    }
    return bodies < (uint64_t)g->way.ns[0] + g->way.ns[0] / 4;
}

/* Before a run: 1: the caller is to run all tasks. */
static int dfi_way_next(struct dfi_worker *w, struct df_taskgraph *g)
{
    struct dfi_way *y = &g->way;
    if (!dfi_careless() || dfi_nested_deeply(w) || y->creates) return 0;
    if (DF_DEBUG > 2) return dfi_fine_random(w) >> 23 && dfi_way_here(w, g);
    if (!y->ns[0]) return 0;
    if (y->trial || y->left--) return y->trial ? !y->here : y->here;
    y->left = y->pause = y->pause < DFI_WAY_PAUSE ? (unsigned)DFI_WAY_PAUSE
                       : y->pause < DFI_WAY_PAUSE_MOST ? 2 * y->pause : y->pause;
    if (!y->here && !dfi_way_here(w, g)) return 0;
    y->trial = DFI_WAY_TRIED;
    return !y->here;
}

/* A run took so long in that way. */
static void dfi_way_took(struct dfi_way *y, int here, uint64_t ns)
{
    unsigned x = ns < 1u << 30 ? (unsigned)ns : 1u << 30, old = y->ns[here];
    if (y->trial && --y->trial) return;
    if (here != y->here || !old) y->ns[here] = x;
    else y->ns[here] = old - old / 4 + (x < 4 * old ? x : 4 * old) / 4; /* it may have been interrupted */
    if (here != y->here && x < y->ns[!here]) y->here = here, y->left = y->pause = DFI_WAY_PAUSE;
    else if (here && x > 2 * y->ns[0]) y->left = 0;
}

/* The caller runs all tasks. */
static void dfi_way_run(struct dfi_worker *w, struct df_taskgraph *g)
{
    const unsigned created = dfi_fine_created(w);
    dfi_taskgraph_resubmit(w, &g->list, 1);
    /* then other workers can help; as in dfi_fine_creates */
    if (dfi_fine_created(w) - created > g->list.n) g->way.creates = 1, g->way.here = 0;
}

/* Runs g by its plan, or without sharing. Zero: that is not possible. */
static int dfi_taskgraph_planned(struct dfi_worker *w, struct df_taskgraph *g)
{
    struct dfi_plan *p = dfi_plan_allowed(w, w ? w->scope : NULL) ? dfi_taskgraph_plan(w, g) : NULL;
    int here;
    uint64_t began;
    if (!p) return 0;
    here = dfi_way_next(w, g);
    if (here && !g->way.trial && ++g->way.runs % DFI_WAY_LOOK) {
        dfi_way_run(w, g);
        return 1;
    }
    began = dfi_os_ns();
    if (here) dfi_way_run(w, g);
    else if (!dfi_plan_execute(w, g, p)) return 0;
    dfi_way_took(&g->way, here, dfi_os_ns() - began);
    return 1;
}

#else
DFI_UNUSED static int dfi_taskgraph_planned(struct dfi_worker *w, struct df_taskgraph *g)
{
    return (void)w, (void)g, 0;
}
#endif

static void dfi_taskgraph_execute(struct df_taskgraph *g)
{
    struct dfi_worker *w = dfi_me();
    if (!dfi_taskgraph_planned(w, g)) dfi_taskgraph_resubmit(w, &g->list, 0);
}

DFI_SMALL_CODE_END

#endif
