/* for.h - df_for: parallel loops
 *
 * The iterations are numbered 0 .. count-1. A participating worker claims the next part of them by a
 * compare-and-swap on `next`, so that no worker has a fixed share that it could finish late.
 * Scheduling is guided: a part is a fraction of the remaining iterations. The recent time per
 * iteration bounds its length: parts are not so short that the cost of claiming shows, and not so
 * long that a free worker, or a cancellation, waits for them.
 * A loop that is worth sharing is offered to other workers before its first iteration begins. The
 * last loops of the same declaration decide that: an iteration is expected to take at most as long
 * as it recently did. The first loop of a declaration is always offered. The owner runs a loop that
 * is expected to be short alone, in growing parts, until the loop turns out to be long enough to
 * share. */
#ifndef DFI_MORE_LOOP_FOR_H
#define DFI_MORE_LOOP_FOR_H

#include <limits.h>
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/loop.h"
#include "../../api/task.h"
#include "../../api/throw.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/scope.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "../../flow/order.h"
#include "../../flow/region.h"
#include "../../flow/submit.h"
#include "../error.h"
#include "alone.h"
#include "range.h"
#include "stage.h"
#include "../speculate/block.h"
#include "../../observe/check/check.h"
#include "../../observe/check/reduce.h"
#include "../../observe/check/view.h"
#include "../../observe/event.h"
#include "../../observe/events.h"
#include "../../observe/probes.h"
#include "../../observe/schedule/baton.h"
#include "../../observe/schedule/chaos.h"
#include "../../api/public.h"

enum {
    /* the first estimate comes after this time: the clock takes 25 ns, so its error is negligible by then */
    DFI_LOOP_PROBE_NS = 1000,
    /* remaining time worth sharing with a worker that is looking for work: it takes about 0.5 us to join */
    DFI_LOOP_SHARE_NS = 3000,
    /* the same for a parked worker: waking it takes 2 us of the owner's time, and 10 to 50 us until
     * it runs */
    DFI_LOOP_WAKE_NS = 40000,
    DFI_LOOP_PART_NS = 5000,      /* shortest part: claiming one costs up to 0.1 us when several workers do */
    DFI_LOOP_LONG_NS = 250000,    /* longest part */
    /* a loop that is shorter than expected lowers the expectation for the next by one 8th: after one
     * with iterations of 8 ms, 40 short ones are offered, at 3 us each, less than 1 % of the time of
     * the long one */
    DFI_LOOP_FORGET = 8,
    /* the owner alone runs parts that grow by this factor: each reads the clock (with 2: 20 ns more
     * for 2 to 16 empty iterations) */
    DFI_LOOP_MORE = 4,
    DFI_LOOP_SHARES = 2,          /* a part is at most one in 2 * workers of the remaining iterations */
    /* if the first dimension has fewer iterations per worker than this, the others are divided, too */
    DFI_LOOP_ROWS = 32,
    /* a deterministic loop is divided for this number of workers, independently of the actual number */
    DFI_LOOP_FIXED = 8,
    DFI_LOOP_LEAVES = 256         /* parts of a deterministic reduction, and so the most copies it can have */
};
enum { DFI_LOOP_COPY_BYTES = 1 << 26 }; /* fewer copies if their total is larger than this */

struct dfi_loop_part { /* The private arguments of one worker, or one leaf; the record and the copies follow. */
    struct dfi_loop_part *next;
    void *memory;
    unsigned long leaf;
    int direct;                /* no copies: it accumulates into the regions themselves */
};

