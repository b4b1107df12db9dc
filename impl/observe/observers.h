/* observers.h - observers of the program (df_observe.h): their registration, and the calls of their callbacks
 *
 * A registered observer has a seat, and a number that grows with each registration. A worker tells an event to the
 * observers whose number is at most the last one when the event, or its beginning, happened. So an observer is told of
 * the end of what it was told the beginning of, and of no other end.
 *
 * Argument (an observer is not called once df_unobserve has returned):
 *   1. Before its calls for an event, a worker makes `calls` odd, and reads the seats after that; behind the calls it
 *      makes `calls` even.
 *   2. df_unobserve empties the seat, and reads `calls` of each worker after that.
 *   3. All four are seq_cst. If the worker found the observer in the seat, its `calls` was odd before the seat was
 *      emptied, so df_unobserve reads an odd number, or a later one, which says that the calls are over. It waits
 *      until an odd number has changed.
 *   4. The seat is not used again before that, so its number is constant while a worker may read it. */
#ifndef DFI_OBSERVE_OBSERVERS_H
#define DFI_OBSERVE_OBSERVERS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/observe.h"
#include "../api/result.h"
#include "../work/module.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "../flow/careful.h"
#include "watching.h"

/* The data of observers of the program, behind the record of a worker. */
struct dfi_observing {
    DFI_ATOMIC(size_t) calls;    /* odd: its thread is in callbacks. Written by the owner */
    size_t known;                /* owner, as the next: observers up to this number know that it has started */
    size_t slept;                /* those up to this number were told that it sleeps */
    DFI_ATOMIC(size_t) n_submitted, n_ended, n_iterations; /* for DF_PROGRESS */
};
DFI_ROOM(dfi_observing, dfi_observing_of, dfi_worker);

DFI_SMALL_CODE_BEGIN

