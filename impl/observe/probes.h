/* probes.h - observation points of the runtime: events, schedule control, stall reports
 *
 * dfi_watching says which observers are active. It is usually 0, and then a task pays for all of
 * them together with one load and one branch; df_spawn and df_sync have no probes. It changes only
 * while no worker runs anything.
 *
 * An observed worker has a chain of running bodies: the innermost first, followed by those that wait
 * for it to end. */
#ifndef DFI_OBSERVE_PROBES_H
#define DFI_OBSERVE_PROBES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/wait.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/task.h"
#include "../work/deque.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "event.h"
#include "events.h"
#include "graph/graph.h"
#include "schedule/baton.h"
#include "schedule/chaos.h"
#include "stall/waits.h"
#include "stats/perf.h"
#include "trace/life.h"
#include "../api/hooks.h"

DFI_INLINE unsigned dfi_watched(void) { return dfi_load_relaxed(&dfi_watching); }

/* True if an observer has to see every task. That changes what is recorded, never the order of tasks. */
DFI_INLINE int dfi_observed(void) { return dfi_watched() || DFI_GRAPH(); }

static void dfi_graph_ran(const struct dfi_flow *t, uint64_t ticks);

/* The time, in ticks, of an event of w. It is later than that of the previous event, even if the
 * clock ticks more slowly than events come; so an earlier event has a smaller time. */
static uint64_t dfi_watch_now(struct dfi_worker *w)
{
    uint64_t now = dfi_ticks();
    if (DFI_UNLIKELY(now <= w->pen.now)) now = w->pen.now + 1;
    return w->pen.now = now;
}

/* --- bodies ---------------------------------------------------------------------------------------- */

/* A running body, on the stack of its thread: of a task, a spawned function, part of a loop, a stage
 * of a pipe. Constant while it is in the chain, except for its owner's counters. */
struct dfi_running {
    struct dfi_running *outer;    /* the body that it is nested in, or NULL */
    const char *name;             /* constant: the name of the function */
    const struct dfi_type *type;  /* NULL: a loop or a pipe */
    const struct dfi_flow *task;  /* NULL: none, or it ran immediately */
    const struct dfi_future *future; /* the future that another worker took, or NULL */
    uint64_t id, began;
    struct dfi_not_own others;
    uint32_t text;                /* its name, with df_opts.name */
    unsigned level;               /* DFI_RAN_.. */
    /* 0: not counted; else 1, and 1 more for each wait that it is in, because bodies that run in its
     * waits are not counted for it */
    unsigned counted;
    uint64_t count[DFI_PERF_NUMBERS]; /* observe/stats/perf.h */
};

static uint64_t dfi_running_id(const struct dfi_worker *w)
{
    const struct dfi_running *r = dfi_load_relaxed(&w->running);
    return r ? r->id : 0;
}

static const char *dfi_flow_name(const struct dfi_flow *t)
{
    return t->task.mem.special == 1 && t->extra->name ? t->extra->name : t->type->name;
}

/* A point where w may be delayed, or lose the baton: observe/schedule/chaos.h, observe/schedule/baton.h. */
static DFI_COLD void dfi_watch_point(struct dfi_worker *w)
{
    if (dfi_baton_on()) dfi_baton_point(w);
    else if (dfi_chaotic()) dfi_chaos_hold_up(w);
}

/* The text of a name that a program may have made, or else of the name of the function. */
static uint32_t dfi_watch_name(struct dfi_worker *w, const char *name, const char *otherwise)
{
    uint32_t text = DFI_LIKELY(name == otherwise) ? 0 : dfi_pen_text(&w->pen, name);
    return text ? text : dfi_event_text(w, otherwise);
}

/* Counts for r from here on, no longer for the body below it. */
static DFI_COLD void dfi_watch_count_begin(struct dfi_worker *w, struct dfi_running *r)
{
    memset((void *)r->count, 0, sizeof r->count);
    r->counted = dfi_perf_turn(w, r->outer && r->outer->counted == 1 ? r->outer->count : NULL) == 0;
}

/* The innermost body of w begins to wait, or continues. Meanwhile the bodies nested in the wait are
 * counted, or none. */
static DFI_COLD void dfi_watch_count_waits(struct dfi_worker *w, int begins)
{
    struct dfi_running *r = dfi_load_relaxed(&w->running);
    if (!r || !r->counted) return;
    if (begins && r->counted++ == 1) dfi_perf_turn(w, r->count);
    else if (!begins && r->counted > 1 && --r->counted == 1) dfi_perf_turn(w, NULL);
}

static DFI_COLD void dfi_watch_counted(struct dfi_worker *w, const struct dfi_running *r)
{
    const uint64_t *c = r->count;
    dfi_event_put_level(w, DFI_E_PERF, c[0], c[1], c[2], r->text, 0);
    if (w->perf.n > 1) dfi_event_put_level(w, DFI_E_PERF, c[3], c[4], c[5], r->text, 1);
}

