/* sched.h - sharing work, finding work, sleeping and waking
 *
 * A worker keeps the functions it spawns to itself. A worker that has nothing to do sets `asked` of the others; each of them sees that at its next
 * spawn, sync, submit or end of a task, moves its private entries to its public deque, oldest first, and wakes a sleeper. The oldest entries are
 * the largest pieces of a recursion, so this happens rarely and the usual path of spawn and sync stays free of atomics.
 * Tasks of df_submit are public whenever code of the program runs (dfi_offer), as nobody knows how long it runs.
 *
 * Who waits runs only work inside the scope it waits for; the argument why that cannot block for ever
 * and why no wake-up is lost is in docs/memory-order.md, "Waiting" and "Sleeping". */
#ifndef DFI_WORK_SCHED_H
#define DFI_WORK_SCHED_H

#include <limits.h>
#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../os/threads.h"
#include "../os/wait.h"
#include "../api/core.h"
#include "../api/result.h"
#include "blocks.h"
#include "deque.h"
#include "queue.h"
#include "types.h"
#include "wait.h"
#include "../observe/check/check.h"
#include "../observe/events.h"
#include "../observe/probes.h"
#include "../observe/schedule/baton.h"
#include "../observe/schedule/chaos.h"
#include "../observe/stall/waits.h"
#include "../stm/hook.h"

enum {
    DFI_SPIN_SWEEPS = 200, /* looks at all workers before going to sleep, about 20 us on the development
                              machine: longer burned CPU without finding more in mergesort and Cholesky */
    DFI_SPIN_NS = 200000,  /* and no longer than this: on a busy machine a yield can take milliseconds */
    DFI_SPIN_PAUSES = 20,  /* pauses between two looks */
    DFI_TINY_NS = 500,     /* a stolen piece shorter than this cost more to move than to run: its thief */
    DFI_TINY_PAUSE = 8,    /* pauses 8 times as long, so that it does not slow down the one it stole from
                              (empty tasks, 2 workers: 95 ns per task without, see bench/README.md) */
    DFI_LOOK_MS = 50,      /* a sleeper with a goal looks that often whether the tasks that wait for tokens
                              can still be released (more/deadlock.h); only while there are such tasks */
    DFI_LOOP_WATCH_MS = 1, /* a watcher of loops looks that often (more/loop/alone.h): less than 1 % of a CPU while short
                              loops are run; one that is long after all loses 1 to 2 ms */
    DFI_SPIN_YIELD = 16    /* from this look on, yield instead when there are more workers than CPUs */
};

DFI_EXTERN_C_BEGIN
/* What a thread without a worker sees: its first construct takes the slow path. */
DFI_API struct dfi_hot dfi_nobody = { NULL, { 0 }, 1 };
DFI_API DFI_TLS struct dfi_hot *dfi_self = &dfi_nobody;
DFI_API struct dfi_os_mutex dfi_pool_lock = DFI_OS_MUTEX_INIT;
DFI_API const struct dfi_gpu_hook *dfi_gpu_hook = NULL;
DFI_API struct dfi_pool dfi_pool;
DFI_API struct dfi_error dfi_error_unsaid = { DF_ERROR_MEMORY, "a task failed, and there was no memory to remember how", { NULL, NULL } };
static void dfi_error_no_object(void *object) { (void)object; }
DFI_API struct dfi_error dfi_error_unkept = {
    DF_ERROR_EXCEPTION, "an exception left a task, and there was no memory to keep it", { NULL, dfi_error_no_object } };
DFI_EXTERN_C_END

static struct dfi_worker *dfi_attach(void);

static struct dfi_worker *dfi_me(void) /* NULL: not attached yet */
{
    return dfi_self == &dfi_nobody ? NULL : (struct dfi_worker *)(void *)dfi_self;
}

/* This thread's worker; the first call starts the pool. NULL without memory: run everything at once. */
static struct dfi_worker *dfi_me_attached(void)
{
    struct dfi_worker *w = dfi_me();
    return w && dfi_load_relaxed(&dfi_pool.running) ? w : dfi_attach();
}

/* The attached worker with that index, or NULL. */
static struct dfi_worker *dfi_worker_of(int index)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v->index == index) return v;
    }
    return NULL;
}

/* --- what a worker is waiting for -------------------------------------------------------------- */

enum dfi_goal_kind { DFI_GOAL_WORK, DFI_GOAL_SPARE, DFI_GOAL_SCOPE, DFI_GOAL_FUTURE, DFI_GOAL_FLAG, DFI_GOAL_TEAM, DFI_GOAL_BEFORE };
struct dfi_before;
static int dfi_before_done(struct dfi_before *b);
static const struct dfi_flow *dfi_before_gated(const struct dfi_before *b);
struct dfi_goal {
    enum dfi_goal_kind kind;
    struct dfi_scope *scope;    /* SCOPE: its pending <= 0; FLAG, TEAM: only work inside it is run */
    struct dfi_future *future;  /* FUTURE: done */
    DFI_ATOMIC(intptr_t) *flag; /* FLAG: not 0; TEAM: 0, its members */
    int spare;                  /* SPARE: no more workers than this block */
    struct dfi_before *before;  /* BEFORE: its predecessors are done (flow/at_once.h); nobody wakes the worker for that */
};

