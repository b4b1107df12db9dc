/* read.h - the events in a trace of df, and their conversion to the records of run.h
 *
 * With DF_STATS=1, the file of DF_TRACE=file.json holds records that its viewers ignore, a line each:
 *   {"ph":"M","pid":1,"tid":WORKER,"name":"df","args":{"KIND":[AT,A,B,LEVEL,"TEXT"]}},
 * The kinds, and the meaning of the numbers, are those of impl/observe/event.h; `wait` is a wait for children, `room`
 * any other. A `begin` comes before the events of each run.
 *
 * The events of a worker come in order, a body after all bodies nested in it. So each worker has a stack of items whose
 * enclosing body is not yet known. Events of several workers come in any order, so an edge, the end or the submission
 * of a task may be seen first.
 *
 * A loop is known by the parts in which it was executed: those of the body that it is in, one after the other, and
 * those of workers that joined. For the simulation, each part is divided into pieces that any worker may execute, so
 * that a loop executed by one worker is also divided among a thousand. */
#ifndef DF_SIMULATE_READ_H
#define DF_SIMULATE_READ_H

#include "run.h"

enum { E_BEGIN, E_RUN, E_PART, E_OWN, E_SUBMIT, E_EDGE, E_SIGNAL, E_STEAL, E_PARK, E_WAIT, E_ROOM, E_UNTIL, E_THREAD,
       E_COUNT };
static const char *const event_kind[] = { "begin", "run", "part", "own", "submit", "edge", "signal", "steal", "park",
                                          "wait", "room", "until", "thread" };
/* Of E_RUN: the level (impl/work/probe.h). */
enum { RAN_INTERNAL = 1, RAN_INLINE = 2, RAN_SPAWNED = 4, RAN_LOOP = 8, RAN_STAGE = 16, RAN_ORDERED = 32 };

struct event {
    int kind;
    unsigned track;
    uint64_t at, a, b;
    unsigned level;
    uint32_t what;               /* the name of a task */
    uint64_t more[2];            /* of E_BEGIN */
};

enum {
    GAP_US = 5,                  /* a longer gap between two tasks of a worker is not due to the scheduler */
    PIECE_US = 5,                /* the shortest piece: DFI_LOOP_PART_NS */
    PIECES = 4096,               /* of a part */
    AHEAD = 64                   /* number of loops examined that began after a part */
};

static double ticks_of(const struct run *r, double us) { return us * 1000 / r->ns_per_tick; }

/* --- loops -------------------------------------------------------------------------------------------------------- */

/* Adds a new part, or loop. */
static uint32_t new_part(struct run *r, const struct event *e, double own, const struct track *w)
{
    struct part *p;
    r->part = grown(r->part, r->parts, &r->part_room, sizeof *p);
    p = &r->part[r->parts];
    p->at = e->at;
    p->own = own, p->n = w->iterations, p->first = w->first;
    p->name = e->what, p->loop = NONE;
    return r->parts++;
}
static uint32_t new_loop(struct run *r, const struct part *p, uint32_t body, uint64_t since)
{
    struct loop *l;
    r->loop = grown(r->loop, r->loops, &r->loop_room, sizeof *l);
    l = &r->loop[r->loops];
    l->since = since, l->from = p->at, l->first = p->first;
    l->name = p->name, l->body = body, l->step = l->pieces = NONE;
    return r->loops++;
}

/* The body executes a part of a loop itself: of the loop of its last step, if it continues that one, or else of a new
 * one, after `own` ticks. Until `since` it did other work. Nonzero: a new one. */
static int loop_part(struct run *r, uint32_t body, uint32_t part, double own, uint64_t since)
{
    struct part *p = &r->part[part];
    const struct step *last = r->body[body].last == NONE ? NULL : &r->step[r->body[body].last];
    uint32_t l = last && last->kind == S_LOOP ? last->of : NONE;
    if (l != NONE && r->loop[l].name == p->name && r->loop[l].first < p->first) {
        p->loop = l, r->loop[l].first = p->first;
        return 0;
    }
    p->loop = l = new_loop(r, p, body, since);
    r->loop[l].step = add_step(r, body, own, S_LOOP, l, 0);
    return 1;
}

