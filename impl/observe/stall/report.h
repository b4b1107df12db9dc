/* report.h - stall reports: a run without progress, its waits, and their cause (df_config.stall)
 *
 * A thread adds up the number of events periodically. If the sum stays the same for df_config.stall seconds, and a
 * thread waits, it writes one report: what every thread runs and waits for, the tasks held by tokens, inputs and
 * streams, and a cycle of waits, or the ends of the chains. A report is also written before tasks are given up
 * (more/deadlock.h). Data of other threads is atomic, or protected by a lock: docs/memory-order.md, "Stalls". */
#ifndef DFI_OBSERVE_STALL_REPORT_H
#define DFI_OBSERVE_STALL_REPORT_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../os/threads.h"
#include "../../os/wait.h"
#include "../../api/core.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/edge.h"
#include "../../more/deadlock.h"
#include "../../more/stream/ring.h"
#include "../../more/stream/task.h"
#include "../../more/token.h"
#include "../../more/weak.h"
#include "../event.h"
#include "../events.h"
#include "../probes.h"
#include "graph.h"
#include "waits.h"
#include "../../api/public.h"

DFI_SMALL_CODE_BEGIN

/* the longest time between two looks; their number within the time of a stall */
enum { DFI_STALL_STEP_MS = 200, DFI_STALL_LOOKS = 8 };
struct dfi_stall {
    double seconds;          /* under the pool lock, until that thread starts */
    int threaded;            /* pool lock */
    struct dfi_os_thread thread;
    struct dfi_os_event wake;
    DFI_ATOMIC(int) stop;
    uint64_t ns, ticks;      /* the beginning, on both clocks */
    size_t reported;         /* under dfi_stall_lock: the sum of events at the last report */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_os_mutex dfi_stall_lock = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_stall dfi_stall;
DFI_EXTERN_C_END
static DFI_TLS int dfi_stall_is_me; /* this thread looks for stalls */

/* The number of events so far: beginnings, ends, signals, steals. */
static size_t dfi_stall_stamp(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    size_t stamp = 1 + dfi_load_relaxed(&dfi_pool.events);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        stamp += dfi_load_relaxed(&v->n_tasks) + dfi_load_relaxed(&v->n_skipped) + dfi_load_relaxed(&v->n_events) +
                 dfi_load_relaxed(&v->n_steals) + dfi_load_relaxed(&v->n_changes);
    }
    return stamp;
}

/* --- tasks: pre of all: some lock keeps t, or a predecessor of t, from being done ------------- */

/* The task whose weak accesses or df_release the internal task t serves, and the text of this relation. Or NULL. */
static const struct dfi_flow *dfi_stall_stands_for(const struct dfi_flow *t, const char **before, const char **after)
{
    const struct dfi_edge *e = dfi_load_acquire(&t->succ); /* acquire: as in dfi_stall_expand */
    const struct dfi_flow *of = t->scope->kind == DFI_BODY ? t->scope->task : NULL;
    *before = "what ", *after = " accesses weakly";
    if (t->type == &dfi_gate_type && t->extra->gate_of) return t->extra->gate_of;
    if (!of || !of->parts) return NULL;
    if (t->type == &dfi_gate_type) {
        *after = " released";
        return of;
    }
    *before = "a part of ", *after = "";
    return t->type == &dfi_join_type && e && e != DFI_DONE_EDGE && e->task->scope != t->scope ? of : NULL;
}

static void dfi_stall_task_text(char text[DFI_STALL_TEXT], const struct dfi_flow *t)
{
    const char *before, *after;
    const struct dfi_flow *of = t->type->modes & DFI_INTERNAL ? dfi_stall_stands_for(t, &before, &after) : NULL;
    const char *site = t->task.mem.special == 1 ? t->extra->site : NULL, *kind = "task";
    if (of) {
        char task[DFI_STALL_TEXT];
        dfi_stall_task_text(task, of);
        snprintf(text, DFI_STALL_TEXT, "%s%.200s%s", before, task, after);
        return;
    }
    if (t->type->modes & DFI_INTERNAL) kind = "df's own task";
    else if (t->task.mem.special == 1 && t->extra->inputs) kind = "node";
    snprintf(text, DFI_STALL_TEXT, site ? "%s %s (%s)" : "%s %s", kind, dfi_flow_name(t), site);
}