static int dfi_goal_met(const struct dfi_goal *g)
{
    switch (g->kind) { /* seq_cst: also the last look before sleeping; acquire: the results are visible */
    case DFI_GOAL_SCOPE: return dfi_load_seq_cst(&g->scope->pending) <= 0;
    case DFI_GOAL_FUTURE: return dfi_load_seq_cst(&g->future->link) == DFI_F_DONE;
    case DFI_GOAL_FLAG: return dfi_load_seq_cst(g->flag) != 0;
    case DFI_GOAL_TEAM: return dfi_load_seq_cst(g->flag) == 0;
    case DFI_GOAL_BEFORE: return dfi_before_done(g->before);
    case DFI_GOAL_SPARE: return dfi_load_seq_cst(&dfi_pool.blocked) <= g->spare || dfi_load_seq_cst(&dfi_pool.stopping);
    case DFI_GOAL_WORK: break;
    }
    return dfi_load_seq_cst(&dfi_pool.stopping);
}

/* The work that whoever waits for g may run. Zero: none that is known. */
static int dfi_goal_filter(const struct dfi_goal *g, struct dfi_filter *f)
{
    struct dfi_scope *s = g->scope;
    void *state = NULL;
    f->id = f->depth = 0;
    f->on_top_of = NULL;
    if (g->kind <= DFI_GOAL_SPARE) return 1;
    if (!s && g->kind == DFI_GOAL_BEFORE) return 0;
    if (g->kind == DFI_GOAL_FUTURE) {
        state = dfi_load_acquire(&g->future->link);
        if ((uintptr_t)state & 3) return 0; /* not a scope */
        s = (struct dfi_scope *)state;
    }
    f->id = dfi_load_relaxed(&s->id);
    f->depth = dfi_load_relaxed(&s->depth);
    /* the scope of a stolen future may have ended before its id was read: then the state has changed */
    return g->kind != DFI_GOAL_FUTURE || dfi_load_acquire(&g->future->link) == state;
}

/* --- waking ------------------------------------------------------------------------------------ */

static int dfi_wake(struct dfi_worker *w, int parked)
{
    int expect = parked;
    if (dfi_load_seq_cst(&w->park) != parked || !dfi_cas_seq_cst(&w->park, &expect, DFI_AWAKE)) return 0;
    dfi_os_event_wake(&w->event);
    return 1;
}

/* After something w may be waiting for has happened (a seq_cst store or read-modify-write). */
static void dfi_wake_waiting(struct dfi_worker *w) { dfi_wake(w, DFI_PARKED_WAITING); }

static DFI_NOINLINE void dfi_wake_one_idle(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v && dfi_wake(v, DFI_PARKED_IDLE)) return;
    }
}

/* After entries were published. An idle worker that is already looking will find them; otherwise one
 * sleeper is woken, and wakes the next if there is more. Sleepers with a goal are all woken: which of
 * them may take the entry only they can tell. */
static void dfi_wake_for_work(void)
{
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) > 0 && dfi_load_seq_cst(&dfi_pool.spinning) == 0) dfi_wake_one_idle();
    if (dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0) {
        int i, n = dfi_load_acquire(&dfi_pool.n_slots);
        for (i = 0; i < n; i++) {
            struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
            if (v) dfi_wake_waiting(v);
        }
    }
}

static int dfi_team_wanted(void);
static int dfi_loops_alone(void);
static int dfi_loops_watch(struct dfi_worker *w, int watches);
static int dfi_loops_look(void);
static void dfi_loops_leave(void);

static void dfi_wake_if_work(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) == 0) return;
    if (dfi_load_seq_cst(&dfi_pool.queue.count) || dfi_team_wanted() ||
        (!dfi_load_seq_cst(&dfi_pool.watcher) && dfi_loops_alone())) {
        dfi_wake_one_idle();
        return;
    }
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v && !dfi_deque_empty_any(v)) {
            dfi_wake_one_idle();
            return;
        }
    }
}

/* --- sharing ----------------------------------------------------------------------------------- */

static int dfi_hungry(void)
{
    return dfi_load_seq_cst(&dfi_pool.spinning) > 0 || dfi_load_seq_cst(&dfi_pool.parked_idle) > 0 ||
           dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0;
}

static struct dfi_scope *dfi_scope_here(struct dfi_worker *w);

/* Where the entries of the code that runs now begin: what is below belongs to outer waits. */
static size_t dfi_stack_floor(struct dfi_worker *w) { return w->task ? w->task_mark : w->scope->mark; }

/* Entries below this keep their places, too: the code that runs now may be in a wait for a future. */
static size_t dfi_stack_fixed(struct dfi_worker *w)
{
    size_t floor = dfi_stack_floor(w);
    return floor > w->fixed ? floor : w->fixed;
}

