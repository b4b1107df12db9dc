/* events.h - event buffers of the workers, and their delivery to readers
 *
 * A worker writes events into a chunk of its own and shares nothing; `n` of the chunk tells the
 * reader how far it is. Full chunks go to a list. The reader, usually a thread of its own, takes the
 * unread events from the list. It periodically also reads chunks that are not full, so that a crash
 * loses a fraction of a second. A worker has at most DFI_EVENT_CHUNKS; if all of them are full, it
 * reads them itself, so memory is bounded and no event is lost.
 * For statistics alone, which a crash loses anyway, events are kept: up to DFI_EVENT_KEPT chunks are
 * read when df stops, and take no time from a program that keeps all processors busy.
 *
 * The callers of dfi_events_begin, the trace and the statistics, process the events. They get the
 * events of one worker in order, those of several workers in no order, from one thread at a time.
 * Argument: docs/internals/observe.md, "Events". */
#ifndef DFI_OBSERVE_EVENTS_H
#define DFI_OBSERVE_EVENTS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../work/types.h"
#include "../flow/types.h"
#include "../more/types.h"
#include "event.h"
#include "text.h"
#include "../more/types.h"
#include "chains.h"
#include "reporter.h"
#include "watching.h"

enum {
    DFI_EVENT_CHUNKS = 16, /* 1 MiB for each worker: 30 ms of empty tasks */
    DFI_EVENT_KEPT = 512,  /* 32 MiB for all workers */
    DFI_EVENT_MS = 200,    /* between two reads by the reader, */
    DFI_EVENT_FULL = 8,    /* unless a worker has this many full chunks */
    DFI_CLOCK_NS = 20000,  /* time to calibrate the clock, which takes 25 ns to read */
    DFI_STATE_US = 500,    /* between two samples of the state of all workers, */
    DFI_STATE_PARK_US = 50, /* or before one parks */
    DFI_EVENT_READERS = 2
};

/* n events of the worker in that slot, or of devices: DFI_EVENT_DEVICES. n = 0: the end of this read. */
typedef void dfi_events_reader(int worker, const struct dfi_event *e, unsigned n);

struct dfi_events {
    /* under dfi_events_lock */
    struct dfi_event_chunk *full, *last_full, *spare;
    DFI_ATOMIC(int) used;        /* chunks that are not spare; also read without the lock */
    int incomplete;              /* there was no memory for some event */
    /* under dfi_events_reading, which comes before the other lock */
    dfi_events_reader *reader[DFI_EVENT_READERS];
    uint64_t ns, ticks;          /* the beginning, on both clocks */
    uint64_t ended;              /* the end of the last run, in ticks */
    double ns_per_tick;          /* 0: not known yet */
    uint64_t ticks_us;           /* ticks per microsecond, approximately */
    DFI_ATOMIC(uintptr_t) sampled; /* the last DFI_E_STATE, in units of 256 ticks */
    struct dfi_event_buffer devices; /* under dfi_events_devices: events of devices, from any thread */
};
enum { DFI_EVENT_DEVICES = DFI_MAX_WORKERS };
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_os_mutex dfi_events_lock = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_os_mutex dfi_events_reading = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_os_mutex dfi_events_devices = DFI_OS_MUTEX_INIT; /* before the other two */
DFI_API struct dfi_events dfi_events;
DFI_EXTERN_C_END

/* --- time ------------------------------------------------------------------------------------------ */

DFI_SMALL_CODE_BEGIN

/* Nanoseconds since the events began; `at` may lie before that. Readers only: the rate is measured
 * up to the first call. */
static double dfi_event_ns(uint64_t at)
{
    struct dfi_events *e = &dfi_events;
    if (e->ns_per_tick <= 0) {
        uint64_t ticks = dfi_ticks() - e->ticks;
        e->ns_per_tick = ticks ? (double)(dfi_os_ns() - e->ns) / (double)ticks : 1;
    }
    return (double)(int64_t)(at - e->ticks) * e->ns_per_tick;
}

/* --- reading --------------------------------------------------------------------------------------- */

static void dfi_event_show(struct dfi_event_chunk *c, unsigned n)
{
    int i;
    if (n == c->seen) return;
    for (i = 0; i < DFI_EVENT_READERS; i++)
        if (dfi_events.reader[i]) dfi_events.reader[i](c->worker, c->event + c->seen, n - c->seen);
    c->seen = n;
}

