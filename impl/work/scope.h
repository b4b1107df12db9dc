/* scope.h - scopes: counting children and waiting for them
 *
 * The owner counts the children of its scope without atomics. A child that another worker completes costs one
 * subtraction from `pending`. Argument: docs/memory-order.md, "Scopes". */
#ifndef DFI_WORK_SCOPE_H
#define DFI_WORK_SCOPE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "blocks.h"
#include "worker.h"
#include "goal.h"
#include "stack.h"
#include "find.h"
#include "help.h"
#include "types.h"
#include "wait.h"
#include "../flow/table.h"
#include "../observe/check/check.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/stall/waits.h"
#include "../api/hooks.h"
#define DFI_MESSAGE_LEFT_BLOCK "%s: DF_PARALLEL was left by return, goto or longjmp: its tasks were not waited for"

/* renamed: bytes counted in dfi_pool.renamed */
struct dfi_local { struct dfi_local *next; size_t bytes, renamed, align; };

static struct dfi_scope *dfi_scope_new(struct dfi_worker *w, struct dfi_scope *parent, int kind)
{
    struct dfi_scope *s = (struct dfi_scope *)dfi_block_new(w, DFI_CLS_SCOPE);
    if (!s) return NULL;
    dfi_store_relaxed(&s->parent, parent);
    dfi_store_relaxed(&s->depth, parent ? dfi_load_relaxed(&parent->depth) + 1 : 0);
    dfi_store_relaxed(&s->id, w->next_id += DFI_MAX_WORKERS);
    dfi_store_relaxed(&s->pending, (intptr_t)0);
    s->owner = w;
    dfi_store_relaxed(&s->birth, SIZE_MAX);
    s->submitted = s->done = s->births = 0;
    s->open = 1;
    s->table = NULL;
    s->locals = NULL;
    s->room_used = 0;
    s->site = NULL;
    s->task = NULL;
    s->kind = kind;
    s->group = NULL;
    s->gated = NULL;
    s->guess = s->within = NULL;
    s->capture = NULL;
    s->guesses = 0;
    dfi_store_relaxed(&s->cancelled, 0);
    dfi_store_relaxed(&s->launched, 0);
    dfi_store_relaxed(&s->error, NULL);
    dfi_store_relaxed(&s->spoilt, NULL);
#if DF_CHECK
    s->variable = NULL, s->n_variables = s->room_variables = 0;
    s->declared = NULL;
    s->items = s->items_end = 0;
#endif
    s->outer = w->scope;
    s->mark = w->head;
    s->saved_task = w->task;
    s->saved_mark = w->task_mark;
    return s;
}

/* Creates a scope inside `parent` and makes it the innermost scope of w. NULL: out of memory. */
static struct dfi_scope *dfi_scope_push(struct dfi_worker *w, struct dfi_scope *parent, int kind)
{
    struct dfi_scope *s;
    dfi_flush(w);
    s = dfi_scope_new(w, parent, kind);
    if (!s) return NULL;
    w->scope = s, w->task = NULL;
    dfi_level(w, 1);
    return s;
}

static intptr_t dfi_guess_standing(const struct dfi_guess *g);
static int dfi_guess_drops(struct dfi_worker *w);
static void dfi_guesses_left(struct dfi_worker *w, struct dfi_scope *s);
static void dfi_weak_seed(struct dfi_worker *w, struct dfi_scope *s, struct dfi_flow *t);
static struct dfi_flow *dfi_stream_move(struct dfi_worker *w);

/* The scope of the running code. A task body gets its scope at the first call. NULL: out of memory. */
static struct dfi_scope *dfi_scope_here(struct dfi_worker *w)
{
    struct dfi_flow *t = w->task;
    struct dfi_scope *s;
    if (!t) return w->scope;
    if (DFI_UNLIKELY(t->task.mem.special == DFI_ON_STACK) && !(t = dfi_stream_move(w))) return NULL;
    if (!(s = dfi_scope_push(w, t->scope, DFI_BODY))) return NULL;
    s->task = t;
    dfi_store_relaxed(&s->birth, t->birth);
    if (DFI_UNLIKELY(t->task.mem.special)) {
        s->group = t->extra->group;
        s->within = t->extra->guess;
        if (t->extra->weak) dfi_weak_seed(w, s, t);
    }
    s->mark = w->task_mark;
    if (w->now == t) w->now = s;
    return s;
}

/* Does the running code belong to a task that runs immediately (dfi_run_now)? */
static int dfi_runs_now(struct dfi_worker *w)
{
    return w->now == (w->task ? (const void *)w->task : (const void *)w->scope);
}

/* Frees the locals of s that are newer than `before`. */
static void dfi_scope_free_locals(struct dfi_scope *s, struct dfi_local *before)
{
    while (s->locals != before) {
        struct dfi_local *l = s->locals;
        s->locals = l->next;
        if (l->renamed) dfi_fetch_sub_acq_rel(&dfi_pool.renamed, l->renamed);
        dfi_mfree(l);
    }
}