/* pre: dfi_watched(); r->future is set. type, t: NULL if there is none; name: may be freed when the
 * body ends */
static void dfi_watch_begin(struct dfi_worker *w, struct dfi_running *r, unsigned level, const char *function,
                            const struct dfi_type *type, const struct dfi_flow *t, const char *name)
{
    unsigned stall = dfi_watched() & DFI_WATCH_STALL;
    if (dfi_watched() & DFI_WATCH_DIRECT) dfi_direct_body(w, function, t);
    r->outer = dfi_load_relaxed(&w->running);
    r->name = function, r->type = type, r->task = t, r->level = level;
    r->others.ticks = r->others.before = 0;
    r->id = t ? dfi_id_of(t, t->seq) : dfi_id_new(w);
    r->text = dfi_watched() & DFI_WATCH_EVENTS ? dfi_watch_name(w, name, function) : 0;
    r->counted = 0;
    if (dfi_watched() & DFI_WATCH_PERF) dfi_watch_count_begin(w, r);
    if (stall) dfi_stall_change(w);
    r->began = dfi_watch_now(w);
    dfi_store_release(&w->running, r); /* passes the record to a thread that looks at the running bodies of w */
    if (stall) dfi_os_unlock(&w->watch_lock);
}

static void dfi_watch_end(struct dfi_worker *w, struct dfi_running *r)
{
    uint64_t now = dfi_watch_now(w);
    unsigned stall = dfi_watched() & DFI_WATCH_STALL, counted = dfi_watched() & DFI_WATCH_PERF ? r->counted : 0;
    if (counted) dfi_perf_turn(w, r->count);
    (r->outer ? &r->outer->others : &w->pen.others)->ticks += now - r->began;
    if (dfi_watched() & DFI_WATCH_EVENTS) {
        if (r->task && DFI_GRAPH()) dfi_graph_ran(r->task, now - r->began - r->others.ticks);
        if (r->task && !(r->level & DFI_RAN_INTERNAL))
            dfi_store_relaxed(&w->pen.unfinished, dfi_load_relaxed(&w->pen.unfinished) - 1);
        dfi_event_sample(w, now, DFI_STATE_US);
        if (r->others.ticks) dfi_event_put(w, DFI_E_OWN, 0, 0, now - r->began - r->others.ticks, 0);
        dfi_event_put_level(w, DFI_E_RUN, r->began, r->id, now - r->began, r->text, r->level);
        if (counted && !(r->level & DFI_RAN_INTERNAL)) dfi_watch_counted(w, r);
    }
    if (stall) dfi_stall_change(w);
    dfi_store_release(&w->running, r->outer);
    if (stall) dfi_os_unlock(&w->watch_lock);
    if (dfi_watched() & DFI_WATCH_DIRECT) dfi_watch_point(w);
}

static DFI_NOINLINE void dfi_watch_run(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                       const struct dfi_flow *t)
{
    struct dfi_running r;
    unsigned level = type->modes & (DFI_INTERNAL | DFI_UNCOUNTED) ? (unsigned)DFI_RAN_INTERNAL : 0u;
    if (!t) level |= DFI_RAN_INLINE;
    r.future = NULL;
    dfi_watch_begin(w, &r, level, type->name, type, t, t ? dfi_flow_name(t) : type->name);
    type->run(args, NULL);
    dfi_watch_end(w, &r);
}

DFI_INLINE void dfi_watch_body(struct dfi_worker *w, const struct dfi_type *type, void *args, const struct dfi_flow *t)
{
    if (DFI_LIKELY(!dfi_watched())) type->run(args, NULL);
    else dfi_watch_run(w, type, args, t);
}

/* Runs the body of a task. t: its record, or NULL. */
DFI_INLINE void dfi_body_run(struct dfi_worker *w, const struct dfi_type *type, void *args, struct dfi_flow *t)
{
#if DF_CHECK
    dfi_check_run(w, type, args, t);
#else
    dfi_watch_body(w, type, args, t);
#endif
}

/* Around part of a loop, or a stage of a pipe. w may be NULL. Nonzero: dfi_watch_part_end must
 * follow; it gets the first and last iterations, or stage and item. */
DFI_INLINE int dfi_watch_part_begin(struct dfi_worker *w, struct dfi_running *r, unsigned level, const char *name)
{
    if (DFI_LIKELY(!dfi_watched()) || !w) return 0;
    r->future = NULL;
    dfi_watch_begin(w, r, level, name, NULL, NULL, name);
    return 1;
}
static DFI_COLD void dfi_watch_part_end(struct dfi_worker *w, struct dfi_running *r, long first, long last)
{
    if (dfi_watched() & DFI_WATCH_EVENTS) dfi_event_put(w, DFI_E_PART, (uint64_t)first, (uint64_t)last, 0, 0);
    dfi_watch_end(w, r);
}

