/* stack.h - stack of a worker: ready tasks and spawned functions, and their publication to thieves
 *
 * A worker keeps its spawned functions private. An idle worker sets `asked` of the others (a steal request). Each of
 * them checks it at its next spawn, sync, submit or end of a task, moves its private entries to its public deque,
 * oldest first, and wakes a sleeper. The oldest entries are the largest subproblems of a recursion, so this is rare,
 * and spawn and sync usually need no atomics. Tasks of df_submit are published before code of the program runs
 * (dfi_offer), because the duration of that code is unknown. */
#ifndef DFI_WORK_STACK_H
#define DFI_WORK_STACK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "deque.h"
#include "task.h"
#include "types.h"
#include "supervise.h"
#include "director.h"
#include "probe.h"
#include "wake.h"
#include "worker.h"

/* --- futures that are not synced (work/unsynced.h) ------------------------------------------------ */

/* Reports the futures above `mark`, which can no longer be synced; those of functions that have returned: all variables
 * of active functions are at or above `end`. */
DFI_UPCALL(void, dfi_up_unsynced, (struct dfi_worker *w, size_t mark, const char *when));
DFI_UPCALL(void, dfi_up_unsynced_look, (struct dfi_worker *w, const void *end));

/* Where futures of w were spawned, parallel to its stack, or NULL: none is known. */
DFI_INLINE struct dfi_spawned *dfi_sites(const struct dfi_worker *w) { return dfi_up_unsynced ? w->sites : NULL; }

#define DFI_END_OF_TASK "the task it is in ended"
DFI_INLINE void dfi_report_unsynced(struct dfi_worker *w, size_t mark, const char *when)
{
    if (DFI_UNLIKELY(dfi_sites(w) != NULL)) dfi_up_unsynced(w, mark, when);
}
/* Builds with checks call it at the end of a frame. */
#if (DF_DEBUG || DF_CHECK) && DFI_GNU
#define DFI_FRAME_BELOW ((const void *)__builtin_dwarf_cfa()) /* end of the frame of the calling function */
#define DFI_UNSYNCED(w) ((w) && dfi_sites(w) ? dfi_up_unsynced_look(w, DFI_FRAME_BELOW) : (void)0)
#else
#define DFI_UNSYNCED(w) ((void)0)
#endif

/* --- entries ---------------------------------------------------------------------------------------- */

static int dfi_idle_waiters(void)
{
    return !DFI_ALONE && (dfi_load_seq_cst(&dfi_pool.spinning) > 0 || dfi_load_seq_cst(&dfi_pool.parked_idle) > 0 ||
                          dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0);
}

/* The first entry of the running code. Entries below belong to outer waits. */
static size_t dfi_stack_floor(struct dfi_worker *w) { return w->task ? w->task_mark : w->scope->mark; }

/* The first entry that may move: the running code may be nested in a wait for a future, which fixes the entries
 * below. */
static size_t dfi_stack_fixed(struct dfi_worker *w)
{
    size_t floor = dfi_stack_floor(w);
    return floor > w->fixed ? floor : w->fixed;
}

/* Takes the entries from index `at` on out of the public deque, newest first. Returns the index from which on the stack
 * is private: larger than `at` if an entry was stolen. */
static size_t dfi_stack_unshare(struct dfi_worker *w, size_t at)
{
    while (!DFI_ALONE && w->split > at) {
        void *e = w->stack[w->split - 1];
        if (e && !dfi_deque_pop_owner(w)) return w->split;
        w->split--;
        w->stack[w->split] = (void *)((uintptr_t)e & ~DFI_PUBLIC);
    }
    return at;
}

DFI_SMALL_CODE_BEGIN

/* Removes holes from the private part of the stack. */
static void dfi_stack_compact(struct dfi_worker *w)
{
    size_t floor = dfi_stack_fixed(w), at = w->split > floor ? w->split : floor, to = at;
    for (; at < w->head; at++) {
        void *e = w->stack[at];
        if (!e) continue;
        if (!dfi_is_task(e)) dfi_store_relaxed(&((struct dfi_future *)e)->link, DFI_F_AT(to));
        if (dfi_sites(w)) w->sites[to] = w->sites[at];
        w->stack[to++] = e;
    }
    if (to < w->head) w->head = to;
}

