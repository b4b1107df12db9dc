/* token.h - tokens
 *
 * A token keeps its waiting tasks in a list of edges, as a task keeps its successors: edges are
 * pushed by compare-and-swap, and one exchange closes the list at the last signal. Argument:
 * docs/internals/waiting.md, "Tokens and nodes". */
#ifndef DFI_MORE_TOKEN_H
#define DFI_MORE_TOKEN_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/core.h"
#include "../api/result.h"
#include "../api/task.h"
#include "../work/worker.h"
#include "../work/goal.h"
#include "../work/wake.h"
#include "../work/stack.h"
#include "../flow/scope.h"
#include "../work/types.h"
#include "../work/supervise.h"
#include "../flow/types.h"
#include "../work/director.h"
#include "../work/probe.h"
#include "../flow/edge.h"
#include "../flow/moments.h"
#include "../flow/options.h"
#include "../flow/supervise.h"
#include "../flow/task.h"
#include "types.h"
#include "cancel.h"
#include "error.h"
#include "state.h"
#include "spare.h"
#include "use.h"
#include "../work/wait.h"
#include "points.h"
#include "../api/submit_options.h"
#include "../api/token.h"

/* bits of df_token.dfi_state; KEPT: of a handle */
enum { DFI_TOKEN_EXTERNAL = 1, DFI_TOKEN_SKIP = 2, DFI_TOKEN_KEPT = 4 };

/* --- held tasks: they wait for a token, an input or a stream; listed for deadlock detection ------ */

/* The first task of the process is held: from now on sleepers check for deadlock (dfi_park). */
static DFI_NOINLINE DFI_COLD void dfi_holds_begin(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    dfi_store_seq_cst(&dfi_more.holds, 1);
    for (i = 0; i < n; i++) dfi_wake_waiting(dfi_load_acquire(&dfi_pool.slot[i]));
}

static void dfi_hold(struct dfi_worker *w, struct dfi_on_hold *h)
{
    struct dfi_holds *l = dfi_holds_of(w);
    dfi_os_lock(&l->lock);
    h->by = w;
    h->before = NULL;
    h->next = dfi_load_relaxed(&l->first);
    if (h->next) h->next->before = h;
    dfi_store_relaxed(&l->first, h);
    dfi_os_unlock(&l->lock);
    if (DFI_UNLIKELY(!dfi_load_relaxed(&dfi_more.holds))) dfi_holds_begin();
}

/* The same for a task. */
static void dfi_hold_task(struct dfi_worker *w, struct dfi_extra *x)
{
    dfi_tokens_of(x)->held.of = x;
    dfi_hold(w, &dfi_tokens_of(x)->held);
}

static void dfi_unhold(struct dfi_on_hold *h)
{
    struct dfi_holds *l = dfi_holds_of(h->by);
    dfi_os_lock(&l->lock);
    if (h->before) h->before->next = h->next;
    else dfi_store_relaxed(&l->first, h->next);
    if (h->next) h->next->before = h->before;
    h->by = NULL;
    dfi_os_unlock(&l->lock);
}

/* Counts a signal or an input as progress. */
static void dfi_happened(struct dfi_worker *w)
{
    if (w) dfi_count(&dfi_holds_of(w)->n_events);
    else dfi_fetch_add_relaxed(&dfi_more.events, (size_t)1);
}

/* --- tokens ------------------------------------------------------------------------------------ */

/* A thread that sleeps until a token opens. Bit 0 of edge.task marks it in the list of the token. The thread may leave
 * before that; then the record stays in the list, and whoever closes the list frees it. */
enum { DFI_TOKEN_CLOSED, DFI_TOKEN_OPEN, DFI_TOKEN_LEFT };
struct dfi_token_wait {
    struct dfi_block_head head; /* first */
    struct dfi_on_hold held;
    struct dfi_use after;
    const char *site;
    struct dfi_edge edge;
    struct dfi_worker *worker;
    struct dfi_scope *scope; /* of the code that waits */
    int stuck;
    DFI_ATOMIC(intptr_t) open; /* as above; the first exchange decides */
};

/* Zeros: it was not initialised. That is reported once. It is open then, for tasks that are skipped. */
static DFI_COLD int dfi_token_missing(df_token *t, const char *site, const char *what, const char *cure)
{
    void *none = NULL;
    dfi_store_relaxed(&t->dfi_state, (int)DFI_TOKEN_SKIP);
    if (dfi_cas_acq_rel(&t->dfi_list, &none, (void *)DFI_DONE_EDGE))
        dfi_error("%s: this %s was not initialised: tasks that come after it are skipped, and waits for it return "
                  "DF_ERROR_STUCK; %s", site, what, cure);
    return 0;
}
DFI_FAST int dfi_token_made(df_token *t, const char *site)
{
    return DFI_LIKELY(t->dfi_site != NULL) ||
           dfi_token_missing(t, site, "token", "begin with DF_TOKEN(k), or call df_token_init");
}

