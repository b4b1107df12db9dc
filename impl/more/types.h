/* types.h - data structures of optional features of tasks: groups, weak accesses, errors */
#ifndef DFI_MORE_TYPES_H
#define DFI_MORE_TYPES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/throw.h"
#include "../flow/types.h"
#include "../flow/region.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "stream/ring.h"
#include "../api/declare.h"
#include "../api/error.h"
#include "../api/handle.h"
#include "../api/limits.h"
#include "../api/task.h"
#include "../api/token.h"

/* --- state (more/state.h) --------------------------------------------------------------------------------- */
struct dfi_more_pool {
    /* settings */
    size_t rename_bytes;
    int deterministic, patience;
    int ahead;                                /* most turns that begin before it is known whether they count */
    DFI_ATOMIC(int) devices;                  /* devices of df_gpu.h in use */
    /* device failures so far: data that existed only on a failed device are lost */
    DFI_ATOMIC(int) device_errors;
    DFI_ATOMIC(int) holds;                    /* tasks have waited for tokens, inputs or streams: sleepers look */
    DFI_ATOMIC(int) streams;                  /* existing streams */
    DFI_ATOMIC(size_t) events;                /* signals by threads without a worker so far */
    DFI_ATOMIC(size_t) renamed;               /* bytes in private buffers */
    DFI_ATOMIC(size_t) stamps;                /* of undo records and predicates, so far */
};
/* An error of a scope. from: who failed: a child, the code of the scope itself, or a block in it. waited: of a future
 * that has ended: a wait in it has ended the cancellation, and left the error. */
enum { DFI_OF_CHILD, DFI_OF_CODE, DFI_OF_BLOCK };
struct dfi_error { int code; short from, waited; char text[DFI_ERROR_TEXT]; struct dfi_exception threw; };
struct dfi_gpu_hook;
DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_more_pool dfi_more;
/* errors for which memory was lacking, and none: a cancellation; never freed */
extern DFI_API struct dfi_error dfi_error_unsaid, dfi_error_unkept, dfi_error_cancels;
extern DFI_API const struct dfi_gpu_hook *dfi_gpu_hook; /* NULL without df_gpu.h; set before any task runs */
DFI_EXTERN_C_END

/* Size classes of the blocks of this floor (work/types.h) */
enum { DFI_CLS_USE = DFI_CLS_MORE, DFI_CLS_GROUP, DFI_CLS_WEAK, DFI_CLS_PART, DFI_CLS_SLEEPER, DFI_CLS_LAST };
DFI_STATIC_ASSERT((int)DFI_CLS_LAST <= (int)DFI_CLS_TASK, "DFI_CLS_COUNT is too small");

/* What the settings allow. A serial build has none of it: it decides conditions instead of guessing, and nothing that
 * runs at the same time makes a version of a region or a remembered order worth having. */
DFI_FAST size_t dfi_rename_most(void) { return DFI_ALONE ? 0 : dfi_more.rename_bytes; }

/* --- rooms in the optional state of a task (flow/types.h) ------------------------------------------- */

/* Membership in groups (more/group.h). */
struct dfi_member {
    struct dfi_use *locks;                /* commuting accesses and semaphores, sorted by address (more/lock.h) */
    struct dfi_use *reductions;
    struct dfi_use *to_lock;              /* the first lock that the task does not hold yet */
    struct dfi_extra *lock_wait;          /* next task in the queue of a lock or a semaphore */
    struct dfi_use *asks;                 /* the units for which it waits */
    int locked;                           /* the task holds all its locks */
    DFI_ATOMIC(intptr_t) unmerged;        /* deterministic reductions not yet combined, plus 1 during completion */
};
DFI_ROOM(dfi_member, dfi_member_of, dfi_extra);