/* Removes holes from the private part of the stack. */
static void dfi_stack_compact(struct dfi_worker *w)
{
    size_t floor = dfi_stack_fixed(w), at = w->split > floor ? w->split : floor, to = at;
    for (; at < w->head; at++) {
        void *e = w->stack[at];
        if (!e) continue;
        if (!((uintptr_t)e & DFI_FLOW)) dfi_store_relaxed(&((struct dfi_future *)e)->link, DFI_F_AT(to));
        if (w->sites) w->sites[to] = w->sites[at];
        w->stack[to++] = e;
    }
    if (to < w->head) w->head = to;
}

/* Forgets what was stolen from the code that runs now: a submitter whose tasks all go to others would
 * fill its stack with their marks. Entries move, so futures must be looked for again (dfi_stack_find). */
static void dfi_forget_stolen(struct dfi_worker *w)
{
    size_t floor = dfi_stack_fixed(w);
    size_t live = dfi_deque_used_owner(w), from = w->split, at; /* entries below `from` are no longer in the deque */
    while (from > floor && live) live -= w->stack[--from] != NULL;
    if (from <= floor) return;
    if (w->sites) /* DF_DEBUG: the marks of futures tell at sync who spawned them */
        for (at = floor; at < from; at++)
            if (w->stack[at] && !((uintptr_t)w->stack[at] & DFI_FLOW)) {
                w->sites[floor] = w->sites[at];
                w->stack[floor++] = w->stack[at];
            }
    memmove(w->stack + floor, w->stack + from, (w->head - from) * sizeof *w->stack);
    if (w->sites) memmove(w->sites + floor, w->sites + from, (w->head - from) * sizeof *w->sites);
    w->head -= from - floor;
    w->split -= from - floor;
    w->kept = w->split;
}

/* Room for n more entries on the stack. 0, or -1 without memory. */
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
    if (w->sites && (sites = (struct dfi_spawned *)dfi_malloc(room * sizeof *sites)) != NULL)
        memcpy(sites, w->sites, w->head * sizeof *sites); /* without memory the lines of the futures so far are lost */
    dfi_mfree(w->sites);
    w->stack = stack, w->room = room, w->sites = sites;
    return 0;
}

static void dfi_future_run_here(struct dfi_future *f)
{
    char *p = (char *)f;
    struct dfi_check_view v;
    int begun = dfi_check_part_begin(dfi_me(), &v, NULL);
    f->type->run(p + f->type->args_at, f->type->result_at ? p + f->type->result_at : NULL);
    dfi_check_part_end(dfi_me(), &v, begun);
}

/* Moves the private futures from their list to the stack: before anything that remembers the height
 * of the stack, and before they are shared. */
static DFI_NOINLINE void dfi_flush_list(struct dfi_worker *w)
{
    struct dfi_future *f;
    size_t n = 0, at;
    for (f = (struct dfi_future *)w->hot.top; f; f = (struct dfi_future *)dfi_load_relaxed(&f->link)) n++;
    if (w->head + n > w->room && dfi_stack_grow(w, n)) { /* no memory: run them here and now */
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
        if (DFI_UNLIKELY(w->sites != NULL)) w->sites[at].site = NULL; /* spawned in a file without DF_DEBUG */
        dfi_store_relaxed(&f->link, DFI_F_AT(at));
    }
}

DFI_INLINE void dfi_flush(struct dfi_worker *w)
{
    if (DFI_UNLIKELY(w->hot.top != NULL)) dfi_flush_list(w);
}

/* Drops from the top of the stack, above the floor, holes and the marks of what was stolen: if nothing is left in the
 * deque every mark is one of these, else the newest mark is not. (DF_DEBUG: the marks of futures stay until the sync.) */
static DFI_NOINLINE void dfi_stack_trim(struct dfi_worker *w, size_t floor)
{
    while (w->head > floor) {
        uintptr_t e = (uintptr_t)w->stack[w->head - 1];
        if (e && (!(e & DFI_PUBLIC) || (w->sites && !(e & DFI_FLOW)) || !dfi_deque_empty_owner(w))) break;
        w->head--;
    }
    if (w->split > w->head) w->split = w->head;
}

/* After a wait, a scope or a body: the stack is back where the code that runs now, or waits, has it. */
DFI_INLINE void dfi_stack_back(struct dfi_worker *w, size_t floor)
{
    if (DFI_UNLIKELY(w->head > floor)) dfi_stack_trim(w, floor);
}

/* For assertions. pre: s is w's, and its children are done. Is nothing of them above the mark of s? There may be futures of
 * its code; and tasks from outside of the wait, if there are tasks that may be run there (dfi_find). */
static DFI_UNUSED int dfi_stack_is_back(const struct dfi_worker *w, const struct dfi_scope *s)
{
    uintptr_t e = w->head > s->mark ? (uintptr_t)w->stack[w->head - 1] : 0;
    return w->head <= s->mark || (e && !(e & DFI_FLOW)) || dfi_load_relaxed(&dfi_pool.particular);
}

