/* error.h - failing tasks, and cancellation of scopes and groups
 *
 * A task checks for cancellation when it is about to start, and only while dfi_cancels_any is above
 * 0. An error stays with the scope of the task until df_wait_result takes it, or passes to the scope
 * of the enclosing task when its own scope ends. */
#ifndef DFI_MORE_ERROR_H
#define DFI_MORE_ERROR_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "../api/result.h"
#include "../api/throw.h"
#include "../work/worker.h"
#include "../work/scope.h"
#include "../flow/scope.h"
#include "../work/tables.h"
#include "../work/thread_end.h"
#include "../work/types.h"
#include "../flow/moments.h"
#include "../flow/task.h"
#include "../flow/types.h"
#include "blocking.h"
#include "state.h"
#include "texts.h"
#include "types.h"
#include "../work/probe.h"
#include "../work/wait.h"
#include "../api/error.h"
#include "../api/handle.h"

DFI_SMALL_CODE_BEGIN

/* A scope or group was cancelled. */
DFI_UPCALL(void, dfi_up_cancels, (void));
/* t, which is tentative, fails with e, which is given away. */
DFI_UPCALL(void, dfi_up_tentative_fails, (struct dfi_flow *t, struct dfi_error *e));
/* Is t, which is tentative, known not to count? */
DFI_UPCALL(int, dfi_up_is_void, (const struct dfi_flow *t));
DFI_FAST int dfi_voided(const struct dfi_flow *t) { return dfi_tentative(t) && dfi_up_is_void && dfi_up_is_void(t); }

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_error dfi_error_unsaid = {
    DF_ERROR_MEMORY, DFI_OF_CHILD, 0, "a task failed, and there was no memory to remember how", { NULL, NULL } };
DFI_API struct dfi_error dfi_error_cancels = { 0, DFI_OF_CODE, 0, "", { NULL, NULL } };
static void dfi_error_no_object(void *object) { (void)object; }
DFI_API struct dfi_error dfi_error_unkept = {
    DF_ERROR_EXCEPTION, DFI_OF_CHILD, 0, "an exception left a task, and there was no memory to keep it",
    { NULL, dfi_error_no_object } };
DFI_EXTERN_C_END

/* --- errors and cancellation of a scope ------------------------------------------------------------- */

/* Is s that of a future? Errors in it are its own, and its sync passes them on. */
static int dfi_scope_is_future(const struct dfi_scope *s) { return s->kind == DFI_STOLEN && !s->team; }

/* s, or if s is a part of a team, the scope of the loop or pipe. NULL: s is NULL. */
static struct dfi_scope *dfi_scope_of_team(struct dfi_scope *s)
{
    while (s && s->kind == DFI_STOLEN && s->team) s = dfi_load_relaxed(&s->parent);
    return s;
}

/* s, or the innermost scope around it, that is cancelled; or NULL. */
static const struct dfi_scope *dfi_scope_that_is_cancelled(const struct dfi_scope *s)
{
    for (; s; s = dfi_load_relaxed(&s->parent)) {
        const struct dfi_scope_errors *own = dfi_errors_in(s);
        if (dfi_load_relaxed(&own->cancelled) || (own->group && dfi_load_relaxed(&own->group->dfi_cancelled))) break;
    }
    return s;
}

/* Is s cancelled, so that what the caller would do there is left out? The futures whose code that is are not complete,
 * and their syncs have to tell it, because the cancellation may have ended then. */
static int dfi_scope_cancelled(struct dfi_scope *s)
{
    const struct dfi_scope *cancelled = dfi_scope_that_is_cancelled(s);
    if (!cancelled) return 0;
    for (; s != cancelled; s = dfi_load_relaxed(&s->parent))
        if (dfi_scope_is_future(s)) dfi_store_relaxed(&dfi_errors_in(s)->over, DFI_F_CUT);
    return 1;
}

static int dfi_errors_future_waits(const struct dfi_scope *s)
{
    return dfi_cancels_any() && dfi_scope_that_is_cancelled(s);
}
#define dfi_up_future_waits_by , dfi_errors_future_waits

static void dfi_scope_cancel(struct dfi_scope *s)
{
    /* Counted first: a thread that finds the scope cancelled also finds cancels above 0. The
     * exchange releases and acquires. Tasks that start at this moment may still run. */
    dfi_cancels(1);
    if (dfi_exchange_acq_rel(&dfi_errors_in(s)->cancelled, 1)) dfi_cancels(-1);
    else dfi_up_cancels();
}