/* A task, or a thread in df_wait_token, that waits for tokens, inputs or streams (more/token.h). */
struct dfi_on_hold {
    struct dfi_on_hold *next, *before;       /* in the list of a worker */
    struct dfi_worker *by;                /* that worker, or NULL: it is in no list */
    struct dfi_extra *of;                 /* of the task; NULL: a thread */
    struct dfi_use *after;                /* tokens */
    struct df_token *until;               /* of a task whose body has ended (more/until.h), or NULL */
};
/* Tokens, and the inputs of a node. */
struct dfi_tokens {
    struct dfi_on_hold held;
    struct dfi_use *signals;
    const struct dfi_inputs *inputs;      /* of a node */
    DFI_ATOMIC(uintptr_t) given;
    int external;                         /* inputs may come from outside; under the lock of dfi_holds */
    DFI_ATOMIC(int) stuck;                /* the node was given up */
};
DFI_ROOM(dfi_tokens, dfi_tokens_of, dfi_extra);

/* Cancellation (more/error.h). */
struct dfi_cancel {
    struct df_group *group;
    struct df_handle *handle;              /* of the task (more/handle.h), or NULL */
    DFI_ATOMIC(int) code;                  /* with a handle: the error with which the task failed, or 0 */
    int always;                            /* df_opts.always */
};
/* Of a worker: the innermost handle whose task runs in the submitting code because it has no record, or is about to;
 * linked by dfi_outer. dfi_task of these handles is the task or scope of the submitting code. */
struct dfi_handles_here { struct df_handle *first; };
DFI_ROOM(dfi_handles_here, dfi_handles_of, dfi_worker);
DFI_ROOM(dfi_cancel, dfi_cancel_of, dfi_extra);

/* A gate, which is an internal task (more/weak.h). */
struct dfi_gate {
    DFI_ATOMIC(int) stays;                /* 2 while its own end and the end of its task are outstanding, then 1 */
    const struct dfi_flow *of;            /* the task to which the gate of a weak access belongs */
};
DFI_ROOM(dfi_gate, dfi_gate_of, dfi_extra);

/* Stream windows (more/stream/task.h). */
struct dfi_windows {
    struct dfi_window *first;             /* in the order of the parameters */
    void **array;                         /* memory of the pointer arrays that the body gets, or NULL */
    DFI_ATOMIC(intptr_t) missing;         /* number of windows that the task may not enter yet */
    uint64_t began;                       /* time at which the body began, if its duration is to be measured; else 0 */
};
DFI_ROOM(dfi_windows, dfi_windows_of, dfi_extra);

/* Coherence of devices (more/devices.h). */
struct dfi_noted {
    struct dfi_access *access;            /* if devices are in use: the accesses of the task, else NULL */
    unsigned n;
    int device;                           /* df_opts.device */
};
DFI_ROOM(dfi_noted, dfi_noted_of, dfi_extra);

/* --- rooms in a scope (flow/types.h) ------------------------------------------------------------------- */
/* Bits of dfi_scope.asks. TENTATIVE: its new children may turn out not to count. */
enum { DFI_ASKS_TENTATIVE = 1, DFI_ASKS_GRAPH = 2, DFI_ASKS_ARENA = 4 };

/* Errors and cancellation (more/error.h). */
struct dfi_scope_errors {
    struct df_group *group;                /* cancellation group of the task whose body this is */
    DFI_ATOMIC(int) cancelled;
    DFI_ATOMIC(void *) over;               /* of a future: its state at its end; DFI_F_CUT since code in it has found
                                            * that a scope around it is cancelled */
    int told;                              /* owner: a wait of its code has ended for that (more/cancel.h) */
    DFI_ATOMIC(struct dfi_error *) error;  /* the first error */
    /* cancelled children that cancel later successors; pushed by the completing thread */
    DFI_ATOMIC(struct dfi_block_head *) poisoned;
};
DFI_ROOM(dfi_scope_errors, dfi_errors_in, dfi_scope);

/* Weak accesses (more/weak.h): the task whose body contains this scope, or NULL. */
struct dfi_scope_gated { struct dfi_flow *task; };
DFI_ROOM(dfi_scope_gated, dfi_gated_in, dfi_scope);
DFI_FAST struct dfi_flow *dfi_gated_body(const struct dfi_scope *s)
{
    return dfi_gated_in(s)->task;
}

/* The task graph that records new children, or NULL: DFI_ASKS_GRAPH. */
struct dfi_scope_recorded { struct df_taskgraph *by; };
DFI_ROOM(dfi_scope_recorded, dfi_recorded_in, dfi_scope);

