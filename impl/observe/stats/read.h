/* read.h - conversion of events to the records of observe/stats/stats.h
 *
 * A loop is known by the parts in which it was executed: those of the body that it is in, one after
 * the other, and those of workers that joined. For a simulation, each part is divided into pieces
 * that any worker may execute, so that a loop executed by one worker is also divided among a
 * thousand. */
#ifndef DFI_OBSERVE_STATS_READ_H
#define DFI_OBSERVE_STATS_READ_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../event.h"
#include "../events.h"
#include "stats.h"

DFI_SMALL_CODE_BEGIN

/* --- loops --------------------------------------------------------------------------------------------------- */

enum {
    DFI_S_PIECE_US = 5,      /* the shortest piece: DFI_LOOP_PART_NS */
    DFI_S_PIECES = 4096,     /* of a part */
    DFI_S_AHEAD = 64         /* number of loops examined that began after a part */
};

/* Adds a new part, or loop. */
static uint32_t dfi_s_new_part(struct dfi_stats *s, const struct dfi_event *e, double own, const struct dfi_s_worker *w)
{
    struct dfi_s_part *p;
    DFI_S_ROOM(s->part, struct dfi_s_part, s->part_room, s->parts);
    p = &s->part[s->parts];
    p->at = e->at;
    p->own = own, p->n = w->iterations, p->first = w->first;
    p->name = e->what, p->loop = DFI_S_NONE;
    return s->parts++;
}
static uint32_t dfi_s_new_loop(struct dfi_stats *s, const struct dfi_s_part *p, uint32_t body, uint64_t since)
{
    struct dfi_s_loop *l;
    DFI_S_ROOM(s->loop, struct dfi_s_loop, s->loop_room, s->loops);
    l = &s->loop[s->loops];
    l->since = since, l->from = p->at, l->first = p->first;
    l->name = p->name, l->body = body, l->step = l->pieces = DFI_S_NONE;
    return s->loops++;
}

/* The body executes a part of a loop itself: of the loop of its last step, if it continues that one,
 * or else of a new one, after `own` ticks. Until `since` it did other work. Nonzero: a new one. */
static int dfi_s_loop_part(struct dfi_stats *s, uint32_t body, uint32_t part, double own, uint64_t since)
{
    struct dfi_s_part *p = &s->part[part];
    const struct dfi_s_step *last = s->body[body].last == DFI_S_NONE ? NULL : &s->step[s->body[body].last];
    uint32_t l = last && last->kind == DFI_S_LOOP ? last->of : DFI_S_NONE;
    if (l != DFI_S_NONE && s->loop[l].name == p->name && s->loop[l].first < p->first) {
        p->loop = l, s->loop[l].first = p->first;
        return 0;
    }
    if ((l = dfi_s_new_loop(s, p, body, since)) == DFI_S_NONE) return 0;
    p->loop = l;
    s->loop[l].step = dfi_s_add_step(s, body, own, DFI_S_LOOP, l, 0);
    return 1;
}

/* --- before the simulation ------------------------------------------------------------------------------ */

static int dfi_s_by_begin(const void *a, const void *b)
{
    const struct dfi_s_loop *x = &dfi_stats.loop[*(const uint32_t *)a], *y = &dfi_stats.loop[*(const uint32_t *)b];
    return x->from < y->from ? -1 : x->from > y->from ? 1 : *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The loop to which p, executed by another worker, belongs: the last one with its name that had
 * begun by then; or the next one, if the worker may have begun before the owner of the loop, and no
 * other loop is possible. order: loops sorted by their begin. */
static uint32_t dfi_s_loop_of(const struct dfi_stats *s, const struct dfi_s_part *p, const uint32_t *order)
{
    uint32_t lo = 0, hi = s->loops, k, found = DFI_S_NONE;
    const struct dfi_s_loop *next;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (s->loop[order[middle]].from <= p->at) lo = middle + 1;
        else hi = middle;
    }
    k = lo;
    while (lo > 0 && found == DFI_S_NONE)
        if (s->loop[order[--lo]].name == p->name) found = order[lo];
    for (hi = s->loops - k > (uint32_t)DFI_S_AHEAD ? k + (uint32_t)DFI_S_AHEAD : s->loops; k < hi; k++) {
        next = &s->loop[order[k]];
        if (next->name != p->name) continue;
        if (next->since <= p->at && (found == DFI_S_NONE || s->loop[found].body == next->body)) found = order[k];
        break;
    }
    return found;
}

