/* fine.h - fine types: tasks that are too short to be shared run where they are submitted
 *
 * Sharing a task costs its submitter a record, a place in the table of regions, edges, cache lines that other workers
 * take, and time in which it waits for tasks that the others are slow to finish: 0.1 to 1.2 us. A task whose body takes
 * less than that is done sooner if the submitter runs it, once all earlier tasks of the scope are done (dfi_task_new).
 *
 * Programs and machines differ by a factor of ten, so both times are measured, by each worker for each type of the
 * tasks that it submits: what one submission in about DFI_FINE_EACH costs, how long it waits, and how long bodies
 * take here. A body that another worker runs fetches its data from elsewhere and looks longer than it is, so a type
 * with short bodies is tried: first the bodies of some tasks bring the data here, then those of others are measured.
 *
 *              bodies are short          DFI_FINE_WARM bodies         DFI_FINE_MEASURED bodies
 *     SHARED -------------------> WARMS ----------------------> TRIED ------------------------> HERE
 *        ^                          |                              |                              |
 *        '--------------------------'------------------------------'------------------------------'
 *          bodies that take too long, or that create tasks: the next trial is later each time
 *
 * While a type is HERE, its bodies are measured when a clock that is read seldom says that tasks take longer than they
 * should.
 *
 * Nearly all of it belongs to the worker alone: what many workers write costs each of them more than a task. A wrong
 * decision costs time only. Argument that a task may run in its submission although there are other workers:
 * docs/internals/flow.md, "Fine tasks". */
#ifndef DFI_FLOW_FINE_H
#define DFI_FLOW_FINE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/task.h"
#include "../os/os.h"
#include "../work/find.h"
#include "../work/scope.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "body.h"
#include "careful.h"
#include "nest.h"
#include "table.h"
#include "throttle.h"
#include "types.h"

enum {
    /* Tasks between two measurements, about: of short types; of others, which are rarely worth it */
    DFI_FINE_EACH = 16, DFI_FINE_EACH_LONG = 127,
    /* Bodies in a state: WARMS; TRIED, and HERE when they seem to be long */
    DFI_FINE_WARM = 32, DFI_FINE_MEASURED = 16,
    /* Measured submissions between two trials: at first; at most: each trial that fails doubles them */
    DFI_FINE_PAUSE = 4, DFI_FINE_PAUSE_MOST = 256,
    /* Sums in a row that are too long before HERE ends: one may have been interrupted */
    DFI_FINE_TOO_LONG = 2,
    /* Tasks that run here between two looks at the clock */
    DFI_FINE_BATCH = 16,
    /* Submissions that find earlier tasks unfinished before their submitter helps to finish these: at first, at most.
     * It goes on while the first number of them gets done in the time in which twice as many are submitted. */
    DFI_FINE_HELP = 32, DFI_FINE_HELP_MOST = 1 << 14,
    /* ns: the cost of a submission before one is measured; longer bodies are worth sharing on any machine; what one
     * body counts at most */
    DFI_FINE_FIRST = 200, DFI_FINE_MOST = 2000, DFI_FINE_LONG = 4 * DFI_FINE_MOST,
    /* Shared tasks of which the waits are remembered, until bodies are so many times longer or shorter */
    DFI_FINE_PAST = 8192, DFI_FINE_OTHER = 4
};

/* DF_DEBUG=3: half of the tasks whose bodies are not long, so that tests see tasks that run in their submission beside
 * others. */
#define DFI_FINE_AT_RANDOM(w, type) (DF_DEBUG > 2 && dfi_fine_short(type) && dfi_fine_random(w) >> 23)

/* 24 bits. Not w->random: what it gives is part of a schedule that is replayed, and times differ. */
static unsigned dfi_fine_random(struct dfi_worker *w) { return dfi_random(&dfi_tasks_of(w)->fine_random) >> 8; }

/* The first of the DFI_FINE_WAYS places of a type in a table of n. */
DFI_FAST size_t dfi_fine_place(const struct dfi_type *type, size_t n)
{
    uintptr_t p = (uintptr_t)type;
    return (p >> 4 ^ p >> 9) % (n / DFI_FINE_WAYS) * DFI_FINE_WAYS;
}

