/* core.h - interface between the inline paths of df.h and the runtime
 *
 * Contains the records that user code accesses directly, and the slow paths of the inline functions. The full records
 * of worker, scope and task are in work/types.h, visible to the implementation only. */
#ifndef DFI_API_CORE_H
#define DFI_API_CORE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/fenv.h"
#include "access.h"
#include "task.h"

/* The head of every future. While the future is private, `link` is the previous private future of this worker; after
 * that it is the future's state (see work/future.h). */
struct dfi_future {
    const struct dfi_type *type;
    DFI_ATOMIC(void *) link;
};

/* The part of a worker that spawn and sync use. `top` and its cache line belong to the owner. `steal_request`: thieves
 * set it and the owner reads it; it is their only way to interrupt the owner.
 *
 * The private futures form a list through the futures themselves, not an array with an index, because spawn then stores
 * in `top` an address that the processor knows already, and not the result of a chain of loads and stores through every
 * earlier spawn and sync (fib on a Zen 4: 5.1 ns with an index). */
struct dfi_hot {
    void *top;                   /* the latest private future, or NULL */
    char line[64 - sizeof(void *)];
    DFI_ATOMIC(uintptr_t) steal_request; /* not 0: spawn and sync take the slow path */
    char line0[64];
    struct dfi_lazy *lazy;       /* tasks that have no records so far, newest first, or NULL (flow/lazy.h) */
    char *lazy_at, *lazy_end;    /* memory for more; lazy_end is NULL if the next one takes the slow path */
};

/* The head of every block of recyclable memory (work/blocks.h). */
struct dfi_block_head {
#if DFI_FENV
    DFI_EXTENSION union {
        struct dfi_block_head *next; /* while the block is free */
        uint32_t fenv;           /* of a task: the modes of the code that submitted it (base/fenv.h) */
    };
#else
    struct dfi_block_head *next;
#endif
    unsigned cls;                /* its size class */
    unsigned special;            /* of a task: it has a record of optional state (work/types.h) */
};

DFI_INLINE void dfi_fenv_save(struct dfi_block_head *of)
{
#if DFI_FENV
    dfi_fenv_get(&of->fenv);
#else
    (void)of;
#endif
}
DFI_INLINE void dfi_fenv_keep(struct dfi_block_head *of, uint32_t modes)
{
#if DFI_FENV
    of->fenv = modes;
#else
    (void)of, (void)modes;
#endif
}
DFI_INLINE uint32_t dfi_fenv_of(const struct dfi_block_head *of)
{
#if DFI_FENV
    return of->fenv;
#else
    return (void)of, 0;
#endif
}

/* A task created by df_submit; only the address of its argument record is visible here. */
struct dfi_task {
    struct dfi_block_head mem;
    void *args;
};

/* A task without a record. Its arguments follow. */
struct dfi_lazy {
    struct dfi_task as_task;     /* only for the result of dfi_task_new */
    const struct dfi_type *type;
    struct dfi_lazy *before;     /* in the list of its worker */
    struct dfi_flow *flow;       /* the record that it got while its body ran */
    int state;                   /* DFI_LAZY_... */
};
enum { DFI_LAZY_WAITS, DFI_LAZY_RUNS, DFI_LAZY_ENDED }; /* ENDED: its children are above it in the list */
enum { DFI_LAZY_HEAD = (sizeof(struct dfi_lazy) + 15) / 16 * 16 };
DFI_INLINE void *dfi_lazy_args(struct dfi_lazy *f) { return (char *)f + DFI_LAZY_HEAD; }

enum { DFI_ERROR_TEXT = 100 };     /* bytes stored of the text of df_fail */

struct dfi_scope;
/* Result of dfi_task_new: there is no memory for a record, or it wants the accesses first; the type has some. */
#define DFI_BARE ((struct dfi_task *)(uintptr_t)1)
/* The record of a DF_PARALLEL block, on the stack of its function. */
struct dfi_parallel_block {
    struct dfi_scope *scope;
    int open;
    int borrowed; /* no memory for a scope of its own: the block uses the enclosing one */
};

