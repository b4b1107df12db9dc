/* dfi_pipe.h - df_pipe
 *
 * An item in flight is a slot in a ring; between two stages it is nothing but data. Slot i of a window of n is used
 * by items i, i + n + 1, ...: one more slot than items in flight, so that the slot of the item before stays what it is.
 * `word` of a slot: the stage its item has come to (all lower ones are finished or skipped), and whether the
 * next item, or the feeder, waits for it. Who may not go on leaves a mark there; whoever finishes what is waited for finds it
 * and has one more item to continue. Nothing ever waits on a stack.
 * The feeder is a role: who has it runs stage 0 of the next item. It is handed on after that stage, and left in the
 * word of the oldest item while the window is full.
 * Workers that take part form a team (dfi_team.h): they continue items that were set aside, or take the role.
 * Argument: docs/memory-order.md, "Pipes". */
#ifndef DFI_PIPE_H
#define DFI_PIPE_H

enum {
    DFI_PIPE_WINDOW = 4,      /* items in flight per worker by default */
    DFI_PIPE_MOST = 65536,    /* and at most: each has a slot, which is used in turn with the others */
    DFI_PIPE_TINY_NS = 1000,  /* items that take less than this, all stages together, are left to one worker: handing the
                                 feeder and the slots to and fro costs as much */
    DFI_PIPE_TIMED = 32,      /* items between two looks at the clock */
    DFI_PIPE_LOOKS = 50       /* of a member without work, before it leaves: 1 to 2 us */
};

/* Bits of dfi_slot.word, below the stage. */
#define DFI_SLOT_NEXT   ((uintptr_t)1) /* the next item waits until this one is beyond its stage `want` */
#define DFI_SLOT_FEEDER ((uintptr_t)2) /* the feeder waits until this item is finished */
#define DFI_SLOT_DONE   ((uintptr_t)DF_PIPE_STAGES << 2)

struct dfi_slot { /* the item follows */
    DFI_ATOMIC(uintptr_t) word;
    long i;                         /* which item */
    int want;                       /* set aside: the stage it is to go on with */
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
    int ending;                     /* no more items */
    char line0[DFI_LINE];
    DFI_ATOMIC(int) feeder;
    DFI_ATOMIC(int) stop;           /* no item that has not begun will begin */
    DFI_ATOMIC(struct dfi_slot *) ready; /* items that were set aside and may go on, the last one first */
    char line1[DFI_LINE];
    DFI_ATOMIC(int) tiny;           /* items are not worth a second worker */
    DFI_ATOMIC(intptr_t) news;      /* 0: the owner is about to sleep, and wants to know of work */
};

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

/* The item of s has come to `stage`. */
static void dfi_pipe_advance(struct dfi_pipe *p, struct dfi_slot *s, int stage)
{
    struct dfi_slot *next;
    uintptr_t now = dfi_load_relaxed(&s->word), add = ((uintptr_t)stage << 2) - (now & ~(uintptr_t)3);
    /* acq_rel: releases what the stages did to the next item (dfi_pipe_enter), acquires its `want` */
    uintptr_t old = dfi_fetch_add_acq_rel(&s->word, add);
    if (DFI_LIKELY(!(old & DFI_SLOT_NEXT))) return;
    next = dfi_pipe_slot(p, dfi_pipe_behind(p, dfi_pipe_at(p, s)));
    if (next->want >= stage) return;
    dfi_fetch_sub_acq_rel(&s->word, DFI_SLOT_NEXT); /* only this thread clears the mark: relaxed would do */
    dfi_pipe_resume(p, next);
}

/* The item of s is finished: the slot may be used again. Nonzero: the caller has the role of the feeder now. */
static int dfi_pipe_finish(struct dfi_pipe *p, struct dfi_slot *s)
{
    /* as in dfi_pipe_advance; also releases the item to the feeder that uses the slot again (dfi_pipe_retire) */
    uintptr_t old = dfi_exchange_acq_rel(&s->word, DFI_SLOT_DONE);
    if (old & DFI_SLOT_NEXT) dfi_pipe_resume(p, dfi_pipe_slot(p, dfi_pipe_behind(p, dfi_pipe_at(p, s))));
    return (old & DFI_SLOT_FEEDER) != 0;
}

