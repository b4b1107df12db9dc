/* report.h - stall reports: a run without progress, its waits, and their cause (df_config.stall)
 *
 * It tells what every thread runs and waits for, the tasks held by tokens, inputs and streams, and a cycle of waits, or
 * the ends of the chains. It is written after df_config.stall seconds without progress (stall/life.h), and before tasks
 * are given up (more/deadlock.h); only if a thread waits. Data of other threads is atomic, or protected by a lock:
 * docs/internals/observe.md, "Stalls". */
#ifndef DFI_OBSERVE_STALL_REPORT_H
#define DFI_OBSERVE_STALL_REPORT_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/core.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../more/types.h"
#include "../../flow/edge.h"
#include "../../more/deadlock.h"
#include "../../more/stream/ring.h"
#include "../../more/token.h"
#include "../../more/weak.h"
#include "../event.h"
#include "../events.h"
#include "graph.h"
#include "../../more/points.h"
#include "../../api/blocking.h"
#include "../../api/token.h"

DFI_SMALL_CODE_BEGIN

struct dfi_stall {
    double seconds;          /* under the pool lock, until the reporter looks for it */
    double quiet;            /* reporter, as the next: seconds since the sum of events has changed */
    size_t stamp;            /* that sum */
    uint64_t ns, ticks;      /* the beginning, on both clocks */
    size_t reported;         /* under dfi_stall_lock: the sum of events at the last report */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_os_mutex dfi_stall_lock = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_stall dfi_stall;
DFI_EXTERN_C_END

/* The number of events so far: beginnings, ends, signals, steals. */
static size_t dfi_stall_stamp(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    size_t stamp = 1 + dfi_load_relaxed(&dfi_more.events);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        stamp += dfi_load_relaxed(&dfi_tasks_of(v)->n_tasks) + dfi_load_relaxed(&dfi_tasks_of(v)->n_skipped) +
                 dfi_load_relaxed(&dfi_holds_of(v)->n_events) + dfi_load_relaxed(&v->n_steals) +
                 dfi_load_relaxed(&dfi_chains_of(v)->n_changes);
    }
    return stamp;
}

/* --- tasks: pre of all: some lock keeps t, or a predecessor of t, from being done ------------- */

static int dfi_stall_is_gate(const struct dfi_flow *t) { return t->type == &dfi_gate_type; }