/* --- submission ------------------------------------------------------------------------------------ */

/* t is being submitted, and has its options. */
static DFI_COLD void dfi_watch_submit(struct dfi_worker *w, const struct dfi_flow *t,
                                      const struct dfi_access *x, unsigned n)
{
    const char *site = w->opts ? w->opts_site : t->task.mem.special == 1 ? t->extra->site : NULL;
    unsigned i;
    if (dfi_watched() & DFI_WATCH_DIRECT) dfi_watch_point(w);
    if (!(dfi_watched() & DFI_WATCH_EVENTS) || t->type->modes & DFI_INTERNAL) return;
    dfi_store_relaxed(&w->pen.unfinished, dfi_load_relaxed(&w->pen.unfinished) + 1);
    dfi_event_put_level(w, DFI_E_SUBMIT, dfi_watch_now(w), dfi_id_of(t, t->seq), dfi_running_id(w),
                        dfi_watch_name(w, dfi_flow_name(t), t->type->name),
                        (unsigned)dfi_load_relaxed(&t->scope->depth));
    if (!(dfi_watched() & DFI_WATCH_TRACE)) return;
    if (site) dfi_event_put(w, DFI_E_SITE, 0, 0, 0, dfi_event_text(w, site));
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_WRITES && x[i].rows)
            dfi_event_put_level(w, DFI_E_WRITE, (uintptr_t)x[i].p, x[i].rows, x[i].row,
                                dfi_event_text(w, t->type->labels), i);
}

/* t, a tile of a wavefront, is being submitted; the trace does not show it. */
static DFI_COLD void dfi_watch_tile(struct dfi_worker *w, const struct dfi_flow *t)
{
    if (dfi_watched() & DFI_WATCH_STATS)
        dfi_event_put_level(w, DFI_E_SUBMIT, dfi_watch_now(w), dfi_id_of(t, t->seq), dfi_running_id(w),
                            dfi_event_text(w, t->type->name),
                            (unsigned)dfi_load_relaxed(&t->scope->depth));
}

/* t, which is being submitted, comes after the task in `before`. */
static DFI_COLD void dfi_watch_edge(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_ref *before)
{
    if (dfi_watched() & DFI_WATCH_EVENTS)
        dfi_event_put(w, DFI_E_EDGE, 0, dfi_id_of(before->task, before->seq), dfi_id_of(t, t->seq), 0);
}

enum { DFI_WATCH_KEEPS = 1 << 16 }; /* 1 MB of a list of tasks */
static int dfi_watch_keeps(size_t n) { return (dfi_watched() & DFI_WATCH_STATS) && n < DFI_WATCH_KEEPS; }

/* Attributes the releases of w from now on to the end of t; NULL: no more. */
static DFI_COLD void dfi_watch_ends(struct dfi_worker *w, const struct dfi_flow *t)
{
    w->pen.ends = t ? dfi_id_of(t, t->seq) : 0;
}

/* t is released, or would be if it did not wait for more: by a token, an input, or elements of a
 * stream. w may be NULL. */
static DFI_COLD void dfi_watch_release(struct dfi_worker *w, const struct dfi_flow *t)
{
    uint64_t id;
    if (!w || !(dfi_watched() & DFI_WATCH_EVENTS)) return;
    if ((id = w->pen.ends) != 0) dfi_event_put(w, DFI_E_EDGE, 0, id, dfi_id_of(t, t->seq), 0);
    else {
        if ((id = dfi_running_id(w)) != 0) dfi_event_put_level(w, DFI_E_EDGE, 0, id, dfi_id_of(t, t->seq), 0, 1);
        dfi_event_put(w, DFI_E_SIGNAL, dfi_watch_now(w), dfi_id_of(t, t->seq), id, 0);
    }
}

/* dfi_attempt_hook. Makes a thread that uses only transactions one of df's, so that it has a track. */
static void dfi_watch_attempt(const char *site, int how)
{
    static DFI_TLS uint64_t began; /* 0: an attempt nested in the block had one of its own */
    struct dfi_worker *w;
    if (!(dfi_watched() & DFI_WATCH_TRACE)) return;
    w = how == DFI_ATOMIC_BEGINS ? dfi_me_attached() : dfi_me(); /* it may be the end of the thread */
    if (!w) return;
    if (how != DFI_ATOMIC_BEGINS && began)
        dfi_event_put_level(w, DFI_E_ATOMIC, began, 0, dfi_watch_now(w) - began, dfi_event_text(w, site),
                            (unsigned)how);
    began = how == DFI_ATOMIC_BEGINS ? dfi_watch_now(w) : 0;
}

