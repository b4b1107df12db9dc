/* fine.h - fine types: tasks that are too short to be shared run where they are submitted
 *
 * Sharing a task costs its submitter a record, a place in the table of regions, edges, and cache lines that other
 * workers take: 0.1 to 1.2 us. A task whose body takes less than that is done sooner if the submitter runs it, once
 * all earlier tasks of the scope are done (dfi_task_new). Both times are measured for each type of task, because
 * programs and machines differ by a factor of ten: what one submission in DFI_FINE_SAMPLE costs, and how long one body
 * in as many takes. A body that another worker runs fetches its data from elsewhere, so a type that might be fine is
 * tried: after some tasks that bring the data here, the bodies of others are measured. A type that is not fine is tried
 * again later, and less and less often. While a type is fine, its bodies are measured when a clock that is read seldom
 * says that tasks take longer than they should.
 *
 * All of it are hints, read and written by all workers, relaxed: a wrong one costs time. Argument that a task may run
 * in its submission although there are other workers: docs/internals/flow.md, "Fine tasks". */
#ifndef DFI_FLOW_FINE_H
#define DFI_FLOW_FINE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/task.h"
#include "../os/clock.h"
#include "../os/wait.h"
#include "../work/find.h"
#include "../work/scope.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "careful.h"
#include "nest.h"
#include "throttle.h"
#include "types.h"

enum {
    DFI_FINE_SAMPLE = DF_DEBUG > 2 ? 1 : 16, /* one of so many is measured while tasks are shared */
    DFI_FINE_BATCH = 64,     /* tasks run here between two looks at the clock */
    DFI_FINE_WARM = 32,      /* of a trial: tasks that are not measured, */
    DFI_FINE_TRIED = 16,     /* and bodies that are; as many are measured when a batch took long */
    DFI_FINE_PAUSE = 4,      /* samples before the first trial, .. */
    DFI_FINE_PAUSE_MOST = 1024, /* .. and before later ones at most; each trial that fails doubles their number */
    DFI_FINE_STRIKES = 2,    /* so many measurements in a row have to be too long: one may have been interrupted */
    DFI_FINE_OUT = 32,       /* submissions that find earlier tasks unfinished, before their submitter helps */
    DFI_FINE_OUT_MOST = 1 << 14,
    DFI_FINE_FIRST = 250,    /* ns: the cost of the first submission, at most */
    DFI_FINE_MOST = 2000     /* ns: bodies that are longer are worth sharing on any machine */
};

/* DF_DEBUG=3: half of the tasks whose bodies are not long, so that tests see tasks that run in their submission beside
 * others. */
#define DFI_FINE_AT_RANDOM(w, f) \
    (DF_DEBUG > 2 && dfi_load_relaxed(&(f)->body) - 1 < DFI_FINE_MOST && dfi_random(&(w)->random) >> 31)

DFI_FAST struct dfi_fine *dfi_fine_of(const struct dfi_type *type)
{
    uintptr_t p = (uintptr_t)type;
    return &dfi_flow_pool.fine[(p >> 4 ^ p >> 10) % DFI_FINE_TYPES];
}

/* A type is measured for the first time, or again after another with the same place. */
static DFI_COLD struct dfi_fine *dfi_fine_new(struct dfi_fine *f, const struct dfi_type *type)
{
    dfi_store_relaxed(&f->here, 0u), dfi_store_relaxed(&f->fresh, 0u);
    dfi_store_relaxed(&f->cost, 0u), dfi_store_relaxed(&f->body, 0u);
    dfi_store_relaxed(&f->tried, 0u), dfi_store_relaxed(&f->sum, 0u), dfi_store_relaxed(&f->strikes, 0u);
    dfi_store_relaxed(&f->pause, (unsigned)DFI_FINE_PAUSE), dfi_store_relaxed(&f->wait, (unsigned)DFI_FINE_PAUSE);
    dfi_store_relaxed(&f->type, type);
    return f;
}

/* --- while tasks are shared ------------------------------------------------------------------------------ */

/* Before a submission that may be measured: the time, or 0. */
DFI_FAST uint64_t dfi_fine_submits(struct dfi_worker *w)
{
    return DFI_UNLIKELY(++dfi_tasks_of(w)->fine_submits % DFI_FINE_SAMPLE == 0) ? dfi_os_ns() : 0;
}

/* The submission that began at `began` has ended. The cost follows less by 1/8, and more by 1/16 of itself, however
 * much more that is: a submission that was interrupted, or woke a worker, says little. */
