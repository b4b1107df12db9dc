/* future.h - slow paths of df_spawn and df_sync: after a steal request, or out of order
 *
 * The fast paths are in api/core.h. A future is in the private list of its spawner, or (flushed) on its stack, or
 * marked there and in the public deque, or has left all three. Outside the list, `link` is its state: NULL while on
 * the stack or in the deque, DFI_F_RUNNING or a scope while a thief runs it, DFI_F_DONE. Argument:
 * docs/memory-order.md, "Futures". */
#ifndef DFI_WORK_FUTURE_H
#define DFI_WORK_FUTURE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/wait.h"
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
#include "../observe/event.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/schedule/chaos.h"
#include "../observe/stall/waits.h"

/* For df_config.schedule with a seed. Nonzero: f ran at its spawn. */
static DFI_COLD int dfi_chaos_spawned(struct dfi_worker *w, struct dfi_future *f)
{
    dfi_baton_take(w);
    if (!dfi_chaos_now_and_then(w, DFI_HABIT_SPAWN)) return 0;
    dfi_future_run_here(f);
    dfi_store_relaxed(&f->link, DFI_F_DONE);
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
    if (DFI_UNLIKELY(dfi_chaotic()) && dfi_chaos_spawned(w, f)) return;
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
        while (w->split > at) { /* pops entries from the public deque, newest first, down to f */
            void *e = w->stack[w->split - 1];
            if (e && !dfi_deque_pop_owner(w)) return 0;
            w->split--;
            w->stack[w->split] = (void *)((uintptr_t)e & ~DFI_PUBLIC);
        }
        w->stack[at] = NULL;
    }
    dfi_stack_trim(w, dfi_stack_floor(w));
    return 1;
}

DFI_API int dfi_sync_slow(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void *link;
    struct dfi_goal g;
    size_t fixed, at;
    if (!w) return 0; /* the future ran at its spawn */
    if (DFI_UNLIKELY(dfi_baton_on())) dfi_baton_take(w);
    if (w->hot.top == (void *)f) {
        w->hot.top = dfi_load_relaxed(&f->link);
        if (dfi_asked(w)) dfi_poll(w);
        return 1;
    }
    dfi_flush(w); /* f is not the newest future: if it is in the list, it moves to the stack */
    link = dfi_load_acquire(&f->link);
    if (DFI_F_IS_AT(link) && dfi_stack_take(w, f, (uintptr_t)link >> 2)) {
        if (dfi_asked(w)) dfi_poll(w);
        return 1;
    }
    if (w->head > 0 && w->stack[w->head - 1] == (void *)((uintptr_t)f | DFI_PUBLIC)) { /* the mark of f */
        w->stack[w->head - 1] = NULL;
        dfi_stack_trim(w, dfi_stack_floor(w));
    } else if (DFI_UNLIKELY(w->sites != NULL) && (at = dfi_stack_find(w, f)) != 0)
        w->stack[at - 1] = NULL; /* the entries that stay are unsynced */
    if (dfi_load_acquire(&f->link) == DFI_F_DONE) return 0;
    dfi_scope_here(w);
    g.kind = DFI_GOAL_FUTURE, g.scope = NULL, g.future = f, g.flag = NULL;
    fixed = w->fixed, w->fixed = w->head;
    dfi_wait_helping(w, w->head, &g, DFI_WAIT_FUTURE, f, NULL);
    w->fixed = fixed;
    return 0;
}

/* Runs f, stolen from victim, and informs observers. */
DFI_INLINE void dfi_watch_future(struct dfi_worker *w, struct dfi_future *f, const struct dfi_worker *victim)
{
    struct dfi_running r;
    if (DFI_LIKELY(!dfi_watched())) {
        dfi_future_run_here(f);
        return;
    }
    r.future = f;
    dfi_watch_begin(w, &r, DFI_RAN_SPAWNED, f->type->name, f->type, NULL, f->type->name);
    dfi_watch_stolen(w, &r, victim);
    dfi_future_run_here(f);
    dfi_watch_end(w, &r);
}

