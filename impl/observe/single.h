/* single.h - the observers at the points of the core under DF_SERIAL: those that need no threads */
#ifndef DFI_OBSERVE_SINGLE_H
#define DFI_OBSERVE_SINGLE_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "graph/hook.h"
#include "progress.h"
#include "tell.h"
#include "watching.h"

#if defined(DF_SERIAL)
static DFI_COLD void dfi_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    if (DFI_GRAPH_POINTS >> p & 1) dfi_graph_see(w, p, on, other, a);
    dfi_progress_see(w, p, on);
    dfi_tell_point(w, p, on, other);
    (void)a;
}
#define dfi_up_see_by , dfi_see
#endif

#endif