static DFI_NOINLINE DFI_COLD void dfi_fine_submitted(const struct dfi_type *type, uint64_t began)
{
    uint64_t ns = dfi_os_ns() - began;
    struct dfi_fine *f = dfi_fine_of(type);
    unsigned cost;
    if (dfi_load_relaxed(&f->type) != type) dfi_fine_new(f, type);
    cost = dfi_load_relaxed(&f->cost);
    if (!cost) cost = ns < DFI_FINE_FIRST ? (unsigned)ns + 1 : (unsigned)DFI_FINE_FIRST;
    else if (ns < cost) cost -= (cost - (unsigned)ns) / 8;
    else if (ns > cost && cost < DFI_FINE_MOST) cost += cost / 16 + 1;
    dfi_store_relaxed(&f->cost, cost);
}

/* A body took so long where its task was shared: is it time to try how long bodies take here? */
static DFI_NOINLINE DFI_COLD void dfi_fine_ran(const struct dfi_type *type, uint64_t ns)
{
    struct dfi_fine *f = dfi_fine_of(type);
    unsigned wait, body, most = 4 * DFI_FINE_MOST, x = ns < most ? (unsigned)ns : most;
    if (dfi_load_relaxed(&f->type) != type) dfi_fine_new(f, type);
    body = dfi_load_relaxed(&f->body);
    body = body ? body - body / 8 + x / 8 : x;
    dfi_store_relaxed(&f->body, body);
    if (body > 4 * dfi_load_relaxed(&f->cost) || body > DFI_FINE_MOST) {
        dfi_store_relaxed(&f->here, 0u);
        return;
    }
    if (dfi_load_relaxed(&f->here)) return;
    if ((wait = dfi_load_relaxed(&f->wait)) > 1) {
        dfi_store_relaxed(&f->wait, wait - 1);
        return;
    }
    dfi_store_relaxed(&f->tried, 0u), dfi_store_relaxed(&f->sum, 0u);
    dfi_store_relaxed(&f->strikes, (unsigned)DFI_FINE_STRIKES - 1);
    dfi_store_relaxed(&f->fresh, (unsigned)DFI_FINE_WARM + DFI_FINE_TRIED);
    dfi_store_relaxed(&f->here, 1u);
}

/* --- while they run here ---------------------------------------------------------------------------------- */

/* A body took so long where it was submitted. */
static DFI_NOINLINE DFI_COLD void dfi_fine_ran_here(const struct dfi_type *type, uint64_t ns)
{
    struct dfi_fine *f = dfi_fine_of(type);
    unsigned n, sum, pause;
    if (dfi_load_relaxed(&f->type) != type) return;
    n = dfi_load_relaxed(&f->tried) + 1;
    sum = dfi_load_relaxed(&f->sum) + (ns < 16 * (unsigned)DFI_FINE_MOST ? (unsigned)ns : 16 * (unsigned)DFI_FINE_MOST);
    if (n < DFI_FINE_TRIED) {
        dfi_store_relaxed(&f->tried, n), dfi_store_relaxed(&f->sum, sum);
        return;
    }
    dfi_store_relaxed(&f->tried, 0u), dfi_store_relaxed(&f->sum, 0u);
    pause = dfi_load_relaxed(&f->pause);
    if (sum / n <= dfi_load_relaxed(&f->cost)) {
        if (dfi_load_relaxed(&f->strikes) == 0) dfi_store_relaxed(&f->pause, (unsigned)DFI_FINE_PAUSE);
        dfi_store_relaxed(&f->strikes, 0u);
        return;
    }
    dfi_store_relaxed(&f->strikes, dfi_load_relaxed(&f->strikes) + 1);
    if (dfi_load_relaxed(&f->strikes) < DFI_FINE_STRIKES) return;
    if (pause < DFI_FINE_PAUSE_MOST) dfi_store_relaxed(&f->pause, pause *= 2);
    dfi_store_relaxed(&f->wait, pause);
    dfi_store_relaxed(&f->here, 0u);
}

/* Now and then, before a task runs here: is its body to be measured? */
static DFI_NOINLINE DFI_COLD int dfi_fine_looks(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    uint64_t now;
    if (own->fine_watch) {
        own->fine_watch--, own->fine_left = 1;
        return 1;
    }
    now = dfi_os_ns();
    own->fine_left = DFI_FINE_BATCH;
    if (now - own->fine_at > (uint64_t)DFI_FINE_BATCH * dfi_load_relaxed(&dfi_fine_of(type)->cost))
        own->fine_watch = DFI_FINE_TRIED, own->fine_left = 1;
    own->fine_at = now;
    return 0;
}
DFI_FAST int dfi_fine_look(struct dfi_worker *w, const struct dfi_type *type)
{
    return !dfi_alone() && DFI_UNLIKELY(--dfi_tasks_of(w)->fine_left <= 0) && dfi_fine_looks(w, type);
}

