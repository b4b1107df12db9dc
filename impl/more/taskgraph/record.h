/* record.h - recording of task graphs: begin and end of a recorded scope, its submissions and waits */
#ifndef DFI_MORE_TASKGRAPH_RECORD_H
#define DFI_MORE_TASKGRAPH_RECORD_H

#include "../../base/compiler.h"
#include "../../api/access.h"
#include "../../api/stream.h"
#include "../../api/task.h"
#include "../../api/taskgraph.h"
#include "../../work/types.h"
#include "../../work/worker.h"
#include "../../flow/moments.h"
#include "../../flow/scope.h"
#include "../../flow/table.h"
#include "../../flow/types.h"
#include "../types.h"
#include "list.h"

DFI_SMALL_CODE_BEGIN

/* The code of s has ended. */
static DFI_NOINLINE void dfi_taskgraph_left(struct dfi_scope *s)
{
    struct df_taskgraph *g = dfi_taskgraph_in(s);
    if (!g) return; /* DF_TASKGRAPH has ended it */
    dfi_taskgraph_refuses(g, "a jump out of it by longjmp", g->site);
    (void)dfi_taskgraph_move(g, DFI_TASKGRAPH_RECORDING, DFI_TASKGRAPH_READY);
    dfi_recorded_set(s, NULL);
}

static int dfi_taskgraph_begin(struct dfi_taskgraph_block *r)
{
    struct dfi_scope *s = r->around.scope;
    struct dfi_worker *w = dfi_me();
    if (!w || !s || r->around.borrowed || dfi_flow_of(s)->table == &dfi_table_closed) return -1;
    /* a table, so that nothing runs immediately */
    if (!dfi_flow_of(s)->table && !(dfi_flow_of(s)->table = dfi_table_new(w))) return -1;
    if (s->asks & DFI_ASKS_TENTATIVE)
        dfi_taskgraph_refuses(r->graph, "a df_speculate around it whose condition was not as guessed", r->graph->site);
    dfi_recorded_set(s, r->graph);
    dfi_flow_of(s)->room_used = DFI_SCOPE_ROOM; /* df_local uses memory that can be kept */
    return 0;
}

static void dfi_taskgraph_end(struct dfi_taskgraph_block *r)
{
    struct dfi_scope *s = r->around.scope;
    if (!s || !dfi_taskgraph_in(s)) return;
    r->graph->locals = dfi_flow_of(s)->locals;
    dfi_flow_of(s)->locals = NULL;
    dfi_recorded_set(s, NULL);
}

/* The code that w runs uses a construct that a graph cannot contain. */
static void dfi_taskgraph_refuse_here(struct dfi_worker *w, const char *what, const char *site)
{
    struct df_taskgraph *g = w->task ? NULL : dfi_taskgraph_in(w->scope);
    if (g) dfi_taskgraph_refuses(g, what, site);
}
#define dfi_up_cannot_by , dfi_taskgraph_refuse_here

/* Records a child of a recorded scope, with arguments and accesses as submitted. */
static DFI_NOINLINE void dfi_taskgraph_submit(struct dfi_worker *w, const struct dfi_flow *t,
                                              const struct dfi_access *x, unsigned n)
{
    struct df_taskgraph *g = dfi_taskgraph_in(t->scope);
    const struct dfi_flow_worker *f = dfi_tasks_of(w);
    unsigned modes = t->type->modes;
    if (modes & DFI_WINDOWED) return; /* dfi_stream_submit has reported it */
    if (modes & DFI_UNLISTED) dfi_taskgraph_refuses(g, t->type->name, f->opts ? f->opts_site : "df_gpu.h");
    else if (!(modes & DFI_INTERNAL)) dfi_taskgraph_task(g, t->type, t->task.args, x, n, f->opts, f->opts_site);
    else if (!dfi_sequence_add(&g->list, DFI_C_WAIT_ON, t->type, NULL, x, n)) dfi_taskgraph_fails(g);
}

DFI_SMALL_CODE_END

#endif