struct dfi_loop {
    struct dfi_team team;           /* first */
    const struct dfi_loop_type *type;
    const struct dfi_access *x;     /* of the call */
    unsigned n_x;
    int reduces, deterministic;
    int ordered;                    /* some reductions must be combined in the order of the iterations */
    void *args;
    const long *bounds;
    long step[3];
    unsigned long n[3];             /* iterations of each dimension */
    unsigned long block[3];         /* of the second and third dimension: block length, */
    /* and number of blocks; within blocks the iterations of the first dimension are numbered fastest */
    unsigned long blocks[3];
    unsigned long count;
    unsigned long grain;
    int schedule;
    unsigned long workers;
    int backwards;                  /* the parts are claimed from the end: a seed (df_config.schedule) */
    double ns;                      /* per iteration, as far as the owner knows; 0: unknown */
    double took;                    /* ns for all iterations of the owner, */
    unsigned long ran;              /* and their number */
    unsigned long leaf_count;       /* deterministic reductions, else 0 */
    struct dfi_os_mutex lock;       /* of the next two */
    struct dfi_loop_part *leaves;   /* done, and waiting for their turn */
    DFI_ATOMIC(unsigned long) turn;
    DFI_ATOMIC(int) opened;         /* a watcher has put the team on the board, while the owner runs the loop alone */
    char line0[DFI_LINE];
    DFI_ATOMIC(unsigned long) next; /* the first iteration that is not claimed */
    DFI_ATOMIC(struct dfi_loop_part *) parts; /* of members that have left */
    char line1[DFI_LINE];
};

/* --- bounds of iterations --------------------------------------------------------------------- */

static void dfi_loop_space(struct dfi_loop *l, const df_loop *o)
{
    const unsigned long grain[3] = { (unsigned long)o->grain, (unsigned long)o->grain1, (unsigned long)o->grain2 };
    int d;
    l->count = l->n[0];
    for (d = 1; d < l->type->dims; d++) {
        unsigned long rows =
            DFI_LOOP_ROWS * (l->reduces && l->deterministic ? (unsigned long)DFI_LOOP_FIXED : l->workers), parts = 1;
        if (l->ordered) l->block[d] = l->n[d]; /* only rows are numbered in the order of the iterations */
        else if (grain[d]) l->block[d] = grain[d] < l->n[d] ? grain[d] : l->n[d];
        else {
            if (l->count < rows) parts = rows / l->count + 1;
            l->block[d] = l->n[d] / parts + (l->n[d] % parts != 0);
        }
        l->blocks[d] = (l->n[d] - 1) / l->block[d] + 1;
        if (l->blocks[d] > ULONG_MAX / l->count) l->block[d] = l->n[d], l->blocks[d] = 1; /* too many to be numbered */
        l->count *= l->blocks[d];
    }
}

/* The bounds of iterations [i, e) of n in dimension d. */
static void dfi_loop_bounds(const struct dfi_loop *l, int d, unsigned long i, unsigned long e, long *b)
{
    unsigned long lo = (unsigned long)l->bounds[2 * d], step = (unsigned long)l->step[d];
    b[2 * d] = (long)(lo + i * step);
    b[2 * d + 1] = e >= l->n[d] ? l->bounds[2 * d + 1] : (long)(lo + e * step);
}

/* Runs the iterations with the numbers [k, e). */
static void dfi_loop_call(struct dfi_worker *w, const struct dfi_loop *l, void *args, unsigned long k, unsigned long e)
{
    struct dfi_running r;
    int watched = dfi_watch_part_begin(w, &r, DFI_RAN_LOOP, l->type->name);
    unsigned long from;
    long b[6];
    struct dfi_check_view v;
    int d, begun;
    if (DFI_UNLIKELY(l->backwards)) {
        unsigned long first = l->count - e;
        e = l->count - k, k = first;
    }
    from = k;
    while (k < e) {
        unsigned long i = k % l->n[0], at = k / l->n[0], m = l->n[0] - i < e - k ? l->n[0] - i : e - k;
        dfi_loop_bounds(l, 0, i, i + m, b);
        for (d = 1; d < l->type->dims; d++) {
            unsigned long first = at % l->blocks[d] * l->block[d];
            dfi_loop_bounds(l, d, first, l->n[d] - first > l->block[d] ? first + l->block[d] : l->n[d], b);
            at /= l->blocks[d];
        }
        begun = dfi_check_part_begin(dfi_me(), &v, l->team.scope);
        l->type->run(b, args);
        dfi_check_part_end(dfi_me(), &v, begun);
        k += m;
    }
    if (DFI_UNLIKELY(watched)) {
        if (l->type->dims == 1) dfi_loop_bounds(l, 0, from, e, b);
        else b[0] = (long)from, b[1] = (long)e; /* the numbers themselves */
        dfi_watch_part_end(w, &r, b[0], b[1]);
    }
}

