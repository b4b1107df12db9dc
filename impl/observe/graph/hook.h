/* hook.h - observer of the runtime for DF_GRAPH, its file and its module
 *
 * While a graph is recorded, every task is registered before it runs. Every task has extras, which hold its item, and
 * every scope with children has a table, which holds the item of the scope. So no other record needs a field for it. */
#ifndef DFI_OBSERVE_GRAPH_HOOK_H
#define DFI_OBSERVE_GRAPH_HOOK_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/module.h"
#include "../../work/probe.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../more/group.h"
#include "../../flow/extra.h"
#include "../../flow/order.h"
#include "../../flow/table.h"
#include "../../more/types.h"
#include "graph.h"
#include "../identity.h"
#include "write.h"
#include "../../more/points.h"
#include "../../api/config.h"
#include "../../api/submit_options.h"
#include "../../api/token.h"

DFI_SMALL_CODE_BEGIN

/* Room in the optional state of a task (flow/types.h). */
struct dfi_drawn { struct dfi_g_item *graph; }; /* the task in the drawing, or NULL */
DFI_ROOM(dfi_drawn, dfi_drawn_of, dfi_extra);

/* --- items of tasks and scopes ----------------------------------------------------------------------------------- */

/* Room in a table. */
struct dfi_scope_drawn { struct dfi_g_item *graph; }; /* the scope in the drawing, or NULL */
DFI_ROOM(dfi_scope_drawn, dfi_drawn_in, dfi_table);
static void dfi_graph_table_new(struct dfi_table *table) { dfi_drawn_in(table)->graph = NULL; }
#define dfi_up_table_new_by , dfi_graph_table_new

static struct dfi_g_item *dfi_graph_of_task(const struct dfi_flow *t)
{
    return t && t->task.mem.special == 1 ? dfi_drawn_of(t->extra)->graph : NULL;
}

/* Does s have a table, with a room? */
static int dfi_graph_has(const struct dfi_scope *s)
{
    return dfi_flow_of(s)->table && dfi_flow_of(s)->table != &dfi_table_closed;
}

/* The item of a scope of w, made for its first child; NULL: no memory. pre: the lock of the graph, as for the next */
static struct dfi_g_item *dfi_graph_scope(struct dfi_graph *g, struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_table *table = dfi_table_of(w, s);
    struct dfi_g_item *up;
    const struct dfi_scope *bottom;
    if (!table || table == &dfi_table_closed) return NULL;
    if (dfi_drawn_in(table)->graph) return dfi_drawn_in(table)->graph;
    if (s->kind == DFI_BODY) return dfi_drawn_in(table)->graph = dfi_graph_of_task(s->task);
    if (s->kind == DFI_BLOCK && !s->saved_task) up = dfi_graph_scope(g, w, s->outer);
    else {
        const struct dfi_flow *t = dfi_around(s, &bottom);
        up = t ? dfi_graph_of_task(t) : dfi_g_thread(g, bottom->owner);
    }
    if (s->kind == DFI_BOTTOM || !up) return dfi_drawn_in(table)->graph = up;
    if (s->kind == DFI_BLOCK) return dfi_drawn_in(table)->graph = dfi_g_item_new(g, up, DFI_G_BLOCK, NULL, s->site);
    return dfi_drawn_in(table)->graph = dfi_g_item_new(g, up, DFI_G_BLOCK, "spawned", NULL);
}