/* --- may it run here? ------------------------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

/* Runs the newest entry of the stack above `mark` if it is a task of a fine type; longer ones are left to others: the
 * caller is in a submission. Zero: it is none. */
static int dfi_fine_run(struct dfi_worker *w, size_t mark)
{
    struct dfi_flow *t = NULL;
    struct dfi_future *f = NULL;
    const void *top;
    dfi_stack_trim(w, mark);
    if (w->head <= mark || !dfi_is_task(top = w->stack[w->head - 1])) return 0;
    /* it may have been stolen, but its record is of this worker, which alone gives it another type */
    if (!dfi_load_relaxed(&dfi_fine_of(dfi_task_of(top)->type)->here)) return 0;
    if (!dfi_pop(w, w->head - 1, &t, &f)) return 1; /* stolen */
    if ((t = dfi_up_task_run(w, t)) != NULL) dfi_push(w, t);
    if (dfi_steal_requested(w)) dfi_poll(w);
    return 1;
}

/* Earlier children of s are unfinished, while tasks of a fine type are submitted: runs those of fine types, and waits
 * for others, for about as long as the tasks would take alone, so that the next ones find none. Zero: some are left;
 * the next attempt is later. */
static DFI_NOINLINE int dfi_fine_help(struct dfi_worker *w, struct dfi_scope *s, unsigned ns)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    uint64_t until = dfi_os_ns() + 2 * (uint64_t)DFI_FINE_OUT * ns;
    const struct df_opts *o = own->opts; /* must not apply to tasks that run meanwhile */
    const char *site = own->opts_site;
    int i, done;
    own->opts = NULL;
    dfi_flush(w);
    dfi_nest_begin(w);
    dfi_code_pause(w, 0);
    dfi_level(w, 1);
    for (;;) {
        dfi_take_over(s);
        if ((done = s->submitted == s->done) != 0 || dfi_os_ns() > until) break;
        if (!dfi_fine_run(w, s->mark))
            for (i = 0; i < 8; i++) dfi_os_pause();
    }
    if (w->head > s->mark) dfi_stack_hand_over(w, s->mark, s);
    dfi_offer(w);
    dfi_level(w, -1);
    dfi_code_resume(w, 0);
    dfi_nest_end(w);
    own->opts = o, own->opts_site = site;
    if (done) own->fine_pause = DFI_FINE_OUT;
    else if (own->fine_pause < DFI_FINE_OUT_MOST) own->fine_pause = 2 * own->fine_pause + DFI_FINE_OUT;
    own->fine_out = own->fine_pause;
    return done;
}

static DFI_NOINLINE int dfi_fine_none_out(struct dfi_worker *w, unsigned ns)
{
    struct dfi_scope *s = w->scope;
    if (!s->open) return 0;
    dfi_take_over(s);
    if (s->submitted == s->done) return 1;
    if (--dfi_tasks_of(w)->fine_out > 0 || dfi_load_relaxed(&dfi_flow_pool.careful) || dfi_nested_deeply(w) ||
        *dfi_block_here || (dfi_up_owes && dfi_up_owes())) return 0;
    return dfi_fine_help(w, s, ns);
}

DFI_SMALL_CODE_END

/* Several workers: shall a task of that type run in its submission, because sharing it takes longer, and are all
 * earlier ones done? */
DFI_FAST int dfi_fine_here(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_fine *f = dfi_fine_of(type);
    const struct dfi_scope *s = w->scope;
    unsigned fresh;
    if (DFI_LIKELY(dfi_load_relaxed(&f->type) != type)) return 0;
    if (!dfi_load_relaxed(&f->here) && !DFI_FINE_AT_RANDOM(w, f)) return 0;
    if (DFI_UNLIKELY(!w->task && (!s->open || dfi_load_relaxed(&s->pending) || s->submitted != s->done)) &&
        !dfi_fine_none_out(w, dfi_load_relaxed(&f->cost))) return 0;
    if (DFI_UNLIKELY((fresh = dfi_load_relaxed(&f->fresh)) != 0)) {
        dfi_store_relaxed(&f->fresh, fresh - 1);
        if (fresh <= DFI_FINE_TRIED) dfi_tasks_of(w)->fine_watch = 1, dfi_tasks_of(w)->fine_left = 1;
    }
    return 1;
}

#endif
