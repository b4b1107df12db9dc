/* lock.h - locks of a task: commuting regions and units of semaphores, taken when it becomes ready
 *
 * A task takes its locks one after the other in the order of their addresses, which is the same for all tasks, so that
 * no two tasks wait for each other. A task that has to wait is queued in the lock that it lacks; the thread that hands
 * this lock over continues with the next one. So no thread waits. All locks are given back when the task and its
 * descendants are done.
 * Argument: docs/internals/flow.md, "Groups" and "Semaphores". */
#ifndef DFI_MORE_LOCK_H
#define DFI_MORE_LOCK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/task.h"
#include "../work/goal.h"
#include "../work/help.h"
#include "../work/types.h"
#include "../flow/body.h"
#include "../flow/extra.h"
#include "../flow/moments.h"
#include "../flow/task.h"
#include "../flow/types.h"
#include "group.h"
#include "semaphore.h"
#include "types.h"
#include "use.h"

DFI_SMALL_CODE_BEGIN

/* Takes the locks of x in order. Nonzero: it has all. Otherwise the thread that passes on the missing lock
 * continues. */
static int dfi_lock_all(struct dfi_extra *x)
{
    struct dfi_member *m = dfi_member_of(x);
    while (m->to_lock) {
        struct dfi_use *u = m->to_lock;
        m->to_lock = u->next; /* before the attempt: x may belong to another thread after it */
        if (!(u->group ? dfi_lock_take(u->group, x) : dfi_units_take(u->semaphore, x, u))) return 0;
    }
    m->locked = 1;
    return 1;
}

/* The tasks in the list have units for which they waited. They may be of any scope. */
static void dfi_units_given(struct dfi_worker *w, struct dfi_extra *x)
{
    while (x) {
        struct dfi_extra *next = dfi_member_of(x)->lock_wait;
        if (dfi_lock_all(x)) dfi_ready_any(w, x->task);
        x = next;
    }
}

