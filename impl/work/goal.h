/* goal.h - wait targets: the condition a worker waits for, and the work it may run meanwhile */
#ifndef DFI_WORK_GOAL_H
#define DFI_WORK_GOAL_H

#include "../base/atomic.h"
#include "../os/os.h"
#include "../api/core.h"
#include "deque.h"
#include "types.h"
#include "worker.h"

enum dfi_goal_kind { DFI_GOAL_WORK, DFI_GOAL_SCOPE, DFI_GOAL_FUTURE, DFI_GOAL_FLAG, DFI_GOAL_TEAM, DFI_GOAL_POLL };
struct dfi_goal {
    enum dfi_goal_kind kind;
    struct dfi_scope *scope;    /* SCOPE: until its pending <= 0; FLAG, TEAM, POLL: only work inside it may run */
    struct dfi_future *future;  /* FUTURE: until it is done */
    DFI_ATOMIC(intptr_t) *flag; /* FLAG: until it is not 0; TEAM: until it, the number of members, is 0 */
    int (*until)(void *arg);    /* POLL: until it returns nonzero; no thread wakes the worker for that. WORK: the pool
                                 * stops, or this, if it is not NULL */
    void *arg;
    struct dfi_os_limit *limit; /* POLL: `until` is also met when this time is over; NULL: no time limit */
    int wakes;                  /* POLL with a limit: what else meets `until` wakes the worker, so that it sleeps until
                                 * the limit; 0: it asks again each millisecond */
};

static int dfi_goal_met(const struct dfi_goal *g)
{
    switch (g->kind) { /* seq_cst: the last check before parking; as an acquire it makes the results visible */
    case DFI_GOAL_SCOPE: return dfi_load_seq_cst(&g->scope->pending) <= 0;
    case DFI_GOAL_FUTURE: return DFI_ALONE || DFI_F_IS_OVER(dfi_load_seq_cst(&g->future->link));
    case DFI_GOAL_FLAG: return dfi_load_seq_cst(g->flag) != 0;
    case DFI_GOAL_TEAM: return DFI_ALONE || dfi_load_seq_cst(g->flag) == 0;
    case DFI_GOAL_POLL: return g->until(g->arg);
    case DFI_GOAL_WORK: break;
    }
    return (g->until && g->until(g->arg)) || dfi_stopping();
}

/* Sets f to the work that a worker waiting for g may run. Zero: none is known. */
static int dfi_goal_filter(const struct dfi_goal *g, struct dfi_filter *f)
{
    struct dfi_scope *s = g->scope;
    void *state = NULL;
    f->id = f->depth = 0;
    f->on_top_of = NULL;
    f->thief = NULL;
    if (g->kind == DFI_GOAL_WORK) return 1;
    if (!s && g->kind == DFI_GOAL_POLL) return 0;
    if (!DFI_ALONE && g->kind == DFI_GOAL_FUTURE) {
        state = dfi_load_acquire(&g->future->link);
        if ((uintptr_t)state & 3) return 0; /* not a scope */
        s = (struct dfi_scope *)state;
    }
    f->children = g->kind != DFI_GOAL_FUTURE; /* its code waits for the functions that it spawned */
    f->id = dfi_load_relaxed(&s->id);
    f->depth = dfi_load_relaxed(&s->depth);
    /* the scope of a stolen future may have ended before its id was read: then the state has changed */
    return DFI_ALONE || g->kind != DFI_GOAL_FUTURE || dfi_load_acquire(&g->future->link) == state;
}

#endif