/* The entry of a type, or NULL. */
static DFI_NOINLINE struct dfi_fine *dfi_fine_find(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_fine *f = &dfi_tasks_of(w)->fine[dfi_fine_place(type, DFI_FINE_TYPES)];
    int i;
    for (i = 0; i < DFI_FINE_WAYS; i++)
        if (f[i].type == type) return dfi_tasks_of(w)->fine_last = f + i;
    return NULL;
}
DFI_FAST struct dfi_fine *dfi_fine_of(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_fine *f = dfi_tasks_of(w)->fine_last;
    return DFI_LIKELY(f && f->type == type) ? f : dfi_fine_find(w, type);
}

/* The same, or a new one; others leave their places, unless they are fine: then NULL. */
static struct dfi_fine *dfi_fine_entry(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_fine *f = dfi_fine_of(w, type), *all;
    int i;
    if (f) return f;
    all = &dfi_tasks_of(w)->fine[dfi_fine_place(type, DFI_FINE_TYPES)];
    f = &all[dfi_fine_random(w) % DFI_FINE_WAYS];
    for (i = 0; i < DFI_FINE_WAYS; i++)
        if (!all[i].type) f = &all[i];
    if (f->state != DFI_FINE_SHARED) return NULL;
    memset(f, 0, sizeof *f);
    f->type = type, f->cost = DFI_FINE_FIRST, f->pause = DFI_FINE_PAUSE;
    return f;
}

/* Has a worker seen that bodies of that type are short? Only these run in a submission: others may block, or meet tasks
 * that are submitted later. */
static int dfi_fine_short(const struct dfi_type *type)
{
    size_t i, at = dfi_fine_place(type, DFI_FINE_SHORT);
    for (i = at; i < at + DFI_FINE_WAYS; i++)
        if (dfi_load_relaxed(&dfi_flow_pool.fine_short[i]) == type) return 1;
    return 0;
}

/* It is short, or is not any more: all workers read this, so it is written if it changes. */
static void dfi_fine_says(struct dfi_worker *w, const struct dfi_type *type, int is_short)
{
    size_t i, at = dfi_fine_place(type, DFI_FINE_SHORT), to = at + dfi_fine_random(w) % DFI_FINE_WAYS;
    if (dfi_fine_short(type) == is_short) return;
    for (i = at; i < at + DFI_FINE_WAYS; i++) {
        const struct dfi_type *other = dfi_load_relaxed(&dfi_flow_pool.fine_short[i]);
        if (other == type) dfi_store_relaxed(&dfi_flow_pool.fine_short[i], (const struct dfi_type *)NULL);
        else if (!other) to = i;
    }
    if (is_short) dfi_store_relaxed(&dfi_flow_pool.fine_short[to], type);
}

/* --- while tasks are shared ------------------------------------------------------------------------------ */

/* Until the next measurement: at random, as programs submit types in turn; less often while `each` does. */
static int dfi_fine_gap(struct dfi_worker *w, int each)
{
    if (DF_DEBUG > 2) return 1;
    if (each < DFI_FINE_EACH) each = DFI_FINE_EACH;
    return each / 2 + (int)dfi_fine_random(w) % each;
}
static void dfi_fine_each(int *each, int seldom)
{
    *each = !seldom ? DFI_FINE_EACH : *each < DFI_FINE_EACH_LONG ? 2 * *each + 1 : DFI_FINE_EACH_LONG;
}

/* Before a submission that may be measured: the time, or 0. */
static DFI_NOINLINE DFI_COLD uint64_t dfi_fine_measures(struct dfi_worker *w)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    uint64_t now = dfi_os_ns();
    own->fine_mean = own->fine_gap ? (now - own->fine_measured) / (unsigned)own->fine_gap
                                    : (uint64_t)DFI_FINE_FIRST;
    own->fine_measured = now;
    own->fine_shared += (unsigned)own->fine_gap;
    if (own->fine_shared > DFI_FINE_PAST) own->fine_shared /= 2, own->fine_waited /= 2;
    own->fine_submits = own->fine_gap = dfi_fine_gap(w, own->fine_each);
    return now;
}
DFI_FAST uint64_t dfi_fine_submits(struct dfi_worker *w)
{
    return DFI_UNLIKELY(--dfi_tasks_of(w)->fine_submits <= 0) ? dfi_fine_measures(w) : 0;
}

