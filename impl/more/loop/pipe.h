/* pipe.h - df_pipe: pipelines
 *
 * An item in flight is a slot in a ring; between two stages it is only data. In a window of n, slot
 * i holds items i, i + n + 1, ...: one slot more than items in flight, so that the slot of the
 * previous item stays valid.
 * `word` of a slot is the stage that all items up to this one have reached: the minimum of its own
 * stage and the word of the previous slot. So an item that skips a serial stage, or finishes early,
 * does not let later items into that stage before earlier ones.
 * An item that may not continue, or is ahead of the items before it, sets a mark in the previous
 * word. The thread that raises that word visits the next slot and raises its word in turn; if the
 * item there was waiting, the thread has one more item to continue. No item ever waits on a stack.
 * The feeder is a role: the thread that has it runs stage 0 of the next item. The role is handed on
 * after that stage, and left in the word of the oldest item while the window is full.
 * Participating workers form a team (work/team.h): they continue parked items, or take the role.
 * Argument: docs/memory-order.md, "Pipes". */
#ifndef DFI_MORE_LOOP_PIPE_H
#define DFI_MORE_LOOP_PIPE_H

#include <limits.h>
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/wait.h"
#include "../../api/core.h"
#include "../../api/loop.h"
#include "../../api/result.h"
#include "../../api/throw.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/find.h"
#include "../../work/help.h"
#include "../../work/scope.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "../error.h"
#include "stage.h"
#include "../speculate/block.h"
#include "../../observe/check/check.h"
#include "../../observe/check/declared.h"
#include "../../observe/check/view.h"
#include "../../observe/event.h"
#include "../../observe/probes.h"
#include "../../observe/schedule/baton.h"
#include "../../observe/stall/waits.h"
#include "../../api/public.h"

enum {
    DFI_PIPE_WINDOW = 4,      /* default items in flight per worker */
    DFI_PIPE_MOST = 65536,    /* and the limit: each has a slot, and all slots are used in turn */
    /* items that take less than this, all stages together, are left to one worker, because handing
     * the feeder and the slots back and forth costs as much */
    DFI_PIPE_TINY_NS = 1000,
    DFI_PIPE_TIMED = 32,      /* items between two reads of the clock in a team, */
    /* and by a worker that is alone, whose items since the last read no other worker can help with */
    DFI_PIPE_SOLO = 4,
    DFI_PIPE_LOOKS = 50       /* looks of a member without work before it leaves: 1 to 2 us */
};

/* Bits of dfi_slot.word, below the stage. */
#define DFI_SLOT_NEXT   ((uintptr_t)1) /* visit the next slot when the stage is raised */
#define DFI_SLOT_FEEDER ((uintptr_t)2) /* the feeder waits until this item, the oldest, is finished */

struct dfi_slot { /* the item follows */
    DFI_ATOMIC(uintptr_t) word;     /* the stage that all items up to this one have reached; DF_PIPE_STAGES: finished */
    DFI_ATOMIC(int) lock;           /* protects raising `word`, and the next three */
    int own;                        /* the stage that this item has reached */
    int waits, want;                /* parked until all items before it have passed the stage `want` */
    long i;                         /* the number of the item */
    struct dfi_slot *next;          /* in the list `ready` */
};
enum { DFI_SLOT_HEAD = 64 };        /* bytes before the item */

enum { DFI_FEEDER_FREE, DFI_FEEDER_TAKEN, DFI_FEEDER_OVER };

struct dfi_pipe {
    struct dfi_team team;           /* first */
    const struct dfi_pipe_type *type;
    const char *site;
    void *ctx;
    void *memory;
    char *slots;
    size_t slot_bytes;
    unsigned long window, ring;     /* items in flight; slots */
    /* The next fields, up to `first`, belong to the thread that has the role of the feeder. */
    unsigned long begun, retired;   /* items so far; those of them before the first unfinished one */
    unsigned long at, oldest;       /* their slots in the ring */
    unsigned long zeroed;           /* slots used so far */
    int ending;                     /* no more items */
    long first;                     /* the item that has no predecessor to wait for */
    int solo;                       /* board lock: the owner is alone and stays so */
    char line0[DFI_LINE];
    DFI_ATOMIC(int) feeder;
    DFI_ATOMIC(int) stop;           /* no further item begins */
    DFI_ATOMIC(struct dfi_slot *) ready; /* parked items that may continue, the last one first */
    char line1[DFI_LINE];
    DFI_ATOMIC(int) tiny;           /* items are not worth a second worker */
    DFI_ATOMIC(intptr_t) news;      /* 0: the owner is about to park, and must be told of work */
};