static void dfi_unlock_all(struct dfi_worker *w, struct dfi_extra *x)
{
    struct dfi_use *u;
    int locked = dfi_member_of(x)->locked;
    for (u = dfi_member_of(x)->locks; u; u = u->next) {
        if (u->group) {
            struct dfi_extra *next = locked ? dfi_lock_pass(u->group) : NULL;
            if (next && dfi_lock_all(next)) dfi_ready_sibling(w, next->task);
            dfi_group_leave(w, u->group);
        } else if (locked) dfi_units_given(w, dfi_units_return(u->semaphore, u->units));
    }
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_semaphore_resize(df_semaphore *s, long long n, const char *site)
{
    if (n < 1 || (unsigned long long)n > SIZE_MAX / 4) {
        dfi_error("%s: df_semaphore_resize to %lld units: the semaphore of %s keeps its %ld; pass 1 or more", site, n,
                  s->dfi_site, (long)dfi_load_relaxed(&s->dfi_units));
        return;
    }
    n -= dfi_exchange_seq_cst(&s->dfi_units, (intptr_t)n);
    dfi_units_given(dfi_me(), dfi_units_return(s, (intptr_t)n));
}
DFI_EXTERN_C_END

/* Does t hold units of s, or will it? */
static int dfi_units_has(const struct dfi_flow *t, const df_semaphore *s)
{
    const struct dfi_use *u = t && t->task.mem.special == DFI_HAS_EXTRA ? dfi_member_of(t->extra)->locks : NULL;
    while (u && u->semaphore != s) u = u->next;
    return u != NULL;
}

/* Does a task that encloses the code of scope s hold units of the semaphore? Its list of locks is constant. */
static int dfi_units_around(const struct dfi_worker *w, const struct dfi_scope *s, const df_semaphore *semaphore)
{
    if (w->scope == s && dfi_units_has(w->task, semaphore)) return 1; /* its body has no scope of its own */
    for (; s; s = dfi_load_relaxed(&s->parent))
        if (dfi_units_has(s->task ? s->task : s->kind == DFI_BLOCK ? s->saved_task : NULL, semaphore)) return 1;
    return 0;
}

/* The units that access x of a task of that type in scope s takes; 0: none. Reports errors, if site is not NULL. */
static intptr_t dfi_units_of(const struct dfi_worker *w, const struct dfi_scope *s, const struct dfi_access *x,
                             const char *name, const char *site)
{
    const df_semaphore *semaphore = (const df_semaphore *)x->p;
    size_t all = (size_t)dfi_load_relaxed(&semaphore->dfi_units);
    if (!x->size) return 0;
    if (dfi_units_around(w, s, semaphore)) {
        if (name)
            dfi_error("%s%sdf_limit of task %s: an enclosing task holds units of the semaphore of %s, and would wait "
                      "for this task: it runs without units of its own; take the units in one of the two tasks only",
                      site ? site : "", site ? ": " : "", name, semaphore->dfi_site);
        return 0;
    }
    if (!all) {
        if (name)
            dfi_error("%s%sdf_limit of task %s: its semaphore was not initialised, or has ended: the task runs without "
                      "units; begin with DF_SEMAPHORE(n), or call df_semaphore_init", site ? site : "",
                      site ? ": " : "", name);
        return 0;
    }
    if (x->size <= all) return (intptr_t)x->size;
    if (name && x->size == DFI_NO_BYTES)
        dfi_error("%s%sdf_limit of task %s: a negative number of units of the semaphore of %s: the task takes all %zu; "
                  "correct the number", site ? site : "", site ? ": " : "", name, semaphore->dfi_site,
                  all);
    else if (name)
        dfi_error("%s%sdf_limit of task %s: %zu units of the semaphore of %s, which has %zu: the task takes all; "
                  "ask for fewer, or make the semaphore larger", site ? site : "", site ? ": " : "", name, x->size,
                  semaphore->dfi_site, all);
    return (intptr_t)all;
}

/* Gives t the units that its accesses declare, to take when it begins. 0, or -1 if out of memory. */
static DFI_NOINLINE int dfi_units_join(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x,
                                       unsigned n)
{
    const char *site = t->task.mem.special ? t->extra->site : NULL;
    unsigned i;
    if (!site && dfi_call_site != dfi_no_site) site = dfi_call_site;
    for (i = 0; i < n; i++) {
        struct dfi_use *u, **at;
        intptr_t units;
        if (!(x[i].mode & DFI_LIMIT) || !(units = dfi_units_of(w, t->scope, &x[i], dfi_flow_name(t), site))) continue;
        if (!dfi_extra_of(w, t)) return -1;
        at = dfi_use_place(&dfi_member_of(t->extra)->locks, x[i].p);
        if (*at && (*at)->semaphore == x[i].p) { /* twice in a task: the sum */
            (*at)->units += units; /* dfi_units_take: not more than all */
            continue;
        }
        if (!(u = dfi_use_new(w, at))) return -1;
        u->semaphore = (df_semaphore *)(uintptr_t)x[i].p;
        u->units = units;
        dfi_member_of(t->extra)->to_lock = dfi_member_of(t->extra)->locks;
    }
    return 0;
}

/* --- a task that its submitter runs, because memory is lacking --------------------------------------------- */

struct dfi_units_here {
    struct dfi_worker *w;
    struct dfi_scope *scope;
    struct dfi_access *x; /* `size` of those with units: the number that was taken */
    unsigned n;
    int taken;
};

/* The units that it takes for access i: none if an earlier access has the same semaphore. */
static intptr_t dfi_units_here_of(const struct dfi_units_here *h, unsigned i)
{
    unsigned k;
    if (!(h->x[i].mode & DFI_LIMIT)) return 0;
    for (k = 0; k < i; k++)
        if (h->x[k].mode & DFI_LIMIT && h->x[k].p == h->x[i].p) return 0;
    return dfi_units_of(h->w, h->scope, &h->x[i], NULL, NULL);
}

static DFI_COLD void dfi_units_here_return(const struct dfi_units_here *h, unsigned n)
{
    while (n--)
        if (h->x[n].mode & DFI_LIMIT && h->x[n].size)
            dfi_units_given(h->w, dfi_units_return((df_semaphore *)(uintptr_t)h->x[n].p, (intptr_t)h->x[n].size));
}

/* Takes all units or none, because the order of the addresses does not hold for a thread that polls. */
static DFI_COLD int dfi_units_here_try(void *here)
{
    struct dfi_units_here *h = (struct dfi_units_here *)here;
    unsigned i;
    for (i = 0; i < h->n && !h->taken; i++) {
        intptr_t units = dfi_units_here_of(h, i);
        if (units && !dfi_units_try((df_semaphore *)(uintptr_t)h->x[i].p, units)) {
            dfi_units_here_return(h, i);
            return 0;
        }
        if (h->x[i].mode & DFI_LIMIT) h->x[i].size = (size_t)units;
    }
    h->taken = 1;
    return 1;
}

/* Waits until a task with accesses x can have its units, and runs other tasks meanwhile. Zero: it needs none. */
static DFI_COLD int dfi_units_enter(struct dfi_worker *w, const struct dfi_access *x, unsigned n)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts; /* must not apply to tasks that run meanwhile */
    const char *site = dfi_tasks_of(w)->opts_site;
    struct dfi_units_here h;
    struct dfi_goal g;
    unsigned i;
    for (i = 0; i < n && !(x[i].mode & DFI_LIMIT);) i++;
    if (i == n) return 0;
    h.w = w, h.scope = w->scope, h.x = (struct dfi_access *)(uintptr_t)x, h.n = n, h.taken = 0;
    if (dfi_units_here_try(&h)) return 1;
    dfi_tasks_of(w)->opts = NULL;
    g.kind = DFI_GOAL_POLL, g.scope = w->scope, g.until = dfi_units_here_try, g.arg = &h, g.limit = NULL;
    dfi_flush(w);
    dfi_wait_helping(w, w->task ? w->task_mark : w->scope->mark, &g, DFI_WAIT_QUIET, NULL, NULL);
    dfi_tasks_of(w)->opts = o, dfi_tasks_of(w)->opts_site = site;
    return 1;
}
#define dfi_up_bare_begins_by , dfi_units_enter

static DFI_COLD void dfi_units_leave(struct dfi_worker *w, const struct dfi_access *x, unsigned n)
{
    struct dfi_units_here h;
    h.w = w, h.scope = w->scope, h.x = (struct dfi_access *)(uintptr_t)x, h.n = n, h.taken = 1;
    dfi_units_here_return(&h, n);
}
#define dfi_up_bare_ends_by , dfi_units_leave

DFI_SMALL_CODE_END

#endif
