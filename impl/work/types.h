/* types.h - the records of the runtime: worker, scope, task, region, pool
 *
 * Who may touch a field is said once per group. "owner" is the thread the worker belongs to. */
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

enum { DFI_LINE = 64 }; /* bytes two threads must be apart not to disturb each other */

/* --- recyclable blocks (work/blocks.h) --------------------------------------------------------- */
enum { DFI_CLS_SCOPE, DFI_CLS_EDGES, DFI_CLS_ENTRY, DFI_CLS_TABLE, DFI_CLS_EXTRA, DFI_CLS_USE, DFI_CLS_GROUP, DFI_CLS_WEAK,
       DFI_CLS_PART, DFI_CLS_TASK, DFI_CLS_COUNT = DFI_CLS_TASK + 8 };

/* --- tasks (flow/task.h) ------------------------------------------------------------------------ */
struct dfi_edge { /* one successor of a task; lives in the successor */
    struct dfi_edge *next;
    struct dfi_flow *task;
};
enum { DFI_EDGES_INLINE = 3, DFI_EDGES_BLOCK = 14 };
struct dfi_edges { /* more of them */
    struct dfi_block_head head;
    struct dfi_edges *next;
    struct dfi_edge edge[DFI_EDGES_BLOCK];
};

/* A task of df_submit. Its memory is only ever reused for tasks of the worker that submitted it, so
 * that worker can tell by `seq` whether a task it remembers is still the same one. */
struct dfi_flow {
    struct dfi_task task;                 /* first: the part the generated code sees */
    const struct dfi_type *type;
    struct dfi_scope *scope;              /* whose child it is; owner of that scope: who submitted it */
    DFI_ATOMIC(struct dfi_edge *) succ;   /* pushed by the scope's owner, closed by whoever completes it */
    DFI_ATOMIC(intptr_t) wait;            /* predecessors not yet done, plus DFI_GUARD while registering */
    unsigned n_edges;
    DFI_ATOMIC(unsigned) skip;            /* DFI_SKIPPED: it or what it depends on was cancelled; DFI_SPOILS, or 0 */
    size_t birth;                         /* its number among the children of its scope */
    size_t seq;                           /* submitter only: which use of this memory this is */
    struct dfi_flow *last_succ;           /* submitter only: the newest successor, against double edges */
    struct dfi_edges *more;
    struct dfi_extra *extra;              /* valid if task.mem.special */
#if DF_CHECK
    struct dfi_checked checked[16];       /* its accesses */
    unsigned n_checked;
    const char *site;                     /* where it was submitted, or NULL */
    struct dfi_check_entry *declared;      /* by tasks that its body submitted (observe/check/view.h) */
#endif
    struct dfi_weak *parts;               /* submitter only: its successors come after parts of it (more/weak.h) */
};
#define DFI_DONE_EDGE ((struct dfi_edge *)(uintptr_t)1) /* succ of a task that is done */
#define DFI_OF_PLAN ((uintptr_t)2)                         /* a bit of succ: it is the address of a plan (more/taskgraph/run.h) */
#define DFI_GUARD ((intptr_t)1 << 28)
/* DFI_SPOILS: was not run, its scope remembers it until it waits, and who comes later is not to be run either. */
enum { DFI_SKIPPED = 1, DFI_SPOILS };

/* What a reducing task accumulates into: the region itself, or a private copy. */
struct dfi_copy {
    struct dfi_copy *next;
    DFI_ATOMIC(int) busy;
    DFI_ATOMIC(struct dfi_worker *) worker; /* who used it last */
    char *p;
    struct dfi_flow *task;          /* deterministic: whose contribution it is, and which */
    size_t turn;
};

/* What a task takes part in besides edges: a lock or a reduction, or a token it signals or waits for. */
struct dfi_use {
    struct dfi_block_head head;
    struct dfi_use *next;
    struct dfi_group *group;
    struct dfi_copy *copy;                /* reduction: what the task accumulates into, while it runs */
    struct df_token *token;
    unsigned arg;                         /* offset in the argument record */
    struct dfi_copy own;                  /* deterministic reduction: this task's contribution, */
    union { char bytes[32]; long double align; void *pointer; } room; /* here if it is small */
};

