/* for.h - df_for: parallel loops; df_wavefront is one with vectors (more/loop/wavefront.h)
 *
 * The iterations are numbered 0 .. count-1. A participating worker claims the next part of them by a
 * compare-and-swap on `next`, so that no worker has a fixed share that it could finish late.
 * Scheduling is guided: a part is a fraction of the remaining iterations. The recent time per
 * iteration bounds its length: parts are not so short that the cost of claiming shows, and not so
 * long that a free worker, or a cancellation, waits for them.
 * DF_STATIC without .grain: more/loop/share.h.
 * A loop that is worth sharing is offered to other workers before its first iteration begins. The
 * last loops at the same place of call decide that: an iteration is expected to take at most as long
 * as it recently did, and whether a short loop is worth sharing is measured (more/loop/gain.h). The
 * first loop of a place is always offered. The owner runs a loop that is expected to be short alone,
 * in growing parts, until the loop turns out to be long enough to share. */
#ifndef DFI_MORE_LOOP_FOR_H
#define DFI_MORE_LOOP_FOR_H

#include <limits.h>
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/loop.h"
#include "../../api/task.h"
#include "../../api/throw.h"
#include "../../work/worker.h"
#include "../../work/wake.h"
#include "../../work/stack.h"
#include "../../work/scope.h"
#include "../../work/module.h"
#include "../../work/team.h"
#include "../../work/thread_end.h"
#include "../../work/types.h"
#include "../../work/director.h"
#include "../../work/probe.h"
#include "../../flow/order.h"
#include "../../flow/region.h"
#include "../../flow/waits.h"
#include "../error.h"
#include "alone.h"
#include "gain.h"
#include "iterate.h"
#include "range.h"
#include "share.h"
#include "wavefront.h"
#include "../points.h"
#include "../../api/loop_words.h"

DFI_SMALL_CODE_BEGIN

enum {
    /* the first estimate comes after this time: the clock takes 25 ns, so its error is negligible by then */
    DFI_LOOP_PROBE_NS = 1000,
    /* remaining time worth sharing with a parked worker: waking it takes 2 us of the owner's time, and
     * 10 to 50 us until it runs; with one that is looking for work: DFI_GAIN_LEAST_NS */
    DFI_LOOP_WAKE_NS = 40000,
    DFI_LOOP_PART_NS = 5000,      /* shortest part: claiming one costs up to 0.1 us when several workers do */
    DFI_LOOP_MORE = 16,           /* parts of the owner alone grow by this factor at most: each reads the clock */
    DFI_LOOP_LONG_NS = 250000,    /* longest part */
    DFI_LOOP_SHARES = 2           /* a part is at most one in 2 * workers of the remaining iterations */
};

/* --- parts --------------------------------------------------------------------------------------- */

/* The speed of a loop of which c iterations took ns: the number of iterations in the time of the longest part, at
 * least 1. 0 stands for an unknown speed. */
static uint64_t dfi_loop_speed(uint64_t c, uint64_t ns)
{
    const uint64_t most = UINT64_MAX / DFI_LOOP_LONG_NS;
    uint64_t speed;
    if (!ns) ns = 1;
    if (c <= most) speed = c * DFI_LOOP_LONG_NS / ns;
    else speed = c / ns <= most ? c / ns * DFI_LOOP_LONG_NS : UINT64_MAX;
    return speed ? speed : 1;
}

/* The number of iterations to claim, of `left`. alone: no other worker takes part: the shortest part. */
static unsigned long dfi_loop_part_size(const struct dfi_loop *l, unsigned long left, uint64_t speed, int alone)
{
    unsigned long c, least = l->grain ? l->grain : 1;
    if (l->schedule == DF_STATIC) return l->grain; /* else share.h */
    if (l->schedule == DF_DYNAMIC || (l->schedule == DF_AUTO && !speed)) return least; /* the first one is timed */
    c = alone ? 0 : left / (DFI_LOOP_SHARES * l->workers);
    if (l->schedule == DF_AUTO) {
        uint64_t few = speed / (DFI_LOOP_LONG_NS / DFI_LOOP_PART_NS);
        if (c > speed) c = (unsigned long)speed;
        if (c < few) c = few < left ? (unsigned long)few : left;
    }
    return c > least ? c : least;
}

/* The length of the part that begins with iteration k. Backwards, the part that is shorter than the others is claimed
 * first, because it is the last one of the loop. */
