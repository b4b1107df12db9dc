/* moments.h - moments in the life of a task, of a scope and of its table, at which upper floors act
 *
 * Each is an upcall (base/upcall.h). Where several features act at one moment, more/parts.h calls them in their order.
 * Dataflow alone has none of them.
 *
 * w is the worker of the calling thread. t is a task that w submits, unless something else is said; s is a scope. */
#ifndef DFI_FLOW_MOMENTS_H
#define DFI_FLOW_MOMENTS_H

#include "../base/upcall.h"
#include "../api/access.h"
#include "../api/task.h"

struct dfi_worker;
struct dfi_flow;
struct dfi_scope;
struct dfi_table;
struct dfi_entry;
struct dfi_before;
struct dfi_goal;
struct dfi_stolen;
struct dfi_region;
struct df_opts;

/* --- submission -------------------------------------------------------------------------------------- */

/* The next submission of w has the options o, which matter; it is over. w may be NULL: the task runs immediately. */
DFI_UPCALL(void, dfi_up_with, (struct dfi_worker *w, const struct df_opts *o, const char *site));
DFI_UPCALL(void, dfi_up_with_end, (struct dfi_worker *w, const struct df_opts *o));
/* Do options of upper floors affect more than the name of a task? */
DFI_UPCALL(int, dfi_up_options_matter, (const struct df_opts *o));
/* May a task of that type run inside its submission? DFI_RUNS_..; the slow part of the question (dfi_may_run_now). */
DFI_UPCALL(int, dfi_up_may_run_now, (struct dfi_worker *w, const struct dfi_type *type));
/* A task without a record is about to run in the scope of its parent; the scope or the pool asks. Nonzero: not, it is
 * dropped. */
DFI_UPCALL(int, dfi_up_runs_now, (struct dfi_worker *w, const struct dfi_type *type));
/* The code of w submits a task with these accesses, and its scope asks (DFI_ASKS_CREATE). Nonzero: that was done, or
 * the task is left out; zero: memory for its record is lacking. */
DFI_UPCALL(int, dfi_up_placed, (struct dfi_worker *w, const struct dfi_type *type, void *args,
                                const struct dfi_access *x, unsigned n));
/* A task without a record is about to wait for its predecessors; and has. s may be NULL, and so may o, the options.
 * Nonzero: it is cancelled. */
DFI_UPCALL(void, dfi_up_bare_waits, (struct dfi_worker *w, struct dfi_scope *s));
DFI_UPCALL(int, dfi_up_bare_waited, (struct dfi_worker *w, const struct df_opts *o, const char *site));
/* Its body is about to run. Nonzero: and the upper floor is told when it has. */
DFI_UPCALL(int, dfi_up_bare_begins, (struct dfi_worker *w, const struct dfi_access *x, unsigned n));
DFI_UPCALL(void, dfi_up_bare_ends, (struct dfi_worker *w, const struct dfi_access *x, unsigned n));
/* Do tasks possibly wait for an action of the running code? */
DFI_UPCALL(int, dfi_up_owes, (void));

/* t has its arguments, and no options yet; x as submitted. */
DFI_UPCALL(void, dfi_up_arrives, (struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n));
/* t gets options of upper floors. -1: out of memory. */
DFI_UPCALL(int, dfi_up_options, (struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o));
/* Its accesses are about to be registered. 0; 1: t has its edges; -1: out of memory. */
DFI_UPCALL(int, dfi_up_registers, (struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n));
/* They are registered, except those with DFI_CHILDREN. 0, or -1: out of memory. Only if t has parts. */
DFI_UPCALL(int, dfi_up_registered, (struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n));
/* t, which has parts, has a record for observers only, and is about to run inside its submission. mark: the height of
 * the stack before. */
DFI_UPCALL(void, dfi_up_runs_here, (struct dfi_worker *w, struct dfi_flow *t, size_t mark));

/* --- a task that its submitter runs, because memory is lacking ---------------------------------------------- */

/* t is about to wait for its predecessors. o: its options if memory for them was lacking, else NULL. */
DFI_UPCALL(void, dfi_up_alone_waits, (struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o));
/* Is everything done that t waits for besides its edges? */
DFI_UPCALL(int, dfi_up_alone_ready, (const struct dfi_flow *t));
/* t has waited for its predecessors. Nonzero: it is cancelled. */
DFI_UPCALL(int, dfi_up_alone_cancelled, (const struct dfi_flow *t));
/* t is about to run. DFI_GO: the caller runs its body; DFI_SKIP: it does not run; DFI_LATER: it has run. o: as above */
DFI_UPCALL(int, dfi_up_alone_runs, (struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n,
                                    const struct df_opts *o));
/* t has run in the caller, or did not. */
DFI_UPCALL(void, dfi_up_alone_done, (struct dfi_worker *w, struct dfi_flow *t));
/* Code is about to wait for the predecessors of a task without edges; are those done that an access of it to r has
 * outside of the scope of that code? */
DFI_UPCALL(void, dfi_up_before_begins, (struct dfi_worker *w, struct dfi_before *b));
DFI_UPCALL(int, dfi_up_before_done, (const struct dfi_before *b, const struct dfi_region *r));

/* --- order ---------------------------------------------------------------------------------------------- */

/* Access x of t, to exactly the region of n, is about to be ordered; the pool asks (dfi_flow_pool.asks_accesses). */
DFI_UPCALL(void, dfi_up_access, (struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n,
                                 const struct dfi_access *x));
