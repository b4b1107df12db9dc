/* check.h - DF_CHECK: probes of the checks; empty in other builds
 *
 * Findings and methods: docs/check.md. The checks are in
 *   observe/check/declared.h declarations: outside the parent's, on a stack that is gone; memory of
 *   df_in that changed
 *   observe/check/turn.h AddressSanitizer: bodies take turns
 *   observe/check/live.h AddressSanitizer: the bytes that tasks of open scopes declare, and the
 *   shadow
 *   observe/check/view.h AddressSanitizer: the memory that the running code may access
 *   observe/check/report.h AddressSanitizer: the log of an access that it stopped
 *   observe/check/run.h the body of a task, checked
 *   observe/check/family.h memory that tasks of different parents access
 *   observe/check/loop.h parts of a loop that write the same memory */
#ifndef DFI_OBSERVE_CHECK_CHECK_H
#define DFI_OBSERVE_CHECK_CHECK_H

#include "../../base/compiler.h"
#include "../../base/upcall.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../flow/region.h"

struct dfi_worker;
struct dfi_flow;
struct dfi_scope;

#if DF_CHECK
struct dfi_check_entry;
/* One declared parameter of a task. */
struct dfi_checked {
    struct dfi_region region;
    /* arg: offset in the argument record, or DFI_NO_ARG; parameter: index in dfi_type.access_names */
    unsigned mode, arg, parameter;
    struct dfi_check_entry *entry;   /* AddressSanitizer: the entry of its region in its scope, or NULL */
    unsigned top;                    /* the smallest depth from which on all ancestors of the task declare the memory */
    int own;                         /* only the parent of the task has the memory */
    int elsewhere;                   /* the memory is checked in another way (df_owm.h) */
    uintptr_t wrong;                 /* AddressSanitizer, while it is declared: where it is no memory, or 0 */
    const char *read;                /* while the body runs: the memory, if the body must not change it, and its sum */
    uint64_t sum;
};
/* The numbers of a task and its ancestors (family.h). The outermost ancestor is first. Numbers are not used again. */
enum { DFI_CHECK_DEPTH = 8 };
struct dfi_check_family {
    uint64_t id[DFI_CHECK_DEPTH];
    const void *root;                /* the thread that has submitted the outermost ancestor */
    unsigned depth;                  /* number of ids; 0: the task is not checked */
    int hidden;                      /* something other than accesses may order the task */
};
/* A variable of a function that a child of a scope accesses. */
struct dfi_check_variable {
    struct dfi_flow *task;
    size_t seq;
    /* its address; dfi_check_frame; the end of the stack when it was given to the task */
    uintptr_t p, frame, call;
    const struct dfi_type *type;
    unsigned parameter;
    const char *site;
};

/* True if memory at p is checked in another way (df_owm.h). */
static int (*dfi_check_others)(uintptr_t p);
static int dfi_check_elsewhere(uintptr_t p) { return dfi_check_others && dfi_check_others(p); }
#endif

#if DF_CHECK
/* Room of the checks in a task. */
struct dfi_check_task {
    struct dfi_checked *checked;            /* its accesses: few, or memory of its own */
    struct dfi_checked few[DFI_PARAMETERS];
    unsigned n_checked;
    const char *site;                       /* source line of the submission, or NULL */
    struct dfi_check_family family;
    const struct dfi_type *parent;          /* of its parent, or NULL */
    struct dfi_check_entry *declared;       /* regions declared by tasks that its body submitted (view.h) */
    uint64_t number;                        /* AddressSanitizer: later tasks of its scope have higher ones */
};
DFI_ROOM(dfi_check_task, dfi_task_checks, dfi_flow);

/* Room of the checks in a scope. */
struct dfi_check_scope {
    struct dfi_check_variable *variable;    /* variables of the scope's code that its children access */
    unsigned n_variables, room_variables;
    struct dfi_check_entry *declared;       /* bottom scope: regions declared by tasks submitted outside all tasks */
    uintptr_t items, items_end;             /* a pipe: memory of its items, which a stage may pass to its children */
};
DFI_ROOM(dfi_check_scope, dfi_scope_checks, dfi_scope);
#endif

#if DFI_CHECK_ASAN
/* A region that tasks of one scope declared. Under the lock of the checks; its region and scope are
 * constant. */
struct dfi_check_entry {
    struct dfi_check_entry *next, *before;        /* of all entries */
    struct dfi_check_entry *chain;                /* of its bucket */
    struct dfi_check_entry *sibling, **at;        /* of the entries that the same code submitted */
    struct dfi_check_entry **list;                /* their list */
    struct dfi_region region;
    struct dfi_scope *scope;
    unsigned unfinished, writers;                /* unfinished tasks that declare it; those of them that write it */
    uint64_t last;                               /* the number of the last task that writes it */
    const struct dfi_type *type;                 /* the type of the last of them, and of the last that writes */
    const char *site;
    unsigned mode, parameter;
    int waited;                                  /* the submitter can have waited for some of its bytes since */
    int gone;                                    /* no longer memory, or never was: not live */
};
/* The memory that a piece of code may access; on the stack of the thread that runs it. */
struct dfi_check_view {
    struct dfi_check_view *outer;     /* of the code below on that stack, or NULL */
    struct dfi_flow *task;            /* the task that runs the code, */
    struct dfi_scope *bottom;         /* or the bottom of a thread, */
    const struct dfi_region *region;  /* or n regions, for code of df itself, */
    unsigned n;
    int all;                          /* or everything */
    int done;                         /* also all memory of finished tasks */
    int pauses;                       /* of the code below */
};
#endif

#if DF_CHECK
/* What the checks keep of a worker, in a room behind it. */
struct dfi_check_worker {
    /* addresses on the thread's stack: where the innermost body begins; the caller of the last df function; the deepest
     * of these */
    uintptr_t body, call, deepest;
    const char *name; /* of the task with that body */
#if DFI_CHECK_ASAN
    int in_turn, blocks, pauses;     /* it has a turn (observe/check/turn.h); is in df_yield_blocking; number of nested
                                      * waits */
    uint64_t turn;
    struct dfi_check_view *view, bottom_view; /* view of the running or waiting code on top of the stack */
#endif
};
DFI_LATER(size_t, dfi_check_room);
DFI_FAST struct dfi_check_worker *dfi_checked_of(const struct dfi_worker *w)
{
    return (struct dfi_check_worker *)((uintptr_t)w + dfi_check_room);
}
#endif

#endif
