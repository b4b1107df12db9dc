/* read.h - reader of the events for DF_TRACE: slices, arrows and counters
 *
 * Events of different workers come in no order: the run of a task may be seen before its submission.
 * So recent tasks are kept in a table. A slice is shown when both are known, and at the latest at
 * the second look after it ended; an arrow, when both of its slices have been shown. The table is a
 * ring: a new task replaces the oldest one that has run, or any task if few have. */
#ifndef DFI_OBSERVE_TRACE_READ_H
#define DFI_OBSERVE_TRACE_READ_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../work/types.h"
#include "../../api/hooks.h"
#include "../event.h"
#include "../events.h"
#include "../identity.h"
#include "trace.h"
#include "../../more/points.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_TRACE_TASKS = 4096,  /* slots for tasks per worker, the most tasks that two chunks of events can mention, */
    DFI_TRACE_MOST = 1 << 17, /* and for all workers: 20 MiB; powers of two */
    DFI_TRACE_EDGES = 2,     /* slots for edges that wait for a slice, per task */
    /* shorter waits are not shown: longer than finding that there is nothing to wait for */
    DFI_TRACE_WAIT_NS = 200,
    DFI_TRACE_SAME = 8       /* edges of one task that are searched for duplicates */
};
enum { DFI_T_RUN = 1, DFI_T_SUBMIT = 2, DFI_T_SHOWN = 4, DFI_T_STOLEN = 8, DFI_T_FROM = 16 };

struct dfi_trace_task {
    uint64_t id, parent;
    uint64_t begin, end;      /* RUN: ns */
    uint64_t from;            /* FROM: the begin of the arrow for a steal; ns */
    uint32_t name, site;
    uint32_t edges;           /* the first edge that waits for it to be shown, plus 1 */
    uint16_t track, from_track;
    unsigned char kind, has, n;
    unsigned char look;       /* RUN: the last bits of the number of the look at which it ended */
};
/* contiguous, because most searches end at another key; chain: next slot in its list, plus 1 */
struct dfi_trace_key { uint64_t id; uint32_t chain; };
struct dfi_trace_edge { uint64_t from, to; uint32_t next; };
struct dfi_trace_late { uint64_t id; uint32_t at; };

struct dfi_trace_tasks {
    uint32_t room;            /* tasks; a power of two */
    uint32_t next;            /* the slot of the next task */
    uint32_t free;            /* edges */
    uint32_t late, n_late;    /* ring of tasks held back: the oldest, their number */
    unsigned char looks;
    uint32_t n_open;          /* tasks submitted and not run */
    unsigned long lost;       /* arrows */
    struct dfi_trace_task *task;
    struct dfi_trace_write *write; /* DFI_TRACE_WRITES of each */
    struct dfi_trace_key *key;
    unsigned char *open;      /* the slot has a submitted task that has not run */
    struct dfi_trace_edge *edge;
    uint32_t *list;           /* hash table, twice as large: slots plus 1 */
    struct dfi_trace_late *held;
    struct {
        int named;
        uint64_t submitted;   /* the last submitted task, */
        uint32_t at;          /* and its slot, if it is still there */
        long long first, last; /* of the part that ends */
        uint64_t to, same[DFI_TRACE_SAME]; /* edges of the last task with edges */
        unsigned n_same;
    } track[DFI_MAX_WORKERS + 1];
};