enum { DFI_ON_STACK = 2 }; /* dfi_task.mem.special: it is on the stack of who runs it, as yet (more/stream/task.h) */

/* What few tasks have. */
struct dfi_extra {
    struct dfi_block_head head;
    struct dfi_flow *task;
    struct dfi_use *locks;                /* commuting accesses, by address of the group */
    struct dfi_use *reductions, *signals, *after;
    struct dfi_use *to_lock;              /* the first lock it does not hold yet */
    struct dfi_extra *lock_wait;          /* the next in the queue of a lock */
    int locked;                           /* it holds all of them */
    int priority, pin;                    /* pin: index of a worker, or -1 */
    const char *name, *site;
    struct df_group *group;
    DFI_ATOMIC(intptr_t) unmerged;        /* deterministic reductions not yet combined, plus 1 while it completes */
    struct dfi_extra *child, *sibling, *before; /* in a queue (work/queue.h) */
    uint64_t order;
    struct dfi_extra *held_next, *held_before;  /* in the list of tasks that wait for tokens or inputs */
    struct dfi_worker *held_by;
    int inputs;                           /* a node: how many it has */
    const char *titles;
    DFI_ATOMIC(uintptr_t) given;
    struct dfi_weak *weak;                /* its successors come after parts of it (more/weak.h), or NULL */
    struct dfi_window *windows;           /* on streams (more/stream/ring.h), in the order of the parameters */
    void **window_array;                  /* memory for the pointers to them that the body gets as arrays, or NULL */
    DFI_ATOMIC(intptr_t) windows_missing; /* how many of them may not be entered yet */
    uint64_t began;                       /* not 0: how long the body takes is to be measured; when it began */
    struct dfi_access *noted;             /* while there are devices: its accesses (flow/devices.h), or NULL */
    unsigned n_noted;
    int device;                           /* df_opts.device */
    struct dfi_g_item *graph;             /* what DF_GRAPH has of it (observe/graph/graph.h), or NULL */
    struct dfi_guess *guess;              /* that it counts under (more/speculate/predicate.h), or NULL */
    struct dfi_kept *kept;                /* room for what it is going to overwrite, or NULL */
    DFI_ATOMIC(int) gate;                 /* a gate: 2 while its own end and the task it belongs to are to come, 1 */
    const struct dfi_flow *gate_of;       /* a gate of a weak access: the task it belongs to */
};

#define DFI_INTERNAL 0x80000000u /* in dfi_type.modes: a task of df itself, not counted and never cancelled */

/* A ready task that may not go where ready tasks usually go waits here, best priority first. */
struct dfi_queue {
    struct dfi_os_mutex lock;
    struct dfi_extra *best;               /* pairing heap; under the lock */
    uint64_t order;
    DFI_ATOMIC(int) count;
    DFI_ATOMIC(int) urgent;               /* those of priority 0 and more */
};

enum { DFI_SCOPE_ROOM = 128 }; /* bytes; a recursive task with a few temporaries needs no malloc */

/* --- scopes (work/scope.h) ---------------------------------------------------------------------- */
/* A DF_PARALLEL block, the body of a task that has children, a stolen future while it runs, or the
 * bottom of a thread. Type-stable memory: thieves may look at the atomic fields of a scope that has
 * just ended, and find out by a failing compare-and-swap that they did. */
