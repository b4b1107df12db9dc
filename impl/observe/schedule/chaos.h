/* chaos.h - DF_SCHEDULE=seed:NUMBER: random order of ready tasks, and delayed workers
 *
 * Every ready task goes to the central queue. Its place is drawn from the seed and from the path of
 * indices that leads to it, neither from addresses nor from the clock. So any number of other tasks
 * may overtake a task, and a single worker runs all tasks in the same order again with the same
 * seed. Places are drawn once, not at every turn: so one seed in k + 1 finds an order in which a
 * task comes k ready tasks too late, instead of one in 2 to the power of k.
 * The seed also decides how often a submitter runs a ready task before it continues, a spawned
 * function runs at its spawn, and the parts of a loop run backwards, and what the clock shows to
 * code that measures bodies. With several workers, some are delayed occasionally.
 * Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
 * guarantees of finding bugs", ASPLOS 2010. */
#ifndef DFI_OBSERVE_SCHEDULE_CHAOS_H
#define DFI_OBSERVE_SCHEDULE_CHAOS_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/hash.h"
#include "../../os/os.h"
#include "../../work/director.h"
#include "../../work/types.h"
#include "../../flow/types.h"

enum { DFI_CHAOS_LATE_NS = 100000 }; /* delays are shorter: longer than most tasks, and than waking another worker */

/* What the director has behind a worker. */
struct dfi_directed_worker {
    uint64_t draws, clock;           /* numbers drawn so far; virtual time so far */
    struct dfi_worker *next;         /* baton.h: next worker in the queue for the baton; protected by its lock */
    DFI_ATOMIC(int) asks;            /* it waits for the baton */
    long thread_number;              /* baton lock: ID of the thread that last waited with it (dfi_os_thread_number),
                                      * or 0 */
};
DFI_ROOM(dfi_directed_worker, dfi_directed_of, dfi_worker);

DFI_EXTERN_C_BEGIN
DFI_API unsigned dfi_seed; /* of the schedule, or 0 */
DFI_EXTERN_C_END

DFI_FAST int dfi_chaotic(void) { return dfi_seed != 0; }

DFI_SMALL_CODE_BEGIN

/* Mixes a and b: the result depends on every bit of both. */
static uint64_t dfi_mix(uint64_t a, uint64_t b)
{
    a = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u; /* splitmix64 */
    a = (a ^ (a >> 30)) * 0x94D049BB133111EBu;
    return a ^ (a >> 29);
}

/* Identifies t in all runs of the program. pre: t is unfinished */
static uint64_t dfi_flow_path(const struct dfi_flow *t)
{
    const struct dfi_scope *s;
    uint64_t path = (uint64_t)t->index;
    for (s = t->scope; s; s = dfi_load_relaxed(&s->parent))
        path = dfi_mix(path, (uint64_t)dfi_load_relaxed(&dfi_flow_of(s)->place));
    return path;
}

static uint64_t dfi_chaos_place(const struct dfi_flow *t) { return dfi_mix(dfi_seed, dfi_flow_path(t)); }

/* A choice that the seed makes once for the whole run: 0 .. n-1. */
static unsigned dfi_chaos_habit(unsigned which, unsigned n)
{
    return (unsigned)(dfi_mix(dfi_seed + 1, which) % n);
}

/* The next random number of w. It is the same with the same seed if only the code that w runs draws
 * from w. */
static uint64_t dfi_chaos_draw(struct dfi_worker *w)
{
    return dfi_mix(dfi_mix(dfi_seed, dfi_slot_of(w)), ++dfi_directed_of(w)->draws);
}

/* True for a fraction of the draws that depends on the seed: never, rarely, often, always. */
static int dfi_chaos_now_and_then(struct dfi_worker *w, unsigned habit)
{
    static const unsigned every[4] = { 0, 16, 4, 1 };
    unsigned n = every[dfi_chaos_habit(habit, 4)];
    return n && dfi_chaos_draw(w) % n == 0;
}

/* Delays w occasionally, if there are other workers. How often, the seed decides for each worker: a helper that is
 * always prompt takes tasks as soon as they are ready, and then there are few to choose from. */
static void dfi_chaos_hold_up(struct dfi_worker *w)
{
    static const unsigned every[4] = { 256, 64, 16, 4 };
    uint64_t begin, ns;
    dfi_random(&w->random);
    if (dfi_load_relaxed(&dfi_pool.n_slots) == 1 ||
        (w->random >> 8) % every[dfi_chaos_habit(DFI_HABIT_LATE + dfi_slot_of(w), 4)])
        return;
    ns = w->random % DFI_CHAOS_LATE_NS;
    for (begin = dfi_os_ns(); dfi_os_ns() - begin < ns;) dfi_os_yield();
}

DFI_SMALL_CODE_END

#endif