/* Does the stack hold df_config.deque entries? What was stolen does not count. */
static DFI_NOINLINE int dfi_stack_full_slow(struct dfi_worker *w)
{
    return w->head - w->split + dfi_deque_used_owner(w) >= w->limit;
}
DFI_INLINE int dfi_stack_full(struct dfi_worker *w) { return DFI_UNLIKELY(w->head >= w->limit) && dfi_stack_full_slow(w); }

/* The scope of the function that code in s belongs to: a future may be synced behind the block it was spawned in. */
static struct dfi_scope *dfi_function_scope(struct dfi_scope *s)
{
    while (s->kind == DFI_BLOCK) s = dfi_load_relaxed(&s->parent);
    return s;
}

enum { DFI_FORGET = DFI_DEQUE_SIZE }; /* marks of stolen tasks that are left lying: amortises the look */

/* Moves private entries to the public deque, oldest first, as many as fit. Holes stay holes. */
static void dfi_share(struct dfi_worker *w)
{
    size_t room, n = 0, at, end;
    struct dfi_scope *scope;
    dfi_flush(w);
    if (w->head == w->split || !(room = dfi_deque_room_owner(w, w->head - w->split))) return;
    if (w->split > dfi_stack_fixed(w) + dfi_load_relaxed(&w->bottom) - w->seen_top + DFI_FORGET && (!w->sites || w->split > 2 * w->kept))
        dfi_forget_stolen(w);
    for (end = w->split; end < w->head && n < room; end++) n += w->stack[end] != NULL;
    /* entries above the start of a task body belong to that task: give it a scope to name them by */
    if (w->task && end > w->task_mark) dfi_scope_here(w);
    for (at = end, room = n, scope = w->scope; at-- > w->split;) {
        void *e = w->stack[at];
        if (!e) continue;
        DFI_ASSERT(!((uintptr_t)e & DFI_PUBLIC));
        while (scope->mark > at && scope->outer) scope = scope->outer;
        dfi_deque_put_owner(w, --room, e,
                            (uintptr_t)e & DFI_FLOW ? ((struct dfi_flow *)((uintptr_t)e & ~DFI_FLOW))->scope : dfi_function_scope(scope));
        w->stack[at] = (void *)((uintptr_t)e | DFI_PUBLIC);
    }
    w->split = end;
    if (!n) return;
    dfi_deque_publish_owner(w, n);
    dfi_wake_for_work();
}

/* Code of the program is about to run on w, or runs on: for how long, nobody knows. So no ready task stays where only w
 * can take it (docs/memory-order.md, "Ready tasks"). */
DFI_INLINE void dfi_offer(struct dfi_worker *w)
{
    if (dfi_load_relaxed(&dfi_pool.n_slots) > 1 && w->head != w->split) dfi_share(w);
}

DFI_INLINE int dfi_asked(struct dfi_worker *w) { return dfi_load_relaxed(&w->hot.asked) != 0; }

/* Owner: somebody asked for work, or may have. Leaves the request standing while anybody is hungry. */
static DFI_NOINLINE void dfi_poll(struct dfi_worker *w)
{
    if (DFI_UNLIKELY(dfi_baton_on())) dfi_baton_take(w);
    if (!(dfi_watched() & DFI_WATCH_DIRECT) || dfi_load_relaxed(&dfi_pool.n_slots) > 1) dfi_share(w); /* else nobody could take it */
    if (DFI_UNLIKELY(dfi_watched() & DFI_WATCH_DIRECT)) { /* the request stands: every look is a point */
        dfi_watch_point(w);
        return;
    }
    if (!dfi_asked(w) || dfi_hungry()) return;
    /* seq_cst, then look again: a thief counts itself as hungry before it asks (dfi_ask_all) */
    dfi_exchange_seq_cst(&w->hot.asked, (uintptr_t)0);
    if (dfi_hungry()) dfi_store_seq_cst(&w->hot.asked, (uintptr_t)1);
}

static void dfi_ask_all(struct dfi_worker *w)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v && v != w && !dfi_load_seq_cst(&v->hot.asked)) dfi_store_seq_cst(&v->hot.asked, (uintptr_t)1);
    }
}

/* --- running ----------------------------------------------------------------------------------- */

/* Futures of functions that have returned (work/unsynced.h): looked for where a frame ends, in builds with checks only. */
static void dfi_unsynced_look(struct dfi_worker *w, const void *end);
static void dfi_report_unsynced(struct dfi_worker *w, size_t mark, const char *when);
#define DFI_END_OF_TASK "the task it is in ended"
#if (DF_DEBUG || DF_CHECK) && DFI_GNU
#define DFI_FRAME_BELOW    ((const void *)__builtin_dwarf_cfa()) /* where the frame ends of the function that called this one */
#define DFI_UNSYNCED(w) ((w) && (w)->sites ? dfi_unsynced_look(w, DFI_FRAME_BELOW) : (void)0)
#else
#define DFI_UNSYNCED(w) ((void)0)
#endif

