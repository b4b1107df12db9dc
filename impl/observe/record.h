/* record.h - the recorder: writes an event (event.h) for each point of the core (work/probe.h) that its readers need */
#ifndef DFI_OBSERVE_RECORD_H
#define DFI_OBSERVE_RECORD_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/task.h"
#include "../work/types.h"
#include "../flow/types.h"
#include "../work/worker.h"
#include "chains.h"
#include "event.h"
#include "events.h"
#include "identity.h"
#include "graph/graph.h"
#include "../work/future.h"
#include "../work/probe.h"
#include "../flow/body.h"
#include "../flow/extra.h"
#include "../api/hooks.h"
#include "graph/hook.h"
#include "../more/points.h"

/* Records the time of t's body, without nested ones. */
static DFI_COLD void dfi_graph_ran(const struct dfi_flow *t, uint64_t ticks)
{
    struct dfi_g_item *i = dfi_graph_of_task(t);
    struct dfi_graph *g = DFI_GRAPH();
    uint64_t all = dfi_ticks() - dfi_events.ticks;
    if (!i) return;
    dfi_graph_lock();
    i->took = ticks ? ticks : 1;
    g->ns_per_tick = (double)(dfi_os_ns() - dfi_events.ns) / (double)(all ? all : 1);
    g->changed = 1;
    dfi_graph_unlock();
}

/* The time, in ticks, of an event of w. It is later than that of the previous event, even if the
 * clock ticks more slowly than events come; so an earlier event has a smaller time. */
static uint64_t dfi_watch_now(struct dfi_worker *w)
{
    uint64_t now = dfi_ticks();
    if (DFI_UNLIKELY(now <= dfi_events_of(w)->now)) now = dfi_events_of(w)->now + 1;
    return dfi_events_of(w)->now = now;
}

/* --- bodies ---------------------------------------------------------------------------------------- */

static uint64_t dfi_running_id(struct dfi_worker *w)
{
    struct dfi_body *b = dfi_load_relaxed(&dfi_chains_of(w)->running);
    return b ? dfi_body_id(w, b) : 0;
}

/* The text of a name that a program may have made, or else of the name of the function. */
static uint32_t dfi_watch_name(struct dfi_worker *w, const char *name, const char *otherwise)
{
    uint32_t text = DFI_LIKELY(name == otherwise) ? 0 : dfi_event_buffer_text(dfi_events_of(w), name);
    return text ? text : dfi_event_text(w, otherwise);
}

static void dfi_watch_begin(struct dfi_worker *w, struct dfi_body *b)
{
    struct dfi_recorded_body *r = dfi_recorded_of(b);
    dfi_body_id(w, b);
    r->text = dfi_watch_name(w, b->title, b->name);
    r->began = dfi_watch_now(w);
    if (b->victim) /* a spawned function: reported here, not when it was stolen */
        dfi_event_put_level(w, DFI_E_STEAL, r->began, b->id, (uint64_t)(unsigned)dfi_events_of(b->victim)->slot, 0, 1);
}

static void dfi_watch_end(struct dfi_worker *w, struct dfi_body *b)
{
    struct dfi_recorded_body *r = dfi_recorded_of(b);
    uint64_t now;
    if (b->part) dfi_event_put(w, DFI_E_PART, (uint64_t)b->first, (uint64_t)b->last, 0, 0);
    now = dfi_watch_now(w);
    *(b->outer ? &dfi_recorded_of(b->outer)->others : &dfi_events_of(w)->others) += now - r->began;
    if (b->task && DFI_GRAPH()) dfi_graph_ran(b->task, now - r->began - r->others);
    if (b->task && !(b->kind & DFI_RAN_INTERNAL))
        dfi_store_relaxed(&dfi_events_of(w)->unfinished, dfi_load_relaxed(&dfi_events_of(w)->unfinished) - 1);
    dfi_event_sample(w, now, DFI_STATE_US);
    if (r->others) dfi_event_put(w, DFI_E_OWN, 0, 0, now - r->began - r->others, 0);
    dfi_event_put_level(w, DFI_E_RUN, r->began, b->id, now - r->began, r->text, b->kind);
}

/* --- submission ------------------------------------------------------------------------------------ */

