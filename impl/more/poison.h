/* poison.h - successors of cancelled tasks, and cancelled tasks that run nevertheless
 *
 * A task that was cancelled, and should have written memory, stays in the table of its scope, and cancels the tasks
 * that come after it there. */
#ifndef DFI_MORE_POISON_H
#define DFI_MORE_POISON_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../flow/edge.h"
#include "../flow/task.h"
#include "../flow/types.h"
#include "error.h"
#include "state.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

/* Marks t, a writing task that was cancelled, so that its present and later successors are cancelled too. (Not if the
 * scope is cancelled, because then all tasks until its next wait are.) Nonzero: the scope keeps t. */
static DFI_COLD int dfi_flow_poisons(struct dfi_flow *t)
{
    struct dfi_scope *s = t->scope;
    struct dfi_block_head *head = dfi_load_relaxed(&dfi_errors_in(s)->poisoned);
    if (dfi_scope_cancelled(s) || (uintptr_t)dfi_load_relaxed(&t->succ) & DFI_OWN_SUCC)
        return 0; /* tasks of a plan get no later successors */
    dfi_store_relaxed(&t->skip, (unsigned)DFI_POISONS);
    if (t->type == dfi_common_type && dfi_load_relaxed(&dfi_gate_of(t->extra)->stays)) return 1; /* kept by its task */
    /* acq_rel: relaxed would do, because the owner reads the list after it has seen all subtractions from s->pending */
    do t->task.mem.next = head;
    while (!dfi_cas_acq_rel(&dfi_errors_in(s)->poisoned, &head, &t->task.mem));
    return 1;
}
#define dfi_up_skipped_by , dfi_flow_poisons

/* Frees the cancelled children that s remembers: later tasks do not depend on them any more. pre: the children of s
 * are done; so no thread pushes, and relaxed accesses suffice. */
static void dfi_scope_unpoison(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_block_head *b = dfi_load_relaxed(&dfi_errors_in(s)->poisoned), *next;
    dfi_store_relaxed(&dfi_errors_in(s)->poisoned, NULL);
    for (; b; b = next) {
        struct dfi_flow *t = (struct dfi_flow *)(void *)b; /* mem is the first member */
        next = b->next;
        dfi_store_relaxed(&t->skip, 0u);
        dfi_flow_free(w, t);
    }
}

static void dfi_errors_scope_free(struct dfi_worker *w, struct dfi_scope *s)
{
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_errors_in(s)->poisoned) != NULL)) dfi_scope_unpoison(w, s);
}
#define dfi_up_flow_scope_free_by , dfi_errors_scope_free

/* Is a child of s with that group cancelled before it begins? */
static int dfi_cancelled_with(struct dfi_scope *s, const struct df_group *group)
{
    return dfi_cancels_any() && ((group && dfi_load_relaxed(&group->dfi_cancelled)) || dfi_scope_cancelled(s));
}

/* The group of tasks that run although they are to be skipped (df_opts.always), because their body is cancelled */
static df_group dfi_group_cancelled = { 1 };

/* t, which has optional state, is to be skipped. Nonzero: its body runs nevertheless, as cancelled code. */
static DFI_COLD int dfi_flow_insists(struct dfi_flow *t)
{
    struct dfi_cancel *c = dfi_cancel_of(t->extra);
    if (!c->always || dfi_windows_of(t->extra)->first) return 0;
    if (c->group == &dfi_group_cancelled) return 1;
    c->group = &dfi_group_cancelled;
    dfi_cancels(1);
    return 1;
}
static void dfi_flow_insisted(struct dfi_extra *x)
{
    if (DFI_LIKELY(dfi_cancel_of(x)->group != &dfi_group_cancelled)) return;
    dfi_cancel_of(x)->group = NULL;
    dfi_cancels(-1);
}

DFI_SMALL_CODE_END

#endif