struct dfi_scope {
    struct dfi_block_head head;
    DFI_ATOMIC(struct dfi_scope *) parent; /* the scope it is part of; NULL at the bottom */
    DFI_ATOMIC(uintptr_t) depth;           /* 0 at the bottom, parent's + 1 otherwise */
    DFI_ATOMIC(uintptr_t) id;              /* which use of this memory this is */
    DFI_ATOMIC(size_t) birth;              /* its place among the children of the parent */
    struct dfi_worker *owner;              /* who runs its body; constant while it has children */
    /* owner only, while the body runs */
    struct dfi_scope *outer;               /* the scope below it on the owner's stack */
    size_t mark;                           /* height of the owner's stack at its start */
    struct dfi_flow *saved_task;           /* the owner's `task` and `task_mark` at its start */
    size_t saved_mark;
    size_t submitted, done;                /* children created; children completed by the owner while open */
    size_t births;                         /* children so far */
    int open;                              /* owner may count in `done` instead of `pending` */
    struct dfi_table *table;
    struct dfi_local *locals;
    const char *site;                      /* where the block was opened */
    struct dfi_flow *task;                 /* the task to complete with the last child, or NULL */
    int kind;                              /* DFI_BOTTOM .. DFI_STOLEN */
    struct df_group *group;                /* of the task whose body it is */
    struct dfi_flow *gated;                /* the task with weak accesses that it is in the body of, or NULL */
    struct dfi_guess *guess;               /* that its new children count under, or NULL */
    struct dfi_capture *capture;           /* what knows its new children (more/taskgraph/list.h), or NULL */
    struct dfi_team *team;                 /* DFI_STOLEN: what the owner takes part in; NULL: it runs a future, */
    DFI_ATOMIC(struct dfi_future *) future; /* this one, */
    DFI_ATOMIC(struct dfi_worker *) victim; /* of that worker */
    DFI_ATOMIC(struct dfi_scope *) under;  /* the next of a stolen future below it (work/thread_end.h) */
    struct dfi_guess *within;              /* that the task whose body it is counts under; constant, for anybody */
    size_t guesses;                        /* so far */
    DFI_ATOMIC(int) cancelled;
    DFI_ATOMIC(int) launched;              /* 1 more than dfi_pool.device_errors at the first launch in it since it last waited; 0: none */
    DFI_ATOMIC(struct dfi_error *) error;  /* the first one */
    DFI_ATOMIC(struct dfi_block_head *) spoilt; /* children that spoil what comes later; pushed by whoever completes them */
#if DF_CHECK
    struct dfi_check_variable *variable;   /* of the code of the scope, that its children access */
    unsigned n_variables, room_variables;
    struct dfi_check_entry *declared;       /* of a thread: by tasks submitted outside of all tasks */
    uintptr_t items, items_end;            /* of a pipe: memory of its items, which a stage may give to its children */
#endif
    size_t room_used;
    union { char bytes[DFI_SCOPE_ROOM]; long double align; void *pointer; } room; /* for small df_local */
    char line[DFI_LINE];
    /* Minus the children completed by others while open; after closing, the children outstanding
     * (plus DFI_ENDED when the body is over). Argument: docs/memory-order.md, "Scopes". */
    DFI_ATOMIC(intptr_t) pending;
};
#define DFI_ENDED ((intptr_t)1 << 29)
enum { DFI_BOTTOM, DFI_BLOCK, DFI_BODY, DFI_STOLEN }; /* of a thread; DF_PARALLEL; a task; a stolen future */
struct dfi_error { int code; char text[DFI_ERROR_TEXT]; struct dfi_exception threw; };

/* --- regions of a scope (flow/table.h) ------------------------------------------------------------ */
/* A task as remembered by the scope that submitted it: the memory may have been used again since. */
struct dfi_ref { struct dfi_flow *task; size_t seq; };

struct dfi_entry {
    struct dfi_block_head head;
    struct dfi_region region;
    struct dfi_ref writer;          /* the last task that wrote exactly this region alone */
    struct dfi_ref *readers;        /* tasks that shared it since, all in the same mode */
    unsigned kind;                  /* that mode: DFI_IN, DFI_COMMUTE, DFI_CONCURRENT, DFI_REDUCE */
    struct dfi_group *group;        /* of the commuting or reducing tasks */
    struct dfi_place *place;        /* where the value is if it was renamed (more/rename.h), or NULL */
    struct dfi_place *places;       /* all places of this region, the original one included */
    unsigned n_readers, max_readers;
    struct dfi_ref few_readers[2];
    struct dfi_entry **over;         /* entries that share a byte with it; lowest bit: contained in it */
    unsigned n_over, max_over;
    unsigned priority, dead;
    size_t listed, kept;            /* numbers of the guesses that last listed the region, and kept what was there */
    struct dfi_entry *all, *chain;   /* list of all entries; hash chain */
    struct dfi_entry *left, *right;  /* treap by region.p */
    uintptr_t reach;                /* largest end in this subtree */
};

