/* scopes.h - what features do at the moments in the life of a scope, of its blocks and of its table (flow/moments.h) */
#ifndef DFI_MORE_SCOPES_H
#define DFI_MORE_SCOPES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../flow/moments.h"
#include "../flow/types.h"
#include "arena.h"
#include "devices.h"
#include "error.h"
#include "group.h"
#include "poison.h"
#include "ranks.h"
#include "rename.h"
#include "speculate/block.h"
#include "taskgraph/list.h"
#include "taskgraph/record.h"
#include "types.h"
#include "weak.h"

/* --- entries of a table ----------------------------------------------------------------------------------- */

static void dfi_parts_entry_new(struct dfi_entry *n)
{
    (void)n;
    dfi_group_of(n)->open = NULL;
    dfi_versions_of(n)->now = dfi_versions_of(n)->all = NULL;
    if (!DFI_ALONE) dfi_listed_of(n)->listed = dfi_listed_of(n)->saved = 0;
}
#define dfi_up_entry_new_by , dfi_parts_entry_new

static void dfi_parts_entry_free(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    (void)w, (void)s, (void)n;
    if (!DFI_ALONE && s && dfi_versions_of(n)->all) dfi_versions_keep(s, n); /* tasks of s may still use them */
    if (dfi_group_of(n)->open) dfi_group_close(w, dfi_group_of(n)->open);
}
#define dfi_up_entry_free_by , dfi_parts_entry_free

/* Closes reductions, and moves renamed values back to their original memory. */
static DFI_NOINLINE void dfi_parts_write_back_all(struct dfi_worker *w, struct dfi_scope *s, struct dfi_table *table)
{
    struct dfi_entry *n;
    (void)w, (void)s;
    for (n = table->all; n; n = n->all) {
        if (dfi_group_of(n)->open && dfi_group_of(n)->open->combine) dfi_entry_close_group(w, table, n);
        if (!DFI_ALONE && dfi_versions_of(n)->now) dfi_version_return(w, s, n);
    }
}

/* The owner of s is about to wait for it, or to leave it. */
static void dfi_parts_write_back(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_table *table = dfi_flow_of(s)->table;
    if (DFI_UNLIKELY(table && table->unsettled)) dfi_parts_write_back_all(w, s, table);
}
#define dfi_up_scope_waits_by , dfi_parts_write_back

/* --- scopes ----------------------------------------------------------------------------------------------- */

static void dfi_parts_scope_new(struct dfi_scope *s)
{
    struct dfi_scope_errors *e = dfi_errors_in(s);
    e->group = NULL;
    dfi_store_relaxed(&e->cancelled, 0);
    dfi_store_relaxed(&e->over, DFI_F_DONE);
    e->told = 0;
    dfi_store_relaxed(&e->error, NULL);
    dfi_store_relaxed(&e->poisoned, NULL);
    dfi_gated_in(s)->task = NULL;
    dfi_recorded_in(s)->by = NULL;
#if !defined(DF_SERIAL)
    dfi_store_relaxed(&dfi_arena_in(s)->crew, NULL);
#endif
    dfi_store_relaxed(&dfi_launches_in(s)->since, 0);
}
#define dfi_up_flow_scope_new_by , dfi_parts_scope_new

static void dfi_parts_body_begin(struct dfi_worker *w, struct dfi_scope *s, struct dfi_flow *t)
{
    dfi_errors_in(s)->group = dfi_cancel_of(t->extra)->group;
    if (t->parts) dfi_weak_seed(w, s, t);
}
#define dfi_up_body_begins_by , dfi_parts_body_begin

static DFI_NOINLINE int dfi_parts_asked(struct dfi_worker *w, int does, const void *on)
{
    int asked;
    if (w->task) return 0; /* the scope is not that of the running code */
    if (does == DFI_DOES_CREATE && (asked = dfi_ranks_asked(w, (const struct dfi_type *)on)) != 0) return asked;
    if (does == DFI_DOES_OPEN) dfi_no_graph(w, "a block or loop of its own", (const char *)on);
    else if (does == DFI_DOES_LACK && dfi_taskgraph_in(w->scope)) dfi_taskgraph_fails(dfi_taskgraph_in(w->scope));
    return !DFI_ALONE && w->scope->asks & DFI_ASKS_TENTATIVE && dfi_speculation_asked(w, does, on) ? DFI_LEAVES_OUT : 0;
}
#define dfi_up_asked_by , dfi_parts_asked

static void dfi_parts_block_open(struct dfi_worker *w, struct dfi_scope *s)
{
    const struct dfi_flow *t = s->saved_task;
    struct dfi_flow *gated = !t ? dfi_gated_body(s->outer) : t->parts ? s->saved_task : NULL;
    if (DFI_UNLIKELY(gated != NULL)) dfi_weak_seed(w, s, gated);
    if (!DFI_ALONE && DFI_UNLIKELY(s->outer->asks & DFI_ASKS_TENTATIVE)) dfi_speculation_block(s);
    dfi_ranks_block(w, s);
}
#define dfi_up_block_opens_by , dfi_parts_block_open

static void dfi_parts_stolen_begin(struct dfi_worker *w, struct dfi_scope *s)
{
    dfi_weak_stolen(w, s);
    dfi_crew_stolen(w, s);
}
#define dfi_up_stolen_begins_by , dfi_parts_stolen_begin

static void dfi_parts_code_left(struct dfi_worker *w, struct dfi_scope *s)
{
    if (s->asks & DFI_ASKS_ARENA) dfi_arena_left(w, s);
    if (s->asks) dfi_taskgraph_left(s);
}
#define dfi_up_code_left_by , dfi_parts_code_left

static void dfi_parts_waited(struct dfi_worker *w, struct dfi_scope *s)
{
    if (!dfi_now_failed(w, s)) dfi_scope_unpoison(w, s), dfi_scope_uncancel(w, s);
    if (DFI_UNLIKELY(dfi_taskgraph_in(s) != NULL)) dfi_taskgraph_wait(dfi_taskgraph_in(s));
}
#define dfi_up_waited_by , dfi_parts_waited

static void dfi_parts_body_done(struct dfi_scope *s)
{
    dfi_devices_body_done(s);
    dfi_scope_end_errors(s);
}
#define dfi_up_body_done_by , dfi_parts_body_done

#endif