/* --- workers --------------------------------------------------------------------------------------- */

static DFI_COLD void dfi_watch_steal(struct dfi_worker *w, const struct dfi_loot *loot)
{
    const struct dfi_flow *t = (const struct dfi_flow *)((uintptr_t)loot->entry & ~DFI_FLOW);
    /* a spawned function: reported when it begins */
    if (dfi_watched() & DFI_WATCH_EVENTS && (uintptr_t)loot->entry & DFI_FLOW)
        dfi_event_put(w, DFI_E_STEAL, dfi_watch_now(w), dfi_id_of(t, t->seq),
                      (uint64_t)(unsigned)loot->victim->pen.slot, 0);
}

/* A spawned function that w has stolen from victim begins. */
static DFI_COLD void dfi_watch_stolen(struct dfi_worker *w, const struct dfi_running *r,
                                      const struct dfi_worker *victim)
{
    if (dfi_watched() & DFI_WATCH_EVENTS)
        dfi_event_put_level(w, DFI_E_STEAL, r->began, r->id, (uint64_t)(unsigned)victim->pen.slot, 0, 1);
}

/* w is about to park, and was parked. */
static DFI_COLD uint64_t dfi_watch_sleeps(struct dfi_worker *w)
{
    uint64_t now = dfi_watch_now(w);
    if (dfi_watched() & DFI_WATCH_EVENTS) dfi_event_sample(w, now, DFI_STATE_PARK_US);
    return now;
}
static DFI_COLD void dfi_watch_slept(struct dfi_worker *w, uint64_t since)
{
    if (dfi_watched() & DFI_WATCH_EVENTS) dfi_event_put(w, DFI_E_PARK, since, 0, dfi_watch_now(w) - since, 0);
}

static struct dfi_not_own *dfi_watch_others(struct dfi_worker *w)
{
    struct dfi_running *r = dfi_load_relaxed(&w->running);
    return r ? &r->others : &w->pen.others;
}

/* w begins to wait. Returns the time. */
static DFI_COLD uint64_t dfi_watch_waits(struct dfi_worker *w)
{
    struct dfi_not_own *o = dfi_watch_others(w);
    uint64_t now = dfi_watch_now(w);
    o->before = o->ticks;
    if (dfi_watched() & DFI_WATCH_PERF) dfi_watch_count_waits(w, 1);
    return now;
}

/* The wait that began at `since` ends, and is about to be reported. Returns its duration. */
static uint64_t dfi_watch_wait_ends(struct dfi_worker *w, uint64_t since)
{
    struct dfi_not_own *o = dfi_watch_others(w);
    uint64_t ticks = dfi_watch_now(w) - since, others = o->ticks - o->before;
    if (others) dfi_event_put(w, DFI_E_OWN, 0, 0, ticks - others, 0);
    o->ticks = o->before + ticks;
    return ticks;
}

/* w has waited since x->began. */
static DFI_COLD void dfi_watch_waited(struct dfi_worker *w, const struct dfi_wait *x)
{
    const struct dfi_scope *s = x->kind == DFI_WAIT_SCOPE || x->kind == DFI_WAIT_ROOM
        ? (const struct dfi_scope *)x->on : NULL;
    uint64_t ticks;
    if (dfi_watched() & DFI_WATCH_PERF) dfi_watch_count_waits(w, 0);
    if (!(dfi_watched() & DFI_WATCH_EVENTS) || (s && !s->births)) return;
    ticks = dfi_watch_wait_ends(w, x->began);
    dfi_event_put_level(w, x->kind == DFI_WAIT_ROOM ? DFI_E_ROOM : DFI_E_WAIT, x->began, dfi_running_id(w), ticks,
                        (uint32_t)x->kind,
                        s ? (unsigned)dfi_load_relaxed(&s->depth) : 0);
}

/* w is about to wait for t, which it is about to submit. */
static DFI_COLD void dfi_watch_until(struct dfi_worker *w, const struct dfi_flow *t)
{
    if (dfi_watched() & DFI_WATCH_EVENTS)
        dfi_event_put(w, DFI_E_UNTIL, dfi_watch_now(w), dfi_id_of(t, t->seq), dfi_running_id(w), 0);
}

/* A thread begins to be the worker w, or ends to be it. how: as in DFI_E_THREAD. */
static void dfi_watch_thread(struct dfi_worker *w, int how)
{
    if (dfi_watched() & DFI_WATCH_EVENTS)
        dfi_event_put(w, DFI_E_THREAD, dfi_watch_now(w), (uint64_t)(unsigned)w->index, (uint64_t)(unsigned)how, 0);
}

#endif