/* u has got one of the things that it waits for. */
static void dfi_token_reached(struct dfi_worker *w, struct dfi_flow *u)
{
    dfi_at_release(w, u);
    if (dfi_flow_unblock(u)) dfi_ready_any(w, u);
}

/* Leaves e, which was in a closed list, to the next search for work. It takes no lock and allocates no memory. */
static void dfi_token_leave(struct dfi_edge *e)
{
    struct dfi_edge *first = dfi_load_relaxed(&dfi_flow_pool.opened);
    do e->next = first;
    while (!dfi_cas_seq_cst(&dfi_flow_pool.opened, &first, e)); /* before the check for sleepers */
}

/* Releases the tasks and threads in a closed list. w is NULL if the thread is no worker, or if the code may be a signal
 * handler. Then the next search for work releases the tasks, because a handler may have interrupted a section with a
 * lock. stuck: the token was given up. */
static void dfi_token_release(struct dfi_worker *w, struct dfi_edge *e, int skip, int stuck)
{
    int left = 0;
    while (e) {
        struct dfi_flow *u = e->task;
        struct dfi_edge *next = e->next; /* e must not be touched after the release */
        int later = !w && !DFI_ALONE;
        if ((uintptr_t)u & 1) {
            struct dfi_token_wait *a = (struct dfi_token_wait *)((uintptr_t)u - 1);
            struct dfi_worker *waiter = a->worker;
            a->stuck = stuck;
            /* seq_cst, before the check for sleepers; `a` may be gone from here on if the waiter is still there */
            if (dfi_exchange_seq_cst(&a->open, (intptr_t)DFI_TOKEN_OPEN) == DFI_TOKEN_CLOSED)
                later = 0, dfi_wake_waiting(waiter);
            else if (w) dfi_block_free(w, waiter, &a->head);
        } else {
            if (skip) dfi_store_relaxed(&u->skip, (unsigned)DFI_SKIPPED);
            if (!later) dfi_token_reached(w, u);
        }
        if (later) left = 1, dfi_token_leave(e);
        e = next;
    }
    if (left) dfi_wake_for_work();
}

/* Releases what dfi_token_leave has left. Tasks go to the queue and not to the stack of w, which is not searched. */
static void dfi_opened_take(struct dfi_worker *w)
{
    struct dfi_edge *e = dfi_swap_seq_cst(&dfi_flow_pool.opened, NULL);
    while (e) {
        struct dfi_flow *u = e->task;
        struct dfi_edge *next = e->next;
        struct dfi_token_wait *a = (struct dfi_token_wait *)((uintptr_t)u - 1);
        if ((uintptr_t)u & 1) dfi_block_free(w, a->worker, &a->head);
        else dfi_token_reached(NULL, u);
        e = next;
    }
}
#define dfi_up_opened_by , dfi_opened_take

static struct dfi_edge *dfi_token_close(df_token *t, int *skip)
{
    void *list;
    *skip = (dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_SKIP) != 0;
    dfi_at_token(dfi_me(), t);
    list = dfi_swap_acq_rel(&t->dfi_list, (void *)DFI_DONE_EDGE); /* t may be gone from here on */
    return list == (void *)DFI_DONE_EDGE ? NULL : (struct dfi_edge *)list;
}

/* One signal. skip: from a task that did not run. Threads: any; w is the caller's worker, or NULL as above. */
static void dfi_token_signal(struct dfi_worker *w, df_token *t, const char *site, int skip)
{
    intptr_t need;
    struct dfi_edge *e;
    if (skip) dfi_store_relaxed(&t->dfi_state, dfi_load_relaxed(&t->dfi_state) | DFI_TOKEN_SKIP);
    dfi_happened(w);
    /* acq_rel: passes what the signallers did to the thread that opens the token, and by its
     * exchange to the released tasks */
    need = dfi_fetch_sub_acq_rel(&t->dfi_need, (intptr_t)1);
    if (need > 1) return;
    if (need < 1) {
        dfi_fetch_add_relaxed(&t->dfi_need, (intptr_t)1);
        if (!skip && !(dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_SKIP))
            dfi_error("%s: a signal too many for the token of %s, which is open already: it has no effect; signal "
                      "less often, or raise the number of the token", site, t->dfi_site);
        return;
    }
    e = dfi_token_close(t, &skip);
    dfi_token_release(w, e, skip, 0);
}