struct dfi_table {
    struct dfi_block_head head;
    struct dfi_entry *all, *root;
    struct dfi_entry **bucket;       /* NULL while the table is small */
    size_t mask, count, sweep_at;
    size_t unsettled;               /* entries with an open reduction or a renamed value */
    struct dfi_g_item *graph;       /* what DF_GRAPH has of the scope (observe/graph/graph.h), or NULL */
};

/* --- tasks that are finer than whole (more/weak.h) ------------------------------------------------- */
/* A successor in terms of the region it needs; its edge lies in the successor. */
struct dfi_part {
    struct dfi_block_head head;
    struct dfi_part *next;
    struct dfi_edge *edge;
    struct dfi_region region;
    unsigned mode;
};

enum { DFI_RELEASES = 16 }; /* regions released one by one; more are released at the end */
struct dfi_weak {
    struct dfi_block_head head;
    struct dfi_flow *task;                 /* submitter only: whose it is now */
    size_t seq;
    const struct dfi_access *last_access;  /* submitter only: the newest part, against doubles */
    size_t last_birth;
    DFI_ATOMIC(int) lock;                  /* of the parts and what is released: submitter against who runs the task */
    struct dfi_part *parts;
    int closed;                            /* the body is over: no more parts */
    int at_once;                           /* it runs inside its submission, as somebody looks on: no task comes before it */
    unsigned n_released;
    struct { struct dfi_flow *task; struct dfi_region region; } released[DFI_RELEASES];
    /* who runs the task */
    struct dfi_edge *late;                 /* successors for which there was no memory: at its end */
    unsigned n_gates, n_strong;            /* and the submitter, before */
    struct { struct dfi_flow *task; size_t seq; struct dfi_region region; } gate[DFI_PARAMETERS];
    struct dfi_region strong[DFI_PARAMETERS];
};

/* --- tasks that share a region (more/group.h) ------------------------------------------------------- */
struct dfi_group {
    struct dfi_block_head head;
    struct dfi_worker *owner;       /* of the scope */
    /* members are counted like children of a scope: docs/memory-order.md, "Groups" */
    intptr_t joined, done;          /* owner, while open */
    int open;
    int deterministic;
    /* reductions */
    struct dfi_region region;
    void (*combine)(void *into, const void *from, size_t n);
    size_t size;
    const void *key;
    size_t turns;                   /* owner: contributions so far */
    struct dfi_copy first;          /* the region itself */
    DFI_ATOMIC(struct dfi_copy *) copies; /* all, the newest first */
    DFI_ATOMIC(struct dfi_extra *) starved; /* tasks that wait for a copy, without memory for one */
    DFI_ATOMIC(struct dfi_copy *) handed;   /* deterministic: contributions that came in */
    DFI_ATOMIC(int) merging;
    DFI_ATOMIC(size_t) merged;      /* written by whoever set `merging` */
    struct dfi_copy *sorted;        /* whoever set `merging` */
    char line[DFI_LINE];
    DFI_ATOMIC(intptr_t) left;
    /* commuting: NULL free, DFI_LOCK_HELD, or the newest of the tasks that wait */
    DFI_ATOMIC(struct dfi_extra *) lock;
    struct dfi_extra *waiting;      /* holder: the others, oldest first */
};
#define DFI_LOCK_HELD ((struct dfi_extra *)(uintptr_t)1)