/* Runs the iterations within bounds on the calling thread. w may be NULL. level: DFI_RAN_.. */
static void dfi_loop_whole(struct dfi_worker *w, unsigned level, const struct dfi_loop_type *type,
                           const long *bounds, void *args)
{
    struct dfi_running r;
    int watched = dfi_watch_part_begin(w, &r, level, type->name);
    type->run(bounds, args);
    if (DFI_UNLIKELY(watched)) dfi_watch_part_end(w, &r, bounds[0], bounds[1]);
}

static int dfi_loop_cancelled(const struct dfi_loop *l)
{
    return DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.cancels)) && dfi_scope_cancelled(l->team.scope);
}

/* --- reductions ---------------------------------------------------------------------------------- */

static size_t dfi_loop_round(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t dfi_access_span(const struct dfi_access *x)
{
    return x->rows && x->row ? (x->rows - 1) * x->ld + x->row : 0;
}

/* Bytes of all copies of one part; PTRDIFF_MAX, for which malloc fails, if the sum overflows. */
static size_t dfi_loop_copy_bytes(const struct dfi_access *x, unsigned n)
{
    size_t bytes = 0;
    unsigned i;
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_REDUCE & DFI_SHARED) {
            struct dfi_region r = dfi_region_of(&x[i]);
            size_t one = dfi_loop_round(dfi_access_span(&x[i]));
            if (dfi_region_is_all(&r) || one > (size_t)PTRDIFF_MAX / DFI_PARAMETERS) return (size_t)PTRDIFF_MAX;
            bytes += one;
        }
    return bytes;
}

static void *dfi_loop_part_args(struct dfi_loop_part *p) { return (char *)p + dfi_loop_round(sizeof *p); }

/* Makes private arguments whose reductions go to copies that begin as the identity. NULL without memory. */
static struct dfi_loop_part *dfi_loop_part_new(const struct dfi_loop_type *type, const void *args,
                                               const struct dfi_access *x, unsigned n)
{
    size_t head = dfi_loop_round(sizeof(struct dfi_loop_part)), record = dfi_loop_round(type->args_bytes),
        copies = dfi_loop_copy_bytes(x, n), r;
    void *memory = copies == (size_t)PTRDIFF_MAX ? NULL : dfi_malloc(63 + head + record + copies);
    struct dfi_loop_part *p;
    char *copy, *to;
    unsigned i;
    if (!memory) return NULL;
    p = (struct dfi_loop_part *)(void *)dfi_align(memory);
    p->memory = memory;
    to = (char *)p + head, copy = to + record;
    memcpy(to, args, type->args_bytes);
    for (i = 0; i < n; i++) {
        if (!(x[i].mode & DFI_REDUCE & DFI_SHARED) || !dfi_access_span(&x[i])) continue;
        for (r = 0; r < x[i].rows; r++) x[i].combine(copy + r * x[i].ld, NULL, x[i].row / x[i].size);
        memcpy(to + x[i].arg, (void *)&copy, sizeof copy);
        copy += dfi_loop_round(dfi_access_span(&x[i]));
    }
    return p;
}