/* The lowest index from `floor` on of an entry that was not stolen. */
static size_t dfi_stack_live(struct dfi_worker *w, size_t floor)
{
    size_t at = w->split, live = dfi_deque_used_owner(w); /* marks of entries that are in the deque are the newest */
    while (at > floor && live) live -= w->stack[--at] != NULL;
    return at > floor ? at : floor;
}

/* Removes the marks of entries stolen from the running code. Without this, a submitting worker whose tasks are all
 * stolen would fill its stack with marks. Entries move, so futures must be searched for again (dfi_stack_find). */
static void dfi_forget_stolen(struct dfi_worker *w)
{
    size_t floor = dfi_stack_fixed(w), at, from;
    if (DFI_ALONE || (from = dfi_stack_live(w, floor)) == floor) return;
    if (dfi_sites(w)) /* DF_DEBUG: keeps the marks of futures, which tell df_sync their spawn sites */
        for (at = floor; at < from; at++)
            if (w->stack[at] && !dfi_is_task(w->stack[at])) {
                w->sites[floor] = w->sites[at];
                w->stack[floor++] = w->stack[at];
            }
    memmove(w->stack + floor, w->stack + from, (w->head - from) * sizeof *w->stack);
    if (dfi_sites(w)) memmove(w->sites + floor, w->sites + from, (w->head - from) * sizeof *w->sites);
    w->head -= from - floor;
    w->split -= from - floor;
    w->kept = w->split;
}

/* Makes room for n more entries. -1: out of memory. */
static DFI_NOINLINE int dfi_stack_grow(struct dfi_worker *w, size_t n)
{
    size_t room;
    void **stack;
    struct dfi_spawned *sites = NULL;
    dfi_forget_stolen(w);
    dfi_stack_compact(w);
    if (w->head + n <= w->room - w->room / 4) return 0;
    room = 2 * w->room > w->head + n ? 2 * w->room : w->head + n;
    if (!(stack = (void **)dfi_malloc(room * sizeof *stack))) {
        dfi_warn_no_memory();
        return -1;
    }
    memcpy(stack, w->stack, w->head * sizeof *stack);
    dfi_mfree(w->stack);
    if (dfi_sites(w) && (sites = (struct dfi_spawned *)dfi_malloc(room * sizeof *sites)) != NULL)
        memcpy(sites, w->sites, w->head * sizeof *sites); /* without memory, the sites of the futures so far are lost */
    if (dfi_sites(w)) dfi_mfree(w->sites);
    w->stack = stack, w->room = room, w->sites = sites;
    return 0;
}

DFI_SMALL_CODE_END

static void dfi_future_run_here(struct dfi_future *f)
{
    char *p = (char *)f;
    struct dfi_extent c;
    dfi_code_begin(dfi_me(), &c, NULL);
    f->type->run(p + f->type->args_at, f->type->result_at ? p + f->type->result_at : NULL);
    dfi_code_end(dfi_me(), &c);
}

/* Moves the private futures from their list to the stack. Called before code that remembers the height of the stack,
 * and before the futures are published. */
static void dfi_flush_list(struct dfi_worker *w)
{
    struct dfi_future *f;
    size_t n = 0, at;
    for (f = (struct dfi_future *)w->hot.top; f; f = (struct dfi_future *)dfi_load_relaxed(&f->link)) n++;
    if (w->head + n > w->room && dfi_stack_grow(w, n)) { /* out of memory: run them immediately */
        while ((f = (struct dfi_future *)w->hot.top) != NULL) {
            w->hot.top = dfi_load_relaxed(&f->link);
            dfi_future_run_here(f);
            dfi_store_relaxed(&f->link, DFI_F_DONE);
        }
        return;
    }
    w->head = at = w->head + n;
    while ((f = (struct dfi_future *)w->hot.top) != NULL) {
        w->hot.top = dfi_load_relaxed(&f->link);
        w->stack[--at] = f;
        /* spawned in a file compiled without DF_DEBUG */
        if (DFI_UNLIKELY(dfi_sites(w) != NULL)) w->sites[at].site = NULL;
        dfi_store_relaxed(&f->link, DFI_F_AT(at));
    }
}

