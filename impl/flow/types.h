/* types.h - data structures of dataflow: edges, tasks, regions
 *
 * Comments name the threads that may access a group of fields. "Owner" is the thread to which the worker belongs. */
#ifndef DFI_FLOW_TYPES_H
#define DFI_FLOW_TYPES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/access.h"
#include "../api/core.h"
#include "../api/task.h"
#include "../work/types.h"
#include "region.h"

struct df_opts;

/* --- size classes of blocks (work/blocks.h) ----------------------------------------------------- */
/* DFI_CLS_MORE: those of further floors. DFI_CLS_TASK: tasks with arguments of at most 16, 32 .. 2048 bytes. */
enum { DFI_CLS_EDGES = DFI_CLS_UPPER, DFI_CLS_ENTRY, DFI_CLS_TABLE, DFI_CLS_EXTRA, DFI_CLS_MORE,
       DFI_CLS_TASK = DFI_CLS_COUNT - 8 };

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
    DFI_ATOMIC(unsigned) skip;            /* DFI_SKIPPED: the task or a predecessor was cancelled; DFI_POISONS; or 0 */
    size_t index;                         /* index among the children of its scope */
    size_t seq;                           /* submitting worker: incremented at each reuse of this memory */
    struct dfi_flow *last_succ;           /* submitting worker: the newest successor, to avoid duplicate edges */
    struct dfi_edges *more;
    struct dfi_extra *extra;              /* optional state; valid if task.mem.special is DFI_HAS_EXTRA */
    struct dfi_parts *parts;              /* not NULL: its successors depend on parts of it, and an upper floor is told
                                           * when its body ends; constant while it is unfinished */
};
/* The offset of its arguments, behind the edges and the rooms of upper floors; aligned for any scalar. */
DFI_LATER(size_t, dfi_args_at);
#define DFI_DONE_EDGE ((struct dfi_edge *)(uintptr_t)1) /* succ of a finished task */
#define DFI_OWN_SUCC ((uintptr_t)2)       /* a tag bit of succ: an upper floor has the successors */
#define DFI_GUARD ((intptr_t)1 << 28)
/* DFI_POISONS: the task was cancelled, and its scope remembers it until its next wait, because later successors are
 * cancelled too. */
enum { DFI_SKIPPED = 1, DFI_POISONS };

/* dfi_task.mem.special. ON_STACK: it has no record of its own, only one on the stack of the thread that runs it.
 * IS_LAZY: it has none so far (flow/lazy.h). */
enum { DFI_HAS_EXTRA = 1, DFI_ON_STACK = 2, DFI_IS_LAZY = 3 };

/* Optional state of a task. Most tasks have none. Upper floors have rooms behind it, in the same block. */
struct dfi_extra {
    struct dfi_block_head head;
    struct dfi_worker *home;              /* gets the block back: it has made it, and may not be the submitter */
    struct dfi_flow *task;
    int priority, pin;                    /* pin: index of a worker, or -1 */
    int apart;                            /* nested in code, it may only run if it precedes that code */
    int tentative;                        /* it may turn out not to count, and its effects may be undone */
    const char *name, *site;
    void *result;                         /* where the result of the body goes, or NULL */
    struct dfi_extra *child, *sibling, *before; /* links of a queue (flow/queue.h) */
    uint64_t order;
};
DFI_LATER(size_t, dfi_extra_bytes);       /* with its rooms; zero, except the record, when it is made */

/* The optional state of t, or NULL. */
DFI_UNUSED static struct dfi_extra *dfi_extra_if(const struct dfi_flow *t)
{
    return t->task.mem.special == DFI_HAS_EXTRA ? t->extra : NULL;
}

/* The place of t among the children of its scope, and what is inside t. Odd places are between two children. */
DFI_FAST size_t dfi_flow_place(const struct dfi_flow *t) { return 2 * t->index; }

/* --- ready tasks (flow/queue.h) ------------------------------------------------------------------- */
/* A queue of ready tasks that may not go onto a stack or into a deque, ordered by priority. */
struct dfi_queue {
    struct dfi_os_mutex lock;
    struct dfi_extra *best;               /* pairing heap; protected by the lock */
    uint64_t order;
    DFI_ATOMIC(int) count;
    DFI_ATOMIC(int) urgent;               /* number of tasks with priority 0 or higher */
};

/* What a worker knows about the times of a type of tasks that it submits (flow/fine.h). In all states but SHARED they
 * run where they are submitted. */
