/* token.h - tokens, and nodes that fire when they have all their inputs
 *
 * A token keeps its waiting tasks in a list of edges, as a task keeps its successors: edges are
 * pushed by compare-and-swap, and one exchange closes the list at the last signal. A node is a task
 * whose missing inputs are counted like unfinished predecessors. Argument: docs/memory-order.md,
 * "Tokens and nodes". */
#ifndef DFI_MORE_TOKEN_H
#define DFI_MORE_TOKEN_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/wait.h"
#include "../api/core.h"
#include "../api/result.h"
#include "../api/task.h"
#include "../api/value.h"
#include "../work/worker.h"
#include "../work/goal.h"
#include "../work/wake.h"
#include "../work/stack.h"
#include "../work/find.h"
#include "../work/help.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../flow/edge.h"
#include "../flow/extra.h"
#include "../flow/task.h"
#include "taskgraph/list.h"
#include "../observe/check/check.h"
#include "../observe/graph/graph.h"
#include "../observe/graph/hook.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/stall/waits.h"
#include "../api/public.h"

enum { DFI_TOKEN_EXTERNAL = 1, DFI_TOKEN_SKIP = 2 }; /* bits of df_token.dfi_state */

/* --- held tasks: they wait for a token, an input or a stream; listed for deadlock detection ------ */

static void dfi_hold(struct dfi_worker *w, struct dfi_extra *x)
{
    int i, n;
    dfi_os_lock(&w->held_lock);
    x->held_by = w;
    x->held_before = NULL;
    x->held_next = w->held;
    if (w->held) w->held->held_before = x;
    w->held = x;
    dfi_os_unlock(&w->held_lock);
    if (dfi_fetch_add_seq_cst(&dfi_pool.held, 1)) return;
    /* the first held task: sleepers begin to check for deadlock (dfi_park) */
    for (i = 0, n = dfi_load_acquire(&dfi_pool.n_slots); i < n; i++)
        dfi_wake_waiting(dfi_load_acquire(&dfi_pool.slot[i]));
}

static void dfi_unhold(struct dfi_extra *x)
{
    struct dfi_worker *v = x->held_by;
    dfi_os_lock(&v->held_lock);
    if (x->held_before) x->held_before->held_next = x->held_next;
    else v->held = x->held_next;
    if (x->held_next) x->held_next->held_before = x->held_before;
    x->held_by = NULL;
    dfi_os_unlock(&v->held_lock);
    dfi_fetch_sub_seq_cst(&dfi_pool.held, 1);
}

/* Counts a signal or an input as progress. */
static void dfi_happened(struct dfi_worker *w)
{
    if (w) dfi_store_relaxed(&w->n_events, dfi_load_relaxed(&w->n_events) + 1);
    else dfi_fetch_add_relaxed(&dfi_pool.events, (size_t)1);
}

/* --- tokens ------------------------------------------------------------------------------------ */

/* A thread in df_wait_token. Bit 0 of edge.task marks it in the list of the token. */
struct dfi_token_wait {
    struct dfi_extra held; /* first; has no task */
    struct dfi_use after;
    struct dfi_edge edge;
    struct dfi_worker *worker;
    int stuck;
    DFI_ATOMIC(intptr_t) open;
};

/* Releases the waiters in a closed list. w may be NULL. stuck: the token was given up. */
static void dfi_token_release(struct dfi_worker *w, struct dfi_edge *e, int skip, int stuck)
{
    while (e) {
        struct dfi_flow *u = e->task;
        struct dfi_edge *next = e->next; /* e must not be touched after the release */
        if ((uintptr_t)u & 1) {
            struct dfi_token_wait *a = (struct dfi_token_wait *)((uintptr_t)u - 1);
            struct dfi_worker *waiter = a->worker;
            a->stuck = stuck;
            dfi_store_seq_cst(&a->open, (intptr_t)1); /* `a` may be gone from here on */
            dfi_wake_waiting(waiter);
        } else {
            if (skip) dfi_store_relaxed(&u->skip, (unsigned)DFI_SKIPPED);
            if (DFI_UNLIKELY(dfi_watched())) dfi_watch_release(w, u);
            if (dfi_flow_unblock(u)) dfi_ready_any(w, u);
        }
        e = next;
    }
}