static void dfi_scope_uncancel(struct dfi_worker *w, struct dfi_scope *s)
{
    dfi_errors_in(s)->told = 0;
    if (!dfi_load_relaxed(&dfi_errors_in(s)->cancelled)) return;
    if (dfi_exchange_acq_rel(&dfi_errors_in(s)->cancelled, 0)) dfi_cancels(-1);
    if (w && dfi_tasks_of(w)->failed == s) dfi_tasks_of(w)->failed = NULL;
}

/* Takes ownership of the exception, if any. NULL without memory. */
static struct dfi_error *dfi_error_new(int code, const char *text, const struct dfi_exception *x)
{
    struct dfi_error *e = (struct dfi_error *)dfi_malloc(sizeof *e);
    if (!e) return NULL;
    e->code = code;
    snprintf(e->text, sizeof e->text, "%s", text);
    if (x) e->threw = *x;
    else e->threw.object = NULL, e->threw.drop = NULL;
    e->from = DFI_OF_CHILD, e->waited = 0;
    return e;
}

static int dfi_error_is_shared(const struct dfi_error *e)
{
    return e == &dfi_error_unsaid || e == &dfi_error_unkept || e == &dfi_error_cancels;
}

static void dfi_error_free(struct dfi_error *e)
{
    if (!e || dfi_error_is_shared(e)) return;
    if (e->threw.drop) e->threw.drop(e->threw.object);
    dfi_mfree(e);
}

/* Stores e unless s has an error already: the first one stays. Takes ownership of e. Threads: any
 * that keeps s from ending. */
static void dfi_scope_give_error(struct dfi_scope *s, struct dfi_error *e)
{
    struct dfi_error *none = NULL;
    if (!dfi_cas_acq_rel(&dfi_errors_in(s)->error, &none, e)) dfi_error_free(e);
}

/* The same, an error `from`. Nonzero: it cancels s: the tasks of a thread go on if a block fails. */
static int dfi_scope_give(struct dfi_scope *s, struct dfi_error *e, int from)
{
    if (!dfi_error_is_shared(e)) e->from = (short)from;
    dfi_scope_give_error(s, e);
    return from != DFI_OF_BLOCK || s->kind != DFI_BOTTOM;
}

static void dfi_scope_set_error(struct dfi_scope *s, int code, const char *text)
{
    struct dfi_error *e;
    if (dfi_load_relaxed(&dfi_errors_in(s)->error)) return;
    e = dfi_error_new(code, text, NULL);
    dfi_scope_give_error(s, e ? e : &dfi_error_unsaid);
}

/* t, which may be NULL, has failed: its handle, if it has one, gets the first code. Threads: any that run its code. */
static void dfi_task_failed(struct dfi_flow *t, int code)
{
    struct dfi_extra *x = t ? dfi_extra_if(t) : NULL;
    int none = 0;
    if (x && dfi_cancel_of(x)->handle) (void)dfi_cas_acq_rel(&dfi_cancel_of(x)->code, &none, code);
}

/* The same of a task without a record, which runs in the code of w; `now`: its task or scope. Its children, which have
 * none either, are taken for it; with handles of their own for themselves. */
static void dfi_here_failed(struct dfi_worker *w, const void *now, int code)
{
    const struct dfi_scope *s = w->scope;
    struct df_handle *h = dfi_handles_of(w)->first;
    if (h && (h->dfi_task == now || (now == (const void *)s && h->dfi_task == (const void *)s->task)) &&
        !dfi_load_relaxed(&h->dfi_code)) dfi_store_relaxed(&h->dfi_code, code);
}

/* A wait in the code of w has returned an error of children. */
static void dfi_here_told(struct dfi_worker *w, int code)
{
    struct df_handle *h = dfi_handles_of(w)->first;
    if (h && dfi_runs_now(w) && dfi_load_relaxed(&h->dfi_code) == code) dfi_store_relaxed(&h->dfi_code, 0);
}

/* A task that w runs immediately fails s, the scope of its submitter. Its own children are there, too; but the failure
 * is not theirs, so the waits of the task do not return it. */
static void dfi_now_fails(struct dfi_worker *w, const struct dfi_scope *s)
{
    dfi_tasks_of(w)->failed = s;
    dfi_tasks_of(w)->failed_nest = dfi_tasks_of(w)->nest;
}

/* Does such a task wait for its children? */
static int dfi_now_failed(struct dfi_worker *w, const struct dfi_scope *s)
{
    return DFI_UNLIKELY(dfi_tasks_of(w)->failed == s) && dfi_tasks_of(w)->failed_nest == dfi_tasks_of(w)->nest &&
           dfi_runs_now(w);
}