/* Adds the copies of p to the regions themselves. */
static void dfi_loop_part_merge(struct dfi_loop_part *p, const struct dfi_access *x, unsigned n)
{
    struct dfi_check_view v;
    int begun = dfi_check_part_begin(dfi_me(), &v, NULL);
    unsigned i;
    size_t r;
    for (i = 0; i < n; i++) {
        char *copy;
        if (!(x[i].mode & DFI_REDUCE & DFI_SHARED) || !dfi_access_span(&x[i])) continue;
        memcpy((void *)&copy, (char *)dfi_loop_part_args(p) + x[i].arg, sizeof copy);
        if (!(x[i].mode & DFI_ORDERED))
            dfi_check_commutes(x[i].combine, x[i].key, x[i].size, (const char *)x[i].p, copy, x[i].row / x[i].size);
        for (r = 0; r < x[i].rows; r++)
            x[i].combine((char *)(uintptr_t)x[i].p + r * x[i].ld, copy + r * x[i].ld, x[i].row / x[i].size);
    }
    dfi_check_part_end(dfi_me(), &v, begun);
}

/* Deterministic reductions: the iterations are divided into leaves independently of the number of
 * workers. Each leaf has copies of its own, which are combined in order. The first leaf accumulates
 * into the region itself; so does any leaf without memory for copies, when its turn has come. */
static void dfi_loop_leaf_done(struct dfi_loop *l, struct dfi_loop_part *p)
{
    struct dfi_loop_part **at;
    unsigned long turn;
    dfi_os_lock(&l->lock);
    for (at = &l->leaves; *at && (*at)->leaf < p->leaf;) at = &(*at)->next;
    p->next = *at, *at = p;
    turn = dfi_load_relaxed(&l->turn);
    while ((p = l->leaves) != NULL && p->leaf == turn) {
        l->leaves = p->next;
        if (!p->direct) {
            dfi_loop_part_merge(p, l->x, l->n_x);
            dfi_mfree(p->memory);
        }
        /* release: passes the combined value to the thread that waits for its turn */
        dfi_store_release(&l->turn, ++turn);
    }
    dfi_os_unlock(&l->lock);
}

static void dfi_loop_leaves(struct dfi_worker *w, struct dfi_loop *l)
{
    unsigned long size = l->count / l->leaf_count, more = l->count % l->leaf_count;
    for (;;) {
        unsigned long k = dfi_load_relaxed(&l->next), begin;
        struct dfi_loop_part direct, *p = NULL;
        do
            if (k >= l->leaf_count || dfi_loop_cancelled(l)) return;
        /* relaxed would do: the leaf belongs to the thread that moved `next` */
        while (!dfi_cas_acq_rel(&l->next, &k, k + 1));
        begin = k * size + (k < more ? k : more);
        if (k && (p = dfi_loop_part_new(l->type, l->args, l->x, l->n_x)) != NULL) p->direct = 0;
        else {
            p = &direct, p->direct = 1;
            /* acquire; pairs with the release in dfi_loop_leaf_done. The thread that has an earlier
             * leaf is running it, or waits for an earlier one still. */
            while (dfi_load_acquire(&l->turn) != k) {
                if (dfi_load_relaxed(&l->team.lost)) return; /* the thread of that leaf has ended */
                dfi_os_yield();
            }
        }
        p->leaf = k;
        dfi_loop_call(w, l, p->direct ? l->args : dfi_loop_part_args(p), begin, begin + size + (k < more));
        dfi_loop_leaf_done(l, p);
        if (dfi_asked(w)) dfi_poll(w);
    }
}

/* --- parts --------------------------------------------------------------------------------------- */

/* The number of iterations to claim, of `left`, if one takes ns. */
static unsigned long dfi_loop_part_size(const struct dfi_loop *l, unsigned long left, double ns)
{
    unsigned long c = left / (DFI_LOOP_SHARES * l->workers), least = l->grain ? l->grain : 1;
    if (l->schedule == DF_STATIC) return l->grain ? l->grain : (l->count - 1) / l->workers + 1;
    if (l->schedule == DF_DYNAMIC || (l->schedule == DF_AUTO && !(ns > 0))) return least; /* the first one is timed */
    if (l->schedule == DF_AUTO) {
        double few = (double)DFI_LOOP_PART_NS / ns, many = (double)DFI_LOOP_LONG_NS / ns;
        if ((double)c > many) c = (unsigned long)many;
        if ((double)c < few) c = few < (double)left ? (unsigned long)few : left;
    }
    return c > least ? c : least;
}

