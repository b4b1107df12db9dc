/* dfi_error.h - a task fails, a scope or a group is cancelled
 *
 * A task looks whether it is cancelled when it is about to start, and only while something is
 * (dfi_pool.cancels). An error stays with the scope of the task until df_wait_result takes it, or goes on to
 * the enclosing task's scope when its own ends. */
#ifndef DFI_ERROR_H
#define DFI_ERROR_H

static int dfi_scope_cancelled(struct dfi_scope *s)
{
    for (; s; s = dfi_load_relaxed(&s->parent))
        if (dfi_load_relaxed(&s->cancelled) || (s->group && dfi_load_relaxed(&s->group->dfi_cancelled))) return 1;
    return 0;
}

static void dfi_scope_cancel(struct dfi_scope *s)
{
    /* Counted first: whoever finds it cancelled already finds cancels above 0, too. Release and acquire by the exchange;
     * tasks that start at this moment may still run. */
    dfi_fetch_add_acq_rel(&dfi_pool.cancels, 1);
    if (dfi_exchange_acq_rel(&s->cancelled, 1)) dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
}

static void dfi_scope_uncancel(struct dfi_scope *s)
{
    if (dfi_load_relaxed(&s->cancelled) && dfi_exchange_acq_rel(&s->cancelled, 0)) dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
}

static void dfi_error_free(struct dfi_error *e)
{
    if (e != &dfi_error_unsaid) dfi_mfree(e);
}

/* The first error stays. Threads: any that keeps s from ending. */
static void dfi_scope_set_error(struct dfi_scope *s, int code, const char *text)
{
    struct dfi_error *e, *none = NULL;
    if (dfi_load_relaxed(&s->error)) return;
    if (!(e = (struct dfi_error *)dfi_malloc(sizeof *e))) e = &dfi_error_unsaid;
    else {
        e->code = code;
        snprintf(e->text, sizeof e->text, "%s", text);
    }
    if (!dfi_cas_acq_rel(&s->error, &none, e)) dfi_error_free(e);
}

/* The scope whose tasks the code that runs now belongs to, or owns. NULL without memory. */
static struct dfi_scope *dfi_scope_of_caller(struct dfi_worker *w)
{
    struct dfi_scope *s = w->scope;
    if (dfi_runs_now(w)) return dfi_now_scope(w);
    if (w->task) return w->task->scope;
    while (s->kind == DFI_STOLEN) s = dfi_load_relaxed(&s->parent);
    return s->kind == DFI_BODY ? dfi_load_relaxed(&s->parent) : s;
}

/* s is over; nobody took its error: its task fails, or the thread remembers it. */
static DFI_COLD void dfi_scope_pass_error(struct dfi_scope *s)
{
    struct dfi_error *e = dfi_load_acquire(&s->error);
    struct dfi_scope *to = dfi_load_relaxed(&s->parent);
    struct dfi_worker *w = dfi_me();
    int task;
    dfi_scope_uncancel(s);
    if (!e) return;
    /* is `to` the scope of the enclosing task? */
    task = s->kind == DFI_BODY || (s->kind == DFI_BLOCK && (s->saved_task || w->now == s->outer));
    while (to && to->kind == DFI_STOLEN) to = dfi_load_relaxed(&to->parent);
    if (!task && to && to->kind == DFI_BODY) to = dfi_load_relaxed(&to->parent), task = 1;
    dfi_store_relaxed(&s->error, NULL);
    if (to) {
        dfi_scope_set_error(to, e->code, e->text);
        if (to->kind != DFI_BOTTOM || task) dfi_scope_cancel(to);
    } else dfi_log(DFI_LOG_ERROR_LOST, e->code, e->text);
    dfi_error_free(e);
}

/* acquire; pairs with the CAS in dfi_scope_set_error */
static void dfi_scope_end_errors(struct dfi_scope *s)
{
    if (DFI_UNLIKELY(dfi_load_acquire(&s->error) != NULL || dfi_load_relaxed(&s->cancelled))) dfi_scope_pass_error(s);
}

static void dfi_graph_wait(struct dfi_worker *w);

DFI_EXTERN_C_BEGIN
DFI_API void df_fail(int code, const char *text)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s;
    if (!code) dfi_log(DFI_LOG_FAIL_ZERO, text);
    if (!w || !(s = dfi_scope_of_caller(w))) return;
    dfi_scope_set_error(s, code ? code : -1, text);
    dfi_scope_cancel(s);
}

DFI_API void df_cancel(void)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w ? dfi_scope_of_caller(w) : NULL;
    if (s) dfi_scope_cancel(s);
}

DFI_API int df_cancelled(void)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_flow *t;
    if (!w || !dfi_load_relaxed(&dfi_pool.cancels)) return 0;
    if (!(t = w->task)) return dfi_scope_cancelled(w->scope);
    return (t->task.mem.special && t->extra->group && dfi_load_relaxed(&t->extra->group->dfi_cancelled)) || dfi_scope_cancelled(t->scope);
}

DFI_API void df_group_cancel(df_group *g)
{
    dfi_fetch_add_acq_rel(&dfi_pool.cancels, 1); /* first, as in dfi_scope_cancel */
    if (dfi_exchange_acq_rel(&g->dfi_cancelled, 1)) dfi_fetch_add_relaxed(&dfi_pool.cancels, -1);
}

DFI_API df_result df_wait_result(void)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_scope *s;
    struct dfi_error *e;
    int cancelled, code;
    if (!w || w->task) return DF_OK; /* no children */
    s = w->scope;
    dfi_wait_all(w, s);
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_wait(w);
    dfi_scope_unspoil(w, s);
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