/* The same, and lazy tasks become tasks. */
static DFI_NOINLINE void dfi_flush_all(struct dfi_worker *w)
{
    dfi_flush_list(w);
    dfi_create(w);
}
DFI_FAST void dfi_flush(struct dfi_worker *w)
{
    if (!DFI_ALONE && DFI_UNLIKELY(w->hot.top || w->hot.lazy)) dfi_flush_all(w);
}

/* Pops holes and marks of stolen entries down to the floor. If the deque is empty, all marks are of stolen entries;
 * otherwise the newest mark is not. (DF_DEBUG: marks of futures stay until the sync.) */
static DFI_NOINLINE void dfi_stack_trim(struct dfi_worker *w, size_t floor)
{
    while (w->head > floor) {
        const void *e = w->stack[w->head - 1];
        if (e && (DFI_ALONE || !((uintptr_t)e & DFI_PUBLIC) || (dfi_sites(w) && !dfi_is_task(e)) ||
                  !dfi_deque_empty_owner(w)))
            break;
        w->head--;
    }
    if (w->split > w->head) w->split = w->head;
}

/* After a wait, a scope or a body: pops the stack to the floor of the running or waiting code. */
DFI_FAST void dfi_stack_back(struct dfi_worker *w, size_t floor)
{
    if (DFI_UNLIKELY(w->head > floor)) dfi_stack_trim(w, floor);
}

/* For assertions: are no entries of children left above the mark of s? pre: w owns s, and its children are done.
 * Futures of its code may be there, and tasks from outside the wait, if tasks exist that may run there (dfi_find). */
static DFI_UNUSED int dfi_stack_is_back(const struct dfi_worker *w, const struct dfi_scope *s)
{
    const void *e = w->head > s->mark ? w->stack[w->head - 1] : NULL;
    return w->head <= s->mark || (e && !dfi_is_task(e)) || dfi_load_relaxed(&dfi_pool.particular);
}

/* Does the stack hold df_config.deque entries, not counting stolen ones? */
static DFI_NOINLINE int dfi_stack_full_slow(struct dfi_worker *w)
{
    return DFI_ALONE || w->head - w->split + dfi_deque_used_owner(w) >= w->limit;
}
DFI_FAST int dfi_stack_full(struct dfi_worker *w)
{
    return DFI_UNLIKELY(w->head >= w->limit) && dfi_stack_full_slow(w);
}

/* The scope of the function that contains the code of s: a future may be synced after the block that spawned it. */
static struct dfi_scope *dfi_function_scope(struct dfi_scope *s)
{
    while (s->kind == DFI_BLOCK) s = dfi_load_relaxed(&s->parent);
    return s;
}

enum { DFI_FORGET = DFI_DEQUE_SIZE }; /* marks of stolen tasks that may accumulate: amortises their removal */

/* Moves private entries to the public deque, oldest first, as many as fit. Holes stay holes. */
static void dfi_share(struct dfi_worker *w)
{
    size_t room, n = 0, at, end;
    struct dfi_scope *scope;
    if (DFI_ALONE) return;
    dfi_flush(w);
    if (w->head == w->split || !(room = dfi_deque_room_owner(w, w->head - w->split))) return;
    if (w->split > dfi_stack_fixed(w) + dfi_load_relaxed(&w->bottom) - w->seen_top + DFI_FORGET &&
        (!dfi_sites(w) || w->split > 2 * w->kept))
        dfi_forget_stolen(w);
    for (end = w->split; end < w->head && n < room; end++) n += w->stack[end] != NULL;
    /* entries above the start of a task body belong to that task: give it a scope that identifies them */
    if (w->task && end > w->task_mark) dfi_scope_here(w);
    for (at = end, room = n, scope = w->scope; at-- > w->split;) {
        void *e = w->stack[at];
        if (!e) continue;
        DFI_ASSERT(!((uintptr_t)e & DFI_PUBLIC));
        while (scope->mark > at && scope->outer) scope = scope->outer;
        if (dfi_is_task(e)) dfi_deque_put_owner(w, --room, e, dfi_up_task_scope(dfi_task_of(e)), 0);
        else {
            int doors = dfi_up_door && DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.doors));
            dfi_deque_put_owner(w, --room, e, dfi_function_scope(scope), doors ? dfi_up_door(w, at) : 0);
        }
        w->stack[at] = (void *)((uintptr_t)e | DFI_PUBLIC);
    }
    w->split = end;
    if (!n) return;
    dfi_deque_publish_owner(w, n);
    dfi_wake_for_work();
}