static DFI_NOINLINE int dfi_stage_watched(const struct dfi_pipe_type *type, int stage, void *item, long i, void *ctx)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_running r;
    int watched = dfi_watch_part_begin(w, &r, DFI_RAN_STAGE, type->name), next = type->run(stage, item, i, ctx);
    if (watched) dfi_watch_part_end(w, &r, stage, i);
    return next;
}

static int dfi_stage_run(const struct dfi_pipe_type *type, int stage, void *item, long i, void *ctx)
{
    return DFI_LIKELY(!dfi_watched()) ? type->run(stage, item, i, ctx) : dfi_stage_watched(type, stage, item, i, ctx);
}

static struct dfi_slot *dfi_pipe_slot(const struct dfi_pipe *p, unsigned long at)
{
    return (struct dfi_slot *)(void *)(p->slots + at * p->slot_bytes);
}

static unsigned long dfi_pipe_behind(const struct dfi_pipe *p, unsigned long at)
{
    return at + 1 == p->ring ? 0 : at + 1;
}

static unsigned long dfi_pipe_at(const struct dfi_pipe *p, const struct dfi_slot *s)
{
    return (unsigned long)((size_t)((const char *)s - p->slots) / p->slot_bytes);
}

static int dfi_pipe_has_work(struct dfi_pipe *p)
{
    /* seq_cst: also the last look before parking; pairs with dfi_pipe_tell */
    return dfi_load_seq_cst(&p->feeder) == DFI_FEEDER_FREE || dfi_load_seq_cst(&p->ready) != NULL;
}

/* Tells the owner of work that others may take. pre: a seq_cst store has published the work */
static void dfi_pipe_tell(struct dfi_pipe *p)
{
    if (DFI_UNLIKELY(dfi_load_seq_cst(&p->news) == 0)) {
        dfi_store_seq_cst(&p->news, (intptr_t)1);
        dfi_wake_waiting(p->team.owner);
    }
    if (!dfi_load_relaxed(&p->tiny) && DFI_UNLIKELY(dfi_load_seq_cst(&dfi_pool.parked_idle) > 0)) dfi_wake_for_work();
}

/* Makes the parked item of s available. */
static void dfi_pipe_resume(struct dfi_pipe *p, struct dfi_slot *s)
{
    struct dfi_slot *head = dfi_load_relaxed(&p->ready);
    do s->next = head; /* seq_cst: releases the slot to dfi_pipe_take_ready, and precedes the load in dfi_pipe_tell */
    while (!dfi_cas_seq_cst(&p->ready, &head, s));
    dfi_pipe_tell(p);
}

/* Takes the oldest parked item that may continue, or NULL. */
static struct dfi_slot *dfi_pipe_take_ready(struct dfi_pipe *p)
{
    struct dfi_slot *all, *s, *oldest, **at, **oldest_at;
    if (!dfi_load_relaxed(&p->ready) || !(all = dfi_exchange_acq_rel(&p->ready, NULL))) return NULL;
    oldest = all, oldest_at = &all;
    for (at = &all; (s = *at) != NULL; at = &s->next)
        if (s->i < oldest->i) oldest = s, oldest_at = at;
    *oldest_at = oldest->next;
    while ((s = all) != NULL) { /* put the others back: they may continue, too */
        all = s->next;
        dfi_pipe_resume(p, s);
    }
    return oldest;
}