/* Backwards, the part that is shorter than the others is claimed first, because it is the last one
 * of the loop. */
static unsigned long dfi_loop_fit(const struct dfi_loop *l, unsigned long k, unsigned long c)
{
    unsigned long odd;
    if (DFI_LIKELY(!l->backwards) || !l->grain) return c;
    odd = l->count % l->grain;
    return !k && odd ? odd : c > l->grain ? c - c % l->grain : l->grain;
}

/* The length of the part that begins with iteration k, if one iteration takes ns. */
static unsigned long dfi_loop_part_at(const struct dfi_loop *l, unsigned long k, double ns)
{
    unsigned long c = dfi_loop_fit(l, k, dfi_loop_part_size(l, l->count - k, ns));
    return c < l->count - k ? c : l->count - k;
}

/* Claims the first part for the owner before other workers see the loop, so that the owner never
 * waits while only others have work of the loop. Returns its number of iterations. */
static unsigned long dfi_loop_claim_first(struct dfi_loop *l)
{
    unsigned long k = dfi_load_relaxed(&l->next), c = dfi_loop_part_at(l, k, l->ns);
    dfi_store_relaxed(&l->next, k + c);
    return c;
}

/* Runs parts until none is left to claim. The part [k, k + c) is claimed already. Returns the number
 * of iterations run; *took: ns. */
static unsigned long dfi_loop_parts(struct dfi_worker *w, struct dfi_loop *l, void *args, unsigned long k,
                                    unsigned long c, double *took)
{
    double ns = l->ns;
    unsigned long ran = 0;
    uint64_t begin = l->schedule == DF_AUTO ? dfi_work_ns(w) : 0, before = begin;
    for (;; c = 0) {
        if (!c) {
            k = dfi_load_relaxed(&l->next);
            do {
                if (k >= l->count || dfi_loop_cancelled(l)) {
                    *took = (double)(before - begin);
                    return ran;
                }
                c = dfi_loop_part_at(l, k, ns);
            /* relaxed would do: the part belongs to the thread that moved `next` */
            } while (!dfi_cas_acq_rel(&l->next, &k, k + c));
        }
        dfi_loop_call(w, l, args, k, k + c);
        ran += c;
        if (l->schedule == DF_AUTO) {
            uint64_t now = dfi_work_ns(w);
            ns = now > before ? (double)(now - before) / (double)c : 1.0 / (double)c;
            before = now;
        }
        if (dfi_asked(w)) dfi_poll(w);
    }
}

static int dfi_loop_wants(struct dfi_team *team)
{
    struct dfi_loop *l = (struct dfi_loop *)(void *)team;
    return dfi_load_relaxed(&l->next) < (l->leaf_count ? l->leaf_count : l->count) && !dfi_loop_cancelled(l);
}

/* The loop of one member of the team. */
static void dfi_loop_work(struct dfi_worker *w, struct dfi_team *team)
{
    struct dfi_loop *l = (struct dfi_loop *)(void *)team;
    struct dfi_loop_part *p, *head;
    double took;
    if (l->leaf_count) dfi_loop_leaves(w, l);
    else if (!l->reduces) dfi_loop_parts(w, l, l->args, 0, 0, &took);
    else if (!(p = dfi_loop_part_new(l->type, l->args, l->x, l->n_x))) dfi_team_give_up(team);
    else {
        dfi_loop_parts(w, l, dfi_loop_part_args(p), 0, 0, &took);
        head = dfi_load_relaxed(&l->parts);
        /* release: the copies; relaxed would do, because the owner reads the list after all members
         * have left */
        do p->next = head;
        while (!dfi_cas_release(&l->parts, &head, p));
    }
}

