/* types.h - data structures of the runtime: worker, scope, task, region, pool
 *
 * Comments name the threads that may access a group of fields. "Owner" is the thread to which the worker belongs. */
#ifndef DFI_WORK_TYPES_H
#define DFI_WORK_TYPES_H

#include "../base/atomic.h"
#include "probe.h"
#include "../base/compiler.h"
#include "../base/fenv.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/core.h"

enum { DFI_LINE = 64 }; /* distance in bytes that avoids false sharing */

/* --- recyclable blocks (work/blocks.h) --------------------------------------------------------- */
enum { DFI_CLS_SCOPE, DFI_CLS_UPPER, DFI_CLS_COUNT = 18 }; /* size classes: of scopes; of upper floors */

/* --- scopes (work/scope.h) ---------------------------------------------------------------------- */
/* A DF_PARALLEL block, the body of a task with children, a stolen future that runs, or the bottom scope of a thread.
 * Memory of scopes is type-stable: thieves may read the atomic fields of a scope that has just ended, and a failing
 * compare-and-swap then rejects what they read. Upper floors have rooms behind it (flow/types.h). */
struct dfi_scope {
    struct dfi_block_head head;
    /* While open: minus the children completed by other workers. After closing: the unfinished children, plus
     * DFI_ENDED once the body is over. Argument: docs/internals/work.md, "Scopes". */
    DFI_ATOMIC(intptr_t) pending;
    /* owner, while the body runs: seldom used, and so beside `pending` */
    struct dfi_scope *outer;               /* the next scope down on the owner's stack */
    size_t mark;                           /* height of the owner's stack when the scope began */
    struct dfi_flow *saved_task;           /* the owner's `task` and `task_mark` when the scope began */
    size_t saved_mark;
    char line[DFI_LINE - sizeof(struct dfi_block_head) - 5 * sizeof(void *)];
    DFI_ATOMIC(struct dfi_scope *) parent; /* the enclosing scope; NULL for a bottom scope */
    DFI_ATOMIC(uintptr_t) depth;           /* 0 for a bottom scope, else the parent's + 1 */
    DFI_ATOMIC(uintptr_t) id;              /* unique for each use of this memory */
    struct dfi_worker *owner;              /* the worker that runs the body; constant while the scope has children */
    /* owner, while the body runs: offsets below 128, which make instructions short */
    size_t submitted, done;                /* children created; children completed by the owner while open */
    int open;                              /* the owner may count in `done` instead of `pending` */
    int kind;                              /* DFI_BOTTOM .. DFI_STOLEN */
    struct dfi_flow *task;                 /* the task that completes with the last child, or NULL */
    const char *site;                      /* source line of the block */
    struct dfi_team *team;                 /* DFI_STOLEN: the loop or pipe that the owner joined; NULL: the owner runs
                                            * the future below */
    DFI_ATOMIC(struct dfi_future *) future; /* DFI_STOLEN: the stolen future */
    DFI_ATOMIC(struct dfi_worker *) victim; /* DFI_STOLEN: worker from which it was stolen */
    DFI_ATOMIC(struct dfi_scope *) under;  /* the next DFI_STOLEN scope below it on the stack (work/thread_end.h) */
    unsigned asks;                         /* owner: bits of upper floors: not 0: they are told what its code does;
                                            * DFI_ASKS_CREATE: only that it is about to create a task */
};
#define DFI_ENDED ((intptr_t)1 << 29)
enum { DFI_ASKS_CREATE = 1 << 8 };
enum { DFI_BOTTOM, DFI_BLOCK, DFI_BODY, DFI_STOLEN }; /* kinds: of a thread; DF_PARALLEL; a task; a stolen future */

/* --- workers ----------------------------------------------------------------------------------- */
struct dfi_item { /* an entry of the public deque */
    DFI_ATOMIC(void *) entry;
    DFI_ATOMIC(struct dfi_scope *) scope;
};
enum { DFI_DEQUE_SIZE = 512 }; /* initial capacity of the public deque, or df_config.deque if that is less */
/* The array of a deque. The owner replaces it by a larger one while thieves may still read the previous one. */
struct dfi_ring {
    size_t mask;             /* capacity - 1; the capacity is a power of two */
    struct dfi_ring *before; /* owner: freed with the worker */
    struct dfi_item item[1]; /* in fact, mask + 1 of them */
};

/* Tag bits of the entries of a worker's stack; futures and tasks are at least 8-byte aligned. A NULL entry is a hole,
 * left by a future that was synced out of order. */
