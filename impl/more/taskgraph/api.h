/* api.h - creation, change and destruction of task graphs; begin and end of recording; runs */
#ifndef DFI_MORE_TASKGRAPH_API_H
#define DFI_MORE_TASKGRAPH_API_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/result.h"
#include "../../api/task.h"
#include "../../api/taskgraph.h"
#include "list.h"
#include "../../api/error.h"
#include "../../api/submit_options.h"
#include "../../api/wait.h"
#include "../../api/core.h"
#include "../../flow/scope.h"
#include "record.h"
#include "here.h"

DFI_SMALL_CODE_BEGIN

DFI_EXTERN_C_BEGIN
DFI_API struct df_taskgraph *dfi_taskgraph_new(const char *site)
{
    struct df_taskgraph *g = (struct df_taskgraph *)dfi_malloc(sizeof *g);
    if (!g) {
        dfi_warn("%s: df_taskgraph_new: out of memory: it returns NULL", site);
        return NULL;
    }
    memset((void *)g, 0, sizeof *g);
    g->site = site;
    return g;
}

DFI_API void dfi_taskgraph_free(struct df_taskgraph *g, const char *site)
{
    if (!g || (!dfi_taskgraph_move(g, DFI_TASKGRAPH_NEW, DFI_TASKGRAPH_RUNNING) &&
               !dfi_taskgraph_take(g, "df_taskgraph_free", site))) return;
    dfi_mfree((void *)g->plan);
    dfi_sequence_free(&g->list);
    while (g->locals) {
        struct dfi_local *l = g->locals;
        g->locals = l->next;
        dfi_mfree(l);
    }
    dfi_mfree((void *)g->of_type);
    dfi_mfree((void *)g);
}

DFI_API struct dfi_taskgraph_block dfi_taskgraph_enter(struct df_taskgraph *g, const char *site)
{
    struct dfi_taskgraph_block r;
    dfi_no_graph(dfi_me(), "DF_TASKGRAPH", site); /* an enclosing block */
    r.around = dfi_scope_enter(site);
    r.graph = NULL;
    if (!g) dfi_error(DFI_MESSAGE_TASKGRAPH_NULL, site, "DF_TASKGRAPH", "its tasks run, but are not recorded");
    else if (dfi_taskgraph_move(g, DFI_TASKGRAPH_NEW, DFI_TASKGRAPH_RECORDING)) {
        r.graph = g;
        g->site = site;
        if (dfi_taskgraph_begin(&r)) dfi_taskgraph_fails(g);
    } else dfi_error("%s: DF_TASKGRAPH of a graph that was recorded at %s already: its tasks run, and the graph stays "
                     "as it is; record each graph once", site, g->site);
    return r;
}

DFI_API void dfi_taskgraph_leave(struct dfi_taskgraph_block *r)
{
    if (!r->around.open) return;
    if (r->graph) dfi_taskgraph_end(r);
    dfi_scope_leave(&r->around);
    if (r->graph) (void)dfi_taskgraph_move(r->graph, DFI_TASKGRAPH_RECORDING, DFI_TASKGRAPH_READY);
}

DFI_API df_result dfi_taskgraph_run(struct df_taskgraph *g, const char *site)
{
    struct dfi_parallel_block b;
    struct dfi_local *l;
    df_result r;
    dfi_no_graph(dfi_me(), "df_taskgraph_run", site);
    if (!dfi_taskgraph_take(g, "df_taskgraph_run", site)) return g ? DF_ERROR_TASKGRAPH : DF_ERROR_MEMORY;
    if (g->cannot)
        dfi_error("%s: df_taskgraph_run: the block recorded at %s contains %s (%s), which cannot be recorded: nothing "
                  "runs; submit the tasks again instead, or move it out of the block",
                  site, g->site, g->cannot, g->cannot_site);
    r = g->cannot ? DF_ERROR_TASKGRAPH : g->failed ? DF_ERROR_MEMORY : DF_OK;
    if (!r) {
        for (l = g->locals; l; l = l->next) memset((void *)(l + 1), 0, l->bytes);
        b = dfi_scope_enter(site);
        dfi_taskgraph_execute(g);
        r = df_wait_result();
        dfi_scope_leave(&b);
    }
    dfi_taskgraph_give_back(g);
    return r;
}

DFI_API long dfi_taskgraph_count(struct df_taskgraph *g, const struct dfi_type *type, const char *site)
{
    size_t n = 0;
    if (!dfi_taskgraph_take(g, "df_taskgraph_count", site)) return 0;
    if (dfi_taskgraph_index(g)) dfi_warn("%s: df_taskgraph_count: out of memory: it returns 0", site);
    else dfi_taskgraph_find(g, type, &n);
    dfi_taskgraph_give_back(g);
    return (long)n;
}

DFI_API struct dfi_task *dfi_taskgraph_open(struct df_taskgraph *g, const struct dfi_type *type, long k,
                                            const char *site)
{
    struct dfi_captured **v = NULL;
    size_t n = 0;
    dfi_taskgraph_open_task.graph = NULL;
    dfi_taskgraph_open_task.task.args = NULL;
    if (!dfi_taskgraph_take(g, "df_taskgraph_set", site)) return &dfi_taskgraph_open_task.task;
    if (dfi_taskgraph_index(g)) dfi_warn("%s: df_taskgraph_set: out of memory: no effect", site);
    else v = dfi_taskgraph_find(g, type, &n);
    if (v && k >= 0 && (size_t)k < n) {
        dfi_taskgraph_open_task.graph = g;
        dfi_taskgraph_open_task.of = v[k];
        dfi_taskgraph_open_task.task.args = g->list.args + v[k]->args;
    } else {
        if (v) dfi_error("%s: df_taskgraph_set has no effect, because the graph of %s has no task %s with number %ld "
                         "(tasks of this name: %ld, numbered from 0)", site, g->site, type->name, k, (long)n);
        dfi_taskgraph_give_back(g);
    }
    return &dfi_taskgraph_open_task.task;
}

DFI_API void dfi_taskgraph_close(unsigned (*accesses)(const void *args, struct dfi_access *x))
{
    struct df_taskgraph *g = dfi_taskgraph_open_task.graph;
    struct dfi_access *x, *old;
    const struct dfi_captured *c = dfi_taskgraph_open_task.of;
    unsigned i, n;
    if (!g) return;
    old = g->list.x + c->x, x = dfi_sequence_spare(&g->list, c);
    n = accesses(g->list.args + c->args, x); /* as many as before, because it is the same task */
    for (i = 0; i < n; i++) {
        if (x[i].p == old[i].p && x[i].row == old[i].row && x[i].rows == old[i].rows && x[i].ld == old[i].ld) continue;
        old[i].p = x[i].p, old[i].row = x[i].row, old[i].rows = x[i].rows, old[i].ld = x[i].ld;
        dfi_mfree((void *)g->plan);
        g->plan = NULL, g->planless = 0;
    }
    dfi_taskgraph_open_task.graph = NULL;
    dfi_taskgraph_open_task.task.args = NULL;
    dfi_taskgraph_give_back(g);
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