static struct dfi_flow *dfi_flow_run(struct dfi_worker *w, struct dfi_flow *t);
static int dfi_leave_to_others(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_future_run_stolen(struct dfi_worker *w, const struct dfi_loot *loot);

static void dfi_run_chain(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_goal *g);

/* A ready task becomes the newest entry of the stack; without memory for that it is run. */
DFI_INLINE void dfi_push(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_UNLIKELY(w->head == w->room) && dfi_stack_grow(w, 1)) dfi_run_chain(w, t, NULL);
    else w->stack[w->head++] = (void *)((uintptr_t)t | DFI_FLOW);
}

/* Runs t and what it makes ready, one after the other on this worker, until the goal is met. */
static void dfi_run_chain(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_goal *g)
{
    while (t) {
        t = dfi_flow_run(w, t);
        if (dfi_asked(w)) dfi_poll(w);
        if (t && ((g && dfi_goal_met(g)) || dfi_load_relaxed(&dfi_pool.stopping) == DFI_STOP_NOW ||
                  dfi_load_relaxed(&dfi_pool.queue.urgent))) {
            dfi_push(w, t);
            return;
        }
    }
}

/* Takes the newest entry above `mark` of the stack, public or not. 1: a task in *t, 2: a
 * future in *f, 0: none left. */
static int dfi_pop(struct dfi_worker *w, size_t mark, struct dfi_flow **t, struct dfi_future **f)
{
    while (w->head > mark) {
        void *e = w->stack[w->head - 1];
        int mine = e != NULL; /* a hole is in no deque */
        if ((uintptr_t)e & DFI_PUBLIC) mine = dfi_deque_pop_owner(w);
        w->head--;
        if (w->split > w->head) w->split = w->head;
        if (!mine) continue; /* stolen */
        e = (void *)((uintptr_t)e & ~DFI_PUBLIC);
        if ((uintptr_t)e & DFI_FLOW) {
            *t = (struct dfi_flow *)((uintptr_t)e & ~DFI_FLOW);
            return 1;
        }
        *f = (struct dfi_future *)e;
        return 2;
    }
    return 0;
}

/* Runs one entry of this worker's stack above `mark`. Zero: there is none. */
static int dfi_run_own(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    struct dfi_flow *t = NULL;
    struct dfi_future *f = NULL;
    switch (dfi_pop(w, mark, &t, &f)) {
    case 0: return 0;
    case 1: dfi_run_chain(w, t, g); return 1;
    default: /* a future of the block we wait in: run it, its sync finds it done */
        dfi_offer(w);
        dfi_future_run_here(f);
        dfi_store_relaxed(&f->link, DFI_F_DONE);
        return 1;
    }
}

/* A wait of w for something in scope s ends. Tasks above `mark` that are no children of s belong to code that another worker
 * runs, in a future that it stole from s, and may wait for; it finds them in the queue, below newer entries of w it might not. */
static DFI_NOINLINE void dfi_stack_hand_over(struct dfi_worker *w, size_t mark, const struct dfi_scope *s)
{
    struct dfi_flow *t;
    struct dfi_future *f;
    for (;;) {
        dfi_stack_trim(w, mark);
        if (w->head <= mark || !((uintptr_t)w->stack[w->head - 1] & DFI_FLOW)) return;
        if (!dfi_pop(w, w->head - 1, &t, &f)) continue; /* stolen just now */
        if (t->scope == s) {
            dfi_push(w, t);
            return;
        }
        if (!dfi_leave_to_others(w, t)) dfi_run_chain(w, t, NULL); /* no memory */
    }
}

/* --- stealing ---------------------------------------------------------------------------------- */

static int dfi_steal(struct dfi_worker *w, const struct dfi_filter *f, struct dfi_loot *loot)
{
    unsigned i, n = (unsigned)dfi_load_acquire(&dfi_pool.n_slots), at = w->victim;
    for (i = 0; i < n; i++, at++) {
        struct dfi_worker *v;
        if (at >= n) at = 0;
        v = dfi_load_acquire(&dfi_pool.slot[at]);
        if (v && v != w && dfi_deque_steal_thief(v, f, loot)) {
            w->victim = at;
            dfi_store_relaxed(&w->n_steals, dfi_load_relaxed(&w->n_steals) + 1);
            if (DFI_UNLIKELY(dfi_watched())) dfi_watch_steal(w, loot);
            return 1;
        }
    }
    w->random = w->random * 1664525u + 1013904223u;
    w->victim = (w->random >> 8) % (dfi_baton_on() ? (unsigned)DFI_MAX_WORKERS : n); /* not by when a thread of the program came */
    return 0;
}