static struct dfi_edge *dfi_token_close(df_token *t, int *skip)
{
    void *list;
    *skip = (dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_SKIP) != 0;
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_token_opens(DFI_GRAPH(), t);
    list = dfi_exchange_acq_rel(&t->dfi_list, (void *)DFI_DONE_EDGE); /* t may be gone from here on */
    return list == (void *)DFI_DONE_EDGE ? NULL : (struct dfi_edge *)list;
}

/* One signal. skip: from a task that did not run. Threads: any; w is the caller's worker or NULL. */
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
            dfi_error("%s: a signal too many for the token "
                                                                                    "of %s, which is open already: no "
                                                                                    "effect", site, t->dfi_site);
        return;
    }
    e = dfi_token_close(t, &skip);
    if (e && !w) w = dfi_me_attached();
    dfi_token_release(w, e, skip, 0);
}

/* A signal announced by .signals. */
static void dfi_token_keep_promise(struct dfi_worker *w, df_token *t, const char *site, int skip)
{
    dfi_fetch_add_relaxed(&t->dfi_promised, (intptr_t)-1); /* before the signal: t may be gone after it */
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

/* Makes t start after the token opens. 0, or -1 without memory. pre: t has extras; w owns its scope */
static int dfi_token_after(struct dfi_worker *w, struct dfi_flow *t, df_token *token)
{
    struct dfi_use *u = dfi_use_new(w, &t->extra->after);
    struct dfi_edge *e;
    if (!u) return -1;
    u->token = token;
    if (!(e = dfi_edge_new(w, t))) return -1;
    e->task = t;
    if (dfi_token_push(token, e)) t->n_edges++;
    else dfi_edge_drop(w, t);
    if (dfi_load_relaxed(&token->dfi_state) & DFI_TOKEN_SKIP) dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    return 0;
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_token_init(df_token *t, long k, const char *site)
{
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_token_opens(DFI_GRAPH(), t);
    dfi_store_relaxed(&t->dfi_list, (void *)(uintptr_t)(k <= 0));
    dfi_store_relaxed(&t->dfi_need, (intptr_t)k);
    dfi_store_relaxed(&t->dfi_promised, (intptr_t)0);
    dfi_store_relaxed(&t->dfi_state, 0);
    t->dfi_site = site;
}

DFI_API void dfi_signal(df_token *t, const char *site)
{
    struct dfi_worker *w = dfi_me();
    if (DFI_UNLIKELY(dfi_baton_on()) && (w = dfi_me_attached()) != NULL) dfi_baton_take(w);
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_signal(DFI_GRAPH(), w, t);
    dfi_token_signal(w, t, site, 0);
    if (DFI_UNLIKELY(dfi_baton_on()) && w) dfi_baton_outside(w);
}

DFI_API df_result dfi_wait_token(df_token *t, const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_token_wait a;
    struct dfi_wait wait;
    struct dfi_goal g;
    struct dfi_scope *s = w ? dfi_scope_here(w) : NULL;
    DFI_CHECK_CALL(w);
    dfi_taskgraph_cannot("df_wait_token", site);
    if (!s) { /* no memory for an ordinary wait */
        while (dfi_load_acquire(&t->dfi_need) > 0) dfi_os_sleep_ms();
        return DF_OK;
    }
    memset((void *)&a, 0, sizeof a);
    a.worker = w;
    a.held.site = site;
    a.held.after = &a.after;
    a.after.token = t;
    a.edge.task = (struct dfi_flow *)((uintptr_t)&a | 1);
    dfi_hold(w, &a.held);
    if (dfi_token_push(t, &a.edge)) {
        dfi_flush(w);
        g.kind = DFI_GOAL_FLAG, g.scope = s, g.future = NULL, g.flag = &a.open;
        dfi_wait_enter(w, &wait, DFI_WAIT_TOKEN, t, site);
        dfi_sleep_until(w, &g);
        dfi_wait_leave(w, &wait);
    }
    dfi_unhold(&a.held);
    if (a.stuck) return DF_ERROR_STUCK;
    return dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_SKIP ? DF_ERROR_CANCELLED : DF_OK;
}

/* --- nodes ------------------------------------------------------------------------------------- */

DFI_API struct dfi_task *dfi_node_new(const struct dfi_type *type, int inputs, const char *titles, const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w && !(w->scope->guess && dfi_guess_drops(w)) ? dfi_scope_here(w) : NULL;
    struct dfi_flow *t = s ? dfi_flow_new(w, s, type) : NULL;
    struct dfi_extra *x = t ? dfi_extra_of(w, t) : NULL;
    dfi_taskgraph_cannot("df_node_new", site);
    /* Beyond the window the caller runs ready nodes; it never waits for one that is not ready. */
    if (s && s->open && s->submitted - s->done >= dfi_pool.window && dfi_run_own(w, s->mark, NULL)) dfi_offer(w);
    if (!x) {
        dfi_graph_missing();
        if (t) dfi_flow_free(w, t);
        return NULL;
    }
    x->name = type->name, x->site = site;
    x->inputs = inputs, x->titles = titles;
    if (DFI_UNLIKELY(type->modes & DFI_HELD)) memset(t->task.args, 0, type->args_bytes); /* inputs not given */
    if (DFI_UNLIKELY(DFI_GRAPH() != NULL)) dfi_graph_node(DFI_GRAPH(), w, t);
    if (s->open) s->submitted++;
    else dfi_fetch_add_seq_cst(&s->pending, (intptr_t)1);
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_submit(w, t, NULL, 0);
    dfi_store_relaxed(&t->wait, (intptr_t)(inputs ? inputs : 1));
    if (inputs) {
        dfi_hold(w, x);
        return &t->task;
    }
    dfi_node_given(&t->task);
    return NULL;
}

DFI_API void *dfi_node_input(struct dfi_task *node, int input, const char *site)
{
    struct dfi_flow *t = (struct dfi_flow *)(void *)node;
    uintptr_t bit = (uintptr_t)1 << input, given;
    const char *p;
    int i;
    char title[64];
    if (dfi_taskgraph_is_open(node)) return node->args;
    if (!t) return NULL;
    given = dfi_load_relaxed(&t->extra->given);
    while (!(given & bit)) { /* relaxed would do: the subtraction in dfi_node_given releases the value */
        if (!dfi_cas_acq_rel(&t->extra->given, &given, given | bit)) continue;
        if (DFI_UNLIKELY(DFI_GRAPH() != NULL))
            dfi_graph_input(DFI_GRAPH(), t->extra->graph, input, dfi_graph_body(dfi_me()));
        return t->task.args;
    }
    for (i = 0, p = t->extra->titles; i < input; i++) p = strchr(p, ' ') + 1;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(p, " "), p);
    dfi_error("%s: df_node_set gives %s of node %s (created at %s) a second time: no effect",
              site, title, t->extra->name, t->extra->site);
    return NULL;
}

DFI_API void dfi_node_given(struct dfi_task *node)
{
    struct dfi_flow *t = (struct dfi_flow *)(void *)node;
    struct dfi_worker *w = dfi_baton_on() ? dfi_me_attached() : dfi_me();
    if (dfi_taskgraph_is_open(node)) return;
    if (DFI_UNLIKELY(dfi_baton_on()) && w) dfi_baton_take(w);
    dfi_happened(w);
    if (DFI_UNLIKELY(dfi_watched())) dfi_watch_release(w, t);
    if (dfi_flow_unblock(t)) dfi_ready_any(dfi_me_attached(), t);
    if (DFI_UNLIKELY(dfi_baton_on()) && w) dfi_baton_outside(w);
}
DFI_EXTERN_C_END

#endif