/* The least remaining time, in ns, for which sharing pays: the time in which the owner would finish alone. */
static double dfi_loop_worth(void)
{
    return (double)(dfi_load_relaxed(&dfi_pool.spinning) > 0 || !dfi_load_relaxed(&dfi_pool.parked_idle)
                    ? DFI_LOOP_SHARE_NS : DFI_LOOP_WAKE_NS);
}

/* True if the loop is expected to be worth sharing before any of it has run. No one can tell during
 * the first iteration, which may be all that the owner runs. A recorded run must not depend on
 * times, nor on earlier loops. */
static int dfi_loop_expected(const struct dfi_loop *l)
{
    uintptr_t past = dfi_load_relaxed(l->type->past);
    unsigned long least = l->grain ? l->grain : 1;
    if (l->count <= least) return 0;
    return !past || dfi_watched() & DFI_WATCH_DIRECT || (double)past * (double)(l->count - least) > dfi_loop_worth();
}

/* Remembers the time of the l->ran iterations that the owner ran. Relaxed: a hint, which other loops
 * of the declaration may store at the same time. */
static void dfi_loop_remember(const struct dfi_loop *l)
{
    uintptr_t past = dfi_load_relaxed(l->type->past), now;
    double ns;
    if (!l->ran) return;
    ns = l->took / (double)l->ran + 1;
    now = ns < (double)(UINTPTR_MAX / 2) ? (uintptr_t)ns : UINTPTR_MAX / 2;
    past -= past / DFI_LOOP_FORGET;
    dfi_store_relaxed(l->type->past, now > past ? now : past);
}

/* The watcher puts the loop at that address, the d-th that its owner runs alone, on the board. Zero:
 * the loop has ended. */
static int dfi_loop_offer(struct dfi_worker *owner, unsigned d, uintptr_t loop)
{
    struct dfi_loop *l = (struct dfi_loop *)loop;
    /* acq_rel: acquires the record. When the bit is set, the owner waits for `opened` before it continues. */
    if (!dfi_cas_acq_rel(&owner->alone[d], &loop, loop | 1)) return 0;
    dfi_team_open(owner, &l->team);
    dfi_store_release(&l->opened, 1); /* l may be gone from here on */
    dfi_wake_for_work();
    return 1;
}

/* Runs the first parts alone, except those that others take if a watcher offers the loop, until the
 * rest is worth sharing. Nonzero: the team is on the board. */
static int dfi_loop_alone(struct dfi_worker *w, struct dfi_loop *l)
{
    unsigned long k = 0, c = l->grain ? l->grain : 1;
    uint64_t begin = dfi_work_ns(w), before = begin, now;
    double ns = 0;
    unsigned shown = w->n_alone;
    int offered = 0, rest;
    c = dfi_loop_fit(l, k, c);
    if (c > l->count) c = l->count;
    dfi_store_relaxed(&l->next, c); /* before the loop is published: the first part belongs to the owner */
    rest = c < l->count;
    if (rest) shown = dfi_loop_show(w, l);
    for (;;) {
        double left;
        dfi_loop_call(w, l, l->args, k, k + c);
        l->ran += c;
        now = dfi_work_ns(w);
        ns = now > before ? (double)(now - before) / (double)c : 1.0 / (double)c;
        before = now;
        if (dfi_asked(w)) dfi_poll(w);
        k = dfi_load_relaxed(&l->next);
        left = ns * (double)(l->count - k);
        if (k >= l->count || dfi_loop_cancelled(l)) break;
        if (now - begin >= DFI_LOOP_PROBE_NS && left > dfi_loop_worth()) break;
        /* Each part is larger than the last by a factor, but not much longer than the time for which
         * sharing pays. */
        if (ns * (double)DFI_LOOP_MORE * (double)c <= (double)DFI_LOOP_PART_NS) c *= DFI_LOOP_MORE;
        else c = (double)DFI_LOOP_PART_NS > ns ? (unsigned long)((double)DFI_LOOP_PART_NS / ns) : 1;
        if (c < l->grain) c = l->grain;
        c = dfi_loop_fit(l, k, c);
        if (c > l->count - k) c = l->count - k;
        /* the loop was offered; relaxed would do, as in dfi_loop_parts */
        if (!dfi_cas_acq_rel(&l->next, &k, k + c)) break;
    }
    l->took = (double)(before - begin);
    if (rest) offered = dfi_loop_hide(w, shown);
    if (DFI_UNLIKELY(offered))
        while (!dfi_load_acquire(&l->opened)) dfi_os_yield(); /* pairs with the release in dfi_loop_offer */
    else l->ns = ns; /* read by members */
    return offered;
}