#define DFI_FLOW ((uintptr_t)2)   /* a task of df_submit */
#define DFI_PUBLIC ((uintptr_t)1) /* the entry is also in the public deque */

/* States of a future that has left its spawner's list (dfi_future.link): its index on the stack (there or public), a
 * scope (it runs elsewhere, or in a wait), DFI_F_RUNNING (the same, and memory for a scope was lacking), DFI_F_DONE,
 * DFI_F_LEFT (it has not begun, and runs at its sync), DFI_F_CUT (it has ended, and was cancelled), DFI_F_CANCELS (it
 * has ended, and cancelled itself), DFI_F_WITH an error. Those without an address are small numbers, because a program
 * may hold several copies of this code. An index, and RUNNING, have the era above it: that of futures which the child
 * of a fork has from its parent is another one (work/fork.h). */
enum { DFI_F_ERA = sizeof(void *) > 4 ? 48 : 26 };
#define DFI_F_TAGGED(x) ((void *)((uintptr_t)dfi_pool.era << DFI_F_ERA | (x)))
#define DFI_F_RUNNING DFI_F_TAGGED(1u)
#define DFI_F_DONE ((void *)(uintptr_t)2)
#define DFI_F_LEFT ((void *)(uintptr_t)6)
#define DFI_F_CUT ((void *)(uintptr_t)10)
#define DFI_F_CANCELS ((void *)(uintptr_t)14)
#define DFI_F_WITH(error) ((void *)((uintptr_t)(error) | 2))
#define DFI_F_ERROR(link) ((void *)((uintptr_t)(link) & ~(uintptr_t)2))
#define DFI_F_IS_OVER(link) (((uintptr_t)(link) & 3) == 2) /* one of these five: its sync need not wait */
#define DFI_F_AT(at) DFI_F_TAGGED((uintptr_t)(at) << 2 | 3)
#define DFI_F_IS_AT(link) (((uintptr_t)(link) & 3) == 3)
#define DFI_F_INDEX(link) (((uintptr_t)(link) & (((uintptr_t)1 << DFI_F_ERA) - 1)) >> 2)

enum { DFI_ATTACHED = 1, DFI_LEAVES };

/* SPARE, REST: it runs no tasks until it is needed again (more/spare.h, more/resize.h). */
enum { DFI_AWAKE, DFI_PARKED_IDLE, DFI_PARKED_WAITING, DFI_PARKED_SPARE, DFI_PARKED_REST };

/* DF_DEBUG, DF_CHECK: the name of a future on the stack, and the source line that spawned it, or NULL. Stored here,
 * because the future's own memory may be gone when it is reported. */
struct dfi_spawned { const char *site, *name; };

/* Fields of a worker that its owner uses most. They are in the line of `hot.top`, in dfi_hot.line, where the language
 * has structures without a name: instructions with offsets below 128 are three bytes shorter. */
#define DFI_OWNER_FIELDS \
    void **stack;                    /* ready tasks, and futures that left the list hot.top */ \
    size_t head, room;               /* entries used and allocated */ \
    size_t split;                    /* entries below this index are in the public deque, or were stolen */ \
    struct dfi_scope *scope;         /* innermost scope of the running code */ \
    struct dfi_flow *task;           /* the task whose body runs and has no scope yet, or NULL */ \
    size_t task_mark;                /* height of the stack when that body began */