/* The lock is held for a few loads and stores. */
static void dfi_slot_lock(struct dfi_slot *s)
{
    int tries;
    for (tries = 0; dfi_load_relaxed(&s->lock) || dfi_exchange_acq_rel(&s->lock, 1); tries++)
        if (tries < DFI_SPIN_PAUSES) dfi_os_pause();
        else dfi_os_yield(); /* the holder does not run */
}
static void dfi_slot_unlock(struct dfi_slot *s) { dfi_store_release(&s->lock, 0); }

enum { DFI_RAISED_NEXT = 1, DFI_RAISED_RESUME = 2, DFI_RAISED_ROLE = 4 };

/* Raises the word of the slot `at` as far as its item and the previous slot allow. Depends only on
 * the contents of the slots, so that a late visit is harmless. Returns what the caller must do:
 * visit the next slot; continue the item; act as the feeder. pre: the lock of the slot */
static int dfi_slot_raise(struct dfi_pipe *p, unsigned long at)
{
    struct dfi_slot *s = dfi_pipe_slot(p, at), *before = dfi_pipe_slot(p, (at ? at : p->ring) - 1);
    uintptr_t now, limit = (uintptr_t)DF_PIPE_STAGES, stage;
    int result = 0;
    if (s->i != p->first) {
        now = dfi_load_acquire(&before->word); /* acquire; pairs with the CAS below, of the previous slot */
        /* sets the mark if the previous slot must announce its next stage; release: relaxed would
         * do, because the caller holds the lock */
        do limit = now >> 2;
        while ((limit < (uintptr_t)s->own || (s->waits && limit <= (uintptr_t)s->want)) && !(now & DFI_SLOT_NEXT) &&
               !dfi_cas_acq_rel(&before->word, &now, now | DFI_SLOT_NEXT));
    }
    if (s->waits && limit > (uintptr_t)s->want) {
        s->waits = 0;
        result = DFI_RAISED_RESUME;
    }
    stage = limit < (uintptr_t)s->own ? limit : (uintptr_t)s->own;
    now = dfi_load_relaxed(&s->word);
    do
        if (now >> 2 >= stage) return result;
    /* release: passes on what the items up to this one did in their stages */
    while (!dfi_cas_acq_rel(&s->word, &now, stage << 2));
    if (now & DFI_SLOT_NEXT) result |= DFI_RAISED_NEXT;
    if (now & DFI_SLOT_FEEDER) { /* only the feeder retires it, so relaxed would do */
        if (stage == (uintptr_t)DF_PIPE_STAGES) result |= DFI_RAISED_ROLE;
        else
            for (now = stage << 2; !dfi_cas_acq_rel(&s->word, &now, now | DFI_SLOT_FEEDER);) continue;
    }
    return result;
}

/* Visits the slots after `at`, whose word was raised. Nonzero: one of them has become the oldest,
 * and the caller has the role of the feeder. (So all items before it are finished, including that of
 * the caller.) */
static int dfi_pipe_visit(struct dfi_pipe *p, unsigned long at)
{
    int todo, role = 0;
    do {
        struct dfi_slot *s = dfi_pipe_slot(p, at = dfi_pipe_behind(p, at));
        dfi_slot_lock(s);
        todo = dfi_slot_raise(p, at);
        dfi_slot_unlock(s);
        role |= todo & DFI_RAISED_ROLE;
        if (todo & DFI_RAISED_RESUME) dfi_pipe_resume(p, s);
    } while (todo & DFI_RAISED_NEXT);
    return role;
}

/* The item of s has reached `stage`; in_order: it may enter that stage only after all items before
 * it have left it. DFI_RAISED_RESUME: continue the item; otherwise it is finished or parked, and no
 * longer belongs to the caller. DFI_RAISED_ROLE: the caller has the role of the feeder; this
 * excludes continuing an unfinished item. */
static int dfi_pipe_come(struct dfi_pipe *p, struct dfi_slot *s, int stage, int in_order)
{
    unsigned long at = dfi_pipe_at(p, s);
    int todo;
    dfi_slot_lock(s);
    s->own = stage;
    if (in_order) s->waits = 1, s->want = stage;
    todo = dfi_slot_raise(p, at);
    dfi_slot_unlock(s);
    if (!in_order && stage < DF_PIPE_STAGES) todo |= DFI_RAISED_RESUME;
    if (DFI_UNLIKELY(todo & DFI_RAISED_NEXT)) todo |= dfi_pipe_visit(p, at);
    return todo;
}