/* --- guesses (more/speculate/predicate.h) ---------------------------------------------------------------- */
enum { DFI_GUESS_OPEN, DFI_GUESS_RIGHT, DFI_GUESS_WRONG };
struct dfi_guess {
    struct dfi_guess *outer;        /* of the block around, which it holds, or NULL */
    struct dfi_scope *scope;
    const void *p;                  /* the condition */
    size_t bytes;
    int guess;
    /* owner of the scope only */
    struct dfi_guess *next, *older; /* turns of the same loop */
    size_t id;                      /* in its scope */
    struct dfi_ref decision;
    struct dfi_region *region;      /* written by its tasks */
    unsigned n_regions, max_regions;
    int incomplete;                 /* there was no memory to list one */
    char line[DFI_LINE];
    DFI_ATOMIC(intptr_t) state;     /* DFI_GUESS_OPEN ..; stored once */
    DFI_ATOMIC(intptr_t) refs;
    DFI_ATOMIC(struct dfi_kept *) kept;
    DFI_ATOMIC(struct dfi_error *) error;
};

/* --- workers ----------------------------------------------------------------------------------- */
struct dfi_item { /* an entry of the public deque */
    DFI_ATOMIC(void *) entry;
    DFI_ATOMIC(struct dfi_scope *) scope;
};
enum { DFI_DEQUE_SIZE = 512 }; /* entries of the public deque at first; a power of two */
/* Where the entries of a deque are. The owner replaces it by a larger one; thieves may still read the one before. */
struct dfi_ring {
    size_t mask;             /* its size - 1 */
    struct dfi_item *item;
    struct dfi_ring *before; /* owner: freed with the worker */
};

/* Marks in entries of a worker's stack; futures and tasks are at least 8-byte aligned. NULL is a hole:
 * a future that was synced out of order. */
#define DFI_FLOW ((uintptr_t)2)   /* a task of df_submit */
#define DFI_PUBLIC ((uintptr_t)1) /* also in the public deque */

/* States of a future that left its spawner's list (dfi_future.link): its place on the stack (there, or
 * public), a scope (running on a thief), DFI_F_RUNNING (running, without memory for a scope),
 * DFI_F_DONE. Small numbers, not addresses: a program may hold several copies of this code. */
#define DFI_F_RUNNING ((void *)(uintptr_t)1)
#define DFI_F_DONE ((void *)(uintptr_t)2)
#define DFI_F_AT(at) ((void *)((uintptr_t)(at) << 2 | 3))
#define DFI_F_IS_AT(link) (((uintptr_t)(link) & 3) == 3)

enum { DFI_ATTACHED = 1, DFI_LEAVES };
/* dfi_worker.asleep: no; until something is done that the program does; in df_retry; the same, and nothing will come. */
enum { DFI_NOT_ASLEEP, DFI_ASLEEP, DFI_ASLEEP_RETRY, DFI_ASLEEP_STUCK };
enum { DFI_LOOPS_ALONE = 4 }; /* loops in one another; a deeper one is offered when it begins */

enum { DFI_AWAKE, DFI_PARKED_IDLE, DFI_PARKED_WAITING, DFI_PARKED_SPARE };

/* DF_DEBUG, DF_CHECK: where a future on the stack was spawned, or NULL if that is not known, and its task. Kept here, as the future's own
 * memory may be gone when it is reported. */
struct dfi_spawned { const char *site, *name; };