static void dfi_loop_run(struct dfi_worker *w, struct dfi_loop *l)
{
    struct dfi_loop_part *p;
    struct dfi_scope *s;
    unsigned long ran, first = 0, k;
    double took;
    int open = 0;
    if (dfi_loop_cancelled(l)) return;
    dfi_store_relaxed(&l->next, 0ul);
    if (l->reduces && l->deterministic) {
        size_t most = DFI_LOOP_COPY_BYTES / (dfi_loop_copy_bytes(l->x, l->n_x) + 1);
        l->leaf_count = most > DFI_LOOP_LEAVES ? (unsigned long)DFI_LOOP_LEAVES : most > 8 ? (unsigned long)most : 8ul;
        if (l->leaf_count > l->count) l->leaf_count = l->count;
    } else {
        l->backwards = dfi_chaotic() && dfi_chaos_draw(w) % 2 == dfi_chaos_habit(DFI_HABIT_LOOP, 2);
        if (l->schedule == DF_AUTO && w->n_alone < DFI_LOOPS_ALONE && !dfi_loop_expected(l)) {
            open = dfi_loop_alone(w, l);
            if (!open && (dfi_load_relaxed(&l->next) >= l->count || dfi_loop_cancelled(l))) {
                dfi_loop_remember(l);
                return;
            }
        }
    }
    k = dfi_load_relaxed(&l->next);
    if (!open) {
        if (!l->leaf_count) first = dfi_loop_claim_first(l);
        dfi_team_open(w, &l->team);
        dfi_wake_for_work();
    }
    s = dfi_team_scope(w, &l->team);
    if (l->leaf_count) dfi_loop_leaves(w, l);
    else {
        ran = dfi_loop_parts(w, l, l->args, k, first, &took);
        if (l->schedule == DF_AUTO) {
            l->ran += ran, l->took += took;
            dfi_loop_remember(l);
        }
    }
    if (s) dfi_scope_finish(w, s);
    dfi_team_close(w, &l->team);
    while ((p = l->parts) != NULL) { /* all members have left, also for the next loop */
        l->parts = p->next;
        dfi_loop_part_merge(p, l->x, l->n_x);
        dfi_mfree(p->memory);
    }
    while ((p = l->leaves) != NULL) { /* cancelled */
        l->leaves = p->next;
        dfi_mfree(p->memory);
    }
}

/* Waits for the tasks that this scope has submitted so far and that conflict with the accesses of a loop. */
static DFI_NOINLINE void dfi_loop_after(struct dfi_worker *w, const struct dfi_loop_type *type,
                                        const char *site, const struct dfi_access *x, unsigned n)
{
    struct dfi_access y[DFI_PARAMETERS];
    struct dfi_region r;
    unsigned i;
    int wrong = 0;
    if (!w || w->task || !w->scope->table) return; /* as in dfi_wait_for, before copying */
    for (i = 0; i < n; i++) {
        y[i] = x[i];
        r = dfi_region_of(&x[i]);
        wrong |= dfi_region_is_all(&r);
        y[i].mode = x[i].mode & DFI_WRITES ? DFI_INOUT : DFI_IN;
        y[i].arg = DFI_NO_ARG;
    }
    if (DFI_UNLIKELY(wrong)) dfi_error("%s: loop %s: the size of a parameter is negative, or larger than the "
                                       "memory behind its address: the loop is ordered as if it accessed all "
                                       "memory; correct the count in its declaration", site, type->name);
    dfi_wait_for(w, y, n, NULL);
}

