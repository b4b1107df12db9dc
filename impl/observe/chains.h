/* chains.h - the running bodies and the waits of a worker, innermost first */
#ifndef DFI_OBSERVE_CHAINS_H
#define DFI_OBSERVE_CHAINS_H

#include "../base/atomic.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "watching.h"

struct dfi_chains {
    DFI_ATOMIC(struct dfi_body *) running; /* the body on top of the stack; written by the owner */
    struct dfi_os_mutex lock;        /* also protects changes of `running` while stalls are watched (stall/waits.h) */
    struct dfi_wait *waits;          /* lock: the innermost wait of the owner */
    const void *thread_id;           /* lock: ID of the owner's thread */
    const char *site;                /* owner: source line of the next wait, or NULL */
    DFI_ATOMIC(size_t) n_changes;    /* statistics */
};
DFI_ROOM(dfi_chains, dfi_chains_of, dfi_worker);

static int dfi_stall_on(void) { return DFI_UNLIKELY(dfi_watched(dfi_observer_stall)) != 0; }

/* Locks around each change of a list. pre: dfi_stall_on(); the caller is the owner of w */
static void dfi_chain_change(struct dfi_worker *w)
{
    dfi_os_lock(&dfi_chains_of(w)->lock);
    dfi_chains_of(w)->thread_id = dfi_thread_id();
    dfi_count(&dfi_chains_of(w)->n_changes);
}

static void dfi_chain_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    struct dfi_body *b = (struct dfi_body *)(uintptr_t)on;
    int stall = dfi_stall_on();
    (void)other, (void)a;
    if (p == DFI_AT_BEGIN) b->outer = dfi_load_relaxed(&dfi_chains_of(w)->running), b->since = stall ? dfi_ticks() : 0;
    if (stall) dfi_chain_change(w);
    /* release: passes the record to a thread that looks at the running bodies of w */
    dfi_store_release(&dfi_chains_of(w)->running, p == DFI_AT_BEGIN ? b : b->outer);
    if (stall) dfi_os_unlock(&dfi_chains_of(w)->lock);
}

#endif