struct dfi_worker {
#if DFI_GNU || (!defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
    DFI_EXTENSION union {
        struct dfi_hot hot;
        DFI_EXTENSION struct {
            void *hot_top;
            DFI_OWNER_FIELDS
        };
    };
#else
    struct dfi_hot hot;
    DFI_OWNER_FIELDS
#endif
    /* owner */
    size_t limit;                    /* df_config.deque: at more entries, submitted ready tasks run immediately */
    size_t seen_top;                 /* top of the public deque when last read */
    size_t offered_top;              /* top at the last answer to a steal request (dfi_offers_untaken) */
    unsigned offers;                 /* answers since it changed */
    size_t fixed;                    /* height of the stack when the innermost wait for a future began */
    struct dfi_block_head *free[DFI_CLS_COUNT];
    char *fresh[DFI_CLS_COUNT], *fresh_end[DFI_CLS_COUNT];
    unsigned char carved[DFI_CLS_COUNT]; /* the number of chunks so far, up to the largest size */
    struct dfi_chunk *chunks;
    struct dfi_worker *outbox_home;  /* outbox: freed blocks collected for this home worker */
    struct dfi_block_head *outbox, *outbox_last;
    unsigned outbox_n;
    unsigned victim;                 /* worker from which the last steal succeeded */
    uint32_t random;
    uintptr_t next_id;
    /* 0 .. df_workers()-1; of other threads and free slots: DFI_WORKERS_MOST + slot, so no two have the same. Written
     * under the pool lock, read by any thread, relaxed */
    DFI_ATOMIC(int) index;
    unsigned outside;                /* has run a task from outside the scope that it waits for (dfi_find_outside) */
    size_t kept;                     /* split after the last dfi_forget_stolen, which keeps the marks of futures if
                                      * there are sites */
    struct dfi_spawned *sites;       /* DF_DEBUG, DF_CHECK: parallel to the stack */
    /* statistics: written by the owner, read by any thread, relaxed */
    DFI_ATOMIC(size_t) n_steals, n_parks;
    DFI_ATOMIC(int) level;           /* nesting depth of blocks and task bodies */
    /* it leaves its ready tasks to others, and begins no further one when its present task is done; written under the
     * pool lock */
    DFI_ATOMIC(int) retires;
    char line1[DFI_LINE];
    /* the public deque: the owner works at the bottom, thieves at the top */
    DFI_ATOMIC(size_t) bottom;
    char line2[DFI_LINE];
    DFI_ATOMIC(size_t) top;
    DFI_ATOMIC(int) withdrawn;       /* steal_request is 0 although workers are idle: an entry is public */
    char line3[DFI_LINE];
    DFI_ATOMIC(struct dfi_block_head *) returned; /* blocks returned by other workers */
    char line4[DFI_LINE];
    DFI_ATOMIC(int) park;
    /* DFI_ATTACHED: in use by a thread; DFI_LEAVES: that thread is about to end. Written under the pool lock */
    DFI_ATOMIC(int) attached;
    DFI_ATOMIC(int) helper;          /* it is a helper thread; written under the pool lock */
    void *(*body)(void *);           /* helper: what its thread runs */
    void *allocated;
    struct dfi_os_event event;
    struct dfi_os_thread thread;
    DFI_ATOMIC(struct dfi_scope *) stolen; /* the innermost scope of a stolen future that the owner runs, or NULL */
    DFI_ATOMIC(struct dfi_ring *) ring; /* array of the public deque */
};

/* Adds 1 to a number that only the calling thread writes. */
DFI_FAST void dfi_count(DFI_ATOMIC(size_t) *n) { dfi_store_relaxed(n, dfi_load_relaxed(n) + 1); }

/* The sizes of a worker and of a scope with the rooms that upper floors have behind them. */
DFI_LATER(size_t, dfi_worker_bytes);
DFI_LATER(size_t, dfi_scope_bytes);

/* --- waits (work/wait.h) ---------------------------------------------------------------------- */
/* Kinds of waits. Before DFI_WAIT_IDLE: no other task of the pool runs nested in it. */
enum {
    DFI_WAIT_MEMBER,    /* not a wait: the worker takes part in the work of a team */
    DFI_WAIT_OUTSIDE,   /* on: a description, for an event outside df */
    DFI_WAIT_LOCK,      /* on: a df_mutex */
    DFI_WAIT_IDLE,      /* of a helper, for work */
    DFI_WAIT_SCOPE,     /* on: its own scope */
    DFI_WAIT_ROOM,      /* on: its own scope, until fewer of its children are unfinished */
    DFI_WAIT_TASK,      /* df_wait_on; on: an internal task, the successor of the awaited tasks */
    DFI_WAIT_FUTURE,    /* on: a future */
    DFI_WAIT_TEAM,      /* for the other members of a team */
    DFI_WAIT_QUIET,     /* nested in a wait that another record describes */
    DFI_WAIT_UPPER      /* the first of upper floors (more/points.h) */
};
/* A wait of a worker. Lives on the stack of its thread. */
struct dfi_wait {
    unsigned kind;                /* DFI_WAIT_.. */
    const void *on;
    const char *site;             /* or NULL */
    void *block;                  /* the suspended atomic block, or NULL */
    uint64_t began;               /* start time, or 0 if it is not measured */
    uint64_t others;              /* then: of the body or code that waits, the time of nested bodies and waits so far */
    uint64_t since;               /* start in dfi_ticks while stalls are watched, else 0 */
    struct dfi_wait *outer;       /* the wait in which this one is nested, or NULL */
    struct dfi_body *in; /* the body that waits, or NULL */
    size_t told;                  /* of the observers; set only if they are told of the beginning */
};

