/* heap.h - df_owm_alloc and df_owm_free where ownership is recorded: whole pages, and a record of each allocation */
#ifndef DFI_OWM_HEAP_H
#define DFI_OWM_HEAP_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/pages.h"
#include "../../df_owm.h"
#include "copies.h"
#include "guard.h"
#include "own.h"
#include "state.h"
#include "tell.h"
#include "tree.h"
#if !defined(DF_SERIAL)
#include "../observe/check/check.h"
#endif

#define DFI_MESSAGE_OWM_NO_MEMORY "%s: df_owm_alloc: no memory for %lu bytes%s: the call returns NULL"

#if DFI_OWM_CALLS

DFI_EXTERN_C_BEGIN
DFI_API char DFI_OWM_NEED[1] = { 0 };
DFI_EXTERN_C_END

/* Records of freed memory at [b, e), which is used again: it is freed memory no more. */
static void dfi_owm_forget(uintptr_t b, uintptr_t e)
{
    struct dfi_owm_walk w;
    unsigned i;
    for (i = dfi_owm_first(dfi_owm.s->freed, &w, b, e); i; i = dfi_owm_next(dfi_owm.s->freed, &w)) {
        dfi_owm.s->freed = dfi_owm_remove(dfi_owm.s->freed, i);
        dfi_owm_record_free(i);
        dfi_owm.s->n_freed--;
    }
}

/* One process. NULL without memory. */
static void *dfi_owm_alloc_here(size_t bytes, const struct dfi_owm_place *at)
{
    void *p = dfi_os_pages_new(dfi_os_page_up(bytes), DF_CHECK);
    uintptr_t b = (uintptr_t)p;
    unsigned i = p ? dfi_owm_record_new(b, b + bytes) : 0;
    if (i && !dfi_owm_guard_new(i, b, dfi_os_page_up(b + bytes))) {
        dfi_owm_record_free(i);
        i = 0;
    }
    if (!i) {
        if (p) dfi_os_pages_free(p, dfi_os_page_up(bytes));
        return NULL;
    }
    DFI_OWM_AT(i)->at = *at;
    dfi_owm_forget(b, b + bytes);
    dfi_owm.s->allocated = dfi_owm_insert(dfi_owm.s->allocated, i);
    return p;
}

#if DF_CHECK
static int dfi_owm_has(uintptr_t p)
{
    struct dfi_owm_walk w;
    int has;
    dfi_owm.home->lock();
    has = dfi_owm_first(dfi_owm.s->allocated, &w, p, p + 1) != 0;
    dfi_owm.home->unlock();
    return has;
}
#endif

DFI_EXTERN_C_BEGIN

DFI_API void *dfi_owm_alloc(size_t bytes, const char *site)
{
    struct dfi_owm_call c;
    void *p = NULL;
    struct dfi_owm_place why; /* more about it, as its site */
    why.site[0] = 0;
    if (!bytes) bytes = 1;
#if DF_CHECK
    dfi_check_others = dfi_owm_has; /* all threads write the same */
#endif
    if (bytes <= SIZE_MAX / 2) {
        dfi_owm_begin(&c, dfi_owm_me(), site);
#if DF_OWM_COPIES
        if (dfi_owm.processes > 1) p = dfi_owm_alloc_all(bytes, &c.by, &why);
        else
#endif
            p = dfi_owm_alloc_here(bytes, &c.by);
        dfi_owm_end(&c);
    }
    if (!p) dfi_warn(DFI_MESSAGE_OWM_NO_MEMORY, site, (unsigned long)bytes, why.site);
    return p;
}

DFI_API void dfi_owm_free(void *p, const char *site)
{
    uintptr_t b = (uintptr_t)p, e;
    struct dfi_owm_call c;
    struct dfi_owm_walk w;
    unsigned a, i;
    if (!p) return;
    dfi_owm_begin(&c, dfi_owm_me(), site);
    a = dfi_owm_allocation(b);
    if (!a || DFI_OWM_AT(a)->begin != b) {
        i = a ? 0 : dfi_owm_first(dfi_owm.s->freed, &w, b, b + 1);
        if (!i && !a) i = dfi_owm_first(dfi_owm.s->allocated, &w, b, b + 1); /* other processes have it still */
        if (i && DFI_OWM_AT(i)->begin == b) dfi_owm_noted(&c.notes, DFI_OWM_SAYS_FREED, &c.by, &DFI_OWM_AT(i)->then);
        else dfi_owm_noted(&c.notes, DFI_OWM_SAYS_FREE, &c.by, NULL);
        dfi_owm_end(&c);
        return;
    }
    e = DFI_OWM_AT(a)->end;
    for (i = dfi_owm_first(dfi_owm.s->owned, &w, b, e); i; i = dfi_owm_next(dfi_owm.s->owned, &w)) {
        const struct dfi_owm_record *r = DFI_OWM_AT(i);
        if (r->mode == DFI_OWM_REJECTED || r->process != dfi_owm.process) continue;
        dfi_owm_noted(&c.notes, DFI_OWM_SAYS_FREE_OWNED, &c.by, &r->at)->n = (unsigned long)(r->end - r->begin);
        break;
    }
    dfi_owm_guard_look(a, b, dfi_os_page_up(e), &c.notes, &c.by);
    dfi_owm_guard_free(a);
#if DF_OWM_COPIES
    if (dfi_owm.processes > 1) dfi_owm_free_all(a, &c.by);
    else
#endif
    {
        dfi_owm_free_record(a, &c.by);
        dfi_os_pages_free(p, dfi_os_page_up(e) - b);
    }
    dfi_owm_end(&c);
}

DFI_EXTERN_C_END

#endif

#endif