static size_t dfi_stall_task(struct dfi_stall_map *m, const struct dfi_flow *t)
{
    size_t i = dfi_stall_thing_of(m, t);
    if (i == DFI_STALL_NONE || *m->thing[i].text) return i;
    dfi_stall_task_text(m->thing[i].text, t);
    m->todo[m->n_todo].task = t, m->todo[m->n_todo++].thing = i;
    return i;
}

static size_t dfi_stall_scope(struct dfi_stall_map *m, const struct dfi_scope *s)
{
    size_t i = dfi_stall_thing_of(m, s);
    char *text = i == DFI_STALL_NONE ? NULL : m->thing[i].text;
    if (!text || *text) return i;
    if (s->kind == DFI_BLOCK && s->site) snprintf(text, DFI_STALL_TEXT, "the tasks of the block of %s", s->site);
    else if (s->kind == DFI_BODY) {
        char task[DFI_STALL_TEXT];
        dfi_stall_task_text(task, s->task);
        snprintf(text, DFI_STALL_TEXT, "the children of %.150s", task);
    } else snprintf(text, DFI_STALL_TEXT, "the tasks of %s", s->kind == DFI_BLOCK ? "a block" : "its thread");
    return i;
}

/* Adds the successors of parts of t, thing i, while its body runs. A taken lock means progress: no report then. */
static void dfi_stall_parts(struct dfi_stall_map *m, const struct dfi_flow *t, size_t i)
{
    struct dfi_weak *k = t->parts;
    const struct dfi_part *p;
    if (!k || m->n_weak == DFI_STALL_WEAK || dfi_exchange_acq_rel(&k->lock, 1)) return;
    m->weak[m->n_weak++] = k;
    for (p = k->closed ? NULL : k->parts; p; p = p->next)
        if (dfi_load_acquire(&p->edge->task->wait) < DFI_GUARD / 2) /* acquire: as below */
            dfi_stall_arrow_add(m, dfi_stall_task(m, p->edge->task), i, "which comes after a part of");
}

/* Adds the enclosing scopes and tasks, and the successors, of the tasks found so far. */
static void dfi_stall_expand(struct dfi_stall_map *m)
{
    while (m->n_todo) {
        const struct dfi_flow *t = m->todo[--m->n_todo].task;
        size_t i = m->todo[m->n_todo].thing;
        const struct dfi_scope *s = t->scope;
        const struct dfi_use *u;
        const struct dfi_edge *e;
        dfi_stall_arrow_add(m, dfi_stall_scope(m, s), i, "among them");
        if (s->kind == DFI_BODY)
            dfi_stall_arrow_add(m, dfi_stall_task(m, s->task), i, "which is not done before its child,");
        dfi_stall_parts(m, t, i);
        for (u = t->task.mem.special == 1 ? t->extra->signals : NULL; u; u = u->next)
            dfi_stall_arrow_add(m, dfi_stall_thing_of(m, u->token), i, "which is to be signalled by");
        e = dfi_load_acquire(&t->succ); /* acquire: edges and their tasks; pairs with the CAS in dfi_edge_add */
        for (; e && e != DFI_DONE_EDGE; e = e->next)
            if (dfi_load_acquire(&e->task->wait) < DFI_GUARD / 2) { /* acquire: all of it; pairs with dfi_flow_count */
                /* A join after gates at the end of a body has no successors: the task itself replaces it. */
                const struct dfi_scope *in = e->task->scope;
                int end = t->type == &dfi_gate_type && e->task->type == &dfi_join_type && in->kind == DFI_BODY &&
                    !dfi_load_relaxed(&e->task->succ);
                dfi_stall_arrow_add(m, dfi_stall_task(m, end ? in->task : e->task), i,
                                    end ? "which is not done before" : "which comes after");
            }
    }
    while (m->n_weak) dfi_weak_unlock(m->weak[--m->n_weak]);
}

/* --- the objects that tasks wait for ---------------------------------------------------------- */

static size_t dfi_stall_token(struct dfi_stall_map *m, df_token *t) /* pre: a waiting task keeps t alive */
{
    size_t i = dfi_stall_thing_of(m, t);
    if (i == DFI_STALL_NONE || *m->thing[i].text) return i;
    snprintf(m->thing[i].text, DFI_STALL_TEXT, "the token of %s", t->dfi_site);
    if (dfi_load_relaxed(&t->dfi_promised) < dfi_load_relaxed(&t->dfi_need))
        m->thing[i].end = dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_EXTERNAL
            ? "which is to be signalled from outside" : "which nobody promised to signal";
    return i;
}

