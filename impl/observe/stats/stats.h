/* stats.h - records of DF_STATS: the times of bodies by name, of atomic blocks, and of workers
 *
 * Events come in the order of each worker, a body after all bodies nested in it. The time of a body is corrected for
 * the events that were written in it: so each worker has a stack of what it wrote, and when. Only the reader of events
 * accesses these records, and df_stop after it (observe/events.h). */
#ifndef DFI_OBSERVE_STATS_STATS_H
#define DFI_OBSERVE_STATS_STATS_H

#include "../../base/compiler.h"
#include "../output.h"
#include "../../base/memory.h"
#include "../event.h"
#include "../events.h"
#include "../../api/counters.h"
#include "../../api/hooks.h"
#include "record.h"
#include "../../more/points.h"

DFI_SMALL_CODE_BEGIN

/* Events that were written between other bodies (BODY), within a body that was not queued (INSIDE), or one event. */
enum { DFI_S_BODY, DFI_S_INSIDE, DFI_S_EVENT };
struct dfi_s_item {
    uint64_t at;
    double cost;             /* ticks */
    int kind;
};
struct dfi_s_worker {
    struct dfi_s_item *item;
    uint32_t n;
    size_t room;
    uint32_t index;          /* df_worker() */
    int seen, foreign;       /* a thread of the program */
    uint64_t own;            /* own ticks of the body or wait of the next event */
    int shared;              /* 0: all ticks are its own */
    uint64_t tasks, busy, waiting, asleep;
};
struct dfi_s_name { uint64_t count, most; double total; };
/* Attempts of an atomic block, by their end; ticks of those that committed, and of the others. */
struct dfi_s_block { uint64_t n[DFI_ATOMIC_BEGINS], kept, lost; };
struct dfi_s_pair { uint64_t n; uint32_t block, other; }; /* texts: how often other was in the way of block */