/* x is an access of a kind that joins sharers of exactly its region only. May it join those of n? */
DFI_UPCALL(int, dfi_up_joins, (const struct dfi_entry *n, const struct dfi_access *x));
/* t is one of the sharers of n now, which are of such a kind. -1: out of memory. */
DFI_UPCALL(int, dfi_up_joined, (struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n,
                                const struct dfi_access *x));
/* t is about to get edges from the sharers of n, which are of another kind than its access. */
DFI_UPCALL(void, dfi_up_follows_sharers, (struct dfi_worker *w, const struct dfi_entry *n));
/* No task joins the sharers of n any more; n has DFI_ENTRY_JOINT. pre: the next task has its edges. */
DFI_UPCALL(void, dfi_up_sharers_end, (struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n));
/* t is about to follow p, which has parts, for the access that is being registered. 1: it follows parts of p; 0: it
 * needs an edge; -1: out of memory. */
DFI_UPCALL(int, dfi_up_follows_parts, (struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *p));
/* n is new; it is about to be freed, and has DFI_ENTRY_.. bits. s: its table is freed; NULL: its tasks are done. */
DFI_UPCALL(void, dfi_up_entry_new, (struct dfi_entry *n));
DFI_UPCALL(void, dfi_up_entry_free, (struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n));
DFI_UPCALL(void, dfi_up_table_new, (struct dfi_table *table));

/* --- from ready to done ---------------------------------------------------------------------------------- */

/* t, which has optional state, is ready. w may be NULL. */
DFI_UPCALL(int, dfi_up_ready, (struct dfi_flow *t));
enum { DFI_GO, DFI_SKIP, DFI_LATER, DFI_OVER };
/* w waits for g, and finds no task inside of it. Nonzero: a task that may run nested in the wait nevertheless. */
DFI_UPCALL(int, dfi_up_find_around, (struct dfi_worker *w, const struct dfi_goal *g, struct dfi_stolen *stolen));
/* t is about to run; it has optional state, or is skipped, or dfi_flow_pool.asks_begin asks. DFI_SKIP: its body does
 * not run; DFI_LATER: it waits, and becomes ready again without further action; DFI_OVER: its body has run before. */
DFI_UPCALL(int, dfi_up_begins, (struct dfi_worker *w, struct dfi_flow *t));
/* The code of w has ended, and has left lazy tasks. */
DFI_UPCALL(void, dfi_up_lazy_end, (struct dfi_worker *w));
/* The body of t, which has parts, has ended, or was skipped. pre: w->task or w->scope is that of t */
DFI_UPCALL(void, dfi_up_body_ends, (struct dfi_worker *w, struct dfi_flow *t, int skipped));
/* t, which has optional state, and its descendants are done. Zero: it completes later. */
DFI_UPCALL(int, dfi_up_done, (struct dfi_worker *w, struct dfi_flow *t));
/* t, which writes and was skipped, is about to release its successors, which are skipped, too. Nonzero: it must not be
 * freed then. */
DFI_UPCALL(int, dfi_up_skipped, (struct dfi_flow *t));
/* Releases the tasks in dfi_flow_pool.opened. */
DFI_UPCALL(void, dfi_up_opened, (struct dfi_worker *w));
/* t releases its successors, which an upper floor has (DFI_OWN_SUCC). Returns one that became ready, or `ready`; pushes
 * the others. It keeps t. */
DFI_UPCALL(struct dfi_flow *, dfi_up_releases, (struct dfi_worker *w, struct dfi_flow *t, unsigned skip,
                                                struct dfi_flow *ready));
/* t, which has optional state, has released its successors. Nonzero: an upper floor frees it. */
DFI_UPCALL(int, dfi_up_stays, (struct dfi_worker *w, struct dfi_flow *t));
/* The optional state of t is about to be freed. */
DFI_UPCALL(void, dfi_up_extra_free, (struct dfi_worker *w, struct dfi_flow *t));
/* w->task, which is on the stack of its thread (DFI_ON_STACK), needs a record of its own. NULL: out of memory. */
DFI_UPCALL(struct dfi_flow *, dfi_up_leaves_stack, (struct dfi_worker *w));
/* It has none, and is done. */
DFI_UPCALL(void, dfi_up_ends_on_stack, (struct dfi_worker *w, struct dfi_flow *t));

/* --- scopes, besides work/scope.h --------------------------------------------------------------------------- */

DFI_UPCALL(void, dfi_up_flow_scope_new, (struct dfi_scope *s));
/* The body of t, which has optional state, has got the scope s. */
DFI_UPCALL(void, dfi_up_body_begins, (struct dfi_worker *w, struct dfi_scope *s, struct dfi_flow *t));
/* The code that w runs has opened a block, with the scope s. */
DFI_UPCALL(void, dfi_up_block_opens, (struct dfi_worker *w, struct dfi_scope *s));
/* The code of w's scope has waited for its tasks that conflict with x, or for all. */
DFI_UPCALL(void, dfi_up_waited_for, (struct dfi_worker *w, const struct dfi_access *x, unsigned n));
DFI_UPCALL(void, dfi_up_waited, (struct dfi_worker *w, struct dfi_scope *s));
/* The body whose scope is s, and all its children, are done; its task is next. */
DFI_UPCALL(void, dfi_up_body_done, (struct dfi_scope *s));
/* The code of s, which asks, has ended. */
DFI_UPCALL(void, dfi_up_code_left, (struct dfi_worker *w, struct dfi_scope *s));
/* Nothing refers to s any more. */
DFI_UPCALL(void, dfi_up_flow_scope_free, (struct dfi_worker *w, struct dfi_scope *s));

#endif