/* The worker waited so long for many tasks, and ran some. */
static void dfi_fine_waited(struct dfi_worker *w, uint64_t ns) { dfi_tasks_of(w)->fine_waited += ns; }
#define dfi_up_waited_many_by , dfi_fine_waited

/* ns: a body that is longer is worth sharing: 3/4 of what a task that is shared costs its submitter, as both are
 * measured with errors, where bodies take `body`. While they were longer, so were the waits. */
static unsigned dfi_fine_limit(struct dfi_worker *w, const struct dfi_fine *f, uint64_t body)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    uint64_t wait = own->fine_shared ? own->fine_waited / own->fine_shared : 0;
    if (DFI_FINE_OTHER * body < own->fine_body) wait = 0; /* unknown */
    else if (body < own->fine_body) wait = wait * body / own->fine_body;
    wait = (f->cost + wait) * 3 / 4;
    return wait < DFI_FINE_MOST ? (unsigned)wait : (unsigned)DFI_FINE_MOST;
}

/* The submission that began at `began` has ended. One that was interrupted, or woke a worker, counts little. None costs
 * more than the mean of all since the last measurement: the clock, too, takes its time, and waits for stores that else
 * go on. */
static DFI_NOINLINE DFI_COLD void dfi_fine_submitted(struct dfi_worker *w, const struct dfi_type *type, uint64_t began)
{
    struct dfi_fine *f = dfi_fine_entry(w, type);
    uint64_t ns = dfi_os_ns() - began;
    int is_short = dfi_fine_short(type);
    if (!f) return;
    if (ns > dfi_tasks_of(w)->fine_mean) ns = dfi_tasks_of(w)->fine_mean;
    if (ns > 2 * f->cost + 100) ns = 2 * f->cost + 100;
    f->cost = (unsigned)(f->cost - f->cost / 8 + ns / 8);
    dfi_fine_each(&dfi_tasks_of(w)->fine_each, !is_short);
    if (f->state != DFI_FINE_SHARED) return;
    if (!is_short) f->wait = 0, f->pause = DFI_FINE_PAUSE; /* tried at once when it is */
    else if (f->wait) f->wait--;
    else f->state = DFI_FINE_WARMS, f->summed = f->too_long = 0, f->sum = 0;
}

/* Before a body whose task was shared: is it to be measured? */
DFI_FAST int dfi_fine_runs(struct dfi_worker *w)
{
    if (DFI_LIKELY(--dfi_tasks_of(w)->fine_runs > 0)) return 0;
    dfi_tasks_of(w)->fine_runs = dfi_fine_gap(w, dfi_tasks_of(w)->fine_each_run);
    return 1;
}

/* A body took so long here whose task was shared. */
static DFI_NOINLINE DFI_COLD void dfi_fine_ran(struct dfi_worker *w, const struct dfi_type *type, uint64_t ns)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    struct dfi_fine *f = dfi_fine_entry(w, type);
    unsigned x = ns < DFI_FINE_LONG ? (unsigned)ns : (unsigned)DFI_FINE_LONG;
    own->fine_body += (x >> 3) - (own->fine_body >> 3);
    if (own->fine_body > DFI_FINE_OTHER * own->fine_body_then || DFI_FINE_OTHER * own->fine_body < own->fine_body_then)
        own->fine_body_then = own->fine_body, own->fine_waited = own->fine_shared = 0; /* other tasks wait otherwise */
    if (!f) return;
    f->body = f->body ? f->body - f->body / 4 + x / 4 : x;
    dfi_fine_each(&own->fine_each_run, f->body > 2 * DFI_FINE_MOST);
    if (f->body > 2 * DFI_FINE_MOST) f->state = DFI_FINE_SHARED, dfi_fine_says(w, type, 0);
    else if (f->body < DFI_FINE_MOST) dfi_fine_says(w, type, 1);
}

/* Changes when code of w creates a task with a record, or runs one. */
DFI_FAST unsigned dfi_fine_created(const struct dfi_worker *w)
{
    const struct dfi_flow_worker *own = dfi_tasks_of(w);
    return own->fine_created + (unsigned)dfi_load_relaxed(&own->n_tasks);
}