struct dfi_stats {
    int on, to_log;
    struct dfi_report out;           /* the last one */
    df_counters before;              /* at the start */
    uint64_t began;
    struct dfi_s_cost cost;
    int recorded;                    /* the trace has its first record of this run */
    struct dfi_s_worker *worker;
    size_t workers;
    struct dfi_s_name *name;         /* by the number of the text */
    size_t names;
    struct dfi_s_block *block;       /* by the number of the text */
    size_t blocks;
    struct dfi_s_pair *pair;
    uint32_t n_pairs;
    size_t pairs;
    uint64_t stolen_futures;
    int incomplete;                  /* there was no memory for some record */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_stats dfi_stats;
DFI_EXTERN_C_END

/* Makes room for element n of an array of the statistics. 0, or -1 without memory. */
static int dfi_s_room(void *array, uint32_t n, size_t *room, size_t bytes)
{
    if (!dfi_array_room_zeroed(array, (size_t)n + 1, room, bytes)) return 0;
    dfi_stats.incomplete = 1;
    return -1;
}

/* --- events ------------------------------------------------------------------------------------------------------ */

/* Pushes an item of w. Adjacent items of bodies are merged; the first stays separate, because a wait may begin after
 * it. */
static void dfi_s_push(struct dfi_s_worker *w, int kind, uint64_t at, double cost)
{
    struct dfi_s_item *top = w->n ? &w->item[w->n - 1] : NULL;
    int merges = kind == DFI_S_INSIDE || (kind == DFI_S_BODY && w->n > 1 && top[-1].kind == kind);
    if (top && top->kind == kind && merges) {
        top->cost += cost;
        return;
    }
    if (dfi_s_room((void *)&w->item, w->n, &w->room, sizeof *top)) return;
    top = &w->item[w->n++];
    top->kind = kind, top->at = at, top->cost = cost;
}

/* Pops the items of w since `at`. Returns their cost. */
static double dfi_s_pop(struct dfi_s_worker *w, uint64_t at)
{
    double cost = 0;
    while (w->n && w->item[w->n - 1].at >= at) cost += w->item[--w->n].cost;
    return cost;
}

/* The time of the body or wait e without nested ones, from the event before it. */
static uint64_t dfi_s_own(struct dfi_s_worker *w, const struct dfi_event *e)
{
    uint64_t ticks = w->shared ? w->own : e->b;
    w->shared = 0;
    return ticks;
}

/* A body ended. */
static void dfi_s_ran(struct dfi_stats *s, struct dfi_s_worker *w, const struct dfi_event *e)
{
    double ticks = (double)dfi_s_own(w, e) - s->cost.inside - dfi_s_pop(w, e->at);
    uint64_t own = ticks > 0 ? (uint64_t)ticks : 0;
    struct dfi_s_name *name;
    dfi_s_push(w, e->level & ((unsigned)DFI_RAN_INLINE | DFI_RAN_LOOP | DFI_RAN_STAGE) ? DFI_S_INSIDE : DFI_S_BODY,
               e->at, s->cost.outside);
    s->stolen_futures += (e->level & DFI_RAN_SPAWNED) != 0;
    if (e->level & DFI_RAN_INTERNAL) return;
    w->tasks++;
    w->busy += own;
    if (dfi_s_room((void *)&s->name, e->what, &s->names, sizeof *name)) return;
    name = &s->name[e->what];
    name->count++;
    name->total += (double)own;
    if (own > name->most) name->most = own;
}

/* An attempt of an atomic block ended. */
static void dfi_s_attempted(struct dfi_stats *s, struct dfi_s_worker *w, const struct dfi_event *e)
{
    struct dfi_s_block *block;
    uint32_t i;
    if (w->n) w->item[w->n - 1].cost += s->cost.submit;
    if (dfi_s_room((void *)&s->block, e->what, &s->blocks, sizeof *block)) return;
    block = &s->block[e->what];
    block->n[e->level]++;
    *(e->level == DFI_ATOMIC_COMMITTED ? &block->kept : &block->lost) += e->b;
    if (!e->a) return;
    for (i = 0; i < s->n_pairs && (s->pair[i].block != e->what || s->pair[i].other != e->a); i++) continue;
    if (dfi_s_room((void *)&s->pair, i, &s->pairs, sizeof *s->pair)) return;
    if (i == s->n_pairs) s->pair[s->n_pairs++].block = e->what, s->pair[i].other = (uint32_t)e->a;
    s->pair[i].n++;
}

static void dfi_s_read(int worker, const struct dfi_event *e, unsigned n)
{
    struct dfi_stats *s = &dfi_stats;
    struct dfi_s_worker *w;
    unsigned i;
    if (worker == DFI_EVENT_DEVICES || !n) return;
    if (dfi_trace_now) dfi_s_record(dfi_trace_now, &s->cost, &s->recorded, worker, e, n);
    if (dfi_s_room((void *)&s->worker, (uint32_t)worker, &s->workers, sizeof *w)) return;
    w = &s->worker[worker];
    w->seen = 1;
    for (i = 0; i < n; i++, e++) switch (e->kind) {
        case DFI_E_RUN: dfi_s_ran(s, w, e); break;
        case DFI_E_OWN: w->own = e->b, w->shared = 1; break;
        case DFI_E_EDGE:
            if (w->n && !e->level) w->item[w->n - 1].cost += s->cost.event;
            break;
        case DFI_E_SUBMIT:
        case DFI_E_SIGNAL:
        case DFI_E_UNTIL:
            if (e->b) dfi_s_push(w, DFI_S_EVENT, e->at, s->cost.submit);
            else w->n = 0; /* the code of the program outside of bodies */
            break;
        case DFI_E_WAIT:
        case DFI_E_ROOM:
            dfi_s_pop(w, e->at);
            w->waiting += dfi_s_own(w, e);
            if (e->a) dfi_s_push(w, DFI_S_EVENT, e->at, s->cost.submit);
            else w->n = 0;
            break;
        case DFI_E_ATOMIC: dfi_s_attempted(s, w, e); break;
        case DFI_E_PARK: w->asleep += e->b; break;
        case DFI_E_THREAD:
            w->index = (uint32_t)e->a;
            if (e->b) w->foreign = 1;
            break;
        default: break;
        }
}

DFI_SMALL_CODE_END

#endif
