/* checked.h - df_spawn and df_sync with checks, for files with DF_DEBUG or DF_CHECK
 *
 * In a build without DFI_WITH_SITES they do not check. */
#ifndef DFI_WORK_CHECKED_H
#define DFI_WORK_CHECKED_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/core.h"
#include "director.h"
#include "future.h"
#include "stack.h"
#include "types.h"
#include "unsynced.h"
#include "wait.h"
#include "worker.h"

#if !defined(DF_SERIAL) /* where df_spawn is the call */
#if DFI_WITH_SITES
DFI_SMALL_CODE_BEGIN

/* Not inlined, so that its canonical frame address is the end of the frame of the program's function. */
DFI_API DFI_OWN_FRAME void dfi_here(const char *site)
{
    dfi_call_site = site;
    DFI_UNSYNCED(dfi_me());
}

/* Pushes f onto the stack directly, because the spawn site is stored beside the stack. */
DFI_API void dfi_spawn_checked(struct dfi_future *f)
{
    const char *site = dfi_call_site;
    struct dfi_worker *w = dfi_me_attached();
    if (w) dfi_asked(w, DFI_DOES_SPAWN, site);
    if (w && w->sites) dfi_unsynced_again(w, f);
    if (w && dfi_seeded() && dfi_spawn_seeded(w, f)) return;
    if (w && w->head == w->room) dfi_stack_grow(w, 1);
    if (!w || w->head == w->room) {
        dfi_spawn_slow(f);
        return;
    }
    if (!w->sites && (w->sites = (struct dfi_spawned *)dfi_malloc(w->room * sizeof *w->sites)) != NULL)
        memset(w->sites, 0, w->room * sizeof *w->sites);
    dfi_flush(w);
    if (w->sites) w->sites[w->head].site = site, w->sites[w->head].name = f->type->name;
    dfi_store_relaxed(&f->link, DFI_F_AT(w->head));
    w->stack[w->head++] = f;
    dfi_poll(w);
}

/* dfi_stack_find, starting at the index in `link`, which is usually still right. */
static size_t dfi_stack_find_at(struct dfi_worker *w, struct dfi_future *f, void *link)
{
    size_t at = DFI_F_INDEX(link);
    if (DFI_F_IS_AT(link) && at < w->head && ((uintptr_t)w->stack[at] & ~DFI_PUBLIC) == (uintptr_t)f) return at + 1;
    return dfi_stack_find(w, f);
}

/* Nonzero: f, whose state is `link`, was spawned and not synced, by this thread as far as can be detected. */
static int dfi_future_valid(struct dfi_worker *w, struct dfi_future *f, void *link)
{
    int ms;
    if (link == (void *)f) return 0; /* already synced */
    if (dfi_future_forked(link)) return 1;
    if (!DFI_F_IS_AT(link)) return DFI_F_IS_OVER(link) || link == DFI_F_RUNNING || w;
    if (!w) return 0;
    /* a thief may have stolen f, removed its mark, and not set its state yet */
    for (ms = 0; !dfi_stack_find_at(w, f, link); ms++) {
        if (dfi_load_acquire(&f->link) != link) return 1;
        if (ms == DFI_THIEF_MS) return 0;
        dfi_os_sleep_ms();
    }
    return 1;
}

/* The number of unfinished children of the code that w runs. Other threads may lower it at any time. */
static intptr_t dfi_unfinished(const struct dfi_worker *w)
{
    const struct dfi_scope *s = w->scope;
    return w->task ? 0 : (intptr_t)(s->submitted - s->done) + dfi_load_acquire(&s->pending);
}

enum { DFI_COUNTED_MS = 20 }; /* the longest delay of a worker between a task that ends a wait and its count */

/* Makes the call f here. The tasks that it submits are children of the code that calls df_sync. */
static void dfi_sync_runs(struct dfi_worker *w, struct dfi_future *f)
{
    intptr_t before = w ? dfi_unfinished(w) : 0;
    const char *site = dfi_call_site;
    int ms;
    dfi_future_run_here(f);
    for (ms = 0; w && !dfi_alone() && ms < DFI_COUNTED_MS && dfi_unfinished(w) == before + 1; ms++) dfi_os_sleep_ms();
    if (w && dfi_unfinished(w) > before)
        dfi_finding("%s: df_sync(%s) returns before tasks that %s submitted are done: it waits for the function only; "
                    "call df_wait in %s before it returns", site, f->type->name, f->type->name, f->type->name);
}

DFI_API int dfi_sync_checked(struct dfi_future *f)
{
    struct dfi_worker *w = dfi_me();
    void *link = dfi_load_acquire(&f->link); /* pairs with the release of the thief, as in dfi_sync_slow */
    if (!dfi_future_valid(w, f, link)) {
        dfi_finding("%s: df_sync(%s) on a future that was not spawned, was synced before, or was spawned by another "
                    "thread: it returns immediately, and the result is not set; sync each future once, on the thread "
                    "that spawned it",
                    dfi_call_site, f->type ? f->type->name : "a task"); /* type is NULL in C++ after a sync */
        return 0;
    }
    if (w) dfi_at_site(w, dfi_call_site);
    if (dfi_sync_slow(f)) dfi_sync_runs(w, f);
    dfi_store_relaxed(&f->link, (void *)f);
    return 0;
}

DFI_SMALL_CODE_END
#else
DFI_API void dfi_here(const char *site) { (void)site; }
DFI_API void dfi_spawn_checked(struct dfi_future *f) { dfi_spawn_slow(f); }
DFI_API int dfi_sync_checked(struct dfi_future *f) { return dfi_sync_slow(f); }
DFI_API int dfi_sync_left(struct dfi_future *f, int forgotten)
{
    (void)forgotten;
    return dfi_sync_slow(f);
}
#endif
#endif

#endif