/* May the item of s begin stage `stage`, as the one before is beyond it? Zero: it is set aside, and not the caller's any
 * more. */
static int dfi_pipe_enter(struct dfi_pipe *p, struct dfi_slot *s, int stage)
{
    unsigned long at = dfi_pipe_at(p, s);
    struct dfi_slot *before = dfi_pipe_slot(p, (at ? at : p->ring) - 1);
    uintptr_t now;
    if (s->i == 0) return 1;
    now = dfi_load_acquire(&before->word); /* acquire; pairs with dfi_pipe_advance and dfi_pipe_finish */
    for (;;) {
        if (now >> 2 > (uintptr_t)stage) return 1;
        s->want = stage;
        if (dfi_cas_acq_rel(&before->word, &now, now | DFI_SLOT_NEXT)) return 0; /* release: `want`, to the same two */
    }
}

/* Goes on with the item of s, which has come to `stage`, as far as it gets; `next` is what that stage returned if it
 * was `run` already. Nonzero: the caller has the role of the feeder now. */
static int dfi_pipe_item(struct dfi_worker *w, struct dfi_pipe *p, struct dfi_slot *s, int stage, int run, int next)
{
    for (;; run = 0) {
        if (!run) {
            if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.cancels)) && dfi_scope_cancelled(p->team.scope)) break;
            next = p->type->run(stage, (char *)s + DFI_SLOT_HEAD, s->i, p->ctx);
            if (dfi_asked(w)) dfi_poll(w);
        }
        if (next == DF_PIPE_DONE) break;
        if (next == DF_PIPE_END) {
            dfi_store_relaxed(&p->stop, 1);
            break;
        }
        if ((next = dfi_stage_after(p->type, p->site, s->i, stage, next)) < 0) break;
        if ((next & ~DFI_STAGE_IN_ORDER) != stage) {
            stage = next & ~DFI_STAGE_IN_ORDER;
            dfi_pipe_advance(p, s, stage);
        }
        if (next & DFI_STAGE_IN_ORDER && !dfi_pipe_enter(p, s, stage)) return 0;
    }
    return dfi_pipe_finish(p, s);
}

/* The feeder waits until the oldest item is finished. Nonzero: the role is left in its slot; zero: it is finished. */
static int dfi_pipe_leave_role(struct dfi_pipe *p)
{
    struct dfi_slot *s = dfi_pipe_slot(p, p->oldest);
    uintptr_t now = dfi_load_acquire(&s->word);
    while (now != DFI_SLOT_DONE) /* release: what the feeder knows, to dfi_pipe_finish */
        if (dfi_cas_acq_rel(&s->word, &now, now | DFI_SLOT_FEEDER)) return 1;
    return 0;
}

/* pre: the caller has the role of the feeder. Runs stage 0 of the next item, hands the role on, and goes on with the item.
 * Nonzero: the caller has the role again. */