/* Tasks that will signal t, by .signals, become `by` more. (A token that is signalled from outside of the only thread
 * counts those signals instead: dfi_signal.) */
static void dfi_token_promise(df_token *t, int by)
{
    if (!DFI_ALONE || !(t->dfi_state & DFI_TOKEN_EXTERNAL)) dfi_fetch_add_relaxed(&t->dfi_promised, (intptr_t)by);
}

/* A signal announced by .signals. */
static void dfi_token_keep_promise(struct dfi_worker *w, df_token *t, const char *site, int skip)
{
    dfi_token_promise(t, -1); /* before the signal: t may be gone after it */
    dfi_token_signal(w, t, site, skip);
}

/* Puts the edge into the list of t. Zero: the token is open. */
static int dfi_token_push(df_token *t, struct dfi_edge *e)
{
    void *head = dfi_load_acquire(&t->dfi_list); /* pairs with dfi_token_close */
    do {
        if (head == (void *)DFI_DONE_EDGE) return 0;
        e->next = (struct dfi_edge *)head;
    } while (!dfi_cas_acq_rel(&t->dfi_list, &head, (void *)e));
    return 1;
}

/* t, which is to be skipped and has optional state, is about to: the first failure of the tokens that it has waited for
 * is that of its scope. */
static void dfi_token_failures(struct dfi_flow *t)
{
    const struct dfi_use *u = dfi_tokens_of(t->extra)->held.after;
    while (u && !dfi_load_relaxed(&u->token->dfi_code)) u = u->next;
    if (u) dfi_flow_cancels(t->scope, t, dfi_load_relaxed(&u->token->dfi_code), u->token->dfi_text);
}