/* Tasks with a priority, or for this worker, that f admits: first, or (first == 0) when there is nothing else. */
static int dfi_take_queued(struct dfi_worker *w, const struct dfi_filter *f, int first, struct dfi_loot *loot)
{
    struct dfi_flow *t = NULL;
    /* seq_cst, also in dfi_queue_take: the last look before sleeping; pairs with dfi_queue_put */
    if (DFI_UNLIKELY(dfi_load_seq_cst(&w->pinned.count))) t = dfi_queue_take(&w->pinned, f, first ? 0 : INT_MIN);
    if (!t) t = dfi_queue_take(&dfi_pool.queue, f, first ? 0 : INT_MIN);
    loot->entry = (void *)((uintptr_t)t | DFI_FLOW);
    return t != NULL;
}

static int dfi_team_find(struct dfi_worker *w, const struct dfi_filter *f, struct dfi_loot *loot);
static void dfi_team_run(struct dfi_worker *w, struct dfi_team *team);
static int dfi_gates_closed(const struct dfi_flow *t);

/* w waits in the body of a task with weak accesses. Its children may wait for earlier siblings of that task,
 * which are outside of what is waited for. Earlier tasks may be run here, on top of the wait, as they cannot depend on
 * what is below; others are left to the queue. */
static int dfi_find_outside(struct dfi_worker *w, const struct dfi_flow *gated, struct dfi_loot *loot)
{
    struct dfi_filter f;
    f.id = f.depth = 0;
    f.on_top_of = w;
    if (!dfi_gates_closed(gated)) return 0;
    if (dfi_take_queued(w, &f, 0, loot)) return 1;
    while (dfi_steal(w, &f, loot) || dfi_deque_steal_thief(w, &f, loot)) {
        struct dfi_flow *t = (struct dfi_flow *)((uintptr_t)loot->entry & ~DFI_FLOW);
        if (dfi_filter_admits(&f, t) || !dfi_leave_to_others(w, t)) return 1;
    }
    return 0;
}

/* What only w can run may be what others wait for, and w for them: better on top of a wait that it is not inside of
 * than never. */
static int dfi_find_pinned(struct dfi_worker *w, struct dfi_loot *loot)
{
    struct dfi_filter f;
    struct dfi_flow *t;
    if (DFI_LIKELY(!dfi_load_seq_cst(&w->pinned.count))) return 0;
    f.id = f.depth = 0, f.on_top_of = w;
    if (!(t = dfi_queue_take(&w->pinned, &f, INT_MIN))) return 0;
    loot->entry = (void *)((uintptr_t)t | DFI_FLOW), loot->outside = 1, loot->team = NULL;
    return 1;
}

/* Something for w to run while it waits for g. */
static int dfi_find(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_loot *loot)
{
    const struct dfi_flow *gated = g->kind == DFI_GOAL_BEFORE ? dfi_before_gated(g->before) : g->scope ? g->scope->gated : NULL;
    struct dfi_filter f;
    loot->outside = 0;
    loot->team = NULL;
    if (dfi_goal_filter(g, &f) && (dfi_take_queued(w, &f, 1, loot) || dfi_steal(w, &f, loot) ||
                                   dfi_team_find(w, &f, loot) || dfi_take_queued(w, &f, 0, loot)))
        return 1;
    loot->outside = 1;
    if (DFI_UNLIKELY(gated != NULL) && dfi_find_outside(w, gated, loot)) return 1;
    return dfi_find_pinned(w, loot);
}

static void dfi_run_loot(struct dfi_worker *w, const struct dfi_loot *loot, const struct dfi_goal *g)
{
    if (DFI_UNLIKELY(loot->outside)) w->outside = 1; /* also for the children it leaves behind: until no wait is left */
    if (loot->team) dfi_team_run(w, loot->team);
    else if ((uintptr_t)loot->entry & DFI_FLOW)
        dfi_run_chain(w, (struct dfi_flow *)((uintptr_t)loot->entry & ~DFI_FLOW), g);
    else dfi_future_run_stolen(w, loot);
}

/* Runs a task of the queues that goes before what lies on the stack, and is inside g. */
static int dfi_run_urgent(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_filter f;
    struct dfi_loot loot;
    if (DFI_LIKELY(!dfi_load_relaxed(&dfi_pool.queue.urgent) && !dfi_load_relaxed(&w->pinned.urgent))) return 0;
    if (!dfi_goal_filter(g, &f) || !dfi_take_queued(w, &f, 1, &loot)) return 0;
    loot.outside = 0;
    loot.team = NULL;
    dfi_run_loot(w, &loot, g->kind <= DFI_GOAL_SPARE ? NULL : g);
    return 1;
}

static int dfi_stuck_look(struct dfi_worker *w);
static void dfi_block_share(struct dfi_worker *w, int all);
static int dfi_block_count(void);
static int dfi_block_begin(struct dfi_worker *w);
static void dfi_block_end(void);

/* Before w sleeps in a wait, or blocks: ready tasks that lie below it, which w may not run, go where anybody who may finds them,
 * and not only the oldest. Without that the tasks could be run when this wait ends; but where only some workers may run
 * some tasks, or some block, this wait may be the one that needs them run. Nonzero: no memory, there are more. */
