/* types.h - data structures of the runtime: worker, scope, task, region, pool
 *
 * Comments name the threads that may access a group of fields. "Owner" is the thread to which the worker belongs. */
#ifndef DFI_WORK_TYPES_H
#define DFI_WORK_TYPES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/task.h"
#include "../api/throw.h"
#include "../flow/region.h"
#include "../more/stream/ring.h"
#include "../more/taskgraph/list.h"
#include "../observe/check/check.h"
#include "../observe/event.h"
#include "../observe/graph/graph.h"
#include "../api/public.h"

struct dfi_gpu_hook;

enum { DFI_LINE = 64 }; /* distance in bytes that avoids false sharing */

/* --- recyclable blocks (work/blocks.h) --------------------------------------------------------- */
enum { DFI_CLS_SCOPE, DFI_CLS_EDGES, DFI_CLS_ENTRY, DFI_CLS_TABLE, DFI_CLS_EXTRA, DFI_CLS_USE, DFI_CLS_GROUP,
       DFI_CLS_WEAK,
       DFI_CLS_PART, DFI_CLS_TASK, DFI_CLS_COUNT = DFI_CLS_TASK + 8 };

/* --- tasks (flow/task.h) ------------------------------------------------------------------------ */
struct dfi_edge { /* an edge to one successor; stored in the successor */
    struct dfi_edge *next;
    struct dfi_flow *task;
};
enum { DFI_EDGES_INLINE = 3, DFI_EDGES_BLOCK = 14 };
struct dfi_edges { /* a block of further edges */
    struct dfi_block_head head;
    struct dfi_edges *next;
    struct dfi_edge edge[DFI_EDGES_BLOCK];
};

/* A task of df_submit. Its memory is reused only for tasks of the worker that submitted it, so that worker can tell
 * by `seq` whether a remembered task is still the same one. */
struct dfi_flow {
    struct dfi_task task;                 /* the part that generated code sees; must be first */
    const struct dfi_type *type;
    struct dfi_scope *scope;              /* the scope that the task is a child of; its owner submitted the task */
    /* successors: pushed by the owner of the scope, closed by the thread that completes the task */
    DFI_ATOMIC(struct dfi_edge *) succ;
    DFI_ATOMIC(intptr_t) wait;            /* unfinished predecessors, plus DFI_GUARD during registration */
    unsigned n_edges;
    DFI_ATOMIC(unsigned) skip;            /* DFI_SKIPPED: the task or a predecessor was cancelled; DFI_SPOILS; or 0 */
    size_t birth;                         /* index among the children of its scope */
    size_t seq;                           /* submitting worker: incremented at each reuse of this memory */
    struct dfi_flow *last_succ;           /* submitting worker: the newest successor, to avoid duplicate edges */
    struct dfi_edges *more;
    struct dfi_extra *extra;              /* optional state; valid if task.mem.special */
#if DF_CHECK
    struct dfi_checked checked[16];       /* its accesses */
    unsigned n_checked;
    const char *site;                     /* source line of the submission, or NULL */
    struct dfi_check_entry *declared;      /* regions declared by tasks that its body submitted
                                            * (observe/check/view.h) */
#endif
    struct dfi_weak *parts;               /* submitting worker: successors depend on parts of the task (more/weak.h) */
};
#define DFI_DONE_EDGE ((struct dfi_edge *)(uintptr_t)1) /* succ of a finished task */
/* a tag bit of succ: it points to a plan (more/taskgraph/run.h) */
#define DFI_OF_PLAN ((uintptr_t)2)
#define DFI_GUARD ((intptr_t)1 << 28)
/* DFI_SPOILS: the task was cancelled, and its scope remembers it until its next wait, because later successors are
 * cancelled too. */
enum { DFI_SKIPPED = 1, DFI_SPOILS };

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

