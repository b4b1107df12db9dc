/* tell.h - what observers of the program are told at the points of the core (df_observe.h, work/probe.h) */
#ifndef DFI_OBSERVE_TELL_H
#define DFI_OBSERVE_TELL_H

#include "../base/compiler.h"
#include "../api/observe.h"
#include "../api/task.h"
#include "../work/future.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "../work/wait.h"
#include "../flow/body.h"
#include "../flow/types.h"
#include "../more/points.h"
#include "identity.h"
#include "observers.h"

DFI_SMALL_CODE_BEGIN

/* Of a running body: observers up to this number were told of its beginning. */
struct dfi_told_body { size_t most; };
DFI_ROOM(dfi_told_body, dfi_told_of, dfi_body);

/* Is it no task of the program? */
static int dfi_type_hidden(const struct dfi_type *type) { return (type->modes & (DFI_INTERNAL | DFI_UNCOUNTED)) != 0; }

/* The identity of the task that `in` is, or that is around it; 0: none. in: the task that runs, or NULL: s is its
 * scope. Threads: that which runs it. */
static uint64_t dfi_told_parent(const struct dfi_flow *in, const struct dfi_scope *s)
{
    const struct dfi_scope *bottom;
    if (!in) in = dfi_around(s, &bottom);
    while (in && (in->task.mem.special == DFI_ON_STACK || dfi_type_hidden(in->type)))
        in = dfi_around(in->scope, &bottom);
    return in ? dfi_id_of(in, in->seq) : 0;
}

static void dfi_told_task(df_observed *t, uint64_t id, const char *name)
{
    memset((void *)t, 0, sizeof *t);
    t->id = id, t->name = name;
}

static void dfi_tell_submit(struct dfi_worker *w, const df_observed *t, size_t most)
{
    const df_observer *o;
    int i;
    for (i = 0; (o = dfi_observer_from(&i, 0, most)) != NULL; i++)
        if (o->task_submit) (o->task_submit)(o->arg, w->index, t);
}

static void dfi_tell_steal(struct dfi_worker *w, const df_observed *t, const struct dfi_worker *victim, size_t most)
{
    const df_observer *o;
    int i;
    for (i = 0; (o = dfi_observer_from(&i, 0, most)) != NULL; i++)
        if (o->task_steal) (o->task_steal)(o->arg, w->index, t, victim->index);
}

static void dfi_tell_submitted(struct dfi_worker *w, const struct dfi_flow *t, size_t most)
{
    const struct dfi_flow_worker *f = dfi_tasks_of(w);
    df_observed told;
    if (dfi_type_hidden(t->type)) return;
    dfi_told_task(&told, dfi_id_of(t, t->seq), dfi_flow_name(t));
    told.site = f->opts ? f->opts_site : t->task.mem.special == DFI_HAS_EXTRA ? t->extra->site : NULL;
    if (!told.site && dfi_call_site != dfi_no_site) told.site = dfi_call_site;
    told.parent = dfi_told_parent(NULL, t->scope);
    dfi_tell_submit(w, &told, most);
}

static void dfi_tell_edge(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_ref *before, size_t most)
{
    const df_observer *o;
    int i;
    if (t->type->modes & DFI_UNCOUNTED || before->task->seq != before->seq) return; /* the latter is done */
    for (i = 0; (o = dfi_observer_from(&i, 0, most)) != NULL; i++)
        if (o->task_edge) (o->task_edge)(o->arg, w->index, dfi_id_of(before->task, before->seq), dfi_id_of(t, t->seq));
}

static void dfi_told_body_is(df_observed *t, struct dfi_body *b)
{
    dfi_told_task(t, b->id, b->title);
    t->kind = b->future ? DF_OBSERVED_SPAWNED : !b->part ? DF_OBSERVED_TASK
        : b->kind & DFI_RAN_STAGE ? DF_OBSERVED_STAGE : DF_OBSERVED_LOOP;
}

/* A task without a record is told as submitted when it begins, and a stolen function as stolen. */
static void dfi_tell_begin(struct dfi_worker *w, struct dfi_body *b, size_t most)
{
    const df_observer *o;
    df_observed told;
    int i;
    if (b->kind & DFI_RAN_INTERNAL) return;
    dfi_told_of(b)->most = most;
    dfi_body_id(w, b);
    dfi_told_body_is(&told, b);
    if (told.kind == DF_OBSERVED_TASK && !b->task) {
        told.parent = dfi_told_parent(w->task, w->scope);
        dfi_tell_submit(w, &told, most);
        told.parent = 0;
    }
    if (b->victim) dfi_tell_steal(w, &told, b->victim, most);
    for (i = 0; (o = dfi_observer_from(&i, 0, most)) != NULL; i++)
        if (o->task_begin) (o->task_begin)(o->arg, w->index, &told);
}

