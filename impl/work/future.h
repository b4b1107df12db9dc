/* future.h - slow paths of df_spawn and df_sync: after a steal request, or out of order
 *
 * The fast paths are in api/core.h. A future is in the private list of its spawner, or (flushed) on its stack, or
 * marked there and in the public deque, or has left all three. Outside the list, `link` is its state: NULL while on
 * the stack or in the deque, DFI_F_RUNNING or a scope while a thief runs it, DFI_F_DONE. Argument:
 * docs/internals/work.md, "Futures". */
#ifndef DFI_WORK_FUTURE_H
#define DFI_WORK_FUTURE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/core.h"
#include "deque.h"
#include "worker.h"
#include "goal.h"
#include "wake.h"
#include "stack.h"
#include "find.h"
#include "help.h"
#include "scope.h"
#include "types.h"
#include "director.h"
#include "probe.h"

/* The source line of the call that is made (dfi_here), or dfi_no_site. */
static const char dfi_no_site[] = "?";
static DFI_TLS const char *dfi_call_site = dfi_no_site;

/* Code of scope s has spawned a future that has not begun. Nonzero: s is cancelled, and the future runs at its sync. */
DFI_UPCALL(int, dfi_up_future_waits, (const struct dfi_scope *s));
/* The code in the scope s of a future has ended, and all children: the state of the future. */
DFI_UPCALL(void *, dfi_up_future_over, (const struct dfi_scope *s));
/* w syncs a future whose state is neither DFI_F_DONE nor DFI_F_LEFT. */
DFI_UPCALL(void, dfi_up_syncs, (struct dfi_worker *w, void *link));

#if !defined(DF_SERIAL) /* where df_spawn is the call */
/* With a seed. Nonzero: f ran at its spawn, as a thief would run it. */
static DFI_COLD int dfi_spawn_seeded(struct dfi_worker *w, struct dfi_future *f)
{
    struct dfi_stolen stolen;
    dfi_turn_take(w);
    if (!dfi_up_now_and_then(w, DFI_HABIT_SPAWN)) return 0;
    dfi_scope_here(w);
    stolen.entry = f, stolen.scope = dfi_function_scope(w->scope), stolen.victim = w;
    dfi_up_future_stolen(w, &stolen);
    dfi_poll(w);
    return 1;
}

DFI_API void dfi_spawn_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me_attached();
    if (!w) {
        dfi_future_run_here(f);
        dfi_store_relaxed(&f->link, DFI_F_DONE);
        return;
    }
    if (dfi_seeded() && dfi_spawn_seeded(w, f)) return;
    dfi_store_relaxed(&f->link, w->hot.top);
    w->hot.top = f;
    dfi_poll(w);
}

/* The index of f or of its mark on the stack, plus 1; 0: not there. */
static size_t dfi_stack_find(struct dfi_worker *w, struct dfi_future *f)
{
    size_t at = w->head;
    while (at > 0 && ((uintptr_t)w->stack[at - 1] & ~DFI_PUBLIC) != (uintptr_t)f) at--;
    return at;
}

/* Pops f, which is at index `at` of the stack or was moved from there. Zero: it was stolen. */
static int dfi_stack_take(struct dfi_worker *w, struct dfi_future *f, size_t at)
{
    if (at >= w->head || ((uintptr_t)w->stack[at] & ~DFI_PUBLIC) != (uintptr_t)f) {
        if ((at = dfi_stack_find(w, f)) == 0) return 0; /* stolen, and its mark removed */
        at--;
    }
    if (at + 1 < w->split && dfi_deque_take_oldest_owner(w, f)) w->stack[at] = NULL;
    else {
        if (dfi_stack_unshare(w, at) > at) return 0;
        w->stack[at] = NULL;
    }
    dfi_stack_trim(w, dfi_stack_floor(w));
    return 1;
}

/* Was a future with that state spawned before a fork of which this process is the child? */
static int dfi_future_forked(void *link)
{
    return dfi_pool.era && (uintptr_t)link & 1 && (uintptr_t)link >> DFI_F_ERA < dfi_pool.era;
}

/* Such a future runs at its sync (1), unless another thread of the parent ran it. */
static DFI_COLD int dfi_sync_forked(const struct dfi_future *f, void *link)
{
    if (DFI_F_IS_AT(link)) return 1;
    dfi_error("df_sync(%s): another thread ran the call at the fork, and this child has no such thread: the result is "
              "not set; call df_sync before fork", f->type->name);
    return 0;
}

/* f, whose state is that, is over: as dfi_sync. */
static int dfi_sync_over(struct dfi_worker *w, void *link)
{
    if (DFI_LIKELY(link == DFI_F_DONE)) return 0;
    if (link != DFI_F_LEFT && dfi_up_syncs) dfi_up_syncs(w, link);
    return link == DFI_F_LEFT;
}

enum { DFI_THIEF_MS = 1000 }; /* the longest delay of a thief between stealing a future and setting its state */