enum { DFI_FINE_SHARED, DFI_FINE_WARMS, DFI_FINE_TRIED, DFI_FINE_HERE };
enum { DFI_FINE_WAYS = 4, DFI_FINE_TYPES = DFI_ALONE ? 4 : 32, DFI_FINE_SHORT = DFI_ALONE ? 4 : 64 };
struct dfi_fine {
    const struct dfi_type *type;
    unsigned cost, body;                  /* ns, means: of a submission; of a body that was shared, and ran here */
    unsigned sum;                         /* ns, of the bodies measured where they were submitted */
    unsigned short wait, pause;           /* submissions to be measured until the next trial, and between two */
    unsigned char state;                  /* DFI_FINE_SHARED .. */
    unsigned char summed, too_long;       /* bodies in sum; sums in a row that were too long */
    unsigned char soon;                   /* how sure it is that its code calls df soon (flow/lazy.h) */
};

/* What dataflow has behind a worker; owner, unless it is atomic. */
struct dfi_flow_worker {
    const struct df_opts *opts;           /* options of the df_submit_with in progress */
    const char *opts_site;
    int ran_now;                          /* that task ran immediately */
    int bare;                             /* memory for a record of the task that runs next in dfi_run_now is lacking
                                           * (dfi_task_new) */
    struct dfi_flow *at_once;             /* a task that has a record, and runs when it is submitted, if it is ready */
    struct dfi_flow *reg_task;            /* the task and the access that are being registered */
    const struct dfi_access *reg_access;
    const void *now;                      /* the task, or else the scope, that runs a task immediately (dfi_run_now) */
    int mutexes;                          /* number of df_mutexes that its thread holds */
    unsigned nest;                        /* nesting depth of tasks that run inside df_submit (flow/nest.h) */
    unsigned insists;                     /* 1 + the depth of one that runs although it is to be skipped, or 0 */
    unsigned failed_nest;                 /* the depth of a task that runs immediately, and has failed the scope .. */
    const struct dfi_scope *failed;       /* .. of its submitter, which is that of its children, too (more/error.h) */
    DFI_ATOMIC(size_t) n_tasks, n_edges, n_skipped; /* statistics, as in struct dfi_worker */
    struct dfi_queue pinned;              /* ready tasks pinned to this worker */
    /* flow/fine.h */
    unsigned fine_created;                /* tasks with records created here */
    int fine_submits, fine_runs, fine_gap; /* submissions and bodies left until one is measured; submissions between */
    int fine_each, fine_each_run;         /* one of about so many of them is */
    uint32_t fine_random;                 /* state of dfi_fine_random */
    unsigned fine_body, fine_body_then;   /* ns: mean of the bodies that were shared, and ran here; now and once */
    uint64_t fine_measured, fine_mean;    /* ns: when one was; mean between the last two */
    uint64_t fine_waited;                 /* ns: waits for many tasks, of the last .. */
    size_t fine_shared;                   /* .. tasks shared */
    uint64_t fine_began;                  /* ns: the submission under way is measured: when it began, else 0 */
    uint64_t fine_at;                     /* ns: when a clock was read while tasks run here */
    int fine_left, fine_watch;            /* tasks until it is read again; bodies to be measured */
    int fine_out, fine_pause;             /* submissions left, and between two attempts, to finish earlier tasks */
    struct dfi_fine *fine_last;           /* the entry of the last task */
    struct dfi_fine fine[DFI_FINE_TYPES];
    /* flow/lazy.h */
    char *lazy_room, *lazy_room_end;      /* memory for lazy tasks, or NULL */
    struct dfi_lazy *lazy_frame;          /* the one whose code runs, or NULL: a task with a record, or other code */
    const struct dfi_type *lazy_root;     /* a type whose tasks may submit lazy tasks */
    int lazy_due;                         /* not 0: the time from the next one to the next call is measured */
    uint64_t lazy_since;                  /* ns: it is measured: since when; else 0 */
    const struct dfi_type *lazy_measured; /* the type of the task whose code makes it */
};
DFI_ROOM(dfi_flow_worker, dfi_tasks_of, dfi_worker);