/* Reads all events written so far. Threads: any that holds no lock, or that of the pool or of devices. */
static void dfi_events_read(void)
{
    struct dfi_events *e = &dfi_events;
    struct dfi_event_chunk *full, *open = NULL, *c;
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    dfi_os_lock(&dfi_events_reading);
    dfi_os_lock(&dfi_events_lock);
    full = e->full, e->full = NULL;
    for (i = 0; i <= n; i++) { /* under the lock: a chunk open now was begun after all full ones of its worker */
        c = dfi_load_relaxed(i < n ? &dfi_events_of(dfi_load_acquire(&dfi_pool.slot[i]))->chunk : &e->devices.chunk);
        if (c) c->until = dfi_load_acquire(&c->n), c->open = open, open = c; /* acquire: the events */
    }
    dfi_os_unlock(&dfi_events_lock);
    for (c = full; c; c = c->next) dfi_event_show(c, dfi_load_acquire(&c->n));
    /* one may have become full and be in the list: only the reader takes it out of there */
    for (c = open; c; c = c->open) dfi_event_show(c, c->until);
    for (i = 0; i < DFI_EVENT_READERS; i++)
        if (e->reader[i]) e->reader[i](0, NULL, 0);
    dfi_os_lock(&dfi_events_lock);
    while (full) {
        c = full, full = c->next;
        dfi_store_relaxed(&c->buffer->chunks, dfi_load_relaxed(&c->buffer->chunks) - 1);
        dfi_store_relaxed(&e->used, dfi_load_relaxed(&e->used) - 1);
        c->next = e->spare, e->spare = c;
    }
    dfi_os_unlock(&dfi_events_lock);
    dfi_os_unlock(&dfi_events_reading);
}

/* True if they are read only when there is no room for more. */
static int dfi_events_kept(void) { return !(dfi_recorded() & DFI_RECORD_TRACE); }

static void dfi_events_look(int asked)
{
    if (asked || !dfi_events_kept()) dfi_events_read();
}

/* --- writing --------------------------------------------------------------------------------------- */

static struct dfi_event_chunk *dfi_event_chunk_new(void)
{
    struct dfi_event_chunk *c = (struct dfi_event_chunk *)dfi_malloc(sizeof *c);
    if (c) c->next = NULL;
    return c;
}

/* True if the buffer may get one more chunk. Only its owner adds chunks; the number seen here may be
 * too large, never too small. */
static int dfi_event_room(const struct dfi_event_buffer *buffer)
{
    return dfi_load_relaxed(&buffer->chunks) < DFI_EVENT_CHUNKS ||
        (dfi_events_kept() && dfi_load_relaxed(&dfi_events.used) < DFI_EVENT_KEPT);
}

/* Replaces c, a full chunk of the buffer, or NULL, by a new one. NULL without memory. */
static DFI_NOINLINE struct dfi_event_chunk *dfi_event_chunk_next(struct dfi_event_buffer *buffer,
                                                                 struct dfi_event_chunk *c)
{
    struct dfi_events *e = &dfi_events;
    int want;
    if (!dfi_event_room(buffer)) dfi_events_read();
    dfi_os_lock(&dfi_events_lock);
    if (c) {
        c->next = NULL;
        if (e->full) e->last_full->next = c;
        else e->full = c;
        e->last_full = c;
    }
    if (!e->spare && !(e->spare = dfi_event_chunk_new()) && dfi_events_kept()) { /* the kept chunks have memory */
        dfi_store_relaxed(&buffer->chunk, NULL);
        dfi_os_unlock(&dfi_events_lock);
        dfi_events_read();
        dfi_os_lock(&dfi_events_lock);
    }
    if ((c = e->spare) != NULL) {
        e->spare = c->next;
        c->buffer = buffer, c->worker = buffer->slot, c->seen = 0;
        dfi_store_relaxed(&c->n, 0u);
        dfi_store_relaxed(&buffer->chunks, dfi_load_relaxed(&buffer->chunks) + 1);
        dfi_store_relaxed(&e->used, dfi_load_relaxed(&e->used) + 1);
    } else e->incomplete = 1;
    dfi_store_relaxed(&buffer->chunk, c);
    want = dfi_events_kept() ? dfi_load_relaxed(&e->used) > DFI_EVENT_KEPT / 4 * 3
                             : dfi_load_relaxed(&buffer->chunks) > DFI_EVENT_FULL;
    dfi_os_unlock(&dfi_events_lock);
    if (want) dfi_reporter_ask();
    return c;
}

DFI_SMALL_CODE_END

