/* see.h - the observers of df itself at the points of the core: dfi_see calls those that want a point (watching.h) */
#ifndef DFI_OBSERVE_SEE_H
#define DFI_OBSERVE_SEE_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "graph/hook.h"
#include "progress.h"
#include "tell.h"
#include "watching.h"
#if !defined(DF_SERIAL)
#include "chains.h"
#include "record.h"
#include "schedule/direct.h"
#include "stall/life.h"
#endif

typedef void dfi_see_fn(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a);
#define DFI_SEE_FUNCTION(with, name) DFI_SEE_EITHER(DFI_IF(with, dfi_##name##_see,) NULL, NULL),
#define DFI_SEE_EITHER(...)          DFI_SEE_FIRST(__VA_ARGS__, )
#define DFI_SEE_FIRST(function, ...) function

/* The observers that saw a body or wait begin see its end in the opposite order. */
static DFI_NOINLINE void dfi_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    static dfi_see_fn *const see[] = { DFI_OBSERVERS(DFI_SEE_FUNCTION) };
    int ends = p == DFI_AT_END || p == DFI_AT_WAITED, i;
    unsigned who = dfi_load_relaxed(&dfi_seers[!ends ? p : (unsigned)(p == DFI_AT_END ? DFI_AT_BEGIN : DFI_AT_WAIT)]);
    if (p == DFI_AT_BEGIN) {
        struct dfi_body *b = (struct dfi_body *)(uintptr_t)on;
        b->id = 0;
        memset((void *)b->room, 0, sizeof b->room);
    } else if (p == DFI_AT_WAIT) ((struct dfi_wait *)(uintptr_t)on)->told = 0;
    for (i = ends ? DFI_OBSERVER_COUNT - 1 : 0; i >= 0 && i < DFI_OBSERVER_COUNT; i += ends ? -1 : 1)
        if (who >> i & 1 && see[i]) see[i](w, p, on, other, a);
}
#define dfi_up_see_by , dfi_see

#endif