/* t will be skipped, and its scope has the error of df, unless it has one already. */
static DFI_COLD void dfi_flow_fails(struct dfi_flow *t, df_result code)
{
    dfi_task_failed(t, code);
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    dfi_scope_set_error(t->scope, code, df_error_text(code));
}

/* Something that t, a task of s, would need has failed: as if its body had called df_fail. t may be NULL. */
static DFI_COLD void dfi_flow_cancels(struct dfi_scope *s, struct dfi_flow *t, int code, const char *text)
{
    struct dfi_error *e = dfi_error_new(code, text, NULL);
    if (!e) e = &dfi_error_unsaid;
    dfi_task_failed(t, code);
    if (t && dfi_tentative(t)) dfi_up_tentative_fails(t, e);
    else if (dfi_scope_give(s, e, DFI_OF_CHILD)) dfi_scope_cancel(s);
}

/* Takes the exception of s. Zero: there is none. pre: the tasks of s are done */
static int dfi_scope_take_exception(struct dfi_scope *s, struct dfi_exception *x)
{
    /* acquire; pairs with the CAS in dfi_scope_give_error */
    struct dfi_error *e = dfi_load_acquire(&dfi_errors_in(s)->error);
    if (DFI_LIKELY(!e) || !e->threw.drop) return 0;
    dfi_store_relaxed(&dfi_errors_in(s)->error, NULL);
    *x = e->threw;
    if (e != &dfi_error_unkept) dfi_mfree(e);
    return 1;
}

/* The scope that the running task is a child of, or that the running code owns. NULL without memory. */
static struct dfi_scope *dfi_scope_of_caller(struct dfi_worker *w)
{
    struct dfi_scope *s;
    if (dfi_runs_now(w)) return dfi_scope_here(w);
    if (w->task) return w->task->scope;
    s = dfi_scope_of_team(w->scope);
    return s->kind == DFI_BODY ? dfi_load_relaxed(&s->parent) : s;
}

/* The running task, if it has a record, or NULL: then code of a block, a future or a thread runs. */
static struct dfi_flow *dfi_task_of_caller(struct dfi_worker *w)
{
    const struct dfi_scope *s;
    dfi_create(w); /* lazy code becomes a task */
    if (dfi_runs_now(w)) return NULL;
    if (w->task) return w->task;
    s = dfi_scope_of_team(w->scope);
    return s->kind == DFI_BODY ? s->task : NULL;
}

/* s, that of a future, ends with that error, or NULL, or cancelled: its sync, which may be far away, has to tell. */
static DFI_COLD void dfi_scope_future_fails(struct dfi_scope *s, struct dfi_error *e)
{
    struct dfi_scope_errors *own = dfi_errors_in(s);
    if (e && !dfi_error_is_shared(e)) e->waited = !dfi_load_relaxed(&own->cancelled);
    if (e) dfi_store_relaxed(&own->over, DFI_F_WITH(e));
    else if (dfi_load_relaxed(&own->over) == DFI_F_DONE) dfi_store_relaxed(&own->over, DFI_F_CANCELS);
}
/* relaxed: its children are done, and code of other threads that set it was theirs */
static void *dfi_errors_future_over(const struct dfi_scope *s) { return dfi_load_relaxed(&dfi_errors_in(s)->over); }
#define dfi_up_future_over_by , dfi_errors_future_over

/* Passes on an error that nobody took when s ended: its task fails, or the thread remembers it. */
static DFI_NOINLINE DFI_COLD void dfi_scope_pass_error(struct dfi_scope *s)
{
    struct dfi_error *e = dfi_load_acquire(&dfi_errors_in(s)->error);
    struct dfi_scope *to = dfi_load_relaxed(&s->parent);
    struct dfi_flow *t = dfi_task_of_scope(s); /* that fails */
    struct dfi_worker *w = dfi_me();
    int task;
    if (dfi_scope_is_future(s)) dfi_scope_future_fails(s, e);
    dfi_scope_uncancel(w, s);
    if (!e || dfi_scope_is_future(s)) return;
    /* true if `to` is the scope of the enclosing task */
    task = t || (s->kind == DFI_BLOCK && dfi_tasks_of(w)->now == s->outer);
    if (task && !t) {
        dfi_here_failed(w, s->outer, e->code);
        dfi_now_fails(w, to);
    }
    to = dfi_scope_of_team(to);
    if (!task && to && to->kind == DFI_BODY) t = to->task, to = dfi_load_relaxed(&to->parent), task = 1;
    dfi_task_failed(t, e->code);
    dfi_store_relaxed(&dfi_errors_in(s)->error, NULL);
    if (t && dfi_tentative(t)) dfi_up_tentative_fails(t, e);
    else if (to) {
        if (dfi_scope_give(to, e, task ? DFI_OF_CHILD : DFI_OF_BLOCK)) dfi_scope_cancel(to);
    } else {
        dfi_warn("a task failed with %d, \"%s\", and no df_wait_result returned it: the error is dropped; call "
                 "df_wait_result in place of df_wait, or at the end of the block", e->code, e->text);
        dfi_error_free(e);
    }
}