/* Divides all parts. */
static void dfi_s_divide(struct dfi_stats *s)
{
    uint32_t i, k, n, body, *order;
    double shortest = (double)(dfi_events.ticks_us * DFI_S_PIECE_US);
    if (!s->parts || !(order = (uint32_t *)dfi_malloc((s->loops + 1) * sizeof *order))) return;
    for (i = 0; i < s->loops; i++) order[i] = i;
    qsort(order, s->loops, sizeof *order, dfi_s_by_begin);
    for (i = 0; i < s->parts; i++) {
        const struct dfi_s_part *p = &s->part[i];
        uint32_t loop = p->loop == DFI_S_NONE ? dfi_s_loop_of(s, p, order) : p->loop;
        n = p->own / shortest > (double)DFI_S_PIECES ? (uint32_t)DFI_S_PIECES : (uint32_t)(p->own / shortest);
        if (n > p->n) n = (uint32_t)p->n;
        if (n < 1 || s->bodies + n > 2 * DFI_S_MOST) n = 1;
        for (k = 0; k < n; k++) {
            if ((body = dfi_s_new_body(s, 0)) == DFI_S_NONE) break;
            s->body[body].is = DFI_S_RAN | DFI_S_PIECE;
            s->body[body].name = p->name;
            s->body[body].rest = (float)(p->own / (double)n);
            if (loop != DFI_S_NONE) s->body[body].link = s->loop[loop].pieces, s->loop[loop].pieces = body;
        }
    }
    s->parts = 0;
    dfi_mfree(order);
}

/* --- events -------------------------------------------------------------------------------------------------- */

static uint32_t dfi_s_worker_room(struct dfi_stats *s, uint32_t worker)
{
    DFI_S_ZEROED(s->worker, struct dfi_s_worker, s->workers, worker);
    return 0;
}

static uint32_t dfi_s_name_room(struct dfi_stats *s, uint32_t name)
{
    DFI_S_ZEROED(s->name, struct dfi_s_name, s->names, name);
    return 0;
}

/* Pushes an item of w. Adjacent items that only cover time are merged; the first stays separate,
 * because a wait may begin after it. */
static uint32_t dfi_s_push(struct dfi_s_worker *w, const struct dfi_s_item *item)
{
    struct dfi_s_item *top = w->n ? &w->item[w->n - 1] : NULL;
    int cover = w->n > 1 && item->kind == DFI_S_COVER && top->kind == DFI_S_COVER && top[-1].kind == DFI_S_COVER;
    if (cover || (top && item->kind == DFI_S_INLINE && top->kind == DFI_S_INLINE)) {
        top->end = item->end, top->cost += item->cost;
        return 0;
    }
    DFI_S_ROOM(w->item, struct dfi_s_item, w->room, w->n);
    w->item[w->n++] = *item;
    return 0;
}

/* The first item of w that began at `at` or later. */
static uint32_t dfi_s_since(const struct dfi_s_worker *w, uint64_t at)
{
    uint32_t i = w->n;
    while (i && w->item[i - 1].at >= at) i--;
    return i;
}

/* True if tasks that ran immediately are among the items [from, w->n). */
static int dfi_s_has_inline(const struct dfi_s_worker *w, uint32_t from)
{
    while (from < w->n && w->item[from].kind != DFI_S_INLINE) from++;
    return from < w->n;
}

/* The time of the body or wait e without nested ones, from the event before it. */
static uint64_t dfi_s_own(struct dfi_s_worker *w, const struct dfi_event *e)
{
    uint64_t ticks = w->shared ? w->own : e->b;
    w->shared = 0;
    return ticks;
}

/* Turns the items of w from `from` on into steps of a body. The body's own time is known up to *now,
 * and lasts to `end`. */
static void dfi_s_walk(struct dfi_stats *s, struct dfi_s_worker *w, uint32_t from, uint32_t body, uint64_t *now,
                       uint64_t end)
{
    double own = 0, cost = 0;
    uint32_t i;
    for (i = from; i < w->n; i++) {
        const struct dfi_s_item *t = &w->item[i];
        uint64_t since = *now;
        if (t->kind == DFI_S_INLINE) {
            cost += t->cost;
            continue;
        }
        if (t->at > *now) own += (double)(t->at - *now);
        *now = t->end;
        if (t->kind == DFI_S_LOOP) {
            if (dfi_s_loop_part(s, body, t->of, own > cost ? own - cost : 0, since)) own = 0, cost = 0;
            cost += t->cost;
            continue;
        }
        if (t->kind == DFI_S_COVER) {
            cost += t->cost;
            continue;
        }
        dfi_s_add_step(s, body, own > cost ? own - cost : 0, t->kind, t->of, t->level);
        own = 0, cost = t->cost;
    }
    if (end > *now) own += (double)(end - *now), *now = end;
    s->body[body].rest = own > cost ? (float)(own - cost) : 0;
    w->n = from;
}