/* t is being submitted, and has its options. */
static DFI_COLD void dfi_watch_submit(struct dfi_worker *w, const struct dfi_flow *t,
                                      const struct dfi_access *x, unsigned n)
{
    const struct dfi_flow_worker *f = dfi_tasks_of(w);
    const char *site = f->opts ? f->opts_site : t->task.mem.special == 1 ? t->extra->site : NULL;
    unsigned i;
    if (t->type->modes & DFI_INTERNAL) return;
    dfi_store_relaxed(&dfi_events_of(w)->unfinished, dfi_load_relaxed(&dfi_events_of(w)->unfinished) + 1);
    dfi_event_put_level(w, DFI_E_SUBMIT, dfi_watch_now(w), dfi_id_of(t, t->seq), dfi_running_id(w),
                        dfi_watch_name(w, dfi_flow_name(t), t->type->name),
                        (unsigned)dfi_load_relaxed(&t->scope->depth));
    if (!(dfi_recorded() & DFI_RECORD_TRACE)) return;
    if (site) dfi_event_put(w, DFI_E_SITE, 0, 0, 0, dfi_event_text(w, site));
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_WRITES && x[i].rows)
            dfi_event_put_level(w, DFI_E_WRITE, (uintptr_t)x[i].p, x[i].rows, x[i].row,
                                dfi_event_text(w, t->type->access_names), i);
}

/* t, a tile of a wavefront, is being submitted; the trace does not show it. */
static DFI_COLD void dfi_watch_tile(struct dfi_worker *w, const struct dfi_flow *t)
{
    dfi_event_put_level(w, DFI_E_SUBMIT, dfi_watch_now(w), dfi_id_of(t, t->seq), dfi_running_id(w),
                        dfi_event_text(w, t->type->name), (unsigned)dfi_load_relaxed(&t->scope->depth));
}

/* t, which is being submitted, comes after the task in `before`. */
static DFI_COLD void dfi_watch_edge(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_ref *before)
{
    dfi_event_put(w, DFI_E_EDGE, 0, dfi_id_of(before->task, before->seq), dfi_id_of(t, t->seq), 0);
}

/* Attributes the releases of w from now on to the end of t; NULL: no more. */
static DFI_COLD void dfi_watch_ends(struct dfi_worker *w, const struct dfi_flow *t)
{
    dfi_events_of(w)->ends = t ? dfi_id_of(t, t->seq) : 0;
}

/* t is released, or would be if it did not wait for more: by a token, an input, or elements of a
 * stream. w may be NULL. */
static DFI_COLD void dfi_watch_release(struct dfi_worker *w, const struct dfi_flow *t)
{
    uint64_t id;
    if (!w) return;
    if ((id = dfi_events_of(w)->ends) != 0) dfi_event_put(w, DFI_E_EDGE, 0, id, dfi_id_of(t, t->seq), 0);
    else {
        if ((id = dfi_running_id(w)) != 0) dfi_event_put_level(w, DFI_E_EDGE, 0, id, dfi_id_of(t, t->seq), 0, 1);
        dfi_event_put(w, DFI_E_SIGNAL, dfi_watch_now(w), dfi_id_of(t, t->seq), id, 0);
    }
}

/* dfi_attempt_hook. Makes a thread that uses only transactions one of df's, so that it has a track. */
static void dfi_watch_attempt(const char *site, int how, const char *other)
{
    static DFI_TLS uint64_t began; /* 0: an attempt nested in the block had one of its own */
    struct dfi_worker *w;
    if (!dfi_recorded()) return;
    w = how == DFI_ATOMIC_BEGINS ? dfi_me_attached() : dfi_me(); /* it may be the end of the thread */
    if (!w) return;
    if (how != DFI_ATOMIC_BEGINS && began)
        dfi_event_put_level(w, DFI_E_ATOMIC, began, other ? dfi_event_text(w, other) : 0, dfi_watch_now(w) - began,
                            dfi_event_text(w, site), (unsigned)how);
    began = how == DFI_ATOMIC_BEGINS ? dfi_watch_now(w) : 0;
}

/* --- workers --------------------------------------------------------------------------------------- */

/* w has stolen the entry. */
static DFI_COLD void dfi_watch_steal(struct dfi_worker *w, const void *entry, const struct dfi_worker *victim)
{
    const struct dfi_flow *t = (const struct dfi_flow *)((uintptr_t)entry & ~DFI_FLOW);
    /* a spawned function: reported when it begins */
    if ((uintptr_t)entry & DFI_FLOW)
        dfi_event_put(w, DFI_E_STEAL, dfi_watch_now(w), dfi_id_of(t, t->seq),
                      (uint64_t)(unsigned)dfi_events_of(victim)->slot, 0);
}