/* Runs the body of a shared task, and measures it. One that has created tasks counts as long: dfi_fine_creates. */
static DFI_NOINLINE DFI_COLD void dfi_fine_measured(struct dfi_worker *w, struct dfi_flow *t)
{
    const struct dfi_type *type = t->type;
    const unsigned created = dfi_fine_created(w);
    uint64_t began = dfi_os_ns();
    dfi_body_run(w, type, t->task.args, t);
    if (dfi_fine_created(w) != created || w->hot.lazy) began = 0;
    dfi_fine_ran(w, type, dfi_os_ns() - began);
}

/* --- while they run here ---------------------------------------------------------------------------------- */

/* Tasks of the type run here no more, and are tried again later and later. */
static void dfi_fine_ends(struct dfi_fine *f)
{
    if (f->pause < DFI_FINE_PAUSE_MOST) f->pause *= 2;
    f->wait = f->pause, f->state = DFI_FINE_SHARED;
}

/* A body that ran here has created tasks: it counts as long. For they would run here, too, and so would theirs: that
 * most tasks of a recursion are short does not tell that nothing is left for other workers. */
static DFI_NOINLINE DFI_COLD void dfi_fine_creates(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_fine *f = dfi_fine_of(w, type);
    if (f && f->state != DFI_FINE_SHARED) dfi_fine_ends(f);
}

/* A body took so long where it was submitted. */
static DFI_NOINLINE DFI_COLD void dfi_fine_ran_here(struct dfi_worker *w, const struct dfi_type *type, uint64_t ns)
{
    struct dfi_fine *f = dfi_fine_of(w, type);
    unsigned n;
    if (!f || f->state == DFI_FINE_SHARED) return;
    n = f->state == DFI_FINE_WARMS ? DFI_FINE_WARM : DFI_FINE_MEASURED;
    f->sum += ns < DFI_FINE_LONG * DFI_FINE_WARM ? (unsigned)ns : (unsigned)(DFI_FINE_LONG * DFI_FINE_WARM);
    if (f->sum > (f->state == DFI_FINE_WARMS ? 4 : 1) * n * dfi_fine_limit(w, f, f->sum / (f->summed + 1u))) {
        f->summed = 0, f->sum = 0;
        if (f->state != DFI_FINE_HERE || ++f->too_long >= DFI_FINE_TOO_LONG) dfi_fine_ends(f);
    } else if (++f->summed == n) {
        f->summed = 0, f->sum = 0, f->too_long = 0;
        if (f->state == DFI_FINE_HERE) f->pause = DFI_FINE_PAUSE;
        else f->state++; /* WARMS, TRIED, HERE */
    }
}

/* Now and then, before a task runs here: is its body to be measured? */
static DFI_NOINLINE DFI_COLD int dfi_fine_looks(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    struct dfi_fine *f = dfi_fine_of(w, type);
    uint64_t now, mean;
    if (own->fine_watch) {
        own->fine_watch--, own->fine_left = 1;
        return 1;
    }
    now = dfi_os_ns();
    mean = (now - own->fine_at) / DFI_FINE_BATCH;
    own->fine_left = DFI_FINE_BATCH;
    if (f && mean > dfi_fine_limit(w, f, mean)) own->fine_watch = DFI_FINE_MEASURED, own->fine_left = 1;
    own->fine_at = now;
    return 0;
}

/* The body of a task that runs where it was submitted, although there are several workers. */
static DFI_NOINLINE void dfi_fine_body(struct dfi_worker *w, const struct dfi_type *type, void *args)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    const unsigned created = dfi_fine_created(w);
    if (DFI_UNLIKELY(--own->fine_left <= 0) && dfi_fine_looks(w, type)) {
        uint64_t began = dfi_os_ns();
        dfi_body_run(w, type, args, NULL);
        dfi_fine_ran_here(w, type, dfi_os_ns() - began);
    } else dfi_body_run(w, type, args, NULL);
    if (DFI_UNLIKELY(dfi_fine_created(w) != created || w->hot.lazy)) dfi_fine_creates(w, type);
}

