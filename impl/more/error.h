/* error.h - failing tasks, and cancellation of scopes and groups
 *
 * A task checks for cancellation when it is about to start, and only while dfi_pool.cancels is above
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
#include "../work/tables.h"
#include "../work/types.h"
#include "../observe/graph/graph.h"
#include "../observe/stall/waits.h"
#include "../api/public.h"

static struct dfi_guess *dfi_guess_of_caller(struct dfi_worker *w);
static void dfi_guess_fail(struct dfi_guess *g, int code, const char *text);
static void dfi_guess_give_error(struct dfi_guess *g, struct dfi_error *e);

static int dfi_scope_cancelled(struct dfi_scope *s)
{
    for (; s; s = dfi_load_relaxed(&s->parent))
        if (dfi_load_relaxed(&s->cancelled) || (s->group && dfi_load_relaxed(&s->group->dfi_cancelled))) return 1;
    return 0;
}

static void dfi_scope_cancel(struct dfi_scope *s)
{
    /* Counted first: a thread that finds the scope cancelled also finds cancels above 0. The
     * exchange releases and acquires. Tasks that start at this moment may still run. */
    dfi_fetch_add_acq_rel(&dfi_pool.cancels, 1);
    if (dfi_exchange_acq_rel(&s->cancelled, 1)) dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
}

static void dfi_scope_uncancel(struct dfi_scope *s)
{
    if (dfi_load_relaxed(&s->cancelled) && dfi_exchange_acq_rel(&s->cancelled, 0))
        dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
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
    return e;
}

static void dfi_error_free(struct dfi_error *e)
{
    if (!e || e == &dfi_error_unsaid || e == &dfi_error_unkept) return;
    if (e->threw.drop) e->threw.drop(e->threw.object);
    dfi_mfree(e);
}

/* Stores e unless s has an error already: the first one stays. Takes ownership of e. Threads: any
 * that keeps s from ending. */
static void dfi_scope_give_error(struct dfi_scope *s, struct dfi_error *e)
{
    struct dfi_error *none = NULL;
    if (!dfi_cas_acq_rel(&s->error, &none, e)) dfi_error_free(e);
}

static void dfi_scope_set_error(struct dfi_scope *s, int code, const char *text)
{
    struct dfi_error *e;
    if (dfi_load_relaxed(&s->error)) return;
    e = dfi_error_new(code, text, NULL);
    dfi_scope_give_error(s, e ? e : &dfi_error_unsaid);
}

/* Takes the exception of s. Zero: there is none. pre: the tasks of s are done */
static int dfi_scope_take_exception(struct dfi_scope *s, struct dfi_exception *x)
{
    struct dfi_error *e = dfi_load_acquire(&s->error); /* acquire; pairs with the CAS in dfi_scope_give_error */
    if (DFI_LIKELY(!e) || !e->threw.drop) return 0;
    dfi_store_relaxed(&s->error, NULL);
    *x = e->threw;
    if (e != &dfi_error_unkept) dfi_mfree(e);
    return 1;
}

/* The scope that the running task is a child of, or that the running code owns. NULL without memory. */
static struct dfi_scope *dfi_scope_of_caller(struct dfi_worker *w)
{
    struct dfi_scope *s = w->scope;
    if (dfi_runs_now(w)) return dfi_scope_here(w);
    if (w->task) return w->task->scope;
    while (s->kind == DFI_STOLEN) s = dfi_load_relaxed(&s->parent);
    return s->kind == DFI_BODY ? dfi_load_relaxed(&s->parent) : s;
}

/* Passes on an error that nobody took when s ended: its task fails, or the thread remembers it. */
static DFI_COLD void dfi_scope_pass_error(struct dfi_scope *s)
{
    struct dfi_error *e = dfi_load_acquire(&s->error);
    struct dfi_scope *to = dfi_load_relaxed(&s->parent);
    struct dfi_guess *guess = s->within;
    struct dfi_worker *w = dfi_me();
    int task;
    dfi_scope_uncancel(s);
    if (!e) return;
    /* true if `to` is the scope of the enclosing task */
    task = s->kind == DFI_BODY || (s->kind == DFI_BLOCK && (s->saved_task || w->now == s->outer));
    while (to && to->kind == DFI_STOLEN) to = dfi_load_relaxed(&to->parent);
    if (!task && to && to->kind == DFI_BODY) guess = to->within, to = dfi_load_relaxed(&to->parent), task = 1;
    dfi_store_relaxed(&s->error, NULL);
    if (DFI_UNLIKELY(task && guess)) {
        dfi_guess_give_error(guess, e);
        return;
    }
    if (to) {
        dfi_scope_give_error(to, e);
        if (to->kind != DFI_BOTTOM || task) dfi_scope_cancel(to);
    } else {
        dfi_warn("a task failed with %d, \"%s\", and nobody called df_wait_result", e->code, e->text);
        dfi_error_free(e);
    }
}

/* acquire; pairs with the CAS in dfi_scope_give_error */
static void dfi_scope_end_errors(struct dfi_scope *s)
{
    if (DFI_UNLIKELY(dfi_load_acquire(&s->error) != NULL || dfi_load_relaxed(&s->cancelled))) dfi_scope_pass_error(s);
}

