/* pipe.h - df_pipe
 *
 * An item in flight is a slot in a ring; between two stages it is nothing but data. Slot i of a window of n is used
 * by items i, i + n + 1, ...: one more slot than items in flight, so that the slot of the item before stays what it is.
 * `word` of a slot says how far all items up to this one have come: the least of its own stage and the word of the slot before.
 * So an item that skips a serial stage, or is finished early, does not let later items into that stage before earlier ones.
 * Who may not go on, or is ahead of those before it, leaves a mark in the word before; whoever raises that word
 * visits the slot behind, raises it in turn, and has one more item to continue if that one waited. Nothing ever waits on a stack.
 * The feeder is a role: who has it runs stage 0 of the next item. It is handed on after that stage, and left in the
 * word of the oldest item while the window is full.
 * Workers that take part form a team (work/team.h): they continue items that were set aside, or take the role.
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
    DFI_PIPE_WINDOW = 4,      /* items in flight per worker by default */
    DFI_PIPE_MOST = 65536,    /* and at most: each has a slot, which is used in turn with the others */
    DFI_PIPE_TINY_NS = 1000,  /* items that take less than this, all stages together, are left to one worker: handing the
                                 feeder and the slots to and fro costs as much */
    DFI_PIPE_TIMED = 32,      /* items between two looks at the clock in a team, */
    DFI_PIPE_SOLO = 4,        /* and by a worker that is alone: then it is these that nobody can help with */
    DFI_PIPE_LOOKS = 50       /* of a member without work, before it leaves: 1 to 2 us */
};

/* Bits of dfi_slot.word, below the stage. */
#define DFI_SLOT_NEXT   ((uintptr_t)1) /* the next slot is to be visited when the stage is raised */
#define DFI_SLOT_FEEDER ((uintptr_t)2) /* the feeder waits until this item, the oldest, is finished */