/* In one block of memory; NULL: none left. */
static struct dfi_trace_tasks *dfi_trace_tasks_new(int workers)
{
    uint32_t room = DFI_TRACE_TASKS, i, edges;
    struct dfi_trace_tasks *k;
    while (room < DFI_TRACE_MOST && room < (uint32_t)DFI_TRACE_TASKS * (uint32_t)(workers + 1)) room *= 2;
    edges = DFI_TRACE_EDGES * room;
    k = (struct dfi_trace_tasks *)dfi_malloc(
        sizeof *k + room * (sizeof *k->task + DFI_TRACE_WRITES * sizeof *k->write + DFI_TRACE_EDGES * sizeof *k->edge +
                            sizeof *k->key + sizeof *k->held + 2 * sizeof *k->list + sizeof *k->open));
    if (!k) return NULL;
    memset((void *)k, 0, sizeof *k);
    k->room = room;
    k->task = (struct dfi_trace_task *)(void *)(k + 1); /* in the order of their alignment */
    k->write = (struct dfi_trace_write *)(void *)(k->task + room);
    k->edge = (struct dfi_trace_edge *)(void *)(k->write + DFI_TRACE_WRITES * room);
    k->key = (struct dfi_trace_key *)(void *)(k->edge + edges);
    k->held = (struct dfi_trace_late *)(void *)(k->key + room);
    k->list = (uint32_t *)(void *)(k->held + room);
    k->open = (unsigned char *)(k->list + 2 * room);
    for (i = 0; i < room; i++) k->task[i].id = k->key[i].id = 0;
    memset((void *)k->list, 0, room * (2 * sizeof *k->list + sizeof *k->open));
    for (i = 0; i < edges; i++) k->edge[i].next = i + 2 <= edges ? i + 2 : 0;
    k->free = 1;
    return k;
}

static uint64_t dfi_trace_ns(uint64_t at)
{
    double ns = dfi_event_ns(at);
    return ns > 0 ? (uint64_t)ns : 0;
}

/* --- the table --------------------------------------------------------------------------------------------- */

static uint32_t *dfi_trace_list(struct dfi_trace_tasks *k, uint64_t id)
{
    return &k->list[dfi_id_home(id) & (2 * k->room - 1)];
}

static struct dfi_trace_task *dfi_trace_find(struct dfi_trace_tasks *k, uint64_t id)
{
    uint32_t at = *dfi_trace_list(k, id);
    while (at && k->key[at - 1].id != id) at = k->key[at - 1].chain;
    return at ? &k->task[at - 1] : NULL;
}

static void dfi_trace_drop_edges(struct dfi_trace_tasks *k, struct dfi_trace_task *a)
{
    while (a->edges) {
        struct dfi_trace_edge *e = &k->edge[a->edges - 1];
        uint32_t at = a->edges;
        a->edges = e->next;
        e->next = k->free, k->free = at;
        k->lost++;
    }
}

static void dfi_trace_show(struct dfi_trace *t, struct dfi_trace_task *a);

static void dfi_trace_open(struct dfi_trace_tasks *k, const struct dfi_trace_task *a, int open)
{
    unsigned char *at = &k->open[a - k->task];
    if (*at == open) return;
    *at = (unsigned char)open;
    if (open) k->n_open++;
    else k->n_open--;
}

/* The task with that identity, a new one if there is none. */
static struct dfi_trace_task *dfi_trace_task_of(struct dfi_trace *t, uint64_t id)
{
    struct dfi_trace_tasks *k = t->tasks;
    struct dfi_trace_task *a = dfi_trace_find(k, id);
    uint32_t *list;
    if (a) return a;
    if (k->n_open < k->room / 8 * 7) /* so that one in eight slots can be taken */
        while (k->open[k->next]) k->next = (k->next + 1) & (k->room - 1);
    a = &k->task[k->next];
    if (a->id) {
        if ((a->has & (DFI_T_RUN | DFI_T_SHOWN)) == DFI_T_RUN) dfi_trace_show(t, a);
        dfi_trace_drop_edges(k, a);
        dfi_trace_open(k, a, 0);
        for (list = dfi_trace_list(k, a->id); *list != k->next + 1;) list = &k->key[*list - 1].chain;
        *list = k->key[k->next].chain;
    }
    list = dfi_trace_list(k, id);
    k->key[k->next].id = id, k->key[k->next].chain = *list;
    a->id = id, a->edges = 0, a->has = a->n = 0;
    a->parent = 0, a->site = 0;
    *list = k->next + 1;
    k->next = (k->next + 1) & (k->room - 1);
    return a;
}

/* --- slices and arrows ------------------------------------------------------------------------------------- */

/* Shows the arrow from a to b. It begins at the end of a, or earlier if b began earlier (df_release,
 * inputs of a node). pre: both have been shown */
static void dfi_trace_join(struct dfi_trace *t, const struct dfi_trace_task *a, const struct dfi_trace_task *b)
{
    struct dfi_trace_arrow r;
    r.from = a->end > a->begin ? a->end - 1 : a->begin;
    if (r.from > b->begin) r.from = b->begin > a->begin ? b->begin : a->begin;
    r.to = b->begin > r.from ? b->begin : r.from;
    if (r.to > b->end) r.to = b->end;
    r.from_id = a->id, r.to_id = b->id;
    r.from_track = a->track, r.to_track = b->track, r.kind = DFI_A_AFTER;
    t->writer->arrow(t, &r);
}

