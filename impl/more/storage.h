/* storage.h - storage per worker: elements by the slots of workers (api/storage.h)
 *
 * A slot of the pool belongs to one thread at a time, and passes from one to the next under the pool's lock. So the
 * element of a slot needs no synchronisation of its own. A thread without a worker, because memory or slots ran out,
 * has its element in a list. */
#ifndef DFI_MORE_STORAGE_H
#define DFI_MORE_STORAGE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/storage.h"
#include "../work/types.h"
#include "../work/worker.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_PLACES = DFI_ALONE ? 1 : DFI_MAX_WORKERS };
struct dfi_places {
    DFI_ATOMIC(void *) of[DFI_PLACES]; /* the element of each slot, or NULL */
    DFI_ATOMIC(void *) others;         /* the newest element of threads without a worker, or NULL */
};
/* In front of an element, in a cache line of its own. */
struct dfi_place {
    void *allocated;
    void *next;   /* in the list of `others` */
    void *thread; /* dfi_thread_id of its thread; there only */
    int slot;     /* or -1: in that list */
};

static struct dfi_place *dfi_place_of(const void *element)
{
    return (struct dfi_place *)(void *)((char *)(uintptr_t)element - DFI_LINE);
}

static DFI_COLD void *dfi_place_none(void)
{
    dfi_warn_once("out of memory: df_mine returns NULL");
    return NULL;
}

/* A new element for a slot, or for the calling thread (slot is -1). */
static void *dfi_place_new(const struct dfi_storage *x, size_t bytes, int slot)
{
    struct dfi_place *p;
    void *allocated, *element;
    size_t lines = (bytes + DFI_LINE - 1) / DFI_LINE * DFI_LINE;
    if (bytes > SIZE_MAX - 3 * DFI_LINE || !(allocated = dfi_zeroed(lines + 2 * DFI_LINE))) return dfi_place_none();
    element = dfi_align(allocated) + DFI_LINE;
    p = dfi_place_of(element);
    p->allocated = allocated, p->slot = slot, p->thread = dfi_thread_id();
    if (x->init) (x->init)(element, x->arg);
    return element;
}

/* The places of x, which the first thread makes that asks. */
static struct dfi_places *dfi_places_of(struct dfi_storage *x)
{
    void *now = dfi_load_acquire(&x->places), *fresh; /* pairs with the CAS below */
    if (now || !(fresh = dfi_zeroed(sizeof(struct dfi_places)))) return (struct dfi_places *)now;
    if (dfi_cas_acq_rel(&x->places, &now, fresh)) return (struct dfi_places *)fresh;
    dfi_mfree(fresh);
    return (struct dfi_places *)now;
}

/* The element of a thread without a worker. */
static DFI_NOINLINE DFI_COLD void *dfi_mine_other(struct dfi_storage *x, struct dfi_places *s, size_t bytes)
{
    void *first = dfi_load_acquire(&s->others), *element; /* pairs with the CAS below */
    for (element = first; element; element = dfi_place_of(element)->next)
        if (dfi_place_of(element)->thread == dfi_thread_id()) return element;
    if (!(element = dfi_place_new(x, bytes, -1))) return NULL;
    do dfi_place_of(element)->next = first;
    while (!dfi_cas_acq_rel(&s->others, &first, element));
    return element;
}

DFI_EXTERN_C_BEGIN

DFI_API void *dfi_mine(struct dfi_storage *x, size_t bytes)
{
    /* A worker without a running pool keeps its slot: then no pool needs to be started. */
    const struct dfi_worker *w = DFI_ALONE || dfi_me_or_host() ? dfi_me_or_host() : dfi_me_attached();
    struct dfi_places *s = dfi_places_of(x);
    int slot = DFI_ALONE ? 0 : w ? (int)dfi_slot_of(w) : -1;
    void *element;
    if (DFI_UNLIKELY(!s)) return dfi_place_none();
    if (DFI_UNLIKELY(slot < 0)) return dfi_mine_other(x, s, bytes);
    /* relaxed: only threads of this slot store it */
    if (DFI_LIKELY((element = dfi_load_relaxed(&s->of[slot])) != NULL)) return element;
    if ((element = dfi_place_new(x, bytes, slot)) != NULL)
        dfi_store_release(&s->of[slot], element); /* pairs with the acquire in dfi_storage_next */
    return element;
}

DFI_API void *dfi_storage_next(struct dfi_storage *x, const void *p)
{
    struct dfi_places *s = (struct dfi_places *)dfi_load_acquire(&x->places);
    int i = p ? dfi_place_of(p)->slot + 1 : 0;
    void *element;
    if (!s) return NULL;
    if (p && !i) return dfi_place_of(p)->next;
    for (; i < DFI_PLACES; i++)
        if ((element = dfi_load_acquire(&s->of[i])) != NULL) return element;
    return dfi_load_acquire(&s->others);
}

DFI_API void dfi_storage_combine(struct dfi_storage *x, void *into, void (*fn)(void *into, const void *from))
{
    const void *p = NULL;
    while ((p = dfi_storage_next(x, p)) != NULL) fn(into, p);
}

DFI_API void dfi_storage_init(struct dfi_storage *x, void (*fn)(void *element, void *arg), void *arg)
{
    dfi_store_relaxed(&x->places, NULL);
    x->init = fn, x->arg = arg;
}

DFI_API void dfi_storage_free(struct dfi_storage *x)
{
    void *p = dfi_storage_next(x, NULL), *next;
    for (; p; p = next) {
        next = dfi_storage_next(x, p);
        dfi_mfree(dfi_place_of(p)->allocated);
    }
    dfi_mfree(dfi_load_relaxed(&x->places));
    dfi_store_relaxed(&x->places, NULL);
}

DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