static const struct loop *sorted_loops; /* for qsort */
static int by_begin(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct loop *x = &sorted_loops[i], *y = &sorted_loops[k];
    return x->from < y->from ? -1 : x->from > y->from ? 1 : i < k ? -1 : 1;
}

/* The loop to which p, executed by another worker, belongs: the last one with its name that had begun by then; or the
 * next one, if the worker may have begun before the owner of the loop, and no other loop is possible. order: loops
 * sorted by their begin. */
static uint32_t loop_of(const struct run *r, const struct part *p, const uint32_t *order)
{
    uint32_t lo = 0, hi = r->loops, k, found = NONE;
    const struct loop *next;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (r->loop[order[middle]].from <= p->at) lo = middle + 1;
        else hi = middle;
    }
    k = lo;
    while (lo > 0 && found == NONE)
        if (r->loop[order[--lo]].name == p->name) found = order[lo];
    for (hi = r->loops - k > (uint32_t)AHEAD ? k + (uint32_t)AHEAD : r->loops; k < hi; k++) {
        next = &r->loop[order[k]];
        if (next->name != p->name) continue;
        if (next->since <= p->at && (found == NONE || r->loop[found].body == next->body)) found = order[k];
        break;
    }
    return found;
}

/* Divides all parts. */
static void divide(struct run *r)
{
    uint32_t i, k, n, body, *order = filled(r->loops, 0);
    double shortest = ticks_of(r, PIECE_US);
    for (i = 0; i < r->loops; i++) order[i] = i;
    sorted_loops = r->loop;
    if (r->loops) qsort(order, r->loops, sizeof *order, by_begin);
    for (i = 0; i < r->parts; i++) {
        const struct part *p = &r->part[i];
        uint32_t loop = p->loop == NONE ? loop_of(r, p, order) : p->loop;
        n = p->own / shortest > (double)PIECES ? (uint32_t)PIECES : (uint32_t)(p->own / shortest);
        if (n > p->n) n = (uint32_t)p->n;
        if (n < 1) n = 1;
        for (k = 0; k < n; k++) {
            body = new_body(r, 0);
            r->body[body].is = RAN | PIECE;
            r->body[body].name = p->name;
            r->body[body].rest = p->own / (double)n;
            if (loop != NONE) r->body[body].link = r->loop[loop].pieces, r->loop[loop].pieces = body;
        }
    }
    r->parts = 0;
    free(order);
}

/* --- items -------------------------------------------------------------------------------------------------------- */

static struct track *track_of(struct run *r, unsigned track)
{
    if (track >= r->tracks) {
        r->track = allocate(r->track, track + 1, sizeof *r->track);
        memset(r->track + r->tracks, 0, (track + 1 - r->tracks) * sizeof *r->track);
        r->tracks = track + 1;
    }
    return &r->track[track];
}

/* Pushes an item of w. */
static struct item *push(struct track *w, unsigned kind, uint64_t at, uint64_t end, double cost)
{
    struct item *t;
    w->item = grown(w->item, w->n, &w->room, sizeof *t);
    t = &w->item[w->n++];
    t->kind = (uint16_t)kind, t->at = at, t->end = end, t->cost = cost, t->of = NONE, t->level = 0;
    return t;
}

/* The first item of w that began at `at` or later. */
static uint32_t since(const struct track *w, uint64_t at)
{
    uint32_t i = w->n;
    while (i && w->item[i - 1].at >= at) i--;
    return i;
}

/* True if tasks that ran immediately are among the items [from, w->n). */
static int has_inline(const struct track *w, uint32_t from)
{
    while (from < w->n && w->item[from].kind != S_INLINE) from++;
    return from < w->n;
}

/* Turns the items of w from `from` on into steps of a body. The body's own time is known up to *now, and lasts to
 * `end`. */