/* The task whose body the calling thread runs; NULL: none. w may be NULL. */
static struct dfi_g_item *dfi_graph_body(const struct dfi_worker *w)
{
    const struct dfi_scope *bottom;
    if (!w) return NULL;
    return dfi_graph_of_task(w->task ? w->task : dfi_around(w->scope, &bottom));
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static void dfi_graph_tokens(struct dfi_graph *g, struct dfi_g_item *i, df_token *const *k, int waits)
{
    for (; k && *k; k++) dfi_g_token(g, i, *k, waits, dfi_load_relaxed(&(*k)->dfi_need) <= 0);
}

/* Records t, a new child of the innermost scope of w, with accesses x. */
static void dfi_graph_submit(struct dfi_graph *g, struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x,
                             unsigned n)
{
    const struct df_opts *o = dfi_tasks_of(w)->opts;
    const struct dfi_scope *bottom;
    const struct dfi_flow *in = dfi_around(t->scope, &bottom);
    struct dfi_extra *e;
    struct dfi_g_item *i;
    unsigned k;
    if (t->type->modes & (DFI_INTERNAL | DFI_UNLISTED)) return;
    e = dfi_extra_of(w, t);
    i = dfi_g_task(g, dfi_graph_scope(g, w, t->scope), dfi_graph_of_task(in), in ? in->task.args : NULL, DFI_G_TASK,
                   o && o->name ? o->name : t->type->name, o ? dfi_tasks_of(w)->opts_site : NULL,
                   t->type->access_names, x, n);
    if (!e || !i) return;
    dfi_drawn_of(e)->graph = i;
    if (t->type->modes & DFI_SHARED) /* its accesses may share memory with those of others, as in the runtime */
        for (k = 0; k < n; k++) i->access[k].kind = dfi_kind(dfi_access_apart(x, n, k));
    if (o) dfi_graph_tokens(g, i, o->after, 1), dfi_graph_tokens(g, i, o->signals, 0);
    dfi_g_windows(g, i, dfi_windows_of(e)->first);
}

static DFI_COLD void dfi_graph_see(struct dfi_worker *w, unsigned p, const void *on, const void *other,
                                   uint64_t a)
{
    struct dfi_graph *g = DFI_GRAPH();
    struct dfi_flow *t = (struct dfi_flow *)(uintptr_t)on;
    df_token *token[2] = { (df_token *)(uintptr_t)on, NULL };
    const struct dfi_stream *stream = (const struct dfi_stream *)on;
    struct dfi_extra *e;
    if (!g) return;
    dfi_graph_lock();
    if (!dfi_g_on(g)) {
        dfi_graph_unlock();
        return;
    }
    if (p == DFI_AT_NEW) dfi_graph_submit(g, w, t, (const struct dfi_access *)other, (unsigned)a);
    else if (p == DFI_AT_NODE) {
        e = t->extra;
        dfi_drawn_of(e)->graph = dfi_g_task(g, dfi_graph_scope(g, w, t->scope), NULL, NULL, DFI_G_NODE, e->name,
                                            e->site, dfi_tokens_of(e)->inputs->names, NULL, 0);
    } else if (p == DFI_AT_INPUT) dfi_g_input(g, dfi_graph_of_task(t), (unsigned)a, dfi_graph_body(w));
    else if (p == DFI_AT_TOKEN) dfi_g_token_opens(g, on);
    else if (p == DFI_AT_SIGNAL) {
        if (dfi_graph_body(w)) dfi_graph_tokens(g, dfi_graph_body(w), token, 0);
    } else if (p == DFI_AT_STREAM) dfi_g_channel_new(g, stream, stream->site, stream->capacity);
    else if (p == DFI_AT_CHILDREN) {
        if (dfi_graph_has(w->scope)) dfi_g_waited(dfi_drawn_in(dfi_flow_of(w->scope)->table)->graph);
    } else g->incomplete = g->changed = 1; /* DFI_AT_LOST */
    dfi_graph_unlock();
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static long dfi_graph_depth(long given)
{
    if (given < 0) dfi_warn(DFI_MESSAGE_BAD_CONFIG, "graph_depth", given, "a number of levels from 1");
    if (given > 0) return given;
    return dfi_env_number("DF_GRAPH_DEPTH", 1, 100000000, 0, "a number of levels from 1");
}

static struct dfi_graph *dfi_graph_new(const char *name, const char *variable, long depth)
{
    static const struct dfi_report_kind kind = { "this process writes no graph", "there is no graph",
                                                 "the graph is incomplete" };
    struct dfi_graph *g;
    struct dfi_report out;
    if (dfi_report_open(&out, &kind, variable, name)) return NULL;
    if (!(g = (struct dfi_graph *)dfi_zeroed(sizeof *g))) {
        dfi_report_no_memory(&out, name);
        dfi_report_close(&out);
        return NULL;
    }
    g->out = out;
    g->depth = dfi_graph_depth(depth);
    g->on = g->changed = 1;
    return g;
}

static void dfi_graph_set(struct dfi_graph *g)
{
    dfi_store_relaxed(&dfi_graph_now, g);
    dfi_watch(dfi_observer_graph, g ? DFI_BIT(NEW) | DFI_BIT(CHILDREN) | DFI_BIT(TOKEN) | DFI_BIT(SIGNAL) |
                                      DFI_BIT(NODE) | DFI_BIT(INPUT) | DFI_BIT(STREAM) | DFI_BIT(LOST) : 0);
}

/* Ends recording. */
static void dfi_graph_forget(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    if (!g) return;
    dfi_graph_set(NULL);
    dfi_report_close(&g->out);
    dfi_g_free(&g->records);
    dfi_mfree(g);
}

/* Writes the graph so far. Threads: any, while others continue to record. */
static void dfi_graph_end(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    int r;
    if (!g) return;
    dfi_graph_lock();
    if (dfi_report_is_here(&g->out) && g->on && g->changed) {
        g->changed = 0;
        r = dfi_graph_write(g);
        if (r < 0 && !g->incomplete) { /* again, with a head that says so */
            g->incomplete = 1;
            r = dfi_graph_write(g);
        }
        g->on = r <= 0;
        if (r <= 0 && g->incomplete) dfi_report_no_memory(&g->out, g->out.file);
    }
    dfi_graph_unlock();
}

/* --- the module --------------------------------------------------------------------------------------------------- */

/* A record for the same file, or of a start by mere use of df, is kept. */
static void dfi_graph_begin(const df_config *c)
{
    const char *name = c ? c->graph : NULL, *variable = "df_config.graph";
    struct dfi_graph *g = DFI_GRAPH();
    struct dfi_named_file room;
    int i;
    if (!name) name = dfi_env("DF_GRAPH"), variable = "DF_GRAPH";
    name = dfi_file_named(name, &room);
    if (g && (!name || !strcmp(name, g->out.file))) return;
    dfi_graph_forget();
    for (i = 0; g && i < dfi_load_relaxed(&dfi_pool.n_slots); i++) { /* the only scopes are those of threads */
        struct dfi_worker *v = dfi_load_relaxed(&dfi_pool.slot[i]);
        if (v->scope && dfi_graph_has(v->scope)) dfi_drawn_in(dfi_flow_of(v->scope)->table)->graph = NULL;
    }
    if (!name || !*name) return;
    if (dfi_ends_in(name, ".dot") || dfi_ends_in(name, ".txt"))
        dfi_graph_set(dfi_graph_new(name, variable, c ? c->graph_depth : 0));
    else dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, "the name of a file that ends in .dot or .txt",
                 "no graph is written");
}
static void dfi_module_graph(const struct dfi_moment *m)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    switch (m->is) {
    case DFI_POOL_BEGINS: dfi_graph_begin(m->config); break;
    case DFI_THREAD_WAITED: dfi_graph_see(m->w, DFI_AT_CHILDREN, NULL, NULL, 0); break;
    case DFI_STOP_CALLED:
        if (m->w) dfi_graph_see(m->w, DFI_AT_CHILDREN, NULL, NULL, 0);
        dfi_graph_end();
        break;
    case DFI_STOP_AT_EXIT:
    case DFI_STOP_ABANDONED: dfi_graph_end(); break;
    case DFI_POOL_FORGETS: dfi_graph_forget(); break;
    case DFI_FORK_CHILD: dfi_graph_mutex = fresh; break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
