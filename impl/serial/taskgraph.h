/* taskgraph.h - task graphs under DF_SERIAL: a run submits the tasks again, in their order */
#ifndef DFI_SERIAL_TASKGRAPH_H
#define DFI_SERIAL_TASKGRAPH_H

#include "../api/access.h"
#include "../api/serial.h"
#include "../api/taskgraph.h"
#include "../more/taskgraph/list.h"
#include "impl.h"
#include "../api/public.h"

static void dfi_plan_free(struct dfi_plan *p) { (void)p; } /* there are none */

static struct df_taskgraph *dfi_taskgraph_here(void)
{
    struct dfi_scope *s = dfi_scope_of(dfi_frame_here());
    return s->frame.is_scope ? s->taskgraph : NULL;
}

static int dfi_taskgraph_begin(struct dfi_taskgraph_block *r)
{
    if (!r->around.frame) return -1;
    dfi_scope_of(r->around.frame)->taskgraph = r->graph;
    return 0;
}

static void dfi_taskgraph_end(struct dfi_taskgraph_block *r)
{
    struct dfi_frame *m = r->around.frame;
    if (!m) return;
    r->graph->locals = m->locals;
    m->locals = NULL;
    dfi_scope_of(m)->taskgraph = NULL;
}

static void dfi_taskgraph_run_here(struct df_taskgraph *g)
{
    struct dfi_access x[DFI_PARAMETERS];
    size_t i;
    for (i = 0; i < g->list.n; i++) {
        const struct dfi_captured *c = &g->list.task[i];
        if (c->n) memcpy((void *)x, (const void *)(g->list.x + c->x), c->n * sizeof *x);
        if (c->kind == DFI_C_WAIT) (df_wait)();
        else dfi_serial_with(c->opts ? &c->opts->opts : NULL, c->opts ? c->opts->site : NULL, c->type, g->list.args + c->args, x, c->n);
    }
}

#endif
