/* graph.h - the same for DF_SERIAL builds
 *
 * While a graph is recorded every df_submit goes the way of tasks that may have to wait (dfi_serial_with), which knows all
 * that is recorded. Only the thread that uses df first is. */
#ifndef DFI_SERIAL_GRAPH_H
#define DFI_SERIAL_GRAPH_H

#include "../base/compiler.h"
#include "../api/access.h"
#include "../api/serial.h"
#include "../observe/graph/file.h"
#include "../observe/graph/graph.h"
#include "impl.h"
#include "../api/public.h"

static DFI_TLS int dfi_graph_mine; /* the calling thread is recorded */

/* The calling thread is, if there is a graph and no other one was before. */
static void dfi_graph_take(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    if (g && g->taken) return;
    dfi_serial_bottom.graph = NULL; /* an item of a graph before */
    if (!g) return;
    g->taken = 1;
    dfi_serial_particular += !dfi_graph_mine;
    dfi_graph_mine = 1;
}

/* The calling thread uses df for the first time. */
static void dfi_graph_first(void)
{
    if (!DFI_GRAPH()) dfi_graph_open(NULL, 0);
    dfi_graph_take();
}

static struct dfi_g_item *dfi_graph_scope(struct dfi_graph *g, struct dfi_scope *s)
{
    struct dfi_frame *m;
    if (s->graph) return s->graph;
    if (s == &dfi_serial_bottom) s->graph = dfi_g_thread(g, s);
    else if (!s->task) {
        for (m = s->frame.outer; !m->is_scope;) m = m->outer;
        s->graph = dfi_graph_block(g, dfi_graph_scope(g, dfi_scope_of(m)), NULL, s->site);
    }
    return s->graph;
}

static void dfi_graph_submit(struct dfi_held *h, int kind, const char *titles, const struct dfi_access *x, unsigned n)
{
    struct dfi_graph *g = DFI_GRAPH();
    struct dfi_g_item *i;
    df_token **k;
    if (!dfi_graph_mine || !g) return;
    i = h->scope.graph = dfi_graph_task(g, dfi_graph_scope(g, dfi_scope_of(h->scope.frame.outer)), NULL, NULL, kind, h->name, h->site, titles, x, n);
    for (k = h->after; *k; k++) dfi_graph_token(g, i, *k, DFI_G_AFTER, dfi_token_is_open(*k));
    for (k = h->signals; *k; k++) dfi_graph_token(g, i, *k, DFI_G_SIGNALS, dfi_token_is_open(*k));
    if (h->windows) dfi_graph_windows(g, i, h->windows);
}

/* The task whose body runs; NULL: none. */
static struct dfi_g_item *dfi_graph_body(void)
{
    const struct dfi_frame *m;
    for (m = dfi_serial_top; m; m = m->outer)
        if (m->is_task) return m->is_scope ? ((const struct dfi_scope *)(const void *)m)->graph : NULL;
    return NULL;
}

/* The code that runs has waited for all its children. */
static void dfi_graph_wait(void)
{
    if (dfi_graph_mine && dfi_serial_top && dfi_serial_top->is_scope) dfi_graph_waited(dfi_scope_of(dfi_serial_top)->graph);
}

#if DFI_GNU && !defined(__TINYC__)
static __attribute__((destructor)) void dfi_graph_unload(void)
{
    if (!DFI_GRAPH() || DFI_GRAPH()->module != &dfi_graph_module) return;
    dfi_graph_end();
    dfi_graph_forget();
}
#define DFI_GRAPH_AT_EXIT() ((void)0)
#else
#define DFI_GRAPH_AT_EXIT() ((void)atexit(dfi_graph_end))
#endif

#endif