DFI_API int dfi_sync_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void *link;
    struct dfi_goal g;
    size_t fixed, at;
    if (DFI_UNLIKELY(dfi_future_forked(link = dfi_load_relaxed(&f->link)))) return dfi_sync_forked(f, link);
    if (!w) return 0; /* the future ran at its spawn */
    dfi_turn_take(w);
    if (w->hot.top == (void *)f) {
        w->hot.top = dfi_load_relaxed(&f->link);
        if (dfi_steal_requested(w)) dfi_poll(w);
        return 1;
    }
    dfi_flush(w); /* f is not the newest future: if it is in the list, it moves to the stack */
    link = dfi_load_acquire(&f->link);
    if (DFI_F_IS_AT(link) && dfi_stack_take(w, f, DFI_F_INDEX(link))) {
        if (dfi_steal_requested(w)) dfi_poll(w);
        return 1;
    }
    if (w->head > 0 && w->stack[w->head - 1] == (void *)((uintptr_t)f | DFI_PUBLIC)) { /* the mark of f */
        w->stack[w->head - 1] = NULL;
        dfi_stack_trim(w, dfi_stack_floor(w));
    } else if (DFI_UNLIKELY(dfi_sites(w) != NULL) && (at = dfi_stack_find(w, f)) != 0)
        w->stack[at - 1] = NULL; /* the entries that stay are unsynced */
    link = dfi_load_acquire(&f->link);
    if (DFI_F_IS_OVER(link)) return dfi_sync_over(w, link);
    dfi_scope_here(w);
    g.kind = DFI_GOAL_FUTURE, g.scope = NULL, g.future = f;
    fixed = w->fixed, w->fixed = w->head;
    dfi_wait_helping(w, w->head, &g, DFI_WAIT_FUTURE, f, NULL);
    w->fixed = fixed;
    return dfi_sync_over(w, dfi_load_relaxed(&f->link));
}

/* Runs f, stolen from victim, and informs observers. */
DFI_FAST void dfi_watch_future(struct dfi_worker *w, struct dfi_future *f, const struct dfi_worker *victim)
{
    struct dfi_body b;
    if (!dfi_wanted(DFI_AT_BEGIN)) {
        dfi_future_run_here(f);
        return;
    }
    b.name = b.title = f->type->name, b.type = f->type, b.task = NULL;
    b.future = f, b.victim = victim;
    b.kind = DFI_RAN_SPAWNED, b.part = 0;
    dfi_at_begin(w, &b);
    dfi_future_run_here(f);
    dfi_at_end(w, &b);
}

/* The future of scope s ends. The state that it gets: */
static void *dfi_future_finish(struct dfi_worker *w, struct dfi_scope *s)
{
    dfi_scope_finish(w, s);
    return dfi_up_future_over ? dfi_up_future_over(s) : DFI_F_DONE; /* s is freed, and not used again */
}

/* Runs a stolen future in a scope of its own, so that the spawner that waits for it can find work inside it, and its
 * waits are not those of the spawner. */
static void dfi_future_run_stolen(struct dfi_worker *w, const struct dfi_stolen *stolen)
{
    struct dfi_future *f = (struct dfi_future *)stolen->entry;
    struct dfi_worker *victim = stolen->victim;
    struct dfi_scope *under = dfi_load_relaxed(&w->stolen), *s;
    struct dfi_flow *saved_task = w->task;
    size_t mark = w->head;
    void *over = DFI_F_DONE;
    if (dfi_up_future_waits && DFI_UNLIKELY(dfi_up_future_waits(stolen->scope))) {
        dfi_store_seq_cst(&f->link, DFI_F_LEFT); /* as below */
        dfi_wake_waiting(victim);
        return;
    }
    s = dfi_scope_push_stolen(w, stolen->scope, NULL);
    if (!s) dfi_code_is(w, NULL, w->task_mark);
    else {
        dfi_store_relaxed(&s->id, dfi_load_relaxed(&s->id) | DFI_ID_FUTURE); /* nothing is inside s yet */
        dfi_store_relaxed(&s->victim, victim);
        dfi_store_relaxed(&s->future, f);
        dfi_store_relaxed(&s->under, under);
        dfi_store_release(&w->stolen, s); /* pairs with the acquire in dfi_exit_stolen */
    }
    /* release: publishes the scope; pairs with the acquire in dfi_goal_filter */
    dfi_store_release(&f->link, s ? (void *)s : DFI_F_RUNNING);
    if (victim == w) dfi_future_run_here(f);
    else dfi_watch_future(w, f, victim);
    dfi_report_unsynced(w, mark, DFI_END_OF_TASK);
    if (s) over = dfi_future_finish(w, s);
    else dfi_code_is(w, saved_task, w->task_mark);
    /* seq_cst: releases the result to the acquire in dfi_goal_met, and precedes the check whether the victim sleeps.
     * From here on f may be freed. */
    dfi_store_seq_cst(&f->link, over);
    /* release: all accesses to f, whose memory may belong to a thread that ends (dfi_exit_futures) */
    if (s) dfi_store_release(&w->stolen, under);
    dfi_wake_waiting(victim);
}

#define dfi_up_future_stolen_by , dfi_future_run_stolen

#endif

#endif