static void walk(struct run *r, struct track *w, uint32_t from, uint32_t body, uint64_t *now, uint64_t end)
{
    double own = 0, cost = 0;
    uint32_t i;
    for (i = from; i < w->n; i++) {
        const struct item *t = &w->item[i];
        uint64_t before = *now;
        if (t->kind == S_INLINE) {
            cost += t->cost;
            continue;
        }
        if (t->at > *now) own += (double)(t->at - *now);
        *now = t->end;
        if (t->kind == S_LOOP) {
            if (loop_part(r, body, t->of, own > cost ? own - cost : 0, before)) own = 0, cost = 0;
            cost += t->cost;
            continue;
        }
        if (t->kind == S_COVER) {
            cost += t->cost;
            continue;
        }
        add_step(r, body, own > cost ? own - cost : 0, t->kind, t->of, t->level);
        own = 0, cost = t->cost;
    }
    if (end > *now) own += (double)(end - *now), *now = end;
    r->body[body].rest = own > cost ? own - cost : 0;
    w->n = from;
}

/* The code of w's thread outside tasks is known up to here. Its time after its last step, and before its first, is
 * without df, and left out. */
static void program_until_now(struct run *r, struct track *w)
{
    uint32_t i = 0, body, last;
    for (last = w->n; last && w->item[last - 1].kind == S_COVER;) last--;
    if (!w->program) {
        while (i < w->n && w->item[i].kind >= (unsigned)(w->foreign ? S_COVER : S_LOOP)) i++;
        if (i < w->n) {
            body = new_body(r, w->item[i].at);
            r->body[body].is = PROGRAM | RAN;
            w->program = body + 1;
            w->now = r->body[body].id;
        }
    }
    if (w->program) walk(r, w, i, w->program - 1, &w->now, last ? w->item[last - 1].end : 0);
    w->n = 0;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* A body ended. */
static void ran(struct run *r, struct track *w, const struct event *e)
{
    uint32_t from = since(w, e->at), i, body;
    uint64_t own = w->shared ? w->own : e->b, now = e->at, end = e->at + e->b;
    double cost = r->cost.inside;
    int internal = (e->level & RAN_INTERNAL) != 0;
    int inside = e->level & RAN_INLINE || (e->level & RAN_STAGE && w->foreign);
    w->shared = 0;
    if (e->level & RAN_LOOP) { /* with tasks in it: a part of the enclosing body */
        for (i = from; i < w->n && w->item[i].kind >= S_INLINE;) i++;
        inside |= i < w->n || e->level & RAN_ORDERED;
    }
    if (inside) { /* its children belong to the enclosing body, which is not known yet */
        push(w, S_INLINE, e->at, end, r->cost.outside);
        return;
    }
    if (e->level & RAN_LOOP) {
        for (i = from; i < w->n; i++) cost += w->item[i].cost;
        w->n = from;
        i = new_part(r, e, (double)own > cost ? (double)own - cost : 0, w);
        push(w, S_LOOP, e->at, end, r->cost.outside)->of = i;
        return;
    }
    if (w->last && (double)(e->at - w->last) < ticks_of(r, GAP_US)) r->gaps++, r->gap_ticks += e->at - w->last;
    if (e->level & RAN_SPAWNED) r->stolen_futures++;
    body = find_body(r, e->a, RAN);
    if (internal && !has_inline(w, from)) r->body[body].is |= INTERNAL; /* else a tile of a wavefront */
    r->body[body].name = e->what;
    walk(r, w, from, body, &now, end);
    r->body[body].rest = r->body[body].rest > cost ? r->body[body].rest - cost : 0;
    push(w, S_COVER, e->at, end, r->cost.outside);
    w->last = end;
}

/* A body waited, or made room. */
static void waited(struct run *r, struct track *w, const struct event *e)
{
    /* df_stop, and other waits of the program without children: getting there is not part of its work */
    int step = e->kind == E_WAIT && (e->a || (w->pending && w->highest >= e->level));
    w->n = since(w, e->at);
    w->shared = 0;
    push(w, step ? S_WAIT : S_COVER, e->at, e->at + e->b, r->cost.submit)->level = (uint16_t)e->level;
    if (!step || e->a) return;
    program_until_now(r, w);
    if (w->lowest >= e->level) w->pending = 0;
    else w->highest = e->level - 1;
}

/* A task is submitted, or becomes the next task that a body waits for, or receives an input or a signal. */
static void submitted(struct run *r, struct track *w, const struct event *e)
{
    uint32_t of = find_body(r, e->a, e->kind == E_SUBMIT ? SUBMITTED : 0);
    unsigned kind = e->kind == E_SUBMIT ? S_SUBMIT : e->kind == E_UNTIL ? S_UNTIL : S_SIGNAL;
    if (kind == S_SUBMIT) {
        r->body[of].name = e->what, r->body[of].level = (uint16_t)e->level;
        if (!e->b) {
            if (!w->pending || e->level < w->lowest) w->lowest = e->level;
            if (!w->pending || e->level > w->highest) w->highest = e->level;
            w->pending = 1;
        }
    }
    if (kind == S_UNTIL) r->body[of].is |= INTERNAL;
    push(w, kind, e->at, e->at, r->cost.submit)->of = of;
}

static void see(struct run *r, const struct event *e)
{
    struct track *w = track_of(r, e->track);
    uint32_t a;
    switch (e->kind) {
    case E_RUN: ran(r, w, e); return;
    case E_OWN: w->own = e->b, w->shared = 1; return;
    case E_EDGE:
        if (e->level) return; /* E_SIGNAL has the time */
        if (w->n) w->item[w->n - 1].cost += r->cost.event;
        a = find_body(r, e->a, 0);
        add_edge(r, a, find_body(r, e->b, 0));
        return;
    case E_PART: /* bounds have type long */
        w->first = (int64_t)e->at;
        w->iterations = (int64_t)e->a > w->first ? e->a - e->at : 1;
        return;
    case E_THREAD:
        if (e->b) w->foreign = 1;
        return;
    case E_SUBMIT:
    case E_SIGNAL:
    case E_UNTIL: submitted(r, w, e); break;
    case E_WAIT:
    case E_ROOM: waited(r, w, e); break;
    default: break;
    }
    w->last = 0;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Moves *p behind `text`. Zero: *p does not begin with it. */
static int skip(const char **p, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(*p, text, n)) return 0;
    *p += n;
    return 1;
}

static uint64_t number(const char **p)
{
    char *end;
    uint64_t v = strtoull(*p, &end, 10);
    *p = end;
    skip(p, ",");
    return v;
}

/* The event of a line of the file. Zero: it has none. */
static int event_of(struct event *e, const char *line)
{
    const char *p = line, *end;
    if (!skip(&p, "{\"ph\":\"M\",\"pid\":1,\"tid\":")) return 0;
    e->track = (unsigned)number(&p);
    if (!skip(&p, "\"name\":\"df\",\"args\":{\"")) return 0;
    for (e->kind = 0; e->kind < E_COUNT && !skip(&p, event_kind[e->kind]);) e->kind++;
    if (e->kind == E_COUNT || !skip(&p, "\":[")) return 0;
    e->at = number(&p), e->a = number(&p), e->b = number(&p), e->level = (unsigned)number(&p);
    e->more[0] = e->kind == E_BEGIN ? number(&p) : 0;
    e->more[1] = e->kind == E_BEGIN ? number(&p) : 0;
    if (!skip(&p, "\"")) return 0;
    for (end = p; *end && *end != '"'; end++) end += *end == '\\' && end[1];
    e->what = name_of(p, (size_t)(end - p));
    return 1;
}

/* A run begins. */
static void begin(struct run *r, const struct event *e)
{
    run_free(r);
    r->workers = (unsigned)e->at;
    r->ns_per_tick = (double)e->a / 1e9;
    r->cost.event = (double)e->b / 1e3, r->cost.submit = e->level / 1e3;
    r->cost.outside = (double)e->more[0] / 1e3, r->cost.inside = (double)e->more[1] / 1e3;
}

/* Reads the next run of the file. Zero: there is none. The first call gets a run of zeros; later ones the last run. */
static int read_run(struct run *r, FILE *file)
{
    static struct event first; /* the begin of the next run */
    static int found;
    char line[16384];
    struct event e;
    uint32_t i;
    while (!found && fgets(line, sizeof line, file)) found = event_of(&first, line) && first.kind == E_BEGIN;
    if (!found) return 0;
    begin(r, &first);
    for (found = 0; !found && fgets(line, sizeof line, file);) {
        if (!event_of(&e, line)) continue;
        if (e.kind == E_BEGIN) first = e, found = 1;
        else see(r, &e);
    }
    for (i = 0; i < r->tracks; i++) program_until_now(r, &r->track[i]);
    return 1;
}

#endif
