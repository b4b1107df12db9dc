/* graph.h - data regions in the graph of DF_GRAPH: their inputs at entry, their outputs at exit */
#ifndef DFI_GPU_GRAPH_H
#define DFI_GPU_GRAPH_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/serial.h"
#include "../api/task.h"
#include "../../df_gpu.h"
#include "../observe/graph/graph.h"
#include "../observe/graph/order.h"
#if defined(DF_SERIAL)
#include "../serial/graph.h"
#include "../serial/impl.h"
#else
#include "../work/worker.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../observe/graph/hook.h"
#endif

/* The item of the scope of the code that runs; NULL: nothing is recorded. */
static struct dfi_g_item *dfi_graph_here(struct dfi_graph *g)
{
#if defined(DF_SERIAL)
    struct dfi_frame *m = dfi_frame_here();
    return g && dfi_graph_mine && m->is_scope ? dfi_graph_scope(g, dfi_scope_of(m)) : NULL;
#else
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w && g ? dfi_scope_here(w) : NULL;
    return s ? dfi_graph_scope(g, w, s) : NULL;
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
    char *room;
    if (!up) return;
    for (d = data; d->how; d++) all++, bytes += strlen(d->name) + 1;
    room = (char *)dfi_g_array(all * sizeof(struct dfi_access) + bytes, 1);
    if (room) {
        struct dfi_access *x = (struct dfi_access *)(void *)room;
        char *labels = room + all * sizeof *x, *q = labels;
        for (d = data; d->how; d++) {
            if (!(d->how & how)) continue;
            dfi_access_array(&x[n++], how == DFI_DATA_IN ? DFI_OUT : DFI_IN, DFI_NO_ARG, d->p, d->bytes);
            for (p = d->name; *p; p++)
                if (*p != ' ') *q++ = *p;
            *q++ = ' ';
        }
        if (n) dfi_graph_task(g, up, NULL, NULL, how == DFI_DATA_IN ? DFI_G_ENTRY : DFI_G_EXIT, name, site, labels,
                              x, n);
        dfi_mfree(room);
    } else dfi_graph_task(g, NULL, NULL, NULL, DFI_G_ENTRY, name, site, NULL, NULL, 0); /* one that is missing */
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