static unsigned long dfi_loop_part_at(const struct dfi_loop *l, unsigned long k, uint64_t speed, int alone)
{
    unsigned long left = l->count - k, c = dfi_loop_part_size(l, left, speed, alone), g = l->grain;
    if (DFI_UNLIKELY(l->backwards) && g) c = !k && l->count % g ? l->count % g : c > g ? c - c % g : g;
    return c < left ? c : left;
}

/* True if sharing `left` iterations pays, because the owner needs more time for them than others need to join. */
static int dfi_loop_worth(uint64_t left, uint64_t speed)
{
    const uint64_t whole = DFI_LOOP_LONG_NS, awake = whole / DFI_GAIN_LEAST_NS, parked = whole / DFI_LOOP_WAKE_NS;
    return left > speed / (dfi_load_relaxed(&dfi_pool.spinning) > 0 || !dfi_load_relaxed(&dfi_pool.parked_idle)
                           ? awake : parked);
}

/* The iterations that a worker ran, their time, and the last speed, or that of earlier loops. */
struct dfi_loop_ran { uint64_t n, ns, speed; };

/* Runs parts until none is left to claim. The part [k, k + c) is claimed already. alone: not 0: only until the rest is
 * worth sharing, after so many ns. */
static void dfi_loop_parts(struct dfi_worker *w, struct dfi_loop *l, void *args, unsigned long k,
                           unsigned long c, uint64_t alone, struct dfi_loop_ran *r)
{
    int timed = l->schedule == DF_AUTO;
    uint64_t begin = timed ? dfi_work_ns(w) : 0, before = begin, now;
    if (!timed && dfi_share_is(l)) {
        dfi_share_run(w, l, args, k, c);
        return;
    }
    for (;;) {
        unsigned long most = alone ? c * DFI_LOOP_MORE : ULONG_MAX;
        if (c) {
            dfi_loop_call(w, l, args, k, k + c);
            r->n += c;
            if (timed) {
                uint64_t ns, speed;
                now = dfi_work_ns(w), ns = now - before, before = now;
                /* a short part tells the least speed only: that an earlier one was interrupted */
                speed = dfi_loop_speed(c, r->speed && ns < DFI_LOOP_PROBE_NS ? (uint64_t)DFI_LOOP_PROBE_NS : ns);
                if (ns >= DFI_LOOP_PROBE_NS || speed > r->speed) r->speed = speed;
            }
            if (dfi_steal_requested(w)) dfi_poll(w);
        }
        k = dfi_load_relaxed(&l->next);
        do {
            if (k >= l->count || dfi_loop_cancelled(l) || dfi_member_retires(w) ||
                (alone && before - begin >= alone && dfi_loop_worth(l->count - k, r->speed))) {
                r->ns += before - begin;
                return;
            }
            c = dfi_loop_part_at(l, k, r->speed, alone != 0);
            if (c > most) c = most;
        /* relaxed would do: the part belongs to the thread that moved `next` */
        } while (!dfi_cas_acq_rel(&l->next, &k, k + c));
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
    struct dfi_loop_ran ran = { 0, 0, l->speed };
    struct dfi_loop_part *p = NULL, *head;
    if (l->leaf_count) {
        dfi_loop_leaves(w, l);
        return;
    }
    if (l->reduces && !(p = dfi_loop_part_new(l->type, l->args, l->x, l->n_x))) {
        dfi_team_give_up(team);
        return;
    }
    dfi_loop_parts(w, l, p ? dfi_loop_part_args(p) : l->args, 0, 0, 0, &ran);
    if (!p) return;
    head = dfi_load_relaxed(&l->parts);
    /* release: the copies; relaxed would do, because the owner reads the list after all members have left */
    do p->next = head;
    while (!dfi_cas_release(&l->parts, &head, p));
}

/* The time in which the owner runs l alone, before it may share the rest; 0: it shares l before any of it has run,
 * because no one can tell during the first iteration, which may be all that the owner runs. g: NULL: nothing is known,
 * as in a recorded run, which must not depend on times, nor on earlier loops. */
static uint64_t dfi_loop_patience(const struct dfi_loop *l, struct dfi_gain *g, uint64_t speed)
{
    unsigned long least = l->grain ? l->grain : 1;
    int worth;
    if (l->count <= least) return DFI_LOOP_PROBE_NS;
    if (!g || !g->longest) return 0;
    worth = dfi_loop_worth(l->count - least, speed);
    if (!dfi_gain_knows(g)) return worth ? 0 : DFI_LOOP_PROBE_NS;
    if (!dfi_gain_shares(g)) return 4 * (uint64_t)g->longest;
    return worth || g->left ? 0 : DFI_LOOP_PROBE_NS;
}

/* The watcher puts the loop at that address, the d-th that its owner runs alone, on the board. Zero:
 * the loop has ended. */
static int dfi_loop_offer(struct dfi_worker *owner, unsigned d, uintptr_t loop)
{
    struct dfi_loop *l = (struct dfi_loop *)loop;
    /* acq_rel: acquires the record. When the bit is set, the owner waits for `opened` before it continues. */
    if (!dfi_cas_acq_rel(&dfi_alone_of(owner)->loop[d], &loop, loop | 1)) return 0;
    dfi_team_open(owner, &l->team);
    dfi_store_release(&l->opened, 1); /* l may be gone from here on */
    dfi_wake_for_work();
    return 1;
}
#define dfi_up_loop_offer_by , dfi_loop_offer

/* The d-th loop that w runs alone, which is l, ends, or becomes one for all workers. Nonzero: a watcher has put its
 * team on the board. */
static int dfi_loop_hidden(struct dfi_worker *w, struct dfi_loop *l, unsigned d)
{
    if (DFI_LIKELY(!dfi_loop_hide(w, d))) return 0;
    while (!dfi_load_acquire(&l->opened)) dfi_os_yield(); /* pairs with the release in dfi_loop_offer */
    return 1;
}

/* Claims the next part for the owner before other workers see the loop, so that the owner never waits while only others
 * have work of the loop. Returns its length. */
static unsigned long dfi_loop_claim(struct dfi_loop *l)
{
    unsigned long k = dfi_load_relaxed(&l->next), c = dfi_loop_part_at(l, k, l->speed, 0);
    dfi_store_relaxed(&l->next, k + c);
    return c;
}

/* Runs the first parts alone, except those that others take if a watcher offers the loop, until the
 * rest is worth sharing. Nonzero: the team is on the board. */
static int dfi_loop_alone(struct dfi_worker *w, struct dfi_loop *l, uint64_t patience, struct dfi_loop_ran *r)
{
    unsigned long c = dfi_loop_claim(l);
    int rest = c < l->count;
    unsigned d = rest ? dfi_loop_show(w, l) : 0;
    dfi_loop_parts(w, l, l->args, 0, c, patience, r);
    if (rest && dfi_loop_hidden(w, l, d)) return 1;
    l->speed = r->speed; /* read by members */
    return 0;
}

static void dfi_loop_run(struct dfi_worker *w, struct dfi_loop *l, const df_loop *o)
{
    struct dfi_loop_ran ran = { 0, 0, 0 };
    struct dfi_gain *g = NULL;
    struct dfi_loop_part *p;
    struct dfi_scope *s = NULL;
    unsigned long k = 0, c = 0;
    uint64_t patience, shared = 0;
    uintptr_t key = 0;
    int open = 0;
    dfi_loop_space(l, o);
    if (DFI_ALONE || (l->reduces && l->deterministic)) {
        size_t most = DFI_LOOP_COPY_BYTES / (dfi_loop_copy_bytes(l->x, l->n_x) + 1);
        l->leaf_count = most > DFI_LOOP_LEAVES ? (unsigned long)DFI_LOOP_LEAVES : most > 8 ? (unsigned long)most : 8ul;
        if (l->leaf_count > l->count) l->leaf_count = l->count;
    } else {
        l->backwards = dfi_seeded() && dfi_up_backwards(w);
        if (l->schedule == DF_AUTO && dfi_alone_of(w)->n_alone < DFI_LOOPS_ALONE) {
            if (!dfi_wanted(DFI_AT_TURN) && (g = dfi_gain_of(w, l->place, l->count)) != NULL) {
                key = g->key;
                if (g->longest) ran.speed = dfi_loop_speed((uint64_t)1 << g->log, g->longest);
            }
            if ((patience = dfi_loop_patience(l, g, ran.speed)) != 0) {
                open = dfi_loop_alone(w, l, patience, &ran);
                k = dfi_load_relaxed(&l->next);
                if (!open && (k >= l->count || dfi_loop_cancelled(l))) {
                    if (g && g->key == key && ran.n == l->count) dfi_gain_ran(w, g, ran.ns, ran.n, 1);
                    return;
                }
            } else if (g) shared = dfi_work_ns(w);
        }
        if (!open) c = dfi_share_is(l) ? dfi_share_first(w, l, &k) : dfi_loop_claim(l);
    }
    if (!DFI_ALONE && !open) {
        dfi_team_open(w, &l->team);
        dfi_wake_for_work();
    }
    if (!DFI_ALONE) s = dfi_team_scope(w, &l->team);
    if (DFI_ALONE || l->leaf_count) dfi_loop_leaves(w, l);
    else dfi_loop_parts(w, l, l->args, k, c, 0, &ran);
    if (s) dfi_scope_finish(w, s);
    if (!DFI_ALONE) dfi_team_close(w, &l->team);
    if (g && g->key == key && ran.n) { /* the iterations have not made it the entry of another place */
        if (!shared || !dfi_gain_knows(g)) dfi_gain_ran(w, g, ran.ns, ran.n, 0);
        else if (!dfi_loop_cancelled(l)) dfi_gain_took(w, g, 1, dfi_gain_time(g, dfi_work_ns(w) - shared, l->count));
    }
    /* all members have left; leaves that are left over were cancelled */
    for (p = dfi_load_relaxed(&l->parts); p;) p = dfi_loop_part_end(l, p);
    for (p = l->leaves; p;) p = dfi_loop_part_end(l, p);
}

/* Waits for the tasks that this scope has submitted so far and that conflict with the accesses of a loop. */
static DFI_NOINLINE void dfi_loop_after(struct dfi_worker *w, const struct dfi_loop_type *type,
                                        const char *site, const struct dfi_access *x, unsigned n)
{
    struct dfi_access y[DFI_PARAMETERS];
    struct dfi_region r;
    unsigned i;
    int wrong = 0;
    if (!dfi_comes_after_any(w)) return; /* as in dfi_wait_for, before copying */
    for (i = 0; i < n; i++) {
        y[i] = x[i];
        r = dfi_region_of(&y[i]);
        wrong |= dfi_region_is_all(&r);
        y[i].mode = y[i].mode & DFI_WRITES ? DFI_INOUT : DFI_IN;
        y[i].arg = DFI_NO_ARG;
    }
    if (DFI_UNLIKELY(wrong)) dfi_error("%s: loop %s: the size of a parameter is negative, or larger than the "
                                       "memory behind its address: the loop is ordered as if it accessed all "
                                       "memory; correct the count in its declaration", site, type->name);
    dfi_wait_for(w, y, n, NULL);
}

/* Looks for reductions among the accesses. All are combined in order if l is deterministic, or if one of them asks for
 * it. */
static DFI_NOINLINE void dfi_loop_reductions(struct dfi_loop *l, struct dfi_access *x, unsigned n)
{
    unsigned i;
    for (i = 0; i < n; i++)
        l->reduces |= (x[i].mode & DFI_REDUCE & DFI_SHARED) != 0, l->ordered |= (x[i].mode & DFI_ORDERED) != 0;
    l->deterministic |= l->ordered;
    for (i = 0; i < n && l->deterministic; i++)
        if (dfi_kind(x[i].mode) == DFI_REDUCE) x[i].mode |= DFI_ORDERED;
}

/* Completes l for its members. pre: type, accesses, arguments, bounds and the scope of the team are set */
static void dfi_loop_init(struct dfi_loop *l, const df_loop *o)
{
    int d;
    l->team.wants = DFI_ALONE ? NULL : dfi_loop_wants, l->team.work = DFI_ALONE ? NULL : dfi_loop_work;
    l->team.told = NULL, l->team.what = "loop", l->team.most = o->workers ? o->workers - 1 : INT_MAX;
    for (d = 0; d < DFI_WAVE_DIMS; d++) l->n[d] = 1;
    for (d = 0; d < l->type->dims; d++) {
        l->step[d] = dfi_range_step(o, d);
        l->n[d] = dfi_range_count(l->bounds[2 * d], l->bounds[2 * d + 1], l->step[d]);
    }
    l->workers = (unsigned long)(l->team.most < dfi_workers() ? o->workers : dfi_workers());
    l->grain = (unsigned long)o->grain;
    l->schedule = o->schedule;
    l->speed = 0;
    l->lock = dfi_board_empty.lock;
    l->leaves = NULL;
    l->leaf_count = 0;
    l->backwards = 0;
    dfi_store_relaxed(&l->turn, 0ul);
    dfi_store_relaxed(&l->opened, 0);
    dfi_store_relaxed(&l->next, 0ul);
    dfi_store_relaxed(&l->parts, NULL);
}

/* DF_CHECK: runs l, which has accesses, on the calling thread and returns 1, or returns 0 without running it. */
DFI_UPCALL(int, dfi_up_loop_checked, (struct dfi_worker *w, struct dfi_loop *l, const df_loop *o, const char *site));
#if !DF_CHECK
#endif

DFI_SMALL_CODE_END /* the calling thread alone often runs short loops */

DFI_EXTERN_C_BEGIN
DFI_API void dfi_for(const struct dfi_loop_type *type, const df_loop *o, const long (*vectors)[3], const char *site,
                     const long *bounds, void *args, struct dfi_access *x, unsigned n, struct dfi_exception *threw)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_parallel_block b;
    struct dfi_loop l;
    df_loop repaired;
    int alone, deterministic, checks, wrong = 0;
    if (DFI_UNLIKELY(vectors != NULL)) {
        wrong = !dfi_vectors_right(vectors, type->dims, site, type->name);
        if (!wrong && dfi_vector_end(*vectors)) vectors = NULL; /* the iterations are independent */
    }
    if (o) {
        o = dfi_loop_options(o, site, vectors != NULL, &repaired);
        if (DFI_UNLIKELY(o->exact) && !dfi_range_exact(o, bounds, type->dims, site, type->name)) return;
    } else o = &dfi_loop_default;
    if (dfi_range_empty(o, bounds, type->dims)) return;
    if (w && dfi_dropped(w)) return;
    deterministic = !vectors && (o->deterministic || (w && dfi_more.deterministic));
    l.reduces = l.ordered = 0, l.deterministic = deterministic;
    if (DFI_UNLIKELY(n != 0)) {
        unsigned i;
        dfi_loop_after(w, type, site, x, n);
        if (w && dfi_up_waited_on)
            for (i = 0; i < n; i++) dfi_up_waited_on(w, &x[i]);
        dfi_loop_reductions(&l, x, n);
    }
    b = dfi_scope_enter(site);
    l.team.scope = b.scope;
    alone = (dfi_alone() || o->workers == 1) && !dfi_turns();
    /* the order of tiles is not that of iterations */
    if (DFI_UNLIKELY(vectors != NULL)) alone = alone || wrong || l.ordered;
    else alone = alone && !dfi_seeded() && !(l.reduces && deterministic);
    if (b.scope && dfi_loop_cancelled(&l)) alone = -1; /* nothing runs */
    else alone = alone || !w || !b.scope || b.borrowed; /* no worker or no memory: runs on the calling thread */
    checks = dfi_up_loop_checked && n && !vectors && w && b.scope && alone >= 0;
    if (checks || !alone) {
        l.type = type, l.bounds = bounds, l.args = args, l.x = x, l.n_x = n;
        l.place = (uintptr_t)site ^ DFI_CALLER;
        dfi_loop_init(&l, o);
    }
    if (checks && dfi_up_loop_checked(w, &l, o, site)) alone = -1;
    if (alone > 0) dfi_loop_whole(w, DFI_RAN_LOOP | (vectors ? (unsigned)DFI_RAN_ORDERED : 0u), type, bounds, args);
    else if (!alone) {
        dfi_code_pause(w, 0);
        if (!DFI_ALONE && vectors) dfi_wave_run(w, &l, vectors, o);
        else dfi_loop_run(w, &l, o);
        dfi_code_resume(w, 0);
    }
    if (threw) dfi_scope_leave_catching(&b, threw);
    else dfi_scope_leave(&b);
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_BEGIN

/* Ends the loops that the worker runs alone in a block, or in the code of the thread itself. */
static void dfi_loops_unwind(struct dfi_worker *w, struct dfi_scope *s)
{
    while (dfi_alone_of(w)->n_alone) {
        unsigned d = dfi_alone_of(w)->n_alone - 1;
        struct dfi_loop *l = (struct dfi_loop *)(dfi_load_relaxed(&dfi_alone_of(w)->loop[d]) & ~(uintptr_t)1);
        if (!l || l->team.scope != s) return;
        dfi_exit_fails(w, "loop", l->type->name, s->site);
        if (dfi_loop_hidden(w, l, d)) dfi_team_close(w, &l->team);
    }
}

#define dfi_up_code_unwinds_by , dfi_loops_unwind

/* --- module ------------------------------------------------------------------------------------------ */

static void dfi_module_loops(const struct dfi_moment *m)
{
    struct dfi_alone *a;
    if (m->is == DFI_THREAD_UNWOUND) dfi_alone_of(m->w)->n_alone = 0;
    else if (m->is == DFI_FORK_CHILD) dfi_store_relaxed(&dfi_loops_watcher, 0);
    else if (m->is == DFI_WORKER_IS_NEW)
        for (a = dfi_alone_of(m->w), dfi_gain_forget(a), a->random = 1, a->n_alone = DFI_LOOPS_ALONE; a->n_alone;)
            dfi_store_relaxed(&a->loop[--a->n_alone], (uintptr_t)0);
    else if (m->is == DFI_WORKER_FREED) dfi_mfree(dfi_alone_of(m->w)->gain);
}

DFI_SMALL_CODE_END

#endif