/* --- teams: loops and pipes that workers may join (work/team.h) ------------------------------------------ */
struct dfi_team {
    struct dfi_team *next;          /* board lock */
    struct dfi_worker *owner;       /* the worker that began it, and waits for its end */
    struct dfi_scope *scope;        /* the scope that contains the work of the members */
    /* is there work for another member? under the board lock, any thread */
    int (*wants)(struct dfi_team *);
    void (*work)(struct dfi_worker *w, struct dfi_team *); /* runs a member until no work is left */
    void (*told)(struct dfi_team *); /* the thread of a member has ended in its part; or NULL */
    const char *what;               /* "loop", for messages */
    int most;                       /* board lock: maximum number of members */
    DFI_ATOMIC(intptr_t) members;   /* workers in `work`, except the owner */
    DFI_ATOMIC(int) lost;           /* the thread of a member ended in its part */
    uint32_t fenv;                  /* the modes of its owner (base/fenv.h) */
    int cpu;                        /* of the owner, when it put the team on the board */
};
struct dfi_board {
    struct dfi_os_mutex lock;
    struct dfi_team *first;         /* the oldest team: its remaining work is largest */
    DFI_ATOMIC(int) count;
};

enum {
    DFI_MAX_WORKERS = 512,
    DFI_ID_FUTURE = 2 * DFI_MAX_WORKERS, /* in the id of the scope of a stolen future */
    DFI_WORKERS_MOST = 256 /* the remaining slots are for threads of the program */
};

/* The slot of w in the pool: the only identification of a worker that is the same in another run. */
DFI_UNUSED static unsigned dfi_slot_of(const struct dfi_worker *w)
{
    return (unsigned)((w->next_id - 1) % DFI_MAX_WORKERS);
}

/* Values of `stopping`: df_stop lets helpers finish their work, the end of the process does not. It is 0 again when
 * the helpers have ended. */
enum { DFI_STOP_WHEN_DONE = 1, DFI_STOP_NOW = 2 };

/* The one pool of the process. */
struct dfi_pool {
    DFI_ATOMIC(int) n_workers;                /* written under the pool lock */
    int n_planned, n_cpus;                    /* n_planned: workers of the next start */
    int cpus_chosen;                          /* the number of CPUs that are chosen for workers, or 0 */
    DFI_ATOMIC(int) running;                  /* 1 between start and stop */
    DFI_ATOMIC(int) stopping;
    DFI_ATOMIC(int) n_slots;                  /* slots [0, n_slots) may hold a worker */
    DFI_ATOMIC(struct dfi_worker *) slot[DFI_MAX_WORKERS];
    size_t deque, stack_bytes;
    char line0[DFI_LINE];
    DFI_ATOMIC(int) parked_idle, parked_waiting;
    char line1[DFI_LINE];
    DFI_ATOMIC(int) spinning;                 /* idle helpers that look for work */
    char line2[DFI_LINE];
    DFI_ATOMIC(int) alive;                    /* helper threads that have not ended */
    DFI_ATOMIC(int) reporters;                /* threads that only write reports; never more than there are */
    struct dfi_os_event ended;                /* signals changes of `alive` and `stopping` */
    int ended_made;                           /* pool lock */
    DFI_ATOMIC(int) particular;               /* tasks that may run nested in waits which they are not inside of have
                                               * been submitted */
    DFI_ATOMIC(int) polled;                   /* df_config.idle is set */
    DFI_ATOMIC(int) doors;                    /* scopes that admit few workers have existed (work/deque.h) */
#if !defined(DF_SERIAL)
    struct dfi_signals signals;               /* those that the thread blocks which started it */
#endif
    unsigned era;                             /* the number of forks between this process and the first one */
    int left;                                 /* in a forked child: not 0: tasks or futures of its parent are not done;
                                               * it has not been told so far (dfi_fork_left) */
    void *before_fork;                        /* in a forked child: memory of the parent's workers */
    DFI_ATOMIC(const void *) loader;          /* an address in the module whose handlers of fork are registered */
    const void *module;                       /* an address in the module whose code started the pool */
    void *rooms;                              /* list of all worker memory, newest first, visible to leak checkers */
};

DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_os_mutex dfi_pool_lock; /* protects start, stop, attach, detach */
extern DFI_API struct dfi_pool dfi_pool;
DFI_EXTERN_C_END

#endif