/* Records that b comes after a. One of the two may not have been shown so far. */
static void dfi_trace_after(struct dfi_trace *t, uint64_t from, uint64_t to)
{
    struct dfi_trace_tasks *k = t->tasks;
    struct dfi_trace_task *a = dfi_trace_task_of(t, from), *b = dfi_trace_task_of(t, to), *wait;
    uint32_t at = k->free;
    if (a->id != from) return; /* b took its slot, because the table is so small */
    wait = !(a->has & DFI_T_SHOWN) ? a : !(b->has & DFI_T_SHOWN) ? b : NULL;
    if (!wait) dfi_trace_join(t, a, b);
    else if (!at) k->lost++;
    else {
        struct dfi_trace_edge *e = &k->edge[at - 1];
        k->free = e->next;
        e->from = from, e->to = to;
        e->next = wait->edges, wait->edges = at;
    }
}

/* pre: it ran */
static void dfi_trace_show(struct dfi_trace *t, struct dfi_trace_task *a)
{
    struct dfi_trace_tasks *k = t->tasks;
    struct dfi_trace_slice s;
    uint32_t at = a->edges;
    s.begin = a->begin, s.end = a->end, s.id = a->id, s.parent = a->parent;
    s.first = s.last = 0;
    s.name = a->name, s.site = a->site, s.track = a->track, s.kind = a->kind;
    s.submitted = a->has & DFI_T_SUBMIT ? a->from : 0;
    s.from_track = a->has & DFI_T_SUBMIT ? a->from_track : a->track;
    s.n = a->n, s.write = &k->write[DFI_TRACE_WRITES * (a - k->task)];
    t->writer->slice(t, &s);
    a->has |= DFI_T_SHOWN;
    if ((a->has & (DFI_T_STOLEN | DFI_T_FROM)) == (DFI_T_STOLEN | DFI_T_FROM) && a->from_track != a->track) {
        struct dfi_trace_arrow r;
        r.from = a->from < a->begin ? a->from : a->begin, r.to = a->begin;
        r.from_id = a->parent, r.to_id = a->id;
        r.from_track = a->from_track, r.to_track = a->track, r.kind = DFI_A_STEAL;
        t->writer->arrow(t, &r);
    }
    a->edges = 0;
    while (at) { /* each is an arrow now, or waits for its other end */
        struct dfi_trace_edge *e = &k->edge[at - 1];
        uint32_t next = e->next;
        int ahead = e->from == a->id;
        struct dfi_trace_task *other = dfi_trace_find(k, ahead ? e->to : e->from);
        if (other && !(other->has & DFI_T_SHOWN)) e->next = other->edges, other->edges = at;
        else {
            if (other) dfi_trace_join(t, ahead ? a : other, ahead ? other : a);
            else k->lost++;
            e->next = k->free, k->free = at;
        }
        at = next;
    }
}

/* Holds back a, which ran, and whose submission has not been seen. */
static void dfi_trace_hold(struct dfi_trace *t, struct dfi_trace_task *a)
{
    struct dfi_trace_tasks *k = t->tasks;
    struct dfi_trace_late *l = &k->held[(k->late + k->n_late) & (k->room - 1)];
    if (k->n_late < k->room) {
        l->at = (uint32_t)(a - k->task), l->id = a->id;
        k->n_late++;
    } else dfi_trace_show(t, a);
}

/* Shows the tasks held back since before the last look. all: every one. */
static void dfi_trace_show_late(struct dfi_trace *t, int all)
{
    struct dfi_trace_tasks *k = t->tasks;
    for (; k->n_late; k->n_late--, k->late = (k->late + 1) & (k->room - 1)) {
        const struct dfi_trace_late *l = &k->held[k->late];
        struct dfi_trace_task *a = &k->task[l->at];
        if (a->id != l->id || a->has & DFI_T_SHOWN) continue;
        if (!all && a->look == k->looks) break;
        dfi_trace_show(t, a);
    }
    k->looks++;
}

