/* ranks.h - submissions of a program over ranks (df_mpi.h), each of which asks whether its task runs in this rank
 *
 * The scope of the code that called dfi_ranks_begin asks (DFI_ASKS_CREATE), as do blocks in it. dfi_task_new then wants
 * the accesses first: it returns DFI_BARE, and dfi_run_after comes to dfi_ranks_submit with them. Bodies of tasks have
 * scopes of their own, or run in that of their parent (dfi_runs_now): they do not ask. */
#ifndef DFI_MORE_RANKS_H
#define DFI_MORE_RANKS_H

#include "../base/compiler.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/ranks.h"
#include "../api/task.h"
#include "../work/module.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "../flow/moments.h"
#include "../flow/options.h"
#include "../flow/scope.h"
#include "../flow/submit.h"
#include "../flow/types.h"
#include "types.h"

#if !defined(DF_SERIAL)
static struct {
    const struct dfi_ranks *hook;
    int asks;      /* the next dfi_run_after asks */
    int elsewhere; /* the next dfi_run_now is for a task that runs elsewhere */
    int placed;    /* the submission that goes on has asked, or is part of an answer */
} dfi_ranks; /* of the thread of dfi_ranks_begin */

/* The code of w, which is in no task with a record, is about to create a task of that type. DFI_WANTS_ACCESSES: it has
 * to tell them first; DFI_LEAVES_OUT: the task has none, and runs elsewhere. */
DFI_FAST int dfi_ranks_asked(struct dfi_worker *w, const struct dfi_type *type)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts;
    if (!(w->scope->asks & DFI_ASKS_CREATE) || dfi_ranks.placed || !dfi_ranks.hook || dfi_runs_now(w) ||
        type->modes & DFI_INTERNAL) return 0;
    if ((dfi_ranks.asks = type->modes & DFI_INOUT) != 0) return DFI_WANTS_ACCESSES;
    dfi_ranks.elsewhere = o && o->rank && !dfi_ranks.hook->here(type->name, NULL, 0, o->rank);
    return dfi_ranks.elsewhere ? DFI_LEAVES_OUT : 0;
}

/* Nonzero: the task that dfi_run_now would run runs elsewhere. */
DFI_FAST int dfi_ranks_left(struct dfi_worker *w)
{
    if (!(w->scope->asks & DFI_ASKS_CREATE) || !dfi_ranks.elsewhere) return 0;
    dfi_ranks.elsewhere = 0;
    dfi_pass_over(dfi_tasks_of(w));
    return 1;
}

/* The code of w submits a task with these accesses. Zero: memory for its record is lacking. */
static DFI_NOINLINE int dfi_ranks_submit(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                         const struct dfi_access *x, unsigned n)
{
    struct dfi_flow_worker *f = dfi_tasks_of(w);
    const struct df_opts *o = f->opts; /* not of the tasks that the answer submits */
    const char *site = f->opts_site;
    struct dfi_task *t;
    int here;
    if (!dfi_ranks.asks) return 0;
    dfi_ranks.asks = 0, dfi_ranks.placed = 1;
    f->opts = NULL;
    here = dfi_ranks.hook->here(type->name, x, n, o ? o->rank : 0);
    f->opts = o, f->opts_site = site;
    if (!here) {
        dfi_args_order(type, args, DFI_ORDER_DROP);
        dfi_pass_over(f);
    } else if (!(t = dfi_task_new(type))) dfi_run_now(type, args);
    else if (t != DFI_BARE) {
        memcpy(t->args, args, type->args_bytes);
        dfi_submit(t, (struct dfi_access *)(uintptr_t)x, n);
    } else here = -1;
    dfi_ranks.placed = 0;
    return here >= 0;
}
#define dfi_up_placed_by , dfi_ranks_submit

static void dfi_ranks_block(struct dfi_worker *w, struct dfi_scope *s)
{
    if (s->outer->asks & DFI_ASKS_CREATE && !s->saved_task && dfi_tasks_of(w)->now != s->outer)
        s->asks |= DFI_ASKS_CREATE;
}

DFI_EXTERN_C_BEGIN
DFI_API int dfi_ranks_begin(const struct dfi_ranks *r)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!w || w->task || w->scope->outer) return 0;
    dfi_ranks.hook = r, dfi_ranks.asks = dfi_ranks.elsewhere = dfi_ranks.placed = 0;
    w->scope->asks |= DFI_ASKS_CREATE;
    return 1;
}
DFI_EXTERN_C_END

static void dfi_module_ranks(const struct dfi_moment *m)
{
    if ((m->is != DFI_STOP_CALLED && m->is != DFI_FORK_CHILD) || !dfi_ranks.hook) return;
    dfi_ranks.hook = NULL;
    if (dfi_me()) dfi_me()->scope->asks &= ~(unsigned)DFI_ASKS_CREATE;
}
#else
DFI_FAST int dfi_ranks_asked(struct dfi_worker *w, const struct dfi_type *type) { return (void)w, (void)type, 0; }
DFI_FAST int dfi_ranks_left(struct dfi_worker *w) { return (void)w, 0; }
DFI_FAST void dfi_ranks_block(struct dfi_worker *w, struct dfi_scope *s) { (void)w, (void)s; }
#endif

#endif
