/* waits.h - records of the waits of threads, for stall reports (observe/stall/report.h)
 *
 * Only while stalls are watched. A wait is a record on the stack of its thread, in a list with the newest first; so are
 * the running bodies (observe/chains.h). Both lists of a worker are changed and read under its `lock` (dfi_chains). So
 * the records read there stay, and so does everything that the thread cannot leave before it removes its record.
 * Argument: docs/internals/observe.md, "Stalls". */
#ifndef DFI_OBSERVE_STALL_WAITS_H
#define DFI_OBSERVE_STALL_WAITS_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../os/os.h"
#include "../../work/types.h"
#include "../../work/worker.h"
#include "../chains.h"
#include "../events.h"

static DFI_COLD void dfi_stall_wait_begin(struct dfi_worker *w, struct dfi_wait *x)
{
    x->in = dfi_load_relaxed(&dfi_chains_of(w)->running);
    x->since = dfi_ticks();
    dfi_chain_change(w);
    x->outer = dfi_chains_of(w)->waits, dfi_chains_of(w)->waits = x;
    dfi_os_unlock(&dfi_chains_of(w)->lock);
}
static DFI_COLD void dfi_stall_wait_end(struct dfi_worker *w, struct dfi_wait *x)
{
    dfi_chain_change(w);
    dfi_chains_of(w)->waits = x->outer;
    dfi_os_unlock(&dfi_chains_of(w)->lock);
}

#endif