/* --- events ------------------------------------------------------------------------------------------------ */

static void dfi_trace_name(struct dfi_trace *t, int slot, long index, int helper)
{
    char name[48];
    if (slot < 0 || slot > DFI_MAX_WORKERS) return;
    t->tasks->track[slot].named = 1;
    if (index < 0) snprintf(name, sizeof name, "slot %d", slot);
    else if (index == 0) snprintf(name, sizeof name, "worker 0 (main)");
    else snprintf(name, sizeof name, helper ? "worker %ld" : "thread %ld", index);
    t->writer->track(t, (unsigned)slot, name);
}

/* How the attempt of an atomic block ended: DFI_TRACE_COMMITTED, .. */
static int dfi_trace_end_of(const struct dfi_event *e)
{
    return e->level == DFI_ATOMIC_COMMITTED ? DFI_TRACE_COMMITTED :
           e->level == DFI_ATOMIC_RETRIED ? DFI_TRACE_RETRIED : DFI_TRACE_ABORTED;
}

/* A slice described by its event alone. */
static void dfi_trace_other(struct dfi_trace *t, unsigned track, unsigned kind, const struct dfi_event *e, uint64_t id,
                            uint32_t name, long long first, long long last)
{
    struct dfi_trace_slice s;
    memset((void *)&s, 0, sizeof s);
    s.begin = dfi_trace_ns(e->at), s.end = dfi_trace_ns(e->at + e->b), s.id = id;
    s.first = first, s.last = last, s.name = name, s.track = track, s.kind = kind;
    t->writer->slice(t, &s);
}

static void dfi_trace_ran(struct dfi_trace *t, unsigned track, const struct dfi_event *e)
{
    unsigned kind = e->level & DFI_RAN_LOOP ? DFI_SLICE_LOOP : e->level & DFI_RAN_STAGE ? DFI_SLICE_STAGE :
                    e->level & DFI_RAN_SPAWNED ? DFI_SLICE_SPAWNED :
                    e->level & DFI_RAN_INTERNAL ? DFI_SLICE_INTERNAL : DFI_SLICE_TASK;
    struct dfi_trace_task *a;
    if (e->level & (DFI_RAN_LOOP | DFI_RAN_STAGE)) {
        dfi_trace_other(t, track, kind, e, e->a, e->what, t->tasks->track[track].first, t->tasks->track[track].last);
        return;
    }
    a = dfi_trace_task_of(t, e->a);
    a->begin = dfi_trace_ns(e->at), a->end = dfi_trace_ns(e->at + e->b);
    a->name = e->what, a->kind = (unsigned char)kind, a->track = (uint16_t)track;
    a->has |= DFI_T_RUN;
    dfi_trace_open(t->tasks, a, 0);
    a->look = t->tasks->looks;
    if (kind != DFI_SLICE_TASK || a->has & DFI_T_SUBMIT || e->level & DFI_RAN_INLINE) dfi_trace_show(t, a);
    else dfi_trace_hold(t, a);
}

static void dfi_trace_submitted(struct dfi_trace *t, unsigned track, const struct dfi_event *e)
{
    struct dfi_trace_task *a = dfi_trace_task_of(t, e->a);
    a->from = dfi_trace_ns(e->at), a->from_track = (uint16_t)track;
    a->parent = e->b;
    a->has |= DFI_T_SUBMIT | DFI_T_FROM;
    if (!(a->has & DFI_T_RUN)) dfi_trace_open(t->tasks, a, 1);
    t->tasks->track[track].submitted = e->a;
    t->tasks->track[track].at = (uint32_t)(a - t->tasks->task);
}

/* The last task that the worker submitted, or NULL. */
static struct dfi_trace_task *dfi_trace_last(struct dfi_trace *t, unsigned track)
{
    struct dfi_trace_task *a = &t->tasks->task[t->tasks->track[track].at];
    return a->id && a->id == t->tasks->track[track].submitted ? a : NULL;
}

static void dfi_trace_writes(struct dfi_trace *t, unsigned track, const struct dfi_event *e)
{
    struct dfi_trace_task *a = dfi_trace_last(t, track);
    struct dfi_trace_write *w;
    if (!a || a->n == DFI_TRACE_WRITES) return;
    w = &t->tasks->write[DFI_TRACE_WRITES * (a - t->tasks->task) + a->n++];
    w->at = e->at, w->rows = e->a, w->row = e->b, w->access_names = e->what, w->index = e->level;
}

