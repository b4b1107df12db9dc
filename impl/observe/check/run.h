/* run.h - DF_CHECK: the body of a task, with the checks before and after it */
#ifndef DFI_OBSERVE_CHECK_RUN_H
#define DFI_OBSERVE_CHECK_RUN_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/supervise.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../flow/region.h"
#include "check.h"
#include "declared.h"
#include "view.h"

#if DF_CHECK

enum { DFI_CHECK_FILL = 0xdb };

/* DF_CHECK 2: fills the memory that the body writes without reading. */
static void dfi_check_fill(const struct dfi_flow *t)
{
    unsigned i;
    size_t row;
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        const struct dfi_region *r = &dfi_task_checks(t)->checked[i].region;
        char *p;
        if (!dfi_check_only(t, i, DFI_OUT) || dfi_task_checks(t)->checked[i].elsewhere) continue;
        p = dfi_check_pointer(t, i);
        for (row = 0; row < r->rows; row++) memset(p + row * r->ld, DFI_CHECK_FILL, r->row);
    }
}

/* DF_CHECK 2: reports parts that the body did not write. Words of 8 bytes that still have the fill
 * count as unwritten. */
static void dfi_check_unwritten(const struct dfi_flow *t)
{
    unsigned i;
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        const struct dfi_region *r = &dfi_task_checks(t)->checked[i].region;
        size_t row, k, first = 0, bytes = 0;
        const char *p, *name;
        char at[160];
        int n;
        if (!dfi_check_only(t, i, DFI_OUT) || dfi_task_checks(t)->checked[i].elsewhere) continue;
        p = dfi_check_pointer(t, i);
        for (row = 0; row < r->rows; row++)
            for (k = 0; k + 8 <= r->row; k += 8) {
                size_t b = 0;
                while (b < 8 && (unsigned char)p[row * r->ld + k + b] == DFI_CHECK_FILL) b++;
                if (b < 8) continue;
                if (!bytes) first = row * r->ld + k;
                bytes += 8;
            }
        if (!bytes) continue;
        n = dfi_check_label(t->type, dfi_task_checks(t)->checked[i].parameter, &name);
        dfi_finding("task %s%s declares df_out %.*s and leaves %lu bytes of it, from byte %lu on, as they were "
                    "(DF_CHECK=2): declare df_inout(.., %.*s, ..), or less",
                    t->type->name, dfi_check_at(at, sizeof at, dfi_task_checks(t)->site), n, name, (unsigned long)bytes,
                    (unsigned long)first, n, name);
    }
}

/* Runs a body. t: its record; NULL: it runs immediately, because memory is short. */
static DFI_OWN_FRAME void dfi_check_run(struct dfi_worker *w, const struct dfi_type *type, void *args,
                                       struct dfi_flow *t)
{
    uintptr_t body, call;
    const char *name;
#if DFI_CHECK_ASAN
    struct dfi_check_view v;
    int nested;
#endif
    if (!w || type->modes & DFI_INTERNAL) {
        dfi_body_call(w, type, args, t);
        return;
    }
    body = dfi_checked_of(w)->body, call = dfi_checked_of(w)->call, name = dfi_checked_of(w)->name;
    dfi_checked_of(w)->body = DFI_CALL_FRAME, dfi_checked_of(w)->name = type->name;
#if DFI_CHECK_ASAN
    nested = dfi_checked_of(w)->in_turn;
    dfi_view_of_task(&v, t);
    dfi_view_begin(w, &v);
    dfi_check_stack_ends(dfi_checked_of(w)->body);
#endif
    if (t) {
        dfi_check_before(t);
        if (DFI_CHECK_LEVEL > 1) dfi_check_fill(t);
    }
    dfi_body_call(w, type, args, t);
    if (t) {
        dfi_check_after(t);
        if (DFI_CHECK_LEVEL > 1 && w->task == t) dfi_check_unwritten(t); /* it has no children that may write */
        if (w->scope->task == t) dfi_check_returned(w->scope, dfi_checked_of(w)->body);
    }
#if DFI_CHECK_ASAN
    dfi_view_end(w, &v, nested);
#endif
    dfi_checked_of(w)->body = body, dfi_checked_of(w)->call = call, dfi_checked_of(w)->name = name;
}

#endif

#endif
