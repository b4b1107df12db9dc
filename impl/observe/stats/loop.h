/* loop.h - loops in the statistics
 *
 * A loop is known by the parts in which it was executed: those of the body that it is in, one after the other, and those of workers
 * that joined. For the simulation each part is divided into pieces that any worker may execute, so a loop that one worker executed as a whole is
 * also divided among a thousand. */
#ifndef DFI_OBSERVE_STATS_LOOP_H
#define DFI_OBSERVE_STATS_LOOP_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../event.h"
#include "../events.h"
#include "stats.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_S_PIECE_US = 5,      /* the shortest piece: DFI_LOOP_PART_NS */
    DFI_S_PIECES = 4096,     /* of a part */
    DFI_S_AHEAD = 64         /* loops looked at that began after a part */
};

/* A new part, or loop. */
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

/* The body comes to a part of a loop that it executes itself: of the one of its last step, if it goes on there, or of a new one, after own
 * ticks; until `since` it did something else. Nonzero: a new one. */
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

/* The loop that another worker executed p of: of those with its name the last that had begun by then; or the next one, if the worker may
 * have begun before the loop's owner did, and no other loop can be meant. order: loops by their begin. */
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

DFI_SMALL_CODE_END

#endif