/* Executes that stage of the item of s. */
static int dfi_pipe_stage(struct dfi_worker *w, struct dfi_pipe *p, struct dfi_slot *s, int stage)
{
    struct dfi_check_view v;
    int begun = dfi_check_part_begin(w, &v, p->team.scope),
        next = dfi_stage_run(p->type, stage, (char *)s + DFI_SLOT_HEAD, s->i, p->ctx);
    dfi_check_part_end(w, &v, begun);
    if (dfi_asked(w)) dfi_poll(w);
    return next;
}

/* Continues the item of s, which has reached `stage`, as far as possible. run: that stage was run
 * already, and returned `next`. Nonzero: the caller now has the role of the feeder. */
static int dfi_pipe_item(struct dfi_worker *w, struct dfi_pipe *p, struct dfi_slot *s, int stage, int run, int next)
{
    int todo;
    for (;; run = 0) {
        if (!run) {
            if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.cancels)) && dfi_scope_cancelled(p->team.scope)) break;
            next = dfi_pipe_stage(w, p, s, stage);
        }
        if (next == DF_PIPE_DONE) break;
        if (next == DF_PIPE_END) {
            dfi_store_relaxed(&p->stop, 1);
            break;
        }
        if ((next = dfi_stage_after(p->type, p->site, s->i, stage, next)) < 0) break;
        if ((next & ~DFI_STAGE_IN_ORDER) == stage) continue;
        stage = next & ~DFI_STAGE_IN_ORDER;
        todo = dfi_pipe_come(p, s, stage, next & DFI_STAGE_IN_ORDER);
        if (!(todo & DFI_RAISED_RESUME)) return (todo & DFI_RAISED_ROLE) != 0;
    }
    return (dfi_pipe_come(p, s, DF_PIPE_STAGES, 0) & DFI_RAISED_ROLE) != 0;
}

/* True if the oldest item is finished, and no thread uses its slot. */
static int dfi_slot_retired(struct dfi_slot *s)
{
    /* acquire; pairs with the CAS in dfi_slot_raise, and after that with dfi_slot_unlock */
    return dfi_load_acquire(&s->word) >> 2 == (uintptr_t)DF_PIPE_STAGES && !dfi_load_acquire(&s->lock);
}

/* Leaves the role of the feeder in the slot of the oldest item. Nonzero: done; zero: that item is
 * finished. */
static int dfi_pipe_leave_role(struct dfi_pipe *p)
{
    struct dfi_slot *s = dfi_pipe_slot(p, p->oldest);
    uintptr_t now = dfi_load_acquire(&s->word);
    /* release: passes what the feeder knows to the thread that finishes the item */
    while (now >> 2 != (uintptr_t)DF_PIPE_STAGES)
        if (dfi_cas_acq_rel(&s->word, &now, now | DFI_SLOT_FEEDER)) return 1;
    return 0;
}

/* The slot of the next item. */
static struct dfi_slot *dfi_pipe_next_slot(struct dfi_pipe *p)
{
    struct dfi_slot *s = dfi_pipe_slot(p, p->at);
    if (p->at == p->zeroed) {
        memset((void *)s, 0, p->slot_bytes);
        p->zeroed++;
    }
    return s;
}

/* Runs stage 0 of the next item, hands the role on, and continues the item. Nonzero: the caller has
 * the role again. pre: the caller has the role of the feeder */