/* Does s own memory that is freed with it? */
static int dfi_scope_has_locals(const struct dfi_scope *s) { return s->locals || s->room_used; }

static void dfi_capture_detach(struct dfi_worker *w, struct dfi_scope *s);
static void dfi_steady_attach(struct dfi_worker *w, struct dfi_scope *s, const void *key);

static void dfi_scope_pop(struct dfi_worker *w, struct dfi_scope *s)
{
    w->scope = s->outer;
    w->task = s->saved_task;
    w->task_mark = s->saved_mark;
    if (DFI_UNLIKELY(s->capture != NULL)) dfi_capture_detach(w, s);
    if (s->table) dfi_table_free(w, s);
    s->table = NULL;
    dfi_level(w, -1);
}

static void dfi_flow_free(struct dfi_worker *w, struct dfi_flow *t);

/* Frees the cancelled children that s remembers: later tasks do not depend on them any more. pre: the children of s
 * are done; so no thread pushes, and relaxed accesses suffice. */
static void dfi_scope_unspoil(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_block_head *b = dfi_load_relaxed(&s->spoilt), *next;
    dfi_store_relaxed(&s->spoilt, NULL);
    for (; b; b = next) {
        struct dfi_flow *t = (struct dfi_flow *)(void *)b; /* mem is the first member */
        next = b->next;
        dfi_store_relaxed(&t->skip, 0u);
        dfi_flow_free(w, t);
    }
}

static void dfi_scope_free(struct dfi_worker *w, struct dfi_scope *s)
{
    if (DFI_UNLIKELY(dfi_load_relaxed(&s->spoilt) != NULL)) dfi_scope_unspoil(w, s);
    dfi_check_scope_end(s);
    dfi_scope_free_locals(s, NULL);
    dfi_block_free(w, s->owner, &s->head);
}

/* Waits until at most `keep` children of s are unfinished. pre: w owns s. */
static DFI_NOINLINE void dfi_wait_until(struct dfi_worker *w, struct dfi_scope *s, size_t keep)
{
    struct dfi_goal g;
    struct dfi_wait wait;
    intptr_t out;
    g.kind = DFI_GOAL_SCOPE, g.scope = s, g.future = NULL, g.flag = NULL;
    dfi_check_waits(w, s);
    dfi_flush(w);
    if (DFI_UNLIKELY(dfi_baton_on())) dfi_baton_take(w);
    dfi_wait_enter(w, &wait, keep ? DFI_WAIT_ROOM : DFI_WAIT_SCOPE, s, NULL);
    if (!s->open) { /* called by code nested in a wait for s, which has closed s */
        dfi_help_until(w, s->mark, &g);
        dfi_wait_leave(w, &wait);
        return;
    }
    for (;;) { /* first the entries of this worker's own stack, with plain counting */
        /* acquire; pairs with the release in dfi_flow_done */
        out = (intptr_t)(s->submitted - s->done) + dfi_load_acquire(&s->pending);
        if (out <= (intptr_t)keep) break;
        if (!dfi_run_urgent(w, &g) && !dfi_run_own(w, s->mark, NULL)) break;
        if (dfi_asked(w)) dfi_poll(w);
    }
    if (out > (intptr_t)keep) {
        s->open = 0;
        /* from here on, pending counts the unfinished children beyond `keep`, and the thread that decrements it to 0
         * wakes this worker; acq_rel: pairs with the subtractions in dfi_flow_done */
        dfi_fetch_add_seq_cst(&s->pending, (intptr_t)(s->submitted - s->done - keep));
        dfi_help_until(w, s->mark, &g);
        s->open = 1;
        s->submitted = keep; /* pending is now minus the number of children completed beyond the goal */
        s->done = 0;
    } else if (DFI_UNLIKELY(w->head > s->mark)) {
        dfi_stack_hand_over(w, s->mark, s);
        dfi_offer(w); /* entries below the mark were on offer when the code of s began */
    }
    DFI_ASSERT(keep || w->scope != s || w->task || dfi_stack_is_back(w, s));
    dfi_wait_leave(w, &wait);
}

static void dfi_settle(struct dfi_worker *w, struct dfi_scope *s);
static void dfi_scope_end_errors(struct dfi_scope *s);
static void dfi_scope_settle_devices(struct dfi_scope *s);

/* Waits until all children of s are done, and all values are in their original memory. */
static void dfi_wait_all(struct dfi_worker *w, struct dfi_scope *s)
{
    dfi_check_waits(w, s);
    dfi_check_pause(w);
    dfi_settle(w, s);
    dfi_wait_until(w, s, 0);
    if (DFI_UNLIKELY(dfi_load_relaxed(&s->launched))) dfi_scope_settle_devices(s);
    dfi_check_children_done(s);
    dfi_check_resume(w);
}