static int dfi_pipe_feed(struct dfi_worker *w, struct dfi_pipe *p)
{
    struct dfi_slot *s;
    int next;
    for (;;) {
        /* acquire; pairs with dfi_pipe_finish */
        while (p->retired < p->begun && dfi_load_acquire(&dfi_pipe_slot(p, p->oldest)->word) == DFI_SLOT_DONE)
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
        s = dfi_pipe_slot(p, p->at);
        if (p->begun < p->ring) memset((void *)s, 0, p->slot_bytes); /* used for the first time */
        s->i = (long)p->begun;
        dfi_store_relaxed(&s->word, (uintptr_t)0); /* relaxed: nobody looks at it before the role is handed on */
        next = p->type->run(0, (char *)s + DFI_SLOT_HEAD, s->i, p->ctx);
        if (dfi_asked(w)) dfi_poll(w);
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
    return !dfi_load_relaxed(&p->tiny) && dfi_pipe_has_work(p);
}

/* How long the last steps took, each: are they worth company? Says so to everybody. */
static void dfi_pipe_time(struct dfi_pipe *p, uint64_t *before, unsigned long steps)
{
    uint64_t now = dfi_os_ns();
    int tiny = DF_DEBUG < 3 && now - *before < DFI_PIPE_TINY_NS * steps;
    *before = now;
    if (dfi_load_relaxed(&p->tiny) != tiny) dfi_store_relaxed(&p->tiny, tiny);
}

/* A member's part in it. */
static void dfi_pipe_work(struct dfi_worker *w, struct dfi_team *team)
{
    struct dfi_pipe *p = (struct dfi_pipe *)(void *)team;
    uint64_t before = dfi_os_ns();
    unsigned long steps = 0;
    int looks;
    for (;;) {
        for (looks = 0; !dfi_pipe_step(w, p); looks++) {
            if (looks == DFI_PIPE_LOOKS || dfi_load_relaxed(&p->feeder) == DFI_FEEDER_OVER) return;
            dfi_os_pause();
        }
        if (looks) steps = 0, before = dfi_os_ns(); /* that was waiting */
        else if (++steps == DFI_PIPE_TIMED) {
            dfi_pipe_time(p, &before, steps);
            steps = 0;
        }
        if (dfi_load_relaxed(&p->tiny)) return;
    }
}

/* The owner's part in it: until all items are done. */
static void dfi_pipe_own(struct dfi_worker *w, struct dfi_pipe *p)
{
    uint64_t before = dfi_os_ns();
    unsigned long steps = 0;
    struct dfi_scope *s = dfi_team_scope(w, &p->team);
    struct dfi_goal g;
    g.kind = DFI_GOAL_FLAG, g.scope = p->team.scope, g.future = NULL, g.flag = &p->news;
    while (dfi_load_acquire(&p->feeder) != DFI_FEEDER_OVER) {
        if (dfi_pipe_step(w, p)) {
            if (++steps == DFI_PIPE_TIMED) {
                dfi_pipe_time(p, &before, steps);
                steps = 0;
            }
            continue;
        }
        dfi_store_seq_cst(&p->news, (intptr_t)0); /* then look again; who has work says so before it looks at this */
        if (!dfi_pipe_has_work(p) && dfi_load_seq_cst(&p->feeder) != DFI_FEEDER_OVER)
            dfi_help_until(w, w->scope->mark, &g);
        dfi_store_relaxed(&p->news, (intptr_t)1);
        steps = 0, before = dfi_os_ns();
    }
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
DFI_API long dfi_pipe(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_block b;
    struct dfi_pipe p;
    long window = o ? o->window : 0;
    p.type = type, p.site = site, p.ctx = ctx;
    if (window < 0) {
        dfi_log(DFI_LOG_PIPE_WINDOW, site, window);
        window = 0;
    }
    b = dfi_scope_enter(site);
    if (!window) window = DFI_PIPE_WINDOW * (w ? dfi_pool.n_workers : 1);
    if (!w || !b.scope || b.borrowed || dfi_load_relaxed(&dfi_pool.n_slots) == 1) window = 1; /* nobody could join */
    if (dfi_pipe_alloc(&p, (unsigned long)window)) {
        dfi_log(DFI_LOG_PIPE_MEMORY, site, type->name, (unsigned long)type->item_bytes);
        dfi_scope_leave(&b);
        return DF_ERROR_MEMORY;
    }
    if (p.window == 1) p.begun = (unsigned long)dfi_pipe_items(type, site, ctx, memset(p.slots, 0, type->item_bytes));
    else {
        p.team.scope = b.scope, p.team.wants = dfi_pipe_wants, p.team.work = dfi_pipe_work, p.team.most = INT_MAX;
        p.begun = p.retired = p.at = p.oldest = 0;
        p.ending = 0;
        dfi_store_relaxed(&p.feeder, (int)DFI_FEEDER_FREE);
        dfi_store_relaxed(&p.stop, 0);
        dfi_store_relaxed(&p.ready, NULL);
        dfi_store_relaxed(&p.tiny, 0);
        dfi_store_relaxed(&p.news, (intptr_t)1);
        dfi_team_open(w, &p.team);
        dfi_pipe_own(w, &p);
        dfi_team_close(w, &p.team);
    }
    dfi_mfree(p.memory);
    dfi_scope_leave(&b);
    return (long)p.begun;
}
DFI_EXTERN_C_END

#endif