/* Membership of a task in a lock or a reduction, or a token that it signals or waits for. */
struct dfi_use {
    struct dfi_block_head head;
    struct dfi_use *next;
    struct dfi_group *group;
    struct dfi_copy *copy;                /* reduction: the accumulator of the task while it runs */
    struct df_token *token;
    unsigned arg;                         /* offset in the argument record */
    struct dfi_copy own;                  /* deterministic reduction: the contribution of this task */
    union { char bytes[32]; long double align; void *pointer; } room; /* memory of a small contribution */
};

/* dfi_task.mem.special: the task is still on the stack of the thread that runs it (more/stream/task.h) */
enum { DFI_ON_STACK = 2 };

/* Optional state of a task. Most tasks have none. */
struct dfi_extra {
    struct dfi_block_head head;
    struct dfi_flow *task;
    struct dfi_use *locks;                /* commuting accesses, sorted by address of the group */
    struct dfi_use *reductions, *signals, *after;
    struct dfi_use *to_lock;              /* the first lock that the task does not hold yet */
    struct dfi_extra *lock_wait;          /* next task in the queue of a lock */
    int locked;                           /* the task holds all its locks */
    int priority, pin;                    /* pin: index of a worker, or -1 */
    const char *name, *site;
    struct df_group *group;
    DFI_ATOMIC(intptr_t) unmerged;        /* deterministic reductions not yet combined, plus 1 during completion */
    struct dfi_extra *child, *sibling, *before; /* links of a queue (work/queue.h) */
    uint64_t order;
    struct dfi_extra *held_next, *held_before;  /* links of the list of tasks that wait for tokens or inputs */
    struct dfi_worker *held_by;
    int inputs;                           /* df_node: number of inputs */
    const char *titles;
    DFI_ATOMIC(uintptr_t) given;
    struct dfi_weak *weak;                /* successors depend on parts of the task (more/weak.h), or NULL */
    struct dfi_window *windows;           /* stream windows (more/stream/ring.h), in the order of the parameters */
    void **window_array;                  /* memory of the pointer arrays that the body gets for its windows, or NULL */
    DFI_ATOMIC(intptr_t) windows_missing; /* number of windows that the task may not enter yet */
    uint64_t began;                       /* time at which the body began, if its duration is to be measured; else 0 */
    struct dfi_access *noted;             /* if devices are in use: the accesses of the task (flow/devices.h), else
                                           * NULL */
    unsigned n_noted;
    int device;                           /* df_opts.device */
    struct dfi_g_item *graph;             /* the task in the drawing of DF_GRAPH (observe/graph/graph.h), or NULL */
    struct dfi_guess *guess;              /* the predicate that controls the task (more/speculate/predicate.h), or
                                           * NULL */
    struct dfi_kept *kept;                /* undo memory for the regions that the task will overwrite, or NULL */
    /* a gate: 2 while its own end and the end of its task are outstanding, then 1 */
    DFI_ATOMIC(int) gate;
    const struct dfi_flow *gate_of;       /* a gate of a weak access: the task to which the gate belongs */
};

#define DFI_INTERNAL 0x80000000u /* in dfi_type.modes: an internal task of df, which is neither counted nor cancelled */

/* A queue of ready tasks that may not go onto a stack or into a deque, ordered by priority. */
struct dfi_queue {
    struct dfi_os_mutex lock;
    struct dfi_extra *best;               /* pairing heap; protected by the lock */
    uint64_t order;
    DFI_ATOMIC(int) count;
    DFI_ATOMIC(int) urgent;               /* number of tasks with priority 0 or higher */
};

enum { DFI_SCOPE_ROOM = 128 }; /* bytes; a recursive task with a few temporaries needs no malloc */

/* --- scopes (work/scope.h) ---------------------------------------------------------------------- */
/* A DF_PARALLEL block, the body of a task with children, a stolen future that runs, or the bottom scope of a thread.
 * Memory of scopes is type-stable: thieves may read the atomic fields of a scope that has just ended, and a failing
 * compare-and-swap then rejects what they read. */