/* Ends a block or the scope of a stolen future. */
static void dfi_scope_finish(struct dfi_worker *w, struct dfi_scope *s)
{
    if (DFI_UNLIKELY(s->guess != NULL)) dfi_guesses_left(w, s);
    dfi_wait_all(w, s);
    dfi_scope_end_errors(s);
    dfi_scope_pop(w, s);
    /* entries below the mark of s may have been stolen meanwhile */
    if (DFI_UNLIKELY(w->head != 0)) dfi_stack_back(w, dfi_stack_floor(w));
    dfi_scope_free(w, s);
}

/* --- DF_PARALLEL, df_local --------------------------------------------------------------------- */

DFI_API DFI_NOINLINE struct dfi_block dfi_scope_enter(const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_block b;
    struct dfi_guess *wrong = NULL;
    struct dfi_flow *t;
    b.open = 1, b.borrowed = 0, b.scope = NULL;
    if (!w) return b;
    DFI_UNSYNCED(w);
    if (DFI_UNLIKELY(w->scope->capture != NULL)) dfi_taskgraph_cannot("a block or loop of its own", site);
    if (DFI_UNLIKELY(dfi_baton_on())) dfi_baton_take(w);
    if (DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_drops(w)) wrong = w->scope->guess;
    if (DFI_UNLIKELY(w->task && dfi_runs_now(w))) dfi_scope_here(w);
    if (w->task && DFI_UNLIKELY(w->task->task.mem.special) && w->task->extra->weak)
        dfi_scope_here(w); /* gives tasks spawned in the block their gates */
    t = !w->task ? w->scope->gated : w->task->task.mem.special && w->task->extra->weak ? w->task : NULL;
    b.scope = dfi_scope_push(w, w->task ? w->task->scope : w->scope, DFI_BLOCK);
    if (b.scope) {
        b.scope->site = site;
        dfi_store_relaxed(&b.scope->birth, b.scope->saved_task ? b.scope->saved_task->birth : b.scope->outer->births);
        if (DFI_UNLIKELY(t != NULL)) dfi_weak_seed(w, b.scope, t);
        b.scope->guess = wrong;
        t = b.scope->saved_task;
        if (t && DFI_UNLIKELY(t->task.mem.special)) b.scope->within = t->extra->guess;
        if (DFI_UNLIKELY(dfi_pool.capture)) dfi_steady_attach(w, b.scope, site);
    }
    else b.borrowed = 1, b.scope = dfi_scope_here(w);
    return b;
}

DFI_API DFI_NOINLINE void dfi_scope_leave(struct dfi_block *b)
{
    struct dfi_worker *w = dfi_me();
    if (!b->open) return;
    DFI_CHECK_CALL(w);
    DFI_UNSYNCED(w);
    b->open = 0;
    if (!w) return; /* without a worker, each task ran immediately */
    if (!b->scope) { /* memory for a scope was lacking, but may have been available later */
        if (!w->task) dfi_wait_all(w, w->scope);
        return;
    }
    while (w->scope != b->scope && w->scope->outer) { /* a jump left a nested block */
        if (w->scope->site) dfi_error(DFI_MESSAGE_LEFT_BLOCK, w->scope->site);
        dfi_scope_finish(w, w->scope);
    }
    /* C++, when the thread ends: work/thread_end.h has left the block */
    if (DFI_UNLIKELY(w->scope != b->scope)) return;
    if (b->borrowed) dfi_wait_all(w, b->scope);
    else dfi_scope_finish(w, b->scope);
    if (DFI_UNLIKELY(dfi_baton_on())) dfi_baton_outside(w);
}

DFI_EXTERN_C_BEGIN
DFI_API void (df_parallel)(void (*fn)(void *arg), void *arg)
{
    struct dfi_block b = dfi_scope_enter(NULL);
    fn(arg);
    dfi_scope_leave(&b);
}
DFI_EXTERN_C_END

DFI_API void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s = w ? dfi_scope_here(w) : NULL;
    struct dfi_local *l;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    bytes *= n;
    if (!s && w) s = w->scope; /* out of memory: the local lives in the enclosing scope */
    if (!s) return NULL;
    if (bytes <= DFI_SCOPE_ROOM - s->room_used) {
        char *p = s->room.bytes + s->room_used;
        s->room_used += (bytes + 15) / 16 * 16;
        return memset(p, 0, bytes);
    }
    l = (struct dfi_local *)dfi_malloc(sizeof *l + bytes);
    if (!l) {
        dfi_warn_no_memory();
        return NULL;
    }
    l->next = s->locals, s->locals = l;
    l->renamed = 0;
    l->bytes = bytes;
    return memset(l + 1, 0, bytes);
}

#endif