/* The task whose weak accesses or df_release the internal task t serves, and the text of this relation. Or NULL. */
static const struct dfi_flow *dfi_stall_stands_for(const struct dfi_flow *t, const char **before, const char **after)
{
    const struct dfi_edge *e = dfi_load_acquire(&t->succ); /* acquire: as in dfi_stall_expand */
    const struct dfi_flow *of = t->scope->kind == DFI_BODY ? t->scope->task : NULL;
    *before = "what ", *after = " accesses weakly";
    if (dfi_stall_is_gate(t) && dfi_gate_of(t->extra)->of) return dfi_gate_of(t->extra)->of;
    if (!of || !of->parts) return NULL;
    if (dfi_stall_is_gate(t)) {
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
    else if (t->task.mem.special == 1 && dfi_tokens_of(t->extra)->inputs) kind = "node";
    snprintf(text, DFI_STALL_TEXT, site ? "%s %s (%s)" : "%s %s", kind, dfi_flow_name(t), site);
}

static struct dfi_stall_thing *dfi_stall_task(struct dfi_stall_map *m, const struct dfi_flow *t)
{
    struct dfi_stall_thing *i = dfi_stall_thing_of(m, t);
    if (!i || *i->text) return i;
    dfi_stall_task_text(i->text, t);
    m->todo[m->n_todo].task = t, m->todo[m->n_todo++].thing = i;
    return i;
}

static struct dfi_stall_thing *dfi_stall_scope(struct dfi_stall_map *m, const struct dfi_scope *s)
{
    struct dfi_stall_thing *i = dfi_stall_thing_of(m, s);
    char *text = i ? i->text : NULL;
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
static void dfi_stall_parts(struct dfi_stall_map *m, const struct dfi_flow *t, struct dfi_stall_thing *i)
{
    struct dfi_parts *k = t->parts;
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
        struct dfi_stall_thing *i = m->todo[m->n_todo].thing;
        const struct dfi_scope *s = t->scope;
        const struct dfi_use *u;
        const struct dfi_edge *e;
        dfi_stall_arrow_add(m, dfi_stall_scope(m, s), i, "among them");
        if (s->kind == DFI_BODY)
            dfi_stall_arrow_add(m, dfi_stall_task(m, s->task), i, "which is not done before its child,");
        dfi_stall_parts(m, t, i);
        for (u = t->task.mem.special == 1 ? dfi_tokens_of(t->extra)->signals : NULL; u; u = u->next)
            dfi_stall_arrow_add(m, dfi_stall_thing_of(m, u->token), i, "which is to be signalled by");
        e = dfi_load_acquire(&t->succ); /* acquire: edges and their tasks; pairs with the CAS in dfi_edge_add */
        for (; e && e != DFI_DONE_EDGE; e = e->next)
            if (dfi_load_acquire(&e->task->wait) < DFI_GUARD / 2) { /* acquire: all of it; pairs with dfi_flow_count */
                /* A join after gates at the end of a body has no successors: the task itself replaces it. */
                const struct dfi_scope *in = e->task->scope;
                int end = dfi_stall_is_gate(t) && e->task->type == &dfi_join_type && in->kind == DFI_BODY &&
                    !dfi_load_relaxed(&e->task->succ);
                dfi_stall_arrow_add(m, dfi_stall_task(m, end ? in->task : e->task), i,
                                    end ? "which is not done before" : "which comes after");
            }
    }
    while (m->n_weak) dfi_weak_unlock(m->weak[--m->n_weak]);
}

/* --- the objects that tasks wait for ---------------------------------------------------------- */

/* pre: a waiting task keeps t alive */
static struct dfi_stall_thing *dfi_stall_token(struct dfi_stall_map *m, df_token *t)
{
    struct dfi_stall_thing *i = dfi_stall_thing_of(m, t);
    if (!i || *i->text) return i;
    snprintf(i->text, DFI_STALL_TEXT, "the token of %s", t->dfi_site);
    if (dfi_load_relaxed(&t->dfi_promised) < dfi_load_relaxed(&t->dfi_need))
        i->end = dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_EXTERNAL
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
static void dfi_stall_windows(struct dfi_stall_map *m, struct dfi_stall_thing *i, const struct dfi_extra *x)
{
    struct dfi_window *v;
    for (v = dfi_windows_of(x)->first; v; v = v->of_task) {
        struct dfi_stream *c = v->stream;
        dfi_stream_lock(c);
        if (v->waits) {
            const struct df_stream *r;
            const struct dfi_window *before = c->push.first;
            struct dfi_stall_thing *k = dfi_stall_thing_of(m, v);
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
            dfi_stall_line(m, "%.*s waits for %s", DFI_STALL_TEXT / 2, i->text, text);
            if (k) {
                memcpy(k->text, text, sizeof text);
                k->end = v->reader ? "which no task was submitted to push"
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
    struct dfi_stall_thing *i = dfi_stall_task(m, x->task);
    const struct dfi_use *u;
    df_token *token = dfi_tokens_of(x)->held.until;
    char text[DFI_STALL_TEXT], missing[DFI_MISSING_TEXT];
    if (!i) return;
    for (u = dfi_tokens_of(x)->held.after; token || u; u = token ? u : u->next, token = NULL) {
        df_token *k = token ? token : u->token;
        if (!dfi_token_is_closed(k)) continue;
        dfi_stall_arrow_add(m, i, dfi_stall_token(m, k), "which waits for");
        dfi_stall_signals(text, k);
        dfi_stall_line(m, "%.*s waits for the token of %s: %s", DFI_STALL_TEXT / 2, i->text, k->dfi_site, text);
    }
    if (dfi_tokens_of(x)->inputs && dfi_node_missing(x, dfi_load_relaxed(&dfi_tokens_of(x)->given), missing)) {
        dfi_stall_line(m, "%.*s was not given: %s", DFI_STALL_TEXT / 2, i->text, missing);
        i->end = "which was not given all of its inputs";
    }
    if (dfi_load_relaxed(&dfi_windows_of(x)->missing) > 0) dfi_stall_windows(m, i, x);
    dfi_stall_expand(m);
}

/* Adds the ready tasks of a queue. v: the only worker that may run them, or NULL. */
static void dfi_stall_queue(struct dfi_stall_map *m, struct dfi_queue *q, const struct dfi_worker *v)
{
    char text[DFI_STALL_TEXT];
    if (!dfi_load_relaxed(&q->count)) return;
    dfi_os_lock(&q->lock);
    if (q->best) {
        struct dfi_stall_thing *i = dfi_stall_task(m, q->best->task), *thread = v ? dfi_stall_thing_of(m, v) : NULL;
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
    int index = dfi_load_relaxed(&v->index);
    const char *kind = index < DFI_WORKERS_MOST ? "worker" :
        dfi_load_relaxed(&v->helper) ? "spare worker" : "thread";
    snprintf(text, bytes, "%s %d", kind, index);
}

/* True if its thread waits for something other than work. */
static int dfi_stall_waits(const struct dfi_wait *x) { return x->kind != DFI_WAIT_IDLE && x->kind != DFI_WAIT_MEMBER; }

/* Texts of the wait r of thing i, a thread: how, for what; adds an arrow unless i is NULL. pre: watch lock */
static void dfi_stall_waits_text(struct dfi_stall_map *m, const struct dfi_wait *r, struct dfi_stall_thing *i,
                                 char text[DFI_STALL_TEXT], char what[DFI_STALL_TEXT])
{
    static const char *const texts[] = { /* by kind */
        "takes part in a loop or pipe", "waits in", "waits in df_mutex_lock", "has nothing to do", "waits in df_wait",
        "waits in df_submit, as df_config.window is full", "waits in df_wait_on", "waits in df_sync",
        "waits for the others in its loop or pipe", "", "waits in df_wait_token",
        "waits until the condition of a df_speculate block is known" };
    const char *how = texts[r->kind], *at = r->site ? " at " : "", *site = r->site ? r->site : "", *more = "";
    struct dfi_stall_thing *k = NULL;
    *what = 0;
    if (r->kind == DFI_WAIT_SCOPE || r->kind == DFI_WAIT_ROOM) {
        const struct dfi_scope *s = (const struct dfi_scope *)r->on;
        long n = (long)dfi_load_relaxed(&s->pending);
        k = dfi_stall_scope(m, s);
        if (r->kind == DFI_WAIT_SCOPE && !r->site && s->kind == DFI_BLOCK)
            how = "waits at the end of the block of ", site = s->site ? s->site : "df_parallel";
        if (n > 0) snprintf(what, DFI_STALL_TEXT, " for %ld task%s", n, n == 1 ? "" : "s");
    } else if (r->kind == DFI_WAIT_TASK) {
        if ((k = dfi_stall_thing_of(m, r->on)) != NULL)
            snprintf(k->text, DFI_STALL_TEXT, "the tasks so far that write there");
    } else if (r->kind == DFI_WAIT_FUTURE) {
        snprintf(what, DFI_STALL_TEXT, " for the spawned %s", ((const struct dfi_future *)r->on)->type->name);
        k = dfi_stall_thing_of(m, r->on);
        if (k) snprintf(k->text, DFI_STALL_TEXT, "%.190s", what + 5);
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
        if ((k = dfi_stall_thing_of(m, l)) != NULL) {
            snprintf(k->text, DFI_STALL_TEXT, "%.190s", what + 5);
            k->owner = dfi_load_relaxed(&l->dfi_owner);
            k->end = "which is held by a thread that is not in df now";
        }
    } else if (r->kind == DFI_WAIT_OUTSIDE) more = (const char *)r->on;
    snprintf(text, DFI_STALL_TEXT, "%s%s%s%s%.120s", how, *more ? " " : "", more, at, site);
    dfi_stall_arrow_add(m, i, k, "for");
}

/* The text of the body r; adds an arrow from it to the thread. */
static void dfi_stall_running_text(struct dfi_stall_map *m, struct dfi_body *r, struct dfi_stall_thing *i,
                                   char text[DFI_STALL_TEXT])
{
    if (r->task) {
        struct dfi_stall_thing *k = dfi_stall_task(m, r->task);
        char task[DFI_STALL_TEXT];
        dfi_stall_task_text(task, r->task);
        snprintf(text, DFI_STALL_TEXT, "%.180s", task);
        dfi_stall_arrow_add(m, k, i, "which runs on");
    } else {
        snprintf(text, DFI_STALL_TEXT, "%s %s", r->future ? "the spawned" : r->kind & DFI_RAN_LOOP ? "a part of loop"
                 : r->kind & DFI_RAN_STAGE ? "a stage of pipe" : "task", r->name);
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
    struct dfi_body *r;
    char name[40], text[DFI_STALL_TEXT], what[DFI_STALL_TEXT];
    struct dfi_stall_thing *i;
    int top = 1;
    dfi_os_lock(&dfi_chains_of(v)->lock);
    a = dfi_chains_of(v)->waits, r = dfi_load_relaxed(&dfi_chains_of(v)->running);
    if (a || r) {
        dfi_stall_name(name, sizeof name, v);
        if ((i = dfi_stall_thing_of(m, v)) != NULL) i->thread = 1, i->owner = dfi_chains_of(v)->thread_id;
        for (; a || r; top = 0) {
            int waits = a && (!r || a->in == r);
            double since = dfi_stall_since(m, waits ? a->since : r->since);
            if (waits) {
                m->waits |= dfi_stall_waits(a);
                if (top) m->waiting += dfi_stall_waits(a), m->idle += a->kind == DFI_WAIT_IDLE,
                         m->busy += a->kind == DFI_WAIT_MEMBER;
                dfi_stall_waits_text(m, a, top ? i : NULL, text, what);
                if (top && i) i->waits = dfi_stall_waits(a);
            } else {
                m->busy += top;
                *what = 0;
                dfi_stall_running_text(m, r, i, text);
            }
            if (top && i)
                snprintf(i->text, DFI_STALL_TEXT, waits ? "%s, which %.140s" : "%s, which is busy", name, text);
            if (top && (!waits || a->kind != DFI_WAIT_IDLE))
                dfi_stall_line(m, "%s (%.2f s) %s%.100s%.100s", name, since, waits ? "" : "runs ", text, what);
            else if (!top && (!waits || dfi_stall_waits(a)))
                dfi_stall_line(m, "    nested in %s%.100s%.100s (%.2f s)", waits ? "where it " : "", text, what, since);
            if (waits) a = a->outer;
            else r = r->outer;
        }
        dfi_stall_expand(m);
    }
    dfi_os_unlock(&dfi_chains_of(v)->lock);
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
        const struct dfi_on_hold *h;
        dfi_os_lock(&dfi_holds_of(v)->lock);
        for (h = dfi_load_relaxed(&dfi_holds_of(v)->first); h; h = h->next)
            if (h->of) dfi_stall_held(m, h->of);
        dfi_os_unlock(&dfi_holds_of(v)->lock);
        dfi_stall_queue(m, &dfi_tasks_of(v)->pinned, v);
    }
    dfi_stall_queue(m, &dfi_flow_pool.queue, NULL);
}

/* Threads: any that holds no lock of df. */
static void dfi_stall_report(size_t stamp, double seconds)
{
    struct dfi_stall_map *m = (struct dfi_stall_map *)dfi_malloc(sizeof *m);
    char text[DFI_STALL_TEXT];
    size_t i;
    int left; /* a single worker is outside of df, and has left tasks */
    if (!m) dfi_warn_once("out of memory: DF_STALL reports no stall");
    else dfi_stall_collect(m);
    left = m && !m->waits && !m->busy && !m->idle && dfi_work_public();
    /* else all threads are idle or outside of df, or there is progress */
    if (m && (m->waits || m->busy || left) && dfi_stall_stamp() == stamp) {
        snprintf(text, sizeof text,
 "nothing has begun, ended or been signalled for %.2f s: %d thread%s wait%s, %d run%s something, %d ha%s nothing to do",
                 seconds, m->waiting, m->waiting == 1 ? "" : "s", m->waiting == 1 ? "s" : "", m->busy,
                 m->busy == 1 ? "s" : "", m->idle, m->idle == 1 ? "s" : "ve");
        dfi_stall_say("", "", text);
        for (i = 0; i < m->n_lines; i++) dfi_stall_say("", "", m->line[i]);
        if (m->more_lines) {
            snprintf(text, sizeof text, "and %lu lines like these", (unsigned long)m->more_lines);
            dfi_stall_say("", "", text);
        }
        if (left)
            dfi_stall_say("", "", "tasks are ready, and no thread runs them: the only worker waits or computes outside "
                                  "of df; let it wait for them by df_wait or df_wait_on, or call df_yield_blocking");
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

DFI_SMALL_CODE_END

#endif