struct dfi_worker {
    struct dfi_hot hot;
    char line0[DFI_LINE];
    /* owner only */
    void **stack;                    /* ready tasks, and futures that left the list hot.top */
    size_t head, room;               /* entries used and allocated */
    size_t limit;                    /* df_config.deque: beyond it what submit finds ready is run at once */
    size_t seen_top;                 /* top of the public deque when last looked at */
    size_t split;                    /* entries below are in the public deque, or were stolen */
    struct dfi_scope *scope;         /* innermost scope of what the owner runs */
    struct dfi_flow *task;           /* the task whose body runs and has no scope yet, or NULL */
    size_t task_mark;                /* height of the stack when that body began */
    size_t fixed;                    /* height of the stack when the innermost wait for a future began */
    struct dfi_block_head *free[DFI_CLS_COUNT];
    char *fresh[DFI_CLS_COUNT], *fresh_end[DFI_CLS_COUNT];
    struct dfi_chunk *chunks;
    struct dfi_worker *outbox_home;  /* blocks to hand back to that worker, collected */
    struct dfi_block_head *outbox, *outbox_last;
    unsigned outbox_n;
    unsigned victim;                 /* where the last steal succeeded */
    uint32_t random;
    uintptr_t next_id;
    int index;                       /* 0 .. df_workers()-1, beyond that threads of the program */
    const struct df_opts *opts;      /* of the df_submit_with that is being executed */
    const char *opts_site;
    int ran_now;                     /* that task was run at once */
    int bare;                        /* there is no memory for a record of the task that dfi_run_now gets next (dfi_task_new) */
    const struct dfi_flow *at_once;  /* has a record as somebody looks on, but is run when it is submitted */
#if DF_CHECK
    uintptr_t body, call, deepest;   /* on the thread's stack: where the innermost body begins, the last call of df came from; the deepest of these */
#endif
#if DFI_CHECK_ASAN
    int in_turn, blocks, pauses;     /* it has a turn (observe/check/turn.h); and is in df_yield_blocking; waits, one in the other */
    uint64_t turn;
    struct dfi_check_view *view, bottom_view; /* of the code that runs, or waits, on top */
#endif
    struct dfi_steady *steady;       /* what its scopes have learnt (more/taskgraph/steady.h) */
    struct dfi_flow *reg_task;       /* the task and access being registered */
    const struct dfi_access *reg_access;
    size_t let_pass;                 /* submissions beyond the window before it looks again (dfi_throttle_streams) */
    unsigned outside;                /* has run something from outside of what it waits for (dfi_find_outside) */
    void *kernel;                    /* what it keeps between kernels with barriers (gpu/host/host.h), or NULL */
    void (*kernel_free)(void *);
    const void *now;                 /* the task or else the scope in which a task runs at once (dfi_run_now) */
    unsigned nest;                   /* tasks that run inside df_submit, one in the other (work/nest.h) */
    size_t look_stamp;               /* more/deadlock.h: what had happened at the last look, and how often since */
    int looks;
    DFI_ATOMIC(struct dfi_running *) running; /* the body on top, if dfi_watched(); written by the owner only */
    struct dfi_event_pen pen;
    struct dfi_perf_group perf;
    struct dfi_os_mutex watch_lock;  /* around changes of `running`, too, while stalls are watched (observe/stall/waits.h) */
    struct dfi_wait *waits;         /* watch lock: what the owner waits for, */
    const void *thread_id;           /* and which thread it is */
    const char *wait_site;           /* owner: where the next wait was asked for, or NULL */
    size_t kept;                     /* split after the last dfi_forget_stolen, which keeps the marks of futures if there are sites */
    struct dfi_spawned *sites;       /* DF_DEBUG, DF_CHECK: parallel to the stack */
    /* read by anybody, relaxed: statistics, written by the owner only */
    DFI_ATOMIC(size_t) n_tasks, n_edges, n_steals, n_parks, n_skipped, n_renamings, n_copies, n_events, n_speculated, n_undone, n_changes;
    DFI_ATOMIC(int) level;           /* blocks and task bodies it is in */
    DFI_ATOMIC(int) retry_awake;     /* in df_retry: somebody has changed what it read, so it is about to go on */
    DFI_ATOMIC(int) asleep;          /* DFI_ASLEEP_..: in which call of df it sleeps, with a spare in its place */
    uint64_t draws, clock;           /* observe/schedule/chaos.h: numbers drawn so far; time shown so far */
    struct dfi_worker *baton_next;   /* observe/schedule/baton.h: who waits, too; under its lock */
    DFI_ATOMIC(int) baton_asks;      /* it waits for the baton */
    long thread_number;              /* baton lock: of the thread that waited with it last (dfi_os_thread_number), or 0 */
    char line1[DFI_LINE];
    /* the public deque: owner at the bottom, thieves at the top */
    DFI_ATOMIC(size_t) bottom;
    char line2[DFI_LINE];
    DFI_ATOMIC(size_t) top;
    char line3[DFI_LINE];
    DFI_ATOMIC(struct dfi_block_head *) returned; /* blocks handed back by others */
    char line4[DFI_LINE];
    /* sleeping */
    DFI_ATOMIC(int) park;
    DFI_ATOMIC(int) attached;        /* a thread is using it: DFI_ATTACHED, or about to end: DFI_LEAVES. Written under the pool lock */
    DFI_ATOMIC(int) helper;          /* pool lock to write: it is a helper thread */
    int spare;                       /* a helper beyond the workers: which */
    int pin;                         /* helper: the CPU to run on, or -1 */
    void *allocated;
    struct dfi_os_event event;
    struct dfi_os_thread thread;
    struct dfi_queue pinned;         /* ready tasks for this worker only */
    int blocking;                    /* owner: how often it is counted in dfi_pool.blocked */
    size_t watched_loops;            /* owner: dfi_loops_begun when it last looked */
    char line5[DFI_LINE];
    /* loops that the owner runs alone (more/loop/alone.h), the outermost first: the address of each, its lowest bit set by
     * the watcher that offers it; 0: none */
    DFI_ATOMIC(uintptr_t) alone[DFI_LOOPS_ALONE];
    DFI_ATOMIC(size_t) alone_began[DFI_LOOPS_ALONE]; /* written by the owner: its number */
    DFI_ATOMIC(size_t) alone_seen[DFI_LOOPS_ALONE];  /* written by the watcher: the number it saw last */
    DFI_ATOMIC(struct dfi_scope *) stolen; /* the innermost scope of a stolen future that the owner runs, or NULL */
    DFI_ATOMIC(size_t) n_loops;      /* begun alone so far; written by the owner */
    unsigned n_alone;                /* owner */
    char line6[DFI_LINE];
    struct dfi_os_mutex held_lock;
    struct dfi_extra *held;          /* tasks it submitted that wait for tokens or inputs */
    DFI_ATOMIC(struct dfi_ring *) ring; /* of the public deque */
    struct dfi_ring first_ring;
    struct dfi_item item[DFI_DEQUE_SIZE]; /* of the first */
};

