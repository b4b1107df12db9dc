/* body.h - the call of a task's body, told to observers */
#ifndef DFI_FLOW_BODY_H
#define DFI_FLOW_BODY_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../api/task.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "types.h"

static const char *dfi_flow_name(const struct dfi_flow *t)
{
    return t->task.mem.special == 1 && t->extra->name ? t->extra->name : t->type->name;
}

/* Where the result of t goes, which may be NULL; or NULL. */
DFI_FAST void *dfi_result_of(const struct dfi_flow *t)
{
    return t && DFI_UNLIKELY(t->task.mem.special == DFI_HAS_EXTRA) ? t->extra->result : NULL;
}

static DFI_NOINLINE void dfi_body_observed(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                           const struct dfi_flow *t)
{
    struct dfi_body b;
    b.name = type->name, b.title = t ? dfi_flow_name(t) : type->name;
    b.type = type, b.task = t, b.future = NULL, b.victim = NULL;
    b.kind = type->modes & (DFI_INTERNAL | DFI_UNCOUNTED) ? (unsigned)DFI_RAN_INTERNAL : 0u;
    if (!t) b.kind |= DFI_RAN_INLINE;
    b.part = 0;
    dfi_at_begin(w, &b);
    type->run(args, dfi_result_of(t));
    dfi_at_end(w, &b);
}

DFI_FAST void dfi_body_call(struct dfi_worker *w, const struct dfi_type *type, void *args, const struct dfi_flow *t)
{
    if (!dfi_wanted(DFI_AT_BEGIN)) type->run(args, dfi_result_of(t));
    else dfi_body_observed(w, type, args, t);
}

/* Runs the body by dfi_body_call, and does more before and after it. */
DFI_UPCALL(void, dfi_up_body, (struct dfi_worker *w, const struct dfi_type *type, void *args, struct dfi_flow *t));

/* Runs the body of a task. t: its record, or NULL. */
DFI_FAST void dfi_body_run(struct dfi_worker *w, const struct dfi_type *type, void *args, struct dfi_flow *t)
{
    if (dfi_up_body) dfi_up_body(w, type, args, t);
    else dfi_body_call(w, type, args, t);
}

#endif
