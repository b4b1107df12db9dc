/* goal.h - wait targets: the condition a worker waits for, and the work it may run meanwhile */
#ifndef DFI_WORK_GOAL_H
#define DFI_WORK_GOAL_H

#include "../base/atomic.h"
#include "../api/core.h"
#include "deque.h"
#include "types.h"
#include "worker.h"

enum dfi_goal_kind {
    DFI_GOAL_WORK, DFI_GOAL_SPARE, DFI_GOAL_SCOPE, DFI_GOAL_FUTURE, DFI_GOAL_FLAG, DFI_GOAL_TEAM, DFI_GOAL_BEFORE
};
struct dfi_before;
static int dfi_before_done(struct dfi_before *b);
static const struct dfi_flow *dfi_before_gated(const struct dfi_before *b);
struct dfi_goal {
    enum dfi_goal_kind kind;
    struct dfi_scope *scope;    /* SCOPE: until its pending <= 0; FLAG, TEAM: only work inside it may run */
    struct dfi_future *future;  /* FUTURE: until it is done */
    DFI_ATOMIC(intptr_t) *flag; /* FLAG: until it is not 0; TEAM: until it, the number of members, is 0 */
    int spare;                  /* SPARE: until at most this many workers block */
    struct dfi_before *before;  /* BEFORE: until its predecessors are done (flow/at_once.h); no thread wakes the worker
                                 * for that */
};

static int dfi_goal_met(const struct dfi_goal *g)
{
    switch (g->kind) { /* seq_cst: the last check before parking; as an acquire it makes the results visible */
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

/* Sets f to the work that a worker waiting for g may run. Zero: none is known. */
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