/* --- waits (work/wait.h) ---------------------------------------------------------------------- */
enum dfi_wait_kind {
    DFI_WAIT_IDLE,      /* of a helper: for work */
    DFI_WAIT_SCOPE,     /* on: a scope of its own */
    DFI_WAIT_ROOM,      /* the same, until fewer of its children are unfinished */
    DFI_WAIT_TASK,      /* df_wait_on; on: df's own task that comes after those waited for */
    DFI_WAIT_FUTURE,    /* on: a future */
    DFI_WAIT_TOKEN,     /* on: a token */
    DFI_WAIT_TEAM,      /* until the other members of a loop or pipe have left it */
    DFI_WAIT_GUESS,     /* until the condition of a df_speculate block is known */
    DFI_WAIT_QUIET,     /* inside of what another record tells */
    DFI_WAIT_LOCK,      /* on: a df_mutex */
    DFI_WAIT_OUTSIDE,   /* on: text: for something outside of df */
    DFI_WAIT_MEMBER     /* no wait: takes part in a loop or pipe */
};
/* A wait of a worker, on the stack of its thread. */
struct dfi_wait {
    enum dfi_wait_kind kind;
    const void *on;
    const char *site;             /* or NULL */
    void *block;                  /* the atomic block that is suspended meanwhile, or NULL */
    uint64_t began;               /* 0: nobody measures it */
    uint64_t since;               /* while stalls are watched: dfi_ticks, else 0; */
    struct dfi_wait *outer;       /* the wait this one is nested in, */
    const struct dfi_running *in; /* and the body that waits, or NULL */
};