static DFI_NOINLINE int dfi_stack_to_queue(struct dfi_worker *w)
{
    struct dfi_filter f;
    struct dfi_loot loot;
    f.id = f.depth = 0, f.on_top_of = w; /* no futures */
    while (dfi_deque_steal_thief(w, &f, &loot)) {
        struct dfi_flow *t = (struct dfi_flow *)((uintptr_t)loot.entry & ~DFI_FLOW);
        if (!dfi_leave_to_others(w, t)) {
            dfi_push(w, t); /* as before */
            return 1;
        }
    }
    return 0;
}

/* Is anything ready, where any worker finds it? */
static int dfi_work_public(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), ready = dfi_load_seq_cst(&dfi_pool.queue.count);
    for (i = 0; i < n && !ready; i++) ready = !dfi_deque_empty_any(dfi_load_acquire(&dfi_pool.slot[i]));
    return ready;
}

/* w sleeps in a wait on top of which it may not run what is ready. While somebody blocks, that may be what he waits for, and
 * w for him: then w counts as blocked, too, and a spare takes it. Zero: it does not. */
static DFI_COLD int dfi_park_blocks(struct dfi_worker *w)
{
    if (!dfi_work_public() || dfi_block_count()) return 0;
    dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    return 1;
}

/* Sleeps until woken, unless after announcing it there is something to do after all: then that is
 * done (loot) or the goal is met. */
static int dfi_park(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_loot *loot)
{
    int found = 0, looks = g->kind != DFI_GOAL_BEFORE, watches = 0, blocks = 0;
    int idle = g->kind <= DFI_GOAL_SPARE, state = idle ? DFI_PARKED_IDLE : DFI_PARKED_WAITING;
    DFI_ATOMIC(int) *count = idle ? &dfi_pool.parked_idle : &dfi_pool.parked_waiting;
    dfi_outbox_flush(w);
    dfi_share(w); /* a sleeper cannot be asked */
    if (!idle && DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.particular))) dfi_stack_to_queue(w);
    dfi_store_seq_cst(&w->park, state);
    dfi_fetch_add_seq_cst(count, 1);
    if (idle) dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    dfi_ask_all(w);
    if (!dfi_goal_met(g) && !(found = dfi_find(w, g, loot))) {
        uint64_t since = DFI_UNLIKELY(dfi_watched()) ? dfi_watch_sleeps(w) : 0;
        dfi_store_relaxed(&w->n_parks, dfi_load_relaxed(&w->n_parks) + 1);
        if (!idle && DFI_UNLIKELY(dfi_load_seq_cst(&dfi_pool.blocked) > 0)) blocks = dfi_park_blocks(w);
        /* seq_cst, after announcing it: whoever makes a task wait for a token later wakes the sleepers (dfi_hold) */
        for (;;) {
            int before = g->kind == DFI_GOAL_BEFORE, held = !idle && dfi_load_seq_cst(&dfi_pool.held);
            int ms = before ? 1 : held ? DFI_LOOK_MS : 0;
            if ((watches = dfi_loops_watch(w, watches)) != 0) ms = DFI_LOOP_WATCH_MS;
            dfi_baton_drop(w);
            while ((found = dfi_os_event_wait(&w->event, &w->park, state, ms)) && !dfi_baton_look(w)) continue;
            if (watches && found && dfi_loops_look()) break;
            if ((before || watches) && found) {
                if (before && dfi_goal_met(g)) break;
                if (looks++ % DFI_LOOK_MS || !(before ? dfi_load_seq_cst(&dfi_pool.held) : held)) continue;
            }
            if (!found || dfi_stuck_look(w)) break; /* what it released may lie on our own stack */
        }
        found = 0;
        dfi_baton_take(w);
        if (DFI_UNLIKELY(blocks)) {
            dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
            dfi_block_end();
        }
        if (since) dfi_watch_slept(w, since);
    }
    dfi_store_seq_cst(&w->park, DFI_AWAKE);
    if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
    dfi_fetch_sub_seq_cst(count, 1);
    if (watches) dfi_loops_leave();
    return found;
}

/* After a stolen piece that took `ns`: leaves the victim alone for a while if it was tiny. */
static void dfi_back_off(const struct dfi_goal *g, uint64_t since, uint64_t now)
{
    uint64_t ns = now - since;
    if (ns >= DFI_TINY_NS || dfi_baton_on()) return;
    while (dfi_os_ns() - now < DFI_TINY_PAUSE * ns && !dfi_goal_met(g)) dfi_os_pause();
}

/* Waits for g and meanwhile runs what is allowed: entries of w above `mark` of its stack, then work inside the goal of any
 * worker. pre: what is pushed above mark meanwhile is inside the goal; inside of dfi_wait_enter and dfi_wait_leave. */