/* The code of w's thread outside tasks is known up to here. Its time after its last step, and before
 * its first, is without df, and left out. */
static void dfi_s_program(struct dfi_stats *s, struct dfi_s_worker *w)
{
    uint32_t i = 0, body, last;
    for (last = w->n; last && w->item[last - 1].kind == DFI_S_COVER;) last--;
    if (!w->program && !s->full) {
        while (i < w->n && w->item[i].kind >= (unsigned)(w->foreign ? DFI_S_COVER : DFI_S_LOOP)) i++;
        if (i < w->n && (body = dfi_s_new_body(s, w->item[i].at)) != DFI_S_NONE) {
            s->body[body].is = DFI_S_PROGRAM | DFI_S_RAN;
            w->program = body + 1;
            w->now = s->body[body].id; /* its begin */
        }
    }
    if (w->program) dfi_s_walk(s, w, i, w->program - 1, &w->now, last ? w->item[last - 1].end : 0);
    w->n = 0;
}

/* A body ended. */
static void dfi_s_ran(struct dfi_stats *s, struct dfi_s_worker *w, const struct dfi_event *e)
{
    uint32_t from = dfi_s_since(w, e->at), i, body;
    uint64_t own = dfi_s_own(w, e), now = e->at;
    double cost = s->cost.inside, rest;
    struct dfi_s_item item;
    int internal = (e->level & DFI_RAN_INTERNAL) != 0;
    int inside = e->level & DFI_RAN_INLINE || (e->level & DFI_RAN_STAGE && w->foreign);
    if (e->level & DFI_RAN_LOOP) { /* with tasks in it: a part of the enclosing body */
        for (i = from; i < w->n && w->item[i].kind >= DFI_S_INLINE;) i++;
        inside |= s->full || i < w->n || e->level & DFI_RAN_ORDERED;
    }
    for (i = from; i < w->n; i++) cost += w->item[i].cost;
    own = (double)own > cost ? own - (uint64_t)cost : 0;
    memset((void *)&item, 0, sizeof item);
    item.at = e->at, item.end = e->at + e->b, item.of = DFI_S_NONE;
    if (!internal) {
        w->tasks++;
        w->busy += own;
        if (!dfi_s_name_room(s, e->what)) {
            struct dfi_s_name *name = &s->name[e->what];
            name->count++;
            name->total += (double)own;
            if (own > name->most) name->most = own;
        }
    }
    if (inside) { /* its children belong to the enclosing body, which is not known yet */
        item.kind = DFI_S_INLINE, item.cost = s->cost.outside;
        dfi_s_push(w, &item);
        return;
    }
    if (e->level & DFI_RAN_LOOP) {
        w->n = from;
        item.kind = DFI_S_LOOP, item.cost = s->cost.outside;
        item.of = dfi_s_new_part(s, e, (double)own, w);
        if (item.of != DFI_S_NONE) dfi_s_push(w, &item);
        return;
    }
    if (w->last && e->at - w->last < s->gap_most) s->gaps++, s->gap_ticks += e->at - w->last;
    if (e->level & DFI_RAN_SPAWNED) s->stolen_futures++;
    body = dfi_s_find(s, e->a, DFI_S_RAN);
    if (body != DFI_S_NONE) {
        if (internal && !dfi_s_has_inline(w, from)) s->body[body].is |= DFI_S_INTERNAL; /* else a tile of a wavefront */
        s->body[body].name = e->what;
        dfi_s_walk(s, w, from, body, &now, item.end);
        rest = (double)s->body[body].rest - s->cost.inside;
        s->body[body].rest = rest > 0 ? (float)rest : 0;
    } else if (!internal) s->left_out++;
    w->n = from;
    item.kind = DFI_S_COVER, item.cost = s->cost.outside;
    dfi_s_push(w, &item);
    w->last = item.end;
}

