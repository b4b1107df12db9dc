/* item.h - items of pipelines: slots, stages, and the feeder
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
 * Argument: docs/internals/loops.md, "Pipes". */
#ifndef DFI_MORE_LOOP_ITEM_H
#define DFI_MORE_LOOP_ITEM_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../os/os.h"
#include "../../api/loop.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/help.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "../../work/director.h"
#include "../../work/probe.h"
#include "../error.h"
#include "stage.h"

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
    char *slots, *end;              /* the ring */
    size_t slot_bytes;
    unsigned long window;           /* items in flight: one less than there are slots */
    /* The next fields, up to `first`, belong to the thread that has the role of the feeder. */
    unsigned long begun, retired;   /* items so far; those of them before the first unfinished one */
    struct dfi_slot *at, *oldest;   /* the slots of the next item, and of the first unfinished one */
    char *fresh;                    /* the slots from here on have not been used */
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

/* The slots of the next item, and of the previous one. */
static struct dfi_slot *dfi_slot_behind(const struct dfi_pipe *p, struct dfi_slot *s)
{
    char *next = (char *)s + p->slot_bytes;
    return (struct dfi_slot *)(void *)(next == p->end ? p->slots : next);
}
static struct dfi_slot *dfi_slot_before(const struct dfi_pipe *p, struct dfi_slot *s)
{
    char *at = (char *)s == p->slots ? p->end : (char *)s;
    return (struct dfi_slot *)(void *)(at - p->slot_bytes);
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
    if (!dfi_load_relaxed(&p->ready) || !(all = dfi_swap_acq_rel(&p->ready, NULL))) return NULL;
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

/* Raises the word of the slot s as far as its item and the previous slot allow. Depends only on
 * the contents of the slots, so that a late visit is harmless. Returns what the caller must do:
 * visit the next slot; continue the item; act as the feeder. pre: the lock of the slot */
static int dfi_slot_raise(struct dfi_pipe *p, struct dfi_slot *s)
{
    struct dfi_slot *before = dfi_slot_before(p, s);
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

/* Visits the slots after s, whose word was raised. Nonzero: one of them has become the oldest,
 * and the caller has the role of the feeder. (So all items before it are finished, including that of
 * the caller.) */
static int dfi_pipe_visit(struct dfi_pipe *p, struct dfi_slot *s)
{
    int todo, role = 0;
    do {
        s = dfi_slot_behind(p, s);
        dfi_slot_lock(s);
        todo = dfi_slot_raise(p, s);
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
    int todo;
    dfi_slot_lock(s);
    s->own = stage;
    if (in_order) s->waits = 1, s->want = stage;
    todo = dfi_slot_raise(p, s);
    dfi_slot_unlock(s);
    if (!in_order && stage < DF_PIPE_STAGES) todo |= DFI_RAISED_RESUME;
    if (DFI_UNLIKELY(todo & DFI_RAISED_NEXT)) todo |= dfi_pipe_visit(p, s);
    return todo;
}

/* Executes that stage of the item of s. */
static int dfi_pipe_stage(struct dfi_worker *w, struct dfi_pipe *p, struct dfi_slot *s, int stage)
{
    struct dfi_extent c;
    int next;
    dfi_code_begin(w, &c, p->team.scope);
    next = dfi_stage_run(p->type, stage, (char *)s + DFI_SLOT_HEAD, s->i, p->ctx);
    dfi_code_end(w, &c);
    if (dfi_steal_requested(w)) dfi_poll(w);
    return next;
}

/* Continues the item of s, which has reached `stage`, as far as possible. run: that stage was run
 * already, and returned `next`. Nonzero: the caller now has the role of the feeder. */
static int dfi_pipe_item(struct dfi_worker *w, struct dfi_pipe *p, struct dfi_slot *s, int stage, int run, int next)
{
    int todo;
    for (;; run = 0) {
        if (!run) {
            if (dfi_cancels_any() && dfi_scope_cancelled(p->team.scope)) break;
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

/* Retires the oldest items: those that are finished, and whose slots no thread uses. acquire; pairs with the CAS in
 * dfi_slot_raise, and after that with dfi_slot_unlock */
static void dfi_pipe_retire(struct dfi_pipe *p)
{
    while (p->retired < p->begun && dfi_load_acquire(&p->oldest->word) >> 2 == (uintptr_t)DF_PIPE_STAGES &&
           !dfi_load_acquire(&p->oldest->lock))
        p->retired++, p->oldest = dfi_slot_behind(p, p->oldest);
}

/* Hands the role of the feeder on. */
static void dfi_pipe_free_role(struct dfi_pipe *p, int state)
{
    /* seq_cst: releases what the feeder knows to the thread that takes the role, and precedes the load in
     * dfi_pipe_tell */
    dfi_store_seq_cst(&p->feeder, state);
    dfi_pipe_tell(p);
}

/* Leaves the role of the feeder in the slot of the oldest item. Nonzero: done; zero: that item is
 * finished. */
static int dfi_pipe_leave_role(struct dfi_pipe *p)
{
    struct dfi_slot *s = p->oldest;
    uintptr_t now = dfi_load_acquire(&s->word);
    /* release: passes what the feeder knows to the thread that finishes the item */
    while (now >> 2 != (uintptr_t)DF_PIPE_STAGES)
        if (dfi_cas_acq_rel(&s->word, &now, now | DFI_SLOT_FEEDER)) return 1;
    return 0;
}

/* The slot of the next item. */
static struct dfi_slot *dfi_pipe_next_slot(struct dfi_pipe *p)
{
    if ((char *)p->at == p->fresh) {
        memset(p->fresh, 0, p->slot_bytes);
        p->fresh += p->slot_bytes;
    }
    return p->at;
}

/* Runs stage 0 of the next item, hands the role on, and continues the item. Nonzero: the caller has
 * the role again. pre: the caller has the role of the feeder */
static int dfi_pipe_feed(struct dfi_worker *w, struct dfi_pipe *p)
{
    struct dfi_slot *s;
    int next;
    for (;;) {
        dfi_pipe_retire(p);
        if (dfi_load_relaxed(&p->stop) ||
            (dfi_cancels_any() && dfi_scope_cancelled(p->team.scope)))
            p->ending = 1;
        if (p->ending && p->retired == p->begun) { /* all is done */
            dfi_pipe_free_role(p, DFI_FEEDER_OVER);
            return 0;
        }
        if (p->ending || p->begun - p->retired >= p->window) {
            if (dfi_pipe_leave_role(p)) return 0;
            continue;
        }
        if (dfi_member_retires(w)) {
            dfi_pipe_free_role(p, DFI_FEEDER_FREE);
            return 0;
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
        p->begun++, p->at = dfi_slot_behind(p, p->at);
        dfi_pipe_free_role(p, DFI_FEEDER_FREE);
        return dfi_pipe_item(w, p, s, 0, 1, next);
    }
}

static int dfi_pipe_take_role(struct dfi_pipe *p)
{
    int free = DFI_FEEDER_FREE;
    /* acq_rel; pairs with the store in dfi_pipe_free_role */
    return dfi_load_relaxed(&p->feeder) == DFI_FEEDER_FREE && dfi_cas_acq_rel(&p->feeder, &free, (int)DFI_FEEDER_TAKEN);
}

/* Continues one item, or begins one. Zero: there is nothing to do. */
static int dfi_pipe_step(struct dfi_worker *w, struct dfi_pipe *p)
{
    struct dfi_slot *s = dfi_pipe_take_ready(p);
    int role;
    if (!s && !dfi_pipe_take_role(p)) return 0;
    for (role = !s; s || role; s = role ? dfi_pipe_take_ready(p) : NULL)
        if (s) { /* it is older than the item that the feeder would begin */
            if (role) dfi_pipe_free_role(p, DFI_FEEDER_FREE);
            role = dfi_pipe_item(w, p, s, s->want, 0, 0);
        } else role = dfi_pipe_feed(w, p);
    return 1;
}

#endif