static int dfi_pipe_feed(struct dfi_worker *w, struct dfi_pipe *p)
{
    struct dfi_slot *s;
    int next;
    for (;;) {
        while (p->retired < p->begun && dfi_slot_retired(dfi_pipe_slot(p, p->oldest)))
            p->retired++, p->oldest = dfi_pipe_behind(p, p->oldest);
        if (dfi_load_relaxed(&p->stop) ||
            (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.cancels)) && dfi_scope_cancelled(p->team.scope)))
            p->ending = 1;
        if (p->ending && p->retired == p->begun) { /* all is done */
            dfi_store_seq_cst(&p->feeder, (int)DFI_FEEDER_OVER);
            dfi_pipe_tell(p);
            return 0;
        }
        if (p->ending || p->begun - p->retired >= p->window) {
            if (dfi_pipe_leave_role(p)) return 0;
            continue;
        }
        s = dfi_pipe_next_slot(p);
        dfi_slot_lock(s); /* a late visit may look at it */
        s->i = (long)p->begun;
        s->own = s->waits = 0;
        dfi_store_relaxed(&s->word, (uintptr_t)0); /* relaxed: the next item begins after the role was handed on */
        dfi_slot_unlock(s);
        next = dfi_pipe_stage(w, p, s, 0);
        if (next == DF_PIPE_END) {
            p->ending = 1;
            continue;
        }
        p->begun++, p->at = dfi_pipe_behind(p, p->at);
        /* seq_cst: releases what the feeder knows to the thread that takes the role, and precedes
         * the load in dfi_pipe_tell */
        dfi_store_seq_cst(&p->feeder, (int)DFI_FEEDER_FREE);
        dfi_pipe_tell(p);
        return dfi_pipe_item(w, p, s, 0, 1, next);
    }
}

static int dfi_pipe_take_role(struct dfi_pipe *p)
{
    int free = DFI_FEEDER_FREE;
    /* acq_rel; pairs with the store in dfi_pipe_feed */
    return dfi_load_relaxed(&p->feeder) == DFI_FEEDER_FREE && dfi_cas_acq_rel(&p->feeder, &free, (int)DFI_FEEDER_TAKEN);
}

/* Continues one item, or begins one. Zero: there is nothing to do. */
static int dfi_pipe_step(struct dfi_worker *w, struct dfi_pipe *p)
{
    struct dfi_slot *s = dfi_pipe_take_ready(p);
    int role = 0;
    if (s) role = dfi_pipe_item(w, p, s, s->want, 0, 0);
    else if (dfi_pipe_take_role(p)) role = 1;
    else return 0;
    while (role) {
        if ((s = dfi_pipe_take_ready(p)) != NULL) { /* it is older than the item that the feeder would begin */
            dfi_store_seq_cst(&p->feeder, (int)DFI_FEEDER_FREE); /* as in dfi_pipe_feed */
            dfi_pipe_tell(p);
            role = dfi_pipe_item(w, p, s, s->want, 0, 0);
        } else role = dfi_pipe_feed(w, p);
    }
    return 1;
}

static int dfi_pipe_wants(struct dfi_team *team)
{
    struct dfi_pipe *p = (struct dfi_pipe *)(void *)team;
    return !p->solo && !dfi_load_relaxed(&p->tiny) && dfi_pipe_has_work(p);
}

/* Measures the time per step of the last steps, and publishes whether it is worth sharing. */
static void dfi_pipe_time(struct dfi_worker *w, struct dfi_pipe *p, uint64_t *before, unsigned long steps)
{
    uint64_t now = dfi_work_ns(w);
    int tiny = DF_DEBUG < 3 && now - *before < DFI_PIPE_TINY_NS * steps;
    *before = now;
    if (dfi_load_relaxed(&p->tiny) != tiny) dfi_store_relaxed(&p->tiny, tiny);
}

/* The loop of one member of the team. */
static void dfi_pipe_work(struct dfi_worker *w, struct dfi_team *team)
{
    struct dfi_pipe *p = (struct dfi_pipe *)(void *)team;
    uint64_t before = dfi_work_ns(w);
    unsigned long steps = 0;
    int looks;
    for (;;) {
        for (looks = 0; !dfi_pipe_step(w, p); looks++) {
            if (looks == DFI_PIPE_LOOKS || dfi_load_relaxed(&p->feeder) == DFI_FEEDER_OVER) return;
            dfi_os_pause();
        }
        if (looks) steps = 0, before = dfi_work_ns(w); /* the time since then was waiting */
        else if (++steps == DFI_PIPE_TIMED) {
            dfi_pipe_time(w, p, &before, steps);
            steps = 0;
        }
        if (dfi_load_relaxed(&p->tiny)) return;
    }
}