/* Appends an event. Threads: the owner of the buffer, holding no lock. */
DFI_FAST void dfi_event_buffer_put(struct dfi_event_buffer *buffer, enum dfi_event_kind kind, uint64_t at, uint64_t a,
                                   uint64_t b, uint32_t what, unsigned level)
{
    struct dfi_event_chunk *c = dfi_load_relaxed(&buffer->chunk);
    unsigned n = c ? dfi_load_relaxed(&c->n) : (unsigned)DFI_EVENT_ROOM;
    struct dfi_event *e;
    if (DFI_UNLIKELY(n == DFI_EVENT_ROOM)) {
        if (!(c = dfi_event_chunk_next(buffer, c))) return;
        n = 0;
    }
    e = &c->event[n];
    e->at = at, e->a = a, e->b = b, e->what = what, e->kind = (uint16_t)kind, e->level = (uint16_t)level;
    dfi_store_release(&c->n, n + 1); /* pairs with the acquire of the reader */
}
static void dfi_event_put_level(struct dfi_worker *w, enum dfi_event_kind kind, uint64_t at, uint64_t a,
                                uint64_t b, uint32_t what, unsigned level)
{
    dfi_event_buffer_put(dfi_events_of(w), kind, at, a, b, what, level);
}
static void dfi_event_put(struct dfi_worker *w, enum dfi_event_kind kind, uint64_t at, uint64_t a, uint64_t b,
                          uint32_t what)
{
    dfi_event_put_level(w, kind, at, a, b, what, 0);
}

/* Appends an event of a device, and its name. Threads: any. */
DFI_UNUSED static void dfi_device_put(enum dfi_event_kind kind, uint64_t at, uint64_t a, uint64_t b,
                                      const char *name, unsigned track)
{
    dfi_os_lock(&dfi_events_devices);
    dfi_event_buffer_put(&dfi_events.devices, kind, at, a, b, dfi_event_buffer_text(&dfi_events.devices, name), track);
    dfi_os_unlock(&dfi_events_devices);
}

/* The same if there was no memory for the event. */
DFI_UNUSED static void dfi_device_missing(void)
{
    dfi_os_lock(&dfi_events_lock);
    dfi_events.incomplete = 1;
    dfi_os_unlock(&dfi_events_lock);
}

/* Samples the state of all workers; `now`: dfi_ticks(). Cost: a load or two per worker. */
static DFI_NOINLINE void dfi_event_state(struct dfi_worker *w, uint64_t now)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    intptr_t unfinished = 0;
    uint32_t run = 0;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        unfinished += dfi_load_relaxed(&dfi_events_of(v)->unfinished) -
            (intptr_t)dfi_load_relaxed(&dfi_tasks_of(v)->n_skipped) -
            (intptr_t)dfi_load_relaxed(&dfi_tally_of(v)->n_undone);
        run += dfi_load_relaxed(&dfi_chains_of(v)->running) && dfi_load_relaxed(&v->park) == DFI_AWAKE;
    }
    dfi_event_put(w, DFI_E_STATE, now, unfinished < 0 ? 0 : (uint64_t)unfinished,
                  dfi_load_relaxed(&dfi_more.renamed), run);
}

/* The same unless it was done recently. */
DFI_FAST void dfi_event_sample(struct dfi_worker *w, uint64_t now, unsigned us)
{
    uintptr_t before = dfi_load_relaxed(&dfi_events.sampled), at = (uintptr_t)(now >> 8);
    if (DFI_LIKELY((intptr_t)(at - before) < (intptr_t)(us * dfi_events.ticks_us >> 8))) return;
    /* relaxed would do: the thread that changed it writes */
    if (dfi_cas_acq_rel(&dfi_events.sampled, &before, at)) dfi_event_state(w, now);
}

DFI_SMALL_CODE_BEGIN

/* --- beginning and end ----------------------------------------------------------------------------- */

/* Starts calibration of ticks; their rate is known to a percent from then on. */
static void dfi_events_clock(struct dfi_events *e)
{
    uint64_t now;
    e->ns = dfi_os_ns(), e->ticks = dfi_ticks();
    while ((now = dfi_os_ns()) - e->ns < DFI_CLOCK_NS) dfi_os_pause();
    e->ticks_us = (dfi_ticks() - e->ticks) * 1000 / (now - e->ns) + 1;
}

/* The points at which events are written for these readers. */
static unsigned dfi_record_points(unsigned readers)
{
    unsigned points = DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(WAIT) | DFI_BIT(SLEEP) | DFI_BIT(WOKE);
    if (readers & DFI_RECORD_TRACE)
        points |= DFI_BIT(EDGE) | DFI_BIT(RELEASE) | DFI_BIT(RELEASES) | DFI_BIT(UNTIL) | DFI_BIT(STEAL);
    /* both: a trace from which a run is simulated: the order is complete */
    return readers == (DFI_RECORD_TRACE | DFI_RECORD_STATS) ? points | DFI_BIT(TILE) | DFI_BIT(PAST_EDGE) : points;
}

/* Begins to write events, and to show them to `reader`. bit: of dfi_recording. 0, or -1: too many
 * readers. pre: pool lock; no worker runs */