DFI_FAST void dfi_recorded_set(struct dfi_scope *s, struct df_taskgraph *by)
{
    dfi_recorded_in(s)->by = by;
    if (by) s->asks |= DFI_ASKS_GRAPH;
    else s->asks &= ~(unsigned)DFI_ASKS_GRAPH;
}

/* The arena of a block (more/arena.h), or NULL: DFI_ASKS_ARENA. Thieves read it. */
struct dfi_crew;
struct dfi_scope_arena { DFI_ATOMIC(struct dfi_crew *) crew; };
DFI_ROOM(dfi_scope_arena, dfi_arena_in, dfi_scope);

/* The arenas that a worker has entered, the innermost one last, and the heights of its stack at these moments. Bit i of
 * `counts`: it counts in crew[i], because it was not in that arena before. running: the arena of the entry that it took
 * last, or NULL. Owner; crew[i]: any thread. */
enum { DFI_CREWS_NESTED = 6 };
struct dfi_entered {
    unsigned depth, counts;
    size_t mark[DFI_CREWS_NESTED];
    DFI_ATOMIC(struct dfi_crew *) crew[DFI_CREWS_NESTED];
    struct dfi_crew *running;
};
DFI_ROOM(dfi_entered, dfi_entered_of, dfi_worker);

/* Devices: 1 + dfi_more.device_errors at the first launch in it since its last wait; 0: no launch. */
struct dfi_scope_launched { DFI_ATOMIC(int) since; };
DFI_ROOM(dfi_scope_launched, dfi_launches_in, dfi_scope);

/* Does the code that w runs turn out not to count? Waits if that is not known yet. */
DFI_FAST int dfi_dropped(struct dfi_worker *w) { return !DFI_ALONE && dfi_asked(w, DFI_DOES_MORE, NULL); }
/* Can the effects of t be undone? */
DFI_FAST int dfi_tentative(const struct dfi_flow *t) { return !DFI_ALONE && dfi_extra_if(t) && t->extra->tentative; }
/* The code that w runs uses a construct that a task graph cannot contain. */
DFI_UPCALL(void, dfi_up_cannot, (struct dfi_worker *w, const char *what, const char *site));
DFI_FAST void dfi_no_graph(struct dfi_worker *w, const char *what, const char *site)
{
    if (dfi_up_cannot && w && DFI_UNLIKELY(w->scope->asks & DFI_ASKS_GRAPH))
        dfi_up_cannot(w, what, site);
}

/* --- rooms in an entry of a table ------------------------------------------------------------------------- */
/* The open group of its sharers, or NULL (more/group.h). */
struct dfi_entry_group { struct dfi_group *open; };
DFI_ROOM(dfi_entry_group, dfi_group_of, dfi_entry);

/* Renaming (more/rename.h). */
struct dfi_entry_versions {
    struct dfi_version *now;               /* the current version if the region was renamed, or NULL */
    struct dfi_version *all;               /* all versions, including the original one */
};
DFI_ROOM(dfi_entry_versions, dfi_versions_of, dfi_entry);
DFI_FAST int dfi_renamed(const struct dfi_entry *n) { return dfi_versions_of(n)->now != NULL; }

/* --- weak accesses and early release (more/weak.h) -------------------------------------------------- */
/* A successor and the region that it needs. Its edge is stored in the successor. */
struct dfi_part {
    struct dfi_block_head head;
    struct dfi_part *next;
    struct dfi_edge *edge;
    struct dfi_region region;
    unsigned mode;
};

