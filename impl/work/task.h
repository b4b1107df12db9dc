/* task.h - tasks of upper floors: entries of stacks and deques that the core moves, and does not look into
 *
 * The core knows futures (work/future.h). Without an upper floor that has tasks there are no others, and all of this
 * folds away. */
#ifndef DFI_WORK_TASK_H
#define DFI_WORK_TASK_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "types.h"

struct dfi_goal;
struct dfi_filter;
struct dfi_stolen;

/* Runs t. Returns a task that became ready, which w runs next, or NULL. */
DFI_UPCALL(struct dfi_flow *, dfi_up_task_run, (struct dfi_worker *w, struct dfi_flow *t));
/* The scope that t is a child of. */
DFI_UPCALL(struct dfi_scope *, dfi_up_task_scope, (const struct dfi_flow *t));
/* t, which only w knows, may not run nested in the running code of w: any other worker must find it. Zero: out of
 * memory. */
DFI_UPCALL(int, dfi_up_task_leave, (struct dfi_worker *w, struct dfi_flow *t));
/* Takes the best task among those that are neither on a stack nor in a deque, if f admits it. first: only tasks that
 * precede all other work. NULL: none. */
DFI_UPCALL(struct dfi_flow *, dfi_up_task_take, (struct dfi_worker *w, const struct dfi_filter *f, int first,
                                               int *entered));
/* Is there one that precedes all other work? w: or one that only w may run; or NULL. */
DFI_UPCALL(int, dfi_up_task_urgent, (const struct dfi_worker *w));
/* Is there one at all that any worker may run? */
DFI_UPCALL(int, dfi_up_task_ready, (void));
/* w found no work inside the scope that it waits for: other work that it may run nested in the wait. Zero: none. */
DFI_UPCALL(int, dfi_up_find_outside, (struct dfi_worker *w, const struct dfi_goal *g, struct dfi_stolen *stolen));
/* w is about to sleep in a wait, and cannot run the tasks below it on its stack: moves them to where any worker finds
 * each of them, not only the oldest. Nonzero: out of memory, tasks are left. */
DFI_UPCALL(int, dfi_up_tasks_publish, (struct dfi_worker *w));
/* The task of w->task needs a scope, because its body has children, or waits. NULL: out of memory. */
DFI_UPCALL(struct dfi_scope *, dfi_up_body_scope, (struct dfi_worker *w));

/* Is the entry a task, rather than a future? Under DF_SERIAL, df_spawn is the call. */
DFI_INLINE int dfi_is_task(const void *entry) { return dfi_up_task_run && (DFI_ALONE || (uintptr_t)entry & DFI_FLOW); }
DFI_FAST struct dfi_flow *dfi_task_of(const void *entry)
{
    return (struct dfi_flow *)((uintptr_t)entry & ~(DFI_FLOW | DFI_PUBLIC));
}

/* The lazy tasks of w, of which there are some, become tasks (flow/lazy.h): w->task and w->scope may change. */
DFI_UPCALL(void, dfi_up_lazy_create, (struct dfi_worker *w));
DFI_FAST void dfi_create(struct dfi_worker *w)
{
    if (!DFI_ALONE && dfi_up_lazy_create && DFI_UNLIKELY(w->hot.lazy != NULL)) dfi_up_lazy_create(w);
}
/* The next task of the running code takes the slow path, which finds out whether it may be lazy: called when other code
 * runs, and when something begins that needs records. */
DFI_FAST void dfi_lazy_ask(struct dfi_worker *w)
{
    if (!DFI_ALONE && dfi_up_lazy_create) w->hot.lazy_end = NULL;
}

/* The running code is from now on the body of t, or if that is NULL, code of w->scope. */
DFI_FAST void dfi_code_is(struct dfi_worker *w, struct dfi_flow *t, size_t mark)
{
    dfi_lazy_ask(w);
    w->task = t, w->task_mark = mark;
}

/* The scope of the running code. A task body gets its scope at the first call. NULL: out of memory. */
static struct dfi_scope *dfi_scope_here(struct dfi_worker *w)
{
    dfi_create(w);
    return dfi_up_body_scope && w->task ? dfi_up_body_scope(w) : w->scope;
}

#endif