struct dfi_scope {
    struct dfi_block_head head;
    DFI_ATOMIC(struct dfi_scope *) parent; /* the enclosing scope; NULL for a bottom scope */
    DFI_ATOMIC(uintptr_t) depth;           /* 0 for a bottom scope, else the parent's + 1 */
    DFI_ATOMIC(uintptr_t) id;              /* unique for each use of this memory */
    DFI_ATOMIC(size_t) birth;              /* index among the children of the parent */
    struct dfi_worker *owner;              /* the worker that runs the body; constant while the scope has children */
    /* owner, while the body runs */
    struct dfi_scope *outer;               /* the next scope down on the owner's stack */
    size_t mark;                           /* height of the owner's stack when the scope began */
    struct dfi_flow *saved_task;           /* the owner's `task` and `task_mark` when the scope began */
    size_t saved_mark;
    size_t submitted, done;                /* children created; children completed by the owner while open */
    size_t births;                         /* index of the next child */
    int open;                              /* the owner may count in `done` instead of `pending` */
    struct dfi_table *table;
    struct dfi_local *locals;
    const char *site;                      /* source line of the block */
    struct dfi_flow *task;                 /* the task that completes with the last child, or NULL */
    int kind;                              /* DFI_BOTTOM .. DFI_STOLEN */
    struct df_group *group;                /* cancellation group of the task whose body this is */
    struct dfi_flow *gated;                /* the task with weak accesses whose body contains this scope, or NULL */
    struct dfi_guess *guess;               /* the predicate that controls new children, or NULL */
    struct dfi_capture *capture;           /* the recorder of new children (more/taskgraph/list.h), or NULL */
    struct dfi_team *team;                 /* DFI_STOLEN: the loop or pipe that the owner joined; NULL: the owner runs
                                            * the future below */
    DFI_ATOMIC(struct dfi_future *) future; /* DFI_STOLEN: the stolen future */
    DFI_ATOMIC(struct dfi_worker *) victim; /* DFI_STOLEN: worker from which it was stolen */
    DFI_ATOMIC(struct dfi_scope *) under;  /* the next DFI_STOLEN scope below it on the stack (work/thread_end.h) */
    struct dfi_guess *within;              /* the predicate that controls the task whose body this is; constant, any
                                            * thread may read it */
    size_t guesses;                        /* number of predicates so far */
    DFI_ATOMIC(int) cancelled;
    /* 1 + dfi_pool.device_errors at the first launch in it since its last wait; 0: no launch */
    DFI_ATOMIC(int) launched;
    DFI_ATOMIC(struct dfi_error *) error;  /* the first error */
    /* cancelled children that cancel later successors; pushed by the completing thread */
    DFI_ATOMIC(struct dfi_block_head *) spoilt;
#if DF_CHECK
    struct dfi_check_variable *variable;   /* variables of the scope's code that its children access */
    unsigned n_variables, room_variables;
    struct dfi_check_entry *declared;       /* bottom scope: regions declared by tasks submitted outside all tasks */
    uintptr_t items, items_end;            /* a pipe: memory of its items, which a stage may pass to its children */
#endif
    size_t room_used;
    /* memory of small df_local variables */
    union { char bytes[DFI_SCOPE_ROOM]; long double align; void *pointer; } room;
    char line[DFI_LINE];
    /* While open: minus the children completed by other workers. After closing: the unfinished children, plus
     * DFI_ENDED once the body is over. Argument: docs/memory-order.md, "Scopes". */
    DFI_ATOMIC(intptr_t) pending;
};
#define DFI_ENDED ((intptr_t)1 << 29)
enum { DFI_BOTTOM, DFI_BLOCK, DFI_BODY, DFI_STOLEN }; /* kinds: of a thread; DF_PARALLEL; a task; a stolen future */
struct dfi_error { int code; char text[DFI_ERROR_TEXT]; struct dfi_exception threw; };

/* --- regions of a scope (flow/table.h) ------------------------------------------------------------ */
/* A task as remembered by the scope that submitted it. Its memory may have been reused since. */
struct dfi_ref { struct dfi_flow *task; size_t seq; };

