/* chains.h - the running bodies and the waits of a worker, innermost first */
#ifndef DFI_OBSERVE_CHAINS_H
#define DFI_OBSERVE_CHAINS_H

#include "../base/atomic.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../work/probe.h"
#include "../work/types.h"

struct dfi_chains {
    DFI_ATOMIC(struct dfi_body *) running; /* the body on top of the stack; written by the owner */
    struct dfi_os_mutex lock;        /* also protects changes of `running` while stalls are watched (stall/waits.h) */
    struct dfi_wait *waits;          /* lock: the innermost wait of the owner */
    const void *thread_id;           /* lock: ID of the owner's thread */
    const char *site;                /* owner: source line of the next wait, or NULL */
    DFI_ATOMIC(size_t) n_changes;    /* statistics */
};
DFI_ROOM(dfi_chains, dfi_chains_of, dfi_worker);

#endif