/* Runs a stolen future in a scope of its own, so that the spawner that waits for it can find work inside it. */
static void dfi_future_run_stolen(struct dfi_worker *w, const struct dfi_loot *loot)
{
    struct dfi_future *f = (struct dfi_future *)loot->entry;
    struct dfi_worker *victim = loot->victim;
    struct dfi_scope *s = dfi_scope_push(w, loot->scope, DFI_STOLEN);
    struct dfi_scope *under = dfi_load_relaxed(&w->stolen);
    struct dfi_flow *saved_task = w->task;
    size_t mark = w->head;
    if (!s) w->task = NULL;
    else if (DFI_UNLIKELY(loot->scope->gated != NULL)) dfi_weak_seed(w, s, loot->scope->gated);
    if (s) {
        s->team = NULL;
        dfi_store_relaxed(&s->victim, victim);
        dfi_store_relaxed(&s->future, f);
        dfi_store_relaxed(&s->under, under);
        dfi_store_release(&w->stolen, s); /* pairs with the acquire in dfi_exit_stolen */
    }
    /* release: publishes the scope; pairs with the acquire in dfi_goal_filter */
    dfi_store_release(&f->link, s ? (void *)s : DFI_F_RUNNING);
    dfi_watch_future(w, f, victim);
    if (DFI_UNLIKELY(w->sites != NULL)) dfi_report_unsynced(w, mark, DFI_END_OF_TASK);
    if (s) dfi_scope_finish(w, s);
    else w->task = saved_task;
    /* seq_cst: releases the result to the acquire in dfi_goal_met, and precedes the check whether the victim sleeps.
     * From here on f may be freed. */
    dfi_store_seq_cst(&f->link, DFI_F_DONE);
    /* release: all accesses to f, whose memory may belong to a thread that ends (dfi_exit_futures) */
    if (s) dfi_store_release(&w->stolen, under);
    dfi_wake_waiting(victim);
}

/* --- DF_DEBUG, DF_CHECK: df_spawn and df_sync with checks -------------------------------------- */

static const char dfi_no_site[] = "?";
static DFI_TLS const char *dfi_call_site = dfi_no_site;
/* Not inlined, so that its canonical frame address is the end of the frame of the program's function. */
DFI_API DFI_NOINLINE void dfi_here(const char *site)
{
    dfi_call_site = site;
    DFI_UNSYNCED(dfi_me());
}
static void dfi_unsynced_again(struct dfi_worker *w, struct dfi_future *f);

/* Pushes f onto the stack directly, because the spawn site is stored beside the stack. */
DFI_API void dfi_spawn_checked(struct dfi_future *f)
{
    const char *site = dfi_call_site;
    struct dfi_worker *w = dfi_me_attached();
    if (w && !w->task && w->scope->guess && dfi_guess_standing(w->scope->guess) != DFI_GUESS_RIGHT)
        dfi_error("%s: df_spawn in a df_speculate block "
                  "whose condition is not known: the "
                  "call cannot be rolled back; submit a "
                  "task that spawns",
                  site);
    if (w && w->sites) dfi_unsynced_again(w, f);
    if (w && DFI_UNLIKELY(dfi_chaotic()) && dfi_chaos_spawned(w, f)) return;
    if (w && w->head == w->room) dfi_stack_grow(w, 1);
    if (!w || w->head == w->room) {
        dfi_spawn_slow(f);
        return;
    }
    if (!w->sites && (w->sites = (struct dfi_spawned *)dfi_malloc(w->room * sizeof *w->sites)) != NULL)
        memset(w->sites, 0, w->room * sizeof *w->sites);
    dfi_flush(w);
    if (w->sites) w->sites[w->head].site = site, w->sites[w->head].name = f->type->name;
    dfi_store_relaxed(&f->link, DFI_F_AT(w->head));
    w->stack[w->head++] = f;
    dfi_poll(w);
}

enum { DFI_THIEF_MS = 1000 }; /* the longest delay of a thief between stealing a future and setting its state */

/* dfi_stack_find, starting at the index in `link`, which is usually still right. */
static size_t dfi_stack_find_at(struct dfi_worker *w, struct dfi_future *f, void *link)
{
    size_t at = (uintptr_t)link >> 2;
    if (DFI_F_IS_AT(link) && at < w->head && ((uintptr_t)w->stack[at] & ~DFI_PUBLIC) == (uintptr_t)f) return at + 1;
    return dfi_stack_find(w, f);
}

/* Nonzero: f, whose state is `link`, was spawned and not synced, by this thread as far as can be detected. */
static int dfi_future_valid(struct dfi_worker *w, struct dfi_future *f, void *link)
{
    int ms;
    if (link == (void *)f) return 0; /* already synced */
    if (!DFI_F_IS_AT(link)) return link == DFI_F_DONE || link == DFI_F_RUNNING || w;
    if (!w) return 0;
    /* a thief may have stolen f, removed its mark, and not set its state yet */
    for (ms = 0; !dfi_stack_find_at(w, f, link); ms++) {
        if (dfi_load_acquire(&f->link) != link) return 1;
        if (ms == DFI_THIEF_MS) return 0;
        dfi_os_sleep_ms();
    }
    return 1;
}

DFI_API int dfi_sync_checked(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void *link = dfi_load_acquire(&f->link); /* pairs with the release of the thief, as in dfi_sync_slow */
    int mine;
    if (!dfi_future_valid(w, f, link)) {
        dfi_error("%s: df_sync(%s) on a future that was not spawned, was synced before, or was spawned by another "
                  "thread", dfi_call_site, f->type ? f->type->name : "a task"); /* type is NULL in C++ after a sync */
        return 0;
    }
    if (w) dfi_wait_site(w, dfi_call_site);
    mine = dfi_sync_slow(f);
    dfi_store_relaxed(&f->link, (void *)f);
    return mine;
}

#endif