static int dfi_events_begin(unsigned bit, dfi_events_reader *reader)
{
    struct dfi_events *e = &dfi_events;
    int i = 0;
    dfi_os_lock(&dfi_events_reading);
    while (i < DFI_EVENT_READERS && e->reader[i] && e->reader[i] != reader) i++;
    if (i < DFI_EVENT_READERS) e->reader[i] = reader;
    if (!e->ticks) dfi_events_clock(e);
    dfi_os_unlock(&dfi_events_reading);
    if (i == DFI_EVENT_READERS) return -1;
    e->devices.slot = DFI_EVENT_DEVICES;
    for (i = 0; i < dfi_load_relaxed(&dfi_pool.n_slots); i++) {
        /* libraries may have been unloaded since the last run */
        struct dfi_event_buffer *buffer = dfi_events_of(dfi_load_relaxed(&dfi_pool.slot[i]));
        memset((void *)buffer->constant, 0, sizeof buffer->constant);
    }
    dfi_store_relaxed(&dfi_recording, dfi_recorded() | bit);
    dfi_watch(dfi_observer_record, dfi_record_points(dfi_recorded()));
    (void)dfi_reporter_begin(dfi_observer_record, DFI_EVENT_MS, dfi_events_look); /* else writers read */
    return 0;
}

/* Frees the memory kept for future events. */
static void dfi_events_spare(void)
{
    struct dfi_events *e = &dfi_events;
    struct dfi_event_chunk *c;
    dfi_os_lock(&dfi_events_lock);
    while ((c = e->spare) != NULL) e->spare = c->next, dfi_mfree(c);
    dfi_os_unlock(&dfi_events_lock);
}

static void dfi_events_stop(void)
{
    dfi_watch(dfi_observer_record, 0);
    dfi_store_relaxed(&dfi_recording, 0u);
}

/* Shows all events, and ends writing. pre: pool lock; workers run only if the process ends */
static void dfi_events_end(void)
{
    struct dfi_events *e = &dfi_events;
    e->ended = dfi_ticks();
    dfi_reporter_end(dfi_observer_record);
    dfi_events_stop();
    dfi_events_read();
    dfi_os_lock(&dfi_events_reading);
    memset((void *)e->reader, 0, sizeof e->reader);
    dfi_os_unlock(&dfi_events_reading);
    dfi_events_spare();
}

/* Frees everything. pre: dfi_events_end, and no worker is left */
static void dfi_events_forget(void)
{
    struct dfi_events *e = &dfi_events;
    dfi_events_spare();
    dfi_texts_forget();
    dfi_mfree(dfi_load_relaxed(&e->devices.chunk));
    memset((void *)e, 0, sizeof *e);
}

/* Holds all locks around a fork, so that no thread reads, no chunk moves, and the child has complete
 * chunks. pre: pool lock */
static void dfi_events_fork(int before)
{
    if (before) {
        dfi_os_lock(&dfi_events_devices), dfi_os_lock(&dfi_events_reading);
        dfi_os_lock(&dfi_events_lock), dfi_os_lock(&dfi_texts_lock);
    } else {
        dfi_os_unlock(&dfi_texts_lock), dfi_os_unlock(&dfi_events_lock);
        dfi_os_unlock(&dfi_events_reading), dfi_os_unlock(&dfi_events_devices);
    }
}

/* Resets a buffer in the child of a fork: its events belong to the parent. */
static void dfi_event_buffer_forked(struct dfi_event_buffer *buffer)
{
    struct dfi_event_chunk *c = dfi_load_relaxed(&buffer->chunk);
    dfi_store_relaxed(&buffer->chunks, c != NULL);
    dfi_store_relaxed(&dfi_events.used, dfi_load_relaxed(&dfi_events.used) + (c != NULL));
    if (c) c->seen = 0, dfi_store_relaxed(&c->n, 0u);
}

/* Ends events in the child of a fork, because their readers are in the parent. */
static void dfi_events_forked(void)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    struct dfi_events *e = &dfi_events;
    struct dfi_event_chunk *c;
    int i, n = dfi_load_relaxed(&dfi_pool.n_slots);
    dfi_events_lock = dfi_events_reading = dfi_events_devices = dfi_texts_lock = fresh;
    while ((c = e->full) != NULL) e->full = c->next, c->next = e->spare, e->spare = c;
    dfi_store_relaxed(&e->used, 0);
    dfi_event_buffer_forked(&e->devices);
    for (i = 0; i < n; i++) dfi_event_buffer_forked(dfi_events_of(dfi_load_relaxed(&dfi_pool.slot[i])));
    memset((void *)e->reader, 0, sizeof e->reader);
    dfi_events_stop();
}

DFI_SMALL_CODE_END

#endif