DFI_EXTERN_C_BEGIN
extern DFI_API struct dfi_hot dfi_nobody;
extern DFI_API DFI_TLS struct dfi_hot *dfi_self; /* this thread's worker, or &dfi_nobody */
DFI_API struct dfi_task *dfi_task_new(const struct dfi_type *type);
DFI_API void dfi_submit(struct dfi_task *t, struct dfi_access *x, unsigned n);
DFI_API void dfi_submit_here(struct dfi_task *t, struct dfi_access *x, unsigned n); /* for types with DFI_LAUNCH */
DFI_API void dfi_run_now(const struct dfi_type *type, void *args);
DFI_API void dfi_run_after(const struct dfi_type *type, void *args, const struct dfi_access *x, unsigned n);
DFI_API void dfi_with(const struct df_opts *opts, const char *site);
DFI_API void dfi_with_end(const struct df_opts *opts);
DFI_API struct dfi_parallel_block dfi_scope_enter(const char *site);
DFI_API void dfi_scope_leave(struct dfi_parallel_block *b);
DFI_API void *dfi_local_alloc(size_t n, size_t bytes);
DFI_EXTERN_C_END

/* Memory for n elements of a type with an alignment above 16, which is then at most their size. */
DFI_INLINE void *dfi_local_wide(size_t n, size_t bytes, size_t align)
{
    char *p = (char *)dfi_local_alloc(n + (n < SIZE_MAX), bytes);
    return p ? p + (0 - (uintptr_t)p) % align : NULL;
}

/* A new lazy task of a type without modes, whose arguments of that size the caller sets. NULL: it takes the slow
 * path. Cost: five loads, two compares, four stores. (Without optimisation clang would leave dfi_self out of a branch
 * that is never taken, but not out of the names that the file needs, where it would not be thread-local: ld refuses it.
 * So `modes` is tested here, after the load.) */
DFI_INLINE struct dfi_lazy *dfi_lazy_new(const struct dfi_type *type, unsigned modes, size_t args_bytes)
{
    struct dfi_hot *w = dfi_self;
    struct dfi_lazy *f = (struct dfi_lazy *)(void *)w->lazy_at;
    const size_t bytes = DFI_LAZY_HEAD + (args_bytes + 15) / 16 * 16;
    /* relaxed: a hint, as in dfi_spawn */
    if (modes || DFI_UNLIKELY((uintptr_t)f + bytes > (uintptr_t)w->lazy_end || dfi_load_relaxed(&w->steal_request)))
        return NULL;
    w->lazy_at = (char *)f + bytes;
    dfi_fenv_save(&f->as_task.mem);
    f->type = type;
    f->state = DFI_LAZY_WAITS;
    f->before = w->lazy;
    w->lazy = f;
    return f;
}

#if !defined(DF_SERIAL)

DFI_EXTERN_C_BEGIN
DFI_API void dfi_spawn_slow(struct dfi_future *f);
DFI_API int dfi_sync_slow(struct dfi_future *f);
DFI_API void dfi_here(const char *site); /* DF_DEBUG, DF_CHECK: file and line of the call that follows */
DFI_API void dfi_spawn_checked(struct dfi_future *f);
DFI_API int dfi_sync_checked(struct dfi_future *f);
DFI_EXTERN_C_END

/* Makes f the newest private future of this worker.
 * pre: f->type and the arguments are set. Cost: three loads, a compare, two stores; no atomic read-modify-write, no
 * fence. */
DFI_INLINE void dfi_spawn(struct dfi_future *f)
{
#if DF_DEBUG || DF_CHECK
    dfi_spawn_checked(f);
#else
    struct dfi_hot *w = dfi_self;
    /* relaxed: only a hint to take the slow path, which synchronises (dfi_poll) */
    if (DFI_UNLIKELY(dfi_load_relaxed(&w->steal_request))) {
        dfi_spawn_slow(f);
        return;
    }
    dfi_store_relaxed(&f->link, w->top); /* relaxed: owner only, until published by dfi_share */
    w->top = f;
#endif
}

/* Nonzero: no other worker took f, so the caller runs it now. Zero: f has run, and its result is in the future. */
DFI_INLINE int dfi_sync(struct dfi_future *f)
{
#if DF_DEBUG || DF_CHECK
    return dfi_sync_checked(f);
#else
    struct dfi_hot *w = dfi_self;
    /* Futures that other workers may see are no longer in the list, so one compare shows both that f is the newest
     * future and that it is still private. relaxed: as in dfi_spawn. */
    if (DFI_LIKELY(w->top == (void *)f && !dfi_load_relaxed(&w->steal_request))) {
        w->top = dfi_load_relaxed(&f->link);
        return 1;
    }
    return dfi_sync_slow(f);
#endif
}

#endif

#endif