static void dfi_stall_signals(char text[DFI_STALL_TEXT], df_token *t)
{
    intptr_t need = dfi_load_relaxed(&t->dfi_need), promised = dfi_load_relaxed(&t->dfi_promised);
    if (promised > need) promised = need;
    snprintf(text, DFI_STALL_TEXT, "%ld signal%s missing, %ld promised by tasks", (long)need,
             need == 1 ? "" : "s", (long)promised);
}

/* Adds the streams that x, which is thing i, waits for. */
static void dfi_stall_windows(struct dfi_stall_map *m, size_t i, const struct dfi_extra *x)
{
    struct dfi_window *v;
    for (v = x->windows; v; v = v->of_task) {
        struct dfi_stream *c = v->stream;
        dfi_stream_lock(c);
        if (v->waits) {
            const struct df_stream *r;
            const struct dfi_window *before = c->push.first;
            size_t k = dfi_stall_thing_of(m, v);
            char text[DFI_STALL_TEXT] = "";
            if (v->reader) snprintf(text, sizeof text, "%llu more elements in the stream of %s",
                                    (unsigned long long)(v->need - c->push.done), c->site);
            else {
                uint64_t room = dfi_stream_room(c);
                snprintf(text, sizeof text, "%llu more free places in the stream of %s",
                         (unsigned long long)(v->need - room - c->capacity), c->site);
                for (r = c->readers; r; r = r->other)
                    if (r->side.done == room) before = r->side.first;
            }
            dfi_stall_line(m, "%.*s waits for %s", DFI_STALL_TEXT / 2, m->thing[i].text, text);
            if (k != DFI_STALL_NONE) {
                memcpy(m->thing[k].text, text, sizeof text);
                m->thing[k].end = v->reader ? "which no task was submitted to push"
                    : "which no task was submitted to make by reading";
            }
            dfi_stall_arrow_add(m, i, k, "which waits for");
            while (before && before->finished) before = before->next;
            if (before && before != v) dfi_stall_arrow_add(m, k, dfi_stall_thing_of(m, before->task),
                                                           v->reader ? "to be pushed by" : "to be made by");
        }
        dfi_stream_unlock(c);
    }
}

/* pre: the held lock of the submitter of x */
static void dfi_stall_held(struct dfi_stall_map *m, const struct dfi_extra *x)
{
    size_t i = dfi_stall_task(m, x->task);
    const struct dfi_use *u;
    char text[DFI_STALL_TEXT], missing[DFI_MISSING_TEXT];
    if (i == DFI_STALL_NONE) return;
    for (u = x->after; u; u = u->next) {
        if (!dfi_token_is_closed(u->token)) continue;
        dfi_stall_arrow_add(m, i, dfi_stall_token(m, u->token), "which waits for");
        dfi_stall_signals(text, u->token);
        dfi_stall_line(m, "%.*s waits for the token of %s: %s", DFI_STALL_TEXT / 2, m->thing[i].text,
                       u->token->dfi_site, text);
    }
    if (x->inputs && dfi_node_missing(x, dfi_load_relaxed(&x->given), missing)) {
        dfi_stall_line(m, "%.*s was not given: %s", DFI_STALL_TEXT / 2, m->thing[i].text, missing);
        m->thing[i].end = "which was not given all of its inputs";
    }
    if (dfi_load_relaxed(&x->windows_missing) > 0) dfi_stall_windows(m, i, x);
    dfi_stall_expand(m);
}

/* Adds the ready tasks of a queue. v: the only worker that may run them, or NULL. */
static void dfi_stall_queue(struct dfi_stall_map *m, struct dfi_queue *q, const struct dfi_worker *v)
{
    char text[DFI_STALL_TEXT];
    if (!dfi_load_relaxed(&q->count)) return;
    dfi_os_lock(&q->lock);
    if (q->best) {
        size_t i = dfi_stall_task(m, q->best->task), thread = v ? dfi_stall_thing_of(m, v) : DFI_STALL_NONE;
        dfi_stall_task_text(text, q->best->task);
        dfi_stall_line(m, "%d ready task%s %s, the first: %.150s", dfi_load_relaxed(&q->count),
                       dfi_load_relaxed(&q->count) == 1 ? "" : "s",
                       v ? "that only one worker may run" : "that nobody runs", text);
        dfi_stall_arrow_add(m, i, thread, "which only may run on");
        dfi_stall_expand(m);
    }
    dfi_os_unlock(&q->lock);
}

