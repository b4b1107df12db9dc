/* pipe.h - df_pipe: pipelines (items: more/loop/item.h) */
#ifndef DFI_MORE_LOOP_PIPE_H
#define DFI_MORE_LOOP_PIPE_H

#include <limits.h>
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/core.h"
#include "../../api/loop.h"
#include "../../api/result.h"
#include "../../api/throw.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/stack.h"
#include "../../work/find.h"
#include "../../work/help.h"
#include "../../work/scope.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "../../flow/supervise.h"
#include "../../work/director.h"
#include "../error.h"
#include "../weak.h"
#include "item.h"
#include "stage.h"
#include "../../api/error.h"
#include "../../api/pipe.h"

DFI_SMALL_CODE_BEGIN /* except for steps (item.h) and stages */

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

static void dfi_pipe_told(struct dfi_team *team)
{
    dfi_store_seq_cst(&((struct dfi_pipe *)(void *)team)->news, (intptr_t)1);
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
        if (dfi_load_relaxed(&p->tiny) || dfi_member_retires(w)) return;
    }
}

static void dfi_pipe_set_solo(struct dfi_pipe *p, int solo)
{
    dfi_os_lock(&dfi_board.lock);
    p->solo = solo && dfi_load_relaxed(&p->team.members) == 0;
    dfi_os_unlock(&dfi_board.lock);
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
        dfi_pipe_retire(p);
        item = (char *)dfi_pipe_next_slot(p) + DFI_SLOT_HEAD;
        while (p->retired == p->begun && !p->ending && !dfi_load_relaxed(&p->stop) && !df_cancelled()) {
            struct dfi_extent c;
            int result;
            dfi_code_begin(dfi_me(), &c, p->team.scope);
            result = dfi_pipe_whole(p->type, p->site, p->ctx, item, (long)p->begun);
            dfi_code_end(dfi_me(), &c);
            if (result != DFI_ITEM_NONE) p->begun++, p->retired++;
            if (result != DFI_ITEM_DONE) p->ending = 1;
            if (++n < DFI_PIPE_SOLO) continue;
            if (dfi_steal_requested(w)) dfi_poll(w); /* tasks from before the pipe */
            now = dfi_work_ns(w);
            if (now - before >= (uint64_t)DFI_PIPE_TINY_NS * DFI_PIPE_SOLO) {
                dfi_store_relaxed(&p->tiny, 0);
                break;
            }
            n = 0, before = now;
        }
        p->first = (long)p->retired; /* all items before it are finished */
        dfi_store_seq_cst(&p->feeder, (int)DFI_FEEDER_FREE); /* as in dfi_pipe_free_role */
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
    g.kind = DFI_GOAL_FLAG, g.scope = p->team.scope, g.flag = &p->news;
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
        p->slots = (char *)dfi_align(p->memory);
        p->end = p->slots + ring * p->slot_bytes;
        p->window = window;
        return 0;
    }
    return -1;
}

DFI_EXTERN_C_BEGIN
DFI_API long dfi_pipe(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx,
                      struct dfi_exception *threw)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_parallel_block b;
    struct dfi_pipe p;
    long window = o ? o->window : 0;
    int alone, most = o ? o->workers : 0;
    p.type = type, p.site = site, p.ctx = ctx;
    if (window < 0) {
        dfi_error("%s: df_pipe_opts.window = %ld is negative: df chooses the number of items in flight, as for 0; use "
                  "0 or a positive number", site, window);
        window = 0;
    }
    if (most < 0)
        dfi_error("%s: df_pipe_opts.workers = %d is negative: all workers run the pipe; use 0 or a positive number",
                  site, most);
    if (w && dfi_dropped(w)) return 0;
    b = dfi_scope_enter(site);
    if (w && DFI_UNLIKELY(dfi_gated_body(w->scope) != NULL)) {
        dfi_gates_await(w, dfi_gated_body(w->scope));
        if (dfi_up_waited_on) { /* it may access all that the body declares weakly */
            struct dfi_access all;
            memset((void *)&all, 0, sizeof all);
            all.rows = 1, all.row = SIZE_MAX;
            dfi_up_waited_on(w, &all);
        }
    }
    if (!window) {
        window = w ? dfi_workers() : 1;
        if (most > 0 && most < window) window = most;
        window *= DFI_PIPE_WINDOW;
    }
    /* no worker could join */
    alone = !w || !b.scope || b.borrowed || ((dfi_alone() || most == 1) && !dfi_turns());
    if (alone) window = 1;
    if (dfi_pipe_alloc(&p, (unsigned long)window)) {
        dfi_error("%s: df_pipe(%s, ...): no memory for one item of %lu bytes: no stage runs, and the call returns "
                  "DF_ERROR_MEMORY", site, type->name, (unsigned long)type->item_bytes);
        dfi_scope_leave(&b);
        return DF_ERROR_MEMORY;
    }
    if (dfi_up_items) dfi_up_items(b.scope, p.slots, (size_t)(p.end - p.slots));
    if (alone) p.begun = (unsigned long)dfi_pipe_items(type, site, ctx, memset(p.slots, 0, type->item_bytes));
    else {
        p.team.scope = b.scope, p.team.wants = dfi_pipe_wants, p.team.work = dfi_pipe_work;
        p.team.most = most > 0 ? most - 1 : INT_MAX;
        p.team.told = dfi_pipe_told, p.team.what = "pipe";
        p.begun = p.retired = 0;
        p.at = p.oldest = (struct dfi_slot *)(void *)p.slots, p.fresh = p.slots;
        p.first = 0;
        p.ending = p.solo = 0;
        dfi_store_relaxed(&p.feeder, (int)DFI_FEEDER_FREE);
        dfi_store_relaxed(&p.stop, 0);
        dfi_store_relaxed(&p.ready, NULL);
        dfi_store_relaxed(&p.tiny, 0);
        dfi_store_relaxed(&p.news, (intptr_t)1);
        dfi_code_pause(w, 0);
        dfi_team_open(w, &p.team);
        dfi_pipe_own(w, &p);
        dfi_team_close(w, &p.team);
        dfi_code_resume(w, 0);
    }
    if (dfi_up_items) dfi_up_items(b.scope, NULL, 0);
    dfi_mfree(p.memory);
    if (threw) dfi_scope_leave_catching(&b, threw);
    else dfi_scope_leave(&b);
    return (long)p.begun;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
