/* hook.h - probes of DF_GRAPH: tasks, scopes and waits reported by the runtime
 *
 * While a graph is recorded, every task is registered before it runs. Every task has extras, which
 * hold its item, and every scope with children has a table, which holds the item of the scope. So no
 * other record needs a field for it. */
#ifndef DFI_OBSERVE_GRAPH_HOOK_H
#define DFI_OBSERVE_GRAPH_HOOK_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../os/os.h"
#include "../../os/threads.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/extra.h"
#include "../../flow/table.h"
#include "../events.h"
#include "file.h"
#include "graph.h"
#include "../../api/public.h"

DFI_SMALL_CODE_BEGIN

static struct dfi_g_item *dfi_graph_of_task(const struct dfi_flow *t)
{
    return t && t->task.mem.special == 1 ? t->extra->graph : NULL;
}

/* Records the time of t's body, without nested ones. */
static DFI_COLD void dfi_graph_ran(const struct dfi_flow *t, uint64_t ticks)
{
    struct dfi_g_item *i = dfi_graph_of_task(t);
    struct dfi_graph *g = DFI_GRAPH();
    uint64_t all = dfi_ticks() - dfi_events.ticks;
    if (!i) return;
    dfi_graph_lock();
    i->took = ticks ? ticks : 1;
    g->ns_per_tick = (double)(dfi_os_ns() - dfi_events.ns) / (double)(all ? all : 1);
    g->changed = 1;
    dfi_graph_unlock();
}

/* The task in whose body s is, directly or in nested scopes; NULL: none, and *bottom is the scope of
 * the thread. Threads: any that keeps s alive, because the fields read here are constant. */
static const struct dfi_flow *dfi_graph_around(const struct dfi_scope *s, const struct dfi_scope **bottom)
{
    for (;; s = dfi_load_relaxed(&s->parent)) {
        *bottom = s;
        if (s->kind == DFI_BODY) return s->task;
        if (s->kind == DFI_BLOCK && s->saved_task) return s->saved_task;
        if (s->kind == DFI_BOTTOM) return NULL;
    }
}

/* The item of a scope of w, made for its first child; NULL: no memory. */
static struct dfi_g_item *dfi_graph_scope(struct dfi_graph *g, struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_g_item *i = NULL, *up;
    const struct dfi_scope *bottom;
    if (s->table == &dfi_table_closed || (!s->table && !(s->table = dfi_table_new(w)))) return NULL;
    if (s->table->graph) return s->table->graph;
    if (s->kind == DFI_BODY) i = dfi_graph_of_task(s->task);
    else if (s->kind == DFI_BLOCK) {
        up = s->saved_task ? dfi_graph_of_task(s->saved_task) : dfi_graph_scope(g, w, s->outer);
        i = dfi_graph_block(g, up, NULL, s->site);
    } else {
        up = dfi_graph_of_task(dfi_graph_around(s, &bottom));
        if (!up) {
            dfi_graph_lock();
            up = dfi_g_thread(g, bottom->owner);
            dfi_graph_unlock();
        }
        i = s->kind == DFI_BOTTOM ? up : dfi_graph_block(g, up, "spawned", NULL);
    }
    return s->table->graph = i;
}

/* The task whose body the calling thread runs; NULL: none. w may be NULL. */
static struct dfi_g_item *dfi_graph_body(const struct dfi_worker *w)
{
    const struct dfi_scope *bottom;
    if (!w) return NULL;
    return dfi_graph_of_task(w->task ? w->task : dfi_graph_around(w->scope, &bottom));
}

static void dfi_graph_uses_token(struct dfi_graph *g, struct dfi_g_item *i, const df_token *t, int kind)
{
    dfi_graph_token(g, i, t, kind, dfi_load_relaxed(&t->dfi_need) <= 0);
}

/* Records t, a new child of the innermost scope of w, with accesses x. */
static DFI_COLD void dfi_graph_submit(struct dfi_graph *g, struct dfi_worker *w, struct dfi_flow *t,
                                      const struct dfi_access *x, unsigned n)
{
    const struct df_opts *o = w->opts;
    const char *site = o ? w->opts_site : NULL;
    df_token *const *k;
    const struct dfi_scope *bottom;
    const struct dfi_flow *in;
    struct dfi_extra *e;
    struct dfi_g_item *i;
    if (t->type->modes & (DFI_INTERNAL | DFI_UNLISTED)) return;
    e = dfi_extra_of(w, t);
    in = dfi_graph_around(t->scope, &bottom);
    i = dfi_graph_task(g, dfi_graph_scope(g, w, t->scope), dfi_graph_of_task(in), in ? in->task.args : NULL, DFI_G_TASK,
                       o && o->name ? o->name : t->type->name, site, t->type->labels, x, n);
    if (!e) return;
    e->graph = i;
    for (k = o ? o->after : NULL; k && *k; k++) dfi_graph_uses_token(g, i, *k, DFI_G_AFTER);
    for (k = o ? o->signals : NULL; k && *k; k++) dfi_graph_uses_token(g, i, *k, DFI_G_SIGNALS);
    if (e->windows) dfi_graph_windows(g, i, e->windows);
}

/* Records t, a node. pre: it has complete extras */
static DFI_COLD void dfi_graph_node(struct dfi_graph *g, struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *e = t->extra;
    e->graph = dfi_graph_task(g, dfi_graph_scope(g, w, t->scope), NULL, NULL, DFI_G_NODE, e->name, e->site, e->titles,
                              NULL, 0);
}

static DFI_COLD void dfi_graph_signal(struct dfi_graph *g, const struct dfi_worker *w, const df_token *t)
{
    struct dfi_g_item *i = dfi_graph_body(w);
    if (i) dfi_graph_uses_token(g, i, t, DFI_G_SIGNALS);
}

/* Records that the caller has waited for all children of w's innermost scope. */
static DFI_COLD void dfi_graph_wait(struct dfi_worker *w)
{
    if (w->scope->table) dfi_graph_waited(w->scope->table->graph);
}

/* df starts. pre: as for dfi_graph_open */
static void dfi_graph_begin(const char *name, int depth)
{
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    if (!dfi_graph_open(name, depth)) return;
    for (i = 0; i < n; i++) { /* the scopes of threads, the only ones, forget the graph that is gone */
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (v->scope && v->scope->table && v->scope->table->graph) v->scope->table->graph = NULL;
    }
}

/* df_stop. w: the caller's worker, or NULL. */
static DFI_COLD void dfi_graph_stop(struct dfi_worker *w)
{
    if (w) dfi_graph_wait(w);
    dfi_graph_end();
}

DFI_SMALL_CODE_END

#endif