static void dfi_pipe_set_solo(struct dfi_pipe *p, int solo)
{
    dfi_os_lock(&dfi_pool.board.lock);
    p->solo = solo && dfi_load_relaxed(&p->team.members) == 0;
    dfi_os_unlock(&dfi_pool.board.lock);
}

/* Items are tiny: without members, and while no worker may join, the owner runs them serially until
 * they get larger. */
static void dfi_pipe_alone(struct dfi_worker *w, struct dfi_pipe *p)
{
    uint64_t before = dfi_work_ns(w), now;
    void *item;
    int n = 0;
    dfi_pipe_set_solo(p, 1);
    if (!p->solo) return;
    if (!dfi_load_relaxed(&p->ready) && dfi_pipe_take_role(p)) {
        while (p->retired < p->begun && dfi_slot_retired(dfi_pipe_slot(p, p->oldest)))
            p->retired++, p->oldest = dfi_pipe_behind(p, p->oldest);
        item = (char *)dfi_pipe_next_slot(p) + DFI_SLOT_HEAD;
        while (p->retired == p->begun && !p->ending && !dfi_load_relaxed(&p->stop) && !df_cancelled()) {
            struct dfi_check_view v;
            int begun = dfi_check_part_begin(dfi_me(), &v, p->team.scope);
            int result = dfi_pipe_whole(p->type, p->site, p->ctx, item, (long)p->begun);
            dfi_check_part_end(dfi_me(), &v, begun);
            if (result != DFI_ITEM_NONE) p->begun++, p->retired++;
            if (result != DFI_ITEM_DONE) p->ending = 1;
            if (++n < DFI_PIPE_SOLO) continue;
            if (dfi_asked(w)) dfi_poll(w); /* tasks from before the pipe */
            now = dfi_work_ns(w);
            if (now - before >= (uint64_t)DFI_PIPE_TINY_NS * DFI_PIPE_SOLO) {
                dfi_store_relaxed(&p->tiny, 0);
                break;
            }
            n = 0, before = now;
        }
        p->first = (long)p->retired; /* all items before it are finished */
        dfi_store_seq_cst(&p->feeder, (int)DFI_FEEDER_FREE); /* as in dfi_pipe_feed */
    }
    dfi_pipe_set_solo(p, 0);
    dfi_pipe_tell(p);
}

/* The owner's loop: until all items are done. */
static void dfi_pipe_own(struct dfi_worker *w, struct dfi_pipe *p)
{
    uint64_t before = dfi_work_ns(w);
    unsigned long steps = 0;
    struct dfi_scope *s = dfi_team_scope(w, &p->team);
    struct dfi_wait member;
    struct dfi_goal g;
    g.kind = DFI_GOAL_FLAG, g.scope = p->team.scope, g.future = NULL, g.flag = &p->news;
    dfi_wait_enter(w, &member, DFI_WAIT_MEMBER, NULL, NULL);
    while (dfi_load_acquire(&p->feeder) != DFI_FEEDER_OVER && DFI_LIKELY(!dfi_load_relaxed(&p->team.lost))) {
        if (dfi_load_relaxed(&p->tiny)) dfi_pipe_alone(w, p);
        if (dfi_pipe_step(w, p)) {
            if (++steps == DFI_PIPE_TIMED) {
                dfi_pipe_time(w, p, &before, steps);
                steps = 0;
            }
            continue;
        }
        /* then look again; a thread that has work publishes it before it reads this */
        dfi_store_seq_cst(&p->news, (intptr_t)0);
        /* seq_cst: a lost member wakes the owner after setting `lost` (work/thread_end.h) */
        if (!dfi_pipe_has_work(p) && dfi_load_seq_cst(&p->feeder) != DFI_FEEDER_OVER &&
            !dfi_load_seq_cst(&p->team.lost)) {
            dfi_wait_helping(w, w->scope->mark, &g, DFI_WAIT_QUIET, NULL, NULL);
            /* the goal was that of the team: tasks on the stack may belong elsewhere, and a wait in
             * a stage would run them nested in it */
            while (dfi_run_own(w, w->scope->mark, NULL)) continue;
        }
        dfi_store_relaxed(&p->news, (intptr_t)1);
        steps = 0, before = dfi_work_ns(w);
    }
    dfi_wait_leave(w, &member);
    if (s) dfi_scope_finish(w, s);
}