/* --- loops and pipes that workers may join (work/team.h) ------------------------------------------ */
struct dfi_team {
    struct dfi_team *next;          /* board lock */
    struct dfi_worker *owner;       /* who began it, and waits for its end */
    struct dfi_scope *scope;        /* what members run is inside it */
    int (*wants)(struct dfi_team *);                      /* is there something to do? board lock, any thread */
    void (*work)(struct dfi_worker *w, struct dfi_team *); /* a member: until there is nothing to do */
    int most;                       /* board lock: no more members than this */
    DFI_ATOMIC(intptr_t) members;   /* workers in `work`, but for the owner */
    DFI_ATOMIC(int) lost;           /* the thread of a member ended in its part */
};
struct dfi_board {
    struct dfi_os_mutex lock;
    struct dfi_team *first;         /* the oldest: what it has is largest */
    DFI_ATOMIC(int) count;
};

enum { DFI_MAX_WORKERS = 512 };

/* Where in the pool w is: of all that tells workers apart, what is the same in another run. */
DFI_UNUSED static unsigned dfi_slot_of(const struct dfi_worker *w) { return (unsigned)((w->next_id - 1) % DFI_MAX_WORKERS); }

/* Values of `stopping`: df_stop lets the helpers finish what they have, the end of the process does not. */
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
    unsigned chaos;                           /* the seed of df_config.schedule, or 0 */
    DFI_ATOMIC(int) run_now;                  /* neither of the first two, no streams and no devices */
    DFI_ATOMIC(int) devices;                  /* of df_gpu.h that are in use */
    DFI_ATOMIC(int) device_errors;            /* of devices, so far: data that only one of them had are lost */
    char line0[DFI_LINE];
    DFI_ATOMIC(int) parked_idle, parked_waiting;
    char line1[DFI_LINE];
    DFI_ATOMIC(int) spinning;                 /* idle helpers that are looking for work */
    DFI_ATOMIC(int) watcher;                  /* a sleeper watches the loops that are run alone (more/loop/alone.h) */
    char line2[DFI_LINE];
    DFI_ATOMIC(int) alive;                    /* helper threads that have not ended */
    struct dfi_os_event ended;                /* for a change of `alive` at the end of the process */
    int ended_made;                           /* pool lock */
    struct dfi_queue queue;                   /* ready tasks with a priority, or made ready from outside */
    struct dfi_board board;                   /* teams that take members */
    DFI_ATOMIC(int) particular;               /* there have been tasks for one worker, or with weak accesses */
    DFI_ATOMIC(int) cancels;                  /* scopes and groups cancelled, 1 more with devices: 0 spares tasks the look */
    DFI_ATOMIC(int) held;                     /* tasks that wait for tokens, inputs or streams */
    DFI_ATOMIC(int) streams;                  /* that exist */
    DFI_ATOMIC(size_t) events;                /* signals by threads without a worker, so far */
    DFI_ATOMIC(size_t) renamed;               /* bytes in private buffers */
    DFI_ATOMIC(size_t) stamps;                /* of what speculative tasks kept, so far */
    DFI_ATOMIC(int) blocked;                  /* workers in df_yield_blocking or waiting for a df_mutex */
    DFI_ATOMIC(int) spares;                   /* helpers beyond n_workers that exist */
    struct dfi_os_affinity affinity;          /* of the starting thread, restored by df_stop */
    int affinity_set;
    struct dfi_chunk *before_fork;            /* in the child of a fork: memory of the parent's workers */
    const void *module;                       /* something in the module whose code started the pool */
    void *rooms;                              /* the memory of workers, each beginning with the one before, for leak checkers */
};

DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_os_mutex dfi_pool_lock; /* start, stop, attach, detach */
extern DFI_API struct dfi_pool dfi_pool;
extern DFI_API struct dfi_error dfi_error_unsaid, dfi_error_unkept; /* of a scope whose error found no memory; not freed */
extern DFI_API const struct dfi_gpu_hook *dfi_gpu_hook; /* NULL: no df_gpu.h; set before anything runs */
DFI_EXTERN_C_END

#endif
