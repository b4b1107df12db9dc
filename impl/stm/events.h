/* events.h - log of allocations and handlers, for the end of a block
 *
 * Used by the serial and the parallel implementation, each with its own struct dfi_tm. */
#ifndef DFI_STM_EVENTS_H
#define DFI_STM_EVENTS_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/stm_core.h"

#if defined(DF_SERIAL)
#include "../serial/stm.h"
#else
#include "state.h"
#endif

#define DFI_MESSAGE_TM_OUTSIDE "%s: %s outside of an atomic block: no effect"

enum { DFI_TM_AT_COMMIT, DFI_TM_AT_ABORT, DFI_TM_ALLOCATED, DFI_TM_FREED };
struct dfi_tm_event { void (*fn)(void *); void *arg; int kind; };

/* Doubles the size of a full array of t. 0, or -1 without memory: then nothing changed. */
static DFI_COLD int dfi_tm_grow(struct dfi_tm *t, void **array, size_t n, size_t *max, size_t bytes)
{
    size_t more = *max ? *max * 2 : 16;
    void *p;
    if (more > SIZE_MAX / 2 / bytes || !(p = dfi_malloc(more * bytes))) return -1;
    if (n) memcpy(p, *array, n * bytes);
    dfi_tm_drop(t, *array);
    *array = p, *max = more;
    return 0;
}

/* 0, or -1 without memory. */
static DFI_NOINLINE int dfi_tm_add_event(struct dfi_tm *t, int kind, void (*fn)(void *), void *arg)
{
    struct dfi_tm_event *e;
    void *array = t->events;
    if (t->n_events == t->max_events) {
        if (dfi_tm_grow(t, &array, t->n_events, &t->max_events, sizeof *t->events)) return -1;
        t->events = (struct dfi_tm_event *)array;
    }
    e = &t->events[t->n_events++];
    e->kind = kind, e->fn = fn, e->arg = arg;
    return 0;
}

static DFI_COLD void dfi_tm_reverse(struct dfi_tm_event *e, size_t n)
{
    size_t i;
    for (i = 0; i < n / 2; i++) {
        struct dfi_tm_event x = e[i];
        e[i] = e[n - 1 - i], e[n - 1 - i] = x;
    }
}

/* Rolls back all allocations and registrations after the first `keep`, the last one first. Events that handlers add
 * in blocks of their own belong to the transaction, which continues, and stay. */
static DFI_COLD void dfi_tm_undo_events(struct dfi_tm *t, size_t keep)
{
    while (t->n_events > keep) {
        size_t n = --t->n_events, added;
        struct dfi_tm_event e = t->events[n];
        if (e.kind == DFI_TM_ALLOCATED) dfi_mfree(e.arg);
        if (e.kind != DFI_TM_AT_ABORT) continue;
        e.fn(e.arg);
        if ((added = t->n_events - n) == 0) continue;
        dfi_tm_reverse(t->events + keep, n - keep); /* the events below move above those that were added */
        dfi_tm_reverse(t->events + n, added);
        dfi_tm_reverse(t->events + keep, n - keep + added);
        keep += added;
    }
}

/* Rolls back all of them, after the transaction has ended: handlers may have transactions of their own. */
static DFI_COLD void dfi_tm_undo_all_events(struct dfi_tm *t)
{
    struct dfi_tm_event *e = t->events;
    size_t n = t->n_events;
    t->events = NULL, t->n_events = t->max_events = 0;
    while (n-- > 0)
        if (e[n].kind == DFI_TM_ALLOCATED) dfi_mfree(e[n].arg);
        else if (e[n].kind == DFI_TM_AT_ABORT) e[n].fn(e[n].arg);
    dfi_mfree(e);
}

/* After a commit: passes freed memory to `release`, and returns the handlers, to be called when t has no block any
 * more, as they may have blocks of their own. */
struct dfi_tm_handlers { struct dfi_tm_event *event; size_t n; };
static DFI_NOINLINE struct dfi_tm_handlers dfi_tm_take_events(struct dfi_tm *t,
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

static DFI_COLD void dfi_tm_call_handlers(struct dfi_tm_handlers h)
{
    size_t i;
    for (i = 0; i < h.n; i++) h.event[i].fn(h.event[i].arg);
    dfi_mfree(h.event);
}

#endif