/* What dataflow has besides the pool. */
struct dfi_flow_pool {
    size_t window;                        /* unfinished children of a scope, at which its owner makes room */
    struct dfi_queue queue;               /* ready tasks with a priority, or made ready by threads without a worker */
    DFI_ATOMIC(struct dfi_edge *) opened; /* of opened tokens; the next search for work releases their tasks */
    /* not 0: it is to be considered whether a task may run inside its submission (flow/careful.h), */
    DFI_ATOMIC(int) careful;
    int defer;                            /* df_config.defer */
    int careful_start;                    /* pool lock: the part of it that dfi_careful_observers has added */
    DFI_ATOMIC(int) priorities;           /* a task has had one; set once, read as a hint */
    DFI_ATOMIC(int) careful_blocks;       /* and whether tasks may block */
    /* upper floors are told (flow/moments.h) */
    DFI_ATOMIC(int) asks;                 /* of each submission, wait, and task without a record */
    int asks_accesses;                    /* of each access */
    DFI_ATOMIC(int) asks_begin;           /* when a task begins */
    DFI_ATOMIC(const struct dfi_type *) fine_short[DFI_FINE_SHORT]; /* flow/fine.h */
};
DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_flow_pool dfi_flow_pool;
DFI_EXTERN_C_END

/* --- scopes (flow/scope.h) --------------------------------------------------------------------- */
enum { DFI_SCOPE_ROOM = 128 }; /* bytes; a recursive task with a few temporaries needs no malloc */

/* What a scope has besides the count of its children; owner, unless it is atomic. Upper floors have rooms behind it. */
struct dfi_flow_scope {
    struct dfi_scope scope;
    DFI_ATOMIC(size_t) place;              /* among the children of the parent (dfi_flow_place) */
    size_t n_children;                     /* children so far */
    struct dfi_table *table;
    struct dfi_local *locals;
    char *lazy_base;                       /* the first of its children that were lazy, or NULL (flow/lazy.h) */
    size_t room_used;
    /* memory of small df_local variables */
    union { char bytes[DFI_SCOPE_ROOM]; long double align; void *pointer; } room;
};
DFI_FAST struct dfi_flow_scope *dfi_flow_of(const struct dfi_scope *s)
{
    return (struct dfi_flow_scope *)(uintptr_t)s; /* of a scope of any worker: all have the room */
}

/* The task whose body s is, or in which s is a block, or NULL. Threads: any that keeps s alive; it is constant. */
DFI_UNUSED static struct dfi_flow *dfi_task_of_scope(const struct dfi_scope *s)
{
    return s->kind == DFI_BODY ? s->task : s->kind == DFI_BLOCK ? s->saved_task : NULL;
}

/* --- regions of a scope (flow/table.h) ------------------------------------------------------------ */
/* A task as remembered by the scope that submitted it. Its memory may have been reused since. */
struct dfi_ref { struct dfi_flow *task; size_t seq; };

struct dfi_bounds {
    uintptr_t reach;                /* the end */
    unsigned low, high;             /* columns [low, high) of a matrix with rows of dfi_table.ld bytes */
};
struct dfi_entry {
    struct dfi_block_head head;
    struct dfi_region region;
    struct dfi_ref writer;          /* the last task with exclusive write access to exactly this region */
    struct dfi_ref *readers;        /* later tasks that share the region, all in the same access mode */
    unsigned kind;                  /* their access mode: DFI_IN, or one of DFI_SHARED */
    unsigned asks;                  /* DFI_ENTRY_.. */
    unsigned n_readers, max_readers;
    struct dfi_ref few_readers[2];
    struct dfi_entry **over;         /* overlapping entries; lowest bit: contained in it */
    unsigned n_over, max_over;
    unsigned priority, dead;
    struct dfi_entry *all, *chain;   /* list of all entries; hash chain */
    struct dfi_entry *left, *right;  /* treap, ordered by region.p */
    struct dfi_bounds own, below;   /* of the region; of this subtree */
}; /* with rooms of upper floors behind it: */
DFI_LATER(size_t, dfi_entry_bytes);
/* JOINT: the sharers have something in common, which ends with the next access of another kind. Other bits: reasons of
 * upper floors to keep the entry, although its tasks are done. */
enum { DFI_ENTRY_JOINT = 1, DFI_ENTRY_KEEP = 2, DFI_ENTRY_KEEP_TOO = 4 };

struct dfi_table {
    struct dfi_block_head head;
    struct dfi_entry *all, *root;
    struct dfi_entry **bucket;       /* NULL while the table is small */
    size_t mask, count, sweep_at;
    size_t ld;                      /* bytes from row to row in a matrix of which blocks are known, or 0 */
    size_t pairs, sweep_pairs;      /* entries that overlap; so many lead to a sweep */
    size_t unsettled;               /* entries whose value is elsewhere, until dfi_up_scope_waits */
}; /* with rooms of upper floors behind it: */
DFI_LATER(size_t, dfi_table_bytes);

#endif