/* w is about to park, and was parked. */
static DFI_COLD void dfi_watch_sleeps(struct dfi_worker *w)
{
    dfi_events_of(w)->parked = dfi_watch_now(w);
    dfi_event_sample(w, dfi_events_of(w)->parked, DFI_STATE_PARK_US);
}
static DFI_COLD void dfi_watch_slept(struct dfi_worker *w)
{
    if (dfi_events_of(w)->parked)
        dfi_event_put(w, DFI_E_PARK, dfi_events_of(w)->parked, 0, dfi_watch_now(w) - dfi_events_of(w)->parked, 0);
    dfi_events_of(w)->parked = 0;
}

static uint64_t *dfi_watch_others(struct dfi_worker *w)
{
    struct dfi_body *b = dfi_load_relaxed(&dfi_chains_of(w)->running);
    return b ? &dfi_recorded_of(b)->others : &dfi_events_of(w)->others;
}

/* The wait x ends, and is about to be reported. Returns its duration. */
static uint64_t dfi_watch_wait_ends(struct dfi_worker *w, const struct dfi_wait *x)
{
    uint64_t *o = dfi_watch_others(w), ticks = dfi_watch_now(w) - x->began, others = *o - x->others;
    if (others) dfi_event_put(w, DFI_E_OWN, 0, 0, ticks - others, 0);
    *o = x->others + ticks;
    return ticks;
}

/* w has waited since x->began. */
static DFI_COLD void dfi_watch_waited(struct dfi_worker *w, const struct dfi_wait *x)
{
    const struct dfi_scope *s = x->kind == DFI_WAIT_SCOPE || x->kind == DFI_WAIT_ROOM
        ? (const struct dfi_scope *)x->on : NULL;
    uint64_t ticks;
    if (s && !dfi_flow_of(s)->n_children) return;
    ticks = dfi_watch_wait_ends(w, x);
    dfi_event_put_level(w, x->kind == DFI_WAIT_ROOM ? DFI_E_ROOM : DFI_E_WAIT, x->began, dfi_running_id(w), ticks,
                        (uint32_t)x->kind,
                        s ? (unsigned)dfi_load_relaxed(&s->depth) : 0);
}

/* w is about to wait for t, which it is about to submit. */
static DFI_COLD void dfi_watch_until(struct dfi_worker *w, const struct dfi_flow *t)
{
    dfi_event_put(w, DFI_E_UNTIL, dfi_watch_now(w), dfi_id_of(t, t->seq), dfi_running_id(w), 0);
}

/* A thread begins to be the worker w, or ends to be it. how: as in DFI_E_THREAD. */
static void dfi_watch_thread(struct dfi_worker *w, int how)
{
    if (dfi_recorded())
        dfi_event_put(w, DFI_E_THREAD, dfi_watch_now(w), (uint64_t)(unsigned)dfi_load_relaxed(&w->index),
                      (uint64_t)(unsigned)how, 0);
}

/* --- points ---------------------------------------------------------------------------------------- */

static void dfi_record_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    struct dfi_flow *t = (struct dfi_flow *)(uintptr_t)on;
    struct dfi_wait *x = (struct dfi_wait *)(uintptr_t)on;
    switch (p) {
    case DFI_AT_SUBMIT: dfi_watch_submit(w, t, (const struct dfi_access *)other, (unsigned)a); break;
    case DFI_AT_TILE: dfi_watch_tile(w, t); break;
    case DFI_AT_EDGE: dfi_watch_edge(w, t, (const struct dfi_ref *)other); break;
    case DFI_AT_RELEASE: dfi_watch_release(w, t); break;
    case DFI_AT_RELEASES: dfi_watch_ends(w, t); break;
    case DFI_AT_BEGIN: dfi_watch_begin(w, (struct dfi_body *)(uintptr_t)on); break;
    case DFI_AT_END: dfi_watch_end(w, (struct dfi_body *)(uintptr_t)on); break;
    case DFI_AT_WAIT:
        if (x->kind > DFI_WAIT_IDLE) x->began = dfi_watch_now(w), x->others = *dfi_watch_others(w);
        break;
    case DFI_AT_WAITED:
        if (x->began > 1) dfi_watch_waited(w, x);
        break;
    case DFI_AT_UNTIL: dfi_watch_until(w, t); break;
    case DFI_AT_STEAL: dfi_watch_steal(w, on, (const struct dfi_worker *)other); break;
    case DFI_AT_SLEEP: dfi_watch_sleeps(w); break;
    case DFI_AT_WOKE: dfi_watch_slept(w); break;
    default: break;
    }
}

#endif
