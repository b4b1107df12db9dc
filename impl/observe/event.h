/* event.h - event records of 32 bytes, the input of the trace and of the statistics (observe/events.h) */
#ifndef DFI_OBSERVE_EVENT_H
#define DFI_OBSERVE_EVENT_H

#include "../base/atomic.h"

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
    DFI_E_ATOMIC, /* an attempt of an atomic block took b; what: the text of its source line; level: DFI_ATOMIC_.. */
    DFI_E_THREAD, /* the worker has the index a; b: 0: a helper; a thread of the program 1: begins, 2: ends to use it */
    /* a: tasks submitted and not done; b: bytes in private buffers; what: number of workers that run
     * a body */
    DFI_E_STATE,
    DFI_E_TRACK,  /* a queue of a device has the name `what`; level: its track */
    DFI_E_DEVICE, /* a device worked for b; what: the name of the work; a: bytes, or 0: a kernel; level: track */
    /* of the body of the last DFI_E_RUN, not of df itself; what: its name. at, a, b: counters
     * (dfi_running.count), level 0: the first three, 1: the next */
    DFI_E_PERF,
    DFI_E_COUNT
};
/* INTERNAL: a task of df itself. INLINE: a task that ran immediately, in the scope of its submitter.
 * No task: SPAWNED: a spawned function that another worker took; LOOP: part of a loop, ORDERED: with
 * its iterations in order; STAGE: a stage of a pipe. */
enum { DFI_RAN_INTERNAL = 1, DFI_RAN_INLINE = 2, DFI_RAN_SPAWNED = 4, DFI_RAN_LOOP = 8, DFI_RAN_STAGE = 16,
       DFI_RAN_ORDERED = 32 };
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
/* Ticks in which a body waited, or others ran nested in it; the same at the beginning of its last wait. */
struct dfi_not_own { uint64_t ticks, before; };

struct dfi_event_pen;
struct dfi_event_chunk {
    struct dfi_event_chunk *next;
    struct dfi_event_pen *pen;   /* its buffer */
    int worker;                  /* the slot of its worker */
    unsigned seen;               /* reader only */
    DFI_ATOMIC(unsigned) n;      /* written by its worker, read by the reader */
    struct dfi_event event[DFI_EVENT_ROOM];
};

/* The event buffer of a worker. */
struct dfi_event_pen {
    int slot;                    /* of the worker: constant */
    DFI_ATOMIC(struct dfi_event_chunk *) chunk; /* changed by the owner under the lock of the events */
    /* its chunks, including full ones; changed under that lock, read by the owner without it */
    DFI_ATOMIC(int) chunks;
    /* tasks that it submitted less tasks that it ran; written by the owner, read by any thread */
    DFI_ATOMIC(intptr_t) unfinished;
    uint64_t ids;                /* owner only, from here on */
    uint64_t now;                /* the time of its last event (dfi_watch_now) */
    struct dfi_not_own others;   /* of program code outside bodies */
    uint64_t ends;               /* the task whose end releases others, or 0: the running body releases them */
    /* constant: `at` is the address in the program */
    struct { const char *at; uint32_t text; } cache[DFI_TEXT_CACHE], constant[DFI_TEXT_CACHE];
};

enum { DFI_PERF_MOST = 4, DFI_PERF_NUMBERS = 2 + DFI_PERF_MOST };
/* The performance counters of the thread of a worker (observe/stats/perf.h). */
struct dfi_perf_group {
    unsigned run;                /* the number of the run that they belong to; 0: none are open */
    /* n = 0: the system refused. Changed under the lock of the events; the owner reads them without it */
    int n, fd[DFI_PERF_MOST];
    uint64_t last[DFI_PERF_NUMBERS]; /* owner: their values at the last reading */
};

#endif