/* acquire; pairs with the CAS in dfi_scope_give_error */
static void dfi_scope_end_errors(struct dfi_scope *s)
{
    const struct dfi_scope_errors *own = dfi_errors_in(s);
    if (DFI_UNLIKELY(dfi_load_acquire(&own->error) != NULL || dfi_load_relaxed(&own->cancelled)))
        dfi_scope_pass_error(s);
}
#define dfi_up_scope_ends_by , dfi_scope_end_errors

/* The code that w runs, which is no tentative task, cancels s, its scope. */
static void dfi_here_cancels(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_runs_now(w)) dfi_now_fails(w, s);
    dfi_scope_cancel(s);
}

/* The same, of a task, block, future or thread, tentative or not. */
static void dfi_cancel_here(struct dfi_worker *w)
{
    struct dfi_flow *t = dfi_task_of_caller(w);
    struct dfi_scope *s;
    if (t && dfi_tentative(t)) dfi_up_tentative_fails(t, &dfi_error_cancels);
    else if ((s = dfi_scope_of_caller(w)) != NULL) dfi_here_cancels(w, s);
}

/* It has failed with that code and e, which is given away; or `from` that, and has waited since. */
static void dfi_fail_with(struct dfi_worker *w, struct dfi_error *e, int code, int from, int waited)
{
    struct dfi_flow *t = dfi_task_of_caller(w);
    struct dfi_scope *s;
    if (t && dfi_tentative(t)) {
        dfi_up_tentative_fails(t, e);
        return;
    }
    if (dfi_runs_now(w)) dfi_here_failed(w, dfi_tasks_of(w)->now, code);
    if (!(s = dfi_scope_of_caller(w))) {
        dfi_error_free(e);
        return;
    }
    dfi_task_failed(t, code);
    if (t || dfi_runs_now(w)) from = DFI_OF_CHILD, waited = 0;
    if (dfi_scope_give(s, e, from) && !waited) dfi_here_cancels(w, s);
}

/* It has failed with that code. */
static void dfi_fail(struct dfi_worker *w, int code, const char *text)
{
    struct dfi_error *e = dfi_error_new(code, text, NULL);
    dfi_fail_with(w, e ? e : &dfi_error_unsaid, code, DFI_OF_CODE, 0); /* handles get the code without memory */
}
#define dfi_up_fails_by , dfi_fail

/* --- calls of programs ------------------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API void (df_fail)(int code, const char *text)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!code) dfi_error("df_fail(0, \"%s\"): 0 means success: the error gets code -1; pass another code", text);
    if (w) dfi_fail(w, code ? code : -1, text);
}

DFI_API int dfi_threw(const struct dfi_exception *x, const char *text)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_error *e;
    if (!w) return 0;
    dfi_create(w);
    if (!dfi_scope_of_caller(w)) return 0;
    if (!(e = dfi_error_new(DF_ERROR_EXCEPTION, text, x))) {
        x->drop(x->object);
        e = &dfi_error_unkept;
    }
    dfi_fail_with(w, e, DF_ERROR_EXCEPTION, DFI_OF_CODE, 0);
    return 1;
}

DFI_API int dfi_threw_take(struct dfi_exception *x)
{
    struct dfi_worker *w = dfi_me();
    if (w) dfi_create(w);
    return w && !w->task && dfi_scope_take_exception(w->scope, x);
}

DFI_API void dfi_scope_leave_catching(struct dfi_parallel_block *b, struct dfi_exception *x)
{
    struct dfi_worker *w = dfi_me();
    if (w && b->open && b->scope && w->scope == b->scope) {
        dfi_wait_all(w, b->scope);
        if (DFI_UNLIKELY(dfi_scope_take_exception(b->scope, x))) dfi_scope_uncancel(w, b->scope);
    }
    dfi_scope_leave(b);
}

DFI_API void (df_cancel)(void)
{
    struct dfi_worker *w = dfi_me_attached();
    if (w) dfi_cancel_here(w);
}

DFI_SMALL_CODE_END /* bodies of loops ask often */
DFI_API int (df_cancelled)(void)
{
    struct dfi_worker *w = dfi_me();
    const struct dfi_flow *t;
    struct dfi_scope *s;
    if (!w) return 0;
    if (DFI_UNLIKELY(dfi_tasks_of(w)->insists != 0) && dfi_tasks_of(w)->insists == dfi_tasks_of(w)->nest + 1 &&
        dfi_runs_now(w)) return 1;
    if (!dfi_cancels_any()) return 0;
    dfi_create(w);
    t = w->task, s = t ? t->scope : w->scope;
    if (t && DFI_UNLIKELY(dfi_extra_if(t) != NULL)) {
        const df_group *group = dfi_cancel_of(t->extra)->group;
        if (group && dfi_load_relaxed(&group->dfi_cancelled)) return 1;
    }
    if (dfi_scope_cancelled(s)) return 1;
    /* a rolled-back body: its children run nevertheless, because the body may rely on it */
    if (t && dfi_voided(t)) return 1;
    for (; dfi_up_is_void && s; s = dfi_load_relaxed(&s->parent))
        if ((t = dfi_task_of_scope(s)) != NULL && dfi_voided(t)) return 1;
    return 0;
}
DFI_SMALL_CODE_BEGIN

