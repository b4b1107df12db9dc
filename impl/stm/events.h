/* events.h - log of allocations and handlers, for the end of a block
 *
 * Used by the serial and the parallel implementation, each with its own struct dfi_tm. */
#ifndef DFI_STM_EVENTS_H
#define DFI_STM_EVENTS_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/stm_core.h"

#if defined(DF_SERIAL)
#include "serial_state.h"
#else
#include "state.h"
#endif

#define DFI_MESSAGE_TM_MEMORY "out of memory: %s has no effect, and returns DF_ERROR_MEMORY; check its result"
#define DFI_MESSAGE_TM_OUTSIDE "%s: %s outside of an atomic block: no effect; call it in DF_ATOMIC"

enum { DFI_TM_AT_COMMIT, DFI_TM_AT_ABORT, DFI_TM_ALLOCATED, DFI_TM_FREED, DFI_TM_OVER };
/* bytes: the size of an allocation */
struct dfi_tm_event { void (*fn)(void *); void *arg; size_t bytes; int kind; };

DFI_SMALL_CODE_BEGIN
/* Doubles the size of a full array of t. 0, or -1 without memory: then nothing changed. */
static int dfi_tm_grow(struct dfi_tm *t, void *array, size_t *max, size_t bytes)
{
    void *old;
    memcpy((void *)&old, array, sizeof old);
    if (dfi_array_room(array, old, *max + 1, max, bytes)) return -1;
    dfi_tm_drop(t, old);
    return 0;
}

/* 0, or -1 without memory. */
static int dfi_tm_add_event(struct dfi_tm *t, int kind, void (*fn)(void *), void *arg, size_t bytes)
{
    struct dfi_tm_event *e;
    if (t->n_events == t->max_events && dfi_tm_grow(t, (void *)&t->events, &t->max_events, sizeof *t->events))
        return -1;
    e = &t->events[t->n_events++];
    e->kind = kind, e->fn = fn, e->arg = arg, e->bytes = bytes;
    return 0;
}

/* Before memory of the block is freed, and its log of reads may be kept: nothing of it is compared any more. */
DFI_INLINE void dfi_tm_forget_memory(struct dfi_tm *t, const struct dfi_tm_event *e)
{
#if !defined(DF_SERIAL)
    static const uintptr_t zero = 0;
    struct dfi_tm_read *r = t->reads, *const end = DFI_TM_VALUES ? t->read_end : r; /* versions are compared */
    for (; r < end; r++)
        /* by words: the entry of a part has the address of its word, plus 1 */
        if (r->at / DFI_TM_WORD - (uintptr_t)e->arg / DFI_TM_WORD <=
            ((uintptr_t)e->arg % DFI_TM_WORD + e->bytes - (e->bytes != 0)) / DFI_TM_WORD)
            r->at = (uintptr_t)&zero, r->bits = 0;
#else
    (void)t, (void)e;
#endif
}

/* Rolls back the event e. It is over before its handler is called. */
static void dfi_tm_undo_event(struct dfi_tm *t, struct dfi_tm_event *e)
{
    int kind = e->kind;
    e->kind = DFI_TM_OVER;
    if (kind == DFI_TM_ALLOCATED) {
        dfi_tm_forget_memory(t, e);
        dfi_mfree(e->arg);
    } else if (kind == DFI_TM_AT_ABORT) e->fn(e->arg);
}

/* Rolls back all allocations and registrations after the first `keep`, the last one first. Events that handlers add
 * in blocks of their own belong to the transaction, which continues, and stay. */
static void dfi_tm_undo_events(struct dfi_tm *t, size_t keep)
{
    size_t n = t->n_events;
    while (n > keep) dfi_tm_undo_event(t, &t->events[--n]);
    for (; n < t->n_events; n++)
        if (t->events[n].kind != DFI_TM_OVER) t->events[keep++] = t->events[n];
    t->n_events = keep;
}

/* Rolls back all of them, after the transaction has ended: handlers may have transactions of their own. */
static void dfi_tm_undo_all_events(struct dfi_tm *t)
{
    struct dfi_tm_event *e = t->events;
    size_t n = t->n_events;
    t->events = NULL, t->n_events = t->max_events = 0;
    while (n) dfi_tm_undo_event(t, &e[--n]);
    dfi_mfree(e);
}

/* After a commit: passes freed memory to `release`, and returns the handlers, to be called when t has no block any
 * more, as they may have blocks of their own. */
struct dfi_tm_handlers { struct dfi_tm_event *event; size_t n; };
static struct dfi_tm_handlers dfi_tm_take_events(struct dfi_tm *t,
                                                              void (*release)(struct dfi_tm *t, void *p))
{
    struct dfi_tm_handlers h = { NULL, 0 };
    size_t i;
    for (i = 0; i < t->n_events; i++)
        if (t->events[i].kind == DFI_TM_FREED) release(t, t->events[i].arg);
        else if (t->events[i].kind == DFI_TM_AT_COMMIT) t->events[h.n++] = t->events[i];
    t->n_events = 0;
    if (!h.n) return h;
    h.event = t->events;
    t->events = NULL, t->max_events = 0;
    return h;
}

static void dfi_tm_release_now(struct dfi_tm *t, void *p) { (void)t, dfi_mfree(p); }

static void dfi_tm_call_handlers(struct dfi_tm_handlers h)
{
    size_t i;
    for (i = 0; i < h.n; i++) h.event[i].fn(h.event[i].arg);
    dfi_mfree(h.event);
}

DFI_SMALL_CODE_END

#endif
