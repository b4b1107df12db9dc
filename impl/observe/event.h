/* event.h - event records of 32 bytes, the input of the trace and of the statistics (observe/events.h) */
#ifndef DFI_OBSERVE_EVENT_H
#define DFI_OBSERVE_EVENT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../work/probe.h"

/* The kinds of events. `at`, and durations in b, are in ticks (dfi_ticks). Bodies and tasks have
 * identities (dfi_id_of, dfi_id_new); 0 stands for program code outside all bodies. Texts are
 * numbers (dfi_event_text), or 0. Workers are slots. */
enum dfi_event_kind {
    DFI_E_RUN,    /* the body a ran from `at` on, for b; what: its name; level: DFI_RAN_.. */
    DFI_E_PART,   /* of the body of the next DFI_E_RUN: `at` is the first and a the last iteration; or stage and item */
    /* of the next DFI_E_RUN, DFI_E_WAIT or DFI_E_ROOM: time b without bodies nested in it and
     * without waits; without this event: all of the time */
    DFI_E_OWN,
    DFI_E_SUBMIT, /* the body b submitted the task a; what: its name; level: of the scope that it is a child of */
    DFI_E_SITE,   /* of the task of the last DFI_E_SUBMIT; what: the text of its source line */
    /* of the same task: it writes a rows of b bytes from the address `at` on; what: the names of its
     * accesses; level: the index of this one */
    DFI_E_WRITE,
    /* the task b, which is being submitted or released, comes after the task a, level 1: or after an
     * event in its body; no time; duplicates are possible */
    DFI_E_EDGE,
    DFI_E_SIGNAL, /* the body b released something that the task a waits for */
    DFI_E_STEAL,  /* a was stolen from the worker b; level 1: a is a spawned function, and begins */
    DFI_E_PARK,   /* the worker was parked for b */
    /* the body a waited for b, and ran others meanwhile; what: DFI_WAIT_..; with DFI_WAIT_SCOPE: for
     * its children at `level` and deeper, including finished ones */
    DFI_E_WAIT,
    DFI_E_ROOM,   /* the body a ran others for b, because its scope had too many children */
    DFI_E_UNTIL,  /* the next wait of the body b is for the task a */
    /* an attempt of an atomic block took b; what: the text of its source line; level: DFI_ATOMIC_..; a: the text of the
     * source line of the block that was in the way, or 0 */
    DFI_E_ATOMIC,
    DFI_E_THREAD, /* the worker has the index a; b: 0: a helper; a thread of the program 1: begins, 2: ends to use it */
    /* a: tasks submitted and not done; b: bytes in private buffers; what: number of workers that run
     * a body */
    DFI_E_STATE,
    DFI_E_TRACK,  /* a queue of a device has the name `what`; level: its track */
    DFI_E_DEVICE, /* a device worked for b; what: the name of the work; a: bytes, or 0: a kernel; level: track */
    DFI_E_COUNT
};
struct dfi_event {
    uint64_t at, a, b;
    uint32_t what;
    uint16_t kind, level;
};

enum {
    DFI_EVENT_BYTES = 64 * 1024, /* of a chunk */
    DFI_EVENT_ROOM = (DFI_EVENT_BYTES - 64) / (int)sizeof(struct dfi_event),
    DFI_TEXT_CACHE = 16          /* texts in the cache of a worker; a power of two */
};
struct dfi_event_buffer;
struct dfi_event_chunk {
    struct dfi_event_chunk *next;
    struct dfi_event_buffer *buffer; /* of its worker */
    int worker;                  /* the slot of its worker */
    unsigned seen;               /* reader only, and the next two */
    unsigned until;              /* an open chunk is read up to here */
    struct dfi_event_chunk *open; /* the next open chunk */
    DFI_ATOMIC(unsigned) n;      /* written by its worker, read by the reader */
    struct dfi_event event[DFI_EVENT_ROOM];
};

/* The event buffer of a worker. */
struct dfi_event_buffer {
    int slot;                    /* of the worker: constant */
    DFI_ATOMIC(struct dfi_event_chunk *) chunk; /* changed by the owner under the lock of the events */
    /* its chunks, including full ones; changed under that lock, read by the owner without it */
    DFI_ATOMIC(int) chunks;
    /* tasks that it submitted less tasks that it ran; written by the owner, read by any thread */
    DFI_ATOMIC(intptr_t) unfinished;
    uint64_t now;                /* owner only, from here on: the time of its last event (dfi_watch_now) */
    uint64_t others;             /* ticks in which code outside of bodies waited, or bodies ran nested in it */
    uint64_t parked;             /* the time at which it parked, or 0 */
    uint64_t ends;               /* the task whose end releases others, or 0: the running body releases them */
    /* constant: `at` is the address in the program */
    struct { const char *at; uint32_t text; } cache[DFI_TEXT_CACHE], constant[DFI_TEXT_CACHE];
};

/* What the observers keep of a worker, in a room behind it. */
struct dfi_events_worker {
    struct dfi_event_buffer buffer;
};
DFI_LATER(size_t, dfi_events_room);
DFI_FAST struct dfi_event_buffer *dfi_events_of(const struct dfi_worker *w)
{
    return &((struct dfi_events_worker *)((uintptr_t)w + dfi_events_room))->buffer;
}
/* Of a running body. */
struct dfi_recorded_body {
    uint64_t began;
    uint64_t others;              /* ticks in which it waited, or others ran nested in it */
    uint32_t text;                /* its name, with df_opts.name */
};
DFI_ROOM(dfi_recorded_body, dfi_recorded_of, dfi_body);

#endif