/* Makes t start after the token opens. 0, or -1 without memory. pre: t has extras; w owns its scope */
static int dfi_token_after(struct dfi_worker *w, struct dfi_flow *t, df_token *token)
{
    struct dfi_use *u = dfi_use_new(w, &dfi_tokens_of(t->extra)->held.after);
    struct dfi_edge *e;
    if (!u) return -1;
    u->token = token;
    if (!(e = dfi_edge_new(w, t))) return -1;
    e->task = t;
    if (dfi_token_push(token, e)) t->n_edges++;
    else dfi_edge_drop(w, t);
    if (dfi_load_relaxed(&token->dfi_state) & DFI_TOKEN_SKIP) dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    if (!token->dfi_site) dfi_flow_fails(t, DF_ERROR_STUCK);
    return 0;
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_token_init(df_token *t, long k, const char *site)
{
    dfi_at_token(dfi_me(), t);
    dfi_store_relaxed(&t->dfi_list, (void *)(uintptr_t)(k <= 0));
    dfi_store_relaxed(&t->dfi_need, (intptr_t)k);
    dfi_store_relaxed(&t->dfi_promised, (intptr_t)0);
    dfi_store_relaxed(&t->dfi_state, 0);
    dfi_store_relaxed(&t->dfi_code, 0);
    t->dfi_site = site;
}

DFI_API void dfi_token_name(df_token *t, const char *name) { t->dfi_site = name; }

DFI_API void dfi_token_init_external(df_token *t, long k, const char *site)
{
    dfi_token_init(t, k, site);
    dfi_store_relaxed(&t->dfi_state, (int)DFI_TOKEN_EXTERNAL);
}

static void dfi_token_signal_here(df_token *t, const char *site, int skip)
{
    struct dfi_worker *w = dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_EXTERNAL ? NULL : dfi_me();
    if (DFI_ALONE && t->dfi_state & DFI_TOKEN_EXTERNAL) { /* perhaps in an interrupt: more/outside.h */
        volatile intptr_t *came = (volatile intptr_t *)&t->dfi_promised;
        if (skip) t->dfi_state |= DFI_TOKEN_SKIP;
        DFI_COMPILER_BARRIER();
        *came = *came + 1;
        return;
    } /* NULL: perhaps in a signal handler */
    if (dfi_turns() && (w = dfi_me_attached()) != NULL) dfi_turn_take(w);
    dfi_at_signal(w, t);
    dfi_token_signal(w, t, site, skip);
    if (w) dfi_turn_outside(w);
}

DFI_API void dfi_signal(df_token *t, const char *site)
{
    if (dfi_token_made(t, site)) dfi_token_signal_here(t, site, 0);
}

DFI_API void dfi_signal_failed(df_token *t, int code, const char *text, const char *site)
{
    int none = 0;
    if (!dfi_token_made(t, site)) return;
    if (!code) dfi_error("%s: df_signal_failed(&t, 0, \"%s\"): 0 means success: the error gets code -1; pass another "
                         "code", site, text);
    if (dfi_load_relaxed(&t->dfi_need) < 1) {
        dfi_token_signal_here(t, site, 0); /* a signal too many */
        return;
    }
    /* before the signal, which passes both on, to those who find the token open */
    if (dfi_cas_acq_rel(&t->dfi_code, &none, code ? code : -1)) t->dfi_text = text;
    dfi_token_signal_here(t, site, 1);
}

DFI_EXTERN_C_END

DFI_SMALL_CODE_BEGIN

/* Makes a the record of w, in code whose scope is s, to sleep until t opens. */
static void dfi_token_wait_set(struct dfi_token_wait *a, struct dfi_worker *w, struct dfi_scope *s, df_token *t,
                               const char *site)
{
    memset((char *)a + sizeof a->head, 0, sizeof *a - sizeof a->head);
    a->worker = w, a->scope = s;
    a->site = site;
    a->held.after = &a->after;
    a->after.token = t;
    a->edge.task = (struct dfi_flow *)((uintptr_t)a | 1);
}

/* The wait with the record a is over. leaves: perhaps too soon. DF_ERROR_CANCELLED: it was, and the record belongs to
 * the one that closes the list. */
static df_result dfi_token_wait_end(struct dfi_token_wait *a, int leaves)
{
    dfi_unhold(&a->held);
    if (leaves && dfi_exchange_seq_cst(&a->open, (intptr_t)DFI_TOKEN_LEFT) == DFI_TOKEN_CLOSED)
        return DF_ERROR_CANCELLED;
    return a->stuck ? DF_ERROR_STUCK : DF_OK;
}

/* Of a wait for t, which is open. */
static df_result dfi_token_result(const df_token *t)
{
    int code = dfi_load_relaxed(&t->dfi_code);
    if (!code) return dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_SKIP ? DF_ERROR_CANCELLED : DF_OK;
    dfi_last_error.code = code;
    snprintf(dfi_last_error.text, sizeof dfi_last_error.text, "%s", t->dfi_text);
    return (df_result)code;
}

static int dfi_token_wait_over(void *p)
{
    struct dfi_token_wait *a = (struct dfi_token_wait *)p;
    return dfi_load_seq_cst(&a->open) != DFI_TOKEN_CLOSED || dfi_interrupted(a->scope);
}

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_wait_token(df_token *t, const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w ? dfi_scope_here(w) : NULL;
    /* that may stay in the list of t; without memory for it, nothing but the token ends the wait */
    struct dfi_token_wait *block = s ? (struct dfi_token_wait *)dfi_block_get(w, DFI_CLS_SLEEPER) : NULL, whole, *a;
    struct dfi_wait wait;
    struct dfi_goal g;
    df_result r;
    int waits;
    DFI_CALLED(w);
    if (!dfi_token_made(t, site)) {
        if (block) dfi_block_free(w, w, &block->head);
        return DF_ERROR_STUCK;
    }
    dfi_no_graph(w, "df_wait_token", site);
    if (!s) { /* no memory for an ordinary wait */
        while (dfi_load_acquire(&t->dfi_need) > 0) dfi_os_sleep_ms();
        return dfi_token_result(t);
    }
    a = block ? block : &whole;
    dfi_token_wait_set(a, w, s, t, site);
    dfi_hold(w, &a->held);
    waits = dfi_token_push(t, &a->edge);
    if (waits) {
        dfi_flush(w);
        g.kind = block ? DFI_GOAL_POLL : DFI_GOAL_FLAG, g.scope = s, g.flag = &a->open;
        g.until = dfi_token_wait_over, g.arg = a, g.limit = NULL;
        dfi_wait_enter(w, &wait, DFI_WAIT_TOKEN, t, site);
        dfi_sleep_until(w, &g);
        dfi_wait_leave(w, &wait);
    }
    r = dfi_token_wait_end(a, block && waits);
    if (r == DF_ERROR_CANCELLED) dfi_errors_in(s)->told = 1;
    else if (block) dfi_block_free(w, w, &block->head);
    return r == DF_OK ? dfi_token_result(t) : r;
}
DFI_EXTERN_C_END
DFI_SMALL_CODE_END

/* --- tasks ------------------------------------------------------------------------------------- */

/* t is done, and signals as its options say. */
static void dfi_token_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_use *u;
    if (dfi_up_task_done) dfi_up_task_done(t); /* before a wait for a token or for its handle ends */
    dfi_at_releases(w, t);
    for (u = dfi_tokens_of(t->extra)->signals; u; u = u->next)
        dfi_token_keep_promise(w, u->token, t->extra->site, dfi_load_relaxed(&t->skip) != 0);
    dfi_at_releases(w, NULL);
}

