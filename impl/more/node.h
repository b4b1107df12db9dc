/* node.h - nodes: tasks that fire when they have all their inputs
 *
 * Missing inputs are counted like unfinished predecessors. Argument: docs/internals/waiting.md, "Tokens and nodes". */
#ifndef DFI_MORE_NODE_H
#define DFI_MORE_NODE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/core.h"
#include "../api/output.h"
#include "../api/task.h"
#include "../api/value.h"
#include "../work/director.h"
#include "../work/find.h"
#include "../work/probe.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "../flow/extra.h"
#include "../flow/task.h"
#include "../flow/types.h"
#include "taskgraph/list.h"
#include "points.h"
#include "token.h"
#include "types.h"

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_task *dfi_node_new(const struct dfi_type *type, const struct dfi_inputs *inputs, const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w && !dfi_dropped(w) ? dfi_scope_here(w) : NULL;
    struct dfi_flow *t = s ? dfi_flow_new(w, s, type) : NULL;
    struct dfi_extra *x = t ? dfi_extra_of(w, t) : NULL;
    dfi_no_graph(w, "df_node_new", site);
    if (DFI_UNLIKELY(type->modes & DFI_LIMIT))
        dfi_error("%s: df_limit of node %s has no effect, because nodes have no accesses; submit a task that has the "
                  "limit from the body of the node", site, type->name);
    /* Beyond the window the caller runs ready nodes; it never waits for one that is not ready. */
    if (s && s->open && s->submitted - s->done >= dfi_flow_pool.window && dfi_run_own(w, s->mark, NULL)) dfi_offer(w);
    if (!x) {
        dfi_at_lost(w);
        if (t) dfi_flow_free(w, t);
        return NULL;
    }
    x->name = type->name, x->site = site;
    dfi_tokens_of(x)->inputs = inputs;
    if (DFI_UNLIKELY(type->modes & DFI_HELD)) memset(t->task.args, 0, type->args_bytes); /* inputs not given */
    dfi_at_node(w, t);
    if (s->open) s->submitted++;
    else dfi_fetch_add_seq_cst(&s->pending, (intptr_t)1);
    dfi_at_submit(w, t, NULL, 0);
    dfi_store_relaxed(&t->wait, (intptr_t)(inputs->n ? inputs->n : 1));
    if (inputs->n) {
        dfi_hold_task(w, x);
        return &t->task;
    }
    dfi_node_given(&t->task);
    return NULL;
}

/* n may get inputs from outside of df at any time. */
DFI_API void *dfi_node_external(void *n)
{
    struct dfi_flow *t = (struct dfi_flow *)n;
    if (!t || dfi_taskgraph_is_open(&t->task)) return n;
    dfi_os_lock(&dfi_holds_of(dfi_tokens_of(t->extra)->held.by)->lock);
    dfi_tokens_of(t->extra)->external = 1;
    dfi_os_unlock(&dfi_holds_of(dfi_tokens_of(t->extra)->held.by)->lock);
    return n;
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
    given = dfi_load_relaxed(&dfi_tokens_of(t->extra)->given);
    while (!(given & bit)) { /* relaxed would do: the subtraction in dfi_node_given releases the value */
        if (!dfi_cas_acq_rel(&dfi_tokens_of(t->extra)->given, &given, given | bit)) continue;
        dfi_at_input(dfi_me(), t, (unsigned)input);
        return t->task.args;
    }
    for (i = 0, p = dfi_tokens_of(t->extra)->inputs->names; i < input; i++) p = strchr(p, ' ') + 1;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(p, " "), p);
    if (dfi_load_relaxed(&dfi_tokens_of(t->extra)->stuck))
        dfi_error("%s: input %s of node %s (created at %s) comes after the node was given up: no effect; use "
                  "df_node_new_external if inputs come from outside of df, or raise DF_PATIENCE", site, title,
                  t->extra->name, t->extra->site);
    else
        dfi_error("%s: input %s of node %s (created at %s) is given a second time: the first value stays; call "
                  "df_node_set or df_give once for each input", site, title, t->extra->name, t->extra->site);
    return NULL;
}

DFI_API void dfi_node_given(struct dfi_task *node)
{
    struct dfi_flow *t = (struct dfi_flow *)(void *)node;
    struct dfi_worker *w = dfi_turns() ? dfi_me_attached() : dfi_me();
    if (dfi_taskgraph_is_open(node)) return;
    if (w) dfi_turn_take(w);
    dfi_happened(w);
    dfi_at_release(w, t);
    if (dfi_flow_unblock(t)) dfi_ready_any(dfi_me_attached(), t);
    if (w) dfi_turn_outside(w);
}

/* An output is the address of the node's record, which begins a cache line, plus the number of the input. */
DFI_API void *dfi_node_output(struct dfi_task *node, int input) { return node ? (char *)node + input : NULL; }

static struct dfi_task *dfi_output_node(const volatile void *output)
{
    return (struct dfi_task *)((uintptr_t)output / DFI_LINE * DFI_LINE);
}

DFI_API void *dfi_give_begin(const volatile void *output, const char *site)
{
    struct dfi_task *node = dfi_output_node(output);
    int input = (int)((uintptr_t)output % DFI_LINE);
    char *args = (char *)dfi_node_input(node, input, site);
    return args ? args + dfi_tokens_of(((struct dfi_flow *)(void *)node)->extra)->inputs->at[input] : NULL;
}

DFI_API void dfi_give_end(const volatile void *output) { dfi_node_given(dfi_output_node(output)); }
DFI_EXTERN_C_END

/* Does the record of t stay when t is done? A node that was given up keeps it until the process ends, so that an input
 * that comes later does not reach another node in the same memory. */
static int dfi_node_stays(struct dfi_flow *t)
{
    if (DFI_LIKELY(!dfi_load_relaxed(&dfi_tokens_of(t->extra)->stuck))) return 0;
    dfi_flow_free_args(t);
    return 1;
}

#endif
