/* oracle.h - a second implementation of df.h, for one thread and as plain as possible: the tests' reference
 *
 * WHAT  The functions behind the macros of df.h, declared in impl/api/. tests/run links a test program with
 *       these files in place of the implementation, and compares the output. Both have the expansion of a
 *       macro in common, as the object file of the program is the same, but no more: no function of
 *       impl/ is used. Not shipped.
 *
 * FILES tasks.c: tasks, waits, blocks, errors. tokens.c: tokens, nodes, locks. loops.c: loops, pipes,
 *       speculation. streams.c, taskgraph.c. stm.c: df_stm.h and df_owm.h.
 *
 * RULES 1. df_spawn is the call. A loop is one call for the whole range. A pipe runs item after item.
 *          Speculation is `if` or `while`. A reduction accumulates into the region itself. An atomic block
 *          runs alone.
 *       2. df_submit is the call, if the task may start. Else the task stays in the list of its scope.
 *       3. may_start: its tokens are open, it has received its inputs, it can enter its stream windows, and
 *          none of its accesses conflicts with one of an earlier unfinished task of the same scope. All of
 *          this is looked up each time: there is no graph.
 *       4. A wait starts the tasks that may start, in order of submission, until its condition has
 *          come. If no task may start, the first one that waits for a token, an input or a window is given
 *          up: it is skipped, with DF_ERROR_STUCK.
 *       5. A task is skipped if its scope or group is cancelled when it would start, or if it comes after a
 *          skipped one. With df_opts.always it runs, and is cancelled; it counts as skipped for what comes after it.
 *       6. In programs whose tasks may block (impl/api/may_block.h) a task has a stack of its own: when it
 *          waits for something that its own tasks cannot bring, the code that let it run continues.
 *          Elsewhere it runs on the stack of that code.
 *
 * NOT   Settings, workers, priorities, df_release, renaming, observers, checks and devices have no effect.
 *       C++ exceptions and failed allocations are left out. Each thread has tasks of its own: tokens may be
 *       signalled and atomic blocks executed by any thread, but groups, streams, locks and task graphs
 *       belong to one. 64 bits, little-endian, <ucontext.h>. Programs that need more are listed in
 *       tests/oracle/without, with the reason. */
#ifndef ORACLE_H
#define ORACLE_H

#include "df.h"

#include <stdint.h>
#include <ucontext.h>

enum state { WAITS, RUNS, BLOCKED, ENDED }; /* ENDED: its body; children are unfinished */

struct scope {                   /* a task, a block, or a thread */
    struct dfi_task head;        /* where arguments go; first */
    struct scope *outer, *before, *next, *first, *last; /* children, unfinished, in order of submission */
    struct scope *looks_at;      /* child, in step */
    enum state state;
    int is_task, skip, always, late; /* late: it runs although it is to be skipped */
    df_token **after, **signals; /* of a task */
    const struct dfi_inputs *inputs; /* of a node */
    uint64_t missing;            /* of them, a bit each */
    struct window *windows;
    int cancelled, code;         /* of its children: df_cancel, df_fail */
    char text[DFI_ERROR_TEXT];
    struct df_group *group;
    struct local { struct local *next; size_t bytes; } *locals;
    struct poison { struct poison *next; struct dfi_access x; } *poison; /* what skipped tasks did not write */
    struct df_taskgraph *graph;      /* a block that is recorded */
    /* of a task */
    const struct dfi_type *type;
    const char *site;
    struct dfi_access *x;        /* n of them */
    unsigned n;
    int rounding;                /* the mode of the code that submitted it */
    int units;                   /* it holds those of its semaphores */
    void ***arrays;              /* of pointers to windows, as the body gets them */
    ucontext_t at, back;         /* with a stack of its own: its own state, and that of the code that let it run */
    char *stack;
    struct scope *resume;        /* what runs there: it, or a block in it */
    unsigned long seen;          /* what had happened when it was blocked */
};

/* --- tasks.c --- */

struct scope *oracle_current(void);  /* the innermost scope that runs */
struct scope *oracle_stack(void);
void *oracle_zeroed(size_t n);
void oracle_free_locals(struct local *l);
void oracle_say(const char *format, ...);
void oracle_give_error(struct scope *s, int code, const char *text);
df_result oracle_told(int code, const char *text); /* by a wait */
struct scope *oracle_task_new(const struct dfi_type *type, const df_opts *o, const char *site);
void oracle_accesses(struct scope *s, const struct dfi_access *x, unsigned n); /* copies them */
void oracle_append(struct scope *s, struct scope *outer);
void oracle_submit(struct scope *t, const struct dfi_access *x, unsigned n);
struct scope *oracle_enter_block(const struct dfi_access *x, unsigned n);
void oracle_leave_block(struct scope *b);
/* Something has happened that may end a wait. */
void oracle_event(void);
/* Lets tasks run until over(arg). Zero: it cannot come any more; external: it may always. */
int oracle_wait(int (*over)(void *arg), void *arg, int external);
void oracle_wait_here(void);         /* for all children */
/* Reports that, and df_wait_result will. */
void oracle_stuck(const char *text);

/* --- tokens.c --- */

df_token **oracle_copy_tokens(struct df_token *const *t);
df_token *oracle_closed_token(const struct scope *t); /* the first that t waits for */
void oracle_signal(df_token *t, const char *site, int skip);

/* --- streams.c --- */

int oracle_windows_wait(const struct scope *t);
int oracle_windows_enter(struct scope *t);
void oracle_windows_leave(struct scope *t);

/* --- taskgraph.c --- */

void oracle_record(struct df_taskgraph *g, const struct scope *t); /* NULL: df_wait */
void oracle_cannot_record(void);     /* what is about to be done */

#endif
