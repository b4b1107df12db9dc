/* block.h - DF_PARALLEL: blocks that wait for the tasks submitted in them */
#ifndef DFI_WORK_BLOCK_H
#define DFI_WORK_BLOCK_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../api/core.h"
#include "director.h"
#include "scope.h"
#include "supervise.h"
#include "task.h"
#include "types.h"
#include "worker.h"
#include "../api/wait.h"

#if DFI_WITH_DATAFLOW

/* Ends the current scope, a block that was left by a jump. */
static DFI_COLD void dfi_block_left(struct dfi_worker *w)
{
    const char *site = w->scope->site;
    if (site)
        dfi_error("%s: DF_PARALLEL was left by return, goto or longjmp, or another coroutine of this thread ended its "
                  "block first: df waits for its tasks now; leave it by break, and let the blocks of a thread nest",
                  site);
    dfi_scope_finish(w, w->scope);
}

/* A DF_PARALLEL block begins: pushes its scope. NULL: out of memory. */
DFI_UPCALL(struct dfi_scope *, dfi_up_block_begins, (struct dfi_worker *w, const char *site));

DFI_API DFI_OWN_FRAME struct dfi_parallel_block dfi_scope_enter(const char *site)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_parallel_block b;
    b.open = 1, b.borrowed = 0, b.scope = NULL;
    if (!w) return b;
    DFI_UNSYNCED(w);
    dfi_turn_take(w);
    b.scope = dfi_up_block_begins ? dfi_up_block_begins(w, site) : dfi_scope_push(w, w->scope, DFI_BLOCK);
    if (b.scope) b.scope->site = site;
    else b.borrowed = 1, b.scope = dfi_scope_here(w);
    return b;
}

DFI_API DFI_OWN_FRAME void dfi_scope_leave(struct dfi_parallel_block *b)
{
    struct dfi_worker *w = dfi_me();
    if (!b->open) return;
    DFI_CALLED(w);
    DFI_UNSYNCED(w);
    b->open = 0;
    if (!w) return; /* without a worker, each task ran immediately */
    if (!b->scope) { /* memory for a scope was lacking, but may have been available later */
        if (!w->task) dfi_wait_all(w, w->scope);
        return;
    }
    while (w->scope != b->scope && w->scope->outer) dfi_block_left(w); /* a block inside */
    /* C++, when the thread ends: work/thread_end.h has left the block */
    if (DFI_UNLIKELY(w->scope != b->scope)) return;
    if (b->borrowed) dfi_wait_all(w, b->scope);
    else dfi_scope_finish(w, b->scope);
    dfi_turn_outside(w);
}

DFI_EXTERN_C_BEGIN
DFI_API void (df_parallel)(void (*fn)(void *arg), void *arg)
{
    struct dfi_parallel_block b = dfi_scope_enter(NULL);
    fn(arg);
    dfi_scope_leave(&b);
}
DFI_EXTERN_C_END

#endif

#endif