static DFI_NOINLINE void dfi_help_until(struct dfi_worker *w, size_t mark, const struct dfi_goal *g)
{
    int idle = g->kind <= DFI_GOAL_SPARE, sweep = 0, crowded = dfi_load_relaxed(&dfi_pool.n_slots) > dfi_pool.n_cpus, i;
    uint64_t since = 0;
    struct dfi_loot loot;
    if (DFI_UNLIKELY(w->task != NULL)) dfi_scope_here(w); /* so that the scopes tell what runs on top of what (work/thread_end.h) */
    if (idle) dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
    while (!dfi_goal_met(g)) {
        int found;
        if (dfi_asked(w)) dfi_poll(w);
        if ((!idle && dfi_run_urgent(w, g)) || dfi_run_own(w, mark, idle ? NULL : g)) {
            sweep = 0;
            continue;
        }
        DFI_UNSYNCED(w);
        found = dfi_find(w, g, &loot);
        if (!found) {
            if (sweep == 0) since = dfi_os_ns();
            if (!dfi_baton_on() && sweep++ < DFI_SPIN_SWEEPS && (sweep % 4 || dfi_os_ns() - since < DFI_SPIN_NS)) {
                if (sweep % 4 == 1) dfi_ask_all(w);
                if (crowded && sweep > DFI_SPIN_YIELD) dfi_os_yield();
                else
                    for (i = 0; i < DFI_SPIN_PAUSES; i++) dfi_os_pause();
                continue;
            }
            found = dfi_park(w, g, &loot);
        }
        if (found) {
            /* the last one looking: others rely on it to have seen what they published (dfi_wake_for_work) */
            if (idle && dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1) == 1) dfi_wake_if_work();
            since = dfi_os_ns();
            dfi_run_loot(w, &loot, idle ? NULL : g);
            if (!idle) dfi_back_off(g, since, dfi_os_ns());
            else {
                while (dfi_load_relaxed(&dfi_pool.stopping) != DFI_STOP_NOW && (dfi_run_urgent(w, g) || dfi_run_own(w, mark, NULL))) continue;
                w->outside = (unsigned)dfi_chaotic();
                dfi_back_off(g, since, dfi_os_ns());
                dfi_fetch_add_seq_cst(&dfi_pool.spinning, 1);
            }
        }
        sweep = 0;
    }
    if (idle) {
        dfi_stack_back(w, mark);
        dfi_fetch_sub_seq_cst(&dfi_pool.spinning, 1);
    } else {
        if (DFI_UNLIKELY(w->head > mark)) dfi_stack_hand_over(w, mark, g->scope);
        dfi_offer(w); /* what the last chain left */
    }
    if (dfi_load_relaxed(&w->level) == 1) w->outside = (unsigned)dfi_chaotic(); /* this wait is all it is in */
}

/* The same as one wait of w. */
static void dfi_wait_helping(struct dfi_worker *w, size_t mark, const struct dfi_goal *g, enum dfi_wait_kind kind, const void *on, const char *site)
{
    struct dfi_wait x;
    dfi_wait_enter(w, &x, kind, on, site);
    dfi_help_until(w, mark, g);
    dfi_wait_leave(w, &x);
}

/* Waits for g, and runs nothing meanwhile but what only w may run: a spare works in its place. For waits that are not for
 * all that may run on top of them: that could wait for what w does after this wait. */
static DFI_NOINLINE void dfi_sleep_until(struct dfi_worker *w, const struct dfi_goal *g)
{
    struct dfi_loot loot;
    int found;
    if (dfi_goal_met(g)) return;
    if (dfi_block_begin(w)) { /* without a spare it runs what it may */
        dfi_help_until(w, g->scope->mark, g);
        return;
    }
    if (w->task) dfi_scope_here(w); /* as in dfi_help_until */
    dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    while (!dfi_goal_met(g)) {
        /* seq_cst, then look: as in dfi_park. It is not among those who are woken for work. */
        dfi_store_seq_cst(&w->park, (int)DFI_PARKED_WAITING);
        found = !dfi_goal_met(g) && dfi_find_pinned(w, &loot);
        if (!found && !dfi_goal_met(g)) {
            dfi_store_relaxed(&w->n_parks, dfi_load_relaxed(&w->n_parks) + 1);
            dfi_baton_drop(w);
            while (dfi_os_event_wait(&w->event, &w->park, (int)DFI_PARKED_WAITING, dfi_load_seq_cst(&dfi_pool.held) ? DFI_LOOK_MS : 0)) {
                if (!dfi_baton_look(w)) continue;
                if (dfi_stuck_look(w)) break;
                dfi_baton_drop(w);
            }
            dfi_baton_take(w);
        }
        dfi_store_seq_cst(&w->park, (int)DFI_AWAKE);
        if (!found) continue;
        dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
        dfi_run_loot(w, &loot, NULL);
        dfi_block_share(w, 1); /* what that made ready */
        dfi_store_seq_cst(&w->asleep, (int)DFI_ASLEEP);
    }
    dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
    dfi_block_end();
}

#endif
