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
 *   observe/check/run.h the body of a task, checked */
#ifndef DFI_OBSERVE_CHECK_CHECK_H
#define DFI_OBSERVE_CHECK_CHECK_H

#include "../../base/compiler.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../flow/region.h"

struct dfi_worker;
struct dfi_flow;
struct dfi_scope;

#if DF_CHECK && DFI_GNU && DFI_POSIX
#if defined(__SANITIZE_ADDRESS__)
#define DFI_CHECK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DFI_CHECK_ASAN 1
#endif
#endif
#endif
#ifndef DFI_CHECK_ASAN
#define DFI_CHECK_ASAN 0
#endif

#if DF_CHECK
struct dfi_check_entry;
/* One declared parameter of a task. */
struct dfi_checked {
    struct dfi_region region;
    /* arg: offset in the argument record, or DFI_NO_ARG; parameter: index in dfi_type.labels */
    unsigned mode, arg, parameter;
    struct dfi_check_entry *entry;   /* AddressSanitizer: the entry of its region in its scope, or NULL */
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

static void dfi_check_run(struct dfi_worker *w, const struct dfi_type *type, void *args, struct dfi_flow *t);
static void dfi_check_submit(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n);
static void dfi_check_waits(struct dfi_worker *w, struct dfi_scope *s);
static void dfi_check_children_done(struct dfi_scope *s);
static void dfi_check_scope_end(struct dfi_scope *s); /* its memory is reused */
/* the items of a pipe with scope s, which may be NULL */
static void dfi_check_items(struct dfi_scope *s, const void *p, size_t bytes);
/* An API function was called from the frame above: memory below it belongs to functions that have
 * returned. */
#define DFI_CHECK_CALL(w) ((w) ? (void)((w)->call = DFI_CHECK_FRAME) : (void)0)
#if DFI_GNU
#define DFI_CHECK_FRAME ((uintptr_t)__builtin_frame_address(0))
#else
#define DFI_CHECK_FRAME ((uintptr_t)0) /* then no stack is checked */
#endif
/* True if memory at p is checked in another way (df_owm.h). */
static int (*dfi_check_others)(uintptr_t p);
static int dfi_check_elsewhere(uintptr_t p) { return dfi_check_others && dfi_check_others(p); }
#else
#define DFI_CHECK_CALL(w) ((void)0)
DFI_INLINE void dfi_check_waits(struct dfi_worker *w, struct dfi_scope *s) { (void)w, (void)s; }
DFI_INLINE void dfi_check_children_done(struct dfi_scope *s) { (void)s; }
DFI_INLINE void dfi_check_scope_end(struct dfi_scope *s) { (void)s; }
DFI_INLINE void dfi_check_items(struct dfi_scope *s, const void *p, size_t bytes) { (void)s, (void)p, (void)bytes; }
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
    const struct dfi_type *type;                 /* the type of the last of them, and of the last that writes */
    const char *site;
    unsigned mode, parameter;
    int waited;                                  /* the submitter has waited for some of its bytes since */
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
static void dfi_check_done(struct dfi_flow *t);                        /* t and its descendants are done */
/* the running code waits: others may have its turn */
static void dfi_check_pause(struct dfi_worker *w);
static void dfi_check_resume(struct dfi_worker *w);
/* begins a part of the code of scope s */
static int dfi_check_part_begin(struct dfi_worker *w, struct dfi_check_view *v, const struct dfi_scope *s);
static void dfi_check_part_end(struct dfi_worker *w, struct dfi_check_view *v, int begun);
/* df itself is about to access declared memory */
static int dfi_check_own_begin(struct dfi_check_view *v, const struct dfi_region *r, unsigned n);
static void dfi_check_own_end(struct dfi_check_view *v, int begun);
/* df_wait_on: all tasks submitted so far that write there are done */
static void dfi_check_waited(struct dfi_worker *w, const struct dfi_access *x);
/* the running task no longer accesses r */
static void dfi_check_release(struct dfi_worker *w, const struct dfi_region *r);
static void dfi_check_block_begin(struct dfi_worker *w);               /* program code blocks, or may */
static void dfi_check_block_end(struct dfi_worker *w);
static void dfi_check_thread_end(struct dfi_worker *w);
static void dfi_check_reset(int off);
static void dfi_check_fork_prepare(void);
static void dfi_check_fork_parent(void);
static void dfi_check_fork_child(void);
#else
struct dfi_check_view { char unused; };
DFI_INLINE void dfi_check_done(struct dfi_flow *t) { (void)t; }
DFI_INLINE void dfi_check_pause(struct dfi_worker *w) { (void)w; }
DFI_INLINE void dfi_check_resume(struct dfi_worker *w) { (void)w; }
DFI_INLINE int dfi_check_part_begin(struct dfi_worker *w, struct dfi_check_view *v, const struct dfi_scope *s)
{
    return (void)w, (void)v, (void)s, 0;
}
DFI_INLINE void dfi_check_part_end(struct dfi_worker *w, struct dfi_check_view *v, int begun)
{
    (void)w, (void)v, (void)begun;
}
DFI_INLINE int dfi_check_own_begin(struct dfi_check_view *v, const struct dfi_region *r, unsigned n)
{
    return (void)v, (void)r, (void)n, 0;
}
DFI_INLINE void dfi_check_own_end(struct dfi_check_view *v, int begun) { (void)v, (void)begun; }
DFI_INLINE void dfi_check_waited(struct dfi_worker *w, const struct dfi_access *x) { (void)w, (void)x; }
DFI_INLINE void dfi_check_release(struct dfi_worker *w, const struct dfi_region *r) { (void)w, (void)r; }
DFI_INLINE void dfi_check_block_begin(struct dfi_worker *w) { (void)w; }
DFI_INLINE void dfi_check_block_end(struct dfi_worker *w) { (void)w; }
DFI_INLINE void dfi_check_thread_end(struct dfi_worker *w) { (void)w; }
DFI_INLINE void dfi_check_reset(int off) { (void)off; }
DFI_INLINE void dfi_check_fork_prepare(void) {}
DFI_INLINE void dfi_check_fork_parent(void) {}
DFI_INLINE void dfi_check_fork_child(void) {}
#endif

#endif