struct dfi_slot { /* the item follows */
    DFI_ATOMIC(uintptr_t) word;     /* all items up to this one are beyond the stages below this one, DF_PIPE_STAGES: finished */
    DFI_ATOMIC(int) lock;           /* of raising `word`, and of the next three */
    int own;                        /* the stage this item has come to */
    int waits, want;                /* set aside, until all items before it are beyond the stage `want` */
    long i;                         /* which item */
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
    /* who has the role of the feeder */
    unsigned long begun, retired;   /* items so far; those of them before the first unfinished one */
    unsigned long at, oldest;       /* their places in the ring */
    unsigned long zeroed;           /* slots used so far */
    int ending;                     /* no more items */
    long first;                     /* the item that has none before it to wait for */
    int solo;                       /* board lock: the owner is alone and stays so */
    char line0[DFI_LINE];
    DFI_ATOMIC(int) feeder;
    DFI_ATOMIC(int) stop;           /* no item that has not begun will begin */
    DFI_ATOMIC(struct dfi_slot *) ready; /* items that were set aside and may go on, the last one first */
    char line1[DFI_LINE];
    DFI_ATOMIC(int) tiny;           /* items are not worth a second worker */
    DFI_ATOMIC(intptr_t) news;      /* 0: the owner is about to sleep, and wants to know of work */
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

static unsigned long dfi_pipe_behind(const struct dfi_pipe *p, unsigned long at) { return at + 1 == p->ring ? 0 : at + 1; }

static unsigned long dfi_pipe_at(const struct dfi_pipe *p, const struct dfi_slot *s)
{
    return (unsigned long)((size_t)((const char *)s - p->slots) / p->slot_bytes);
}

static int dfi_pipe_has_work(struct dfi_pipe *p)
{
    /* seq_cst: also the last look before sleeping; pairs with dfi_pipe_tell */
    return dfi_load_seq_cst(&p->feeder) == DFI_FEEDER_FREE || dfi_load_seq_cst(&p->ready) != NULL;
}

/* There is work that others may take, after a seq_cst store that says so. */
static void dfi_pipe_tell(struct dfi_pipe *p)
{
    if (DFI_UNLIKELY(dfi_load_seq_cst(&p->news) == 0)) {
        dfi_store_seq_cst(&p->news, (intptr_t)1);
        dfi_wake_waiting(p->team.owner);
    }
    if (!dfi_load_relaxed(&p->tiny) && DFI_UNLIKELY(dfi_load_seq_cst(&dfi_pool.parked_idle) > 0)) dfi_wake_for_work();
}

/* s, which was set aside, may go on. */
static void dfi_pipe_resume(struct dfi_pipe *p, struct dfi_slot *s)
{
    struct dfi_slot *head = dfi_load_relaxed(&p->ready);
    do s->next = head; /* seq_cst: releases the slot to dfi_pipe_take_ready, and comes before the look in dfi_pipe_tell */
    while (!dfi_cas_seq_cst(&p->ready, &head, s));
    dfi_pipe_tell(p);
}

/* The oldest item that was set aside and may go on, or NULL. */
static struct dfi_slot *dfi_pipe_take_ready(struct dfi_pipe *p)
{
    struct dfi_slot *all, *s, *oldest, **at, **oldest_at;
    if (!dfi_load_relaxed(&p->ready) || !(all = dfi_exchange_acq_rel(&p->ready, NULL))) return NULL;
    oldest = all, oldest_at = &all;
    for (at = &all; (s = *at) != NULL; at = &s->next)
        if (s->i < oldest->i) oldest = s, oldest_at = at;
    *oldest_at = oldest->next;
    while ((s = all) != NULL) { /* the others may go on, too */
        all = s->next;
        dfi_pipe_resume(p, s);
    }
    return oldest;
}

/* Held for a few loads and stores. */
static void dfi_slot_lock(struct dfi_slot *s)
{
    int tries;
    for (tries = 0; dfi_load_relaxed(&s->lock) || dfi_exchange_acq_rel(&s->lock, 1); tries++)
        if (tries < DFI_SPIN_PAUSES) dfi_os_pause();
        else dfi_os_yield(); /* its holder does not run */
}
static void dfi_slot_unlock(struct dfi_slot *s) { dfi_store_release(&s->lock, 0); }

enum { DFI_RAISED_NEXT = 1, DFI_RAISED_RESUME = 2, DFI_RAISED_ROLE = 4 };

/* Raises the word of the slot `at` as far as its item and the slot before allow. Depends on nothing but what is in the slots,
 * so that a visit which comes too late does no harm. pre: the lock of the slot. What is to be done then: visit the next slot;
 * continue the item; the role of the feeder is the caller's. */
static int dfi_slot_raise(struct dfi_pipe *p, unsigned long at)
{
    struct dfi_slot *s = dfi_pipe_slot(p, at), *before = dfi_pipe_slot(p, (at ? at : p->ring) - 1);
    uintptr_t now, limit = (uintptr_t)DF_PIPE_STAGES, stage;
    int result = 0;
    if (s->i != p->first) {
        now = dfi_load_acquire(&before->word); /* acquire; pairs with the CAS below, of the slot before */
        do limit = now >> 2; /* does it have to tell us more later? release: relaxed would do, as we hold the lock */
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
    while (!dfi_cas_acq_rel(&s->word, &now, stage << 2)); /* release: what the items up to this one did in their stages */
    if (now & DFI_SLOT_NEXT) result |= DFI_RAISED_NEXT;
    if (now & DFI_SLOT_FEEDER) { /* nobody but the feeder retires it: relaxed would do */
        if (stage == (uintptr_t)DF_PIPE_STAGES) result |= DFI_RAISED_ROLE;
        else
            for (now = stage << 2; !dfi_cas_acq_rel(&s->word, &now, now | DFI_SLOT_FEEDER);) continue;
    }
    return result;
}

/* The slots behind `at`, whose word was raised, hear of it. Nonzero: the caller has the role of the feeder: one of them
 * has become the oldest meanwhile. (So all items before it are finished, the caller's too.) */
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

/* The item of s has come to `stage`; in_order: which it enters after all before it have left it. DFI_RAISED_RESUME: go on with
 * it; otherwise it is finished or set aside, and not the caller's any more. DFI_RAISED_ROLE: the caller has the role of
 * the feeder (then it does not go on: not with an item that is unfinished). */
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
    int begun = dfi_check_part_begin(w, &v, p->team.scope), next = dfi_stage_run(p->type, stage, (char *)s + DFI_SLOT_HEAD, s->i, p->ctx);
    dfi_check_part_end(w, &v, begun);
    if (dfi_asked(w)) dfi_poll(w);
    return next;
}

/* Goes on with the item of s, which has come to `stage`, as far as it gets; `next` is what that stage returned if it
 * was `run` already. Nonzero: the caller has the role of the feeder now. */
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

/* Is the oldest item finished, and its slot left alone? */
static int dfi_slot_retired(struct dfi_slot *s)
{
    /* acquire; pairs with the CAS in dfi_slot_raise, and after that with dfi_slot_unlock */
    return dfi_load_acquire(&s->word) >> 2 == (uintptr_t)DF_PIPE_STAGES && !dfi_load_acquire(&s->lock);
}

/* The feeder waits until the oldest item is finished. Nonzero: the role is left in its slot; zero: it is finished. */
static int dfi_pipe_leave_role(struct dfi_pipe *p)
{
    struct dfi_slot *s = dfi_pipe_slot(p, p->oldest);
    uintptr_t now = dfi_load_acquire(&s->word);
    while (now >> 2 != (uintptr_t)DF_PIPE_STAGES) /* release: what the feeder knows, to who finishes the item */
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

/* pre: the caller has the role of the feeder. Runs stage 0 of the next item, hands the role on, and goes on with the item.
 * Nonzero: the caller has the role again. */
static int dfi_pipe_feed(struct dfi_worker *w, struct dfi_pipe *p)
{
    struct dfi_slot *s;
    int next;
    for (;;) {
        while (p->retired < p->begun && dfi_slot_retired(dfi_pipe_slot(p, p->oldest)))
            p->retired++, p->oldest = dfi_pipe_behind(p, p->oldest);
        if (dfi_load_relaxed(&p->stop) || (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.cancels)) && dfi_scope_cancelled(p->team.scope)))
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
        dfi_slot_lock(s); /* a visit that comes too late may look at it */
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
        /* seq_cst: releases what the feeder knows to who takes the role, and comes before the look in dfi_pipe_tell */
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
        if ((s = dfi_pipe_take_ready(p)) != NULL) { /* older than what the feeder would begin */
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

/* How long the last steps took, each: are they worth company? Says so to everybody. */
static void dfi_pipe_time(struct dfi_worker *w, struct dfi_pipe *p, uint64_t *before, unsigned long steps)
{
    uint64_t now = dfi_work_ns(w);
    int tiny = DF_DEBUG < 3 && now - *before < DFI_PIPE_TINY_NS * steps;
    *before = now;
    if (dfi_load_relaxed(&p->tiny) != tiny) dfi_store_relaxed(&p->tiny, tiny);
}

/* A member's part in it. */
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
        if (looks) steps = 0, before = dfi_work_ns(w); /* that was waiting */
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

/* Items are tiny: without members, and while nobody may join, the owner runs them one after the other as if there was no
 * one else, until they get larger. */
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
        p->first = (long)p->retired; /* all before it are finished */
        dfi_store_seq_cst(&p->feeder, (int)DFI_FEEDER_FREE); /* as in dfi_pipe_feed */
    }
    dfi_pipe_set_solo(p, 0);
    dfi_pipe_tell(p);
}

/* The owner's part in it: until all items are done. */
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
        dfi_store_seq_cst(&p->news, (intptr_t)0); /* then look again; who has work says so before it looks at this */
        /* seq_cst: whoever is lost wakes the owner after saying so (work/thread_end.h) */
        if (!dfi_pipe_has_work(p) && dfi_load_seq_cst(&p->feeder) != DFI_FEEDER_OVER && !dfi_load_seq_cst(&p->team.lost)) {
            dfi_wait_helping(w, w->scope->mark, &g, DFI_WAIT_QUIET, NULL, NULL);
            /* the goal was the team's: what lies here may be of other parts, and a wait in a stage would run it on top */
            while (dfi_run_own(w, w->scope->mark, NULL)) continue;
        }
        dfi_store_relaxed(&p->news, (intptr_t)1);
        steps = 0, before = dfi_work_ns(w);
    }
    dfi_wait_leave(w, &member);
    if (s) dfi_scope_finish(w, s);
}

/* Memory for the ring; a smaller window if there is little. 0, or -1 without any. */
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
DFI_API long dfi_pipe_catching(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx, struct dfi_exception *threw)
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
    alone = !w || !b.scope || b.borrowed || (dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_baton_on()); /* nobody could join */
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
