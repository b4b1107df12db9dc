/* graph.h - data regions in the graph of DF_GRAPH: their inputs at entry, their outputs at exit */
#ifndef DFI_GPU_GRAPH_H
#define DFI_GPU_GRAPH_H

#include "../base/compiler.h"
#include "../base/parts.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../../df_gpu.h"
#include "../observe/graph/graph.h"
#include "../work/worker.h"
#include "../work/types.h"
#if DFI_WITH_OBSERVERS
#include "../observe/graph/hook.h"
#endif

/* The item of the scope of the code that runs; NULL: nothing is recorded. */
static struct dfi_g_item *dfi_graph_here(struct dfi_graph *g)
{
#if DFI_WITH_OBSERVERS
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w && g ? dfi_scope_here(w) : NULL;
    struct dfi_g_item *i;
    if (!s) return NULL;
    dfi_graph_lock();
    i = dfi_g_on(g) ? dfi_graph_scope(g, w, s) : NULL;
    dfi_graph_unlock();
    return i;
#else
    return (void)g, (struct dfi_g_item *)NULL;
#endif
}

/* A region begins (DFI_DATA_IN), with its data written by earlier tasks, or ends (DFI_DATA_OUT), with its results
 * read by later ones. In the graph that is an item if there is such data. */
static DFI_COLD void dfi_graph_data(struct dfi_graph *g, const struct df_data *data, int how, const char *name,
                                    const char *site)
{
    struct dfi_g_item *up = dfi_graph_here(g);
    const struct df_data *d;
    const char *p;
    size_t bytes = 1, all = 0;
    unsigned n = 0;
    char *room, *access_names = NULL, *q;
    struct dfi_access *x = NULL;
    if (!up) return;
    for (d = data; d->how; d++) all++, bytes += strlen(d->name) + 1;
    room = (char *)dfi_malloc(all * sizeof *x + bytes);
    if (room) {
        x = (struct dfi_access *)(void *)room;
        access_names = q = room + all * sizeof *x;
        for (d = data; d->how; d++) {
            if (!(d->how & how)) continue;
            dfi_access_array(&x[n++], how == DFI_DATA_IN ? DFI_OUT : DFI_IN, DFI_NO_ARG, d->p, d->bytes);
            for (p = d->name; *p; p++)
                if (*p != ' ') *q++ = *p;
            *q++ = ' ';
        }
        *q = 0;
    }
    dfi_graph_lock();
    if (n) dfi_g_task(g, up, NULL, NULL, how == DFI_DATA_IN ? DFI_G_ENTRY : DFI_G_EXIT, name, site, access_names, x, n);
    if (!room) g->incomplete = g->changed = 1;
    dfi_graph_unlock();
    dfi_mfree(room);
}

/* The block that a region is gets its name before its first child. */
static DFI_COLD void dfi_graph_region(struct dfi_graph *g, const struct df_data *data)
{
    struct dfi_g_item *i = dfi_graph_here(g);
    if (!i) return;
    dfi_graph_lock();
    i->name = dfi_g_copy(g, "DF_DATA_REGION");
    dfi_graph_unlock();
    dfi_graph_data(g, data, DFI_DATA_IN, "entry", NULL);
}

static DFI_COLD void dfi_graph_async(struct dfi_graph *g, const struct df_data *data, int how, int index,
                                     const char *site)
{
    char name[40];
    snprintf(name, sizeof name, "%s of region %d", how == DFI_DATA_IN ? "entry" : "exit", index);
    dfi_graph_data(g, data, how, name, site);
}

#endif