/* An edge may come twice: memory shared by two regions of a task and one of another. */
static void dfi_trace_order(struct dfi_trace *t, unsigned track, const struct dfi_event *e)
{
    uint64_t *same = t->tasks->track[track].same;
    unsigned *n = &t->tasks->track[track].n_same, i;
    if (t->tasks->track[track].to != e->b) t->tasks->track[track].to = e->b, *n = 0;
    for (i = 0; i < *n; i++)
        if (same[i] == e->a) return;
    if (*n < DFI_TRACE_SAME) same[(*n)++] = e->a;
    dfi_trace_after(t, e->a, e->b);
}

static void dfi_trace_stolen(struct dfi_trace *t, const struct dfi_event *e)
{
    struct dfi_trace_task *a = dfi_trace_task_of(t, e->a);
    a->has |= DFI_T_STOLEN;
    if (e->level) a->from = dfi_trace_ns(e->at), a->from_track = (uint16_t)e->b, a->has |= DFI_T_FROM;
}

/* The reader of the trace (observe/events.h). */
static void dfi_trace_read(int worker, const struct dfi_event *e, unsigned n)
{
    struct dfi_trace *t = dfi_trace_now;
    struct dfi_trace_task *a;
    unsigned track = (unsigned)worker, i;
    if (!t || t->out.broken) return;
    if (!n) {
        dfi_trace_show_late(t, 0);
        t->writer->look(t);
        return;
    }
    if (!t->tasks->track[track].named && worker != DFI_EVENT_DEVICES && e->kind != DFI_E_THREAD)
        dfi_trace_name(t, worker, -1, 1);
    for (i = 0; i < n; i++, e++) switch (e->kind) {
        case DFI_E_RUN: dfi_trace_ran(t, track, e); break;
        case DFI_E_PART:
            t->tasks->track[track].first = (long long)e->at, t->tasks->track[track].last = (long long)e->a;
            break;
        case DFI_E_SUBMIT: dfi_trace_submitted(t, track, e); break;
        case DFI_E_SITE:
            if ((a = dfi_trace_last(t, track)) != NULL) a->site = e->what;
            break;
        case DFI_E_WRITE: dfi_trace_writes(t, track, e); break;
        case DFI_E_EDGE: dfi_trace_order(t, track, e); break;
        case DFI_E_STEAL: dfi_trace_stolen(t, e); break;
        case DFI_E_PARK: dfi_trace_other(t, track, DFI_SLICE_PARK, e, 0, 0, 0, 0); break;
        case DFI_E_WAIT:
        case DFI_E_ROOM:
            if (e->b * 1000 >= DFI_TRACE_WAIT_NS * dfi_events.ticks_us)
                dfi_trace_other(t, track, DFI_SLICE_WAIT, e, 0, 0, e->what, 0);
            break;
        case DFI_E_ATOMIC: dfi_trace_other(t, track, DFI_SLICE_ATOMIC, e, 0, e->what, dfi_trace_end_of(e), 0); break;
        case DFI_E_THREAD:
            if (e->b < 2) dfi_trace_name(t, worker, (long)e->a, e->b == 0);
            if (e->b) t->writer->thread(t, track, dfi_trace_ns(e->at), e->b == 1);
            break;
        case DFI_E_STATE:
            t->writer->counter(t, DFI_C_UNFINISHED, dfi_trace_ns(e->at), e->a);
            t->writer->counter(t, DFI_C_RUNNING, dfi_trace_ns(e->at), e->what);
            t->writer->counter(t, DFI_C_RENAMED, dfi_trace_ns(e->at), e->b);
            break;
        case DFI_E_TRACK: t->writer->track(t, e->level, dfi_event_text_of(e->what)); break;
        case DFI_E_DEVICE:
            dfi_trace_other(t, e->level, e->a ? DFI_SLICE_COPY : DFI_SLICE_KERNEL, e, 0, e->what, (long long)e->a, 0);
            break;
        default: break;
        }
}

DFI_SMALL_CODE_END

#endif
