/* unsynced.h - detection of spawns without a sync, for DF_DEBUG and DF_CHECK
 *
 * A future is on the owner's stack of entries from its spawn to its sync. A leftover future is reported and removed
 * when
 *   - the function that has the future as a variable has returned: at the thread's next call of df;
 *   - the same future is spawned again;
 *   - the task that spawned it, its thread, or the program ends.
 * The future's own memory may be gone by then. It is neither read nor written: the report uses data kept at the spawn
 * (w->sites).
 *
 * How to detect that the function has returned: stacks grow downwards, so all variables of active functions are at or
 * above the end of the frame that called df. Variables below it, on the stack of the same thread, belonged to
 * functions that have returned. The end is the canonical frame address of the API function, which must not be
 * inlined; in a callee the address is lower, so fewer futures are found, and none wrongly. Futures in other memory
 * (static, allocated, stacks of coroutines, fake stacks of AddressSanitizer) are only detected when the task ends.
 *
 * The search begins at the newest entry and stops at the first variable of an active function: entries below belong
 * to outer functions, or were found before that one was spawned. */
#ifndef DFI_WORK_UNSYNCED_H
#define DFI_WORK_UNSYNCED_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/core.h"
#include "future.h"
#include "worker.h"
#include "stack.h"
#include "types.h"

#if DFI_WITH_SITES && !defined(DF_SERIAL)
DFI_SMALL_CODE_BEGIN
#define DFI_MESSAGE_NOT_SYNCED "%s: df_spawn(%s) without df_sync before %s: %s; sync it in the function that spawns it"

/* entries checked per call of df, because with 10^5 futures in allocated memory checking all takes too long */
enum { DFI_UNSYNCED_MOST = 64 };

/* The future at index `at` of the stack if its spawn site is known, else NULL. */
static struct dfi_future *dfi_spawned_at(const struct dfi_worker *w, size_t at)
{
    uintptr_t e = at < w->head ? (uintptr_t)w->stack[at] : 0;
    return e && !(e & DFI_FLOW) && w->sites[at].site ? (struct dfi_future *)(e & ~DFI_PUBLIC) : NULL;
}

/* Reports and removes f, at index `at` of the stack. */
static DFI_COLD void dfi_unsynced_forget(struct dfi_worker *w, struct dfi_future *f, size_t at, const char *when)
{
    struct dfi_spawned s = w->sites[at];
    int taken;
    w->sites[at].site = NULL;
    taken = !dfi_stack_take(w, f, at);
    /* removes its mark, as in dfi_sync_checked */
    if (taken && at < w->head && ((uintptr_t)w->stack[at] & ~DFI_PUBLIC) == (uintptr_t)f) {
        w->stack[at] = NULL;
        dfi_stack_trim(w, dfi_stack_floor(w));
    }
    dfi_error(DFI_MESSAGE_NOT_SYNCED, s.site, s.name, when,
              taken ? "another worker has taken the call, and writes its result to memory that may be in use again"
                    : "the call is not made");
}

/* Reports the futures above `mark`, which can no longer be synced. */
static void dfi_unsynced_report(struct dfi_worker *w, size_t mark, const char *when)
{
    size_t at;
    for (at = w->head; at-- > mark;) {
        struct dfi_future *f = dfi_spawned_at(w, at);
        if (f) dfi_unsynced_forget(w, f, at, when);
    }
}

#define dfi_up_unsynced_by , dfi_unsynced_report

/* Reports futures of functions that have returned. end: all variables of active functions are at or above it. */
DFI_UNUSED static DFI_NOINLINE void dfi_unsynced_look(struct dfi_worker *w, const void *end)
{
    size_t floor = dfi_stack_fixed(w), at = w->head;
    int n;
    for (n = 0; at > floor && n < DFI_UNSYNCED_MOST; n++) {
        struct dfi_future *f = dfi_spawned_at(w, --at);
        if (!f || dfi_os_on_stack(f, end) <= 0) continue;
        if ((uintptr_t)f >= (uintptr_t)end) return;
        dfi_unsynced_forget(w, f, at, "its function returned");
    }
}
#define dfi_up_unsynced_look_by , dfi_unsynced_look

/* Reports f if it was not synced before it is spawned again. */
static void dfi_unsynced_again(struct dfi_worker *w, struct dfi_future *f)
{
    size_t floor = dfi_stack_fixed(w), at = w->head;
    int n;
    for (n = 0; at > floor && n < DFI_UNSYNCED_MOST; n++)
        if (dfi_spawned_at(w, --at) == f) dfi_unsynced_forget(w, f, at, "its future was spawned again");
}

DFI_API int dfi_sync_left(struct dfi_future *f, int forgotten)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_spawned s = { NULL, NULL };
    size_t at;
    int mine;
    if (forgotten && w && w->sites && (at = dfi_stack_find(w, f)) != 0) s = w->sites[at - 1];
    mine = dfi_sync(f);
    if (s.site)
        dfi_error(DFI_MESSAGE_NOT_SYNCED, s.site, s.name, "its function returned",
                  mine ? "the call is not made" : "the function has waited for the call");
    return mine;
}

DFI_SMALL_CODE_END

#endif

#endif