DFI_SMALL_CODE_BEGIN

/* t, which has optional state, cannot be started later: waits for its tokens here. */
static DFI_COLD void dfi_token_wait_here(struct dfi_flow *t)
{
    struct dfi_use *u;
    if (dfi_tokens_of(t->extra)->held.by) dfi_unhold(&dfi_tokens_of(t->extra)->held);
    for (u = dfi_tokens_of(t->extra)->held.after; u; u = u->next) dfi_wait_token(u->token, t->extra->site);
}

/* The next submission has the options o. Without a worker, each task runs immediately, in order. */
static void dfi_token_with(struct dfi_worker *w, const struct df_opts *o, const char *site)
{
    df_token *const *t;
    for (t = o->after; t && *t; t++) (void)dfi_token_made(*t, site);
    for (t = o->signals; t && *t; t++)
        if (dfi_token_made(*t, site)) dfi_token_promise(*t, 1);
    for (t = w ? NULL : o->after; t && *t; t++) dfi_wait_token(*t, site);
}

static void dfi_token_with_end(struct dfi_worker *w, const struct df_opts *o)
{
    df_token *const *k;
    for (k = !w || dfi_tasks_of(w)->ran_now ? o->signals : NULL; k && *k; k++)
        if (w && dfi_tasks_of(w)->ran_now == DFI_DROPPED) dfi_token_promise(*k, -1);
        else dfi_token_keep_promise(w, *k, w ? dfi_tasks_of(w)->opts_site : "df_submit_with",
                                    w && dfi_tasks_of(w)->ran_now == DFI_PASSED_OVER);
}

/* Gives t, which has optional state, the tokens of o. 0, or -1 without memory: then call dfi_token_opts_failed. */
static int dfi_token_opts(struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o)
{
    struct dfi_extra *x = t->extra;
    df_token *const *k;
    for (k = o->signals; k && *k; k++) {
        struct dfi_use *u = dfi_use_new(w, &dfi_tokens_of(x)->signals);
        if (!u) return -1;
        u->token = *k;
    }
    for (k = o->after; k && *k; k++)
        if (dfi_token_after(w, t, *k)) return -1;
    if (t->n_edges && !dfi_tokens_of(x)->held.by) dfi_hold_task(w, x);
    return 0;
}

/* Waits for the tokens that a task without memory for them is to follow. Nonzero: it is skipped. s: its scope, or NULL;
 * t: its record, or NULL */
static DFI_COLD int dfi_token_wait_all(struct dfi_scope *s, struct dfi_flow *t, const struct df_opts *o,
                                       const char *site)
{
    df_token *const *k;
    int skip = 0;
    for (k = o->after; k && *k; k++) {
        int code;
        if (dfi_wait_token(*k, site) == DF_OK) continue;
        code = dfi_load_relaxed(&(*k)->dfi_code);
        if (code && s) dfi_flow_cancels(s, t, code, (*k)->dfi_text);
        if (code && o->handle) dfi_store_relaxed(&o->handle->dfi_code, code);
        skip = 1;
    }
    return skip;
}

/* Memory to give t the options o was lacking: waits for its tokens. dfi_with_end signals. */
static DFI_COLD void dfi_token_opts_failed(struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o)
{
    if (dfi_token_wait_all(t->scope, t, o, dfi_tasks_of(w)->opts_site))
        dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    if (!t->task.mem.special) return;
    dfi_os_lock(&dfi_holds_of(w)->lock); /* a stall report may be reading it (observe/stall/report.h) */
    dfi_uses_free(w, w, dfi_tokens_of(t->extra)->signals);
    dfi_tokens_of(t->extra)->signals = NULL;
    dfi_os_unlock(&dfi_holds_of(w)->lock);
}

DFI_SMALL_CODE_END

#define dfi_up_find_pinned_by , dfi_task_pinned

static int dfi_holds_any(void) { return dfi_load_seq_cst(&dfi_more.holds); }
#define dfi_up_holds_by , dfi_holds_any

#endif