struct dfi_entry {
    struct dfi_block_head head;
    struct dfi_region region;
    struct dfi_ref writer;          /* the last task with exclusive write access to exactly this region */
    struct dfi_ref *readers;        /* later tasks that share the region, all in the same access mode */
    unsigned kind;                  /* their access mode: DFI_IN, DFI_COMMUTE, DFI_CONCURRENT, DFI_REDUCE */
    struct dfi_group *group;        /* group of the commuting or reducing tasks */
    struct dfi_place *place;        /* the current version if the region was renamed (more/rename.h), or NULL */
    struct dfi_place *places;       /* all versions of this region, including the original one */
    unsigned n_readers, max_readers;
    struct dfi_ref few_readers[2];
    struct dfi_entry **over;         /* overlapping entries; lowest bit: contained in it */
    unsigned n_over, max_over;
    unsigned priority, dead;
    size_t listed, kept;            /* IDs of the predicates that last listed the region, and that last saved its
                                     * contents */
    struct dfi_entry *all, *chain;   /* list of all entries; hash chain */
    struct dfi_entry *left, *right;  /* treap, ordered by region.p */
    uintptr_t reach;                /* the largest end in this subtree */
};

struct dfi_table {
    struct dfi_block_head head;
    struct dfi_entry *all, *root;
    struct dfi_entry **bucket;       /* NULL while the table is small */
    size_t mask, count, sweep_at;
    size_t unsettled;               /* entries with an open reduction or a renamed version */
    struct dfi_g_item *graph;       /* the scope in the drawing of DF_GRAPH (observe/graph/graph.h), or NULL */
};

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
struct dfi_weak {
    struct dfi_block_head head;
    struct dfi_flow *task;                 /* submitting worker: the task that currently uses this record */
    size_t seq;
    const struct dfi_access *last_access;  /* submitting worker: the newest part, to avoid duplicates */
    size_t last_birth;
    /* protects the parts and the released regions: submitting worker against the worker that runs the task */
    DFI_ATOMIC(int) lock;
    struct dfi_part *parts;
    int closed;                            /* the body is over, and no part may be added */
    int at_once;                           /* the task runs inside its submission, for an observer: it has no
                                            * predecessors */
    unsigned n_released;
    struct { struct dfi_flow *task; struct dfi_region region; } released[DFI_RELEASES];
    /* worker that runs the task */
    struct dfi_edge *late;                 /* successors for which memory was lacking: released at the end of the
                                            * task */
    unsigned n_gates, n_strong;            /* also written by the submitting worker, before the task runs */
    struct { struct dfi_flow *task; size_t seq; struct dfi_region region; } gate[DFI_PARAMETERS];
    struct dfi_region strong[DFI_PARAMETERS];
};

