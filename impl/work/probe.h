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

/* The arguments of dfi_at. What is not mentioned is 0. w is the worker of the calling thread. */
enum dfi_probe {
    DFI_AT_NEW,       /* on: a task that is being submitted, and does not have its options yet; other: its a accesses */
    DFI_AT_SUBMIT,    /* on: the same task, with its options; other: its a accesses, or NULL: a node */
    DFI_AT_EDGE,      /* on: a task that is being submitted; other: dfi_ref of a task that it follows */
    DFI_AT_PAST_EDGE, /* only wanted, never told: DFI_AT_EDGE also for tasks that are done */
    DFI_AT_RELEASE,   /* on: a task that has got a token, input or element that it waits for; w may be NULL */
    DFI_AT_RELEASES,  /* on: the ended task that the next releases of w belong to, or NULL: to its running body */
    DFI_AT_BEGIN,     /* on: struct dfi_body that begins */
    DFI_AT_END,       /* on: struct dfi_body that ends */
    DFI_AT_WAIT,      /* on: struct dfi_wait that begins */
    DFI_AT_WAITED,    /* on: struct dfi_wait that ends */
    DFI_AT_SITE,      /* on: the source line of the next wait of w for a scope or future, or NULL */
    DFI_AT_UNTIL,     /* on: the internal task that the next wait of w is for */
    DFI_AT_CHILDREN,  /* all children of the innermost scope of w are done */
    DFI_AT_STEAL,     /* on: the entry that w has stolen; other: the worker that had it */
    DFI_AT_SLEEP,     /* w is about to park */
    DFI_AT_WOKE,      /* w was parked */
    DFI_AT_LOST,      /* a task runs without a record, because memory is lacking; w may be NULL */
    DFI_AT_TURN,      /* only wanted, never told: a director chooses the schedule (work/director.h) */
    DFI_AT_UPPER      /* the first of upper floors (more/points.h) */
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
    dfi_up_see(w, DFI_AT_BEGIN, b, NULL, 0);
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
    if (dfi_up_see) dfi_up_see(w, DFI_AT_END, b, NULL, 0);
}

#endif
