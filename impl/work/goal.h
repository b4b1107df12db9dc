/* goal.h - goals: what a wait of a worker is for, and which work it may run meanwhile */
#ifndef DFI_WORK_GOAL_H
#define DFI_WORK_GOAL_H

#include "../base/atomic.h"
#include "../api/core.h"
#include "deque.h"
#include "types.h"
#include "worker.h"

enum dfi_goal_kind { DFI_GOAL_WORK, DFI_GOAL_SPARE, DFI_GOAL_SCOPE, DFI_GOAL_FUTURE, DFI_GOAL_FLAG, DFI_GOAL_TEAM, DFI_GOAL_BEFORE };
struct dfi_before;
static int dfi_before_done(struct dfi_before *b);
static const struct dfi_flow *dfi_before_gated(const struct dfi_before *b);
struct dfi_goal {
    enum dfi_goal_kind kind;
    struct dfi_scope *scope;    /* SCOPE: its pending <= 0; FLAG, TEAM: only work inside it is run */
    struct dfi_future *future;  /* FUTURE: done */
    DFI_ATOMIC(intptr_t) *flag; /* FLAG: not 0; TEAM: 0, its members */
    int spare;                  /* SPARE: no more workers than this block */
    struct dfi_before *before;  /* BEFORE: its predecessors are done (flow/at_once.h); nobody wakes the worker for that */
};

static int dfi_goal_met(const struct dfi_goal *g)
{
    switch (g->kind) { /* seq_cst: also the last look before sleeping; acquire: the results are visible */
    case DFI_GOAL_SCOPE: return dfi_load_seq_cst(&g->scope->pending) <= 0;
    case DFI_GOAL_FUTURE: return dfi_load_seq_cst(&g->future->link) == DFI_F_DONE;
    case DFI_GOAL_FLAG: return dfi_load_seq_cst(g->flag) != 0;
    case DFI_GOAL_TEAM: return dfi_load_seq_cst(g->flag) == 0;
    case DFI_GOAL_BEFORE: return dfi_before_done(g->before);
    case DFI_GOAL_SPARE: return dfi_load_seq_cst(&dfi_pool.blocked) <= g->spare || dfi_load_seq_cst(&dfi_pool.stopping);
    case DFI_GOAL_WORK: break;
    }
    return dfi_load_seq_cst(&dfi_pool.stopping);
}

/* The work that whoever waits for g may run. Zero: none that is known. */
static int dfi_goal_filter(const struct dfi_goal *g, struct dfi_filter *f)
{
    struct dfi_scope *s = g->scope;
    void *state = NULL;
    f->id = f->depth = 0;
    f->on_top_of = NULL;
    if (g->kind <= DFI_GOAL_SPARE) return 1;
    if (!s && g->kind == DFI_GOAL_BEFORE) return 0;
    if (g->kind == DFI_GOAL_FUTURE) {
        state = dfi_load_acquire(&g->future->link);
        if ((uintptr_t)state & 3) return 0; /* not a scope */
        s = (struct dfi_scope *)state;
    }
    f->id = dfi_load_relaxed(&s->id);
    f->depth = dfi_load_relaxed(&s->depth);
    /* the scope of a stolen future may have ended before its id was read: then the state has changed */
    return g->kind != DFI_GOAL_FUTURE || dfi_load_acquire(&g->future->link) == state;
}

#endif