/* --- groups of tasks that share a region (more/group.h) --------------------------------------------------- */
struct dfi_group {
    struct dfi_block_head head;
    struct dfi_worker *owner;       /* owner of the scope */
    /* members are counted like the children of a scope: docs/memory-order.md, "Groups" */
    intptr_t joined, done;          /* owner, while open */
    int open;
    int deterministic;
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

/* --- predicates of speculation (more/speculate/predicate.h) ------------------------------------------------ */
enum { DFI_GUESS_OPEN, DFI_GUESS_RIGHT, DFI_GUESS_WRONG };
struct dfi_guess {
    struct dfi_guess *outer;        /* the predicate of the enclosing block, which this one keeps alive, or NULL */
    struct dfi_scope *scope;
    const void *p;                  /* address of the condition */
    size_t bytes;
    int guess;
    /* owner of the scope only */
    struct dfi_guess *next, *older; /* predicates of the same loop */
    size_t id;                      /* unique in its scope */
    struct dfi_ref decision;
    struct dfi_region *region;      /* regions written by its tasks */
    unsigned n_regions, max_regions;
    int incomplete;                 /* memory to list a region was lacking */
    char line[DFI_LINE];
    DFI_ATOMIC(intptr_t) state;     /* DFI_GUESS_OPEN ..; resolved once */
    DFI_ATOMIC(intptr_t) refs;
    DFI_ATOMIC(struct dfi_kept *) kept;
    DFI_ATOMIC(struct dfi_error *) error;
};

/* --- workers ----------------------------------------------------------------------------------- */
struct dfi_item { /* an entry of the public deque */
    DFI_ATOMIC(void *) entry;
    DFI_ATOMIC(struct dfi_scope *) scope;
};
enum { DFI_DEQUE_SIZE = 512 }; /* initial capacity of the public deque; a power of two */
/* The array of a deque. The owner replaces it by a larger one while thieves may still read the previous one. */
struct dfi_ring {
    size_t mask;             /* capacity - 1 */
    struct dfi_item *item;
    struct dfi_ring *before; /* owner: freed with the worker */
};

/* Tag bits of the entries of a worker's stack; futures and tasks are at least 8-byte aligned. A NULL entry is a hole,
 * left by a future that was synced out of order. */
#define DFI_FLOW ((uintptr_t)2)   /* a task of df_submit */
#define DFI_PUBLIC ((uintptr_t)1) /* the entry is also in the public deque */

/* States of a future that has left its spawner's list (dfi_future.link): its index on the stack (there or public), a
 * scope (a thief runs it), DFI_F_RUNNING (it runs, and memory for a scope was lacking), DFI_F_DONE. The states are
 * small numbers, not addresses, because a program may hold several copies of this code. */
#define DFI_F_RUNNING ((void *)(uintptr_t)1)
#define DFI_F_DONE ((void *)(uintptr_t)2)
#define DFI_F_AT(at) ((void *)((uintptr_t)(at) << 2 | 3))
#define DFI_F_IS_AT(link) (((uintptr_t)(link) & 3) == 3)

enum { DFI_ATTACHED = 1, DFI_LEAVES };
/* dfi_worker.asleep: awake; asleep until an action outside df; asleep in df_retry; asleep in df_retry without any
 * task left that could wake it. */
enum { DFI_NOT_ASLEEP, DFI_ASLEEP, DFI_ASLEEP_RETRY, DFI_ASLEEP_STUCK };
enum { DFI_LOOPS_ALONE = 4 }; /* nested loops; deeper ones are offered to other workers when they begin */

enum { DFI_AWAKE, DFI_PARKED_IDLE, DFI_PARKED_WAITING, DFI_PARKED_SPARE };

/* DF_DEBUG, DF_CHECK: the name of a future on the stack, and the source line that spawned it, or NULL. Stored here,
 * because the future's own memory may be gone when it is reported. */
struct dfi_spawned { const char *site, *name; };

struct dfi_worker {
    struct dfi_hot hot;
    char line0[DFI_LINE];
    /* owner */
    void **stack;                    /* ready tasks, and futures that left the list hot.top */
    size_t head, room;               /* entries used and allocated */
    size_t limit;                    /* df_config.deque: at more entries, submitted ready tasks run immediately */
    size_t seen_top;                 /* top of the public deque when last read */
    size_t split;                    /* entries below this index are in the public deque, or were stolen */
    struct dfi_scope *scope;         /* innermost scope of the running code */
    struct dfi_flow *task;           /* the task whose body runs and has no scope yet, or NULL */
    size_t task_mark;                /* height of the stack when that body began */
    size_t fixed;                    /* height of the stack when the innermost wait for a future began */
    struct dfi_block_head *free[DFI_CLS_COUNT];
    char *fresh[DFI_CLS_COUNT], *fresh_end[DFI_CLS_COUNT];
    struct dfi_chunk *chunks;
    struct dfi_worker *outbox_home;  /* outbox: freed blocks collected for this home worker */
    struct dfi_block_head *outbox, *outbox_last;
    unsigned outbox_n;
    unsigned victim;                 /* worker from which the last steal succeeded */
    uint32_t random;
    uintptr_t next_id;
    int index;                       /* 0 .. df_workers()-1; threads of the program have larger indices */
    const struct df_opts *opts;      /* options of the df_submit_with in progress */
    const char *opts_site;
    int ran_now;                     /* that task ran immediately */
    int bare;                        /* memory for a record of the task that runs next in dfi_run_now is lacking
                                      * (dfi_task_new) */
    const struct dfi_flow *at_once;  /* a task that has a record for an observer, but runs when it is submitted */
#if DF_CHECK
    /* addresses on the thread's stack: where the innermost body begins; the caller of the last df function; the deepest
     * of these */
    uintptr_t body, call, deepest;
#endif
#if DFI_CHECK_ASAN
    int in_turn, blocks, pauses;     /* it has a turn (observe/check/turn.h); is in df_yield_blocking; number of nested
                                      * waits */
    uint64_t turn;
    struct dfi_check_view *view, bottom_view; /* view of the running or waiting code on top of the stack */
#endif
    struct dfi_steady *steady;       /* learnt task sequences of its scopes (more/taskgraph/steady.h) */
    struct dfi_flow *reg_task;       /* the task and the access that are being registered */
    const struct dfi_access *reg_access;
    size_t let_pass;                 /* submissions beyond the window before it checks again (dfi_throttle_streams) */
    unsigned outside;                /* has run a task from outside the scope that it waits for (dfi_find_outside) */
    void *kernel;                    /* state cached between kernels with barriers (gpu/host/host.h), or NULL */
    void (*kernel_free)(void *);
    const void *now;                 /* the task, or else the scope, that runs a task immediately (dfi_run_now) */
    unsigned nest;                   /* nesting depth of tasks that run inside df_submit (work/nest.h) */
    size_t look_stamp;               /* more/deadlock.h: progress at the last check, and the number of checks since
                                      * without progress */
    int looks;
    DFI_ATOMIC(struct dfi_running *) running; /* the body on top of the stack, if dfi_watched(); written by the owner */
    struct dfi_event_pen pen;
    struct dfi_perf_group perf;
    struct dfi_os_mutex watch_lock;  /* also protects changes of `running` while stalls are watched
                                      * (observe/stall/waits.h) */
    struct dfi_wait *waits;         /* watch lock: the innermost wait of the owner */
    const void *thread_id;           /* watch lock: ID of the owner's thread */
    const char *wait_site;           /* owner: source line of the next wait, or NULL */
    size_t kept;                     /* split after the last dfi_forget_stolen, which keeps the marks of futures if
                                      * there are sites */
    struct dfi_spawned *sites;       /* DF_DEBUG, DF_CHECK: parallel to the stack */
    /* statistics: written by the owner, read by any thread, relaxed */
    DFI_ATOMIC(size_t) n_tasks, n_edges, n_steals, n_parks, n_skipped, n_renamings, n_copies, n_events,
        n_speculated, n_undone, n_changes;
    DFI_ATOMIC(int) level;           /* nesting depth of blocks and task bodies */
    DFI_ATOMIC(int) retry_awake;     /* in df_retry: memory that it read has changed, so it is about to continue */
    /* DFI_ASLEEP_..: the kind of blocking call in which it sleeps, with a spare in its place */
    DFI_ATOMIC(int) asleep;
    uint64_t draws, clock;           /* observe/schedule/chaos.h: numbers drawn so far; virtual time so far */
    struct dfi_worker *baton_next;   /* observe/schedule/baton.h: next worker in the queue for the baton; protected by
                                      * its lock */
    DFI_ATOMIC(int) baton_asks;      /* it waits for the baton */
    long thread_number;              /* baton lock: ID of the thread that last waited with it (dfi_os_thread_number),
                                      * or 0 */
    char line1[DFI_LINE];
    /* the public deque: the owner works at the bottom, thieves at the top */
    DFI_ATOMIC(size_t) bottom;
    char line2[DFI_LINE];
    DFI_ATOMIC(size_t) top;
    char line3[DFI_LINE];
    DFI_ATOMIC(struct dfi_block_head *) returned; /* blocks returned by other workers */
    char line4[DFI_LINE];
    DFI_ATOMIC(int) park;
    /* DFI_ATTACHED: in use by a thread; DFI_LEAVES: that thread is about to end. Written under the pool lock */
    DFI_ATOMIC(int) attached;
    DFI_ATOMIC(int) helper;          /* it is a helper thread; written under the pool lock */
    int spare;                       /* index of a spare helper, beyond the workers */
    int pin;                         /* helper: the CPU to run on, or -1 */
    void *allocated;
    struct dfi_os_event event;
    struct dfi_os_thread thread;
    struct dfi_queue pinned;         /* ready tasks pinned to this worker */
    int blocking;                    /* owner: number of times it is counted in dfi_pool.blocked */
    size_t watched_loops;            /* owner: dfi_loops_begun when last read */
    char line5[DFI_LINE];
    /* loops that the owner runs alone (more/loop/alone.h), outermost first: the address of each, or 0. The watcher
     * sets the lowest bit when it offers the loop to other workers. */
    DFI_ATOMIC(uintptr_t) alone[DFI_LOOPS_ALONE];
    DFI_ATOMIC(size_t) alone_began[DFI_LOOPS_ALONE]; /* ID of the loop; written by the owner */
    DFI_ATOMIC(size_t) alone_seen[DFI_LOOPS_ALONE];  /* the ID seen last; written by the watcher */
    DFI_ATOMIC(struct dfi_scope *) stolen; /* the innermost scope of a stolen future that the owner runs, or NULL */
    DFI_ATOMIC(size_t) n_loops;      /* loops begun alone so far; written by the owner */
    unsigned n_alone;                /* owner */
    char line6[DFI_LINE];
    struct dfi_os_mutex held_lock;
    struct dfi_extra *held;          /* tasks submitted by this worker that wait for tokens or inputs */
    DFI_ATOMIC(struct dfi_ring *) ring; /* array of the public deque */
    struct dfi_ring first_ring;
    struct dfi_item item[DFI_DEQUE_SIZE]; /* entries of first_ring */
};

/* --- waits (work/wait.h) ---------------------------------------------------------------------- */
enum dfi_wait_kind {
    DFI_WAIT_IDLE,      /* of a helper, for work */
    DFI_WAIT_SCOPE,     /* on: its own scope */
    DFI_WAIT_ROOM,      /* on: its own scope, until fewer of its children are unfinished */
    DFI_WAIT_TASK,      /* df_wait_on; on: an internal task, the successor of the awaited tasks */
    DFI_WAIT_FUTURE,    /* on: a future */
    DFI_WAIT_TOKEN,     /* on: a token */
    DFI_WAIT_TEAM,      /* for the other members of a loop or pipe */
    DFI_WAIT_GUESS,     /* for the condition of a df_speculate block */
    DFI_WAIT_QUIET,     /* nested in a wait that another record describes */
    DFI_WAIT_LOCK,      /* on: a df_mutex */
    DFI_WAIT_OUTSIDE,   /* on: a description, for an event outside df */
    DFI_WAIT_MEMBER     /* not a wait: the worker takes part in a loop or pipe */
};
/* A wait of a worker. Lives on the stack of its thread. */
struct dfi_wait {
    enum dfi_wait_kind kind;
    const void *on;
    const char *site;             /* or NULL */
    void *block;                  /* the suspended atomic block, or NULL */
    uint64_t began;               /* start time, or 0 if it is not measured */
    uint64_t since;               /* start in dfi_ticks while stalls are watched, else 0 */
    struct dfi_wait *outer;       /* the wait in which this one is nested, or NULL */
    const struct dfi_running *in; /* the body that waits, or NULL */
};

/* --- teams: loops and pipes that workers may join (work/team.h) ------------------------------------------ */
struct dfi_team {
    struct dfi_team *next;          /* board lock */
    struct dfi_worker *owner;       /* the worker that began it, and waits for its end */
    struct dfi_scope *scope;        /* the scope that contains the work of the members */
    /* is there work for another member? under the board lock, any thread */
    int (*wants)(struct dfi_team *);
    void (*work)(struct dfi_worker *w, struct dfi_team *); /* runs a member until no work is left */
    int most;                       /* board lock: maximum number of members */
    DFI_ATOMIC(intptr_t) members;   /* workers in `work`, except the owner */
    DFI_ATOMIC(int) lost;           /* the thread of a member ended in its part */
};
struct dfi_board {
    struct dfi_os_mutex lock;
    struct dfi_team *first;         /* the oldest team: its remaining work is largest */
    DFI_ATOMIC(int) count;
};

enum { DFI_MAX_WORKERS = 512 };

/* The slot of w in the pool: the only identification of a worker that is the same in another run. */
DFI_UNUSED static unsigned dfi_slot_of(const struct dfi_worker *w)
{
    return (unsigned)((w->next_id - 1) % DFI_MAX_WORKERS);
}

/* Values of `stopping`: df_stop lets helpers finish their work, the end of the process does not. */
enum { DFI_STOP_WHEN_DONE = 1, DFI_STOP_NOW = 2 };

/* The one pool of the process. */
struct dfi_pool {
    int n_workers, n_cpus, fork_handlers;
    DFI_ATOMIC(int) running;                  /* 1 between start and stop */
    DFI_ATOMIC(int) stopping;
    DFI_ATOMIC(int) n_slots;                  /* slots [0, n_slots) may hold a worker */
    DFI_ATOMIC(struct dfi_worker *) slot[DFI_MAX_WORKERS];
    size_t deque, window, rename_bytes, stack_bytes;
    int capture;                              /* df_config.capture */
    int defer, deterministic, patience, speculate;
    unsigned chaos;                           /* seed of df_config.schedule, or 0 */
    DFI_ATOMIC(int) run_now;                  /* neither `defer` nor `deterministic`, no streams and no devices */
    DFI_ATOMIC(int) devices;                  /* devices of df_gpu.h in use */
    /* device failures so far: data that existed only on a failed device are lost */
    DFI_ATOMIC(int) device_errors;
    char line0[DFI_LINE];
    DFI_ATOMIC(int) parked_idle, parked_waiting;
    char line1[DFI_LINE];
    DFI_ATOMIC(int) spinning;                 /* idle helpers that look for work */
    /* a sleeping helper watches the loops that workers run alone (more/loop/alone.h) */
    DFI_ATOMIC(int) watcher;
    char line2[DFI_LINE];
    DFI_ATOMIC(int) alive;                    /* helper threads that have not ended */
    struct dfi_os_event ended;                /* signals changes of `alive` at the end of the process */
    int ended_made;                           /* pool lock */
    struct dfi_queue queue;                   /* ready tasks with a priority, or made ready by threads without a
                                               * worker */
    struct dfi_board board;                   /* teams that take members */
    /* tasks pinned to a worker, or tasks with weak accesses, have been submitted */
    DFI_ATOMIC(int) particular;
    /* cancelled scopes and groups, plus 1 with devices; at 0, tasks skip the check */
    DFI_ATOMIC(int) cancels;
    DFI_ATOMIC(int) held;                     /* tasks that wait for tokens, inputs or streams */
    DFI_ATOMIC(int) streams;                  /* existing streams */
    DFI_ATOMIC(size_t) events;                /* signals by threads without a worker so far */
    DFI_ATOMIC(size_t) renamed;               /* bytes in private buffers */
    DFI_ATOMIC(size_t) stamps;                /* undo records of speculative tasks so far */
    DFI_ATOMIC(int) blocked;                  /* workers in df_yield_blocking or waiting for a df_mutex */
    DFI_ATOMIC(int) spares;                   /* existing helpers beyond n_workers */
    struct dfi_os_affinity affinity;          /* of the starting thread; df_stop restores it */
    int affinity_set;
    struct dfi_chunk *before_fork;            /* in a forked child: memory of the parent's workers */
    const void *module;                       /* an address in the module whose code started the pool */
    void *rooms;                              /* list of all worker memory, newest first, visible to leak checkers */
};

DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_os_mutex dfi_pool_lock; /* protects start, stop, attach, detach */
extern DFI_API struct dfi_pool dfi_pool;
/* errors for which memory was lacking; never freed */
extern DFI_API struct dfi_error dfi_error_unsaid, dfi_error_unkept;
extern DFI_API const struct dfi_gpu_hook *dfi_gpu_hook; /* NULL without df_gpu.h; set before any task runs */
DFI_EXTERN_C_END

#endif