static void dfi_tell_end(struct dfi_worker *w, struct dfi_body *b)
{
    const df_observer *o;
    df_observed told;
    int i;
    dfi_told_body_is(&told, b);
    told.first = b->first, told.last = b->last;
    if (!b->part) told.first = told.last = 0;
    for (i = 0; (o = dfi_observer_from(&i, 0, dfi_told_of(b)->most)) != NULL; i++)
        if (o->task_end) (o->task_end)(o->arg, w->index, &told);
}

/* w has stolen the entry. A spawned function is told when it begins. */
static void dfi_tell_stolen(struct dfi_worker *w, const void *entry, const struct dfi_worker *victim, size_t most)
{
    const struct dfi_flow *t = (const struct dfi_flow *)((uintptr_t)entry & ~DFI_FLOW);
    df_observed told;
    if (!((uintptr_t)entry & DFI_FLOW) || dfi_type_hidden(t->type)) return;
    dfi_told_task(&told, dfi_id_of(t, t->seq), dfi_flow_name(t));
    dfi_tell_steal(w, &told, victim, most);
}

/* The kind of a wait, or -1: it is none of the program. */
static int dfi_told_wait(const struct dfi_wait *x)
{
    switch (x->kind) {
    case DFI_WAIT_OUTSIDE: return DF_OBSERVED_WAIT_OUTSIDE;
    case DFI_WAIT_LOCK: return DF_OBSERVED_WAIT_LOCK;
    case DFI_WAIT_SCOPE: return DF_OBSERVED_WAIT_TASKS;
    case DFI_WAIT_ROOM: return DF_OBSERVED_WAIT_ROOM;
    case DFI_WAIT_TASK: return DF_OBSERVED_WAIT_REGION;
    case DFI_WAIT_FUTURE: return DF_OBSERVED_WAIT_FUTURE;
    case DFI_WAIT_TEAM: return DF_OBSERVED_WAIT_OTHERS;
    case DFI_WAIT_TOKEN: return DF_OBSERVED_WAIT_TOKEN;
    case DFI_WAIT_CONDITION: return DF_OBSERVED_WAIT_CONDITION;
    default: return -1;
    }
}

static void dfi_tell_wait(struct dfi_worker *w, const struct dfi_wait *x, int ends, size_t most)
{
    df_observed_wait kind = (df_observed_wait)dfi_told_wait(x);
    const df_observer *o;
    int i;
    for (i = 0; (o = dfi_observer_from(&i, 0, most)) != NULL; i++) {
        void (*call)(void *, int, df_observed_wait, const char *) = ends ? o->wait_end : o->wait_begin;
        if (call) (call)(o->arg, w->index, kind, x->site);
    }
}

static void dfi_tell_sleep(struct dfi_worker *w, int wakes, size_t most)
{
    const df_observer *o;
    int i;
    for (i = 0; (o = dfi_observer_from(&i, 0, most)) != NULL; i++) {
        void (*call)(void *, int) = wakes ? o->worker_wake : o->worker_sleep;
        if (call) (call)(o->arg, w->index);
    }
}

/* Tells them of a point. w is the worker of the calling thread. */
static DFI_COLD void dfi_told_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    struct dfi_body *b = (struct dfi_body *)(uintptr_t)on;
    struct dfi_wait *x = (struct dfi_wait *)(uintptr_t)on;
    struct dfi_observing *o;
    size_t most;
    (void)a;
    /* was the beginning told? */
    if ((p == DFI_AT_END && !dfi_told_of(b)->most) || (p == DFI_AT_WAITED && !x->told)) return;
    if (p == DFI_AT_WAIT && (dfi_told_wait(x) < 0 || dfi_wait_for_none(x))) return;
    if (!w || !(most = dfi_calls_begin(w))) return;
    o = dfi_observing_of(w);
    switch (p) {
    case DFI_AT_SUBMIT: dfi_tell_submitted(w, (const struct dfi_flow *)on, most); break;
    case DFI_AT_EDGE: dfi_tell_edge(w, (const struct dfi_flow *)on, (const struct dfi_ref *)other, most); break;
    case DFI_AT_BEGIN: dfi_tell_begin(w, b, most); break;
    case DFI_AT_END: dfi_tell_end(w, b); break;
    case DFI_AT_STEAL: dfi_tell_stolen(w, on, (const struct dfi_worker *)other, most); break;
    case DFI_AT_WAIT:
        x->told = most;
        if (!x->began) x->began = 1; /* so that its end is told: dfi_wait_leave */
        dfi_tell_wait(w, x, 0, most);
        break;
    case DFI_AT_WAITED: dfi_tell_wait(w, x, 1, x->told); break;
    case DFI_AT_SLEEP:
        o->slept = most;
        dfi_tell_sleep(w, 0, most);
        break;
    case DFI_AT_WOKE:
        dfi_tell_sleep(w, 1, o->slept);
        o->slept = 0;
        break;
    default: break;
    }
    dfi_calls_change(w);
}

DFI_SMALL_CODE_END

#endif