/* Code of the program is about to run or continue on w, for an unknown time. Publishes all ready tasks, so that none
 * waits for w (docs/internals/work.md, "Ready tasks"). A single worker has no thief, but the report of a stall
 * counts public tasks (observe/stall/report.h). */
DFI_FAST void dfi_offer(struct dfi_worker *w)
{
    if (w->head != w->split && (!dfi_alone() || dfi_observed())) dfi_share(w);
}

DFI_FAST int dfi_steal_requested(struct dfi_worker *w)
{
    return !DFI_ALONE && dfi_load_relaxed(&w->hot.steal_request) != 0;
}

enum { DFI_OFFERS = 64 };

/* Owner: are there more workers than CPUs, and has an entry stayed public during the last DFI_OFFERS answers? Idle
 * workers then have an entry to take, but no CPU to do it. */
static int dfi_offers_untaken(struct dfi_worker *w)
{
    size_t top;
    if (DFI_LIKELY(dfi_load_relaxed(&dfi_pool.n_slots) <= dfi_pool.n_cpus)) return 0;
    top = dfi_load_relaxed(&w->top);
    if (top != w->offered_top || top == dfi_load_relaxed(&w->bottom)) w->offered_top = top, w->offers = 0;
    return w->offers == DFI_OFFERS || ++w->offers == DFI_OFFERS;
}

/* Owner: answers a possible steal request. The request stays set while a worker is idle, unless offers are not taken:
 * then it is withdrawn until an entry leaves the deque (docs/internals/work.md, "Sleeping" 3). */
static DFI_NOINLINE void dfi_poll(struct dfi_worker *w)
{
    int untaken;
    dfi_turn_take(w);
    if (!(dfi_wanted(DFI_AT_TURN)) || !dfi_alone())
        dfi_share(w); /* a single worker has no thieves */
    if (dfi_wanted(DFI_AT_TURN)) { /* the request stays set: each check is a scheduling point */
        dfi_turn_point(w);
        return;
    }
    if (!dfi_steal_requested(w)) return;
    untaken = dfi_offers_untaken(w);
    if (untaken != dfi_load_relaxed(&w->withdrawn)) dfi_store_seq_cst(&w->withdrawn, untaken);
    if (!untaken && dfi_idle_waiters()) return;
    /* seq_cst, then check again: a thief counts itself as idle before it requests (dfi_request_steals), and looks at
     * `withdrawn` after it took an entry */
    dfi_exchange_seq_cst(&w->hot.steal_request, (uintptr_t)0);
    if (untaken ? dfi_load_seq_cst(&w->top) != w->offered_top : dfi_idle_waiters())
        dfi_store_seq_cst(&w->hot.steal_request, (uintptr_t)1);
}

/* Answers a possible steal request where the runtime goes on with tasks, all of which are on offer before the next
 * body. An answer could only withdraw the request, which idle workers repeat: two cache lines that cross for each task.
 * But spawned functions and lazy tasks are not on offer, and with a director each check is a scheduling point. */
DFI_FAST void dfi_answer(struct dfi_worker *w)
{
    if (!DFI_UNLIKELY(w->hot.top || w->hot.lazy || dfi_wanted(DFI_AT_TURN))) return;
    if (dfi_steal_requested(w)) dfi_poll(w);
}

static void dfi_request_steals(struct dfi_worker *w)
{
    int i, n = DFI_ALONE ? 0 : dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v && v != w && !dfi_load_seq_cst(&v->hot.steal_request))
            dfi_store_seq_cst(&v->hot.steal_request, (uintptr_t)1);
    }
}

#endif