enum { DFI_RELEASES = 16 }; /* regions released one by one; further regions are released at the end */
/* An internal task that stays until the task with the weak access or the released region is done. */
struct dfi_gated { struct dfi_ref gate; struct dfi_region region; };
struct dfi_parts {
    struct dfi_block_head head;
    struct dfi_flow *task;                 /* submitting worker: the task that currently uses this record */
    size_t seq;
    const struct dfi_access *last_access;  /* submitting worker: the newest part, to avoid duplicates */
    size_t last_index;
    /* protects the parts and the released regions: submitting worker against the worker that runs the task */
    DFI_ATOMIC(int) lock;
    struct dfi_part *parts;
    int closed;                            /* the body is over, and no part may be added */
    int at_once;                           /* the task runs inside its submission, for an observer: it has no
                                            * predecessors */
    unsigned n_released;
    struct dfi_gated released[DFI_RELEASES];
    /* worker that runs the task */
    struct dfi_edge *late;                 /* successors for which memory was lacking: released at the end of the
                                            * task */
    /* also written by the submitting worker, before the task runs */
    unsigned n_weak, n_strong;
    struct dfi_gated *weak;                /* few_weak, or more, .. */
    struct dfi_region *strong;             /* .. and few_strong, or behind it */
    void *more;                            /* NULL, or room for the accesses of a task with many */
    struct dfi_gated few_weak[DFI_PARAMETERS];
    struct dfi_region few_strong[DFI_PARAMETERS];
};

/* --- groups of tasks that share a region (more/group.h) --------------------------------------------------- */
/* An accumulator of reducing tasks: the region itself, or a private copy. */
struct dfi_copy {
    struct dfi_copy *next;
    DFI_ATOMIC(int) busy;
    DFI_ATOMIC(struct dfi_worker *) worker; /* the worker that used it last */
    char *p;
    struct dfi_flow *task;          /* deterministic reduction: the contributing task, and the index of its
                                     * contribution */
    size_t turn;
};

/* Membership of a task in a lock or a reduction, units of a semaphore, or a token that it signals or waits for. */
struct dfi_use {
    struct dfi_block_head head;
    struct dfi_use *next;
    struct dfi_group *group;
    struct df_semaphore *semaphore;
    intptr_t units;
    struct dfi_copy *copy;                /* reduction: the accumulator of the task while it runs */
    struct df_token *token;
    unsigned arg;                         /* offset in the argument record */
    struct dfi_copy own;                  /* deterministic reduction: the contribution of this task */
    union { char bytes[32]; long double align; void *pointer; } room; /* memory of a small contribution */
};

struct dfi_group {
    struct dfi_block_head head;
    struct dfi_worker *owner;       /* owner of the scope */
    /* members are counted like the children of a scope: docs/internals/flow.md, "Groups" */
    intptr_t joined, done;          /* owner, while open */
    int open;
    int deterministic;
    int wide;                       /* DFI_WIDE */
    /* reductions */
    struct dfi_region region;
    void (*combine)(void *into, const void *from, size_t n);
    size_t size;
    const void *key;
    size_t turns;                   /* owner: number of contributions so far */
    struct dfi_copy first;          /* accumulator in the region itself */
    DFI_ATOMIC(struct dfi_copy *) copies; /* all accumulators, newest first */
    /* tasks that wait for an accumulator because memory for a copy is lacking */
    DFI_ATOMIC(struct dfi_extra *) starved;
    DFI_ATOMIC(struct dfi_copy *) handed;   /* deterministic: contributions received */
    DFI_ATOMIC(int) merging;
    DFI_ATOMIC(size_t) merged;      /* written by the thread that set `merging` */
    struct dfi_copy *sorted;        /* used only by the thread that set `merging` */
    char line[DFI_LINE];
    DFI_ATOMIC(intptr_t) left;
    /* commuting: NULL free, DFI_LOCK_HELD, or the newest waiting task */
    DFI_ATOMIC(struct dfi_extra *) lock;
    struct dfi_extra *waiting;      /* lock holder: the other waiting tasks, oldest first */
};
#define DFI_LOCK_HELD ((struct dfi_extra *)(uintptr_t)1)

/* --- what features have behind a worker ------------------------------------------------------------------- */
/* Tasks submitted by it that wait for tokens or inputs (more/token.h). */
struct dfi_holds {
    struct dfi_os_mutex lock;
    DFI_ATOMIC(struct dfi_on_hold *) first; /* changed under the lock; any thread may ask whether it is NULL */
    DFI_ATOMIC(size_t) n_events;
};
DFI_ROOM(dfi_holds, dfi_holds_of, dfi_worker);
/* Statistics: written by the owner, read by any thread, relaxed. */
struct dfi_tally { DFI_ATOMIC(size_t) n_renamings, n_copies, n_early, n_undone; };
DFI_ROOM(dfi_tally, dfi_tally_of, dfi_worker);

#endif