/* Allocates the ring, with a smaller window if memory is short. 0, or -1 without any. */
static int dfi_pipe_alloc(struct dfi_pipe *p, unsigned long window)
{
    size_t item = p->type->item_bytes;
    if (window > DFI_PIPE_MOST) window = DFI_PIPE_MOST;
    if (item > SIZE_MAX / 2) return -1;
    p->slot_bytes = DFI_SLOT_HEAD + (item + DFI_LINE - 1) / DFI_LINE * DFI_LINE;
    for (; window; window /= 2) {
        unsigned long ring = window + 1;
        if (ring >= SIZE_MAX / p->slot_bytes || !(p->memory = dfi_malloc(ring * p->slot_bytes + 63))) continue;
        p->slots = dfi_align(p->memory);
        p->window = window, p->ring = ring;
        return 0;
    }
    return -1;
}

DFI_EXTERN_C_BEGIN
DFI_API long dfi_pipe_catching(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site,
                               void *ctx, struct dfi_exception *threw)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_block b;
    struct dfi_pipe p;
    long window = o ? o->window : 0;
    int alone;
    if (threw) threw->drop = NULL;
    p.type = type, p.site = site, p.ctx = ctx;
    if (window < 0) {
        dfi_error("%s: df_pipe_opts.window = %ld is negative: taken as 0", site, window);
        window = 0;
    }
    if (w && DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_drops(w)) return 0;
    b = dfi_scope_enter(site);
    if (!window) window = DFI_PIPE_WINDOW * (w ? dfi_pool.n_workers : 1);
    /* no worker could join */
    alone = !w || !b.scope || b.borrowed || (dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_baton_on());
    if (alone) window = 1;
    if (dfi_pipe_alloc(&p, (unsigned long)window)) {
        dfi_error("%s: df_pipe(%s, ...): no memory for one item of %lu bytes: nothing was run",
                  site, type->name, (unsigned long)type->item_bytes);
        dfi_scope_leave(&b);
        return DF_ERROR_MEMORY;
    }
    dfi_check_items(b.scope, p.slots, p.ring * p.slot_bytes);
    if (alone) p.begun = (unsigned long)dfi_pipe_items(type, site, ctx, memset(p.slots, 0, type->item_bytes));
    else {
        p.team.scope = b.scope, p.team.wants = dfi_pipe_wants, p.team.work = dfi_pipe_work, p.team.most = INT_MAX;
        p.begun = p.retired = p.at = p.oldest = p.zeroed = 0;
        p.first = 0;
        p.ending = p.solo = 0;
        dfi_store_relaxed(&p.feeder, (int)DFI_FEEDER_FREE);
        dfi_store_relaxed(&p.stop, 0);
        dfi_store_relaxed(&p.ready, NULL);
        dfi_store_relaxed(&p.tiny, 0);
        dfi_store_relaxed(&p.news, (intptr_t)1);
        dfi_check_pause(w);
        dfi_team_open(w, &p.team);
        dfi_pipe_own(w, &p);
        dfi_team_close(w, &p.team);
        dfi_check_resume(w);
    }
    dfi_check_items(b.scope, NULL, 0);
    dfi_mfree(p.memory);
    if (threw) dfi_scope_leave_catching(&b, threw);
    else dfi_scope_leave(&b);
    return (long)p.begun;
}

DFI_API long dfi_pipe(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx)
{
    return dfi_pipe_catching(type, o, site, ctx, NULL);
}
DFI_EXTERN_C_END

#endif