DFI_API void (df_group_cancel)(df_group *g)
{
    dfi_cancels(1); /* first, as in dfi_scope_cancel */
    if (dfi_exchange_acq_rel(&g->dfi_cancelled, 1)) dfi_cancels(-1);
    else dfi_up_cancels();
}

DFI_API df_result (df_wait_result)(void) { return dfi_wait_result_here(NULL); }

/* w has waited for s, its scope: the result of the wait, which ends the cancellation. */
static df_result dfi_scope_result(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_error *e;
    int cancelled, code;
    dfi_at_children(w);
    cancelled = dfi_cancels_any() && dfi_scope_cancelled(s);
    if (dfi_up_waited) dfi_up_waited(w, s);
    if (dfi_now_failed(w, s)) return DF_ERROR_CANCELLED;
    if (!(e = dfi_swap_acq_rel(&dfi_errors_in(s)->error, NULL))) return cancelled ? DF_ERROR_CANCELLED : DF_OK;
    code = dfi_last_error.code = e->code;
    dfi_here_told(w, code);
    memcpy(dfi_last_error.text, e->text, sizeof e->text);
    dfi_error_free(e);
    return (df_result)code;
}

DFI_API df_result dfi_wait_result_here(const char *site)
{
    struct dfi_worker *w = DFI_UNLIKELY(dfi_retry_stuck) ? dfi_me_attached() : dfi_me();
    if (w) dfi_create(w);
    else if (dfi_fork_left()) return DF_ERROR_CANCELLED;
    if (!w || w->task) return df_cancelled() ? DF_ERROR_CANCELLED : DF_OK; /* it has no children */
    dfi_at_site(w, site);
    dfi_wait_all(w, w->scope);
    return dfi_scope_result(w, w->scope);
}
DFI_EXTERN_C_END

/* A future that w syncs ended with e: what failed is now code of w, or a child. */
static void dfi_sync_with(struct dfi_worker *w, struct dfi_error *e)
{
    int waited = e->waited;
    struct dfi_scope *s = NULL;
    if (e->from == DFI_OF_CHILD) s = dfi_scope_here(w);
    if (!s) dfi_fail_with(w, e, e->code, e->from, waited);
    else if (dfi_scope_give(s, e, DFI_OF_CHILD) && !waited) dfi_scope_cancel(s);
}

/* w syncs a future with that state. */
static DFI_COLD void dfi_errors_sync(struct dfi_worker *w, void *link)
{
    if (link == DFI_F_CANCELS) dfi_cancel_here(w);
    else if (link != DFI_F_CUT) dfi_sync_with(w, (struct dfi_error *)DFI_F_ERROR(link));
    /* while the scope is cancelled, its next wait tells */
    else if (!dfi_errors_future_waits(w->task ? w->task->scope : w->scope))
        dfi_fail(w, DF_ERROR_CANCELLED, "df_sync: the scope of the call was cancelled while it ran");
}
#define dfi_up_syncs_by , dfi_errors_sync

static void dfi_error_remember(struct dfi_worker *w, int code, const char *text)
{
    struct dfi_scope *s = dfi_scope_of_caller(w);
    if (s) dfi_scope_set_error(s, code, text);
}
#define dfi_up_remembers_by , dfi_error_remember
/* --- module ------------------------------------------------------------------------------------------ */

static void dfi_module_errors(const struct dfi_moment *m)
{
    if (m->is == DFI_WORKER_FREED && m->w->scope)
        dfi_error_free(dfi_load_relaxed(&dfi_errors_in(m->w->scope)->error));
}

DFI_SMALL_CODE_END

#endif
