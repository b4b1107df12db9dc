/* file.h - file of DF_GRAPH: opened when df starts, written when df stops and at the end of the process */
#ifndef DFI_OBSERVE_GRAPH_FILE_H
#define DFI_OBSERVE_GRAPH_FILE_H

#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "dot.h"
#include "graph.h"

DFI_SMALL_CODE_BEGIN

#define DFI_MESSAGE_GRAPH_WRITE "%s=%s cannot be written: %s: there is no graph"
#define DFI_MESSAGE_GRAPH_MEMORY "%s=%s: out of memory: the graph is incomplete"

static int dfi_graph_rewind(struct dfi_graph *g) { return !g->standard && dfi_output_seek(&g->to, 0); }

static int dfi_graph_put(struct dfi_graph *g, const char *p, size_t n)
{
    return g->standard ? dfi_output_standard(p, n) : dfi_output_put(&g->to, p, n);
}

static void dfi_graph_close_file(struct dfi_graph *g)
{
    if (!g->standard) dfi_output_close(&g->to);
}

/* --- begin and end ------------------------------------------------------------------------------------------- */

static long dfi_graph_depth(long given)
{
    const char *text = dfi_env("DF_GRAPH_DEPTH"), *p = text;
    long v = 0;
    if (given < 0) dfi_warn(DFI_MESSAGE_BAD_CONFIG, "graph_depth", given, "a number of levels from 1");
    if (given > 0) return given;
    if (!text || !*text) return 0;
    while (*p >= '0' && *p <= '9' && v < 100000000) v = 10 * v + (*p++ - '0');
    if (!*p && v > 0) return v;
    dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_GRAPH_DEPTH", text, "a number of levels from 1");
    return 0;
}

static void dfi_graph_free(struct dfi_graph *g)
{
    while (g->chunks) {
        struct dfi_g_chunk *c = g->chunks;
        g->chunks = c->next;
        dfi_mfree(c);
    }
    dfi_mfree(g->file);
    dfi_mfree(g);
}

static struct dfi_graph *dfi_graph_new(const char *name, const char *variable, long depth)
{
    struct dfi_graph *g = (struct dfi_graph *)dfi_malloc(sizeof *g);
    char *file = (char *)dfi_malloc(strlen(name) + 1);
    const char *why;
    int r;
    if (!g || !file) {
        dfi_mfree(g), dfi_mfree(file);
        dfi_warn(DFI_MESSAGE_GRAPH_MEMORY, variable, name);
        return NULL;
    }
    memset((void *)g, 0, sizeof *g);
    g->file = strcpy(file, name), g->variable = variable;
    g->process = dfi_process();
    g->depth = dfi_graph_depth(depth);
    g->on = g->changed = 1;
    g->standard = !strcmp(name, "-.txt") || !strcmp(name, "-.dot");
    r = g->standard ? 0 : dfi_output_open(&g->to, name, &why);
    if (!r) return g;
    if (r > 0) dfi_warn("%s=%s: another program has this file: the graph of this one is not written; give it "
                        "another name", variable, name);
    else dfi_warn(DFI_MESSAGE_GRAPH_WRITE, variable, name, why);
    dfi_graph_free(g);
    return NULL;
}

static char dfi_graph_module;

/* Ends recording. */
static void dfi_graph_forget(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    if (!g) return;
    DFI_GRAPH_SET(NULL);
    dfi_graph_close_file(g);
    dfi_graph_free(g);
}

/* df starts. name: of df_config.graph, or NULL: of the environment. A record for the same file, or
 * of a start by mere use of df, is kept. Nonzero: an earlier graph is gone. pre: no other thread
 * uses df, or is in this function */
static int dfi_graph_open(const char *name, int depth)
{
    const char *variable = "df_config.graph";
    struct dfi_graph *g = DFI_GRAPH();
    int gone = g != NULL;
    if (!name) name = dfi_env("DF_GRAPH"), variable = "DF_GRAPH";
    if (g && (!name || !strcmp(name, g->file) || g->process != dfi_process())) return 0;
    dfi_graph_forget();
    if (!name || !*name) return gone;
    if (!dfi_ends_in(name, ".dot") && !dfi_ends_in(name, ".txt")) {
        dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, "the name of a file that ends in .dot or .txt");
        return gone;
    }
    if ((g = dfi_graph_new(name, variable, depth)) != NULL) g->module = &dfi_graph_module;
    DFI_GRAPH_SET(g);
    return gone;
}

/* Writes the graph so far. Threads: any, while others continue to record. */
static void dfi_graph_end(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    int r, dot;
    if (!g) return;
    dfi_graph_lock();
    if (g->process == dfi_process() && !g->broken && g->changed) {
        dot = dfi_ends_in(g->file, ".dot");
        g->changed = 0;
        errno = 0;
        r = dfi_graph_rewind(g) ? 1 : dfi_graph_write(g, dfi_graph_put, dot);
        if (r < 0 && !g->incomplete) { /* again, with a head that says so */
            g->incomplete = 1;
            r = dfi_graph_rewind(g) ? 1 : dfi_graph_write(g, dfi_graph_put, dot);
        }
        if (r > 0) {
            dfi_warn(DFI_MESSAGE_GRAPH_WRITE, g->variable, g->file, strerror(errno));
            g->on = 0, g->broken = 1;
        } else if (g->incomplete) dfi_warn(DFI_MESSAGE_GRAPH_MEMORY, g->variable, g->file);
    }
    dfi_graph_unlock();
}

DFI_SMALL_CODE_END

#endif