/* --- may it run here? ------------------------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

/* Runs the newest entry of the stack above `mark` if it is a task of a short type; longer ones are left to others: the
 * caller is in a submission. Zero: it is none. */
static int dfi_fine_run(struct dfi_worker *w, size_t mark)
{
    struct dfi_flow *t;
    const struct dfi_type *type;
    const void *top;
    uint64_t began;
    dfi_stack_trim(w, mark);
    if (w->head <= mark || !dfi_is_task(top = w->stack[w->head - 1])) return 0;
    type = dfi_task_of(top)->type; /* it may have been stolen, but this worker alone gives its record another type */
    if (!dfi_fine_short(type)) return 0;
    if (!(t = dfi_pop(w, w->head - 1))) return 1; /* stolen */
    began = dfi_os_ns();
    if ((t = dfi_up_task_run(w, t)) != NULL) dfi_push(w, t);
    if (dfi_os_ns() - began > DFI_FINE_LONG) dfi_fine_ran(w, type, DFI_FINE_LONG);
    if (dfi_steal_requested(w)) dfi_poll(w);
    return 1;
}

/* Earlier children of s are unfinished, while tasks of a fine type are submitted: runs those of fine types, and waits
 * for others, as long as they get done about as fast as tasks are shared, so that the next ones find none. Zero: some
 * are left; the next attempt is later. */
static DFI_NOINLINE int dfi_fine_help(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    uint64_t mean = own->fine_mean < DFI_FINE_MOST ? own->fine_mean : (uint64_t)DFI_FINE_MOST;
    uint64_t now, span = 2 * DFI_FINE_HELP * mean, until = dfi_os_ns() + span;
    size_t seen = s->done;
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
        if ((done = s->submitted == s->done) != 0) break;
        if ((now = dfi_os_ns()) > until) {
            if (s->done - seen < DFI_FINE_HELP) break;
            seen = s->done, until = now + span;
        }
        if (!dfi_fine_run(w, s->mark))
            for (i = 0; i < 8; i++) dfi_os_pause();
    }
    if (w->head > s->mark) dfi_stack_hand_over(w, s->mark, s);
    dfi_offer(w);
    dfi_level(w, -1);
    dfi_code_resume(w, 0);
    dfi_nest_end(w);
    own->opts = o, own->opts_site = site;
    if (done) own->fine_pause = DFI_FINE_HELP;
    else if (own->fine_pause < DFI_FINE_HELP_MOST) own->fine_pause = 2 * own->fine_pause + DFI_FINE_HELP;
    own->fine_out = own->fine_pause;
    return done;
}

static DFI_NOINLINE int dfi_fine_none_out(struct dfi_worker *w)
{
    struct dfi_scope *s = w->scope;
    if (!s->open || !dfi_careless()) return 0;
    dfi_take_over(s);
    if (s->submitted != s->done &&
        (--dfi_tasks_of(w)->fine_out > 0 || dfi_nested_deeply(w) || *dfi_block_here || (dfi_up_owes && dfi_up_owes()) ||
         !dfi_fine_help(w, s))) return 0;
    if (dfi_up_scope_waits) dfi_up_scope_waits(w, s); /* values may still be elsewhere */
    dfi_table_forget(w, s);
    return 1;
}

DFI_SMALL_CODE_END

/* Several workers: shall a task of that type run in its submission, because sharing it takes longer, and are all
 * earlier ones done? */
DFI_FAST int dfi_fine_here(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_fine *f = dfi_fine_of(w, type);
    const struct dfi_scope *s = w->scope;
    dfi_tasks_of(w)->fine_created++;
    if (!(f && f->state != DFI_FINE_SHARED) && !DFI_FINE_AT_RANDOM(w, type)) return 0;
    if (DFI_UNLIKELY(!w->task && (!s->open || dfi_load_relaxed(&s->pending) || s->submitted != s->done)) &&
        !dfi_fine_none_out(w)) return 0;
    if (f && DFI_UNLIKELY(f->state == DFI_FINE_WARMS || f->state == DFI_FINE_TRIED))
        dfi_tasks_of(w)->fine_watch = 1, dfi_tasks_of(w)->fine_left = 1;
    return 1;
}

#endif
