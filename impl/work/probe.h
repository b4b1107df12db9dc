/* probe.h - points: the moments at which observers are told what happens
 *
 * dfi_points has the bit of each point that an observer wants. A point that nobody wants costs one load and one branch;
 * df_spawn and df_sync have none. Observers change nothing, and are told nothing that they could wait for. Observers of
 * df itself come and go while no worker runs anything; those of the program at any time, so a place
 * tells the end of what it told the beginning of, whatever the set is by then.
 *
 * An observed worker has a chain of running bodies: the innermost first, followed by those that wait for it to end. */
#ifndef DFI_WORK_PROBE_H
#define DFI_WORK_PROBE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../api/task.h"

struct dfi_worker;
struct dfi_flow;
struct dfi_future;
struct dfi_access;
struct dfi_ref;
struct dfi_body;
struct dfi_wait;

/* The points, each told by the function dfi_at_.. of its name (below), which shows the arguments that observers get.
 * Only wanted, never told: PAST_EDGE: EDGE also for tasks that are done; TURN: a director chooses the schedule
 * (work/director.h). UPPER: the first of upper floors (more/points.h). */
enum dfi_probe {
    DFI_AT_NEW, DFI_AT_SUBMIT, DFI_AT_EDGE, DFI_AT_PAST_EDGE, DFI_AT_RELEASE, DFI_AT_RELEASES, DFI_AT_BEGIN, DFI_AT_END,
    DFI_AT_WAIT, DFI_AT_WAITED, DFI_AT_SITE, DFI_AT_UNTIL, DFI_AT_CHILDREN, DFI_AT_STEAL, DFI_AT_SLEEP, DFI_AT_WOKE,
    DFI_AT_LOST, DFI_AT_TURN, DFI_AT_UPPER
};

DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(unsigned) dfi_points;
DFI_EXTERN_C_END
DFI_UPCALL(void, dfi_up_see, (struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a));

/* Does an observer see every task? That changes what is recorded, never the order of tasks. */
DFI_INLINE int dfi_observed(void) { return dfi_up_see && dfi_load_relaxed(&dfi_points) != 0; }

DFI_INLINE int dfi_wanted(unsigned p)
{
    return dfi_up_see && DFI_UNLIKELY(dfi_load_relaxed(&dfi_points) >> p & 1);
}
DFI_FAST void dfi_at(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    if (dfi_wanted(p)) dfi_up_see(w, p, on, other, a);
}

/* w is the worker of the calling thread, or NULL where a comment says so.
 * t is being submitted; x: its n accesses, or NULL: a node. NEW: it does not have its options yet. */
DFI_FAST void dfi_at_new(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    dfi_at(w, DFI_AT_NEW, t, x, n);
}
DFI_FAST void dfi_at_submit(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    dfi_at(w, DFI_AT_SUBMIT, t, x, n);
}
/* t, which is being submitted, follows the task in `before`. */
DFI_FAST void dfi_at_edge(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_ref *before)
{
    dfi_at(w, DFI_AT_EDGE, t, before, 0);
}
/* w is about to wait for t, an internal task. */
DFI_FAST void dfi_at_until(struct dfi_worker *w, const struct dfi_flow *t) { dfi_at(w, DFI_AT_UNTIL, t, NULL, 0); }
/* t has got a token, input or element that it waits for. w may be NULL. */
DFI_FAST void dfi_at_release(struct dfi_worker *w, const struct dfi_flow *t) { dfi_at(w, DFI_AT_RELEASE, t, NULL, 0); }
/* The next releases of w belong to the ended task t; NULL: to its running body. */
DFI_FAST void dfi_at_releases(struct dfi_worker *w, const struct dfi_flow *t)
{
    dfi_at(w, DFI_AT_RELEASES, t, NULL, 0);
}
/* A task runs without a record, because memory is lacking. w may be NULL. */
DFI_FAST void dfi_at_lost(struct dfi_worker *w) { dfi_at(w, DFI_AT_LOST, NULL, NULL, 0); }
/* All children of the innermost scope of w are done. */
DFI_FAST void dfi_at_children(struct dfi_worker *w) { dfi_at(w, DFI_AT_CHILDREN, NULL, NULL, 0); }
/* A body begins, ends. pre: BEGIN is wanted; it began with this call */
DFI_INLINE void dfi_at_begin(struct dfi_worker *w, struct dfi_body *b) { dfi_up_see(w, DFI_AT_BEGIN, b, NULL, 0); }
DFI_INLINE void dfi_at_end(struct dfi_worker *w, struct dfi_body *b)
{
    if (dfi_up_see) dfi_up_see(w, DFI_AT_END, b, NULL, 0);
}
/* A wait begins, and ends if an observer saw it begin. site: the source line of the next one, for a scope or future. */
DFI_FAST void dfi_at_wait(struct dfi_worker *w, struct dfi_wait *x) { dfi_at(w, DFI_AT_WAIT, x, NULL, 0); }
DFI_INLINE void dfi_at_waited(struct dfi_worker *w, struct dfi_wait *x)
{
    if (dfi_up_see) dfi_up_see(w, DFI_AT_WAITED, x, NULL, 0);
}
DFI_FAST void dfi_at_site(struct dfi_worker *w, const char *site) { dfi_at(w, DFI_AT_SITE, site, NULL, 0); }
/* w has stolen the entry, which the victim had. */
DFI_FAST void dfi_at_steal(struct dfi_worker *w, const void *entry, const struct dfi_worker *victim)
{
    dfi_at(w, DFI_AT_STEAL, entry, victim, 0);
}
/* w is about to park; it was parked. */
DFI_FAST void dfi_at_sleep(struct dfi_worker *w) { dfi_at(w, DFI_AT_SLEEP, NULL, NULL, 0); }
DFI_FAST void dfi_at_woke(struct dfi_worker *w) { dfi_at(w, DFI_AT_WOKE, NULL, NULL, 0); }