/* --- threads ------------------------------------------------------------------------------------------------- */

/* pre: the watch lock of v, which has records */
static void dfi_stall_name(char *text, size_t bytes, const struct dfi_worker *v)
{
    const char *kind = v->index < dfi_pool.n_workers ? "worker" :
        dfi_load_relaxed(&v->helper) ? "spare worker" : "thread";
    snprintf(text, bytes, "%s %d", kind, v->index);
}

/* True if its thread waits for something other than work. */
static int dfi_stall_waits(const struct dfi_wait *x) { return x->kind > DFI_WAIT_IDLE && x->kind < DFI_WAIT_MEMBER; }

/* Texts of the wait r of thing i, a thread: how, for what; adds an arrow unless i is DFI_STALL_NONE. pre: watch lock */
static void dfi_stall_waits_text(struct dfi_stall_map *m, const struct dfi_wait *r, size_t i,
                                 char text[DFI_STALL_TEXT], char what[DFI_STALL_TEXT])
{
    static const char *const texts[] = { /* by dfi_wait_kind */
        "has nothing to do", "waits in df_wait", "waits in df_submit, as df_config.window is full",
        "waits in df_wait_on", "waits in df_sync", "waits in df_wait_token", "waits for the others in its loop or pipe",
        "waits until the condition of a df_speculate block is known", "",
        "waits in df_mutex_lock", "waits in", "takes part in a loop or pipe" };
    const char *how = texts[r->kind], *at = r->site ? " at " : "", *site = r->site ? r->site : "", *more = "";
    size_t k = DFI_STALL_NONE;
    *what = 0;
    if (r->kind == DFI_WAIT_SCOPE || r->kind == DFI_WAIT_ROOM) {
        const struct dfi_scope *s = (const struct dfi_scope *)r->on;
        long n = (long)dfi_load_relaxed(&s->pending);
        k = dfi_stall_scope(m, s);
        if (r->kind == DFI_WAIT_SCOPE && !r->site && s->kind == DFI_BLOCK)
            how = "waits at the end of the block of ", site = s->site ? s->site : "df_parallel";
        if (n > 0) snprintf(what, DFI_STALL_TEXT, " for %ld task%s", n, n == 1 ? "" : "s");
    } else if (r->kind == DFI_WAIT_TASK) {
        if ((k = dfi_stall_thing_of(m, r->on)) != DFI_STALL_NONE)
            snprintf(m->thing[k].text, DFI_STALL_TEXT, "the tasks so far that write there");
    } else if (r->kind == DFI_WAIT_FUTURE) {
        snprintf(what, DFI_STALL_TEXT, " for the spawned %s", ((const struct dfi_future *)r->on)->type->name);
        k = dfi_stall_thing_of(m, r->on);
        if (k != DFI_STALL_NONE) snprintf(m->thing[k].text, DFI_STALL_TEXT, "%.190s", what + 5);
    } else if (r->kind == DFI_WAIT_TOKEN) {
        df_token *t = (df_token *)(uintptr_t)r->on;
        char signals[DFI_STALL_TEXT];
        k = dfi_stall_token(m, t);
        dfi_stall_signals(signals, t);
        snprintf(what, DFI_STALL_TEXT, " for the token of %.100s: %.80s", t->dfi_site, signals);
    } else if (r->kind == DFI_WAIT_LOCK) {
        df_mutex *l = (df_mutex *)(uintptr_t)r->on;
        const char *taken = dfi_load_relaxed(&l->dfi_site);
        snprintf(what, DFI_STALL_TEXT, " for the lock that was taken%s%.150s", taken ? " at " : "", taken ? taken : "");
        if ((k = dfi_stall_thing_of(m, l)) != DFI_STALL_NONE) {
            snprintf(m->thing[k].text, DFI_STALL_TEXT, "%.190s", what + 5);
            m->thing[k].owner = dfi_load_relaxed(&l->dfi_owner);
            m->thing[k].end = "which is held by a thread that is not in df now";
        }
    } else if (r->kind == DFI_WAIT_OUTSIDE) more = (const char *)r->on;
    snprintf(text, DFI_STALL_TEXT, "%s%s%s%s%.120s", how, *more ? " " : "", more, at, site);
    if (i != DFI_STALL_NONE) dfi_stall_arrow_add(m, i, k, "for");
}

