/* direct.h - df_config.schedule: start and stop, and random choices in df_submit and df_spawn */
#ifndef DFI_OBSERVE_SCHEDULE_DIRECT_H
#define DFI_OBSERVE_SCHEDULE_DIRECT_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../os/wait.h"
#include "../../work/deque.h"
#include "../../work/nest.h"
#include "../../work/worker.h"
#include "../../work/goal.h"
#include "../../work/stack.h"
#include "../../work/find.h"
#include "../../work/settings.h"
#include "../../work/types.h"
#include "../../flow/task.h"
#include "../events.h"
#include "baton.h"
#include "chaos.h"
#include "tape.h"
#include "../../api/hooks.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_SETTLE_MS = 100 }; /* for helpers to start: on a busy machine, several time slices */

/* --- submit and spawn ------------------------------------------------------------------------------ */

/* With a seed: t was submitted; ready: it may run. It joins the other ready tasks, one of which may
 * run before the submitter continues. */
static DFI_COLD void dfi_chaos_submitted(struct dfi_worker *w, struct dfi_flow *t, int ready)
{
    struct dfi_goal g;
    struct dfi_filter f;
    struct dfi_loot loot;
    if (ready && !dfi_ready_special(w, t)) dfi_push(w, t); /* no memory for the queue */
    if (dfi_asked(w)) dfi_poll(w);
    if (*dfi_block_here || !dfi_chaos_now_and_then(w, DFI_HABIT_SUBMIT) || dfi_nested_deeply(w)) return;
    /* a task may wait for the submitter, and so must not run nested in it */
    if (dfi_load_relaxed(&dfi_may_block)) return;
    g.kind = DFI_GOAL_SCOPE, g.scope = w->scope, g.future = NULL, g.flag = NULL;
    if (!dfi_goal_filter(&g, &f) || !dfi_take_queued(w, &f, 0, &loot)) return;
    loot.outside = 0, loot.team = NULL;
    dfi_flush(w);
    dfi_nest_begin(w);
    dfi_level(w, 1);
    dfi_run_loot(w, &loot, NULL);
    dfi_level(w, -1);
    dfi_nest_end(w);
}

/* --- start and stop; pre: the lock of the pool ------------------------------------------------------ */

/* Opens the record to read (replay) or to write when df starts with n workers. Returns the number of
 * workers required. */
static int dfi_baton_begin(const struct dfi_schedule *c, int n, uint32_t settings)
{
    struct dfi_tape *r = dfi_baton.record;
    const struct dfi_tape_step *s;
    if (r && r->process != dfi_process()) {
        dfi_warn("%s%s is the file of the process that this one was forked from: this one is neither recorded nor "
                 "replayed", c->origin, c->file);
        return n;
    }
    if (r && (strcmp(c->file, r->file) || c->replays != (r->in != NULL))) {
        dfi_baton_forget();
        r = NULL;
    }
    if (!r && !(r = dfi_baton.record = dfi_tape_open(c->file, c->origin, c->replays))) return n;
    dfi_os_lock(&dfi_baton.lock);
    dfi_baton.points = dfi_pool.chaos;
    dfi_store_relaxed(&dfi_baton.check, settings);
    dfi_baton.ended = DFI_STEP_DROP;
    dfi_store_relaxed(&dfi_baton.holder, (int)DFI_BATON_NOBODY);
    if (!c->replays) dfi_baton_write(DFI_STEP_START, (unsigned)n);
    else if (!(s = dfi_tape_peek(r)) || dfi_step_kind(s) != DFI_STEP_START || !dfi_baton_checks(s) ||
             dfi_step_who(s) - 1 >= DFI_WORKERS_MOST)
        dfi_baton_misfit();
    else {
        dfi_pool.chaos = s->points, n = (int)dfi_step_who(s);
        dfi_tape_used(r);
    }
    dfi_baton_new_step();
    if (dfi_baton.record) {
        dfi_store_relaxed(&dfi_baton.on, c->replays ? (int)DFI_BATON_REPLAYS : (int)DFI_BATON_RECORDS);
        if (c->replays && (s = dfi_tape_peek(r)) != NULL && dfi_step_kind(s) != DFI_STEP_END) dfi_baton_follow(s);
        else dfi_baton.expected = DFI_BATON_NOBODY;
    }
    dfi_os_unlock(&dfi_baton.lock);
    return n;
}

/* df starts, with w as its first worker. pre: no worker runs */
static void dfi_direct_begin(struct dfi_worker *w, struct dfi_settings *s)
{
    uint64_t settings = dfi_mix((uint64_t)s->window, (uint64_t)s->deque);
    dfi_pool.chaos = s->schedule.seed;
    settings = dfi_mix(settings, (uint64_t)(s->defer + 2 * s->deterministic + 4 * s->speculate));
    settings = dfi_mix(settings, (uint64_t)s->rename_bytes);
    if (s->schedule.file) s->workers = dfi_baton_begin(&s->schedule, s->workers, (uint32_t)settings);
    else dfi_baton_forget();
    dfi_worker_directed(w);
    dfi_store_relaxed(&dfi_watching, (dfi_load_relaxed(&dfi_watching) & ~(unsigned)DFI_WATCH_DIRECT) |
                                         (dfi_chaotic() || dfi_baton_on() ? (unsigned)DFI_WATCH_DIRECT : 0u));
}

/* Waits until all n workers of a recorded run have started and parked, so that none is late for the
 * whole program. */
static void dfi_direct_settle(int n)
{
    int ms;
    for (ms = 0; dfi_baton_on() && ms < DFI_SETTLE_MS && dfi_load_seq_cst(&dfi_pool.parked_idle) < n - 1; ms++)
        dfi_os_sleep_ms();
}

/* df or the program ends: threads run freely from here on. */
static void dfi_baton_end(void)
{
    struct dfi_worker *w = dfi_me();
    const struct dfi_tape_step *s;
    int holder, settled, first = 1;
    if (!dfi_baton_on()) return;
    dfi_os_lock(&dfi_baton.lock);
    holder = dfi_load_relaxed(&dfi_baton.holder);
    /* else an idle worker still looks for work */
    settled = (holder == DFI_BATON_NOBODY && dfi_baton.expected == DFI_BATON_NOBODY) ||
        (w && holder == (int)dfi_slot_of(w));
    if (dfi_baton_on() && !dfi_baton_replays()) dfi_baton_write(DFI_STEP_END, (unsigned)settled);
    else if (dfi_baton_on())
        for (; dfi_baton.record && (s = dfi_tape_peek(dfi_baton.record)) != NULL &&
             dfi_step_kind(s) != DFI_STEP_START; first = 0) {
            if (first && settled && dfi_step_kind(s) == DFI_STEP_END && dfi_step_who(s) &&
                (s->points != dfi_baton.points || !dfi_baton_checks(s)))
                dfi_baton_misfit();
            else dfi_tape_used(dfi_baton.record);
        }
    dfi_baton_free();
    dfi_os_unlock(&dfi_baton.lock);
}

DFI_SMALL_CODE_END

#endif
