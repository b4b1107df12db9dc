/* report.h - DF_CHECK with AddressSanitizer: explanation of an access that it stopped
 *
 * AddressSanitizer calls __asan_on_error before it prints its report. If the address belongs to a
 * task, the log first says which code may access it, and the declaration to add. */
#ifndef DFI_OBSERVE_CHECK_REPORT_H
#define DFI_OBSERVE_CHECK_REPORT_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../os/os.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../flow/region.h"
#include "check.h"
#include "declared.h"
#include "turn.h"
#include "view.h"

#if DFI_CHECK_ASAN

DFI_EXTERN_C_BEGIN
extern void *dfi_asan_address(void) __asm__("__asan_get_report_address");
extern int dfi_asan_writes(void) __asm__("__asan_get_report_access_type");
extern size_t dfi_asan_bytes(void) __asm__("__asan_get_report_access_size");
/* visible also in a build with a pool of its own: the sanitizer calls it */
__attribute__((visibility("default"))) void dfi_check_on_error(void) __asm__("__asan_on_error");
DFI_EXTERN_C_END

/* The declared region that best explains the error of the stopped code at byte p. NULL: none, as far
 * as df knows. */
static struct dfi_check_entry *dfi_check_culprit(const struct dfi_check_view *v, uintptr_t p)
{
    struct dfi_check_entry *n, *best = NULL, **list = v ? dfi_view_list(v) : NULL;
    int rank, most = 0;
    for (n = dfi_check.entries; n; n = n->next) {
        if (n->gone || !dfi_region_meets_range(&n->region, p, p + 1)) continue;
        rank = 1;
        if (v && v->task && n->scope == v->task->scope) rank = 2;
        if (list && n->list == list && n->writers) rank = 3;
        if (rank > most) best = n, most = rank;
    }
    return best;
}

void dfi_check_on_error(void)
{
    struct dfi_worker *w = dfi_me();
    const struct dfi_check_view *v = w ? dfi_checked_of(w)->view : NULL;
    const struct dfi_flow *t = v ? v->task : NULL;
    uintptr_t p = (uintptr_t)dfi_asan_address();
    const char *does = dfi_asan_writes() ? "writes" : "reads", *name;
    char at[160], from[160], who[80];
    struct dfi_check_entry *n;
    unsigned i;
    int length, tries;
    /* another thread holds the lock for moments; rather no explanation than no report of the sanitizer */
    if (dfi_check_locked) return;
    for (tries = 0; !dfi_os_trylock(&dfi_check.lock); tries++) {
        if (tries == 1000) return;
        dfi_os_sleep_ms();
    }
    if ((n = dfi_check_culprit(v, p)) != NULL) {
        unsigned long bytes = (unsigned long)dfi_asan_bytes(), offset = (unsigned long)(p - n->region.p);
        length = dfi_check_label(n->type, n->parameter, &name);
        dfi_check_at(from, sizeof from, n->site);
        if (!n->site) from[0] = 0;
        at[0] = 0;
        if (t) dfi_check_at(at, sizeof at, dfi_task_checks(t)->site);
        snprintf(who, sizeof who, t ? "task %s" : w ? "code outside of all tasks" : "a thread outside of df",
                 t ? t->type->name : "");
        for (i = 0; t && i < dfi_task_checks(t)->n_checked; i++)
            if (dfi_region_meets_range(&dfi_task_checks(t)->checked[i].region, p, p + 1)) break;
        if (t && i < dfi_task_checks(t)->n_checked && n->list != &dfi_task_checks(t)->declared) {
            int weak = (dfi_task_checks(t)->checked[i].mode & DFI_CHILDREN) != 0;
            length = dfi_check_label(t->type, dfi_task_checks(t)->checked[i].parameter, &name);
            if (weak)
                dfi_finding("%s%s %s %lu bytes at %p that it declares only weakly, for tasks it submits (DF_CHECK): "
                            "declare %.*s without weak", who, at, does, bytes, (void *)p, length, name);
            else
                dfi_finding("%s%s %s %lu bytes at %p that it has released (DF_CHECK): call df_release for %.*s later",
                            who, at, does, bytes, (void *)p, length, name);
        } else if (!t || n->list == &dfi_task_checks(t)->declared)
            dfi_finding("%s%s %s %lu bytes at %p while task %s%s, which writes them (df_%s %.*s), is not done "
                        "(DF_CHECK): wait before, by df_wait or df_wait_on",
                        who, at, does, bytes, (void *)p, n->type->name, from, dfi_check_mode(n->mode), length, name);
        else
            dfi_finding("%s%s %s %lu bytes at %p that it does not declare (DF_CHECK): byte %lu of df_%s %.*s of task "
                        "%s%s: declare the parameter of %s that points to them as df_%s",
                        who, at, does, bytes, (void *)p, offset, dfi_check_mode(n->mode), length, name,
                        n->type->name, from, t->type->name, dfi_asan_writes() ? "inout" : "in");
    }
    dfi_os_unlock(&dfi_check.lock);
}

#endif

#endif