/* The text of the body r; adds an arrow from it to the thread. */
static void dfi_stall_running_text(struct dfi_stall_map *m, const struct dfi_running *r, size_t i,
                                   char text[DFI_STALL_TEXT])
{
    if (r->task) {
        size_t k = dfi_stall_task(m, r->task);
        char task[DFI_STALL_TEXT];
        dfi_stall_task_text(task, r->task);
        snprintf(text, DFI_STALL_TEXT, "%.180s", task);
        dfi_stall_arrow_add(m, k, i, "which runs on");
    } else {
        snprintf(text, DFI_STALL_TEXT, "%s %s", r->future ? "the spawned" : r->level & DFI_RAN_LOOP ? "a part of loop"
                 : r->level & DFI_RAN_STAGE ? "a stage of pipe" : "task", r->name);
        if (r->future) dfi_stall_arrow_add(m, dfi_stall_thing_of(m, r->future), i, "which runs on");
    }
}

static double dfi_stall_since(const struct dfi_stall_map *m, uint64_t at)
{
    return m->now > at ? (double)(m->now - at) * m->ns_per_tick / 1e9 : 0;
}

/* Adds lines about the thread of v, its newest activity first. */
static void dfi_stall_thread(struct dfi_stall_map *m, struct dfi_worker *v)
{
    const struct dfi_wait *a;
    const struct dfi_running *r;
    char name[40], text[DFI_STALL_TEXT], what[DFI_STALL_TEXT];
    size_t i;
    int top = 1;
    dfi_os_lock(&v->watch_lock);
    a = v->waits, r = dfi_load_relaxed(&v->running);
    if (a || r) {
        dfi_stall_name(name, sizeof name, v);
        if ((i = dfi_stall_thing_of(m, v)) != DFI_STALL_NONE) m->thing[i].thread = 1, m->thing[i].owner = v->thread_id;
        for (; a || r; top = 0) {
            int waits = a && (!r || a->in == r);
            double since = dfi_stall_since(m, waits ? a->since : r->began);
            if (waits) {
                m->waits |= dfi_stall_waits(a);
                if (top) m->waiting += dfi_stall_waits(a), m->idle += a->kind == DFI_WAIT_IDLE,
                         m->busy += a->kind == DFI_WAIT_MEMBER;
                dfi_stall_waits_text(m, a, top ? i : DFI_STALL_NONE, text, what);
                if (top && i != DFI_STALL_NONE) m->thing[i].waits = dfi_stall_waits(a);
            } else {
                m->busy += top;
                *what = 0;
                dfi_stall_running_text(m, r, i, text);
            }
            if (top && i != DFI_STALL_NONE) snprintf(m->thing[i].text, DFI_STALL_TEXT,
                                                     waits ? "%s, which %.140s" : "%s, which goes on", name, text);
            if (top && (!waits || a->kind != DFI_WAIT_IDLE))
                dfi_stall_line(m, "%s (%.2f s) %s%.100s%.100s", name, since, waits ? "" : "runs ", text, what);
            else if (!top && (!waits || dfi_stall_waits(a)))
                dfi_stall_line(m, "    on top of %s%.100s%.100s (%.2f s)", waits ? "where it " : "", text, what, since);
            if (waits) a = a->outer;
            else r = r->outer;
        }
        dfi_stall_expand(m);
    }
    dfi_os_unlock(&v->watch_lock);
}

/* --- the report ------------------------------------------------------------------------------------------------ */

static void dfi_stall_collect(struct dfi_stall_map *m)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    uint64_t ns = dfi_os_ns();
    memset((void *)m, 0, sizeof *m);
    m->now = dfi_ticks();
    m->ns_per_tick = m->now != dfi_stall.ticks ? (double)(ns - dfi_stall.ns) / (double)(m->now - dfi_stall.ticks) : 0;
    for (i = 0; i < n; i++) dfi_stall_thread(m, dfi_load_acquire(&dfi_pool.slot[i]));
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        const struct dfi_extra *x;
        dfi_os_lock(&v->held_lock);
        for (x = v->held; x; x = x->held_next)
            if (x->task) dfi_stall_held(m, x);
        dfi_os_unlock(&v->held_lock);
        dfi_stall_queue(m, &v->pinned, v);
    }
    dfi_stall_queue(m, &dfi_pool.queue, NULL);
}