enum { DFI_SEATS = 16 };
struct dfi_seat {
    DFI_ATOMIC(const df_observer *) observer;
    size_t number;               /* constant while a worker may be told of the observer */
    int taken;                   /* pool lock */
};
struct dfi_observers {
    struct dfi_seat seat[DFI_SEATS];
    DFI_ATOMIC(size_t) last;     /* the number of the last registration; 0: there was none */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_observers dfi_observers;
DFI_EXTERN_C_END

/* The first observer from seat i on whose number is above `above` and at most `most`; or NULL. *i is its seat. */
static const df_observer *dfi_observer_from(int *i, size_t above, size_t most)
{
    const df_observer *o;
    for (; *i < DFI_SEATS; ++*i)
        if ((o = dfi_load_seq_cst(&dfi_observers.seat[*i].observer)) != NULL && /* see above */
            dfi_observers.seat[*i].number > above && dfi_observers.seat[*i].number <= most)
            return o;
    return NULL;
}

static void dfi_calls_change(struct dfi_worker *w)
{
    struct dfi_observing *x = dfi_observing_of(w);
    dfi_store_seq_cst(&x->calls, dfi_load_relaxed(&x->calls) + 1);
}

static int dfi_in_callback(struct dfi_worker *w) { return w && dfi_load_relaxed(&dfi_observing_of(w)->calls) & 1; }

/* Begins the calls for an event of w. Returns the number of the last observer, all of which then know w; 0: there is
 * none. Constructs in callbacks are wrong, and tell nothing. */
static size_t dfi_calls_begin(struct dfi_worker *w)
{
    struct dfi_observing *x = dfi_observing_of(w);
    const df_observer *o;
    size_t last = dfi_load_acquire(&dfi_observers.last); /* pairs with the release in dfi_observe */
    int i;
    if (!last || dfi_in_callback(w)) return 0;
    dfi_calls_change(w);
    if (DFI_UNLIKELY(x->known != last)) {
        for (i = 0; (o = dfi_observer_from(&i, x->known, last)) != NULL; i++)
            if (o->worker_start) (o->worker_start)(o->arg, w->index);
        x->known = last;
    }
    return last;
}

/* The points that the observers want. pre: pool lock */
static unsigned dfi_observers_want(void)
{
    const df_observer *o;
    unsigned points = 0;
    int i;
    for (i = 0; (o = dfi_observer_from(&i, 0, (size_t)-1)) != NULL; i++) {
        if (o->task_submit) points |= DFI_BIT(SUBMIT) | DFI_BIT(BEGIN);
        if (o->task_begin || o->task_end) points |= DFI_BIT(BEGIN);
        if (o->task_edge) points |= DFI_BIT(EDGE);
        if (o->task_steal) points |= DFI_BIT(STEAL) | DFI_BIT(BEGIN);
        if (o->wait_begin || o->wait_end) points |= DFI_BIT(WAIT);
        if (o->worker_sleep || o->worker_wake) points |= DFI_BIT(SLEEP) | DFI_BIT(WOKE);
    }
    return points;
}

static void dfi_observers_changed(void)
{
    dfi_watch(dfi_observer_told, dfi_observers_want());
    dfi_careful_observers();
}

static int dfi_seat_of(const df_observer *o)
{
    int i = 0;
    while (i < DFI_SEATS && dfi_load_relaxed(&dfi_observers.seat[i].observer) != o) i++;
    return i;
}

static df_result dfi_observe_inside(const char *call)
{
    dfi_error("%s in a callback of an observer does nothing: call it outside of callbacks", call);
    return DF_ERROR_DEADLOCK;
}

DFI_EXTERN_C_BEGIN

DFI_API df_result dfi_observe(const df_observer *o)
{
    df_result r = DF_OK;
    size_t number;
    int i = 0;
    if (dfi_in_callback(dfi_me())) return dfi_observe_inside("df_observe");
    dfi_os_lock(&dfi_pool_lock);
    while (i < DFI_SEATS && dfi_observers.seat[i].taken) i++;
    if (dfi_seat_of(o) < DFI_SEATS) r = DF_ERROR_STARTED;
    else if (i == DFI_SEATS) r = DF_ERROR_MEMORY;
    else {
        number = dfi_load_relaxed(&dfi_observers.last) + 1;
        dfi_observers.seat[i].taken = 1, dfi_observers.seat[i].number = number;
        dfi_store_seq_cst(&dfi_observers.seat[i].observer, o); /* releases the number, and the callbacks */
        dfi_store_release(&dfi_observers.last, number); /* pairs with the acquire in dfi_calls_begin */
        dfi_observers_changed();
    }
    dfi_os_unlock(&dfi_pool_lock);
    return r;
}

DFI_API df_result dfi_unobserve(const df_observer *o)
{
    struct dfi_worker *me = dfi_me(), *v;
    int i, k, n, turns = 0;
    size_t calls;
    if (dfi_in_callback(me)) return dfi_observe_inside("df_unobserve");
    dfi_os_lock(&dfi_pool_lock);
    if ((i = dfi_seat_of(o)) < DFI_SEATS) {
        dfi_store_seq_cst(&dfi_observers.seat[i].observer, (const df_observer *)NULL);
        dfi_observers_changed();
    }
    dfi_os_unlock(&dfi_pool_lock);
    if (i == DFI_SEATS) return DF_OK;
    n = dfi_load_acquire(&dfi_pool.n_slots);
    for (k = 0; k < n; k++) {
        v = dfi_load_acquire(&dfi_pool.slot[k]);
        if (!v || v == me || !((calls = dfi_load_seq_cst(&dfi_observing_of(v)->calls)) & 1)) continue;
        while (dfi_load_acquire(&dfi_observing_of(v)->calls) == calls) /* pairs with the store behind its calls */
            if (turns++ < 100) dfi_os_yield();
            else dfi_os_sleep_ms();
    }
    dfi_os_lock(&dfi_pool_lock);
    dfi_observers.seat[i].taken = 0;
    dfi_os_unlock(&dfi_pool_lock);
    return DF_OK;
}

DFI_EXTERN_C_END

/* --- the life of workers --------------------------------------------------------------------------------------- */

/* The thread of w begins to run tasks. */
static void dfi_observers_start(struct dfi_worker *w)
{
    if (dfi_calls_begin(w)) dfi_calls_change(w);
}

/* It runs no more tasks. */
static void dfi_observers_stop_one(struct dfi_worker *w)
{
    struct dfi_observing *x = dfi_observing_of(w);
    const df_observer *o;
    int i;
    if (!x->known || dfi_in_callback(w)) return;
    dfi_calls_change(w);
    for (i = 0; (o = dfi_observer_from(&i, 0, x->known)) != NULL; i++)
        if (o->worker_stop) (o->worker_stop)(o->arg, w->index);
    x->known = 0;
    dfi_calls_change(w);
}

static void dfi_observers_stop(struct dfi_worker *w)
{
    int i;
    if (!DFI_ALONE) dfi_observers_stop_one(w);
    else /* spares are no threads of their own, and do not end */
        for (i = 0; i < dfi_load_relaxed(&dfi_pool.n_slots); i++)
            dfi_observers_stop_one(dfi_load_relaxed(&dfi_pool.slot[i]));
}

static void dfi_module_observe(const struct dfi_moment *m)
{
    struct dfi_observing *x = m->w ? dfi_observing_of(m->w) : NULL;
    switch (m->is) {
    case DFI_WORKER_IS_NEW: memset((void *)x, 0, sizeof *x); break;
    case DFI_THREAD_READY: dfi_observers_start(m->w); break;
    case DFI_THREAD_UNWINDS: /* a callback has ended its thread, which is wrong, but others need not wait for it */
        if (dfi_in_callback(m->w)) dfi_calls_change(m->w);
        break;
    case DFI_THREAD_STOPS:
    case DFI_THREAD_LEAVES: dfi_observers_stop(m->w); break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