/* The task, block or thread that w runs has failed. */
static void dfi_fail(struct dfi_worker *w, int code, const char *text)
{
    struct dfi_guess *guess = dfi_guess_of_caller(w);
    struct dfi_scope *s;
    if (DFI_UNLIKELY(guess != NULL)) dfi_guess_fail(guess, code, text);
    else if ((s = dfi_scope_of_caller(w)) != NULL) {
        dfi_scope_set_error(s, code, text);
        dfi_scope_cancel(s);
    }
}

static void dfi_graph_wait(struct dfi_worker *w);
static void dfi_capture_waited(struct dfi_worker *w);

DFI_EXTERN_C_BEGIN
DFI_API void df_fail(int code, const char *text)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!code) dfi_error("df_fail(0, \"%s\"): 0 is no error: the code is -1", text);
    if (w) dfi_fail(w, code ? code : -1, text);
}

DFI_API int dfi_threw(const struct dfi_exception *x, const char *text)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_guess *guess = w ? dfi_guess_of_caller(w) : NULL;
    struct dfi_scope *s = w && !guess ? dfi_scope_of_caller(w) : NULL;
    struct dfi_error *e;
    if (!guess && !s) return 0;
    if (!(e = dfi_error_new(DF_ERROR_EXCEPTION, text, x))) {
        x->drop(x->object);
        e = &dfi_error_unkept;
    }
    if (guess) {
        if (dfi_guess_standing(guess) == DFI_GUESS_WRONG) dfi_error_free(e);
        else dfi_guess_give_error(guess, e);
        return 1;
    }
    dfi_scope_give_error(s, e);
    dfi_scope_cancel(s);
    return 1;
}

DFI_API int dfi_threw_take(struct dfi_exception *x)
{
    struct dfi_worker *w = dfi_me();
    return w && !w->task && dfi_scope_take_exception(w->scope, x);
}

DFI_API void dfi_scope_leave_catching(struct dfi_block *b, struct dfi_exception *x)
{
    struct dfi_worker *w = dfi_me();
    x->drop = NULL;
    if (w && b->open && b->scope && w->scope == b->scope) {
        if (DFI_UNLIKELY(b->scope->guess != NULL)) dfi_guesses_left(w, b->scope);
        dfi_wait_all(w, b->scope);
        if (DFI_UNLIKELY(dfi_scope_take_exception(b->scope, x))) dfi_scope_uncancel(b->scope);
    }
    dfi_scope_leave(b);
}

DFI_API void df_cancel(void)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_guess *guess = w ? dfi_guess_of_caller(w) : NULL;
    struct dfi_scope *s;
    if (DFI_UNLIKELY(guess != NULL)) dfi_guess_fail(guess, 0, "");
    else if (w && (s = dfi_scope_of_caller(w)) != NULL) dfi_scope_cancel(s);
}

DFI_API int df_cancelled(void)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_flow *t;
    struct dfi_scope *s;
    if (!w || !dfi_load_relaxed(&dfi_pool.cancels)) return 0;
    t = w->task, s = t ? t->scope : w->scope;
    if (t && DFI_UNLIKELY(t->task.mem.special)) {
        if (t->extra->group && dfi_load_relaxed(&t->extra->group->dfi_cancelled)) return 1;
        if (t->extra->guess && dfi_guess_standing(t->extra->guess) == DFI_GUESS_WRONG) return 1;
    }
    if (dfi_scope_cancelled(s)) return 1;
    /* a rolled-back body: its children run nevertheless, because the body may rely on it */
    for (; s; s = dfi_load_relaxed(&s->parent))
        if (s->within && dfi_guess_standing(s->within) == DFI_GUESS_WRONG) return 1;
    return 0;
}

DFI_API void df_group_cancel(df_group *g)
{
    dfi_fetch_add_acq_rel(&dfi_pool.cancels, 1); /* first, as in dfi_scope_cancel */
    if (dfi_exchange_acq_rel(&g->dfi_cancelled, 1)) dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
}

DFI_API df_result (df_wait_result)(void) { return dfi_wait_result_here(NULL); }

DFI_API df_result dfi_wait_result_here(const char *site)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_scope *s;
    struct dfi_error *e;
    int cancelled, code;
    if (!w || w->task) return DF_OK; /* it has no children */
    s = w->scope;
    dfi_wait_site(w, site);
    dfi_wait_all(w, s);
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_wait(w);
    dfi_scope_unspoil(w, s);
    if (DFI_UNLIKELY(s->capture != NULL || dfi_pool.capture)) dfi_capture_waited(w);
    cancelled = dfi_load_relaxed(&s->cancelled);
    dfi_scope_uncancel(s);
    if (!(e = dfi_exchange_acq_rel(&s->error, NULL))) return cancelled ? DF_ERROR_CANCELLED : DF_OK;
    code = dfi_last_error.code = e->code;
    memcpy(dfi_last_error.text, e->text, sizeof e->text);
    dfi_error_free(e);
    return (df_result)code;
}
DFI_EXTERN_C_END

#endif