/* Threads: any that holds no lock of df. */
static void dfi_stall_report(size_t stamp, double seconds)
{
    struct dfi_stall_map *m = (struct dfi_stall_map *)dfi_malloc(sizeof *m);
    char text[DFI_STALL_TEXT];
    size_t i;
    if (!m) { dfi_warn_no_memory(); return; }
    dfi_stall_collect(m);
    if (m->waits && dfi_stall_stamp() == stamp) { /* else there is no waiting thread, or there is progress */
        snprintf(text, sizeof text,
 "nothing has begun, ended or been signalled for %.2f s: %d thread%s wait%s, %d run%s something, %d ha%s nothing to do",
                 seconds, m->waiting, m->waiting == 1 ? "" : "s", m->waiting == 1 ? "s" : "", m->busy,
                 m->busy == 1 ? "s" : "", m->idle, m->idle == 1 ? "s" : "ve");
        dfi_stall_say(text);
        for (i = 0; i < m->n_lines; i++) dfi_stall_say(m->line[i]);
        if (m->more_lines) {
            snprintf(text, sizeof text, "and %lu lines like these", (unsigned long)m->more_lines);
            dfi_stall_say(text);
        }
        dfi_stall_say_why(m);
    }
    dfi_mfree(m);
}

static void dfi_stall_once(size_t stamp, double seconds)
{
    int first;
    dfi_os_lock(&dfi_stall_lock);
    first = dfi_stall.reported != stamp;
    dfi_stall.reported = stamp;
    dfi_os_unlock(&dfi_stall_lock);
    if (first) dfi_stall_report(stamp, seconds);
}

/* Reports waits that are about to be given up after `ms` without progress. */
static void dfi_stall_now(int ms) { dfi_stall_once(dfi_stall_stamp(), ms / 1000.0); }

static void *dfi_stall_watch(void *p)
{
    size_t stamp = 0;
    double quiet = 0;
    double step = dfi_stall.seconds * 1000 / (double)DFI_STALL_LOOKS;
    int ms = step < (double)DFI_STALL_STEP_MS ? (int)step + 1 : (int)DFI_STALL_STEP_MS;
    dfi_stall_is_me = 1;
    for (; dfi_os_event_wait(&dfi_stall.wake, &dfi_stall.stop, 0, ms); quiet += ms / 1000.0) { /* clocks may jump */
        size_t now = dfi_stall_stamp();
        if (now != stamp) stamp = now, quiet = 0;
        else if (quiet >= dfi_stall.seconds) dfi_stall_once(stamp, quiet);
    }
    return p;
}

/* --- begin and end; pre: pool lock ------------------------------------------------------------ */

/* Before anything runs: waits are recorded from now on. seconds 0: no. */
static void dfi_stall_begin(double seconds)
{
    if (seconds <= 0) return;
    dfi_stall.seconds = seconds;
    dfi_stall.ns = dfi_os_ns(), dfi_stall.ticks = dfi_ticks();
    dfi_store_relaxed(&dfi_watching, dfi_load_relaxed(&dfi_watching) | DFI_WATCH_STALL);
}

static void dfi_stall_start(void)
{
    if (!(dfi_watched() & DFI_WATCH_STALL)) return;
    dfi_store_relaxed(&dfi_stall.stop, 0);
    dfi_stall.threaded = !dfi_os_event_init(&dfi_stall.wake) &&
        !dfi_os_thread_start(&dfi_stall.thread, dfi_stall_watch, NULL, 0);
    if (!dfi_stall.threaded) dfi_warn("DF_STALL: the system refused a thread: stalls are not reported");
}

/* Not only under the pool lock: also at the end of a process in which workers still run. */
static void dfi_stall_end(void)
{
    dfi_store_relaxed(&dfi_watching, dfi_load_relaxed(&dfi_watching) & ~(unsigned)DFI_WATCH_STALL);
    if (!dfi_stall.threaded || dfi_stall_is_me) return; /* the logger ends the process */
    dfi_store_seq_cst(&dfi_stall.stop, 1);
    dfi_os_event_wake(&dfi_stall.wake);
    dfi_os_thread_join(&dfi_stall.thread);
    dfi_os_event_free(&dfi_stall.wake);
    dfi_stall.threaded = 0;
}

/* The child of a fork has no such thread; it gets one when df starts there. */
static void dfi_stall_forked(void)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_stall_lock = fresh;
    dfi_stall.threaded = 0;
}

DFI_SMALL_CODE_END

#endif