enum { DFI_PAST_EDGES = 1 << 16 }; /* 1 MB of a list of tasks */
/* Is a list of n remembered tasks kept for observers, including tasks that are done? */
DFI_INLINE int dfi_keeps_past(size_t n) { return dfi_wanted(DFI_AT_PAST_EDGE) && n < DFI_PAST_EDGES; }

/* --- bodies ---------------------------------------------------------------------------------------- */

/* Kinds of bodies. INTERNAL: a task of df itself. INLINE: a task that ran immediately, in the scope of its submitter.
 * SPAWNED: no task, but a spawned function that another worker took. UPPER: the first of upper floors. */
enum { DFI_RAN_INTERNAL = 1, DFI_RAN_INLINE = 2, DFI_RAN_SPAWNED = 4, DFI_RAN_UPPER = 8 };

enum { DFI_BODY_ROOM = 8 };
/* A running body, on the stack of its thread. Constant while it is in the chain, except for the room. */
struct dfi_body {
    struct dfi_body *outer;         /* the body that it is nested in, or NULL */
    const char *name, *title;       /* of the function; the same, or the name that the program gave the task */
    const struct dfi_type *type;    /* NULL: a loop or a pipe */
    const struct dfi_flow *task;    /* NULL: none, or it ran immediately */
    const struct dfi_future *future; /* the future that another worker took, or NULL */
    const struct dfi_worker *victim; /* the worker that had the future */
    unsigned kind;                  /* DFI_RAN_.. */
    int part;                       /* a part of a loop or pipe: */
    long first, last;               /* its first and last iteration; or stage and item */
    uint64_t id;                    /* observers: its identity (observe/identity.h), or 0 */
    uint64_t since;                 /* observers: start in dfi_ticks while stalls are watched */
    uint64_t room[DFI_BODY_ROOM];   /* the rooms of observers (impl/rooms.h); 0 when it begins */
};

DFI_UNUSED static DFI_COLD int dfi_part_seen(struct dfi_worker *w, struct dfi_body *b, unsigned kind, const char *name)
{
    b->name = b->title = name, b->type = NULL, b->task = NULL, b->future = NULL, b->victim = NULL;
    b->kind = kind, b->part = 1, b->first = b->last = 0;
    dfi_at_begin(w, b);
    return 1;
}
/* Around part of a loop, or a stage of a pipe. w may be NULL. Nonzero: dfi_part_end must follow; it gets the first and
 * last iterations, or stage and item. */
DFI_FAST int dfi_part_begin(struct dfi_worker *w, struct dfi_body *b, unsigned kind, const char *name)
{
    return DFI_UNLIKELY(dfi_wanted(DFI_AT_BEGIN)) && w ? dfi_part_seen(w, b, kind, name) : 0;
}
DFI_FAST void dfi_part_end(struct dfi_worker *w, struct dfi_body *b, long first, long last)
{
    b->first = first, b->last = last;
    dfi_at_end(w, b);
}

#endif
