/* dfi_types.h - the records of the runtime: worker, scope, task, region, pool
 *
 * Who may touch a field is said once per group. "owner" is the thread the worker belongs to. */
#ifndef DFI_TYPES_H
#define DFI_TYPES_H

enum { DFI_LINE = 64 }; /* bytes two threads must be apart not to disturb each other */

/* --- recyclable blocks (dfi_blocks.h) --------------------------------------------------------- */
enum { DFI_CLS_SCOPE, DFI_CLS_EDGES, DFI_CLS_NODE, DFI_CLS_TABLE, DFI_CLS_TASK, DFI_CLS_COUNT = DFI_CLS_TASK + 8 };

/* --- tasks (dfi_flow.h) ------------------------------------------------------------------------ */
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
    size_t seq;                           /* submitter only: which use of this memory this is */
    struct dfi_flow *last_succ;           /* submitter only: the newest successor, against double edges */
    struct dfi_edges *more;
    unsigned n_edges;
};
#define DFI_DONE_EDGE ((struct dfi_edge *)(uintptr_t)1) /* succ of a task that is done */
#define DFI_GUARD ((intptr_t)1 << 28)

enum { DFI_SCOPE_ROOM = 128 }; /* bytes; a recursive task with a few temporaries needs no malloc */

/* --- scopes (dfi_scope.h) ---------------------------------------------------------------------- */
/* A DF_PARALLEL block, the body of a task that has children, a stolen future while it runs, or the
 * bottom of a thread. Type-stable memory: thieves may look at the atomic fields of a scope that has
 * just ended, and find out by a failing compare-and-swap that they did. */
struct dfi_scope {
    struct dfi_block_head head;
    DFI_ATOMIC(struct dfi_scope *) parent; /* the scope it is part of; NULL at the bottom */
    DFI_ATOMIC(uintptr_t) depth;           /* 0 at the bottom, parent's + 1 otherwise */
    DFI_ATOMIC(uintptr_t) id;              /* which use of this memory this is */
    struct dfi_worker *owner;              /* who runs its body; constant while it has children */
    /* owner only, while the body runs */
    struct dfi_scope *outer;               /* the scope below it on the owner's stack */
    size_t mark;                           /* height of the owner's stack at its start */
    struct dfi_flow *saved_task;           /* the owner's `task` and `task_mark` at its start */
    size_t saved_mark;
    size_t submitted, done;                /* children created; children completed by the owner while open */
    int open;                              /* owner may count in `done` instead of `pending` */
    struct dfi_table *table;
    struct dfi_local *locals;
    const char *site;                      /* DF_DEBUG: where the block was opened */
    struct dfi_flow *task;                 /* the task to complete with the last child, or NULL */
    size_t room_used;
    union { char bytes[DFI_SCOPE_ROOM]; double align; void *pointer; } room; /* for small df_local */
    char line[DFI_LINE];
    /* Minus the children completed by others while open; after closing, the children outstanding
     * (plus DFI_ENDED when the body is over). Argument: docs/memory-order.md, "Scopes". */
    DFI_ATOMIC(intptr_t) pending;
};
#define DFI_ENDED ((intptr_t)1 << 29)

/* --- regions of a scope (dfi_table.h) ------------------------------------------------------------ */
/* A task as remembered by the scope that submitted it: the memory may have been used again since. */
struct dfi_ref { struct dfi_flow *task; size_t seq; };

struct dfi_node {
    struct dfi_block_head head;
    struct dfi_region region;
    struct dfi_ref writer;          /* the last task that wrote exactly this region */
    struct dfi_ref *readers;        /* tasks that read it since */
    unsigned n_readers, max_readers;
    struct dfi_ref few_readers[2];
    struct dfi_node **over;         /* nodes that share a byte with it; lowest bit: contained in it */
    unsigned n_over, max_over;
    unsigned priority, dead;
    struct dfi_node *all, *chain;   /* list of all nodes; hash chain */
    struct dfi_node *left, *right;  /* treap by region.p */
    uintptr_t reach;                /* largest end in this subtree */
};

struct dfi_table {
    struct dfi_block_head head;
    struct dfi_node *all, *root;
    struct dfi_node **bucket;       /* NULL while the table is small */
    size_t mask, count, sweep_at;
};

/* --- workers ----------------------------------------------------------------------------------- */
struct dfi_item { /* an entry of the public deque */
    DFI_ATOMIC(void *) entry;
    DFI_ATOMIC(struct dfi_scope *) scope;
};
enum { DFI_DEQUE_SIZE = 512 }; /* entries of the public deque; a power of two. What does not fit stays private */

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

enum { DFI_AWAKE, DFI_PARKED_IDLE, DFI_PARKED_WAITING };

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
    const char **sites;              /* DF_DEBUG: parallel to the stack */
    /* read by anybody, relaxed: statistics, written by the owner only */
    DFI_ATOMIC(size_t) n_tasks, n_edges, n_steals, n_parks;
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
    int attached, helper;            /* pool lock: a thread is using it; it is a helper thread */
    int pin;                         /* helper: the CPU to run on, or -1 */
    void *allocated;
    struct dfi_os_event event;
    struct dfi_os_thread thread;
    struct dfi_item item[DFI_DEQUE_SIZE];
};

enum { DFI_MAX_WORKERS = 512 };

/* Values of `stopping`: df_stop lets the helpers finish what they have, the end of the process does not. */
enum { DFI_STOP_WHEN_DONE = 1, DFI_STOP_NOW = 2 };

/* The one pool of the process. */
struct dfi_pool {
    int n_workers, n_cpus, fork_handlers;
    DFI_ATOMIC(int) running;                  /* 1 between start and stop */
    DFI_ATOMIC(int) stopping;
    DFI_ATOMIC(int) n_slots;                  /* slots [0, n_slots) may hold a worker */
    DFI_ATOMIC(struct dfi_worker *) slot[DFI_MAX_WORKERS];
    size_t deque, window;
    int defer;
    char line0[DFI_LINE];
    DFI_ATOMIC(int) parked_idle, parked_waiting;
    char line1[DFI_LINE];
    DFI_ATOMIC(int) spinning;                 /* idle helpers that are looking for work */
    char line2[DFI_LINE];
    DFI_ATOMIC(int) alive;                    /* helper threads that have not ended */
    struct dfi_os_affinity affinity;          /* of the starting thread, restored by df_stop */
    int affinity_set;
    void (*log)(void *arg, int level, const char *text);
    void *log_arg;
    struct dfi_chunk *before_fork;            /* in the child of a fork: memory of the parent's workers */
    const void *module;                       /* something in the module whose code started the pool */
    DFI_ATOMIC(unsigned) logged;              /* one bit per message that is said once */
};

DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_os_mutex dfi_pool_lock; /* start, stop, attach, detach */
extern DFI_API struct dfi_pool dfi_pool;
DFI_EXTERN_C_END

#endif