/* A body waited, or made room. */
static void dfi_s_waited(struct dfi_stats *s, struct dfi_s_worker *w, const struct dfi_event *e)
{
    uint32_t from = dfi_s_since(w, e->at);
    struct dfi_s_item item;
    int step = e->kind == DFI_E_WAIT && e->what == (uint32_t)DFI_WAIT_SCOPE && !s->full;
    /* df_stop, and other waits without children: getting there is not part of the work of the program */
    if (!e->a && !(w->pending && w->highest >= e->level)) step = 0;
    w->n = from;
    w->waiting += dfi_s_own(w, e);
    memset((void *)&item, 0, sizeof item);
    item.at = e->at, item.end = e->at + e->b;
    item.kind = step ? DFI_S_WAIT : DFI_S_COVER, item.level = e->level, item.of = DFI_S_NONE;
    item.cost = s->cost.submit;
    dfi_s_push(w, &item);
    if (item.kind == DFI_S_WAIT && !e->a) {
        dfi_s_program(s, w);
        if (w->lowest >= e->level) w->pending = 0;
        else w->highest = (uint16_t)(e->level - 1);
    }
}

/* A task is submitted, or is the next one that is waited for. */
static void dfi_s_submitted(struct dfi_stats *s, struct dfi_s_worker *w, const struct dfi_event *e)
{
    struct dfi_s_item item;
    memset((void *)&item, 0, sizeof item);
    item.at = item.end = e->at;
    item.cost = s->cost.submit;
    item.kind = e->kind == DFI_E_SUBMIT ? DFI_S_SUBMIT : e->kind == DFI_E_UNTIL ? DFI_S_UNTIL : DFI_S_SIGNAL;
    item.of = dfi_s_find(s, e->a, item.kind == DFI_S_SUBMIT ? DFI_S_SUBMITTED : 0);
    if (item.of == DFI_S_NONE) return;
    if (item.kind == DFI_S_SUBMIT) s->body[item.of].name = e->what, s->body[item.of].level = e->level;
    if (item.kind == DFI_S_UNTIL) s->body[item.of].is |= DFI_S_INTERNAL;
    if (item.kind == DFI_S_SUBMIT && !e->b) {
        if (!w->pending || e->level < w->lowest) w->lowest = e->level;
        if (!w->pending || e->level > w->highest) w->highest = e->level;
        w->pending = 1;
    }
    dfi_s_push(w, &item);
}

/* Adds the performance counters of a body. */
static uint32_t dfi_s_counted(struct dfi_stats *s, const struct dfi_event *e)
{
    double *sum;
    DFI_S_ZEROED(s->perf, struct dfi_s_perf, s->perfs, e->what);
    sum = s->perf[e->what].sum + 3 * e->level;
    sum[0] += (double)e->at, sum[1] += (double)e->a, sum[2] += (double)e->b;
    s->perf[e->what].count += !e->level;
    return 0;
}

static void dfi_s_read(int worker, const struct dfi_event *e, unsigned n)
{
    struct dfi_stats *s = &dfi_stats;
    struct dfi_s_worker *w;
    uint32_t a, b;
    unsigned i;
    if (worker == DFI_EVENT_DEVICES || dfi_s_worker_room(s, (uint32_t)worker)) return;
    w = &s->worker[worker];
    w->seen |= n > 0;
    for (i = 0; i < n; i++, e++) {
        switch (e->kind) {
        case DFI_E_RUN: dfi_s_ran(s, w, e); continue;
        case DFI_E_OWN: w->own = e->b, w->shared = 1; continue;
        case DFI_E_EDGE:
            if (e->level) continue; /* DFI_E_SIGNAL has the time */
            if (w->n) w->item[w->n - 1].cost += s->cost.event;
            a = dfi_s_find(s, e->a, 0), b = dfi_s_find(s, e->b, 0);
            if (a != DFI_S_NONE && b != DFI_S_NONE) dfi_s_add_edge(s, a, b);
            continue;
        case DFI_E_SUBMIT:
        case DFI_E_SIGNAL:
        case DFI_E_UNTIL: dfi_s_submitted(s, w, e); break;
        case DFI_E_WAIT:
        case DFI_E_ROOM: dfi_s_waited(s, w, e); break;
        case DFI_E_PARK: w->asleep += e->b; break;
        case DFI_E_STEAL: break;
        case DFI_E_PART: /* bounds have type long */
            w->first = (int64_t)e->at;
            w->iterations = (int64_t)e->a > w->first ? e->a - e->at : 1;
            continue;
        case DFI_E_THREAD:
            w->index = (uint32_t)e->a;
            if (e->b) w->foreign = 1;
            continue;
        case DFI_E_PERF: dfi_s_counted(s, e); continue;
        default: continue;
        }
        w->last = 0;
    }
}

DFI_SMALL_CODE_END

#endif
