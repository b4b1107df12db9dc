/* scope.h - what a scope has besides the count of its children: table and locals
 *
 * Struct dfi_flow_scope (flow/types.h) begins with the scope of work/scope.h, which calls the functions below at the
 * moments that the names of their upcalls say. */
#ifndef DFI_FLOW_SCOPE_H
#define DFI_FLOW_SCOPE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "../work/block.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "moments.h"
#include "supervise.h"
#include "table.h"
#include "types.h"

/* drop: NULL, or called before it is freed */
struct dfi_local { struct dfi_local *next; size_t bytes; void (*drop)(struct dfi_local *l); size_t align; };

/* --- begin -------------------------------------------------------------------------------------- */

static void dfi_flow_scope_begins(struct dfi_worker *w, struct dfi_scope *scope)
{
    struct dfi_flow_scope *s = dfi_flow_of(scope);
    (void)w;
    dfi_store_relaxed(&s->place, SIZE_MAX);
    s->n_children = 0;
    s->table = NULL;
    s->locals = NULL;
    scope->asks = 0;
    s->lazy_base = NULL;
    s->room_used = 0;
    if (dfi_up_flow_scope_new) dfi_up_flow_scope_new(scope);
    if (dfi_up_scope_created) dfi_up_scope_created(scope);
}
#define dfi_up_scope_begins_by , dfi_flow_scope_begins

/* Gives the running task, w->task, a scope. */
static struct dfi_scope *dfi_flow_body_scope(struct dfi_worker *w)
{
    struct dfi_flow *t = w->task;
    struct dfi_scope *s;
    if (DFI_UNLIKELY(t->task.mem.special == DFI_ON_STACK) && dfi_up_leaves_stack && !(t = dfi_up_leaves_stack(w)))
        return NULL;
    if (!(s = dfi_scope_push(w, t->scope, DFI_BODY))) return NULL;
    s->task = t;
    dfi_store_relaxed(&dfi_flow_of(s)->place, dfi_flow_place(t));
    if (DFI_UNLIKELY(t->task.mem.special) && dfi_up_body_begins) dfi_up_body_begins(w, s, t);
    s->mark = w->task_mark;
    if (dfi_tasks_of(w)->now == t) dfi_tasks_of(w)->now = s;
    return s;
}
#define dfi_up_body_scope_by , dfi_flow_body_scope

/* Does the running code belong to a task that runs immediately (dfi_run_now)? */
static int dfi_runs_now(struct dfi_worker *w)
{
    return dfi_tasks_of(w)->now == (w->task ? (const void *)w->task : (const void *)w->scope);
}

static struct dfi_scope *dfi_flow_block_begins(struct dfi_worker *w, const char *site)
{
    struct dfi_scope *s;
    dfi_flush(w);
    dfi_asked(w, DFI_DOES_OPEN, site);
    /* the body needs a scope of its own: functions that the block spawns are inside it, and may run after the block */
    if (w->task) dfi_scope_here(w);
    if (!(s = dfi_scope_push(w, w->task ? w->task->scope : w->scope, DFI_BLOCK))) return NULL;
    dfi_store_relaxed(&dfi_flow_of(s)->place, s->saved_task ? dfi_flow_place(s->saved_task)
                                                            : 2 * dfi_flow_of(s->outer)->n_children + 1);
    if (dfi_up_block_opens) dfi_up_block_opens(w, s);
    return s;
}
#define dfi_up_block_begins_by , dfi_flow_block_begins

/* --- end ---------------------------------------------------------------------------------------- */

/* Frees the locals of s that are newer than `before`. */
static void dfi_scope_free_locals(struct dfi_scope *s, struct dfi_local *before)
{
    while (dfi_flow_of(s)->locals != before) {
        struct dfi_local *l = dfi_flow_of(s)->locals;
        dfi_flow_of(s)->locals = l->next;
        if (DFI_UNLIKELY(l->drop != NULL)) l->drop(l);
        dfi_mfree(l);
    }
}

static void dfi_flow_scope_left(struct dfi_worker *w, struct dfi_scope *s)
{
    if (DFI_UNLIKELY(s->asks) && dfi_up_code_left) dfi_up_code_left(w, s);
    if (dfi_flow_of(s)->table) dfi_table_free(w, s);
    dfi_flow_of(s)->table = NULL;
    if (dfi_flow_of(s)->lazy_base) w->hot.lazy_at = dfi_flow_of(s)->lazy_base;
}
#define dfi_up_scope_left_by , dfi_flow_scope_left

static void dfi_flow_scope_free(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_up_flow_scope_free) dfi_up_flow_scope_free(w, s);
    dfi_scope_free_locals(s, NULL);
}
#define dfi_up_scope_free_by , dfi_flow_scope_free

static void dfi_flow_bottom_free(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_flow_of(s)->table) dfi_table_free(w, s);
    dfi_scope_free_locals(s, NULL);
}
#define dfi_up_bottom_free_by , dfi_flow_bottom_free

/* --- df_local ----------------------------------------------------------------------------------- */

DFI_API void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *scope = w ? dfi_scope_here(w) : NULL;
    struct dfi_flow_scope *s = NULL;
    struct dfi_local *l = NULL;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    bytes *= n;
    if (!scope && w) scope = w->scope; /* out of memory: the local lives in the enclosing scope */
    if (scope) {
        s = dfi_flow_of(scope);
        if (bytes <= DFI_SCOPE_ROOM - s->room_used) {
            char *p = s->room.bytes + s->room_used;
            s->room_used += (bytes + 15) / 16 * 16;
            return memset(p, 0, bytes);
        }
        l = (struct dfi_local *)dfi_malloc(sizeof *l + bytes);
    }
    if (!l) {
        dfi_warn_once("out of memory: df_local returns NULL");
        return NULL;
    }
    l->next = s->locals, s->locals = l;
    l->drop = NULL;
    l->bytes = bytes;
    return memset(l + 1, 0, bytes);
}

#endif