DFI_INLINE void dfi_for_here(const struct dfi_loop_type *type, const df_loop *o, const char *site,
                             const long *bounds, void *args, struct dfi_access *x, unsigned n,
                             struct dfi_exception *threw)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_block b;
    struct dfi_loop l;
    df_loop repaired;
    unsigned i;
    int d, alone;
    if (threw) threw->drop = NULL;
    o = dfi_loop_options(o, site, &repaired);
    if (dfi_range_empty(o, bounds, type->dims)) return;
    if (w && DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_drops(w)) return;
    if (DFI_UNLIKELY(n != 0)) dfi_loop_after(w, type, site, x, n);
    b = dfi_scope_enter(site);
    l.team.scope = b.scope;
    for (i = 0, l.reduces = l.ordered = 0; i < n; i++)
        l.reduces |= (x[i].mode & DFI_REDUCE & DFI_SHARED) != 0, l.ordered |= (x[i].mode & DFI_ORDERED) != 0;
    l.deterministic = o->deterministic || l.ordered || (w && dfi_pool.deterministic);
    for (i = 0; i < n && l.deterministic; i++)
        if (dfi_kind(x[i].mode) == DFI_REDUCE) x[i].mode |= DFI_ORDERED;
    alone = dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_chaotic() && !dfi_baton_on() &&
        (!(l.reduces && l.deterministic) || (l.ordered && !o->deterministic && !dfi_pool.deterministic));
    if (alone || !w || !b.scope || b.borrowed) { /* no worker or no memory: runs on the calling thread */
        if (!b.scope || !dfi_loop_cancelled(&l)) dfi_loop_whole(w, DFI_RAN_LOOP, type, bounds, args);
    } else {
        l.team.wants = dfi_loop_wants, l.team.work = dfi_loop_work, l.team.most = INT_MAX;
        l.type = type, l.x = x, l.n_x = n;
        l.args = args, l.bounds = bounds;
        for (d = 0; d < type->dims; d++) {
            l.step[d] = dfi_range_step(o, d);
            l.n[d] = dfi_range_count(bounds[2 * d], bounds[2 * d + 1], l.step[d], o->unsigned_range);
        }
        l.workers = (unsigned long)dfi_pool.n_workers;
        l.grain = (unsigned long)o->grain;
        l.schedule = o->schedule;
        l.ns = l.took = 0;
        l.ran = 0;
        l.lock = dfi_board_empty.lock;
        l.leaves = NULL;
        l.leaf_count = 0;
        l.backwards = 0;
        dfi_store_relaxed(&l.turn, 0ul);
        dfi_store_relaxed(&l.opened, 0);
        dfi_store_relaxed(&l.parts, NULL);
        dfi_loop_space(&l, o);
        dfi_check_pause(w);
        dfi_loop_run(w, &l);
        dfi_check_resume(w);
    }
    if (threw) dfi_scope_leave_catching(&b, threw);
    else dfi_scope_leave(&b);
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_for_catching(const struct dfi_loop_type *type, const df_loop *o, const char *site,
                              const long *bounds, void *args, struct dfi_access *x, unsigned n,
                              struct dfi_exception *threw)
{
    dfi_for_here(type, o, site, bounds, args, x, n, threw);
}

DFI_API void dfi_for(const struct dfi_loop_type *type, const df_loop *o, const char *site, const long *bounds,
                     void *args, struct dfi_access *x, unsigned n)
{
    dfi_for_here(type, o, site, bounds, args, x, n, NULL);
}
DFI_EXTERN_C_END

#endif
