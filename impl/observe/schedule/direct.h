/* direct.h - df_config.schedule: start and stop, and random choices in df_submit and df_spawn */
#ifndef DFI_OBSERVE_SCHEDULE_DIRECT_H
#define DFI_OBSERVE_SCHEDULE_DIRECT_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../os/os.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/task.h"
#include "../../flow/life.h"
#include "../../more/state.h"
#include "../watching.h"
#include "baton.h"
#include "setting.h"
#include "chaos.h"
#include "log.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_SETTLE_MS = 100 }; /* for helpers to start: on a busy machine, several time slices */

/* --- start and stop; pre: the lock of the pool ------------------------------------------------------ */

/* Opens the log to read (replay) or to write when df starts with n workers. Returns the number of
 * workers required. */
static int dfi_baton_begin(const struct dfi_schedule *c, int n, uint32_t settings)
{
    struct dfi_schedule_log *r = dfi_baton.log;
    const struct dfi_schedule_step *s;
    struct dfi_named_file room;
    const char *file = dfi_file_named(c->file, &room);
    if (r && r->process != dfi_process() && !strcmp(file, r->file)) {
        dfi_warn("%s%s is the file of the process that this process was forked from: this process is neither recorded "
                 "nor replayed", c->origin, file);
        return n;
    }
    if (r && (strcmp(file, r->file) || c->replays != (r->in != NULL))) {
        dfi_baton_forget();
        r = NULL;
    }
    if (!r && !(r = dfi_baton.log = dfi_schedule_log_open(file, c->origin, c->replays))) return n;
    dfi_os_lock(&dfi_baton.lock);
    dfi_baton.points = dfi_seed;
    dfi_store_relaxed(&dfi_baton.check, settings);
    dfi_baton.ended = DFI_STEP_DROP;
    dfi_store_relaxed(&dfi_baton.holder, (int)DFI_BATON_NOBODY);
    if (!c->replays) dfi_baton_write(DFI_STEP_START, (unsigned)n);
    else if (!(s = dfi_schedule_log_next(r)) || dfi_step_kind(s) != DFI_STEP_START || !dfi_baton_checks(s) ||
             dfi_step_who(s) - 1 >= DFI_WORKERS_MOST)
        dfi_baton_misfit();
    else {
        dfi_seed = s->points, n = (int)dfi_step_who(s);
        dfi_schedule_log_used(r);
    }
    dfi_baton_new_step();
    if (dfi_baton.log) {
        dfi_store_relaxed(&dfi_baton.on, c->replays ? (int)DFI_BATON_REPLAYS : (int)DFI_BATON_RECORDS);
        if (c->replays && (s = dfi_schedule_log_next(r)) != NULL && dfi_step_kind(s) != DFI_STEP_END)
            dfi_baton_follow(s);
        else dfi_baton.expected = DFI_BATON_NOBODY;
    }
    dfi_os_unlock(&dfi_baton.lock);
    return n;
}

static struct dfi_schedule dfi_schedule; /* pool lock */
static void dfi_direct_read(const df_config *c) { dfi_schedule_read(&dfi_schedule, c); }

/* df starts, with w as its first worker. pre: no worker runs */
static void dfi_direct_begin(struct dfi_worker *w)
{
    const struct dfi_more_set *m = &dfi_more_set;
    uint64_t settings = dfi_mix((uint64_t)dfi_flow_pool.window, (uint64_t)dfi_pool.deque);
    struct dfi_schedule *s = &dfi_schedule;
    dfi_seed = s->seed;
    settings = dfi_mix(settings, (uint64_t)(dfi_flow_defer + 2 * m->deterministic + 4 * m->ahead));
    settings = dfi_mix(settings, (uint64_t)m->rename_bytes);
    if (s->file) dfi_pool.n_planned = dfi_baton_begin(s, dfi_pool.n_planned, (uint32_t)settings);
    else dfi_baton_forget();
    dfi_worker_directed(w);
    dfi_watch(dfi_observer_direct,
              dfi_chaotic() || dfi_baton_on() ? DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(TURN) : 0);
    dfi_store_relaxed(&dfi_directed, (dfi_chaotic() ? (unsigned)DFI_SEEDED : 0u) |
                                         (dfi_baton_on() ? (unsigned)DFI_TURNS : 0u) |
                                         (dfi_baton_replays() ? (unsigned)DFI_REPLAYS : 0u));
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
    const struct dfi_schedule_step *s;
    int holder, settled, first = 1;
    if (!dfi_baton_on()) return;
    dfi_os_lock(&dfi_baton.lock);
    holder = dfi_load_relaxed(&dfi_baton.holder);
    /* else an idle worker still looks for work */
    settled = (holder == DFI_BATON_NOBODY && dfi_baton.expected == DFI_BATON_NOBODY) ||
        (w && holder == (int)dfi_slot_of(w));
    if (dfi_baton_on() && !dfi_baton_replays()) dfi_baton_write(DFI_STEP_END, (unsigned)settled);
    else if (dfi_baton_on())
        for (; dfi_baton.log && (s = dfi_schedule_log_next(dfi_baton.log)) != NULL &&
             dfi_step_kind(s) != DFI_STEP_START; first = 0) {
            if (first && settled && dfi_step_kind(s) == DFI_STEP_END && dfi_step_who(s) &&
                (s->points != dfi_baton.points || !dfi_baton_checks(s)))
                dfi_baton_misfit();
            else dfi_schedule_log_used(dfi_baton.log);
        }
    dfi_baton_free();
    dfi_os_unlock(&dfi_baton.lock);
}

/* --- the director of the core (work/director.h) ----------------------------------------------------- */

/* A point where w may be delayed, or lose the baton. */
static DFI_COLD void dfi_direct_point(struct dfi_worker *w)
{
    if (dfi_baton_on()) dfi_baton_point(w);
    else if (dfi_chaotic()) dfi_chaos_hold_up(w);
}
static DFI_COLD void dfi_direct_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    const struct dfi_body *b = (const struct dfi_body *)on;
    (void)other, (void)a;
    if (p == DFI_AT_BEGIN) dfi_direct_body(w, b->name, b->task);
    else dfi_direct_point(w);
}
static int dfi_direct_backwards(struct dfi_worker *w)
{
    return dfi_chaos_draw(w) % 2 == dfi_chaos_habit(DFI_HABIT_BACKWARDS, 2);
}

#define dfi_up_turn_take_by , dfi_baton_take
#define dfi_up_turn_drop_by , dfi_baton_drop
#define dfi_up_turn_outside_by , dfi_baton_outside
#define dfi_up_turn_point_by , dfi_direct_point
#define dfi_up_turn_look_by , dfi_baton_look
#define dfi_up_stranger_by , dfi_baton_stranger
#define dfi_up_stranger_is_by , dfi_baton_become
#define dfi_up_now_and_then_by , dfi_chaos_now_and_then
#define dfi_up_rank_by , dfi_chaos_place
#define dfi_up_backwards_by , dfi_direct_backwards
#define dfi_up_clock_by , dfi_direct_clock

DFI_SMALL_CODE_END

#endif
